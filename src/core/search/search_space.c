#include "core/search/search_space.h"

#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/override.h"

const struct free_field *
space_field(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f)
			return &s->field[i];
	return NULL;
}

const struct catalog_list *
space_entries(const struct search_space *s, enum field_id f)
{
	const enum field_step step = field_table[f].step;

	if (s->catalog == NULL || (step != STEP_GPU && step != STEP_MODEL))
		return NULL;
	return step == STEP_GPU ? &s->catalog->gpus : &s->catalog->models;
}

void
space_word(const struct free_field *f, double at, char *buf, size_t size)
{
	const char *word = f->words + (size_t)at;

	text_put(buf, size, "%.*s", (int)strcspn(word, ","), word);
}

void
space_put(const struct search_space *s, int i, int digit, struct plan *p)
{
	const enum field_id f = s->field[i].field;
	const struct catalog_list *list = space_entries(s, f);
	const double v = s->value[s->field[i].first + digit];
	char err[64], word[PLAN_LAYOUT_SIZE];

	if (s->field[i].splits) {
		if (space_field(s, FIELD_VPP) == NULL)
			p->parallel.vpp = s->plan.parallel.vpp; /* a layout took its place */
		split_state((enum split)v, &s->plan, p);
	} else if (s->field[i].words != NULL) {
		space_word(&s->field[i], v, word, sizeof word);
		field_put_text(f, p, word, err, sizeof err);
	} else if (list != NULL)
		field_put_text(f, p, list->entry[(size_t)v].id, err, sizeof err);
	else if (field_table[f].type == FIELD_REAL)
		field_put_real(f, p, v, err, sizeof err);
	else
		field_store_int(f, p, (int64_t)v);
}

void
space_step(const struct search_space *s, int i, int digit, struct plan *p)
{
	space_put(s, i, digit, p);
	if (s->field[i].followed)
		plan_follow(p);
}

/* The first `fields` of them. */
static void
put_fields(const struct search_space *s, int fields, uint64_t index, struct plan *p)
{
	struct overrides dropped;

	*p = s->plan;
	for (int i = 0; i < fields; i++) {
		/* A split is one of the layers of the model that is in by then. */
		if (s->field[i].splits && space_field(s, FIELD_PRESET) != NULL)
			plan_resolve(p, s->catalog);
		space_put(s, i, space_digit(s, i, index), p);
	}
	overrides_drop(&s->plan, p, &dropped);
}

void
space_plan(const struct search_space *s, uint64_t index, struct plan *p)
{
	put_fields(s, s->count, index, p);
	plan_resolve(p, s->catalog);
}

void
space_outer(const struct search_space *s, uint64_t index, struct plan *p)
{
	put_fields(s, s->outer, index, p);
	for (int i = s->outer; i < s->count; i++)
		field_mark(s->field[i].field, p, true);
	plan_resolve(p, s->catalog);
}

bool
space_idles(const struct search_space *s, int i, int digit, const struct plan *p)
{
	const struct switch_row *row = s->field[i].row;

	return row != NULL && row->matters != NULL && !row->matters(p) && digit != s->field[i].idle;
}

bool
space_repeats(const struct search_space *s, uint64_t index, const struct plan *p)
{
	const struct free_field *f = p->parallel.pp <= 1 ?
	    space_field(s, FIELD_SCHEDULE) : NULL;
	int first = 0;

	for (int i = s->outer; i < s->count; i++)
		if (space_idles(s, i, space_digit(s, i, index), p))
			return true;
	if (f == NULL)
		return false;
	for (int i = 0; i < f->count; i++)
		if ((int64_t)s->value[f->first + i] == SCHEDULE_1F1B)
			first = i;
	return space_digit(s, (int)(f - s->field), index) != first;
}

int
space_fields(const struct search_space *s, int i, const enum field_id **fields)
{
	*fields = s->field[i].splits ? split_fields : &s->field[i].field;
	return s->field[i].splits ? SPLIT_FIELDS : 1;
}

int
space_place(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f || (s->field[i].splits && split_is_field(f)))
			return i;
	return -1;
}

size_t
space_format(const struct search_space *s, int i, uint64_t index, char *buf, size_t size)
{
	struct plan p = s->plan;

	if (s->field[i].splits) {
		space_plan(s, index, &p);
		return split_format(&p, buf, size);
	}
	space_put(s, i, space_digit(s, i, index), &p);
	return field_format(s->field[i].field, &p, buf, size);
}

int
space_sizes(const struct search_space *s, uint64_t index)
{
	int n = 0;

	for (int i = 0; i < s->count; i++) {
		const enum field_id f = s->field[i].field;

		if (field_table[f].step == STEP_DIVISOR || f == FIELD_VPP)
			n += s->value[s->field[i].first + space_digit(s, i, index)] > 1;
	}
	return n;
}
