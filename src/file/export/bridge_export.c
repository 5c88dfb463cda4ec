#include <string.h>

#include "core/model/adapters.h"
#include "file/export/megatron_export.h"
#include "file/export/quote.h"
#include "file/export/writers.h"
#include "file/import/tuning_keys.h"

/*
 * Keys of the configuration and the field of each. Source: Megatron-Bridge
 * src/megatron/bridge/training/config.py, and Megatron-LM's configurations that it takes on.
 */
static const struct {
	const char *key;
	enum field_id field;
} keys[] = {
	{ "model.tensor_model_parallel_size", FIELD_TP },
	{ "model.sequence_parallel", FIELD_SEQUENCE_PARALLEL },
	{ "model.context_parallel_size", FIELD_CP },
	{ "model.pipeline_model_parallel_size", FIELD_PP },
	{ "model.expert_model_parallel_size", FIELD_EP },
	{ "model.expert_tensor_parallel_size", FIELD_ETP },
	{ "model.num_layers_in_first_pipeline_stage", FIELD_FIRST_STAGE_LAYERS },
	{ "model.num_layers_in_last_pipeline_stage", FIELD_LAST_STAGE_LAYERS },
	{ "model.account_for_embedding_in_pipeline_split", FIELD_ACCOUNT_FOR_EMBEDDING },
	{ "model.account_for_loss_in_pipeline_split", FIELD_ACCOUNT_FOR_LOSS },
	{ "model.tp_comm_overlap", FIELD_TP_OVERLAP },
	{ "model.overlap_moe_expert_parallel_comm", FIELD_MOE_OVERLAP },
	{ "model.hidden_dropout", FIELD_HIDDEN_DROPOUT },
	{ "model.attention_dropout", FIELD_ATTENTION_DROPOUT },
	{ "model.gradient_accumulation_fusion", FIELD_GRADIENT_ACCUMULATION_FUSION },
	{ "model.seq_length", FIELD_SEQUENCE_LENGTH },
	{ "dataset.seq_length", FIELD_SEQUENCE_LENGTH }, /* must be the same */
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE },
	{ "train.global_batch_size", FIELD_GLOBAL_BATCH_SIZE },
	{ "ddp.num_distributed_optimizer_instances", FIELD_DP_REPLICATE },
	{ "ddp.overlap_grad_reduce", FIELD_OVERLAP_GRAD_REDUCE },
	{ "model.cpu_offloading_num_layers", FIELD_OFFLOAD_LAYERS },
	{ "model.activation_func_fp8_input_store", FIELD_FP8_ACTIVATION_INPUT },
	{ "optimizer.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER },
};

/* Names of src/megatron/bridge/training/mixed_precision.py by those of plans. */
static const struct {
	const char *ours, *theirs;
} precisions[] = {
	{ "bf16", "bf16_mixed" },
	{ "fp16", "fp16_mixed" },
	{ "fp8", "bf16_with_fp8_delayed_scaling_mixed" },
	{ "fp8-block", "bf16_with_fp8_subchannel_scaling_mixed" },
	{ "mxfp8", "bf16_with_mxfp8_mixed" },
	{ "nvfp4", "bf16_with_nvfp4_mixed" },
};

static const char *
find_precision(const struct plan *p)
{
	char name[32];

	field_format(FIELD_PRECISION, p, name, sizeof name);
	for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++)
		if (text_equal(precisions[i].ours, name))
			return precisions[i].theirs;
	return NULL;
}

/* KEY=VALUE as one word of the shell. A text is in single quotes for Hydra, whose grammar
 * gives parentheses, brackets and commas a meaning; null is no value. */
static void
put_override(struct textbuf *out, const char *key, const char *value, bool is_text)
{
	char word[PLAN_LAYOUT_SIZE + 96];

	if (is_text && value[0] != '\0')
		text_put(word, sizeof word, "%s='%s'", key, value);
	else
		text_put(word, sizeof word, "%s=%s", key, value[0] != '\0' ? value : "null");
	textbuf_bytes(out, "\t", 1);
	quote_shell(out, word);
	textbuf_bytes(out, "\n", 1);
}

static void
put_field(struct textbuf *out, const char *key, enum field_id f, const struct plan *p)
{
	char value[PLAN_LAYOUT_SIZE];

	field_format(f, p, value, sizeof value);
	put_override(out, key, value, field_table[f].type == FIELD_TEXT);
}

static void
put_flag(struct textbuf *out, const char *key, bool on)
{
	put_override(out, key, on ? "true" : "false", false);
}

static void
put_chunks(struct textbuf *out, const struct plan *p)
{
	char value[24] = "";

	if (p->parallel.vpp > 1)
		text_put(value, sizeof value, "%lld", (long long)p->parallel.vpp);
	put_override(out, "model.virtual_pipeline_model_parallel_size", value, false);
	put_field(out, "model.pipeline_model_parallel_layout", FIELD_PIPELINE_LAYOUT, p);
}

