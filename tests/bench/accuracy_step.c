/*
 * accuracy_step.c - estimate every published training run that a plan can express.
 *
 * A row says what was run; what it leaves open is assumed (sequence parallelism with TP,
 * no recompute, one chunk a rank) and the row then counts as partly described. No row is
 * calibrated.
 */
#include "accuracy_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/calibration.h"
#include "core/check.h"
#include "core/field.h"
#include "core/layout.h"
#include "core/stage.h"
#include "core/steptime.h"

enum { COLUMNS_MAX = 48, LINE_SIZE = 4096, ROWS_MAX = 512 };

/* ---- the table -------------------------------------------------------------------- */

struct row {
	char text[LINE_SIZE];
	const char *cell[COLUMNS_MAX];
};

struct table {
	struct row head, row;
	int columns;
};

static int
split(struct row *r)
{
	int n = 0;

	r->text[strcspn(r->text, "\r\n")] = '\0';
	for (char *c = r->text; c != NULL && n < COLUMNS_MAX; n++) {
		char *tab = strchr(c, '\t');

		if (tab != NULL)
			*tab++ = '\0';
		r->cell[n] = c;
		c = tab;
	}
	return n;
}

static const char *
cell(const struct table *t, const char *name)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->head.cell[i], name) == 0)
			return t->row.cell[i] != NULL ? t->row.cell[i] : "";
	return "";
}

static double
number(const struct table *t, const char *name)
{
	return strtod(cell(t, name), NULL);
}

static bool
has(const struct table *t, const char *name, const char *part)
{
	return strstr(cell(t, name), part) != NULL;
}

static bool
starts(const struct table *t, const char *name, const char *part)
{
	return strncmp(cell(t, name), part, strlen(part)) == 0;
}

/* ---- from a row to a plan --------------------------------------------------------- */

struct setting {
	const char *key, *values; /* where a cell starts with key: PATH=VALUE, blanks between */
};

#define H100_RATES "cluster.bf16_tflops=989 cluster.fp8_tflops=1979 cluster.nvlink_gbps=450 " \
	"cluster.pcie_gbps=64 cluster.nics_per_node=8 cluster.nic_gbps=400 "
#define A100_RATES "cluster.bf16_tflops=312 cluster.nvlink_gbps=300 cluster.pcie_gbps=32 " \
	"cluster.nics_per_node=8 cluster.nic_gbps=200 "
#define B200_RATES "cluster.bf16_tflops=2250 cluster.fp8_tflops=4500 cluster.hbm_gbps=7700 " \
	"cluster.nvlink_gbps=900 cluster.pcie_gbps=64 cluster.nics_per_node=8 " \
	"cluster.nic_gbps=400 "
#define GB200_RATES "cluster.bf16_tflops=2500 cluster.fp8_tflops=5000 cluster.hbm_gbps=8000 " \
	"cluster.nvlink_gbps=900 cluster.nvlink_domain=72 cluster.nics_per_node=4 "

static const struct setting gpus[] = {
	{ "A100-40GB", "cluster.gpu=a100-sxm4-40gb cluster.hbm_gbps=1555 " A100_RATES },
	{ "A100", "cluster.gpu=a100-sxm4-80gb cluster.hbm_gbps=2039 " A100_RATES },
	/* torchtitan benchmarks/llama3_h100_202412_torchtitan.md: limited to 500 W of 700 */
	{ "H100-96GB-HBM2e 500W", "cluster.gpu=h100-sxm-80gb cluster.hbm_gbps=2400 "
	    "cluster.tdp_watts=700 cluster.gpu_power_watts=500 " H100_RATES },
	{ "H100-96GB-HBM2e", "cluster.gpu=h100-sxm-80gb cluster.hbm_gbps=2400 " H100_RATES },
	{ "H100", "cluster.gpu=h100-sxm-80gb cluster.hbm_gbps=3350 " H100_RATES },
	{ "B200", "cluster.gpu=b200-sxm-180gb " B200_RATES },
	{ "B300", "cluster.gpu=b300-sxm-288gb " B200_RATES "cluster.nic_gbps=800" },
	{ "GB200", "cluster.gpu=gb200 " GB200_RATES "cluster.nic_gbps=400" },
	{ "GB300", "cluster.gpu=gb300 " GB200_RATES "cluster.nic_gbps=800" },
	{ "V100", "cluster.gpu=v100-sxm2-32gb cluster.hbm_gbps=900 cluster.bf16_tflops=125 "
	    "cluster.nvlink_gbps=150 cluster.nics_per_node=4 cluster.nic_gbps=100" },
};

