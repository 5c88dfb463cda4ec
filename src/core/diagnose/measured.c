#include "core/diagnose/measured.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

/* Steps that warm up: kernels are chosen, caches and pools fill. */
enum { WARM_STEPS = 3, DRIFT_LEAST = 40, PERIOD_LEAST = 3 };

#define PEAK_OVER_MEDIAN 1.5

/* ---- series ---------------------------------------------------------------------- */

/* Keep every second one of those that were kept. */
static void
thin(struct series *s)
{
	for (size_t i = 0; i < s->kept / 2; i++)
		s->sample[i] = s->sample[2 * i + 1];
	s->kept /= 2;
	s->warm /= 2;
	s->stride *= 2;
}

static void
keep_peak(struct series *s, int64_t step, double value)
{
	size_t least = 0;

	if (s->peaks < SERIES_PEAKS) {
		s->peak[s->peaks++] = (struct series_peak){ step, value };
		return;
	}
	for (size_t i = 1; i < s->peaks; i++)
		if (s->peak[i].value < s->peak[least].value)
			least = i;
	if (value > s->peak[least].value)
		s->peak[least] = (struct series_peak){ step, value };
}

/* Every rank may print a line of the first step. */
static bool
is_first(const struct series *s, int64_t step)
{
	return s->count == 0 || (step >= 0 && step == s->first_step);
}

void
series_add(struct series *s, int64_t step, double value, struct place place)
{
	if (!(value > 0) || !(value < 1e300))
		return;
	if (is_first(s, step)) {
		s->first = value;
		s->first_step = step;
		if (s->count++ == 0) {
			s->stride = 1;
			s->place = place;
		}
		s->last_step = step;
		return;
	}
	s->last_step = step;
	if (s->kept == SERIES_KEPT)
		thin(s);
	if (s->count++ % s->stride == 0) {
		s->warm += step >= 0 && step < s->first_step + WARM_STEPS && s->kept == s->warm;
		s->sample[s->kept++] = value;
	}
	if (step < 0 || step >= s->first_step + WARM_STEPS)
		keep_peak(s, step, value);
}

void
series_scale(struct series *s, double by)
{
	s->first *= by;
	for (size_t i = 0; i < s->kept; i++)
		s->sample[i] *= by;
	for (size_t i = 0; i < s->peaks; i++)
		s->peak[i].value *= by;
}

void
measured_add(struct measured *m, enum measured_id id, int64_t step, double value,
    struct place place)
{
	series_add(&m->series[id], step, value, place);
}

/* Sort in place; samples are few. */
static void
sort(double *v, size_t n)
{
	for (size_t gap = n / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < n; i++) {
			const double x = v[i];
			size_t k = i;

			for (; k >= gap && v[k - gap] > x; k -= gap)
				v[k] = v[k - gap];
			v[k] = x;
		}
}

/* The value below which so large a share of sorted ones lies. */
static double
quantile(const double *v, size_t n, double share)
{
	const double at = share * (double)(n - 1);
	const size_t i = (size_t)at;

	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
}

/* The steady samples, without the first steps where as many others remain. */
static size_t
steady_samples(const struct series *s, double *out)
{
	const size_t skip = s->kept >= 2 * s->warm ? s->warm : 0;
	const size_t n = s->kept - skip;

	memcpy(out, s->sample + skip, n * sizeof *out);
	return n;
}

struct steady
series_steady(const struct series *s)
{
	double v[SERIES_KEPT];
	const size_t n = steady_samples(s, v);

	if (s->count == 0)
		return (struct steady){ 0 };
	if (n == 0)
		return (struct steady){ 1, true, s->first, s->first, s->first };
	sort(v, n);
	return (struct steady){ n * s->stride, false, quantile(v, n, .5), quantile(v, n, .25),
		quantile(v, n, .75) };
}

struct steady
measured_steady(const struct measured *m, enum measured_id id)
{
	return series_steady(&m->series[id]);
}

