/*
 * Values of vLLM's production stack and objects of its operator (vllm-project/production-stack
 * helm/templates/deployment-vllm-multi.yaml, operator/api/v1alpha1/vllmruntime_types.go), and Ray Serve's LLMConfig
 * (ray-project/ray python/ray/llm/_internal/serve/core/configs/llm_config.py).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/plan.h"
#include "file/base/quote.h"
#include "file/import/served.h"
#include "file/log/jsonin.h"

/* Paths joined by |, of which the first counts that is there; of settings all. */
static const struct form {
	const char *mark, *model, *settings, *more, *copies, *gpu;
} forms[] = {
	{ "modelURL", "modelURL", "vllmConfig", "vllmConfig.extraArgs", "replicaCount", NULL },
	{ "model.modelURL", "model.modelURL", "model|vllmConfig", "vllmConfig.extraArgs", "deploymentConfig.replicas|replicas",
	    NULL },
	{ "model_loading_config", "model_loading_config.model_source|model_loading_config.model_id", "engine_kwargs", NULL,
	    "deployment_config.num_replicas|deployment_config.autoscaling_config.min_replicas", "accelerator_type" },
};

static const json_t *
first_of(const json_t *object, const char *paths)
{
	const json_t *found = NULL;
	char path[96];

	for (int64_t i = 0; found == NULL && paths != NULL && text_choice(paths, i, path, sizeof path); i++)
		found = jsonin_at(object, path);
	return json_is_null(found) ? NULL : found;
}

int64_t
served_number(const json_t *v)
{
	int64_t n = json_integer_value(v);

	if (json_is_string(v) && !text_to_int(json_string_value(v), &n))
		n = 0;
	return n > 0 && n <= PLAN_WORLD_MAX ? n : 0;
}

const char *
served_checkpoint(const char *uri)
{
	return strncmp(uri, "hf://", 5) == 0 ? uri + 5 : uri;
}

void
served_word(struct textbuf *out, const char *text)
{
	quote_shell(out, text != NULL ? text : "");
	textbuf_add(out, " ");
}

/* "tensorParallelSize" and "tensor_parallel_size" as the flag; what is false is not put. */
static void
put_option(struct textbuf *out, const char *key, const json_t *value)
{
	char *dumped = NULL;

	if (json_is_null(value) || json_is_false(value) || key[strspn(key,
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
		return;
	textbuf_add(out, "--");
	for (const char *c = key; *c != '\0'; c++) {
		if (isupper((unsigned char)*c))
			textbuf_add(out, "-");
		textbuf_add(out, "%c", *c == '_' ? '-' : tolower((unsigned char)*c));
	}
	textbuf_add(out, " ");
	if (json_is_true(value))
		return;
	if (!json_is_string(value))
		dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
	served_word(out, dumped != NULL ? dumped : json_string_value(value));
	free(dumped);
}

bool
served_command(struct textbuf *out, const json_t *object, struct served *s)
{
	const char *model = NULL, *key;
	const struct form *f = forms;
	char path[96];
	json_t *value;
	size_t i;

	while (f < forms + sizeof forms / sizeof *forms && (jsonin_at(object, f->mark) == NULL ||
	    (model = json_string_value(first_of(object, f->model))) == NULL))
		f++;
	if (model == NULL)
		return false;
	s->copies = served_number(first_of(object, f->copies));
	s->gpu = json_string_value(first_of(object, f->gpu));
	textbuf_add(out, "vllm serve ");
	served_word(out, served_checkpoint(model));
	for (int64_t k = 0; text_choice(f->settings, k, path, sizeof path); k++)
		json_object_foreach((json_t *)(uintptr_t)jsonin_at(object, path), key, value)
			if (!text_equal(key, "extraArgs") && !text_equal(key, "env") && !text_equal(key, "modelURL"))
				put_option(out, key, value);
	json_array_foreach(f->more != NULL ? jsonin_at(object, f->more) : NULL, i, value)
		served_word(out, json_string_value(value));
	value = (json_t *)(uintptr_t)jsonin_at(object, "lmcacheConfig.kvRole");
	if (json_is_true(jsonin_at(object, "lmcacheConfig.enablePD")) && text_equal(json_is_string(value) ?
	    json_string_value(value) : "", "kv_producer"))
		textbuf_add(out, "--kv-transfer-config '{\"kv_role\":\"kv_producer\"}'");
	textbuf_add(out, "\n");
	return true;
}
