/*
 * actions.h - the functions behind the command table, by subject.
 *
 * Each edits the state and returns event flags. argument is "" without one; way is the
 * number that the table gives: 1 or -1, forth or back.
 */
#ifndef UI_ACTIONS_H
#define UI_ACTIONS_H
#include "ui/state.h"

/* edit.c: fields */
unsigned edit_step(struct state *s, int way);
unsigned edit_begin(struct state *s, const char *argument);
unsigned edit_toggle(struct state *s, const char *argument);
unsigned edit_reset(struct state *s, const char *argument);
unsigned edit_set(struct state *s, const char *argument);
unsigned edit_fix(struct state *s, const char *argument);
unsigned edit_undo(struct state *s, const char *argument);
unsigned edit_redo(struct state *s, const char *argument);
unsigned edit_all_fields(struct state *s, const char *argument);

/* Take `next`, in which field f was changed, and say what that drops. It is resolved here. */
unsigned edit_take(struct state *s, enum field_id f, struct plan *next);
/* Put a typed value into a field. False with the reason in err. */
bool edit_put(struct state *s, enum field_id f, const char *text, unsigned *flags, char *err,
    size_t size);
/* Open the one-line editor on a field. */
void edit_open(struct state *s, enum field_id f, const char *text);
/* Take the fix of a diagnostic. */
unsigned edit_take_fix(struct state *s, const struct diag *d);
/* The error that f would mend now: of the selected field, else the first. */
const struct diag *edit_current_diag(const struct state *s);

/* The plan is not legal or does not fit. */
bool edit_is_bad(const struct state *s);

/* mends.c: the fields of the last change; look for what mends the plan; list it, false where
 * there is nothing; put the best of it and hints among the errors. */
struct field_set mends_asked(const struct state *s);
void mends_find(struct state *s);
bool mends_open(struct state *s);
void mends_note(struct state *s);
/* The name of the file of the plan, or "(new plan)". */
const char *state_file_name(const struct state *s);

/* move.c: moving about */
unsigned move_lines(struct state *s, int way);
unsigned move_aside(struct state *s, int way);
unsigned move_page(struct state *s, int way);
unsigned move_end(struct state *s, int way);
unsigned move_pane(struct state *s, int way);
unsigned move_to_pane(struct state *s, const char *name);
unsigned move_picture(struct state *s, const char *argument);
unsigned move_peers(struct state *s, const char *argument);
unsigned move_zoom(struct state *s, int way);
unsigned move_to_zoom(struct state *s, const char *name);
unsigned move_kind(struct state *s, int way);
unsigned move_to_kinds(struct state *s, const char *list);
/* Colour by n kinds at once. */
unsigned move_dimensions(struct state *s, int n);

/* overlay.c: lists over the panes */
unsigned overlay_help(struct state *s, const char *argument);
unsigned overlay_diags(struct state *s, const char *argument);
unsigned overlay_fields(struct state *s, const char *argument);
unsigned overlay_kinds(struct state *s, const char *argument);
unsigned overlay_accept(struct state *s, const char *argument);
unsigned overlay_close(struct state *s, const char *argument);
void overlay_open(struct state *s, enum overlay overlay);
/* True for lists that filter by plain typing; in the others '/' begins that. */
bool overlay_types(const struct state *s);
/* Move its selection by items or to an end. */
void overlay_move(struct state *s, int way);
/* Scroll to the selected item. */
void overlay_follow(struct state *s);
/* Draw it over the panes. */
void overlay_draw(const struct state *s, struct canvas *c);
/* Turn a page: the lines move, a selected entry that is shown no more gives way to one that
 * is; where there is no other page, to the first or last. */
void overlay_turn(struct state *s, int way);
/* The entry at a place of the screen; false without one. */
bool overlay_at(const struct state *s, int x, int y, int *item);
/* Move the lines shown; an entry that is shown stays selected. */
void overlay_scroll(struct state *s, int lines);

/* Left and right in a list that has a use for them. */
unsigned overlay_aside(struct state *s, int way);

/* inspect.c: one GPU, and the way to what is looked for */
unsigned inspect_open(struct state *s, const char *argument);
unsigned inspect_go(struct state *s, const char *argument);
unsigned inspect_next(struct state *s, int way);

/* compare.c: this plan against another */
unsigned compare_pin(struct state *s, const char *argument);
unsigned compare_open(struct state *s, const char *argument);

/* history.c */
unsigned history_open(struct state *s, const char *argument);

/* topics.c: the primer */
unsigned topics_open(struct state *s, const char *argument);
unsigned topics_language(struct state *s, const char *argument);
/* From a page back to the list; false when the list is what is open. */
bool topics_close(struct state *s);

/* options.c: what the user prefers */
unsigned options_open(struct state *s, const char *argument);
unsigned options_ascii(struct state *s, const char *argument);
unsigned options_palette(struct state *s, const char *argument);
unsigned options_mouse(struct state *s, const char *argument);
unsigned options_remember(struct state *s, const char *argument);

/* why.c: where a number comes from */
unsigned overlay_why(struct state *s, const char *argument);

/* prompt.c: one-line editing, questions, files */
unsigned prompt_command(struct state *s, const char *argument);
unsigned prompt_open(struct state *s, const char *argument);
unsigned prompt_save(struct state *s, const char *argument);
unsigned prompt_save_as(struct state *s, const char *argument);
unsigned prompt_quit(struct state *s, const char *argument);
unsigned prompt_discard(struct state *s, const char *argument);
unsigned prompt_save_quit(struct state *s, const char *argument);
unsigned prompt_filter(struct state *s, const char *argument);
unsigned prompt_suspend(struct state *s, const char *argument);
unsigned prompt_repaint(struct state *s, const char *argument);
void prompt_start(struct state *s, enum prompt prompt, const char *text, bool fresh);
/* A key while a prompt or a question is open. */
unsigned prompt_key(struct state *s, int32_t key);
/* "TP (1 to 64 ranks): " */
void prompt_label(const struct state *s, char *buf, size_t size);
/* The line below it: what Tab can choose from, or what may be typed. */
void prompt_hint(const struct state *s, char *buf, size_t size);
/* Question in one line. */
void prompt_question(const struct state *s, char *buf, size_t size);
#endif
