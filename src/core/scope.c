#include "core/scope.h"

#include <string.h>

#include "core/text.h"

void
scope_init(struct scope *s, const struct catalog *catalog)
{
	s->catalog = catalog;
	s->begun = s->sized = s->timed = false;
}

static bool
same_job(const struct plan *a, const struct plan *b)
{
	return a->mode == b->mode && a->parallel.layout == b->parallel.layout &&
	    memcmp(&a->cluster, &b->cluster, sizeof a->cluster) == 0 &&
	    memcmp(&a->model, &b->model, sizeof a->model) == 0 &&
	    memcmp(&a->calibration, &b->calibration, sizeof a->calibration) == 0;
}

static bool
same_batch(const struct plan *a, const struct plan *b)
{
	const struct parallel *x = &a->parallel, *y = &b->parallel;

	return x->tp == y->tp && x->sequence_parallel == y->sequence_parallel && x->cp == y->cp &&
	    x->cp_comm == y->cp_comm && x->ep == y->ep && x->etp == y->etp &&
	    text_equal(x->hierarchical_cp, y->hierarchical_cp) &&
	    memcmp(&a->training, &b->training, sizeof a->training) == 0;
}

void
scope_follow(struct scope *s, const struct plan *p)
{
	if (s->begun && same_job(&s->plan, p))
		return;
	s->plan = *p;
	s->named = check_named(p, s->catalog);
	s->rules = check_list_of(p);
	s->begun = true;
	s->sized = s->timed = false;
}

/* What was worked out for another batch holds no more. */
static void
follow_batch(struct scope *s, const struct plan *p)
{
	if (same_batch(&s->plan, p))
		return;
	s->plan.parallel = p->parallel;
	s->plan.training = p->training;
	s->sized = s->timed = false;
}

struct memory_setup *
scope_memory(struct scope *s, const struct plan *p)
{
	follow_batch(s, p);
	if (!s->sized)
		memory_setup_batch(&s->memory, p);
	s->sized = true;
	return &s->memory;
}

struct step_setup *
scope_step(struct scope *s, const struct plan *p)
{
	follow_batch(s, p);
	if (!s->timed)
		step_setup_batch(&s->step, p);
	s->timed = true;
	return &s->step;
}
