#include "core/rate/rate_loop.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/rate/rate_formula.h"

enum {
	NONE = -1, JUMP_MOST = 512, RUNS = 4,
	REQUESTS_USUAL = 400, REQUESTS_LEAST = 40, /* that arrive */
	PASSES_MOST = 20000, /* with their prompts, where a pass takes little of one */
};

static const double blocks_used = .99;   /* of the cache, by a prompt that is taken up */
static const double warm_used = .98;     /* of it, by a warm batch */
static const double next_to = 1e-9;      /* steps */
static const double surely_above = 1.02; /* of a limit: more than two bins of a tally */

/* One engine: a queue, a prompt in parts, a running batch, the ends of its requests as a heap. */
struct loop_engine {
	struct rate_end *end;
	int ends, room;
	double t;             /* seconds */
	double began;         /* when the last pass did */
	double steps;         /* decoded */
	double context;       /* tokens that the running ones look back on */
	double used;          /* tokens in the cache */
	double held;          /* steps that prompts were held back */
	double stall;         /* of prompts that ran alone, until the next step */
	double busy, batch;   /* seconds; seconds times requests */
	int running, waiting;
	bool full;            /* one was put back, and no step was done since */
	int32_t first, last;  /* of the queue */
	int32_t oldest, newest; /* of those that run */
	int32_t part;         /* whose prompt is taken in parts, NONE */
	double done, whole;   /* of its tokens */
};

/* One run. */
struct loop {
	const struct rate_engine *e;
	const struct rate_load *l;
	struct rate_room *room;
	struct loop_engine engine[RATE_ENGINES];
	int fresh;            /* requests that arrive; warm ones stand behind them */
	int from, to;         /* of them count */
	double queue;         /* seconds of all that count */
	double preempted;
	int64_t events;
	const struct rate_limits *until; /* NULL: none */
	double may_miss;      /* so many of all runs miss a limit at most, */
	int late, slow;       /* and these missed that of the first token, of the others */
};

/* ---- lists ------------------------------------------------------------------------------ */

static void
put_last(struct rate_request *r, int32_t *first, int32_t *last, int32_t i)
{
	r[i].next = NONE;
	r[i].before = *last;
	if (*last != NONE)
		r[*last].next = i;
	else
		*first = i;
	*last = i;
}

static void
put_first(struct rate_request *r, int32_t *first, int32_t *last, int32_t i)
{
	r[i].before = NONE;
	r[i].next = *first;
	if (*first != NONE)
		r[*first].before = i;
	else
		*last = i;
	*first = i;
}

static void
take_out(struct rate_request *r, int32_t *first, int32_t *last, int32_t i)
{
	if (r[i].before != NONE)
		r[r[i].before].next = r[i].next;
	else
		*first = r[i].next;
	if (r[i].next != NONE)
		r[r[i].next].before = r[i].before;
	else
		*last = r[i].before;
}

/* Between tokens: nobody asks a run that may end early. */
static void
count_gaps(const struct loop *o, double seconds, double gaps)
{
	if (o->until == NULL)
		tally_add(&o->room->gap, seconds, gaps);
}

/* ---- one pass --------------------------------------------------------------------------- */

static int
in_engine(const struct loop_engine *g)
{
	return g->running + g->waiting + (g->part != NONE);
}

/* Tokens of prompts that a pass takes, and the requests whose prompt it ends. */
struct chunks {
	double tokens, squares;
	int32_t first, last;  /* a list of them */
	int ended;
};

/* Share of a request's prompt that the cache has. */
static double
met_of(const struct rate_load *l, int32_t i)
{
	const double chance = (double)(rate_mix((uint64_t)i) >> 11) * 0x1p-53;

	if (!(l->found > l->hit))
		return l->hit;
	return chance * l->found < l->hit ? l->found : 0;
}

/* A request came while the pass before this one ran, which this one was scheduled at the beginning of. */
static bool
is_too_late(const struct loop *o, const struct loop_engine *g, int32_t i)
{
	return o->e->ahead && g->running > 0 && o->room->request[i].arrived > g->began;
}

