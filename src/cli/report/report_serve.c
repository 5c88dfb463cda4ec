/* The part of `estimate` about a serving engine. */
#include <math.h>
#include <stdio.h>

#include "cli/report/report.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/plan/field.h"
#include "out/out.h"

static void
print_memory(const struct plan *p, const struct estimate *e)
{
	double bytes;

	out_end(stdout);
	out_line(stdout, "Memory of the engine with weights in %s, on one GPU of the fullest stage",
	    FIELD_SHOWN(FIELD_WEIGHT_DTYPE, p));
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
	if (s->rate.known)
		return;
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
	out_line(stdout, "             %s of %lld GPUs would balance prefill and decode",
	    UNITS_DIGITS(3, s->prefill_gpus_balanced), (long long)plan_world(p));
}

static void
print_ffn(const struct plan *p, const struct serve *s)
{
	out_line(stdout, "FFN GPUs     %lld of each engine: %s of %s, they compute in %.0f %% of a decode step",
	    (long long)p->serving.ffn_gpus, UNITS_EXACT(BYTES, s->ffn_gpu_bytes),
	    UNITS_EXACT(BYTES, p->cluster.memory_gib * GIB), 100 * s->ffn_share);
}

/* The limits as far as there are any: " (limit 1 s)". */
static const char *
limit_text(double seconds, char *buf, size_t size)
{
	buf[0] = '\0';
	if (seconds > 0)
		text_put(buf, size, " (limit %s)", UNITS_SHORT(SECONDS, seconds));
	return buf;
}

static void
print_percentiles(const char *what, const struct serve_times *t, bool least, double limit)
{
	const char *const from = least ? "from " : "";
	char text[48];

	out_line(stdout, "%s %s%s half, %s%s 90 %%, %s%s 95 %%, %s%s 99 %% of the requests%s", what, from,
	    UNITS_EXACT(SECONDS, t->p50), from, UNITS_EXACT(SECONDS, t->p90), from,
	    UNITS_EXACT(SECONDS, t->p95), from, UNITS_EXACT(SECONDS, t->p99),
	    limit_text(limit, text, sizeof text));
}

static void
print_tokens(const struct serve *s)
{
	out_line(stdout, "tokens       %s generated a second by all engines, %s on each GPU",
	    UNITS_EXACT(COUNT, s->tokens_per_second),
	    UNITS_EXACT(COUNT, s->tokens_per_second_per_gpu));
}

/* What comes, what of it is taken and in which times; false where it is not taken, but for a benchmark that comes
 * to its end all the same. */
static bool
print_rate(const struct plan *p, const struct serve *s)
{
	const struct serve_rate *r = &s->rate;
	const bool near = r->load > SERVE_LOAD_KNOWN && r->load < 1;

	out_part(stdout, "rate         %s requests a second of %lld + %lld tokens: ", UNITS_DIGITS(4, p->traffic.rate),
	    (long long)p->serving.prompt_tokens, (long long)p->serving.generate_tokens);
	if (r->saturation > 0)
		out_line(stdout, "%.0f %% of the %s that the engines take", 100 * r->load, UNITS_DIGITS(4, r->saturation));
	else
		out_line(stdout, "the engines have no room for one");
	if (r->limited)
		out_line(stdout, "inside       %s of %s requests a second, %.4g %% of them within the "
		    "limits", UNITS_DIGITS(4, smaller(r->inside, p->traffic.rate)), UNITS_DIGITS(4, p->traffic.rate),
		    p->traffic.percentile);
	if (r->limited && r->inside > p->traffic.rate)
		out_line(stdout, "             as many as %s a second would be", UNITS_DIGITS(4, r->inside));
	if (!r->followed) {
		if (r->saturation > 0)
			out_line(stdout, "first token  the queue grows without end");
		return false;
	}
	if (near)
		out_line(stdout, "             near that the queue is as long as chance has it: times are the "
		    "least");
	print_percentiles("first tokens", &r->ttft, near, p->traffic.ttft_limit);
	print_percentiles("next tokens ", &r->tpot, false, p->traffic.tpot_limit);
	print_percentiles("whole answer", &r->life, near, 0);
	out_line(stdout, "in flight    %s requests on average, %s between tokens at most in 99 %% of cases",
	    UNITS_DIGITS(4, r->in_flight), UNITS_EXACT(SECONDS, r->gap));
	if (r->preempted > 0)
		out_line(stdout, "put back     %s %% of the requests, for want of KV cache", UNITS_DIGITS(3, 100 * r->preempted));
	if (r->hit > 0)
		out_line(stdout, "cached       %s %% of the prompts' tokens", UNITS_DIGITS(3, 100 * r->hit));
	if (r->joules > 0)
		out_line(stdout, "energy       %s J a generated token", UNITS_DIGITS(3, r->joules));
	if (r->load >= 1)
		print_tokens(s);
	return r->load < 1;
}

