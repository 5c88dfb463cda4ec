/*
 * test_memory_step.c - memory of a whole training step: what is kept, what comes and goes
 * and what is always there.
 */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "memorycase.h"

static void
assert_sums(struct memory m)
{
	assert_true(m.parameters + m.gradients + m.optimizer + m.activations + m.logits +
	    m.kv_cache + m.buffers == m.allocated);
	assert_true(m.allocated + m.overhead == m.total);
	assert_true(m.overhead_low <= m.overhead && m.overhead <= m.overhead_high);
}

/* Llama 2 7B on one GPU of 8, worked out by hand: 32 layers of 4096*(16*4096 + 6*11008)
 * + 4*4096*32 bytes, and the loss, which is more than a layer's backward pass. */
TEST(test_step_7b)
{
	struct memory m;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	m = stage(0);
	assert_sums(m);
	assert_near(m.activations, 32 * (4096.0 * (16 * 4096 + 6 * 11008) + 4 * 4096 * 32) +
	    8 * 4096, 1e-14);
	assert_near(m.logits, 4 * 4096.0 * 4096 + 6 * 4096.0 * 32000, 1e-14);
	assert_near(m.buffers, 96 * 1048576.0, 1e-14);
	assert_true(m.in_flight == 1);
}

/* Llama 3 70B in 20 interleaved chunks: chunks in flight, bytes of the peak. */
TEST(test_step_70b)
{
	static const double in_flight[4] = { 23, 21, 19, 17 };
	static const double dummies[4] = { 0.20, 0.20, 0.20, 0.45 };
	static const double peak[4] = { 50.05, 46.47, 44.38, 44.41 };

	setup(LLAMA_70B, 64, 8, 4, 1);
	run(8192, 1);
	p.training.gradient_accumulation_fusion = 1;
	p.parallel.vpp = 5;
	interleave_layers(5);
	for (int64_t s = 0; s < 4; s++) {
		const struct memory m = memory_stage(&p, &l, &placement, 16, s, NULL);

		assert_sums(m);
		assert_near(m.in_flight * 5, in_flight[s], 1e-14);
		assert_near(m.activations / GIB, in_flight[s] * 4 * 268.25 / 1024, 1e-4);
		assert_near((m.allocated - 96 * 1048576.0) / GIB, peak[s], 2e-4);
		assert_true(m.buffers / GIB > dummies[s]);
	}
}

/* What kept activations, logits and buffers of the last rank take, its last chunk with so many
 * layers and the loss. */
static struct memory
last_chunk(int32_t layers, int64_t vocabulary)
{
	setup(LLAMA_7B, 4, 1, 4, 1);
	run(4096, 1);
	p.model.vocab_size = vocabulary;
	p.parallel.vpp = 2;
	interleave_layers(2);
	placement.chunk[7].count = layers;
	return memory_stage(&p, &l, &placement, 16, 3, NULL);
}

/* A loss in a chunk of its own: 5 micro-batches of the other chunk at the fullest moment, and 4 at
 * that of the loss, which counts where logits are more than a chunk keeps. Where all chunks have
 * layers alike both come together. */
TEST(test_loss_in_its_chunk)
{
	const double chunk = 4 * (4096.0 * (16 * 4096 + 6 * 11008) + 4 * 4096 * 32);
	struct memory m;

	m = last_chunk(4, 256000);
	assert_near(m.activations, 5 * chunk, 1e-14);
	assert_true(m.logits > 6 * 4096.0 * 256000);
	m = last_chunk(0, 256000);
	assert_sums(m);
	assert_near(m.activations, 4 * chunk, 1e-14);
	assert_near(m.in_flight, 2.5, 1e-14);
	assert_true(m.logits > chunk);
	m = last_chunk(0, 32000);
	assert_sums(m);
	assert_near(m.activations, 5 * chunk, 1e-14);
	assert_true(m.logits < chunk && !(m.logits > 0));
}

