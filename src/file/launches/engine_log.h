/*
 * engine_log.h - the arguments that an engine was started with, as its log repeats them.
 */
#ifndef FILE_ENGINE_LOG_H
#define FILE_ENGINE_LOG_H
#include <stdbool.h>
#include <stddef.h>

/*
 * A call in Python with the arguments that a log of this engine ("vllm", "sglang") tells first, to be read as a
 * script's: "Namespace(model='x', tensor_parallel_size=2)", or with all of them as the one argument `mapping`; free()
 * it. What is no literal of Python, and all behind it, is left out. NULL where the text tells none, or without memory.
 */
char *engine_logged(const char *engine, const char *text);

/* The names of the call and of that argument. */
#define ENGINE_LOGGED "Namespace"
#define ENGINE_LOGGED_MAPPING "mapping"
#endif
