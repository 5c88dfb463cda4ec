/*
 * The rules between fields, beyond layout and layer placement: what the launchers assert
 * before a run, what breaks in its first step, and what runs badly.
 */
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
#define ALL (M | D | T | O | V | S)
#define TRAINERS (M | D | T | O)
#define ERROR SEVERITY_ERROR
#define WARN SEVERITY_WARNING
#define HINT SEVERITY_HINT

const struct rule check_rules[] = {
	{ "global_batch_not_divisible", ERROR, FIELD_GLOBAL_BATCH_SIZE, ALL, MODES_TRAIN,
	  "Megatron-LM megatron/core/num_microbatches_calculator.py; DeepSpeed deepspeed/runtime/config.py; torchtitan train.py", rule_batch_does_not_divide },
	{ "vpp_group_out_of_range", ERROR, FIELD_MICROBATCH_GROUP_SIZE, M, MODES_TRAIN, SCHEDULES, rule_group_out_of_range },
	{ "vpp_group_leaves_bubble", ERROR, FIELD_GLOBAL_BATCH_SIZE, M, MODES_TRAIN, SCHEDULES, rule_group_leaves_bubble },
	{ "vpp_rounds_uneven", ERROR, FIELD_GLOBAL_BATCH_SIZE, T, MODES_TRAIN, "PyTorch torch/distributed/pipelining/schedules.py", rule_rounds_uneven },
	{ "dualpipe_odd", ERROR, FIELD_PP, TRAINERS, MODES_TRAIN, "deepseek-ai/DualPipe dualpipe/dualpipe.py", rule_dualpipe_odd },
	{ "dualpipe_microbatches", ERROR, FIELD_GLOBAL_BATCH_SIZE, TRAINERS, MODES_TRAIN,
	  "deepseek-ai/DualPipe dualpipe/dualpipe.py, dualpipev.py", rule_dualpipe_microbatches },
	{ "heads_not_divisible", ERROR, FIELD_TP, TRAINERS | V, MODES_BOTH, CONFIG, rule_heads_do_not_divide },
	{ "kv_heads_not_divisible", ERROR, FIELD_TP, M, MODES_BOTH, CONFIG, rule_kv_heads_do_not_divide },
	{ "kv_heads_not_divisible", ERROR, FIELD_TP, O, MODES_TRAIN, "nanotron src/nanotron/models/llama.py", rule_nanotron_kv_heads },
	{ "kv_heads_not_dividing_heads", ERROR, FIELD_KV_HEADS, ALL, MODES_BOTH, CONFIG, rule_kv_heads_do_not_group },
	{ "attention_size_missing", ERROR, FIELD_KV_LORA_RANK, ALL, MODES_BOTH, CONFIG, rule_latent_size_missing },
	{ "attention_size_missing", ERROR, FIELD_LINEAR_KEY_HEADS, ALL, MODES_BOTH, "transformers models/qwen3_next/configuration_qwen3_next.py", rule_linear_size_missing },
	{ "pattern_unreadable", ERROR, FIELD_LAYER_PATTERN, ALL, MODES_BOTH, HYBRID, rule_pattern_unreadable },
	{ "pattern_mixes_attention", ERROR, FIELD_ATTENTION, ALL, MODES_BOTH, HYBRID, rule_pattern_mixes_attention },
	{ "pattern_without_index", ERROR, FIELD_INDEX_HEADS, ALL, MODES_BOTH, HYBRID, rule_pattern_without_index },
	{ "pattern_without_linear", ERROR, FIELD_LINEAR_ATTENTION, ALL, MODES_BOTH, HYBRID, rule_pattern_without_linear },
	{ "pattern_without_experts", ERROR, FIELD_EXPERTS, ALL, MODES_BOTH, HYBRID, rule_pattern_without_experts },
	{ "attention_size_missing", ERROR, FIELD_OUTPUT_LORA_RANK, ALL, MODES_BOTH, CSA, rule_compressed_size_missing },
	{ "attention_size_missing", ERROR, FIELD_BORROWING_LAYERS, ALL, MODES_BOTH, "transformers models/gemma4/modular_gemma4.py", rule_all_layers_borrow },
	{ "attention_is_served_alone", ERROR, FIELD_MODE, ALL, MODES_TRAIN, CSA, rule_compressed_trains },
	{ "output_groups_not_divisible", ERROR, FIELD_TP, V, MODES_BOTH, CSA, rule_output_groups_do_not_divide },
	{ "mamba_size_missing", ERROR, FIELD_MAMBA_HEADS, ALL, MODES_BOTH, MAMBA, rule_mamba_size_missing },
	{ "mamba_not_divisible", ERROR, FIELD_TP, M | V, MODES_BOTH, MAMBA "; vLLM vllm/model_executor/layers/mamba/mamba_mixer2.py", rule_mamba_does_not_divide },
	{ "mamba_groups_not_dividing_heads", ERROR, FIELD_MAMBA_GROUPS, ALL, MODES_BOTH, MAMBA, rule_mamba_groups },
	{ "mamba_not_divisible_by_cp", ERROR, FIELD_CP, M, MODES_TRAIN, "Megatron-LM megatron/core/ssm/mamba_context_parallel.py", rule_mamba_cp },
	{ "linear_heads_not_divisible", ERROR, FIELD_TP, M | V, MODES_BOTH, "Megatron-LM megatron/core/ssm/gated_delta_net.py; vLLM vllm/model_executor/models/qwen3_next.py", rule_linear_heads_do_not_divide },
	{ "ffn_not_divisible", ERROR, FIELD_TP, TRAINERS, MODES_TRAIN, MLP, rule_ffn_does_not_divide },
	{ "expert_ffn_not_divisible", ERROR, FIELD_ETP, M | D, MODES_TRAIN, MLP, rule_expert_ffn_does_not_divide },
	{ "shared_ffn_not_divisible", ERROR, FIELD_TP, M, MODES_TRAIN, MLP, rule_shared_ffn_does_not_divide },
	{ "sequence_not_divisible_by_cp", ERROR, FIELD_SEQUENCE_LENGTH, M, MODES_TRAIN, ARGUMENTS, rule_sequence_does_not_divide_by_cp },
	{ "sequence_not_divisible_by_tp", ERROR, FIELD_SEQUENCE_LENGTH, M | D | O, MODES_TRAIN,
	  "Megatron-LM megatron/core/tensor_parallel/mappings.py", rule_sequence_does_not_divide_by_tp },
	{ "sequence_not_divisible", ERROR, FIELD_SEQUENCE_LENGTH, T, MODES_TRAIN, "torchtitan torchtitan/distributed/parallel_dims.py", rule_torchtitan_sequence },
	{ "sequence_too_long", ERROR, FIELD_SEQUENCE_LENGTH, M, MODES_TRAIN, ARGUMENTS, rule_sequence_too_long },
	{ "sequence_too_long", WARN, FIELD_SEQUENCE_LENGTH, D | T | O, MODES_TRAIN, "the model's published configuration", rule_sequence_too_long },
	{ "hcp_missing", ERROR, FIELD_HIERARCHICAL_CP, M, MODES_TRAIN, ARGUMENTS, rule_hierarchy_missing },
	{ "cp_needs_flash", ERROR, FIELD_FLASH_ATTENTION, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/dot_product_attention.py", rule_cp_without_flash },
	{ "cp_needs_ampere", ERROR, FIELD_CP, M, MODES_TRAIN,
	  "TransformerEngine transformer_engine/pytorch/attention/dot_product_attention/utils.py, get_attention_backend", rule_cp_before_ampere },
	{ "a2a_heads_not_divisible", ERROR, FIELD_CP_COMM, M, MODES_TRAIN, TE_CP, rule_a2a_heads_do_not_divide },
	{ "ep_needs_experts", ERROR, FIELD_EP, M | T, MODES_BOTH, ARGUMENTS, rule_ep_without_experts },
	{ "ep_needs_experts", ERROR, FIELD_EP, D, MODES_TRAIN, "DeepSpeed deepspeed/moe/layer.py, ep_size", rule_ep_without_experts },
	{ "experts_not_divisible", ERROR, FIELD_EP, M | D | T, MODES_BOTH, ARGUMENTS, rule_experts_do_not_divide },
	{ "router_groups_do_not_fit", ERROR, FIELD_ROUTER_GROUPS, ALL, MODES_BOTH, "Megatron-LM megatron/core/transformer/moe/moe_utils.py (group_limited_topk)", rule_router_groups },
	{ "topk_above_experts", ERROR, FIELD_EXPERTS_PER_TOKEN, ALL, MODES_BOTH, "Megatron-LM megatron/core/transformer/moe/router.py", rule_topk_above_experts },
	{ "expert_size_missing", ERROR, FIELD_MOE_FFN_HIDDEN_SIZE, ALL, MODES_BOTH, CONFIG, rule_expert_size_missing },
	{ "etp_not_supported", ERROR, FIELD_ETP, T | O, MODES_TRAIN,
	  "torchtitan torchtitan/distributed/parallel_dims.py; nanotron src/nanotron/nn/moe.py", rule_etp_has_no_meaning },
	{ "moe_bias_with_etp", ERROR, FIELD_ETP, M, MODES_TRAIN, CONFIG, rule_moe_bias_with_etp },
	{ "moe_overlap_impossible", ERROR, FIELD_MOE_OVERLAP, M, MODES_TRAIN, CONFIG, rule_moe_overlap_impossible },
	{ "mtp_position", ERROR, FIELD_POSITION, M, MODES_TRAIN, ARGUMENTS, rule_mtp_with_positions },
	{ "overlap_param_needs_grad", ERROR, FIELD_OVERLAP_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, rule_param_overlap_without_grad_overlap },
	{ "fp8_param_gather_needs_zero", ERROR, FIELD_FP8_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, rule_fp8_gather_without_zero },
	{ "fp8_param_gather_needs_fp8", ERROR, FIELD_FP8_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, rule_fp8_gather_without_fp8 },
	{ "format_not_on_gpu", ERROR, FIELD_PRECISION, TRAINERS, MODES_TRAIN, TE_FORMATS, rule_format_not_on_gpu },
	{ "format_not_divisible", ERROR, FIELD_PRECISION, M, MODES_TRAIN, TE_FORMATS, rule_format_does_not_divide },
	{ "attention_kernel_not_on_gpu", ERROR, FIELD_ATTENTION_KERNEL, TRAINERS, MODES_TRAIN,
	  "Dao-AILab/flash-attention README.md", rule_kernel_not_on_gpu },
	{ "cuda_graph_impossible", ERROR, FIELD_CUDA_GRAPH, M, MODES_TRAIN, CONFIG, rule_graph_impossible },
	{ "fused_experts_impossible", ERROR, FIELD_FUSED_EXPERTS, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/moe/experts.py", rule_fused_experts_impossible },
	{ "offload_layers_impossible", ERROR, FIELD_OFFLOAD_LAYERS, M, MODES_TRAIN, CONFIG, rule_offload_layers_impossible },
	{ "fp8_input_needs_swiglu", ERROR, FIELD_FP8_ACTIVATION_INPUT, M, MODES_TRAIN, CONFIG, rule_fp8_input_without_swiglu },
	{ "moments_need_precision_aware", ERROR, FIELD_MOMENTS_DTYPE, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/optimizer/optimizer_config.py", rule_moments_without_precision },
	{ "dispatcher_impossible", ERROR, FIELD_MOE_DISPATCHER, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/moe/token_dispatcher.py; deepseek-ai/DeepEP deep_ep/buffer.py", rule_dispatcher_impossible },
	{ "fsdp_optimizer", ERROR, FIELD_OPTIMIZER, M, MODES_TRAIN, ARGUMENTS, rule_fsdp_optimizer },
	{ "recompute_module_unknown", ERROR, FIELD_RECOMPUTE_MODULES, M, MODES_TRAIN, CONFIG, rule_recompute_module_unknown },
	{ "recompute_module_missing", ERROR, FIELD_RECOMPUTE_MODULES, M, MODES_TRAIN, CONFIG, rule_recompute_without_module },
	{ "offload_not_sharded", ERROR, FIELD_OFFLOAD, D | T, MODES_TRAIN,
	  "DeepSpeed deepspeed/runtime/zero/config.py; pytorch torch/distributed/fsdp", rule_offload_without_shards },
	{ "offload_needs_precision_aware", ERROR, FIELD_OFFLOAD, M, MODES_TRAIN, ARGUMENTS, rule_offload_without_precision },
	{ "tp_overlap_needs_sp", ERROR, FIELD_TP_OVERLAP, M, MODES_TRAIN, ARGUMENTS, rule_tp_overlap_without_sp },
	{ "zero_with_pipeline", ERROR, FIELD_ZERO_STAGE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/pipe/engine.py", rule_zero_with_pipeline },
	{ "moe_with_zero3", ERROR, FIELD_ZERO_STAGE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/engine.py", rule_moe_with_zero3 },
	{ "copies_not_divisible", ERROR, FIELD_DP_REPLICATE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/zero/mics_utils.py", rule_copies_do_not_divide },
	{ "copies_need_zero3", ERROR, FIELD_DP_REPLICATE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/engine.py", rule_copies_without_zero3 },
	{ "copies_not_supported", ERROR, FIELD_DP_REPLICATE, O | V | S, MODES_TRAIN, "nanotron src/nanotron/optim/zero.py", rule_copies_have_no_meaning },
	{ "schedule_chunks", ERROR, FIELD_VPP, M | D | O, MODES_TRAIN,
	  "sail-sg/zero-bubble-pipeline-parallelism megatron/core/pipeline_parallel/zerobubble/runtime.py; deepseek-ai/DualPipe", rule_fork_chunks },
	{ "schedule_chunks", ERROR, FIELD_VPP, T, MODES_TRAIN, "torchtitan torchtitan/distributed/pipeline_parallel.py", rule_torchtitan_chunks },
	{ "vpp_needs_pp", ERROR, FIELD_VPP, T, MODES_TRAIN, "torchtitan torchtitan/train.py, where parallel_dims.pp_enabled", rule_chunks_without_pipeline },
	{ "request_too_long", ERROR, FIELD_CONTEXT_LENGTH, ALL, MODES_SERVE, "vLLM vllm/config/model.py, max_model_len", rule_request_too_long },
	{ "tokens_not_blocks", ERROR, FIELD_MAX_BATCHED_TOKENS, ALL, MODES_SERVE,
	  "SGLang python/sglang/srt/server_args.py; TensorRT-LLM tensorrt_llm/llmapi", rule_tokens_are_no_blocks },
	{ "dcp_without_copies", ERROR, FIELD_DCP, V, MODES_SERVE, "vLLM vllm/config/model.py, verify_with_parallel_config", rule_dcp_without_copies },
	{ "prefill_workers_unknown", ERROR, FIELD_PREFILL_WORKERS, ALL, MODES_SERVE, "shardplan", rule_prefill_workers_unknown },
	{ "prefill_heads_not_divisible", ERROR, FIELD_PREFILL_WORKERS, ALL, MODES_SERVE, "vLLM vllm/config/model.py, verify_with_parallel_config", rule_prefill_heads_do_not_divide },
	{ "accepted_above_drafted", ERROR, FIELD_ACCEPTED_TOKENS, ALL, MODES_SERVE, "Leviathan et al. 2022, arXiv 2211.17192", rule_accepts_more_than_drafted },
	{ "host_cache_unused", WARN, FIELD_KV_HOST_GIB, ALL, MODES_SERVE, "vLLM docs/features/disagg_prefill.md; LMCache docs", rule_host_cache_is_unused },
	{ "rl_no_rollout_gpus", ERROR, FIELD_ROLLOUT_GPUS, ALL, MODES_TRAIN, "verl docs/advance/one_step_off.md", rule_rl_no_pool },
	{ "rl_engines_not_divisible", ERROR, FIELD_ROLLOUT_TP, ALL, MODES_TRAIN, "verl verl/workers/fsdp_workers.py, infer_tp", rule_rl_engines_do_not_divide },
	{ "rl_heads_not_divisible", ERROR, FIELD_ROLLOUT_TP, ALL, MODES_TRAIN, "vLLM vllm/config/model.py, verify_with_parallel_config", rule_rl_heads_do_not_divide },
	{ "rl_staleness_colocated", ERROR, FIELD_STALENESS, ALL, MODES_TRAIN, "NVIDIA-NeMo/RL nemo_rl/algorithms/grpo.py, async_grpo_train", rule_rl_stale_in_turn },
	{ "rl_response_too_long", ERROR, FIELD_RL_RESPONSE_TOKENS, ALL, MODES_TRAIN, "shardplan", rule_rl_response_too_long },
	{ "rl_context_too_short", ERROR, FIELD_CONTEXT_LENGTH, ALL, MODES_TRAIN, "vLLM vllm/config/model.py, max_model_len", rule_rl_context_too_short },
	{ "rl_row_too_short", ERROR, FIELD_SEQUENCE_LENGTH, ALL, MODES_TRAIN, "verl verl/utils/seqlen_balancing.py, rearrange_micro_batches", rule_rl_row_too_short },
	{ "rl_batch_not_divisible", ERROR, FIELD_RL_PROMPTS, ALL, MODES_TRAIN, "verl verl/workers/fsdp_workers.py, ppo_mini_batch_size; NVIDIA-NeMo/RL nemo_rl/algorithms/grpo.py", rule_rl_batch_does_not_divide },
	{ "rl_base_sent", WARN, FIELD_MERGE_ADAPTERS, ALL, MODES_TRAIN, "verl verl/workers/engine_workers.py, update_weights", rule_rl_base_is_sent },
	{ "rl_pool_unused", WARN, FIELD_ROLLOUT_GPUS, ALL, MODES_TRAIN, "verl docs/workers/ray_trainer.rst, hybrid engine", rule_rl_pool_unused },
	{ "context_too_long", WARN, FIELD_CONTEXT_LENGTH, ALL, MODES_SERVE, "vLLM vllm/config/model.py, max_model_len", rule_context_too_long },
	{ "ep_tp_without_sp", WARN, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, "Megatron-LM megatron/core/model_parallel_config.py", rule_ep_tp_without_sp },
	{ "recompute_too_many", WARN, FIELD_RECOMPUTE_LAYERS, M, MODES_TRAIN, CONFIG, rule_recompute_too_many },
	{ "layout_misplaced", WARN, FIELD_PIPELINE_LAYOUT, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py", rule_layout_misplaced },
	{ "mtp_on_first_rank", WARN, FIELD_PIPELINE_LAYOUT, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py", rule_mtp_on_first_rank },
	{ "nanotron_zero", WARN, FIELD_ZERO_STAGE, O, MODES_TRAIN, "nanotron src/nanotron/helpers.py", rule_nanotron_zero },
	{ "ep_has_no_size", WARN, FIELD_EP, V, MODES_BOTH, "vLLM vllm/config/parallel.py", rule_ep_has_no_size },
	{ "dp_attention_without_experts", WARN, FIELD_DP_ATTENTION, V, MODES_SERVE, "vLLM docs/serving/data_parallel_deployment.md", rule_dp_attention_without_experts },
	{ "layout_for_serving", WARN, FIELD_LAYOUT, V, MODES_TRAIN, "vLLM vllm/distributed/parallel_state.py", rule_layout_is_for_serving },
	{ "layout_for_training", WARN, FIELD_LAYOUT, M | D | T | O | S, MODES_SERVE, "vLLM vllm/distributed/parallel_state.py", rule_layout_is_for_training },
	{ "tp_leaves_nvlink", WARN, FIELD_TP, ALL, MODES_BOTH, "Narayanan et al. 2021, arXiv 2104.04473, section 3.2", rule_tp_leaves_nvlink },
	{ "domain_cuts_nodes", WARN, FIELD_NVLINK_DOMAIN, ALL, MODES_BOTH, "shardplan", rule_domain_cuts_nodes },
	{ "graph_memory_not_modelled", HINT, FIELD_CUDA_GRAPH, M, MODES_TRAIN, "Megatron-LM docs/user-guide/features (CUDA graphs)", rule_graph_memory },
	{ "fp8_without_units", WARN, FIELD_GPU, ALL, MODES_BOTH, "the GPU's data sheet", rule_fp8_without_units },
	{ "target_unknown", ERROR, FIELD_ADAPTER_TARGET, ALL, MODES_TRAIN, PEFT, rule_target_unknown },
	{ "saved_unknown", ERROR, FIELD_MODULES_TO_SAVE, ALL, MODES_TRAIN, PEFT, rule_saved_unknown },
	{ "rank_not_divisible", ERROR, FIELD_ADAPTER_RANK, M, MODES_TRAIN,
	  "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/peft/utils.py, ParallelLinearAdapter", rule_rank_does_not_divide },
	{ "adapters_without_effect", ERROR, FIELD_ADAPTER_TARGET, ALL, MODES_TRAIN, PEFT, rule_adapters_missing },
	{ "quantized_with_tp", ERROR, FIELD_TP, ALL, MODES_TRAIN, BITSANDBYTES, rule_quantized_with_tp },
	{ "quantized_in_megatron", ERROR, FIELD_LAYOUT, M, MODES_TRAIN, BITSANDBYTES, rule_quantized_in_megatron },
	{ "quantized_trained", ERROR, FIELD_QUANTIZATION, ALL, MODES_TRAIN, BITSANDBYTES, rule_quantized_trained },
	{ "qlora_not_quantized", ERROR, FIELD_QUANTIZATION, ALL, MODES_TRAIN, BITSANDBYTES, rule_qlora_not_quantized },
	{ "trainer_without_pipeline", ERROR, FIELD_PP, D | T, MODES_TRAIN,
	  "huggingface/accelerate src/accelerate/parallelism_config.py; verl verl/workers/config/engine.py", rule_trainer_without_pipeline },
	{ "optimizer_not_offered", ERROR, FIELD_OPTIMIZER, M, MODES_TRAIN, "Megatron-LM megatron/core/optimizer/__init__.py", rule_optimizer_not_offered },
	{ "kernels_not_loaded", ERROR, FIELD_KERNELS, M, MODES_TRAIN, CONFIG, rule_kernels_of_others },
	{ "quantized_not_sharded", WARN, FIELD_ZERO_STAGE, D | T, MODES_TRAIN,
	  "huggingface/peft docs/source/accelerate/deepspeed.md", rule_quantized_not_sharded },
	{ "experts_not_reached", WARN, FIELD_ADAPTER_TARGET, ALL, MODES_TRAIN,
	  "huggingface/peft docs/source/developer_guides/lora.md, target_parameters", rule_experts_not_reached },
	{ "out_proj_refused", WARN, FIELD_ADAPTER_TARGET, D | T, MODES_TRAIN,
	  "huggingface/peft src/peft/tuners/tuners_utils.py, _check_lora_target_modules_mamba", rule_out_proj_refused },
	{ "saved_sharded", WARN, FIELD_MODULES_TO_SAVE, D | T, MODES_TRAIN, PEFT, rule_saved_sharded },
	{ "tuning_off", HINT, FIELD_FINETUNE, ALL, MODES_TRAIN, PEFT, rule_tuning_off },
	{ "topk_one", HINT, FIELD_EXPERTS_PER_TOKEN, M, MODES_TRAIN, CONFIG, rule_topk_one },
	{ "sp_without_tp", HINT, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, ARGUMENTS, rule_sp_without_tp },
	{ "sp_off", HINT, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, "Korthikanti et al. 2022, arXiv 2205.05198", rule_sp_off },
};
const size_t check_rule_count = sizeof check_rules / sizeof *check_rules;
_Static_assert(sizeof check_rules / sizeof *check_rules <= CHECK_RULES_MAX, "check_list is full");
