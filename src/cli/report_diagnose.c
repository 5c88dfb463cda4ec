/* What `diagnose` found, as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/report_diagnose.h"
#include "core/base/show.h"
#include "core/base/units.h"
#include "core/diagnose/quantity.h"
#include "out/out.h"

enum { WIDTH = 100, INDENT = 13, UNDER = 4, POSSIBLE_TOLD = 4 };

/* ---- the run ------------------------------------------------------------------------ */

/* The plan that the run is held against. */
static void
print_plan(const struct diagnose_report *r)
{
	const struct plan *p = r->plan;

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
print_place(const struct measured *m, struct place place)
{
	char path[64];

	if (place.file < 0 || (size_t)place.file >= m->files)
		return;
	show_path(path, sizeof path, m->file[place.file].path);
	out_part(stdout, "%s:%u", path, place.line);
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

		out_part(stdout, "  %-32s plan %s, run %s   ", mismatch_path(x), x->plan, x->run);
		print_place(r->measured, x->place);
		out_end(stdout);
	}
}

/* ---- numbers ------------------------------------------------------------------------------ */

static const char *
verdict_words(const struct diagnosed_term *t, char *buf, size_t size)
{
	const char *const more = measured_measure(t->id) == MEASURE_BYTES ? "fuller" : "slower";
	const char *const less = measured_measure(t->id) == MEASURE_BYTES ? "emptier" : "faster";

	if (t->verdict == TERM_NOT_TOLD)
		return "";
	if (t->verdict == TERM_AS_ESTIMATED)
		text_put(buf, size, "as estimated (+-%.0f %%)", 100 * t->error);
	else
		text_put(buf, size, "%s than the estimate's error, %.0f %%",
		    t->verdict == TERM_SLOWER ? more : less, 100 * t->error);
	return buf;
}

static bool
print_terms(const struct diagnosis *d)
{
	struct table t;

	table_init(&t, 5);
	table_row(&t, (const char *[]){ " ", ">plan", ">run", ">difference", " " });
	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *x = &d->term[i];
		const enum measure measure = measured_measure(x->id);
		char plan[UNITS_SIZE], run[UNITS_SIZE], off[32] = "", words[64];

		if (x->estimated > 0)
			text_put(off, sizeof off, "%+.1f %%", 100 * (x->measured / x->estimated - 1));
		table_row(&t, (const char *[]){ measured_label(x->id),
		    x->estimated > 0 ? units_exact(plan, sizeof plan, measure, x->estimated) : "",
		    units_exact(run, sizeof run, measure, x->measured), off,
		    x->verdict == TERM_NOT_TOLD ? " " : verdict_words(x, words, sizeof words) });
	}
	return table_print(&t);
}

/* ---- causes -------------------------------------------------------------------------------- */

static enum measure
cost_measure(const struct diagnosis *d)
{
	return measured_measure(d->leading) == MEASURE_BYTES ? MEASURE_BYTES : MEASURE_SECONDS;
}

static void
print_sets(const struct diagnosed_set *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out_part(stdout, "%s%s=%s", i > 0 ? " " : "", field_table[set[i].field].path, set[i].value);
}

/* A line under a cause: a word and a text that may take several lines. */
static void
print_under(const char *word, const char *text)
{
	out_part(stdout, "%*s%-9s", UNDER, "", word);
	print_wrapped(text, UNDER + 9, UNDER + 9, WIDTH);
}

static void
print_evidence(const struct diagnosed_cause *c, const struct measured *m)
{
	for (size_t i = 0; i < 2 * CAUSE_WORDS && c->evidence[i] != EVIDENCE_NONE; i++) {
		const struct evidence *e = &m->evidence[c->evidence[i]];
		char text[72];

		show_text(text, sizeof text, e->text);
		out_part(stdout, "%*s%-9s", UNDER, "", "line");
		print_place(m, e->place);
		out_line(stdout, " \"%s\"", text);
	}
}

