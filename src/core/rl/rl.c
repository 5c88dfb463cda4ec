/*
 * rl.c - the phases of a step, their seconds and what they add up to.
 */
#include "core/rl/rl.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "core/model/params.h"
#include "core/plan/pool.h"
#include "core/rl/rl_engine.h"
#include "core/rl/rl_memory.h"
#include "core/rules/check.h"
#include "core/rules/check_rules.h"
#include "core/train/host.h"
#include "core/train/step_setup.h"

#define PPO_STEP "verl docs/workers/ray_trainer.rst; arXiv 2409.19256 (HybridFlow)"
#define REST_OF_STEP "verl docs/advance/fully_async.md, one_step_off.md: steps and their phases"
#define CONTROLLER "verl verl/single_controller/base/decorator.py; docs/advance/fully_async.md"
#define RESHARD "THUDM/slime docs, weight updates of GLM-4.5 355B; verl docs/advance/fully_async.md"
#define IN_FLIGHT "NVIDIA-NeMo/RL docs/guides/async-grpo.md, in_flight_weight_updates"

/* Share of a link that weights reach on their way to the engine, and seconds of a tensor. On
 * shared GPUs all ranks gather (355B over 400 Gb/s a GPU: 48 s); between pools one sender
 * broadcasts buckets (verl's checkpoint engine: 30B-A3B in 4.4 s, 235B in 23.7 s; tensor by tensor
 * they take 15.8 and 58.6 s). */
static const double gather_share = 0.3, broadcast_share = 0.45;
static const double gather_tensor = 1e-3, broadcast_tensor = 2.5e-3;
static const double tensors_of_layer = 12;

const char *
rl_phase_name(enum rl_phase phase)
{
	static const char *const names[PHASES] = { "rollout", "reward", "old_logprob", "ref_logprob",
		"critic", "train", "sync" };

	return names[phase];
}

const char *
rl_phase_label(enum rl_phase phase)
{
	static const char *const labels[PHASES] = { "rollout", "reward", "old log-probs",
		"reference", "critic", "train", "weight sync" };

	return labels[phase];
}

double
rl_phase_begin(const struct rl_estimate *r, enum rl_phase phase)
{
	double begin = 0;

	for (int i = 0; i < (int)phase; i++)
		if (!r->overlaps || i != PHASE_ROLLOUT)
			begin += r->phase[i].seconds;
	return begin;
}

static bool
is_pairs(const struct plan *p)
{
	return p->rl.algorithm == RL_DPO || p->rl.algorithm == RL_REWARD_MODEL;
}

static double
responses_of(const struct plan *p)
{
	return is_pairs(p) ? 2 * (double)p->training.global_batch_size :
	    (double)p->rl.prompts * (double)p->rl.responses;
}

/* The plan with another model of the catalogue; "" or NULL for none: as it is. */
static void
rl_model_plan(struct plan *out, const struct plan *p, const char *preset,
    const struct catalog *catalog)
{
	*out = *p;
	if (*preset == '\0' || catalog == NULL)
		return;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_of(f, "model"))
			field_mark(f, out, false);
	text_put(out->model.preset, sizeof out->model.preset, "%s", preset);
	field_mark(FIELD_PRESET, out, true);
	plan_resolve(out, catalog);
}

/*
 * Seconds in which the process that runs the step hands its batch to workers, or takes it back: every sequence
 * as long as the longest, five numbers of 8 bytes a token and two results of 4, copied, serialized and sent
 * whatever the number of GPUs. Of 8,192 sequences of 30,720 tokens it is what old log-probs on 32, 64 and 128
 * GPUs do not share (107.7, 70.3 and 53.9 s: 36 s and 2,295 GPU seconds), 0.34 GB/s. From 2025-12 on verl sends
 * what is not padding alone (left_right_2_no_padding).
 */
