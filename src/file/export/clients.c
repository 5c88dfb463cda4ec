/* What asks an engine the plan's own question: benchmarks that come with vLLM and SGLang. */
#include <math.h>

#include "core/base/number.h"
#include "core/plan/field.h"
#include "file/export/engines.h"
#include "file/export/parts.h"
#include "file/export/writers.h"

enum { SECONDS_ASKED = 300, ROUNDS_ASKED = 10, REQUESTS_LEAST = 100 };
#define RANGE_MOST .99 /* of a mean, by which lengths may differ */

/* Of the plan, or so many as show a tail: five minutes of its rate, ten rounds of those at once. */
static int64_t
requests_of(const struct plan *p)
{
	const double usual = p->traffic.rate > 0 ? (double)SECONDS_ASKED * p->traffic.rate :
	    (double)ROUNDS_ASKED * (double)p->serving.concurrency;

	return p->traffic.requests > 0 ? p->traffic.requests :
	    most_of(REQUESTS_LEAST, (int64_t)ceil(smaller(usual, 1e6)));
}

static void
put_real(struct textbuf *out, const char *flag, double v)
{
	textbuf_add(out, " \\\n\t%s %.6g", flag, v);
}

PLAN_IF(has_prefixes, p->traffic.prefixes > 0 && p->traffic.prefix_tokens > 0)

/* Tokens that a prompt begins with as others do: of the plan's beginnings, else of one that all have, which makes the
 * cache have a share of each. */
static int64_t
shared_tokens(const struct plan *p)
{
	return has_prefixes(p) ? p->traffic.prefix_tokens :
	    (int64_t)floor(p->serving.prefix_hit * (double)p->serving.prompt_tokens + .5);
}

static int64_t
beginnings_of(const struct plan *p)
{
	return has_prefixes(p) ? p->traffic.prefixes : 1;
}

/* Tokens that follow. */
static int64_t
own_tokens(const struct plan *p)
{
	return most_of(1, p->serving.prompt_tokens - shared_tokens(p));
}

/* Standard deviation over mean of both lengths: benchmarks know one range for both. */
static double
spread_of(const struct plan *p)
{
	return larger(p->traffic.prompt_spread, p->traffic.generate_spread);
}

/* What the benchmarks have no word for, and what is decided elsewhere. alike: prompts are all as long. */
static void
tell_rest(struct export *e, bool alike)
{
	const struct plan *p = e->plan;

	EXPORT_SAY(e, FIELD_RATE, FIELD_REQUESTS, FIELD_PROMPT_TOKENS, FIELD_GENERATE_TOKENS,
	    FIELD_CONCURRENCY, FIELD_PREFIXES, FIELD_PREFIX_TOKENS);
	if (spread_of(p) > 0 && alike)
		notes_add(&e->missing, "prompts with shared beginnings are all as long");
	else if (fabs(p->traffic.prompt_spread - p->traffic.generate_spread) > .05 ||
	    spread_of(p) * sqrt(3) > RANGE_MOST)
		notes_add(&e->missing, "lengths are even between two ends, of prompts and answers alike: their "
		    "spread is %.3g", smaller(spread_of(p), RANGE_MOST / sqrt(3)));
	if (p->traffic.rate > 0 && p->traffic.ramp_seconds > 0)
		export_missing(e, FIELD_RAMP_SECONDS, "the rate is full from the first request on");
	for (enum field_id f = 0; f < FIELD_COUNT; f++) /* the engine has been started */
		if (!field_same_section(f, FIELD_RATE))
			field_set_add(&e->outside, f);
	EXPORT_SAY(e, FIELD_MIX, FIELD_PROMPT_SPREAD, FIELD_GENERATE_SPREAD, FIELD_PERCENTILE,
	    FIELD_TTFT_LIMIT, FIELD_TPOT_LIMIT, FIELD_ROUTING, FIELD_RAMP_SECONDS);
}

/* ---- vLLM ------------------------------------------------------------------------------------ */

/* Even between mean*(1 - r) and mean*(1 + r), r the square root of three times the spread. */
static void
vllm_lengths(struct textbuf *out, const struct plan *p)
{
	if (has_prefixes(p)) {
		textbuf_add(out, " \\\n\t--dataset-name prefix_repetition");
		engines_put_number(out, "--prefix-repetition-num-prefixes", p->traffic.prefixes);
		engines_put_number(out, "--prefix-repetition-prefix-len", p->traffic.prefix_tokens);
		engines_put_number(out, "--prefix-repetition-suffix-len", own_tokens(p));
		engines_put_number(out, "--prefix-repetition-output-len", p->serving.generate_tokens);
		return;
	}
	textbuf_add(out, " \\\n\t--dataset-name random");
	if (shared_tokens(p) > 0)
		engines_put_number(out, "--random-prefix-len", shared_tokens(p));
	engines_put_number(out, "--random-input-len", own_tokens(p));
	engines_put_number(out, "--random-output-len", p->serving.generate_tokens);
	if (spread_of(p) > 0)
		put_real(out, "--random-range-ratio", smaller(RANGE_MOST, spread_of(p) * sqrt(3)));
}

