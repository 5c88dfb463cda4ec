/* Commands that change the plan. */
#include <string.h>

#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/plan/field_source.h"
#include "core/plan/override.h"
#include "core/plan/shorthand.h"
#include "core/rules/settle.h"
#include "core/rules/step.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

enum { NAME_SIZE = 96, SETTINGS_MOST = 32 };

void
edit_range(enum field_id f, char *buf, size_t size)
{
	const struct field *row = &field_table[f];
	char range[160];

	field_range(f, range, sizeof range);
	*buf = '\0';
	if (range[0] != '\0' && row->type != FIELD_TEXT && (row->type != FIELD_INT || row->most < PLAN_WORLD_MAX))
		text_put(buf, size, " (%s%s%s)", range, row->unit[0] != '\0' ? " " : "", row->unit);
}

void
edit_describe(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	char value[PLAN_NOTES_SIZE];

	field_format(f, p, value, sizeof value);
	text_put(buf, size, "%s %s", field_table[f].label, value[0] != '\0' ? value : "(none)");
}

/* What a change of the mode sets as well: "layout vllm, was megatron". */
static void
put_followers(const struct plan *was, const struct plan *is, char *buf, size_t size)
{
	char old[PLAN_ID_SIZE], now[PLAN_ID_SIZE];

	buf[0] = '\0';
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (field_table[f].origin != ORIGIN_DERIVED || field_table[f].follows[0] != FIELD_MODE ||
		    field_same(f, was, is))
			continue;
		field_format(f, was, old, sizeof old);
		field_format(f, is, now, sizeof now);
		text_add(buf, size, "; %s %s, was %s", field_table[f].label, now, old);
	}
}

/* Take a changed plan and say what followed from the change, and what it dropped. */
static unsigned
take_changed(struct state *s, struct plan *next, const struct overrides *dropped,
    const char *what)
{
	char told[STATE_MESSAGE_SIZE], followers[STATE_MESSAGE_SIZE], back[128];

	plan_resolve(next, s->catalog);
	sizes_settle(next, s->catalog);
	put_followers(&s->plan, next, followers, sizeof followers);
	if (next->mode == s->plan.mode)
		followers[0] = '\0';
	if (settle_text(&s->plan, next, back, sizeof back) > 0)
		text_add(followers, sizeof followers, "; %s", back);
	if (followers[0] != '\0')
		state_say(s, ROLE_WARNING, "%s%s (u goes back)", what, followers);
	else if (overrides_text(dropped, &s->plan, told, sizeof told) > 0)
		state_say(s, ROLE_WARNING, "%s; %s (u brings %s back)", what, told,
		    dropped->count == 1 ? "it" : "them");
	return state_change(s, next, what);
}

unsigned
edit_take(struct state *s, enum field_id f, struct plan *next)
{
	char what[UNDO_WHAT_SIZE];
	struct overrides dropped;

	overrides_drop(&s->plan, next, &dropped);
	plan_resolve(next, s->catalog);
	edit_describe(f, next, what, sizeof what);
	return take_changed(s, next, &dropped, what);
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
	s->form.field = f;
	if (text != NULL) {
		prompt_begin(s, PROMPT_FIELD, text, false);
		return;
	}
	prompt_begin(s, PROMPT_FIELD, FIELD_SHOWN(f, &s->plan), true);
}

