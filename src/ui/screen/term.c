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
#include <poll.h>
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
	UNDERLINE_BIT = 2, DIM_BIT = 16, /* in terminfo's no_color_video */
	LARGE = 256,       /* cells of a picture that is shown when all of it is there */
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
	const int many = tigetnum("colors");

	if (color == COLOR_NEVER)
		return THEME_MONO;
	if (color == COLOR_AUTO && no_color != NULL && no_color[0] != '\0')
		return THEME_MONO;
	if (set_a_foreground == NULL || set_a_background == NULL || orig_pair == NULL || many < 8)
		return THEME_MONO;
	return many > 256 ? THEME_DIRECT : many == 256 ? THEME_256 : many >= 16 ? THEME_16 : THEME_8;
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

/* Write what waits, and these bytes; the terminal may take its time. */
static void
write_bytes(const char *bytes, size_t n)
{
	signals_let_in();
	fflush(stdout);
	while (n > 0) {
		const ssize_t written = write(STDOUT_FILENO, bytes, n);

		if (written < 0 && errno == EAGAIN) /* whoever had the terminal before left it so */
			poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
		else if (written < 0 && errno != EINTR)
			break;
		if (written > 0) {
			bytes += written;
			n -= (size_t)written;
		}
	}
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
static send_word terminal_word;

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
	refresh(); /* what curses writes to begin; no more comes from it but to leave the screen */
	keypad(stdscr, TRUE);
	t->colors = color_depth(color);
	t->utf8 = locale_utf8();
	t->send = (struct send){ .word = terminal_word, .colors = t->colors, .utf8 = t->utf8,
		.erases_ground = back_color_erase, .scrolls = auto_right_margin && !eat_newline_glitch,
		.dim_alone = no_color_video > 0 && (no_color_video & DIM_BIT) != 0,
		.underline_alone = no_color_video > 0 && (no_color_video & UNDERLINE_BIT) != 0 };
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

void
term_close(struct terminal *t)
{
	signals_make_room();
	await_answer(t);
	leave(t);
	delscreen(t->screen);
	free(t->cell);
	free(t->send.bytes);
	canvas_free(&t->shown);
	signals_give();
}

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

/* A capability without the delays that terminals of old needed ("$<2>"). */
static void
take_word(char word[SEND_WORD], const char *text)
{
	text_put(word, SEND_WORD, "%s", text != NULL && text != (char *)-1 ? text : "");
	word[strcspn(word, "$")] = '\0';
}

/* All attributes off, without the character sets that are never changed. */
static const char *
plain_look(void)
{
	return exit_attribute_mode != NULL && strstr(exit_attribute_mode, "\033[m") != NULL ? "\033[m" :
	    exit_attribute_mode;
}

/* What the terminal's type says with no number, NULL for what takes some. */
static const char *
fixed_word(enum send_what what)
{
	switch (what) {
	case SEND_CLEAR: return clear_screen;
	case SEND_ERASE_LINE: return clr_eol;
	case SEND_PLAIN: return plain_look();
	case SEND_BOLD: return enter_bold_mode;
	case SEND_DIM: return enter_dim_mode;
	case SEND_UNDERLINE: return enter_underline_mode;
	case SEND_REVERSE: return enter_reverse_mode;
	default: return NULL;
	}
}

static const char *
numbered_word(enum send_what what)
{
	switch (what) {
	case SEND_MOVE: return cursor_address;
	case SEND_COLUMN: return column_address;
	case SEND_RIGHT: return parm_right_cursor;
	case SEND_LEFT: return parm_left_cursor;
	case SEND_UP: return parm_up_cursor;
	case SEND_DOWN: return parm_down_cursor;
	case SEND_ERASE: return erase_chars;
	case SEND_INK: return set_a_foreground;
	case SEND_GROUND: return set_a_background;
	default: return NULL;
	}
}

/* One cell, which is shorter where it has a word of its own; not a line feed, which goes to column 0 too on some. */
static const char *
single_word(enum send_what what)
{
	switch (what) {
	case SEND_RIGHT: return cursor_right;
	case SEND_LEFT: return cursor_left;
	case SEND_UP: return cursor_up;
	default: return NULL;
	}
}

/* How this terminal says it (send.h). */
static void
terminal_word(enum send_what what, int a, int b, char word[SEND_WORD])
{
	const bool is_color = what == SEND_INK || what == SEND_GROUND;
	const char *numbered = numbered_word(what), *single = a == 1 ? single_word(what) : NULL;

	if (single != NULL)
		take_word(word, single);
	else if (numbered == NULL)
		take_word(word, fixed_word(what));
	else if (is_color && a < 0) /* "AX": it knows ANSI's own colours one by one */
		take_word(word, tigetflag("AX") <= 0 ? "" : what == SEND_INK ? "\033[39m" : "\033[49m");
	else
		take_word(word, tiparm(numbered, is_color && tigetnum("colors") > 256 ? direct_color(a) : a, b));
}

/* Cells that changed. */
static void
put_cells(struct terminal *t, const struct canvas *c, int n, bool whole, bool sync)
{
	/* A terminal that can shows a large picture when all of it is there (mode 2026:
	 * https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036). */
	static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";

	if (!send_cells(&t->send, c, t->cell, n, whole))
		return;
	if (sync)
		send_with_next(t, begin);
	write_bytes(t->send.bytes, t->send.size);
	if (sync)
		term_copy(t, end, sizeof end - 1);
}

/* Nothing is known of what the screen shows. False without memory. */
static bool
forget_shown(struct terminal *t, const struct canvas *c)
{
	canvas_free(&t->shown);
	free(t->cell);
	t->cell = malloc((size_t)c->w * (size_t)c->h * sizeof *t->cell);
	return t->cell != NULL;
}

bool
term_show(struct terminal *t, struct canvas *c)
{
	const bool whole = t->shown.w != c->w || t->shown.h != c->h;
	struct canvas was;
	int n;

	if (whole && !forget_shown(t, c))
		return false;
	n = looks_changed(c, whole ? NULL : &t->shown, t->colors, t->palette, t->cell);
	t->send.palette = t->palette;
	put_cells(t, c, n, whole, t->decoder.syncs && n >= LARGE);
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
}

void
term_resume(struct terminal *t)
{
	signals_let_in();
	reset_prog_mode();
	keypad(stdscr, TRUE);
	refresh();
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
