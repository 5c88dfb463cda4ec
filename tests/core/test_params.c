/*
 * test_params.c - parameter counts: every model of the catalogue against its published
 * total, and what one GPU holds against independently computed numbers.
 */
#include <math.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "core/model/params.h"
#include "core/plan/field.h"
#include "core/plan/pattern.h"
#include "../unit.h"
#include "expression.h"

static config_t catalogue;
static struct placement placement;

static const char *
top_file(const char *name)
{
	static char path[1024];
	const char *top = getenv("TOP");

	snprintf(path, sizeof path, "%s/%s", top != NULL ? top : ".", name);
	return path;
}

static int
open_catalogue(void **state)
{
	(void)state;
	config_init(&catalogue);
	if (config_read_file(&catalogue, top_file("share/models.cfg")) == CONFIG_TRUE)
		return 0;
	print_error("models.cfg:%d: %s\n", config_error_line(&catalogue),
	    config_error_text(&catalogue));
	return -1;
}

static int
close_catalogue(void **state)
{
	(void)state;
	config_destroy(&catalogue);
	return 0;
}

static const config_setting_t *
entry(const char *id)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");
	int i;

	for (i = 0; i < config_setting_length(list); i++) {
		const config_setting_t *e = config_setting_get_elem(list, (unsigned)i);
		const char *name = "";

		config_setting_lookup_string(e, "id", &name);
		if (strcmp(name, id) == 0)
			return e;
	}
	fail_msg("no model %s", id);
	return NULL;
}

static void
put(struct plan *p, const config_setting_t *s)
{
	char path[80], err[256] = "";
	enum field_id f;
	bool ok;
	int n = snprintf(path, sizeof path, "model.%s", config_setting_name(s));

	f = field_by_path(path, (size_t)n);
	if (f == FIELD_COUNT)
		fail_msg("no field %s", path);
	if (config_setting_type(s) == CONFIG_TYPE_STRING)
		ok = field_parse(f, p, config_setting_get_string(s), err, sizeof err);
	else if (config_setting_type(s) == CONFIG_TYPE_BOOL)
		ok = field_put_int(f, p, config_setting_get_bool(s), err, sizeof err);
	else
		ok = field_put_int(f, p, config_setting_get_int64(s), err, sizeof err);
	if (!ok)
		fail_msg("%s: %s", path, err);
}

static bool
is_model_key(const char *key)
{
	return strcmp(key, "id") != 0 && strcmp(key, "title") != 0 &&
	    strcmp(key, "source") != 0 && strcmp(key, "total_params") != 0 && strcmp(key, "published") != 0 &&
	    strcmp(key, "aliases") != 0 && strcmp(key, "checkpoint") != 0;
}

static void
load(struct plan *p, const char *id)
{
	const config_setting_t *e = entry(id);
	int i;

	plan_defaults(p);
	for (i = 0; i < config_setting_length(e); i++) {
		const config_setting_t *s = config_setting_get_elem(e, (unsigned)i);

		if (is_model_key(config_setting_name(s)))
			put(p, s);
	}
	pattern_settle(&p->model);
}

/* Layers as even as they go, rounded up, embedding first, loss and MTP last. */
static void
place(const struct plan *p)
{
	const int64_t pp = p->parallel.pp, per = (p->model.layers + pp - 1) / pp;
	int64_t s;

	memset(&placement, 0, sizeof placement);
	placement.pp = pp;
	placement.vpp = 1;
	for (s = 0; s < pp; s++) {
		const int64_t left = p->model.layers - s * per;

		placement.chunk[s].first = (int32_t)(s * per);
		placement.chunk[s].count = (int32_t)(left < per ? left : per);
	}
	placement.chunk[0].embedding = true;
	placement.chunk[pp - 1].loss = true;
	placement.chunk[pp - 1].mtp = (int32_t)p->model.mtp_layers;
}

static void
split(struct plan *p, int64_t tp, int64_t pp, int64_t ep, int64_t etp)
{
	p->parallel.tp = tp;
	p->parallel.pp = pp;
	p->parallel.ep = ep;
	p->parallel.etp = etp;
}

/* ---- whole models ------------------------------------------------------------------ */

static bool
totals_agree(const char *id, double total, double active, double mtp, double copies)
{
	static struct plan p;
	struct model_params n;

	load(&p, id);
	n = params_model(&p, NULL);
	if (mtp > 0 && n.mtp + copies * n.embedding != mtp) {
		print_error("%s: MTP %.0f, not %.0f\n", id, n.mtp + copies * n.embedding, mtp);
		return false;
	}
	if (n.total == total && n.active == active)
		return true;
	print_error("%s: %.0f (%.0f active), not %.0f (%.0f)\n", id, n.total, n.active, total,
	    active);
	return false;
}

