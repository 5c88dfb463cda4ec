/* Commands that open and save plans, and what they ask. */
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "ui/app/actions.h"
#include "ui/state/prompt.h"

static unsigned
open_path(struct state *s, const char *path)
{
	if (state_unsaved(s)) {
		text_put(s->file.next, sizeof s->file.next, "%s", path);
		s->question.kind = QUESTION_OPEN;
		return 0;
	}
	text_put(s->file.path, sizeof s->file.path, "%s", path);
	return EVENT_OPEN;
}

unsigned
file_open(struct state *s, const char *argument)
{
	if (argument[0] != '\0')
		return open_path(s, argument);
	plans_open(s);
	return 0;
}

static unsigned
file_take_found(struct state *s, int target)
{
	const int import = (int)s->found.count;
	const struct new_plan *new = target >= import + 2 ? plans_new(target - import - 2) : NULL;
	const char *const asks = target == import ? "import" : target == import + 1 ? "diagnose" : NULL;
	char path[STATE_PATH_SIZE], command[STATE_PATH_SIZE + 8];

	/* A path that is typed in full is meant, whatever it is a part of; as is what nothing
	 * here is called. */
	text_put(path, sizeof path, "%s", s->list.filter);
	if (new != NULL) {
		list_leave(s);
		s->file.fresh = new->set;
		return open_path(s, "");
	}
	if (target >= 0 && asks == NULL && strpbrk(path, "/~") == NULL) {
		const struct found_plan *f = &s->found.plan[target];

		for (size_t i = 0; i < s->found.count; i++)
			if (text_equal(s->found.plan[i].path, path))
				f = &s->found.plan[i];
		text_put(path, sizeof path, "%s", f->path);
	}
	list_leave(s);
	if (asks != NULL) { /* of what was typed to find it, a name of a file goes with it */
		text_put(command, sizeof command, "%s %s", asks, strpbrk(path, "./~") != NULL ? path : "");
		prompt_begin(s, PROMPT_COMMAND, command, false);
	}
	return path[0] != '\0' && asks == NULL ? open_path(s, path) : 0;
}

/* The built-in plan, which has no path. */
unsigned
file_new(struct state *s)
{
	s->file.fresh = NULL;
	return open_path(s, "");
}

static unsigned
save_path(struct state *s, const char *path)
{
	text_put(s->file.path, sizeof s->file.path, "%s", path);
	s->file.force = false;
	return EVENT_SAVE;
}

/* A name for a plan that has no file: its own, else the model's; '-' for what file names had
 * better not hold. */
static void
suggest_path(const struct plan *p, char *buf, size_t size)
{
	text_put(buf, size, "%s.cfg", p->name[0] != '\0' ? p->name : p->model.preset);
	for (char *c = buf; *c != '\0'; c++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._", *c) == NULL ||
		    (c == buf && *c == '.'))
			*c = '-';
}

unsigned
file_save_as(struct state *s, const char *argument)
{
	const char *path = s->files->path(s->files->context);
	char own[PLAN_NAME_SIZE + 8];

	if (argument[0] != '\0')
		return save_path(s, argument);
	if (path == NULL || path[0] == '\0')
		suggest_path(&s->plan, own, sizeof own);
	if (!s->in_lines)
		plans_open(s);
	prompt_begin(s, PROMPT_SAVE, path != NULL && path[0] != '\0' ? path : own, true);
	plans_mark(s);
	return 0;
}

unsigned
file_save(struct state *s, const char *argument)
{
	const char *path = s->files->path(s->files->context);

	if (argument[0] != '\0')
		return save_path(s, argument);
	if (path == NULL || path[0] == '\0')
		return file_save_as(s, argument);
	return save_path(s, "");
}

/* What was imported is a change of the plan, to be undone and saved as any other. */
unsigned
file_import(struct state *s, const char *argument)
{
	char note[STATE_MESSAGE_SIZE] = "";
	struct plan next = s->plan;

	if (argument[0] == '\0' || s->files->import == NULL ||
	    !s->files->import(s->files->context, argument, &next, note, sizeof note)) {
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "import needs FILE");
		return 0;
	}
	plan_resolve(&next, s->catalog);
	state_say(s, ROLE_GOOD, "%s", note);
	return state_change(s, &next, "what was imported");
}

unsigned
file_export(struct state *s, const char *argument)
{
	const size_t n = strcspn(argument, " \t");
	const char *path = argument + n + strspn(argument + n, " \t");
	char note[STATE_MESSAGE_SIZE] = "", target[64];
	bool written = false;

	text_put(target, sizeof target, "%.*s", n < sizeof target ? (int)n : 0, argument);
	if (path[0] != '\0' && s->files->export != NULL)
		written = s->files->export(s->files->context, &s->plan, target, path, note, sizeof note);
	state_say(s, written ? ROLE_GOOD : ROLE_ERROR, "%s", note[0] != '\0' ? note :
	    "export needs TARGET and FILE, such as: export megatron run.sh");
	return 0;
}

unsigned
file_quit(struct state *s)
{
	if (!state_unsaved(s))
		return EVENT_QUIT;
	s->question.kind = QUESTION_QUIT;
	return 0;
}

unsigned
file_save_quit(struct state *s)
{
	s->file.then_quit = true;
	return file_save(s, "");
}

const struct list_type plans_list = { .title = "", .add_title = plans_title, .rows = plans_rows,
	.accept = file_take_found, .wide = true, .types = true, .names = true };
