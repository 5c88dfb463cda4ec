/* What every micro-batch sends: TP, CP and experts, and what that hides behind. */
#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/train/traffic.h"

#define TP_SOURCE "Megatron-LM megatron/core/tensor_parallel/layers.py"
#define RING_SOURCE "Li et al. 2021, arXiv 2105.13120"
#define CP_SOURCE "Transformer Engine attention/dot_product_attention/context_parallel.py"
#define EP_SOURCE "Megatron-LM megatron/core/transformer/moe/token_dispatcher.py"
#define HEADS_SOURCE "pytorch/torchtitan pull request 1870"
#define GATHER_SOURCE "torchtitan torchtitan/config/configs.py (disable_loss_parallel)"
#define LOSS_SOURCE "Megatron-LM megatron/core/tensor_parallel/cross_entropy.py"

/* What remains of traffic that runs beside matrix products: both share SMs and memory, and
 * the first and last piece have nothing to hide behind. */
#define OVERLAP_REST 0.25

/* What remains where PyTorch cuts products and collectives into pieces (async TP): torchtitan
 * benchmarks/asyncTP_llama3_h100_2025-06_torchtitan.md and llama3_h100_202412_torchtitan.md
 * give 4 to 16 % of a step of which TP's traffic is about a fifth; chosen on three pairs. */
#define ASYNC_TP_REST 0.6

/* What remains of expert traffic beside another micro-batch. DualPipe's kernels take 20 of 132
 * SMs (the DeepSeek-V3 report, arXiv 2412.19437, section 3.2.2); those of DeepEP and HybridEP
 * in Megatron-LM, whose first and last micro-batches have nothing beside them, leave twice as
 * much (Megatron-Bridge's Qwen3 rows with overlap); NCCL's all-to-all takes more SMs still. */
#define DUALPIPE_REST 0.15
#define EXPERT_REST 0.3
#define NCCL_REST 0.5

static struct span
kind_span(const struct plan *p, const struct layout *l, const char *name, const char *other)
{
	int kind = layout_kind(l, name);

	if (kind < 0 && other != NULL)
		kind = layout_kind(l, other);
	return link_span(p, l, kind);
}

/* Exposed: calls that nothing hides, in calls. */
static void
put_flow(struct flows *f, const struct plan *p, struct flow flow, double exposed)
{
	if (flow.span.size <= 1 || flow.payload <= 0 || flow.forward + flow.backward <= 0)
		return;
	if (flow.seconds <= 0)
		flow.seconds = collective_seconds(p, flow.collective, flow.payload, &flow.span, NULL);
	flow.exposed = exposed * flow.seconds;
	f->exposed[flow.unit] += flow.exposed;
	f->flow[f->count++] = flow;
}

/* Share of one call that work of `window` seconds beside it does not hide. */
static double
beside(double seconds, double window)
{
	if (seconds <= 0)
		return 0;
	return fmax(OVERLAP_REST, 1 - window / seconds);
}

/* Seconds of one TP collective over the activations of a micro-batch. Linear layers below 16
 * bits gather their inputs quantised (Transformer Engine pytorch/distributed.py). */
struct tensor_times {
	double reduce;    /* all-reduce, or reduce-scatter with sequence parallelism */
	double gather;    /* in 16 bits */
	double quantised; /* payload of a gather in the layers' format */
	double in_format; /* and its seconds */
};

static struct tensor_times
tensor_times(const struct plan *p, const struct span *span)
{
	const double values = batch_tokens(p) * (double)p->model.hidden_size;
	const double payload = values * batch_width(p);
	struct tensor_times t = { .quantised = values * format_of(p).bytes };

	if (!p->parallel.sequence_parallel) {
		t.reduce = collective_seconds(p, COLLECTIVE_ALL_REDUCE, payload, span, NULL);
		return t;
	}
	t.reduce = collective_seconds(p, COLLECTIVE_REDUCE_SCATTER, payload, span, NULL);
	t.gather = collective_seconds(p, COLLECTIVE_ALL_GATHER, payload, span, NULL);
	t.in_format = t.quantised < payload ?
	    collective_seconds(p, COLLECTIVE_ALL_GATHER, t.quantised, span, NULL) : t.gather;
	return t;
}

/* The forward calls of x once more, where recompute runs its unit again; open: the share of
 * them that nothing hides. */
