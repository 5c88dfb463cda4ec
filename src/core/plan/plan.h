/*
 * plan.h - a plan is a value: plain data without pointers, copied with =.
 *
 * It holds what a user tunes and nothing that follows from it; world size, data
 * parallel size and the like are functions (below, and in layout.h and stage.h).
 * Every member is one row of the field table (field.h), which gives its path, type,
 * unit, range, default and help. Members named like the libconfig path: the field
 * "parallel.tp" is plan.parallel.tp.
 *
 * A member always holds a value. `set` says which of them the user chose; the rest
 * come from the catalogue entry named in the section or from the default
 * (plan_resolve).
 */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PLAN_NAME_SIZE = 128,
	PLAN_NOTES_SIZE = 1024,
	PLAN_ID_SIZE = 64,     /* names of catalogue entries */
	PLAN_ORDER_SIZE = 64,  /* "tp-cp-ep-dp-pp" */
	PLAN_LIST_SIZE = 128,  /* "core_attn,moe_act", "2x4" */
	PLAN_PATTERN_SIZE = 256, /* a letter a layer, "MEM*E" */
	PLAN_SCHEDULE_SIZE = 256, /* "4096x4M@252M,8192x8M" */
	PLAN_NODES_SIZE = 512,  /* "n[001-064],fat[1-2]" */
	PLAN_DEAD_SIZE = 256,   /* "n[017,040-043]" */
	PLAN_OTHERS_MAX = 2,   /* types of GPU beside cluster.gpu */
	PLAN_LAYOUT_SIZE = 1024, /* pipeline layout string */
	PLAN_SET_WORDS = 5,
};

/* Largest world that the planner takes, in GPUs. Everything is computed, nothing is
 * stored per rank; the limit only keeps products inside int64_t. */
#define PLAN_WORLD_MAX INT64_C(16777216)

