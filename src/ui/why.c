#include "ui/why.h"

#include <stdlib.h>

#include "core/schedule.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "core/units.h"

/* The row of the traffic pane that is explained, NULL without one. */
static const struct traffic_row *
flow_of(const struct state *s)
{
	const struct estimate *e = s->estimate;

	return e->timed && s->flow < (int)e->traffic.count ? &e->traffic.row[s->flow] : NULL;
}

/* Note the terms again: the estimate of the screen is made without them. */
static void
note_terms(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = s->estimate;
	struct traffic traffic = { 0 };

	if (s->why == PANE_MEMORY) {
		ledger->stage = (int32_t)s->stage;
		memory_stage(&s->plan, &e->layout, &e->placement, e->microbatches, s->stage, ledger);
		ledger->stage = -1;
	}
	if (e->timed && s->why != PANE_MEMORY)
		steptime_estimate(&s->plan, &e->layout, &e->placement, e->microbatches, &traffic,
		    ledger);
	if (e->served)
		serve_estimate(&s->plan, &e->layout, &e->placement, ledger);
}

bool
why_note(struct state *s)
{
	struct ledger ledger;

	s->term_count = 0;
	if (s->terms == NULL)
		s->terms = malloc(STATE_TERMS * sizeof *s->terms);
	if (s->terms == NULL)
		return false;
	if (s->estimate->stages > 0) {
		ledger_init(&ledger, s->terms, STATE_TERMS);
		note_terms(s, &ledger);
		s->term_count = ledger.count < STATE_TERMS ? ledger.count : STATE_TERMS;
	}
	return true;
}

unsigned
why_open(struct state *s, enum pane pane)
{
	s->why = pane;
	if (why_note(s))
		overlay_open(s, OVERLAY_WHY);
	else
		state_say(s, ROLE_ERROR, "no memory for the list");
	return 0;
}

unsigned
overlay_why(struct state *s, const char *argument)
{
	(void)argument;
	if (s->focus == PANE_MAP && s->picture == PICTURE_PIPELINE &&
	    s->pipeline.stage < s->estimate->stages)
		s->stage = s->pipeline.stage;
	return why_open(s, s->focus >= PANE_MEMORY ? s->focus : PANE_MEMORY);
}

void
why_title(const struct state *s, char *buf, size_t size)
{
	const enum result_id id = figures_at(s->estimate, s->figure);
	char name[64];

	if (s->why == PANE_TRAFFIC && flow_of(s) != NULL) {
		flows_name(flow_of(s), name, sizeof name);
		text_add(buf, size, "traffic of %s", name);
	} else if (s->why == PANE_STEP)
		text_add(buf, size, "%s", id != RESULT_COUNT ? result_table[id].brief : "step");
	else
		text_add(buf, size, s->why == PANE_MEMORY ? "memory of stage %lld" : "traffic",
		    (long long)s->stage);
}

/* An amount of a quantity. */
static const char *
put_amount(enum quantity q, double value, char *buf, size_t size)
{
	return units_short(buf, size, result_table[result_of_quantity(q)].measure, value);
}

static void
add_term(struct rows *rows, const struct ledger_term *t)
{
	char text[512], amount[64];
	int item = rows->items;

	text_put(text, sizeof text, "%s %s", t->name, t->formula);
	if (!rows_passes(rows, text))
		return;
	rows->items++;
	put_amount(t->quantity, t->value, amount, sizeof amount);
	text_put(text, sizeof text, "%-38s %16s", t->name, amount);
	rows_wrapped(rows, item, -1, ROLE_TEXT, 2, text);
	rows_wrapped(rows, item, -1, ROLE_DIM, 6, t->formula);
	text_put(text, sizeof text, "source: %s", t->source);
	rows_wrapped(rows, item, -1, ROLE_DIM, 6, text);
}

