#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/log/jsonin.h"

bool
deepspeed_json_recognise(const char *text)
{
	static const char *const marks[] = { "\"zero_optimization\"", "\"train_micro_batch_size_per_gpu\"", "\"train_batch_size\"" };

	for (size_t i = 0; text[strspn(text, " \t\r\n")] == '{' && i < sizeof marks / sizeof *marks; i++)
		if (strstr(text, marks[i]) != NULL)
			return true;
	return false;
}

/* "auto" stands for what the Hugging Face trainer was started with. */
static bool
is_auto(struct import *im, const struct jsonin *j, const char *path)
{
	const char *text = jsonin_text(j, path);

	if (text == NULL || !text_equal(text, "auto"))
		return false;
	import_ignore(im, path, "auto: the trainer's arguments say");
	return true;
}

/* A whole number at a path; 0 when there is none. */
static int64_t
count_at(struct import *im, const struct jsonin *j, const char *path)
{
	int64_t n = 0;

	if (!is_auto(im, j, path))
		jsonin_int(j, path, 0, INT32_MAX, &n);
	return n;
}

static void
take_precision(struct import *im, const struct jsonin *j)
{
	const bool half = settings_on(j, "fp16.enabled"), brain = settings_on(j, "bf16.enabled") ||
	    settings_on(j, "bfloat16.enabled");

	if (half && brain)
		import_refuse(im, "bf16.enabled", "DeepSpeed takes fp16 or bf16, not both "
		    "(runtime/config.py)");
	else if (half)
		import_set(im, FIELD_PRECISION, "fp16", "fp16.enabled");
	else if (brain)
		import_set(im, FIELD_PRECISION, "bf16", "bf16.enabled");
	else if (!is_auto(im, j, "bf16.enabled") && !is_auto(im, j, "fp16.enabled"))
		import_assume(im, FIELD_PRECISION, "fp32", "neither fp16 nor bf16 is enabled");
}

/* Of layers that the model's code computes again (runtime/activation_checkpointing/
 * checkpointing.py). */
static void
take_away(struct import *im, const struct jsonin *j)
{
	if (settings_on(j, "activation_checkpointing.cpu_checkpointing"))
		import_assume(im, FIELD_RECOMPUTE, "full", "inputs of recomputed layers go to the host");
	settings_take_away(im, j, &deepspeed_away);
}

/*
 * The batch is that of one GPU x steps of accumulation x data parallel ranks; DeepSpeed
 * refuses what does not agree (runtime/config.py). Where no launch says how many
 * GPUs there are the batches tell it.
 */
static void
take_batches(struct import *im, const struct jsonin *j, int64_t world)
{
	const struct plan *p = im->plan;
	const int64_t batch = count_at(im, j, "train_batch_size");
	const int64_t micro = count_at(im, j, "train_micro_batch_size_per_gpu");
	const int64_t steps = count_at(im, j, "gradient_accumulation_steps");
	const int64_t split = most_of(product_of(product_of(p->parallel.tp, p->parallel.cp), p->parallel.pp), 1);
	const int64_t each = product_of(micro, steps);

	if (batch > 0 && each > 0 && world == 0 && batch % each == 0)
		world = product_of(batch / each, split);
	if (world > 0 && !field_is_set(FIELD_NODES, p) && !import_machine(im, world, 0, 0, im->world > 0 ?
	    "--world" : "train_batch_size"))
		return;
	if (world > 0 && world % split != 0)
		import_refuse(im, "--world", "%lld GPUs are not divisible by %lld, the GPUs that share a "
		    "model", (long long)world, (long long)split);
	else if (batch > 0 && each > 0 && batch != product_of(each, world > 0 ? world / split : 1))
		import_refuse(im, "train_batch_size", "%lld is not %lld a GPU x %lld steps x %lld data "
		    "parallel ranks (runtime/config.py)", (long long)batch, (long long)micro,
		    (long long)steps, (long long)(world > 0 ? world / split : 1));
	else if (batch == 0 && each > 0 && world == 0)
		import_error(im, "train_batch_size", "is not there, so the data parallel ranks are not "
		    "known (fix: --world)");
	else if (batch == 0 && each > 0)
		import_assume_int(im, FIELD_GLOBAL_BATCH_SIZE, product_of(each, world / split),
		    "a GPU's x steps x data parallel ranks");
}

/* MiCS shards within groups of so many of the ranks that ZeRO would shard over. */
static void
take_copies(struct import *im, const struct jsonin *j)
{
	static const char key[] = "zero_optimization.mics_shard_size";
	const int64_t ranks = plan_world(im->plan) / most_of(im->plan->parallel.tp, 1);
	int64_t shard = -1; /* none */

	jsonin_int(j, key, -1, INT32_MAX, &shard);
	if (shard > 0 && !field_is_set(FIELD_NODES, im->plan))
		import_ignore(im, key, "the number of GPUs is not known (fix: --world)");
	else if (shard > 0 && ranks % shard != 0)
		import_refuse(im, key, "%lld ranks are not divisible by %lld (runtime/zero/mics_utils.py)",
		    (long long)ranks, (long long)shard);
	else if (shard > 0)
		import_set_int(im, FIELD_DP_REPLICATE, ranks / shard, key);
}

void
deepspeed_take(struct import *im, const struct jsonin *j, int64_t world)
{
	static const struct settings_key buckets[] = {
		{ "zero_optimization.reduce_bucket_size", FIELD_BUCKET_SIZE, NULL, NULL },
		{ "zero_optimization.stage3_gather_16bit_weights_on_model_save", FIELD_GATHER_16BIT, NULL, NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	settings_take(im, j, deepspeed_keys, "DeepSpeed");
	settings_take(im, j, buckets, "DeepSpeed");
	if (im->plan->parallel.tp == 0)
		import_set(im, FIELD_TP, "1", "tensor_parallel.autotp_size 0"); /* none */
	take_precision(im, j);
	settings_take_offload(im, j, "zero_optimization.offload_optimizer.device",
	    "zero_optimization.offload_param.device");
	take_away(im, j);
	settings_others(im, j, "zero_optimization.zero_hpz_partition_size",
	    "no field for a second partition");
	settings_others(im, j, "activation_checkpointing",
	    "whether anything is recomputed the model's code says");
	settings_others(im, j, "pipeline", "the stages are the model's, not the file's");
	if (im->errors->count == 0)
		take_batches(im, j, world);
	if (im->errors->count == 0)
		take_copies(im, j);
	settings_rest(im, j);
}

void
deepspeed_json_read(struct import *im)
{
	struct jsonin j;

	if (jsonin_parse(&j, im->text, im->size, im->name, im->errors)) {
		jsonin_watch(&j);
		if (jsonin_name(&j, "", 0) == NULL)
			import_error(im, "", "holds no object (fix: the file of --deepspeed_config)");
		import_assume(im, FIELD_LAYOUT, "deepspeed", "a configuration of DeepSpeed");
		deepspeed_take(im, &j, im->world);
	}
	jsonin_free(&j);
}
