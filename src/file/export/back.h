/*
 * back.h - what was written, read as import does: what the target would refuse, what does not come
 * back, and what the run is then estimated at. So neither is told twice, nor forgotten.
 */
#ifndef FILE_BACK_H
#define FILE_BACK_H
#include "file/export/export.h"

/* Whether a field is of what a launch tells, in such a plan: of what changes nothing there, what
 * the user chose alone. */
bool export_tells(enum field_id f, const struct plan *p);

/* GPUs that import is told of with what was written, 0: the launch tells them. */
int64_t export_world(const struct export *e, const struct exporter *by);

/* Complete a plan that was read back by what no launch tells: the machine, what was measured of it,
 * and the model where a checkpoint that the user names says it. */
void export_take_rest(const struct export *e, const struct exporter *by, struct plan *back);

/* Whether two plans mean the same by it: names have several spellings. */
bool export_same(enum field_id f, const struct plan *a, const struct plan *b);

/* False for a plan that is known not to fit. */
bool export_fits(struct export *e, const struct plan *p);

/* Refusals in e->diags, and notes in e->missing, about the files of a target that import reads. */
void export_read_back(struct export *e, const struct exporter *by);
#endif
