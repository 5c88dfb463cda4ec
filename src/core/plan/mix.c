#include "core/plan/mix.h"

#include <stddef.h>

enum { CONTEXT_LEAST = 8192 };

/* chat: ShareGPT as vllm bench serve filters it, measured. The others are proposals: documents of a
 * retrieval, sessions of a coding agent whose prompts were nearly all asked before (91 % of the
 * tokens in vllm issue 41834), answers that think, and documents as MLPerf's 405B summarises them. */
static const struct mix mixes[] = {
	[MIX_NONE] = { 0, 0, 0, 0, 0 },
	[MIX_CHAT] = { 300, 220, 350.0 / 300, 190.0 / 220, 0 },
	[MIX_RAG] = { 4000, 350, 1500.0 / 4000, 200.0 / 350, .3 },
	[MIX_CODE_AGENT] = { 20000, 400, 15000.0 / 20000, 1, .9 },
	[MIX_REASONING] = { 1000, 4000, .8, 3500.0 / 4000, 0 },
	[MIX_SUMMARY] = { 9400, 650, 5000.0 / 9400, 350.0 / 650, 0 },
};

const struct mix *
mix_row(const struct plan *p)
{
	return &mixes[p->traffic.mix >= MIX_NONE && p->traffic.mix <= MIX_SUMMARY ? p->traffic.mix :
	    MIX_NONE];
}

const struct mix *
mix_of(const struct plan *p)
{
	return p->mode == MODE_SERVE && p->traffic.mix != MIX_NONE ? mix_row(p) : NULL;
}

bool
mix_fills(enum field_id f)
{
	return f == FIELD_CONTEXT_LENGTH || f == FIELD_PROMPT_TOKENS || f == FIELD_GENERATE_TOKENS;
}

int64_t
mix_context(const struct mix *m)
{
	const double longest = (double)m->prompt * (1 + 3 * m->prompt_spread) +
	    (double)m->generate * (1 + 3 * m->generate_spread);
	int64_t context = CONTEXT_LEAST;

	while ((double)context < longest)
		context *= 2;
	return context;
}
