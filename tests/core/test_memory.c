/*
 * test_memory.c - bytes of parameters, gradients, optimizer state, against
 * independently computed and measured numbers.
 */
#include <string.h>

#include "memorycase.h"

/* ---- Megatron's table -------------------------------------------------------------- */

enum formats { RECIPE_BF16, RECIPE_FP16, RECIPE_FP32 };

struct state_case {
	enum shape shape;
	int64_t tp, pp, ep, etp, cp, world, zero, stage;
	enum formats recipe;
	double parameters, gradients, optimizer;
};

/* A program of its own computed these from the sharding that Megatron-LM documents.
 * RECIPE_FP16: 16-bit gradients. */
static const struct state_case state_cases[] = {
	{ LLAMA_7B, 1, 1, 1, 1, 1, 8, 1, 0, RECIPE_BF16, 13476831232, 26953662464, 10107623424 },
	{ LLAMA_7B, 1, 1, 1, 1, 1, 8, 0, 0, RECIPE_BF16, 13476831232, 26953662464, 80860987392 },
	{ LLAMA_7B, 1, 1, 1, 1, 1, 8, 2, 0, RECIPE_BF16, 13476831232, 3369207808, 10107623424 },
	{ LLAMA_7B, 1, 1, 1, 1, 1, 8, 3, 0, RECIPE_BF16, 1684603904, 3369207808, 10107623424 },
	{ LLAMA_7B, 1, 1, 1, 1, 1, 8, 1, 0, RECIPE_FP32, 26953662464, 26953662464, 6738415616 },
	{ LLAMA_7B, 2, 1, 1, 1, 2, 8, 2, 0, RECIPE_BF16, 6738681856, 3369340928, 10108022784 },
	{ LLAMA_70B, 8, 4, 1, 1, 1, 64, 1, 0, RECIPE_BF16, 4543086592, 9086173184, 13629259776 },
	{ LLAMA_70B, 8, 4, 1, 1, 1, 64, 1, 2, RECIPE_BF16, 4278845440, 8557690880, 12836536320 },
	{ LLAMA_70B, 8, 4, 1, 1, 1, 64, 1, 3, RECIPE_BF16, 4543102976, 9086205952, 13629308928 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 64, 0, 0, RECIPE_BF16, 5645463552, 11290927104, 33872781312 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 64, 0, 4, RECIPE_BF16, 5437845504, 10875691008, 32627073024 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 64, 0, 7, RECIPE_BF16, 5595181056, 11190362112, 33571086336 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 0, RECIPE_BF16, 5645463552, 11290927104, 16936390656 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 4, RECIPE_BF16, 5437845504, 10875691008, 16313536512 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 7, RECIPE_BF16, 5595181056, 11190362112, 16785543168 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 0, RECIPE_FP16, 5645463552, 5645463552, 16936390656 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 4, RECIPE_FP16, 5437845504, 5437845504, 16313536512 },
	{ GPT3_175B, 8, 8, 1, 1, 1, 128, 1, 7, RECIPE_FP16, 5595181056, 5595181056, 16785543168 },
	{ MIXTRAL, 2, 4, 8, 1, 1, 64, 1, 0, RECIPE_BF16, 3285843968, 6571687936, 8806170624 },
	{ MIXTRAL, 2, 4, 8, 1, 1, 64, 1, 2, RECIPE_BF16, 3154771968, 6309543936, 8707866624 },
	{ MIXTRAL, 2, 4, 8, 1, 1, 64, 1, 3, RECIPE_BF16, 3285852160, 6571704320, 8806176768 },
	{ MIXTRAL, 2, 1, 8, 1, 1, 64, 3, 0, RECIPE_BF16, 1459503360, 2919006720, 8757020160 },
	{ DEEPSEEK_V3, 1, 16, 64, 1, 1, 1024, 1, 0, RECIPE_BF16, 6172573696, 12345147392, 2659577856 },
	{ DEEPSEEK_V3, 1, 16, 64, 1, 1, 1024, 1, 1, RECIPE_BF16, 3273261056, 6546522112, 8630464512 },
	{ DEEPSEEK_V3, 1, 16, 64, 1, 1, 1024, 1, 8, RECIPE_BF16, 3273261056, 6546522112, 8630464512 },
	{ DEEPSEEK_V3, 1, 16, 64, 1, 1, 1024, 1, 15, RECIPE_BF16, 2671687680, 5343375360, 2331369792 },
	{ DEEPSEEK_V3, 1, 16, 64, 1, 1, 2048, 2, 1, RECIPE_BF16, 3273261056, 1438410752, 4315232256 },
};

