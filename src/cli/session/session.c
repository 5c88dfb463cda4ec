#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/given.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/plan/override.h"
#include "core/rules/check.h"
#include "core/rules/settle.h"
#include "core/search/advice.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/pathname.h"
#include "out/out.h"

void
session_print_errors(const struct file_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++)
		out_line(stderr, "%s", errors->line[i]);
	if (errors->dropped > 0)
		complain("%zu more errors", errors->dropped);
}

static void
begin(struct session *s)
{
	s->asked = (struct field_set){ 0 };
	s->topics = (struct topics){ 0 };
	s->topics_language[0] = '\0';
	s->texts = (struct texts){ 0 };
	s->texts_language[0] = '\0';
}

bool
session_catalog(struct session *s)
{
	struct file_errors errors = { 0 };

	begin(s);
	s->whole = catalog_load(&s->catalog, &errors);
	session_print_errors(&errors); /* warnings, where it could be read */
	return s->whole;
}

bool
session_whole_catalog(struct session *s, char *note, size_t size)
{
	struct file_errors errors = { 0 };
	struct catalog all;

	if (s->whole)
		return true;
	if (!catalog_load(&all, &errors)) {
		text_put(note, size, "%s", errors.line[0]);
		return false;
	}
	if (errors.count > 0)
		text_put(note, size, "%s", errors.line[0]);
	catalog_free(&s->catalog);
	s->catalog = all;
	return s->whole = true;
}

bool
session_clusters(struct session *s)
{
	struct file_errors errors = { 0 };

	const bool ok = catalog_load_clusters(&s->catalog, &errors);

	session_print_errors(&errors);
	if (!ok)
		session_close(s);
	return ok;
}

/* A search tries all sizes that nobody set and that it is not told to keep: what they begin with is
 * nobody's concern. */
static bool
tries_sizes(const struct options *o)
{
	bool keeps = false;

	for (size_t i = 0; i < o->asks; i++)
		keeps |= text_equal(o->ask[i].name, "fix");
	return (o->command->takes & TAKES_SEARCH) != 0 && !keeps;
}

/* Values of the command line; note tells of overrides of the plan that they drop, and of sizes
 * that step back before them. */
static bool
set_given(struct session *s, const struct options *o, const struct given *given, struct plan *plan, char *note,
    size_t size)
{
	const struct plan before = *plan;
	struct plan resolved;
	const struct setting *wrong;
	struct overrides dropped;
	char err[640], back[128];

	if (!overrides_put(given->setting, given->count, plan, &dropped, &wrong, err, sizeof err)) {
		usage_error("%s=%s: %s", field_table[wrong->field].path, wrong->value, err);
		return false;
	}
	for (size_t i = 0; plan == &s->plan && i < given->count; i++)
		field_set_add(&s->asked, given->setting[i].field);
	if (overrides_text(&dropped, &before, note, size) > 0)
		text_add(note, size, " (--set keeps %s)", dropped.count == 1 ? "it" : "them");
	plan_resolve(plan, &s->catalog);
	resolved = *plan;
	sizes_settle(plan, &s->catalog);
	if (settle_text(&before, tries_sizes(o) ? &resolved : plan, back, sizeof back) > 0)
		text_add(note, size, "%s%s: nobody set %s", note[0] != '\0' ? "; " : "", back,
		    strchr(back, ',') != NULL ? "them" : "it");
	return true;
}

bool
session_set(struct session *s, const struct options *o, struct plan *plan, char *note, size_t size)
{
	struct given given;
	bool ok;

	note[0] = '\0';
	if (o->settings + (size_t)o->words == 0)
		return true;
	ok = given_read(&given, o, plan, &s->catalog) && set_given(s, o, &given, plan, note, size);
	given_free(&given);
	return ok;
}

/* The command line's values put into a plan that was read, and told. */
static bool
take_settings(struct session *s, const struct options *o, const char *path, struct plan *plan)
{
	char note[512], shown[256];

	if (plan == &s->plan)
		s->read = *plan;
	if (!session_set(s, o, plan, note, sizeof note))
		return false;
	if (note[0] != '\0') {
		show_path(shown, sizeof shown, path != NULL ? path : "the built-in plan");
		complain("%s: %s", shown, note);
	}
	return true;
}

/* What was read of a launch as a plan without a file, before what the command line says. */
static void
put_launch(struct launch *l, const struct options *o, struct planfile *file, struct plan *plan)
{
	planfile_builtin(file, plan, NULL);
	*plan = l->plan;
	l->im.plan = plan;
	launch_drop_said(&l->im, o);
}

/* A launch in the place of a plan's file. Where it looks like none, it is told why the file is no plan.
 * launch_free where true. */
static bool
read_launch(struct launch *l, const struct session *s, const struct options *o, const char *path,
    struct planfile *file, struct plan *plan, const struct file_errors *why)
{
	const enum import_status status = launch_read(l, path, &s->catalog, launch_has_model(o, &s->catalog));

