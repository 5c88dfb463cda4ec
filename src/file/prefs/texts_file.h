/*
 * texts_file.h - what the screen says in a language: share/texts/LANGUAGE.txt (texts.h).
 */
#ifndef FILE_TEXTS_FILE_H
#define FILE_TEXTS_FILE_H
#include "prefs/texts.h"

/* Read it. False with the reason, which names the file; then there are none. Free with
 * texts_free. */
bool texts_file_read(struct texts *t, const char *language, char *why, size_t size);
#endif
