#include "ui/screen/send.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"

enum {
	BETWEEN_MOST = 8, /* cells that may be shorter to send again than to move over: no move takes more bytes */
	RUNS_LEAST = 8,   /* in which a background comes that has a turn of its own without a trial */
	TRY_MOST = 512,   /* cells whose turns are tried: below a millisecond */
};

/* Cells to be sent, and where the cursor is before. */
struct picture {
	const struct canvas *c;
	struct looks_cell *cell;
	int n;
	bool whole;
	int from;
	struct looks_kind kind[LOOKS_KINDS];
	int kinds;
};

static const struct look plain = { .fg = -1, .bg = -1 };

static void
put(struct send *s, const char *bytes, size_t n)
{
	if (s->size + n > s->room) {
		const size_t room = 2 * (s->size + n) + 4096;
		char *more = realloc(s->bytes, room);

		if (more == NULL) {
			s->failed = true;
			return;
		}
		s->bytes = more;
		s->room = room;
	}
	memcpy(s->bytes + s->size, bytes, n);
	s->size += n;
}

/* A part of a change of the look. One that follows another goes into the same sequence. */
static void
put_style(struct send *s, enum send_what what, int color)
{
	char word[SEND_WORD];
	const char *rest = word;
	size_t n;

	s->word(what, color, 0, word);
	n = strlen(word);
	if (n == 0)
		return;
	if (n > 3 && s->style_end == s->size && s->size > 2 && memcmp(word, "\033[", 2) == 0 && word[n - 1] == 'm' &&
	    s->bytes[s->size - 1] == 'm') {
		s->size--;
		if (s->bytes[s->size - 1] == '[')
			put(s, "0", 1);
		put(s, ";", 1);
		rest += 2;
	}
	put(s, rest, strlen(rest));
	s->style_end = s->size;
}

/* The terminal's own colour; false where it can be had with the plain look alone. */
static bool
can_leave(const struct send *s, enum send_what what, int was, int is)
{
	char word[SEND_WORD];

	if (was < 0 || is >= 0)
		return true;
	s->word(what, -1, 0, word);
	return word[0] != '\0';
}

static void
put_look(struct send *s, struct look look)
{
	if ((s->look.bold && !look.bold) || (s->look.dim && !look.dim) || (s->look.underline && !look.underline) ||
	    (s->look.reverse && !look.reverse) || !can_leave(s, SEND_INK, s->look.fg, look.fg) ||
	    !can_leave(s, SEND_GROUND, s->look.bg, look.bg)) {
		put_style(s, SEND_PLAIN, 0);
		s->look = plain;
	}
	if (look.bold && !s->look.bold)
		put_style(s, SEND_BOLD, 0);
	if (look.dim && !s->look.dim)
		put_style(s, SEND_DIM, 0);
	if (look.underline && !s->look.underline)
		put_style(s, SEND_UNDERLINE, 0);
	if (look.reverse && !s->look.reverse)
		put_style(s, SEND_REVERSE, 0);
	if (look.fg != s->look.fg)
		put_style(s, SEND_INK, look.fg);
	if (look.bg != s->look.bg)
		put_style(s, SEND_GROUND, look.bg);
	s->look = look;
}

/* A blank shows its ground alone: for the rest it goes with what comes before it. */
static struct look
look_for(const struct send *s, wchar_t ch, struct look look)
{
	if (ch == L' ' && !look.underline && !look.reverse) {
		look.fg = s->look.fg;
		look.bold = s->look.bold;
		look.dim = s->look.dim;
	}
	if (look.fg >= 0 || look.bg >= 0) {
		look.dim &= !s->dim_alone;
		look.underline &= !s->underline_alone;
	}
	return look;
}

static void
put_char(struct send *s, wchar_t ch)
{
	char bytes[4] = { (char)ch };

	put(s, bytes, ch < 0x80 || !s->utf8 ? 1 : utf8_put(bytes, (uint32_t)ch));
}

