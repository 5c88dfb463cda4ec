#include "file/launches/settings_keys.h"

#include <string.h>

#include "core/base/text.h"

#define END { NULL, FIELD_NONE, NULL, NULL }

/* src/megatron/bridge/training/mixed_precision.py */
#define BRIDGE_PRECISIONS "bf16_mixed=bf16|fp16_mixed=fp16|bf16_with_fp8_delayed_scaling_mixed=fp8|" \
	"bf16_with_fp8_current_scaling_mixed=fp8|fp16_with_fp8_current_scaling_mixed=fp8|" \
	"fp16_with_fp8_delayed_scaling_mixed=fp8|nemotron_h_bf16_with_fp8_current_scaling_mixed=fp8|" \
	"nanov2_bf16_with_fp8_current_scaling_mixed=fp8|bf16_with_fp8_subchannel_scaling_mixed=fp8-block|" \
	"bf16_with_mxfp8_mixed=mxfp8|bf16_with_nvfp4_mixed=nvfp4|nemotron_3_super_bf16_with_nvfp4_mixed=nvfp4"

const struct settings_key deepspeed_keys[] = {
	{ "train_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, NULL },
	{ "train_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "zero_optimization.stage", FIELD_ZERO_STAGE, NULL, "0" },
	{ "tensor_parallel.autotp_size", FIELD_TP, NULL, "1" },
	{ "sequence_parallel_size", FIELD_CP, NULL, "1" },
	{ "optimizer.type", FIELD_OPTIMIZER, "AdamW=adam|Adam=adam|SGD=sgd|Muon=muon", "adam" },
	{ "data_types.grad_accum_dtype", FIELD_GRAD_DTYPE, "fp32=fp32|bf16=bf16|fp16=fp16", NULL },
	END
};

const struct settings_key torchtitan_keys[] = {
	{ "training.seq_len", FIELD_SEQUENCE_LENGTH, NULL, "2048" },
	{ "parallelism.tensor_parallel_degree", FIELD_TP, NULL, "1" },
	{ "parallelism.pipeline_parallel_degree", FIELD_PP, NULL, "1" },
	{ "parallelism.context_parallel_degree", FIELD_CP, NULL, "1" },
	{ "parallelism.context_parallel_rotate_method", FIELD_CP_COMM,
	    "allgather=allgather|alltoall=p2p", "allgather" },
	{ "parallelism.expert_parallel_degree", FIELD_EP, NULL, "1" },
	{ "parallelism.expert_tensor_parallel_degree", FIELD_ETP, NULL, "1" },
	{ "parallelism.enable_async_tensor_parallel", FIELD_TP_OVERLAP, NULL, "false" },
	{ "parallelism.disable_loss_parallel", FIELD_GATHERED_LOGITS, NULL, "false" },
	{ "activation_checkpoint.mode", FIELD_RECOMPUTE, NULL, "selective" },
	{ "compile.enable", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "training.dtype", FIELD_WEIGHTS_16BIT, "bfloat16=true|float32=false", "false" },
	END
};

const struct settings_key titan_python_keys[] = {
	{ "training.max_context_length", FIELD_SEQUENCE_LENGTH, NULL, "2048" },
	{ "training.mixed_precision_param", FIELD_PRECISION, "bfloat16=bf16|float32=fp32|"
	    "bfloat16=fp8|bfloat16=fp8-block|bfloat16=mxfp8|bfloat16=nvfp4", "bf16" },
	{ "training.dtype", FIELD_WEIGHTS_16BIT, "bfloat16=true|float32=false", "false" },
	{ "optimizer.implementation", FIELD_MOMENTS_DTYPE, "fused_opt_states_bf16=bf16|fused=fp32|foreach=fp32|for-loop=fp32",
	    "fp32" },
	{ "training.disable_cuda_graphs", FIELD_CUDA_GRAPH, "true=none|false=full", "full" },
	{ "parallelism.tensor_parallel_degree", FIELD_TP, NULL, "1" },
	{ "parallelism.pipeline_parallel_degree", FIELD_PP, NULL, "1" },
	{ "parallelism.context_parallel_degree", FIELD_CP, NULL, "1" },
	{ "parallelism.expert_parallel_degree", FIELD_EP, NULL, "1" },
	{ "compile.enable", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "compile.enable_async_tensor_parallel", FIELD_TP_OVERLAP, NULL, "false" },
	END
};

const struct settings_key nanotron_keys[] = {
	{ "parallelism.pp", FIELD_PP, NULL, NULL },
	{ "parallelism.tp", FIELD_TP, NULL, NULL },
	{ "parallelism.expert_parallel_size", FIELD_EP, NULL, "1" },
	{ "parallelism.context_parallel_size", FIELD_CP, NULL, "1" },
	{ "parallelism.pp_engine", FIELD_SCHEDULE, "1f1b=1f1b|afab=gpipe", "gpipe" },
	{ "parallelism.tp_mode", FIELD_SEQUENCE_PARALLEL, "REDUCE_SCATTER=true|ALL_REDUCE=false",
	    "false" },
	{ "parallelism.recompute_layer", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ "tokens.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "tokens.sequence_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "optimizer.accumulate_grad_in_fp32", FIELD_GRAD_DTYPE, "true=fp32|false=bf16|false=fp16",
	    NULL },
	{ "model.dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", NULL },
	{ "model.model_config.hidden_size", FIELD_HIDDEN_SIZE, NULL, NULL },
	{ "model.model_config.intermediate_size", FIELD_FFN_HIDDEN_SIZE, NULL, NULL },
	{ "model.model_config.num_hidden_layers", FIELD_LAYERS, NULL, NULL },
	{ "model.model_config.num_attention_heads", FIELD_ATTENTION_HEADS, NULL, NULL },
	{ "model.model_config.num_key_value_heads", FIELD_KV_HEADS, NULL, NULL },
	{ "model.model_config.vocab_size", FIELD_VOCAB_SIZE, NULL, NULL },
	{ "model.model_config.max_position_embeddings", FIELD_MAX_POSITION, NULL, NULL },
	{ "model.model_config.tie_word_embeddings", FIELD_TIED_EMBEDDINGS, NULL, NULL },
	END
};

const struct settings_key accelerate_keys[] = {
	{ "num_machines", FIELD_NODES, NULL, NULL },
	{ "mixed_precision", FIELD_PRECISION, "bf16=bf16|fp16=fp16|fp8=fp8|no=fp32", "fp32" },
	END
};

/* What is absent is the plugin's (utils/dataclasses.py, DeepSpeedPlugin). */
const struct settings_key accelerate_deepspeed_keys[] = {
	{ "deepspeed_config.zero_stage", FIELD_ZERO_STAGE, NULL, "2" },
	END
};

const struct settings_key fsdp_keys[] = {
	{ "fsdp_config.fsdp_reshard_after_forward", FIELD_ZERO_STAGE,
	    "true=3|false=2|FULL_SHARD=3|SHARD_GRAD_OP=2|HYBRID_SHARD=3", "3" },
	{ "fsdp_config.fsdp_activation_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ "fsdp_config.fsdp_offload_params", FIELD_OFFLOAD, "true=optimizer+params|false=none", "none" },
	{ "parallelism_config.parallelism_config_tp_size", FIELD_TP, NULL, "1" },
	{ "parallelism_config.parallelism_config_cp_size", FIELD_CP, NULL, "1" },
	{ "parallelism_config.parallelism_config_dp_replicate_size", FIELD_DP_REPLICATE, NULL, "1" },
	END
};

const struct settings_key bridge_keys[] = {
	{ "model.tensor_model_parallel_size", FIELD_TP, NULL, NULL },
	{ "model.sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ "model.context_parallel_size", FIELD_CP, NULL, NULL },
	{ "model.pipeline_model_parallel_size", FIELD_PP, NULL, NULL },
	{ "model.virtual_pipeline_model_parallel_size", FIELD_VPP, NULL, NULL },
	{ "model.pipeline_model_parallel_layout", FIELD_PIPELINE_LAYOUT, NULL, NULL },
	{ "model.expert_model_parallel_size", FIELD_EP, NULL, NULL },
	{ "model.expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ "model.num_layers_in_first_pipeline_stage", FIELD_FIRST_STAGE_LAYERS, NULL, NULL },
	{ "model.num_layers_in_last_pipeline_stage", FIELD_LAST_STAGE_LAYERS, NULL, NULL },
	{ "model.account_for_embedding_in_pipeline_split", FIELD_ACCOUNT_FOR_EMBEDDING, NULL, NULL },
	{ "model.account_for_loss_in_pipeline_split", FIELD_ACCOUNT_FOR_LOSS, NULL, NULL },
	{ "model.tp_comm_overlap", FIELD_TP_OVERLAP, NULL, NULL },
	{ "model.overlap_moe_expert_parallel_comm", FIELD_MOE_OVERLAP, NULL, NULL },
	{ "model.apply_rope_fusion", FIELD_ROPE_FUSION, NULL, NULL },
	{ "model.moe_permute_fusion", FIELD_PERMUTE_FUSION, NULL, NULL },
	{ "model.hidden_dropout", FIELD_HIDDEN_DROPOUT, NULL, NULL },
	{ "model.attention_dropout", FIELD_ATTENTION_DROPOUT, NULL, NULL },
	{ "model.gradient_accumulation_fusion", FIELD_GRADIENT_ACCUMULATION_FUSION, NULL, NULL },
	{ "model.seq_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "dataset.seq_length", FIELD_SEQUENCE_LENGTH, NULL, NULL }, /* must be the same */
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "train.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, NULL },
	{ "ddp.num_distributed_optimizer_instances", FIELD_DP_REPLICATE, NULL, NULL },
	{ "ddp.overlap_grad_reduce", FIELD_OVERLAP_GRAD_REDUCE, NULL, NULL },
	{ "model.activation_func_fp8_input_store", FIELD_FP8_ACTIVATION_INPUT, NULL, NULL },
	{ "model.fp8_dot_product_attention", FIELD_FP8_ATTENTION, NULL, NULL },
	{ "optimizer.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL, NULL },
	{ "mixed_precision", FIELD_PRECISION, BRIDGE_PRECISIONS, NULL },
	{ "model.recompute_granularity", FIELD_RECOMPUTE, "full=full|selective=selective", "none" },
	{ "model.recompute_method", FIELD_RECOMPUTE_METHOD, NULL, NULL },
	{ "model.recompute_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
	END
};

const struct settings_key bridge_peft_keys[] = {
	{ "peft.dim", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "peft.dropout", FIELD_ADAPTER_DROPOUT, NULL, NULL },
	{ "peft.share_expert_adapters", FIELD_EXPERT_ADAPTERS, "true=shared|false=separate", NULL },
	END
};

const struct settings_away deepspeed_away = {
	.inputs = "activation_checkpointing.cpu_checkpointing=true"
};
const struct settings_away accelerate_away = {
	.inputs = "fsdp_config.fsdp_activation_checkpointing_offload=true|" /* accelerate#4175 */
	    "fsdp_config.activation_checkpointing_offload=true"
};

const struct titan_model titan_models[] = {
	{ "llama3", "8B", "llama-3.1-8b", "llama3_8b" }, { "llama3", "8B", "llama-3-8b", NULL },
	{ "llama3", "70B", "llama-3.1-70b", "llama3_70b" }, { "llama3", "405B", "llama-3.1-405b", "llama3_405b" },
	{ "qwen3", "0.6B", "qwen3-0.6b", "qwen3_0_6b" }, { "qwen3", "1.7B", "qwen3-1.7b", "qwen3_1_7b" },
	{ "qwen3", "4B", "qwen3-4b", NULL }, { "qwen3", "8B", "qwen3-8b", NULL },
	{ "qwen3", "14B", "qwen3-14b", "qwen3_14b" }, { "qwen3", "32B", "qwen3-32b", "qwen3_32b" },
	{ "qwen3", "30B-A3B", "qwen3-30b-a3b", "qwen3_30b_a3b" }, { "qwen3", "235B-A22B", "qwen3-235b-a22b", NULL },
	{ "deepseek_v3", "16B", "deepseek-v2-lite", "deepseek_v3_16b" }, { "deepseek_v3", "236B", "deepseek-v2", NULL },
	{ "deepseek_v3", "671B", "deepseek-v3", "deepseek_v3_671b" },
	{ "llama4", "17bx16e", "llama-4-scout-17b-16e", NULL },
	{ "llama4", "17bx128e", "llama-4-maverick-17b-128e", NULL },
	{ "gpt_oss", "20b", "gpt-oss-20b", "gpt_oss_20b" }, { "gpt_oss", "120b", "gpt-oss-120b", "gpt_oss_120b" },
	{ NULL, NULL, NULL, NULL }
};

/* ---- words ------------------------------------------------------------------------------ */

bool
settings_ours(const char *words, const char *theirs,
    int (*compare)(const char *a, const char *b), char *buf, size_t size)
{
	char pair[96];

	for (int64_t i = 0; text_choice(words, i, pair, sizeof pair); i++) {
		char *ours = strchr(pair, '=');

		*ours++ = '\0';
		if (compare(pair, theirs) == 0)
			return text_copy(buf, size, ours);
	}
	return false;
}

bool
settings_theirs(const char *words, const char *ours, char *buf, size_t size)
{
	char pair[96];

	for (int64_t i = 0; text_choice(words, i, pair, sizeof pair); i++) {
		char *is = strchr(pair, '=');

		*is++ = '\0';
		if (text_equal(is, ours))
			return text_copy(buf, size, pair);
	}
	return false;
}
