/* `export`: launch files out of a plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/session.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/rules/check.h"
#include "file/export/export.h"
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

static int
export_with(struct session *s, const struct options *o, const struct exporter *by,
    struct export *e)
{
	const char *line;

	if (!export_write(e, by)) {
		check_fixes(&s->plan, &s->catalog, &s->asked, &e->diags);
		session_complain(&e->diags, SEVERITY_ERROR);
		return STATUS_NO;
	}
	for (line = e->missing.lines.text; line != NULL && *line != '\0';
	    line += strcspn(line, "\n") + 1)
		complain("%s does not say %.*s", by->name, (int)strcspn(line, "\n"), line);
	return put_files(e, o->output);
}

int
export_run(const struct options *o)
{
	const char *path = o->operands > 0 ? o->operand[0] : NULL;
	const struct exporter *by;
	struct export e = { 0 };
	char source[256];
	struct session s;
	int status;

	if (o->list)
		return print_targets();
	if (o->to == NULL)
		return usage_error("export needs --to TARGET ('shardplan export --list' lists them)");
	if ((by = export_find(o->to)) == NULL)
		return usage_error("--to %s: no such target ('shardplan export --list' lists them)",
		    o->to);
	if (!session_open(&s, o, path))
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
