/* The whole run: its numbers, each of which Enter explains, and below them days, cost and goodput
 * on fewer and on more nodes, of which Enter takes one. */
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"
#include "ui/screen/change.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"
#include "ui/state/steps.h"

enum {
	TARGET_NODES = RESULT_COUNT, /* entries from here on are points of the strip */
	LABEL_COLUMNS = 28, AMOUNT_COLUMNS = 14, CHANGE_FROM = 60,
	POINT_COLUMNS = 68, BAR_LEAST = 8, BAR_MOST = 40, /* of a line of the strip, and its bar */
};

/* ---- numbers ---------------------------------------------------------------------------- */

static void
add_number(struct rows *rows, const struct state *s, enum result_id id)
{
	const struct estimate *e = s->estimate, *base = state_base_estimate(s);
	char label[64], cell[64], amount[64], text[256], change[CHANGE_SIZE];
	enum role role = ROLE_TEXT;
	double was, is;

	if (!result_value(id, e, 0, &is) || (result_table[id].rule == RULE_ASKED && is <= 0))
		return;
	rows_column(result_table[id].label, LABEL_COLUMNS, label, sizeof label);
	units_short(amount, sizeof amount, result_table[id].measure, is);
	result_add_range(amount, sizeof amount, id, e);
	rows_column(amount, 2 * AMOUNT_COLUMNS, cell, sizeof cell);
	text_put(text, sizeof text, "%s %s", label, cell);
	if (base != NULL && base->ran && rows->width >= CHANGE_FROM &&
	    result_value(id, base, 0, &was) &&
	    change_put(result_table[id].measure, was, is, change, sizeof change)) {
		text_add(text, sizeof text, "%s", change);
		role = change_role(id, was, is);
	}
	rows_line(rows, (int)id, role, text);
}

static void
add_numbers(struct rows *rows, const struct state *s)
{
	static const struct {
		const char *heading;
		enum result_id first, last;
	} groups[] = {
		{ "Days", RESULT_NET_DAYS, RESULT_INTERRUPTIONS },
		{ "Money and energy", RESULT_GPU_HOURS, RESULT_CO2 },
		{ "Checkpoints", RESULT_CHECKPOINT, RESULT_STORAGE },
		{ "Nodes and data", RESULT_SPARES, RESULT_RESUME_EPOCH_STEP },
	};

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		rows_heading(rows, groups[i].heading);
		for (enum result_id id = groups[i].first; id <= groups[i].last; id++)
			if (result_table[id].label != NULL)
				add_number(rows, s, id);
	}
}

/* ---- nodes ------------------------------------------------------------------------------ */

/* Days as a bar, the deadline as a line through all of them. */
static void
add_bar(const struct state *s, double days, double most, int w, char *buf, size_t size)
{
	const bool plain = !s->utf8 || s->settings.ascii;
	const double deadline = s->plan.run.deadline_days;
	const int line = deadline > 0 && deadline <= most ? (int)(deadline / most * (w - 1) + 0.5) : -1;

	for (int i = 0; i < w; i++)
		text_add(buf, size, "%s", i == line ? (plain ? "|" : "│") :
		    (i + 0.5) / w * most < days ? (plain ? "#" : "█") : (plain ? "." : "·"));
}

/* Days that a whole bar stands for: of the longest run, or three times the deadline, or the plan. */
static double
whole_bar(const struct state *s)
{
	const struct node_strip *strip = &s->whole.strip;
	const double deadline = s->plan.run.deadline_days;
	double most = 0;

	for (int i = 0; i < strip->count; i++)
		most = larger(most, strip->point[i].days);
	return smaller(most, 3 * (deadline > 0 ? deadline : s->estimate->run.days));
}

/* "* 64 nodes  ████████····│···   41.2 days  goodput 99.2 %  120k" */
static void
add_point(struct rows *rows, const struct state *s, int i, double most)
{
	const struct strip_point *point = &s->whole.strip.point[i];
	const double deadline = s->plan.run.deadline_days;
	const bool late = deadline > 0 && point->days > deadline;
	char text[ROW_TEXT_SIZE], cell[64];
	const int room = rows->width - POINT_COLUMNS, w = room > BAR_MOST ? BAR_MOST : room;

	text_put(text, sizeof text, "%c%7lld node%s ", point->own ? '*' : ' ', (long long)point->nodes,
	    point->nodes == 1 ? " " : "s");
	if (w >= BAR_LEAST)
		add_bar(s, point->days, most, w, text, sizeof text);
	text_add(text, sizeof text, " %11s", UNITS_SHORT(RUN_DAYS, point->days));
	text_put(cell, sizeof cell, "%.1f-%.1f", point->days_low, point->days_high);
	text_add(text, sizeof text, " %13s %8s", cell, UNITS_SHORT(SHARE, point->goodput));
	if (point->cost > 0)
		text_add(text, sizeof text, " %8s", UNITS_SHORT(MONEY, point->cost));
	text_add(text, sizeof text, "%s", !point->fits ? " no room" : late ? " late" : "");
	rows_line(rows, TARGET_NODES + i, !point->fits ? ROLE_DIM : late ? ROLE_WARNING :
	    deadline > 0 ? ROLE_GOOD : ROLE_TEXT, text);
}

