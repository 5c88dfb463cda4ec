/*
 * words.h - numbers and times as people say them: "15T", "300 billion tokens", "$2,000,000",
 * "30 days", "4w".
 *
 * Each takes what stands first of some words, after small words such as "in" and "for". They return how
 * many words that was, 0 where something else stands there.
 */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H
#include <stdbool.h>
#include <stdint.h>

/* Small words, and nouns that say nothing new: "in", "tokens", "nodes". */
int words_small(const char *const *word, int words);

/* Whether a word joins others and says nothing itself: "on", "with". */
bool words_is_little(const char *word);

/* "8", "two", and "a" or "my" of one: a whole number; 0 for another word. */
int words_count(const char *word);

/* A number of tokens or of money; of days, said in hours to months; of seconds; of requests a second; of tokens a
 * second of one user. Rates have their unit. Without one it is days, unless nobody lives to see them, and seconds below
 * ten: above that nobody can tell whether thousandths were meant. *value stays as it is where there is none. */
enum words_unit { WORDS_AMOUNT, WORDS_DAYS, WORDS_SECONDS, WORDS_RATE, WORDS_SPEED };
int words_number(enum words_unit of, const char *const *word, int words, double *value);

/* How many days from 1970-01-01 on a day is. */
int64_t words_day(int64_t year, int64_t month, int64_t day);

/* A day of the calendar, "friday", "15 January", "Jan 15th 2027", "2027-01-15": how many days it is from today, which is
 * counted from 1970-01-01 on. Without its year the next of that name; today itself is none. */
int words_date(const char *const *word, int words, int64_t today, double *days);

enum { PIECES_MAX = 48, PIECES_SIZE = 1024 };

/* Words cut where people leave blanks out: "ttft=1s,tpot=30ms" is four pieces. `from` says which word each is of, and of
 * what comes after the last one how many words there were. */
struct pieces {
	int count, from[PIECES_MAX + 1];
	const char *word[PIECES_MAX];
	char text[PIECES_SIZE];
};

void words_apart(struct pieces *of, const char *const *word, int words);
#endif