enum mode { MODE_TRAIN, MODE_SERVE };
enum layout_id {
#define FRAMEWORK(id, name) LAYOUT_##id,
#include "core/plan/frameworks.def"
#undef FRAMEWORK
};
enum generation_id {
	GENERATION_OTHER, GENERATION_VOLTA, GENERATION_TURING, GENERATION_AMPERE,
	GENERATION_AMPERE_RTX, GENERATION_ADA, GENERATION_HOPPER, GENERATION_BLACKWELL,
	GENERATION_BLACKWELL_RTX, GENERATION_CDNA1, GENERATION_CDNA2, GENERATION_CDNA3,
	GENERATION_CDNA4, GENERATION_GAUDI2, GENERATION_GAUDI3, GENERATION_ASCEND_910B,
	GENERATION_XE_HPC, GENERATION_TRAINIUM1, GENERATION_TRAINIUM2, GENERATION_TPU_V5,
	GENERATION_TPU_V6
};
enum fabric_id {
	FABRIC_OTHER, FABRIC_NVLINK1, FABRIC_NVLINK2, FABRIC_NVLINK3, FABRIC_NVLINK4,
	FABRIC_NVLINK5, FABRIC_XGMI, FABRIC_ROCE, FABRIC_HCCS, FABRIC_PCIE
};
enum transport { TRANSPORT_AUTO, TRANSPORT_IB, TRANSPORT_ROCE, TRANSPORT_SOCKETS };
enum nic_path { NIC_NEAR, NIC_OTHER_SOCKET, NIC_BY_HOST };
enum norm { NORM_RMS, NORM_LAYER };
enum position { POSITION_ROPE, POSITION_LEARNED, POSITION_NONE, POSITION_YARN };
enum attention { ATTENTION_MHA, ATTENTION_MLA, ATTENTION_CSA };
enum cp_comm { CP_COMM_P2P, CP_COMM_A2A, CP_COMM_ALLGATHER, CP_COMM_A2A_P2P, CP_COMM_RING_QK };
enum offload { OFFLOAD_NONE, OFFLOAD_OPTIMIZER, OFFLOAD_OPTIMIZER_PARAMS, OFFLOADS };
enum offload_to { OFFLOAD_TO_HOST, OFFLOAD_TO_NVME, OFFLOAD_TO_NVME_OPTIMIZER };
enum precision {
	PRECISION_FP32, PRECISION_FP16, PRECISION_BF16, PRECISION_FP8, PRECISION_FP8_BLOCK,
	PRECISION_MXFP8, PRECISION_NVFP4
};
enum attention_kernel {
	KERNEL_AUTO, KERNEL_UNFUSED, KERNEL_FLASH2, KERNEL_FLASH3, KERNEL_FLASH4, KERNEL_CUDNN
};
enum cuda_graph { GRAPH_NONE, GRAPH_ROUTER, GRAPH_LAYER, GRAPH_FULL };
enum moe_dispatcher {
	DISPATCHER_ALLGATHER, DISPATCHER_ALLTOALL, DISPATCHER_DEEPEP, DISPATCHER_HYBRIDEP
};
enum grad_dtype { GRAD_FP32, GRAD_BF16, GRAD_FP16 };
enum moments { MOMENTS_FP32, MOMENTS_BF16, MOMENTS_FP16, MOMENTS_FP8 };
enum optimizer {
	OPTIMIZER_ADAM, OPTIMIZER_SGD, OPTIMIZER_MUON, OPTIMIZER_ADAM8BIT, OPTIMIZER_PAGED_ADAM,
	OPTIMIZER_PAGED_ADAM8BIT
};
enum schedule {
	SCHEDULE_GPIPE, SCHEDULE_1F1B, SCHEDULE_ZB_1P, SCHEDULE_ZB_2P, SCHEDULE_ZB_V,
	SCHEDULE_V_HALF, SCHEDULE_V_MIN, SCHEDULE_DUALPIPE, SCHEDULE_DUALPIPEV
};
enum recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };
enum recompute_method { RECOMPUTE_UNIFORM, RECOMPUTE_BLOCK };
enum cross_entropy {
	CE_UNFUSED, CE_NATIVE, CE_TE, CE_TORCH, CE_HF, CE_HF_HELD, CE_HF_16, CE_HF_OLD, CE_LIGER, CE_CCE, CE_CHUNKED,
	CE_CHUNKED_NLL
};
enum finetune_method {
	FINETUNE_NONE, FINETUNE_FULL, FINETUNE_LORA, FINETUNE_DORA, FINETUNE_QLORA
};
enum tuner_kind {
	TUNER_LORA, TUNER_ADALORA, TUNER_LOHA, TUNER_LOKR, TUNER_OFT, TUNER_VERA, TUNER_IA3, TUNER_MISS
};
enum expert_adapters { ADAPTERS_SHARED, ADAPTERS_SEPARATE };
enum quantization { QUANT_NONE, QUANT_NF4, QUANT_NF4_DQ, QUANT_INT8, QUANT_INT4 };
enum kernels { KERNELS_TE, KERNELS_EAGER, KERNELS_LIGER, KERNELS_UNSLOTH, KERNELS_TORCHTUNE };
enum adapter_dtype { ADAPTER_FP32, ADAPTER_BF16 };
enum linear_kind { LINEAR_GDN, LINEAR_KDA, LINEAR_LIGHTNING, LINEAR_CONV };
enum engine_id {
#define ENGINE(id, name) ENGINE_##id,
#include "core/plan/engines.def"
#undef ENGINE
};
enum weight_dtype {
	WEIGHT_BF16, WEIGHT_FP16, WEIGHT_FP8, WEIGHT_INT8, WEIGHT_INT4, WEIGHT_MXFP4, WEIGHT_NVFP4
};
enum rl_algorithm { RL_NONE, RL_GRPO, RL_DAPO, RL_PPO, RL_DPO, RL_REWARD_MODEL };
enum rl_placement { RL_COLOCATED, RL_SPLIT };
enum rl_offload { RL_OFFLOAD_NONE, RL_OFFLOAD_OPTIMIZER, RL_OFFLOAD_PARAMS, RL_OFFLOAD_ALL };
enum kv_dtype { KV_BF16, KV_FP16, KV_FP8, KV_NVFP4 };
enum traffic_mix { MIX_NONE, MIX_CHAT, MIX_RAG, MIX_CODE_AGENT, MIX_REASONING, MIX_SUMMARY };
enum draft_kind { DRAFT_LAYER, DRAFT_EAGLE3, DRAFT_NGRAM };
enum traffic_routing { ROUTING_LEAST_LOADED, ROUTING_RANDOM, ROUTING_ROUND_ROBIN, ROUTING_PREFIX };

