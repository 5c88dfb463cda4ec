/*
 * extremes - fields at the ends of their range: whatever a plan says, the numbers of
 * `estimate` are numbers, have a sign that makes sense, and add up.
 *
 * A finding is cut down to the settings that it takes, and told as a command.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "cli/report/report.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "figures.h"
#include "file/catalogue/catalog_file.h"
#include "program.h"
#include "torture.h"
#include "values.h"

enum { BRIEF = 1500, SETTINGS_MOST = 80, EXTREMES_MOST = 6, TEXT_EVERY = 16, ALIKE_EVERY = 3 };

/* A plan file (NULL: the built-in plan) and what is put into it, "parallel.tp=8". */
struct case_ {
	const char *file;
	int settings;
	char setting[SETTINGS_MOST][320];
};

static struct catalog catalog;
static glob_t files;
static struct estimate *estimate;

/* ---- the catalogue and the shipped plans, read once --------------------------------- */

static void
load(void)
{
	static struct file_errors errors;
	char pattern[4096];

	if (estimate != NULL)
		return;
	text_put(pattern, sizeof pattern, "%s/share/plans/*.cfg", torture_top());
	estimate = calloc(1, sizeof *estimate);
	if (estimate == NULL || !catalog_load(&catalog, &errors) ||
	    glob(pattern, 0, NULL, &files) != 0) {
		fputs("extremes: no catalogue or no plans\n", stderr);
		abort();
	}
}

/* ---- cases -------------------------------------------------------------------------- */

static void
add_setting(struct case_ *c, enum field_id f, const char *value)
{
	if (c->settings < SETTINGS_MOST)
		text_put(c->setting[c->settings++], sizeof c->setting[0], "%s=%s", field_table[f].path,
		    value);
}

/* A random plan, as what it puts into the built-in one; some of them serve. */
static void
add_plan(struct dice *d, struct case_ *c)
{
	const struct plan p = random_plan(d);
	char value[256];

	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_is_set((enum field_id)f, &p)) {
			field_format((enum field_id)f, &p, value, sizeof value);
			add_setting(c, (enum field_id)f, value);
		}
	if (dice_rarely(d, 3)) {
		add_setting(c, FIELD_MODE, "serve");
		add_setting(c, FIELD_LAYOUT, "vllm");
		value_extreme(d, &catalog, FIELD_ENGINE, value, sizeof value);
		add_setting(c, FIELD_ENGINE, value);
	}
}

static void
random_case(struct dice *d, struct case_ *c)
{
	char value[256];

	c->file = NULL;
	c->settings = 0;
	if (dice_rarely(d, 3))
		add_plan(d, c);
	else
		c->file = files.gl_pathv[dice_below(d, (int64_t)files.gl_pathc)];
	for (int64_t n = 1 + dice_below(d, EXTREMES_MOST); n > 0; n--) {
		const enum field_id f = (enum field_id)dice_below(d, FIELD_COUNT);

		value_extreme(d, &catalog, f, value, sizeof value);
		add_setting(c, f, value);
	}
}

/* What is run on a plan: a command, and what follows the plan. */
struct command {
	const char *name, *last;
	bool picture; /* digits in it are drawn */
	void (*alike)(const char *text, const json_t *doc, struct flaws *flaws); /* to its JSON; NULL: not held */
};

static const struct command numbers = { .name = "estimate", .last = "--json" };

/* As a command line; the words are those of the case. */
static struct words
case_words(const struct case_ *c, const struct command *command)
{
	static char set[SETTINGS_MOST][340];
	struct words w = { 0 };

	words_add(&w, command->name);
	if (c->file != NULL)
		words_add(&w, c->file);
	if (command->last != NULL)
		words_add(&w, command->last);
	for (int i = 0; i < c->settings; i++) {
		text_put(set[i], sizeof set[i], "--set=%s", c->setting[i]);
		words_add(&w, set[i]);
	}
	return w;
}

/* The plan of a case; false where a value is refused, as the program would. */
static bool
case_plan(const struct case_ *c, struct plan *p)
{
	static struct planfile file;
	struct file_errors errors = { 0 };
	char path[64], err[640];

	if (c->file == NULL)
		planfile_builtin(&file, p, &catalog);
	else if (!planfile_read(&file, p, c->file, &catalog, &errors))
		return false;
	for (int i = 0; i < c->settings; i++) {
		const char *equals = strchr(c->setting[i], '=');

		text_put(path, sizeof path, "%.*s", (int)(equals - c->setting[i]), c->setting[i]);
		if (!field_parse(field_find(path), p, equals + 1, err, sizeof err))
			return false;
	}
	plan_resolve(p, &catalog);
	return true;
}

