/*
 * test_result.c - the table of results: names, values, and that each is explained.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/plan/since.h"
#include "explained.h"
#include "settings.h"

enum { TERMS_MAX = 1 << 14 };

static struct estimate *estimate;
static struct ledger_term *terms;

#define GPU "generation=hopper fabric=nvlink4 bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450 " \
	"memory_gib=79.19 nodes=2 "
#define SERVE "mode=serve layout=vllm pp=1 "

static const char *const plans[] = {
	"tp=2 pp=4", "pp=4 vpp=2 token_budget=100", "tp=8 recompute=full optimizer=muon",
	"cp=4 pp=2 zero_stage=3", "tied_embeddings=true pp=2", "tp=3", "bf16_tflops=0",
	"layout=torchtitan tp=2 zero_stage=3 dp_replicate=2", "layout=nanotron tp=2 pp=2",
	SERVE "tp=8", SERVE "engine=sglang tp=4", SERVE "engine=trtllm tp=4 replicas=2",
	SERVE "tp=8 pp=2",
};

static struct plan
run(const char *settings, struct ledger *ledger)
{
	const struct plan p = settings_plan(GPU, settings);

	ledger_init(ledger, terms, TERMS_MAX);
	estimate_run(estimate, &p, NULL, ledger);
	assert_true(ledger->count < TERMS_MAX);
	return p;
}

/* Every name that the first version had is of it, and no other is: a new row needs one in since.def as well. */
TEST(test_since)
{
	bool field[FIELD_COUNT] = { false }, result[RESULT_COUNT] = { false };
	const char *top = getenv("TOP");
	char line[80], path[512];
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/names_0.1.txt", top != NULL ? top : ".");
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		for (int i = 0; i < FIELD_COUNT; i++)
			field[i] = field[i] || text_equal(line, field_table[i].path);
		for (int i = 0; i < RESULT_COUNT; i++)
			result[i] = result[i] || text_equal(line, result_table[i].path);
	}
	fclose(in);
	for (int i = 0; i < FIELD_COUNT; i++)
		if (field[i] != text_equal(since_version(field_table[i].path), SINCE_FIRST))
			fail_msg("%s is in since.def, or should be", field_table[i].path);
	for (int i = 0; i < RESULT_COUNT; i++)
		if (result[i] != text_equal(since_version(result_table[i].path), SINCE_FIRST))
			fail_msg("%s is in since.def, or should be", result_table[i].path);
}

TEST(test_rows)
{
	for (int i = 0; i < RESULT_COUNT; i++) {
		const enum result_id id = (enum result_id)i;
		const struct result *r = &result_table[id];

		assert_true(r->path[0] != '\0' && r->help[0] != '\0');
		assert_true(r->help[strlen(r->help) - 1] != '.');
		assert_int_equal(result_find(r->path), id);
		assert_true(r->brief == NULL || strlen(r->brief) <= 9);
		/* what is compared has no words, and a member to be read from */
		assert_true(r->label == NULL || (r->form != FORM_TEXT && r->at != RESULT_NOWHERE));
		for (int k = 0; k < i; k++)
			assert_false(r->label != NULL && result_table[k].label != NULL &&
			    (r->scope == SCOPE_STAGE) == (result_table[k].scope == SCOPE_STAGE) &&
			    text_equal(r->label, result_table[k].label));
	}
	for (int d = 0; d < TRAFFIC_DIMS; d++) {
		char path[64];

		text_put(path, sizeof path, "communication.%s.bytes",
		    traffic_dim_name((enum traffic_dim)d));
		assert_string_equal(result_table[RESULT_SENT_TP + d].path, path);
		assert_int_equal(result_table[RESULT_SENT_TP + d].at, d);
	}
}

