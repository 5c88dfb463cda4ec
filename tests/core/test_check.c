/* Which plans are legal: each rule once, and the fixes. Megatron-LM's own verdicts are held in
 * tests/file/test_megatron.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "settings.h"

/* ---- each rule ------------------------------------------------------------------------------- */

#define COMPRESSED "mode=serve layout=vllm attention=csa attention_heads=64 kv_heads=1 " \
	"q_lora_rank=1024 output_lora_rank=1024 output_groups=8 sliding_window=128 index_heads=64 " \
	"index_head_dim=128 layer_pattern=W-C-H- "
#define HYBRID "layer_pattern=M-M* mamba_heads=24 mamba_head_dim=64 mamba_state=128 "

#define GATED "linear_attention=true linear_key_head_dim=128 linear_value_head_dim=128 " \
	"global_layer_every=4 "

#define EIGHT_EXPERTS "experts=8 experts_per_token=2 moe_ffn_hidden_size=1024 "

#define MOE_OVERLAP "moe_overlap=true ep=2 experts=4 experts_per_token=2 " \
	"moe_ffn_hidden_size=1024 "

/* A plan that breaks one rule each; every rule of the table must be here. */
static const struct {
	const char *settings, *reason;
} breakers[] = {
	{ "nodes=2 tp=2 pp=4 global_batch_size=63", "global_batch_not_divisible" },
	{ "layout=vllm nodes=2 global_batch_size=63", "global_batch_not_divisible" },
	{ "nodes=2 pp=4 vpp=2 global_batch_size=8", "vpp_group_out_of_range" },
	{ "nodes=2 pp=4 vpp=2 global_batch_size=20", "vpp_group_leaves_bubble" },
	{ "layout=torchtitan nodes=2 pp=4 vpp=2 global_batch_size=44", "vpp_rounds_uneven" },
	{ "nodes=3 pp=3 model.layers=30 schedule=dualpipe global_batch_size=64", "dualpipe_odd" },
	{ "nodes=2 pp=4 schedule=dualpipe global_batch_size=28", "dualpipe_microbatches" },
	{ "nodes=2 pp=4 schedule=dualpipe global_batch_size=36", "dualpipe_microbatches" },
	{ "nodes=2 pp=4 schedule=dualpipev global_batch_size=28", "dualpipe_microbatches" },
	{ "nodes=2 pp=4 vpp=2 schedule=zb-1p", "schedule_chunks" },
	{ "nodes=2 pp=4 vpp=2 schedule=zb-2p", "schedule_chunks" },
	{ "nodes=2 pp=4 vpp=2 schedule=dualpipe", "schedule_chunks" },
	{ "tp=8 attention_heads=12 kv_heads=4", "heads_not_divisible" },
	{ "tp=8 attention_heads=24 kv_heads=12", "kv_heads_not_divisible" },
	{ "layout=nanotron tp=8 kv_heads=4", "kv_heads_not_divisible" },
	{ "layout=torchtitan nodes=2 tp=16", "kv_heads_not_divisible" },
	{ "attention_heads=32 kv_heads=5", "kv_heads_not_dividing_heads" },
	{ "attention=mla qk_rope_head_dim=64", "attention_size_missing" },
	{ "attention=mla kv_lora_rank=512", "attention_size_missing" },
	{ "linear_attention=true linear_key_heads=16", "attention_size_missing" },
	{ "layer_pattern=M-X*", "pattern_unreadable" },
	{ "layer_pattern=|/*-", "pattern_unreadable" },
	{ "layer_pattern=*-/*|-", "pattern_unreadable" },
	{ "layer_pattern=*-+-", "pattern_mixes_attention" },
	{ "layer_pattern=+-+-", "pattern_mixes_attention" },
	{ "layer_pattern=D-D- attention=mla kv_lora_rank=512 qk_nope_head_dim=128", "pattern_without_index" },
	{ "layer_pattern=G-*-", "pattern_without_linear" },
	{ "layer_pattern=*E*E", "pattern_without_experts" },
	{ "layer_pattern=W-C-*- attention=csa", "pattern_mixes_attention" },
	{ "layer_pattern=W-C-", "pattern_mixes_attention" },
	{ COMPRESSED "index_heads=0", "pattern_without_index" },
	{ COMPRESSED "sliding_window=0", "attention_size_missing" },
	{ COMPRESSED "tp=8 output_groups=12", "output_groups_not_divisible" },
	{ COMPRESSED "mode=train layout=megatron", "attention_is_served_alone" },
	{ "layers=4 sliding_window=64 local_attention_heads=12 tp=8", "heads_not_divisible" },
	{ "layers=4 sliding_window=64 local_attention_heads=36", "kv_heads_not_dividing_heads" },
	{ "layers=4 borrowing_layers=4", "attention_size_missing" },
	{ "layer_pattern=M-*-", "mamba_size_missing" },
	{ HYBRID "mamba_groups=8 tp=16 nodes=2", "mamba_not_divisible" },
	{ HYBRID "mamba_groups=2 tp=4", "mamba_not_divisible" },
	{ "mode=serve layout=vllm " HYBRID "mamba_groups=2 tp=4", "mamba_not_divisible" },
	{ HYBRID "mamba_groups=5", "mamba_groups_not_dividing_heads" },
	{ HYBRID "mamba_groups=4 tp=4 cp=4 nodes=2", "mamba_not_divisible_by_cp" },
	{ "tp=8 linear_attention=true linear_key_heads=4 linear_value_heads=8 linear_key_head_dim=128 linear_value_head_dim=128 global_layer_every=4", "linear_heads_not_divisible" },
	{ GATED "tp=2 cp=4 linear_key_heads=4 linear_value_heads=8", "linear_heads_not_divisible" },
	{ GATED "linear_key_heads=16 linear_value_heads=24", "linear_heads_not_divisible" },
	{ "tp=8 ffn_hidden_size=14332", "ffn_not_divisible" },
	{ "tp=8 experts=8 experts_per_token=2 moe_ffn_hidden_size=100", "expert_ffn_not_divisible" },
	{ "tp=8 experts=8 experts_per_token=2 moe_ffn_hidden_size=1024 shared_expert_ffn_hidden_size=100", "shared_ffn_not_divisible" },
	{ "finetune.method=lora finetune.target=q+query", "target_unknown" },
	{ "finetune.method=lora finetune.modules_to_save=mlp", "saved_unknown" },
	{ "finetune.method=lora finetune.rank=6 tp=4", "rank_not_divisible" },
	{ "finetune.method=lora finetune.target=experts", "adapters_without_effect" },
	{ "layout=torchtitan finetune.method=qlora tp=2", "quantized_with_tp" },
	{ "finetune.method=qlora", "quantized_in_megatron" },
	{ "finetune.method=qlora layout=seed", "quantized_in_megatron" },
	{ "finetune.method=qlora layout=nanotron", "quantized_in_megatron" },
	{ "layout=torchtitan finetune.method=full finetune.quantization=int8", "quantized_trained" },
	{ "layout=torchtitan finetune.method=qlora finetune.quantization=none", "qlora_not_quantized" },
	{ "finetune.method=lora finetune.kernels=eager", "kernels_not_loaded" },
	{ "layout=deepspeed finetune.method=qlora zero_stage=2", "quantized_not_sharded" },
	{ "layout=torchtitan finetune.method=lora experts=8 experts_per_token=2 moe_ffn_hidden_size=1024", "experts_not_reached" },
	{ "finetune.method=full optimizer=paged-adam8bit", "optimizer_not_offered" },
	{ "layout=torchtitan finetune.method=lora pp=2", "trainer_without_pipeline" },
	{ "layout=torchtitan zero_stage=3 rl.algorithm=grpo pp=2", "trainer_without_pipeline" },
	{ "layout=torchtitan zero_stage=0 offload=optimizer+params", "offload_not_sharded" },
	{ "layout=torchtitan zero_stage=3 offload=optimizer", "offload_not_sharded" },
	{ "layout=deepspeed zero_stage=2 offload=optimizer+params", "offload_not_sharded" },
	{ "layout=deepspeed zero_stage=0 offload=optimizer", "offload_not_sharded" },
	{ "rl.algorithm=grpo finetune.method=lora rl.merge_adapters=false", "rl_base_sent" },
	{ "layout=deepspeed finetune.method=lora layer_pattern=M-M*M- mamba_heads=64 mamba_head_dim=64 "
	  "mamba_groups=8 mamba_state=128 finetune.target=out_proj", "out_proj_refused" },
	{ "layout=deepspeed finetune.method=lora zero_stage=3 finetune.modules_to_save=head", "saved_sharded" },
	{ "finetune.rank=8", "tuning_off" },
	{ "cp=8 sequence_length=4104", "sequence_not_divisible_by_cp" },
	{ "tp=8 sequence_length=4100", "sequence_not_divisible_by_tp" },
	{ "layout=torchtitan tp=2 cp=4 sequence_length=4104", "sequence_not_divisible" },
	{ "sequence_length=8192 max_position=4096", "sequence_too_long" },
	{ "layout=nanotron sequence_length=8192 max_position=4096", "sequence_too_long" },
	{ "layout=deepspeed position=learned sequence_length=8192 max_position=4096", "sequence_too_long" },
	{ "rl.algorithm=grpo rl.placement=split", "rl_no_rollout_gpus" },
	{ "rl.algorithm=grpo nodes=3 rl.rollout_tp=16", "rl_engines_not_divisible" },
	{ "rl.algorithm=dapo rl.rollout_tp=8 attention_heads=12 kv_heads=4", "rl_heads_not_divisible" },
	{ "rl.algorithm=ppo rl.staleness=1", "rl_staleness_colocated" },
	{ "rl.algorithm=dpo rl.response_tokens=16384", "rl_response_too_long" },
	{ "rl.algorithm=grpo context_length=4096", "rl_context_too_short" },
	{ "rl.algorithm=rm sequence_length=8192", "rl_row_too_short" },
	{ "rl.algorithm=grpo global_batch_size=2048", "rl_batch_not_divisible" },
	{ "rl.algorithm=grpo rl.rollout_gpus=8", "rl_pool_unused" },
	{ "cp=4 cp_comm=a2a+p2p", "hcp_missing" },
	{ "cp=8 tp=1 cp_comm=a2a kv_heads=4", "a2a_heads_not_divisible" },
	{ "cp=8 cp_comm=a2a+p2p hierarchical_cp=2x2x2", "hcp_missing" },
	{ "cp=4 cp_comm=a2a+p2p hierarchical_cp=2x2 kv_heads=1", "a2a_heads_not_divisible" },
	{ "cp=2 sliding_window=1024", "cp_comm_impossible" },
	{ "cp=4 cp_comm=a2a+p2p hierarchical_cp=2x2 sliding_window=1024", "cp_comm_impossible" },
	{ "cp=2 cp_comm=allgather attention_sinks=true", "cp_comm_impossible" },
	{ "cp=2 attention=mla kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128 "
	  "index_heads=64 index_head_dim=128 index_topk=2048", "cp_comm_impossible" },
	{ "hyper_connections=4 pp=2", "hyper_connections_impossible" },
	{ "hyper_connections=4 mtp_layers=1", "hyper_connections_impossible" },
	{ "hyper_connections=4 recompute=full", "hyper_connections_impossible" },
	{ "layout=deepspeed cp=8 sequence_length=4100", "sequence_not_divisible_by_cp" },
	{ "layout=nanotron cp=8 sequence_length=4100", "sequence_not_divisible_by_cp" },
	{ "layout=deepspeed nodes=2 cp=16 attention_heads=8", "heads_below_cp" },
	{ "layout=torchtitan sequence_length=8192 max_position=4096", "sequence_too_long" },
	{ "cp=2 flash_attention=false", "cp_needs_flash" },
	{ "cp=2 generation=volta", "cp_needs_ampere" },
	{ "ep=2", "ep_needs_experts" },
	{ "ep=8 experts=12 experts_per_token=2 moe_ffn_hidden_size=1024", "experts_not_divisible" },
	{ "experts=8 experts_per_token=2 moe_ffn_hidden_size=1024 router_groups=3", "router_groups_do_not_fit" },
	{ "experts=8 experts_per_token=2 moe_ffn_hidden_size=1024 router_groups=4 router_group_topk=5", "router_groups_do_not_fit" },
	{ "experts=4 experts_per_token=8 moe_ffn_hidden_size=1024", "topk_above_experts" },
	{ "experts=4 experts_per_token=2", "expert_size_missing" },
	{ "experts=4 experts_per_token=2 moe_ffn_hidden_size=1024 tp=2 linear_bias=true", "moe_bias_with_etp" },
	{ "layout=torchtitan etp=2 experts=4 experts_per_token=2 moe_ffn_hidden_size=1024", "etp_not_supported" },
	{ "moe_overlap=true", "moe_overlap_impossible" },
	{ MOE_OVERLAP "moe_dispatcher=allgather", "moe_overlap_impossible" },
	{ MOE_OVERLAP "pp=2", "moe_overlap_impossible" },
	{ MOE_OVERLAP "precision=fp32", "moe_overlap_impossible" },
	{ MOE_OVERLAP "recompute=full", "moe_overlap_impossible" },
	{ MOE_OVERLAP "recompute=selective recompute_modules=moe", "moe_overlap_impossible" },
	{ MOE_OVERLAP "mtp_layers=2", "moe_overlap_impossible" },
	{ "position=learned mtp_layers=1", "mtp_position" },
	{ "overlap_grad_reduce=false", "overlap_param_needs_grad" },
	{ "zero_stage=0 precision=fp8 fp8_param_gather=true", "fp8_param_gather_needs_zero" },
	{ "fp8_param_gather=true", "fp8_param_gather_needs_fp8" },
	{ "precision=mxfp8 generation=hopper", "format_not_on_gpu" },
	{ "precision=fp8-block generation=hopper hidden_size=4160", "format_not_divisible" },
	{ "attention_kernel=flash3 generation=ampere", "attention_kernel_not_on_gpu" },
	{ "cuda_graph=layer recompute=full", "cuda_graph_impossible" },
	{ "cuda_graph=layer recompute=selective attention_dropout=0.1", "cuda_graph_impossible" },
	{ "cuda_graph=full recompute=selective recompute_modules=mlp hidden_dropout=0.1", "cuda_graph_impossible" },
	{ "cuda_graph=full", "graph_memory_not_modelled" },
	{ "fused_experts=true generation=blackwell", "fused_experts_impossible" },
	{ "offload_layers=2 pp=2", "offload_layers_impossible" },
	{ "offload_layers=2 recompute=full", "offload_layers_impossible" },
	{ "offload_layers=2 cuda_graph=layer", "offload_layers_impossible" },
	{ "offload_layers=4096", "offload_layers_impossible" },
	{ "fp8_activation_input=true gated_mlp=false", "fp8_input_needs_swiglu" },
	{ "grad_dtype=fp16", "gradients_not_kept" },
	{ "precision=fp32 grad_dtype=bf16", "gradients_not_kept" },
	{ "precision=mxfp8 generation=blackwell fp8_param_gather=true offload=optimizer "
	  "precision_aware_optimizer=true", "fp8_param_gather_with_offload" },
	{ "precision_aware_optimizer=true optimizer=sgd", "precision_aware_needs_adam" },
	{ "layout=nanotron offload=optimizer", "offload_not_supported" },
	{ "zero_stage=0 dp_replicate=2", "instances_need_shards" },
	{ "optimizer=muon dp_replicate=2", "instances_need_shards" },
	{ "moments_dtype=bf16", "moments_need_precision_aware" },
	{ "tp=1 experts=8 experts_per_token=2 moe_ffn_hidden_size=4096 moe_dispatcher=deepep",
	  "dispatcher_impossible" },
	{ "zero_stage=3 optimizer=muon", "fsdp_optimizer" },
	{ "recompute=selective recompute_modules=core_attn,mpl", "recompute_module_unknown" },
	{ "recompute=selective recompute_modules=mla_up_proj", "recompute_module_missing" },
	{ "recompute=selective recompute_modules=moe_act", "recompute_module_missing" },
	{ "offload=optimizer", "offload_needs_precision_aware" },
	{ "tp=2 sequence_parallel=false tp_overlap=true", "tp_overlap_needs_sp" },
	{ "layout=deepspeed pp=2 zero_stage=2", "zero_with_pipeline" },
	{ "layout=deepspeed zero_stage=3 ep=2 tp=2 etp=1 " EIGHT_EXPERTS, "moe_with_zero3" },
	{ "layout=deepspeed zero_stage=3 ep=2 cp=2 " EIGHT_EXPERTS, "moe_with_zero3" },
	{ "layout=deepspeed zero_stage=3 ep=2 dp_replicate=2 " EIGHT_EXPERTS, "moe_with_zero3" },
	{ "layout=deepspeed zero_stage=3 dp_replicate=2 offload=optimizer", "copies_offloaded" },
	{ "layout=deepspeed ep=2", "ep_needs_experts" },
	{ "layout=deepspeed zero_stage=3 dp_replicate=3", "copies_not_divisible" },
	{ "layout=deepspeed zero_stage=2 dp_replicate=2", "copies_need_zero3" },
	{ "layout=nanotron dp_replicate=2", "copies_not_supported" },
	{ "layout=seed dp_replicate=2", "copies_not_supported" },
	{ "layout=torchtitan pp=2 schedule=zb-v", "schedule_chunks" },
	{ "layout=torchtitan pp=4 schedule=zb-1p", "schedule_chunks" },
	{ "layout=torchtitan pp=1 vpp=2", "vpp_needs_pp" },
	{ "layout=torchtitan pp=2 tied_embeddings=true", "tied_with_pipeline" },
	{ "layout=torchtitan tp=2 tp_overlap=true", "tp_overlap_needs_compile" },
	{ "layout=nanotron pp=8 nodes=2 global_batch_size=8", "too_few_microbatches" },
	{ "mode=serve layout=vllm engine=sglang pp=2 draft_tokens=2", "drafts_with_pipeline" },
	{ "mode=serve layout=vllm max_num_seqs=1024 max_batched_tokens=512", "tokens_below_requests" },
	{ "mode=serve layout=vllm context_length=4096 serving.prompt_tokens=4096", "request_too_long" },
	{ "mode=serve layout=vllm engine=sglang block_size=16 max_batched_tokens=8200", "tokens_not_blocks" },
	{ "mode=serve layout=vllm nodes=2 engine=trtllm max_batched_tokens=8200 prefill_workers=1xtp8", "tokens_not_blocks" },
	{ "mode=serve layout=vllm tp=8 dcp=2", "dcp_without_copies" },
	{ "mode=serve layout=vllm nodes=3 tp=24 attention_heads=24 kv_heads=4 dcp=4", "dcp_without_copies" },
	{ "mode=serve layout=vllm nodes=2 tp=8 prefill_workers=2xpp4", "prefill_workers_unknown" },
	{ "mode=serve layout=vllm nodes=2 tp=4 prefill_workers=1xtp12", "prefill_heads_not_divisible" },
	{ "mode=serve layout=vllm draft_tokens=2 accepted_tokens=2.5", "accepted_above_drafted" },
	{ "mode=serve layout=vllm kv_host_gib=64", "host_cache_unused" },
	{ "mode=serve layout=vllm context_length=262144", "context_too_long" },
	{ "tp=2 ep=2 experts=4 experts_per_token=2 moe_ffn_hidden_size=1024 sequence_parallel=false", "ep_tp_without_sp" },
	{ "recompute=full recompute_layers=99", "recompute_too_many" },
	{ "model.layers=2 pp=2 pipeline_layout=|EttL", "layout_misplaced" },
	{ "model.layers=2 pp=2 pipeline_layout=EttL|", "layout_misplaced" },
	{ "model.layers=8 pp=2 mtp_layers=1 pipeline_layout=Ett|tttt|ttm|L", "mtp_on_first_rank" },
	{ "layout=nanotron zero_stage=3", "nanotron_zero" },
	{ "mode=serve layout=vllm tp=8 dp_attention=true", "dp_attention_without_experts" },
	{ "mode=serve layout=vllm tp=8 dp_attention=true dcp=8 attention=mla kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128", "dcp_without_copies" },
	{ "mode=serve layout=vllm tp=8 ep=2 experts=8 experts_per_token=2 moe_ffn_hidden_size=1024", "ep_has_no_size" },
	{ "layout=vllm", "layout_for_serving" },
	{ "mode=serve layout=megatron", "layout_for_training" },
	{ "nodes=2 tp=16 attention_heads=32", "tp_leaves_nvlink" },
	{ "gpus_per_node=8 nvlink_domain=6", "domain_cuts_nodes" },
	{ "precision=fp8", "fp8_without_units" },
	{ "experts=4 experts_per_token=1 moe_ffn_hidden_size=1024", "topk_one" },
	{ "sequence_parallel=true", "sp_without_tp" },
	{ "tp=2 sequence_parallel=false", "sp_off" },
};

