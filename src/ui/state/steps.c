#include "ui/state/steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/scope.h"
#include "core/rules/check.h"
#include "core/rules/step.h"

bool
steps_init(struct state *s)
{
	s->steps = calloc(1, sizeof *s->steps);
	if (s->steps == NULL)
		return false;
	s->steps->work = malloc(sizeof *s->steps->work);
	s->steps->scope = malloc(sizeof *s->steps->scope);
	return s->steps->work != NULL && s->steps->scope != NULL;
}

void
steps_free(struct state *s)
{
	if (s->steps != NULL) {
		free(s->steps->work);
		free(s->steps->scope);
	}
	free(s->steps);
	s->steps = NULL;
}

void
steps_forget(struct state *s)
{
	s->steps->known = false;
}

static void
look_at_step(const struct state *s, enum field_id f, int way, struct next_step *step)
{
	struct diag_list diags;
	struct plan next;

	*step = (struct next_step){ .exists = step_legal(&s->plan, s->catalog, f, way, &next) };
	if (!step->exists)
		return;
	field_format(f, &next, step->value, sizeof step->value);
	step->legal = outlook_of(&step->outlook, &next, s->steps->scope, s->steps->work);
	if (step->legal)
		return;
	diag_clear(&diags);
	plan_check(&next, s->catalog, &diags);
	for (size_t i = 0; i < diags.count && step->why[0] == '\0'; i++)
		if (diags.item[i].severity == SEVERITY_ERROR)
			text_put(step->why, sizeof step->why, "%s", diags.item[i].message);
}

void
steps_follow(struct state *s)
{
	struct steps *a = s->steps;

	if (a->known && a->field == s->form.field)
		return;
	a->field = s->form.field;
	a->known = true;
	scope_init(a->scope, s->catalog);
	look_at_step(s, a->field, -1, &a->next[0]);
	look_at_step(s, a->field, 1, &a->next[1]);
}

/* What the form shows of itself and a key can step. Another mode or model is another plan. */
static bool
is_listed(const struct state *s, enum field_id f)
{
	const struct field *row = &field_table[f];

	return field_in_use(f, &s->plan) && row->step != STEP_NONE && f != FIELD_MODE &&
	    f != FIELD_PRESET && field_entry(f) != FIELD_PRESET &&
	    (row->flag != NULL || field_is_chosen(f, &s->plan));
}

void
steps_all(struct state *s)
{
	struct steps *a = s->steps;

	a->fields = 0;
	scope_init(a->scope, s->catalog);
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!is_listed(s, f))
			continue;
		a->listed[a->fields] = f;
		look_at_step(s, f, -1, &a->step[a->fields][0]);
		look_at_step(s, f, 1, &a->step[a->fields][1]);
		a->fields++;
	}
}

/* "<4 41.2 GiB 1.71 s" of the left key, "16> 32.2 GiB 1.92 s" of the right one. */
static void
put_step(const struct next_step *step, bool more, bool time, char *buf, size_t size)
{
	const struct outlook *o = &step->outlook;

	text_put(buf, size, more ? "%s> " : "<%s ", step->value);
	if (!step->legal)
		text_add(buf, size, "not legal");
	else {
		text_add(buf, size, "%s%s", UNITS_SHORT(BYTES, o->memory), o->capacity > 0 && !o->fits ?
		    "!" : "");
		if (time && o->seconds > 0)
			text_add(buf, size, " %s", UNITS_SHORT(SECONDS, o->seconds));
	}
}

void
steps_strip(const struct state *s, int w, char *buf, size_t size)
{
	const struct steps *a = s->steps;
	char text[2][VALUE_SIZE + 2 * UNITS_SIZE];

	*buf = '\0';
	if (!a->known || a->field != s->form.field)
		return;
	for (int time = 1; time >= 0; time--) {
		*buf = '\0';
		for (int i = 0; i < 2; i++) {
			put_step(&a->next[i], i == 1, time != 0, text[i], sizeof text[i]);
			if (a->next[i].exists)
				text_add(buf, size, "%s%s", *buf != '\0' ? "  " : "", text[i]);
		}
		if ((int)strlen(buf) <= w)
			return;
	}
	*buf = '\0';
}