static void
set_recipe(enum formats recipe)
{
	if (recipe == RECIPE_FP32)
		p.training.precision = PRECISION_FP32;
	if (recipe == RECIPE_FP16) {
		p.training.precision = PRECISION_FP16;
		p.training.grad_dtype = GRAD_FP16;
	}
}

TEST(test_states)
{
	size_t i;

	for (i = 0; i < sizeof state_cases / sizeof state_cases[0]; i++) {
		const struct state_case *c = &state_cases[i];
		struct memory m;

		setup(c->shape, c->world, c->tp, c->pp, c->ep);
		p.parallel.etp = c->etp;
		p.parallel.cp = c->cp;
		l.dp /= c->cp;
		p.parallel.zero_stage = c->zero;
		set_recipe(c->recipe);
		m = stage(c->stage);
		assert_near(m.parameters, c->parameters, 1e-14);
		assert_near(m.gradients, c->gradients, 1e-14);
		assert_near(m.optimizer, c->optimizer, 1e-14);
		assert_near(m.allocated, m.parameters + m.gradients + m.optimizer + m.buffers, 0);
	}
}

TEST(test_llama_7b)
{
	struct memory m;

	setup(LLAMA_7B, 8, 1, 1, 1);
	m = stage(0);
	assert_near(m.parameters / GIB, 12.551, 1e-4);
	assert_near(m.gradients / GIB, 25.103, 1e-4);
	assert_near(m.optimizer / GIB, 9.413, 1e-4);
}

TEST(test_shards)
{
	struct shards s;

	setup(DEEPSEEK_V3, 2048, 1, 16, 64);
	s = memory_shards(&p, &l);
	assert_true(s.dense == 128 && s.expert == 2);
	p.parallel.dp_replicate = 2;
	s = memory_shards(&p, &l);
	assert_true(s.dense == 64 && s.expert == 1);
	setup(MIXTRAL, 64, 2, 4, 8);
	p.parallel.cp = 2;
	l.dp = 4;
	s = memory_shards(&p, &l);
	assert_true(s.dense == 8 && s.expert == 2);
	/* torchtitan: TP splits the experts while EP is 1 */
	setup(MIXTRAL, 64, 2, 4, 1);
	p.parallel.layout = LAYOUT_TORCHTITAN;
	s = memory_shards(&p, &l);
	assert_true(s.dense == 8 && s.expert == 8);
	/* nanotron: every TP rank holds all experts, and its optimizer shards over DP alone */
	p.parallel.layout = LAYOUT_NANOTRON;
	s = memory_shards(&p, &l);
	assert_true(s.dense == 8 && s.expert == 8);
}

/* ---- precisions and optimizers: bytes a parameter --------------------------------- */

/* Of one stage that keeps its weights in 2 bytes. */
static double
per_parameter(double bytes)
{
	return bytes / stage(0).parameters * 2;
}

TEST(test_gradient_types)
{
	setup(LLAMA_7B, 8, 1, 1, 1);
	p.training.grad_dtype = GRAD_BF16;
	assert_near(per_parameter(stage(0).gradients), 2, 1e-14);
	assert_near(per_parameter(stage(0).optimizer), 12.0 / 8, 1e-14);
	p.parallel.zero_stage = 0;
	assert_near(per_parameter(state_of(0)), 16, 1e-14);
	p.training.grad_dtype = GRAD_FP32;
	assert_near(per_parameter(state_of(0)), 18, 1e-14);
	/* fp32 training has fp32 gradients, whatever is asked for */
	p.training.precision = PRECISION_FP32;
	p.training.grad_dtype = GRAD_BF16;
	assert_near(state_of(0) / 6738415616, 16, 1e-14);
}

/* The fp32 copy of 16-bit gradients that the optimizer works on is there in the step alone, where
 * activations were. */
