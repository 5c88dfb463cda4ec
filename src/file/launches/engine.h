/*
 * engine.h - settings of serving engines that stand in another program's file.
 */
#ifndef FILE_ENGINE_H
#define FILE_ENGINE_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* What a mapping says of an engine, by the name that plans have for it: its ranks, with the GPUs of one engine as
 * the machine, limits and formats. Keys may have hyphens. False where there is no such engine. */
bool engine_take(struct import *im, struct jsonin *j, const char *name);

/* GPUs of one of so many engines that fill caches, and in buf their pool as serving.prefill_workers has it: several
 * stages count as TP. 0 where there is no such engine. */
int64_t engine_pool(struct jsonin *j, const char *name, int64_t workers, char *buf, size_t size);

/* GPUs and pool of the command in im->text. */
int64_t engine_pool_of_command(struct import *im, const char *name, int64_t workers, char *buf, size_t size);
#endif
