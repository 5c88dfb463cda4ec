#include "core/estimate/estimate_run.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/framework/checkpoints.h"
#include "core/framework/framework.h"
#include "core/framework/gpu_types.h"
#include "core/plan/nodes.h"
#include "core/rules/check.h"
#include "core/run/lost.h"
#include "core/run/speeds.h"

#define CALCULATOR "Megatron-LM megatron/core/num_microbatches_calculator.py, decrease_batch_size_if_needed"
#define SLOW "BigScience chronicles: one slow node of 48, 149 to 140 TFLOP/s"
#define RAILS "NVIDIA/nccl src/graph/connect.cc, ncclTopoPostset"
#define WORTH 4 /* times as long a step, and nobody goes on */
#define LAYOUTS "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py"
#define HETERO "FlagOpen/FlagScale flagscale/train/arguments.py, hetero_process_meshes"
#define STAGED "radixark/Megatron-LM pull request 61"

void
estimate_whole(struct estimate *out, const struct plan *p, const struct layout *l,
    const struct placement *pl, double params, struct ledger *ledger)
{
	struct run_inputs in = { .layout = l, .placement = pl, .step = &out->step, .params = params };

	out->ran = false;
	out->run.checkpoint.host = 0;
	if (!out->timed)
		return;
	in.step_seconds = out->reinforced ? out->rl.step_seconds : out->step.seconds;
	in.tokens_a_step = in.step_seconds * (out->reinforced ? out->rl.tokens_per_second :
	    out->step.tokens_per_second);
	run_checkpoint(&out->run, p, &in, ledger);
	out->ran = plan_has_run(p) && in.tokens_a_step > 0 && out->run.checkpoint.all > 0 &&
	    run_work(&out->run, p, &in, ledger);
}

/* Why a stage of the batch schedule is refused where the plan's own batch is not. */
static void
check_stage(struct estimate *out, const struct plan *p, const struct catalog *catalog)
{
	const struct ramp_stage *stage = &out->run.ramp.stage[out->run.refused];
	const struct plan q = ramp_plan(p, stage);
	struct diag_list diags;

	diag_clear(&diags);
	plan_check(&q, catalog, &diags);
	if (diag_count(&diags, SEVERITY_ERROR) > 0)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_BATCH_SCHEDULE, "batch_schedule_refused",
		    diags.item[0].source, "stage %d, %lld sequences of %lld tokens, would be refused: %s",
		    out->run.refused + 1, (long long)stage->batch, (long long)stage->sequence,
		    diags.item[0].message);
}

/* What a save keeps in a host beside what is there for good. */
static void
check_host_saves(struct estimate *out, const struct plan *p, double held)
{
	const double save = out->run.checkpoint.host;
	const double capacity = p->cluster.host_memory_gib * GIB;

	if (!(capacity > 0) || !(save > 0) || held + save <= capacity)
		return;
	diag_add(&out->diags, SEVERITY_WARNING, checkpoint_is_async(p) ? FIELD_CHECKPOINT_ASYNC :
	    FIELD_CHECKPOINT_FORMAT, "save_does_not_fit_host", STAGED,
	    "a save keeps %s in the memory of a node until it is written%s%s: the host has %s",
	    UNITS_SHORT(BYTES, save), held > 0 ? ", beside " : "",
	    held > 0 ? UNITS_SHORT(BYTES, held) : "", UNITS_SHORT(BYTES, capacity));
}

static void
check_deadline(struct estimate *out, const struct plan *p)
{
	const struct run_estimate *r = &out->run;

	if (p->run.deadline_days > 0 && r->days > p->run.deadline_days)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_DEADLINE_DAYS, "deadline_missed", "shardplan",
		    "the run takes %.1f days, between %.1f and %.1f: %.1f more than the deadline, of which "
		    "search deadline %.6gd finds plans", r->days, r->days_low, r->days_high,
		    r->days - p->run.deadline_days, p->run.deadline_days);
}

