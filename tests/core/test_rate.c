/*
 * test_rate.c - an open loop against the figures of an independent program of the same model
 * (tests/data/rate_golden.tsv), and what must hold of any.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rate/rate_formula.h"
#include "core/rate/rate_kept.h"
#include "core/rate/rate_within.h"
#include "../unit.h"

enum {
	C_ID, C_TABLE, C_RATE, C_SHAPE, C_PROMPT, C_PROMPT_SD, C_PROMPT_MOST, C_ANSWER, C_ANSWER_SD,
	C_ANSWER_MOST, C_KIND, C_HIT, C_RAMP, C_ENGINES, C_ROUTING, C_REQUESTS, C_POLICY, C_GRAPHS,
	C_BUDGET, C_SLOTS, C_KV, C_REQUEST_TIME, C_TOKEN_TIME, C_TOKENS, C_TOKENS_SD, C_VERIFIED,
	C_SATURATION, C_BATCH, C_F_TTFT, C_F_TPOT, C_F_TTFT_P99, C_TTFT_MEAN, C_TTFT_P50, C_TTFT_P90,
	C_TTFT_P99, C_TPOT_MEAN, C_TPOT_P50, C_TPOT_P99, C_GAP_P99, C_LIFE_MEAN, C_LIFE_P99, C_QUEUE,
	C_PREEMPTED, C_BUSY, C_REACHED, C_WITHIN, COLUMNS
};
enum { TABLES = 2, LINE_SIZE = 1024 };

static struct rate_room room;
static struct {
	char name[16];
	struct rate_table table;
} tables[TABLES];

static struct rate_table *
table_named(const char *name)
{
	int i = 0;

	while (i < TABLES - 1 && tables[i].name[0] != '\0' && strcmp(tables[i].name, name) != 0)
		i++;
	snprintf(tables[i].name, sizeof tables[i].name, "%s", name);
	return &tables[i].table;
}

static int
place_in(double *v, int *n, double x)
{
	for (int i = 0; i < *n; i++)
		if (v[i] >= x && v[i] <= x)
			return i;
	v[*n] = x;
	return (*n)++;
}

static void
take_point(char **cell)
{
	struct rate_table *t = table_named(cell[1]);

	if (strcmp(cell[0], "step") == 0) {
		const int b = place_in(t->batch, &t->batches, atof(cell[2]));
		const int l = place_in(t->length, &t->lengths, atof(cell[3]));

		t->step[l][b] = atof(cell[4]);
	} else {
		t->tokens[t->passes] = atof(cell[2]);
		t->pass[t->passes++] = atof(cell[3]);
	}
	if (t->passes > 1)
		rate_table_finish(t);
}

static struct rate_engine
engine_of_row(char **cell)
{
	return (struct rate_engine){ .table = *table_named(cell[C_TABLE]),
		.first = strcmp(cell[C_POLICY], "first") == 0, .graphs = atoi(cell[C_GRAPHS]) != 0,
		.budget = atof(cell[C_BUDGET]), .slots = atof(cell[C_SLOTS]), .kv_tokens = atof(cell[C_KV]),
		.answer = atof(cell[C_REQUEST_TIME]), .prompt_token = atof(cell[C_TOKEN_TIME]),
		.tokens = atof(cell[C_TOKENS]), .tokens_sd = atof(cell[C_TOKENS_SD]),
		.verified = atof(cell[C_VERIFIED]) };
}

static struct rate_load
load_of_row(char **cell)
{
	const enum rate_spread spread = strcmp(cell[C_KIND], "uniform") == 0 ? SPREAD_UNIFORM :
	    SPREAD_LOGNORMAL;
	const char *routing = cell[C_ROUTING];

	return (struct rate_load){ .rate = atof(cell[C_RATE]), .shape = strtod(cell[C_SHAPE], NULL),
		.prompt = { spread, atof(cell[C_PROMPT]), atof(cell[C_PROMPT_SD]), atof(cell[C_PROMPT_MOST]) },
		.answer = { spread, atof(cell[C_ANSWER]), atof(cell[C_ANSWER_SD]), atof(cell[C_ANSWER_MOST]) },
		.hit = atof(cell[C_HIT]), .ramp = atof(cell[C_RAMP]), .engines = atoi(cell[C_ENGINES]),
		.routing = strcmp(routing, "random") == 0 ? ROUTE_RANDOM :
		    strcmp(routing, "round_robin") == 0 ? ROUTE_IN_TURN : ROUTE_LEAST,
		.requests = atoi(cell[C_REQUESTS]) };
}

static void
hold(char **cell, int column, const char *what, double is, double share)
{
	const double was = atof(cell[column]);

	if (!(fabs(is - was) <= share * fabs(was) + 1e-9))
		fail_msg("%s: %s is %.6g, not %.6g", cell[C_ID], what, is, was);
}

static void
hold_formulas(char **cell, const struct rate_engine *e, const struct rate_load *l)
{
	const struct rate_means m = rate_means(e, l, NULL);

	hold(cell, C_SATURATION, "saturation", m.saturation, 1e-6);
	hold(cell, C_BATCH, "batch", m.batch, 1e-6);
	hold(cell, C_F_TTFT, "formula of TTFT", m.ttft, 1e-6);
	if (m.stable)
		hold(cell, C_F_TPOT, "formula of TPOT", m.tpot, 1e-6);
}

static void
hold_events(char **cell, const struct rate_engine *e, const struct rate_load *l)
{
	struct rate_served s;

	rate_loop(&s, e, l, 99, &room);
	hold(cell, C_TTFT_MEAN, "TTFT mean", s.ttft.mean, .02);
	hold(cell, C_TTFT_P50, "TTFT p50", s.ttft.p50, .02);
	hold(cell, C_TTFT_P90, "TTFT p90", s.ttft.p90, .02);
	hold(cell, C_TTFT_P99, "TTFT p99", s.ttft.p99, .05);
	hold(cell, C_TPOT_MEAN, "TPOT mean", s.tpot.mean, .02);
	hold(cell, C_TPOT_P50, "TPOT p50", s.tpot.p50, .02);
	hold(cell, C_TPOT_P99, "TPOT p99", s.tpot.p99, .05);
	hold(cell, C_GAP_P99, "ITL p99", s.gap.p99, .05);
	hold(cell, C_LIFE_MEAN, "end to end", s.life.mean, .02);
	hold(cell, C_LIFE_P99, "end to end p99", s.life.p99, .05);
	hold(cell, C_QUEUE, "queue", s.queue, .02);
	hold(cell, C_PREEMPTED, "preempted", s.preempted, .05);
	hold(cell, C_BUSY, "busy", s.busy, .02);
	hold(cell, C_REACHED, "requests a second", s.reached, .02);
}

static int
cut_cells(char *line, char **cell)
{
	int n = 0;

	for (char *s = strtok(line, "\t\n"); s != NULL && n < COLUMNS; s = strtok(NULL, "\t\n"))
		cell[n++] = s;
	return n;
}

/* A run that ends where limits can not be kept is one that did not keep them, and one that does not end is whole. */
static void
hold_until(const struct rate_engine *e, const struct rate_load *l)
{
	struct rate_served whole, until;

	rate_loop(&whole, e, l, 95, &room);
	for (double share = .5; share < 1.6; share += .05) {
		const struct rate_limits limits = { share * whole.ttft.asked, whole.tpot.asked * 1.001, 95 };

		rate_loop_until(&until, e, l, 95, &limits, &room);
		assert_true(share < 1 || until.whole);
		assert_true(share > .9 || !until.whole);
		assert_true(!until.whole || (until.ttft.asked >= whole.ttft.asked && until.ttft.asked <= whole.ttft.asked &&
		    until.tpot.p50 >= whole.tpot.p50 && until.tpot.p50 <= whole.tpot.p50));
	}
}

