/*
 * prime_rl.c - prime-rl's training on rollouts and on texts (TOML; PrimeIntellect-ai/prime-rl packages/prime-rl-configs: rl.py,
 * sft.py, trainer.py, orchestrator.py and inference.py, defaults; src/prime_rl/trainer/parallel_dims.py: 2026-08).
 */
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/models/checkpoint.h"
#include "file/notation/tomlin.h"

#define MODEL "trainer.model."
#define DEPLOYMENT "deployment."

static const struct settings_key keys[] = {
	{ MODEL "reshard_after_forward", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ MODEL "dp_replicate", FIELD_DP_REPLICATE, NULL, "1" },
	{ MODEL "cp", FIELD_CP, NULL, "1" },
	{ MODEL "ac.mode", FIELD_RECOMPUTE, "full=full|selective=selective", "full" },
	{ MODEL "quantization.type", FIELD_PRECISION, "fp8=fp8|mxfp8=mxfp8", "bf16" },
	{ MODEL "optimization_dtype", FIELD_ADAPTER_DTYPE, "float32=fp32|bfloat16=bf16", "fp32" },
	{ MODEL "reduce_dtype", FIELD_GRAD_DTYPE, "float32=fp32|bfloat16=bf16", NULL },
	{ "trainer.optim.type", FIELD_OPTIMIZER, "adamw=adam|muon=muon|sgd=sgd", "adam" },
	{ NULL, FIELD_NONE, NULL, NULL }
}, rollout_keys[] = {
	{ "orchestrator.train.sampling.max_completion_tokens", FIELD_RL_RESPONSE_LIMIT, NULL, NULL },
	{ "orchestrator.sampling.max_tokens", FIELD_RL_RESPONSE_LIMIT, NULL, NULL }, /* of 2025, as those of inference.model */
	{ "orchestrator.max_off_policy_steps", FIELD_STALENESS, NULL, "8" },
	{ "inference.parallel.tp", FIELD_ROLLOUT_TP, NULL, NULL },
	{ "inference.gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ "inference.model.max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "inference.model.enforce_eager", FIELD_EAGER, NULL, NULL },
	{ "inference.vllm.tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, NULL },
	{ "inference.vllm.gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ "inference.vllm.max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ "inference.vllm.enforce_eager", FIELD_EAGER, NULL, NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
};

static bool
is_off(const struct jsonin *j, const char *key)
{
	bool on;

	return settings_is(j, key, "None") || settings_is(j, key, "none") || (jsonin_bool(j, key, &on) && !on);
}

/* What waits in host memory: by default the optimizer's moments, and inputs of layers that are computed again. */
static void
take_offload(struct import *im, const struct jsonin *j)
{
	static const char states[] = MODEL "optim_cpu_offload", all[] = MODEL "fsdp_cpu_offload", away[] = MODEL "ac_offloading",
	    again[] = MODEL "ac";

	if (is_off(j, again))
		import_set(im, FIELD_RECOMPUTE, "none", again);
	if (!is_off(j, away) && im->plan->training.recompute == RECOMPUTE_FULL)
		text_put(im->away, sizeof im->away, jsonin_has(j, away) ? "%s" : "the default of %s", away);
	if (settings_on(j, all))
		import_set(im, FIELD_OFFLOAD, "optimizer+params", all);
	else
		settings_say(im, j, FIELD_OFFLOAD, is_off(j, states) ? "none" : "optimizer", states);
}

/* A node has 8 GPUs; engines have others than the trainer. How many those of the trainer are. */
static int64_t
take_machine(struct import *im, const struct jsonin *j, bool rollouts)
{
	static const char shared[] = DEPLOYMENT "num_infer_replicas", one[] = "inference.deployment.prefill_nodes_per_replica",
	    other[] = "inference.deployment.decode_nodes_per_replica";
	const int64_t node = settings_number(j, DEPLOYMENT "gpus_per_node", 8);
	const bool several = settings_is(j, DEPLOYMENT "type", "multi_node");
	const int64_t train = several ? product_of(settings_number(j, DEPLOYMENT "num_train_nodes", 2), node) :
	    settings_number(j, DEPLOYMENT "num_train_gpus", 1);
	const int64_t pools = jsonin_has(j, one) || jsonin_has(j, other) ? settings_number(j, one, 1) + settings_number(j, other, 1) : 1;
	const int64_t nodes = settings_number(j, DEPLOYMENT "num_infer_nodes", pools);
	const int64_t infer = !rollouts ? 0 : several ? product_of(product_of(nodes, node), settings_number(j, shared, 1)) :
	    settings_number(j, DEPLOYMENT "num_infer_gpus", 1);

	import_machine(im, train + infer, 0, several || (train + infer) % node == 0 ? node : 0, "deployment");
	if (!rollouts)
		return train;
	import_set(im, FIELD_RL_PLACEMENT, "split", "deployment");
	import_set_int(im, FIELD_ROLLOUT_GPUS, infer, "deployment");
	return train;
}

/* ep = "auto" is 8 of a model with experts where there are as many GPUs. */
static void
take_experts(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char ep[] = MODEL "ep";
	const int64_t island = gpus / most_of(im->plan->parallel.dp_replicate, 1);
	const int64_t usual = im->plan->model.experts == 0 ? 1 : island < 8 ? island : 8;

	settings_set(im, j, FIELD_EP, jsonin_text(j, ep) != NULL ? usual : settings_number(j, ep, usual), ep);
}

static void
take_adapters(struct import *im, const struct jsonin *j)
{
	static const struct tuner names = { .targets = MODEL "lora.target_modules", .linear = "all-linear", .usual = "all-linear" };
	static const char lora[] = MODEL "lora", rank[] = MODEL "lora.rank";

	import_set(im, FIELD_FINETUNE, jsonin_has(j, lora) ? "lora" : "full", lora);
	if (!jsonin_has(j, lora))
		return;
	settings_set(im, j, FIELD_ADAPTER_RANK, settings_number(j, rank, 16), rank);
	tuning_take_targets(im, j, &names);
}

/* Batches count responses, whose groups answer one prompt; rows of the trainer hold any that fit. */
static void
take_rollouts(struct import *im, const struct jsonin *j)
{
	static const char batch[] = "orchestrator.batch_size", length[] = "seq_len", own[] = MODEL "seq_len",
	    tokens[] = "orchestrator.token_batch_size", older[] = "orchestrator.rollouts_per_example";
	const char *group = jsonin_has(j, older) ? older : "orchestrator.group_size";
	const int64_t each = most_of(settings_number(j, group, 1), 1);
	const int64_t longest = settings_number(j, own, settings_number(j, length, 2048));
	const int64_t all = jsonin_has(j, tokens) ? most_of(settings_number(j, tokens, 0) / most_of(longest, 1), each) :
	    settings_number(j, batch, 128);

	import_set(im, FIELD_RL_ALGORITHM, "grpo", "orchestrator");
	import_assume(im, FIELD_ENGINE, "vllm", "prime-rl generates with vLLM");
	import_assume(im, FIELD_RL_REFERENCE, "false", "prime-rl compares with the engine's log-probs alone");
	import_assume(im, FIELD_RL_OLD_LOGPROB, "false", "the engine's log-probs are taken");
	settings_take(im, j, rollout_keys, "prime-rl");
	settings_set(im, j, FIELD_RL_PROMPTS, most_of(all / each, 1), jsonin_has(j, tokens) ? tokens : batch);
	settings_set(im, j, FIELD_RL_RESPONSES, each, group);
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, all, jsonin_has(j, tokens) ? tokens : batch);
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, longest, jsonin_has(j, own) ? own : length);
	settings_lengths(im, "seq_len has room for both");
}

