/* What a run left behind: numbers, facts and words of each program's lines, whatever is round
 * them. */
#include "filetest.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run.h"

static struct measured *run;
static struct file_errors errors;

static void
near(double v, double expected)
{
	if (!(v >= expected * (1 - 1e-6) && v <= expected * (1 + 1e-6)))
		fail_msg("%.10g, not %.10g", v, expected);
}

static bool
read_text(const char *text)
{
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	return run_read_text(run, "a.log", text, strlen(text), &errors);
}

static bool
read_data(const char *name)
{
	const char *top = getenv("TOP");
	char path[512];

	text_put(path, sizeof path, "%s/tests/data/logs/%s", top != NULL ? top : ".", name);
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	return run_read(run, path, &errors);
}

/* A text of lines with numbers in them, from `first` to `last`; %d is the number. */
static char *
lines(const char *fmt, int first, int last)
{
	static char text[1 << 16];
	size_t n = 0;

	for (int i = first; i <= last; i++) {
		for (const char *c = fmt; *c != '\0' && n + 16 < sizeof text; c++) {
			if (c[0] == '%' && c[1] == 'd') {
				n += (size_t)snprintf(text + n, 16, "%d", i);
				c++;
			} else {
				text[n++] = *c;
			}
		}
	}
	text[n] = '\0';
	return text;
}

static double
median(enum measured_id id)
{
	return measured_steady(run, id).median;
}

static const char *
fact(int id)
{
	const struct fact *f = measured_find(run, id);

	return f != NULL ? f->text : "";
}

static void
test_megatron(void **state)
{
	(void)state;
	assert_true(read_data("megatron.log"));
	assert_string_equal(run->file[0].kind, "megatron");
	near(median(MEASURED_STEP), 2.2);
	assert_int_equal(measured_steady(run, MEASURED_STEP).samples, 3); /* of 6, without the first three */
	near(median(MEASURED_TFLOPS), 372.7);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "64");
	assert_int_equal(run->memories, 3);
	near(run->memory[0].allocated, 20480.5 * MIB);
	assert_int_equal(run->memory[2].rank, 12);
}

static void
test_megatron_parts(void **state)
{
	(void)state;
	assert_true(read_text(
	    "12: using world size: 16, data-parallel size: 1, context-parallel size: 1, "
	    "hierarchical context-parallel sizes: None, tensor-model-parallel size: 8, "
	    "pipeline-model-parallel size: 2\n"
	    "0: ------------------------ arguments ------------------------\n"
	    "0:   micro_batch_size ................................ 4\n"
	    "0:   recompute_granularity ........................... full\n"
	    "0:   sequence_parallel ............................... False\n"
	    "0:   use_distributed_optimizer ....................... True\n"
	    "0: -------------------- end of arguments ---------------------\n"
	    "0:   seq_length ...................................... 9\n"
	    "(min, max) time across ranks (ms):\n"
	    "    forward-backward ...............................: (5012.30, 5049.17)\n"
	    "    all-grads-sync .................................: (10.11, 12.50)\n"
	    "    optimizer ......................................: (30.00, 31.00)\n"
	    "    batch-generator ................................: (1.00, 2.00)\n"
	    "| MnRtt/Rnk: 3000.00ms/8 | MxRtt/Rnk: 3600.00ms/0 |\n"));
	assert_string_equal(fact(FACT_WORLD), "16");
	assert_string_equal(fact(FIELD_TP), "8");
	assert_string_equal(fact(FIELD_MICRO_BATCH_SIZE), "4");
	assert_string_equal(fact(FIELD_RECOMPUTE), "full");
	assert_string_equal(fact(FIELD_SEQUENCE_PARALLEL), "false");
	assert_string_equal(fact(FIELD_ZERO_STAGE), "1");
	assert_null(measured_find(run, FIELD_SEQUENCE_LENGTH)); /* past the end of the list */
	near(median(MEASURED_FORWARD_BACKWARD), 5.04917);
	near(median(MEASURED_GRADS_SYNC), 0.0125);
	near(median(MEASURED_OPTIMIZER), 0.031);
	near(median(MEASURED_DATA), 0.002);
	assert_true(measured_says(run, EVIDENCE_STRAGGLER));
}

static void
test_torchtitan(void **state)
{
	(void)state;
	assert_true(read_data("torchtitan.log"));
	assert_string_equal(run->file[0].kind, "torchtitan");
	near(median(MEASURED_TOKENS_GPU), 5762);
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA H100 80GB HBM3");
	near(measured_find(run, FACT_PEAK)->number / 1e12, 23.81 / .0241);
	near(run->memory[0].reserved, 64.21 * GIB);
	/* a GPU that no line names: by its capacity and its peak */
	assert_true(read_text(lines("step: %d  loss: 1.0  memory: 47.61GiB(60.15%)  tps: 2,931  "
	    "tflops: 169.77  mfu: 54.42%\n", 1, 9)));
	near(measured_find(run, FACT_CAPACITY)->number, 47.61 * GIB / .6015);
	near(measured_find(run, FACT_PEAK)->number, 169.77e12 / .5442);
}

