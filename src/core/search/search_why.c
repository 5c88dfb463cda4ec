#include "core/search/search_why.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/estimate/result.h"
#include "core/base/text.h"
#include "core/rl/rl.h"
#include "core/rules/check.h"

enum { PARTS_MAX = 8, TOLD = 3 };

/* What a number is made of. */
struct parts {
	int count;
	enum measure measure;
	struct part {
		const char *name;
		double value, times; /* how often it is in the number */
	} part[PARTS_MAX];
};

static void
add(struct parts *to, const char *name, double value)
{
	to->part[to->count++] = (struct part){ name, value, 1 };
}

static struct parts
step_parts(const struct estimate *e)
{
	const struct steptime *s = &e->step;
	struct parts to = { .measure = MEASURE_SECONDS };

	add(&to, "compute", s->compute_seconds);
	add(&to, "recompute", s->recompute_seconds);
	add(&to, "bubble", s->bubble_fraction * s->seconds);
	add(&to, "exposed communication", s->exposed_comm_seconds);
	add(&to, "host", s->host_seconds);
	add(&to, "optimizer", s->optimizer_seconds);
	return to;
}

static struct parts
memory_parts(const struct estimate *e)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;
	struct parts to = { .measure = MEASURE_BYTES };

	add(&to, "parameters", m->parameters);
	add(&to, "gradients", m->gradients);
	add(&to, "optimizer state", m->optimizer);
	add(&to, "activations", m->activations);
	add(&to, "logits", m->logits);
	add(&to, "KV cache", m->kv_cache);
	add(&to, "buffers", m->buffers);
	add(&to, "overhead", m->overhead);
	return to;
}

static struct parts
serve_parts(const struct plan *p, const struct estimate *e)
{
	struct parts to = { .measure = MEASURE_SECONDS };

	add(&to, "time to the first token", e->serve.ttft_seconds);
	add(&to, "time for each further token", e->serve.tpot_seconds);
	to.part[1].times = larger(1, (double)p->serving.generate_tokens);
	return to;
}

static struct parts
phase_parts(const struct estimate *e)
{
	struct parts to = { .measure = MEASURE_SECONDS };

	for (int i = 0; i < PHASES; i++)
		add(&to, rl_phase_label((enum rl_phase)i), e->rl.phase[i].seconds);
	return to;
}

static struct parts
parts_of(const struct search_target *t, const struct plan *p, const struct estimate *e)
{
	if (t->kind == TARGET_RESULT && t->id == RESULT_PEAK_TOTAL)
		return memory_parts(e);
	return e->served ? serve_parts(p, e) : e->reinforced && t->id != RESULT_STEP ? phase_parts(e) :
	    step_parts(e);
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
	const struct parts s = step_parts(e);
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

/* What no term of a time or a memory tells: other GPUs, and the field that is asked for. */
static void
tell_sizes(const struct search_target *t, const struct plan *p, const struct plan *q, char *buf,
    size_t size)
{
	char is[PLAN_ID_SIZE], was[PLAN_ID_SIZE];

	*buf = '\0';
	if (plan_world(p) != plan_world(q))
		text_put(buf, size, "%lld GPUs instead of %lld", (long long)plan_world(p),
		    (long long)plan_world(q));
	if (t->kind != TARGET_FIELD || field_same((enum field_id)t->id, p, q))
		return;
	field_format((enum field_id)t->id, p, is, sizeof is);
	field_format((enum field_id)t->id, q, was, sizeof was);
	text_add(buf, size, "%s%s %s instead of %s", *buf != '\0' ? ", " : "", field_table[t->id].label,
	    is, was);
}

size_t
search_why(const struct search_target *t, const struct plan *p, const struct estimate *a,
    const struct plan *q, const struct estimate *b, char *buf, size_t size)
{
	const struct parts x = parts_of(t, p, a), y = parts_of(t, p, b);
	bool told[PARTS_MAX] = { false };
	double largest = 0;

	tell_sizes(t, p, q, buf, size);
	for (int n = 0; n < TOLD; n++) {
		char amount[UNITS_SIZE];
		double most = 0;
		int at = 0;

		for (int i = 0; i < x.count; i++) {
			const double more = x.part[i].times * (x.part[i].value - y.part[i].value);

			if (!told[i] && fabs(more) > fabs(most)) {
				most = more;
				at = i;
			}
		}
		largest = larger(largest, fabs(most));
		if (!(fabs(most) > largest / 20)) /* the rest explains nothing */
			break;
		told[at] = true;
		units_short(amount, sizeof amount, x.measure, fabs(most) / x.part[at].times);
		text_add(buf, size, "%s%s %s %s", *buf != '\0' ? ", " : "", amount, most < 0 ? "less" : "more",
		    x.part[at].name);
	}
	return strlen(buf);
}

static bool
is_free(const struct search_space *space, enum field_id f)
{
	for (int i = 0; i < space->count; i++)
		if (space->field[i].field == f)
			return true;
	return false;
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
		    (told == NULL || (is_free(space, told->field) && !is_free(space, d->field))))
			told = d;
	}
	if (told == NULL)
		return text_put(buf, size, "%s", "");
	text_put(buf, size, "%s", told->message);
	check_fixes(&p, space->catalog, NULL, &diags);
	/* what the search tries itself is no way out */
	if (told->fix_field == FIELD_NONE || is_free(space, told->fix_field))
		return strlen(buf);
	return text_add(buf, size, " (fix: %s=%s)", field_table[told->fix_field].path, told->fix_value);
}
