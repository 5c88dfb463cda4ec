#include "file/launches/tuning_keys.h"

#include <string.h>

#include "core/base/text.h"
#include "core/model/adapters.h"

#define END { NULL, FIELD_NONE, NULL, NULL }
#define OPTIMIZERS "adamw_torch_fused=adam|adamw_torch=adam|adamw_bnb_8bit=adam8bit|" \
    "adamw_8bit=adam8bit|adamw_torch_8bit=adam8bit|paged_adamw_32bit=paged-adam|" \
    "paged_adamw=paged-adam|paged_adamw_8bit=paged-adam8bit|sgd=sgd"

/* transformers 5.17 and newer: of layers that it checkpoints (#48444) */
#define INPUTS_AWAY "gradient_checkpointing_kwargs.offload=true"

static const struct settings_key trl_keys[] = {
	{ "dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", "fp32" },
	{ "max_length", FIELD_SEQUENCE_LENGTH, NULL, "1024" },
	{ "packing", FIELD_PACKING, NULL, "false" },
	{ "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "8" },
	{ "gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "full" },
	{ "optim", FIELD_OPTIMIZER, OPTIMIZERS, NULL },
	{ "use_liger_kernel", FIELD_KERNELS, "true=liger|false=eager", "eager" },
	{ "torch_compile", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "tf32", FIELD_TF32, NULL, "false" },
	END
};
/* What from_pretrained loads is what is trained, moments like it (trl/trainer/model_config.py). */
static const struct settings_key trl_weights[] = {
	{ "dtype", FIELD_ADAPTER_DTYPE, "bfloat16=bf16|float32=fp32", NULL },
	END
};
static const struct settings_key trl_adapters[] = {
	{ "lora_r", FIELD_ADAPTER_RANK, NULL, "16" },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0.05" },
	END
};

/* trl/trainer/grpo_config.py */
static const struct settings_key trl_rollout_keys[] = {
	{ "num_generations", FIELD_RL_RESPONSES, NULL, "8" },
	{ "max_completion_length", FIELD_RL_RESPONSE_LIMIT, NULL, "512" },
	{ "vllm_tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "1" },
	{ "vllm_gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.3" },
	{ "vllm_max_model_length", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "vllm_enable_sleep_mode", FIELD_ENGINE_SLEEP, "true=2|false=0", "0" },
	END
};
static const struct tuner_rollouts trl_rollouts = { .keys = trl_rollout_keys, .section = "", .beta = "beta" };

const struct tuner tuner_trl = {
	.program = "TRL", .commands = "trl sft|trl dpo|trl reward|trl grpo|accelerate launch",
	.older = "max_seq_length=max_length|torch_dtype=dtype", .keys = trl_keys, .adapters = trl_adapters,
	.weights = trl_weights,
	.method = "use_peft", .lora = "true", .qlora = "true", .dora = "use_dora",
	.nested = "use_bnb_nested_quant",
	.targets = "lora_target_modules", .linear = "all-linear", .usual = "qv",
	.parameters = "lora_target_parameters", .saved = "lora_modules_to_save",
	.away = { INPUTS_AWAY "|activation_offloading=true", "activation_offloading=true" },
	.checkpointing = "gradient_checkpointing", .off = "false", .rollouts = &trl_rollouts,
};

/* Lengths and ranks have as many names as there are scripts. */
static const struct settings_key trainer_keys[] = {
	{ "torch_dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", "fp32" },
	{ "max_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "block_size", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "max_seq_len", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "max_seq_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "model_max_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "packing", FIELD_PACKING, NULL, "false" },
	{ "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "8" },
	{ "gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ "optim", FIELD_OPTIMIZER, OPTIMIZERS, NULL },
	{ "use_liger_kernel", FIELD_KERNELS, "true=liger|false=eager", "eager" },
	{ "torch_compile", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "tf32", FIELD_TF32, NULL, "false" },
	END
};
static const struct settings_key trainer_adapters[] = {
	{ "lora_r", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "lora_rank", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, NULL },
	END
};

const struct tuner tuner_trainer = {
	.program = "Trainer", .commands = "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed|python",
	.keys = trainer_keys, .adapters = trainer_adapters,
	.method = "use_lora|lora_enable|use_peft|use_peft_lora|lora", .lora = "true", .qlora = "true", .nested = "double_quant",
	.targets = "lora_target_modules", .linear = "all-linear", .usual = "all-linear",
	.away = { INPUTS_AWAY, NULL }, .checkpointing = "gradient_checkpointing", .off = "false",
};

static const struct settings_key axolotl_keys[] = {
	{ "sequence_len", FIELD_SEQUENCE_LENGTH, NULL, "512" },
	{ "sample_packing", FIELD_PACKING, NULL, "false" },
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none|offload=full|offload_disk=full",
	    "none" },
	{ "optimizer", FIELD_OPTIMIZER, OPTIMIZERS "|muon=muon", NULL },
	{ "torch_compile", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "tf32", FIELD_TF32, NULL, "false" },
	{ "tensor_parallel_size", FIELD_TP, NULL, "1" },
	{ "context_parallel_size", FIELD_CP, NULL, "1" },
	{ "dp_replicate_size", FIELD_DP_REPLICATE, NULL, "1" },
	END
};
static const struct settings_key axolotl_adapters[] = {
	{ "lora_r", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0" },
	{ "peft_autocast_adapter_dtype", FIELD_ADAPTER_DTYPE, "true=fp32|false=bf16", "fp32" },
	END
};

/* The disk's stands for the host's, from where it is written. */
#define AXOLOTL_AWAY "activation_offloading=true|activation_offloading=legacy|" \
    "activation_offloading=disk|gradient_checkpointing=offload|gradient_checkpointing=offload_disk"

/* TRL's trainer under a section of its own (src/axolotl/core/trainers/grpo, utils/schemas/trl.py, vllm.py). */
static const struct settings_key axolotl_rollout_keys[] = {
	{ "trl.num_generations", FIELD_RL_RESPONSES, NULL, "8" },
	{ "trl.max_completion_length", FIELD_RL_RESPONSE_LIMIT, NULL, NULL },
	{ "trl.vllm_enable_sleep_mode", FIELD_ENGINE_SLEEP, "true=2|false=0", "0" },
	{ "vllm.tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "1" },
	{ "vllm.gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.9" },
	{ "vllm.max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "vllm.enforce_eager", FIELD_EAGER, NULL, NULL },
	END
};
static const struct tuner_rollouts axolotl_rollouts = { .keys = axolotl_rollout_keys, .section = "trl.",
	.replicas = "vllm.data_parallel_size", .beta = "trl.beta|rl_beta", .serves = true };

const struct tuner tuner_axolotl = {
	.program = "axolotl", .commands = "axolotl train|axolotl.cli.train",
	.older = "sequence_parallel_degree=context_parallel_size", .keys = axolotl_keys, .adapters = axolotl_adapters,
	.method = "adapter", .lora = "lora", .qlora = "qlora", .dora = "peft_use_dora",
	.nested = "bnb_config_kwargs.bnb_4bit_use_double_quant", .nests = true,
	.targets = "lora_target_modules", .linear = "all-linear", .usual = "qv",
	.parameters = "lora_target_parameters", .saved = "lora_modules_to_save",
	.away = { "activation_offloading=hidden_states|" AXOLOTL_AWAY "|" INPUTS_AWAY, AXOLOTL_AWAY },
	.checkpointing = "gradient_checkpointing", .off = "false", .rollouts = &axolotl_rollouts,
};

static const struct settings_key llamafactory_keys[] = {
	{ "cutoff_len", FIELD_SEQUENCE_LENGTH, NULL, "2048" },
	{ "packing", FIELD_PACKING, NULL, "false" },
	{ "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "8" },
	{ "disable_gradient_checkpointing", FIELD_RECOMPUTE, "true=none|false=full", "full" },
	{ "optim", FIELD_OPTIMIZER, OPTIMIZERS, NULL },
	{ "torch_compile", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "tf32", FIELD_TF32, NULL, "false" },
	END
};
/* Else it casts what is trained to fp32 (src/llamafactory/model/adapter.py, init_adapter). */
static const struct settings_key llamafactory_weights[] = {
	{ "pure_bf16", FIELD_ADAPTER_DTYPE, "true=bf16|false=fp32", "fp32" },
	END
};
static const struct settings_key llamafactory_adapters[] = {
	{ "lora_rank", FIELD_ADAPTER_RANK, NULL, "8" },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0" },
	END
};

const struct tuner tuner_llamafactory = {
	.program = "LLaMA-Factory", .commands = "llamafactory-cli train|src/train.py|src/train_bash.py", .keys = llamafactory_keys,
	.adapters = llamafactory_adapters, .weights = llamafactory_weights,
	.method = "finetuning_type", .lora = "lora", .qlora = "lora", .full = "full",
	.dora = "use_dora", .bits = "quantization_bit", .nested = "double_quantization", .nests = true,
	.targets = "lora_target", .linear = "all", .usual = "all-linear",
	.saved = "additional_target", .joined = true, .away = { .inputs = "use_unsloth_gc=true" },
	.checkpointing = "disable_gradient_checkpointing", .off = "true",
};

static const struct settings_key swift_keys[] = {
	/* Weights in fp32 compute in fp16, unless fp16 says no (swift/arguments/base_args/model_args.py). */
	{ "torch_dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp16|float32=fp32", NULL },
	{ "max_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "packing", FIELD_PACKING, NULL, "false" },
	{ "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "full" },
	{ "optim", FIELD_OPTIMIZER, OPTIMIZERS, NULL },
	{ "use_liger_kernel", FIELD_KERNELS, "true=liger|false=eager", "eager" },
	{ "torch_compile", FIELD_TORCH_COMPILE, NULL, "false" },
	{ "tf32", FIELD_TF32, NULL, "false" },
	{ "sequence_parallel_size", FIELD_CP, NULL, "1" },
	END
};
static const struct settings_key swift_weights[] = { /* without the key as the checkpoint has them */
	{ "torch_dtype", FIELD_ADAPTER_DTYPE, "bfloat16=bf16|float32=fp32", "bf16" },
	END
};
static const struct settings_key swift_adapters[] = {
	{ "lora_rank", FIELD_ADAPTER_RANK, NULL, "8" },
	{ "lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0.05" },
	{ "lora_dtype", FIELD_ADAPTER_DTYPE, "float32=fp32|bfloat16=bf16", "fp32" },
	END
};

/* swift/arguments/rlhf_args.py, swift/rlhf_trainers/args_mixin.py */
static const struct settings_key swift_rollout_keys[] = {
	{ "max_length", FIELD_RL_PROMPT_TOKENS, NULL, NULL },
	{ "num_generations", FIELD_RL_RESPONSES, NULL, "8" },
	{ "max_completion_length", FIELD_RL_RESPONSE_LIMIT, NULL, "512" },
	{ "vllm_tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "1" },
	{ "vllm_gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.9" },
	{ "vllm_max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "vllm_enforce_eager", FIELD_EAGER, NULL, NULL },
	{ "sleep_level", FIELD_ENGINE_SLEEP, NULL, "0" },
	{ "offload_optimizer", FIELD_RL_OFFLOAD, "true=optimizer|false=none", NULL },
	{ "offload_model", FIELD_RL_OFFLOAD, "true=all", NULL }, /* the reference as well (swift/rlhf_trainers/grpo_trainer.py) */
	END
};
static const struct tuner_rollouts swift_rollouts = { .keys = swift_rollout_keys, .section = "", .beta = "beta",
	.refers = true, .evaluates = true };

const struct tuner tuner_swift = {
	.program = "ms-swift", .commands = "swift sft|swift pt|swift rlhf|swift/cli/sft.py|swift/cli/pt.py|swift/cli/rlhf.py",
	.older = "train_type=tuner_type|sft_type=tuner_type|lora_target_modules=target_modules|"
	    "batch_size=per_device_train_batch_size",
	.keys = swift_keys, .adapters = swift_adapters,
	.weights = swift_weights,
	.method = "tuner_type", .lora = "lora", .qlora = "lora", .full = "full",
	.dora = "use_dora", .bits = "quant_bits", .nested = "bnb_4bit_use_double_quant", .nests = true,
	.targets = "target_modules", .linear = "all-linear", .usual = "all-linear",
	.parameters = "target_parameters", .saved = "modules_to_save",
	.away = { INPUTS_AWAY "|fsdp.fsdp_config.activation_cpu_offload=true",
	    "fsdp.fsdp_config.activation_cpu_offload=true" },
	.checkpointing = "gradient_checkpointing", .off = "false", .rollouts = &swift_rollouts,
};

/* swift/megatron/arguments/megatron_args.py */
static const struct settings_key megatron_swift_keys[] = {
	{ "max_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "packing", FIELD_PACKING, NULL, "false" },
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "1" },
	{ "global_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, "16" },
	{ "tensor_model_parallel_size", FIELD_TP, NULL, "1" },
	{ "pipeline_model_parallel_size", FIELD_PP, NULL, "1" },
	{ "virtual_pipeline_model_parallel_size", FIELD_VPP, NULL, NULL },
	{ "decoder_first_pipeline_num_layers", FIELD_FIRST_STAGE_LAYERS, NULL, NULL },
	{ "decoder_last_pipeline_num_layers", FIELD_LAST_STAGE_LAYERS, NULL, NULL },
	{ "context_parallel_size", FIELD_CP, NULL, "1" },
	{ "expert_model_parallel_size", FIELD_EP, NULL, "1" },
	{ "expert_tensor_parallel_size", FIELD_ETP, NULL, "1" },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, "false" },
	{ "use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", "1" },
	{ "optimizer_cpu_offload", FIELD_OFFLOAD, "true=optimizer|false=none", "none" },
	{ "recompute_granularity", FIELD_RECOMPUTE, NULL, "selective" },
	{ "recompute_method", FIELD_RECOMPUTE_METHOD, NULL, NULL },
	{ "recompute_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
	{ "torch_dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", "bf16" },
	{ "microbatch_group_size_per_vp_stage", FIELD_MICROBATCH_GROUP_SIZE, NULL, NULL },
	{ "pipeline_model_parallel_layout", FIELD_PIPELINE_LAYOUT, NULL, NULL },
	{ "account_for_embedding_in_pipeline_split", FIELD_ACCOUNT_FOR_EMBEDDING, NULL, NULL },
	{ "account_for_loss_in_pipeline_split", FIELD_ACCOUNT_FOR_LOSS, NULL, NULL },
	{ "mtp_num_layers", FIELD_MTP_LAYERS, NULL, NULL },
	{ "optimizer", FIELD_OPTIMIZER, "adam=adam|sgd=sgd|muon=muon|dist_muon=muon", NULL },
	{ "use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL, NULL },
	{ "exp_avg_dtype", FIELD_MOMENTS_DTYPE, NULL, NULL },
	{ "exp_avg_sq_dtype", FIELD_MOMENTS_DTYPE, NULL, NULL },
	{ "main_grads_dtype", FIELD_GRAD_DTYPE, NULL, NULL },
	{ "fp8_param_gather", FIELD_FP8_PARAM_GATHER, NULL, NULL },
	{ "moe_expert_capacity_factor", FIELD_MOE_CAPACITY_FACTOR, NULL, NULL },
	{ "overlap_grad_reduce", FIELD_OVERLAP_GRAD_REDUCE, NULL, "false" },
	{ "overlap_param_gather", FIELD_OVERLAP_PARAM_GATHER, NULL, "false" },
	{ "tp_comm_overlap", FIELD_TP_OVERLAP, NULL, NULL },
	{ "attention_backend", FIELD_FLASH_ATTENTION, "flash=true|fused=true|auto=true|unfused=false|local=false", NULL },
	{ "attention_backend", FIELD_ATTENTION_KERNEL, "flash=flash2|fused=cudnn|auto=auto|unfused=unfused|local=unfused", NULL },
	END
};

const struct tuner tuner_megatron_swift = {
	.program = "ms-swift", .commands = "megatron sft|megatron pt|megatron rlhf", .older = "train_type=tuner_type",
	.keys = megatron_swift_keys, .adapters = swift_adapters, .method = "tuner_type", .lora = "lora", .qlora = "lora", .full = "full",
	.whole = true, .bits = "quant_bits", .nested = "bnb_4bit_use_double_quant", .nests = true,
	.targets = "target_modules", .linear = "all-linear", .usual = "all-linear",
	.saved = "modules_to_save", .fused = true,
};

const struct settings_key torchtune_keys[] = {
	{ "tokenizer.max_seq_len", FIELD_SEQUENCE_LENGTH, NULL, NULL },
	{ "dataset.packed", FIELD_PACKING, NULL, NULL },
	{ "batch_size", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "dtype", FIELD_PRECISION, "bf16=bf16|fp32=fp32", NULL },
	{ "optimizer._component_", FIELD_OPTIMIZER, "torch.optim.AdamW=adam|"
	    "bitsandbytes.optim.AdamW8bit=adam8bit|bitsandbytes.optim.PagedAdamW=paged-adam|"
	    "bitsandbytes.optim.PagedAdamW8bit=paged-adam8bit|torch.optim.SGD=sgd", NULL },
	{ "enable_activation_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", NULL },
	{ "compile", FIELD_TORCH_COMPILE, NULL, NULL },
	{ "tensor_parallel_dim", FIELD_TP, NULL, "1" },
	{ "context_parallel_dim", FIELD_CP, NULL, "1" },
	{ "data_parallel_replicate_dim", FIELD_DP_REPLICATE, NULL, "1" },
	{ "fsdp_cpu_offload", FIELD_OFFLOAD, "true=optimizer+params|false=none", "none" },
	END
};
const struct settings_away torchtune_away = { .inputs = "enable_activation_offloading=true" };

const struct settings_key torchtune_adapters[] = {
	{ "model.lora_rank", FIELD_ADAPTER_RANK, NULL, NULL },
	{ "model.lora_dropout", FIELD_ADAPTER_DROPOUT, NULL, "0" },
	END
};

const char *
tuning_rollout_key(char buf[64], const struct tuner_rollouts *r, const char *name)
{
	text_put(buf, 64, "%s%s", r->section, name);
	return buf;
}

/* ---- modules ---------------------------------------------------------------------------- */

#define KV_HF "kv_a_proj_with_mqa,kv_b_proj"
#define KV_MEGATRON "linear_kv_down_proj,linear_kv_up_proj"

static const struct tuning_module modules[] = {
	{ TARGET_Q, "q", "q_proj", NULL, "q_a_proj,q_b_proj", "linear_q_down_proj,linear_q_up_proj" },
	{ TARGET_K, "k", "k_proj", NULL, "", "" },
	{ TARGET_V, "v", "v_proj", NULL, "", "" },
	{ TARGET_K | TARGET_V, "k+v", NULL, NULL, KV_HF, KV_MEGATRON },
	{ TARGET_QKV, "qkv", "qkv_proj", "linear_qkv", NULL, NULL },
	{ TARGET_O, "o", "o_proj", "linear_proj", NULL, NULL },
	{ 0, "o", "output_proj", NULL, NULL, NULL }, /* torchtune's */
	{ 0, "qkv", "Wqkv", NULL, NULL, NULL }, /* MPT's and DBRX' */
	{ TARGET_GATE, "gate", "gate_proj", NULL, NULL, NULL },
	{ TARGET_UP, "up", "up_proj", NULL, NULL, NULL },
	{ TARGET_FC1, "fc1", "gate_up_proj", "linear_fc1", NULL, NULL },
	{ TARGET_DOWN, "down", "down_proj", "linear_fc2", NULL, NULL },
	{ TARGET_ROUTER, "router", "gate", "router", NULL, NULL },
	{ TARGET_EMBEDDING, "embedding", "embed_tokens", "word_embeddings", NULL, NULL },
	{ TARGET_HEAD, "head", "lm_head", "output_layer", NULL, NULL },
};

/* One of the names that commas join. */
static bool
is_among(const char *names, const char *name, size_t n)
{
	for (size_t length; names != NULL && *names != '\0'; names += length + (names[length] == ',')) {
		length = strcspn(names, ",");
		if (length == n && memcmp(names, name, n) == 0)
			return true;
	}
	return false;
}

/* Megatron's layers are fused whichever part of them is named; multi-latent attention has no
 * fused ones. */
static unsigned
as_built(unsigned targets, bool mla, bool megatron)
{
	if (mla && (targets & TARGET_QKV))
		targets = (targets & ~(unsigned)TARGET_QKV) | TARGET_Q | TARGET_K | TARGET_V;
	if (megatron && !mla && (targets & TARGET_INPUT))
		targets = (targets & ~(unsigned)TARGET_INPUT) | TARGET_QKV;
	if (megatron && (targets & TARGET_MLP_INPUT))
		targets = (targets & ~(unsigned)TARGET_MLP_INPUT) | TARGET_FC1;
	return targets;
}

static const char *
name_of(const struct tuning_module *m, const struct plan *p, bool megatron)
{
	const char *low = megatron ? m->megatron_mla : m->name_mla;

	if (p->model.attention != ATTENTION_MLA || low == NULL)
		return megatron ? m->megatron : m->name;
	if (m->target == TARGET_Q && p->model.q_lora_rank == 0)
		return megatron ? "linear_q_proj" : m->name;
	return low;
}

const char *
tuning_names(char buf[TUNING_NAMES_SIZE], const struct plan *p, unsigned targets, bool megatron)
{
	const char *name;

	targets = as_built(targets, p->model.attention == ATTENTION_MLA, megatron);
	buf[0] = '\0';
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		if (!(targets & modules[i].target) || (name = name_of(&modules[i], p, megatron)) == NULL)
			continue;
		for (size_t n; *name != '\0'; name += n + (name[n] == ',')) {
			n = strcspn(name, ",");
			if (!is_among(buf, name, n))
				text_add(buf, TUNING_NAMES_SIZE, "%s%.*s", buf[0] != '\0' ? "," : "", (int)n, name);
		}
	}
	return buf;
}

bool
tuning_is_linear(unsigned targets)
{
	return (targets & ~(unsigned)TARGET_EXPERTS) == TARGET_LINEAR;
}

const struct tuning_module *
tuning_module(const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		const struct tuning_module *m = &modules[i];

		if (is_among(m->name, name, n) || is_among(m->name_mla, name, n) ||
		    is_among(m->megatron, name, n) || is_among(m->megatron_mla, name, n))
			return m;
	}
	return NULL;
}

void
tuning_short(const struct model *m, bool fused, char *words, size_t size)
{
	static const char *const known[] = { "all-linear", "attention", "qv", "mlp" };
	struct plan p = { .mode = MODE_TRAIN, .finetune.method = FINETUNE_LORA };
	unsigned targets;

	text_put(p.finetune.target, sizeof p.finetune.target, "%s", words);
	targets = adapters_targets(&p);
	if (fused && (targets & TARGET_QKV))
		targets = (targets & ~(unsigned)TARGET_QKV) | TARGET_Q | TARGET_K | TARGET_V;
	if (fused && (targets & TARGET_FC1))
		targets = (targets & ~(unsigned)TARGET_FC1) | TARGET_GATE | TARGET_UP;
	if ((targets & TARGET_BLOCK) == TARGET_BLOCK && !m->linear_attention && m->layer_pattern[0] == '\0')
		targets |= TARGET_LINEAR; /* there are no others */
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		text_put(p.finetune.target, sizeof p.finetune.target, "%s", known[i]);
		if ((targets & ~(unsigned)TARGET_EXPERTS) != adapters_targets(&p))
			continue;
		text_put(words, size, "%s%s", known[i], targets & TARGET_EXPERTS ? "+experts" : "");
		return;
	}
}
