/*
 * megatron_settings.h - arguments of Megatron-LM as settings, under the names that its parser gives them: Primus and
 * NeMo 1 have them so.
 */
#ifndef FILE_MEGATRON_SETTINGS_H
#define FILE_MEGATRON_SETTINGS_H
#include <jansson.h>
#include <stdbool.h>

#include "file/base/textbuf.h"
#include "file/source/importer.h"

/* Add the arguments that settings stand for to a command, and end its line. */
void megatron_settings_add(struct textbuf *command, const json_t *settings);

/* Read the command, which is freed, in place of the file; lines of it are none of the file's. sizes: it tells those of the
 * model, but perhaps for its words, which are those of the tokenizer of a checkpoint, "" for none. */
void megatron_settings_read(struct import *im, struct textbuf *command, bool sizes, const char *model);
#endif
