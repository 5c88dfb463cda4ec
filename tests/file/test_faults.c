/*
 * Saving under faults: each call by which a save touches the disk fails in turn, with each
 * of several errors, or the program is killed there. The old or the new file is there whole
 * then, nothing of a user's is lost or opened, the note says what was wrong, and the next
 * save clears away what is left.
 *
 *     test_faults [ROUNDS [SEED]]    saves with many faults each, by chance
 */
#include <signal.h>
#include <time.h>

#include "faults.h"
#include "filetest.h"

#include "file/plan/slurp.h"
#include "file/prefs/settings_file.h"
#include "prefs/settings.h"

static const int error_codes[] = { ENOSPC, EDQUOT, EIO, EPERM };

enum { ERRORS = sizeof error_codes / sizeof error_codes[0] };

#define BY_HAND "# why\nparallel: { tp = 1; };\n"
#define PRECIOUS "somebody else's"

static struct planfile file;
static struct plan plan;
static struct file_errors errors;
static char note[1024];

/* ---- what is saved --------------------------------------------------------------------- */

struct scenario {
	const char *name, *path;
	mode_t mode;           /* of the file, old or new */
	void (*prepare)(void); /* what is there before */
	void (*begin)(void);   /* what the session knows when it saves */
	bool (*save)(void);
};

static void
set_field(enum field_id f, const char *value)
{
	char err[128];

	assert_true(field_parse(f, &plan, value, err, sizeof err));
	field_mark(f, &plan, true);
}

static void
open_plan(void)
{
	memset(&errors, 0, sizeof errors);
	assert_true(planfile_read(&file, &plan, in_dir("a.cfg"), NULL, &errors));
	set_field(FIELD_TP, "8");
}

static bool
save_plan(void)
{
	return planfile_write(&file, &plan, in_dir("a.cfg"), NULL, false, note, sizeof note) ==
	    PLANFILE_SAVED;
}

static void
prepare_nothing(void)
{
}

static void
open_builtin(void)
{
	planfile_builtin(&file, &plan, NULL);
}

static void
prepare_plan(void)
{
	put_file("a.cfg", "parallel: { tp = 1; };\n");
	assert_int_equal(chmod(in_dir("a.cfg"), 0640), 0);
}

static void
prepare_by_hand(void)
{
	put_file("a.cfg", BY_HAND);
	put_file("a.cfg~", PRECIOUS);
	assert_int_equal(chmod(in_dir("a.cfg"), 0640), 0);
}

/* As calibrate does it, through a link. */
static void
prepare_link(void)
{
	assert_int_equal(mkdir(in_dir("there"), 0700), 0);
	put_file("there/real.cfg", "parallel: { tp = 1; };\n");
	assert_int_equal(chmod(in_dir("there/real.cfg"), 0604), 0);
	assert_int_equal(symlink("there/real.cfg", in_dir("a.cfg")), 0);
}

static void
open_calibrated(void)
{
	open_plan();
	set_field(FIELD_COMPUTE_EFFICIENCY, "0.5");
	set_field(FIELD_CALIBRATION_SOURCE, "a.log");
}

static void
prepare_settings(void)
{
	put_file("a.cfg", "# mine\npalette = \"dark\";\n");
	assert_int_equal(chmod(in_dir("a.cfg"), 0600), 0);
}

static bool
save_settings(void)
{
	struct settings s;
	char err[128];

	settings_default(&s);
	assert_true(settings_put(&s, settings_find("palette"), "light", err, sizeof err));
	return settings_file_write(&s, settings_find("palette"), in_dir("a.cfg"), note, sizeof note);
}

