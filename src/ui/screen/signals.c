#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ui/screen/signals.h"

/* Batch systems send the last three before they kill, or ALRM, which the clock sends too. */
static const int ending[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU };
static const int crashing[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int noticed[] = { SIGTSTP, SIGCONT, SIGWINCH, SIGALRM };
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* How long a terminal may take no output once the program is to end, and then again. */
enum { ENDING_MS = 250, ENDING_AGAIN_MS = 100 };

/* Signal handlers have nothing but globals; these are all there are. */
static volatile sig_atomic_t got_ending, got_stop, got_continue, got_alarm, clock_set;
static struct signals_back back;
static struct {
	void (*write)(const void *context);
	const void *context;
} draft;

static sigset_t held, usual; /* signals held back for a screen; those held back without */

static void
set_clock(int ms, int again_ms)
{
	const struct itimerval time = {
		.it_value = { ms / 1000, ms % 1000 * 1000 },
		.it_interval = { again_ms / 1000, again_ms % 1000 * 1000 },
	};

	clock_set = ms > 0;
	setitimer(ITIMER_REAL, &time, NULL);
}

/* Make room for what is still to be written to a terminal that takes no output. */
static void
throw_away(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int queued = 0;

	if (poll(&fd, 1, 0) > 0 && (ioctl(STDOUT_FILENO, TIOCOUTQ, &queued) != 0 || queued == 0))
		return;
	tcflow(STDOUT_FILENO, TCOON);
	tcflush(STDOUT_FILENO, TCOFLUSH);
}

static void
on_ending(int sig)
{
	if (got_ending != 0)
		return;
	got_ending = sig;
	set_clock(ENDING_MS, ENDING_AGAIN_MS);
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
on_alarm(int sig, siginfo_t *info, void *unused)
{
	const int error = errno;

	(void)unused;
	if (info->si_code == SI_USER || info->si_code == SI_QUEUE) { /* not of the clock */
		on_ending(sig);
		return;
	}
	got_alarm = 1;
	clock_set = got_ending != 0;
	if (draft.write != NULL)
		draft.write(draft.context);
	if (got_ending != 0)
		throw_away();
	errno = error;
}

static void
on_crash(int sig)
{
	static const char message[] =
	    "\nshardplan crashed; the plan on disk is as last saved, and unsaved work "
	    "is offered when it is opened again. Please report this.\n";
	ssize_t n;

	if (draft.write != NULL)
		draft.write(draft.context);
	throw_away();
	n = write(STDOUT_FILENO, back.text, back.length);
	tcsetattr(STDIN_FILENO, TCSANOW, &back.modes);
	n += write(STDERR_FILENO, message, sizeof message - 1);
	(void)n;
	raise(sig); /* SA_RESETHAND: now the default action, so the status is right */
}

static void
handle_signal(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void
signals_watch(void)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	for (size_t i = 0; i < COUNT(ending); i++)
		handle_signal(ending[i], on_ending, 0); /* no SA_RESTART: waiting ends */
}

int
signals_ending(void)
{
	return got_ending;
}

void
signals_take(const struct signals_back *how)
{
	static char stack[65536]; /* a crash may be an overflow of the usual one */
	stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };

	back = *how;
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < COUNT(crashing); i++)
		handle_signal(crashing[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
	signals_watch();
	handle_signal(SIGTSTP, on_stop, 0);
	handle_signal(SIGCONT, on_continue, 0);
	handle_signal(SIGWINCH, on_continue, 0); /* cells may be lost, even if the size is as before */
	sigemptyset(&held);
	for (size_t i = 0; i < COUNT(ending); i++)
		sigaddset(&held, ending[i]);
	for (size_t i = 0; i < COUNT(noticed); i++)
		sigaddset(&held, noticed[i]);
	sigprocmask(SIG_BLOCK, &held, &usual);
}

void
signals_give(void)
{
	set_clock(0, 0);
	handle_signal(SIGALRM, SIG_IGN, 0); /* one that is held back already is forgotten */
	for (size_t i = 0; i < COUNT(crashing); i++)
		handle_signal(crashing[i], SIG_DFL, 0);
	for (size_t i = 0; i < COUNT(ending); i++)
		handle_signal(ending[i], SIG_DFL, 0);
	for (size_t i = 0; i < COUNT(noticed); i++)
		handle_signal(noticed[i], SIG_DFL, 0);
	draft.write = NULL;
	sigprocmask(SIG_SETMASK, &usual, NULL);
}

void
signals_draft(void (*write)(const void *context), const void *context)
{
	draft.context = context;
	draft.write = write;
}

void
signals_alarm(int ms)
{
	if (clock_set == 0)
		set_clock(ms, 0);
}

static bool
forget_flag(volatile sig_atomic_t *flag)
{
	const bool was = *flag != 0;

	*flag = 0;
	return was;
}

bool
signals_rang(void)
{
	return forget_flag(&got_alarm);
}

bool
signals_stopped(void)
{
	return forget_flag(&got_stop);
}

bool
signals_continued(void)
{
	return forget_flag(&got_continue);
}

bool
signals_wait(int in, int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	struct pollfd fd = { .fd = in, .events = POLLIN };

	return ppoll(&fd, 1, ms < 0 ? NULL : &time, &usual) > 0;
}

void
signals_let_in(void)
{
	sigprocmask(SIG_SETMASK, &usual, NULL);
}

void
signals_hold(void)
{
	sigprocmask(SIG_BLOCK, &held, NULL);
}

void
signals_make_room(void)
{
	if (got_ending == 0)
		return;
	throw_away();
	set_clock(ENDING_MS, ENDING_AGAIN_MS);
}

void
signals_stop(bool job)
{
	sigset_t set;

	handle_signal(SIGTSTP, SIG_DFL, 0);
	kill(job ? 0 : getpid(), SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* here it stops, and goes on with fg */
	sigprocmask(SIG_BLOCK, &set, NULL);
	handle_signal(SIGTSTP, on_stop, 0);
	got_stop = 0;
}
