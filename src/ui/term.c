#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
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
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "out/out.h"
#include "ui/locale.h"
#include "ui/looks.h"
#include "ui/term.h"

static const int ending[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT };
static const int crashing[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Signal handlers have nothing but globals; these are all there are. */
static volatile sig_atomic_t got_ending, got_stop, got_continue, mouse_on;

static sigset_t usual_mask; /* of signals, while waiting for a key */

/* What gives the terminal back, fetched at the start: crash handlers must not call endwin. */
static struct {
	struct termios modes;
	char text[256];
	size_t length;
} back;

static void
on_ending(int sig)
{
	got_ending = sig;
}

static void
on_stop(int sig)
{
	(void)sig;
	got_stop = 1;
}

static void
on_continue(int sig)
{
	(void)sig;
	got_continue = 1;
}

static void
on_crash(int sig)
{
	static const char message[] =
	    "\nshardplan crashed; the plan on disk is as last saved, and unsaved work of a second "
	    "ago is offered when it is opened again. Please report this.\n";
	static const char no_mouse[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l";
	ssize_t n = write(STDOUT_FILENO, back.text, back.length);

	if (mouse_on != 0) /* curses took what terminals like xterm know */
		n += write(STDOUT_FILENO, no_mouse, sizeof no_mouse - 1);
	tcsetattr(STDIN_FILENO, TCSANOW, &back.modes);
	n += write(STDERR_FILENO, message, sizeof message - 1);
	(void)n;
	raise(sig); /* SA_RESETHAND: now the default action, so the status is right */
}

static void
back_fetch(void)
{
	static const char *const capability[] = { "rmkx", "sgr0", "rmcup", "ed" };

	back.length = 0;
	tcgetattr(STDIN_FILENO, &back.modes);
	for (size_t i = 0; i < COUNT(capability); i++) {
		const char *text = tigetstr(capability[i]);
		/* Up to a delay ("$<2>"): terminals that need one are long gone. */
		size_t n = text != NULL && text != (char *)-1 ? strcspn(text, "$") : 0;

		if (n > 0 && back.length + n <= sizeof back.text) {
			memcpy(back.text + back.length, text, n);
			back.length += n;
		}
	}
}

static void
handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

/* Leave the screen. Where the picture stays, the shell goes on in its last line. */
static void
leave(void)
{
	endwin();
	if (exit_ca_mode == NULL && clr_eol != NULL)
		putp(clr_eol);
	fflush(stdout);
}

static void
handle_all(void)
{
	static char stack[65536]; /* a crash may be an overflow of the usual one */
	stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
	sigset_t held;

	sigaltstack(&other, NULL);
	for (size_t i = 0; i < COUNT(crashing); i++)
		handle(crashing[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
	term_watch_signals();
	handle(SIGTSTP, on_stop, 0);
	handle(SIGCONT, on_continue, 0);
	handle(SIGWINCH, on_continue, 0); /* cells may be lost, even if the size is as before */
	/* All these are let in only while waiting for a key, so that none is missed between
	 * looking at its flag and waiting. */
	sigemptyset(&held);
	for (size_t i = 0; i < COUNT(ending); i++)
		sigaddset(&held, ending[i]);
	sigaddset(&held, SIGTSTP);
	sigaddset(&held, SIGCONT);
	sigaddset(&held, SIGWINCH);
	sigprocmask(SIG_BLOCK, &held, &usual_mask);
}

static void
handle_none(void)
{
	for (size_t i = 0; i < COUNT(crashing); i++)
		handle(crashing[i], SIG_DFL, 0);
	for (size_t i = 0; i < COUNT(ending); i++)
		handle(ending[i], SIG_DFL, 0);
	handle(SIGTSTP, SIG_DFL, 0);
	handle(SIGCONT, SIG_DFL, 0);
	handle(SIGWINCH, SIG_DFL, 0);
	sigprocmask(SIG_SETMASK, &usual_mask, NULL);
}

/* Whether this terminal can show a screen; says why not. */
static bool
is_able(void)
{
	static const char other[] =
	    "without one: shardplan --linear asks and answers in plain lines,\n"
	    "shardplan map and shardplan estimate print (see shardplan --help)\n";
	const char *term = getenv("TERM");
	bool able = false;
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		out_line(stderr, "shardplan: the screen needs a terminal;");
		out_text(stderr, other);
		return false;
	}
	if (setupterm(NULL, STDOUT_FILENO, &err) == OK) {
		able = cursor_address != NULL;
		back_fetch();
		del_curterm(cur_term); /* newterm reads it again */
	}
	if (!able) {
		out_line(stderr, "shardplan: terminal type \"%s\" is unknown or too simple;",
		    term != NULL ? term : "");
		out_line(stderr, "try TERM=xterm-256color or TERM=vt100;");
		out_text(stderr, other);
	}
	return able;
}

static enum theme_colors
color_depth(const struct app_options *options)
{
	const char *no_color = getenv("NO_COLOR");

	if (options->color == APP_COLOR_NEVER || !has_colors())
		return THEME_MONO;
	if (options->color == APP_COLOR_AUTO && no_color != NULL && no_color[0] != '\0')
		return THEME_MONO;
	if (start_color() == ERR || use_default_colors() == ERR || COLORS < 8)
		return THEME_MONO;
#if !defined NCURSES_EXT_COLORS || !NCURSES_EXT_COLORS
	if (COLORS > 256) /* no pairs of such colours: the first eight are as everywhere */
		return THEME_8;
#endif
	return COLORS >= 256 ? THEME_256 : COLORS >= 16 ? THEME_16 : THEME_8;
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

/* Arrows with Shift, Alt or Ctrl mean nothing, rather than the six keys that they are to
 * terminals like screen. */
static void
ignore_modified(void)
{
	char text[] = "\033[1;2A";

	for (; text[4] <= '8'; text[4]++)
		for (const char *last = "ABCDFH"; *last != '\0'; last++) {
			text[5] = *last;
			if (key_defined(text) == 0)
				define_key(text, KEY_MAX);
		}
}

bool
term_open(struct terminal *t, const struct app_options *options)
{
	*t = (struct terminal){ 0 };
	if (!is_able())
		return false;
	handle_all();
	t->screen = newterm(NULL, stdout, stdin);
	if (t->screen == NULL) {
		handle_none();
		out_line(stderr, "shardplan: the terminal could not be started");
		return false;
	}
	set_escdelay(25);
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
	refresh();
	clearok(curscr, TRUE); /* a picture on a cleared screen is shorter than its changes */
	keypad(stdscr, TRUE);
	ignore_modified();
	nodelay(stdscr, TRUE); /* waiting is done by ppoll */
	handle(SIGTSTP, on_stop, 0); /* curses put its own */
	t->colors = color_depth(options);
	t->direct = COLORS > 256;
	mouseinterval(0); /* a click is there when the button goes down */
	t->utf8 = locale_utf8();
	t->w = COLS;
	t->h = LINES;
	return true;
}

void
term_close(struct terminal *t)
{
	leave();
	delscreen(t->screen);
	canvas_free(&t->shown);
	mouse_on = 0;
	handle_none();
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
	if (t->direct) {
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
	short *pair = &t->pair[look.fg + 1][look.bg + 1];

	if (*pair != 0)
		return *pair;
	if (t->pairs + 1 >= COLOR_PAIRS || t->pairs + 1 > SHRT_MAX) {
		t->short_of_pairs = true;
		return 0;
	}
	t->pairs++;
	make_pair(t, t->pairs, look);
	return *pair = (short)t->pairs;
}

static void
show_cell(struct terminal *t, const struct canvas *c, int x, int y)
{
	const wchar_t text[2] = { c->cell[y * c->w + x].ch, L'\0' };
	struct look look;
	const bool plain = !looks_of(c, x, y, t->colors, t->palette, &look);
	const short pair = plain || t->colors == THEME_MONO ? 0 : pair_of(t, look);
	attr_t attr = A_NORMAL;
	cchar_t out;

	if (look.bold)
		attr |= A_BOLD;
	if (look.dim)
		attr |= A_DIM;
	if (look.underline)
		attr |= A_UNDERLINE;
	if (look.reverse)
		attr |= A_REVERSE;
	if (setcchar(&out, text, attr, pair, NULL) == OK)
		mvadd_wch(y, x, &out);
}

static bool
same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && memcmp(&a->style, &b->style, sizeof a->style) == 0;
}

static void
show_cells(struct terminal *t, const struct canvas *c, bool whole)
{
	for (int y = 0; y < c->h; y++) {
		int last = -LOOKS_GAP - 1; /* cell that changed */

		for (int x = 0; x < c->w; x++) {
			const struct cell *now = &c->cell[y * c->w + x], *was = &t->shown.cell[y * c->w + x];
			bool wide = x + 1 < c->w && now[1].ch == L'\0';

			if (now->ch == L'\0')
				continue;
			if (whole || !same_cell(now, was) || (wide && !same_cell(now + 1, was + 1)))
				last = x;
			/* Blanks follow the colour of the word before them. */
			if (last == x || (now->ch == L' ' && x - last <= LOOKS_GAP))
				show_cell(t, c, x, y);
		}
	}
}

void
term_show(struct terminal *t, const struct canvas *c)
{
	const bool was_short = t->short_of_pairs;
	bool whole = t->shown.w != c->w || t->shown.h != c->h;

	if (whole) {
		canvas_free(&t->shown);
		erase();
		/* Without memory for the copy every cell is touched each time: right, only slower. */
		whole = !canvas_init(&t->shown, c->w, c->h, c->utf8);
	}
	t->short_of_pairs = false;
	show_cells(t, c, whole);
	if (t->short_of_pairs && !was_short) {
		/* Pairs of earlier pictures are not needed any more: once more without them. */
		memset(t->pair, 0, sizeof t->pair);
		t->pairs = 0;
		show_cells(t, c, true);
	}
	if (!whole)
		memcpy(t->shown.cell, c->cell, (size_t)c->w * (size_t)c->h * sizeof *c->cell);
	move(c->cursor_y, c->cursor_x);
	refresh();
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
	mouse_on = on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

void
term_repaint(struct terminal *t)
{
	(void)t;
	clearok(curscr, TRUE);
}

static void
read_size(struct terminal *t)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	t->w = COLS;
	t->h = LINES;
}

/* After a stop, which sizes change in unnoticed, or another size. */
static void
resume(struct terminal *t)
{
	got_continue = 0;
	reset_prog_mode();
	read_size(t);
	clearok(curscr, TRUE);
}

void
term_suspend(struct terminal *t, bool job)
{
	sigset_t set;

	leave();
	handle(SIGTSTP, SIG_DFL, 0);
	kill(job ? 0 : getpid(), SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* here it stops, and goes on with fg */
	sigprocmask(SIG_BLOCK, &set, NULL);
	handle(SIGTSTP, on_stop, 0);
	got_stop = 0;
	resume(t);
}

int
term_signal(void)
{
	return got_ending;
}

void
term_watch_signals(void)
{
	for (size_t i = 0; i < COUNT(ending); i++)
		handle(ending[i], on_ending, 0); /* no SA_RESTART: waiting ends */
}

static int32_t
translate_mouse(struct terminal *t)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return INPUT_NONE;
	t->event = (struct mouse){ .x = event.x, .y = event.y };
	if ((event.bstate & BUTTON4_PRESSED) != 0)
		t->event.action = MOUSE_WHEEL_UP;
	else if ((event.bstate & BUTTON5_PRESSED) != 0)
		t->event.action = MOUSE_WHEEL_DOWN;
	else if ((event.bstate & BUTTON1_PRESSED) == 0)
		return INPUT_NONE;
	return INPUT_MOUSE;
}

static int32_t
translate(struct terminal *t, bool is_function, wint_t ch)
{
	static const struct {
		wint_t curses;
		int32_t input;
	} table[] = {
		{ KEY_UP, INPUT_UP }, { KEY_DOWN, INPUT_DOWN }, { KEY_LEFT, INPUT_LEFT },
		{ KEY_RIGHT, INPUT_RIGHT }, { KEY_HOME, INPUT_HOME }, { KEY_END, INPUT_END },
		{ KEY_PPAGE, INPUT_PAGE_UP }, { KEY_NPAGE, INPUT_PAGE_DOWN },
		{ KEY_BACKSPACE, INPUT_BACKSPACE }, { KEY_DC, INPUT_DELETE },
		{ KEY_BTAB, INPUT_BACK_TAB }, { KEY_ENTER, INPUT_ENTER },
	};

	if (!is_function)
		return ch == 127 || ch == 8 ? INPUT_BACKSPACE : ch == '\n' ? INPUT_ENTER : (int32_t)ch;
	if (ch == KEY_RESIZE) {
		t->w = COLS;
		t->h = LINES;
		return INPUT_RESIZE;
	}
	if (ch == KEY_MOUSE)
		return translate_mouse(t);
	if (ch >= KEY_F(1) && ch <= KEY_F(12))
		return INPUT_F1 + (int32_t)(ch - KEY_F(1));
	for (size_t i = 0; i < COUNT(table); i++)
		if (table[i].curses == ch)
			return table[i].input;
	return INPUT_NONE;
}

/* What signals ask for, before any key. */
static int32_t
signal_key(struct terminal *t)
{
	if (got_ending != 0)
		return INPUT_SIGNAL;
	if (got_stop != 0)
		return INPUT_STOP;
	if (got_continue != 0) {
		resume(t);
		return INPUT_RESIZE;
	}
	return INPUT_NONE;
}

/* Wait until there is something to read, a signal came, or the time is over (-1: for
 * ever), which empties *wait_ms. False when the terminal is gone. */
static bool
wait_input(int *wait_ms)
{
	const struct timespec time = { *wait_ms / 1000, *wait_ms % 1000 * 1000000L };
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	const int ready = ppoll(&fd, 1, *wait_ms < 0 ? NULL : &time, &usual_mask);

	if (ready < 0)
		return errno == EINTR;
	if (ready == 0)
		*wait_ms = 0;
	return ready == 0 || (fd.revents & POLLIN) != 0;
}

int32_t
term_key(struct terminal *t, int wait_ms)
{
	int empty = 0;

	for (;;) {
		int32_t key = signal_key(t);
		wint_t ch;
		int kind;

		if (key != INPUT_NONE)
			return key;
		kind = get_wch(&ch);
		if (kind != ERR) {
			key = translate(t, kind == KEY_CODE_YES, ch);
			if (key != INPUT_NONE || wait_ms == 0)
				return key;
			continue;
		}
		if (wait_ms == 0)
			return INPUT_NONE;
		/* Readable without anything to read, again and again: end of file. */
		if (empty++ > 3)
			return INPUT_GONE;
		if (!wait_input(&wait_ms))
			return INPUT_GONE;
		if (got_ending != 0 || got_stop != 0 || got_continue != 0)
			empty = 0;
	}
}

void
term_forget_keys(struct terminal *t)
{
	(void)t;
	flushinp();
}
