/*
 * accuracy_finetune.c - estimates of fine-tuning against measurements of real runs: memory
 * that public logs and READMEs state, and step times of MLPerf's LoRA benchmark. Each row
 * becomes a plan; nothing is fitted to it.
 */
#include "accuracy_finetune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "core/rules/check.h"

#define GIB 1073741824.0

enum { CELLS = 28, LINE_SIZE = 4096, VALUE_SIZE = 64 };

struct cells {
	char *cell[CELLS];
	int count;
};

/* ---- text ------------------------------------------------------------------------- */

/* Value of a key in words "a=1 b=2" that `between` separates; false without. */
static bool
find(const char *words, const char *key, char between, char value[VALUE_SIZE])
{
	const size_t n = strlen(key);

	for (const char *at = words; (at = strstr(at, key)) != NULL; at += n)
		if ((at == words || at[-1] == between) && at[n] == '=') {
			const char *end = strchr(at, between);

			text_put(value, VALUE_SIZE, "%.*s",
			    (int)(end != NULL ? (size_t)(end - at) - n - 1 : strlen(at + n + 1)), at + n + 1);
			return true;
		}
	value[0] = '\0';
	return false;
}

static bool
is(const char *words, const char *key, const char *value)
{
	char found[VALUE_SIZE];

	return find(words, key, ' ', found) && strcmp(found, value) == 0;
}

static void
set(struct plan *p, const char *path, const char *value)
{
	char err[256];

	if (!field_parse(field_find(path), p, value, err, sizeof err)) {
		fprintf(stderr, "%s=%s: %s\n", path, value, err);
		abort();
	}
}

/* Words "path=value" of settings, one after the other. */
static void
set_all(struct plan *p, const char *settings)
{
	char list[LINE_SIZE], *save = NULL;

	text_put(list, sizeof list, "%s", settings);
	for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(w, '=');

		*equals = '\0';
		set(p, w, equals + 1);
	}
}

/* ---- models ------------------------------------------------------------------------ */

/* Shapes by the published configurations: layers, hidden size, heads, KV heads, FFN size,
 * vocabulary, and what is special. */
static const struct {
	const char *name;
	int layers, hidden, heads, kv, ffn, vocab;
	const char *more;
} models[] = {
	{ "llama-3.2-3b", 28, 3072, 24, 8, 8192, 128256, "model.tied_embeddings=true" },
	{ "llama-3.1-8b", 32, 4096, 32, 8, 14336, 128256, "" },
	{ "llama-2-7b", 32, 4096, 32, 32, 11008, 32000, "" },
	{ "llama-2-70b", 80, 8192, 64, 8, 28672, 32000, "" },
	{ "qwen2.5-7b", 28, 3584, 28, 4, 18944, 152064, "model.qkv_bias=true" },
	{ "qwen2.5-32b", 64, 5120, 40, 8, 27648, 152064, "model.qkv_bias=true" },
	{ "qwen2.5-72b", 80, 8192, 64, 8, 29568, 152064, "model.qkv_bias=true" },
	{ "qwen3-8b", 36, 4096, 32, 8, 12288, 151936, "model.qk_norm=true" },
	{ "qwen3-30b-a3b", 48, 2048, 32, 4, 6144, 151936, "model.qk_norm=true model.experts=128 "
	    "model.experts_per_token=8 model.moe_ffn_hidden_size=768" },
	{ "qwen-1.8b", 24, 2048, 16, 16, 5504, 151936, "model.qkv_bias=true" },
	{ "qwen-7b", 32, 4096, 32, 32, 11008, 151936, "model.qkv_bias=true" },
	{ "qwen-14b", 40, 5120, 40, 40, 13696, 152064, "model.qkv_bias=true" },
	{ "qwen-72b", 80, 8192, 64, 64, 24576, 152064, "model.qkv_bias=true" },
	{ "mistral-7b", 32, 4096, 32, 8, 14336, 32000, "" },
	{ "yi-34b", 60, 7168, 56, 8, 20480, 64000, "" },
	{ "mistral-24b", 40, 5120, 32, 8, 32768, 131072, "" },
	{ "seed-oss-36b", 64, 5120, 80, 8, 27648, 155136, "model.qkv_bias=true" },
	{ "olmo3-7b", 32, 4096, 32, 32, 11008, 100278, "model.qk_norm=true" },
	{ "mimo-7b", 36, 4096, 32, 8, 11008, 151680, "model.qkv_bias=true" },
};

