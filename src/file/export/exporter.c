#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "file/export/exporter.h"

#include <stdlib.h>
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
export_say(struct export *e, const enum field_id fields[])
{
	for (; *fields != FIELD_NONE; fields++)
		field_set_add(&e->said, *fields);
}

void
export_missing(struct export *e, enum field_id field, const char *why)
{
	if (!field_is_chosen(field, e->plan) || (e->missing.lines.text != NULL && strstr(e->missing.lines.text,
	    TEXT_OF(96, "not said: %s = ", field_table[field].path)) != NULL))
		return;
	notes_add(&e->missing, "not said: %s = %s: %s", field_table[field].path, FIELD_SHOWN(field, e->plan), why);
}

void
export_missing_rest(struct export *e, const char *why)
{
	static const char sections[] = "model parallel training finetune serving rl";

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_of(f, sections) && field_in_use(f, e->plan) && !field_set_has(&e->said, f))
			export_missing(e, f, why);
}

void
export_head(struct export *e, struct textbuf *out, const char *comment)
{
	textbuf_add(out, "%s%s, from %s by %s\n", comment, e->target, e->source, PACKAGE_STRING);
	for (size_t i = 0; i < e->files; i++)
		if (out == &e->file[i].text) {
			e->file[i].comment = comment;
			e->file[i].head = out->used;
		}
}

static void
put_notes(const struct notes *notes, struct export_file *file)
{
	const struct textbuf body = file->text;
	const char *line = notes->lines.text;

	file->text = (struct textbuf){ .failed = body.failed };
	textbuf_bytes(&file->text, body.text, file->head);
	for (; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
		textbuf_add(&file->text, "%snote: %.*s\n", file->comment, (int)strcspn(line, "\n"), line);
	textbuf_bytes(&file->text, body.text + file->head, body.used - file->head);
	free(body.text);
}

void
export_put_notes(struct export *e)
{
	for (size_t i = 0; i < e->files; i++)
		if (e->file[i].comment != NULL && !e->file[i].text.failed)
			put_notes(&e->missing, &e->file[i]);
}
