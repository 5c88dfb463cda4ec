/*
 * nodes.h - names of nodes: cluster.node_list, and cluster.slow_nodes, cluster.dead_nodes and
 * cluster.other_gpus, which name some of them.
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

enum { NODE_NAME_SIZE = 64, SLOW_MAX = 16, DEAD_MAX = 64, DEAD_NAMED_MAX = 2048 /* in brackets */ };

/* Names of a list, -1 where it is none; and the i-th, "" past the end. */
int64_t nodes_count(const char *list);
void nodes_name(const char *list, int64_t i, char *buf, size_t size);

/* Names put together to a list, neighbours as ranges: n001, n002, n004 to n[001-002,004]. All zero is empty. */
struct node_names {
	char text[PLAN_NODES_SIZE], inside[PLAN_NODES_SIZE], prefix[NODE_NAME_SIZE];
	int64_t first, last;
	int digits;
	bool begun, cut;
};
void nodes_add_name(struct node_names *names, const char *name);
const char *nodes_list(struct node_names *names); /* NULL: it is longer than node_list may be */


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

/* Nodes that are down, by their places among all that are known: those that the list names, or, where
 * those are more, the plan's and its spare ones. The plan's are the first of these; beyond them are those that stand in. */
struct dead_nodes {
	int64_t known;
	int count;
	struct dead_range {
		int64_t first, last;
	} range[DEAD_MAX];
};

/* "n17,n40-n43" or "n[17,40-43]", each once. False where it can not be read, with the reason in err. */
bool nodes_dead(struct dead_nodes *out, const struct plan *p, char *err, size_t size);

/* The node that serves as one of the plan's: itself, or, of the n-th of the plan's that is down, the n-th beyond
 * them that is not. -1: it is down, and nothing stands in for it. */
int64_t nodes_serving(const struct dead_nodes *dead, const struct plan *p, int64_t node);

/* Nodes of the plan that are down and that nothing stands in for. */
int64_t nodes_missing(const struct plan *p);

/* What the node that serves as one of the plan's is called: its name in the list, or its number; what is down has
 * its own. */
void nodes_call(const struct plan *p, int64_t node, char *buf, size_t size);

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