TEST(test_gradient_copy)
{
	double buffers;

	setup(LLAMA_7B, 8, 1, 1, 1);
	buffers = stage(0).buffers;
	p.training.grad_dtype = GRAD_BF16;
	assert_near(per_parameter(stage(0).buffers - buffers), 4.0 / 8, 1e-14);
	run(4096, 1);
	buffers = stage(0).buffers;
	p.training.grad_dtype = GRAD_FP32;
	assert_near(stage(0).buffers, buffers, 1e-14);
}

TEST(test_optimizers)
{
	struct stage_params n;
	double matrices, rest;

	setup(LLAMA_7B, 8, 1, 1, 1);
	p.training.optimizer = OPTIMIZER_SGD;
	assert_near(per_parameter(stage(0).optimizer), 8.0 / 8, 1e-14);
	p.training.optimizer = OPTIMIZER_ADAM8BIT;
	assert_near(per_parameter(stage(0).optimizer), (4 + 2.03125) / 8, 1e-14);
	p.training.optimizer = OPTIMIZER_MUON;
	n = params_stage(&p, &placement, 0, NULL);
	matrices = n.linear;
	rest = n.dense - matrices;
	assert_true(rest == 2 * 32000.0 * 4096 + 65 * 4096);
	assert_near(stage(0).optimizer, matrices * 8 / 8 + rest * 12, 1e-14);
	p.parallel.layout = LAYOUT_DEEPSPEED;
	assert_near(stage(0).optimizer, (matrices * 8 + rest * 12) / 8, 1e-14);
	p.parallel.zero_stage = 0;
	assert_near(stage(0).optimizer, matrices * 8 + rest * 12, 1e-14);
}

TEST(test_precision_aware)
{
	double with;

	setup(LLAMA_7B, 8, 1, 1, 1);
	p.training.precision_aware_optimizer = 1;
	assert_near(per_parameter(stage(0).optimizer), (4 + 8) / 8.0, 1e-14);
	p.parallel.release = 202505; /* Transformer Engine has the masters whatever is said */
	assert_near(per_parameter(stage(0).optimizer), (2 + 8) / 8.0, 1e-14);
	p.parallel.release = 0;
	p.training.param_remainders = 1;
	assert_near(per_parameter(stage(0).optimizer), (2 + 8) / 8.0, 1e-14);
	p.training.grad_dtype = GRAD_BF16;
	assert_near(per_parameter(stage(0).optimizer), (2 + 8) / 8.0, 1e-14);
	with = stage(0).optimizer;
	p.training.precision = PRECISION_FP8_BLOCK; /* Megatron has the masters whatever is said */
	assert_near(stage(0).optimizer, with * (4 + 8) / (2 + 8), 1e-14);
	p.training.precision = PRECISION_FP16;
	assert_near(per_parameter(stage(0).optimizer), (4 + 8) / 8.0, 1e-14);
	p.parallel.zero_stage = 0; /* needs the distributed optimizer */
	assert_near(per_parameter(stage(0).optimizer), 12, 1e-14);
}

TEST(test_moments)
{
	setup(LLAMA_7B, 8, 1, 1, 1);
	p.training.precision_aware_optimizer = p.training.param_remainders = 1;
	p.training.moments_dtype = MOMENTS_BF16;
	assert_near(per_parameter(stage(0).optimizer), (2 + 4) / 8.0, 1e-14);
	p.training.moments_dtype = MOMENTS_FP8;
	assert_near(per_parameter(stage(0).optimizer), (2 + 2) / 8.0, 1e-14);
}

/* Transformer Engine's Adam makes fp32 ones of moments in 8 and 16 bits while it runs, but of bf16. */
TEST(test_moments_in_step)
{
	double bf16;

	setup(LLAMA_7B, 1, 1, 1, 1);
	run(0, 0);
	p.training.precision_aware_optimizer = p.training.param_remainders = 1;
	p.training.moments_dtype = MOMENTS_BF16;
	bf16 = stage(0).buffers;
	p.training.moments_dtype = MOMENTS_FP8;
	assert_near(per_parameter(stage(0).buffers - bf16), 8, 0.01);
}

