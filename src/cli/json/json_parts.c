/* Pieces that several JSON reports share. */
#include <math.h>
#include <string.h>

#include "cli/report/report.h"
#include "core/plan/field.h"

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

static void
put_value(struct jsonout *j, const char *key, enum result_form form, double value)
{
	switch (form) {
	case FORM_ANSWER:
		jsonout_bool(j, key, value > 0);
		break;
	case FORM_WHOLE:
	case FORM_COUNT:
		jsonout_count(j, key, value);
		break;
	case FORM_BYTES:
		jsonout_bytes(j, key, value);
		break;
	case FORM_REAL:
		jsonout_real(j, key, value);
		break;
	case FORM_TEXT: /* of a row of traffic: see json_flow */
		break;
	}
}

void
json_result(struct jsonout *j, const char *key, enum result_id id, const struct estimate *e,
    int64_t stage)
{
	const struct result *r = &result_table[id];
	const char *dot = strrchr(r->path, '.');
	double value;
	const bool known = result_value(id, e, stage, &value);

	const bool listed = key == NULL && r->scope == SCOPE_STAGE; /* there 0 is said */

	if (key == NULL)
		key = dot != NULL ? dot + 1 : r->path;
	if (known || listed)
		put_value(j, key, r->form, value);
	else
		jsonout_null(j, key);
}

/* What nobody asked for, what a closed loop of requests has not, and times that have no end. */
static bool
leaves_out(enum result_id id, const struct estimate *e, int64_t stage)
{
	const enum result_rule rule = result_table[id].rule;
	const enum result_scope scope = result_table[id].scope;
	double value;
	const bool known = result_value(id, e, stage, &value);

	return rule == RULE_TERMS || ((rule == RULE_ASKED || rule == RULE_SAID) && value <= 0) ||
	    (result_serves(id) && (known ? !isfinite(value) :
	    scope > SCOPE_SERVE || e->serve.rate.known));
}

void
json_results(struct jsonout *j, enum result_id first, enum result_id last,
    const struct estimate *e, int64_t stage)
{
	for (enum result_id id = first; id <= last; id++)
		if (!leaves_out(id, e, stage))
			json_result(j, NULL, id, e, stage);
}

void
json_flow(struct jsonout *j, const struct traffic_row *row)
{
	jsonout_object_row(j, NULL);
	jsonout_text(j, "dim", traffic_dim_name(row->dim));
	jsonout_text(j, "collective", row->collective);
	jsonout_int(j, "group_size", row->span.size);
	jsonout_text(j, "span", span_name(row->span.kind));
	if (row->span.level.unit > 0)
		jsonout_int(j, "level", row->span.level.unit);
	for (enum result_id id = RESULT_FLOW_CALLS; id <= RESULT_FLOW_EXPOSED; id++)
		put_value(j, strrchr(result_table[id].path, '.') + 1, result_table[id].form,
		    result_of_flow(id, row));
	jsonout_close(j);
}

void
json_memory(struct jsonout *j, const struct estimate *e, int64_t stage)
{
	jsonout_object(j, "memory");
	json_results(j, RESULT_PARAMETERS, RESULT_DRIVE_BYTES, e, stage);
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
