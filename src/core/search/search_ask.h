/*
 * search_ask.h - what a search is asked, word by word: "free=tp=2,4 fix=cp objective=time,memory
 * where=peak.total<=70GiB pareto around=1". The screen has them as a text, the command line as options.
 */
#ifndef CORE_SEARCH_ASK_H
#define CORE_SEARCH_ASK_H
#include "core/search/search.h"
#include "core/search/search_wishes.h"

struct search_word {
	const char *name, *value; /* "free", "tp=2,4"; "" without a value */
};

/* Cut a text into its words, `most` at most, and return how many there are. Dashes before a name and quotes
 * around a value are habits of the shell. */
size_t search_ask_words(char *text, struct search_word *word, size_t most);

/* The question of these words, and what is free: the usual fields, more or fewer as asked; values stay where
 * they stand. *idle: a field that was to be held and is not free, else FIELD_NONE. False with the reason in
 * err, which begins with the name of the word. */
bool search_ask(struct search *s, struct wishes *w, const struct plan *p, const struct search_word *word,
    size_t words, enum field_id *idle, char *err, size_t size);
#endif
