/*
 * test_gpu_types.c - GPUs of several types in one job: who waits for whom, whose memory counts, what they
 * cost; and layers by what stages take for them, held against all splits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/framework/gpu_types.h"
#include "core/plan/nodes.h"
#include "core/run/speeds.h"
#include "core/train/step_stages.h"
#include "settings.h"

#define FAST "generation=hopper fabric=nvlink4 memory_gib=79.19 hbm_gbps=3350 bf16_tflops=989 nvlink_gbps=450 " \
	"pcie_gbps=64 tdp_watts=700 gpu_hour_price=2 "
#define SLOW "generation=ampere fabric=nvlink3 memory_gib=4 hbm_gbps=1555 bf16_tflops=312 nvlink_gbps=300 " \
	"pcie_gbps=32 tdp_watts=400 gpu_hour_price=1 "
#define JOB "nodes=4 tp=8 pp=4 global_batch_size=64 layers=12 hidden_size=4096 ffn_hidden_size=16384 attention_heads=32 " \
	"training.token_budget=10 "

static struct estimate storage, *const estimate = &storage;

static double
step_of(const char *base, const char *settings)
{
	const struct plan p = settings_plan(base, settings);

	estimate_run(estimate, &p, defaults_catalog(), NULL);
	if (!estimate->legal)
		fail_msg("%s: %s", settings, estimate->diags.item[0].message);
	return estimate->step.seconds;
}

static void
lies_between(double is, double least, double most)
{
	if (!(is > least && is < most))
		fail_msg("%.10g is not between %.10g and %.10g", is, least, most);
}

/* A stage on slow GPUs makes all wait, in the bubble alone fast ones help; and it is the same whoever is said
 * to be the other type. */
TEST(the_slowest_sets_the_pace)
{
	const double fast = step_of(FAST JOB, ""), slow = step_of(SLOW JOB, "");
	const double one = step_of(FAST JOB, "other_gpus=2=slow-4gb"), three = step_of(FAST JOB, "other_gpus=1-3=slow-4gb");
	double alone;

	lies_between(three, one, slow);
	lies_between(one, 1.1 * fast, slow);
	assert_int_equal(estimate->stage[0].layers, 3);
	/* Data parallel ranks of a stage on both: as slow as slow ones alone, but for links that are not theirs. */
	assert_false(diag_has(&estimate->diags, "gpu_types_wait"));
	alone = step_of(SLOW JOB, "pp=1");
	lies_between(step_of(FAST JOB, "pp=1 other_gpus=3=slow-4gb"), 0.97 * alone, 1.0001 * alone);
	assert_true(diag_has(&estimate->diags, "gpu_types_wait"));
}

static void
chunks_of(const char *settings, struct chunk_time *time)
{
	const struct plan p = settings_plan(FAST JOB, settings);

	estimate_run(estimate, &p, defaults_catalog(), NULL);
	assert_true(steptime_chunks(&p, &estimate->layout, &estimate->placement, time));
}

/* The stages of slow nodes are slow, and those of no other. */
TEST(slowness)
{
	const struct plan p = settings_plan(FAST JOB, "slow_nodes=1*0.8,3*0.5");
	static const double want[] = { 1, .8, 1, .5 };
	double factor[STAGE_CHUNKS_MAX];
	struct layout l;

	assert_true(layout_init(&l, &p, NULL));
	assert_true(step_stages_slowness(factor, &p, &l));
	for (int i = 0; i < 4; i++)
		assert_true(fabs(factor[i] - want[i]) < 1e-12);
}

/* What is between two types goes at the pace of the slower of both, whichever is the other. */
TEST(links_between)
{
	static struct plan room;
	const struct plan same = settings_plan(FAST JOB, ""), p = settings_plan(FAST JOB, "other_gpus=2=slow-4gb"),
	    q = settings_plan(SLOW JOB, "other_gpus=2=slow-4gb");

	assert_ptr_equal(gpu_types_links(&same, &room), &same);
	assert_true(fabs(gpu_types_links(&p, &room)->cluster.nvlink_gbps - 300) < 1e-9);
	assert_true(fabs(gpu_types_links(&p, &room)->cluster.pcie_gbps - 32) < 1e-9);
	assert_true(fabs(gpu_types_links(&q, &room)->cluster.nvlink_gbps - 300) < 1e-9);
}

/* A pipeline is drawn of the passes of each stage's own GPUs: a layer takes longer on the slow ones alone. */
TEST(each_stage_has_its_passes)
{
	static struct chunk_time fast[4], mixed[4];

	chunks_of("", fast);
	chunks_of("other_gpus=2=slow-4gb", mixed);
	for (int i = 0; i < 4; i++)
		lies_between(mixed[i].forward / fast[i].forward, i == 2 ? 1.5 : 0.999, i == 2 ? 4 : 1.001);
}

/* Each stage has the memory of its own GPUs. */
TEST(each_stage_has_its_memory)
{
	const char *big = "layers=48 ";
	char settings[256];

	snprintf(settings, sizeof settings, "%sother_gpus=2=slow-4gb", big);
	step_of(FAST JOB, settings);
	assert_false(estimate->fits);
	assert_int_equal(estimate->peak_stage, 2);
	assert_true(estimate->capacity < 5e9);
	assert_true(estimate->stage[0].memory.total > estimate->peak_total); /* and it has room */
	step_of(FAST JOB, big);
	assert_true(estimate->fits);
	assert_int_equal(estimate->peak_stage, 0);
}

TEST(prices_and_power_are_means)
{
	const struct plan p = settings_plan(FAST JOB, "other_gpus=3=slow-4gb");

	assert_true(fabs(gpu_types_mean(&p, FIELD_GPU_HOUR_PRICE) - 1.75) < 1e-12);
	assert_true(fabs(gpu_types_mean(&p, FIELD_TDP_WATTS) - 625) < 1e-9);
	assert_string_equal(nodes_gpu(&p, 3), "slow-4gb");
	assert_string_equal(nodes_gpu(&p, 2), p.cluster.gpu);
}

