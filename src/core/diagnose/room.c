#include "core/diagnose/room.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/framework/resolve.h"

/* What may give room: values of one field each. */
static const struct {
	enum field_id field;
	const char *value;
} changes[] = {
	{ FIELD_SEQUENCE_PARALLEL, "true" }, { FIELD_RECOMPUTE, "selective" },
	{ FIELD_RECOMPUTE, "full" }, { FIELD_MICRO_BATCH_SIZE, "1" }, { FIELD_ZERO_STAGE, "1" },
	{ FIELD_ZERO_STAGE, "2" }, { FIELD_ZERO_STAGE, "3" }, { FIELD_OFFLOAD, "optimizer" },
	{ FIELD_OPTIMIZER, "adam8bit" }, { FIELD_CROSS_ENTROPY, "te" },
};

const char *
room_phase(enum oom_phase phase)
{
	static const char *const name[] = { "", "while weights are loaded", "in the forward pass",
		"in the backward pass", "in the optimizer's step" };

	return name[phase];
}

/* The stage of a rank, or the fullest one. */
static int64_t
stage_of(int64_t rank, const struct estimate *e)
{
	if (!e->laid_out || rank < 0 || rank >= e->layout.world)
		return e->peak_stage;
	return layout_pipeline_rank(&e->layout, rank);
}

/* Of changes that give room enough the one that costs least time. */
static void
try_changes(struct room *out, const struct plan *run, const struct catalog *catalog,
    struct estimate *work, double memory, double seconds)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct plan p = *run;
		char err[256];
		double saves, costs;

		if (!field_parse(changes[i].field, &p, changes[i].value, err, sizeof err))
			continue;
		plan_resolve(&p, catalog);
		estimate_run(work, &p, catalog, NULL);
		saves = memory - estimate_fullest(work);
		costs = work->step.seconds - seconds;
		if (!work->legal || !(saves > 0) || saves < out->lacked ||
		    (out->by == ROOM_PLAN && costs >= out->costs))
			continue;
		out->by = ROOM_PLAN;
		out->saves = saves;
		out->costs = costs;
		out->set.field = changes[i].field;
		text_put(out->set.value, sizeof out->set.value, "%s", changes[i].value);
	}
}

/* What of the message itself gives room enough. */
static void
try_message(struct room *out, const struct measured_oom *o)
{
	out->lacked = o->asked > o->free ? o->asked - o->free : 0;
	if (o->others >= out->lacked && o->others > 0)
		out->by = ROOM_OTHERS;
	else if (o->unallocated >= out->lacked && o->unallocated > 0)
		out->by = ROOM_PIECES;
}

void
room_alone(struct room *out, const struct measured *m)
{
	*out = (struct room){ .stage = 0 };
	try_message(out, &m->oom);
}

void
diagnose_room(struct room *out, const struct measured *m, const struct plan *run,
    const struct catalog *catalog, struct estimate *work)
{
	estimate_run(work, run, catalog, NULL);
	*out = (struct room){ .stage = stage_of(m->oom.rank, work) };
	try_message(out, &m->oom);
	if (out->by == ROOM_NOTHING && work->legal && run->mode == MODE_TRAIN) {
		try_changes(out, run, catalog, work, estimate_fullest(work), work->step.seconds);
		estimate_run(work, run, catalog, NULL);
	}
}

/* A name of NULL ends them; what nobody told is 0. */
struct part {
	const char *name;
	double bytes;
};

static void
put_parts(const struct part *part, char *buf, size_t size)
{
	*buf = '\0';
	for (; part->name != NULL; part++)
		if (part->bytes > 0)
			text_add(buf, size, "  %s %s", part->name, UNITS_SHORT(BYTES, part->bytes));
}

void
room_held(const struct measured_oom *o, char *buf, size_t size)
{
	put_parts((const struct part[]){ { "asked", o->asked }, { "free", o->free },
		{ "allocated", o->allocated }, { "reserved besides", o->unallocated },
		{ "graph pools", o->pools }, { "others", o->others }, { NULL, 0 } }, buf, size);
}

void
room_planned(const struct memory *m, bool rest, char *buf, size_t size)
{
	if (!rest)
		put_parts((const struct part[]){ { "parameters", m->parameters }, { "gradients", m->gradients },
			{ "optimizer", m->optimizer }, { "activations", m->activations }, { NULL, 0 } }, buf, size);
	else
		put_parts((const struct part[]){ { "logits", m->logits }, { "KV cache", m->kv_cache },
			{ "buffers", m->buffers }, { "allocated", m->allocated }, { "overhead", m->overhead }, { NULL, 0 } },
		    buf, size);
}

void
room_advice(const struct room *r, char *buf, size_t size)
{
	switch (r->by) {
	case ROOM_OTHERS:
		text_put(buf, size, "end the other process: it holds more than was lacked");
		break;
	case ROOM_PIECES:
		text_put(buf, size, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: enough is reserved, in pieces");
		break;
	case ROOM_PLAN:
		text_put(buf, size, "%s=%s: %s less, %s%s a step", field_table[r->set.field].path, r->set.value,
		    UNITS_SHORT(BYTES, r->saves), r->costs >= 0 ? "+" : "", UNITS_SHORT(SECONDS, r->costs));
		break;
	case ROOM_NOTHING:
		text_put(buf, size, "no single setting gives so much: more GPUs, TP or PP");
		break;
	}
}
