/*
 * memory_buffers.h - what a GPU holds beside model state and kept activations: logits,
 * transients of the fullest moment, caches and workspaces.
 * Private to core.
 */
#ifndef CORE_MEMORY_BUFFERS_H
#define CORE_MEMORY_BUFFERS_H
#include "core/model/activation.h"
#include "core/model/adapters.h"
#include "core/train/memory.h"

/* One pipeline stage of one plan. */
struct rank_view {
	const struct plan *p;
	const struct activation *act;
	const struct share *unit; /* bytes that one unit of each keeps */
	const struct stage_params *params;
	const struct shards *shards;
	const struct rank_layers *layers;
	struct adapter_params trained; /* where adapters alone are */
	struct ledger *ledger;
	double gradient;   /* bytes of a gradient of one parameter */
	double layer;      /* parameters of the largest layer as one rank computes with it */
	double loss_less;  /* bytes in flight that are not yet, or no more, at the loss */
	bool weights_away; /* in host memory, from which layers come as they run */
};

/* Logits and buffers of the fuller of two moments: the loss, or the backward pass of a
 * layer; and what is there all the time. Returns the buffers of that moment: in the optimizer's
 * step they are free again. at_loss: whether it is the loss. */
double buffers_add(const struct rank_view *v, struct memory *out, bool *at_loss);
#endif
