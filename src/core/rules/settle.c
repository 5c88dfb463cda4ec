#include "core/rules/settle.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/framework/resolve.h"
#include "core/model/params.h"
#include "core/model/weights.h"
#include "core/plan/field_source.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"

/* The last one gives way first. */
static const enum field_id sizes[] = { FIELD_TP, FIELD_PP };
enum { SIZES = sizeof sizes / sizeof *sizes, BATCH_MOST = 1 << 20 /* sequences: more are no offer */,
	ENGINE_MOST = 1024 /* GPUs */ };

static const double weights_most = .75; /* of a GPU's memory: the rest is for the cache, buffers and graphs */

/* How far a plan is from running; less is nearer. */
struct standing {
	bool unplaced;    /* ranks or layers have no place: other rules are not even looked at */
	size_t errors;
	int64_t less;     /* how many times smaller its sizes are */
};

static bool
is_nearer(const struct standing *a, const struct standing *b)
{
	if (a->unplaced != b->unplaced)
		return b->unplaced;
	if (a->errors != b->errors)
		return a->errors < b->errors;
	return a->less < b->less;
}

static struct standing
standing_of(const struct plan *p, const struct catalog *catalog, int64_t less)
{
	struct standing s = { .less = less };
	struct placement placement;
	struct layout layout;
	struct diag_list diags;

	diag_clear(&diags);
	plan_check(p, catalog, &diags);
	s.errors = diag_count(&diags, SEVERITY_ERROR);
	s.unplaced = s.errors > 0 &&
	    (!layout_size(&layout, p, NULL) || !placement_init(&placement, p, NULL));
	return s;
}

/* An offered batch goes up to what all data parallel ranks share evenly. */
static void
fit_batch(struct plan *p)
{
	const enum field_id f = FIELD_GLOBAL_BATCH_SIZE;
	const int64_t batch = p->training.global_batch_size;
	struct layout layout;
	int64_t unit;

	if (!field_is_offered(f, p) || !layout_size(&layout, p, NULL) || p->training.micro_batch_size > BATCH_MOST)
		return;
	unit = layout.dp * p->training.micro_batch_size;
	if (unit <= 0 || unit > BATCH_MOST || batch % unit == 0)
		return;
	field_store_int(f, p, (batch + unit - 1) / unit * unit);
	field_offer(f, p);
}

/* The offered sizes from the i-th on, each at all divisors of its value. */
static void
try_sizes(const struct plan *p, const struct catalog *catalog, int i, int64_t less,
    struct plan *best, struct standing *nearest)
{
	const enum field_id f = i < SIZES ? sizes[i] : FIELD_NONE;
	const int64_t most = f == FIELD_NONE ? 0 : field_int(f, p);
	struct plan next = *p;

	if (f == FIELD_NONE) {
		struct standing s;

		plan_resolve(&next, catalog);
		fit_batch(&next);
		s = standing_of(&next, catalog, less);
		if (!is_nearer(&s, nearest))
			return;
		*best = next;
		*nearest = s;
		return;
	}
	try_sizes(p, catalog, i + 1, less, best, nearest);
	for (int64_t v = most / 2; v >= 1 && field_is_offered(f, p); v--) {
		if (most % v != 0)
			continue;
		field_store_int(f, &next, v);
		field_offer(f, &next);
		try_sizes(&next, catalog, i + 1, less * (most / v), best, nearest);
	}
}

/* ---- an engine that serves ---------------------------------------------------------------- */

/* Bytes of weights on a GPU of the first stage of an engine by itself: experts may be spread over several. */
static double
weights_held(const struct plan *p)
{
	const double experts = params_expert_ranks(p) / (double)p->parallel.tp;
	struct placement placement;
	struct stage_params n;

	if (!placement_init(&placement, p, NULL))
		return 0;
	n = params_stage(p, &placement, 0, NULL);
	return 2 * (n.dense - n.linear) + n.linear * weights_dense(p) +
	    experts * (2 * (n.expert - n.expert_linear) + n.expert_linear * weights_expert(p));
}

static bool
holds_weights(const struct plan *p)
{
	const double memory = p->cluster.memory_gib * GIB;

	return !(memory > 0) || weights_held(p) <= weights_most * memory;
}

/* Data parallel ranks of one engine would share its experts: copies are engines of their own, where nobody said how many. */
static bool
shares_experts(const struct plan *p)
{
	return engine_of(p)->experts_over_all && plan_has_experts(p) && p->parallel.ep <= 1 && !field_is_chosen(FIELD_REPLICAS, p);
}

