#include "core/search/search_why.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/estimate/result.h"
#include "core/base/text.h"
#include "core/rl/rl.h"
#include "core/rules/check.h"

enum { PARTS_MAX = 8, TOLD = 3, WHY_SIZE = 256 };

/* What a number is made of. */
struct number_parts {
	int count;
	enum measure measure;
	struct part {
		const char *name;
		double value, times; /* how often it is in the number */
	} part[PARTS_MAX];
};

static void
add_part(struct number_parts *to, const char *name, double value)
{
	to->part[to->count++] = (struct part){ name, value, 1 };
}

static struct number_parts
step_parts(const struct estimate *e)
{
	const struct steptime *s = &e->step;
	struct number_parts to = { .measure = MEASURE_SECONDS };

	add_part(&to, "compute", s->compute_seconds);
	add_part(&to, "recompute", s->recompute_seconds);
	add_part(&to, "bubble", s->bubble_fraction * s->seconds);
	add_part(&to, "exposed communication", s->exposed_comm_seconds);
	add_part(&to, "host", s->host_seconds);
	add_part(&to, "optimizer", s->optimizer_seconds);
	return to;
}

static struct number_parts
memory_parts(const struct estimate *e)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;
	struct number_parts to = { .measure = MEASURE_BYTES };

	add_part(&to, "parameters", m->parameters);
	add_part(&to, "gradients", m->gradients);
	add_part(&to, "optimizer state", m->optimizer);
	add_part(&to, "activations", m->activations);
	add_part(&to, "logits", m->logits);
	add_part(&to, "KV cache", m->kv_cache);
	add_part(&to, "buffers", m->buffers);
	add_part(&to, "overhead", m->overhead);
	return to;
}

/* Of what a request gets; of the time to the first token, and of a further one. */
static struct number_parts
serve_parts(const struct search_target *t, const struct plan *p, const struct estimate *e)
{
	const struct serve *s = &e->serve;
	struct number_parts to = { .measure = MEASURE_SECONDS };

	if (t->id == RESULT_TTFT) {
		add_part(&to, "waiting for other prompts", s->queue_seconds);
		add_part(&to, "prefill", s->prefill_seconds);
		add_part(&to, "transfer of the KV cache", s->transfer_seconds);
	} else if (t->id == RESULT_TPOT || t->id == RESULT_GENERATED_USER) {
		add_part(&to, "decode step", s->step_seconds);
		add_part(&to, "other requests' prompts", s->prompts_share_seconds);
	} else {
		add_part(&to, "time to the first token", s->ttft_seconds);
		add_part(&to, "time for each further token", s->tpot_seconds);
		to.part[1].times = larger(1, (double)p->serving.generate_tokens);
	}
	return to;
}

static struct number_parts
phase_parts(const struct estimate *e)
{
	struct number_parts to = { .measure = MEASURE_SECONDS };

	for (int i = 0; i < PHASES; i++)
		add_part(&to, rl_phase_label((enum rl_phase)i), e->rl.phase[i].seconds);
	return to;
}

/* Times and rates of requests, and prices of them. */
static bool
is_of_requests(const struct search_target *t)
{
	return t->kind != TARGET_FIELD && (t->timed || t->id == RESULT_TTFT || t->id == RESULT_TPOT ||
	    t->id == RESULT_GENERATED || t->id == RESULT_GENERATED_GPU || t->id == RESULT_GENERATED_USER);
}

/* What such a number is made of: of a tie (NULL) the time; nothing where it is no time or rate. */
static struct number_parts
parts_of(const struct search_target *t, const struct plan *p, const struct estimate *e)
{
	const struct search_target time = { .kind = TARGET_RESULT, .timed = true,
		.id = (int)result_main(MAIN_TIME, p) };

	if (t == NULL)
		t = &time;
	if (t->kind == TARGET_RESULT && t->id == RESULT_PEAK_TOTAL)
		return memory_parts(e);
	if (e->served ? !is_of_requests(t) : !t->timed)
		return (struct number_parts){ .count = 0 };
	if (e->served)
		return serve_parts(t, p, e);
	return e->reinforced && t->id != RESULT_STEP ? phase_parts(e) : step_parts(e);
}

/* The phase that most of a step goes to. */
static enum rl_phase
longest_phase(const struct rl_estimate *r)
{
	enum rl_phase longest = PHASE_TRAIN;

	for (enum rl_phase i = 0; i < PHASES; i++)
		if (r->phase[i].seconds > r->phase[longest].seconds)
			longest = i;
	return longest;
}

