/*
 * memory.c - the bytes of each stage and of all: what stands, what is in flight, what the host has.
 */
#include "core/train/memory.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"
#include "core/model/weights.h"
#include "core/plan/batch.h"
#include "core/train/drive.h"
#include "core/train/finetune.h"
#include "core/train/memory_blocks.h"
#include "core/train/memory_buffers.h"
#include "core/train/memory_overhead.h"
#include "core/train/memory_state.h"

#define ZERO_OFFLOAD "Rajbhandari et al. 2021, ZeRO-Infinity, arXiv 2104.07857; " \
    "Megatron-LM megatron/core/optimizer/cpu_offloading"
#define TE_OFFLOAD "TransformerEngine transformer_engine/pytorch/cpu_offload.py"
#define VLLM_LOADER "vLLM vllm/model_executor/layers/quantization/"

struct shards
memory_shards(const struct plan *p, const struct layout *l)
{
	const double copies = at_least_one(p->parallel.dp_replicate);
	const double pp = at_least_one(p->parallel.pp);
	struct shards s;

	s.dense = larger(1, (double)l->dp * (double)p->parallel.cp / copies);
	s.expert = larger(1, (double)l->world / (params_expert_ranks(p) * pp) / copies);
	if (framework_of(p)->experts_shard_as_dense)
		s.expert = s.dense;
	return s;
}

static double
capacity_of(const struct cluster *c)
{
	const double left = c->memory_gib - c->reserved_gib;

	return left > 0 ? left * GIB : 0;
}

double
memory_capacity(const struct plan *p)
{
	double most = capacity_of(&p->cluster);

	for (int k = 0; k < p->others; k++)
		most = larger(most, capacity_of(&p->other[k]));
	return most;
}

double
memory_capacity_on(const struct plan *p, unsigned types)
{
	double least = (types & 1) != 0 ? capacity_of(&p->cluster) : INFINITY;

	for (int k = 0; k < p->others; k++)
		if ((types >> (k + 1) & 1) != 0)
			least = smaller(least, capacity_of(&p->other[k]));
	return least;
}

/* Embedding, head, norms, biases and router keep 16 bits. */
static void
recipe_serving(struct recipe *r, const struct plan *p)
{
	r->weight = 2;
	r->linear = weights_dense(p);
	r->experts = weights_expert(p);
	r->weight_source = VLLM_LOADER;
}

/* Parameters of the largest layer as one rank computes with them. */
static double
largest_layer(const struct plan *p)
{
	const struct model *m = &p->model;
	const bool alike = m->layer_pattern[0] == '\0';
	double most = 0;

	/* the first layer is dense where any is, the last one has experts where any has */
	for (int64_t i = 0; i < m->layers; i += alike && m->layers > 1 ? m->layers - 1 : 1) {
		const struct layer_params n = params_layer(m, i);

		most = larger(most, n.sharded / at_least_one(p->parallel.tp) + n.replicated +
		    n.expert / params_expert_ranks(p));
	}
	return most;
}

void
memory_setup_batch(struct memory_setup *s, const struct plan *p)
{
	if (p->mode == MODE_SERVE)
		return;
	s->act = activation_init(p);
	s->unit = activation_units(&s->act);
	s->layer = largest_layer(p);
}

/* `paged`: without moments that can leave for the host. */
static void
setup_training(struct memory_setup *s, const struct plan *p, bool paged)
{
	struct recipe *const of[] = { &s->recipe, &s->adapters, &s->saved };
	struct recipe framework = { .weight = 0 };
	struct finetune_recipes r;

	framework_of(p)->state(&framework, p);
	r = finetune_recipes(p, &framework);
	s->recipe = r.base;
	s->adapters = r.adapters;
	s->saved = r.saved;
	for (size_t i = 0; paged && i < sizeof of / sizeof *of; i++)
		of[i]->moments = of[i]->matrix_moments = 0;
}

void
memory_setup_plan(struct memory_setup *s, const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches)
{
	s->p = s->act.p = p;
	s->pl = pl;
	s->microbatches = microbatches;
	s->shards = memory_shards(p, l);
	s->recipe = s->adapters = s->saved = (struct recipe){ .weight = 0 };
	if (p->mode == MODE_SERVE)
		recipe_serving(&s->recipe, p);
	else
		setup_training(s, p, plan_pages_moments(p));
}