/* How many bytes the cells from the cursor up to `at` of its row take once more, as they are; 0: they need another look. */
static size_t
bytes_between(const struct send *s, const struct canvas *c, int at)
{
	char bytes[4];
	size_t n = 0;

	if (at - s->at > BETWEEN_MOST || c->cell[s->at].ch == L'\0')
		return 0;
	for (int i = s->at; i < at; i++) {
		const struct cell *cell = &c->cell[i];
		const struct look look = theme_look(cell->style, s->colors, s->palette);

		if (cell->ch != L'\0' && !theme_same_look(look_for(s, cell->ch, look), s->look))
			return 0;
		n += cell->ch == L'\0' ? 0 : cell->ch < 0x80 ? 1 : utf8_put(bytes, (uint32_t)cell->ch);
	}
	return n;
}

/* The shorter of two words. */
static void
take_shorter(const struct send *s, enum send_what what, int a, int b, char best[SEND_WORD])
{
	char word[SEND_WORD];

	s->word(what, a, b, word);
	if (word[0] != '\0' && (best[0] == '\0' || strlen(word) < strlen(best)))
		memcpy(best, word, SEND_WORD);
}

static void
move_to(struct send *s, const struct canvas *c, int at)
{
	const int y = at / c->w, x = at % c->w, way = at - s->at;
	char word[SEND_WORD] = "";
	size_t again;

	if (at == s->at)
		return;
	if (s->at >= 0 && s->at / c->w == y) {
		again = way > 0 ? bytes_between(s, c, at) : 0;
		take_shorter(s, way > 0 ? SEND_RIGHT : SEND_LEFT, way > 0 ? way : -way, 0, word);
		take_shorter(s, SEND_COLUMN, x, 0, word);
		if (again > 0 && (word[0] == '\0' || again <= strlen(word))) {
			for (; s->at < at; s->at++)
				if (c->cell[s->at].ch != L'\0')
					put_char(s, c->cell[s->at].ch);
			return;
		}
	} else if (s->at >= 0 && s->at % c->w == x)
		take_shorter(s, way > 0 ? SEND_DOWN : SEND_UP, (way > 0 ? way : -way) / c->w, 0, word);
	if (word[0] == '\0')
		s->word(SEND_MOVE, y, x, word);
	put(s, word, strlen(word));
	s->at = at;
}

/* A blank that erasing makes, and on which ground (-1: the terminal's own). */
static bool
is_clear(const struct send *s, const struct cell *cell, int *ground)
{
	const struct look look = theme_look(cell->style, s->colors, s->palette);

	*ground = look.bg;
	return cell->ch == L' ' && (look.bg < 0 || s->erases_ground) && !look.underline && !look.reverse;
}

/* A cell as it is sent in a turn: its own character, or what is under it until its turn comes. */
static bool
cell_in_turn(const struct canvas *c, const struct looks_cell *cell, int turn, wchar_t *ch, struct look *look)
{
	*ch = cell->turn == turn ? c->cell[cell->at].ch : L' ';
	*look = cell->turn == turn ? cell->look : cell->under;
	return cell->turn == turn || (turn == 0 && cell->under.bg >= 0);
}

/* Erase so many blanks, or all up to the end of the row, where that is shorter; the cursor stays. */
static bool
put_erased(struct send *s, const struct canvas *c, int at, int run, int ground, bool goes_on, bool to_end)
{
	const struct look look = { .fg = -1, .bg = (int16_t)ground };
	char word[SEND_WORD], on[SEND_WORD] = "";

	s->word(to_end ? SEND_ERASE_LINE : SEND_ERASE, run, 0, word);
	if (goes_on)
		s->word(SEND_RIGHT, run, 0, on);
	if (word[0] == '\0' || (size_t)run <= strlen(word) + strlen(on))
		return false;
	move_to(s, c, at);
	put_look(s, look_for(s, L' ', look));
	put(s, word, strlen(word));
	return true;
}

