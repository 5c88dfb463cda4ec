/*
 * topo.h - the matrix of nvidia-smi topo -m: who is joined to whom, and how.
 *
 * A cell of two devices is X (the same), NV and a number of links, or what of the host lies
 * between: PIX, PXB, PHB, NODE, SYS, from near to far.
 */
#ifndef FILE_TOPO_H
#define FILE_TOPO_H
#include <stdbool.h>
#include <stdint.h>

#include "file/base/limits.h"

/* All zero is empty. Devices in the order of the head, GPUs and cards mixed. */
struct topo {
	int devices;            /* columns */
	bool is_gpu[TOPO_DEVICES_MAX];
	bool has_row[TOPO_DEVICES_MAX];
	int64_t gpus, nics;
	/* how far from near to far, as 1 NVLink, 2 PIX, ... 6 SYS; 0 not said */
	unsigned char cell[TOPO_DEVICES_MAX][TOPO_DEVICES_MAX];
};

/* Whether a text holds such a matrix. */
bool topo_is_one(const char *text);

/* Take a line of it; false when it is none. */
bool topo_line(struct topo *t, const char *line);

/* GPUs that NVLink joins, directly or through one another: the largest such set. 1 without
 * NVLink, 0 without a matrix. */
int64_t topo_domain(const struct topo *t);

/* Cards that are nearest to some GPU, all of those on one switch with it, as the pairs of a DGX A100 have; no more than
 * GPUs, as slower ones come in numbers (four EFA cards a GPU). 0 where none is told apart. */
int64_t topo_rails(const struct topo *t);
#endif