/* Terms of a quantity; nothing without any. */
static void
add_terms(struct rows *rows, const struct state *s, const struct made_of *made)
{
	const enum quantity q = made->quantity;
	const struct result *r = &result_table[result_of_quantity(q)];
	char text[512], amount[64];
	double sum = 0, all = 0;
	int64_t stage = -1;
	int terms = 0;

	for (size_t i = 0; i < s->term_count; i++) {
		if (s->terms[i].quantity != q)
			continue;
		all += s->terms[i].value;
		stage = s->terms[i].stage;
		if (result_has_term(made, &s->terms[i])) {
			sum += s->terms[i].value;
			terms++;
		}
	}
	if (terms == 0)
		return;
	text_put(text, sizeof text, "%s", r->path);
	if (q == QUANTITY_SERVE_MEMORY && s->estimate->stages > 1)
		text_add(text, sizeof text, " of stage %lld", (long long)stage);
	text_add(text, sizeof text, ": %s", put_amount(q, sum, amount, sizeof amount));
	if (r->form == FORM_BYTES)
		text_add(text, sizeof text, " (%.0f bytes)", sum);
	if (made->part != PART_NONE && q != QUANTITY_TRAFFIC)
		text_add(text, sizeof text, " of %s", put_amount(q, all, amount, sizeof amount));
	rows_heading(rows, text);
	for (size_t i = 0; i < s->term_count; i++)
		if (result_has_term(made, &s->terms[i]))
			add_term(rows, &s->terms[i]);
}

/* All that a result is made of. */
static void
add_made(struct rows *rows, const struct state *s, enum result_id id)
{
	for (const struct made_of *made = result_table[id].made; made->quantity != QUANTITY_COUNT;
	    made++)
		add_terms(rows, s, made);
}

/* "stage 0: 23.6 GiB (22.9 GiB to 26.1 GiB, by what the overhead comes to)" */
static void
memory_line(const struct state *s, char *buf, size_t size)
{
	char total[UNITS_SIZE], low[UNITS_SIZE], high[UNITS_SIZE];
	const struct memory *m;

	if (s->stage >= s->estimate->stages)
		return;
	m = &s->estimate->stage[s->stage].memory;
	units_short(total, sizeof total, MEASURE_BYTES, m->total);
	text_put(buf, size, "stage %lld: %s", (long long)s->stage, total);
	if (m->overhead_high > m->overhead_low) {
		units_short(low, sizeof low, MEASURE_BYTES, m->allocated + m->overhead_low);
		units_short(high, sizeof high, MEASURE_BYTES, m->allocated + m->overhead_high);
		text_add(buf, size, " (%s to %s, by what the overhead comes to)", low, high);
	}
}

static void
flow_line(const struct state *s, char *buf, size_t size)
{
	const struct traffic_row *row = flow_of(s);
	char bytes[UNITS_SIZE], seconds[UNITS_SIZE], exposed[UNITS_SIZE], name[64];

	if (row == NULL)
		return;
	flows_name(row, name, sizeof name);
	units_short(bytes, sizeof bytes, MEASURE_WIRE, row->bytes);
	units_short(seconds, sizeof seconds, MEASURE_SECONDS, row->seconds);
	units_short(exposed, sizeof exposed, MEASURE_SECONDS, row->exposed_seconds);
	text_put(buf, size, "%s: one GPU sends %s in %.0f call%s a step: %s alone, %s after overlap "
	    "with compute", name, bytes, row->calls, row->calls > 1 ? "s" : "", seconds, exposed);
}

static void
figure_line(const struct state *s, char *buf, size_t size)
{
	const enum result_id id = figures_at(s->estimate, s->figure);
	char overlap[512], amount[UNITS_SIZE];

	if (id == RESULT_COUNT)
		return;
	text_put(buf, size, "%s %s: %s", result_table[id].brief,
	    figures_format(id, s->estimate, amount, sizeof amount), result_table[id].help);
	if (id == RESULT_EXPOSED) {
		figures_overlap(&s->plan, overlap, sizeof overlap);
		text_add(buf, size, "; hidden: %s", overlap);
	}
}

void
why_line(const struct state *s, enum pane pane, char *buf, size_t size)
{
	buf[0] = '\0';
	if (pane == PANE_MEMORY)
		memory_line(s, buf, size);
	else if (pane == PANE_TRAFFIC)
		flow_line(s, buf, size);
	else if (pane == PANE_STEP)
		figure_line(s, buf, size);
}

