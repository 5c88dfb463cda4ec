/* Recipes of srt-slurm: engines, their pools and the load of a benchmark (NVIDIA/srt-slurm docs/config-reference.md). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/engine.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/machines/machines.h"
#include "file/models/checkpoint.h"
#include "file/notation/yamlin.h"

/* The settings of a pool's engines as a file of their own. */
static struct jsonin
part_of(const struct jsonin *j, const char *engine, const char *pool)
{
	const json_t *backend = json_object_get(j->root, "backend");
	struct jsonin part;
	json_t *settings;

	settings = json_object_get(json_object_get(backend, TEXT_OF(32, "%s_config", engine)), pool);
	part = (struct jsonin){ .root = json_is_object(settings) ? json_deep_copy(settings) : json_object(), .texts = 1,
		.file = j->file, .text = j->text, .errors = j->errors };
	jsonin_watch(&part);
	return part;
}

/* The checkpoint has the first of these names that the catalogue knows; the path is often one of the site's. */
static void
take_model(struct import *im, const struct jsonin *j, const struct jsonin *part)
{
	const char *repo = jsonin_text(j, "identity.model.repo"), *served = jsonin_text(part, "served-model-name");
	const char *path = jsonin_text(j, "model.path");
	static const struct settings_key formats[] = {
		{ "model.precision", FIELD_WEIGHT_DTYPE, "bf16=bf16|fp16=fp16|fp8=fp8|fp4=nvfp4|nvfp4=nvfp4|mxfp4=mxfp4|int4=int4", NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	path = path != NULL && strncmp(path, "hf:", 3) == 0 ? path + 3 : path;
	if (!(repo != NULL && import_known(im, repo, "identity.model.repo")) &&
	    !(path != NULL && import_known(im, path, "model.path")) &&
	    !(served != NULL && import_known(im, served, "served-model-name")) && path != NULL)
		import_checkpoint(im, path, "model.path");
	settings_take(im, j, formats, "srt-slurm");
}

/* Requests of a benchmark: of several loads, in a list or joined by x, the first one. */
static void
take_load(struct import *im, const struct jsonin *j)
{
	static const char key[] = "benchmark.concurrencies";
	static const struct settings_key rows[] = {
		{ "benchmark.isl", FIELD_PROMPT_TOKENS, NULL, NULL },
		{ "benchmark.osl", FIELD_GENERATE_TOKENS, NULL, NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	const json_t *load = json_object_get(json_object_get(j->root, "benchmark"), "concurrencies");
	const json_t *first = json_is_array(load) ? json_array_get(load, 0) : load;
	const char *text = json_string_value(first);
	const int64_t n = text != NULL ? strtoll(text, NULL, 10) : json_integer_value(first);

	settings_take(im, j, rows, "srt-slurm");
	if (n <= 0)
		return;
	import_set_int(im, FIELD_CONCURRENCY, n, key);
	if (json_array_size(load) > 1 || (text != NULL && strchr(text, 'x') != NULL))
		import_ignore(im, key, "the first load is taken");
}

/* So many workers of a pool, 0: there is none. */
static int64_t
workers_of(const struct jsonin *j, const char *pool)
{
	return settings_number(j, TEXT_OF(48, "resources.%s_workers", pool), 0);
}

/* All pools on whole nodes where that goes. */
static void
take_machine(struct import *im, const struct jsonin *j, int64_t world)
{
	const int64_t gpus = settings_number(j, "resources.gpus_per_node", 0);
	const char *type = jsonin_text(j, "resources.gpu_type");

	if (type != NULL)
		machines_gpu(im, type, "resources.gpu_type");
	if (im->world > 0)
		world = im->world;
	import_machine(im, world, 0, gpus > 0 && world % gpus == 0 ? gpus : 0, im->world > 0 ? "--world" : "resources");
}

static void
take_pools(struct import *im, struct jsonin *j, const char *engine)
{
	const bool apart = workers_of(j, "decode") > 0;
	struct jsonin rest = part_of(j, engine, apart ? "decode" : "aggregated"), prefill = part_of(j, engine, "prefill");
	const int64_t workers = most_of(workers_of(j, apart ? "decode" : "agg"), 1), fills = workers_of(j, "prefill");
	char pool[48] = "";
	int64_t size, world;

	take_model(im, j, &rest);
	if (!engine_take(im, &rest, engine)) {
		import_error(im, "backend.type", "'%s' is no engine of a plan: vllm, sglang or trtllm", engine);
	} else {
		world = product_of(plan_world(im->plan), workers);
		size = engine_pool(&prefill, engine, fills, pool, sizeof pool);
		if (fills > 0)
			world = world + product_of(size, fills);
		if (workers > 1)
			import_set_int(im, FIELD_REPLICAS, workers, apart ? "resources.decode_workers" : "resources.agg_workers");
		if (pool[0] != '\0')
			import_set(im, FIELD_PREFILL_WORKERS, pool, "resources.prefill_workers");
		take_machine(im, j, world);
		settings_rest(im, &rest);
	}
	jsonin_free(&rest);
	jsonin_free(&prefill);
}

void
srt_slurm_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const char *engine = jsonin_text(&j, "backend.type");

		take_pools(im, &j, engine != NULL ? engine : "sglang");
		take_load(im, &j);
		import_ignore(im, "backend", "variables of its workers, and limits of a pool that fills caches, are no fields");
		json_object_del(j.root, "backend");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
