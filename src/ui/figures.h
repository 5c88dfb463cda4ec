/*
 * figures.h - the numbers of a training step or of a serving engine, as a list in columns.
 */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H
#include <stdbool.h>
#include <stddef.h>

#include "core/result.h"
#include "ui/canvas.h"

/* True when there are figures: the estimate is timed or served. */
bool figures_known(const struct estimate *e);

/* The i-th figure of this estimate, RESULT_COUNT past the end; and how many there are. */
enum result_id figures_at(const struct estimate *e, int i);
int figures_count(const struct estimate *e);

/* Its value as text, "-" where it is unknown. Returns buf. */
const char *figures_format(enum result_id id, const struct estimate *e, char *buf, size_t size);

/* What the step time takes to run behind compute, by the plan's switches and what always
 * does: "gradient reduction behind the backward pass; ..."; "none" without any. */
void figures_overlap(const struct plan *p, char *buf, size_t size);

/* Lines that `count` figures take in w columns; they fill one column after the other. */
int figures_lines(int w, int count);

/* The figure at column x of a line, -1 without one. */
int figures_under(int w, int count, int x, int line);

/* Draw from line `first` on; `selected` is marked when focus. Where there is room, and base
 * is not NULL, with the changes against that estimate. */
void figures_draw(struct canvas *c, struct rect r, const struct estimate *e,
    const struct estimate *base, int first, int selected, bool focus);
#endif
