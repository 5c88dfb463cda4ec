/*
 * schedule.c - chunks in flight, by schedule.
 */
#include "core/train/schedule.h"

#include "core/base/number.h"
#include "core/plan/batch.h"

#define MEGATRON "Megatron-LM megatron/core/pipeline_parallel/schedules.py"
#define GPIPE "Huang et al. 2019, arXiv 1811.06965"
#define ZERO_BUBBLE "Qi et al. 2023, arXiv 2401.10241"
#define V_SCHEDULES "Qi et al. 2024, arXiv 2405.15362"
#define DUALPIPE "DeepSeek-V3 Technical Report, arXiv 2412.19437; deepseek-ai/DualPipe"

#define FOLD_RULE "least(m, 2*PP - r) + least(m, r + 1)"

/* A walk longer than this (only enormous groups of micro-batches make one) is left out:
 * the average chunk stands for all. */
enum { WALK_MAX = 1 << 16 };

/* Micro-batches where their number is unknown: more than any pipeline holds. */
#define MANY INT64_C(1000000000)

struct share
schedule_share(const struct plan *p, const struct chunk *chunk)
{
	const struct training *t = &p->training;
	const struct model *m = &p->model;
	struct share s = { .mtp = (double)chunk->mtp, .embedding = chunk->embedding ? 1 : 0 };
	const int64_t away = least_of(t->offload_layers, chunk->count) - 1; /* one is on its way */
	const int64_t again = t->recompute == RECOMPUTE_FULL ? batch_layers_again(p, chunk->count) : 0;
	const int64_t skip = most_of(again, away);
	struct share mtp = { .input = 0 };

	s.input = (double)(batch_inputs(p, chunk->count) - batch_inputs_away(p, chunk->count));
	s.kept = params_kinds(m, chunk->first + skip, chunk->count - skip);
	if (chunk->mtp == 0)
		return s;
	if (t->recompute == RECOMPUTE_FULL)
		mtp.input = 1;
	else
		mtp.kept = params_mtp_kinds(m);
	return share_add(s, &mtp, (double)chunk->mtp);
}

/* One chunk for so many micro-batches. */
static void
hold(struct flight *f, const struct plan *p, const struct chunk *chunk, double microbatches)
{
	const struct share one = schedule_share(p, chunk);

	f->held = share_add(f->held, &one, microbatches);
}

/* ---- interleaved 1F1B -------------------------------------------------------------- */

struct interleaved {
	int64_t vpp, group, microbatches; /* group: micro-batches that a chunk runs in a row */
	int64_t warmup;                   /* chunks alive when the first backward starts */
};

/* Whose turn it is: `left` more micro-batches of a round of `size`, and `later` ones after it. */
struct turn {
	int64_t chunk, left, size, later;
};

static struct turn
first_turn(const struct interleaved *s)
{
	const int64_t size = least_of(s->group, s->microbatches);

	return (struct turn){ 0, size, size, s->microbatches - size };
}

/* The chunk that the next forward of the step runs. */
static int64_t
take_turn(const struct interleaved *s, struct turn *t)
{
	const int64_t chunk = t->chunk;

	if (--t->left > 0)
		return chunk;
	if (++t->chunk == s->vpp) {
		t->chunk = 0;
		t->size = least_of(s->group, t->later);
		t->later -= t->size;
	}
	t->left = t->size;
	return chunk;
}

/* Forwards done at the moment at which most bytes are held, of those of one chunk or of ANY_CHUNK:
 * one backward follows each forward from `warmup` on, running the chunks in the opposite order. */
#define ANY_CHUNK (-1)

static int64_t
fullest_step(const struct interleaved *s, const double *bytes, int64_t steps, int64_t only)
{
	struct turn forward = first_turn(s), backward = forward;
	double held = 0, peak = 0;
	int64_t at = 0;

	for (int64_t q = 0; q < steps; q++) {
		const int64_t v = take_turn(s, &forward);

		held += bytes[v];
		if ((only == ANY_CHUNK || v == only) && held > peak) {
			peak = held;
			at = q + 1;
		}
		if (q + 1 >= s->warmup)
			held -= bytes[s->vpp - 1 - take_turn(s, &backward)];
	}
	return at;
}

static void
count_alive(const struct interleaved *s, int64_t forwards, int32_t *alive)
{
	struct turn forward = first_turn(s), backward = forward;

	for (int64_t v = 0; v < s->vpp; v++)
		alive[v] = 0;
	for (int64_t q = 0; q < forwards; q++)
		alive[take_turn(s, &forward)]++;
	for (int64_t q = 0; q + s->warmup < forwards; q++)
		alive[s->vpp - 1 - take_turn(s, &backward)]--;
}

/*
 * Chunks differ (dense layers first, MTP, uneven layouts): walk the order. Its pattern
 * repeats with every group, so those of the warm-up and two more stand for all; the last
 * one, where the micro-batches leave it smaller, comes after them.
 */
static struct interleaved
shorten_run(struct interleaved s)
{
	const int64_t left = s.microbatches < MANY ? s.microbatches % s.group : 0;
	const int64_t groups = s.warmup / (s.group * s.vpp) + 2;

	s.microbatches = least_of(s.microbatches, groups * s.group + left);
	return s;
}

