#include "support.h"

static const enum theme_colors depths[] = { THEME_MONO, THEME_8, THEME_16, THEME_256 };

static bool
same(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.dim == b.dim &&
	    a.underline == b.underline && a.reverse == b.reverse;
}

/* No terminal is asked for colours that it does not have. */
static void
test_ranges(void **unused)
{
	static const int most[] = { 0, 8, 16, 256 };

	(void)unused;
	for (size_t d = 0; d < COUNT(depths); d++)
		for (uint8_t role = 0; role < ROLE_COUNT; role++)
			for (uint8_t set = 0; set < SET_COUNT; set++)
				for (uint8_t index = 0; index < 16; index++) {
					struct style style = { role, set, index, 0 };
					struct look look = theme_look(style, depths[d], PALETTE_DEFAULT);

					assert_true(look.fg >= -1 && look.fg < most[d]);
					assert_true(look.bg >= -1 && look.bg < most[d]);
					/* The terminal's own background, but for groups. */
					assert_true(role == ROLE_GROUP || look.bg == -1);
				}
}

/* The colours of a set differ, and letters can be read on them. */
static void
test_sets(void **unused)
{
	(void)unused;
	for (size_t d = 1; d < COUNT(depths); d++)
		for (uint8_t set = 0; set < SET_COUNT; set++) {
			int n = theme_set_size((enum theme_set)set, depths[d]);

			assert_true(n >= 4);
			for (uint8_t i = 0; i < n; i++) {
				struct look a = theme_look((struct style){ ROLE_GROUP, set, i, 0 }, depths[d],
				    PALETTE_DEFAULT);

				assert_int_not_equal(a.fg, a.bg);
				for (uint8_t j = 0; j < i; j++)
					assert_int_not_equal(a.bg, theme_look((struct style){ ROLE_GROUP, set, j, 0 },
					    depths[d], PALETTE_DEFAULT).bg);
			}
		}
}

/* Several dimensions at once: no colour in two sets. */
static void
test_spaces(void **unused)
{
	bool used[256] = { false };

	(void)unused;
	for (int space = 0; space < 4; space++) {
		enum theme_set set = theme_set_for(4, space, 100);

		for (uint8_t i = 0; i < theme_set_size(set, THEME_256); i++) {
			int bg = theme_look((struct style){ ROLE_GROUP, (uint8_t)set, i, 0 }, THEME_256,
			    PALETTE_DEFAULT).bg;

			assert_false(used[bg]);
			used[bg] = true;
		}
	}
	assert_int_equal(theme_set_for(1, 0, 4), SET_FOUR);
	assert_int_equal(theme_set_for(1, 0, 6), SET_SIX);
	assert_int_equal(theme_set_for(1, 0, 8), SET_EIGHT);
}

/* Cursor, peers and the others differ without any colour too. */
static void
test_flags(void **unused)
{
	(void)unused;
	for (size_t d = 0; d < COUNT(depths); d++) {
		struct style style = { ROLE_GROUP, SET_SIX, 1, 0 };
		struct look cursor, peer, faded;

		style.flags = STYLE_CURSOR;
		cursor = theme_look(style, depths[d], PALETTE_DEFAULT);
		style.flags = STYLE_PEER;
		peer = theme_look(style, depths[d], PALETTE_DEFAULT);
		style.flags = STYLE_FADED;
		faded = theme_look(style, depths[d], PALETTE_DEFAULT);
		assert_false(same(cursor, peer));
		assert_false(same(cursor, faded));
		assert_false(same(peer, faded));
	}
	assert_true(theme_look((struct style){ .role = ROLE_SELECTED }, THEME_MONO,
	    PALETTE_DEFAULT).reverse);
}

/* Parts of the memory bars differ in colour where there are enough colours (and in their
 * glyphs everywhere). */
static void
test_parts(void **unused)
{
	(void)unused;
	for (uint8_t a = ROLE_PARAMETERS; a <= ROLE_OVERHEAD; a++)
		for (uint8_t b = ROLE_PARAMETERS; b < a; b++)
			for (int d = THEME_16; d <= THEME_256; d++)
				assert_int_not_equal(theme_look((struct style){ .role = a },
				    (enum theme_colors)d, PALETTE_DEFAULT).fg,
				    theme_look((struct style){ .role = b }, (enum theme_colors)d,
				    PALETTE_DEFAULT).fg);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_sets),
		cmocka_unit_test(test_spaces), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