static void
put_again(struct flows *f, const struct plan *p, struct flow x, const char *name, double open)
{
	if (p->training.recompute == RECOMPUTE_NONE || x.forward <= 0)
		return;
	x.name = name;
	x.unit = x.unit == UNIT_HALF ? UNIT_HALF_AGAIN :
	    x.unit == UNIT_MOE ? UNIT_MOE_AGAIN : UNIT_ATTENTION_AGAIN;
	x.backward = x.forward;
	x.forward = 0;
	put_flow(f, p, x, open * x.backward);
}

/*
 * Each half of a layer (attention, MLP): an all-reduce each way, or with sequence parallelism
 * an all-gather before and a reduce-scatter after it. Backward gathers the input once more
 * behind the data gradient, and scatters behind the weight gradient; PyTorch's DTensor and
 * nanotron run nothing beside them, and DTensor keeps the gathered input. A full recompute runs
 * the forward half again, a selective one that of the MLPs that it names (Megatron-LM
 * megatron/core/transformer/transformer_layer.py, moe/moe_layer.py).
 */
static void
tensor_halves(struct flows *f, const struct plan *p, const struct span *span,
    const struct work *layer, const struct tensor_times *one)
{
	const double rest_open = framework_of(p)->async_tp ? ASYNC_TP_REST :
	    fmin(1, OVERLAP_REST + 1 / (double)span->size);
	const double open = p->training.tp_overlap ? rest_open : 1;
	const bool in_turn = !traffic_hides_tensors(p), kept = framework_of(p)->tp_keeps_gathered;
	const struct tensor_calls calls = compute_tensor_calls(p);
	/* Of both halves, what follows the last product is not run again, and nothing where it is saved. */
	const double again = saved_by_operation(p) ? 0 : compute_stops_early(p) ? 0.5 : 1;
	const double payload = batch_tokens(p) * (double)p->model.hidden_size * batch_width(p);
	struct flow x = {
		.dim = TRAFFIC_TP, .name = "TP", .formula = "b*s/CP*h*a", .source = TP_SOURCE,
		.collective = COLLECTIVE_ALL_REDUCE, .unit = UNIT_HALF, .span = *span,
		.payload = payload, .seconds = one->reduce, .forward = 1, .backward = calls.reductions
	};
	const double reduced = calls.reductions *
	    (in_turn ? open : beside(one->reduce, layer->weight / 2));

	if (open < 1 || !in_turn)
		x.hiding = (struct hiding){ open < 1 ? "products of the layer" : "weight gradients",
			layer->weight / 2, OVERLAP_REST };
	if (!p->parallel.sequence_parallel) {
		x.name = "TP outputs and input gradients";
		put_flow(f, p, x, open + reduced);
		x.forward = again;
		put_again(f, p, x, "TP outputs, recomputed", open);
		return;
	}
	x.name = "TP gathered inputs";
	x.collective = COLLECTIVE_ALL_GATHER;
	x.payload = one->quantised;
	x.seconds = one->in_format;
	x.forward = calls.gathers;
	x.backward = kept ? 1 : 2;
	put_flow(f, p, x, in_turn ? (x.forward + x.backward) * open :
	    (x.forward + 1) * open + beside(one->in_format, layer->weight / 2));
	put_again(f, p, x, "TP gathered inputs, recomputed", open);
	x.name = "TP scattered outputs";
	x.collective = COLLECTIVE_REDUCE_SCATTER;
	x.payload = payload;
	x.seconds = one->reduce;
	x.forward = 1;
	x.backward = calls.reductions;
	put_flow(f, p, x, open + reduced);
	x.forward = again;
	put_again(f, p, x, "TP scattered outputs, recomputed", open);
}

/* Normed queries and keys, and their gradients, of all heads on each rank. */
static void
tensor_heads(struct flows *f, const struct plan *p, const struct span *span)
{
	const struct model *m = &p->model;
	const struct flow x = {
		.dim = TRAFFIC_TP, .name = "TP gathered queries and keys", .formula = "b*s/CP*(n+k)*d*a",
		.source = HEADS_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .unit = UNIT_ATTENTION,
		.span = *span, .forward = 1, .backward = 1,
		.payload = batch_tokens(p) * batch_width(p) * (params_query_width(m, false) +
		    params_kv_heads(m, false) * params_key_dim(m, false))
	};

	put_flow(f, p, x, 2);
	put_again(f, p, x, "TP gathered queries and keys, recomputed", 1);
}

