/*
 * drive.h - state that waits on a node's NVMe drives (ZeRO-Infinity): what of it is there, what
 * the host keeps to move it, and how long a step waits for it.
 *
 * Sources: Rajbhandari et al. 2021, arXiv 2104.07857; DeepSpeed deepspeed/runtime/swap_tensor,
 * deepspeed/runtime/zero/offload_config.py for sizes of buffers.
 */
#ifndef CORE_DRIVE_H
#define CORE_DRIVE_H
#include "core/base/ledger.h"
#include "core/train/host.h"

/* What offload takes from one GPU: bytes of the optimizer's state and of what moves with it, of fp32
 * gradients that its optimizer makes there, and of weights; owned: parameters that it works on. */
struct drive_load {
	double states, gradients, weights, owned;
};

/* True where a plan offloads to drives: its optimizer, and its weights too. */
bool drive_has_states(const struct plan *p);
bool drive_has_weights(const struct plan *p);

/* Weights that DeepSpeed keeps in the host's memory all the same, in bytes (max_in_cpu). */
double drive_weights_in_host(const struct plan *p, double weights);

/* Bytes of one GPU on drives, and of the buffers in host memory between. */
double drive_bytes(const struct plan *p, const struct drive_load *load, struct ledger *ledger);
double drive_buffers(const struct plan *p, const struct drive_load *load, struct ledger *ledger);

/* Seconds that a step waits: for the optimizer's state to come and go, and for weights that take
 * longer than the pass beside which they are read. All GPUs of a node share its drives. 0 where
 * their rate is not known (cluster.nvme_gbps). weights: bytes of a rank. */
double drive_update(const struct plan *p, double owned, struct ledger *ledger);
double drive_reads(const struct plan *p, double weights, const struct host_pass *pass,
    struct ledger *ledger);
#endif
