/* The field table and the values it takes. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/catalog.h"
#include "core/plan/diag.h"
#include "core/plan/field.h"
#include "core/plan/field_source.h"
#include "core/plan/shorthand.h"
#include "../unit.h"
#include "share.h"

/* Paths and flags are unique, ranges hold the defaults, help is one line without a stop. */
TEST(table_is_sound)
{
	struct plan p;

	plan_defaults(&p);
	for (int i = 0; i < FIELD_COUNT; i++) {
		const enum field_id f = (enum field_id)i;
		const struct field *row = &field_table[i];
		char err[256], text[PLAN_LAYOUT_SIZE];
		struct plan q = p;

		for (int j = 0; j < i; j++) {
			assert_string_not_equal(row->path, field_table[j].path);
			if (row->flag != NULL && field_table[j].flag != NULL)
				assert_string_not_equal(row->flag, field_table[j].flag);
		}
		assert_true(strlen(row->help) > 0 && row->help[strlen(row->help) - 1] != '.');
		assert_null(strchr(row->help, '\n'));
		assert_true(strlen(row->label) <= 18);
		assert_true(row->least <= row->most);
		assert_int_equal(field_by_path(row->path, strlen(row->path)), i);
		if (row->type == FIELD_TEXT)
			assert_true(field_put_text(f, &q, row->default_text, err, sizeof err));
		else if (!field_parse(f, &q, row->default_text, err, sizeof err))
			fail_msg("default of %s: %s", row->path, err);
		assert_true(field_is_set(f, &q));
		if (row->origin == ORIGIN_DEFAULT)
			assert_true(field_same(f, &p, &q));
		field_format(f, &q, text, sizeof text);
		if (row->type != FIELD_TEXT && row->type != FIELD_REAL)
			assert_string_equal(text, row->default_text);
	}
}

TEST(contract_defaults)
{
	struct plan p;

	plan_defaults(&p);
	assert_int_equal(p.cluster.nodes, 1);
	assert_int_equal(p.cluster.gpus_per_node, 8);
	assert_string_equal(p.cluster.gpu, "h100-sxm-80gb");
	assert_string_equal(p.model.preset, "llama-3.1-8b");
	assert_int_equal(p.parallel.zero_stage, 1);
	assert_int_equal(p.training.sequence_length, 4096);
	assert_int_equal(p.training.global_batch_size, 64);
	assert_int_equal(p.parallel.sequence_parallel, 0);
	assert_int_equal(p.parallel.etp, 1);
}

