/*
 * wrapped.h - launches that stand in files of schedulers, as import_table (import.h) has them. They are read as
 * the command or script within would be, with the machines that the file asks for.
 */
#ifndef FILE_WRAPPED_H
#define FILE_WRAPPED_H
#include "file/source/importer.h"

/* The first container that runs a known launch; of disaggregated engines the pool that decodes. */
void manifest_read(struct import *im);

/* What a task of SkyPilot runs. */
void skypilot_read(struct import *im);
#endif