static void
hand_over(const struct plan *p, struct ledger *ledger, double *sum)
{
	enum { PADLESS = 202512 };

	const double rate = 0.34e9, each = 5 * 8 + 2 * 4;
	const double n = responses_of(p), prompt = (double)p->rl.prompt_tokens;
	const double tokens = prompt + (double)(framework_before(p, PADLESS) ? p->rl.response_limit :
	    p->rl.response_tokens);

	if (!is_pairs(p))
		LEDGER_TERM(ledger, *sum, QUANTITY_RL_SECONDS, "batch to workers and back", CONTROLLER, n * tokens * each / rate,
		    AS("sequences", n), IS(tokens), AS("bytes of a token", each), AS("bytes a second", rate));
}

/* ---- models --------------------------------------------------------------------------------- */

/* Pairs are two sequences each. */
static void
count_sequences(struct plan *q)
{
	if (!is_pairs(q))
		return;
	q->training.micro_batch_size *= 2;
	q->training.global_batch_size *= 2;
}

static void
add_model(struct rl_model *m, const struct plan *p, const struct layout *l,
    const struct placement *pl)
{
	m->present = true;
	m->plan = *p;
	count_sequences(&m->plan);
	m->placement = pl;
	m->memory = memory_setup(&m->plan, l, pl, check_microbatches(&m->plan, l->dp));
}

/* Critic and reward model are split as the actor is. */
static bool
add_other(struct rl_model *m, const struct plan *p, const char *preset,
    const struct catalog *catalog, const struct layout *l, struct placement *layers)
{
	struct plan q;

	rl_model_plan(&q, p, preset, catalog);
	if (!placement_init(layers, &q, NULL))
		return false;
	add_model(m, &q, l, layers);
	return true;
}

/* What can not be split, FIELD_NONE where all can. */
static enum field_id
add_models(struct rl_models *m, const struct rl_estimate *out, const struct plan *p,
    const struct catalog *catalog, const struct layout *l, const struct placement *pl)
{
	const bool criticizes = out->phase[PHASE_CRITIC].runs, rewards = out->phase[PHASE_REWARD].runs;

	m->p = p;
	m->l = l;
	m->critic.present = m->reward.present = false;
	add_model(&m->actor, p, l, pl);
	if (criticizes && !add_other(&m->critic, p, p->rl.critic_preset, catalog, l, &m->critic_layers))
		return FIELD_CRITIC_PRESET;
	if (rewards && !add_other(&m->reward, p, p->rl.reward_preset, catalog, l, &m->reward_layers))
		return FIELD_REWARD_PRESET;
	return FIELD_NONE;
}

/* ---- seconds of the trainer ------------------------------------------------------------------ */

/*
 * Sequences of the mean length, as many in a row as fit into those that memory is planned for
 * and as the batch divides; or padded to the longest one, each a row.
 */
static void
take_mean_rows(struct plan *p, const struct layout *l)
{
	const bool packs = p->finetune.packing;
	const double together = is_pairs(p) ? (double)p->training.micro_batch_size : responses_of(p);
	const int64_t mean = p->rl.prompt_tokens + (packs ? p->rl.response_tokens :
	    (int64_t)rl_longest(p, together));
	const int64_t unit = 2 * most_of(1, p->parallel.cp) * most_of(1, p->parallel.tp);
	const int64_t row = p->training.sequence_length, batch = p->training.micro_batch_size;
	int64_t packed;

	p->training.sequence_length = least_of(row, (mean + unit - 1) / unit * unit);
	packed = packs ? row / p->training.sequence_length : 1;
	do
		p->training.micro_batch_size = batch * packed;
	while (--packed > 0 && check_microbatches(p, l->dp) == 0);
}

void
rl_take_update(struct plan *p, const struct layout *l)
{
	count_sequences(p);
	take_mean_rows(p, l);
}

/* One update of a model, and one pass over the same sequences without gradients. */
struct update {
	double seconds, pass;
};

