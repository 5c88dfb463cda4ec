#include "core/framework/checkpoints.h"

#include "core/base/text.h"
#include "core/framework/framework.h"

#define M RULES_MEGATRON
#define D RULES_DEEPSPEED
#define T RULES_TORCHTITAN
#define O RULES_NANOTRON
#define S RULES_SEED

static const struct checkpoint_format formats[] = {
#define CHECKPOINT(name, sets, writes, gathers, async, staged, source) \
	{ name, sets, WRITER_##writes, gathers, async, staged, source },
#include "core/framework/checkpoints.def"
#undef CHECKPOINT
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Hugging Face's Trainer without DeepSpeed's shards. */
static bool
is_plain_trainer(const struct plan *p)
{
	return p->parallel.layout == LAYOUT_DEEPSPEED && p->parallel.zero_stage == 0 &&
	    p->finetune.method != FINETUNE_NONE;
}

const struct checkpoint_format *
checkpoint_format_of(const struct plan *p)
{
	const char *name = p->run.checkpoint_format;

	if (name[0] == '\0' && is_plain_trainer(p))
		name = "safetensors";
	for (int i = 0; i < FORMATS; i++)
		if ((formats[i].sets & framework_rules(p)) != 0 &&
		    (name[0] == '\0' || text_equal(name, formats[i].name)))
			return &formats[i];
	return NULL;
}

void
checkpoint_formats(const struct plan *p, char *buf, size_t size)
{
	buf[0] = '\0';
	for (int i = 0; i < FORMATS; i++)
		if ((formats[i].sets & framework_rules(p)) != 0)
			text_add(buf, size, "%s%s", buf[0] != '\0' ? ", " : "", formats[i].name);
}

bool
checkpoint_can_gather(const struct plan *p)
{
	return framework_of(p)->gathers_16bit && p->parallel.zero_stage >= 3;
}

bool
checkpoint_is_async(const struct plan *p)
{
	const struct checkpoint_format *f = checkpoint_format_of(p);

	return f != NULL && f->async && p->run.checkpoint_async;
}
