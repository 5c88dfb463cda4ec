/*
 * figures.h - the numbers of a training step or of a serving engine, as a list in columns.
 */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate.h"
#include "ui/canvas.h"
#include "ui/change.h"

enum { FIGURE_QUANTITIES = 2 };

struct figure {
	const char *label;  /* short */
	const char *how;    /* what it is and how it follows from others */
	void (*format)(double value, char *buf, size_t size);
	size_t offset;      /* of the double in struct estimate */
	bool if_any;        /* left out while it is 0 */
	enum better better; /* which way is good news */
	enum quantity quantity[FIGURE_QUANTITIES]; /* whose terms explain it, ended by COUNT */
	const char *terms;  /* of the first one those with one of these in the name, NULL: all */
	/* NULL where it is the sum of these terms, else see figures_formula. */
	void (*formula)(const struct plan *p, const struct estimate *e, char *buf, size_t size);
};

/* True when there are figures: the estimate is timed or served. */
bool figures_known(const struct estimate *e);

/* The i-th figure of this estimate, NULL past the end; and how many there are. */
const struct figure *figures_at(const struct estimate *e, int i);
int figures_count(const struct estimate *e);

/* Its value as text, "-" where it is unknown. */
void figures_format(const struct figure *figure, const struct estimate *e, char *buf, size_t size);

/* How it follows from other numbers, with the plan's values: "64*4096 tokens / 1.86 s"; ""
 * where it is a sum, unknown, or follows less simply. */
void figures_formula(const struct figure *figure, const struct plan *p,
    const struct estimate *e, char *buf, size_t size);

/* What the step time takes to run behind compute, by the plan's switches and what always
 * does: "gradient reduction behind the backward pass; ..."; "none" without any. */
void figures_overlap(const struct plan *p, char *buf, size_t size);

/* Lines that `count` figures take in w columns; they fill one column after the other. */
int figures_lines(int w, int count);
#endif
