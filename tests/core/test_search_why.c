/*
 * test_search_why.c - what is said of a search: why it finds nothing, and where a field stands in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/search/search_make.h"
#include "core/search/search_split.h"
#include "core/search/search_why.h"
#include "settings.h"

static struct search_space *space;

static void
make(const char *settings, const struct wishes *w)
{
	const struct plan p = settings_plan("", settings);
	char err[256];

	if (!space_make(space, &p, NULL, w, err, sizeof err))
		fail_msg("%s", err);
}

static const char *
obstacle(const char *settings, enum field_id a, const char *values, enum field_id b, const char *others)
{
	static char text[512];

	make(settings, &(struct wishes){ b == FIELD_NONE ? 1 : 2, { { a, values, true }, { b, others, true } } });
	search_obstacle(space, text, sizeof text);
	return text;
}

/* An error of what is not searched is told, with what mends it; warnings are none, and what the search tries
 * itself is no way out. */
static void
obstacles(void **state)
{
	const char *text;

	(void)state;
	assert_string_equal(obstacle("layers=32 attention_heads=32 kv_heads=8", FIELD_TP, "1,2", FIELD_NONE, NULL), "");
	text = obstacle("layers=32 pp=5", FIELD_TP, "1,2", FIELD_NONE, NULL);
	assert_non_null(strstr(text, "layers"));
	assert_non_null(strstr(text, "(fix: parallel.pp="));
	text = obstacle("layers=32", FIELD_PP, "5", FIELD_NONE, NULL);
	assert_true(text[0] != '\0' && strstr(text, "(fix:") == NULL);
	/* TP's error comes first in order, and is searched; PP's is not */
	text = obstacle("layers=32 pp=5 attention_heads=32", FIELD_TP, "3", FIELD_NONE, NULL);
	assert_non_null(strstr(text, "(fix: parallel.pp="));
}

/* Splits stand for the five fields that they set, and for no other. */
static void
places(void **state)
{
	int found = 0, splits;

	(void)state;
	make("layers=32 pp=4", &(struct wishes){ 2, { { FIELD_TP, "1,2", true },
	    { FIELD_PIPELINE_LAYOUT, NULL, true } } });
	splits = space_place(space, FIELD_PIPELINE_LAYOUT);
	assert_true(splits >= 0 && space->field[splits].splits);
	for (int f = 0; f < FIELD_COUNT; f++) {
		const int at = space_place(space, (enum field_id)f);

		found += at == splits;
		assert_true(at == splits || (f == FIELD_TP ? at == 1 - splits : at < 0));
		assert_true(split_is_field((enum field_id)f) == (at == splits));
	}
	assert_int_equal(found, SPLIT_FIELDS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(obstacles),
		cmocka_unit_test(places),
	};
	int failed;

	space = calloc(1, sizeof *space);
	if (space == NULL)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(space);
	return failed;
}