struct memory_setup
memory_setup(const struct plan *p, const struct layout *l, const struct placement *pl,
    int64_t microbatches)
{
	struct memory_setup s = { .p = p };

	memory_setup_batch(&s, p);
	memory_setup_plan(&s, p, l, pl, microbatches);
	return s;
}

/* Adapters, and weights that are saved with them, beside frozen ones. */
static void
add_adapters(const struct memory_setup *s, const struct rank_view *v, struct memory *out)
{
	const struct finetune_recipes recipes = { s->recipe, s->adapters, s->saved };
	const double ranks = s->recipe.shard_weights ? s->shards.dense : 1;

	finetune_add_state(&recipes, &v->trained, &s->shards, v->ledger, out);
	finetune_add_projections(s->p, v->layers, v->ledger, out);
	finetune_add_scales(s->p, v->layers, s->recipe.weight > 0 ? 1 / ranks : 0, v->ledger,
	    out);
}

/* The range of the total. */
static void
range_add(struct memory *out)
{
	const double error = larger(MEMORY_ERROR * (out->activations + out->logits + out->buffers),
	    MEMORY_ERROR_LEAST * MIB);

	out->low = out->allocated + out->overhead_low - error;
	out->high = out->allocated + out->overhead_high + error;
}

/* What one rank holds, to be looked at by all that adds to its bytes. */
static struct holding
holding_of(const struct memory_setup *s, const struct stage_params *held, struct ledger *ledger)
{
	return (struct holding){ *held, &s->shards, ledger };
}

static double
kept_by(const struct memory_setup *s, const struct share *held)
{
	double sum = 0;

	activation_add(&s->act, held, NULL, &sum);
	return sum;
}

/* f: what is in flight, NULL where only the state is asked for. */
static struct rank_view
view_of(const struct memory_setup *s, const struct rank_layers *r, const struct holding *h,
    const struct flight *f)
{
	struct rank_view v = { .p = s->p, .act = &s->act, .unit = &s->unit, .params = &h->params,
		.shards = &s->shards, .layers = r, .ledger = h->ledger,
		.gradient = s->recipe.gradient, .layer = s->layer,
		.weights_away = !(s->recipe.weight > 0) };

	if (adapters_only(s->p))
		v.trained = adapters_held(s->p, r);
	if (f != NULL && f->loss_apart)
		v.loss_less = kept_by(s, &f->held) - kept_by(s, &f->loss_held);
	return v;
}

/* Parameters, gradients and optimizer. */
static struct memory
state_of(const struct memory_setup *s, const struct holding *h, const struct rank_view *v)
{
	struct memory m = { .low = 0 };

	state_add(h, &s->recipe, &m);
	if (adapters_only(s->p))
		add_adapters(s, v, &m);
	else if (s->p->mode != MODE_SERVE)
		blocks_add(v, &s->recipe, &m);
	m.low = m.high = m.parameters + m.gradients + m.optimizer;
	return m;
}

/* What is there whatever is in flight: the state and, in training, logits and buffers. Where
 * the state alone exceeds the limit, that is all: nothing is taken from the sum after it. */
static struct memory_standing
standing(const struct memory_setup *s, const struct holding *h, const struct rank_view *v,
    const struct memory_limit *limit)
{
	struct memory_standing out = { .memory = state_of(s, h, v) };

	if (s->p->mode != MODE_SERVE && !memory_exceeds(out.memory.low, out.memory.high, limit))
		out.transients = buffers_add(v, &out.memory, &out.at_loss);
	return out;
}

/* To what stands what is in flight, and what follows from both; not in serve mode, where the
 * rest is the engine's. */
