#include "ui/map/where.h"

#include <string.h>

#include "core/base/text.h"
#include "core/model/params.h"

/* What can be looked for: its name and shorter ones, and where its number goes. */
static const struct {
	const char *name, *other;
	size_t offset;
} part_table[] = {
	{ "rank", "gpu", offsetof(struct where, rank) },
	{ "node", "host", offsetof(struct where, node) },
	{ "stage", "pp", offsetof(struct where, stage) },
	{ "layer", "l", offsetof(struct where, layer) },
	{ "expert", "e", offsetof(struct where, expert) },
};
enum { PARTS = (int)(sizeof part_table / sizeof *part_table) };

static int64_t *
part(struct where *w, int i)
{
	return (int64_t *)((char *)w + part_table[i].offset);
}

bool
where_empty(const struct where *w)
{
	return w->rank < 0 && w->node < 0 && w->stage < 0 && w->layer < 0 && w->expert < 0;
}

/* How many there are of a part, and -1 where the plan has none to look for. */
static int64_t
part_count(int i, const struct plan *p, const struct estimate *e)
{
	switch (i) {
	case 0:
		return e->layout.world;
	case 1:
		return p->cluster.nodes;
	case 2:
		return e->placed ? e->placement.pp : 0;
	case 3:
		return e->placed ? p->model.layers : 0;
	default:
		return e->placed ? p->model.experts : 0;
	}
}

/* A name begins like one of the table, or a number alone means a rank. -1: neither. */
static int
part_of(const char *word)
{
	const size_t n = strlen(word);

	for (int i = 0; i < PARTS; i++)
		if (strncmp(part_table[i].name, word, n) == 0 || text_equal(part_table[i].other, word))
			return i;
	return -1;
}

/* The next word of *text, in lower case; words end at blanks and commas, and where
 * letters turn to digits ("layer37"). */
static bool
next_word(const char **text, char *word, size_t size)
{
	const char *from = *text + strspn(*text, " \t,;=?");
	const size_t digits = strspn(from, "0123456789");
	const size_t n = digits > 0 ? digits : strcspn(from, " \t,;=?0123456789");

	if (n == 0)
		return false;
	text_put(word, size, "%.*s", (int)n, from);
	for (char *ch = word; *ch != '\0'; ch++)
		if (*ch >= 'A' && *ch <= 'Z')
			*ch = (char)(*ch - 'A' + 'a');
	*text = from + n;
	return true;
}

static bool
put_part(struct where *w, int i, const char *digits, const struct plan *p,
    const struct estimate *e, char *err, size_t size)
{
	const int64_t count = part_count(i, p, e);
	int64_t value;

	if (count <= 0) {
		text_put(err, size, i == 4 && e->placed ? "the model has no experts" :
		    "the plan's errors leave no %ss to look for", part_table[i].name);
		return false;
	}
	if (!text_to_int(digits, &value) || value < 0 || value >= count) {
		if (count == 1)
			text_put(err, size, "there is %s 0 alone", part_table[i].name);
		else
			text_put(err, size, "%ss go from 0 to %lld", part_table[i].name,
			    (long long)count - 1);
		return false;
	}
	if (*part(w, i) >= 0) {
		text_put(err, size, "two %ss: one at a time", part_table[i].name);
		return false;
	}
	*part(w, i) = value;
	return true;
}

/* Experts sit in the layers that have them alone. */
static bool
expert_fits(const struct where *w, const struct plan *p, char *err, size_t size)
{
	if (w->expert < 0 || w->layer < 0 || params_is_moe_layer(&p->model, w->layer))
		return true;
	text_put(err, size, "layer %lld is dense: it has no experts", (long long)w->layer);
	return false;
}

