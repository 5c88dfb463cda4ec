#include "file/notation/notebook.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

char *
notebook_code(const char *text)
{
	json_t *book = text[0] == '{' && strstr(text, "\"nbformat\"") != NULL ? json_loads(text, 0, NULL) : NULL, *cell, *line;
	const size_t size = strlen(text) + 1; /* JSON has more bytes than what it says */
	char *code = book != NULL ? calloc(1, size) : NULL;
	size_t i, k, n = 0;

	if (code != NULL)
		json_array_foreach(json_object_get(book, "cells"), i, cell) {
			const char *kind = json_string_value(json_object_get(cell, "cell_type"));
			const json_t *source = json_object_get(cell, "source");

			if (kind == NULL || !text_equal(kind, "code"))
				continue;
			if (json_is_string(source))
				n += text_put(code + n, size - n, "%s", json_string_value(source));
			json_array_foreach((json_t *)(uintptr_t)source, k, line)
				if (json_is_string(line) && strchr("%!", *json_string_value(line)) == NULL)
					n += text_put(code + n, size - n, "%s", json_string_value(line));
			n += text_put(code + n, size - n, "\n");
		}
	json_decref(book);
	return code;
}

bool
notebook_is_python(const char *text)
{
	return strncmp(text, "import ", 7) == 0 || strncmp(text, "from ", 5) == 0 || strstr(text, "\nimport ") != NULL ||
	    strstr(text, "\nfrom ") != NULL;
}
