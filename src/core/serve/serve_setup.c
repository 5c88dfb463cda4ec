#include "core/serve/serve_setup.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/kv.h"
#include "core/plan/pool.h"

#define TRTLLM_TABLES 1.015 /* the pool and the tables of its blocks */

static const char *
read_number(const char *s, int64_t *out)
{
	for (*out = 0; *s >= '0' && *s <= '9' && *out < 100000; s++)
		*out = *out * 10 + (*s - '0');
	return s;
}

int64_t
serve_version(const char *text, int64_t *patch)
{
	int64_t major, minor = 0;

	*patch = INT32_MAX;
	if (*text == 'v' || *text == 'V')
		text++;
	if (*text < '0' || *text > '9')
		return INT32_MAX;
	text = read_number(text, &major);
	if (*text == '.')
		text = read_number(text + 1, &minor);
	*patch = 0;
	if (*text == '.')
		read_number(text + 1, patch);
	return major * 100 + minor;
}

/* Cards that vLLM gives a large batch: 70 GiB and more, but not the A100
 * (vllm/engine/arg_utils.py). It goes by the driver's name, which the A800, an A100 whose
 * NVLink is cut below 300 GB/s, does not share. */
static bool
is_large(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const bool cut = c->nvlink_gbps > 0 && c->nvlink_gbps < 300;

	return c->memory_gib >= 70 && (c->generation != GENERATION_AMPERE || cut);
}

/* V0 runs whole prompts in one pass, up to 32768 tokens. */
static void
setup_vllm(struct serve_setup *s, const struct plan *p)
{
	const double length = (double)p->serving.context_length;

	s->seqs = is_large(p) && s->version >= 8 ? 1024 : 256;
	if (s->version < 8)
		s->tokens = length > 32768 ? 2048 : larger(2048, length);
	else if (p->cluster.memory_gib >= 160)
		s->tokens = 16384;
	else
		s->tokens = is_large(p) ? 8192 : 2048;
	s->share = s->version >= 22 ? 0.92 : 0.9;
}

/* The share before 0.5, or rather up to 0.4.6, by TP alone. */
static double
sglang_old_share(double tp)
{
	return tp >= 16 ? 0.79 : tp >= 8 ? 0.81 : tp >= 4 ? 0.85 : tp >= 2 ? 0.87 : 0.88;
}

/* python/sglang/srt/server_args.py: chunk and largest CUDA graph by memory in MiB; what
 * is left outside the static pool follows from both. */
static void
setup_sglang(struct serve_setup *s, const struct plan *p)
{
	const double mib = s->total / MIB, gib = mib / 1024;
	const bool wide = s->tp >= 4;
	double reserved, chunk, batch;

	chunk = gib < 35 ? 2048 : gib < 60 ? 4096 : gib < 160 ? 8192 : 16384;
	batch = gib < 20 ? 8 : gib < 35 ? (wide ? 80 : 24) : gib < 60 ? (wide ? 160 : 32) :
	    gib < 160 ? (wide ? 512 : 256) : 512;
	reserved = 512 + 1.5 * chunk + s->tp * s->pp / 8 * 1024 + 2 * batch;
	if (p->serving.dp_attention)
		reserved += batch * s->dp * (batch > 300 ? 4.5 : 3);
	if (gib > 60)
		reserved = larger(reserved, 10 * 1024);
	s->share = s->version < 5 ? sglang_old_share(s->tp) :
	    larger(0.1, round(1000 * (1 - reserved / mib)) / 1000);
	s->tokens = p->serving.dp_attention ? chunk / s->dp : chunk;
	s->seqs = 4096;
}

struct serve_setup
serve_setup_of(const struct plan *p)
{
	const struct serving *v = &p->serving;
	const double tp = at_least_one(p->parallel.tp);
	const double pp = at_least_one(p->parallel.pp);
	struct serve_setup s = { .tp = tp, .pp = pp };

	s.version = serve_version(v->engine_version, &s.patch);
	s.total = p->cluster.memory_gib * GIB;
	s.engines = at_least_one(v->replicas);
	s.dp = pool_engine_dp(p) * tp / kv_attention_tp(p);
	if (v->engine == ENGINE_VLLM) {
		setup_vllm(&s, p);
	} else if (v->engine == ENGINE_SGLANG) {
		setup_sglang(&s, p);
	} else {
		/* tensorrt_llm/llmapi/llm_args.py */
		s.seqs = 2048;
		s.tokens = 8192;
		s.share = 0.9;
	}
	if (v->max_num_seqs > 0)
		s.seqs = (double)v->max_num_seqs;
	if (s.tokens > s.seqs * (double)v->context_length)
		s.tokens = s.seqs * (double)v->context_length;
	if (v->max_batched_tokens > 0)
		s.tokens = (double)v->max_batched_tokens;
	if (v->gpu_memory_utilization > 0)
		s.share = v->gpu_memory_utilization;
	/* vLLM's others come first; TensorRT-LLM's tables of blocks are no part of its pool */
	s.pool_share = v->engine == ENGINE_VLLM ? 1 : v->engine == ENGINE_TRTLLM ?
	    s.share / TRTLLM_TABLES : s.share;
	return s;
}
