#include "file/launches/tuning.h"

#include <ctype.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"
#include "file/source/words.h"

/* A text, or the i-th of a list; of one text the parts that commas part. NULL past the last. */
static const char *
name_at(const struct jsonin *j, const char *key, size_t i, char *buf, size_t size)
{
	const char *text = jsonin_text(j, key);

	if (text == NULL) {
		text = jsonin_text(j, TEXT_OF(80, "%s.%zu", key, i));
		return text != NULL && text_copy(buf, size, text) ? buf : NULL;
	}
	for (; i > 0 && text[strcspn(text, ",")] == ','; i--)
		text += strcspn(text, ",") + 1;
	text_put(buf, size, "%.*s", (int)strcspn(text, ","), text);
	return i == 0 && buf[0] != '\0' ? buf : NULL;
}

/* A name that plans have too: those of mixers without keys and values. */
static bool
is_target(const char *name)
{
	struct plan p = { .mode = MODE_TRAIN, .finetune.method = FINETUNE_LORA };
	const bool fits = text_copy(p.finetune.target, sizeof p.finetune.target, name);
	const unsigned targets = fits && strpbrk(name, ",+ ") == NULL ? adapters_targets(&p) : 0;

	return targets != 0 && (targets & TARGET_UNKNOWN) == 0;
}

/* Modules as a plan names them, joined by plus signs, each once. */
static void
take_names(struct import *im, const struct jsonin *j, const char *key, char *words, size_t size)
{
	unsigned seen = 0;
	char name[96];

	for (size_t i = 0; key != NULL && name_at(j, key, i, name, sizeof name) != NULL; i++) {
		const struct tuning_module *m = tuning_module(name);

		if (m == NULL && !is_target(name))
			import_ignore(im, key, "a plan has no such module");
		else if (m == NULL || m->target == 0 || (m->target & ~seen) != 0)
			text_add(words, size, "%s%s", words[0] != '\0' ? "+" : "", m != NULL ? m->word : name);
		seen |= m != NULL ? m->target : 0;
	}
}

void
tuning_take_targets(struct import *im, const struct jsonin *j, const struct tuner *d)
{
	char words[PLAN_LIST_SIZE] = "", saved[PLAN_LIST_SIZE] = "", first[96];
	const bool given = name_at(j, d->targets, 0, first, sizeof first) != NULL;

	if (settings_on(j, "lora_target_linear") || (given && d->linear != NULL && text_equal(first, d->linear)))
		text_put(words, sizeof words, "all-linear");
	else if (given)
		take_names(im, j, d->targets, words, sizeof words);
	if (words[0] == '\0') /* none, or a pattern of names, which take_names told of */
		text_put(words, sizeof words, "%s", d->usual);
	if (d->parameters != NULL && jsonin_has(j, d->parameters))
		text_add(words, sizeof words, "+experts");
	tuning_short(&im->plan->model, d->fused, words, sizeof words);
	if (words[0] != '\0')
		settings_say(im, j, FIELD_ADAPTER_TARGET, words, d->targets);
	if (d->saved != NULL)
		take_names(im, j, d->saved, saved, sizeof saved);
	if (saved[0] != '\0')
		import_set(im, FIELD_MODULES_TO_SAVE, saved, d->saved);
}

/* Bits of the frozen weights; 16 where they are not quantised. */
static int64_t
bits_of(const struct jsonin *j, const struct tuner *d)
{
	int64_t bits = 16;

	if (d->bits != NULL)
		jsonin_int(j, d->bits, 2, 16, &bits);
	else if (settings_on(j, "load_in_4bit"))
		bits = 4;
	else if (settings_on(j, "load_in_8bit"))
		bits = 8;
	return bits;
}

