/*
 * shell_words.h - the parts of shell.h that need no reader: memory, lists, variables and
 * arithmetic.
 */
#ifndef FILE_SHELL_WORDS_H
#define FILE_SHELL_WORDS_H
#include <stdint.h>

#include "file/notation/shell.h"

/* Remember the first thing that went wrong. Returns false. */
bool shell_fail(struct shell *s, unsigned line, const char *why);

/* Count n bytes that a text is made of, or that were looked at for it: whatever a script says
 * again and again adds up. False once they are too many. */
bool shell_spend(struct shell *s, size_t n, unsigned line);

/* A copy of n bytes that lives as long as the shell, NULL once a limit is reached. */
char *shell_copy(struct shell *s, const char *text, size_t n, unsigned line);

bool shell_push(struct shell *s, struct shell_list *list, struct shell_word word);

/* Set a variable to a copy of the list, or append that to it. */
bool shell_assign(struct shell *s, const char *name, const struct shell_list *value, bool array,
    bool append, unsigned line);
void shell_unset(struct shell *s, const char *name);

/* The value of "2 * (n + 1)" over whole numbers and variables; false when it has none. */
bool shell_arithmetic(const struct shell *s, const char *text, int64_t *value);

/* YES, NO, or that only a run could tell: [ "$A" == b ], [[ -n $A ]], without the brackets. */
enum shell_truth { SHELL_NO, SHELL_YES, SHELL_MAYBE };
enum shell_truth shell_test(const struct shell_list *words);

static inline bool
shell_is_name_char(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (!first && c >= '0' && c <= '9');
}
#endif
