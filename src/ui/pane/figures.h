/*
 * figures.h - the numbers of a training step or of a serving engine, as a list in columns.
 */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H
#include <stddef.h>

#include "core/estimate/result.h"

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
#endif
