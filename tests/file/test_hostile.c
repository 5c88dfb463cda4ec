/*
 * Files that nobody would want to import: whatever a text of any kind holds, the answer names its
 * file, line and key, no number overflows, and nothing raw is told.
 */
#include "filetest.h"

#include <sys/mman.h>

#include "file/import/import.h"

static struct file_errors errors;
static struct plan plan;
static struct import im;

static enum import_status
read_as(const char *kind, const char *text, int64_t world)
{
	enum import_status status;

	import_free(&im);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .name = "f", .text = text, .size = strlen(text), .world = world,
		.catalog = &test_catalog, .plan = &plan, .errors = &errors };
	status = import_text(&im, kind);
	check_account(&im);
	assert_true(status == IMPORT_DONE ? errors.count == 0 : errors.count > 0);
	return status;
}

#define HF "{ \"model_type\": \"llama\",\n \"hidden_size\": 1024, \"num_attention_heads\": 8,\n" \
	"\"vision_config\": { \"num_hidden_layers\": 5 },\n \"vocab_size\": 32000, "
#define DS "{ \"train_batch_size\": 8,\n\"train_micro_batch_size_per_gpu\": 1,\n\"bf16\": { " \
	"\"enabled\": true },\n"
#define TOML "[job]\nx = \"it's\"\n[parallelism]\ndata_parallel_shard_degree = 8\n"
#define YAML "tokens:\n  micro_batch_size: 1\n  batch_accumulation_per_replica: 1\nparallelism:\n  dp: 8\n"
#define FSDP "distributed_type: FSDP\nmixed_precision: bf16\n"