static struct memory
with_flight(const struct memory_setup *s, const struct holding *h, const struct rank_view *v,
    const struct flight *f, const struct memory_standing *standing)
{
	const bool at_loss = f->loss_apart && standing->at_loss;
	struct memory out = standing->memory;

	activation_add(&s->act, at_loss ? &f->loss_held : &f->held, v->ledger, &out.activations);
	activation_add_moving(&s->act, v->layers->longest, v->ledger, &out.activations);
	out.in_flight = at_loss ? f->loss_microbatches : f->microbatches;
	if (modules_eager(s->p)) {
		const struct step_bytes step = state_step_bytes(s, h, v);

		finetune_add_step(v, &step, standing->transients, s->microbatches, &out);
	} else {
		state_add_step(h, &s->recipe, blocks_of_step(v, &s->recipe), standing->transients, &out);
	}
	bias_add(v, &out);
	out.allocated = out.parameters + out.gradients + out.optimizer + out.activations +
	    out.logits + out.buffers;
	overhead_add(v, &out);
	range_add(&out);
	out.total = out.allocated + out.overhead;
	return out;
}

/* ---- the host ---------------------------------------------------------------------- */

static double
state_bytes(const struct memory_setup *s, const struct rank_layers *r)
{
	const struct stage_params held = params_held(s->p, r, NULL);
	const struct holding h = holding_of(s, &held, NULL);
	const struct rank_view v = view_of(s, r, &h, NULL);

	return state_of(s, &h, &v).low;
}

/* Parameters that the optimizer of one rank works on. */
static double
optimized(const struct memory_setup *s, const struct rank_layers *r)
{
	const struct recipe *recipe = adapters_only(s->p) ? &s->adapters : &s->recipe;
	const struct shards over = shards_over(recipe->shard_optimizer, &s->shards);
	const struct stage_params all = params_held(s->p, r, NULL);
	const struct adapter_params n = adapters_held(s->p, r);

	return adapters_only(s->p) ? (n.dense + n.saved) / over.dense + n.expert / over.expert :
	    all.dense / over.dense + all.expert / over.expert;
}

static double
kept(const struct memory_setup *s, int64_t stage)
{
	const struct flight f = schedule_flight(s->p, s->pl, s->microbatches, stage, &s->unit);

	return kept_by(s, &f.held);
}

/* The state under another choice of what is offloaded. */
static double
state_under(const struct memory_setup *s, const struct rank_layers *r, const struct plan *here)
{
	struct memory_setup other = *s;

	other.p = other.act.p = here;
	setup_training(&other, here, false);
	return state_bytes(&other, r);
}

/* What offload takes of the state of one GPU, to the byte. An optimizer that runs on the host has
 * fp32 gradients there too, unless they left in fp32 themselves; here: the plan without offload. */
static struct drive_load
state_away(const struct memory_setup *s, const struct memory_setup *all,
    const struct rank_layers *r, struct plan *here)
{
	const bool offloads = s->p->parallel.offload != OFFLOAD_NONE;
	const struct recipe *trained = adapters_only(here) ? &all->adapters : &all->recipe;
	const struct recipe *now = adapters_only(here) ? &s->adapters : &s->recipe;
	const double left = state_bytes(s, r);
	struct drive_load load = { .states = state_bytes(all, r) - left, .owned = optimized(all, r) };

	if (s->p->parallel.offload == OFFLOAD_OPTIMIZER_PARAMS) {
		here->parallel.offload = OFFLOAD_OPTIMIZER;
		load.weights = state_under(s, r, here) - left;
		here->parallel.offload = OFFLOAD_NONE;
		load.states -= load.weights;
	}
	if (offloads && (now->gradient > 0 || trained->gradient < 4))
		load.gradients = 4 * load.owned;
	return load;
}

static void
add_state_away(const struct plan *p, const struct drive_load *load, struct ledger *ledger,
    struct memory *m)
{
	const double weights = drive_weights_in_host(p, load->weights), gradients = load->gradients;

	m->drive = drive_bytes(p, load, ledger);
	if (!drive_has_states(p))
		LEDGER_TERM(ledger, m->host, QUANTITY_HOST, "optimizer and its gradients", ZERO_OFFLOAD,
		    load->states + gradients, AS("state without offload less that on the GPU",
		    load->states), AS("fp32 gradients of its optimizer", gradients));
	if (weights > 0)
		LEDGER_TERM(ledger, m->host, QUANTITY_HOST, "weights", ZERO_OFFLOAD, weights,
		    AS("offloaded weights, as far as they stay in host memory", weights));
	m->host += drive_buffers(p, load, ledger);
}

