/*
 * trainers.h - what programs that build on these hand over: FSDP or DDP of `accelerate launch`
 * where it runs such a plan, and ds_config.json.
 */
#ifndef FILE_TRAINERS_H
#define FILE_TRAINERS_H
#include "file/export/parts.h"

/* The drive that settings name; where a node has it elsewhere it is to be put there. */
#define DEEPSPEED_DRIVE "/local_nvme"

/* "cpu" or "nvme" for the optimizer's state or for weights, "none" where they stay. */
const char *deepspeed_device(const struct plan *p, bool weights);

bool accelerate_can_run(struct export *e);
void accelerate_tree(struct export *e, struct tree *t, const struct export_sizes *s);
bool deepspeed_can_run(struct export *e);
void deepspeed_tree(struct export *e, struct tree *t, const struct export_sizes *s);
#endif
