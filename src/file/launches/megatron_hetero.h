/*
 * megatron_hetero.h - GPUs of several types, as FlagScale tells its Megatron-LM of them. Private to
 * launches.
 */
#ifndef FILE_MEGATRON_HETERO_H
#define FILE_MEGATRON_HETERO_H
#include "file/launches/megatron_args.h"

/* Of a run whose machines are known. */
void megatron_put_hetero(struct megatron_args *a);
#endif
