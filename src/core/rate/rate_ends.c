#include "core/rate/rate_ends.h"

#include <stdbool.h>

static bool
is_sooner(const struct rate_end *a, const struct rate_end *b)
{
	return a->step < b->step || (!(b->step < a->step) && a->request < b->request);
}

static void
sift_up(struct rate_end *end, int i)
{
	const struct rate_end moved = end[i];

	for (; i > 0 && is_sooner(&moved, &end[(i - 1) / 2]); i = (i - 1) / 2)
		end[i] = end[(i - 1) / 2];
	end[i] = moved;
}

static void
sift_down(struct rate_end *end, int n, int i)
{
	const struct rate_end moved = end[i];

	for (int child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_sooner(&end[child + 1], &end[child]))
			child++;
		if (!is_sooner(&end[child], &moved))
			break;
		end[i] = end[child];
	}
	end[i] = moved;
}

void
rate_ends_push(struct rate_end *end, int *count, double step, int32_t request)
{
	end[*count] = (struct rate_end){ step, request };
	sift_up(end, (*count)++);
}

void
rate_ends_remove(struct rate_end *end, int *count, int i)
{
	end[i] = end[--*count];
	if (i == *count)
		return;
	sift_down(end, *count, i);
	sift_up(end, i);
}
