#include "core/search/question_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"

enum { NUMBER_SIZE = 64 };

static const double bare_seconds = 10;

struct unit {
	const char *name;
	double factor;
};

static const struct unit many[] = {
	{ "k", 1e3 }, { "thousand", 1e3 }, { "m", 1e6 }, { "mio", 1e6 }, { "million", 1e6 },
	{ "millions", 1e6 }, { "b", 1e9 }, { "bn", 1e9 }, { "g", 1e9 }, { "billion", 1e9 },
	{ "billions", 1e9 }, { "t", 1e12 }, { "tn", 1e12 }, { "trillion", 1e12 }, { "trillions", 1e12 },
	{ NULL, 0 },
};
static const struct unit spans[] = {
	{ "h", 1. / 24 }, { "hr", 1. / 24 }, { "hrs", 1. / 24 }, { "hour", 1. / 24 }, { "hours", 1. / 24 },
	{ "d", 1 }, { "day", 1 }, { "days", 1 }, { "w", 7 }, { "wk", 7 }, { "week", 7 }, { "weeks", 7 },
	{ "month", 30 }, { "months", 30 }, { NULL, 0 },
};
static const struct unit times[] = {
	{ "us", 1e-6 }, { "ms", 1e-3 }, { "millisecond", 1e-3 }, { "milliseconds", 1e-3 }, { "s", 1 },
	{ "sec", 1 }, { "secs", 1 }, { "second", 1 }, { "seconds", 1 }, { NULL, 0 },
};

static const struct unit *
find_unit(const struct unit *units, const char *name)
{
	for (; units->name != NULL; units++)
		if (strcasecmp(units->name, name) == 0)
			return units;
	return NULL;
}

int
words_small(const char *const *word, int words)
{
	static const char *const small[] = {
		"in", "for", "of", "on", "with", "within", "by", "at", "a", "an", "the", "and", "or", "to", "under",
		"below", "than", "least", "most", "tokens", "token", "dollars", "dollar", "usd", "eur", "euros", "$",
		"nodes", "node", "gpus", "gpu", "sequence", "context", "window", "length", "size", "requests", "rps",
		"per", "second", "req/s", "requests/s", "fewer",
	};
	int n = 0;

	for (size_t i = 0; n < words && i < sizeof small / sizeof *small; i++)
		if (strcasecmp(word[n], small[i]) == 0) {
			n++;
			i = (size_t)-1;
		}
	return n;
}

/* "$2,000,000" without what stands before it and between its digits; where it ends. */
static const char *
bare_number(const char *word, char number[NUMBER_SIZE])
{
	size_t n = 0;

	word += strspn(word, "$~<=");
	if (!isdigit((unsigned char)*word) && *word != '.')
		return NULL;
	for (; n + 1 < NUMBER_SIZE; word++) {
		const bool exponent = (*word == 'e' || *word == 'E') && n > 0 &&
		    (isdigit((unsigned char)word[1]) || (strchr("+-", word[1]) != NULL && isdigit((unsigned char)word[2])));

		if ((*word == ',' || *word == '_') && isdigit((unsigned char)word[1]))
			continue;
		if (!isdigit((unsigned char)*word) && *word != '.' && !exponent)
			break;
		number[n++] = *word;
		if (exponent && !isdigit((unsigned char)word[1]))
			number[n++] = *++word;
	}
	number[n] = '\0';
	return word;
}

/* A number with one of the units behind it or as the next word, which it is multiplied by; *unit NULL:
 * it has none of them. *value stays as it is where there is no number. */
static int
take_number(const char *const *word, int words, const struct unit *units, double *value,
    const struct unit **unit)
{
	const int small = words_small(word, words);
	char number[NUMBER_SIZE];
	const char *rest = words > small ? bare_number(word[small], number) : NULL;
	int taken = small + 1;
	double read;

	*unit = NULL;
	if (rest == NULL || !text_to_real(number, &read) || !(read > 0))
		return 0;
	if (*rest != '\0' && !text_equal(rest, "$")) {
		*unit = find_unit(units, rest);
		if (*unit == NULL)
			return 0;
	} else if (words > taken) {
		*unit = find_unit(units, word[taken]);
		taken += *unit != NULL;
	}
	*value = *unit != NULL ? read * (*unit)->factor : read;
	return taken;
}

int
words_amount(const char *const *word, int words, double *amount)
{
	const struct unit *unit;

	return take_number(word, words, many, amount, &unit);
}

int
words_days(const char *const *word, int words, double *days)
{
	const struct unit *unit;

	return take_number(word, words, spans, days, &unit);
}

int
words_time(const char *const *word, int words, char *time, size_t size)
{
	const struct unit *unit;
	double seconds;
	const int taken = take_number(word, words, times, &seconds, &unit);

	if (taken == 0 || (unit == NULL && seconds >= bare_seconds))
		return 0;
	if (seconds < 1)
		text_put(time, size, "%.10gms", 1e3 * seconds);
	else
		text_put(time, size, "%.10gs", seconds);
	return taken;
}
