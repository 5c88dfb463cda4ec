/*
 * log_serve.h - start-up lines of serving engines: weights, pools, tokens.
 */
#ifndef FILE_LOG_SERVE_H
#define FILE_LOG_SERVE_H
#include "core/diagnose/measured.h"

/* What lines have told before they are put together; all zero is the beginning. Bytes. */
struct log_pools {
	double free_before;   /* SGLang: before the weights were loaded */
	double kv, windowed, states;
	double listed_tokens; /* of a pool; `running` is what the scheduler then uses */
	double running_tokens;
};

/* Take one line of an engine; taking it twice changes nothing. */
void log_vllm_line(struct measured_engine *out, const char *line);
void log_sglang_line(struct measured_engine *out, struct log_pools *pools, const char *line);
void log_trtllm_line(struct measured_engine *out, const char *line);

/* Put together what SGLang's lines have told. */
void log_sglang_end(struct measured_engine *out, const struct log_pools *pools);
#endif
