/*
 * theme.h - what a cell means (role), and how a terminal shows it.
 */
#ifndef UI_THEME_H
#define UI_THEME_H
#include <stdbool.h>
#include <stdint.h>

/* Auto: as many as the terminal has; NO_COLOR turns them off. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Code names roles, never colours. */
enum role {
	ROLE_TEXT, ROLE_DIM, ROLE_TITLE, ROLE_HEADER, ROLE_FOOTER, ROLE_KEY, ROLE_FRAME,
	ROLE_SELECTED, ROLE_CHANGED, ROLE_GOOD, ROLE_WARNING, ROLE_ERROR, ROLE_PROMPT,
	ROLE_PARAMETERS, ROLE_GRADIENTS, ROLE_OPTIMIZER, ROLE_ACTIVATIONS, ROLE_LOGITS,
	ROLE_KV_CACHE, ROLE_BUFFERS, ROLE_OVERHEAD, ROLE_FREE, ROLE_OVER,
	ROLE_GROUP,  /* colour `index` of the set `set` */
	ROLE_COUNT
};

/*
 * Sets of colours for groups. One dimension alone takes the large set, in which the first
 * colours are the furthest apart: a group keeps its hue when there are more or fewer of them.
 * Several dimensions at once take one family of hues each. Red is in none of them: it means
 * wrong. Every set holds up under red, green and blue blindness.
 */
enum theme_set {
	SET_ONE,
	SET_BLUE, SET_ORANGE, SET_PURPLE, SET_GREEN,
	SET_HEAT,    /* from little to much, then too much */
	SET_LINK,    /* from near to far, then further than it should be */
	SET_COUNT
};

struct style {
	uint8_t role;
	uint8_t set;     /* ROLE_GROUP: which colours, enum theme_set */
	uint8_t index;   /* ROLE_GROUP: which of them is behind the character */
	uint8_t ink;     /* ROLE_GROUP: the character's own colour: 0 one that reads well, else
	                    1 + index in the set, or INK_OWN the terminal's */
	uint8_t flags;   /* enum style_flag */
};

enum { INK_OWN = 255 };

enum style_flag {
	STYLE_CURSOR = 1, STYLE_PEER = 2,
	STYLE_FADED = 4,  /* ROLE_GROUP: its own colour, less bright */
	STYLE_MARK = 8,   /* what somebody looked for */
	STYLE_CLEAR = 16, /* ROLE_GROUP: nothing behind the character */
	STYLE_FADED_INK = 32, /* ROLE_GROUP: the same for the character's own colour */
};

/* Direct: the palette of 256, and any red, green and blue besides. */
enum theme_colors { THEME_MONO, THEME_8, THEME_16, THEME_256, THEME_DIRECT };

/* Colours by number: the palette; those that are made for groups beyond it; and these half way to the
 * background, a dark or a white one. */
enum { THEME_PALETTE = 256, THEME_MADE = 180, THEME_NUMBERS = THEME_PALETTE + 3 * THEME_MADE };

/*
 * DARK suits dark backgrounds and can be read on others, LIGHT is for white ones. Both hold
 * up under red, green and blue blindness; SAFE does so by far, on dark backgrounds. The
 * others are DARK with fewer colours than the terminal may have.
 */
enum theme_palette {
	PALETTE_DARK, PALETTE_LIGHT, PALETTE_SAFE, PALETTE_16, PALETTE_8, PALETTE_MONO,
	PALETTE_COUNT, PALETTE_DEFAULT = PALETTE_DARK
};

/* The look that a terminal is asked for: colour numbers (-1: the terminal's own) and attributes. */
struct look {
	int16_t fg, bg;
	bool bold, dim, underline, reverse;
};

struct look theme_look(struct style style, enum theme_colors colors, enum theme_palette palette);

bool theme_same_look(struct look a, struct look b);

/* The palette of that name, or PALETTE_COUNT. */
enum theme_palette theme_palette_find(const char *name);

/* The palette that the user means: a name, or "auto" for what suits the background. That
 * one is the last number of COLORFGBG ("15;0", set by rxvt, Konsole and others), which may
 * be NULL. */
enum theme_palette theme_palette_for(const char *wish, const char *colorfgbg);

/* How many colours are used of those that the terminal has. */
enum theme_colors theme_depth(enum theme_palette palette, enum theme_colors has);

/* A colour by its number, of the palette as xterm shows it: 0xRRGGBB. */
uint32_t theme_rgb(int color);

/* The colours for dimension `space` of `spaces` shown together. */
enum theme_set theme_set_for(int spaces, int space);

/* How many different colours a set has that are far apart, at least 1; and in all, where there are
 * more groups than those. */
int theme_set_size(enum theme_set set, enum theme_colors colors);
int theme_set_most(enum theme_set set, enum theme_colors colors);
#endif
