#include "core/train/update.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/params.h"
#include "core/plan/pool.h"
#include "core/train/drive.h"
#include "core/train/step_setup.h"

#define OPTIMIZER_SOURCE "SimuMax simumax/core/perf_llm.py"
#define HOST_ADAM_SOURCE "Ren et al. 2021, arXiv 2101.06840, CPU-Adam"
#define MUON_SOURCE "Jordan et al. 2024, kellerjordan.github.io/posts/muon"
#define SLICE_SOURCE "nanotron src/nanotron/distributed.py"
#define COPY_SOURCE "PyTorch torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py"

/* Bytes that the optimizer moves: for a parameter on this GPU (zero, norm and scale of
 * fp32 gradients) and for one whose state this GPU holds (Adam and the casts round it). */
#define LOCAL_BYTES 16.0
#define OWNED_BYTES 58.0

/* Of one that the host updates: its gradient on the way there, and the weight back, in 16 bits. */
#define MOVED_BYTES 4.0

struct shards
update_shards(const struct step_run *r, const struct plan *p)
{
	const struct shards all = memory_shards(p, r->layout);

	return shards_over(framework_zero(p) > 0, &all);
}

/* Of `local` parameters on this GPU, of which it updates those that it owns. */
static double
optimizer_seconds(const struct plan *p, const struct machine *g, double local, double owned,
    struct ledger *ledger)
{
	const bool away = p->parallel.offload != OFFLOAD_NONE && host_link(p) > 0;
	const double memory = g->vector.reached, gpus = at_least_one(p->cluster.gpus_per_node);
	const double updated = away ? 0 : owned;
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_STEP, "optimizer", OPTIMIZER_SOURCE,
	    LOCAL_BYTES * local / memory + g->kernel + OWNED_BYTES * updated / memory,
	    AS("bytes", LOCAL_BYTES), AS("parameters", local), AS("memory rate", memory),
	    AS("t0", g->kernel), AS("bytes of what is held", OWNED_BYTES),
	    AS("parameters held", updated));
	if (away)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "optimizer on the host", HOST_ADAM_SOURCE,
		    owned * gpus / (p->cluster.host_adam * 1e9) + MOVED_BYTES * owned / host_link(p),
		    AS("parameters held", owned), AS("GPUs of a node", gpus),
		    AS("billion parameters a second", p->cluster.host_adam), AS("bytes moved", MOVED_BYTES),
		    AS("link", host_link(p)));
	return sum + drive_update(p, owned, ledger);
}

double
update_optimizer(const struct step_run *r, const struct plan *p, struct ledger *ledger)
{
	const struct stage_params *held = &r->trained;
	const struct shards over = update_shards(r, p);
	const double owned = held->dense / over.dense + held->expert / over.expert;

	return optimizer_seconds(p, &r->set->machine,
	    framework_zero(p) == 3 ? owned : held->dense + held->expert, owned, ledger);
}

double
update_least(const struct plan *p)
{
	const struct machine g = machine_of(p);
	struct placement one; /* large, of which one chunk is filled in */
	struct rank_layers all;
	struct stage_params held;
	double owned;

	if (!g.known || p->others > 0 || adapters_only(p))
		return 0;
	one.pp = one.vpp = 1;
	one.chunk[0] = stage_all_layers(p);
	all = params_rank(p, &one, 0);
	held = params_held(p, &all, NULL);
	owned = params_of_stage(p, &held) / (double)pool_rest(p);
	return ROUNDED(optimizer_seconds(p, &g, owned, owned, NULL));
}

/* Five steps of Newton and Schulz on a matrix of m <= n: 4*n*m^2 + 2*m^3 FLOP each, at most
 * 30*m for a weight. The matrices of an MLP stand for all. */
#define MUON_STEPS 5.0

