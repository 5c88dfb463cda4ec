#include "core/search/search_ask.h"

#include <string.h>

#include "core/base/text.h"

size_t
search_ask_words(char *text, struct search_word *word, size_t most)
{
	size_t count = 0;

	while (count < most && *(text += strspn(text, " \t")) != '\0') {
		char *name = text + strspn(text, "-"), *value = name + strcspn(name, "= \t");
		size_t n;

		text += strcspn(text, " \t");
		if (*text != '\0')
			*text++ = '\0';
		if (*value == '=')
			*value++ = '\0';
		n = strlen(value);
		if (n > 1 && strchr("'\"", *value) != NULL && value[n - 1] == *value) {
			value[n - 1] = '\0';
			value++;
		}
		word[count++] = (struct search_word){ name, value };
	}
	return count;
}

static bool
is_named(const struct search_word *word, size_t words, enum wish_group g)
{
	for (size_t i = 0; i < words; i++)
		if (text_equal(word[i].name, "free") && wishes_group_find(word[i].value) == g)
			return true;
	return false;
}

/* Who names sizes or switches means those without the others; a front of all switches would be endless. */
static void
begin_wishes(struct wishes *w, const struct plan *p, const struct search_word *word, size_t words)
{
	const bool sizes = is_named(word, words, WISH_SIZES), switches = is_named(word, words, WISH_SWITCHES);
	bool front = false;

	for (size_t i = 0; i < words; i++)
		front |= text_equal(word[i].name, "pareto");
	wishes_usual(w, p);
	if (switches && !sizes)
		wishes_fix_group(w, WISH_SIZES, p);
	if ((sizes && !switches) || front)
		wishes_fix_group(w, WISH_SWITCHES, p);
}

/* The field before an equals sign. */
static bool
take_field(enum field_id *f, const struct search_word *word, char *err, size_t size)
{
	const char *name = TEXT_OF(128, "%.*s", (int)strcspn(word->value, "="), word->value);

	*f = field_find(name);
	if (*f != FIELD_NONE)
		return true;
	text_put(err, size, "%s: no field '%s'", word->name, name);
	text_add_near(err, size, field_near(name));
	return false;
}

/* "tp", "tp=2,4", or a group: "switches". */
static bool
take_free(struct wishes *w, const struct plan *p, const struct search_word *word, char *err, size_t size)
{
	const enum wish_group group = wishes_group_find(word->value);
	const char *values = strchr(word->value, '=');
	enum field_id f;

	if (group == WISH_GROUPS && !take_field(&f, word, err, size))
		return false;
	text_put(err, size, "free: more than %d fields", SPACE_FIELDS_MAX);
	return group != WISH_GROUPS ? wishes_free_group(w, group, p) :
	    wishes_free(w, f, values != NULL ? values + 1 : NULL);
}

static bool
take_fix(struct wishes *w, const struct plan *p, const struct search_word *word, enum field_id *idle, char *err,
    size_t size)
{
	const enum wish_group group = wishes_group_find(word->value);
	enum field_id f;

	if (group != WISH_GROUPS) {
		wishes_fix_group(w, group, p);
		return true;
	}
	if (!take_field(&f, word, err, size))
		return false;
	/* Sizes of experts are held already where there are none. */
	if (wishes_find(w, f) == w->count && f != FIELD_EP && f != FIELD_ETP)
		*idle = f;
	wishes_fix(w, f);
	return true;
}

/* "time", "time,memory": in place of those of a word before. */
static bool
take_objectives(struct search *s, const struct plan *p, const char *names, char *err, size_t size)
{
	s->objectives = 0;
	for (;; names++) {
		const size_t n = strcspn(names, ",");

		if (s->objectives == SEARCH_OBJECTIVES_MAX) {
			text_put(err, size, "objective: more than %d", SEARCH_OBJECTIVES_MAX);
			return false;
		}
		text_put(err, size, "objective: ");
		if (!target_find(&s->objective[s->objectives++], TEXT_OF(128, "%.*s", (int)n, names), p, err + strlen(err),
		    size - strlen(err)))
			return false;
		names += n;
		if (*names == '\0')
			return true;
	}
}

static bool
take_condition(struct search *s, const struct plan *p, const char *text, char *err, size_t size)
{
	if (s->conditions == SEARCH_CONDITIONS_MAX) {
		text_put(err, size, "where: more than %d conditions", SEARCH_CONDITIONS_MAX);
		return false;
	}
	text_put(err, size, "where '%s': ", text);
	return condition_parse(&s->condition[s->conditions++], text, p, err + strlen(err), size - strlen(err));
}

static bool
take_around(struct search *s, const char *text, char *err, size_t size)
{
	int64_t n = 1;

	if ((*text != '\0' && !text_to_int(text, &n)) || n < 1 || n > SPACE_FIELDS_MAX) {
		text_put(err, size, "around: so many fields may differ, from 1 to %d", SPACE_FIELDS_MAX);
		return false;
	}
	s->around = (int)n;
	return true;
}

bool
search_ask(struct search *s, struct wishes *w, const struct plan *p, const struct search_word *word,
    size_t words, enum field_id *idle, char *err, size_t size)
{
	bool ok;

	*s = (struct search){ .objectives = 0 };
	*idle = FIELD_NONE;
	begin_wishes(w, p, word, words);
	ok = take_objectives(s, p, "time", err, size);
	for (size_t i = 0; ok && i < words; i++) {
		const char *name = word[i].name, *value = word[i].value;

		if (text_equal(name, "free"))
			ok = take_free(w, p, &word[i], err, size);
		else if (text_equal(name, "fix"))
			ok = take_fix(w, p, &word[i], idle, err, size);
		else if (text_equal(name, "objective"))
			ok = take_objectives(s, p, value, err, size);
		else if (text_equal(name, "where"))
			ok = take_condition(s, p, value, err, size);
		else if (text_equal(name, "around"))
			ok = take_around(s, value, err, size);
		else if (text_equal(name, "pareto"))
			s->front = true;
		else {
			text_put(err, size, "no '%s' here; questions are (deadline 30d; find looks for a field), and free=, fix=, "
			    "where=, objective=, pareto and around=", name);
			ok = false;
		}
	}
	if (ok && w->count == 0)
		text_put(err, size, "no field is free");
	return ok && w->count > 0;
}
