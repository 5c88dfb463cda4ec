#include "core/search_target.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

#define HOUR 3600.0

enum measure { PLAIN, BYTES, SECONDS };

/* Results by path. */
static const struct row {
	const char *path;
	enum measure measure;
	bool more;
	size_t at;      /* of a double in struct estimate */
	int64_t mode;   /* that has it, -1: both */
} rows[] = {
#define AT(member) offsetof(struct estimate, member)
	{ "parallel.world", PLAIN, false, AT(world), -1 },
	{ "peak.total", BYTES, false, AT(peak_total), -1 },
	{ "step.seconds", SECONDS, false, AT(step.seconds), MODE_TRAIN },
	{ "step.tokens_per_second_per_gpu", PLAIN, true, AT(step.tokens_per_second_per_gpu), MODE_TRAIN },
	{ "step.tokens_per_second", PLAIN, true, AT(step.tokens_per_second), MODE_TRAIN },
	{ "step.training_seconds", SECONDS, false, AT(step.training_seconds), MODE_TRAIN },
	{ "step.mfu", PLAIN, true, AT(step.mfu), MODE_TRAIN },
	{ "step.bubble_fraction", PLAIN, false, AT(step.bubble_fraction), MODE_TRAIN },
	{ "step.exposed_comm_seconds", SECONDS, false, AT(step.exposed_comm_seconds), MODE_TRAIN },
	{ "serving.ttft_seconds", SECONDS, false, AT(serve.ttft_seconds), MODE_SERVE },
	{ "serving.tpot_seconds", SECONDS, false, AT(serve.tpot_seconds), MODE_SERVE },
	{ "serving.tokens_per_second", PLAIN, true, AT(serve.tokens_per_second), MODE_SERVE },
	{ "serving.tokens_per_second_per_gpu", PLAIN, true, AT(serve.tokens_per_second_per_gpu), MODE_SERVE },
	{ "serving.max_concurrency", PLAIN, true, AT(serve.max_concurrency), MODE_SERVE },
#undef AT
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Names of objectives, and what they stand for in each mode. */
static const struct {
	const char *name, *train, *serve;
} names[] = {
	{ "time", "step.seconds", "serving.tpot_seconds" },
	{ "memory", "peak.total", "peak.total" },
	{ "gpus", "parallel.world", "parallel.world" },
	{ "tokens", "step.tokens_per_second_per_gpu", "serving.tokens_per_second_per_gpu" },
};

/* ---- by name ----------------------------------------------------------------------- */

static int
row_of(const char *path)
{
	int i = 0;

	while (i < ROWS && !text_equal(rows[i].path, path))
		i++;
	return i;
}

/* The nearest to a misspelt name, of objectives, results and fields; NULL when none is near. */
static const char *
near_name(const char *name)
{
	const char *best = field_near(name);
	size_t least = best != NULL ? text_distance(name, best) : strlen(name) / 3 + 1;

	for (size_t i = 0; i < ROWS + sizeof names / sizeof *names; i++) {
		const char *candidate = i < ROWS ? rows[i].path : names[i - ROWS].name;

		if (text_distance(name, candidate) <= least) {
			least = text_distance(name, candidate);
			best = candidate;
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

static bool
find_path(struct search_target *t, const char *path, const struct plan *p, char *err, size_t size)
{
	const int row = row_of(path);
	const enum field_id f = field_find(path);
	const char *near;

	if (row < ROWS) {
		*t = (struct search_target){ .kind = TARGET_RESULT, .id = row, .more = rows[row].more };
		if (rows[row].mode < 0 || rows[row].mode == p->mode)
			return true;
		text_put(err, size, "%s is a result of the other mode", path);
		return false;
	}
	if (f != FIELD_COUNT) {
		*t = (struct search_target){ .kind = TARGET_FIELD, .id = (int)f, .more = more_of_field(f) };
		if (field_table[f].type == FIELD_INT || field_table[f].type == FIELD_REAL)
			return true;
		text_put(err, size, "%s is no number", field_table[f].path);
		return false;
	}
	near = near_name(path);
	text_put(err, size, "%s is no objective, result or field%s%s%s", path,
	    near != NULL ? " (did you mean " : "", near != NULL ? near : "", near != NULL ? "?)" : "");
	return false;
}

bool
target_find(struct search_target *t, const char *name, const struct plan *p, char *err, size_t size)
{
	const bool serves = p->mode == MODE_SERVE;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equal(names[i].name, name))
			return find_path(t, serves ? names[i].serve : names[i].train, p, err, size);
	if (text_equal(name, "gpu-hours") || text_equal(name, "cost")) {
		*t = (struct search_target){ .kind = *name == 'c' ? TARGET_COST : TARGET_GPU_HOURS };
		return true;
	}
	return find_path(t, name, p, err, size);
}

const char *
target_name(const struct search_target *t)
{
	switch (t->kind) {
	case TARGET_FIELD:
		return field_table[t->id].path;
	case TARGET_RESULT:
		return rows[t->id].path;
	case TARGET_GPU_HOURS:
		return "gpu-hours";
	case TARGET_COST:
		break;
	}
	return "cost";
}

/* ---- values ------------------------------------------------------------------------ */

/* Of the run, or of a billion tokens where nobody says how long it is. */
static bool
gpu_hours(const struct plan *p, const struct estimate *e, double *v)
{
	const double rate = e->timed ? e->step.tokens_per_second : e->served ?
	    e->serve.tokens_per_second : 0;
	const double budget = e->timed && p->training.token_budget > 0 ? p->training.token_budget : 1;

	if (!(rate > 0))
		return false;
	*v = (double)e->world * budget * 1e9 / rate / HOUR;
	return true;
}

bool
target_value(const struct search_target *t, const struct plan *p, const struct estimate *e,
    double *v)
{
	const enum field_id f = (enum field_id)t->id;

	switch (t->kind) {
	case TARGET_FIELD:
		*v = field_table[f].type == FIELD_REAL ? field_real(f, p) : (double)field_int(f, p);
		return true;
	case TARGET_RESULT:
		if (text_equal(rows[t->id].path, "parallel.world"))
			*v = (double)e->world;
		else
			memcpy(v, (const char *)e + rows[t->id].at, sizeof *v);
		return *v > 0 || (rows[t->id].measure == PLAIN && (e->timed || e->served));
	case TARGET_GPU_HOURS:
		return gpu_hours(p, e, v);
	case TARGET_COST:
		if (!gpu_hours(p, e, v) || !(p->cluster.gpu_hour_price > 0))
			return false;
		*v *= p->cluster.gpu_hour_price;
		return true;
	}
	return false;
}

/* ---- conditions --------------------------------------------------------------------- */

static const struct limit_unit {
	const char *name;
	enum measure measure;
	double factor;
} units[] = {
	{ "us", SECONDS, 1e-6 }, { "ms", SECONDS, 1e-3 }, { "s", SECONDS, 1 }, { "min", SECONDS, 60 },
	{ "h", SECONDS, HOUR }, { "d", SECONDS, 24 * HOUR },
	{ "MiB", BYTES, MIB }, { "GiB", BYTES, GIB }, { "MB", BYTES, 1e6 }, { "GB", BYTES, 1e9 },
	{ "%", PLAIN, 0.01 }
};

/* A limit as it is typed, into the unit of the target. */
static bool
parse_limit(struct search_condition *c, const char *text, char *err, size_t size)
{
	const bool field = c->target.kind == TARGET_FIELD;
	const enum measure measure = c->target.kind == TARGET_RESULT ? rows[c->target.id].measure : PLAIN;
	size_t digits = strlen(text), i;
	char number[64];

	while (digits > 0 && strchr("0123456789.", text[digits - 1]) == NULL)
		digits--;
	text_put(number, sizeof number, "%.*s", (int)digits, text);
	if (!text_to_real(number, &c->limit)) {
		text_put(err, size, "'%s' is no number", text);
		return false;
	}
	text += digits;
	text += strspn(text, " ");
	if (*text == '\0' || (field && text_equal(text, field_table[c->target.id].unit)))
		return true;
	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (!field && text_equal(units[i].name, text) && units[i].measure == measure) {
			c->limit *= units[i].factor;
			return true;
		}
	text_put(err, size, "%s takes no unit '%s'", target_name(&c->target), text);
	return false;
}

bool
condition_parse(struct search_condition *c, const char *text, const struct plan *p, char *err,
    size_t size)
{
	const size_t length = strcspn(text, "<>");
	char path[96];

	if (length == 0 || length >= sizeof path || text[length] == '\0' || text[length + 1] != '=' ||
	    !text_copy(c->text, sizeof c->text, text)) {
		text_put(err, size, "write PATH<=VALUE or PATH>=VALUE");
		return false;
	}
	text_put(path, sizeof path, "%.*s", (int)length, text);
	c->least = text[length] == '>';
	return target_find(&c->target, path, p, err, size) &&
	    parse_limit(c, text + length + 2, err, size);
}

double
condition_miss(const struct search_condition *c, const struct plan *p, const struct estimate *e)
{
	double v;

	if (!target_value(&c->target, p, e, &v))
		return HUGE_VAL;
	if (c->least ? v >= c->limit : v <= c->limit)
		return 0;
	return c->least ? c->limit / v : v / c->limit;
}
