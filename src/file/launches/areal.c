/*
 * AReaL: rollouts by SGLang or vLLM beside a trainer, each with a split of its own, "sglang:d4t2" (areal-project/AReaL
 * areal/api/alloc_mode.py, areal/api/cli_args.py, 2026-08); before that both in one, "sglang:d4+fsdp:d8".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/rl_keys.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/named.h"

static const char both_key[] = "allocation_mode";

/* Sizes in the order of their letters; experts and MLPs may have others than attention. */
enum { D, T, P, C, E, SIZES };
struct split {
	char text[96], backend[16]; /* "": not said */
	int64_t size[SIZES], etp;
};

static int64_t
gpus_of(const struct split *s)
{
	return product_of(product_of(s->size[D], s->size[T]), product_of(s->size[P], s->size[C]));
}

/* "d4p1t2", before 2025-08 with m for t, up to what is none of it. */
static const char *
read_sizes(const char *at, int64_t size[SIZES])
{
	static const char letters[] = "dtpcem";

	for (const char *letter; *at != '\0' && (letter = strchr(letters, *at)) != NULL && isdigit((unsigned char)at[1]);) {
		const size_t n = 1 + strspn(at + 1, "0123456789");
		const int64_t number = n < 10 ? strtoll(at + 1, NULL, 10) : 0;

		if (number < 1 || number > PLAN_WORLD_MAX)
			break;
		size[*letter == 'm' ? T : letter - letters] = number;
		at += n;
	}
	return at;
}

/* "fsdp:d4t2" or "megatron:(attn:d4p2t2|ffn:d2p2t4e2)"; a name in brackets behind the backend counts for nothing. */
static bool
read_split(struct split *s)
{
	const size_t n = strcspn(s->text, ":.[(");
	const char *at = s->text[n] == '\0' || s->text[n] == '(' ? s->text : s->text + n, *ffn = strstr(at, "|ffn:");
	const char *attention = strstr(at, "attn:"), *sizes;
	int64_t mlp[SIZES] = { 1, 1, 1, 1, 1 };

	memcpy(s->size, mlp, sizeof mlp);
	s->etp = 1;
	text_put(s->backend, sizeof s->backend, "%.*s", (int)(at - s->text), s->text);
	at += *at == '[' ? strcspn(at, "]") : 0;
	at = attention != NULL ? attention + strlen("attn:") : at + strspn(at, "]:.");
	sizes = at;
	at = read_sizes(at, s->size);
	if (ffn == NULL)
		return *at == '\0' && at > sizes;
	at = at == ffn ? read_sizes(ffn + strlen("|ffn:"), mlp) : "?";
	if (at[strspn(at, ")")] != '\0')
		return false;
	s->size[E] = mlp[E];
	s->etp = mlp[T];
	return true;
}

/* What engines and trainer have, of their own keys or of the one for both, where "+" stands between GPUs of their own and
 * "|" between what shares them; false after a complaint. A text is "" where there is none of it. */
static bool
find_splits(struct import *im, const struct jsonin *j, struct split *rollout, struct split *trainer, bool *shared)
{
	static const char rollouts[] = "rollout.backend", actor[] = "actor.backend";
	const char *both = jsonin_text(j, both_key), *engines = jsonin_text(j, rollouts), *own = jsonin_text(j, actor);
	const size_t n = both != NULL ? strcspn(both, strchr(both, '+') != NULL ? "+" : "|") : 0;
	const bool engine = both != NULL && (strncmp(both, "sglang", 6) == 0 || strncmp(both, "vllm", 4) == 0);

	*shared = settings_is(j, "rollout.scheduling_strategy.type", "colocation") || (engine && own == NULL && both[n] == '|');
	if (engine && engines == NULL)
		text_put(rollout->text, sizeof rollout->text, "%.*s", (int)n, both);
	else if (engines != NULL)
		text_put(rollout->text, sizeof rollout->text, "%s", engines);
	if (own == NULL && both != NULL)
		own = !engine ? both : both[n] != '\0' ? both + n + 1 : NULL;
	text_put(trainer->text, sizeof trainer->text, "%s", own != NULL ? own : "");
	if (own == NULL)
		import_error(im, actor, "no trainer is told (fix: a key such as actor.backend: fsdp:d8)");
	else if (!read_split(trainer))
		import_error(im, jsonin_has(j, actor) ? actor : both_key, "'%s' is no split such as fsdp:d4t2", trainer->text);
	else if (rollout->text[0] != '\0' && !read_split(rollout))
		import_error(im, engines != NULL ? rollouts : both_key, "'%s' is no split such as sglang:d4t2", rollout->text);
	return im->errors->count == 0;
}

