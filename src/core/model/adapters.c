#include "core/model/adapters.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/tuner.h"

#define LORA "Hu et al. 2021, arXiv 2106.09685"
#define TUNERS "huggingface/peft src/peft/tuners"
#define SAVED "huggingface/peft src/peft/utils/other.py, ModulesToSaveWrapper"

bool
adapters_only(const struct plan *p)
{
	return p->mode == MODE_TRAIN && p->finetune.method >= FINETUNE_LORA;
}

bool
adapters_sent_alone(const struct plan *p)
{
	return adapters_only(p) && plan_has_rollouts(p) && !p->rl.merge_adapters &&
	    p->rl.placement == RL_COLOCATED && p->rl.engine_sleep < 2;
}

/* ---- names ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	unsigned targets;
} names[] = {
	{ "all-linear", TARGET_LINEAR },
	{ "attention", TARGET_Q | TARGET_K | TARGET_V | TARGET_O }, { "qv", TARGET_Q | TARGET_V },
	{ "mlp", TARGET_GATE | TARGET_UP | TARGET_DOWN },
	{ "q", TARGET_Q }, { "k", TARGET_K }, { "v", TARGET_V }, { "qkv", TARGET_QKV },
	{ "o", TARGET_O }, { "proj", TARGET_O }, { "gate", TARGET_GATE }, { "up", TARGET_UP },
	{ "fc1", TARGET_FC1 }, { "down", TARGET_DOWN }, { "fc2", TARGET_DOWN },
	{ "in_proj", TARGET_IN_PROJ }, { "out_proj", TARGET_OUT_PROJ },
	{ "in_proj_qkvz", TARGET_IN_QKV | TARGET_IN_Z }, { "in_proj_ba", TARGET_IN_B | TARGET_IN_A },
	{ "in_proj_qkv", TARGET_APART | TARGET_IN_QKV }, { "in_proj_z", TARGET_APART | TARGET_IN_Z },
	{ "in_proj_b", TARGET_APART | TARGET_IN_B }, { "in_proj_a", TARGET_APART | TARGET_IN_A },
	{ "experts", TARGET_EXPERTS }, { "router", TARGET_ROUTER }, { "head", TARGET_HEAD },
	{ "embedding", TARGET_EMBEDDING },
};

static unsigned
target_named(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
			return names[i].targets;
	return TARGET_UNKNOWN;
}

/* Names joined by plus signs or commas. */
static unsigned
targets_of(const char *s)
{
	static const char between[] = "+, ";
	unsigned targets = 0;

	for (s += strspn(s, between); *s != '\0'; s += strspn(s, between)) {
		const size_t n = strcspn(s, between);

		targets |= target_named(s, n);
		s += n;
	}
	return targets;
}

unsigned
adapters_targets(const struct plan *p)
{
	const unsigned named = adapters_only(p) ? targets_of(p->finetune.target) : 0;
	const bool reaches = plan_has_experts(p) && framework_of(p)->transformer_engine;

	return named | (reaches && (named & TARGET_MLP_INPUT) ? TARGET_EXPERTS_UP : 0) |
	    (reaches && (named & TARGET_DOWN) ? TARGET_EXPERTS_DOWN : 0);
}

unsigned
adapters_saved(const struct plan *p)
{
	const unsigned can = TARGET_HEAD | TARGET_EMBEDDING;
	const unsigned saved = adapters_only(p) ? targets_of(p->finetune.modules_to_save) : 0;

	return (saved & ~can) != 0 ? (saved & can) | TARGET_UNKNOWN : saved;
}

/* ---- modules ---------------------------------------------------------------------- */

/* What rows of one fusion are called as one layer, NULL where each is a layer: they are one in
 * Megatron, elsewhere where the checkpoint has them so, which whoever names the fused module says.
 * A gated delta network is one layer there, two in Qwen3-Next, four in Qwen3.5. */
static const char *
fused_name(const struct plan *p, enum matrix_fusion f, unsigned targets)
{
	const bool fuses = framework_of(p)->transformer_engine;

	switch (f) {
	case FUSION_QKV:
		return fuses || (targets & TARGET_QKV) ? "QKV" : NULL;
	case FUSION_FC1:
		return fuses || (targets & TARGET_FC1) ? "up" : NULL;
	case FUSION_QKVZ:
		return fuses ? "input projection" :
		    targets & TARGET_APART ? NULL : "queries, keys, values, gate";
	case FUSION_BA:
		return fuses ? "input projection" :
		    targets & TARGET_APART ? NULL : "beta and decay of heads";
	default:
		return NULL;
	}
}

/* One more row of a module; true where fewer layers have it, and so are another module now. */
static bool
fuse(struct adapter_module *m, const struct matrix *x)
{
	const bool fewer = x->layers < m->layers;

	if (fewer) {
		m[1] = *m;
		m->layers -= x->layers;
		m++;
	}
	m->layers = x->layers;
	m->out += x->out;
	m->target |= x->row->target;
	return fewer;
}

