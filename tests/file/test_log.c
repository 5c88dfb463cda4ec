/* Logs: which program wrote them, medians without the first iteration, memory by rank. */
#include "filetest.h"

#include <time.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/log.h"
#include "file/log/log_words.h"

static struct log_report report;
static struct file_errors errors;

static void
near(double v, double expected)
{
	if (!(v >= expected * (1 - 1e-9) && v <= expected * (1 + 1e-9)))
		fail_msg("%.10g, not %.10g", v, expected);
}

static bool
read_path(const char *path)
{
	errors = (struct file_errors){ 0 };
	return log_read(&report, (const char *const[]){ path }, 1, &errors);
}

static bool
read_data(const char *name)
{
	const char *top = getenv("TOP");
	char path[512];

	text_put(path, sizeof path, "%s/tests/data/logs/%s", top != NULL ? top : ".", name);
	return read_path(path);
}

static bool
read_text(const char *text)
{
	put_file("a.log", text);
	return read_path(in_dir("a.log"));
}

/* Refused with one complaint that says this. */
static void
refused(bool ok, const char *text)
{
	assert_false(ok);
	assert_int_equal(errors.count, 1);
	if (strstr(errors.line[0], text) == NULL)
		fail_msg("'%s' lacks '%s'", errors.line[0], text);
}

TEST(test_megatron)
{
	assert_true(read_data("megatron.log"));
	assert_int_equal(report.kind, LOG_MEGATRON);
	assert_int_equal(report.iterations, 3);
	assert_false(report.first_alone);
	near(report.seconds, 2.2);
	near(report.tflops_per_gpu, 372.7);
	assert_int_equal(report.run.memories, 3);
	assert_int_equal(report.run.memory[1].rank, 4);
	assert_int_equal(report.run.memory[1].iterations, 1);
	near(report.run.memory[0].allocated, 20480.5 * MIB);
	near(report.run.memory[2].reserved, 19456 * MIB);
}

TEST(test_torchtitan)
{
	assert_true(read_data("torchtitan.log"));
	assert_int_equal(report.kind, LOG_TORCHTITAN);
	assert_int_equal(report.iterations, 3); /* the validation step is none */
	near(report.tokens_per_second_per_gpu, 5762);
	near(report.tflops_per_gpu, 333.69);
	assert_int_equal(report.run.memories, 1);
	assert_int_equal(report.run.memory[0].rank, 0);
	near(report.run.memory[0].reserved, 64.21 * GIB);
	assert_true(report.run.memory[0].allocated <= 0);
}

TEST(test_nanotron)
{
	assert_true(read_data("nanotron.log"));
	assert_int_equal(report.kind, LOG_NANOTRON);
	assert_int_equal(report.iterations, 2);
	near(report.seconds, 1.29);
	near(report.tokens_per_second_per_gpu, 25400);
	assert_int_equal(report.run.memories, 2);
	assert_int_equal(report.run.memory[0].stage, 0);
	near(report.run.memory[0].allocated, 11288.4 * MIB);
	assert_int_equal(report.run.memory[1].stage, 1);
	near(report.run.memory[1].allocated, 11776.75 * MIB);
}

TEST(test_vllm)
{
	assert_true(read_data("vllm.log"));
	assert_int_equal(report.kind, LOG_VLLM);
	near(report.run.engine.weight_bytes, 7.52 * GIB);   /* the fullest worker */
	near(report.run.engine.kv_pool_bytes, 59.84 * GIB); /* the least pool */
	near(report.run.engine.kv_tokens, 980416);
	near(report.run.engine.context_length, 8192);
	near(report.run.engine.max_concurrency, 119.68);
	/* an older version */
	assert_true(read_text("INFO worker.py:267] model weights take 21.21GiB; non_torch_memory "
	    "takes 0.20GiB; PyTorch activation peak memory takes 0.37GiB; the rest of the memory "
	    "reserved for KV Cache is 1.57GiB.\nINFO kv] # GPU blocks: 1381, # CPU blocks: 0\n"
	    "INFO kv] Maximum concurrency for 2048 tokens per request: 10.79x\n"));
	near(report.run.engine.weight_bytes, 21.21 * GIB);
	near(report.run.engine.kv_pool_bytes, 1.57 * GIB);
	near(report.run.engine.kv_blocks, 1381);
	near(report.run.engine.max_concurrency, 10.79);
}

