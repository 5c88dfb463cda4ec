#include "core/search/search_target.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/estimate/result.h"
#include "core/base/text.h"
#include "core/framework/gpu_types.h"
#include "core/model/params.h"
#include "core/plan/ramp.h"
#include "core/run/run.h"


/* Names of objectives: of results, then the prices. */
static const char *const names[] = { "time", "memory", "tokens", "energy", "gpus", "gpu-hours", "cost" };
enum { NAMED_ENERGY = 3, NAMED_GPUS, NAMED_RESULTS, NAMES = sizeof names / sizeof *names };

static enum result_id
result_named(size_t name, const struct plan *p)
{
	static const enum result_main of[] = { MAIN_TIME, MAIN_MEMORY, MAIN_TOKENS_GPU };

	if (name == NAMED_ENERGY)
		return p->mode == MODE_SERVE ? RESULT_SERVED_JOULES : RESULT_MWH;
	return name == NAMED_GPUS ? RESULT_WORLD : result_main(of[name], p);
}

/* ---- by name ----------------------------------------------------------------------- */

/* From a name to a candidate, or to its last part, which it may be the beginning of. */
static size_t
letters_apart(const char *name, const char *candidate)
{
	const char *dot = strchr(name, '.') == NULL ? strrchr(candidate, '.') : NULL;
	const char *last = dot != NULL ? dot + 1 : candidate;

	return strncmp(last, name, strlen(name)) == 0 ? 1 : text_distance(name, last);
}

const char *
target_near(const char *name)
{
	const char *best = field_near(name);
	size_t least = best != NULL ? letters_apart(name, best) : strlen(name) < 6 ? 1 :
	    strlen(name) / 3;
	bool outdone = false;

	for (int i = 0; i < (int)NAMES + RESULT_COUNT; i++) {
		const char *candidate = i < (int)NAMES ? names[i] : result_table[i - (int)NAMES].path;

		const size_t d = letters_apart(name, candidate);

		if (d < least || (d == least && !outdone)) { /* it goes before a field as near */
			least = d;
			best = candidate;
			outdone = true;
		}
	}
	return best;
}

/* Of a field: less of what a plan takes, its cluster and its sizes; more of what it gets done,
 * its model, sequences, batches and requests. */
static bool
more_of_field(enum field_id f)
{
	const size_t offset = field_table[f].offset;
	const bool cluster = offset >= offsetof(struct plan, cluster) &&
	    offset < offsetof(struct plan, model);
	const bool parallel = offset >= offsetof(struct plan, parallel) &&
	    offset < offsetof(struct plan, training);

	return !cluster && !parallel && field_table[f].step != STEP_DIVISOR;
}

/* estimate_peak leaves out what a search rarely asks for. */
static bool
needs_run(enum result_id id)
{
	return result_table[id].scope == SCOPE_MODEL || id == RESULT_PARAMS_GPU_MAX ||
	    id == RESULT_PARAMS_GPU || id == RESULT_LAYERS;
}

static bool
take_result(struct search_target *t, enum result_id id, const struct plan *p, char *err,
    size_t size)
{
	const struct result *r = &result_table[id];
	const bool trains = r->scope == SCOPE_STEP || r->scope == SCOPE_FLOW || r->scope == SCOPE_DIM ||
	    r->scope == SCOPE_RL || r->scope == SCOPE_RUN;

	*t = (struct search_target){ .kind = TARGET_RESULT, .id = (int)id,
		.more = r->better == BETTER_MORE || r->scope == SCOPE_MODEL, .whole = needs_run(id), .timed = trains,
		.events = r->scope == SCOPE_EVENTS ? FOLLOW_PERCENTILES :
		    r->scope == SCOPE_LIMITS ? FOLLOW_LIMITS : FOLLOW_MEANS };
	if (r->form == FORM_TEXT || r->at == RESULT_NOWHERE)
		text_put(err, size, "%s is no number of a plan", r->path);
	else if (p->mode == MODE_SERVE ? trains : result_serves(id))
		text_put(err, size, "%s is a result of %s mode", r->path, trains ? "train" : "serve");
	else
		return true;
	return false;
}

static bool
take_field(struct search_target *t, enum field_id f, char *err, size_t size)
{
	*t = (struct search_target){ .kind = TARGET_FIELD, .id = (int)f, .more = more_of_field(f) };
	if (field_table[f].type == FIELD_INT || field_table[f].type == FIELD_REAL)
		return true;
	text_put(err, size, "%s is no number", field_table[f].path);
	return false;
}

