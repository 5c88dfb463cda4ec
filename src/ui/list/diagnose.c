/* What a run left behind beside the plan: numbers as bars, causes, what would settle them. */

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/diagnose/ending.h"
#include "core/diagnose/words.h"
#include "core/framework/resolve.h"
#include "ui/list/views.h"
#include "ui/screen/canvas.h"
#include "ui/state/checkup.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

enum {
	NUMBER_COLUMNS = 11, CHANGE_COLUMNS = 11,
	LABEL_LEAST = 22, LABEL_MOST = 38, WIDE_FROM = 100,
	BAR_LEAST = 6, BAR_MOST = 60,
	UNDER = 12,      /* how far what is told of a cause is set in, */
	WORD_COLUMNS = 9, /* and the word before it */
	SEEN_MOST = 6
};

/* What entries stand for: numbers, what differs, causes; the rest stands for nothing. */
enum { TARGET_TERM = 0, TARGET_MISMATCH = 100, TARGET_CAUSE = 200, TARGET_REST = 300 };

/* ---- commands ---------------------------------------------------------------------- */

unsigned
diagnose_open(struct state *s, const char *argument)
{
	if (argument[0] == '\0' && s->checkup == NULL) {
		prompt_begin(s, PROMPT_COMMAND, "diagnose ", false);
		return 0;
	}
	if (argument[0] == '\0' || checkup_read(s, argument))
		list_open(s, LIST_DIAGNOSE);
	return 0;
}

static const struct diagnosed_cause *
cause_at(const struct state *s, int target)
{
	return target >= TARGET_CAUSE && target < TARGET_REST ?
	    &s->checkup->found.cause[target - TARGET_CAUSE] : NULL;
}

bool
diagnose_other(const struct state *s, struct plan *out)
{
	const struct diagnosed_cause *c;

	if (s->list.kind != LIST_DIAGNOSE || s->checkup == NULL || !s->checkup->found.legal)
		return false;
	c = cause_at(s, list_target(s));
	checkup_plan(s, c != NULL ? c : &(struct diagnosed_cause){ .sets = 0 }, out);
	return true;
}

static int
diagnose_begin(const struct state *s)
{
	const struct diagnosis *d = s->checkup != NULL ? &s->checkup->found : NULL;

	return d != NULL && d->mismatches > 0 ? TARGET_MISMATCH : TARGET_CAUSE;
}

static void
diagnose_title(const struct state *s, char *buf, size_t size)
{
	char name[LINE_SIZE];

	if (s->checkup == NULL)
		return;
	show_path(name, sizeof name, s->checkup->name);
	text_add(buf, size, ": %.*s", (int)canvas_fit(name, 50), name);
}

/* ---- numbers ------------------------------------------------------------------------- */

static int
label_columns(int width)
{
	return width < WIDE_FROM ? LABEL_LEAST : LABEL_MOST;
}

static enum role
verdict_role(enum term_verdict v)
{
	static const enum role role[] = { [TERM_AS_ESTIMATED] = ROLE_GOOD,
		[TERM_SLOWER] = ROLE_ERROR, [TERM_FASTER] = ROLE_WARNING, [TERM_NOT_TOLD] = ROLE_TEXT };

	return role[v];
}

static void
add_terms(struct rows *rows, const struct diagnosis *d)
{
	const int label_w = label_columns(rows->width);
	char label[128], plan[UNITS_SIZE], run[UNITS_SIZE], off[32];

	rows_heading(rows, TEXT_OF(ROW_TEXT_SIZE, "%-*s%*s%*s%*s   plan, and over", label_w + 2, "Numbers",
	    NUMBER_COLUMNS, "plan", NUMBER_COLUMNS, "run", CHANGE_COLUMNS, "difference"));
	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *t = &d->term[i];
		const enum measure measure = measured_measure(t->id);

		rows_column(measured_label(t->id), label_w, label, sizeof label);
		plan[0] = off[0] = '\0';
		if (t->estimated > 0) {
			units_short(plan, sizeof plan, measure, t->estimated);
			diagnosed_change(t, off, sizeof off);
			text_add(off, sizeof off, "%s", t->verdict == TERM_SLOWER ||
			    t->verdict == TERM_FASTER ? "!" : " ");
		}
		rows_line(rows, TARGET_TERM + (int)i, verdict_role(t->verdict), TEXT_OF(ROW_TEXT_SIZE, "%s%*s%*s%*s",
		    label, NUMBER_COLUMNS, plan, NUMBER_COLUMNS, units_short(run, sizeof run, measure, t->measured),
		    CHANGE_COLUMNS, off));
	}
}

