#include "core/estimate/estimate.h"
#include "core/plan/format.h"

#include <math.h>

#include "core/base/number.h"
#include "core/estimate/estimate_run.h"
#include "core/estimate/scope.h"
#include "core/framework/gpu_types.h"
#include "core/model/adapters.h"
#include "core/rules/check.h"
#include "core/serve/serve_open.h"
#include "core/serve/serve_setup.h"

#define HOST_MEMORY "AnswerDotAI/fsdp_qlora benchmarks_03_2024.md; OpenRLHF/OpenRLHF issue 1013"
#define PHASE_MEMORY "verl docs/perf/perf_tuning.rst; vLLM vllm/v1/worker/gpu_worker.py"
#define KV_CACHE "vLLM vllm/v1/core/kv_cache_utils.py"
#define OPEN_LOOP "shardplan-estimates(7), serving at a rate"

static void
estimate_stage(struct estimate *out, const struct memory_setup *setup, int64_t s,
    struct memory_walk *walk, struct ledger *ledger)
{
	struct stage_estimate *stage = &out->stage[s];

	stage->layers = placement_layers(&out->placement, s);
	stage->memory = memory_next(setup, s, walk, ledger);
	stage->capacity = out->capacity;
	stage->params = walk->load.held.dense + walk->load.held.expert;
	if (stage->params > out->params_per_gpu_max)
		out->params_per_gpu_max = stage->params;
	if (stage->memory.total > out->peak_total) {
		out->peak_total = stage->memory.total;
		out->peak_stage = s;
	}
	out->peak_low = larger(out->peak_low, stage->memory.low);
	out->peak_high = larger(out->peak_high, stage->memory.high);
}

/* Bytes that a host takes, as far as that is said. */
static double
host_capacity(const struct plan *p)
{
	return p->cluster.host_memory_gib > 0 ? p->cluster.host_memory_gib * GIB : INFINITY;
}

double
estimate_host(const struct estimate *e, const struct plan *p)
{
	double most = 0;

	if (e->reinforced)
		return e->rl.host_bytes_per_node;
	for (int64_t s = 0; s < e->stages; s++)
		most = larger(most, e->stage[s].memory.host);
	return most * (double)p->cluster.gpus_per_node;
}

double
estimate_drives(const struct estimate *e, const struct plan *p)
{
	double most = 0;

	for (int64_t s = 0; s < e->stages; s++)
		most = larger(most, e->stage[s].memory.drive);
	return most * (double)p->cluster.gpus_per_node;
}

/* Phases that take more than the training step alone, in memory and in time. */
static void
add_phases(struct estimate *out, const struct plan *p)
{
	if (!out->reinforced)
		return;
	if (out->rl.tokens_per_second > 0)
		out->step.training_seconds = p->training.token_budget * 1e9 / out->rl.tokens_per_second;
	out->peak_low = larger(out->peak_low, out->rl.peak_low);
	out->peak_high = larger(out->peak_high, out->rl.peak_bytes);
}

/* Whether the fullest GPU's memory suffices, and whether that is certain. */
static void
find_room(struct estimate *out)
{
	out->fits = out->stages > 0 && out->peak_low <= out->capacity;
	out->tight = out->fits && out->peak_high > out->capacity;
}

/* GPUs of several types: the fullest stage is that which takes the largest part of its own GPUs' memory, and
 * the others count as what they would be there. */
static void
find_fullest(struct estimate *out, const struct plan *p, const struct layout *l)
{
	unsigned types[STAGE_CHUNKS_MAX];
	double low = 0, high = 0;

	gpu_types_of_stages(types, p, l);
	for (int64_t s = 0; s < out->stages; s++) {
		const struct memory *m = &out->stage[s].memory;
		const double capacity = larger(1, memory_capacity_on(p, types[s]));

		out->stage[s].capacity = capacity;
		high = larger(high, m->high / capacity);
		if (m->low / capacity <= low)
			continue;
		low = m->low / capacity;
		out->peak_stage = s;
		out->peak_total = m->total;
		out->capacity = capacity;
	}
	out->peak_low = low * out->capacity;
	out->peak_high = high * out->capacity;
}

