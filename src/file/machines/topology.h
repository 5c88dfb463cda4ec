/*
 * topology.h - switches as Slurm knows them (topology.conf(5), scontrol show topology): how many
 * nodes the units of each level have, and the nodes in the order of the leaves.
 */
#ifndef FILE_TOPOLOGY_H
#define FILE_TOPOLOGY_H
#include "file/source/importer.h"

/* Put cluster.levels and cluster.node_list into the plan, whose nodes are known. Slurm tells no
 * rates: those of the plan's cards are assumed, and no oversubscription. Nothing without switches. */
void topology_put(struct import *im);
#endif