/* What the columns do not hold: MLA and experts (Hugging Face config.json of each). */
#define MLA "model.attention=mla model.kv_lora_rank=512 model.q_lora_rank=1536 " \
	"model.qk_nope_head_dim=128 model.qk_rope_head_dim=64 model.v_head_dim=128 "
static const struct setting models[] = {
	{ "DeepSeekV3", MLA "model.moe_ffn_hidden_size=2048 model.ffn_hidden_size=18432 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=3 model.mtp_layers=1" },
	{ "deepseekv3", MLA "model.moe_ffn_hidden_size=2048 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=1" },
	{ "deepseekv2", MLA "model.moe_ffn_hidden_size=1536 "
	    "model.shared_expert_ffn_hidden_size=3072 model.dense_layers=1" },
	{ "Qwen3_235B", "model.moe_ffn_hidden_size=1536" },
	{ "Qwen3_30B", "model.moe_ffn_hidden_size=768" },
	{ "GPT OSS 120B", "model.moe_ffn_hidden_size=2880 model.sliding_window=128 "
	    "model.global_layer_every=2" },
};

static const struct setting groups[] = {
	{ "simumax", "training.overlap_grad_reduce=false training.overlap_param_gather=false "
	    "training.moe_capacity_factor=1 parallel.cp_comm=a2a" },
	/* Composer's FSDPConfig: backward_prefetch is BACKWARD_POST */
	{ "llmfoundry", "parallel.layout=torchtitan training.grad_dtype=bf16 "
	    "training.overlap_param_gather=false" },
	{ "torchtitan", "parallel.layout=torchtitan parallel.cp_comm=allgather" },
	/* interleaved, a chunk one layer: the first and last lose theirs (arXiv 2407.21783, 3.3.2) */
	{ "llama3-405b", "parallel.layout=torchtitan parallel.vpp=8" },
	{ "nanotron", "parallel.layout=nanotron training.overlap_param_gather=false" },
	{ "narayanan21", "training.flash_attention=false training.overlap_grad_reduce=false" },
	{ "korthikanti22", "training.flash_attention=false training.overlap_grad_reduce=false" },
	{ "mtnlg", "training.flash_attention=false training.overlap_grad_reduce=false" },
	{ "megatron20", "training.flash_attention=false training.overlap_grad_reduce=false" },
};

static bool
put(struct plan *p, const char *path, const char *value)
{
	char err[256];
	const enum field_id f = field_by_path(path, strlen(path));

	if (f < FIELD_COUNT && field_parse(f, p, value, err, sizeof err))
		return true;
	fprintf(stderr, "accuracy_step: %s=%s: %s\n", path, value, err);
	return false;
}

static void
put_number(struct plan *p, const char *path, double value)
{
	char text[32];

	snprintf(text, sizeof text, "%.0f", value);
	put(p, path, text);
}

static bool
put_matching(struct plan *p, const struct setting *s, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		char list[512], *save = NULL;

		if (strncmp(name, s[i].key, strlen(s[i].key)) != 0)
			continue;
		snprintf(list, sizeof list, "%s", s[i].values);
		for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
			char *equals = strchr(w, '=');

			*equals = '\0';
			put(p, w, equals + 1);
		}
		return true;
	}
	return false;
}

