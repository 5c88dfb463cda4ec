/* Where a number comes from. */
#include <stdlib.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/train/schedule.h"
#include "ui/list/views.h"
#include "ui/pane/figures.h"
#include "ui/pane/flows.h"
#include "ui/pane/panes.h"
#include "ui/pane/phases.h"

/* Note the terms again: the estimate of the screen is made without them. */
static void
note_terms(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = s->estimate;
	struct traffic traffic = { 0 };
	struct rl_estimate phases;

	if (s->why.pane == PANE_TRAFFIC && e->reinforced) {
		rl_run(&phases, &s->plan, s->catalog, &e->layout, &e->placement, NULL, ledger);
		return;
	}
	if (s->why.pane == PANE_MEMORY) {
		ledger->stage = (int32_t)s->stage.at;
		memory_stage(&s->plan, &e->layout, &e->placement, e->microbatches, s->stage.at, ledger);
		ledger->stage = -1;
	}
	if (e->timed && s->why.pane != PANE_MEMORY)
		steptime_estimate(&s->plan, &e->layout, &e->placement, e->microbatches, &traffic,
		    ledger);
	if (e->served)
		serve_estimate(&s->plan, &e->layout, &e->placement, NULL, ledger);
}

/* Note the terms of the plan as it is now, as far as there is memory. */
static void
why_renew(struct state *s)
{
	struct ledger ledger;

	s->why.terms = 0;
	if (s->why.term == NULL)
		s->why.term = malloc(STATE_TERMS * sizeof *s->why.term);
	if (s->why.term == NULL || s->estimate->stages == 0)
		return;
	ledger_init(&ledger, s->why.term, STATE_TERMS);
	note_terms(s, &ledger);
	s->why.terms = ledger.count < STATE_TERMS ? ledger.count : STATE_TERMS;
}

unsigned
why_open(struct state *s, enum pane pane)
{
	s->why.pane = pane;
	list_open(s, LIST_WHY);
	if (s->why.term == NULL)
		state_say(s, ROLE_ERROR, "no memory for the list");
	return 0;
}

unsigned
why_selected(struct state *s)
{
	if (pane_type(s, s->focus) == &pipeline_pane && s->pipeline.stage < s->estimate->stages)
		s->stage.at = s->pipeline.stage;
	return why_open(s, s->focus >= PANE_MEMORY ? s->focus : PANE_MEMORY);
}

