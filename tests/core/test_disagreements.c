/*
 * test_disagreements.c - where public estimators of memory disagree, and why this one says
 * what it says.
 *
 * One test for each disagreement: the figure of this program, worked out from the framework's
 * code, beside what the others come to for the same run. The comment names the file that
 * decides. The others are Megatron-LM's report_theoretical_memory
 * (megatron/training/theoretical_memory_usage.py), SimuMax (simumax/core/perf_llm.py),
 * llm-analysis (llm_analysis/analysis.py), EleutherAI cookbook
 * (calc/calc_transformer_mem.py), calculon (calculon/llm/llm.py) and DeepSpeed's estimators
 * (deepspeed/runtime/zero); their figures are those of running them, in GiB.
 */
#include <math.h>
#include <string.h>

#include "memorycase.h"

/* Of stage s in a step of m micro-batches. */
static struct memory
in_step(int64_t m, int64_t s)
{
	return memory_stage(&p, &l, &placement, m, s, NULL);
}

/* The estimate is `ours`, near enough to tell it from `theirs`. */
static void
not_theirs(double have, double ours, double theirs)
{
	assert_near(have / GIB, ours, 0.005);
	assert_true(fabs(have / GIB - theirs) > 3 * fabs(have / GIB - ours));
	assert_true(fabs(theirs / ours - 1) > 0.02);
}

/*
 * Sequence parallelism with flash attention. Megatron-LM's report takes the formula for SP
 * only together with selective recompute, and charges s*b*h*(10 + 24/t) otherwise: 34.3 for
 * Llama 3 70B with TP 8, PP 4. Decides: TransformerEngine .../backends.py, which keeps no
 * scores, and Megatron-LM megatron/core/tensor_parallel/layers.py, which splits the rest:
 * 80 layers in flight of 134.1 MiB are 10.5.
 */
TEST(test_sequence_parallel_with_flash)
{
	setup(LLAMA_70B, 64, 8, 4, 1);
	run(4096, 1);
	not_theirs(in_step(16, 0).activations, 80 * 134.125 / 1024,
	    1.05 * 80 * 4096.0 * 8192 * (10 + 24 / 8.0) / GIB);
}

/*
 * Full recompute. Megatron-LM's report ignores it (72.6 for Llama 2 7B with 4 sequences), the
 * cookbook keeps 34*s*b*h a layer. Decides: Megatron-LM megatron/core/tensor_parallel/
 * random.py, CheckpointFunction, which keeps the input alone: 4.0, and one layer of 2.0 that
 * is filled again.
 */
TEST(test_full_recompute)
{
	struct memory m;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 4);
	p.training.recompute = RECOMPUTE_FULL;
	m = in_step(8, 0);
	not_theirs(m.activations, 4.0, 72.6);
	p.model.vocab_size = 1024; /* else the moment of the loss is the fuller one */
	m = in_step(8, 0);
	assert_true(m.buffers > 4 * 514.5 * MIB);
}

/*
 * Gated MLPs. Megatron-LM's report and llm-analysis keep two tensors of width f, and so do
 * not change with the gate. Decides: Megatron-LM megatron/core/transformer/mlp.py: SwiGLU
 * reads gate and up, and its product is the input of the second layer: three.
 */
TEST(test_gated_mlp)
{
	double gated;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	gated = in_step(8, 0).activations;
	p.model.gated_mlp = 0;
	assert_near(gated - in_step(8, 0).activations, 32 * 2 * 4096.0 * 11008, 1e-12);
}

/*
 * Grouped queries. Megatron-LM's report and the cookbook charge keys and values as wide as
 * queries. Decides: Megatron-LM megatron/core/transformer/attention.py: they have as many
 * heads as there are KV heads, 8 instead of 64: 0.875*4*n*d*T/TP less a layer.
 */
TEST(test_grouped_queries)
{
	double grouped;

	setup(LLAMA_70B, 64, 8, 1, 1);
	run(4096, 1);
	grouped = in_step(8, 0).activations;
	p.model.kv_heads = 64;
	assert_near(in_step(8, 0).activations - grouped, 80 * 2 * 2 * 56 * 128 * 4096.0 / 8, 1e-12);
}

/*
 * Flash attention. llm-analysis adds (2*s*b*h + 4*n*s*b)*2 to the projections, which hold the
 * output already; SimuMax takes 2 bytes for the log-sum-exp. Decides: TransformerEngine
 * transformer_engine/pytorch/attention/dot_product_attention/backends.py: queries, keys,
 * values, one output and 4 bytes for a head and token: 514.5 MiB a layer, not 580.5.
 */
TEST(test_flash_attention)
{
	const double layer = 514.5 * MIB, twice = layer + 2 * 4096.0 * 4096 * 2 + 4 * 32 * 4096.0;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	not_theirs(in_step(8, 0).activations, 32 * layer / GIB, 32 * twice / GIB);
}

