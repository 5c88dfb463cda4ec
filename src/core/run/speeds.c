#include "core/run/speeds.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/plan/field.h"
#include "core/rules/check.h"
#include "core/run/run.h"
#include "core/train/memory.h"
#include "core/train/step_stages.h"

/* ---- the best split ----------------------------------------------------------------------- */

/* The least that all stages come to with none above `limit`, and their layers; INFINITY: there is no such split. */
static double
least_sum(const struct speeds *s, double limit, int layers[SPEEDS_STAGES])
{
	double sum[SPEEDS_STAGES + 1][SPEEDS_LAYERS + 1];
	int16_t from[SPEEDS_STAGES + 1][SPEEDS_LAYERS + 1];

	for (int b = 0; b <= s->layers; b++)
		sum[0][b] = b == 0 ? 0 : INFINITY;
	for (int i = 1; i <= s->stages; i++)
		for (int b = 0; b <= s->layers; b++) {
			sum[i][b] = INFINITY;
			for (int a = b - 1; a >= 0 && b - a <= s->most[i - 1]; a--) {
				const double cost = s->before[i - 1][b] - s->before[i - 1][a] + s->end[i - 1];

				if (cost > limit || sum[i - 1][a] + cost >= sum[i][b])
					continue;
				sum[i][b] = sum[i - 1][a] + cost;
				from[i][b] = (int16_t)a;
			}
		}
	if (isinf(sum[s->stages][s->layers]))
		return INFINITY;
	for (int i = s->stages, b = s->layers; i > 0; b = from[i][b], i--)
		layers[i - 1] = b - from[i][b];
	return sum[s->stages][s->layers];
}

static double
slowest_of(const struct speeds *s, const int layers[SPEEDS_STAGES])
{
	double most = 0;

	for (int i = 0, a = 0; i < s->stages; a += layers[i], i++)
		most = larger(most, s->before[i][a + layers[i]] - s->before[i][a] + s->end[i]);
	return most;
}

/* Of splits whose slowest stage takes no more than a limit that with the least sum is best: the limit falls below
 * what it came to, and below what could still be better. */
bool
speeds_split(const struct speeds *s, int layers[SPEEDS_STAGES])
{
	int trial[SPEEDS_STAGES];
	double best = INFINITY, limit = INFINITY, least = 0;

	for (bool first = true;; first = false) {
		const double sum = least_sum(s, limit, trial);
		double most;

		if (isinf(sum))
			return !isinf(best);
		most = slowest_of(s, trial);
		if (first)
			least = sum;
		if (s->rest * most + sum < best) {
			best = s->rest * most + sum;
			memcpy(layers, trial, sizeof trial);
		}
		limit = nextafter(most, 0);
		if (s->rest > 0)
			limit = smaller(limit, (best - least) / s->rest);
	}
}

/* ---- of a plan ------------------------------------------------------------------------------ */

/* Seconds of a chunk as its stage works on it, slow nodes with it. */
static double
seconds_of(const struct step_gpus *gpus, const struct chunk *chunk, int stage, double slow)
{
	struct stage s;

	step_stages_time(&s, gpus, chunk, 1, stage);
	return stage_total(&s) + (s.forward + s.backward + s.recompute) * (1 / slow - 1);
}

static void
fill_speeds(struct speeds *s, const struct plan *p, const struct layout *l, const struct step_gpus *gpus)
{
	double slow[STAGE_CHUNKS_MAX];

	step_stages_slowness(slow, p, l);
	for (int i = 0; i < s->stages; i++) {
		const struct chunk ends = { .embedding = i == 0, .loss = i == s->stages - 1 };

		s->before[i][0] = 0;
		for (int b = 0; b < s->layers; b++) {
			const struct chunk one = { .first = b, .count = 1 };

			s->before[i][b + 1] = s->before[i][b] + seconds_of(gpus, &one, i, slow[i]);
		}
		s->end[i] = ends.embedding || ends.loss ? seconds_of(gpus, &ends, i, slow[i]) : 0;
	}
}

static void
time_layers(struct speeds *s, const struct plan *p, const struct layout *l)
{
	struct step_setup own, other[PLAN_OTHERS_MAX];
	const struct step_gpus alone = { .types = 1, .plan = { p }, .set = { &own } };
	struct step_types types;

	step_setup_batch(&own, p);
	step_setup_plan(&own, p, l);
	if (p->others > 0)
		step_types_init(&types, other, &own, p, l);
	fill_speeds(s, p, l, p->others > 0 ? &types.gpus : &alone);
}

static void
put_layout(struct plan *p, const int layers[SPEEDS_STAGES])
{
	char text[PLAN_LAYOUT_SIZE] = "", err[256];
	const int last = (int)p->parallel.pp - 1;

	text_put(text, sizeof text, "Et*%d|", layers[0]);
	for (int i = 1, n = 1; i < last; i += n, n = 1) {
		while (i + n < last && layers[i + n] == layers[i])
			n++;
		text_add(text, sizeof text, n > 1 ? "(t*%d|)*%d" : "t*%d|", layers[i], n);
	}
	text_add(text, sizeof text, "t*%dL", layers[last]);
	p->parallel.first_stage_layers = p->parallel.last_stage_layers = 0;
	p->parallel.account_for_embedding = p->parallel.account_for_loss = 0;
	field_put_text(FIELD_PIPELINE_LAYOUT, p, text, err, sizeof err);
}

/* The first stage that does not fit on its GPUs, -1 without one. */
static int
find_full(const struct plan *p, const struct layout *l)
{
	unsigned types[STAGE_CHUNKS_MAX];
	struct placement pl;

	if (!placement_init(&pl, p, NULL))
		return -1;
	gpu_types_of_stages(types, p, l);
	for (int64_t i = 0; i < p->parallel.pp; i++)
		if (memory_stage(p, l, &pl, check_microbatches(p, l->dp), i, NULL).high > memory_capacity_on(p, types[i]))
			return (int)i;
	return -1;
}

/* What Megatron-LM lays out by a string, layers one after another: no patterns, no chunks, nothing folded. */
static bool
is_said(const struct plan *p)
{
	return framework_of(p)->states_splits && p->parallel.pp > 1 && p->parallel.pp <= SPEEDS_STAGES &&
	    p->parallel.vpp == 1 && p->model.layers <= SPEEDS_LAYERS && p->model.layers >= p->parallel.pp &&
	    p->model.mtp_layers == 0 && p->model.layer_pattern[0] == '\0' && !placement_folds(p->training.schedule) &&
	    p->training.schedule != SCHEDULE_DUALPIPE;
}

bool
speeds_plan(struct plan *out, double *seconds, const struct plan *p, const struct layout *l)
{
	struct speeds s = { .stages = (int)p->parallel.pp, .layers = (int)p->model.layers };
	int layers[SPEEDS_STAGES];

	if (!is_said(p))
		return false;
	s.rest = larger(0, (double)check_microbatches(p, l->dp) - 1);
	for (int i = 0; i < s.stages; i++)
		s.most[i] = s.layers;
	time_layers(&s, p, l);
	*out = *p;
	for (int tries = 0; tries < SPEEDS_LAYERS && speeds_split(&s, layers); tries++) {
		int full;

		put_layout(out, layers);
		full = find_full(out, l);
		if (full < 0)
			return (*seconds = run_step(out)) > 0;
		s.most[full] = layers[full] - 1;
	}
	return false;
}
