/*
 * test_kv.c - KV cache: bytes of a token, groups, pages and blocks of a request against
 * numbers that engines printed or that their sources give.
 */
#include <math.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/model/kv.h"
#include "../unit.h"

static struct plan p;

/* GQA of 128-wide heads. */
static void
attention(int64_t layers, int64_t heads, int64_t kv_heads, int64_t head_dim)
{
	plan_defaults(&p);
	p.mode = MODE_SERVE;
	p.model.layers = layers;
	p.model.attention_heads = heads;
	p.model.kv_heads = kv_heads;
	p.model.head_dim = head_dim;
	p.serving.context_length = 8192;
}

static void
window(int64_t tokens, int64_t global_every)
{
	p.model.sliding_window = tokens;
	p.model.global_layer_every = global_every;
}

static double
token(void)
{
	const struct kv_layers all = kv_layers_of(&p, 0, p.model.layers);

	return kv_token_bytes(&p, &all, NULL);
}

static void
mla(int64_t layers)
{
	attention(layers, 128, 128, 56);
	p.model.attention = ATTENTION_MLA;
	p.model.kv_lora_rank = 512;
	p.model.qk_rope_head_dim = 64;
	p.model.qk_nope_head_dim = 128;
	p.model.v_head_dim = 128;
}

TEST(test_bytes_of_a_token)
{
	attention(32, 32, 8, 128);
	assert_true(token() == 131072);
	p.model.kv_heads = 32; /* MHA */
	assert_true(token() == 524288);
	p.model.kv_heads = 1; /* MQA */
	assert_true(token() == 16384);
	attention(32, 32, 8, 128);
	p.serving.kv_dtype = KV_FP8;
	assert_true(token() == 65536);
	p.serving.kv_dtype = KV_NVFP4; /* 9/16 of a byte a number */
	assert_true(token() == 36864);
}

/* Heads of local layers have sizes of their own; one projection to keys and values makes both. */
TEST(test_heads_of_local_layers)
{
	attention(30, 16, 2, 512);
	window(1024, 6);
	p.model.local_kv_heads = 8;
	p.model.local_head_dim = 256;
	assert_true(token() == 5 * 2 * 1024 * 2 + 25 * 8 * 512 * 2);
	p.model.shared_key_value = 1;
	assert_true(token() == 5 * 2 * 1024 * 2 + 25 * 8 * 512 * 2);
}

/* Layers that borrow keys and values keep none. */
TEST(test_borrowed)
{
	attention(42, 8, 2, 512);
	window(512, 6);
	p.model.local_head_dim = 256;
	assert_true(token() == 7 * 2 * 1024 * 2 + 35 * 2 * 512 * 2);
	p.model.borrowing_layers = 18;
	assert_true(token() == 4 * 2 * 1024 * 2 + 20 * 2 * 512 * 2);
	p.model.borrowing_layers = 100; /* more than there are */
	assert_true(token() == 0);
}

/* Keys of an indexer, of the layers that have one. */
TEST(test_index)
{
	attention(60, 64, 4, 128);
	p.model.index_heads = 4;
	p.model.index_head_dim = 128;
	p.model.index_dense_layers = 3;
	assert_true(fabs(token() - (60 * 2 * 4 * 128 * 2 + 57 * 128 * 2)) < 1e-6);
	mla(78);
	p.model.index_heads = 32;
	p.model.index_head_dim = 128;
	assert_true(fabs(token() - 78 * (576 * 2 + 132)) < 1e-6);
	p.model.index_own_layers = 3;
	p.model.index_every = 4;
	assert_true(fabs(token() - (78 * 576 * 2 + 21 * 132)) < 1e-6);
}

/* Entries of several tokens, keys of the index of one kind of them, and a window in every layer;
 * each rank has all of them. */
TEST(test_compressed)
{
	attention(10, 64, 1, 512);
	p.model.attention = ATTENTION_CSA;
	text_put(p.model.layer_pattern, sizeof p.model.layer_pattern, "WEWECEHECE");
	p.model.index_heads = 64;
	p.model.index_head_dim = 128;
	window(128, 0);
	assert_true(fabs(token() - (2 * 1024 / 4.0 + 1024 / 128.0 + 2 * 256 / 4.0 + 5 * 1024)) < 1e-6);
	p.parallel.tp = 8;
	assert_true(fabs(token() - 5768) < 1e-6);
	p.serving.kv_dtype = KV_FP8;
	assert_true(fabs(token() - (2 * 512 / 4.0 + 512 / 128.0 + 2 * 256 / 4.0 + 5 * 512)) < 1e-6);
}