static struct update
update_in(const struct plan *q, const struct steptime *s)
{
	return (struct update){ s->seconds, s->compute_seconds > 0 ? steptime_pass(q,
	    s->compute_seconds + s->exposed_comm_seconds + s->bubble_seconds,
	    s->host_seconds - HOST_STEP - q->training.data_seconds) : 0 };
}

static struct update
update_of(const struct rl_model *m, const struct layout *l)
{
	struct plan q = m->plan;
	struct traffic traffic;
	struct steptime s;

	take_mean_rows(&q, l);
	s = steptime_estimate(&q, l, m->placement, check_microbatches(&q, l->dp), &traffic, NULL);
	return update_in(&q, &s);
}

static void
time_trainer(struct rl_estimate *out, const struct rl_models *m, struct ledger *ledger)
{
	const struct plan *p = m->p;
	const double updates = out->updates;
	const struct update actor = update_of(&m->actor, m->l);
	struct rl_phase_estimate *f = out->phase;

	ledger_part(ledger, PART_TRAIN);
	LEDGER_TERM(ledger, f[PHASE_TRAIN].seconds, QUANTITY_RL_SECONDS, "updates", PPO_STEP,
	    updates * actor.seconds, IS(updates), AS("one of mean length", actor.seconds));
	hand_over(p, ledger, &f[PHASE_TRAIN].seconds);
	ledger_part(ledger, PART_OLD_LOGPROB);
	if (f[PHASE_OLD_LOGPROB].runs) {
		LEDGER_TERM(ledger, f[PHASE_OLD_LOGPROB].seconds, QUANTITY_RL_SECONDS, "old log-probs",
		    PPO_STEP, updates * actor.pass, IS(updates),
		    AS("(compute + exposed + bubble)/3 + launches", actor.pass));
		hand_over(p, ledger, &f[PHASE_OLD_LOGPROB].seconds);
	}
	ledger_part(ledger, PART_REF_LOGPROB);
	if (f[PHASE_REF_LOGPROB].runs) {
		LEDGER_TERM(ledger, f[PHASE_REF_LOGPROB].seconds, QUANTITY_RL_SECONDS,
		    "reference log-probs", PPO_STEP, updates * actor.pass, IS(updates),
		    AS("(compute + exposed + bubble)/3 + launches", actor.pass));
		hand_over(p, ledger, &f[PHASE_REF_LOGPROB].seconds);
	}
	ledger_part(ledger, PART_CRITIC);
	if (f[PHASE_CRITIC].runs) {
		const struct update critic = update_of(&m->critic, m->l);

		LEDGER_TERM(ledger, f[PHASE_CRITIC].seconds, QUANTITY_RL_SECONDS,
		    "values, and updates of the critic", PPO_STEP,
		    updates * (critic.pass + critic.seconds), IS(updates),
		    AS("a pass", critic.pass), AS("an update", critic.seconds));
		for (int i = 0; i < 2; i++)
			hand_over(p, ledger, &f[PHASE_CRITIC].seconds);
	}
	ledger_part(ledger, PART_REWARD);
	if (f[PHASE_REWARD].runs) {
		const struct update reward = update_of(&m->reward, m->l);

		LEDGER_TERM(ledger, f[PHASE_REWARD].seconds, QUANTITY_RL_SECONDS, "rewards", PPO_STEP,
		    updates * reward.pass, IS(updates), AS("a pass", reward.pass));
	}
	ledger_part(ledger, PART_NONE);
}

/* ---- weights to the engine ------------------------------------------------------------------- */

/* Bytes a second of the link between GPUs of all the job's, one way. */
static double
link_rate(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const double node = at_least_one(c->gpus_per_node);

	if (plan_world(p) <= c->nvlink_domain && c->nvlink_gbps > 0)
		return c->nvlink_gbps * 1e9;
	if (c->nodes == 1 && c->pcie_gbps > 0)
		return c->pcie_gbps * 1e9;
	return (double)c->nics_per_node / node * c->nic_gbps / 8 * 1e9;
}

