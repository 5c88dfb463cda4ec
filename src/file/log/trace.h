/*
 * trace.h - traces of PyTorch's profiler: Chrome trace events, as Kineto writes them
 * (pytorch/kineto libkineto/src/output_json.cpp). Hundreds of megabytes, so read event by event:
 * kernels, copies and the steps' annotations alone, without a tree.
 */
#ifndef FILE_TRACE_H
#define FILE_TRACE_H
#include <stdbool.h>
#include <stddef.h>

#include "file/log/run_rows.h"
#include "file/log/source.h"

/* Whether the beginning of a file is that of such a trace. */
bool trace_is(const char *ahead, size_t n);

/* Read it: compute, exposed communication, copies and idle time of each step. NULL, or why not. */
const char *trace_read(struct run_reader *r, struct source *s);
#endif