static void
put_shape(struct plan *p, const struct table *t)
{
	static const struct {
		const char *column, *path;
	} shape[] = {
		{ "layers", "model.layers" }, { "hidden", "model.hidden_size" },
		{ "ffn", "model.ffn_hidden_size" }, { "heads", "model.attention_heads" },
		{ "kv_heads", "model.kv_heads" }, { "head_dim", "model.head_dim" },
		{ "vocab", "model.vocab_size" }, { "glu", "model.gated_mlp" },
		{ "tp", "parallel.tp" }, { "pp", "parallel.pp" }, { "cp", "parallel.cp" },
		{ "ep", "parallel.ep" }, { "seq", "training.sequence_length" },
		{ "gbs", "training.global_batch_size" },
	};

	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
		if (number(t, shape[i].column) > 0)
			put_number(p, shape[i].path, number(t, shape[i].column));
	if (number(t, "experts") > 0) {
		put_number(p, "model.experts", number(t, "experts"));
		put_number(p, "model.experts_per_token", number(t, "topk"));
		put(p, "parallel.etp", "1");
	}
	put(p, "model.gated_mlp", number(t, "glu") > 0 ? "true" : "false");
	put_matching(p, models, sizeof models / sizeof *models, cell(t, "model"));
}

static void
put_training(struct plan *p, const struct table *t)
{
	const char *precision = cell(t, "precision");
	bool fp8 = strstr(precision, "fp8") != NULL || strstr(precision, "FP8") != NULL ||
	    strstr(precision, "float8") != NULL;

	/* Rowwise scaling of small layers made torchtitan no faster than bf16 (its issue 1207). */
	fp8 = fp8 && strstr(precision, "rowwise") == NULL;
	put(p, "training.precision", fp8 ? "fp8" : strstr(precision, "fp16") == precision ?
	    "fp16" : "bf16");
	if (starts(t, "recompute", "full"))
		put(p, "training.recompute", "full");
	else if (starts(t, "recompute", "selective AC")) {
		/* torchtitan drops every second layer or every second product */
		put(p, "training.recompute", "full");
		put(p, "training.recompute_method", "block");
		put_number(p, "training.recompute_layers",
		    ceil(number(t, "layers") / number(t, "pp") / 2));
	} else if (starts(t, "recompute", "selective"))
		put(p, "training.recompute", "selective");
	else if (has(t, "recompute", "norm")) {
		put(p, "training.recompute", "selective");
		put(p, "training.recompute_modules", has(t, "recompute", "moe") ?
		    "layernorm,moe" : "layernorm,moe_act");
	}
	if (has(t, "precision", "AsyncTP") || has(t, "notes", "AsyncTP") ||
	    has(t, "notes", "async TP") || starts(t, "group", "nemo") ||
	    starts(t, "group", "mcore"))
		put(p, "training.tp_overlap", "true");
	if (has(t, "notes", "a2a overlap"))
		put(p, "training.moe_overlap", "true");
}

/* As many layers on every chunk as the first, the rest with MTP and loss on the last one
 * (Megatron-Bridge and NeMo, recipes of DeepSeek-V3). */
static void
put_deepseek_layout(struct plan *p, const struct table *t)
{
	const int chunks = (int)(number(t, "pp") * fmax(1, number(t, "vp")));
	const int layers = (int)number(t, "layers"), each = (layers + chunks - 1) / chunks;
	const int rest = layers - each * (chunks - 1);
	char text[64];

	if (chunks <= 2 || rest <= 0)
		return;
	snprintf(text, sizeof text, "Et*%d|(t*%d|)*%d,t*%dmL", each, each, chunks - 2, rest);
	put(p, "parallel.pipeline_layout", text);
	put(p, "parallel.vpp", "1"); /* the layout says it */
	if (starts(t, "gpu", "B200")) { /* scripts/performance/configs/deepseek, FP8_MX_V2 */
		put(p, "training.moe_overlap", "true");
		put(p, "training.recompute", "selective");
		put(p, "training.recompute_modules", "mla_up_proj,mlp");
	}
}

