/*
 * Tables of InferenceX's benchmarks: an entry a model on a kind of GPU and an engine, each with lengths of requests and
 * a list of splits (SemiAnalysisAI/InferenceX configs/nvidia-master.yaml, amd-master.yaml, 2026-08).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/machines/machines.h"
#include "file/models/checkpoint.h"
#include "file/notation/yamlin.h"

static const char *
text_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static int64_t
number_at(const json_t *object, const char *key, int64_t absent)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : absent;
}

/* ---- which of them ---------------------------------------------------------------------------- */

/* The entry that the user names, or the only one; NULL after a complaint with the names of some. */
static const json_t *
find_entry(struct import *im, const json_t *root)
{
	const json_t *entry = im->part != NULL ? json_object_get(root, im->part) : NULL;
	char names[256] = "";
	const char *key;
	json_t *v;

	if (entry != NULL)
		return entry;
	if (im->part == NULL && json_object_size(root) == 1)
		return json_object_iter_value(json_object_iter((json_t *)(uintptr_t)root));
	json_object_foreach((json_t *)(uintptr_t)root, key, v)
		if (strlen(names) + strlen(key) + 3 < sizeof names)
			text_add(names, sizeof names, "%s%s", names[0] != '\0' ? ", " : "", key);
	import_error(im, "", "%s (fix: --part with one of %s, ...)", im->part != NULL ? "there is no such entry in it" :
	    "has several entries", names);
	return NULL;
}

/* The first lengths of requests of an entry; others are told. */
static const json_t *
first_scenario(struct import *im, const json_t *entry)
{
	const json_t *scenarios = json_object_get(entry, "scenarios");
	const json_t *list = json_object_get(scenarios, "fixed-seq-len");

	list = list != NULL ? list : json_object_iter_value(json_object_iter((json_t *)(uintptr_t)scenarios));
	if (json_array_size(list) > 1)
		import_ignore(im, "scenarios", "the first lengths of requests are taken");
	return json_array_get(list, 0);
}

/* ---- what it says ----------------------------------------------------------------------------- */

static void
take_load(struct import *im, const json_t *scenario, const json_t *point)
{
	const json_t *list = json_object_get(point, "conc-list");
	const int64_t isl = number_at(scenario, "isl", 0), osl = number_at(scenario, "osl", 0);
	const int64_t conc = list != NULL ? json_integer_value(json_array_get(list, 0)) : number_at(point, "conc-start", 0);

	if (isl > 0)
		import_set_int(im, FIELD_PROMPT_TOKENS, isl, "isl");
	if (osl > 0)
		import_set_int(im, FIELD_GENERATE_TOKENS, osl, "osl");
	if (isl + osl > 0)
		import_assume_int(im, FIELD_CONTEXT_LENGTH, isl + osl, "prompt and answer");
	if (conc > 0)
		import_set_int(im, FIELD_CONCURRENCY, conc, list != NULL ? "conc-list" : "conc-start");
	if (json_array_size(list) > 1 || number_at(point, "conc-end", conc) != conc)
		import_ignore(im, list != NULL ? "conc-list" : "conc-end", "the first load is taken");
}

/* MXFP4 is what AMD's GPUs compute in, NVFP4 NVIDIA's; what the checkpoint's name says goes before. */
static void
take_format(struct import *im, const char *precision, const char *runner)
{
	if (field_is_set(FIELD_WEIGHT_DTYPE, im->plan) || precision[0] == '\0')
		return;
	import_set(im, FIELD_WEIGHT_DTYPE, !text_equal(precision, "fp4") ? precision : strncmp(runner, "mi", 2) == 0 ? "mxfp4" :
	    "nvfp4", "precision");
}

/* One engine of a pool, with its GPUs; pools of pipelines count them as TP. */
static int64_t
engine_gpus(const json_t *pool)
{
	return product_of(most_of(number_at(pool, "tp", 1), 1), most_of(number_at(pool, "pp", 1), 1));
}

static void
take_split(struct import *im, const json_t *point)
{
	const json_t *prefill = json_object_get(point, "prefill"), *decode = json_object_get(point, "decode");
	const int64_t decoders = number_at(decode, "num-worker", 0);
	const json_t *engine = decode == NULL ? point : decoders > 0 ? decode : prefill;
	const int64_t engines = decode == NULL ? 1 : decoders > 0 ? decoders : most_of(number_at(prefill, "num-worker", 1), 1);
	const int64_t fills = decoders > 0 ? number_at(prefill, "num-worker", 0) : 0;
	int64_t world = product_of(engines, engine_gpus(engine));

	import_set_int(im, FIELD_TP, number_at(engine, "tp", 1), "tp");
	import_set_int(im, FIELD_PP, number_at(engine, "pp", 1), "pp");
	if (number_at(engine, "ep", 1) > 1)
		import_set_int(im, FIELD_EP, number_at(engine, "ep", 1), "ep");
	if (json_is_true(json_object_get(engine, "dp-attn")))
		import_set(im, FIELD_DP_ATTENTION, "true", "dp-attn");
	if (engines > 1)
		import_set_int(im, FIELD_REPLICAS, engines, "num-worker");
	if (fills > 0) {
		import_set(im, FIELD_PREFILL_WORKERS, TEXT_OF(48, "%lldx%s%lld", (long long)fills,
		    json_is_true(json_object_get(prefill, "dp-attn")) ? "dp" : "tp", (long long)engine_gpus(prefill)),
		    "prefill");
		world += product_of(fills, engine_gpus(prefill));
	}
	import_machine(im, im->world > 0 ? im->world : world, 0, 0, im->world > 0 ? "--world" : "tp");
	if (text_at(point, "spec-decoding")[0] != '\0' && !text_equal(text_at(point, "spec-decoding"), "none"))
		import_ignore(im, "spec-decoding", "how many tokens are drafted stands elsewhere (serving.draft_tokens)");
}

static void
take_entry(struct import *im, const json_t *entry)
{
	static const struct {
		const char *part, *engine;
	} engines[] = { { "sglang", "sglang" }, { "vllm", "vllm" }, { "trt", "trtllm" } };
	const char *framework = text_at(entry, "framework"), *runner = text_at(entry, "runner"), *engine = NULL;
	const json_t *scenario = first_scenario(im, entry), *points = json_object_get(scenario, "search-space");

	for (size_t i = 0; i < sizeof engines / sizeof *engines && engine == NULL; i++)
		engine = strstr(framework, engines[i].part) != NULL ? engines[i].engine : NULL;
	if (engine == NULL || json_array_size(points) == 0) {
		import_error(im, engine == NULL ? "framework" : "search-space", "is no split of vLLM, SGLang or TensorRT-LLM");
		return;
	}
	runner += strncmp(runner, "cluster:", 8) == 0 ? 8 : 0;
	import_fill(im, FIELD_MODE, "serve");
	import_set(im, FIELD_ENGINE, engine, "framework");
	import_checkpoint(im, text_at(entry, "model"), "model");
	machines_gpu(im, TEXT_OF(24, "%.*s", (int)strcspn(runner, "-"), runner), "runner");
	take_format(im, text_at(entry, "precision"), runner);
	take_split(im, json_array_get(points, 0));
	take_load(im, scenario, json_array_get(points, 0));
	if (json_array_size(points) > 1)
		notes_add(&im->ignored, "search-space: the first of %zu splits is taken", json_array_size(points));
}

void
inferencex_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const json_t *entry = find_entry(im, j.root);

		if (entry != NULL)
			take_entry(im, entry);
	}
	jsonin_free(&j);
}