static void
take_trainer(struct import *im, const struct jsonin *j, const struct split *s)
{
	static const struct {
		enum field_id field;
		int size;
	} degrees[] = { { FIELD_TP, T }, { FIELD_PP, P }, { FIELD_CP, C } };
	static const char again[] = "actor.gradient_checkpointing";
	const bool megatron = text_equal(s->backend, "megatron") || (s->backend[0] == '\0' && s->size[P] * s->size[E] > 1);
	const char *key = jsonin_has(j, "actor.backend") ? "actor.backend" : both_key;

	import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ? "AReaL's engine of Megatron-LM" :
	    "FSDP2, as AReaL's engines have it");
	if (!megatron)
		import_assume(im, FIELD_ZERO_STAGE, "3", "FSDP2, which shards all");
	for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
		import_set_int(im, degrees[i].field, s->size[degrees[i].size], key);
	if (s->size[E] > 1)
		import_set_int(im, FIELD_EP, s->size[E], key);
	if (s->size[E] > 1 && megatron)
		import_set_int(im, FIELD_ETP, s->etp, key);
	if (megatron && s->size[T] > 1)
		import_assume(im, FIELD_SEQUENCE_PARALLEL, "true", "AReaL's engine of Megatron-LM has it with TP");
	settings_take(im, j, areal_keys, "AReaL");
	settings_take(im, j, megatron ? areal_megatron_keys : areal_fsdp_keys, "AReaL");
	if (megatron && settings_on(j, again))
		settings_take(im, j, areal_recompute_keys, "AReaL");
	import_assume(im, FIELD_PACKING, "true", "AReaL trains on sequences of any length in one row");
}

static void
take_adapters(struct import *im, const struct jsonin *j, bool rollouts)
{
	static const struct tuner names = { .targets = "actor.target_modules", .linear = "all-linear", .usual = "all-linear" };
	static const char rank[] = "actor.lora_rank";

	if (settings_on(j, "actor.use_lora")) {
		import_set(im, FIELD_FINETUNE, "lora", "actor.use_lora");
		settings_set(im, j, FIELD_ADAPTER_RANK, settings_number(j, rank, 32), rank);
		tuning_take_targets(im, j, &names);
	} else if (!rollouts) {
		import_set(im, FIELD_FINETUNE, "full", "actor.use_lora");
	}
}

static void
take_rollouts(struct import *im, const struct jsonin *j)
{
	static const char penalty[] = "actor.kl_ctl", minibatches[] = "actor.ppo_n_minibatches", prompts[] = "train_dataset.max_length";
	const bool old = settings_on(j, "actor.recompute_logprob") || settings_on(j, "actor.use_decoupled_loss");
	const int64_t most = settings_number(j, "gconfig.max_tokens", 32768);
	double kl = 0.1;
	int64_t room;

	import_set(im, FIELD_RL_ALGORITHM, jsonin_has(j, "critic") ? "ppo" : "grpo", jsonin_has(j, "critic") ? "critic" : "gconfig");
	settings_take(im, j, areal_rollout_keys, "AReaL");
	jsonin_real(j, penalty, -1e9, 1e9, &kl);
	settings_say(im, j, FIELD_RL_REFERENCE, kl > 0 && jsonin_has(j, "ref") ? "true" : "false", penalty);
	settings_say(im, j, FIELD_RL_OLD_LOGPROB, old ? "true" : "false", "actor.recompute_logprob");
	room = settings_number(j, prompts, 0) + im->plan->rl.response_limit;
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, jsonin_has(j, prompts) && room < most ? room : most,
	    jsonin_has(j, prompts) && room < most ? prompts : "gconfig.max_tokens");
	settings_lengths(im, "gconfig.max_tokens has room for both");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(im->plan->rl.prompts, im->plan->rl.responses) /
	    most_of(settings_number(j, minibatches, 4), 1), minibatches);
}

