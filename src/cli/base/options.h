/*
 * options.h - the command line, read into one struct.
 *
 * Options are the fixed ones below and every row of the field table that has a flag, by that
 * or by its short name.
 * Values for fields are kept as typed, in their order, and put into a plan later
 * (session_open), so that all of them are applied before anything is checked.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/complain.h"
#include "cli/base/subcommand.h"
#include "core/framework/layout.h"
#include "core/plan/field.h"
#include "core/plan/override.h"
#include "core/search/search_ask.h"
#include "ui/app/app.h"
#include "ui/map/map.h"

struct options {
	const struct subcommand *commands; /* all there are */
	const struct subcommand *command; /* the one that is asked for; the first: the screen */
	int operands;                     /* without the command's name */
	const char **operand;             /* owned; the strings are those of argv */
	int words;                        /* operands that say values of a plan instead */
	const char **word;                /* owned, as operand is */
	char gpus[32];                    /* the word that an option stands for */
	size_t settings;
	struct setting *setting;          /* owned */
	size_t asks;
	struct search_word *ask;          /* owned: of a search, in the order given */
	const char *price;                /* "h100-sxm-80gb=2.5,..." or NULL */
	int64_t around, top, threads;     /* 0: not given */
	int kinds;
	const char *kind[LAYOUT_KINDS_MAX];
	const char *color_by;             /* "tp,pp" or NULL */
	int64_t at;                       /* rank of the map's cursor, 0: not given */
	enum map_zoom zoom;               /* AUTO: not given */
	int64_t width;                    /* 0: not given */
	int64_t stage;                    /* -1: not given */
	enum color_when color;
	const char *language;             /* of the topics: "en", "zh", or NULL */
	const char *palette;              /* name of one, or NULL */
	const char *from, *to;            /* kind of an import, target of an export, or NULL */
	const char *core;                 /* release of Megatron core for an export, or NULL */
	const char *part;                 /* of several launches in an imported file, or NULL */
	const char *root;                 /* directory of files that an import's launch names, or NULL */
	int64_t world;                    /* GPUs of an import, 0: not given */
	const char *output;               /* file or directory, or NULL */
	bool adopt, hash, csv, ascii, linear, strict, tight, json, here, list, help, version;
	bool word_first;                  /* the first word could have been a command's name */
	unsigned given;                   /* enum takes of the options given, */
	uint64_t fixed;                   /* and which rows of option_table they are */
};

/* Read argv. False after a message on standard error; options_free in either case. */
bool options_parse(struct options *o, const struct subcommand *commands, int argc, char **argv);
void options_free(struct options *o);

/* A fixed option for --help: "kind", "K", "only groups of this kind (repeatable)". */
struct option_row {
	const char *name;
	const char *argument; /* NULL: none, "[=N]": it may be left out */
	const char *help;
	int letter;      /* short option, 0 without */
	unsigned takes;  /* the bit of enum takes that allows it, 0: always allowed */

	/* Where its value goes in struct options: a bool without an argument, an int64_t from least
	 * to most where those are given, else a text, one of `names` (joined by '|') where there are
	 * some. Or what takes it: false after a message. */
	size_t at;
	const char *names;
	int64_t least, most;
	bool (*take)(struct options *o, const struct option_row *row, const char *value);
};
extern const struct option_row option_table[];
extern const size_t option_count;
#endif