	if (status != IMPORT_DONE) {
		session_print_errors(status == IMPORT_UNKNOWN ? why : &l->errors);
		launch_free(l);
		return false;
	}
	put_launch(l, o, file, plan);
	return true;
}

/* What the command line says, and what is told of a launch; path: its name. */
static bool
finish_launch(struct launch *l, struct session *s, const struct options *o, const char *path, struct plan *plan)
{
	const bool ok = take_settings(s, o, path, plan);

	if (ok) {
		launch_drop_asked(&l->im, &s->asked);
		import_clients(&l->im);
		launch_tell(l, path);
	}
	launch_free(l);
	return ok;
}

/* Whether what could not be read as a plan may be a launch. */
static bool
may_be_launch(const char *path)
{
	return !text_equal(path, "-") && !pathname_is_plan(path);
}

bool
session_read(struct session *s, const struct options *o, const char *path,
    struct planfile *file, struct plan *plan)
{
	struct file_errors errors = { 0 };
	struct launch l;

	if (path == NULL)
		planfile_builtin(file, plan, &s->catalog);
	else if (!planfile_read(file, plan, path, &s->catalog, &errors)) {
		if (may_be_launch(path))
			return read_launch(&l, s, o, path, file, plan, &errors) && finish_launch(&l, s, o, path, plan);
		session_print_errors(&errors);
		return false;
	}
	return take_settings(s, o, path, plan);
}

bool
session_open(struct session *s, const struct options *o, const char *path)
{
	if (!session_catalog(s))
		return false;
	if (session_read(s, o, path, &s->file, &s->plan))
		return true;
	catalog_free(&s->catalog);
	return false;
}

bool
session_open_launch(struct session *s, const struct options *o, const char *name, const char *text)
{
	struct launch l;
	bool ok;

	if (!session_catalog(s))
		return false;
	ok = launch_read_text(&l, name, text, &s->catalog, launch_has_model(o, &s->catalog)) == IMPORT_DONE;
	if (ok) {
		put_launch(&l, o, &s->file, &s->plan);
		ok = finish_launch(&l, s, o, name, &s->plan);
	} else {
		launch_free(&l);
	}
	if (!ok)
		session_close(s);
	return ok;
}

/* What is named by the plan, and by the values of the command line. */
static void
add_names(const struct plan *p, const struct options *o, struct catalog_names *gpus,
    struct catalog_names *models)
{
	if (p->cluster.gpu[0] != '\0')
		catalog_name(gpus, p->cluster.gpu);
	if (p->model.preset[0] != '\0')
		catalog_name(models, p->model.preset);
	if (p->rl.critic_preset[0] != '\0')
		catalog_name(models, p->rl.critic_preset);
	if (p->rl.reward_preset[0] != '\0')
		catalog_name(models, p->rl.reward_preset);
	for (size_t i = 0; i < o->settings; i++) {
		const enum field_id f = o->setting[i].field;

		if (f == FIELD_GPU)
			catalog_name(gpus, o->setting[i].value);
		else if (f == FIELD_PRESET || f == FIELD_CRITIC_PRESET || f == FIELD_REWARD_PRESET)
			catalog_name(models, o->setting[i].value);
	}
}

/* Names of more GPUs stand in a list, or what a word says takes all names to tell. */
static bool
names_others(const struct plan *p, const struct options *o)
{
	if (o->words > 0)
		return true;
	for (size_t i = 0; i < o->settings; i++)
		if (o->setting[i].field == FIELD_OTHER_GPUS)
			return true;
	return p->cluster.other_gpus[0] != '\0';
}

/* Of the catalogue what is named there. False, with an empty one, where that takes all of it. */
static bool
catalog_named(struct session *s, const struct options *o, struct file_errors *errors)
{
	struct catalog_names gpus = { 0 }, models = { 0 };

	begin(s);
	s->whole = false;
	if (names_others(&s->plan, o))
		return false;
	add_names(&s->plan, o, &gpus, &models);
	return catalog_load_named(&s->catalog, &gpus, &models, errors);
}

/* The plan's file, NULL for the built-in plan, into s; without a catalogue where that is NULL. */
static bool
read_file(struct session *s, const char *path, const struct catalog *catalog,
    struct file_errors *errors)
{
	if (path != NULL)
		return planfile_read(&s->file, &s->plan, path, catalog, errors);
	planfile_builtin(&s->file, &s->plan, catalog);
	return true;
}

/*
 * As session_open, without the entries that nobody names: the plan is read for its names, and read
 * with them. False, without a word, where that is not enough: what is wrong takes the whole
 * catalogue to tell, a base may name more, and standard input is read but once.
 */
static bool
read_named(struct session *s, const struct options *o, const char *path)
{
	struct file_errors errors = { 0 }, warnings = { 0 };

	if ((path != NULL && text_equal(path, "-")) || !read_file(s, path, NULL, &errors) ||
	    !catalog_named(s, o, &warnings))
		return false;
	if (read_file(s, path, &s->catalog, &errors)) {
		session_print_errors(&warnings);
		return true;
	}
	catalog_free(&s->catalog);
	return false;
}

