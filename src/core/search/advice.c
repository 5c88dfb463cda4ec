#include "core/search/advice.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"

#define SHARDPLAN "shardplan: each change is made and the plan estimated"

enum { PAIR_VALUES = 8, FIELDS_MAX = 40 };

/* Less of a sequence, of a batch or of a request's context than this share is another job, and a sliver of it none. */
static const double same_job = 0.5, other_job = 0.25, sliver = 1.0 / 32;

/* Fewer requests at once, and a smaller part of those that were asked for, leave GPUs idle: another service. */
enum { FEW_REQUESTS = 16, FEW_PART = 32 };

/* What costs as many times as much as a plan that is known is not worth a word. */
static const double no_way = 2;

/* Fields that give way, and what that loses. */
static const struct {
	enum field_id field;
	enum loss loss;
} givers[] = {
	{ FIELD_TP, LOSS_SPLIT }, { FIELD_PP, LOSS_SPLIT }, { FIELD_CP, LOSS_SPLIT },
	{ FIELD_EP, LOSS_SPLIT }, { FIELD_VPP, LOSS_SPLIT }, { FIELD_ETP, LOSS_SPLIT },
	{ FIELD_SEQUENCE_PARALLEL, LOSS_SPLIT }, { FIELD_ZERO_STAGE, LOSS_SPLIT },
	{ FIELD_ACCOUNT_FOR_EMBEDDING, LOSS_SPLIT }, { FIELD_ACCOUNT_FOR_LOSS, LOSS_SPLIT },
	{ FIELD_DP_REPLICATE, LOSS_SPLIT }, { FIELD_OFFLOAD, LOSS_SPLIT },
	{ FIELD_MICRO_BATCH_SIZE, LOSS_SPLIT }, { FIELD_RECOMPUTE, LOSS_SPLIT },
	{ FIELD_FLASH_ATTENTION, LOSS_SPLIT }, { FIELD_PRECISION_AWARE_OPTIMIZER, LOSS_SPLIT },
	{ FIELD_REPLICAS, LOSS_SPLIT }, { FIELD_DP_ATTENTION, LOSS_SPLIT },
	{ FIELD_DCP, LOSS_SPLIT }, { FIELD_GPU_MEMORY_UTILIZATION, LOSS_SPLIT },
	{ FIELD_GLOBAL_BATCH_SIZE, LOSS_WORK }, { FIELD_SEQUENCE_LENGTH, LOSS_WORK },
	{ FIELD_GRAD_DTYPE, LOSS_WORK }, { FIELD_WEIGHT_DTYPE, LOSS_WORK },
	{ FIELD_KV_DTYPE, LOSS_WORK }, { FIELD_CONTEXT_LENGTH, LOSS_WORK },
	{ FIELD_CONCURRENCY, LOSS_WORK }, { FIELD_NODES, LOSS_GPUS },
};
enum { GIVERS = sizeof givers / sizeof *givers };

/* What is looked for, and where it is put. */
struct quest {
	const struct plan *plan;
	const struct catalog *catalog;
	const struct field_set *asked;
	struct scope *scope;
	struct estimate *work;
	struct advice *out;
	bool legal;       /* the plan is: it does not fit, or is tight */
	int room;         /* room_of the plan */
	bool legal_single; /* a change of one field makes it so */
	size_t warnings;  /* that it has already */
	int fields;
	struct {
		enum field_id id;
		enum loss loss;
		bool gives;   /* was asked for, but a little more or less will do */
	} field[FIELDS_MAX];
};

/* ---- what a plan comes to ----------------------------------------------------------- */

bool
outlook_of(struct outlook *out, const struct plan *p, struct scope *scope,
    struct estimate *work)
{
	static const struct enough all = { { INFINITY, INFINITY }, INFINITY };

	if (estimate_peak(work, scope, p, &all) == VERDICT_ILLEGAL ||
	    (plan_has_rl(p) && !work->reinforced))
		return false;
	*out = (struct outlook){ .serves = work->served, .reinforced = work->reinforced,
		.fits = work->fits, .tight = work->tight, .memory = estimate_fullest(work),
		.capacity = work->capacity };
	if (work->served) {
		out->seconds = work->serve.tpot_seconds;
		out->cost = p->traffic.rate > 0 || !(work->serve.tokens_per_second > 0) ? out->seconds :
		    (double)plan_world(p) / work->serve.tokens_per_second;
		out->ttft = work->serve.ttft_seconds;
		out->kv_tokens = work->serve.kv_tokens;
	} else if (work->reinforced) {
		out->seconds = work->rl.step_seconds;
		out->cost = work->rl.tokens_per_second_per_gpu > 0 ?
		    1 / work->rl.tokens_per_second_per_gpu : 0;
	} else if (work->step.tokens_per_second_per_gpu > 0) {
		out->seconds = work->step.seconds;
		out->cost = 1 / work->step.tokens_per_second_per_gpu;
	}
	return true;
}

