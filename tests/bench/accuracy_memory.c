/*
 * accuracy_memory.c - estimates of training memory against measurements of real runs.
 *
 * tests/data/memory_measured.tsv holds what public logs, papers and golden values of test
 * suites state: shape, sizes and switches of a run as key=value words, and the memory that
 * was measured. Each row becomes a plan; nothing is fitted to it. memory_2026.tsv has runs of
 * 2026 with the plan as settings.
 */
#include "accuracy_memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"

#define MIB 1048576.0

enum { COLUMNS = 16, LINE_SIZE = 4096, ROWS_MAX = 1024 };
enum column {
	ID, GROUP, FRAMEWORK, SOURCE, GPU, STAGE, METRIC, MEASURED, WHEN, COMPLETE, SHAPE,
	PARALLEL, PRECISION, RUN, LAYERS_OF_STAGE, MOE_LAYERS
};

struct words {
	char *cell[COLUMNS];
};

/* ---- a row as a plan ----------------------------------------------------------------- */

/* Value of `key` in "a=1 b=2", or NULL. */
static const char *
value_of(const char *words, const char *key)
{
	const size_t n = strlen(key);

	for (const char *at = words; (at = strstr(at, key)) != NULL; at += n)
		if ((at == words || at[-1] == ' ') && at[n] == '=')
			return at + n + 1;
	return NULL;
}

static int64_t
number(const struct words *w, const char *key, int64_t otherwise)
{
	static const int columns[] = { SHAPE, PARALLEL, RUN };

	for (size_t i = 0; i < 3; i++) {
		const char *v = value_of(w->cell[columns[i]], key);

		if (v != NULL && isdigit((unsigned char)*v))
			return strtoll(v, NULL, 10);
	}
	return otherwise;
}

/* True when key=value is there with this very value. */
static bool
is(const struct words *w, const char *key, const char *value)
{
	const size_t n = strlen(value);
	const char *v = value_of(w->cell[RUN], key);

	return v != NULL && strncmp(v, value, n) == 0 && (v[n] == ' ' || v[n] == '\0');
}

static void
put_gpu(struct plan *p, const char *gpu)
{
	p->cluster.generation = gpu[0] == 'H' ? GENERATION_HOPPER :
	    gpu[0] == 'B' || gpu[0] == 'G' ? GENERATION_BLACKWELL : GENERATION_AMPERE;
}

static void
put_shape(struct plan *p, const struct words *w)
{
	struct model *m = &p->model;

	m->layers = number(w, "L", 0);
	m->hidden_size = number(w, "h", 0);
	m->attention_heads = number(w, "n", 0);
	m->kv_heads = number(w, "k", m->attention_heads);
	m->head_dim = number(w, "d", 0);
	m->ffn_hidden_size = number(w, "f", 0);
	m->vocab_size = number(w, "V", 0);
	m->vocab_multiple = number(w, "vocab_mult", 128);
	m->gated_mlp = number(w, "gated", 1);
	m->linear_bias = number(w, "bias", 0);
	m->qkv_bias = number(w, "qkv_bias", 0);
	m->norm = number(w, "norm", 1) == 2 ? NORM_LAYER : NORM_RMS;
	m->qk_norm = number(w, "qk_norm", 0);
	m->tied_embeddings = number(w, "tied", 0);
	m->max_position = number(w, "max_pos", 0);
	m->position = m->max_position > 0 ? POSITION_LEARNED : POSITION_ROPE;
	m->mtp_layers = number(w, "mtp", 0);
	m->experts = number(w, "E", 0);
	m->experts_per_token = number(w, "topk", 1);
	m->moe_ffn_hidden_size = number(w, "fe", 0);
	m->shared_expert_ffn_hidden_size = number(w, "fs", 0);
	m->attention = number(w, "mla", 0) ? ATTENTION_MLA : ATTENTION_MHA;
	m->q_lora_rank = number(w, "ql", 0);
	m->kv_lora_rank = number(w, "kl", 0);
	m->qk_nope_head_dim = number(w, "dqk", 0);
	m->qk_rope_head_dim = number(w, "drope", 0);
	m->v_head_dim = m->attention == ATTENTION_MLA ? number(w, "dv", 0) : 0;
	m->dense_layers = (int64_t)strspn(w->cell[MOE_LAYERS], "0");
}

