/* What would mend the plan: the list that f opens, best first. */
#include "core/base/text.h"
#include "core/search/advice.h"
#include "ui/list/views.h"

/* Columns that the longest change takes. */
static int
what_columns(const struct advice *mends)
{
	char what[ADVICE_TEXT_SIZE];
	int w = 8;

	for (size_t i = 0; i < mends->count; i++) {
		advice_what(&mends->mend[i], what, sizeof what);
		w = canvas_width(NULL, what) > w ? canvas_width(NULL, what) : w;
	}
	return w;
}

static void
mends_rows(struct rows *rows, const struct state *s)
{
	static const char *const headings[] = {
		"About what you asked for", "The same work", "Another batch, sequence or number format", "Other nodes",
		"What you changed last"
	};
	char what[ADVICE_TEXT_SIZE], cell[ADVICE_TEXT_SIZE], numbers[ADVICE_TEXT_SIZE];
	const int w = what_columns(&s->mends);

	for (size_t i = 0; i < s->mends.count; i++) {
		const struct mend *m = &s->mends.mend[i], *before = i > 0 ? m - 1 : NULL;

		if (before == NULL || before->loss != m->loss ||
		    before->outlook.fits != m->outlook.fits || before->outlook.tight != m->outlook.tight) {
			rows_heading(rows, TEXT_OF(ROW_TEXT_SIZE, "%s%s", headings[m->loss], !m->outlook.fits ?
			    ", legal, but does not fit" : m->outlook.tight ? ", tight" : ""));
		}
		advice_what(m, what, sizeof what);
		rows_column(what, w, cell, sizeof cell);
		outlook_text(&m->outlook, numbers, sizeof numbers);
		rows_item(rows, (int)i, ROLE_TEXT, "%s  %s", cell, numbers);
	}
	rows_column("search", w, cell, sizeof cell);
	rows_item(rows, (int)s->mends.count, ROLE_KEY, "%s  the best of all plans on these GPUs", cell);
}

static unsigned
mends_accept(struct state *s, int target)
{
	char what[UNDO_WHAT_SIZE];
	const struct mend *m;
	struct plan next;

	if (target < 0 || (size_t)target > s->mends.count)
		return 0;
	if ((size_t)target == s->mends.count) {
		list_close(s);
		return search_view_open(s, "");
	}
	m = &s->mends.mend[target];
	if (!advice_apply(m, &s->plan, s->catalog, &next))
		return 0;
	s->list.filter[0] = '\0'; /* which closing would take away first */
	list_close(s);
	s->form.field = m->change[0].field;
	advice_what(m, what, sizeof what);
	state_say(s, ROLE_GOOD, "fixed: %s", what);
	return state_change(s, &next, what);
}

bool
mends_open(struct state *s)
{
	state_advise(s);
	if (s->mends.count > 0)
		list_open(s, LIST_MENDS);
	return s->mends.count > 0;
}

const struct list_type mends_list = { .title = "what would mend the plan", .rows = mends_rows,
	.accept = mends_accept, .over = true };