/* The estimate, what the run has above it, or what it lacks of it. */
static void
draw_bar(struct canvas *c, struct rect r, const struct diagnosed_term *t)
{
	const double most = t->measured > t->estimated ? t->measured : t->estimated;
	const int plan = (int)(t->estimated / most * r.w + 0.5);
	const int run = (int)(t->measured / most * r.w + 0.5);

	for (int x = 0; x < r.w && x < (plan > run ? plan : run); x++) {
		const bool over = x >= plan, less = x >= run;
		const enum glyph glyph = less ? GLYPH_DOT : over ? GLYPH_DARK : GLYPH_FULL;
		const enum role role = less ? ROLE_FREE : over ? ROLE_OVER : ROLE_ACTIVATIONS;

		canvas_put(c, r.x + x, r.y, (struct style){ .role = (uint8_t)role },
		    canvas_glyph(c, glyph));
	}
}

/* Bars beside the numbers that are shown. */
static void
diagnose_draw(const struct state *s, struct canvas *c, struct rect r, MAYBE int target)
{
	const int x = 2 + label_columns(r.w - 2) + 2 * NUMBER_COLUMNS + CHANGE_COLUMNS + 2;
	const int room = r.w - x - 1, w = room < BAR_MOST ? room : BAR_MOST;
	struct rows rows;

	if (s->checkup == NULL || w < BAR_LEAST)
		return;
	list_rows(&rows, s, r.w - 2);
	for (int i = 0; i < r.h && s->list.first_line + i < (int)rows.count; i++) {
		const struct row *row = &rows.row[s->list.first_line + i];
		const struct diagnosed_term *t;

		if (row->item < 0 || row->target < TARGET_TERM || row->target >= TARGET_MISMATCH)
			continue;
		t = &s->checkup->found.term[row->target - TARGET_TERM];
		if (t->estimated > 0)
			draw_bar(c, (struct rect){ r.x + x, r.y + i, w, 1 }, t);
	}
	rows_free(&rows);
}

/* ---- what differs, and causes ------------------------------------------------------------ */

static void
add_mismatches(struct rows *rows, const struct checkup *k)
{
	char text[ROW_TEXT_SIZE], place[128];

	if (k->found.mismatches > 0)
		rows_heading(rows, "The plan is not the run's: Enter takes what the run says");
	for (size_t i = 0; i < k->found.mismatches; i++) {
		const struct mismatch *x = &k->found.mismatch[i];

		diagnosed_place(&k->measured, x->place, place, sizeof place);
		text_put(text, sizeof text, "%s: plan %s, run %s  %s", mismatch_path(x), x->plan, x->run, place);
		rows_line(rows, TARGET_MISMATCH + (int)i, ROLE_WARNING, text);
	}
}

/* An allocation that failed: what the run held, what the plan holds there, what gives it room. */
static void
add_oom(struct rows *rows, const struct checkup *k)
{
	const struct measured_oom *o = &k->measured.oom;
	const struct memory *m = &k->estimate.stage[k->room.stage].memory;
	char text[ROW_TEXT_SIZE], rest[256];

	if (o->count == 0 || k->estimate.stages == 0)
		return;
	text_put(text, sizeof text, "Out of memory%s%s: stage %lld", o->phase != OOM_UNKNOWN ? " " : "",
	    room_phase(o->phase), (long long)k->room.stage);
	rows_heading(rows, text);
	room_held(o, text, sizeof text);
	rows_item(rows, TARGET_REST, ROLE_TEXT, "run %s", text);
	room_planned(m, false, text, sizeof text);
	room_planned(m, true, rest, sizeof rest);
	rows_item(rows, TARGET_REST, ROLE_TEXT, "plan%s%s", text, rest);
	room_advice(&k->room, text, sizeof text);
	rows_item(rows, TARGET_REST, ROLE_GOOD, "first  %s", text);
}

/* A line of the cause that is open: a word, and a text. */
static void
add_under(struct rows *rows, int target, const char *word, const char *text)
{
	rows_wrapped(rows, rows->items - 1, target, ROLE_DIM, UNDER, TEXT_OF(2 * ROW_TEXT_SIZE, "%-*s%s",
	    WORD_COLUMNS, word, text));
}

