#include "ui/map/map_color.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/link.h"
#include "ui/map/map_link.h"
#include "ui/map/map_role.h"

/* Memory is shown in tenths of the capacity, the lower half as one. */
enum { HEAT_STEPS = 6, HEAT_OVER = HEAT_STEPS };

/* Names of the sources that are not kinds, in the order of enum map_by. */
static const char *const names[] = { "", "stage", "layers", "memory", "role", "relation", "link" };
enum { OTHERS = 6 };

int
map_color_count(const struct layout *l)
{
	return l->kinds + OTHERS;
}

/* The kind whose links are shown where none was named. */
static int
usual_kind(const struct layout *l)
{
	int kind = layout_kind(l, "tp");

	if (kind < 0)
		kind = layout_kind(l, "model");
	return kind < 0 ? 0 : kind;
}

struct map_color
map_color_at(const struct layout *l, int i)
{
	if (i < l->kinds)
		return (struct map_color){ MAP_BY_GROUPS, i };
	return (struct map_color){ (enum map_by)(MAP_BY_STAGE + i - l->kinds), usual_kind(l) };
}

int
map_color_index(const struct layout *l, struct map_color color)
{
	return color.by == MAP_BY_GROUPS ? color.kind : l->kinds + (int)color.by - MAP_BY_STAGE;
}

/* kind -1: a link of a kind that is still to be found. */
static bool
find_kind(struct map_color *color, const struct layout *l, const char *name)
{
	*color = (struct map_color){ MAP_BY_GROUPS, layout_kind(l, name) };
	if (color->kind >= 0)
		return true;
	if (strncmp(name, "link:", 5) == 0) {
		*color = (struct map_color){ MAP_BY_LINK, layout_kind(l, name + 5) };
		return color->kind >= 0;
	}
	for (int by = MAP_BY_STAGE; by <= MAP_BY_LINK; by++)
		if (text_equal(names[by], name)) {
			color->by = (enum map_by)by;
			return true;
		}
	return false;
}

bool
map_color_has(const struct layout *l, const char *name)
{
	struct map_color color;

	return find_kind(&color, l, name);
}

int
map_colors_find(struct map_color color[MAP_COLORS_MAX], const struct layout *l,
    const char *const name[], int n)
{
	int count = 0, kind = -1;

	for (int i = 0; i < n && count < MAP_COLORS_MAX; i++)
		if (find_kind(&color[count], l, name[i])) {
			if (kind < 0 && color[count].by == MAP_BY_GROUPS)
				kind = color[count].kind;
			count++;
		}
	for (int i = 0; i < count; i++)
		if (color[i].kind < 0)
			color[i].kind = kind >= 0 ? kind : usual_kind(l);
	return count;
}

void
map_color_name(struct map_color color, const struct layout *l, char *buf, size_t size)
{
	if (color.by == MAP_BY_GROUPS)
		text_put(buf, size, "%s", l->kind[color.kind].name);
	else if (color.by == MAP_BY_LINK)
		text_put(buf, size, "link:%s", l->kind[color.kind].name);
	else
		text_put(buf, size, "%s", names[color.by]);
}

void
map_color_layers(const struct placement *pl, int64_t stage, int64_t mirror, int most, char *buf,
    size_t size)
{
	const int64_t held[2] = { stage, mirror };
	long long layers = 0;
	char all[512] = "";

	for (int i = 0; i < (mirror < 0 || mirror == stage ? 1 : 2); i++)
		for (int64_t v = 0; v < pl->vpp; v++) {
			const struct chunk *c = placement_chunk(pl, held[i], v);

			if (c->count <= 0)
				continue;
			text_add(all, sizeof all, all[0] != '\0' ? ",%d" : "%d", (int)c->first);
			if (c->count > 1)
				text_add(all, sizeof all, "-%d", (int)(c->first + c->count - 1));
			layers += c->count;
		}
	if ((int)strlen(all) > most || strlen(all) >= size)
		text_put(buf, size, "%lld layers", layers);
	else
		text_put(buf, size, "%s", layers > 0 ? all : "none");
}

