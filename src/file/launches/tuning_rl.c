/* What trainers of Hugging Face's models run on preferences and on rollouts. */
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "core/plan/plan.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/plan/pathname.h"
#include "file/source/words.h"

/* axolotl src/axolotl/core/builders/rl.py, train.py (setup_reference_model); LLaMA-Factory src/llamafactory/hparams/
 * finetuning_args.py (use_ref_model); modelscope/ms-swift swift/arguments/rlhf_args.py; huggingface/trl trl/experimental/kto,
 * orpo, cpo. */
static const struct {
	const char *word, *algorithm; /* of a plan; NULL: none is like it */
	bool refers;
	const char *left;             /* out of the estimate, "" nothing */
} methods[] = {
	{ "dpo", "dpo", true, "" },
	{ "ipo", "dpo", true, "" },
	{ "rm", "rm", true, "" },
	{ "reward", "rm", true, "" },
	{ "orpo", "dpo", false, "" },
	{ "simpo", "dpo", false, "" },
	{ "cpo", "dpo", false, "" },
	{ "kto", NULL, true, "planned as fine-tuning on single responses; left out: the reference model, a second copy of the "
	    "weights unless adapters alone are trained, its pass, and passes over mismatched responses for the KL term" },
	{ "ppo", NULL, true, "planned as fine-tuning; left out: rollouts, the reference, the reward and the value model" },
	{ "grpo", NULL, true, "planned as fine-tuning; left out: rollouts, and the reference model where there is one" },
	{ "gdpo", NULL, true, "planned as fine-tuning; left out: rollouts, and the reference model where there is one" },
	{ "gkd", NULL, false, "planned as fine-tuning; left out: the teacher, and rollouts; there is no reference model" },
	{ "ebft", NULL, false, "planned as fine-tuning; left out: rollouts and the frozen network of features; there is no "
	    "reference model" },
};

/* ---- rollouts ----------------------------------------------------------------------------- */

static bool
is_grouped(const char *word)
{
	return strcasecmp(word, "grpo") == 0 || strcasecmp(word, "gdpo") == 0;
}

static bool
says(const struct jsonin *j, const struct tuner_rollouts *r, const char *name)
{
	char key[64];

	return settings_on(j, tuning_rollout_key(key, r, name));
}

/* Without the weight of its term TRL loads no reference (trl/trainer/grpo_trainer.py). */
static void
take_reference(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r)
{
	double weight = r->refers;
	char key[64];

	for (int64_t i = 0; text_choice(r->beta, i, key, sizeof key); i++)
		if (jsonin_real(j, key, -1e9, 1e9, &weight))
			break;
	text_choice(r->beta, 0, key, sizeof key);
	settings_say(im, j, FIELD_RL_REFERENCE, weight > 0 || weight < 0 ? "true" : "false", key);
}

/* A server has GPUs of its own, with as many engines as it says. */
static void
take_server(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r, const char *mode)
{
	const int64_t engines = r->replicas != NULL ? settings_number(j, r->replicas, 1) : 1;
	char key[64];

	settings_say(im, j, FIELD_RL_PLACEMENT, "split", mode);
	if (!field_is_set(FIELD_GPU_MEMORY_UTILIZATION, im->plan) || r->replicas == NULL)
		import_assume(im, FIELD_GPU_MEMORY_UTILIZATION, "0.9", "the server's default");
	if (r->replicas != NULL)
		settings_set(im, j, FIELD_ROLLOUT_GPUS, product_of(most_of(engines, 1), most_of(im->plan->rl.rollout_tp, 1)),
		    r->replicas);
	else
		import_assume_int(im, FIELD_ROLLOUT_GPUS, 1, "the server's command says (fix: --set)");
	if (says(j, r, "async_prefetch") || says(j, r, "use_data_producer"))
		settings_set(im, j, FIELD_STALENESS, settings_number(j, tuning_rollout_key(key, r, "prefetch_depth"), 1), key);
}

