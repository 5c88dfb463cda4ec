/*
 * Command lines of serving engines. Sources: vllm-project/vllm vllm/engine/arg_utils.py;
 * sgl-project/sglang python/sglang/srt/server_args.py; NVIDIA/TensorRT-LLM
 * tensorrt_llm/commands/serve.py, llmapi/llm_args.py (2026-08).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/engine.h"
#include "file/launches/engine_log.h"
#include "file/launches/launches.h"
#include "file/launches/logged.h"
#include "file/launches/settings.h"
#include "file/notation/notebook.h"
#include "file/notation/sbatch.h"
#include "file/source/named.h"
#include "file/source/words.h"

#define END { NULL, FIELD_NONE, NULL, NULL }
#define FORMATS "fp8=fp8|w8a8_fp8=fp8|modelopt=fp8|awq=int4|awq_marlin=int4|gptq=int4|gptq_marlin=int4|" \
    "w8a8_int8=int8|mxfp4=mxfp4|modelopt_fp4=nvfp4|fbgemm_fp8=fp8|ptpc_fp8=fp8|moe_wna16=int4|bitsandbytes=int4|" \
    "w4afp8=int4|blockwise_int8=int8|petit_nvfp4=nvfp4"

/* Keys as the settings of all three are read: their own, or those that others of them stand for. */
struct engine {
	const char *id, *programs;
	const char *calls;      /* of a script in Python, with the same as keywords */
	const char *models;     /* keys of the checkpoint; else it is an operand */
	const char *aliases;    /* "SHORT=own|..." */
	const struct settings_key *keys;
	const char *context, *tokens, *config; /* longest sequence, token limit, file with more of these */
};

