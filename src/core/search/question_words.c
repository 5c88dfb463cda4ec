#include "core/search/question_words.h"

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
