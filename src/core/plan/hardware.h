/*
 * hardware.h - what the generation of a GPU decides: one row of plain data each.
 *
 * A GPU is what the plan says of it: rates, memory, generation, fabric. No formula looks at
 * its name, so a user's GPU with the numbers of a shipped one gives the same results. What a
 * fabric decides is in link.c, what an attention kernel reaches in kernel.c.
 */
#ifndef CORE_HARDWARE_H
#define CORE_HARDWARE_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

/* Whose attention kernels run. */
enum attention_family {
	ATTENTION_UNKNOWN, ATTENTION_OF_AMPERE, ATTENTION_OF_HOPPER, ATTENTION_OF_BLACKWELL,
	ATTENTION_OF_CDNA
};

struct generation {
	/* Matrix products, see compute.h: share of the peak in 16 bits, of the memory rate,
	 * seconds to launch, q; share of the peak in FP8. */
	double matrix, memory, launch;
	int power;
	double fp8;
	double ratio;          /* of the peak in 16 bits to FP32's where units are not slowed, 0: none are known that are */
	double unaligned;      /* times as long products take whose rows are not multiples of 16 bytes */
	/* Products of experts: share of what dense ones reach at many tokens for each expert, and
	 * the tokens at which they reach half of that, forward and of weight gradients. */
	double grouped, half_tokens, half_weight;
	double grouped_quantised; /* that share below 16 bits, 0: the same */
	double permutes;       /* share of the memory rate at which tokens are permuted; 0: as all that moves */
	double recurrent;      /* products of recurrent layers reach so much less of what dense ones do than on
	                        * an H100; 0: as much */
	double processors;     /* multiprocessors that work on one kernel */
	enum attention_family attention;
	double host_watts;     /* that a node takes besides its GPUs, for each of them; 0: not known */
	const char *maker;     /* whose library joins them, NULL: NVIDIA's NCCL, or nobody knows */
	bool rocm;            /* PyTorch and engines run on AMD's ROCm */
	double te_workspace;  /* MiB that Transformer Engine gives cuBLAS */
	bool no_tf32;         /* products of FP32 have no faster units to be rounded for */
	bool either_layout;   /* FP8 products read operands transposed too: no copies for that */
	bool blocks, mxfp8, nvfp4; /* trains in blocks of FP8, in MXFP8, in NVFP4 */
	bool experts_in_bf16; /* FP8 makes products of experts no faster */
	bool no_flash;        /* neither flash-attn nor cuDNN's attention runs on it */
	bool fused_attention; /* Transformer Engine prefers cuDNN's attention, or AMD's, to flash-attn */
	bool loose_dropout;   /* cuDNN's backward pass with dropout is not deterministic */
};

/* The generation of the plan's GPU; never NULL. */
const struct generation *generation_of(const struct plan *p);

/* Matrix units that are slowed, beside those of the generation: 1 where they are not. The chip about them is not, so
 * what of a product's time is not theirs stays as it was: of a share of the peak, units alone reaching `units`, this
 * is left. */
double hardware_slowed(const struct plan *p);
double hardware_share(double slowed, double share, double units);

/* The rate of the GPU without which nothing can be timed and that the plan does not know: of
 * products or of memory; FIELD_NONE where it knows both. */
enum field_id hardware_lacks(const struct plan *p);

/* Share of a GPU's links in its domain that a group of so many of it talks over: all of a
 * switch, of direct links those to the others of the group. */
double hardware_links_used(const struct cluster *c, double members);
#endif
