/* One GPU in full, and the ways to it. */

#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/framework.h"
#include "core/plan/nodes.h"
#include "ui/list/rows.h"
#include "ui/list/views.h"
#include "ui/pane/flows.h"
#include "ui/pane/map_pane.h"
#include "ui/pane/panes.h"
#include "ui/state/prompt.h"

enum {
	PEERS_SHOWN = 64,
	TARGET_NONE = -1, TARGET_MEMORY = 1000, TARGET_TRAFFIC = 2000, /* else: a kind of group */
};

static void
inspect_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "rank %lld", (long long)s->map.cursor);
}

static void
place_rows(struct rows *rows, const struct state *s, int64_t rank)
{
	const struct cluster *c = &s->plan.cluster;
	const int64_t slot = plan_slot(&s->plan, rank), node = slot / c->gpus_per_node;
	const double speed = nodes_speed(&s->plan, node, node);
	char text[ROW_TEXT_SIZE], name[NODE_NAME_SIZE];

	rows_heading(rows, "Place");
	text_put(text, sizeof text, "node %lld, GPU %lld of %lld", (long long)node,
	    (long long)(slot % c->gpus_per_node), (long long)c->gpus_per_node);
	nodes_call(&s->plan, node, name, sizeof name);
	if (c->node_list[0] != '\0')
		text_add(text, sizeof text, ": %s", name);
	if (speed < 1)
		text_add(text, sizeof text, "; it reaches %.3g of the speed of others", speed);
	if (s->plan.others > 0)
		text_add(text, sizeof text, "; GPUs of type %s", nodes_gpu(&s->plan, node));
	if (c->nvlink_domain > 1)
		text_add(text, sizeof text, "; NVLink domain %lld",
		    (long long)(slot / c->nvlink_domain));
	rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s", text);
	text[0] = '\0';
	map_axes(&s->estimate->layout, rank, text, sizeof text);
	rows_item(rows, TARGET_NONE, ROLE_TEXT, "coordinates%s", text);
	for (size_t i = 0; i < s->estimate->diags.count; i++)
		if (text_equal(s->estimate->diags.item[i].reason, "node_lost") ||
		    text_equal(s->estimate->diags.item[i].reason, "nodes_dead"))
			rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s", s->estimate->diags.item[i].message);
}

/* "heads 8 to 15 of 64", "head 3 of 8", "all 64 heads" */
static void
put_range(char *buf, size_t size, const char *what, int64_t first, int64_t count, int64_t all)
{
	if (count == all)
		text_add(buf, size, "all %lld %ss", (long long)all, what);
	else if (count == 1)
		text_add(buf, size, "%s %lld of %lld", what, (long long)first, (long long)all);
	else
		text_add(buf, size, "%ss %lld to %lld of %lld", what, (long long)first,
		    (long long)(first + count - 1), (long long)all);
}

static void
expert_row(struct rows *rows, const struct state *s, int64_t rank)
{
	int64_t first, count;
	char text[ROW_TEXT_SIZE] = "";

	where_experts(&s->plan, &s->estimate->layout, rank, &first, &count);
	if (count == 0)
		return;
	put_range(text, sizeof text, "expert", first, count, s->plan.model.experts);
	rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s, in each layer that has experts", text);
}

/* Where a rank stands on an axis of the dense grid, by one of its names. */
static int64_t
place_on(const struct layout *l, const char *name, int64_t rank)
{
	const char *same = map_set_same(l, name);
	const int kind = same != NULL ? layout_kind(l, same) : -1;

	return kind >= 0 ? layout_position(l, kind, rank) : 0;
}

