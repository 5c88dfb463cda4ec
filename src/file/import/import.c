#include "file/import/import.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/show.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "file/launches/launches.h"
#include "file/machines/lists.h"
#include "file/machines/machines.h"
#include "file/notation/markdown.h"
#include "file/notation/sbatch.h"
#include "file/import/wrapped.h"
#include "file/models/checkpoint.h"
#include "file/models/hf.h"
#include "file/plan/slurp.h"
#include "file/source/sourced.h"

const struct importer import_table[] = {
	{ "skypilot", "task of SkyPilot that runs one of the others (YAML)", NULL, "accelerators:&run:&resources:", NULL,
	    skypilot_read },
	{ "mcli", "job of mcli that runs one of the others (YAML)", NULL, "command:&compute:&image:&gpus:|command:&parameters:&image:&gpu_num:",
	    NULL, mcli_read },
	{ "vllm-recipe", "recipe of vLLM (YAML)", NULL, "model_id:&base_args:&variants:", NULL, recipe_read },
	{ "flagscale", "experiment of FlagScale with Megatron-LM or verl, or its file of settings (YAML)", NULL,
	    "experiment:&task:&runner:|system:&model:&data:&tensor_model_parallel_size:&num_attention_heads:", NULL, flagscale_read },
	{ "primus", "experiment of Primus with Megatron-LM or torchtitan (YAML)", NULL, "modules:&framework:&pre_trainer:|"
	    "modules:&framework:&post_trainer:", NULL, primus_read },
	{ "inferencex", "table of InferenceX's benchmarks (YAML)", NULL, "search-space:&framework:&runner:", NULL,
	    inferencex_read },
	{ "srt-slurm", "recipe of srt-slurm: engines, their pools and a benchmark (YAML)", NULL, "resources:&backend:&gpu_type:",
	    NULL, srt_slurm_read },
	{ "manifest", "Kubernetes manifest, also of KServe, file of Docker Compose, values of llm-d or of vLLM's production stack, or "
	    "Ray Serve's LLMConfig, whose containers run one of the others (YAML; the last in Python as well)", NULL,
	    "LLMConfig(&model_loading_config|model_loading_config:|modelSpec:&modelURL:|modelURL:&vllmConfig:|kind: InferenceService|"
	    "kind: LLMInferenceService|kind: DynamoGraphDeployment|kind: LeaderWorkerSet|apiVersion:&containers:&image:|modelArtifacts:&containers:|"
	    "services:&image:&command:", NULL, manifest_read },
	{ "dockerfile", "Dockerfile whose image runs one of the others", NULL, "FROM &\nCMD [|FROM &\nENTRYPOINT [|FROM &\nCMD &serve|"
	    "FROM &\nCMD &launch", NULL, dockerfile_read },
	{ "megatron-swift", "megatron sft, pt and rlhf of ms-swift in a shell script, or their settings (YAML)", NULL,
	    "megatron sft|megatron pt|megatron rlhf|tuner_type:&micro_batch_size:|train_type:&micro_batch_size:|"
	    "rlhf_type:&micro_batch_size:", NULL, megatron_swift_read },
	{ "verl-sft", "overrides of verl's trainer on texts in a shell script", NULL,
	    "verl.trainer.sft_trainer|verl.trainer.fsdp_sft_trainer", NULL, verl_sft_read },
	{ "slime", "command line of slime in a shell script, or its log", NULL, "---- arguments ----&rollout_batch_size ..|--rollout-num-gpus-per-engine|"
	    "--rollout-batch-size&train.py|--rollout-batch-size&train_async.py", NULL, slime_read },
	{ "megatron-bridge", "overrides of a recipe of Megatron-Bridge in a shell script, or a recipe in Python", NULL,
	    "--compute_dtype&--num_gpus|--recipe&model.|--recipe&train.|--recipe&_config|ConfigContainer&def |AutoBridge&def ", NULL, bridge_read },
	{ "nemo", "configuration of NeMo before 2.0 for GPT (YAML), or a script with overrides of it", NULL,
	    "trainer:&num_nodes:&tensor_model_parallel_size:&model:|megatron_gpt_pretraining.py|megatron_gpt_finetuning.py|"
	    "megatron_gpt_sft.py|megatron_gpt_continue_training.py", NULL, nemo_one_read },
	{ "gpt-neox", "configuration of GPT-NeoX (YAML or JSON with comments)", NULL,
	    "pipe_parallel_size&num_layers|pipe-parallel-size&num-layers", NULL, neox_read },
	{ "megatron", "Megatron-LM arguments, bare or in a shell script, or its log", NULL,
	    "---- arguments ----&tensor_model_parallel_size ..|--num-attention-heads|--tensor-model-parallel-size", NULL, megatron_read },
	{ "huggingface", "config.json of a Hugging Face checkpoint", "model", NULL, hf_recognise, hf_read },
	{ "peft", "adapter_config.json of PEFT", NULL, "\"peft_type\"&\"base_model_name_or_path\"", NULL, peft_read },
	{ "areal", "configuration of AReaL (YAML), or a script with overrides of it", NULL, "allocation_mode:|allocation_mode=|"
	    "gconfig:&actor:&backend:|train_dataset:&actor:&backend:|actor.backend=", NULL, areal_read },
	{ "verl", "overrides of verl's configuration in a shell script, or its log", NULL, "actor_rollout_ref.|{'actor_rollout_ref': {", NULL,
	    verl_read },
	{ "easyr1", "configuration of EasyR1 (YAML), or a script with overrides of it", NULL, "worker.actor.model.model_path=|worker.actor.micro_batch|"
	    "worker:&actor:&micro_batch_size_per_device_for_update:", NULL, easyr1_read },
	{ "open-instruct", "command line of open-instruct's GRPO in a shell script", NULL, "--num_unique_prompts_rollout", NULL,
	    open_instruct_read },
	{ "roll", "pipeline of ROLL (YAML), or a script that starts one", NULL, "actor_train:&device_mapping:|sft_train:&device_mapping:|"
	    "student_train:&device_mapping:|student:&teacher:&device_mapping:|start_rlvr_|start_agentic_|start_sft_pipeline.py|start_dpo_pipeline.py", NULL, roll_read },
	{ "prime-rl", "configuration of prime-rl's rl or sft (TOML)", NULL, "[orchestrator]&[trainer|[orchestrator]&[inference|[orchestrator]&"
	    "[model]|[deployment]&num_train_|[model]&[data]&[optim]&name =", NULL, prime_rl_read },
	{ "skyrl", "overrides of SkyRL's configuration in a shell script", NULL, "trainer.policy.model.path=|trainer.placement.policy_num",
	    NULL, skyrl_read },
	{ "openrlhf", "command line of OpenRLHF in a shell script", NULL, "openrlhf.cli.train_", NULL,
	    openrlhf_read },
	{ "slurm", "scontrol show node or topology, sinfo, or a list of nodes as a-[01-16]", "cluster", NULL,
	    slurm_recognise, slurm_read },
	{ "p2p", "output of p2pBandwidthLatencyTest of one node", "cluster", NULL, p2p_recognise, p2p_read },
	{ "nvidia-smi", "nvidia-smi, nvidia-smi -L, --query-gpu or topo -m of one node", "cluster", NULL,
	    nvidia_smi_recognise, nvidia_smi_read },
	{ "amd-smi", "amd-smi static or rocm-smi of one node", "cluster", NULL, amd_smi_recognise, amd_smi_read },
	{ "npu-smi", "npu-smi info of one node", "cluster", NULL, npu_smi_recognise, npu_smi_read },
	{ "nccl-tests", "output of nccl-tests or rccl-tests", "cluster", NULL, nccl_tests_recognise, nccl_tests_read },
	{ "kubectl", "kubectl get nodes -o json", "cluster", NULL, kube_recognise, kube_read },
	{ "deepspeed", "JSON of --deepspeed_config", NULL, NULL, deepspeed_json_recognise, deepspeed_json_read },
	{ "torchtitan", "job file of torchtitan up to v0.2.2 (TOML)", NULL,
	    "[parallelism]|[training]&seq_len|torchtitan.train&job.config_file|run_train.sh&job.config_file", NULL, torchtitan_read },
	{ "torchtitan-python", "configuration of torchtitan after v0.2.2 (Python)", NULL,
	    "torchtitan&def &Trainer.Config|torchtitan&def &parallelism.", NULL, torchtitan_python_read },
	{ "oumi", "configuration of oumi train (YAML)", NULL, "model_name:&trainer_type:", NULL, oumi_read },
	{ "ms-swift", "configuration of swift sft and swift rlhf (YAML), or a script of them", NULL,
	    "tuner_type:|swift sft|swift pt|swift rlhf|swift/cli/", NULL, swift_read },
	{ "axolotl", "configuration of axolotl (YAML)", NULL, "base_model:|sample_packing:|sequence_len:|axolotl train|axolotl.cli.train",
	    NULL, axolotl_read },
	{ "llama-factory", "configuration of llamafactory-cli train (YAML), or a script of it", NULL,
	    "finetuning_type:|cutoff_len:|llamafactory-cli train|src/train.py|src/train_bash.py", NULL, llamafactory_read },
	{ "trl", "configuration of trl, with --config (YAML), or a script of trl sft; a script in Python with TRL or Unsloth", NULL,
	    "SFTTrainer(&import |DPOTrainer(&import |GRPOTrainer(&import |RewardTrainer(&import |SFTConfig(&import |use_peft:|per_device_train_batch_size:|trl sft|trl dpo|trl reward|trl grpo|"
	    "accelerate launch&--per_device_train_batch_size&sft|accelerate launch&--per_device_train_batch_size&dpo", NULL, trl_read },
	{ "torchtune", "configuration of a torchtune recipe (YAML), or overrides of tune run", NULL,
	    "_component_: torchtune.|tune run", NULL, torchtune_read },
	{ "nemo-rl", "configuration of NeMo-RL (YAML), or a script with overrides of it", NULL, "run_grpo&--config|run_grpo&policy.|run_ppo&policy.|run_rm&policy.|run_sft&policy.|run_dpo&policy.|"
	    "run_sft.py&--config&cluster.|run_dpo.py&--config&cluster.|" "policy:&megatron_cfg:|policy:&dtensor_cfg:|"
	    "policy:&defaults:|defaults:&.yaml", NULL, nemo_read },
	{ "nanotron", "configuration of nanotron (YAML), or a script with it", NULL,
	    "parallelism:&tokens:&batch_accumulation_per_replica|run_train.py&--config-file", NULL, nanotron_read },
	{ "composer", "configuration of llm-foundry's trainer with Composer (YAML), or a script of it", NULL,
	    "device_train_microbatch_size|global_train_batch_size:|composer &train.py", NULL, composer_read },
	{ "maxtext", "configuration of MaxText on GPUs (YAML), or a script of its trainer", NULL,
	    "ici_fsdp_parallelism|dcn_data_parallelism|maxtext.trainers|MaxText.train|base_emb_dim:|max_target_length:", NULL, maxtext_read },
	{ "litgpt", "configuration of litgpt finetune and pretrain (YAML), or a script of them", NULL,
	    "litgpt finetune|litgpt pretrain|lora_query:|checkpoint_dir:&max_seq_length:&micro_batch_size:|"
	    "model_name:&max_seq_length:&micro_batch_size:", NULL, litgpt_read },
	{ "lightning", "configuration of LightningCLI (YAML): the Trainer's section", NULL,
	    "trainer:&devices:&strategy:|trainer:&num_nodes:&precision:|trainer:&class_path:&precision:", NULL, lightning_read },
	{ "accelerate", "configuration of accelerate launch, with FSDP (YAML)", NULL,
	    "distributed_type:&num_processes:|distributed_type:&fsdp_config:", NULL, accelerate_read },
	{ "vllm", "command line of vllm serve in a shell script, a script in Python with its LLM, or its log", NULL, "non-default args: {|"
	    "args: Namespace(&gpu_memory_utilization=|LLM engine (v&) with config: model=|import&vllm&LLM(|vllm serve|vllm.entrypoints|dynamo.vllm|vllm/vllm-openai", NULL,
	    vllm_read },
	{ "sglang", "command line of sglang.launch_server in a shell script, a script in Python with its Engine, or its log", NULL,
	    "server_args=ServerArgs(|import&sgl&.Engine(|sglang.launch_server|sglang serve|dynamo.sglang", NULL, sglang_read },
	{ "trtllm", "command line of trtllm-serve in a shell script, or a script in Python with its LLM", NULL,
	    "import&tensorrt_llm&LLM(|trtllm-serve|dynamo.trtllm", NULL, trtllm_read },
	{ "trainer", "launch of another script with the arguments of Hugging Face's Trainer, in a shell script; a script in Python "
	    "with it", NULL, "TrainingArguments(&import |--per_device_train_batch_size&--model_name_or_path", NULL, trainer_read },
	{ "launcher", "torchrun, accelerate launch or deepspeed of another script in a shell script", NULL,
	    "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed &.py", NULL, launcher_read },
	{ "hostfile", "host file of DeepSpeed or MPI", "cluster", NULL, hostfile_recognise, hostfile_read },
};
const size_t import_count = sizeof import_table / sizeof import_table[0];

