#include "core/search/search_split.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/framework/stage.h"
#include "core/model/params.h"

const enum field_id split_fields[SPLIT_FIELDS] = {
	FIELD_PIPELINE_LAYOUT, FIELD_ACCOUNT_FOR_EMBEDDING, FIELD_ACCOUNT_FOR_LOSS,
	FIELD_FIRST_STAGE_LAYERS, FIELD_LAST_STAGE_LAYERS
};

bool
split_is_field(enum field_id f)
{
	return field_is_among(f, split_fields, SPLIT_FIELDS);
}

int
split_count(const struct plan *p)
{
	return framework_of(p)->states_splits && p->mode == MODE_TRAIN &&
	    p->model.layer_pattern[0] == '\0' ? SPLITS : 1;
}

static void
clear(struct plan *p)
{
	p->parallel.pipeline_layout[0] = '\0';
	p->parallel.account_for_embedding = p->parallel.account_for_loss = 0;
	p->parallel.first_stage_layers = p->parallel.last_stage_layers = 0;
	for (int i = 0; i < SPLIT_FIELDS; i++)
		field_mark(split_fields[i], p, false);
}

/* Chunks of so many layers leave ranks about as even as this PP lets them be: a pipeline of
 * chunks goes at the pace of the largest one. */
static bool
is_even(const struct plan *p, int64_t most, int64_t layers)
{
	const int64_t rank = (layers + p->parallel.pp - 1) / p->parallel.pp;

	return 8 * most * p->parallel.vpp <= 9 * rank;
}

/* ---- fields ------------------------------------------------------------------------- */

/* Embedding or loss counted, where that makes stages even that are not. */
static bool
count_ends(struct plan *p, bool embedding, bool loss)
{
	const int64_t chunks = product_of(p->parallel.pp, p->parallel.vpp);

	if (p->model.layers % chunks == 0 || (p->model.layers + embedding + loss) % chunks != 0)
		return false;
	if (embedding)
		field_store_int(FIELD_ACCOUNT_FOR_EMBEDDING, p, 1);
	if (loss)
		field_store_int(FIELD_ACCOUNT_FOR_LOSS, p, 1);
	return true;
}

/* All other ranks as small as they can be; the first and the last one have less. */
static bool
shorten_ends(struct plan *p, bool first, bool last)
{
	const int64_t pp = p->parallel.pp, vpp = p->parallel.vpp, layers = p->model.layers;
	const int64_t units = layers / vpp, each = (units + pp - 1) / pp; /* layers of all chunks of a place */
	const int64_t less = each * pp - units;
	const int64_t of_last = last ? (first ? (less + 1) / 2 : less) : 0, of_first = less - of_last;

	if (layers % vpp != 0 || less == 0 || of_first >= each || of_last >= each ||
	    (first && of_first == 0) || !is_even(p, each, layers))
		return false;
	if (vpp == 1 && of_first <= 1 && of_last <= 1) /* counting them says so */
		return false;
	if (first)
		field_store_int(FIELD_FIRST_STAGE_LAYERS, p, (each - of_first) * vpp);
	if (last)
		field_store_int(FIELD_LAST_STAGE_LAYERS, p, (each - of_last) * vpp);
	return true;
}

/* ---- layouts ------------------------------------------------------------------------ */

/* Stages in order: how many layers each has, and what the last two have besides. */
struct tail {
	int64_t loss, mtp;  /* what they count for, in layers */
	bool apart;         /* MTP layers are in the stage before that of the loss, which is alone */
};

/* Work of the head, in layers. */
static double
loss_in_layers(const struct plan *p)
{
	const double head = (double)p->model.vocab_size * (double)p->model.hidden_size;
	const double tables = p->model.tied_embeddings ? head : 2 * head;
	const double rest = params_active(&p->model) - tables;

	return rest > 0 ? head * (double)p->model.layers / rest : 0;
}

static struct tail
tail_of(const struct plan *p, enum split split)
{
	const double loss = loss_in_layers(p), mtp = (double)p->model.mtp_layers * (1 + loss);

	if (split == SPLIT_LAYOUT_PLAIN)
		return (struct tail){ .loss = 0 };
	return (struct tail){ .loss = (int64_t)(loss + .5), .mtp = (int64_t)(mtp + .5),
		.apart = split == SPLIT_LAYOUT_APART };
}

/* Layers that a stage takes where none counts for more than `most`. */
static int64_t
room_of(const struct tail *t, int64_t stage, int64_t stages, int64_t most)
{
	int64_t room = most;

	if (stage == stages - 1)
		room -= t->apart ? most : t->loss + t->mtp; /* no layer may follow an MTP layer */
	else if (stage == stages - 2 && t->apart)
		room -= t->mtp;
	return room > 0 ? room : 0;
}

static int64_t
rooms_of(const struct tail *t, int64_t stages, int64_t most)
{
	return (stages - 2) * most + room_of(t, stages - 2, stages, most) +
	    room_of(t, stages - 1, stages, most);
}

/* A run of alike stages. */
static void
put_stages(char *buf, size_t size, int64_t layers, int64_t times)
{
	char one[32];

	text_put(one, sizeof one, layers == 1 ? "t" : "t*%lld", (long long)layers);
	if (times > 1)
		text_add(buf, size, "(%s|)*%lld", one, (long long)times);
	else if (times == 1)
		text_add(buf, size, "%s|", one);
}

