/*
 * golden.h - read the recorded cases under tests/data/ranks.
 *
 * Each case is a line "case CONVENTION id=... key=value ..." and the lines up to "end".
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct golden {
	FILE *file;
	char line[65536];    /* the current line, without its newline */
	char head[65600];    /* the "case" line of the current case, a blank after it */
};

static inline void
golden_open(struct golden *g, const char *name)
{
	const char *top = getenv("TOP");
	char path[4096];

	snprintf(path, sizeof path, "%s/tests/data/ranks/%s", top != NULL ? top : ".", name);
	g->file = fopen(path, "r");
	if (g->file == NULL) {
		perror(path);
		abort();
	}
}

static inline bool
golden_line(struct golden *g)
{
	if (fgets(g->line, sizeof g->line, g->file) == NULL)
		return false;
	g->line[strcspn(g->line, "\n")] = '\0';
	return true;
}

/* Go to the next case. */
static inline bool
golden_case(struct golden *g)
{
	while (golden_line(g))
		if (strncmp(g->line, "case ", 5) == 0) {
			snprintf(g->head, sizeof g->head, "%s ", g->line);
			return true;
		}
	fclose(g->file);
	return false;
}

/* The value of a key of the case, or of any line, into buf; false without the key. */
static inline bool
golden_value(const char *line, const char *key, char *buf, size_t size)
{
	char search[64];
	const char *at;

	snprintf(search, sizeof search, " %s=", key);
	at = strstr(line, search);
	if (at == NULL)
		return false;
	at += strlen(search);
	snprintf(buf, size, "%.*s", (int)strcspn(at, " "), at);
	return true;
}

static inline long long
golden_number(const char *line, const char *key, long long otherwise)
{
	char buf[64];

	return golden_value(line, key, buf, sizeof buf) ? atoll(buf) : otherwise;
}
#endif
