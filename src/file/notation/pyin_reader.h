/*
 * pyin_reader.h - for pyin.c and pyin_value.c alone: what they share of a file of Python.
 */
#ifndef FILE_PYIN_READER_H
#define FILE_PYIN_READER_H
#include <jansson.h>

#include "file/notation/pyin.h"

struct py_reader {
	const char *text;
	const struct pyin_unknown *unknown;
	json_t *functions; /* where each is in the text, by name */
	json_t *names;     /* of the module */
	json_t *made;      /* of a script its calls so far, else NULL, */
	json_t *parsed;    /* what argparse makes of its command, */
	const json_t *said; /* and what that command says, or NULL */
	/* What a function returns, of its name on; NULL: not known. */
	json_t *(*function)(struct py_reader *r, const char *at, const json_t *arguments);
	int depth, calls;
};

/* Of one function: its values by name. */
struct py_scope {
	struct py_reader *r;
	json_t *names;
};

/* The newline that ends a statement, none of those in brackets and texts. */
const char *py_end_of_statement(const char *at);

size_t py_length_of_name(const char *at);

/* Past blanks, ends of lines and comments, as within brackets; past what is not understood, to the end of an
 * element. */
void py_skip(const char **at);
void py_pass_over(const char **at);

/* Where a function of the file has its name, NULL: there is none. */
const char *py_function_named(const struct py_reader *r, const char *name);

/* The value that begins here, and the same with nothing behind it that makes it another one: NULL, and of an
 * element passed over, where it is not known. */
json_t *py_value(struct py_scope *s, const char **at);
json_t *py_element(struct py_scope *s, const char **at);
#endif