bool
advice_apply(const struct mend *m, const struct plan *p, const struct catalog *catalog,
    struct plan *next)
{
	char err[256];

	*next = *p;
	for (int i = 0; i < m->changes; i++) {
		if (!field_parse(m->change[i].field, next, m->change[i].value, err, sizeof err))
			return false;
		plan_resolve_field(next, m->change[i].field, catalog);
	}
	return true;
}

/* ---- the ranking -------------------------------------------------------------------- */

/* 2: it fits, 1: it is tight, 0: it does not fit. */
static int
room_of(const struct outlook *o)
{
	return o->fits ? 2 - o->tight : 0;
}

static bool
has_room(const struct mend *m)
{
	return room_of(&m->outlook) == 2;
}

/* Steps of 0.1 %: what lies closer together is as good. */
static double
cost_steps(const struct mend *m)
{
	return m->outlook.cost > 0 ? floor(log(m->outlook.cost) * 1000) : 0;
}

/* Halvings of the work: below 0; more of it than was asked for gains nothing. */
static double
kept_steps(const struct mend *m)
{
	return m->kept > 0 ? smaller(0, floor(log2(m->kept) + 0.5)) : 0;
}

/* By cost, where that says which is better: times of what does not run tell nothing, and who
 * wrote a value that is not legal, or asked for one, wants one near it. */
static bool
goes_by_cost(const struct quest *q, const struct mend *m)
{
	return q->legal && m->outlook.fits && m->loss != LOSS_ASKED && m->loss != LOSS_ABOUT;
}

/* Below 0 where a comes before b. */
static int
order(double a, double b)
{
	return (a > b) - (a < b);
}

static bool
is_better_mend(const struct quest *q, const struct mend *a, const struct mend *b)
{
	const int cost = order(cost_steps(a), cost_steps(b)), far = order(a->distance, b->distance);
	const int more = order(a->gpus, b->gpus), less = order(kept_steps(b), kept_steps(a));

	if (!q->legal && (a->loss == LOSS_ASKED) != (b->loss == LOSS_ASKED))
		return b->loss == LOSS_ASKED;
	if (room_of(&a->outlook) != room_of(&b->outlook))
		return room_of(&a->outlook) > room_of(&b->outlook);
	if (a->loss != b->loss)
		return a->loss < b->loss;
	if (a->warns != b->warns)
		return b->warns;
	if (less != 0 || more != 0)
		return less != 0 ? less < 0 : more < 0;
	if (a->few != b->few)
		return b->few;
	if (goes_by_cost(q, a))
		return cost != 0 ? cost < 0 : far < 0;
	return far != 0 ? far < 0 : a->outlook.fits && cost < 0;
}

static bool
same_fields(const struct mend *a, const struct mend *b)
{
	return a->changes == 2 && b->changes == 2 && a->change[0].field == b->change[0].field &&
	    a->change[1].field == b->change[1].field;
}

static void
forget_mend(struct advice *out, size_t i)
{
	for (out->count--; i < out->count; i++)
		out->mend[i] = out->mend[i + 1];
}

/* Put a mend in its place; of pairs of the same fields the better one stays. */
static void
keep_mend(const struct quest *q, const struct mend *m)
{
	struct advice *out = q->out;
	size_t at;

	for (size_t i = 0; i < out->count; i++) {
		if (!same_fields(&out->mend[i], m))
			continue;
		if (!is_better_mend(q, m, &out->mend[i]))
			return;
		forget_mend(out, i);
		break;
	}
	for (at = out->count; at > 0 && is_better_mend(q, m, &out->mend[at - 1]); at--)
		;
	if (at == ADVICE_MAX)
		return;
	if (out->count < ADVICE_MAX)
		out->count++;
	for (size_t i = out->count - 1; i > at; i--)
		out->mend[i] = out->mend[i - 1];
	out->mend[at] = *m;
}

/* ---- looking for mends -------------------------------------------------------------- */

size_t
advice_warnings(const struct plan *p, const struct catalog *catalog)
{
	struct diag_list diags;

	diag_clear(&diags);
	plan_check(p, catalog, &diags);
	return diag_count(&diags, SEVERITY_WARNING);
}

