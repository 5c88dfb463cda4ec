#include "core/search/question_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/units.h"

enum { NUMBER_SIZE = 64 };

static const double bare_seconds = 10;

/* Of what is counted, whatever its letters' case: nobody means bytes. */
static bool
many_factor(const char *name, double *factor)
{
	static const struct {
		const char *names;
		double factor;
	} rows[] = {
		{ "k|thousand", 1e3 }, { "m|mio|million|millions", 1e6 }, { "b|bn|g|billion|billions", 1e9 },
		{ "t|tn|trillion|trillions", 1e12 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (text_choice_index(rows[i].names, name) >= 0) {
			*factor = rows[i].factor;
			return true;
		}
	return false;
}

static bool
days_factor(const char *name, double *factor)
{
	return units_factor(name, "days", factor);
}

static bool
seconds_factor(const char *name, double *factor)
{
	return units_factor(name, "s", factor);
}

/* A unit as it is said, in small letters. */
static bool
find_factor(bool (*factor_of)(const char *, double *), const char *name, double *factor)
{
	char small[16] = "";

	for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof small; i++) {
		small[i] = (char)tolower((unsigned char)name[i]);
		small[i + 1] = '\0';
	}
	return strlen(name) == strlen(small) && factor_of(small, factor);
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

/* A number with a unit behind it or as the next word, which it is multiplied by; *unit: it has one. *value stays as it
 * is where there is no number. */
static int
take_number(const char *const *word, int words, bool (*factor_of)(const char *, double *), double *value, bool *unit)
{
	const int small = words_small(word, words);
	char number[NUMBER_SIZE];
	const char *rest = words > small ? bare_number(word[small], number) : NULL;
	int taken = small + 1;
	double read, factor = 1;

	*unit = false;
	if (rest == NULL || !text_to_real(number, &read) || !(read > 0))
		return 0;
	if (*rest != '\0' && !text_equal(rest, "$")) {
		*unit = find_factor(factor_of, rest, &factor);
		if (!*unit)
			return 0;
	} else if (words > taken) {
		*unit = find_factor(factor_of, word[taken], &factor);
		taken += *unit;
	}
	*value = *unit ? read * factor : read;
	return taken;
}

int
words_amount(const char *const *word, int words, double *amount)
{
	bool unit;

	return take_number(word, words, many_factor, amount, &unit);
}

int
words_days(const char *const *word, int words, double *days)
{
	bool unit;

	return take_number(word, words, days_factor, days, &unit);
}

int
words_time(const char *const *word, int words, char *time, size_t size)
{
	bool unit;
	double seconds;
	const int taken = take_number(word, words, seconds_factor, &seconds, &unit);

	if (taken == 0 || (!unit && seconds >= bare_seconds))
		return 0;
	if (seconds < 1)
		text_put(time, size, "%.10gms", 1e3 * seconds);
	else
		text_put(time, size, "%.10gs", seconds);
	return taken;
}
