/*
 * log_serve.h - start-up lines of serving engines: weights, pools, tokens.
 */
#ifndef FILE_LOG_SERVE_H
#define FILE_LOG_SERVE_H
#include "file/log/log.h"

/* What lines have told before they are put together; all zero is the beginning. Bytes. */
struct log_pools {
	double free_before;   /* SGLang: before the weights were loaded */
	double kv, windowed, states;
	double listed_tokens; /* of a pool; `running` is what the scheduler then uses */
	double running_tokens;
};

/* Take one line; marks counts the lines that only one engine prints. */
void log_serve_line(struct log_report *out, struct log_pools *pools, size_t *marks,
    const char *line);

/* Put together what the lines have told. */
void log_serve_end(struct log_report *out, const struct log_pools *pools);
#endif