/* What takes most of a stage's memory. */
static const char *
dominant(const struct memory *m, double *bytes)
{
	const struct {
		const char *name;
		double bytes;
	} part[] = {
		{ "parameters", m->parameters }, { "gradients", m->gradients },
		{ "optimizer", m->optimizer }, { "activations", m->activations },
		{ "logits", m->logits }, { "KV cache", m->kv_cache }, { "buffers", m->buffers },
		{ "overhead", m->overhead },
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof part / sizeof *part; i++)
		if (part[i].bytes > part[most].bytes)
			most = i;
	*bytes = part[most].bytes;
	return part[most].name;
}

/* More comes than the engines take, or than they take inside the limits. */
static void
check_rate(struct estimate *out, const struct plan *p)
{
	const struct serve_rate *r = &out->serve.rate;
	const double rate = p->traffic.rate;

	if (r->load >= 1)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_RATE, "rate_above_saturation", OPEN_LOOP,
		    "%.4g requests a second are more than the %.3g that the engines take: the queue grows "
		    "without end", rate, r->saturation);
	else if (r->limited && r->inside < rate)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_RATE, "limits_missed", OPEN_LOOP,
		    "%.4g %% of the requests stay within the limits at %.3g of %.4g requests a second",
		    p->traffic.percentile, r->inside, rate);
}

/* What a serving engine with room for its weights does not hold. */
static void
check_requests(struct estimate *out, const struct plan *p)
{
	const struct serve_setup setup = serve_setup_of(p);
	const struct serving *v = &p->serving;
	const double batch = setup.seqs * setup.engines * setup.dp;

	if (out->serve.rate.known && out->serve.max_concurrency >= setup.dp)
		check_rate(out, p);
	else if (out->serve.max_concurrency < setup.dp)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_CONTEXT_LENGTH, "does_not_fit", KV_CACHE,
		    "the KV cache of one engine holds %.1f requests of %lld tokens: not a whole one",
		    out->serve.max_concurrency, (long long)v->context_length);
	else if (!out->serve.fits)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_CONCURRENCY, "does_not_fit", KV_CACHE,
		    "%lld requests of %lld + %lld tokens at once are more than the KV cache of %.0f "
		    "engine%s holds", (long long)v->concurrency, (long long)v->prompt_tokens,
		    (long long)v->generate_tokens, setup.engines, TEXT_S(setup.engines));
	else if ((double)v->concurrency > batch)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_CONCURRENCY, "requests_wait",
		    "vLLM vllm/config/scheduler.py, max_num_seqs",
		    "of %lld requests at once the engines' batches take %.0f: the others wait",
		    (long long)v->concurrency, batch);
}

/* The first way of putting state away that makes room on GPU and host. */
static void
mend_phases(struct diag *d, const struct estimate *e, const struct plan *p,
    const struct catalog *catalog)
{
	struct rl_estimate r;
	struct plan q = *p;

	while (d != NULL && d->fix_field == FIELD_NONE && ++q.rl.offload <= RL_OFFLOAD_ALL) {
		if (!rl_run(&r, &q, catalog, &e->layout, &e->placement, NULL, NULL) ||
		    r.peak_low > e->capacity || r.host_bytes_per_node > host_capacity(p))
			continue;
		d->fix_field = FIELD_RL_OFFLOAD;
		field_choice(FIELD_RL_OFFLOAD, q.rl.offload, d->fix_value, sizeof d->fix_value);
	}
}

/* A phase that has no room, though the training step alone may have it. */
static void
check_phases(struct estimate *out, const struct plan *p, const struct catalog *catalog)
{
	const struct rl_phase_estimate *f = &out->rl.phase[out->rl.fullest];
	const bool starts = out->rl.fullest == PHASE_ROLLOUT && !out->rl.split;
	struct diag *d;
	int most = 0;

	for (int i = 1; i < HELD_PARTS; i++)
		if (f->held[i] > f->held[most])
			most = i;
	d = diag_add(&out->diags, SEVERITY_WARNING, starts ? FIELD_GPU_MEMORY_UTILIZATION : FIELD_NONE,
	    starts ? "engine_does_not_start" : "does_not_fit", PHASE_MEMORY,
	    "%s takes %.1f GiB of %.1f GiB on one %s: %s %.1f of %.1f GiB%s",
	    rl_phase_label(out->rl.fullest), f->memory / GIB, out->capacity / GIB, p->cluster.gpu,
	    rl_part_name((enum rl_part)most), f->held[most] / GIB, f->memory / GIB,
	    starts ? "; the engine's share has to leave room for what the trainer keeps" : "");
	mend_phases(d, out, p, catalog);
}

