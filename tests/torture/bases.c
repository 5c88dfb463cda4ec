/*
 * bases - plans whose bases change or vanish between opening and saving, at any depth of the
 * chain: what is saved is the plan that was in hand, and what is not saved is as it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "file/plan/planfile.h"
#include "file/plan/slurp.h"
#include "torture.h"

enum { BRIEF = 1500, CHAIN_MOST = 4 };

static const char *const lines[] = {
	"", "parallel: { tp = 2; };", "parallel: { tp = 8; cp = 2; };", "parallel: { pp = 4; };",
	"training: { micro_batch_size = 2; };", "model: { preset = \"gpt3-175b\"; };",
	"cluster: { gpus_per_node = 4; };", "calibration: { compute_efficiency = 0.5; };",
	"# only a comment", "name = \"a\";", "serving: { max_num_seqs = 8; };", "mode = \"serve\";",
};
/* What a base is no more. */
static const char *const broken[] = { "parallel: {", "parallel: { tpp = 1; };", "base = \"plan0.cfg\";", "\xff" };

static const char *
name_of(int i)
{
	static char name[2][32];

	text_put(name[i % 2], sizeof name[0], "plan%d.cfg", i);
	return name[i % 2];
}

static void
write_plan(const char *name, int base, const char *line)
{
	FILE *f = fopen(name, "w");

	if (f == NULL || (base > 0 && fprintf(f, "base = \"%s\";\n", name_of(base)) < 0) ||
	    fprintf(f, "%s\n", line) < 0 || fclose(f) != 0)
		abort();
}

/* Something happens to the base i of a chain of n. */
static void
disturb(struct dice *d, int i, int n)
{
	const char *name = name_of(i);

	switch (dice_below(d, 5)) {
	case 0:
		unlink(name);
		break;
	case 1:
		write_plan(name, 0, broken[dice_below(d, sizeof broken / sizeof *broken)]);
		break;
	case 2:
		break; /* it stays */
	default:
		write_plan(name, i + 1 < n ? i + 1 : 0, lines[dice_below(d, sizeof lines / sizeof *lines)]);
		break;
	}
}

static bool
same_plan(const struct plan *a, const struct plan *b)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_in_mode(f, a->mode) && !field_same(f, a, b))
			return false;
	return true;
}

static bool
same_text(const char *name, const char *text)
{
	struct slurp now;
	char why[128];
	const bool same = slurp_file(&now, name, why, sizeof why) && strcmp(now.text, text) == 0;

	free(now.text);
	return same;
}

static void
save(struct torture *t, struct planfile *file, const struct plan *plan, const char *name)
{
	static struct planfile again;
	static struct plan back;
	struct file_errors errors = { 0 };
	const bool force = dice_rarely(&t->dice, 2);
	struct slurp before;
	char note[1024], why[128];
	enum planfile_saved saved;

	if (!slurp_file(&before, "plan0.cfg", why, sizeof why))
		abort();
	saved = planfile_write(file, plan, name, NULL, force, note, sizeof note);
	torture_doing(t, "saving to %s%s: %s", name, force ? ", whatever changed" : "", note);
	if (saved == PLANFILE_SAVED && (!planfile_read(&again, &back, name, NULL, &errors) ||
	    !same_plan(plan, &back)))
		torture_found(t, "what was saved is another plan");
	if (saved != PLANFILE_SAVED && !same_text("plan0.cfg", before.text))
		torture_found(t, "what was not saved has changed");
	if (saved != PLANFILE_SAVED && (force || saved != PLANFILE_CHANGED))
		torture_found(t, "it can not be saved at all");
	free(before.text);
}

static void
one_round(struct torture *t)
{
	static struct planfile file;
	static struct plan plan;
	struct file_errors errors = { 0 };
	const int n = 2 + (int)dice_below(&t->dice, CHAIN_MOST - 1);
	char err[256];

	unlink("new.cfg");
	for (int i = 0; i < n; i++)
		write_plan(name_of(i), i + 1 < n ? i + 1 : 0,
		    lines[dice_below(&t->dice, sizeof lines / sizeof *lines)]);
	if (!planfile_read(&file, &plan, "plan0.cfg", NULL, &errors)) {
		torture_tell("%s", errors.line[0]);
		abort();
	}
	if (dice_rarely(&t->dice, 2))
		field_put_int(FIELD_PP, &plan, 1 + dice_below(&t->dice, 8), err, sizeof err);
	plan_resolve(&plan, NULL);
	disturb(&t->dice, 1 + (int)dice_below(&t->dice, n - 1), n);
	save(t, &file, &plan, dice_rarely(&t->dice, 3) ? "new.cfg" : "plan0.cfg");
}

int
main(int argc, char **argv)
{
	return torture_main(argc, argv, BRIEF, one_round);
}