enum { FENCES_MAX = 64 };

static const struct importer *
find_importer(const char *name)
{
	for (size_t i = 0; i < import_count; i++)
		if (text_equal(import_table[i].name, name))
			return &import_table[i];
	return NULL;
}

static bool
is_marked(const char *text, const char *marks)
{
	bool all = true;

	for (size_t n; *marks != '\0'; marks += n + (marks[n] != '\0')) {
		n = strcspn(marks, "|&");
		all = all && strstr(text, TEXT_OF(64, "%.*s", (int)n, marks)) != NULL;
		if (marks[n] == '&')
			continue;
		if (all)
			return true;
		all = true;
	}
	return false;
}

/* The first that the text looks like behind this one, NULL: of all. A script is not what the commands in it print. */
static const struct importer *
recognise(const struct import *im, const struct importer *behind)
{
	const bool is_script = strncmp(im->text, "#!", 2) == 0;

	for (size_t i = behind != NULL ? (size_t)(behind - import_table) + 1 : 0; i < import_count; i++) {
		const struct importer *by = &import_table[i];

		if (by->marks != NULL ? is_marked(im->text, by->marks) :
		    !(is_script && by->section != NULL) && by->recognise(im->text))
			return by;
	}
	return NULL;
}

/* Of a program whose settings are read. */
static bool
is_launch(struct import *im)
{
	const struct importer *by = recognise(im, NULL);

	return by != NULL && by->read != launcher_read;
}

