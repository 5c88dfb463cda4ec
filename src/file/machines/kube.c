/* kubectl get nodes -o json: what its nodes have of GPUs. */
#include <string.h>

#include <jansson.h>

#include "file/log/jsonin.h"
#include "file/machines/lists.h"
#include "file/machines/machines.h"

/* Resources of device plugins, and the labels that say what they count: NVIDIA/k8s-device-plugin
 * docs/gpu-feature-discovery, ROCm/k8s-device-plugin cmd/k8s-node-labeller, the plugins of Intel Gaudi and
 * Huawei Ascend. */
static const struct {
	const char *resource, *label;
} plugins[] = {
	{ "nvidia.com/gpu", "nvidia.com/gpu.product" }, { "amd.com/gpu", "amd.com/gpu.product-name" },
	{ "habana.ai/gaudi", NULL }, { "huawei.com/Ascend910", NULL }, { "gpu.intel.com/i915", "gpu.intel.com/product" },
};

static const char *
text_at(const json_t *object, const char *key)
{
	return key != NULL ? json_string_value(json_object_get(object, key)) : NULL;
}

/* A label has hyphens for blanks: NVIDIA-H100-80GB-HBM3; its end may tell of sharing. */
static void
put_name(char name[PLAN_ID_SIZE], const char *label)
{
	char *shared;

	text_put(name, PLAN_ID_SIZE, "%s", label);
	if ((shared = strstr(name, "-SHARED")) != NULL)
		*shared = '\0';
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '-' ? ' ' : *c;
}

static bool
is_usable(const json_t *node)
{
	const json_t *conditions = json_object_get(json_object_get(node, "status"), "conditions"), *c;
	size_t i;

	if (json_is_true(json_object_get(json_object_get(node, "spec"), "unschedulable")))
		return false;
	json_array_foreach(conditions, i, c)
		if (text_at(c, "type") != NULL && text_equal(text_at(c, "type"), "Ready"))
			return text_at(c, "status") != NULL && text_equal(text_at(c, "status"), "True");
	return true;
}

/* By its name where that is one of hosts. */
static bool
put_node(struct import *im, struct machines *m, struct machines_kind *k, const char *name, bool dead)
{
	if (k == NULL)
		return false;
	if (name != NULL && strpbrk(name, "[],") == NULL)
		return machines_listed(im, m, k, name, strlen(name), dead);
	k->nodes++;
	k->dead += dead;
	return true;
}

/* False when there are too many kinds. */
static bool
add_node(struct import *im, struct machines *m, const json_t *node, int64_t *without)
{
	const json_t *meta = json_object_get(node, "metadata"), *labels = json_object_get(meta, "labels");
	const char *called = text_at(meta, "name");
	const json_t *has = json_object_get(json_object_get(node, "status"), "capacity");
	int64_t gpus = 0, mib;

	for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
		const char *count = text_at(has, plugins[i].resource), *label = text_at(labels, plugins[i].label);
		char name[PLAN_ID_SIZE] = "";

		if (count == NULL || !text_to_int(count, &gpus) || gpus < 1 || gpus > PLAN_WORLD_MAX)
			continue;
		if (label != NULL)
			put_name(name, label);
		if (text_at(labels, "nvidia.com/gpu.memory") != NULL &&
		    text_to_int(text_at(labels, "nvidia.com/gpu.memory"), &mib) && mib > 0 && mib < 1 << 26)
			m->memory_mib = (double)mib;
		return put_node(im, m, machines_add(m, name, gpus, 0), called, !is_usable(node));
	}
	++*without;
	return true;
}

bool
kube_recognise(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"kind\": \"Node\"") != NULL &&
	    strstr(text, "\"capacity\"") != NULL;
}

void
kube_read(struct import *im)
{
	struct machines m = { 0 };
	int64_t without = 0;
	struct jsonin j;

	if (jsonin_parse(&j, im->text, im->size, im->name, im->errors)) {
		json_t *items = json_object_get(j.root, "items"), *node;
		size_t i;

		if (items == NULL)
			add_node(im, &m, j.root, &without);
		json_array_foreach(items, i, node)
			if (!add_node(im, &m, node, &without)) {
				import_error(im, "", "more than %d kinds of nodes", (int)MACHINES_KINDS_MAX);
				break;
			}
		if (im->errors->count == 0)
			machines_put(im, &m, "Kubernetes");
		if (without > 0)
			notes_add(&im->ignored, "%lld nodes without a GPU", (long long)without);
	}
	jsonin_free(&j);
	machines_free(&m);
}