TEST(test_sglang)
{
	assert_true(read_data("sglang.log"));
	assert_int_equal(report.kind, LOG_SGLANG);
	near(report.run.engine.weight_bytes, 7.55 * GIB); /* the fullest rank */
	near(report.run.engine.kv_pool_bytes, 58.42 * GIB);
	near(report.run.engine.kv_tokens, 957159);
	/* before 0.4.3: weights by the free memory, a pool without its tokens */
	assert_true(read_text("[05:21:40 TP0] Load weight begin. avail mem=22.76 GB\n"
	    "[05:29:17 TP0] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, "
	    "avail mem=8.37 GB\n"
	    "[05:29:17 TP0] KV Cache is allocated. K size: 2.82 GB, V size: 2.82 GB.\n"
	    "[05:29:20 TP0] max_total_num_tokens=105531, chunked_prefill_size=2048\n"));
	near(report.run.engine.weight_bytes, 14.39 * GIB);
	near(report.run.engine.kv_pool_bytes, 5.64 * GIB);
	near(report.run.engine.kv_tokens, 105531);
	/* MLA, with data parallel attention: the rank with the least room counts */
	assert_true(read_text("[DP0 TP0 EP0] KV Cache is allocated. #tokens: 524288, "
	    "KV size: 17.16 GB\n[DP0 TP0 EP0] max_total_num_tokens=524288, x\n"
	    "[DP1 TP1 EP1] max_total_num_tokens=524032, x\n"));
	near(report.run.engine.kv_pool_bytes, 17.16 * GIB);
	near(report.run.engine.kv_tokens, 524032);
}

TEST(test_sglang_pools)
{
	/* window layers have a pool of their own, inside one that is told too */
	assert_true(read_text("[x] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 800, "
	    "K size: 3.00 GB, V size: 3.00 GB\n"
	    "[x] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 1000, "
	    "K size: 1.00 GB, V size: 1.00 GB\n"
	    "[x] SWAKVPool mem usage: 8.00 GB, swa size: 800, full size: 1000\n"));
	near(report.run.engine.kv_pool_bytes, 8 * GIB);
	near(report.run.engine.kv_tokens, 1000);
	/* states of linear attention, and a draft model's small pool */
	assert_true(read_text("[x] Mamba Cache is allocated. max_mamba_cache_size: 154, "
	    "conv_state size: 0.43GB, ssm_state size: 21.80GB \n"
	    "[x] KV Cache is allocated. #tokens: 403904, K size: 12.33 GB, V size: 12.33 GB\n"
	    "[x] KV Cache is allocated. #tokens: 403904, K size: 0.77 GB, V size: 0.77 GB\n"));
	near(report.run.engine.kv_pool_bytes, (0.43 + 21.80 + 24.66) * GIB);
	near(report.run.engine.kv_tokens, 403904);
	/* kvcached's virtual pool is none */
	refused(read_text("[kvcached][INFO] VirtualKV Cache is allocated. #tokens: 1, K size: "
	    "7.99 GB, V size: 7.99 GB\n"), "no line of a known program");
}

TEST(test_trtllm)
{
	assert_true(read_data("trtllm.log"));
	assert_int_equal(report.kind, LOG_TRTLLM);
	near(report.run.engine.weight_bytes, 7.61 * GIB);
	near(report.run.engine.kv_pool_bytes, 61.5 * GIB); /* not that of the profiling run */
	near(report.run.engine.kv_tokens, 1007616);
	near(report.run.engine.kv_blocks, 31488);
	/* a built engine, in the C++ runtime */
	assert_true(read_text("[TensorRT-LLM][INFO] Loaded engine size: 6678 MiB\n"
	    "[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: 4607\n"
	    "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 62.99 GiB for max tokens in paged KV "
	    "cache (294848).\n"));
	near(report.run.engine.weight_bytes, 6678 * MIB);
	near(report.run.engine.kv_pool_bytes, 62.99 * GIB);
	near(report.run.engine.kv_tokens, 294848);
	near(report.run.engine.kv_blocks, 4607);
}