/* A model of its own shape that the actor's stages or the pool's GPUs do not split. */
static void
check_models(struct estimate *out, const struct plan *p)
{
	if (!out->timed || !plan_has_rl(p) || out->reinforced)
		return;
	diag_add(&out->diags, SEVERITY_WARNING, out->rl.refused, "rl_does_not_split", PHASE_MEMORY,
	    "PP %lld x VPP %lld stages or the engine's GPUs do not split this model: phases are not "
	    "estimated", (long long)p->parallel.pp, (long long)p->parallel.vpp);
}

static void
check_host(struct estimate *out, const struct plan *p)
{
	const double bytes = estimate_host(out, p);
	const enum field_id f = out->reinforced ? FIELD_RL_OFFLOAD :
	    p->parallel.offload != OFFLOAD_NONE ? FIELD_OFFLOAD : FIELD_OFFLOAD_LAYERS;
	struct diag *d;

	if (bytes <= host_capacity(p))
		return;
	d = diag_add(&out->diags, SEVERITY_WARNING, f, "host_does_not_fit", HOST_MEMORY,
	    "what leaves the GPUs takes %.0f GiB of the %.0f GiB of a host", bytes / GIB,
	    p->cluster.host_memory_gib);
	if (d != NULL && out->reinforced && p->rl.engine_sleep == 1) {
		d->fix_field = FIELD_ENGINE_SLEEP;
		text_put(d->fix_value, sizeof d->fix_value, "2");
	}
}

/* The smallest GPU of the fullest stage. */
static const char *
peak_gpu(const struct estimate *out, const struct plan *p)
{
	for (int t = 0; t < p->others; t++)
		if (memory_capacity_on(p, 2u << t) <= out->capacity)
			return p->other[t].gpu;
	return p->cluster.gpu;
}

static void
check_fit(struct estimate *out, const struct plan *p, const struct catalog *catalog)
{
	const char *most;
	double bytes;

	find_room(out);
	if (out->reinforced && out->capacity_known && out->rl.peak_low > out->capacity) {
		check_phases(out, p, catalog);
		return;
	}
	if (out->fits && out->served) {
		out->fits = out->serve.fits;
		check_requests(out, p);
	} else if (estimate_has_fit(out) && !out->fits) {
		most = dominant(&out->stage[out->peak_stage].memory, &bytes);
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_NONE, "does_not_fit",
		    "the GPU's data sheet; shardplan-plan(5), memory_gib",
		    "stage %lld takes %.1f GiB of %.1f GiB on one %s: %s %.1f of %.1f GiB",
		    (long long)out->peak_stage, out->peak_total / GIB, out->capacity / GIB,
		    peak_gpu(out, p), most, bytes / GIB, out->peak_total / GIB);
	} else if (out->tight && estimate_fullest(out) > out->peak_total) {
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_NONE, "tight", PHASE_MEMORY,
		    "%s takes between %.1f and %.1f GiB of %.1f GiB on one %s: it may not fit",
		    rl_phase_label(out->rl.fullest), out->peak_low / GIB, out->peak_high / GIB,
		    out->capacity / GIB, p->cluster.gpu);
	} else if (out->tight) {
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_NONE, "tight",
		    "shardplan-estimates(7), memory",
		    "stage %lld takes %.1f GiB of %.1f GiB on one %s, a run between %.1f and %.1f GiB: it "
		    "may not fit", (long long)out->peak_stage, out->peak_total / GIB, out->capacity / GIB,
		    peak_gpu(out, p), out->peak_low / GIB, out->peak_high / GIB);
	}
}

/* A serving engine fills its memory: put what it holds beside the weights into the stages,
 * where memory is looked for in both modes. */