/* The fp32 masters that Megatron has want fp32 gradients too, while the optimizer runs. */
TEST(test_masters_in_step)
{
	double whole, remainders;

	setup(LLAMA_7B, 1, 1, 1, 1);
	run(512, 1);
	p.training.precision_aware_optimizer = 1;
	p.training.grad_dtype = GRAD_BF16;
	whole = stage(0).allocated;
	p.training.param_remainders = 1;
	remainders = stage(0).allocated;
	assert_true(whole - remainders > 5 * 6.7e9); /* 2 bytes of masters, 4 of gradients less what was free */
	assert_true(whole - remainders < 6 * 6.8e9);
}

/* Moonlight's experts: 22 and 11 MiB in fp32, of which the latter lie in blocks of 12. */
TEST(test_blocks)
{
	double odd, even;

	setup(MIXTRAL, 8, 1, 1, 8);
	run(512, 1);
	p.model.hidden_size = 2048;
	p.model.moe_ffn_hidden_size = 1408;
	p.model.layers = 4;
	place();
	p.model.experts = 64;
	even = params_stage(&p, &placement, 0, NULL).expert * 12;
	odd = stage(0).optimizer - params_stage(&p, &placement, 0, NULL).dense * 12 / 8;
	/* of 4 layers of 8 experts each the second weight, in three tensors */
	assert_near(odd - even, 4 * 8 * 3 * MIB, 1e-6);
	/* halves of them, of sizes that nobody knows */
	l.world = 16;
	l.dp = 16;
	assert_near(stage(0).optimizer, even / 2 + params_stage(&p, &placement, 0, NULL).dense * 12 / 16, 1e-12);
}

/* A mask of all pairs, one byte each, is there at the loss. */
TEST(test_loader_mask)
{
	double without;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 2);
	without = stage(0).allocated;
	p.training.loader_mask = 1;
	assert_near(stage(0).allocated - without, 2 * 4096.0 * 4096, 1e-6);
	p.parallel.cp = 2; /* each rank has its rows */
	without = stage(0).allocated;
	p.training.loader_mask = 0;
	assert_near(without - stage(0).allocated, 4096.0 * 4096, 1e-6);
}

/* The activations of layers that wait on the host, but for the one that is on its way. */
TEST(test_offload_layers)
{
	double layer, all;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	all = stage(0).activations;
	p.training.offload_layers = 1;
	assert_near(stage(0).activations, all, 1e-14);
	p.training.offload_layers = 2;
	layer = all - stage(0).activations;
	assert_near(all / layer, 32, 0.01);
	p.training.offload_layers = 20;
	assert_near(stage(0).activations, all - 19 * layer, 1e-12);
}

/* Of recomputed layers the inputs wait there, but for two. */
TEST(test_offload_inputs)
{
	const double input = 4096.0 * 4096 * 2;
	double all;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	p.training.recompute = RECOMPUTE_FULL;
	all = stage(0).activations;
	for (int64_t n = 1; n <= 40; n++) {
		p.training.offload_layers = n;
		assert_near(stage(0).activations,
		    all - (double)((n < 32 ? n : 32) - (n < 2 ? 1 : 2)) * input, 1e-12);
	}
	p.training.recompute_method = RECOMPUTE_BLOCK;
	p.training.recompute_layers = 20;
	p.training.offload_layers = 0;
	all = stage(0).activations;
	p.training.offload_layers = 20;
	assert_near(stage(0).activations, all - 18 * input, 1e-12);
	p.training.offload_layers = 32; /* one of the whole layers is on its way */
	assert_near(stage(0).activations - 2 * input, (all - 20 * input) / 12, 1e-2);
}

TEST(test_fp8_input)
{
	double all;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	all = stage(0).activations;
	p.training.fp8_activation_input = 1;
	assert_near(all - stage(0).activations, 32.0 * 4096 * 2 * 11008, 1e-14);
}