static bool
put_model(struct plan *p, const char *name)
{
	char settings[512];

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		if (strcmp(models[i].name, name) != 0)
			continue;
		text_put(settings, sizeof settings, "model.layers=%d model.hidden_size=%d "
		    "model.attention_heads=%d model.kv_heads=%d model.ffn_hidden_size=%d "
		    "model.vocab_size=%d model.vocab_multiple=1 %s", models[i].layers, models[i].hidden,
		    models[i].heads, models[i].kv, models[i].ffn, models[i].vocab, models[i].more);
		set_all(p, settings);
		return true;
	}
	return false;
}

/* ---- rows of memory ----------------------------------------------------------------- */

/* A value of the settings column by the field that it sets, and what it is called there. */
static const struct {
	const char *key, *value, *set;
} meanings[] = {
	{ "kernel", "hf", "finetune.kernels=eager" }, { "kernel", "liger", "finetune.kernels=liger" },
	{ "kernel", "unsloth", "finetune.kernels=unsloth" },
	{ "kernel", "torchtune", "finetune.kernels=torchtune" },
	{ "kernel", "torchtune-compile", "finetune.kernels=torchtune" },
	{ "kernel", "megatron", "layout=megatron finetune.kernels=te "
	    "finetune.expert_adapters=separate parallel.zero_stage=1" },
	{ "loss", "trainer", "training.cross_entropy=hf" },
	{ "loss", "half", "training.cross_entropy=hf-16" }, { "loss", "old", "training.cross_entropy=hf-old" },
	{ "loss", "hf2", "training.cross_entropy=hf-held" }, { "loss", "hfc", "training.cross_entropy=hf" },
	{ "loss", "liger", "training.cross_entropy=liger" },
	/* of 2024: 16-bit logits and their gradient in place, of which accelerate makes an fp32 copy */
	{ "loss", "unsloth", "training.cross_entropy=unfused" },
	{ "loss", "cce", "training.cross_entropy=cce" },
	{ "loss", "chunk", "training.cross_entropy=chunked" },
	{ "loss", "chunk-compile", "training.cross_entropy=chunked" },
	{ "loss", "linear-chunk", "training.cross_entropy=chunked" },
	{ "loss", "native", "training.cross_entropy=native" },
	{ "adapter", "2", "finetune.adapter_dtype=bf16" },
	{ "adapter", "4", "finetune.adapter_dtype=fp32" },
	{ "quant", "nf4", "finetune.quantization=nf4-dq" },
	{ "quant", "gptq4", "finetune.quantization=int4" },
	{ "gc", "True", "training.recompute=full" }, { "gc", "False", "training.recompute=none" },
	{ "opt", "adamw8", "training.optimizer=adam8bit" },
	{ "modules_to_save", "True", "finetune.modules_to_save=embedding+head" },
	{ "offload", "optimizer+params", "parallel.offload=optimizer+params" },
	{ "offload", "optimizer", "parallel.offload=optimizer training.precision_aware_optimizer=true" },
};