static void
take_texts(struct import *im, const struct jsonin *j)
{
	static const char length[] = "train_dataset.max_length", tokens[] = "actor.mb_spec.max_tokens_per_mb", kind[] = "train_dataset.type";
	const bool told = jsonin_has(j, length);

	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, settings_number(j, "train_dataset.batch_size", 1), "train_dataset.batch_size");
	if (told || jsonin_has(j, tokens))
		settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, told ? length : tokens, 0), told ? length : tokens);
	if (settings_is(j, kind, "dpo") || settings_is(j, kind, "rw")) {
		import_set(im, FIELD_RL_ALGORITHM, settings_is(j, kind, "dpo") ? "dpo" : "rm", kind);
		settings_lengths(im, "a row has room for both");
	}
}

/* Engines count stages as TP. */
static void
take_pools(struct import *im, const struct jsonin *j, const struct split *rollout, bool shared)
{
	const char *key = jsonin_has(j, "rollout.backend") ? "rollout.backend" : both_key;

	settings_take(im, j, text_equal(rollout->backend, "vllm") ? areal_vllm_keys : areal_sglang_keys, "AReaL");
	import_set(im, FIELD_ENGINE, rollout->backend, key);
	import_set_int(im, FIELD_ROLLOUT_TP, product_of(rollout->size[T], rollout->size[P]), key);
	if (shared) {
		import_assume(im, FIELD_RL_OFFLOAD, "all", "engines on the trainer's GPUs find nothing of it there");
		import_assume(im, FIELD_ENGINE_SLEEP, "1", "and release their memory");
		return;
	}
	import_set(im, FIELD_RL_PLACEMENT, "split", key);
	import_set_int(im, FIELD_ROLLOUT_GPUS, gpus_of(rollout), key);
}

void
areal_read(struct import *im)
{
	static const char tokens[] = "actor.mb_spec.max_tokens_per_mb";
	struct split rollout = { .text = "" }, trainer = { .text = "" };
	struct jsonin j;
	bool shared;

	if (settings_read(&j, im, NULL)) {
		named_inherit(im, &j);
		if (find_splits(im, &j, &rollout, &trainer, &shared)) {
			const bool rollouts = rollout.text[0] != '\0' && jsonin_has(&j, "gconfig");
			const int64_t gpus = gpus_of(&trainer), world = gpus + (rollouts && !shared ? gpus_of(&rollout) : 0);
			const int64_t node = settings_number(&j, "cluster.n_gpus_per_node", 8);

			settings_checkpoint(im, &j, "actor.path");
			take_trainer(im, &j, &trainer);
			take_adapters(im, &j, rollouts);
			if (rollouts) {
				take_rollouts(im, &j);
				take_pools(im, &j, &rollout, shared);
			} else {
				take_texts(im, &j);
			}
			import_machine(im, im->world > 0 ? im->world : world, 0, node > 0 && world % node == 0 ? node : 0,
			    im->world > 0 ? "--world" : "the backends");
			if (jsonin_has(&j, tokens))
				settings_set(im, &j, FIELD_MICRO_BATCH_SIZE, settings_fitting(im->plan, settings_number(&j, tokens, 0), gpus), tokens);
			settings_rest(im, &j);
		}
	}
	jsonin_free(&j);
}