/* Tokens of a step. */
static double
work_of(const struct plan *p)
{
	return p->mode == MODE_SERVE ? 1 : (double)p->training.global_batch_size *
	    (double)p->training.sequence_length;
}

/* Tokens of a step, or of a request's context: requests that wait for others are still served. */
static double
kept_of(const struct plan *p, double work)
{
	return p->mode == MODE_SERVE ? (double)p->serving.context_length : work;
}

/* Number formats stand in their lists from wide to narrow: the widest that mends is enough. */
static bool
is_format(enum field_id f)
{
	return f == FIELD_GRAD_DTYPE || f == FIELD_WEIGHT_DTYPE || f == FIELD_KV_DTYPE;
}

static bool
changes_format(const struct mend *m)
{
	for (int i = 0; i < m->changes; i++)
		if (is_format(m->change[i].field))
			return true;
	return false;
}

/* The plan's requests, which follow the context where nobody says them, have a place in it. */
static bool
takes_requests(const struct plan *p, const struct plan *next)
{
	return p->mode != MODE_SERVE || next->serving.context_length == p->serving.context_length ||
	    next->serving.context_length >= p->serving.prompt_tokens + p->serving.generate_tokens;
}

/* Make the changes; false when the plan is not legal with them, or as full as before. */
static bool
look_at_mend(struct quest *q, struct mend *m)
{
	struct plan next;

	if (!advice_apply(m, q->plan, q->catalog, &next))
		return false;
	q->out->tried++;
	if (!outlook_of(&m->outlook, &next, q->scope, q->work) ||
	    (q->legal && room_of(&m->outlook) <= q->room) || !takes_requests(q->plan, &next))
		return false;
	m->work = work_of(&next) / work_of(q->plan);
	m->kept = kept_of(&next, work_of(&next)) / larger(1, kept_of(q->plan, work_of(q->plan)));
	m->gpus = (double)plan_world(&next);
	if (q->legal && m->kept < sliver)
		return false;
	if (m->loss == LOSS_WORK && m->kept < other_job)
		m->loss = LOSS_ASKED;
	m->few = next.mode == MODE_SERVE && next.serving.concurrency < FEW_REQUESTS &&
	    next.serving.concurrency < q->plan->serving.concurrency / FEW_PART;
	m->warns = advice_warnings(&next, q->catalog) > q->warnings;
	return !m->warns || !changes_format(m); /* no kernel reads it */
}

static struct mend
single(const struct quest *q, int field, const struct value *v)
{
	struct mend m = { .changes = 1, .change[0].field = q->field[field].id,
		.loss = q->field[field].loss, .distance = v->distance };

	text_copy(m.change[0].value, sizeof m.change[0].value, v->text);
	return m;
}

/* The nearest value on each side that mends all, else the nearest legal one; all names of a
 * list. */
static void
try_singles(struct quest *q, int field)
{
	const bool each = !is_format(q->field[field].id);
	struct values values;
	bool done[3] = { false, false, false }, legal[3] = { false, false, false };

	if (q->legal)
		values_steps(&values, q->plan, q->field[field].id);
	else
		values_near(&values, q->plan, q->field[field].id);
	for (size_t i = 0; i < values.count; i++) {
		const int side = values.item[i].way + 1;
		struct mend m = single(q, field, &values.item[i]);

		if (q->field[field].gives && side != 1 && m.distance <= VALUES_ABOUT)
			m.loss = LOSS_ABOUT;
		if (done[side] || !look_at_mend(q, &m) || (legal[side] && !has_room(&m)))
			continue;
		done[side] = has_room(&m) && (side != 1 || !each);
		legal[side] = side != 1 || !each;
		keep_mend(q, &m);
	}
}

static void
try_pair(struct quest *q, const struct mend *a, const struct mend *b)
{
	struct mend m = *a;

	m.changes = 2;
	m.change[1] = b->change[0];
	m.loss = a->loss > b->loss ? a->loss : b->loss;
	m.distance = a->distance + b->distance;
	if (look_at_mend(q, &m) && (has_room(&m) || !q->legal_single))
		keep_mend(q, &m);
}

/* Layers of an end stage go by the stages that there are. */
static bool
is_pair(enum field_id a, enum field_id b)
{
	return a != FIELD_PP || (b != FIELD_FIRST_STAGE_LAYERS && b != FIELD_LAST_STAGE_LAYERS);
}