static void
put_parallel(struct plan *p, const struct words *w)
{
	struct parallel *par = &p->parallel;

	p->cluster.nodes = 1;
	p->cluster.gpus_per_node = number(w, "world", 1);
	par->tp = number(w, "tp", 1);
	par->sequence_parallel = number(w, "sp", 0);
	par->cp = number(w, "cp", 1);
	par->ep = number(w, "ep", 1);
	par->etp = number(w, "etp", 1);
	par->pp = number(w, "pp", 1);
	par->vpp = number(w, "vpp", 1);
	par->zero_stage = number(w, "zero", 1);
	par->cp_comm = is(w, "cp_comm", "a2a") ? CP_COMM_A2A : CP_COMM_P2P;
	if (strcmp(w->cell[FRAMEWORK], "torchtitan") == 0) {
		par->layout = LAYOUT_TORCHTITAN;
		par->zero_stage = 3;
	} else if (strcmp(w->cell[FRAMEWORK], "nanotron") == 0) {
		par->layout = LAYOUT_NANOTRON;
	}
}

static bool
is_fp8(const struct words *w)
{
	return strcmp(w->cell[COMPLETE], "special: fp8") == 0;
}

/* Whether the model_config.yaml of a functional test has --moe-grouped-gemm, by its name. */
static bool
is_grouped(const char *test)
{
	return strstr(test, "experts2parallel") == NULL || strstr(test, "groupedGEMM") != NULL ||
	    strstr(test, "top2router") != NULL || strstr(test, "ddp_average") != NULL;
}

/* Settings that the cells do not say: of functional tests the loader makes masks unless told. */
static void
put_launch(struct plan *p, const char *framework, const char *test)
{
	char err[128];

	field_put_int(FIELD_PARAM_REMAINDERS, p, strcmp(framework, "Megatron-Bridge") != 0, err, sizeof err);
	if (strcmp(framework, "Megatron-core CI") != 0)
		return;
	field_put_int(FIELD_LOADER_MASK, p, strstr(test, "no_create_attention_mask") == NULL, err,
	    sizeof err);
	field_put_int(FIELD_GROUPED_GEMM, p, is_grouped(test), err, sizeof err);
}

static void
put_training(struct plan *p, const struct words *w)
{
	struct training *t = &p->training;

	t->sequence_length = number(w, "s", 0);
	t->micro_batch_size = number(w, "b", 1);
	t->precision = is_fp8(w) ? PRECISION_FP8 :
	    strncmp(w->cell[PRECISION], "4/", 2) == 0 ? PRECISION_FP32 : PRECISION_BF16;
	t->fp8_param_gather = strstr(w->cell[GROUP], "native_fp8") != NULL;
	t->tp_overlap = strstr(w->cell[GROUP], "tp_overlap") != NULL;
	t->flash_attention = number(w, "flash", 1);
	t->hidden_dropout = number(w, "hid_drop", 0) ? 0.1 : 0;
	t->attention_dropout = number(w, "att_drop", 0) ? 0.1 : 0;
	t->cross_entropy = is(w, "ce", "te") ? CE_TE :
	    is(w, "ce", "native") ? CE_NATIVE : CE_UNFUSED;
	if (p->parallel.layout == LAYOUT_TORCHTITAN)
		t->cross_entropy = CE_TORCH;
	t->gradient_accumulation_fusion = number(w, "te_dummy_wgrad", 0);
	put_launch(p, w->cell[FRAMEWORK], w->cell[GROUP]);
	t->schedule = is(w, "sched", "zb-1p") ? SCHEDULE_ZB_1P :
	    is(w, "sched", "zb-2p") ? SCHEDULE_ZB_2P : SCHEDULE_1F1B;
	t->recompute_layers = number(w, "rc_n", 1);
	if (is(w, "rc", "uniform") || is(w, "rc", "block") || strstr(w->cell[RUN], "full AC")) {
		t->recompute = RECOMPUTE_FULL;
		t->recompute_method = is(w, "rc", "block") ? RECOMPUTE_BLOCK : RECOMPUTE_UNIFORM;
	} else if (is(w, "rc", "selective") || strstr(w->cell[RUN], "(op)") != NULL) {
		const char *list = value_of(w->cell[RUN], "rc_modules");

		t->recompute = RECOMPUTE_SELECTIVE;
		if (list != NULL)
			snprintf(t->recompute_modules, sizeof t->recompute_modules, "%.*s",
			    (int)strcspn(list, " "), list);
	}
}

