/*
 * adapters.h - low-rank adapters beside frozen weights: which linear layers have one, and how
 * many parameters that is.
 *
 * An adapter of a layer in -> out is A, rank x in, and B, out x rank (Hu et al. 2021, arXiv
 * 2106.09685); DoRA adds a magnitude for each output (Liu et al. 2024, arXiv 2402.09353).
 * Frameworks differ in what is one layer: Hugging Face modules have q, k, v, gate and up of
 * their own (huggingface/peft src/peft/tuners/lora), Megatron's linear_qkv and linear_fc1 are
 * fused and have one A each (NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/peft/utils.py,
 * ParallelLinearAdapter), which also divides all of a split layer's adapter over TP. Elsewhere
 * the factor beside the side that TP splits is split, the other one whole on every rank.
 */
#ifndef CORE_ADAPTERS_H
#define CORE_ADAPTERS_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/model/matrix.h"
#include "core/model/params.h"
#include "core/plan/plan.h"

/* Modules that finetune.target may name, as bits. */
enum adapter_target {
	TARGET_Q = 1, TARGET_K = 2, TARGET_V = 4, TARGET_QKV = 8, TARGET_O = 16,
	TARGET_GATE = 32, TARGET_UP = 64, TARGET_FC1 = 128, TARGET_DOWN = 256,
	TARGET_EXPERTS_UP = 512, TARGET_ROUTER = 1024, TARGET_HEAD = 2048, TARGET_EMBEDDING = 4096,
	TARGET_UNKNOWN = 8192,  /* a name that is none of them */
	/* of mixers without keys and values: what makes queries, keys and values, gate, b and a,
	 * which are one layer, two or, where TARGET_APART says so, four; the output; and what has
	 * no name here, which all-linear alone reaches */
	TARGET_IN_QKV = 1 << 14, TARGET_IN_Z = 1 << 15, TARGET_IN_B = 1 << 16, TARGET_IN_A = 1 << 17,
	TARGET_OUT_PROJ = 1 << 18, TARGET_NAMELESS = 1 << 19, TARGET_APART = 1 << 20,
	TARGET_EXPERTS_DOWN = 1 << 21, TARGET_EXPERTS = TARGET_EXPERTS_UP | TARGET_EXPERTS_DOWN,
	TARGET_IN_PROJ = TARGET_IN_QKV | TARGET_IN_Z | TARGET_IN_B | TARGET_IN_A,
	TARGET_INPUT = TARGET_Q | TARGET_K | TARGET_V | TARGET_QKV, /* that read the first norm */
	TARGET_MLP_INPUT = TARGET_GATE | TARGET_UP | TARGET_FC1,    /* that read the second one */
	TARGET_ATTENTION = TARGET_INPUT | TARGET_O,
	TARGET_MLP = TARGET_MLP_INPUT | TARGET_DOWN,
	/* of attention and MLP, and of all-linear */
	TARGET_BLOCK = TARGET_Q | TARGET_K | TARGET_V | TARGET_O | TARGET_GATE | TARGET_UP |
	    TARGET_DOWN,
	TARGET_LINEAR = TARGET_BLOCK | TARGET_IN_PROJ | TARGET_OUT_PROJ | TARGET_NAMELESS,
};

/* True where a plan trains, and trains adapters alone: its own weights are frozen. */
bool adapters_only(const struct plan *p);

/* Targets that have adapters; 0 where the plan has none. Those of Megatron's linear_fc1 and linear_fc2 are
 * of routed experts too, whose grouped layers have these names. */
unsigned adapters_targets(const struct plan *p);

/* True where the engine of rollouts keeps the base and gets adapters alone: one on the trainer's
 * GPUs, whose weights are not dropped while it sleeps. */
bool adapters_sent_alone(const struct plan *p);

/* The modules that finetune.modules_to_save names: TARGET_HEAD, TARGET_EMBEDDING or both. */
unsigned adapters_saved(const struct plan *p);

/* One linear layer as the framework has it: one row of matrix.def or several; whole sizes. */
struct adapter_module {
	const char *name;
	unsigned target;          /* TARGET_ bits, any of which gives it an adapter, */
	bool adapted;             /* as one does */
	unsigned traits;          /* enum matrix_trait */
	double in, out;
	enum module_split split;
	enum matrix_block block;
	double layers;            /* that have it */
};
enum { ADAPTER_MODULES_MAX = MATRIX_MAX };

/* Linear layers of some layers, and of the embedding; returns how many. */
int adapters_modules(const struct plan *p, const struct layer_kinds *k, bool embedding,
    struct adapter_module *out);

/* Parameters of its adapter, over `tp` ranks: one for each expert counts once. */
double adapters_size(const struct plan *p, const struct adapter_module *m, double tp);

/* Trained parameters on one GPU: of adapters, of those beside experts, and of trained copies
 * of embedding and head. */
struct adapter_params {
	double dense, expert, saved;
};
struct adapter_params adapters_held(const struct plan *p, const struct rank_layers *r);

/* Parameters of all adapters, where shared adapters of experts count once; all parameters where
 * all are trained. Noted under QUANTITY_PARAMS_TRAINABLE. */
double adapters_total(const struct plan *p, double params, struct ledger *ledger);

/* Sums over the modules of some layers, each as often as there are layers of it. */
struct adapter_sums {
	double modules, in, out;      /* with adapters; sizes on one rank, TP */
	double mixers, mlps;          /* in which an adapter reads the norm's output */
	double down;                  /* in: of down-projections of MLPs alone */
	double scaled;                /* their inputs, and outputs of the others */
	double delta;                 /* weights of what has an adapter, */
	double widest_in, widest_out; /* and its largest sizes */
	double rows, tensors;         /* of all that quantisation reaches */
	double weights, largest;      /* weights of them, of the largest; on one rank, TP */
};
struct adapter_sums adapters_sums(const struct plan *p, const struct layer_kinds *k,
    bool embedding);

/* Bytes of a weight in finetune.quantization, its scales by block included, those by row not. */
double adapters_quantized(const struct plan *p);
#endif
