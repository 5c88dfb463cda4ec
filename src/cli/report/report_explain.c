/* `explain`: how a result follows, by its terms as the code that computes it noted them; and what a
 * field is set to. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "core/base/text.h"
#include "core/estimate/explain.h"
#include "core/estimate/symbol.h"
#include "core/plan/field_source.h"
#include "core/plan/since.h"
#include "core/search/search_target.h"
#include "out/out.h"
#include "ui/pane/figures.h"

enum { FORMULA_SIZE = 2048 };

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
	char amount[UNITS_SIZE];

	if (m == MEASURE_BYTES || m == MEASURE_WIRE)
		text_put(buf, size, "%s B (%s)", UNITS_EXACT(COUNT, v), units_exact(amount, sizeof amount, m, v));
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
print_dimension(const struct explain *q, const struct reason *r, enum traffic_dim dim)
{
	const struct reason own = explain_dim(q, r, dim);
	char name[16], text[160];
	size_t at = 0;

	text_put(name, sizeof name, "%s", traffic_dim_name(dim));
	for (char *c = name; *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	out_end(stdout);
	out_line(stdout, "%s: %s", name,
	    format_value(text, sizeof text, measure_of(own.made.quantity), own.sum));
	for (const struct ledger_term *t; (t = explain_next(q, &own, &at)) != NULL;)
		print_term(t);
}

/* Traffic comes by dimension, in the order of the ledger. */
static void
print_terms(const struct explain *q, const struct reason *r)
{
	const bool flows = result_table[q->id].scope == SCOPE_FLOW;
	bool done[TRAFFIC_DIMS] = { false };
	size_t at = 0;

	for (const struct ledger_term *t; (t = explain_next(q, r, &at)) != NULL;) {
		if (!flows) {
			print_term(t);
		} else if (!done[explain_dim_of(q, t)]) {
			done[explain_dim_of(q, t)] = true;
			print_dimension(q, r, explain_dim_of(q, t));
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

/* What it is; and since when there is a result of that name, if there was none at first. */
static void
print_help(enum result_id id)
{
	const char *version = since_version(result_table[id].path);

	out_part(stdout, "%s", result_table[id].help);
	if (!text_equal(version, SINCE_FIRST))
		out_part(stdout, " (since %s)", version);
	out_end(stdout);
}

/* Terms under the result that is their sum; of a part what it is part of is said as well. */
static void
print_made(const struct explain *q, enum result_id id, const struct reason *r)
{
	const enum measure measure = measure_of(r->made.quantity);
	char text[160];

	print_name(id, r->stage);
	out_part(stdout, " = %s", format_value(text, sizeof text, measure, r->sum));
	if (r->made.part != PART_NONE && id != q->id)
		out_part(stdout, " of %s", format_value(text, sizeof text, measure, r->whole));
	out_end(stdout);
	print_help(id);
	print_terms(q, r);
}

static int64_t
asked_stage(const struct explain *q)
{
	return q->stage >= 0 ? q->stage : q->e->peak_stage;
}

/* A result that is no sum: its value, and how that follows. */
static void
print_value(const struct explain *q, const char *formula)
{
	const struct result *r = &result_table[q->id];
	char text[160];
	double value;

	print_name(q->id, r->scope == SCOPE_STAGE ? asked_stage(q) : -1);
	if (result_value(q->id, q->e, asked_stage(q), &value))
		out_part(stdout, " = %s", format_value(text, sizeof text, r->measure, value));
	out_end(stdout);
	print_help(q->id);
	if (formula[0] != '\0')
		out_line(stdout, "= %s", formula);
}

/* Why nothing adds up to it in a legal plan. */
static void
complain_empty(const struct explain *q)
{
	const char *path = result_table[q->id].path;

	if (q->e->served && result_table[q->id].scope == SCOPE_STAGE)
		complain("%s has no terms in this plan: what an engine holds is %s", path,
		    result_table[RESULT_SERVE_MEMORY].path);
	else
		complain("%s has no terms in this plan: it is of the other mode, or there is none of "
		    "it", path);
}

/* What letters of the formulas above stand for. */
static void
print_letters(const struct explain *q, const struct reason reason[], int reasons)
{
	bool has[SYMBOLS] = { false }, any = false;

	for (int i = 0; i < reasons; i++) {
		size_t at = 0;

		for (const struct ledger_term *t; (t = explain_next(q, &reason[i], &at)) != NULL;)
			if (strncmp(result_table[reason[i].of].path, "memory.", sizeof "memory." - 1) == 0)
				symbols_find(t->formula, has);
	}
	for (int i = 0; i < SYMBOLS; i++) {
		if (has[i] && !any) {
			out_end(stdout);
			out_line(stdout, "letters of these formulas");
		}
		if (has[i])
			out_line(stdout, "    %-6s %s", symbol_table[i].name, symbol_table[i].help);
		any = any || has[i];
	}
}

/* A sum has the measure of its terms. */
static bool
is_sum(const struct explain *q)
{
	const struct result *r = &result_table[q->id];
	const enum quantity own = r->made->quantity;

	return own != QUANTITY_COUNT && measure_of(own) == r->measure;
}

/* Whether a result is told by its value, with how that follows; else by the sum of its terms. */
static bool
told_by_value(const struct plan *p, const struct explain *q, char *formula, size_t size)
{
	double value;

	result_formula(q->id, p, q->e, asked_stage(q), formula, size);
	return formula[0] != '\0' || (!is_sum(q) && result_value(q->id, q->e, asked_stage(q), &value));
}

/* False when the plan has none of it. */
static bool
print_result(const struct plan *p, const struct explain *q)
{
	struct reason reason[REASONS_MAX];
	const int reasons = explain_reasons(q, reason);
	char formula[FORMULA_SIZE], overlap[512];
	int i = 0;

	if (told_by_value(p, q, formula, sizeof formula)) {
		print_value(q, formula);
	} else {
		if (reasons == 0)
			return false;
		print_made(q, q->id, &reason[i++]);
	}
	if (q->id == RESULT_EXPOSED || q->id == RESULT_FLOW_EXPOSED) {
		figures_overlap(p, overlap, sizeof overlap);
		out_end(stdout);
		out_line(stdout, "hidden behind compute: %s", overlap);
	}
	for (; i < reasons; i++) {
		out_end(stdout);
		print_made(q, reason[i].of, &reason[i]);
	}
	print_letters(q, reason, reasons);
	return true;
}

static void
json_term(struct jsonout *j, const struct explain *q, const struct reason *r,
    const struct ledger_term *t)
{
	const enum result_scope scope = result_table[q->id].scope;

	jsonout_object_row(j, NULL);
	jsonout_text(j, "of", result_table[r->of].path);
	if (r->stage >= 0)
		jsonout_int(j, "stage", r->stage);
	if (scope == SCOPE_FLOW || scope == SCOPE_DIM)
		jsonout_text(j, "dim", traffic_dim_name(explain_dim_of(q, t)));
	jsonout_text(j, "name", t->name);
	jsonout_count(j, "value", t->value);
	jsonout_text(j, "formula", t->formula);
	jsonout_text(j, "source", t->source);
	jsonout_close(j);
}

/* For scripts: the result, and the terms of each sum that explains it. False when the plan has
 * none of it. */
static bool
json_result_terms(const struct plan *p, const struct explain *q)
{
	const struct result *r = &result_table[q->id];
	struct reason reason[REASONS_MAX];
	const int reasons = explain_reasons(q, reason);
	struct jsonout j = { .out = stdout };
	char formula[FORMULA_SIZE];
	const bool by_value = told_by_value(p, q, formula, sizeof formula);
	const int64_t usual = !by_value && reasons > 0 && reason[0].stage >= 0 ? reason[0].stage : asked_stage(q);
	bool known = false;
	double value;

	jsonout_object(&j, NULL);
	jsonout_text(&j, "quantity", r->path);
	if (r->scope == SCOPE_STAGE)
		jsonout_int(&j, "stage", usual);
	if (reasons > 0 && !by_value && !result_value(q->id, q->e, usual, &value))
		jsonout_count(&j, "value", reason[0].sum);
	else
		json_result(&j, "value", q->id, q->e, usual);
	jsonout_text(&j, "help", r->help);
	jsonout_text(&j, "since", since_version(r->path));
	jsonout_text(&j, "formula", formula[0] != '\0' ? formula : NULL);
	jsonout_list(&j, "terms");
	for (int i = 0; i < reasons; i++) {
		size_t at = 0;

		for (const struct ledger_term *t; (t = explain_next(q, &reason[i], &at)) != NULL;) {
			known = true;
			json_term(&j, q, &reason[i], t);
		}
	}
	jsonout_close(&j);
	jsonout_close(&j);
	return known || formula[0] != '\0' || result_applies(q->id, q->e, usual);
}

static int
explain_work(struct session *s, const struct options *o)
{
	const enum result_id id = result_find(o->operand[o->operands - 1]);
	struct ledger ledger;
	struct estimate *e = run_with_ledger(s, &ledger);
	const struct explain question = {
		.id = id, .e = e, .term = ledger.term, .terms = ledger.count, .stage = o->stage, .row = -1
	};
	int status = STATUS_OK;

	if (e == NULL)
		return STATUS_ERROR;
	if (!e->legal) {
		session_complain(&e->diags, SEVERITY_ERROR);
		status = STATUS_NO;
	}
	if (!report_has_stage(o, e))
		status = STATUS_ERROR;
	else if (!(o->json ? json_result_terms(&s->plan, &question) :
	    print_result(&s->plan, &question)) && e->legal) {
		complain_empty(&question);
		status = STATUS_NO;
	}
	free(ledger.term);
	free(e);
	return status;
}

/* A field is no number that follows: what it is set to, by whom, and what it means. */
static int
explain_field(struct session *s, const struct options *o)
{
	const enum field_id f = field_find(o->operand[o->operands - 1]);
	char value[PLAN_LAYOUT_SIZE], source[160];
	struct jsonout j = { .out = stdout };

	field_format(f, &s->plan, value, sizeof value);
	field_source_text(f, &s->plan, source, sizeof source);
	if (o->json) {
		jsonout_object(&j, NULL);
		jsonout_text(&j, "field", field_table[f].path);
		json_field(&j, "value", f, &s->plan);
		jsonout_text(&j, "from", source);
		jsonout_text(&j, "help", field_table[f].help);
		jsonout_text(&j, "since", since_version(field_table[f].path));
		jsonout_close(&j);
		return STATUS_OK;
	}
	out_line(stdout, "%s = %s (%s)", field_table[f].path, value[0] != '\0' ? value : "nothing", source);
	report_field(f);
	return STATUS_OK;
}

int
explain_run(const struct options *o)
{
	const char *name = o->operands > 0 ? o->operand[o->operands - 1] : NULL;
	const char *near = name != NULL ? target_near(name) : NULL;

	if (name != NULL && result_find(name) != RESULT_COUNT)
		return session_with(o, explain_work);
	if (name != NULL && field_find(name) != FIELD_COUNT)
		return session_with(o, explain_field);
	if (near != NULL)
		return usage_error("explain: there is no quantity or field '%s' (did you mean %s?)", name, near);
	if (name == NULL)
		complain("explain needs a quantity; there are");
	else
		complain("explain: there is no quantity or field '%s'; quantities are", name);
	list_results();
	return STATUS_ERROR;
}
