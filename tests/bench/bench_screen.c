/*
 * bench_screen PROGRAM - what the screen costs over SSH: bytes and time from a key to the
 * last byte of its answer, in a pty, beside a bare curses program that paints the very
 * same cells (screen_floor.h).
 *
 * The pictures of the floor come from the same code as those of the program, fed with the
 * same keys. Times are medians; both programs are measured in turn, on the same machine.
 */
#include <ftw.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/paths.h"
#include "screen_floor.h"
#include "ui/app/event.h"

enum { STARTS = 11, KEYS = 20, SESSION_MOST = 64, QUIET_MS = 40, PATIENCE_MS = 5000, SETTLE_KEYS = 4,
	STARTED = 3 /* sizes of the table below at which another program is started too */ };

struct child {
	pid_t pid;
	int fd;
};

struct cost {
	double ms;
	long bytes;
};

/* A key and the one that undoes it, after keys that lead there. */
struct action {
	const char *name, *setup, *key, *back;
};

static const struct action action_table[] = {
	{ "field step", "/global batch\r", "+", "-" },
	{ "step with bars", "/micro-batch\r", "+", "-" },
	{ "field cursor", "", "j", "k" },
	{ "TP step", "/TP\r", "+", "-" },
	{ "colour change", "", "c", "C" },
	{ "pan", "\t", "l", "h" },
	{ "pan down", "\t", "j", "k" },
	{ "zoom", "\t", "z", "Z" },
	{ "why and back", "\t\t", "\r", "q" },
};

static const struct {
	int columns, rows;
} size_table[] = { { 80, 24 }, { 120, 40 }, { 200, 60 }, { 400, 100 } };

/* What somebody does with a plan of a kind: fields up and down, values, panes, numbers, undo; each key is
 * one of those counted. */
static const struct {
	const char *name, *plan;
} kind_table[] = {
	{ "train", "llama-3.1-70b-64xh100.cfg" }, { "fine-tune", "lora-llama-3.1-8b-24gb.cfg" },
	{ "RL", "grpo-qwen2.5-7b.cfg" }, { "serve", "serve-llama-3.1-70b.cfg" },
	{ "rate", "serve-rate-llama-3.1-70b.cfg" },
};
static const char session_keys[] = "jjjjkk+-jj+-kkkk++uu\tlljj\thh\tjjkk\tjj\r\033\tjjjj+-kk";

/* Keys that change much: TP and PP up and down, through plans that are not legal, and back; then the map, its
 * colours and its scale. Of 70B on so many nodes, TP 8 and PP 16, or as many as there are. */
static const char harsh_keys[] = "+--+uj+-jj+-+ukkk\tljlhkcCzZ\tjk\tjk";
static const char *const harsh_nodes[] = { "8", "128", "2048" };

static const char *const nodes_table[] = { "2", "128", "16384" }; /* of 8 GPUs */

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct child
start(char *const argv[], int columns, int rows)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };
	struct child child;

	child.pid = forkpty(&child.fd, NULL, NULL, &size);
	if (child.pid < 0) {
		perror("bench_screen: forkpty");
		exit(1);
	}
	if (child.pid == 0) {
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	return child;
}

/* Read until nothing came for a while: bytes, and time from `since` to the last of them. */
static struct cost
answer(const struct child *child, double since, int patience)
{
	struct pollfd fd = { .fd = child->fd, .events = POLLIN };
	struct cost cost = { 0 };
	char buf[65536];
	ssize_t n;

	while (poll(&fd, 1, cost.bytes > 0 ? QUIET_MS : patience) > 0 &&
	    (n = read(child->fd, buf, sizeof buf)) > 0) {
		cost.bytes += n;
		cost.ms = now_ms() - since;
	}
	return cost;
}

static struct cost
press(const struct child *child, const char *keys)
{
	const double since = now_ms();

	if (write(child->fd, keys, strlen(keys)) < 0)
		perror("bench_screen: write");
	return answer(child, since, 200);
}

/* Leave as a user does, so that no draft of unsaved work greets the next one. */
static void
stop(struct child *child)
{
	static const char *const keys[] = { "\033", "\033", ":q!\r" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		press(child, keys[i]);
	for (int i = 0; i < 100; i++) {
		if (waitpid(child->pid, NULL, WNOHANG) == child->pid) {
			close(child->fd);
			return;
		}
		poll(NULL, 0, 10);
	}
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->fd);
}

static int
by_ms(const void *a, const void *b)
{
	const double x = ((const struct cost *)a)->ms, y = ((const struct cost *)b)->ms;

	return (x > y) - (x < y);
}

static int
by_bytes(const void *a, const void *b)
{
	const long x = ((const struct cost *)a)->bytes, y = ((const struct cost *)b)->bytes;

	return (x > y) - (x < y);
}

static struct cost
median(struct cost cost[], size_t n)
{
	struct cost m;

	qsort(cost, n, sizeof *cost, by_ms);
	m.ms = cost[n / 2].ms;
	qsort(cost, n, sizeof *cost, by_bytes);
	m.bytes = cost[n / 2].bytes;
	return m;
}

