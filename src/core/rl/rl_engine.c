#include "core/rl/rl_engine.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/model/kv.h"
#include "core/rl/rl.h"
#include "core/serve/serve_loop.h"
#include "core/serve/serve_setup.h"

#define VLLM_SCHEDULER "vLLM vllm/v1/core/sched/scheduler.py"
#define PREFIX "vLLM docs/design/prefix_caching.md"

/* A sleeping engine keeps its CUDA context, NCCL and CUDA graphs: 1.5 GiB at least (verl
 * docs/perf/perf_tuning.rst; vLLM docs/features/sleep_mode.md). */
#define ASLEEP_LEAST (1.5 * GIB)

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int64_t
rl_rollout_gpus(const struct plan *p)
{
	return p->rl.placement == RL_SPLIT ? p->rl.rollout_gpus : plan_world(p);
}

/* A pool of whole nodes, or of equal parts of them. */
static void
take_pool(struct plan *q, const struct plan *p)
{
	const int64_t pool = rl_rollout_gpus(p), node = p->cluster.gpus_per_node;
	const int64_t gpus = common_divisor(pool, node);

	q->cluster.gpus_per_node = gpus;
	q->cluster.nodes = pool / gpus;
	q->cluster.nics_per_node = most_of(1, p->cluster.nics_per_node * gpus / node);
}

/* The engine as a plan that serves on its pool, with `gpus` GPUs each. */
static void
put_engine_plan(struct plan *out, const struct plan *p, int64_t gpus)
{
	const struct parallel alone = { .cp = 1, .pp = 1, .vpp = 1, .ep = 1, .etp = 1, .dp_replicate = 1,
		.layout = (int64_t)framework_usual(MODE_SERVE) };

	*out = *p;
	out->mode = MODE_SERVE;
	out->parallel = alone;
	out->parallel.tp = gpus;
	take_pool(out, p);
	out->serving.replicas = rl_rollout_gpus(p) / gpus;
	out->serving.prefill_workers[0] = '\0';
	out->serving.ffn_gpus = 0;
	out->traffic.rate = 0; /* all prompts of a step are there at once */
	out->serving.concurrency = p->rl.prompts * p->rl.responses;
	out->serving.prompt_tokens = p->rl.prompt_tokens;
	out->serving.generate_tokens = p->rl.response_tokens;
}

/* ---- how long it generates ----------------------------------------------------------- */

enum { COHORTS = 256 };

/* Responses that began together. */
struct cohort {
	double age, count;
};

/* Responses that are expected to be left where nobody waits for more. */
#define NONE_LEFT 1e-3

/* After so many lives of a response full slots do the same again in each. */
enum { LIVES_SETTLE = 4 };

/*
 * Lives of responses that are as the one before: what a whole life takes, since `before`, counts
 * for all that the queue still has responses for. Returns what is left of the queue.
 */
static double
repeat_life(struct rl_decode *d, const struct rl_decode *before, double queue, double begun)
{
	const double lives = begun > 0 ? floor(queue / begun) : 0;

	d->steps += lives * (d->steps - before->steps);
	d->seconds += lives * (d->seconds - before->seconds);
	return queue - lives * begun;
}

/* The mean of lengths without a limit, of which the limit leaves b->mean: limited ones come to
 * a*(1 - exp(-longest/a)) on average. */
static double
unlimited_mean(const struct rl_batch *b)
{
	double low = larger(1, b->mean), high = 64 * larger(low, b->longest);

	for (int i = 0; i < 64; i++) {
		const double a = (low + high) / 2;

		if (a * (1 - exp(-b->longest / a)) < b->mean)
			low = a;
		else
			high = a;
	}
	return low;
}

double
rl_longest(const struct plan *p, double n)
{
	const double euler = 0.5772;
	const struct rl_batch b = { .mean = (double)p->rl.response_tokens,
		.longest = (double)p->rl.response_limit };

	if (b.mean >= b.longest)
		return b.longest;
	return smaller(b.longest, unlimited_mean(&b) * (log(larger(1, n)) + euler));
}