unsigned
edit_reset(struct state *s)
{
	const enum field_id f = s->form.field;
	char what[UNDO_WHAT_SIZE], source[128];
	struct plan next = s->plan;

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

/* The whole name of an entry of the catalogue that is typed in part; any other text as it is.
 * NULL, with the reason in err, where several names have it. */
static const char *
whole_name(const struct state *s, enum field_id f, const char *text, char *err, size_t size)
{
	const struct catalog_list *list = f == FIELD_PRESET ? &s->catalog->models : &s->catalog->gpus;
	char names[STATE_MESSAGE_SIZE];
	const struct catalog_entry *entry;

	if (f != FIELD_PRESET && f != FIELD_GPU)
		return text;
	entry = shorthand_entry(list, text, names, sizeof names);
	if (names[0] != '\0')
		text_put(err, size, "%s is part of several names: %s", text, names);
	return names[0] != '\0' ? NULL : entry != NULL ? entry->id : text;
}

bool
edit_put(struct state *s, enum field_id f, const char *text, unsigned *flags, char *err,
    size_t size)
{
	struct plan next = s->plan;

	*flags = 0;
	if ((text = whole_name(s, f, text, err, size)) == NULL ||
	    !field_parse(f, &next, text, err, size))
		return false;
	*flags = edit_take(s, f, &next);
	return true;
}

/* A field by its name as typed; says so where there is none. */
static enum field_id
find_field(struct state *s, const char *name)
{
	const enum field_id f = field_find(name);
	const char *near = f == FIELD_NONE ? field_near(name) : NULL;

	if (name[0] == '\0')
		state_say(s, ROLE_ERROR, "the form is: set PATH=VALUE ...");
	else if (f == FIELD_NONE && result_find(name) != RESULT_COUNT)
		state_say(s, ROLE_ERROR, "%s is a result: %s", name,
		    result_table[result_find(name)].help);
	else if (near != NULL)
		state_say(s, ROLE_ERROR, "no field %s; did you mean %s?", name, near);
	else if (f == FIELD_NONE)
		state_say(s, ROLE_ERROR, "no field %s; the form is: set PATH=VALUE ...", name);
	return f;
}

bool
edit_is_shorthand(const struct state *s, const char *word)
{
	char said[STATE_MESSAGE_SIZE];

	return shorthand_read(word, &s->plan, s->catalog, said, sizeof said) != SHORTHAND_NONE;
}

/* Where the next "NAME=" or word of shorthand begins, else the end; other words are part of
 * field f's value, as are those of a text that name no field. */
static char *
next_setting(const struct state *s, char *text, enum field_id f)
{
	char name[NAME_SIZE];
	bool first = true;

	while (*text != '\0') {
		const size_t n = strcspn(text, " \t=");

		text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
		if (text[n + strspn(text + n, " \t")] == '=' && (field_table[f].type != FIELD_TEXT || field_find(name) != FIELD_NONE))
			return text;
		if (!first && field_table[f].type != FIELD_TEXT && edit_is_shorthand(s, text))
			return text;
		first = false;
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	return text;
}

/* Cut "NAME=VALUE" or "NAME VALUE" off the text, which is ended there. False, and said why,
 * without a field or a value. */
static bool
cut_setting(struct state *s, char **text, struct setting *out)
{
	char *name = *text, *mark = name + strcspn(name, " \t="), *end;
	char *value = mark + strspn(mark, " \t");
	const bool equals = *value == '=';

	value += equals;
	value += strspn(value, " \t");
	*mark = '\0';
	*out = (struct setting){ find_field(s, name), value };
	if (out->field == FIELD_NONE)
		return false;
	if (*value == '\0' && !equals) {
		state_say(s, ROLE_ERROR, "set %s to what? The form is: set PATH=VALUE ...", name);
		return false;
	}
	/* "notes a tp=8" is one text. */
	end = equals || field_table[out->field].type != FIELD_TEXT ? next_setting(s, value, out->field) :
	    value + strlen(value);
	*text = end;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (*text > end) /* else the value ends the text, or is nothing before the next name */
		*end = '\0';
	else if (**text != '\0')
		out->value = "";
	return true;
}

/* Set all of them before anything is checked, as one change. */
static unsigned
put_settings(struct state *s, struct setting setting[], size_t count)
{
	char what[UNDO_WHAT_SIZE] = "", one[UNDO_WHAT_SIZE], err[STATE_MESSAGE_SIZE];
	struct plan next = s->plan;
	const struct setting *wrong = setting;
	struct overrides dropped;
	size_t left = 0;
	bool whole = true;

	for (size_t i = 0; whole && i < count; i++) {
		const char *name = whole_name(s, setting[i].field, setting[i].value, err, sizeof err);

		wrong = &setting[i];
		if ((whole = name != NULL))
			setting[i].value = name;
	}
	if (!whole || !overrides_put(setting, count, &next, &dropped, &wrong, err, sizeof err)) {
		state_say(s, ROLE_ERROR, "%s: %s", field_table[wrong->field].path, err);
		return 0;
	}
	plan_resolve(&next, s->catalog);
	for (size_t i = 0; i < count; i++) {
		edit_describe(setting[i].field, &next, one, sizeof one);
		if (strlen(what) + strlen(one) + sizeof ", , and 99 more" < sizeof what)
			text_add(what, sizeof what, "%s%s", i > 0 ? ", " : "", one);
		else
			left++;
		if (field_in_use(setting[i].field, &next))
			s->form.field = setting[i].field;
	}
	if (left > 0)
		text_add(what, sizeof what, "%s%zu more", what[0] != '\0' ? " and " : "", left);
	if (count == 1 && !field_applies(setting->field, &next))
		state_say(s, ROLE_WARNING, "%s is of no account in this mode", what);
	return take_changed(s, &next, &dropped, what);
}

/* What a word at `text` says without a sign is added to `said` as settings. False where it is
 * the name of a field, or says nothing; *fails, and said why, where it is not clear. */
static bool
cut_shorthand(struct state *s, char **text, char *said, size_t size, bool *fails)
{
	const size_t n = strcspn(*text, " \t=");
	char name[NAME_SIZE], one[STATE_MESSAGE_SIZE];
	struct plan p = s->plan;
	enum shorthand is;

	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, *text);
	if (field_find(name) != FIELD_NONE || (*text)[n + strspn(*text + n, " \t")] == '=')
		return false;
	p.mode = strstr(said, " mode=serve") != NULL ? MODE_SERVE : strstr(said, " mode=train") != NULL ? MODE_TRAIN : p.mode;
	is = shorthand_read(*text, &p, s->catalog, one, sizeof one);
	*fails = is == SHORTHAND_UNCLEAR;
	if (*fails)
		state_say(s, ROLE_ERROR, "%s", one);
	else if (is == SHORTHAND_SAYS)
		text_add(said, size, " %s", one);
	*text += is == SHORTHAND_SAYS ? n : 0;
	return is == SHORTHAND_SAYS;
}

/* Cut all that the text sets, which is changed; shorthand goes to `said`, where that is one. */
static bool
cut_settings(struct state *s, char *text, char *said, size_t size, struct setting setting[],
    size_t *count)
{
	bool fails = false;

	while (*(text += strspn(text, " \t")) != '\0') {
		if (said != NULL && cut_shorthand(s, &text, said, size, &fails))
			continue;
		if (!fails && *count == SETTINGS_MOST)
			state_say(s, ROLE_ERROR, "set at most %d fields at once", SETTINGS_MOST);
		if (fails || *count == SETTINGS_MOST || !cut_setting(s, &text, &setting[(*count)++]))
			return false;
	}
	return true;
}

unsigned
edit_set(struct state *s, const char *argument)
{
	struct setting setting[SETTINGS_MOST];
	char said[2 * LINE_SIZE] = "";
	size_t count = 0;

	if (!cut_settings(s, TEXT_OF(LINE_SIZE, "%s", argument), said, sizeof said, setting, &count) ||
	    !cut_settings(s, said, NULL, 0, setting, &count))
		return 0;
	if (count > 0)
		return put_settings(s, setting, count);
	find_field(s, ""); /* which says what is lacking */
	return 0;
}

const struct diag *
edit_current_diag(const struct state *s)
{
	const struct diag_list *diags = &s->estimate->diags;
	const struct diag *own = diag_of_field(diags, s->form.field);

	if (s->list.kind == LIST_NONE && own != NULL)
		return own;
	for (enum severity severity = SEVERITY_ERROR; severity <= SEVERITY_HINT; severity++)
		for (size_t i = 0; i < diags->count; i++)
			if (diags->item[i].severity == severity &&
			    (severity != SEVERITY_HINT || diags->item[i].fix_field != FIELD_NONE))
				return &diags->item[i];
	return NULL;
}

void
edit_fix_text(const struct diag *d, char *buf, size_t size)
{
	text_put(buf, size, "%s %s", field_table[d->fix_field].label, d->fix_value);
	if (d->also_field != FIELD_NONE)
		text_add(buf, size, ", %s %s", field_table[d->also_field].label, d->also_value);
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
	if (field_in_use(f, &next))
		s->form.field = f;
	return also != FIELD_NONE ? state_change(s, &next, what) : edit_take(s, f, &next);
}

const struct diag *
edit_fixable(struct state *s)
{
	struct diag_list *diags = &s->estimate->diags;
	const struct diag *own, *d;

	state_advise(s);
	own = diag_of_field(diags, s->form.field);
	d = edit_current_diag(s);
	if (d != NULL && d != own && d->fix_field == FIELD_NONE)
		d = NULL;
	for (size_t i = 0; i < diags->count && (d == NULL || d->fix_field == FIELD_NONE); i++)
		if (diags->item[i].fix_field != FIELD_NONE)
			d = &diags->item[i];
	if (d == NULL) {
		if (diag_count(diags, SEVERITY_ERROR) + diag_count(diags, SEVERITY_WARNING) > 0)
			state_say(s, ROLE_DIM, "no change of one or two fields mends what is wrong (e lists it)");
		else
			state_say(s, ROLE_GOOD, "nothing to fix");
	}
	return d;
}

unsigned
edit_walk(struct state *s, int way)
{
	const size_t from = s->undo.now, to = from + (size_t)way;
	const struct plan *p = undo_to(&s->undo, to);

	if (p == NULL) {
		state_say(s, ROLE_DIM, way < 0 ? "nothing to undo" : "nothing to redo");
		return 0;
	}
	s->plan = *p;
	state_say(s, ROLE_GOOD, way < 0 ? "undone: %s" : "redone: %s",
	    undo_entry(&s->undo, way < 0 ? from : to)->what);
	return EVENT_RECALC;
}

unsigned
edit_all_fields(struct state *s)
{
	s->form.all = !s->form.all;
	s->focus = PANE_FORM;
	state_say(s, ROLE_DIM, s->form.all ? "every field is shown" :
	    "the usual fields are shown, and those you set");
	return 0;
}
