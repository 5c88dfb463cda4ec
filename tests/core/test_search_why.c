/*
 * test_search_why.c - what is said of a search: why it finds nothing, and where a field stands in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"
#include "core/estimate/result.h"
#include "core/search/search_make.h"
#include "core/search/search_split.h"
#include "core/search/search_why.h"
#include "settings.h"

static struct search_space *space;

static void
make(const char *settings, const struct wishes *w)
{
	const struct plan p = settings_plan("", settings);
	char err[256];

	if (!space_make(space, &p, NULL, w, err, sizeof err))
		fail_msg("%s", err);
}

static const char *
obstacle(const char *settings, enum field_id a, const char *values, enum field_id b, const char *others)
{
	static char text[512];

	make(settings, &(struct wishes){ b == FIELD_NONE ? 1 : 2, { { a, values, true }, { b, others, true } } });
	search_obstacle(space, text, sizeof text);
	return text;
}

/* An error of what is not searched is told, with what mends it; warnings are none, and what the search tries
 * itself is no way out. */
TEST(obstacles)
{
	const char *text;

	assert_string_equal(obstacle("layers=32 attention_heads=32 kv_heads=8", FIELD_TP, "1,2", FIELD_NONE, NULL), "");
	text = obstacle("layers=32 pp=5", FIELD_TP, "1,2", FIELD_NONE, NULL);
	assert_non_null(strstr(text, "layers"));
	assert_non_null(strstr(text, "(fix: parallel.pp="));
	text = obstacle("layers=32", FIELD_PP, "5", FIELD_NONE, NULL);
	assert_true(text[0] != '\0' && strstr(text, "(fix:") == NULL);
	/* TP's error comes first in order, and is searched; PP's is not */
	text = obstacle("layers=32 pp=5 attention_heads=32", FIELD_TP, "3", FIELD_NONE, NULL);
	assert_non_null(strstr(text, "(fix: parallel.pp="));
}

/* Splits stand for the five fields that they set, and for no other. */
TEST(places)
{
	int found = 0, splits;

	make("layers=32 pp=4", &(struct wishes){ 2, { { FIELD_TP, "1,2", true },
	    { FIELD_PIPELINE_LAYOUT, NULL, true } } });
	splits = space_place(space, FIELD_PIPELINE_LAYOUT);
	assert_true(splits >= 0 && space->field[splits].splits);
	for (int f = 0; f < FIELD_COUNT; f++) {
		const int at = space_place(space, (enum field_id)f);

		found += at == splits;
		assert_true(at == splits || (f == FIELD_TP ? at == 1 - splits : at < 0));
		assert_true(split_is_field((enum field_id)f) == (at == splits));
	}
	assert_int_equal(found, SPLIT_FIELDS);
}

/* Of too many free fields those go that nobody asked for: copies of state first, what makes room last. */
TEST(given_up)
{
	const struct plan p = settings_plan("", "nodes=2");
	struct wishes w;
	int left, room = 0, overlap = 0;

	wishes_usual(&w, &p);
	assert_true(wishes_find(&w, FIELD_DP_REPLICATE) < w.count && wishes_find(&w, FIELD_OFFLOAD) < w.count);
	assert_true(wishes_find(&w, FIELD_TP) < w.count && wishes_find(&w, FIELD_CUDA_GRAPH) < w.count);
	w.item[wishes_find(&w, FIELD_CUDA_GRAPH)].asked = true;
	left = w.count;
	for (int i = 0; wishes_give_up(&w); i++) {
		assert_int_equal(w.count, --left);
		if (i == 0)
			assert_true(wishes_find(&w, FIELD_DP_REPLICATE) == w.count);
		room += wishes_find(&w, FIELD_OFFLOAD) < w.count;
		overlap += wishes_find(&w, FIELD_OVERLAP_GRAD_REDUCE) < w.count;
	}
	assert_true(room > overlap);
	assert_true(wishes_find(&w, FIELD_OFFLOAD) == w.count && wishes_find(&w, FIELD_TP) < w.count);
	assert_true(wishes_find(&w, FIELD_CUDA_GRAPH) < w.count);
}

/* A number by its name, by its path and by the end of its path; another word is refused with the nearest. */
TEST(targets)
{
	const struct plan p = settings_plan("", "");
	struct search_target t;
	char err[256];

	assert_true(target_find(&t, "parallel.tp", &p, err, sizeof err));
	assert_true(t.kind == TARGET_FIELD && t.id == FIELD_TP);
	assert_true(target_find(&t, "tp", &p, err, sizeof err));
	assert_true(t.kind == TARGET_FIELD && t.id == FIELD_TP);
	assert_true(target_find(&t, "step.seconds", &p, err, sizeof err));
	assert_true(t.kind == TARGET_RESULT);
	assert_false(target_find(&t, "step.second", &p, err, sizeof err));
	assert_non_null(strstr(err, "(did you mean step.seconds?)"));
	assert_false(target_find(&t, "model.preset", &p, err, sizeof err));
	assert_non_null(strstr(err, "model.preset is no number"));
	assert_false(target_find(&t, "stages.stage", &p, err, sizeof err)); /* the number of a row */
	assert_non_null(strstr(err, "stages.stage is no number of a plan"));
	assert_false(target_find(&t, "communication.collective", &p, err, sizeof err));
}

