/* What a search found as a table (RFC 4180 but for its line ends): a line a plan, what is free
 * and every result as numbers of the unit of `estimate --json`, headed by their paths. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/report_search.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "out/out.h"

static bool
is_column(enum result_id id)
{
	return result_table[id].label != NULL && result_table[id].scope != SCOPE_STAGE;
}

/* A text with what would end a cell in it stands in quotes. */
static void
put_text(const char *text)
{
	if (strpbrk(text, ",\"\n") == NULL) {
		out_part(stdout, ",%s", text);
		return;
	}
	out_part(stdout, ",\"");
	for (; *text != '\0'; text++)
		out_part(stdout, *text == '"' ? "\"\"" : "%c", *text);
	out_part(stdout, "\"");
}

static void
put_plan(const struct search_job *job, size_t rank)
{
	struct estimate *e = job->estimate[0];
	const enum field_id *fields;
	char value[PLAN_LAYOUT_SIZE];
	struct plan p;
	double v;

	space_plan(job->space, job->worker->key[rank].index, &p);
	estimate_run(e, &p, &job->session.catalog, NULL);
	out_part(stdout, "%zu", rank + 1);
	for (int i = 0; i < job->space->count; i++) {
		const int n = space_fields(job->space, i, &fields);

		for (int k = 0; k < n; k++) {
			field_format(fields[k], &p, value, sizeof value);
			put_text(value);
		}
	}
	for (enum result_id id = 0; id < RESULT_COUNT; id++) {
		if (!is_column(id))
			continue;
		value[0] = '\0';
		if (result_value(id, e, e->peak_stage, &v) && isfinite(v))
			text_real(value, sizeof value, v);
		put_text(value);
	}
	out_end(stdout);
}

void
search_csv(const struct search_job *job)
{
	const enum field_id *fields;

	out_part(stdout, "rank");
	for (int i = 0; i < job->space->count; i++) {
		const int n = space_fields(job->space, i, &fields);

		for (int k = 0; k < n; k++)
			put_text(field_table[fields[k]].path);
	}
	for (enum result_id id = 0; id < RESULT_COUNT; id++)
		if (is_column(id))
			put_text(result_table[id].path);
	out_end(stdout);
	for (size_t i = 0; i < search_listed(job); i++)
		put_plan(job, i);
}
