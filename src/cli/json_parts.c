/* Pieces that several JSON reports share. */
#include "cli/report.h"
#include "core/field.h"

void
json_chunk(struct jsonout *j, const struct placement *pl, int64_t pp, int64_t v)
{
	const struct chunk *c = placement_chunk(pl, pp, v);

	jsonout_object_row(j, NULL);
	jsonout_int(j, "pp", pp);
	jsonout_int(j, "vp", v);
	jsonout_bool(j, "embed", c->embedding);
	jsonout_bool(j, "loss", c->loss);
	jsonout_int(j, "mtp", c->mtp);
	jsonout_int(j, "count", c->count);
	jsonout_int(j, "first", c->first);
	jsonout_close(j);
}

void
json_capacity(struct jsonout *j, const struct estimate *e)
{
	if (e->capacity_known)
		jsonout_bytes(j, "capacity", e->capacity);
	else
		jsonout_null(j, "capacity");
}

void
json_fits(struct jsonout *j, const struct estimate *e)
{
	if (estimate_has_fit(e))
		jsonout_bool(j, "fits", e->fits);
	else
		jsonout_null(j, "fits");
}

void
json_memory(struct jsonout *j, const struct memory *m)
{
	jsonout_object(j, "memory");
	jsonout_bytes(j, "parameters", m->parameters);
	jsonout_bytes(j, "gradients", m->gradients);
	jsonout_bytes(j, "optimizer", m->optimizer);
	jsonout_bytes(j, "activations", m->activations);
	jsonout_bytes(j, "logits", m->logits);
	jsonout_bytes(j, "kv_cache", m->kv_cache);
	jsonout_bytes(j, "buffers", m->buffers);
	jsonout_bytes(j, "allocated", m->allocated);
	jsonout_bytes(j, "overhead", m->overhead);
	jsonout_bytes(j, "overhead_low", m->overhead_low);
	jsonout_bytes(j, "overhead_high", m->overhead_high);
	jsonout_bytes(j, "total", m->total);
	jsonout_close(j);
}

void
json_field(struct jsonout *j, const char *key, enum field_id f, const struct plan *p)
{
	const struct field *row = &field_table[f];
	char text[PLAN_LAYOUT_SIZE];

	if (field_format(f, p, text, sizeof text) == 0 && row->type != FIELD_TEXT) {
		jsonout_null(j, key); /* optional and absent */
		return;
	}
	switch (row->type) {
	case FIELD_INT:
		jsonout_int(j, key, field_int(f, p));
		break;
	case FIELD_REAL:
		jsonout_real(j, key, field_real(f, p));
		break;
	case FIELD_BOOL:
		jsonout_bool(j, key, field_int(f, p) != 0);
		break;
	case FIELD_CHOICE:
	case FIELD_TEXT:
		jsonout_text(j, key, text);
		break;
	}
}