static bool
find_path(struct search_target *t, const char *path, const struct plan *p, char *err, size_t size)
{
	const enum result_id id = result_find(path);
	enum field_id f = field_by_path(path, strlen(path));

	if (f != FIELD_COUNT)
		return take_field(t, f, err, size);
	if (id != RESULT_COUNT)
		return take_result(t, id, p, err, size);
	if ((f = field_find(path)) != FIELD_COUNT)
		return take_field(t, f, err, size);
	text_put(err, size, "'%s' is no objective, result or field", path);
	text_add_near(err, size, target_near(path));
	return false;
}

/* By the name of an objective or by path. */
static bool
find_name(struct search_target *t, const char *name, const struct plan *p, char *err, size_t size)
{
	for (size_t i = 0; i < NAMED_RESULTS; i++)
		if (text_equal(names[i], name))
			return take_result(t, result_named(i, p), p, err, size);
	if (!text_equal(name, "gpu-hours") && !text_equal(name, "cost"))
		return find_path(t, name, p, err, size);
	*t = (struct search_target){ .kind = *name == 'c' ? TARGET_COST : TARGET_GPU_HOURS,
		.timed = true };
	return true;
}

bool
target_find(struct search_target *t, const char *name, const struct plan *p, char *err, size_t size)
{
	if (!find_name(t, name, p, err, size))
		return false;
	text_put(t->asked, sizeof t->asked, "%s", name);
	/* Of the GPUs of a job: the fewer the better; of a model's parameters: the more. */
	if (t->kind != TARGET_RESULT || t->id == RESULT_WORLD ||
	    result_table[t->id].scope == SCOPE_MODEL ||
	    result_table[t->id].better != BETTER_NEITHER)
		return true;
	text_put(err, size, "neither more nor less of %s is better", result_table[t->id].path);
	return false;
}

static bool
is_step(const struct search_target *t)
{
	return t->kind == TARGET_RESULT && t->id == RESULT_STEP;
}

enum field_id
target_lacks(const struct search_target *t, const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const bool paid = t->kind == TARGET_COST || (t->kind == TARGET_RESULT && t->id == RESULT_COST);
	const bool of_run = t->kind == TARGET_RESULT && (result_table[t->id].scope == SCOPE_RUN ||
	    t->id == RESULT_RUN);

	if (of_run && !plan_has_run(p))
		return FIELD_TOKEN_BUDGET;
	/* A run may cost storage and energy alone. */
	if (paid && !(c->gpu_hour_price > 0) &&
	    (!plan_has_run(p) || !(c->tb_month_price > 0 || c->kwh_price > 0)))
		return FIELD_GPU_HOUR_PRICE;
	return FIELD_COUNT;
}

bool
target_is_memory(const struct search_target *t)
{
	return t->kind == TARGET_RESULT && t->id == RESULT_PEAK_TOTAL;
}

static bool
is_phase_rate(const struct search_target *t)
{
	return t->kind == TARGET_RESULT && (t->id == RESULT_RL_TOKENS || t->id == RESULT_RL_TOKENS_GPU);
}

double
target_phase_weight(const struct search_target *t, const struct plan *p)
{
	const double world = (double)plan_world(p), tokens = rl_step_tokens(p);

	if (!plan_has_rl(p) || t->kind == TARGET_FIELD)
		return 0;
	if (t->kind == TARGET_RESULT)
		return t->id == RESULT_RL_STEP ? 1 : !is_phase_rate(t) ? 0 :
		    (t->id == RESULT_RL_TOKENS ? 1 : world) / tokens;
	if (plan_has_run(p)) /* which is interrupted */
		return 0;
	return world * 1e9 / HOUR / tokens *
	    (t->kind == TARGET_COST ? gpu_types_mean(p, FIELD_GPU_HOUR_PRICE) : 1);
}

double
target_phase_most(const struct search_target *t, double score)
{
	if (!is_phase_rate(t))
		return score;
	return score < 0 ? 1 / -score : INFINITY;
}

bool
target_is_energy(const struct search_target *t)
{
	return t->kind == TARGET_RESULT && (t->id == RESULT_MWH || t->id == RESULT_JOULES);
}