static bool
is_any(struct import *im)
{
	return recognise(im, NULL) != NULL;
}

/* "megatron, ..." */
static const char *
list_kinds(char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < import_count; i++)
		text_add(buf, size, "%s%s", i > 0 ? ", " : "", import_table[i].name);
	return buf;
}

/* Text that a parser may see: NUL would end it early, and what is no UTF-8 fits no field. */
static bool
is_text(struct import *im)
{
	if (memchr(im->text, '\0', im->size) == NULL && utf8_valid(im->text))
		return true;
	import_error(im, "", "is no text (fix: a file in UTF-8 without NUL)");
	return false;
}

/* What a plan needs and a launcher rarely tells. */
static void
assume_rest(struct import *im)
{
	static const struct {
		enum field_id field;
		const char *why;
	} rest[] = {
		{ FIELD_GPU, "the file does not say (fix: --gpu)" },
		{ FIELD_PRESET, "the file does not say (fix: --model)" },
	};

	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		if (!field_is_set(rest[i].field, im->plan) && (rest[i].field != FIELD_PRESET || !im->has_model))
			import_assume(im, rest[i].field, field_table[rest[i].field].default_text, rest[i].why);
}

static bool
has_shape(const struct plan *p)
{
	return field_is_set(FIELD_PRESET, p) || field_is_set(FIELD_LAYERS, p);
}

