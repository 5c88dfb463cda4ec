#include "ui/screen/theme.h"

#include "core/base/text.h"

enum { SET_MAX = 16 };

struct color_set {
	int count;
	uint8_t color[SET_MAX];
};

/*
 * Numbers of the 256-colour palette, whose values users rarely change. Each set is as far
 * apart as was found without red (CIE76, the least of normal sight and of the three colour
 * blindnesses after Machado, Oliveira and Fernandes 2009) under its palette's limits; of the
 * large one its first 4 and 8 as well. Neighbours in a row differ much, since neighbouring
 * groups often take neighbouring indices. What a palette leaves out is as in DARK; each set
 * has as many colours as there.
 */
static const struct color_set set_256[PALETTE_SAFE + 1][SET_COUNT] = {
	[PALETTE_DARK] = {
		[SET_ONE] = { 16, { 171, 58, 186, 80, 172, 23, 91, 108, 27, 143, 65, 148, 104, 37, 147,
		    60 } },
		[SET_BLUE] = { 8, { 69, 21, 37, 104, 159, 25, 45, 60 } },
		[SET_ORANGE] = { 8, { 215, 100, 223, 137, 226, 142, 58, 180 } },
		[SET_PURPLE] = { 8, { 135, 89, 183, 132, 55, 218, 163, 57 } },
		[SET_GREEN] = { 8, { 40, 108, 22, 49, 190, 64, 156, 29 } },
		/* Lightness alone tells these apart, and rises; on white it falls. */
		[SET_HEAT] = { 7, { 91, 60, 32, 35, 119, 226, 160 } },
		[SET_LINK] = { 5, { 255, 39, 21, 90, 208 } },
	},
	[PALETTE_LIGHT] = {
		[SET_ONE] = { 16, { 55, 89, 22, 147, 135, 142, 35, 175, 17, 68, 181, 25, 41, 90, 28,
		    132 } },
		[SET_BLUE] = { 8, { 63, 45, 31, 20, 141, 23, 109, 17 } },
		[SET_ORANGE] = { 8, { 214, 144, 179, 58, 186, 137, 221, 100 } },
		[SET_PURPLE] = { 8, { 135, 53, 183, 132, 55, 218, 163, 57 } },
		[SET_GREEN] = { 8, { 40, 28, 149, 65, 114, 22, 34, 108 } },
		[SET_HEAT] = { 7, { 192, 148, 42, 36, 26, 20, 160 } },
	},
	[PALETTE_SAFE] = {
		[SET_ONE] = { 16, { 28, 223, 54, 46, 171, 102, 57, 153, 128, 107, 38, 61, 22, 188, 142,
		    89 } },
	},
};

/* More of them, for maps with so many groups that the first would come again: as many as are left of
 * a family's hues, those after one another far apart. */
