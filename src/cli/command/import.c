/* `import`: a plan out of a file of somebody else's. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/plan/field.h"
#include "file/import/here.h"
#include "file/import/import.h"
#include "out/out.h"

void
notes_print(const char *word, const struct notes *notes)
{
	const char *line = notes->lines.text;

	for (; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
		out_line(stderr, "%s %.*s", word, (int)strcspn(line, "\n"), line);
	if (notes->dropped > 0)
		out_line(stderr, "%s %zu more", word, notes->dropped);
}

static int
write_plan(struct session *s, const char *path)
{
	char note[1024] = "", *text;

	if (path != NULL && !text_equal(path, "-")) {
		const bool saved = planfile_write(&s->file, &s->plan, path, &s->catalog, false, note,
		    sizeof note) == PLANFILE_SAVED;

		complain("%s", note);
		return saved ? STATUS_OK : STATUS_ERROR;
	}
	if ((text = planfile_text(&s->file, &s->plan, &s->catalog)) == NULL)
		return out_of_memory();
	out_text(stdout, text);
	free(text);
	return STATUS_OK;
}

static int
import_with(struct session *s, const struct options *o, struct import *im)
{
	const enum import_status status = o->here ? import_here(im) :
	    import_file(im, o->operand[0], o->from);
	char note[512];
	const bool set = status == IMPORT_DONE && session_set(s, o, &s->plan, note, sizeof note);

	if (set)
		import_clients(im);
	launch_drop_said(im, o);
	notes_print("taken  ", &im->taken);
	notes_print("assumed", &im->assumed);
	notes_print("ignored", &im->ignored);
	if (status != IMPORT_DONE) {
		session_print_errors(im->errors);
		return status == IMPORT_REFUSED ? STATUS_NO : STATUS_ERROR;
	}
	if (!set)
		return STATUS_ERROR;
	if (note[0] != '\0')
		complain("%s", note);
	return write_plan(s, o->output);
}

/* Whether a name is a directory's; told, where it is not. */
static bool
is_directory(const char *path)
{
	DIR *dir = opendir(path);
	const char *why = strerror(errno);
	char shown[256];

	if (dir != NULL) {
		closedir(dir);
		return true;
	}
	show_path(shown, sizeof shown, path);
	complain("--root=%s: %s", shown, why);
	return false;
}

int
import_run(const struct options *o)
{
	struct file_errors errors = { 0 };
	struct session s;
	struct import im = { .catalog = &s.catalog, .plan = &s.plan, .errors = &errors,
		.world = o->world, .part = o->part, .root = o->root };
	int status;

	if (o->here == (o->operands > 0))
		return usage_error(o->here ? "import takes a file or --here, not both" :
		    "import needs FILE, or --here");
	if (o->root != NULL && !is_directory(o->root))
		return STATUS_ERROR;
	if (!session_catalog(&s))
		return STATUS_ERROR;
	im.has_model = launch_has_model(o, &s.catalog);
	planfile_builtin(&s.file, &s.plan, NULL); /* a file that has no path yet */
	status = import_with(&s, o, &im);
	import_free(&im);
	session_close(&s);
	return status;
}
