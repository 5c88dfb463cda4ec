/*
 * catalog_file.h - the catalogue of models, GPUs and clusters, from libconfig files.
 *
 * Shipped files are found in the build tree or where they were installed; files of the
 * same names in $XDG_CONFIG_HOME/shardplan/ add entries and override shipped ones.
 */
#ifndef FILE_CATALOG_FILE_H
#define FILE_CATALOG_FILE_H
#include <stdbool.h>

#include "core/plan/catalog.h"
#include "file/plan/planfile.h"

/* Read models and GPUs. A shipped file that is missing or wrong is an error; so is a wrong
 * user file. On false errors says why and *catalog holds nothing. */
bool catalog_load(struct catalog *catalog, struct file_errors *errors);

/*
 * Read no more than the entries of one GPU and one model, from the shipped files: for a first
 * picture, until catalog_load has read them all. False, with an empty catalogue, when it
 * takes catalog_load to know: the user has files too, a name is not there, or a file can not
 * be read.
 */
bool catalog_load_named(struct catalog *catalog, const char *gpu, const char *model);

/* Add the clusters: plan files that nobody else looks up by name, so only a list of them
 * needs this. On false errors says why; the other entries stand. */
bool catalog_load_clusters(struct catalog *catalog, struct file_errors *errors);
void catalog_free(struct catalog *catalog);
#endif
