/*
 * question.h - questions with names, each a search written out.
 */
#ifndef CORE_QUESTION_H
#define CORE_QUESTION_H
#include <stddef.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"

enum { QUESTION_WORDS = 12, QUESTION_SIZE = 768 };

struct question {
	const char *name, *also;       /* "deadline"; other words for it, with "|" between them */
	const char *arguments, *help; /* "TIME [TOKENS]", one line */
	/* The options of `search` without their dashes, blanks between them. Returns how many of the
	 * words after its name are its own, -1 with the reason in err. */
	int (*ask)(const struct plan *p, const struct catalog *catalog, int64_t today, const char *const *word,
	    int words, char *options, char *err);
};

extern const struct question question_table[];
extern const size_t question_count;

/* By name; NULL when there is none. */
const struct question *question_find(const char *name);

/* What is asked of a plan where nobody says: of a service with limits "slo"; NULL where the fastest is meant. */
const char *question_usual(const struct plan *p);

/*
 * Of words that begin with the name of a question, about a resolved plan: its search into options,
 * of QUESTION_SIZE as err is; today is counted in days from 1970-01-01 on. Returns how many words it took, 0 where the
 * first one is no name of a question, -1 with the reason in err.
 */
int question_ask(const struct plan *p, const struct catalog *catalog, int64_t today, const char *const *word,
    int words, char *options, char *err);
#endif
