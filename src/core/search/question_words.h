/*
 * question_words.h - numbers and times as people say them: "15T", "300 billion tokens", "$2,000,000",
 * "30 days", "4w".
 *
 * Each takes what stands first of some words, after small words such as "in" and "for". They return how
 * many words that was, 0 where something else stands there.
 */
#ifndef CORE_QUESTION_WORDS_H
#define CORE_QUESTION_WORDS_H

/* Small words, and nouns that say nothing new: "in", "tokens", "nodes". */
int words_small(const char *const *word, int words);

/* Of tokens or of money. */
int words_amount(const char *const *word, int words, double *amount);

/* A number with a unit of hours, days, weeks or months; without one it is days, unless nobody lives to see them. */
int words_days(const char *const *word, int words, double *days);

/* Of seconds or milliseconds. A small number alone is seconds; of ten and more nobody can tell whether
 * thousandths were meant, so it is none. */
int words_time(const char *const *word, int words, double *seconds);

/* Requests a second, "20 rps", "20/s"; tokens a second of one user, "30 tok/s". Each has its unit. */
int words_rate(const char *const *word, int words, double *rate);
int words_speed(const char *const *word, int words, double *speed);

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
