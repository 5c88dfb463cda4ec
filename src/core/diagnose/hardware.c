#include "core/diagnose/hardware.h"

#include <string.h>

#include "core/base/text.h"

struct found {
	struct diagnosed_set *set;
	size_t n;
};

static bool
has_set(const struct found *f, enum field_id field)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->set[i].field == field)
			return true;
	return false;
}

static void
put_set(struct found *f, enum field_id field, const char *value)
{
	if (f->n < HARDWARE_SETS && !has_set(f, field)) {
		f->set[f->n].field = field;
		text_put(f->set[f->n++].value, DIAGNOSE_VALUE, "%s", value);
	}
}

/* Links as measured: the share of what is modelled of them. */
static void
put_link(struct found *f, const struct diagnosis *d, enum measured_id id, enum field_id field)
{
	const double now = field_real(field, &d->run), share = now > 0 ? now : 1;

	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == id && d->term[i].estimated > 0)
			put_set(f, field, TEXT_OF(DIAGNOSE_VALUE, "%.3g",
			    share * d->term[i].measured / d->term[i].estimated));
}

static bool
is_of_machines(enum field_id field)
{
	return field == FIELD_NETWORK_EFFICIENCY || field == FIELD_NVLINK_EFFICIENCY ||
	    (strncmp(field_table[field].path, "cluster.", 8) == 0 && field != FIELD_NODES);
}

/* Fields that say the network: a rate that was measured says it already. */
static bool
is_network(enum field_id field)
{
	return field == FIELD_NIC_GBPS || field == FIELD_NICS_PER_NODE || field == FIELD_NIC_PATH ||
	    field == FIELD_TRANSPORT || field == FIELD_NETWORK_EFFICIENCY;
}

static void
put_cause(struct found *f, const struct diagnosed_cause *c)
{
	const bool known = has_set(f, FIELD_NETWORK_EFFICIENCY);

	for (size_t i = 0; i < c->sets; i++)
		if (!is_of_machines(c->set[i].field) || (known && is_network(c->set[i].field)))
			return;
	for (size_t i = 0; i < c->sets; i++)
		put_set(f, c->set[i].field, c->set[i].value);
}

size_t
diagnose_hardware(struct diagnosed_set out[HARDWARE_SETS], const struct diagnosis *d)
{
	struct found f = { .set = out };

	put_link(&f, d, MEASURED_NETWORK_BUS, FIELD_NETWORK_EFFICIENCY);
	put_link(&f, d, MEASURED_NVLINK_BUS, FIELD_NVLINK_EFFICIENCY);
	for (size_t i = 0; i < d->mismatches; i++)
		if (d->mismatch[i].field != FIELD_NONE && is_of_machines(d->mismatch[i].field))
			put_set(&f, d->mismatch[i].field, d->mismatch[i].run);
	for (size_t i = 0; i < d->causes; i++)
		if (d->cause[i].cause != NULL && d->cause[i].certainty <= CERTAINTY_LIKELY)
			put_cause(&f, &d->cause[i]);
	return f.n;
}
