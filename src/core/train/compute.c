#include "core/train/compute.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/params.h"
#include "core/plan/batch.h"
#include "core/plan/hardware.h"

/* Bytes moved to cast a value to FP8: 2 read, 1 written, 1 written transposed (Transformer
 * Engine transformer_engine/common/cast, cast_transpose). */
#define FP8_CAST 4.0

/* Power that does not go with the clock (memory, links, leakage): a share of the design
 * power; an H100 SXM at rest takes 70 to 90 of 700 W. */
#define STEADY_POWER 0.125

/*
 * Clock under a power limit. Dense products take all the power there is: what is above the
 * steady part goes with clock times voltage squared, and voltage about linearly with clock
 * (Mei, Wang, Chu 2016, A Survey and Measurement Study of GPU DVFS, section 2, doi
 * 10.1016/j.dcan.2016.10.001), so the clock goes with its cube root. An H100 at 500 of 700 W
 * keeps 0.876. Memory keeps its own clock.
 */
static double
clock_share(const struct cluster *c)
{
	const double share = c->gpu_power_watts / c->tdp_watts;

	if (c->gpu_power_watts <= 0 || c->tdp_watts <= 0 || share >= 1)
		return 1;
	return cbrt(fmax(0.05, (share - STEADY_POWER) / (1 - STEADY_POWER)));
}

struct machine
machine_of(const struct plan *p)
{
	const struct generation *r = generation_of(p);
	const double measured = p->calibration.compute_efficiency;
	const bool eager = framework_of(p)->eager;
	const double fitted = (measured > 0 ? measured : 1) * (eager ? r->eager : 1);
	const double scale = fitted * clock_share(&p->cluster);
	const bool fp8 = p->training.precision == PRECISION_FP8 && p->cluster.fp8_tflops > 0;
	const double rate = p->cluster.bf16_tflops * 1e12;
	struct machine g = { .known = rate > 0 && p->cluster.hbm_gbps > 0 };

	g.peak = fp8 ? p->cluster.fp8_tflops * 1e12 : rate;
	g.plain = rate * r->matrix * scale;
	g.linear = fp8 ? g.peak * r->fp8 * scale : g.plain;
	if (p->training.precision == PRECISION_FP32) {
		g.peak = rate / 2; /* TF32 */
		g.linear = g.plain = g.plain / 2;
	}
	g.grouped = (r->experts_in_bf16 ? g.plain : g.linear) * r->grouped;
	g.hbm = p->cluster.hbm_gbps * 1e9 * r->memory;
	g.vector = p->cluster.hbm_gbps * 1e9 * 0.8 * fitted;
	g.launch = r->launch;
	g.kernel = 3e-6;
	g.power = r->power;
	g.attention = rate * r->attention * scale;
	g.attention_backward = rate * r->attention_backward * scale;
	g.cast = fp8 ? FP8_CAST : 0;
	g.width = fp8 ? 1 : p->training.precision == PRECISION_FP32 ? 4 : 2;
	g.error = r->error;
	return g;
}

/* ---- primitives ------------------------------------------------------------------- */

static double
join(double a, double b, int power)
{
	if (power == 2)
		return sqrt(a * a + b * b);
	a *= a;
	b *= b;
	return sqrt(cbrt(a * a * a + b * b * b));
}

/* m x k times k x n, `times` one after the other (Transformer Engine transformer_engine/
 * common/gemm, multi-stream cuBLAS), `extra` bytes moved besides the operands. */
static double
product(const struct machine *g, double rate, double times, double m, double n, double k,
    double extra)
{
	const double bytes = g->width * (m * k + k * n) + 2 * m * n + extra;

	return times * (g->launch + join(2 * m * n * k / rate, bytes / g->hbm, g->power));
}

double
compute_memory(const struct machine *g, double bytes)
{
	return bytes > 0 ? bytes / g->vector + g->kernel : 0;
}

/* The three products of a layer; the weight gradient is added up in fp32. */
static void
products(struct work *w, const struct machine *g, double rate, double times, double tokens,
    double out, double in)
{
	const double weight = product(g, rate, times, in, out, tokens, 6 * in * out);

	w->forward += product(g, rate, times, tokens, out, in, 0);
	w->backward += product(g, rate, times, tokens, in, out, 0) + weight;
	w->weight += weight;
}

/* A linear layer. In FP8 what goes into it is cast before the products, forward its input
 * and backward the gradient of its output, and kept transposed as well. */
static void
linear(struct work *w, const struct machine *g, double rate, double times, double tokens,
    double out, double in)
{
	products(w, g, rate, times, tokens, out, in);
	w->forward += compute_memory(g, g->cast * times * tokens * in);
	w->backward += compute_memory(g, g->cast * times * tokens * out);
}

/* Memory-bound operations: bytes of the forward pass; backward moves 1.8 times as much. */
static void
vector(struct work *w, const struct machine *g, double bytes)
{
	const double t = compute_memory(g, bytes);

	w->forward += t;
	w->backward += 1.8 * t;
}

/* ---- attention -------------------------------------------------------------------- */

