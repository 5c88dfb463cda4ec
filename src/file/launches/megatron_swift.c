/* Megatron-SWIFT: flags of Megatron-LM with names of ms-swift's (modelscope/ms-swift swift/megatron/arguments,
 * docs/source_en/Megatron-SWIFT). */
#include <jansson.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

static const char rollout_gpus[] = "rollout.gpus";

/* With Ray the trainer's settings and the engines' stand in sections of their own, with their GPUs. */
static void
put_ray(struct jsonin *j)
{
	json_t *train = json_object_get(j->root, "train"), *gpus = json_object_get(train, "gpus");

	if (!json_is_integer(gpus))
		return;
	json_object_set(j->root, WORDS_PROCESSES, gpus);
	json_object_del(train, "gpus");
	json_object_update(j->root, train);
	json_object_del(j->root, "train");
	json_object_update_missing(j->root, json_object_get(j->root, "rollout"));
}

/* Groups of GPUs that work on both in turn, or the engines have some of their own. */
static void
take_pool(struct import *im, const struct jsonin *j)
{
	const int64_t gpus = settings_number(j, rollout_gpus, 0);

	if (gpus <= 0 || jsonin_has(j, "colocate_groups") || !plan_has_rollouts(im->plan))
		return;
	import_set(im, FIELD_RL_PLACEMENT, "split", rollout_gpus);
	import_set_int(im, FIELD_ROLLOUT_GPUS, gpus, rollout_gpus);
}

/* Formats of products, of a word and a recipe; a recipe alone says nothing. */
static void
take_precision(struct import *im, const struct jsonin *j)
{
	static const char recipe[] = "fp8_recipe";

	tuning_precision(im, j);
	if (jsonin_text(j, "fp4_format") != NULL)
		import_set(im, FIELD_PRECISION, "nvfp4", "fp4_format");
	else if (jsonin_text(j, "fp8_format") != NULL)
		import_set(im, FIELD_PRECISION, settings_is(j, recipe, "blockwise") ? "fp8-block" :
		    settings_is(j, recipe, "mxfp8") ? "mxfp8" : "fp8", jsonin_has(j, recipe) ? recipe : "fp8_format");
}

/* Experts and the loss, of several keys each; layers that predict further tokens are loaded where it is asked. */
static void
take_layers(struct import *im, const struct jsonin *j)
{
	static const char dispatcher[] = "moe_token_dispatcher_type", fusion[] = "cross_entropy_loss_fusion",
		mtp[] = "mtp_num_layers";
	const bool fused = !jsonin_has(j, fusion) || settings_on(j, fusion);
	struct plan known = *im->plan;

	plan_resolve(&known, im->catalog);
	settings_say(im, j, FIELD_CROSS_ENTROPY, !fused ? "unfused" : settings_is(j, "cross_entropy_fusion_impl", "te") ?
	    "te" : "native", fusion);
	if (known.model.experts > 0)
		settings_say(im, j, FIELD_MOE_DISPATCHER, settings_is(j, dispatcher, "flex") ? "deepep" :
		    settings_is(j, dispatcher, "allgather") ? "allgather" : "alltoall", dispatcher);
	if (known.model.mtp_layers > 0 && !jsonin_has(j, mtp))
		settings_say(im, j, FIELD_MTP_LAYERS, "0", mtp);
}

/* Batches of rollouts count responses. */
void
megatron_swift_read(struct import *im)
{
	const struct tuner *d = &tuner_megatron_swift;
	struct jsonin j;

	if (settings_read(&j, im, d->commands)) {
		const struct parallel *p = &im->plan->parallel;

		put_ray(&j);
		if (!jsonin_has(&j, "model") && !jsonin_has(&j, "mcore_model")) /* what 3.8 calls so was loaded before */
			settings_rename(&j, "load=mcore_model");
		settings_rename(&j, d->older);
		import_assume(im, FIELD_LAYOUT, "megatron", "Megatron-SWIFT trains with Megatron-LM");
		settings_checkpoint(im, &j, "model mcore_model");
		settings_take(im, &j, d->keys, d->program);
		if (p->tp == 1 && p->sequence_parallel) /* as Megatron-LM does (training/arguments.py) */
			import_assume(im, FIELD_SEQUENCE_PARALLEL, "false", "TP is 1");
		take_precision(im, &j);
		take_layers(im, &j);
		tuning_adapters(im, &j, d);
		tuning_take_method(im, &j, tuner_swift.rollouts, jsonin_text(&j, "rlhf_type"), "rlhf_type");
		take_pool(im, &j);
		tuning_machine(im, &j, product_of(p->pp, product_of(p->tp, p->cp)));
		tuning_take_groups(im, &j, tuner_swift.rollouts);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