/* What tensor parallelism cuts: "heads 8 to 15 of 64, KV head 1 of 8". */
static void
tensor_rows(struct rows *rows, const struct state *s, int64_t rank)
{
	const struct model *m = &s->plan.model;
	const int64_t tp = s->plan.parallel.tp, at = place_on(&s->estimate->layout, "tp", rank);
	char text[ROW_TEXT_SIZE] = "";

	if (m->attention_heads % tp == 0) {
		put_range(text, sizeof text, "head", at * (m->attention_heads / tp), m->attention_heads / tp,
		    m->attention_heads);
		text_add(text, sizeof text, ", ");
		if (m->kv_lora_rank > 0)
			text_add(text, sizeof text, "the latent KV of all of them");
		else if (m->kv_heads >= tp)
			put_range(text, sizeof text, "KV head", at * m->kv_heads / tp, m->kv_heads / tp,
			    m->kv_heads);
		else
			text_add(text, sizeof text, "KV head %lld of %lld, which %lld GPUs have a copy of",
			    (long long)(at * m->kv_heads / tp), (long long)m->kv_heads,
			    (long long)(tp / m->kv_heads));
		rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s", text);
	}
	if (m->ffn_hidden_size > 0 && m->ffn_hidden_size % tp == 0) {
		const int64_t each = m->ffn_hidden_size / tp;

		text[0] = '\0';
		put_range(text, sizeof text, "column", at * each, each, m->ffn_hidden_size);
		rows_item(rows, TARGET_NONE, ROLE_TEXT,
		    "%s of the FFN's first matrix, the same rows of its second", text);
	}
}

/* What context parallelism cuts: one run of tokens, or an early and a late piece. */
static void
token_rows(struct rows *rows, const struct state *s, int64_t rank)
{
	const struct layout *l = &s->estimate->layout;
	const int64_t cp = s->plan.parallel.cp, all = s->plan.training.sequence_length;
	const int64_t at = place_on(l, "cp", rank), piece = all / (2 * cp);
	char text[ROW_TEXT_SIZE] = "";

	if (s->plan.mode != MODE_TRAIN || (cp > 1 && all % (2 * cp) != 0))
		return;
	if (cp == 1)
		put_range(text, sizeof text, "token", 0, all, all);
	else if (framework_of(&s->plan)->tokens_in_order)
		put_range(text, sizeof text, "token", at * 2 * piece, 2 * piece, all);
	else {
		put_range(text, sizeof text, "token", at * piece, piece, all);
		text_add(text, sizeof text, ", and %lld to %lld", (long long)((2 * cp - 1 - at) * piece),
		    (long long)((2 * cp - at) * piece - 1));
	}
	rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s%s", text, cp == 1 ? " of each sequence" : "");
}

static void
chunk_rows(struct rows *rows, const struct placement *pl, int64_t stage, const char *note)
{
	char text[ROW_TEXT_SIZE];

	for (int64_t v = 0; v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, stage, v);

		text_put(text, sizeof text, "stage %lld%s", (long long)stage, note);
		if (pl->vpp > 1)
			text_add(text, sizeof text, ", chunk %lld", (long long)v);
		if (c->count == 1)
			text_add(text, sizeof text, ": layer %d", (int)c->first);
		else if (c->count > 0)
			text_add(text, sizeof text, ": layers %d to %d", (int)c->first,
			    (int)(c->first + c->count - 1));
		else
			text_add(text, sizeof text, ": no layers");
		rows_item(rows, TARGET_NONE, ROLE_TEXT, "%s%s%s%s", text, c->embedding ? ", embedding" : "",
		    c->loss ? ", LM head and loss" : "", c->mtp > 0 ? ", MTP" : "");
	}
}

static void
model_rows(struct rows *rows, const struct state *s, int64_t rank)
{
	const struct placement *pl = &s->estimate->placement;
	const int64_t stage = layout_pipeline_rank(&s->estimate->layout, rank);
	const int64_t mirror = placement_mirror(pl, &s->plan, stage);

	rows_heading(rows, "Model");
	chunk_rows(rows, pl, stage, "");
	if (mirror >= 0)
		chunk_rows(rows, pl, mirror, ", the other direction");
	tensor_rows(rows, s, rank);
	token_rows(rows, s, rank);
	expert_row(rows, s, rank);
}