/* All layers of the model go to the host; of one that the text does not name, as many as a plan
 * takes, which no model has more than. */
static void
take_all_away(struct import *im, bool known)
{
	const struct field *row = &field_table[FIELD_OFFLOAD_LAYERS];
	const int64_t layers = known ? im->plan->model.layers : (int64_t)row->most;

	if (im->away[0] == '\0' || !import_set_int(im, FIELD_OFFLOAD_LAYERS, layers, im->away) || known)
		return;
	notes_add(&im->assumed, "%s = %lld: all layers, of a model that the file does not say", row->path,
	    (long long)layers);
}

/* As struct import has it, of a text within another one. */
static const char *
read_launch(struct import *im)
{
	const struct importer *by = recognise(im, NULL);

	if (by == NULL || by->section != NULL)
		return NULL;
	im->launch = NULL;
	by->read(im);
	im->launch = read_launch;
	return by->name;
}

/* A script that asks Slurm for a kind of GPU, and says nothing else of it. */
static void
take_gpu(struct import *im)
{
	struct sbatch asked;

	sbatch_read(&asked, im->text);
	if (im->section == NULL && !field_is_set(FIELD_GPU, im->plan))
		machines_gpu(im, asked.gpu, "#SBATCH");
}

static void
forget_written(struct import *im, size_t left)
{
	while (im->writes > left) {
		im->writes--;
		free((char *)(uintptr_t)im->written[im->writes].name);
		free((char *)(uintptr_t)im->written[im->writes].text);
	}
}