/* Megatron-LM asks for parameters in bf16 or fp16 (transformer_config.py), as they are in
 * FP8 runs too. */
static void
moe_overlap_with_fp8(void **state)
{
	static const char *const precisions[] = { "bf16", "fp16", "fp8" };
	struct plan p;

	(void)state;
	for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
		struct diag_list diags = { 0 };

		plan_defaults(&p);
		settings_put_all(&p, MOE_OVERLAP "fp8_tflops=1979");
		settings_put(&p, "training.precision", precisions[i]);
		plan_check(&p, NULL, &diags);
		if (diag_has(&diags, "moe_overlap_impossible"))
			fail_msg("refused in %s", precisions[i]);
	}
}

/* What stands close to a rule, on its legal side. */
static void
neighbours_are_legal(void **state)
{
	static const char *const settings[] = {
		GATED "cp=4 linear_key_heads=16 linear_value_heads=32 tp=2",
		MOE_OVERLAP "moe_dispatcher=deepep",
		"cp=2 sliding_window=1024 cp_comm=allgather", "cp=2 sliding_window=1024 cp_comm=a2a",
		"cp=4 cp_comm=a2a+p2p hierarchical_cp=4x1 sliding_window=1024",
		"cp=2 cp_comm=a2a attention_sinks=true", "cp=4 cp_comm=a2a+p2p hierarchical_cp=2x2 kv_heads=2",
		"cp=2 attention_chunk=1024 global_layer_every=4",
		"recompute=selective recompute_modules=mlp,moe",
		"cuda_graph=layer recompute=selective recompute_modules=mlp hidden_dropout=0.1",
		"precision=fp8 fp8_tflops=1979 fp8_param_gather=true offload=optimizer precision_aware_optimizer=true",
		"zero_stage=3 dp_replicate=2", "precision=fp16 grad_dtype=fp16",
		"layout=deepspeed zero_stage=3 " EIGHT_EXPERTS, "layout=deepspeed zero_stage=3 ep=4 " EIGHT_EXPERTS,
		"layout=deepspeed zero_stage=1 offload=optimizer",
		"layout=torchtitan zero_stage=3 offload=optimizer+params",
		"layout=torchtitan tp=8 sequence_parallel=false sequence_length=4100",
		"layout=torchtitan pp=4 vpp=2 schedule=zb-1p",
		"layout=torchtitan tp=2 tp_overlap=true torch_compile=true",
		"layout=torchtitan nodes=2 tp=16 attention=mla kv_lora_rank=512 qk_nope_head_dim=128",
		"layout=nanotron pp=8 nodes=2 global_batch_size=14",
		"layout=nanotron pp=8 nodes=2 global_batch_size=2 schedule=gpipe",
		"mode=serve layout=vllm max_batched_tokens=512",
		"mode=serve layout=vllm pp=2 draft_tokens=2", "mode=serve layout=vllm engine=sglang pp=2",
		"mode=serve layout=vllm context_length=4096", "mode=serve layout=vllm context_length=2048",
		"mode=serve layout=vllm context_length=1",
		"mode=serve layout=vllm context_length=4096 serving.prompt_tokens=4000",
		"mode=serve layout=vllm context_length=4096 serving.generate_tokens=4000",
		"mode=serve layout=vllm engine=sglang max_batched_tokens=8200",
		"mode=serve layout=vllm engine=trtllm max_batched_tokens=8200 block_size=64",
		"layout=torchtitan sequence_length=8192 max_position=4096",
		"layout=deepspeed sequence_length=8192 max_position=4096",
	};

	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, settings[i]);
		if (!plan_check(&p, NULL, &diags))
			fail_msg("%s: %s: %s", settings[i], diags.item[0].reason, diags.item[0].message);
	}
}

