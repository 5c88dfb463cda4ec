/* `diagnose --json`: names are fixed, scripts rely on them. */
#include <stdio.h>
#include <string.h>

#include "cli/report/report.h"
#include "cli/report/report_diagnose.h"
#include "core/diagnose/ending.h"
#include "core/diagnose/words.h"

static const struct measured_file *
file_of(const struct measured *m, struct place place)
{
	return place.file >= 0 && (size_t)place.file < m->files ? &m->file[place.file] : NULL;
}

static void
put_files(struct jsonout *j, const struct measured *m)
{
	jsonout_list(j, "files");
	for (size_t i = 0; i < m->files; i++) {
		const struct measured_file *f = &m->file[i];

		jsonout_object_row(j, NULL);
		jsonout_text(j, "path", f->path);
		jsonout_text(j, "kind", f->kind);
		jsonout_int(j, "lines", (int64_t)f->lines);
		jsonout_int(j, "steps", (int64_t)f->steps);
		jsonout_int(j, "skipped", (int64_t)f->skipped);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_steady(struct jsonout *j, const struct diagnosis *d, const struct measured *m)
{
	const struct series *s = d->leading != MEASURED_COUNT ? &m->series[d->leading] : NULL;

	jsonout_object_row(j, "steady");
	jsonout_int(j, "from", s != NULL && s->first_step >= 0 ? s->first_step : 0);
	jsonout_int(j, "to", s != NULL && s->last_step >= 0 ? s->last_step : 0);
	jsonout_close(j);
}

static void
put_place(struct jsonout *j, const struct measured *m, struct place place)
{
	const struct measured_file *f = file_of(m, place);

	jsonout_text(j, "file", f != NULL ? f->path : "");
	jsonout_int(j, "line", place.line);
}

static void
put_mismatches(struct jsonout *j, const struct diagnosis *d, const struct measured *m)
{
	jsonout_list(j, "mismatch");
	for (size_t i = 0; i < d->mismatches; i++) {
		const struct mismatch *x = &d->mismatch[i];

		jsonout_object_row(j, NULL);
		jsonout_text(j, "path", mismatch_path(x));
		jsonout_text(j, "plan", x->plan);
		jsonout_text(j, "run", x->run);
		put_place(j, m, x->place);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_terms(struct jsonout *j, const struct diagnosis *d)
{
	jsonout_list(j, "terms");
	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *t = &d->term[i];

		jsonout_object_row(j, NULL);
		jsonout_text(j, "quantity", measured_path(t->id));
		jsonout_real(j, "measured", t->measured);
		jsonout_real(j, "low", t->low);
		jsonout_real(j, "high", t->high);
		if (t->estimated > 0)
			jsonout_real(j, "estimated", t->estimated);
		else
			jsonout_null(j, "estimated");
		jsonout_real(j, "error", t->error);
		jsonout_text(j, "verdict", verdict_name(t->verdict));
		jsonout_close(j);
	}
	jsonout_close(j);
}

/* Values as the field has them: numbers, answers or texts. */
static void
put_named(struct jsonout *j, const char *name, const struct plan *p,
    const struct diagnosed_set *set, size_t n)
{
	jsonout_object_row(j, name);
	for (size_t i = 0; i < n; i++) {
		struct plan with = *p;
		char err[256];

		if (field_parse(set[i].field, &with, set[i].value, err, sizeof err))
			json_field(j, field_table[set[i].field].path, set[i].field, &with);
	}
	jsonout_close(j);
}

/* The fields that the advice names, "parallel.offload=none; else ..". */
static void
put_change(struct jsonout *j, const struct plan *p, const char *fix)
{
	jsonout_object_row(j, "change");
	while (*fix != '\0') {
		const size_t n = strcspn(fix, " ,;"), path = strcspn(fix, "=");
		const enum field_id f = path < n ? field_by_path(fix, path) : FIELD_COUNT;
		struct plan with = *p;
		char value[DIAGNOSE_VALUE] = "", err[256];

		if (f != FIELD_COUNT)
			text_put(value, sizeof value, "%.*s", (int)(n - path - 1), fix + path + 1);
		if (f != FIELD_COUNT && field_parse(f, &with, value, err, sizeof err))
			json_field(j, field_table[f].path, f, &with);
		fix += n + strspn(fix + n, " ,;");
	}
	jsonout_close(j);
}

static void
put_line(struct jsonout *j, const struct measured *m, enum evidence_id id)
{
	put_place(j, m, m->evidence[id].place);
	jsonout_text(j, "text", m->evidence[id].text);
}

static void
put_evidence(struct jsonout *j, const struct diagnosed_cause *c, const struct diagnose_report *r)
{
	const struct measured *m = r->measured;

	jsonout_list(j, "evidence");
	for (size_t i = 0; c->cause == NULL && i < r->found->mismatches; i++) {
		jsonout_object_row(j, NULL);
		put_place(j, m, r->found->mismatch[i].place);
		jsonout_text(j, "text", r->found->mismatch[i].run);
		jsonout_close(j);
	}
	for (size_t i = 0; i < 2 * CAUSE_WORDS && c->evidence[i] != EVIDENCE_NONE; i++) {
		jsonout_object_row(j, NULL);
		put_line(j, m, c->evidence[i]);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_causes(struct jsonout *j, const struct diagnose_report *r)
{
	jsonout_list(j, "causes");
	for (size_t i = 0; i < r->found->causes; i++) {
		const struct diagnosed_cause *c = &r->found->cause[i];

		jsonout_object(j, NULL);
		jsonout_text(j, "id", diagnosed_id(c));
		jsonout_text(j, "title", diagnosed_title(c));
		jsonout_text(j, "certainty", certainty_name(c->certainty));
		jsonout_real(j, "explains", c->explains);
		jsonout_real(j, "low", c->low);
		jsonout_real(j, "high", c->high);
		put_named(j, "set", r->plan, c->set, c->sets);
		if (c->with != NULL)
			jsonout_text(j, "with", c->with->id);
		put_evidence(j, c, r);
		jsonout_text(j, "confirm", c->cause != NULL ? c->cause->confirm : "");
		jsonout_text(j, "fix", c->cause != NULL ? c->cause->fix : "--adopt");
		put_change(j, r->plan, c->cause != NULL ? c->cause->fix : "");
		jsonout_text(j, "source", c->cause != NULL ? c->cause->source : "");
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_seen(struct jsonout *j, const struct diagnose_report *r)
{
	enum evidence_id seen[EVIDENCE_COUNT];
	const size_t n = diagnosed_seen(r->found, r->measured, DIAGNOSE_CAUSES, seen, EVIDENCE_COUNT);

	jsonout_list(j, "seen");
	for (size_t i = 0; i < n; i++) {
		jsonout_object_row(j, NULL);
		jsonout_text(j, "tells", evidence_tells(seen[i]));
		put_line(j, r->measured, seen[i]);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_endings(struct jsonout *j, const struct diagnose_report *r)
{
	const struct ending *ending[ENDINGS_MOST];
	const size_t n = endings_of(r->measured, ending);

	jsonout_list(j, "ended");
	for (size_t i = 0; i < n; i++) {
		const struct ending *e = ending[i];

		jsonout_object(j, NULL);
		jsonout_text(j, "id", e->id);
		jsonout_text(j, "tells", evidence_tells(e->says));
		jsonout_int(j, "lines", (int64_t)r->measured->evidence[e->says].count);
		put_line(j, r->measured, e->says);
		jsonout_text(j, "confirm", e->confirm);
		jsonout_text(j, "fix", e->fix);
		jsonout_text(j, "source", e->source);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_settings(struct jsonout *j, const struct diagnose_report *r)
{
	jsonout_list(j, "settings");
	for (size_t i = 0; i < r->neighbours; i++) {
		const struct neighbour *n = &r->neighbour[i];

		jsonout_object_row(j, NULL);
		put_named(j, "set", &r->found->run, n->set, n->sets);
		jsonout_real(j, "saves", n->saves);
		jsonout_bytes(j, "memory", n->memory);
		jsonout_close(j);
	}
	jsonout_close(j);
}

void
diagnose_json(const struct diagnose_report *r)
{
	const struct diagnosis *d = r->found;
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_text(&j, "plan", r->plan->name);
	jsonout_bool(&j, "planned", !d->alone);
	put_files(&j, r->measured);
	put_steady(&j, d, r->measured);
	put_mismatches(&j, d, r->measured);
	put_terms(&j, d);
	put_causes(&j, r);
	jsonout_real(&j, "unexplained", d->unexplained);
	put_named(&j, "machines", r->plan, r->hardware, r->hardwares);
	put_seen(&j, r);
	put_endings(&j, r);
	put_settings(&j, r);
	jsonout_list(&j, "measure");
	for (size_t i = 0; i < d->measures; i++)
		jsonout_text(&j, NULL, d->measure[i]);
	jsonout_close(&j);
	jsonout_bool(&j, "within_error", d->within_error);
	jsonout_close(&j);
}
