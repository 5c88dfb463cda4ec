#include "core/search/question_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/units.h"

enum { NUMBER_SIZE = 64 };

static const double bare_seconds = 10, bare_days = 10000;

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

static bool
rate_factor(const char *name, double *factor)
{
	*factor = 1;
	return text_choice_index("rps|qps|/s|/sec|req/s|reqs/s|requests/s|requests", name) >= 0;
}

static bool
speed_factor(const char *name, double *factor)
{
	*factor = 1;
	return text_choice_index("tps|tok/s|tokens/s|tok/s/user|tokens/s/user|tokens", name) >= 0;
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
		"nodes", "node", "gpus", "gpu", "sequence", "context", "window", "length", "size", "requests",
		"per", "second", "user", "req/s", "requests/s", "fewer", "vs", "versus", "micro",
	};
	int n = 0;

	for (size_t i = 0; n < words && i < sizeof small / sizeof *small; i++)
		if (strcasecmp(word[n], small[i]) == 0) {
			n++;
			i = (size_t)-1;
		}
	return n;
}

/* "two": its digits; NULL for another word. */
static const char *
spelled_number(const char *word)
{
	static const char *const digits[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" };
	const int64_t i = text_choice_index("one|two|three|four|five|six|seven|eight|nine|ten", word);

	return i >= 0 ? digits[i] : NULL;
}

#define MONEY "$\u20ac\u00a3\u00a5" /* bytes of its signs: none of them is a digit's */

/* "$2,000,000" without what stands before it and between its digits; where it ends. */
static const char *
bare_number(const char *word, char number[NUMBER_SIZE])
{
	const char *spelled = spelled_number(word);
	size_t n = 0;

	if (spelled != NULL) {
		text_put(number, NUMBER_SIZE, "%s", spelled);
		return word + strlen(word);
	}
	word += strspn(word, MONEY "~<=");
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

/* "week" after "a": one of them. */
static bool
is_one(const char *const *word, int small, int words, bool (*factor_of)(const char *, double *), double *factor)
{
	return small > 0 && small < words && strlen(word[small]) > 1 &&
	    text_choice_index("a|an|one", word[small - 1]) >= 0 && find_factor(factor_of, word[small], factor);
}

/* A number with a unit behind it or as the next word, which it is multiplied by; a sign of money may follow. *unit: it
 * has one. *value stays as it is where there is no number. */
static int
take_number(const char *const *word, int words, bool (*factor_of)(const char *, double *), double *value, bool *unit)
{
	const int small = words_small(word, words);
	char number[NUMBER_SIZE], name[NUMBER_SIZE];
	const char *rest = words > small ? bare_number(word[small], number) : NULL;
	int taken = small + 1;
	double read, factor = 1;

	*unit = is_one(word, small, words, factor_of, &factor);
	if (*unit)
		return *value = factor, taken;
	if (rest == NULL || !text_to_real(number, &read) || !(read > 0))
		return 0;
	text_put(name, sizeof name, "%.*s", (int)strcspn(rest, MONEY), rest);
	if (*name != '\0') {
		*unit = find_factor(factor_of, name, &factor);
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
	double read;
	bool unit;
	const int taken = take_number(word, words, days_factor, &read, &unit);

	if (taken == 0 || (!unit && read >= bare_days))
		return 0;
	*days = read;
	return taken;
}

int
words_time(const char *const *word, int words, double *seconds)
{
	bool unit;
	double read;
	const int taken = take_number(word, words, seconds_factor, &read, &unit);

	if (taken == 0 || (!unit && read >= bare_seconds))
		return 0;
	*seconds = read;
	return taken;
}

/* A number of which the unit has to be said. */
static int
take_said(const char *const *word, int words, bool (*factor_of)(const char *, double *), double *value)
{
	bool unit;
	double read;
	const int taken = take_number(word, words, factor_of, &read, &unit);

	if (taken == 0 || !unit)
		return 0;
	*value = read;
	return taken;
}

int
words_rate(const char *const *word, int words, double *rate)
{
	return take_said(word, words, rate_factor, rate);
}

int
words_speed(const char *const *word, int words, double *speed)
{
	return take_said(word, words, speed_factor, speed);
}

/* Whether words are cut here: at a sign between a name and its value, and after an amount, but not between its digits. */
static bool
is_cut(const char *piece, size_t i)
{
	const bool digit = isdigit((unsigned char)piece[i + 1]);

	if (strchr("=:<>", piece[i]) != NULL)
		return true;
	return isdigit((unsigned char)*piece) && ((piece[i] == '/' && digit) ||
	    (piece[i] == ',' && !(digit && isdigit((unsigned char)piece[i - 1]))));
}

void
words_apart(struct pieces *of, const char *const *word, int words)
{
	size_t used = 0;

	of->count = 0;
	for (int i = 0; i < words && used + strlen(word[i]) < PIECES_SIZE; i++) {
		const size_t n = strlen(word[i]);
		char *piece = of->text + used;

		memcpy(piece, word[i], n + 1);
		used += n + 1;
		for (size_t k = 0; of->count < PIECES_MAX;) {
			while (piece[k] != '\0' && !is_cut(piece, k))
				k++;
			const bool last = piece[k] == '\0';

			piece[k] = '\0';
			if (k > 0) {
				of->from[of->count] = i;
				of->word[of->count++] = piece;
			}
			if (last)
				break;
			piece += k + 1;
			k = 0;
		}
	}
	of->from[of->count] = words;
}