static void
check_spares(struct estimate *out, const struct plan *p)
{
	struct diag *d;

	if (p->run.spare_nodes == 0 || (double)p->run.spare_nodes >= out->run.spares)
		return;
	d = diag_add(&out->diags, SEVERITY_HINT, FIELD_SPARE_NODES, "spares_run_out", FAILURE_SOURCE,
	    "%lld spare node%s: at %.3g failures in 1,000 node-days and repairs of %.3g h more than that "
	    "are broken at once for over 1 %% of the time", (long long)p->run.spare_nodes,
	    TEXT_S(p->run.spare_nodes), p->run.failures_per_1000_node_days, p->run.repair_hours);
	if (d != NULL) {
		d->fix_field = FIELD_SPARE_NODES;
		text_put(d->fix_value, sizeof d->fix_value, "%.0f", out->run.spares);
	}
}

/* "in 12.3 s instead of 12.1 s" */
static void
add_seconds(const struct estimate *out, double seconds, char *buf, size_t size)
{
	text_add(buf, size, " in %s instead of %s", UNITS_SHORT(SECONDS, seconds),
	    UNITS_SHORT(SECONDS, out->step.seconds));
}

/* "15 nodes idle" */
static void
add_idle(const struct plan *p, int64_t gpus, char *buf, size_t size)
{
	const int64_t nodes = gpus / p->cluster.gpus_per_node;

	if (gpus > 0 && gpus % p->cluster.gpus_per_node == 0)
		text_add(buf, size, ", %lld node%s idle", (long long)nodes, TEXT_S(nodes));
	else if (gpus > 0)
		text_add(buf, size, ", %lld GPU%s idle", (long long)gpus, TEXT_S(gpus));
}

/* Seconds of as much work as a step of the plan is: with fewer sequences the run has more steps. */
static double
work_seconds(const struct plan *p, const struct lost_way *way)
{
	return way->seconds > 0 ? way->seconds * (double)p->training.global_batch_size / (double)way->batch : 0;
}

/* Ways to go on with some nodes fewer, the one that keeps the batch if it is worth it. */
static void
add_ways(const struct estimate *out, const struct plan *p, const struct lost_nodes *lost, char *buf, size_t size)
{
	const struct lost_way *same = &lost->same, *less = &lost->less;

	if (lost->dp == 0)
		text_add(buf, size, "too few GPUs are left for one replica of the model");
	if (same->seconds > 0 && same->seconds < WORTH * out->step.seconds) {
		text_add(buf, size, "DP %lld keeps the batch", (long long)same->dp);
		add_idle(p, same->idle, buf, size);
		text_add(buf, size, ", steps");
		add_seconds(out, same->seconds, buf, size);
	}
	if (less->seconds > 0 && less->batch < p->training.global_batch_size) {
		text_add(buf, size, "%sDP %lld takes %lld of %lld sequences%s", same->seconds > 0 &&
		    same->seconds < WORTH * out->step.seconds ? "; " : "", (long long)less->dp,
		    (long long)less->batch, (long long)p->training.global_batch_size,
		    framework_of(p)->decreases_batch ? " (--decrease-batch-size-if-needed)" :
		    ", which is another global batch");
		add_idle(p, less->idle, buf, size);
		text_add(buf, size, ", steps");
		add_seconds(out, less->seconds, buf, size);
	}
}

/* Two changes at most are one mend: nodes, and the batch or, of nodes without names, how many are left to stand in. */
static void
mend_lost(struct diag *d, const struct plan *p, const struct lost_way *way)
{
	const bool other = way->batch != p->training.global_batch_size, listed = p->cluster.node_list[0] != '\0';

	if (d == NULL || !(way->seconds > 0) || way->copies != p->parallel.dp_replicate ||
	    way->micro_batch != p->training.micro_batch_size || (other && !listed))
		return;
	d->fix_field = FIELD_NODES;
	text_put(d->fix_value, sizeof d->fix_value, "%lld", (long long)way->nodes);
	if (other || !listed) {
		d->also_field = other ? FIELD_GLOBAL_BATCH_SIZE : FIELD_SPARE_NODES;
		text_put(d->also_value, sizeof d->also_value, "%lld", (long long)(other ? way->batch :
		    p->cluster.nodes + p->run.spare_nodes - way->nodes));
	}
}