static void
time_sync(struct rl_estimate *out, const struct plan *p, struct ledger *ledger)
{
	const bool alone = adapters_sent_alone(p);
	const double width = alone && p->finetune.adapter_dtype == ADAPTER_FP32 ? 4 : 2;
	const double n = alone ? adapters_total(p, 0, NULL) : params_model(p, NULL).total;
	const double bytes = width * n, rate = link_rate(p);
	const double tensors = tensors_of_layer * (double)p->model.layers;
	const double share = out->split ? broadcast_share : gather_share;
	const double each = out->split ? broadcast_tensor : gather_tensor;

	out->sync_bytes = bytes / (double)out->engine_gpus;
	if (!(rate > 0))
		return;
	ledger_part(ledger, PART_SYNC);
	LEDGER_TERM(ledger, out->phase[PHASE_SYNC].seconds, QUANTITY_RL_SECONDS, "weights", RESHARD,
	    bytes / (share * rate) + tensors * each, AS("bytes that are sent", bytes),
	    AS("share of the link", share), AS("link", rate), IS(tensors),
	    AS("seconds of a tensor", each));
	ledger_part(ledger, PART_NONE);
}

/* ---- all of it --------------------------------------------------------------------------------- */

double
rl_step_tokens(const struct plan *p)
{
	return responses_of(p) * (double)(p->rl.prompt_tokens + p->rl.response_tokens);
}

static void
find_phases(struct rl_estimate *out, const struct plan *p)
{
	const struct rl *r = &p->rl;
	struct rl_phase_estimate *f = out->phase;

	out->generates = plan_has_rollouts(p);
	out->split = out->generates && r->placement == RL_SPLIT;
	out->overlaps = out->split && r->staleness > 0;
	out->rollout_gpus = out->generates ? rl_rollout_gpus(p) : 0;
	out->train_gpus = pool_rest(p);
	out->responses = responses_of(p);
	out->updates = is_pairs(p) ? 1 :
	    larger(1, out->responses / (double)p->training.global_batch_size);
	f[PHASE_ROLLOUT].runs = f[PHASE_SYNC].runs = out->generates;
	f[PHASE_ROLLOUT].rollouts = true;
	f[PHASE_REWARD].runs = out->generates && r->reward_preset[0] != '\0';
	f[PHASE_OLD_LOGPROB].runs = out->generates && r->old_logprob;
	f[PHASE_REF_LOGPROB].runs = r->reference && r->algorithm != RL_DAPO &&
	    r->algorithm != RL_REWARD_MODEL;
	f[PHASE_CRITIC].runs = r->algorithm == RL_PPO;
	f[PHASE_TRAIN].runs = true;
}

/* In turn, or the slower pool: engines get new weights while they generate, so that the trainer
 * alone waits for the sync. */
static void
add_up(struct rl_estimate *out, const struct plan *p, struct ledger *ledger)
{
	const double tokens = rl_step_tokens(p);
	const double rollout = out->phase[PHASE_ROLLOUT].seconds;
	const double sync = out->phase[PHASE_SYNC].seconds;
	double trainer = 0;

	for (int i = 0; i < PHASES; i++)
		if (i != PHASE_ROLLOUT && i != PHASE_SYNC)
			trainer += out->phase[i].seconds;
	out->trainer_seconds = trainer;
	if (!(trainer > 0) || (out->generates && !(rollout > 0)))
		return;
	if (out->overlaps)
		LEDGER_TERM(ledger, out->step_seconds, QUANTITY_RL_STEP, "the slower pool", IN_FLIGHT,
		    larger(rollout, trainer + sync) * (1 + RL_OTHERS), IS(rollout), IS(trainer),
		    IS(sync), AS("others", RL_OTHERS));
	else
		LEDGER_TERM(ledger, out->step_seconds, QUANTITY_RL_STEP, "phases in turn", REST_OF_STEP,
		    (rollout + trainer + sync) * (1 + RL_OTHERS), IS(rollout), IS(trainer), IS(sync),
		    AS("others", RL_OTHERS));
	out->tokens_per_second = tokens / out->step_seconds;
	out->tokens_per_second_per_gpu = out->tokens_per_second / (double)plan_world(p);
}

