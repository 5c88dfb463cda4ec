#include "accuracy_serve.h"
#include "accuracy_cells.h"
#include "accuracy_plan.h"

#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/layout.h"
#include "core/framework/resolve.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"

enum column {
	C_ID, C_ENGINE, C_VERSION, C_MODEL, C_GPU, C_VISIBLE, C_TP, C_PP, C_DP, C_WEIGHT, C_KV,
	C_UTIL, C_LENGTH, C_TOKENS, C_SEQS, C_WEIGHTS, C_NON_TORCH, C_ACTIVATION, C_GRAPH, C_POOL,
	C_KV_TOKENS, C_BLOCKS, C_BLOCK_SIZE, C_REQUESTS, C_SOURCE, COLUMNS
};

const char *const accuracy_serve_files[] = {
	"serving_measured.tsv", "serving_sglang.tsv", NULL
};
const char *const accuracy_serve_later[] = { "heldout_serving.tsv", NULL };
const char *const accuracy_serve_2026[] = { "serving_2026.tsv", NULL };

/* A name in a log, an entry of the catalogue, what differs from it. */
struct alias {
	const char *name, *id, *more;
};

static const struct alias models[] = {
	{ "CodeLlama-7b", "codellama-7b", "" },
	{ "Llama-3.3-70B", "llama-3.1-70b", "" },
	{ "Llama-3.1-70B", "llama-3.1-70b", "" },
	{ "Llama-3.1-8B", "llama-3.1-8b", "" },
	/* its language model, 8 of the layers with cross-attention: config.json on Hugging Face */
	{ "Llama-3.2-11B-Vision", "llama-3.1-8b", "layers=40" },
	{ "Llama-3-8B", "llama-3-8b", "" },
	{ "Llama-2-7B", "llama-2-7b", "" },
	{ "gemma-2-27b", "gemma-2-27b", "" },
	{ "gemma-2-9b", "gemma-2-9b", "" },
	{ "phi-4", "phi-4", "" },
	{ "Mixtral-8x7B", "mixtral-8x7b", "" },
	{ "Kimi-Dev-72B", "qwen2.5-72b", "" },
	{ "Qwen2.5-72B", "qwen2.5-72b", "" },
	{ "Qwen2.5-32B", "qwen2.5-32b", "" },
	{ "R1-Distill-Qwen-14B", "qwen2.5-14b", "" },
	{ "R1-Distill-Qwen-7B", "qwen2.5-7b", "" },
	/* `ignore` of nvidia/DeepSeek-R1-0528-NVFP4: attention alone is in 16 bits */
	{ "DeepSeek-R1 NVFP4", "deepseek-v3", "dense_dtype=nvfp4 kept_params=11413.4" },
	{ "DeepSeek-R1", "deepseek-v3", "" },
	{ "Kimi-K2-Thinking", "kimi-k2.5", "" },
	{ "QwQ-32B", "qwen2.5-32b", "" },
	{ "GLM-5-FP8", "glm-5", "" },
	{ "gpt-oss-20b", "gpt-oss-20b", "" },
	{ "gpt-oss-120b", "gpt-oss-120b", "" },
	{ "Qwen3-30B-A3B", "qwen3-30b-a3b", "" },
	{ "Qwen3-VL-30B-A3B", "qwen3-vl-30b-a3b", "" },
	/* llm-compressor examples/quantization_w8a8_fp8/qwen3_next_example.py leaves linear attention in 16 bits */
	{ "Qwen3-Coder-Next", "qwen3-next-80b-a3b", "kept_params=1213" },
	/* FP8 but for the six layers of attention and six Mamba layers before them: Nemotron 3 Nano's report */
	{ "Nemotron-3-Nano-30B", "nemotron-3-nano-30b-a3b", "kept_params=372.6" },
	{ "DeepSeek-V3.2", "deepseek-v3.2", "" },
	{ "Llama-4-Maverick", "llama-4-maverick-17b-128e", "" },
	{ "gemma-3-12b", "gemma-3-12b", "" },
	{ "gemma-3-27b", "gemma-3-27b", "" },
	{ "Mistral-Small-3.1-24B", "mistral-small-3.2-24b", "" },
	{ "Qwen3-235B-A22B", "qwen3-235b-a22b", "" },
	{ "Mistral-7B-Instruct-v0.1", "mistral-7b-v0.1", "" },
	{ "Qwen3-14B", "qwen3-14b", "" },
	{ "Qwen3-32B", "qwen3-32b", "" },
	{ "Qwen3-0.6B", "qwen3-0.6b", "" },
	/* ibm-granite config.json on Hugging Face */
	{ "granite-3", "llama-3.1-8b", "layers=40 ffn_hidden_size=12800 vocab_size=49155 "
	    "tied_embeddings=true" },
	/* of heldout_serving.tsv */
	{ "Qwen2-7B-Instruct", "qwen2.5-7b", "max_position=32768" },
	{ "Qwen2.5-7B-Instruct", "qwen2.5-7b", "max_position=32768" },
	{ "Qwen2.5-14B", "qwen2.5-14b", "" },
	{ "Qwen2.5-0.5B", "qwen2.5-0.5b", "" },
	{ "Qwen1.5-MoE-A2.7B", "qwen1.5-moe-a2.7b", "" },
	{ "Qwen3-8B", "qwen3-8b", "" },
	{ "Qwen3-Next-80B", "qwen3-next-80b-a3b", "" },
	{ "Qwen3-Reranker-0.6B", "qwen3-0.6b", "" },
	{ "Qwen3.5-27B", "qwen3.5-27b", "" },
	{ "Qwen3.5-35B-A3B", "qwen3.5-35b-a3b", "" },
	{ "gemma-2-2b", "gemma-2-2b", "" },
	{ "gemma-7b", "gemma-7b", "" },
	{ "phi-2", "phi-2", "" },
	{ "opt-125m", "opt-125m", "" },
	{ "Llama-4-Scout", "llama-4-scout-17b-16e", "" },
	{ "Llama-3.1-405B", "llama-3.1-405b", "" },
	{ "Swallow-8B", "llama-3-8b", "" },
	{ "orpheus-3b", "llama-3.2-3b", "vocab_size=156940" },
	{ "Ministral-3-14B", "llama-3.1-8b", "layers=40" },
	{ "DeepSeek-V2-Lite", "deepseek-v2-lite", "" },
	{ "DeepSeek-Coder-V2-Lite", "deepseek-v2-lite", "" },
	{ "DeepSeek-V2.5", "deepseek-v2", "" },
	{ "R1-Distill-Llama-8B", "llama-3.1-8b", "" },
	{ "GLM-5.1", "glm-5", "" },
	{ NULL, NULL, NULL }
};

