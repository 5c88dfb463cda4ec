/*
 * nemo.h - settings of NeMo-RL as plans: the rows of nemo_keys.h, and what takes more than a row.
 * What a file takes over from the one that it names as its defaults is not read.
 */
#ifndef FILE_NEMO_H
#define FILE_NEMO_H
#include "file/import/importer.h"

bool nemo_recognise(const char *text, size_t size, const char *path);
void nemo_read(struct import *im);
#endif
