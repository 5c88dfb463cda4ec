/*
 * settings.h - settings files of trainers as plans: the rows of settings_keys.h, and what takes
 * more than a row.
 */
#ifndef FILE_SETTINGS_H
#define FILE_SETTINGS_H
#include "file/import/importer.h"
#include "file/import/settings_keys.h"
#include "file/log/jsonin.h"

/* Take all rows of a table. `program` tells whose defaults are taken. */
void settings_take(struct import *im, const struct jsonin *j, const struct settings_key rows[],
    const char *program);

/* A job file of torchtitan up to v0.2.2 (TOML). */
bool torchtitan_recognise(const char *text, size_t size, const char *path);
void torchtitan_read(struct import *im);

/* Configurations of nanotron and of accelerate (YAML). */
bool nanotron_recognise(const char *text, size_t size, const char *path);
void nanotron_read(struct import *im);
bool accelerate_recognise(const char *text, size_t size, const char *path);
void accelerate_read(struct import *im);
#endif
