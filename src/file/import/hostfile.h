/*
 * hostfile.h - machines from the host files of DeepSpeed and MPI: a name a line, with
 * "slots=8", ":8" or nothing after it.
 *
 * Source: microsoft/DeepSpeed deepspeed/launcher/runner.py; Open MPI's mpirun(1).
 */
#ifndef FILE_HOSTFILE_H
#define FILE_HOSTFILE_H
#include "file/import/machines.h"

bool hostfile_recognise(const char *text, size_t size, const char *path);
void hostfile_read(struct import *im);
#endif
