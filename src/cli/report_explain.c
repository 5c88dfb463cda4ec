/* `explain`: how a result follows, by its terms as the code that computes it noted them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "cli/run.h"
#include "core/base/ledger.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/search/search_target.h"
#include "out/out.h"
#include "ui/pane/figures.h"

enum { WHOLE = -1, ANY_STAGE = -2, FORMULA_SIZE = 2048 };

/* A result that is looked into. */
struct question {
	const struct plan *p;
	const struct estimate *e;
	const struct ledger *ledger;
	enum result_id id;
	int64_t stage; /* as asked for; -1: the usual one */
};

static void
list_results(void)
{
	for (int id = 0; id < RESULT_COUNT; id++)
		out_line(stderr, "  %-34s %s", result_table[id].path, result_table[id].help);
}

/* An estimate with every term of it; the terms are the caller's to free. */
static struct estimate *
run_with_ledger(const struct session *s, struct ledger *ledger)
{
	struct ledger_term *term;
	struct estimate *e;

	/* Once to count the terms, once to keep them. */
	ledger_init(ledger, NULL, 0);
	if ((e = session_run(s, ledger)) == NULL)
		return NULL;
	free(e);
	term = calloc(ledger->count + 1, sizeof *term);
	if (term == NULL) {
		out_of_memory();
		return NULL;
	}
	ledger_init(ledger, term, ledger->count + 1);
	if ((e = session_estimate(s, ledger)) == NULL)
		free(term);
	return e;
}

/* Bytes and parameters to the last one. */
static const char *
format_value(char *buf, size_t size, enum measure m, double v)
{
	if (m == MEASURE_BYTES || m == MEASURE_WIRE)
		text_put(buf, size, "%s B (%s)", UNITS_EXACT(COUNT, v), UNITS_EXACT(BYTES, v));
	else if (m == MEASURE_PARAMS)
		text_put(buf, size, "%s parameters", UNITS_EXACT(COUNT, v));
	else
		units_exact(buf, size, m, v);
	return buf;
}

static enum measure
measure_of(enum quantity q)
{
	return result_table[result_of_quantity(q)].measure;
}

static enum traffic_dim
dim_of(const struct question *l, const struct ledger_term *t)
{
	return l->e->traffic.row[t->part - PART_ROW].dim;
}

static bool
is_of(const struct question *l, const struct made_of *made, const struct ledger_term *t,
    int64_t stage)
{
	const struct result *r = &result_table[l->id];

	return result_has_term(made, t) && (stage == ANY_STAGE || t->stage == stage) &&
	    (r->scope != SCOPE_DIM || dim_of(l, t) == (enum traffic_dim)r->at);
}

/* The terms of a stage; *sum is what they come to. */
static size_t
count_terms(const struct question *l, const struct made_of *made, int64_t stage, double *sum)
{
	size_t n = 0;

	*sum = 0;
	for (size_t i = 0; i < l->ledger->count; i++)
		if (is_of(l, made, &l->ledger->term[i], stage)) {
			*sum += l->ledger->term[i].value;
			n++;
		}
	return n;
}

static bool
has_terms(const struct question *l, const struct made_of *made, int64_t stage)
{
	double sum;

	return count_terms(l, made, stage, &sum) > 0;
}

/* The whole model or the stage asked for, which may have 0 of it. Else the fullest stage;
 * where that has none of it (logits, the stage that sends most), the first one that has. */
static int64_t
stage_of(const struct question *l, const struct made_of *made)
{
	if (has_terms(l, made, WHOLE))
		return WHOLE;
	if (l->stage >= 0)
		return l->stage;
	for (int64_t stage = 0; stage < l->e->stages; stage++)
		if (!has_terms(l, made, l->e->peak_stage) && has_terms(l, made, stage))
			return stage;
	return l->e->peak_stage;
}

static void
print_term(const struct ledger_term *t)
{
	char text[160];

	out_end(stdout);
	out_line(stdout, "%s = %s", t->name,
	    format_value(text, sizeof text, measure_of(t->quantity), t->value));
	out_line(stdout, "    %s", t->formula);
	out_line(stdout, "    source: %s", t->source);
}