/* 640 requests of 1024 tokens that got 256, as fast as they were served. */
static void
all_at_once(double ttft_ms, double tpot_ms, double tokens_per_second)
{
	const struct measured_load *b = &report.run.load;

	assert_int_equal(report.kind, LOG_BENCHMARK);
	assert_int_equal(b->completed, 640);
	near(b->prompt_tokens, 1024);
	near(b->generate_tokens, 256);
	near(b->ttft_seconds, ttft_ms / 1e3);
	near(b->tpot_seconds, tpot_ms / 1e3);
	near(b->tokens_per_second, tokens_per_second);
	assert_false(b->rate_limited);
}

TEST(test_benchmarks)
{
	const struct measured_load *b = &report.run.load;

	assert_true(read_data("vllm_bench.json"));
	all_at_once(402.31, 14.9, 3900.01);
	assert_int_equal(b->results, 1);
	near(b->concurrency, 64); /* 64.01 by the times, but no more than asked for */
	/* the last of two; Infinity is no rate */
	assert_true(read_data("sglang_bench.jsonl"));
	all_at_once(390.4, 8.57, 6300);
	assert_int_equal(b->results, 2);
	near(b->concurrency, 63.4);
	assert_true(read_text("{\"completed\": 10, \"total_input_tokens\": 100, "
	    "\"output_throughput\": 9, \"request_rate\": 4.5, \"max_concurrency\": 3}"));
	assert_true(b->rate_limited);
	near(b->concurrency, 3);
	assert_true(b->generate_tokens <= 0);
}

/* The tables that benchmarks print say the same as their files. */
TEST(test_printed_benchmarks)
{
	const struct measured_load *b = &report.run.load;

	assert_true(read_data("vllm_bench.txt"));
	all_at_once(402.31, 14.9, 3900.01);
	assert_int_equal(b->results, 1);
	assert_true(b->concurrency > 63 && b->concurrency <= 64);
	assert_true(read_data("sglang_bench.txt"));
	all_at_once(390.12, 8.57, 6300.12); /* not the retokenized ones */
	near(b->concurrency, 63.4);
	for (int i = 0; i < 2; i++) {
		assert_true(read_data(i == 0 ? "trtllm_bench.txt" : "trtllm_report.json"));
		all_at_once(210.5, 9.28, 6169.6);
		near(b->concurrency, 62.1);
	}
	assert_true(read_text("Traffic request rate: 4.5\nSuccessful requests: 9\n"
	    "Output token throughput (tok/s): 50\n"));
	assert_true(b->rate_limited);
	/* the last of two tables, without what the first said */
	assert_true(read_text("= Serving Benchmark Result =\nSuccessful requests: 9\nMean TPOT (ms): 7\n"
	    "Output token throughput (tok/s): 50\n= Serving Benchmark Result =\n"
	    "Successful requests: 8\nOutput token throughput (tok/s): 60\n"));
	assert_int_equal(b->results, 2);
	assert_int_equal(b->completed, 8);
	assert_true(b->tpot_seconds <= 0);
	refused(read_text("Successful requests: 0\n"), "no request");
}

