/*
 * trainers.h - what programs that build on these hand over: FSDP or DDP of `accelerate launch`
 * where it runs such a plan, and ds_config.json.
 */
#ifndef FILE_TRAINERS_H
#define FILE_TRAINERS_H
#include "file/export/parts.h"

bool accelerate_can_run(struct export *e);
void accelerate_tree(struct export *e, struct tree *t, const struct export_sizes *s);
bool deepspeed_can_run(struct export *e);
void deepspeed_tree(struct export *e, struct tree *t, const struct export_sizes *s);
#endif
