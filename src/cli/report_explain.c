/* `explain`: the terms of one number, as the code that computes it noted them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/session.h"
#include "core/estimate.h"
#include "core/ledger.h"
#include "core/text.h"

static void
list_quantities(void)
{
	for (int q = 0; q < QUANTITY_COUNT; q++)
		fprintf(stderr, "  %-20s %s\n", quantity_table[q].name, quantity_table[q].help);
}

/* An estimate with every term of it; the terms are the caller's to free. */
static struct estimate *
run_with_ledger(const struct session *s, struct ledger *ledger)
{
	struct ledger_term *term;
	struct estimate *e;

	/* Once to count the terms, once to keep them. */
	ledger_init(ledger, NULL, 0);
	if ((e = session_estimate(s, ledger)) == NULL)
		return NULL;
	free(e);
	term = calloc(ledger->count + 1, sizeof *term);
	if (term == NULL) {
		complain("out of memory");
		return NULL;
	}
	ledger_init(ledger, term, ledger->count + 1);
	if ((e = session_estimate(s, ledger)) == NULL)
		free(term);
	return e;
}

static const char *
format_value(char *buf, size_t size, const struct quantity_info *info, double v)
{
	char scaled[64], grouped[64];

	format_grouped(grouped, sizeof grouped, v);
	if (text_equal(info->unit, "B"))
		text_put(buf, size, "%s B (%s)", grouped, format_bytes(scaled, sizeof scaled, v));
	else
		text_put(buf, size, "%s %s", grouped, info->unit);
	return buf;
}

/* Terms of a quantity on one stage (-1: the whole model). Returns how many there are. */
static size_t
print_terms(const struct ledger *ledger, enum quantity q, int64_t stage)
{
	const struct quantity_info *info = &quantity_table[q];
	double sum = 0;
	size_t terms = 0;
	char text[160];

	for (size_t i = 0; i < ledger->count; i++)
		if (ledger->term[i].quantity == q && ledger->term[i].stage == stage) {
			sum += ledger->term[i].value;
			terms++;
		}
	if (terms == 0)
		return 0;
	printf("%s%s", info->name, stage < 0 ? "" : " of stage ");
	if (stage >= 0)
		printf("%" PRId64, stage);
	printf(" = %s\n%s\n", format_value(text, sizeof text, info, sum), info->help);
	for (size_t i = 0; i < ledger->count; i++) {
		const struct ledger_term *t = &ledger->term[i];

		if (t->quantity == q && t->stage == stage)
			printf("\n%s = %s\n    %s\n    source: %s\n", t->name,
			    format_value(text, sizeof text, info, t->value), t->formula, t->source);
	}
	return terms;
}

static int
explain(const struct session *s, enum quantity q, int64_t stage)
{
	struct ledger ledger;
	struct estimate *e = run_with_ledger(s, &ledger);
	int status = STATUS_OK;

	if (e == NULL)
		return STATUS_ERROR;
	if (!e->legal) {
		session_complain(&e->diags, SEVERITY_ERROR);
		status = STATUS_NO;
	}
	if (stage >= 0 && e->stages > 0 && stage >= e->stages)
		status = usage_error("--stage %" PRId64 ": stages go from 0 to %" PRId64, stage,
		    e->stages - 1);
	else if (print_terms(&ledger, q, -1) == 0 &&
	    print_terms(&ledger, q, stage >= 0 ? stage : e->peak_stage) == 0)
		status = e->legal ? STATUS_OK : STATUS_NO;
	free(ledger.term);
	free(e);
	return status;
}

int
explain_run(const struct options *o)
{
	const char *name = o->operands > 0 ? o->operand[o->operands - 1] : NULL;
	const enum quantity q = name != NULL ? quantity_find(name) : QUANTITY_COUNT;
	struct session s;
	int status;

	if (q == QUANTITY_COUNT) {
		if (name == NULL)
			complain("explain needs a quantity; there are");
		else
			complain("explain: there is no quantity '%s'; there are", name);
		list_quantities();
		return STATUS_ERROR;
	}
	if (!session_open(&s, o, o->operands > 1 ? o->operand[0] : NULL))
		return STATUS_ERROR;
	status = explain(&s, q, o->stage);
	session_close(&s);
	return status;
}