/* The account keeps what was told before: which scripts were put in. */
static void
read_anew(struct import *im, const struct import *before, const struct importer *by)
{
	struct import anew = *before;

	notes_cut(&im->taken, &before->taken);
	notes_cut(&im->assumed, &before->assumed);
	notes_cut(&im->ignored, &before->ignored);
	forget_written(im, before->writes);
	anew.taken = im->taken;
	anew.assumed = im->assumed;
	anew.ignored = im->ignored;
	*im = anew;
	im->errors->count = 0;
	plan_defaults(im->plan);
	by->read(im);
}

/* Read it; a text that only speaks of a program is the next kind of launch that it looks like. */
static void
read_as(struct import *im, const struct importer *by, bool sure)
{
	const struct import before = *im;
	const struct importer *next = by;

	by->read(im);
	while (im->idle && !sure && (next = recognise(im, next)) != NULL && next->section == NULL)
		read_anew(im, &before, next);
	if (im->idle && next != by)
		read_anew(im, &before, by);
}

/* A text of one kind or, NULL, of that which it looks like. */
static enum import_status
import_checked(struct import *im, const char *kind)
{
	const struct importer *by = kind != NULL ? find_importer(kind) : recognise(im, NULL);
	char kinds[512];
	bool known;

	if (by == NULL) {
		if (kind != NULL)
			import_error(im, "--from", "'%s' is none of %s", kind, list_kinds(kinds, sizeof kinds));
		else
			import_error(im, "", "it is not clear what this is (fix: --from with one of %s; a plan is opened, not imported)",
			    list_kinds(kinds, sizeof kinds));
		return kind != NULL ? IMPORT_FAILED : IMPORT_UNKNOWN;
	}
	im->section = by->section;
	im->launch = read_launch;
	read_as(im, by, kind != NULL);
	take_gpu(im);
	if ((im->unread[0] != '\0' || im->unsaid != NULL) && im->errors->count == 0 && !has_shape(im->plan))
		import_unnamed(im);
	if (im->errors->count > 0)
		return im->refused ? IMPORT_REFUSED : IMPORT_FAILED;
	known = has_shape(im->plan);
	if (im->section == NULL && im->catalog != NULL)
		assume_rest(im);
	plan_resolve(im->plan, im->catalog);
	take_all_away(im, known);
	return IMPORT_DONE;
}

enum import_status
import_text(struct import *im, const char *kind)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of an editor that says so that it is UTF-8 */
	enum import_status status;
	const char *alone;
	char *joined, *called = NULL;

	plan_defaults(im->plan);
	if (strncmp(im->text, mark, strlen(mark)) == 0) {
		im->text += strlen(mark);
		im->size -= strlen(mark);
	}
	if (!is_text(im))
		return IMPORT_FAILED;
	alone = im->text;
	if ((joined = sourced_text(im, &im->size)) != NULL)
		im->text = joined;
	if (kind == NULL && !(markdown_is(im->path) ? is_launch(im) : is_any(im)) && (called = sourced_call(im, &im->size)) != NULL)
		im->text = called;
	status = import_checked(im, kind);
	im->text = alone;
	free(joined);
	free(called);
	return status;
}

