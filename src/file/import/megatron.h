/*
 * megatron.h - plans from the arguments of Megatron-LM's pretrain scripts.
 */
#ifndef FILE_MEGATRON_H
#define FILE_MEGATRON_H
#include "file/import/importer.h"

void megatron_read(struct import *im);
#endif
