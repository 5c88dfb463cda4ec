/*
 * slurm.h - GPUs as Slurm writes them.
 */
#ifndef FILE_SLURM_H
#define FILE_SLURM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs of a node as Gres has them, "gpu:h100:8(S:0-1),nic:mlx5:8". False without any; *gpus is
 * -1 where a count is none. */
bool slurm_gres(const char *gres, size_t length, char *gpu, size_t size, int64_t *gpus,
    int64_t *nics);
#endif
