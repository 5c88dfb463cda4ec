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
 * user file. One of the user's that the system does not let read is left out with a warning in
 * errors. On false errors says why and *catalog holds nothing. */
bool catalog_load(struct catalog *catalog, struct file_errors *errors);

/* Names of entries, or aliases of theirs. Those beyond the room are counted alone. */
enum { CATALOG_NAMES = 8 };
struct catalog_names {
	size_t count;
	const char *name[CATALOG_NAMES];
};
void catalog_name(struct catalog_names *names, const char *name);

/*
 * Read no more of the shipped files than the entries named, and all of the user's: for a
 * command of one plan, and for a first picture, until catalog_load has read the rest. Each name
 * then finds what it finds in the whole catalogue, and errors has the warnings of catalog_load.
 * False, with an empty catalogue, when it takes catalog_load to know: a name is not there, there
 * are too many, or a file can not be read or is wrong.
 */
bool catalog_load_named(struct catalog *catalog, const struct catalog_names *gpus,
    const struct catalog_names *models, struct file_errors *errors);

/* Add the clusters, likewise: plan files that nobody else looks up by name, so only a list of them
 * needs this. On false errors says why; the other entries stand. */
bool catalog_load_clusters(struct catalog *catalog, struct file_errors *errors);
void catalog_free(struct catalog *catalog);
#endif
