#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "file/notation/yamlin.h"

#include <jansson.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "file/plan/errors.h"

json_t *
yamlin_plain(const char *text)
{
	char digits[32];
	size_t n = 0;
	double real;
	int64_t whole;

	for (size_t i = 0; text[i] != '\0' && n + 1 < sizeof digits; i++) /* 500_000 */
		if (text[i] != '_' || i == 0)
			digits[n++] = text[i];
	digits[n] = '\0';
	if (text_to_int(digits, &whole)) /* first: lists of them are long */
		return json_integer(whole);
	if (text_equal(text, "") || text_equal(text, "null") || text_equal(text, "~"))
		return json_null();
	if (text_index("true True yes on", text, strlen(text)) >= 0)
		return json_true();
	/* "no" stays a text where it is one of several words: Accelerate's mixed_precision. */
	if (text_index("false False off", text, strlen(text)) >= 0)
		return json_false();
	if (text_to_real(text, &real))
		return json_real(real);
	return json_string(text);
}

#ifndef HAVE_YAML
bool
yamlin_parse(struct jsonin *j, MAYBE const char *text, MAYBE size_t size, const char *file,
    struct file_errors *errors)
{
	*j = (struct jsonin){ .file = file, .errors = errors };
	errors_add(errors, file, 0, "", "this program was built without libyaml: no YAML is read "
	    "(fix: install libyaml-dev, configure and build again)");
	return false;
}
#else
#include <yaml.h>

struct anchor {
	char name[64];
	json_t *value;
};

struct reader {
	yaml_parser_t parser;
	struct jsonin *j;
	size_t parts; /* values, mappings and lists so far, those of aliases as often as they stand there */
	size_t anchors;
	struct anchor anchor[YAMLIN_ANCHORS_MAX];
};

static void
complain_of_line(const struct reader *r, size_t line, const char *message)
{
	char shown[300];

	show_text(shown, sizeof shown, message);
	errors_add(r->j->errors, r->j->file, (unsigned)line + 1, "", "%s", shown);
}

/* A value as it is meant: only a plain one can be other than a text. */
static json_t *
scalar(const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? yamlin_plain(text) :
	    json_string(text);
}

static json_t *node(struct reader *r, yaml_event_t *event, int depth);

/* ---- anchors and aliases ------------------------------------------------------------------ */

/* The last one of a name counts. False when there are too many, or the name is too long. */
static bool
keep_anchor(struct reader *r, const char *name, json_t *value)
{
	struct anchor *a = &r->anchor[r->anchors];

	if (r->anchors == YAMLIN_ANCHORS_MAX || !text_copy(a->name, sizeof a->name, name))
		return false;
	a->value = json_incref(value);
	r->anchors++;
	return true;
}

/* Mappings and lists anew, so that nobody changes both; plain values are shared. NULL where it is
 * too deep or too much. */
static json_t *
copy_value(struct reader *r, json_t *value, int depth)
{
	json_t *out, *part, *member;
	const char *key;
	size_t i;
	bool ok = true;

	if (++r->parts > JSONIN_PARTS_MAX || depth > JSONIN_DEPTH_MAX)
		return NULL;
	if (!json_is_object(value) && !json_is_array(value))
		return json_incref(value);
	if ((out = json_is_object(value) ? json_object() : json_array()) == NULL)
		return NULL;
	json_object_foreach(value, key, member)
		ok = ok && (part = copy_value(r, member, depth + 1)) != NULL && json_object_set_new(out, key, part) == 0;
	json_array_foreach(value, i, member)
		ok = ok && (part = copy_value(r, member, depth + 1)) != NULL && json_array_append_new(out, part) == 0;
	if (!ok) {
		json_decref(out);
		out = NULL;
	}
	return out;
}

static json_t *
alias(struct reader *r, const char *name, int depth)
{
	for (size_t i = r->anchors; i > 0; i--)
		if (text_equal(r->anchor[i - 1].name, name))
			return copy_value(r, r->anchor[i - 1].value, depth);
	return NULL;
}

/* What "<<" names fills in what the mapping itself lacks: a mapping, or a list of them of which
 * the first one counts (yaml.org/type/merge.html). */
static void
fill_in(json_t *into, json_t *merged)
{
	json_t *value, *one;
	const char *key;
	size_t i;

	json_object_foreach(merged, key, value)
		if (json_object_get(into, key) == NULL)
			json_object_set(into, key, value);
	json_array_foreach(merged, i, one)
		if (json_is_object(one))
			json_object_foreach(one, key, value)
				if (json_object_get(into, key) == NULL)
					json_object_set(into, key, value);
}

/* ---- values ------------------------------------------------------------------------------- */

/* The next event; false at the end of what can be read, with a complaint. */
static bool
next(struct reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return true;
	complain_of_line(r, r->parser.problem_mark.line, r->parser.problem != NULL ? r->parser.problem :
	    "can not be read");
	return false;
}