TEST(derived_fields_follow)
{
	struct plan p;
	char err[256];

	plan_defaults(&p);
	field_put_int(FIELD_TP, &p, 4, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.etp, 4);
	assert_int_equal(p.parallel.sequence_parallel, 1);
	field_put_int(FIELD_LAYOUT, &p, LAYOUT_TORCHTITAN, err, sizeof err);
	field_put_int(FIELD_GPUS_PER_NODE, &p, 4, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.etp, 1);
	assert_int_equal(p.cluster.nvlink_domain, 4);
	field_put_int(FIELD_ETP, &p, 2, err, sizeof err);
	field_put_int(FIELD_LAYOUT, &p, LAYOUT_MEGATRON, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.etp, 2);
	assert_true(field_parse(FIELD_ETP, &p, "", err, sizeof err));
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.etp, 4);
	/* The layout follows the mode until the user names one. */
	assert_true(field_parse(FIELD_MODE, &p, "serve", err, sizeof err));
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.layout, LAYOUT_MEGATRON);
	field_mark(FIELD_LAYOUT, &p, false);
	plan_resolve(&p, NULL);
	assert_int_equal(p.parallel.layout, LAYOUT_VLLM);
	/* Engines load what is published; rollouts have what is trained. */
	field_put_int(FIELD_CHECKPOINT_DTYPE, &p, WEIGHT_MXFP4, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_int_equal(p.serving.weight_dtype, WEIGHT_MXFP4);
	assert_true(field_parse(FIELD_MODE, &p, "train", err, sizeof err));
	plan_resolve(&p, NULL);
	assert_int_equal(p.serving.weight_dtype, WEIGHT_BF16);
	/* A router that was trained before is not even on other data: 16 experts on each of 8 ranks. */
	field_put_int(FIELD_EXPERTS, &p, 128, err, sizeof err);
	field_put_int(FIELD_EP, &p, 8, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_true(fabs(p.training.moe_imbalance - 1) <= 0);
	field_put_int(FIELD_FINETUNE, &p, FINETUNE_FULL, err, sizeof err);
	plan_resolve(&p, NULL);
	assert_true(fabs(p.training.moe_imbalance - 1.765) < 0.001);
	assert_true(field_parse(FIELD_MOE_IMBALANCE, &p, "1", err, sizeof err));
	plan_resolve(&p, NULL);
	assert_true(fabs(p.training.moe_imbalance - 1) <= 0);
}

/* Short names find their field, hide no other one, and are those of options. */
TEST(short_names)
{
	assert_int_equal(field_find("gbs"), FIELD_GLOBAL_BATCH_SIZE);
	assert_int_equal(field_find("seq"), FIELD_SEQUENCE_LENGTH);
	assert_string_equal(field_short(FIELD_SEQUENCE_LENGTH), "seq");
	assert_string_equal(field_short(FIELD_TP), "tp");
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const char *name = field_abbreviation(f);

		assert_int_equal(field_find(field_short(f)), f);
		if (name == NULL)
			continue;
		assert_non_null(field_table[f].flag);
		for (enum field_id g = 0; g < FIELD_COUNT; g++) {
			assert_string_not_equal(name, field_key(g));
			if (field_table[g].flag != NULL)
				assert_string_not_equal(name, field_table[g].flag);
			if (g != f && field_abbreviation(g) != NULL)
				assert_string_not_equal(name, field_abbreviation(g));
		}
	}
}

/* Whether another value of `g`, in some plan, makes a field that is not set another one. */
static bool
reads(enum field_id f, enum field_id g)
{
	static struct catalog catalog; /* spares parsing the defaults each time */
	static struct plan p, q;
	char err[256];

	if (!catalog.has_defaults)
		plan_defaults(&catalog.defaults);
	catalog.has_defaults = true;
	for (int64_t layout = LAYOUT_MEGATRON; layout <= LAYOUT_SEED; layout++)
		for (int64_t tp = 1; tp <= 4; tp *= 4)
			for (int64_t i = 0; i < 4 * 17; i++) {
				const int64_t v = i / 4;

				p = catalog.defaults;
				p.parallel.layout = layout;
				p.parallel.tp = tp;
				p.finetune.method = i & 1 ? FINETUNE_LORA : FINETUNE_NONE;
				p.finetune.kernels = i & 2 ? KERNELS_EAGER : KERNELS_TE;
				field_mark(FIELD_FINETUNE, &p, true);
				field_mark(FIELD_KERNELS, &p, f != FIELD_KERNELS);
				field_mark(FIELD_LAYOUT, &p, f != FIELD_LAYOUT); /* else it hides what that reads */
				field_mark(FIELD_TP, &p, true);
				if (f == FIELD_PROMPT_TOKENS || f == FIELD_GENERATE_TOKENS)
					field_put_int(FIELD_CONTEXT_LENGTH, &p, 8, err, sizeof err);
				if (f == FIELD_WEIGHT_DTYPE) {
					field_put_int(FIELD_MODE, &p, i & 1 ? MODE_SERVE : MODE_TRAIN, err, sizeof err);
					field_put_int(FIELD_CHECKPOINT_DTYPE, &p, WEIGHT_FP8, err, sizeof err);
				}
				if (f == FIELD_MOE_IMBALANCE) {
					field_put_int(FIELD_EXPERTS, &p, 128, err, sizeof err);
					field_put_int(FIELD_EP, &p, 8, err, sizeof err);
				}
				if (f == FIELD_DENSE_DTYPE || f == FIELD_WEIGHT_GROUP) {
					field_put_int(FIELD_WEIGHT_DTYPE, &p, WEIGHT_INT4, err, sizeof err);
					field_put_int(FIELD_EXPERTS, &p, i & 1 ? 8 : 0, err, sizeof err);
				}
				if (f == FIELD_ACCEPTED_TOKENS) {
					field_put_text(FIELD_ACCEPTANCE, &p, "0.5", err, sizeof err);
					field_put_int(FIELD_DRAFT_TOKENS, &p, 3, err, sizeof err);
				}
				q = p;
				if (g == FIELD_ACCEPTANCE)
					field_put_text(g, &q, "0.8", err, sizeof err);
				plan_resolve(&p, &catalog);
				if (field_table[g].type == FIELD_REAL)
					field_put_real(g, &q, (double)v, err, sizeof err);
				else if (field_table[g].type != FIELD_TEXT)
					field_put_int(g, &q, v, err, sizeof err);
				plan_resolve(&q, &catalog);
				if (!field_same(f, &p, &q))
					return true;
			}
	return false;
}

