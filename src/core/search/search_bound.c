#include "core/search/search_bound.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/rl/rl.h"
#include "core/rules/check_rules.h"
#include "core/search/search_room.h"
#include "core/train/update.h"

/* Fields in the order in which bounds take notice of them: each of those from some place on takes none. */
static const enum field_id unnoticed[] = { FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE, FIELD_CP_COMM, FIELD_MOE_DISPATCHER,
	FIELD_MOE_OVERLAP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT, FIELD_DP_REPLICATE, FIELD_ZERO_STAGE, FIELD_OFFLOAD,
	FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_TP_OVERLAP, FIELD_CUDA_GRAPH, FIELD_FUSED_EXPERTS,
	FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER };
enum { UNNOTICED = sizeof unnoticed / sizeof *unnoticed };

/* The last free field of the trainer that a bound takes notice of which takes none from `first` on, or the last outer
 * one. FIELD_NONE: it takes notice of all. */
static int
last_noticed(const struct search_space *s, enum field_id first)
{
	int last = s->outer - 1, from = 0;

	while (from < UNNOTICED && unnoticed[from] != first)
		from++;
	for (int i = s->outer; i < s->rollouts; i++)
		if (!field_is_among(s->field[i].field, unnoticed + from, UNNOTICED - from))
			last = i;
	return last > 0 ? last : 0;
}

static int
place_of(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f)
			return i;
	return -1;
}

void
bounds_plan(struct bounds *b, const struct search_space *s)
{
	b->shards_after = last_noticed(s, FIELD_MICRO_BATCH_SIZE);
	b->split_after = last_noticed(s, FIELD_RECOMPUTE);
	b->kernels_after = last_noticed(s, FIELD_CP_COMM);
	b->batch_after = last_noticed(s, FIELD_PP);
	b->stages_after = last_noticed(s, FIELD_VPP);
	b->chunks_after = last_noticed(s, FIELD_PIPELINE_LAYOUT);
	b->pipeline_after = last_noticed(s, FIELD_DP_REPLICATE);
	b->tail_after = last_noticed(s, FIELD_OFFLOAD);
	b->trainer_after = last_noticed(s, FIELD_NONE);
	for (b->tail = s->outer; b->tail < s->rollouts; b->tail++)
		if (s->field[b->tail].row != NULL && !s->field[b->tail].row->early)
			break;
	b->pp = place_of(s, FIELD_PP);
	b->vpp = place_of(s, FIELD_VPP);
	b->split = place_of(s, FIELD_PIPELINE_LAYOUT);
	b->copies = place_of(s, FIELD_DP_REPLICATE);
	b->zero = place_of(s, FIELD_ZERO_STAGE);
	b->context = place_of(s, FIELD_CP_COMM);
	b->dispatcher = place_of(s, FIELD_MOE_DISPATCHER);
	b->overlap = place_of(s, FIELD_MOE_OVERLAP);
	b->offload = place_of(s, FIELD_OFFLOAD);
}

/* ---- time ---------------------------------------------------------------------------- */

static bool
is_asked(double seconds)
{
	return seconds > 0 && seconds < INFINITY;
}

/* No split over so many GPUs is fast enough. */
static bool
cluster_is_slow(const struct plan *p, double limit)
{
	return is_asked(limit) && !plan_has_rl(p) && steptime_floor(p) > limit;
}

static bool
batch_is_slow(const struct plan *p, struct scope *scope, double limit)
{
	scope_follow(scope, p);
	return steptime_least(scope_batch(scope, p), p, false, 0) > limit;
}

/* The most chunks a rank can have with the PP that is in, and the VPP where that is in as well; 0:
 * a layout says, which is not. */
static int64_t
most_chunks(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    const struct plan *p, const struct bound_room *room)
{
	if (b->split >= 0 ? !s->field[b->split].splits : p->parallel.pipeline_layout[0] != '\0')
		return 0;
	if (field >= b->vpp)
		return b->vpp < 0 ? p->parallel.vpp :
		    (int64_t)s->value[s->field[b->vpp].first + space_digit(s, b->vpp, index)];
	return (int64_t)s->value[s->field[b->vpp].first + room_last_vpp(b, s, index, room)];
}

static bool
chunks_are_slow(const struct plan *p, struct scope *scope, int64_t chunks, double limit)
{
	struct step_setup *flows;

	scope_follow(scope, p);
	flows = scope_flows(scope, p);
	return flows != NULL && steptime_least(flows, p, true, chunks) > limit;
}

/* The value of an early switch is computed in another way than its others. */
static bool
is_apart(const struct search_space *s, int field, int digit)
{
	const struct free_field *f = field >= 0 ? &s->field[field] : NULL;

	return f != NULL && (int64_t)s->value[f->first + digit] == f->row->apart;
}