static const struct scenario scenarios[] = {
	{ "new plan", "a.cfg", 0644, prepare_nothing, open_builtin, save_plan },
	{ "plan", "a.cfg", 0640, prepare_plan, open_plan, save_plan },
	{ "plan by hand", "a.cfg", 0640, prepare_by_hand, open_plan, save_plan },
	{ "calibrate", "there/real.cfg", 0604, prepare_link, open_calibrated, save_plan },
	{ "settings", "a.cfg", 0600, prepare_settings, prepare_nothing, save_settings },
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* ---- one save -------------------------------------------------------------------------- */

enum outcome { REFUSED, SAVED, KILLED };

/* What a scenario begins with and comes to without a fault. */
static char *before, *after;

static const struct scenario *current;
static struct faults given;

static void
must(bool holds, const char *what)
{
	if (holds)
		return;
	fail_msg("%s: call %u of %u (one in %u), %s, kind %d, %s: %s; note: %s", current->name,
	    given.at, faults.calls, given.one_in,
	    faults.struck != NULL ? faults.struck : "none struck", (int)given.kind,
	    strerror(given.error), what, note);
}

static void
clear_dir(void)
{
	remove_dir(NULL);
	assert_int_equal(mkdir(test_dir, 0700), 0);
}

/* Save under the faults; a process of its own is killed. */
static enum outcome
save_under(const struct faults *f)
{
	const bool kills = f->kind == FAULT_KILL_BEFORE || f->kind == FAULT_KILL_AFTER;
	const pid_t child = kills ? fork() : 0;
	enum outcome outcome;
	int status;

	note[0] = '\0';
	given = *f;
	if (child == 0) {
		faults = *f;
		outcome = current->save() ? SAVED : REFUSED;
		faults.at = faults.one_in = 0;
		if (kills)
			_exit((int)outcome);
		return outcome;
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	must(WIFEXITED(status) || WTERMSIG(status) == SIGKILL, "another end than by the fault");
	return WIFEXITED(status) ? (enum outcome)WEXITSTATUS(status) : KILLED;
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
holds(const char *name, const char *text)
{
	char *now = get_file(name);
	const bool same = same_text(now, text);

	free(now);
	return same;
}

static void
check_file(enum outcome outcome)
{
	const bool is_old = holds(current->path, before), is_new = holds(current->path, after);
	struct stat st;

	must(is_old || is_new, "the file is torn");
	must(outcome != SAVED || is_new, "said to be saved, and is not");
	must(outcome != REFUSED || is_old, "said to be not saved, and is");
	if (stat(in_dir(current->path), &st) != 0)
		return;
	must((st.st_mode & 07777 & ~current->mode) == 0, "open to more than before");
	must((st.st_mode & 07777) == current->mode || strstr(note, "not kept") != NULL ||
	    current->save == save_settings || outcome == KILLED, "another mode, and not said");
}

static void
check_copies(void)
{
	const bool is_new = holds(current->path, after);
	struct stat st;

	if (current->prepare != prepare_by_hand)
		return;
	must(holds("a.cfg~", PRECIOUS), "somebody's copy is lost");
	must(holds("a.cfg.~1~", BY_HAND) || (!is_new && holds("a.cfg.~1~", NULL)),
	    "the comments are lost");
	if (stat(in_dir("a.cfg.~1~"), &st) == 0)
		must((st.st_mode & 037) == 0, "the copy is open to more than the file");
}

static bool
is_full(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

/* The note of a save that one fault stopped. */
static void
check_note(void)
{
	static const char *const writing[] = { "write", "fsync", "close", "link", "rename" };
	const bool free_some = strstr(note, "free some space") != NULL;

	must(strstr(note, strerror(faults.error)) != NULL, "the note does not say what was wrong");
	must(!free_some || is_full(faults.error), "the disk is not full");
	for (size_t i = 0; i < sizeof writing / sizeof writing[0]; i++)
		if (strcmp(faults.struck, writing[i]) == 0 && current->save == save_plan)
			must(free_some == is_full(faults.error), "the fix for a full disk");
}

static int
is_leftover(const struct dirent *e)
{
	return strncmp(e->d_name, ".shardplan-", 11) == 0;
}

static int
leftovers(void)
{
	struct dirent **names;
	char *slash, dir[512];
	int n;

	snprintf(dir, sizeof dir, "%s", in_dir(current->path));
	slash = strrchr(dir, '/');
	*slash = '\0';
	n = scandir(dir, &names, is_leftover, NULL);
	for (int i = 0; i < n; i++)
		free(names[i]);
	if (n >= 0)
		free(names);
	return n;
}

/* A save without faults after all: it works, and clears. */
static void
check_next_save(void)
{
	faults.struck = NULL;
	if (holds(current->path, NULL))
		open_builtin();
	else if (current->begin != open_builtin)
		current->begin();
	else
		open_plan();
	must(current->save(), "the next save fails");
	must(leftovers() == 0, "something is left");
	check_copies();
}

/* One save under faults, from the beginning. */
static enum outcome
run(const struct scenario *s, const struct faults *f)
{
	enum outcome outcome;

	current = s;
	clear_dir();
	s->prepare();
	s->begin();
	outcome = save_under(f);
	check_file(outcome);
	check_copies();
	if (outcome == REFUSED && f->kind == FAULT_ERROR && f->at != 0)
		check_note();
	check_next_save();
	return outcome;
}

/* Learn what a scenario comes to; returns how many calls it makes. */
static unsigned
learn(const struct scenario *s)
{
	const struct faults none = { .kind = FAULT_ERROR };
	unsigned calls;

	free(before);
	free(after);
	current = s;
	clear_dir();
	s->prepare();
	before = get_file(s->path);
	s->begin();
	must(save_under(&none) == SAVED, "fails without a fault");
	calls = faults.calls;
	after = get_file(s->path);
	must(!same_text(before, after), "nothing was saved");
	return calls;
}

/* ---- tests ----------------------------------------------------------------------------- */

/* In memory where it can be: a thousand saves are much for a busy disk. */
static int
fast_dir(void **state)
{
	strcpy(test_dir, "/dev/shm/shardplan-test.XXXXXX");
	return mkdtemp(test_dir) != NULL ? 0 : fresh_dir(state);
}

static int
forget(void **state)
{
	free(before);
	free(after);
	before = after = NULL;
	return remove_dir(state);
}

#define FAULT_TEST(name) UNIT_TEST(name, fast_dir, forget)

FAULT_TEST(test_each_call)
{
	for (size_t i = 0; i < SCENARIOS; i++) {
		const unsigned calls = learn(&scenarios[i]);
		unsigned saved = 0, refused = 0, killed = 0;

		for (unsigned at = 1; at <= calls; at++) {
			for (size_t e = 0; e < ERRORS; e++)
				*(run(&scenarios[i], &(struct faults){ .kind = FAULT_ERROR,
				    .at = at, .error = error_codes[e] }) == SAVED ? &saved : &refused) += 1;
			for (enum fault_kind k = FAULT_SHORT; k <= FAULT_KILL_AFTER; k++)
				killed += run(&scenarios[i], &(struct faults){ .kind = k, .at = at }) ==
				    KILLED;
		}
		/* Each was met, some of the errors do not matter, and both kills struck. */
		assert_int_equal(saved + refused, calls * ERRORS);
		assert_true(saved > 0 && refused > saved / 4);
		assert_int_equal(killed, 2 * calls);
	}
}

/* As /proc/kmsg is: regular by name, and makes its readers wait for ever. */
FAULT_TEST(test_waiting_file)
{
	struct slurp in;
	char why[128];
	int reads = 0;

	put_file("a.cfg", "tp = 1;");
	faults = (struct faults){ .kind = FAULT_ERROR, .error = EAGAIN };
	assert_true(slurp_file(&in, in_dir("a.cfg"), why, sizeof why));
	free(in.text);
	for (unsigned at = faults.calls; at > 0; at--) {
		faults = (struct faults){ .kind = FAULT_ERROR, .error = EAGAIN, .at = at };
		if (slurp_file(&in, in_dir("a.cfg"), why, sizeof why))
			free(in.text);
		else
			reads += strcmp(why, "is no plain file: it makes its readers wait") == 0;
	}
	faults.at = 0;
	assert_int_equal(reads, 2); /* what it holds, and its end */
}

static unsigned long seconds, seed;

static void
test_by_chance(void **state)
{
	const time_t end = time(NULL) + (time_t)seconds;

	(void)state;
	fault_seed(seed);
	while (time(NULL) < end) {
		const struct scenario *s = &scenarios[fault_chance(SCENARIOS)];
		struct faults f = { .error = error_codes[fault_chance(ERRORS)] };

		f.kind = (enum fault_kind)fault_chance(FAULT_KILL_AFTER + 1);
		f.one_in = 2 + fault_chance(40);
		learn(s);
		run(s, &f);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest chance[] = {
		cmocka_unit_test_setup_teardown(test_by_chance, fast_dir, forget)
	};

	umask(022);
	if (argc < 2)
		return unit_run(NULL, NULL);
	seconds = strtoul(argv[1], NULL, 10); /* make torture */
	seed = getenv("SEED") != NULL ? strtoul(getenv("SEED"), NULL, 10) : (unsigned long)time(NULL);
	print_message("test_faults: SEED=%lu\n", seed);
	return cmocka_run_group_tests(chance, NULL, NULL);
}
