/* The part of `estimate` about a serving engine. */
#include <math.h>
#include <stdio.h>

#include "cli/report.h"
#include "core/estimate.h"
#include "core/text.h"
#include "out/out.h"
#include "core/units.h"

static void
print_bytes(const char *name, double bytes)
{
	char text[64];

	out_line(stdout, "  %-24s%12s", name, units_exact(text, sizeof text, MEASURE_BYTES, bytes));
}

static void
print_memory(const struct serve *s)
{
	out_text(stdout, "\nMemory of the engine, on one GPU of the fullest stage\n");
	print_bytes("weights", s->weight_bytes);
	print_bytes("outside the allocator", s->non_torch_bytes);
	print_bytes("activations", s->activation_bytes);
	print_bytes("CUDA graphs", s->graph_bytes);
	print_bytes("KV pool", s->kv_pool_bytes);
}

static void
print_pool(const struct plan *p, const struct serve *s)
{
	char tokens[64], blocks[64], bytes[64];

	out_end(stdout);
	out_part(stdout, "KV cache     %s a token on one GPU",
	    units_exact(bytes, sizeof bytes, MEASURE_BYTES, s->kv_bytes_per_token));
	if (s->state_bytes_per_request > 0)
		out_part(stdout, ", %s of state a request",
		    units_exact(bytes, sizeof bytes, MEASURE_BYTES, s->state_bytes_per_request));
	if (isfinite(s->kv_tokens)) {
		out_end(stdout);
		out_line(stdout, "pool         %s tokens of one engine in %s blocks",
		    units_exact(tokens, sizeof tokens, MEASURE_COUNT, s->kv_tokens),
		    units_exact(blocks, sizeof blocks, MEASURE_COUNT, s->kv_blocks));
		out_line(stdout, "requests     %.2f of %lld tokens at once", s->max_concurrency,
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
	char text[64], all[64], one[64];

	out_line(stdout, "first token  %s after a prompt of %lld tokens (TTFT)",
	    units_exact(text, sizeof text, MEASURE_SECONDS, s->ttft_seconds), (long long)p->serving.prompt_tokens);
	out_line(stdout, "next tokens  %s each (TPOT)",
	    units_exact(text, sizeof text, MEASURE_SECONDS, s->tpot_seconds));
	out_line(stdout, "tokens       %s generated a second, %s on each GPU",
	    units_exact(all, sizeof all, MEASURE_COUNT, s->tokens_per_second),
	    units_exact(one, sizeof one, MEASURE_COUNT, s->tokens_per_second_per_gpu));
	if (s->transfer_seconds > 0)
		out_line(stdout, "transfer     %s for the KV cache of a prompt, where prefill and "
		    "decode are apart", units_exact(text, sizeof text, MEASURE_SECONDS, s->transfer_seconds));
}

void
report_serve(const struct plan *p, const struct estimate *e)
{
	print_memory(&e->serve);
	print_pool(p, &e->serve);
	print_speed(p, &e->serve);
}
