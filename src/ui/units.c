#include "ui/units.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

enum { GIB = 3 }; /* 1024 to the power of it */

/* Three significant digits, but never less than the units. */
static int
decimals(double v)
{
	v = fabs(v);
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

static void
scaled(double v, double step, const char *const unit[], int units, char *buf, size_t size)
{
	int i = 0;

	/* What would be rounded up to a thousand goes on in the next unit. */
	while (i < units - 1 && fabs(v) >= 999.5) {
		v /= step;
		i++;
	}
	text_put(buf, size, "%.*f%s", i == 0 ? 0 : decimals(v), v, unit[i]);
}

void
units_memory(double bytes, char *buf, size_t size)
{
	static const char *const unit[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB" };
	int i = 0;

	while (i < 5 && fabs(bytes) >= 1000) {
		bytes /= 1024;
		i++;
	}
	if (i >= GIB && decimals(bytes) == 0) /* of 141.2 GiB the last digit counts */
		text_put(buf, size, "%.1f%s", bytes, unit[i]);
	else
		text_put(buf, size, "%.*f%s", i == 0 ? 0 : decimals(bytes), bytes, unit[i]);
}

void
units_wire(double bytes, char *buf, size_t size)
{
	static const char *const unit[] = { " B", " kB", " MB", " GB", " TB", " PB" };

	scaled(bytes, 1000, unit, 6, buf, size);
}

void
units_seconds(double seconds, char *buf, size_t size)
{
	if (seconds <= 0)
		text_put(buf, size, "0 s");
	else if (seconds < 0.9995e-3)
		text_put(buf, size, "%.*f us", decimals(seconds * 1e6), seconds * 1e6);
	else if (seconds < 0.9995)
		text_put(buf, size, "%.*f ms", decimals(seconds * 1e3), seconds * 1e3);
	else
		text_put(buf, size, "%.*f s", decimals(seconds), seconds);
}

void
units_count(double n, char *buf, size_t size)
{
	static const char *const unit[] = { "", "k", "M", "G", "T", "P" };

	if (fabs(n) < 9.995)
		text_put(buf, size, n == floor(n) ? "%.0f" : "%.2f", n);
	else
		scaled(n, 1000, unit, 6, buf, size);
}

void
units_flops(double n, char *buf, size_t size)
{
	static const char *const unit[] = {
		" FLOP", " kFLOP", " MFLOP", " GFLOP", " TFLOP", " PFLOP", " EFLOP", " ZFLOP"
	};

	scaled(n, 1000, unit, 8, buf, size);
}

void
units_share(double share, char *buf, size_t size)
{
	text_put(buf, size, "%.1f %%", share * 100);
}

void
units_change(const char *was, const char *is, char *buf, size_t size)
{
	const char *unit = strchr(was, ' '), *other = strchr(is, ' ');

	if (unit != NULL && other != NULL && text_equal(unit, other))
		text_put(buf, size, "%.*s -> %s", (int)(unit - was), was, is);
	else
		text_put(buf, size, "%s -> %s", was, is);
}
