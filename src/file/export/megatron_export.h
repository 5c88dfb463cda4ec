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

/* Megatron-LM arguments.py: 1 where TP or CP splits and FSDP does not, above 1 or unset with it;
 * from Blackwell on it does not matter. */
void megatron_put_connections(struct textbuf *out, const struct plan *p);

/*
 * Read a script that was written as import does: what it refuses the launcher would, and what
 * does not come back the target can not say. So neither is told twice, nor forgotten. world: its
 * GPUs, 0 where the script says.
 */
bool megatron_reads_back(struct export *e, const char *text, int64_t world);
#endif