static void
put_settings(struct plan *p, const char *words)
{
	static const struct {
		const char *key, *path;
	} same[] = {
		{ "zero", "parallel.zero_stage" }, { "tp", "parallel.tp" }, { "ep", "parallel.ep" },
		{ "dropout", "finetune.dropout" }, { "target", "finetune.target" }, { "release", "parallel.release" },
		{ "bucket", "training.bucket_size" }, /* "auto" is h*h (transformers integrations/deepspeed.py) */
	};
	char value[VALUE_SIZE];

	set(p, "layout", is(words, "opt_master", "4") ? "deepspeed" : "torchtitan");
	set(p, "parallel.zero_stage", "0");
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (find(words, same[i].key, ' ', value))
			set(p, same[i].path, value);
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (is(words, meanings[i].key, meanings[i].value))
			set_all(p, meanings[i].set);
}

/* What no field says. */
static bool
inexpressible(const char *words)
{
	char value[VALUE_SIZE];

	return find(words, "fuse_opt_bwd", ' ', value) || is(words, "opt", "paged8") ||
	    is(words, "kernel", "torchtune-compile");
}

/* What a measurement counts: what is allocated, what PyTorch has reserved for it, or all that is
 * on the card. */
enum counted { COUNTS_ALLOCATED, COUNTS_RESERVED, COUNTS_CARD };

static double
estimate(struct plan *p, enum counted counts)
{
	static struct placement placement;
	static struct layout layout;
	struct diag_list diags = { .count = 0 };
	struct memory m;

	plan_resolve(p, NULL);
	if (!layout_init(&layout, p, &diags) || !placement_init(&placement, p, &diags))
		return 0;
	m = memory_stage(p, &layout, &placement, check_microbatches(p, layout.dp), 0, NULL);
	return (counts == COUNTS_CARD ? m.total :
	    counts == COUNTS_RESERVED ? m.reserved : m.allocated) / GIB;
}

/* A run of GPUs with so many micro-batches on each: data parallel but for TP. */
static void
put_run(struct plan *p, const char *gpus, const char *seq, const char *micro, const char *words)
{
	char value[VALUE_SIZE];
	const long dp = find(words, "dp", ' ', value) ? strtol(value, NULL, 10) : 1;
	const long batches = find(words, "accumulation", ' ', value) ? strtol(value, NULL, 10) : 1;

	set(p, "nodes", "1");
	set(p, "gpus_per_node", gpus);
	set(p, "training.sequence_length", seq);
	set(p, "micro_batch_size", micro);
	text_put(value, sizeof value, "%ld", dp * batches * strtol(micro, NULL, 10));
	set(p, "global_batch_size", value);
}

enum { GROUP, MODEL, METHOD, TARGET, RANK, SEQ, MICRO, GPUS, LAYOUT, MEASURED, METRIC,
	COMPLETENESS = 13, SETTINGS = 15 };

static void
read_measured(const struct cells *c, struct finetune_row *row)
{
	static struct plan p;
	char *const *cell = c->cell;
	const char *words = cell[SETTINGS];
	const bool lora = strncmp(cell[METHOD], "full", 4) != 0;
	const bool card = strncmp(cell[METRIC], "VRAM", 4) == 0 || cell[METRIC][0] == 'G';
	/* comments of scripts: what the trainer logs, torch.cuda.max_memory_reserved */
	const bool reserved = strcmp(cell[METRIC], "header comment") == 0 ||
	    strstr(cell[METRIC], "reserved") != NULL;

	text_put(row->group, sizeof row->group, "%s", cell[GROUP]);
	text_put(row->what, sizeof row->what, "%s %s, %s tokens x %s, %s", cell[MODEL], cell[METHOD],
	    cell[SEQ], cell[MICRO], cell[LAYOUT]);
	row->measured = strtod(cell[MEASURED], NULL);
	row->complete = strncmp(cell[COMPLETENESS], "complete", 8) == 0;
	plan_defaults(&p);
	if (!put_model(&p, cell[MODEL]) || inexpressible(words))
		return;
	set(&p, "finetune.method", lora ? "lora" : "full");
	if (lora) {
		set(&p, "finetune.rank", cell[RANK]);
		if (!strchr(cell[TARGET], ' '))
			set(&p, "finetune.target", cell[TARGET]);
	}
	put_settings(&p, words);
	/* Qwen's c_attn has queries, keys and values in one */
	if (strncmp(cell[MODEL], "qwen-", 5) == 0 && lora)
		set(&p, "finetune.target", "qkv+o+gate+up+down");
	if (p.finetune.quantization != QUANT_NONE && lora && is(words, "quant", "nf4"))
		set(&p, "finetune.method", "qlora");
	put_run(&p, cell[GPUS], cell[SEQ], cell[MICRO], words);
	row->estimated = estimate(&p, card ? COUNTS_CARD :
	    reserved ? COUNTS_RESERVED : COUNTS_ALLOCATED);
}

