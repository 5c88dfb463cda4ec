/*
 * megatron_export.h - arguments of Megatron-LM for programs that hand them on.
 */
#ifndef FILE_MEGATRON_EXPORT_H
#define FILE_MEGATRON_EXPORT_H
#include "file/export/exporter.h"

/* Whether Megatron-LM, of any launcher, runs such a plan; else it is refused. */
bool megatron_can_run(struct export *e);

/* As a bash array of that name; core: as that release of Megatron core spells them
 * (megatron_core.h). */
void megatron_put_args(struct textbuf *out, const char *name, const struct plan *p, int core);

/* Arguments of what is exported, as `args`, and the script that they are for. */
void megatron_put_own_args(struct textbuf *out, const struct export *e);

/* Data and learning rate are no part of a plan: enough for a rehearsal, or the user's own. It tells each step and its
 * timers, of a hundred as usual it would tell none; and evaluates nothing, which would take longer than it does. */
void megatron_put_data(struct textbuf *out);

/* A script: its head, which a body tells what is missing, behind lines for who starts it; frees the body. */
void megatron_script(struct export *e, const char *name, const char *options, struct textbuf *body);

/* A script of these lines and a launch of PRETRAIN with args by torchrun, with data for a rehearsal. */
void megatron_finish(struct export *e, const char *name, struct textbuf *body);

/* Modules whose input goes to the host, joined by blanks, and the share of a chunk's that do, its
 * first ones (Megatron-LM docs/user-guide/features/fine_grained_activation_offloading.md). */
enum { MEGATRON_MODULES_SIZE = 128 };
void megatron_offload_modules(char buf[MEGATRON_MODULES_SIZE], const struct plan *p);
double megatron_offload_share(const struct plan *p);

/* Megatron-LM arguments.py: 1 where TP or CP splits and FSDP does not, above 1 or unset with it;
 * from Blackwell on it does not matter. */
void megatron_put_connections(struct textbuf *out, const struct plan *p);
#endif