/* Clients that are no engine's: files in seconds or milliseconds, tables with bars. */
TEST(test_clients)
{
	const struct measured_load *b = &report.run.load;

	assert_true(read_text("{\"load_summary\": {\"count\": 600, \"requested_rate\": 8.0}, \"successes\": {\"count\": 600, "
	    "\"latency\": {\"request_latency\": {\"mean\": 2.66}, \"time_per_output_token\": {\"mean\": 0.005}, "
	    "\"time_to_first_token\": {\"mean\": 0.11}}, \"throughput\": {\"output_tokens_per_sec\": 2000.0, "
	    "\"requests_per_sec\": 7.8}, \"prompt_len\": {\"mean\": 1024.0}, \"output_len\": {\"mean\": 256.0}}}"));
	assert_int_equal(b->completed, 600);
	near(b->rate, 8);
	near(b->ttft_seconds, .11);
	near(b->generate_tokens, 256);
	assert_true(b->tpot_halved); /* of empty chunks */
	near(b->tpot_seconds, .01);
	assert_true(read_text("{\"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 7.0}, \"request_latency\": "
	    "{\"avg\": 1400.0}, \"time_to_first_token\": {\"avg\": 125.0}, \"inter_token_latency\": {\"avg\": 5.0}, "
	    "\"output_token_throughput\": {\"avg\": 1792.0}, \"output_sequence_length\": {\"avg\": 256.0}, "
	    "\"input_sequence_length\": {\"avg\": 550.0}, \"input_config\": {\"perf_analyzer\": {\"stimulus\": "
	    "{\"concurrency\": 10}}}}"));
	assert_false(b->rate_limited);
	near(b->concurrency, 9.8);
	near(b->tpot_seconds, .005);
	near(b->prompt_tokens, 550);
	assert_true(read_text("   NVIDIA AIPerf | LLM Metrics\n"
	    "│      Time to First Token (ms) │    561.30 │   351.43 │\n│ Time to First Output Token (ms) │ 900.0 │ 1 │\n"
	    "│          Request Latency (ms) │ 13,889.91 │ 8,535.88 │\n│      Inter Token Latency (ms) │     40.45 │ 31.53 │\n"
	    "│ Output Token Throughput Per User │   24.81 │    22.26 │\n│ Output Sequence Length (tokens) │ 330.31 │ 1 │\n"
	    "│ Input Sequence Length (tokens) │  100.00 │    10.00 │\n│       Output Token Throughput │    237.84 │ N/A │\n"
	    "│                  (tokens/sec) │           │          │\n│ Request Throughput (requests/sec) │ 0.72 │ N/A │\n"
	    "│      Request Count (requests) │    100.00 │      N/A │\n"));
	assert_int_equal(report.kind, LOG_BENCHMARK);
	assert_int_equal(b->completed, 100);
	near(b->ttft_seconds, .5613);
	near(b->tpot_seconds, .04045);
	near(b->tokens_per_second, 237.84);
	near(b->concurrency, .72 * 13.88991);
}

/* What older releases wrote, and what others leave out. */
TEST(test_older_benchmarks)
{
	const struct measured_load *b = &report.run.load;

	/* SGLang before 0.4: medians, and the mean time of a request */
	assert_true(read_text("{\"backend\": \"sglang\", \"request_rate\": 8.0, "
	    "\"total_input_tokens\": 307200, \"total_output_tokens\": 76800, "
	    "\"mean_e2e_latency\": 2670.0, \"median_ttft\": 120.0, \"median_itl\": 8.0, "
	    "\"output_token_throughput\": 2000.0, \"duration\": 38.4, \"completed\": 300}"));
	near(b->prompt_tokens, 1024);
	near(b->generate_tokens, 256);
	near(b->ttft_seconds, 0.12);
	near(b->tpot_seconds, 0.01);
	near(b->tokens_per_second, 2000);
	near(b->concurrency, 300 / 38.4 * 2.67);
	assert_true(b->rate_limited);
	/* trtllm-bench before 0.17, whose throughput is of generated tokens; not so later */
	assert_true(read_text("= STATISTICS\nNumber of requests:             3000\n"
	    "Average Input Length (tokens):  128.0\nAverage Output Length (tokens): 64.0\n"
	    "Token Throughput (tokens/sec):  11702.96\nRequest Throughput (req/sec):   182.86\n"
	    "Total Latency (seconds):        16.4\n"));
	assert_int_equal(report.kind, LOG_BENCHMARK);
	assert_int_equal(b->results, 1);
	near(b->generate_tokens, 64);
	near(b->tokens_per_second, 11702.96);
	assert_true(b->tpot_seconds <= 0);
	near(b->concurrency, 3000); /* all at once */
	assert_true(read_text("Number of requests: 20\nAverage Output Length (tokens): 100\n"
	    "Average request latency (ms):\t1100.0\nRequest Throughput (req/sec):\t0.9\n"
	    "Total Token Throughput (tokens/sec):\t500.0\n"
	    "Generation Token Throughput (tokens/sec): 101.0\n"
	    "Average time-to-first-token (ms): 110.0\nAverage inter-token latency (ms): 10.0\n"));
	near(b->tokens_per_second, 90);
	near(b->ttft_seconds, 0.11);
	near(b->tpot_seconds, 0.01);
	near(b->concurrency, 0.99);
	/* without a time per token nothing says how long requests took */
	assert_true(read_text("{\"completed\": 320, \"total_output_tokens\": 81920, "
	    "\"request_throughput\": 9.1, \"output_throughput\": 2333.9, \"mean_ttft_ms\": 300.0, "
	    "\"mean_tpot_ms\": NaN, \"max_concurrency\": null, \"request_rate\": \"inf\"}"));
	assert_true(b->tpot_seconds <= 0);
	near(b->concurrency, 320);
}

