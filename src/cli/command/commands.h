/*
 * commands.h - the one table of what the program can do from the command line.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "cli/base/options.h"

/* The screen, then the commands; ends with a row without a name. */
extern const struct subcommand subcommand_table[];

/* Run the command of the options; returns the exit status. */
int subcommand_run(const struct options *o);
#endif
