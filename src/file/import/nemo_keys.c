#include "file/import/nemo_keys.h"

#define MEGATRON "policy.megatron_cfg."
#define DTENSOR "policy.dtensor_cfg."
#define VLLM "policy.generation.vllm_cfg."
#define END { NULL, FIELD_NONE, NULL, NULL }

const struct settings_key nemo_keys[] = {
	{ "cluster.num_nodes", FIELD_NODES, NULL, NULL },
	{ "cluster.gpus_per_node", FIELD_GPUS_PER_NODE, NULL, NULL },
	{ "policy.train_global_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, NULL },
	{ "policy.train_micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "policy.max_total_sequence_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "policy.precision", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", NULL },
	{ "policy.sequence_packing.enabled", FIELD_PACKING, NULL, NULL },
	END
};

const struct settings_key nemo_megatron_keys[] = {
	{ MEGATRON "tensor_model_parallel_size", FIELD_TP, NULL, NULL },
	{ MEGATRON "pipeline_model_parallel_size", FIELD_PP, NULL, NULL },
	{ MEGATRON "context_parallel_size", FIELD_CP, NULL, NULL },
	{ MEGATRON "expert_model_parallel_size", FIELD_EP, NULL, NULL },
	{ MEGATRON "expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ MEGATRON "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ MEGATRON "num_layers_in_first_pipeline_stage", FIELD_FIRST_STAGE_LAYERS, NULL, "" },
	{ MEGATRON "num_layers_in_last_pipeline_stage", FIELD_LAST_STAGE_LAYERS, NULL, "" },
	{ MEGATRON "model_overrides.pipeline_model_parallel_layout", FIELD_PIPELINE_LAYOUT, NULL, "" },
	{ MEGATRON "activation_checkpointing", FIELD_RECOMPUTE, "true=full|true=selective|false=none",
	    NULL },
	{ MEGATRON "optimizer.use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", NULL },
	{ MEGATRON "optimizer.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL,
	    NULL },
	{ MEGATRON "optimizer.optimizer_cpu_offload", FIELD_OFFLOAD, "true=optimizer|false=none", NULL },
	{ MEGATRON "distributed_data_parallel_config.grad_reduce_in_fp32", FIELD_GRAD_DTYPE,
	    "true=fp32|false=bf16", NULL },
	{ MEGATRON "mtp_num_layers", FIELD_MTP_LAYERS, NULL, NULL },
	END
};

const struct settings_key nemo_dtensor_keys[] = {
	{ DTENSOR "tensor_parallel_size", FIELD_TP, NULL, NULL },
	{ DTENSOR "context_parallel_size", FIELD_CP, NULL, NULL },
	{ DTENSOR "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ DTENSOR "activation_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", NULL },
	{ DTENSOR "cpu_offload", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	END
};

const struct settings_key nemo_peft_keys[] = {
	{ MEGATRON "peft.dim", FIELD_ADAPTER_RANK, NULL, NULL },
	{ MEGATRON "peft.dropout", FIELD_ADAPTER_DROPOUT, NULL, NULL },
	END
};

const struct settings_key nemo_lora_keys[] = {
	{ DTENSOR "lora_cfg.dim", FIELD_ADAPTER_RANK, NULL, NULL },
	{ DTENSOR "lora_cfg.dropout", FIELD_ADAPTER_DROPOUT, NULL, NULL },
	END
};

const struct settings_key nemo_generation_keys[] = {
	{ "policy.generation.backend", FIELD_ENGINE, "vllm=vllm", NULL },
	{ "policy.generation.max_new_tokens", FIELD_RL_RESPONSE_LIMIT, NULL, NULL },
	{ "policy.offload_optimizer_for_logprob", FIELD_RL_OFFLOAD,
	    "true=optimizer|true=optimizer+params|true=all|false=none", NULL },
	{ VLLM "kv_cache_dtype", FIELD_KV_DTYPE, "auto=bf16|auto=fp16|fp8=fp8", NULL },
	{ VLLM "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0" },
	{ VLLM "max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	END
};
