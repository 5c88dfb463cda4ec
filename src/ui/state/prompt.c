#include "ui/state/prompt.h"

void
prompt_begin(struct state *s, enum prompt_kind kind, const char *text, bool fresh)
{
	s->prompt.kind = kind;
	s->prompt.error[0] = '\0';
	s->prompt.before = s->list;
	line_start(&s->prompt.line, text, fresh);
	prompt_edited(s);
}

void
prompt_end(struct state *s)
{
	s->prompt.kind = PROMPT_NONE;
}

void
prompt_edited(struct state *s)
{
	words_stop(&s->prompt.words);
	recall_stop(&s->prompt.recall);
}

unsigned
prompt_command(struct state *s, const char *argument)
{
	prompt_begin(s, PROMPT_COMMAND, argument, false);
	return 0;
}

unsigned
prompt_filter(struct state *s)
{
	if (s->list.kind == LIST_NONE) {
		state_say(s, ROLE_DIM, "no list is open");
		return 0;
	}
	prompt_begin(s, PROMPT_FILTER, s->list.filter, false);
	return 0;
}
