/*
 * nodes.h - names of nodes: cluster.node_list, and cluster.slow_nodes and cluster.other_gpus, which
 * name some of them.
 *
 * A list is what Slurm calls a hostlist: names and ranges in brackets, several of them too, joined
 * by commas ("n[001-064],fat[1-2]b[1,3]"). Without one, a node is called by its number: n17 and 17
 * are the 18th, as nodes count from 0.
 */
#ifndef CORE_NODES_H
#define CORE_NODES_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"

enum { NODE_NAME_SIZE = 64, SLOW_MAX = 16 };

/* Names of a list, -1 where it is none; and the i-th, "" past the end. */
int64_t nodes_count(const char *list);
void nodes_name(const char *list, int64_t i, char *buf, size_t size);

/* The number of a node by its name, of `length` bytes, -1: it is none of the plan's. */
int64_t nodes_find(const struct plan *p, const char *name, size_t length);

/* What a node is called: its name in the list, or its number. */
void nodes_call(const struct plan *p, int64_t node, char *buf, size_t size);

/* Nodes from first to last that reach a part of the speed of others. */
struct slow_nodes {
	int count;
	struct slow_range {
		int64_t first, last;
		double factor;      /* above 0, at most 1 */
	} range[SLOW_MAX];
};

/* "n17*0.8,n40-n43*0.5". False where it can not be read, with the reason in err. */
bool nodes_slow(struct slow_nodes *out, const struct plan *p, char *err, size_t size);

/* Nodes from first to last whose GPUs are of another type: the how manieth that the list names. */
struct other_nodes {
	int count, types;
	char type[PLAN_OTHERS_MAX][PLAN_ID_SIZE]; /* its names */
	struct other_range {
		int64_t first, last;
		int type;
	} range[SLOW_MAX];
};

/* "4-7=a100-sxm-80gb,8=l40s". False where it can not be read, with the reason in err. */
bool nodes_other(struct other_nodes *out, const struct plan *p, char *err, size_t size);

/* The name of the GPUs of a node. */
const char *nodes_gpu(const struct plan *p, int64_t node);

/* The speed of the slowest of nodes first to last, 1: none of them is slow. */
double nodes_speed(const struct plan *p, int64_t first, int64_t last);
#endif
