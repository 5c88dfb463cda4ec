/*
 * settings.h - plans from text, "tp=2 pp=4", for the tests of estimates.
 */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H
#include <string.h>

#include "core/plan/field.h"
#include "../unit.h"
#include "defaults.h"

/* One field alone, from text or as a whole number. */
static inline void
settings_set(struct plan *p, const char *path, const char *value)
{
	const enum field_id f = field_find(path);
	char err[256] = "no such field";

	if (f == FIELD_COUNT || !field_parse(f, p, value, err, sizeof err))
		fail_msg("%s=%s: %s", path, value, err);
}

static inline void
settings_int(struct plan *p, enum field_id f, int64_t v)
{
	char err[256];

	if (!field_put_int(f, p, v, err, sizeof err))
		fail_msg("%s=%lld: %s", field_table[f].path, (long long)v, err);
}

/* One field, and what follows from it. */
static inline void
settings_put(struct plan *p, const char *path, const char *value)
{
	settings_set(p, path, value);
	plan_resolve(p, defaults_catalog());
}

static inline void
settings_put_all(struct plan *p, const char *settings)
{
	char list[1024], *save = NULL;

	assert_true(strlen(settings) < sizeof list);
	strcpy(list, settings);
	for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(w, '=');

		assert_non_null(equals);
		*equals = '\0';
		settings_put(p, w, equals + 1);
	}
}

/* The defaults, then what base says, then what settings say. */
static inline struct plan
settings_plan(const char *base, const char *settings)
{
	struct plan p;

	p = defaults_catalog()->defaults;
	settings_put_all(&p, base);
	settings_put_all(&p, settings);
	return p;
}
#endif
