/*
 * test_neighbours.c - what is said of every plan that differs from another in one field: what is wrong
 * with it and the fix of that, else hints, memory, time and tokens, as tests/data/neighbours.tsv has it by
 * checksum. Each limit and condition of a rule is met below, at and above it.
 */
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/plan/field_source.h"
#include "core/rules/check.h"
#include "core/search/advice_hints.h"
#include "../file/filetest.h"
#include "recorded.h"

static struct estimate estimate, scratch;

static void
say_plan(FILE *out, const struct plan *p)
{
	static const enum result_main numbers[] = { MAIN_MEMORY, MAIN_TIME, MAIN_TOKENS_GPU };
	double value;

	estimate_run_to(&estimate, p, &test_catalog, FOLLOW_MEANS, NULL);
	if (!estimate.legal)
		check_fixes(p, &test_catalog, NULL, &estimate.diags);
	else if (estimate.fits)
		advice_hints(p, &test_catalog, &estimate, &scratch, &estimate.diags);
	for (size_t i = 0; i < estimate.diags.count; i++) {
		char text[DIAG_MESSAGE_SIZE + 4 * DIAG_FIX_SIZE];

		diag_format(&estimate.diags.item[i], text, sizeof text);
		fprintf(out, " %s;", text);
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (result_value(result_main(numbers[i], p), &estimate, estimate.peak_stage, &value))
			fprintf(out, " %.6g", value);
	fprintf(out, "\n");
}

/* Each field of the plan: its value, and where that is from. */
static void
say_fields(FILE *out, const struct plan *p)
{
	char value[1024], source[256];

	for (int f = 0; f < FIELD_COUNT; f++) {
		field_format((enum field_id)f, p, value, sizeof value);
		field_source_text((enum field_id)f, p, source, sizeof source);
		fprintf(out, "%s %s %s\n", field_table[f].path, value, source);
	}
}

static void
say_changed(FILE *out, const struct plan *p, enum field_id f, const char *value)
{
	struct plan next = *p;
	char err[256];

	if (!field_parse(f, &next, value, err, sizeof err))
		return;
	plan_resolve(&next, &test_catalog);
	fprintf(out, "%s=%s", field_table[f].path, value);
	say_plan(out, &next);
}

/* Its names, or numbers that matter to some rule, and those beside its own. */
static void
say_field(FILE *out, const struct plan *p, enum field_id f)
{
	static const char *const numbers[] = { "0", "1", "2", "3", "4", "8", "16", "128", "32768", "0.5" };
	char value[64];
	double own;

	for (int i = 0; field_choice(f, i, value, sizeof value); i++)
		say_changed(out, p, f, value);
	if (field_table[f].type == FIELD_BOOL) {
		say_changed(out, p, f, "true");
		say_changed(out, p, f, "false");
	}
	if (field_table[f].type != FIELD_INT && field_table[f].type != FIELD_REAL)
		return;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		say_changed(out, p, f, numbers[i]);
	own = field_table[f].type == FIELD_INT ? (double)field_int(f, p) : field_real(f, p);
	for (int by = -1; by <= 1; by += 2) {
		text_put(value, sizeof value, "%.9g", field_table[f].type == FIELD_INT ? own + by : own * (1 + 0.1 * by));
		say_changed(out, p, f, value);
	}
}

static struct plan
plan_of(const char *settings)
{
	struct plan p = test_catalog.defaults;
	char list[RECORDED_LINE], *at = list, err[256];

	text_put(list, sizeof list, "%s", settings);
	for (char *word; (word = strsep(&at, " ")) != NULL;) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		if (!field_parse(field_find(word), &p, value, err, sizeof err))
			fail_msg("%s: %s", word, err);
	}
	plan_resolve(&p, &test_catalog);
	return p;
}

static uint64_t
around(const char *settings, int number)
{
	const struct plan p = plan_of(settings);
	FILE *kept = recorded_keep("neighbours", number), *out;
	char *text = NULL;
	size_t size = 0;
	uint64_t hash;

	assert_non_null(out = open_memstream(&text, &size));
	say_fields(out, &p);
	for (int f = 0; f < FIELD_COUNT; f++)
		say_field(out, &p, (enum field_id)f);
	fclose(out);
	hash = recorded_add(RECORDED_BEGIN, text, size);
	if (kept != NULL) {
		fprintf(kept, "%s\n%s", settings, text);
		fclose(kept);
	}
	free(text);
	return hash;
}

TEST(test_neighbours)
{
	recorded_hold("neighbours", 10, around);
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