TEST(test_published_totals)
{
	FILE *in = fopen(top_file("tests/data/models.tsv"), "r");
	char line[512], id[64];
	double total, active, mtp, copies;
	int rows = 0, wrong = 0;

	assert_non_null(in);
	while (fgets(line, sizeof line, in) != NULL) {
		if (sscanf(line, "%63s %lf %lf %lf %lf", id, &total, &active, &mtp, &copies) != 5)
			continue;
		rows++;
		wrong += !totals_agree(id, total, active, mtp, copies);
	}
	fclose(in);
	assert_int_equal(rows, 162);
	assert_int_equal(wrong, 0);
}

static void
check_entry(const config_setting_t *e)
{
	static struct plan p;
	const char *text = NULL, *id = NULL;
	long long total = 0;

	assert_true(config_setting_lookup_string(e, "id", &id));
	assert_ptr_equal(e, entry(id)); /* ids are unique */
	assert_true(config_setting_lookup_string(e, "title", &text));
	assert_true(config_setting_lookup_string(e, "source", &text));
	assert_true(config_setting_lookup_int64(e, "total_params", &total));
	load(&p, id);
	if (params_model(&p, NULL).total != (double)total)
		fail_msg("%s: total_params is not what the shape gives", id);
	assert_true(field_is_set(FIELD_LAYERS, &p) != field_is_set(FIELD_LAYER_PATTERN, &p));
	assert_true(field_is_set(FIELD_HIDDEN_SIZE, &p));
	assert_true(field_is_set(FIELD_FFN_HIDDEN_SIZE, &p) && field_is_set(FIELD_HEAD_DIM, &p));
	assert_true(field_is_set(FIELD_KV_HEADS, &p) && field_is_set(FIELD_VOCAB_SIZE, &p));
	assert_true(field_is_set(FIELD_MAX_POSITION, &p) && field_is_set(FIELD_NORM, &p));
}

TEST(test_catalogue_entries)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");
	int i, n = config_setting_length(list);

	assert_true(n >= 300);
	for (i = 0; i < n; i++)
		check_entry(config_setting_get_elem(list, (unsigned)i));
}

/* The sum over layers and what surrounds them is the whole. */
TEST(test_layers_sum_up)
{
	static const char *const ids[] = { "deepseek-v3.2", "mimo-v2-flash", "qwen3.5-35b-a3b",
		"llama-4-maverick-17b-128e", "gemma-3-4b", "gpt-oss-20b" };
	static struct plan p;
	size_t k;

	for (k = 0; k < sizeof ids / sizeof ids[0]; k++) {
		double sum, tables;
		int64_t i;

		load(&p, ids[k]);
		tables = p.model.tied_embeddings ? 1 : 2;
		sum = tables * (double)(p.model.vocab_size * p.model.hidden_size);
		sum += (double)p.model.hidden_size;
		for (i = 0; i < p.model.layers; i++) {
			struct layer_params n = params_layer(&p.model, i);

			assert_true((n.expert > 0) == params_is_moe_layer(&p.model, i));
			sum += n.sharded + n.replicated + n.expert;
		}
		assert_true(sum == params_model(&p, NULL).total);
	}
}

/* ---- kinds of layers --------------------------------------------------------------- */

TEST(test_moe_layers)
{
	struct model m = { .layers = 8, .experts = 8, .dense_layers = 1, .moe_layer_every = 2 };

	assert_false(params_is_moe_layer(&m, 0));
	assert_true(params_is_moe_layer(&m, 1));
	assert_false(params_is_moe_layer(&m, 2));
	assert_true(params_is_moe_layer(&m, 7));
	m.moe_layer_every = 3; /* counted from the first that may have experts: 1, 4, 7 */
	for (int i = 0; i < 8; i++)
		assert_int_equal(params_is_moe_layer(&m, i), i == 1 || i == 4 || i == 7);
	m.moe_layer_every = 1;
	assert_true(params_is_moe_layer(&m, 2));
	m.experts = 0;
	assert_false(params_is_moe_layer(&m, 2));
}

TEST(test_global_layers)
{
	struct model m = { .layers = 12, .global_layer_every = 6 };

	assert_true(params_is_global_layer(&m, 0)); /* no window: all are */
	m.sliding_window = 128;
	assert_false(params_is_global_layer(&m, 0));
	assert_true(params_is_global_layer(&m, 5));
	assert_false(params_is_global_layer(&m, 6));
	m.global_first_layer = 1;
	assert_true(params_is_global_layer(&m, 0));
	m.global_first_layer = m.global_layer_every = 0;
	assert_false(params_is_global_layer(&m, 5));
}

