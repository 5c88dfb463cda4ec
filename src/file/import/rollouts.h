/*
 * rollouts.h - what programs that train on rollouts, or on pairs of responses, are given, as
 * plans: the rows of rl_keys.h, and what takes more than a row.
 */
#ifndef FILE_ROLLOUTS_H
#define FILE_ROLLOUTS_H
#include "file/import/importer.h"

/* Settings of NeMo-RL, YAML (nemo.c); what they take over from another file is not read. */
void nemo_read(struct import *im);

/* Overrides of verl's configuration (verl.c). */
void verl_read(struct import *im);

/* The command line of OpenRLHF, since names of its flags have points in them (openrlhf.c). */
void openrlhf_read(struct import *im);
#endif
