#include "core/base/show.h"
#include "file/plan/errors.h"

void
errors_add(struct file_errors *errors, const char *file, unsigned line, const char *path,
    const char *fmt, ...)
{
	char *out, name[200], key[80];
	size_t size = sizeof errors->line[0], used;
	va_list args;

	if (errors->count >= PLANFILE_ERRORS_MAX) {
		errors->dropped++;
		return;
	}
	out = errors->line[errors->count++];
	show_path(name, sizeof name, file[0] != '\0' ? file : "''");
	used = line == 0 ? text_put(out, size, "%s: error: ", name) :
	    text_put(out, size, "%s:%u: error: ", name, line);
	if (path[0] != '\0') {
		show_text(key, sizeof key, path);
		used += text_put(out + used, size - used, "%s: ", key);
	}
	va_start(args, fmt);
	text_vput(out + used, size - used, fmt, args);
	va_end(args);
}