/* Put the value of an early switch in with which least is computed. */
static void
put_lightest_work(const struct search_space *s, int field, struct plan *p)
{
	int digit = 0;

	while (digit < room_values(s, field) - 1 &&
	    is_apart(s, field, digit) != s->field[field].row->lighter)
		digit++;
	room_put(s, field, digit, p);
}

/* Work alone, with any value of the early switches that change what is computed. */
static bool
work_is_slow(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, double limit)
{
	const struct parallel parallel = p->parallel;
	bool slow;

	put_lightest_work(s, b->context, p);
	put_lightest_work(s, b->dispatcher, p);
	slow = batch_is_slow(p, scope, limit);
	p->parallel = parallel;
	return slow;
}

static bool
is_idle(const struct search_space *s, int field, int digit, const struct plan *p)
{
	return field >= 0 && space_idles(s, field, digit, p);
}

/* With the values of CP's traffic and the dispatcher that are in, and any of their overlap that is
 * legal; what fuses the permutation takes no more of the host with it (host.c). */
static bool
experts_are_slow(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, double limit)
{
	bool slow = true;

	for (int i = room_values(s, b->overlap) - 1; slow && i >= 0; i--) {
		room_put(s, b->overlap, i, p);
		if (is_idle(s, b->overlap, i, p) ||
		    rule_moe_overlap_impossible(&(struct facts){ .plan = p }, NULL, 0))
			continue;
		slow = chunks_are_slow(p, scope, 0, limit);
		if (p->training.moe_overlap && p->parallel.moe_dispatcher >= DISPATCHER_DEEPEP)
			break;
	}
	return slow;
}

/* With those values of the two that are computed apart, or those that are not. */
static bool
kinds_are_slow(const struct bounds *b, const struct search_space *s, bool context, bool dispatcher,
    struct plan *p, struct scope *scope, double limit)
{
	bool slow = true;

	for (int i = 0; slow && i < room_values(s, b->context); i++) {
		if (is_apart(s, b->context, i) != context || is_idle(s, b->context, i, p))
			continue;
		for (int k = room_values(s, b->dispatcher) - 1; slow && k >= 0; k--) {
			if (is_apart(s, b->dispatcher, k) != dispatcher)
				continue;
			room_put(s, b->context, i, p);
			room_put(s, b->dispatcher, k, p);
			slow = experts_are_slow(b, s, p, scope, limit);
		}
	}
	return slow;
}

/* Where DP and PP come last in the order of ranks, groups of TP, CP and experts lie the same with
 * any PP that has a layout (megatron.c). The largest with room stands for all: orders that hide
 * more have a pipeline (plan_schedule). */
static bool
put_any_pp(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    const struct bound_room *room)
{
	const char *order = p->parallel.order;
	const size_t length = strlen(order);
	struct layout layout;

	if ((framework_rules(p) & RULES_MEGATRON) == 0 || length < 5 ||
	    !text_equal(order + length - 5, "dp-pp"))
		return false;
	for (int i = room_values(s, b->pp) - 1; i >= 0; i--) {
		room_put(s, b->pp, i, p);
		if (!room_is_full(b, s, i, index, room) && layout_size(&layout, p, NULL))
			return true;
	}
	return false;
}

/* With any value of all early switches: work and the traffic that none of them hides. What is
 * computed changes seldom. */
static bool
traffic_is_slow(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, const struct bound_room *room, double limit)
{
	const struct parallel parallel = p->parallel;
	const struct training training = p->training;
	bool slow = put_any_pp(b, s, index, p, room);

	for (int kind = 0; slow && kind < 4; kind++)
		slow = kinds_are_slow(b, s, (kind & 2) != 0, (kind & 1) != 0, p, scope, limit);
	p->parallel = parallel;
	p->training = training;
	return slow;
}

static bool
kernels_are_slow(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, const struct bound_room *room, double limit)
{
	return work_is_slow(b, s, p, scope, limit) ||
	    traffic_is_slow(b, s, index, p, scope, room, limit);
}

/* Too slow with any recompute, of which none adds nothing. */
static bool
split_is_slow(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, const struct bound_room *room, double limit)
{
	const int64_t recompute = p->training.recompute;
	bool slow;

	p->training.recompute = RECOMPUTE_NONE;
	slow = kernels_are_slow(b, s, index, p, scope, room, limit);
	p->training.recompute = recompute;
	return slow;
}

/* With the early switches that are in. */
static bool
switched_is_slow(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, const struct bound_room *room, double limit)
{
	const struct parallel parallel = p->parallel;
	bool slow = batch_is_slow(p, scope, limit);

	if (!slow && put_any_pp(b, s, index, p, room))
		slow = chunks_are_slow(p, scope, 0, limit);
	p->parallel = parallel;
	return slow;
}