static void
add_strip(struct rows *rows, const struct state *s)
{
	const struct node_strip *strip = &s->whole.strip;
	char text[160];

	if (strip->count == 0)
		return;
	if (s->plan.run.deadline_days > 0)
		text_put(text, sizeof text, "Nodes, same sizes and batch; deadline %.4g days",
		    s->plan.run.deadline_days);
	else
		text_put(text, sizeof text, "Nodes, same sizes and batch: days, goodput, cost");
	rows_heading(rows, text);
	for (int i = 0; i < strip->count; i++)
		add_point(rows, s, i, whole_bar(s));
}

/* ---- the list --------------------------------------------------------------------------- */

static void
whole_renew(struct state *s)
{
	strip_of(&s->whole.strip, &s->plan, s->catalog, s->steps->scope, s->steps->work);
	steps_forget(s);
}

static void
whole_rows(struct rows *rows, const struct state *s)
{
	if (s->plan.mode == MODE_SERVE) {
		rows_item(rows, -1, ROLE_DIM, "A plan that serves has no end. What a token costs stands with the "
		    "numbers of serving, once cluster.gpu_hour_price is set.");
		return;
	}
	if (!plan_has_run(&s->plan)) {
		rows_item(rows, RESULT_DAYS, ROLE_TEXT, "How long is the run? Enter and a number set "
		    "training.token_budget, in billion tokens.");
		return;
	}
	if (!s->estimate->ran) {
		rows_item(rows, -1, ROLE_DIM, "No run to show until the errors are mended (e lists them).");
		return;
	}
	add_numbers(rows, s);
	add_strip(rows, s);
}

static int
whole_begin(MAYBE const struct state *s)
{
	return RESULT_DAYS;
}

/* ---- why -------------------------------------------------------------------------------- */

static void
whole_line(const struct state *s, char *buf, size_t size)
{
	const enum result_id id = s->whole.asked;
	char amount[64];
	double value;

	if (!result_value(id, s->estimate, 0, &value))
		return;
	units_short(amount, sizeof amount, result_table[id].measure, value);
	result_add_range(amount, sizeof amount, id, s->estimate);
	text_put(buf, size, "%s: %s", amount, result_table[id].help);
}

static void
whole_note(const struct state *s, struct ledger *ledger)
{
	if (s->estimate->ran)
		estimate_run(s->steps->work, &s->plan, s->catalog, ledger);
}

static void
whole_why(const struct state *s, struct why *why)
{
	const enum result_id id = s->whole.asked;
	char text[512];

	text_put(why->title, sizeof why->title, "%s", result_table[id].label);
	result_formula(id, &s->plan, s->estimate, 0, text, sizeof text);
	if (text[0] != '\0')
		text_put(why->line[0], sizeof why->line[0], "= %s", text);
	why->result[why->results++].id = id;
}

static const struct pane_type whole_number = { .name = "run", .line = whole_line,
	.note = whole_note, .why = whole_why };

static unsigned
whole_accept(struct state *s, int target)
{
	struct plan next = s->plan;
	char err[128];

	if (!plan_has_run(&s->plan)) {
		prompt_begin(s, PROMPT_COMMAND, "token_budget ", false);
		return 0;
	}
	if (target >= 0 && target < TARGET_NODES) {
		s->whole.asked = (enum result_id)target;
		return why_open(s, &whole_number);
	}
	target -= TARGET_NODES;
	if (target < 0 || target >= s->whole.strip.count ||
	    !field_put_int(FIELD_NODES, &next, s->whole.strip.point[target].nodes, err, sizeof err))
		return 0;
	s->form.field = FIELD_NODES;
	return edit_take(s, FIELD_NODES, &next);
}

const struct list_type whole_list = { .title = "the whole run", .rows = whole_rows,
	.begin = whole_begin, .accept = whole_accept, .renew = whole_renew };
