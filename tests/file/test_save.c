/* Saving: all or nothing, and nothing of a user's is lost. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "filetest.h"

#include "core/framework/resolve.h"

static struct planfile file;
static struct plan plan;
static struct file_errors errors;
static char note[1024];

static void
open_plan(const char *name, const char *text)
{
	memset(&errors, 0, sizeof errors);
	put_file(name, text);
	assert_true(planfile_read(&file, &plan, in_dir(name), &test_catalog, &errors));
}

static void
set_tp(int64_t tp)
{
	char err[128];

	assert_true(field_put_int(FIELD_TP, &plan, tp, err, sizeof err));
	plan_resolve(&plan, &test_catalog);
}

static enum planfile_saved
save(const char *name, bool force)
{
	return planfile_write(&file, &plan, in_dir(name), &test_catalog, force, note, sizeof note);
}

static void
assert_tp(const char *name, int64_t tp)
{
	static struct planfile f;
	static struct plan p;

	memset(&errors, 0, sizeof errors);
	assert_true(planfile_read(&f, &p, in_dir(name), &test_catalog, &errors));
	assert_int_equal(p.parallel.tp, tp);
}

static void
assert_note(const char *text)
{
	if (strstr(note, text) == NULL)
		fail_msg("\"%s\" is not in the note \"%s\"", text, note);
}

DIR_TEST(test_new_and_again)
{
	mode_t mask = umask(027);

	planfile_builtin(&file, &plan, &test_catalog);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	umask(mask);
	assert_note("saved ");
	assert_mode("a.cfg", 0640);
	assert_string_equal(file.path, in_dir("a.cfg"));
	set_tp(8);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_tp("a.cfg", 8);
	set_tp(4);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_tp("a.cfg", 4);
	assert_int_equal(count_files(), 1);
}

DIR_TEST(test_mode_and_link)
{
	char target[64];
	ssize_t n;

	put_file("real.cfg", "");
	assert_int_equal(chmod(in_dir("real.cfg"), 0604), 0);
	assert_int_equal(symlink("real.cfg", in_dir("link.cfg")), 0);
	assert_true(planfile_read(&file, &plan, in_dir("link.cfg"), &test_catalog, &errors));
	set_tp(8);
	assert_int_equal(save("link.cfg", false), PLANFILE_SAVED);
	n = readlink(in_dir("link.cfg"), target, sizeof target);
	assert_int_equal(n, 8);
	assert_memory_equal(target, "real.cfg", 8);
	assert_mode("real.cfg", 0604);
	assert_tp("real.cfg", 8);
	/* The target by its own name is the same file. */
	set_tp(2);
	assert_int_equal(save("real.cfg", false), PLANFILE_SAVED);
	assert_tp("link.cfg", 2);
	assert_int_equal(symlink("nowhere/x.cfg", in_dir("dangling.cfg")), 0);
	assert_int_equal(save("dangling.cfg", false), PLANFILE_FAILED);
	assert_int_equal(count_files(), 3);
}

/* What a comment is said to be kept in is where it is. */
DIR_TEST(test_copy_behind_link)
{
	static const char text[] = "# mine\n";

	assert_int_equal(mkdir(in_dir("there"), 0700), 0);
	put_file("there/real.cfg", text);
	assert_int_equal(symlink("there/real.cfg", in_dir("link.cfg")), 0);
	assert_true(planfile_read(&file, &plan, in_dir("link.cfg"), &test_catalog, &errors));
	assert_int_equal(save("link.cfg", false), PLANFILE_SAVED);
	assert_note("there/real.cfg~");
	assert_content("there/real.cfg~", text);
}

DIR_TEST(test_changed)
{
	open_plan("a.cfg", "parallel: { tp = 1; };");
	set_tp(8);
	put_file("a.cfg", "parallel: { tp = 2; pp = 2; };");
	assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
	assert_note("was changed since it was opened: not saved");
	assert_tp("a.cfg", 2);
	assert_int_equal(save("a.cfg", true), PLANFILE_SAVED);
	assert_tp("a.cfg", 8);
	assert_int_equal(unlink(in_dir("a.cfg")), 0);
	assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
	assert_note("was removed since");
	assert_int_equal(save("a.cfg", true), PLANFILE_SAVED);
	/* Replaced by another program's own save: a new file of the same name. */
	put_file("b.cfg", "parallel: { tp = 4; };");
	assert_int_equal(rename(in_dir("b.cfg"), in_dir("a.cfg")), 0);
	assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
	assert_tp("a.cfg", 4);
	assert_int_equal(count_files(), 1);
}

