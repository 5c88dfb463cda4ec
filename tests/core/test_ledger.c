/*
 * test_ledger.c - terms are summed with and without a ledger, noted with their formula.
 */
#include <string.h>

#include "core/base/ledger.h"
#include "core/base/text.h"
#include "core/estimate/symbol.h"
#include "../unit.h"

static void
add(struct ledger *l, double *sum)
{
	LEDGER_ADD(l, *sum, QUANTITY_GRADIENTS, 2.0 * 21, "gradients", "a paper", "%d*%d = %d", 2, 21,
	    42);
}

TEST(test_sums_alike)
{
	struct ledger_term terms[2];
	struct ledger l;
	double with = 1, without = 1;

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

/* A C expression is its own formula, with what its values are called, and their numbers. */
TEST(test_expressions)
{
	const struct {
		double tp;
	} plan = { 8 }, *p = &plan;
	const double h = 4096, share = 0.75;
	struct ledger_term terms[2];
	struct ledger l;
	double with = 0, without = 0;

	ledger_init(&l, terms, 2);
	for (struct ledger *asked = &l; ; asked = NULL) {
		double *sum = asked != NULL ? &with : &without;

		LEDGER_TERM(asked, *sum, QUANTITY_BUFFERS, "rows", "a paper",
		    2 * h * (share + 1) / p->tp - h, IS(h), AS("share", share), AS("TP", p->tp));
		if (asked == NULL)
			break;
	}
	assert_true(with == without && with < -2303 && with > -2305);
	assert_int_equal(l.count, 1);
	assert_true(terms[0].value == with);
	assert_string_equal(terms[0].formula,
	    "2*h*(share + 1)/TP - h = 2*4096*(0.75 + 1)/8 - 4096");
}

/* Terms past the capacity are counted and not kept. */
TEST(test_capacity)
{
	struct ledger_term terms[2];
	struct ledger l;
	double sum = 0;
	int i;

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

TEST(test_long_formula)
{
	struct ledger_term term;
	struct ledger l;

	ledger_init(&l, &term, 1);
	ledger_note(&l, QUANTITY_OPTIMIZER, 1, "n", "s", "%0500d", 1);
	assert_int_equal(strlen(term.formula), sizeof term.formula - 1);
}

/* Terms of a part are stamped, and those after them not. */
TEST(test_parts)
{
	struct ledger_term terms[2];
	struct ledger l;
	double sum = 0;

	ledger_init(&l, terms, 2);
	ledger_part(&l, PART_BUBBLE);
	LEDGER_ADD(&l, sum, QUANTITY_STEP, 2, "bubble", "s", "%d", 2);
	ledger_part(&l, PART_NONE);
	add(&l, &sum);
	ledger_part(NULL, PART_BUBBLE);
	assert_int_equal(terms[0].part, PART_BUBBLE);
	assert_int_equal(terms[1].part, PART_NONE);
}

/* Letters of a formula that stand alone, before what they come to. */
TEST(test_symbols)
{
	static const struct {
		const char *formula, *letters;
	} of[] = {
		{ "2*T*h = 2*up", "T h" }, { "( T + up )/routed", "T up routed" }, { "expert parallel*h of all", "" },
		{ "layers of h, T", "T" }, { "Th*hT", "" }, { "", "" }, { "inner", "inner" },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		bool has[SYMBOLS] = { false };
		char found[128] = "";

		symbols_find(of[i].formula, has);
		for (int k = 0; k < SYMBOLS; k++)
			if (has[k])
				text_add(found, sizeof found, "%s%s", *found != '\0' ? " " : "", symbol_table[k].name);
		assert_int_equal(strlen(found), strlen(of[i].letters));
		for (int k = 0; k < SYMBOLS; k++)
			assert_true(has[k] == (text_index(of[i].letters, symbol_table[k].name,
			    strlen(symbol_table[k].name)) >= 0));
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
