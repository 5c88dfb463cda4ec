/*
 * memorycase.h - models, sizes and helpers of the tests of memory.
 */
#ifndef TESTS_MEMORYCASE_H
#define TESTS_MEMORYCASE_H
#include "../unit.h"
#include "core/base/number.h"
#include "core/train/memory.h"

enum shape { LLAMA_7B, LLAMA_70B, LLAMA_8B, GPT3_175B, MIXTRAL, DEEPSEEK_V3, GPT_OSS };

static struct plan p;
static struct layout l;
static struct placement placement;

static const struct model shapes[] = {
	[LLAMA_7B] = { .layers = 32, .hidden_size = 4096, .ffn_hidden_size = 11008,
	    .attention_heads = 32, .kv_heads = 32, .head_dim = 128, .vocab_size = 32000,
	    .gated_mlp = 1 },
	[LLAMA_8B] = { .layers = 32, .hidden_size = 4096, .ffn_hidden_size = 14336,
	    .attention_heads = 32, .kv_heads = 8, .head_dim = 128, .vocab_size = 128256,
	    .gated_mlp = 1 },
	[LLAMA_70B] = { .layers = 80, .hidden_size = 8192, .ffn_hidden_size = 28672,
	    .attention_heads = 64, .kv_heads = 8, .head_dim = 128, .vocab_size = 128256,
	    .gated_mlp = 1 },
	[GPT3_175B] = { .layers = 96, .hidden_size = 12288, .ffn_hidden_size = 49152,
	    .attention_heads = 96, .kv_heads = 96, .head_dim = 128, .vocab_size = 51200,
	    .tied_embeddings = 1, .norm = NORM_LAYER, .linear_bias = 1,
	    .position = POSITION_LEARNED, .max_position = 2048 },
	[MIXTRAL] = { .layers = 32, .hidden_size = 4096, .attention_heads = 32, .kv_heads = 8,
	    .head_dim = 128, .vocab_size = 32000, .gated_mlp = 1, .experts = 8,
	    .experts_per_token = 2, .moe_ffn_hidden_size = 14336 },
	[DEEPSEEK_V3] = { .layers = 61, .hidden_size = 7168, .ffn_hidden_size = 18432,
	    .attention_heads = 128, .kv_heads = 128, .vocab_size = 129280, .gated_mlp = 1,
	    .attention = ATTENTION_MLA, .q_lora_rank = 1536, .kv_lora_rank = 512,
	    .qk_nope_head_dim = 128, .qk_rope_head_dim = 64, .v_head_dim = 128,
	    .experts = 256, .experts_per_token = 8, .moe_ffn_hidden_size = 2048,
	    .shared_expert_ffn_hidden_size = 2048, .dense_layers = 3 },
	[GPT_OSS] = { .layers = 24, .hidden_size = 2880, .attention_heads = 64, .kv_heads = 8,
	    .head_dim = 64, .vocab_size = 201088, .gated_mlp = 1, .qkv_bias = 1,
	    .attention_output_bias = 1, .attention_sinks = 1, .router_bias = 1,
	    .expert_bias = 1, .experts = 32, .experts_per_token = 4,
	    .moe_ffn_hidden_size = 2880 },
};

static inline void
place(void)
{
	const int64_t pp = p.parallel.pp, per = (p.model.layers + pp - 1) / pp;
	int64_t s;

	memset(&placement, 0, sizeof placement);
	placement.pp = pp;
	placement.vpp = 1;
	for (s = 0; s < pp; s++) {
		const int64_t left = p.model.layers - s * per;

		placement.chunk[s].first = (int32_t)(s * per);
		placement.chunk[s].count = (int32_t)(left < per ? left : per);
	}
	placement.chunk[0].embedding = true;
	placement.chunk[pp - 1].loss = true;
}

/* Chunk v of stage s holds the layers of global stage v*pp + s. */
static inline void
interleave_layers(int64_t vpp)
{
	const int64_t pp = placement.pp, each = p.model.layers / (pp * vpp);

	memset(&placement, 0, sizeof placement);
	placement.pp = pp;
	placement.vpp = vpp;
	for (int64_t s = 0; s < pp; s++)
		for (int64_t v = 0; v < vpp; v++) {
			placement.chunk[s * vpp + v].first = (int32_t)((v * pp + s) * each);
			placement.chunk[s * vpp + v].count = (int32_t)each;
		}
	placement.chunk[0].embedding = true;
	placement.chunk[pp * vpp - 1].loss = true;
}

static inline void
setup(enum shape shape, int64_t world, int64_t tp, int64_t pp, int64_t ep)
{
	memset(&p, 0, sizeof p);
	p.model = shapes[shape];
	p.model.norms_per_layer = 2;
	p.model.moe_layer_every = 1;
	p.model.vocab_multiple = 128;
	p.parallel.tp = tp;
	p.parallel.pp = pp;
	p.parallel.ep = ep;
	p.parallel.cp = p.parallel.etp = p.parallel.dp_replicate = 1;
	p.parallel.zero_stage = 1;
	p.training.precision = PRECISION_BF16;
	memset(&l, 0, sizeof l);
	l.world = world;
	l.dp = world / (tp * pp);
	place();
}

static inline struct memory
stage(int64_t s)
{
	return memory_stage(&p, &l, &placement, 0, s, NULL);
}

/* Parameters, gradients and optimizer. */
static inline double
state_of(int64_t s)
{
	const struct memory m = stage(s);

	return m.parameters + m.gradients + m.optimizer;
}

static inline void
assert_near(double have, double want, double share)
{
	if (!(fabs(have - want) <= fabs(want) * share))
		fail_msg("%.17g, not %.17g", have, want);
}

/* A training step with flash attention, on GPUs of the Hopper generation. */
static inline void
run(int64_t sequence, int64_t micro_batch)
{
	p.training.sequence_length = sequence;
	p.training.micro_batch_size = micro_batch;
	p.training.flash_attention = p.training.grouped_gemm = 1;
	p.training.recompute_layers = 1;
	p.training.moe_imbalance = 1;
	p.training.schedule = SCHEDULE_1F1B;
	p.parallel.sequence_parallel = p.parallel.tp > 1;
	p.cluster.generation = GENERATION_HOPPER;
}
#endif