/* Two numbers that round to the same are told by what is between them, and equal ones not at all. */
TEST(close_values)
{
	struct plan p = settings_plan("", "mode=serve parallel.layout=vllm nodes=1 gpus_per_node=1 tp=1 pp=1 memory_gib=80 "
	    "layers=12 hidden_size=2048 ffn_hidden_size=8192 attention_heads=16 kv_heads=4 vocab_size=32000"), q = p;
	struct estimate *e = calloc(2, sizeof *e);
	struct search_target t;
	char err[256], text[256], between[64];

	assert_non_null(e);
	assert_true(target_find(&t, "serving.kv_tokens", &p, err, sizeof err));
	q.cluster.memory_gib += 0.02;
	estimate_run(&e[0], &p, NULL, NULL);
	estimate_run(&e[1], &q, NULL, NULL);
	assert_true(e[0].serve.kv_tokens < e[1].serve.kv_tokens);
	search_why(&t, &p, &e[0], &q, &e[1], text, sizeof text);
	assert_null(strstr(text, "instead of"));
	units_short(between, sizeof between, result_table[t.id].measure, e[1].serve.kv_tokens - e[0].serve.kv_tokens);
	assert_non_null(strstr(text, TEXT_OF(96, "%s less serving.kv_tokens", between)));
	search_why(&t, &q, &e[1], &p, &e[0], text, sizeof text);
	assert_non_null(strstr(text, " more serving.kv_tokens"));
	assert_int_equal(search_why(&t, &p, &e[0], &p, &e[0], text, sizeof text), 0);
	free(e);
}

/* GPU hours of a run bound its step: of a billion tokens without a budget, whatever its batches are to be. */
TEST(hours_of_a_step)
{
	static const struct {
		const char *settings;
		double steps;
	} of[] = { { "", 1e9 / (8 * 1000.) }, { "training.token_budget=4", 4e9 / (8 * 1000.) },
		{ "run.batch_schedule=1000x4k@1B", 1e9 / (8 * 1000.) },
		{ "run.batch_schedule=1000x4k@1B training.token_budget=4", 3e9 / (8 * 1000.) } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct plan p = settings_plan("nodes=2 gpus_per_node=8 global_batch_size=8 sequence_length=1000",
		    of[i].settings);
		struct search_target t;
		char err[256];

		assert_true(target_find(&t, "gpu-hours", &p, err, sizeof err));
		assert_true(fabs(target_step_seconds(&t, &p, 10, 0) * of[i].steps * 16 / 3600 / 10 - 1) < 1e-9);
	}
}

/* Where plans have more and fewer GPUs, parts of a step are told of all of them together if what ranks the plans
 * counts what each GPU does or what all of them cost, and of one where it counts the step. */
TEST(of_all_gpus)
{
	static const struct { const char *name; bool all; } of[] = { { "step.mfu", true }, { "step.mfu_full", true },
		{ "step.hfu", true }, { "step.model_tflops_per_gpu", true }, { "step.tokens_per_second_per_gpu", true },
		{ "gpu-hours", true }, { "cost", true }, { "run.gpu_hours", true }, { "run.cost", true }, { "run.mwh", true },
		{ "run.joules_per_token", true }, { "run.co2_tonnes", true }, { "step.seconds", false }, { "step.tokens_per_second", false } };
	static struct estimate a = { .timed = true, .legal = true, .world = 16,
		.step = { .seconds = 3, .compute_seconds = 3 } }, b = { .timed = true, .legal = true, .world = 32,
		.step = { .seconds = 2, .compute_seconds = 2 } };
	struct plan p, q;

	plan_builtin(&p);
	q = p;
	settings_put(&q, "cluster.nodes", "4");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct search_target t;
		char text[256], err[256] = "";

		if (!target_find(&t, of[i].name, &p, err, sizeof err))
			fail_msg("%s: %s", of[i].name, err);
		a.step.mfu = a.step.mfu_full = a.step.hfu = .5;
		b.step.mfu = b.step.mfu_full = b.step.hfu = .4;
		a.step.model_tflops_per_gpu = a.step.tokens_per_second_per_gpu = a.step.tokens_per_second = 5;
		a.run.gpu_hours = a.run.cost = a.run.mwh = a.run.joules_per_token = a.run.co2_tonnes = 5;
		search_why(&t, &p, &a, &q, &b, text, sizeof text);
		if ((strstr(text, "of all GPUs together 16.0 s less compute") != NULL) != of[i].all ||
		    (strstr(text, " 1.00 s more compute") != NULL) == of[i].all)
			fail_msg("%s: %s", of[i].name, text);
	}
}

int
main(void)
{
	int failed;

	space = calloc(1, sizeof *space);
	if (space == NULL)
		return 1;
	failed = unit_run(NULL, NULL);
	free(space);
	return failed;
}
