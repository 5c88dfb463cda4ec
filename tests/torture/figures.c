#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "figures.h"

bool
flaws_have(const struct flaws *flaws, const char *flaw)
{
	for (int i = 0; i < flaws->count; i++)
		if (strcmp(flaws->flaw[i], flaw) == 0)
			return true;
	return false;
}

void
flaws_add(struct flaws *flaws, const char *path, const char *what)
{
	char flaw[FLAW_SIZE];

	text_put(flaw, sizeof flaw, "%s %s", path, what);
	if (flaws->count < FLAWS_MOST && !flaws_have(flaws, flaw))
		memcpy(flaws->flaw[flaws->count++], flaw, sizeof flaw);
}

/* A report, the plan that it is of, and what was found. */
struct look {
	const json_t *report;
	const struct plan *plan;
	bool legal;
	struct flaws *flaws;
};

static void
flawed(struct look *l, const char *path, const char *what)
{
	flaws_add(l->flaws, path, what);
}

/* A number by its path, "peak.total"; 0 where it is null or not there. */
static double
number(const json_t *from, const char *path)
{
	char key[64];

	for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1) {
		text_put(key, sizeof key, "%.*s", (int)(dot - path), path);
		from = json_object_get(from, key);
	}
	return json_number_value(json_object_get(from, path));
}

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 16; /* bytes are rounded one by one */
}

static bool
near_real(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

/* ---- each number by itself ---------------------------------------------------------- */

static bool
ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool
is_one_of(const char *path, const char *const names[])
{
	for (; *names != NULL; names++)
		if (strcmp(path, *names) == 0)
			return true;
	return false;
}

static bool
knows_rates(const struct plan *p)
{
	return p->cluster.hbm_gbps > 0 && p->cluster.bf16_tflops > 0;
}

/* Sizes that a plan need not have; of an illegal one nothing need be known. Whether it fits
 * is not known without a memory; tokens that take none are without limit. */
static bool
may_be_null(const struct look *l, const char *path)
{
	static const char *const unlimited[] = { "serving.kv_tokens", "serving.kv_blocks",
		"serving.max_concurrency", NULL };

	if (!l->legal || strncmp(path, "parallel.", 9) == 0)
		return true;
	if (strcmp(path, "capacity") == 0 || strcmp(path, "fits") == 0)
		return !(l->plan->cluster.memory_gib > 0);
	if (strncmp(path, "step.", 5) == 0)
		return !knows_rates(l->plan);
	return is_one_of(path, unlimited) && !(number(l->report, "serving.kv_bytes_per_token") > 0);
}

static bool
is_bytes(const char *path)
{
	return strstr(path, ".memory.") != NULL || ends_with(path, "bytes") ||
	    strcmp(path, "capacity") == 0 || strcmp(path, "peak.total") == 0;
}

/* MFU can pass 1 where the plan says of its GPUs what no GPU does (faster than its rates,
 * slower in FP8 than in BF16), or drops tokens, whose work Megatron-LM counts all the same. */
static bool
may_pass_peak(const struct plan *p)
{
	return p->calibration.compute_efficiency > 1 ||
	    (p->training.precision == PRECISION_FP8 && p->cluster.fp8_tflops > 0 &&
	    p->cluster.fp8_tflops < p->cluster.bf16_tflops) ||
	    (p->training.moe_capacity_factor > 0 && p->training.moe_capacity_factor < 1);
}

static bool
is_share(const struct look *l, const char *path)
{
	if (ends_with(path, "_fraction"))
		return true;
	return !may_pass_peak(l->plan) &&
	    (strcmp(path, "step.mfu") == 0 || strcmp(path, "step.hfu") == 0);
}

static void
look_at_number(struct look *l, const char *path, const json_t *v)
{
	const double n = json_number_value(v);

	if (!isfinite(n))
		flawed(l, path, "is not finite");
	else if (n < 0)
		flawed(l, path, "is negative");
	else if (is_bytes(path) && json_is_real(v) && n < 9007199254740992.0)
		flawed(l, path, "is no whole number of bytes");
	else if (is_share(l, path) && n > 1 + 1e-9)
		flawed(l, path, "is above 1");
}

static void
look_at(struct look *l, const char *path, const json_t *v)
{
	char below[128];
	const char *key;
	json_t *part;
	size_t i;

	if (json_is_number(v)) {
		look_at_number(l, path, v);
	} else if (json_is_null(v) && !may_be_null(l, path)) {
		flawed(l, path, "is null");
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, part)
			look_at(l, path, part);
	} else if (json_is_object(v)) {
		json_object_foreach((json_t *)(uintptr_t)v, key, part) {
			text_put(below, sizeof below, "%s%s%s", path, *path != '\0' ? "." : "", key);
			look_at(l, below, part);
		}
	}
}

