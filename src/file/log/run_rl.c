/*
 * Programs that train on rollouts, and what they say of their phases: verl trainer/ppo/
 * metric_utils.py (timing_s/, perf/), OpenRLHF trainer/ppo_trainer.py (timing/), NeMo-RL
 * algorithms/grpo.py (print_performance_metrics), slime utils/timer.py (perf/).
 */
#include <string.h>

#include "core/base/number.h"
#include "file/log/run_rows.h"

/* A count of FLOP, or a peak, that is wrong: no step comes near. */
#define MFU_MOST 0.75

/* The longest response over the mean one, above which it keeps others waiting. */
#define TAIL 2.0

/* The number after a key as Python prints it: "74.0", ": 74.0", "np.float64(74.0)". */
static double
value_after(const char *line, const char *key)
{
	const char *at = line != NULL ? log_after(line, key) : NULL;

	if (at == NULL)
		return 0;
	at += strspn(at, "'\": ");
	if (strncmp(at, "np.float", 8) == 0)
		at += strcspn(at, "(") + 1;
	return log_number_after(at, "");
}

struct phase {
	const char *key;
	enum measured_id id;
};

/* Each key that the line has; several of one phase add up. */
static void
take_phases(struct run_reader *r, const char *line, int64_t step, const struct phase *phase,
    size_t n)
{
	double seconds[MEASURED_COUNT] = { 0 };

	for (size_t i = 0; i < n; i++)
		seconds[phase[i].id] += value_after(line, phase[i].key);
	for (int id = 0; id < MEASURED_COUNT; id++)
		run_add(r, (enum measured_id)id, step, seconds[id]);
}

/* "step:2 - perf/mfu/actor:0.31 - response_length/mean:.. - timing_s/gen:74.0 - timing_s/step:96.6" */
static void
verl_step(struct run_reader *r, const char *line, const char *after)
{
	static const struct phase phases[] = {
		{ "timing_s/gen:", MEASURED_RL_ROLLOUT }, { "timing_s/reward:", MEASURED_RL_REWARD },
		{ "timing_s/old_log_prob:", MEASURED_RL_OLD_LOGPROB },
		{ "timing_s/ref:", MEASURED_RL_REF_LOGPROB }, { "timing_s/values:", MEASURED_RL_CRITIC },
		{ "timing_s/update_critic:", MEASURED_RL_CRITIC },
		{ "timing_s/update_actor:", MEASURED_RL_TRAIN },
		{ "timing_s/update_weights:", MEASURED_RL_SYNC }, { "timing_s/step:", MEASURED_RL_STEP },
	};
	const double longest = value_after(line, "response_length/max:");
	const double mean = value_after(line, "response_length/mean:");
	const double mfu = value_after(line, "perf/mfu/actor:");

	(void)after;
	take_phases(r, line, log_integer_after(line, "step:"), phases, sizeof phases / sizeof *phases);
	if (mfu > MFU_MOST)
		run_say(r, EVIDENCE_WRONG_COUNT, line, mfu);
	if (mean > 0 && longest > TAIL * mean)
		run_say(r, EVIDENCE_TAIL, line, longest / mean);
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = value_after(line, "perf/max_memory_allocated_gb:") * GIB,
		.reserved = value_after(line, "perf/max_memory_reserved_gb:") * GIB });
}

/* "Global step 3: {'timing/make_experience': .., 'timing/ppo_train': .., ..}" */
static void
openrlhf_step(struct run_reader *r, const char *line, const char *after)
{
	static const struct phase phases[] = {
		{ "timing/generation", MEASURED_RL_ROLLOUT }, { "timing/ppo_train", MEASURED_RL_TRAIN },
		{ "timing/broadcast", MEASURED_RL_SYNC }, { "timing/step_total", MEASURED_RL_STEP },
	};

	take_phases(r, after, log_integer_after(line, "Global step"), phases,
	    sizeof phases / sizeof *phases);
}

static void
nemo_rl_step(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_RL_STEP, -1, log_number_after(after, ""));
}

static void
nemo_rl_rollout(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_RL_ROLLOUT, -1, log_number_after(after, ""));
}

static void
nemo_rl_train(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_RL_TRAIN, -1, log_number_after(after, ""));
}

static void
nemo_rl_logprobs(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_RL_OLD_LOGPROB, -1, log_number_after(after, ""));
}

/* "perf 3: {'perf/step_time': .., 'perf/train_wait_time': .., 'perf/actor_train_time': ..}" */
static void
slime_step(struct run_reader *r, const char *line, const char *after)
{
	static const struct phase phases[] = {
		{ "perf/rollout_time", MEASURED_RL_ROLLOUT }, { "perf/step_time", MEASURED_RL_STEP },
		{ "perf/actor_train_time", MEASURED_RL_TRAIN },
		{ "perf/log_probs_time", MEASURED_RL_OLD_LOGPROB },
		{ "perf/ref_log_probs_time", MEASURED_RL_REF_LOGPROB },
		{ "perf/update_weights_time", MEASURED_RL_SYNC },
	};

	(void)after;
	take_phases(r, line, -1, phases, sizeof phases / sizeof *phases);
}

const struct run_row run_rl_rows[] = {
	{ "timing_s/gen:", SOURCE_VERL, verl_step },
	{ "Global step ", SOURCE_OPENRLHF, openrlhf_step },
	{ "Total step time:", SOURCE_NEMO_RL, nemo_rl_step },
	{ "\xe2\x80\xa2 generation:", SOURCE_NEMO_RL, nemo_rl_rollout },
	{ "\xe2\x80\xa2 policy_training:", SOURCE_NEMO_RL, nemo_rl_train },
	{ "\xe2\x80\xa2 policy_and_reference_logprobs:", SOURCE_NEMO_RL, nemo_rl_logprobs },
	{ "perf/step_time", SOURCE_SLIME, slime_step },
	{ .words = NULL },
};