static void
add_line(struct rows *rows, const struct checkup *k, enum evidence_id id, int target)
{
	const struct evidence *e = &k->measured.evidence[id];
	char text[ROW_TEXT_SIZE], line[MEASURED_TEXT + 1], place[128];

	show_text(line, sizeof line, e->text);
	diagnosed_place(&k->measured, e->place, place, sizeof place);
	text_put(text, sizeof text, "%s \"%s\"", place, line);
	add_under(rows, target, "line", text);
}

static void
add_evidence(struct rows *rows, const struct checkup *k, const struct diagnosed_cause *c, int target)
{
	for (size_t i = 0; i < 2 * CAUSE_WORDS && c->evidence[i] != EVIDENCE_NONE; i++)
		add_line(rows, k, c->evidence[i], target);
	if (c->evidence[0] == EVIDENCE_NONE)
		add_under(rows, target, "evidence", "the numbers above: no line names it");
}

/* What is known of the cause that is open. */
static void
add_opened(struct rows *rows, const struct checkup *k, const struct diagnosed_cause *c, int target)
{
	char text[DIAGNOSED_SETS_SIZE];

	add_evidence(rows, k, c, target);
	if (c->with != NULL)
		add_under(rows, target, "with", c->with->title);
	if (c->cause != NULL) {
		add_under(rows, target, "look at", c->cause->confirm);
		add_under(rows, target, "mend", c->cause->fix);
		add_under(rows, target, "source", c->cause->source);
	}
	diagnosed_sets(c->set, c->sets, text, sizeof text);
	if (c->sets > 0)
		add_under(rows, target, "Enter", c->cause != NULL ?
		    "puts that into the plan (u undoes it); D lays both beside one another" :
		    "takes all that the run says (u undoes it); D lays both beside one another");
	else
		add_under(rows, target, "Enter", "closes this: no field says it");
}

static enum role
certainty_role(enum certainty c)
{
	static const enum role role[] = { [CERTAINTY_CERTAIN] = ROLE_ERROR,
		[CERTAINTY_LIKELY] = ROLE_WARNING, [CERTAINTY_POSSIBLE] = ROLE_TEXT,
		[CERTAINTY_EXCLUDED] = ROLE_DIM };

	return role[c];
}

static void
add_cause(struct rows *rows, const struct checkup *k, size_t i)
{
	const struct diagnosed_cause *c = &k->found.cause[i];
	const int target = TARGET_CAUSE + (int)i, items = rows->items;
	char text[ROW_TEXT_SIZE + DIAGNOSED_SETS_SIZE], part[DIAGNOSED_SETS_SIZE];

	text_put(text, sizeof text, "%-9s %s", certainty_name(c->certainty), diagnosed_title(c));
	diagnosed_amount(&k->found, c, part, sizeof part);
	if (part[0] != '\0')
		text_add(text, sizeof text, ": %s", part);
	diagnosed_sets(c->set, c->sets, part, sizeof part);
	if (c->sets > 0)
		text_add(text, sizeof text, "  %s", part);
	rows_item(rows, target, certainty_role(c->certainty), "%s", text);
	if (rows->items > items && k->opened != NULL && text_equal(k->opened, diagnosed_id(c)))
		add_opened(rows, k, c, target);
}

static void
add_causes(struct rows *rows, const struct checkup *k)
{
	const struct diagnosis *d = &k->found;
	char heading[128];

	if (d->leading == MEASURED_COUNT && d->causes == 0)
		return;
	diagnosed_heading(d, heading, sizeof heading);
	rows_heading(rows, d->within_error ? diagnosed_well(d, &k->measured) : heading);
	for (size_t i = 0; i < d->causes; i++)
		add_cause(rows, k, i);
}

/* How it ended, where lines say so. */
static void
add_endings(struct rows *rows, const struct checkup *k)
{
	const struct ending *ending[ENDINGS_MOST];
	const size_t n = endings_of(&k->measured, ending);
	char plan[128];

	if (n > 0)
		rows_heading(rows, "How the run ended");
	for (size_t i = 0; i < n; i++) {
		rows_item(rows, TARGET_REST, ROLE_ERROR, "%s", evidence_tells(ending[i]->says));
		add_line(rows, k, ending[i]->says, TARGET_REST);
		ending_plan(ending[i], &k->estimate, plan, sizeof plan);
		if (plan[0] != '\0')
			add_under(rows, TARGET_REST, "plan", plan);
		add_under(rows, TARGET_REST, "look at", ending[i]->confirm);
		add_under(rows, TARGET_REST, "mend", ending[i]->fix);
	}
}

