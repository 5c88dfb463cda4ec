/*
 * settings_file.h - the file of settings, settings.cfg: read with file and line in every
 * complaint, written one value at a time.
 */
#ifndef FILE_SETTINGS_FILE_H
#define FILE_SETTINGS_FILE_H
#include <stdbool.h>
#include <stddef.h>

#include "file/plan/planfile.h"
#include "prefs/settings.h"

/*
 * Put what the file says over *s. No file is no error. False with complaints, which name
 * the file without its directory; what is right in it is in *s nonetheless. Names of keys
 * and commands are taken as they are, each with its line: what they mean only the screen
 * knows.
 */
bool settings_file_read(struct settings *s, const char *path, struct file_errors *errors);

/* Read settings from size bytes, which a NUL follows; path stands for the file in complaints. */
bool settings_file_read_text(struct settings *s, const char *path, const char *text, size_t size,
    struct file_errors *errors);

/*
 * Write one value of *s, or with row settings_count all that the file says otherwise.
 * Comments, order and all other lines of the file stay, as do its mode and a symbolic link;
 * it is replaced whole or not at all. A file with an error in it is left alone. False with
 * the reason in note, which in every case gets one line for the user.
 */
bool settings_file_write(const struct settings *s, size_t row, const char *path, char *note,
    size_t size);
#endif
