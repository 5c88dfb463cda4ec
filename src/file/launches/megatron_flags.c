#include "file/launches/megatron_flags.h"

#include "core/base/text.h"

#define VALUE(flag, field, absent) { flag, FLAG_VALUE, FIELD_##field, NULL, absent }
#define WORD(flag, field, words, absent) { flag, FLAG_WORD, FIELD_##field, words, absent }
#define SWITCH(flag, field, with, without) { flag, FLAG_SWITCH, FIELD_##field, with, without }

const struct megatron_flag megatron_flags[] = {
	VALUE("--num-layers", LAYERS, NULL),
	VALUE("--hidden-size", HIDDEN_SIZE, NULL),
	VALUE("--ffn-hidden-size", FFN_HIDDEN_SIZE, NULL),
	VALUE("--num-attention-heads", ATTENTION_HEADS, NULL),
	VALUE("--kv-channels", HEAD_DIM, NULL),
	VALUE("--vocab-size", VOCAB_SIZE, NULL),
	VALUE("--make-vocab-size-divisible-by", VOCAB_MULTIPLE, "128"),
	VALUE("--max-position-embeddings", MAX_POSITION, NULL),
	WORD("--normalization", NORM, "LayerNorm=layernorm|RMSNorm=rmsnorm|layernorm=layernorm|rmsnorm=rmsnorm" /* of Megatron-DeepSpeed */, "layernorm"),
	WORD("--position-embedding-type", POSITION,
	    "learned_absolute=learned|rope=rope|none=none|mrope=rope|yarn=yarn|rotary=rope|absolute=learned|alibi=none" /* of forks */, "learned"),
	SWITCH("--untie-embeddings-and-output-weights", TIED_EMBEDDINGS, "false", "true"),
	SWITCH("--swiglu", GATED_MLP, "true", "false"),
	SWITCH("--disable-bias-linear", LINEAR_BIAS, "false", "true"),
	SWITCH("--add-qkv-bias", QKV_BIAS, "true", "false"),
	SWITCH("--qk-layernorm", QK_NORM, "true", "false"),
	SWITCH("--attention-output-gate", ATTENTION_OUTPUT_GATE, "true", "false"),
	WORD("--softmax-type", ATTENTION_SINKS, "vanilla=false|off-by-one=false|learnable=true",
	    "false"),
	SWITCH("--multi-latent-attention", ATTENTION, "mla", "mha"),
	VALUE("--num-experts", EXPERTS, "0"),
	VALUE("--moe-ffn-hidden-size", MOE_FFN_HIDDEN_SIZE, NULL),
	VALUE("--moe-router-topk", EXPERTS_PER_TOKEN, NULL),
	VALUE("--moe-shared-expert-intermediate-size", SHARED_EXPERT_FFN_HIDDEN_SIZE, "0"),
	SWITCH("--moe-shared-expert-gate", SHARED_EXPERT_GATE, "true", "false"),
	SWITCH("--moe-router-enable-expert-bias", ROUTER_BIAS, "true", "false"),
	VALUE("--moe-router-num-groups", ROUTER_GROUPS, "0"),
	VALUE("--moe-router-group-topk", ROUTER_GROUP_TOPK, "0"),
	VALUE("--moe-latent-size", MOE_LATENT_SIZE, "0"),
	VALUE("--mtp-num-layers", MTP_LAYERS, "0"),

	VALUE("--tensor-model-parallel-size", TP, "1"),
	SWITCH("--sequence-parallel", SEQUENCE_PARALLEL, "true", "false"),
	VALUE("--context-parallel-size", CP, "1"),
	VALUE("--pipeline-model-parallel-size", PP, "1"),
	VALUE("--num-virtual-stages-per-pipeline-rank", VPP, "1"),
	VALUE("--expert-model-parallel-size", EP, "1"),
	VALUE("--expert-tensor-parallel-size", ETP, NULL),
	VALUE("--num-distributed-optimizer-instances", DP_REPLICATE, "1"),
	SWITCH("--optimizer-cpu-offload", OFFLOAD, "optimizer", "none"),
	VALUE("--decoder-first-pipeline-num-layers", FIRST_STAGE_LAYERS, NULL),
	VALUE("--decoder-last-pipeline-num-layers", LAST_STAGE_LAYERS, NULL),
	SWITCH("--account-for-embedding-in-pipeline-split", ACCOUNT_FOR_EMBEDDING, "true", "false"),
	SWITCH("--account-for-loss-in-pipeline-split", ACCOUNT_FOR_LOSS, "true", "false"),
	VALUE("--pipeline-model-parallel-layout", PIPELINE_LAYOUT, ""),

	VALUE("--seq-length", SEQUENCE_LENGTH, NULL),
	VALUE("--micro-batch-size", MICRO_BATCH_SIZE, NULL),
	VALUE("--global-batch-size", GLOBAL_BATCH_SIZE, NULL),
	WORD("--optimizer", OPTIMIZER, "adam=adam|sgd=sgd|muon=muon|dist_muon=muon", "adam"),
	VALUE("--microbatch-group-size-per-virtual-pipeline-stage", MICROBATCH_GROUP_SIZE, "0"),
	WORD("--recompute-granularity", RECOMPUTE, "full=full|selective=selective", "none"),
	WORD("--recompute-method", RECOMPUTE_METHOD, "uniform=uniform|block=block", NULL),
	VALUE("--recompute-num-layers", RECOMPUTE_LAYERS, NULL),
	VALUE("--hidden-dropout", HIDDEN_DROPOUT, "0.1"),
	VALUE("--attention-dropout", ATTENTION_DROPOUT, "0.1"),
	SWITCH("--no-gradient-accumulation-fusion", GRADIENT_ACCUMULATION_FUSION, "false", "true"),
	SWITCH("--fp8-param-gather", FP8_PARAM_GATHER, "true", "false"),
	SWITCH("--use-precision-aware-optimizer", PRECISION_AWARE_OPTIMIZER, "true", "false"),
	WORD("--exp-avg-dtype", MOMENTS_DTYPE, "fp32=fp32|bf16=bf16|fp16=fp16|fp8=fp8", "fp32"),
	WORD("--exp-avg-sq-dtype", MOMENTS_DTYPE, "fp32=fp32|bf16=bf16|fp16=fp16|fp8=fp8", "fp32"),
	SWITCH("--no-create-attention-mask-in-dataloader", LOADER_MASK, "false", "true"),
	SWITCH("--no-rope-fusion", ROPE_FUSION, "false", "true"),
	SWITCH("--moe-grouped-gemm", GROUPED_GEMM, "true", NULL),
	SWITCH("--moe-permute-fusion", PERMUTE_FUSION, "true", NULL),
	VALUE("--cpu-offloading-num-layers", OFFLOAD_LAYERS, "0"),
	WORD("--ckpt-format", CHECKPOINT_FORMAT,
	    "torch_dist=torch_dist|torch=torch|torch_dcp=torch_dcp|fsdp_dtensor=fsdp_dtensor", NULL),
	VALUE("--ddp-bucket-size", BUCKET_SIZE, "0"),
	SWITCH("--overlap-grad-reduce", OVERLAP_GRAD_REDUCE, "true", "false"),
	SWITCH("--tp-comm-overlap", TP_OVERLAP, "true", "false"),
	SWITCH("--overlap-moe-expert-parallel-comm", MOE_OVERLAP, "true", "false"),
	VALUE("--moe-expert-capacity-factor", MOE_CAPACITY_FACTOR, "0"),
};
const size_t megatron_flag_count = sizeof megatron_flags / sizeof megatron_flags[0];

const struct megatron_flag *
megatron_flag_find(const char *flag)
{
	for (size_t i = 0; i < megatron_flag_count; i++)
		if (text_equal(megatron_flags[i].flag, flag))
			return &megatron_flags[i];
	return NULL;
}
