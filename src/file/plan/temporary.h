/*
 * temporary.h - the file that a save fills before it takes the name of the plan.
 *
 * Its name says which process made it, so that the next save in that directory can tell
 * what a killed one left: ".shardplan-HOST-SPACE-PID-N.tmp", where SPACE numbers the name
 * space of the process (a container has its own) and N the files of one process.
 */
#ifndef FILE_TEMPORARY_H
#define FILE_TEMPORARY_H
#include <stddef.h>
#include <sys/types.h>

/* Make a new file in dir, open for writing, with mode less the umask, and put its path into
 * buf. -1 with errno set when that can not be. */
int temporary_open(char *buf, size_t size, const char *dir, mode_t mode);

/*
 * Remove what this user's dead processes left in dir. A process of this host is dead when
 * the system says so; homes are shared, so one of another host or container counts as dead
 * a day after it wrote last. Call while this process has none open.
 */
void temporary_clear(const char *dir);
#endif
