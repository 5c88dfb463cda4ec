#include "file/export/parts.h"

#include <string.h>

#include "core/framework/layout.h"
#include "core/plan/field.h"

struct export_sizes
export_sizes_of(const struct plan *p)
{
	struct layout l;
	struct export_sizes s = { .world = plan_world(p), .dp = 1 };

	if (layout_init(&l, p, NULL))
		s.dp = l.dp;
	s.rounds = p->training.global_batch_size / (p->training.micro_batch_size * s.dp);
	return s;
}

bool
export_is_sharded(const struct plan *p, const struct export_sizes *s)
{
	return p->parallel.zero_stage > 0 && s->world > 1;
}

void
export_rows(struct export *e, struct tree *t, const struct settings_key rows[])
{
	const struct settings_key *without = tree_fields(t, rows, e->plan);

	for (; rows->path != NULL; rows++)
		field_set_add(&e->said, rows->field);
	if (without == NULL)
		return;
	export_refuse(e, without->field, "target_lacks", e->target, "%s has no %s %s", e->target,
	    field_table[without->field].label, FIELD_SHOWN(without->field, e->plan));
}

void
export_by_checkpoint(struct export *e)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (f == FIELD_PRESET || field_entry(f) == FIELD_PRESET)
			field_set_add(&e->said, f);
}

void
export_tell_rest(struct export *e)
{
	export_by_checkpoint(e);
	/* Sizes, what is sharded and what is kept: in files and lines of launchers, or refused. */
	EXPORT_SAY(e, FIELD_LAYOUT, FIELD_TP, FIELD_CP, FIELD_PP, FIELD_EP, FIELD_ZERO_STAGE, FIELD_OFFLOAD,
	    FIELD_SEQUENCE_LENGTH, FIELD_MICRO_BATCH_SIZE, FIELD_GLOBAL_BATCH_SIZE, FIELD_PRECISION,
	    FIELD_RECOMPUTE, FIELD_FINETUNE, FIELD_ADAPTER_TARGET, FIELD_QUANTIZATION, FIELD_RL_ALGORITHM);
	/* Data are what they are, and models have names of their own. */
	EXPORT_SAY(e, FIELD_RL_PROMPT_TOKENS, FIELD_RL_RESPONSE_TOKENS, FIELD_LENGTH_SPREAD,
	    FIELD_PREFIX_HIT, FIELD_CRITIC_PRESET, FIELD_REWARD_PRESET);
	export_missing_rest(e, "there is no setting for it");
}

void
export_refuse_above_one(struct export *e, enum field_id f, const char *source, const char *why)
{
	if (field_int(f, e->plan) > 1)
		export_refuse(e, f, "target_lacks", source, "%s %lld: %s", field_table[f].label,
		    (long long)field_int(f, e->plan), why);
}

void
export_away(struct export *e, struct tree *t, const char *program,
    const struct settings_away *away)
{
	const struct plan *p = e->plan;
	const bool again = p->training.recompute == RECOMPUTE_FULL;
	const char *words = again ? away->inputs : away->kept;
	char path[96], *word;

	if (p->training.offload_layers == 0)
		return;
	if (words == NULL || !text_choice(words, 0, path, sizeof path)) {
		export_refuse(e, FIELD_OFFLOAD_LAYERS, "target_lacks", program, "%s sends %s to the host",
		    program, away->inputs != NULL ? "nothing but inputs of recomputed layers" : "no activation");
		return;
	}
	if (p->training.offload_layers < p->model.layers)
		export_refuse(e, FIELD_OFFLOAD_LAYERS, "target_lacks", program, "%s sends activations of all "
		    "%lld layers to the host, or of none", program, (long long)p->model.layers);
	EXPORT_SAY(e, FIELD_OFFLOAD_LAYERS);
	word = strchr(path, '=');
	*word++ = '\0';
	if (text_equal(word, "true"))
		tree_bool(t, path, true);
	else
		tree_text(t, path, word);
}

void
export_tiles(struct export *e, struct tree *t, const char *on, const char *number)
{
	EXPORT_SAY(e, FIELD_MLP_TILES);
	if (e->plan->training.mlp_tiles <= 1)
		return;
	tree_bool(t, on, true);
	tree_int(t, number, e->plan->training.mlp_tiles);
}

/* Weights in another format than that of the catalogue are another checkpoint. */
static bool
is_repacked(const struct plan *p)
{
	return p->mode == MODE_SERVE ? p->serving.weight_dtype != p->model.checkpoint_dtype :
	    p->finetune.method != FINETUNE_NONE && p->finetune.quantization == QUANT_INT4;
}

/* The catalogue's, unless some size of it is another. */
static const struct catalog_entry *
entry_of(const struct export *e)
{
	if (is_repacked(e->plan))
		return NULL;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_entry(f) == FIELD_PRESET && field_is_set(f, e->plan))
			return NULL;
	return e->catalog != NULL ? catalog_find(&e->catalog->models, e->plan->model.preset) : NULL;
}

