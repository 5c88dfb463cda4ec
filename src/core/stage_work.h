/*
 * stage_work.h - what one pipeline stage holds, and how long a micro-batch takes on it.
 */
#ifndef CORE_STAGE_WORK_H
#define CORE_STAGE_WORK_H
#include <stdbool.h>
#include <stdint.h>

#include "core/compute.h"
#include "core/ledger.h"
#include "core/plan.h"
#include "core/stage.h"
#include "core/traffic.h"

/* Work of every part that a stage may hold, worked out once. */
struct parts {
	struct work layer[LAYER_KINDS];
	bool done[LAYER_KINDS];
	struct work embedding, head, mtp;
	int usual; /* the kind of the last layer */
};

/* One stage: what it holds, and what one micro-batch takes on it. */
struct stage {
	double kind[LAYER_KINDS];
	double again[LAYER_KINDS]; /* those of them that recompute runs again */
	double layers, mtp, heads;
	bool embedding, loss;
	double forward, backward, weight, recompute, exposed;
	double units[UNIT_COUNT];
};

void parts_init(struct parts *parts, const struct plan *p, const struct machine *g);

/* What n chunks in a row hold; usual: the kind of layer that an MTP layer is like. */
void stage_count(struct stage *s, const struct plan *p, const struct chunk *chunk, int64_t n,
    int usual);

/* Add up its work, and count what traffic happens for. */
void stage_time(struct stage *s, struct parts *parts, const struct plan *p,
    const struct machine *g);

double stage_total(const struct stage *s);

/* Note what the stage's forward, backward and recompute are the sums of: the same work
 * counted again, term by term. */
void stage_note(const struct stage *s, const struct plan *p, const struct machine *g,
    struct ledger *ledger);
#endif
