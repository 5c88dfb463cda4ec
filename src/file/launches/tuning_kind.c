#include "core/base/text.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"

/* Adapters of PEFT besides LoRA's: LLaMA-Factory src/llamafactory/hparams/finetuning_args.py; modelscope/ms-swift
 * docs/source_en/Instruction/Command-line-parameters.md. */
static const struct kind {
	const char *method, *word, *tuner, *rank, *usual, *targets;
} kinds[] = {
	{ "finetuning_type", "oft", "oft", "oft_block_size", "32", "oft_target" },
	{ "tuner_type", "adalora", "adalora", "adalora_init_r", "12", NULL },
	{ "tuner_type", "vera", "vera", "vera_rank", "256", NULL },
	{ "tuner_type", "ia3", "ia3", NULL, NULL, NULL },
};

static const struct kind *
find_kind(const struct tuner *d, const char *word)
{
	for (size_t i = 0; word != NULL && i < sizeof kinds / sizeof *kinds; i++)
		if (text_equal(kinds[i].method, d->method) && text_equal(kinds[i].word, word))
			return &kinds[i];
	return NULL;
}

bool
tuning_kind(struct import *im, const struct jsonin *j, struct tuner *d)
{
	const struct kind *kind = find_kind(d, jsonin_text(j, d->method));
	struct settings_key rank[] = { { NULL, FIELD_ADAPTER_RANK, NULL, NULL }, { NULL, FIELD_NONE, NULL, NULL } };

	if (kind == NULL)
		return false;
	settings_say(im, j, FIELD_FINETUNE, "lora", d->method);
	settings_say(im, j, FIELD_TUNER, kind->tuner, d->method);
	rank[0].path = kind->rank;
	rank[0].absent = kind->usual;
	if (kind->rank != NULL)
		settings_take(im, j, rank, d->program);
	if (kind->targets != NULL)
		d->targets = kind->targets;
	return true;
}
