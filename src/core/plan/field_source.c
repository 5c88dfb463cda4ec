#include "core/plan/field_source.h"

#include <string.h>

#include "core/base/text.h"
#include "core/plan/mix.h"

/* What a row of the trainer, and the engine, have to hold where there are responses. */
static const enum field_id longest_row[FIELD_FOLLOWS_MAX] = { FIELD_RL_PROMPT_TOKENS, FIELD_RL_RESPONSE_LIMIT, FIELD_NONE,
	FIELD_NONE };

bool
field_source_context(const struct plan *p)
{
	return p->mode == MODE_TRAIN && !plan_has_rl(p) && p->model.max_position > 0 &&
	    !field_is_set(FIELD_SEQUENCE_LENGTH, p);
}

struct field_source
field_source(enum field_id f, const struct plan *p)
{
	const struct field *row = &field_table[f];
	struct field_source source = { FROM_FIELDS, { field_entry(f), FIELD_NONE, FIELD_NONE, FIELD_NONE } };

	if (field_is_chosen(f, p))
		source.from = FROM_USER;
	else if ((f == FIELD_SEQUENCE_LENGTH && plan_has_rl(p)) ||
	    (f == FIELD_CONTEXT_LENGTH && plan_has_rollouts(p)))
		memcpy(source.follows, longest_row, sizeof source.follows);
	else if (mix_of(p) != NULL && mix_fills(f))
		source.follows[0] = FIELD_MIX;
	else if (f == FIELD_SEQUENCE_LENGTH && field_source_context(p))
		source.follows[0] = FIELD_MAX_POSITION;
	else if (row->origin == ORIGIN_DEFAULT)
		source.from = FROM_DEFAULT;
	else if (row->origin == ORIGIN_OPTIONAL)
		source.from = FROM_NOWHERE;
	else if (row->origin == ORIGIN_DERIVED)
		memcpy(source.follows, row->follows, sizeof source.follows);
	return source;
}

size_t
field_source_text(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	static const char *const words[] = { [FROM_USER] = "set", [FROM_FIELDS] = "follows",
		[FROM_DEFAULT] = "the default", [FROM_NOWHERE] = "not set" };
	const struct field_source source = field_source(f, p);

	text_put(buf, size, "%s", words[source.from]);
	for (int i = 0; i < FIELD_FOLLOWS_MAX && source.from == FROM_FIELDS; i++)
		if (source.follows[i] != FIELD_NONE)
			text_add(buf, size, "%s %s", i > 0 ? " and" : "",
			    field_table[source.follows[i]].label);
	return strlen(buf);
}
