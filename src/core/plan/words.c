#include "core/plan/words.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/units.h"

enum { NUMBER_SIZE = 64 };

/* A number without its unit is one where it is below `bare`: of seconds and days nobody means as many. What names do
 * not say is a measure of core/base/units.h. */
static const struct {
	double bare;
	const char *measure;
} units[] = {
	[WORDS_AMOUNT] = { INFINITY, NULL }, [WORDS_DAYS] = { 10000, "days" }, [WORDS_SECONDS] = { 10, "s" },
	[WORDS_RATE] = { 0, NULL }, [WORDS_SPEED] = { 0, NULL },
};

/* Amounts of what is counted, whatever their letters' case: nobody means bytes. */
static const struct {
	enum words_unit of;
	const char *names;
	double factor;
} factors[] = {
	{ WORDS_AMOUNT, "k|thousand", 1e3 }, { WORDS_AMOUNT, "m|mio|million|millions", 1e6 },
	{ WORDS_AMOUNT, "b|bn|g|billion|billions", 1e9 }, { WORDS_AMOUNT, "t|tn|trillion|trillions", 1e12 },
	{ WORDS_RATE, "rps|qps|/s|/sec|req/s|reqs/s|requests/s|requests", 1 },
	{ WORDS_SPEED, "tps|tok/s|tokens/s|tok/s/user|tokens/s/user|tokens", 1 },
};

/* A unit as it is said, in small letters. */
static bool
find_factor(enum words_unit unit, const char *name, double *factor)
{
	char small[16] = "";

	for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof small; i++)
		small[i] = (char)tolower((unsigned char)name[i]);
	if (strlen(name) != strlen(small))
		return false;
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
		if (factors[i].of == unit && text_choice_index(factors[i].names, small) >= 0) {
			*factor = factors[i].factor;
			return true;
		}
	return units[unit].measure != NULL && units_factor(small, units[unit].measure, factor);
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

bool
words_is_little(const char *word)
{
	return text_choice_index("in|for|of|on|with|using|at|a|an|the|and|to|my|i|have", word) >= 0;
}

