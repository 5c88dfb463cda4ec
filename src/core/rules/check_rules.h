/*
 * check_rules.h - the predicates of the rules in check_rules.c. Private to core.
 *
 * Each says whether a plan breaks its rule and, if so, why: in message, unless size is 0.
 */
#ifndef CORE_CHECK_RULES_H
#define CORE_CHECK_RULES_H
#include "core/base/text.h"
#include "core/rules/check.h"

/* Say why, where anybody asks, and report the rule as broken. */
#define BROKEN(...) ((void)(size > 0 && text_put(message, size, __VA_ARGS__) > 0), true)
#define N(value) ((long long)(value))

typedef bool rule_function(const struct facts *facts, char *message, size_t size);

/* rules_shape.c: what model, sequence and experts ask of the parallel sizes */
rule_function rule_heads_do_not_divide, rule_kv_heads_do_not_divide, rule_kv_heads_not_whole,
    rule_kv_heads_do_not_group, rule_latent_size_missing, rule_linear_size_missing,
    rule_ffn_does_not_divide, rule_etp_has_no_meaning,
    rule_expert_ffn_does_not_divide, rule_shared_ffn_does_not_divide,
    rule_sequence_does_not_divide_by_cp, rule_sequence_does_not_divide_by_tp,
    rule_torchtitan_sequence, rule_sequence_too_long, rule_hierarchy_missing,
    rule_cp_without_flash, rule_cp_before_ampere,
    rule_a2a_heads_do_not_divide, rule_cp_comm_impossible, rule_hyper_connections_impossible,
    rule_sequence_in_runs, rule_fewer_heads_than_cp, rule_ep_without_experts, rule_experts_do_not_divide,
    rule_topk_above_experts, rule_router_groups, rule_expert_size_missing, rule_ep_tp_without_sp,
    rule_moe_bias_with_etp, rule_topk_one, rule_moe_overlap_impossible,
    rule_mtp_with_positions;

/* rules_mixer.c: layer patterns, Mamba and linear attention */
rule_function rule_compressed_size_missing, rule_compressed_trains, rule_all_layers_borrow,
    rule_output_groups_do_not_divide;
rule_function rule_pattern_unreadable, rule_pattern_mixes_attention, rule_pattern_without_index,
    rule_pattern_without_linear, rule_pattern_without_experts, rule_mamba_size_missing,
    rule_mamba_does_not_divide, rule_mamba_groups, rule_mamba_cp,
    rule_linear_heads_do_not_divide;

/* rules_run.c: batch and switches, serving, advice */
rule_function rule_batch_does_not_divide, rule_group_out_of_range, rule_group_leaves_bubble,
    rule_rounds_uneven, rule_dualpipe_odd, rule_dualpipe_microbatches, rule_fork_chunks,
    rule_param_overlap_without_grad_overlap, rule_tied_with_pipeline, rule_async_tp_uncompiled,
    rule_too_few_microbatches, rule_fewer_tokens_than_requests, rule_drafts_with_pipeline,
    rule_recompute_module_unknown, rule_recompute_without_module, rule_recompute_too_many,
    rule_tp_overlap_without_sp, rule_sp_without_tp, rule_sp_off, rule_layout_misplaced,
    rule_mtp_on_first_rank, rule_torchtitan_chunks, rule_chunks_without_pipeline,
    rule_request_too_long, rule_context_too_long, rule_tokens_are_no_blocks,
    rule_ep_has_no_size, rule_dp_attention_without_experts, rule_dcp_without_copies,
    rule_prefill_workers_unknown, rule_prefill_heads_do_not_divide,
    rule_accepts_more_than_drafted, rule_host_cache_is_unused, rule_layout_is_for_serving,
    rule_layout_is_for_training, rule_tp_leaves_nvlink, rule_domain_cuts_nodes,
    rule_fp8_without_units;

/* rules_state.c: ZeRO stages, copies, optimizers, offload */
rule_function rule_fp8_gather_without_zero, rule_fp8_gather_without_fp8, rule_offload_not_supported,
    rule_precision_without_adam, rule_offload_with_fp8_params, rule_instances_without_shards,
    rule_fsdp_optimizer, rule_offload_without_precision, rule_zero_with_pipeline,
    rule_moe_with_zero3, rule_copies_do_not_divide, rule_copies_without_zero3,
    rule_copies_offloaded, rule_copies_have_no_meaning, rule_nanotron_zero;

/* rules_kernel.c */
rule_function rule_format_not_on_gpu, rule_format_does_not_divide, rule_kernel_not_on_gpu,
    rule_graph_impossible, rule_graph_memory, rule_fused_experts_impossible,
    rule_offload_layers_impossible, rule_fp8_input_without_swiglu, rule_moments_without_precision,
    rule_gradients_in_other_format,
    rule_dispatcher_impossible;

/* rules_rl.c: rollouts and pairs */
rule_function rule_rl_no_pool, rule_rl_pool_unused, rule_rl_engines_do_not_divide,
    rule_rl_heads_do_not_divide, rule_rl_stale_in_turn, rule_rl_response_too_long,
    rule_rl_context_too_short, rule_rl_row_too_short, rule_rl_batch_does_not_divide;
/* rules_finetune.c: adapters and frozen weights */
rule_function rule_target_unknown, rule_saved_unknown, rule_rank_does_not_divide,
    rule_adapters_missing, rule_quantized_with_tp, rule_quantized_in_megatron,
    rule_quantized_trained, rule_qlora_not_quantized, rule_kernels_of_others,
    rule_quantized_not_sharded, rule_experts_not_reached, rule_out_proj_refused,
    rule_saved_sharded, rule_tuning_off;
#endif
