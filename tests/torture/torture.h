/*
 * torture.h - rounds of random work, each with a seed of its own, and what they find.
 *
 * A torture program works in a child, so that a crash, a sanitizer's report or a hang is
 * told with the seed and the command of its round. Called without arguments it works for a
 * few seconds, on the same rounds each time, and then on as many from $SEED, else
 * $MONKEY_SEED, where that is given; with sanitizers and a seed on a third of the same ones, another third
 * for each seed. With a number of seconds it works that long, from
 * $SEED or from the time. Round n of seed S is the first round of seed S + n.
 */
#ifndef TORTURE_H
#define TORTURE_H
#include <stdint.h>

#include "core/base/text.h"
#include "random.h"

struct torture {
	uint64_t seed;    /* of this round */
	struct dice dice; /* begun with it */
	struct shared *shared;
};

/* Run rounds in a directory of their own, with the shipped data and nobody's settings;
 * `brief` of them without arguments. Returns the program's exit status. */
int torture_main(int argc, char **argv, long brief, void (*round)(struct torture *t));

/* What the round does now, in words that help to do it again. */
void torture_doing(struct torture *t, const char *fmt, ...) TEXT_FORMAT(2, 3);

/* A finding of one kind: told the first time, counted after that. True the first time. */
bool torture_found(struct torture *t, const char *kind);

/* Kinds found so far. */
int torture_kinds(const struct torture *t);

/* More about the finding just made, one line of it. */
void torture_tell(const char *fmt, ...) TEXT_FORMAT(1, 2);

/* The directory of the source tree, and the program to test. */
const char *torture_top(void);
const char *torture_program(void);
#endif
