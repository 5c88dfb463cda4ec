/*
 * test_serve_apart.c - MLPs and experts on GPUs of their own: who holds what, and who waits for whom.
 */
#include "servecase.h"

static void
load_apart(const char *gpus_of_mlps)
{
	load("deepseek-v2-lite");
	gpus("8");
	set("ffn_gpus", gpus_of_mlps);
	set("concurrency", "1024");
}

/* Both sides' weights are the model's; norms are on both. */
TEST(test_weights)
{
	double whole, apart;
	struct serve s;

	load("deepseek-v2-lite");
	gpus("1");
	whole = estimate().weight_bytes;
	gpus("2");
	set("ffn_gpus", "1");
	set("max_batched_tokens", "16");
	set("max_num_seqs", "16");
	s = estimate();
	apart = s.ffn_gpu_bytes - s.non_torch_bytes;
	assert_true(near(s.weight_bytes + apart, whole, 2e-3));
	assert_true(apart > 10 * s.weight_bytes);
}

/* Attention alone leaves room for keys and values; more GPUs of MLPs hold less and wait more. */
TEST(test_room)
{
	struct serve joint, two, four;

	load("deepseek-v2-lite");
	gpus("8");
	joint = estimate();
	load_apart("2");
	two = estimate();
	assert_int_equal(layout.world, 6);
	assert_true(two.kv_pool_bytes > joint.kv_pool_bytes);
	load_apart("4");
	four = estimate();
	assert_true(four.ffn_gpu_bytes < two.ffn_gpu_bytes);
	assert_true(four.ffn_share < two.ffn_share && four.ffn_share > 0);
	assert_true(two.fits && four.fits);
}

/* Terms add up, and halves in turn are no slower than what either side has to do nor faster than both in a row. */
TEST(test_halves)
{
	struct serve plain, halves;

	load_apart("2");
	set("generate_tokens", "4000");
	set("prompt_tokens", "100");
	plain = estimate();
	assert_true(near(noted(QUANTITY_DECODE), plain.step_seconds, 1e-9));
	set("two_batch_overlap", "true");
	halves = estimate();
	assert_true(near(noted(QUANTITY_DECODE), halves.step_seconds, 1e-9));
	assert_true(halves.ffn_share <= 1);
	assert_true(halves.step_seconds < plain.step_seconds);
	assert_true(halves.step_seconds > plain.step_seconds / 2);
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
