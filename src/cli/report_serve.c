/* The part of `estimate` about a serving engine. */
#include <math.h>
#include <stdio.h>

#include "cli/report.h"
#include "core/estimate.h"
#include "core/text.h"
#include "ui/format.h"

static void
print_bytes(const char *name, double bytes)
{
	char text[64];

	printf("  %-24s%12s\n", name, format_bytes(text, sizeof text, bytes));
}

static void
print_memory(const struct serve *s)
{
	fputs("\nMemory of the engine, on one GPU of the fullest stage\n", stdout);
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

	printf("\nKV cache     %s a token on one GPU",
	    format_bytes(bytes, sizeof bytes, s->kv_bytes_per_token));
	if (s->state_bytes_per_request > 0)
		printf(", %s of state a request",
		    format_bytes(bytes, sizeof bytes, s->state_bytes_per_request));
	if (isfinite(s->kv_tokens)) {
		printf("\npool         %s tokens of one engine in %s blocks\n",
		    format_grouped(tokens, sizeof tokens, s->kv_tokens),
		    format_grouped(blocks, sizeof blocks, s->kv_blocks));
		printf("requests     %.2f of %lld tokens at once\n", s->max_concurrency,
		    (long long)p->serving.context_length);
	} else {
		fputs("\npool         without limit: tokens take no memory\n", stdout);
	}
	printf("plan         %lld at once, of %lld + %lld tokens: %s\n",
	    (long long)p->serving.concurrency, (long long)p->serving.prompt_tokens,
	    (long long)p->serving.generate_tokens, s->fits ? "fits" : "does not fit");
}

static void
print_speed(const struct plan *p, const struct serve *s)
{
	char text[64], all[64], one[64];

	printf("first token  %s after a prompt of %lld tokens (TTFT)\n",
	    format_seconds(text, sizeof text, s->ttft_seconds), (long long)p->serving.prompt_tokens);
	printf("next tokens  %s each (TPOT)\n", format_seconds(text, sizeof text, s->tpot_seconds));
	printf("tokens       %s generated a second, %s on each GPU\n",
	    format_grouped(all, sizeof all, s->tokens_per_second),
	    format_grouped(one, sizeof one, s->tokens_per_second_per_gpu));
	if (s->transfer_seconds > 0)
		printf("transfer     %s for the KV cache of a prompt, where prefill and decode are "
		    "apart\n", format_seconds(text, sizeof text, s->transfer_seconds));
}

void
report_serve(const struct plan *p, const struct estimate *e)
{
	print_memory(&e->serve);
	print_pool(p, &e->serve);
	print_speed(p, &e->serve);
}
