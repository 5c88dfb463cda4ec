/*
 * shell.h - a command of the user's own, which gets the plan's file, while the terminal is not the
 * screen's.
 */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H
#include <stdbool.h>
#include <stddef.h>

/* Run it by /bin/sh with the path as $1, and wait until a line is entered. note gets one line for the
 * user. False when it did not run or its status is not 0. */
bool shell_run(const char *command, const char *path, char *note, size_t size);
#endif
