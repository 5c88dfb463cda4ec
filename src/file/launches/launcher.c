#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

/* DeepSpeed's settings, which no trainer shares with them, are taken as if they were all there is. Without any
 * *out is empty. */
static void
take_out(struct jsonin *out, const struct jsonin *j)
{
	json_t *settings = json_object_get(j->root, "deepspeed");

	*out = *j;
	out->root = json_is_object(settings) ? json_incref(settings) : NULL;
	out->text = NULL; /* of another file */
	out->asked = NULL;
	if (out->root == NULL)
		return;
	jsonin_watch(out);
	json_object_set_new(j->root, "deepspeed", json_true());
}

/* A script of one's own that is not at hand: what its launcher is told. Of accelerate, what it computes in too, or else
 * nothing but fp32 (huggingface/accelerate src/accelerate/commands/launch.py). */
static void
take_launcher(struct import *im, struct jsonin *j)
{
	static const char own[] = "the script's, which is not read (fix: --set, --model)", precision[] = "mixed_precision";
	const char *file = jsonin_text(j, "deepspeed_config");
	struct jsonin settings = { .root = NULL };
	int64_t gpus;

	if (file != NULL)
		jsonin_put(j->root, "deepspeed", json_string(file));
	else if (strstr(im->text, "deepspeed ") != NULL && !jsonin_has(j, "deepspeed"))
		jsonin_put(j->root, "deepspeed", json_true());
	json_object_del(j->root, "nproc_per_node"); /* taken as variables are */
	json_object_del(j->root, "nnodes");
	tuning_named(im, j);
	if (file != NULL)
		take_out(&settings, j);
	tuning_framework(im, j);
	if (settings_is(j, precision, "no") || settings_is(j, precision, "fp8"))
		import_set(im, FIELD_PRECISION, settings_is(j, precision, "no") ? "fp32" : "fp8", precision);
	tuning_precision(im, j);
	gpus = tuning_machine(im, j, 1);
	if (settings.root != NULL)
		deepspeed_take(im, &settings, gpus);
	if (!field_is_set(FIELD_GLOBAL_BATCH_SIZE, im->plan))
		import_assume_int(im, FIELD_GLOBAL_BATCH_SIZE, gpus, own);
	tuning_fsdp(im, j, "fsdp", "fsdp_config");
	settings_rest(im, j);
	jsonin_free(&settings);
}

void
launcher_read(struct import *im)
{
	static const char programs[] = "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed";
	struct jsonin j;

	if (words_read(&j, im, programs, true)) {
		if (!tuning_script(&j, im))
			take_launcher(im, &j);
		else if (jsonin_text(&j, TUNING_METHOD) != NULL)
			tuning_trl(im, &j);
		else
			tuning_trainer(im, &j);
	}
	jsonin_free(&j);
}
