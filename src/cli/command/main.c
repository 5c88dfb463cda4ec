/* The program: reads the command line, runs one command, and minds the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/base/options.h"
#include "cli/command/commands.h"
#include "cli/command/help.h"
#include "file/plan/paths.h"
#include "ui/screen/locale.h"

/*
 * A standard stream that came closed would be the first file that is opened, and be
 * written over. Put a descriptor there instead: reading and standard output fail, as what
 * they are for does not happen; complaints get lost.
 */
static void
occupy_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
}

/* A stack that can not grow, where memory is limited, ends a program by a signal: have what the
 * deepest command takes, twice over, before anything is done. False where there is no room for it. */
enum { STACK_BYTES = 640 * 1024, PAGE_LEAST = 4096 };

static void
touch_stack(void)
{
	char stack[STACK_BYTES];
	volatile char *at = stack;

	for (size_t i = STACK_BYTES; i > 0; i -= PAGE_LEAST)
		at[i - 1] = 0;
}

static bool
reserve_stack(void)
{
	struct rlimit limit;
	void *room;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < 2 * STACK_BYTES)
		return true;
	room = malloc(2 * STACK_BYTES);
	if (room == NULL)
		return false;
	free(room);
	touch_stack();
	return true;
}

/* Output that did not arrive is an error, whatever the command thought of it. */
static int
close_output(int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	failed = fflush(stdout) != 0 || failed;
	failed = fclose(stdout) != 0 || failed;
	if (!failed)
		return status;
	if (errno != 0 && errno != EPIPE)
		complain("standard output: %s", strerror(errno));
	else if (errno == 0)
		complain("standard output: write error");
	return STATUS_ERROR;
}

static int
run_command(const struct options *o)
{
	if (o->version) {
		version_print();
		return STATUS_OK;
	}
	if (o->help) {
		if (*o->command->name != '\0')
			help_command(o->command);
		else
			help_print(o->commands);
		return STATUS_OK;
	}
	return subcommand_run(o);
}

int
main(int argc, char **argv)
{
	struct options o;
	int status = STATUS_ERROR;

	occupy_streams();
	locale_begin();
	paths_init(argc > 0 ? argv[0] : NULL);
	if (!reserve_stack()) {
		complain("out of memory");
		return close_output(STATUS_ERROR);
	}
	if (options_parse(&o, subcommand_table, argc, argv))
		status = run_command(&o);
	options_free(&o);
	return close_output(status);
}