/* What activations are multiplied by. */
static void
add_flight(struct rows *rows, const struct state *s, double microbatches)
{
	const struct placement *pl = &s->estimate->placement;
	const long long m = (long long)s->estimate->microbatches, pp = (long long)pl->pp;
	const struct share unit = { .input = 0 };
	const struct flight f = schedule_flight(&s->plan, pl, m, s->stage, &unit);
	char text[320];

	if (pl->vpp > 1)
		text_put(text, sizeof text, "pairs of chunk and micro-batch in flight: %.4g = %s, m %lld, "
		    "PP %lld, VPP %lld, group %lld, r %lld; source: %s", microbatches * (double)pl->vpp,
		    f.rule, m, pp, (long long)pl->vpp, (long long)placement_group(&s->plan, pl->pp, m),
		    (long long)s->stage, f.source);
	else
		text_put(text, sizeof text, "micro-batches in flight: %.4g = %s, m %lld, PP %lld, VPP 1, "
		    "r %lld; source: %s", microbatches, f.rule, m, pp, (long long)s->stage, f.source);
	rows_item(rows, -1, ROLE_TEXT, text);
}

/* An engine fills its memory on every stage: what memory_line's amount is the sum of. */
static void
add_engine(struct rows *rows, const struct memory *m)
{
	const struct {
		const char *name;
		double bytes;
	} part[] = {
		{ "params", m->parameters }, { "activations", m->activations },
		{ "KV pool", m->kv_cache }, { "graphs and tables", m->buffers },
		{ "outside the allocator", m->overhead },
	};
	char text[320] = "=", amount[UNITS_SIZE];

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		units_short(amount, sizeof amount, MEASURE_BYTES, part[i].bytes);
		text_add(text, sizeof text, "%s %s %s", i > 0 ? " +" : "", part[i].name, amount);
	}
	rows_item(rows, -1, ROLE_TEXT, text);
}

static void
memory_rows(struct rows *rows, const struct state *s)
{
	if (s->stage < s->estimate->stages) {
		const struct memory *m = &s->estimate->stage[s->stage].memory;

		if (s->estimate->served)
			add_engine(rows, m);
		else if (m->in_flight > 0)
			add_flight(rows, s, m->in_flight);
	}
	add_made(rows, s, RESULT_TOTAL);
}

static void
flow_rows(struct rows *rows, const struct state *s)
{
	const struct traffic_row *row = flow_of(s);
	char text[320];

	if (row == NULL)
		return;
	text_put(text, sizeof text, "group of %lld over %lld node%s: %s, %lld of them in one NVLink "
	    "domain, %lld domain%s; NICs of a node to itself: %.3g", (long long)row->span.size,
	    (long long)row->span.nodes, row->span.nodes == 1 ? "" : "s",
	    flows_span(row->span.kind, true), (long long)row->span.inside,
	    (long long)row->span.domains, row->span.domains == 1 ? "" : "s", row->span.nic_share);
	rows_item(rows, -1, ROLE_TEXT, text);
	add_terms(rows, s, &(struct made_of){ QUANTITY_TRAFFIC, PART_ROW + s->flow });
}

static void
figure_rows(struct rows *rows, const struct state *s)
{
	const enum result_id id = figures_at(s->estimate, s->figure);
	char text[640], overlap[512], formula[160];

	if (id == RESULT_COUNT)
		return;
	result_formula(id, &s->plan, s->estimate, 0, formula, sizeof formula);
	text_put(text, sizeof text, "= %s", formula);
	if (formula[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, text);
	if (s->estimate->timed) {
		figures_overlap(&s->plan, overlap, sizeof overlap);
		text_put(text, sizeof text, "hidden behind compute: %s", overlap);
		rows_item(rows, -1, ROLE_TEXT, text);
	}
	add_made(rows, s, id);
}

void
why_rows(struct rows *rows, const struct state *s)
{
	char line[512];

	why_line(s, s->why, line, sizeof line);
	if (line[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, line);
	if (s->why == PANE_TRAFFIC)
		flow_rows(rows, s);
	else if (s->why == PANE_STEP)
		figure_rows(rows, s);
	else
		memory_rows(rows, s);
	if (rows->items == 0 && rows->filter[0] == '\0')
		rows_item(rows, -1, ROLE_DIM, "nothing to explain until the errors are mended");
}