/* What drafts buy with the batch that runs, and where that ends. */
static void
print_drafts(const struct plan *p, const struct serve *s)
{
	const double gain = s->draft_gain;

	if (!(gain > 0))
		return;
	if (!(p->serving.accepted_tokens > 0) && !field_is_set(FIELD_ACCEPTED_TOKENS, p)) {
		out_line(stdout, "drafts       %lld drafted, none accepted as long as serving.acceptance does not say how many",
		    (long long)p->serving.draft_tokens);
		return;
	}
	out_part(stdout, "drafts       %lld drafted, %.3g accepted: %.2f times the tokens, ",
	    (long long)p->serving.draft_tokens, p->serving.accepted_tokens, gain);
	if (s->draft_batch > 1)
		out_line(stdout, "less than without from %.0f requests on", s->draft_batch);
	else
		out_line(stdout, gain < 1 ? "less than without at any batch" : "more at any batch");
}

static void
print_speed(const struct plan *p, const struct serve *s)
{
	const bool scaled = p->calibration.tpot_scale > 0 || p->calibration.ttft_scale > 0;
	char ttft[32] = "", tpot[32] = "";

	if (!(s->tpot_seconds > 0) && !s->rate.known) {
		out_line(stdout, "first token  -%s", report_lacks(p));
		return;
	}
	if (s->rate.known && !print_rate(p, s))
		return;
	print_drafts(p, s);
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
	print_tokens(s);
	if (s->cost_per_million_tokens > 0)
		out_line(stdout, "cost         %s for a million of them",
		    UNITS_EXACT(REAL, s->cost_per_million_tokens));
	if (s->transfer_seconds > 0)
		out_line(stdout, "transfer     %s for the KV cache of a prompt%s",
		    UNITS_EXACT(SECONDS, s->transfer_seconds),
		    s->prefill_rate > 0 ? "" : ", where prefill and decode are apart");
	if (s->prefill_rate > 0)
		print_pool_of_prefill(p, s);
	if (p->serving.ffn_gpus > 0)
		print_ffn(p, s);
	if (scaled)
		out_line(stdout, "calibrated   by %s", *p->calibration.source != '\0' ?
		    p->calibration.source : "the plan's own scales");
}

static const char *
mark_of(const struct serve_point *at)
{
	return at->is_plan && at->is_inside ? "< the plan, as much as is inside the limits" :
	    at->is_plan ? "< the plan" : at->is_inside ? "< inside the limits" : " ";
}

static void
add_closed(struct table *t, const struct serve_point *at)
{
	table_row(t, (const char *[]){ TEXT_OF(32, "%lld", (long long)at->concurrency),
	    UNITS_SHORT(SECONDS, at->ttft_seconds), UNITS_SHORT(SECONDS, at->tpot_seconds),
	    UNITS_SHORT(COUNT, at->tokens_per_second_per_user),
	    UNITS_SHORT(COUNT, at->tokens_per_second_per_gpu), mark_of(at) });
}

/* Seconds of a rate that is taken: near saturation those to the first token are a queue's that any
 * error makes endless, so they are the least of them. */
#define FIRST(at, seconds) !((seconds) > 0) ? "-" : TEXT_OF(32, "%s%s", (at)->load > SERVE_LOAD_KNOWN && \
    (at)->load < 1 ? "from " : "", UNITS_SHORT(SECONDS, seconds))
#define KNOWN(measure, v) (v) > 0 ? UNITS_SHORT(measure, v) : "-"

static void
add_open(struct table *t, const struct serve_point *at)
{
	/* of the rate three digits: tenths of saturation are near each other */
	table_row(t, (const char *[]){ UNITS_DIGITS(3, at->rate), KNOWN(SHARE, at->load),
	    FIRST(at, at->ttft_seconds), FIRST(at, at->ttft_within), KNOWN(SECONDS, at->tpot_seconds),
	    KNOWN(SECONDS, at->tpot_within), KNOWN(COUNT, at->in_flight), mark_of(at) });
}

/* Times against requests at once or a second, the plan's own marked. */
static bool
print_curve(const struct plan *p, const struct estimate *e)
{
	struct table t;

	if (e->points == 0)
		return true;
	out_end(stdout);
	if (!e->serve.rate.known) {
		out_line(stdout, "Under load: times and generated tokens a second by requests at once");
		table_init(&t, 6);
		table_row(&t, (const char *[]){ ">requests", ">TTFT", ">TPOT", ">of a request",
		    ">of a GPU", " " });
	} else {
		out_line(stdout, "Under load: times by requests a second");
		table_init(&t, 8);
		table_row(&t, (const char *[]){ ">rate", ">load", ">TTFT p50", TEXT_OF(32, ">TTFT p%.4g",
		    p->traffic.percentile), ">TPOT p50", TEXT_OF(32, ">TPOT p%.4g", p->traffic.percentile),
		    ">in flight", " " });
	}
	for (size_t i = 0; i < e->points; i++)
		if (e->serve.rate.known)
			add_open(&t, &e->curve[i]);
		else
			add_closed(&t, &e->curve[i]);
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
