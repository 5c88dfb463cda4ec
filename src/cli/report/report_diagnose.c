/* What `diagnose` found, as text. */
#include <stdio.h>

#include "cli/base/output.h"
#include "cli/report/report_diagnose.h"
#include "core/base/show.h"
#include "core/base/units.h"
#include "core/diagnose/ending.h"
#include "core/diagnose/words.h"
#include "out/out.h"

enum { WIDTH = 100, INDENT = 13, UNDER = 4, POSSIBLE_TOLD = 4, PLACE = 80, SEEN_MOST = 6 };

/* ---- the run ------------------------------------------------------------------------ */

/* The plan that the run is held against. */
static void
print_plan(const struct diagnose_report *r)
{
	const struct plan *p = r->plan;

	if (r->found->alone) {
		out_line(stdout, "plan         none: nothing says which model ran (give its plan or launch before the files, or words: "
		    "qwen3-32b 8xh100 tp4)");
		return;
	}
	out_part(stdout, "plan         %s on %lld %s: TP %lld, PP %lld", p->model.preset,
	    (long long)plan_world(p), p->cluster.gpu, (long long)p->parallel.tp, (long long)p->parallel.pp);
	if (r->estimate->dp > 0)
		out_part(stdout, ", DP %lld", (long long)r->estimate->dp);
	out_end(stdout);
}

static void
print_files(const struct diagnose_report *r)
{
	for (size_t i = 0; i < r->measured->files; i++) {
		const struct measured_file *f = &r->measured->file[i];
		char path[64];

		show_path(path, sizeof path, f->path);
		out_part(stdout, "%-13s%s: %s", i == 0 ? "files" : "", path, f->kind);
		if (f->lines > 0)
			out_part(stdout, ", %zu line%s", f->lines, TEXT_S(f->lines));
		if (f->skipped > 0)
			out_part(stdout, ", %zu of them too long", f->skipped);
		out_end(stdout);
	}
}

static void
print_mismatches(const struct diagnose_report *r)
{
	const struct diagnosis *d = r->found;

	if (d->mismatches == 0)
		return;
	out_line(stdout, "The plan is not the run's (--adopt takes what the run says)");
	for (size_t i = 0; i < d->mismatches; i++) {
		const struct mismatch *x = &d->mismatch[i];
		char place[PLACE];

		diagnosed_place(r->measured, x->place, place, sizeof place);
		out_line(stdout, "  %-32s plan %s, run %s   %s", mismatch_path(x), x->plan, x->run, place);
	}
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Without a plan. */
static void
print_measured(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *t = &d->term[i];
		char run[UNITS_SIZE];

		out_line(stdout, "  %-32s %s", measured_label(t->id),
		    units_exact(run, sizeof run, measured_measure(t->id), t->measured));
	}
}

static bool
print_terms(const struct diagnosis *d)
{
	struct table t;

	if (d->alone)
		print_measured(d);
	if (d->terms == 0 || d->alone)
		return true;
	table_init(&t, 5);
	table_row(&t, (const char *[]){ " ", ">plan", ">run", ">difference", " " });
	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *x = &d->term[i];
		const enum measure measure = measured_measure(x->id);
		char plan[UNITS_SIZE], run[UNITS_SIZE], off[32], words[64];

		diagnosed_verdict(x, words, sizeof words);
		diagnosed_change(x, off, sizeof off);
		table_row(&t, (const char *[]){ measured_label(x->id),
		    x->estimated > 0 ? units_exact(plan, sizeof plan, measure, x->estimated) : "",
		    units_exact(run, sizeof run, measure, x->measured), off,
		    words[0] != '\0' ? words : " " });
	}
	return table_print(&t);
}

/* ---- causes -------------------------------------------------------------------------------- */

/* A line under a cause: a word and a text that may take several lines. */
static void
print_under(const char *word, const char *text)
{
	out_part(stdout, "%*s%-9s", UNDER, "", word);
	print_wrapped(text, UNDER + 9, UNDER + 9, WIDTH);
}

static void
print_line(const struct measured *m, enum evidence_id id)
{
	const struct evidence *e = &m->evidence[id];
	char text[72], place[PLACE];

	show_text(text, sizeof text, e->text);
	diagnosed_place(m, e->place, place, sizeof place);
	out_line(stdout, "%*s%-9s%s \"%s\"", UNDER, "", "line", place, text);
}

static void
print_evidence(const struct diagnosed_cause *c, const struct measured *m)
{
	for (size_t i = 0; i < 2 * CAUSE_WORDS && c->evidence[i] != EVIDENCE_NONE; i++)
		print_line(m, c->evidence[i]);
}

static void
print_cause(const struct diagnosed_cause *c, const struct diagnose_report *r)
{
	char text[DIAGNOSED_SETS_SIZE];

	out_part(stdout, "  %-9s %s", certainty_name(c->certainty), diagnosed_title(c));
	diagnosed_amount(r->found, c, text, sizeof text);
	if (text[0] != '\0')
		out_part(stdout, ": %s", text);
	out_end(stdout);
	diagnosed_sets(c->set, c->sets, text, sizeof text);
	if (c->sets > 0)
		out_line(stdout, "%*s%-9s%s", UNDER, "", "as", text);
	if (c->with != NULL)
		print_under("with", c->with->title);
	print_evidence(c, r->measured);
	if (c->cause != NULL && c->certainty != CERTAINTY_EXCLUDED)
		print_under("mend", c->cause->fix);
}