/* Lines end as here, whatever system wrote them: to a shell the other end is part of a word. */
static void
drop_returns(struct slurp *file)
{
	size_t n = 0;

	for (size_t i = 0; i < file->size; i++)
		if (file->text[i] != '\r' || file->text[i + 1] != '\n')
			file->text[n++] = file->text[i];
	file->text[n] = '\0';
	file->size = n;
}

static char *
code_that(struct import *im, const char *page, bool (*suits)(struct import *))
{
	char *code = NULL;

	for (int i = 0; i <= FENCES_MAX; i++) {
		free(code);
		if ((code = markdown_code(page, i)) == NULL && i > 0)
			return NULL;
		im->text = code;
		if (code != NULL && suits(im))
			return code;
	}
	free(code);
	return NULL;
}

/* Of a page that people read what it fences as code and looks like one of these, or runs a script beside it; else all of it. */
static char *
code_of(struct import *im, const char *page)
{
	char *code = code_that(im, page, is_launch);

	code = code != NULL ? code : code_that(im, page, sourced_calls);
	return code != NULL ? code : code_that(im, page, is_any);
}

bool
import_is_launch(const char *path)
{
	struct import im = { .path = path };
	const struct importer *by = NULL;
	struct slurp file;
	char why[256], *code;

	if (!slurp_file(&file, path, why, sizeof why))
		return false;
	code = markdown_is(path) ? code_that(&im, file.text, is_launch) : NULL;
	im.text = code != NULL ? code : file.text;
	by = recognise(&im, NULL);
	free(code);
	free(file.text);
	return by != NULL && (by->section == NULL || text_equal(by->section, "model"));
}

/* A directory with a checkpoint is its config.json; all else is itself. */
static const char *
config_in(const char *path, char *buf, size_t size)
{
	struct stat st;
	const size_t n = strlen(path);

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return path;
	text_put(buf, size, "%s%sconfig.json", path, n > 0 && path[n - 1] == '/' ? "" : "/");
	return stat(buf, &st) == 0 ? buf : path;
}

enum import_status
import_file(struct import *im, const char *path, const char *kind)
{
	struct slurp file;
	char why[256], inside[PLANFILE_PATH_SIZE], *code;
	enum import_status status;

	path = config_in(path, inside, sizeof inside);
	im->path = text_equal(path, "-") ? NULL : path;
	im->name = im->path != NULL ? path : "standard input";
	if (!slurp_file(&file, path, why, sizeof why)) {
		import_error(im, "", "%s", why);
		return IMPORT_FAILED;
	}
	drop_returns(&file);
	code = markdown_is(im->path) ? code_of(im, file.text) : NULL;
	im->text = code != NULL ? code : file.text;
	im->size = code != NULL ? strlen(code) : file.size;
	status = import_text(im, kind);
	im->text = NULL;
	im->path = NULL; /* both may be a directory's, whose place does not stay */
	im->name = "";
	free(code);
	free(file.text);
	return status;
}

void
import_clients(struct import *im)
{
	struct plan p = *im->plan;
	struct estimate *e = p.mode == MODE_SERVE && !field_is_set(FIELD_CONCURRENCY, &p) ? malloc(sizeof *e) : NULL;

	for (bool holds_one = true; e != NULL && holds_one && p.serving.concurrency > 0; p.serving.concurrency /= 2) {
		estimate_run(e, &p, im->catalog, NULL);
		holds_one = e->served && e->serve.max_concurrency >= 1;
		if (!holds_one || !e->serve.fits)
			continue;
		if (p.serving.concurrency < im->plan->serving.concurrency)
			import_assume_int(im, FIELD_CONCURRENCY, p.serving.concurrency,
			    "the KV cache has no room for more of these at once: they wait");
		break;
	}
	free(e);
}

void
import_free(struct import *im)
{
	forget_written(im, 0);
	notes_free(&im->taken);
	notes_free(&im->assumed);
	notes_free(&im->ignored);
}
