/* `estimate`: sizes, parameters and memory of every pipeline stage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/plan/nodes.h"
#include "out/out.h"

enum { DEAD_SHOWN = 8 };

/* The preset, and whether the plan makes another model of it. */
static void
print_model(const struct plan *p)
{
	int changed = 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		changed += field_is_of(f, "model") && f != FIELD_PRESET && field_is_set(f, p);
	out_part(stdout, "model        %s", p->model.preset);
	if (changed > 0)
		out_part(stdout, ", with %d value%s of the plan's own", changed, TEXT_S(changed));
	out_end(stdout);
}

/* "n17: n2048 stands in; n40" */
static void
print_dead(const struct plan *p)
{
	char own[NODE_NAME_SIZE], name[NODE_NAME_SIZE];
	struct plan alone = *p;
	struct dead_nodes dead;
	int shown = 0;

	if (p->cluster.dead_nodes[0] == '\0' || !nodes_dead(&dead, p, name, sizeof name))
		return;
	alone.cluster.dead_nodes[0] = '\0';
	for (int i = 0; i < dead.count; i++)
		for (int64_t node = dead.range[i].first; node <= dead.range[i].last && node < p->cluster.nodes; node++) {
			if (shown++ == DEAD_SHOWN) {
				out_line(stdout, "; and more");
				return;
			}
			nodes_call(&alone, node, own, sizeof own);
			nodes_call(p, node, name, sizeof name);
			out_part(stdout, "%s%s", shown == 1 ? "down         " : "; ", own);
			if (nodes_serving(&dead, p, node) >= 0)
				out_part(stdout, ": %s stands in", name);
		}
	if (shown > 0)
		out_end(stdout);
}

static void
print_sizes(const struct plan *p, const struct estimate *e)
{
	char layout[64], node[PLAN_LIST_SIZE + 8], gpus[PLAN_ID_SIZE + PLAN_LIST_SIZE];

	field_format(FIELD_LAYOUT, p, layout, sizeof layout);
	out_line(stdout, "plan         %s", *p->name != '\0' ? p->name : "(unnamed)");
	out_line(stdout, "mode         %s", p->mode == MODE_SERVE ? "serve" : "train");
	out_line(stdout, "cluster      %" PRId64 " node%s x %s GPU%s of %s = %" PRId64
	    " GPU%s", p->cluster.nodes, TEXT_S(p->cluster.nodes), plan_node_text(p, node, sizeof node),
	    TEXT_S(p->cluster.gpus_per_node), plan_gpu_text(p, gpus, sizeof gpus), plan_world(p),
	    TEXT_S(plan_world(p)));
	print_dead(p);
	print_model(p);
	out_part(stdout, "parallel     %s layout: TP %" PRId64 ", CP %" PRId64 ", PP %" PRId64
	    ", VPP %" PRId64 ", EP %" PRId64 ", ETP %" PRId64, layout, p->parallel.tp,
	    p->parallel.cp, p->parallel.pp, p->parallel.vpp, p->parallel.ep, p->parallel.etp);
	if (e->laid_out)
		out_part(stdout, "; DP %" PRId64 ", EDP %" PRId64, e->dp, e->edp);
	out_end(stdout);
	if (p->mode == MODE_TRAIN && e->microbatches > 0)
		out_line(stdout, "batch        %" PRId64 " sequences of %" PRId64 " tokens a step: %"
		    PRId64 " micro-batch%s of %" PRId64 " on each data parallel rank",
		    p->training.global_batch_size, p->training.sequence_length, e->microbatches,
		    TEXT_ENDING(e->microbatches, "es"), p->training.micro_batch_size);
}

static void
print_params(const struct estimate *e)
{
	if (!e->model_known) {
		out_line(stdout, "parameters   -");
		return;
	}
	out_part(stdout, "parameters   %s in all (%s), %s active for a token",
	    UNITS_EXACT(PARAMS, e->params.total),
	    UNITS_EXACT(COUNT, e->params.total),
	    UNITS_EXACT(PARAMS, e->params.active));
	if (e->params_trainable > 0 && e->params_trainable < e->params.total)
		out_part(stdout, ", %s trained", UNITS_EXACT(PARAMS, e->params_trainable));
	if (e->stages > 0)
		out_part(stdout, ", up to %s on one GPU",
		    UNITS_EXACT(PARAMS, e->params_per_gpu_max));
	out_end(stdout);
}

/* What stands on each stage. */
static bool
print_placement(const struct estimate *e, bool train, int64_t only)
{
	struct table t;

	table_init(&t, train ? 4 : 3);
	table_row(&t, (const char *[]){ ">stage", ">layers", ">parameters", ">in flight" });
	table_row(&t, (const char *[]){ " ", " ", "million", "micro-batches" });
	for (int64_t i = 0; i < e->stages; i++) {
		const struct stage_estimate *s = &e->stage[i];

		if (only >= 0 && i != only)
			continue;
		table_put(&t, "%.0f", (double)i);
		table_put(&t, "%.0f", (double)s->layers);
		table_put(&t, "%.1f", s->params / 1e6);
		if (train)
			table_put(&t, "%.2f", s->memory.in_flight);
	}
	return table_print(&t);
}

