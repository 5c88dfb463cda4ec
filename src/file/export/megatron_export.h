/*
 * megatron_export.h - plans as arguments of Megatron-LM's pretrain_gpt.py: a script that runs
 * them, and scripts that hand them to Slurm.
 */
#ifndef FILE_MEGATRON_EXPORT_H
#define FILE_MEGATRON_EXPORT_H
#include "file/export/exporter.h"

/* Whether Megatron-LM, of any launcher, runs such a plan; else it is refused. */
bool megatron_can_run(struct export *e);

/* Run on every node, with torchrun. */
void megatron_write(struct export *e);

/* sbatch scripts: one torchrun a node, or one task a GPU. */
void megatron_sbatch_torchrun(struct export *e);
void megatron_sbatch_srun(struct export *e);
#endif