static void
tensor_ends(struct flows *f, const struct plan *p, const struct span *span,
    const struct tensor_times *one)
{
	const bool sp = p->parallel.sequence_parallel;
	const double tokens = batch_tokens(p);
	struct flow x = {
		.dim = TRAFFIC_TP, .name = "TP embedding output", .formula = "b*s/CP*h*a", .source = TP_SOURCE,
		.collective = sp ? COLLECTIVE_REDUCE_SCATTER : COLLECTIVE_ALL_REDUCE,
		.unit = UNIT_EMBEDDING, .span = *span,
		.payload = tokens * (double)p->model.hidden_size * batch_width(p),
		.seconds = one->reduce, .forward = 1
	};

	put_flow(f, p, x, 1);
	x.unit = UNIT_HEAD;
	x.forward = 0;
	x.backward = 1;
	x.name = "TP input gradient of the head";
	put_flow(f, p, x, 1);
	if (sp) {
		x.collective = COLLECTIVE_ALL_GATHER;
		x.seconds = one->gather;
		x.name = "TP gathered input of the head";
		x.forward = x.backward = 1;
		put_flow(f, p, x, 1 + OVERLAP_REST);
		x.name = "TP gradient of the embedding";
		x.unit = UNIT_EMBEDDING;
		x.forward = 0;
		put_flow(f, p, x, 1);
	}
	if (p->training.gathered_logits) {
		x = (struct flow){
			.dim = TRAFFIC_TP, .name = "TP gathered logits", .formula = "b*s/CP*V*a",
			.source = GATHER_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .unit = UNIT_HEAD,
			.span = *span, .forward = 1,
			.payload = tokens * (double)p->model.vocab_size * batch_width(p)
		};
		put_flow(f, p, x, 1);
		return;
	}
	x = (struct flow){
		.dim = TRAFFIC_TP, .name = "TP loss: maximum, target, sum", .formula = "b*s/CP*4",
		.source = LOSS_SOURCE, .collective = COLLECTIVE_ALL_REDUCE, .unit = UNIT_HEAD,
		.span = *span, .payload = tokens * 4, .forward = 3
	};
	put_flow(f, p, x, 3);
}

/*
 * Tokens and positions to all of the embedding, labels and the loss mask (fp32) to all of the head, of
 * the whole sequence: CP takes its part afterwards. A broadcast sends what a gather does, which is
 * half of an all-reduce: it counts with what the plan has of either.
 */
static void
tensor_batch(struct flows *f, const struct plan *p, const struct span *span)
{
	const bool sp = p->parallel.sequence_parallel;
	const double tokens = batch_tokens(p) * at_least_one(p->parallel.cp) / (sp ? 1 : 2);
	struct flow x = {
		.dim = TRAFFIC_TP, .name = "TP tokens and positions of the batch", .formula = sp ? "b*s*8" : "b*s*8/2",
		.source = framework_of(p)->sends_batch, .span = *span, .unit = UNIT_EMBEDDING,
		.collective = sp ? COLLECTIVE_ALL_GATHER : COLLECTIVE_ALL_REDUCE, .payload = tokens * 8, .forward = 2
	};

	if (x.source == NULL)
		return;
	put_flow(f, p, x, 2);
	x.name = "TP labels and loss mask of the batch";
	x.formula = sp ? "b*s*(8 + 4)/2" : "b*s*(8 + 4)/4";
	x.unit = UNIT_HEAD;
	x.payload = tokens * 6;
	put_flow(f, p, x, 2);
}

/* ---- context parallel ------------------------------------------------------------- */

/* Bytes of one rank's keys and values, and of its queries and attention output. */
struct chunks {
	double kv, qo;
};

/* What an index chooses from is gathered as it is kept: MLA's latent vector and the indexer's key
 * (Megatron-LM megatron/core/transformer/experimental_attention_variant/dsa.py). */
static bool
gathers_latent(const struct plan *p)
{
	return p->model.attention == ATTENTION_MLA && p->model.index_heads > 0 &&
	    p->parallel.cp_comm == CP_COMM_ALLGATHER;
}

