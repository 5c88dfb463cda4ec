/* Files replaced whole or not at all: what they keep, what killed writers leave; names. */
#include <grp.h>
#include <sys/xattr.h>
#include <time.h>

#include "filetest.h"

#include "file/plan/pathname.h"
#include "file/plan/atomic.h"
#include "file/plan/temporary.h"

static char why[256];

static enum atomic_result
put(const char *name)
{
	return atomic_write(in_dir(name), "new", 3, NULL, NULL, NULL, why, sizeof why);
}

DIR_TEST(test_atomic)
{
	struct file_stamp before, after;

	memset(&before, 0, sizeof before);
	assert_int_equal(atomic_write(in_dir("x"), "one", 3, NULL, &before, &after, why, sizeof why),
	    ATOMIC_DONE);
	assert_content("x", "one");
	assert_true(after.exists && after.size == 3);
	assert_int_equal(atomic_write(in_dir("x"), "two", 3, NULL, &before, NULL, why, sizeof why),
	    ATOMIC_CHANGED);
	assert_content("x", "one");
	assert_int_equal(atomic_write(in_dir("x"), "", 0, NULL, &after, &after, why, sizeof why),
	    ATOMIC_DONE);
	assert_content("x", "");
	assert_int_equal(atomic_write("/nonexistent/x", "", 0, NULL, NULL, NULL, why, sizeof why),
	    ATOMIC_FAILED);
	assert_int_equal(count_files(), 1);
}

/* Whoever saves: what of the old file can not be kept is said, and opens it to nobody. */
DIR_TEST(test_access)
{
	struct stat st;
	pid_t child;

	put_file("a", "old");
	assert_int_equal(chmod(in_dir("a"), 0676), 0);
	assert_int_equal(chmod(test_dir, 0777), 0);
	child = fork();
	if (child == 0) {
		if (geteuid() != 0 || setgroups(0, NULL) != 0 || setgid(65534) != 0 ||
		    setuid(65534) != 0)
			_exit(STAYS_ROOT);
		_exit(put("a") == ATOMIC_DONE && strcmp(why, "owner, group") == 0 ? 0 : 1);
	}
	assert_answer(child, 0);
	assert_int_equal(stat(in_dir("a"), &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_mode & 07777, 0666);
}

/* An access list that lets user 12345 read and write what the group may not. */
DIR_TEST(test_access_list)
{
	static const char name[] = "system.posix_acl_access";
	static const unsigned char list[] = { 2, 0, 0, 0,
		1, 0, 6, 0, 255, 255, 255, 255, /* the owner */
		2, 0, 6, 0, 0x39, 0x30, 0, 0,   /* user 12345 */
		4, 0, 0, 0, 255, 255, 255, 255, /* the group */
		16, 0, 6, 0, 255, 255, 255, 255, /* the bounds of the two before */
		32, 0, 0, 0, 255, 255, 255, 255 };
	unsigned char now[64];

	put_file("a", "old");
	put_file("b", "old");
	if (setxattr(in_dir("a"), name, list, sizeof list, 0) != 0)
		skip();
	assert_int_equal(put("a"), ATOMIC_DONE);
	assert_string_equal(why, "");
	assert_int_equal(getxattr(in_dir("a"), name, now, sizeof now), sizeof list);
	assert_memory_equal(now, list, sizeof list);
	/* What the directory gives new files is not for one that had none. */
	assert_int_equal(setxattr(test_dir, "system.posix_acl_default", list, sizeof list, 0), 0);
	assert_int_equal(put("b"), ATOMIC_DONE);
	assert_true(getxattr(in_dir("b"), name, now, sizeof now) < 0);
	assert_int_equal(put("c"), ATOMIC_DONE);
	assert_int_equal(getxattr(in_dir("c"), name, now, sizeof now), sizeof list);
}

/* ---- what killed saves leave ----------------------------------------------------------- */

/* A file as a save of process `pid` of this or another host makes it, so many days ago. */
static void
leave(const char *host, pid_t pid, int days, char *path, size_t size)
{
	char ours[512], mine[32], *at;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) } };
	const int fd = temporary_open(ours, sizeof ours, test_dir, 0600);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	snprintf(mine, sizeof mine, "-%d-0.tmp", (int)getpid());
	at = strstr(ours, mine);
	assert_non_null(at);
	snprintf(path, size, "%.*s%s-%d-0.tmp", (int)(at - ours), ours, host, (int)pid);
	assert_int_equal(rename(ours, path), 0);
	times[1].tv_sec -= days * 24 * 60 * 60 + 60;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

