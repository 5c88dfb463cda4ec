/*
 * question_words.h - numbers and times as people say them: "15T", "300 billion tokens", "$2,000,000",
 * "30 days", "4w".
 *
 * Each takes what stands first of some words, after small words such as "in" and "for". They return how
 * many words that was, 0 where something else stands there.
 */
#ifndef CORE_QUESTION_WORDS_H
#define CORE_QUESTION_WORDS_H
#include <stddef.h>

/* Small words, and nouns that say nothing new: "in", "tokens", "nodes". */
int words_small(const char *const *word, int words);

/* Of tokens or of money. */
int words_amount(const char *const *word, int words, double *amount);

/* A number with a unit of hours, days, weeks or months; without one it is days. */
int words_days(const char *const *word, int words, double *days);

/* "1s", "30ms" or "30 ms", written as conditions are: seconds or milliseconds. A small number alone is
 * seconds; of ten and more nobody can tell whether thousandths were meant, so it is none. */
int words_time(const char *const *word, int words, char *time, size_t size);
#endif