void
tuning_adapters(struct import *im, const struct jsonin *j, const struct tuner *d)
{
	const char *word = jsonin_text(j, d->method);
	const bool tower = word != NULL && text_equal(word, "lora_llm"); /* of ms-swift */
	const bool adapters = word != NULL ? tower || text_equal(word, d->lora) || text_equal(word, d->qlora) :
	    settings_on(j, d->method) || (d->full != NULL && !d->whole && !jsonin_has(j, d->method));
	const int64_t bits = bits_of(j, d);
	struct tuner named = *d;

	if (tuning_kind(im, j, &named)) {
		tuning_take_targets(im, j, &named);
		return;
	}
	if (!adapters) {
		import_at(im, d->method);
		if (word != NULL && word[0] != '\0' && (d->full == NULL || !text_equal(word, d->full)))
			import_error(im, d->method, "'%s' trains other weights than a plan can: those of %s or LoRA's (fix: import "
			    "it with one of these written there)", word, d->full != NULL ? d->full : "the whole model");
		settings_say(im, j, FIELD_FINETUNE, "full", d->method);
		return;
	}
	if (tower) /* modelscope/ms-swift docs/source_en/Instruction/Command-line-parameters.md */
		import_ignore(im, d->method, "the tower that sees is trained whole beside it, which is not counted");
	settings_take(im, j, d->adapters, d->program);
	if (jsonin_text(j, TUNING_TUNER) != NULL)
		import_set(im, FIELD_TUNER, jsonin_text(j, TUNING_TUNER), TUNING_TUNER);
	jsonin_bool(j, d->nested, &named.nests);
	settings_say(im, j, FIELD_FINETUNE, d->dora != NULL && settings_on(j, d->dora) ? "dora" : bits == 4 ? "qlora" : "lora",
	    d->method);
	if (bits == 4 || bits == 8)
		import_set(im, FIELD_QUANTIZATION, bits == 8 ? "int8" : named.nests ? "nf4-dq" : "nf4",
		    d->bits != NULL ? d->bits : d->method);
	tuning_take_targets(im, j, d);
}

int64_t
tuning_machine(struct import *im, const struct jsonin *j, int64_t fewest)
{
	const int64_t processes = settings_number(j, WORDS_PROCESSES, 0);
	const int64_t nodes = processes > 0 ? most_of(settings_number(j, WORDS_NODES, 1), 1) : 1;
	const int64_t world = settings_world(im, nodes, processes, fewest, WORDS_PROCESSES);

	if (im->world > 0 || processes <= 0 || jsonin_text(j, WORDS_EACH) == NULL)
		return world;
	import_set(im, FIELD_NODE_GPUS, jsonin_text(j, WORDS_EACH), WORDS_EACH);
	return plan_world(im->plan);
}

/* MiCS shards within groups of so many of its ranks (deepspeed_json.c). The machine is set before. */
static void
take_copies(struct import *im, const struct jsonin *j)
{
	static const char key[] = "deepspeed.zero_optimization.mics_shard_size";
	const int64_t shard = settings_number(j, key, -1), ranks = plan_world(im->plan);

	if (shard > 0 && ranks % shard == 0)
		import_set_int(im, FIELD_DP_REPLICATE, ranks / shard, key);
}

void
tuning_batch(struct import *im, const struct jsonin *j)
{
	const int64_t split = im->plan->parallel.tp * im->plan->parallel.cp;
	int64_t rounds = 1, ranks = 1, world;

	jsonin_int(j, TUNING_STEPS, 1, INT32_MAX, &rounds);
	while (plan_has_rollouts(im->plan) && ranks < im->plan->rl.responses && /* whole groups of responses */
	    product_of(product_of(rounds, im->plan->training.micro_batch_size), ranks) % im->plan->rl.responses != 0)
		ranks++;
	world = tuning_machine(im, j, product_of(split, ranks));
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(most_of(world / split, 1),
	    product_of(rounds, im->plan->training.micro_batch_size)), TUNING_STEPS);
	take_copies(im, j);
}

void
tuning_precision(struct import *im, const struct jsonin *j)
{
	if (settings_on(j, "fp16"))
		import_set(im, FIELD_PRECISION, "fp16", "fp16");
	else if (settings_on(j, "pure_bf16"))
		import_set(im, FIELD_PRECISION, "bf16", "pure_bf16");
	else if (settings_on(j, "bf16"))
		import_set(im, FIELD_PRECISION, "bf16", "bf16");
}