static void
put_parallel(struct plan *p, const struct table *t)
{
	const char *zero = cell(t, "zero"), *mbs = cell(t, "mbs");
	int batch;

	put_number(p, "cluster.gpus_per_node", number(t, "gpus_per_node"));
	if (number(t, "n_gpus") >= number(t, "gpus_per_node"))
		put_number(p, "cluster.nodes", number(t, "n_gpus") / number(t, "gpus_per_node"));
	else
		put_number(p, "cluster.gpus_per_node", number(t, "n_gpus"));
	if (number(t, "vp") > 1)
		put_number(p, "parallel.vpp", number(t, "vp"));
	if (strcmp(cell(t, "sp"), "n/s") != 0)
		put(p, "parallel.sequence_parallel", number(t, "sp") > 0 &&
		    number(t, "tp") > 1 ? "true" : "false");
	if (strncmp(zero, "3", 1) == 0 || strncmp(zero, "FSDP", 4) == 0)
		put(p, "parallel.zero_stage", "3");
	else if (strcmp(zero, "0") == 0)
		put(p, "parallel.zero_stage", "0");
	if (number(t, "mbs") > 0)
		put_number(p, "training.micro_batch_size", strtod(mbs, NULL));
	else if (sscanf(mbs, "local batch %d", &batch) == 1)
		/* cut into as many micro-batches as there are ranks (torchtitan of 2024,
		 * torchtitan/parallelisms/pipelining_utils.py) */
		put_number(p, "training.micro_batch_size", fmax(1, batch / number(t, "pp")));
	if (has(t, "notes", "Interleaved") && number(t, "vp") <= 0)
		put(p, "parallel.vpp", "2");
	if (starts(t, "model", "DeepSeekV3")) {
		put_deepseek_layout(p, t);
	} else if (fmod(number(t, "layers"), number(t, "pp") * fmax(1, number(t, "vp"))) > 0 &&
	    !starts(t, "group", "torchtitan")) {
		/* 126 and 94 layers: embedding and loss count as one each (NeMo recipes) */
		put(p, "parallel.account_for_embedding", "true");
		put(p, "parallel.account_for_loss", "true");
	}
}

/* Rows whose cells do not say everything: assumed as the heading tells. */
static bool
fully_described(const struct table *t)
{
	static const char *const columns[] = { "recompute", "mbs", "zero", "sp", "vp" };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const bool open = starts(t, columns[i], "n/s");

		if (strcmp(columns[i], "sp") == 0 && number(t, "tp") <= 1)
			continue;
		if (strcmp(columns[i], "vp") == 0 && number(t, "pp") <= 1)
			continue;
		if (open && !has(t, columns[i], "distopt"))
			return false;
	}
	return true;
}

/* Why no plan can express a row, or NULL. */
static const char *
inexpressible(const struct table *t)
{
	if (has(t, "precision", "FP4"))
		return "4-bit training";
	if (starts(t, "model", "Nemotron_3"))
		return "Mamba hybrid";
	if (starts(t, "group", "megascale"))
		return "changed optimizer and attention (LAMB, parallel block)";
	if (starts(t, "group", "narayanan21-t2") && starts(t, "zero", "3"))
		return "DeepSpeed of 2021, which gathered parameters without prefetch";
	if (number(t, "gbs") <= 0 || number(t, "seq") <= 0)
		return "batch not stated";
	if (starts(t, "group", "nemo-longctx") && number(t, "tp") * number(t, "pp") *
	    number(t, "cp") * number(t, "dp") < number(t, "n_gpus") - 0.5)
		return "sizes do not multiply to the GPUs";
	return NULL;
}

static void
row_plan(struct plan *p, const struct table *t)
{
	plan_defaults(p);
	put_matching(p, gpus, sizeof gpus / sizeof *gpus, cell(t, "gpu"));
	put_shape(p, t);
	put_parallel(p, t);
	put_training(p, t);
	put_matching(p, groups, sizeof groups / sizeof *groups, cell(t, "group"));
	plan_resolve(p, NULL);
}

/* ---- measured and estimated ------------------------------------------------------- */

/* Seconds of a step as the row's first metric gives them. */
static double
measured(const struct plan *p, const struct table *t)
{
	const double tokens = number(t, "gbs") * number(t, "seq"), value = number(t, "value");
	const double count = number(t, "n_gpus");
	const bool causal = starts(t, "group", "moezoo") || starts(t, "group", "bridge");
	const double flops = flops_per_token(p, !causal) * tokens;

	if (has(t, "metric2", "iteration time"))
		return number(t, "value2");
	if (has(t, "metric", "iteration time"))
		return starts(t, "group", "simumax") || starts(t, "group", "megatron20") ?
		    value / 1e3 : value;
	if (has(t, "metric", "tokens/s/GPU"))
		return tokens / (value * count);
	if (has(t, "metric", "TFLOP/s"))
		return flops / (value * 1e12 * count);
	return flops / (value / 100 * p->cluster.bf16_tflops * 1e12 * count); /* MFU, % */
}