/* Bytes of a stage that left the GPU: m->host and m->drive. */
static void
add_away(const struct memory_setup *s, int64_t stage, struct ledger *ledger, struct memory *m)
{
	const struct rank_layers r = params_rank(s->p, s->pl, stage);
	struct plan here = *s->p;
	struct memory_setup all = *s;

	here.parallel.offload = OFFLOAD_NONE;
	here.training.offload_layers = 0;
	if (here.finetune.kernels == KERNELS_UNSLOTH)
		here.finetune.kernels = KERNELS_LIGER; /* the same without its checkpointing */
	here.training.precision_aware_optimizer = false; /* PyTorch's Adam there, in fp32 */
	all.p = all.act.p = &here;
	setup_training(&all, &here, false);
	if (s->p->parallel.offload != OFFLOAD_NONE || plan_pages_moments(s->p)) {
		const struct drive_load load = state_away(s, &all, &r, &here);

		add_state_away(s->p, &load, ledger, m);
	}
	if (kept(&all, stage) > kept(s, stage)) {
		const double whole = kept(&all, stage), left = kept(s, stage);

		LEDGER_TERM(ledger, m->host, QUANTITY_HOST, "activations that wait", TE_OFFLOAD,
		    whole - left, AS("kept without offload", whole), AS("on the GPU", left));
	}
}

/* m->host and m->drive of one stage. */
static void
memory_away(const struct memory_setup *s, int64_t stage, struct ledger *ledger, struct memory *m)
{
	const bool leaves = s->p->parallel.offload != OFFLOAD_NONE || plan_pages_moments(s->p) ||
	    s->p->training.offload_layers > 0 || batch_inputs_away(s->p, 1) > 0;

	m->host = m->drive = 0;
	if (leaves && s->p->mode == MODE_TRAIN)
		add_away(s, stage, ledger, m);
}

/* A stage has the layers of the one before, and no others of a mirror. */
static bool
goes_on(const struct memory_setup *s, int64_t stage)
{
	return params_as_before(s->p, s->pl, stage) && placement_mirror(s->pl, s->p, stage) < 0;
}

struct memory
memory_next(const struct memory_setup *s, int64_t stage, struct memory_walk *w,
    struct ledger *ledger)
{
	const struct memory_limit any = { INFINITY, INFINITY };
	const bool anew = ledger != NULL || w->load.stage + 1 != stage || !goes_on(s, stage);
	struct holding h;
	struct rank_view v;
	struct memory m;

	if (anew) {
		w->load.layers = params_rank(s->p, s->pl, stage);
		w->load.held = params_held(s->p, &w->load.layers, ledger);
	}
	if (s->p->mode != MODE_SERVE)
		w->load.flight = schedule_flight(s->p, s->pl, s->microbatches, stage, &s->unit);
	w->load.stage = w->load.layers.rank = stage;
	h = holding_of(s, &w->load.held, ledger);
	v = view_of(s, &w->load.layers, &h, &w->load.flight);
	if (anew)
		w->standing = standing(s, &h, &v, &any);
	if (s->p->mode == MODE_SERVE) { /* the rest is the engine's */
		m = w->standing.memory;
		m.total = m.allocated = m.parameters;
		return m;
	}
	m = with_flight(s, &h, &v, &w->load.flight, &w->standing);
	memory_away(s, stage, ledger, &m);
	return m;
}

struct memory
memory_of_stage(const struct memory_setup *s, int64_t stage, struct ledger *ledger)
{
	struct memory_walk none = MEMORY_WALK;

	return memory_next(s, stage, &none, ledger);
}

struct memory
memory_stage(const struct plan *p, const struct layout *l, const struct placement *pl,
    int64_t microbatches, int64_t pp_rank, struct ledger *ledger)
{
	const struct memory_setup s = memory_setup(p, l, pl, microbatches);

	return memory_of_stage(&s, pp_rank, ledger);
}

/* ---- the fullest stage ------------------------------------------------------------- */

/*
 * True when stage b can not hold more bytes than stage a: the same layers and ends, but for
 * an embedding that a may have and b not, and nothing in flight that a has less of. Every
 * term grows with each of these.
 */
