#include "core/model/adapters.h"

#include <string.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/mixer.h"

#define LORA "Hu et al. 2021, arXiv 2106.09685"
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

/* Modules that are being listed, and what the next ones are of. */
struct listing {
	struct adapter_module *out;
	int count;
	enum adapter_block block;
	double layers;
	bool expert;
};

static void
put(struct listing *l, const char *name, unsigned target, double in, double out,
    enum module_split split)
{
	if (in <= 0 || out <= 0)
		return;
	l->out[l->count] = (struct adapter_module){ .name = name, .target = target, .in = in,
		.out = out, .split = split, .expert = l->expert, .block = l->block,
		.layers = l->layers };
	l->count++;
}

/* Whether q, k and v, or gate and up, are one layer: always in Megatron, elsewhere where the
 * checkpoint has them so, which whoever names the fused module says. */
static bool
is_fused(const struct plan *p, unsigned target)
{
	return framework_of(p)->transformer_engine || (adapters_targets(p) & target) != 0;
}

static void
put_mla(struct listing *l, const struct model *m)
{
	const double h = (double)m->hidden_size, n = (double)m->attention_heads;
	const double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank;
	const double v = params_value_dim(m, false);

	put(l, "query down-projection", TARGET_Q | TARGET_QKV, h, ql, MODULE_WHOLE);
	put(l, "query projection", TARGET_Q | TARGET_QKV, ql > 0 ? ql : h, n * params_key_dim(m, false),
	    MODULE_COLUMNS);
	put(l, "KV down-projection", TARGET_K | TARGET_V | TARGET_QKV, h,
	    kl + (double)m->qk_rope_head_dim, MODULE_WHOLE);
	put(l, "KV up-projection", TARGET_K | TARGET_V | TARGET_QKV, kl,
	    n * ((double)m->qk_nope_head_dim + v), MODULE_COLUMNS);
	put(l, "attention output", TARGET_O, n * v, h, MODULE_ROWS);
}

/* Gated delta networks: one layer in Megatron (megatron/core/ssm/gated_delta_net/gdn.py), two in
 * Qwen3-Next, four in Qwen3.5 (huggingface/transformers modeling_qwen3_next.py,
 * modeling_qwen3_5.py). */
static void
put_delta(struct listing *l, const struct plan *p, const struct mixer *x)
{
	const double h = (double)p->model.hidden_size, heads = x->heads;
	const double qkv = 2 * x->key + x->value, z = x->value;

	if (framework_of(p)->transformer_engine) {
		put(l, "input projection", TARGET_IN_PROJ, h, qkv + z + 2 * heads, MODULE_COLUMNS);
	} else if (adapters_targets(p) & TARGET_APART) {
		put(l, "queries, keys, values", TARGET_IN_QKV, h, qkv, MODULE_COLUMNS);
		put(l, "gate of the output", TARGET_IN_Z, h, z, MODULE_COLUMNS);
		put(l, "beta of heads", TARGET_IN_B, h, heads, MODULE_COLUMNS);
		put(l, "decay of heads", TARGET_IN_A, h, heads, MODULE_COLUMNS);
	} else {
		put(l, "queries, keys, values, gate", TARGET_IN_QKV | TARGET_IN_Z, h, qkv + z,
		    MODULE_COLUMNS);
		put(l, "beta and decay of heads", TARGET_IN_B | TARGET_IN_A, h, 2 * heads,
		    MODULE_COLUMNS);
	}
	put(l, "mixer output", TARGET_OUT_PROJ, x->value, h, MODULE_ROWS);
}

/* moonshotai/Kimi-Linear-48B-A3B-Instruct modeling_kimi.py, KimiDeltaAttention: decay and gate
 * pass two narrow layers each. */