/* The table names what a rule reads, all of it and nothing else; the catalogue's part of it
 * is in another test. */
TEST(rules_read_what_they_name)
{
	int rules = 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const enum field_id *follows = field_table[f].follows;

		if (field_table[f].origin != ORIGIN_DERIVED)
			continue;
		if (!in_share((size_t)rules++))
			continue;
		/* One pass over the table is enough, and nothing goes in a circle: of two that share a
		 * third each makes room for the other only where that is set. */
		for (int i = 0; i < FIELD_FOLLOWS_MAX; i++)
			assert_true(follows[i] < f || (i > 0 && follows[i] == FIELD_NONE) ||
			    field_table[follows[i]].origin == ORIGIN_DEFAULT || /* which is there before */
			    (i > 0 && field_table[follows[i]].follows[1] == f));
		for (enum field_id g = 0; g < FIELD_COUNT; g++) {
			bool named = false;

			for (int i = 0; i < FIELD_FOLLOWS_MAX; i++)
				named |= g == follows[i];

			if (g != f && g != FIELD_GPU && reads(f, g) != named)
				fail_msg("%s and %s", field_table[f].path, field_table[g].path);
		}
	}
	assert_true(rules >= 3);
}

static void
assert_source(const struct plan *p, const char *path, enum field_from from, const char *text)
{
	const enum field_id f = field_find(path);
	char buf[128];

	field_source_text(f, p, buf, sizeof buf);
	assert_string_equal(buf, text);
	assert_int_equal(field_source(f, p).from, from);
	assert_int_equal(field_is_chosen(f, p), from == FROM_USER);
}

TEST(sources)
{
	struct plan p;
	char err[256];

	plan_defaults(&p);
	assert_source(&p, "etp", FROM_FIELDS, "follows layout and TP");
	assert_source(&p, "sequence_parallel", FROM_FIELDS, "follows TP");
	assert_source(&p, "nvlink_domain", FROM_FIELDS, "follows GPU and GPUs per node");
	assert_source(&p, "gpus_per_node", FROM_FIELDS, "follows GPU");
	assert_source(&p, "memory_gib", FROM_FIELDS, "follows GPU");
	assert_source(&p, "layers", FROM_FIELDS, "follows model");
	assert_source(&p, "tp", FROM_DEFAULT, "the default");
	assert_source(&p, "first_stage_layers", FROM_NOWHERE, "not set");
	/* Set to what it would be anyway: no longer following, but still the default. */
	field_put_int(FIELD_ETP, &p, 1, err, sizeof err);
	field_put_int(FIELD_TP, &p, 1, err, sizeof err);
	assert_source(&p, "etp", FROM_USER, "set");
	assert_source(&p, "tp", FROM_DEFAULT, "the default");
	field_put_int(FIELD_TP, &p, 2, err, sizeof err);
	assert_source(&p, "tp", FROM_USER, "set");
}

