#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "file/slurp.h"

void
stamp_from(struct file_stamp *stamp, const struct stat *st)
{
	memset(stamp, 0, sizeof *stamp);
	stamp->exists = true;
	stamp->device = st->st_dev;
	stamp->inode = st->st_ino;
	stamp->size = st->st_size;
	stamp->modified = st->st_mtim;
}

void
stamp_get(struct file_stamp *stamp, const char *path)
{
	struct stat st;

	memset(stamp, 0, sizeof *stamp);
	if (stat(path, &st) == 0)
		stamp_from(stamp, &st);
}

bool
stamp_same(const struct file_stamp *a, const struct file_stamp *b)
{
	if (!a->exists || !b->exists)
		return a->exists == b->exists;
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	    a->modified.tv_sec == b->modified.tv_sec &&
	    a->modified.tv_nsec == b->modified.tv_nsec;
}

/* Read to the end, one byte past the limit at most. The size that fstat told is only a
 * hint: the file may grow, and a pipe has none. */
static bool
read_all(struct slurp *out, int fd, char *why, size_t size)
{
	size_t room = out->stamp.exists ? (size_t)out->stamp.size + 1 : 16384;

	for (;;) {
		ssize_t n;

		if (out->text == NULL || out->size + 1 >= room) {
			char *text;

			room = out->text == NULL ? room + 1 : room * 2;
			if ((text = realloc(out->text, room)) == NULL) {
				text_put(why, size, "out of memory");
				return false;
			}
			out->text = text;
		}
		n = read(fd, out->text + out->size, room - 1 - out->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd wait = { .fd = fd, .events = POLLIN };

			(void)poll(&wait, 1, -1);
			continue;
		}
		if (n < 0) {
			out->error = errno;
			text_put(why, size, "can not be read: %s", strerror(errno));
			return false;
		}
		if (n == 0)
			break;
		out->size += (size_t)n;
		if (out->size > PLANFILE_SIZE_MAX) {
			text_put(why, size, "is larger than 1 MiB, so it is no plan");
			return false;
		}
	}
	out->text[out->size] = '\0';
	return true;
}

static int
open_regular(struct slurp *out, const char *path, char *why, size_t size)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		out->error = errno;
		text_put(why, size, "can not be opened: %s", strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) != 0) {
		out->error = errno;
		text_put(why, size, "can not be read: %s", strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		text_put(why, size, "is a directory, not a file");
	} else if (!S_ISREG(st.st_mode)) {
		text_put(why, size, "is not a regular file");
	} else if (st.st_size > PLANFILE_SIZE_MAX) {
		text_put(why, size, "is larger than 1 MiB, so it is no plan");
	} else {
		stamp_from(&out->stamp, &st);
		return fd;
	}
	close(fd);
	return -1;
}

bool
slurp_file(struct slurp *out, const char *path, char *why, size_t size)
{
	bool input = strcmp(path, "-") == 0, ok;
	int fd = STDIN_FILENO;

	memset(out, 0, sizeof *out);
	if (!input && (fd = open_regular(out, path, why, size)) < 0)
		return false;
	ok = read_all(out, fd, why, size);
	if (!input)
		close(fd);
	if (!ok) {
		free(out->text);
		out->text = NULL;
	}
	return ok;
}
