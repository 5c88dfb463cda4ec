/*
 * shell.h - what the text of a shell script says, without running any of it.
 *
 * Words with their quotes taken off, variables and arrays that the text itself sets, defaults
 * such as ${TP:-8}, arithmetic, and conditions over them. What only a run could tell stays as it
 * is written: "$1", "$(hostname)". Of a condition that only a run could tell the first branch
 * is read, and so it is with a case. Loops are read once, with the first of their words; functions with what
 * they are called with, or where they stand if nothing calls them; texts within the script (<<) are files that it writes. A list that
 * nothing set, as "${LIST[@]}", is empty, unless another script that is not read may have set it.
 *
 * Source of the grammar: POSIX.1-2017, Shell Command Language; arrays and [[ as in bash(1).
 */
#ifndef FILE_SHELL_H
#define FILE_SHELL_H
#include <stdbool.h>
#include <stddef.h>

#include "file/base/limits.h"

enum { SHELL_BUCKETS = 256, SHELL_FILES_MAX = 8, SHELL_FUNCTIONS_MAX = 32 };

struct shell_word {
	const char *text;
	unsigned line;
	bool unknown; /* a part of it is left as written */
};

struct shell_list {
	size_t count, room;
	struct shell_word *word;
};

struct shell_variable {
	const char *name;
	bool gone; /* unset */
	struct shell_list value;
	int next;  /* of those whose names have the same sum: its place and 1, 0 at the end */
};

struct shell {
	size_t commands, commands_room;
	struct shell_list *command;    /* those that would run, assignments left out */
	struct shell_list *environment; /* of each: the assignments before it, for it alone */
	size_t variables, variables_room;
	struct shell_variable *variable;
	int bucket[SHELL_BUCKETS];     /* the newest by the sum of its name: its place and 1, 0: none */
	unsigned command_end;          /* line in which the last command ends */
	size_t words, bytes;           /* spent of the limits */
	struct {
		const char *name, *text;
	} file[SHELL_FILES_MAX];       /* that it writes: cat >NAME <<END */
	size_t files;
	struct shell_function {
		const char *name, *body, *end; /* in the text that is read */
		unsigned line, last;
		size_t first;          /* command behind which it stands */
		bool called;
	} function[SHELL_FUNCTIONS_MAX];
	size_t functions, looked, calls, called; /* told, looked for, made, and open ones of these */
	size_t bodies;                 /* bytes read of them */
	bool sources;                  /* another script is read into it */
	unsigned loop_line;            /* of the first loop over several words, 0: none */
	struct shell_block *blocks;    /* all memory of the texts */
	const char *error;             /* why it could not be read to its end, or NULL */
	unsigned error_line;
};

/* Read size bytes of a script. False with error and error_line; shell_free in every case. */
bool shell_read(struct shell *s, const char *text, size_t size);

/* Split a text into words as a shell does, nothing in it expanded or an operator. */
bool shell_split(struct shell *s, const char *text, unsigned line, struct shell_list *out);

/* "--num-layers" */
bool shell_is_flag(const char *word);

/* A variable or a command alone that only a run tells. */
bool shell_adds(const struct shell_word *word);

/* Add words to a list, those apart that stand in one: a command handed to bash -c. */
bool shell_flatten(struct shell *s, const struct shell_list *words, struct shell_list *out);

/* What a variable was set to last, NULL where it was not. */
const struct shell_variable *shell_variable(const struct shell *s, const char *name);

/* What it is for that command: set before it, or else last; false where it has not one word. */
bool shell_setting(const struct shell *s, size_t command, const char *name, struct shell_word *out);

void shell_free(struct shell *s);
#endif
