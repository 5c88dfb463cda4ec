/*
 * megatron_log.h - the arguments of Megatron-LM as its log prints them, "  micro_batch_size ........... 1".
 */
#ifndef FILE_MEGATRON_LOG_H
#define FILE_MEGATRON_LOG_H
#include "file/source/importer.h"

struct megatron_log {
	char *flags;          /* the arguments as flags, one a line; NULL: the text prints none */
	struct import before;
};

/* Put the flags in the place of the text, and the GPUs of the job where the user says none. */
void megatron_log_begin(struct megatron_log *l, struct import *im);

/* Back to the text. What was ignored of a log is forgotten: it prints all arguments there are. */
void megatron_log_end(struct megatron_log *l, struct import *im);
#endif