/* Enumerated and true/false members are int64_t too, so that one getter and one setter
 * serve every row of the field table. Units are in the field table. */
struct cluster {
	char gpu[PLAN_ID_SIZE];
	int64_t generation, fabric, nvlink_direct;
	int64_t nodes, gpus_per_node, nvlink_domain, nodes_per_rack, nics_per_node, gpus_per_process;
	double nic_gbps, latency_us;
	int64_t transport, nic_path;
	double memory_gib, reserved_gib, hbm_gbps, bf16_tflops, fp8_tflops, fp4_tflops, fp32_tflops, rate_scale, bf16_scale;
	double nvlink_gbps, pcie_gbps, host_gbps, host_scale, host_adam;
	double tdp_watts, gpu_power_watts;
	double host_memory_gib, nvme_gbps;
	double storage_gbps, storage_read_gbps, node_storage_gbps;
	double host_watts, pue;
	double gpu_hour_price, kwh_price, tb_month_price, kwh_co2_kg;
	char levels[PLAN_LIST_SIZE], node_list[PLAN_NODES_SIZE], dead_nodes[PLAN_DEAD_SIZE];
	char slow_nodes[PLAN_LIST_SIZE], node_gpus[PLAN_LIST_SIZE], other_gpus[PLAN_LIST_SIZE];
};

struct model {
	char preset[PLAN_ID_SIZE];
	int64_t layers, hidden_size, ffn_hidden_size, attention_heads, kv_heads, head_dim;
	int64_t vocab_size, vocab_multiple;
	int64_t tied_embeddings, gated_mlp, norm, norms_per_layer, linear_bias, qkv_bias;
	int64_t attention_output_bias, head_bias, embedding_norm;
	int64_t qk_norm, qk_norm_full, position, max_position, position_extra, attention;
	int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
	int64_t sliding_window, attention_chunk, global_layer_every, global_layer_offset;
	int64_t global_first_layer, local_kv_heads;
	int64_t local_attention_heads, local_head_dim, shared_key_value;
	int64_t attention_sinks, local_attention_sinks, attention_output_gate;
	int64_t attention_head_gate;
	int64_t linear_attention, linear_kind, linear_key_heads, linear_value_heads;
	int64_t linear_key_head_dim, linear_value_head_dim, linear_conv_kernel, linear_wide_gate;
	int64_t index_heads, index_head_dim, index_topk;
	int64_t index_dense_layers, index_own_layers, index_every;
	int64_t output_lora_rank, output_groups, compress_ratio, heavy_compress_ratio;
	int64_t experts, zero_experts, experts_per_token, moe_ffn_hidden_size, shared_expert_ffn_hidden_size;
	int64_t shared_expert_gate, router_bias, expert_bias, router_groups, router_group_topk;
	int64_t dense_layers, moe_layer_every;
	int64_t mtp_layers;
	char layer_pattern[PLAN_PATTERN_SIZE];
	int64_t mamba_heads, mamba_head_dim, mamba_state, mamba_groups, mamba_dt_rank, mamba_norm;
	int64_t state_fp32;
	int64_t checkpoint_dtype, checkpoint_group;
	int64_t moe_latent_size, moe_latent_norm, hash_layers;
	int64_t residual_attention, hyper_connections;
	int64_t per_layer_embedding, borrowing_layers, borrowing_mlp_twice;
	double vision_params;
	int64_t vision_tokens, vision_deepstack, mrope;
};