static void
print_causes(const struct diagnose_report *r)
{
	const struct diagnosis *d = r->found;
	char heading[128];
	size_t possible = 0;

	if (d->within_error)
		out_line(stdout, "%s", diagnosed_well(d, r->measured));
	if (d->causes == 0)
		return;
	diagnosed_heading(d, heading, sizeof heading);
	out_line(stdout, "%s", d->within_error ? "What could still cost something" : heading);
	for (size_t i = 0; i < d->causes; i++) {
		possible += d->cause[i].certainty == CERTAINTY_POSSIBLE;
		if (d->cause[i].certainty != CERTAINTY_POSSIBLE || possible <= POSSIBLE_TOLD)
			print_cause(&d->cause[i], r);
	}
	if (possible > POSSIBLE_TOLD)
		out_line(stdout, "  and %zu others, less likely: --json lists them", possible - POSSIBLE_TOLD);
}

/* How it ended, where lines say so. */
static void
print_endings(const struct diagnose_report *r)
{
	const struct ending *ending[ENDINGS_MOST];
	const size_t n = endings_of(r->measured, ending);
	char plan[128];

	if (n > 0)
		out_line(stdout, "How the run ended");
	for (size_t i = 0; i < n; i++) {
		const struct ending *e = ending[i];
		const size_t lines = r->measured->evidence[e->says].count;

		out_line(stdout, "  %s: %zu line%s", evidence_tells(e->says), lines, TEXT_S(lines));
		print_line(r->measured, e->says);
		ending_plan(e, r->estimate, plan, sizeof plan);
		if (plan[0] != '\0')
			print_under("plan", plan);
		print_under("look at", e->confirm);
		print_under("mend", e->fix);
	}
}

/* Lines of the run that no cause above shows. */
static void
print_seen(const struct diagnose_report *r)
{
	enum evidence_id seen[SEEN_MOST];
	const size_t n = diagnosed_seen(r->found, r->measured, POSSIBLE_TOLD, seen, SEEN_MOST);

	for (size_t i = 0; i < n; i++) {
		out_line(stdout, "Also seen    %s", evidence_tells(seen[i]));
		print_line(r->measured, seen[i]);
	}
}

/* What to look at first, and what is seen then. */
static void
print_measures(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->measures; i++) {
		out_part(stdout, i == 0 ? "Look at      " : "             ");
		print_wrapped(d->measure[i], INDENT, INDENT + 2, WIDTH);
	}
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* An allocation that failed, what the plan holds on that rank's stage, and what gives it room. */
static void
print_oom(const struct diagnose_report *r)
{
	const struct measured_oom *o = &r->measured->oom;
	const struct memory *m = &r->estimate->stage[r->room.stage].memory;
	char place[PLACE], text[256];

	if (o->count == 0)
		return;
	diagnosed_place(r->measured, o->place, place, sizeof place);
	out_part(stdout, "Out of memory: %zu time%s, last %s", o->count, TEXT_S(o->count), place);
	if (o->phase != OOM_UNKNOWN)
		out_part(stdout, ", %s", room_phase(o->phase));
	if (o->rank >= 0)
		out_part(stdout, ", rank %lld", (long long)o->rank);
	if (o->rank >= 0 && r->estimate->stages > 0)
		out_part(stdout, ": stage %lld", (long long)r->room.stage);
	out_end(stdout);
	room_held(o, text, sizeof text);
	out_line(stdout, "  run  %s", text);
	if (r->estimate->stages == 0 && r->room.by == ROOM_NOTHING)
		return;
	if (r->estimate->stages > 0) {
		room_planned(m, false, text, sizeof text);
		out_line(stdout, "  plan %s", text);
		room_planned(m, true, text, sizeof text);
		out_line(stdout, "       %s", text);
	}
	room_advice(&r->room, text, sizeof text);
	out_line(stdout, "  first  %s", text);
}

/* ---- settings --------------------------------------------------------------------------------- */

/* What another plan on these machines takes as well. */
static void
print_hardware(const struct diagnose_report *r)
{
	char text[HARDWARE_SETS * (DIAGNOSE_VALUE + 64)];

	if (r->hardwares == 0)
		return;
	diagnosed_sets(r->hardware, r->hardwares, text, sizeof text);
	out_part(stdout, "Machines     ");
	print_wrapped(text, INDENT, INDENT, WIDTH);
	out_line(stdout, "%*s-o FILE writes them into a file that plans build on", INDENT, "");
}

static void
print_neighbours(const struct diagnose_report *r)
{
	if (r->neighbours == 0)
		return;
	out_line(stdout, "What the plan's own settings cost");
	for (size_t i = 0; i < r->neighbours; i++) {
		const struct neighbour *n = &r->neighbour[i];
		char text[DIAGNOSED_SETS_SIZE];

		diagnosed_sets(n->set, n->sets, text, sizeof text);
		out_line(stdout, "  %s less, %s:  %s", UNITS_EXACT(SECONDS, n->saves),
		    UNITS_SHORT(BYTES, n->memory), text);
	}
}

bool
diagnose_print(const struct diagnose_report *r)
{
	print_plan(r);
	print_files(r);
	print_mismatches(r);
	if (!print_terms(r->found))
		return false;
	print_oom(r);
	print_endings(r);
	print_causes(r);
	print_seen(r);
	print_measures(r->found);
	print_hardware(r);
	print_neighbours(r);
	return true;
}