/*
 * Steps of `stride` tokens. Of a cohort the share (1 - 1/mean) is left after every token, until
 * all that is left ends at the longest. Counts are expected ones: where less than a few are left,
 * the engine still runs with the chance that there is any, 1 - exp(-count).
 */
struct rl_decode
rl_decode_of(const struct rl_batch *b,
    double (*step)(const void *context, double requests, double length), const void *context)
{
	const double mean = unlimited_mean(b), ends = 1 - exp(-1 / mean);
	const double oldest = smaller(b->longest, mean * log(larger(2, b->responses) / NONE_LEFT));
	const double stride = larger(1, ceil(oldest / (COHORTS - 2)));
	const double left = pow(1 - ends, stride);
	struct cohort cohort[COHORTS] = { { 0, smaller(b->responses, b->slots) } };
	const int life = (int)ceil(oldest / stride);
	struct rl_decode out = { 0, 0 }, mark = out;
	double queue = b->responses - cohort[0].count, waited = queue;
	int n = cohort[0].count > 0 ? 1 : 0;

	for (int round = 0; n > 0; round++) {
		double live = 0, tokens = 0, done = 0, next, runs;
		int kept = 0;

		if (round == LIVES_SETTLE * life) {
			mark = out;
			waited = queue;
		} else if (round == (LIVES_SETTLE + 1) * life)
			queue = repeat_life(&out, &mark, queue, waited - queue);
		for (int i = 0; i < n; i++) {
			live += cohort[i].count;
			tokens += cohort[i].count * cohort[i].age;
		}
		runs = stride * (1 - exp(-live));
		out.steps += runs;
		out.seconds += runs * step(context, larger(1, live), b->prompt + tokens / live);
		for (int i = 0; i < n; i++) {
			struct cohort c = cohort[i];
			const double before = c.count;

			c.age += stride;
			c.count = c.age >= oldest ? 0 : c.count * left;
			if (c.count > 0)
				cohort[kept++] = c;
			done += before - c.count;
		}
		next = smaller(queue, done);
		queue -= next;
		n = live - done > NONE_LEFT || queue > 0 ? kept : 0;
		if (next > 0 && n < COHORTS)
			cohort[n++] = (struct cohort){ 0, next };
	}
	if (out.steps > 0)
		out.seconds /= out.steps;
	return out;
}

/* Steps behind, an engine has responses to several batches at once and never waits for the last
 * ones of one: of as many as let the longest end within these steps, where there are slots. */
static struct rl_decode
decode_on(const struct rl_batch *b, double batches,
    double (*step)(const void *context, double requests, double length), const void *context)
{
	const double mean = b->mean, live = larger(1,
	    smaller(b->slots, b->responses * mean * batches / larger(mean, b->longest)));

	return (struct rl_decode){ larger(b->responses * mean / live, b->longest / batches),
		step(context, live, b->prompt + mean / 2) };
}

/*
 * Seconds of a decode step that log-probs of its tokens take, and of each of them, on vLLM's host: of a model of 0.5B
 * 18,645 tokens a second became 13,583 with 64 requests, 430 became 407 with one (vllm-project/vllm pull request
 * 57442, logprobs=0).
 */
#define LOGPROBS_STEP 0.11e-3
#define LOGPROBS_EACH 18e-6

static double
decode_step(const void *context, double requests, double length)
{
	const struct serve_work *w = context;
	const struct plan *p = w->p;
	const bool given = p->serving.engine == ENGINE_VLLM && (p->rl.engine_logprobs || !p->rl.old_logprob);

	return serve_decode(w, requests, 1, length, NULL) + (given ? LOGPROBS_STEP + LOGPROBS_EACH * requests : 0);
}

