/*
 * question_first.h - which words of `search` are a question and which say the plan that it is asked of.
 */
#ifndef CLI_QUESTION_FIRST_H
#define CLI_QUESTION_FIRST_H
#include <stdbool.h>

#include "cli/base/options.h"
#include "cli/session/session.h"

/* The words of the options without verbs that say nothing of a plan, into word, of as many; their number. */
int question_words(const struct session *s, const struct options *o, const char **word);

/* The words of the options into word, of as many: first so many that are a question's. False after a message, where the
 * first one says nothing. */
bool question_first(const struct session *s, const struct options *o, const char **word, int *question);
#endif
