#include <math.h>

#include "support.h"

static const enum theme_colors depths[] = { THEME_MONO, THEME_8, THEME_16, THEME_256, THEME_DIRECT };

static bool
same(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.dim == b.dim &&
	    a.underline == b.underline && a.reverse == b.reverse;
}

/* No terminal is asked for colours that it does not have, whatever the palette. */
TEST(test_ranges)
{
	static const int most[] = { 0, 8, 16, 256, THEME_NUMBERS };

	for (int p = 0; p < PALETTE_COUNT; p++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (uint8_t role = 0; role < ROLE_COUNT; role++)
				for (uint8_t set = 0; set < SET_COUNT; set++)
					for (uint8_t index = 0; index < 16; index++) {
						struct style style = { .role = role, .set = set, .index = index };
						struct look look = theme_look(style, depths[d], (enum theme_palette)p);
						int limit = most[theme_depth((enum theme_palette)p, depths[d])];

						assert_true(look.fg >= -1 && look.fg < limit);
						assert_true(look.bg >= -1 && look.bg < limit);
						/* The terminal's own background, but for groups. */
						assert_true(role == ROLE_GROUP || look.bg == -1);
					}
}

static struct look
group(int set, int index, enum theme_colors colors, enum theme_palette palette)
{
	return theme_look((struct style){ .role = ROLE_GROUP, .set = (uint8_t)set,
	    .index = (uint8_t)index }, colors, palette);
}

/* The colours of a set differ. */
TEST(test_sets)
{
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (size_t d = 1; d < COUNT(depths); d++)
			for (int set = 0; set < SET_COUNT; set++) {
				int n = theme_set_size((enum theme_set)set, depths[d]);

				assert_true(n >= 4);
				for (int i = 0; i < n; i++) {
					struct look a = group(set, i, depths[d], (enum theme_palette)p);

					assert_int_not_equal(a.fg, a.bg);
					for (int j = 0; j < i; j++)
						assert_int_not_equal(a.bg,
						    group(set, j, depths[d], (enum theme_palette)p).bg);
				}
			}
}

/* Several dimensions at once: no colour in two sets. */
TEST(test_spaces)
{
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++) {
		bool used[256] = { false };

		for (int space = 0; space < 4; space++) {
			enum theme_set set = theme_set_for(4, space);

			for (int i = 0; i < theme_set_size(set, THEME_256); i++) {
				int bg = group((int)set, i, THEME_256, (enum theme_palette)p).bg;

				assert_false(used[bg]);
				used[bg] = true;
			}
		}
	}
	assert_int_equal(theme_set_for(1, 0), SET_ONE);
	assert_int_equal(theme_set_size(SET_ONE, THEME_256), 16);
	for (int set = SET_BLUE; set <= SET_GREEN; set++)
		assert_int_equal(theme_set_size((enum theme_set)set, THEME_256), 8);
}

