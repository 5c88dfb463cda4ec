/*
 * program.h - run a command line of shardplan, and look at what comes out.
 */
#ifndef TORTURE_PROGRAM_H
#define TORTURE_PROGRAM_H
#include <stddef.h>

#include <jansson.h>

enum { PROGRAM_WORDS = 96 };

/* A command line without the program's name; the texts are the caller's. */
struct words {
	int count;
	const char *word[PROGRAM_WORDS];
};
void words_add(struct words *w, const char *word);

/* For a message, and to be pasted into a shell. */
void words_show(const struct words *w, char *buf, size_t size);

/* What a command said; good until the next one runs. */
struct outcome {
	int status;            /* of exit; -1 where it did not exit */
	const char *out, *err; /* each ended with a NUL */
	size_t outs, errs;     /* their sizes */
};

/* Inside this process: all of the program but the screen and main. */
struct outcome program_inside(const struct words *w);

/* The program itself. */
struct outcome program_outside(const struct words *w);

/* What f prints on standard output. */
struct outcome program_capture(void (*f)(void *data), void *data);

/* What is wrong with an outcome of any command, else NULL: its status, bytes that are no
 * UTF-8 or control a terminal. */
const char *program_flaw(const struct outcome *o);

/* The same of a report in JSON, in *doc where there is one, to be given back. */
const char *program_json(const struct outcome *o, json_t **doc);

/* The same of a report for people: words and numbers that no reader can take. */
const char *program_text(const struct outcome *o);
#endif
