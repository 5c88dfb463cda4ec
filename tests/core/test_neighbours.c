/*
 * test_neighbours.c - what is said of every plan that differs from another in one field: what is wrong
 * with it and the fix of that, else its memory, time and tokens, as tests/data/neighbours.tsv has it by
 * checksum. Each limit and condition of a rule is met below, at and above it.
 *
 * ANSWERS=DIR keeps what is said there, to be laid beside that of another build; REGEN=1 writes the checksums
 * anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "../file/filetest.h"
#include "share.h"

enum { LINE_SIZE = 1024, PATH_SIZE = 4096, HASH_SIZE = 17 };

static struct estimate estimate;

static void
say_plan(FILE *out, const struct plan *p)
{
	static const enum result_main numbers[] = { MAIN_MEMORY, MAIN_TIME, MAIN_TOKENS_GPU };
	double value;

	estimate_run_to(&estimate, p, &test_catalog, FOLLOW_MEANS, NULL);
	if (!estimate.legal)
		check_fixes(p, &test_catalog, NULL, &estimate.diags);
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
	static const char *const numbers[] = { "0", "1", "2", "3", "4", "8", "16", "0.5" };
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
	char list[LINE_SIZE], *at = list, err[256];

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

/* FNV-1a of all that is said. */
static uint64_t
around(const char *settings, int number)
{
	const struct plan p = plan_of(settings);
	const char *keep = getenv("ANSWERS");
	uint64_t hash = UINT64_C(14695981039346656037);
	char *text = NULL, path[PATH_SIZE];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int f = 0; f < FIELD_COUNT; f++)
		say_field(out, &p, (enum field_id)f);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	if (keep != NULL) {
		text_put(path, sizeof path, "%s/around%02d", keep, number);
		assert_non_null(out = fopen(path, "w"));
		fprintf(out, "%s\n%s", settings, text);
		fclose(out);
	}
	free(text);
	return hash;
}

static void
test_neighbours(void **state)
{
	const bool anew = getenv("REGEN") != NULL;
	char line[LINE_SIZE], path[PATH_SIZE], new_path[PATH_SIZE];
	int number = 0, wrong = 0;
	FILE *in, *out;

	(void)state;
	text_put(path, sizeof path, "%s/tests/data/neighbours.tsv", getenv("TOP"));
	text_put(new_path, sizeof new_path, "%s.new", path);
	assert_non_null(in = fopen(path, "r"));
	assert_non_null(out = fopen(anew ? new_path : "/dev/null", "w"));
	while (fgets(line, sizeof line, in) != NULL) {
		char is[HASH_SIZE];

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#') {
			fprintf(out, "%s\n", line);
			continue;
		}
		if (!in_share((size_t)number++))
			continue;
		text_put(is, sizeof is, "%016llx", (unsigned long long)around(line + HASH_SIZE, number));
		fprintf(out, "%s\t%s\n", is, line + HASH_SIZE);
		if (strncmp(is, line, HASH_SIZE - 1) != 0) {
			print_error("%2d: something else is said around %s\n", number, line + HASH_SIZE);
			wrong++;
		}
	}
	fclose(in);
	fclose(out);
	assert_true(number > 10);
	if (anew)
		assert_int_equal(rename(new_path, path), 0);
	else
		assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_neighbours) };

	return cmocka_run_group_tests(tests, load_catalog, free_catalog);
}