/* MLA exchanges heads after its up projections, so as many for keys as for queries. */
static struct chunks
context_chunks(const struct plan *p)
{
	const struct model *m = &p->model;
	const bool latent = m->attention == ATTENTION_MLA;
	const double tp = at_least_one(p->parallel.tp);
	const double heads = (double)m->attention_heads / tp;
	const double shared = latent ? heads : fmax(1, (double)m->kv_heads / tp);
	const double one = batch_tokens(p) * batch_width(p) *
	    (params_key_dim(m, false) + params_value_dim(m, false));

	if (gathers_latent(p))
		return (struct chunks){ batch_tokens(p) * batch_width(p) *
		    (double)(m->kv_lora_rank + m->qk_rope_head_dim + m->index_head_dim), one * heads };
	return (struct chunks){ one * shared, one * heads };
}

/* Keys and values travel round the ring while attention works on the chunk before. */
static void
context_ring(struct flows *f, const struct plan *p, const struct span *span,
    const struct chunks *c, const struct work *layer)
{
	const double n = (double)span->size, steps = n - 1;
	struct flow x = {
		.dim = TRAFFIC_CP, .name = "CP ring of keys and values", .formula = "b*s/CP*kv/TP*(d+v)*a",
		.source = CP_SOURCE, .collective = COLLECTIVE_SEND, .unit = UNIT_ATTENTION,
		.span = *span, .payload = c->kv, .forward = steps, .backward = 2 * steps
	};
	const double one = collective_seconds(p, COLLECTIVE_SEND, c->kv, span, NULL);
	const double forward = one > 0 ? fmax(0, one - layer->core / n) / one : 0;
	const double backward = one > 0 ? fmax(0, 2 * one - layer->core_backward / n) / one : 0;

	x.hiding = (struct hiding){ "attention of a chunk, backward longer", layer->core / n, 0 };
	put_flow(f, p, x, steps * (forward + backward));
	put_again(f, p, x, "CP ring of keys and values, recomputed", forward);
}

/*
 * Scores of all keys are worked out while keys go round, then values go round; gradients of both are
 * added up over all ranks, each of the whole sequence. Nothing of it is hidden (Li et al. 2021, arXiv
 * 2105.13120, section 3; ColossalAI colossalai/legacy/nn/layer/parallel_sequence/_operation.py, RingQK
 * and RingAV).
 */
static void
context_scores(struct flows *f, const struct plan *p, const struct span *span,
    const struct chunks *c)
{
	const double steps = (double)span->size - 1;
	struct flow x = {
		.dim = TRAFFIC_CP, .name = "CP rings of keys, then of values", .formula = "b*s/CP*kv/TP*(d+v)*a",
		.source = RING_SOURCE, .collective = COLLECTIVE_SEND, .unit = UNIT_ATTENTION,
		.span = *span, .payload = c->kv, .forward = steps, .backward = steps
	};

	put_flow(f, p, x, 2 * steps);
	put_again(f, p, x, "CP rings of keys and values, recomputed", 1);
	x.name = "CP key and value gradients";
	x.formula = "CP*b*s/CP*kv/TP*(d+v)*a";
	x.collective = COLLECTIVE_ALL_REDUCE;
	x.payload = c->kv * (double)span->size;
	x.forward = 0;
	x.backward = 1;
	put_flow(f, p, x, 1);
}

static void
context_exchange(struct flows *f, const struct plan *p, const struct span *span,
    const struct chunks *c)
{
	struct flow x = {
		.dim = TRAFFIC_CP, .name = "CP heads for sequence", .formula = "(q + o + kv)/4",
		.source = CP_SOURCE, .collective = COLLECTIVE_ALL_TO_ALL, .unit = UNIT_ATTENTION,
		.span = *span, .payload = (c->qo + c->kv) / 4, .forward = 4, .backward = 4
	};

	put_flow(f, p, x, 8);
	put_again(f, p, x, "CP heads for sequence, recomputed", 1);
}

/* How many ranks of two-level CP exchange heads: the first number of "2x4", else as many
 * as there are KV heads on a rank, inside the NVLink domain. */
