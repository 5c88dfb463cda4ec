/*
 * hosts.h - names of machines as Slurm writes them, "a-[01-16,20],gb200-r[1-4]-n[01-18],vm",
 * each counted once.
 */
#ifndef FILE_HOSTS_H
#define FILE_HOSTS_H
#include <stddef.h>
#include <stdint.h>

#include "core/plan/nodes.h"
#include "file/base/limits.h"

enum { HOSTS_NAME_SIZE = 256 };

/* All zero is empty; hosts_free at the end. */
struct hosts {
	uint64_t *sum; /* of each name */
	size_t count, room;
	size_t read;   /* names, known ones too: what they cost is bounded */
	struct node_names *names, *down; /* which get new ones too, NULL: none */
};

enum hosts_result {
	HOSTS_ADDED,
	HOSTS_KNOWN,    /* no new name among them */
	HOSTS_WRONG,    /* a bracket that is not closed, or holds no numbers */
	HOSTS_TOO_MANY, /* more than HOSTS_MAX, or no memory */
};

/* Add the names of a list of `length` bytes; *added of them are new. */
enum hosts_result hosts_add(struct hosts *h, const char *list, size_t length, int64_t *added);
void hosts_free(struct hosts *h);
#endif