/* What the optimizer takes at least, of the PP that is in or of all that have room. */
static double
optimizer_least(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    const struct bound_room *room)
{
	double least = INFINITY;

	if (b->pp < 0 || field >= b->pp)
		return room_optimizer(b, s, b->pp >= 0 ? space_digit(s, b->pp, index) : 0, index, room);
	for (int i = 0; i < room_values(s, b->pp); i++)
		if (!room_is_full(b, s, i, index, room))
			least = smaller(least, room_optimizer(b, s, i, index, room));
	return least;
}

/* Beside that. */
static bool
sizes_are_slow(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, const struct bound_room *room, double limit)
{
	double rest;

	if (!is_asked(limit) || field < b->shards_after)
		return false;
	rest = limit - optimizer_least(b, s, field, index, room);
	return rest <= 0 || (field == b->split_after && split_is_slow(b, s, index, p, scope, room, rest)) ||
	    (field == b->kernels_after && kernels_are_slow(b, s, index, p, scope, room, rest)) ||
	    (field == b->batch_after && switched_is_slow(b, s, index, p, scope, room, rest)) ||
	    ((field == b->stages_after || field == b->chunks_after) &&
	    chunks_are_slow(p, scope, most_chunks(b, s, field, index, p, room), rest));
}

/* Rows of the mean length, from the pipeline on with the passes before an update. */
static bool
rows_are_slow(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    const struct plan *p, struct bound_room *room, double limit)
{
	if (field != b->pipeline_after)
		return chunks_are_slow(p, &room->rows, most_chunks(b, s, field, index, p, room), limit);
	scope_follow(&room->rows, p);
	return scope_place(&room->rows, p) && rl_actor_least(p, scope_step(&room->rows, p)) > limit;
}

/* An update on rollouts. */
static bool
update_is_slow(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct bound_room *room, double limit)
{
	const struct training training = p->training;
	struct layout layout;
	bool slow;

	if (!is_asked(limit) || (field != b->stages_after && field != b->chunks_after &&
	    field != b->pipeline_after) || !layout_size(&layout, p, NULL))
		return false;
	rl_take_update(p, &layout);
	slow = rows_are_slow(b, s, field, index, p, room, limit);
	p->training = training;
	return slow;
}

/* ---- switches ------------------------------------------------------------------------ */

/* The fastest value among those that are free. */
static int
fastest(const struct free_field *f)
{
	return f->row->most ? f->count - 1 : 0;
}

void
bounds_rest(const struct bounds *b, const struct search_space *s, int i, struct plan *p)
{
	if (i <= b->copies)
		room_put(s, b->copies, 0, p);
	for (i = i > b->tail ? i : b->tail; i < s->rollouts; i++)
		space_step(s, i, fastest(&s->field[i]), p);
}

/* Seconds of a step, or of an update with the passes before it; of what takes more than the limit, any such
 * number. 0: not known. */
static double
step_seconds(const struct plan *p, struct scope *scope, struct traffic *traffic, double limit)
{
	struct steptime step;

	scope_follow(scope, p);
	if (!scope_place(scope, p))
		return 0;
	step = steptime_within(scope_step(scope, p), limit, p, &scope->pipeline.placement, traffic, NULL);
	return step.seconds > limit || !plan_has_rl(p) ? step.seconds : rl_actor_seconds(p, &step);
}

/* With the fastest values of the switches that follow. What an update takes is left in room. */
static bool
step_is_slow(struct plan *p, struct scope *scope, struct bound_room *room, double limit)
{
	const struct training training = p->training;
	struct layout layout;

	if (!plan_has_rl(p))
		return step_seconds(p, scope, &room->traffic, limit) > limit;
	if (!layout_size(&layout, p, NULL))
		return false;
	rl_take_update(p, &layout);
	room->update = step_seconds(p, &room->rows, &room->traffic, limit);
	p->training = training;
	return room->update > limit;
}

static bool
plan_is_full(const struct plan *p, struct scope *scope, const struct memory_limit *limit)
{
	const struct memory_setup *memory;
	struct memory_peak peak;

	scope_follow(scope, p);
	if (!scope_place(scope, p))
		return false;
	memory = scope_memory(scope, p);
	memory_peak(memory, scope_loads(scope), limit, &peak);
	return memory_exceeds(peak.low, peak.high, limit);
}

/* No values of the switches from free field i on make room. */
static bool
stages_are_full(const struct search_space *s, int i, struct plan *p, struct scope *scope,
    const struct memory_limit *limit)
{
	const int open = room_put_lightest(s, i, p);

	if (open == s->rollouts)
		return plan_is_full(p, scope, limit);
	for (int digit = 0; digit < s->field[open].count; digit++) {
		space_step(s, open, digit, p);
		if (!stages_are_full(s, open + 1, p, scope, limit))
			return false;
	}
	return true;
}