static const struct alias gpus[] = {
	{ "no P2P", "a100-pcie-80gb", "nvlink_gbps=0" },
	{ "A100-40GB on two nodes (custom all-reduce off)", "a100-pcie-40gb", "nvlink_gbps=0" },
	{ "A100-80GB on four", "a100-pcie-80gb", "nvlink_gbps=0" },
	{ "H100", "h100-sxm-80gb", "" }, { "GB300", "gb300", "" }, { "L40S", "l40s", "" },
	{ "A100-40GB", "a100-sxm4-40gb", "" }, { "V100-32GB", "v100-sxm2-32gb", "" },
	{ "H200", "h200-sxm-141gb", "" }, { "H20-141GB", "h20-141gb", "" },
	{ "B200", "b200-sxm-180gb", "" },
	{ "RTX3090", "rtx-3090", "" }, { "RTX4090", "rtx-4090", "" },
	{ "A100-80GB", "a100-sxm4-80gb", "" }, { "L4-24GB", "l4", "" },
	{ "H20-96GB", "h20-96gb", "" }, { "MI300X-192GB", "mi300x", "" },
	{ "MI355X", "mi355x", "" }, { NULL, NULL, NULL }
};

/* Rows that no plan expresses, by a word of the row. */
static const struct alias refused[] = {
	{ "fp32", NULL, "fp32 weights and cache" },
	{ "gguf", NULL, "GGUF weights" },
	{ "bnb", NULL, "bitsandbytes weights" },
	{ "int4-class", NULL, "format of the weights not recorded" },
	{ "405B-Instruct-FP8", NULL, "attention of this checkpoint is in 16 bits" },
	{ "Qwen3.8-27B-FP8 (shape", NULL, "a vision tower is loaded too, for which SGLang cuts the share" },
	{ NULL, NULL, NULL }
};

static const struct alias weight_formats[] = {
	{ "int4 experts", "int4", "" }, { "nvfp4", "nvfp4", "" }, { "bf16", "bf16", "" }, { "fp16", "fp16", "" },
	{ "compressed-tensors", "int8", "" },
	{ "int8", "int8", "" }, { "fp8", "fp8", "" }, { "mxfp4", "mxfp4", "" },
	{ NULL, NULL, NULL }
};