TEST(test_fp8)
{
	struct stage_params n;
	double bf16;

	setup(MIXTRAL, 64, 2, 4, 8);
	n = params_stage(&p, &placement, 0, NULL);
	bf16 = stage(0).parameters;
	p.training.precision = PRECISION_FP8;
	assert_near(stage(0).parameters, bf16 + 2 * (n.linear + n.expert), 1e-14);
	p.training.fp8_param_gather = 1;
	assert_near(stage(0).parameters, bf16, 1e-14); /* 1 and 1 transposed */
	assert_true(stage(0).gradients == 4 * (n.dense + n.expert));
}

/* ---- other frameworks ------------------------------------------------------------- */

TEST(test_torchtitan)
{
	const double n = 8030261248;

	setup(LLAMA_8B, 128, 1, 1, 1);
	p.parallel.layout = LAYOUT_TORCHTITAN;
	p.parallel.zero_stage = 3;
	assert_near(state_of(0), 16 * n / 128, 1e-14);
	assert_near(stage(0).optimizer, 8 * n / 128, 1e-14);
	p.parallel.dp_replicate = 4;
	assert_near(state_of(0), 16 * n / 32, 1e-14);
	p.parallel.zero_stage = 2; /* gathered weights stay until backward */
	assert_near(state_of(0), 16 * n / 32 + 2 * n, 1e-14);
	p.parallel.zero_stage = 0;
	assert_near(state_of(0), 16 * n, 1e-14);
	p.parallel.zero_stage = 3;
	p.training.moments_dtype = MOMENTS_BF16;
	assert_near(state_of(0), 12 * n / 32, 1e-14);
	p.training.weights_16bit = 1;
	assert_near(state_of(0), 8 * n / 32, 1e-14);
	p.parallel.offload = OFFLOAD_OPTIMIZER_PARAMS;
	assert_true(state_of(0) == 0);
	p.training.weights_16bit = p.training.moments_dtype = 0;
}

TEST(test_nanotron)
{
	const double n = 8030261248;

	setup(LLAMA_8B, 8, 1, 1, 1);
	p.parallel.layout = LAYOUT_NANOTRON;
	assert_near(state_of(0), n * (6 + 12.0 / 8), 1e-14);
	p.parallel.zero_stage = 0;
	assert_near(state_of(0), n * 18, 1e-14);
}

/* DeepSpeed: 16 bytes a parameter, 2 of them its gradient, unless grad_accum_dtype is fp32
 * (engine.py, get_data_types). The step has fp32 gradients as well, where activations and, below
 * ZeRO 3, the bucket of gradients were. */
TEST(test_deepspeed)
{
	const double n = 8030261248;
	struct memory m;

	setup(LLAMA_8B, 8, 1, 1, 1);
	p.parallel.layout = LAYOUT_DEEPSPEED;
	p.parallel.zero_stage = 2;
	p.training.grad_dtype = GRAD_BF16;
	assert_near(state_of(0), n * (2 + 14.0 / 8), 1e-14);
	run(0, 0); /* no activations: the step is the peak, the gradient bucket is gone by then */
	m = stage(0);
	assert_near(m.buffers + m.activations, n / 8 * 4 + 64 * 1048576, 1e-12);
	run(4096, 8);
	m = stage(0);
	assert_true(m.activations > n / 8 * 4 && m.buffers < 3e9);
	p.training.overlap_grad_reduce = true; /* two buckets in turn */
	assert_near(stage(0).buffers - m.buffers, 5e8 * 2, 1e-9);
	p.parallel.zero_stage = 3; /* one */
	m = stage(0);
	p.training.overlap_grad_reduce = false;
	assert_near(stage(0).buffers, m.buffers, 1e-12);
	p.parallel.zero_stage = 0;
	assert_near(state_of(0), n * 16, 1e-14);
	p.parallel.release = 202501; /* sums in fp32, and a sharded optimizer all the same */
	assert_near(state_of(0), n * (8 + 12.0 / 8), 1e-14);
	p.training.precision = PRECISION_FP16;
	assert_near(state_of(0), n * 16, 1e-14);
	p.training.precision = PRECISION_BF16;
	p.parallel.release = 0;
	p.parallel.zero_stage = 1; /* BF16_Optimizer, which has gradients of its own */
	p.training.grad_dtype = GRAD_FP32;
	assert_near(state_of(0), n * (2 + 2 + 4 + 12.0 / 8), 1e-14);
	p.training.grad_dtype = GRAD_BF16;
	p.parallel.zero_stage = 2;
	p.parallel.offload = OFFLOAD_OPTIMIZER;
	assert_near(state_of(0), n * 2, 1e-14);
	p.parallel.offload = OFFLOAD_NONE;
	p.parallel.zero_stage = 3;
	assert_near(state_of(0), n * 16 / 8, 1e-14);
	run(0, 0);
	m = stage(0);
	assert_near(m.buffers + m.activations, 4e9 + 1e9 + 64 * 1048576, 1e-12);
	p.training.grad_dtype = GRAD_FP32;
	assert_near(state_of(0), n * 18 / 8, 1e-14);
	p.parallel.offload = OFFLOAD_OPTIMIZER;
	assert_near(state_of(0), n * 2 / 8, 1e-14);
	p.parallel.offload = OFFLOAD_OPTIMIZER_PARAMS;
	assert_true(state_of(0) == 0);
}