static void
memory_rows(struct rows *rows, const struct state *s, int64_t rank)
{
	const struct estimate *e = s->estimate;
	const int64_t stage = layout_pipeline_rank(&e->layout, rank);
	double bytes;

	rows_heading(rows, "Memory (Enter: why)");
	for (enum result_id id = RESULT_PARAMETERS; id <= RESULT_TOTAL; id++) {
		if (id == RESULT_ALLOCATED || result_table[id].label == NULL ||
		    !result_value(id, e, stage, &bytes) || !(bytes > 0))
			continue;
		rows_item(rows, TARGET_MEMORY, id == RESULT_TOTAL && e->capacity_known &&
		    bytes > e->stage[stage].capacity ? ROLE_ERROR : ROLE_TEXT, "%-12s %10s", result_table[id].label,
		    UNITS_SHORT(BYTES, bytes));
	}
	if (e->capacity_known)
		rows_item(rows, TARGET_MEMORY, ROLE_TEXT, "%-12s %10s", "of",
		    UNITS_SHORT(BYTES, e->stages > stage ? e->stage[stage].capacity : e->capacity));
	if (result_value(RESULT_HOST_BYTES, e, stage, &bytes) && bytes > 0)
		rows_item(rows, TARGET_NONE, ROLE_TEXT, "%-12s %10s", "on the host",
		    UNITS_SHORT(BYTES, bytes));
	if (result_value(RESULT_DRIVE_BYTES, e, stage, &bytes) && bytes > 0)
		rows_item(rows, TARGET_NONE, ROLE_TEXT, "%-12s %10s", "on drives",
		    UNITS_SHORT(BYTES, bytes));
}

/* "tp       group 1, member 2 of 8, NVLink: 8 9 10 11 12 13 14 15" */
static void
group_row(struct rows *rows, const struct state *s, int kind, int64_t rank)
{
	const struct layout *l = &s->estimate->layout;
	const int64_t group = layout_group_of(l, kind, rank), size = layout_group_size(l, kind);
	char text[1024];

	if (group < 0) {
		rows_item(rows, kind, ROLE_DIM, "%-14s in no group", l->kind[kind].name);
		return;
	}
	text_put(text, sizeof text, "group %lld, member %lld of %lld, %s:", (long long)group,
	    (long long)layout_position(l, kind, rank) + 1, (long long)size,
	    link_name(&s->plan, l, kind, group));
	for (int64_t k = 0; k < size && k < PEERS_SHOWN; k++)
		text_add(text, sizeof text, " %lld", (long long)layout_member(l, kind, group, k));
	if (size > PEERS_SHOWN)
		text_add(text, sizeof text, " .. %lld", (long long)layout_member(l, kind, group, size - 1));
	rows_item(rows, kind, size > 1 ? ROLE_TEXT : ROLE_DIM, "%-14s %s", l->kind[kind].name, text);
}

static void
traffic_rows(struct rows *rows, const struct state *s)
{
	const struct traffic *t = &s->estimate->traffic;
	char name[64];

	rows_heading(rows, "Traffic of one step, a GPU of the slowest stage (Enter: why)");
	for (size_t i = 0; i < t->count; i++) {
		const struct traffic_row *row = &t->row[i];

		flows_name(row, name, sizeof name);
		rows_item(rows, TARGET_TRAFFIC + (int)i, ROLE_TEXT, "%-22s %9s  %9s  %s", name,
		    UNITS_SHORT(WIRE, row->bytes), UNITS_SHORT(SECONDS, row->seconds),
		    span_path_name(row->span.kind));
	}
}

static void
inspect_rows(struct rows *rows, const struct state *s)
{
	const struct estimate *e = s->estimate;
	const int64_t rank = s->map.cursor;

	if (!e->laid_out || rank < 0) {
		rows_item(rows, TARGET_NONE, ROLE_DIM,
		    "the layout refuses the plan, so there are no ranks");
		return;
	}
	place_rows(rows, s, rank);
	if (e->placed)
		model_rows(rows, s, rank);
	if (e->stages > layout_pipeline_rank(&e->layout, rank))
		memory_rows(rows, s, rank);
	rows_heading(rows, "Groups (Enter: colour the map by one)");
	for (int kind = 0; kind < e->layout.kinds; kind++)
		group_row(rows, s, kind, rank);
	if (e->timed)
		traffic_rows(rows, s);
}

static unsigned
inspect_accept(struct state *s, int target)
{
	const char *name;

	if (target >= TARGET_TRAFFIC) {
		s->flow.at = target - TARGET_TRAFFIC;
		return why_open(s, &traffic_pane);
	}
	if (target == TARGET_MEMORY) {
		s->stage.at = layout_pipeline_rank(&s->estimate->layout, s->map.cursor);
		return why_open(s, &memory_pane);
	}
	if (target >= 0) {
		name = s->estimate->layout.kind[target].name;
		map_pane_show(s, &name, 1);
		list_leave(s);
		state_focus(s, PANE_MAP);
	} else
		state_say(s, ROLE_DIM, "Enter is for memory, groups and traffic");
	return 0;
}

