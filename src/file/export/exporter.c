#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "file/export/exporter.h"

#include <string.h>

struct textbuf *
export_begin(struct export *e, const char *name)
{
	struct export_file *file = &e->file[e->files < EXPORT_FILES_MAX ? e->files++ : 0];

	text_put(file->name, sizeof file->name, "%s", name);
	return &file->text;
}

void
export_refuse(struct export *e, enum field_id field, const char *reason, const char *source,
    const char *fmt, ...)
{
	char message[DIAG_MESSAGE_SIZE];
	va_list args;

	va_start(args, fmt);
	text_vput(message, sizeof message, fmt, args);
	va_end(args);
	diag_add(&e->diags, SEVERITY_ERROR, field, reason, source, "%s", message);
}

void
export_missing(struct export *e, enum field_id field, const char *why)
{
	char value[128];

	if (!field_is_chosen(field, e->plan))
		return;
	field_format(field, e->plan, value, sizeof value);
	notes_add(&e->missing, "%s = %s: %s", field_table[field].path, value, why);
}

void
export_head(const struct export *e, struct textbuf *out, const char *comment)
{
	const char *line = e->missing.lines.text;

	textbuf_add(out, "%s%s, from %s by %s\n", comment, e->target, e->source, PACKAGE_STRING);
	for (; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
		textbuf_add(out, "%snot said: %.*s\n", comment, (int)strcspn(line, "\n"), line);
}
