#include "core/base/show.h"
#include "file/plan/errors.h"

enum { NAME_SIZE = 200 }; /* of a file, at the beginning of a line */

/* Where the next line goes, which begins with the file's name; NULL where there is no room. */
static char *
begin_line(struct file_errors *errors, const char *file)
{
	char *out;

	if (errors->count >= PLANFILE_ERRORS_MAX) {
		errors->dropped++;
		return NULL;
	}
	out = errors->line[errors->count++];
	show_path(out, NAME_SIZE, file[0] != '\0' ? file : "''");
	return out;
}

void
errors_warn(struct file_errors *errors, const char *file, const char *fmt, ...)
{
	const size_t size = sizeof errors->line[0];
	char *out = begin_line(errors, file);
	va_list args;
	size_t used;

	if (out == NULL)
		return;
	used = text_add(out, size, ": warning: ");
	va_start(args, fmt);
	text_vput(out + used, size - used, fmt, args);
	va_end(args);
}

void
errors_add(struct file_errors *errors, const char *file, unsigned line, const char *path,
    const char *fmt, ...)
{
	const size_t size = sizeof errors->line[0];
	char *out = begin_line(errors, file), key[80];
	va_list args;
	size_t used;

	if (out == NULL)
		return;
	used = line == 0 ? text_add(out, size, ": error: ") : text_add(out, size, ":%u: error: ", line);
	if (path[0] != '\0') {
		show_text(key, sizeof key, path);
		used += text_put(out + used, size - used, "%s: ", key);
	}
	va_start(args, fmt);
	text_vput(out + used, size - used, fmt, args);
	va_end(args);
}

void
errors_note(const struct file_errors *errors, char *note, size_t size)
{
	text_put(note, size, "%s", errors->count > 0 ? errors->line[0] : "");
	if (errors->count + errors->dropped > 1)
		text_add(note, size, " (and %zu more)", errors->count + errors->dropped - 1);
}