/* Each is refused with this beginning of a line. */
TEST(places)
{
	static const struct { const char *kind, *text, *line; int64_t world; } cases[] = {
		{ "huggingface", HF "\"num_hidden_layers\": 4.5 }", "f:4: error: num_hidden_layers: must be a "
		  "whole number", 0 },
		{ "huggingface", HF "\"num_hidden_layers\": -4 }", "f:4: error: num_hidden_layers: "
		  "model.layers -4 is out of range: 1 to 4096", 0 },
		{ "huggingface", HF "\n\"num_hidden_layers\": \"x\" }", "f:5: error: num_hidden_layers: must be "
		  "a whole number, not text", 0 },
		{ "huggingface", HF "\"num_hidden_layers\": -Infinity }", "f:4: error: num_hidden_layers: must be "
		  "a whole number, not -inf", 0 },
		{ "huggingface", HF "\"num_hidden_layers\": [NaN] }", "f:4: error: num_hidden_layers.0: must be a "
		  "whole number, not nan", 0 },
		{ "deepspeed", DS "\"zero_optimization\": {\n\"stage\": Infinity } }", "f:5: error: "
		  "zero_optimization.stage: parallel.zero_stage not a whole number", 0 },
		{ "huggingface", HF "\"num_hidden_layers\": 1e400 }", "f:4:48: error: real number overflow", 0 },
		{ "huggingface", HF "\"num_hidden_layers\": [4, 99999999999999999999] }", "f:4:67: error: too "
		  "big integer", 0 },
		{ "deepspeed", DS "\"zero_optimization\": {\n\"stage\": 9 } }", "f:5: error: "
		  "zero_optimization.stage: parallel.zero_stage 9 is out of range: 0 to 3", 0 },
		{ "deepspeed", DS "\"zero_optimization\": {\n\"stage\": [1] } }", "f:5: error: "
		  "zero_optimization.stage: must be a number, not a list", 0 },
		{ "deepspeed", DS "\"tensor_parallel\": { \"autotp_size\": -4 } }", "f:4: error: "
		  "tensor_parallel.autotp_size: parallel.tp -4 is out of range", 0 },
		{ "torchtitan", TOML "tensor_parallel_degree = -2\n", "f:5: error: "
		  "parallelism.tensor_parallel_degree: parallel.tp -2 is out of range", 0 },
		{ "torchtitan", TOML "[training]\nseq_len = 2.5\n", "f:6: error: training.seq_len: "
		  "training.sequence_length not a whole number", 0 },
		{ "torchtitan", TOML "a = 1e400\n", "f:5: error: a value is expected here", 0 },
		{ "torchtitan", "[parallelism]\ndata_parallel_replicate_degree = 2147483647\n"
		  "data_parallel_shard_degree = 2147483647\ntensor_parallel_degree = 65536\n", "f: error: ", 0 },
		{ "nanotron", YAML "  tp: x\n", "f:6: error: parallelism.tp: parallel.tp not a whole number", 0 },
		{ "nanotron", YAML "  tp: 0\n", "f: error: parallelism.dp: 0 is no number of GPUs (fix: --world", 0 },
		{ "nanotron", "parallelism: {dp: 2147483647, pp: 65536, tp: 65536, context_parallel_size: 65536}\n"
		  "tokens: {micro_batch_size: 100000, batch_accumulation_per_replica: 2147483647}\n", "f: error: ", 0 },
		{ "accelerate", FSDP "num_processes: 0\nnum_machines: 1\n", "f: error: num_processes: 0 is no "
		  "number of GPUs", 0 },
		{ "accelerate", FSDP "num_machines: -1\nnum_processes: 8\n", "f:3: error: num_machines: "
		  "cluster.nodes -1 is out of range", 0 },
		{ "megatron", "--num-layers 1e400 --hidden-size 8", "f:1: error: --num-layers: takes a whole "
		  "number", 0 },
		{ "hostfile", "w0 slots=8\nw1 slots=-1\n", "f:2: error: this is no line of a host file", 0 },
		{ "slurm", "a-[001-004]\nb-[0-999999999]\n", "f:2: error: more than 65536 nodes", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const bool yaml = strcmp(cases[i].kind, "nanotron") == 0 || strcmp(cases[i].kind, "accelerate") == 0;
		const enum import_status status = read_as(cases[i].kind, cases[i].text, cases[i].world);

		if (yaml && status != IMPORT_DONE && strstr(errors.line[0], "without libyaml") != NULL)
			continue;
		if (status == IMPORT_DONE)
			fail_msg("%s: %s: taken", cases[i].kind, cases[i].text);
		if (strncmp(errors.line[0], cases[i].line, strlen(cases[i].line)) != 0)
			fail_msg("%s: %s", cases[i].text, errors.line[0]);
	}
}

/* One complaint about a value that is none, not a second about what was made of it. */
TEST(once)
{
	assert_int_equal(read_as("megatron", "--num-layers 1.5 --hidden-size 1024 --num-attention-heads 8 "
	    "--seq-length 64 --max-position-embeddings 64 --micro-batch-size 1", 8), IMPORT_REFUSED);
	assert_int_equal(errors.count, 1);
}

/* Sizes that would divide by nothing, or be more than a number holds. */
TEST(numbers)
{
	static const char huge[] = "9223372036854775807", least[] = "-9223372036854775808";
	static const char *const keys[] = { "mamba_expand", "expert_layer_offset", "expansion_ratio",
		"n_shared_experts", "num_nextn_predict_layers", "expert_layer_period", "sliding_window",
		"num_local_experts", "mamba_n_heads", "full_attention_interval" };
	char text[1024];

	for (size_t i = 0; i < 2 * (sizeof keys / sizeof *keys); i++) {
		snprintf(text, sizeof text, HF "\"num_hidden_layers\": 4, \"intermediate_size\": 2048, "
		    "\"num_experts\": 8, \"num_experts_per_tok\": 2, \"expert_layer_period\": 2, "
		    "\"mamba_n_heads\": 8, \"layer_types\": [\"mamba\", \"attention\", \"mamba\", \"mamba\"], "
		    "\"%s\": %s }", i % 2 ? "x" : keys[i / 2], i % 2 ? huge : least);
		read_as("huggingface", text, 0);
		snprintf(text, sizeof text, HF "\"num_hidden_layers\": 4, \"intermediate_size\": 2048, \"%s\": "
		    "%s, \"layer_types\": [\"mamba\", \"attention\", \"mamba\", \"mamba\"] }", keys[i / 2],
		    i % 2 ? huge : least);
		read_as("huggingface", text, 0);
	}
	/* batches and pools of scripts */
	assert_int_equal(read_as("verl", "x actor_rollout_ref.rollout.n=1 trainer.nnodes=2 "
	    "trainer.n_gpus_per_node=0", 0), IMPORT_FAILED);
	read_as("verl", "x actor_rollout_ref.rollout.n=2147483647 data.max_prompt_length=2147483647 "
	    "actor_rollout_ref.actor.ppo_mini_batch_size=2147483647 actor_rollout_ref.actor.use_dynamic_bsz=true "
	    "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=-1 trainer.nnodes=2147483647", 0);
	assert_int_equal(read_as("openrlhf", "x openrlhf.cli.train_ppo_ray --actor.num_nodes 2147483647 "
	    "--actor.num_gpus_per_node 2147483647 --vllm.num_engines 2147483647", 0), IMPORT_FAILED);
	/* no tensor parallelism, as DeepSpeed's default says it */
	assert_int_equal(read_as("deepspeed", DS "\"gradient_accumulation_steps\": 1,\n"
	    "\"tensor_parallel\": { \"autotp_size\": 0 } }", 8), IMPORT_DONE);
	assert_int_equal(plan.parallel.tp, 1);
	read_as("deepspeed", "{ \"train_micro_batch_size_per_gpu\": 2147483647, "
	    "\"gradient_accumulation_steps\": 2147483647 }", 16777216);
	read_as("deepspeed", "{ \"train_batch_size\": 2147483647, \"train_micro_batch_size_per_gpu\": 1, "
	    "\"gradient_accumulation_steps\": 1, \"sequence_parallel_size\": 16777216, "
	    "\"tensor_parallel\": { \"autotp_size\": 16777216 } }", 0);
}

/* What editors and other systems add to a text is no part of it. */
TEST(ends)
{
	static const char script[] = "#!/bin/bash\r\ntorchrun --nproc-per-node 8 x \\\r\n--num-layers 4 "
		"--hidden-size 1024 \\\r\n--num-attention-heads 8 --seq-length 64 \\\r\n"
		"--max-position-embeddings 64 --micro-batch-size 1\r\n";

	put_file("script.sh", script);
	import_free(&im);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .catalog = &test_catalog, .plan = &plan, .errors = &errors };
	if (import_file(&im, in_dir("script.sh"), NULL) != IMPORT_DONE)
		fail_msg("%s", errors.line[0]);
	assert_int_equal(plan.model.layers, 4);
	assert_int_equal(read_as(NULL, "\xef\xbb\xbf" HF "\"num_hidden_layers\": 4 }", 0), IMPORT_DONE);
	assert_int_equal(read_as(NULL, "\xef\xbb\xbf" TOML "[model]\r\nname = \"llama3\"\r\nflavor = \"8B\"\r\n[training]\r\nseq_len = 64\r\n", 8),
	    IMPORT_DONE);
	assert_int_equal(read_as(NULL, "\xef\xbb\xbfw0 slots=8\r\nw1 slots=8\r\n", 0), IMPORT_DONE);
}

