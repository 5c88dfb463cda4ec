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

/* How verl prints its configuration (file/launches/logged.h). */
#define VERL_CONFIG "{'actor_rollout_ref': {"

/* The longest response over the mean one, above which it keeps others waiting. */
#define TAIL 2.0

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
		seconds[phase[i].id] += run_value(line, phase[i].key);
	for (int id = 0; id < MEASURED_COUNT; id++)
		run_add(r, (enum measured_id)id, step, seconds[id]);
}

/* "step:2 - perf/mfu/actor:0.31 - response_length/mean:.. - timing_s/gen:74.0 - timing_s/step:96.6" */
TAKES(verl_step)
{
	static const struct phase phases[] = {
		{ "timing_s/gen:", MEASURED_RL_ROLLOUT }, { "timing_s/reward:", MEASURED_RL_REWARD },
		{ "timing_s/old_log_prob:", MEASURED_RL_OLD_LOGPROB },
		{ "timing_s/ref:", MEASURED_RL_REF_LOGPROB }, { "timing_s/values:", MEASURED_RL_CRITIC },
		{ "timing_s/update_critic:", MEASURED_RL_CRITIC },
		{ "timing_s/update_actor:", MEASURED_RL_TRAIN },
		{ "timing_s/update_weights:", MEASURED_RL_SYNC }, { "timing_s/step:", MEASURED_RL_STEP },
	};
	const double longest = run_value(line, "response_length/max:");
	const double mean = run_value(line, "response_length/mean:");
	const double mfu = run_value(line, "perf/mfu/actor:");

	take_phases(r, line, log_integer_after(line, "step:"), phases, sizeof phases / sizeof *phases);
	if (mfu > MFU_MOST)
		run_say(r, EVIDENCE_WRONG_COUNT, line, mfu);
	if (mean > 0 && longest > TAIL * mean)
		run_say(r, EVIDENCE_TAIL, line, longest / mean);
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = run_value(line, "perf/max_memory_allocated_gb:") * GIB,
		.reserved = run_value(line, "perf/max_memory_reserved_gb:") * GIB });
}

/* More of verl's configuration, which Ray puts the same before, "(TaskRunner pid=1) ", while others write between. */
static bool
verl_config_line(struct run_reader *r, const char *line)
{
	const char *first = r->m->launch, *words = strstr(first, VERL_CONFIG);
	const size_t prefix = words != NULL ? (size_t)(words - first) : 0;

	if (words == NULL)
		return false;
	if (strncmp(line, first, prefix) != 0)
		return true;
	if (line[prefix] != ' ')
		return false;
	run_launch(r, line, true);
	return true;
}

TAKES(verl_config)
{
	if (r->m->launch[0] == '\0')
		r->next = verl_config_line;
	run_launch(r, line, false);
}

/* "Global step 3: {'timing/make_experience': .., 'timing/ppo_train': .., ..}" */
TAKES(openrlhf_step)
{
	static const struct phase phases[] = {
		{ "timing/generation", MEASURED_RL_ROLLOUT }, { "timing/ppo_train", MEASURED_RL_TRAIN },
		{ "timing/broadcast", MEASURED_RL_SYNC }, { "timing/step_total", MEASURED_RL_STEP },
	};

	take_phases(r, after, log_integer_after(line, "Global step"), phases,
	    sizeof phases / sizeof *phases);
}

/* "policy_training: 10.97s (30.7%)" after a bullet, a phase a line; both log-probs have lines of their own
 * besides, and what an asynchronous trainer waits for is what is exposed of generation. */
TAKES(nemo_rl_phase)
{
	static const struct phase phases[] = {
		{ "Total step time:", MEASURED_RL_STEP }, { "generation:", MEASURED_RL_ROLLOUT },
		{ "exposed_generation:", MEASURED_RL_ROLLOUT },
		{ "policy_training:", MEASURED_RL_TRAIN },
		{ "policy_and_reference_logprobs:", MEASURED_RL_LOGPROBS },
		{ "policy_logprobs:", MEASURED_RL_OLD_LOGPROB },
		{ "reference_logprobs:", MEASURED_RL_REF_LOGPROB },
		{ "reward_calculation:", MEASURED_RL_REWARD },
		{ "prepare_for_generation/transfer_and_update_weights:", MEASURED_RL_SYNC },
		{ "weight_sync:", MEASURED_RL_SYNC },
	};

	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
		if (strncmp(after, phases[i].key, strlen(phases[i].key)) == 0) {
			r->said[SOURCE_NEMO_RL]++;
			run_add(r, phases[i].id, -1, log_number_after(after, ":"));
		}
}

/* "perf 3: {'perf/step_time': .., 'perf/train_wait_time': .., 'perf/actor_train_time': ..}" */
TAKES(slime_step)
{
	static const struct phase phases[] = {
		{ "perf/step_time", MEASURED_RL_STEP },
		{ "perf/actor_train_time", MEASURED_RL_TRAIN },
		{ "perf/log_probs_time", MEASURED_RL_OLD_LOGPROB },
		{ "perf/ref_log_probs_time", MEASURED_RL_REF_LOGPROB },
		{ "perf/update_weights_time", MEASURED_RL_SYNC },
	};

	take_phases(r, line, -1, phases, sizeof phases / sizeof *phases);
}

/* "perf 0: {'perf/rollout_time': 100.0, ..}", "rollout 0: {.., 'rollout/response_len/mean': ..}"; that
 * of an evaluation is none of a step. */
TAKES(slime_rollout)
{
	const double longest = run_value(line, "response_len/max");
	const double mean = run_value(line, "response_len/mean");

	if (strstr(line, "eval ") != NULL)
		return;
	run_add(r, MEASURED_RL_ROLLOUT, -1, run_value(after, ""));
	if (mean > 0 && longest > TAIL * mean)
		run_say(r, EVIDENCE_TAIL, line, longest / mean);
}

const struct run_row run_rl_rows[] = {
	{ VERL_CONFIG, SOURCE_ASIDE, BY(verl_config) },
	{ "timing_s/gen:", SOURCE_VERL, BY(verl_step) },
	{ "Global step ", SOURCE_OPENRLHF, BY(openrlhf_step) },
	{ "\xe2\x80\xa2 ", SOURCE_ASIDE, BY(nemo_rl_phase) },
	{ "perf/step_time", SOURCE_SLIME, BY(slime_step) },
	{ "perf/rollout_time", SOURCE_SLIME, BY(slime_rollout) },
	{ .words = NULL },
};
