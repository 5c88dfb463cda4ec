/*
 * steptime.c - one training step: the slowest stage works through its micro-batches, the
 * pipeline fills and drains round it, and what no compute hides is added (steptime.h).
 */
#include "core/train/steptime.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/gpu_types.h"
#include "core/model/adapters.h"
#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"
#include "core/framework/error.h"
#include "core/plan/pool.h"
#include "core/train/bubble.h"
#include "core/train/compute_products.h"
#include "core/train/drive.h"
#include "core/train/host.h"
#include "core/train/memory.h"
#include "core/train/step_setup.h"
#include "core/train/step_stages.h"
#include "core/train/update.h"

#define STEP_SOURCE "Narayanan et al. 2021, arXiv 2104.04473"
#define SCHEDULE_SOURCE \
	"Qi et al. 2023, 2024, arXiv 2401.10241, 2405.15362; deepseek-ai/DualPipe"
#define GEMM_SOURCE "ai-dynamo/aiconfigurator systems/data (GEMM tables)"
#define FLOPS_SOURCE "Megatron-LM megatron/training/training.py"
#define TRAFFIC_SOURCE "ai-dynamo/aiconfigurator systems/data (NCCL); nccl src/graph/tuning.cc"

/* Traffic that nothing hides goes with the work. */
static struct chunk_time
stage_passes(const struct stage *s)
{
	const double work = s->forward + s->backward;
	struct chunk_time t = { s->forward, s->backward + s->recompute, s->weight };

	if (work > 0) {
		t.forward += (s->exposed + s->host) * s->forward / work;
		t.backward += (s->exposed + s->host) * s->backward / work;
	}
	return t;
}

/* ---- once a step ------------------------------------------------------------------ */

/* What is trained of a rank: all, or adapters. */
static struct stage_params
trained_of(const struct plan *p, const struct placement *pl, int64_t rank,
    const struct stage_params *held)
{
	const struct rank_layers layers = params_rank(p, pl, rank);
	struct adapter_params n;

	if (!adapters_only(p))
		return *held;
	n = adapters_held(p, &layers);
	return (struct stage_params){ .dense = n.dense + n.saved, .expert = n.expert,
		.linear = n.dense, .expert_linear = n.expert };
}

/* The stage that holds most of the model makes the others wait at the end of a step. */
static void
find_most_held(struct step_run *r, const struct plan *p, const struct placement *pl)
{
	double most = -1;
	int64_t rank = 0;

	for (int64_t i = 0; i < pl->pp; i++) {
		struct stage_params held;
		double all;

		if (i > 0 && params_as_before(p, pl, i))
			continue;
		held = params_stage(p, pl, i, NULL);
		all = params_of_stage(p, &held);
		if (all > most) {
			r->held = held;
			most = all;
			rank = i;
		}
	}
	r->trained = trained_of(p, pl, rank, &r->held);
}

/* GPUs wait for launches, for activations on their way to the host and back, and between steps for
 * the norm of gradients, which is read back, the update's launches, the next batch, logging. */
static double
host_seconds(const struct step_run *r, const struct plan *p, const struct placement *pl,
    struct ledger *ledger)
{
	const struct host_pass pass = { r->slowest.forward, r->slowest.backward + r->slowest.recompute,
		r->microbatches };
	const struct shards over = update_shards(r, p);
	const double weights = (r->held.dense / over.dense + r->held.expert / over.expert) *
	    batch_width(p);
	double sum = host_copies(p, placement_chunk(pl, r->rank, 0), pl->vpp, &pass, ledger) +
	    drive_reads(p, weights, &pass, ledger);

	if (r->slowest.host > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "waiting for launches", host_source,
		    r->microbatches * r->slowest.host, AS("micro-batches", r->microbatches),
		    AS("launches beyond the GPU's work", r->slowest.host));
	LEDGER_TERM(ledger, sum, QUANTITY_STEP, "host between steps", host_step_source, HOST_STEP,
	    AS("seconds", HOST_STEP));
	if (p->training.data_seconds > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "waiting for data", "the plan",
		    p->training.data_seconds, AS("seconds", p->training.data_seconds));
	return sum;
}

/* ---- report ----------------------------------------------------------------------- */

