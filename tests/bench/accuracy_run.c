/*
 * accuracy_run.c - tests/data/whole_run.tsv: runs whose settings are described, by what they took, and what
 * checkpoints hold. Hours of a run hold other work too; rows without a release were run on a stack that
 * nobody tells, and the kernels of 2022 are not known.
 */
#include "accuracy_run.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"

enum column { C_ID, C_KIND, C_NAME, C_GPU, C_GPUS, C_DAYS, C_HOURS, C_FORMAT, C_GB, C_STOPS, C_WINDOW, C_SOURCE, C_NOTE,
	C_SETTINGS, COLUMNS };
enum { LINE_SIZE = 4096, ROWS_MAX = 128 };

struct errors {
	size_t count;
	double error[ROWS_MAX];
};

static const struct {
	const char *path, *list, *section;
} entries[] = { { "cluster.gpu", "gpus", "cluster" }, { "model.preset", "models", "model" } };

/* The catalogue's entries first, which other settings win over. */
static bool
put_settings(struct plan *p, const char *settings, const config_t files[2])
{
	bool known = true;

	plan_defaults(p);
	for (int pass = 0; pass < 2; pass++) {
		char list[LINE_SIZE], *save = NULL;

		text_put(list, sizeof list, "%s", settings);
		for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
			char *equals = strchr(w, '=');
			int i = 0;

			if (equals == NULL)
				continue;
			*equals = '\0';
			while (i < 2 && strcmp(entries[i].path, w) != 0)
				i++;
			if (i < 2 && pass == 0)
				known &= accuracy_put_entry(p, &files[i], entries[i].list, entries[i].section, equals + 1);
			else if (i == 2 && pass == 1)
				accuracy_put(p, w, equals + 1);
		}
	}
	plan_resolve(p, NULL);
	return known;
}

static void
tell(FILE *out, char *const *cell, const char *unit, double published, double estimated, struct errors *of)
{
	const double error = estimated / published - 1;

	fprintf(out, "  %-34.34s %12.4g %12.4g %-9s %+6.1f %%\n", cell[C_NAME], published, estimated, unit, 100 * error);
	if (of->count < ROWS_MAX)
		of->error[of->count++] = error;
}

static void
tell_median(FILE *out, const char *what, struct errors *of)
{
	if (of->count == 0)
		return;
	qsort(of->error, of->count, sizeof *of->error, by_size);
	fprintf(out, "%s: median %.1f %%, most %.1f %% of %zu\n", what, 100 * fabs(of->error[of->count / 2]),
	    100 * fabs(of->error[of->count - 1]), of->count);
}

/* A row of a run with its release, or of a checkpoint with its size; others say too little. */
static void
hold(FILE *out, char *const *cell, const struct plan *p, struct errors of[3], struct estimate *e)
{
	const double hours = accuracy_number(cell[C_HOURS]), gb = accuracy_number(cell[C_GB]);
	const bool old = strstr(cell[C_SETTINGS], "release=2022") != NULL;

	estimate_run(e, p, NULL, NULL);
	if (!e->legal || !e->timed)
		return;
	if (strcmp(cell[C_KIND], "ckpt") == 0 && gb > 0)
		tell(out, cell, "GB", gb, e->run.checkpoint.all / 1e9, &of[2]);
	else if (e->ran && hours > 0 && strstr(cell[C_SETTINGS], "release=") != NULL)
		tell(out, cell, "GPU hours", hours, e->run.gpu_hours, &of[old]);
}

void
accuracy_run(FILE *out, const char *top)
{
	struct estimate *e = malloc(sizeof *e);
	struct errors *of = calloc(3, sizeof *of);
	char path[1024], line[LINE_SIZE], *cell[COLUMNS];
	config_t files[2];
	FILE *in;

	text_put(path, sizeof path, "%s/tests/data/whole_run.tsv", top);
	in = fopen(path, "r");
	if (e == NULL || of == NULL || in == NULL || !accuracy_read_catalog(&files[0], top, "gpus.cfg") ||
	    !accuracy_read_catalog(&files[1], top, "models.cfg"))
		exit(1);
	fprintf(out, "\nwhole runs, published and estimated\n");
	while (fgets(line, sizeof line, in) != NULL) {
		struct plan p;

		if (accuracy_cells(line, cell, COLUMNS) == COLUMNS && strncmp(cell[C_SETTINGS], "search", 6) != 0 &&
		    put_settings(&p, cell[C_SETTINGS], files))
			hold(out, cell, &p, of, e);
	}
	tell_median(out, "GPU hours of runs", &of[0]);
	tell_median(out, "of those of 2022", &of[1]);
	tell_median(out, "bytes of checkpoints", &of[2]);
	fclose(in);
	config_destroy(&files[0]);
	config_destroy(&files[1]);
	free(of);
	free(e);
}
