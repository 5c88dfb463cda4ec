#include "core/plan/ramp.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"

#define BILLION 1e9

/* A number with its letter, of which a thousand is `thousand`. */
static bool
take_amount(const char *text, size_t length, double thousand, double *out)
{
	static const char letters[] = "kmbt";
	const char *letter;
	char number[32];
	double v;

	if (length == 0 || length >= sizeof number)
		return false;
	text_part(number, sizeof number, text, length);
	letter = strchr(letters, number[length - 1] | 0x20);
	if (letter != NULL)
		number[length - 1] = '\0';
	if (!text_to_real(number, &v))
		return false;
	*out = v * (letter != NULL ? pow(thousand, (double)(letter - letters + 1)) : 1);
	return true;
}

static bool
is_whole(double v)
{
	return v >= 1 && v <= 1 << 30 && !(v > floor(v));
}

/* "8192x8M": sequences that a step has. */
static bool
take_batch(const char *text, size_t length, struct ramp_stage *stage)
{
	const char *times = memchr(text, 'x', length);
	double sequence, tokens;
	size_t rest;

	if (times == NULL)
		return false;
	rest = length - (size_t)(times - text) - 1;
	if (!take_amount(text, (size_t)(times - text), 1024, &sequence) || !is_whole(sequence) ||
	    !take_amount(times + 1, rest, 1000, &tokens))
		return false;
	if (!is_whole(tokens / sequence) && !take_amount(times + 1, rest, 1024, &tokens))
		return false;
	stage->sequence = (int64_t)sequence;
	stage->batch = is_whole(tokens / sequence) ? (int64_t)(tokens / sequence) : 0;
	return stage->batch > 0;
}

/* Whole steps of so many tokens; the next stage begins after the last of them. */
static double
put_steps(struct ramp_stage *stage, double tokens)
{
	const double each = (double)stage->sequence * (double)stage->batch;

	stage->steps = ceil(tokens / each - 1e-9);
	stage->tokens = tokens;
	return tokens;
}

static bool
refuse(char *err, size_t size, const char *text, size_t length)
{
	text_put(err, size, "'%.*s' is no stage: write SEQUENCE x TOKENS @ UNTIL, such as 4096x4M@252M, "
	    "TOKENS a multiple of SEQUENCE and each UNTIL after the one before",
	    (int)least_of((int64_t)length, 40), text);
	return false;
}

/* The stages of the schedule: what they leave of the budget, in *left. */
static bool
take_stages(struct ramp *r, const struct plan *p, double *left, char *err, size_t size)
{
	const char *s = p->run.batch_schedule;
	const double budget = *left;
	double done = 0;

	while (*s != '\0' && done < budget) {
		const size_t length = strcspn(s, ","), at = strcspn(s, "@,");
		struct ramp_stage *stage = &r->stage[r->count];
		double until = budget;

		if (r->count == RAMP_STAGES_MAX - 1 || !take_batch(s, at, stage) ||
		    (at < length && (!take_amount(s + at + 1, length - at - 1, 1000, &until) ||
		    until <= done)))
			return refuse(err, size, s, length);
		done += put_steps(stage, smaller(until, budget) - done);
		r->count++;
		s += length;
		s += *s == ',';
	}
	*left = budget - done;
	return true;
}

bool
ramp_of(struct ramp *r, const struct plan *p, char *err, size_t size)
{
	double left = p->training.token_budget * BILLION;
	bool read;

	r->count = 0;
	read = take_stages(r, p, &left, err, size);
	if (!read) {
		r->count = 0;
		left = p->training.token_budget * BILLION;
	}
	if (left > 0 || r->count == 0) {
		struct ramp_stage *own = &r->stage[r->count++];

		own->sequence = p->training.sequence_length;
		own->batch = p->training.global_batch_size;
		put_steps(own, left);
	}
	return read;
}

bool
ramp_is_own(const struct ramp_stage *stage, const struct plan *p)
{
	return stage->sequence == p->training.sequence_length &&
	    stage->batch == p->training.global_batch_size;
}

double
ramp_own_steps(const struct plan *p)
{
	double steps = 0;
	struct ramp r;
	char err[160];

	ramp_of(&r, p, err, sizeof err);
	for (int i = 0; i < r.count; i++)
		if (ramp_is_own(&r.stage[i], p))
			steps += r.stage[i].steps;
	return steps;
}

struct plan
ramp_plan(const struct plan *p, const struct ramp_stage *stage)
{
	struct plan q = *p;

	q.training.sequence_length = stage->sequence;
	q.training.global_batch_size = stage->batch;
	q.run.batch_schedule[0] = '\0';
	return q;
}

struct ramp_place
ramp_place(const struct ramp *r, const struct plan *p, bool rounds)
{
	const double data = p->run.dataset_tokens * BILLION, consumed = (double)p->run.consumed_samples;
	const struct ramp_stage *stage = &r->stage[0];
	struct ramp_place at = { .step = 0 };
	double left = consumed, samples, each;

	for (int i = 0; i < r->count; i++) {
		const bool last = i == r->count - 1;
		const double steps = floor(left / (double)r->stage[i].batch);

		stage = &r->stage[i];
		at.step += last ? steps : smaller(steps, stage->steps);
		if (last || steps < stage->steps)
			break;
		left -= stage->steps * (double)stage->batch;
	}
	samples = data / (double)stage->sequence;
	if (!(samples >= 1))
		return at;
	each = rounds ? ceil(samples / (double)stage->batch - 1e-9) : samples / (double)stage->batch;
	at.epoch = floor(rounds ? at.step / each : consumed / samples);
	at.epoch_step = rounds ? at.step - at.epoch * each :
	    floor((consumed - at.epoch * samples) / (double)stage->batch + 1e-9);
	return at;
}
