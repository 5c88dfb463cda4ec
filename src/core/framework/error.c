#include "core/framework/error.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/plan/format.h"

enum { ANY = -1 };

static const struct step_error {
	int generation, fused, experts, narrow, rows;
	double percent;
} step_errors[] = {
#define STEP_ERROR(generation, fused, experts, narrow, rows, percent) \
	{ (generation), (fused), (experts), (narrow), (rows), (percent) },
#define SERVING_ERROR(engine, rows, tpot, ttft)
#include "core/framework/error.def"
};

static const struct serving_error {
	int engine, rows;
	double tpot, ttft; /* percent */
} serving_errors[] = {
#undef STEP_ERROR
#undef SERVING_ERROR
#define STEP_ERROR(generation, fused, experts, narrow, rows, percent)
#define SERVING_ERROR(engine, rows, tpot, ttft) { (engine), (rows), (tpot), (ttft) },
#include "core/framework/error.def"
};

static bool
is_of(int kind, int64_t value)
{
	return kind == ANY || kind == value;
}

/* The last row of a table is of any kind. */
static double
error_on(const struct plan *p, int64_t generation)
{
	const struct step_error *e = step_errors;

	while (!is_of(e->generation, generation) ||
	    !is_of(e->fused, framework_of(p)->transformer_engine) || !is_of(e->experts, plan_has_experts(p)) || !is_of(e->narrow, format_of(p).quantised))
		e++;
	return e->percent / 100;
}

/* Of several types the one that is known worst. */
double
error_of_step(const struct plan *p)
{
	double most = error_on(p, p->cluster.generation);

	for (int k = 0; k < p->others; k++)
		most = larger(most, error_on(p, p->other[k].generation));
	return most;
}

static const struct serving_error *
serving_error(const struct plan *p)
{
	const struct serving_error *e = serving_errors;

	while (!is_of(e->engine, p->serving.engine))
		e++;
	return e;
}

double
error_of_tpot(const struct plan *p)
{
	return serving_error(p)->tpot / 100;
}

double
error_of_ttft(const struct plan *p)
{
	return serving_error(p)->ttft / 100;
}