/* The next of the queue begins, where there is a slot and room in the cache. */
static bool
take_up(struct loop *o, struct loop_engine *g, const struct chunks *c)
{
	struct rate_request *const r = o->room->request;
	const int32_t i = g->first;
	double whole;

	if (i == NONE || g->running + c->ended >= o->e->slots || g->running + c->ended >= g->room ||
	    (o->e->first && g->full) || is_too_late(o, g, i))
		return false;
	whole = (double)(r[i].prompt + r[i].generated);
	if (g->used + whole + 1 > o->e->kv_tokens * blocks_used && g->running + c->ended > 0)
		return false;
	take_out(r, &g->first, &g->last, i);
	g->waiting--;
	g->used += whole;
	g->part = i;
	g->whole = whole;
	g->done = smaller(floor(met_of(o->l, i) * (double)r[i].prompt), whole - 1);
	if (r[i].first < 0 && i >= o->from && i < o->to)
		o->queue += g->t - r[i].arrived;
	return true;
}

static struct chunks
take_prompts(struct loop *o, struct loop_engine *g)
{
	struct chunks c = { .first = NONE, .last = NONE };
	double room = o->e->budget;

	if (!o->e->first)
		room = larger(0, room - floor(g->running * o->e->verified));
	while (room > 0 && (g->part != NONE || take_up(o, g, &c))) {
		const double begin = g->done, part = smaller(room, g->whole - begin);

		g->done += part;
		c.tokens += part;
		c.squares += g->done * g->done - begin * begin;
		room -= part;
		if (g->done < g->whole)
			break;
		put_last(o->room->request, &c.first, &c.last, g->part);
		c.ended++;
		g->part = NONE;
	}
	return c;
}

static double
pass_seconds(const struct loop *o, const struct chunks *c, double running, double length)
{
	const double prompts = rate_pass(&o->e->table, c->tokens, c->squares);
	double saved;

	if (!(running > 0))
		return prompts;
	saved = rate_saved(&o->e->table, o->e->graphs, length);
	return larger(rate_step(&o->e->table, running, length), saved) + larger(0, prompts - saved);
}

/* Its prompt is done: the first token is there, and it runs. */
static void
begin_answer(struct loop *o, struct loop_engine *g, int32_t i)
{
	struct rate_request *const r = &o->room->request[i];

	if (r->first < 0)
		r->first = g->t;
	r->born = g->steps;
	put_last(o->room->request, &g->oldest, &g->newest, i);
	g->running++;
	g->context += (double)(r->prompt + r->generated);
	rate_ends_push(g->end, &g->ends, g->steps + larger(0, (double)(r->answer - 1 - r->generated)) / r->tokens, i);
}

static void
run_prompts(struct loop *o, struct loop_engine *g, const struct chunks *c)
{
	const int running = g->running;
	const double length = running > 0 ? g->context / running : 0;
	const double seconds = pass_seconds(o, c, o->e->first ? 0 : running, length);

	g->held = 0;
	g->began = g->t;
	g->t += seconds;
	g->busy += seconds;
	g->batch += running * seconds;
	if (running > 0 && o->e->first) {
		g->stall += seconds;
	} else if (running > 0) {
		count_gaps(o, seconds, running);
		g->steps++;
		g->context += running * o->e->tokens;
		g->used += running * o->e->tokens;
	}
	for (int32_t i = c->first, next; i != NONE; i = next) {
		next = o->room->request[i].next;
		begin_answer(o, g, i);
	}
}

/* Out of blocks: the newest goes back to the head of the queue, to be computed again. */
static void
put_back(struct loop *o, struct loop_engine *g)
{
	const int32_t i = g->newest;
	struct rate_request *const r = &o->room->request[i];
	double held;
	int at = 0;

	r->generated += (int32_t)((g->steps - r->born) * o->e->tokens);
	held = (double)(r->prompt + r->generated);
	take_out(o->room->request, &g->oldest, &g->newest, i);
	put_first(o->room->request, &g->first, &g->last, i);
	g->used -= held;
	g->context -= held;
	g->running--;
	g->waiting++;
	while (g->end[at].request != i)
		at++;
	rate_ends_remove(g->end, &g->ends, at);
	g->full = true;
	o->preempted++;
}

/* Steps that prompts are still held back, for others to share their pass; 0: they may begin. */
static double
held_back(const struct loop *o, const struct loop_engine *g)
{
	const struct rate_request *const r = o->room->request;
	double tokens = g->running * o->e->verified + (g->part != NONE ? g->whole - g->done : 0);

	if (!(o->e->held > g->held) || g->running == 0 || (g->part == NONE && g->first == NONE))
		return 0;
	for (int32_t i = g->first; i != NONE && tokens < o->e->enough; i = r[i].next)
		tokens += (double)(r[i].prompt + r[i].generated) - floor(met_of(o->l, i) * (double)r[i].prompt);
	return tokens < o->e->enough ? o->e->held - g->held : 0;
}