/* The longest batch that the script of PEFT meets: 4 sequences of at most 768 tokens, of which
 * the longest of its runs measured is 744; padded, in a loop that holds its outputs. */
static void
read_peft(const struct cells *c, struct finetune_row *row)
{
	static struct plan p;
	const char *words = c->cell[18];
	char value[VALUE_SIZE], target[VALUE_SIZE] = "";

	text_put(row->group, sizeof row->group, "%s", c->cell[0]);
	text_put(row->what, sizeof row->what, "%.95s", words);
	row->measured = strtod(c->cell[20], NULL);
	row->complete = find(words, "peft_type", ';', value) && strcmp(value, "LORA") == 0 &&
	    strstr(c->cell[17], "opt=AdamW") != NULL && strstr(c->cell[25], "bdlora") == NULL;
	if (!row->complete)
		return;
	plan_defaults(&p);
	put_model(&p, "llama-3.2-3b");
	set_all(&p, "layout=torchtitan parallel.zero_stage=0 training.cross_entropy=hf-held "
	    "finetune.packing=false finetune.kernels=eager finetune.adapter_dtype=fp32");
	set(&p, "finetune.method", strstr(words, "use_dora=True") != NULL ? "dora" : "lora");
	if (find(words, "r", ';', value))
		set(&p, "finetune.rank", value);
	find(words, "targets", ';', value);
	for (const char *at = value; *at != '\0';) { /* "q_proj+v_proj" */
		const size_t n = strcspn(at, "+");

		text_add(target, sizeof target, "%s%.*s", *target != '\0' ? "+" : "",
		    (int)strcspn(at, "_+"), at);
		at += n + (at[n] == '+');
	}
	set(&p, "finetune.target", target);
	put_run(&p, "1", "744", "4", "");
	row->estimated = estimate(&p, COUNTS_RESERVED);
	row->trained = adapters_total(&p, 0, NULL);
	if (find(words, "trainable", ';', value))
		row->counted = strtod(value, NULL);
}

/* ---- rows of steps ------------------------------------------------------------------ */

/* GPUs by the numbers of their data sheets: memory and its rate, BF16 and FP8 peaks, NVLink. */
static const struct {
	const char *name, *settings;
} gpus[] = {
	{ "H100", "cluster.generation=hopper cluster.fabric=nvlink4 cluster.memory_gib=79.1 cluster.hbm_gbps=3350 "
	    "cluster.bf16_tflops=989.4 cluster.fp8_tflops=1978.9 cluster.nvlink_gbps=450" },
	{ "H200", "cluster.generation=hopper cluster.fabric=nvlink4 cluster.memory_gib=139.8 cluster.hbm_gbps=4800 "
	    "cluster.bf16_tflops=989.4 cluster.fp8_tflops=1978.9 cluster.nvlink_gbps=450" },
	{ "B200", "cluster.generation=blackwell cluster.fabric=nvlink5 cluster.memory_gib=178.4 cluster.bf16_scale=0.78 cluster.hbm_gbps=8000 "
	    "cluster.bf16_tflops=2250 cluster.fp8_tflops=4500 cluster.nvlink_gbps=900" },
	{ "GB200", "cluster.generation=blackwell cluster.fabric=nvlink5 cluster.memory_gib=184 cluster.hbm_gbps=8000 "
	    "cluster.bf16_tflops=2500 cluster.fp8_tflops=5000 cluster.nvlink_gbps=900 cluster.nvlink_domain=72" },
	{ "MI325X", "cluster.generation=cdna3 cluster.fabric=xgmi cluster.memory_gib=256 cluster.hbm_gbps=6000 "
	    "cluster.bf16_tflops=1307.4 cluster.fp8_tflops=2614.9 cluster.nvlink_gbps=448" },
	{ "MI350X", "cluster.generation=cdna4 cluster.fabric=xgmi cluster.memory_gib=288 cluster.hbm_gbps=8000 "
	    "cluster.bf16_tflops=2309.6 cluster.fp8_tflops=4614 cluster.nvlink_gbps=538" },
};

