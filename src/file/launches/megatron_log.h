/*
 * megatron_log.h - the arguments of Megatron-LM as its log prints them, "  micro_batch_size ........... 1".
 */
#ifndef FILE_MEGATRON_LOG_H
#define FILE_MEGATRON_LOG_H
#include <stdint.h>

/* Above the arguments. */
#define MEGATRON_LOGGED "------------------------ arguments ------"

/* As flags, one a line, free() it, and the GPUs of the job, 0 where it does not say; NULL where the text has none, or
 * without memory. */
char *megatron_logged(const char *text, int64_t *world);
#endif
