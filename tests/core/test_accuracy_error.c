/*
 * The errors that estimates show are those that are measured, kind by kind, and so is the certainty of a
 * ranking.
 */
#include "../bench/accuracy_error.c"
#include "../bench/accuracy_step_row.c"
#include "accuracy_pairs.h"
#include "core/framework/error.h"
#include "settings.h"

static const char *
top(void)
{
	return getenv("TOP") != NULL ? getenv("TOP") : ".";
}

/* What `make accuracy` prints stands in the program. */
static void
is_measured(const char *file, void (*measure)(FILE *out, const char *top))
{
	char path[1024], have[128], want[128];
	FILE *measured = tmpfile(), *table;

	snprintf(path, sizeof path, "%s/src/core/%s", top(), file);
	table = fopen(path, "r");
	assert_non_null(table);
	assert_non_null(measured);
	measure(measured, top());
	rewind(measured);
	while (fgets(have, sizeof have, table) != NULL && strcmp(have, " */\n") != 0)
		;
	while (fgets(want, sizeof want, measured) != NULL) {
		assert_non_null(fgets(have, sizeof have, table));
		if (strcmp(have, want) != 0)
			fail_msg("%s has %.*s, measured is %s", file, (int)strcspn(have, "\n"), have, want);
	}
	assert_null(fgets(have, sizeof have, table));
	fclose(table);
	fclose(measured);
}

TEST(tables_are_measured)
{
	is_measured("framework/error.def", accuracy_error);
	is_measured("search/ahead.def", accuracy_pairs);
}

static double
step_error(const char *settings)
{
	struct plan p;

	plan_defaults(&p);
	settings_put_all(&p, settings);
	return error_of_step(&p);
}

/* Its own kind's where there is a row, else its generation's, else that of all. */
TEST(kinds)
{
	const char *moe = "generation=ampere experts=8 experts_per_token=2 moe_ffn_hidden_size=1024";
	struct plan p;

	assert_true(step_error("generation=hopper") > step_error("generation=hopper precision=fp8"));
	assert_true(step_error("generation=hopper layout=torchtitan") > step_error("generation=hopper"));
	assert_true(step_error("generation=hopper layout=torchtitan experts=8 experts_per_token=2 "
	    "moe_ffn_hidden_size=1024") < step_error("generation=hopper layout=torchtitan"));
	assert_true(step_error(moe) == step_error("generation=ampere precision=fp8"));
	assert_true(step_error("generation=trainium2") == step_error("generation=other"));
	assert_true(step_error("generation=trainium2") > step_error("generation=blackwell"));
	plan_defaults(&p);
	settings_put_all(&p, "mode=serve engine=sglang");
	assert_true(error_of_ttft(&p) > error_of_tpot(&p));
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