/* Transformer Engine has no attention that splits sequences below compute capability 8.0. */
static void
cp_by_generation(void **state)
{
	struct plan p;

	(void)state;
	plan_defaults(&p);
	settings_put(&p, "parallel.cp", "2");
	for (int64_t g = GENERATION_OTHER; g <= GENERATION_ASCEND_910B; g++) {
		const bool old = g == GENERATION_VOLTA || g == GENERATION_TURING;
		struct diag_list diags = { 0 };

		settings_int(&p, FIELD_GENERATION, g);
		plan_check(&p, NULL, &diags);
		assert_int_equal(diag_has(&diags, "cp_needs_ampere"), old);
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t i = 0; i < diags.count && old; i++)
			if (strcmp(diags.item[i].reason, "cp_needs_ampere") == 0)
				assert_string_equal(diags.item[i].fix_value, "1");
	}
}

/* Experts of vLLM spread over all ranks of a stage or none; other engines have sizes. */
static void
ep_of_engines(void **state)
{
	static const struct {
		const char *settings;
		bool refused;
	} cases[] = {
		{ "tp=1 ep=8", false }, { "tp=8 ep=8", false }, { "tp=8 ep=1", false },
		{ "tp=2 pp=2 ep=4", false }, { "tp=2 replicas=2 ep=4", false }, { "tp=2 replicas=2 ep=8", true },
		{ "tp=8 ep=4", true }, { "tp=8 ep=4 engine=sglang", false }, { "tp=8 ep=4 engine=trtllm", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, "mode=serve layout=vllm " EIGHT_EXPERTS);
		settings_put_all(&p, cases[i].settings);
		plan_check(&p, NULL, &diags);
		if (diag_has(&diags, "ep_has_no_size") != cases[i].refused)
			fail_msg("%s", cases[i].settings);
	}
}

