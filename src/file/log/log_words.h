/*
 * log_words.h - words and numbers in a line of a log.
 *
 * All programs divide by 2^20 and 2^30, MIB and GIB of core/number.h: Megatron-LM under the
 * name of MB, SGLang and older vLLM under that of GB.
 */
#ifndef FILE_LOG_WORDS_H
#define FILE_LOG_WORDS_H
#include <stdbool.h>
#include <stdint.h>

/* What follows `word`, or NULL. */
const char *log_after(const char *line, const char *word);

/* "5,762", "1.2K", "77.01GiB": the number at the beginning of text, which may be NULL. The
 * suffixes are those of nanotron's human_format, powers of 1000. */
bool log_number(const char *text, double *out);

/* The number after a word; 0, or -1 for the whole number, when there is none. */
double log_number_after(const char *line, const char *word);
int64_t log_integer_after(const char *line, const char *word);
#endif