/* No ZeRO stage leaves room for state that stays on the GPU. */
static bool
is_full_unmoved(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, const struct memory_limit *limit)
{
	bool full = true;

	p->parallel.offload = OFFLOAD_NONE;
	for (int i = room_values(s, b->zero) - 1; full && i >= 0; i--) {
		room_put(s, b->zero, i, p);
		full = stages_are_full(s, b->offload >= 0 ? b->offload + 1 : b->tail, p, scope, limit);
	}
	return full;
}

/* The update of state on the host takes too long, and that on the GPU too, or there is no room for it.
 * Both are worked out with the highest ZeRO stage, which has least of it. */
static bool
update_of_state_is_slow(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, double rest, const struct memory_limit *limit)
{
	const struct step_run *r = scope_step(scope, p);
	const struct parallel parallel = p->parallel;
	const struct training training = p->training;
	const bool free = b->offload >= 0;
	bool slow = true;

	room_put(s, b->zero, room_values(s, b->zero) - 1, p);
	for (int i = 0; slow && i < room_values(s, b->offload); i++) {
		room_put(s, b->offload, i, p);
		slow = update_optimizer(r, p, NULL) > rest ||
		    (p->parallel.offload == OFFLOAD_NONE && free && is_full_unmoved(b, s, p, scope, limit));
		p->parallel = parallel;
		p->training = training;
		room_put(s, b->zero, room_values(s, b->zero) - 1, p);
	}
	p->parallel = parallel;
	p->training = training;
	return slow;
}

static bool
pipeline_is_slow(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, const struct enough *enough)
{
	double least;

	if (!is_asked(enough->seconds))
		return false;
	scope_follow(scope, p);
	if (!scope_place(scope, p))
		return false;
	least = scope_step(scope, p)->least;
	return least > enough->seconds ||
	    update_of_state_is_slow(b, s, p, scope, enough->seconds - least, &enough->bytes);
}

static bool
is_slow(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough)
{
	return plan_has_rl(p) ? update_is_slow(b, s, field, index, p, room, enough->seconds) :
	    sizes_are_slow(b, s, field, index, p, scope, room, enough->seconds) ||
	    (field == b->pipeline_after && pipeline_is_slow(b, s, p, scope, enough));
}

/* After all sizes, or a switch of the tail; of training on rollouts after the last of the trainer in any
 * case, whose update is then known. */
static bool
tail_is_cut(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough)
{
	const struct free_field *f = field >= b->tail ? &s->field[field] : NULL;
	const bool whole = plan_has_rl(p) && field == b->trainer_after;
	const bool slower = f == NULL || whole || space_digit(s, field, index) != fastest(f);
	bool full = false;

	if (!whole && (b->tail == s->rollouts || field < b->tail_after))
		return false;
	if (slower && is_asked(enough->seconds) && step_is_slow(p, scope, room, enough->seconds))
		return true;
	/* Those that are in do it mostly, and what is worked out for them stands. */
	if ((f == NULL || f->row->memory != MEMORY_ANY) && plan_is_full(p, scope, &enough->bytes)) {
		full = stages_are_full(s, field < b->tail ? b->tail : field + 1, p, scope, &enough->bytes);
		bounds_rest(b, s, field + 1, p);
	}
	return full;
}

bool
bounds_skips(const struct bounds *b, const struct search_space *s, int field, int digit, uint64_t index,
    const struct bound_room *room)
{
	return field == b->pp && field > b->shards_after && room->shards == room_shards(b, s, index) &&
	    room_is_full(b, s, digit, index, room);
}

bool
bounds_all(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough)
{
	/* Engines, which have another DP, do not train. */
	if (p->mode != MODE_TRAIN || (framework_rules(p) & RULES_VLLM) != 0)
		return false;
	if (field >= s->rollouts)
		return false;
	if (field == s->outer - 1 && cluster_is_slow(p, enough->seconds))
		return true;
	if (field == b->shards_after && room_all_full(b, s, index, p, room, &enough->bytes))
		return true;
	if (field == b->split_after && room_all_odd(b, s, p, room))
		return true;
	if (field == b->kernels_after && room_all_crowded(b, s, index, p, scope, room, &enough->bytes))
		return true;
	if (is_slow(b, s, field, index, p, scope, room, enough) ||
	    room_stages_full(b, s, field, index, p, scope, room, &enough->bytes))
		return true;
	return tail_is_cut(b, s, field, index, p, scope, room, enough);
}
