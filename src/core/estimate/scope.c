#include "core/estimate/scope.h"

#include <stddef.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/activation.h"
#include "core/model/adapters.h"
#include "core/model/modules.h"
#include "core/model/weights.h"
#include "core/plan/batch.h"
#include "core/run/checkpoint.h"
#include "core/train/steptime.h"

void
scope_init(struct scope *s, const struct catalog *catalog)
{
	s->catalog = catalog;
	s->begun = false;
}

/* But for what rollouts alone are made of, their engine among it (rl.c). */
static bool
same_rollouts(const struct plan *a, const struct plan *b)
{
	struct serving serving = b->serving;
	struct rl rl = b->rl;

	serving.gpu_memory_utilization = a->serving.gpu_memory_utilization;
	rl.rollout_tp = a->rl.rollout_tp;
	rl.prompts = a->rl.prompts;
	rl.responses = a->rl.responses;
	rl.offload = a->rl.offload;
	rl.engine_sleep = a->rl.engine_sleep;
	return memcmp(&a->serving, &serving, sizeof serving) == 0 && memcmp(&a->rl, &rl, sizeof rl) == 0;
}

static bool
same_engine(const struct plan *a, const struct plan *b)
{
	return memcmp(&a->serving, &b->serving, sizeof a->serving) == 0 &&
	    memcmp(&a->rl, &b->rl, sizeof a->rl) == 0;
}

/* Of an engine's plan memory of a batch reads what its weights are held in, and no more. */
static bool
same_weights(const struct plan *a, const struct plan *b)
{
	return weights_dense(a) == weights_dense(b) && weights_expert(a) == weights_expert(b);
}

static bool
same_job(const struct plan *a, const struct plan *b)
{
	return a->mode == b->mode && a->parallel.layout == b->parallel.layout &&
	    (a->mode == MODE_SERVE ? same_weights(a, b) : same_engine(a, b) || same_rollouts(a, b)) &&
	    memcmp(&a->cluster, &b->cluster, sizeof a->cluster) == 0 &&
	    memcmp(&a->model, &b->model, sizeof a->model) == 0 &&
	    memcmp(&a->finetune, &b->finetune, sizeof a->finetune) == 0 &&
	    memcmp(&a->calibration, &b->calibration, sizeof a->calibration) == 0;
}

/* What a micro-batch takes notice of that follows from the ZeRO stage and all sizes: what adding gradients moves, and
 * what layers are computed in. */
static bool
same_shards(const struct plan *a, const struct plan *b)
{
	return framework_adds_apart(a) == framework_adds_apart(b) && modules_wide(a) == modules_wide(b);
}

/* Switches that take no part in what a GPU computes and keeps of a micro-batch. Traffic and what
 * follows from it are worked out anew. */
static void
copy_switches(struct training *to, const struct training *from)
{
	to->cuda_graph = from->cuda_graph;
	to->precision_aware_optimizer = from->precision_aware_optimizer;
	to->param_remainders = from->param_remainders;
	to->overlap_grad_reduce = from->overlap_grad_reduce;
	to->overlap_param_gather = from->overlap_param_gather;
	to->tp_overlap = from->tp_overlap;
	to->moe_overlap = from->moe_overlap;
}

static bool
same_batch(const struct plan *a, const struct plan *b)
{
	const struct parallel *x = &a->parallel, *y = &b->parallel;
	struct training training = b->training;

	copy_switches(&training, &a->training);
	return x->tp == y->tp && x->tp_apart == y->tp_apart &&
	    x->sequence_parallel == y->sequence_parallel && x->cp == y->cp &&
	    x->ep == y->ep && x->etp == y->etp &&
	    x->release == y->release &&
	    text_equal(x->hierarchical_cp, y->hierarchical_cp) &&
	    same_shards(a, b) &&
	    memcmp(&a->training, &training, sizeof training) == 0;
}

/* CP's traffic and the dispatcher as far as what is computed, and what is kept, takes notice of it (kernel.c,
 * compute_experts.c, activation.c). */
static bool
same_kernels(const struct plan *a, const struct plan *b)
{
	return (a->parallel.cp_comm == CP_COMM_A2A) == (b->parallel.cp_comm == CP_COMM_A2A) &&
	    batch_unfused(a) == batch_unfused(b) &&
	    (a->parallel.moe_dispatcher == DISPATCHER_ALLTOALL) ==
	    (b->parallel.moe_dispatcher == DISPATCHER_ALLTOALL);
}

static bool
same_heads(const struct plan *a, const struct plan *b)
{
	return batch_unfused(a) == batch_unfused(b) && activation_exchange(a) == activation_exchange(b);
}

/* What traffic of a micro-batch takes notice of besides: DualPipe, which is none on one stage, hides
 * that of experts (traffic_hides_experts). */
static bool
same_traffic(const struct plan *a, const struct plan *b)
{
	return a->parallel.cp_comm == b->parallel.cp_comm &&
	    a->parallel.moe_dispatcher == b->parallel.moe_dispatcher &&
	    plan_schedule(a) == plan_schedule(b) &&
	    memcmp(&a->training, &b->training, sizeof a->training) == 0;
}