static void
take_engine(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r)
{
	const char *mode;
	char key[64];

	if (!says(j, r, "use_vllm")) {
		import_ignore(im, tuning_rollout_key(key, r, "use_vllm"), "the trainer itself generates, with Hugging Face's modules: the plan "
		    "has an engine beside it, which is faster and takes memory of its own");
		return;
	}
	mode = jsonin_text(j, tuning_rollout_key(key, r, "vllm_mode"));
	if (mode != NULL ? text_equal(mode, "server") : r->serves)
		take_server(im, j, r, key);
}

/* Completions of one generation, in groups; of updates with other ones, or where the engine's chances are
 * corrected, the trainer evaluates them again (trl/trainer/grpo_trainer.py, old_per_token_logps). */
void
tuning_take_groups(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r)
{
	static const char corrects[] = "vllm_importance_sampling_correction";
	const int64_t update = im->plan->training.global_batch_size, group = im->plan->rl.responses;
	int64_t prompts, steps = settings_number(j, TUNING_STEPS, 1), made, iterations;
	char key[64];
	bool corrected;

	if (!plan_has_rollouts(im->plan))
		return;
	made = update / most_of(steps, 1) * settings_number(j, tuning_rollout_key(key, r, "steps_per_generation"), most_of(steps, 1));
	made = settings_number(j, tuning_rollout_key(key, r, "generation_batch_size"), made);
	prompts = made / most_of(group, 1);
	if (prompts < 1 || made % group != 0) {
		import_error(im, tuning_rollout_key(key, r, "num_generations"), "%lld completions of a step are no whole number of groups of "
		    "%lld (fix: --world with the GPUs of all)", (long long)made, (long long)group);
		return;
	}
	settings_set(im, j, FIELD_RL_PROMPTS, prompts, key);
	iterations = settings_number(j, tuning_rollout_key(key, r, "num_iterations"), 1);
	corrected = r->evaluates || (says(j, r, "use_vllm") && (!jsonin_has(j, tuning_rollout_key(key, r, corrects)) || says(j, r, corrects)));
	settings_say(im, j, FIELD_RL_OLD_LOGPROB, corrected || iterations > 1 || made != update ? "true" : "false",
	    tuning_rollout_key(key, r, corrects));
}

/* Rows have room for the longest prompt and the longest response, whatever a length of texts says. */
static void
take_rollouts(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r, const char *source)
{
	import_set(im, FIELD_RL_ALGORITHM, "grpo", source);
	settings_take(im, j, r->keys, "TRL");
	take_reference(im, j, r);
	take_engine(im, j, r);
	import_assume_int(im, FIELD_SEQUENCE_LENGTH, im->plan->rl.prompt_tokens + im->plan->rl.response_limit,
	    "a prompt and max_completion_length");
	settings_lengths(im, "a row has room for both");
}

/* ---- preferences -------------------------------------------------------------------------- */

void
tuning_take_method(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r, const char *word,
    const char *source)
{
	if (word == NULL || text_equal(word, "sft") || text_equal(word, "pt"))
		return;
	if (r != NULL && is_grouped(word)) {
		take_rollouts(im, j, r, source);
		return;
	}
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (strcasecmp(word, methods[i].word) != 0)
			continue;
		if (methods[i].algorithm == NULL) {
			import_ignore(im, source, methods[i].left);
			return;
		}
		import_set(im, FIELD_RL_ALGORITHM, methods[i].algorithm, source);
		if (!methods[i].refers)
			import_set(im, FIELD_RL_REFERENCE, "false", source);
		settings_lengths(im, "a row has room for both");
		return;
	}
	import_ignore(im, source, "no method that a plan has: planned as fine-tuning, whatever models it has beside that are left out");
}

const char *
tuning_script_method(const struct jsonin *j)
{
	static const char *const words[] = { "orpo", "simpo", "dpo", "grpo", "kto", "reward" };
	const char *script = jsonin_text(j, WORDS_SCRIPT);

	for (size_t i = 0; script != NULL && i < sizeof words / sizeof *words; i++)
		if (strstr(pathname_last(script), words[i]) != NULL)
			return words[i];
	return NULL;
}