TEST(test_wrong_benchmarks)
{
	refused(read_text("{\"a\": 1}"), "is JSON, but no result of a serving benchmark");
	refused(read_text("{\"completed\": 0, \"request_throughput\": 0.0, "
	    "\"output_throughput\": 0.0}"), "no request");
	refused(read_text("{\"completed\": 0, \"request_throughput\": 2}"), "is JSON, but no");
	refused(read_text("{\"completed\": \"x\", \"output_throughput\": 3}"),
	    "completed: must be a whole number, not text");
	refused(read_text("{\"completed\": 3,\n \"output_throughput\": -1}"),
	    "output_throughput: must be 0 to 1e+18, not -1");
	refused(read_text("{\"completed\": 3,\n}"), "a.log:2:1: error: ");
	/* a log may begin with a brace too */
	assert_true(read_text("{'lr': 1e-4,\n 'seed': 1}\n"
	    " iteration 1/ 9 | elapsed time per iteration (ms): 900.0 |\n"));
	assert_int_equal(report.kind, LOG_MEGATRON);
	assert_int_equal(errors.count, 0);
}

TEST(test_first_iteration)
{
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

TEST(test_long_lines)
{
	char *text = malloc(400000);
	size_t n = 200000;

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

/* The time to read many short lines goes with their bytes, whichever byte ends them: ten times what
 * it takes, and a fifth of what it takes where each looks through all that was read. */
TEST(test_short_lines)
{
	enum { BYTES = 8 << 20 };
	static const char line[] = "\n iteration 1/ 9 | elapsed time per iteration (ms): 50.0 |";
	char *text = malloc(BYTES + sizeof line);

	assert_non_null(text);
	for (size_t i = 0; i < 2; i++) {
		clock_t begin;

		memset(text, i == 0 ? '\r' : '\n', BYTES);
		memcpy(text + BYTES, line, sizeof line);
		begin = clock();
		assert_true(read_text(text));
		assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
		near(report.seconds, 0.05);
	}
	/* lines of about the length that is looked through at once */
	for (size_t n = 250; n < 520; n++) {
		memset(text, 'x', n);
		text[n] = n % 2 == 0 ? '\r' : '\n';
		strcpy(text + n + 1, line + 1);
		assert_true(read_text(text));
		near(report.seconds, 0.05);
	}
	free(text);
}

/* What launchers, terminals and progress bars put before, between and into lines. */
TEST(test_surroundings)
{
	static const char bytes[] = "\xff\xc3(\0\0garbage\x1b[31\x80\n"
	    " iteration 1/ 9 | elapsed time per iteration (ms): 9.0 |\n\0\0\0"
	    " iteration 2/ 9 | elapsed time per iteration (ms): 5.0 |\n";

	/* prefixes of ranks: srun -l, torchrun --tee, MPI, ray; Windows line ends */
	assert_true(read_text("0:  iteration 1/ 9 | elapsed time per iteration (ms): 9.0 |\r\n"
	    "[default0]: iteration 2/ 9 | elapsed time per iteration (ms): 5.0 |\r\n"
	    "[1,0]<stdout>: iteration 3/ 9 | elapsed time per iteration (ms): 7.0 |\r\n"
	    "(Worker pid=7) iteration 4/ 9 | elapsed time per iteration (ms): 6.0 |\r\n"));
	assert_int_equal(report.iterations, 3);
	near(report.seconds, 0.006);
	assert_true(read_text("15: [Rank 15] (after 2 iterations) memory (MB) | allocated: 1.0 | "
	    "max allocated: 2.0 | reserved: 3.0 | max reserved: 4.0\r\n"));
	assert_int_equal(report.run.memory[0].rank, 15);
	near(report.run.memory[0].allocated, 2 * MIB);
	/* a bar that the line follows without an end, and colours amid the words */
	assert_true(read_text("  0%|   | 0/13 [00:00<?, ?it/s][TP1] max_total_num_tokens=4"
	    "\033[1m6611\033[0m, x\r 50%|#  | 6/13\r100%|###| 13/13\n"));
	near(report.run.engine.kv_tokens, 46611);
	/* bytes that are no text at all, in the middle of a log */
	put_bytes("b.log", bytes, sizeof bytes - 1);
	assert_true(read_path(in_dir("b.log")));
	near(report.seconds, 0.005);
}

/* What shells of Windows write: two bytes a letter, with a mark before them or without, of either order. */
TEST(test_wide)
{
	static const char text[] = " iteration 1/ 9 | elapsed time per iteration (ms): 9.0 |\r\n"
	    " iteration 2/ 9 | elapsed time per iteration (ms): 5.0 | \1\n iteration 3/ 9 | elapsed time per "
	    "iteration (ms): 5.0 |\r\n"; /* \1 stands for a letter that is not ASCII */
	char wide[2 * sizeof text + 2];

	for (int order = 0; order < 2; order++)
		for (int mark = 0; mark < 2; mark++) {
			size_t n = 0;

			if (mark) {
				wide[n++] = (char)(order == 0 ? 0xff : 0xfe);
				wide[n++] = (char)(order == 0 ? 0xfe : 0xff);
			}
			for (const char *c = text; *c != '\0'; c++, n += 2) {
				wide[n + (size_t)order] = *c;
				wide[n + !order] = (char)(*c == '\1' ? 0x4e : 0);
			}
			put_bytes("w.log", wide, n);
			assert_true(read_path(in_dir("w.log")));
			near(report.seconds, 0.005);
			assert_int_equal(report.iterations, 2);
		}
}

TEST(test_refusals)
{
	refused(read_text("nothing of this is known\n\033[31"), "elapsed time per iteration (ms):");
	refused(read_text("nothing of this is known\n"), "'KV Cache is allocated.' (SGLang)");
	refused(read_text("nothing of this is known\n"), "(fix: give the log from the start-up on)");
	refused(read_text(""), "a.log: error: is empty");
	refused(read_text("\n \r\n"), "is empty");
	refused(read_text("\x1f\x8b\x08..."), "a.log: error: is ");
	refused(read_path(in_dir("missing.log")), "missing.log: error: can not be opened: No such");
	refused(read_path(test_dir), "is a directory, not a file");
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	refused(read_path(in_dir("pipe")), "is not a regular file (fix: give '-' and pipe it)");
}

TEST(test_numbers)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ " 5,762 tokens", 5762 }, { "1.2K", 1200 }, { "3M", 3e6 }, { "1.5B", 1.5e9 },
		{ "2T", 2e12 }, { "77.01GiB", 77.01 }, { "4KiB", 4 }, { "12. The end", 12 },
	};
	double v = 7;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(log_number(cases[i].text, &v));
		near(v, cases[i].value);
	}
	v = 7;
	assert_false(log_number("none", &v) || log_number(NULL, &v) || v < 7 || v > 7);
	assert_false(log_number("1e308", &v) || log_number("1e305K", &v) ||
	    log_number("-1e300", &v) || log_number("1e-305", &v) || v < 7 || v > 7);
	assert_true(log_number("0", &v) && v <= 0);
}

int
main(void)
{
	return unit_run(fresh_dir, remove_dir);
}