/* Decode steps up to the next end or arrival, or until the cache is full, or prompts were held back for long enough. */
static void
run_steps(struct loop *o, struct loop_engine *g, double until, double held)
{
	const double n = g->running, tokens = n * o->e->tokens;
	double step = rate_step(&o->e->table, n, g->context / n);
	double jump = smaller(JUMP_MOST, larger(1, ceil(g->end[0].step - g->steps - next_to)));

	if (g->first != NONE && is_too_late(o, g, g->first))
		jump = 1;
	else if (until < INFINITY)
		jump = smaller(jump, larger(1, ceil((until - g->t) / step)));
	if (held > 0)
		jump = smaller(jump, held);
	if (g->used + tokens * jump > o->e->kv_tokens)
		jump = larger(1, floor((o->e->kv_tokens - g->used) / tokens));
	if (held > 0)
		g->held += jump;
	step = rate_step(&o->e->table, n, g->context / n + jump * o->e->tokens / 2);
	count_gaps(o, step + g->stall, n);
	g->stall = 0;
	g->full = false;
	if (jump > 1)
		count_gaps(o, step, n * (jump - 1));
	g->began = g->t + step * (jump - 1);
	g->t += step * jump;
	g->busy += step * jump;
	g->batch += n * step * jump;
	g->steps += jump;
	g->context += tokens * jump;
	g->used += tokens * jump;
}

/* Where so many missed a limit that its percentile does, whatever comes, the run is over. */
static void
count_misses(struct loop *o, double ttft, double tpot)
{
	o->late += ttft > o->until->ttft * surely_above;
	o->slow += tpot > o->until->tpot * surely_above;
	if (o->late > o->may_miss || o->slow > o->may_miss)
		o->events = RATE_EVENTS;
}

static void
count_request(struct loop *o, int32_t i, double end)
{
	const struct rate_request *const r = &o->room->request[i];
	const double met = met_of(o->l, i), prompt = (double)r->prompt, outside = o->e->answer + o->e->fetch +
	    rate_behind(o->e, prompt, met) + o->e->prompt_token * rate_text(prompt, met);
	const double ttft = r->first - r->arrived + outside;
	const double tpot = r->answer > 1 ? (end - r->first) / (double)(r->answer - 1) : 0;

	tally_add(&o->room->ttft, ttft, 1);
	if (r->answer > 1)
		tally_add(&o->room->tpot, tpot, 1);
	if (o->until != NULL)
		count_misses(o, ttft, tpot);
	else
		tally_add(&o->room->life, end - r->arrived + outside, 1);
}

static void
end_requests(struct loop *o, struct loop_engine *g)
{
	struct rate_request *const all = o->room->request;

	while (g->ends > 0 && g->end[0].step <= g->steps + next_to) {
		const int32_t i = g->end[0].request;
		const double held = (double)(all[i].prompt + all[i].generated) +
		    (g->steps - all[i].born) * o->e->tokens;

		rate_ends_remove(g->end, &g->ends, 0);
		take_out(all, &g->oldest, &g->newest, i);
		g->running--;
		g->context = larger(0, g->context - held);
		g->used = larger(0, g->used - held);
		if (i >= o->from && i < o->to)
			count_request(o, i, g->t);
	}
	if (g->running > 0)
		return;
	g->context = 0;
	g->used = g->part != NONE ? g->whole : 0;
}

static void
pass(struct loop *o, struct loop_engine *g, double until)
{
	const double held = held_back(o, g);
	const struct chunks c = held > 0 ? (struct chunks){ .first = NONE, .last = NONE } : take_prompts(o, g);

	o->events++;
	if (c.tokens > 0) {
		run_prompts(o, g, &c);
	} else if (g->running > 1 && g->used + g->running * o->e->tokens > o->e->kv_tokens) {
		put_back(o, g);
		return;
	} else if (g->running > 0) {
		run_steps(o, g, until, held);
	}
	end_requests(o, g);
}

static void
run_until(struct loop *o, struct loop_engine *g, double until)
{
	while (g->t < until && in_engine(g) > 0 && o->events < RATE_EVENTS)
		pass(o, g, until);
}

