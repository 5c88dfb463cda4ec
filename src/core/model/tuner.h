/*
 * tuner.h - what PEFT puts beside a frozen linear layer where it is not LoRA: parameters, and what stays for the
 * backward pass (huggingface/peft src/peft/tuners).
 */
#ifndef CORE_TUNER_H
#define CORE_TUNER_H
#include <stdbool.h>

#include "core/plan/plan.h"

/* Trained parameters of a layer in -> out, `inside` where it is the last of an MLP. The rank is the block of OFT. */
double tuner_params(const struct plan *p, double in, double out, bool inside);

/* What stays of each token and weight, in numbers. */
struct tuner_kept {
	bool in, out;       /* of the layer's input, of its output */
	bool ranks;         /* of the rank */
	bool delta;         /* the change of the weight, laid out */
};
struct tuner_kept tuner_keeps(const struct plan *p);

/* Not low-rank factors of their own: PEFT's alone, without a term of LoRA. */
static inline bool
tuner_is_other(const struct plan *p)
{
	return p->finetune.tuner > TUNER_ADALORA;
}
#endif
