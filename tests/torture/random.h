/*
 * random.h - random numbers that come again with their seed, and random plans.
 */
#ifndef TORTURE_RANDOM_H
#define TORTURE_RANDOM_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct dice {
	uint64_t state;
};

struct dice dice_of(uint64_t seed);

/* 0 to n-1; true once in n times. */
int64_t dice_below(struct dice *d, int64_t n);
bool dice_rarely(struct dice *d, int64_t n);

/* A training plan, resolved without a catalogue: not always legal, and of sizes that are
 * nothing unusual. */
struct plan random_plan(struct dice *d);

/* The same fine-tuned, which need not be legal. */
void random_tuning(struct dice *d, struct plan *p);
#endif
