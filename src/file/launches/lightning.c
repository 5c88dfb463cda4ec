/*
 * lightning.c - litgpt and LightningCLI, both on Lightning's Fabric: Lightning-AI/litgpt config_hub, litgpt/args.py,
 * litgpt/pretrain.py, litgpt/finetune; Lightning-AI/pytorch-lightning src/lightning/fabric/connector.py (devices, strategies,
 * precisions), src/lightning/pytorch/strategies.
 */
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

#define END { NULL, FIELD_NONE, NULL, NULL }
#define PRECISIONS "bf16-mixed=bf16|bf16-true=bf16|bf16=bf16|16-mixed=fp16|16-true=fp16|16=fp16|32-true=fp32|32=fp32|" \
    "transformer-engine=fp8"

/* ---- what both say ------------------------------------------------------------------------ */

/* A number, a list of numbers, or "auto", -1 and nothing: all there are, 0 here. */
static int64_t
devices_of(const struct jsonin *j, const char *key)
{
	const char *text = jsonin_text(j, key);
	int64_t n = 0;
	size_t count;

	if (text == NULL)
		return jsonin_list(j, key, &count) ? (int64_t)count : most_of(settings_number(j, key, 0), 0);
	for (; strchr(text, ',') != NULL; text = strchr(text, ',') + 1)
		n++;
	return n > 0 ? n + (*text != '\0') : 0;
}

/* "bf16-true" trains weights of that type, with moments like them; "mixed" those of fp32. */
static void
take_trained(struct import *im, const struct jsonin *j, const char *key)
{
	const char *word = jsonin_text(j, key);

	if (word != NULL && field_is_set(FIELD_FINETUNE, im->plan))
		import_set(im, FIELD_ADAPTER_DTYPE, text_equal(word, "bf16-true") ? "bf16" : "fp32", key);
}

/* ---- litgpt ------------------------------------------------------------------------------- */

static const struct settings_key litgpt_keys[] = {
	{ "precision", FIELD_PRECISION, PRECISIONS, "bf16" },
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "train.max_seq_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "optimizer.class_path", FIELD_OPTIMIZER, "torch.optim.AdamW=adam|torch.optim.Adam=adam|torch.optim.SGD=sgd|"
	    "bitsandbytes.optim.PagedAdamW=paged-adam|bitsandbytes.optim.AdamW8bit=adam8bit", NULL },
	END
};

static const struct settings_key litgpt_adapters[] = {
	{ "lora_r", FIELD_ADAPTER_RANK, NULL, "8" },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0.05" },
	{ "quantize", FIELD_QUANTIZATION, "bnb.nf4=nf4|bnb.nf4-dq=nf4-dq|bnb.int8-training=int8", NULL },
	END
};

static bool
litgpt_pretrains(const struct import *im, const struct jsonin *j)
{
	return strstr(im->text, "litgpt pretrain") != NULL || (jsonin_has(j, "model_name") && !jsonin_has(j, "checkpoint_dir"));
}

static void
take_litgpt_adapters(struct import *im, const struct jsonin *j)
{
	static const struct {
		const char *key, *word;
		bool usual;
	} parts[] = {
		{ "lora_query", "q", true }, { "lora_key", "k", false }, { "lora_value", "v", true },
		{ "lora_projection", "o", false }, { "lora_mlp", "gate+up+down", false }, { "lora_head", "head", false },
	};
	char words[PLAN_LIST_SIZE] = "";

	settings_take(im, j, litgpt_adapters, "litgpt");
	import_set(im, FIELD_FINETUNE, im->plan->finetune.quantization == QUANT_NF4 || im->plan->finetune.quantization ==
	    QUANT_NF4_DQ ? "qlora" : "lora", "lora_r");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (jsonin_has(j, parts[i].key) ? settings_on(j, parts[i].key) : parts[i].usual)
			text_add(words, sizeof words, "%s%s", words[0] != '\0' ? "+" : "", parts[i].word);
	tuning_short(&im->plan->model, false, words, sizeof words);
	import_set(im, FIELD_ADAPTER_TARGET, words, "lora_query and others");
}

