/* `groups`, `layers` and `rank` as JSON. */
#include <inttypes.h>

#include "cli/report/report.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/framework/link.h"

/* All groups of a kind, one a line; nothing is kept. */
static void
put_groups(struct jsonout *j, const struct layout *l, int kind)
{
	const int64_t count = layout_group_count(l, kind);
	struct group_walk walk;
	int64_t rank;

	jsonout_list(j, "groups");
	/* Nobody reads on: do not count to a million for nothing. */
	for (int64_t g = 0; g < count && !ferror(j->out); g++) {
		jsonout_list_row(j, NULL);
		group_walk_start(&walk, l, kind, g);
		while (group_walk_next(&walk, &rank))
			jsonout_int(j, NULL, rank);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
put_kind(struct jsonout *j, const struct layout *l, int kind, bool hash)
{
	const int64_t size = layout_group_size(l, kind);

	if (hash)
		jsonout_object_row(j, NULL);
	else
		jsonout_object(j, NULL);
	jsonout_text(j, "kind", l->kind[kind].name);
	jsonout_int(j, "count", layout_group_count(l, kind));
	jsonout_int(j, "min", size);
	jsonout_int(j, "max", size);
	if (hash) {
		jsonout_text(j, "sfnv", TEXT_OF(32, "%016" PRIx64, layout_hash(l, kind)));
	} else {
		put_groups(j, l, kind);
	}
	jsonout_close(j);
}

void
json_groups(const struct session *s, const struct layout *l, const bool *wanted, bool hash)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	json_field(&j, "layout", FIELD_LAYOUT, &s->plan);
	jsonout_int(&j, "world", l->world);
	jsonout_list(&j, "kinds");
	for (int kind = 0; kind < l->kinds && !ferror(stdout); kind++)
		if (wanted[kind])
			put_kind(&j, l, kind, hash);
	jsonout_close(&j);
	jsonout_close(&j);
}

void
json_layers(const struct placement *pl)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_list(&j, "stages");
	for (int64_t pp = 0; pp < pl->pp; pp++)
		for (int64_t v = 0; v < pl->vpp; v++)
			json_chunk(&j, pl, pp, v);
	jsonout_close(&j);
	jsonout_close(&j);
}

static void
put_coordinates(struct jsonout *j, const struct layout *l, int64_t rank)
{
	jsonout_object_row(j, "coordinates");
	for (int grid = 0; grid < l->grids; grid++)
		for (int axis = 0; axis < l->grid[grid].axes; axis++) {
			const char *name = l->grid[grid].axis[axis].name;

			if (!layout_axis_again(l, grid, name))
				jsonout_int(j, name, layout_coord(l, grid, axis, rank));
		}
	jsonout_close(j);
}

static void
put_group(struct jsonout *j, const struct plan *p, const struct layout *l, int kind,
    int64_t rank)
{
	const int64_t group = layout_group_of(l, kind, rank);
	struct group_walk walk;
	int64_t peer;

	jsonout_object_row(j, NULL);
	jsonout_text(j, "kind", l->kind[kind].name);
	if (group < 0) {
		jsonout_null(j, "group");
		jsonout_close(j);
		return;
	}
	jsonout_int(j, "group", group);
	jsonout_int(j, "size", layout_group_size(l, kind));
	jsonout_int(j, "position", layout_position(l, kind, rank));
	jsonout_text(j, "link", link_path_name(link_path(p, l, kind, group)));
	jsonout_list_row(j, "ranks");
	group_walk_start(&walk, l, kind, group);
	while (group_walk_next(&walk, &peer) && !ferror(j->out))
		jsonout_int(j, NULL, peer);
	jsonout_close(j);
	jsonout_close(j);
}

void
json_rank(const struct session *s, const struct estimate *e, int64_t rank)
{
	struct jsonout j = { .out = stdout };
	const struct layout *l = &e->layout;
	const int64_t per_node = s->plan.cluster.gpus_per_node;
	const int64_t stage = layout_pipeline_rank(l, rank);
	int64_t mirror;

	jsonout_object(&j, NULL);
	jsonout_int(&j, "rank", rank);
	jsonout_int(&j, "world", l->world);
	jsonout_int(&j, "node", plan_slot(&s->plan, rank) / per_node);
	jsonout_int(&j, "local_rank", plan_slot(&s->plan, rank) % per_node);
	put_coordinates(&j, l, rank);
	json_result(&j, "capacity", RESULT_CAPACITY, e, stage);
	if (e->stages > stage)
		json_memory(&j, e, stage);
	else
		jsonout_null(&j, "memory");
	jsonout_list(&j, "groups");
	for (int kind = 0; kind < l->kinds; kind++)
		put_group(&j, &s->plan, l, kind, rank);
	jsonout_close(&j);
	jsonout_list(&j, "layers");
	if (e->placed && e->model_known) {
		for (int64_t v = 0; v < e->placement.vpp; v++)
			json_chunk(&j, &e->placement, stage, v);
		if ((mirror = placement_mirror(&e->placement, &s->plan, stage)) >= 0)
			json_chunk(&j, &e->placement, mirror, 0);
	}
	jsonout_close(&j);
	jsonout_close(&j);
}
