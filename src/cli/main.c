/* The program: reads the command line, runs one command, and minds the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
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
run(const struct options *o)
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
	if (options_parse(&o, subcommand_table, argc, argv))
		status = run(&o);
	options_free(&o);
	return close_output(status);
}
