/* test_send.c - bytes for a terminal: a small one that takes them has to show the picture. */
#include <locale.h>

#include "core/base/show.h"
#include "support.h"
#include "ui/screen/looks.h"
#include "ui/screen/send.h"

enum { W = 40, H = 20, CELLS = W * H };

/* A cell as a terminal holds it. */
struct shown {
	uint32_t ch;      /* 0: the right half of a wide one */
	struct look look;
};

struct glass {
	struct shown cell[CELLS];
	int x, y;
	struct look look;
	bool erases_ground; /* with the ground that is set */
};

static const struct look none = { .fg = -1, .bg = -1 };

static void
say(enum send_what what, int a, int b, char word[SEND_WORD])
{
	static const char *const form[] = {
		[SEND_CLEAR] = "\033[2J", [SEND_COLUMN] = "\033[%dG", [SEND_RIGHT] = "\033[%dC",
		[SEND_LEFT] = "\033[%dD", [SEND_UP] = "\033[%dA", [SEND_DOWN] = "\033[%dB",
		[SEND_ERASE] = "\033[%dX", [SEND_ERASE_LINE] = "\033[K", [SEND_PLAIN] = "\033[m",
		[SEND_BOLD] = "\033[1m", [SEND_DIM] = "\033[2m", [SEND_UNDERLINE] = "\033[4m",
		[SEND_REVERSE] = "\033[7m", [SEND_INK] = "\033[38;5;%dm", [SEND_GROUND] = "\033[48;5;%dm",
	};
	const char *number = form[what] != NULL ? strstr(form[what], "%d") : NULL;

	if (what == SEND_MOVE)
		text_put(word, SEND_WORD, "\033[%d;%dH", a + 1, b + 1);
	else if (a < 0)
		text_put(word, SEND_WORD, what == SEND_INK ? "\033[39m" : "\033[49m");
	else if (number != NULL)
		text_put(word, SEND_WORD, "%.*s%d%s", (int)(number - form[what]), form[what],
		    a + (what == SEND_COLUMN), number + 2);
	else
		text_put(word, SEND_WORD, "%s", form[what]);
}

/* A terminal that knows the least: where a cell is, and no more of colours than to set them. */
static void
say_little(enum send_what what, int a, int b, char word[SEND_WORD])
{
	const bool is_known = what == SEND_MOVE || what == SEND_CLEAR || (what >= SEND_PLAIN && what <= SEND_REVERSE) ||
	    ((what == SEND_INK || what == SEND_GROUND) && a >= 0);

	word[0] = '\0';
	if (is_known)
		say(what, a, b, word);
}

static void
erase(struct glass *g, int n)
{
	for (int i = 0; i < n; i++)
		g->cell[g->y * W + g->x + i] = (struct shown){ ' ', { .fg = -1, .bg = g->erases_ground ? g->look.bg : -1 } };
}

static void
style(struct glass *g, const int *number, int n)
{
	for (int i = 0; i < n; i++)
		switch (number[i]) {
		case 0: g->look = none; break;
		case 1: g->look.bold = true; break;
		case 2: g->look.dim = true; break;
		case 4: g->look.underline = true; break;
		case 7: g->look.reverse = true; break;
		case 39: g->look.fg = -1; break;
		case 49: g->look.bg = -1; break;
		case 38: g->look.fg = (int16_t)number[i + 2]; i += 2; break;
		case 48: g->look.bg = (int16_t)number[i + 2]; i += 2; break;
		default: fail_msg("style %d", number[i]);
		}
}

/* "\033[1;2H" without its first two bytes; returns how many were taken. */
static size_t
obey(struct glass *g, const char *text)
{
	int number[16] = { 0 }, n = 1;
	size_t i = 0;

	for (; (text[i] >= '0' && text[i] <= '9') || text[i] == ';'; i++)
		if (text[i] == ';')
			n++;
		else
			number[n - 1] = number[n - 1] * 10 + text[i] - '0';
	assert_true(n < 16);
	switch (text[i]) {
	case 'H': g->y = number[0] - 1; g->x = number[1] - 1; break;
	case 'G': g->x = number[0] - 1; break;
	case 'C': g->x += number[0]; break;
	case 'D': g->x -= number[0]; break;
	case 'A': g->y -= number[0]; break;
	case 'B': g->y += number[0]; break;
	case 'X': erase(g, number[0]); break;
	case 'K': erase(g, W - g->x); break;
	case 'm': style(g, number, n); break;
	case 'J':
		g->x = g->y = 0;
		erase(g, CELLS);
		break;
	default: fail_msg("sequence %c", text[i]);
	}
	assert_in_range(g->x, 0, W);
	assert_in_range(g->y, 0, H - 1);
	return i + 1;
}