/* A term's name says which traffic it is. */
static const char *
exposed_name(const struct traffic_row *row)
{
	static const struct {
		enum traffic_dim dim;
		const char *collective, *name;
	} names[] = {
		{ TRAFFIC_TP, "all-reduce", "TP all-reduce, exposed" },
		{ TRAFFIC_TP, "all-gather", "TP all-gather, exposed" },
		{ TRAFFIC_TP, "reduce-scatter", "TP reduce-scatter, exposed" },
		{ TRAFFIC_CP, "send", "CP ring, exposed" },
		{ TRAFFIC_CP, "all-to-all", "CP all-to-all, exposed" },
		{ TRAFFIC_CP, "all-gather", "CP all-gather, exposed" },
		{ TRAFFIC_CP, "reduce-scatter", "CP reduce-scatter, exposed" },
		{ TRAFFIC_PP, "send", "PP sends, exposed" },
		{ TRAFFIC_DP, "all-reduce", "DP all-reduce, exposed" },
		{ TRAFFIC_DP, "all-gather", "DP all-gather, exposed" },
		{ TRAFFIC_DP, "reduce-scatter", "DP reduce-scatter, exposed" },
		{ TRAFFIC_EDP, "all-reduce", "EDP all-reduce, exposed" },
		{ TRAFFIC_EDP, "all-gather", "EDP all-gather, exposed" },
		{ TRAFFIC_EDP, "reduce-scatter", "EDP reduce-scatter, exposed" },
		{ TRAFFIC_EP, "all-to-all", "EP all-to-all, exposed" },
		{ TRAFFIC_EP, "all-gather", "EP all-gather, exposed" },
		{ TRAFFIC_ETP, "all-gather", "ETP all-gather, exposed" },
		{ TRAFFIC_ETP, "reduce-scatter", "ETP reduce-scatter, exposed" },
		{ TRAFFIC_EMBD, "all-reduce", "embedding copies' all-reduce" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].dim == row->dim && text_equal(names[i].collective, row->collective))
			return names[i].name;
	return traffic_dim_name(row->dim);
}

/* The bubble by the formula of its schedule: see bubble.c. */
static void
bubble_term(struct steptime *out, const struct step_run *r, const struct plan *p,
    const struct placement *pl, struct ledger *ledger)
{
	const struct chunk_time s = stage_passes(&r->slowest);
	const double slowest = stage_total(&r->slowest), chunks = (double)pl->vpp;
	const double late = bubble_late((double)pl->pp, chunks, r->microbatches);
	const int64_t schedule = plan_schedule(p);

	if (r->bubble <= 0)
		return;
	if ((schedule == SCHEDULE_GPIPE || schedule == SCHEDULE_1F1B) && late > 0)
		LEDGER_TERM(ledger, out->seconds, QUANTITY_STEP, "pipeline bubble", STEP_SOURCE,
		    (r->sum - slowest) / chunks * (1 + (chunks - 1) * late), AS("all stages", r->sum),
		    IS(slowest), IS(chunks), AS("(stages - micro-batches)/(stages - 1)", late));
	else if (schedule == SCHEDULE_GPIPE || schedule == SCHEDULE_1F1B)
		LEDGER_TERM(ledger, out->seconds, QUANTITY_STEP, "pipeline bubble", STEP_SOURCE,
		    (r->sum - slowest) / chunks, AS("all stages", r->sum), IS(slowest), IS(chunks));
	else
		LEDGER_ADD(ledger, out->seconds, QUANTITY_STEP, r->bubble, "pipeline bubble",
		    SCHEDULE_SOURCE,
		    "ways through the schedule's order = %.10g s, %lld stages of %lld chunks: F %.4g, "
		    "B %.4g, of it weights %.4g s", r->bubble, (long long)pl->pp, (long long)pl->vpp,
		    s.forward, s.backward, s.weight);
}