TEST(test_logits_of_last_stage_only)
{
	setup(LLAMA_70B, 64, 8, 4, 1);
	run(8192, 1);
	for (int64_t s = 0; s < 4; s++)
		assert_int_equal(stage(s).logits > 0, s == 3);
	p.training.recompute = RECOMPUTE_FULL;
	p.training.recompute_layers = 20; /* the unit that is rebuilt now takes more */
	assert_true(stage(3).logits == 0);
	assert_true(stage(3).buffers > stage(2).buffers - 1e6);
}

TEST(test_cross_entropies)
{
	const double logits = 4096.0 * 32000;
	double unfused, native, te, torch;

	setup(LLAMA_7B, 8, 1, 1, 1);
	run(4096, 1);
	unfused = stage(0).logits;
	p.training.cross_entropy = CE_NATIVE;
	native = stage(0).logits;
	p.training.cross_entropy = CE_TORCH;
	torch = stage(0).logits;
	p.training.micro_batch_size = 2; /* else a layer's backward pass is the peak */
	p.model.ffn_hidden_size = 4096;
	p.training.cross_entropy = CE_TE;
	te = stage(0).logits;
	assert_near(native - unfused, 4 * logits, 1e-12);
	assert_near(torch - unfused, 8 * logits, 1e-12);
	assert_near(te, 2 * (6 * 4096.0 * 4096 + 2 * logits), 1e-12);
}

/* fp32 logits: .float() copies nothing then (tensor_parallel/cross_entropy.py works in place),
 * and Transformer Engine's gradient in place of them takes 4 bytes; so does an MTP head's. */
TEST(test_cross_entropies_in_fp32)
{
	static const double bytes[] = {
		[CE_UNFUSED] = 4, [CE_NATIVE] = 8, [CE_TE] = 4, [CE_TORCH] = 12
	};
	const double logits = 4096.0 * 128256, hidden = 4 * 4096.0 * 4096;

	for (int64_t ce = CE_UNFUSED; ce <= CE_TORCH; ce++) {
		const double tensors = ce == CE_TE ? 3 : 2;
		double have;

		setup(LLAMA_8B, 8, 1, 1, 1);
		run(4096, 1);
		p.model.ffn_hidden_size = 1024; /* else a layer's backward pass is the peak */
		p.training.precision = PRECISION_FP32;
		p.training.cross_entropy = ce;
		have = stage(0).logits;
		assert_near(have, bytes[ce] * logits + tensors * hidden, 1e-12);
		p.model.mtp_layers = placement.chunk[0].mtp = 1;
		assert_near(stage(0).logits - have, 4 * logits + 2 * hidden, 1e-12);
	}
}

/* What one layer takes where the loss is small and the modules of `list` are recomputed, or
 * none where it is empty. */
static double
one_layer(enum shape shape, const char *list, bool flash)
{
	setup(shape, 8, 1, 1, 1);
	p.model.layers = 1;
	p.model.vocab_size = 1024;
	place();
	run(4096, 2);
	p.training.flash_attention = flash;
	p.training.attention_dropout = 0.1;
	if (*list != '\0') {
		p.training.recompute = RECOMPUTE_SELECTIVE;
		text_copy(p.training.recompute_modules, sizeof p.training.recompute_modules, list);
	}
	return stage(0).allocated;
}

/*
 * A module that is recomputed fills its tensors again before its backward pass
 * (megatron/core/tensor_parallel/random.py, CheckpointFunction.backward), so the last layer
 * of a step has the peak that it has without recompute, where it is in that module.
 */
TEST(test_modules_filled_again)
{
	static const struct {
		enum shape shape;
		const char *list;
		bool flash;
	} same[] = {
		{ LLAMA_7B, "core_attn", false }, { GPT3_175B, "core_attn", false },
		{ LLAMA_7B, "mlp", true }, { MIXTRAL, "moe", true }, { MIXTRAL, "moe_act", true },
		{ DEEPSEEK_V3, "mla_up_proj", true }, { DEEPSEEK_V3, "core_attn", true },
	};

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		assert_near(one_layer(same[i].shape, same[i].list, same[i].flash),
		    one_layer(same[i].shape, "", same[i].flash), 1e-12);
	/* of two norms' outputs one is there again, whichever half is at work */
	assert_near(one_layer(LLAMA_7B, "", true) - one_layer(LLAMA_7B, "layernorm", true),
	    2 * 8192.0 * 4096, 1e-12);
	assert_true(one_layer(MIXTRAL, "moe", false) < one_layer(MIXTRAL, "", false));
}

