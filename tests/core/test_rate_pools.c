/*
 * test_rate_pools.c - an open loop over two pools against what queueing theory says exactly.
 */
#include <math.h>
#include <stdbool.h>

#include "core/rate/rate_pools.h"
#include "../unit.h"

/* A step takes 10 ms and 0.1 ms more of each request. */
static const struct rate_engine decode = { .tokens = 1, .verified = 1, .slots = 64, .kv_tokens = INFINITY,
	.budget = 8192, .table = { .batches = 2, .lengths = 2, .batch = { 1, 101 }, .length = { 1, 100000 },
	.step = { { .0101, .0201 }, { .0101, .0201 } } } };
static const struct rate_pools pools = { .alone = .4, .busy = .5, .lanes = 1, .hop = .003, .sent = .02,
	.senders = 1, .decoders = 4 };
static const struct rate_load load = { .shape = 1, .prompt = { .mean = 1000 }, .answer = { .mean = 101 },
	.requests = 1000000, .engines = 1 };

/* At the share of the prefill pool's time. */
static struct rate_split
at(double share, double lanes, double spread)
{
	struct rate_pools p = pools;
	struct rate_load l = load;

	p.lanes = lanes;
	l.prompt.sd = spread * l.prompt.mean;
	return rate_split(&p, &decode, &l, share * lanes / p.busy, NULL);
}

static bool
near(double a, double b, double share)
{
	return fabs(a - b) <= share * fabs(b);
}

/* M/D/1 and, of times as uneven as exponential ones, M/M/c (Pollaczek and Khinchine; Erlang C). */
static double
erlang_wait(double share, int servers, double seconds)
{
	const double load_of_all = share * servers;
	double term = 1, sum = 0;

	for (int k = 0; k < servers; k++) {
		sum += term;
		term *= load_of_all / (k + 1);
	}
	term /= 1 - share;
	return term / (sum + term) * seconds / (servers * (1 - share));
}

TEST(test_queue)
{
	for (double share = .1; share < .95; share += .2) {
		assert_true(near(at(share, 1, 0).queue, share / (1 - share) * pools.busy / 2, 1e-9));
		assert_true(near(at(share, 1, 1).queue, share / (1 - share) * pools.busy, 1e-9));
	}
	for (int lanes = 2; lanes <= 8; lanes *= 2)
		assert_true(near(at(.9, lanes, 1).queue, erlang_wait(.9, lanes, pools.busy), .02));
}

/* Prompts that come in even gaps wait for uneven prompts alone. */
TEST(test_even_gaps)
{
	struct rate_load l = load;

	l.shape = INFINITY;
	assert_true(rate_split(&pools, &decode, &l, 1.8, NULL).queue <= 0);
	l.prompt.sd = l.prompt.mean;
	assert_true(near(rate_split(&pools, &decode, &l, 1.8, NULL).queue, at(.9, 1, 0).queue, 1e-9));
}

/* A short run near saturation does not see the queue of a long one, a tenth as long not a third of it. */
TEST(test_run_from_empty)
{
	struct rate_load l = load;
	double longer;

	l.requests = 1000;
	longer = rate_split(&pools, &decode, &l, 1.999, NULL).queue;
	assert_true(longer < rate_split(&pools, &decode, &load, 1.999, NULL).queue);
	l.requests = 100;
	assert_true(near(rate_split(&pools, &decode, &l, 1.999, NULL).queue, longer / sqrt(10), 1e-9));
}

/* In flight are rate times life (Little), on each of four engines; the first token is the sum of what it
 * waits for; a cache waits for others that are sent. */
TEST(test_means)
{
	struct rate_pools p = pools;
	struct rate_split s;

	p.busy = .05;
	p.lanes = 2;
	s = rate_split(&p, &decode, &load, 20, NULL);
	assert_true(s.stable && near(s.saturation, 40, 1e-9) && near(s.prefilling, .5, 1e-9));
	assert_true(near(s.batch, 20. / 4 * 101 * s.tpot, 1e-6));
	assert_true(near(s.step, .01 + .0001 * s.batch, 1e-6) && near(s.tpot, s.step, 1e-9));
	assert_true(near(s.ttft, .4 + s.queue + .003 + .02 * (1 + .4 / .6 / 2) + s.step, 1e-9));
	assert_true(near(s.life, s.ttft + 100 * s.tpot, 1e-9));
	assert_true(near(s.after, s.ttft - s.queue - .4, 1e-9));
	p.fetch = .07;
	p.senders = 2;
	assert_true(near(rate_split(&p, &decode, &load, 20, NULL).ttft - s.ttft,
	    .07 + .02 * (.2 / .8 / 2 - .4 / .6 / 2), 1e-9));
}

/* The decode pool saturates where all slots are full: so many over the time of their answers. */
TEST(test_decode_saturates)
{
	struct rate_pools p = pools;

	p.busy = 1e-3;
	assert_true(near(rate_split(&p, &decode, &load, 1, NULL).saturation, 4 * 64 / (101 * .0164), 1e-9));
	assert_false(rate_split(&p, &decode, &load, 160, NULL).stable);
	assert_true(rate_split(&p, &decode, &load, 150, NULL).stable);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
