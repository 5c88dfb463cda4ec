/*
 * fuzz_run.c - any bytes as what a run left behind, and what they make of it diagnosed. Nothing
 * but an answer may come of them: numbers that are none, terms without end, causes past their room.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose/diagnose.h"
#include "core/framework/resolve.h"
#include "file/log/run.h"
#include "fuzz.h"

static void
check(const struct diagnosis *d)
{
	if (d->causes > DIAGNOSE_CAUSES || d->terms > MEASURED_COUNT)
		abort();
	for (size_t i = 0; i < d->terms; i++)
		if (!isfinite(d->term[i].measured) || !(d->term[i].measured > 0))
			abort();
	for (size_t i = 0; i < d->causes; i++)
		if (!isfinite(d->cause[i].explains) || d->cause[i].sets > DIAGNOSE_SETS)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct catalog none;
	static struct measured run;
	static struct diagnosis found;
	static struct estimate work;
	static struct file_errors errors;
	char *text = malloc(size + 1);
	struct plan plan;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&run, 0, sizeof run);
	memset(&errors, 0, sizeof errors);
	plan_builtin(&plan);
	plan.cluster.bf16_tflops = 989;
	plan.cluster.hbm_gbps = 3350;
	plan.cluster.memory_gib = 79;
	plan_resolve(&plan, NULL);
	if (run_read_text(&run, "run", text, size, &errors))
		diagnose_run(&found, &run, &plan, &none, &work);
	else if (errors.count == 0)
		abort();
	if (errors.count == 0)
		check(&found);
	free(text);
	return 0;
}