void
map_color_text(struct map_color color, const struct plan *p, const struct estimate *e,
    int64_t rank, char *buf, size_t size)
{
	const struct layout *l = &e->layout;
	const int64_t stage = layout_pipeline_rank(l, rank);
	const int64_t group = layout_group_of(l, color.kind < 0 ? 0 : color.kind, rank);
	const int64_t mirror = e->placed ? placement_mirror(&e->placement, p, stage) : -1;
	char layers[MAP_COLOR_TEXT_SIZE];

	if (color.by == MAP_BY_GROUPS && group >= 0) {
		text_put(buf, size, "%s %lld", l->kind[color.kind].name, (long long)group);
	} else if (color.by == MAP_BY_STAGE) {
		text_put(buf, size, "stage %lld", (long long)stage);
	} else if (color.by == MAP_BY_LAYERS && e->placed) {
		map_color_layers(&e->placement, mirror < 0 ? stage : least_of(stage, mirror),
		    most_of(stage, mirror), (int)size - 8, layers, sizeof layers);
		text_put(buf, size, strchr(layers, ' ') != NULL ? "%s" : "layers %s", layers);
	} else if (color.by == MAP_BY_MEMORY && stage < e->stages) {
		text_put(buf, size, "%.1f GiB", e->stage[stage].memory.total / GIB);
	} else if (color.by == MAP_BY_ROLE) {
		map_role_text(p, MAP_ROLE_OWN, buf, size);
		buf[strcspn(buf, "+")] = '\0'; /* whose GPU it is */
	} else if (color.by == MAP_BY_RELATION) {
		buf[0] = '\0'; /* the legend tells, for the cursor */
	} else if (color.by == MAP_BY_LINK && group >= 0) {
		text_put(buf, size, "%s %s", l->kind[color.kind].name,
		    link_name(p, l, color.kind, group));
	} else {
		text_put(buf, size, "%s -", color.by == MAP_BY_GROUPS || color.by == MAP_BY_LINK ?
		    l->kind[color.kind].name : names[color.by]);
	}
}

int
map_color_width(struct map_color color, const struct estimate *e)
{
	const struct layout *l = &e->layout;

	switch (color.by) {
	case MAP_BY_GROUPS:
		return (int)strlen(l->kind[color.kind].name) + 1 +
		    digits_of(layout_group_count(l, color.kind) - 1);
	case MAP_BY_STAGE:
		return 6 + digits_of(layout_pipeline_rank(l, l->world - 1)); /* the last stage */
	case MAP_BY_LAYERS: /* "layers 112-127"; lists of several ranges are cut */
		return e->placed && e->placement.vpp > 1 ? 18 : 14;
	case MAP_BY_MEMORY:
		return 9;
	case MAP_BY_ROLE: /* "trainer"; the models beside it are in the legend */
		return 7;
	case MAP_BY_RELATION: /* "tp dp" */
		return 8;
	case MAP_BY_LINK:
		break;
	}
	return (int)strlen(l->kind[color.kind].name) + 8;
}

/* ---- made ready for one picture ------------------------------------------------------ */

static void
find_stages(struct map_paint *m)
{
	const struct grid *g = &m->estimate->layout.grid[0];
	const int axis = layout_pipeline_axis(&m->estimate->layout);

	m->stride = axis < 0 ? 1 : g->axis[axis].stride;
	m->stages = axis < 0 ? 1 : g->axis[axis].size;
	if (m->stages > STAGE_CHUNKS_MAX)
		m->stages = STAGE_CHUNKS_MAX;
}

/* The first stage that holds the same layers. */
static int64_t
same_layers(const struct map_paint *m, int64_t stage, int64_t *empty)
{
	const struct placement *pl = &m->estimate->placement;
	const int64_t mirror = placement_mirror(pl, m->plan, stage);

	if (placement_layers(pl, stage) == 0 && mirror < 0) {
		if (*empty < 0)
			*empty = stage;
		return *empty;
	}
	return mirror >= 0 && mirror < stage ? mirror : stage;
}

/* By how many stages a step on the map may lead on. */
struct stage_steps {
	int count;
	int64_t step[12];
};

static struct stage_steps
stage_steps(const struct map_paint *m, const struct paint_offsets *beside)
{
	struct stage_steps s = { 0 };

	for (int i = 0; i < beside->count; i++) {
		const int64_t offset = beside->offset[i];

		s.step[s.count++] = offset / m->stride % m->stages;
		if (offset % m->stride != 0) /* lower coordinates may carry */
			s.step[s.count++] = (offset / m->stride + 1) % m->stages;
	}
	return s;
}