enum { SYSTEM = 2, NAME, GPU, GPU_FULL, NODES, PER_NODE, WORLD, TP, PP, CP, MBS = 14, GBS, LENGTH,
	PRECISION, STEP, LAYOUT_MATCH = 21 };

/* Containers of the two rounds are of 2025-04, and of 2025-09 with a later cuDNN, 9.13.1; its configurations
 * set NVTE_FUSED_ATTN=1, NVTE_FLASH_ATTN=0 and FP8_DPA=1 (config_common.sh), AMD's FP8_DPA=0. */
static void
read_step(const struct cells *c, struct finetune_row *row)
{
	static struct plan p;
	static struct estimate e;
	char *const *cell = c->cell;
	char settings[640];
	size_t i = 0;

	text_put(row->group, sizeof row->group, "mlperf %s", cell[GPU]);
	text_put(row->what, sizeof row->what, "%s, %s GPUs, %s", cell[SYSTEM], cell[WORLD], cell[0]);
	row->measured = strtod(cell[STEP], NULL);
	row->complete = strcmp(cell[LAYOUT_MATCH], "sure") == 0;
	while (i < sizeof gpus / sizeof *gpus && strcmp(gpus[i].name, cell[GPU]) != 0)
		i++;
	if (i == sizeof gpus / sizeof *gpus || !row->complete || strcmp(cell[PRECISION], "fp8") != 0 ||
	    strstr(cell[GPU_FULL], "NVL-") != NULL)
		return;
	plan_defaults(&p);
	put_model(&p, "llama-2-70b");
	text_put(settings, sizeof settings, "nodes=%s gpus_per_node=%s tp=%s pp=%s cp=%s "
	    "micro_batch_size=%s global_batch_size=%s training.sequence_length=%s precision=fp8 "
	    "finetune.method=lora finetune.rank=16 finetune.target=qkv+proj tp_overlap=%s "
	    "max_position=8192 release=%s %s", cell[NODES], cell[PER_NODE], cell[TP], cell[PP],
	    cell[CP], cell[MBS], cell[GBS], cell[LENGTH], strcmp(cell[TP], "1") == 0 ? "false" : "true",
	    strcmp(cell[0], "v5.0") == 0 ? "202504" : "202510", strncmp(cell[GPU], "MI", 2) == 0 ? "" :
	    "attention_kernel=cudnn fp8_attention=true");
	set_all(&p, settings);
	set_all(&p, gpus[i].settings);
	plan_resolve(&p, NULL);
	estimate_run(&e, &p, NULL, NULL);
	row->estimated = e.timed ? e.step.seconds : 0;
	row->counted = 44564480; /* MLPerf's reference implementation */
	row->trained = adapters_total(&p, 0, NULL);
}

/* ---- tables ------------------------------------------------------------------------- */

