/*
 * traffic_copies.c - traffic of ranks that hold the same parameters, or share their state: data parallel with
 * ZeRO, expert data parallel, mirrored stages (traffic_copies.h).
 */
#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"
#include "core/train/traffic_copies.h"

#define DP_SOURCE "Megatron-LM megatron/core/distributed/param_and_grad_buffer.py"
#define MIRROR_SOURCE "deepseek-ai/DualPipe examples/example_dualpipe.py"
#define ZERO_SOURCE "DeepSpeed deepspeed/runtime/zero; torchtitan docs/fsdp.md"
#define SUMS_SOURCE "DeepSpeed deepspeed/runtime/zero/stage_1_and_2.py, allreduce_and_scatter"

double
traffic_gradient_bytes(const struct plan *p)
{
	if (framework_of(p)->gradients_in_precision)
		return p->training.precision == PRECISION_FP32 ? 4 : 2;
	return p->training.grad_dtype == GRAD_FP32 || p->training.precision == PRECISION_FP32 ?
	    4 : 2;
}

void
traffic_add_message(struct traffic *t, const struct plan *p, struct message m, double calls, double exposed,
    struct asked *asked)
{
	const double one = m.seconds > 0 ? m.seconds :
	    collective_seconds(p, m.collective, m.payload, &m.span, NULL);

	m.calls = calls;
	m.seconds = calls * one;
	m.exposed = exposed < 0 ? m.seconds : fmin(exposed, m.seconds);
	m.exposure = asked->ledger != NULL ? asked->exposure : NULL;
	traffic_add(t, p, &m, asked->ledger);
}

int64_t
traffic_stage_stride(const struct layout *l, const struct placement *pl)
{
	const int axis = layout_pipeline_axis(l);

	return axis < 0 ? l->world / pl->pp : l->grid[0].axis[axis].stride;
}

static double
weight_bytes(const struct plan *p)
{
	const struct format f = format_of(p);

	return f.quantised && p->training.fp8_param_gather ? f.gathered : batch_width(p);
}

/* Bytes of weights that ZeRO-3 gathers, some of them linear layers': those may be quantised. */
static double
gathered_bytes(const struct plan *p, double params, double linear)
{
	const double quantized = adapters_quantized(p);

	if (!adapters_only(p) || quantized <= 0)
		return params * weight_bytes(p);
	return linear * quantized + (params - linear) * weight_bytes(p);
}

/* Names of the terms. */
struct replica_names {
	const char *gradients, *each, *gathered, *copies, *mirrored;
};

static const struct replica_names dense_names = {
	"DP gradients", "DP gradients of each micro-batch", "DP gathered parameters",
	"DP gradients between copies", "DP gradients of mirrored stages"
};
static const struct replica_names expert_names = {
	"EDP gradients", "EDP gradients of each micro-batch", "EDP gathered parameters",
	"EDP gradients between copies", "EDP gradients of mirrored stages"
};

/* One set of parameters and the ranks that share it. */
struct replica {
	enum traffic_dim dim;
	struct replica_names name;
	struct span shard, copies; /* that split the state; that hold the same split */
	double params;             /* that have gradients */
	double gathered;           /* bytes of weights that ZeRO-3 gathers */
};

static struct span
span_named(const struct plan *p, const struct layout *l, const char *const names[])
{
	for (; *names != NULL; names++) {
		const int kind = layout_kind(l, *names);

		if (kind >= 0)
			return link_span(p, l, kind);
	}
	return link_span(p, l, -1);
}

/* Ranks that hold the same split: each copy is a run of the group that shares the parameters, wherever pipelines stand
 * in the order of ranks. */
static struct span
copies_of(const struct plan *p, const struct layout *l, const char *name)
{
	const int64_t copies = p->parallel.dp_replicate;
	const int kind = layout_kind(l, name);

	if (kind < 0 || layout_group_size(l, kind) % copies != 0)
		return link_stride(p, copies, l->world / (copies * most_of(1, p->parallel.pp)));
	return link_stride(p, copies, layout_member(l, kind, 0, layout_group_size(l, kind) / copies) -
	    layout_member(l, kind, 0, 0));
}

