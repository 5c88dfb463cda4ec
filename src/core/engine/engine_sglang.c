/* SGLang: python/sglang/srt/server_args.py, model_executor/model_runner.py. */
#include <math.h>

#include "core/base/number.h"
#include "core/engine/engine.h"

/* The share before 0.5, or rather up to 0.4.6, by TP alone. */
static double
old_share(double tp)
{
	return tp >= 16 ? 0.79 : tp >= 8 ? 0.81 : tp >= 4 ? 0.85 : tp >= 2 ? 0.87 : 0.88;
}

/* python/sglang/srt/server_args.py: chunk and largest CUDA graph by memory in MiB; what
 * is left outside the static pool follows from both. */
static void
sglang_setup(struct serve_setup *s, const struct plan *p)
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
	s->share = s->version < 5 ? old_share(s->tp) :
	    larger(0.1, round(1000 * (1 - reserved / mib)) / 1000);
	s->tokens = p->serving.dp_attention ? chunk / s->dp : chunk;
	s->seqs = 4096;
}

/* A CUDA context, and NCCL between GPUs that are linked; read off logs. */
static double
sglang_non_torch(const struct plan *p, const struct serve_setup *s)
{
	if (!(p->cluster.nvlink_gbps > 0))
		return 0.5;
	return s->tp * s->pp > 1 ? 1.75 : 0.65;
}

/* Before 0.5.6 it kept requests of one length in waves: all prompts, then all answers. */
static const struct engine_host *
sglang_host(const struct serve_setup *s)
{
	static const struct engine_host now = { 3.6e-6, 17e-6, .41e-3, 12e-6, .140, 12e-6, .15, .05, true };
	static const struct engine_host in_waves = { 3.6e-6, 17e-6, .41e-3, 12e-6, .140, 12e-6, .45, .05, true };

	return s->version < 5 || (s->version == 5 && s->patch < 6) ? &in_waves : &now;
}

const struct engine engine_sglang = {
	.block = 1, /* srt/server_args.py, page_size */
	.setup = sglang_setup,
	.blocks_are_whole = true, /* srt/layers/quantization/fp8.py, Fp8MoEMethod.create_weights */
	.passes_are_blocks = true,
	.drafts_on_one_stage = true,
	.halves = "SGLang python/sglang/srt/batch_overlap/two_batch_overlap.py",
	.pool = POOL_OF_FREE,
	.tables = 1,
	.non_torch = sglang_non_torch,
	.logs = "SGLang logs, sgl-project/sglang pull request 4760 and others",
	.loading_leaves = { 0.1, 0.2 },
	.graphs_apart = true,
	.window_pool = true,
	.counts_latent_bytes = true,
	.host = sglang_host,
	.reduce = { [REDUCE_HOPPER] = { 6.6e-6, 8e-6 }, [REDUCE_BLACKWELL] = { 9.2e-6, 16e-6 } },
	.sends_by_deepep = true,
	.polls = true,
	.burst = .25,
};
