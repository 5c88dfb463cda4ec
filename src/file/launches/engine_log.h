/*
 * engine_log.h - the arguments that an engine was started with, as its log repeats them.
 */
#ifndef FILE_ENGINE_LOG_H
#define FILE_ENGINE_LOG_H
#include <stdbool.h>
#include <stddef.h>

/*
 * The call (logged.h) with the arguments that a log of this engine ("vllm", "sglang") tells first; free() it. What is no literal of Python, and all behind it, is left out. NULL where the text tells none, or without memory.
 */
char *engine_logged(const char *engine, const char *text);

#endif