static void
step_terms(struct steptime *out, const struct step_run *r, const struct plan *p,
    const struct traffic *t, const struct placement *pl, struct ledger *ledger)
{
	const struct stage *s = &r->slowest;
	const double m = r->microbatches;

	if (ledger != NULL)
		ledger->stage = (int32_t)r->rank;
	ledger_part(ledger, PART_COMPUTE);
	LEDGER_TERM(ledger, out->seconds, QUANTITY_STEP, "forward", GEMM_SOURCE, m * s->forward,
	    AS("micro-batches", m), AS("step.forward", s->forward));
	LEDGER_TERM(ledger, out->seconds, QUANTITY_STEP, "backward", GEMM_SOURCE, m * s->backward,
	    AS("micro-batches", m), AS("step.backward", s->backward));
	out->compute_seconds = out->seconds;
	ledger_part(ledger, PART_RECOMPUTE);
	if (s->recompute > 0)
		LEDGER_TERM(ledger, out->seconds, QUANTITY_STEP, "recompute", GEMM_SOURCE,
		    m * s->recompute, AS("micro-batches", m), AS("step.recompute", s->recompute));
	out->recompute_seconds = m * s->recompute;
	ledger_part(ledger, PART_EXPOSED);
	for (size_t i = 0; i < t->count; i++) {
		const struct traffic_row *row = &t->row[i];

		if (row->exposed_seconds > 0)
			LEDGER_ADD(ledger, out->seconds, QUANTITY_STEP, row->exposed_seconds,
			    exposed_name(row), TRAFFIC_SOURCE,
			    "%s over %lld GPUs: communication.exposed_seconds = %.10g s of %.10g s",
			    row->collective, (long long)row->span.size, row->exposed_seconds,
			    row->seconds);
	}
	out->exposed_comm_seconds = traffic_exposed(t);
	ledger_part(ledger, PART_BUBBLE);
	bubble_term(out, r, p, pl, ledger);
	ledger_part(ledger, PART_SLOW);
	if (r->slow > 0)
		LEDGER_ADD(ledger, out->seconds, QUANTITY_STEP, r->slow, "waiting for slow nodes", STEP_SOURCE,
		    "work of a micro-batch over the speed of the slowest node of each stage = %.10g s: %s",
		    r->slow, p->cluster.slow_nodes);
	out->slow_seconds = r->slow;
	ledger_part(ledger, PART_HOST);
	out->host_seconds = host_seconds(r, p, pl, ledger);
	out->seconds += out->host_seconds;
	ledger_part(ledger, PART_OPTIMIZER);
	out->optimizer_seconds = update_seconds(r, p, ledger);
	out->seconds += out->optimizer_seconds;
	ledger_part(ledger, PART_NONE);
	out->bubble_seconds = r->bubble;
	out->bubble_fraction = out->seconds > 0 ? r->bubble / out->seconds : 0;
	if (ledger != NULL)
		ledger->stage = -1;
}

/* FLOP of recompute for one token; layers: of each kind that a full one runs again. */
static double
recomputed_flops(const struct plan *p, const struct step_setup *set,
    const double layers[LAYER_KINDS])
{
	const unsigned again = set->again;
	const struct flops *f = &set->causal;
	const bool moe = (again & AGAIN_MOE) != 0, tiled = modules_tiles(p) > 1;
	const double forward = 2 / flops_of_weight(p); /* share of the products */
	double full = tiled ? f->mlp * forward : 0;

	if (saved_by_operation(p)) {
		for (int k = 0; k < LAYER_KINDS; k++)
			full += layers[k] > 0 ? layers[k] * compute_flops_again(p, k) : 0;
		return full;
	}
	if (p->training.recompute == RECOMPUTE_FULL) {
		const double last = compute_stops_early(p) && !tiled ?
		    2 * (double)p->model.hidden_size * (double)p->model.ffn_hidden_size : 0;

		for (int k = 0; k < LAYER_KINDS; k++)
			full += layers[k] > 0 ? layers[k] * (flops_forward_of_layer(p, k) - last) : 0;
		return full;
	}
	return full + ((again & AGAIN_CORE_ATTN) ? f->core / 3 : 0) +
	    ((again & AGAIN_MLA_UP_PROJ) ? f->up * forward : 0) +
	    ((again & AGAIN_MLP) ? f->mlp * forward : 0) + (moe ? f->experts * forward : 0) +
	    (moe || (again & AGAIN_SHARED_EXPERTS) ? f->shared * forward : 0);
}

static void
rates(struct steptime *out, const struct plan *p, const struct step_run *r,
    struct ledger *ledger)
{
	const struct flops f = r->set->causal;
	const double tokens = (double)p->training.global_batch_size *
	    (double)p->training.sequence_length;
	const double gpus = (double)pool_rest(p);
	const double values[] = { f.projections, f.core, f.mlp, f.shared, f.experts, f.head,
		f.mtp, f.adapters };
	static const char *const names[] = {
		"attention projections", "attention core (causal half)", "MLP", "shared experts",
		"routed experts", "head", "multi-token prediction", "adapters"
	};
	double rate;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		const double flop = values[i];