void
export_put_model(struct export *e, struct textbuf *out)
{
	const struct catalog_entry *entry = entry_of(e);

	if (entry != NULL && entry->checkpoint[0] != '\0')
		textbuf_add(out, "MODEL=${MODEL:-%s}\n", entry->checkpoint);
	else
		textbuf_add(out, ": \"${MODEL:?name or directory of the model}\"\n");
}

const char *
export_network(const struct plan *p, int64_t nodes)
{
	const int64_t transport = p->cluster.transport;

	if (nodes < 2 || transport == TRANSPORT_AUTO || p->cluster.fabric == FABRIC_HCCS || p->cluster.fabric == FABRIC_ROCE)
		return NULL;
	return transport == TRANSPORT_SOCKETS ? "NCCL_IB_DISABLE=1" : "NCCL_NET=IB";
}

/* DeepEP between nodes (deepseek-ai/DeepEP; vLLM and SGLang run it with two batches in turn). */
static bool
sends_by_nvshmem(const struct plan *p)
{
	return plan_has_experts(p) && p->parallel.ep > 1 && (p->mode == MODE_SERVE ? p->serving.two_batch_overlap :
	    p->parallel.moe_dispatcher == DISPATCHER_DEEPEP);
}

void
export_put_network(struct textbuf *out, const struct plan *p, int64_t nodes)
{
	const char *choice = export_network(p, nodes);
	char transport[16];

	if (choice == NULL)
		return;
	field_format(FIELD_TRANSPORT, p, transport, sizeof transport);
	textbuf_add(out, "# cluster.transport = %s; what is set already wins (docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html)\n"
	    "export %.*s=\"${%.*s:-%s}\"%s\n", transport, (int)strcspn(choice, "="), choice, (int)strcspn(choice, "="), choice,
	    strchr(choice, '=') + 1, p->cluster.transport == TRANSPORT_SOCKETS ? "" : " # an error, not TCP, where it finds no card");
	textbuf_add(out, "export NCCL_SOCKET_IFNAME # the site's interface, as eth0; else the first but lo and docker\n");
	if (p->cluster.transport == TRANSPORT_SOCKETS)
		return;
	textbuf_add(out, "export NCCL_IB_HCA # the site's cards for this network, as mlx5; else all\n");
	if (p->cluster.transport != TRANSPORT_ROCE)
		return;
	textbuf_add(out, "export NCCL_IB_TC # 4 x DSCP of the class that the site's switches keep lossless; else 0\n"
	    "export NCCL_IB_GID_INDEX # RoCE v2 of show_gids; NCCL 2.21 and newer find it\n");
	if (!sends_by_nvshmem(p))
		return;
	textbuf_add(out, "# DeepEP sends by NVSHMEM, which has names of its own (docs.nvidia.com/nvshmem/api/gen/env.html)\n"
	    "export NVSHMEM_IB_TRAFFIC_CLASS=\"${NVSHMEM_IB_TRAFFIC_CLASS:-${NCCL_IB_TC:-0}}\"\n"
	    "export NVSHMEM_IB_GID_INDEX=\"${NVSHMEM_IB_GID_INDEX:-${NCCL_IB_GID_INDEX:--1}}\"\n"
	    "export NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=\"${NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME:-${NCCL_SOCKET_IFNAME:-}}\"\n");
}

struct textbuf *
export_begin_script(struct export *e, const char *name)
{
	struct textbuf *out = export_begin(e, name);

	textbuf_add(out, "#!/bin/sh\n");
	export_head(e, out, "# ");
	export_put_model(e, out);
	if (e->plan->mode == MODE_TRAIN)
		export_put_network(out, e->plan, e->plan->cluster.nodes);
	return out;
}

void
export_torchrun(struct export *e, const char *name, const char *program)
{
	const struct plan *p = e->plan;
	struct textbuf *out = export_begin(e, name);

	textbuf_add(out, "#!/bin/sh\n");
	export_head(e, out, "# ");
	export_put_network(out, p, p->cluster.nodes);
	textbuf_add(out, "exec \"${TORCHRUN:-torchrun}\" --nnodes %lld --nproc-per-node %lld \\\n",
	    (long long)p->cluster.nodes, (long long)p->cluster.gpus_per_node);
	textbuf_add(out, "\t--node-rank \"${NODE_RANK:-0}\" --master-addr \"${MASTER_ADDR:-localhost}\" \\\n"
	    "\t--master-port \"${MASTER_PORT:-29500}\" \\\n\t%s \"$@\"\n", program);
}

bool
export_layout_is(const struct plan *p, const char *name)
{
	return text_equal(FIELD_SHOWN(FIELD_LAYOUT, p), name);
}
