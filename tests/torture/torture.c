#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../core/share.h"
#include "file/plan/paths.h"
#include "torture.h"

/* A round takes far less than a second; a busy machine is no hang. */
enum { HANGS_AFTER_S = 300, KINDS_MOST = 64, CRASHES_MOST = 16 };

/* What outlives the child. */
struct shared {
	uint64_t seed;
	long rounds, findings;
	int kinds;
	char kind[KINDS_MOST][160];
	char doing[8192];
};

/* How long a child works: so many rounds, or up to a moment. */
struct shift {
	uint64_t seed;
	long rounds;
	time_t until;
};

static char work[4096];

const char *
torture_top(void)
{
	const char *top = getenv("TOP");

	return top != NULL ? top : ".";
}

const char *
torture_program(void)
{
	const char *program = getenv("PROG");

	return program != NULL ? program : "./shardplan";
}

/* ---- findings ----------------------------------------------------------------------- */

void
torture_doing(struct torture *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_vput(t->shared->doing, sizeof t->shared->doing, fmt, args);
	va_end(args);
}

static bool
is_new(struct shared *s, const char *kind)
{
	s->findings++;
	for (int i = 0; i < s->kinds; i++)
		if (strncmp(s->kind[i], kind, sizeof s->kind[i] - 1) == 0)
			return false;
	if (s->kinds < KINDS_MOST)
		text_put(s->kind[s->kinds++], sizeof s->kind[0], "%s", kind);
	return true;
}

static bool
tell_finding(struct shared *s, const char *kind)
{
	const bool first = is_new(s, kind);

	if (first)
		torture_tell("FOUND: %s (SEED=%llu)", kind, (unsigned long long)s->seed);
	return first;
}

bool
torture_found(struct torture *t, const char *kind)
{
	return tell_finding(t->shared, kind);
}

int
torture_kinds(const struct torture *t)
{
	return t->shared->kinds;
}

/* Not standard output, which a round may have turned elsewhere. */
void
torture_tell(const char *fmt, ...)
{
	static char line[16384];
	va_list args;

	va_start(args, fmt);
	text_vput(line, sizeof line, fmt, args);
	va_end(args);
	fprintf(stderr, "%s\n", line);
}

/* ---- the child ---------------------------------------------------------------------- */

static void
work_shift(struct shared *shared, const struct shift *shift, void (*round)(struct torture *t))
{
	struct torture t = { .shared = shared };

	for (long i = 0; shift->until > 0 ? time(NULL) < shift->until : i < shift->rounds; i++) {
		alarm(HANGS_AFTER_S);
		t.seed = shared->seed = shift->seed + (uint64_t)i;
		t.dice = dice_of(t.seed);
		shared->doing[0] = '\0';
		round(&t);
		shared->rounds++;
	}
	alarm(0);
}

/* Why a child ended that did not end well. */
static void
tell_crash(struct shared *s, int status)
{
	char kind[128];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		text_put(kind, sizeof kind, "it hangs");
	else if (WIFSIGNALED(status))
		text_put(kind, sizeof kind, "it dies of signal %d", WTERMSIG(status));
	else
		text_put(kind, sizeof kind, "it ends with status %d: see above", WEXITSTATUS(status));
	tell_finding(s, kind);
	torture_tell("  %s", s->doing);
}

/* Work in children until the shift is over; after a crash the next one goes on behind it. */
static void
run_shift(struct shared *s, struct shift shift, void (*round)(struct torture *t))
{
	for (int crashes = 0; crashes < CRASHES_MOST; crashes++) {
		int status = 0;
		pid_t child;

		fflush(NULL);
		if ((child = fork()) == 0) {
			work_shift(s, &shift, round);
			exit(0); /* with what the sanitizers say at the end */
		}
		if (child < 0 || waitpid(child, &status, 0) != child) {
			perror("torture");
			exit(99);
		}
		if (status == 0)
			return;
		tell_crash(s, status);
		shift.rounds -= (long)(s->seed - shift.seed) + 1;
		shift.seed = s->seed + 1;
	}
}

/* ---- the program -------------------------------------------------------------------- */

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* A directory of its own, where nothing of the user's settings changes a result. */
static void
prepare(void)
{
	const char *tmp = getenv("TMPDIR");
	char data[4096];

	text_put(work, sizeof work, "%s/torture.XXXXXX", tmp != NULL ? tmp : "/tmp");
	text_put(data, sizeof data, "%s/share", torture_top());
	if (mkdtemp(work) == NULL || chdir(work) != 0) {
		perror(work);
		exit(99);
	}
	setenv("SHARDPLAN_DATADIR", data, 0);
	setenv("HOME", work, 1);
	setenv("XDG_CONFIG_HOME", work, 1);
	setenv("XDG_STATE_HOME", work, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("COLUMNS");
	paths_init(NULL);
}

static struct shared *
share(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("torture");
		exit(99);
	}
	return p;
}

/* Those that are the same each time, or the share of them that is a seed's. */
static struct shift
known_rounds(long brief, bool shared, uint64_t seed)
{
	const long k = (long)(seed % SHARE_OF);
	const long from = shared ? brief * k / SHARE_OF : 0;
	const long to = shared ? brief * (k + 1) / SHARE_OF : brief;

	return (struct shift){ (uint64_t)from + 1, to - from, 0 };
}

static void
run_all(struct shared *s, long seconds, long brief, void (*round)(struct torture *t))
{
	const char *given = getenv("SEED") != NULL ? getenv("SEED") : getenv("MONKEY_SEED");
	const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

	if (seconds > 0 || given != NULL)
		printf("seed %llu\n", (unsigned long long)seed);
	if (seconds > 0) {
		run_shift(s, (struct shift){ seed, 0, time(NULL) + seconds }, round);
		return;
	}
	run_shift(s, known_rounds(brief, given != NULL && has_sanitizer(), seed), round);
	if (given != NULL) /* as many of its own */
		run_shift(s, (struct shift){ seed, has_sanitizer() ? brief / SHARE_OF : brief, 0 }, round);
}

int
torture_main(int argc, char **argv, long brief, void (*round)(struct torture *t))
{
	const long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	struct shared *s = share();

	if (argc > 2 || (argc > 1 && seconds <= 0)) {
		fprintf(stderr, "usage: %s [SECONDS], with the seed in $SEED\n", argv[0]);
		return 2;
	}
	prepare();
	run_all(s, seconds, brief, round);
	printf("%ld rounds, %ld findings of %d kinds\n", s->rounds, s->findings, s->kinds);
	if (s->findings > 0)
		printf("what is kept of them: %s\n", work);
	else
		nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return s->findings > 0 || s->rounds == 0;
}
