/*
 * pathname.h - file names as text: directories, joining, one name seen from another.
 */
#ifndef FILE_PATHNAME_H
#define FILE_PATHNAME_H
#include <stdbool.h>
#include <stddef.h>

enum { PATHNAME_HOST_SIZE = 65 };

/* The directory part: "." for "a.cfg", "/" for "/a.cfg". False when it does not fit. */
bool pathname_dir(char *buf, size_t size, const char *path);

/* The name behind the last slash. */
const char *pathname_last(const char *path);

/* True for a name that ends in ".cfg", as those of plans do. */
bool pathname_is_plan(const char *path);

/* name as seen from directory dir: itself when absolute. False when it does not fit. */
bool pathname_join(char *buf, size_t size, const char *dir, const char *name);

/* name as seen from the directory of a file; where that has no such file and the first one is
 * a symbolic link, from the directory of what it leads to. False when it does not fit. */
bool pathname_beside(char *buf, size_t size, const char *file, const char *name);

/*
 * The way from directory `from` to file `to`, both absolute and free of links, "." and
 * "..": "../clusters/a.cfg". Where they share no directory but the root, `to` itself.
 */
bool pathname_relative(char *buf, size_t size, const char *from, const char *to);

/* Two names exist and are of one file, or (for a name that is not there yet) one directory entry. */
bool pathname_same(const char *a, const char *b);

/* The name of this host, fit for a part of a file name. */
void pathname_host(char *buf, size_t size);
#endif