enum { MORE_ONE = 48, MORE_FAMILY = 24 };
static const uint8_t more_one[PALETTE_SAFE + 1][MORE_ONE] = {
	[PALETTE_DARK] = {
		48, 197, 21, 174, 28, 89, 82, 199, 231, 202, 212, 220, 50, 129, 156, 39, 19, 153, 98,
		102, 33, 201, 225, 31, 71, 132, 158, 137, 42, 223, 227, 204, 221, 25, 142, 36, 64, 154,
		215, 177, 119, 133, 198, 45, 22, 152, 70, 95
	},
	[PALETTE_LIGHT] = {
		51, 202, 16, 197, 154, 30, 21, 193, 200, 215, 117, 94, 46, 101, 226, 213, 231, 205, 129,
		62, 214, 107, 60, 115, 95, 85, 225, 191, 187, 97, 221, 31, 219, 159, 29, 119, 109, 113,
		27, 220, 173, 64, 33, 198, 39, 204, 146, 86
	},
	[PALETTE_SAFE] = {
		50, 202, 219, 94, 27, 197, 48, 199, 190, 131, 214, 24, 192, 19, 29, 211, 123, 141, 215,
		33, 137, 133, 194, 75, 76, 139, 78, 23, 225, 221, 201, 229, 213, 227, 37, 220, 64, 155,
		198, 144, 205, 70, 115, 62, 58, 113, 208, 49
	},
};
static const uint8_t more_256[2][4][MORE_FAMILY] = { /* dark, light; from SET_BLUE on */
	{
		{
			19, 189, 23, 63, 39, 51, 31, 20, 109, 111, 62, 110, 24, 117, 103, 30, 32, 66, 61, 80,
			38, 152, 146, 195
		},
		{
			202, 228, 130, 143, 214, 222, 220, 208, 94, 230, 136, 229, 173, 221, 101, 178, 166,
			184, 172, 227, 144, 216, 186, 179
		},
		{
			197, 201, 97, 205, 141, 128, 198, 213, 90, 207, 139, 129, 211, 225, 212, 125, 56, 53,
			161, 200, 134, 162, 127, 199
		},
		{
			194, 41, 122, 112, 35, 191, 28, 150, 118, 106, 46, 34, 149, 47, 43, 119, 157, 148,
			115, 70, 78, 65, 48, 71
		},
	},
	{
		{
			111, 51, 25, 195, 60, 33, 189, 37, 62, 110, 18, 39, 19, 21, 104, 116, 24, 117, 103,
			30, 32, 66, 61, 123
		},
		{
			202, 190, 130, 230, 227, 216, 220, 208, 94, 142, 223, 136, 166, 178, 228, 172, 184,
			215, 226, 101, 173, 143, 229, 180
		},
		{
			197, 201, 125, 213, 198, 97, 128, 169, 54, 207, 98, 139, 129, 211, 225, 56, 176, 89,
			161, 126, 200, 162, 127, 205
		},
		{
			154, 50, 64, 48, 194, 35, 148, 36, 119, 193, 49, 46, 77, 115, 106, 47, 156, 107, 191,
			121, 29, 122, 112, 42
		},
	},
};

/* On dark and on white backgrounds. */
static const uint8_t set_16[2][6] = { { 4, 2, 14, 11, 5, 8 }, { 4, 14, 3, 5, 8, 0 } };
static const uint8_t set_8[2][4] = { { 4, 2, 7, 5 }, { 4, 3, 6, 0 } };

/* Heat and links have an order, so that each has its own colours: with 16 and with 8. */
static const uint8_t heat_few[2][7] = { { 4, 5, 12, 6, 10, 11, 9 }, { 4, 5, 2, 6, 3, 7, 1 } };
static const uint8_t link_few[2][5] = { { 7, 14, 12, 5, 3 }, { 7, 6, 4, 5, 3 } };

static const char *const palette_names[PALETTE_COUNT] = {
	[PALETTE_DARK] = "dark", [PALETTE_LIGHT] = "light", [PALETTE_SAFE] = "safe",
	[PALETTE_16] = "16", [PALETTE_8] = "8", [PALETTE_MONO] = "mono",
};

enum theme_palette
theme_palette_find(const char *name)
{
	enum theme_palette i = PALETTE_DARK;

	while (i < PALETTE_COUNT && !text_equal(palette_names[i], name))
		i++;
	return i;
}

enum theme_palette
theme_palette_for(const char *wish, const char *colorfgbg)
{
	enum theme_palette palette = theme_palette_find(wish);
	const char *background = colorfgbg;
	int64_t color;

	if (palette != PALETTE_COUNT)
		return palette;
	for (const char *at = colorfgbg; at != NULL && *at != '\0'; at++)
		if (*at == ';')
			background = at + 1; /* some put a third value between the two */
	/* Of the first 16 colours, white and all bright ones but grey are light. */
	if (background != NULL && text_to_int(background, &color) &&
	    (color == 7 || (color > 8 && color < 16)))
		return PALETTE_LIGHT;
	return PALETTE_DARK;
}

enum theme_colors
theme_depth(enum theme_palette palette, enum theme_colors has)
{
	enum theme_colors most = THEME_DIRECT;

	if (palette == PALETTE_16)
		most = THEME_16;
	else if (palette == PALETTE_8)
		most = THEME_8;
	else if (palette == PALETTE_MONO)
		most = THEME_MONO;
	return has < most ? has : most;
}