static void
take(struct glass *g, const char *bytes, size_t size)
{
	for (size_t i = 0, length; i < size; i += length) {
		uint32_t ch;

		if (bytes[i] == '\033') {
			length = 2 + obey(g, bytes + i + 2);
			continue;
		}
		length = utf8_length(bytes + i, size - i);
		ch = utf8_char(bytes + i, length);
		assert_in_range(g->x, 0, W - 1);
		g->cell[g->y * W + g->x++] = (struct shown){ ch, g->look };
		if (ch >= 0x1100 && ch != 0x2588)
			g->cell[g->y * W + g->x++] = (struct shown){ 0, g->look };
	}
}

/* What somebody sees of it. */
static struct look
seen(uint32_t ch, struct look look)
{
	return ch == ' ' && !look.underline && !look.reverse ? (struct look){ .fg = -1, .bg = look.bg } : look;
}

static void
assert_shows(const struct glass *g, const struct canvas *c)
{
	for (int i = 0; i < CELLS; i++) {
		const struct look a = seen(g->cell[i].ch, g->cell[i].look),
		    b = seen((uint32_t)c->cell[i].ch, theme_look(c->cell[i].style, THEME_256, PALETTE_DARK));

		assert_int_equal(g->cell[i].ch, c->cell[i].ch);
		if (g->cell[i].ch == 0)
			continue;
		assert_int_equal(a.fg, b.fg);
		assert_int_equal(a.bg, b.bg);
		assert_int_equal(a.bold << 3 | a.dim << 2 | a.underline << 1 | a.reverse,
		    b.bold << 3 | b.dim << 2 | b.underline << 1 | b.reverse);
	}
	assert_int_equal(g->x, c->cursor_x);
	assert_int_equal(g->y, c->cursor_y);
	assert_memory_equal(&g->look, &none, sizeof none);
}

/* Words, wide ones, bars and blanks of any style, somewhere. */
static void
scribble(struct canvas *c, unsigned *seed)
{
	static const char *const words[] = { "tp 8", "\346\274\242\345\255\227", "\342\226\210\342\226\210\342\226\210", "      ", "m", "                    " };
	const struct rect all = { 0, 0, W, H };

	for (int i = 0; i < 12; i++) {
		const int x = (int)(rand_r(seed) % W), y = (int)(rand_r(seed) % H);
		const struct style look = { .role = (uint8_t)(rand_r(seed) % ROLE_COUNT),
			.index = (uint8_t)(rand_r(seed) % 5), .flags = (uint8_t)(rand_r(seed) % 8) };

		if (rand_r(seed) % 8 == 0)
			canvas_restyle(c, (struct rect){ 0, y, W, 1 }, look);
		else
			canvas_text(c, all, x, y, look, words[rand_r(seed) % 6]);
	}
	c->cursor_x = (int)(rand_r(seed) % W);
	c->cursor_y = (int)(rand_r(seed) % H);
}

/* However a picture comes of another, whole or of what changed, by terminals that know much
 * or little. */
TEST(test_pictures)
{
	static struct looks_cell cell[CELLS];
	static struct glass g;

	for (unsigned round = 0; round < 400; round++) {
		struct send s = { .word = round % 2 == 0 ? say : say_little, .colors = THEME_256,
			.palette = PALETTE_DARK, .utf8 = true, .erases_ground = round % 3 == 0 };
		struct canvas was, is;
		unsigned seed = round;

		g.look = none;
		g.erases_ground = s.erases_ground;
		assert_true(canvas_init(&was, W, H, true) && canvas_init(&is, W, H, true));
		for (int i = 0; i < 8; i++) {
			const bool whole = i == 0 || i == 5;
			int n;

			scribble(&is, &seed);
			n = looks_changed(&is, whole ? NULL : &was, THEME_256, PALETTE_DARK, cell);
			assert_true(send_cells(&s, &is, cell, n, whole));
			take(&g, s.bytes, s.size);
			assert_shows(&g, &is);
			memcpy(was.cell, is.cell, CELLS * sizeof *is.cell);
		}
		free(s.bytes);
		canvas_free(&was);
		canvas_free(&is);
	}
}

