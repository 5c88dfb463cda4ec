/*
 * accuracy_error.c - how far estimates of each kind of plan are off.
 */
#include "accuracy_error.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_latency.h"
#include "accuracy_step.h"
#include "accuracy_step_row.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/plan/format.h"

enum { RUNS_MAX = 1024, RUNS_LEAST = 5, ANY = -1 };

struct run {
	int generation, fused, experts, narrow;
	bool afterwards; /* looked up when everything was chosen */
	double error;
};

struct runs {
	size_t count;
	struct run run[RUNS_MAX];
	double errors[RUNS_MAX];
};

static void
read_runs(struct runs *r, const char *top, const char *file, bool afterwards)
{
	static struct table t;
	const char *why;
	struct plan p;
	FILE *in = table_open(&t, top, file);

	while (in != NULL && r->count < RUNS_MAX && table_next(&t, in)) {
		const double guess = accuracy_step_row(&t, &p, &why);

		if (guess > 0)
			r->run[r->count++] = (struct run){ (int)p.cluster.generation,
				framework_of(&p)->transformer_engine, plan_has_experts(&p),
				format_of(&p).quantised, afterwards,
				fabs(guess / accuracy_step_measured(&p, &t) - 1) };
	}
	if (in != NULL)
		fclose(in);
}

static bool
is_of(int kind, int value)
{
	return kind == ANY || kind == value;
}

/* Those of a kind; its own error, and whether it was looked up afterwards, are not asked. */
static size_t
collect(struct runs *r, const struct run *kind, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct run *run = &r->run[i];

		if (is_of(kind->generation, run->generation) && is_of(kind->fused, run->fused) &&
		    is_of(kind->experts, run->experts) && is_of(kind->narrow, run->narrow) &&
		    (all || run->afterwards))
			r->errors[n++] = run->error;
	}
	return n;
}

static const char *
truth(int kind)
{
	return kind == ANY ? "ANY" : kind ? "true" : "false";
}

static void
print_kind(FILE *out, struct runs *r, const struct run *kind)
{
	size_t n = collect(r, kind, false);
	struct plan p;
	char name[32] = "ANY";

	if (n < RUNS_LEAST)
		n = collect(r, kind, true);
	if (n < RUNS_LEAST)
		return;
	qsort(r->errors, n, sizeof *r->errors, ascending);
	if (kind->generation != ANY) {
		plan_defaults(&p);
		p.cluster.generation = kind->generation;
		text_put(name, sizeof name, "GENERATION_");
		field_format(FIELD_GENERATION, &p, name + strlen(name), sizeof name - strlen(name));
		for (char *c = name; *c != '\0'; c++)
			*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	}
	fprintf(out, "STEP_ERROR(%s, %s, %s, %s, %zu, %.0f)\n", name, truth(kind->fused),
	    truth(kind->experts), truth(kind->narrow), n,
	    100 * r->errors[(size_t)ceil(0.9 * (double)n) - 1]);
}

static void
print_steps(FILE *out, const char *top)
{
	static struct runs r;

	r.count = 0;
	for (size_t i = 0; i < step_file_count; i++)
		read_runs(&r, top, step_files[i].name, step_files[i].afterwards);
	for (int g = 0; g <= GENERATION_TPU_V6; g++) {
		for (int fused = 1; fused >= ANY; fused--)
			for (int kind = 0; kind < 4; kind++)
				print_kind(out, &r, &(struct run){ g, fused, kind / 2, kind % 2, false, 0 });
		print_kind(out, &r, &(struct run){ g, ANY, ANY, ANY, false, 0 });
	}
	print_kind(out, &r, &(struct run){ ANY, ANY, ANY, ANY, false, 0 });
}

static void
print_engine(FILE *out, const struct latency_errors *g, const char *name)
{
	fprintf(out, "SERVING_ERROR(%s, %d, %.0f, %.0f)\n", name, g->count[LATENCY_TPOT],
	    100 * accuracy_latency_at(g, LATENCY_TPOT, 0.9),
	    100 * accuracy_latency_at(g, LATENCY_TTFT, 0.9));
}

static void
print_engines(FILE *out, const char *top)
{
	static const struct {
		const char *group, *name;
	} engines[] = {
		{ "vllm", "ENGINE_VLLM" }, { "sglang", "ENGINE_SGLANG" }, { "trtllm", "ENGINE_TRTLLM" },
		{ "all", "ANY" },
	};
	static struct latency_errors groups[LATENCY_GROUPS_MAX];
	const int count = accuracy_latency_measure(groups, top, NULL);

	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		for (int g = 0; g < count; g++)
			if (strcmp(groups[g].name, engines[i].group) == 0 &&
			    groups[g].count[LATENCY_TTFT] > 0)
				print_engine(out, &groups[g], engines[i].name);
}

void
accuracy_error(FILE *out, const char *top)
{
	print_steps(out, top);
	print_engines(out, top);
}