static const struct settings_key vllm_keys[] = {
	{ "tensor_parallel_size", FIELD_TP, NULL, "1" },
	{ "pipeline_parallel_size", FIELD_PP, NULL, "1" },
	{ "prefill_context_parallel_size", FIELD_CP, NULL, "1" },
	{ "decode_context_parallel_size", FIELD_DCP, NULL, NULL },
	{ "max_num_seqs", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0" },
	{ "block_size", FIELD_BLOCK_SIZE, NULL, NULL },
	{ "enforce_eager", FIELD_EAGER, NULL, NULL },
	{ "enable_dbo", FIELD_TWO_BATCHES, NULL, NULL },
	{ "kv_cache_dtype", FIELD_KV_DTYPE, "auto=bf16|bfloat16=bf16|fp8=fp8|fp8_e4m3=fp8|fp8_e5m2=fp8|nvfp4=nvfp4", NULL },
	{ "quantization", FIELD_WEIGHT_DTYPE, FORMATS, NULL },
	{ "eplb_config.num_redundant_experts", FIELD_REDUNDANT_EXPERTS, NULL, NULL },
	{ "max_loras", FIELD_MAX_LORAS, NULL, NULL },
	{ "max_lora_rank", FIELD_MAX_LORA_RANK, NULL, NULL },
	{ "speculative_config.num_speculative_tokens", FIELD_DRAFT_TOKENS, NULL, NULL },
	{ "speculative_config.method", FIELD_DRAFT, "mtp=layer|deepseek_mtp=layer|eagle=layer|eagle3=eagle3|ngram=ngram", NULL },
	END
};
static const struct settings_key sglang_keys[] = {
	{ "tp_size", FIELD_TP, NULL, "1" },
	{ "pp_size", FIELD_PP, NULL, "1" },
	{ "max_running_requests", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ "mem_fraction_static", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0" },
	{ "page_size", FIELD_BLOCK_SIZE, NULL, NULL },
	{ "disable_cuda_graph", FIELD_EAGER, NULL, NULL },
	{ "enable_two_batch_overlap", FIELD_TWO_BATCHES, NULL, NULL },
	{ "moe_dense_tp_size", FIELD_DENSE_WHOLE, "1=true", NULL },
	{ "kv_cache_dtype", FIELD_KV_DTYPE, "auto=bf16|bf16=bf16|fp8_e4m3=fp8|fp8_e5m2=fp8|fp4_e2m1=nvfp4", NULL },
	{ "quantization", FIELD_WEIGHT_DTYPE, FORMATS, NULL },
	{ "ep_num_redundant_experts", FIELD_REDUNDANT_EXPERTS, NULL, NULL },
	{ "max_loras_per_batch", FIELD_MAX_LORAS, NULL, NULL },
	{ "max_lora_rank", FIELD_MAX_LORA_RANK, NULL, NULL },
	{ "speculative_num_steps", FIELD_DRAFT_TOKENS, NULL, NULL },
	{ "speculative_algorithm", FIELD_DRAFT, "EAGLE=layer|NEXTN=layer|EAGLE3=eagle3|NGRAM=ngram", NULL },
	{ "scheduler_recv_interval", FIELD_POLL_INTERVAL, NULL, NULL },
	END
};
static const struct settings_key trtllm_keys[] = {
	{ "tensor_parallel_size", FIELD_TP, NULL, "1" },
	{ "pipeline_parallel_size", FIELD_PP, NULL, "1" },
	{ "context_parallel_size", FIELD_CP, NULL, "1" },
	{ "max_batch_size", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ "kv_cache_config.free_gpu_memory_fraction", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ "kv_cache_free_gpu_memory_fraction", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ "kv_cache_config.tokens_per_block", FIELD_BLOCK_SIZE, NULL, NULL },
	{ "kv_cache_config.dtype", FIELD_KV_DTYPE, "auto=bf16|fp8=fp8|nvfp4=nvfp4", NULL },
	{ "kv_cache_dtype", FIELD_KV_DTYPE, "auto=bf16|fp8=fp8|nvfp4=nvfp4", NULL },
	{ "batch_wait_timeout_iters", FIELD_BATCH_WAIT_STEPS, NULL, NULL },
	{ "batch_wait_max_tokens_ratio", FIELD_BATCH_WAIT_SHARE, NULL, NULL },
	{ "speculative_config.num_nextn_predict_layers", FIELD_DRAFT_TOKENS, NULL, NULL },
	{ "lora_config.max_loras", FIELD_MAX_LORAS, NULL, NULL },
	{ "lora_config.max_lora_rank", FIELD_MAX_LORA_RANK, NULL, NULL },
	{ "speculative_config.max_draft_len", FIELD_DRAFT_TOKENS, NULL, NULL },
	END
};

static const struct engine vllm = { "vllm", "vllm serve|vllm.entrypoints|dynamo.vllm|vllm/vllm-openai",
	"LLM|AsyncEngineArgs|EngineArgs", "model",
	"tp=tensor_parallel_size|pp=pipeline_parallel_size|dp=data_parallel_size|pcp=prefill_context_parallel_size|"
	"dcp=decode_context_parallel_size|ep=enable_expert_parallel|max_seq_len=max_model_len", vllm_keys, "max_model_len",
	"max_num_batched_tokens", "config" };
static const struct engine sglang = { "sglang", "sglang.launch_server|sglang serve|dynamo.sglang", "Engine",
	"model_path model",
	"tp=tp_size|tensor_parallel_size=tp_size|pp=pp_size|pipeline_parallel_size=pp_size|dp=dp_size|"
	"data_parallel_size=dp_size|ep=ep_size|expert_parallel_size=ep_size|attn_cp_size=attention_context_parallel_size",
	sglang_keys, "context_length", "chunked_prefill_size", "config" };
static const struct engine trtllm = { "trtllm", "trtllm-serve serve|trtllm-serve|dynamo.trtllm", "LLM", "model",
	"tp_size=tensor_parallel_size|pp_size=pipeline_parallel_size|cp_size=context_parallel_size|"
	"ep_size=moe_expert_parallel_size|extra_llm_api_options=config", trtllm_keys, "max_seq_len",
	"max_num_tokens", "config" };

/* Files have hyphens where flags became underscores. */
static void
put_underscores(struct jsonin *j)
{
	json_t *plain = json_object(), *value;
	const char *key;
	char name[96];

	json_object_foreach(j->root, key, value) {
		text_put(name, sizeof name, "%s", key);
		for (char *c = name; *c != '\0'; c++)
			*c = *c == '-' ? '_' : *c;
		if (text_equal(name, key) || json_object_get(j->root, name) == NULL)
			json_object_set(plain, name, value);
	}
	json_decref(j->root);
	j->root = plain;
}

/* Options whose value is an object in JSON become one. */
static void
put_objects(struct jsonin *j)
{
	static const char *const keys[] = { "speculative_config", "additional_config" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *text = json_string_value(json_object_get(j->root, keys[i]));
		json_t *object = text != NULL ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (json_is_object(object))
			json_object_set(j->root, keys[i], object);
		json_decref(object);
	}
}

/* One name for the layers of all models that predict further tokens (vllm/config/speculative.py, MTPModelTypes). */
static void
put_method(struct jsonin *j)
{
	static const char ending[] = "_mtp";
	json_t *draft = json_object_get(j->root, "speculative_config");
	const char *method = json_string_value(json_object_get(draft, "method"));
	const size_t n = method != NULL ? strlen(method) : 0;

	if (n > strlen(ending) && text_equal(method + n - strlen(ending), ending))
		json_object_set_new(draft, "method", json_string(ending + 1));
}

/* NVIDIA's checkpoints are in either format, and tell themselves in which (vllm
 * model_executor/layers/quantization/modelopt.py, override_quantization_method). */
static void
put_format(const struct import *im, struct jsonin *j)
{
	static const char key[] = "quantization";

	if (settings_is(j, key, "modelopt") && im->plan->model.checkpoint_dtype == WEIGHT_NVFP4)
		json_object_set_new(j->root, key, json_string("modelopt_fp4"));
}

/* argparse takes the beginning of a flag for it, where no other one begins so. */
static void
put_whole_names(struct jsonin *j, const struct engine *e)
{
	json_t *plain = json_object(), *value;
	const char *key, *whole;

	json_object_foreach(j->root, key, value) {
		whole = key;
		for (const struct settings_key *k = e->keys; k->path != NULL; k++)
			if (strlen(key) > 4 && strncmp(k->path, key, strlen(key)) == 0 && strchr(k->path, '.') == NULL)
				whole = whole == key || text_equal(k->path, key) ? k->path : whole;
		json_object_set(plain, whole, value);
	}
	json_decref(j->root);
	j->root = plain;
}

/* A flag that has no value, so that a word behind it is another thing. */
static bool
is_switch(const char *key)
{
	static const char *const begins[] = { "enable_", "disable_", "no_", "enforce_eager", "trust_remote_code",
		"async_scheduling", "headless", "language_model_only" };

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(key, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* A flag whose last value is the operand: it takes none, or one and has two. Those that take any number keep theirs. */
static const char *
operand_flag(const struct jsonin *j)
{
	static const char many[] = "lora_modules served_model_name api_key middleware prompt_adapters "
	    "cudagraph_capture_sizes cuda_graph_capture_sizes compile_sizes cuda_graph_bs allowed_media_domains";
	json_t *value;
	const char *key;

	json_object_foreach(j->root, key, value)
		if ((is_switch(key) && json_is_string(value)) || (json_array_size(value) == 2 &&
		    json_is_string(json_array_get(value, 1)) && text_index(many, key, strlen(key)) < 0))
			return key;
	return NULL;
}

/* The checkpoint may stand behind any flag: vllm serve --enable-prefix-caching Qwen/Qwen3-8B. */
static void
put_operand(struct jsonin *j)
{
	char named[64];
	const char *key = operand_flag(j);
	json_t *value = key != NULL ? json_incref(json_object_get(j->root, key)) : NULL;

	for (int64_t i = 0; text_choice("model|model_path|" WORDS_OPERAND, i, named, sizeof named); i++)
		if (json_object_get(j->root, named) != NULL)
			key = NULL;
	if (key != NULL) {
		json_object_set(j->root, WORDS_OPERAND, json_is_string(value) ? value : json_array_get(value, 1));
		if (json_is_string(value))
			json_object_set_new(j->root, key, json_true());
		else
			json_object_set(j->root, key, json_array_get(value, 0));
	}
	json_decref(value);
}

/* vLLM takes 32k for 32,000 and 32K for 32,768 (human_readable_int); -1 and auto are for it to tell. */
static void
take_size(struct import *im, const struct jsonin *j, enum field_id f, const char *key)
{
	static const struct {
		char suffix;
		int64_t times;
	} sizes[] = { { 'k', 1000 }, { 'K', 1024 }, { 'm', 1000000 }, { 'M', 1048576 } };
	const char *text = jsonin_text(j, key);
	const size_t n = text != NULL ? strlen(text) : 0;
	int64_t size = text == NULL ? settings_number(j, key, 0) : 0;
	double number;
	char digits[24];

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (n > 1 && n < sizeof digits && text[n - 1] == sizes[i].suffix) {
			text_put(digits, sizeof digits, "%.*s", (int)n - 1, text);
			if (text_to_real(digits, &number) && number > 0 && number < 1e6)
				size = (int64_t)(number * (double)sizes[i].times);
		}
	if (size > 0)
		import_set_int(im, f, size, key);
	else if (jsonin_has(j, key))
		import_ignore(im, key, "the engine tells its size");
}

/* Experts are spread over so many ranks, of those that a model without them has none. SGLang spreads them over all
 * where it sends tokens from GPU to GPU (server_args.py: ep_size = tp_size). */
static void
take_experts(struct import *im, const struct jsonin *j, int64_t ranks)
{
	const struct catalog_entry *model = im->catalog != NULL ?
	    catalog_find(&im->catalog->models, im->plan->model.preset) : NULL;
	static const char *const all[] = { "enable_expert_parallel", "enable_deepep_moe", "enable_ep_moe" };
	static const char sent[] = "moe_a2a_backend";
	const char *key = jsonin_has(j, "ep_size") ? "ep_size" : "moe_expert_parallel_size", *spread = NULL;
	int64_t size = settings_number(j, key, 1);

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		spread = settings_on(j, all[i]) ? all[i] : spread;
	if (jsonin_has(j, sent) && !settings_is(j, sent, "none"))
		spread = sent;
	size = spread != NULL ? ranks : size;
	if (size > 1 && (im->has_model || (model != NULL && model->values.model.experts > 0)))
		import_set_int(im, FIELD_EP, size, spread != NULL ? spread : key);
}

/* Attention and MLPs on GPUs of their own: the side of vllm-project/afd-plugin that attends tells both. SGLang's
 * --afd-role (pull request 36258) says nothing of the other. */
static int64_t
take_apart(struct import *im, const struct jsonin *j)
{
	static const char afd[] = "additional_config.afd";
	const char *role = jsonin_text(j, "additional_config.afd.role");
	const int64_t ffn = settings_number(j, "additional_config.afd.num_ffn_ranks", 1);
	const bool sglangs = jsonin_has(j, "afd_role");

	if (role == NULL)
		role = jsonin_text(j, "additional_config.afd.afd_role");
	if (!sglangs && !jsonin_has(j, afd))
		return 0;
	if (sglangs || (role != NULL && text_equal(role, "ffn"))) {
		import_error(im, sglangs ? "afd_role" : afd, "one side of attention and FFN on GPUs of their own, which "
		    "does not tell the other: see shardplan topics afd (fix: vLLM's command of the side that attends)");
		return 0;
	}
	import_set_int(im, FIELD_FFN_GPUS, ffn, "additional_config.afd.num_ffn_ranks");
	if (settings_on(j, "enable_expert_parallel"))
		import_ignore(im, "enable_expert_parallel", "experts on GPUs of their own are spread over these");
	return ffn;
}

/* GPUs of one engine, and how its copies of the attention lie in them. */
static void
take_ranks(struct import *im, const struct jsonin *j, const struct engine *e)
{
	const struct parallel *p = &im->plan->parallel;
	const bool vllms = e == &vllm;
	const char *copies = vllms ? "data_parallel_size" : "dp_size";
	const bool inside = settings_on(j, "enable_dp_attention") || settings_on(j, "enable_attention_dp");
	const int64_t dp = settings_number(j, copies, 1);
	const int64_t cp = settings_number(j, "attention_context_parallel_size", 1), ffn = take_apart(im, j);
	int64_t world, nodes = settings_number(j, "nnodes", 0);
	struct sbatch asked;

	if (cp > 1 && p->tp % cp == 0) { /* a part of TP */
		import_set_int(im, FIELD_CP, cp, "attention_context_parallel_size");
		import_set_int(im, FIELD_TP, p->tp / cp, "tp_size");
	}
	world = product_of(product_of(p->tp, p->cp), product_of(p->pp, inside ? 1 : most_of(dp, 1)));
	if (inside)
		import_set(im, FIELD_DP_ATTENTION, "true", e == &sglang ? "enable_dp_attention" : "enable_attention_dp");
	if (inside && dp > 1 && dp != p->tp)
		import_ignore(im, copies, "in a plan each rank of DP attention holds all of it");
	if (ffn == 0)
		take_experts(im, j, world / most_of(p->pp, 1));
	sbatch_read(&asked, im->text);
	if (nodes == 0 && asked.gpus > 0 && world > asked.gpus && world % asked.gpus == 0)
		nodes = world / asked.gpus;
	import_machine(im, im->world > 0 ? im->world : world + ffn, ffn > 0 ? 0 : nodes, 0,
	    im->world > 0 ? "--world" : e->keys[0].path);
}

/* Without a length it is the model's. */
static void
take_context(struct import *im, const struct jsonin *j, const struct engine *e)
{
	const struct catalog_entry *model = im->catalog != NULL ?
	    catalog_find(&im->catalog->models, im->plan->model.preset) : NULL;

	take_size(im, j, FIELD_CONTEXT_LENGTH, e->context);
	take_size(im, j, FIELD_MAX_BATCHED_TOKENS, e->tokens);
	if (!field_is_set(FIELD_CONTEXT_LENGTH, im->plan) && model != NULL)
		import_assume_int(im, FIELD_CONTEXT_LENGTH, model->values.model.max_position, "the longest of the model");
}

/* Slots for adapters are none where adapters are off (vllm/config/lora.py, sglang server_args.py, check_lora_server_args). */
static void
drop_slots(struct import *im, struct jsonin *j)
{
	static const char *const on[] = { "enable_lora", "lora_paths", "lora_modules" };
	static const char *const slots[] = { "max_loras", "max_loras_per_batch", "max_lora_rank" };

	for (size_t i = 0; i < sizeof on / sizeof *on; i++)
		if (settings_on(j, on[i]) || json_array_size(json_object_get(j->root, on[i])) > 0 || jsonin_text(j, on[i]) != NULL)
			return;
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
		if (jsonin_has(j, slots[i])) {
			import_ignore(im, slots[i], "no adapters are served without enable_lora");
			json_object_del(j->root, slots[i]);
		}
}

static void
put_own_keys(struct jsonin *j, const struct engine *e)
{
	put_underscores(j);
	settings_rename(j, e->aliases);
	put_whole_names(j, e);
	put_objects(j);
	put_method(j);
}

static void
take_engine(struct import *im, struct jsonin *j, const struct engine *e)
{
	static const char graphs[] = "cuda_graph_config";

	put_format(im, j);
	drop_slots(im, j);
	settings_take(im, j, e->keys, e->id);
	if (e == &trtllm && json_is_null(json_object_get(j->root, graphs)))
		import_set(im, FIELD_EAGER, "true", graphs);
	take_ranks(im, j, e);
	take_context(im, j, e);
}

static void
ignore_keyword(void *to, const char *path, const char *why)
{
	if (strncmp(path, "LLM.", 4) == 0 || strstr(path, "Engine") != NULL)
		import_ignore(to, path, why);
}

/* What the first call of the engine in a script says, as flags would. */
static bool
read_calls(struct jsonin *j, struct import *im, const char *code, const struct engine *e)
{
	const struct pyin_unknown unknown = { ignore_keyword, im };
	struct jsonin made;
	json_t *call;
	size_t i;

	*j = (struct jsonin){ .root = NULL, .texts = 1, .file = im->name, .errors = im->errors };
	if (pyin_script(&made, code, im->name, NULL, &unknown, im->errors))
		json_array_foreach(made.root, i, call)
			if (j->root == NULL && text_choice_index(e->calls, pyin_last(json_string_value(json_object_get(call,
			    PYIN_CALLEE)))) >= 0)
				j->root = json_incref(call);
	jsonin_free(&made);
	if (j->root == NULL && im->errors->count == 0)
		import_error(im, "", "calls no %s with what stands in the file", e->calls);
	if (j->root == NULL)
		return false;
	if (json_object_get(j->root, "0") != NULL)
		json_object_set(j->root, WORDS_OPERAND, json_object_get(j->root, "0"));
	json_object_del(j->root, "0");
	json_object_del(j->root, PYIN_CALLEE);
	jsonin_watch(j);
	return true;
}

static bool
read_launch(struct jsonin *j, struct import *im, const struct engine *e)
{
	char *cells = notebook_code(im->text);
	const bool python = cells != NULL || notebook_is_python(im->text);
	const bool read = python ? read_calls(j, im, cells != NULL ? cells : im->text, e) :
	    words_read(j, im, e->programs, false);

	free(cells);
	return read;
}

/* The release that a log says it is of. */
static void
take_release(struct import *im)
{
	static const char *const before[] = { "vLLM API server version ", "LLM engine (v" };

	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		const char *at = strstr(im->text, before[i]);
		size_t n = at != NULL ? strspn(at + strlen(before[i]), "0123456789.") : 0;

		while (n > 0 && at[strlen(before[i]) + n - 1] == '.') /* "0.8.1.dev3" */
			n--;
		if (n == 0)
			continue;
		import_set(im, FIELD_ENGINE_VERSION, TEXT_OF(32, "%.*s", (int)n, at + strlen(before[i])), "the log");
		return;
	}
}

static void
read_engine(struct import *im, const struct engine *e)
{
	char *logged = engine_logged(e->id, im->text);
	struct jsonin j;

	if (logged != NULL ? logged_read(&j, im, logged) : read_launch(&j, im, e)) {
		put_operand(&j);
		settings_rename(&j, e->aliases);
		if (logged == NULL && jsonin_text(&j, e->config) != NULL)
			named_below(im, &j, jsonin_text(&j, e->config), e->config);
		put_own_keys(&j, e);
		import_fill(im, FIELD_MODE, "serve");
		import_set(im, FIELD_ENGINE, e->id, "the command");
		settings_checkpoint(im, &j, jsonin_has(&j, WORDS_OPERAND) ? WORDS_OPERAND : e->models);
		take_engine(im, &j, e);
		if (logged == NULL) /* a log tells all there are */
			settings_rest(im, &j);
		else if (e == &vllm)
			take_release(im);
	}
	free(logged);
	jsonin_free(&j);
}

void
vllm_read(struct import *im)
{
	read_engine(im, &vllm);
}

void
sglang_read(struct import *im)
{
	read_engine(im, &sglang);
}

void
trtllm_read(struct import *im)
{
	read_engine(im, &trtllm);
}

/* ---- engines of another program's file ------------------------------------------------------ */

static const struct engine *
find_engine(const char *name)
{
	static const struct engine *const all[] = { &vllm, &sglang, &trtllm };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (text_equal(all[i]->id, name))
			return all[i];
	return NULL;
}

bool
engine_take(struct import *im, struct jsonin *j, const char *name)
{
	const struct engine *e = find_engine(name);

	if (e == NULL)
		return false;
	put_own_keys(j, e);
	import_fill(im, FIELD_MODE, "serve");
	import_set(im, FIELD_ENGINE, e->id, "the engine");
	take_engine(im, j, e);
	return true;
}

/* GPUs of an engine of one stage whose prefill is that of a plan: TP, or all ranks with their own attention. */
int64_t
engine_pool(struct jsonin *j, const char *name, int64_t workers, char *buf, size_t size)
{
	const struct engine *e = find_engine(name);
	int64_t tp, dp;
	bool inside;

	buf[0] = '\0';
	if (e == NULL)
		return 0;
	put_own_keys(j, e);
	tp = most_of(settings_number(j, e->keys[0].path, 1), 1);
	dp = settings_number(j, e == &vllm ? "data_parallel_size" : "dp_size", 1);
	inside = settings_on(j, "enable_dp_attention") || settings_on(j, "enable_attention_dp") || (e == &vllm && dp > 1);
	tp = e == &vllm ? product_of(tp, most_of(dp, 1)) : tp;
	tp = product_of(tp, most_of(settings_number(j, e->keys[1].path, 1), 1));
	if (workers > 0)
		text_put(buf, size, "%lldx%s%lld", (long long)workers, inside ? "dp" : "tp", (long long)tp);
	return tp;
}

int64_t
engine_pool_of_command(struct import *im, const char *name, int64_t workers, char *buf, size_t size)
{
	const struct engine *e = find_engine(name);
	struct jsonin j = { .root = NULL };
	int64_t gpus = 0;

	buf[0] = '\0';
	if (e != NULL && words_read(&j, im, e->programs, false))
		gpus = engine_pool(&j, name, workers, buf, size);
	jsonin_free(&j);
	return gpus;
}
