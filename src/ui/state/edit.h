/*
 * edit.h - changes of the plan. The functions return event flags.
 */
#ifndef UI_EDIT_H
#define UI_EDIT_H
#include "ui/state/state.h"

/* Commands, about the selected field. */
unsigned edit_step(struct state *s, int way);
unsigned edit_reset(struct state *s);
unsigned edit_set(struct state *s, const char *argument);
unsigned edit_walk(struct state *s, int way); /* undo -1, redo 1 */
unsigned edit_all_fields(struct state *s);

/* Take `next`, in which field f was changed, and say what else that changes. It is resolved
 * here. */
unsigned edit_take(struct state *s, enum field_id f, struct plan *next);

/* Whether a word says values by itself, "tp8" or "llama-3.1-70b" (shorthand.h). */
bool edit_is_shorthand(const struct state *s, const char *word);

/* Put a typed value into a field. False with the reason in err. */
bool edit_put(struct state *s, enum field_id f, const char *text, unsigned *flags, char *err,
    size_t size);

/* Open the one-line editor on a field; text NULL: with its value. */
void edit_open(struct state *s, enum field_id f, const char *text);

/* What the nearest fix is of: the selected field's own error, else the first one that has a
 * fix; NULL, and said so, for none. */
const struct diag *edit_fixable(struct state *s);

/* "PP 4, VPP 2": the fix that a diagnostic has. */
enum { EDIT_FIX_SIZE = 2 * (DIAG_FIX_SIZE + 48) };
void edit_fix_text(const struct diag *d, char *buf, size_t size);

/* Take the fix of a diagnostic. */
unsigned edit_take_fix(struct state *s, const struct diag *d);

/* The error, warning or hint that f would mend now: of the selected field, else the first of the
 * most urgent; of hints one that has a fix. */
const struct diag *edit_current_diag(const struct state *s);

/* " (1 to 4096 GiB)": what a field may be, "" where that says nothing. */
void edit_range(enum field_id f, char *buf, size_t size);

/* "TP 8": a field and its value in words. */
void edit_describe(enum field_id f, const struct plan *p, char *buf, size_t size);
#endif
