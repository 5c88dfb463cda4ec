/*
 * subcommand.h - a thing that the program can do from the command line.
 *
 * The parser, --help and `help COMMAND` read a table of them.
 */
#ifndef CLI_SUBCOMMAND_H
#define CLI_SUBCOMMAND_H
struct options;
struct session;

/* Which options a command takes (subcommand.takes, option_row.takes). */
enum takes {
	TAKES_PLAN = 1,      /* --set and every option of the field table */
	TAKES_KIND = 2,
	TAKES_FORMAT = 4,
	TAKES_COLOR_BY = 8,
	TAKES_WIDTH = 16,
	TAKES_COLOR = 32,
	TAKES_ASCII = 64,
	TAKES_STRICT = 128,
	TAKES_STAGE = 256,
	TAKES_JSON = 512,
	TAKES_PALETTE = 1024,
	TAKES_LINEAR = 2048,
	TAKES_LANGUAGE = 4096,
	TAKES_ZOOM = 8192,
	TAKES_SEARCH = 16384,
	TAKES_IMPORT = 32768,
	TAKES_EXPORT = 65536,
	TAKES_OUTPUT = 131072,
	TAKES_FROM = 262144,
	TAKES_ADOPT = 524288,
	TAKES_WORDS = 1048576, /* operands that are no file say values of the plan */
};

struct subcommand {
	const char *name;      /* "" for the screen, which has no name; NULL ends a table */
	const char *arguments; /* "[PLAN] N" */
	const char *help;      /* one line without a full stop */
	unsigned takes;        /* enum takes */
	int least, most;       /* operands */
	/* Both return the exit status. work: with the plan that is opened before, which is the
	 * first operand where there are as many as can be. */
	int (*run)(const struct options *o);
	int (*work)(struct session *s, const struct options *o);
};

/* The command of that name in a table that ends with a row without a name, or NULL. Its first
 * row, the screen, is never found by name. */
const struct subcommand *subcommand_find(const struct subcommand *table, const char *name);

/* The name nearest to a misspelt one, or NULL. */
const char *subcommand_near(const struct subcommand *table, const char *name);
#endif