/* The bytes between two pictures of one row, whose cursor stands behind its end. */
static const char *
between(const char *was, const char *is)
{
	static struct looks_cell cell[CELLS];
	static char text[4096];
	struct send s = { .word = say, .colors = THEME_256, .palette = PALETTE_DARK, .utf8 = true, .at = 0 };
	const struct style word = { .role = ROLE_TEXT };
	struct canvas a, b;
	int n;

	assert_true(canvas_init(&a, W, H, true) && canvas_init(&b, W, H, true));
	canvas_text(&a, (struct rect){ 0, 0, W, H }, 0, 0, word, was);
	canvas_text(&b, (struct rect){ 0, 0, W, H }, 0, 0, word, is);
	n = looks_changed(&b, &a, THEME_256, PALETTE_DARK, cell);
	assert_true(send_cells(&s, &b, cell, n, false));
	text_put(text, sizeof text, "%.*s", (int)s.size, s.bytes);
	free(s.bytes);
	canvas_free(&a);
	canvas_free(&b);
	return text;
}

/* The shortest of: the cells between once more, a move; blanks, an end of the row erased. */
TEST(test_short)
{
	assert_string_equal(between("same", "same"), "");
	assert_string_equal(between("ab", "xb"), "x\033[1D");
	assert_string_equal(between("abc", "xbz"), "xbz\033[3D");
	assert_string_equal(between("abcdefgh", "xbcdefgz"), "x\033[6Cz\033[8D");
	assert_string_equal(between("a long line", "a"), "a \033[K\033[2D");
	assert_string_equal(between("a long line of words", "a long           ords"), "\033[7C \033[9X\033[9Cords\033[1G");
	assert_string_equal(between("a long line which has words", "a                     words"), "a \033[19X\033[2D");
}

/* The bytes of a column of GPUs that turns from one colour to the text's, while the next one does the reverse. */
static size_t
strip_bytes(bool erases_ground, const char *gpu)
{
	static struct looks_cell cell[CELLS];
	const struct style group = { .role = ROLE_GROUP, .index = 3 }, text = { .role = ROLE_TEXT };
	struct send s = { .word = say, .colors = THEME_256, .palette = PALETTE_DARK, .utf8 = true, .at = 0,
		.erases_ground = erases_ground };
	const int w = (int)strlen(gpu);
	struct canvas a, b;

	assert_true(canvas_init(&a, W, H, true) && canvas_init(&b, W, H, true));
	for (int y = 0; y < 7; y++) {
		canvas_text(&a, (struct rect){ 0, 0, W, H }, 4, y, group, gpu);
		canvas_text(&a, (struct rect){ 0, 0, W, H }, 4 + w, y, text, gpu);
		canvas_text(&b, (struct rect){ 0, 0, W, H }, 4, y, text, gpu);
		canvas_text(&b, (struct rect){ 0, 0, W, H }, 4 + w, y, group, gpu);
	}
	assert_true(send_cells(&s, &b, cell, looks_changed(&b, &a, THEME_256, PALETTE_DARK, cell), false));
	free(s.bytes);
	canvas_free(&a);
	canvas_free(&b);
	return s.size;
}

/* Two changes of colours in all, not two a row; and the ground of a band is erased, not written. */
TEST(test_strip)
{
	assert_in_range(strip_bytes(false, "[12  ]"), 1, 2 * 7 * (6 + 7) + 60);
	assert_in_range(strip_bytes(true, "12              "), 1, strip_bytes(false, "12              ") - 7 * 5);
}

int
main(void)
{
	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return 77;
	return unit_run(NULL, NULL);
}
