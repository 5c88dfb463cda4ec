#include "ui/why.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/schedule.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "ui/units.h"

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
	const struct figure *figure;
	char name[64];

	if (s->why == PANE_TRAFFIC && flow_of(s) != NULL) {
		flows_name(flow_of(s), name, sizeof name);
		text_add(buf, size, "traffic of %s", name);
	} else if (s->why == PANE_STEP) {
		figure = figures_at(s->estimate, s->figure);
		text_add(buf, size, "%s", figure != NULL ? figure->label : "step");
	} else
		text_add(buf, size, s->why == PANE_MEMORY ? "memory of stage %lld" : "traffic",
		    (long long)s->stage);
}

/* An amount in the unit of a quantity. */
static void
put_amount(enum quantity q, double value, char *buf, size_t size)
{
	const char *unit = quantity_table[q].unit;

	if (q == QUANTITY_TRAFFIC)
		units_wire(value, buf, size);
	else if (text_equal(unit, "B"))
		units_memory(value, buf, size);
	else if (text_equal(unit, "s"))
		units_seconds(value, buf, size);
	else if (text_equal(unit, "FLOP"))
		units_flops(value, buf, size);
	else
		text_put(buf, size, "%.0f", value);
}

/* The text begins with the word, letters compared without case. */
static bool
begins(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++)
		if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i]))
			return false;
	return text[n] == '\0' || strchr(" ,:-", text[n]) != NULL;
}

/* The name has one of the words, which '|' stands between. */
static bool
has_word(const char *name, const char *words)
{
	char word[32];

	for (size_t n; words[0] != '\0'; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		text_put(word, sizeof word, "%.*s", (int)n, words);
		if (strstr(name, word) != NULL)
			return true;
	}
	return false;
}

/* Which terms belong to a row: those whose name or formula begins with its dimension and
 * collective ("tp all-gather"), else those that begin with its dimension; all of them
 * where none names either. To a figure: those with one of its words. */
struct choice {
	const struct traffic_row *row; /* NULL: any term will do, */
	const char *words;             /* but for those without any of these; NULL: any */
	enum { CHOICE_ALL, CHOICE_DIMENSION, CHOICE_ROW } by;
};

static bool
chosen(const struct choice *choice, const struct ledger_term *t)
{
	char word[64];

	if (choice->words != NULL)
		return has_word(t->name, choice->words);
	if (choice->row == NULL || choice->by == CHOICE_ALL)
		return true;
	if (choice->by == CHOICE_ROW)
		flows_name(choice->row, word, sizeof word);
	else
		text_put(word, sizeof word, "%s", choice->row->dim);
	return begins(t->name, word) || begins(t->formula, word);
}

