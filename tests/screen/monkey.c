/*
 * monkey PROGRAM PLAN KEYS [SEED [tame]] - types random keys into the screen in a pty, resizes
 * it and sends it signals, and fails unless the program lives, leaves the terminal as it found
 * it, and the plan file can still be read.
 *
 * KEYS is a number of keys, or of seconds: 600s. A tame monkey types only what keys send, and
 * its terminal has a size that terminals have.
 *
 * It runs in the current directory, which fills up with whatever the keys save.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

/* BABBLE: bursts of bytes that are no keys, in one run of the program. */
enum { BURST_MOST = 24, KEY_SIZE = 32, TAIL = 4096, PATIENCE_MS = 60000, BABBLE = 20 };

struct monkey {
	const char *program, *plan;
	pid_t pid;
	int fd;
	int tty;              /* the same terminal, kept open while no program runs */
	struct termios before;
	uint64_t random;
	bool tame;
	int signal;           /* sent to end it, 0 while none was */
	long keys, starts, resizes, signals;
	char tail[TAIL + 1];  /* the last of what the program wrote */
	size_t tails;
	/* Modes that a program switches on and must switch off, by what it wrote. */
	bool screen, hidden, mouse, pastes;
};

static uint64_t
roll(struct monkey *m, uint64_t n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random % n;
}

static _Noreturn void
fail(const struct monkey *m, const char *what)
{
	if (m->pid > 0)
		kill(m->pid, SIGKILL);
	fprintf(stderr, "monkey: %s after %ld keys; the end of its output:\n%s\n", what, m->keys,
	    m->tail);
	exit(1);
}

/* The mode that the last of two sequences in the text leaves. */
static bool
mode_after(const char *text, const char *on, const char *off, bool was)
{
	const char *last_on = NULL, *last_off = NULL;

	for (const char *at = text; (at = strstr(at, on)) != NULL; at++)
		last_on = at;
	for (const char *at = text; (at = strstr(at, off)) != NULL; at++)
		last_off = at;
	if (last_on == NULL && last_off == NULL)
		return was;
	return last_off == NULL || (last_on != NULL && last_on > last_off);
}

/* Keep the end of what was written. At most half of what fits comes at once, so that no mode
 * goes by unseen. */
static void
note(struct monkey *m, const char *buf, size_t n)
{
	const size_t keep = m->tails < TAIL - n ? m->tails : TAIL - n;

	memmove(m->tail, m->tail + m->tails - keep, keep);
	for (size_t i = 0; i < n; i++)
		m->tail[keep + i] = buf[i] != '\0' ? buf[i] : ' ';
	m->tails = keep + n;
	m->tail[m->tails] = '\0';
	m->screen = mode_after(m->tail, "\033[?1049h", "\033[?1049l", m->screen);
	m->hidden = mode_after(m->tail, "\033[?25l", "\033[?25h", m->hidden);
	m->mouse = mode_after(m->tail, "\033[?1000h", "\033[?1000l", m->mouse);
	m->pastes = mode_after(m->tail, "\033[?2004h", "\033[?2004l", m->pastes);
}

/* Take what it wrote, waiting at most so long for the first of it. */
static bool
drain(struct monkey *m, int ms)
{
	struct pollfd fd = { .fd = m->fd, .events = POLLIN };
	char buf[TAIL / 2];
	ssize_t n = 0;
	bool any = false;

	while (poll(&fd, 1, any ? 0 : ms) > 0 && (n = read(m->fd, buf, sizeof buf)) > 0) {
		note(m, buf, (size_t)n);
		any = true;
	}
	return any;
}

/* The modes are read before the program is there: one that starts fast has set its own. */
static void
start(struct monkey *m)
{
	struct winsize size = { .ws_row = 40, .ws_col = 120 };

	if (openpty(&m->fd, &m->tty, NULL, NULL, &size) != 0) {
		perror("monkey: openpty");
		exit(99);
	}
	if (fcntl(m->fd, F_SETFL, O_NONBLOCK) != 0 || tcgetattr(m->tty, &m->before) != 0)
		fail(m, "no terminal");
	m->pid = fork();
	if (m->pid < 0) {
		perror("monkey: fork");
		exit(99);
	}
	if (m->pid == 0) {
		close(m->fd);
		if (login_tty(m->tty) == 0)
			execl(m->program, m->program, m->plan, (char *)NULL);
		perror(m->program);
		_exit(127);
	}
	m->signal = 0;
	m->starts++;
	m->tails = 0;
	m->screen = m->hidden = m->mouse = m->pastes = false;
	if (!drain(m, PATIENCE_MS))
		fail(m, "no screen");
}

