#include "core/train/step_stages.h"

#include <string.h>

#include "core/base/number.h"
#include "core/plan/nodes.h"

void
step_types_init(struct step_types *t, struct step_setup *other, struct step_setup *own,
    const struct plan *p, const struct layout *l)
{
	int64_t nodes[GPU_TYPES_MAX];

	gpu_types_of_stages(t->stage, p, l);
	gpu_types_nodes(nodes, p);
	t->gpus = (struct step_gpus){ .types = gpu_types(p), .plan = { p }, .set = { own }, .stage = t->stage };
	t->peak = (double)nodes[0] * own->machine.peak;
	for (int i = 1; i < t->gpus.types; i++) {
		struct step_setup *set = t->gpus.set[i] = &other[i - 1];

		t->gpus.plan[i] = gpu_type_plan(p, i, &t->room[i - 1]);
		step_setup_batch(set, t->gpus.plan[i]);
		step_setup_plan(set, t->gpus.plan[i], l);
		t->peak += (double)nodes[i] * set->machine.peak;
	}
	t->peak /= (double)p->cluster.nodes;
}

void
step_stages_time(struct stage *s, const struct step_gpus *gpus, const struct chunk *chunk, int64_t n,
    int64_t stage)
{
	bool any = false;

	for (int i = 0; i < gpus->types; i++) {
		struct step_setup *set = gpus->set[i];
		struct stage on;

		if (gpus->stage != NULL && (gpus->stage[stage] >> i & 1) == 0)
			continue;
		stage_count(&on, gpus->plan[i], chunk, n, set->parts.usual);
		stage_time(&on, set, gpus->plan[i]);
		on.type = i;
		if (!any || stage_total(&on) > stage_total(s))
			*s = on;
		any = true;
	}
}

/* DualPipe: half of the micro-batches pass a rank as this stage, half as its mirror image. */
static void
add_mirror(struct stage *s, const struct stage *m)
{
	s->forward = (s->forward + m->forward) / 2;
	s->backward = (s->backward + m->backward) / 2;
	s->weight = (s->weight + m->weight) / 2;
	s->recompute = (s->recompute + m->recompute) / 2;
	s->host = (s->host + m->host) / 2;
	s->exposed = (s->exposed + m->exposed) / 2;
	for (int u = 0; u < UNIT_COUNT; u++)
		s->units[u] = (s->units[u] + m->units[u]) / 2;
	for (int k = 0; k < LAYER_KINDS; k++) {
		s->kind[k] = (s->kind[k] + m->kind[k]) / 2;
		s->again[k] = (s->again[k] + m->again[k]) / 2;
	}
	s->mtp = (s->mtp + m->mtp) / 2;
}

static void
run_stage(struct stage *s, const struct step_gpus *gpus, const struct plan *p, const struct placement *pl,
    int64_t rank)
{
	const int64_t mirror = placement_mirror(pl, p, rank);
	struct stage m;

	step_stages_time(s, gpus, placement_chunk(pl, rank, 0), pl->vpp, rank);
	if (mirror < 0)
		return;
	step_stages_time(&m, gpus, placement_chunk(pl, mirror, 0), pl->vpp, rank);
	add_mirror(s, &m);
}

/* The stage before on the same GPUs. */
static bool
is_as_before(const struct step_gpus *gpus, const struct plan *p, const struct placement *pl, int64_t i)
{
	return placement_mirror(pl, p, i) < 0 && params_as_before(p, pl, i) &&
	    (gpus->stage == NULL || gpus->stage[i] == gpus->stage[i - 1]);
}

void
step_stages_run(struct step_run *r, const struct step_gpus *gpus, const struct plan *p,
    const struct placement *pl)
{
	struct stage s = { .layers = 0 };

	r->sum = 0;
	r->rank = 0;
	memset(r->again, 0, sizeof r->again);
	for (int64_t i = 0; i < pl->pp; i++) {
		if (!is_as_before(gpus, p, pl, i))
			run_stage(&s, gpus, p, pl, i);
		for (int k = 0; k < LAYER_KINDS; k++)
			r->again[k] += s.again[k];
		r->sum += stage_total(&s);
		if (i == 0 || stage_total(&s) > stage_total(&r->slowest)) {
			r->slowest = s;
			r->rank = i;
		}
	}
	r->set = gpus->set[r->slowest.type];
}

/* ---- slow nodes ------------------------------------------------------------------------- */

/* As its slowest node, for which all that a stage works with waits; of nodes that hold several, each. */
bool
step_stages_slowness(double factor[STAGE_CHUNKS_MAX], const struct plan *p, const struct layout *l)
{
	struct slow_nodes slow;
	char err[256];

	for (int64_t i = 0; i < p->parallel.pp; i++)
		factor[i] = 1;
	if (!nodes_slow(&slow, p, err, sizeof err))
		return false;
	for (int k = 0; k < slow.count; k++) {
		const int64_t gpus = p->cluster.gpus_per_node;

		for (int64_t slot = slow.range[k].first * gpus; slot < (slow.range[k].last + 1) * gpus; slot++) {
			const int64_t rank = plan_at_slot(p, slot);
			double *of = rank >= 0 && rank < l->world ? &factor[layout_pipeline_rank(l, rank)] : NULL;

			if (of != NULL)
				*of = smaller(*of, slow.range[k].factor);
		}
	}
	return slow.count > 0;
}

/* Work of their stages takes longer for each micro-batch, and where another stage was the slowest one they
 * first use up what they waited for it. */
double
step_stages_slow(const struct step_run *r, const struct step_gpus *gpus, const struct plan *p,
    const struct placement *pl)
{
	double factor[STAGE_CHUNKS_MAX], sum = 0, most = 0;
	struct stage s = { .layers = 0 };

	if (p->cluster.slow_nodes[0] == '\0' || !step_stages_slowness(factor, p, r->layout))
		return 0;
	for (int64_t i = 0; i < pl->pp; i++) {
		double total;

		run_stage(&s, gpus, p, pl, i);
		total = stage_total(&s) + (s.forward + s.backward + s.recompute) * (1 / factor[i] - 1);
		sum += total;
		most = larger(most, total);
	}
	return larger(0, r->microbatches * (most - stage_total(&r->slowest)) +
	    ((sum - most) - (r->sum - stage_total(&r->slowest))) / (double)pl->vpp);
}
