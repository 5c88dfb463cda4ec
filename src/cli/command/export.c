/* `export`: launch files out of a plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/output.h"
#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/session.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/rules/check.h"
#include "file/export/export.h"
#include "file/export/megatron_core.h"
#include "file/plan/pathname.h"
#include "out/out.h"

static int
print_targets(void)
{
	static const char *const modes[] = { [MODES_TRAIN] = "train", [MODES_SERVE] = "serve",
		[MODES_BOTH] = "both" };
	struct table t;

	table_init(&t, 3);
	table_row(&t, (const char *[]){ "target", "mode", "writes" });
	for (size_t i = 0; i < export_count; i++)
		table_row(&t, (const char *[]){ export_table[i].name, modes[export_table[i].modes],
			export_table[i].help });
	return table_print(&t) ? STATUS_OK : STATUS_ERROR;
}

static int
put_files(const struct export *e, const char *path)
{
	char note[512];

	if (path != NULL && !text_equal(path, "-")) {
		const bool saved = export_save(e, path, note, sizeof note);

		complain("%s", note);
		return saved ? STATUS_OK : STATUS_ERROR;
	}
	if (e->files > 1)
		return usage_error("%zu files are to be written: -o names their directory", e->files);
	out_text(stdout, e->file[0].text.text);
	return STATUS_OK;
}

/* The map goes straight to standard output, or into a file by way of memory. */
static int
put_map(struct session *s, const struct options *o, const struct exporter *by, struct export *e)
{
	const bool picture = text_equal(by->name, "svg"), print = o->output == NULL ||
	    text_equal(o->output, "-");
	struct options colored = *o;
	struct textbuf *file;
	struct layout l;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int status;

	colored.color = COLOR_ALWAYS;
	if (!report_layout(s, &l))
		return STATUS_NO;
	if (print)
		return report_map(s, &colored, &l, stdout, picture);
	out = open_memstream(&text, &size);
	status = out != NULL ? report_map(s, &colored, &l, out, picture) : STATUS_ERROR;
	if (out != NULL && fclose(out) == 0 && status == STATUS_OK) {
		file = export_begin(e, picture ? "map.svg" : "map.ansi");
		textbuf_bytes(file, text, size);
		status = put_files(e, o->output);
	} else if (status == STATUS_OK) {
		status = out_of_memory();
	}
	free(text);
	return status;
}

static int
export_with(struct session *s, const struct options *o, const struct exporter *by,
    struct export *e)
{
	const char *line;

	if (by == NULL && (by = export_any(e)) != NULL)
		complain("export --to=%s", by->name);
	else if (by == NULL && diag_count(&e->diags, SEVERITY_ERROR) == 0)
		return usage_error("no target starts such a plan ('shardplan export --list' lists them)");
	if (by != NULL && by->write == NULL)
		return put_map(s, o, by, e);
	if (by == NULL || (e->files == 0 && !export_write(e, by))) {
		if (!plan_is_legal(&s->plan, &s->catalog)) /* else the launcher alone refuses it */
			session_fixes(s, &e->diags);
		session_complain(&e->diags, SEVERITY_ERROR);
		return STATUS_NO;
	}
	for (line = e->missing.lines.text; line != NULL && *line != '\0';
	    line += strcspn(line, "\n") + 1)
		complain("%s: %.*s", by->name, (int)strcspn(line, "\n"), line);
	return put_files(e, o->output);
}

int
export_run(const struct options *o)
{
	const char *path = o->operands > 0 ? o->operand[0] : NULL;
	const struct exporter *by = NULL;
	struct export e = { 0 };
	char source[256];
	struct session s;
	int status;

	if (o->list)
		return print_targets();
	if (o->to != NULL && (by = export_find(o->to)) == NULL)
		return usage_error("--to '%s': no such target ('shardplan export --list' lists them)",
		    o->to);
	if (o->core != NULL && (e.core = megatron_core_parse(o->core)) == 0)
		return usage_error("--core '%s': takes a release of Megatron core, 0.%d to 0.%d", o->core,
		    CORE_OLDEST, CORE_NEWEST);
	if (!session_open_named(&s, o, path))
		return STATUS_ERROR;
	show_path(source, sizeof source, path == NULL ? "the built-in plan" :
	    text_equal(path, "-") ? "standard input" : pathname_last(path));
	e.plan = &s.plan;
	e.catalog = &s.catalog;
	e.source = source;
	status = export_with(&s, o, by, &e);
	export_free(&e);
	session_close(&s);
	return status;
}
