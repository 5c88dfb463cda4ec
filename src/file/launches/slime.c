/* slime: rollouts by SGLang, training by Megatron-LM, whose arguments stand beside its own. */
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "file/launches/launches.h"
#include "file/launches/megatron_args.h"
#include "file/launches/megatron_log.h"
#include "file/launches/rl_keys.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"

static void
take_rows(struct megatron_args *a)
{
	char flag[64], ours[64];

	for (const struct settings_key *key = slime_keys; key->path != NULL; key++) {
		const char *value;

		text_put(flag, sizeof flag, "--%s", key->path);
		if (!megatron_has(a, flag))
			continue;
		a->im->line = megatron_arg(a, flag)->line;
		value = megatron_arg(a, flag)->values == 0 ? "true" : megatron_text(a, flag, NULL);
		if (value == NULL)
			continue;
		if (key->words == NULL)
			import_set(a->im, key->field, value, flag);
		else if (settings_ours(key->words, value, strcmp, ours, sizeof ours))
			import_set(a->im, key->field, ours, flag);
	}
}

static void
take_algorithm(struct megatron_args *a)
{
	static const char estimator[] = "--advantage-estimator", loss[] = "--use-kl-loss", reward[] = "--kl-coef";
	const bool ppo = megatron_is(a, estimator, "ppo");
	double kl = 0;

	text_to_real(megatron_text(a, reward, "0"), &kl);
	if (megatron_has(a, estimator))
		import_set(a->im, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	else
		import_assume(a->im, FIELD_RL_ALGORITHM, "grpo", "slime's default");
	if (megatron_has(a, estimator) && !ppo && !megatron_is(a, estimator, "grpo"))
		import_ignore(a->im, estimator, "a plan has no such estimator: without a critic, as grpo");
	if (megatron_has(a, loss) || kl > 0 || kl < 0)
		import_set(a->im, FIELD_RL_REFERENCE, "true", megatron_has(a, loss) ? loss : reward);
	else
		import_assume(a->im, FIELD_RL_REFERENCE, "false", "neither --use-kl-loss nor --kl-coef");
	import_assume(a->im, FIELD_ENGINE, "sglang", "slime generates with SGLang");
}

/* GPUs of the trainer, and those of the engines where they are others. */
static void
take_pools(struct megatron_args *a)
{
	static const char colocated[] = "--colocate";
	const int64_t nodes = megatron_int(a, "--actor-num-nodes", 1), gpus = megatron_int(a, "--actor-num-gpus-per-node", 8);
	const bool split = !megatron_has(a, colocated);
	const int64_t rollout = split ? megatron_int(a, "--rollout-num-gpus", product_of(nodes, gpus)) : 0;

	megatron_number(a, FIELD_ROLLOUT_TP, megatron_int(a, "--rollout-num-gpus-per-engine", 1), "--rollout-num-gpus-per-engine");
	settings_machine(a->im, nodes, gpus, rollout, "--actor-num-nodes and --actor-num-gpus-per-node");
	if (!split) {
		import_assume(a->im, FIELD_RL_OFFLOAD, "all", "--colocate puts all state of the trainer on the host");
		import_assume(a->im, FIELD_ENGINE_SLEEP, "1", "--colocate releases the engine's memory");
		return;
	}
	import_set(a->im, FIELD_RL_PLACEMENT, "split", "--rollout-num-gpus");
	megatron_number(a, FIELD_ROLLOUT_GPUS, rollout, "--rollout-num-gpus");
	import_set(a->im, FIELD_STALENESS, strstr(a->im->text, "train_async.py") != NULL ? "1" : "0", "train.py");
}

/* Sequences are as long as prompt and response; --seq-length is a placeholder there. */
static void
take_lengths(struct megatron_args *a)
{
	static const char most[] = "--rollout-max-context-len", prompt[] = "--rollout-max-prompt-len";
	const struct rl *rl = &a->im->plan->rl;

	if (megatron_has(a, most))
		megatron_number(a, FIELD_SEQUENCE_LENGTH, megatron_int(a, most, 0), most);
	else
		import_assume_int(a->im, FIELD_SEQUENCE_LENGTH, megatron_int(a, prompt, rl->prompt_tokens) + rl->response_limit,
		    "prompt and response");
	settings_lengths(a->im, "the longest prompt and response");
}

/* A step trains on so many responses; micro-batches hold as many of the longest as go into
 * --max-tokens-per-gpu. */
static void
take_batch(struct megatron_args *a)
{
	static const char steps[] = "--num-steps-per-rollout", tokens[] = "--max-tokens-per-gpu";
	const struct plan *p = a->im->plan;
	const int64_t all = product_of(p->rl.prompts, p->rl.responses);
	const int64_t gpus = plan_world(p) - (p->rl.placement == RL_SPLIT ? p->rl.rollout_gpus : 0);

	if (megatron_has(a, steps) || !megatron_has(a, "--global-batch-size"))
		megatron_number(a, FIELD_GLOBAL_BATCH_SIZE, all / most_of(megatron_int(a, steps, 1), 1), steps);
	if (megatron_has(a, "--use-dynamic-batch-size") && megatron_has(a, tokens))
		megatron_number(a, FIELD_MICRO_BATCH_SIZE, settings_fitting(p, product_of(megatron_int(a, tokens, 0), p->parallel.cp),
		    gpus), tokens);
}

static void
take_rollouts(struct megatron_args *a)
{
	take_rows(a);
	take_algorithm(a);
	take_pools(a);
	take_lengths(a);
	take_batch(a);
	if (megatron_text(a, "--max-position-embeddings", NULL) != NULL && megatron_arg(a, "--max-position-embeddings")->line == 0) {
		field_mark(FIELD_MAX_POSITION, a->im->plan, false); /* the placeholder: the model's own counts */
		notes_drop(&a->im->taken, "model.max_position = ");
	}
	import_assume(a->im, FIELD_PACKING, "true", "slime trains on sequences of any length in one row");
}

/* The last directory of a path, whose beginning only a run may tell; "" where it is that itself. */
static const char *
last_name(const char *path, char name[128])
{
	size_t end = strlen(path), begin;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/';)
		begin--;
	text_put(name, 128, "%.*s", (int)(end - begin), path + begin);
	if (strpbrk(name, "$`") != NULL)
		name[0] = '\0';
	return name;
}

/* Sizes are in a file of their own, which may not be there, and layers with experts may come of a loop over
 * them: then those of the checkpoint's name count. */
static void
take_model(struct megatron_args *a)
{
	static const char checkpoint[] = "--hf-checkpoint", layers[] = "--moe-layer-freq";
	const struct megatron_arg *name = megatron_arg(a, checkpoint), *freq = megatron_arg(a, layers);
	char last[128];
	const bool whole = megatron_has(a, "--num-layers") && (freq == NULL || freq->values == 0 || !freq->value[0].unknown);

	if (whole || name == NULL || name->values != 1 || !import_known(a->im, last_name(name->value[0].text, last), checkpoint)) {
		import_own_model(a->im);
		return;
	}
	a->named = true;
	plan_resolve(a->im->plan, a->im->catalog); /* rules see the sizes */
	notes_add(&a->im->assumed, "all sizes of the model: the catalogue's, as %s", freq != NULL && freq->values > 0 &&
	    freq->value[0].unknown ? "only a run tells --moe-layer-freq" : "no argument tells them");
}

void
slime_read(struct import *im)
{
	/* slime/backends/megatron_utils/arguments.py, _set_default_megatron_args; slime/utils/arguments.py */
	static const char *const usual[][2] = {
		{ "--seq-length", "4096" }, { "--max-position-embeddings", "4096" }, { "--micro-batch-size", "1" },
		{ "--use-distributed-optimizer", NULL }, { "--bf16", NULL },
		{ "--no-create-attention-mask-in-dataloader", NULL },
	};
	static const char own[] = "--advantage-estimator --use-kl-loss --kl-coef --actor-num-nodes --actor-num-gpus-per-node "
	    "--rollout-num-gpus --colocate --rollout-max-prompt-len --num-steps-per-rollout --max-tokens-per-gpu "
	    "--use-dynamic-batch-size --rollout-batch-size --n-samples-per-prompt --rollout-max-response-len "
	    "--rollout-max-context-len --sglang-mem-fraction-static --sglang-max-running-requests "
	    "--sglang-chunked-prefill-size --use-rollout-logprobs --rollout-num-gpus-per-engine --num-gpus-per-node";
	const struct megatron_launcher slime = { own, take_rollouts };
	struct megatron_args a;
	struct megatron_log log;

	megatron_log_begin(&log, im);
	import_fill(im, FIELD_LAYOUT, "megatron");
	if (megatron_args_read(&a, im)) {
		take_model(&a);
		for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
			if (!megatron_has(&a, usual[i][0]) && !(i == 4 && megatron_has(&a, "--fp16")))
				megatron_args_add(&a, usual[i][0], usual[i][1]);
		megatron_take(&a, &slime);
		megatron_args_tell_added(&a, "slime");
	}
	megatron_args_free(&a);
	megatron_log_end(&log, im);
}
