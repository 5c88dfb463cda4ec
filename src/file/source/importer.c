#include "file/source/importer.h"

#include "core/base/show.h"
#include "core/plan/override.h"
#include "file/log/jsonin.h"
#include "file/plan/errors.h"
#include "file/source/sourced.h"

void
import_at(struct import *im, const char *key)
{
	im->line = 0;
	text_put(im->key, sizeof im->key, "%s", key);
}

/* Put a value into a field, or say under the name of its source why not. The account has one
 * line of a field: the last word about it. */
static bool
put_value(struct import *im, enum field_id f, const char *value, const char *source)
{
	char err[640], what[96];

	if (field_parse(f, im->plan, value, err, sizeof err)) {
		text_put(what, sizeof what, "%s = ", field_table[f].path);
		notes_drop(&im->taken, what);
		notes_drop(&im->assumed, what);
		return true;
	}
	import_error(im, source, "%s %s", field_table[f].path, err);
	return false;
}

bool
import_set(struct import *im, enum field_id f, const char *value, const char *source)
{
	if (!put_value(im, f, value, source))
		return false;
	notes_add(&im->taken, "%s -> %s = %s", source, field_table[f].path, value);
	return true;
}

bool
import_assume(struct import *im, enum field_id f, const char *value, const char *why)
{
	if (!put_value(im, f, value, why))
		return false;
	notes_add(&im->assumed, "%s = %s: %s", field_table[f].path, value, why);
	return true;
}

static const char *
text_of(enum field_id f, int64_t v, char buf[24])
{
	if (field_table[f].type == FIELD_BOOL)
		text_put(buf, 24, "%s", v != 0 ? "true" : "false");
	else
		text_put(buf, 24, "%lld", (long long)v);
	return buf;
}

bool
import_set_int(struct import *im, enum field_id f, int64_t v, const char *source)
{
	char text[24];

	return import_set(im, f, text_of(f, v, text), source);
}

bool
import_assume_int(struct import *im, enum field_id f, int64_t v, const char *why)
{
	char text[24];

	return import_assume(im, f, text_of(f, v, text), why);
}

bool
import_fill(struct import *im, enum field_id f, const char *value)
{
	return put_value(im, f, value, "");
}

void
import_ignore(struct import *im, const char *source, const char *why)
{
	notes_add(&im->ignored, "%s: %s", source, why);
}

static void complain_about(struct import *im, const char *source, const char *fmt, va_list args)
    TEXT_FORMAT(3, 0);

static void
complain_about(struct import *im, const char *source, const char *fmt, va_list args)
{
	const unsigned line = sourced_line(im, im->line > 0 || im->key[0] == '\0' ? im->line :
	    jsonin_line(im->text, im->key));
	char raw[640], message[640];

	text_vput(raw, sizeof raw, fmt, args);
	show_text(message, sizeof message, raw);
	errors_add(im->errors, im->name, line, source, "%s", message);
}

void
import_error(struct import *im, const char *source, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain_about(im, source, fmt, args);
	va_end(args);
}

void
import_refuse(struct import *im, const char *source, const char *fmt, ...)
{
	va_list args;

	im->refused = true;
	va_start(args, fmt);
	complain_about(im, source, fmt, args);
	va_end(args);
}

/* ---- the model ---------------------------------------------------------------------- */

/* Of a model, what it is published in is none of its shape, nor what sees images beside it. */
static bool
is_shape(enum field_id f)
{
	return field_entry(f) == FIELD_PRESET && field_table[f].modes == MODES_BOTH;
}

void
import_own_model(struct import *im)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (is_shape(f))
			field_mark(f, im->plan, true);
}

/* An entry holds the values that it sets, and of the others the defaults. */
static size_t
count_differences(const struct plan *p, const struct plan *entry)
{
	size_t n = 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		n += is_shape(f) && field_is_set(f, p) && !field_same(f, p, entry);
	return n;
}