int
words_count(const char *word)
{
	const char *digits = text_choice_index("a|an|my|single", word) >= 0 ? "1" : spelled_number(word);
	int64_t n;

	return text_to_int(digits != NULL ? digits : word, &n) && n > 0 && n < 10000000 ? (int)n : 0;
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
is_one(const char *const *word, int small, int words, enum words_unit of, double *factor)
{
	return small > 0 && small < words && strlen(word[small]) > 1 &&
	    text_choice_index("a|an|one", word[small - 1]) >= 0 && find_factor(of, word[small], factor);
}

/* A number with a unit behind it or as the next word, which it is multiplied by; a sign of money may follow. *unit: it
 * has one. */
static int
take_number(const char *const *word, int words, enum words_unit of, double *value, bool *unit)
{
	const int small = words_small(word, words);
	char number[NUMBER_SIZE], name[NUMBER_SIZE];
	const char *rest = words > small ? bare_number(word[small], number) : NULL;
	int taken = small + 1;
	double read, factor = 1;

	*unit = is_one(word, small, words, of, &factor);
	if (*unit)
		return *value = factor, taken;
	if (rest == NULL || !text_to_real(number, &read) || !(read > 0))
		return 0;
	text_put(name, sizeof name, "%.*s", (int)strcspn(rest, MONEY), rest);
	if (*name != '\0') {
		*unit = find_factor(of, name, &factor);
		if (!*unit)
			return 0;
	} else if (words > taken) {
		*unit = find_factor(of, word[taken], &factor);
		taken += *unit;
	}
	*value = *unit ? read * factor : read;
	return taken;
}

int
words_number(enum words_unit of, const char *const *word, int words, double *value)
{
	double read;
	bool unit;
	const int taken = take_number(word, words, of, &read, &unit);

	if (taken == 0 || (!unit && read >= units[of].bare))
		return 0;
	*value = read;
	return taken;
}

/* Days from 1970-01-01 to one of the Gregorian calendar: months from March on have 153 days in five (Richards 2013,
 * Explanatory Supplement to the Astronomical Almanac, 15.11). */
int64_t
words_day(int64_t year, int64_t month, int64_t day)
{
	const int64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* Whether a month has the day: the next one begins behind it. */
static bool
is_day(int64_t year, int64_t month, int64_t day)
{
	const int64_t next = month == 12 ? words_day(year + 1, 1, 1) : words_day(year, month + 1, 1);

	return month >= 1 && month <= 12 && day >= 1 && words_day(year, month, day) < next;
}

/* From 0 a name or its first letters, whatever their case; -1 for none. */
static int
name_index(const char *const *names, int count, const char *word)
{
	const size_t n = strlen(word) - (*word != '\0' && word[strlen(word) - 1] == '.');

	for (int i = 0; n >= 3 && i < count; i++)
		if (n <= strlen(names[i]) && strncasecmp(names[i], word, n) == 0)
			return i;
	return -1;
}

static int
month_of(const char *word)
{
	static const char *const months[] = { "january", "february", "march", "april", "may", "june", "july", "august",
		"september", "october", "november", "december" };

	return name_index(months, 12, word) + 1;
}

/* "15", "15th", "15.": a day of a month, 0 for another word. */
static int64_t
day_of(const char *word)
{
	const size_t digits = strspn(word, "0123456789");
	int64_t day;

	if (digits == 0 || digits > 2 || (word[digits] != '\0' && text_choice_index("st|nd|rd|th|.|,|th,", word + digits) < 0))
		return 0;
	return text_to_int(TEXT_OF(4, "%.*s", (int)digits, word), &day) ? day : 0;
}

/* "friday": 1970-01-01 was a Thursday. */
static bool
weekday(const char *word, int64_t today, double *days)
{
	static const char *const names[] = { "thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday" };
	const int at = name_index(names, 7, word);

	if (at >= 0)
		*days = (double)(1 + (at - today % 7 + 6) % 7);
	return at >= 0;
}

/* "2027-01-15" */
static bool
iso_date(const char *word, int64_t today, double *days)
{
	int64_t part[3];
	const char *at = word;

	for (int i = 0; i < 3; i++) {
		const size_t n = strspn(at, "0123456789");

		if (n != (i == 0 ? 4U : 2U) || at[n] != (i < 2 ? '-' : '\0') ||
		    !text_to_int(TEXT_OF(8, "%.*s", (int)n, at), &part[i]))
			return false;
		at += n + 1;
	}
	*days = (double)(words_day(part[0], part[1], part[2]) - today);
	return is_day(part[0], part[1], part[2]) && *days > 0;
}

int
words_date(const char *const *word, int words, int64_t today, double *days)
{
	const int at = words_small(word, words);
	int64_t day, month, year = 0, first;
	int end = at + 2;

	if (at < words && text_equal(word[at], "next") && at + 1 < words && weekday(word[at + 1], today, days))
		return end;
	if (at < words && (iso_date(word[at], today, days) || weekday(word[at], today, days)))
		return at + 1;
	if (at + 1 >= words)
		return 0;
	day = day_of(word[at]);
	end += day > 0 && text_equal(word[at + 1], "of") && at + 2 < words;
	month = month_of(word[day > 0 ? end - 1 : at]);
	day = day > 0 ? day : day_of(word[at + 1]);
	if (end < words && strlen(word[end]) == 4 && text_to_int(word[end], &year))
		end++;
	first = 1969 + (int64_t)((double)today / 365.2425); /* this year or the last one */
	for (int64_t y = year > 0 ? year : first; y <= (year > 0 ? year : first + 8); y++)
		if (is_day(y, month, day) && words_day(y, month, day) > today) {
			*days = (double)(words_day(y, month, day) - today);
			return end;
		}
	return 0;
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
