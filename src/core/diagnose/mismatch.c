/* Whether the plan is the run's: what files say of it, against its fields. */
#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/diagnose.h"
#include "core/engine/engine.h"
#include "core/framework/resolve.h"
#include "core/plan/override.h"

/* How near a peak and a capacity have to be: programs round, and subtract what a driver holds. */
#define PEAK_NEAR 0.03
#define CAPACITY_NEAR 0.012
#define CAPACITY_FAR 0.05
#define MEAN_NEAR 0.02
#define BATCH_NEAR 0.005 /* nanotron says 1024 as 1.02K */

static void
note_mismatch(struct mismatch *out, size_t *n, struct mismatch one)
{
	if (*n < DIAGNOSE_MISMATCHES)
		out[(*n)++] = one;
}

static bool
is_near(double a, double b, double share)
{
	return b > 0 && fabs(a / b - 1) <= share;
}

/* ---- which GPU ----------------------------------------------------------------------- */

/* How many of peak and capacity agree; -1 where one does not. */
static int
agrees(const struct cluster *c, const struct fact *peak, const struct fact *capacity)
{
	const bool rate = peak != NULL && is_near(peak->number, c->bf16_tflops * 1e12, PEAK_NEAR);
	const bool size = capacity != NULL &&
	    is_near(capacity->number, c->memory_gib * GIB, CAPACITY_NEAR);

	if ((peak != NULL && !rate) || (capacity != NULL && !size))
		return -1;
	return rate + size;
}

/* The GPU that the run names, or that its peak and capacity are those of; NULL for the plan's own,
 * and where nothing tells. */
static const struct catalog_entry *
gpu_of(const struct measured *m, const struct plan *p, const struct catalog *catalog,
    struct place *place)
{
	const struct fact *name = measured_find(m, FACT_GPU_NAME);
	const struct fact *peak = measured_find(m, FACT_PEAK);
	const struct fact *capacity = measured_find(m, FACT_CAPACITY);
	const struct catalog_entry *found = NULL;
	bool exact;

	if (name != NULL && (found = catalog_of_driver(&catalog->gpus, name->text, &exact)) != NULL) {
		*place = name->place;
		return text_equal(found->id, p->cluster.gpu) ? NULL : found;
	}
	/* A capacity alone is that of several GPUs. */
	if (peak == NULL || agrees(&p->cluster, peak, capacity) >= 0)
		return NULL;
	*place = peak->place;
	for (size_t i = 0; i < catalog->gpus.count; i++) {
		const struct catalog_entry *e = &catalog->gpus.entry[i];

		if (agrees(&e->values.cluster, peak, capacity) > 0 && (found == NULL ||
		    (e->values.cluster.fabric != FABRIC_PCIE && found->values.cluster.fabric == FABRIC_PCIE)))
			found = e;
	}
	return found;
}

static void
compare_gpu(struct mismatch *out, size_t *n, struct plan *run, const struct measured *m,
    const struct plan *p, const struct catalog *catalog)
{
	struct mismatch one = { .field = FIELD_GPU };
	const struct catalog_entry *gpu = gpu_of(m, p, catalog, &one.place);
	struct overrides dropped;
	const struct setting *wrong;
	char err[256];

	if (gpu == NULL)
		return;
	text_put(one.plan, sizeof one.plan, "%s", p->cluster.gpu);
	text_put(one.run, sizeof one.run, "%s", gpu->id);
	if (overrides_put(&(struct setting){ FIELD_GPU, gpu->id }, 1, run, &dropped, &wrong, err,
	    sizeof err))
		note_mismatch(out, n, one);
}

/* A capacity alone names no GPU, but tells that it is none of the plan's. */
static void
compare_capacity(struct mismatch *out, size_t *n, struct plan *run, const struct measured *m)
{
	const struct fact *capacity = measured_find(m, FACT_CAPACITY);
	struct mismatch one = { .field = FIELD_MEMORY_GIB };
	char err[256];

	if (capacity == NULL || *n > 0 || measured_find(m, FACT_GPU_NAME) != NULL ||
	    is_near(capacity->number, run->cluster.memory_gib * GIB, CAPACITY_FAR))
		return;
	one.place = capacity->place;
	text_put(one.plan, sizeof one.plan, "%.4g", run->cluster.memory_gib);
	text_put(one.run, sizeof one.run, "%.4g", capacity->number / GIB);
	if (field_parse(FIELD_MEMORY_GIB, run, one.run, err, sizeof err))
		note_mismatch(out, n, one);
}