static double
estimated(const struct plan *p, struct traffic *traffic, const char **why)
{
	static struct placement placement;
	static struct diag_list diags;
	struct layout layout;
	int64_t m;

	*why = NULL;
	diag_clear(&diags);
	if (!layout_init(&layout, p, &diags) || !placement_init(&placement, p, &diags)) {
		*why = diags.item[0].message;
		return 0;
	}
	m = p->training.global_batch_size / (layout.dp * p->training.micro_batch_size);
	if (m < 1)
		*why = "fewer sequences than data parallel ranks";
	if (m < 1)
		return 0;
	return steptime_estimate(p, &layout, &placement, m, traffic, NULL).seconds;
}

/* ---- the scores ------------------------------------------------------------------- */

struct sample {
	char group[64], family[192]; /* family: source, model, GPU and precision */
	bool full;
	double error, real;
	struct plan plan;
};

static int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
score(struct step_score *s, double *errors, size_t n)
{
	s->rows = n;
	if (n == 0)
		return;
	qsort(errors, n, sizeof *errors, ascending);
	s->bias = n % 2 != 0 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
	for (size_t i = 0; i < n; i++)
		errors[i] = fabs(errors[i]);
	qsort(errors, n, sizeof *errors, ascending);
	s->median = n % 2 != 0 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
	s->ninety = errors[(size_t)ceil(0.9 * (double)n) - 1];
	s->worst = errors[n - 1];
}

/* which: the rows of a group, or NULL for all; full: of those described in full or not. */
static void
collect(struct step_score *s, const struct sample *samples, size_t n, const char *group,
    bool full)
{
	double errors[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].full == full &&
		    (group == NULL || strcmp(samples[i].group, group) == 0))
			errors[count++] = samples[i].error;
	snprintf(s->group, sizeof s->group, "%s", group != NULL ? group : "all");
	score(s, errors, count);
}

static void
print_score(FILE *out, const struct step_score *s, const char *note)
{
	if (out != NULL && s->rows > 0)
		fprintf(out, "%-26s %4zu %8.1f %8.1f %8.1f %+8.1f %s\n", s->group, s->rows,
		    100 * s->median, 100 * s->ninety, 100 * s->worst, 100 * s->bias, note);
}

static void
summarise(struct step_accuracy *a, const struct sample *samples, size_t n, FILE *out)
{
	if (out != NULL)
		fprintf(out, "\nStep time, error in %%, nothing calibrated\n"
		    "%-26s %4s %8s %8s %8s %8s\n", "group", "rows", "median", "90 %", "worst", "bias");
	for (int full = 1; full >= 0; full--) {
		for (size_t i = 0; i < n; i++) {
			bool seen = samples[i].full != (full == 1);

			for (size_t j = 0; j < i && !seen; j++)
				seen = samples[j].full == samples[i].full &&
				    strcmp(samples[j].group, samples[i].group) == 0;
			if (seen || a->groups == STEP_GROUPS_MAX)
				continue;
			collect(&a->group[a->groups], samples, n, samples[i].group, full == 1);
			print_score(out, &a->group[a->groups++], full ? "" : "partly described");
		}
		collect(full ? &a->full : &a->partial, samples, n, NULL, full == 1);
		print_score(out, full ? &a->full : &a->partial,
		    full ? "described in full" : "partly described");
	}
}

/* ---- calibrated with one other row --------------------------------------------------- */

static double
trial_seconds(const struct plan *p, void *context)
{
	struct traffic traffic;
	const char *why;

	(void)context;
	return estimated(p, &traffic, &why);
}

/* Each row of a family is the measured point once, and all others of it are estimated with
 * the efficiency that it gives: errors of all pairs. */
