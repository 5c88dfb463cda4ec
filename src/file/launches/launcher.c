#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

/* Batches that DeepSpeed's file says: the whole one, or that of a GPU, as often as it accumulates. */
static bool
take_batches(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char all[] = "deepspeed.train_batch_size", one[] = "deepspeed.train_micro_batch_size_per_gpu";
	int64_t batch = 0, micro = 0, rounds = 1;

	jsonin_int(j, all, 1, INT32_MAX, &batch);
	jsonin_int(j, one, 1, INT32_MAX, &micro);
	jsonin_int(j, "deepspeed.gradient_accumulation_steps", 1, INT32_MAX, &rounds);
	if (micro > 0)
		import_set_int(im, FIELD_MICRO_BATCH_SIZE, micro, one);
	if (batch > 0)
		import_set_int(im, FIELD_GLOBAL_BATCH_SIZE, batch, all);
	else if (micro > 0 && micro <= INT32_MAX / rounds && micro * rounds <= INT64_MAX / gpus)
		import_set_int(im, FIELD_GLOBAL_BATCH_SIZE, micro * rounds * gpus, one);
	return batch > 0 || micro > 0;
}

/* A script of one's own: what its launcher is told. Of accelerate, what it computes in too, or else nothing
 * but fp32 (huggingface/accelerate src/accelerate/commands/launch.py). */
void
launcher_read(struct import *im)
{
	static const char programs[] = "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed";
	static const char own[] = "the script's, which is not read (fix: --set, --model)", precision[] = "mixed_precision";
	struct jsonin j;
	int64_t gpus;

	if (words_read(&j, im, programs, true)) {
		const char *file = jsonin_text(&j, "deepspeed_config");

		if (file != NULL)
			jsonin_put(j.root, "deepspeed", json_string(file));
		else if (strstr(im->text, "deepspeed ") != NULL && !jsonin_has(&j, "deepspeed"))
			jsonin_put(j.root, "deepspeed", json_true());
		json_object_del(j.root, "nproc_per_node"); /* taken as variables are */
		json_object_del(j.root, "nnodes");
		tuning_named(im, &j);
		tuning_framework(im, &j);
		if (settings_is(&j, precision, "no") || settings_is(&j, precision, "fp8"))
			import_set(im, FIELD_PRECISION, settings_is(&j, precision, "no") ? "fp32" : "fp8", precision);
		tuning_precision(im, &j);
		if (settings_on(&j, "deepspeed.fp16.enabled"))
			import_set(im, FIELD_PRECISION, "fp16", "deepspeed.fp16.enabled");
		else if (settings_on(&j, "deepspeed.bf16.enabled"))
			import_set(im, FIELD_PRECISION, "bf16", "deepspeed.bf16.enabled");
		gpus = tuning_machine(im, &j, 1);
		if (!take_batches(im, &j, gpus))
			import_assume_int(im, FIELD_GLOBAL_BATCH_SIZE, gpus, own);
		tuning_fsdp(im, &j, "fsdp", "fsdp_config");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
