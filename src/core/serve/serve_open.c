#include "core/serve/serve_open.h"

#include <math.h>
#include <stddef.h>

#include "core/base/number.h"
#include "core/framework/error.h"
#include "core/model/flops.h"
#include "core/plan/field.h"
#include "core/plan/pool.h"
#include "core/rate/rate_formula.h"
#include "core/rate/rate_within.h"
#include "core/serve/serve_engine.h"
#include "core/serve/serve_links.h"
#include "core/serve/serve_loop.h"
#include "core/serve/serve_pools.h"

enum { HIT_ROUNDS = 4, KEPT_BISECTIONS = 40, SPLIT_BISECTIONS = 10 };

static const double next_above = 1.001; /* of a rate that is taken: the most is known to that */
static const double inside_least = .01;  /* of a rate, by which it misses its limits at least */
static const double idle_share = .15;    /* of a GPU's power when nothing runs, */
static const double memory_share = .35;  /* and of the rest while memory alone works: assumed, few
 * publish watts beside a rate */

/* ---- requests ---------------------------------------------------------------------------- */

/* Cut where the context ends: what is longer is refused, or ends there. */
static struct rate_length
length_of(const struct plan *p, int64_t tokens, int64_t other, double spread)
{
	const double mean = larger(1, (double)tokens);

	return (struct rate_length){ .spread = SPREAD_LOGNORMAL, .mean = mean, .sd = spread * mean,
		.most = larger(mean, (double)(p->serving.context_length - other)) };
}

static struct rate_load
load_of_plan(const struct plan *p, double engines)
{
	static const enum rate_routing routes[] = { ROUTE_LEAST, ROUTE_RANDOM, ROUTE_IN_TURN,
		ROUTE_LEAST };
	const struct arrivals *t = &p->traffic;
	const struct serving *v = &p->serving;
	const int some = (int)smaller(engines, RATE_ENGINES);

	return (struct rate_load){ .rate = t->rate / engines,
		.shape = t->burstiness < RATE_EVEN_SHAPE ? t->burstiness : INFINITY,
		.prompt = length_of(p, v->prompt_tokens, v->generate_tokens, t->prompt_spread),
		.answer = length_of(p, v->generate_tokens, v->prompt_tokens, t->generate_spread),
		.hit = v->prefix_hit, .ramp = t->ramp_seconds, .engines = some,
		.routing = routes[t->routing],
		.requests = t->requests > 0 ?
		    (int)larger(1, smaller(1e6, (double)t->requests) * some / engines) : 0 };
}

/* ---- prefixes ----------------------------------------------------------------------------- */

/* Requests between two that share a beginning, at most, where the cache has it still. Finished requests leave all of
 * theirs, answers too, and what was left first is taken anew first (vLLM vllm/v1/core/block_pool.py, SGLang
 * srt/mem_cache/radix_cache.py): a beginning stays while what came since has room, n beginnings once and the rest
 * of each request. */
static double
requests_kept(double beginnings, double tokens, double rest, double room)
{
	double low = 0, high = room / larger(1, rest);

	for (int i = 0; i < KEPT_BISECTIONS; i++) {
		const double n = (low + high) / 2;

		if (beginnings * tokens * (1 - exp(-n / beginnings)) + n * rest < room)
			low = n;
		else
			high = n;
	}
	return low;
}

/* Tokens of a prompt that others have too, but for its last one. */
static double
beginning_of(const struct plan *p, const struct rate_length *prompt)
{
	return larger(0, smaller((double)p->traffic.prefix_tokens, prompt->mean - 1));
}

/* Share of a prompt that a cache of so many tokens has, of beginnings that all are asked for as often and by
 * chance (Fricker et al. 2012, arXiv 1202.3974). A benchmark that ends asks for each of them a first time. */
static double
hit_share(const struct serve_rate *r, const struct plan *p, double room)
{
	const struct arrivals *t = &p->traffic;
	const double apart = t->routing == ROUTING_PREFIX ? r->engines : 1;
	const struct rate_length *prompt = &r->load_of_one.prompt;
	const double tokens = beginning_of(p, prompt), rest = prompt->mean - tokens + r->load_of_one.answer.mean;
	const double beginnings = larger(1, (double)t->prefixes / apart);
	const double requests = (double)t->requests / r->engines / beginnings;
	const double again = requests > 0 ? 1 - (1 - exp(-requests)) / requests : 1;

	return again * tokens / prompt->mean *
	    (1 - exp(-requests_kept(beginnings, tokens, rest, larger(0, room)) / beginnings));
}

