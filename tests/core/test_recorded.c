/*
 * test_recorded.c - what commands answer, to the last word, as tests/data/recorded.tsv has it by
 * checksum: of plans of all modes, frameworks and engines, legal or not, with logs and searches. No
 * formula of its own stands here: a number, a condition or a word that changed unasked is seen.
 */
#include <ctype.h>
#include <unistd.h>

#include "recorded.h"
#include "../torture/program.h"

enum { PATH_SIZE = 4096, DIGITS = 9 };

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
	uint64_t hash = RECORDED_BEGIN;

	for (size_t n; *s != '\0'; s += n) {
		char number[64];

		n = isdigit((unsigned char)*s) ? strspn(s, "0123456789.") : 1;
		if (is_clock(s)) {
			n += strcspn(s + 1, "\n");
		} else if (n > DIGITS) {
			text_put(number, sizeof number, "%.*g", DIGITS, strtod(s, NULL));
			hash = recorded_add(hash, number, strlen(number));
		} else {
			hash = recorded_add(hash, s, n);
		}
	}
	return hash;
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

/* The words of a command and, where one of them is "in", what that file holds; a tab between. */
static uint64_t
answer(const char *rest, int number)
{
	const char *text = strchr(rest, '\t');
	struct words words = { .count = 0 };
	struct outcome outcome;
	char line[RECORDED_LINE];
	FILE *kept = recorded_keep("recorded", number);

	text_put(line, sizeof line, "%.*s", (int)strcspn(rest, "\t"), rest);
	if (text != NULL)
		write_in(text + 1);
	for (char *at = line, *word; (word = strsep(&at, " ")) != NULL;)
		words_add(&words, word);
	outcome = program_inside(&words);
	if (kept != NULL) {
		fprintf(kept, "shardplan %s\n%d\n%s%s", rest, outcome.status, outcome.out, outcome.err);
		fclose(kept);
	}
	return checksum(outcome.out) ^ (checksum(outcome.err) + (uint64_t)outcome.status);
}

/* A directory of its own with the logs in it, the shipped data and nobody's settings. */
static char work[] = "/tmp/answers.XXXXXX";

static int
enter(void **state)
{
	static const char *const homes[] = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME" };
	static const char *const theirs[] = { "COLORTERM", "COLORFGBG", "NO_COLOR", "COLUMNS" };
	const char *top = getenv("TOP");
	char path[PATH_SIZE];

	(void)state;
	text_put(path, sizeof path, "%s/share", top);
	setenv("SHARDPLAN_DATADIR", path, 1);
	/* The palette is that of a terminal. */
	setenv("TERM", "xterm", 1);
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		unsetenv(theirs[i]);
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

TEST(test_recorded)
{
	recorded_hold("recorded", 1000, answer);
}

int
main(void)
{
	return unit_run(enter, leave);
}