/* An amount is none, or what a machine may have; nothing divides by less. */
TEST(amounts)
{
	static const char *const none[] = { "1e-300", "-1", "nan", "inf", "1e300" };
	struct plan p;
	char err[256];

	plan_defaults(&p);
	for (int f = 0; f < FIELD_COUNT; f++) {
		if (!field_table[f].zero)
			continue;
		for (size_t i = 0; i < sizeof none / sizeof *none; i++)
			if (field_parse((enum field_id)f, &p, none[i], err, sizeof err))
				fail_msg("%s takes %s", field_table[f].path, none[i]);
		assert_true(field_table[f].least > 0);
		assert_true(field_put_real((enum field_id)f, &p, 0, err, sizeof err));
		assert_true(field_put_real((enum field_id)f, &p, field_table[f].least, err,
		    sizeof err));
	}
	assert_true(field_table[FIELD_COMPUTE_EFFICIENCY].zero && field_table[FIELD_HBM_GBPS].zero);
}

/* A saved plan sets every field; only what differs from the default stands out. */
TEST(chosen_fields)
{
	struct plan p;
	char err[256];

	plan_defaults(&p);
	assert_false(field_is_chosen(FIELD_NODES, &p));
	field_put_int(FIELD_NODES, &p, 1, err, sizeof err);
	field_put_text(FIELD_PRECISION, &p, "bf16", err, sizeof err);
	field_put_real(FIELD_GPU_MEMORY_UTILIZATION, &p, 0.9, err, sizeof err);
	assert_true(field_is_set(FIELD_NODES, &p));
	assert_false(field_is_chosen(FIELD_NODES, &p));
	assert_false(field_is_chosen(FIELD_PRECISION, &p));
	assert_false(field_is_chosen(FIELD_GPU_MEMORY_UTILIZATION, &p));
	field_put_int(FIELD_NODES, &p, 2, err, sizeof err);
	field_put_int(FIELD_LAYERS, &p, 32, err, sizeof err);
	assert_true(field_is_chosen(FIELD_NODES, &p));
	assert_true(field_is_chosen(FIELD_LAYERS, &p));
}