/* Requests that run at once, at most: each has what it did not find and its answer, and a beginning that several of
 * them found is there once. Others make way. */
static double
running_most(const struct serve_rate *r, const struct plan *p, double own, double pool)
{
	const struct rate_length *prompt = &r->load_of_one.prompt;
	const double tokens = larger(1, beginning_of(p, prompt)), n = larger(1, (double)p->traffic.prefixes);
	const double found = r->load_of_one.hit * prompt->mean / tokens;
	double low = 0, high = pool / larger(1, own);

	for (int i = 0; i < KEPT_BISECTIONS; i++) {
		const double running = (low + high) / 2;

		if (running * own + n * (1 - exp(-running * found / n)) * tokens < pool)
			low = running;
		else
			high = running;
	}
	return larger(1, low);
}

/* What of the cache running requests leave for prefixes at the load's rate, and the host's tier behind it: the share
 * that is found, and how many run. That which the GPU has. */
static double
hits_at_rate(struct serve_rate *r, const struct plan *p, double pool, double host)
{
	const struct rate_length *prompt = &r->load_of_one.prompt, *answer = &r->load_of_one.answer;
	double near = 0;

	for (int i = 0; i < HIT_ROUNDS; i++) {
		const double own = prompt->mean * (1 - r->load_of_one.hit) + answer->mean / 2;
		const struct rate_means m = rate_means(&r->engine, &r->load_of_one, NULL);
		const double left = larger(0, pool - m.batch * own);

		near = hit_share(r, p, left);
		r->load_of_one.hit = hit_share(r, p, left + host);
		r->engine.kv_tokens = (prompt->mean + answer->mean / 2) * running_most(r, p,
		    prompt->mean * (1 - r->load_of_one.hit) + answer->mean / 2, pool);
	}
	return near;
}

/* The more requests run, the less of the cache is left for what they share: the largest rate at which so many hits are
 * left that it is taken. */
static double
most_with_hits(const struct serve_rate *r, const struct plan *p, double pool, double host)
{
	struct serve_rate at = *r;
	double low = 0, high;

	at.load_of_one.hit = beginning_of(p, &at.load_of_one.prompt) / at.load_of_one.prompt.mean;
	high = rate_means(&at.engine, &at.load_of_one, NULL).saturation;
	for (int i = 0; i < SPLIT_BISECTIONS; i++) {
		at.load_of_one.rate = (low + high) / 2;
		hits_at_rate(&at, p, pool, host);
		if (rate_means(&at.engine, &at.load_of_one, NULL).stable)
			low = at.load_of_one.rate;
		else
			high = at.load_of_one.rate;
	}
	return low;
}

static void
find_hits(struct serve_rate *r, const struct plan *p, double kv_bytes, double fetch_rate)
{
	const double host = kv_bytes > 0 ? p->serving.kv_host_gib * GIB / kv_bytes : 0, pool = r->engine.kv_tokens;
	double near;

	r->most = most_with_hits(r, p, pool, host);
	near = hits_at_rate(r, p, pool, host);
	r->load_of_one.found = beginning_of(p, &r->load_of_one.prompt) / r->load_of_one.prompt.mean;
	r->engine.fetch = fetch_rate > 0 ?
	    (r->load_of_one.hit - near) * r->load_of_one.prompt.mean * kv_bytes / fetch_rate : 0;
}

static bool
has_prefixes(const struct plan *p)
{
	return p->traffic.prefixes > 0 && p->traffic.prefix_tokens > 0 &&
	    !field_is_set(FIELD_PREFIX_HIT, p);
}

/* ---- means -------------------------------------------------------------------------------- */

/* Joules of a token: idle power, and the more of the peak is computed the more of the rest. */
static double
joules_of(const struct serve *s, const struct plan *p, double tokens)
{
	const struct cluster *c = &p->cluster;
	const double limit = c->gpu_power_watts > 0 ? c->gpu_power_watts : c->tdp_watts;
	const double world = (double)plan_world(p);
	const double met = (double)p->serving.prompt_tokens * (1 - s->rate.hit) /
	    at_least_one(p->serving.generate_tokens) + 1;
	const double computed = tokens * met * flops_sum(flops_of_token(p, false)) / 3 /
	    (world * 1e12 * larger(c->bf16_tflops, 1));
	const double busy = s->rate.busy > 0 ? s->rate.busy : s->rate.split ? s->rate.load :
	    smaller(1, s->rate.in_flight);
	const double watts = limit * (idle_share + (1 - idle_share) * busy *
	    (memory_share + (1 - memory_share) * smaller(1, computed)));

	return tokens > 0 ? world * watts / tokens : 0;
}