static size_t
read_file(const char *top, const char *name, const char *which,
    void (*read)(const struct cells *c, struct finetune_row *row), struct finetune_row *rows,
    size_t max)
{
	char line[LINE_SIZE], path[LINE_SIZE];
	struct cells c;
	size_t n = 0;
	FILE *f;

	text_put(path, sizeof path, "%s/tests/data/%s", top, name);
	f = fopen(path, "r");
	if (f == NULL || fgets(line, sizeof line, f) == NULL)
		return 0;
	while (n < max && fgets(line, sizeof line, f) != NULL) {
		const bool wanted = strstr(line, which) != NULL;

		c.count = accuracy_cells(line, c.cell, CELLS);
		if (!wanted || c.count < 16)
			continue;
		memset(&rows[n], 0, sizeof rows[n]);
		read(&c, &rows[n++]);
	}
	fclose(f);
	return n;
}

size_t
accuracy_finetune_memory(const char *top, struct finetune_row *rows, size_t max)
{
	const size_t n = read_file(top, "finetune_measured.tsv", "", read_measured, rows, max);

	return n + read_file(top, "published_2026.tsv", "peft-metamathqa", read_peft, rows + n,
	    max - n);
}

size_t
accuracy_finetune_steps(const char *top, struct finetune_row *rows, size_t max)
{
	return read_file(top, "mlperf_training.tsv", "lora r16", read_step, rows, max);
}

double
accuracy_finetune_error(const struct finetune_row *rows, size_t count, const char *group,
    double share, size_t *n)
{
	double errors[FINETUNE_ROWS_MAX];

	*n = 0;
	for (size_t i = 0; i < count && *n < FINETUNE_ROWS_MAX; i++)
		if (rows[i].complete && rows[i].estimated > 0 &&
		    strncmp(rows[i].group, group, strlen(group)) == 0)
			errors[(*n)++] = fabs(rows[i].estimated / rows[i].measured - 1);
	if (*n == 0)
		return 0;
	qsort(errors, *n, sizeof *errors, ascending);
	return errors[(size_t)(share * (double)(*n - 1) + 0.5)];
}

static void
print_groups(FILE *out, const struct finetune_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *group = rows[i].group;
		size_t before = 0, n;

		while (before < i && strcmp(rows[before].group, group) != 0)
			before++;
		if (before < i)
			continue;
		const double median = accuracy_finetune_error(rows, count, group, 0.5, &n);

		if (n > 0)
			fprintf(out, "%-30s %5zu %8.2f %8.2f\n", group, n, median * 100,
			    accuracy_finetune_error(rows, count, group, 0.9, &n) * 100);
	}
}

static void
print_rows(FILE *out, const struct finetune_row *rows, size_t count, const char *unit)
{
	size_t n;
	const double median = accuracy_finetune_error(rows, count, "", 0.5, &n);

	fprintf(out, "%-30s %5s %8s %8s\n", "complete rows", "rows", "median %", "p90 %");
	print_groups(out, rows, count);
	fprintf(out, "%-30s %5zu %8.2f %8.2f\n\n", "all", n, median * 100,
	    accuracy_finetune_error(rows, count, "", 0.9, &n) * 100);
	fprintf(out, "%-78s %10s %10s %8s\n", "row", "measured", "estimated", "error %");
	for (size_t i = 0; i < count; i++)
		if (rows[i].complete && rows[i].estimated > 0)
			fprintf(out, "%-78.78s %6.2f %s %6.2f %s %+8.1f\n", rows[i].what,
			    rows[i].measured, unit, rows[i].estimated, unit,
			    (rows[i].estimated / rows[i].measured - 1) * 100);
}

void
accuracy_finetune(FILE *out, const char *top)
{
	static struct finetune_row rows[FINETUNE_ROWS_MAX];
	size_t n = accuracy_finetune_memory(top, rows, FINETUNE_ROWS_MAX);

	fprintf(out, "\nmemory of fine-tuning against measured runs\n\n");
	print_rows(out, rows, n, "GiB");
	n = accuracy_finetune_steps(top, rows, FINETUNE_ROWS_MAX);
	fprintf(out, "\nstep time of LoRA against MLPerf training results\n\n");
	print_rows(out, rows, n, "s");
}