/* What is left of a mapping or a list that began. NULL after a complaint. */
static json_t *
container(struct reader *r, bool mapping, int depth)
{
	json_t *out = mapping ? json_object() : json_array();
	yaml_event_t event;
	char key[128], twice[192];

	while (out != NULL && next(r, &event)) {
		const size_t line = event.start_mark.line;
		json_t *value;

		if (event.type == (mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT)) {
			json_t *merged = mapping ? json_incref(json_object_get(out, "<<")) : NULL;

			yaml_event_delete(&event);
			if (merged != NULL)
				json_object_del(out, "<<");
			fill_in(out, merged);
			json_decref(merged);
			return out;
		}
		if (mapping) {
			const bool scalar = event.type == YAML_SCALAR_EVENT;
			const bool fits = scalar && text_copy(key, sizeof key, (const char *)event.data.scalar.value);

			yaml_event_delete(&event);
			if (!fits || json_object_get(out, key) != NULL) {
				text_put(twice, sizeof twice, "the key %s stands here twice", fits ? key : "");
				complain_of_line(r, line, fits ? twice : !scalar ?
				    "a key is no text, as in a template before it is filled in (fix: render it, as helm template does)" :
				    "a key is no short text");
				break;
			}
			if (!next(r, &event))
				break;
		}
		value = node(r, &event, depth + 1);
		if (value == NULL || (mapping ? json_object_set_new(out, key, value) :
		    json_array_append_new(out, value)) != 0)
			break;
	}
	json_decref(out);
	return NULL;
}

/* The name that the event gives to what it begins, "" none. */
static void
put_anchor(const yaml_event_t *event, char *name, size_t size)
{
	const yaml_char_t *anchor = event->type == YAML_SCALAR_EVENT ? event->data.scalar.anchor :
	    event->type == YAML_MAPPING_START_EVENT ? event->data.mapping_start.anchor :
	    event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor :
	    event->type == YAML_ALIAS_EVENT ? event->data.alias.anchor : NULL;

	text_put(name, size, "%s", anchor != NULL ? (const char *)anchor : "");
}

/* The value that an event begins, which it takes over. NULL after a complaint. */
static json_t *
node(struct reader *r, yaml_event_t *event, int depth)
{
	const yaml_event_type_t type = event->type;
	const size_t line = event->start_mark.line;
	const bool fits = ++r->parts <= JSONIN_PARTS_MAX;
	bool told = false;
	json_t *out = NULL;
	char name[65];

	put_anchor(event, name, sizeof name);
	if (type == YAML_SCALAR_EVENT && fits)
		out = scalar(event);
	yaml_event_delete(event);
	if (type == YAML_ALIAS_EVENT && fits) {
		out = alias(r, name, depth);
		name[0] = '\0';
	} else if ((type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT) &&
	    depth < JSONIN_DEPTH_MAX && fits) {
		out = container(r, type == YAML_MAPPING_START_EVENT, depth);
		told = out == NULL;
	}
	if (out != NULL && name[0] != '\0' && !keep_anchor(r, name, out)) {
		json_decref(out);
		out = NULL;
	}
	if (out == NULL && !told)
		complain_of_line(r, line, type == YAML_ALIAS_EVENT ? "an alias of nothing, or of too much for a settings file" :
		    "too deep or too much for a settings file");
	return out;
}

/* Of many libyaml compares each with all others. */
static bool
has_tags(const char *text)
{
	for (; text != NULL; text = strchr(text, '\n')) {
		text += strspn(text, "\n");
		if (strncmp(text, "%TAG", 4) == 0)
			return true;
	}
	return false;
}

bool
yamlin_parse(struct jsonin *j, const char *text, size_t size, const char *file,
    struct file_errors *errors)
{
	struct reader r = { .j = j };
	yaml_event_t event;
	bool more = true;

	*j = (struct jsonin){ .file = file, .text = text, .errors = errors };
	jsonin_watch(j);
	if (has_tags(text)) {
		errors_add(errors, file, 0, "", "%%TAG directives are not read (fix: take them out)");
		return false;
	}
	if (!yaml_parser_initialize(&r.parser)) {
		errors_add(errors, file, 0, "", "out of memory");
		return false;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
	/* Of anything but a mapping no more is read: libyaml takes time by the square of how deep lists
	 * are. */
	while (more && next(&r, &event)) {
		if (event.type == YAML_MAPPING_START_EVENT) {
			j->root = node(&r, &event, 0);
			break;
		}
		more = event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_START_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&r.parser);
	for (size_t i = 0; i < r.anchors; i++)
		json_decref(r.anchor[i].value);
	j->texts = j->root != NULL;
	if (j->root == NULL && errors->count == 0)
		errors_add(errors, file, 0, "", "holds no mapping of settings");
	return j->root != NULL;
}
#endif
