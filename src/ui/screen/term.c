#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#define NCURSES_WIDECHAR 1
#if defined HAVE_NCURSESW_CURSES_H
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
#elif defined HAVE_NCURSES_CURSES_H
#include <ncurses/curses.h>
#include <ncurses/term.h>
#else
#include <curses.h>
#include <term.h>
#endif
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/text.h"
#include "out/out.h"
#include "ui/screen/locale.h"
#include "ui/screen/signals.h"
#include "ui/screen/term.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum {
	SIZE_MOST = 1000,  /* columns and rows that are used of a terminal */
	ANSWER_MS = 100,
	LARGE = 256,       /* cells of a picture that takes several writes: curses has room for 2,800 bytes */
};

/* xterm's control sequences: keep the title of the window, and give it back. */
static const char title_keep[] = "\033[22;2t", title_back[] = "\033[23;2t";
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

/* For after a crash, when endwin must not be called any more. */
static void
back_fetch(struct signals_back *back)
{
	static const char *const capability[] = { "rmkx", "sgr0", "rmcup", "ed" };
	/* What terminals with a mouse know. */
	static const char modes[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l";

	back->length = 0;
	if (key_mouse != NULL) {
		back->length = sizeof modes - 1;
		memcpy(back->text, modes, back->length);
	}
	for (size_t i = 0; i < COUNT(capability); i++) {
		const char *text = tigetstr(capability[i]);
		/* Up to a delay ("$<2>"): terminals that need one are long gone. */
		size_t n = text != NULL && text != (char *)-1 ? strcspn(text, "$") : 0;

		if (n > 0 && back->length + n <= sizeof back->text) {
			memcpy(back->text + back->length, text, n);
			back->length += n;
		}
	}
}

/* Leave the screen. Where the picture stays, the shell goes on in its last line. */
static void
leave(const struct terminal *t)
{
	signals_let_in();
	if (t->marks_pastes)
		putp(paste_off);
	if (t->title[0] != '\0')
		putp(title_back);
	fflush(stdout);
	endwin();
	if (exit_ca_mode == NULL && clr_eol != NULL)
		putp(clr_eol);
	fflush(stdout);
	signals_hold();
}

static const char without[] =
    "without one: shardplan --linear asks and answers in plain lines,\n"
    "shardplan map and shardplan estimate print (see shardplan --help)\n";

/* Begin with curses, where this terminal can show a screen; says why not. */
static bool
begin_screen(struct terminal *t)
{
	const char *term = getenv("TERM");

	t->screen = newterm(NULL, stdout, stdin);
	if (t->screen != NULL && cursor_address != NULL)
		return true;
	if (t->screen != NULL) {
		reset_shell_mode();
		delscreen(t->screen);
	}
	out_line(stderr, "shardplan: terminal type \"%s\" is unknown or too simple;",
	    term != NULL ? term : "");
	out_line(stderr, "try TERM=xterm-256color or TERM=vt100;");
	out_text(stderr, without);
	return false;
}

static enum theme_colors
color_depth(enum color_when color)
{
	const char *no_color = getenv("NO_COLOR");

	if (color == COLOR_NEVER || !has_colors())
		return THEME_MONO;
	if (color == COLOR_AUTO && no_color != NULL && no_color[0] != '\0')
		return THEME_MONO;
	if (start_color() == ERR || use_default_colors() == ERR || COLORS < 8)
		return THEME_MONO;
#if !defined NCURSES_EXT_COLORS || !NCURSES_EXT_COLORS
	if (COLORS > 256) /* no pairs of such colours: the first eight are as everywhere */
		return THEME_8;
#endif
	return COLORS > 256 ? THEME_DIRECT : COLORS == 256 ? THEME_256 : COLORS >= 16 ? THEME_16 : THEME_8;
}

/* Ctrl-S is a key: it must not freeze the screen until somebody thinks of Ctrl-Q. */
static void
ignore_flow_control(void)
{
	struct termios tty;

	if (tcgetattr(STDIN_FILENO, &tty) != 0)
		return;
	tty.c_iflag &= ~(tcflag_t)IXON;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &tty) == 0)
		def_prog_mode();
}

/* The size of the terminal, as far as one is sensible; false where it does not tell. */
static bool
read_size(int *w, int *h)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
		return false;
	*w = size.ws_col < SIZE_MOST ? size.ws_col : SIZE_MOST;
	*h = size.ws_row < SIZE_MOST ? size.ws_row : SIZE_MOST;
	return true;
}

