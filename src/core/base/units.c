#include "core/base/units.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

enum { GIB = 3 }; /* 1024 to the power of it */
enum { PLACES_MOST = 15 };

/* Three significant digits, but never less than the units. */
static int
decimals(double v)
{
	v = fabs(v);
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

/* In the first unit that takes it below a thousand; these end with NULL. */
static void
put_scaled(char *buf, size_t size, const char *const unit[], double v)
{
	int i = 0;

	/* What would be rounded up to a thousand goes on in the next unit. */
	while (unit[i + 1] != NULL && fabs(v) >= 999.5) {
		v /= 1000;
		i++;
	}
	text_put(buf, size, "%.*f%s", i == 0 ? 0 : decimals(v), v, unit[i]);
}

static void
put_memory(char *buf, size_t size, double bytes)
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

static void
put_wire(char *buf, size_t size, double bytes)
{
	static const char *const unit[] = { " B", " kB", " MB", " GB", " TB", " PB", NULL };

	put_scaled(buf, size, unit, bytes);
}

static void
put_seconds(char *buf, size_t size, double seconds)
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

static void
put_days(char *buf, size_t size, double seconds)
{
	const double days = seconds / 86400;

	text_put(buf, size, "%.*f days", days < 99.95 ? 1 : 0, days);
}

static void
put_energy(char *buf, size_t size, double mwh)
{
	static const char *const unit[] = { " Wh", " kWh", " MWh", " GWh", " TWh", NULL };

	put_scaled(buf, size, unit, 1e6 * mwh);
}

static void
put_count(char *buf, size_t size, double n)
{
	static const char *const unit[] = { "", "k", "M", "G", "T", "P", NULL };

	if (fabs(n) < 9.995)
		text_put(buf, size, n == floor(n) ? "%.0f" : "%.2f", n);
	else
		put_scaled(buf, size, unit, n);
}

static const char *const flop_unit[] = {
	" FLOP", " kFLOP", " MFLOP", " GFLOP", " TFLOP", " PFLOP", " EFLOP", " ZFLOP", NULL
};

static void
put_flop(char *buf, size_t size, double n)
{
	put_scaled(buf, size, flop_unit, n);
}

const char *
units_short(char *buf, size_t size, enum measure m, double v)
{
	switch (m) {
	case MEASURE_ANSWER:
		text_put(buf, size, "%s", v > 0 ? "yes" : "no");
		break;
	case MEASURE_NUMBER:
	case MEASURE_PARAMS:
		text_put(buf, size, "%.0f", v);
		break;
	case MEASURE_COUNT:
	case MEASURE_REAL:
		put_count(buf, size, v);
		break;
	case MEASURE_BYTES:
		put_memory(buf, size, v);
		break;
	case MEASURE_WIRE:
		put_wire(buf, size, v);
		break;
	case MEASURE_SECONDS:
		put_seconds(buf, size, v);
		break;
	case MEASURE_DAYS:
		put_days(buf, size, v);
		break;
	case MEASURE_RUN_DAYS:
		put_days(buf, size, 86400 * v);
		break;
	case MEASURE_MONEY:
		put_count(buf, size, v);
		break;
	case MEASURE_MWH:
		put_energy(buf, size, v);
		break;
	case MEASURE_SHARE:
		text_put(buf, size, "%.1f %%", 100 * v);
		break;
	case MEASURE_FLOP:
		put_flop(buf, size, v);
		break;
	}
	return buf;
}

/* ---- with more digits ----------------------------------------------------------------- */

static void
exact_bytes(char *buf, size_t size, double bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB" };
	double v = bytes;
	size_t i = 0;

	if (fabs(bytes) < 1024) {
		text_put(buf, size, "%.0f B", bytes);
		return;
	}
	for (v /= 1024; fabs(v) >= 1024 && i + 1 < sizeof unit / sizeof unit[0]; i++)
		v /= 1024;
	text_put(buf, size, "%.2f %s", v, unit[i]);
}

/* "8,030,261,248" */
static void
exact_count(char *buf, size_t size, double n)
{
	char digits[64];
	const size_t length = text_put(digits, sizeof digits, "%.0f", n);

	buf[0] = '\0';
	for (size_t i = 0; i < length; i++)
		text_add(buf, size, "%s%c", i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0 ?
		    "," : "", digits[i]);
}

const char *
units_digits(char *buf, size_t size, int digits, double v)
{
	if (fabs(v) >= pow(10, digits) - .5)
		exact_count(buf, size, v);
	else if (fabs(v) < 1e-4 && fabs(v) > 0)
		text_put(buf, size, "%.*f", fabs(v) < 1e-12 ? PLACES_MOST : digits - 1 - (int)floor(log10(fabs(v))), v);
	else
		text_put(buf, size, "%.*g", digits, v);
	return buf;
}

static void
exact_params(char *buf, size_t size, double n)
{
	if (fabs(n) >= 999.5e6)
		text_put(buf, size, "%s billion", UNITS_DIGITS(4, n / 1e9));
	else if (fabs(n) >= 999.5e3)
		text_put(buf, size, "%s million", UNITS_DIGITS(4, n / 1e6));
	else
		text_put(buf, size, "%.0f", n);
}

static void
exact_flop(char *buf, size_t size, double n)
{
	int i = 0;

	for (; flop_unit[i + 1] != NULL && fabs(n) >= 999.9995; i++)
		n /= 1000;
	text_put(buf, size, "%s%s", UNITS_DIGITS(6, n), flop_unit[i]);
}

static void
exact_seconds(char *buf, size_t size, double seconds)
{
	const double v = fabs(seconds);

	if (v >= 0.9995 || !(v > 0))
		text_put(buf, size, "%.*f s", v >= 99.95 ? 1 : v >= 9.995 ? 2 : 3, seconds);
	else if (v >= 0.9995e-3)
		text_put(buf, size, "%.3g ms", seconds * 1e3);
	else
		text_put(buf, size, "%s us", UNITS_DIGITS(3, seconds * 1e6));
}

const char *
units_exact(char *buf, size_t size, enum measure m, double v)
{
	switch (m) {
	case MEASURE_COUNT:
		exact_count(buf, size, v);
		break;
	case MEASURE_REAL:
	case MEASURE_MONEY:
		if (fabs(v) >= 1e4)
			exact_count(buf, size, v);
		else
			units_digits(buf, size, 5, v);
		break;
	case MEASURE_PARAMS:
		exact_params(buf, size, v);
		break;
	case MEASURE_BYTES:
		exact_bytes(buf, size, v);
		break;
	case MEASURE_SECONDS:
	case MEASURE_DAYS:
		exact_seconds(buf, size, v);
		break;
	case MEASURE_FLOP:
		exact_flop(buf, size, v);
		break;
	case MEASURE_ANSWER:
	case MEASURE_NUMBER:
	case MEASURE_WIRE:
	case MEASURE_SHARE:
	case MEASURE_MWH:
	case MEASURE_RUN_DAYS:
		return units_short(buf, size, m, v);
	}
	return buf;
}

/* ---- changes -------------------------------------------------------------------------- */

const char *
units_change(char *buf, size_t size,
    const char *(*style)(char *, size_t, enum measure, double), enum measure m, double change)
{
	char amount[UNITS_SIZE];

	if (m == MEASURE_SHARE)
		text_put(buf, size, "%+.1f points", 100 * change);
	else
		text_put(buf, size, "%c%s", change < 0 ? '-' : '+',
		    style(amount, sizeof amount, m, fabs(change)));
	return buf;
}

void
units_from_to(const char *was, const char *is, char *buf, size_t size)
{
	const char *unit = strchr(was, ' '), *other = strchr(is, ' ');

	if (unit != NULL && other != NULL && text_equal(unit, other))
		text_put(buf, size, "%.*s -> %s", (int)(unit - was), was, is);
	else
		text_put(buf, size, "%s -> %s", was, is);
}

/* ---- units as they are typed ---------------------------------------------------------- */

/* A letter alone is the binary one of memory, as schedulers' options have it. */
static const struct unit {
	const char *name;
	enum quantity { NUMBER, TIME, MEMORY, LINK, COMPUTE, POWER, ENERGY, ARRIVALS, TOKENS, PARAMS } of;
	double size;
} unit_table[] = {
	{ "", NUMBER, 1 }, { "%", NUMBER, 0.01 }, { "k", NUMBER, 1e3 }, { "M", NUMBER, 1e6 },
	{ "us", TIME, 1e-6 }, { "ms", TIME, 1e-3 }, { "millisecond", TIME, 1e-3 }, { "milliseconds", TIME, 1e-3 },
	{ "s", TIME, 1 }, { "sec", TIME, 1 }, { "secs", TIME, 1 }, { "second", TIME, 1 }, { "seconds", TIME, 1 },
	{ "min", TIME, 60 }, { "minutes", TIME, 60 }, { "h", TIME, 3600 }, { "hr", TIME, 3600 }, { "hrs", TIME, 3600 },
	{ "hour", TIME, 3600 }, { "hours", TIME, 3600 }, { "d", TIME, 86400 }, { "day", TIME, 86400 },
	{ "days", TIME, 86400 }, { "w", TIME, 7 * 86400 }, { "wk", TIME, 7 * 86400 }, { "week", TIME, 7 * 86400 },
	{ "weeks", TIME, 7 * 86400 }, { "month", TIME, 30 * 86400 }, { "months", TIME, 30 * 86400 },
	{ "B", MEMORY, 1 }, { "KiB", MEMORY, 0x1p10 }, { "MiB", MEMORY, 0x1p20 },
	{ "GiB", MEMORY, 0x1p30 }, { "TiB", MEMORY, 0x1p40 }, { "M", MEMORY, 0x1p20 },
	{ "G", MEMORY, 0x1p30 }, { "T", MEMORY, 0x1p40 }, { "MB", MEMORY, 1e6 },
	{ "GB", MEMORY, 1e9 }, { "TB", MEMORY, 1e12 },
	{ "MB/s", LINK, 1e6 }, { "GB/s", LINK, 1e9 }, { "TB/s", LINK, 1e12 },
	{ "Mb/s", LINK, 1e6 / 8 }, { "Gb/s", LINK, 1e9 / 8 }, { "Tb/s", LINK, 1e12 / 8 },
	{ "Gbps", LINK, 1e9 / 8 }, { "GFLOP/s", COMPUTE, 1e9 }, { "TFLOP/s", COMPUTE, 1e12 },
	{ "PFLOP/s", COMPUTE, 1e15 }, { "TFLOPS", COMPUTE, 1e12 }, { "PFLOPS", COMPUTE, 1e15 },
	{ "W", POWER, 1 }, { "kW", POWER, 1e3 }, { "kWh", ENERGY, 1e3 }, { "MWh", ENERGY, 1e6 },
	{ "GWh", ENERGY, 1e9 }, { "requests/s", ARRIVALS, 1 }, { "req/s", ARRIVALS, 1 },
	{ "/s", ARRIVALS, 1 }, { "requests/min", ARRIVALS, 1.0 / 60 }, { "/min", ARRIVALS, 1.0 / 60 },
	{ "billion tokens", TOKENS, 1e9 }, { "tokens", TOKENS, 1 }, { "M", TOKENS, 1e6 },
	{ "B", TOKENS, 1e9 }, { "T", TOKENS, 1e12 }, { "million parameters", PARAMS, 1e6 },
	{ "M", PARAMS, 1e6 }, { "B", PARAMS, 1e9 },
};

bool
units_factor(const char *unit, const char *in, double *factor)
{
	const size_t count = sizeof unit_table / sizeof *unit_table;

	*factor = 1;
	if (text_equal(unit, in))
		return true;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; text_equal(unit_table[i].name, in) && j < count; j++)
			if (unit_table[j].of == unit_table[i].of && text_equal(unit_table[j].name, unit)) {
				*factor = unit_table[j].size / unit_table[i].size;
				return true;
			}
	return false;
}

const char *
units_base(enum measure m)
{
	switch (m) {
	case MEASURE_BYTES:
	case MEASURE_WIRE:
		return "B";
	case MEASURE_SECONDS:
	case MEASURE_DAYS:
		return "s";
	case MEASURE_RUN_DAYS:
		return "d";
	case MEASURE_MWH:
		return "MWh";
	case MEASURE_ANSWER:
	case MEASURE_NUMBER:
	case MEASURE_COUNT:
	case MEASURE_REAL:
	case MEASURE_PARAMS:
	case MEASURE_MONEY:
	case MEASURE_SHARE:
	case MEASURE_FLOP:
		break;
	}
	return "";
}