static void
take_texts(struct import *im, const struct jsonin *j)
{
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, "data.seq_len", 128), "data.seq_len");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, settings_number(j, "data.batch_size", 128), "data.batch_size");
	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, settings_number(j, "data.micro_batch_size", 1), "data.micro_batch_size");
}

void
prime_rl_read(struct import *im)
{
	struct jsonin j;

	if (tomlin_parse(&j, im->text, im->name, im->errors)) {
		const bool rollouts = jsonin_has(&j, "orchestrator");
		int64_t gpus;

		if (!rollouts)
			settings_rename(&j, "model=trainer.model|optim=trainer.optim");
		jsonin_watch(&j);
		import_assume(im, FIELD_LAYOUT, "torchtitan", "FSDP2, as prime-rl's trainer has it");
		settings_checkpoint(im, &j, MODEL "name model.name inference.vllm.model inference.model.name orchestrator.model.name");
		plan_resolve(im->plan, im->catalog); /* experts are seen */
		settings_take(im, &j, keys, "prime-rl");
		take_offload(im, &j);
		import_assume(im, FIELD_PACKING, "true", "prime-rl trains on sequences of any length in one row");
		gpus = take_machine(im, &j, rollouts);
		take_experts(im, &j, gpus);
		if (rollouts)
			take_rollouts(im, &j);
		else
			take_texts(im, &j);
		take_adapters(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
