#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "file/plan/slurp.h"

/* As FNV-1a, of words: it need not stand against those who mean to deceive. */
static uint64_t
checksum(const unsigned char *data, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i += sizeof sum) {
		uint64_t word = 0;

		memcpy(&word, data + i, size - i < sizeof word ? size - i : sizeof word);
		sum = (sum ^ word) * 0x100000001b3;
		sum ^= sum >> 32; /* a product's low bits know nothing of a word's high ones */
	}
	return sum;
}

struct file_stamp
stamp_of(const struct stat *st, const void *data, size_t size)
{
	return (struct file_stamp){ .exists = true, .device = st->st_dev, .inode = st->st_ino,
		.size = size, .content = checksum(data, size), .modified = st->st_mtim };
}

bool
stamp_same(const struct file_stamp *a, const struct file_stamp *b)
{
	if (!a->exists || !b->exists)
		return a->exists == b->exists;
	return a->size == b->size && a->content == b->content;
}

/* Read to the end or to `most`, one byte past the limit at most. The size that fstat told is only a
 * hint: the file may grow, and a pipe has none. Only standard input (st is NULL) is waited
 * for: a regular file that has nothing yet is one of the kernel, such as /proc/kmsg. */
static bool
read_all(struct slurp *out, int fd, const struct stat *st, size_t most, char *why, size_t size)
{
	size_t room = st == NULL ? 16384 : (size_t)st->st_size < most ? (size_t)st->st_size + 1 : most;

	while (out->size < most) {
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
		if (n < 0 && errno == EAGAIN && st == NULL) {
			struct pollfd wait = { .fd = fd, .events = POLLIN };

			(void)poll(&wait, 1, -1);
			continue;
		}
		if (n < 0) {
			out->error = errno;
			if (errno == EAGAIN)
				text_put(why, size, "is no plain file: it makes its readers wait");
			else
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
open_regular(struct slurp *out, const char *path, struct stat *st, char *why, size_t size)
{
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		out->error = errno;
		text_put(why, size, "can not be opened: %s", strerror(errno));
		return -1;
	}
	if (fstat(fd, st) != 0) {
		out->error = errno;
		text_put(why, size, "can not be read: %s", strerror(errno));
	} else if (S_ISDIR(st->st_mode)) {
		text_put(why, size, "is a directory, not a file");
	} else if (!S_ISREG(st->st_mode)) {
		text_put(why, size, "is not a regular file");
	} else if (st->st_size > PLANFILE_SIZE_MAX) {
		text_put(why, size, "is larger than 1 MiB, so it is no plan");
	} else {
		out->ours = st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
		return fd;
	}
	close(fd);
	return -1;
}

/* As slurp_part; st has what the kernel says of a file. */
static bool
slurp(struct slurp *out, const char *path, struct stat *st, size_t most, char *why, size_t size)
{
	bool input = strcmp(path, "-") == 0, ok;
	int fd = STDIN_FILENO;

	memset(out, 0, sizeof *out);
	if (!input && (fd = open_regular(out, path, st, why, size)) < 0)
		return false;
	ok = read_all(out, fd, input ? NULL : st, most, why, size);
	if (!input)
		close(fd);
	if (!ok) {
		free(out->text);
		out->text = NULL;
	}
	return ok;
}

bool
slurp_file(struct slurp *out, const char *path, char *why, size_t size)
{
	struct stat st;
	const bool ok = slurp(out, path, &st, SIZE_MAX, why, size);

	if (ok && strcmp(path, "-") != 0)
		out->stamp = stamp_of(&st, out->text, out->size);
	return ok;
}

bool
slurp_part(struct slurp *out, const char *path, size_t most, char *why, size_t size)
{
	struct stat st;

	return slurp(out, path, &st, most, why, size);
}