int
adapters_modules(const struct plan *p, const struct layer_kinds *k, bool embedding,
    struct adapter_module *out)
{
	const struct matrix_of of = { &p->model, k, 0, 0 };
	const unsigned targets = adapters_targets(p);
	struct matrix row[MATRIX_MAX];
	const int rows = matrix_list(&of, MATRIX_NO_VECTORS | MATRIX_LAYERS |
	    (embedding ? MATRIX_BLOCK(EMBEDDING) : 0), row);
	int count = 0;

	for (const struct matrix *x = row; x < row + rows; x++) {
		const char *name = fused_name(p, x->row->fusion, targets);

		if (count > 0 && name != NULL && out[count - 1].block == x->block &&
		    text_equal(out[count - 1].name, name))
			count += fuse(&out[count - 1], x);
		else
			out[count++] = (struct adapter_module){ .name = name != NULL ? name : x->row->name,
				.target = x->row->target, .traits = x->row->traits, .in = x->in, .out = x->out,
				.split = x->row->split, .block = x->block, .layers = x->layers };
	}
	for (int i = 0; i < count; i++)
		out[i].adapted = (out[i].target & targets) != 0;
	return count;
}

/* ---- parameters ------------------------------------------------------------------- */

double
adapters_size(const struct plan *p, const struct adapter_module *m, double tp)
{
	const double r = (double)p->finetune.rank;
	const bool both = framework_of(p)->transformer_engine;
	const double of_in = both || m->split == MODULE_ROWS ? tp : 1;
	const double of_out = both || m->split == MODULE_COLUMNS ? tp : 1;
	const double magnitude = p->finetune.method == FINETUNE_DORA ? m->out : 0;

	if (p->finetune.tuner != TUNER_LORA)
		return tuner_params(p, m->in, m->out, m->target & TARGET_DOWN);
	if (m->split >= MODULE_WHOLE)
		return r * (m->in + m->out) + magnitude;
	return r * (m->in / of_in + m->out / of_out) +
	    magnitude / (m->split == MODULE_COLUMNS ? tp : 1);
}

/* What is being added up: ranks that divide a layer, an expert; experts that count. */
struct sharing {
	double tp, expert_tp, experts;
};

static void
add_layers(struct adapter_params *sum, const struct plan *p, const struct sharing *s,
    const struct layer_kinds *k, bool embedding)
{
	struct adapter_module module[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, k, embedding, module);

	for (int i = 0; i < count; i++) {
		const struct adapter_module *m = &module[i];

		if (!m->adapted)
			continue;
		if (m->traits & MATRIX_EXPERT)
			sum->expert += m->layers * s->experts * adapters_size(p, m, s->expert_tp);
		else
			sum->dense += m->layers * adapters_size(p, m, s->tp);
	}
}

/* Embedding and head: adapters, and copies that are trained whole. */
static void
add_table(struct adapter_params *sum, const struct plan *p, unsigned which, double vocab,
    double tp)
{
	const double h = (double)p->model.hidden_size;
	const struct adapter_module m = { .in = h, .out = vocab, .split = MODULE_COLUMNS };

	if (adapters_targets(p) & which)
		sum->dense += adapters_size(p, &m, tp);
	if (adapters_saved(p) & which)
		sum->saved += vocab * h / tp;
}

struct adapter_params
adapters_held(const struct plan *p, const struct rank_layers *r)
{
	const bool shared = p->finetune.expert_adapters == ADAPTERS_SHARED;
	const double ep = at_least_one(p->parallel.ep);
	const double vocab = (double)params_padded_vocab(p);
	const struct sharing s = { at_least_one(p->parallel.tp), params_expert_ranks(p) / ep,
		shared ? 1 : (double)p->model.experts / ep };
	struct adapter_params sum = { .dense = 0 };

	if (!adapters_only(p))
		return sum;
	add_layers(&sum, p, &s, &r->kinds, r->embedding);
	if (r->embedding)
		add_table(&sum, p, TARGET_EMBEDDING, vocab, s.tp);
	if (r->loss)
		add_table(&sum, p, TARGET_HEAD, vocab, s.tp);
	return sum;
}

#define TERM(ledger, sum, name, source, expression, ...) \
	LEDGER_TERM(ledger, sum, QUANTITY_PARAMS_TRAINABLE, name, source, expression, __VA_ARGS__)

static void
total_module(const struct plan *p, const struct adapter_module *m, double *sum,
    struct ledger *ledger)
{
	const bool shared = p->finetune.expert_adapters == ADAPTERS_SHARED;
	const double r = (double)p->finetune.rank, in = m->in, out = m->out, layers = m->layers;
	const double copies = (m->traits & MATRIX_EXPERT) && !shared ? (double)p->model.experts : 1;
	const double each = tuner_params(p, in, out, m->target & TARGET_DOWN);

	if (!m->adapted)
		return;
	if (p->finetune.tuner != TUNER_LORA)
		TERM(ledger, *sum, m->name, TUNERS, layers * copies * each, IS(layers), IS(copies),
		    AS("parameters of one", each));
	else if (p->finetune.method == FINETUNE_DORA)
		TERM(ledger, *sum, m->name, LORA, layers * copies * (r * (in + out) + out), IS(layers),
		    IS(copies), IS(r), IS(in), IS(out));
	else
		TERM(ledger, *sum, m->name, LORA, layers * copies * r * (in + out), IS(layers),
		    IS(copies), IS(r), IS(in), IS(out));
}

