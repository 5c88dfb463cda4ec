/*
 * scan.h - a look at libconfig text before libconfig sees it.
 *
 * Versions of the library differ: 1.5 reads 70000000000 as 1280523264, 1.7 reads 010 as
 * 8, all of them accept a comment that never ends and follow @include, which can end the
 * process from within the scanner (hyperrealm/libconfig issues 56 and 292). What they
 * would not read alike is refused here, with the line, so that a plan means the same
 * everywhere.
 */
#ifndef FILE_SCAN_H
#define FILE_SCAN_H
#include <stdbool.h>
#include <stddef.h>

#include "file/plan/planfile.h"

/* The library takes quadratic time for the settings of a group, and memory for each value: there are
 * limits of both. */

/* What a text holds. */
struct scanned {
	bool comments;   /* other than those that emit.c writes; true of what is refused */
	unsigned values; /* settings, and members of lists */
};

/*
 * Scan size bytes of text (a NUL follows them), the content of `file`. False, with
 * complaints, when libconfig must not see it. *found is set in every case.
 */
bool scan_text(const char *text, size_t size, const char *file, struct file_errors *errors,
    struct scanned *found);
#endif