		if (flop > 0)
			LEDGER_TERM(ledger, out->model_flops, QUANTITY_FLOPS, names[i], FLOPS_SOURCE,
			    tokens * flop, IS(tokens), AS("FLOP of a token, forward and backward", flop));
	}
	out->hardware_flops = out->model_flops + tokens * recomputed_flops(p, r->set, r->again);
	out->full_flops = tokens * flops_sum(r->set->full);
	if (out->seconds <= 0)
		return;
	rate = 1 / (out->seconds * gpus);
	out->tokens_per_second = tokens / out->seconds;
	out->tokens_per_second_per_gpu = tokens * rate;
	out->training_seconds = p->training.token_budget * 1e9 / out->tokens_per_second;
	out->model_tflops_per_gpu = out->model_flops * rate / 1e12;
	rate /= r->peak;
	out->mfu = out->model_flops * rate;
	out->hfu = out->hardware_flops * rate;
	out->mfu_full = out->full_flops * rate;
}

/* ---- all of it ---------------------------------------------------------------------- */

/* Traffic of the step. It goes on where the GPU waits for the host. */
static void
add_traffic(const struct step_run *r, const struct plan *p, const struct placement *pl,
    struct traffic *traffic, struct ledger *ledger)
{
	const struct stage *s = &r->slowest;
	const double work = s->forward + s->backward, waits = work > 0 ? s->host / work : 0;
	const struct window window = { (1 + waits) * s->forward,
		(1 + waits) * s->backward + s->recompute, s->layers, r->microbatches };
	double units[UNIT_COUNT];
	struct plan room;

	if (ledger != NULL)
		ledger->stage = (int32_t)r->rank;
	for (int u = 0; u < UNIT_COUNT; u++)
		units[u] = r->microbatches * s->units[u];
	traffic_add_flows(traffic, p, &r->set->flows, units, ledger);
	traffic_add_step(traffic, gpu_types_links(p, &room), r->layout, pl, &(struct step_state){ r->held, r->trained },
	    &window, ledger);
}

/* Its stages on these GPUs, and what follows from them. */
static void
run_on(struct step_run *r, const struct step_gpus *gpus, const struct plan *p, const struct placement *pl)
{
	struct pipeline_times times;

	step_stages_run(r, gpus, p, pl);
	find_most_held(r, p, pl);
	r->bubble = r->least = r->slow = 0;
	if (!gpus->set[0]->machine.known)
		return;
	times = (struct pipeline_times){ pl->pp, pl->vpp, stage_total(&r->slowest), r->sum,
	    stage_passes(&r->slowest).forward, r->slowest.weight, r->microbatches };
	r->bubble = bubble_seconds(plan_schedule(p), &times);
	r->slow = step_stages_slow(r, gpus, p, pl);
	/* Terms of step_terms, to which the others only add. */
	r->least = ROUNDED(r->microbatches * stage_total(&r->slowest) + r->bubble);
}

/* Run the step where GPUs are of several types. */
static void
run_on_types(struct step_run *r, struct step_setup *s, const struct plan *p, const struct layout *l,
    const struct placement *pl)
{
	struct step_types types;

	step_types_init(&types, r->other, s, p, l);
	r->peak = types.peak;
	run_on(r, &types.gpus, p, pl);
}

void
steptime_run(struct step_run *r, struct step_setup *s, const struct plan *p,
    const struct layout *l, const struct placement *pl, int64_t microbatches)
{
	const struct step_gpus alone = { .types = 1, .plan = { p }, .set = { s } };

	r->layout = l;
	r->microbatches = microbatches > 0 ? (double)microbatches : 1;
	r->peak = s->machine.peak;
	if (p->others > 0)
		run_on_types(r, s, p, l, pl);
	else
		run_on(r, &alone, p, pl);
}

double
steptime_pass(const struct plan *p, double work, double launches)
{
	/* two of three parts of the arithmetic are those of gradients; launches are waited for in
	 * what recompute runs again too */
	return work / 3 + launches / (p->training.recompute == RECOMPUTE_FULL ? 4 : 3);
}

double
steptime_run_pass(const struct step_run *r, const struct plan *p)
{
	const struct stage *s = &r->slowest;

	return ROUNDED(steptime_pass(p, r->microbatches * (s->forward + s->backward + s->exposed) + r->bubble,
	    r->microbatches * s->host));
}