/* More work than was asked for makes no room: the values of a pair are for less of it. */
static void
pair_values(const struct quest *q, enum field_id f, struct values *out)
{
	const bool work = f == FIELD_GLOBAL_BATCH_SIZE || f == FIELD_SEQUENCE_LENGTH || f == FIELD_CONTEXT_LENGTH ||
	    f == FIELD_CONCURRENCY;
	size_t left = 0;

	values_steps(out, q->plan, f);
	for (size_t i = 0; q->legal && work && i < out->count; i++)
		if (out->item[i].way <= 0)
			out->item[left++] = out->item[i];
	if (q->legal && work)
		out->count = left;
}

/* Changes of two fields at once, of which the dearer one loses so much. */
static void
try_pairs(struct quest *q, enum loss loss)
{
	struct values a, b;

	for (int i = 0; i < q->fields; i++) {
		pair_values(q, q->field[i].id, &a);
		for (int j = i + 1; j < q->fields; j++) {
			if ((q->field[i].loss > q->field[j].loss ? q->field[i].loss :
			    q->field[j].loss) != loss || !is_pair(q->field[i].id, q->field[j].id))
				continue;
			pair_values(q, q->field[j].id, &b);
			for (size_t k = 0; k < a.count && k < PAIR_VALUES; k++)
				for (size_t l = 0; l < b.count && l < PAIR_VALUES; l++) {
					const struct mend first = single(q, i, &a.item[k]);
					const struct mend second = single(q, j, &b.item[l]);

					try_pair(q, &first, &second);
				}
		}
	}
}

static void
add_field(struct quest *q, enum field_id f, enum loss loss)
{
	if (f == FIELD_NONE || !field_in_use(f, q->plan) || q->fields == FIELDS_MAX)
		return;
	/* Engines spread experts over all ranks: EP has no size of its own there. */
	if ((f == FIELD_EP || f == FIELD_ETP) &&
	    (!plan_has_experts(q->plan) || q->plan->mode == MODE_SERVE))
		return;
	if (f == FIELD_DP_ATTENTION && q->plan->mode == MODE_SERVE && !plan_has_experts(q->plan) &&
	    engine_of(q->plan)->experts_over_all) /* whole copies of the model */
		return;
	for (int i = 0; i < q->fields; i++)
		if (q->field[i].id == f)
			return;
	q->field[q->fields].id = f;
	q->field[q->fields].gives = field_set_has(q->asked, f) && loss != LOSS_GPUS;
	q->field[q->fields++].loss = field_set_has(q->asked, f) ? LOSS_ASKED : loss;
}

/* Fields that usually give way, and fields that the errors are about. */
static void
choose_fields(struct quest *q)
{
	struct diag_list diags;

	diag_clear(&diags);
	q->legal = plan_check(q->plan, q->catalog, &diags);
	q->warnings = diag_count(&diags, SEVERITY_WARNING);
	for (size_t i = 0; i < GIVERS; i++)
		add_field(q, givers[i].field, givers[i].loss);
	if (!q->legal && q->plan->parallel.pp > 1) { /* 61 layers on 16 stages: 4 on each and 1 on the last */
		add_field(q, FIELD_FIRST_STAGE_LAYERS, LOSS_SPLIT);
		add_field(q, FIELD_LAST_STAGE_LAYERS, LOSS_SPLIT);
	}
	for (size_t i = 0; i < diags.count; i++)
		if (diags.item[i].severity == SEVERITY_ERROR)
			add_field(q, diags.item[i].field, LOSS_WORK);
}

static bool
has_mend(const struct advice *a, enum loss loss)
{
	for (size_t i = 0; i < a->count; i++)
		if (has_room(&a->mend[i]) && a->mend[i].loss <= loss && a->mend[i].kept >= same_job &&
		    !a->mend[i].few)
			return true;
	return false;
}

void
advice_outdone(struct advice *a, int64_t gpus, bool same, double cost)
{
	for (size_t i = a->count; i > 0; i--)
		if (a->mend[i - 1].gpus > (double)gpus || a->mend[i - 1].few || (same && a->mend[i - 1].kept < same_job) ||
		    (cost > 0 && a->mend[i - 1].outlook.cost > cost * no_way))
			forget_mend(a, i - 1);
}

bool
advice_is_needed(const struct plan *p, const struct estimate *e)
{
	return !e->legal || (plan_has_rl(p) && !e->reinforced) ||
	    (e->capacity > 0 && (!e->fits || e->tight));
}