static struct replica
replica_dense(const struct plan *p, const struct layout *l, double params)
{
	static const char *const whole[] = { "dp_cp", "data", "loss", "dp", NULL };
	static const char *const part[] = { "dp_cp_intra", "fsdp", NULL };
	const int64_t copies = p->parallel.dp_replicate;
	struct replica r = { .dim = TRAFFIC_DP, .name = dense_names, .params = params };

	r.shard = span_named(p, l, whole);
	r.copies = link_span(p, l, -1);
	if (copies > 1 && r.shard.size % copies == 0) {
		const struct span inner = span_named(p, l, part);

		/* MiCS of DeepSpeed takes neighbours among the data parallel ranks. */
		r.shard = inner.size > 1 ? inner :
		    link_stride(p, r.shard.size / copies, p->parallel.tp);
		r.copies = copies_of(p, l, "dp_cp");
	}
	return r;
}

static struct replica
replica_expert(const struct plan *p, const struct layout *l, double params)
{
	static const char *const whole[] = { "edp", "efsdp", "dp_cp", NULL };
	static const char *const part[] = { "edp_intra", "efsdp", NULL };
	static const char *const unsplit[] = { "fsdp", NULL };
	const bool own = !framework_of(p)->experts_need_ep || p->parallel.ep > 1;
	const int64_t copies = p->parallel.dp_replicate;
	struct replica r = { .dim = TRAFFIC_EDP, .name = expert_names, .params = params };

	r.shard = span_named(p, l, own ? whole : unsplit);
	r.copies = link_span(p, l, -1);
	if (copies > 1) {
		r.shard = span_named(p, l, own ? part : unsplit);
		r.copies = copies_of(p, l, "edp");
	}
	return r;
}

/*
 * Traffic and compute beside each other take SMs and memory of each other. Compute takes 19 % longer in
 * the mean, 40 % at most, and what overlaps is only 10 % quicker than the two in turn (Lee et al. 2025,
 * arXiv 2507.03114, 4 A100 and H100); traffic up to twice as long (NVIDIA/nccl issue 1433). So of the
 * shorter one a share counts too. Over NVLink that is the SMs which NCCL's blocks have to themselves (its
 * issue 689): 24, two for each of an A100's links (issue 1225), and on an H100 in FSDP's gathers (NVIDIA's
 * forum, topic 337991). A network takes 16 with eight NICs, and yet more is left: STEAL of traffic behind
 * work, found on 273 runs, to which 0.35 comes as near; with those that were looked up afterwards, and any
 * one source left out, 0.25 to 0.35. DELAY of work behind traffic is what KempnerForge shows where the
 * network is the slower one.
 */
#define NVLINK_BLOCKS 24
#define STEAL 0.3
#define DELAY 0.15

/* Traffic of a pass: seconds of it alone, those that have nothing to hide behind, and the share of the
 * others that counts. */
struct beside {
	double all, open, steal;
};

static struct beside
beside_of(const struct plan *p, const struct span *span, double all, double open)
{
	return (struct beside){ all, open,
		span->domains > 1 ? STEAL : NVLINK_BLOCKS / generation_of(p)->processors };
}

/* What a pass of `work` seconds does not hide of it. */
static double
left_open(const struct beside *b, double work)
{
	return fmax(b->all - (1 - DELAY) * work, b->open + b->steal * (b->all - b->open));
}

#define LEFT_SYMBOLS "max(seconds - share*work, open + steal*(seconds - open))"
#define LEFT_NUMBERS "max(%.8g - %.3g*%.8g, %.8g + %.8g*(%.8g - %.8g))"
#define LEFT_VALUES(b, work) (b).all, 1 - DELAY, (work), (b).open, (b).steal, (b).all, (b).open

/* Parameters whose gradients are reduced at once, and which are gathered at once, as the framework
 * has it. */
static double
usual_bucket(const struct plan *p, const struct replica *r)
{
	const struct bucket *b = &framework_of(p)->bucket;

	return b->mib > 0 ? b->mib * MIB / traffic_gradient_bytes(p) :
	    fmax(b->params, b->a_rank * (double)r->shard.size);
}

