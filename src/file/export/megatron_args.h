/*
 * megatron_args.h - the arguments of Megatron-LM's pretrain_gpt.py for a plan.
 */
#ifndef FILE_MEGATRON_ARGS_H
#define FILE_MEGATRON_ARGS_H
#include "file/export/exporter.h"

void megatron_args_write(struct export *e);
#endif