/* Where curses looks first: it must not take a size that is not sensible itself. */
static void
tell_size(void)
{
	int w, h;

	if (!read_size(&w, &h))
		return;
	setenv("COLUMNS", TEXT_OF(16, "%d", w), 1);
	setenv("LINES", TEXT_OF(16, "%d", h), 1);
}

static void
take_size(struct terminal *t)
{
	int w = COLS < SIZE_MOST ? COLS : SIZE_MOST, h = LINES < SIZE_MOST ? LINES : SIZE_MOST;

	read_size(&w, &h);
	if (w != COLS || h != LINES)
		resizeterm(h, w);
	t->w = COLS;
	t->h = LINES;
}

/* Write what waits, and what curses has to write; the terminal may take its time. */
static void
send_changes(void)
{
	signals_let_in();
	fflush(stdout);
	refresh();
	signals_hold();
}

/* Bytes of our own, before the next picture: alone each of them would be a write, and a packet of SSH.
 * False where the terminal's type is of none that knows them. */
static bool
send_with_next(const struct terminal *t, const char *bytes)
{
	if (t->marks_pastes) /* terminals that know the one know the other */
		fputs(bytes, stdout);
	return t->marks_pastes;
}

static int32_t find_key(const char *sequence);

bool
term_open(struct terminal *t, enum color_when color)
{
	struct signals_back back;

	*t = (struct terminal){ .decoder.find = find_key };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		out_line(stderr, "shardplan: the screen needs a terminal;");
		out_text(stderr, without);
		return false;
	}
	tell_size();
	tcgetattr(STDIN_FILENO, &back.modes);
	if (!begin_screen(t))
		return false;
	back_fetch(&back);
	signals_take(&back); /* after curses, which takes some itself */
	take_size(t);
	cbreak();
	noecho();
	nonl();
	ignore_flow_control();
	/*
	 * Until the screen has been left once, curses sends every movement of the cursor by
	 * itself (ncurses/tty/lib_mvcur.c, ewInitial): dozens of writes a picture, each a packet
	 * of SSH and a half-drawn screen. Back at once, before there are colours: with them
	 * curses resets the terminal's palette, which the user may have set.
	 */
	endwin();
	send_changes();
	clearok(curscr, TRUE); /* a picture on a cleared screen is shorter than its changes */
	keypad(stdscr, TRUE);
	t->colors = color_depth(color);
	t->utf8 = locale_utf8();
	t->has_mouse = key_mouse != NULL;
	t->marks_pastes = t->has_mouse; /* terminals that know the one know the other */
	send_with_next(t, paste_on);
	return true;
}

/* An answer that is still under way would be typed into the shell: wait for it as long as a far
 * terminal takes. */
static void
await_answer(struct terminal *t)
{
	struct timespec now;
	char rest[DECODE_BYTES];

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (t->asked.tv_sec == 0 || t->decoder.is_told || now.tv_sec - t->asked.tv_sec > 1)
		return;
	if (signals_wait(STDIN_FILENO, ANSWER_MS) && read(STDIN_FILENO, rest, sizeof rest) < 0)
		errno = 0;
}

static void
forget_pairs(struct terminal *t)
{
	for (int i = 0; i < PAIR_COLORS; i++) {
		free(t->pair[i]);
		t->pair[i] = NULL;
	}
	t->pairs = 0;
}

void
term_close(struct terminal *t)
{
	signals_make_room();
	await_answer(t);
	leave(t);
	delscreen(t->screen);
	forget_pairs(t);
	free(t->cell);
	canvas_free(&t->shown);
	signals_give();
}

#if defined NCURSES_EXT_COLORS && NCURSES_EXT_COLORS
/* What a terminal of direct colours calls a colour of the palette. Such terminals take the
 * lowest numbers for the palette all the same, so darkest blues get a trace of red. */
static int
direct_color(int color)
{
	int rgb;

	if (color < 8)
		return color;
	rgb = (int)theme_rgb(color);
	return rgb < 256 ? rgb | 0x010000 : rgb;
}
#endif

static void
make_pair(const struct terminal *t, int pair, struct look look)
{
#if defined NCURSES_EXT_COLORS && NCURSES_EXT_COLORS
	if (t->colors == THEME_DIRECT) {
		init_extended_pair(pair, direct_color(look.fg), direct_color(look.bg));
		return;
	}
#endif
	init_pair((short)pair, look.fg, look.bg);
}

