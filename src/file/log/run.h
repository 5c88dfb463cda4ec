/*
 * run.h - what a run left behind, read into struct measured.
 *
 * A file may hold lines of several programs, of all ranks, with their prefixes and colours. Which
 * ones is recognised by words that only they print; rows of these words stand in run_*.c, each
 * with the file of the program that prints them. One pass, in bounded memory.
 */
#ifndef FILE_RUN_H
#define FILE_RUN_H
#include <stdbool.h>

#include "core/diagnose/measured.h"
#include "file/plan/planfile.h"

/* Add what a file tells, "-" for standard input; m is all zero before the first one. False, with a
 * line in errors, where it can not be read, or tells nothing that is known. */
bool run_read(struct measured *m, const char *path, struct file_errors *errors);

/* Add what size bytes tell, which a NUL follows; name stands for the file in complaints. */
bool run_read_text(struct measured *m, const char *name, const char *text, size_t size,
    struct file_errors *errors);
#endif