/*
 * Seconds that buckets of `size` parameters take longer than the usual ones, which the rates that
 * measured runs show have in them: small messages pay latency and use less of a link.
 */
static double
small_buckets(const struct plan *p, const struct message *x, const struct replica *r, double size)
{
	const double n = ceil(r->params / size), usual = fmax(1, ceil(r->params / usual_bucket(p, r)));

	return n <= usual ? 0 :
	    fmax(0, n * collective_seconds(p, x->collective, x->payload / n, &x->span, NULL) -
	    usual * collective_seconds(p, x->collective, x->payload / usual, &x->span, NULL));
}

/*
 * Gradients go behind the backward pass of the last micro-batch, parameters behind the forward
 * pass of the first, a bucket at a time. The last bucket of gradients and the first of parameters
 * have nothing to hide behind. What is not overlapped goes at once.
 */
static void
add_behind(struct traffic *t, const struct plan *p, struct message x, double times,
    const struct replica *r, const struct window *w, struct asked *asked)
{
	const bool gather = x.collective == COLLECTIVE_ALL_GATHER;
	const bool overlap = gather ? p->training.overlap_param_gather :
	    p->training.overlap_grad_reduce;
	const double window = gather ? w->forward : w->backward;
	const double set = (double)p->training.bucket_size;
	const double bucket = set > 0 ? set : usual_bucket(p, r);
	struct beside b;

	x.seconds = collective_seconds(p, x.collective, x.payload, &x.span, NULL);
	if (overlap && set > 0)
		x.seconds += small_buckets(p, &x, r, set);
	b = beside_of(p, &x.span, x.seconds, x.seconds * fmin(1, bucket / fmax(1, r->params)));
	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure, "times*" LEFT_SYMBOLS " = %.0f*" LEFT_NUMBERS
		    " s, open: a bucket", times, LEFT_VALUES(b, window));
	traffic_add_message(t, p, x, times, times * (overlap ? left_open(&b, window) : x.seconds), asked);
}

/* How often a step sums up gradients: once, after the last micro-batch, or after each. */
static double
reductions(const struct plan *p, const struct window *w)
{
	return framework_of(p)->reduces_each && p->parallel.pp == 1 ? w->microbatches : 1;
}

static void
gather_once(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const struct message x = {
		.dim = r->dim, .name = r->name.gathered, .formula = "parameters*bytes",
		.source = DP_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .span = r->shard,
		.payload = r->params * weight_bytes(p)
	};

	add_behind(t, p, x, reductions(p, w), r, w, asked);
}

/* ZeRO 1 and 2 of DeepSpeed sum up whole gradients on each rank, and keep their part. */
static bool
sums_whole(const struct plan *p)
{
	return framework_adds_apart(p) || framework_runs(p, framework_of(p)->sums_since);
}

static void
reduce_once(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const bool whole = framework_zero(p) == 0, sums = sums_whole(p);
	const struct message x = {
		.dim = r->dim, .name = r->name.gradients, .formula = "parameters*bytes",
		.source = sums && !whole ? SUMS_SOURCE : DP_SOURCE,
		.collective = whole || sums ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_REDUCE_SCATTER,
		.span = r->shard, .payload = r->params * traffic_gradient_bytes(p)
	};

	add_behind(t, p, x, reductions(p, w), r, w, asked);
	if (!whole)
		gather_once(t, p, r, w, asked);
}

/* ZeRO-2 reduces in every micro-batch. */
static void
reduce_each(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const bool sums = sums_whole(p);
	const struct message x = {
		.dim = r->dim, .name = r->name.each, .formula = "parameters*bytes",
		.source = sums ? SUMS_SOURCE : ZERO_SOURCE, .span = r->shard,
		.collective = sums ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_REDUCE_SCATTER,
		.payload = r->params * traffic_gradient_bytes(p)
	};

	add_behind(t, p, x, w->microbatches, r, w, asked);
	gather_once(t, p, r, w, asked);
}