static void
each_rule_fires(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, breakers[i].settings);
		plan_check(&p, NULL, &diags);
		if (!diag_has(&diags, breakers[i].reason))
			fail_msg("%s does not break %s", breakers[i].settings, breakers[i].reason);
	}
	for (size_t r = 0; r < check_rule_count; r++) {
		bool covered = false;

		for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++)
			covered |= strcmp(breakers[i].reason, check_rules[r].reason) == 0;
		if (!covered)
			fail_msg("no plan here breaks %s", check_rules[r].reason);
		assert_true(strlen(check_rules[r].source) > 0);
	}
}

static void
defaults_are_legal(void **state)
{
	struct diag_list diags = { 0 };
	struct plan p;

	(void)state;
	plan_defaults(&p);
	assert_true(plan_check(&p, NULL, &diags));
	plan_builtin(&p);
	diag_clear(&diags);
	assert_true(plan_check(&p, NULL, &diags));
	assert_int_equal(plan_world(&p), 16);
}

/* ---- fixes and steps ---------------------------------------------------------------------------- */

static void
fixed(const char *settings, const char *reason, const char *path, const char *value)
{
	struct diag_list diags = { 0 };
	struct plan p;
	char err[256];

	plan_builtin(&p);
	settings_put_all(&p, settings);
	assert_false(plan_check(&p, NULL, &diags));
	check_fixes(&p, NULL, NULL, &diags);
	for (size_t i = 0; i < diags.count; i++) {
		const struct diag *d = &diags.item[i];

		if (strcmp(d->reason, reason) != 0)
			continue;
		if (d->fix_field == FIELD_NONE)
			fail_msg("%s: no fix for %s", settings, reason);
		if (path != NULL) {
			assert_string_equal(field_table[d->fix_field].path, path);
			if (value != NULL)
				assert_string_equal(d->fix_value, value);
		}
		assert_true(field_parse(d->fix_field, &p, d->fix_value, err, sizeof err));
		plan_resolve(&p, NULL);
		diag_clear(&diags);
		if (!plan_check(&p, NULL, &diags))
			fail_msg("%s: still %s: %s", settings, diags.item[0].reason, diags.item[0].message);
		return;
	}
	fail_msg("%s: no %s", settings, reason);
}