/* DeepSpeed's settings, in these or from the file that they name. */
static void
take_zero(struct import *im, const struct jsonin *j)
{
	static const struct settings_key rows[] = {
		{ "deepspeed.zero_optimization.stage", FIELD_ZERO_STAGE, NULL, "0" },
		{ "deepspeed.zero_optimization.reduce_bucket_size", FIELD_BUCKET_SIZE, NULL, NULL },
		{ "deepspeed.zero_optimization.stage3_gather_16bit_weights_on_model_save", FIELD_GATHER_16BIT, NULL, NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	settings_take(im, j, rows, "DeepSpeed");
	settings_take_offload(im, j, "deepspeed.zero_optimization.offload_optimizer.device",
	    "deepspeed.zero_optimization.offload_param.device");
}

/* What is sharded DeepSpeed's own file says, or its name where that is not there: those that trainers bring along are
 * zero2.json, ds_z3_offload_config.json, and words of ms-swift as zero3. */
static void
take_deepspeed(struct import *im, const struct jsonin *j)
{
	static const char key[] = "deepspeed", why[] = "by the name of DeepSpeed's settings";
	const char *path = jsonin_text(j, key);
	const char *name = path != NULL && strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	const char *z = name != NULL ? strchr(name, 'z') : NULL;
	char stage[2] = "";

	if (!jsonin_has(j, key))
		return;
	if (path == NULL) {
		take_zero(im, j);
		return;
	}
	for (; z != NULL && stage[0] == '\0'; z = strchr(z + 1, 'z')) {
		const char *digit = z + (strncmp(z, "zero", 4) == 0 ? 4 : 1);

		if (*digit >= '0' && *digit <= '3' && !isdigit((unsigned char)digit[1]))
			text_put(stage, sizeof stage, "%c", *digit);
	}
	if (stage[0] == '\0')
		return;
	import_assume(im, FIELD_ZERO_STAGE, stage, why);
	if (strstr(name, "offload") != NULL)
		import_assume(im, FIELD_OFFLOAD, stage[0] == '3' ? "optimizer+params" : "optimizer", why);
}

/* The framework that these settings are of, and how it shards. */
void
tuning_framework(struct import *im, const struct jsonin *j)
{
	import_assume(im, FIELD_LAYOUT, jsonin_has(j, "deepspeed") ? "deepspeed" : "torchtitan",
	    "the framework of these settings");
	if (!jsonin_has(j, "fsdp_config") && !jsonin_has(j, "fsdp") && !jsonin_has(j, "deepspeed"))
		import_assume(im, FIELD_ZERO_STAGE, "0", "no FSDP in these settings");
	take_deepspeed(im, j);
}

void
tuning_begin(struct import *im, struct jsonin *j, const struct tuner *d)
{
	tuning_named(im, j);
	tuning_framework(im, j);
	settings_checkpoint(im, j, "base_model model_name_or_path model");
	settings_take(im, j, d->keys, d->program);
	tuning_precision(im, j);
	if (!field_is_set(FIELD_PRECISION, im->plan))
		import_assume(im, FIELD_PRECISION, "bf16", "the numbers of the checkpoint");
	tuning_adapters(im, j, d);
}

/* A tree of the file in *j, and what is said of it. */
static bool
begin_tuner(struct import *im, struct jsonin *j, const struct tuner *d)
{
	if (!settings_read(j, im, d->commands))
		return false;
	settings_rename(j, d->older);
	tuning_begin(im, j, d);
	return true;
}

/* A key of FSDP's, which version 1 begins with fsdp_. */
static bool
fsdp_has(const struct jsonin *j, const char *at, const char *name, bool *on)
{
	if (jsonin_bool(j, TEXT_OF(80, "%s.%s", at, name), on))
		return true;
	return jsonin_bool(j, TEXT_OF(80, "%s.fsdp_%s", at, name), on);
}

/* "full_shard auto_wrap offload", or a list of these (transformers training_args.py). */
static void
take_fsdp_options(struct import *im, const struct jsonin *j, const char *key)
{
	char options[128], word[64];

	for (size_t i = 0; name_at(j, key, i, options, sizeof options) != NULL; i++)
		for (const char *p = options; *p != '\0'; p += strspn(p, " ")) {
			text_put(word, sizeof word, "%.*s", (int)strcspn(p, " "), p);
			p += strcspn(p, " ");
			settings_strategy(im, word, key);
			if (text_equal(word, "offload"))
				import_set(im, FIELD_OFFLOAD, "optimizer+params", key);
		}
}

/* FSDP by its options and its section, where one of them is there. */
void
tuning_fsdp(struct import *im, const struct jsonin *j, const char *options, const char *at)
{
	const char *named = jsonin_text(j, options);
	bool on = true;

	if (!jsonin_has(j, at) && (named != NULL ? named[0] == '\0' : !jsonin_has(j, options)))
		return;
	import_set(im, FIELD_ZERO_STAGE, fsdp_has(j, at, "reshard_after_forward", &on) && !on ? "2" :
	    "3", jsonin_has(j, at) ? at : options);
	settings_fsdp1(im, j, at);
	take_fsdp_options(im, j, options);
	if (fsdp_has(j, at, "activation_checkpointing", &on) && on)
		import_set(im, FIELD_RECOMPUTE, "full", at);
	if (fsdp_has(j, at, "offload_params", &on) && on)
		import_set(im, FIELD_OFFLOAD, "optimizer+params", at);
	settings_take_away(im, j, &accelerate_away);
}

/* What weights are loaded as, where all of them are trained: FSDP of Accelerate and DeepSpeed make
 * fp32 of it (accelerate utils/fsdp_utils.py; deepspeed runtime/bf16_optimizer.py). */
static void
take_weights(struct import *im, const struct jsonin *j, const struct tuner *d)
{
	const struct plan *p = im->plan;

	if (p->finetune.method == FINETUNE_FULL && p->training.precision == PRECISION_BF16 &&
	    p->parallel.zero_stage == 0 && !jsonin_has(j, "deepspeed") && d->weights != NULL)
		settings_take(im, j, d->weights, d->program);
}

/* Of SFT, and where Liger does not compute it (trl/trainer/sft_config.py). */
static void
take_trl_loss(struct import *im, const struct jsonin *j)
{
	static const struct settings_key rows[] = {
		{ "loss_type", FIELD_CROSS_ENTROPY, "chunked_nll=chunked-nll|nll=hf", "chunked-nll" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	if (im->plan->finetune.kernels == KERNELS_EAGER && !plan_has_rl(im->plan))
		settings_take(im, j, rows, "TRL");
}

/* By its command, or its script's name; of a file alone, groups of responses are those of GRPO. */
static void
take_trl_method(struct import *im, const struct jsonin *j)
{
	static const char *const commands[] = { "trl dpo", "trl reward", "trl grpo" };
	const char *named = tuning_script_method(j);

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strstr(im->text, commands[i]) != NULL) {
			tuning_take_method(im, j, tuner_trl.rollouts, commands[i] + strlen("trl "), commands[i]);
			return;
		}
	if (jsonin_text(j, TUNING_METHOD) != NULL && !settings_is(j, TUNING_METHOD, "sft"))
		tuning_take_method(im, j, tuner_trl.rollouts, jsonin_text(j, TUNING_METHOD), TUNING_METHOD);
	else if (jsonin_has(j, "num_generations"))
		tuning_take_method(im, j, tuner_trl.rollouts, "grpo", "num_generations");
	else if (named != NULL && jsonin_text(j, TUNING_METHOD) == NULL)
		tuning_take_method(im, j, tuner_trl.rollouts, named, WORDS_SCRIPT);
}

void
tuning_trl(struct import *im, struct jsonin *j)
{
	bool brain = true;

	settings_rename(j, tuner_trl.older);
	tuning_begin(im, j, &tuner_trl);
	jsonin_bool(j, "bf16", &brain);
	if (brain && !settings_on(j, "fp16"))
		settings_say(im, j, FIELD_PRECISION, "bf16", "bf16"); /* trl/trainer/base_config.py */
	if (settings_on(j, "use_unsloth"))
		import_set(im, FIELD_KERNELS, "unsloth", "use_unsloth");
	take_trl_method(im, j);
	tuning_batch(im, j);
	tuning_take_groups(im, j, tuner_trl.rollouts);
	tuning_fsdp(im, j, "fsdp", "fsdp_config");
	take_weights(im, j, &tuner_trl);
	settings_take_away(im, j, &tuner_trl.away);
	take_trl_loss(im, j);
	settings_rest(im, j);
}

void
trl_read(struct import *im)
{
	struct jsonin j;

	if (tuning_read(&j, im, &tuner_trl))
		tuning_trl(im, &j);
	jsonin_free(&j);
}

/* Axolotl loads weights in the type that it computes in; with "full" there is no autocast either
 * (src/axolotl/utils/config, torch_dtype; core/builders/base.py). */
static void
take_axolotl_weights(struct import *im, const struct jsonin *j)
{
	const struct plan *p = im->plan;
	const char *word = jsonin_text(j, "bf16");

	if (p->finetune.method != FINETUNE_FULL || p->parallel.zero_stage != 0 || jsonin_has(j, "deepspeed"))
		return;
	if (word != NULL && text_equal(word, "full"))
		import_set(im, FIELD_PRECISION, "bf16", "bf16");
	if (settings_on(j, "bf16") || (word != NULL && text_equal(word, "full")))
		import_set(im, FIELD_ADAPTER_DTYPE, "bf16", "bf16");
}

/* Beside adapters all that is kept goes to the host instead of being computed again, or inputs (core/builders/base.py). */
static void
take_axolotl_away(struct import *im, const struct jsonin *j)
{
	static const char key[] = "activation_offloading";
	const bool all = jsonin_text(j, key) == NULL ? settings_on(j, key) ||
	    jsonin_text(j, "gradient_checkpointing") != NULL : !settings_is(j, key, "hidden_states");

	if (all && adapters_only(im->plan) && im->plan->training.recompute == RECOMPUTE_FULL)
		import_set(im, FIELD_RECOMPUTE, "none", key);
	settings_take_away(im, j, &tuner_axolotl.away);
	settings_take_tiles(im, j, "tiled_mlp", "tiled_mlp_num_shards", 0);
}

void
axolotl_read(struct import *im)
{
	bool brain = true;
	struct jsonin j;

	if (begin_tuner(im, &j, &tuner_axolotl)) {
		if (jsonin_bool(&j, "bf16", &brain) && !brain && !settings_on(&j, "fp16"))
			import_set(im, FIELD_PRECISION, "fp32", "bf16"); /* else it is auto */
		if (settings_on(&j, "liger_rms_norm") || settings_on(&j, "liger_fused_linear_cross_entropy"))
			import_set(im, FIELD_KERNELS, "liger", "liger_rms_norm");
		if (settings_on(&j, "reward_model"))
			import_set(im, FIELD_RL_ALGORITHM, "rm", "reward_model");
		tuning_take_method(im, &j, tuner_axolotl.rollouts, jsonin_text(&j, "rl"), "rl");
		tuning_batch(im, &j);
		tuning_take_groups(im, &j, tuner_axolotl.rollouts);
		take_axolotl_away(im, &j);
		tuning_fsdp(im, &j, "fsdp", "fsdp_config");
		take_axolotl_weights(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* Losses of pairs stand beside the stage; those of DPO have other names (finetuning_args.py). */
static void
take_factory_method(struct import *im, const struct jsonin *j)
{
	const bool bare = settings_is(j, "pref_loss", "orpo") || settings_is(j, "pref_loss", "simpo");
	const char *stage = jsonin_text(j, "stage");

	if (stage != NULL && text_equal(stage, "dpo") && bare)
		tuning_take_method(im, j, NULL, jsonin_text(j, "pref_loss"), "pref_loss");
	else
		tuning_take_method(im, j, NULL, stage, "stage");
}

void
llamafactory_read(struct import *im)
{
	struct jsonin j;

	if (begin_tuner(im, &j, &tuner_llamafactory)) {
		if (settings_on(&j, "use_unsloth"))
			import_set(im, FIELD_KERNELS, "unsloth", "use_unsloth");
		else if (settings_on(&j, "enable_liger_kernel"))
			import_set(im, FIELD_KERNELS, "liger", "enable_liger_kernel");
		take_factory_method(im, &j);
		tuning_batch(im, &j);
		tuning_fsdp(im, &j, "fsdp", "fsdp_config");
		take_weights(im, &j, &tuner_llamafactory);
		settings_take_away(im, &j, &tuner_llamafactory.away);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

void
swift_read(struct import *im)
{
	struct jsonin j;

	if (begin_tuner(im, &j, &tuner_swift)) {
		if (settings_is(&j, "torch_dtype", "float32") && jsonin_has(&j, "fp16") && !settings_on(&j, "fp16") &&
		    !settings_on(&j, "bf16"))
			import_set(im, FIELD_PRECISION, "fp32", "fp16");
		tuning_take_method(im, &j, tuner_swift.rollouts, jsonin_text(&j, "rlhf_type"), "rlhf_type");
		tuning_batch(im, &j);
		tuning_take_groups(im, &j, tuner_swift.rollouts);
		if (jsonin_text(&j, "fsdp") != NULL || jsonin_has(&j, "fsdp_config"))
			tuning_fsdp(im, &j, "fsdp", "fsdp_config"); /* fsdp2, or accelerate's */
		else
			tuning_fsdp(im, &j, "fsdp.fsdp", "fsdp.fsdp_config");
		take_weights(im, &j, &tuner_swift);
		settings_take_away(im, &j, &tuner_swift.away);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* ---- torchtune -------------------------------------------------------------------------- */

/* The builder's name says the method; of overrides alone the recipe's does. */
static void
torchtune_method(struct import *im, const struct jsonin *j)
{
	const char *builder = jsonin_text(j, "model._component_");
	char words[PLAN_LIST_SIZE] = "";
	const bool quantized = settings_on(j, "model.quantize_base") || (builder != NULL &&
	    strstr(builder, ".qlora_") != NULL);

	const bool adapters = strstr(builder != NULL ? builder : im->text, builder != NULL ? "lora_" :
	    "lora_finetune") != NULL;

	if (!adapters) {
		import_set(im, FIELD_FINETUNE, "full", "model._component_");
	} else {
		import_set(im, FIELD_FINETUNE, settings_on(j, "model.use_dora") ? "dora" : quantized ? "qlora" :
		    "lora", "model._component_");
		settings_take(im, j, torchtune_adapters, "torchtune");
		take_names(im, j, "model.lora_attn_modules", words, sizeof words);
		if (settings_on(j, "model.apply_lora_to_mlp"))
			text_add(words, sizeof words, "+gate+up+down");
		if (settings_on(j, "model.apply_lora_to_output"))
			text_add(words, sizeof words, "+head");
		tuning_short(&im->plan->model, false, words, sizeof words);
		import_set(im, FIELD_ADAPTER_TARGET, words, "model.lora_attn_modules");
	}
	tuning_batch(im, j);
}

/* Recipes that generate, quantise or evaluate have no optimizer (recipes/generate.py, quantize.py,
 * eleuther_eval.py). */
static bool
torchtune_trains(struct import *im, const struct jsonin *j)
{
	static const char *const others[] = { "quantizer", "max_new_tokens", "tasks" };

	if (jsonin_has(j, "optimizer"))
		return true;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (jsonin_has(j, others[i])) {
			import_at(im, others[i]);
			import_error(im, others[i], "is of a recipe that trains nothing: it generates, quantises or "
			    "evaluates (fix: the configuration of a recipe that trains)");
			return false;
		}
	return true;
}

/* By the name of a configuration of torchtune's own, of which recipes/configs has one a model and size:
 * llama3_2/1B_lora. */
static void
torchtune_config(struct import *im, const struct jsonin *j)
{
	const char *config = jsonin_text(j, "config");
	char name[96], *slash;

	import_ignore(im, "--config", "a configuration of torchtune's own is not read: set what it does");
	if (config == NULL || !text_copy(name, sizeof name, config))
		return;
	while ((slash = strchr(name, '/')) != NULL)
		*slash = '-';
	import_known(im, name, "--config");
}

/* By the builder: torchtune.models.llama3_1.lora_llama3_1_8b; else by the checkpoint. */
static void
torchtune_model(struct import *im, const struct jsonin *j)
{
	static const char key[] = "model._component_";
	const char *builder = jsonin_text(j, key);
	const char *name = builder != NULL ? strrchr(builder, '.') : NULL;

	if (name == NULL || !import_known(im, name + 1, key))
		settings_checkpoint(im, j, "checkpointer.checkpoint_dir");
}

void
torchtune_read(struct import *im)
{
	struct jsonin j;

	if (settings_read(&j, im, NULL) && torchtune_trains(im, &j)) {
		const bool kept = jsonin_has(&j, "fsdp_reshard_after_forward") &&
		    !settings_on(&j, "fsdp_reshard_after_forward");

		import_assume(im, FIELD_LAYOUT, "torchtitan", "PyTorch's device mesh, as torchtune makes it");
		import_assume(im, FIELD_KERNELS, "torchtune", "modules of its own");
		torchtune_model(im, &j);
		if (!jsonin_has(&j, "model._component_"))
			torchtune_config(im, &j);
		settings_take(im, &j, torchtune_keys, "torchtune");
		torchtune_method(im, &j);
		settings_take_away(im, &j, &torchtune_away);
		import_assume(im, FIELD_ZERO_STAGE, plan_world(im->plan) <= 1 ? "0" : kept ? "2" : "3",
		    "fsdp_reshard_after_forward");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
