/*
 * Screens as text, held against tests/ui/golden. REGEN=1 in the environment writes them
 * anew, for review.
 */
#include <locale.h>

#include "search_view_fake.h"

static const struct {
	const char *name;
	int columns, rows;
	const char *keys;
} screens[] = {
	{ "start-100x30", 100, 30, "" },
	{ "start-80x24", 80, 24, "" },
	{ "start-40x12", 40, 12, "" },
	{ "start-20x3", 20, 3, "" },
	{ "map-100x30", 100, 30, "\t3" },
	{ "map-160x45", 160, 45, "\t4" },
	{ "map-80x24", 80, 24, "\tl" },
	{ "map-40x12", 40, 12, "\t" },
	{ "illegal-80x24", 80, 24, "3\r" },
	{ "edit-80x24", 80, 24, "12" },
	{ "quit-80x24", 80, 24, "+q" },
	{ "help-100x30", 100, 30, "?" },
	{ "kinds-80x24", 80, 24, "d" },
	{ "models-80x24", 80, 24, "/model\r\r" },
	{ "large-100x30", 100, 30, ":set nodes 16384\r\t" },
	{ "steps-80x24", 80, 24, "v" },
	{ "steps-100x30", 100, 30, "v" },
	{ "search-80x24", 80, 24, "S" },
	{ "search-100x30", 100, 30, "S" },
	{ "search-120x40", 120, 40, "S" },
};

static void
golden_path(char *buf, size_t size, size_t i, bool utf8)
{
	const char *top = getenv("TOP");

	text_put(buf, size, "%s/tests/ui/golden/%s%s.txt", top != NULL ? top : ".", screens[i].name,
	    utf8 ? "" : "-ascii");
}

static char *
read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	size_t n;

	if (f == NULL)
		return NULL;
	text = calloc(1, 1 << 17);
	assert_non_null(text);
	n = fread(text, 1, (1 << 17) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void
check(void **test, size_t i, bool utf8)
{
	struct session *s = (strncmp(screens[i].name, "search", 6) == 0 ?
	    session_searching : session_new)(test, screens[i].columns, screens[i].rows);
	char path[4096], *now, *golden;

	s->state.settings.ascii = !utf8;
	type(s, screens[i].keys);
	search_view_look(&s->state);
	now = picture(s);
	golden_path(path, sizeof path, i, utf8);
	if (getenv("REGEN") != NULL) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_true(fputs(now, f) >= 0);
		assert_int_equal(fclose(f), 0);
	} else {
		golden = read_all(path);
		if (golden == NULL || strcmp(golden, now) != 0)
			fprintf(stderr, "%s differs; the screen is now:\n%s", path, now);
		assert_non_null(golden);
		assert_string_equal(now, golden);
		free(golden);
	}
	free(now);
}

SESSION_TEST(test_utf8)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		check(test, i, true);
}

SESSION_TEST(test_ascii)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		check(test, i, false);
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
