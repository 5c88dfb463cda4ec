/*
 * tuning.h - settings of programs that fine-tune as plans: the rows of tuning_keys.h, and what
 * takes more than a row.
 */
#ifndef FILE_TUNING_H
#define FILE_TUNING_H
#include "file/import/importer.h"
#include "file/import/tuning_keys.h"
#include "file/log/jsonin.h"

/* YAML files of trl, axolotl, llamafactory-cli and swift; a configuration of torchtune. */
void trl_read(struct import *im);
void axolotl_read(struct import *im);
void llamafactory_read(struct import *im);
void swift_read(struct import *im);
void torchtune_read(struct import *im);

/* Modules that have adapters, and trained copies, under the keys of a trainer. */
void tuning_take_targets(struct import *im, const struct jsonin *j, const struct tuner *d);
#endif
