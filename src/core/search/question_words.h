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

/* A number of tokens or of money; of days, said in hours to months; of seconds; of requests a second; of tokens a
 * second of one user. Rates have their unit. Without one it is days, unless nobody lives to see them, and seconds below
 * ten: above that nobody can tell whether thousandths were meant. *value stays as it is where there is none. */
enum words_unit { WORDS_AMOUNT, WORDS_DAYS, WORDS_SECONDS, WORDS_RATE, WORDS_SPEED };
int words_number(enum words_unit of, const char *const *word, int words, double *value);

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