/* Marks of the stages beside this one, as far as they have one; index 0 to most - 1. */
static void
note_beside(const struct map_paint *m, const uint8_t mark[], int64_t stage, int64_t done,
    const struct stage_steps *steps, bool used[])
{
	const bool around = m->stride * m->stages < m->estimate->layout.world;

	for (int i = 0; i < steps->count; i++)
		for (int way = -1; way <= 1; way += 2) {
			int64_t other = stage + way * steps->step[i];

			if (around)
				other = (other + m->stages) % m->stages;
			if (other >= 0 && other < done && m->value[other] != m->value[stage])
				used[mark[other]] = true;
		}
}

/* Give every stage one of n marks, in turn, so that those which touch on the map differ
 * where their values do. */
static void
mark_stages(const struct map_paint *m, uint8_t mark[], int n, const struct stage_steps *steps)
{
	int next = 0;

	for (int64_t s = 0; s < m->stages; s++) {
		bool used[UINT8_MAX + 1] = { false };
		int64_t mirror = m->color.by == MAP_BY_LAYERS && m->estimate->placed ?
		    placement_mirror(&m->estimate->placement, m->plan, s) : -1;
		int k = 0;

		if (m->value[s] >= 0 && m->value[s] < s) {
			mark[s] = mark[m->value[s]];
			continue;
		}
		if (m->values > n) {
			note_beside(m, mark, s, s, steps, used);
			if (mirror >= 0)
				note_beside(m, mark, mirror, s, steps, used);
		}
		while (k < n - 1 && used[(next + k) % n])
			k++;
		mark[s] = (uint8_t)((next + k) % n);
		next = mark[s] + 1;
	}
}

static int
heat(const struct map_paint *m, int64_t stage)
{
	const struct estimate *e = m->estimate;
	const double most = e->capacity_known ? e->capacity : e->peak_total;
	const double share = e->stage[stage].memory.total / most;

	if (share > 1)
		return HEAT_OVER;
	return share < 0.5 ? 0 : share < 1 ? (int)(share * 10) - 4 : HEAT_STEPS - 1;
}

