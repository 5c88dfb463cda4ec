#include <locale.h>

#include "support.h"

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

TEST(test_clip)
{
	struct canvas c;
	struct rect all = { -10, -10, 100, 100 };

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

TEST(test_wide)
{
	struct canvas c;
	struct rect all = { 0, 0, 6, 2 };

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

TEST(test_bad_text)
{
	struct canvas c;
	struct rect all = { 0, 0, 8, 1 };

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

TEST(test_cut)
{
	struct canvas c;
	struct rect all = { 0, 0, 8, 1 };

	assert_true(canvas_init(&c, 8, 1, false));
	canvas_text_cut(&c, all, 0, 0, 5, plain, "abcdefgh");
	assert_row(&c, 0, "abcd~   ");
	canvas_clear(&c);
	canvas_text_cut(&c, all, 0, 0, 5, plain, "abcde");
	assert_row(&c, 0, "abcde   ");
	canvas_free(&c);
}

TEST(test_print)
{
	const struct style group = { .role = ROLE_GROUP, .set = SET_ONE, .index = 1 };
	struct canvas c;
	char *text;
	FILE *f;

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

/* The part of a list that is shown, beside the title; nothing where all of it is. */
TEST(test_frame_part)
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
	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return 77;
	return unit_run(NULL, NULL);
}
