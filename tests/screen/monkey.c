/*
 * monkey PROGRAM PLAN KEYS [SEED] - types random keys into the screen in a pty, and resizes
 * it, and fails unless the program lives, leaves the terminal as it found it, and the plan
 * file can still be read.
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

enum { BURST_MOST = 24, TAIL = 4096, PATIENCE_MS = 60000 };

struct monkey {
	const char *program, *plan;
	pid_t pid;
	int fd;
	int tty;              /* the same terminal, kept open while no program runs */
	struct termios before;
	uint64_t random;
	long keys, starts, resizes;
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
	m->starts++;
	m->tails = 0;
	m->screen = m->hidden = m->mouse = m->pastes = false;
	if (!drain(m, PATIENCE_MS))
		fail(m, "no screen");
}

/* It ended: must have been by a key, and the terminal be as it was. */
static void
check_end(struct monkey *m, int status)
{
	struct termios after;

	while (drain(m, 100)) /* the kernel hands on the last of it when it likes */
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
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
	m->keys++;
}

static void
resize(struct monkey *m)
{
	struct winsize size = { .ws_row = (unsigned short)(1 + roll(m, 100)),
		.ws_col = (unsigned short)(1 + roll(m, 300)) };

	if (roll(m, 3) == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
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

/* Out of any prompt, list or question, then leave without saving. */
static void
leave(struct monkey *m)
{
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

/* The plan file still reads, whatever was saved. */
static void
check_plan(const struct monkey *m)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execl(m->program, m->program, "check", m->plan, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) > 1)
		fail(m, "the plan file can not be read any more");
}

int
main(int argc, char **argv)
{
	struct monkey m = { .random = 0x9e3779b97f4a7c15u };
	char buf[BURST_MOST * 32];
	long keys;

	if (argc < 4) {
		fprintf(stderr, "usage: monkey PROGRAM PLAN KEYS [SEED]\n");
		return 2;
	}
	m.program = argv[1];
	m.plan = argv[2];
	keys = strtol(argv[3], NULL, 10);
	m.random += argc > 4 ? strtoull(argv[4], NULL, 10) : (uint64_t)time(NULL);
	printf("monkey: seed %llu\n", (unsigned long long)(m.random - 0x9e3779b97f4a7c15u));
	fflush(stdout);
	signal(SIGPIPE, SIG_IGN);
	while (m.keys < keys) {
		size_t n = 0;

		if (m.pid == 0)
			start(&m);
		for (uint64_t burst = 1 + roll(&m, BURST_MOST); burst > 0; burst--)
			random_key(&m, buf, &n);
		if (roll(&m, 12) == 0)
			resize(&m);
		type(&m, buf, n);
		drain(&m, 20);
		if (!ended(&m, WNOHANG) && roll(&m, 40) == 0) {
			suspend(&m);
			if (m.pid != 0)
				ended(&m, WNOHANG);
		}
	}
	if (m.pid != 0)
		leave(&m);
	check_plan(&m);
	printf("monkey: %ld keys, %ld resizes, %ld starts\n", m.keys, m.resizes, m.starts);
	return 0;
}
