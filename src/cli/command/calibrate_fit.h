/*
 * calibrate_fit.h - a log beside the estimates of its plan, printed, and what would make them agree.
 */
#ifndef CLI_CALIBRATE_FIT_H
#define CLI_CALIBRATE_FIT_H
#include "cli/base/run.h"
#include "core/estimate/estimate.h"
#include "file/log/log.h"

/* What the section will say; a value of NAN stays out. */
struct fit {
	double efficiency, bias_gib, tpot_scale, ttft_scale;
	double peak_gib; /* measured, of the stage that the bias is of; NAN for serving */
};

/* Print quantities of both and fill in *fit. plain: the plan as if nothing were measured, of which *e is the
 * estimate. False where printing failed, or memory ran out. */
bool fit_compare(const struct session *s, const struct plan *plain, const struct estimate *e,
    const struct log_report *log, struct fit *fit);
#endif