static void
put_layers(char *buf, size_t size, int64_t layers)
{
	if (layers > 0)
		text_add(buf, size, layers == 1 ? "t" : "t*%lld", (long long)layers);
}

static void
put_mtp(char *buf, size_t size, const struct plan *p)
{
	for (int64_t i = 0; i < p->model.mtp_layers; i++)
		text_add(buf, size, "m");
}

/* The stages of which the fullest has least; the first ones, which keep most activations, have
 * less where there is less to have. Consecutive stages are on ranks of their own. */
static bool
lay_out(struct plan *p, enum split split)
{
	const struct tail t = tail_of(p, split);
	const int64_t stages = product_of(p->parallel.pp, p->parallel.vpp), layers = p->model.layers;
	const int64_t last = stages - 1 - t.apart; /* the first one of the tail */
	char *s = p->parallel.pipeline_layout;
	const size_t size = sizeof p->parallel.pipeline_layout;
	int64_t most = layers / stages, less;

	if (stages > STAGE_CHUNKS_MAX || stages < 2 + t.apart || (t.apart && p->model.mtp_layers == 0))
		return false;
	while (rooms_of(&t, stages, most) < layers)
		most++;
	less = rooms_of(&t, stages, most) - layers;
	if (less > last || (most < 2 && less > 1) ||
	    !is_even(p, most, layers + t.loss + t.mtp)) /* a stage between the ends has a layer */
		return false;
	if (t.mtp == 0 && t.loss <= 1 && (less <= 1 || (t.loss == 0 && split != SPLIT_LAYOUT_PLAIN)))
		return false; /* even, or embedding and loss counted, or the plain one, are the same */
	if (less == last && room_of(&t, stages - 1, stages, most) == most - 1)
		return false; /* even again */
	field_mark(FIELD_PIPELINE_LAYOUT, p, true);
	text_put(s, size, "E");
	put_layers(s, size, most - (less > 0));
	text_add(s, size, "|");
	put_stages(s, size, most - 1, less > 1 ? less - 1 : 0);
	put_stages(s, size, most, last - (less > 1 ? less : 1));
	if (t.apart) {
		put_layers(s, size, room_of(&t, stages - 2, stages, most));
		put_mtp(s, size, p);
		text_add(s, size, "|");
	}
	put_layers(s, size, room_of(&t, stages - 1, stages, most));
	if (!t.apart)
		put_mtp(s, size, p);
	text_add(s, size, "L");
	p->parallel.vpp = 1;
	return true;
}

/* ---- all of them ---------------------------------------------------------------------- */

static bool
state_split(enum split split, struct plan *p)
{
	/* Stages that fold back have their own order, and one stage has all. */
	if (p->parallel.pp < 2 || p->parallel.vpp < 1 || placement_folds(p->training.schedule))
		return split == SPLIT_EVEN;
	switch (split) {
	case SPLIT_COUNT_BOTH:
		return count_ends(p, true, true);
	case SPLIT_COUNT_LOSS:
		return count_ends(p, false, true);
	case SPLIT_COUNT_EMBEDDING:
		return count_ends(p, true, false);
	case SPLIT_SHORT_LAST:
		return shorten_ends(p, false, true);
	case SPLIT_SHORT_FIRST:
		return shorten_ends(p, true, false);
	case SPLIT_SHORT_ENDS:
		return shorten_ends(p, true, true);
	case SPLIT_LAYOUT_PLAIN:
	case SPLIT_LAYOUT:
	case SPLIT_LAYOUT_APART:
		return lay_out(p, split);
	case SPLIT_OWN:
	case SPLIT_EVEN:
	case SPLITS:
		break;
	}
	return true;
}

void
split_state(enum split split, const struct plan *own, struct plan *p)
{
	clear(p);
	if (split == SPLIT_OWN) {
		for (int i = 0; i < SPLIT_FIELDS; i++)
			field_copy(split_fields[i], p, own);
	} else if (!state_split(split, p)) {
		clear(p);
		text_put(p->parallel.pipeline_layout, sizeof p->parallel.pipeline_layout, "-");
		field_mark(FIELD_PIPELINE_LAYOUT, p, true);
	}
}

size_t
split_format(const struct plan *p, char *buf, size_t size)
{
	const struct parallel *par = &p->parallel;
	const bool first = field_is_set(FIELD_FIRST_STAGE_LAYERS, p);
	const bool last = field_is_set(FIELD_LAST_STAGE_LAYERS, p);

	if (par->pipeline_layout[0] != '\0')
		return text_put(buf, size, "%s", par->pipeline_layout);
	if (first && last)
		return text_put(buf, size, "first %lld, last %lld", (long long)par->first_stage_layers,
		    (long long)par->last_stage_layers);
	if (first || last)
		return text_put(buf, size, "%s %lld", first ? "first" : "last",
		    (long long)(first ? par->first_stage_layers : par->last_stage_layers));
	if (par->account_for_embedding || par->account_for_loss)
		return text_put(buf, size, "%s%s%s counted", par->account_for_embedding ? "embedding" : "",
		    par->account_for_embedding && par->account_for_loss ? " and " : "",
		    par->account_for_loss ? "loss" : "");
	return text_put(buf, size, "even");
}