void
import_name_model(struct import *im)
{
	const struct catalog_list *models;
	const struct catalog_entry *best = NULL;
	size_t least = SIZE_MAX;
	char why[128];

	if (im->catalog == NULL)
		return;
	models = &im->catalog->models;
	for (size_t i = 0; i < models->count; i++) {
		const size_t n = count_differences(im->plan, &models->entry[i].values);

		if (n < least) {
			least = n;
			best = &models->entry[i];
		}
	}
	if (best == NULL)
		return;
	text_put(why, sizeof why, least == 0 ? "the shape is that of the catalogue" :
	    "the nearest of the catalogue, %zu field%s differ%s", least, TEXT_S(least),
	    least == 1 ? "s" : "");
	if (least > 0 && im->section != NULL)
		text_add(why, sizeof why, " ('shardplan models --from' makes an entry of its own)");
	import_assume(im, FIELD_PRESET, best->id, why);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_entry(f) == FIELD_PRESET && f != FIELD_CHECKPOINT_DTYPE && f != FIELD_CHECKPOINT_GROUP &&
		    field_same(f, im->plan, &best->values))
			field_mark(f, im->plan, false);
}

/* ---- into a plan that is there ------------------------------------------------------- */

/* What tells of a model tells of the numbers that it is served in as well, what tells of machines of
 * their links. */
static bool
is_told(const struct import *im, enum field_id f)
{
	if (field_is_of(f, im->section))
		return field_entry(f) == FIELD_PRESET || field_is_set(f, im->plan);
	return field_is_set(f, im->plan) && (text_equal(im->section, "model") ?
	    f == FIELD_WEIGHT_DTYPE || f == FIELD_DENSE_DTYPE || f == FIELD_WEIGHT_GROUP || f == FIELD_ZERO_POINTS ||
	    f == FIELD_KEPT_PARAMS || f == FIELD_KV_DTYPE : text_equal(im->section, "cluster") &&
	    (f == FIELD_NETWORK_EFFICIENCY || f == FIELD_NVLINK_EFFICIENCY));
}

void
import_into(const struct import *im, struct plan *plan)
{
	const struct plan was = *plan;
	struct overrides dropped;

	if (im->section == NULL) {
		*plan = *im->plan;
		return;
	}
	if (field_is_set(FIELD_GPU, im->plan))
		field_copy(FIELD_GPU, plan, im->plan);
	overrides_drop(&was, plan, &dropped);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (is_told(im, f))
			field_copy(f, plan, im->plan);
}

/* ---- the machines ------------------------------------------------------------------- */

enum { USUAL_NODE = 8 }; /* GPUs: DGX and HGX systems */

static int64_t
usual_node(int64_t world)
{
	int64_t n = USUAL_NODE;

	while (world % n != 0)
		n--;
	return n;
}

bool
import_machine(struct import *im, int64_t world, int64_t nodes, int64_t gpus_per_node,
    const char *source)
{
	const bool knows_nodes = nodes > 0, knows_node = gpus_per_node > 0;
	char why[96];

	if (world < 1) {
		import_error(im, source, "%lld is no number of GPUs (fix: --world with the GPUs of all "
		    "nodes)", (long long)world);
		return false;
	}
	text_put(why, sizeof why, "the usual nodes for %lld GPUs", (long long)world);
	if (!knows_node)
		gpus_per_node = knows_nodes && world % nodes == 0 ? world / nodes : usual_node(world);
	if (world % gpus_per_node != 0 || (knows_nodes && world / gpus_per_node != nodes)) {
		import_error(im, source, "%lld GPUs are no whole number of such nodes (fix: --world "
		    "with the GPUs of all nodes)", (long long)world);
		return false;
	}
	nodes = world / gpus_per_node;
	return (knows_node ? import_set_int(im, FIELD_GPUS_PER_NODE, gpus_per_node, source) :
	    import_assume_int(im, FIELD_GPUS_PER_NODE, gpus_per_node, why)) &&
	    (knows_nodes || knows_node ? import_set_int(im, FIELD_NODES, nodes, source) :
	    import_assume_int(im, FIELD_NODES, nodes, why));
}