/*
 * Hues by the golden angle, so that those after one another are far apart, without the sixth around
 * red, which means wrong; each in one of six levels of lightness and fullness.
 */
static uint32_t
made_rgb(int i)
{
	static const uint8_t level[6][2] = { { 245, 10 }, { 150, 10 }, { 235, 120 }, { 200, 50 }, { 105, 5 },
		{ 190, 105 } };
	const int hue = 30 + i * 137 % 300, high = level[i % 6][0], low = level[i % 6][1];
	const int between = low + (high - low) * (hue % 120 < 60 ? hue % 60 : 60 - hue % 60) / 60;
	const int rgb[3][3] = { { high, between, low }, { between, high, low }, { low, high, between } };
	const int other[3][3] = { { low, between, high }, { between, low, high }, { high, low, between } };
	const int *c = hue < 180 ? rgb[hue / 60] : other[hue / 60 - 3];

	return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | (uint32_t)c[2];
}

uint32_t
theme_rgb(int color)
{
	static const uint32_t basic[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};
	static const uint32_t level[6] = { 0, 95, 135, 175, 215, 255 };

	if (color >= THEME_PALETTE + THEME_MADE)
		return (made_rgb((color - THEME_PALETTE) % THEME_MADE) >> 1 & 0x7f7f7f) +
		    (color >= THEME_PALETTE + 2 * THEME_MADE ? 0x7f7f7f : 0);
	if (color >= THEME_PALETTE)
		return made_rgb(color - THEME_PALETTE);
	if (color < 16)
		return basic[color];
	if (color >= 232)
		return (uint32_t)(color - 232) * 0x0a0a0a + 0x080808;
	color -= 16;
	return level[color / 36] << 16 | level[color / 6 % 6] << 8 | level[color % 6];
}

/* A level of 0 to 255 as light, 0 to 1: within 1 % of sRGB's curve. */
static double
linear(uint32_t level)
{
	const double x = level / 255.0;

	return x * x * (0.75 + 0.25 * x);
}

/* True when black letters read better than white ones on this colour: by its luminance
 * (WCAG 2.1); of the first 16, which every terminal has its own, those that are light in
 * most. */
static bool
is_light(int color)
{
	static const bool basic[16] = {
		[2] = true, [3] = true, [6] = true, [7] = true, [9] = true, [10] = true, [11] = true,
		[13] = true, [14] = true, [15] = true,
	};
	static const int light[6] = { 0, 114, 242, 429, 680, 1000 }; /* linear, of 1000 */

	if (color >= THEME_PALETTE) {
		const uint32_t rgb = theme_rgb(color);

		return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 255) +
		    0.0722 * linear(rgb & 255) > 0.179;
	}
	if (color < 16)
		return basic[color];
	if (color >= 232)
		return color >= 243;
	color -= 16;
	return 2126 * light[color / 36] + 7152 * light[color / 6 % 6] + 722 * light[color % 6] >
	    1790000;
}

bool
theme_same_look(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.dim == b.dim && a.underline == b.underline &&
	    a.reverse == b.reverse;
}

enum theme_set
theme_set_for(int spaces, int space)
{
	return spaces == 1 ? SET_ONE : (enum theme_set)(SET_BLUE + space % 4);
}

int
theme_set_size(enum theme_set set, enum theme_colors colors)
{
	switch (colors) {
	case THEME_256:
	case THEME_DIRECT:
		return set_256[PALETTE_DARK][set].count;
	case THEME_16:
	case THEME_8:
		if (set == SET_HEAT || set == SET_LINK)
			return set_256[PALETTE_DARK][set].count;
		return (int)(colors == THEME_16 ? sizeof set_16[0] : sizeof set_8[0]);
	case THEME_MONO:
		break;
	}
	return 1;
}

int
theme_set_most(enum theme_set set, enum theme_colors colors)
{
	const int n = theme_set_size(set, colors);

	if (colors < THEME_256 || set >= SET_HEAT)
		return n;
	return n + (set != SET_ONE ? MORE_FAMILY : colors == THEME_DIRECT ? MORE_ONE + THEME_MADE : MORE_ONE);
}

