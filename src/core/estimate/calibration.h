/*
 * calibration.h - the factor that makes an estimated step agree with a measured one.
 */
#ifndef CORE_CALIBRATION_H
#define CORE_CALIBRATION_H
#include "core/plan/plan.h"

/* Estimated seconds of a plan (of a step, or of a generated token), 0 where it has none.
 * context: the caller's. */
typedef double calibration_seconds(const struct plan *p, void *context);

/*
 * calibration.compute_efficiency from low to high, with four digits, at which the estimate
 * takes the measured seconds; NAN where no efficiency does it. Found by halving, not by a
 * formula: what overlaps with compute moves with it. Calls seconds() about 60 times.
 */
double calibration_efficiency(const struct plan *plain, double low, double high,
    double measured, calibration_seconds *seconds, void *context);
#endif
