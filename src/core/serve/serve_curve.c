#include "core/serve/serve_curve.h"

#include "core/base/number.h"
#include "core/serve/serve_open.h"

static const double loads[] = { .1, .2, .3, .4, .5, .6, .7, .8, .9, .95 };
enum { LOADS = sizeof loads / sizeof *loads, TIMES = 4 };
static const double APART = .01; /* less reads as one rate twice */

/* ---- requests at once --------------------------------------------------------------------- */

static struct serve_point
point_of(const struct serve *s, int64_t concurrency)
{
	return (struct serve_point){ .concurrency = concurrency, .ttft_seconds = s->ttft_seconds,
		.tpot_seconds = s->tpot_seconds,
		.tokens_per_second_per_gpu = s->tokens_per_second_per_gpu,
		.tokens_per_second_per_user = s->tokens_per_second_per_user };
}

static size_t
closed_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p,
    const struct layout *l, const struct placement *pl, const struct serve *s)
{
	const int64_t asked = p->serving.concurrency;
	const double slots = s->slots * at_least_one(p->serving.replicas);
	struct plan q = *p;
	int64_t n = 1;
	size_t count = 0;

	/* one place is kept for what is asked */
	for (; count < SERVE_CURVE_MAX - 1 && (double)n < 2 * slots; n *= 2) {
		const int64_t last = count > 0 ? point[count - 1].concurrency : 0;
		struct serve at;

		if (asked > last && asked < n)
			point[count++] = point_of(s, asked);
		q.serving.concurrency = n;
		at = serve_estimate(&q, l, pl, NULL, NULL);
		point[count++] = point_of(&at, n);
	}
	if (count == 0 || asked > point[count - 1].concurrency)
		point[count++] = point_of(s, asked);
	for (size_t i = 0; i < count; i++)
		point[i].is_plan = point[i].concurrency == asked;
	return count;
}

/* ---- at a rate ---------------------------------------------------------------------------- */

/* In order, each once, a part of itself away from others. */
static void
put_rate(struct serve_point *point, size_t *count, double rate, double away)
{
	size_t i = *count;

	if (!(rate > 0))
		return;
	for (size_t k = 0; k < *count; k++)
		if (point[k].rate >= rate * (1 - away) && point[k].rate <= rate * (1 + away))
			return;
	for (; i > 0 && point[i - 1].rate > rate; i--)
		point[i] = point[i - 1];
	point[i] = (struct serve_point){ .rate = rate };
	++*count;
}

static void
fill_point(struct serve_point *at, const struct plan *p, const struct serve *s,
    struct rate_room *room)
{
	struct serve_rate r = s->rate;
	struct plan q = *p;
	const double n = (double)p->serving.generate_tokens;

	q.traffic.rate = at->rate;
	at->load = r.saturation > 0 ? at->rate / r.saturation : 0;
	at->tokens_per_second_per_gpu = smaller(at->rate, r.saturation) * n / (double)plan_world(p);
	if (!serve_has_times(&r, p, at->rate))
		return;
	r.followed = true;
	serve_percentiles(&r, &q, room, NULL);
	if (!r.followed)
		return;
	at->ttft_seconds = r.ttft.p50;
	at->tpot_seconds = r.tpot.p50;
	at->ttft_within = r.ttft.asked;
	at->tpot_within = r.tpot.asked;
	at->in_flight = r.in_flight;
	at->tokens_per_second_per_user = 1 / r.tpot.p50;
}

/* Times rise with the rate. Where the few hundred requests of a point say otherwise it is by chance: the points
 * around the plan's own and the one inside the limits make way for these. */
static void
keep_rising(double *const at[], size_t count, size_t own, size_t inside)
{
	const size_t low = own < inside ? own : inside, high = own < inside ? inside : own;

	if (*at[high] < *at[low])
		*at[inside] = *at[own];
	for (size_t i = high + 1; i < count; i++)
		*at[i] = larger(*at[i], *at[i - 1]);
	for (size_t i = low; i-- > 0;)
		*at[i] = smaller(*at[i], *at[i + 1]);
	for (size_t i = low + 1; i < high; i++)
		*at[i] = smaller(larger(*at[i], *at[i - 1]), *at[high]);
}

static void
smooth(struct serve_point *point, size_t points)
{
	double *at[TIMES][SERVE_CURVE_MAX];
	size_t count = 0, own = SERVE_CURVE_MAX, inside = SERVE_CURVE_MAX;

	for (size_t i = 0; i < points; i++) {
		double *const times[TIMES] = { &point[i].ttft_seconds, &point[i].tpot_seconds,
			&point[i].ttft_within, &point[i].tpot_within };

		if (!(point[i].ttft_seconds > 0))
			continue; /* beyond what the engines take */
		own = point[i].is_plan ? count : own;
		inside = point[i].is_inside ? count : inside;
		for (int k = 0; k < TIMES; k++)
			at[k][count] = times[k];
		count++;
	}
	own = own < count ? own : inside < count ? inside : 0;
	inside = inside < count ? inside : own;
	for (int k = 0; k < TIMES && count > 0; k++)
		keep_rising(at[k], count, own, inside);
}

static size_t
open_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p, const struct serve *s,
    struct rate_room *room)
{
	size_t count = 0;

	put_rate(point, &count, p->traffic.rate, 0);
	if (s->rate.limited)
		put_rate(point, &count, s->rate.inside, 0);
	for (int i = 0; i < LOADS; i++)
		put_rate(point, &count, loads[i] * s->rate.saturation, APART);
	for (size_t i = 0; i < count; i++) {
		point[i].is_plan = point[i].rate >= p->traffic.rate && point[i].rate <= p->traffic.rate;
		point[i].is_inside = s->rate.limited && point[i].rate >= s->rate.inside &&
		    point[i].rate <= s->rate.inside;
		fill_point(&point[i], p, s, room);
	}
	smooth(point, count);
	return count;
}

size_t
serve_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p,
    const struct layout *l, const struct placement *pl, const struct serve *s,
    struct rate_room *room)
{
	return s->rate.known ? open_curve(point, p, s, room) : closed_curve(point, p, l, pl, s);
}
