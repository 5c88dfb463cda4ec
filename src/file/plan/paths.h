/*
 * paths.h - where things are: shipped data, and the user's own directories.
 */
#ifndef FILE_PATHS_H
#define FILE_PATHS_H
#include <stdbool.h>
#include <stddef.h>

/*
 * Tell where the program runs from (argv[0], or NULL), so that it finds what was built or
 * installed with it, wherever that was moved. Call once, before anything else of this layer.
 */
void paths_init(const char *program);

/* Path of a shipped file ("models.cfg", "plans/seed.cfg"): in $SHARDPLAN_DATADIR, else in
 * share/ beside the program (a build), else in ../share/shardplan (an installation), else
 * where configure was told to install it. False when the path does not fit. */
bool paths_data(char *buf, size_t size, const char *name);

/* $XDG_CONFIG_HOME/shardplan/NAME, $XDG_STATE_HOME/shardplan/NAME with their fallbacks
 * (~/.config, ~/.local/state). False without a home directory, or when too long. */
bool paths_config(char *buf, size_t size, const char *name);
bool paths_state(char *buf, size_t size, const char *name);

/* Make the directory of a path and those above it, for the user alone. False, with errno
 * set, when that failed. */
bool paths_make(const char *path);
#endif
