/*
 * program.h - which program a command of a script runs.
 */
#ifndef FILE_PROGRAM_H
#define FILE_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>

#include "file/notation/shell.h"

/* Words up to the end of the name of one of these programs ("trl sft|trl dpo", the last word of each as it
 * begins), 0: the command runs none of them. */
size_t program_end(const struct shell_list *command, const char *programs);

/* The command runs a container, whose options are none of the program's. */
bool program_is_contained(const struct shell_list *command);

/* "train.py" */
bool program_is_python(const char *word);
#endif