/* By a key, or by the signal that was sent. */
static bool
ended_well(const struct monkey *m, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (m->signal == 0)
		return false;
	return WIFEXITED(status) ? WEXITSTATUS(status) == 128 + m->signal :
				   WTERMSIG(status) == m->signal;
}

/* It ended: must have been well, and the terminal be as it was. */
static void
check_end(struct monkey *m, int status)
{
	struct termios after;

	while (drain(m, 100)) /* the kernel hands on the last of it when it likes */
		;
	if (!ended_well(m, status)) {
		fprintf(stderr, "monkey: status %#x\n", (unsigned)status);
		fail(m, "it did not end by itself");
	}
	if (tcgetattr(m->tty, &after) != 0 || after.c_lflag != m->before.c_lflag ||
	    after.c_iflag != m->before.c_iflag || after.c_oflag != m->before.c_oflag)
		fail(m, "the terminal's modes are not as before");
	if (m->screen || m->hidden || m->mouse || m->pastes)
		fail(m, "the other screen, no cursor, the mouse or marks of pastes are left behind");
	close(m->tty);
	close(m->fd);
	m->pid = 0;
}

static bool
ended(struct monkey *m, int flags)
{
	int status;

	if (waitpid(m->pid, &status, flags | WUNTRACED) != m->pid)
		return false;
	if (WIFSTOPPED(status)) {
		kill(m->pid, SIGCONT);
		return false;
	}
	check_end(m, status);
	return true;
}

static void
add(char *buf, size_t *n, const char *text)
{
	size_t length = strlen(text);

	memcpy(buf + *n, text, length);
	*n += length;
}

/* Bytes above 0x7f that are no UTF-8: Latin-1, two of GB 18030 (whose second byte may be a
 * letter, which is left out here), the beginning of a character, the rest of one. */
static void
undecodable(struct monkey *m, char *buf, size_t *n)
{
	static const char *const cut[] = { "\xe4", "\xe4\xb8", "\xf0\x9f", "\xf0\x9f\x90", "\xc3",
		"\xad", "\xb8\xad", "\xed\xa0\x80", "\xc0\x80", "\xf5\x80\x80\x80", "\x9b",
		"\xff\xfe" };
	char some[8] = "";
	size_t length = 1 + roll(m, sizeof some - 1);

	if (roll(m, 2) == 0) {
		add(buf, n, cut[roll(m, sizeof cut / sizeof *cut)]);
		return;
	}
	for (size_t i = 0; i + 1 < length; i++)
		some[i] = (char)(0xa1 + roll(m, 0x5e));
	add(buf, n, some);
}

/* What a terminal would send, cut off or with nonsense in it. */
static void
fragment(struct monkey *m, char *buf, size_t *n)
{
	static const char *const begun[] = { "\033[", "\033O", "\033[<", "\033[M", "\033[200~",
		"\033[201~", "\033[?1;2c", "\033]11;rgb:", "\033P", "\033[1;5",
		"\033[99999999999;1M", "\033[<0;-1;5M", "\033[<0;70000;70000M", "\033[M\xff\xff\xff",
		"\033[I", "\033[27;5;9~" };
	static const char rest[] = "0123456789;:<?M~mRc \xff\x80";
	char some[8] = "";
	size_t length = roll(m, sizeof some - 1);

	for (size_t i = 0; i < length; i++)
		some[i] = rest[roll(m, sizeof rest - 1)];
	add(buf, n, begun[roll(m, sizeof begun / sizeof *begun)]);
	add(buf, n, some);
}