TEST(numbers_as_typed)
{
	static const struct {
		enum field_id field;
		const char *text;
		double value; /* negative: refused */
	} cases[] = {
		{ FIELD_SEQUENCE_LENGTH, "128k", 131072 }, { FIELD_SEQUENCE_LENGTH, "128K", 131072 },
		{ FIELD_SEQUENCE_LENGTH, "1M", 1048576 }, { FIELD_SEQUENCE_LENGTH, "4096 tokens", 4096 },
		{ FIELD_SEQUENCE_LENGTH, " 4096 ", 4096 }, { FIELD_SEQUENCE_LENGTH, "1.5k", 1536 },
		{ FIELD_SEQUENCE_LENGTH, "4096x", -1 }, { FIELD_SEQUENCE_LENGTH, "", 0 },
		{ FIELD_SEQUENCE_LENGTH, "-5", -1 }, { FIELD_SEQUENCE_LENGTH, "1.5", -1 },
		{ FIELD_SEQUENCE_LENGTH, "99999999999999999999", -1 }, { FIELD_SEQUENCE_LENGTH, "0x10", -1 },
		{ FIELD_SEQUENCE_LENGTH, "1e3", 1000 }, { FIELD_SEQUENCE_LENGTH, "k", -1 },
		{ FIELD_MEMORY_GIB, "80GiB", 80 }, { FIELD_MEMORY_GIB, "79.19 GiB", 79.19 },
		{ FIELD_TTFT_LIMIT, "500ms", 0.5 }, { FIELD_TTFT_LIMIT, "1 min", 60 },
		{ FIELD_TTFT_LIMIT, "2k", -1 }, { FIELD_TTFT_LIMIT, "1GiB", -1 }, { FIELD_NIC_GBPS, "50GB/s", 400 },
		{ FIELD_DATASET_TOKENS, "15T", 15000 }, { FIELD_GPU_MEMORY_UTILIZATION, "90%", 0.9 },
		{ FIELD_MEMORY_GIB, "nan", -1 }, { FIELD_MEMORY_GIB, "inf", -1 }, { FIELD_MEMORY_GIB, "1e999", -1 },
		{ FIELD_GPU_MEMORY_UTILIZATION, "0.9", 0.9 }, { FIELD_GPU_MEMORY_UTILIZATION, "1.1", -1 },
		{ FIELD_TP, "0", 0 }, { FIELD_TP, "-1", -1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p;
		char err[256] = "";
		bool ok;
		double got;

		plan_defaults(&p);
		ok = field_parse(cases[i].field, &p, cases[i].text, err, sizeof err);
		if (ok != (cases[i].value >= 0))
			fail_msg("'%s' is %s", cases[i].text, ok ? "taken" : err);
		got = field_table[cases[i].field].type == FIELD_REAL ? field_real(cases[i].field, &p)
		                                                     : (double)field_int(cases[i].field, &p);
		if (ok && cases[i].text[0] != '\0' && (got < cases[i].value || got > cases[i].value))
			fail_msg("'%s' is %g", cases[i].text, got);
		if (!ok)
			assert_true(strlen(err) > 0);
	}
}

TEST(names_as_typed)
{
	struct plan p;
	char err[256], text[64];

	plan_defaults(&p);
	assert_true(field_parse(FIELD_PRECISION, &p, "fp8", err, sizeof err));
	assert_int_equal(p.training.precision, PRECISION_FP8);
	assert_false(field_parse(FIELD_PRECISION, &p, "int3", err, sizeof err));
	assert_non_null(strstr(err, "bf16"));
	assert_true(field_parse(FIELD_CP_COMM, &p, "a2a+p2p", err, sizeof err));
	assert_int_equal(p.parallel.cp_comm, CP_COMM_A2A_P2P);
	assert_true(field_parse(FIELD_QK_NORM, &p, "yes", err, sizeof err));
	assert_int_equal(p.model.qk_norm, 1);
	assert_false(field_parse(FIELD_QK_NORM, &p, "maybe", err, sizeof err));
	assert_false(field_put_int(FIELD_PRECISION, &p, PRECISION_NVFP4 + 1, err, sizeof err));
	assert_true(field_choice(FIELD_SCHEDULE, 8, text, sizeof text));
	assert_string_equal(text, "dualpipev");
	assert_false(field_choice(FIELD_SCHEDULE, 9, text, sizeof text));
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	assert_false(field_put_text(FIELD_ORDER, &p, "a-very-long-order-string-that-is-longer-than-any-order-can-ever-be-really", err, sizeof err));
	assert_string_equal(p.parallel.order, "tp-cp-ep-dp-pp");
}

TEST(finding_fields)
{
	assert_int_equal(field_find("tp"), FIELD_TP);
	assert_int_equal(field_find("parallel.tp"), FIELD_TP);
	assert_int_equal(field_find("gpus-per-node"), FIELD_GPUS_PER_NODE);
	assert_int_equal(field_find("model"), FIELD_PRESET);
	assert_int_equal(field_find("layers"), FIELD_LAYERS);
	assert_int_equal(field_find("nothing"), FIELD_COUNT);
	assert_string_equal(field_near("parallel.tpp"), "parallel.tp");
	assert_string_equal(field_near("training.tp"), "parallel.tp");
	assert_string_equal(field_near("training.sequence_lenght"), "training.sequence_length");
	assert_string_equal(field_near("tpp"), "parallel.tp");
	assert_string_equal(field_near("cluster.node"), "cluster.nodes");
	assert_string_equal(field_near("paralel.pp"), "parallel.pp");
	assert_string_equal(field_near("hiden_size"), "model.hidden_size");
	assert_null(field_near("foo"));
	assert_null(field_near("something.else.entirely"));
	assert_true(field_in_mode(FIELD_SEQUENCE_LENGTH, MODE_TRAIN));
	assert_false(field_in_mode(FIELD_SEQUENCE_LENGTH, MODE_SERVE));
	assert_true(field_in_mode(FIELD_TP, MODE_SERVE));
}

TEST(reals_are_exact)
{
	static const double values[] = { 0, 0.1, 1.0 / 3, 79.19, 1e-7, 123456789.123, 1e300, -2.5 };
	char text[64];
	double back;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		text_real(text, sizeof text, values[i]);
		assert_true(text_to_real(text, &back));
		assert_memory_equal(&back, &values[i], sizeof back);
	}
	text_real(text, sizeof text, 0.1);
	assert_string_equal(text, "0.1");
	text_real(text, sizeof text, 400);
	assert_string_equal(text, "400");
	text_real(text, sizeof text, 1e6);
	assert_string_equal(text, "1000000");
	text_real(text, sizeof text, -65536);
	assert_string_equal(text, "-65536");
}

