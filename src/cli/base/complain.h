/*
 * complain.h - what commands say on standard error, and the statuses that they leave with.
 */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H
#include "core/base/text.h"

/* Exit statuses of every command. */
enum { STATUS_OK, STATUS_NO, STATUS_ERROR, STATUS_INTERRUPTED = 130 };

/* One line on standard error, then where to find help. Returns STATUS_ERROR. */
int usage_error(const char *fmt, ...) TEXT_FORMAT(1, 2);

/* One line on standard error; the one for want of memory, which returns STATUS_ERROR. */
void complain(const char *fmt, ...) TEXT_FORMAT(1, 2);
int out_of_memory(void);
#endif
