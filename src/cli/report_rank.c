/* `rank`: one GPU, where it is, with whom it talks and what it holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/report.h"
#include "cli/session.h"
#include "core/estimate.h"
#include "core/link.h"
#include "core/text.h"
#include "out/out.h"
#include "core/units.h"

enum { PEERS_SHOWN = 16 };

/* Coordinates on every axis; axes that several grids share are named once. */
static void
print_coordinates(const struct layout *l, int64_t rank)
{
	char line[512] = "";

	for (int grid = 0; grid < l->grids; grid++)
		for (int axis = 0; axis < l->grid[grid].axes; axis++) {
			const char *name = l->grid[grid].axis[axis].name;

			if (!layout_axis_again(l, grid, name))
				text_add(line, sizeof line, " %s=%" PRId64, name,
				    layout_coord(l, grid, axis, rank));
		}
	out_line(stdout, "coordinates %s", line);
}

static void
add_group(struct table *t, const struct plan *p, const struct layout *l, int kind,
    int64_t rank)
{
	const int64_t group = layout_group_of(l, kind, rank);
	const int64_t size = layout_group_size(l, kind);
	char number[32], members[32], place[32], peers[PEERS_SHOWN * 12 + 32] = "";

	if (group < 0) {
		table_row(t, (const char *[]){ l->kind[kind].name, "", "", "", "", "in no group" });
		return;
	}
	text_put(number, sizeof number, "%" PRId64, group);
	text_put(members, sizeof members, "%" PRId64, size);
	text_put(place, sizeof place, "%" PRId64, layout_position(l, kind, rank));
	for (int64_t k = 0; k < size && k < PEERS_SHOWN; k++)
		text_add(peers, sizeof peers, "%s%" PRId64, k > 0 ? " " : "",
		    layout_member(l, kind, group, k));
	if (size > PEERS_SHOWN)
		text_add(peers, sizeof peers, " ... %" PRId64, layout_member(l, kind, group, size - 1));
	table_row(t, (const char *[]){ l->kind[kind].name, number, members, place,
	    link_name(p, l, kind, group), peers });
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
print_part(const char *name, double bytes, bool *first)
{
	char text[32];

	if (!(bytes > 0))
		return;
	out_part(stdout, "%s%s %s", *first ? "" : ", ", name,
	    units_exact(text, sizeof text, MEASURE_BYTES, bytes));
	*first = false;
}

static void
print_memory(const struct estimate *e, int64_t stage)
{
	const struct memory *m = &e->stage[stage].memory;
	char total[32], capacity[32];
	bool first = true;

	out_part(stdout, "memory       ");
	print_part("parameters", m->parameters, &first);
	print_part("gradients", m->gradients, &first);
	print_part("optimizer", m->optimizer, &first);
	print_part("activations", m->activations, &first);
	print_part("logits", m->logits, &first);
	print_part("KV cache", m->kv_cache, &first);
	print_part("buffers", m->buffers, &first);
	print_part("overhead", m->overhead, &first);
	out_line(stdout, "%s%s of %s", first ? "" : ": ",
	    units_exact(total, sizeof total, MEASURE_BYTES, m->total), e->capacity_known ?
	    units_exact(capacity, sizeof capacity, MEASURE_BYTES, e->capacity) : "-");
}

static bool
print_rank(const struct session *s, const struct estimate *e, int64_t rank)
{
	const struct layout *l = &e->layout;
	const int64_t per_node = s->plan.cluster.gpus_per_node;
	const int64_t stage = layout_pipeline_rank(l, rank);
	int64_t mirror;

	out_line(stdout, "rank         %" PRId64 " of %" PRId64, rank, l->world);
	out_line(stdout, "node         %" PRId64, rank / per_node);
	out_line(stdout, "local rank   %" PRId64, rank % per_node);
	print_coordinates(l, rank);
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

static int
report_rank(const struct session *s, const char *text, bool json)
{
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
	if (json && e->laid_out)
		json_rank(s, e, rank);
	else if (!e->laid_out || !print_rank(s, e, rank))
		status = STATUS_ERROR;
	free(e);
	return status;
}

int
rank_run(const struct options *o)
{
	struct session s;
	int status;

	if (!session_open(&s, o, o->operands > 1 ? o->operand[0] : NULL))
		return STATUS_ERROR;
	status = report_rank(&s, o->operand[o->operands - 1], o->json);
	session_close(&s);
	return status;
}
