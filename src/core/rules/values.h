/*
 * values.h - what a field could be instead: values that are worth a try.
 */
#ifndef CORE_VALUES_H
#define CORE_VALUES_H
#include <stddef.h>

#include "core/plan/field.h"

enum { VALUES_MAX = 160, VALUE_SIZE = 32 };

/* The distance of a value that is about the same, a tenth more or less (log 1.1): who typed a
 * batch of 65 is as well served by 66, and better than by other sizes all over the plan. */
#define VALUES_ABOUT 0.0953

struct value {
	char text[VALUE_SIZE]; /* as one would type it; "" takes the mark away */
	double distance;       /* from the plan's value: logarithm of the ratio, else 0.5 and up */
	int way;               /* -1 below the plan's value, 1 above it, 0 neither */
};

/* Nearest first, each once, none of them the plan's own. */
struct values {
	size_t count;
	struct value item[VALUES_MAX];
};

/* Where + and - lead to: divisors of the world, powers of two and doublings, neighbours of
 * what is counted one by one, the other names of a list, more or fewer prefill workers. */
void values_steps(struct values *out, const struct plan *p, enum field_id f);

/* The number that a batch has to be a multiple of for data parallel ranks on any number of nodes that is no
 * power of two: its odd part, in micro-batches. 7 of 7 nodes with 8 GPUs each. */
int64_t values_batch_unit(const struct plan *p);

/* Values near a field's and more, for a plan that breaks a rule: whatever numbers lie near, and what batch,
 * sequence and nodes would have to be a multiple of. */
void values_near(struct values *out, const struct plan *p, enum field_id f);
#endif