bool
where_parse(struct where *w, const char *text, const struct plan *p, const struct estimate *e,
    char *err, size_t size)
{
	const int64_t per_node = p->cluster.gpus_per_node;
	struct where found = { -1, -1, -1, -1, -1 };
	char word[32], name[32];
	bool gpu = false;

	if (!e->laid_out) {
		text_put(err, size, "the layout refuses the plan, so there are no ranks");
		return false;
	}
	while (next_word(&text, word, sizeof word)) {
		int i = 0;

		gpu = gpu || text_equal(word, "gpu");
		if (word[0] < '0' || word[0] > '9') {
			text_put(name, sizeof name, "%s", word);
			if ((i = part_of(name)) < 0) {
				text_put(err, size, "%s: one of rank, node, stage, layer, expert", name);
				return false;
			}
			if (!next_word(&text, word, sizeof word)) {
				text_put(err, size, "%s which? A number from 0 on", part_table[i].name);
				return false;
			}
		}
		if (!put_part(&found, i, word, p, e, err, size))
			return false;
	}
	if (gpu && found.node >= 0) { /* as the map has it: "node 3, GPU 5" */
		if (found.rank >= per_node) {
			text_put(err, size, "GPUs of a node go from 0 to %lld", (long long)per_node - 1);
			return false;
		}
		found.rank += found.node * per_node;
	}
	if (where_empty(&found)) {
		text_put(err, size, "a rank, or node, stage, layer, expert and a number");
		return false;
	}
	if (!expert_fits(&found, p, err, size))
		return false;
	*w = found;
	return true;
}

static bool
stage_has_layer(const struct placement *pl, int64_t stage, int64_t layer)
{
	for (int64_t v = 0; stage >= 0 && v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, stage, v);

		if (layer >= c->first && layer < c->first + c->count)
			return true;
	}
	return false;
}

/* DualPipe keeps a copy of another stage as well. */
static bool
has_layer(const struct plan *p, const struct estimate *e, int64_t stage, int64_t layer)
{
	const struct placement *pl = &e->placement;

	return e->placed && (stage_has_layer(pl, stage, layer) ||
	    stage_has_layer(pl, placement_mirror(pl, p, stage), layer));
}

void
where_experts(const struct plan *p, const struct layout *l, int64_t rank, int64_t *first,
    int64_t *count)
{
	/* vLLM deals out over all of TP x DP, whatever EP is. */
	const int kind = p->parallel.ep > 1 ? layout_kind(l, "ep") : -1;
	const int64_t size = kind < 0 ? 1 : layout_group_size(l, kind);
	const int64_t at = kind < 0 ? 0 : layout_position(l, kind, rank);
	const int64_t even = p->model.experts / size, more = p->model.experts % size;

	*first = at * even + (at < more ? at : more);
	*count = even + (at < more);
}

static bool
has_expert(const struct plan *p, const struct layout *l, int64_t rank, int64_t expert)
{
	int64_t first, count;

	where_experts(p, l, rank, &first, &count);
	return expert >= first && expert < first + count;
}

bool
where_holds(const struct where *w, const struct plan *p, const struct estimate *e, int64_t rank)
{
	const int64_t stage = layout_pipeline_rank(&e->layout, rank);

	if (rank < 0 || rank >= e->layout.world)
		return false;
	if (w->rank >= 0 && rank != w->rank)
		return false;
	if (w->node >= 0 && plan_slot(p, rank) / p->cluster.gpus_per_node != w->node)
		return false;
	if (w->stage >= 0 && stage != w->stage)
		return false;
	if (w->layer >= 0 && !has_layer(p, e, stage, w->layer))
		return false;
	return w->expert < 0 || has_expert(p, &e->layout, rank, w->expert);
}

int64_t
where_next(const struct where *w, const struct plan *p, const struct estimate *e, int64_t rank,
    int way)
{
	const int64_t world = e->layout.world;

	for (int64_t i = 1; i <= world; i++) {
		int64_t at = ((rank + way * i) % world + world) % world;

		if (where_holds(w, p, e, at))
			return at;
	}
	return -1;
}

int64_t
where_count(const struct where *w, const struct plan *p, const struct estimate *e)
{
	int64_t n = 0;

	for (int64_t rank = 0; rank < e->layout.world; rank++)
		n += where_holds(w, p, e, rank);
	return n;
}

void
where_describe(const struct where *w, char *buf, size_t size)
{
	struct where copy = *w;

	buf[0] = '\0';
	for (int i = 0; i < PARTS; i++)
		if (*part(&copy, i) >= 0)
			text_add(buf, size, buf[0] != '\0' ? ", %s %lld" : "%s %lld", part_table[i].name,
			    (long long)*part(&copy, i));
}