/* The colour pair for a look, made when first needed; 0 is the terminal's own, and has to
 * do when there are no more: with 8 colours there are 63. Text in that colour has a pair all
 * the same: without one, curses would reset all attributes each time it comes back to it. */
static short
pair_of(struct terminal *t, struct look look)
{
	short **row = &t->pair[look.fg + 1], *pair;

	if (*row == NULL)
		*row = calloc(PAIR_COLORS, sizeof **row);
	pair = *row != NULL ? *row + look.bg + 1 : NULL;
	if (pair != NULL && *pair != 0)
		return *pair;
	if (pair == NULL || t->pairs + 1 >= COLOR_PAIRS || t->pairs + 1 > SHRT_MAX) {
		t->short_of_pairs = true;
		return 0;
	}
	t->pairs++;
	make_pair(t, t->pairs, look);
	return *pair = (short)t->pairs;
}

/* Cells beside each other, which go to curses at once; the last one again is taken as it is. */
struct strip {
	struct terminal *t;
	int w;            /* of a row */
	int at, count;
	wchar_t ch;       /* of the last one */
	struct look look;
	bool plain, any;
	attr_t attr;
	short pair;
	cchar_t cell[64];
};

static void
strip_put(struct strip *s)
{
	if (s->count > 0)
		mvadd_wchnstr(s->at / s->w, s->at % s->w, s->cell, s->count);
	s->count = 0;
}

static void
strip_look(struct strip *s, struct look look, bool plain)
{
	if (s->any && plain == s->plain && memcmp(&look, &s->look, sizeof look) == 0)
		return;
	s->any = true;
	s->look = look;
	s->plain = plain;
	s->pair = plain || s->t->colors == THEME_MONO ? 0 : pair_of(s->t, look);
	s->attr = (look.bold ? A_BOLD : A_NORMAL) | (look.dim ? A_DIM : A_NORMAL) |
	    (look.underline ? A_UNDERLINE : A_NORMAL) | (look.reverse ? A_REVERSE : A_NORMAL);
	s->ch = L'\0';
}

static void
strip_add(struct strip *s, int at, wchar_t ch, struct look look, bool plain)
{
	const wchar_t text[2] = { ch, L'\0' };

	if (s->count == (int)COUNT(s->cell) || at != s->at + s->count || at % s->w == 0)
		strip_put(s);
	strip_look(s, look, plain);
	if (ch == s->ch && s->count > 0)
		s->cell[s->count] = s->cell[s->count - 1];
	else if (setcchar(&s->cell[s->count], text, s->attr, s->pair, NULL) != OK)
		return;
	s->ch = ch;
	if (s->count++ == 0)
		s->at = at;
}

/* Cells that changed, of a large picture in turns. Under: what stands there until its turn comes. */
static void
put_cells(struct terminal *t, const struct canvas *c, int n)
{
	const int turns = n >= LARGE ? looks_turns(t->cell, n, c->w) : 0;
	struct strip strip = { .t = t, .w = c->w };

	leaveok(stdscr, TRUE);
	for (int turn = 0; turn <= turns; turn++) {
		if (turn > 0)
			send_changes();
		for (int i = 0; i < n; i++) {
			const struct looks_cell *cell = &t->cell[i];

			if (cell->turn == turn)
				strip_add(&strip, cell->at, c->cell[cell->at].ch, cell->look, cell->plain);
			else if (turn == 0 && cell->under.bg >= 0)
				strip_add(&strip, cell->at, L' ', cell->under, false);
		}
		strip_put(&strip);
	}
	leaveok(stdscr, FALSE);
	move(c->cursor_y, c->cursor_x);
	send_changes();
}

/* Nothing is known of what the screen shows. False without memory. */
static bool
forget_shown(struct terminal *t, const struct canvas *c)
{
	erase();
	canvas_free(&t->shown);
	free(t->cell);
	t->cell = malloc((size_t)c->w * (size_t)c->h * sizeof *t->cell);
	return t->cell != NULL;
}