/* Each rank keeps whole heads: from TP = KV heads on, no more is saved. */
TEST(test_tp_splits_heads)
{
	attention(32, 32, 8, 128);
	p.parallel.tp = 2;
	assert_true(token() == 65536);
	p.parallel.tp = 16;
	assert_true(token() == 16384);
	p.parallel.tp = 3; /* ceil(8/3) = 3 heads */
	assert_true(token() == 3 * 16384);
	p.parallel.tp = 8;
	p.serving.dp_attention = true;
	assert_true(token() == 131072);
}

/* GLM-4.7-Flash keeps 47*576*2 bytes on each rank at TP 2; DeepSeek-V3.2 with FP8
 * 61*(656+132), sgl-project/sglang issue 11309. */
TEST(test_mla)
{
	mla(47);
	p.parallel.tp = 2;
	assert_true(token() == 47 * 576 * 2);
	p.serving.kv_dtype = KV_FP8;
	assert_true(token() == 47 * 576);
	mla(61);
	p.model.index_heads = 64;
	p.model.index_head_dim = 128;
	assert_true(token() == 61 * (1152 + 132));
	p.serving.kv_dtype = KV_FP8;
	assert_true(token() == 61 * (656 + 132));
}

/* Blocks, groups and requests that vLLM 0.19 printed (llm-d-planner pull request 205). */
struct hybrid {
	int64_t layers, heads, kv_heads, head_dim, window, every, tp;
	const char *preset;
	double group, groups, blocks, requests;
};

