/*
 * test_schedule.c - micro-batches in flight, by schedule and stage.
 */
#include <math.h>
#include <string.h>

#include "core/train/schedule.h"
#include "../unit.h"

static struct plan p;
static struct placement pl;
static struct share unit;

/* Layers in the order of stages: chunk v of rank r is stage v*pp + r, or folded back. */
static void
setup(int64_t schedule, int64_t pp, int64_t vpp, int64_t layers)
{
	const int64_t each = layers / (pp * vpp);
	const bool folded = schedule == SCHEDULE_ZB_V || schedule == SCHEDULE_V_HALF ||
	    schedule == SCHEDULE_V_MIN || schedule == SCHEDULE_DUALPIPEV;

	memset(&p, 0, sizeof p);
	memset(&pl, 0, sizeof pl);
	p.model.layers = layers;
	p.model.moe_layer_every = 1;
	p.training.schedule = schedule;
	p.training.recompute_layers = 1;
	p.parallel.pp = pl.pp = pp;
	pl.vpp = vpp;
	for (int64_t r = 0; r < pp; r++)
		for (int64_t v = 0; v < vpp; v++) {
			const int64_t s = folded && v == 1 ? 2 * pp - 1 - r : v * pp + r;

			pl.chunk[r * vpp + v] = (struct chunk){ .first = (int32_t)(s * each),
			    .count = (int32_t)each, .embedding = s == 0, .loss = s == pp * vpp - 1 };
		}
	unit = (struct share){ .kept = { .all = 1 }, .input = 1, .mtp = 1, .embedding = 1 };
}

static struct flight
flight(int64_t m, int64_t rank)
{
	return schedule_flight(&p, &pl, m, rank, &unit);
}

static void
near(double have, double want)
{
	if (!(fabs(have - want) <= 1e-9 * (1 + fabs(want))))
		fail_msg("%.17g, not %.17g", have, want);
}

TEST(test_plain)
{
	setup(SCHEDULE_1F1B, 1, 1, 8);
	near(flight(64, 0).chunks, 1);
	setup(SCHEDULE_1F1B, 4, 1, 8);
	for (int64_t r = 0; r < 4; r++) {
		near(flight(64, r).chunks, (double)(4 - r));
		near(flight(0, r).chunks, (double)(4 - r));
		near(flight(1, r).chunks, 1);
		near(flight(64, r).held.kept.all, 2.0 * (double)(4 - r));
	}
	setup(SCHEDULE_GPIPE, 4, 1, 8);
	near(flight(64, 3).chunks, 64);
}

TEST(test_zero_bubble)
{
	for (int64_t r = 0; r < 8; r++) {
		setup(SCHEDULE_ZB_1P, 8, 1, 8);
		near(flight(24, r).chunks, 8);
		setup(SCHEDULE_ZB_2P, 8, 1, 8);
		near(flight(24, r).chunks, 16);
		near(flight(12, r).chunks, 12);
	}
}

TEST(test_folded)
{
	for (int64_t r = 0; r < 4; r++) {
		setup(SCHEDULE_ZB_V, 4, 2, 16);
		near(flight(64, r).microbatches, 4);
		near(flight(64, r).held.kept.all, 16);
		/* two go down; as many have come back up as this rank is far from the top */
		near(flight(2, r).chunks, r > 0 ? 4 : 3);
		setup(SCHEDULE_DUALPIPEV, 4, 2, 16);
		near(flight(64, r).chunks, 9); /* as DualPipe: one more than stages */
		near(flight(64, r).held.kept.all, 18);
		near(flight(2, r).chunks, r > 0 ? 4 : 3);
		setup(SCHEDULE_V_HALF, 4, 2, 16);
		near(flight(64, r).microbatches, 3);
		setup(SCHEDULE_V_MIN, 4, 2, 16);
		near(flight(64, r).microbatches, 8.0 / 3);
		setup(SCHEDULE_DUALPIPE, 4, 1, 16);
		near(flight(64, r).microbatches, 5);
	}
}

/* Llama 3 70B on 4 stages of 5 chunks; a group of its own; too few micro-batches. */
TEST(test_interleaved)
{
	setup(SCHEDULE_1F1B, 4, 5, 80);
	for (int64_t r = 0; r < 4; r++)
		near(flight(16, r).chunks, (double)(23 - 2 * r));
	near(flight(16, 3).held.kept.all, 17 * 4);
	near(flight(16, 0).held.embedding, 5);
	p.training.microbatch_group_size = 5;
	near(flight(16, 0).chunks, 27);
	p.training.moe_overlap = 1;
	near(flight(16, 0).chunks, 28);
	p.training.moe_overlap = 0;
	near(flight(1, 0).chunks, 5);
}

