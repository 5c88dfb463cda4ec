/*
 * language_file.h - what the program says in a language: share/KIND/LANGUAGE.txt.
 */
#ifndef FILE_LANGUAGE_FILE_H
#define FILE_LANGUAGE_FILE_H
#include <stddef.h>

/* Its text, free() it; NULL with the reason, which names the file, in why. */
char *language_file_read(const char *kind, const char *language, char *why, size_t size);
#endif
