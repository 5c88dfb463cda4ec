#include <locale.h>

#include "support.h"
#include "ui/screen/looks.h"

static const struct style plain = { .role = ROLE_TEXT };

static void
row(const struct canvas *c, int y, char *buf)
{
	for (int x = 0; x < c->w; x++) {
		wchar_t ch = c->cell[y * c->w + x].ch;

		buf[x] = ch == L'\0' ? '_' : ch < 128 ? (char)ch : 'U';
	}
	buf[c->w] = '\0';
}

#define assert_row(c, y, text) do { \
		char got[64]; \
		row(c, y, got); \
		assert_string_equal(got, text); \
	} while (0)

static void
test_clip(void **unused)
{
	struct canvas c;
	struct rect all = { -10, -10, 100, 100 };

	(void)unused;
	assert_true(canvas_init(&c, 6, 2, true));
	assert_int_equal(canvas_text(&c, all, -2, 0, plain, "abcdefghijkl"), 12);
	assert_row(&c, 0, "cdefgh");
	canvas_text(&c, (struct rect){ 1, 1, 3, 1 }, 0, 1, plain, "abcdef");
	assert_row(&c, 1, " bcd  ");
	canvas_text(&c, all, 0, 5, plain, "below");
	canvas_text(&c, all, 0, -1, plain, "above");
	canvas_put(&c, 6, 0, plain, L'x');
	canvas_put(&c, -1, 0, plain, L'x');
	assert_row(&c, 0, "cdefgh");
	canvas_free(&c);
}

static void
test_wide(void **unused)
{
	struct canvas c;
	struct rect all = { 0, 0, 6, 2 };

	(void)unused;
	assert_true(canvas_init(&c, 6, 2, true));
	assert_int_equal(canvas_text(&c, all, 0, 0, plain, "a\xe6\xbc\xa2""b"), 4);
	assert_row(&c, 0, "aU_b  ");
	/* Over either half: the other does not stay behind. */
	canvas_put(&c, 2, 0, plain, L'x');
	assert_row(&c, 0, "a xb  ");
	canvas_text(&c, all, 1, 0, plain, "\xe6\xbc\xa2");
	canvas_put(&c, 1, 0, plain, L'y');
	assert_row(&c, 0, "ay b  ");
	/* A wide character that only half fits is left out. */
	canvas_text(&c, all, 5, 1, plain, "\xe6\xbc\xa2");
	assert_row(&c, 1, "      ");
	canvas_free(&c);
}

static void
test_bad_text(void **unused)
{
	struct canvas c;
	struct rect all = { 0, 0, 8, 1 };

	(void)unused;
	assert_true(canvas_init(&c, 8, 1, true));
	canvas_text(&c, all, 0, 0, plain, "a\xff\x1b[\xe6\xbc");
	assert_row(&c, 0, "a??[??  "); /* each byte that is no UTF-8 */
	canvas_clear(&c);
	/* a control of C1, a turn of direction, a separator, nothing to be seen */
	canvas_text(&c, all, 0, 0, plain, "a\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xe2\x80\x8b\xc2\xadz");
	assert_row(&c, 0, "a?????z ");
	canvas_free(&c);
	assert_true(canvas_init(&c, 8, 1, false));
	canvas_text(&c, all, 0, 0, plain, "\xc3\xa9\xe6\xbc\xa2x");
	assert_row(&c, 0, "?? x    ");
	canvas_free(&c);
	assert_true(canvas_init(&c, 0, 0, true));
	canvas_text(&c, all, 0, 0, plain, "x");
	canvas_free(&c);
}

static void
test_cut(void **unused)
{
	struct canvas c;
	struct rect all = { 0, 0, 8, 1 };

	(void)unused;
	assert_true(canvas_init(&c, 8, 1, false));
	canvas_text_cut(&c, all, 0, 0, 5, plain, "abcdefgh");
	assert_row(&c, 0, "abcd~   ");
	canvas_clear(&c);
	canvas_text_cut(&c, all, 0, 0, 5, plain, "abcde");
	assert_row(&c, 0, "abcde   ");
	canvas_free(&c);
}

static void
test_print(void **unused)
{
	const struct style group = { .role = ROLE_GROUP, .set = SET_ONE, .index = 1 };
	struct canvas c;
	char *text;
	FILE *f;

	(void)unused;
	assert_true(canvas_init(&c, 4, 2, true));
	canvas_put(&c, 0, 0, group, L'A');
	canvas_put(&c, 1, 1, plain, 0x2502);
	text = printed(&c, THEME_MONO);
	assert_string_equal(text, "A\n \xe2\x94\x82\n");
	free(text);
	text = printed(&c, THEME_256);
	assert_non_null(strstr(text, "48;5;58mA\033[0m\n"));
	free(text);
	f = fopen("/dev/full", "w");
	if (f != NULL) {
		assert_false(canvas_print(&c, f, THEME_MONO, PALETTE_DEFAULT));
		fclose(f);
	}
	canvas_free(&c);
}

