/*
 * language_file.h - what the program says in a language: share/KIND/LANGUAGE.txt.
 */
#ifndef FILE_LANGUAGE_FILE_H
#define FILE_LANGUAGE_FILE_H
#include <stddef.h>

#include "prefs/texts.h"

/* Its text, free() it; NULL with the reason, which names the file, in why. */
char *language_file_read(const char *kind, const char *language, char *why, size_t size);

/* What the screen says in it, share/texts. False with the reason; then there are none. Free with texts_free. */
bool language_texts(struct texts *t, const char *language, char *why, size_t size);
#endif
