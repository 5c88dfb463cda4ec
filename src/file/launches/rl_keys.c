#include "file/launches/rl_keys.h"

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
	{ MEGATRON "apply_rope_fusion", FIELD_ROPE_FUSION, NULL, NULL },
	{ MEGATRON "moe_permute_fusion", FIELD_PERMUTE_FUSION, NULL, NULL },
	END
};

const struct settings_key nemo_dtensor_keys[] = {
	{ DTENSOR "tensor_parallel_size", FIELD_TP, NULL, NULL },
	{ DTENSOR "context_parallel_size", FIELD_CP, NULL, NULL },
	{ DTENSOR "dp_replicate_size", FIELD_DP_REPLICATE, NULL, "1" },
	{ DTENSOR "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ DTENSOR "activation_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
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
	{ VLLM "enforce_eager", FIELD_EAGER, NULL, "false" },
	END
};

/* ---- slime -------------------------------------------------------------------------------- */

const struct settings_key slime_keys[] = {
	{ "rollout-batch-size", FIELD_RL_PROMPTS, NULL, NULL },
	{ "n-samples-per-prompt", FIELD_RL_RESPONSES, NULL, NULL },
	{ "rollout-max-response-len", FIELD_RL_RESPONSE_LIMIT, NULL, NULL },
	{ "rollout-max-context-len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "sglang-mem-fraction-static", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0" },
	{ "sglang-max-running-requests", FIELD_MAX_NUM_SEQS, NULL, "0" },
	{ "sglang-chunked-prefill-size", FIELD_MAX_BATCHED_TOKENS, NULL, "0" },
	{ "use-rollout-logprobs", FIELD_RL_OLD_LOGPROB, "true=false|false=true", NULL },
	END
};

/* ---- verl --------------------------------------------------------------------------------- */

#define PARAMS "true=optimizer+params|true=all|false=none|false=optimizer"
#define OPTIMIZER "true=optimizer|true=optimizer+params|true=all|false=none"

const struct settings_key verl_keys[] = {
	{ "data.max_response_length", FIELD_RL_RESPONSE_LIMIT, NULL, "512" },
	{ VERL_ROLLOUT "n", FIELD_RL_RESPONSES, NULL, "1" },
	{ VERL_ROLLOUT "name", FIELD_ENGINE, "vllm=vllm|sglang=sglang|trtllm=trtllm", NULL },
	{ VERL_ROLLOUT "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.5" },
	{ VERL_ROLLOUT "max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ VERL_ROLLOUT "max_num_seqs", FIELD_MAX_NUM_SEQS, NULL, "0" },
	{ VERL_ROLLOUT "max_num_batched_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, "0" },
	{ VERL_ROLLOUT "enforce_eager", FIELD_EAGER, NULL, "false" },
	{ "actor_rollout_ref.model.use_remove_padding", FIELD_PACKING, NULL, "true" },
	{ VERL_ROLLOUT "log_prob_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ VERL_REF "log_prob_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ VERL_ACTOR "ppo_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	END
};

const struct settings_key verl_fsdp_keys[] = {
	{ "actor_rollout_ref.model.enable_gradient_checkpointing", FIELD_RECOMPUTE,
	    "true=full|false=none", "full" },
	{ VERL_ACTOR "ulysses_sequence_parallel_size", FIELD_CP, NULL, "1" },
	{ VERL_ACTOR "fsdp_config.reshard_after_forward", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ VERL_ACTOR "fsdp_config.offload_policy", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	{ VERL_ACTOR "fsdp_config.param_offload", FIELD_RL_OFFLOAD, PARAMS, NULL },
	{ VERL_ACTOR "fsdp_config.optimizer_offload", FIELD_RL_OFFLOAD, OPTIMIZER, NULL },
	{ VERL_ACTOR "fsdp_config.dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32",
	    "bf16" },
	END
};

/* One switch moves the inputs of layers and all else that is kept (verl/utils/activation_offload.py). */
const struct settings_away verl_away = {
	"actor_rollout_ref.model.enable_activation_offload=true",
	"actor_rollout_ref.model.enable_activation_offload=true"
};
const struct settings_away verl_sft_away = {
	"model.enable_activation_offload=true", "model.enable_activation_offload=true"
};

const struct settings_key verl_megatron_keys[] = {
	{ VERL_ACTOR "megatron.tensor_model_parallel_size", FIELD_TP, NULL, NULL },
	{ VERL_ACTOR "megatron.pipeline_model_parallel_size", FIELD_PP, NULL, NULL },
	{ VERL_ACTOR "megatron.virtual_pipeline_model_parallel_size", FIELD_VPP, NULL, "1" },
	{ VERL_ACTOR "megatron.context_parallel_size", FIELD_CP, NULL, NULL },
	{ VERL_ACTOR "megatron.expert_model_parallel_size", FIELD_EP, NULL, NULL },
	{ VERL_ACTOR "megatron.expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ VERL_ACTOR "megatron.sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ VERL_ACTOR "megatron.use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", "1" },
	{ VERL_ACTOR "megatron.param_offload", FIELD_RL_OFFLOAD, PARAMS, NULL },
	{ VERL_ACTOR "megatron.grad_offload", FIELD_RL_OFFLOAD, PARAMS, NULL },
	{ VERL_ACTOR "megatron.optimizer_offload", FIELD_RL_OFFLOAD, OPTIMIZER, NULL },
	{ VERL_ACTOR "megatron.dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16", "bf16" },
	{ VERL_ACTOR "megatron.override_transformer_config.recompute_granularity", FIELD_RECOMPUTE, NULL,
	    "none" },
	{ "+" VERL_ACTOR "megatron.override_transformer_config.num_layers_in_first_pipeline_stage",
	    FIELD_FIRST_STAGE_LAYERS, NULL, "" },
	{ "+" VERL_ACTOR "megatron.override_transformer_config.num_layers_in_last_pipeline_stage",
	    FIELD_LAST_STAGE_LAYERS, NULL, "" },
	{ "+" VERL_ACTOR "megatron.override_transformer_config.pipeline_model_parallel_layout",
	    FIELD_PIPELINE_LAYOUT, NULL, "" },
	END
};

/* Its trainer on texts: verl/trainer/config/sft_trainer_engine.yaml, config/engine. */
const struct settings_key verl_sft_keys[] = {
	{ "data.train_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, "256" },
	{ "data.micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, "4" },
	{ "data.max_length", FIELD_SEQUENCE_LENGTH, NULL, "1024" },
	{ "model.enable_gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "full" },
	END
};

const struct settings_key verl_sft_fsdp_keys[] = {
	{ "engine.ulysses_sequence_parallel_size", FIELD_CP, NULL, "1" },
	{ "engine.reshard_after_forward", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ "engine.offload_policy", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	END
};

const struct settings_key verl_sft_megatron_keys[] = {
	{ "engine.tensor_model_parallel_size", FIELD_TP, NULL, "1" },
	{ "engine.pipeline_model_parallel_size", FIELD_PP, NULL, "1" },
	{ "engine.virtual_pipeline_model_parallel_size", FIELD_VPP, NULL, NULL },
	{ "engine.context_parallel_size", FIELD_CP, NULL, "1" },
	{ "engine.expert_model_parallel_size", FIELD_EP, NULL, "1" },
	{ "engine.expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ "engine.sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ "engine.use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", "1" },
	{ "engine.dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16", "bf16" },
	{ "engine.override_transformer_config.recompute_granularity", FIELD_RECOMPUTE, NULL, NULL },
	{ "engine.override_transformer_config.recompute_method", FIELD_RECOMPUTE_METHOD, NULL, NULL },
	{ "engine.override_transformer_config.recompute_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
	{ "optim.override_optimizer_config.optimizer_cpu_offload", FIELD_OFFLOAD, "true=optimizer|false=none", NULL },
	{ "optim.override_optimizer_config.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL, NULL },
	END
};

/* ---- AReaL -------------------------------------------------------------------------------- */

const struct settings_key areal_keys[] = {
	{ "actor.dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", "bf16" },
	{ "actor.gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	END
};

const struct settings_key areal_fsdp_keys[] = {
	{ "actor.fsdp.offload_params", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	END
};

const struct settings_key areal_megatron_keys[] = {
	{ "actor.megatron.virtual_pipeline_parallel_size", FIELD_VPP, NULL, "1" },
	{ "actor.megatron.ddp.use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", "1" },
	{ "actor.megatron.ddp.grad_reduce_in_fp32", FIELD_GRAD_DTYPE, "true=fp32|false=bf16", NULL },
	{ "actor.megatron.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL, NULL },
	END
};

const struct settings_key areal_recompute_keys[] = {
	{ "actor.megatron.recompute_granularity", FIELD_RECOMPUTE, NULL, "full" },
	{ "actor.megatron.recompute_method", FIELD_RECOMPUTE_METHOD, NULL, "uniform" },
	{ "actor.megatron.recompute_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, "1" },
	END
};

const struct settings_key areal_rollout_keys[] = {
	{ "train_dataset.batch_size", FIELD_RL_PROMPTS, NULL, "1" },
	{ "gconfig.n_samples", FIELD_RL_RESPONSES, NULL, "1" },
	{ "gconfig.max_new_tokens", FIELD_RL_RESPONSE_LIMIT, NULL, "16384" },
	{ "rollout.max_head_offpolicyness", FIELD_STALENESS, NULL, "0" },
	END
};

const struct settings_key areal_sglang_keys[] = {
	{ "sglang.mem_fraction_static", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.9" },
	{ "sglang.context_length", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "sglang.max_running_requests", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ "sglang.chunked_prefill_size", FIELD_MAX_BATCHED_TOKENS, NULL, NULL },
	{ "sglang.disable_cuda_graph", FIELD_EAGER, NULL, NULL },
	END
};

const struct settings_key areal_vllm_keys[] = {
	{ "vllm.gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.9" },
	{ "vllm.max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "vllm.max_num_seqs", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ "vllm.enforce_eager", FIELD_EAGER, NULL, NULL },
	END
};

/* ---- OpenRLHF ----------------------------------------------------------------------------- */

const struct settings_key openrlhf_keys[] = {
	{ "ds.zero_stage", FIELD_ZERO_STAGE, NULL, "2" },
	{ "ds.param_dtype", FIELD_PRECISION, "bf16=bf16|fp16=fp16", "bf16" },
	{ "ds.tensor_parallel_size", FIELD_TP, NULL, "1" },
	{ "ds.ring_attn_size", FIELD_CP, NULL, "1" },
	{ "ds.adam_offload", FIELD_OFFLOAD, "true=optimizer|false=none", "none" },
	{ "ds.packing_samples", FIELD_PACKING, NULL, "false" },
	{ "ds.use_liger_kernel", FIELD_KERNELS, "true=liger|false=eager", "eager" },
	{ "ds.grad_accum_dtype", FIELD_GRAD_DTYPE, NULL, NULL },
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "1" },
	{ "train.batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, "128" },
	{ "data.max_len", FIELD_SEQUENCE_LENGTH, NULL, "2048" },
	END
};

const struct settings_key openrlhf_adapters[] = {
	{ "ds.lora.rank", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "ds.lora.dropout", FIELD_ADAPTER_DROPOUT, NULL, "0" },
	END
};

const struct settings_key openrlhf_rollouts[] = {
	{ "rollout.batch_size", FIELD_RL_PROMPTS, NULL, "1024" },
	{ "rollout.n_samples_per_prompt", FIELD_RL_RESPONSES, NULL, "1" },
	{ "rollout.max_new_tokens", FIELD_RL_RESPONSE_LIMIT, NULL, NULL },
	{ "rollout.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "vllm.gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.95" },
	{ "actor.gradient_checkpointing_enable", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ "ref.offload", FIELD_RL_OFFLOAD, "true=all|false=none|false=optimizer|"
	    "false=optimizer+params", NULL },
	END
};

const struct settings_key openrlhf_pairs[] = {
	{ "model.gradient_checkpointing_enable", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	END
};
