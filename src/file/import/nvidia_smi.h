/*
 * nvidia_smi.h - one node from what nvidia-smi prints: -L, the plain table, --query-gpu as csv,
 * and topo -m; any of them in one text.
 */
#ifndef FILE_NVIDIA_SMI_H
#define FILE_NVIDIA_SMI_H
#include "file/import/machines.h"

bool nvidia_smi_recognise(const char *text, size_t size, const char *path);
void nvidia_smi_read(struct import *im);
#endif