static void
serve_stages(struct estimate *out, const struct plan *p, const double *weights)
{
	const struct serve *e = &out->serve;

	out->peak_total = out->peak_low = out->peak_high = 0;
	for (int64_t s = 0; s < out->stages; s++) {
		struct memory *m = &out->stage[s].memory;

		if (params_as_before(p, &out->placement, s)) {
			*m = out->stage[s - 1].memory;
			continue;
		}
		m->activations = e->activation_bytes;
		m->buffers = e->graph_bytes + weights[s] - m->parameters;
		m->kv_cache = e->kv_pool_bytes > 0 ? e->kv_pool_bytes : 0;
		m->overhead = m->overhead_low = m->overhead_high = e->non_torch_bytes;
		m->allocated = m->parameters + m->activations + m->buffers + m->kv_cache;
		/* It takes what it is told to: what is not known of it changes the cache. */
		m->total = m->low = m->high = m->allocated + m->overhead;
		if (m->total > out->peak_total) {
			out->peak_total = out->peak_low = out->peak_high = m->total;
			out->peak_stage = s;
		}
	}
}

/* A bias that leaves nothing beside what is known for certain was measured on another plan. */
static void
check_bias(struct estimate *out, const struct plan *p)
{
	for (int64_t s = 0; s < out->stages && p->calibration.memory_bias_gib < 0; s++) {
		const struct memory *m = &out->stage[s].memory;
		const double left = out->served ? out->serve.non_torch_bytes :
		    m->activations + m->logits + m->buffers;

		if (left > 0)
			continue;
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_MEMORY_BIAS_GIB,
		    "memory_bias_too_large", "shardplan",
		    "a bias of %.4g GiB is more than stage %lld holds beside %s: it counts in part",
		    p->calibration.memory_bias_gib, (long long)s, out->served ?
		    "weights, activations and cache" : "weights, gradients and optimizer");
		return;
	}
}

/* What follows from layout and placement; of a plan that has none, 0. */
static void
put_sizes(struct estimate *out, const struct plan *p, const struct facts *facts)
{
	out->world = plan_world(p);
	out->dp = facts->layout != NULL ? facts->layout->dp : 0;
	out->edp = facts->layout != NULL ? facts->layout->edp : 0;
	out->microbatches = p->mode == MODE_TRAIN ? facts->microbatches : 0; /* an engine has none */
	out->capacity = memory_capacity(p);
	out->capacity_known = p->cluster.memory_gib > 0;
	out->stages = out->laid_out && out->placed ? facts->placement->pp : 0;
}

/* Layout, placement and what follows from both. */
static struct facts
place_plan(struct estimate *out, const struct plan *p, const struct catalog *catalog)
{
	struct facts facts = { .plan = p, .catalog = catalog };

	out->laid_out = layout_init(&out->layout, p, &out->diags);
	out->placed = placement_init(&out->placement, p, &out->diags);
	facts.layout = out->laid_out ? &out->layout : NULL;
	facts.placement = out->placed ? &out->placement : NULL;
	facts.microbatches = out->laid_out ? check_microbatches(p, out->layout.dp) : 0;
	put_sizes(out, p, &facts);
	return facts;
}

static void
estimate_stages(struct estimate *out, const struct plan *p, struct ledger *ledger)
{
	struct memory_walk walk = MEMORY_WALK;
	struct memory_setup setup;

	out->params_per_gpu_max = out->peak_total = out->peak_low = out->peak_high = 0;
	out->peak_stage = 0;
	if (out->stages == 0)
		return;
	setup = memory_setup(p, &out->layout, &out->placement, out->microbatches);
	for (int64_t s = 0; s < out->stages; s++)
		estimate_stage(out, &setup, s, &walk, ledger);
	if (p->others > 0)
		find_fullest(out, p, &out->layout);
}

/* The fullest stage of all, as far as the limit asks. False where it is above that. */
static bool
find_peak(struct estimate *out, struct scope *scope, const struct plan *p, const struct memory_limit *limit)
{
	const struct memory_setup *memory = scope_memory(scope, p);
	struct memory_walk walk = MEMORY_WALK;
	struct memory_peak peak;
	struct layout layout;

	if (p->others > 0) { /* each stage has a limit of its own, by the nodes that it is on */
		for (int64_t s = 0; s < out->stages; s++)
			out->stage[s].memory = memory_next(memory, s, &walk, NULL);
		layout_init(&layout, p, NULL); /* the scope's has sizes alone by now */
		find_fullest(out, p, &layout);
		return !memory_exceeds(out->peak_low, out->peak_high, limit);
	}
	memory_peak(memory, scope_loads(scope), limit, &peak);
	out->peak_low = peak.low;
	out->peak_high = peak.high;
	if (memory_exceeds(peak.low, peak.high, limit))
		return false;
	out->peak_stage = peak.stage;
	out->peak_total = peak.memory.total;
	out->stage[peak.stage].memory = peak.memory;
	return true;
}