/* ---- layers by speed ---------------------------------------------------------------------- */

static struct speeds speeds;

static double
step_with(const int layers[])
{
	double most = 0, sum = 0;

	for (int i = 0, a = 0; i < speeds.stages; a += layers[i], i++) {
		const double cost = speeds.before[i][a + layers[i]] - speeds.before[i][a] + speeds.end[i];

		if (layers[i] > speeds.most[i])
			return INFINITY;
		most = fmax(most, cost);
		sum += cost;
	}
	return speeds.rest * most + sum;
}

/* All ways to share what is left among the stages from `stage` on. */
static double
least_of_all(int layers[], int stage, int left)
{
	double best = INFINITY;

	if (stage == speeds.stages - 1) {
		layers[stage] = left;
		return step_with(layers);
	}
	for (layers[stage] = 1; layers[stage] <= left - (speeds.stages - 1 - stage); layers[stage]++) {
		const int here = layers[stage];

		best = fmin(best, least_of_all(layers, stage + 1, left - here));
		layers[stage] = here;
	}
	return best;
}

static double
drawn(void)
{
	return 0.1 + (double)(rand() % 1000) / 100;
}

TEST(splits_are_the_best)
{
	int refused = 0;

	srand(7);
	for (int trial = 0; trial < 400; trial++) {
		int layers[SPEEDS_STAGES], all[SPEEDS_STAGES];
		double best;
		bool found;

		speeds.stages = 2 + rand() % 4;
		speeds.layers = speeds.stages + rand() % 8;
		speeds.rest = rand() % 6;
		for (int i = 0; i < speeds.stages; i++) {
			const double speed = drawn();

			speeds.end[i] = rand() % 2 * drawn();
			speeds.most[i] = rand() % 3 == 0 ? 1 + rand() % 4 : speeds.layers;
			for (int b = 0; b < speeds.layers; b++)
				speeds.before[i][b + 1] = speeds.before[i][b] + (rand() % 3 == 0 ? drawn() : speed);
		}
		best = least_of_all(all, 0, speeds.layers);
		found = speeds_split(&speeds, layers);
		refused += !found;
		assert_int_equal(found, !isinf(best));
		if (found && fabs(step_with(layers) - best) > 1e-9 * best)
			fail_msg("trial %d: %.12g, not %.12g", trial, step_with(layers), best);
	}
	assert_true(refused > 0 && refused < 200);
}

/* The hint's layout is the faster plan that it says, and has the memory of each stage in mind. */
TEST(the_hint_holds)
{
	const char *settings = "layers=24 other_gpus=2-3=slow-4gb";
	const double even = step_of(FAST JOB, settings);
	const struct diag *d = NULL;
	struct plan p = settings_plan(FAST JOB, settings);
	double then;

	for (size_t i = 0; i < estimate->diags.count; i++)
		if (strcmp(estimate->diags.item[i].reason, "layers_by_speed") == 0)
			d = &estimate->diags.item[i];
	assert_non_null(d);
	settings_put(&p, "pipeline_layout", d->fix_value);
	estimate_run(estimate, &p, defaults_catalog(), NULL);
	then = estimate->step.seconds;
	assert_true(then < 0.8 * even);
	assert_true(estimate->fits && !estimate->tight);
	assert_true(estimate->stage[3].layers < 6 && estimate->stage[0].layers > 6);
	step_of(FAST JOB, "layers=24 slow_nodes=2*0.5");
	assert_true(diag_has(&estimate->diags, "layers_by_speed"));
	step_of(FAST JOB, "layers=24");
	assert_false(diag_has(&estimate->diags, "layers_by_speed"));
}

/* Neighbours of a plan that is refused are looked at by a scope, in which nothing was laid out before. */
TEST(a_scope_lays_out)
{
	static const struct enough all = { { INFINITY, INFINITY }, INFINITY };
	const struct plan bad = settings_plan(FAST JOB, "other_gpus=2-3=slow-4gb tp=3");
	const struct plan p = settings_plan(FAST JOB, "other_gpus=2-3=slow-4gb layers=24");
	struct scope *scope = malloc(sizeof *scope);
	double peak;

	assert_non_null(scope);
	estimate_run(estimate, &p, defaults_catalog(), NULL);
	peak = estimate->peak_total;
	memset(scope, 0xff, sizeof *scope);
	scope_init(scope, defaults_catalog());
	assert_int_equal(estimate_peak(estimate, scope, &bad, &all), VERDICT_ILLEGAL);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(estimate_peak(estimate, scope, &p, &all), VERDICT_ESTIMATED);
		assert_true(estimate->peak_total == peak);
	}
	free(scope);
}

/* A list of names is as long as a plan has room for, and no longer. */
TEST(longest_list)
{
	for (size_t more = 0; more <= 1; more++) {
		static struct node_names names;
		char name[NODE_NAME_SIZE] = "";
		size_t length = 0;

		names = (struct node_names){ .begun = false };
		for (size_t n; length < PLAN_NODES_SIZE - 1 + more; length += n + (length > 0)) {
			const size_t room = PLAN_NODES_SIZE - 1 + more - length - (length > 0);

			n = room > 40 ? 20 : room;
			memset(name, 'a', n);
			name[n] = '\0';
			nodes_add_name(&names, name);
		}
		assert_int_equal(length, PLAN_NODES_SIZE - 1 + more);
		if (more == 0)
			assert_int_equal(strlen(nodes_list(&names)), length);
		else
			assert_null(nodes_list(&names));
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
