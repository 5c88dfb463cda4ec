#include "ui/state/state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "core/search/advice_hints.h"
#include "ui/state/steps.h"
#include "ui/state/search_view.h"

bool
state_init(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options)
{
	*s = (struct state){
		.catalog = catalog, .files = files, .plan = *plan, .columns = 80, .rows = 24,
		.utf8 = true, .depth = THEME_256,
		.form.field = plan->finetune.method != FINETUNE_NONE ? FIELD_FINETUNE : FIELD_TP, .lower = PANE_MEMORY,
	};
	if (options != NULL && options->settings != NULL)
		s->settings = *options->settings;
	else
		settings_default(&s->settings);
	if (options != NULL)
		s->asked = options->asked;
	if (options != NULL && options->ascii)
		s->settings.ascii = true;
	if (options != NULL && options->palette != NULL)
		text_put(s->settings.palette, sizeof s->settings.palette, "%s", options->palette);
	if (options != NULL && options->language != NULL)
		text_put(s->settings.language, sizeof s->settings.language, "%s", options->language);
	state_forget_where(s);
	s->map.cursor = 0;
	plan_resolve(&s->plan, catalog);
	s->saved = s->plan;
	s->estimate = malloc(sizeof *s->estimate);
	s->last.estimate = malloc(sizeof *s->last.estimate);
	s->base = malloc(sizeof *s->base);
	if (options != NULL && options->read != NULL) {
		s->saved = *options->read;
		plan_resolve(&s->saved, catalog);
	}
	if (s->estimate == NULL || s->last.estimate == NULL || s->base == NULL || !search_view_init(s) || !steps_init(s) || !undo_push(&s->undo, &s->saved, "") ||
	    (state_unsaved(s) && !undo_push(&s->undo, &s->plan, "the command line"))) {
		state_free(s);
		return false;
	}
	s->estimate->laid_out = s->estimate->legal = false;
	return true;
}

void
state_free(struct state *s)
{
	search_view_free(s);
	steps_free(s);
	undo_free(&s->undo);
	recall_free(&s->prompt.recall);
	words_stop(&s->prompt.words);
	free(s->estimate);
	free(s->last.estimate);
	free(s->base);
	free(s->yank);
	free(s->other.estimate);
	free(s->why.term);
	free(s->checkup);
	found_free(&s->found);
	s->estimate = s->last.estimate = s->base = s->other.estimate = NULL;
	s->why.term = NULL;
	s->checkup = NULL;
}

const struct plan *
state_shown_plan(const struct state *s)
{
	return s->past ? &s->last.plan : &s->plan;
}

const struct estimate *
state_shown(const struct state *s)
{
	return s->past ? s->last.estimate : s->estimate;
}

void
state_keep_last(struct state *s)
{
	struct estimate *kept = s->estimate;

	if (!kept->legal)
		return;
	s->estimate = s->last.estimate;
	s->last.estimate = kept;
	s->last.known = true;
}

const struct plan *
state_base(const struct state *s)
{
	return s->has_pin ? &s->pinned : &s->saved;
}

const char *
state_base_name(const struct state *s)
{
	const char *path = s->files->path(s->files->context);

	return s->has_pin ? "pinned" : path != NULL && path[0] != '\0' ? "saved" : "start";
}

const struct estimate *
state_base_estimate(const struct state *s)
{
	const struct plan *base = state_base(s);

	return base->mode == s->plan.mode && (s->has_pin ||
	    text_equal(base->model.preset, s->plan.model.preset)) ?
	    s->based ? s->base : s->estimate : NULL;
}

void
state_rebase(struct state *s)
{
	estimate_run(s->base, state_base(s), s->catalog, NULL);
	s->based = true;
}

const char *
state_language(const struct state *s)
{
	const bool chinese = text_equal(s->settings.language, "auto") ? s->chinese :
	    text_equal(s->settings.language, "zh");

	return chinese && s->utf8 && !s->settings.ascii ? "zh" : "en";
}

void
state_speak(struct state *s)
{
	const bool other = !text_equal(state_language(s), "en") && s->files->texts != NULL;

	s->texts = other ? s->files->texts(s->files->context, state_language(s)) : NULL;
}

void
state_focus(struct state *s, enum pane pane)
{
	s->focus = pane;
	if (pane >= PANE_MEMORY)
		s->lower = pane;
}

void
state_say(struct state *s, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_vput(s->message, sizeof s->message, fmt, args);
	va_end(args);
	s->message_role = role;
}

/* What is written to a file: the values that the user chose. */
bool
state_same(const struct plan *a, const struct plan *b)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		bool set = field_is_set(f, a);

		if (set != field_is_set(f, b))
			return false;
		if (set && !field_same(f, a, b))
			return false;
	}
	return true;
}

bool
state_unsaved(const struct state *s)
{
	return !state_same(&s->plan, &s->saved);
}

unsigned
state_change(struct state *s, const struct plan *next, const char *what)
{
	/* No step of the history, so that what was undone can still be redone. */
	if (s->undo.count > 0 && state_same(next, &s->plan)) {
		if (s->message[0] == '\0' && (s->estimate->legal || s->in_lines))
			state_say(s, ROLE_DIM, "%s, as it was", what);
		s->plan = *next; /* a user's now, who set what was there */
		return 0;
	}
	s->plan = *next;
	if (!undo_push(&s->undo, next, what))
		state_say(s, ROLE_WARNING, "%s; no memory left to undo it", what);
	return EVENT_RECALC;
}

bool
state_is_bad(const struct state *s)
{
	return !s->estimate->legal || (estimate_has_fit(s->estimate) && !estimate_has_room(s->estimate));
}

/* The fields of the last change, which are to give way last. */
static struct field_set
state_asked(const struct state *s)
{
	struct field_set asked = { { 0 } };
	const struct plan *before;

	if (s->undo.now == 0)
		return s->asked;
	before = &undo_entry(&s->undo, s->undo.now - 1)->plan;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (!field_same(f, before, &s->plan))
			field_set_add(&asked, f);
	return asked;
}

void
state_advise(struct state *s)
{
	const struct field_set asked = state_asked(s);
	struct diag_list *diags = &s->estimate->diags;
	struct estimate *work = s->steps->work;

	if (s->advised)
		return;
	s->mends.count = 0;
	if (advice_is_needed(&s->plan, s->estimate))
		advice_run(&s->mends, &s->plan, s->catalog, &asked, work);
	advice_note(&s->mends, 0, diags);
	advice_hints(&s->plan, s->catalog, s->estimate, work, diags);
	check_fixes(&s->plan, s->catalog, &asked, diags);
	s->advised = true;
}

const char *
state_file_name(const struct state *s)
{
	const char *path = s->files->path(s->files->context), *slash;

	if (path == NULL || path[0] == '\0')
		return "(new plan)";
	slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void
state_forget_where(struct state *s)
{
	s->where = (struct where){ -1, -1, -1, -1, -1 };
}
