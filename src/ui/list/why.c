/* Where a number comes from. */
#include <stdlib.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"

/* Note the terms of the plan as it is now, as far as there is memory. */
static void
why_renew(struct state *s)
{
	struct ledger ledger;

	s->why.terms = 0;
	if (s->why.term == NULL)
		s->why.term = malloc(STATE_TERMS * sizeof *s->why.term);
	if (s->why.term == NULL || state_shown(s)->stages == 0)
		return;
	ledger_init(&ledger, s->why.term, STATE_TERMS);
	s->why.pane->note(s, &ledger);
	s->why.terms = ledger.count < STATE_TERMS ? ledger.count : STATE_TERMS;
}

unsigned
why_open(struct state *s, const struct pane_type *pane)
{
	s->why.pane = pane->why != NULL ? pane : &memory_pane;
	list_open(s, LIST_WHY);
	if (s->why.term == NULL)
		state_say(s, ROLE_ERROR, "no memory for the list");
	return 0;
}

unsigned
why_selected(struct state *s)
{
	const struct pane_type *pane = pane_type(s, s->focus);

	if (pane == &pipeline_pane && s->pipeline.stage < s->estimate->stages)
		s->stage.at = s->pipeline.stage;
	return why_open(s, pane);
}

static struct why
why_of(const struct state *s)
{
	struct why why = { .row = -1 };

	s->why.pane->why(s, &why);
	return why;
}

static void
why_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, s->past ? "%s, of the " PANE_PAST : "%s", why_of(s).title);
}

static const char *
put_amount(enum quantity q, double value, char *buf, size_t size)
{
	return units_short(buf, size, result_table[result_of_quantity(q)].measure, value);
}

static void
add_term(struct rows *rows, const struct ledger_term *t)
{
	char amount[64];
	int item = rows->items;

	if (!rows_passes(rows, TEXT_OF(512, "%s %s", t->name, t->formula)))
		return;
	rows->items++;
	put_amount(t->quantity, t->value, amount, sizeof amount);
	rows_wrapped(rows, item, -1, ROLE_TEXT, 2, TEXT_OF(512, "%-38s %16s", t->name, amount));
	rows_wrapped(rows, item, -1, ROLE_DIM, 6, t->formula);
	rows_wrapped(rows, item, -1, ROLE_DIM, 6, TEXT_OF(512, "source: %s", t->source));
}

/* The terms of a sum below what they come to. */
static void
add_reason(struct rows *rows, const struct explain *asked, const struct reason *reason)
{
	const enum quantity q = reason->made.quantity;
	const struct result *r = &result_table[reason->of];
	char text[512], amount[64];
	size_t at = 0;

	text_put(text, sizeof text, "%s", r->path);
	if (q == QUANTITY_SERVE_MEMORY && asked->e->stages > 1)
		text_add(text, sizeof text, " of stage %lld", (long long)reason->stage);
	text_add(text, sizeof text, ": %s", put_amount(q, reason->sum, amount, sizeof amount));
	if (r->form == FORM_BYTES)
		text_add(text, sizeof text, " (%.0f bytes)", reason->sum);
	if (reason->made.part != PART_NONE && reason->made.part < PART_ROW)
		text_add(text, sizeof text, " of %s", put_amount(q, reason->whole, amount, sizeof amount));
	rows_heading(rows, text);
	for (const struct ledger_term *t; (t = explain_next(asked, reason, &at)) != NULL;)
		add_term(rows, t);
}

static void
why_rows(struct rows *rows, const struct state *s)
{
	const struct why why = why_of(s);
	char line[512] = "";

	pane_line(s->why.pane, s, line, sizeof line);
	if (line[0] != '\0')
		rows_item(rows, -1, ROLE_TEXT, "%s", line);
	for (size_t i = 0; i < sizeof why.line / sizeof *why.line; i++)
		if (why.line[i][0] != '\0')
			rows_item(rows, -1, ROLE_TEXT, "%s", why.line[i]);
	for (int i = 0; i < why.results; i++) {
		const struct explain asked = {
			.id = why.result[i].id, .e = state_shown(s), .term = s->why.term,
			.terms = s->why.terms, .stage = -1, .row = why.row, .parts = why.result[i].parts
		};
		struct reason reason[REASONS_MAX];
		const int reasons = explain_reasons(&asked, reason);

		for (int k = 0; k < reasons; k++)
			add_reason(rows, &asked, &reason[k]);
	}
	if (rows->items == 0 && rows->filter[0] == '\0')
		rows_item(rows, -1, ROLE_DIM, "nothing to explain until the errors are mended");
}

const struct list_type why_list = { .title = "why: ", .add_title = why_title, .rows = why_rows,
	.renew = why_renew, .over = true };