double
steptime_floor(const struct plan *p)
{
	const struct machine g = machine_of(p);
	const struct flops f = flops_of_token(p, false);
	const double kept = p->training.moe_capacity_factor > 0 ? smaller(1, p->training.moe_capacity_factor) : 1;
	const double tokens = (double)p->training.global_batch_size * (double)p->training.sequence_length;
	const double rate = larger(larger(g.linear.reached, g.grouped.reached), g.plain.reached);

	if (!g.known || p->others > 0 || adapters_only(p)) /* some may be faster, or leave gradients out */
		return 0;
	return tokens * (f.projections + f.mlp + f.shared + kept * f.experts) / rate / (double)pool_rest(p);
}

double
steptime_least(struct step_setup *s, const struct plan *p, bool piped, int64_t chunks)
{
	const struct parallel *par = &p->parallel;
	const struct chunk all = stage_all_layers(p);
	/* Micro-batches by stages: DP follows from the other sizes. */
	const double each = (double)p->training.global_batch_size /
	    (double)p->training.micro_batch_size * (double)par->tp * (double)par->cp /
	    (double)pool_rest(p);
	const bool fills = piped && chunks > 0 &&
	    (p->training.schedule == SCHEDULE_GPIPE || p->training.schedule == SCHEDULE_1F1B);
	struct pipeline_times even = { .stages = par->pp, .chunks = chunks };
	struct stage work;

	if (!s->machine.known || p->others > 0) /* some may be faster */
		return 0;
	stage_count(&work, p, &all, 1, s->parts.usual);
	stage_time(&work, s, p);
	even.sum = piped ? stage_total(&work) : work.forward + work.backward + work.recompute;
	even.slowest = even.sum / (double)par->pp;
	even.microbatches = each * (double)par->pp;
	return ROUNDED(each * even.sum + (fills ? bubble_seconds(p->training.schedule, &even) : 0));
}

struct steptime
steptime_within(const struct step_run *r, double limit, const struct plan *p,
    const struct placement *pl, struct traffic *traffic, struct ledger *ledger)
{
	const struct machine *g = &r->set->machine;
	struct steptime out = { .error = error_of_step(p) };
	struct plan room;

	traffic->count = 0;
	if (r->least > limit) {
		out.seconds = r->least;
		return out;
	}
	add_traffic(r, p, pl, traffic, ledger);
	if (!g->known)
		return out;
	if (ledger != NULL)
		stage_note(&r->slowest, gpu_type_plan(p, r->slowest.type, &room), g, ledger);
	step_terms(&out, r, p, traffic, pl, ledger);
	rates(&out, p, r, ledger);
	return out;
}

struct steptime
steptime_estimate(const struct plan *p, const struct layout *l, const struct placement *pl,
    int64_t microbatches, struct traffic *traffic, struct ledger *ledger)
{
	struct step_setup s; /* large: filled in part by part */
	struct step_run r;

	step_setup_batch(&s, p);
	step_setup_plan(&s, p, l);
	steptime_run(&r, &s, p, l, pl, microbatches);
	return steptime_within(&r, INFINITY, p, pl, traffic, ledger);
}

static void
time_chunks(const struct step_gpus *gpus, const struct placement *pl, struct chunk_time *out)
{
	struct stage s;

	for (int64_t i = 0; i < pl->pp * pl->vpp; i++) {
		step_stages_time(&s, gpus, &pl->chunk[i], 1, i / pl->vpp);
		out[i] = stage_passes(&s);
	}
}

/* Setups of other GPUs are large: they are on the stack where there are such alone. */
static void
time_chunks_of_types(struct step_setup *set, const struct plan *p, const struct layout *l,
    const struct placement *pl, struct chunk_time *out)
{
	struct step_setup other[PLAN_OTHERS_MAX];
	struct step_types types;

	step_types_init(&types, other, set, p, l);
	time_chunks(&types.gpus, pl, out);
}

bool
steptime_chunks(const struct plan *p, const struct layout *l, const struct placement *pl,
    struct chunk_time *out)
{
	struct step_setup set;
	const struct step_gpus alone = { .types = 1, .plan = { p }, .set = { &set } };

	step_setup_batch(&set, p);
	if (!set.machine.known)
		return false;
	step_setup_plan(&set, p, l);
	if (p->others > 0)
		time_chunks_of_types(&set, p, l, pl, out);
	else
		time_chunks(&alone, pl, out);
	return true;
}