static struct choice
choose(const struct state *s, enum quantity q)
{
	const struct figure *figure = figures_at(s->estimate, s->figure);
	struct choice choice = { .by = CHOICE_ALL };

	if (s->why == PANE_STEP && figure != NULL && q == figure->quantity[0])
		choice.words = figure->terms;
	if (s->why != PANE_TRAFFIC || flow_of(s) == NULL)
		return choice;
	choice.row = flow_of(s);
	for (choice.by = CHOICE_ROW; choice.by > CHOICE_ALL; choice.by--)
		for (size_t i = 0; i < s->term_count; i++)
			if (s->terms[i].quantity == q && chosen(&choice, &s->terms[i]))
				return choice;
	return choice;
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

/* A quantity and its terms; nothing without any. */
static void
add_quantity(struct rows *rows, const struct state *s, enum quantity q)
{
	const struct choice choice = choose(s, q);
	char text[512], amount[64];
	double sum = 0, all = 0;
	int64_t stage = -1;
	int terms = 0;

	for (size_t i = 0; i < s->term_count; i++) {
		if (s->terms[i].quantity != q)
			continue;
		all += s->terms[i].value;
		stage = s->terms[i].stage;
		if (chosen(&choice, &s->terms[i])) {
			sum += s->terms[i].value;
			terms++;
		}
	}
	if (terms == 0)
		return;
	put_amount(q, sum, amount, sizeof amount);
	text_put(text, sizeof text, "%s", quantity_table[q].name);
	if (q == QUANTITY_SERVE_MEMORY && s->estimate->stages > 1)
		text_add(text, sizeof text, " of stage %lld", (long long)stage);
	text_add(text, sizeof text, ": %s", amount);
	if (text_equal(quantity_table[q].unit, "B"))
		text_add(text, sizeof text, " (%.0f bytes)", sum);
	if (choice.words != NULL) {
		put_amount(q, all, amount, sizeof amount);
		text_add(text, sizeof text, " of %s", amount);
	} else if (choice.row != NULL && choice.by == CHOICE_DIMENSION)
		text_add(text, sizeof text, " of all %s rows", choice.row->dim);
	else if (choice.row != NULL && choice.by == CHOICE_ALL)
		text_add(text, sizeof text, " of all rows");
	rows_heading(rows, text);
	for (size_t i = 0; i < s->term_count; i++)
		if (s->terms[i].quantity == q && chosen(&choice, &s->terms[i]))
			add_term(rows, &s->terms[i]);
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
	units_memory(m->total, total, sizeof total);
	text_put(buf, size, "stage %lld: %s", (long long)s->stage, total);
	if (m->overhead_high > m->overhead_low) {
		units_memory(m->allocated + m->overhead_low, low, sizeof low);
		units_memory(m->allocated + m->overhead_high, high, sizeof high);
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
	units_wire(row->bytes, bytes, sizeof bytes);
	units_seconds(row->seconds, seconds, sizeof seconds);
	units_seconds(row->exposed_seconds, exposed, sizeof exposed);
	text_put(buf, size, "%s: one GPU sends %s in %.0f call%s a step: %s alone, %s after overlap "
	    "with compute", name, bytes, row->calls, row->calls > 1 ? "s" : "", seconds, exposed);
}

static void
figure_line(const struct state *s, char *buf, size_t size)
{
	const struct figure *figure = figures_at(s->estimate, s->figure);

	char overlap[512], amount[UNITS_SIZE];

	if (figure == NULL)
		return;
	figures_format(figure, s->estimate, amount, sizeof amount);
	text_put(buf, size, "%s %s: %s", figure->label, amount, figure->how);
	if (figure->offset == offsetof(struct estimate, step.exposed_comm_seconds)) {
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
		units_memory(part[i].bytes, amount, sizeof amount);
		text_add(text, sizeof text, "%s %s %s", i > 0 ? " +" : "", part[i].name, amount);
	}
	rows_item(rows, -1, ROLE_TEXT, text);
}

static void
memory_rows(struct rows *rows, const struct state *s)
{
	static const enum quantity shown[] = {
		QUANTITY_PARAMETERS, QUANTITY_GRADIENTS, QUANTITY_OPTIMIZER, QUANTITY_ACTIVATIONS,
		QUANTITY_LOGITS, QUANTITY_BUFFERS, QUANTITY_SERVE_MEMORY, QUANTITY_KV_TOKEN,
		QUANTITY_OVERHEAD, QUANTITY_PARAMS_GPU,
	};

	if (s->stage < s->estimate->stages) {
		const struct memory *m = &s->estimate->stage[s->stage].memory;

		if (s->estimate->served)
			add_engine(rows, m);
		else if (m->in_flight > 0)
			add_flight(rows, s, m->in_flight);
	}
	for (size_t q = 0; q < sizeof shown / sizeof *shown; q++)
		add_quantity(rows, s, shown[q]);
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
	add_quantity(rows, s, QUANTITY_TRAFFIC);
	add_quantity(rows, s, QUANTITY_TRAFFIC_SECONDS);
	add_quantity(rows, s, QUANTITY_EXPOSED);
}

/* Below a quantity, what those of its terms that are shown are sums of in turn. */
static void
add_parts(struct rows *rows, const struct state *s, enum quantity whole)
{
	static const struct {
		enum quantity whole, part;
		const char *words; /* in the names of the terms */
	} parts[] = {
		{ QUANTITY_STEP, QUANTITY_FORWARD, "forward" },
		{ QUANTITY_STEP, QUANTITY_BACKWARD, "backward" },
		{ QUANTITY_STEP, QUANTITY_RECOMPUTE, "recompute" },
		{ QUANTITY_STEP, QUANTITY_EXPOSED, "exposed" },
	};
	const struct choice choice = choose(s, whole);

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		for (size_t i = 0; parts[k].whole == whole && i < s->term_count; i++)
			if (s->terms[i].quantity == whole && chosen(&choice, &s->terms[i]) &&
			    has_word(s->terms[i].name, parts[k].words)) {
				add_quantity(rows, s, parts[k].part);
				break;
			}
}

static void
figure_rows(struct rows *rows, const struct state *s)
{
	const struct figure *figure = figures_at(s->estimate, s->figure);
	char text[640], overlap[512], formula[160];

	if (figure == NULL)
		return;
	figures_formula(figure, &s->plan, s->estimate, formula, sizeof formula);
	text_put(text, sizeof text, "= %s", formula);
	if (formula[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, text);
	if (s->estimate->timed) {
		figures_overlap(&s->plan, overlap, sizeof overlap);
		text_put(text, sizeof text, "hidden behind compute: %s", overlap);
		rows_item(rows, -1, ROLE_TEXT, text);
	}
	for (int i = 0; i < FIGURE_QUANTITIES && figure->quantity[i] != QUANTITY_COUNT; i++)
		add_quantity(rows, s, figure->quantity[i]);
	for (int i = 0; i < FIGURE_QUANTITIES && figure->quantity[i] != QUANTITY_COUNT; i++)
		add_parts(rows, s, figure->quantity[i]);
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
