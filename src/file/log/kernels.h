/*
 * kernels.h - what a kernel does, by its name.
 */
#ifndef FILE_KERNELS_H
#define FILE_KERNELS_H
#include "file/log/run_rows.h"

enum kernel_class {
	KERNEL_ALL_REDUCE, KERNEL_ALL_GATHER, KERNEL_REDUCE_SCATTER, KERNEL_ALL_TO_ALL, KERNEL_SEND,
	KERNEL_COMM, KERNEL_ATTENTION, KERNEL_UPDATE, KERNEL_EXPERTS, KERNEL_PRODUCT, KERNEL_NORM,
	KERNEL_OPERATION, KERNEL_COPY /* no kernel, beside them */
};

/* Of the first row that has a word of the name; an operation where none has. */
enum kernel_class kernel_class(const char *name, size_t n);

/* The number that kernels of a class are; MEASURED_COUNT for none. */
enum measured_id kernel_measured(enum kernel_class k);

/* Attention in one kernel, and a piece of one that is not. */
bool kernel_is_fused(const char *name, size_t n);
bool kernel_is_softmax(const char *name, size_t n);

/* Say whether attention was fused, by the seconds of both. */
void kernels_say(struct run_reader *r, double fused, double softmax);
#endif
