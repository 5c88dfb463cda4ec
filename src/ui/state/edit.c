/* Commands that change the plan. */
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/override.h"
#include "core/rules/step.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

void
edit_describe(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	char value[PLAN_NOTES_SIZE];

	field_format(f, p, value, sizeof value);
	text_put(buf, size, "%s %s", field_table[f].label, value[0] != '\0' ? value : "(none)");
}

unsigned
edit_take(struct state *s, enum field_id f, struct plan *next)
{
	char what[UNDO_WHAT_SIZE], told[STATE_MESSAGE_SIZE];
	struct overrides dropped;

	overrides_drop(&s->plan, next, &dropped);
	plan_resolve(next, s->catalog);
	edit_describe(f, next, what, sizeof what);
	if (overrides_text(&dropped, &s->plan, told, sizeof told) > 0)
		state_say(s, ROLE_WARNING, "%s; %s (u brings %s back)", what, told,
		    dropped.count == 1 ? "it" : "them");
	return state_change(s, next, what);
}

unsigned
edit_step(struct state *s, int way)
{
	const enum field_id f = s->form.field;
	struct plan next;

	if (!step_legal(&s->plan, s->catalog, f, way, &next)) {
		state_say(s, ROLE_DIM, field_table[f].step == STEP_NONE ?
		    "%s is typed: Enter" : "%s goes no further", field_table[f].label);
		return 0;
	}
	return edit_take(s, f, &next);
}

void
edit_open(struct state *s, enum field_id f, const char *text)
{
	char value[PLAN_NOTES_SIZE];

	s->form.field = f;
	if (text != NULL) {
		prompt_begin(s, PROMPT_FIELD, text, false);
		return;
	}
	field_format(f, &s->plan, value, sizeof value);
	prompt_begin(s, PROMPT_FIELD, value, true);
}

unsigned
edit_reset(struct state *s, const char *argument)
{
	const enum field_id f = s->form.field;
	char what[UNDO_WHAT_SIZE], source[128];
	struct plan next = s->plan;

	(void)argument;
	if (!field_is_chosen(f, &next)) {
		state_say(s, ROLE_DIM, "%s has no value of your own", field_table[f].label);
		return 0;
	}
	field_mark(f, &next, false);
	plan_resolve(&next, s->catalog);
	edit_describe(f, &next, what, sizeof what);
	field_source_text(f, &next, source, sizeof source);
	state_say(s, ROLE_GOOD, "back to %s, %s", what, source);
	return edit_take(s, f, &next);
}

bool
edit_put(struct state *s, enum field_id f, const char *text, unsigned *flags, char *err,
    size_t size)
{
	struct plan next = s->plan;

	*flags = 0;
	if (!field_parse(f, &next, text, err, size))
		return false;
	*flags = edit_take(s, f, &next);
	return true;
}

unsigned
edit_set(struct state *s, const char *argument)
{
	char name[96], err[STATE_MESSAGE_SIZE];
	size_t n = strcspn(argument, " \t=");
	const char *value = argument + n;
	enum field_id f;
	unsigned flags;

	text_put(name, sizeof name, "%.*s", (int)n, argument);
	value += strspn(value, " \t=");
	f = field_find(name);
	if (f == FIELD_NONE) {
		const char *near = field_near(name);

		if (n == 0)
			state_say(s, ROLE_ERROR, "the form is: set PATH VALUE");
		else if (near != NULL)
			state_say(s, ROLE_ERROR, "no field %s; did you mean %s?", name, near);
		else
			state_say(s, ROLE_ERROR, "no field %s; the form is: set PATH VALUE", name);
		return 0;
	}
	if (value[0] == '\0' && strchr(argument, '=') == NULL) {
		state_say(s, ROLE_ERROR, "set %s to what? The form is: set PATH VALUE", name);
		return 0;
	}
	if (!edit_put(s, f, value, &flags, err, sizeof err))
		state_say(s, ROLE_ERROR, "%s: %s", field_table[f].path, err);
	else if (field_in_mode(f, s->plan.mode))
		s->form.field = f;
	return flags;
}

const struct diag *
edit_current_diag(const struct state *s)
{
	const struct diag_list *diags = &s->estimate->diags;
	const struct diag *own = diag_of_field(diags, s->form.field);

	if (s->list.kind == LIST_NONE && own != NULL)
		return own;
	for (enum severity severity = SEVERITY_ERROR; severity <= SEVERITY_WARNING; severity++)
		for (size_t i = 0; i < diags->count; i++)
			if (diags->item[i].severity == severity)
				return &diags->item[i];
	return NULL;
}

unsigned
edit_take_fix(struct state *s, const struct diag *d)
{
	const enum field_id f = d->fix_field, also = d->also_field;
	char err[STATE_MESSAGE_SIZE], what[UNDO_WHAT_SIZE];
	struct plan next = s->plan;

	if (f == FIELD_NONE) {
		state_say(s, ROLE_DIM, "no single change mends this");
		return 0;
	}
	if (!field_parse(f, &next, d->fix_value, err, sizeof err) ||
	    (also != FIELD_NONE && !field_parse(also, &next, d->also_value, err, sizeof err))) {
		state_say(s, ROLE_ERROR, "%s", err);
		return 0;
	}
	plan_resolve(&next, s->catalog);
	edit_describe(f, &next, what, sizeof what);
	if (also != FIELD_NONE) {
		edit_describe(also, &next, err, sizeof err);
		text_add(what, sizeof what, ", %s", err);
	}
	state_say(s, ROLE_GOOD, "fixed: %s", what);
	if (field_in_mode(f, s->plan.mode))
		s->form.field = f;
	return also != FIELD_NONE ? state_change(s, &next, what) : edit_take(s, f, &next);
}

/* The selected field's own error, else the first one that has a fix. */
unsigned
edit_fix(struct state *s, const char *argument)
{
	struct diag_list *diags = &s->estimate->diags;
	const struct diag *d = diag_of_field(diags, s->form.field);

	(void)argument;
	if (s->estimate->legal)
		state_find_fixes(s); /* of warnings */
	for (size_t i = 0; i < diags->count && (d == NULL || d->fix_field == FIELD_NONE); i++)
		if (diags->item[i].fix_field != FIELD_NONE)
			d = &diags->item[i];
	if (d == NULL) {
		if (diag_count(diags, SEVERITY_ERROR) + diag_count(diags, SEVERITY_WARNING) > 0)
			state_say(s, ROLE_DIM, "no change of one or two fields mends what is wrong (e lists it)");
		else
			state_say(s, ROLE_GOOD, "nothing to fix");
		return 0;
	}
	return edit_take_fix(s, d);
}

unsigned
edit_walk(struct state *s, int way)
{
	const char *what = "";
	const struct plan *p = way < 0 ? undo_back(&s->undo, &what) : undo_forth(&s->undo, &what);

	if (p == NULL) {
		state_say(s, ROLE_DIM, way < 0 ? "nothing to undo" : "nothing to redo");
		return 0;
	}
	s->plan = *p;
	state_say(s, ROLE_GOOD, way < 0 ? "undone: %s" : "redone: %s", what);
	return EVENT_RECALC;
}

unsigned
edit_all_fields(struct state *s, const char *argument)
{
	(void)argument;
	s->form.all = !s->form.all;
	s->focus = PANE_FORM;
	state_say(s, ROLE_DIM, s->form.all ? "every field is shown" :
	    "the usual fields are shown, and those you set");
	return 0;
}