DIR_TEST(test_exists)
{
	open_plan("a.cfg", "parallel: { tp = 1; };");
	put_file("b.cfg", "parallel: { tp = 2; };");
	assert_int_equal(save("b.cfg", false), PLANFILE_EXISTS);
	assert_note("exists: not saved");
	assert_content("b.cfg", "parallel: { tp = 2; };");
	assert_string_equal(file.path, in_dir("a.cfg"));
	assert_int_equal(save("b.cfg", true), PLANFILE_SAVED);
	assert_string_equal(file.path, in_dir("b.cfg"));
	assert_tp("b.cfg", 1);
	assert_content("a.cfg", "parallel: { tp = 1; };");
}

DIR_TEST(test_comments)
{
	static const char text[] = "# mine\nparallel: { tp = 1; };\n";

	open_plan("a.cfg", text);
	assert_true(file.has_comments);
	assert_int_equal(chmod(in_dir("a.cfg"), 0600), 0);
	set_tp(8);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_note("a.cfg; its comments are kept in ");
	assert_note("a.cfg~");
	assert_false(file.has_comments);
	assert_content("a.cfg~", text);
	assert_mode("a.cfg~", 0600);
	/* Once: the next save has nothing to lose, and the copy stays. */
	set_tp(4);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_content("a.cfg~", text);
	assert_mode("a.cfg", 0600);
	/* A saved plan that somebody then wrote into is hand-written again. */
	{
		char *now = get_file("a.cfg"), more[16384];

		snprintf(more, sizeof more, "%s// why\n", now);
		free(now);
		open_plan("a.cfg", more);
		assert_true(file.has_comments);
	}
}

/* Save the plan anew as somebody wrote it by hand, and look where its comments went. */
static void
save_by_hand(const char *text, const char *copy)
{
	open_plan("a.cfg", text);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_note(copy);
	assert_content(copy, text);
}