/* In which look a cell is sent to a screen that shows something else, or (blank) nothing; NULL: not at all. */
static const struct looks_cell *
sent(const struct canvas *c, int x, int y, bool blank)
{
	static struct looks_cell cell[80];
	struct canvas was;
	int n;

	assert_true(canvas_init(&was, c->w, c->h, true));
	canvas_fill(&was, (struct rect){ 0, 0, c->w, c->h }, (struct style){ .role = ROLE_ERROR });
	n = looks_changed(c, blank ? NULL : &was, THEME_256, PALETTE_DARK, cell);
	canvas_free(&was);
	for (int i = 0; i < n; i++)
		if (cell[i].at == y * c->w + x)
			return &cell[i];
	return NULL;
}

/* Blanks in short gaps go with the word before them; the others have no look, and a blank screen has
 * them. */
static void
test_looks(void **unused)
{
	const struct style key = { .role = ROLE_KEY }, group = { .role = ROLE_GROUP };
	struct look word;
	struct canvas c;
	struct rect all;

	(void)unused;
	assert_true(canvas_init(&c, 40, 2, true));
	all = (struct rect){ 0, 0, c.w, c.h };
	canvas_text(&c, all, 2, 0, key, "ab");
	canvas_text(&c, all, 8, 0, (struct style){ .role = ROLE_TEXT }, "cd");
	canvas_text(&c, all, 10 + LOOKS_GAP + 1, 0, key, "e");
	canvas_text(&c, all, 0, 1, group, "x");
	canvas_text(&c, all, 3, 1, key, "\346\274\242");
	canvas_text(&c, all, 7, 1, key, "y");
	word = theme_look(key, THEME_256, PALETTE_DARK);
	for (int x = 0; x < c.w; x++) {
		const bool shown = (x >= 2 && x < 10) || x == 11 + LOOKS_GAP;
		const struct looks_cell *cell = sent(&c, x, 0, false);

		assert_int_equal(!cell->plain, shown);
		assert_int_equal(cell->look.fg == word.fg, (x >= 2 && x < 8) || x == 11 + LOOKS_GAP);
		assert_true(shown || cell->look.fg == -1);
		assert_int_equal(sent(&c, x, 0, true) != NULL, shown);
	}
	assert_true(sent(&c, 1, 1, false)->plain); /* not on a background */
	assert_false(sent(&c, 5, 1, true)->plain); /* after a wide one */
	assert_int_equal(sent(&c, 5, 1, true)->look.fg, word.fg);
	canvas_fill(&c, (struct rect){ 10, 1, 30, 1 }, group);
	canvas_fill(&c, (struct rect){ 36, 1, 2, 1 }, (struct style){ .role = ROLE_GROUP, .index = 1 });
	canvas_text(&c, all, 12, 1, group, "z");
	word = theme_look(group, THEME_256, PALETTE_DARK);
	for (int x = 10; x < c.w; x++) { /* on a background: without letters in a run without ink */
		const struct look look = sent(&c, x, 1, true)->look;

		assert_int_equal(look.bg == word.bg, x < 36 || x >= 38);
		assert_int_equal(look.fg, x < 36 ? word.fg : -1);
	}
	/* alone between two backgrounds a blank may be painted over them */
	canvas_fill(&c, (struct rect){ 20, 1, 1, 1 }, (struct style){ .role = ROLE_TEXT });
	assert_non_null(sent(&c, 20, 1, true));
	canvas_free(&c);
}

/* How much a terminal gets for the runs of cells in the order of their turns. */
static int
changes_of(const struct looks_cell *cell, int n, int turns)
{
	int changes = 0, bg = -1;

	for (int turn = 0; turn <= turns; turn++)
		for (int i = 0; i < n; i++)
			if (cell[i].turn == turn && cell[i].look.bg >= 0 && cell[i].look.bg != bg) {
				bg = cell[i].look.bg;
				changes++;
			}
	return changes;
}

/* Sixteen colours over and over are sent one after another; two in turn are not, nor what is small. Where
 * a row of the first turn has others on it, it is painted as one. */
