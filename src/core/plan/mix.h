/*
 * mix.h - what requests of a kind are like: a row for each choice of traffic.mix.
 */
#ifndef CORE_PLAN_MIX_H
#define CORE_PLAN_MIX_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

struct mix {
	int64_t prompt, generate;            /* tokens, on average */
	double prompt_spread, generate_spread; /* standard deviation over mean */
	double prefix_hit;                   /* share of the prompt that was there before */
};

/* Of the plan's mix: all 0 of none. NULL of none, or in train mode. */
const struct mix *mix_row(const struct plan *p);
const struct mix *mix_of(const struct plan *p);

/* True for lengths that a mix gives where nobody sets them. */
bool mix_fills(enum field_id f);

/* Tokens that three standard deviations of both lengths keep within, as a power of two: the context
 * that such requests need; at least 8192. */
int64_t mix_context(const struct mix *m);
#endif