static double
muon_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger)
{
	const struct shards over = update_shards(r, p);
	const double h = (double)p->model.hidden_size, tp = at_least_one(p->parallel.tp);
	const double ranks = fmax(1, params_expert_ranks(p) / at_least_one(p->parallel.ep));
	const double dense = fmin(h, (double)p->model.ffn_hidden_size / tp);
	const double expert = fmin(h, (double)p->model.moe_ffn_hidden_size / ranks);
	const double weights = r->trained.linear / over.dense;
	const double experts = r->trained.expert_linear / over.expert;
	const double rate = r->set->machine.plain.reached;
	double sum = 0;

	if (p->training.optimizer == OPTIMIZER_MUON)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "orthogonal updates of Muon", MUON_SOURCE,
		    MUON_STEPS * 6 * (weights * dense + experts * expert) / rate,
		    AS("steps", MUON_STEPS), IS(weights), AS("smaller side", dense), IS(experts),
		    AS("their smaller side", expert), IS(rate));
	return sum;
}

/*
 * nanotron's ZeRO-1 cuts every parameter by ranks and copies the slices one by one round its
 * two collectives (nanotron src/nanotron/distributed.py, reduce_scatter_coalesced and
 * all_gather_coalesced): host work of a few PyTorch calls a slice, which nothing hides. The
 * seconds are a judgement (three views and a copy), checked with one run of 512 GPUs.
 */
#define SLICE_SECONDS 15e-6

static double
slice_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger)
{
	const struct stage *s = &r->slowest;
	const double dp = (double)r->layout->dp;
	/* QKV, output, up with gate, down, and the norms; embedding, last norm and head */
	const double tensors = s->layers * (4 + params_norms(&p->model)) +
	    s->embedding + 2 * s->heads;
	double sum = 0;

	if (framework_of(p)->slices_state && framework_zero(p) == 1 && dp > 1)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "slices of parameters", SLICE_SOURCE,
		    tensors * dp * SLICE_SECONDS, AS("weights of the stage", tensors), AS("DP", dp),
		    AS("seconds", SLICE_SECONDS));
	return sum;
}

/*
 * FSDP2 shards each parameter for itself: what it gathers is copied apart, forward and
 * backward, 16 bits read and written (split_with_sizes_copy), and gradients are copied together,
 * cast to what they are reduced in (chunk_cat). Where weights stay gathered, with a pipeline or
 * below ZeRO 3, gradients are added up instead.
 */
static double
copy_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger)
{
	const double m = r->microbatches, rate = r->set->machine.vector.reached;
	const double held = r->held.dense + r->held.expert;
	const double trained = r->trained.dense + r->trained.expert;
	const double sum = p->training.grad_dtype == GRAD_FP32 ? 4 : 2;
	double seconds = 0;

	if (framework_of(p)->copies_since == 0 || r->layout->dp <= 1)
		return seconds;
	if (framework_zero(p) < 3 || (framework_of(p)->gathers_once && p->parallel.pp > 1)) {
		LEDGER_TERM(ledger, seconds, QUANTITY_STEP, "gradients added up", COPY_SOURCE,
		    m * (2 + 2 * sum) * trained / rate, AS("micro-batches", m), AS("bytes of a sum", sum),
		    AS("parameters", trained), AS("memory rate", rate));
		return seconds;
	}
	if (!framework_runs(p, framework_of(p)->copies_since)) /* FSDP1: one flat parameter a layer */
		return seconds;
	LEDGER_TERM(ledger, seconds, QUANTITY_STEP, "copies of gathered weights", COPY_SOURCE,
	    m * 8 * held / rate, AS("micro-batches", m), AS("parameters", held),
	    AS("memory rate", rate));
	LEDGER_TERM(ledger, seconds, QUANTITY_STEP, "copies of gradients to scatter", COPY_SOURCE,
	    m * (2 + sum) * trained / rate, AS("micro-batches", m), AS("bytes of a sum", sum),
	    AS("parameters", trained), AS("memory rate", rate));
	return seconds;
}

double
update_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger)
{
	return update_optimizer(r, p, ledger) + muon_seconds(r, p, ledger) +
	    slice_seconds(r, p, ledger) + copy_seconds(r, p, ledger);
}