struct parallel {
	int64_t layout, release;
	char order[PLAN_ORDER_SIZE];
	int64_t tp, sequence_parallel, tp_apart, cp, cp_comm, pp, vpp, ep, etp;
	int64_t zero_stage, dp_replicate;
	char hierarchical_cp[PLAN_LIST_SIZE];
	int64_t offload, offload_to, moe_dispatcher;
	int64_t first_stage_layers, last_stage_layers, account_for_embedding, account_for_loss;
	char pipeline_layout[PLAN_LAYOUT_SIZE];
};

struct finetune {
	int64_t method, tuner, rank;
	char target[PLAN_LIST_SIZE], modules_to_save[PLAN_LIST_SIZE];
	double dropout;
	int64_t expert_adapters, quantization, kernels, adapter_dtype, packing;
};

struct training {
	int64_t sequence_length, micro_batch_size, global_batch_size;
	double token_budget, data_seconds;
	int64_t precision, grad_dtype, optimizer, schedule, microbatch_group_size;
	int64_t recompute;
	char recompute_modules[PLAN_LIST_SIZE];
	int64_t recompute_method, recompute_layers, offload_layers, mlp_tiles, fp8_activation_input,
	    fp8_attention;
	int64_t tf32, flash_attention, loader_mask, attention_kernel, torch_compile, cuda_graph;
	int64_t grouped_gemm, permute_fusion, rope_fusion, fused_experts;
	double hidden_dropout, attention_dropout;
	int64_t cross_entropy, gradient_accumulation_fusion, fp8_param_gather, weights_16bit;
	int64_t precision_aware_optimizer, param_remainders, moments_dtype;
	int64_t bucket_size;
	int64_t overlap_grad_reduce, overlap_param_gather;
	int64_t tp_overlap, moe_overlap, gathered_logits;
	double moe_capacity_factor, moe_imbalance;
	int64_t document_tokens;
};

struct serving {
	int64_t engine;
	char engine_version[PLAN_ID_SIZE];
	int64_t weight_dtype, dense_dtype, weight_group, zero_points, kv_dtype;
	double kept_params;
	int64_t context_length, concurrency, prompt_tokens, generate_tokens;
	double gpu_memory_utilization;
	int64_t max_num_seqs, max_batched_tokens, block_size;
	int64_t two_batch_overlap, eager, flashinfer_sampler, dense_whole;
	int64_t dcp, dp_attention, replicas;
	double length_spread, batch_wait_share;
	int64_t poll_interval, batch_wait_steps, draft_tokens, draft, max_loras, max_lora_rank;
	char acceptance[PLAN_ID_SIZE];
	double accepted_tokens, prefix_hit, kv_host_gib, images;
	int64_t image_tokens, redundant_experts, ffn_gpus;
	char prefill_workers[PLAN_ID_SIZE];
};

/* Requests that come to the engines. */
struct arrivals {
	double rate, burstiness, ramp_seconds;
	int64_t requests, mix;
	double prompt_spread, generate_spread;
	double percentile, ttft_limit, tpot_limit;
	int64_t routing, prefixes, prefix_tokens;
};

/* After pre-training: `serving` then describes the engine that generates. */
struct rl {
	int64_t algorithm, placement, rollout_gpus, rollout_tp;
	int64_t prompts, responses, prompt_tokens, response_tokens, response_limit;
	int64_t reference, old_logprob, engine_logprobs;
	char critic_preset[PLAN_ID_SIZE], reward_preset[PLAN_ID_SIZE];
	int64_t offload, engine_sleep, merge_adapters, staleness;
};

/* From the first step to the end of training.token_budget. */
struct whole_run {
	char checkpoint_format[PLAN_ID_SIZE];
	double checkpoint_interval;
	int64_t checkpoint_async, checkpoint_keep, gather_16bit;
	double failures_per_1000_node_days, restart_minutes;
	int64_t spare_nodes;
	double repair_hours;
	char batch_schedule[PLAN_SCHEDULE_SIZE];
	int64_t eval_interval;
	double eval_seconds, deadline_days, dataset_tokens;
	int64_t consumed_samples;
};