/* Nodes that are down, and nothing stands in for them; without any, of a run, that one may be, and what a spare one is
 * worth beside the ways to go on. */
static void
check_lost(struct estimate *out, const struct plan *p, int64_t missing)
{
	const bool alike = p->cluster.nodes > 1 && !plan_has_rl(p) && plan_nodes_alike(p);
	char text[DIAG_MESSAGE_SIZE] = "";
	struct lost_nodes lost;
	double same, less, then;

	if (missing == 0 && !alike)
		return;
	lost = alike ? lost_of(p, most_of(1, missing)) : (struct lost_nodes){ .dp = 1 };
	same = work_seconds(p, &lost.same);
	less = work_seconds(p, &lost.less);
	then = same > 0 && (!(less > 0) || same < less) ? same : less;
	add_ways(out, p, &lost, text, sizeof text);
	if (missing > 0) {
		mend_lost(diag_add(&out->diags, SEVERITY_WARNING, FIELD_DEAD_NODES, "nodes_dead", CALCULATOR,
		    "%lld of %lld nodes %s down, and nothing stands in%s%s; search spare looks at other sizes",
		    (long long)missing, (long long)p->cluster.nodes, missing == 1 ? "is" : "are",
		    text[0] != '\0' ? ": " : "", text), p,
		    then < same ? &lost.less : &lost.same);
		return;
	}
	if (then > out->step.seconds)
		text_add(text, sizeof text, "; a spare node costs %.2g %% and saves %.2g %%",
		    100 / (double)p->cluster.nodes, 100 * lost_share(p, out->step.seconds, then));
	if (text[0] != '\0')
		diag_add(&out->diags, SEVERITY_HINT, FIELD_NODES, "node_lost", CALCULATOR,
		    "with one node fewer: %s", text);
}

/* The first ring over an odd number of nodes, NULL without one. */
static const struct traffic_row *
odd_ring(const struct estimate *out)
{
	for (size_t i = 0; i < out->traffic.count; i++) {
		const struct traffic_row *row = &out->traffic.row[i];

		if (row->span.nodes > 1 && row->span.nodes % 2 == 1 &&
		    !text_equal(row->collective, collective_name(COLLECTIVE_SEND)) &&
		    !text_equal(row->collective, collective_name(COLLECTIVE_ALL_TO_ALL)))
			return row;
	}
	return NULL;
}

/* A ring that leaves a node by another card than it came in by has the cards of every second node
 * swapped, so that neighbours meet on one rail: of an odd number two do not. No measurement tells
 * how much that costs, so no time has it. */
static void
check_odd(struct estimate *out, const struct plan *p)
{
	const struct traffic_row *row = p->cluster.nics_per_node > 1 ? odd_ring(out) : NULL;
	char text[DIAG_MESSAGE_SIZE] = "";
	struct lost_way even;

	if (row == NULL || plan_has_rl(p) || !plan_nodes_alike(p))
		return;
	even = lost_even(p, row->span.nodes);
	if (even.seconds > 0) {
		text_put(text, sizeof text, "; on %lld, DP %lld with %lld sequences, steps",
		    (long long)(row->span.nodes + 1), (long long)even.dp, (long long)even.batch);
		add_seconds(out, even.seconds, text, sizeof text);
	}
	diag_add(&out->diags, SEVERITY_HINT, FIELD_NODES, "nodes_odd", RAILS,
	    "%s over %lld GPUs lies on %lld nodes: NCCL swaps the cards of every second node, so rings over "
	    "an odd number may cross rails, which no time here counts%s", traffic_dim_name(row->dim),
	    (long long)row->span.size, (long long)row->span.nodes, text);
}