/* Layers of each stage, "7+8+8+7": even, or with a first and last of their own. */
static void
put_stages(struct plan *p, const char *cell)
{
	int64_t layers[64];
	size_t n = 0;
	char err[128];

	for (const char *at = cell; *at != '\0' && n < 64; n++) {
		char *end;

		layers[n] = strtoll(at, &end, 10);
		if (end == at)
			break;
		at = *end == '+' ? end + 1 : end;
	}
	if (n < 3)
		return;
	/* embedding and loss stand for a layer each */
	if (layers[0] == layers[1] - 1 && layers[n - 1] == layers[1] - 1) {
		p->parallel.account_for_embedding = p->parallel.account_for_loss = 1;
		return;
	}
	if (layers[0] != layers[1])
		field_put_int(FIELD_FIRST_STAGE_LAYERS, p, layers[0], err, sizeof err);
	if (layers[n - 1] != layers[1])
		field_put_int(FIELD_LAST_STAGE_LAYERS, p, layers[n - 1], err, sizeof err);
}

/* Why no plan says what this row measured, or NULL. */
static const char *
inexpressible(const struct words *w)
{
	const char *run = w->cell[RUN], *metric = w->cell[METRIC], *complete = w->cell[COMPLETE];

	if (strncmp(complete, "no:", 3) == 0 || (strncmp(complete, "special:", 8) == 0 && !is_fp8(w)))
		return complete;
	if (number(w, "h", 0) <= 0 || number(w, "s", 0) <= 0)
		return "shape or sequence length unknown";
	if (is(w, "dispatch_probs", "0"))
		return "older Megatron: expert outputs are kept for their probabilities";
	if (strstr(w->cell[PARALLEL], "stage 1 on") != NULL)
		return "pipeline of unlike GPUs with a split of its own";
	if (strstr(run, "compile") != NULL)
		return "torch.compile";
	if (strncmp(metric, "nvidia-smi", 10) == 0 && strcmp(complete, "yes") != 0)
		return "shape unknown";
	return NULL;
}

/* ---- estimate ------------------------------------------------------------------------ */

/* Bytes that stay after a step. */
static double
persistent(const struct memory *m, const struct ledger *l)
{
	double sum = m->parameters + m->gradients + m->optimizer;

	for (size_t i = 0; i < l->count; i++)
		if (l->term[i].quantity == QUANTITY_BUFFERS &&
		    (strncmp(l->term[i].name, "workspace", 9) == 0 ||
		        strncmp(l->term[i].name, "dummy", 5) == 0))
			sum += l->term[i].value;
	return sum;
}

static double
moments(const struct ledger *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->count; i++)
		if (l->term[i].quantity == QUANTITY_OPTIMIZER &&
		    strncmp(l->term[i].name, "optimizer moments", 17) == 0)
			sum += l->term[i].value;
	return sum;
}

/* Adam's moments come with the first step: until then its peak is without them. */
static double
by_metric(const struct words *w, const struct memory *m, const struct ledger *l)
{
	const double state = persistent(m, l);
	double peak = m->allocated;

	if (strcmp(w->cell[WHEN], "iteration 1") == 0)
		peak = fmax(peak - moments(l), state);
	if (strcmp(w->cell[METRIC], "max_allocated") == 0)
		return peak;
	if (strncmp(w->cell[METRIC], "allocated", 9) == 0)
		return state;
	if (strcmp(w->cell[METRIC], "max_reserved") == 0)
		return peak + 0.04 * m->allocated; /* the usual fragmentation */
	return m->total;
}

static bool
estimate_row(const struct words *w, struct accuracy_row *row)
{
	static struct placement placement;
	static struct layout layout;
	static struct plan p;
	static struct ledger_term terms[512];
	struct diag_list diags = { .count = 0 };
	const bool all = !isdigit((unsigned char)w->cell[STAGE][0]);
	const int64_t only = strtoll(w->cell[STAGE], NULL, 10);

	plan_defaults(&p);
	put_gpu(&p, w->cell[GPU]);
	put_shape(&p, w);
	put_parallel(&p, w);
	put_training(&p, w);
	put_stages(&p, w->cell[LAYERS_OF_STAGE]);
	if (!layout_init(&layout, &p, &diags) || !placement_init(&placement, &p, &diags)) {
		snprintf(row->reason, sizeof row->reason, "%.120s",
		    diags.count > 0 ? diags.item[0].message : "no layout");
		return false;
	}
	for (int64_t s = all ? 0 : only; s < (all ? p.parallel.pp : only + 1); s++) {
		struct ledger ledger;
		struct memory m;
		double bytes;

		ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
		m = memory_stage(&p, &layout, &placement, number(w, "m", 0), s, &ledger);
		bytes = by_metric(w, &m, &ledger);
		row->estimated = fmax(row->estimated, bytes / MIB);
		row->error = fmax(row->error, (m.high - m.allocated - m.overhead_high) / MIB);
	}
	return true;
}