static struct serve_setup
setup_of(const struct plan *q)
{
	struct serve_setup s = serve_setup_of(q);

	s.ray = true;
	return s;
}

/* Every prompt of a group is prefilled once: its other responses find it in the cache. */
static double
generate(const struct plan *q, double slots, struct ledger *ledger)
{
	const struct serve_setup setup = setup_of(q);
	const struct kv kv = kv_of(q, setup.version, setup.tokens);
	const struct serve_work w = serve_work_of(q, &setup, &kv);
	const double engines = (double)q->serving.replicas;
	const double prompts = larger(1, (double)q->rl.prompts / engines);
	const double prompt = serve_prompt_busy(&w, (double)q->rl.prompt_tokens);
	const struct rl_batch b = { .responses = larger(1, (double)q->serving.concurrency / engines),
		.slots = slots, .mean = (double)q->rl.response_tokens,
		.longest = (double)q->rl.response_limit, .prompt = (double)q->rl.prompt_tokens };
	const double batches = (double)q->rl.staleness;
	const struct rl_decode d = batches > 1 ? decode_on(&b, batches, decode_step, &w) :
	    rl_decode_of(&b, decode_step, &w);
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_RL_SECONDS, "prompts", PREFIX, prompts * prompt,
	    AS("prompts of an engine", prompts), AS("seconds", prompt));
	LEDGER_TERM(ledger, sum, QUANTITY_RL_SECONDS, "decode steps", VLLM_SCHEDULER,
	    d.steps * d.seconds, AS("steps until the last response", d.steps),
	    AS("seconds on average", d.seconds));
	return sum;
}

/* ---- its size and its memory ----------------------------------------------------------- */

static bool
serve_on(struct plan *q, struct serve *out, const struct plan *p, int64_t gpus)
{
	struct layout l;
	struct placement pl;

	put_engine_plan(q, p, gpus);
	if (!layout_size(&l, q, NULL) || !placement_init(&pl, q, NULL))
		return false;
	*out = serve_estimate(q, &l, &pl, NULL, NULL);
	return true;
}

static bool
splits_gpus(const struct plan *p, int64_t gpus)
{
	return rl_rollout_gpus(p) % gpus == 0 && p->model.attention_heads % gpus == 0;
}

/* The fewest GPUs whose cache is as large as their weights, else the most that there can be. */
static int64_t
engine_size(const struct plan *p)
{
	int64_t best = 1;
	struct serve s;
	struct plan q;

	if (p->rl.rollout_tp > 0)
		return p->rl.rollout_tp;
	for (int64_t gpus = 1; gpus <= rl_rollout_gpus(p) && gpus <= 1024; gpus *= 2) {
		if (!splits_gpus(p, gpus) || !serve_on(&q, &s, p, gpus))
			continue;
		best = gpus;
		if (s.kv_pool_bytes >= s.weight_bytes)
			break;
	}
	return best;
}

bool
rl_engine_of(struct rl_engine *out, const struct plan *p, struct ledger *ledger)
{
	struct serve s;
	struct plan q;

	out->gpus = engine_size(p);
	if (!serve_on(&q, &s, p, out->gpus))
		return false;
	out->engines = q.serving.replicas;
	out->total = q.cluster.memory_gib * GIB;
	out->weights = s.weight_bytes;
	out->awake = s.weight_bytes + s.non_torch_bytes + s.activation_bytes + s.graph_bytes +
	    larger(0, s.kv_pool_bytes);
	out->asleep = larger(ASLEEP_LEAST, s.non_torch_bytes + s.graph_bytes);
	out->seconds = q.cluster.bf16_tflops > 0 && q.cluster.hbm_gbps > 0 ?
	    generate(&q, larger(1, s.slots), ledger) : 0;
	return true;
}

double
rl_engine_beside(const struct rl_engine *e, const struct plan *p)
{
	return p->rl.engine_sleep == 0 ? e->awake : e->asleep;
}
