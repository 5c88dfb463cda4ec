/*
 * since.h - which version of the program first had a name: that of a field, or of a result.
 */
#ifndef CORE_SINCE_H
#define CORE_SINCE_H

#define SINCE_FIRST "0.1"

/* "0.2" for "run.days"; SINCE_FIRST for any name that no row of since.def tells of. */
const char *since_version(const char *path);
#endif