const char *
search_binds(const struct plan *p, const struct estimate *e)
{
	static const char *const names[] = { "compute", "memory", "bubble", "communication",
		"host", "optimizer" };
	const struct number_parts s = step_parts(e);
	int most = 0;

	if (e->served)
		return e->serve.ttft_seconds > e->serve.tpot_seconds * (double)p->serving.generate_tokens ?
		    "prefill" : "decode";
	if (!e->timed || !(e->step.seconds > 0))
		return "";
	if (e->reinforced && longest_phase(&e->rl) != PHASE_TRAIN)
		return rl_phase_name(longest_phase(&e->rl));
	for (int i = 1; i < s.count; i++)
		if (s.part[i].value > e->step.seconds / 20 &&
		    (most == 0 || s.part[i].value > s.part[most].value))
			most = i;
	return names[most];
}

/* A target counts what each GPU does, or what all of them take, so fewer GPUs may win by it with a longer step. */
static bool
is_of_one_gpu(const struct search_target *t, const struct plan *p)
{
	static const enum result_id ids[] = { RESULT_MFU, RESULT_MFU_FULL, RESULT_HFU, RESULT_TFLOPS, RESULT_GPU_HOURS,
		RESULT_COST, RESULT_MWH, RESULT_JOULES, RESULT_CO2 };

	if (t == NULL || t->kind == TARGET_FIELD)
		return false;
	for (size_t i = 0; t->kind == TARGET_RESULT && i < sizeof ids / sizeof *ids; i++)
		if (t->id == (int)ids[i])
			return true;
	return t->kind != TARGET_RESULT || t->id == (int)result_main(MAIN_TOKENS_GPU, p);
}

/* The number itself: "sequence length 16384 instead of 8192", "45.2 us less step.seconds" of two that read the same;
 * nothing of two that are. */
static void
tell_values(const struct search_target *t, const struct plan *p, double v, const struct plan *q,
    double w, char *buf, size_t size)
{
	char is[PLAN_LAYOUT_SIZE], was[PLAN_LAYOUT_SIZE];

	if (!(v < w) && !(v > w))
		return;
	if (t->kind == TARGET_FIELD) {
		field_format((enum field_id)t->id, p, is, sizeof is);
		field_format((enum field_id)t->id, q, was, sizeof was);
		text_put(buf, size, "%s %s instead of %s", field_table[t->id].label, is, was);
		return;
	}
	if (t->id == RESULT_WORLD) {
		text_put(buf, size, "%.0f GPU%s instead of %.0f", v, v > 1 ? "s" : "", w);
		return;
	}
	units_short(is, sizeof is, result_table[t->id].measure, v);
	units_short(was, sizeof was, result_table[t->id].measure, w);
	if (text_equal(is, was))
		text_put(buf, size, "%s %s %s", units_short(is, sizeof is, result_table[t->id].measure, fabs(v - w)),
		    v < w ? "less" : "more", target_name(t));
	else
		text_put(buf, size, "%s %s instead of %s", target_name(t), is, was);
}

/* Which parts differ, largest first; of all GPUs where `gpus` counts them. */
static void
tell_parts(const struct number_parts *x, const struct number_parts *y, double gpus_x, double gpus_y, char *buf,
    size_t size)
{
	bool told[PARTS_MAX] = { false };
	double largest = 0;

	for (int n = 0; n < TOLD; n++) {
		char amount[UNITS_SIZE];
		double most = 0;
		int at = 0;

		for (int i = 0; i < x->count; i++) {
			const double more = x->part[i].times *
			    (gpus_x * x->part[i].value - gpus_y * y->part[i].value);

			if (!told[i] && fabs(more) > fabs(most)) {
				most = more;
				at = i;
			}
		}
		largest = larger(largest, fabs(most));
		if (!(fabs(most) > largest / 20)) /* the rest explains nothing */
			break;
		told[at] = true;
		units_short(amount, sizeof amount, x->measure, fabs(most) / x->part[at].times);
		text_add(buf, size, "%s%s %s %s", n > 0 ? ", " : "", amount, most < 0 ? "less" : "more",
		    x->part[at].name);
	}
}