/* All but the ZeRO stage, which comes last in a walk. */
static bool
same_pipeline(const struct plan *a, const struct plan *b)
{
	enum { BEFORE = offsetof(struct parallel, zero_stage), AFTER = BEFORE + sizeof(int64_t) };
	const char *x = (const char *)&a->parallel, *y = (const char *)&b->parallel;

	return memcmp(x, y, BEFORE) == 0 && same_shards(a, b) &&
	    memcmp(x + AFTER, y + AFTER, sizeof a->parallel - AFTER) == 0 &&
	    memcmp(&a->training, &b->training, sizeof a->training) == 0 &&
	    memcmp(a->set, b->set, sizeof a->set) == 0;
}

static void
forget_pipeline(struct scope *s)
{
	s->pipeline.tried = s->pipeline.loaded = s->pipeline.run = false;
}

static void
follow_job(struct scope *s, const struct plan *p)
{
	s->plan = *p;
	s->named = check_named(p, s->catalog);
	s->rules = check_list_of(p);
	s->begun = true;
	s->sized = s->timed = s->generates = s->step.flowing = false;
	s->params = 0;
	forget_pipeline(s);
}

void
scope_follow(struct scope *s, const struct plan *p)
{
	if (!s->begun || !same_job(&s->plan, p)) {
		follow_job(s, p);
		return;
	}
	if (p->mode == MODE_TRAIN && !same_engine(&s->plan, p)) {
		s->plan.serving = p->serving;
		s->plan.rl = p->rl;
		s->generates = false;
	}
	if (!same_pipeline(&s->plan, p)) {
		const bool same = same_batch(&s->plan, p);

		s->sized &= same && same_heads(&s->plan, p);
		s->timed &= same && same_kernels(&s->plan, p);
		s->step.flowing &= same_traffic(&s->plan, p);
		s->generates &= s->plan.training.precision == p->training.precision;
		if (s->plan.parallel.tp != p->parallel.tp)
			s->params = 0; /* the vocabulary is padded to a multiple of TP */
		s->plan.parallel = p->parallel;
		s->plan.training = p->training;
		memcpy(s->plan.set, p->set, sizeof p->set);
		forget_pipeline(s);
	}
}

bool
scope_place(struct scope *s, const struct plan *p)
{
	struct pipeline *of = &s->pipeline;

	if (!of->tried) {
		of->tried = true;
		of->placed = s->named && layout_size(&of->layout, p, NULL) &&
		    placement_init(&of->placement, p, NULL);
		of->microbatches = of->placed ? check_microbatches(p, of->layout.dp) : 0;
	}
	return of->placed;
}

struct memory_setup *
scope_sizes(struct scope *s, const struct plan *p)
{
	if (!s->sized)
		memory_setup_batch(&s->memory, p);
	s->sized = true;
	return &s->memory;
}

struct memory_setup *
scope_memory(struct scope *s, const struct plan *p)
{
	const struct pipeline *of = &s->pipeline;

	memory_setup_plan(scope_sizes(s, p), p, &of->layout, &of->placement, of->microbatches);
	return &s->memory;
}

struct memory_loads *
scope_loads(struct scope *s)
{
	if (!s->pipeline.loaded)
		s->pipeline.loads.count = s->pipeline.loads.rest = 0;
	s->pipeline.loaded = true;
	return &s->pipeline.loads;
}

struct step_setup *
scope_batch(struct scope *s, const struct plan *p)
{
	if (!s->timed)
		step_setup_batch(&s->step, p);
	s->timed = true;
	return &s->step;
}

struct step_setup *
scope_flows(struct scope *s, const struct plan *p)
{
	struct layout layout;

	if (!s->named || !layout_size(&layout, p, NULL))
		return NULL;
	layout_group(&layout, p);
	step_setup_plan(scope_batch(s, p), p, &layout);
	return &s->step;
}

const struct step_run *
scope_step(struct scope *s, const struct plan *p)
{
	struct pipeline *of = &s->pipeline;

	if (!of->run) {
		layout_group(&of->layout, p);
		step_setup_plan(scope_batch(s, p), p, &of->layout);
		steptime_run(&of->step, &s->step, p, &of->layout, &of->placement, of->microbatches);
	}
	of->run = true;
	return &of->step;
}

double
scope_params(struct scope *s, const struct plan *p)
{
	if (!(s->params > 0)) {
		const struct model_params model = params_model(p, NULL);

		s->params = checkpoint_params(p, &model, adapters_total(p, model.total, NULL));
	}
	return s->params;
}

const struct rl_engine *
scope_engine(struct scope *s, const struct plan *p)
{
	s->generates = s->generates || rl_engine_of(&s->engine, p, NULL);
	return s->generates ? &s->engine : NULL;
}

void
scope_lend(struct scope *s, const struct plan *p, const struct rl_engine *engine)
{
	if (engine == NULL)
		return;
	scope_follow(s, p);
	s->engine = *engine;
	s->generates = true;
}
