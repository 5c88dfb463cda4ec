#include "ui/theme.h"

enum { SET_MAX = 8 };

/* Numbers of the 256-colour palette, whose values users rarely change. Neighbours in a
 * row differ much, since neighbouring groups often take neighbouring indices. */
static const struct {
	int count;
	uint8_t color[SET_MAX];
} set_256[SET_COUNT] = {
	[SET_FOUR] = { 4, { 57, 34, 177, 125 } },
	[SET_SIX] = { 6, { 75, 124, 23, 208, 93, 144 } },
	[SET_EIGHT] = { 8, { 37, 160, 57, 208, 141, 91, 240, 137 } },
	[SET_BLUE] = { 5, { 67, 153, 19, 75, 61 } },
	[SET_ORANGE] = { 5, { 208, 130, 223, 137, 215 } },
	[SET_PURPLE] = { 5, { 197, 218, 53, 207, 92 } },
	[SET_GREEN] = { 5, { 65, 114, 22, 50, 34 } },
};

static const uint8_t set_16[] = { 4, 10, 1, 7, 5, 8 };
static const uint8_t set_8[] = { 4, 3, 1, 6 };

/* True when black letters read better than white ones on this colour. */
static bool
is_light(int color)
{
	static const bool basic[16] = {
		[2] = true, [3] = true, [6] = true, [7] = true, [10] = true, [11] = true,
		[14] = true, [15] = true,
	};
	int r, g, b;

	if (color < 16)
		return basic[color];
	if (color >= 232)
		return color >= 244;
	color -= 16;
	r = color / 36;
	g = color / 6 % 6;
	b = color % 6;
	return 30 * r + 59 * g + 11 * b >= 225;
}

enum theme_set
theme_set_for(int spaces, int space, int64_t groups)
{
	static const enum theme_set family[] = { SET_BLUE, SET_ORANGE, SET_PURPLE, SET_GREEN };

	if (spaces > 1)
		return family[space % 4];
	if (groups <= 4)
		return SET_FOUR;
	/* More groups than colours: repeat six that are far apart, not eight that are less. */
	return groups == 7 || groups == 8 ? SET_EIGHT : SET_SIX;
}

int
theme_set_size(enum theme_set set, enum theme_colors colors)
{
	switch (colors) {
	case THEME_256:
		return set_256[set].count;
	case THEME_16:
		return (int)sizeof set_16;
	case THEME_8:
		return (int)sizeof set_8;
	case THEME_MONO:
		break;
	}
	return 1;
}

static struct look
group_look(struct style style, enum theme_colors colors)
{
	struct look look = { .fg = -1, .bg = -1 };
	int n = theme_set_size((enum theme_set)style.set, colors), color;

	if ((style.flags & STYLE_CURSOR) != 0) {
		look.bold = look.underline = look.reverse = true;
		return look;
	}
	if ((style.flags & STYLE_FADED) != 0) {
		look.fg = colors == THEME_256 ? 244 : -1;
		look.dim = colors != THEME_256;
		return look;
	}
	look.bold = (style.flags & STYLE_PEER) != 0;
	if (colors == THEME_MONO) {
		look.reverse = look.bold;
		return look;
	}
	if (colors == THEME_256)
		color = set_256[style.set].color[style.index % n];
	else if (colors == THEME_16)
		color = set_16[style.index % n];
	else
		color = set_8[style.index % n];
	look.bg = (int16_t)color;
	look.fg = is_light(color) ? 0 : 7;
	if (colors == THEME_256)
		look.fg = is_light(color) ? 16 : 231;
	return look;
}

struct look
theme_look(struct style style, enum theme_colors colors, enum theme_palette palette)
{
	/* Foregrounds for 256, 16 and 8 colours; -1 is the terminal's own. */
	static const struct {
		int16_t fg[3];
		bool bold, dim, underline, reverse;
	} table[ROLE_COUNT] = {
		[ROLE_TEXT] = { { -1, -1, -1 }, false, false, false, false },
		[ROLE_DIM] = { { 244, 8, -1 }, false, true, false, false },
		[ROLE_TITLE] = { { -1, -1, -1 }, true, false, false, false },
		[ROLE_HEADER] = { { -1, -1, -1 }, true, false, false, false },
		[ROLE_FOOTER] = { { -1, -1, -1 }, false, false, false, false },
		[ROLE_KEY] = { { 37, 6, 6 }, true, false, false, false },
		[ROLE_FRAME] = { { 244, 8, -1 }, false, false, false, false },
		[ROLE_SELECTED] = { { -1, -1, -1 }, false, false, false, true },
		[ROLE_CHANGED] = { { -1, -1, -1 }, true, false, false, false },
		[ROLE_GOOD] = { { 34, 2, 2 }, true, false, false, false },
		[ROLE_WARNING] = { { 208, 3, 3 }, true, false, false, false },
		[ROLE_ERROR] = { { 160, 9, 1 }, true, false, false, false },
		[ROLE_PROMPT] = { { -1, -1, -1 }, true, false, false, false },
		[ROLE_PARAMETERS] = { { 75, 12, 4 }, false, false, false, false },
		[ROLE_GRADIENTS] = { { 208, 3, 3 }, false, false, false, false },
		[ROLE_OPTIMIZER] = { { 141, 5, 6 }, false, false, false, false },
		[ROLE_ACTIVATIONS] = { { 36, 2, 2 }, false, false, false, false },
		[ROLE_LOGITS] = { { 178, 11, 5 }, false, false, false, false },
		[ROLE_KV_CACHE] = { { 175, 13, 5 }, false, false, false, false },
		[ROLE_BUFFERS] = { { 26, 4, -1 }, false, false, false, false },
		[ROLE_OVERHEAD] = { { 246, 8, -1 }, false, false, false, false },
		[ROLE_FREE] = { { 244, 8, -1 }, false, true, false, false },
		[ROLE_OVER] = { { 160, 9, 1 }, true, false, false, false },
	};
	static const int column[] = { [THEME_8] = 2, [THEME_16] = 1, [THEME_256] = 0 };
	struct look look = { .fg = -1, .bg = -1 };
	unsigned role = style.role < ROLE_COUNT ? style.role : ROLE_TEXT;

	(void)palette; /* one so far, and it is the safe one */
	if (role == ROLE_GROUP)
		return group_look(style, colors);
	look.bold = table[role].bold;
	look.underline = table[role].underline;
	look.reverse = table[role].reverse || (style.flags & STYLE_CURSOR) != 0;
	if (colors != THEME_MONO)
		look.fg = table[role].fg[column[colors]];
	look.dim = table[role].dim && look.fg < 0;
	return look;
}
