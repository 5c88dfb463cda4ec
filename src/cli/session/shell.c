#include "cli/session/shell.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"
#include "out/out.h"

extern char **environ;

/* The child has the signals that the screen holds or ignores as a shell gives them. */
static int
spawn(pid_t *pid, char *const args[])
{
	static const int usual[] = { SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM, SIGHUP };
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	int failed;

	sigemptyset(&none);
	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		sigaddset(&defaults, usual[i]);
	if (posix_spawnattr_init(&attributes) != 0)
		return ENOMEM;
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	failed = posix_spawn(pid, "/bin/sh", NULL, &attributes, args, environ);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

/* What it wrote stays in view until a line is entered. */
static void
await_enter(int status)
{
	char c;

	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		out_line(stdout, "[status %d: Enter goes back to shardplan]", WEXITSTATUS(status));
	else
		out_text(stdout, "[Enter goes back to shardplan]\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n' && c != '\r')
		continue;
}

bool
shell_run(const char *command, const char *path, char *note, size_t size)
{
	char text[1024], file[4096];
	char *const args[] = { (char[]){ "sh" }, (char[]){ "-c" }, text, (char[]){ "shardplan" }, file, NULL };
	int status = 0, failed;
	pid_t pid;

	if (!text_copy(text, sizeof text, command) || !text_copy(file, sizeof file, path)) {
		text_put(note, size, "the command is too long");
		return false;
	}
	failed = spawn(&pid, args);
	while (failed == 0 && waitpid(pid, &status, 0) < 0)
		failed = errno != EINTR ? errno : 0;
	if (failed != 0) {
		text_put(note, size, "the command did not run: %s", strerror(failed));
		return false;
	}
	await_enter(status);
	if (WIFSIGNALED(status))
		text_put(note, size, "ended by signal %d: %s", WTERMSIG(status), text);
	else
		text_put(note, size, "status %d: %s", WEXITSTATUS(status), text);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