static void
prepare_stages(struct map_paint *m, const struct stage_steps *steps)
{
	static const char stage_letter[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP";
	static const char layer_letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	const struct estimate *e = m->estimate;
	int64_t empty = -1;

	for (int64_t s = 0; s < m->stages; s++) {
		if (m->color.by == MAP_BY_STAGE)
			m->value[s] = (int16_t)s;
		else if (m->color.by == MAP_BY_LAYERS)
			m->value[s] = (int16_t)(e->placed ? same_layers(m, s, &empty) : -1);
		else
			m->value[s] = (int16_t)(s < e->stages ? heat(m, s) : -1);
		m->values += m->color.by != MAP_BY_MEMORY && m->value[s] == s;
	}
	if (m->color.by == MAP_BY_MEMORY) {
		m->values = HEAT_OVER + 1;
		for (int64_t s = 0; s < m->stages; s++) {
			m->index[s] = m->value[s] > 0 ? (uint8_t)m->value[s] : 0;
			m->letter[s] = (uint8_t)(m->value[s] < 0 ? '.' : "456789!"[m->value[s]]);
		}
		return;
	}
	mark_stages(m, m->letter, PAINT_LETTERS, steps);
	for (int64_t s = 0; s < m->stages; s++)
		m->letter[s] = (uint8_t)(m->value[s] < 0 ? '.' : m->color.by == MAP_BY_STAGE ?
		    stage_letter[m->letter[s]] : layer_letter[m->letter[s]]);
}

void
map_paint_init(struct map_paint *m, struct map_color color, int space, int spaces,
    enum theme_colors depth, const struct plan *p, const struct estimate *e,
    const struct paint_offsets *beside)
{
	struct stage_steps steps;

	m->color = color;
	m->plan = p;
	m->estimate = e;
	m->values = 0;
	m->least = false;
	m->words = RELATION_WHOLE;
	find_stages(m);
	steps = stage_steps(m, beside);
	if (color.by == MAP_BY_GROUPS)
		m->values = layout_group_count(&e->layout, color.kind);
	else if (color.by == MAP_BY_LINK)
		map_link_init(m);
	else if (color.by == MAP_BY_ROLE)
		m->values = MAP_ROLES;
	else if (color.by == MAP_BY_RELATION)
		map_paint_relate(m, -1, 1);
	else
		prepare_stages(m, &steps);
	m->set = color.by == MAP_BY_MEMORY || (color.by == MAP_BY_LINK && m->levels.count > 0) ? SET_HEAT :
	    color.by == MAP_BY_LINK ? SET_LINK : theme_set_for(spaces, space);
	m->colors = theme_set_size(m->set, depth);
	m->most = theme_set_most(m->set, depth);
	if (m->values > m->colors && m->values <= m->most)
		m->colors = m->most;
	m->single = spaces > 1 && map_color_inside(color, &e->layout, 1);
	m->blocks = depth != THEME_MONO && m->values > PAINT_LETTERS;
	if (color.by == MAP_BY_GROUPS || color.by == MAP_BY_LINK)
		paint_init(&m->paint, &e->layout, color.kind, m->set, m->colors, beside);
	if (color.by == MAP_BY_STAGE || color.by == MAP_BY_LAYERS)
		mark_stages(m, m->index, m->colors, &steps);
}

bool
map_color_inside(struct map_color color, const struct layout *l, int64_t unit)
{
	const int64_t n = color.by == MAP_BY_GROUPS ? layout_group_size(l, color.kind) : 0;

	return n > 0 && l->kind[color.kind].shape == GROUP_MASK && unit % n == 0 &&
	    layout_member(l, color.kind, 0, n - 1) == n - 1;
}

void
map_paint_relate(struct map_paint *m, int64_t cursor, int64_t unit)
{
	map_relation_init(&m->relation, &m->estimate->layout, cursor, false);
	m->values = m->relation.count;
	m->unit = unit;
}

/* The first two kinds in which the cursor talks to the ranks of a unit. */
/* The kind that a unit has first, -1 for none. */
static int
first_kind(const struct map_paint *m, unsigned kinds)
{
	const struct map_relation *r = &m->relation;
	const struct layout *l = &m->estimate->layout;
	int first = -1;

	for (int i = 0; i < r->count; i++)
		if ((kinds >> i & 1) != 0 && (first < 0 || (m->least &&
		    layout_group_size(l, r->kind[i]) < layout_group_size(l, r->kind[first]))))
			first = i;
	return first;
}

static struct hue
relation_hue(const struct map_paint *m, int64_t rank)
{
	const struct map_relation *r = &m->relation;
	unsigned kinds = map_relation_of(r, &m->estimate->layout, rank, m->unit);
	struct hue hue = { .value = -1, .letter = ' ' };
	int i;

	if (r->cursor >= rank && r->cursor < rank + m->unit)
		return (struct hue){ .value = r->count, .letter = '@' };
	if ((i = first_kind(m, kinds)) < 0)
		return hue;
	hue = (struct hue){ .value = i, .color = i % m->colors, .letter = map_relation_letter(r, i) };
	kinds &= ~(1U << i);
	if ((i = first_kind(m, kinds)) < 0)
		return hue;
	hue.other = map_relation_letter(r, i);
	hue.other_color = i % m->colors;
	return hue;
}

static struct hue
stage_hue(const struct map_paint *m, int64_t stage)
{
	return (struct hue){ .value = m->value[stage], .color = m->index[stage],
		.letter = (char)m->letter[stage] };
}

struct hue
map_paint_other(const struct map_paint *m)
{
	return m->color.by == MAP_BY_ROLE ? map_role_hue(m, MAP_ROLE_OTHER) : (struct hue){ .value = -1 };
}

struct hue
map_paint_of(const struct map_paint *m, int64_t rank)
{
	int64_t group;

	if (m->color.by == MAP_BY_ROLE)
		return map_role_hue(m, MAP_ROLE_OWN);
	if (m->color.by == MAP_BY_RELATION)
		return relation_hue(m, rank);
	if (m->color.by != MAP_BY_GROUPS && m->color.by != MAP_BY_LINK)
		return stage_hue(m, (uint32_t)rank / (uint32_t)m->stride % (uint32_t)m->stages);
	group = paint_group(&m->paint, rank);
	if (m->color.by == MAP_BY_GROUPS && m->single)
		return (struct hue){ .value = -1, .letter = paint_letter(&m->paint, rank, group) };
	if (m->color.by == MAP_BY_GROUPS)
		return (struct hue){ .value = group, .color = paint_color(&m->paint, rank, group),
			.letter = paint_letter(&m->paint, rank, group) };
	return map_link_hue(m, group);
}

bool
map_paint_has_peers(const struct map_paint *m)
{
	return m->color.by < MAP_BY_MEMORY;
}

bool
map_paint_meets(const struct map_paint *m, int64_t first, int64_t count, int64_t like)
{
	const struct layout *l = &m->estimate->layout;
	const int64_t end = first + count < l->world ? first + count : l->world;
	const int64_t value = map_paint_of(m, like).value;

	if (m->color.by == MAP_BY_GROUPS)
		return map_group_meets(l, m->color.kind, first, count, like);
	/* Stages follow one another along the ranks. */
	for (int64_t at = first / m->stride; value >= 0 && at * m->stride < end; at++) {
		if (m->value[at % m->stages] == value)
			return true;
		if (at - first / m->stride == m->stages)
			break;
	}
	return false;
}

/* ---- legend -------------------------------------------------------------------------- */

void
map_paint_title(const struct map_paint *m, char *buf, size_t size)
{
	const struct layout *l = &m->estimate->layout;
	const char *kind = l->kind[m->color.kind].name;
	const int64_t groups = layout_group_count(l, m->color.kind);

	switch (m->color.by) {
	case MAP_BY_GROUPS:
		text_put(buf, size, "%s: %lld %s of %lld", kind, (long long)groups,
		    groups == 1 ? "group" : "groups", (long long)layout_group_size(l, m->color.kind));
		break;
	case MAP_BY_STAGE:
		text_put(buf, size, "stage: %lld of %lld GPUs", (long long)m->stages,
		    (long long)(l->world / m->stages));
		break;
	case MAP_BY_LAYERS:
		text_put(buf, size, "layers:");
		break;
	case MAP_BY_MEMORY:
		text_put(buf, size, "memory, GiB");
		if (m->estimate->capacity_known)
			text_add(buf, size, " of %.1f", m->estimate->capacity / GIB);
		text_add(buf, size, ":");
		break;
	case MAP_BY_ROLE:
	case MAP_BY_RELATION:
		buf[0] = '\0'; /* the words tell */
		break;
	case MAP_BY_LINK:
		text_put(buf, size, "link of %s:", kind);
		break;
	}
}

/* The i-th stage, where it is the first with its value. */
static bool
stage_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size)
{
	if (i >= m->stages)
		return false;
	*hue = stage_hue(m, i);
	if (hue->value != i)
		hue->value = -1;
	else if (m->color.by == MAP_BY_LAYERS)
		map_color_layers(&m->estimate->placement, i,
		    placement_mirror(&m->estimate->placement, m->plan, i), (int)size, buf, size);
	return true;
}

