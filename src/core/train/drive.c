#include "core/train/drive.h"

#include "core/base/number.h"
#include "core/plan/batch.h"

#define SWAPPER "DeepSpeed deepspeed/runtime/swap_tensor/optimizer_utils.py"
#define PARAMS "DeepSpeed deepspeed/runtime/swap_tensor/partitioned_param_swapper.py"

/* Defaults of offload_config.py and of sub_group_size (zero/config.py): parameters. */
#define STATE_BUFFERS 4.0
#define GROUP_PARAMS 1e9
#define WEIGHT_BUFFERS 5.0
#define WEIGHT_BUFFER_PARAMS 1e8
#define PARAMS_IN_HOST 1e9

/* Of a parameter: master weight and moments read and written, its gradient written and read. */
#define STATE_TRAFFIC 32.0

bool
drive_has_states(const struct plan *p)
{
	return p->parallel.offload != OFFLOAD_NONE && p->parallel.offload_to != OFFLOAD_TO_HOST;
}

bool
drive_has_weights(const struct plan *p)
{
	return p->parallel.offload == OFFLOAD_OPTIMIZER_PARAMS &&
	    p->parallel.offload_to == OFFLOAD_TO_NVME;
}

double
drive_weights_in_host(const struct plan *p, double weights)
{
	return drive_has_weights(p) ? smaller(weights, PARAMS_IN_HOST * batch_width(p)) : weights;
}

double
drive_bytes(const struct plan *p, const struct drive_load *load, struct ledger *ledger)
{
	const double host = drive_weights_in_host(p, load->weights);
	double sum = 0;

	if (drive_has_states(p))
		LEDGER_TERM(ledger, sum, QUANTITY_DRIVE, "optimizer and its gradients", SWAPPER,
		    load->states + load->gradients, AS("offloaded state", load->states),
		    AS("fp32 gradients", load->gradients));
	if (load->weights > host)
		LEDGER_TERM(ledger, sum, QUANTITY_DRIVE, "weights", PARAMS, load->weights - host,
		    AS("offloaded weights", load->weights), AS("max_in_cpu, bytes", host));
	return sum;
}

double
drive_buffers(const struct plan *p, const struct drive_load *load, struct ledger *ledger)
{
	const double group = smaller(load->owned, GROUP_PARAMS), width = batch_width(p);
	double sum = 0;

	if (drive_has_states(p))
		LEDGER_TERM(ledger, sum, QUANTITY_HOST, "buffers of the optimizer's state", SWAPPER,
		    STATE_BUFFERS * group * 4, AS("buffer_count", STATE_BUFFERS),
		    AS("parameters of a group", group));
	if (drive_has_weights(p))
		LEDGER_TERM(ledger, sum, QUANTITY_HOST, "buffers of weights", PARAMS,
		    WEIGHT_BUFFERS * WEIGHT_BUFFER_PARAMS * width, AS("buffer_count", WEIGHT_BUFFERS),
		    AS("buffer_size", WEIGHT_BUFFER_PARAMS), AS("bytes", width));
	return sum;
}

/* Bytes a second for one GPU of a node. */
static double
drive_rate(const struct plan *p)
{
	return p->cluster.nvme_gbps * 1e9 / at_least_one(p->cluster.gpus_per_node);
}

double
drive_update(const struct plan *p, double owned, struct ledger *ledger)
{
	const double rate = drive_rate(p), bytes = STATE_TRAFFIC;
	double sum = 0;

	if (rate > 0 && drive_has_states(p))
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "optimizer's state from and to NVMe", SWAPPER,
		    bytes * owned / rate, AS("bytes of a parameter", bytes), AS("parameters held", owned),
		    AS("a GPU's share of the drives", rate));
	return sum;
}

double
drive_reads(const struct plan *p, double weights, const struct host_pass *pass,
    struct ledger *ledger)
{
	const double rate = drive_rate(p), read = weights - drive_weights_in_host(p, weights);
	const double m = pass->microbatches, forward = pass->forward, backward = pass->backward;
	double sum = 0;

	if (rate <= 0 || read <= 0)
		return 0;
	LEDGER_TERM(ledger, sum, QUANTITY_STEP, "weights from NVMe, exposed", PARAMS,
	    m * (larger(0, read / rate - forward) + larger(0, read / rate - backward)),
	    AS("micro-batches", m), AS("weights on NVMe", read),
	    AS("a GPU's share of the drives", rate), IS(forward), IS(backward));
	return sum;
}