/* What one step fills again where units of `unit` layers are recomputed. */
static double
filled_again(int64_t layers, int64_t dense, int64_t every, int64_t unit)
{
	struct ledger ledger;
	static struct ledger_term terms[128];

	setup(MIXTRAL, 8, 1, 1, 1);
	p.model.layers = layers;
	p.model.vocab_size = 1024;
	p.model.ffn_hidden_size = 4096;
	p.model.dense_layers = dense;
	p.model.moe_layer_every = every;
	place();
	run(4096, 1);
	p.training.recompute = RECOMPUTE_FULL;
	p.training.recompute_layers = unit;
	ledger_init(&ledger, terms, 128);
	memory_stage(&p, &l, &placement, 0, 0, &ledger);
	for (size_t i = 0; i < ledger.count; i++)
		if (strcmp(terms[i].name, "layers filled again by recompute") == 0)
			return terms[i].value;
	return 0;
}

/* A unit holds what lies in a row: of every other layer half, and no layer that is not there. */
TEST(test_units_hold_neighbours)
{
	const double moe = filled_again(8, 0, 1, 1), dense = filled_again(8, 8, 1, 1);

	assert_true(moe > dense && dense > 0);
	assert_near(filled_again(8, 0, 1, 3), 3 * moe, 1e-12);
	assert_near(filled_again(8, 0, 2, 3), 2 * moe + dense, 1e-12);
	assert_near(filled_again(8, 0, 2, 4), 2 * moe + 2 * dense, 1e-12);
	assert_near(filled_again(8, 3, 1, 1), moe, 1e-12);
	assert_near(filled_again(8, 3, 1, 5), 5 * moe, 1e-12);
	assert_near(filled_again(4, 3, 1, 4), moe + 3 * dense, 1e-12);
}

/* Sizes alone: what each adds beside the terms that are named for it. */
TEST(test_more_ranks_take_less)
{
	double before = 1e30;

	for (int64_t tp = 1; tp <= 8; tp *= 2) {
		setup(LLAMA_70B, 64, tp, 4, 1);
		run(8192, 1);
		assert_true(stage(0).allocated < before);
		before = stage(0).allocated;
	}
	before = 1e30;
	for (int64_t pp = 1; pp <= 8; pp *= 2) {
		setup(LLAMA_70B, 64, 8, pp, 1);
		run(8192, 1);
		assert_true(memory_stage(&p, &l, &placement, 32, 0, NULL).allocated < before);
		before = memory_stage(&p, &l, &placement, 32, 0, NULL).allocated;
	}
	before = 1e30;
	for (int64_t zero = 0; zero <= 3; zero++) {
		struct memory m;

		setup(LLAMA_70B, 64, 8, 1, 1);
		run(8192, 1);
		p.parallel.zero_stage = zero;
		m = stage(0);
		assert_sums(m);
		assert_true(m.parameters + m.gradients + m.optimizer < before);
		before = m.parameters + m.gradients + m.optimizer;
	}
}

TEST(test_dualpipe)
{
	struct memory once, twice;
	double last;

	setup(LLAMA_70B, 64, 8, 4, 1);
	run(8192, 1);
	once = stage(0);
	last = stage(3).parameters;
	p.training.schedule = SCHEDULE_DUALPIPE;
	twice = stage(0);
	assert_true(twice.in_flight == 5 && once.in_flight == 4);
	assert_near(twice.parameters, once.parameters + last, 1e-14);
	/* the same count that the stage's parameters are shown with */
	assert_near(twice.parameters, 2 * params_stage(&p, &placement, 0, NULL).dense, 1e-14);
	assert_true(stage(3).parameters == twice.parameters);
	assert_true(twice.logits > 0); /* the first rank is also the last one */
}

