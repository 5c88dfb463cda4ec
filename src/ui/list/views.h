/*
 * views.h - what the lists over the panes hold, and the commands that open them.
 *
 * rows: the entries; begin: the target to begin at; accept: Enter on the entry that stands
 * for target, -1 without one; aside: left (-1) and right (1). The commands and the last two
 * return event flags.
 */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H
#include "ui/list/rows.h"

/* choices.c: errors and their fixes, entries of the catalogue, fields */
void diags_rows(struct rows *rows, const struct state *s);
unsigned diags_accept(struct state *s, int target);
unsigned diags_open(struct state *s, const char *argument);
unsigned diags_fix(struct state *s, const char *argument);
void catalog_title(const struct state *s, char *buf, size_t size);
void catalog_rows(struct rows *rows, const struct state *s);
int catalog_begin(const struct state *s);
unsigned catalog_accept(struct state *s, int target);
void fields_rows(struct rows *rows, const struct state *s);
unsigned fields_accept(struct state *s, int target);
unsigned fields_open(struct state *s, const char *argument);
/* Type the selected field's value, or choose it from a list; switch it, or the next choice. */
unsigned fields_edit(struct state *s, const char *argument);
unsigned fields_toggle(struct state *s, const char *argument);

/* mends.c: what would mend the plan: list it, false where there is nothing; put the best of
 * it and hints among the errors */
void mends_rows(struct rows *rows, const struct state *s);
unsigned mends_accept(struct state *s, int target);
bool mends_open(struct state *s);
void mends_note(struct state *s);

/* kinds.c: what colours the map */
void kinds_rows(struct rows *rows, const struct state *s);
int kinds_begin(const struct state *s);
void kinds_show(struct state *s, int target);
unsigned kinds_accept(struct state *s, int target);
unsigned kinds_switch(struct state *s, int target);
unsigned kinds_open(struct state *s, const char *argument);

/* inspect.c: one GPU, and the way to what is looked for */
void inspect_title(const struct state *s, char *buf, size_t size);
void inspect_rows(struct rows *rows, const struct state *s);
unsigned inspect_accept(struct state *s, int target);
unsigned inspect_aside(struct state *s, int way);
unsigned inspect_open(struct state *s, const char *argument);
unsigned inspect_go(struct state *s, const char *argument);
unsigned inspect_next(struct state *s, int way);

/* why.c: where a number comes from, the terms of the ledger that it is the sum of */
void why_title(const struct state *s, char *buf, size_t size);
void why_rows(struct rows *rows, const struct state *s);
void why_renew(struct state *s);
/* Explain what is selected in a pane; in that with the focus. */
unsigned why_open(struct state *s, enum pane pane);
unsigned why_selected(struct state *s, const char *argument);

/* compare.c: two plans side by side */
void compare_title(const struct state *s, char *buf, size_t size);
void compare_rows(struct rows *rows, const struct state *s);
unsigned compare_accept(struct state *s, int target);
unsigned compare_open(struct state *s, const char *argument);
unsigned compare_pin(struct state *s, const char *argument);

/* history.c: what undo and redo walk along */
void history_rows(struct rows *rows, const struct state *s);
int history_begin(const struct state *s);
unsigned history_accept(struct state *s, int target);
unsigned history_open(struct state *s, const char *argument);

/* topics.c: the primer, all pages and one */
void topics_rows(struct rows *rows, const struct state *s);
int topics_begin(const struct state *s);
unsigned topics_accept(struct state *s, int target);
unsigned topics_open(struct state *s, const char *argument);
unsigned topics_language(struct state *s, const char *argument);
void topic_title(const struct state *s, char *buf, size_t size);
void topic_rows(struct rows *rows, const struct state *s);
unsigned topic_accept(struct state *s, int target);
unsigned topic_aside(struct state *s, int way);
void topic_close(struct state *s);

/* lookup_view.c: the search: a list of plans with what is asked for above, what is told of the
 * selected one below, and a picture of them all. Open it, with a search of what is asked for
 * unless there is its result; search again; change what is asked for; let a search choose the
 * field, or hold it. */
unsigned lookup_open(struct state *s, const char *argument);
unsigned lookup_again(struct state *s, const char *argument);
unsigned lookup_change(struct state *s, const char *argument);
unsigned lookup_free_field(struct state *s, const char *argument);
void lookup_title(const struct state *s, char *buf, size_t size);
void lookup_rows(struct rows *rows, const struct state *s);
unsigned lookup_accept(struct state *s, int target);
unsigned lookup_aside(struct state *s, int way);
void lookup_close(struct state *s);
void lookup_selected(struct state *s, int target, int width);
/* Take what a search has found since; true while it runs: look again after so long. */
enum { LOOKUP_MS = 50 };
bool lookup_look(struct state *s);
/* lookup_draw.c: the part of an area that the plans take, and what is drawn around them. */
struct rect lookup_part(const struct state *s, struct rect r);
void lookup_draw(const struct state *s, struct canvas *c, struct rect r, int target);

/* steps.c: one step away: what less and more of each field would do */
void steps_rows(struct rows *rows, const struct state *s);
int steps_begin(const struct state *s);
unsigned steps_accept(struct state *s, int target);
void steps_renew(struct state *s);
unsigned steps_open(struct state *s, const char *argument);

/* options.c: what the user prefers */
void options_rows(struct rows *rows, const struct state *s);
unsigned options_accept(struct state *s, int target);
unsigned options_aside(struct state *s, int way);
unsigned options_open(struct state *s, const char *argument);
unsigned options_set(struct state *s, const char *name, const char *argument);
unsigned options_remember(struct state *s, const char *argument);
#endif