struct calibration {
	double compute_efficiency, nvlink_efficiency, network_efficiency, memory_bias_gib;
	double tpot_scale, ttft_scale;
	char source[PLAN_NAME_SIZE];
};

struct plan {
	char name[PLAN_NAME_SIZE], notes[PLAN_NOTES_SIZE];
	int64_t mode;
	struct cluster cluster;
	int64_t others;                           /* types of cluster.other_gpus, as plan_resolve found them: */
	struct cluster other[PLAN_OTHERS_MAX];    /* the cluster as GPUs of each see it */
	struct model model;
	struct parallel parallel;
	struct finetune finetune;
	struct training training;
	struct serving serving;
	struct arrivals traffic;
	struct rl rl;
	struct whole_run run;
	struct calibration calibration;
	uint64_t set[PLAN_SET_WORDS]; /* one bit a field: the user chose this value */
	uint64_t offered[PLAN_SET_WORDS]; /* of those: the program did (field_offer) */
};

/* All GPUs: nodes x GPUs per node. */
int64_t plan_world(const struct plan *p);

/* cluster.node_gpus: nodes, GPUs of all, of the largest and of the smallest; false where it can not be read or has too many. */
enum { PLAN_DIFFER_MAX = 1024 };
struct node_counts {
	int64_t nodes, world, most, least;
};
bool plan_nodes_counted(const struct plan *p, struct node_counts *out);

/* Nodes have different numbers of GPUs: a rank's place is then counted as if each had gpus_per_node, of
 * which some are missing. And the rank there, -1 for one that is missing. */
bool plan_nodes_differ(const struct plan *p);

/* Nodes are alike: as many GPUs in each, of one type. */
static inline bool
plan_nodes_alike(const struct plan *p)
{
	return p->others == 0 && !plan_nodes_differ(p);
}
int64_t plan_slot(const struct plan *p, int64_t rank);
int64_t plan_at_slot(const struct plan *p, int64_t slot);

/* GPUs of a node for people: "8", or "(2,3)" where nodes differ. Returns buf. */
const char *plan_node_text(const struct plan *p, char *buf, size_t size);

/* The GPUs of its nodes: "h100-sxm-80gb", or "h100-sxm-80gb (4-7=a100-sxm4-80gb)". Returns buf. */
const char *plan_gpu_text(const struct plan *p, char *buf, size_t size);

/* Nodes of an NVLink domain larger than a node, else 1. */
int64_t plan_domain_nodes(const struct plan *p);

/* Nodes of a rack: as said, else an NVLink domain larger than a node, else a leaf of cluster.levels,
 * else 4 (NVIDIA DGX
 * SuperPOD reference architecture, DGX H100: four systems in a rack). */
int64_t plan_rack_nodes(const struct plan *p);

/* True for a plan that trains on preferences or rewards, and where that generates responses. */
bool plan_has_rl(const struct plan *p);
bool plan_has_rollouts(const struct plan *p);

/* True for a training plan whose length is said: section run counts. */
bool plan_has_run(const struct plan *p);

/* Optimizers of bitsandbytes; those whose moments are in CUDA's managed memory, from which they
 * leave for the host where a GPU is full. */
bool plan_has_bitsandbytes(const struct plan *p);
bool plan_pages_moments(const struct plan *p);

/* True for a mixture-of-experts model. */
bool plan_has_experts(const struct plan *p);

/* Its experts pad to a capacity: how many tokens each gets does not depend on the router. */
bool plan_pads_experts(const struct plan *p);

/* True where queries and keys are rotated by their positions. */
bool plan_rotates(const struct plan *p);

/* The schedule that runs: with one stage there is no pipeline to schedule, and every one of them
 * is 1F1B. */
static inline int64_t
plan_schedule(const struct plan *p)
{
	return p->parallel.pp > 1 ? p->training.schedule : SCHEDULE_1F1B;
}

/* A predicate of a plan p that is one condition. */
#define PLAN_IF(name, condition) \
	static bool \
	name(const struct plan *p) \
	{ \
		return condition; \
	}
#endif
