/*
 * rl_memory.c - state that trains, sleeps or has left for the host, phase by phase.
 */
#include "core/rl/rl_memory.h"

#include <string.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/params.h"

#define HYBRID "verl verl/workers/fsdp_workers.py, hybrid engine"
#define OFFLOAD "verl docs/perf/perf_tuning.rst; NVIDIA-NeMo/RL nemo_rl/models/policy"
#define SLEEP "vLLM docs/features/sleep_mode.md"
#define LOGPROBS "verl docs/perf/perf_tuning.rst, log-probs and entropy"
#define FSDP "PyTorch torch/distributed/fsdp"
#define CONTEXTS "THUDM/slime docs, blogs/release_v0.1.0.md"

/* What a trainer keeps that has put its state away: CUDA context and NCCL, of which Megatron has
 * a communicator for every kind of group (slime's release notes: 3 to 5 GB after they were
 * closed; verl's tuning guide: 1.5 GiB of FSDP). */
#define TRAINER_REST (1.5 * GIB)
#define MEGATRON_REST (4 * GIB)

/* Bytes of weights on their way to the engine: one bucket (verl verl/trainer/config,
 * update_weights_bucket_megabytes). */
#define BUCKET_BYTES (2048 * MIB)

/* Bytes of a logit in a pass without gradients: 2, an fp32 copy and what the entropy takes. */
#define LOGIT_BYTES 7.0

/* One GPU of a stage of one model. */
struct on_stage {
	struct memory memory;    /* training */
	double pass;             /* bytes of work of a forward pass */
};

/* All models on a stage. */
struct on_gpu {
	const struct rl_models *m;
	const struct rl_estimate *out;
	struct on_stage actor, critic, reward;
	bool refers;             /* a reference policy is there: adapters are put aside for it */
};

const char *
rl_part_name(enum rl_part part)
{
	static const char *const names[HELD_PARTS] = { "engine", "weights", "gradients", "optimizer",
		"other models", "work", "overhead" };

	return names[part];
}

/* ---- a pass without gradients ----------------------------------------------------------- */

/* Width of the MLP that a token passes. */
static double
mlp_width(const struct model *m)
{
	if (m->experts == 0)
		return (double)m->ffn_hidden_size;
	return larger((double)m->ffn_hidden_size * (m->dense_layers > 0),
	    params_experts_met(m) * (double)m->moe_ffn_hidden_size +
	    (double)m->shared_expert_ffn_hidden_size);
}

/* Activations of one layer, logits of the last stage, layers that ZeRO-3 has gathered. */
static double
pass_bytes(const struct rl_model *model, bool logits)
{
	const struct plan *p = &model->plan;
	const double tp = at_least_one(p->parallel.tp), cp = at_least_one(p->parallel.cp);
	const double tokens = (double)p->training.micro_batch_size *
	    (double)p->training.sequence_length / cp;
	const double h = (double)p->model.hidden_size, v = (double)p->model.vocab_size;
	const double work = tokens * (12 * h + 6 * mlp_width(&p->model)) / tp;
	const double gathered = framework_zero(p) == 3 ?
	    2 * (2 * model->memory.layer + 2 * v * h / tp) : 0;

	return work + gathered + (logits ? LOGIT_BYTES * tokens * v / tp : 0);
}

static struct on_stage
look_at(const struct rl_model *model, int64_t stage, bool logits)
{
	struct on_stage s = { .pass = 0 };

	if (!model->present)
		return s;
	s.memory = memory_of_stage(&model->memory, stage, NULL);
	s.pass = pass_bytes(model, logits && stage == model->placement->pp - 1);
	return s;
}

/* ---- what stays on the GPU beside a phase that does not need it --------------------------- */

static bool
leaves(const struct on_gpu *g, int64_t offload)
{
	return g->m->p->rl.offload >= offload;
}

/* FSDP drops gradients after a step. */
static double
idle_gradients(const struct on_gpu *g, const struct on_stage *s)
{
	const bool dropped = framework_of(g->m->p)->idles_bare;

	return dropped || leaves(g, RL_OFFLOAD_PARAMS) ? 0 : s->memory.gradients;
}

static double
idle_weights(const struct on_gpu *g, const struct on_stage *s)
{
	return leaves(g, RL_OFFLOAD_PARAMS) ? 0 : s->memory.parameters;
}

static double
idle_optimizer(const struct on_gpu *g, const struct on_stage *s)
{
	return leaves(g, RL_OFFLOAD_OPTIMIZER) ? 0 : s->memory.optimizer;
}

/* verl keeps a reference that FSDP shards on the host in any case. */
static bool
reference_stays(const struct on_gpu *g)
{
	return g->refers && !framework_of(g->m->p)->idles_bare && !leaves(g, RL_OFFLOAD_ALL);
}

static double
idle_reference(const struct on_gpu *g)
{
	return reference_stays(g) ? g->actor.memory.parameters : 0;
}

