/* The part of `estimate` about a serving engine. */
#include <math.h>
#include <stdio.h>

#include "cli/report.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "out/out.h"

static void
print_memory(const struct estimate *e)
{
	double bytes;

	out_text(stdout, "\nMemory of the engine, on one GPU of the fullest stage\n");
	for (enum result_id id = RESULT_WEIGHTS; id <= RESULT_POOL; id++) {
		result_value(id, e, e->peak_stage, &bytes);
		out_line(stdout, "  %-24s%12s", result_table[id].label, UNITS_EXACT(BYTES, bytes));
	}
}

static void
print_pool(const struct plan *p, const struct serve *s)
{
	out_end(stdout);
	out_part(stdout, "KV cache     %s a token on one GPU",
	    UNITS_EXACT(BYTES, s->kv_bytes_per_token));
	if (s->state_bytes_per_request > 0)
		out_part(stdout, ", %s of state a request",
		    UNITS_EXACT(BYTES, s->state_bytes_per_request));
	if (isfinite(s->kv_tokens)) {
		out_end(stdout);
		out_line(stdout, "pool         %s tokens of one engine in %s blocks",
		    UNITS_EXACT(COUNT, s->kv_tokens),
		    UNITS_EXACT(COUNT, s->kv_blocks));
		out_line(stdout, "requests     %.2f of %lld tokens at once on one engine", s->max_concurrency,
		    (long long)p->serving.context_length);
	} else {
		out_text(stdout, "\npool         without limit: tokens take no memory\n");
	}
	out_line(stdout, "plan         %lld at once, of %lld + %lld tokens: %s",
	    (long long)p->serving.concurrency, (long long)p->serving.prompt_tokens,
	    (long long)p->serving.generate_tokens, s->fits ? "fits" : "does not fit");
}

static void
print_speed(const struct plan *p, const struct serve *s)
{
	out_line(stdout, "first token  %s after a prompt of %lld tokens (TTFT)",
	    UNITS_EXACT(SECONDS, s->ttft_seconds), (long long)p->serving.prompt_tokens);
	out_line(stdout, "next tokens  %s each (TPOT)",
	    UNITS_EXACT(SECONDS, s->tpot_seconds));
	out_line(stdout, "tokens       %s generated a second by all engines, %s on each GPU",
	    UNITS_EXACT(COUNT, s->tokens_per_second),
	    UNITS_EXACT(COUNT, s->tokens_per_second_per_gpu));
	if (s->transfer_seconds > 0)
		out_line(stdout, "transfer     %s for the KV cache of a prompt, where prefill and "
		    "decode are apart", UNITS_EXACT(SECONDS, s->transfer_seconds));
}

void
report_serve(const struct plan *p, const struct estimate *e)
{
	print_memory(e);
	print_pool(p, &e->serve);
	print_speed(p, &e->serve);
}
