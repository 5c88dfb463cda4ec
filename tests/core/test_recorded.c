/*
 * test_recorded.c - what commands answer, to the last word, as tests/data/recorded.tsv has it by
 * checksum: of plans of all modes, frameworks and engines, legal or not, with logs and searches. No
 * formula of its own stands here: a number, a condition or a word that changed unasked is seen.
 *
 * ANSWERS=DIR keeps each answer there, to be laid beside those of another build; REGEN=1 writes the
 * checksums anew.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "../torture/program.h"
#include "share.h"

enum { LINE_SIZE = 4096, PATH_SIZE = 4096, HASH_SIZE = 17, DIGITS = 9, FIRST_TOLD = 20 };

static uint64_t
add_bytes(uint64_t hash, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
	return hash;
}

/* How long a search took stands at the beginning of s. */
static bool
is_clock(const char *s)
{
	const char *end = s + strcspn(s, "\n");

	return strncmp(s, "\n  \"seconds\": ", 14) == 0 ||
	    (*s == ';' && end - s > 12 && strncmp(end - 12, " on 1 thread", 12) == 0);
}

/* FNV-1a of a text in which numbers have no more digits than compilers and libraries agree on. */
static uint64_t
checksum(const char *s)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t n; *s != '\0'; s += n) {
		char number[64];

		n = isdigit((unsigned char)*s) ? strspn(s, "0123456789.") : 1;
		if (is_clock(s)) {
			n += strcspn(s + 1, "\n");
		} else if (n > DIGITS) {
			text_put(number, sizeof number, "%.*g", DIGITS, strtod(s, NULL));
			hash = add_bytes(hash, number, strlen(number));
		} else {
			hash = add_bytes(hash, s, n);
		}
	}
	return hash;
}

static uint64_t
answer(const char *line, const char *keep, int number)
{
	struct words words = { .count = 0 };
	struct outcome outcome;
	char copy[LINE_SIZE], path[PATH_SIZE];
	FILE *f;

	assert_true(text_copy(copy, sizeof copy, line));
	for (char *at = copy, *word; (word = strsep(&at, " ")) != NULL;)
		words_add(&words, word);
	outcome = program_inside(&words);
	if (keep != NULL) {
		text_put(path, sizeof path, "%s/%03d", keep, number);
		assert_non_null(f = fopen(path, "w"));
		fprintf(f, "shardplan %s\n%d\n%s%s", line, outcome.status, outcome.out, outcome.err);
		fclose(f);
	}
	return checksum(outcome.out) ^ (checksum(outcome.err) + (uint64_t)outcome.status);
}

/* A directory of its own with the logs in it, the shipped data and nobody's settings. */
static char work[] = "/tmp/answers.XXXXXX";

static int
enter(void **state)
{
	static const char *const homes[] = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME" };
	const char *top = getenv("TOP");
	char path[PATH_SIZE];

	(void)state;
	text_put(path, sizeof path, "%s/share", top);
	setenv("SHARDPLAN_DATADIR", path, 1);
	if (mkdtemp(work) == NULL || chdir(work) != 0)
		return -1;
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		setenv(homes[i], work, 1);
	text_put(path, sizeof path, "%s/tests/data/logs", top);
	return symlink(path, "logs");
}

static int
leave(void **state)
{
	(void)state;
	unlink("in");
	return unlink("logs") == 0 && chdir("/") == 0 ? rmdir(work) : -1;
}

/* The file "in", of a text whose lines are ended by \\n. */
static void
write_in(const char *text)
{
	FILE *f = fopen("in", "w");

	assert_non_null(f);
	for (const char *end; (end = strstr(text, "\\n")) != NULL; text = end + 2)
		fprintf(f, "%.*s\n", (int)(end - text), text);
	fclose(f);
}

/* Each line of the table: a checksum, the words of a command and, where one of them is "in", what that file
 * holds; tabs between them. */
static void
test_recorded(void **state)
{
	const char *keep = getenv("ANSWERS");
	const bool anew = getenv("REGEN") != NULL;
	char line[LINE_SIZE], path[PATH_SIZE], new_path[PATH_SIZE];
	int number = 0, wrong = 0;
	FILE *in, *out;

	(void)state;
	text_put(path, sizeof path, "%s/tests/data/recorded.tsv", getenv("TOP"));
	text_put(new_path, sizeof new_path, "%s.new", path);
	assert_non_null(in = fopen(path, "r"));
	assert_non_null(out = fopen(anew ? new_path : "/dev/null", "w"));
	while (fgets(line, sizeof line, in) != NULL) {
		const char *rest = line + HASH_SIZE, *text;
		char words[LINE_SIZE], is[HASH_SIZE];

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#') {
			fprintf(out, "%s\n", line);
			continue;
		}
		if (!in_share((size_t)number++))
			continue;
		text_put(words, sizeof words, "%.*s", (int)strcspn(rest, "\t"), rest);
		if ((text = strchr(rest, '\t')) != NULL)
			write_in(text + 1);
		text_put(is, sizeof is, "%016llx", (unsigned long long)answer(words, keep, number));
		fprintf(out, "%s\t%s\n", is, rest);
		if (strncmp(is, line, HASH_SIZE - 1) != 0 && wrong++ < FIRST_TOLD)
			print_error("%3d: shardplan %s\n", number, words);
	}
	fclose(in);
	fclose(out);
	assert_true(number > 300);
	if (anew)
		assert_int_equal(rename(new_path, path), 0);
	else if (wrong > 0)
		fail_msg("%d commands answer otherwise than recorded: see ANSWERS and REGEN above", wrong);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_recorded) };

	return cmocka_run_group_tests(tests, enter, leave);
}
