/* kept.h - bytes that some layers keep, as they are worked out. */
#ifndef TESTS_KEPT_H
#define TESTS_KEPT_H
#include "core/model/activation.h"

static inline double
kept_by(const struct activation *c, const struct layer_kinds *layers)
{
	const struct share held = { .kept = *layers };
	double sum = 0;

	activation_add(c, &held, NULL, &sum);
	return sum;
}
#endif
