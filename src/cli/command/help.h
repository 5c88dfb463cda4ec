/*
 * help.h - --help and --version, from the tables.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H
#include "cli/base/subcommand.h"

/* Everything: usage, commands, options. */
void help_print(const struct subcommand *commands);

/* One command with the options that it takes. */
void help_command(const struct subcommand *command);

void version_print(void);

/* The keys and commands of the screen. Returns the exit status. */
int help_keys(void);
#endif