/* ---- looking at them ---------------------------------------------------------------- */

static void
print_json(void *data)
{
	json_estimate(data, estimate, -1);
}

/* What is wrong with the numbers of a case. */
static void
look_at_numbers(const struct case_ *c, struct flaws *flaws)
{
	static struct session s;
	struct outcome o;
	const char *wrong;
	json_t *doc;

	if (!case_plan(c, &s.plan))
		return;
	estimate_run(estimate, &s.plan, &catalog, NULL);
	o = program_capture(print_json, &s);
	if ((wrong = program_json(&o, &doc)) != NULL)
		flaws_add(flaws, "estimate --json", wrong);
	else
		figures_look(doc, &s.plan, flaws);
	json_decref(doc);
}

/* A report that people read holds the numbers of the one that scripts read. */
static void
look_at_json(const struct words *w, const struct outcome *o, const struct command *command, struct flaws *flaws)
{
	char *text = strdup(o->out);
	struct words with = *w;
	struct outcome json;
	json_t *doc = NULL;

	words_add(&with, "--json");
	json = program_inside(&with);
	if (text == NULL || program_json(&json, &doc) != NULL)
		flaws_add(flaws, command->name, "has a text and no JSON");
	else
		command->alike(text, doc, flaws);
	json_decref(doc);
	free(text);
}

/* The same of a report for people. */
static void
look_at_text(const struct case_ *c, const struct command *command, struct flaws *flaws)
{
	const struct words w = case_words(c, command);
	const struct outcome o = program_inside(&w);
	const char *wrong = program_flaw(&o);

	if (wrong == NULL && !command->picture)
		wrong = program_text(&o);
	if (wrong != NULL)
		flaws_add(flaws, command->name, wrong);
	else if (command->alike != NULL && o.outs > 0)
		look_at_json(&w, &o, command, flaws);
}

static struct flaws
look(const struct case_ *c, const struct command *command)
{
	struct flaws flaws = { 0 };

	if (command == &numbers)
		look_at_numbers(c, &flaws);
	else
		look_at_text(c, command, &flaws);
	return flaws;
}

static bool
has_flaw(const struct case_ *c, const struct command *command, const char *flaw)
{
	const struct flaws flaws = look(c, command);

	return flaws_have(&flaws, flaw);
}

/* Leave out the file and every setting that the flaw does not need. */
static struct case_
cut_down(const struct case_ *c, const struct command *command, const char *flaw)
{
	struct case_ small = *c, less = *c;

	less.file = NULL;
	if (has_flaw(&less, command, flaw))
		small = less;
	for (int i = 0; i < small.settings;) {
		less = small;
		less.settings--;
		memmove(less.setting[i], less.setting[i + 1],
		    (size_t)(less.settings - i) * sizeof less.setting[0]);
		if (has_flaw(&less, command, flaw)) {
			small = less;
			i = 0;
		} else {
			i++;
		}
	}
	return small;
}

/* Run a command on a case, and tell what is wrong with what it says. */
static void
run(struct torture *t, const struct case_ *c, const struct command *command)
{
	char line[8192];
	struct words w = case_words(c, command);
	struct flaws flaws;

	words_show(&w, line, sizeof line);
	torture_doing(t, "%s", line);
	flaws = look(c, command);
	for (int i = 0; i < flaws.count; i++) {
		struct case_ small;

		if (!torture_found(t, flaws.flaw[i]))
			continue;
		small = cut_down(c, command, flaws.flaw[i]);
		w = case_words(&small, command);
		words_show(&w, line, sizeof line);
		torture_tell("  %s", line);
	}
}

static void
one_round(struct torture *t)
{
	static const struct command estimate_text = { "estimate", NULL, false, alike_estimate };
	static const struct command texts[] = { { "check", NULL, false, alike_check }, { .name = "layers" },
		{ .name = "rank", .last = "0" }, { "map", "--width=100", true, NULL },
		{ "pipeline", "--width=100", true, NULL } };
	char path[64];
	const struct command explain = { "explain", path, false, alike_explain };
	static struct case_ c;

	load();
	random_case(&t->dice, &c);
	run(t, &c, &numbers);
	if (dice_rarely(&t->dice, TEXT_EVERY))
		run(t, &c, &texts[dice_below(&t->dice, sizeof texts / sizeof *texts)]);
	if (!dice_rarely(&t->dice, ALIKE_EVERY))
		return;
	text_put(path, sizeof path, "%s", result_table[dice_below(&t->dice, RESULT_COUNT)].path);
	run(t, &c, &estimate_text);
	run(t, &c, &explain);
}

int
main(int argc, char **argv)
{
	return torture_main(argc, argv, BRIEF, one_round);
}