void
advice_run(struct advice *out, const struct plan *p, const struct catalog *catalog,
    const struct field_set *asked, struct estimate *work)
{
	struct scope scope;
	struct quest q = { .plan = p, .catalog = catalog, .asked = asked, .scope = &scope,
		.work = work, .out = out };
	struct outlook now = { .fits = false };

	out->count = out->tried = 0;
	scope_init(&scope, catalog);
	if (outlook_of(&now, p, &scope, work) && (room_of(&now) == 2 || now.capacity <= 0))
		return;
	q.room = room_of(&now);
	choose_fields(&q);
	for (int i = 0; i < q.fields; i++)
		try_singles(&q, i);
	for (size_t i = 0; i < out->count; i++)
		q.legal_single |= out->mend[i].loss < LOSS_ASKED;
	for (enum loss loss = LOSS_SPLIT; loss <= LOSS_ASKED; loss++)
		if (!has_mend(out, loss))
			try_pairs(&q, loss);
}

/* ---- in words ----------------------------------------------------------------------- */

size_t
advice_seconds(double s, char *buf, size_t size)
{
	return s < 1 ? text_put(buf, size, "%.3g ms", s * 1e3) :
	    text_put(buf, size, s < 100 ? "%.3g s" : "%.0f s", s);
}

size_t
outlook_text(const struct outlook *o, char *buf, size_t size)
{
	size_t n = text_put(buf, size, "%.1f GiB", o->memory / GIB);
	char seconds[32];

	if (o->capacity > 0)
		n = text_add(buf, size, " of %.1f GiB", o->capacity / GIB);
	if (o->seconds > 0) {
		advice_seconds(o->seconds, seconds, sizeof seconds);
		n = text_add(buf, size, ", %s a %s", seconds, o->serves ? "token" : "step");
	}
	if (o->ttft > 0) {
		advice_seconds(o->ttft, seconds, sizeof seconds);
		n = text_add(buf, size, ", first after %s", seconds);
	}
	if (o->serves)
		n = text_add(buf, size, ", %.0f tokens of KV cache", o->kv_tokens);
	return n;
}

size_t
advice_what(const struct mend *m, char *buf, size_t size)
{
	size_t n = text_put(buf, size, "%s", "");

	for (int i = 0; i < m->changes; i++)
		n = text_add(buf, size, "%s%s %s", i > 0 ? ", " : "",
		    field_table[m->change[i].field].label, m->change[i].value[0] != '\0' ?
		    m->change[i].value : "unset");
	if (m->work > 0 && fabs(m->work - 1) > 5e-4)
		n = text_add(buf, size, " (%.3g %% %s tokens a step)", 100 * fabs(m->work - 1),
		    m->work < 1 ? "fewer" : "more");
	return n;
}

/* ---- as diagnostics ----------------------------------------------------------------- */

void
advice_fix(const struct mend *m, struct diag *d)
{
	d->fix_field = m->change[0].field;
	text_put(d->fix_value, sizeof d->fix_value, "%s", m->change[0].value);
	d->also_field = m->changes > 1 ? m->change[1].field : FIELD_NONE;
	if (m->changes < 2)
		return;
	text_put(d->also_value, sizeof d->also_value, "%s", m->change[1].value);
}

static void
note_mend(const struct mend *m, struct diag_list *diags)
{
	char what[ADVICE_TEXT_SIZE], numbers[ADVICE_TEXT_SIZE];
	struct diag *d;

	advice_what(m, what, sizeof what);
	outlook_text(&m->outlook, numbers, sizeof numbers);
	d = diag_add(diags, SEVERITY_HINT, m->change[0].field, "would_mend", SHARDPLAN, "%s%s: %s", what,
	    !m->outlook.fits ? " is legal, but does not fit" : m->outlook.tight ? " is tight" : "",
	    numbers);
	if (d != NULL)
		advice_fix(m, d);
}

/* True for what a mend of the whole plan mends: all errors, and that memory is short. */
static bool
is_mended(const struct diag *d)
{
	return d->severity == SEVERITY_ERROR || (d->fix_field == FIELD_NONE &&
	    (text_equal(d->reason, "does_not_fit") || text_equal(d->reason, "tight")));
}

void
advice_note(const struct advice *a, size_t most, struct diag_list *diags)
{
	size_t noted = 0;

	if (a->count == 0)
		return;
	for (size_t i = 0; i < diags->count; i++)
		if (is_mended(&diags->item[i]))
			advice_fix(&a->mend[0], &diags->item[i]);
	for (size_t i = 0; i < a->count && noted < most; i++, noted++) {
		if (noted > 0 && a->mend[i].loss == LOSS_ASKED)
			return;
		note_mend(&a->mend[i], diags);
	}
}
