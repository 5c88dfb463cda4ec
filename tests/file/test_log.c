/* Logs: which program wrote them, medians without the first iteration, memory by rank. */
#include "filetest.h"

#include "core/text.h"
#include "file/log.h"

#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)

static struct log_report report;
static char why[1024];

static void
near(double v, double expected)
{
	if (!(v >= expected * (1 - 1e-9) && v <= expected * (1 + 1e-9)))
		fail_msg("%.10g, not %.10g", v, expected);
}

static bool
read_data(const char *name)
{
	const char *top = getenv("TOP");
	char path[512];

	text_put(path, sizeof path, "%s/tests/data/logs/%s", top != NULL ? top : ".", name);
	return log_read(&report, path, why, sizeof why);
}

static bool
read_text(const char *text)
{
	put_file("a.log", text);
	return log_read(&report, in_dir("a.log"), why, sizeof why);
}

static void
test_megatron(void **state)
{
	(void)state;
	assert_true(read_data("megatron.log"));
	assert_int_equal(report.kind, LOG_MEGATRON);
	assert_int_equal(report.iterations, 5);
	assert_false(report.first_alone);
	near(report.seconds, 2.2);
	near(report.tflops_per_gpu, 372.7);
	assert_int_equal(report.memories, 3);
	assert_int_equal(report.memory[1].rank, 4);
	assert_int_equal(report.memory[1].iterations, 1);
	near(report.memory[0].allocated, 20480.5 * MIB);
	near(report.memory[2].reserved, 19456 * MIB);
}

static void
test_torchtitan(void **state)
{
	(void)state;
	assert_true(read_data("torchtitan.log"));
	assert_int_equal(report.kind, LOG_TORCHTITAN);
	assert_int_equal(report.iterations, 3); /* the validation step is none */
	near(report.tokens_per_second_per_gpu, 5762);
	near(report.tflops_per_gpu, 333.69);
	assert_int_equal(report.memories, 1);
	assert_int_equal(report.memory[0].rank, 0);
	near(report.memory[0].reserved, 64.21 * GIB);
	assert_true(report.memory[0].allocated <= 0);
}

static void
test_nanotron(void **state)
{
	(void)state;
	assert_true(read_data("nanotron.log"));
	assert_int_equal(report.kind, LOG_NANOTRON);
	assert_int_equal(report.iterations, 2);
	near(report.seconds, 1.29);
	near(report.tokens_per_second_per_gpu, 25400);
	assert_int_equal(report.memories, 2);
	assert_int_equal(report.memory[0].stage, 0);
	near(report.memory[0].allocated, 11288.4 * MIB);
	assert_int_equal(report.memory[1].stage, 1);
	near(report.memory[1].allocated, 11776.75 * MIB);
}

static void
test_vllm(void **state)
{
	(void)state;
	assert_true(read_data("vllm.log"));
	assert_int_equal(report.kind, LOG_VLLM);
	near(report.weight_bytes, 7.52 * GIB);   /* the fullest worker */
	near(report.kv_pool_bytes, 59.84 * GIB); /* the least pool */
	near(report.kv_tokens, 980416);
	near(report.context_length, 8192);
	near(report.max_concurrency, 119.68);
	/* an older version */
	assert_true(read_text("INFO worker.py:267] model weights take 21.21GiB; non_torch_memory "
	    "takes 0.20GiB; PyTorch activation peak memory takes 0.37GiB; the rest of the memory "
	    "reserved for KV Cache is 1.57GiB.\nINFO kv] # GPU blocks: 1381, # CPU blocks: 0\n"
	    "INFO kv] Maximum concurrency for 2048 tokens per request: 10.79x\n"));
	near(report.weight_bytes, 21.21 * GIB);
	near(report.kv_pool_bytes, 1.57 * GIB);
	near(report.kv_blocks, 1381);
	near(report.max_concurrency, 10.79);
}

static void
test_first_iteration(void **state)
{
	(void)state;
	/* alone it has to do, and is said to */
	assert_true(read_text(" iteration  7/ 9 | elapsed time per iteration (ms): 900.0 |\n"));
	assert_int_equal(report.iterations, 0);
	assert_true(report.first_alone);
	near(report.seconds, 0.9);
	/* every rank prints it: all of these lines are left out */
	assert_true(read_text(" iteration 1/ 9 | elapsed time per iteration (ms): 900.0 |\n"
	    " iteration 1/ 9 | elapsed time per iteration (ms): 901.0 |\n"
	    " iteration 2/ 9 | elapsed time per iteration (ms): 100.0 |\n"
	    " iteration 3/ 9 | elapsed time per iteration (ms): 300.0 |\n"));
	assert_int_equal(report.iterations, 2);
	near(report.seconds, 0.2);
	/* of what is not a number there is no sample */
	assert_true(read_text(" iteration 1/ 9 | elapsed time per iteration (ms): nan |\n"));
	assert_true(report.seconds <= 0);
}

static void
test_long_lines(void **state)
{
	char *text = malloc(400000);
	size_t n = 200000;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	strcpy(text + n, "\n iteration 1/ 9 | elapsed time per iteration (ms): 50.0 |");
	assert_true(read_text(text)); /* without a line end at last */
	near(report.seconds, 0.05);
	/* a progress bar ends its lines with a carriage return */
	memset(text, '\r', n);
	assert_true(read_text(text));
	near(report.seconds, 0.05);
	free(text);
}

static void
test_refusals(void **state)
{
	(void)state;
	assert_false(read_text("nothing of this is known\n\033[31"));
	assert_non_null(strstr(why, "elapsed time per iteration (ms):"));
	assert_non_null(strstr(why, "GPU KV cache size:"));
	assert_false(read_text(""));
	assert_false(log_read(&report, in_dir("missing.log"), why, sizeof why));
	assert_non_null(strstr(why, "No such file"));
	assert_false(log_read(&report, test_dir, why, sizeof why));
	assert_string_equal(why, "is a directory, not a file");
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	assert_false(log_read(&report, in_dir("pipe"), why, sizeof why));
	assert_string_equal(why, "is not a regular file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_megatron),
		cmocka_unit_test(test_torchtitan),
		cmocka_unit_test(test_nanotron),
		cmocka_unit_test(test_vllm),
		cmocka_unit_test(test_first_iteration),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, fresh_dir, remove_dir);
}