static void
random_key(struct monkey *m, char *buf, size_t *n)
{
	static const char *const special[] = {
		"\033[A", "\033[B", "\033[C", "\033[D", "\033OA", "\033OB", "\033OC", "\033OD",
		"\033[5~", "\033[6~", "\033[H", "\033[F", "\033[3~", "\033[Z", "\033OP", "\033OQ",
		"\033OR", "\033OS", "\033[15~", "\033[17~", "\033[18~", "\033[19~", "\033[20~",
		"\033", "\r", "\t", "\177", "\x0c", "\x12", "\xe4\xb8\xad", "\xf0\x9f\x90\x92", "\xff",
		"\x80", "\033[M !!", "\033[Mb!!", "\033[<0;5;5M\033[<0;5;5m", "\033[<64;40;12M",
		"\xe6\xb1", "\033[", "\033[1;2A", "\033[200~q\xe9:q!\r\033[201~", "\033[200~8\n\033[201~",
		":set parallel.pp 3\r", ":go layer 3\r", ":zoom cells\r", ":color pp\r",
		"/tp\r", "++", "--", "u", "uu",
	};
	char one[2] = "";

	m->keys++;
	if (!m->tame && roll(m, 6) == 0) {
		(roll(m, 2) == 0 ? undecodable : fragment)(m, buf, n);
		return;
	}
	switch (roll(m, 8)) {
	case 0:
	case 1:
	case 2:
		add(buf, n, special[roll(m, sizeof special / sizeof *special)]);
		break;
	case 3:
		one[0] = (char)(1 + roll(m, 31));
		if (strchr("\x03\x1c\x1a", one[0]) == NULL) /* these end or stop it */
			add(buf, n, one);
		break;
	default:
		one[0] = (char)(' ' + roll(m, 95));
		add(buf, n, one);
		break;
	}
}