/* Tokens beyond the capacity of experts are dropped: model FLOP count them all the same, as
 * Megatron-LM's do, so a plan that drops many can pass the peak. */
static bool
drops_tokens(const struct plan *p)
{
	return plan_pads_experts(p) && p->training.moe_capacity_factor < 1;
}

/* No GPU computes faster than its peak: then a rate of the plan's own is wrong, such as one of
 * FP8 below that of BF16, in which part of the work is done. */
static void
check_rates(struct estimate *out, const struct plan *p)
{
	const bool fp8 = format_of(p).quantised && p->cluster.fp8_tflops > 0;
	const enum field_id field = field_is_set(FIELD_COMPUTE_EFFICIENCY, p) ?
	    FIELD_COMPUTE_EFFICIENCY : fp8 ? FIELD_FP8_TFLOPS : FIELD_BF16_TFLOPS;
	struct diag *d;

	if (!out->timed || !(out->step.hfu > 1))
		return;
	if (drops_tokens(p) && out->step.hfu * p->training.moe_capacity_factor <= 1) {
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_MOE_CAPACITY_FACTOR,
		    "dropped_tokens_count",
		    "Megatron-LM megatron/training/training.py, num_floating_point_operations",
		    "experts drop tokens at a capacity factor of %.3g, and their FLOP count all the "
		    "same: MFU %.0f %%, HFU %.0f %%", p->training.moe_capacity_factor,
		    100 * out->step.mfu, 100 * out->step.hfu);
		return;
	}
	d = diag_add(&out->diags, SEVERITY_WARNING, field, "faster_than_peak",
	    "Chowdhery et al. 2022, PaLM, arXiv 2204.02311, appendix B",
	    "each GPU would do %.2f times what its dense peak allows (MFU %.0f %%, HFU %.0f %%): "
	    "this value is wrong, or of another run", out->step.hfu,
	    100 * out->step.mfu, 100 * out->step.hfu);
	if (d != NULL && field_is_set(field, p))
		d->fix_field = field; /* without it, the catalogue's value or none */
}

static void
estimate_speed(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    struct ledger *ledger)
{
	out->points = 0;
	out->timed = out->stages > 0 && p->mode == MODE_TRAIN;
	if (out->timed)
		out->step = steptime_estimate(p, &out->layout, &out->placement, out->microbatches,
		    &out->traffic, ledger);
	out->reinforced = out->timed && plan_has_rl(p) &&
	    rl_run(&out->rl, p, catalog, &out->layout, &out->placement, NULL, ledger);
	add_phases(out, p);
	estimate_whole(out, p, &out->layout, &out->placement, out->timed ?
	    checkpoint_params(p, &out->params, out->params_trainable) : 0, ledger);
	out->served = out->stages > 0 && p->mode == MODE_SERVE;
	if (out->served) {
		double weights[STAGE_CHUNKS_MAX];

		out->serve = serve_estimate(p, &out->layout, &out->placement, weights, ledger);
		serve_stages(out, p, weights);
	}
}

/* What it costs that TP crosses the network: "TP 16 crosses the network, 45 % of the step: ..." */
static void
tell_network_share(struct estimate *out, const struct plan *p)
{
	double seconds = 0;

	if (!out->timed || !(out->step.seconds > 0)) /* there is no traffic without a step */
		return;
	for (size_t i = 0; i < out->traffic.count; i++)
		if (out->traffic.row[i].dim == TRAFFIC_TP)
			seconds += out->traffic.row[i].exposed_seconds;
	for (size_t i = 0; i < out->diags.count; i++)
		if (text_equal(out->diags.item[i].reason, "tp_leaves_nvlink"))
			text_put(out->diags.item[i].message, sizeof out->diags.item[i].message,
			    "TP %lld crosses the network, %.0f %% of the step: an NVLink domain has %lld GPU%s",
			    (long long)p->parallel.tp, 100 * seconds / out->step.seconds,
			    (long long)p->cluster.nvlink_domain, TEXT_S(p->cluster.nvlink_domain));
}

