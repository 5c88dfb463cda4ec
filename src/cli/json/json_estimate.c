/* `estimate --json`: names are fixed, scripts rely on them. */
#include "cli/report/report.h"

static void
put_stages(struct jsonout *j, const struct estimate *e, int64_t only)
{
	static const enum result_id head[] = {
		RESULT_STAGE, RESULT_LAYERS, RESULT_IN_FLIGHT, RESULT_PARAMS_GPU
	};

	jsonout_list(j, "stages");
	for (int64_t i = 0; i < e->stages; i++) {
		if (only >= 0 && i != only)
			continue;
		jsonout_object(j, NULL);
		for (size_t k = 0; k < sizeof head / sizeof *head; k++)
			json_result(j, NULL, head[k], e, i);
		json_memory(j, e, i);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_communication(struct jsonout *j, const struct traffic *t)
{
	jsonout_list(j, "communication");
	for (size_t i = 0; i < t->count; i++)
		json_flow(j, &t->row[i]);
	jsonout_close(j);
}

/* Times by requests at once or a second, under the names that they have for the plan's own. */
static void
put_point(struct jsonout *j, const struct serve_point *at)
{
	jsonout_object_row(j, NULL);
	if (at->rate > 0) {
		jsonout_real(j, "rate", at->rate);
		if (at->load > 0) /* engines with room for none take no rate */
			jsonout_real(j, "load", at->load);
	} else {
		jsonout_int(j, "concurrency", at->concurrency);
	}
	if (at->ttft_seconds > 0) /* else the rate is not taken */
		jsonout_real(j, at->rate > 0 ? "ttft_p50" : "ttft_seconds", at->ttft_seconds);
	if (at->tpot_seconds > 0) /* there are further tokens */
		jsonout_real(j, at->rate > 0 ? "tpot_p50" : "tpot_seconds", at->tpot_seconds);
	if (at->ttft_within > 0) {
		jsonout_real(j, "ttft_within", at->ttft_within);
		jsonout_real(j, "tpot_within", at->tpot_within);
		jsonout_real(j, "in_flight", at->in_flight);
	}
	jsonout_real(j, "tokens_per_second_per_gpu", at->tokens_per_second_per_gpu);
	if (at->tpot_seconds > 0)
		jsonout_real(j, "tokens_per_second_per_user", at->tokens_per_second_per_user);
	jsonout_close(j);
}

static void
put_curve(struct jsonout *j, const struct estimate *e)
{
	jsonout_list(j, "curve");
	for (size_t i = 0; i < e->points; i++)
		put_point(j, &e->curve[i]);
	jsonout_close(j);
}

/* The results from first to last, on one line. */
static void
put_row(struct jsonout *j, const char *key, enum result_id first, enum result_id last,
    const struct estimate *e)
{
	jsonout_object_row(j, key);
	json_results(j, first, last, e, e->peak_stage);
	jsonout_close(j);
}

void
json_estimate(const struct session *s, const struct estimate *e, int64_t only)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_text(&j, "plan", s->plan.name);
	jsonout_text(&j, "mode", s->plan.mode == MODE_SERVE ? "serve" : "train");
	json_results(&j, RESULT_LEGAL, RESULT_TIGHT, e, e->peak_stage);
	json_result(&j, NULL, RESULT_CAPACITY, e, e->peak_stage);
	put_row(&j, "parallel", RESULT_WORLD, RESULT_MICROBATCHES, e);
	put_row(&j, "params", RESULT_PARAMS_TOTAL, RESULT_PARAMS_GPU_MAX, e);
	put_row(&j, "peak", RESULT_PEAK_STAGE, RESULT_PEAK_HIGH, e);
	put_stages(&j, e, only);
	if (e->timed) {
		put_communication(&j, &e->traffic);
		jsonout_object(&j, "step");
		json_results(&j, RESULT_STEP, RESULT_RECOMPUTE, e, e->peak_stage);
		json_result(&j, NULL, RESULT_BUBBLE, e, e->peak_stage);
		json_results(&j, RESULT_EXPOSED, RESULT_OPTIMIZER_STEP, e, e->peak_stage);
		json_results(&j, RESULT_TFLOPS, RESULT_MODEL_FLOPS, e, e->peak_stage);
		jsonout_close(&j);
	}
	if (e->ran) {
		jsonout_object(&j, "run");
		json_results(&j, RESULT_NET_DAYS, RESULT_RESUME_EPOCH_STEP, e, e->peak_stage);
		jsonout_close(&j);
	}
	if (e->reinforced)
		json_rl(&j, e);
	if (e->served) {
		jsonout_object(&j, "serving");
		json_results(&j, RESULT_WEIGHTS, RESULT_SERVE_MEMORY, e, e->peak_stage);
		put_curve(&j, e);
		jsonout_close(&j);
	}
	jsonout_close(&j);
}
