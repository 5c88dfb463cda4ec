/*
 * traffic.h - what each parallel dimension sends in one training step.
 *
 * One row for each dimension and collective, for one GPU of the stage that takes longest.
 * Bytes are what the GPU sends on the wire, ring-equivalent (nccl-tests,
 * doc/PERFORMANCE.md); times come from link.h. Volumes follow Megatron-LM
 * (megatron/core/tensor_parallel/layers.py, mappings.py; pipeline_parallel/schedules.py;
 * distributed/param_and_grad_buffer.py; transformer/moe/token_dispatcher.py) and
 * Transformer Engine (attention/dot_product_attention/context_parallel.py).
 */
#ifndef CORE_TRAFFIC_H
#define CORE_TRAFFIC_H
#include <stdbool.h>
#include <stddef.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/link.h"
#include "core/framework/stage.h"
#include "core/model/params.h"
#include "core/plan/plan.h"
#include "core/train/compute.h"

enum { TRAFFIC_ROWS_MAX = 24, FLOWS_MAX = 30 };

/* The ways of splitting a model, which make traffic. EMBD: copies of a tied embedding. */
enum traffic_dim {
	TRAFFIC_TP, TRAFFIC_CP, TRAFFIC_PP, TRAFFIC_DP, TRAFFIC_EDP, TRAFFIC_EP, TRAFFIC_ETP,
	TRAFFIC_EMBD, TRAFFIC_DIMS
};

/* "tp", "embd". */
const char *traffic_dim_name(enum traffic_dim dim);

struct traffic_row {
	enum traffic_dim dim;
	const char *collective;  /* as collective_name gives it: "all-reduce", "send" */
	struct span span;        /* which links the group crosses */
	double calls;            /* collectives in one step */
	double bytes;            /* sent by one GPU in one step */
	double seconds;          /* if nothing else ran */
	double exposed_seconds;  /* what remains after overlap with compute */
};

/* What all wait for in every layer leaves the NVLink domain, though it would have room
 * there; tensor parallelism in any case. */
bool traffic_strays(const struct plan *p, const struct traffic_row *row);

struct traffic {
	size_t count;
	struct traffic_row row[TRAFFIC_ROWS_MAX];
};

/* The part of a model that a flow happens once for, in every micro-batch. */
enum unit {
	UNIT_HALF,       /* attention or MLP of a layer, where TP splits it */
	UNIT_ATTENTION,  /* a layer */
	UNIT_MOE,        /* a layer with experts */
	UNIT_HALF_AGAIN, /* the same, where recompute runs its forward pass again */
	UNIT_ATTENTION_AGAIN,
	UNIT_MOE_AGAIN,
	UNIT_EMBEDDING,
	UNIT_HEAD,
	UNIT_COUNT
};

/* Tokens sent to experts: what link_dispatch_seconds takes, and how many times as long the
 * busiest rank takes. */
struct dispatch {
	double tokens, token, times;
};

/* The compute that the calls of a flow run beside, for those who ask. */
struct hiding {
	const char *by;  /* NULL: nothing */
	double seconds;  /* of it */
	double rest;     /* share of a call that is exposed all the same */
};

/* One kind of message of every micro-batch. */
struct flow {
	enum traffic_dim dim;
	const char *name, *formula, *source; /* formula: of the payload, in symbols */
	enum collective collective;
	enum unit unit;
	struct span span;
	double payload;           /* bytes of one call, as collective_bytes counts them */
	double seconds;           /* of one call alone */
	double forward, backward; /* calls */
	bool dispatched;          /* as struct flows says */
	struct hiding hiding;
	double exposed;           /* seconds of all these calls that nothing hides */
};

struct flows {
	size_t count;
	struct flow flow[FLOWS_MAX];
	struct dispatch dispatch;
	double exposed[UNIT_COUNT]; /* sum over the flows of a unit */
};

/* Where the groups lie in which flows happen; of one GPU where the plan has none. */
struct flow_spans {
	struct span tp, cp, ep, etp;
};
struct flow_spans traffic_spans(const struct plan *p, const struct layout *l);
bool flow_spans_equal(const struct flow_spans *a, const struct flow_spans *b);

/* The flows of every micro-batch. layer: work of a usual layer, what they hide behind. */
void traffic_flows(struct flows *out, const struct plan *p, const struct flow_spans *spans,
    const struct work *layer);

/* Add the flows to the rows: how often each unit occurs on a stage in one step. */
void traffic_add_flows(struct traffic *t, const struct plan *p, const struct flows *flows,
    const double units[UNIT_COUNT], struct ledger *ledger);

/* Compute that the traffic of a step may hide behind. */
struct window {
	double forward, backward;  /* of one micro-batch on the stage */
	double layers, microbatches;
};

/* Parameters on a rank, and those of them that have gradients. */
struct step_state {
	struct stage_params held, trained;
};

/* Traffic once a step or once a stage: PP, DP and ZeRO, expert DP, embedding. */
void traffic_add_step(struct traffic *t, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct step_state *state, const struct window *w,
    struct ledger *ledger);

double traffic_exposed(const struct traffic *t);

/* Add one message kind to its row, and to the ledger. */
struct message {
	enum traffic_dim dim;
	const char *name, *formula, *source;
	enum collective collective;
	struct span span;
	double payload, calls, seconds, exposed; /* seconds: of all calls */
	const struct dispatch *dispatch; /* NULL: a plain collective */
	const char *exposure; /* the formula of the exposed seconds, NULL: all of them */
};
void traffic_add(struct traffic *t, const struct plan *p, const struct message *m,
    struct ledger *ledger);

/* Seconds of one message of experts; note is for who explains it, or NULL. */
double traffic_dispatch_seconds(const struct plan *p, const struct dispatch *d, double payload,
    const struct span *span, struct link_note *note);

/* Expert traffic runs beside another micro-batch: by moe_overlap, or in DualPipe's order. */
bool traffic_hides_experts(const struct plan *p);

/* A gather and a scatter of TP run beside products for weight gradients. */
bool traffic_hides_tensors(const struct plan *p);
#endif
