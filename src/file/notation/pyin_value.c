/* Values in Python: literals, names, calls. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/pyin_reader.h"

/* ---- letters and lines ---------------------------------------------------------------------- */

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind a text that begins here with its quotes, "" or f or r before them left out. */
static const char *
end_of_text(const char *at)
{
	const char quote = *at;
	const bool longer = at[1] == quote && at[2] == quote;

	for (at += longer ? 3 : 1; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0')
			at++;
		else if (*at == quote && (!longer || (at[1] == quote && at[2] == quote)))
			return at + (longer ? 3 : 1);
		else if (*at == '\n' && !longer)
			return at;
	}
	return at;
}

/* The newline that ends a statement, none of those in brackets and texts. */
const char *
py_end_of_statement(const char *at)
{
	int open = 0;

	while (at += strcspn(at, "\n#\"'\\([{)]}"), *at != '\0' && (*at != '\n' || open > 0)) {
		if (*at == '#') {
			at += strcspn(at, "\n");
		} else if (*at == '"' || *at == '\'') {
			at = end_of_text(at);
		} else if (*at == '\\' && at[1] == '\n') {
			at += 2;
		} else {
			open += strchr("([{", *at) != NULL ? 1 : strchr(")]}", *at) != NULL ? -1 : 0;
			at++; /* a newline too, within brackets */
		}
	}
	return at;
}

size_t
py_length_of_name(const char *at)
{
	size_t n = 0;

	while (is_name(at[n]))
		n++;
	return n;
}

