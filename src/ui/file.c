/* Commands that open and save plans, and what they ask. */
#include "core/text.h"
#include "ui/actions.h"
#include "ui/prompt.h"

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
	prompt_begin(s, PROMPT_OPEN, "", false);
	return 0;
}

static unsigned
save_path(struct state *s, const char *path)
{
	text_put(s->file.path, sizeof s->file.path, "%s", path);
	s->file.force = false;
	return EVENT_SAVE;
}

unsigned
file_save_as(struct state *s, const char *argument)
{
	const char *path = s->files->path(s->files->context);

	if (argument[0] != '\0')
		return save_path(s, argument);
	prompt_begin(s, PROMPT_SAVE, path != NULL ? path : "", true);
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

unsigned
file_quit(struct state *s, const char *argument)
{
	(void)argument;
	if (!state_unsaved(s))
		return EVENT_QUIT;
	s->question.kind = QUESTION_QUIT;
	return 0;
}

unsigned
file_save_quit(struct state *s, const char *argument)
{
	s->file.then_quit = true;
	return file_save(s, argument);
}