/*
 * ZeRO-3: parameters are gathered before forward and again before backward, layer by
 * layer, gradients scattered after it: what does not fit behind the compute of the layers
 * is exposed, and the first layer always. Without overlap_param_gather PyTorch's FSDP still
 * runs ahead in the forward pass, and the backward pass waits (PyTorch docs/source/notes/
 * fsdp.rst, BACKWARD_POST).
 *
 * With a pipeline torchtitan keeps gathered parameters through all micro-batches (torchtitan
 * torchtitan/distributed/fsdp.py, get_fsdp_reshard_after_forward_policy), and gradients are
 * scattered once, after the last backward pass and not behind it (PyTorch
 * torch/distributed/pipelining/stage.py, run_post_backward).
 */
static void
gather_each(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const bool once = framework_of(p)->gathers_once && p->parallel.pp > 1;
	const bool runs_ahead = p->training.overlap_param_gather;
	const double times = once ? 1 : w->microbatches, gathers = once ? 1 : 2;
	const double layers = fmax(1, w->layers), inner = (layers - 1) / layers;
	const double forward = inner * w->forward, backward = inner * w->backward;
	struct message x = {
		.dim = r->dim, .name = r->name.gathered, .formula = "parameters/layers*bytes",
		.source = ZERO_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .span = r->shard,
		.payload = r->gathered / layers
	};
	struct beside b;
	double gather, first, again;

	x.seconds = collective_seconds(p, x.collective, x.payload, &x.span, NULL);
	gather = x.seconds * layers;
	b = beside_of(p, &x.span, gather, x.seconds);
	first = runs_ahead || framework_of(p)->prefetches ? left_open(&b, forward) : gather;
	again = once ? 0 : runs_ahead ? left_open(&b, backward) : gather;
	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure, "times*(forward + backward) = %.0f*(%.8g + %.8g) s, "
		    "each all or " LEFT_SYMBOLS ", work %.8g and %.8g s, open: a layer's", times, first, again,
		    forward, backward);
	traffic_add_message(t, p, x, times * gathers * layers, times * (first + again), asked);
	if (r->params <= 0)
		return;
	x.name = once ? r->name.gradients : r->name.each;
	x.collective = COLLECTIVE_REDUCE_SCATTER;
	x.payload = r->params * traffic_gradient_bytes(p) / layers;
	x.seconds = collective_seconds(p, x.collective, x.payload, &x.span, NULL);
	b = beside_of(p, &x.span, x.seconds * layers + (runs_ahead ? gather : 0),
	    x.seconds + (runs_ahead ? gather / layers : 0));
	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure, "times*(" LEFT_SYMBOLS " - of gathers) = %.0f*("
		    LEFT_NUMBERS " - %.8g) s", times, LEFT_VALUES(b, backward),
		    runs_ahead ? again : 0);
	traffic_add_message(t, p, x, times * layers, once || !p->training.overlap_grad_reduce ? -1 : times *
	    fmax(0, left_open(&b, backward) - (runs_ahead ? again : 0)), asked);
}

/*
 * ZeRO-3 before prefetch: each parameter is gathered for itself as its layer begins, over one
 * network card at 0.7 of its rate, and of the shorter of that and the compute two fifths are not
 * hidden. Found on three runs of Narayanan et al. 2021, arXiv 2104.04473, table 2 (error 1 to 6
 * %).
 */
#define ALONE_SHARE 0.7
#define ALONE_OPEN 0.4

static bool
gathers_alone(const struct plan *p)
{
	return framework_zero(p) == 3 && framework_before(p, framework_of(p)->prefetch_since);
}

