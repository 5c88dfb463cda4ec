/*
 * views.h - the lists over the panes, and the commands that open them and are about what they
 * hold. These return event flags.
 */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H
#include "core/base/match.h"
#include "ui/list/list.h"
#include "ui/pane/pane.h"

/* choices.c, mends.c, kinds.c, inspect.c, why.c, compare.c, history.c, topics.c,
 * search_list.c, step_list.c, options.c, diagnose.c, whole.c */
extern const struct list_type diags_list, catalog_list, fields_list, mends_list, kinds_list,
    inspect_list, why_list, compare_list, history_list, topics_list, topic_list, search_list,
    steps_list, options_list, diagnose_list, whole_list;

/* Errors and their fixes; the nearest one; the fields that have a text. */
unsigned diags_open(struct state *s);
unsigned diags_fix(struct state *s);
unsigned fields_open(struct state *s, const char *argument);
/* How well the best of a field's names answers what was typed. */
enum match fields_match(enum field_id f, const char *typed);
/* Type the selected field's value, or choose it from a list; switch it, or the next choice. */
unsigned fields_edit(struct state *s);
unsigned fields_toggle(struct state *s);

/* List the changes that would mend the plan; false where there are none. */
bool mends_open(struct state *s);

/* One GPU, and the way to what is looked for. */
unsigned inspect_open(struct state *s, const char *argument);
unsigned inspect_go(struct state *s, const char *argument);
unsigned inspect_next(struct state *s, int way);

/* Explain the number selected in a pane, by the terms of the ledger that it is the sum of; in
 * that with the focus. A pane without numbers stands for the memory of the stage. */
unsigned why_open(struct state *s, const struct pane_type *pane);
unsigned why_selected(struct state *s);

/* Two plans side by side. */
unsigned compare_open(struct state *s, const char *argument);
unsigned compare_pin(struct state *s);

/* The logs of a run: read files, "" for those that were read last, and hold them against the
 * plan; in that list, the plan as the run has it, and as the selected cause says. */
unsigned diagnose_open(struct state *s, const char *argument);
bool diagnose_other(const struct state *s, struct plan *out);

/* The primer; the i-th of its pages, NULL past the end. */
const struct topic *topics_page(const struct state *s, size_t i);
unsigned topics_open(struct state *s, const char *argument);
unsigned topics_language(struct state *s, const char *argument);

/* The search: a list of plans with what is asked for above, what is told of the selected one
 * below, and a picture of them all. Open it, with a search of what is asked for unless there is
 * its result; search again; change what is asked for; let a search choose the field, or hold
 * it. */
unsigned search_view_open(struct state *s, const char *argument);
unsigned search_view_again(struct state *s);
unsigned search_view_change(struct state *s);
unsigned search_view_add_condition(struct state *s);
unsigned search_view_add_free(struct state *s);
unsigned search_view_drop(struct state *s);
unsigned search_view_free_field(struct state *s, const char *argument);
/* Take what a search has found since; true while it runs: look again after so long. */
enum { SEARCH_VIEW_MS = 50 };
bool search_view_look(struct state *s);

/* The user's preferences: one setting, for good; by its command, for this session; all; rows of
 * the user's own keys, in a column so wide. */
unsigned options_open(struct state *s, const char *argument);
unsigned options_set(struct state *s, const char *name, const char *argument);
unsigned options_remember(struct state *s);
void options_keys(struct rows *rows, const struct state *s, int w);

/* yank.c: copy what is under the cursor; or by name, "" opens the list of that. */
unsigned yank_cursor(struct state *s);
unsigned yank_named(struct state *s, const char *name);
const char *yank_name(int i); /* the i-th name, NULL past the end */
extern const struct list_type yank_list;
#endif