/* Scores stored: two batched products each way and the softmax between them, which reads
 * and writes the score matrix (13 and 20 bytes a score: mask, softmax, dropout). */
static void
core_unfused(struct work *w, const struct plan *p, const struct machine *g, double heads)
{
	const struct model *m = &p->model;
	const double s = (double)p->training.sequence_length;
	const double queries = s / at_least_one(p->parallel.cp);
	const double batch = (double)p->training.micro_batch_size * heads;
	const double scores = batch * queries * s;
	const double score = product(g, g->plain, 1, batch * queries, s, params_key_dim(m), 0);
	const double value = product(g, g->plain, 1, batch * queries, params_value_dim(m), s, 0);

	w->core = score + value + compute_memory(g, 13 * scores);
	w->core_backward = 2 * (score + value) + compute_memory(g, 20 * scores);
}

static void
core(struct work *w, const struct plan *p, const struct machine *g, bool local)
{
	const struct model *m = &p->model;
	const double heads = (double)m->attention_heads / at_least_one(p->parallel.tp);
	double flop;

	if (local && m->linear_attention) {
		/* gated delta rule: state of key x value, read and updated for each token */
		flop = 8 * batch_tokens(p) * (double)(m->linear_value_heads *
		    m->linear_key_head_dim * m->linear_value_head_dim) / at_least_one(p->parallel.tp);
		w->core = flop / (0.3 * g->plain) + g->launch;
		w->core_backward = 2 * w->core;
	} else if (!p->training.flash_attention) {
		core_unfused(w, p, g, heads);
	} else {
		flop = 2 * batch_tokens(p) * batch_keys(p, local, false) * heads *
		    (params_key_dim(m) + params_value_dim(m));
		w->core = flop / g->attention + g->launch;
		w->core_backward = 2.5 * flop / g->attention_backward + g->launch;
	}
	w->forward += w->core;
	w->backward += w->core_backward;
}

/* From the latent vectors of MLA to the heads. */
static void
projections_up(struct work *w, const struct plan *p, const struct machine *g)
{
	const struct model *m = &p->model;
	const double tokens = batch_tokens(p), q = (double)m->q_lora_rank;
	const double heads = (double)m->attention_heads / at_least_one(p->parallel.tp);
	const double up = (double)m->qk_nope_head_dim + params_value_dim(m);

	linear(w, g, g->linear, 1, tokens, heads * params_key_dim(m),
	    q > 0 ? q : (double)m->hidden_size);
	linear(w, g, g->linear, 1, tokens, heads * up, (double)m->kv_lora_rank);
}

static void
projections_mla(struct work *w, const struct plan *p, const struct machine *g)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, tokens = batch_tokens(p);
	const double split = batch_tokens_split(p), q = (double)m->q_lora_rank;
	const double heads = (double)m->attention_heads / at_least_one(p->parallel.tp);
	const double latent = (double)(m->kv_lora_rank + m->qk_rope_head_dim);

	if (q > 0)
		linear(w, g, g->linear, 1, split, q, h);
	linear(w, g, g->linear, 1, split, latent, h);
	projections_up(w, p, g);
	linear(w, g, g->linear, 1, tokens, h, heads * params_value_dim(m));
	vector(w, g, 8 * tokens * heads * (2 * params_key_dim(m) + params_value_dim(m)));
}

static void
attention(struct work *w, const struct plan *p, const struct machine *g, bool local)
{
	const struct model *m = &p->model;
	const double t = at_least_one(p->parallel.tp), tokens = batch_tokens(p);
	const double h = (double)m->hidden_size, d = (double)m->head_dim;
	const double v = params_value_dim(m);
	double q = (double)m->attention_heads, out = q * v, kv;

	if (m->attention == ATTENTION_MLA) {
		projections_mla(w, p, g);
	} else if (local && m->linear_attention) {
		q = (double)(m->linear_key_heads * m->linear_key_head_dim);
		out = (double)(m->linear_value_heads * m->linear_value_head_dim);
		linear(w, g, g->linear, 1, tokens, 2 * (q + out) / t, h);
		linear(w, g, g->linear, 1, tokens, h, out / t);
		vector(w, g, 16 * tokens * (q + out) / t);
	} else {
		kv = params_kv_heads(m, local);
		q *= m->attention_output_gate ? 2 : 1;
		linear(w, g, g->linear, 1, tokens, (q * d + fmax(kv, t) * (d + v)) / t, h);
		linear(w, g, g->linear, 1, tokens, h, out / t);
		vector(w, g, 8 * tokens * (q + 2 * kv) * d / t);
	}
	core(w, p, g, local);
}

/* ---- the other halves ------------------------------------------------------------- */

static void
mlp(struct work *w, const struct plan *p, const struct machine *g, double ffn)
{
	const double h = (double)p->model.hidden_size, tokens = batch_tokens(p);
	const double f = ffn / at_least_one(p->parallel.tp);
	const double up = p->model.gated_mlp ? 2 : 1;

	if (f <= 0)
		return;
	linear(w, g, g->linear, 1, tokens, up * f, h);
	linear(w, g, g->linear, 1, tokens, h, f);
	vector(w, g, (2 * up + 2) * tokens * f);
}

