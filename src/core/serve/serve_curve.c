#include "core/serve/serve_curve.h"

#include "core/base/number.h"

static struct serve_point
point_of(const struct serve *s, int64_t concurrency)
{
	return (struct serve_point){ concurrency, s->ttft_seconds, s->tpot_seconds,
		s->tokens_per_second_per_gpu, s->tokens_per_second_per_user };
}

size_t
serve_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p,
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
	return count;
}
