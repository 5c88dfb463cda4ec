/*
 * topics.h - the primer: share/topics/LANGUAGE.txt, all pages of one language in a file.
 *
 * A page begins with "# NAME,NAME... TITLE"; core/topic.h says what is in it. Text before
 * the first page is a comment.
 */
#ifndef FILE_TOPICS_H
#define FILE_TOPICS_H
#include <stdbool.h>
#include <stddef.h>

#include "prefs/topic.h"

enum { TOPICS_MAX = 64 };

struct topics {
	char *text; /* owned; topic[] points into it */
	size_t count;
	struct topic topic[TOPICS_MAX];
};

/* Read the pages of a language ("en", "zh"), the first TOPICS_MAX of them. False with the
 * reason in why; then there are none. */
bool topics_read(struct topics *t, const char *language, char *why, size_t size);
void topics_free(struct topics *t);

/* The page of a name, NULL without one. */
const struct topic *topics_find(const struct topics *t, const char *name);
#endif