static void
gather_alone(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const double rate = ALONE_SHARE * link_card(p) * 1e9 * at_least_one(p->cluster.gpus_per_node) /
	    at_least_one(p->cluster.nics_per_node);
	const double weights = 2 * r->params * weight_bytes(p), gradients = r->params * traffic_gradient_bytes(p);
	const double seconds = (weights + gradients) / rate;
	const double work = w->forward + w->backward;
	const double exposed = w->microbatches *
	    (fmax(0, seconds - work) + ALONE_OPEN * fmin(seconds, work));
	struct message x = {
		.dim = r->dim, .name = r->name.gathered, .formula = "parameters*bytes",
		.source = ZERO_SOURCE, .collective = COLLECTIVE_ALL_GATHER, .span = r->shard,
		.payload = r->params * weight_bytes(p)
	};

	if (asked->ledger != NULL)
		text_put(asked->exposure, sizeof asked->exposure,
		    "times*share*(max(0, X - work) + %.3g*min(X, work)), X: 2 gathers and a scatter over "
		    "%.3g of one NIC = %.8g s, work %.8g s, %.0f times", ALONE_OPEN, ALONE_SHARE, seconds,
		    work, w->microbatches);
	x.seconds = weights / 2 / rate;
	traffic_add_message(t, p, x, 2 * w->microbatches, exposed * weights / (weights + gradients), asked);
	x.name = r->name.each;
	x.collective = COLLECTIVE_REDUCE_SCATTER;
	x.payload = gradients;
	x.seconds = gradients / rate;
	traffic_add_message(t, p, x, w->microbatches, exposed * gradients / (weights + gradients), asked);
}

static void
replicas(struct traffic *t, const struct plan *p, const struct replica *r,
    const struct window *w, struct asked *asked)
{
	const struct message x = {
		.dim = r->dim, .name = r->name.copies, .formula = "parameters*bytes/shards",
		.source = DP_SOURCE, .collective = COLLECTIVE_ALL_REDUCE, .span = r->copies,
		.payload = r->params * traffic_gradient_bytes(p) / (double)(r->shard.size > 0 ? r->shard.size : 1)
	};

	if (r->params <= 0 && (framework_zero(p) < 3 || r->gathered <= 0))
		return;
	switch (framework_zero(p)) {
	case 0:
	case 1:
		reduce_once(t, p, r, w, asked);
		break;
	case 2:
		if (framework_of(p)->reduces_each)
			reduce_once(t, p, r, w, asked);
		else
			reduce_each(t, p, r, w, asked);
		break;
	default:
		if (gathers_alone(p))
			gather_alone(t, p, r, w, asked);
		else
			gather_each(t, p, r, w, asked);
	}
	if (r->params > 0)
		add_behind(t, p, x, reductions(p, w), r, w, asked);
}

/*
 * DualPipe: the ranks r and PP-1-r hold the same two stages and each runs half of the
 * micro-batches through them, so they add up their gradients, after the reduction over data
 * parallel ranks what of it each holds. The outermost two lie furthest apart.
 */
static void
mirrored(struct traffic *t, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct replica *r, const struct window *w,
    struct asked *asked)
{
	const double shards = framework_zero(p) > 0 ? (double)r->shard.size : 1;
	struct message x = {
		.dim = r->dim, .name = r->name.mirrored, .formula = "parameters*bytes/shards",
		.source = MIRROR_SOURCE, .collective = COLLECTIVE_ALL_REDUCE,
		.payload = r->params * traffic_gradient_bytes(p) / fmax(1, shards)
	};

	if (placement_mirror(pl, p, 0) < 0 || r->params <= 0)
		return;
	x.span = link_stride(p, 2, (pl->pp - 1) * traffic_stage_stride(l, pl));
	add_behind(t, p, x, 1, r, w, asked);
}

void
traffic_add_copies(struct traffic *t, const struct plan *p, const struct layout *l, const struct placement *pl,
    const struct step_state *state, const struct window *w, struct asked *asked)
{
	const struct stage_params *held = &state->held, *trained = &state->trained;
	struct replica r = replica_dense(p, l, trained->dense);

	r.gathered = gathered_bytes(p, held->dense, held->linear);
	replicas(t, p, &r, w, asked);
	mirrored(t, p, l, pl, &r, w, asked);
	if (held->expert <= 0)
		return;
	r = replica_expert(p, l, trained->expert);
	r.gathered = gathered_bytes(p, held->expert, 0);
	replicas(t, p, &r, w, asked);
	mirrored(t, p, l, pl, &r, w, asked);
}
