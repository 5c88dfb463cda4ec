/*
 * Meshes along the pipeline, "TP CP EP DP PP" of each in a row, the type of their GPUs, and the layers of each stage:
 * FlagOpen/FlagScale flagscale/train/arguments.py, pre_validate_args. A plan has one TP, CP, EP and DP.
 */
#include "file/launches/megatron_hetero.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "file/machines/machines.h"

enum { MESH = 5, MESHES_MAX = 16 };

static const char meshes_flag[] = "--hetero-process-meshes", types_flag[] = "--hetero-device-types",
    layers_flag[] = "--hetero-pipeline-layer-split";

/* Whole numbers of a flag, at most so many; the count, 0 without. */
static size_t
numbers_of(const struct megatron_arg *arg, int64_t *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; arg != NULL && i < arg->values && n < most; i++)
		if (!text_to_int(arg->value[i].text, &out[n++]))
			return 0;
	return n;
}

/* TP, CP and EP of the first mesh, which others share. */
static bool
put_sizes(struct megatron_args *a, const int64_t *mesh, size_t meshes)
{
	static const enum field_id fields[] = { FIELD_TP, FIELD_CP, FIELD_EP };
	int64_t stages = 0;

	for (size_t i = 0; i < meshes; i++) {
		const int64_t *m = mesh + i * MESH;

		stages += m[4];
		for (int k = 0; k < MESH - 1; k++)
			if (m[k] != mesh[k] || m[k] < 1 || m[4] < 1) {
				import_refuse(a->im, meshes_flag, "has meshes of other TP, CP, EP or DP, which no plan has");
				return false;
			}
	}
	for (int k = 0; k < 3; k++)
		import_set_int(a->im, fields[k], mesh[k], meshes_flag);
	return import_set_int(a->im, FIELD_PP, stages, meshes_flag);
}

/* Types after the first one as nodes that they are on. */
static void
put_types(struct megatron_args *a, const int64_t *mesh, size_t meshes)
{
	const struct megatron_arg *types = megatron_arg(a, types_flag);
	const int64_t gpus = a->im->plan->cluster.gpus_per_node;
	char list[PLAN_LIST_SIZE] = "";
	int64_t first = 0;

	if (types == NULL || types->values != meshes) {
		import_refuse(a->im, types_flag, "has to name one type for each mesh");
		return;
	}
	machines_gpu(a->im, types->value[0].text, types_flag);
	for (size_t i = 0; i < meshes; i++) {
		const int64_t *m = mesh + i * MESH, end = first + m[0] * m[1] * m[3] * m[4];

		if (first % gpus != 0 || end % gpus != 0) {
			import_ignore(a->im, types_flag, "meshes of parts of nodes");
			return;
		}
		if (!text_equal(types->value[i].text, types->value[0].text))
			text_add(list, sizeof list, "%s%lld-%lld=%s", list[0] != '\0' ? "," : "", (long long)(first / gpus),
			    (long long)(end / gpus - 1), types->value[i].text);
		first = end;
	}
	if (list[0] != '\0')
		import_set(a->im, FIELD_OTHER_GPUS, list, types_flag);
}

static void
put_layers(struct megatron_args *a)
{
	const struct megatron_arg *arg = megatron_arg(a, layers_flag);
	char layout[PLAN_LAYOUT_SIZE] = "";
	int64_t n[256];
	const size_t stages = numbers_of(arg, n, sizeof n / sizeof *n);
	bool even = true;

	for (size_t i = 0; i < stages; i++) {
		even &= n[i] == n[0];
		text_add(layout, sizeof layout, "%st*%lld%s", i == 0 ? "E" : "", (long long)n[i], i + 1 < stages ? "|" : "L");
	}
	if (stages > 1 && !even)
		import_set(a->im, FIELD_PIPELINE_LAYOUT, layout, layers_flag);
}

void
megatron_put_hetero(struct megatron_args *a)
{
	const struct megatron_arg *arg = megatron_arg(a, meshes_flag);
	int64_t mesh[MESH * MESHES_MAX];
	const size_t n = numbers_of(arg, mesh, sizeof mesh / sizeof *mesh);

	if (!megatron_has(a, "--enable-hetero"))
		return;
	if (n == 0 || n % MESH != 0) {
		import_refuse(a->im, meshes_flag, "has to be TP CP EP DP PP of each mesh");
		return;
	}
	a->im->line = arg->line;
	if (!put_sizes(a, mesh, n / MESH))
		return;
	plan_resolve(a->im->plan, a->im->catalog);
	put_types(a, mesh, n / MESH);
	put_layers(a);
}
