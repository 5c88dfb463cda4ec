/*
 * shell_reader.h - where a reader of shell text is. Private to shell.c and shell_part.c.
 */
#ifndef FILE_SHELL_READER_H
#define FILE_SHELL_READER_H
#include "file/base/textbuf.h"
#include "file/notation/shell.h"
#include "file/notation/shell_words.h"

enum connector { AFTER_ANY, AFTER_YES, AFTER_NO }; /* ; && || */

/* An if or a case that is open. */
struct branch {
	bool outer;        /* what stands around it is read */
	bool active;       /* and this branch of it is */
	bool taken;        /* an earlier branch was */
	bool in_condition; /* between if and then, or in a pattern */
	bool fresh;        /* no part of the condition was seen */
	enum shell_truth condition;
	bool is_case;
	struct shell_word word; /* of a case */
};

struct reader {
	struct shell *s;
	/* shell.c's and shell_part.c's, which hand the rest on: */
	bool (*read_body)(struct shell *s, const char *text, const char *end, unsigned line);
	char *(*expand)(struct reader *r, const char *text, const char *end, bool here);
	const char *at, *end;
	unsigned line;
	bool in_here;                /* in a text behind << */
	bool expands;                /* else a text is split, and nothing more */
	int depth;                   /* of texts inside texts */
	/* The word in hand. */
	struct textbuf word;
	size_t name;                 /* bytes that it begins with that a name could have, as far as known */
	bool started, unknown;
	bool nothing;                /* "$@" and "${LIST[@]}" without members are no word */
	unsigned word_line;          /* where it came from, 0: here */
	int parens;                  /* that stand in it as letters */
	bool drop_next;              /* the next word is the file of a redirection */
	const char *here;            /* the word that ends a text in the script, of here_size bytes; 0: none is due */
	size_t here_size;
	bool here_tabs, here_plain;  /* lines there may begin with tabs; nothing in them is expanded */
	bool drop_file;              /* the word that is dropped next is a file that is written, this one */
	const char *file;
	struct shell_list *words;    /* where it goes */
	struct shell_list command;
	enum connector connector;    /* before this command */
	enum shell_truth previous;   /* what the one before it was */
	size_t defaults;             /* variables that words of the command in hand gave a value, ${NAME:=text} */
	const char *defaulted[8];
	int branches;
	struct branch branch[SHELL_NEST_MAX];
};

/* The next piece of a word: a character, a quoted text, an expansion. False with an error. */
bool shell_read_part(struct reader *r);

/* The word in hand goes to r->words, if there is one. */
bool shell_end_word(struct reader *r);

/* What a text is with its variables put in, NULL out of memory; free() it. Behind << marks of quotation are its own. */
char *shell_expand(struct reader *r, const char *text, const char *end, bool here);

/* shell_call.c: name() { is at r->at, behind the name: a function from there on. */
void shell_define(struct reader *r);

/* Whether a command calls one, with its words, or shifts the words of the one that is open; then that is done. False in
 * *ok with an error. */
bool shell_call(struct reader *r, const struct shell_list *command, bool *ok);

/* shell_here.c: << is at r->at. Then, behind the line, the text is read up to the line that ends it, if one is due. */
void shell_begin_here(struct reader *r);
bool shell_read_here(struct reader *r);

/* What $(cat <<END ...) gives, from << on; NULL: none, or an error. */
const char *shell_cat_here(struct reader *r, const char *from, const char *close);

/* The end of what opens at `at`, past quotes and what opens inside; NULL without one. */
const char *shell_close(const char *at, const char *end, char open, char close);

/* Begin a word anew. */
void shell_clear_word(struct reader *r);

/* The word in hand begins with NAME= or NAME+=, which no shell splits; or is just that. */
bool shell_is_assignment(struct reader *r, bool alone);
#endif
