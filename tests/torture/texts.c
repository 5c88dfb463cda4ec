/*
 * texts - texts that are nearly plans, alone and building on one another: what the parser
 * takes it writes and reads back as the same text, and no command says anything but text and
 * JSON, or ends otherwise than it may.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plan/field.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/slurp.h"
#include "plantext.h"
#include "program.h"
#include "torture.h"

enum { BRIEF = 1000, CHAIN_MOST = 10, OUTSIDE_EVERY = 50, WORLD_MOST = 65536 };

static struct catalog catalog;
static struct corpus corpus;
static char text[PLANTEXT_SIZE + 1];
static size_t length;

/* ---- beginnings --------------------------------------------------------------------- */

static void
load(void)
{
	static struct file_errors errors;
	char pattern[4096], why[256];
	glob_t files;

	if (corpus.count > 0)
		return;
	text_put(pattern, sizeof pattern, "%s/share/*/*.cfg", torture_top());
	if (!catalog_load(&catalog, &errors) || glob(pattern, 0, NULL, &files) != 0 ||
	    (corpus.text = calloc(files.gl_pathc, sizeof *corpus.text)) == NULL) {
		fputs("texts: no catalogue or no plans\n", stderr);
		abort();
	}
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct slurp in;

		if (!slurp_file(&in, files.gl_pathv[i], why, sizeof why))
			abort();
		corpus.text[corpus.count++] = in.text;
	}
	globfree(&files);
	mkdir("folder", 0777);
}

static void
write_file(const char *name)
{
	FILE *f = fopen(name, "wb");

	if (f == NULL || fwrite(text, 1, length, f) != length || fclose(f) != 0) {
		perror(name);
		abort();
	}
}

/* plan.cfg, on a base where it has one: a chain of files, a circle, or what is no plan. The
 * text of plan.cfg stays in `text`. */
static void
random_files(struct dice *d)
{
	static const char *const others[] = { "clusters/dgx-h100.cfg", "../clusters/dgx-h100.cfg",
		"plan.cfg", "folder", "", "missing.cfg", "/dev/null", "-", "a\x1b[31m.cfg",
		"plans/seed-2x8.cfg" };
	int64_t chain = dice_rarely(d, 3) ? 1 + dice_below(d, CHAIN_MOST) : 0;
	const char *base = NULL;
	static char name[2][32];

	if (dice_rarely(d, 4))
		base = others[dice_below(d, sizeof others / sizeof *others)];
	for (; chain > 0; chain--) {
		char *own = name[chain % 2];

		length = plantext_random(d, &corpus, &catalog, base, text);
		text_put(own, sizeof name[0], "base%d.cfg", (int)chain);
		write_file(own);
		base = own;
	}
	length = plantext_random(d, &corpus, &catalog, base, text);
	text[length] = '\0';
	write_file("plan.cfg");
}

/* ---- the parser --------------------------------------------------------------------- */

/* What is wrong with writing and reading back, else NULL. */
static const char *
round_trip(const struct planfile *file, const struct plan *p)
{
	static struct planfile again;
	static struct plan back;
	struct file_errors errors = { 0 };
	char *first = planfile_text(file, p, &catalog), *second = NULL;
	static char field[128];
	const char *flaw = NULL;

	if (first == NULL)
		flaw = "a plan that can not be written";
	else if (!planfile_read_text(&again, &back, "plan.cfg", first, strlen(first), &catalog,
	    &errors))
		flaw = "a plan that can not be read back";
	else if ((second = planfile_text(&again, &back, &catalog)) == NULL ||
	    strcmp(first, second) != 0)
		flaw = "a plan that is another one when read back";
	for (int f = 0; flaw == NULL && f < FIELD_COUNT; f++) {
		if (!field_in_mode((enum field_id)f, p->mode) || field_same((enum field_id)f, p, &back))
			continue;
		text_put(field, sizeof field, "%s is another one when read back", field_table[f].path);
		flaw = field;
	}
	free(first);
	free(second);
	return flaw;
}

/* True when it is a plan. */
static bool
look_at_parser(struct torture *t, struct plan *p)
{
	static struct planfile file;
	struct file_errors errors = { 0 };
	const char *flaw;

	if (!planfile_read_text(&file, p, "plan.cfg", text, length, &catalog, &errors)) {
		if (errors.count == 0)
			torture_found(t, "a text is refused without a word");
		return false;
	}
	if ((flaw = round_trip(&file, p)) != NULL)
		torture_found(t, flaw);
	return true;
}

/* ---- commands ----------------------------------------------------------------------- */

static const struct command {
	const char *word[4];
	bool json;
} commands[] = {
	{ { "check" }, false }, { { "check", "--json" }, true }, { { "estimate", "--json" }, true },
	{ { "estimate" }, false }, { { "layers" }, false }, { { "layers", "--json" }, true },
	{ { "map", "--width=80" }, false }, { { "map", "--ascii", "--width=1" }, false },
	{ { "groups", "--format=hash" }, false }, { { "groups", "--format=hash", "--json" }, true },
	{ { "pipeline", "--width=100" }, false }, { { "check", "--strict" }, false },
};

static void
look_at_command(struct torture *t, const struct command *c,
    struct outcome (*run)(const struct words *w))
{
	struct words w = { 0 };
	struct outcome o;
	char line[256], kind[512];
	const char *flaw;
	json_t *doc = NULL;

	words_add(&w, c->word[0]);
	words_add(&w, "plan.cfg");
	for (int i = 1; i < 4 && c->word[i] != NULL; i++)
		words_add(&w, c->word[i]);
	words_show(&w, line, sizeof line);
	torture_doing(t, "%s", line);
	o = run(&w);
	flaw = program_flaw(&o);
	if (flaw == NULL && c->json)
		flaw = program_json(&o, &doc);
	json_decref(doc);
	text_put(kind, sizeof kind, "%s: %s", line, flaw != NULL ? flaw : "");
	if (flaw != NULL)
		torture_found(t, kind);
}

/* ---- keeping what was found --------------------------------------------------------- */

/* The files of a finding, where the next round does not write over them. */
static void
keep_files(const struct torture *t)
{
	char command[128];

	snprintf(command, sizeof command, "mkdir -p seed-%llu && cp *.cfg seed-%llu/",
	    (unsigned long long)t->seed, (unsigned long long)t->seed);
	if (system(command) == 0)
		torture_tell("  kept in seed-%llu/", (unsigned long long)t->seed);
}

static void
one_round(struct torture *t)
{
	static struct plan p;
	const int known = torture_kinds(t);
	bool is_plan;

	load();
	random_files(&t->dice);
	torture_doing(t, "reading plan.cfg");
	is_plan = look_at_parser(t, &p);
	if (is_plan ? plan_world(&p) <= WORLD_MOST : dice_rarely(&t->dice, 10)) {
		const struct command *c = &commands[dice_below(&t->dice,
		    sizeof commands / sizeof *commands)];

		look_at_command(t, c, program_inside);
		if (dice_rarely(&t->dice, OUTSIDE_EVERY))
			look_at_command(t, c, program_outside);
	}
	if (torture_kinds(t) > known)
		keep_files(t);
}

int
main(int argc, char **argv)
{
	return torture_main(argc, argv, BRIEF, one_round);
}