bool
session_open_named(struct session *s, const struct options *o, const char *path)
{
	if (!read_named(s, o, path))
		return session_open(s, o, path);
	if (take_settings(s, o, path, &s->plan))
		return true;
	catalog_free(&s->catalog);
	return false;
}

int
session_with(const struct options *o, int (*work)(struct session *s, const struct options *o))
{
	struct session s;
	int status;

	if (!session_open_named(&s, o, o->operands == o->command->most ? o->operand[0] : NULL))
		return STATUS_ERROR;
	status = work(&s, o);
	session_close(&s);
	return status;
}

/* The launch that the screen opens: what is told of it stands in the note. */
static bool
open_launch(struct session *s, const struct options *o, const char *path, const struct file_errors *why, char *note,
    size_t size)
{
	struct launch l;
	char account[LAUNCH_NOTE_SIZE];
	bool ok;

	if (!session_catalog(s))
		return false;
	if (!read_launch(&l, s, o, path, &s->file, &s->plan, why)) {
		session_close(s);
		return false;
	}
	s->read = s->plan;
	if ((ok = session_set(s, o, &s->plan, note, size))) {
		import_clients(&l.im);
		launch_note(&l, path, account);
		text_add(note, size, "%s%s", note[0] != '\0' ? "; " : "", account);
	} else {
		session_close(s);
	}
	launch_free(&l);
	return ok;
}

bool
session_open_screen(struct session *s, const struct options *o, const char *path, char *note,
    size_t size)
{
	struct file_errors errors = { 0 };

	/* Without a catalogue: what it lacks is marked on the screen, as all that is wrong. */
	if (!read_file(s, path, NULL, &errors)) {
		if (may_be_launch(path))
			return open_launch(s, o, path, &errors, note, size);
		session_print_errors(&errors);
		return false;
	}
	if (!catalog_named(s, o, &errors) && !session_catalog(s))
		return false;
	plan_resolve(&s->plan, &s->catalog);
	s->read = s->plan;
	if (session_set(s, o, &s->plan, note, size))
		return true;
	session_close(s);
	return false;
}

void
session_close(struct session *s)
{
	catalog_free(&s->catalog);
	topics_free(&s->topics);
	texts_free(&s->texts);
}

const struct topic *
session_topic(struct session *s, const char *language, size_t i)
{
	char why[256];

	if (!text_equal(s->topics_language, language)) {
		topics_free(&s->topics);
		topics_read(&s->topics, language, why, sizeof why);
		text_put(s->topics_language, sizeof s->topics_language, "%s", language);
	}
	return i < s->topics.count ? &s->topics.topic[i] : NULL;
}

const struct texts *
session_texts(struct session *s, const char *language)
{
	char why[PLANFILE_PATH_SIZE + 256];

	if (!text_equal(s->texts_language, language)) {
		texts_free(&s->texts);
		if (!language_texts(&s->texts, language, why, sizeof why))
			s->texts = (struct texts){ 0 };
		text_put(s->texts_language, sizeof s->texts_language, "%s", language);
	}
	return &s->texts;
}

void
session_fixes(const struct session *s, struct diag_list *diags)
{
	struct estimate *work = diag_count(diags, SEVERITY_ERROR) > 0 ? malloc(sizeof *work) : NULL;
	struct advice advice;

	if (work != NULL) {
		advice_run(&advice, &s->plan, &s->catalog, &s->asked, work);
		advice_note(&advice, 0, diags);
		free(work);
	}
	check_fixes(&s->plan, &s->catalog, &s->asked, diags);
}

struct estimate *
session_run(const struct session *s, struct ledger *ledger)
{
	struct estimate *e = calloc(1, sizeof *e);

	if (e == NULL)
		out_of_memory();
	else
		estimate_run(e, &s->plan, &s->catalog, ledger);
	return e;
}

struct estimate *
session_estimate(const struct session *s, struct ledger *ledger)
{
	struct estimate *e = session_run(s, ledger);

	if (e != NULL && e->diags.count > 0)
		session_fixes(s, &e->diags);
	return e;
}

const char *
session_line(const struct diag *d, char line[SESSION_LINE_SIZE])
{
	char plain[SESSION_LINE_SIZE];

	diag_format(d, plain, sizeof plain);
	show_text(line, SESSION_LINE_SIZE, plain);
	return line;
}

void
session_complain(const struct diag_list *diags, enum severity severity)
{
	char line[SESSION_LINE_SIZE];

	for (size_t i = 0; i < diags->count; i++)
		if (diags->item[i].severity <= severity)
			complain("%s", session_line(&diags->item[i], line));
	if (diags->dropped > 0)
		complain("%zu more diagnostics", diags->dropped);
}
