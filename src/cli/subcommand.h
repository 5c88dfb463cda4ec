/*
 * subcommand.h - the one table of what the program can do from the command line.
 *
 * The parser, --help, `help COMMAND` and the tests read it.
 */
#ifndef CLI_SUBCOMMAND_H
#define CLI_SUBCOMMAND_H
#include <stddef.h>

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
};

struct subcommand {
	const char *name;      /* "" for the screen, which has no name */
	const char *arguments; /* "[PLAN] N" */
	const char *help;      /* one line without a full stop */
	unsigned takes;        /* enum takes */
	int least, most;       /* operands */
	/* Both return the exit status. work: with the plan that is opened before, which is the
	 * first operand where there are as many as can be. */
	int (*run)(const struct options *o);
	int (*work)(struct session *s, const struct options *o);
};

extern const struct subcommand subcommand_table[];
extern const size_t subcommand_count;

/* The command of that name, or NULL. The screen is never found by name. */
const struct subcommand *subcommand_find(const char *name);

/* The name nearest to a misspelt one, or NULL. */
const char *subcommand_near(const char *name);

/* Run the command of the options; returns the exit status. */
int subcommand_run(const struct options *o);

/* Exit statuses of every command. */
enum { STATUS_OK, STATUS_NO, STATUS_ERROR };

int screen_run(const struct options *o);
int groups_run(const struct options *o);
int layers_work(struct session *s, const struct options *o);
int rank_work(struct session *s, const struct options *o);
int map_work(struct session *s, const struct options *o);
int pipeline_work(struct session *s, const struct options *o);
int check_work(struct session *s, const struct options *o);
int estimate_work(struct session *s, const struct options *o);
int search_command(const struct options *o);
int explain_run(const struct options *o);
int diff_run(const struct options *o);
int calibrate_run(const struct options *o);
int import_run(const struct options *o);
int export_run(const struct options *o);
int fields_run(const struct options *o);
int models_run(const struct options *o);
int gpus_run(const struct options *o);
int clusters_run(const struct options *o);
int topics_run(const struct options *o);
int help_run(const struct options *o);
#endif