size_t
search_why(const struct search_target *t, const struct plan *p, const struct estimate *a,
    const struct plan *q, const struct estimate *b, char *buf, size_t size)
{
	double v = 0, w = 0;
	const bool known = target_value(t, p, a, &v) && target_value(t, q, b, &w);
	const struct search_target *ranks = known && !(v < w) && !(v > w) ? NULL : t;
	const struct number_parts x = parts_of(ranks, p, a), y = parts_of(ranks, q, b);
	const bool fewer = plan_world(p) != plan_world(q), scaled = fewer && is_of_one_gpu(ranks, p);
	char parts[WHY_SIZE] = "";

	*buf = '\0';
	if (known && x.count == 0) {
		tell_values(t, p, v, q, w, buf, size);
		return strlen(buf);
	}
	if (fewer)
		text_put(buf, size, "%lld GPU%s instead of %lld", (long long)plan_world(p),
		    TEXT_S(plan_world(p)), (long long)plan_world(q));
	if (a->served && p->serving.concurrency != q->serving.concurrency)
		text_add(buf, size, "%s%lld requests at once instead of %lld", *buf != '\0' ? ", " : "",
		    (long long)p->serving.concurrency, (long long)q->serving.concurrency);
	tell_parts(&x, &y, scaled ? (double)plan_world(p) : 1, scaled ? (double)plan_world(q) : 1, parts,
	    sizeof parts);
	if (*parts != '\0')
		text_add(buf, size, "%s%s%s", *buf != '\0' ? ", " : "",
		    scaled ? "of all GPUs together " : "", parts);
	return strlen(buf);
}

size_t
search_obstacle(const struct search_space *space, char *buf, size_t size)
{
	const struct diag *told = NULL;
	struct diag_list diags;
	struct plan p;

	space_plan(space, 0, &p);
	diag_clear(&diags);
	plan_check(&p, space->catalog, &diags);
	for (size_t i = 0; i < diags.count; i++) {
		const struct diag *d = &diags.item[i];

		if (d->severity == SEVERITY_ERROR &&
		    (told == NULL || (space_field(space, told->field) != NULL && space_field(space, d->field) == NULL)))
			told = d;
	}
	if (told == NULL)
		return text_put(buf, size, "%s", "");
	text_put(buf, size, "%s", told->message);
	check_fixes(&p, space->catalog, NULL, &diags);
	/* what the search tries itself is no way out */
	if (told->fix_field == FIELD_NONE || space_field(space, told->fix_field) != NULL)
		return strlen(buf);
	return text_add(buf, size, " (fix: %s=%s)", field_table[told->fix_field].path, told->fix_value);
}

void
search_unknown(const struct search *s, const struct search_counts *n, char *buf, size_t size)
{
	const struct search_target *t = &s->objective[0];

	text_put(buf, size, "of %llu nobody knows %s%s", (unsigned long long)n->unknown, target_name(t),
	    t->kind == TARGET_COST ? ": set cluster.gpu_hour_price, of several GPU types in a catalogue of your own" : "");
}

bool
search_nothing(const struct search *s, const struct search_counts *n, int i, char *buf, size_t size)
{
	const uint64_t legal = n->over_memory + n->evaluated;

	if (i == 0 && legal == 0) {
		text_put(buf, size, "no combination is legal: ");
		search_obstacle(s->space, buf + strlen(buf), size - strlen(buf));
		return true;
	}
	if (i-- == 0) {
		text_put(buf, size, "of %llu legal combinations looked at %llu do not fit in memory",
		    (unsigned long long)legal, (unsigned long long)n->over_memory);
		return true;
	}
	for (int c = 0; c < s->conditions; c++)
		if (n->failed[c] > 0 && i-- == 0) {
			text_put(buf, size, "%llu of those that fit do not have %s", (unsigned long long)n->failed[c],
			    s->condition[c].text);
			return true;
		}
	search_unknown(s, n, buf, size);
	return i == 0 && n->unknown > 0;
}

void
search_missed(const struct search *s, const struct plan *p, const struct estimate *e, char *buf,
    size_t size)
{
	char has[UNITS_SIZE];
	double v;

	buf[0] = '\0';
	if ((!e->fits || (e->tight && !s->tight)) && e->peak_high > e->capacity)
		text_put(buf, size, "%s%s of %s", e->served ? "" : "up to ",
		    UNITS_SHORT(BYTES, e->peak_high), UNITS_SHORT(BYTES, e->capacity));
	else if (!e->fits || (e->tight && !s->tight))
		text_put(buf, size, "a KV cache for %.1f requests of the %lld on an engine",
		    e->serve.max_concurrency, (long long)p->serving.concurrency);
	for (int i = 0; i < s->conditions; i++) {
		const struct search_target *t = &s->condition[i].target;

		if (!(condition_miss(&s->condition[i], p, e) > 0))
			continue;
		text_put(has, sizeof has, "not known");
		if (target_value(t, p, e, &v))
			target_format(t, v, has, sizeof has);
		text_add(buf, size, "%s%s %s", *buf != '\0' ? ", " : "", target_name(t), has);
	}
}
