/*
 * views.h - the lists over the panes, and the commands that open them and are about what they
 * hold. These return event flags.
 */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H
#include "ui/list/list.h"

/* choices.c, mends.c, kinds.c, inspect.c, why.c, compare.c, history.c, topics.c,
 * lookup_view.c, steps.c, options.c */
extern const struct list_type diags_list, catalog_list, fields_list, mends_list, kinds_list,
    inspect_list, why_list, compare_list, history_list, topics_list, topic_list, search_list,
    steps_list, options_list;

/* Errors and their fixes; the nearest one; the fields that have a text. */
unsigned diags_open(struct state *s);
unsigned diags_fix(struct state *s);
unsigned fields_open(struct state *s, const char *argument);
/* Type the selected field's value, or choose it from a list; switch it, or the next choice. */
unsigned fields_edit(struct state *s);
unsigned fields_toggle(struct state *s);

/* What would mend the plan: list it, false where there is nothing. */
bool mends_open(struct state *s);

/* One GPU, and the way to what is looked for. */
unsigned inspect_open(struct state *s, const char *argument);
unsigned inspect_go(struct state *s, const char *argument);
unsigned inspect_next(struct state *s, int way);

/* Explain what is selected in a pane, by the terms of the ledger that it is the sum of; in that
 * with the focus. */
unsigned why_open(struct state *s, enum pane pane);
unsigned why_selected(struct state *s);

/* Two plans side by side. */
unsigned compare_open(struct state *s, const char *argument);
unsigned compare_pin(struct state *s);

/* The primer. */
unsigned topics_open(struct state *s, const char *argument);
unsigned topics_language(struct state *s, const char *argument);

/* The search: a list of plans with what is asked for above, what is told of the selected one
 * below, and a picture of them all. Open it, with a search of what is asked for unless there is
 * its result; search again; change what is asked for; let a search choose the field, or hold
 * it. */
unsigned lookup_open(struct state *s, const char *argument);
unsigned lookup_again(struct state *s);
unsigned lookup_change(struct state *s);
unsigned lookup_free_field(struct state *s, const char *argument);
/* Take what a search has found since; true while it runs: look again after so long. */
enum { LOOKUP_MS = 50 };
bool lookup_look(struct state *s);

/* What the user prefers: one setting, for good; by its command, for this session; all; rows of
 * the user's own keys, in a column so wide. */
unsigned options_open(struct state *s, const char *argument);
unsigned options_set(struct state *s, const char *name, const char *argument);
unsigned options_remember(struct state *s);
void options_keys(struct rows *rows, const struct state *s, int w);
#endif
