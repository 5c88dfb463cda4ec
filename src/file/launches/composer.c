/*
 * composer.c - llm-foundry's trainer: mosaicml/llm-foundry scripts/train/yamls, llmfoundry/utils/config_utils.py,
 * llmfoundry/models/mpt/configuration_mpt.py (defaults); mosaicml/composer composer/distributed/dist_strategy.py.
 */
#include <jansson.h>
#include <stdlib.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/models/checkpoint.h"
#include "file/source/named.h"
#include "file/source/words.h"

#define FSDP "fsdp_config."
#define PEFT "model.peft_config."

static const struct settings_key keys[] = {
	{ "max_seq_len", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "device_train_microbatch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "global_train_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, NULL },
	{ "precision", FIELD_PRECISION, "amp_bf16=bf16|amp_fp16=fp16|fp32=fp32|amp_fp8=fp8", "bf16" },
	{ "optimizer.name", FIELD_OPTIMIZER, "decoupled_adamw=adam|adamw=adam|adam=adam|decoupled_sgdw=sgd", NULL },
	{ FSDP "activation_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ NULL, FIELD_NONE, NULL, NULL }
};

static const struct settings_key adapters[] = {
	{ PEFT "r", FIELD_ADAPTER_RANK, NULL, "8" },
	{ PEFT "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0" },
	{ NULL, FIELD_NONE, NULL, NULL }
};

static const struct settings_away away = { .inputs = FSDP "activation_cpu_offload=true",
	.kept = FSDP "activation_cpu_offload=true" };

/* MPT from its sizes, which are those of its config.json; else a checkpoint's name. */
static void
take_model(struct import *im, const struct jsonin *j)
{
	json_t *config;

	if (!settings_is(j, "model.name", "mpt_causal_lm") || im->has_model) {
		settings_checkpoint(im, j, "model.pretrained_model_name_or_path model.pretrained_model_name tokenizer.name");
		return;
	}
	if (jsonin_has(j, "model.ffn_config.moe_num_experts")) {
		import_error(im, "model.ffn_config", "experts of MegaBlocks in MPT are no shape that is known (fix: --model=NAME or "
		    "--set model.*)");
		return;
	}
	config = json_deep_copy(json_object_get(j->root, "model"));
	json_object_set_new(config, "model_type", json_string("mpt"));
	import_shape(im, config, "model");
	json_decref(config);
}

static void
take_method(struct import *im, const struct jsonin *j)
{
	static const struct settings_key kinds[] = {
		{ PEFT "peft_type", FIELD_TUNER, "LORA=lora|ADALORA=adalora|LOHA=loha|LOKR=lokr|OFT=oft|VERA=vera|IA3=ia3|MISS=miss|"
		    "BONE=miss", NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	static const struct tuner names = { .targets = PEFT "target_modules", .linear = "all-linear", .usual = "qv" };

	if (jsonin_has(j, PEFT "r") || jsonin_has(j, PEFT "peft_type")) {
		import_set(im, FIELD_FINETUNE, "lora", PEFT "peft_type");
		settings_take(im, j, kinds, "PEFT");
		settings_take(im, j, adapters, "PEFT");
		tuning_take_targets(im, j, &names);
	} else if (settings_on(j, "model.pretrained")) {
		import_set(im, FIELD_FINETUNE, "full", "model.pretrained");
	}
}

/* "63900ba" are batches, "3000000tok" tokens; epochs and samples of unknown length the data tell. */
static void
take_duration(struct import *im, const struct jsonin *j)
{
	static const char key[] = "max_duration";
	const char *text = jsonin_text(j, key);
	char *unit;
	const double n = text != NULL ? strtod(text, &unit) : 0;

	if (text == NULL || !(n > 0) || n > 1e18)
		return;
	if (text_equal(unit, "ba") && n < INT32_MAX)
		settings_budget(im, (int64_t)n, key);
	else if (text_equal(unit, "tok"))
		settings_tokens(im, n, key);
	else
		import_ignore(im, key, "how many tokens that is the data tell (training.token_budget)");
}

/* One row of the batch each, where the file leaves the size of a micro-batch to a try on the GPU. */
static void
take_micro_batch(struct import *im, const struct jsonin *j, int64_t world)
{
	const int64_t row = im->plan->training.global_batch_size / most_of(world, 1);

	if (settings_is(j, "device_train_microbatch_size", "auto") && row > 0)
		import_assume_int(im, FIELD_MICRO_BATCH_SIZE, 1, "auto: the run tries what fits (fix: --set)");
}

void
composer_read(struct import *im)
{
	static const char strategy[] = FSDP "sharding_strategy";
	struct jsonin j;
	int64_t world;

	if (settings_read(&j, im, NULL)) {
		named_inherit(im, &j); /* ${variables.max_seq_len} */
		import_assume(im, FIELD_LAYOUT, "torchtitan", "PyTorch's device mesh, as Composer makes it");
		take_model(im, &j);
		settings_take(im, &j, keys, "Composer");
		take_method(im, &j);
		world = settings_world(im, settings_number(&j, WORDS_NODES, 1), settings_number(&j, WORDS_PROCESSES, 0),
		    8, WORDS_PROCESSES);
		take_micro_batch(im, &j, world);
		if (!jsonin_has(&j, "fsdp_config"))
			import_assume(im, FIELD_ZERO_STAGE, "0", "no fsdp_config");
		else if (jsonin_text(&j, strategy) == NULL || !settings_strategy(im, jsonin_text(&j, strategy), strategy))
			import_assume(im, FIELD_ZERO_STAGE, "3", "Composer's default");
		settings_take_away(im, &j, &away);
		take_duration(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
