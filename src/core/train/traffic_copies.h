/*
 * traffic_copies.h - traffic of ranks that hold the same parameters, and how all traffic of a step is added up.
 */
#ifndef CORE_TRAFFIC_COPIES_H
#define CORE_TRAFFIC_COPIES_H
#include "core/train/traffic.h"

/* Who asks how things add up, and what was said of the exposed seconds of a message. */
struct asked {
	struct ledger *ledger; /* NULL: nobody */
	char exposure[288];
};

/* m.seconds: of one call, 0 to take it from the link; exposed below 0: all of it. */
void traffic_add_message(struct traffic *t, const struct plan *p, struct message m, double calls, double exposed,
    struct asked *asked);

/* Bytes of a gradient on its way. */
double traffic_gradient_bytes(const struct plan *p);

/* How far apart the ranks of neighbouring stages are. */
int64_t traffic_stage_stride(const struct layout *l, const struct placement *pl);

/* Gradients and parameters among ranks that hold the same ones, or share their state. */
void traffic_add_copies(struct traffic *t, const struct plan *p, const struct layout *l, const struct placement *pl,
    const struct step_state *state, const struct window *w, struct asked *asked);
#endif
