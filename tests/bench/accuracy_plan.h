/*
 * accuracy_plan.h - plans of measured rows: fields by path, entries of the catalogue, cells.
 */
#ifndef BENCH_ACCURACY_PLAN_H
#define BENCH_ACCURACY_PLAN_H
#include <stdbool.h>

#include <libconfig.h>

#include "core/plan/plan.h"

bool accuracy_put(struct plan *p, const char *path, const char *text);
bool accuracy_put_number(struct plan *p, const char *path, double v);

/* An entry of share/NAME.cfg into its section; false when there is none. */
bool accuracy_put_entry(struct plan *p, const config_t *file, const char *list,
    const char *section, const char *id);
bool accuracy_read_catalog(config_t *file, const char *top, const char *name);

/* "PATH=VALUE PATH=VALUE", model.preset and cluster.gpu with what the catalogue has of them; false
 * for an entry or a field that is not there. */
struct accuracy_catalogs {
	config_t models, gpus;
};
bool accuracy_put_settings(struct plan *p, const char *settings, const struct accuracy_catalogs *c);

/* For qsort() of doubles by what they are without a sign. */
int by_size(const void *a, const void *b);

/* The first number of a cell; NAN where there is none. */
double accuracy_number(const char *cell);
#endif