static void
put_kimi(struct listing *l, const struct model *m, const struct mixer *x)
{
	const double h = (double)m->hidden_size, d = (double)m->linear_value_head_dim;

	put(l, "queries", TARGET_Q | TARGET_QKV, h, x->key, MODULE_COLUMNS);
	put(l, "keys", TARGET_K | TARGET_QKV, h, x->key, MODULE_COLUMNS);
	put(l, "values", TARGET_V | TARGET_QKV, h, x->value, MODULE_COLUMNS);
	put(l, "beta of heads", TARGET_NAMELESS, h, x->heads, MODULE_COLUMNS);
	put(l, "decay, down", TARGET_NAMELESS, h, d, MODULE_WHOLE);
	put(l, "decay, up", TARGET_NAMELESS, d, x->key, MODULE_COLUMNS);
	put(l, "gate, down", TARGET_NAMELESS, h, d, MODULE_WHOLE);
	put(l, "gate, up", TARGET_NAMELESS, d, x->value, MODULE_COLUMNS);
	put(l, "mixer output", TARGET_O, x->value, h, MODULE_ROWS);
}

/* MiniMaxAI/MiniMax-Text-01 modeling_minimax_text_01.py, MiniMaxText01LightningAttention. */
static void
put_lightning(struct listing *l, const struct model *m, const struct mixer *x)
{
	const double h = (double)m->hidden_size;

	put(l, "QKV", TARGET_QKV | TARGET_NAMELESS, h, 2 * x->key + x->value, MODULE_COLUMNS);
	put(l, "gate of the output", TARGET_NAMELESS, h, x->value, MODULE_COLUMNS);
	put(l, "mixer output", TARGET_OUT_PROJ, x->value, h, MODULE_ROWS);
}

static void
put_linear_attention(struct listing *l, const struct plan *p)
{
	const struct mixer x = mixer_linear(&p->model);

	if (p->model.linear_kind == LINEAR_KDA)
		put_kimi(l, &p->model, &x);
	else if (p->model.linear_kind == LINEAR_LIGHTNING)
		put_lightning(l, &p->model, &x);
	else
		put_delta(l, p, &x);
}

/* Mamba-2 (Megatron-LM megatron/core/ssm/mamba_mixer.py; huggingface/transformers
 * modeling_nemotron_h.py): one projection to z, x, B, C and dt. */
static void
put_mamba(struct listing *l, const struct model *m)
{
	const struct mixer x = mixer_mamba(m);
	const double h = (double)m->hidden_size;

	put(l, "input projection", TARGET_IN_PROJ, h, x.in, MODULE_COLUMNS);
	put(l, "mixer output", TARGET_OUT_PROJ, x.value, h, MODULE_ROWS);
}

static void
put_attention(struct listing *l, const struct plan *p, bool local)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, d = params_key_dim(m, local);
	const double kv = params_kv_heads(m, local), v = params_value_dim(m, local);
	const double n = params_query_heads(m, local), q = params_query_width(m, local);

	if (local && m->linear_attention) {
		put_linear_attention(l, p);
	} else if (m->attention == ATTENTION_MLA) {
		put_mla(l, m);
	} else if (is_fused(p, TARGET_QKV)) {
		put(l, "QKV", TARGET_INPUT, h, q + params_kv_width(m, local), MODULE_COLUMNS);
		put(l, "attention output", TARGET_O, n * v, h, MODULE_ROWS);
	} else {
		put(l, "queries", TARGET_Q, h, q, MODULE_COLUMNS);
		put(l, "keys", TARGET_K, h, kv * d, MODULE_COLUMNS);
		put(l, "values", TARGET_V, h, kv * v, MODULE_COLUMNS);
		put(l, "attention output", TARGET_O, n * v, h, MODULE_ROWS);
	}
}

static void
put_mlp(struct listing *l, const struct plan *p, double f)
{
	const double h = (double)p->model.hidden_size;
	const double up = p->model.gated_mlp ? 2 : 1;

	if (is_fused(p, TARGET_FC1) || up < 2) {
		put(l, "up", TARGET_MLP_INPUT, h, up * f, MODULE_COLUMNS);
	} else {
		put(l, "gate", TARGET_GATE, h, f, MODULE_COLUMNS);
		put(l, "up", TARGET_UP, h, f, MODULE_COLUMNS);
	}
	put(l, "down", TARGET_DOWN, f, h, MODULE_ROWS);
}

/* The stacked weights of routed experts, gate and up in one tensor of three dimensions. */
static void
put_experts(struct listing *l, const struct model *m)
{
	const double h = params_expert_width(m), f = (double)m->moe_ffn_hidden_size;

	l->expert = true;
	put(l, "experts' up", TARGET_EXPERTS_UP, h, (m->gated_mlp ? 2 : 1) * f, MODULE_COLUMNS);
	put(l, "experts' down", TARGET_EXPERTS_DOWN, f, h, MODULE_ROWS);
	l->expert = false;
}