static bool
covers(const struct memory_load *a, const struct memory_load *b)
{
	const struct share *x = &a->flight.held, *y = &b->flight.held;

	return a->layers.loss == b->layers.loss && a->layers.mtp == b->layers.mtp &&
	    a->layers.embedding >= b->layers.embedding &&
	    a->layers.longest == b->layers.longest &&
	    memcmp(&a->layers.kinds, &b->layers.kinds, sizeof a->layers.kinds) == 0 &&
	    x->kept.all >= y->kept.all && x->kept.mamba >= y->kept.mamba &&
	    x->kept.indexed >= y->kept.indexed && x->kept.global >= y->kept.global &&
	    x->kept.local >= y->kept.local && x->kept.moe >= y->kept.moe &&
	    x->kept.dense >= y->kept.dense &&
	    x->kept.borrowing_global == y->kept.borrowing_global &&
	    x->kept.borrowing_local == y->kept.borrowing_local &&
	    x->input >= y->input && x->mtp >= y->mtp && x->embedding >= y->embedding;
}

static struct memory_load
load_of(const struct memory_setup *s, int64_t stage)
{
	return (struct memory_load){ .stage = stage, .layers = params_rank(s->p, s->pl, stage),
		.flight = schedule_flight(s->p, s->pl, s->microbatches, stage, &s->unit) };
}

/* Find the next stage that no earlier one covers; false where there is none, or no room for it. */
static bool
find_load(const struct memory_setup *s, struct memory_loads *of)
{
	struct memory_load *next = &of->load[of->count];

	while (of->rest < s->pl->pp && of->count < MEMORY_LOADS_MAX) {
		const int64_t stage = of->rest++;
		int64_t i = 0;

		if (schedule_wanes(s->p, s->pl, stage))
			continue; /* what covers the one before covers it too */
		*next = load_of(s, stage);
		while (i < of->count && !covers(&of->load[i], next))
			i++;
		if (i < of->count)
			continue;
		next->held = params_held(s->p, &next->layers, NULL);
		of->count++;
		return true;
	}
	return false;
}

/* One more stage; false where it exceeds the limit. */
static bool
weigh(const struct memory_setup *s, const struct memory_load *load,
    const struct memory_limit *limit, struct memory_peak *out)
{
	const struct holding h = holding_of(s, &load->held, NULL);
	const struct rank_view v = view_of(s, &load->layers, &h, &load->flight);
	const struct memory_standing there = standing(s, &h, &v, limit);
	const struct memory m = memory_exceeds(there.memory.low, there.memory.high, limit) ?
	    there.memory : with_flight(s, &h, &v, &load->flight, &there);

	out->low = larger(out->low, m.low);
	out->high = larger(out->high, m.high);
	if (m.total > out->memory.total) {
		out->memory = m;
		out->stage = load->stage;
	}
	return !memory_exceeds(out->low, out->high, limit);
}

void
memory_peak(const struct memory_setup *s, struct memory_loads *loads,
    const struct memory_limit *limit, struct memory_peak *out)
{
	*out = (struct memory_peak){ .stage = 0 };
	for (int64_t i = 0; i < loads->count || find_load(s, loads); i++)
		if (!weigh(s, &loads->load[i], limit, out))
			return;
	for (int64_t stage = loads->rest; stage < s->pl->pp; stage++) {
		struct memory_load load = load_of(s, stage);

		load.held = params_held(s->p, &load.layers, NULL);
		if (!weigh(s, &load, limit, out))
			return;
	}
	memory_away(s, out->stage, NULL, &out->memory);
}

bool
memory_load_exceeds(const struct memory_setup *s, const struct memory_load *load,
    const struct memory_limit *limit)
{
	const struct memory_limit most = { limit->low / ROUNDED(1), limit->high / ROUNDED(1) };
	struct memory_peak alone = { .stage = 0 };

	return !weigh(s, load, &most, &alone);
}

double
memory_least(const struct memory_setup *s)
{
	struct placement one; /* large, of which one chunk is filled in */
	struct rank_layers all;

	one.pp = one.vpp = 1;
	one.chunk[0] = stage_all_layers(s->p);
	all = params_rank(s->p, &one, 0);
	/* Sums of the same terms in another order. */
	return ROUNDED(state_bytes(s, &all)) / at_least_one(s->p->parallel.pp);
}