TEST(test_padded_vocab)
{
	static struct plan p;

	load(&p, "gpt-2");
	assert_int_equal(params_padded_vocab(&p), 50304);
	p.parallel.tp = 8;
	assert_int_equal(params_padded_vocab(&p), 51200);
	p.parallel.layout = LAYOUT_NANOTRON;
	assert_int_equal(params_padded_vocab(&p), 50264);
	p.parallel.layout = LAYOUT_TORCHTITAN;
	assert_int_equal(params_padded_vocab(&p), 50257);
	p.parallel.layout = LAYOUT_MEGATRON;
	p.mode = MODE_SERVE;
	assert_int_equal(params_padded_vocab(&p), 50257);
}

/* ---- one GPU of a stage ------------------------------------------------------------ */

struct stage_case {
	const char *id;
	int64_t tp, pp, ep, etp, mtp, stage;
	double dense, expert;
};

/* Shapes of the catalogue, without router biases; a program of its own computed these
 * from the sharding that Megatron-LM documents. */
static const struct stage_case stage_cases[] = {
	{ "llama-2-7b", 1, 1, 1, 1, 0, 0, 6738415616, 0 },
	{ "llama-2-7b", 8, 1, 1, 1, 0, 0, 843321344, 0 },
	{ "llama-3.1-70b", 8, 4, 1, 1, 0, 0, 2271543296, 0 },
	{ "llama-3.1-70b", 8, 4, 1, 1, 0, 1, 2139422720, 0 },
	{ "llama-3.1-70b", 8, 4, 1, 1, 0, 3, 2271551488, 0 },
	{ "llama-3.1-70b", 16, 1, 1, 1, 0, 0, 4411629568, 0 },
	{ "gpt3-175b", 8, 8, 1, 1, 0, 0, 2822731776, 0 },
	{ "gpt3-175b", 8, 8, 1, 1, 0, 4, 2718922752, 0 },
	{ "gpt3-175b", 8, 8, 1, 1, 0, 7, 2797590528, 0 },
	{ "gpt3-175b", 8, 1, 1, 1, 0, 0, 21855215616, 0 },
	{ "mixtral-8x7b", 2, 4, 8, 1, 0, 0, 233635840, 1409286144 },
	{ "mixtral-8x7b", 2, 4, 8, 1, 0, 1, 168099840, 1409286144 },
	{ "mixtral-8x7b", 2, 4, 8, 1, 0, 3, 233639936, 1409286144 },
	{ "mixtral-8x7b", 2, 1, 4, 2, 0, 0, 803475456, 5637144576 },
	{ "qwen2.5-7b", 2, 1, 1, 1, 0, 0, 3807910400, 0 },
	{ "qwen2.5-7b", 4, 1, 1, 1, 0, 0, 1904057344, 0 },
	{ "qwen3-0.6b", 1, 1, 1, 1, 0, 0, 596049920, 0 },
	{ "qwen3-0.6b", 1, 2, 1, 1, 0, 0, 375815680, 0 },
	{ "qwen3-0.6b", 1, 2, 1, 1, 0, 1, 375816704, 0 },
	{ "qwen3-30b-a3b", 4, 4, 8, 2, 0, 0, 137677824, 452984832 },
	{ "qwen3-30b-a3b", 4, 4, 8, 2, 0, 3, 137679872, 452984832 },
	{ "qwen3-30b-a3b", 8, 1, 1, 1, 0, 0, 204158976, 28991029248 },
	{ "gemma-2b", 2, 1, 1, 1, 0, 0, 1253124096, 0 },
	{ "gemma-2b", 2, 2, 1, 1, 0, 0, 757633024, 0 },
	{ "gemma-2b", 2, 2, 1, 1, 0, 1, 757635072, 0 },
	{ "qwen1.5-moe-a2.7b", 2, 2, 4, 1, 0, 0, 465580032, 1557135360 },
	{ "qwen1.5-moe-a2.7b", 2, 2, 4, 1, 0, 1, 465582080, 1557135360 },
	{ "deepseek-v3", 1, 16, 64, 1, 0, 0, 2910126080, 176160768 },
	{ "deepseek-v3", 1, 16, 64, 1, 0, 1, 931987456, 704643072 },
	{ "deepseek-v3", 1, 16, 64, 1, 0, 8, 931987456, 704643072 },
	{ "deepseek-v3", 1, 16, 64, 1, 0, 15, 1159683072, 176160768 },
	{ "deepseek-v3", 1, 16, 64, 1, 1, 0, 2910126080, 176160768 },
	{ "deepseek-v3", 1, 16, 64, 1, 1, 1, 931987456, 704643072 },
	{ "deepseek-v3", 1, 16, 64, 1, 1, 15, 2422140928, 352321536 },
	{ "deepseek-v3", 8, 1, 8, 1, 1, 0, 3099979776, 83147882496 },
	{ "deepseek-v2-lite", 1, 1, 4, 1, 0, 0, 1311632896, 3598712832 },
	{ "deepseek-v2-lite", 2, 1, 4, 1, 0, 0, 673508864, 3598712832 },
};