static void
vllm_limits(struct textbuf *out, const struct arrivals *t)
{
	textbuf_add(out, " \\\n\t--percentile-metrics ttft,tpot,itl,e2el \\\n\t--metric-percentiles 50,90,95,%.4g",
	    t->percentile);
	if (t->ttft_limit > 0 || t->tpot_limit > 0)
		textbuf_add(out, " \\\n\t--goodput");
	if (t->ttft_limit > 0)
		textbuf_add(out, " ttft:%.6g", 1e3 * t->ttft_limit);
	if (t->tpot_limit > 0)
		textbuf_add(out, " tpot:%.6g", 1e3 * t->tpot_limit);
}

void
vllm_bench_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct textbuf *out;

	tell_rest(e, has_prefixes(p));
	EXPORT_SAY(e, FIELD_BURSTINESS);
	out = export_begin_script(e, "vllm-bench.sh");
	textbuf_add(out, "exec vllm bench serve --backend vllm --model \"$MODEL\" \\\n"
	    "\t--base-url \"${URL:-http://localhost:8000}\"");
	vllm_lengths(out, p);
	textbuf_add(out, " \\\n\t--ignore-eos");
	engines_put_number(out, "--num-prompts", requests_of(p));
	if (p->traffic.rate > 0) {
		put_real(out, "--request-rate", p->traffic.rate);
		put_real(out, "--burstiness", p->traffic.burstiness);
	} else {
		engines_put_number(out, "--max-concurrency", p->serving.concurrency);
	}
	vllm_limits(out, &p->traffic);
	textbuf_add(out, " \\\n\t--save-result \"$@\"\n");
}

/* ---- SGLang ---------------------------------------------------------------------------------- */

/* Even between r times a length and that length, whose mean is the plan's. */
static void
sglang_lengths(struct textbuf *out, const struct plan *p)
{
	const double wide = smaller(RANGE_MOST, spread_of(p) * sqrt(3)), r = (1 - wide) / (1 + wide);
	const double longest = 2 / (1 + r);

	if (shared_tokens(p) > 0) {
		textbuf_add(out, " \\\n\t--dataset-name generated-shared-prefix");
		engines_put_number(out, "--gsp-num-groups", beginnings_of(p));
		engines_put_number(out, "--gsp-prompts-per-group",
		    most_of(1, requests_of(p) / beginnings_of(p)));
		engines_put_number(out, "--gsp-system-prompt-len", shared_tokens(p));
		engines_put_number(out, "--gsp-question-len", own_tokens(p));
		engines_put_number(out, "--gsp-output-len", p->serving.generate_tokens);
		return;
	}
	textbuf_add(out, " \\\n\t--dataset-name random");
	engines_put_number(out, "--random-input-len", (int64_t)ceil(longest * (double)p->serving.prompt_tokens));
	engines_put_number(out, "--random-output-len", (int64_t)ceil(longest * (double)p->serving.generate_tokens));
	put_real(out, "--random-range-ratio", r);
}

void
sglang_bench_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct textbuf *out;

	tell_rest(e, shared_tokens(p) > 0);
	if (p->traffic.rate > 0 && !(p->traffic.burstiness >= 1 && p->traffic.burstiness <= 1))
		export_missing(e, FIELD_BURSTINESS, "requests arrive as a Poisson process");
	EXPORT_SAY(e, FIELD_BURSTINESS);
	out = export_begin_script(e, "sglang-bench.sh");
	textbuf_add(out, "exec python3 -m sglang.bench_serving --backend sglang --model \"$MODEL\" \\\n"
	    "\t--base-url \"${URL:-http://localhost:30000}\"");
	sglang_lengths(out, p);
	engines_put_number(out, "--num-prompts", requests_of(p));
	if (p->traffic.rate > 0)
		put_real(out, "--request-rate", p->traffic.rate);
	else
		engines_put_number(out, "--max-concurrency", p->serving.concurrency);
	textbuf_add(out, " \\\n\t\"$@\"\n");
}
