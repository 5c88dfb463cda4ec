/* `groups` and `layers`: one line a group, one line a model chunk. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/output.h"
#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/session.h"
#include "core/base/text.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "out/out.h"

static void
complain_with_fixes(const struct session *s, struct diag_list *diags)
{
	session_fixes(s, diags);
	session_complain(diags, SEVERITY_ERROR);
}

bool
report_layout(const struct session *s, struct layout *l)
{
	struct diag_list diags;

	diag_clear(&diags);
	if (layout_init(l, &s->plan, &diags))
		return true;
	complain_with_fixes(s, &diags);
	return false;
}

/* Of the batch and the like, on which groups and layers do not depend. */
static bool
is_of_step(const struct diag *d)
{
	return d->field != FIELD_NONE && field_is_of(d->field, "training");
}

void
report_doubts(const struct session *s)
{
	struct estimate *e = session_estimate(s, NULL);

	if (e == NULL)
		return;
	for (size_t i = 0; i < e->diags.count; i++) {
		struct diag *d = &e->diags.item[i];

		if (is_of_step(d))
			d->severity = SEVERITY_HINT;
		else if (d->severity == SEVERITY_ERROR)
			d->severity = SEVERITY_WARNING;
	}
	session_complain(&e->diags, SEVERITY_WARNING);
	free(e);
}

/* The kind that --kind names, -1 after a usage error that lists the names. */
static int
wanted_kind(const struct layout *l, const char *name)
{
	int kind = layout_kind(l, name);
	char known[LAYOUT_KINDS_MAX * (LAYOUT_NAME_SIZE + 1)] = "";

	if (kind >= 0)
		return kind;
	for (int k = 0; k < l->kinds; k++)
		text_add(known, sizeof known, " %s", l->kind[k].name);
	usage_error("--kind: this plan's layout has no groups '%s'; it has%s", name, known);
	return -1;
}

/* All groups of a kind as text, however many: nothing is kept but one buffer. */
static void
print_groups(const struct layout *l, int kind, struct stream *out)
{
	const int64_t count = layout_group_count(l, kind), size = layout_group_size(l, kind);

	for (int64_t g = 0; g < count; g++) {
		stream_text(out, l->kind[kind].name);
		for (int64_t k = 0; k < size; k++) {
			stream_char(out, ' ');
			stream_number(out, layout_member(l, kind, g, k));
		}
		stream_char(out, '\n');
		/* Nobody reads on: do not count to a million for nothing. */
		if (ferror(stdout))
			return;
	}
}

static void
print_hash(const struct layout *l, int kind)
{
	const int64_t size = layout_group_size(l, kind);

	out_line(stdout, "%s count=%" PRId64 " min=%" PRId64 " max=%" PRId64 " sfnv=%016" PRIx64,
	    l->kind[kind].name, layout_group_count(l, kind), size, size, layout_hash(l, kind));
}

/* Which kinds the command line asks for: all without --kind. */
static bool
wanted_kinds(const struct options *o, const struct layout *l, bool *wanted)
{
	for (int kind = 0; kind < l->kinds; kind++)
		wanted[kind] = o->kinds == 0;
	for (int i = 0; i < o->kinds; i++) {
		int kind = wanted_kind(l, o->kind[i]);

		if (kind < 0)
			return false;
		wanted[kind] = true;
	}
	return true;
}

static int
groups_work(struct session *s, const struct options *o)
{
	bool wanted[LAYOUT_KINDS_MAX];
	struct stream *out;
	struct layout l;

	if (!report_layout(s, &l))
		return STATUS_NO;
	report_doubts(s);
	if (!wanted_kinds(o, &l, wanted))
		return STATUS_ERROR;
	if (o->json) {
		json_groups(s, &l, wanted, o->hash);
		return STATUS_OK;
	}
	if ((out = calloc(1, sizeof *out)) == NULL)
		return out_of_memory();
	for (int kind = 0; kind < l.kinds && !ferror(stdout); kind++) {
		if (!wanted[kind])
			continue;
		if (o->hash)
			print_hash(&l, kind);
		else
			print_groups(&l, kind, out);
	}
	stream_flush(out);
	free(out);
	return STATUS_OK; /* write errors are main's to report */
}

int
groups_run(const struct options *o)
{
	if (o->csv)
		return usage_error("--format: groups prints text or hash");
	return session_with(o, groups_work);
}

void
report_chunk(const struct placement *pl, int64_t pp, int64_t v)
{
	const struct chunk *c = placement_chunk(pl, pp, v);

	out_line(stdout, "stage pp=%" PRId64 " vp=%" PRId64
	    " embed=%d loss=%d mtp=%d count=%d first=%d", pp, v,
	    c->embedding, c->loss, (int)c->mtp, (int)c->count, (int)c->first);
}

/* Place the layers, or say why the plan's framework would refuse it. */
static bool
place_layers(const struct session *s, struct placement *pl)
{
	struct diag_list diags;

	diag_clear(&diags);
	if (placement_init(pl, &s->plan, &diags))
		return true;
	complain_with_fixes(s, &diags);
	return false;
}

int
layers_work(struct session *s, const struct options *o)
{
	struct placement pl;

	if (!place_layers(s, &pl))
		return STATUS_NO;
	report_doubts(s);
	if (o->json)
		json_layers(&pl);
	for (int64_t pp = 0; pp < pl.pp && !o->json; pp++)
		for (int64_t v = 0; v < pl.vpp; v++)
			report_chunk(&pl, pp, v);
	return STATUS_OK;
}
