/*
 * tuning.h - what importers of programs that fine-tune share.
 */
#ifndef FILE_TUNING_H
#define FILE_TUNING_H
#include "file/launches/tuning_keys.h"
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* Modules that have adapters, and trained copies, under the keys of a trainer. */
void tuning_take_targets(struct import *im, const struct jsonin *j, const struct tuner *d);

/* Put the settings of DeepSpeed and Accelerate that these name in the place of the name: deepspeed,
 * fsdp_config, and the GPUs of the launch. */
void tuning_named(struct import *im, struct jsonin *j);
#endif