/* The shape of a model that the catalogue lacks is anybody's guess. */
static bool
is_known(const struct plan *p, const struct catalog *catalog)
{
	return catalog == NULL || catalog_find(&catalog->models, p->model.preset) != NULL;
}

void
estimate_run_to(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    enum follow depth, struct ledger *ledger)
{
	struct facts facts;

	diag_clear(&out->diags);
	facts = place_plan(out, p, catalog);
	out->legal = check_with(&facts, &out->diags);
	out->model_known = is_known(p, catalog);
	if (!out->legal)
		out->stages = 0;
	out->params = out->model_known ? params_model(p, ledger) : (struct model_params){ 0 };
	out->params_trainable = out->model_known ?
	    adapters_total(p, out->params.total, ledger) : 0;
	estimate_stages(out, p, ledger);
	estimate_speed(out, p, catalog, ledger);
	if (out->served)
		serve_follow(&out->serve, p, depth, 0, &out->room, NULL);
	check_bias(out, p);
	check_rates(out, p);
	tell_network_share(out, p);
	check_models(out, p);
	check_host(out, p);
	estimate_check_run(out, p, catalog, estimate_host(out, p));
	check_fit(out, p, catalog);
}

void
estimate_curve(struct estimate *e, const struct plan *p)
{
	e->points = e->served && (e->serve.tpot_seconds > 0 || e->serve.rate.known) ?
	    serve_curve(e->curve, p, &e->layout, &e->placement, &e->serve, &e->room) : 0;
}

/* Legal, found out without saying why; sizes and placement are filled in. */
static bool
is_legal(struct estimate *out, struct scope *scope, const struct plan *p)
{
	const bool trains = p->mode == MODE_TRAIN;
	struct facts facts = { .plan = p,
		.layout = trains ? &scope->pipeline.layout : &out->layout,
		.placement = trains ? &scope->pipeline.placement : &out->placement };

	out->laid_out = out->placed = trains ? scope_place(scope, p) : scope->named &&
	    layout_size(&out->layout, p, NULL) && placement_init(&out->placement, p, NULL);
	if (!out->placed)
		return false;
	facts.microbatches = check_microbatches(p, facts.layout->dp);
	if (!check_legal(&scope->rules, &facts))
		return false;
	put_sizes(out, p, &facts);
	return true;
}

enum verdict
estimate_peak(struct estimate *out, struct scope *scope, const struct plan *p,
    const struct enough *enough)
{
	scope_follow(scope, p);
	out->timed = out->reinforced = out->ran = out->served = out->fits = out->tight = false;
	out->legal = is_legal(out, scope, p);
	if (!out->legal)
		return VERDICT_ILLEGAL;
	if (p->mode == MODE_SERVE) {
		layout_group(&out->layout, p);
		estimate_stages(out, p, NULL);
		estimate_speed(out, p, scope->catalog, NULL);
		find_room(out);
		out->fits &= out->serve.fits;
		out->tight &= out->fits;
		return VERDICT_ESTIMATED;
	}
	if (!find_peak(out, scope, p, &enough->bytes))
		return VERDICT_TOO_LARGE;
	find_room(out);
	if (!(enough->seconds > 0))
		return VERDICT_TOO_SLOW;
	out->step = steptime_within(scope_step(scope, p), enough->seconds, p,
	    &scope->pipeline.placement, &out->traffic, NULL);
	if (out->step.seconds > enough->seconds)
		return VERDICT_TOO_SLOW;
	out->timed = true;
	if (plan_has_rl(p)) {
		out->reinforced = rl_run(&out->rl, p, scope->catalog, &scope->pipeline.layout,
		    &scope->pipeline.placement, plan_has_rollouts(p) ? scope_engine(scope, p) : NULL,
		    NULL);
		add_phases(out, p);
		find_room(out);
	}
	out->ran = false;
	if (plan_has_run(p))
		estimate_whole(out, p, &scope->pipeline.layout, &scope->pipeline.placement,
		    scope_params(scope, p), NULL);
	return VERDICT_ESTIMATED;
}