static const struct alias *
find(const struct alias *list, const char *text)
{
	for (; list->name != NULL; list++)
		if (strcasestr(text, list->name) != NULL)
			return list;
	return NULL;
}

static void
put_more(struct plan *p, const char *more)
{
	char text[256], *save = NULL, *word;

	snprintf(text, sizeof text, "%s", more);
	for (word = strtok_r(text, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		*value = '\0';
		accuracy_put(p, word, value + 1);
	}
}

static void
put_limits(struct plan *p, char *const *cell)
{
	const double visible = accuracy_number(cell[C_VISIBLE]), length = accuracy_number(cell[C_LENGTH]);
	const double tokens = accuracy_number(cell[C_TOKENS]), seqs = accuracy_number(cell[C_SEQS]);
	const double block = accuracy_number(cell[C_BLOCK_SIZE]);

	if (!isnan(visible))
		accuracy_put_number(p, "memory_gib", strstr(cell[C_VISIBLE], "MiB") ? visible / 1024 : visible);
	accuracy_put_number(p, "context_length", isnan(length) ? (double)p->model.max_position : length);
	if (!isnan(tokens))
		accuracy_put_number(p, "max_batched_tokens", tokens);
	if (!isnan(seqs))
		accuracy_put_number(p, "max_num_seqs", seqs);
	if (!isnan(block))
		accuracy_put_number(p, "block_size", block);
	/* "default 0.88": what the engine makes of 0 has to be the figure */
	accuracy_put_number(p, "gpu_memory_utilization", strstr(cell[C_UTIL], "default") ||
	    isnan(accuracy_number(cell[C_UTIL])) ? 0 : accuracy_number(cell[C_UTIL]));
	accuracy_put_number(p, "prompt_tokens", 1);
	accuracy_put_number(p, "generate_tokens", 1);
}

/* The log does not say what the pool was cut from, but does say how large it was or the
 * weights were: then any GPU will do. */
static bool
is_partial(char *const *cell)
{
	return strcmp(cell[C_GPU], "-") == 0 && strcmp(cell[C_UTIL], "-") == 0;
}

/* Returns why a row can not be expressed, or NULL. */
static const char *
express(struct plan *p, char *const *cell, const config_t *model_file,
    const config_t *gpu_file)
{
	const bool partial = is_partial(cell);
	const struct alias *model = find(models, cell[C_MODEL]);
	const struct alias *gpu = partial ? gpus : find(gpus, cell[C_GPU]);
	const struct alias *format = find(weight_formats, cell[C_WEIGHT]), *no;
	const double tp = accuracy_number(cell[C_TP]), pp = accuracy_number(cell[C_PP]);

	if ((no = find(refused, cell[C_MODEL])) || (no = find(refused, cell[C_WEIGHT])))
		return no->more;
	if (model == NULL)
		return "model not in the catalogue";
	if (gpu == NULL)
		return "GPU not in the catalogue";
	if (format == NULL || isnan(tp) || isnan(pp))
		return "split or format of the weights not recorded";
	if (!partial && isnan(accuracy_number(cell[C_UTIL])) && strstr(cell[C_UTIL], "default") == NULL)
		return "share of the memory not recorded";
	plan_defaults(p);
	accuracy_put(p, "mode", "serve");
	accuracy_put(p, "layout", "vllm");
	accuracy_put_entry(p, model_file, "models", "model", model->id);
	put_more(p, model->more);
	accuracy_put_entry(p, gpu_file, "gpus", "cluster", gpu->id);
	accuracy_put(p, "gpu", gpu->id);
	put_more(p, gpu->more);
	accuracy_put(p, "model.preset", model->id);
	accuracy_put_number(p, "gpus_per_node", tp * pp);
	accuracy_put_number(p, "tp", tp);
	accuracy_put_number(p, "pp", pp);
	accuracy_put(p, "engine", cell[C_ENGINE][0] == 'S' ? "sglang" :
	    cell[C_ENGINE][0] == 'T' ? "trtllm" : "vllm");
	if (cell[C_VERSION][0] != '-')
		accuracy_put(p, "engine_version", cell[C_VERSION]);
	accuracy_put(p, "eager", strstr(cell[C_GPU], "enforce_eager") ? "true" : "false");
	accuracy_put(p, "flashinfer_sampler", strstr(cell[C_VERSION], "FlashInfer") ? "true" : "false");
	accuracy_put(p, "weight_dtype", format->id);
	accuracy_put(p, "kv_dtype", strstr(cell[C_KV], "fp8") ? "fp8" : "bf16");
	put_limits(p, cell);
	if (partial) /* large enough for all */
		accuracy_put_number(p, "memory_gib", 1000);
	plan_resolve(p, NULL);
	return NULL;
}

static struct serve_accuracy *
group_named(struct serve_accuracy *groups, int *count, const char *name)
{
	for (int i = 0; i < *count; i++)
		if (strcmp(groups[i].name, name) == 0)
			return &groups[i];
	if (*count == SERVE_GROUPS_MAX)
		return &groups[SERVE_GROUPS_MAX - 1];
	groups[*count] = (struct serve_accuracy){ .rows = 0 };
	snprintf(groups[*count].name, sizeof groups->name, "%s", name);
	return &groups[(*count)++];
}

static struct serve_accuracy *
group_of(struct serve_accuracy *groups, int *count, char *const *cell)
{
	char name[sizeof groups->name];

	if (strncmp(cell[C_ID], "FS", 2) == 0)
		snprintf(name, sizeof name, "%.24s %.5s", strchr(cell[C_MODEL], '/') + 1, cell[C_GPU]);
	else if (cell[C_ENGINE][0] == 'S' || strncmp(cell[C_ID], "HS", 2) == 0) /* few of a version */
		snprintf(name, sizeof name, "%s", cell[C_ENGINE]);
	else
		snprintf(name, sizeof name, "%s %.6s", cell[C_ENGINE],
		    cell[C_VERSION][0] == 'V' ? "V0" : cell[C_VERSION]);
	return group_named(groups, count, name);
}

static void
note(struct serve_accuracy *g, enum serve_measure m, double error)
{
	if (!isnan(error) && g->count[m] < SERVE_ROWS_MAX)
		g->error[m][g->count[m]++] = error;
}

static void
print_error_of(FILE *rows, const char *what, double error, const char *unit)
{
	if (!isnan(error))
		fprintf(rows, "  %s %+.2f%s", what, error, unit);
}

static void
compare(struct serve_accuracy *g, char *const *cell, const struct serve *s, FILE *rows)
{
	const double gib = 1073741824.0, pool = accuracy_number(cell[C_POOL]);
	const double share = s->kv_pool_bytes > 0 ? pool * gib / s->kv_pool_bytes : NAN;
	double error[MEASURES] = {
		[MEASURE_TOKENS] = s->kv_tokens / accuracy_number(cell[C_KV_TOKENS]) - 1,
		/* a pool below nothing says that it does not fit: so do we */
		[MEASURE_POOL] = s->kv_pool_bytes / gib - (pool < 0 ? 0 : pool),
		[MEASURE_WEIGHTS] = s->weight_bytes / gib / accuracy_number(cell[C_WEIGHTS]) - 1,
		[MEASURE_REQUESTS] = s->max_concurrency / accuracy_number(cell[C_REQUESTS]) - 1,
		[MEASURE_CACHE] = s->kv_tokens * share / accuracy_number(cell[C_KV_TOKENS]) - 1,
	};

	if (is_partial(cell))
		error[MEASURE_TOKENS] = error[MEASURE_POOL] = error[MEASURE_REQUESTS] = NAN;
	g->rows++;
	for (int m = 0; m < MEASURES; m++)
		note(g, (enum serve_measure)m, error[m]);
	if (rows == NULL)
		return;
	fprintf(rows, "%-12s %-24.24s TP%s PP%s", cell[C_ID], cell[C_MODEL], cell[C_TP],
	    cell[C_PP]);
	print_error_of(rows, "tokens", 100 * error[MEASURE_TOKENS], "%");
	print_error_of(rows, "pool", error[MEASURE_POOL], " GiB");
	print_error_of(rows, "weights", 100 * error[MEASURE_WEIGHTS], "%");
	print_error_of(rows, "requests", 100 * error[MEASURE_REQUESTS], "%");
	print_error_of(rows, "tokens of the pool", 100 * error[MEASURE_CACHE], "%");
	fprintf(rows, "\n");
}

static void
measure_row(struct serve_accuracy *groups, int *count, char *const *cell,
    const config_t *model_file, const config_t *gpu_file, FILE *rows)
{
	static struct plan p;
	static struct layout layout;
	static struct placement placement;
	const char *no = express(&p, cell, model_file, gpu_file);
	struct serve s;

	if (no == NULL && (!layout_init(&layout, &p, NULL) ||
	    !placement_init(&placement, &p, NULL)))
		no = "refused by the layout";
	if (no != NULL) {
		if (rows != NULL)
			fprintf(rows, "%-12s %-24.24s not expressed: %s\n", cell[C_ID], cell[C_MODEL], no);
		return;
	}
	s = serve_estimate(&p, &layout, &placement, NULL, NULL);
	compare(group_of(groups, count, cell), cell, &s, rows);
}

/* ---- files ---------------------------------------------------------------------------- */

static void
measure_rows(struct serve_accuracy *groups, int *count, FILE *in, const config_t *model_file,
    const config_t *gpu_file, FILE *rows)
{
	char line[2048];

	while (fgets(line, sizeof line, in) != NULL) {
		char *cell[COLUMNS];
		const int n = accuracy_cells(line, cell, COLUMNS);

		if (line[0] == '#' || strcmp(cell[C_ID], "id") == 0)
			continue;
		if (n == COLUMNS)
			measure_row(groups, count, cell, model_file, gpu_file, rows);
	}
}

static bool
measure_file(struct serve_accuracy *groups, int *count, const char *top, const char *name,
    const config_t *model_file, const config_t *gpu_file, FILE *rows)
{
	char path[1024];
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/%s", top, name);
	if ((in = fopen(path, "r")) == NULL)
		return false;
	measure_rows(groups, count, in, model_file, gpu_file, rows);
	fclose(in);
	return true;
}

int
accuracy_serve_measure(struct serve_accuracy *groups, const char *const *files,
    const char *top, FILE *rows)
{
	config_t model_file, gpu_file;
	int count = 0;
	bool ok;

	config_init(&model_file);
	config_init(&gpu_file);
	ok = accuracy_read_catalog(&model_file, top, "models.cfg") &&
	    accuracy_read_catalog(&gpu_file, top, "gpus.cfg");
	for (; ok && *files != NULL; files++)
		ok = measure_file(groups, &count, top, *files, &model_file, &gpu_file, rows);
	config_destroy(&gpu_file);
	config_destroy(&model_file);
	for (int i = 0; i < count; i++)
		for (int m = 0; m < MEASURES; m++)
			qsort(groups[i].error[m], (size_t)groups[i].count[m], sizeof(double), by_size);
	return ok ? count : -1;
}

double
accuracy_serve_at(const struct serve_accuracy *g, enum serve_measure m, double share)
{
	const int n = g->count[m], at = (int)ceil(share * n) - 1;

	return n > 0 ? fabs(g->error[m][at < 0 ? 0 : at]) : 0;
}

static void
print_groups(FILE *out, const char *title, const struct serve_accuracy *groups, int count)
{
	static const char *const names[MEASURES] = {
		"KV tokens, %", "KV pool, GiB", "weights, %", "requests, %",
		"tokens of pool, %"
	};

	fprintf(out, "\n%-22s %-16s %5s %8s %8s %8s\n", title, "error of", "rows", "median", "90th",
	    "worst");
	for (int i = 0; i < count; i++)
		for (int m = 0; m < MEASURES; m++) {
			const enum serve_measure what = (enum serve_measure)m;
			const double scale = what == MEASURE_POOL ? 1 : 100;

			if (groups[i].count[m] > 0)
				fprintf(out, "%-22s %-16s %5d %8.2f %8.2f %8.2f\n", groups[i].name, names[m],
				    groups[i].count[m], scale * accuracy_serve_at(&groups[i], what, 0.5),
				    scale * accuracy_serve_at(&groups[i], what, 0.9),
				    scale * accuracy_serve_at(&groups[i], what, 1));
		}
}

void
accuracy_serve(FILE *out, const char *top)
{
	static struct serve_accuracy groups[SERVE_GROUPS_MAX], later[SERVE_GROUPS_MAX];
	int count;

	fprintf(out, "Serving, row by row\n");
	count = accuracy_serve_measure(groups, accuracy_serve_files, top, out);
	print_groups(out, "Serving", groups, count);
	fprintf(out, "\nServing, logs that were looked up after everything was chosen\n");
	count = accuracy_serve_measure(later, accuracy_serve_later, top, out);
	print_groups(out, "Serving, later", later, count);
	fprintf(out, "\nServing, logs of late 2025 and 2026\n");
	count = accuracy_serve_measure(later, accuracy_serve_2026, top, out);
	print_groups(out, "Serving, 2026", later, count);
}