static void
put_moe(struct listing *l, const struct plan *p)
{
	const struct model *m = &p->model;

	put(l, "router", TARGET_ROUTER, (double)m->hidden_size, (double)m->experts, MODULE_WHOLE);
	put_mlp(l, p, (double)m->shared_expert_ffn_hidden_size);
	put_experts(l, m);
}

static void
put_block(struct listing *l, const struct plan *p)
{
	switch (l->block) {
	case BLOCK_GLOBAL:
	case BLOCK_LOCAL:
		put_attention(l, p, l->block == BLOCK_LOCAL);
		break;
	case BLOCK_MAMBA:
		put_mamba(l, &p->model);
		break;
	case BLOCK_DENSE:
		put_mlp(l, p, (double)p->model.ffn_hidden_size);
		break;
	case BLOCK_MOE:
		put_moe(l, p);
		break;
	}
}

int
adapters_modules(const struct plan *p, const struct layer_kinds *k, struct adapter_module *out)
{
	const double layers[] = {
		[BLOCK_GLOBAL] = k->global, [BLOCK_LOCAL] = k->local, [BLOCK_MAMBA] = k->mamba,
		[BLOCK_DENSE] = k->dense, [BLOCK_MOE] = k->moe
	};
	struct listing l = { .out = out };

	for (l.block = BLOCK_GLOBAL; l.block <= BLOCK_MOE; l.block++) {
		l.layers = layers[l.block];
		if (l.layers > 0)
			put_block(&l, p);
	}
	return l.count;
}

bool
adapters_has(const struct plan *p, const struct adapter_module *m)
{
	return (adapters_targets(p) & m->target) != 0;
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

	if (m->split == MODULE_WHOLE)
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
    const struct layer_kinds *k)
{
	struct adapter_module module[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, k, module);

	for (int i = 0; i < count; i++) {
		const struct adapter_module *m = &module[i];

		if (!adapters_has(p, m))
			continue;
		if (m->expert)
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
	const struct adapter_module m = { .target = which, .in = h, .out = vocab,
		.split = MODULE_COLUMNS };

	if (adapters_has(p, &m))
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
	add_layers(&sum, p, &s, &r->kinds);
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
	const double copies = m->expert && !shared ? (double)p->model.experts : 1;

	if (!adapters_has(p, m))
		return;
	if (p->finetune.method == FINETUNE_DORA)
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
		const struct adapter_module m = { .name = of[i], .target = which[i], .in = h,
			.out = vocab, .layers = 1 };

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
	count = adapters_modules(p, &k, m);
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

	if (m->expert)
		return;
	if (m->target != TARGET_ROUTER) {
		sum->rows += layers * m->out;
		sum->tensors += layers;
		sum->weights += layers * m->in * m->out / tp;
		sum->largest = larger(sum->largest, m->in * m->out / tp);
	}
	if (!adapters_has(p, m))
		return;
	sum->modules += layers;
	sum->in += layers * m->in / (m->split == MODULE_ROWS ? tp : 1);
	sum->out += layers * m->out / (m->split == MODULE_COLUMNS ? tp : 1);
}

/* True where an adapter reads what the norm of its block has made. */
static bool
reads_norm(const struct plan *p, const struct adapter_module *m)
{
	return adapters_has(p, m) && !m->expert && m->target != TARGET_ROUTER &&
	    m->split != MODULE_ROWS && m->in >= (double)p->model.hidden_size;
}

struct adapter_sums
adapters_sums(const struct plan *p, const struct layer_kinds *k)
{
	struct adapter_module m[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, k, m);
	struct adapter_sums sum = { .modules = 0 };
	unsigned readers = 0; /* bit b: block b is one */

	for (int i = 0; i < count; i++) {
		const unsigned block = 1U << m[i].block;

		sum_module(&sum, p, &m[i]);
		if ((readers & block) != 0 || !reads_norm(p, &m[i]))
			continue;
		readers |= block;
		*(m[i].block < BLOCK_DENSE ? &sum.mixers : &sum.mlps) += m[i].layers;
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