/* FSDP gathers two layers, ZeRO-2 keeps one layer's gradients until they are reduced. */
TEST(test_working_sets)
{
	struct memory one, two, three;
	double layer;

	setup(LLAMA_70B, 64, 8, 4, 1);
	run(8192, 1);
	layer = params_layer(&p.model, 0).sharded / 8 + params_layer(&p.model, 0).replicated;
	one = stage(1);
	p.parallel.zero_stage = 2;
	two = stage(1);
	p.parallel.zero_stage = 3;
	three = stage(1);
	assert_near(two.buffers - one.buffers, 4 * layer, 1e-12);
	assert_near(three.buffers - two.buffers, 2 * 2 * layer, 1e-12);
	p.parallel.layout = LAYOUT_DEEPSPEED;
	assert_true(stage(1).buffers > three.buffers);
}

/* Of 16-bit gradients the step makes fp32 copies after all that a backward pass needs is gone:
 * where they are the peak, what a backward pass fills again does not matter. */
TEST(test_copies_in_the_step)
{
	struct memory one, two;

	setup(LLAMA_7B, 1, 1, 1, 1);
	run(1024, 1);
	p.training.grad_dtype = GRAD_BF16;
	p.training.recompute = RECOMPUTE_FULL;
	p.training.recompute_layers = 1;
	one = stage(0);
	p.training.recompute_layers = 4;
	two = stage(0);
	assert_true(two.activations < one.activations);
	assert_near(two.allocated, one.allocated, 1e-14);
	assert_near(one.allocated, one.parameters + one.gradients + one.optimizer +
	    2 * one.gradients + 96 * 1048576.0, 1e-14);
}

TEST(test_workspaces)
{
	setup(MIXTRAL, 64, 1, 1, 8);
	run(0, 0);
	assert_near(stage(0).buffers, (96 + 4 * 32) * 1048576.0, 1e-14);
	p.cluster.generation = GENERATION_AMPERE;
	assert_near(stage(0).buffers, (68 + 4 * 4) * 1048576.0, 1e-14);
	p.calibration.memory_bias_gib = 1;
	assert_near(stage(0).buffers, (68 + 4 * 4) * 1048576.0 + GIB, 1e-14);
}

/* Products beside TP's traffic have three workspaces more. */
TEST(test_overlapped_workspaces)
{
	double alone;

	setup(MIXTRAL, 64, 2, 1, 8);
	run(0, 0);
	alone = stage(0).buffers;
	p.training.tp_overlap = true;
	assert_near(stage(0).buffers - alone, 3 * 32 * 1048576.0, 1e-9);
}

/* ---- any plan --------------------------------------------------------------------- */

static uint32_t seed = 1;

static int64_t
below(int64_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int64_t)((seed >> 8) % (uint32_t)n);
}

static void
random_step(void)
{
	struct training *t = &p.training;

	t->micro_batch_size = 1 + below(3);
	t->precision = below(4);
	t->schedule = below(9);
	t->recompute = below(3);
	t->recompute_method = below(2);
	t->recompute_layers = 1 + below(5);
	strcpy(t->recompute_modules, below(2) ? "core_attn,moe_act" : "layernorm,mlp,moe");
	t->flash_attention = below(2);
	t->hidden_dropout = below(2) ? 0.1 : 0;
	t->attention_dropout = below(2) ? 0.1 : 0;
	t->cross_entropy = below(4);
	t->gradient_accumulation_fusion = below(2);
	t->moe_capacity_factor = below(2) ? 1.25 : 0;
	t->moe_overlap = below(2);
	p.parallel.cp_comm = below(4);
	p.parallel.zero_stage = below(4);
	p.parallel.offload = below(3);
	p.parallel.layout = below(4);
	p.parallel.sequence_parallel = below(2);
	p.model.linear_attention = below(4) == 0;
	p.model.global_layer_every = 1 + below(4);
	p.model.sliding_window = below(2) ? 1024 : 0;
	p.model.index_heads = below(4) == 0 ? 64 : 0;
	p.model.index_head_dim = 128;
	p.model.mtp_layers = placement.chunk[placement.pp * placement.vpp - 1].mtp =
	    (int32_t)below(2);
}

