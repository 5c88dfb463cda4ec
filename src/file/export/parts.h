/*
 * parts.h - what exporters of trainers have in common.
 */
#ifndef FILE_PARTS_H
#define FILE_PARTS_H
#include "file/export/exporter.h"
#include "file/export/tree.h"

/* What follows from the sizes. A plan that is exported is legal: it can be laid out. */
struct export_sizes {
	int64_t world, dp, rounds; /* rounds: micro-batches of a step on one data parallel rank */
};
struct export_sizes export_sizes_of(const struct plan *p);

/* Whether several GPUs have parts of the state: FSDP, where a framework knows no ZeRO. */
bool export_is_sharded(const struct plan *p, const struct export_sizes *s);

/* The rows of a table, which are said then; what the target has no word for is refused. */
void export_rows(struct export *e, struct tree *t, const struct settings_key rows[]);

/* Activations that wait in host memory: of all layers, or the target refuses. */
void export_away(struct export *e, struct tree *t, const char *program,
    const struct settings_away *away);

/* Tiles of an MLP, where there are any: that there are, and how many. */
void export_tiles(struct export *e, struct tree *t, const char *on, const char *number);

/* The checkpoint that the user names says the model. */
void export_by_checkpoint(struct export *e);

/* For a trainer of such checkpoints, before the first head is written: what the user chose, and
 * neither a row nor what every one of them says tells of, is missing. */
void export_tell_rest(struct export *e);

void export_refuse_above_one(struct export *e, enum field_id f, const char *source, const char *why);

/* "${MODEL:?...}", or with the catalogue's checkpoint of that shape where MODEL names none. */
void export_put_model(struct export *e, struct textbuf *out);

/*
 * What NCCL, and NVSHMEM below DeepEP, are told of the network between so many nodes where cluster.transport names one:
 * which it is, so that no other one is taken in silence, and names of what only the site knows, which a script hands on
 * where they are set. Nothing for one node, "auto", or GPUs without NCCL.
 */
void export_put_network(struct textbuf *out, const struct plan *p, int64_t nodes);

/* Its choice alone, "NAME=value"; NULL: none. */
const char *export_network(const struct plan *p, int64_t nodes);

/* A script of a model in MODEL, as far as its first command. */
struct textbuf *export_begin_script(struct export *e, const char *name);

/* A script that starts one process a GPU on each node. */
void export_torchrun(struct export *e, const char *name, const char *program);

/* Whether the plan follows the layout of that name, one of the exporter's row. */
bool export_layout_is(const struct plan *p, const char *name);
#endif