/* Tokens that reach the experts of one GPU: even routing times the imbalance, or what the
 * capacity pads it to. */
static double
routed_tokens(const struct plan *p)
{
	const double even = batch_tokens(p) / at_least_one(p->parallel.tp) *
	    at_least_one(p->parallel.etp) * (double)p->model.experts_per_token;

	if (p->training.moe_capacity_factor > 0)
		return even * p->training.moe_capacity_factor;
	return even * fmax(1, p->training.moe_imbalance);
}

static void
experts(struct work *w, const struct plan *p, const struct machine *g)
{
	const struct model *m = &p->model;
	const double etp = at_least_one(p->parallel.etp), ep = at_least_one(p->parallel.ep);
	const double h = (double)m->hidden_size, f = (double)m->moe_ffn_hidden_size / etp;
	const double here = fmax(1, (double)m->experts / ep);
	const double up = m->gated_mlp ? 2 : 1, routed = routed_tokens(p);
	const double split = batch_tokens(p) / at_least_one(p->parallel.tp);

	products(w, g, g->plain, 1, split, (double)m->experts, h); /* router */
	linear(w, g, g->grouped, here, routed / here, up * f, h);
	linear(w, g, g->grouped, here, routed / here, h, f);
	vector(w, g, (2 * up + 2) * routed * f);
	vector(w, g, 4 * 2 * routed * h); /* permute and unpermute: read and write, twice */
	vector(w, g, 12 * split * (double)m->experts);
}

/* Modules that selective recompute names besides attention and whole halves. */
static double
recomputed_parts(const struct plan *p, const struct machine *g, int kind)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, up = m->gated_mlp ? 2 : 1;
	const unsigned again = batch_again(p);
	struct work w = { 0 };

	if (again & AGAIN_LAYERNORM)
		w.forward += compute_memory(g, 8 * batch_tokens_split(p) * h);
	if ((again & AGAIN_MLA_UP_PROJ) && m->attention == ATTENTION_MLA)
		projections_up(&w, p, g);
	if (!(kind & LAYER_MOE) || (again & AGAIN_MOE))
		return w.forward;
	if (again & AGAIN_MOE_ACT)
		w.forward += compute_memory(g, (2 * up + 2) * routed_tokens(p) *
		    (double)m->moe_ffn_hidden_size / at_least_one(p->parallel.etp));
	if (again & AGAIN_SHARED_EXPERTS)
		mlp(&w, p, g, (double)m->shared_expert_ffn_hidden_size);
	return w.forward;
}

static double
recomputed(const struct plan *p, const struct machine *g, const struct work *whole,
    const struct work *half, int kind)
{
	const unsigned again = batch_again(p);
	double t = 0;

	if (p->training.recompute == RECOMPUTE_NONE)
		return 0;
	if (p->training.recompute == RECOMPUTE_FULL)
		return whole->forward;
	if (again & AGAIN_CORE_ATTN)
		t += whole->core;
	if (again & (kind & LAYER_MOE ? AGAIN_MOE : AGAIN_MLP))
		t += half->forward;
	return t + recomputed_parts(p, g, kind);
}

struct work
compute_layer(const struct plan *p, const struct machine *g, int kind)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, split = batch_tokens_split(p);
	struct work w = { 0 }, half = { 0 };
	double cheap;

	attention(&w, p, g, kind & LAYER_LOCAL);
	if (kind & LAYER_MOE) {
		experts(&half, p, g);
		mlp(&half, p, g, (double)m->shared_expert_ffn_hidden_size);
	} else {
		mlp(&half, p, g, (double)m->ffn_hidden_size);
	}
	w.forward += half.forward;
	w.backward += half.backward;
	w.weight += half.weight;
	/* Two norms (read, write) and two residual additions, dropout included. */
	cheap = compute_memory(g, 22 * split * h);
	w.forward += cheap;
	w.backward += 1.8 * cheap;
	w.recompute = recomputed(p, g, &w, &half, kind);
	return w;
}

struct work
compute_embedding(const struct plan *p, const struct machine *g)
{
	struct work w = { 0 };

	vector(&w, g, 8 * batch_tokens_split(p) * (double)p->model.hidden_size);
	return w;
}

struct work
compute_head(const struct plan *p, const struct machine *g)
{
	const double part = (double)p->model.vocab_size / at_least_one(p->parallel.tp);
	const double tokens = batch_tokens(p);
	struct work w = { 0 };

	products(&w, g, g->plain, 1, tokens, part, (double)p->model.hidden_size);
	w.forward += compute_memory(g, 6 * tokens * part);
	w.backward += compute_memory(g, 4 * tokens * part);
	return w;
}

struct work
compute_mtp(const struct plan *p, const struct machine *g)
{
	const double h = (double)p->model.hidden_size;
	struct work w = { 0 };

	linear(&w, g, g->linear, 1, batch_tokens(p), h / at_least_one(p->parallel.tp), 2 * h);
	return w;
}
