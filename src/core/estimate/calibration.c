#include "core/estimate/calibration.h"

#include <math.h>

#include "core/base/text.h"
#include "core/plan/field.h"

static double
seconds_at(struct plan *p, double efficiency, calibration_seconds *seconds, void *context)
{
	char err[640];

	field_put_real(FIELD_COMPUTE_EFFICIENCY, p, efficiency, err, sizeof err);
	return seconds(p, context);
}

double
calibration_efficiency(const struct plan *plain, double low, double high, double measured,
    calibration_seconds *seconds, void *context)
{
	struct plan p = *plain;
	char digits[32];
	double text;

	if (!(seconds_at(&p, low, seconds, context) >= measured &&
	    seconds_at(&p, high, seconds, context) <= measured))
		return NAN;
	for (int i = 0; i < 60; i++) {
		const double middle = sqrt(low * high);

		if (seconds_at(&p, middle, seconds, context) >= measured)
			low = middle;
		else
			high = middle;
	}
	/* four digits are more than a log is worth, and stay readable in the plan */
	text_put(digits, sizeof digits, "%.4g", low);
	return text_to_real(digits, &text) ? text : low;
}
