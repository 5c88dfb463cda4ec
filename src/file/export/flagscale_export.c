#include <stdlib.h>

#include "core/framework/gpu_types.h"
#include "core/framework/layout.h"
#include "core/plan/hardware.h"
#include "core/plan/nodes.h"
#include "file/export/megatron_core.h"
#include "file/export/megatron_export.h"
#include "file/export/parts.h"
#include "file/export/writers.h"

enum { THEIR_CORE = 14 }; /* of its submodule then, to which flagscale/backends/Megatron-LM are patches */
#define ARGUMENTS "FlagOpen/FlagScale flagscale/train/arguments.py"

/* The type of each stage's GPUs, -1: several. */
struct stage_types {
	int64_t stages;
	int type[STAGE_CHUNKS_MAX];
};

static bool
find_types(struct stage_types *out, const struct plan *p)
{
	unsigned types[STAGE_CHUNKS_MAX];
	struct layout l;

	if (!layout_init(&l, p, NULL))
		return false;
	gpu_types_of_stages(types, p, &l);
	out->stages = p->parallel.pp;
	for (int64_t i = 0; i < out->stages; i++)
		for (int t = out->type[i] = 0; t < GPU_TYPES_MAX; t++)
			out->type[i] = types[i] == 1u << t ? t : (types[i] & (types[i] - 1)) != 0 ? -1 : out->type[i];
	return true;
}

static bool
can_mesh(struct export *e, const struct stage_types *t)
{
	const struct plan *p = e->plan;

	for (int64_t i = 0; i < t->stages; i++)
		if (t->type[i] < 0) {
			export_refuse(e, FIELD_OTHER_GPUS, "target_lacks", ARGUMENTS,
			    "a mesh has GPUs of one type, and stage %lld has several", (long long)i);
			return false;
		}
	if (p->parallel.vpp > 1)
		export_refuse(e, FIELD_VPP, "target_lacks", ARGUMENTS, "virtual pipelines do not go with meshes");
	else if (t->stages > 1 && !text_equal(p->parallel.order, "tp-cp-ep-dp-pp"))
		export_refuse(e, FIELD_ORDER, "target_lacks_order", ARGUMENTS, "meshes follow one another along the pipeline: "
		    "order tp-cp-ep-dp-pp alone");
	else
		return true;
	return false;
}

static const char *
type_name(const struct plan *p, int type)
{
	return type == 0 ? p->cluster.gpu : p->other[type - 1].gpu;
}

/* A mesh for each run of stages of one type. */
static void
put_meshes(struct textbuf *out, const struct plan *p, const struct stage_types *t, int64_t dp)
{
	struct textbuf types = { 0 };

	textbuf_add(out, "\t--enable-hetero\n\t--hetero-process-meshes");
	for (int64_t first = 0, end; first < t->stages; first = end) {
		for (end = first + 1; end < t->stages && t->type[end] == t->type[first];)
			end++;
		textbuf_add(out, " %lld %lld %lld %lld %lld", (long long)p->parallel.tp, (long long)p->parallel.cp,
		    (long long)p->parallel.ep, (long long)dp, (long long)(end - first));
		textbuf_add(&types, " %s", type_name(p, t->type[first]));
	}
	textbuf_add(out, "\n\t--hetero-device-types%s\n", types.text != NULL ? types.text : "");
	out->failed |= types.failed;
	free(types.text);
}

static void
put_layers(struct textbuf *out, const struct plan *p)
{
	struct placement pl;

	if (!placement_init(&pl, p, NULL))
		return;
	textbuf_add(out, "\t--hetero-pipeline-layer-split");
	for (int64_t i = 0; i < pl.pp; i++)
		textbuf_add(out, " %lld", (long long)placement_layers(&pl, i));
	textbuf_add(out, "\n");
}

/* Each node says which type its own GPUs are of. */
static void
put_current(struct textbuf *out, const struct plan *p)
{
	textbuf_add(out, "types=(");
	for (int64_t node = 0; node < p->cluster.nodes; node++)
		textbuf_add(out, "%s%s", node > 0 ? " " : "", nodes_gpu(p, node));
	textbuf_add(out, ")\nargs+=(--hetero-current-device-type \"${types[${NODE_RANK:-0}]}\")\n");
}

static bool
of_one_maker(const struct plan *p)
{
	struct plan room;

	for (int t = 1; t < gpu_types(p); t++)
		if (generation_of(gpu_type_plan(p, t, &room))->maker != generation_of(p)->maker)
			return false;
	return true;
}

void
flagscale_write(struct export *e)
{
	struct textbuf body = { 0 };
	struct stage_types types;
	struct plan even;

	if (!megatron_can_run(e) || !find_types(&types, e->plan) || !can_mesh(e, &types))
		return;
	e->core = e->core > 0 ? e->core : THEIR_CORE;
	megatron_core_suit(e);
	even = *e->plan; /* the split is said by stages */
	even.parallel.pipeline_layout[0] = '\0';
	even.parallel.first_stage_layers = even.parallel.last_stage_layers = 0;
	even.parallel.account_for_embedding = even.parallel.account_for_loss = 0;
	export_put_network(&body, e->plan, e->plan->cluster.nodes);
	megatron_put_connections(&body, e->plan);
	megatron_put_args(&body, "args", &even, e->core);
	body.used -= body.failed ? 0 : 2; /* the bracket and its line end */
	put_meshes(&body, e->plan, &types, export_sizes_of(e->plan).dp);
	put_layers(&body, e->plan);
	if (!of_one_maker(e->plan))
		textbuf_add(&body, "\t--distributed-backend flagcx\n");
	textbuf_add(&body, ")\n");
	put_current(&body, e->plan);
	textbuf_add(&body, ": \"${PRETRAIN:=flagscale/train/train_gpt.py}\"\n");
	EXPORT_SAY(e, FIELD_OTHER_GPUS);
	megatron_finish(e, "flagscale.sh", &body);
}