static void
put_recompute(struct textbuf *out, const struct plan *p)
{
	const bool full = p->training.recompute == RECOMPUTE_FULL;
	char text[PLAN_LIST_SIZE + 2] = "";

	if (p->training.recompute != RECOMPUTE_NONE)
		field_format(FIELD_RECOMPUTE, p, text, sizeof text);
	put_override(out, "model.recompute_granularity", text, false);
	if (full)
		put_field(out, "model.recompute_method", FIELD_RECOMPUTE_METHOD, p);
	else
		put_override(out, "model.recompute_method", "", false);
	if (full)
		put_field(out, "model.recompute_num_layers", FIELD_RECOMPUTE_LAYERS, p);
	else
		put_override(out, "model.recompute_num_layers", "", false);
	text_put(text, sizeof text, "[%s]", p->training.recompute_modules);
	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		put_override(out, "model.recompute_modules", text, false);
}

static void
put_state(struct textbuf *out, const struct plan *p)
{
	const char *precision = find_precision(p);

	put_flag(out, "ddp.use_distributed_optimizer", p->parallel.zero_stage >= 1);
	put_flag(out, "optimizer.use_distributed_optimizer", p->parallel.zero_stage >= 1);
	put_flag(out, "ddp.use_megatron_fsdp", p->parallel.zero_stage >= 2);
	if (p->parallel.zero_stage >= 2)
		put_override(out, "ddp.data_parallel_sharding_strategy",
		    p->parallel.zero_stage == 2 ? "optim_grads" : "optim_grads_params", false);
	put_flag(out, "ddp.overlap_param_gather", p->parallel.zero_stage >= 1 &&
	    p->training.overlap_param_gather);
	if (precision != NULL)
		put_override(out, "mixed_precision", precision, false);
	put_flag(out, "ddp.grad_reduce_in_fp32", p->training.grad_dtype == GRAD_FP32);
}

/* src/megatron/bridge/peft/lora.py, dora.py. */
static void
put_adapters(struct export *e, struct textbuf *out)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	char names[TUNING_NAMES_SIZE], list[TUNING_NAMES_SIZE + 2];

	if (!adapters_only(p))
		return;
	text_put(list, sizeof list, "[%s]", tuning_names(names, p, targets, true));
	put_field(out, "peft.dim", FIELD_ADAPTER_RANK, p);
	put_field(out, "peft.dropout", FIELD_ADAPTER_DROPOUT, p);
	put_override(out, "peft.target_modules", list, false);
	if (targets & TARGET_EXPERTS)
		put_flag(out, "peft.share_expert_adapters",
		    p->finetune.expert_adapters == ADAPTERS_SHARED);
}

/* Of setup_experiment.py. */
static const char *
mode_of(const struct plan *p)
{
	static const char *const modes[] = { [FINETUNE_NONE] = "pretrain", [FINETUNE_FULL] = "sft",
		[FINETUNE_LORA] = "lora", [FINETUNE_DORA] = "dora" };

	return modes[p->finetune.method];
}

static void
tell_adapters(struct export *e)
{
	export_missing(e, FIELD_MODULES_TO_SAVE, "adapters alone are trained");
	export_missing(e, FIELD_PACKING, "dataset.packed_sequence_specs of the recipe");
}

/* Sizes of the model are the recipe's, as is what else no override says; what the user chose of
 * them is told. */
static void
tell_missing(struct export *e)
{
	if (find_precision(e->plan) == NULL)
		export_missing(e, FIELD_PRECISION, "there is no mixed precision of that name");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		field_set_add(&e->said, keys[i].field);
	EXPORT_SAY(e, FIELD_LAYOUT, FIELD_PRESET, FIELD_VPP, FIELD_PIPELINE_LAYOUT, FIELD_RECOMPUTE,
	    FIELD_RECOMPUTE_METHOD, FIELD_RECOMPUTE_LAYERS, FIELD_RECOMPUTE_MODULES, FIELD_ZERO_STAGE,
	    FIELD_OVERLAP_PARAM_GATHER, FIELD_PRECISION, FIELD_GRAD_DTYPE, FIELD_SCHEDULE, FIELD_FINETUNE,
	    FIELD_ADAPTER_RANK, FIELD_ADAPTER_DROPOUT, FIELD_ADAPTER_TARGET, FIELD_EXPERT_ADAPTERS);
	export_missing_rest(e, "the recipe tells");
}

void
bridge_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct textbuf *out;

	if (!megatron_can_run(e))
		return;
	tell_adapters(e);
	tell_missing(e);
	out = export_begin(e, "bridge.sh");
	textbuf_add(out, "#!/bin/bash\n");
	export_head(e, out, "# ");
	textbuf_add(out, "overrides=(\n");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		put_field(out, keys[i].key, keys[i].field, p);
	put_flag(out, "model.cpu_offloading", p->training.offload_layers > 0);
	put_chunks(out, p);
	put_recompute(out, p);
	put_state(out, p);
	put_adapters(e, out);
	textbuf_add(out, ")\n"
	    "# the recipe of %s; account, partition and container as arguments\n"
	    "exec ./scripts/training/train.sh --nodes %lld --gpus-per-node %lld \\\n"
	    "\t--recipe \"${RECIPE:?is the name of a recipe}\" --mode %s \"$@\" "
	    "\"${overrides[@]}\"\n", p->model.preset, (long long)p->cluster.nodes,
	    (long long)p->cluster.gpus_per_node, mode_of(p));
}