/* Embedding and head. */
static void
total_tables(const struct plan *p, double *sum, struct ledger *ledger)
{
	static const char *const of[2] = { "embedding", "head" };
	static const char *const copy[2] = { "trained embedding", "trained head" };
	const unsigned which[2] = { TARGET_EMBEDDING, TARGET_HEAD };
	const double vocab = (double)p->model.vocab_size, h = (double)p->model.hidden_size;

	for (int i = 0; i < 2; i++) {
		const struct adapter_module m = { .name = of[i], .in = h, .out = vocab, .layers = 1,
			.adapted = adapters_targets(p) & which[i] };

		total_module(p, &m, sum, ledger);
		if (adapters_saved(p) & which[i])
			TERM(ledger, *sum, copy[i], SAVED, vocab * h, AS("vocabulary", vocab), IS(h));
	}
}

double
adapters_total(const struct plan *p, double params, struct ledger *ledger)
{
	const struct layer_kinds k = params_kinds(&p->model, 0, p->model.layers);
	struct adapter_module m[ADAPTER_MODULES_MAX];
	double sum = 0;
	int count;

	if (p->mode == MODE_SERVE)
		return 0;
	if (ledger != NULL)
		ledger->stage = -1;
	if (!adapters_only(p)) {
		TERM(ledger, sum, "all parameters", "shardplan", params, AS("params.total", params));
		return sum;
	}
	count = adapters_modules(p, &k, true, m);
	for (int i = 0; i < count; i++)
		total_module(p, &m[i], &sum, ledger);
	total_tables(p, &sum, ledger);
	return sum;
}

/* ---- sums ------------------------------------------------------------------------- */

static void
sum_module(struct adapter_sums *sum, const struct plan *p, const struct adapter_module *m)
{
	const double tp = at_least_one(p->parallel.tp), layers = m->layers;

	if (m->traits & MATRIX_EXPERT)
		return;
	if (!(m->traits & MATRIX_ROUTER)) {
		sum->rows += layers * m->out;
		sum->tensors += layers;
		sum->weights += layers * m->in * m->out / tp;
		sum->largest = larger(sum->largest, m->in * m->out / tp);
	}
	if (!m->adapted)
		return;
	sum->modules += layers;
	sum->in += layers * m->in / (m->split == MODULE_ROWS ? tp : 1);
	sum->down += m->target & TARGET_DOWN ? layers * m->in / tp : 0;
	sum->out += layers * m->out / (m->split == MODULE_COLUMNS ? tp : 1);
	sum->scaled += layers * (m->target & TARGET_DOWN ? m->in : m->out);
	sum->delta += layers * m->in * m->out;
	sum->widest_in = larger(sum->widest_in, m->in);
	sum->widest_out = larger(sum->widest_out, m->out);
}

/* True where an adapter reads what the norm of its block has made. */
static bool
reads_norm(const struct plan *p, const struct adapter_module *m)
{
	return m->adapted && !(m->traits & (MATRIX_EXPERT | MATRIX_ROUTER)) &&
	    m->split != MODULE_ROWS && m->in >= (double)p->model.hidden_size &&
	    (m->block < BLOCK_MIXERS || (m->block >= BLOCK_ATTENTION && m->block < BLOCK_LAYER));
}

/* Layers in which one of a block's modules does. */
static double
readers(const struct plan *p, const struct adapter_module *m, const struct adapter_module *end)
{
	const enum matrix_block block = m->block;
	double most = 0;

	for (const struct adapter_module *first = m; m < end && m->block == block; m++)
		if (reads_norm(p, m)) /* the same layer in others of them, or another layer in the same */
			most = m > first && text_equal(m->name, m[-1].name) ? most + m->layers :
			    larger(most, m->layers);
	return most;
}

struct adapter_sums
adapters_sums(const struct plan *p, const struct layer_kinds *k, bool embedding)
{
	struct adapter_module m[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, k, embedding, m);
	struct adapter_sums sum = { .modules = 0 };

	for (int i = 0; i < count; i++) {
		sum_module(&sum, p, &m[i]);
		if (i == 0 || m[i].block != m[i - 1].block)
			*(m[i].block < BLOCK_MIXERS ? &sum.mixers : &sum.mlps) += readers(p, &m[i], m + count);
	}
	return sum;
}

double
adapters_quantized(const struct plan *p)
{
	switch (p->finetune.quantization) {
	case QUANT_NF4:
		return 0.5 + 4.0 / 64;                    /* an fp32 maximum for 64 weights */
	case QUANT_NF4_DQ:
		return 0.5 + 1.0 / 64 + 4.0 / (64 * 256); /* it in 8 bits, fp32 for 256 of them */
	case QUANT_INT8:
		return 1;                                 /* and an fp32 scale for each row */
	case QUANT_INT4:
		return 0.5 + 2.5 / 128;                   /* fp16 scale, 4-bit zero for 128 */
	default:
		return 0;
	}
}
