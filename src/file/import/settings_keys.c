#include "file/import/settings_keys.h"

#include <string.h>

#include "core/base/text.h"

#define END { NULL, FIELD_NONE, NULL, NULL }

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
	{ "deepspeed_config.offload_optimizer_device", FIELD_OFFLOAD,
	    "cpu=optimizer|nvme=optimizer|none=none", "none" },
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