static bool
stage_agrees(const struct stage_case *c)
{
	static struct plan p;
	struct stage_params n;

	load(&p, c->id);
	split(&p, c->tp, c->pp, c->ep, c->etp);
	p.model.mtp_layers = c->mtp;
	p.model.router_bias = 0;
	place(&p);
	n = params_stage(&p, &placement, c->stage, NULL);
	if (n.dense == c->dense && n.expert == c->expert)
		return true;
	print_error("%s tp %d pp %d stage %d: %.17g %.17g, not %.17g %.17g\n", c->id, (int)c->tp,
	    (int)c->pp, (int)c->stage, n.dense, n.expert, c->dense, c->expert);
	return false;
}

TEST(test_stages)
{
	size_t i;
	int wrong = 0;

	for (i = 0; i < sizeof stage_cases / sizeof stage_cases[0]; i++)
		wrong += !stage_agrees(&stage_cases[i]);
	assert_int_equal(wrong, 0);
}

/* Without sharding, stages add up to the whole plus the copies that PP makes. */
TEST(test_stages_sum_up)
{
	static struct plan p;
	static const char *const ids[] = { "deepseek-v3.2", "mimo-v2-flash", "gemma-2-9b",
		"qwen3-next-80b-a3b", "bloom-7b1", "opt-6.7b", "llama-4-maverick-17b-128e", "phi-2" };
	size_t k;

	for (k = 0; k < sizeof ids / sizeof ids[0]; k++) {
		struct model_params whole;
		double sum = 0;
		int64_t s;

		load(&p, ids[k]);
		split(&p, 1, 5, 1, 1);
		p.model.vocab_multiple = 1;
		place(&p);
		whole = params_model(&p, NULL);
		for (s = 0; s < 5; s++) {
			struct stage_params n = params_stage(&p, &placement, s, NULL);

			sum += n.dense + n.expert;
			assert_true(n.linear + n.router <= n.dense && n.expert_linear <= n.expert);
		}
		sum -= (p.model.tied_embeddings ? 1 : 0) * whole.embedding;
		sum -= (p.model.mtp_layers ? 1 : 0) * whole.embedding;
		assert_true(sum == whole.total + whole.mtp);
	}
}

TEST(test_serving_shares)
{
	static struct plan p;
	struct stage_params n, wide;

	load(&p, "llama-3.1-8b");
	p.mode = MODE_SERVE;
	p.parallel.layout = LAYOUT_VLLM;
	split(&p, 8, 1, 1, 1);
	place(&p);
	n = params_stage(&p, &placement, 0, NULL);
	split(&p, 32, 1, 1, 1);
	wide = params_stage(&p, &placement, 0, NULL);
	/* 8 KV heads on 32 GPUs: one each, as on 8 GPUs; the rest is divided by 32 */
	assert_true(wide.dense == 32 * (4096.0 * 128 * 2 + 2 * 4096.0 * 128 + 3 * 4096.0 * 448 +
	    2 * 4096) + 2 * 128256.0 / 32 * 4096 + 4096);
	assert_true(n.dense > wide.dense);
	load(&p, "qwen1.5-moe-a2.7b");
	p.mode = MODE_SERVE;
	split(&p, 2, 1, 8, 1);
	place(&p);
	n = params_stage(&p, &placement, 0, NULL);
	assert_true(n.expert == 24 * 8 * 3.0 * 2048 * 1408); /* 60 experts on 8: 8 at most */
	split(&p, 2, 1, 1, 1);
	p.cluster.gpus_per_node = 2;
	n = params_stage(&p, &placement, 0, NULL);
	assert_true(n.expert == 24 * 60 * 3.0 * 2048 * 1408 / 2); /* TP splits each expert */
	p.cluster.gpus_per_node = 8; /* and so do the other ranks of a vLLM engine, no other's */
	n = params_stage(&p, &placement, 0, NULL);
	assert_true(n.expert == 24 * 60 * 3.0 * 2048 * 1408 / 8);
	p.serving.engine = ENGINE_SGLANG;
	n = params_stage(&p, &placement, 0, NULL);
	assert_true(n.expert == 24 * 60 * 3.0 * 2048 * 1408 / 2);
}

