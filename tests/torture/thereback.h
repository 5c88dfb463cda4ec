/*
 * thereback.h - a plan exported, written into the working directory, and imported from there.
 */
#ifndef TORTURE_THEREBACK_H
#define TORTURE_THEREBACK_H
#include <stdbool.h>

#include "core/plan/catalog.h"
#include "file/export/export.h"

struct thereback {
	const struct exporter *by;
	const struct catalog *catalog;
	void *context;
	/* What must not be: files that can not be written or read, values that come back as others and
	 * nobody said so. */
	void (*found)(void *context, const char *what, const char *more);
	/* A field that launches tell of came back, or did not, as was said; how, for a message. May be
	 * NULL. */
	void (*field)(void *context, enum field_id f, bool is_kept, bool is_chosen, const char *how);
};

/* False where the target refuses the plan. Clears away what it wrote. */
bool there_and_back(const struct thereback *t, const struct plan *p, struct plan *back);
#endif