const char *
mismatch_path(const struct mismatch *m)
{
	return m->field != FIELD_NONE ? field_table[m->field].path : "parallel.world";
}

/* ---- GPUs of the job, and fields --------------------------------------------------------- */

static void
compare_world(struct mismatch *out, size_t *n, struct plan *run, const struct measured *m,
    const struct plan *p)
{
	const struct fact *world = measured_find(m, FACT_WORLD);
	const int64_t gpus = p->cluster.gpus_per_node;
	struct mismatch one = { .field = FIELD_NODES };
	int64_t nodes;

	if (world == NULL || !(world->number > 0) || world->number > 1e7 ||
	    (int64_t)world->number == plan_world(p))
		return;
	nodes = (int64_t)world->number / gpus;
	one.place = world->place;
	if (nodes * gpus == (int64_t)world->number) {
		field_store_int(FIELD_NODES, run, nodes);
	} else if (world->number <= 16) { /* GPUs of one node */
		one.field = FIELD_GPUS_PER_NODE;
		nodes = (int64_t)world->number;
		field_store_int(FIELD_GPUS_PER_NODE, run, nodes);
		field_store_int(FIELD_NODES, run, 1);
	} else { /* no field says nodes that differ */
		one.field = FIELD_NONE;
		text_put(one.plan, sizeof one.plan, "%lld", (long long)plan_world(p));
		text_put(one.run, sizeof one.run, "%.0f", world->number);
		note_mismatch(out, n, one);
		return;
	}
	field_format(one.field, p, one.plan, sizeof one.plan);
	text_put(one.run, sizeof one.run, "%lld", (long long)nodes);
	note_mismatch(out, n, one);
}

/* Means of many requests are not whole, and large batches are rounded. */
static bool
is_about(enum field_id f, const struct plan *a, const struct plan *b)
{
	const bool mean = f == FIELD_PROMPT_TOKENS || f == FIELD_GENERATE_TOKENS || f == FIELD_CONCURRENCY;

	return (mean || f == FIELD_GLOBAL_BATCH_SIZE) && is_near((double)field_int(f, a),
	    (double)field_int(f, b), mean ? MEAN_NEAR : BATCH_NEAR);
}

/* Watts below what the GPU is made for, and the plan says. */
static bool
is_limited(double watts, const struct cluster *c)
{
	const double usual = c->gpu_power_watts > 0 ? c->gpu_power_watts : c->tdp_watts;

	return usual > 0 && watts > 0 && watts < POWER_LIMITED * usual;
}

/* "0.11" is 0.11.0: estimates know no finer releases. */
static bool
is_same_release(enum field_id f, const struct plan *a, const struct plan *b)
{
	int64_t patch;

	return f == FIELD_ENGINE_VERSION && engine_version(a->serving.engine_version, &patch) ==
	    engine_version(b->serving.engine_version, &patch);
}

static void
compare_field(struct mismatch *out, size_t *n, struct plan *run, const struct fact *f,
    const struct plan *p)
{
	const enum field_id id = (enum field_id)f->id;
	struct mismatch one = { .field = id, .place = f->place };
	struct plan said = *p;
	char err[256];

	if (!field_parse(id, &said, f->text, err, sizeof err) || !field_applies(id, p))
		return;
	if (id == FIELD_GPU_POWER_WATTS && !is_limited(f->number, &run->cluster))
		return;
	field_format(id, p, one.plan, sizeof one.plan);
	field_format(id, &said, one.run, sizeof one.run);
	if (text_equal(one.plan, one.run) || is_about(id, p, &said) || is_same_release(id, p, &said))
		return;
	field_copy(id, run, &said);
	note_mismatch(out, n, one);
}

size_t
diagnose_mismatches(struct mismatch *out, struct plan *run, const struct measured *m,
    const struct plan *p, const struct catalog *catalog)
{
	size_t n = 0;

	*run = *p;
	compare_gpu(out, &n, run, m, p, catalog);
	compare_capacity(out, &n, run, m);
	compare_world(out, &n, run, m, p);
	for (size_t i = 0; i < m->facts; i++)
		if (m->fact[i].id < FIELD_COUNT)
			compare_field(out, &n, run, &m->fact[i], p);
	plan_resolve(run, catalog);
	return n;
}
