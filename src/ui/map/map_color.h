/*
 * map_color.h - what colours the map: the groups of a kind, or what else is known of a GPU.
 *
 * Sources are named: a kind by its own name, "stage", "layers", "memory", "role" for what a
 * GPU of a pool does, "relation" for who the GPU under the cursor talks to, and "link:tp" for what the groups of a kind cross ("link" alone: of the first kind named with it).
 */
#ifndef UI_MAP_COLOR_H
#define UI_MAP_COLOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/framework/levels.h"
#include "core/plan/plan.h"
#include "ui/map/map_relation.h"
#include "ui/map/paint.h"

enum {
	MAP_COLORS_MAX = 4, /* sources shown at once, each in its own colour space */
	MAP_COLOR_NAME_SIZE = LAYOUT_NAME_SIZE + 8,
	MAP_COLOR_TEXT_SIZE = 64,
};

enum map_by {
	MAP_BY_GROUPS,
	MAP_BY_STAGE,   /* pipeline stage */
	MAP_BY_LAYERS,  /* the layers that a GPU holds */
	MAP_BY_MEMORY,  /* peak memory of its stage against the capacity */
	MAP_BY_ROLE,    /* trainer, with the models that share its GPUs, or rollouts: enum map_role */
	MAP_BY_RELATION, /* the groups that it shares with the cursor: map_relation.h */
	MAP_BY_LINK,    /* what its group of a kind crosses: enum link_path */
};

/* Pools of a plan: the GPUs of its layout, and others that generate or prefill for them. */
enum map_role { MAP_ROLE_OWN, MAP_ROLE_OTHER, MAP_ROLES };

struct map_color {
	enum map_by by;
	int kind;       /* GROUPS, LINK: index into layout->kind */
};

/* Sources of a layout: its kinds, then stage, layers, memory, role, relation, link. */
int map_color_count(const struct layout *l);
struct map_color map_color_at(const struct layout *l, int i);

/* Where the list above has it; every link is the last. */
int map_color_index(const struct layout *l, struct map_color color);

/* Read names; what the layout does not have is left out. Returns how many there are. */
int map_colors_find(struct map_color color[MAP_COLORS_MAX], const struct layout *l,
    const char *const name[], int n);
bool map_color_has(const struct layout *l, const char *name);
void map_color_name(struct map_color color, const struct layout *l, char *buf, size_t size);

/* What it says of a rank: "tp 6", "stage 2", "layers 20-39", "61.2 GiB", "tp NVLink";
 * "tp -" where it says nothing. */
void map_color_text(struct map_color color, const struct plan *p, const struct estimate *e,
    int64_t rank, char *buf, size_t size);

/* "0-9", "0-9,40-49": the layers of a stage, chunk by chunk, then those of its mirror image (-1:
 * it has none); where that is longer than `most`, "20 layers". */
void map_color_layers(const struct placement *pl, int64_t stage, int64_t mirror, int most, char *buf,
    size_t size);

/* Columns of the longest of these texts, as far as the map gives them room. */
int map_color_width(struct map_color color, const struct estimate *e);

/* How a rank is painted: value -1 where its source says nothing of it. */
struct hue {
	int64_t value;
	int color;      /* index in the set */
	char letter;    /* neighbours with different values have different ones */
	char other;     /* the letter of a second group, 0 without, */
	int other_color; /* and its colour */
};

/* A source made ready for one picture. */
struct map_paint {
	struct map_color color;
	const struct plan *plan;
	const struct estimate *estimate;
	enum theme_set set;
	int colors, most; /* of the set; with those that are less far apart */
	int64_t values; /* how many there are: groups, stages, ... */
	bool blocks;    /* more than there are letters: colours alone are shown */
	struct paint paint; /* GROUPS, LINK */
	bool single;        /* each group is in one unit: beside other sources it has no colour */
	struct levels levels; /* LINK: units of the network, where there are any above nodes */
	bool strays;    /* LINK: what is not on NVLink should be */
	struct map_relation relation; /* RELATION */
	int64_t unit;   /* RELATION: ranks that are painted together, */
	bool least;     /* by the smallest of their groups, as not all of them are seen; */
	enum relation_words words; /* for what the legend has room */
	int64_t stride, stages; /* of the pipeline axis */
	/* By stage; filled in as far as there are stages. */
	int16_t value[STAGE_CHUNKS_MAX];
	uint8_t index[STAGE_CHUNKS_MAX], letter[STAGE_CHUNKS_MAX];
};

/* Prepare source `space` of `spaces` for a map on which ranks of these distances lie beside
 * or below each other. Who is related to whom is painted for a cursor, in units of ranks:
 * map_paint_relate. */
void map_paint_init(struct map_paint *m, struct map_color color, int space, int spaces,
    enum theme_colors depth, const struct plan *p, const struct estimate *e,
    const struct paint_offsets *beside);

/* Whether all units of so many ranks hold whole groups of the kind. */
bool map_color_inside(struct map_color color, const struct layout *l, int64_t unit);

void map_paint_relate(struct map_paint *m, int64_t cursor, int64_t unit);

struct hue map_paint_of(const struct map_paint *m, int64_t rank);

/* How a GPU outside of the layout is painted; value -1 where the source says nothing of it. */
struct hue map_paint_other(const struct map_paint *m);

/* True when a value marks ranks that belong together, so that those of the cursor can
 * stand out: memory, roles and links do not, a relation does by itself. */
bool map_paint_has_peers(const struct map_paint *m);

/* True when one of the ranks first .. first + count - 1 has the value of rank `like`. */
bool map_paint_meets(const struct map_paint *m, int64_t first, int64_t count, int64_t like);

/* The legend: how it begins, and the i-th entry, false past the last. hue->value is that
 * of a rank painted so. */
void map_paint_title(const struct map_paint *m, char *buf, size_t size);
bool map_paint_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf,
    size_t size);
#endif
