/*
 * words.h - settings that stand on the command line of a script, read into the tree that
 * jsonin.h asks: what shell.h makes of the text.
 */
#ifndef FILE_WORDS_H
#define FILE_WORDS_H
#include "file/import/importer.h"
#include "file/log/jsonin.h"

/* section.name=value, as Hydra and OmegaConf take them, of all commands; lists as [a,b]. False
 * after a complaint; jsonin_free in either case. */
bool words_overrides(struct jsonin *j, struct import *im);

/* --section.name value value, as argparse takes them, of commands that run the program whose name
 * begins so; a flag alone is true. */
bool words_flags(struct jsonin *j, struct import *im, const char *program);
#endif
