#include "ui/format.h"

#include <math.h>

#include "core/text.h"

const char *
format_bytes(char *buf, size_t size, double bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB" };
	double v = bytes;
	size_t i = 0;

	if (fabs(bytes) < 1024) {
		text_put(buf, size, "%.0f B", bytes);
		return buf;
	}
	for (v /= 1024; fabs(v) >= 1024 && i + 1 < sizeof unit / sizeof unit[0]; i++)
		v /= 1024;
	text_put(buf, size, "%.2f %s", v, unit[i]);
	return buf;
}

const char *
format_count(char *buf, size_t size, double n)
{
	if (fabs(n) >= 999.5e6)
		text_put(buf, size, "%.4g billion", n / 1e9);
	else if (fabs(n) >= 999.5e3)
		text_put(buf, size, "%.4g million", n / 1e6);
	else
		text_put(buf, size, "%.0f", n);
	return buf;
}

const char *
format_seconds(char *buf, size_t size, double seconds)
{
	const double v = fabs(seconds);

	if (v >= 0.9995 || !(v > 0))
		text_put(buf, size, "%.*f s", v >= 99.95 ? 1 : v >= 9.995 ? 2 : 3, seconds);
	else if (v >= 0.9995e-3)
		text_put(buf, size, "%.3g ms", seconds * 1e3);
	else
		text_put(buf, size, "%.3g us", seconds * 1e6);
	return buf;
}

const char *
format_grouped(char *buf, size_t size, double n)
{
	char digits[64];
	size_t length = text_put(digits, sizeof digits, "%.0f", n);

	buf[0] = '\0';
	for (size_t i = 0; i < length; i++) {
		size_t left = length - i;

		text_add(buf, size, "%s%c", i > 0 && digits[i - 1] != '-' && left % 3 == 0 ? "," : "",
		    digits[i]);
	}
	return buf;
}
