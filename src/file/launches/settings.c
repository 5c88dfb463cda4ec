#include "file/launches/settings.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/models/checkpoint.h"
#include "file/notation/sbatch.h"
#include "file/notation/yamlin.h"
#include "file/source/named.h"
#include "file/source/words.h"

/* ---- files and scripts -------------------------------------------------------------------- */

/* The first line that is neither empty nor a comment begins with a key and a colon. */
static bool
is_mapping(const char *text)
{
	while (text += strspn(text, " \t\r\n"), *text == '#' || strncmp(text, "---", 3) == 0)
		text += strcspn(text, "\n");
	if (*text == ':') /* the shell's null command */
		return false;
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

void
settings_rename(struct jsonin *j, const char *names)
{
	const char *name;
	char pair[96];

	for (int64_t i = 0; names != NULL && text_choice(names, i, pair, sizeof pair); i++) {
		json_t *value;

		name = strchr(pair, '=') + 1;
		pair[strcspn(pair, "=")] = '\0';
		if ((value = json_object_get(j->root, pair)) == NULL)
			continue;
		if (!jsonin_has(j, name))
			jsonin_put(j->root, name, json_incref(value));
		json_object_del(j->root, pair);
	}
}

static void
ignore_unknown(void *to, const char *path, const char *why)
{
	import_ignore(to, path, why);
}

bool
settings_python(struct jsonin *j, struct import *im, char function[PYIN_NAME_SIZE])
{
	const struct pyin_unknown unknown = { ignore_unknown, im };

	pyin_function(im->text, function);
	if (im->part != NULL)
		text_put(function, PYIN_NAME_SIZE, "%s", im->part);
	return pyin_parse(j, im->text, im->name, im->part, &unknown, im->errors);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* A number, a text, true or false as a user would type it. */
static bool
scalar_at(const struct jsonin *j, const char *path, char *buf, size_t size)
{
	const char *text = jsonin_text(j, path);
	double number;
	bool on;

	if (text == NULL) { /* in Python a call says it by what it calls */
		text = jsonin_text(j, TEXT_OF(128, "%s." PYIN_CALLEE, path));
	}
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
		} else if (text_equal(value, "auto") && (key->words == NULL || strstr(key->words, "auto=") == NULL)) {
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

/* The device there, NULL: none. */
static const char *
device_at(const struct jsonin *j, const char *path)
{
	const char *device = jsonin_text(j, path);

	return device == NULL || text_equal(device, "none") ? NULL : device;
}

/* Parameters go at stage 3 alone (deepspeed/runtime/zero/offload_config.py), and where they go,
 * optimizer states do as well. */
void
settings_take_offload(struct import *im, const struct jsonin *j, const char *optimizer,
    const char *parameters)
{
	const bool all = im->plan->parallel.zero_stage == 3;
	const char *states = device_at(j, optimizer);
	const char *weights = all ? device_at(j, parameters) : NULL;
	const char *from = weights != NULL ? parameters : optimizer;

	if (states == NULL && weights == NULL)
		return;
	import_set(im, FIELD_OFFLOAD, weights != NULL ? "optimizer+params" : "optimizer", from);
	if (text_equal(weights != NULL ? weights : states, "nvme"))
		import_set(im, FIELD_OFFLOAD_TO, "nvme", from);
	else if (states != NULL && text_equal(states, "nvme"))
		import_set(im, FIELD_OFFLOAD_TO, "nvme-optimizer", optimizer);
}

/* The first key of "KEY=WORD|..." that has its word; false: none. */
static bool
key_away(const struct jsonin *j, const char *words, char *path, size_t size)
{
	char value[64];

	for (int64_t i = 0; words != NULL && text_choice(words, i, path, size); i++) {
		char *word = strchr(path, '=');

		*word++ = '\0';
		if (scalar_at(j, path, value, sizeof value) && strcasecmp(value, word) == 0)
			return true;
	}
	return false;
}

void
settings_take_away(struct import *im, const struct jsonin *j, const struct settings_away *d)
{
	const bool again = im->plan->training.recompute == RECOMPUTE_FULL;
	char path[96];

	if (key_away(j, again ? d->inputs : d->kept, path, sizeof path))
		text_put(im->away, sizeof im->away, "%s", path);
	else if (key_away(j, again ? d->kept : d->inputs, path, sizeof path))
		import_ignore(im, path, again ? "of recomputed layers it sends nothing to the host" :
		    "nothing is recomputed, whose inputs it would send to the host");
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
	import_at(im, path);
	if (jsonin_has(j, path))
		import_set(im, f, value, path);
	else
		import_assume(im, f, value, TEXT_OF(160, "the default of %s", path));
	import_at(im, "");
}

void
settings_set(struct import *im, const struct jsonin *j, enum field_id f, int64_t n,
    const char *path)
{
	settings_say(im, j, f, TEXT_OF(24, "%lld", (long long)n), path);
}

void
settings_machine(struct import *im, int64_t nodes, int64_t gpus, int64_t rollout,
    const char *source)
{
	const int64_t world = product_of(nodes, gpus) + rollout;

	import_machine(im, world, 0, (nodes > 1 || rollout == 0) && gpus > 0 && world % gpus == 0 ? gpus :
	    0, source);
}

int64_t
settings_world(struct import *im, int64_t nodes, int64_t gpus, int64_t usual, const char *source)
{
	static const char launcher[] = "the launcher says (--world)";
	const struct plan *p = im->plan;
	const int64_t apart = plan_has_rollouts(p) && p->rl.placement == RL_SPLIT ? p->rl.rollout_gpus : 0;
	struct sbatch asked;

	sbatch_read(&asked, im->text);
	if (gpus <= 0 && asked.gpus > 0) { /* a launcher that is not told uses what it sees */
		gpus = asked.gpus;
		nodes = most_of(nodes, most_of(asked.nodes, 1));
		source = "#SBATCH";
	}
	if (im->world > 0) {
		import_machine(im, im->world, 0, 0, "--world");
	} else if (gpus > 0) {
		import_machine(im, product_of(nodes, gpus) + apart, apart > 0 ? 0 : nodes, apart > 0 ? 0 : gpus, source);
	} else {
		import_assume_int(im, FIELD_NODES, nodes, launcher);
		import_assume_int(im, FIELD_GPUS_PER_NODE, usual + apart, launcher);
	}
	return most_of(plan_world(p) - apart, 1);
}

int64_t
settings_fitting(const struct plan *p, int64_t tokens, int64_t gpus)
{
	const int64_t ranks = most_of(product_of(p->parallel.tp, product_of(p->parallel.pp, p->parallel.cp)), 1);
	const int64_t batch = p->training.global_batch_size / most_of(gpus / ranks, 1);
	int64_t micro = tokens / most_of(p->training.sequence_length, 1);

	while (micro > 1 && batch % micro != 0)
		micro--;
	return most_of(micro, 1);
}

void
settings_lengths(struct import *im, const char *why)
{
	static const char mean[] = "a mean that a run tells (fix: --set)";
	const struct rl *rl = &im->plan->rl;
	const int64_t room = im->plan->training.sequence_length;
	const bool told = field_is_set(FIELD_RL_RESPONSE_LIMIT, im->plan), limited = told && rl->response_limit < room;
	const bool open = !told && plan_has_rollouts(im->plan);
	const int64_t most = limited ? room - rl->response_limit : room / 2;
	const int64_t prompt = rl->prompt_tokens < most ? rl->prompt_tokens : most;

	if ((open || rl->prompt_tokens + rl->response_limit > room) && room >= 2) {
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

	im->unsaid = keys;
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
	const size_t n = strlen(path), callee = strlen(PYIN_CALLEE);

	if (n >= callee && text_equal(path + n - callee, PYIN_CALLEE))
		return;
	if (rest->im->ignored.dropped > 0 || !is_told(rest, path))
		import_ignore(rest->im, path, "no field of a plan");
}

void
settings_tokens(struct import *im, double tokens, const char *source)
{
	if (tokens < 1e6)
		import_ignore(im, source, "less than a million tokens");
	else
		import_set(im, FIELD_TOKEN_BUDGET, TEXT_OF(32, "%.10g", tokens / 1e9), source);
}

/* Steps of so many tokens each: the whole run, unless rollouts make steps of other lengths. */
void
settings_budget(struct import *im, int64_t steps, const char *source)
{
	const struct training *t = &im->plan->training;

	if (steps < 1)
		return;
	if (plan_has_rollouts(im->plan) || im->plan->mode != MODE_TRAIN)
		import_ignore(im, source, "steps with rollouts");
	else
		settings_tokens(im, (double)steps * (double)t->global_batch_size * (double)t->sequence_length, source);
}

/* What the trainers call the steps of a run; -1 are those of its epochs, which the data tell. */
static void
take_steps(struct import *im, const struct jsonin *j)
{
	static const char *const keys[] = { "max_steps", "training.steps", "tokens.train_steps", "train_iters" };
	static const char *const epochs[] = { "num_train_epochs", "num_epochs", "epochs", "trainer.total_epochs" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (jsonin_has(j, keys[i]) && jsonin_text(j, keys[i]) == NULL)
			settings_budget(im, settings_number(j, keys[i], 0), keys[i]);
	for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++)
		if (jsonin_has(j, epochs[i]))
			import_ignore(im, epochs[i], "how many tokens that is the data tell (training.token_budget)");
}

void
settings_rest(struct import *im, const struct jsonin *j)
{
	struct rest rest = { .im = im };

	take_steps(im, j);
	rest.notes = im->ignored.lines.used;
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

	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
		if (strcasecmp(word, strategies[i].name) != 0 && !text_equal(word, TEXT_OF(8, "%zu", i + 1)))
			continue;
		import_set(im, FIELD_ZERO_STAGE, strategies[i].stage, source);
		if (strategies[i].hybrid)
			import_set(im, FIELD_DP_REPLICATE, TEXT_OF(24, "%lld", (long long)im->plan->cluster.nodes),
			    source);
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

/* ---- nanotron --------------------------------------------------------------------------- */

/* Heads share the hidden size, and each has keys of its own unless the file says otherwise
 * (config/models_config.py). */
static void
take_heads(struct import *im, const struct jsonin *j)
{
	static const char keys[] = "model.model_config.num_key_value_heads";
	const struct model *m = &im->plan->model;

	if (!jsonin_has(j, keys))
		settings_set(im, j, FIELD_KV_HEADS, m->attention_heads, keys);
	import_fill(im, FIELD_HEAD_DIM, TEXT_OF(24, "%lld", (long long)(m->hidden_size / most_of(m->attention_heads,
	    1))));
}

void
nanotron_read(struct import *im)
{
	static const char accumulation[] = "tokens.batch_accumulation_per_replica";
	const struct plan *p = im->plan;
	struct jsonin j;

	if (settings_read(&j, im, NULL) && !jsonin_has(&j, "parallelism")) {
		import_error(im, "parallelism", "is neither here nor in a file that is named (fix: the YAML of --config-file)");
	} else if (im->errors->count == 0) {
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

static void
take_deepspeed(struct import *im, const struct jsonin *j)
{
	import_assume(im, FIELD_LAYOUT, "deepspeed", "distributed_type");
	settings_take(im, j, accelerate_deepspeed_keys, "Accelerate");
	settings_take_offload(im, j, "deepspeed_config.offload_optimizer_device",
	    "deepspeed_config.offload_param_device");
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
		settings_take_away(im, &j, &accelerate_away);
		settings_others(im, &j, "megatron_lm_config|tpu_name",
		    "another program's settings: import its own file");
		settings_others(im, &j, "gradient_accumulation_steps", "the batch of one GPU is the script's");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

void
settings_take_tiles(struct import *im, const struct jsonin *j, const char *on, const char *number,
    int64_t usual)
{
	const int64_t tokens = im->plan->training.sequence_length, h = most_of(1, im->plan->model.hidden_size);
	const int64_t tiles = settings_number(j, number, usual > 0 ? usual : holders_of(tokens, h));

	if (settings_on(j, on) && tiles > 0)
		settings_set(im, j, FIELD_MLP_TILES, tiles, jsonin_has(j, number) ? number : on);
}