static void
print_cause(const struct diagnosed_cause *c, const struct diagnose_report *r)
{
	char amount[UNITS_SIZE];

	out_part(stdout, "  %-9s %s", certainty_name(c->certainty), diagnosed_title(c));
	if (c->certainty != CERTAINTY_EXCLUDED)
		out_part(stdout, ": %s", units_exact(amount, sizeof amount, cost_measure(r->found), c->low));
	if (c->certainty != CERTAINTY_EXCLUDED && c->high > 1.02 * c->low)
		out_part(stdout, " to %s", units_exact(amount, sizeof amount, cost_measure(r->found), c->high));
	out_end(stdout);
	if (c->sets > 0) {
		out_part(stdout, "%*s%-9s", UNDER, "", "as");
		print_sets(c->set, c->sets);
		out_end(stdout);
	}
	print_evidence(c, r->measured);
	if (c->cause != NULL && c->certainty != CERTAINTY_EXCLUDED)
		print_under("mend", c->cause->fix);
}

static void
print_causes(const struct diagnose_report *r)
{
	const struct diagnosis *d = r->found;
	size_t possible = 0;

	if (d->leading == MEASURED_COUNT)
		return;
	if (d->within_error)
		out_line(stdout, "The run is as fast and as full as its plan: nothing is wrong with it");
	if (d->causes == 0)
		return;
	out_line(stdout, d->within_error ? "What could still cost something" :
	    "Causes, and what each explains of %s%s", d->difference >= 0 ? "+" : "",
	    units_exact((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, cost_measure(d), d->difference));
	for (size_t i = 0; i < d->causes; i++) {
		possible += d->cause[i].certainty == CERTAINTY_POSSIBLE;
		if (d->cause[i].certainty != CERTAINTY_POSSIBLE || possible <= POSSIBLE_TOLD)
			print_cause(&d->cause[i], r);
	}
	if (possible > POSSIBLE_TOLD)
		out_line(stdout, "  and %zu others, less likely: --json lists them", possible - POSSIBLE_TOLD);
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

struct part {
	const char *name; /* NULL ends a list */
	double bytes;     /* 0: not told */
};

static void
print_parts(const char *head, const struct part *part)
{
	out_part(stdout, "%s", head);
	for (; part->name != NULL; part++)
		if (part->bytes > 0)
			out_part(stdout, "  %s %s", part->name, UNITS_SHORT(BYTES, part->bytes));
	out_end(stdout);
}

/* An allocation that failed, and what the plan holds on its fullest stage. */
static void
print_oom(const struct diagnose_report *r)
{
	const struct measured_oom *o = &r->measured->oom;
	const struct memory *m = &r->estimate->stage[r->estimate->peak_stage].memory;

	if (o->count == 0)
		return;
	out_part(stdout, "Out of memory: %zu time%s, last ", o->count, TEXT_S(o->count));
	print_place(r->measured, o->place);
	out_end(stdout);
	print_parts("  run  ", (const struct part[]){ { "asked", o->asked }, { "free", o->free },
		{ "allocated", o->allocated }, { "reserved besides", o->unallocated },
		{ "graph pools", o->pools }, { "others", o->others }, { NULL, 0 } });
	if (r->estimate->stages == 0)
		return;
	print_parts("  plan ", (const struct part[]){ { "parameters", m->parameters },
		{ "gradients", m->gradients }, { "optimizer", m->optimizer },
		{ "activations", m->activations }, { NULL, 0 } });
	print_parts("       ", (const struct part[]){ { "logits", m->logits },
		{ "KV cache", m->kv_cache }, { "buffers", m->buffers }, { "allocated", m->allocated },
		{ "overhead", m->overhead }, { NULL, 0 } });
}

/* ---- settings --------------------------------------------------------------------------------- */

static void
print_neighbours(const struct diagnose_report *r)
{
	if (r->neighbours == 0)
		return;
	out_line(stdout, "What the plan's own settings cost");
	for (size_t i = 0; i < r->neighbours; i++) {
		const struct neighbour *n = &r->neighbour[i];

		out_part(stdout, "  %s less, %s:  ", UNITS_EXACT(SECONDS, n->saves),
		    UNITS_SHORT(BYTES, n->memory));
		print_sets(n->set, n->sets);
		out_end(stdout);
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
	print_causes(r);
	print_measures(r->found);
	print_neighbours(r);
	return true;
}