TEST(test_find)
{
	static const struct {
		const char *name;
		enum result_id id;
	} cases[] = {
		{ "step.mfu", RESULT_MFU }, { "mfu", RESULT_MFU }, { "stages", RESULT_STAGES },
		{ "stages.memory.total", RESULT_TOTAL }, { "memory.total", RESULT_TOTAL },
		{ "stages.in_flight", RESULT_IN_FLIGHT }, { "stages.params", RESULT_PARAMS_GPU },
		/* of several a quantity's goes first */
		{ "total", RESULT_PARAMS_TOTAL }, { "params", RESULT_PARAMS_GPU },
		{ "parameters", RESULT_PARAMETERS }, { "bytes", RESULT_FLOW_BYTES },
		{ "seconds", RESULT_STEP }, { "model_flops", RESULT_MODEL_FLOPS },
		{ "forward", RESULT_FORWARD }, { "exposed_seconds", RESULT_FLOW_EXPOSED },
		{ "memory_bytes", RESULT_SERVE_MEMORY }, { "tpot_seconds", RESULT_TPOT },
		{ "memory", RESULT_COUNT }, { "", RESULT_COUNT }, { "stages.", RESULT_COUNT },
		{ "stages.step.mfu", RESULT_COUNT }, { "speed", RESULT_COUNT },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (result_find(cases[i].name) != cases[i].id)
			fail_msg("%s is %d", cases[i].name, result_find(cases[i].name));
}

/* A step is followed by what it is a sum of, and a row of traffic is told from the others. */
TEST(test_explained_parts)
{
	struct explain asked = { .id = RESULT_STEP, .e = estimate, .term = terms, .stage = -1, .row = -1 };
	struct reason reason[REASONS_MAX];
	struct ledger l;
	double sum = 0;

	run("tp=2 pp=4", &l);
	asked.terms = l.count;
	assert_int_equal(explain_reasons(&asked, reason), 1);
	asked.parts = true;
	assert_int_equal(explain_reasons(&asked, reason), 4); /* nothing is recomputed */
	assert_int_equal(reason[1].of, RESULT_FORWARD);
	assert_int_equal(reason[2].of, RESULT_BACKWARD);
	assert_int_equal(reason[3].of, RESULT_FLOW_EXPOSED);
	asked.id = RESULT_FLOW_BYTES;
	for (size_t i = 0; i < estimate->traffic.count; i++) {
		asked.row = (int64_t)i;
		assert_int_equal(explain_reasons(&asked, reason), 1);
		if (!(fabs(reason->sum - estimate->traffic.row[i].bytes) <= 1e-9 * reason->sum))
			fail_msg("row %zu: %.17g, its terms %.17g", i, estimate->traffic.row[i].bytes, reason->sum);
		sum += reason->sum;
	}
	asked.row = -1;
	explain_reasons(&asked, reason);
	assert_true(sum > 0 && fabs(sum - reason->sum) <= 1e-9 * sum);
}

TEST(test_explained)
{
	struct ledger l;
	char why[256];

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		const struct plan p = run(plans[i], &l);

		if (!explained_all(&p, estimate, &l, why, sizeof why))
			fail_msg("%s: %s", plans[i], why);
	}
}

TEST(test_values)
{
	struct ledger l;
	double value;

	run("tp=2 pp=4", &l);
	assert_true(result_value(RESULT_WORLD, estimate, 0, &value) && value == 16);
	assert_true(result_value(RESULT_LEGAL, estimate, 0, &value) && value == 1);
	assert_true(result_value(RESULT_STAGE, estimate, 3, &value) && value == 3);
	assert_true(result_value(RESULT_TOTAL, estimate, 2, &value) &&
	    value == estimate->stage[2].memory.total);
	assert_false(result_value(RESULT_TOTAL, estimate, 4, &value));
	assert_false(result_value(RESULT_TOTAL, estimate, -1, &value));
	assert_true(result_value(RESULT_SENT_TP, estimate, 0, &value) && value > 0);
	assert_false(result_value(RESULT_SENT_CP, estimate, 0, &value));
	assert_true(value == 0);
	assert_true(result_value(RESULT_FLOW_EXPOSED, estimate, 0, &value) &&
	    fabs(value - estimate->step.exposed_comm_seconds) <= 1e-12);
	assert_false(result_value(RESULT_FLOW_GROUP, estimate, 0, &value));
	assert_false(result_value(RESULT_TTFT, estimate, 0, &value));
	run("tp=3", &l);
	assert_true(result_value(RESULT_LEGAL, estimate, 0, &value) && value == 0);
	assert_false(result_value(RESULT_FITS, estimate, 0, &value));
	assert_false(result_value(RESULT_DP, estimate, 0, &value));
	assert_false(result_value(RESULT_PEAK_TOTAL, estimate, 0, &value));
	assert_false(result_value(RESULT_STEP, estimate, 0, &value));
	run(SERVE "tp=8", &l);
	assert_false(result_value(RESULT_STEP, estimate, 0, &value));
	assert_false(result_value(RESULT_IN_FLIGHT, estimate, 0, &value));
	assert_true(result_value(RESULT_TTFT, estimate, 0, &value) && value > 0);
}

TEST(test_better)
{
	assert_int_equal(result_better(RESULT_STEP, 2, 1), 1);
	assert_int_equal(result_better(RESULT_STEP, 1, 2), -1);
	assert_int_equal(result_better(RESULT_MFU, 0.4, 0.5), 1);
	assert_int_equal(result_better(RESULT_MFU, 0.4, 0.4), 0);
	assert_int_equal(result_better(RESULT_WORLD, 8, 16), 0);
}

static int
set_up(void **state)
{
	(void)state;
	estimate = malloc(sizeof *estimate);
	terms = malloc(TERMS_MAX * sizeof *terms);
	return estimate == NULL || terms == NULL;
}

static int
tear_down(void **state)
{
	(void)state;
	free(estimate);
	free(terms);
	return 0;
}

int
main(void)
{
	return unit_run(set_up, tear_down);
}