/*
 * Context parallelism. Megatron-LM's report keeps whole sequences on each rank (145) and
 * divides the optimizer by DP alone (47.1). Decides: Megatron-LM megatron/training/training.py
 * and megatron/core/optimizer/distrib_optimizer.py, which shard over the dp_cp group: Llama 2
 * 7B, CP 4, DP 8 takes (6 + 12/32) bytes a parameter, 40.0, and 32.2 for its quarter of 32768
 * tokens.
 */
TEST(test_context_parallel)
{
	setup(LLAMA_7B, 32, 1, 1, 1);
	p.parallel.cp = 4;
	l.dp = 8;
	run(32768, 1);
	not_theirs(state_of(0), 40.0, 47.1);
	not_theirs(in_step(8, 0).activations, 32.2, 145);
}

/*
 * ZeRO and model parallelism. The cookbook leaves gradients whole on every rank (257 for Llama
 * 3 70B) and divides ZeRO-3 weights by TP and PP twice. Decides: Megatron-LM megatron/core/
 * distributed/param_and_grad_buffer.py: a buffer for what the rank holds, 8.5. DeepSpeed's
 * own ZeRO-2 estimate, 2P + 18P/N (stage_1_and_2.py), has 4P/N of fp32 gradients, which are
 * there in the step alone, when activations are gone.
 */
TEST(test_zero)
{
	const double params = 6738415616.0;

	setup(LLAMA_70B, 64, 8, 4, 1);
	not_theirs(stage(0).gradients, 9086173184 / GIB, 4 * 70.55e9 / GIB);
	setup(LLAMA_7B, 8, 1, 1, 1);
	p.parallel.layout = LAYOUT_DEEPSPEED;
	p.parallel.zero_stage = 2;
	p.training.grad_dtype = GRAD_BF16;
	assert_near(state_of(0), 2 * params + 14 * params / 8, 1e-12);
}

/*
 * Gradients and activations at the same time. llm-analysis takes the larger of the two: 46.9
 * for Llama 2 7B on 8 GPUs. Decides: Megatron-LM megatron/core/distributed/
 * param_and_grad_buffer.py: the buffer is there from the start, so they add up to 63.9, with
 * 96 MiB of workspaces.
 */
TEST(test_peak_is_a_sum)
{
	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	not_theirs(in_step(8, 0).allocated - 96 * MIB, 63.94, 46.91);
}

/*
 * Interleaving. SimuMax's default (pp_comm_async) has no VPP: 16.1 of activations for Llama 2
 * 7B with PP 4, VPP 2, a peak of 36.2. Decides: Megatron-LM megatron/core/pipeline_parallel/
 * schedules.py, get_pp_rank_microbatches: 2*(PP-r-1) + (VPP-1)*PP + 1 = 11 chunks of 4 layers,
 * 22.1.
 */
TEST(test_interleaving)
{
	setup(LLAMA_7B, 8, 1, 4, 1);
	run(4096, 1);
	p.parallel.vpp = 2;
	interleave_layers(2);
	not_theirs(in_step(16, 0).activations, 22.11, 16.08);
	not_theirs(in_step(16, 0).allocated - 96 * MIB, 41.90, 36.2);
}

/*
 * The last stage. Megatron-LM's report has no head and no loss where there is a pipeline, and
 * 4 bytes a logit where there is none; the cookbook none at all. Decides: Megatron-LM
 * megatron/core/tensor_parallel/cross_entropy.py: 16-bit logits and their fp32 copy, 6 bytes;
 * torch.compile makes 10 of it (fusions/fused_cross_entropy.py), cross_entropy in PyTorch 14
 * (torchtitan torchtitan/components/loss.py), Transformer Engine's works in place: 2.
 */
TEST(test_logits)
{
	static const double bytes[] = { [CE_UNFUSED] = 6, [CE_NATIVE] = 10, [CE_TORCH] = 14 };
	static const int64_t kinds[] = { CE_UNFUSED, CE_NATIVE, CE_TORCH };

	for (int i = 0; i < 3; i++) {
		setup(LLAMA_8B, 8, 1, 4, 1);
		run(4096, 1);
		p.training.cross_entropy = kinds[i];
		assert_near(in_step(16, 3).logits - 4 * 4096.0 * 4096,
		    bytes[kinds[i]] * 4096 * 128256, 1e-12);
		assert_true(in_step(16, 2).logits <= 0);
	}
}

/*
 * Experts. Megatron-LM's report has no activations of experts (11.6 for Mixtral 8x7B with TP
 * 2, PP 4, EP 8; issue 1784), and before pull request 4687 divided their weights by TP alone.
 * Decides: Megatron-LM megatron/core/transformer/moe/experts.py: the input and three widths
 * inside for topk tokens, 14.8; weights over EP x ETP.
 */
TEST(test_experts)
{
	const double routed = 8 * 8 * 3.0 * 4096 * 14336; /* 8 layers of a stage, 8 experts */

	setup(MIXTRAL, 64, 2, 4, 8);
	run(4096, 1);
	not_theirs(in_step(16, 0).activations, 14.76, 11.6);
	assert_near(params_stage(&p, &placement, 1, NULL).expert, routed / 8, 1e-14);
	p.parallel.etp = 2;
	assert_near(params_stage(&p, &placement, 1, NULL).expert, routed / 16, 1e-14);
}