static int
set_color(unsigned set, int index, enum theme_colors colors, enum theme_palette palette)
{
	const bool light = palette == PALETTE_LIGHT;
	const struct color_set *wide;

	if (colors < THEME_256 && set == SET_HEAT)
		return heat_few[colors == THEME_8][index];
	if (colors < THEME_256 && set == SET_LINK)
		return link_few[colors == THEME_8][index];
	if (colors == THEME_16)
		return set_16[light][index];
	if (colors == THEME_8)
		return set_8[light][index];
	wide = &set_256[palette <= PALETTE_SAFE ? palette : PALETTE_DARK][set];
	if (wide->count == 0)
		wide = &set_256[PALETTE_DARK][set];
	if (index < wide->count)
		return wide->color[index];
	index -= wide->count;
	if (set == SET_ONE && index >= MORE_ONE)
		return THEME_PALETTE + index - MORE_ONE;
	return set == SET_ONE ? more_one[palette <= PALETTE_SAFE ? palette : PALETTE_DARK][index] :
	    more_256[light][set - SET_BLUE][index];
}

/* Half way to the background: dark, or white. */
static int
faded(int color, bool light)
{
	int faded = 0;

	if (color >= THEME_PALETTE)
		return color + (light ? 2 : 1) * THEME_MADE;
	if (color >= 232)
		return light ? (color + 255) / 2 : (color + 234) / 2;
	for (int scale = 36, rest = color - 16; scale > 0; rest %= scale, scale /= 6)
		faded += (light ? 5 - (5 - rest / scale + 1) / 2 : (rest / scale + 1) / 2) * scale;
	return 16 + faded;
}

/* A colour of the style's set, faded where that flag is set and there are darker ones. */
static int
shade(struct style style, int index, uint8_t flag, enum theme_colors colors,
    enum theme_palette palette)
{
	const int color = set_color(style.set, index, colors, palette);

	return colors >= THEME_256 && (style.flags & flag) != 0 ?
	    faded(color, palette == PALETTE_LIGHT) : color;
}

static struct look
group_look(struct style style, enum theme_colors colors, enum theme_palette palette)
{
	struct look look = { .fg = -1, .bg = -1 };
	int n = theme_set_most((enum theme_set)style.set, colors), color;

	if ((style.flags & STYLE_CURSOR) != 0) {
		look.bold = look.underline = look.reverse = true;
		return look;
	}
	look.bold = (style.flags & (STYLE_PEER | STYLE_MARK)) != 0;
	look.underline = (style.flags & STYLE_MARK) != 0;
	if (colors == THEME_MONO) {
		look.dim = (style.flags & STYLE_FADED) != 0;
		look.reverse = (style.flags & STYLE_PEER) != 0;
		return look;
	}
	if ((style.flags & STYLE_FADED) != 0 && (style.flags & STYLE_CLEAR) != 0 && style.ink == 0) {
		look.fg = colors >= THEME_256 ? 244 : -1;
		look.dim = colors < THEME_256;
		return look;
	}
	color = shade(style, style.index % n, STYLE_FADED, colors, palette);
	if ((style.flags & STYLE_FADED) != 0 && colors < THEME_256) {
		look.fg = (int16_t)color;
		return look;
	}
	if ((style.flags & STYLE_CLEAR) == 0)
		look.bg = (int16_t)color;
	if (style.ink != 0) {
		if (style.ink != INK_OWN)
			look.fg = (int16_t)shade(style, (style.ink - 1) % n, STYLE_FADED_INK, colors, palette);
		return look;
	}
	look.fg = is_light(color) ? 0 : 7;
	if (colors >= THEME_256)
		look.fg = is_light(color) ? 16 : (style.flags & STYLE_FADED) != 0 ? 252 : 231;
	return look;
}

/* Columns of the table below. */
enum { DARK_256, LIGHT_256, SAFE_256, DARK_16, LIGHT_16, DARK_8, LIGHT_8, LOOKS };