/* What a stage holds, by the mode: a column each. */
static size_t
memory_columns(bool train, enum result_id column[RESULT_COUNT])
{
	size_t n = 0;

	for (enum result_id id = RESULT_PARAMETERS; id <= RESULT_TOTAL; id++) {
		const bool trained = id == RESULT_GRADIENTS || id == RESULT_OPTIMIZER ||
		    id == RESULT_LOGITS;

		if (result_table[id].brief != NULL && !(train ? id == RESULT_KV_CACHE : trained))
			column[n++] = id;
	}
	return n;
}

static bool
print_memory(const struct estimate *e, bool train, int64_t only)
{
	enum result_id column[RESULT_COUNT];
	const size_t columns = memory_columns(train, column);
	double bytes;
	struct table t;

	table_init(&t, columns + 2);
	table_cell(&t, ">stage");
	for (size_t i = 0; i < columns; i++)
		table_put(&t, ">%s", result_table[column[i]].brief);
	table_cell(&t, ">%");
	for (int64_t stage = 0; stage < e->stages; stage++) {
		if (only >= 0 && stage != only)
			continue;
		table_put(&t, "%.0f", (double)stage);
		for (size_t i = 0; i < columns; i++) {
			result_value(column[i], e, stage, &bytes);
			table_put(&t, "%.2f", bytes / GIB);
		}
		if (e->stage[stage].capacity > 0)
			table_put(&t, "%.1f", 100 * e->stage[stage].memory.total / e->stage[stage].capacity);
		else
			table_cell(&t, "");
	}
	return table_print(&t);
}

static void
print_peak(const struct estimate *e, const struct plan *p)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;
	const char *peak = UNITS_EXACT(BYTES, e->peak_total);

	out_end(stdout);
	if (e->reinforced) /* the verdict is of all phases, below */
		out_line(stdout, "peak         stage %" PRId64 ": %s, of the trainer alone", e->peak_stage, peak);
	else if (estimate_has_fit(e))
		out_line(stdout, "peak         stage %" PRId64 ": %s of %s: %s", e->peak_stage, peak,
		    UNITS_EXACT(BYTES, e->capacity), estimate_verdict(e));
	else
		out_line(stdout, "peak         stage %" PRId64 ": %s of -", e->peak_stage, peak);
	if (m->overhead_high > m->overhead_low)
		out_line(stdout, "overhead     CUDA context, NCCL and fragmentation: between %s and %s",
		    UNITS_EXACT(BYTES, m->overhead_low),
		    UNITS_EXACT(BYTES, m->overhead_high));
	if (!e->reinforced && estimate_host(e, p) > 0)
		out_line(stdout, "host         %s in the memory of a node",
		    UNITS_EXACT(BYTES, estimate_host(e, p)));
	if (estimate_drives(e, p) > 0)
		out_line(stdout, "drives       %s on the NVMe drives of a node",
		    UNITS_EXACT(BYTES, estimate_drives(e, p)));
	if (e->tight)
		out_line(stdout, "range        a run may take between %s and %s",
		    UNITS_EXACT(BYTES, e->peak_low), UNITS_EXACT(BYTES, e->peak_high));
}

static int
print_estimate(const struct session *s, const struct estimate *e, int64_t only)
{
	const bool train = s->plan.mode == MODE_TRAIN;

	print_sizes(&s->plan, e);
	print_params(e);
	if (e->stages > 0) {
		out_text(stdout, "\nPipeline stages, one GPU of each\n");
		if (!print_placement(e, train, only))
			return STATUS_ERROR;
		out_text(stdout, "\nMemory of one GPU, GiB and percent of its capacity\n");
		if (!print_memory(e, train, only))
			return STATUS_ERROR;
		print_peak(e, &s->plan);
	}
	if (e->timed && !report_train(&s->plan, e))
		return STATUS_ERROR;
	if (e->reinforced && !report_rl(&s->plan, e))
		return STATUS_ERROR;
	if (e->ran && !report_run(&s->plan, e))
		return STATUS_ERROR;
	if (e->served && !report_serve(&s->plan, e))
		return STATUS_ERROR;
	return e->legal ? STATUS_OK : STATUS_NO;
}

bool
report_has_stage(const struct options *o, const struct estimate *e)
{
	if (e->stages == 0 || o->stage < e->stages)
		return true;
	usage_error("--stage %" PRId64 ": stages go from 0 to %" PRId64, o->stage, e->stages - 1);
	return false;
}

static int
report_estimate(const struct session *s, const struct estimate *e, const struct options *o)
{
	session_complain(&e->diags, SEVERITY_WARNING);
	if (!report_has_stage(o, e))
		return STATUS_ERROR;
	if (!o->json)
		return print_estimate(s, e, o->stage);
	json_estimate(s, e, o->stage);
	return e->legal ? STATUS_OK : STATUS_NO;
}

int
estimate_work(struct session *s, const struct options *o)
{
	struct estimate *e = session_estimate(s, NULL);
	int status = STATUS_ERROR;

	if (e != NULL) {
		estimate_curve(e, &s->plan);
		status = report_estimate(s, e, o);
	}
	free(e);
	return status;
}
