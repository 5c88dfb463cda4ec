#include "core/plan/batch.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/field.h"

double
batch_tokens(const struct plan *p)
{
	return (double)p->training.micro_batch_size * (double)p->training.sequence_length /
	    at_least_one(p->parallel.cp);
}

double
batch_tokens_split(const struct plan *p)
{
	return p->parallel.sequence_parallel ?
	    batch_tokens(p) / at_least_one(p->parallel.tp) : batch_tokens(p);
}

double
batch_width(const struct plan *p)
{
	return p->training.precision == PRECISION_FP32 ? 4 : 2;
}

double
batch_loss_ranks(const struct plan *p)
{
	return p->training.gathered_logits ? 1 : at_least_one(p->parallel.tp);
}

int64_t
batch_context_inner(const struct plan *p)
{
	int64_t n = 0;

	for (const char *c = p->parallel.hierarchical_cp; *c >= '0' && *c <= '9'; c++)
		n = n * 10 + (*c - '0');
	return n;
}

bool
batch_unfused(const struct plan *p)
{
	return !p->training.flash_attention || p->training.attention_kernel == KERNEL_UNFUSED ||
	    (p->parallel.cp > 1 && p->parallel.cp_comm == CP_COMM_RING_QK);
}

double
batch_document(const struct plan *p)
{
	const double s = (double)p->training.sequence_length, document = (double)p->training.document_tokens;

	return document > 0 && p->mode == MODE_TRAIN ? fmin(document, s) : s;
}

double
batch_keys(const struct plan *p, bool local, bool full)
{
	const double s = batch_document(p);
	const double window = (double)p->model.sliding_window;
	const double chunk = (double)p->model.attention_chunk;

	if (local && chunk > 0)
		return full ? fmin(chunk, s) : fmin(chunk, s) / 2;
	if (!local || window <= 0 || window >= s)
		return full ? s : s / 2;
	return full ? window : window - window * window / (2 * s);
}

double
batch_chosen(const struct plan *p)
{
	const double s = batch_document(p);
	const double most = fmin((double)p->model.index_topk, s);

	return most - most * most / (2 * s);
}

double
batch_busiest(double experts, double ranks)
{
	const double spread = 1.5;

	return ranks > 1 && experts > 0 ? 1 + spread * sqrt(2 * log(ranks)) / sqrt(fmax(1, experts / ranks)) : 1;
}

double
batch_kept_imbalance(const struct plan *p)
{
	return field_is_set(FIELD_MOE_IMBALANCE, p) ? fmax(1, p->training.moe_imbalance) : 1;
}

const char batch_module_names[] =
    "core_attn moe_act layernorm mla_up_proj mlp moe shared_experts";

unsigned
batch_again(const struct plan *p)
{
	const char *s = p->training.recompute_modules;
	unsigned modules = 0;

	if (p->training.recompute != RECOMPUTE_SELECTIVE)
		return 0;
	while (*s != '\0') {
		const size_t n = strcspn(s, ", ");
		const int which = text_index(batch_module_names, s, n);

		if (which >= 0)
			modules |= 1U << which;
		s += n;
		s += strspn(s, ", ");
	}
	return modules;
}

int64_t
batch_inputs(const struct plan *p, int64_t layers)
{
	const struct training *t = &p->training;
	const int64_t unit = most_of(1, t->recompute_layers);

	if (t->recompute != RECOMPUTE_FULL)
		return 0;
	return t->recompute_method == RECOMPUTE_UNIFORM ? (layers + unit - 1) / unit :
	    least_of(unit, layers);
}

int64_t
batch_inputs_away(const struct plan *p, int64_t layers)
{
	const struct training *t = &p->training;
	const bool all = p->finetune.method != FINETUNE_NONE && p->finetune.kernels == KERNELS_UNSLOTH;
	const int64_t away = all ? layers : least_of(t->offload_layers, layers);

	if (t->recompute_method == RECOMPUTE_UNIFORM && away < layers)
		return least_of(away / most_of(1, t->recompute_layers), batch_inputs(p, layers));
	return least_of(away, batch_inputs(p, layers));
}

bool
batch_offloads_modules(const struct plan *p)
{
	return p->training.offload_layers > 0 &&
	    (p->parallel.pp > 1 || p->training.recompute != RECOMPUTE_NONE);
}

int64_t
batch_chunk_layers(const struct plan *p)
{
	const int64_t chunks = most_of(1, product_of(p->parallel.pp, p->parallel.vpp));

	return most_of(1, (p->model.layers + chunks - 1) / chunks);
}

int64_t
batch_layers_again(const struct plan *p, int64_t layers)
{
	const struct training *t = &p->training;
	const int64_t block = t->recompute_layers > 1 ? t->recompute_layers : 1;

	if (t->recompute == RECOMPUTE_NONE)
		return 0;
	if (t->recompute == RECOMPUTE_FULL && t->recompute_method == RECOMPUTE_BLOCK)
		return block < layers ? block : layers;
	return layers;
}
