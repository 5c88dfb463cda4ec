/* The program: reads the command line, runs one command, and minds the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/preferences.h"
#include "cli/session.h"
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

/* A plan from standard input leaves no keyboard there: take that of the terminal. */
static void
reopen_input(void)
{
	int fd;

	if (isatty(STDIN_FILENO) || (fd = open("/dev/tty", O_RDWR)) < 0)
		return;
	dup2(fd, STDIN_FILENO);
	close(fd);
}

int
screen_run(const struct options *o)
{
	const char *path = o->operands > 0 ? o->operand[0] : NULL;
	struct app_options app = { .color = o->color, .ascii = o->ascii,
		.linear = o->linear, .palette = o->palette, .asked = options_asked(o) };
	struct settings settings;
	char notice[512], note[512];
	struct session s;
	struct app_files files;
	int status;

	/* A lone word that is neither file nor command is more likely a misspelt command. */
	if (o->word && strpbrk(path, "./") == NULL && strcmp(path, "-") != 0 &&
	    access(path, F_OK) != 0) {
		const char *near = subcommand_near(path);

		if (near != NULL)
			return usage_error("'%s' is neither a command nor a file (did you mean %s?)", path,
			    near);
		return usage_error("'%s' is neither a command nor a file", path);
	}
	if (!session_open_screen(&s, o, path, note, sizeof note))
		return STATUS_ERROR;
	if (path != NULL && strcmp(path, "-") == 0)
		reopen_input();
	else if (path != NULL)
		app.read = &s.read;
	files = session_files(&s);
	preferences_read(&settings, notice, sizeof notice);
	app.settings = &settings;
	app.notice = notice[0] != '\0' ? notice : note;
	status = app_run(&s.plan, &s.catalog, &files, &app);
	search_live_free(s.live);
	drafts_free(&s.drafts);
	session_close(&s);
	return status;
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
			help_print();
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
	if (options_parse(&o, argc, argv))
		status = run(&o);
	options_free(&o);
	return close_output(status);
}
