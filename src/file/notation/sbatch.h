/*
 * sbatch.h - GPUs as Slurm writes them, and what a script asks it for, in the lines that begin with #SBATCH
 * (sbatch(1)).
 */
#ifndef FILE_SBATCH_H
#define FILE_SBATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs of a node as Gres has them, "gpu:h100:8(S:0-1),nic:mlx5:8". False without any; *gpus is
 * -1 where a count is none. */
bool slurm_gres(const char *gres, size_t length, char *gpu, size_t size, int64_t *gpus,
    int64_t *nics);

/* As options have them, "8", "h100:8" or "gpu:h100:8": how many, 0 where that is none, and of which kind. */
int64_t slurm_gpus(const char *text, char *gpu, size_t size);

/* Of each 0 or "" where no line says it. GPUs are those of a node. */
struct sbatch {
	int64_t nodes, gpus, tasks; /* tasks of a node */
	char gpu[32];               /* "a100", as the cluster calls it */
};

void sbatch_read(struct sbatch *b, const char *text);
#endif
