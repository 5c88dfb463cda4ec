#include "file/import/settings.h"

#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "file/import/named.h"
#include "file/import/readers.h"
#include "file/import/tomlin.h"
#include "file/import/words.h"
#include "file/import/yamlin.h"

/* ---- files and scripts -------------------------------------------------------------------- */

/* The first line that is neither empty nor a comment begins with a key and a colon. */
static bool
is_mapping(const char *text)
{
	while (text += strspn(text, " \t\r\n"), *text == '#' || strncmp(text, "---", 3) == 0)
		text += strcspn(text, "\n");
	text += strcspn(text, ": \t\r\n$({`");
	return *text == ':' && (text[1] == '\0' || strchr(" \t\r\n", text[1]) != NULL);
}

bool
settings_read(struct jsonin *j, struct import *im, const char *programs)
{
	const char *config;

	if (is_mapping(im->text))
		return yamlin_parse(j, im->text, im->size, im->name, im->errors);
	if (!words_read(j, im, programs, true))
		return false;
	if ((config = jsonin_text(j, "config")) != NULL)
		named_below(im, j, config, "config");
	else if ((config = jsonin_text(j, WORDS_OPERAND)) != NULL && strstr(config, ".y") != NULL)
		named_below(im, j, config, WORDS_OPERAND);
	return im->errors->count == 0;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* A number, a text, true or false as a user would type it. */
static bool
scalar_at(const struct jsonin *j, const char *path, char *buf, size_t size)
{
	const char *text = jsonin_text(j, path);
	double number;
	bool on;

	if (text != NULL)
		return text_copy(buf, size, text);
	if (jsonin_bool(j, path, &on)) {
		text_put(buf, size, on ? "true" : "false");
		return true;
	}
	if (!jsonin_real(j, path, INT32_MIN, INT32_MAX, &number))
		return false;
	text_real(buf, size, number);
	return true;
}

void
settings_take(struct import *im, const struct jsonin *j, const struct settings_key rows[],
    const char *program)
{
	char value[128], ours[96], why[96];

	text_put(why, sizeof why, "%s's default", program);
	for (const struct settings_key *key = rows; key->path != NULL; key++) {
		const char *path = key->path + (key->path[0] == '+'); /* Hydra's for what is new */

		import_at(im, path);
		if (!jsonin_has(j, path)) {
			if (key->absent != NULL && key->absent[0] != '\0')
				import_assume(im, key->field, key->absent, why);
		} else if (!scalar_at(j, path, value, sizeof value)) {
			continue;
		} else if (text_equal(value, "auto")) {
			/* What the Hugging Face trainer was started with. */
			import_ignore(im, key->path, "auto: the trainer's arguments say");
		} else if (strncmp(value, "${", 2) == 0) {
			import_ignore(im, key->path, "refers to another key");
		} else if (key->words == NULL) {
			import_set(im, key->field, value, key->path);
		} else if (settings_ours(key->words, value, strcasecmp, ours, sizeof ours)) {
			import_set(im, key->field, ours, key->path);
		} else {
			import_ignore(im, key->path, "its value is none that a plan has");
		}
	}
	import_at(im, "");
}

bool
settings_on(const struct jsonin *j, const char *path)
{
	bool on = false;

	return jsonin_bool(j, path, &on) && on;
}

bool
settings_is(const struct jsonin *j, const char *path, const char *word)
{
	const char *text = jsonin_text(j, path);

	return text != NULL && text_equal(text, word);
}

int64_t
settings_number(const struct jsonin *j, const char *path, int64_t absent)
{
	int64_t n = absent;

	jsonin_int(j, path, -1, INT32_MAX, &n);
	return n;
}

void
settings_say(struct import *im, const struct jsonin *j, enum field_id f, const char *value,
    const char *path)
{
	char why[160];

	import_at(im, path);
	text_put(why, sizeof why, "the default of %s", path);
	if (jsonin_has(j, path))
		import_set(im, f, value, path);
	else
		import_assume(im, f, value, why);
	import_at(im, "");
}

void
settings_set(struct import *im, const struct jsonin *j, enum field_id f, int64_t n,
    const char *path)
{
	char value[24];

	text_put(value, sizeof value, "%lld", (long long)n);
	settings_say(im, j, f, value, path);
}

void
settings_machine(struct import *im, int64_t nodes, int64_t gpus, int64_t rollout,
    const char *source)
{
	const int64_t world = product_of(nodes, gpus) + rollout;

	import_machine(im, world, 0, (nodes > 1 || rollout == 0) && gpus > 0 && world % gpus == 0 ? gpus :
	    0, source);
}

void
settings_lengths(struct import *im, const char *why)
{
	static const char mean[] = "a mean that a run tells (fix: --set)";
	const struct rl *rl = &im->plan->rl;
	const int64_t room = im->plan->training.sequence_length;
	const bool limited = field_is_set(FIELD_RL_RESPONSE_LIMIT, im->plan) && rl->response_limit < room;
	const int64_t most = limited ? room - rl->response_limit : room / 2;
	const int64_t prompt = rl->prompt_tokens < most ? rl->prompt_tokens : most;

	if (rl->prompt_tokens + rl->response_limit > room && room >= 2) {
		import_assume_int(im, FIELD_RL_PROMPT_TOKENS, prompt, why);
		if (!limited)
			import_assume_int(im, FIELD_RL_RESPONSE_LIMIT, room - prompt, why);
	} else {
		import_assume_int(im, FIELD_RL_PROMPT_TOKENS, rl->prompt_tokens, mean);
	}
	if (rl->response_tokens > rl->response_limit && rl->response_limit >= 2)
		import_assume_int(im, FIELD_RL_RESPONSE_TOKENS, rl->response_limit / 2, "half of the longest");
	else
		import_assume_int(im, FIELD_RL_RESPONSE_TOKENS, rl->response_tokens, mean);
}

void
settings_checkpoint(struct import *im, const struct jsonin *j, const char *keys)
{
	char path[96];

	for (size_t n; *keys != '\0'; keys += n + strspn(keys + n, " ")) {
		n = strcspn(keys, " ");
		text_put(path, sizeof path, "%.*s", (int)n, keys);
		if (jsonin_text(j, path) != NULL) {
			import_at(im, path);
			import_checkpoint(im, jsonin_text(j, path), path);
			import_at(im, "");
			return;
		}
	}
}

/* What nobody asked for, after so many bytes of notes. */
struct rest {
	struct import *im;
	size_t notes;
};

/* Whether a section around the key was told of as a whole. */
static bool
is_told(const struct rest *rest, const char *path)
{
	char line[256];

	for (const char *dot = strchr(path, '.'); dot != NULL && rest->notes > 0; dot = strchr(dot + 1, '.')) {
		const size_t n = text_put(line, sizeof line, "%.*s: ", (int)(dot - path), path);

		if (memmem(rest->im->ignored.lines.text, rest->notes, line, n) != NULL)
			return true;
	}
	return false;
}

static void
tell_unasked(void *to, const char *path)
{
	const struct rest *rest = to;

	if (rest->im->ignored.dropped > 0 || !is_told(rest, path))
		import_ignore(rest->im, path, "no field of a plan");
}

void
settings_rest(struct import *im, const struct jsonin *j)
{
	struct rest rest = { im, im->ignored.lines.used };

	jsonin_unasked(j, tell_unasked, &rest);
}

void
settings_others(struct import *im, const struct jsonin *j, const char *keys, const char *why)
{
	char key[96];

	for (int64_t i = 0; text_choice(keys, i, key, sizeof key); i++)
		if (jsonin_has(j, key))
			import_ignore(im, key, why);
}

/* ---- FSDP ------------------------------------------------------------------------------- */

bool
settings_strategy(struct import *im, const char *word, const char *source)
{
	/* In the order of their numbers; hybrid ones keep a copy in each node. */
	static const struct {
		const char *name, *stage;
		bool hybrid;
	} strategies[] = {
		{ "FULL_SHARD", "3", false }, { "SHARD_GRAD_OP", "2", false }, { "NO_SHARD", "0", false },
		{ "HYBRID_SHARD", "3", true }, { "HYBRID_SHARD_ZERO2", "2", true },
	};
	char number[8], copies[24];

	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
		text_put(number, sizeof number, "%zu", i + 1);
		if (strcasecmp(word, strategies[i].name) != 0 && !text_equal(word, number))
			continue;
		import_set(im, FIELD_ZERO_STAGE, strategies[i].stage, source);
		text_put(copies, sizeof copies, "%lld", (long long)im->plan->cluster.nodes);
		if (strategies[i].hybrid)
			import_set(im, FIELD_DP_REPLICATE, copies, source);
		return true;
	}
	return false;
}