static int64_t
inner_context(const struct plan *p, const struct span *span)
{
	const int64_t tp = most_of(1, p->parallel.tp);
	int64_t n = batch_context_inner(p), limit = p->model.kv_heads / tp;

	if (n > 0)
		return n < span->size ? n : span->size;
	if (limit > span->inside)
		limit = span->inside;
	for (n = 1; n * 2 <= limit && span->size % (n * 2) == 0; n *= 2)
		continue;
	return n;
}

static void
context(struct flows *f, const struct plan *p, const struct span *cp, const struct work *layer)
{
	const struct chunks c = context_chunks(p);
	struct span span = *cp, inner, outer;
	struct flow x;

	switch (p->parallel.cp_comm) {
	case CP_COMM_P2P:
		context_ring(f, p, &span, &c, layer);
		return;
	case CP_COMM_RING_QK:
		context_scores(f, p, &span, &c);
		return;
	case CP_COMM_A2A:
		context_exchange(f, p, &span, &c);
		return;
	case CP_COMM_ALLGATHER:
		x = (struct flow){
			.dim = TRAFFIC_CP, .name = "CP gathered keys and values",
			.formula = gathers_latent(p) ? "CP*b*s/CP*(kl+rope+index)*a" :
			    "CP*b*s/CP*kv/TP*(d+v)*a", .source = CP_SOURCE,
			.collective = COLLECTIVE_ALL_GATHER, .unit = UNIT_ATTENTION, .span = span,
			.payload = c.kv * (double)span.size, .forward = 1, .backward = 1
		};
		put_flow(f, p, x, 2);
		put_again(f, p, x, "CP gathered keys and values, recomputed", 1);
		x.name = "CP key and value gradients";
		x.collective = COLLECTIVE_REDUCE_SCATTER;
		x.forward = 0;
		x.backward = 1;
		put_flow(f, p, x, 1);
		return;
	default:
		inner = link_stride(p, inner_context(p, &span), p->parallel.tp);
		outer = link_stride(p, span.size / inner.size, p->parallel.tp * inner.size);
		context_exchange(f, p, &inner, &c);
		context_ring(f, p, &outer, &c, layer);
	}
}

/* ---- experts ---------------------------------------------------------------------- */

static bool
is_dualpipe(const struct plan *p)
{
	return plan_schedule(p) == SCHEDULE_DUALPIPE || plan_schedule(p) == SCHEDULE_DUALPIPEV;
}

bool
traffic_hides_experts(const struct plan *p)
{
	return plan_has_experts(p) && (p->training.moe_overlap || is_dualpipe(p));
}

bool
traffic_hides_tensors(const struct plan *p)
{
	return p->parallel.tp > 1 && framework_runs(p, framework_of(p)->tp_beside_since);
}

static double
expert_rest(const struct plan *p)
{
	if (is_dualpipe(p))
		return DUALPIPE_REST;
	return p->parallel.moe_dispatcher >= DISPATCHER_DEEPEP ? EXPERT_REST : NCCL_REST;
}

/* Which token goes to which expert, a byte each, is gathered from all ranks before HybridEP's
 * dispatch; what comes back goes by the same map. */
static void
routing_map(struct flows *f, const struct plan *p, const struct span *ep, double open)
{
	const struct flow x = {
		.dim = TRAFFIC_EP, .name = "EP map of tokens to experts", .formula = "EP*b*s/CP/TP*experts",
		.source = "deepseek-ai/DeepEP csrc/hybrid_ep/executor/executor.cu",
		.collective = COLLECTIVE_ALL_GATHER, .unit = UNIT_MOE, .span = *ep,
		.payload = batch_tokens(p) / at_least_one(p->parallel.tp) * (double)ep->size *
		    (double)p->model.experts,
		.forward = 1
	};

	put_flow(f, p, x, open);
	put_again(f, p, x, "EP map of tokens to experts, recomputed", open);
}