const char *
py_function_named(const struct py_reader *r, const char *name)
{
	const json_t *at = json_object_get(r->functions, name);

	return at != NULL ? r->text + json_integer_value(at) : NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Blanks, ends of lines and comments: within brackets. */
void
py_skip(const char **at)
{
	while (*(*at += strspn(*at, " \t\r\n\\")) == '#')
		*at += strcspn(*at, "\n");
}

static bool
takes_word(const char **at, const char *word)
{
	const size_t n = strlen(word);

	py_skip(at);
	if (strncmp(*at, word, n) != 0 || (is_name(word[n - 1]) && is_name((*at)[n])))
		return false;
	*at += n;
	return true;
}

static json_t *
read_number(const char **at)
{
	char digits[40];
	size_t n = 0, all = 0;
	int64_t whole;
	double real;

	while (is_name((*at)[all]) || (*at)[all] == '.' || (all > 0 && ((*at)[all] == '-' || (*at)[all] == '+') &&
	    tolower((unsigned char)(*at)[all - 1]) == 'e')) {
		if ((*at)[all] != '_' && n + 1 < sizeof digits)
			digits[n++] = (*at)[all];
		all++;
	}
	digits[n] = '\0';
	*at += all;
	if (text_to_int(digits, &whole))
		return json_integer(whole);
	return text_to_real(digits, &real) ? json_real(real) : NULL;
}

/* Texts beside one another are one; escapes are left as they stand. */
static json_t *
read_text(const char **at)
{
	char text[1024] = "";

	while (**at == '"' || **at == '\'') {
		const char *end = end_of_text(*at), quote = **at;
		const size_t quotes = (*at)[1] == quote && (*at)[2] == quote ? 3 : 1;

		if ((size_t)(end - *at) >= 2 * quotes)
			text_add(text, sizeof text, "%.*s", (int)((size_t)(end - *at) - 2 * quotes), *at + quotes);
		*at = end;
		py_skip(at);
	}
	return json_string(text);
}

/* Past what is not understood, to the end of an element. */
void
py_pass_over(const char **at)
{
	int open = 0;

	for (; **at != '\0'; (*at)++) {
		if (**at == '#') {
			*at += strcspn(*at, "\n");
			if (**at == '\0')
				return;
		} else if (**at == '"' || **at == '\'') {
			*at = end_of_text(*at) - 1;
		} else if (strchr("([{", **at) != NULL) {
			open++;
		} else if (open == 0 && strchr(",)]}", **at) != NULL) {
			return;
		} else if (strchr(")]}", **at) != NULL) {
			open--;
		}
	}
}

/* A value with nothing behind it that makes it another one; NULL: not known, and passed over. */
json_t *
py_element(struct py_scope *s, const char **at)
{
	json_t *value = py_value(s, at);

	py_skip(at);
	if (value != NULL && (**at == '\0' || strchr(",)]}", **at) != NULL))
		return value;
	json_decref(value);
	py_pass_over(at);
	return NULL;
}

static json_t *
read_list(struct py_scope *s, const char **at, const char *end)
{
	json_t *list = json_array();
	bool known = true;

	while (!takes_word(at, end) && **at != '\0') {
		json_t *value = py_element(s, at);

		known = known && value != NULL;
		json_array_append_new(list, value != NULL ? value : json_null());
		if (!takes_word(at, ",") && **at != *end)
			break;
	}
	if (known)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *
read_dictionary(struct py_scope *s, const char **at)
{
	json_t *object = json_object();

	while (!takes_word(at, "}") && **at != '\0') {
		json_t *key = **at == '*' ? NULL : py_value(s, at), *value;

		if (key == NULL || !takes_word(at, ":")) {
			py_pass_over(at);
		} else if ((value = py_element(s, at)) != NULL && json_is_string(key)) {
			json_object_set(object, json_string_value(key), value);
			json_decref(value);
		} else {
			json_decref(value);
		}
		json_decref(key);
		if (!takes_word(at, ",") && **at != '}')
			break;
	}
	return object;
}

/* Keyword arguments under their names, others under their places; what is not known is told as of the callee,
 * which may be NULL. */
static void
read_arguments(struct py_scope *s, const char **at, json_t *object, const char *callee)
{
	char name[PYIN_NAME_SIZE], path[2 * PYIN_NAME_SIZE];
	int place = 0;

	while (!takes_word(at, ")") && **at != '\0') {
		const size_t n = py_length_of_name(*at);
		const char *equals = *at + n + strspn(*at + n, " \t");
		const bool named = n > 0 && n < sizeof name && *equals == '=' && equals[1] != '=';
		json_t *value;

		text_put(name, sizeof name, "%.*s", named ? (int)n : 0, *at);
		text_put(path, sizeof path, "%s.%s", callee != NULL ? callee : "", name);
		if (!named)
			text_put(name, sizeof name, "%d", place++);
		*at = named ? equals + 1 : *at;
		if ((value = py_element(s, at)) != NULL)
			json_object_set_new(object, name, value);
		else if (named && callee != NULL)
			s->r->unknown->tell(s->r->unknown->to, path, PYIN_UNTOLD);
		if (!takes_word(at, ",") && **at != ')')
			break;
	}
}

const char *
pyin_last(const char *path)
{
	const char *point = strrchr(path, '.');

	return point != NULL ? point + 1 : path;
}

/* What is known of a few functions that everybody has: int("4") and the like, a dictionary of keywords, the environment
 * where it says nothing, bf16 on any GPU of today. NULL: of another one. */
static json_t *
known_call(const char *callee, const json_t *arguments)
{
	json_t *first = json_object_get(arguments, "0");
	const char *text = json_string_value(first);
	double real;

	if (text_equal(callee, "os.environ.get") || text_equal(callee, "os.getenv"))
		return json_incref(json_object_get(arguments, "1"));
	if (text_equal(pyin_last(callee), "is_bf16_supported") || text_equal(pyin_last(callee), "is_bfloat16_supported"))
		return json_true();
	if (text_equal(callee, "dict") && first == NULL) {
		json_t *made = json_copy((json_t *)(uintptr_t)arguments);

		json_object_del(made, PYIN_CALLEE);
		return made;
	}
	if (!text_equal(callee, "int") && !text_equal(callee, "float") && !text_equal(callee, "str"))
		return NULL;
	if (text != NULL && *callee != 's')
		return !text_to_real(text, &real) ? NULL : *callee == 'i' ? json_integer((json_int_t)real) : json_real(real);
	return json_is_number(first) || text != NULL ? json_incref(first) : NULL;
}

/* An argument of argparse: what the command says of it, or its default. */
static void
put_argument(const struct py_reader *r, const json_t *call)
{
	const char *first = json_string_value(json_object_get(call, "0")), *second =
	    json_string_value(json_object_get(call, "1")), *action = json_string_value(json_object_get(call, "action"));
	const char *flag = first != NULL && strncmp(first, "--", 2) == 0 ? first : second;
	json_t *value = json_incref(json_object_get(call, "default"));
	char name[PYIN_NAME_SIZE];

	if (flag == NULL || strncmp(flag, "--", 2) != 0 || !text_copy(name, sizeof name, flag + 2)) {
		json_decref(value);
		return;
	}
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '-' ? '_' : *c;
	if (json_object_get(r->said, name) != NULL) {
		json_decref(value);
		value = json_incref(json_object_get(r->said, name));
	}
	if (value == NULL && action != NULL && strncmp(action, "store_", 6) == 0)
		value = json_boolean(text_equal(action, "store_false"));
	if (value != NULL)
		json_object_set_new(r->parsed, name, value);
}

/* An object of the callee's name and its arguments, or what a function of the file returns. */
static json_t *
read_call(struct py_scope *s, const char **at, const char *callee)
{
	const char *own = py_function_named(s->r, callee);
	json_t *object = json_object(), *value;

	if (own == NULL)
		json_object_set_new(object, PYIN_CALLEE, json_string(callee));
	read_arguments(s, at, object, own == NULL ? callee : NULL);
	value = own == NULL ? known_call(callee, object) : NULL;
	if (value != NULL) {
		json_decref(object);
		return value;
	}
	if (own == NULL && s->r->made != NULL && json_array_size(s->r->made) < PYIN_MADE_MAX) {
		json_array_append(s->r->made, object);
		if (text_equal(pyin_last(callee), "add_argument"))
			put_argument(s->r, object);
	}
	if (own == NULL)
		return object;
	value = s->r->function(s->r, own, object);
	json_decref(object);
	return value;
}

/* What a name with attributes stands for. */
static json_t *
look_up(const struct py_scope *s, const char *path)
{
	const char *attribute = strchr(path, '.');

	if (strncmp(path, "torch.", 6) == 0) /* torch.bfloat16 */
		return json_string(path + 6);
	if (s->r->parsed != NULL && attribute != NULL && json_object_get(s->r->parsed, attribute + 1) != NULL)
		return json_incref(json_object_get(s->r->parsed, attribute + 1));
	return json_incref((json_t *)(uintptr_t)jsonin_at(s->names, path));
}

/* Past [KEY] or [PLACE] behind a value, which is given up: what stands there. NULL: not known. */
static json_t *
read_subscript(struct py_scope *s, const char **at, json_t *of)
{
	json_t *key, *value;

	(*at)++;
	key = py_element(s, at);
	value = json_is_string(key) ? json_object_get(of, json_string_value(key)) :
	    json_is_integer(key) && json_integer_value(key) >= 0 ? json_array_get(of, (size_t)json_integer_value(key)) : NULL;
	value = takes_word(at, "]") ? json_incref(value) : NULL;
	json_decref(key);
	json_decref(of);
	return value;
}

/* A name with attributes and calls behind it. What is made of what a call gave is taken as that. */
static json_t *
read_name(struct py_scope *s, const char **at)
{
	char path[PYIN_NAME_SIZE] = "";
	json_t *value = NULL, *rest;

	for (;;) {
		const size_t n = py_length_of_name(*at);

		text_add(path, sizeof path, "%s%.*s", path[0] != '\0' ? "." : "", (int)n, *at);
		*at += n;
		if (**at == '.' && is_name((*at)[1])) {
			(*at)++;
			continue;
		}
		if (**at != '(')
			break;
		(*at)++;
		if (value == NULL) {
			if ((value = read_call(s, at, path)) == NULL)
				return NULL;
		} else {
			read_arguments(s, at, rest = json_object(), NULL);
			json_decref(rest);
		}
		if (**at != '.')
			return value;
		(*at)++;
	}
	json_decref(value); /* an attribute of what a call gave */
	for (value = value == NULL ? look_up(s, path) : NULL; **at == '['; )
		value = read_subscript(s, at, value);
	return value;
}

static json_t *read_primary(struct py_scope *s, const char **at);

/* What stands behind a sign or a "not", of which there may be many: -1, not True. NULL: not known. */
static json_t *
read_signed(struct py_scope *s, const char **at, bool is_not)
{
	json_t *value, *out = NULL;

	if (s->r->depth >= PYIN_DEPTH_MAX)
		return NULL;
	s->r->depth++;
	value = read_primary(s, at);
	s->r->depth--;
	if (is_not && json_is_boolean(value))
		out = json_boolean(json_is_false(value));
	else if (!is_not && json_is_integer(value) && json_integer_value(value) > INT64_MIN)
		out = json_integer(-json_integer_value(value));
	else if (!is_not && json_is_real(value))
		out = json_real(-json_real_value(value));
	json_decref(value);
	return out;
}

static json_t *
read_primary(struct py_scope *s, const char **at)
{
	json_t *value;

	py_skip(at);
	if (takes_word(at, "-"))
		return **at == '-' ? NULL : read_signed(s, at, false);
	if (takes_word(at, "None"))
		return json_null();
	if (takes_word(at, "True"))
		return json_true();
	if (takes_word(at, "False"))
		return json_false();
	if (takes_word(at, "not"))
		return read_signed(s, at, true);
	if (isdigit((unsigned char)**at))
		return read_number(at);
	if (**at == '"' || **at == '\'')
		return read_text(at);
	if (takes_word(at, "["))
		return read_list(s, at, "]");
	if (takes_word(at, "{"))
		return read_dictionary(s, at);
	if (!takes_word(at, "("))
		return is_name(**at) && !isdigit((unsigned char)**at) ? read_name(s, at) : NULL;
	value = read_list(s, at, ")");
	if (json_array_size(value) == 1) { /* brackets around it, or a tuple of one */
		json_t *inner = json_incref(json_array_get(value, 0));

		json_decref(value);
		return inner;
	}
	return value;
}

/* One step of a sum or a product of numbers; both are given up. */
static json_t *
combine(json_t *a, json_t *b, char operator)
{
	const int64_t x = json_integer_value(a), y = json_integer_value(b);
	json_t *out = NULL;
	int64_t whole;

	if (json_is_integer(a) && json_is_integer(b)) {
		if (operator == '/' ? y > 0 && ((whole = x / y - (x % y < 0)), true) :
		    operator == '*' ? !__builtin_mul_overflow(x, y, &whole) :
		    operator == '+' ? !__builtin_add_overflow(x, y, &whole) : !__builtin_sub_overflow(x, y, &whole))
			out = json_integer(whole);
	} else if (json_is_number(a) && json_is_number(b) && operator != '/') {
		const double p = json_number_value(a), q = json_number_value(b);

		out = json_real(operator == '*' ? p * q : operator == '+' ? p + q : p - q);
	}
	json_decref(a);
	json_decref(b);
	return out;
}

/* * and // before + and -; everything else is not known. */
static json_t *
read_product(struct py_scope *s, const char **at)
{
	json_t *value = read_primary(s, at);

	while (value != NULL) {
		char operator;

		py_skip(at);
		operator = **at;
		if (operator == '/' ? (*at)[1] != '/' : operator != '*' || (*at)[1] == '*')
			break;
		*at += operator == '/' ? 2 : 1;
		value = combine(value, read_primary(s, at), operator);
	}
	return value;
}

json_t *
py_value(struct py_scope *s, const char **at)
{
	json_t *value;

	if (s->r->depth >= PYIN_DEPTH_MAX)
		return NULL;
	s->r->depth++;
	value = read_product(s, at);
	while (value != NULL && (py_skip(at), **at == '+' || **at == '-')) {
		const char operator = *(*at)++;

		value = combine(value, read_product(s, at), operator);
	}
	s->r->depth--;
	return value;
}