TEST(test_offload)
{
	struct memory with, without;

	setup(LLAMA_7B, 8, 1, 1, 1);
	without = stage(0);
	p.parallel.offload = OFFLOAD_OPTIMIZER;
	with = stage(0);
	assert_true(with.optimizer == 0 && with.gradients == without.gradients);
	assert_true(with.parameters == without.parameters);
}

/* Drives take what hosts had but for weights of a rank that DeepSpeed keeps there, and buffers; the GPU
 * holds the same. */
TEST(test_drives)
{
	struct memory host, drive, both;

	setup(LLAMA_7B, 2, 1, 1, 1);
	p.parallel.layout = LAYOUT_DEEPSPEED;
	p.parallel.zero_stage = 3;
	p.parallel.offload = OFFLOAD_OPTIMIZER_PARAMS;
	host = stage(0);
	assert_true(host.drive == 0 && host.host > 0);
	p.parallel.offload_to = OFFLOAD_TO_NVME_OPTIMIZER;
	drive = stage(0);
	p.parallel.offload_to = OFFLOAD_TO_NVME;
	both = stage(0);
	assert_true(drive.total == host.total && both.total == host.total);
	/* four buffers of 10^9 fp32 values; five of 10^8 weights, and 10^9 that stay */
	assert_near(drive.host + drive.drive - host.host, 4 * 1e9 * 4, 1e-9);
	assert_near(both.host - (4 * 1e9 * 4 + 5 * 1e8 * 2), 1e9 * 2, 1e-9);
	assert_near(both.drive - drive.drive, drive.host - 4 * 1e9 * 4 - 1e9 * 2, 1e-9);
}

/* nanotron builds ZeRO-1 whatever the stage above 0 (src/nanotron/helpers.py). */
TEST(test_nanotron_zero)
{
	struct memory one;

	setup(LLAMA_7B, 8, 1, 1, 1);
	p.parallel.layout = LAYOUT_NANOTRON;
	p.parallel.zero_stage = 1;
	one = stage(0);
	assert_true(one.optimizer * 8 == 3 * one.gradients && one.gradients == 2 * one.parameters);
	for (p.parallel.zero_stage = 2; p.parallel.zero_stage <= 3; p.parallel.zero_stage++)
		assert_true(stage(0).allocated == one.allocated);
}

/* ---- serving ----------------------------------------------------------------------- */

static void
serve(enum shape shape, int64_t tp, int64_t pp)
{
	setup(shape, tp * pp, tp, pp, 1);
	p.mode = MODE_SERVE;
	p.parallel.layout = LAYOUT_VLLM;
}

static void
hold_in(int64_t experts, int64_t others)
{
	p.serving.weight_dtype = experts;
	p.serving.dense_dtype = others;
	p.serving.weight_group = 128;
}

/* vLLM's "Model loading took" on Llama 3 8B, GiB. Llama 3.1, in four stages, loads a
 * table of rotary embeddings for 131072 positions besides. */