int64_t
series_period(const struct series *s, double *mean)
{
	const double least = PEAK_OVER_MEDIAN * series_steady(s).median;
	double step[SERIES_PEAKS], sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->peaks; i++)
		if (s->peak[i].value > least && s->peak[i].step >= 0) {
			step[n++] = (double)s->peak[i].step;
			sum += s->peak[i].value;
		}
	if (n < PERIOD_LEAST)
		return 0;
	*mean = sum / (double)n;
	sort(step, n);
	for (size_t i = 2; i < n; i++)
		if (fabs((step[i] - step[i - 1]) - (step[1] - step[0])) > 1)
			return 0;
	return (int64_t)(step[1] - step[0]);
}

double
series_drift(const struct series *s)
{
	double v[SERIES_KEPT];
	const size_t n = steady_samples(s, v), quarter = n / 4;
	double early;

	if (n < DRIFT_LEAST)
		return 1;
	sort(v, quarter);
	sort(v + n - quarter, quarter);
	early = quantile(v, quarter, .5);
	return quantile(v + n - quarter, quarter, .5) / early;
}

/* ---- facts and words --------------------------------------------------------------- */

static void
cut_text(char *to, size_t size, const char *from)
{
	text_put(to, size, "%s", from);
	for (char *c = to; (c = strchr(c, '\t')) != NULL; c++) /* between columns */
		*c = ' ';
}

void
measured_fact(struct measured *m, int id, const char *text, double number, struct place place)
{
	struct fact *f = (struct fact *)measured_find(m, id);

	if (f == NULL && m->facts < MEASURED_FACTS)
		f = &m->fact[m->facts++];
	else
		return;
	*f = (struct fact){ .id = id, .number = number, .place = place };
	cut_text(f->text, sizeof f->text, text);
}

const struct fact *
measured_find(const struct measured *m, int id)
{
	for (size_t i = 0; i < m->facts; i++)
		if (m->fact[i].id == id)
			return &m->fact[i];
	return NULL;
}

void
measured_say(struct measured *m, enum evidence_id id, const char *text, double number,
    struct place place)
{
	struct evidence *e = &m->evidence[id];

	if (e->count++ == 0) {
		e->place = place;
		cut_text(e->text, sizeof e->text, text);
	}
	if (number > e->most)
		e->most = number;
}

static void
keep_most(double *kept, double v)
{
	if (v > *kept)
		*kept = v;
}

void
measured_memory(struct measured *m, const struct measured_memory *peak)
{
	struct measured_memory *known = NULL;

	if (!(peak->allocated > 0) && !(peak->reserved > 0) && !(peak->used > 0))
		return;
	for (size_t i = 0; i < m->memories && known == NULL; i++)
		if (m->memory[i].rank == peak->rank && m->memory[i].stage == peak->stage)
			known = &m->memory[i];
	if (known == NULL) {
		if (m->memories < MEASURED_MEMORIES)
			m->memory[m->memories++] = *peak;
		return;
	}
	keep_most(&known->allocated, peak->allocated);
	keep_most(&known->reserved, peak->reserved);
	keep_most(&known->used, peak->used);
	if (peak->iterations > known->iterations)
		known->iterations = peak->iterations;
}

/* ---- names -------------------------------------------------------------------------- */

const char *
measured_path(enum measured_id id)
{
	static const char *const path[] = {
#define MEASURED(id, path, label, measure, error, result) path,
#include "core/diagnose/measured.def"
	};

	return path[id];
}

const char *
measured_label(enum measured_id id)
{
	static const char *const label[] = {
#define MEASURED(id, path, label, measure, error, result) label,
#include "core/diagnose/measured.def"
	};

	return label[id];
}

enum measure
measured_measure(enum measured_id id)
{
	static const enum measure measure[] = {
#define MEASURED(id, path, label, m, error, result) MEASURE_##m,
#include "core/diagnose/measured.def"
	};

	return measure[id];
}

const char *
evidence_tells(enum evidence_id id)
{
	static const char *const tells[] = {
		"",
#define EVIDENCE(id, tells) tells,
#include "core/diagnose/evidence.def"
	};

	return tells[id];
}

const struct evidence_words evidence_words[] = {
#define SAYS(id, words) { EVIDENCE_##id, words },
#include "core/diagnose/evidence.def"
};
const size_t evidence_words_count = sizeof evidence_words / sizeof *evidence_words;