/* No copy is ever written over: not the first one, and none that somebody else made. */
DIR_TEST(test_copies)
{
	struct stat st;

	save_by_hand("# first\n", "a.cfg~");
	save_by_hand("# second\n", "a.cfg.~1~");
	put_file("a.cfg.~2~", "precious");
	assert_int_equal(symlink("nowhere", in_dir("a.cfg.~3~")), 0);
	assert_int_equal(mkdir(in_dir("a.cfg.~4~"), 0700), 0);
	save_by_hand("# third\n", "a.cfg.~5~");
	assert_content("a.cfg~", "# first\n");
	assert_content("a.cfg.~1~", "# second\n");
	assert_content("a.cfg.~2~", "precious");
	assert_int_equal(lstat(in_dir("a.cfg.~3~"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	/* What is kept already is not kept twice. */
	save_by_hand("# second\n", "a.cfg.~1~");
	assert_int_equal(count_files(), 6);
}

/* A change of which neither size nor times nor inode tell; and one that is none. */
DIR_TEST(test_silent_change)
{
	struct timespec times[2];
	struct stat st;
	int fd;

	open_plan("a.cfg", "parallel: { tp = 1; };");
	assert_int_equal(stat(in_dir("a.cfg"), &st), 0);
	fd = open(in_dir("a.cfg"), O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "2", 1, 17), 1);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(close(fd), 0);
	assert_tp("a.cfg", 2);
	set_tp(8);
	assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
	assert_tp("a.cfg", 2);

	open_plan("b.cfg", "parallel: { tp = 1; };");
	assert_int_equal(utimensat(AT_FDCWD, in_dir("b.cfg"), NULL, 0), 0);
	put_file("c.cfg", "parallel: { tp = 1; };");
	assert_int_equal(rename(in_dir("c.cfg"), in_dir("b.cfg")), 0);
	assert_int_equal(save("b.cfg", false), PLANFILE_SAVED);
}

DIR_TEST(test_base_moves)
{
	assert_int_equal(mkdir(in_dir("clusters"), 0700), 0);
	assert_int_equal(mkdir(in_dir("plans"), 0700), 0);
	assert_int_equal(mkdir(in_dir("plans/old"), 0700), 0);
	put_file("clusters/c.cfg", "cluster: { nodes = 4; };");
	open_plan("plans/a.cfg", "base = \"../clusters/c.cfg\";");
	assert_int_equal(save("plans/old/a.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "../../clusters/c.cfg");
	assert_int_equal(save("b.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "clusters/c.cfg");
	assert_int_equal(save("clusters/d.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "c.cfg");
	assert_true(planfile_read(&file, &plan, in_dir("clusters/d.cfg"), &test_catalog, &errors));
	assert_int_equal(plan.cluster.nodes, 4);
	/* The same plan by the other name of a link in another directory. */
	assert_int_equal(symlink("../clusters/d.cfg", in_dir("plans/link.cfg")), 0);
	put_file("plans/c.cfg", "cluster: { nodes = 9; };");
	assert_true(planfile_read(&file, &plan, in_dir("plans/link.cfg"), &test_catalog, &errors));
	assert_int_equal(plan.cluster.nodes, 9);
	assert_int_equal(save("clusters/d.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "../plans/c.cfg");
	/* What is not beside the link is looked for beside the plan itself. */
	open_plan("plans/old/a.cfg", "base = \"../../clusters/c.cfg\";");
	assert_int_equal(symlink("plans/old/a.cfg", in_dir("deep.cfg")), 0);
	assert_true(planfile_read(&file, &plan, in_dir("deep.cfg"), &test_catalog, &errors));
	assert_int_equal(plan.cluster.nodes, 4);
	assert_int_equal(save("deep.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "../../clusters/c.cfg");
	assert_int_equal(save("f.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "clusters/c.cfg");
	/* A shipped base keeps its name everywhere. */
	open_plan("e.cfg", "base = \"clusters/dgx-a100.cfg\";");
	assert_int_equal(save("plans/e.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "clusters/dgx-a100.cfg");
}

DIR_TEST(test_refusals)
{
	planfile_builtin(&file, &plan, &test_catalog);
	put_file("plain", "x");
	assert_int_equal(save("none/a.cfg", false), PLANFILE_FAILED);
	assert_note("No such file or directory");
	assert_int_equal(save("plain/a.cfg", false), PLANFILE_FAILED);
	assert_note("Not a directory");
	assert_int_equal(save("", false), PLANFILE_FAILED);
	assert_int_equal(save(".", true), PLANFILE_FAILED);
	assert_note("it is a directory");
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_int_equal(save("fifo", true), PLANFILE_FAILED);
	assert_note("it is not a regular file");
	assert_int_equal(planfile_write(&file, &plan, "", &test_catalog, true, note, sizeof note),
	    PLANFILE_FAILED);
	assert_int_equal(planfile_write(&file, &plan, "-", &test_catalog, true, note, sizeof note),
	    PLANFILE_FAILED);
	assert_int_equal(planfile_write(&file, &plan, "/dev/full", &test_catalog, true, note,
	    sizeof note), PLANFILE_FAILED);
	assert_string_equal(file.path, "");
	assert_int_equal(count_files(), 2); /* those of this test */
}

/* Save as somebody who is not root, and look for a word in the note. */
static void
refused_to_others(const char *name, const char *word)
{
	pid_t child = fork_other();

	if (child == 0) {
		if (save(name, true) != PLANFILE_FAILED)
			_exit(1);
		_exit(strstr(note, word) != NULL ? 0 : 2);
	}
	assert_answer(child, 0);
}

DIR_TEST(test_read_only)
{
	open_plan("a.cfg", "");
	assert_int_equal(chmod(test_dir, 0555), 0);
	assert_int_equal(chmod(in_dir("a.cfg"), 0444), 0);
	refused_to_others("a.cfg", "it can not be written: Permission denied (fix: chmod u+w");
	assert_int_equal(chmod(in_dir("a.cfg"), 0666), 0);
	refused_to_others("a.cfg", "no file can be made in its directory: Permission denied");
	refused_to_others("new.cfg", "Permission denied");
	assert_int_equal(chmod(test_dir, 0755), 0);
	assert_content("a.cfg", "");
	assert_int_equal(count_files(), 1);
}

/* A full disk, as a limit on the size of files: the old plan survives. */
DIR_TEST(test_full_disk)
{
	static const char text[] = "# mine\nname = \"old\";\n";
	pid_t child;
	int status;

	open_plan("a.cfg", text);
	child = fork();
	if (child == 0) {
		struct rlimit limit = { 100, 100 };

		setrlimit(RLIMIT_FSIZE, &limit);
		if (save("a.cfg", false) != PLANFILE_FAILED)
			_exit(1);
		_exit(strstr(note, "File too large") != NULL &&
		    strstr(note, "the old file is as it was") != NULL ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_content("a.cfg", text);
	assert_int_equal(count_files(), 2); /* and its copy, made before */
}

DIR_TEST(test_absent_against_base)
{
	put_file("base.cfg", "calibration: { compute_efficiency = 0.5; };");
	open_plan("a.cfg", "base = \"base.cfg\";");
	field_mark(FIELD_COMPUTE_EFFICIENCY, &plan, false);
	plan_resolve(&plan, &test_catalog);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_note("without base");
	assert_string_equal(file.base, "");
	assert_true(planfile_read(&file, &plan, in_dir("a.cfg"), &test_catalog, &errors));
	assert_false(field_is_set(FIELD_COMPUTE_EFFICIENCY, &plan));
}

/* What stands in a file after it was saved over another base is the plan that was in hand. */
static void
assert_saved(const char *name)
{
	static struct planfile f;
	static struct plan p;

	memset(&errors, 0, sizeof errors);
	assert_true(planfile_read(&f, &p, in_dir(name), &test_catalog, &errors));
	for (enum field_id k = 0; k < FIELD_COUNT; k++)
		if (!field_same(k, &p, &plan))
			fail_msg("%s: %s is another one", name, field_table[k].path);
}

DIR_TEST(test_base_changes)
{
	static const char own[] = "base = \"b.cfg\";\nparallel: { tp = 2; };";

	put_file("c.cfg", "training: { micro_batch_size = 2; };");
	put_file("b.cfg", "base = \"c.cfg\"; parallel: { pp = 2; };");
	/* The base, and what that builds on: changed, or no plan any more. */
	for (int i = 0; i < 4; i++) {
		const char *changed = i % 2 == 0 ? "b.cfg" : "c.cfg";

		put_file("b.cfg", "base = \"c.cfg\"; parallel: { pp = 2; };");
		put_file("c.cfg", "training: { micro_batch_size = 2; };");
		open_plan("a.cfg", own);
		set_tp(4);
		put_file(changed, i < 2 ? "parallel: { pp = 4; cp = 2; };" : "parallel: {");
		assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
		assert_note("b.cfg, the base of ");
		assert_note(i < 2 ? "was changed since it was opened: not saved" : "can not be read any more");
		assert_content("a.cfg", own);
		assert_int_equal(save("new.cfg", false), PLANFILE_CHANGED);
		assert_int_equal(save("a.cfg", true), PLANFILE_SAVED);
		assert_saved("a.cfg");
		assert_string_equal(file.base, i < 2 ? "b.cfg" : "");
		assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	}
	/* Not there any more. */
	put_file("b.cfg", "parallel: { pp = 2; };");
	open_plan("a.cfg", own);
	assert_int_equal(unlink(in_dir("b.cfg")), 0);
	assert_int_equal(save("a.cfg", false), PLANFILE_CHANGED);
	assert_int_equal(save("a.cfg", true), PLANFILE_SAVED);
	assert_note("without base, which can not be read any more");
	assert_saved("a.cfg");
	/* The plan is the same: nobody is asked. */
	put_file("b.cfg", "parallel: { pp = 2; };");
	open_plan("a.cfg", own);
	put_file("b.cfg", "# as before\nparallel: { pp = 2; };");
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_string_equal(file.base, "b.cfg");
}

/* The other names of a file keep what it was, and that is said. */
DIR_TEST(test_hard_link)
{
	open_plan("a.cfg", "parallel: { tp = 2; };");
	assert_int_equal(link(in_dir("a.cfg"), in_dir("b.cfg")), 0);
	set_tp(4);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_note("not kept: hard link");
	assert_tp("b.cfg", 2);
	assert_int_equal(save("a.cfg", false), PLANFILE_SAVED);
	assert_null(strstr(note, "hard link"));
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
