/* The part of `estimate` about a serving engine. */
#include <math.h>
#include <stdio.h>

#include "cli/report.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/plan/field.h"
#include "core/serve/serve_curve.h"
#include "out/out.h"

static void
print_memory(const struct plan *p, const struct estimate *e)
{
	char format[32];
	double bytes;

	field_format(FIELD_WEIGHT_DTYPE, p, format, sizeof format);
	out_end(stdout);
	out_line(stdout, "Memory of the engine with weights in %s, on one GPU of the fullest stage",
	    format);
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
print_pool_of_prefill(const struct plan *p, const struct serve *s)
{
	out_line(stdout, "prefill pool %s: %s prompts a second, %.0f %% used, %s of %s",
	    p->serving.prefill_workers, UNITS_EXACT(REAL, s->prefill_rate),
	    100 * s->prefill_utilisation, UNITS_EXACT(BYTES, s->prefill_gpu_bytes),
	    UNITS_EXACT(BYTES, p->cluster.memory_gib * GIB));
	out_line(stdout, "             %.3g of %lld GPUs would balance prefill and decode",
	    s->prefill_gpus_balanced, (long long)plan_world(p));
}

static void
print_speed(const struct plan *p, const struct serve *s)
{
	const bool scaled = p->calibration.tpot_scale > 0 || p->calibration.ttft_scale > 0;
	char ttft[32] = "", tpot[32] = "";

	if (!(s->tpot_seconds > 0)) {
		out_line(stdout, "first token  -%s", report_lacks(p));
		return;
	}
	if (!(p->calibration.ttft_scale > 0))
		text_put(ttft, sizeof ttft, " +- %.0f %%", 100 * s->ttft_error);
	if (!(p->calibration.tpot_scale > 0))
		text_put(tpot, sizeof tpot, " +- %.0f %%", 100 * s->tpot_error);
	out_line(stdout, "first token  %s%s after a prompt of %lld tokens (TTFT)",
	    UNITS_EXACT(SECONDS, s->ttft_seconds), ttft, (long long)p->serving.prompt_tokens);
	out_line(stdout, "             %s prefill, %s of other prompts before it",
	    UNITS_EXACT(SECONDS, s->prefill_seconds), UNITS_EXACT(SECONDS, s->queue_seconds));
	out_line(stdout, "next tokens  %s%s each (TPOT), %s a second for a request",
	    UNITS_EXACT(SECONDS, s->tpot_seconds), tpot,
	    UNITS_EXACT(COUNT, s->tokens_per_second_per_user));
	out_line(stdout, "             %s decode step, %s of other prompts",
	    UNITS_EXACT(SECONDS, s->step_seconds), UNITS_EXACT(SECONDS, s->prompts_share_seconds));
	out_line(stdout, "tokens       %s generated a second by all engines, %s on each GPU",
	    UNITS_EXACT(COUNT, s->tokens_per_second),
	    UNITS_EXACT(COUNT, s->tokens_per_second_per_gpu));
	if (s->transfer_seconds > 0)
		out_line(stdout, "transfer     %s for the KV cache of a prompt%s",
		    UNITS_EXACT(SECONDS, s->transfer_seconds),
		    s->prefill_rate > 0 ? "" : ", where prefill and decode are apart");
	if (s->prefill_rate > 0)
		print_pool_of_prefill(p, s);
	if (scaled)
		out_line(stdout, "calibrated   by %s", *p->calibration.source != '\0' ?
		    p->calibration.source : "the plan's own scales");
}

/* Times against requests at once, the plan's own marked. */
static bool
print_curve(const struct plan *p, const struct estimate *e)
{
	struct serve_point point[SERVE_CURVE_MAX];
	const size_t n = serve_curve(point, p, &e->layout, &e->placement, &e->serve);
	struct table t;

	if (!(e->serve.tpot_seconds > 0))
		return true;
	out_text(stdout, "\nUnder load: times and generated tokens a second by requests at once\n");
	table_init(&t, 6);
	table_row(&t, (const char *[]){ ">requests", ">TTFT", ">TPOT", ">of a request", ">of a GPU",
	    " " });
	for (size_t i = 0; i < n; i++) {
		char requests[32];

		text_put(requests, sizeof requests, "%lld", (long long)point[i].concurrency);
		table_row(&t, (const char *[]){ requests, UNITS_SHORT(SECONDS, point[i].ttft_seconds),
		    UNITS_SHORT(SECONDS, point[i].tpot_seconds),
		    UNITS_SHORT(COUNT, point[i].tokens_per_second_per_user),
		    UNITS_SHORT(COUNT, point[i].tokens_per_second_per_gpu),
		    point[i].concurrency == p->serving.concurrency ? "< the plan" : " " });
	}
	return table_print(&t);
}

bool
report_serve(const struct plan *p, const struct estimate *e)
{
	print_memory(p, e);
	print_pool(p, &e->serve);
	print_speed(p, &e->serve);
	return print_curve(p, e);
}
