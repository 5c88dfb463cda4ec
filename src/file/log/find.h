/*
 * find.h - many words looked for in a line at once.
 *
 * A line of a log says something in one of some two hundred ways. Looking for each would read the
 * line as often; here each place of it is looked at once, by a hash of four bytes.
 */
#ifndef FILE_LOG_FIND_H
#define FILE_LOG_FIND_H
#include <stddef.h>
#include <stdint.h>

enum { FIND_WORDS = 512, FIND_SLOTS = 8192, FIND_LEAST = 4 };

struct finder {
	size_t count;
	struct found_word {
		const char *text; /* at least FIND_LEAST bytes */
		uint16_t length, next;
		int meaning;      /* the caller's */
	} word[FIND_WORDS];
	uint16_t slot[FIND_SLOTS]; /* the first word of a hash, 0 none, from 1 */
};

void finder_begin(struct finder *f);

/* A word that outlives the finder; words without room or shorter than FIND_LEAST are none. */
void finder_add(struct finder *f, const char *text, int meaning);

/* Tell of each word in a line, which a NUL follows, in the order of places; after: what follows
 * it. */
void finder_line(const struct finder *f, const char *line, size_t length,
    void (*tell)(void *to, int meaning, const char *line, const char *after), void *to);
#endif