static void
test_nanotron(void **state)
{
	(void)state;
	assert_true(read_data("nanotron.log"));
	near(median(MEASURED_STEP), 1.29);
	near(run->memory[1].allocated, 11776.75 * MIB);
	assert_int_equal(run->memory[1].stage, 1);
	/* since 2025-03 */
	assert_true(read_text(lines("[INFO|DP=0|PP=0|TP=0|n1]: iteration: %d / 15 | "
	    "time_per_iteration_ms: 1.2K | tokens_per_sec_per_gpu: 25K | "
	    "model_tflops_per_gpu: 350\n", 1, 8)));
	near(median(MEASURED_STEP), 1.2);
	near(median(MEASURED_TOKENS_GPU), 25000);
}

static void
test_deepspeed(void **state)
{
	(void)state;
	assert_true(read_text(lines(
	    "[2025-01-01 10:00:00,000] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | "
	    "fwd_microstep: 376.6 | bwd_microstep: 864.6 | bwd_inner_microstep: 860.1 | "
	    "bwd_allreduce_microstep: 4.0 | step_microstep: 22880.9\n"
	    "[2025-01-01 10:00:00,000] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | "
	    "fwd: 376.6 | bwd: 864.6 | bwd_inner: 860.1 | bwd_allreduce: 4.0 | step: 2288%d\n"
	    "[2025-01-01] epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=3.9, "
	    "CurrSamplesPerSec=4.0, MemAllocated=1.5GB, MaxMemAllocated=2.5GB\n", 1, 5)));
	assert_string_equal(run->file[0].kind, "deepspeed");
	near(median(MEASURED_FORWARD), 0.3766);
	near(median(MEASURED_OPTIMIZER), 22.8835);
	near(median(MEASURED_STEP), 0.3766 + 0.8646 + 22.8835);
	near(median(MEASURED_SAMPLES), 4);
	near(run->memory[0].allocated, 2.5 * GIB);
}

static void
test_progress(void **state)
{
	static const char text[] =
	    "Loading checkpoint shards: 100%|##| 4/4 [00:08<00:00,  2.1s/it]\n"
	    "  0%|          | 0/377 [00:00<?, ?it/s]\r  0%| | 1/377 [01:00<6:16:00, 60.00s/it]\r"
	    "  1%| | 2/377 [01:50<5:40:00, 55.00s/it]\r  1%| | 4/377 [03:30<5:20:03, 52.33s/it]\r"
	    "  2%| | 6/377 [05:10<5:20:03, 52.33s/it]\r"
	    "Evaluating: 100%|##| 50/50 [00:50<00:00, 1.00s/it]\n"
	    "{'train_runtime': 106.5, 'train_samples_per_second': 4.69, "
	    "'train_steps_per_second': 0.01, 'train_loss': 1.5}\n";
	char bar[sizeof text];

	(void)state;
	assert_true(read_text(text));
	/* the mean with warm-up and evaluations is what the trainer says; without it the bar */
	near(median(MEASURED_STEP), 100);
	strcpy(bar, text);
	*strstr(bar, "{'train") = '\0';
	assert_true(read_text(bar));
	near(median(MEASURED_STEP), 50);
}

static void
test_noise(void **state)
{
	(void)state;
	/* colours, ranks, times and several programs in one file */
	assert_true(read_text(
	    "node1:12:34 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
	    "\033[32m3: [rank3]:\033[0m  iteration 8/ 100 | elapsed time per it\033[1meration (ms): "
	    "5361.6 | global batch size: 128 |\n"
	    "using torch.float32 for parameters ...\n"));
	assert_string_equal(run->file[0].kind, "megatron");
	near(median(MEASURED_STEP), 5.3616);
	assert_true(measured_steady(run, MEASURED_STEP).first_alone);
	assert_true(measured_says(run, EVIDENCE_SOCKETS));
	assert_true(measured_says(run, EVIDENCE_FLOAT32));
	assert_int_equal(run->evidence[EVIDENCE_FLOAT32].place.line, 3);
	assert_false(measured_says(run, EVIDENCE_RDMA));
}

static void
test_refused(void **state)
{
	(void)state;
	assert_false(read_text("hello\n"));
	assert_int_equal(errors.count, 1);
	assert_non_null(strstr(errors.line[0], "no line of a known program"));
	assert_false(read_text(""));
	errors = (struct file_errors){ 0 };
	assert_false(run_read(run, "/nonexistent.log", &errors));
	assert_int_equal(errors.count, 1);
}

/* The median and the spread of thousands of steps, in bounded memory. */
static void
test_series(void **state)
{
	struct place place = { 0, 1 };

	(void)state;
	memset(run, 0, sizeof *run);
	for (int i = 0; i < 100000; i++)
		measured_add(run, MEASURED_STEP, i, i < 3 ? 50 : i % 500 == 0 ? 9 : 1 + (i % 10) / 10.0,
		    place);
	assert_true(median(MEASURED_STEP) > 1.3 && median(MEASURED_STEP) < 1.7);
	assert_int_equal(measured_period(run, MEASURED_STEP) % 500, 0);
	assert_true(measured_drift(run, MEASURED_STEP) < 1.2);
}

static int
setup(void **state)
{
	(void)state;
	run = calloc(1, sizeof *run);
	return run == NULL;
}

static int
teardown(void **state)
{
	(void)state;
	free(run);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_megatron),
		cmocka_unit_test(test_megatron_parts),
		cmocka_unit_test(test_torchtitan),
		cmocka_unit_test(test_nanotron),
		cmocka_unit_test(test_deepspeed),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
