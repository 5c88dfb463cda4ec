/*
 * errors.h - add to the list of complaints of planfile.h.
 */
#ifndef FILE_ERRORS_H
#define FILE_ERRORS_H
#include "core/base/text.h"
#include "file/plan/planfile.h"

/*
 * Append "FILE:LINE: error: PATH: message". line 0 and an empty path are left out. The
 * file name and the path are made fit for a terminal here; what fmt adds must be already.
 */
void errors_add(struct file_errors *errors, const char *file, unsigned line, const char *path,
    const char *fmt, ...) TEXT_FORMAT(5, 6);

/* Add "FILE: warning: message", for what is left out and stops nobody. */
void errors_warn(struct file_errors *errors, const char *file, const char *fmt, ...)
    TEXT_FORMAT(3, 4);

/* The first complaint and how many more there are, on one line; "" without any. */
void errors_note(const struct file_errors *errors, char *note, size_t size);
#endif