/* Parts sum up to totals, terms to parts, and nothing is less than nothing. */
TEST(test_any_plan)
{
	static const enum quantity parts[] = { QUANTITY_PARAMETERS, QUANTITY_GRADIENTS,
		QUANTITY_OPTIMIZER, QUANTITY_ACTIVATIONS, QUANTITY_LOGITS, QUANTITY_BUFFERS,
		QUANTITY_OVERHEAD };
	static struct ledger_term terms[256];

	for (int i = 0; i < 5000; i++) {
		const int64_t pp = INT64_C(1) << below(4), m = below(40), s = below(pp);
		struct ledger ledger;
		struct memory got;
		double sum = 0;

		setup((enum shape)below(7), 64, INT64_C(1) << below(4), pp, 1);
		run(4096, 1);
		if (below(2) && pp > 1 && p.model.layers % (2 * pp) == 0)
			interleave_layers(2);
		random_step();
		ledger_init(&ledger, terms, 256);
		got = memory_stage(&p, &l, &placement, m, s, &ledger);
		assert_sums(got);
		assert_true(ledger.count <= 256 && isfinite(got.total));
		for (size_t t = 0; t < ledger.count; t++) {
			assert_true(terms[t].value >= 0);
			for (size_t q = 0; q < sizeof parts / sizeof *parts; q++)
				if (terms[t].quantity == parts[q])
					sum += terms[t].value;
		}
		assert_near(sum, got.total, 1e-12);
		assert_near(memory_stage(&p, &l, &placement, m, s, NULL).total, got.total, 0);
	}
}

/* Layers, embedding and loss anywhere, also where no framework puts them. */
static void
random_placement(void)
{
	const int64_t chunks = placement.pp * placement.vpp;

	for (int64_t c = 0; c < chunks; c++) {
		placement.chunk[c].first = (int32_t)below(3) * 4;
		placement.chunk[c].count = (int32_t)below(3) * 2 + 1;
		placement.chunk[c].mtp = 0;
		placement.chunk[c].embedding = placement.chunk[c].loss = false;
	}
	placement.chunk[below(chunks)].embedding = true;
	placement.chunk[below(chunks)].loss = true;
	placement.chunk[below(chunks)].mtp = (int32_t)below(2);
}

/* The peak that is found by leaving stages out is that of all stages, and the first such; so
 * are the ends of its range. */
TEST(test_peak)
{
	const struct memory_limit any = { INFINITY, INFINITY };

	for (int i = 0; i < 40000; i++) {
		const int64_t pp = 1 + below(12), m = below(40);
		struct memory_setup s;
		struct memory most = { .total = 0 };
		struct memory_peak found;
		struct memory_loads loads;
		double low = 0, high = 0;
		int64_t at = 0;

		setup((enum shape)below(7), 64 * pp, INT64_C(1) << below(4), pp, 1);
		run(4096, 1);
		random_step();
		placement.vpp = 1 + below(2);
		random_placement();
		s = memory_setup(&p, &l, &placement, m);
		for (int64_t r = 0; r < pp; r++) {
			const struct memory one = memory_stage(&p, &l, &placement, m, r, NULL);

			low = larger(low, one.low);
			high = larger(high, one.high);
			if (one.total > most.total) {
				most = one;
				at = r;
			}
		}
		loads.count = loads.rest = 0;
		memory_peak(&s, &loads, &any, &found);
		assert_int_equal(found.stage, at);
		assert_memory_equal(&found.memory, &most, sizeof most);
		assert_true(found.low >= low && found.low <= low && found.high >= high &&
		    found.high <= high);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