static struct cost
measure_start(char *const argv[], int columns, int rows)
{
	struct cost cost[STARTS];

	for (int i = 0; i < STARTS; i++) {
		const double since = now_ms();
		struct child child = start(argv, columns, rows);

		cost[i] = answer(&child, since, PATIENCE_MS);
		stop(&child);
	}
	return median(cost, STARTS);
}

/* Key and way back, over and over; the first rounds still change messages. */
static struct cost
measure_keys(char *const argv[], int columns, int rows, const char *setup, const char *key,
    const char *back)
{
	struct child child = start(argv, columns, rows);
	struct cost cost[KEYS];

	answer(&child, now_ms(), PATIENCE_MS);
	if (setup[0] != '\0')
		press(&child, setup);
	for (int i = 0; i < SETTLE_KEYS; i++)
		press(&child, i % 2 == 0 ? key : back);
	for (int i = 0; i < KEYS; i++)
		cost[i] = press(&child, i % 2 == 0 ? key : back);
	stop(&child);
	return median(cost, KEYS);
}

/* ---- the same pictures for the floor ------------------------------------------------ */

static bool
no_plan(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	(void)context, (void)path, (void)plan, (void)note, (void)size;
	return false;
}

static const char *
no_path(void *context)
{
	(void)context;
	return "";
}

static void
type(struct state *s, const char *keys)
{
	for (; *keys != '\0'; keys++)
		app_key(s, (unsigned char)*keys);
	state_advise(s);
}

static void
draw(const struct state *s, struct canvas *c)
{
	if (!canvas_init(c, s->columns, s->rows, true)) {
		fprintf(stderr, "bench_screen: no memory\n");
		exit(1);
	}
	app_draw(s, c);
}

/* A batch that so many nodes can share: TP 2, PP 4, so a replica a node. */
static void
batch_of(const char *nodes, char *buf, size_t size)
{
	text_put(buf, size, "%ld", 32 * strtol(nodes, NULL, 10));
}

/* The picture before and after an action's key, as the program shows them. */
static void
write_pictures(const char *path, const struct catalog *catalog, const char *nodes, int columns,
    int rows, const struct action *action)
{
	static const struct app_files files = { .open = no_plan, .path = no_path };
	const struct app_options options = { 0 };
	struct canvas picture[2];
	const struct canvas *both[] = { &picture[0], &picture[1] };
	struct plan plan;
	struct state s;
	char err[256], batch[32];

	plan_builtin(&plan);
	batch_of(nodes, batch, sizeof batch);
	if (!field_parse(FIELD_NODES, &plan, nodes, err, sizeof err) ||
	    !field_parse(FIELD_GLOBAL_BATCH_SIZE, &plan, batch, err, sizeof err) ||
	    !app_start(&s, &plan, catalog, &files, &options)) {
		fprintf(stderr, "bench_screen: no plan to show\n");
		exit(1);
	}
	app_resize(&s, columns, rows);
	type(&s, action->setup);
	for (int i = 0; i < SETTLE_KEYS; i++)
		type(&s, i % 2 == 0 ? action->key : action->back);
	draw(&s, &picture[0]);
	type(&s, action->key);
	draw(&s, &picture[1]);
	if (!floor_write(path, both, 2))
		perror(path);
	canvas_free(&picture[0]);
	canvas_free(&picture[1]);
	state_free(&s);
}

/* ---- report ------------------------------------------------------------------------- */

static void
print_row(const char *what, struct cost ours, struct cost least)
{
	printf("  %-14s %7ld %7.2f   %7ld %7.2f   %5.2f %5.2f\n", what, ours.bytes, ours.ms,
	    least.bytes, least.ms, least.bytes > 0 ? (double)ours.bytes / (double)least.bytes : 0.0,
	    least.ms > 0 ? ours.ms / least.ms : 0.0);
	fflush(stdout);
}