TEST(test_serving_leaves_mtp_out)
{
	static struct plan p;
	struct stage_params n;

	load(&p, "glm-4.5-air-106b-a12b");
	p.mode = MODE_SERVE;
	p.cluster.gpus_per_node = 1;
	place(&p);
	n = params_stage(&p, &placement, 0, NULL);
	assert_true(n.dense + n.expert == 106852251264.0);
}

/* ---- the ledger -------------------------------------------------------------------- */

static void
check_formula(const struct ledger_term *t)
{
	const char *at = strstr(t->formula, " = ");
	double v;

	assert_non_null(at);
	at += 3;
	v = expression_sum(&at);
	if (*at != '\0' || !(fabs(v - t->value) <= 1e-6 * fabs(t->value)))
		fail_msg("%s: %s is %.17g, not %.17g", t->name, t->formula, v, t->value);
}

static void
check_terms(const struct ledger *l, enum quantity q, double want)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < l->count; i++) {
		const struct ledger_term *t = &l->term[i];

		if (t->quantity != q)
			continue;
		sum += t->value;
		assert_true(t->name[0] != '\0' && t->source[0] != '\0');
		check_formula(t);
	}
	assert_true(sum == want);
}

static void
check_ledger(const char *id)
{
	static struct ledger_term terms[128];
	static struct plan p;
	struct ledger l;
	struct model_params n;
	struct stage_params s;

	load(&p, id);
	ledger_init(&l, terms, 128);
	n = params_model(&p, &l);
	assert_true(l.count > 0 && l.count <= 128);
	assert_int_equal(terms[0].stage, -1);
	check_terms(&l, QUANTITY_PARAMS_TOTAL, n.total);
	check_terms(&l, QUANTITY_PARAMS_ACTIVE, n.active);
	p.parallel.pp = 2;
	place(&p);
	ledger_init(&l, terms, 128);
	s = params_stage(&p, &placement, 1, &l);
	assert_int_equal(terms[0].stage, 1);
	check_terms(&l, QUANTITY_PARAMS_GPU, s.dense + s.expert);
}

TEST(test_ledger)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");
	int i;

	for (i = 0; i < config_setting_length(list); i++) {
		const char *id = NULL;

		config_setting_lookup_string(config_setting_get_elem(list, (unsigned)i), "id", &id);
		check_ledger(id);
	}
}

/* Weights of all modules that an adapter can sit beside, in a layout; nothing is written behind the last of them. */
static double
base_of(struct plan *p, int64_t layout)
{
	const struct layer_kinds k = params_kinds(&p->model, 0, p->model.layers);
	struct adapter_module m[ADAPTER_MODULES_MAX], untouched;
	double sum = 0;
	int count;

	memset(m, 0xa5, sizeof m);
	memset(&untouched, 0xa5, sizeof untouched);
	p->parallel.layout = layout;
	count = adapters_modules(p, &k, true, m);
	assert_in_range(count, 1, ADAPTER_MODULES_MAX);
	for (int i = count; i < ADAPTER_MODULES_MAX; i++)
		assert_memory_equal(&m[i], &untouched, sizeof untouched);
	for (int i = 0; i < count; i++)
		if (!(m[i].traits & MATRIX_ROUTER))
			sum += m[i].layers * m[i].in * m[i].out *
			    (m[i].traits & MATRIX_EXPERT ? (double)p->model.experts : 1);
	return sum;
}

/* What has adapters, and what quantisation reaches, is what parameters count as linear layers. */
TEST(adapters_sit_beside_all_linear_weights)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");

	for (int i = 0; i < config_setting_length(list); i++) {
		struct rank_layers all = { .embedding = true, .loss = true };
		struct stage_params n;
		const char *id = "";
		struct plan p;

		config_setting_lookup_string(config_setting_get_elem(list, (unsigned)i), "id", &id);
		load(&p, id);
		all.kinds = params_kinds(&p.model, 0, p.model.layers);
		n = params_held(&p, &all, NULL);

		if (base_of(&p, LAYOUT_MEGATRON) != n.linear + n.expert_linear ||
		    base_of(&p, LAYOUT_DEEPSPEED) != n.linear + n.expert_linear)
			fail_msg("%s: adapters beside %.0f and %.0f weights of %.0f", id,
			    base_of(&p, LAYOUT_MEGATRON), base_of(&p, LAYOUT_DEEPSPEED),
			    n.linear + n.expert_linear);
	}
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