static void
fixes(void **state)
{
	(void)state;
	fixed("pp=3", "world_not_divisible", NULL, NULL);
	fixed("tp=3", "world_not_divisible", "parallel.tp", "4");
	fixed("model.layers=30", "layers_not_divisible_by_pp", "parallel.pp", "2");
	fixed("first_stage_layers=0", "first_not_positive", "parallel.first_stage_layers", "");
	fixed("pipeline_layout=x", "layout_bad_char", "parallel.pipeline_layout", "");
	fixed("global_batch_size=63", "global_batch_not_divisible", "training.global_batch_size", "64");
	fixed("nodes=3 pp=3 model.layers=24 schedule=dualpipe global_batch_size=64", "dualpipe_odd",
	    NULL, NULL);
	fixed("nodes=2 pp=4 schedule=dualpipe global_batch_size=4", "dualpipe_microbatches",
	    "training.global_batch_size", "16");
	fixed("tp=0", "size_not_positive", "parallel.tp", "1");
	fixed("cp=2 sequence_length=4098", "sequence_not_divisible_by_cp", "training.sequence_length", "4100");
	fixed("first_stage_layers=3", "middle_not_divisible", NULL, NULL);
	fixed("offload=optimizer", "offload_needs_precision_aware", NULL, NULL);
	fixed("order=tp-pp", "order_missing_axis", "parallel.order", "tp-cp-ep-dp-pp");
	fixed("rl.algorithm=grpo rl.placement=split rl.rollout_gpus=16", "no_gpus_train",
	    "rl.rollout_gpus", "8");
	fixed("rl.algorithm=grpo rl.placement=split", "rl_no_rollout_gpus", "rl.rollout_gpus", "8");
	fixed("rl.algorithm=grpo rl.rollout_tp=3", "rl_engines_not_divisible", "rl.rollout_tp", NULL);
	fixed("rl.algorithm=grpo rl.staleness=2", "rl_staleness_colocated", "rl.staleness", "0");
	fixed("rl.algorithm=grpo rl.response_tokens=9000", "rl_response_too_long",
	    "rl.response_tokens", NULL);
	fixed("rl.algorithm=grpo context_length=4096", "rl_context_too_short", NULL, NULL);
	fixed("rl.algorithm=dpo sequence_length=8192", "rl_row_too_short",
	    "training.sequence_length", NULL);
	fixed("rl.algorithm=grpo rl.prompts=63", "rl_batch_not_divisible", "rl.prompts", "64");
	fixed("sequence_length=262144", "sequence_too_long", "model.max_position", "262144");
}

