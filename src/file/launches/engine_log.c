/*
 * Lines of engines' logs with all their arguments. Sources: vllm-project/vllm vllm/entrypoints/utils.py
 * (log_non_default_args), vllm/entrypoints/openai/api_server.py before 0.10 ("args: Namespace("), vllm/v1/engine/core.py
 * and vllm/config (VllmConfig.__str__); sgl-project/sglang python/sglang/srt/entrypoints/engine.py.
 */
#include "file/launches/engine_log.h"

#include <ctype.h>
#include <string.h>

#include "core/base/text.h"
#include "file/base/textbuf.h"
#include "file/launches/logged.h"

/* Words before the arguments, and the first of these. */
static const struct {
	const char *engine, *words, *first;
} lines[] = {
	{ "vllm", "non-default args: ", "{" },
	{ "vllm", "args: Namespace", "(" },
	{ "vllm", ") with config: ", "model=" },
	{ "sglang", "server_args=ServerArgs", "(" },
};

/* How far arguments are literals: up to the bracket that closes the first one or the end of the line, else up to
 * the last comma outside of further brackets. */
static size_t
literal_length(const char *text, bool bare)
{
	size_t i, comma = 0;
	int depth = bare;
	char quote = '\0';

	for (i = 0; text[i] != '\0' && text[i] != '\n'; i++) {
		const char c = text[i];

		if (quote != '\0') {
			i += c == '\\' && text[i + 1] != '\0';
			quote = c == quote ? '\0' : quote;
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else if (strchr("([{", c) != NULL) {
			depth++;
		} else if (strchr(")]}", c) != NULL) {
			if (--depth == 0)
				return bare ? i : i + 1;
		} else if (c == '<') {
			return comma;
		} else if (c == ',' && depth == 1) {
			comma = i;
		}
	}
	return bare && quote == '\0' && depth == 1 ? i : comma;
}

/* Whether a value is a word that the line has without quotes: "auto", "torch.bfloat16". */
static size_t
bare_word(const char *text)
{
	static const char *const python[] = { "True", "False", "None" };
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || (n > 0 && strchr("._-", text[n]) != NULL && text[n] != '\0'))
		n++;
	if (n == 0 || isdigit((unsigned char)text[0]) || (text[n] != ',' && text[n] != ')' && text[n] != '\n' && text[n] != '\0'))
		return 0;
	for (size_t i = 0; i < sizeof python / sizeof *python; i++)
		if (n == strlen(python[i]) && strncmp(text, python[i], n) == 0)
			return 0;
	return n;
}

/* The arguments, with quotes around bare words. */
static void
add_quoted(struct textbuf *out, const char *text, size_t length)
{
	char quote = '\0';

	for (size_t i = 0; i < length; i++) {
		const char c = text[i];
		const size_t n = quote == '\0' && c == '=' ? bare_word(text + i + 1) : 0;

		textbuf_bytes(out, &c, 1);
		if (quote != '\0' && c == '\\' && i + 1 < length)
			textbuf_bytes(out, &text[++i], 1);
		else if (quote == '\0' && (c == '\'' || c == '"'))
			quote = c;
		else if (c == quote)
			quote = '\0';
		if (n > 0 && i + n < length) {
			textbuf_add(out, "'%.*s'", (int)n, text + i + 1);
			i += n;
		}
	}
}

/* The call of arguments that begin as `first` does. */
static char *
call_of(const char *text, const char *first)
{
	const bool mapping = *first == '{', bare = !mapping && *first != '(';
	const size_t length = literal_length(text, bare);
	const bool closed = length > 0 && !bare && text[length - 1] == (mapping ? '}' : ')');
	struct textbuf out = { 0 };

	textbuf_add(&out, LOGGED_CALL "%s", mapping ? "(" LOGGED_MAPPING "=" : bare ? "(" : "");
	add_quoted(&out, text, length);
	textbuf_add(&out, "%s%s", mapping && !closed ? "}" : "", mapping || !closed ? ")" : "");
	return textbuf_take(&out);
}

char *
engine_logged(const char *engine, const char *text)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *at = text_equal(lines[i].engine, engine) ? strstr(text, lines[i].words) : NULL;

		if (at == NULL)
			continue;
		at += strlen(lines[i].words);
		if (strncmp(at, lines[i].first, strlen(lines[i].first)) == 0)
			return call_of(at, lines[i].first);
	}
	return NULL;
}