static void
test_turns(void **unused)
{
	static struct looks_cell cell[40 * 20];
	struct canvas c;
	int n, turns;

	(void)unused;
	assert_true(canvas_init(&c, 40, 20, true));
	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 40; x++)
			canvas_put(&c, x, y, (struct style){ .role = ROLE_GROUP, .index = (uint8_t)(x / 2 % 16) }, L' ');
	n = looks_changed(&c, NULL, THEME_256, PALETTE_DARK, cell);
	assert_int_equal(n, 40 * 20);
	turns = looks_turns(cell, n, c.w);
	assert_int_equal(turns, 16);
	assert_int_equal(changes_of(cell, n, turns), 16);
	n = looks_changed(&c, &c, THEME_256, PALETTE_DARK, cell);
	assert_int_equal(n, 0);
	/* every other cell is of one colour, and so is what is under those between */
	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 40; x += 2)
			canvas_put(&c, x, y, (struct style){ .role = ROLE_GROUP, .index = 20 }, L' ');
	n = looks_changed(&c, NULL, THEME_256, PALETTE_DARK, cell);
	assert_int_equal(looks_turns(cell, n, c.w), 16);
	for (int i = 0; i < n; i++)
		assert_int_equal(cell[i].under.bg, cell[0].look.bg);
	/* two colours: row by row; a blank between two runs keeps its pair, many are cut out of them */
	for (int rows = 4; rows <= 20; rows += 16) {
		for (int y = 0; y < 20; y++)
			for (int x = 0; x < 40; x++)
				canvas_put(&c, x, y, x == 20 && y < rows ? (struct style){ .role = ROLE_TEXT } :
				    (struct style){ .role = ROLE_GROUP, .index = (uint8_t)(x / 2 % 2) }, L' ');
		n = looks_changed(&c, NULL, THEME_256, PALETTE_DARK, cell);
		assert_int_equal(looks_turns(cell, n, c.w), rows == 20);
		assert_int_equal(cell[20].plain, rows == 20);
		assert_int_equal(cell[20].look.bg, -1);
		assert_int_equal(cell[20].under.bg, rows == 20 ? cell[19].look.bg : -1);
	}
	canvas_free(&c);
}

/* Sparse colours between cells of a dense one, as the second kind of a map stands beside the first: those
 * of a turn are apart, so that nothing between them is sent again, and the dense ones are sent in a row. */
static void
test_turns_between(void **unused)
{
	static struct looks_cell cell[80 * 20];
	int n, turns, last[256] = { 0 };
	struct canvas c;

	(void)unused;
	assert_true(canvas_init(&c, 80, 20, true));
	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 80; x++)
			canvas_put(&c, x, y, (struct style){ .role = ROLE_GROUP,
				.index = (uint8_t)(x % 2 == 0 ? (x / 16 + y) % 8 : 8 + y / 10) }, L' ');
	n = looks_changed(&c, NULL, THEME_256, PALETTE_DARK, cell);
	turns = looks_turns(cell, n, c.w);
	assert_int_equal(turns, 8 * 4);
	assert_int_equal(changes_of(cell, n, turns), 2 + 8);
	for (int i = 0; i < n; i++) {
		if (cell[i].at % 2 != 0)
			assert_int_equal(cell[i].turn, 0);
		else if (cell[i].at % 80 > 0)
			assert_int_equal(cell[i].under.bg, cell[i - 1].under.bg);
		if (cell[i].turn > 0 && last[cell[i].turn] / 80 == cell[i].at / 80 && cell[i].at % 80 > 16)
			assert_true(cell[i].at - last[cell[i].turn] > 6);
		last[cell[i].turn] = cell[i].at;
	}
	canvas_free(&c);
}

/* The part of a list that is shown, beside the title; nothing where all of it is. */
static void
test_frame_part(void **unused)
{
	static const struct {
		int w;
		struct part part;
		const char *text;
	} cases[] = {
		{ 32, { 0, 4, 16 }, "+ stages ---------- 1-4 of 16 -+" },
		{ 32, { 14, 4, 16 }, " 15-16 of 16 -+" },
		{ 32, { 0, 16, 16 }, "+ stages ----------------------+" },
		{ 32, { 0, 0, 16 }, "+ stages ----------------------+" },
		{ 20, { 0, 4, 16 }, "+ stages ----------+" },
	};

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int w = cases[i].w;
		const struct style style = { .role = ROLE_FRAME };
		struct canvas c;
		char text[64] = "";

		assert_true(canvas_init(&c, w, 3, false));
		canvas_frame(&c, (struct rect){ 0, 0, w, 3 }, style, style, style, "stages");
		canvas_frame_part(&c, (struct rect){ 0, 0, w, 3 }, style, "stages", cases[i].part);
		for (int x = 0; x < w; x++)
			text_add(text, sizeof text, "%c", (char)c.cell[x].ch);
		assert_non_null(strstr(text, cases[i].text));
		canvas_free(&c);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clip), cmocka_unit_test(test_wide),
		cmocka_unit_test(test_bad_text), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_print), cmocka_unit_test(test_looks),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_turns_between),
		cmocka_unit_test(test_frame_part),
	};

	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
