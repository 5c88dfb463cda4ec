/*
 * limits.h - the bounds of what is read, by name: limits.def.
 */
#ifndef FILE_LIMITS_H
#define FILE_LIMITS_H
enum {
#define LIMIT(name, most, unit, what) name = (most),
#include "file/base/limits.def"
#undef LIMIT
};
#endif
