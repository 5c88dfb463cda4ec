/* `check`: is the plan legal, does it fit, and what would mend it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report.h"
#include "cli/run.h"
#include "core/estimate/estimate.h"
#include "core/search/advice.h"
#include "core/search/advice_hints.h"
#include "out/out.h"

enum { MENDS_SHOWN = 4 };

static void
json_diag(struct jsonout *j, const struct diag *d)
{
	const bool fix = d->fix_field != FIELD_NONE;

	jsonout_object(j, NULL);
	jsonout_text(j, "severity", severity_name(d->severity));
	jsonout_text(j, "path", d->field != FIELD_NONE ? field_table[d->field].path : NULL);
	jsonout_text(j, "reason", d->reason);
	jsonout_text(j, "message", d->message);
	jsonout_text(j, "source", d->source);
	if (fix) {
		jsonout_object_row(j, "fix");
		jsonout_text(j, "path", field_table[d->fix_field].path);
		jsonout_text(j, "value", d->fix_value);
		if (d->also_field != FIELD_NONE) {
			jsonout_object_row(j, "also");
			jsonout_text(j, "path", field_table[d->also_field].path);
			jsonout_text(j, "value", d->also_value);
			jsonout_close(j);
		}
		jsonout_close(j);
	} else
		jsonout_null(j, "fix");
	jsonout_close(j);
}

/* As search writes it: numbers as numbers. */
static void
json_change(struct jsonout *j, const struct field_change *c)
{
	const struct field *row = &field_table[c->field];
	int64_t whole;
	double real;

	if (c->value[0] == '\0')
		jsonout_null(j, row->path);
	else if (row->type == FIELD_INT && text_to_int(c->value, &whole))
		jsonout_int(j, row->path, whole);
	else if (row->type == FIELD_REAL && text_to_real(c->value, &real))
		jsonout_real(j, row->path, real);
	else if (row->type == FIELD_BOOL)
		jsonout_bool(j, row->path, text_equal(c->value, "true"));
	else
		jsonout_text(j, row->path, c->value);
}

static void
json_mend(struct jsonout *j, const struct mend *m)
{
	const struct outlook *o = &m->outlook;

	jsonout_object_row(j, NULL);
	jsonout_object_row(j, "set");
	for (int i = 0; i < m->changes; i++)
		json_change(j, &m->change[i]);
	jsonout_close(j);
	jsonout_bool(j, "asked", m->loss == LOSS_ASKED || m->loss == LOSS_ABOUT);
	jsonout_bool(j, "fits", o->fits);
	jsonout_bool(j, "tight", o->tight);
	jsonout_bytes(j, "peak_bytes", o->memory);
	jsonout_bytes(j, "capacity", o->capacity);
	if (o->serves) {
		jsonout_real(j, "ttft_seconds", o->ttft);
		jsonout_real(j, "tpot_seconds", o->seconds);
		jsonout_real(j, "kv_tokens", o->kv_tokens);
	} else
		jsonout_real(j, "seconds", o->seconds);
	jsonout_close(j);
}

static void
json_check(const struct estimate *e, const struct advice *advice)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_bool(&j, "legal", diag_count(&e->diags, SEVERITY_ERROR) == 0);
	json_results(&j, RESULT_FITS, RESULT_TIGHT, e, e->peak_stage);
	jsonout_list(&j, "diagnostics");
	for (size_t i = 0; i < e->diags.count; i++)
		json_diag(&j, &e->diags.item[i]);
	jsonout_close(&j);
	jsonout_int(&j, "dropped", (int64_t)e->diags.dropped);
	jsonout_list(&j, "mends");
	for (size_t i = 0; i < advice->count; i++)
		json_mend(&j, &advice->mend[i]);
	jsonout_close(&j);
	jsonout_close(&j);
}

static void
print_check(const struct estimate *e)
{
	char line[SESSION_LINE_SIZE];

	for (size_t i = 0; i < e->diags.count; i++)
		out_line(stdout, "%s", session_line(&e->diags.item[i], line));
	if (e->diags.dropped > 0) /* errors come first: the status holds without these */
		complain("%zu more diagnostics", e->diags.dropped);
}

/* Mends of a plan that does not run as it is, and hints. False after a message. */
static bool
advise(const struct session *s, struct estimate *e, struct advice *advice)
{
	struct estimate *work = malloc(sizeof *work);

	if (work == NULL) {
		out_of_memory();
		return false;
	}
	advice_run(advice, &s->plan, &s->catalog, &s->asked, work);
	advice_note(advice, MENDS_SHOWN, &e->diags);
	check_fixes(&s->plan, &s->catalog, &s->asked, &e->diags);
	advice_hints(&s->plan, &s->catalog, e, work, &e->diags);
	free(work);
	return true;
}

int
check_work(struct session *s, const struct options *o)
{
	struct estimate *e = session_run(s, NULL);
	struct advice advice;
	int status = STATUS_OK;

	if (e == NULL || !advise(s, e, &advice)) {
		free(e);
		return STATUS_ERROR;
	}
	for (size_t i = 0; i < e->diags.count; i++) {
		struct diag *d = &e->diags.item[i];

		if (o->strict && d->severity == SEVERITY_WARNING)
			d->severity = SEVERITY_ERROR;
		if (d->severity == SEVERITY_ERROR)
			status = STATUS_NO;
	}
	if (o->json)
		json_check(e, &advice);
	else
		print_check(e);
	free(e);
	return status;
}
