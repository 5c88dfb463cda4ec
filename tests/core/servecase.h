/*
 * servecase.h - serving plans of the catalogue's models, for tests: load one, set fields, estimate.
 */
#ifndef TESTS_SERVECASE_H
#define TESTS_SERVECASE_H
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"
#include "settings.h"

static config_t catalogue;
static struct plan p;
static struct layout layout;
static struct placement placement;
static struct ledger_term terms[128];
static struct ledger ledger;

static inline int
open_catalogue(void **state)
{
	char path[1024];
	const char *top = getenv("TOP");

	(void)state;
	snprintf(path, sizeof path, "%s/share/models.cfg", top != NULL ? top : ".");
	config_init(&catalogue);
	return config_read_file(&catalogue, path) == CONFIG_TRUE ? 0 : -1;
}

static inline int
close_catalogue(void **state)
{
	(void)state;
	config_destroy(&catalogue);
	return 0;
}

static inline void
set(const char *path, const char *value)
{
	settings_set(&p, path, value);
}

static inline void
put_setting(const config_setting_t *s)
{
	char path[96], value[64];

	snprintf(path, sizeof path, "model.%s", config_setting_name(s));
	if (field_find(path) == FIELD_COUNT)
		return; /* id, title, source */
	if (config_setting_type(s) == CONFIG_TYPE_STRING)
		snprintf(value, sizeof value, "%s", config_setting_get_string(s));
	else if (config_setting_type(s) == CONFIG_TYPE_BOOL)
		snprintf(value, sizeof value, "%s", config_setting_get_bool(s) ? "true" : "false");
	else
		snprintf(value, sizeof value, "%lld", config_setting_get_int64(s));
	set(path, value);
}

/* The i-th model of the catalogue on eight H100, or false past the last. */
static inline bool
load_at(int i)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");
	const config_setting_t *e;
	const char *id = "";

	if (i >= config_setting_length(list))
		return false;
	e = config_setting_get_elem(list, (unsigned)i);
	config_setting_lookup_string(e, "id", &id);
	plan_defaults(&p);
	set("mode", "serve");
	set("layout", "vllm");
	set("model.preset", id);
	for (int k = 0; k < config_setting_length(e); k++)
		put_setting(config_setting_get_elem(e, (unsigned)k));
	set("gpus_per_node", "8");
	set("generation", "hopper");
	set("fabric", "nvlink4");
	set("memory_gib", "79.19");
	set("hbm_gbps", "3350");
	set("bf16_tflops", "989");
	set("fp8_tflops", "1979");
	set("nvlink_gbps", "450");
	set("pcie_gbps", "64");
	return true;
}

static inline void
load(const char *id)
{
	for (int i = 0; load_at(i); i++)
		if (strcmp(p.model.preset, id) == 0)
			return;
	fail_msg("no model %s", id);
}

static inline void
gpus(const char *n)
{
	set("gpus_per_node", n);
}

static inline struct serve
estimate(void)
{
	struct diag_list diags = { .count = 0 };

	plan_resolve(&p, NULL);
	if (!layout_init(&layout, &p, &diags) || !placement_init(&placement, &p, &diags))
		fail_msg("the plan is refused");
	ledger_init(&ledger, terms, sizeof terms / sizeof terms[0]);
	return serve_estimate(&p, &layout, &placement, NULL, &ledger);
}

static inline double
noted(enum quantity q)
{
	double sum = 0;

	assert_true(ledger.count <= ledger.capacity);
	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == q)
			sum += terms[i].value;
	return sum;
}

static inline bool
near(double a, double b, double share)
{
	return fabs(a - b) <= share * fabs(b) + 1e-9;
}
#endif
