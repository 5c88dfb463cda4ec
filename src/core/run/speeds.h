/*
 * speeds.h - layers by what stages take for them, where stages are not alike: GPUs of several types, slow
 * nodes. Found by dynamic programming over stages and layers, which compares all splits.
 */
#ifndef CORE_RUN_SPEEDS_H
#define CORE_RUN_SPEEDS_H
#include <stdbool.h>

#include "core/framework/layout.h"
#include "core/plan/plan.h"

enum { SPEEDS_STAGES = 64, SPEEDS_LAYERS = 256 };

/* What stages take for layers in a row: before[s][b] - before[s][a] + end[s] for those from a to b. A step takes
 * `rest` times the slowest and once all of them. */
struct speeds {
	int stages, layers;
	double rest;
	double before[SPEEDS_STAGES][SPEEDS_LAYERS + 1];
	double end[SPEEDS_STAGES];        /* of embedding and loss */
	int most[SPEEDS_STAGES];          /* layers that its memory takes */
};

/* The layers of each stage, one at least, with which a step is shortest. False where there is no such split. */
bool speeds_split(const struct speeds *s, int layers[SPEEDS_STAGES]);

/* A plan of Megatron-LM whose stages are not alike, with the layers by what they take: the layout is in *out,
 * the step takes *seconds. False where nothing fits, or the framework has no word for it. */
bool speeds_plan(struct plan *out, double *seconds, const struct plan *p, const struct layout *l);
#endif
