/*
 * defaults.h - a catalogue that knows the names of a plan without settings and nothing about
 * them: plans are resolved with it as without one, and defaults are parsed once.
 */
#ifndef TESTS_DEFAULTS_H
#define TESTS_DEFAULTS_H
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/catalog.h"

static inline const struct catalog *
defaults_catalog(void)
{
	static struct catalog_entry gpu, model;
	static struct catalog catalog;

	if (!catalog.has_defaults) {
		plan_defaults(&catalog.defaults);
		catalog.has_defaults = true;
		text_put(gpu.id, sizeof gpu.id, "%s", catalog.defaults.cluster.gpu);
		text_put(model.id, sizeof model.id, "%s", catalog.defaults.model.preset);
		catalog.gpus = (struct catalog_list){ &gpu, 1 };
		catalog.models = (struct catalog_list){ &model, 1 };
	}
	return &catalog;
}
#endif
