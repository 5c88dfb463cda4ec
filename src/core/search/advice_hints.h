/*
 * advice_hints.h - what a plan that runs could do better: hints, each proved by a change.
 *
 * A hint names what is poor with its number, and is given only where one changed field, the
 * rest as it is, gains more than the noise: made and estimated, not guessed.
 */
#ifndef CORE_ADVICE_HINTS_H
#define CORE_ADVICE_HINTS_H
#include "core/estimate/estimate.h"
#include "core/plan/catalog.h"
#include "core/plan/diag.h"
#include "core/plan/plan.h"

/*
 * The noise. Estimates of two plans of one model, software and machine, one held against a
 * measured run of the other, are off by 4 % in the median (steptime.h): what gains less may
 * be nothing. Memory: a twentieth of what the GPU has. Serving: estimates of half of the measured
 * engines are off by 6.5 % of a token's time and 16 % of that to the first one (`make accuracy`),
 * the difference of two by 1.4 times as much. Another number of requests at once is worth a word
 * where it makes half as many tokens more.
 */
#define HINT_GAIN_LEAST 0.05
#define HINT_MEMORY_LEAST 0.05
#define HINT_SERVE_LEAST 0.1
#define HINT_FIRST_LEAST 0.25
#define HINT_TOKENS_LEAST 0.5

enum { HINTS_MOST = 3 };

/*
 * Add the hints of a plan that is legal and fits to diags, time before all else and the largest
 * gain first, at most HINTS_MOST. e: its estimate; work: scratch, as large. Bounded: about 15
 * fields with at most 4 values on each side, below 150 plans.
 */
void advice_hints(const struct plan *p, const struct catalog *catalog, const struct estimate *e,
    struct estimate *work, struct diag_list *diags);
#endif