/* Erase blanks that n cells begin with, and with them what is blank already; returns how many cells are done. */
static int
put_blanks(struct send *s, const struct canvas *c, const struct looks_cell *cell, int n)
{
	const int at = cell[0].at, row_end = (at / c->w + 1) * c->w;
	int end = at, done = 0, run, first, ground;

	if (!is_clear(s, &c->cell[at], &first))
		return 0;
	while (end < row_end && is_clear(s, &c->cell[end], &ground) && ground == first)
		end++;
	while (done < n && cell[done].at < end)
		done++;
	if (done == 0)
		return 0;
	run = cell[done - 1].at - at + 1;
	return put_erased(s, c, at, run, first, done < n && cell[done].at == end && end < row_end, end == row_end) ?
	    done : 0;
}

static void
put_cell(struct send *s, const struct canvas *c, int at, wchar_t ch, struct look look)
{
	const bool wide = at % c->w + 1 < c->w && c->cell[at + 1].ch == L'\0' && ch != L' ';
	const int next = at + 1 + wide;

	if (s->scrolls && next == c->w * c->h)
		return;
	move_to(s, c, at);
	put_look(s, look_for(s, ch, look));
	put_char(s, ch);
	s->at = next % c->w > 0 ? next : -1;
}

static void
put_turn(struct send *s, const struct canvas *c, const struct looks_cell *cell, int n, int turn)
{
	for (int i = 0; i < n; i++) {
		const int erased = cell[i].turn == turn ? put_blanks(s, c, cell + i, n - i) : 0;
		struct look look;
		wchar_t ch;

		if (erased > 0)
			i += erased - 1;
		else if (cell_in_turn(c, &cell[i], turn, &ch, &look))
			put_cell(s, c, cell[i].at, ch, look);
	}
}

/* The bytes of a picture with the turns that its kinds have. Returns how many. */
static size_t
put_picture(struct send *s, const struct picture *p)
{
	char word[SEND_WORD];

	looks_turns(p->cell, p->n, p->c->w, p->kind);
	s->size = s->style_end = 0;
	s->look = plain;
	s->at = p->from;
	if (p->whole) {
		s->word(SEND_CLEAR, 0, 0, word);
		put(s, word, strlen(word));
		s->at = 0;
	}
	for (int turn = 0; turn <= p->kinds; turn++)
		put_turn(s, p->c, p->cell, p->n, turn);
	move_to(s, p->c, p->c->cursor_y * p->c->w + p->c->cursor_x);
	put_look(s, plain);
	return s->size;
}

/* A turn for each background and bar that comes again and again, but for the one that does most: it is painted over. */
static void
give_turns(struct picture *p)
{
	int most = 0;

	for (int i = 0; i < p->kinds; i++)
		if (p->kind[i].runs > p->kind[most].runs)
			most = i;
	for (int i = 0; i < p->kinds; i++)
		if (i != most && p->kind[i].runs >= RUNS_LEAST && (p->kind[i].look.bg >= 0 || p->kind[i].bar))
			p->kind[i].turn = (uint8_t)(i + 1);
}

/* A turn more or less, kind by kind, where that makes it shorter. */
static void
try_turns(struct send *s, struct picture *p)
{
	size_t least = put_picture(s, p);

	for (int i = 0; i < p->kinds; i++) {
		const uint8_t was = p->kind[i].turn;
		size_t size;

		p->kind[i].turn = was > 0 ? 0 : (uint8_t)(i + 1);
		size = put_picture(s, p);
		if (size < least)
			least = size;
		else
			p->kind[i].turn = was;
	}
}

bool
send_cells(struct send *s, const struct canvas *c, struct looks_cell *cell, int n, bool whole)
{
	struct picture p = { .c = c, .cell = cell, .n = n, .whole = whole, .from = s->at };

	s->failed = false;
	p.kinds = looks_kinds(cell, n, p.kind);
	give_turns(&p);
	if (n <= TRY_MOST)
		try_turns(s, &p);
	put_picture(s, &p);
	return !s->failed;
}