/* What the closed loop has too, from an open one. */
static void
set_rates(struct serve *out, const struct plan *p, double batch, double life)
{
	struct serve_rate *r = &out->rate;

	r->load = r->saturation > 0 ? p->traffic.rate / r->saturation : 0; /* else no room for one */
	r->in_flight = batch * r->engines;
	out->running = r->in_flight;
	out->cycle_seconds = life;
	out->tokens_per_second = smaller(p->traffic.rate, r->saturation) * (double)p->serving.generate_tokens;
	out->tokens_per_second_per_gpu = out->tokens_per_second / (double)plan_world(p);
	r->joules = joules_of(out, p, out->tokens_per_second);
	out->tokens_per_second_per_user = out->tpot_seconds > 0 ? 1 / out->tpot_seconds : 0;
}

static void
open_one_pool(struct serve *out, const struct plan *p, const struct serve_work *w,
    struct ledger *ledger)
{
	struct serve_rate *r = &out->rate;
	const struct rate_means m = rate_means(&r->engine, &r->load_of_one, NULL);

	if (m.stable && ledger != NULL) /* else there is no time to explain */
		rate_means(&r->engine, &r->load_of_one, ledger);
	r->saturation = r->engines * (!(r->most > 0) ? m.saturation :
	    m.stable ? larger(r->most, next_above * r->load_of_one.rate) : smaller(r->most, m.saturation));
	out->step_seconds = serve_step(w, larger(1, m.batch) / serve_ranks_in_step(w), ledger);
	out->prefill_seconds = serve_prompt_alone(w, larger(1, r->load_of_one.prompt.mean *
	    (1 - r->load_of_one.hit)), ledger);
	out->queue_seconds = m.stable ? m.queue : 0;
	out->ttft_seconds = m.stable ? m.ttft : 0;
	out->tpot_seconds = m.stable ? m.tpot : 0;
	out->prompts_share_seconds = m.stable ? m.tpot - m.step / r->engine.tokens : 0;
	set_rates(out, p, m.batch, m.life);
}

static void
open_split(struct serve *out, const struct plan *p, const struct pool *pool, const struct serve_work *w,
    struct ledger *ledger)
{
	struct serve_rate *r = &out->rate;
	const struct rate_split s = rate_split(&r->pools, &r->engine, &r->load_of_one, p->traffic.rate,
	    NULL);

	if (s.stable && ledger != NULL)
		rate_split(&r->pools, &r->engine, &r->load_of_one, p->traffic.rate, ledger);
	r->saturation = s.saturation;
	out->step_seconds = serve_step(w, larger(1, s.batch) / serve_ranks_in_step(w), ledger);
	out->prefill_seconds = r->pools.alone;
	out->queue_seconds = s.stable ? s.queue : 0;
	out->ttft_seconds = s.stable ? s.ttft : 0;
	out->tpot_seconds = s.stable ? s.tpot : 0;
	out->prefill_rate = r->pools.lanes / r->pools.busy;
	out->prefill_utilisation = s.prefilling;
	out->prefill_gpus_balanced = serve_pools_balanced(p, pool, out->prefill_rate, p->traffic.rate / s.decoding);
	set_rates(out, p, s.batch, s.life);
}

void
serve_open(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct kv *kv, double kv_tokens, double fetch, struct ledger *ledger)
{
	const struct serve_work w = serve_work_of(p, setup, kv);
	struct serve_rate *r = &out->rate;
	struct pool pool;

	pool_parse(&pool, p->serving.prefill_workers);
	r->known = true;
	r->limited = p->traffic.ttft_limit > 0 || p->traffic.tpot_limit > 0;
	r->split = pool.workers > 0;
	r->engines = setup->engines * setup->dp / serve_ranks_in_step(&w);
	r->engine = serve_engine_of(&w, kv_tokens, has_prefixes(p) ? 0 : fetch);
	r->load_of_one = load_of_plan(p, r->engines);
	if (has_prefixes(p))
		find_hits(r, p, out->kv_bytes_per_token, serve_fetch_rate(p));
	r->hit = r->load_of_one.hit;
	out->tpot_error = error_of_tpot(p);
	out->ttft_error = error_of_ttft(p);
	if (r->split) {
		r->pools = serve_pools_open(out, p, &pool, larger(1, r->load_of_one.prompt.mean *
		    (1 - r->hit)), r->engine.fetch, ledger);
		r->pools.sent = out->transfer_seconds;
		r->pools.decoders = r->engines;
		open_split(out, p, &pool, &w, ledger);
	} else {
		open_one_pool(out, p, &w, ledger);
	}
}