static double
idle_critic(const struct on_gpu *g)
{
	return idle_weights(g, &g->critic) + idle_gradients(g, &g->critic) +
	    idle_optimizer(g, &g->critic);
}

static double
idle_reward(const struct on_gpu *g)
{
	return leaves(g, RL_OFFLOAD_ALL) ? 0 : g->reward.memory.parameters;
}

/* Transformer Engine's framework is Megatron. */
double
rl_memory_rest(const struct plan *p)
{
	return framework_of(p)->transformer_engine ? MEGATRON_REST : TRAINER_REST;
}

bool
rl_memory_holds(const struct plan *p)
{
	return p->rl.placement != RL_SPLIT && p->rl.offload == RL_OFFLOAD_NONE && !framework_of(p)->idles_bare;
}

/* ---- the phases --------------------------------------------------------------------------- */

/* The trainer's pool while nothing of it runs. */
static void
hold_idle(double held[HELD_PARTS], const struct on_gpu *g)
{
	const bool shares = g->out->generates && !g->out->split;

	held[HELD_ENGINE] = shares ? rl_engine_beside(&g->m->engine, g->m->p) : 0;
	held[HELD_WEIGHTS] = idle_weights(g, &g->actor);
	held[HELD_GRADIENTS] = idle_gradients(g, &g->actor);
	held[HELD_OPTIMIZER] = idle_optimizer(g, &g->actor);
	held[HELD_MODELS] = idle_reference(g) + idle_critic(g) + idle_reward(g);
	held[HELD_WORK] = 0;
	held[HELD_REST] = rl_memory_rest(g->m->p);
}

/* A pool of its own holds nothing but the engine. */
static void
hold_engine(double held[HELD_PARTS], const struct on_gpu *g, double work)
{
	for (int i = 0; g->out->split && i < HELD_PARTS; i++)
		held[i] = 0;
	held[HELD_ENGINE] = g->m->engine.awake;
	held[HELD_WORK] = work;
}

static void
hold_training(double held[HELD_PARTS], const struct memory *m)
{
	held[HELD_WEIGHTS] = m->parameters;
	held[HELD_GRADIENTS] = m->gradients;
	held[HELD_OPTIMIZER] = m->optimizer;
	held[HELD_WORK] = m->activations + m->logits + m->buffers;
	held[HELD_REST] = m->overhead;
}

/* The critic trains in its own phase; a value head has no logits. */
static void
hold_critic(double held[HELD_PARTS], const struct on_gpu *g)
{
	const struct memory *m = &g->critic.memory;

	held[HELD_MODELS] += m->parameters + m->gradients + m->optimizer - idle_critic(g);
	held[HELD_WORK] = m->activations + m->buffers;
}

/* The engine's weights wake first, its cache last. The fuller pool counts. */
static void
hold_sync(double held[HELD_PARTS], const struct on_gpu *g)
{
	const struct rl_engine *e = &g->m->engine;

	held[HELD_WEIGHTS] = g->actor.memory.parameters;
	held[HELD_WORK] = BUCKET_BYTES;
	if (!g->out->split)
		held[HELD_ENGINE] = smaller(e->awake, rl_engine_beside(e, g->m->p) + e->weights);
	else if (e->awake > held[HELD_WEIGHTS] + held[HELD_GRADIENTS] + held[HELD_OPTIMIZER] +
	    held[HELD_MODELS] + held[HELD_REST])
		hold_engine(held, g, BUCKET_BYTES);
}

static void
hold_phase(double held[HELD_PARTS], const struct on_gpu *g, enum rl_phase phase)
{
	hold_idle(held, g);
	switch (phase) {
	case PHASE_ROLLOUT:
		hold_engine(held, g, 0);
		break;
	case PHASE_REWARD:
		held[HELD_MODELS] += g->reward.memory.parameters - idle_reward(g);
		held[HELD_WORK] = g->reward.pass;
		break;
	case PHASE_OLD_LOGPROB:
		held[HELD_WEIGHTS] = g->actor.memory.parameters;
		held[HELD_WORK] = g->actor.pass;
		break;
	case PHASE_REF_LOGPROB:
		if (!g->refers)
			held[HELD_WEIGHTS] = g->actor.memory.parameters;
		else if (leaves(g, RL_OFFLOAD_ALL) && !framework_of(g->m->p)->idles_bare)
			held[HELD_MODELS] += g->actor.memory.parameters;
		held[HELD_WORK] = g->actor.pass;
		break;
	case PHASE_CRITIC:
		hold_critic(held, g);
		break;
	case PHASE_TRAIN:
		hold_training(held, &g->actor.memory);
		break;
	case PHASE_SYNC:
		hold_sync(held, g);
		break;
	case PHASES:
		break;
	}
}

/* What is known of a range: that of a training step; else work may be off as it is there, and
 * contexts take half as much. */