/* ---- one run ---------------------------------------------------------------------------- */

/* Requests that arrive, in an order of their own for each seed. */
static void
make_fresh(struct loop *o, uint64_t seed)
{
	struct rate_room *const w = o->room;
	const double rate = o->l->rate * o->l->engines;
	double t = 0;

	rate_shuffle(w->order, o->fresh, seed * 4 + 1);
	for (int i = 0; i < o->fresh; i++)
		w->request[i] = (struct rate_request){ .prompt = (int32_t)rate_whole(w->grid[1][w->order[i]]),
			.tokens = o->e->tokens, .first = -1 };
	rate_shuffle(w->order, o->fresh, seed * 4 + 2);
	for (int i = 0; i < o->fresh; i++)
		w->request[i].answer = (int32_t)rate_whole(w->grid[2][w->order[i]]);
	rate_shuffle(w->order, o->fresh, seed * 4 + 4);
	for (int i = 0; i < o->fresh && o->e->tokens_sd > 0; i++)
		w->request[i].tokens = rate_whole(w->grid[3][w->order[i]]) / 1000;
	rate_shuffle(w->order, o->fresh, seed * 4 + 3);
	for (int i = 0; i < o->fresh; i++) {
		const double full = t >= o->l->ramp ? 1 : larger(.05, t / o->l->ramp);

		t += w->grid[0][w->order[i]] / (rate * full);
		w->request[i].arrived = t;
	}
}

/* One of the batch that a long run holds: the longer an answer, the likelier it is met. */
static void
put_warm(struct loop *o, struct loop_engine *g, int32_t i, double answer, double progress, double prompt)
{
	const double left = larger(1, floor(answer * progress));
	struct rate_request *const r = &o->room->request[i];

	*r = (struct rate_request){ .prompt = (int32_t)(prompt + answer - left),
		.answer = (int32_t)left + 1, .tokens = o->e->tokens };
	put_last(o->room->request, &g->oldest, &g->newest, i);
	g->running++;
	g->context += (double)r->prompt;
	g->used += (double)r->prompt;
	rate_ends_push(g->end, &g->ends, left / o->e->tokens, i);
}

static void
make_warm(struct loop *o, int warm, uint64_t seed)
{
	const double *const answers = o->room->grid[2];
	const int engines = o->l->engines;
	double total = 0, met = rate_whole(answers[0]);
	int k = 0;

	for (int i = 0; i < o->fresh; i++)
		total += rate_whole(answers[i]);
	rate_shuffle(o->room->order, warm, seed * 4 + 5);
	for (int i = 0; i < warm; i++) {
		while (met < (i + .5) / warm * total && k < o->fresh - 1)
			met += rate_whole(answers[++k]);
		for (int j = 0; j < engines; j++)
			put_warm(o, &o->engine[j], o->fresh + i * engines + j, rate_whole(answers[k]),
			    (o->room->order[i] + .5) / warm, (double)o->room->request[i % o->fresh].prompt);
	}
}

static struct loop_engine *
route(struct loop *o, int i, uint64_t seed)
{
	const int n = o->l->engines;
	int best = i % n;

	if (o->l->routing == ROUTE_RANDOM)
		best = (int)(rate_mix(seed * 1000003 + (uint64_t)i) % (uint64_t)n);
	for (int k = 1; k < n && o->l->routing == ROUTE_LEAST; k++)
		if (in_engine(&o->engine[(i + k) % n]) < in_engine(&o->engine[best]))
			best = (i + k) % n;
	return &o->engine[best];
}

static void
arrive(struct loop *o, int32_t i, uint64_t seed)
{
	const double t = o->room->request[i].arrived;
	struct loop_engine *g;

	for (int k = 0; k < o->l->engines; k++)
		run_until(o, &o->engine[k], t);
	g = route(o, i, seed);
	if (in_engine(g) == 0)
		g->t = g->began = larger(g->t, t);
	put_last(o->room->request, &g->first, &g->last, i);
	g->waiting++;
}

static void
clear_engines(struct loop *o)
{
	const int n = o->l->engines, room = RATE_REQUESTS / n;

	for (int k = 0; k < n; k++)
		o->engine[k] = (struct loop_engine){ .end = &o->room->end[k * room], .room = room,
			.first = NONE, .last = NONE, .oldest = NONE, .newest = NONE, .part = NONE };
}