/* ---- percentiles -------------------------------------------------------------------------- */

static double
limit_or_none(double limit)
{
	return limit > 0 ? limit : INFINITY;
}

static struct serve_times
times_of(const struct rate_times *t)
{
	return (struct serve_times){ t->p50, t->p90, t->p95, t->p99, t->asked, t->mean };
}

static void
follow_events(struct serve_rate *r, const struct plan *p, struct rate_room *room, struct rate_kept *kept)
{
	struct rate_served s;

	r->load_of_one.rate = p->traffic.rate / r->engines;
	rate_loop_kept(&s, &r->engine, &r->load_of_one, p->traffic.percentile, NULL, room, kept);
	r->in_flight = rate_means(&r->engine, &r->load_of_one, NULL).batch * r->engines;
	r->followed &= s.whole;
	r->ttft = times_of(&s.ttft);
	r->tpot = times_of(&s.tpot);
	r->life = times_of(&s.life);
	r->gap = s.gap.p99;
	r->preempted = s.preempted;
	r->reached = s.reached * r->engines / r->load_of_one.engines;
	r->busy = s.busy;
}

/* Of an answer that a share of all is no longer than. */
static double
tokens_within(const struct rate_length *n, double share)
{
	const double spread = log(1 + n->sd / n->mean * (n->sd / n->mean));

	return smaller(n->most, n->mean * exp(sqrt(spread) * rate_normal(share) - spread / 2));
}

static struct serve_times
times_at(const double at[5], double mean)
{
	return (struct serve_times){ at[0], at[1], at[2], at[3], at[4], mean };
}

/* Prompts of a share of the requests as events: a pool of engines whose answers are one token. */
static struct rate_served
prompts_alone(const struct serve_rate *r, const struct plan *p, double rate, const struct rate_limits *until,
    struct rate_room *room, struct rate_kept *kept)
{
	struct rate_load l = load_of_plan(p, r->pools.workers);
	struct rate_served s;

	l.rate = rate / r->pools.workers;
	l.answer = (struct rate_length){ .mean = 1 };
	l.hit = r->load_of_one.hit;
	l.found = r->load_of_one.found;
	rate_loop_kept(&s, &r->pools.prefill, &l, p->traffic.percentile, until, room, kept);
	return s;
}

/* Of the sum of two times that have nothing to do with each other. */
static double
both_within(double mean, double one, double other)
{
	return mean + (one + other < 0 ? -1 : 1) * hypot(one, other);
}

static void
follow_split(struct serve_rate *r, const struct plan *p, double rate, struct rate_room *room,
    struct rate_kept *kept)
{
	const struct rate_split s = rate_split(&r->pools, &r->engine, &r->load_of_one, rate, NULL);
	const struct rate_served prompts = prompts_alone(r, p, rate, NULL, room, kept);
	const double share[] = { .5, .9, .95, .99, p->traffic.percentile / 100 };
	const struct rate_times *t = &prompts.ttft;
	const double at[] = { t->p50, t->p90, t->p95, t->p99, t->asked };
	const double mean = t->mean + s.after, answer = larger(0, r->load_of_one.answer.mean - 1);
	double first[5], next[5], life[5];

	r->followed &= prompts.whole;
	r->in_flight = s.batch * r->engines;
	for (int i = 0; i < 5; i++) {
		first[i] = at[i] + s.after;
		next[i] = rate_split_step(&s, &r->engine, &r->load_of_one, share[i]) / r->engine.tokens;
		life[i] = both_within(mean + answer * s.tpot, at[i] - t->mean,
		    (tokens_within(&r->load_of_one.answer, share[i]) - r->load_of_one.answer.mean) * s.tpot);
	}
	r->ttft = times_at(first, mean);
	r->tpot = times_at(next, s.tpot);
	r->life = times_at(life, mean + answer * s.tpot);
	r->gap = rate_split_step(&s, &r->engine, &r->load_of_one, .99);
}

static bool
is_inside(const struct serve_rate *r, const struct rate_limits *limits)
{
	return r->ttft.asked <= limits->ttft && r->tpot.asked <= limits->tpot;
}

/* A step is a formula, so that it is asked before the prompts' events. */
static bool
split_is_inside(const struct serve_rate *r, const struct plan *p, const struct rate_limits *limits, double rate,
    struct rate_room *room, struct rate_kept *kept)
{
	const struct rate_split s = rate_split(&r->pools, &r->engine, &r->load_of_one, rate, NULL);
	const double step = rate_split_step(&s, &r->engine, &r->load_of_one, limits->percentile / 100);
	const struct rate_limits prompts = { limits->ttft - s.after, INFINITY, limits->percentile };
	struct rate_served first;