TEST(test_golden)
{
	const char *top = getenv("TOP");
	char path[1024], line[LINE_SIZE], *cell[COLUMNS];
	int rows = 0;
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/rate_golden.tsv", top != NULL ? top : ".");
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in) != NULL) {
		const int n = line[0] == '#' ? 0 : cut_cells(line, cell);

		if (n == 4 || n == 5)
			take_point(cell);
		if (n != COLUMNS || strcmp(cell[C_ID], "id") == 0)
			continue;
		const struct rate_engine e = engine_of_row(cell);
		const struct rate_load l = load_of_row(cell);

		hold_formulas(cell, &e, &l);
		hold_events(cell, &e, &l);
		hold_until(&e, &l);
		if (atof(cell[C_WITHIN]) > 0)
			hold(cell, C_WITHIN, "rate inside limits", rate_within(&e, &l, &(struct rate_limits){
			    1, .05, 99 }, 0, &room).least, .05);
		rows++;
	}
	fclose(in);
	assert_int_equal(rows, 17);
}

/* Twice the same, to the last bit: whatever was in the room before. */
TEST(test_repeats)
{
	const struct rate_engine e = { .table = tables[0].table, .graphs = true, .budget = 2048,
		.slots = 256, .kv_tokens = 4e5, .tokens = 1, .verified = 1 };
	struct rate_load l = { .rate = 12, .shape = .7, .prompt = { .mean = 1000, .sd = 700 },
		.answer = { .mean = 250, .sd = 200 }, .engines = 2 };
	struct rate_served a, b;

	memset(&room, 0x55, sizeof room);
	rate_loop(&a, &e, &l, 99, &room);
	rate_loop(&b, &e, &l, 99, &room);
	assert_memory_equal(&a, &b, sizeof a);
	assert_true(a.ttft.p50 <= a.ttft.p90 && a.ttft.p90 <= a.ttft.p99);
	assert_true(a.ttft.asked >= a.ttft.p99 && a.ttft.asked <= a.ttft.p99);
}

