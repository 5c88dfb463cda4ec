/*
 * filetest.h - what the tests of src/file share: a directory of their own, and the
 * shipped data of the source tree (environment TOP, else the current directory).
 */
#ifndef FILETEST_H
#define FILETEST_H
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"
#include "core/plan/field.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/paths.h"
#include "file/plan/planfile.h"
#include "file/source/importer.h"

static char test_dir[64];
static struct catalog test_catalog;

/* What an import took, assumed or ignored names that. */
static UNUSED bool
notes_say(const struct notes *n, const char *words)
{
	return n->lines.text != NULL && strstr(n->lines.text, words) != NULL;
}

/* The name of a file in the test's directory; good until the eighth call after. */
static UNUSED const char *
in_dir(const char *name)
{
	static char path[8][512];
	static unsigned turn;
	char *p = path[turn++ % 8];

	snprintf(p, sizeof path[0], "%s/%s", test_dir, name);
	return p;
}

static UNUSED void
put_bytes(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(in_dir(name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static UNUSED void
put_file(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* The content of a file, to be freed; NULL when it is not there. */
static UNUSED char *
get_file(const char *name)
{
	FILE *f = fopen(in_dir(name), "rb");
	char *text;
	size_t n;

	if (f == NULL)
		return NULL;
	text = calloc(1, 2 * PLANFILE_SIZE_MAX);
	assert_non_null(text);
	n = fread(text, 1, 2 * PLANFILE_SIZE_MAX - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static UNUSED void
assert_content(const char *name, const char *text)
{
	char *now = get_file(name);

	assert_non_null(now);
	assert_string_equal(now, text);
	free(now);
}

static UNUSED void
assert_mode(const char *name, mode_t mode)
{
	struct stat st;

	assert_int_equal(stat(in_dir(name), &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

/* Entries in the directory, to see that no temporary file stays. */
static int files_counted;

static UNUSED int
count_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	files_counted += type == FTW_F || type == FTW_SL;
	return 0;
}

static UNUSED int
count_files(void)
{
	files_counted = 0;
	nftw(test_dir, count_one, 16, FTW_PHYS);
	return files_counted;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static UNUSED int
fresh_dir(void **state)
{
	(void)state;
	strcpy(test_dir, "/tmp/shardplan-test.XXXXXX");
	return mkdtemp(test_dir) == NULL ? -1 : 0;
}

static UNUSED int
remove_dir(void **state)
{
	(void)state;
	return nftw(test_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define DIR_TEST(name) UNIT_TEST(name, fresh_dir, remove_dir)

/* A child that is not root, to whom files can be forbidden: 0 in it. */
enum { STAYS_ROOT = 99 };

static UNUSED pid_t
fork_other(void)
{
	pid_t child = fork();

	if (child == 0 && geteuid() == 0 && setuid(65534) != 0)
		_exit(STAYS_ROOT); /* a name space without other users */
	return child;
}

/* What the child answers with _exit. */
static UNUSED void
assert_answer(pid_t child, int answer)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == STAYS_ROOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), answer);
}

/* The shipped data of the source tree, and no files of the user who runs the tests. */
static UNUSED void
use_source_tree(void)
{
	const char *top = getenv("TOP");
	char share[1024];

	snprintf(share, sizeof share, "%s/share", top != NULL ? top : ".");
	setenv("SHARDPLAN_DATADIR", share, 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
}

static UNUSED int
load_catalog(void **state)
{
	static struct file_errors errors;

	(void)state;
	use_source_tree();
	paths_init(NULL);
	if (catalog_load(&test_catalog, &errors) && catalog_load_clusters(&test_catalog, &errors))
		return 0;
	for (size_t i = 0; i < errors.count; i++)
		print_error("%s\n", errors.line[i]);
	return -1;
}

static UNUSED int
free_catalog(void **state)
{
	(void)state;
	catalog_free(&test_catalog);
	return 0;
}

/* The line of an account that is about a field, from `text` on; NULL when there is none. */
static UNUSED const char *
find_account(const char *text, enum field_id f)
{
	char what[96];

	snprintf(what, sizeof what, "%s = ", field_table[f].path);
	for (const char *at = text; at != NULL && (at = strstr(at, what)) != NULL; at++)
		if (at == text || at[-1] == '\n' || (at >= text + 4 && strncmp(at - 4, " -> ", 4) == 0))
			return at;
	return NULL;
}

/* What was taken and assumed tells of each field once at the most, and with its value. */
static UNUSED void
check_account(const struct import *im)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const char *taken = find_account(im->taken.lines.text, f);
		const char *assumed = find_account(im->assumed.lines.text, f);

		if ((taken != NULL && (assumed != NULL || find_account(taken + 1, f) != NULL)) ||
		    (assumed != NULL && find_account(assumed + 1, f) != NULL))
			fail_msg("%s is told twice:\n%s%s", field_table[f].path,
			    taken != NULL ? taken : "", assumed != NULL ? assumed : "");
	}
}
#endif