/* What slow nodes cost where they are, on the best stage, and if they were left out. */
static void
check_slow(struct estimate *out, const struct plan *p)
{
	const double slow = out->step.slow_seconds, rest = out->step.seconds - slow;
	struct slow_place place;

	if (!(slow > 0) || !(rest > 0))
		return;
	if (lost_slow_place(&place, p, &out->layout) && place.seconds < 0.998 * out->step.seconds)
		diag_add(&out->diags, SEVERITY_HINT, FIELD_SLOW_NODES, "slow_nodes_elsewhere", SLOW,
		    "slow nodes make steps %.1f %% longer; as nodes of stage %lld, from node %lld on, which "
		    "has least to do, %.1f %%", 100 * slow / rest, (long long)place.stage,
		    (long long)place.node, 100 * (place.seconds / rest - 1));
	else
		diag_add(&out->diags, SEVERITY_HINT, FIELD_SLOW_NODES, "slow_nodes_wait", SLOW,
		    "slow nodes make steps %.1f %% longer, wherever they are: all others wait for them",
		    100 * slow / rest);
}

/* A layout that is no longer than a mend may be. */
static void
mend_layout(struct diag *d, const struct plan *p)
{
	if (d == NULL || strlen(p->parallel.pipeline_layout) >= sizeof d->fix_value)
		return;
	d->fix_field = FIELD_PIPELINE_LAYOUT;
	text_put(d->fix_value, sizeof d->fix_value, "%s", p->parallel.pipeline_layout);
}

/* Stages that are not alike with layers by what they take for them, if that is worth it. */
static void
check_speeds(struct estimate *out, const struct plan *p)
{
	double seconds;
	struct plan q;
	char text[80] = "";

	if ((p->others == 0 && !(out->step.slow_seconds > 0)) ||
	    !speeds_plan(&q, &seconds, p, &out->layout) || seconds > 0.99 * out->step.seconds)
		return;
	add_seconds(out, seconds, text, sizeof text);
	mend_layout(diag_add(&out->diags, SEVERITY_HINT, FIELD_PIPELINE_LAYOUT, "layers_by_speed", LAYOUTS,
	    "stages take their layers at different speeds: with %s steps%s", q.parallel.pipeline_layout, text), &q);
}

/* GPUs that wait for slower ones of their own stage. */
static void
check_types(struct estimate *out, const struct plan *p)
{
	unsigned types[STAGE_CHUNKS_MAX];

	if (p->others == 0)
		return;
	gpu_types_of_stages(types, p, &out->layout);
	for (int64_t i = 0; i < out->stages; i++)
		if ((types[i] & (types[i] - 1)) != 0) {
			diag_add(&out->diags, SEVERITY_HINT, FIELD_OTHER_GPUS, "gpu_types_wait", HETERO,
			    "stage %lld has GPUs of several types: its groups go at the pace of the slowest, and have the "
			    "memory of the smallest. Stages of one type each: order tp-cp-ep-dp-pp, and nodes of a type that "
			    "hold whole stages", (long long)i);
			return;
		}
}

void
estimate_check_run(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    double held)
{
	const int64_t missing = nodes_missing(p);

	if (!out->timed)
		return;
	if (missing > 0)
		check_lost(out, p, missing);
	check_host_saves(out, p, held);
	check_slow(out, p);
	check_types(out, p);
	check_speeds(out, p);
	check_odd(out, p);
	if (!plan_has_run(p))
		return;
	if (!out->ran && out->run.refused >= 0)
		check_stage(out, p, catalog);
	if (out->run.stuck)
		diag_add(&out->diags, SEVERITY_WARNING, FIELD_FAILURES, "run_never_ends", FAILURE_SOURCE,
		    "the job stops every %s, saves every %s of steps and takes %s to go on: it does not get "
		    "anywhere", UNITS_SHORT(SECONDS, out->run.failures.mean),
		    UNITS_SHORT(SECONDS, out->run.interval), UNITS_SHORT(SECONDS, out->run.failures.restart));
	if (!out->ran)
		return;
	if (missing == 0)
		check_lost(out, p, 0);
	check_deadline(out, p);
	check_spares(out, p);
}
