/*
 * modules.h - bytes that a layer of Hugging Face, Liger, Unsloth or torchtune modules keeps
 * between forward and backward, where weights are trained and where they are frozen.
 *
 * Autograd keeps a tensor only for a gradient that is wanted: a product with a frozen weight
 * keeps the weight alone, its input is what the weight's own gradient needs.
 */
#ifndef CORE_MODULES_H
#define CORE_MODULES_H
#include "core/model/kept.h"

/* Layers that unpack 4-bit integers by operations of PyTorch. */
#define MODULES_GPTQ "AutoGPTQ/AutoGPTQ auto_gptq/nn_modules/qlinear/qlinear_cuda_old.py"

/* True where a plan's layers are made of such modules: where it fine-tunes, and where it trains a policy on FSDP or
 * ZeRO (verl verl/workers/fsdp_workers.py, OpenRLHF and TRL load AutoModelForCausalLM). */
bool modules_eager(const struct plan *p);

/* True where experts are a list of linear layers, which a loop runs one by one: of a release before they became one
 * parameter and a grouped product (transformers 5.0, models/mixtral/modeling_mixtral.py). */
bool modules_list_experts(const struct plan *p);
bool modules_loop_experts(const struct plan *p);

/* Transformer Engine's attention takes and keeps queries, keys, values and its output in FP8. */
bool modules_attend_in_fp8(const struct plan *p);

/* Queries and keys are rotated by single operations: Transformer Engine's kernel is not asked for, or can not, as it
 * has no factor on sines and cosines, which YaRN wants. */
bool modules_rotate_apart(const struct plan *p);

/* True where adapters are PEFT's: those of Hugging Face modules, Liger's too. */
bool modules_peft(const struct plan *p);

/* True where fp32 adapters run under autocast (the Trainer of Hugging Face with bf16), false
 * where a loop of one's own casts their input to fp32. */
bool modules_autocast(const struct plan *p);

/* True where autocast runs 16-bit products on fp32 weights that are trained: what is added up
 * between layers is in fp32, each product makes a copy of its input, and one of its weight, which
 * stays for the backward pass (PyTorch aten/src/ATen/autocast_mode.cpp, cached_cast). False where
 * FSDP or DeepSpeed gives layers their weights in 16 bits. */
bool modules_wide(const struct plan *p);

/* Heads of keys and values that a GPU has for each of its tokens: where all-to-all gives it heads, one at
 * least, which others have as well (DeepSpeed's UlyssesSPAttentionHF, kv_replication_factor). */
double modules_kv_heads(const struct plan *p, bool local);

/* How many parts of a micro-batch pass through an MLP one after the other. */
double modules_tiles(const struct plan *p);

/* Add the bytes that some layers keep. */
void modules_add(const struct sink *s, const struct layer_kinds *k);

/* Add the bytes that adapters keep beside modules of Megatron. */
void modules_add_adapters(const struct sink *s, const struct layer_kinds *k);
#endif