/* The rank beside it. */
static unsigned
inspect_aside(struct state *s, int way)
{
	const int64_t rank = s->map.cursor + way;

	if (s->estimate->laid_out && rank >= 0 && rank < s->estimate->layout.world)
		s->map.cursor = rank;
	return 0;
}

/* Look for what the text names; the cursor goes to the first GPU that holds it. */
static bool
go(struct state *s, const char *text)
{
	char err[STATE_MESSAGE_SIZE], what[128];
	struct where found;
	int64_t rank, count;

	if (!where_parse(&found, text, &s->plan, s->estimate, err, sizeof err)) {
		state_say(s, ROLE_ERROR, "%s", err);
		return false;
	}
	rank = where_next(&found, &s->plan, s->estimate, -1, 1);
	where_describe(&found, what, sizeof what);
	if (rank < 0) {
		state_say(s, ROLE_WARNING, "no GPU holds %s", what);
		return false;
	}
	s->where = found;
	s->map.cursor = rank;
	count = where_count(&found, &s->plan, s->estimate);
	if (count > 1)
		state_say(s, ROLE_DIM, "%s: on %lld GPUs, %s for the next", what, (long long)count,
		    s->in_lines ? "next" : "n");
	return true;
}

unsigned
inspect_go(struct state *s, const char *argument)
{
	s->picture = PICTURE_MAP;
	state_focus(s, PANE_MAP);
	if (argument[0] == '\0')
		prompt_begin(s, PROMPT_GO, "", false);
	else
		go(s, argument);
	return 0;
}

/* On the pipeline, a GPU of the selected stage is meant. */
static void
cursor_to_stage(struct state *s)
{
	const struct where stage = { .rank = -1, .node = -1, .stage = s->pipeline.stage,
		.layer = -1, .expert = -1 };
	int64_t rank;

	if (pane_type(s, s->focus) != &pipeline_pane || !s->estimate->laid_out ||
	    (s->map.cursor >= 0 && where_holds(&stage, &s->plan, s->estimate, s->map.cursor)))
		return;
	rank = where_next(&stage, &s->plan, s->estimate, -1, 1);
	if (rank >= 0)
		s->map.cursor = rank;
}

unsigned
inspect_open(struct state *s, const char *argument)
{
	if (argument[0] == '\0')
		cursor_to_stage(s);
	if (argument[0] == '\0' || go(s, argument))
		list_open(s, LIST_INSPECT);
	return 0;
}

static unsigned
member(struct state *s, int64_t way)
{
	const struct layout *l = &s->estimate->layout;
	const int kind = s->map.color[0].kind;
	int64_t group, size, at;

	if (!s->estimate->laid_out || s->map.cursor < 0)
		return 0;
	group = layout_group_of(l, kind, s->map.cursor);
	at = layout_position(l, kind, s->map.cursor);
	if (group < 0 || at < 0) {
		state_say(s, ROLE_DIM, "rank %lld is in no %s group", (long long)s->map.cursor,
		    l->kind[kind].name);
		return 0;
	}
	size = layout_group_size(l, kind);
	at = (at + way + size) % size;
	s->map.cursor = layout_member(l, kind, group, at);
	state_say(s, ROLE_DIM, "member %lld of %lld of %s group %lld", (long long)at + 1,
	    (long long)size, l->kind[kind].name, (long long)group);
	return 0;
}

/* Several GPUs that hold what was looked for come before the members of a group. */
unsigned
inspect_next(struct state *s, int way)
{
	int64_t rank = -1;

	if (s->estimate->laid_out && !where_empty(&s->where) && s->where.rank < 0)
		rank = where_next(&s->where, &s->plan, s->estimate, s->map.cursor, way);
	s->picture = PICTURE_MAP;
	state_focus(s, PANE_MAP);
	if (rank < 0)
		return member(s, way);
	s->map.cursor = rank;
	return 0;
}

const struct list_type inspect_list = { .title = "", .add_title = inspect_title,
	.rows = inspect_rows, .accept = inspect_accept, .aside = inspect_aside };
