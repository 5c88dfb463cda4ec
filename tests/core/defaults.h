/*
 * defaults.h - a catalogue that knows the names of a plan without settings and nothing about
 * them: plans are resolved with it as without one, and defaults are parsed once. And one GPU beside,
 * slow and small.
 */
#ifndef TESTS_DEFAULTS_H
#define TESTS_DEFAULTS_H
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/catalog.h"
#include "core/plan/field.h"

static inline void
defaults_slow_gpu(struct catalog_entry *gpu)
{
	static const struct {
		enum field_id field;
		const char *value;
	} values[] = {
		{ FIELD_GENERATION, "ampere" }, { FIELD_FABRIC, "nvlink3" }, { FIELD_MEMORY_GIB, "4" },
		{ FIELD_HBM_GBPS, "1555" }, { FIELD_BF16_TFLOPS, "312" }, { FIELD_NVLINK_GBPS, "300" },
		{ FIELD_PCIE_GBPS, "32" }, { FIELD_TDP_WATTS, "400" }, { FIELD_GPU_HOUR_PRICE, "1" },
	};
	char err[256];

	text_put(gpu->id, sizeof gpu->id, "slow-4gb");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		field_parse(values[i].field, &gpu->values, values[i].value, err, sizeof err);
}

static inline const struct catalog *
defaults_catalog(void)
{
	static struct catalog_entry gpu[2], model;
	static struct catalog catalog;

	if (!catalog.has_defaults) {
		plan_defaults(&catalog.defaults);
		catalog.has_defaults = true;
		text_put(gpu[0].id, sizeof gpu[0].id, "%s", catalog.defaults.cluster.gpu);
		defaults_slow_gpu(&gpu[1]);
		text_put(model.id, sizeof model.id, "%s", catalog.defaults.model.preset);
		catalog.gpus = (struct catalog_list){ gpu, 2 };
		catalog.models = (struct catalog_list){ &model, 1 };
	}
	return &catalog;
}
#endif
