#include <string.h>

#include "core/base/number.h"
#include "file/log/log_serve.h"
#include "file/log/log_words.h"

static void
keep_most(double *kept, double v)
{
	if (v > *kept)
		*kept = v;
}

/* Workers share one number of blocks, so the least pool counts. */
static void
keep_least(double *kept, double v)
{
	if (v > 0 && (!(*kept > 0) || v < *kept))
		*kept = v;
}

void
log_vllm_line(struct measured_engine *out, const char *line)
{
	static const char *const weights[] = { "Model loading took", "Loading model weights took",
		"model weights take" };
	static const char *const pool[] = { "Available KV cache memory:",
		"memory reserved for KV Cache is" };
	const char *rest;
	double v;

	for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
		if (log_number(log_after(line, weights[i]), &v))
			keep_most(&out->weight_bytes, v * GIB);
	for (size_t i = 0; i < sizeof pool / sizeof pool[0]; i++)
		if (log_number(log_after(line, pool[i]), &v))
			keep_least(&out->kv_pool_bytes, v * GIB);
	if (log_number(log_after(line, "GPU KV cache size:"), &v))
		keep_least(&out->kv_tokens, v);
	if (log_number(log_after(line, "# GPU blocks:"), &v))
		keep_least(&out->kv_blocks, v);
	if (log_number(log_after(line, "Maximum concurrency for"), &v) &&
	    (rest = log_after(line, "tokens per request:")) != NULL) {
		out->context_length = v;
		if (log_number(rest, &v))
			out->max_concurrency = v;
	}
}

/*
 * "KV Cache is allocated. #tokens: 46611, K size: 1.42 GB, V size: 1.42 GB", of a latent
 * cache "KV size: 17.99 GB", lately "dtype: torch.bfloat16, #tokens: ...", before 0.4.3
 * without tokens. A draft model has a smaller one of its own.
 */
static void
read_sglang_pool(struct log_pools *p, const char *text)
{
	double bytes = log_number_after(text, "KV size:");

	if (!(bytes > 0))
		bytes = log_number_after(text, " K size:") + log_number_after(text, " V size:");
	keep_most(&p->kv, bytes * GIB);
	keep_most(&p->listed_tokens, log_number_after(text, "#tokens:"));
}

/*
 * "Load weight begin. avail mem=21.63 GB", "Load weight end. type=Qwen2ForCausalLM, ...,
 * avail mem=6.09 GB, mem usage=15.54 GB." (the usage since 0.4.3), the pools, and
 * "max_total_num_tokens=46611, chunked_prefill_size=2048, ...".
 */
void
log_sglang_line(struct measured_engine *out, struct log_pools *p, const char *line)
{
	const char *rest;

	if ((rest = log_after(line, "Load weight begin.")) != NULL) {
		p->free_before = log_number_after(rest, "avail mem=") * GIB;
	} else if ((rest = log_after(line, "Load weight end.")) != NULL) {
		const double left = log_number_after(rest, "avail mem=") * GIB;
		const double used = log_number_after(rest, "mem usage=") * GIB;

		keep_most(&out->weight_bytes, used > 0 ? used : left > 0 ? p->free_before - left : 0);
	} else if ((rest = log_after(line, "KV Cache is allocated.")) != NULL &&
	    strstr(line, "VirtualKV Cache") == NULL) {
		read_sglang_pool(p, rest);
	} else if ((rest = log_after(line, "SWAKVPool mem usage:")) != NULL) {
		keep_most(&p->windowed, log_number_after(rest, "") * GIB);
		keep_most(&p->listed_tokens, log_number_after(rest, "full size:"));
	} else if ((rest = log_after(line, "Mamba Cache is allocated.")) != NULL) {
		keep_most(&p->states, (log_number_after(rest, "conv_state size:") +
		    log_number_after(rest, "ssm_state size:")) * GIB);
	} else if ((rest = log_after(line, "max_total_num_tokens=")) != NULL) {
		keep_least(&p->running_tokens, log_number_after(rest, ""));
	}
}

/*
 * "Memory used after loading model weights (inside torch) in memory usage profiling: 63.52
 * GiB", of built engines "Loaded engine size: 6678 MiB"; "Max KV cache blocks per sequence:
 * 65 [window size=2049], tokens per block=32, primary blocks=13189", before "Number of
 * blocks in KV cache primary pool: 4607"; "[MemUsageChange] Allocated 62.99 GiB for max
 * tokens in paged KV cache (294848)." The first pool only measures: the last one counts.
 */
void
log_trtllm_line(struct measured_engine *out, const char *line)
{
	const char *rest, *tokens;

	if ((rest = log_after(line, "Memory used after loading model weights (inside torch)")) !=
	    NULL) {
		keep_most(&out->weight_bytes, log_number_after(rest, "profiling:") * GIB);
	} else if ((rest = log_after(line, "Loaded engine size:")) != NULL) {
		keep_most(&out->weight_bytes, log_number_after(rest, "") * MIB);
	} else if ((tokens = log_after(line, "for max tokens in paged KV cache (")) != NULL) {
		out->kv_pool_bytes = log_number_after(line, "Allocated ") * GIB;
		out->kv_tokens = log_number_after(tokens, "");
	} else if ((rest = log_after(line, "blocks in KV cache primary pool:")) != NULL ||
	    (rest = log_after(line, "primary blocks=")) != NULL) {
		out->kv_blocks = log_number_after(rest, "");
	}
}

void
log_sglang_end(struct measured_engine *out, const struct log_pools *pools)
{
	out->kv_pool_bytes = (pools->windowed > 0 ? pools->windowed : pools->kv) + pools->states;
	out->kv_tokens = pools->running_tokens > 0 ? pools->running_tokens :
	    pools->listed_tokens;
}
