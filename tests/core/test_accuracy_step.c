/*
 * Step times against published runs: medians and worst errors may only get better. Lower
 * a bound when an estimate improves.
 */
#include "../unit.h"

#include "../bench/accuracy_step.c"
#include "../bench/accuracy_step_row.c"

TEST(bounds)
{
	static const struct {
		const char *group;
		double median, worst;
	} held[] = {
		{ "narayanan21-t1", .015, .125 }, { "narayanan21-t2", .05, .07 },
		{ "korthikanti22-t5", .05, .065 }, { "megatron20-tp", .045, .145 },
		{ "simumax-b200", .02, .09 }, { "simumax-b200-cp", .036, .051 },
		{ "llmfoundry-fsdp-h100_80gb", .04, .125 }, { "torchtitan", .054, .21 },
		{ "llmfoundry-fsdp-a100_80gb", .07, .14 }, { "llmfoundry-fsdp-a100_40gb", .062, .12 },
		{ "nemo24.07-h100", .03, .085 }, { "nemo-longctx", .02, .03 },
		{ "nanotron-best", .083, .34 },
	};
	static struct step_accuracy a;
	const char *top = getenv("TOP");

	assert_true(accuracy_step_score(&a, "published.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 85);
	assert_true(a.full.median < 0.039);
	assert_true(a.full.ninety < 0.1);
	assert_true(a.full.worst < 0.48);
	assert_true(a.partial.rows >= 82);
	assert_true(a.partial.median < 0.05);
	assert_true(a.partial.ninety < 0.159);
	assert_true(a.calibrated.rows >= 354);
	assert_true(a.calibrated.median < 0.034);
	assert_true(a.calibrated.ninety < 0.154);
	assert_true(a.left_out <= 6);
	for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
		size_t g = 0;

		while (g < a.groups && strcmp(a.group[g].group, held[i].group) != 0)
			g++;
		assert_true(g < a.groups);
		if (a.group[g].median > held[i].median || a.group[g].worst > held[i].worst)
			fail_msg("%s: median %.3f, worst %.3f", held[i].group, a.group[g].median,
			    a.group[g].worst);
	}
}

/* Small models and long sequences of llm-foundry, Megatron-Bridge's releases of 2026, MLPerf;
 * releases and recipes of 2025 and 2026, of which one measured twice differs by 5.5 %. */
TEST(newer)
{
	static struct step_accuracy a;
	const char *top = getenv("TOP");

	assert_true(accuracy_step_score(&a, "steps_more.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 69);
	assert_true(a.full.median < 0.03);
	assert_true(a.full.ninety < 0.075);
	assert_true(a.partial.rows >= 89);
	assert_true(a.partial.median < 0.047);
	assert_true(a.partial.ninety < 0.138);
	assert_true(accuracy_step_score(&a, "mlperf_described.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 24);
	assert_true(a.full.median < 0.031);
	assert_true(a.full.ninety < 0.09);
	assert_true(accuracy_step_score(&a, "steps_2026.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 15);
	assert_true(a.full.median < 0.064);
	assert_true(a.full.ninety < 0.181);
	assert_true(a.partial.rows >= 20);
	assert_true(a.partial.median < 0.049);
	assert_true(a.partial.ninety < 0.118);
}

/* Runs of ten other projects, looked up when all was chosen; nanotron of 2024 and KempnerForge
 * with TP and a pipeline are the worst. */
TEST(held_out)
{
	static struct step_accuracy a;
	const char *top = getenv("TOP");

	assert_true(accuracy_step_score(&a, "heldout_steps.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 99);
	assert_true(a.full.median < 0.054);
	assert_true(a.full.ninety < 0.268);
	assert_true(a.partial.rows >= 9);
	assert_true(a.partial.median < 0.123);
	assert_true(a.calibrated.rows >= 320);
	assert_true(a.calibrated.median < 0.062);
	assert_true(a.calibrated.ninety < 0.51);
}

/* Megatron-Bridge's verification cards, its page of 26.08 and its tutorial of formats, which were
 * described before an estimate of them was seen. */
TEST(described_blind)
{
	static struct step_accuracy a;
	const char *top = getenv("TOP");

	assert_true(accuracy_step_score(&a, "steps_cards.tsv", NULL, top != NULL ? top : "."));
	assert_true(a.full.rows >= 32 && a.left_out == 0);
	assert_true(a.full.median < 0.083);
	assert_true(a.full.ninety < 0.159);
}

/* A score as a row of the manual's table. */
static void
told(const char *page, const struct step_score *s, const char *unit)
{
	char row[96];

	snprintf(row, sizeof row, "Ta %zu%s Ta %.1f Ta %.1f\n", s->rows, unit, 100 * s->median,
	    100 * s->ninety);
	if (strstr(page, row) == NULL)
		fail_msg("shardplan-estimates.7.in lacks \"%s\"", row);
}

/* The manual tells the scores of the runs that were looked up afterwards beside those of the
 * runs on which efficiencies were chosen. */
TEST(both_told)
{
	static struct step_accuracy a;
	static char page[262144];
	const char *top = getenv("TOP");
	char path[1024];
	FILE *in;

	snprintf(path, sizeof path, "%s/man/shardplan-estimates.7.in", top != NULL ? top : ".");
	in = fopen(path, "r");
	assert_non_null(in);
	assert_true(fread(page, 1, sizeof page - 1, in) > 0);
	fclose(in);
	for (size_t i = 0; i < step_file_count; i++) {
		assert_true(accuracy_step_score(&a, step_files[i].name, NULL, top != NULL ? top : "."));
		told(page, &a.full, "");
		if (i == 0 || step_files[i].afterwards) /* those that projects measured in several ways */
			told(page, &a.calibrated, " pairs");
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