/* ---- numbers that belong together --------------------------------------------------- */

static void
look_at_memory(struct look *l, const json_t *m)
{
	static const char *const parts[] = { "parameters", "gradients", "optimizer", "activations",
		"logits", "kv_cache", "buffers", NULL };
	const double total = number(m, "total"), allocated = number(m, "allocated");
	double sum = 0;

	for (int i = 0; parts[i] != NULL; i++)
		sum += number(m, parts[i]);
	if (!near(sum, allocated))
		flawed(l, "stages.memory.allocated", "is not the sum of its parts");
	if (!near(allocated + number(m, "overhead"), total))
		flawed(l, "stages.memory.total", "is not allocated + overhead");
	if (number(m, "overhead") < number(m, "overhead_low") ||
	    number(m, "overhead") > number(m, "overhead_high"))
		flawed(l, "stages.memory.overhead", "is outside its range");
}

static void
look_at_peak(struct look *l)
{
	const json_t *stages = json_object_get(l->report, "stages"), *stage;
	const double peak = number(l->report, "peak.total");
	const bool fits = json_is_true(json_object_get(l->report, "fits")),
		   tight = json_is_true(json_object_get(l->report, "tight")),
		   room = number(l->report, "peak.low") <= number(l->report, "capacity"),
		   certain = number(l->report, "peak.high") <= number(l->report, "capacity");
	const json_t *serving = json_object_get(l->report, "serving");
	double most = 0;
	size_t i;

	json_array_foreach(stages, i, stage) {
		look_at_memory(l, json_object_get(stage, "memory"));
		most = fmax(most, number(stage, "memory.total"));
	}
	if (!l->legal)
		return;
	if (!near(peak, most))
		flawed(l, "peak.total", "is not that of the fullest stage");
	if (peak < number(l->report, "peak.low") || peak > number(l->report, "peak.high"))
		flawed(l, "peak.total", "is outside its range");
	if (fits && !room)
		flawed(l, "fits", "is true of a peak above the capacity");
	if (tight != (fits && !certain))
		flawed(l, "tight", "is not whether the capacity lies in the range");
	if (room && !fits && (serving == NULL || json_is_true(json_object_get(serving, "fits"))))
		flawed(l, "fits", "is false of a peak within the capacity");
}

static void
look_at_step(struct look *l)
{
	const json_t *step = json_object_get(l->report, "step"), *row;
	const struct training *t = &l->plan->training;
	const double seconds = number(step, "seconds");
	const double parts = number(step, "compute_seconds") + number(step, "recompute_seconds") +
	    number(step, "bubble_fraction") * seconds + number(step, "exposed_comm_seconds") +
	    number(step, "host_seconds") + number(step, "optimizer_seconds");
	const double tokens = (double)t->global_batch_size * (double)t->sequence_length;
	size_t i;

	/* 0: the plan does not say how fast its GPUs are. */
	if (step == NULL || (!(seconds > 0) && !knows_rates(l->plan)))
		return;
	if (!near_real(parts, seconds))
		flawed(l, "step.seconds", "is not the sum of its parts");
	if (!near_real(number(step, "tokens_per_second") * seconds, tokens))
		flawed(l, "step.tokens_per_second", "is not tokens over seconds");
	if (!near_real(number(step, "tokens_per_second_per_gpu") *
	    number(l->report, "parallel.world"), number(step, "tokens_per_second")))
		flawed(l, "step.tokens_per_second_per_gpu", "is not that of all over GPUs");
	if (number(step, "mfu") > number(step, "hfu") * (1 + 1e-6))
		flawed(l, "step.mfu", "is above hfu");
	json_array_foreach(json_object_get(l->report, "communication"), i, row)
		if (number(row, "exposed_seconds") > number(row, "seconds") * (1 + 1e-9))
			flawed(l, "communication.exposed_seconds", "is above seconds");
}

void
figures_look(const json_t *report, const struct plan *p, struct flaws *flaws)
{
	struct look l = { .report = report, .plan = p, .flaws = flaws,
		.legal = json_is_true(json_object_get(report, "legal")) };

	look_at(&l, "", report);
	look_at_peak(&l);
	look_at_step(&l);
	if (l.legal && number(report, "params.active") > number(report, "params.total"))
		flawed(&l, "params.active", "is above total");
}
