/*
 * trainers.h - what starts training besides Megatron-LM: a settings file and the script that
 * hands it over.
 */
#ifndef FILE_TRAINERS_H
#define FILE_TRAINERS_H
#include "file/export/parts.h"

/* ds_config.json, hostfile and a launcher line. Source: DeepSpeed runtime/config.py,
 * runtime/zero/config.py, launcher/runner.py. */
void deepspeed_write(struct export *e);

/* A job file of the last release that reads TOML. Source: torchtitan v0.2.2
 * torchtitan/config/job_config.py, distributed/parallel_dims.py. */
void torchtitan_write(struct export *e);

/* Source: nanotron src/nanotron/config/config.py, parallel/context.py. */
void nanotron_write(struct export *e);

/* FSDP. Source: Accelerate src/accelerate/parallelism_config.py, commands/config/config_args.py. */
void accelerate_write(struct export *e);

/* What programs that build on these hand over: FSDP or DDP of `accelerate launch` where it runs
 * such a plan, and ds_config.json. */
bool accelerate_can_run(struct export *e);
void accelerate_tree(struct export *e, struct tree *t, const struct export_sizes *s);
bool deepspeed_can_run(struct export *e);
void deepspeed_tree(struct export *e, struct tree *t, const struct export_sizes *s);
#endif
