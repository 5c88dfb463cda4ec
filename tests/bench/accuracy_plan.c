#include "accuracy_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/field.h"

bool
accuracy_put(struct plan *p, const char *path, const char *text)
{
	char err[256];
	const enum field_id f = field_find(path);

	return f != FIELD_COUNT && field_parse(f, p, text, err, sizeof err);
}

bool
accuracy_put_number(struct plan *p, const char *path, double v)
{
	char text[40];

	snprintf(text, sizeof text, "%.10g", v);
	return accuracy_put(p, path, text);
}

static void
put_setting(struct plan *p, const char *section, const config_setting_t *s)
{
	char path[96];

	snprintf(path, sizeof path, "%s.%s", section, config_setting_name(s));
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_STRING:
		accuracy_put(p, path, config_setting_get_string(s));
		break;
	case CONFIG_TYPE_BOOL:
		accuracy_put(p, path, config_setting_get_bool(s) ? "true" : "false");
		break;
	case CONFIG_TYPE_FLOAT:
		accuracy_put_number(p, path, config_setting_get_float(s));
		break;
	default:
		accuracy_put_number(p, path, (double)config_setting_get_int64(s));
		break;
	}
}

/* Keys that are no fields (title, source) fall through. */
bool
accuracy_put_entry(struct plan *p, const config_t *file, const char *list, const char *section,
    const char *id)
{
	const config_setting_t *entries = config_lookup(file, list);

	for (int i = 0; entries != NULL && i < config_setting_length(entries); i++) {
		const config_setting_t *e = config_setting_get_elem(entries, (unsigned)i);
		const char *name = "";

		config_setting_lookup_string(e, "id", &name);
		if (strcmp(name, id) != 0)
			continue;
		for (int k = 0; k < config_setting_length(e); k++)
			put_setting(p, section, config_setting_get_elem(e, (unsigned)k));
		return true;
	}
	return false;
}

bool
accuracy_put_settings(struct plan *p, const char *settings, const struct accuracy_catalogs *c)
{
	char text[2048], *rest = text, *one;
	bool good = true;

	snprintf(text, sizeof text, "%s", settings);
	while ((one = strsep(&rest, " ")) != NULL) {
		char *value = strchr(one, '=');

		if (value == NULL)
			continue;
		*value++ = '\0';
		if (strcmp(one, "model.preset") == 0)
			good &= accuracy_put_entry(p, &c->models, "models", "model", value);
		else if (strcmp(one, "cluster.gpu") == 0)
			good &= accuracy_put_entry(p, &c->gpus, "gpus", "cluster", value);
		good &= accuracy_put(p, one, value);
	}
	return good;
}

/* The first number of a cell; NAN where there is none. */
double
accuracy_number(const char *cell)
{
	const char *at = strpbrk(cell, "0123456789.");
	const bool negative = at != NULL && at > cell && at[-1] == '-';
	char *end;
	double v;

	if (at == NULL)
		return NAN;
	v = strtod(at, &end);
	return end == at ? NAN : negative ? -v : v;
}

bool
accuracy_read_catalog(config_t *file, const char *top, const char *name)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/share/%s", top, name);
	return config_read_file(file, path) == CONFIG_TRUE;
}

int
by_size(const void *a, const void *b)
{
	const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}
