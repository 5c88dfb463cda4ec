/*
 * prompt.h - opens and closes the one-line editor.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H
#include "ui/state/state.h"

/* fresh: the first character typed replaces the text. */
void prompt_begin(struct state *s, enum prompt_kind kind, const char *text, bool fresh);
void prompt_end(struct state *s);

/* The line is another one: what Tab and the arrows walk through begins anew. */
void prompt_edited(struct state *s);

/* Commands: the ":" prompt, and the filter of the list that is open. */
unsigned prompt_command(struct state *s, const char *argument);
unsigned prompt_filter(struct state *s);
#endif