static void
why_title(const struct state *s, char *buf, size_t size)
{
	const enum result_id id = figures_at(s->estimate, (int)s->figure.at);
	char name[64];

	if (s->why.pane == PANE_TRAFFIC && s->estimate->reinforced) {
		text_add(buf, size, "%s", result_table[phases_result(s)].label);
	} else if (s->why.pane == PANE_TRAFFIC && flows_selected(s) != NULL) {
		flows_name(flows_selected(s), name, sizeof name);
		text_add(buf, size, "traffic of %s", name);
	} else if (s->why.pane == PANE_STEP)
		text_add(buf, size, "%s", id != RESULT_COUNT ? result_table[id].brief : "step");
	else
		text_add(buf, size, s->why.pane == PANE_MEMORY ? "memory of stage %lld" :
		    s->estimate->served ? "times of the plan" : "traffic",
		    (long long)s->stage.at);
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

	for (size_t i = 0; i < s->why.terms; i++) {
		if (s->why.term[i].quantity != q)
			continue;
		all += s->why.term[i].value;
		stage = s->why.term[i].stage;
		if (result_has_term(made, &s->why.term[i])) {
			sum += s->why.term[i].value;
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
	if (made->part != PART_NONE && made->part < PART_ROW)
		text_add(text, sizeof text, " of %s", put_amount(q, all, amount, sizeof amount));
	rows_heading(rows, text);
	for (size_t i = 0; i < s->why.terms; i++)
		if (result_has_term(made, &s->why.term[i]))
			add_term(rows, &s->why.term[i]);
}

/* All that a result is made of. */
static void
add_made(struct rows *rows, const struct state *s, enum result_id id)
{
	for (const struct made_of *made = result_table[id].made; made->quantity != QUANTITY_COUNT;
	    made++)
		add_terms(rows, s, made);
}

/* What activations are multiplied by. */
static void
add_flight(struct rows *rows, const struct state *s, double microbatches)
{
	const struct placement *pl = &s->estimate->placement;
	const long long m = (long long)s->estimate->microbatches, pp = (long long)pl->pp;
	const struct share unit = { .input = 0 };
	const struct flight f = schedule_flight(&s->plan, pl, m, s->stage.at, &unit);

	if (pl->vpp > 1)
		rows_item(rows, -1, ROLE_TEXT, "pairs of chunk and micro-batch in flight: %.4g = %s, m %lld, "
		    "PP %lld, VPP %lld, group %lld, r %lld; source: %s", microbatches * (double)pl->vpp,
		    f.rule, m, pp, (long long)pl->vpp, (long long)placement_group(&s->plan, pl->pp, m),
		    (long long)s->stage.at, f.source);
	else
		rows_item(rows, -1, ROLE_TEXT, "micro-batches in flight: %.4g = %s, m %lld, PP %lld, "
		    "VPP 1, r %lld; source: %s", microbatches, f.rule, m, pp, (long long)s->stage.at,
		    f.source);
}

/* An engine fills its memory on every stage: what memory_line's amount is the sum of. */
static void
add_engine(struct rows *rows, const struct state *s)
{
	static const enum result_id part[] = {
		RESULT_PARAMETERS, RESULT_ACTIVATIONS, RESULT_KV_CACHE, RESULT_BUFFERS, RESULT_OVERHEAD
	};
	char text[320] = "=";

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		double bytes = 0;

		result_value(part[i], s->estimate, s->stage.at, &bytes);
		text_add(text, sizeof text, "%s %s %s", i > 0 ? " +" : "", result_table[part[i]].label,
		    UNITS_SHORT(BYTES, bytes));
	}
	rows_item(rows, -1, ROLE_TEXT, "%s", text);
}

static void
memory_rows(struct rows *rows, const struct state *s)
{
	if (s->stage.at < s->estimate->stages) {
		const struct memory *m = &s->estimate->stage[s->stage.at].memory;

		if (s->estimate->served)
			add_engine(rows, s);
		else if (m->in_flight > 0)
			add_flight(rows, s, m->in_flight);
	}
	add_made(rows, s, RESULT_TOTAL);
}

static void
flow_rows(struct rows *rows, const struct state *s)
{
	static const enum quantity told[] = {
		QUANTITY_TRAFFIC, QUANTITY_TRAFFIC_SECONDS, QUANTITY_EXPOSED
	};
	const struct traffic_row *row = flows_selected(s);

	if (row == NULL)
		return;
	rows_item(rows, -1, ROLE_TEXT, "group of %lld over %lld node%s: %s, %lld of them in one "
	    "NVLink domain, %lld domain%s; NICs of a node to itself: %.3g", (long long)row->span.size,
	    (long long)row->span.nodes, TEXT_S(row->span.nodes),
	    flows_span(row->span.kind, true), (long long)row->span.inside,
	    (long long)row->span.domains, TEXT_S(row->span.domains), row->span.nic_share);
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		add_terms(rows, s, &(struct made_of){ told[i], PART_ROW + (int32_t)s->flow.at });
}

/* How long the phase takes; of the fullest one what it holds as well. */
static void
phase_rows(struct rows *rows, const struct state *s)
{
	const enum result_id id = phases_result(s);

	add_made(rows, s, id);
	if ((int)id == (int)RESULT_RL_ROLLOUT + (int)s->estimate->rl.fullest)
		add_made(rows, s, RESULT_RL_PEAK);
}

/* Below the terms of a step, what those are sums of in turn. */
static void
add_parts(struct rows *rows, const struct state *s, const struct made_of *made)
{
	static const struct {
		int32_t part;
		enum quantity quantity;
	} parts[] = {
		{ PART_COMPUTE, QUANTITY_FORWARD }, { PART_COMPUTE, QUANTITY_BACKWARD },
		{ PART_RECOMPUTE, QUANTITY_RECOMPUTE }, { PART_EXPOSED, QUANTITY_EXPOSED },
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (made->quantity == QUANTITY_STEP &&
		    (made->part == PART_NONE || made->part == parts[i].part))
			add_terms(rows, s, &(struct made_of){ parts[i].quantity, PART_NONE });
}

static void
figure_rows(struct rows *rows, const struct state *s)
{
	const enum result_id id = figures_at(s->estimate, (int)s->figure.at);
	char overlap[512], formula[160];

	if (id == RESULT_COUNT)
		return;
	result_formula(id, &s->plan, s->estimate, 0, formula, sizeof formula);
	if (formula[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, "= %s", formula);
	if (s->estimate->timed) {
		figures_overlap(&s->plan, overlap, sizeof overlap);
		rows_item(rows, -1, ROLE_TEXT, "hidden behind compute: %s", overlap);
	}
	add_made(rows, s, id);
	for (const struct made_of *made = result_table[id].made; made->quantity != QUANTITY_COUNT;
	    made++)
		add_parts(rows, s, made);
}

/* Of the plan's own requests at once. */
static void
load_rows(struct rows *rows, const struct state *s)
{
	add_made(rows, s, RESULT_TTFT);
	add_made(rows, s, RESULT_TPOT);
}

static void
why_rows(struct rows *rows, const struct state *s)
{
	char line[512] = "";

	pane_type(s, s->why.pane)->line(s, line, sizeof line);
	if (line[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, "%s", line);
	if (s->why.pane == PANE_TRAFFIC && s->estimate->served)
		load_rows(rows, s);
	else if (s->why.pane == PANE_TRAFFIC && s->estimate->reinforced)
		phase_rows(rows, s);
	else if (s->why.pane == PANE_TRAFFIC)
		flow_rows(rows, s);
	else if (s->why.pane == PANE_STEP)
		figure_rows(rows, s);
	else
		memory_rows(rows, s);
	if (rows->items == 0 && rows->filter[0] == '\0')
		rows_item(rows, -1, ROLE_DIM, "nothing to explain until the errors are mended");
}

const struct list_type why_list = { .title = "why: ", .add_title = why_title, .rows = why_rows,
	.renew = why_renew, .over = true };