TEST(catalogue_values)
{
	struct catalog_entry models[2] = { { .id = "small" }, { .id = "Large-2" } };
	struct catalog catalog = { .models = { models, 2 } };
	struct plan p;
	struct catalog_entry version = { .id = "Omni-3.125-70B" };
	const struct catalog_list points = { &version, 1 };
	char err[256];

	plan_defaults(&models[0].values);
	plan_defaults(&models[1].values);
	field_put_int(FIELD_LAYERS, &models[0].values, 4, err, sizeof err);
	field_put_int(FIELD_LAYERS, &models[1].values, 96, err, sizeof err);
	plan_defaults(&p);
	field_put_text(FIELD_PRESET, &p, "large-2", err, sizeof err);
	plan_resolve(&p, &catalog);
	assert_int_equal(p.model.layers, 96);
	assert_false(field_is_set(FIELD_LAYERS, &p));
	field_put_int(FIELD_LAYERS, &p, 12, err, sizeof err);
	field_put_text(FIELD_PRESET, &p, "small", err, sizeof err);
	plan_resolve(&p, &catalog);
	assert_int_equal(p.model.layers, 12);
	field_mark(FIELD_LAYERS, &p, false);
	plan_resolve(&p, &catalog);
	assert_int_equal(p.model.layers, 4);
	/* A name put back to its default takes what it names along at once. */
	field_put_text(FIELD_PRESET, &p, "large-2", err, sizeof err);
	plan_resolve(&p, &catalog);
	field_mark(FIELD_PRESET, &p, false);
	plan_resolve(&p, &catalog);
	assert_string_equal(p.model.preset, "llama-3.1-8b");
	assert_int_equal(p.model.layers, 32);
	assert_string_equal(catalog_near(&catalog.models, "larg"), "Large-2");
	assert_null(catalog_near(&catalog.models, "zz"));
	/* a part of a number is one up to a point, not up to a digit */
	assert_string_equal(catalog_near(&points, "omni-3-70b"), "Omni-3.125-70B");
	assert_null(catalog_near(&points, "omni-3-7b"));
	/* too much beside its words to be misspelt */
	assert_string_equal(catalog_near(&catalog.models, "large-2-instruct-awq"), "Large-2");
	assert_string_equal(catalog_near(&catalog.models, "large-20-instruct-awq"), "Large-2");
	assert_null(catalog_near(&catalog.models, "large-3-instruct-awq"));
	assert_null(catalog_find(&catalog.models, "medium"));
}

TEST(diagnostics)
{
	static struct diag_list list;
	struct diag *d;
	char text[512];

	d = diag_add(&list, SEVERITY_ERROR, FIELD_TP, "some_reason", "source", "TP is %d", 3);
	d->fix_field = FIELD_TP;
	text_put(d->fix_value, sizeof d->fix_value, "4");
	diag_format(d, text, sizeof text);
	assert_string_equal(text, "error parallel.tp some_reason: TP is 3 (fix: parallel.tp=4)");
	for (int i = 0; i < DIAG_MAX + 5; i++)
		diag_add(&list, SEVERITY_HINT, FIELD_NONE, "more", "source", "x");
	assert_int_equal(list.count, DIAG_MAX);
	assert_int_equal(list.dropped, 6);
	assert_non_null(diag_of_field(&list, FIELD_TP));
	assert_null(diag_of_field(&list, FIELD_PP));
}

