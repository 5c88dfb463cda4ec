#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/estimate/result.h"
#include "core/plan/field.h"
#include "file/export/writers.h"
#include "file/plan/planfile.h"

static struct estimate *
estimate_of(struct export *e)
{
	struct estimate *out = malloc(sizeof *out);

	if (out == NULL)
		export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
	else
		estimate_run(out, e->plan, e->catalog, NULL);
	return out;
}

/* ---- Markdown ------------------------------------------------------------------------- */

/* What a user wrote must neither end a cell nor be taken for markup. */
static void
put_plain(struct textbuf *out, const char *text)
{
	char shown[1024];

	show_text(shown, sizeof shown, text);
	for (const char *at = shown; *at != '\0'; at++) {
		if (strchr("\\`*_{}[]<>|#", *at) != NULL)
			textbuf_bytes(out, "\\", 1);
		textbuf_bytes(out, at, 1);
	}
}

static void
put_chosen(struct textbuf *out, const struct plan *p)
{
	char value[PLAN_LAYOUT_SIZE];

	textbuf_add(out, "\n## Plan\n\n| field | value |\n| --- | --- |\n");
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const bool named = f == FIELD_GPU || f == FIELD_PRESET; /* whether chosen or not */

		if (f == FIELD_NAME || f == FIELD_NOTES || !field_in_use(f, p) ||
		    (!named && !field_is_chosen(f, p)))
			continue;
		field_format(f, p, value, sizeof value);
		textbuf_add(out, "| %s | ", field_table[f].path);
		put_plain(out, value);
		field_unit(f, p, value, sizeof value);
		textbuf_add(out, "%s%s |\n", value[0] != '\0' ? " " : "", value);
	}
}

static void
put_results(struct textbuf *out, const struct estimate *e)
{
	char text[3 * UNITS_SIZE];
	double value;

	textbuf_add(out, "\n## Estimates\n\n| | |\n| --- | ---: |\n");
	for (int id = 0; id < RESULT_COUNT; id++) {
		const struct result *r = &result_table[id];

		if (r->label == NULL || r->scope == SCOPE_STAGE ||
		    !result_value((enum result_id)id, e, e->peak_stage, &value) || value == 0)
			continue;
		units_exact(text, sizeof text, r->measure, value);
		result_add_range(text, sizeof text, (enum result_id)id, e);
		textbuf_add(out, "| %s | %s |\n", r->label, text);
	}
}

static void
put_stages(struct textbuf *out, const struct estimate *e)
{
	char text[UNITS_SIZE];
	double value;

	if (e->stages == 0)
		return;
	textbuf_add(out, "\n## Memory of a GPU, by stage\n\n| stage |");
	for (int id = 0; id < RESULT_COUNT; id++)
		if (result_table[id].scope == SCOPE_STAGE && result_table[id].brief != NULL)
			textbuf_add(out, " %s |", result_table[id].brief);
	textbuf_add(out, "\n| ---: |");
	for (int id = 0; id < RESULT_COUNT; id++)
		if (result_table[id].scope == SCOPE_STAGE && result_table[id].brief != NULL)
			textbuf_add(out, " ---: |");
	for (int64_t s = 0; s < e->stages; s++) {
		textbuf_add(out, "\n| %lld |", (long long)s);
		for (int id = 0; id < RESULT_COUNT; id++) {
			if (result_table[id].scope != SCOPE_STAGE || result_table[id].brief == NULL)
				continue;
			result_value((enum result_id)id, e, s, &value);
			textbuf_add(out, " %s |",
			    units_short(text, sizeof text, result_table[id].measure, value));
		}
	}
	textbuf_add(out, "\n");
}

static void
put_diags(struct textbuf *out, const struct estimate *e)
{
	char line[512];

	if (e->diags.count > 0)
		textbuf_add(out, "\n## What to know\n\n");
	for (size_t i = 0; i < e->diags.count; i++) {
		diag_format(&e->diags.item[i], line, sizeof line);
		textbuf_add(out, "- ");
		put_plain(out, line);
		textbuf_add(out, "\n");
	}
}

/* Which plan this is of, and what the target has no word for. */
static void
put_foot(struct export *e, struct textbuf *out)
{
	struct textbuf foot = { 0 };
	char *text, *end;

	export_head(e, &foot, "");
	text = textbuf_take(&foot);
	out->failed |= text == NULL;
	textbuf_add(out, "\n");
	for (char *line = text; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		put_plain(out, line);
		textbuf_add(out, "\n");
	}
	free(text);
}

void
markdown_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct estimate *estimate = estimate_of(e);
	struct textbuf *out;

	if (estimate == NULL)
		return;
	out = export_begin(e, "report.md");
	textbuf_add(out, "# ");
	put_plain(out, p->name[0] != '\0' ? p->name : e->source);
	textbuf_add(out, "\n");
	if (p->notes[0] != '\0') {
		textbuf_add(out, "\n");
		put_plain(out, p->notes);
		textbuf_add(out, "\n");
	}
	put_chosen(out, p);
	put_results(out, estimate);
	put_stages(out, estimate);
	put_diags(out, estimate);
	put_foot(e, out);
	free(estimate);
}

/* ---- CSV ------------------------------------------------------------------------------ */

static void
put_row(struct textbuf *out, const char *path, double value, const char *label)
{
	char number[64] = ""; /* what is not a number stays empty */

	if (isfinite(value))
		text_real(number, sizeof number, value);
	textbuf_add(out, "%s,%s,\"%s\"\n", path, number, label);
}

void
csv_write(struct export *e)
{
	struct estimate *estimate = estimate_of(e);
	struct textbuf *out;
	char path[128];
	double value;

	if (estimate == NULL)
		return;
	out = export_begin(e, "estimates.csv");
	textbuf_add(out, "path,value,label\n");
	for (int i = 0; i < RESULT_COUNT; i++) {
		const enum result_id id = (enum result_id)i;
		const struct result *r = &result_table[id];

		if (r->label == NULL)
			continue;
		if (r->scope != SCOPE_STAGE) {
			if (result_value(id, estimate, estimate->peak_stage, &value))
				put_row(out, r->path, value, r->label);
			continue;
		}
		for (int64_t s = 0; s < estimate->stages; s++) {
			text_put(path, sizeof path, "stages.%lld.%s", (long long)s,
			    strncmp(r->path, "stages.", 7) == 0 ? r->path + 7 : r->path);
			if (result_value(id, estimate, s, &value))
				put_row(out, path, value, r->label);
		}
	}
	free(estimate);
}

void
plan_write(struct export *e)
{
	struct textbuf *out = export_begin(e, "plan.cfg");
	char *text = planfile_text_alone(e->plan, e->catalog);

	if (text != NULL)
		textbuf_bytes(out, text, strlen(text));
	else
		out->failed = true;
	free(text);
}