static void
calibrated(struct step_accuracy *a, const struct sample *samples, size_t n, FILE *out)
{
	enum { PAIRS_MAX = 2048 };
	static double errors[PAIRS_MAX];
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++) {
		double efficiency = NAN;

		for (size_t j = 0; j < n && pairs < PAIRS_MAX; j++) {
			struct plan p = samples[j].plan;

			if (j == i || strcmp(samples[i].family, samples[j].family) != 0)
				continue;
			if (isnan(efficiency))
				efficiency = calibration_efficiency(&samples[i].plan, 0.01, 10,
				    samples[i].real, trial_seconds, NULL);
			if (isnan(efficiency))
				break;
			p.calibration.compute_efficiency = efficiency;
			errors[pairs++] = trial_seconds(&p, NULL) / samples[j].real - 1;
			if (out != NULL && getenv("PAIRS") != NULL)
				fprintf(out, "pair %-60s %5.3f %+6.1f%%\n", samples[i].family, efficiency,
				    100 * errors[pairs - 1]);
		}
	}
	snprintf(a->calibrated.group, sizeof a->calibrated.group, "all");
	score(&a->calibrated, errors, pairs);
	print_score(out, &a->calibrated, "pairs: calibrated with one other row of the model");
}

static void
take_row(struct step_accuracy *a, const struct table *t, FILE *out, struct sample *samples,
    size_t *n)
{
	const char *why = inexpressible(t);
	struct traffic traffic;
	struct plan p;
	double real, guess = 0;

	if (why == NULL) {
		row_plan(&p, t);
		guess = estimated(&p, &traffic, &why);
	}
	if (why != NULL || guess <= 0) {
		a->left_out++;
		if (out != NULL)
			fprintf(out, "%s %s %s: left out: %s\n", cell(t, "id"), cell(t, "group"),
			    cell(t, "model"), why != NULL ? why : "no estimate");
		return;
	}
	real = measured(&p, t);
	snprintf(samples[*n].group, sizeof samples[*n].group, "%s", cell(t, "group"));
	snprintf(samples[*n].family, sizeof samples[*n].family, "%s %s %s %s", cell(t, "group"),
	    cell(t, "model"), cell(t, "gpu"), cell(t, "precision"));
	samples[*n].full = fully_described(t);
	samples[*n].plan = p;
	samples[*n].real = real;
	samples[(*n)++].error = guess / real - 1;
	if (out != NULL && getenv("ROWS") != NULL)
		fprintf(out, "%s %-20.20s %-16.16s n%s tp%s pp%s cp%s ep%s s%s %-10.10s "
		    "%8.3f %8.3f %+6.1f%%\n",
		    cell(t, "id"), cell(t, "group"), cell(t, "model"), cell(t, "n_gpus"),
		    cell(t, "tp"), cell(t, "pp"), cell(t, "cp"), cell(t, "ep"), cell(t, "seq"),
		    cell(t, "precision"), real, guess, 100 * (guess / real - 1));
}

bool
accuracy_step_score(struct step_accuracy *a, FILE *out, const char *top)
{
	static struct sample samples[ROWS_MAX];
	static struct table t;
	char path[1024];
	size_t n = 0;
	FILE *in;

	memset(a, 0, sizeof *a);
	snprintf(path, sizeof path, "%s/tests/data/published.tsv", top);
	in = fopen(path, "r");
	if (in == NULL)
		return false;
	if (fgets(t.head.text, sizeof t.head.text, in) != NULL)
		t.columns = split(&t.head);
	while (n < ROWS_MAX && fgets(t.row.text, sizeof t.row.text, in) != NULL) {
		memset(t.row.cell, 0, sizeof t.row.cell);
		split(&t.row);
		take_row(a, &t, out, samples, &n);
	}
	fclose(in);
	summarise(a, samples, n, out);
	calibrated(a, samples, n, out);
	return n > 0;
}

void
accuracy_step(FILE *out, const char *top)
{
	static struct step_accuracy a;

	if (!accuracy_step_score(&a, out, top))
		fprintf(out, "no %s/tests/data/published.tsv\n", top);
}