/* What was just asked for is not undone while anything else mends the plan. */
static void
fixes_keep_what_was_asked(void **state)
{
	static const struct {
		const char *settings;
		enum field_id asked[2], fix;
		const char *value;
	} cases[] = {
		{ "nodes=1 tp=8", { FIELD_NODES, FIELD_TP }, FIELD_PP, "1" },
		{ "nodes=1 tp=8", { FIELD_NONE, FIELD_NONE }, FIELD_TP, "2" },
		{ "nodes=1 tp=8", { FIELD_NODES, FIELD_PP }, FIELD_TP, "2" },
		{ "global_batch_size=12 micro_batch_size=4", { FIELD_GLOBAL_BATCH_SIZE, FIELD_NONE },
		  FIELD_TP, "4" },
		{ "pp=3", { FIELD_PP, FIELD_NONE }, FIELD_PP, "4" }, /* nothing else does */
		/* a little less of it, rather than what was not touched */
		{ "global_batch_size=65", { FIELD_GLOBAL_BATCH_SIZE, FIELD_NONE },
		  FIELD_GLOBAL_BATCH_SIZE, "66" },
		{ "cp=2 sequence_length=4098", { FIELD_SEQUENCE_LENGTH, FIELD_NONE },
		  FIELD_SEQUENCE_LENGTH, "4100" },
		{ "nodes=17", { FIELD_NODES, FIELD_NONE }, FIELD_GLOBAL_BATCH_SIZE, "68" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct field_set asked = { { 0 } };
		struct diag_list diags = { 0 };
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, cases[i].settings);
		field_set_add(&asked, cases[i].asked[0]);
		field_set_add(&asked, cases[i].asked[1]);
		assert_false(plan_check(&p, NULL, &diags));
		check_fixes(&p, NULL, &asked, &diags);
		assert_string_equal(field_table[diags.item[0].fix_field].path,
		    field_table[cases[i].fix].path);
		assert_string_equal(diags.item[0].fix_value, cases[i].value);
	}
}