/* Every order of a step, walked without shortcuts. */
static double
walked(int64_t m, int64_t group, int64_t rank, const double *bytes)
{
	const int64_t v = pl.vpp;
	static int chunk[4096];
	int64_t n = 0, warmup = 2 * (pl.pp - rank - 1) + (v - 1) * group + 1;
	double held = 0, peak = 0;

	for (int64_t at = 0; at < m; at += group)
		for (int64_t c = 0; c < v; c++)
			for (int64_t i = at; i < m && i < at + group; i++)
				chunk[n++] = (int)c;
	warmup = warmup < n ? warmup : n;
	for (int64_t q = 0; q < n; q++) {
		held += bytes[chunk[q]];
		peak = fmax(peak, held);
		if (q + 1 >= warmup)
			held -= bytes[v - 1 - chunk[q + 1 - warmup]];
	}
	return peak;
}

/* Dense layers first: chunks differ, so the fullest moment is found by walking. */
TEST(test_unequal_chunks)
{
	for (int64_t pp = 2; pp <= 8; pp *= 2)
		for (int64_t m = pp; m <= 4 * pp; m += pp / 2)
			for (int64_t r = 0; r < pp; r++) {
				double bytes[4];
				struct flight f;

				setup(SCHEDULE_1F1B, pp, 4, 8 * pp);
				p.model.experts = 8;
				p.model.dense_layers = 3;
				unit.kept.moe = 5;
				unit.kept.dense = 2;
				unit.embedding = 0;
				for (int64_t v = 0; v < 4; v++) {
					const struct share s = schedule_share(&p, placement_chunk(&pl, r, v));

					bytes[v] = share_bytes(&s, &unit);
				}
				f = flight(m, r);
				near(share_bytes(&f.held, &unit), walked(m, pp, r, bytes));
			}
}

/* A last chunk with the loss and no layers: the fullest moment is as above, and logits are there
 * when one micro-batch fewer is held. Whose batches overlap, logits are there longer. */
TEST(test_loss_apart)
{
	struct flight f;

	setup(SCHEDULE_1F1B, 4, 2, 16);
	unit.embedding = 0;
	pl.chunk[3 * 2 + 1].count = 0;
	for (int64_t m = 4; m <= 16; m += 4) {
		f = flight(m, 3);
		assert_true(f.loss_apart);
		near(f.loss_held.kept.all, 2 * 4);
		near(f.held.kept.all, 2 * (m > 4 ? 5 : 4));
		near(f.loss_microbatches, 5.0 / 2);
	}
	assert_false(flight(16, 2).loss_apart);
	p.training.moe_overlap = 1;
	assert_false(flight(16, 3).loss_apart);
	setup(SCHEDULE_1F1B, 4, 2, 16); /* chunks alike: the last of the warm-up is as full as any */
	assert_false(flight(16, 3).loss_apart);
}

/* The last group of a step may be smaller than the others, and its last chunk, here with an
 * MTP layer, in flight more often than theirs. */
TEST(test_smaller_last_group)
{
	enum { CHUNKS = 13, GROUP = 3 };
	double bytes[CHUNKS];

	for (int64_t m = GROUP; m < 80; m++) {
		struct flight f;

		setup(SCHEDULE_1F1B, 2, CHUNKS, 2 * CHUNKS);
		p.training.microbatch_group_size = GROUP;
		unit.kept.all = 10;
		unit.embedding = 0;
		unit.mtp = 3;
		pl.chunk[2 * CHUNKS - 1].mtp = 1;
		for (int64_t v = 0; v < CHUNKS; v++) {
			const struct share s = schedule_share(&p, placement_chunk(&pl, 1, v));

			bytes[v] = share_bytes(&s, &unit);
		}
		f = flight(m, 1);
		near(share_bytes(&f.held, &unit), walked(m, GROUP, 1, bytes));
	}
}

TEST(test_recompute)
{
	setup(SCHEDULE_1F1B, 4, 1, 40);
	p.training.recompute = RECOMPUTE_FULL;
	p.training.recompute_method = RECOMPUTE_UNIFORM;
	near(flight(8, 0).held.input, 4 * 10);
	near(flight(8, 0).held.kept.all, 0);
	p.training.recompute_layers = 4;
	near(flight(8, 0).held.input, 4 * 3);
	p.training.recompute_method = RECOMPUTE_BLOCK;
	near(flight(8, 0).held.input, 4 * 4);
	near(flight(8, 0).held.kept.all, 4 * 6);
	p.training.recompute_layers = 99;
	near(flight(8, 0).held.input, 4 * 10);
	pl.chunk[3].mtp = 2;
	near(flight(8, 3).held.input, 10 + 2);
	near(flight(8, 3).held.mtp, 2);
	p.training.recompute = RECOMPUTE_NONE;
	near(flight(8, 3).held.kept.all, 10 + 2);
}

/* A huge group is not walked through. */
TEST(test_bounded)
{
	setup(SCHEDULE_1F1B, 2, 1024, 2048);
	p.model.experts = 8;
	p.model.dense_layers = 3;
	unit.kept.moe = 1;
	p.training.microbatch_group_size = 1000000;
	assert_true(flight(1000000, 0).chunks > 1e9);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
