/*
 * slurp.h - read a whole file, and only what is safe to read: a regular file of at most
 * PLANFILE_SIZE_MAX bytes. Opening a FIFO or a device could block or act; they are refused
 * unread, and so are files of the kernel that make a reader wait.
 */
#ifndef FILE_SLURP_H
#define FILE_SLURP_H
#include <stdbool.h>
#include <stddef.h>

#include "file/plan/planfile.h"

struct slurp {
	char *text;              /* ended with a NUL, free() it */
	size_t size;
	struct file_stamp stamp; /* not for standard input */
	bool ours;               /* nobody but the user may write it */
	int error;               /* errno where the system refused, else 0 */
};

/* Read path, or standard input for "-". On refusal false, with the reason in why. */
bool slurp_file(struct slurp *out, const char *path, char *why, size_t size);

/* As that, so many bytes at most, for whom it is nothing whether the file changes: it gets no stamp,
 * which takes as long as reading. */
bool slurp_part(struct slurp *out, const char *path, size_t most, char *why, size_t size);

/* The stamp of a file that holds size bytes of data. */
struct file_stamp stamp_of(const struct stat *st, const void *data, size_t size);

/* Two files hold the same, or neither is there. */
bool stamp_same(const struct file_stamp *a, const struct file_stamp *b);
#endif