/* As many digits as are taken, and one more; and none; and more GPUs than any node has. */
TEST(shapes_are_short)
{
	char out[512];
	static const struct catalog empty;
	struct catalog_entry card = { .id = "rtx-4090" };
	struct catalog cards = { .gpus = { &card, 1 } };
	struct plan p;

	plan_builtin(&p);
	assert_int_equal(shorthand_read("16x8", &p, &empty, out, sizeof out), SHORTHAND_SAYS);
	assert_string_equal(out, "cluster.nodes=16 cluster.gpus_per_node=8");
	assert_int_equal(shorthand_read("00000000000000000000016x8", &p, &empty, out, sizeof out),
	    SHORTHAND_SAYS);
	assert_int_equal(shorthand_read("000000000000000000000016x8", &p, &empty, out, sizeof out),
	    SHORTHAND_NONE);
	assert_int_equal(shorthand_read("16x000000000000000000000008", &p, &empty, out, sizeof out),
	    SHORTHAND_NONE);
	assert_int_equal(shorthand_read("1x4090", &p, &cards, out, sizeof out), SHORTHAND_SAYS);
	assert_string_equal(out, "cluster.gpu=rtx-4090 cluster.nodes=1 cluster.gpus_per_node=1");
	assert_int_equal(shorthand_read("2x1024", &p, &cards, out, sizeof out), SHORTHAND_SAYS);
	assert_string_equal(out, "cluster.nodes=2 cluster.gpus_per_node=1024");
	/* A choice of several fields is that of the one it counts in: adapters are of a plan that has some. */
	assert_int_equal(shorthand_read("lora", &p, &empty, out, sizeof out), SHORTHAND_SAYS);
	assert_string_equal(out, "finetune.method=lora");
	assert_int_equal(shorthand_read("full", &p, &empty, out, sizeof out), SHORTHAND_UNCLEAR);
	assert_int_equal(shorthand_read("x8", &p, &empty, out, sizeof out), SHORTHAND_NONE);
	assert_int_equal(shorthand_read("16y8", &p, &empty, out, sizeof out), SHORTHAND_NONE);
}

/* A resolved plan of which one field changed resolves in one way, whichever is asked. */
TEST(one_field_resolves)
{
	static const char *const values[] = { "", "1", "2", "8", "false", "true", "4096" };
	static const char *const settings[][3] = { { "train", "none", "none" },
		{ "serve", "none", "none" }, { "train", "qlora", "none" }, { "train", "lora", "grpo" } };
	struct catalog catalog = { .has_defaults = true };
	char err[256], choice[PLAN_ID_SIZE];

	plan_defaults(&catalog.defaults);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct plan p, one, all;

		plan_builtin(&p);
		assert_true(field_parse(FIELD_MODE, &p, settings[i][0], err, sizeof err));
		assert_true(field_parse(FIELD_FINETUNE, &p, settings[i][1], err, sizeof err));
		assert_true(field_parse(FIELD_RL_ALGORITHM, &p, settings[i][2], err, sizeof err));
		plan_resolve(&p, &catalog);
		for (enum field_id f = 0; f < FIELD_COUNT; f++)
			for (int64_t k = 0; k < 16; k++) {
				const char *value = k < 7 ? values[k] :
				    field_choice(f, k - 7, choice, sizeof choice) ? choice : "";

				one = p;
				if (!field_parse(f, &one, value, err, sizeof err))
					continue;
				all = one;
				plan_resolve_field(&one, f, &catalog);
				plan_resolve(&all, &catalog);
				if (memcmp(&one, &all, sizeof one) != 0)
					fail_msg("%s = %s", field_table[f].path, value);
			}
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