static void
hold_alive(struct flight *f, const struct interleaved *s, const struct plan *p,
    const struct chunk *chunk, int64_t forwards)
{
	int32_t alive[STAGE_CHUNKS_MAX];

	count_alive(s, forwards, alive);
	f->chunks = 0;
	for (int64_t v = 0; v < s->vpp; v++) {
		hold(f, p, &chunk[v], alive[v]);
		f->chunks += alive[v];
	}
}

/* Logits are there from the forward of the last chunk to its backward alone, which comes next
 * unless batches overlap. A last chunk with fewer layers than others, or none, is not the one that
 * runs while most is held. */
static void
walk_interleaved(struct flight *f, const struct interleaved *s, const struct plan *p,
    const struct chunk *chunk, const double *bytes)
{
	const int64_t steps = s->microbatches * s->vpp, last = s->vpp - 1;
	const int64_t fullest = fullest_step(s, bytes, steps, ANY_CHUNK);
	struct flight loss = *f;

	hold_alive(f, s, p, chunk, fullest);
	if (!chunk[last].loss || p->training.moe_overlap)
		return;
	hold_alive(&loss, s, p, chunk, fullest_step(s, bytes, steps, last));
	f->loss_apart = true;
	f->loss_microbatches = loss.chunks / (double)s->vpp;
	f->loss_held = loss.held;
}

static bool
all_equal(const double *bytes, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		if (bytes[i] > bytes[0] || bytes[i] < bytes[0])
			return false;
	return true;
}

/* All chunks alike: as many of each. Chunk 0 alone embeds, for every micro-batch that
 * has begun. */
static void
average(struct flight *f, const struct plan *p, const struct chunk *chunk, int64_t n)
{
	const int64_t begun = ((int64_t)f->chunks + n - 1) / n;

	for (int64_t v = 0; v < n; v++)
		hold(f, p, &chunk[v], f->chunks / (double)n);
	if (f->held.embedding > 0)
		f->held.embedding = (double)begun;
}

static void
interleave(struct flight *f, const struct plan *p, const struct placement *pl, int64_t m,
    int64_t rank, const struct share *unit)
{
	const struct chunk *chunk = placement_chunk(pl, rank, 0);
	struct interleaved s = { .vpp = pl->vpp, .microbatches = m };
	double bytes[STAGE_CHUNKS_MAX];
	bool equal;

	s.group = placement_group(p, pl->pp, m);
	s.warmup = 2 * (pl->pp - rank - 1) + (s.vpp - 1) * s.group + 1 +
	    (p->training.moe_overlap ? 1 : 0);
	s.warmup = least_of(s.warmup, m * s.vpp);
	f->chunks = (double)s.warmup;
	f->rule = "least(m*VPP, 2*(PP-r-1) + (VPP-1)*group + 1)";
	for (int64_t v = 0; v < s.vpp; v++) {
		struct share one = schedule_share(p, &chunk[v]);

		one.embedding = 0;
		bytes[v] = share_bytes(&one, unit);
	}
	equal = all_equal(bytes, s.vpp);
	s = shorten_run(s);
	if (equal || s.microbatches * s.vpp > WALK_MAX)
		average(f, p, chunk, s.vpp);
	else
		walk_interleaved(f, &s, p, chunk, bytes);
}

/* ---- two chunks a rank ------------------------------------------------------------- */

/*
 * V schedules: a micro-batch goes down the ranks in the first chunk and comes back up in
 * the second. A chunk is held for as long as the micro-batch needs from there to the end
 * and back: (2p - r) and (r + 1) of the two, where memory and micro-batches suffice.
 * limit: pairs that the schedule holds at most, by its paper's formula: of V-Half and V-Min
 * a bound, as their order holds whole pairs.
 */
static void
fold(struct flight *f, const struct plan *p, const struct placement *pl, int64_t m,
    int64_t rank, double limit)
{
	const struct chunk *down = placement_chunk(pl, rank, 0), *up = down + pl->vpp - 1;
	const double first = (double)least_of(m, 2 * pl->pp - rank);
	const double second = (double)least_of(m, rank + 1);
	const double part = smaller(limit / (first + second), 1);

	f->chunks = part * (first + second);
	if (pl->vpp < 2) { /* an uneven split that could not be folded */
		f->chunks /= 2;
		hold(f, p, down, f->chunks);
		return;
	}
	hold(f, p, down, part * first);
	hold(f, p, up, part * second);
}

/* DualPipe: two streams of micro-batches from both ends; a rank is stage r of one and
 * stage p-1-r of the other, and holds p-r and r+1 of them. */
static void
fly_dualpipe(struct flight *f, const struct plan *p, const struct placement *pl, int64_t m,
    int64_t rank)
{
	const int64_t mirror = pl->pp - 1 - rank;
	const int64_t first = least_of(m, pl->pp - rank), second = least_of(m - first, rank + 1);

	f->chunks = (double)(first + second);
	f->source = DUALPIPE;
	f->rule = "least(m, PP + 1)";
	hold(f, p, placement_chunk(pl, rank, 0), (double)first);
	hold(f, p, placement_chunk(pl, mirror, 0), (double)second);
}

