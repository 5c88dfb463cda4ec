/*
 * checkpoint.h - the model that the name of a checkpoint says.
 */
#ifndef FILE_CHECKPOINT_H
#define FILE_CHECKPOINT_H
#include "file/source/importer.h"

struct json_t;

/*
 * Name the catalogue's model that a checkpoint is of, by the name or the directory of that:
 * "meta-llama/Llama-3.1-8B-Instruct-FP8". Owner, version and what else says nothing of the shape
 * do not count; a format in it is taken. A name with its size may have other words, which the account
 * tells. Directories of a step or a stage within that of a model are left out. Without such a model: false; or a complaint, unless who
 * calls sets one.
 */
bool import_known(struct import *im, const char *name, const char *source);
void import_checkpoint(struct import *im, const char *name, const char *source);

/* Have a field name the entry of another model than that which is planned, by its checkpoint too; without an entry it is
 * ignored. */
void import_second(struct import *im, enum field_id f, const char *name, const char *source);

/* The model of sizes that a trainer's settings have under the names of a config.json. */
void import_shape(struct import *im, struct json_t *config, const char *source);

/* The model of a text that names none, where settings that may do are not read: a config.json beside it;
 * or a complaint, unless who calls sets one. */
void import_unnamed(struct import *im);
#endif