static void
run(struct loop *o, int warm, uint64_t seed)
{
	clear_engines(o);
	make_fresh(o, seed);
	make_warm(o, warm, seed);
	for (int32_t i = 0; i < o->fresh; i++)
		arrive(o, i, seed);
	for (int k = 0; k < o->l->engines; k++)
		run_until(o, &o->engine[k], INFINITY);
}

/* ---- all runs --------------------------------------------------------------------------- */

static struct rate_times
times_of(const struct rate_tally *t, double percentile)
{
	return (struct rate_times){ tally_mean(t), tally_within(t, .5), tally_within(t, .9),
		tally_within(t, .95), tally_within(t, .99), tally_within(t, percentile / 100) };
}

/* How many requests arrive, and how many are there before on each engine. */
static int
set_sizes(struct loop *o, const struct rate_means *m)
{
	const struct rate_load *l = o->l;
	const double held = o->e->kv_tokens * warm_used / (l->prompt.mean + l->answer.mean / 2);
	double warm = smaller(m->batch, smaller(o->e->slots, held));
	double fresh = 2.5 * l->rate * m->life * l->engines;

	if (l->requests > 0) {
		o->fresh = o->to = l->requests < 3000 ? l->requests : 3000;
		return 0;
	}
	fresh = smaller(RATE_ARRIVALS, larger(REQUESTS_USUAL, fresh));
	o->fresh = (int)larger(REQUESTS_LEAST, smaller(fresh, (double)PASSES_MOST / larger(1,
	    l->prompt.mean * (1 - l->hit) / o->e->budget)));
	o->from = o->fresh / 20;
	o->to = o->fresh * 11 / 20;
	warm = smaller(warm, (double)((RATE_REQUESTS - o->fresh) / l->engines));
	return (int)warm;
}

static void
make_grids(const struct loop *o)
{
	const struct rate_length tokens = { SPREAD_UNIFORM, 1000 * o->e->tokens,
		1000 * o->e->tokens_sd, 0 };
	double (*const grid)[RATE_ARRIVALS] = o->room->grid;

	rate_gaps(grid[0], o->fresh, o->l->shape);
	rate_lengths(grid[1], o->fresh, &o->l->prompt);
	rate_lengths(grid[2], o->fresh, &o->l->answer);
	if (tokens.sd > 0)
		rate_lengths(grid[3], o->fresh, &tokens);
}

static void
clear_tallies(struct rate_room *w)
{
	memset(&w->ttft, 0, sizeof w->ttft);
	memset(&w->tpot, 0, sizeof w->tpot);
	memset(&w->life, 0, sizeof w->life);
	memset(&w->gap, 0, sizeof w->gap);
}

/* Averages over what one run added. */
static void
add_run(struct rate_served *out, const struct loop *o)
{
	double end = 0, busy = 0, batch = 0;

	for (int k = 0; k < o->l->engines; k++) {
		end = larger(end, o->engine[k].t);
		busy += o->engine[k].busy;
		batch += o->engine[k].batch;
	}
	out->busy += busy / end / o->l->engines;
	out->batch += batch / end / o->l->engines;
	out->reached += o->fresh / end;
}

void
rate_loop_until(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l,
    double percentile, const struct rate_limits *until, struct rate_room *room)
{
	const struct rate_means m = rate_means(e, l, NULL);
	struct loop o = { .e = e, .l = l, .room = room, .until = until };
	const int warm = set_sizes(&o, &m);
	const int runs = o.fresh < 1500 ? RUNS : RUNS / 2;

	o.may_miss = (1 - percentile / 100) * ((o.to - o.from) * runs) + next_to;
	*out = (struct rate_served){ .requests = o.fresh };
	clear_tallies(room);
	make_grids(&o);
	for (int seed = 1; seed <= runs && o.events < RATE_EVENTS; seed++) {
		run(&o, warm, (uint64_t)seed);
		add_run(out, &o);
	}
	out->whole = o.events < RATE_EVENTS;
	out->queue = o.queue / ((o.to - o.from) * runs);
	out->busy /= runs;
	out->batch /= runs;
	out->reached /= runs;
	out->preempted = o.preempted / (o.fresh * runs);
	out->events = o.events;
	out->ttft = times_of(&room->ttft, percentile);
	out->tpot = times_of(&room->tpot, percentile);
	out->life = times_of(&room->life, percentile);
	out->gap = times_of(&room->gap, percentile);
}
