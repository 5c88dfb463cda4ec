/* Without a command: the planner on its screen. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/options.h"
#include "cli/base/run.h"
#include "cli/session/preferences.h"
#include "cli/session/session.h"

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
		.linear = o->linear, .palette = o->palette, .language = o->language };
	struct settings settings;
	char notice[512], note[512];
	struct session s;
	struct app_files files;
	int status;

	if (!session_open_screen(&s, o, path, note, sizeof note))
		return STATUS_ERROR;
	if (path != NULL && strcmp(path, "-") == 0)
		reopen_input();
	else if (path != NULL)
		app.read = &s.read;
	app.asked = s.asked;
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