/* The first waits for all of it, those that come meanwhile for the half; nobody where who is there already is enough. */
TEST(test_held_back)
{
	struct rate_engine e = { .table = tables[0].table, .graphs = true, .budget = 2048,
		.slots = 256, .kv_tokens = 4e5, .tokens = 1, .verified = 1 };
	const struct rate_load l = { .rate = 2, .shape = 1, .prompt = { .mean = 1000, .sd = 700 },
		.answer = { .mean = 250, .sd = 200 }, .engines = 1 };
	struct rate_served free, none, held;
	double steps;

	assert_true(fabs(rate_held(20, 100, 0) - 20) < 1e-9);
	assert_true(fabs(rate_held(20, 100, .1) - 40. / 3) < 1e-9);
	assert_true(fabs(rate_held(20, 1, 1) - .75) < 1e-9);
	rate_loop(&free, &e, &l, 99, &room);
	e.held = 20;
	e.enough = 1;
	rate_loop(&none, &e, &l, 99, &room);
	assert_memory_equal(&free, &none, sizeof free);
	e.enough = 2048;
	rate_loop(&held, &e, &l, 99, &room);
	steps = (held.ttft.mean - free.ttft.mean) / rate_means(&e, &l, NULL).step;
	assert_true(steps > 10 && steps < 20);
	assert_true(fabs(rate_means(&e, &l, NULL).ttft / held.ttft.mean - 1) < .2);
}

/* Quantiles of a gamma distribution: of shape 2 half lie below 1.67835 (0.839 of the mean), and
 * all means are 1. */
TEST(test_gaps)
{
	static const double shapes[] = { .05, .3, .7, 1, 2, 9.5, 300, 9999, INFINITY };
	double gap[1001], sum;

	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		rate_gaps(gap, 1001, shapes[k]);
		sum = 0;
		for (int i = 0; i < 1001; i++) {
			assert_true(gap[i] >= 0 && (i == 0 || gap[i] >= gap[i - 1]));
			sum += gap[i];
		}
		assert_true(fabs(sum / 1001 - 1) < 1e-9);
	}
	rate_gaps(gap, 1001, 2);
	assert_true(fabs(gap[500] - 0.83917) < 2e-3);
}

/* Whatever comes, an engine ends. */
TEST(test_extremes)
{
	struct rate_engine e = { .table = tables[1].table, .budget = 1, .slots = 1, .kv_tokens = 1,
		.tokens = 1, .verified = 1 };
	struct rate_load l = { .rate = 1e6, .shape = .05, .prompt = { .mean = 1, .sd = 10 },
		.answer = { .mean = 1, .sd = 10 }, .engines = 8 };
	struct rate_served s;

	rate_loop(&s, &e, &l, 50, &room);
	assert_true(isfinite(s.ttft.p99) && s.requests > 0);
	l.rate = 1e-6;
	l.answer.mean = 1e6;
	e.kv_tokens = 3e5;
	e.tokens = 30;
	e.verified = 31;
	e.first = true;
	rate_loop(&s, &e, &l, 50, &room);
	assert_true(isfinite(s.ttft.p99));
}

/* Where the cache has room for one answer and prompts run first, those that are put back do not come
 * again before a step is done: it went round for ever. And a token a pass ends too. */
TEST(test_full_cache)
{
	struct rate_engine e = { .table = tables[1].table, .first = true, .budget = 8192, .slots = 64,
		.kv_tokens = 400, .tokens = 3.2, .tokens_sd = .5, .verified = 4 };
	struct rate_load l = { .rate = .5, .shape = 3, .prompt = { .mean = 2 },
		.answer = { .mean = 390, .sd = 100, .most = 395 }, .engines = 1 };
	struct rate_served s;

	rate_loop(&s, &e, &l, 80, &room);
	assert_true(s.whole && s.preempted > 0 && s.ttft.p50 > 0);
	e.budget = 1;
	e.kv_tokens = 1e6;
	l.prompt.mean = 8000;
	l.rate = 1e-3;
	rate_loop(&s, &e, &l, 80, &room);
	assert_true(s.events <= RATE_EVENTS);
}