/* ---- the table ------------------------------------------------------------------------ */

static void
read_row(const struct words *w, struct accuracy_row *row)
{
	const char *reason = inexpressible(w);

	memset(row, 0, sizeof *row);
	snprintf(row->id, sizeof row->id, "%.15s", w->cell[ID]);
	snprintf(row->group, sizeof row->group, "%.127s", w->cell[GROUP]);
	snprintf(row->metric, sizeof row->metric, "%.31s", w->cell[METRIC]);
	row->complete = strncmp(w->cell[COMPLETE], "yes", 3) == 0;
	row->measured = strtod(w->cell[MEASURED], NULL);
	if (reason != NULL)
		snprintf(row->reason, sizeof row->reason, "%.127s", reason);
	else
		row->expressible = estimate_row(w, row);
}

size_t
accuracy_memory_read(const char *top, struct accuracy_row *rows, size_t max)
{
	char line[LINE_SIZE], path[LINE_SIZE];
	struct words w;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/data/memory_measured.tsv", top);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fgets(line, sizeof line, f) != NULL)
		while (n < max && fgets(line, sizeof line, f) != NULL)
			if (accuracy_cells(line, w.cell, COLUMNS) == COLUMNS)
				read_row(&w, &rows[n++]);
	fclose(f);
	return n;
}

/* ---- runs of 2026 --------------------------------------------------------------------- */

enum later { L_ID, L_GROUP, L_FRAMEWORK, L_GPU, L_STAGE, L_METRIC, L_MEASURED, L_SETTINGS, L_SOURCE,
	L_NOTE, L_COLUMNS };

/* Where routing decides how many tokens an expert has, the source does not state it all. */
static void
read_later(char *const *cell, const struct accuracy_catalogs *c, struct accuracy_row *row)
{
	static struct estimate e;
	const int64_t stage = strtoll(cell[L_STAGE], NULL, 10);
	static struct plan p;

	memset(row, 0, sizeof *row);
	snprintf(row->id, sizeof row->id, "%.15s", cell[L_ID]);
	snprintf(row->group, sizeof row->group, "%.127s", cell[L_GROUP]);
	snprintf(row->metric, sizeof row->metric, "%.31s", cell[L_METRIC]);
	row->complete = strstr(cell[L_NOTE], "routing decides") == NULL;
	row->measured = strtod(cell[L_MEASURED], NULL);
	plan_defaults(&p);
	if (!accuracy_put_settings(&p, cell[L_SETTINGS], c)) {
		snprintf(row->reason, sizeof row->reason, "a setting that is none");
		return;
	}
	put_launch(&p, cell[L_FRAMEWORK], cell[L_GROUP]);
	plan_resolve(&p, NULL);
	estimate_run(&e, &p, NULL, NULL);
	row->expressible = e.stages > stage;
	if (row->expressible) {
		const struct memory *m = &e.stage[stage].memory;

		row->estimated = m->allocated / MIB;
		row->error = (m->high - m->allocated - m->overhead_high) / MIB;
	} else {
		snprintf(row->reason, sizeof row->reason, "%.120s",
		    e.diags.count > 0 ? e.diags.item[0].message : "no such stage");
	}
}

size_t
accuracy_memory_later(const char *top, struct accuracy_row *rows, size_t max)
{
	char line[LINE_SIZE], path[LINE_SIZE], *cell[L_COLUMNS];
	struct accuracy_catalogs c;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/data/memory_2026.tsv", top);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	config_init(&c.models);
	config_init(&c.gpus);
	if (accuracy_read_catalog(&c.models, top, "models.cfg") &&
	    accuracy_read_catalog(&c.gpus, top, "gpus.cfg") && fgets(line, sizeof line, f) != NULL)
		while (n < max && fgets(line, sizeof line, f) != NULL)
			if (accuracy_cells(line, cell, L_COLUMNS) == L_COLUMNS)
				read_later(cell, &c, &rows[n++]);
	config_destroy(&c.gpus);
	config_destroy(&c.models);
	fclose(f);
	return n;
}

/* ---- errors --------------------------------------------------------------------------- */

