/*
 * wrapped.h - launches that stand in files of schedulers, as import_table (import.h) has them. They are read as
 * the command or script within would be, with the machines that the file asks for.
 */
#ifndef FILE_WRAPPED_H
#define FILE_WRAPPED_H
#include "file/source/importer.h"

/* The first container that runs a known launch; of disaggregated engines the pool that decodes. */
void manifest_read(struct import *im);

/* Read the launch in a text in place of the file's, on so many GPUs (0: not said), by the name of what holds it. False where it
 * is none that is known. */
bool wrapped_launch(struct import *im, const char *text, size_t size, const char *name, int64_t gpus);

/* What the image of a Dockerfile runs. */
void dockerfile_read(struct import *im);

/* What a job of mcli runs, or its settings. */
void mcli_read(struct import *im);

/* How a recipe of vLLM serves its model. */
void recipe_read(struct import *im);

/* What an experiment of FlagScale runs. */
void flagscale_read(struct import *im);

/* What a task of SkyPilot runs. */
void skypilot_read(struct import *im);
#endif
