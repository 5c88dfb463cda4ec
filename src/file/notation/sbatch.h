/*
 * sbatch.h - what a script asks Slurm for, in the lines that begin with #SBATCH (sbatch(1)).
 */
#ifndef FILE_SBATCH_H
#define FILE_SBATCH_H
#include <stdint.h>

/* Of each 0 or "" where no line says it. GPUs are those of a node. */
struct sbatch {
	int64_t nodes, gpus, tasks; /* tasks of a node */
	char gpu[32];               /* "a100", as the cluster calls it */
};

void sbatch_read(struct sbatch *b, const char *text);
#endif