/* On several GPUs all shard: of fine-tuning everything, with layers computed again; of pre-training within a node. */
static void
take_litgpt_shards(struct import *im, bool pretrains)
{
	static const char why[] = "as litgpt shards on so many GPUs";
	const bool several = plan_world(im->plan) > 1;

	import_assume(im, FIELD_ZERO_STAGE, several ? "3" : "0", why);
	import_assume(im, FIELD_RECOMPUTE, several && !pretrains ? "full" : "none", why);
	if (pretrains)
		import_assume_int(im, FIELD_DP_REPLICATE, im->plan->cluster.nodes, why);
}

static void
take_litgpt_budget(struct import *im, const struct jsonin *j)
{
	double tokens;

	if (jsonin_real(j, "train.max_tokens", 1, 1e18, &tokens))
		settings_tokens(im, tokens, "train.max_tokens");
	else if (jsonin_has(j, "train.max_steps"))
		settings_budget(im, settings_number(j, "train.max_steps", 0), "train.max_steps");
}

void
litgpt_read(struct import *im)
{
	struct jsonin j;

	if (settings_read(&j, im, "litgpt finetune|litgpt pretrain")) {
		const bool pretrains = litgpt_pretrains(im, &j), adapts = jsonin_has(&j, "lora_r") || jsonin_has(&j, "lora_query") ||
		    strstr(im->text, "litgpt finetune_lora") != NULL || strstr(im->text, "litgpt finetune ") != NULL;
		const int64_t devices = devices_of(&j, "devices");

		import_assume(im, FIELD_LAYOUT, "torchtitan", "PyTorch's device mesh, as Fabric makes it");
		settings_checkpoint(im, &j, pretrains ? "model_name initial_checkpoint_dir " WORDS_OPERAND : "checkpoint_dir " WORDS_OPERAND);
		if (adapts && !pretrains)
			take_litgpt_adapters(im, &j);
		else if (!pretrains)
			import_set(im, FIELD_FINETUNE, "full", "checkpoint_dir");
		settings_take(im, &j, litgpt_keys, "litgpt");
		if (!jsonin_has(&j, "train.max_seq_length") || jsonin_text(&j, "train.max_seq_length") != NULL)
			import_ignore(im, "train.max_seq_length", "not set: the longest of the data, at most what the model takes");
		settings_world(im, settings_number(&j, "num_nodes", 1), devices > 0 || pretrains || jsonin_has(&j, "devices") ? devices : 1,
		    8, "devices");
		settings_set(im, &j, FIELD_GLOBAL_BATCH_SIZE, settings_number(&j, "train.global_batch_size", pretrains ? 512 : 16),
		    "train.global_batch_size");
		if (plan_world(im->plan) > 1 && im->plan->finetune.quantization != QUANT_NONE && !pretrains)
			import_refuse(im, "quantize", "litgpt quantises on one GPU alone (litgpt/finetune/lora.py)");
		take_litgpt_shards(im, pretrains);
		take_trained(im, &j, "precision");
		take_litgpt_budget(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* ---- LightningCLI ------------------------------------------------------------------------- */

#define STRATEGY "trainer.strategy"
#define ARGUMENTS STRATEGY ".init_args."

static const struct settings_key lightning_keys[] = {
	{ "trainer.precision", FIELD_PRECISION, PRECISIONS, "fp32" },
	END
};

/* Arguments of a data module are its own: what they are usually called. */
static void
take_first(struct import *im, const struct jsonin *j, enum field_id f, const char *names)
{
	char name[64], key[96];
	int64_t n;

	for (int64_t i = 0; text_choice(names, i, name, sizeof name); i++)
		for (int at = 0; at < 2; at++) {
			text_put(key, sizeof key, "data.%s%s", at == 0 ? "init_args." : "", name);
			if (!jsonin_has(j, key) || jsonin_text(j, key) != NULL || !jsonin_int(j, key, 1, INT32_MAX, &n))
				continue;
			import_set_int(im, f, n, key);
			return;
		}
	import_ignore(im, "data", "the data module's code says its sizes (fix: --set training.sequence_length, "
	    "training.micro_batch_size)");
}

/* "deepspeed_stage_3_offload", "fsdp_cpu_offload", or a class with its arguments. */
static void
take_strategy(struct import *im, const struct jsonin *j)
{
	const bool named = jsonin_text(j, STRATEGY) != NULL;
	const char *text = named ? jsonin_text(j, STRATEGY) : jsonin_text(j, STRATEGY ".class_path");
	const char *word = text == NULL ? "auto" : strrchr(text, '.') != NULL ? strrchr(text, '.') + 1 : text;
	const char *kind = jsonin_text(j, ARGUMENTS "sharding_strategy"), *stage = strstr(word, "stage_");

	if (strncmp(word, "deepspeed", 9) == 0 || text_equal(word, "DeepSpeedStrategy")) {
		import_set(im, FIELD_LAYOUT, "deepspeed", STRATEGY);
		import_set_int(im, FIELD_ZERO_STAGE, stage != NULL ? stage[6] - '0' : settings_number(j, ARGUMENTS "stage", 2), STRATEGY);
		if (strstr(word, "offload") != NULL || settings_on(j, ARGUMENTS "offload_optimizer"))
			import_set(im, FIELD_OFFLOAD, (strstr(word, "stage_3") != NULL && strstr(word, "offload") != NULL) ||
			    settings_on(j, ARGUMENTS "offload_parameters") ? "optimizer+params" : "optimizer", STRATEGY);
		return;
	}
	import_assume(im, FIELD_LAYOUT, "torchtitan", "PyTorch's device mesh, as Lightning makes it");
	if (strncmp(word, "fsdp", 4) == 0 || text_equal(word, "FSDPStrategy") || text_equal(word, "ModelParallelStrategy")) {
		import_set(im, FIELD_ZERO_STAGE, "3", STRATEGY);
		if (kind != NULL)
			settings_strategy(im, kind, ARGUMENTS "sharding_strategy");
		if (strstr(word, "offload") != NULL || settings_on(j, ARGUMENTS "cpu_offload"))
			import_set(im, FIELD_OFFLOAD, "optimizer+params", STRATEGY);
		if (jsonin_has(j, ARGUMENTS "activation_checkpointing_policy") || jsonin_has(j, ARGUMENTS "activation_checkpointing"))
			import_set(im, FIELD_RECOMPUTE, "full", ARGUMENTS "activation_checkpointing_policy");
		if (text_equal(word, "ModelParallelStrategy"))
			settings_set(im, j, FIELD_TP, most_of(settings_number(j, ARGUMENTS "tensor_parallel_size", 1), 1),
			    ARGUMENTS "tensor_parallel_size");
		return;
	}
	import_set(im, FIELD_ZERO_STAGE, "0", STRATEGY);
	if (strncmp(word, "ddp", 3) != 0 && strncmp(word, "DDP", 3) != 0 && !text_equal(word, "auto"))
		import_ignore(im, STRATEGY, "no strategy that a plan has: planned as DDP");
}

void
lightning_read(struct import *im)
{
	static const char rounds[] = "trainer.accumulate_grad_batches";
	struct jsonin j;

	if (settings_read(&j, im, NULL)) {
		int64_t dp;

		settings_checkpoint(im, &j, "model.init_args.model_name_or_path model.init_args.pretrained_model_name_or_path "
		    "model.init_args.model_name model.init_args.model model.init_args.checkpoint model.model_name_or_path model.model_name");
		if (!field_is_set(FIELD_PRESET, im->plan) && !field_is_set(FIELD_LAYERS, im->plan))
			text_put(im->unread, sizeof im->unread, "the module's code");
		settings_world(im, settings_number(&j, "trainer.num_nodes", 1), devices_of(&j, "trainer.devices"), 8,
		    "trainer.devices");
		settings_take(im, &j, lightning_keys, "Lightning");
		take_strategy(im, &j);
		take_first(im, &j, FIELD_MICRO_BATCH_SIZE, "micro_batch_size|batch_size|train_batch_size");
		take_first(im, &j, FIELD_SEQUENCE_LENGTH, "max_seq_length|block_size|max_length|seq_length|seq_len");
		dp = plan_world(im->plan) / most_of(im->plan->parallel.tp, 1);
		settings_set(im, &j, FIELD_GLOBAL_BATCH_SIZE, product_of(product_of(dp, im->plan->training.micro_batch_size),
		    most_of(settings_number(&j, rounds, 1), 1)), rounds);
		if (jsonin_has(&j, "trainer.max_steps"))
			settings_budget(im, settings_number(&j, "trainer.max_steps", 0), "trainer.max_steps");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