	if (step / r->engine.tokens > limits->tpot)
		return false;
	first = prompts_alone(r, p, rate, &prompts, room, kept);
	return first.whole && first.ttft.asked <= prompts.ttft;
}

/* Of both pools. */
static struct rate_range
split_within(const struct serve_rate *r, const struct plan *p, const struct rate_limits *limits, double enough,
    struct rate_room *room, struct rate_kept *kept)
{
	struct rate_range in = { 0, r->saturation };
	int left = SPLIT_BISECTIONS;

	for (; left > 0 && in.most > enough; left--) {
		const double rate = (in.least + in.most) / 2;

		if (split_is_inside(r, p, limits, rate, room, kept))
			in.least = rate;
		else
			in.most = rate;
	}
	if (left == 0)
		in.most = in.least;
	return in;
}

/* A number of all that the rate inside the limits follows from: of one engine, or of both pools. */
static uint64_t
inside_of(const struct serve_rate *r, const struct plan *p, const struct rate_limits *limits)
{
	const double all[] = { limits->ttft, limits->tpot, limits->percentile, r->split ? r->engines : 0,
		(double)p->traffic.requests };
	uint64_t of = rate_kept_load(rate_kept_engine(1, &r->engine), &r->load_of_one);

	of = rate_kept_numbers(of, all, sizeof all / sizeof *all);
	if (!r->split)
		return of;
	of = rate_kept_numbers(of, &r->pools.alone, (offsetof(struct rate_pools, workers) -
	    offsetof(struct rate_pools, alone)) / sizeof(double) + 1);
	return rate_kept_engine(of, &r->pools.prefill);
}

static double
find_within(const struct serve_rate *r, const struct plan *p, const struct rate_limits *limits, double enough,
    struct rate_room *room, struct rate_kept *kept)
{
	const double engines = r->split ? 1 : r->engines;
	const uint64_t of = kept != NULL ? inside_of(r, p, limits) : 0;
	struct rate_found *found = kept != NULL ? &kept->inside[of % RATE_KEPT_INSIDE] : NULL;
	struct rate_range in;

	enough /= engines;
	if (found != NULL && found->of == of && (found->rate.most <= found->rate.least || found->rate.most <= enough))
		return smaller(r->saturation, engines * found->rate.least);
	in = r->split ? split_within(r, p, limits, enough, room, kept) :
	    rate_within(&r->engine, &r->load_of_one, limits, enough, room);
	if (found != NULL)
		*found = (struct rate_found){ of, in };
	return smaller(r->saturation, engines * in.least);
}

/* The rate inside the limits agrees with the percentiles at the plan's own rate, of which chance decides as well. */
static void
agree_inside(struct serve_rate *r, const struct plan *p, const struct rate_limits *limits)
{
	const double rate = p->traffic.rate;

	if (r->load < 1 && r->followed && is_inside(r, limits))
		r->inside = larger(r->inside, rate);
	else if (r->load < 1 && r->followed)
		r->inside = smaller(r->inside, (1 - inside_least) * rate);
}

bool
serve_has_times(const struct serve_rate *r, const struct plan *p, double rate)
{
	return r->saturation > 0 && (rate < r->saturation || (p->traffic.requests > 0 && !r->split));
}

void
serve_percentiles(struct serve_rate *r, const struct plan *p, struct rate_room *room, struct rate_kept *kept)
{
	if (r->split)
		follow_split(r, p, p->traffic.rate, room, kept);
	else
		follow_events(r, p, room, kept);
}

void
serve_follow(struct serve *out, const struct plan *p, enum follow depth, double enough, struct rate_room *room,
    struct rate_kept *kept)
{
	struct serve_rate *r = &out->rate;
	const bool inside = r->limited && depth == FOLLOW_LIMITS;
	const struct rate_limits limits = { limit_or_none(p->traffic.ttft_limit),
		limit_or_none(p->traffic.tpot_limit), p->traffic.percentile };

	if (!r->known || depth == FOLLOW_MEANS)
		return;
	if (inside)
		r->inside = find_within(r, p, &limits, enough, room, kept);
	if (inside && larger(r->inside, p->traffic.rate) < enough)
		return; /* its own percentiles make no more of it */
	r->followed = serve_has_times(r, p, p->traffic.rate);
	if (r->followed)
		serve_percentiles(r, p, room, kept);
	if (r->followed && p->traffic.requests > 0 && !r->split)
		r->joules = joules_of(out, p, r->reached * (double)p->serving.generate_tokens);
	if (inside)
		agree_inside(r, p, &limits);
}
