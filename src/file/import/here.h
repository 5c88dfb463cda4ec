/*
 * here.h - the machines that the program runs on: a Slurm allocation or a torchrun launch by its
 * environment, and the GPUs that the kernel's NVIDIA driver tells of.
 */
#ifndef FILE_HERE_H
#define FILE_HERE_H
#include "file/import/import.h"

/* As import_file; nothing is run, and no network asked. */
enum import_status import_here(struct import *im);
#endif
