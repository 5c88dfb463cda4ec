#include "core/train/traffic.h"

#include "core/base/text.h"

#define LINK_SOURCE "ai-dynamo/aiconfigurator systems/data (NCCL); nccl src/graph/tuning.cc"

const char *
traffic_dim_name(enum traffic_dim dim)
{
	static const char *const names[TRAFFIC_DIMS] = {
		"tp", "cp", "pp", "dp", "edp", "ep", "etp", "embd"
	};

	return names[dim];
}

bool
traffic_strays(const struct plan *p, const struct traffic_row *row)
{
	switch (row->dim) {
	case TRAFFIC_TP:
	case TRAFFIC_ETP:
		return row->span.kind != SPAN_NVLINK;
	case TRAFFIC_CP:
	case TRAFFIC_EP:
		return link_strays(p, &row->span);
	default:
		return false;
	}
}

/* ---- rows ------------------------------------------------------------------------- */

static struct traffic_row *
row_of(struct traffic *t, enum traffic_dim dim, const char *collective, const struct span *span)
{
	struct traffic_row *row;

	for (size_t i = 0; i < t->count; i++) {
		row = &t->row[i];
		if (row->dim == dim && row->collective == collective && row->span.size == span->size)
			return row;
	}
	if (t->count == TRAFFIC_ROWS_MAX)
		return &t->row[TRAFFIC_ROWS_MAX - 1];
	row = &t->row[t->count++];
	*row = (struct traffic_row){ .dim = dim, .collective = collective, .span = *span };
	return row;
}

/* Calls of one kind of message, and what they take: apart from the message, which only who asks
 * for its terms needs whole. */
struct calls {
	enum traffic_dim dim;
	enum collective collective;
	const struct span *span;
	double payload, calls, seconds, exposed;
};

/* Its row, NULL where nothing is sent. */
static inline struct traffic_row *
count_calls(struct traffic *t, const struct calls *c)
{
	struct traffic_row *row;

	if (c->span->size <= 1 || c->calls <= 0 || c->payload <= 0)
		return NULL;
	row = row_of(t, c->dim, collective_name(c->collective), c->span);
	row->calls += c->calls;
	row->seconds += c->seconds;
	row->exposed_seconds += c->exposed;
	row->bytes += c->calls * collective_bytes(c->collective, c->payload, c->span->size);
	return row;
}

/* What collective_bytes multiplies a payload by. */
static const char *
factor_text(enum collective c)
{
	if (c == COLLECTIVE_SEND)
		return "1";
	return c == COLLECTIVE_ALL_REDUCE ? "2*(n-1)/n" : "(n-1)/n";
}

static void
note_bytes(const struct message *m, double bytes, struct ledger *ledger)
{
	const char *factor = factor_text(m->collective);
	char numbers[64] = "1";

	if (m->collective != COLLECTIVE_SEND)
		text_put(numbers, sizeof numbers, "%s(%lld-1)/%lld",
		    m->collective == COLLECTIVE_ALL_REDUCE ? "2*" : "", (long long)m->span.size,
		    (long long)m->span.size);
	ledger_note(ledger, QUANTITY_TRAFFIC, bytes, m->name, m->source,
	    "%s %s: calls*%s*(%s) = %.10g*%s*%.10g, n=%lld", traffic_dim_name(m->dim),
	    collective_name(m->collective), factor, m->formula, m->calls, numbers, m->payload,
	    (long long)m->span.size);
}

/* Seconds of one dispatch or combine. */
double
traffic_dispatch_seconds(const struct plan *p, const struct dispatch *d, double payload,
    const struct span *span, struct link_note *note)
{
	return d->times * link_dispatch_seconds(p, d->tokens, d->token,
	    payload / (d->tokens * d->token), span, note);
}