/*
 * Multi-head latent attention. Megatron-LM's report divides all of it by TP; SimuMax takes TP
 * 1 only, the others know no MLA. Decides: Megatron-LM megatron/core/transformer/
 * multi_latent_attention.py: the down-projections are built as 'duplicated', whole on every
 * rank, like norms and router.
 */
TEST(test_latent_attention)
{
	const double h = 7168, whole = h * (1536 + 512 + 64) + 1536 + 512 + 2 * h + h * 256;
	double one, eight;

	setup(DEEPSEEK_V3, 1024, 1, 16, 1);
	one = params_stage(&p, &placement, 8, NULL).dense;
	p.parallel.tp = 8;
	eight = params_stage(&p, &placement, 8, NULL).dense;
	assert_near((8 * eight - one) / 7, 4 * whole, 1e-12);
}

/*
 * Ends of the model. Megatron-LM's report has neither the projection of an MTP layer (2*h*h,
 * 0.10 billion for DeepSeek-V3) nor its copy of the embedding, nor learned positions;
 * llm-analysis ties every embedding, the cookbook none. Decides: Megatron-LM
 * megatron/core/transformer/multi_token_prediction.py and models/common/
 * language_module/language_module.py: a stage without the embedding holds a copy.
 */
TEST(test_ends_of_the_model)
{
	const double h = 7168, table = 129280 * h;
	double without, layer;

	setup(DEEPSEEK_V3, 1024, 1, 16, 64);
	without = params_stage(&p, &placement, 15, NULL).dense; /* one layer and the head */
	layer = without - table - h;
	p.model.mtp_layers = placement.chunk[15].mtp = 1;
	assert_near(params_stage(&p, &placement, 15, NULL).dense - without,
	    layer + 2 * h * h + 3 * h + table, 1e-12);
	setup(GPT3_175B, 64, 8, 8, 1);
	assert_near(params_stage(&p, &placement, 0, NULL).dense -
	    params_stage(&p, &placement, 4, NULL).dense,
	    51200 / 8 * 12288.0 + 2048 * 12288.0, 1e-12);
	assert_near(params_stage(&p, &placement, 7, NULL).dense -
	    params_stage(&p, &placement, 4, NULL).dense,
	    51200 / 8 * 12288.0 + 2 * 12288.0, 1e-12);
}

/*
 * What is no transformer block. calculon has no embedding, head or logits, one block of fp32
 * gradients and 2 bytes for the rest. Decides: Megatron-LM megatron/core/models/gpt/
 * gpt_model.py and docs/user-guide/features/dist_optimizer.md: both tables are parameters like
 * others, with 4 bytes of gradient each.
 */
TEST(test_beside_the_blocks)
{
	const double blocks = 32 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008 + 2 * 4096);
	const double rest = 2 * 32000 * 4096.0 + 4096;

	setup(LLAMA_7B, 8, 1, 1, 1);
	assert_near(stage(0).parameters, 2 * (blocks + rest), 1e-14);
	assert_near(stage(0).gradients, 4 * (blocks + rest), 1e-14);
}

/*
 * Padding of the vocabulary. SimuMax pads when told, llm-analysis, the cookbook and DeepSpeed
 * do not. Decides: Megatron-LM megatron/training/vocab_utils.py: a multiple of 128 x TP, so
 * GPT-2's 50257 become 51200 at TP 8; torchtitan does not pad.
 */
TEST(test_vocabulary)
{
	setup(LLAMA_7B, 8, 8, 1, 1);
	p.model.vocab_size = 50257;
	assert_int_equal(params_padded_vocab(&p), 51200);
	p.parallel.layout = LAYOUT_TORCHTITAN;
	assert_int_equal(params_padded_vocab(&p), 50257);
}

/*
 * The heaviest stage. Megatron-LM's report takes a stage of L/PP layers with the embedding
 * for it (81.5 for DeepSeek-V3 with PP 16, EP 64), SimuMax prints the first, a middle and the
 * last one. Decides: Megatron-LM megatron/core/pipeline_parallel/schedules.py with the layers
 * of transformer_block.py: stage 1 holds no dense layer and 15 micro-batches, 124.2; stage 0,
 * with three dense layers and 16 micro-batches, 112.
 */
TEST(test_heaviest_stage)
{
	double most = 0;
	int64_t at = -1;

	setup(DEEPSEEK_V3, 1024, 1, 16, 64);
	run(4096, 1);
	for (int64_t s = 0; s < 16; s++) {
		const double bytes = in_step(32, s).allocated;

		if (bytes > most) {
			most = bytes;
			at = s;
		}
	}
	assert_int_equal(at, 1);
	assert_true(fabs(most / GIB - 124.2) < fabs(most / GIB - 81.5) / 10);
	assert_true(in_step(32, 0).allocated / GIB < 115);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
