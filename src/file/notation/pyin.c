#include "file/notation/pyin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/pyin_reader.h"
#include "file/plan/errors.h"

static bool
is_short(const char *text, const char *name, struct file_errors *errors)
{
	if (strlen(text) <= PYIN_SIZE_MAX)
		return true;
	errors_add(errors, name, 0, "", "is larger than %d KiB, so it is no configuration", PYIN_SIZE_MAX / 1024);
	return false;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Of a name with its attributes. */
static size_t
length_of_path(const char *at)
{
	size_t n = py_length_of_name(at);

	while (at[n] == '.')
		n += 1 + py_length_of_name(at + n + 1);
	return n;
}

static const char *
next_statement(const char *at)
{
	at = py_end_of_statement(at);
	return *at == '\n' ? at + 1 : at;
}

static size_t
indent_of(const char *at)
{
	return strspn(at, " \t");
}

/* Nothing, or a comment. */
static bool
is_blank(const char *at)
{
	at += strspn(at, " \t\r");
	return *at == '\n' || *at == '\0' || *at == '#';
}

/* A statement that begins with this word and goes on behind a blank; what follows, else NULL. */
static const char *
behind_word(const char *at, const char *word)
{
	const size_t n = strlen(word);

	return strncmp(at, word, n) == 0 && (at[n] == ' ' || at[n] == '\t') ? at + n + strspn(at + n, " \t") : NULL;
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The next function of the file from here on: where its name is. NULL: no more. */
static const char *
find_function(const char *at)
{
	for (; *at != '\0'; at = next_statement(at)) {
		const char *name = behind_word(at, "def");

		if (name != NULL && py_length_of_name(name) > 0 && py_length_of_name(name) < PYIN_NAME_SIZE)
			return name;
	}
	return NULL;
}

/* The last one of a name is what Python calls. */
static json_t *
functions_of(const char *text)
{
	json_t *out = json_object();

	for (const char *at = find_function(text); at != NULL; at = find_function(next_statement(at)))
		json_object_set_new(out, TEXT_OF(PYIN_NAME_SIZE, "%.*s", (int)py_length_of_name(at), at),
		    json_integer(at - text));
	return out;
}

void
pyin_function(const char *text, char name[PYIN_NAME_SIZE])
{
	name[0] = '\0';
	for (const char *at = find_function(text); at != NULL; at = find_function(next_statement(at))) {
		if (*at == '_')
			continue;
		if (name[0] != '\0') {
			name[0] = '\0';
			return;
		}
		text_put(name, PYIN_NAME_SIZE, "%.*s", (int)py_length_of_name(at), at);
	}
}

/* ---- statements ----------------------------------------------------------------------------- */

/* The equals sign of an assignment behind its target, NULL: it is none. */
static const char *
equals_behind(const char *at)
{
	int open = 0;

	if (*at == ':') { /* NAME: TYPE = VALUE */
		for (; *at != '\0' && *at != '\n' && (*at != '=' || open > 0); at++)
			open += (*at == '[') - (*at == ']');
	}
	return *at == '=' && at[1] != '=' ? at : NULL;
}

/* What was known at a path is so no longer. */
static void
forget(json_t *object, const char *path)
{
	for (size_t n; object != NULL && path[n = strcspn(path, ".")] != '\0'; path += n + 1)
		object = json_object_get(object, TEXT_OF(PYIN_NAME_SIZE, "%.*s", (int)n, path));
	json_object_del(object, path);
}

/* Where what is on the left of an assignment has its value: an object and a path in it. */
static void
put_value(struct py_scope *s, const char *target, json_t *value, const char *why)
{
	const char *point = strchr(target, '.');
	char name[PYIN_NAME_SIZE];
	json_t *object;

	if (point == NULL && value == NULL)
		json_object_del(s->names, target);
	else if (point == NULL)
		json_object_set_new(s->names, target, value);
	if (point == NULL)
		return;
	text_put(name, sizeof name, "%.*s", (int)(point - target), target);
	object = json_object_get(s->names, name);
	if (!json_is_object(object)) {
		object = json_object();
		json_object_set_new(s->names, name, object);
	}
	if (value == NULL) {
		forget(object, point + 1);
		s->r->unknown->tell(s->r->unknown->to, point + 1, why);
	} else if (!jsonin_put(object, point + 1, value)) {
		s->r->unknown->tell(s->r->unknown->to, point + 1, "another value stands in its way");
	}
}

/* What stands from here to the end of the statement, as a value; NULL: not known. */
static json_t *
read_rest(struct py_scope *s, const char *from)
{
	char *alone = strndup(from, (size_t)(py_end_of_statement(from) - from));
	const char *at = alone;
	json_t *value = alone != NULL ? py_value(s, &at) : NULL;

	if (value != NULL && (py_skip(&at), *at != '\0')) {
		json_decref(value);
		value = NULL;
	}
	free(alone);
	return value;
}

/* TARGET = VALUE; false: the statement is another one. */
static bool
take_assignment(struct py_scope *s, const char *at, bool sure)
{
	const size_t n = length_of_path(at);
	char target[PYIN_NAME_SIZE];
	const char *equals;

	equals = n > 0 && n < sizeof target ? equals_behind(at + n + strspn(at + n, " \t")) : NULL;
	if (equals == NULL)
		return false;
	text_put(target, sizeof target, "%.*s", (int)n, at);
	put_value(s, target, sure ? read_rest(s, equals + 1) : NULL, sure ? PYIN_UNTOLD : "set under a condition, which only a run tells");
	return true;
}

/* The module's own values, which functions see. */
static void
read_module(struct py_reader *r)
{
	struct py_scope s = { r, r->names };

	for (const char *at = r->text; *at != '\0'; at = next_statement(at))
		if (py_length_of_name(at) > 0 && !isdigit((unsigned char)*at))
			take_assignment(&s, at, true);
}

/* Parameters have the caller's values, or their own. */
static void
bind_parameters(struct py_scope *s, const char *at, const json_t *arguments)
{
	char name[PYIN_NAME_SIZE], place[12];
	const char *end = py_end_of_statement(at);

	at += py_length_of_name(at);
	for (int i = 0; *at != ')' && at < end; i++) {
		json_t *value;
		const char *equals;

		at++;
		py_skip(&at);
		text_put(name, sizeof name, "%.*s", (int)py_length_of_name(at), at);
		text_put(place, sizeof place, "%d", i);
		equals = equals_behind(at + py_length_of_name(at) + strspn(at + py_length_of_name(at), " \t"));
		value = json_object_get(arguments, name) != NULL ? json_object_get(arguments, name) :
		    json_object_get(arguments, place);
		if (value != NULL) {
			json_object_set(s->names, name, value);
		} else if (equals != NULL && equals < end && name[0] != '\0') {
			at = equals + 1;
			value = py_element(s, &at);
			json_object_set_new(s->names, name, value != NULL ? value : json_null());
		}
		py_pass_over(&at);
	}
}

/* FUNCTION(...) alone: one of the file changes what it is given; any other may. */
static void
take_call(struct py_scope *s, const char *at)
{
	const size_t n = length_of_path(at);
	char name[PYIN_NAME_SIZE];
	bool own;

	if (n == 0 || n >= sizeof name || at[n] != '(')
		return;
	text_put(name, sizeof name, "%.*s", (int)n, at);
	own = py_function_named(s->r, name) != NULL;
	json_decref(read_rest(s, at));
	if (!own)
		s->r->unknown->tell(s->r->unknown->to, name, "what it changes does not stand in the file");
}

/* What a function returns, of its name on; NULL: not known. */
static json_t *
read_function(struct py_reader *r, const char *at, const json_t *arguments)
{
	struct py_scope s = { r, json_copy(r->names) };
	const char *line = next_statement(at);
	size_t body = 0;
	json_t *out = NULL;

	if (r->calls >= PYIN_CALLS_MAX || r->depth >= PYIN_DEPTH_MAX) {
		json_decref(s.names);
		return NULL;
	}
	r->calls++;
	r->depth++;
	bind_parameters(&s, at, arguments);
	for (; *line != '\0' && (is_blank(line) || indent_of(line) > 0); line = next_statement(line)) {
		const char *statement = line + indent_of(line), *value;
		const bool sure = body == 0 || indent_of(line) == body;

		if (is_blank(line))
			continue;
		body = body == 0 ? indent_of(line) : body;
		value = behind_word(statement, "return");
		if (value == NULL) {
			if (!take_assignment(&s, statement, sure) && sure)
				take_call(&s, statement);
		} else if (sure) {
			json_decref(out);
			out = read_rest(&s, value);
			break;
		}
	}
	json_decref(s.names);
	r->depth--;
	return out;
}

/* ---- scripts -------------------------------------------------------------------------------- */

/* A statement of this word, which a blank, a bracket or a colon may end. */
static bool
begins_keyword(const char *at, const char *word)
{
	const size_t n = strlen(word);

	return strncmp(at, word, n) == 0 && py_length_of_name(at) == n;
}

/* Only a run tells whether what is indented below it happens; that the file is the program is no question. */
static bool
is_condition(const char *at)
{
	static const char *const words[] = { "if", "elif", "else", "except", "while", "match", "case" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (begins_keyword(at, words[i]))
			return strncmp(at, "if __name__", strlen("if __name__")) != 0;
	return false;
}

/* Behind the first equals sign outside of brackets, as of NAME, NAME = VALUE; the statement where it has none. */
static const char *
value_of(const char *at)
{
	const char *end = py_end_of_statement(at);
	int open = 0;

	for (const char *p = at; p < end; p++) {
		if (*p == '"' || *p == '\'' || *p == '#')
			return at;
		open += (strchr("([{", *p) != NULL) - (strchr(")]}", *p) != NULL);
		if (*p == '=' && open == 0)
			return p[1] == '=' ? at : p + 1;
	}
	return at;
}

static void
take_statement(struct py_scope *s, const char *at, bool sure)
{
	const char *name = behind_word(at, "def"), *given = behind_word(at, "return");

	if (name != NULL)
		bind_parameters(s, name, NULL);
	else if (!take_assignment(s, at, sure) && sure)
		json_decref(read_rest(s, given != NULL ? given : value_of(at)));
}

static void
read_script(struct py_reader *r)
{
	struct py_scope s = { r, r->names };
	size_t condition = SIZE_MAX; /* indent of one that is open */

	for (const char *line = r->text; *line != '\0' && json_array_size(r->made) < PYIN_MADE_MAX; line = next_statement(line)) {
		const size_t indent = indent_of(line);

		if (is_blank(line))
			continue;
		condition = indent <= condition ? SIZE_MAX : condition;
		if (condition == SIZE_MAX && is_condition(line + indent))
			condition = indent;
		else
			take_statement(&s, line + indent, condition == SIZE_MAX);
	}
}

/* Nothing is told before all is known. */
static void
tell_nothing(MAYBE void *to, MAYBE const char *path, MAYBE const char *why)
{
}

bool
pyin_script(struct jsonin *j, const char *text, const char *name, const json_t *said, const struct pyin_unknown *unknown,
    struct file_errors *errors)
{
	const struct pyin_unknown nobody = { tell_nothing, NULL };
	struct py_reader r = { .text = text, .said = said, .unknown = &nobody, .function = read_function };

	*j = (struct jsonin){ .root = NULL, .texts = 1, .file = name, .text = NULL, .errors = errors };
	if (!is_short(text, name, errors))
		return false;
	r.functions = json_object();
	r.names = json_object();
	r.made = json_array();
	r.parsed = json_object();
	read_script(&r);
	/* Functions stand before what they are called with. */
	json_array_clear(r.made);
	r.unknown = unknown;
	read_script(&r);
	json_decref(r.functions);
	json_decref(r.names);
	json_decref(r.parsed);
	j->root = r.made;
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* "one, another", those that a user would name. */
static void
list_functions(const char *text, char *buf, size_t size)
{
	buf[0] = '\0';
	for (const char *at = find_function(text); at != NULL && strlen(buf) + PYIN_NAME_SIZE < size;
	    at = find_function(next_statement(at)))
		if (*at != '_')
			text_add(buf, size, "%s%.*s", buf[0] != '\0' ? ", " : "", (int)py_length_of_name(at), at);
}

/* What the function returns; false after a complaint where the file has none such. */
static bool
read_named(struct py_reader *r, const char *function, const char *name, struct file_errors *errors, json_t **out)
{
	char names[512];
	const char *at = *function != '\0' ? py_function_named(r, function) : NULL;

	if (at == NULL) {
		list_functions(r->text, names, sizeof names);
		errors_add(errors, name, 0, "", "%s (fix: --part with one of %s)", *function != '\0' ?
		    "there is no such function in it" : "several functions return settings", names);
		return false;
	}
	read_module(r);
	r->calls = 0;
	*out = read_function(r, at, NULL);
	return true;
}

bool
pyin_parse(struct jsonin *j, const char *text, const char *name, const char *function,
    const struct pyin_unknown *unknown, struct file_errors *errors)
{
	struct py_reader r = { .text = text, .unknown = unknown, .function = read_function };
	char only[PYIN_NAME_SIZE];
	bool found;

	*j = (struct jsonin){ .root = NULL, .texts = 1, .file = name, .text = NULL, .errors = errors };
	if (!is_short(text, name, errors))
		return false;
	pyin_function(text, only);
	r.functions = functions_of(text);
	r.names = json_object();
	found = read_named(&r, function != NULL ? function : only, name, errors, &j->root);
	json_decref(r.functions);
	json_decref(r.names);
	if (found && json_is_object(j->root))
		jsonin_watch(j);
	else if (found)
		errors_add(errors, name, 0, function != NULL ? function : only, "returns no settings that stand in the file");
	return found && json_is_object(j->root);
}
