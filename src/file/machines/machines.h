/*
 * machines.h - what a list of machines comes down to: one kind of node, how many of them, and
 * the GPU. For importers that read such lists.
 */
#ifndef FILE_MACHINES_H
#define FILE_MACHINES_H
#include "file/machines/hosts.h"
#include "file/source/importer.h"

enum { MACHINES_KINDS_MAX = 16, MACHINES_LINE_SIZE = 16384 };

/* All zero is empty; machines_free at the end. */
struct machines {
	size_t kinds;
	struct machines_kind {
		int64_t nodes, gpus; /* gpus of a node; 0: not said */
		char gpu[PLAN_ID_SIZE]; /* as Slurm or the driver calls it, "" not said */
		int64_t dead;           /* nodes among them that are down or drained */
		struct node_names names, down; /* of all, and of these, as far as they are told */
	} kind[MACHINES_KINDS_MAX];
	struct hosts seen;
	int64_t nics;       /* of a node, 0: not said */
	int64_t domain;     /* GPUs of an NVLink domain, 0: not said */
	double memory_mib;  /* of a GPU, 0: not said */
	bool one_node;      /* it is one node's list: how many there are is not said */
	bool in_order;      /* it is the job's own, in the order of ranks */
};

/* Count nodes of a kind, and it; NULL when there are too many kinds. */
struct machines_kind *machines_add(struct machines *m, const char *gpu, int64_t gpus, int64_t nodes);

/* The nodes that a list names, those not seen before; false after a complaint. */
bool machines_names(struct import *im, struct machines *m, const char *list, size_t length,
    int64_t *added);

/* Nodes of a kind by their names, those not seen before; false after a complaint. */
bool machines_listed(struct import *im, struct machines *m, struct machines_kind *k, const char *list, size_t length,
    bool dead);

/* Put the kind with most GPUs into the plan, and say what became of the others. */
void machines_put(struct import *im, const struct machines *m, const char *source);
void machines_free(struct machines *m);

/* The GPU by the name that a driver, a scheduler or the catalogue has for it; told where there is none. */
void machines_gpu(struct import *im, const char *name, const char *source);

/* The next line without its end, escape sequences and control characters; counts im->line, which
 * begins at 0. False at the end of the text. */
bool machines_line(struct import *im, const char **at, char *line, size_t size);
#endif
