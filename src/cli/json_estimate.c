/* `estimate --json`: names are fixed, scripts rely on them. */
#include "cli/report.h"
#include "core/estimate.h"

/* A size that is 0 where the plan has none. */
static void
put_size(struct jsonout *j, const char *key, int64_t n)
{
	if (n > 0)
		jsonout_int(j, key, n);
	else
		jsonout_null(j, key);
}

static void
put_params(struct jsonout *j, const char *key, bool known, double n)
{
	if (known)
		jsonout_count(j, key, n);
	else
		jsonout_null(j, key);
}

static void
put_head(struct jsonout *j, const struct plan *p, const struct estimate *e)
{
	jsonout_text(j, "plan", p->name);
	jsonout_text(j, "mode", p->mode == MODE_SERVE ? "serve" : "train");
	jsonout_bool(j, "legal", e->legal);
	json_fits(j, e);
	json_capacity(j, e);
	jsonout_object_row(j, "parallel");
	put_size(j, "world", e->world);
	put_size(j, "dp", e->dp);
	put_size(j, "edp", e->edp);
	put_size(j, "microbatches", e->microbatches);
	jsonout_close(j);
	jsonout_object_row(j, "params");
	put_params(j, "total", e->model_known, e->params.total);
	put_params(j, "active", e->model_known, e->params.active);
	put_params(j, "per_gpu_max", e->stages > 0, e->params_per_gpu_max);
	jsonout_close(j);
	jsonout_object_row(j, "peak");
	if (e->stages > 0) {
		jsonout_int(j, "stage", e->peak_stage);
		jsonout_bytes(j, "total", e->peak_total);
	} else {
		jsonout_null(j, "stage");
		jsonout_null(j, "total");
	}
	jsonout_close(j);
}

static void
put_stages(struct jsonout *j, const struct estimate *e, int64_t only)
{
	jsonout_list(j, "stages");
	for (int64_t i = 0; i < e->stages; i++) {
		const struct stage_estimate *s = &e->stage[i];

		if (only >= 0 && i != only)
			continue;
		jsonout_object(j, NULL);
		jsonout_int(j, "stage", i);
		jsonout_int(j, "layers", s->layers);
		jsonout_count(j, "in_flight", s->memory.in_flight);
		jsonout_count(j, "params", s->params);
		json_memory(j, &s->memory);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_communication(struct jsonout *j, const struct traffic *t)
{
	jsonout_list(j, "communication");
	for (size_t i = 0; i < t->count; i++) {
		const struct traffic_row *r = &t->row[i];

		jsonout_object_row(j, NULL);
		jsonout_text(j, "dim", traffic_dim_name(r->dim));
		jsonout_text(j, "collective", r->collective);
		jsonout_int(j, "group_size", r->span.size);
		jsonout_text(j, "span", span_name(r->span.kind));
		jsonout_count(j, "calls", r->calls);
		jsonout_bytes(j, "bytes", r->bytes);
		jsonout_real(j, "seconds", r->seconds);
		jsonout_real(j, "exposed_seconds", r->exposed_seconds);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_step(struct jsonout *j, const struct steptime *s)
{
	jsonout_object(j, "step");
	jsonout_real(j, "seconds", s->seconds);
	jsonout_real(j, "compute_seconds", s->compute_seconds);
	jsonout_real(j, "recompute_seconds", s->recompute_seconds);
	jsonout_real(j, "bubble_fraction", s->bubble_fraction);
	jsonout_real(j, "exposed_comm_seconds", s->exposed_comm_seconds);
	jsonout_real(j, "optimizer_seconds", s->optimizer_seconds);
	jsonout_real(j, "model_tflops_per_gpu", s->model_tflops_per_gpu);
	jsonout_real(j, "mfu", s->mfu);
	jsonout_real(j, "mfu_full", s->mfu_full);
	jsonout_real(j, "hfu", s->hfu);
	jsonout_real(j, "tokens_per_second", s->tokens_per_second);
	jsonout_real(j, "tokens_per_second_per_gpu", s->tokens_per_second_per_gpu);
	if (s->training_seconds > 0)
		jsonout_real(j, "training_seconds", s->training_seconds);
	jsonout_real(j, "efficiency_error", s->efficiency_error);
	jsonout_close(j);
}

static void
put_serving(struct jsonout *j, const struct serve *s)
{
	jsonout_object(j, "serving");
	jsonout_bytes(j, "weight_bytes", s->weight_bytes);
	jsonout_bytes(j, "non_torch_bytes", s->non_torch_bytes);
	jsonout_bytes(j, "activation_bytes", s->activation_bytes);
	jsonout_bytes(j, "graph_bytes", s->graph_bytes);
	jsonout_bytes(j, "kv_pool_bytes", s->kv_pool_bytes);
	jsonout_bytes(j, "kv_bytes_per_token", s->kv_bytes_per_token);
	jsonout_bytes(j, "state_bytes_per_request", s->state_bytes_per_request);
	jsonout_count(j, "kv_tokens", s->kv_tokens);
	jsonout_count(j, "kv_blocks", s->kv_blocks);
	jsonout_real(j, "max_concurrency", s->max_concurrency);
	jsonout_real(j, "ttft_seconds", s->ttft_seconds);
	jsonout_real(j, "tpot_seconds", s->tpot_seconds);
	jsonout_real(j, "tokens_per_second", s->tokens_per_second);
	jsonout_real(j, "tokens_per_second_per_gpu", s->tokens_per_second_per_gpu);
	jsonout_real(j, "transfer_seconds", s->transfer_seconds);
	jsonout_bool(j, "fits", s->fits);
	jsonout_close(j);
}

void
json_estimate(const struct session *s, const struct estimate *e, int64_t only)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	put_head(&j, &s->plan, e);
	put_stages(&j, e, only);
	if (e->timed) {
		put_communication(&j, &e->traffic);
		put_step(&j, &e->step);
	}
	if (e->served)
		put_serving(&j, &e->serve);
	jsonout_close(&j);
}