/* How long the message takes, and what of that nothing hides. */
static void
note_times(const struct plan *p, const struct message *m, struct ledger *ledger)
{
	const char *dim = traffic_dim_name(m->dim), *collective = collective_name(m->collective);
	const struct dispatch *d = m->dispatch;
	char busy[32] = "";
	struct link_note note;

	if (d != NULL)
		traffic_dispatch_seconds(p, d, m->payload, &m->span, &note);
	else
		collective_seconds(p, m->collective, m->payload, &m->span, &note);
	if (d != NULL && d->times > 1)
		text_put(busy, sizeof busy, "%.8g*", d->times);
	ledger_note(ledger, QUANTITY_TRAFFIC_SECONDS, m->seconds, m->name, LINK_SOURCE,
	    "%s %s: calls*%s(%s) = %.10g*%s(%s) s, n=%lld, inside a domain %lld; %s", dim,
	    collective, busy[0] != '\0' ? "imbalance*" : "", note.symbols, m->calls, busy,
	    note.numbers, (long long)m->span.size, (long long)m->span.inside, note.path);
	if (m->exposed <= 0)
		return;
	if (m->exposure != NULL && m->exposed < m->seconds * (1 - 1e-9))
		ledger_note(ledger, QUANTITY_EXPOSED, m->exposed, m->name, m->source, "%s %s: %s",
		    dim, collective, m->exposure);
	else
		ledger_note(ledger, QUANTITY_EXPOSED, m->exposed, m->name, m->source,
		    "%s %s: all of its seconds = %.10g s, nothing hides it", dim, collective,
		    m->exposed);
}

LEDGER_ASKED static void
note_message(const struct plan *p, const struct message *m, ptrdiff_t row, struct ledger *ledger)
{
	ledger_part(ledger, PART_ROW + (int32_t)row);
	note_bytes(m, m->calls * collective_bytes(m->collective, m->payload, m->span.size), ledger);
	note_times(p, m, ledger);
	ledger_part(ledger, PART_NONE);
}

void
traffic_add(struct traffic *t, const struct plan *p, const struct message *m,
    struct ledger *ledger)
{
	const struct calls calls = { m->dim, m->collective, &m->span, m->payload, m->calls, m->seconds,
		m->exposed };
	const struct traffic_row *row = count_calls(t, &calls);

	if (row != NULL && ledger != NULL)
		note_message(p, m, row - t->row, ledger);
}

double
traffic_exposed(const struct traffic *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		sum += t->row[i].exposed_seconds;
	return sum;
}

/* The calls of a flow that nothing hides, in one unit and in all of them. */
static void
put_exposure(const struct flow *f, double times, char *buf, size_t size)
{
	const struct hiding *h = &f->hiding;

	text_put(buf, size, "units*open calls*seconds of a call = %.10g*%.8g*%.8g s", times,
	    f->exposed / f->seconds, f->seconds);
	if (h->by != NULL)
		text_add(buf, size, ", of %.0f calls; beside them %s, %.4g s, leaving %.3g or more of one",
		    f->forward + f->backward, h->by, h->seconds, h->rest);
}

LEDGER_ASKED static void
note_flow(const struct plan *p, const struct flows *flows, const struct flow *f, double times,
    const struct calls *c, ptrdiff_t row, struct ledger *ledger)
{
	char exposure[224];
	const struct message m = {
		.dim = f->dim, .name = f->name, .formula = f->formula, .source = f->source,
		.collective = f->collective, .span = f->span, .payload = f->payload, .calls = c->calls,
		.seconds = c->seconds, .exposed = c->exposed,
		.dispatch = f->dispatched ? &flows->dispatch : NULL, .exposure = exposure
	};

	put_exposure(f, times, exposure, sizeof exposure);
	note_message(p, &m, row, ledger);
}

void
traffic_add_flows(struct traffic *t, const struct plan *p, const struct flows *flows,
    const double units[UNIT_COUNT], struct ledger *ledger)
{
	for (size_t i = 0; i < flows->count; i++) {
		const struct flow *f = &flows->flow[i];
		const double times = units[f->unit], calls = times * (f->forward + f->backward);
		const struct calls c = { f->dim, f->collective, &f->span, f->payload, calls,
			calls * f->seconds, times * f->exposed };
		const struct traffic_row *row = count_calls(t, &c);

		if (row != NULL && ledger != NULL)
			note_flow(p, flows, f, times, &c, row - t->row, ledger);
	}
}