/* Memory of a running process in MiB, as the kernel counted its most. */
static double
resident(pid_t pid)
{
	char path[64], line[256];
	double kib = 0;
	FILE *in;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if ((in = fopen(path, "r")) == NULL)
		return 0;
	while (fgets(line, sizeof line, in) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtod(line + 6, NULL);
	fclose(in);
	return kib / 1024;
}

static void
bench_case(char *program, char *self, const struct catalog *catalog, const char *nodes,
    int columns, int rows, const char *frames)
{
	char batch[32];
	char *ours[] = { program, "--nodes", (char *)nodes, "--global-batch-size", batch, NULL };
	char *least[] = { self, "--floor", (char *)frames, NULL };
	struct child child;
	struct cost idle;

	batch_of(nodes, batch, sizeof batch);
	printf("%dx%d, %ld GPUs          program          floor        ratio\n", columns, rows,
	    8 * strtol(nodes, NULL, 10));
	printf("  %-14s %7s %7s   %7s %7s   %5s %5s\n", "", "bytes", "ms", "bytes", "ms", "bytes",
	    "ms");
	write_pictures(frames, catalog, nodes, columns, rows, &action_table[0]);
	print_row("start", measure_start(ours, columns, rows), measure_start(least, columns, rows));
	for (size_t i = 0; i < sizeof action_table / sizeof *action_table; i++) {
		const struct action *a = &action_table[i];

		write_pictures(frames, catalog, nodes, columns, rows, a);
		print_row(a->name, measure_keys(ours, columns, rows, a->setup, a->key, a->back),
		    measure_keys(least, columns, rows, "", "x", "x"));
	}
	child = start(ours, columns, rows);
	answer(&child, now_ms(), PATIENCE_MS);
	idle = answer(&child, now_ms(), 1500);
	printf("  idle %ld bytes in 1.5 s, %.1f MiB resident\n", idle.bytes, resident(child.pid));
	stop(&child);
}

/* From the start to the last byte of the first picture, beside a program that is known to start
 * fast, on a folder of one file; nothing where it is not installed. */
static void
bench_start(char *program, char *directory)
{
	char *ours[] = { program, NULL }, *other[] = { "/usr/bin/ncdu", directory, NULL };

	for (size_t i = 0; i < STARTED && access(other[0], X_OK) == 0; i++) {
		const int w = size_table[i].columns, h = size_table[i].rows;
		const struct cost cost = measure_start(ours, w, h), theirs = measure_start(other, w, h);

		printf("start, %dx%d: program %ld bytes %.2f ms, ncdu %ld bytes %.2f ms\n", w, h, cost.bytes,
		    cost.ms, theirs.bytes, theirs.ms);
	}
	printf("\n");
}

/* Bytes of each key of a session: the median and the ninth of ten. */
static void
bench_kind(char *const argv[], const char *name, const char *keys, int columns, int rows)
{
	struct child child = start(argv, columns, rows);
	struct cost cost[SESSION_MOST];
	size_t n = 0;

	answer(&child, now_ms(), PATIENCE_MS);
	for (const char *key = keys; *key != '\0' && n < SESSION_MOST; key++)
		cost[n++] = press(&child, (const char[2]){ *key, '\0' });
	stop(&child);
	qsort(cost, n, sizeof *cost, by_bytes);
	printf("  %-14s %4dx%-3d  median %5ld bytes a key, 90 %% %6ld\n", name, columns, rows,
	    cost[n / 2].bytes, cost[n * 9 / 10].bytes);
	fflush(stdout);
}

static void
bench_kinds(char *program)
{
	printf("keys of a session, by what the plan is of\n");
	for (size_t i = 0; i < sizeof kind_table / sizeof *kind_table; i++)
		for (size_t k = 0; k < STARTED; k++) {
			char plan[512], name[64];

			text_put(name, sizeof name, "plans/%s", kind_table[i].plan);
			if (paths_data(plan, sizeof plan, name))
				bench_kind((char *const[]){ program, plan, NULL }, kind_table[i].name, session_keys,
				    size_table[k].columns, size_table[k].rows);
		}
}

static void
bench_harsh(char *program)
{
	for (size_t i = 0; i < sizeof harsh_nodes / sizeof *harsh_nodes; i++)
		for (size_t k = 0; k < STARTED; k++) {
			char *ours[] = { program, "--model=llama-3.1-70b", "--tp=8", i == 0 ? "--pp=4" : "--pp=16",
				"--gbs=2048", "--nodes", (char *)harsh_nodes[i], NULL };
			char name[64];

			text_put(name, sizeof name, "harsh, %ld", 8 * strtol(harsh_nodes[i], NULL, 10));
			bench_kind(ours, name, harsh_keys, size_table[k].columns, size_table[k].rows);
		}
}

/* A home without settings or drafts, the same terminal everywhere. */
static void
prepare_environment(const char *directory)
{
	setenv("HOME", directory, 1);
	setenv("XDG_CONFIG_HOME", directory, 1);
	setenv("XDG_STATE_HOME", directory, 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	unsetenv("COLORTERM");
	unsetenv("COLORFGBG");
	setlocale(LC_ALL, "");
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int
bench(char *program, char *self)
{
	char directory[] = "/tmp/bench_screen.XXXXXX", frames[64];
	struct file_errors errors = { 0 };
	struct catalog catalog = { 0 };

	if (mkdtemp(directory) == NULL) {
		perror(directory);
		return 1;
	}
	prepare_environment(directory);
	paths_init(program);
	if (!catalog_load(&catalog, &errors)) {
		fprintf(stderr, "bench_screen: %s\n", errors.count > 0 ? errors.line[0] : "no catalogue");
		return 1;
	}
	text_put(frames, sizeof frames, "%s/frames", directory);
	bench_start(program, directory);
	bench_kinds(program);
	bench_harsh(program);
	for (size_t i = 0; i < sizeof size_table / sizeof *size_table; i++)
		for (size_t k = 0; k < sizeof nodes_table / sizeof *nodes_table; k++)
			bench_case(program, self, &catalog, nodes_table[k], size_table[i].columns,
			    size_table[i].rows, frames);
	catalog_free(&catalog);
	nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--floor") == 0)
		return floor_run(argv[2]);
	if (argc != 2) {
		fprintf(stderr, "usage: bench_screen PROGRAM\n");
		return 2;
	}
	return bench(argv[1], "/proc/self/exe");
}