/* Where no single change mends all, none is proposed that is an error itself. */
static void
fixes_are_values(void **state)
{
	static const char *const cases[] = {
		"tp=3 pp=7", "tp=3 pp=7 ep=5", "tp=7 pp=3 cp=5", "pp=5 vpp=3 tp=3", "nodes=3 tp=5 etp=7"
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, cases[i]);
		assert_false(plan_check(&p, NULL, &diags));
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t d = 0; d < diags.count; d++)
			if (diags.item[d].fix_field != FIELD_NONE)
				assert_string_not_equal(diags.item[d].fix_value, "0");
	}
}

/* Warnings are mended in their own field; hints that only tell are left alone. */
static void
advice(void **state)
{
	static const struct {
		const char *settings, *reason, *value; /* NULL: no fix */
	} cases[] = {
		{ "tp=2 sequence_parallel=false", "sp_off", "true" },
		{ "nodes=8 tp=16 pp=4", "tp_leaves_nvlink", "8" },
		{ "mode=serve layout=megatron", "layout_for_training", "vllm" },
		{ "experts=8 experts_per_token=1 moe_ffn_hidden_size=1024", "topk_one", NULL },
		{ "recompute=full recompute_layers=99", "recompute_too_many", "8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;
		bool found = false;

		plan_builtin(&p);
		settings_put_all(&p, cases[i].settings);
		plan_check(&p, NULL, &diags);
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t d = 0; d < diags.count; d++) {
			if (strcmp(diags.item[d].reason, cases[i].reason) != 0)
				continue;
			found = true;
			if (cases[i].value == NULL)
				assert_int_equal(diags.item[d].fix_field, FIELD_NONE);
			else
				assert_string_equal(diags.item[d].fix_value, cases[i].value);
		}
		assert_true(found);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_are_legal),
		cmocka_unit_test(ep_of_engines),
		cmocka_unit_test(ep_of_engines),
		cmocka_unit_test(each_rule_fires),
		cmocka_unit_test(moe_overlap_with_fp8), cmocka_unit_test(cp_by_generation),
		cmocka_unit_test(defaults_are_legal), cmocka_unit_test(fixes),
		cmocka_unit_test(fixes_are_values),
		cmocka_unit_test(fixes_keep_what_was_asked), cmocka_unit_test(advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