/* Foregrounds; -1 is the terminal's own. */
static const struct {
	int16_t fg[LOOKS];
	bool bold, dim, reverse;
} role_table[ROLE_COUNT] = {
	[ROLE_TEXT] = { { -1, -1, -1, -1, -1, -1, -1 }, false, false, false },
	[ROLE_DIM] = { { 244, 242, 246, 8, 8, -1, -1 }, false, true, false },
	[ROLE_TITLE] = { { -1, -1, -1, -1, -1, -1, -1 }, true, false, false },
	[ROLE_HEADER] = { { -1, -1, -1, -1, -1, -1, -1 }, true, false, false },
	[ROLE_FOOTER] = { { -1, -1, -1, -1, -1, -1, -1 }, false, false, false },
	[ROLE_KEY] = { { 37, 24, 117, 6, 4, 6, 4 }, true, false, false },
	[ROLE_FRAME] = { { 244, 244, 246, 8, 8, -1, -1 }, false, false, false },
	[ROLE_SELECTED] = { { -1, -1, -1, -1, -1, -1, -1 }, false, false, true },
	[ROLE_CHANGED] = { { -1, -1, -1, -1, -1, -1, -1 }, true, false, false },
	[ROLE_GOOD] = { { 35, 25, 63, 2, 4, 2, 4 }, false, false, false },
	[ROLE_WARNING] = { { 208, 130, 220, 3, 5, 3, 5 }, false, false, false },
	[ROLE_ERROR] = { { 160, 161, 161, 9, 1, 1, 1 }, true, false, false },
	[ROLE_PROMPT] = { { -1, -1, -1, -1, -1, -1, -1 }, true, false, false },
	[ROLE_PARAMETERS] = { { 69, 21, 75, 12, 12, 6, 4 }, false, false, false },
	[ROLE_GRADIENTS] = { { 178, 176, 222, 3, 3, 3, 5 }, false, false, false },
	[ROLE_OPTIMIZER] = { { 133, 90, 93, 5, 5, 5, 0 }, false, false, false },
	[ROLE_ACTIVATIONS] = { { 43, 34, 46, 2, 2, 2, 2 }, false, false, false },
	[ROLE_LOGITS] = { { 186, 201, 195, 14, 6, 4, 6 }, false, false, false },
	[ROLE_KV_CACHE] = { { 28, 22, 130, 13, 13, 5, 5 }, false, false, false },
	[ROLE_BUFFERS] = { { 153, 16, 25, -1, -1, -1, -1 }, false, false, false },
	[ROLE_OVERHEAD] = { { 243, 244, 246, 8, 8, -1, -1 }, false, false, false },
	[ROLE_FREE] = { { 244, 244, 246, 8, 8, -1, -1 }, false, true, false },
	[ROLE_OVER] = { { 160, 161, 161, 9, 1, 1, 1 }, true, false, false },
};

struct look
theme_look(struct style style, enum theme_colors has, enum theme_palette palette)
{
	const bool light = palette == PALETTE_LIGHT;
	const enum theme_colors colors = theme_depth(palette, has);
	struct look look = { .fg = -1, .bg = -1 };
	unsigned role = style.role < ROLE_COUNT ? style.role : ROLE_TEXT;

	if (role == ROLE_GROUP)
		return group_look(style, colors, palette);
	look.bold = role_table[role].bold;
	look.reverse = role_table[role].reverse || (style.flags & STYLE_CURSOR) != 0;
	if (colors >= THEME_256)
		look.fg = role_table[role].fg[light ? LIGHT_256 :
		    palette == PALETTE_SAFE ? SAFE_256 : DARK_256];
	else if (colors != THEME_MONO)
		look.fg = role_table[role].fg[colors == THEME_16 ? DARK_16 + light : DARK_8 + light];
	look.dim = role_table[role].dim && look.fg < 0;
	/* The terminal's background, which reversing takes, need not be read on the colour. */
	if (look.reverse && look.fg >= 0 && colors >= THEME_256) {
		look.reverse = false;
		look.bg = look.fg;
		look.fg = is_light(look.bg) ? 16 : 231;
	}
	return look;
}