static double
unsure(const struct on_gpu *g, enum rl_phase phase, const double held[HELD_PARTS])
{
	const struct memory *m = &g->actor.memory;

	if (phase == PHASE_TRAIN)
		return m->total - m->low;
	return MEMORY_ERROR * held[HELD_WORK] + held[HELD_REST] / 2;
}

static void
note_phase(const struct rl_phase_estimate *f, struct ledger *ledger)
{
	static const char *const sources[HELD_PARTS] = {
		[HELD_ENGINE] = SLEEP, [HELD_WEIGHTS] = HYBRID, [HELD_GRADIENTS] = OFFLOAD,
		[HELD_OPTIMIZER] = OFFLOAD, [HELD_MODELS] = OFFLOAD, [HELD_WORK] = LOGPROBS,
		[HELD_REST] = CONTEXTS
	};
	double sum = 0;

	for (int i = 0; i < HELD_PARTS; i++) {
		const double bytes = f->held[i];

		if (bytes > 0)
			LEDGER_TERM(ledger, sum, QUANTITY_RL_MEMORY, rl_part_name((enum rl_part)i),
			    sources[i], bytes, IS(bytes));
	}
}

/* ---- the host ------------------------------------------------------------------------------- */

static double
put_away(const struct on_gpu *g, const struct on_stage *s)
{
	return s->memory.parameters - idle_weights(g, s) + s->memory.optimizer -
	    idle_optimizer(g, s);
}

/* Gradients are dropped, not copied; what parallel.offload keeps there stays. */
static double
host_bytes(const struct on_gpu *g, struct ledger *ledger)
{
	const struct rl_models *m = g->m;
	const double gpus = (double)m->p->cluster.gpus_per_node;
	const double actor = put_away(g, &g->actor) + g->actor.memory.host;
	const double critic = put_away(g, &g->critic);
	const double reference = g->refers && !reference_stays(g) ? g->actor.memory.parameters : 0;
	const double reward = g->reward.memory.parameters - idle_reward(g);
	const double engine = g->out->generates && !g->out->split && m->p->rl.engine_sleep == 1 ?
	    m->engine.weights : 0;
	double sum = 0;

	if (actor + critic > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_RL_HOST, "state that left the GPUs", OFFLOAD,
		    gpus * (actor + critic), IS(gpus), IS(actor), IS(critic));
	if (reference + reward > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_RL_HOST, "frozen models", FSDP,
		    gpus * (reference + reward), IS(gpus), IS(reference), AS("reward model", reward));
	if (engine > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_RL_HOST, "weights of sleeping engines", SLEEP,
		    gpus * engine, IS(gpus), AS("weights of one GPU", engine));
	return sum;
}

/* ---- all stages ----------------------------------------------------------------------------- */

static struct on_gpu
on_gpu(const struct rl_estimate *out, const struct rl_models *m, int64_t stage)
{
	return (struct on_gpu){ .m = m, .out = out,
		.refers = out->phase[PHASE_REF_LOGPROB].runs && !adapters_only(m->p),
		.actor = look_at(&m->actor, stage, true), .critic = look_at(&m->critic, stage, false),
		.reward = look_at(&m->reward, stage, false) };
}

/* The fullest stage of a phase. */
static void
take_stage(struct rl_estimate *out, const struct on_gpu *g)
{
	for (int i = 0; i < PHASES; i++) {
		struct rl_phase_estimate *f = &out->phase[i];
		double held[HELD_PARTS], sum = 0;

		if (!f->runs)
			continue;
		hold_phase(held, g, (enum rl_phase)i);
		for (int k = 0; k < HELD_PARTS; k++)
			sum += held[k];
		f->low = larger(f->low, sum - unsure(g, (enum rl_phase)i, held));
		if (sum <= f->memory)
			continue;
		f->memory = sum;
		memcpy(f->held, held, sizeof held);
	}
}

void
rl_memory(struct rl_estimate *out, const struct rl_models *m, struct ledger *ledger)
{
	int64_t most = 0;
	struct on_gpu g;

	for (int64_t s = 0; s < m->actor.placement->pp; s++) {
		double bytes;

		g = on_gpu(out, m, s);
		take_stage(out, &g);
		bytes = host_bytes(&g, NULL);
		if (bytes > out->host_bytes_per_node) {
			out->host_bytes_per_node = bytes;
			most = s;
		}
	}
	for (int i = 0; i < PHASES; i++) {
		const struct rl_phase_estimate *f = &out->phase[i];

		out->peak_low = larger(out->peak_low, f->low);
		if (f->runs && f->memory > out->peak_bytes) {
			out->peak_bytes = f->memory;
			out->fullest = (enum rl_phase)i;
		}
	}
	if (ledger == NULL)
		return;
	g = on_gpu(out, m, most);
	host_bytes(&g, ledger);
	note_phase(&out->phase[out->fullest], ledger);
}
