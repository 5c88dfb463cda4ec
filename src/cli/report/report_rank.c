/* `rank`: one GPU, where it is, with whom it talks and what it holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/output.h"
#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/session.h"
#include "core/base/text.h"
#include "core/framework/link.h"
#include "core/plan/nodes.h"
#include "out/out.h"
#include "ui/map/map.h"

enum { PEERS_SHOWN = 16 };

static void
add_group(struct table *t, const struct plan *p, const struct layout *l, int kind,
    int64_t rank)
{
	const int64_t group = layout_group_of(l, kind, rank);
	const int64_t size = layout_group_size(l, kind);
	char peers[PEERS_SHOWN * 12 + 32] = "";

	if (group < 0) {
		table_row(t, (const char *[]){ l->kind[kind].name, "", "", "", "", "in no group" });
		return;
	}
	for (int64_t k = 0; k < size && k < PEERS_SHOWN; k++)
		text_add(peers, sizeof peers, "%s%" PRId64, k > 0 ? " " : "",
		    layout_member(l, kind, group, k));
	if (size > PEERS_SHOWN)
		text_add(peers, sizeof peers, " ... %" PRId64, layout_member(l, kind, group, size - 1));
	table_cell(t, l->kind[kind].name);
	table_put(t, "%" PRId64, group);
	table_put(t, "%" PRId64, size);
	table_put(t, "%" PRId64, layout_position(l, kind, rank));
	table_cell(t, link_name(p, l, kind, group));
	table_cell(t, peers);
}

static bool
print_group_table(const struct plan *p, const struct layout *l, int64_t rank)
{
	struct table t;

	table_init(&t, 6);
	table_row(&t, (const char *[]){ "kind", ">group", ">size", ">position", "link", "ranks" });
	for (int kind = 0; kind < l->kinds; kind++)
		add_group(&t, p, l, kind, rank);
	return table_print(&t);
}

static void
print_memory(const struct estimate *e, int64_t stage)
{
	const char *between = "memory       ";
	double bytes;

	for (enum result_id id = RESULT_PARAMETERS; id <= RESULT_OVERHEAD; id++)
		if (id != RESULT_ALLOCATED && result_value(id, e, stage, &bytes) && bytes > 0) {
			out_part(stdout, "%s%s %s", between, result_table[id].label,
			    UNITS_EXACT(BYTES, bytes));
			between = ", ";
		}
	out_line(stdout, ": %s of %s", UNITS_EXACT(BYTES, e->stage[stage].memory.total),
	    e->capacity_known ? UNITS_EXACT(BYTES, e->stage[stage].capacity) : "-");
}

static bool
print_rank(const struct session *s, const struct estimate *e, int64_t rank)
{
	const struct layout *l = &e->layout;
	const int64_t per_node = s->plan.cluster.gpus_per_node;
	const int64_t stage = layout_pipeline_rank(l, rank);
	char axes[512] = "", name[NODE_NAME_SIZE];
	int64_t mirror;

	out_line(stdout, "rank         %" PRId64 " of %" PRId64, rank, l->world);
	nodes_call(&s->plan, plan_slot(&s->plan, rank) / per_node, name, sizeof name);
	out_part(stdout, "node         %" PRId64, plan_slot(&s->plan, rank) / per_node);
	if (s->plan.cluster.node_list[0] != '\0')
		out_part(stdout, ": %s", name);
	if (s->plan.others > 0)
		out_part(stdout, ", GPUs of type %s", nodes_gpu(&s->plan, plan_slot(&s->plan, rank) / per_node));
	out_end(stdout);
	out_line(stdout, "local rank   %" PRId64, plan_slot(&s->plan, rank) % per_node);
	map_axes(l, rank, axes, sizeof axes);
	out_line(stdout, "coordinates %s", axes);
	if (e->stages > stage)
		print_memory(e, stage);
	out_end(stdout);
	if (!print_group_table(&s->plan, l, rank))
		return false;
	if (e->placed && e->model_known) {
		out_end(stdout);
		for (int64_t v = 0; v < e->placement.vpp; v++)
			report_chunk(&e->placement, stage, v);
		if ((mirror = placement_mirror(&e->placement, &s->plan, stage)) >= 0)
			report_chunk(&e->placement, mirror, 0);
	}
	return true;
}

int
rank_work(struct session *s, const struct options *o)
{
	const char *text = o->operand[o->operands - 1];
	struct estimate *e;
	struct layout l;
	int64_t rank;
	int status = STATUS_OK;

	if (!text_to_int(text, &rank) || rank < 0)
		return usage_error("rank: '%s' is not a rank number", text);
	if (!report_layout(s, &l))
		return STATUS_NO;
	if (rank >= l.world)
		return usage_error("rank %" PRId64 ": ranks go from 0 to %" PRId64, rank, l.world - 1);
	if ((e = session_estimate(s, NULL)) == NULL)
		return STATUS_ERROR;
	/* What the model dislikes does not stop this report, but explains what it lacks. */
	session_complain(&e->diags, SEVERITY_ERROR);
	if (o->json && e->laid_out)
		json_rank(s, e, rank);
	else if (!e->laid_out || !print_rank(s, e, rank))
		status = STATUS_ERROR;
	free(e);
	return status;
}
