/*
 * actions.h - the functions behind the command table that are of no room below.
 *
 * Each edits the state and returns event flags. argument is "" without one; way is the
 * number that the table gives: 1 or -1, forth or back.
 */
#ifndef UI_ACTIONS_H
#define UI_ACTIONS_H
#include "ui/list/list.h"

/* move.c: moving about, and what the map shows */
unsigned move_lines(struct state *s, int way);
unsigned move_aside(struct state *s, int way);
unsigned move_page(struct state *s, int way);
unsigned move_end(struct state *s, int way);
unsigned move_pane(struct state *s, int way);
enum pane move_pane_named(const struct state *s, const char *name); /* PANE_COUNT: none is */
unsigned move_to_pane(struct state *s, const char *name);
unsigned move_alone(struct state *s);
unsigned move_picture(struct state *s);
unsigned move_peers(struct state *s);
unsigned move_zoom(struct state *s, int way);
unsigned move_to_zoom(struct state *s, const char *name);
unsigned move_kind(struct state *s, int way);
unsigned move_to_kinds(struct state *s, const char *list);
/* Colour by n kinds at once. */
unsigned move_dimensions(struct state *s, int n);

/* file.c: opening, saving, leaving */
unsigned file_new(struct state *s);
unsigned file_open(struct state *s, const char *argument);
unsigned file_save(struct state *s, const char *argument);
unsigned file_save_as(struct state *s, const char *argument);
unsigned file_import(struct state *s, const char *argument);
unsigned file_export(struct state *s, const char *argument);
unsigned file_quit(struct state *s);
unsigned file_save_quit(struct state *s);

/* plans.c: the plans that there are. Open the list; while a name to save as is typed, select
 * the plan that has it, and put the name of the next one in, false where there is no list. */
/* A kind of plan to begin with: what it is, and what is set for it (edit_set). NULL past the end. */
struct new_plan {
	const char *what, *set;
};
const struct new_plan *plans_new(int i);

void plans_title(const struct state *s, char *buf, size_t size);
void plans_rows(struct rows *rows, const struct state *s);
void plans_open(struct state *s);
void plans_mark(struct state *s);
bool plans_choose(struct state *s, int way);

/* help.c: the commands; file.c: the plans that there are; lists.c: all lists */
extern const struct list_type help_list, plans_list;
extern const struct list_type *const list_table[LIST_COUNT];
#endif