TEST(test_groups_of_layers)
{
	static const struct hybrid cases[] = {
		{ 48, 16, 8, 256, 1024, 6, 1, "gemma-3-12b", 8, 6, 48867, 15.88 },
		{ 62, 32, 16, 128, 1024, 6, 1, "gemma-3-27b", 10, 7, 15997, 4.46 },
		{ 42, 16, 8, 256, 4096, 2, 1, "gemma-2-9b", 21, 2, 21110, 20.60 },
		{ 24, 64, 8, 64, 128, 2, 2, "gpt-oss-20b", 12, 2, 323972, 316.07 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct hybrid *c = &cases[i];
		struct kv_layers all;
		struct kv kv;

		attention(c->layers, c->heads, c->kv_heads, c->head_dim);
		window(c->window, c->every);
		p.parallel.tp = c->tp;
		kv = kv_of(&p, 19, 8192);
		all = kv_layers_of(&p, 0, c->layers);
		assert_true(kv_group_count(&kv) == c->groups);
		assert_true(kv_block_bytes(&kv, &all) == kv.page * c->group);
		assert_true(fabs(c->blocks / kv_request_blocks(&kv, 8192) - c->requests) < 0.006);
	}
}

/* vLLM's page formulas: a window starts anywhere in a block, a chunk does not. */
TEST(test_windows_and_chunks)
{
	struct kv kv;

	attention(48, 40, 8, 128);
	window(1024, 4);
	kv = kv_of(&p, 19, 2048);
	assert_true(kv_request_blocks(&kv, 65536) == 4096 + 3 * (ceil(3071.0 / 16) + 1));
	assert_true(kv_request_blocks(&kv, 1024) == 64 + 3 * (64 + 1));
	p.model.sliding_window = 0; /* Llama 4: chunks, which begin at the start of a block */
	p.model.attention_chunk = 1024;
	kv = kv_of(&p, 19, 2048);
	assert_true(kv_request_blocks(&kv, 65536) == 4096 + 3 * (3072.0 / 16));
	kv = kv_of(&p, 6, 2048); /* V0: every layer keeps everything */
	assert_true(kv_request_blocks(&kv, 65536) == 4096);
	p.model.attention_chunk = 0;
	window(1024, 0); /* all layers alike */
	kv = kv_of(&p, 19, 2048);
	assert_true(kv_group_count(&kv) == 1);
	assert_true(kv_request_blocks(&kv, 65536) == ceil(3071.0 / 16) + 1);
}

static void
linear(void)
{
	attention(64, 24, 4, 256);
	p.model.linear_attention = true;
	p.model.global_layer_every = 4;
	p.model.linear_key_heads = 16;
	p.model.linear_value_heads = 48;
	p.model.linear_key_head_dim = 128;
	p.model.linear_value_head_dim = 128;
	p.model.linear_conv_kernel = 4;
}

/* Qwen3.5-27B: 48 states of 3,145,728 + 61,440 bytes; blocks of attention grow to 784
 * tokens so that a page holds a state. */
TEST(test_recurrent_states)
{
	struct kv_layers all;
	struct kv kv;

	linear();
	kv = kv_of(&p, 19, 8192);
	all = kv_layers_of(&p, 0, 64);
	assert_true(kv_state_bytes(&kv, &all) == 48.0 * (3145728 + 61440));
	assert_true(kv.block[KV_FULL] == 784);
	assert_true(kv.page == 784 * 4096);
	assert_true(kv_group_count(&kv) == 4);
	assert_true(kv_request_blocks(&kv, 262144) == ceil(262144.0 / 784) + 3);
	/* two RTX 3090, FP8 cache, states kept for the prefix cache too: 411 blocks of a
	 * 9.84 GiB pool are 2.36 requests (noonghunna/club-3090 issue 104) */
	p.parallel.tp = 2;
	p.serving.kv_dtype = KV_FP8;
	kv = kv_of(&p, 21, 8192);
	assert_true(floor(9.84 * 1073741824 / kv_block_bytes(&kv, &all)) == 411);
	assert_true(fabs(411 / kv_request_blocks(&kv, 262144) - 2.362) < 0.001);
}

/* MiMo-V2: local layers have twice the KV heads, so full ones take blocks of 32. */
TEST(test_pages_are_equal)
{
	struct kv kv;

	attention(48, 64, 4, 192);
	p.model.v_head_dim = 128;
	p.model.local_kv_heads = 8;
	window(128, 6);
	kv = kv_of(&p, 19, 8192);
	assert_true(kv.page == 16 * 8 * 320 * 2);
	assert_true(kv.block[KV_FULL] == 32 && kv.block[KV_WINDOW] == 16);
	window(0, 0); /* no layer has those heads, so no page */
	kv = kv_of(&p, 19, 8192);
	assert_true(kv.page == 16 * 4 * 320 * 2 && kv.block[KV_FULL] == 16);
}

/* Kimi Linear's states are fp32 whatever the model says, those of others in its type: a value each of
 * 48 heads of 128 by 128, and 3 inputs of a convolution over 10,240 channels. */
TEST(test_type_of_states)
{
	const double inputs = 2 * 3 * 10240, values = 48 * 128 * 128;
	struct kv_layers all;
	struct kv kv;

	linear();
	p.model.state_fp32 = false;
	kv = kv_of(&p, 19, 8192);
	all = kv_layers_of(&p, 0, 64);
	assert_true(kv_state_bytes(&kv, &all) == 48 * (2 * values + inputs));
	p.serving.engine = ENGINE_SGLANG;
	kv = kv_of(&p, 19, 8192);
	assert_true(kv_state_bytes(&kv, &all) == 48 * (4 * values + inputs));
	p.serving.engine = ENGINE_VLLM;
	p.model.linear_kind = LINEAR_KDA;
	kv = kv_of(&p, 19, 8192);
	assert_true(kv_state_bytes(&kv, &all) == 48 * (4 * values + inputs));
}

TEST(test_decode_context_parallel)
{
	struct kv kv;

	mla(61);
	p.parallel.tp = 8;
	p.serving.dcp = 8;
	kv = kv_of(&p, 19, 8192);
	assert_true(kv.ranks == 8);
	assert_true(kv_request_blocks(&kv, 8192) == 64);
	p.serving.dp_attention = 1; /* one rank holds the whole attention */
	assert_true(kv_of(&p, 19, 8192).ranks == 1);
}

static double
ranks(int64_t tp, int64_t pcp, int64_t dcp)
{
	p.parallel.tp = tp;
	p.parallel.cp = pcp;
	p.serving.dcp = dcp;
	return kv_of(&p, 19, 8192).ranks;
}

/* Decode context parallel spreads what TP copies, and no more: vLLM refuses it for 8 KV heads
 * up to TP 8, and takes at most TP/8. With prefill context parallel its size counts both. */
TEST(test_copies_are_split)
{
	attention(32, 32, 8, 128);
	assert_true(ranks(8, 1, 8) == 1);
	assert_true(ranks(16, 1, 2) == 2);
	assert_true(ranks(32, 1, 2) == 2 && ranks(32, 1, 8) == 4);
	assert_true(ranks(8, 2, 1) == 2);
	mla(61);
	assert_true(ranks(8, 1, 4) == 4);
	assert_true(ranks(8, 2, 1) == 2 && ranks(8, 2, 2) == 2 && ranks(8, 2, 16) == 16);
}

/* A pipeline stage of a hybrid model has its share of every group. */
TEST(test_groups_on_a_stage)
{
	struct kv_layers part;
	struct kv kv;

	attention(48, 16, 8, 256);
	window(1024, 6);
	kv = kv_of(&p, 19, 8192);
	part = kv_layers_of(&p, 24, 24);
	assert_true(part.of[KV_FULL] == 4 && part.of[KV_WINDOW] == 20);
	assert_true(kv_block_bytes(&kv, &part) == kv.page * 4);
}

/* Llama-3-70B, 8k prompt, bf16: 2.68 GB; DeepSeek-V3: 0.58 GB. */
TEST(test_bytes_of_the_model)
{
	attention(80, 64, 8, 128);
	p.parallel.tp = 16;
	assert_true(8192 * kv_model_bytes(&p) == 8192.0 * 80 * 8 * 256 * 2);
	mla(61);
	p.parallel.tp = 8;
	assert_true(8192 * kv_model_bytes(&p) == 8192.0 * 61 * 576 * 2);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