static void
resize(struct monkey *m)
{
	static const struct winsize odd[] = { { .ws_row = 1, .ws_col = 1 },
		{ .ws_row = 1, .ws_col = 65535 }, { .ws_row = 65535, .ws_col = 1 },
		{ .ws_row = 20000, .ws_col = 20000 }, { .ws_row = 65535, .ws_col = 65535 },
		{ .ws_row = 0, .ws_col = 0 }, { .ws_row = 0, .ws_col = 80 } };
	struct winsize size = { .ws_row = (unsigned short)(1 + roll(m, 100)),
		.ws_col = (unsigned short)(1 + roll(m, 300)) };

	if (roll(m, 3) == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	else if (!m->tame && roll(m, 8) == 0)
		size = odd[roll(m, sizeof odd / sizeof *odd)];
	ioctl(m->fd, TIOCSWINSZ, &size);
	m->resizes++;
}

/* Write all of it, taking what the program writes meanwhile: were both to wait for the other
 * to read, neither would go on. A program that ended meanwhile reads no more. */
static void
type(struct monkey *m, const char *buf, size_t n)
{
	struct pollfd fd = { .fd = m->fd, .events = POLLIN | POLLOUT };

	while (n > 0) {
		ssize_t done;

		if (poll(&fd, 1, PATIENCE_MS) == 0)
			fail(m, "it neither reads nor writes");
		drain(m, 0);
		done = write(m->fd, buf, n);
		if (done < 0 && errno != EAGAIN)
			return;
		buf += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

/* Ctrl-Z, alone: it makes the kernel drop what was written and not read yet, which must not
 * be how the program took its leave. */
static void
suspend(struct monkey *m)
{
	while (drain(m, 30))
		;
	if (!ended(m, WNOHANG))
		type(m, "\x1a", 1);
	while (drain(m, 30))
		;
	m->keys++;
}

/* A signal: one that it takes as it comes, or one that ends it. */
static void
send_signal(struct monkey *m)
{
	static const int passing[] = { SIGWINCH, SIGCONT, SIGTSTP },
			 ending[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };

	m->signals++;
	if (roll(m, 3) > 0) {
		kill(m->pid, passing[roll(m, sizeof passing / sizeof *passing)]);
		return;
	}
	m->signal = ending[roll(m, sizeof ending / sizeof *ending)];
	kill(m->pid, m->signal);
	for (int waited = 0; waited < PATIENCE_MS; waited += 30) {
		drain(m, 30);
		if (ended(m, WNOHANG))
			return;
	}
	fail(m, "a signal does not end it");
}

/* Out of any paste, prompt, list or question, then leave without saving. */
static void
leave(struct monkey *m)
{
	type(m, "\033[201~", 6);
	for (int i = 0; i < 600; i++) {
		type(m, "\033", 1);
		drain(m, 60);
		type(m, "\033", 1);
		drain(m, 60);
		type(m, ":q!\r", 4);
		drain(m, 60);
		if (ended(m, WNOHANG))
			return;
	}
	kill(m->pid, SIGKILL);
	fail(m, "it does not leave");
}

/* Exit status of a command, -1 where it did not exit. */
static int
status_of(const char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ? -1 :
	    WEXITSTATUS(status);
}

/* The plan file still reads, whatever was saved; a name that the catalogue lacks is for the
 * screen alone to open. */
static void
check_plan(const struct monkey *m)
{
	const int status = status_of((const char *[]){ m->program, "check", m->plan, NULL });
	const char *const other[] = { "sh", "-c", "\"$0\" check \"$1\" 2>&1 >/dev/null | "
	    "grep ': error: ' | grep -qv 'the catalogue has no '", m->program, m->plan, NULL };

	if (status > 2 || status < 0 || (status == 2 && status_of(other) == 0))
		fail(m, "the plan file can not be read any more");
}

/* A run of the program in which nothing is typed that could end it: so it must not end. */
static void
babble(struct monkey *m)
{
	start(m);
	for (int burst = 0; burst < BABBLE; burst++) {
		char buf[BURST_MOST * KEY_SIZE];
		size_t n = 0;

		for (uint64_t i = 1 + roll(m, BURST_MOST); i > 0; i--)
			undecodable(m, buf, &n);
		if (roll(m, 12) == 0)
			resize(m);
		type(m, buf, n);
		m->keys++;
		drain(m, 20);
		if (ended(m, WNOHANG))
			fail(m, "bytes that are no characters end it");
	}
	leave(m);
}

/* A burst of keys, then maybe something from outside. */
static void
monkey_about(struct monkey *m)
{
	char buf[BURST_MOST * KEY_SIZE];
	size_t n = 0;

	for (uint64_t burst = 1 + roll(m, BURST_MOST); burst > 0; burst--)
		random_key(m, buf, &n);
	if (roll(m, 12) == 0)
		resize(m);
	type(m, buf, n);
	drain(m, 20);
	if (ended(m, WNOHANG))
		return;
	if (roll(m, 40) == 0)
		suspend(m);
	else if (roll(m, 40) == 0)
		send_signal(m);
}

/* So many keys, or up to a moment. */
static void
work(struct monkey *m, const char *amount)
{
	char *unit;
	const long n = strtol(amount, &unit, 10);
	const time_t until = *unit == 's' ? time(NULL) + n : 0;

	while (until > 0 ? time(NULL) < until : m->keys < n) {
		if (m->pid == 0 && !m->tame && roll(m, 8) == 0)
			babble(m);
		if (m->pid == 0)
			start(m);
		monkey_about(m);
		if (m->pid != 0)
			ended(m, WNOHANG);
	}
	if (m->pid != 0)
		leave(m);
}

int
main(int argc, char **argv)
{
	struct monkey m = { .random = 0x9e3779b97f4a7c15u };

	if (argc < 4) {
		fprintf(stderr, "usage: monkey PROGRAM PLAN KEYS|SECONDSs [SEED [tame]]\n");
		return 2;
	}
	m.program = argv[1];
	m.plan = argv[2];
	m.random += argc > 4 ? strtoull(argv[4], NULL, 10) : (uint64_t)time(NULL);
	m.tame = argc > 5;
	printf("monkey: seed %llu\n", (unsigned long long)(m.random - 0x9e3779b97f4a7c15u));
	fflush(stdout);
	signal(SIGPIPE, SIG_IGN);
	work(&m, argv[3]);
	check_plan(&m);
	printf("monkey: %ld keys, %ld resizes, %ld signals, %ld starts\n", m.keys, m.resizes,
	    m.signals, m.starts);
	return 0;
}