bool
term_show(struct terminal *t, struct canvas *c)
{
	/* A terminal that can shows a large picture when all of it is there (mode 2026:
	 * https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036). */
	static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
	const bool whole = t->shown.w != c->w || t->shown.h != c->h;
	const bool was_short = t->short_of_pairs;
	struct canvas was;
	bool sync;
	int n;

	if (whole && !forget_shown(t, c))
		return false;
	n = looks_changed(c, whole ? NULL : &t->shown, t->colors, t->palette, t->cell);
	sync = t->decoder.syncs && n >= LARGE;
	if (sync)
		send_with_next(t, begin);
	t->short_of_pairs = false;
	put_cells(t, c, n);
	if (t->short_of_pairs && !was_short) {
		/* Pairs of earlier pictures are not needed any more: once more without them. */
		forget_pairs(t);
		put_cells(t, c, looks_changed(c, NULL, t->colors, t->palette, t->cell));
	}
	if (sync)
		term_copy(t, end, sizeof end - 1);
	was = t->shown;
	t->shown = *c;
	*c = was;
	return true;
}

void
term_palette(struct terminal *t, enum theme_palette palette)
{
	if (palette == t->palette)
		return;
	t->palette = palette;
	canvas_free(&t->shown); /* every cell is another one now */
}

void
term_mouse(struct terminal *t, bool on)
{
	if (on == t->mouse)
		return;
	t->mouse = on;
	signals_let_in();
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	signals_hold();
}

bool
term_copy(struct terminal *t, const char *bytes, size_t size)
{
	if (!t->marks_pastes)
		return false;
	signals_let_in();
	fwrite(bytes, 1, size, stdout);
	fflush(stdout);
	signals_hold();
	return true;
}

void
term_ask(struct terminal *t)
{
	/* xterm's control sequences: DECRQM of mode 2026, and OSC 11, which more terminals answer, last. */
	static const char question[] = "\033[?2026$p\033]11;?\033\\";

	if (t->colors > THEME_MONO && send_with_next(t, question))
		clock_gettime(CLOCK_MONOTONIC, &t->asked);
}

void
term_title(struct terminal *t, const char *title)
{
	if (text_equal(title, t->title) || getenv("TMUX") != NULL || getenv("STY") != NULL)
		return;
	if (send_with_next(t, TEXT_OF(sizeof t->title + 32,
	    "%s\033]2;%s\033\\", t->title[0] == '\0' ? title_keep : "", title)))
		text_put(t->title, sizeof t->title, "%s", title);
}

void
term_bell(void)
{
	beep();
}

void
term_repaint(struct terminal *t)
{
	canvas_free(&t->shown);
	clearok(curscr, TRUE);
}

void
term_resume(struct terminal *t)
{
	signals_let_in();
	reset_prog_mode();
	keypad(stdscr, TRUE);
	signals_hold();
	take_size(t);
	term_repaint(t);
}

void
term_leave(struct terminal *t)
{
	leave(t);
}

void
term_return(struct terminal *t)
{
	t->decoder.count = 0; /* with a stop the kernel forgets keys, maybe the end of a paste */
	t->decoder.pasting = t->decoder.answering = false;
	term_resume(t);
	send_with_next(t, paste_on);
}

void
term_suspend(struct terminal *t, bool job)
{
	term_leave(t);
	signals_stop(job);
	term_return(t);
}

/* What the terminal's type calls the keys that are used here. */
static int32_t
find_key(const char *sequence)
{
	static const struct {
		int curses;
		int32_t input;
	} table[] = {
		{ KEY_UP, INPUT_UP }, { KEY_DOWN, INPUT_DOWN }, { KEY_LEFT, INPUT_LEFT },
		{ KEY_RIGHT, INPUT_RIGHT }, { KEY_HOME, INPUT_HOME }, { KEY_END, INPUT_END },
		{ KEY_PPAGE, INPUT_PAGE_UP }, { KEY_NPAGE, INPUT_PAGE_DOWN },
		{ KEY_BACKSPACE, INPUT_BACKSPACE }, { KEY_DC, INPUT_DELETE },
		{ KEY_BTAB, INPUT_BACK_TAB }, { KEY_ENTER, INPUT_ENTER }, { KEY_MOUSE, INPUT_MOUSE },
	};
	const int code = key_defined(sequence);

	if (code <= 0)
		return code == 0 ? DECODE_UNKNOWN : DECODE_PART;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return INPUT_F1 + (code - KEY_F(1));
	for (size_t i = 0; i < COUNT(table); i++)
		if (table[i].curses == code)
			return table[i].input;
	return DECODE_UNUSED;
}
