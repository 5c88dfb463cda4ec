/*
 * views.h - what the lists over the panes hold: the functions of the table in overlay.c.
 *
 * rows: the entries; accept: Enter on the entry that stands for target, -1 without one;
 * aside: left (-1) and right (1). The last two return event flags.
 */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H
#include <stddef.h>

#include "ui/rows.h"
#include "ui/state.h"

/* lists.c */
void help_rows(struct rows *rows, const struct state *s);
void diags_rows(struct rows *rows, const struct state *s);
unsigned diags_accept(struct state *s, int target);
void catalog_title(const struct state *s, char *buf, size_t size);
void catalog_rows(struct rows *rows, const struct state *s);
unsigned catalog_accept(struct state *s, int target);
void fields_rows(struct rows *rows, const struct state *s);
unsigned fields_accept(struct state *s, int target);

/* mends.c: what would mend the plan */
void mends_rows(struct rows *rows, const struct state *s);
unsigned mends_accept(struct state *s, int target);

/* kinds.c: also the map's ready-made sets of dimensions: name of the i-th, NULL past the
 * end, and the kinds that it shows in a layout; returns how many. And what a layout calls
 * the kind that has this name in it or in another one, NULL where it has none. */
void kinds_rows(struct rows *rows, const struct state *s);
unsigned kinds_accept(struct state *s, int target);
const char *kinds_preset(int i);
int kinds_preset_groups(int i, const struct layout *l, const char *name[MAP_COLORS_MAX]);
const char *kinds_same(const struct layout *l, const char *name);

/* inspect.c: one GPU */
void inspect_title(const struct state *s, char *buf, size_t size);
void inspect_rows(struct rows *rows, const struct state *s);
unsigned inspect_accept(struct state *s, int target);
unsigned inspect_aside(struct state *s, int way);

/* compare.c: two plans side by side */
void compare_title(const struct state *s, char *buf, size_t size);
void compare_rows(struct rows *rows, const struct state *s);
unsigned compare_accept(struct state *s, int target);

/* history.c: what undo and redo walk along */
void history_rows(struct rows *rows, const struct state *s);
unsigned history_accept(struct state *s, int target);

/* topics.c: the primer */
void topics_title(const struct state *s, char *buf, size_t size);
void topics_rows(struct rows *rows, const struct state *s);
unsigned topics_accept(struct state *s, int target);
unsigned topics_aside(struct state *s, int way);

/* options.c: settings */
void options_rows(struct rows *rows, const struct state *s);
unsigned options_accept(struct state *s, int target);
unsigned options_aside(struct state *s, int way);
#endif