/* Lines of the run that no cause shows. */
static void
add_seen(struct rows *rows, const struct checkup *k)
{
	enum evidence_id seen[SEEN_MOST];
	const size_t n = diagnosed_seen(&k->found, &k->measured, DIAGNOSE_CAUSES, seen,
	    SEEN_MOST);
	char line[MEASURED_TEXT + 1], place[128];

	if (n > 0)
		rows_heading(rows, "Also seen");
	for (size_t i = 0; i < n; i++) {
		const struct evidence *e = &k->measured.evidence[seen[i]];

		show_text(line, sizeof line, e->text);
		diagnosed_place(&k->measured, e->place, place, sizeof place);
		rows_item(rows, TARGET_REST, ROLE_TEXT, "%s: %s \"%s\"", evidence_tells(seen[i]), place, line);
	}
}

static void
diagnose_rows(struct rows *rows, const struct state *s)
{
	const struct checkup *k = s->checkup;

	if (k == NULL)
		return;
	if (!k->found.legal) {
		rows_item(rows, TARGET_REST, ROLE_ERROR, "the plan has errors (e lists them): until they are "
		    "mended there is no estimate");
		return;
	}
	if (diagnosed_nothing(&k->found, &k->measured)) {
		rows_item(rows, TARGET_REST, ROLE_DIM, "%s", DIAGNOSED_NOTHING);
		return;
	}
	add_terms(rows, &k->found);
	add_mismatches(rows, k);
	add_oom(rows, k);
	add_endings(rows, k);
	add_causes(rows, k);
	add_seen(rows, k);
	if (k->found.measures > 0)
		rows_heading(rows, "Look at");
	for (size_t i = 0; i < k->found.measures; i++)
		rows_item(rows, TARGET_REST, ROLE_TEXT, "%s", k->found.measure[i]);
}

/* ---- Enter -------------------------------------------------------------------------------- */

static unsigned
take_mismatch(struct state *s, const struct mismatch *x)
{
	char err[STATE_MESSAGE_SIZE];
	struct plan next = s->plan;

	if (x->field == FIELD_NONE) {
		state_say(s, ROLE_DIM, "no field says it: nodes times GPUs of a node");
		return 0;
	}
	if (!field_parse(x->field, &next, x->run, err, sizeof err)) {
		state_say(s, ROLE_ERROR, "%s", err);
		return 0;
	}
	s->form.field = x->field;
	return edit_take(s, x->field, &next);
}

/* Open it; then put what it sets into the plan. */
static unsigned
take_cause(struct state *s, const struct diagnosed_cause *c)
{
	struct checkup *k = s->checkup;
	char what[UNDO_WHAT_SIZE], sets[DIAGNOSED_SETS_SIZE];
	struct plan next = s->plan;

	if (k->opened == NULL || !text_equal(k->opened, diagnosed_id(c))) {
		k->opened = diagnosed_id(c);
		return 0;
	}
	k->opened = NULL;
	if (c->sets == 0)
		return 0;
	if (c->cause == NULL)
		diagnosed_adopt(&next, &k->found);
	else
		diagnosed_put(&next, c->set, c->sets);
	plan_resolve(&next, s->catalog);
	diagnosed_sets(c->set, c->sets, sets, sizeof sets);
	text_put(what, sizeof what, "diagnosed: %s", sets);
	state_say(s, ROLE_GOOD, "%s", what);
	return state_change(s, &next, what);
}

static unsigned
diagnose_accept(struct state *s, int target)
{
	const struct diagnosed_cause *c = cause_at(s, target);
	char verdict[64];

	if (target < 0 || target >= TARGET_REST)
		return 0;
	if (c != NULL)
		return take_cause(s, c);
	if (target >= TARGET_MISMATCH)
		return take_mismatch(s, &s->checkup->found.mismatch[target - TARGET_MISMATCH]);
	diagnosed_verdict(&s->checkup->found.term[target], verdict, sizeof verdict);
	state_say(s, ROLE_DIM, "%s: %s", measured_label(s->checkup->found.term[target].id),
	    verdict[0] != '\0' ? verdict : "nothing estimates it");
	return 0;
}

const struct list_type diagnose_list = { .title = "the run and the plan", .add_title = diagnose_title,
	.rows = diagnose_rows, .begin = diagnose_begin, .accept = diagnose_accept,
	.renew = checkup_run, .draw = diagnose_draw };
