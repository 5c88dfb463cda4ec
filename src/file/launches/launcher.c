#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

/* A script of one's own: what its launcher is told. Of accelerate, what it computes in too, or else nothing
 * but fp32 (huggingface/accelerate src/accelerate/commands/launch.py). */
void
launcher_read(struct import *im)
{
	static const char programs[] = "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed";
	static const char own[] = "the script's, which is not read (fix: --set, --model)", precision[] = "mixed_precision";
	struct jsonin j;

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
		import_assume_int(im, FIELD_GLOBAL_BATCH_SIZE, tuning_machine(im, &j, 1), own);
		tuning_fsdp(im, &j, "fsdp", "fsdp_config");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