/* An engine of so many GPUs, where that is legal. */
static bool
put_engine(const struct plan *p, const struct catalog *catalog, int64_t tp, int64_t pp, struct plan *out)
{
	const int64_t size[] = { tp, pp }, world = plan_world(p) - pool_gpus(p);

	*out = *p;
	for (int i = 0; i < SIZES; i++) {
		if (!field_is_offered(sizes[i], p) && field_int(sizes[i], p) != size[i])
			return false;
		if (!field_is_offered(sizes[i], p))
			continue;
		field_store_int(sizes[i], out, size[i]);
		field_offer(sizes[i], out);
	}
	if (shares_experts(p) && world % (tp * pp) == 0) {
		field_store_int(FIELD_REPLICAS, out, world / (tp * pp));
		field_offer(FIELD_REPLICAS, out);
	}
	plan_resolve(out, catalog);
	return plan_is_legal(out, catalog);
}

/* GPUs that TP may join. */
static int64_t
joined(const struct plan *p)
{
	const struct cluster *c = &p->cluster;

	return c->nvlink_domain > c->gpus_per_node ? c->nvlink_domain : c->gpus_per_node;
}

/* The engine of most GPUs up to one that holds the weights, of more than *gpus; with `whole`, PP is for what TP has no
 * place for. True where it holds them. */
static bool
find_engine(const struct plan *p, const struct catalog *catalog, bool whole, int64_t *gpus, struct plan *best)
{
	const int64_t world = plan_world(p), most = joined(p);
	struct plan next;

	for (int64_t n = *gpus + 1; n <= world && n <= ENGINE_MOST; n++)
		for (int64_t tp = n < most ? n : most; world % n == 0 && tp >= 1 && *gpus < n; tp--) {
			if ((whole && tp < n && tp < most) || n % tp != 0 || most % tp != 0 ||
			    !put_engine(p, catalog, tp, n / tp, &next))
				continue;
			*best = next;
			*gpus = n;
			if (holds_weights(&next))
				return true;
		}
	return false;
}

/*
 * The fewest GPUs that hold the weights, over TP where NVLink or a node joins them and over PP beyond or where heads do not
 * divide, and copies of the engine on the rest; all GPUs where none are enough (docs.vllm.ai, Parallelism and Scaling).
 */
static bool
settle_engine(struct plan *p, const struct catalog *catalog)
{
	struct plan best = *p;
	int64_t gpus = 0;

	if (!find_engine(p, catalog, true, &gpus, &best))
		find_engine(p, catalog, false, &gpus, &best);
	if (gpus == 0 || (best.parallel.tp == p->parallel.tp && best.parallel.pp == p->parallel.pp))
		return false;
	*p = best;
	return true;
}

bool
sizes_settle(struct plan *p, const struct catalog *catalog)
{
	struct standing as_is, nearest;
	struct plan best = *p;
	bool offered = field_is_offered(FIELD_GLOBAL_BATCH_SIZE, p);

	for (int i = 0; i < SIZES; i++)
		offered |= field_is_offered(sizes[i], p);
	if (p->mode == MODE_SERVE && (field_is_offered(FIELD_TP, p) || field_is_offered(FIELD_PP, p)) && settle_engine(p, catalog))
		return true;
	if (!offered || plan_is_legal(p, catalog))
		return false;
	as_is = nearest = standing_of(p, catalog, 1);
	try_sizes(p, catalog, 0, 1, &best, &nearest);
	if (!is_nearer(&nearest, &as_is))
		return false;
	*p = best;
	return true;
}

/* resolve.c makes it as short as the model's longest context. */
static bool
is_shortened(const struct plan *before, const struct plan *after)
{
	return field_source_context(before) && field_source_context(after) &&
	    after->training.sequence_length == after->model.max_position &&
	    after->training.sequence_length < before->training.sequence_length;
}

static void
tell_step(enum field_id f, const struct plan *before, const struct plan *after, char *buf,
    size_t size)
{
	const char *comma = *buf != '\0' ? ", " : "";
	const long long from = (long long)field_int(f, before), to = (long long)field_int(f, after);

	if (to < from)
		text_add(buf, size, "%s%s steps back from %lld to %lld", comma, field_table[f].label, from, to);
	else
		text_add(buf, size, "%s%s steps up from %lld to %lld", comma, field_table[f].label, from, to);
}

size_t
settle_text(const struct plan *before, const struct plan *after, char *buf, size_t size)
{
	*buf = '\0';
	for (int i = 0; i < SIZES; i++)
		if (field_is_offered(sizes[i], before) && field_is_offered(sizes[i], after) &&
		    !field_same(sizes[i], before, after))
			tell_step(sizes[i], before, after, buf, size);
	if (field_is_offered(FIELD_GLOBAL_BATCH_SIZE, after) && !field_same(FIELD_GLOBAL_BATCH_SIZE, before, after))
		tell_step(FIELD_GLOBAL_BATCH_SIZE, before, after, buf, size);
	if (is_shortened(before, after))
		tell_step(FIELD_SEQUENCE_LENGTH, before, after, buf, size);
	return strlen(buf);
}
