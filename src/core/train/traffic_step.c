/*
 * traffic_step.c - traffic that does not belong to a layer: pipeline, tied embeddings and norms; and
 * with that of traffic_copies.c all of it (traffic.h).
 */
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/plan/batch.h"
#include "core/train/traffic_copies.h"

#define PP_SOURCE "Megatron-LM megatron/core/pipeline_parallel/schedules.py"
#define PARTS_SOURCE "DeepSpeed deepspeed/runtime/pipe/engine.py, is_pipe_partitioned"
#define EMBD_SOURCE "Megatron-LM megatron/core/distributed/finalize_model_grads.py"

/* ---- pipeline --------------------------------------------------------------------- */

/* Ranks of TP that send a part each of what all of them hold. */
static double
send_parts(const struct plan *p)
{
	return framework_of(p)->parts_sends && !p->parallel.sequence_parallel ?
	    at_least_one(p->parallel.tp) : 1;
}

/* Whose parts the next stage gathers, before it begins. */
static void
gather_parts(struct traffic *t, const struct plan *p, const struct layout *l, double payload,
    double sends, double waits, struct asked *asked)
{
	struct message x = {
		.dim = TRAFFIC_TP, .name = "TP gathered activations of stages", .formula = "b*s/CP*h*a",
		.source = PARTS_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .payload = payload,
		.span = link_span(p, l, layout_kind(l, "model"))
	};
	const double one = collective_seconds(p, x.collective, payload, &x.span, NULL);

	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure, "2*(m+PP-1)*seconds = %.0f*%.8g s", waits, one);
	traffic_add_message(t, p, x, sends, waits * one, asked);
}

/*
 * An activation forward and a gradient back at every boundary of every micro-batch. With
 * one chunk a rank waits for both; with several the next chunk hides them, except while
 * the pipeline fills and drains.
 */
static void
pipeline(struct traffic *t, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct window *w, struct asked *asked)
{
	const double m = w->microbatches, v = (double)pl->vpp, n = (double)pl->pp;
	struct message x = {
		.dim = TRAFFIC_PP, .name = "PP activations and gradients", .formula = "b*s/CP/TP*h*a",
		.source = PP_SOURCE, .collective = COLLECTIVE_SEND,
		.payload = batch_tokens_split(p) * (double)p->model.hidden_size * batch_width(p) / send_parts(p)
	};
	double sends, one, waits;
	bool folded;

	if (pl->pp <= 1)
		return;
	x.span = link_stride(p, pl->pp, traffic_stage_stride(l, pl));
	/* A rank between others sends both ways; of two ranks each sends one way, and the
	 * other way where chunks wrap round, but not where the second ones fold back. */
	folded = placement_chunk(pl, 0, pl->vpp - 1)->loss;
	sends = n > 2 ? 2 * m * v : m * (folded ? v : 2 * v - 1);
	one = collective_seconds(p, COLLECTIVE_SEND, x.payload, &x.span, NULL);
	waits = v > 1 ? 2 * (n - 1) * v : 2 * (m + n - 1);
	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure, "%s*seconds of a send = %.0f*%.8g s, "
		    "%s", v > 1 ? "2*(PP-1)*VPP" : "2*(m+PP-1)", waits, one,
		    v > 1 ? "the others behind the next chunk" : "the others wait meanwhile");
	traffic_add_message(t, p, x, sends, waits * one, asked);
	if (send_parts(p) > 1)
		gather_parts(t, p, l, x.payload * send_parts(p), sends, waits, asked);
}

/* ---- all of it -------------------------------------------------------------------- */

/* What the chunks of a rank, `n` of them, hold of embeddings: the first one, a second one. */
static void
find_embeddings(const struct chunk *c, int64_t n, bool tied, bool *first, bool *second)
{
	for (; n > 0; n--, c++) {
		*first |= c->embedding;
		*second |= (c->loss && tied) || c->mtp > 0;
	}
}

/* True where a rank holds a second embedding: a tied head, or MTP layers, away from the
 * first one. */
static bool
embedding_copied(const struct plan *p, const struct placement *pl)
{
	const bool tied = p->model.tied_embeddings != 0;

	if (!tied && p->model.mtp_layers == 0)
		return false;
	for (int64_t rank = 0; rank < pl->pp; rank++) {
		const int64_t mirror = placement_mirror(pl, p, rank);
		bool first = false, second = false;

		find_embeddings(placement_chunk(pl, rank, 0), pl->vpp, tied, &first, &second);
		if (mirror >= 0)
			find_embeddings(placement_chunk(pl, mirror, 0), pl->vpp, tied, &first, &second);
		if (second && !first)
			return true;
	}
	return false;
}

/* Gradients that a step sums up besides those of the shards. */
static void
extras(struct traffic *t, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct window *w, struct asked *asked)
{
	const double tp = at_least_one(p->parallel.tp);
	const double h = (double)p->model.hidden_size;
	struct message x = {
		.dim = TRAFFIC_EMBD, .name = "EMBD gradient of the embedding's copies",
		.formula = "vocabulary/TP*h*bytes", .source = EMBD_SOURCE,
		.collective = COLLECTIVE_ALL_REDUCE,
		.payload = (double)params_padded_vocab(p) * h / tp * traffic_gradient_bytes(p)
	};
	int kind = layout_kind(l, "embd");

	if (adapters_only(p))
		return; /* embedding and norms are frozen */
	if (embedding_copied(p, pl)) {
		x.span = kind >= 0 ? link_span(p, l, kind) :
		    link_stride(p, 2, l->world - l->world / pl->pp);
		traffic_add_message(t, p, x, 1, -1, asked);
	}
	if (tp <= 1 || !p->parallel.sequence_parallel)
		return;
	kind = layout_kind(l, "tp");
	x.dim = TRAFFIC_TP;
	x.name = "TP gradients of the norms";
	x.formula = "norms*h*bytes";
	x.span = link_span(p, l, kind >= 0 ? kind : layout_kind(l, "model"));
	x.payload = w->layers * params_norms(&p->model) * h *
	    (p->model.norm == NORM_LAYER ? 2 : 1) * traffic_gradient_bytes(p);
	traffic_add_message(t, p, x, 1, -1, asked);
}

void
traffic_add_step(struct traffic *t, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct step_state *state, const struct window *w,
    struct ledger *ledger)
{
	struct asked asked;

	asked.ledger = ledger;
	pipeline(t, p, l, pl, w, &asked);
	traffic_add_copies(t, p, l, pl, state, w, &asked);
	extras(t, p, l, pl, w, &asked);
}
