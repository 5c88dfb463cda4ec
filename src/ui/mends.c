/* What would mend the plan: the list that f opens, best first. */
#include <stdlib.h>

#include "core/advice.h"
#include "core/advice_hints.h"
#include "core/check.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/views.h"

enum { WHAT_COLUMNS = 28 };

struct field_set
mends_asked(const struct state *s)
{
	struct field_set asked = { { 0 } };
	const struct plan *before;

	if (s->undo.now == 0)
		return s->asked;
	before = &undo_entry(&s->undo, s->undo.now - 1)->plan;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (!field_same(f, before, &s->plan))
			field_set_add(&asked, f);
	return asked;
}

void
mends_find(struct state *s)
{
	const struct field_set asked = mends_asked(s);
	struct estimate *work = malloc(sizeof *work);

	s->mends.count = 0;
	if (work == NULL)
		return;
	advice_run(&s->mends, &s->plan, s->catalog, &asked, work);
	free(work);
}

void
mends_note(struct state *s)
{
	struct estimate *work = malloc(sizeof *work);

	if (work != NULL && !s->noted) {
		mends_find(s);
		advice_note(&s->mends, 0, &s->estimate->diags);
		advice_hints(&s->plan, s->catalog, s->estimate, work, &s->estimate->diags);
		s->noted = true;
	}
	free(work);
}

void
mends_rows(struct rows *rows, const struct state *s)
{
	static const char *const headings[] = {
		"The same work", "Another batch, sequence or number format", "Other nodes",
		"What you changed last"
	};
	char what[ADVICE_TEXT_SIZE], cell[ADVICE_TEXT_SIZE], numbers[ADVICE_TEXT_SIZE];
	char text[ROW_TEXT_SIZE];

	for (size_t i = 0; i < s->mends.count; i++) {
		const struct mend *m = &s->mends.mend[i], *before = i > 0 ? m - 1 : NULL;

		if (before == NULL || before->loss != m->loss ||
		    before->outlook.fits != m->outlook.fits) {
			text_put(text, sizeof text, "%s%s", headings[m->loss],
			    m->outlook.fits ? "" : ", legal, but does not fit");
			rows_heading(rows, text);
		}
		advice_what(m, what, sizeof what);
		rows_column(what, WHAT_COLUMNS, cell, sizeof cell);
		outlook_text(&m->outlook, numbers, sizeof numbers);
		text_put(text, sizeof text, "%s  %s", cell, numbers);
		rows_item(rows, (int)i, ROLE_TEXT, text);
	}
	if (s->mends.count == 0)
		rows_item(rows, -1, ROLE_DIM, "no change of one or two fields mends this plan");
}

unsigned
mends_accept(struct state *s, int target)
{
	char what[UNDO_WHAT_SIZE];
	const struct mend *m;
	struct plan next;

	if (target < 0 || (size_t)target >= s->mends.count)
		return 0;
	m = &s->mends.mend[target];
	if (!advice_apply(m, &s->plan, s->catalog, &next))
		return 0;
	s->filter[0] = '\0'; /* which closing would take away first */
	overlay_close(s, "");
	s->form.field = m->change[0].field;
	advice_what(m, what, sizeof what);
	state_say(s, ROLE_GOOD, "fixed: %s", what);
	return state_change(s, &next, what);
}

bool
mends_open(struct state *s)
{
	mends_find(s);
	if (s->mends.count > 0)
		overlay_open(s, OVERLAY_MENDS);
	return s->mends.count > 0;
}