/* Nothing is read past the end of a text: behind it begins memory that nobody may read. */
TEST(edge)
{
	static const char *const texts[][2] = {
		{ "megatron", "A=\"${B:-$(c `d` 'e')}\" torchrun x --num-layers $((1 + ${A})) \\\n[ $A ] && b" },
		{ "huggingface", HF "\"num_hidden_layers\": [NaN, -Infinity, \"\\u00e9\", 1e4] }" },
		{ "torchtitan", TOML "b.\"c\\u00e9\" = 0x1\na = [1, {b.c = 2026-01-01 00:00:00}]\r\n'd' = '''e'''#\n[[f]]" },
		{ "nanotron", YAML "  \"a\": [b, {c: 'd'}, >\n e\n" }, { "verl", "x actor_rollout_ref.a=['b',c]" },
		{ "slurm", "NODELIST|GRES\na-[01-16],b|gpu:h100:8(S:0-1)" }, { "slurm", "NodeName=a Gres=gpu:8 State=IDLE*" },
		{ "nvidia-smi", "GPU 0: NVIDIA H200 (UUID: \x1b[31m" }, { "nvidia-smi", "\tGPU0\tNIC0\nGPU0\t X\tNV18" },
		{ "hostfile", "w0:8 slots=8 max_slots=9 # a" }, { "torchtitan", "'" }, { "torchtitan", "a='" },
	};
	const long page = sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = two + page;

	assert_true(two != MAP_FAILED && mprotect(end, (size_t)page, PROT_NONE) == 0);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t n = 0; n <= strlen(texts[i][1]); n++) {
			memcpy(end - 1 - n, texts[i][1], n);
			end[-1] = '\0';
			read_as(texts[i][0], end - 1 - n, 8);
		}
	munmap(two, (size_t)page * 2);
}

/* In each kind, the bytes of an escape. */
TEST(escapes)
{
	static const char *const texts[][2] = {
		{ "megatron", "--num-layers 4 --normalization \x1b[31m --hidden-size \xc2\x9b" },
		{ "huggingface", "{ \"model_type\": \"\\u001b[31m\", \"hidden_size\": \"\\u009b\", \"\\u202e\": 1 }" },
		{ "deepspeed", "{ \"train_batch_size\": \"\\u001b[31m\" }" },
		{ "torchtitan", "[parallelism]\ntensor_parallel_degree = \"\\u001b[31m\"\n" },
		{ "nanotron", "parallelism: {tp: \"\\e[31m\"}\n" },
		{ "accelerate", "mixed_precision: \"\\e[31m\"\nnum_processes: 8\n" },
		{ "slurm", "NodeName=a Gres=gpu:\x1b[31m:8 State=\x1b\n" },
		{ "nvidia-smi", "GPU 0: \x1b]0;x\007evil \xc2\x9b (UUID: 1)\n" },
		{ "hostfile", "w\x1b[31m slots=8\n" },
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct notes *notes[] = { &im.taken, &im.assumed, &im.ignored };

		read_as(texts[i][0], texts[i][1], 0);
		for (size_t k = 0; k < 3; k++)
			for (const char *c = notes[k]->lines.text; c != NULL && *c != '\0'; c++)
				assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
		for (size_t k = 0; k < errors.count; k++) {
			if (strpbrk(errors.line[k], "\x1b\x07") != NULL)
				fail_msg("%s: %s", texts[i][0], errors.line[k]);
			assert_null(strstr(errors.line[k], "\xc2\x9b"));
		}
	}
}

static int
open_all(void **state)
{
	return fresh_dir(state) != 0 || load_catalog(state) != 0;
}

static int
close_all(void **state)
{
	import_free(&im);
	free_catalog(state);
	return remove_dir(state);
}

int
main(void)
{
	return unit_run(open_all, close_all);
}