/* The sum of a dimension and its terms, wherever these stand in the ledger. */
static void
print_dimension(const struct question *l, const struct made_of *made, enum traffic_dim dim,
    int64_t stage)
{
	struct question own = *l;
	char name[16], text[160];
	double sum;

	own.id = (enum result_id)(RESULT_SENT_TP + (int)dim);
	count_terms(&own, made, stage, &sum);
	text_put(name, sizeof name, "%s", traffic_dim_name(dim));
	for (char *c = name; *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	out_end(stdout);
	out_line(stdout, "%s: %s", name,
	    format_value(text, sizeof text, measure_of(made->quantity), sum));
	for (size_t i = 0; i < l->ledger->count; i++)
		if (is_of(&own, made, &l->ledger->term[i], stage))
			print_term(&l->ledger->term[i]);
}

/* Traffic comes by dimension, in the order of the ledger. */
static void
print_terms(const struct question *l, const struct made_of *made, int64_t stage)
{
	bool done[TRAFFIC_DIMS] = { false };

	for (size_t i = 0; i < l->ledger->count; i++) {
		const struct ledger_term *t = &l->ledger->term[i];

		if (!is_of(l, made, t, stage))
			continue;
		if (result_table[l->id].scope != SCOPE_FLOW) {
			print_term(t);
		} else if (!done[dim_of(l, t)]) {
			done[dim_of(l, t)] = true;
			print_dimension(l, made, dim_of(l, t), stage);
		}
	}
}

/* "memory.total of stage 0" */
static void
print_name(enum result_id id, int64_t stage)
{
	out_part(stdout, "%s", result_table[id].path);
	if (stage >= 0)
		out_part(stdout, " of stage %" PRId64, stage);
}

/* Terms under the result that is their sum; of a part what it is part of is said as well. */
static void
print_made(const struct question *l, enum result_id id, const struct made_of *made)
{
	const struct made_of whole = { made->quantity, PART_NONE };
	const int64_t stage = stage_of(l, made);
	char text[160];
	double sum, all;

	count_terms(l, made, stage, &sum);
	count_terms(l, &whole, stage, &all);
	print_name(id, stage);
	out_part(stdout, " = %s", format_value(text, sizeof text, measure_of(made->quantity), sum));
	if (made->part != PART_NONE && id != l->id)
		out_part(stdout, " of %s",
		    format_value(text, sizeof text, measure_of(made->quantity), all));
	out_end(stdout);
	out_line(stdout, "%s", result_table[id].help);
	print_terms(l, made, stage);
}

/* A result that is no sum: its value, and how that follows. */
static void
print_value(const struct question *l, const char *formula)
{
	const struct result *r = &result_table[l->id];
	const int64_t stage = l->stage >= 0 ? l->stage : l->e->peak_stage;
	char text[160];
	double value;

	print_name(l->id, r->scope == SCOPE_STAGE ? stage : WHOLE);
	if (result_value(l->id, l->e, stage, &value))
		out_part(stdout, " = %s", format_value(text, sizeof text, r->measure, value));
	out_end(stdout);
	out_line(stdout, "%s", r->help);
	if (formula[0] != '\0')
		out_line(stdout, "= %s", formula);
}

/* Why nothing adds up to it in a legal plan. */
static void
complain_empty(const struct question *l)
{
	const char *path = result_table[l->id].path;

	if (l->e->served && result_table[l->id].scope == SCOPE_STAGE)
		complain("%s has no terms in this plan: what an engine holds is %s", path,
		    result_table[RESULT_SERVE_MEMORY].path);
	else
		complain("%s has no terms in this plan: it is of the other mode, or there is none of "
		    "it", path);
}

/* False when the plan has none of it. */
static bool
print_result(const struct question *l)
{
	const struct result *r = &result_table[l->id];
	const struct made_of *made = r->made;
	const int64_t stage = l->stage >= 0 ? l->stage : l->e->peak_stage;
	/* A sum has the measure of its terms. */
	const bool sum = made->quantity != QUANTITY_COUNT && measure_of(made->quantity) == r->measure;
	char formula[FORMULA_SIZE], overlap[512];
	double value;

	result_formula(l->id, l->p, l->e, stage, formula, sizeof formula);
	if (formula[0] != '\0' || (!sum && result_value(l->id, l->e, stage, &value))) {
		print_value(l, formula);
	} else {
		while (made->quantity != QUANTITY_COUNT && !has_terms(l, made, ANY_STAGE))
			made++;
		if (made->quantity == QUANTITY_COUNT)
			return false;
		print_made(l, l->id, made++);
	}
	if (l->id == RESULT_EXPOSED || l->id == RESULT_FLOW_EXPOSED) {
		figures_overlap(l->p, overlap, sizeof overlap);
		out_end(stdout);
		out_line(stdout, "hidden behind compute: %s", overlap);
	}
	for (; made->quantity != QUANTITY_COUNT; made++)
		if (has_terms(l, made, ANY_STAGE)) {
			out_end(stdout);
			print_made(l, result_of_quantity(made->quantity), made);
		}
	return true;
}

/* The same for scripts: what it is, and the terms of what it is made of, each with the result
 * whose sum it is in. False when the plan has none of it. */
static bool
json_result_terms(const struct question *l)
{
	const struct result *r = &result_table[l->id];
	const int64_t first = r->made->quantity != QUANTITY_COUNT ? stage_of(l, r->made) : l->stage;
	const int64_t usual = first >= 0 ? first : l->e->peak_stage;
	struct jsonout j = { .out = stdout };
	char formula[FORMULA_SIZE];
	bool known = false;

	result_formula(l->id, l->p, l->e, usual, formula, sizeof formula);
	jsonout_object(&j, NULL);
	jsonout_text(&j, "quantity", r->path);
	if (r->scope == SCOPE_STAGE)
		jsonout_int(&j, "stage", usual);
	json_result(&j, "value", l->id, l->e, usual);
	jsonout_text(&j, "help", r->help);
	jsonout_text(&j, "formula", formula[0] != '\0' ? formula : NULL);
	jsonout_list(&j, "terms");
	for (const struct made_of *made = r->made; made->quantity != QUANTITY_COUNT; made++) {
		const int64_t stage = stage_of(l, made);

		for (size_t i = 0; i < l->ledger->count; i++) {
			const struct ledger_term *t = &l->ledger->term[i];

			if (!is_of(l, made, t, stage))
				continue;
			known = true;
			jsonout_object_row(&j, NULL);
			jsonout_text(&j, "of", result_table[result_of_quantity(made->quantity)].path);
			if (stage >= 0)
				jsonout_int(&j, "stage", stage);
			if (r->scope == SCOPE_FLOW || r->scope == SCOPE_DIM)
				jsonout_text(&j, "dim", traffic_dim_name(dim_of(l, t)));
			jsonout_text(&j, "name", t->name);
			jsonout_count(&j, "value", t->value);
			jsonout_text(&j, "formula", t->formula);
			jsonout_text(&j, "source", t->source);
			jsonout_close(&j);
		}
	}
	jsonout_close(&j);
	jsonout_close(&j);
	return known || formula[0] != '\0' || result_applies(l->id, l->e, usual);
}

static int
explain_work(struct session *s, const struct options *o)
{
	const enum result_id id = result_find(o->operand[o->operands - 1]);
	struct ledger ledger;
	struct estimate *e = run_with_ledger(s, &ledger);
	const struct question question = { &s->plan, e, &ledger, id, o->stage };
	int status = STATUS_OK;

	if (e == NULL)
		return STATUS_ERROR;
	if (!e->legal) {
		session_complain(&e->diags, SEVERITY_ERROR);
		status = STATUS_NO;
	}
	if (!report_has_stage(o, e))
		status = STATUS_ERROR;
	else if (!(o->json ? json_result_terms(&question) : print_result(&question)) && e->legal) {
		complain_empty(&question);
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
	const char *near = name != NULL ? target_near(name) : NULL;

	if (name != NULL && result_find(name) != RESULT_COUNT)
		return session_with(o, explain_work);
	if (near != NULL && result_find(near) != RESULT_COUNT)
		return usage_error("explain: there is no quantity '%s' (did you mean %s?)", name, near);
	if (name == NULL)
		complain("explain needs a quantity; there are");
	else
		complain("explain: there is no quantity '%s'; there are", name);
	list_results();
	return STATUS_ERROR;
}
