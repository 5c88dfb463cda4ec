#include "core/estimate/scope.h"

#include <stddef.h>
#include <string.h>

#include "core/base/text.h"
#include "core/train/steptime.h"

void
scope_init(struct scope *s, const struct catalog *catalog)
{
	s->catalog = catalog;
	s->begun = false;
}

static bool
same_job(const struct plan *a, const struct plan *b)
{
	return a->mode == b->mode && a->parallel.layout == b->parallel.layout &&
	    (a->mode == MODE_SERVE || memcmp(&a->serving, &b->serving, sizeof a->serving) == 0) &&
	    memcmp(&a->cluster, &b->cluster, sizeof a->cluster) == 0 &&
	    memcmp(&a->model, &b->model, sizeof a->model) == 0 &&
	    memcmp(&a->rl, &b->rl, sizeof a->rl) == 0 &&
	    memcmp(&a->finetune, &b->finetune, sizeof a->finetune) == 0 &&
	    memcmp(&a->calibration, &b->calibration, sizeof a->calibration) == 0;
}

static bool
same_batch(const struct plan *a, const struct plan *b)
{
	const struct parallel *x = &a->parallel, *y = &b->parallel;

	return x->tp == y->tp && x->tp_apart == y->tp_apart &&
	    x->sequence_parallel == y->sequence_parallel && x->cp == y->cp &&
	    x->cp_comm == y->cp_comm && x->ep == y->ep && x->etp == y->etp &&
	    x->release == y->release && x->moe_dispatcher == y->moe_dispatcher &&
	    text_equal(x->hierarchical_cp, y->hierarchical_cp) &&
	    memcmp(&a->training, &b->training, sizeof a->training) == 0;
}

/* All but the ZeRO stage, which comes last in a walk. */
static bool
same_pipeline(const struct plan *a, const struct plan *b)
{
	enum { BEFORE = offsetof(struct parallel, zero_stage), AFTER = BEFORE + sizeof(int64_t) };
	const char *x = (const char *)&a->parallel, *y = (const char *)&b->parallel;

	return memcmp(x, y, BEFORE) == 0 &&
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
	s->sized = s->timed = s->generates = false;
	forget_pipeline(s);
}

void
scope_follow(struct scope *s, const struct plan *p)
{
	if (!s->begun || !same_job(&s->plan, p)) {
		follow_job(s, p);
	} else if (!same_pipeline(&s->plan, p)) {
		if (!same_batch(&s->plan, p))
			s->sized = s->timed = false;
		s->generates &= s->plan.training.precision == p->training.precision;
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
scope_memory(struct scope *s, const struct plan *p)
{
	const struct pipeline *of = &s->pipeline;

	if (!s->sized)
		memory_setup_batch(&s->memory, p);
	s->sized = true;
	memory_setup_plan(&s->memory, p, &of->layout, &of->placement, of->microbatches);
	return &s->memory;
}

const struct memory_loads *
scope_loads(struct scope *s)
{
	if (!s->pipeline.loaded)
		memory_find_loads(&s->memory, &s->pipeline.loads);
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

const struct rl_engine *
scope_engine(struct scope *s, const struct plan *p)
{
	s->generates = s->generates || rl_engine_of(&s->engine, p, NULL);
	return s->generates ? &s->engine : NULL;
}