DIR_TEST(test_leftovers)
{
	static const char *const others[] = { ".shardplan-notes.tmp", ".shardplan.backup",
		".shardplan-a-b-c-d.tmp", ".shardplan-1-1-1.tmp.cfg", "shardplan-h-1-1-1.tmp" };
	enum { OTHERS = sizeof others / sizeof others[0] };
	char dead_path[512], live_path[512], old_path[512], new_path[512];
	const pid_t dead = fork();
	struct timespec old[2] = { { 1, 0 }, { 1, 0 } };

	if (dead == 0)
		_exit(0);
	assert_answer(dead, 0);
	for (size_t i = 0; i < OTHERS; i++) {
		put_file(others[i], "mine");
		assert_int_equal(utimensat(AT_FDCWD, in_dir(others[i]), old, 0), 0);
	}
	leave("", dead, 0, dead_path, sizeof dead_path);
	leave("", getppid(), 9, live_path, sizeof live_path);
	leave("-7", dead, 1, old_path, sizeof old_path);
	leave("-8", dead, 0, new_path, sizeof new_path);
	assert_int_equal(put("a"), ATOMIC_DONE);
	assert_int_not_equal(access(dead_path, F_OK), 0);
	assert_int_equal(access(live_path, F_OK), 0);
	assert_int_not_equal(access(old_path, F_OK), 0);
	assert_int_equal(access(new_path, F_OK), 0);
	assert_int_equal(count_files(), OTHERS + 3);
	/* Another user's are not ours to remove. */
	if (geteuid() == 0) {
		leave("", dead, 9, dead_path, sizeof dead_path);
		assert_int_equal(chown(dead_path, 65534, 65534), 0);
		assert_int_equal(put("a"), ATOMIC_DONE);
		assert_int_equal(access(dead_path, F_OK), 0);
	}
}

/* ---- names ------------------------------------------------------------------------------ */

DIR_TEST(test_pathnames)
{
	static const struct {
		const char *from, *to, *way;
	} ways[] = {
		{ "/a/b", "/a/b/c.cfg", "c.cfg" },
		{ "/a/b", "/a/c.cfg", "../c.cfg" },
		{ "/a/b/c", "/a/x/y.cfg", "../../x/y.cfg" },
		{ "/a/b", "/a/bc/y.cfg", "../bc/y.cfg" },
		{ "/a/bc", "/a/b/y.cfg", "../b/y.cfg" },
		{ "/a", "/b/y.cfg", "/b/y.cfg" },
		{ "/", "/y.cfg", "/y.cfg" },
	};
	char buf[64];

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		assert_true(pathname_relative(buf, sizeof buf, ways[i].from, ways[i].to));
		assert_string_equal(buf, ways[i].way);
	}
	assert_true(pathname_dir(buf, sizeof buf, "a.cfg"));
	assert_string_equal(buf, ".");
	assert_true(pathname_dir(buf, sizeof buf, "/a.cfg"));
	assert_string_equal(buf, "/");
	assert_true(pathname_join(buf, sizeof buf, "/a", "b"));
	assert_string_equal(buf, "/a/b");
	assert_true(pathname_join(buf, sizeof buf, "/a/", "/b"));
	assert_string_equal(buf, "/b");
	assert_false(pathname_join(buf, 4, "/a", "bc"));
	assert_false(pathname_relative(buf, 5, "/a/b/c", "/a/x/y.cfg"));
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