/* Cursor, peers and the others differ without any colour too. */
TEST(test_flags)
{
	for (size_t d = 0; d < COUNT(depths); d++) {
		struct style style = { .role = ROLE_GROUP, .set = SET_ONE, .index = 1 };
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

/* Each palette has a name that leads to it; "auto" asks for the background. */
TEST(test_names)
{
	const size_t row = settings_find("palette");
	char name[SETTINGS_TEXT_SIZE];
	unsigned found = 0;

	/* What the settings offer is what there is. */
	assert_true(settings_choice(row, 0, name, sizeof name));
	assert_string_equal(name, "auto");
	for (size_t i = 0; i < PALETTE_COUNT; i++) {
		assert_true(settings_choice(row, i + 1, name, sizeof name));
		assert_int_not_equal(theme_palette_find(name), PALETTE_COUNT);
		assert_int_equal(theme_palette_for(name, "0;15"), theme_palette_find(name));
		found |= 1U << theme_palette_find(name);
	}
	assert_int_equal(found, (1U << PALETTE_COUNT) - 1);
	assert_false(settings_choice(row, PALETTE_COUNT + 1, name, sizeof name));
	assert_int_equal(theme_palette_find("auto"), PALETTE_COUNT);
	assert_int_equal(theme_palette_find("pink"), PALETTE_COUNT);
	assert_int_equal(theme_palette_for("auto", NULL), PALETTE_DARK);
	assert_int_equal(theme_palette_for("auto", ""), PALETTE_DARK);
	assert_int_equal(theme_palette_for("auto", "15;0"), PALETTE_DARK);
	assert_int_equal(theme_palette_for("auto", "15;8"), PALETTE_DARK);
	assert_int_equal(theme_palette_for("auto", "0;15"), PALETTE_LIGHT);
	assert_int_equal(theme_palette_for("auto", "0;default;15"), PALETTE_LIGHT);
	assert_int_equal(theme_palette_for("auto", "0;7"), PALETTE_LIGHT);
	assert_int_equal(theme_palette_for("auto", "0;default"), PALETTE_DARK);
	assert_int_equal(theme_palette_for("auto", "0;99"), PALETTE_DARK);
	assert_int_equal(theme_depth(PALETTE_16, THEME_256), THEME_16);
	assert_int_equal(theme_depth(PALETTE_16, THEME_8), THEME_8);
	assert_int_equal(theme_depth(PALETTE_MONO, THEME_256), THEME_MONO);
	assert_int_equal(theme_depth(PALETTE_SAFE, THEME_256), THEME_256);
}

/* A colour as linear light, 0 to 1, of red, green and blue. */
static void
light_of(int color, double out[3])
{
	const uint32_t rgb = theme_rgb(color);

	for (int i = 0; i < 3; i++) {
		double v = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;

		out[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
	}
}

/* Contrast after WCAG 2.1: 1 to 21. */
static double
contrast(int a, int b)
{
	double x[3], y[3], la, lb;

	light_of(a, x);
	light_of(b, y);
	la = 0.2126 * x[0] + 0.7152 * x[1] + 0.0722 * x[2] + 0.05;
	lb = 0.2126 * y[0] + 0.7152 * y[1] + 0.0722 * y[2] + 0.05;
	return la > lb ? la / lb : lb / la;
}

static double
lab_curve(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE L*a*b* (D65) of a colour as eyes of a kind see it: 0 normal, 1 protanope, 2
 * deuteranope, 3 tritanope, simulated after Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency", 2009. */
static void
lab_of(int color, int eyes, double out[3])
{
	static const double sight[4][3][3] = {
		{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
		    { -0.003882, -0.048116, 1.051998 } },
		{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
		    { -0.011820, 0.042940, 0.968881 } },
		{ { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 },
		    { 0.004733, 0.691367, 0.303900 } },
	};
	static const double xyz[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
		{ 0.2126729, 0.7151522, 0.0721750 }, { 0.0193339, 0.1191920, 0.9503041 } };
	static const double white[3] = { 0.95047, 1, 1.08883 };
	double light[3], seen[3], f[3];

	light_of(color, light);
	for (int i = 0; i < 3; i++) {
		seen[i] = 0;
		for (int k = 0; k < 3; k++)
			seen[i] += sight[eyes][i][k] * light[k];
		seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
	}
	for (int i = 0; i < 3; i++) {
		double v = 0;

		for (int k = 0; k < 3; k++)
			v += xyz[i][k] * seen[k];
		f[i] = lab_curve(v / white[i]);
	}
	out[0] = 116 * f[1] - 16;
	out[1] = 500 * (f[0] - f[1]);
	out[2] = 200 * (f[1] - f[2]);
}

/* CIE76 distance, the least over all kinds of eyes. */
static double
distance(int a, int b)
{
	double least = 1000;

	for (int eyes = 0; eyes < 4; eyes++) {
		double x[3], y[3], d;

		lab_of(a, eyes, x);
		lab_of(b, eyes, y);
		d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
		    (x[2] - y[2]) * (x[2] - y[2]));
		least = d < least ? d : least;
	}
	return least;
}

static void
at_least(double value, double floor, const char *what, int a, int b, int palette)
{
	if (value < floor)
		fail_msg("%s of %d and %d in palette %d is %.1f, less than %.1f", what, a, b,
		    palette, value, floor);
}

/* The numbers are right: values that other programs give. */
TEST(test_measure)
{
	assert_float_equal(contrast(16, 231), 21, 0.001);
	assert_float_equal(contrast(244, 231), 3.95, 0.01);
	assert_float_equal(distance(16, 231), 100, 0.1);
	assert_int_equal(theme_rgb(208), 0xff8700);
	assert_int_equal(theme_rgb(255), 0xeeeeee);
}

/* Groups can be told apart by everybody, and letters be read on their colours. */
TEST(test_groups)
{
	static const double floor[SET_COUNT] = { 14, 17, 12, 21, 14 };

	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (int d = THEME_8; d <= THEME_256; d++)
			for (int set = 0; set <= SET_GREEN; set++) {
				int n = theme_set_size((enum theme_set)set, (enum theme_colors)d);
				double least = d == THEME_8 ? 34 : d == THEME_16 ? 24 : floor[set];

				for (int i = 0; i < n; i++) {
					struct look a = group(set, i, (enum theme_colors)d, (enum theme_palette)p);

					at_least(contrast(a.fg, a.bg), d == THEME_256 ? 4.5 : 3, "contrast", a.fg,
					    a.bg, p);
					for (int j = 0; j < i; j++)
						at_least(distance(a.bg, group(set, j, (enum theme_colors)d,
						    (enum theme_palette)p).bg), least, "distance", i, j, p);
				}
			}
}

/* The first colours of the large set are the furthest apart: few groups use no others. */
TEST(test_first)
{
	static const struct {
		int count;
		double floor[PALETTE_SAFE + 1];
	} part[] = { { 4, { 43, 43, 44 } }, { 8, { 26, 27, 35 } }, { 16, { 14, 14, 16 } } };

	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (size_t k = 0; k < COUNT(part); k++)
			for (int i = 0; i < part[k].count; i++)
				for (int j = 0; j < i; j++)
					at_least(distance(group(SET_ONE, i, THEME_256, (enum theme_palette)p).bg,
					    group(SET_ONE, j, THEME_256, (enum theme_palette)p).bg), part[k].floor[p],
					    "distance", i, j, p);
}

/* Red to the eye: by hue angle and strength of CIE L*a*b*. */
static bool
is_red(int color)
{
	double lab[3], hue;

	lab_of(color, 0, lab);
	hue = atan2(lab[2], lab[1]) * 180 / 3.14159265358979;
	return hypot(lab[1], lab[2]) > 45 && hue > -15 && hue < 52;
}

/* Red means wrong and nothing else. */
TEST(test_red)
{
	assert_true(is_red(160) && is_red(1) && is_red(9) && is_red(161) && !is_red(208) && !is_red(5));
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (size_t d = 1; d < COUNT(depths); d++) {
			for (int set = 0; set < SET_COUNT; set++)
				for (int i = 0; i < theme_set_size((enum theme_set)set, depths[d]); i++)
					assert_int_equal(is_red(group(set, i, depths[d], (enum theme_palette)p).bg),
					    set == SET_HEAT && i == theme_set_size(SET_HEAT, depths[d]) - 1);
			for (uint8_t role = 0; role < ROLE_GROUP; role++) {
				const int fg = theme_look((struct style){ .role = role }, depths[d],
				    (enum theme_palette)p).fg;

				assert_int_equal(fg >= 0 && is_red(fg), role == ROLE_ERROR || role == ROLE_OVER);
			}
		}
}

/* What is not in focus is less bright, and still there. */
TEST(test_faded)
{
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (int set = 0; set <= SET_GREEN; set++)
			for (int i = 0; i < theme_set_size((enum theme_set)set, THEME_256); i++) {
				const struct look full = group(set, i, THEME_256, (enum theme_palette)p);
				const struct look faded = theme_look((struct style){ .role = ROLE_GROUP,
				    .set = (uint8_t)set, .index = (uint8_t)i, .flags = STYLE_FADED }, THEME_256,
				    (enum theme_palette)p);
				const int background = p == PALETTE_LIGHT ? 231 : 16;

				assert_true(faded.bg >= 16);
				assert_true(contrast(faded.bg, background) <= contrast(full.bg, background));
				assert_int_not_equal(faded.bg, background);
				at_least(contrast(faded.fg, faded.bg), 3, "contrast", faded.fg, faded.bg, p);
			}
}

/* Amounts: each is unlike the next, and too much unlike all others. Links: all differ. */
TEST(test_scales)
{
	const int heats = theme_set_size(SET_HEAT, THEME_256);
	const int links = theme_set_size(SET_LINK, THEME_256);

	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++) {
		const enum theme_palette palette = (enum theme_palette)p;
		const int over = group(SET_HEAT, heats - 1, THEME_256, palette).bg;

		for (int i = 0; i < heats; i++) {
			struct look a = group(SET_HEAT, i, THEME_256, palette);

			at_least(contrast(a.fg, a.bg), 4.5, "contrast", a.fg, a.bg, p);
			/* More is brighter on a dark background, and darker on a white one. */
			if (i + 2 < heats) {
				const int next = group(SET_HEAT, i + 1, THEME_256, palette).bg;

				assert_true((contrast(next, 16) > contrast(a.bg, 16)) == (p != PALETTE_LIGHT));
			}
			if (i + 1 < heats) {
				at_least(distance(a.bg, group(SET_HEAT, i + 1, THEME_256, palette).bg), 14,
				    "distance", i, i + 1, p);
				at_least(distance(a.bg, over), 30, "distance", i, heats - 1, p);
			}
		}
		for (int i = 0; i < links; i++)
			for (int j = 0; j < i; j++)
				at_least(distance(group(SET_LINK, i, THEME_256, palette).bg,
				    group(SET_LINK, j, THEME_256, palette).bg), 37, "distance", i, j, p);
	}
}

/* Against the background, and on a terminal with few colours as xterm shows them. */
TEST(test_roles)
{
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (int d = THEME_8; d <= THEME_256; d++)
			for (uint8_t role = 0; role < ROLE_GROUP; role++) {
				const struct look look = theme_look((struct style){ .role = role },
				    (enum theme_colors)d, (enum theme_palette)p);
				const int background = p == PALETTE_LIGHT ? 231 : 16;
				const bool part = role >= ROLE_PARAMETERS && role <= ROLE_OVERHEAD;

				if (look.fg < 0)
					continue;
				/* Parts of bars are areas, and differ by their glyph; dim text is no less
				 * important to read, only less to notice. */
				at_least(contrast(look.fg, background), !part ? 3 : d == THEME_256 ? 2.5 : 1.7,
				    "contrast of role", role, background, p);
				if (part && d == THEME_256) { /* amounts stand on it */
					const struct look on = theme_look((struct style){ .role = role,
					    .flags = STYLE_CURSOR }, THEME_256, (enum theme_palette)p);

					at_least(contrast(on.fg, on.bg), 4.4, "contrast on role", on.fg, on.bg, p);
				}
			}
}

/* Parts of the memory bars differ, and so do good, warning and error. */
TEST(test_parts)
{
	static const double floor[PALETTE_SAFE + 1] = { 24, 28, 29 };
	static const double floor_status[PALETTE_SAFE + 1] = { 27, 34, 60 };

	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++) {
		int fg[ROLE_COUNT];

		for (int d = THEME_16; d <= THEME_256; d++) {
			for (uint8_t a = 0; a < ROLE_GROUP; a++)
				fg[a] = theme_look((struct style){ .role = a }, (enum theme_colors)d,
				    (enum theme_palette)p).fg;
			for (uint8_t a = ROLE_PARAMETERS; a <= ROLE_OVERHEAD; a++)
				for (uint8_t b = ROLE_PARAMETERS; b < a; b++) {
					assert_int_not_equal(fg[a], fg[b]);
					/* Two of one hue are taken for one; no bar has both of the one pair that is. */
					if (d == THEME_16 && (a != ROLE_KV_CACHE || b != ROLE_OPTIMIZER))
						assert_int_not_equal(fg[a] & 7, fg[b] & 7);
					if (d == THEME_256)
						at_least(distance(fg[a], fg[b]), floor[p], "distance", a, b, p);
				}
		}
		for (uint8_t a = ROLE_GOOD; a <= ROLE_ERROR; a++)
			for (uint8_t b = ROLE_GOOD; b < a; b++)
				at_least(distance(fg[a], fg[b]), floor_status[p], "distance", a, b, p);
	}
}

/* Where any red, green and blue may be asked for, hundreds of groups have a colour each, faded ones too,
 * on which letters can be read; the first ones are those of the palette. */
TEST(test_direct)
{
	const int n = theme_set_most(SET_ONE, THEME_DIRECT);

	assert_int_equal(n, theme_set_most(SET_ONE, THEME_256) + THEME_MADE);
	assert_true(n < INK_OWN);
	for (int p = PALETTE_DARK; p <= PALETTE_SAFE; p++)
		for (int i = 0; i < n; i++) {
			const struct look look = group(SET_ONE, i, THEME_DIRECT, (enum theme_palette)p);
			const struct look faded = theme_look((struct style){ .role = ROLE_GROUP, .index = (uint8_t)i,
			    .flags = STYLE_FADED }, THEME_DIRECT, (enum theme_palette)p);

			assert_true(look.bg < THEME_NUMBERS && faded.bg < THEME_NUMBERS);
			at_least(contrast(look.fg, look.bg), 4.5, "contrast", look.fg, look.bg, p);
			if (i < theme_set_most(SET_ONE, THEME_256))
				assert_int_equal(look.bg, group(SET_ONE, i, THEME_256, (enum theme_palette)p).bg);
			else
				at_least(contrast(faded.fg, faded.bg), 3, "contrast", i, faded.bg, p);
			for (int j = 0; j < i; j++)
				assert_true(theme_rgb(look.bg) != theme_rgb(group(SET_ONE, j, THEME_DIRECT,
				    (enum theme_palette)p).bg));
		}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
