/*
 * tuners.h - what fine-tunes, and trains on pairs of responses: a settings file of each trainer
 * and the script that starts it. What they are called there stands in tuning_keys.h.
 */
#ifndef FILE_TUNERS_H
#define FILE_TUNERS_H
#include "file/export/exporter.h"

void trl_write(struct export *e);
void axolotl_write(struct export *e);
void llamafactory_write(struct export *e);
void swift_write(struct export *e);

/* Overrides of a recipe's configuration. Source: pytorch/torchtune recipes. */
void torchtune_write(struct export *e);
#endif
