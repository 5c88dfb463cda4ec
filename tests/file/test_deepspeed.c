/* DeepSpeed's JSON: what maps, what the launcher would refuse, and what it does not say. */
#include "filetest.h"

#include "file/import/import.h"

static struct file_errors errors;
static struct plan plan;
static struct import im;

static enum import_status
read_world(const char *text, int64_t world)
{
	import_free(&im);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .name = "ds.json", .text = text, .size = strlen(text), .world = world,
		.plan = &plan, .errors = &errors };
	return import_text(&im, NULL);
}

#define BATCHES "\"train_batch_size\": 256, \"train_micro_batch_size_per_gpu\": 4, " \
	"\"gradient_accumulation_steps\": 2"

TEST(test_taken)
{
	assert_int_equal(read_world("{ " BATCHES ", \"bf16\": { \"enabled\": true },\n"
	    "\"zero_optimization\": { \"stage\": 3, \"offload_optimizer\": { \"device\": \"cpu\" }, "
	    "\"offload_param\": { \"device\": \"nvme\" } }, \"tensor_parallel\": { \"autotp_size\": 2 },\n"
	    "\"optimizer\": { \"type\": \"adamw\" }, \"data_types\": { \"grad_accum_dtype\": \"bf16\" } }", 0),
	    IMPORT_DONE);
	assert_int_equal(plan.parallel.layout, LAYOUT_DEEPSPEED);
	assert_int_equal(plan.parallel.zero_stage, 3);
	assert_int_equal(plan.parallel.offload, OFFLOAD_OPTIMIZER_PARAMS);
	assert_int_equal(plan.parallel.offload_to, OFFLOAD_TO_NVME);
	assert_int_equal(plan.parallel.tp, 2);
	assert_int_equal(plan.training.precision, PRECISION_BF16);
	assert_int_equal(plan.training.grad_dtype, GRAD_BF16);
	assert_int_equal(plan.training.global_batch_size, 256);
	assert_int_equal(plan.training.micro_batch_size, 4);
	assert_int_equal(plan_world(&plan), 64); /* 256 / (4 x 2) ranks, of 2 GPUs each */
	/* stages below 3 keep their parameters; what is not there */
	assert_int_equal(read_world("{ \"train_micro_batch_size_per_gpu\": 2, "
	    "\"gradient_accumulation_steps\": 8, \"fp16\": { \"enabled\": true }, \"zero_optimization\": "
	    "{ \"stage\": 2, \"reduce_bucket_size\": 2e8, \"offload_param\": { \"device\": \"cpu\" } } }", 16),
	    IMPORT_DONE);
	assert_int_equal(plan.training.bucket_size, 200000000);
	assert_int_equal(plan.parallel.offload, OFFLOAD_NONE);
	assert_int_equal(plan.training.global_batch_size, 256);
	assert_int_equal(plan.training.precision, PRECISION_FP16);
	assert_int_equal(read_world("{ \"train_batch_size\": 8, \"zero_optimization\": { \"stage\": 3, "
	    "\"offload_param\": { \"device\": \"cpu\" }, \"offload_optimizer\": { \"device\": \"nvme\" } } }", 0),
	    IMPORT_DONE);
	assert_int_equal(plan.parallel.offload_to, OFFLOAD_TO_NVME_OPTIMIZER);
	assert_int_equal(read_world("{ \"train_batch_size\": 8 }", 0), IMPORT_DONE);
	assert_int_equal(plan.parallel.zero_stage, 0);
	assert_int_equal(plan.training.precision, PRECISION_FP32);
	assert_true(notes_say(&im.assumed, "DeepSpeed's default"));
	/* MiCS: 16 ranks over 2 of TP, in shards of 4; -1 is none */
	assert_int_equal(read_world("{ \"train_batch_size\": 8, \"tensor_parallel\": { \"autotp_size\": 2 }, "
	    "\"sequence_parallel_size\": 2, \"zero_optimization\": { \"stage\": 3, \"mics_shard_size\": 4 } }",
	    16), IMPORT_DONE);
	assert_int_equal(plan.parallel.dp_replicate, 2);
	assert_int_equal(read_world("{ \"train_batch_size\": 8, \"zero_optimization\": { \"stage\": 3, "
	    "\"mics_shard_size\": -1 } }", 16), IMPORT_DONE);
	assert_int_equal(plan.parallel.dp_replicate, 1);
	/* what the trainer fills in */
	assert_int_equal(read_world("{ \"train_batch_size\": \"auto\", \"zero_optimization\": "
	    "{ \"stage\": 1 }, \"bf16\": { \"enabled\": \"auto\" }, \"activation_checkpointing\": {} }", 8),
	    IMPORT_DONE);
	assert_true(notes_say(&im.ignored, "train_batch_size: auto"));
	assert_true(notes_say(&im.ignored, "activation_checkpointing"));
	assert_int_equal(plan.training.precision, PRECISION_BF16);
}

static void
refused(const char *text, int64_t world, enum import_status status, const char *line)
{
	assert_int_equal(read_world(text, world), status);
	assert_string_equal(errors.line[0], line);
}

TEST(test_refused)
{
	refused("{ " BATCHES " }", 16, IMPORT_REFUSED, "ds.json: error: train_batch_size: 256 is not 4 a "
	    "GPU x 2 steps x 16 data parallel ranks (runtime/config.py)");
	refused("{ \"train_batch_size\": 10, \"train_micro_batch_size_per_gpu\": 4, "
	    "\"gradient_accumulation_steps\": 1 }", 0, IMPORT_REFUSED, "ds.json: error: "
	    "train_batch_size: 10 is not 4 a GPU x 1 steps x 1 data parallel ranks (runtime/config.py)");
	refused("{ \"train_batch_size\": 8, \"fp16\": { \"enabled\": true }, \"bf16\": { \"enabled\": "
	    "true } }", 0, IMPORT_REFUSED, "ds.json: error: bf16.enabled: DeepSpeed takes fp16 or bf16, "
	    "not both (runtime/config.py)");
	refused("{ \"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 8 }", 0,
	    IMPORT_FAILED, "ds.json: error: train_batch_size: is not there, so the data parallel ranks "
	    "are not known (fix: --world)");
	refused("{ \"train_batch_size\": 8, \"zero_optimization\": { \"stage\": 4 } }", 0, IMPORT_FAILED,
	    "ds.json:1: error: zero_optimization.stage: parallel.zero_stage 4 is out of range: 0 to 3");
	refused("{ \"train_batch_size\": 8, \"zero_optimization\": { \"stage\": 3, \"mics_shard_size\": 3 } }",
	    8, IMPORT_REFUSED, "ds.json: error: zero_optimization.mics_shard_size: 8 ranks are not "
	    "divisible by 3 (runtime/zero/mics_utils.py)");
	refused("{ \"train_batch_size\": 8,\n \"train_batch_size\": 9 }", 0, IMPORT_FAILED,
	    "ds.json:2:19: error: duplicate object key near '\"train_batch_size\"'");
	refused("{ \"train_batch_size\": 8, \"tensor_parallel\": { \"autotp_size\": 3 } }", 8,
	    IMPORT_REFUSED, "ds.json: error: --world: 8 GPUs are not divisible by 3, the GPUs that share "
	    "a model");
}

static int
close_notes(void **state)
{
	(void)state;
	import_free(&im);
	return 0;
}

int
main(void)
{
	return unit_run(NULL, close_notes);
}
