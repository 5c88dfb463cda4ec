/*
 * serve_model.h - a model as the GPUs of one rank have it while an engine serves: what passes work on.
 */
#ifndef CORE_SERVE_MODEL_H
#define CORE_SERVE_MODEL_H
#include "core/base/ledger.h"
#include "core/model/kv.h"
#include "core/model/params.h"
#include "core/plan/plan.h"
#include "core/serve/serve_lora.h"
#include "core/serve/serve_rates.h"

/* The model on the GPUs of one rank of TP, all stages together. */
struct serve_work {
	const struct plan *p;
	const struct serve_setup *setup;
	const struct kv *kv;
	struct serve_rates rates;
	struct kv_layers kv_layers;
	struct layer_kinds kinds;
	double inputs;               /* numbers of a token that linear layers read */
	double linear, linear_bytes; /* parameters outside of routed experts, and their bytes: those that */
	double joint, joint_bytes;   /* meet a rank's own tokens, and those that meet tokens of all ranks */
	double joined;               /* ranks of DP attention that hold the latter together, else 1 */
	double in_step;              /* ranks that start passes together, else 1 */
	double expert, expert_bytes; /* of routed experts */
	double mixers, local;        /* layers that mix tokens; that look back on few of them */
	double halves;               /* layers that mix tokens, and MLPs or experts */
	double kernels;              /* small ones of a pass */
	double attention_tp;
	struct serve_lora lora;
};

/* One pass: what it works on, on one rank of data parallel attention. */
struct pass {
	enum quantity quantity;
	bool prefill, busy;
	double requests, tokens;
	double back;     /* tokens that one of them looks back on, on average */
};

/* Pointers are kept. */
struct serve_work serve_work_of(const struct plan *p, const struct serve_setup *setup, const struct kv *kv);

/* MLPs and experts alone. */
struct serve_work serve_work_of_mlps(const struct plan *p, const struct serve_setup *setup, const struct kv *kv);

/* Share of the rate that a product of so many tokens reaches. */
double serve_reached(const struct serve_rates *r, double tokens);

/* Linear layers outside of routed experts. */
void serve_add_linear(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger);
#endif
