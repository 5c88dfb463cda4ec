#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/plan/field.h"
#include "file/export/back.h"
#include "file/import/import.h"
#include "thereback.h"

/* Whether a note tells of a field that does not come back. */
static bool
is_told(enum field_id f, const char *told)
{
	char line[96];

	text_put(line, sizeof line, "not said: %s = ", field_table[f].path);
	return strstr(told, line) != NULL;
}

/* What is decided beside the files, and by no number of nodes, is told all the same. */
static bool
is_told_beside(const struct export *e, enum field_id f, const struct plan *raw, const char *told)
{
	return !field_set_has(&e->outside, f) || f == FIELD_NODES || f == FIELD_GPUS_PER_NODE ||
	    !field_is_chosen(f, e->asked) || export_same(f, e->asked, raw) || is_told(f, told);
}

static void
compare_field(const struct thereback *t, const struct export *e, enum field_id f, const struct plan *back,
    const char *told)
{
	const bool is_kept = export_same(f, e->asked, back);
	char a[128], b[128], more[400];

	field_format(f, e->asked, a, sizeof a);
	field_format(f, back, b, sizeof b);
	text_put(more, sizeof more, "%s = %s comes back as %s", field_table[f].path, a, b);
	if (!is_kept && !is_told(f, told))
		t->found(t->context, "untold: ", more);
	else if (t->field != NULL)
		t->field(t->context, f, is_kept, field_is_chosen(f, e->asked), more);
}

/* raw: as import made it, before what no launch tells was put in. */
static void
compare(const struct thereback *t, const struct export *e, const struct plan *raw, const struct plan *back)
{
	const char *told = e->missing.lines.text != NULL ? e->missing.lines.text : "";

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!export_tells(f, e->asked))
			continue;
		if (!is_told_beside(e, f, raw, told))
			t->found(t->context, "untold: ", field_table[f].path);
		if (!field_set_has(&e->outside, f))
			compare_field(t, e, f, back, told);
	}
}

/* kind: of what, NULL where the file has to tell itself. */
static void
read_back(const struct thereback *t, const struct export *e, const char *path, const char *kind, struct plan *back)
{
	struct file_errors errors = { 0 };
	struct import im = { .catalog = t->catalog, .plan = back, .errors = &errors, .has_model = true,
		.world = export_world(e, t->by) };
	struct plan raw;

	if (import_file(&im, path, kind) != IMPORT_DONE) {
		t->found(t->context, "not read: ", errors.count > 0 ? errors.line[0] : path);
	} else {
		raw = *back;
		export_take_rest(e, t->by, back);
		compare(t, e, &raw, back);
	}
	import_free(&im);
}

/* Scripts that start it say the same, by the files that they name; but for one that names a module of Python, and for
 * the half of engines whose other half is on GPUs of its own. */
static void
read_scripts(const struct thereback *t, const struct export *e)
{
	struct thereback of_script = *t;
	struct plan back;
	char path[96];

	of_script.field = NULL;
	if (text_equal(t->by->name, "torchtitan-python"))
		return;
	for (size_t i = 0; e->files > 1 && i < e->files; i++) {
		const char *name = e->file[i].name, *dot = strrchr(name, '.');

		if (dot == NULL || !text_equal(dot, ".sh") || strstr(name, "-ffn.") != NULL ||
		    (t->by->launch != NULL && text_equal(name, t->by->launch)))
			continue;
		text_put(path, sizeof path, "t/%s", name);
		read_back(&of_script, e, path, NULL, &back);
	}
}

static void
write_and_read(const struct thereback *t, const struct export *e, struct plan *back)
{
	const bool many = e->files > 1;
	char note[512], path[96];

	if (!export_save(e, many ? "t" : e->file[0].name, note, sizeof note))
		t->found(t->context, "not written: ", note);
	text_put(path, sizeof path, "%s%s", many ? "t/" : "", t->by->launch != NULL ? t->by->launch :
	    e->file[0].name);
	read_back(t, e, path, t->by->kind, back);
	read_scripts(t, e);
	for (size_t i = 0; i < e->files; i++) {
		text_put(path, sizeof path, "%s%s", many ? "t/" : "", e->file[i].name);
		remove(path);
	}
	rmdir("t");
}

bool
there_and_back(const struct thereback *t, const struct plan *p, struct plan *back)
{
	struct export e = { .plan = p, .catalog = t->catalog, .source = "a random plan" };
	const bool is_done = export_write(&e, t->by);

	if (is_done)
		write_and_read(t, &e, back);
	export_free(&e);
	return is_done;
}