/* Hours of the run, of all GPUs for those that are counted or paid; false: it is no such number. */
static bool
is_of_run(const struct search_target *t)
{
	return t->kind == TARGET_GPU_HOURS || t->kind == TARGET_COST || (t->kind == TARGET_RESULT &&
	    (t->id == RESULT_DAYS || t->id == RESULT_NET_DAYS || t->id == RESULT_GPU_HOURS ||
	    t->id == RESULT_COST));
}

bool
target_follows_step(const struct search_target *t, const struct plan *p)
{
	if (p->mode != MODE_TRAIN || plan_has_rl(p))
		return is_step(t);
	/* With what interrupts a run, and stages of another batch, all are more. */
	return is_of_run(t) || target_is_energy(t) || (t->kind == TARGET_RESULT && (t->id == RESULT_STEP || t->id == RESULT_RUN ||
	    t->id == RESULT_TOKENS || t->id == RESULT_TOKENS_GPU));
}

/* Steps of the run, of a billion tokens where nobody says how long it is, with the batch that is timed. */
static double
steps_of_run(const struct plan *p, double tokens)
{
	const double budget = p->training.token_budget * 1e9;

	return p->run.batch_schedule[0] != '\0' && budget > 0 ? ramp_own_steps(p) :
	    (budget > 0 ? budget : 1e9) / tokens;
}

double
target_step_seconds(const struct search_target *t, const struct plan *p, double v, double busy)
{
	const double tokens = (double)p->training.global_batch_size *
	    (double)p->training.sequence_length;
	const double world = (double)plan_world(p), budget = p->training.token_budget * 1e9;
	const bool paid = t->kind == TARGET_COST || (t->kind == TARGET_RESULT && t->id == RESULT_COST);
	const double price = paid ? gpu_types_mean(p, FIELD_GPU_HOUR_PRICE) : 1;
	double steps = 0;

	if (is_step(t))
		return v;
	if (target_is_energy(t)) /* of the run with its PUE, or of a token without */
		return run_step_most(p, t->id == RESULT_JOULES ? v * tokens / world :
		    v * 1e6 * HOUR / p->cluster.pue / world / steps_of_run(p, tokens), busy);
	if (is_of_run(t) && !(price > 0 && (steps = steps_of_run(p, tokens)) > 0))
		return INFINITY;
	if (t->kind == TARGET_RESULT && (t->id == RESULT_DAYS || t->id == RESULT_NET_DAYS))
		return v * 24 * HOUR / steps;
	if (is_of_run(t))
		return v / price * HOUR / world / steps;
	if (t->id == RESULT_RUN)
		return v * tokens / budget;
	return tokens / (t->id == RESULT_TOKENS ? v : v * world);
}

double
target_least_score(const struct search_target *t, const struct plan *p, const struct estimate *e)
{
	double v;

	if (t->events == FOLLOW_LIMITS && t->id == (int)RESULT_INSIDE)
		return -e->serve.rate.saturation; /* no limits let more through */
	if (t->kind == TARGET_RESULT && t->id == (int)RESULT_SERVED_JOULES)
		return -INFINITY; /* a benchmark that ends has those of all its time */
	return t->events == FOLLOW_MEANS && target_value(t, p, e, &v) && !isnan(v) ? t->more ? -v : v : -INFINITY;
}

const char *
target_name(const struct search_target *t)
{
	switch (t->kind) {
	case TARGET_FIELD:
		return field_table[t->id].path;
	case TARGET_RESULT:
		return result_table[t->id].path;
	case TARGET_GPU_HOURS:
		return "gpu-hours";
	case TARGET_COST:
		break;
	}
	return "cost";
}

/* ---- values ------------------------------------------------------------------------ */

/* An engine on a GPU of unknown rates has no times: all are 0, as waits of one that has may be. */
static bool
value_of_result(enum result_id id, const struct estimate *e, double *v)
{
	const struct result *r = &result_table[id];

	if (!result_value(id, e, e->peak_stage, v))
		return false;
	return !result_serves(id) || r->measure != MEASURE_SECONDS || e->serve.tpot_seconds > 0;
}

bool
target_of_plan(const struct search_target *t, const struct plan *p, double *v)
{
	const enum field_id f = (enum field_id)t->id;

	if (t->kind == TARGET_FIELD)
		*v = field_table[f].type == FIELD_REAL ? field_real(f, p) : (double)field_int(f, p);
	else if (t->kind == TARGET_RESULT && t->id == RESULT_WORLD)
		*v = (double)plan_world(p);
	else if (t->kind == TARGET_RESULT && t->id == RESULT_PARAMS_TOTAL)
		*v = params_model(p, NULL).total;
	else
		return false;
	return true;
}

