/*
 * accuracy_fit.c - published runs against the memory of their GPUs.
 *
 * A run that took place fitted: one that is called unfit is an error of the estimate, or of
 * the row, which does not say what was recomputed, offloaded or kept in fewer bits.
 */
#include "accuracy_fit.h"

#include <stdlib.h>

#include "accuracy_step_row.h"
#include "core/estimate/estimate.h"

#define GIB 1073741824.0

/* No plan takes the memory that the row's run took. */
static bool
is_beyond(const struct table *t)
{
	/* of operators of a MoE layer no plan says which are kept */
	if (row_starts(t, "recompute", "selective AC (op)") && row_number(t, "experts") > 0)
		return true;
	return row_starts(t, "notes", "sizes fit no recipe") ||
	    row_has(t, "notes", "parameters and moments in bf16");
}

static void
print_row(FILE *out, const struct table *t, const struct estimate *e)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	fprintf(out, "%-5s %-22.22s %-18.18s %-11.11s %5s  %-5s %6.1f %6.1f %6.1f of %6.1f: "
	    "%.1f %.1f %.1f; %.1f %.1f %.1f, stage %lld\n", row_cell(t, "id"),
	    row_cell(t, "group"), row_cell(t, "model"), row_cell(t, "gpu"), row_cell(t, "n_gpus"),
	    e->fits ? "tight" : "unfit", e->peak_low / GIB, e->peak_total / GIB, e->peak_high / GIB,
	    e->capacity / GIB, m->parameters / GIB, m->gradients / GIB, m->optimizer / GIB,
	    m->activations / GIB, m->logits / GIB, m->buffers / GIB, (long long)e->peak_stage);
}

struct fit_score
accuracy_fit_score(const char *file, FILE *out, const char *top)
{
	struct fit_score s = { .rows = 0 };
	static struct estimate e;
	static struct table t;
	struct plan p;
	FILE *in = table_open(&t, top, file);

	while (in != NULL && table_next(&t, in)) {
		if (row_refusal(&t) != NULL || row_number(&t, "mbs") <= 0 || is_beyond(&t))
			continue;
		row_plan(&p, &t);
		estimate_run(&e, &p, NULL, NULL);
		if (!estimate_has_fit(&e))
			continue;
		s.rows++;
		s.unfit += !e.fits;
		s.tight += e.tight;
		if (out != NULL && (!e.fits || e.tight))
			print_row(out, &t, &e);
	}
	if (in != NULL)
		fclose(in);
	return s;
}

static void
print_file(FILE *out, const char *top, const char *file)
{
	const struct fit_score s = accuracy_fit_score(file, out, top);

	fprintf(out, "%s: %zu runs, %zu unfit, %zu tight\n", file, s.rows, s.unfit, s.tight);
}

void
accuracy_fit(FILE *out, const char *top)
{
	fprintf(out, "\nRuns whose memory is said not to suffice, or to be tight: GiB at least, usually, at "
	    "most and there;\nparameters, gradients, optimizer; activations, logits, buffers\n");
	for (size_t i = 0; i < step_file_count; i++)
		print_file(out, top, step_files[i].name);
	print_file(out, top, "mlperf_steps.tsv");
}