/* A class of memory; without a value where no stage is of it. */
static bool
heat_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size)
{
	const struct estimate *e = m->estimate;
	const double most = e->capacity_known ? e->capacity : e->peak_total;

	if (i > HEAT_OVER || e->stages == 0)
		return false;
	*hue = (struct hue){ .value = -1, .color = (int)i, .letter = "456789!"[i] };
	for (int64_t stage = 0; stage < m->stages; stage++)
		if (m->letter[stage] == hue->letter)
			hue->value = i;
	if (i < HEAT_OVER)
		text_put(buf, size, "<%.1f", most * (double)(i + 5) / 10 / GIB);
	else
		text_put(buf, size, "over");
	return true;
}

static bool
relation_entry(const struct map_paint *m, int64_t at, struct hue *hue, char *buf, size_t size)
{
	const int i = (int)at;

	if (at >= m->relation.count)
		return false;
	*hue = (struct hue){ .value = i, .color = i % m->colors,
		.letter = map_relation_letter(&m->relation, i) };
	map_relation_text(&m->relation, i, m->words, m->plan, m->estimate, buf, size);
	return true;
}

bool
map_paint_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size)
{
	const struct layout *l = &m->estimate->layout;

	buf[0] = '\0';
	switch (m->color.by) {
	case MAP_BY_GROUPS:
		if (i >= m->values || m->single)
			return false;
		*hue = map_paint_of(m, layout_member(l, m->color.kind, i, 0));
		hue->value = m->paint.color_table.used && hue->color == PAINT_NONE ? -1 : i;
		return true;
	case MAP_BY_STAGE:
	case MAP_BY_LAYERS:
		return stage_entry(m, i, hue, buf, size);
	case MAP_BY_MEMORY:
		return heat_entry(m, i, hue, buf, size);
	case MAP_BY_ROLE:
		return map_role_entry(m, i, hue, buf, size);
	case MAP_BY_RELATION:
		return relation_entry(m, i, hue, buf, size);
	case MAP_BY_LINK:
		return map_link_entry(m, i, hue, buf, size);
	}
	return false;
}
