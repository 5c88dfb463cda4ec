/*
 * preferences.h - what a user's sessions leave behind for the next ones: settings, and the
 * lines typed at the ":" prompt.
 */
#ifndef CLI_PREFERENCES_H
#define CLI_PREFERENCES_H
#include <stdbool.h>
#include <stddef.h>

#include "prefs/settings.h"

/* The user's settings, $XDG_CONFIG_HOME/shardplan/settings.cfg over the defaults. What is
 * wrong in the file is left out and told in note, one line, else "". */
void preferences_read(struct settings *s, char *note, size_t size);

/* Write one setting, or all with NULL. False with the reason in note, which gets one line
 * for the user in every case. */
bool preferences_write(const struct settings *s, const char *name, char *note, size_t size);

/* Write a text that was copied to $XDG_STATE_HOME/shardplan/copied. False with the reason in note,
 * which names the file in every other case. */
bool preferences_copy(const char *text, char *note, size_t size);

/* Lines of earlier sessions, each ended, oldest first; allocated, NULL without any. */
char *preferences_lines(void);

/* Add lines, each ended. What other sessions added meanwhile stays; of equal lines only
 * the last does. A failure is nobody's concern. */
void preferences_add_lines(const char *lines);

/* Plans that were opened or saved lately, a path a line, the last of them last; the same of both. */
char *preferences_recent(void);
void preferences_add_recent(const char *path);
#endif
