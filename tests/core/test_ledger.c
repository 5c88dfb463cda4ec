/*
 * test_ledger.c - terms are summed with and without a ledger, noted with their formula.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/ledger.h"

static void
add(struct ledger *l, double *sum)
{
	LEDGER_ADD(l, *sum, QUANTITY_GRADIENTS, 2.0 * 21, "gradients", "a paper", "%d*%d = %d", 2, 21,
	    42);
}

static void
test_sums_alike(void **state)
{
	struct ledger_term terms[2];
	struct ledger l;
	double with = 1, without = 1;

	(void)state;
	ledger_init(&l, terms, 2);
	assert_int_equal(l.stage, -1);
	l.stage = 3;
	add(&l, &with);
	add(NULL, &without);
	assert_true(with == 43 && without == 43);
	assert_int_equal(l.count, 1);
	assert_int_equal(terms[0].quantity, QUANTITY_GRADIENTS);
	assert_int_equal(terms[0].stage, 3);
	assert_true(terms[0].value == 42);
	assert_string_equal(terms[0].name, "gradients");
	assert_string_equal(terms[0].source, "a paper");
	assert_string_equal(terms[0].formula, "2*21 = 42");
}

/* Terms past the capacity are counted and not kept. */
static void
test_capacity(void **state)
{
	struct ledger_term terms[2];
	struct ledger l;
	double sum = 0;
	int i;

	(void)state;
	memset(terms, 0, sizeof terms);
	ledger_init(&l, terms, 1);
	for (i = 0; i < 3; i++)
		add(&l, &sum);
	assert_int_equal(l.count, 3);
	assert_true(sum == 126);
	assert_null(terms[1].name);
	ledger_init(&l, NULL, 0);
	add(&l, &sum);
	assert_int_equal(l.count, 1);
}

static void
test_long_formula(void **state)
{
	struct ledger_term term;
	struct ledger l;

	(void)state;
	ledger_init(&l, &term, 1);
	ledger_note(&l, QUANTITY_OPTIMIZER, 1, "n", "s", "%0500d", 1);
	assert_int_equal(strlen(term.formula), sizeof term.formula - 1);
}

/* Terms of a part are stamped, and those after them not. */
static void
test_parts(void **state)
{
	struct ledger_term terms[2];
	struct ledger l;
	double sum = 0;

	(void)state;
	ledger_init(&l, terms, 2);
	LEDGER_PART(&l, sum, QUANTITY_STEP, PART_BUBBLE, 2, "bubble", "s", "%d", 2);
	add(&l, &sum);
	LEDGER_PART((struct ledger *)NULL, sum, QUANTITY_STEP, PART_BUBBLE, 2, "bubble", "s", "%d", 2);
	assert_true(sum == 46);
	assert_int_equal(terms[0].part, PART_BUBBLE);
	assert_int_equal(terms[1].part, PART_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_alike),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_long_formula),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
