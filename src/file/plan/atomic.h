/*
 * atomic.h - replace a file whole or not at all.
 */
#ifndef FILE_ATOMIC_H
#define FILE_ATOMIC_H
#include <stdbool.h>
#include <stddef.h>

#include "file/plan/planfile.h"

enum atomic_result {
	ATOMIC_DONE,
	ATOMIC_CHANGED, /* the file is not as `expected` any more: nothing written */
	ATOMIC_FAILED,  /* the old file is as it was */
};

/*
 * Write size bytes to path: into a temporary file beside it, every write checked, fsync,
 * close checked, rename, fsync of the directory. Symbolic links are followed and kept. A
 * new file gets 0666 less the umask, or what the directory gives new files; an old one
 * keeps its mode and, where allowed, owner, group and access list; with `like`, they are
 * those of that file. With `expected`, what stands at path just before the rename must
 * still be that; where it says that there is nothing, nothing is ever replaced.
 *
 * With `stamp` (which may be `expected`), it tells how the new file looks. why gets the
 * reason of a failure, of which errno is left too; when all is done, what of the old file
 * could not be kept ("group, access list"), or "". A hard link never is: its other names lead to
 * the old file, as only writing into that would keep it, and half of a plan is none.
 */
enum atomic_result atomic_write(const char *path, const void *data, size_t size,
    const char *like, const struct file_stamp *expected, struct file_stamp *stamp, char *why,
    size_t whysize);

/* Write what nobody but the user is to read: a new file gets mode 0600. */
enum atomic_result atomic_write_private(const char *path, const void *data, size_t size,
    const struct file_stamp *expected, char *why, size_t whysize);

/*
 * The same through a temporary file of a given name, by nothing that a signal handler may not
 * do. path is the file itself, not a link to it, and its directory is there. False with errno
 * set.
 */
bool atomic_replace(const char *path, const char *temporary, const void *data, size_t size);

/* The file that path leads to through symbolic links, which need not exist itself.
 * False, with the reason, when the directory is not there or the link leads nowhere. */
bool atomic_target(char *buf, size_t size, const char *path, char *why, size_t whysize);
#endif