static void
expert(struct flows *f, const struct plan *p, const struct flow_spans *spans,
    const struct work *layer)
{
	const struct span ep = spans->ep, etp = spans->etp;
	const double tokens = batch_tokens(p) / at_least_one(p->parallel.tp);
	const double k = params_experts_met(&p->model);
	const double width = params_expert_width(&p->model) * batch_width(p); /* bytes of a token */
	const double capacity = p->training.moe_capacity_factor;
	struct flow x = {
		.dim = TRAFFIC_EP, .name = "EP dispatch and combine", .formula = "b*s/CP/TP*topk*h*a",
		.source = EP_SOURCE, .collective = COLLECTIVE_ALL_TO_ALL, .unit = UNIT_MOE, .span = ep,
		.payload = tokens * k * width, .forward = 2, .backward = 2
	};
	double open = 1, busy = 1;

	if (capacity > 0)
		x.payload *= capacity;
	else
		busy = fmax(1, p->training.moe_imbalance);
	f->dispatch = (struct dispatch){ tokens, width, busy };
	if (p->parallel.moe_dispatcher == DISPATCHER_ALLGATHER) { /* all tokens, and outputs back */
		x.collective = COLLECTIVE_ALL_GATHER;
		x.formula = "EP*b*s/CP/TP*h*a";
		x.payload = tokens * width * (double)ep.size;
		x.seconds = collective_seconds(p, x.collective, x.payload, &ep, NULL);
	} else {
		x.dispatched = true;
		x.seconds = traffic_dispatch_seconds(p, &f->dispatch, x.payload, &ep, NULL);
	}
	if (traffic_hides_experts(p)) {
		open = fmax(expert_rest(p), 1 - layer->forward / fmax(2 * x.seconds, 1e-300));
		x.hiding = (struct hiding){ "another micro-batch", layer->forward, expert_rest(p) };
	}
	put_flow(f, p, x, 4 * open);
	put_again(f, p, x, "EP dispatch and combine, recomputed", open);
	if (p->parallel.moe_dispatcher == DISPATCHER_HYBRIDEP)
		routing_map(f, p, &ep, open);
	x = (struct flow){
		.dim = TRAFFIC_ETP, .name = "ETP gathered tokens", .formula = "ETP*b*s/CP/TP*topk*h*a",
		.source = EP_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .unit = UNIT_MOE, .span = etp,
		.payload = tokens * k * width * (double)etp.size, .forward = 1, .backward = 1
	};
	put_flow(f, p, x, 2);
	put_again(f, p, x, "ETP gathered tokens, recomputed", 1);
	x.name = "ETP scattered tokens";
	x.collective = COLLECTIVE_REDUCE_SCATTER;
	put_flow(f, p, x, 2);
	put_again(f, p, x, "ETP scattered tokens, recomputed", 1);
}

struct flow_spans
traffic_spans(const struct plan *p, const struct layout *l)
{
	const struct parallel *par = &p->parallel;
	const struct span alone = link_span(p, l, -1);
	struct flow_spans s = { alone, alone, alone, alone };

	if (par->tp > 1)
		s.tp = kind_span(p, l, "tp", "model");
	if (par->cp > 1)
		s.cp = kind_span(p, l, "cp", "sequence_parallel");
	if (plan_has_experts(p)) {
		s.ep = kind_span(p, l, "ep", NULL);
		s.etp = kind_span(p, l, "etp", par->etp > 1 ? "model" : NULL);
	}
	return s;
}

static bool
span_equal(const struct span *a, const struct span *b)
{
	return a->kind == b->kind && a->size == b->size && a->inside == b->inside &&
	    a->domains == b->domains && a->nodes == b->nodes && !(a->nic_share < b->nic_share) &&
	    !(a->nic_share > b->nic_share);
}

bool
flow_spans_equal(const struct flow_spans *a, const struct flow_spans *b)
{
	return span_equal(&a->tp, &b->tp) && span_equal(&a->cp, &b->cp) &&
	    span_equal(&a->ep, &b->ep) && span_equal(&a->etp, &b->etp);
}

void
traffic_flows(struct flows *out, const struct plan *p, const struct flow_spans *spans,
    const struct work *layer)
{
	struct tensor_times one;

	out->count = 0;
	for (int i = 0; i < UNIT_COUNT; i++)
		out->exposed[i] = 0;
	if (p->parallel.tp > 1) {
		one = tensor_times(p, &spans->tp);
		tensor_halves(out, p, &spans->tp, layer, &one);
		tensor_batch(out, p, &spans->tp);
		tensor_ends(out, p, &spans->tp, &one);
		if (compute_gathers_heads(p))
			tensor_heads(out, p, &spans->tp);
	}
	if (p->parallel.cp > 1)
		context(out, p, &spans->cp, layer);
	if (plan_has_experts(p))
		expert(out, p, spans, layer);
}
