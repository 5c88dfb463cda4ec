/*
 * serve_apart.h - MLPs and experts on GPUs of their own (serving.ffn_gpus): attention-FFN disaggregation.
 *
 * The engine's other GPUs attend, and send what each layer's MLP works on to one of these and get it back; each
 * of these serves as many as there are for it. They are ranks of one engine: as wide in TP as those that attend,
 * experts over all of them.
 *
 * Sources: vllm-project/afd-plugin docs/gpu/NCCL_P2P_CONNECTOR_USER_GUIDE.md (who sends to whom),
 * docs/design/module/ffn_runtime.md (what is held); Zhu et al. 2025, MegaScale-Infer, arXiv 2504.02263, section
 * 4.1 (two halves of a batch in turn).
 */
#ifndef CORE_SERVE_APART_H
#define CORE_SERVE_APART_H
#include "core/base/ledger.h"
#include "core/serve/serve_model.h"

/* The terms of a pass; *sum is that of attention. Nothing without such GPUs. */
void serve_add_apart(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger);

/* Their ranks and the most tokens of a pass, as an engine of their own; peers: GPUs that attend, of each. */
struct serve_setup serve_apart_setup(const struct serve_work *w, double *peers);

/* Bytes of weights on one of them. */
double serve_apart_weights(const struct serve_work *w);

/* Share of a decode step of so many requests on a rank, which takes so many seconds, in which they compute. */
double serve_apart_share(const struct serve_work *w, double requests, double seconds);
#endif