bool
rl_run(struct rl_estimate *out, const struct plan *p, const struct catalog *catalog,
    const struct layout *l, const struct placement *pl, const struct rl_engine *engine,
    struct ledger *ledger)
{
	static const struct rl_estimate none;
	struct rl_models m;

	*out = none;
	find_phases(out, p);
	out->refused = add_models(&m, out, p, catalog, l, pl);
	if (out->refused != FIELD_NONE)
		return false;
	if (out->generates) {
		ledger_part(ledger, PART_ROLLOUT);
		if (engine != NULL) {
			m.engine = *engine;
		} else if (!rl_engine_of(&m.engine, p, ledger)) {
			out->refused = FIELD_ROLLOUT_TP;
			return false;
		}
		out->engine_gpus = m.engine.gpus;
		out->engines = m.engine.engines;
		out->phase[PHASE_ROLLOUT].seconds = m.engine.seconds;
		if (!out->overlaps)
			hand_over(p, ledger, &out->phase[PHASE_ROLLOUT].seconds);
		ledger_part(ledger, PART_NONE);
		time_sync(out, p, ledger);
	}
	time_trainer(out, &m, ledger);
	rl_memory(out, &m, ledger);
	add_up(out, p, ledger);
	return true;
}

/* Of the phases beside updates those that take no notice of how the trainer is split. */
static struct rl_least
least_with(const struct rl_estimate *out, const struct plan *p, const struct rl_engine *engine)
{
	const double rollout = engine->seconds, sync = out->phase[PHASE_SYNC].seconds;

	return (struct rl_least){ .beside = out->split ? 0 : rl_engine_beside(engine, p),
		.holds = rl_memory_holds(p),
		.memory = engine->awake + (out->split ? 0 : rl_memory_rest(p) / 2),
		.seconds = !(rollout > 0) ? 0 :
		    (1 + RL_OTHERS) * (out->overlaps ? larger(rollout, sync) : rollout + sync),
		.before = out->overlaps ? sync : rollout + sync, .updates = out->updates };
}

struct rl_least
rl_least_of(const struct plan *p, const struct rl_engine *engine)
{
	const struct facts facts = { .plan = p };
	struct rl_estimate out = { .generates = false };

	if (rule_rl_engines_do_not_divide(&facts, NULL, 0) || rule_rl_heads_do_not_divide(&facts, NULL, 0))
		return (struct rl_least){ .memory = INFINITY };
	find_phases(&out, p);
	if (!out.generates || engine == NULL)
		return (struct rl_least){ .updates = out.updates };
	out.engine_gpus = engine->gpus;
	time_sync(&out, p, NULL);
	return least_with(&out, p, engine);
}

/* How often the actor passes over the sequences of an update before it. */
static int
passes_of(const struct plan *p)
{
	struct rl_estimate out = { .generates = false };

	find_phases(&out, p);
	return out.phase[PHASE_OLD_LOGPROB].runs + out.phase[PHASE_REF_LOGPROB].runs;
}

double
rl_actor_seconds(const struct plan *q, const struct steptime *s)
{
	const struct update actor = update_in(q, s);

	return actor.seconds + passes_of(q) * actor.pass;
}

double
rl_actor_least(const struct plan *q, const struct step_run *r)
{
	return r->least + passes_of(q) * steptime_run_pass(r, q);
}

double
rl_step_least(const struct rl_least *r, double update)
{
	return larger(r->seconds, (1 + RL_OTHERS) * (r->before + r->updates * update));
}

double
rl_update_most(const struct rl_least *r, double step)
{
	return r->updates > 0 ? (step / (1 + RL_OTHERS) - r->before) / r->updates : INFINITY;
}