void
settings_fsdp1(struct import *im, const struct jsonin *j, const char *at)
{
	char path[80], word[64];

	text_put(path, sizeof path, "%s.fsdp_version", at);
	if (!jsonin_has(j, path))
		text_put(path, sizeof path, "fsdp_version");
	if (settings_number(j, path, 1) == 2)
		return;
	text_put(path, sizeof path, "%s.fsdp_sharding_strategy", at);
	import_at(im, path);
	if (jsonin_has(j, path) && scalar_at(j, path, word, sizeof word) &&
	    !settings_strategy(im, word, path))
		import_ignore(im, path, "its value is none that a plan has");
	import_at(im, "");
}

/* ---- torchtitan ------------------------------------------------------------------------- */

static void
take_schedule(struct import *im, const struct jsonin *j)
{
	static const char path[] = "parallelism.pipeline_parallel_schedule";
	static const struct settings_key rows[] = {
		{ path, FIELD_SCHEDULE, "1F1B=1f1b|Interleaved1F1B=1f1b|GPipe=gpipe|ZBVZeroBubble=zb-v|"
		    "DualPipeV=dualpipev|InterleavedZeroBubble=zb-1p", "1f1b" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	const char *name = jsonin_text(j, path);
	const int64_t stages = im->plan->parallel.pp;
	const int64_t layers = settings_number(j, "parallelism.pipeline_parallel_layers_per_stage", 0);

	settings_take(im, j, rows, "torchtitan");
	/* Embedding and head count as a layer each (pipeline_parallel.py). */
	if (layers > 0 && stages > 0)
		settings_set(im, j, FIELD_VPP, ((im->plan->model.layers + 2 + layers - 1) / layers + stages - 1) /
		    stages, "parallelism.pipeline_parallel_layers_per_stage");
	else if (name != NULL && !text_equal(name, "1F1B") && !text_equal(name, "GPipe"))
		import_assume(im, FIELD_VPP, "2", "two stages a rank, as these schedules take");
}

/* data_parallel_shard_degree -1 takes what the others leave of the GPUs. */
static void
take_shards(struct import *im, const struct jsonin *j)
{
	static const char sharded[] = "parallelism.data_parallel_shard_degree";
	const int64_t copies = settings_number(j, "parallelism.data_parallel_replicate_degree", 1);
	const int64_t shards = settings_number(j, sharded, -1);
	const struct parallel *p = &im->plan->parallel;
	const int64_t world = shards > 0 ? product_of(product_of(copies, shards),
	    product_of(p->tp, product_of(p->cp, p->pp))) : im->world;
	const char *reshard = jsonin_text(j, "parallelism.fsdp_reshard_after_forward");

	if (world == 0)
		import_error(im, sharded, "the number of GPUs is not known (fix: --world)");
	else
		import_machine(im, world, 0, 0, shards > 0 ? sharded : "--world");
	if (shards == 1 && copies > 1) {
		import_set(im, FIELD_ZERO_STAGE, "0", sharded);
		return;
	}
	if (copies > 1)
		settings_set(im, j, FIELD_DP_REPLICATE, copies, "parallelism.data_parallel_replicate_degree");
	/* "default" keeps parameters gathered where a pipeline would gather them again. */
	if (reshard != NULL && text_equal(reshard, "never"))
		import_set(im, FIELD_ZERO_STAGE, "2", "parallelism.fsdp_reshard_after_forward");
	else
		import_assume(im, FIELD_ZERO_STAGE, p->pp > 1 && (reshard == NULL ||
		    text_equal(reshard, "default")) ? "2" : "3", "fsdp_reshard_after_forward");
}

/* A pipeline cuts the local batch into micro-batches; without one each is the local batch. */
static void
take_batch(struct import *im, const struct jsonin *j)
{
	const struct parallel *p = &im->plan->parallel;
	const int64_t ranks = p->tp * p->cp * p->pp, world = plan_world(im->plan);
	const int64_t dp = ranks > 0 && world >= ranks ? world / ranks : 1;
	const int64_t local = settings_number(j, "training.local_batch_size", 8);
	const int64_t global = settings_number(j, "training.global_batch_size", -1);

	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, p->pp > 1 ?
	    settings_number(j, "parallelism.pipeline_parallel_microbatch_size", 1) : local,
	    p->pp > 1 ? "parallelism.pipeline_parallel_microbatch_size" : "training.local_batch_size");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, global > 0 ? global : product_of(local, dp),
	    global > 0 ? "training.global_batch_size" : "training.local_batch_size");
}

