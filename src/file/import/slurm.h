/*
 * slurm.h - machines from what Slurm prints: scontrol show node, sinfo, lists of nodes.
 *
 * Source: slurm's sinfo(1), scontrol(1), gres.conf(5).
 */
#ifndef FILE_SLURM_H
#define FILE_SLURM_H
#include "file/import/machines.h"

bool slurm_recognise(const char *text, size_t size, const char *path);
void slurm_read(struct import *im);

/* GPUs of a node as Gres has them, "gpu:h100:8(S:0-1),nic:mlx5:8". False without any; *gpus is
 * -1 where a count is none. */
bool slurm_gres(const char *gres, size_t length, char *gpu, size_t size, int64_t *gpus,
    int64_t *nics);
#endif
