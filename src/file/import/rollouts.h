/*
 * rollouts.h - scripts of programs that train on rollouts, and OpenRLHF on pairs of responses, as
 * plans: the rows of rl_keys.h, and what takes more than a row.
 */
#ifndef FILE_ROLLOUTS_H
#define FILE_ROLLOUTS_H
#include "file/import/importer.h"

/* Overrides of verl's configuration (verl.c). */
bool verl_recognise(const char *text, size_t size, const char *path);
void verl_read(struct import *im);

/* The command line of OpenRLHF, since names of its flags have points in them (openrlhf.c). */
bool openrlhf_recognise(const char *text, size_t size, const char *path);
void openrlhf_read(struct import *im);
#endif