TEST(test_serving_weights)
{
	const double rope = 131072.0 * 128 * 2;

	serve(LLAMA_8B, 1, 1);
	assert_near(stage(0).allocated / GIB, 14.96, 0.001);
	assert_true(stage(0).gradients == 0 && stage(0).optimizer == 0);
	serve(LLAMA_8B, 2, 1);
	assert_near(stage(0).allocated / GIB, 7.48, 0.001);
	serve(LLAMA_8B, 1, 4);
	assert_near((stage(0).allocated + rope) / GIB, 4.26, 0.001);
	assert_near((stage(1).allocated + rope) / GIB, 3.28, 0.001);
	assert_near((stage(3).allocated + rope) / GIB, 4.26, 0.001);
	serve(LLAMA_8B, 1, 1);
	hold_in(WEIGHT_FP8, WEIGHT_FP8);
	assert_near(stage(0).allocated / GIB, 8.49, 0.005);
}

TEST(test_serving_formats)
{
	struct stage_params n;

	serve(GPT_OSS, 1, 1);
	n = params_stage(&p, &placement, 0, NULL);
	hold_in(WEIGHT_MXFP4, WEIGHT_BF16); /* the experts alone */
	assert_near(stage(0).allocated,
	    2 * (n.dense + n.expert - n.expert_linear) + n.expert_linear * 17 / 32, 1e-14);
	hold_in(WEIGHT_NVFP4, WEIGHT_BF16);
	assert_near(stage(0).allocated,
	    2 * (n.dense + n.expert - n.expert_linear) + n.expert_linear * 0.5625, 1e-14);
	hold_in(WEIGHT_FP8, WEIGHT_FP8); /* all of it */
	assert_near(stage(0).allocated, 2 * (n.dense + n.expert - n.expert_linear - n.linear) +
	    (n.expert_linear + n.linear) * (1 + 4.0 / 16384), 1e-14);
	serve(LLAMA_8B, 1, 1);
	n = params_stage(&p, &placement, 0, NULL);
	hold_in(WEIGHT_INT4, WEIGHT_INT4);
	assert_near(stage(0).allocated, 2 * (n.dense - n.linear) + n.linear * 0.515625, 1e-14);
	hold_in(WEIGHT_MXFP4, WEIGHT_MXFP4); /* a dense model has nothing else */
	assert_near(stage(0).allocated, 2 * (n.dense - n.linear) + n.linear * 17 / 32, 1e-14);
}

/* ---- capacity, ledger -------------------------------------------------------------- */

TEST(test_capacity)
{
	p.cluster.memory_gib = 80;
	p.cluster.reserved_gib = 2.5;
	assert_true(memory_capacity(&p) == 77.5 * GIB);
	p.cluster.reserved_gib = 90;
	assert_true(memory_capacity(&p) == 0);
}

TEST(test_ledger)
{
	struct ledger_term terms[128];
	double sum[QUANTITY_COUNT] = { 0 };
	struct ledger ledger;
	struct memory m;
	size_t i;

	setup(MIXTRAL, 64, 2, 4, 8);
	p.training.precision = PRECISION_FP8;
	p.training.optimizer = OPTIMIZER_MUON;
	p.training.grad_dtype = GRAD_BF16;
	run(4096, 1);
	ledger_init(&ledger, terms, 128);
	m = memory_stage(&p, &l, &placement, 0, 2, &ledger);
	assert_true(ledger.count <= 128);
	for (i = 0; i < ledger.count; i++) {
		assert_int_equal(terms[i].stage, 2);
		assert_true(terms[i].formula[0] != '\0' && terms[i].source[0] != '\0');
		sum[terms[i].quantity] += terms[i].value;
	}
	assert_true(sum[QUANTITY_PARAMETERS] == m.parameters);
	assert_true(sum[QUANTITY_GRADIENTS] == m.gradients);
	assert_true(sum[QUANTITY_OPTIMIZER] == m.optimizer);
	assert_near(sum[QUANTITY_ACTIVATIONS], m.activations, 1e-14);
	assert_near(sum[QUANTITY_LOGITS], m.logits, 1e-14);
	assert_near(sum[QUANTITY_BUFFERS], m.buffers, 1e-14);
	assert_near(sum[QUANTITY_OVERHEAD], m.overhead, 1e-14);
	assert_true(m.activations > 0 && m.buffers > 0 && m.overhead > 0);
	assert_near(memory_stage(&p, &l, &placement, 0, 2, NULL).total, m.total, 0);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