/* In flight where n prompts of 600 tokens share a pass and do three steps then, again and again. */
static double
of_time(const struct rate_table *t, double n)
{
	const double steps = 3 * rate_step(t, n, 602);

	return n * steps / (steps + rate_pass(t, n * 600, n * 600 * 600));
}

/* Prompts that wait together share a pass as far as slots and the cache allow: then no more run at once, and
 * nothing is put back. */
TEST(test_admitted)
{
	const double of_two = 2 * 600 + 1; /* tokens: of their prompts, and the second's first */
	struct rate_engine e = { .table = tables[1].table, .budget = 8192, .slots = 2, .kv_tokens = INFINITY,
		.tokens = 1, .verified = 1 };
	struct rate_load l = { .rate = 1000, .shape = INFINITY, .prompt = { .mean = 600 },
		.answer = { .mean = 100 }, .engines = 1, .requests = 64 };
	struct rate_served s;

	rate_loop(&s, &e, &l, 99, &room);
	assert_true(s.batch > 1.8 && s.batch <= 2 && s.preempted <= 0);
	e.slots = 64;
	e.kv_tokens = 1000; /* of 700 that one takes */
	rate_loop(&s, &e, &l, 99, &room);
	assert_true(s.batch > .8 && s.batch <= 1 && s.preempted <= 0);
	e.kv_tokens = 2000;
	rate_loop(&s, &e, &l, 99, &room);
	assert_true(s.batch > 1.8 && s.batch <= 3);
	l.answer.mean = 4;
	e.kv_tokens = (of_two + .5) / .99;
	rate_loop(&s, &e, &l, 99, &room);
	assert_true(fabs(s.batch - of_time(&e.table, 2)) < .05 * s.batch && s.preempted <= 0);
	e.kv_tokens = (of_two - .5) / .99;
	rate_loop(&s, &e, &l, 99, &room);
	assert_true(fabs(s.batch - of_time(&e.table, 1)) < .05 * s.batch && s.preempted <= 0);
}

/* Who comes while a step runs waits for the next one too, which was scheduled before; an idle engine has
 * scheduled none. */
TEST(test_scheduled_ahead)
{
	struct rate_engine e = { .table = tables[1].table, .graphs = true, .budget = 8192, .slots = 256,
		.kv_tokens = 1e6, .tokens = 1, .verified = 1 };
	struct rate_load l = { .rate = 1, .shape = 1, .prompt = { .mean = 64 }, .answer = { .mean = 400 },
		.engines = 1 };
	struct rate_served at_once, ahead;
	struct rate_means means;
	double step;

	rate_loop(&at_once, &e, &l, 99, &room);
	means = rate_means(&e, &l, NULL);
	step = rate_step(&e.table, means.batch, 264);
	e.ahead = true;
	rate_loop(&ahead, &e, &l, 99, &room);
	assert_true(fabs(ahead.ttft.mean - at_once.ttft.mean - step) < .2 * step);
	assert_true(fabs(rate_means(&e, &l, NULL).ttft - means.ttft - means.step) < 1e-9);
	assert_true(fabs(ahead.tpot.mean / at_once.tpot.mean - 1) < .02);
	l.rate = 1e-4;
	rate_loop(&ahead, &e, &l, 99, &room);
	e.ahead = false;
	rate_loop(&at_once, &e, &l, 99, &room);
	assert_true(fabs(ahead.ttft.p50 - at_once.ttft.p50) < 1e-9);
}

/* What runs are kept under is another number for an engine, or a load, of which one number is another. */
TEST(test_kept_under)
{
	static struct rate_engine e;
	struct rate_load l = { .rate = 1 };
	double *const numbers[] = { &e.budget, &e.held, &e.enough, &e.slots, &e.kv_tokens, &e.answer, &e.prompt_token,
		&e.fetch, &e.stages, &e.tokens, &e.tokens_sd, &e.verified, &e.table.fixed, &e.table.quadratic };
	double *const loads[] = { &l.shape, &l.hit, &l.found, &l.ramp, &l.prompt.mean, &l.prompt.sd, &l.prompt.most,
		&l.answer.mean, &l.answer.sd, &l.answer.most };
	const uint64_t engine = rate_kept_engine(1, &e), load = rate_kept_load(1, &l);

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		*numbers[i] = 1;
		assert_true(rate_kept_engine(1, &e) != engine);
		*numbers[i] = 0;
	}
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
		*loads[i] = 1;
		assert_true(rate_kept_load(1, &l) != load);
		*loads[i] = 0;
	}
	assert_true(rate_kept_engine(2, &e) != engine);
	l.rate = 2;
	assert_true(rate_kept_load(1, &l) == load);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
