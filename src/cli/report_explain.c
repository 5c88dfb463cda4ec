/* `explain`: the terms of one number, as the code that computes it noted them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "core/estimate.h"
#include "core/ledger.h"
#include "core/text.h"
#include "out/out.h"
#include "ui/format.h"

enum { ANY_STAGE = -2 };

static void
list_quantities(void)
{
	for (int q = 0; q < QUANTITY_COUNT; q++)
		out_line(stderr, "  %-26s %s", quantity_table[q].name, quantity_table[q].help);
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
	else if (text_equal(info->unit, "s"))
		return format_seconds(buf, size, v);
	else if (text_equal(info->unit, "FLOP"))
		text_put(buf, size, "%.6g FLOP", v);
	else
		text_put(buf, size, "%s %s", grouped, info->unit);
	return buf;
}

static bool
is_of(const struct ledger_term *t, enum quantity q, int64_t stage)
{
	return t->quantity == q && t->stage == stage;
}

/* Which terms of traffic belong together: each begins with its dimension ("TP scattered
 * outputs"). */
static size_t
dimension_length(const struct ledger_term *t)
{
	return strspn(t->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static bool
same_group(const struct ledger_term *a, const struct ledger_term *b)
{
	const size_t n = dimension_length(a);

	return dimension_length(b) == n && strncmp(a->name, b->name, n) == 0;
}

/* The sum of a dimension, before its first term. */
static void
print_group(const struct ledger *ledger, const struct ledger_term *first, int64_t stage)
{
	const enum quantity q = first->quantity;
	double sum = 0;
	char text[160];

	for (size_t i = 0; i < ledger->count; i++) {
		const struct ledger_term *t = &ledger->term[i];

		if (is_of(t, q, stage) && same_group(t, first))
			sum += t->value;
	}
	format_value(text, sizeof text, &quantity_table[q], sum);
	out_end(stdout);
	out_line(stdout, "%.*s: %s", (int)dimension_length(first), first->name, text);
}

static void
print_term(const struct ledger_term *t)
{
	char text[160];

	out_end(stdout);
	out_line(stdout, "%s = %s", t->name,
	    format_value(text, sizeof text, &quantity_table[t->quantity], t->value));
	out_line(stdout, "    %s", t->formula);
	out_line(stdout, "    source: %s", t->source);
}

/* A group's sum and its terms, wherever these stand in the ledger. */
static void
print_dimension(const struct ledger *ledger, const struct ledger_term *first, int64_t stage)
{
	for (const struct ledger_term *t = ledger->term; t < first; t++)
		if (is_of(t, first->quantity, stage) && same_group(t, first))
			return;
	print_group(ledger, first, stage);
	for (const struct ledger_term *t = first; t < ledger->term + ledger->count; t++)
		if (is_of(t, first->quantity, stage) && same_group(t, first))
			print_term(t);
}

static bool
has_terms(const struct ledger *ledger, enum quantity q, int64_t stage)
{
	for (size_t i = 0; i < ledger->count; i++)
		if (ledger->term[i].quantity == q &&
		    (stage == ANY_STAGE || ledger->term[i].stage == stage))
			return true;
	return false;
}

/* The fullest stage; where that has none of it (logits, the stage that sends most), the
 * first stage that has. */
static int64_t
usual_stage(const struct ledger *ledger, enum quantity q, const struct estimate *e)
{
	for (int64_t stage = 0; stage < e->stages; stage++)
		if (!has_terms(ledger, q, e->peak_stage) && has_terms(ledger, q, stage))
			return stage;
	return e->peak_stage;
}

/* Terms of a quantity on one stage (-1: the whole model). */
static void
print_terms(const struct ledger *ledger, enum quantity q, int64_t stage)
{
	const struct quantity_info *info = &quantity_table[q];
	double sum = 0;
	char text[160];

	for (size_t i = 0; i < ledger->count; i++)
		if (is_of(&ledger->term[i], q, stage))
			sum += ledger->term[i].value;
	out_part(stdout, "%s%s", info->name, stage < 0 ? "" : " of stage ");
	if (stage >= 0)
		out_part(stdout, "%" PRId64, stage);
	out_line(stdout, " = %s", format_value(text, sizeof text, info, sum));
	out_line(stdout, "%s", info->help);
	for (size_t i = 0; i < ledger->count; i++) {
		const struct ledger_term *t = &ledger->term[i];

		if (!is_of(t, q, stage))
			continue;
		if (q == QUANTITY_TRAFFIC || q == QUANTITY_TRAFFIC_SECONDS || q == QUANTITY_EXPOSED)
			print_dimension(ledger, t, stage);
		else
			print_term(t);
	}
}

/* Why nothing adds up to q in a legal plan. */
static void
complain_empty(const struct estimate *e, enum quantity q)
{
	const char *name = quantity_table[q].name;

	if (e->served && strncmp(name, "memory.", 7) == 0)
		complain("%s has no terms in this plan: what an engine holds is %s", name,
		    quantity_table[QUANTITY_SERVE_MEMORY].name);
	else
		complain("%s has no terms in this plan: it is of the other mode, or there is none of "
		    "it", name);
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
	else if (has_terms(&ledger, q, -1))
		print_terms(&ledger, q, -1);
	else if (has_terms(&ledger, q, ANY_STAGE)) /* a stage without any has 0 of it */
		print_terms(&ledger, q, stage >= 0 ? stage : usual_stage(&ledger, q, e));
	else if (e->legal) {
		complain_empty(e, q);
		status = STATUS_NO;
	}
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