/* Of the run, with what interrupts it, or of a billion tokens where nobody says how long it is. */
static bool
gpu_hours(const struct plan *p, const struct estimate *e, double *v)
{
	const double rate = e->reinforced ? e->rl.tokens_per_second : e->timed ?
	    e->step.tokens_per_second : e->served ? e->serve.tokens_per_second : 0;

	if (!(rate > 0) || (plan_has_run(p) && !e->ran))
		return false;
	*v = e->ran ? e->run.gpu_hours : (double)e->world * 1e9 / rate / HOUR;
	return true;
}

bool
target_value(const struct search_target *t, const struct plan *p, const struct estimate *e,
    double *v)
{
	switch (t->kind) {
	case TARGET_FIELD:
		return target_of_plan(t, p, v);
	case TARGET_RESULT:
		return value_of_result((enum result_id)t->id, e, v);
	case TARGET_GPU_HOURS:
		return gpu_hours(p, e, v);
	case TARGET_COST:
		if (!gpu_hours(p, e, v) || !(p->cluster.gpu_hour_price > 0))
			return false;
		*v = e->ran ? e->run.cost : *v * gpu_types_mean(p, FIELD_GPU_HOUR_PRICE);
		return true;
	}
	return false;
}

/* ---- conditions --------------------------------------------------------------------- */

/* A limit as it is typed, into the unit of the target. */
static bool
parse_limit(struct search_condition *c, const char *text, char *err, size_t size)
{
	const struct search_target *t = &c->target;
	const enum measure measure =
	    t->kind == TARGET_RESULT ? result_table[t->id].measure : MEASURE_NUMBER;
	size_t digits = strlen(text);
	char number[64];
	double factor;

	if (t->kind == TARGET_FIELD && field_amount((enum field_id)t->id, text, &c->limit))
		return true;
	while (digits > 0 && strchr("0123456789.", text[digits - 1]) == NULL)
		digits--;
	text_put(number, sizeof number, "%.*s", (int)digits, text);
	if (!text_to_real(number, &c->limit)) {
		text_put(err, size, "'%s' is no number", text);
		return false;
	}
	text += digits;
	text += strspn(text, " ");
	if (*text == '\0' && measure == MEASURE_BYTES && c->limit < MIB) {
		text_put(err, size, "%s of %s bytes: write %sGiB or %sGB", target_name(t), number, number,
		    number);
		return false;
	}
	if (*text != '\0' && (t->kind == TARGET_FIELD ||
	    !units_factor(text, units_base(measure), &factor))) {
		text_put(err, size, "%s takes no unit '%s'", target_name(t), text);
		return false;
	}
	c->limit *= *text != '\0' ? factor : 1;
	return true;
}

bool
condition_parse(struct search_condition *c, const char *text, const struct plan *p, char *err,
    size_t size)
{
	const size_t length = strcspn(text, "<>");
	size_t name = length;
	char path[96];

	if (length == 0 || length >= sizeof path || text[length] == '\0' || text[length + 1] != '=' ||
	    !text_copy(c->text, sizeof c->text, text)) {
		text_put(err, size, "write PATH<=VALUE or PATH>=VALUE");
		return false;
	}
	while (name > 0 && text[name - 1] == ' ')
		name--;
	text_put(path, sizeof path, "%.*s", (int)name, text);
	c->least = text[length] == '>';
	return find_name(&c->target, path, p, err, size) &&
	    parse_limit(c, text + length + 2, err, size);
}

void
target_format(const struct search_target *t, double v, char *buf, size_t size)
{
	units_short(buf, size, t->kind == TARGET_RESULT ? result_table[t->id].measure : MEASURE_REAL, v);
}

double
condition_miss(const struct search_condition *c, const struct plan *p, const struct estimate *e)
{
	double v, ratio;

	if (!target_value(&c->target, p, e, &v))
		return HUGE_VAL;
	if (c->least ? v >= c->limit : v <= c->limit)
		return 0;
	ratio = c->least ? c->limit / v : v / c->limit;
	return ratio > 0 ? ratio : HUGE_VAL; /* on two sides of 0: no ratio tells how far */
}