struct accuracy_errors
accuracy_memory_errors(const struct accuracy_row *rows, size_t n, const char *metric,
    const char *prefix, double least, bool complete)
{
	struct accuracy_errors e = { .rows = 0 };
	static double errors[ROWS_MAX];

	for (size_t i = 0; i < n && e.rows < ROWS_MAX; i++) {
		const struct accuracy_row *r = &rows[i];
		const double error = r->estimated / r->measured - 1;

		if (!r->expressible || r->measured < least || (complete && !r->complete) ||
		    strncmp(r->group, prefix, strlen(prefix)) != 0 ||
		    (metric != NULL && strcmp(r->metric, metric) != 0))
			continue;
		errors[e.rows++] = fabs(error);
		e.mean += error;
	}
	if (e.rows == 0)
		return e;
	qsort(errors, e.rows, sizeof *errors, ascending);
	e.mean /= (double)e.rows;
	e.median = errors[e.rows / 2];
	e.p90 = errors[e.rows * 9 / 10];
	e.worst = errors[e.rows - 1];
	return e;
}

static void
print_errors(FILE *out, const char *what, struct accuracy_errors e)
{
	if (e.rows > 0)
		fprintf(out, "%-46s %5zu %8.2f %8.2f %8.2f %+8.2f\n", what, e.rows, e.median * 100,
		    e.p90 * 100, e.worst * 100, e.mean * 100);
}

static void
print_groups(FILE *out, const struct accuracy_row *rows, size_t n)
{
	static const struct {
		const char *prefix, *name;
	} sources[] = {
		{ "simumax", "SimuMax, B200" }, { "ci-", "Megatron-LM functional tests" },
		{ "log-", "training logs" }, { "zb-", "zero bubble paper" },
		{ "tt-", "torchtitan" }, { "nanotron", "nanotron" },
	};
	static const char *const metrics[] = {
		"max_allocated", "allocated_after_step", "max_reserved", "nvidia-smi",
	};

	for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
		for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
			char what[ACCURACY_TEXT];

			snprintf(what, sizeof what, "%s, %s", sources[s].name, metrics[i]);
			print_errors(out, what,
			    accuracy_memory_errors(rows, n, metrics[i], sources[s].prefix, 0, false));
		}
}

static void
print_left_out(FILE *out, const struct accuracy_row *rows, size_t n)
{
	fprintf(out, "\nnot expressible as a plan:\n");
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		if (rows[i].expressible)
			continue;
		for (size_t j = 0; j < n; j++) {
			if (rows[j].expressible || strcmp(rows[i].reason, rows[j].reason) != 0)
				continue;
			if (j < i)
				break;
			same++;
		}
		if (same > 0)
			fprintf(out, "  %3zu rows from %s (%s): %s\n", same, rows[i].id, rows[i].group,
			    rows[i].reason);
	}
}

static void
print_later(FILE *out, const char *top)
{
	static struct accuracy_row rows[ROWS_MAX];
	const size_t n = accuracy_memory_later(top, rows, ROWS_MAX);

	fprintf(out, "\ntraining memory, runs of 2026 (memory_2026.tsv)\n");
	for (size_t i = 0; i < n; i++)
		if (rows[i].expressible)
			fprintf(out, "%-5s %-58.58s %9.1f %9.1f %+7.2f\n", rows[i].id, rows[i].group,
			    rows[i].measured, rows[i].estimated,
			    (rows[i].estimated / rows[i].measured - 1) * 100);
	print_errors(out, "complete", accuracy_memory_errors(rows, n, NULL, "", 0, true));
	print_errors(out, "all", accuracy_memory_errors(rows, n, NULL, "", 0, false));
	print_left_out(out, rows, n);
}

void
accuracy_memory(FILE *out, const char *top)
{
	static struct accuracy_row rows[ROWS_MAX];
	const size_t n = accuracy_memory_read(top, rows, ROWS_MAX);

	fprintf(out, "training memory: estimate against measurement, percent\n");
	fprintf(out, "%-46s %5s %8s %8s %8s %8s\n", "", "rows", "median", "90%", "worst", "bias");
	print_errors(out, "complete, max_allocated, above 8 GiB",
	    accuracy_memory_errors(rows, n, "max_allocated", "", 8192, true));
	print_errors(out, "complete, max_allocated",
	    accuracy_memory_errors(rows, n, "max_allocated", "", 0, true));
	print_errors(out, "complete, allocated_after_step",
	    accuracy_memory_errors(rows, n, "allocated_after_step", "", 0, true));
	print_groups(out, rows, n);
	print_left_out(out, rows, n);
	print_later(out, top);
}
