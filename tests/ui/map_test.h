/* map_test.h - a plan, what its map is drawn from, and the picture of it. */
#ifndef TESTS_UI_MAP_TEST_H
#define TESTS_UI_MAP_TEST_H
#include "support.h"

#include "core/framework/resolve.h"
#include "ui/map/map_grid.h"

static struct plan plan;
static struct estimate estimate; /* layout and placement alone */

static void
begin_plan(const char *framework, int64_t nodes, int64_t gpus, int64_t tp, int64_t pp)
{
	plan_defaults(&plan);
	put(&plan, FIELD_LAYOUT, framework);
	put_int(&plan, FIELD_NODES, nodes);
	put_int(&plan, FIELD_GPUS_PER_NODE, gpus);
	put_int(&plan, FIELD_TP, tp);
	put_int(&plan, FIELD_PP, pp);
}

static void
place_plan(void)
{
	plan_resolve(&plan, NULL);
	assert_true(layout_init(&estimate.layout, &plan, NULL));
	estimate.laid_out = true;
	estimate.placed = placement_init(&estimate.placement, &plan, NULL);
}

static struct map_view
view_of(const char *const name[], int n, enum map_zoom zoom)
{
	struct map_view v;

	map_view_init(&v, &estimate.layout, name, n);
	assert_int_equal(v.colors, n);
	v.zoom = zoom;
	return v;
}

static UNUSED struct map_area
in(int w, int h)
{
	return (struct map_area){ &plan, &estimate, w, h };
}

static bool
draws(const struct map_view *v, int w, int h, const char *text)
{
	struct canvas c;
	bool found;

	assert_true(canvas_init(&c, w, h, true));
	map_draw(&c, (struct rect){ 0, 0, w, h }, &plan, &estimate, v);
	found = finds(printed(&c, THEME_MONO), text, true);
	canvas_free(&c);
	return found;
}
#endif