/* ---- which schedule ---------------------------------------------------------------- */

/* Every chunk of the rank `microbatches` times. */
static void
repeat_flight(struct flight *f, const struct plan *p, const struct placement *pl, int64_t rank,
    int64_t microbatches)
{
	f->chunks = (double)(microbatches * pl->vpp);
	for (int64_t v = 0; v < pl->vpp; v++)
		hold(f, p, placement_chunk(pl, rank, v), (double)microbatches);
}

struct flight
schedule_flight(const struct plan *p, const struct placement *pl, int64_t microbatches,
    int64_t rank, const struct share *unit)
{
	const int64_t m = microbatches > 0 ? microbatches : MANY, pp = pl->pp;
	struct flight f = { .source = MEGATRON, .rule = "least(m, PP - r)" };

	switch (plan_schedule(p)) {
	case SCHEDULE_GPIPE:
		f.rule = "m*VPP";
		f.source = GPIPE;
		repeat_flight(&f, p, pl, rank, microbatches > 0 ? m : pp);
		break;
	case SCHEDULE_ZB_1P: /* weight gradients wait, and with them what they need */
		f.rule = "least(m*VPP, (VPP-1)*group + PP)";
		f.source = ZERO_BUBBLE;
		f.chunks = (double)least_of(m * pl->vpp,
		    (pl->vpp - 1) * placement_group(p, pp, m) + pp);
		average(&f, p, placement_chunk(pl, rank, 0), pl->vpp);
		break;
	case SCHEDULE_ZB_2P: /* the limit that its search may fill; ZB-H2 stays one below */
		f.rule = "least(m, 2*PP)";
		f.source = ZERO_BUBBLE;
		repeat_flight(&f, p, pl, rank, least_of(m, 2 * pp));
		break;
	case SCHEDULE_ZB_V:
		f.rule = "least(2*PP, " FOLD_RULE ")";
		f.source = V_SCHEDULES;
		fold(&f, p, pl, m, rank, 2 * (double)pp);
		break;
	case SCHEDULE_DUALPIPEV: /* README.md: one more than stages, of which a rank has two */
		f.rule = "least(2*PP + 1, " FOLD_RULE ")";
		f.source = DUALPIPE;
		fold(&f, p, pl, m, rank, 2 * (double)pp + 1);
		break;
	case SCHEDULE_V_HALF:
		f.rule = "least(PP + 2, " FOLD_RULE ")";
		f.source = V_SCHEDULES;
		fold(&f, p, pl, m, rank, (double)pp + 2);
		break;
	case SCHEDULE_V_MIN:
		f.rule = "least(2*(PP + 4)/3, " FOLD_RULE ")";
		f.source = V_SCHEDULES;
		fold(&f, p, pl, m, rank, 2 * ((double)pp + 4) / 3);
		break;
	case SCHEDULE_DUALPIPE:
		fly_dualpipe(&f, p, pl, m, rank);
		break;
	default:
		if (pl->vpp > 1)
			interleave(&f, p, pl, m, rank, unit);
		else
			repeat_flight(&f, p, pl, rank, least_of(m, pp - rank));
		break;
	}
	f.microbatches = f.chunks / (double)(pl->vpp > 1 ? pl->vpp : 1);
	return f;
}

/* Interleaved, the warm-up ends when all but the last chunk have run a group, and the last one
 * 2*(PP-r-1) + 1 of its micro-batches, or a group: no fewer than PP - r, or a group. */
struct flight
schedule_flight_least(const struct plan *p, const struct rank_layers *r, int64_t microbatches)
{
	const int64_t pp = p->parallel.pp, schedule = plan_schedule(p);
	const int64_t m = microbatches > 0 ? microbatches : MANY;
	const double held = (double)least_of(placement_group(p, pp, m), pp - r->rank);
	struct flight f = { .microbatches = held };
	const struct layer_kinds none = { .all = 0 };

	if (placement_folds(schedule) || schedule == SCHEDULE_DUALPIPE || r->mtp > 0 ||
	    p->training.offload_layers > 0 || p->finetune.kernels == KERNELS_UNSLOTH)
		return f;
	if (p->training.recompute != RECOMPUTE_FULL)
		f.held.kept = params_kinds_add(none, &r->kinds, held);
	else if (p->training.recompute_method == RECOMPUTE_UNIFORM)
		f.held.input = held * (double)batch_inputs(p, (int64_t)r->kinds.all);
	return f;
}

bool
schedule_wanes(const struct plan *p, const struct placement *pl, int64_t rank)
{
	const int64_t schedule = plan_schedule(p);

	if (placement_folds(schedule) || schedule == SCHEDULE_DUALPIPE || !params_as_before(p, pl, rank))
		return false;
	for (int64_t v = 1; v < pl->vpp; v++)
		if (!params_alike(&p->model, placement_chunk(pl, rank, v - 1), placement_chunk(pl, rank, v)))
			return false;
	return true;
}