void
torchtitan_read(struct import *im)
{
	char checkpoint[128];
	struct jsonin j;

	if (tomlin_parse(&j, im->text, im->name, im->errors)) {
		import_assume(im, FIELD_LAYOUT, "torchtitan", "a job file of torchtitan");
		settings_take(im, &j, torchtitan_keys, "torchtitan");
		if (im->plan->parallel.pp > 1)
			take_schedule(im, &j);
		take_shards(im, &j);
		take_batch(im, &j);
		if (jsonin_text(&j, "model.name") != NULL && jsonin_text(&j, "model.flavor") != NULL &&
		    !jsonin_has(&j, "model.hf_assets_path")) {
			text_put(checkpoint, sizeof checkpoint, "%s-%s", jsonin_text(&j, "model.name"),
			    jsonin_text(&j, "model.flavor"));
			import_checkpoint(im, checkpoint, "model.flavor");
		}
		settings_checkpoint(im, &j, "model.hf_assets_path");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* ---- nanotron --------------------------------------------------------------------------- */

/* Heads share the hidden size, and each has keys of its own unless the file says otherwise
 * (config/models_config.py). */
static void
take_heads(struct import *im, const struct jsonin *j)
{
	static const char keys[] = "model.model_config.num_key_value_heads";
	const struct model *m = &im->plan->model;
	char value[24];

	if (!jsonin_has(j, keys))
		settings_set(im, j, FIELD_KV_HEADS, m->attention_heads, keys);
	text_put(value, sizeof value, "%lld", (long long)(m->hidden_size / most_of(m->attention_heads, 1)));
	import_fill(im, FIELD_HEAD_DIM, value);
}

void
nanotron_read(struct import *im)
{
	static const char accumulation[] = "tokens.batch_accumulation_per_replica";
	const struct plan *p = im->plan;
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const int64_t dp = settings_number(&j, "parallelism.dp", 1);

		import_own_model(im);
		import_assume(im, FIELD_LAYOUT, "nanotron", "a configuration of nanotron");
		settings_take(im, &j, nanotron_keys, "nanotron");
		if (p->training.precision == PRECISION_FP16 && p->training.grad_dtype == GRAD_BF16)
			import_set(im, FIELD_GRAD_DTYPE, "fp16", "optimizer.accumulate_grad_in_fp32");
		settings_set(im, &j, FIELD_ZERO_STAGE, settings_number(&j, "optimizer.zero_stage", 0) > 0,
		    "optimizer.zero_stage");
		take_heads(im, &j);
		import_machine(im, product_of(product_of(dp, p->parallel.tp),
		    product_of(p->parallel.pp, p->parallel.cp)), 0, 0, "parallelism.dp");
		settings_set(im, &j, FIELD_GLOBAL_BATCH_SIZE, product_of(product_of(dp,
		    p->training.micro_batch_size), settings_number(&j, accumulation, 1)), accumulation);
		import_name_model(im);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* ---- Accelerate ------------------------------------------------------------------------- */

/* Parameters go to the host at stage 3 alone (deepspeed/runtime/zero/offload_config.py). */
static void
take_deepspeed(struct import *im, const struct jsonin *j)
{
	static const char parameters[] = "deepspeed_config.offload_param_device";
	const char *to = jsonin_text(j, parameters);

	import_assume(im, FIELD_LAYOUT, "deepspeed", "distributed_type");
	settings_take(im, j, accelerate_deepspeed_keys, "Accelerate");
	if (to != NULL && !text_equal(to, "none") && im->plan->parallel.zero_stage == 3)
		import_set(im, FIELD_OFFLOAD, "optimizer+params", parameters);
}

void
accelerate_read(struct import *im)
{
	static const char processes[] = "num_processes";
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		import_assume(im, FIELD_LAYOUT, "torchtitan", "PyTorch's device mesh, as Accelerate makes it");
		settings_take(im, &j, accelerate_keys, "Accelerate");
		if (settings_is(&j, "distributed_type", "FSDP"))
			settings_take(im, &j, fsdp_keys, "Accelerate");
		else if (settings_is(&j, "distributed_type", "DEEPSPEED"))
			take_deepspeed(im, &j);
		else
			import_assume(im, FIELD_ZERO_STAGE, "0", "distributed_type shards nothing");
		import_machine(im, settings_number(&j, processes, most_of(im->world, 1)),
		    settings_number(&j, "num_machines", 0), 0, processes);
		settings_fsdp1(im, &j, "fsdp_config");
		settings_others(im, &j, "megatron_lm_config|tpu_name",
		    "another program's settings: import its own file");
		settings_others(im, &j, "gradient_accumulation_steps", "the batch of one GPU is the script's");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
