#include "core/rules/check_rules.h"

#include "core/framework/framework.h"

#define ARGUMENTS "Megatron-LM megatron/training/arguments.py"
#define CONFIG "Megatron-LM megatron/core/transformer/transformer_config.py"
#define SCHEDULES "Megatron-LM megatron/core/pipeline_parallel/schedules.py"
#define MLP "Megatron-LM megatron/core/utils.py, divide"
#define TE_CP "TransformerEngine transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py"

#define TE_FORMATS "TransformerEngine transformer_engine/pytorch/quantization.py, utils.py (assert_dim_for_fp8_exec)"
#define PEFT "huggingface/peft src/peft/tuners/tuners_utils.py"
#define BITSANDBYTES "bitsandbytes-foundation/bitsandbytes bitsandbytes/nn/modules.py"

#define M RULES_MEGATRON
#define D RULES_DEEPSPEED
#define T RULES_TORCHTITAN
#define O RULES_NANOTRON
#define V RULES_VLLM
#define S RULES_SEED
#define HYBRID "Megatron-LM megatron/core/models/hybrid/hybrid_layer_allocation.py"
#define CSA "vLLM vllm/model_executor/models/deepseek_v4.py"
#define MAMBA "Megatron-LM megatron/core/ssm/mamba_mixer.py"
#define ALL RULES_ALL
#define TRAINERS RULES_TRAINERS
#define ERROR SEVERITY_ERROR
#define WARN SEVERITY_WARNING
#define HINT SEVERITY_HINT
#define MODEL READS(FIELD_NAME)

const struct rule check_rules[] = {
#define RULE(...) { __VA_ARGS__ },
#include "core/rules/check_rules.def"
#undef RULE
};
const size_t check_rule_count = sizeof check_rules / sizeof *check_rules;
_Static_assert(sizeof check_rules / sizeof *check_rules <= CHECK_RULES_MAX, "check_list is full");
