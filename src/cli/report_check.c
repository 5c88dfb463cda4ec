/* `check`: is the plan legal, does it fit, and what would mend it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report.h"
#include "core/check.h"
#include "core/estimate.h"
#include "out/out.h"

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
		jsonout_close(j);
	} else
		jsonout_null(j, "fix");
	jsonout_close(j);
}

static void
json_check(const struct estimate *e)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_bool(&j, "legal", diag_count(&e->diags, SEVERITY_ERROR) == 0);
	json_result(&j, "fits", RESULT_FITS, e, e->peak_stage);
	jsonout_list(&j, "diagnostics");
	for (size_t i = 0; i < e->diags.count; i++)
		json_diag(&j, &e->diags.item[i]);
	jsonout_close(&j);
	jsonout_int(&j, "dropped", (int64_t)e->diags.dropped);
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

int
check_run(const struct options *o)
{
	struct session s;
	struct estimate *e;
	int status = STATUS_OK;

	if (!session_open(&s, o, o->operands > 0 ? o->operand[0] : NULL))
		return STATUS_ERROR;
	if ((e = session_estimate(&s, NULL)) == NULL) {
		session_close(&s);
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
		json_check(e);
	else
		print_check(e);
	free(e);
	session_close(&s);
	return status;
}
