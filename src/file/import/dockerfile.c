/* Dockerfiles, whose ENTRYPOINT and CMD are lists of words or a line (docs.docker.com/reference/dockerfile). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file/import/served.h"
#include "file/import/wrapped.h"

/* "NAME=value ..." or "NAME value" as a shell assigns it. */
static void
put_variables(struct textbuf *out, const char *line)
{
	const size_t n = strcspn(line, "= ");

	if (line[n] == '=')
		textbuf_add(out, "export %s\n", line);
	else if (line[n] == ' ')
		textbuf_add(out, "export %.*s='%.*s'\n", (int)n, line, (int)strcspn(line + n + 1, "'"), line + n + 1);
}

static void
put_command(struct textbuf *out, const char *line)
{
	json_t *words = json_loads(line, 0, NULL), *word;
	size_t i;

	json_array_foreach(words, i, word)
		served_word(out, json_string_value(word));
	if (!json_is_array(words))
		textbuf_bytes(out, line, strlen(line));
	json_decref(words);
}

/* The last of each counts; what ends with a backslash goes on, past comments. */
void
dockerfile_read(struct import *im)
{
	struct textbuf script = { 0 }, line = { 0 };
	char entry[4096] = "", command[4096] = "";
	bool serves = false;

	for (const char *at = im->text, *end; *at != '\0'; at = *end != '\0' ? end + 1 : end) {
		size_t n;

		end = at + strcspn(at, "\n");
		n = (size_t)(end - at);
		if (at[strspn(at, " \t")] == '#')
			continue;
		textbuf_bytes(&line, at, n > 0 && at[n - 1] == '\\' ? n - 1 : n);
		if (line.text == NULL || (n > 0 && at[n - 1] == '\\' && *end != '\0'))
			continue;
		if (strncasecmp(line.text, "FROM ", 5) == 0)
			serves = strstr(line.text, "vllm-openai") != NULL;
		else if (strncasecmp(line.text, "ENV ", 4) == 0 || strncasecmp(line.text, "ARG ", 4) == 0)
			put_variables(&script, line.text + 4);
		else if (strncasecmp(line.text, "ENTRYPOINT ", 11) == 0)
			text_put(entry, sizeof entry, "%s", line.text + 11);
		else if (strncasecmp(line.text, "CMD ", 4) == 0)
			text_put(command, sizeof command, "%s", line.text + 4);
		free(line.text);
		line = (struct textbuf){ 0 };
	}
	free(line.text);
	textbuf_add(&script, "%s", entry[0] == '\0' && serves ? "vllm serve " : "");
	put_command(&script, entry);
	textbuf_add(&script, " ");
	put_command(&script, command);
	textbuf_add(&script, "\n");
	if (script.text == NULL || !wrapped_launch(im, script.text, script.used, "ENTRYPOINT and CMD", 0))
		import_error(im, "", "its image runs no launch that is known (fix: import the script that it runs)");
	free(script.text);
}
