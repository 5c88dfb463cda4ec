/*
 * Launches within files of schedulers: SkyPilot's tasks (skypilot-org/skypilot docs/source/reference/yaml-spec.rst) and
 * Kubernetes' manifests with containers, among them LeaderWorkerSet and DisaggregatedSet (kubernetes-sigs/lws),
 * DynamoGraphDeployment (ai-dynamo/dynamo deploy/operator/api), services of Docker Compose, and what llm-d has of these (llm-d/llm-d guides) or makes
 * of a chart's values (llm-d-incubation/llm-d-modelservice charts/llm-d-modelservice/templates/_helpers.tpl); KServe's
 * services (kserve/kserve config/llmisvcconfig/config-llm-template.yaml, python/huggingfaceserver), and what served.h has.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/base/number.h"
#include "file/base/textbuf.h"
#include "file/import/applied.h"
#include "file/import/served.h"
#include "file/import/wrapped.h"
#include "file/launches/engine.h"
#include "file/machines/machines.h"
#include "file/notation/notebook.h"
#include "file/notation/pyin.h"
#include "file/notation/yamlin.h"

enum { WALK_DEPTH = 24, DOCUMENTS_MAX = 32 };

struct around {
	const char *name;    /* of what the container belongs to */
	int64_t gpus, nodes; /* of a pod and how many of those are one engine or job; 0: not said */
	int64_t copies;      /* of all that, 0: not said */
	int64_t slices;      /* copies of whole pools, 0: not said */
	bool fills;          /* caches for others */
	const char *model;   /* of a chart's values or a service, NULL: none, and its sizes, 0: not said */
	int64_t tensor, data, pipeline;
	bool expert;
	bool service;        /* whose container is told no command */
	bool taken;          /* all but labels within */
};

struct wrapped {
	struct import *im;
	bool done, has_gpu;
	const char *kind;       /* of the launch that is done */
	int64_t engine, copies; /* its GPUs, and how many of it there are */
	struct textbuf prefill; /* the command of a pool that fills caches, */
	int64_t fillers;        /* and its engines */
};

static int64_t
count_at(const json_t *object, const char *key)
{
	return served_number(json_object_get(object, key));
}

/* Read the launch in place of the file; lines of it are none of the file's. */
static bool
read_inside(struct wrapped *w, const char *text, size_t size, const struct around *a)
{
	const struct import outer = *w->im;
	struct import *im = w->im;
	const char *kind;

	if (im->launch == NULL)
		return false;
	im->text = text;
	im->size = size;
	if (im->world == 0)
		im->world = product_of(a->gpus, most_of(a->nodes, 1));
	im->inserts = 1;
	im->insert[0].at = 0;
	im->insert[0].lines = UINT_MAX / 2;
	kind = im->launch(im);
	im->text = outer.text;
	im->size = outer.size;
	im->world = outer.world;
	if (kind == NULL) {
		im->inserts = outer.inserts;
		return false;
	}
	w->kind = kind;
	notes_add(&im->taken, "%s -> a launch as of %s", a->name, kind);
	if (im->world == 0 && a->gpus > 0 && im->errors->count == 0)
		import_machine(im, product_of(a->gpus, most_of(a->nodes, 1)), most_of(a->nodes, 1), a->gpus, a->name);
	return true;
}

bool
wrapped_launch(struct import *im, const char *text, size_t size, const char *name, int64_t gpus)
{
	struct wrapped w = { .im = im };
	const struct around a = { .name = name, .gpus = gpus };

	return read_inside(&w, text, size, &a);
}

/* ---- Kubernetes --------------------------------------------------------------------------- */

/* "$(NAME)" of Kubernetes or "${NAME}" of envsubst, alone, as a shell has it. */
static bool
put_variable(struct textbuf *out, const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	const size_t n = text != NULL && text[0] == '$' && text[1] != '\0' && strchr("({", text[1]) != NULL ?
	    strspn(text + 2, letters) : 0;

	if (n == 0 || strchr(")}", text[2 + n]) == NULL || text[2 + n] == '\0' || text[3 + n] != '\0')
		return false;
	textbuf_add(out, "\"${%.*s}\" ", (int)n, text + 2);
	return true;
}

static void
put_words(struct textbuf *out, const json_t *list)
{
	const json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
		if (!put_variable(out, json_string_value(word)))
			served_word(out, json_string_value(word));
}

/* The text of sh -c, NULL for a command that is none. */
static const char *
shell_text(const json_t *command, const json_t *args)
{
	const size_t n = json_array_size(command);
	const char *flag = json_string_value(json_array_get(command, n > 1 ? 1 : 0));

	if (n >= 2 && flag != NULL && flag[0] == '-' && flag[strlen(flag) - 1] == 'c')
		return n > 2 ? json_string_value(json_array_get(command, 2)) : json_string_value(json_array_get(args, 0));
	return NULL;
}

static void
put_environment(struct textbuf *out, const json_t *list)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		const char *name = json_string_value(json_object_get(entry, "name"));
		const char *value = json_string_value(json_object_get(entry, "value"));

		if (name == NULL || value == NULL || strspn(name,
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
			continue;
		textbuf_add(out, "%s=", name);
		served_word(out, value);
		textbuf_add(out, "\n");
	}
}

/* By the engines' own options, or the role in a transfer of KV caches. */
static bool
is_prefill(const char *script)
{
	return (strstr(script, "disaggregation-mode") != NULL && strstr(script, "prefill") != NULL) ||
	    strstr(script, "is-prefill-worker") != NULL || strstr(script, "\"kv_producer\"") != NULL;
}

/* The value of an option among words, NULL: it is not there. */
static const char *
option_of(const json_t *words, const char *option)
{
	const size_t n = strlen(option);
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word) {
		const char *text = json_is_string(word) ? json_string_value(word) : "";

		if (strncmp(text, option, n) == 0 && (text[n] == '=' || text[n] == '\0'))
			return text[n] == '=' ? text + n + 1 : json_string_value(json_array_get(words, i + 1));
	}
	return NULL;
}

/* The command that the chart of llm-d's model service or KServe makes, before the arguments. */
static void
put_chart(struct textbuf *out, const json_t *c, const struct around *a)
{
	const char *command = json_string_value(json_object_get(c, "modelCommand"));
	const char *own = a->service ? option_of(json_object_get(c, "args"), "--model_id") : NULL;
	const struct {
		const char *flag;
		int64_t size, least;
	} sizes[] = { { "tensor", a->tensor, 1 }, { "pipeline", a->pipeline, 2 }, { "data", a->data, 2 } };

	if ((a->model == NULL && own == NULL) || (a->service ? json_object_get(c, "command") != NULL : command == NULL ||
	    text_equal(command, "custom")))
		return;
	textbuf_add(out, "vllm serve ");
	served_word(out, own != NULL ? own : a->model);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].size >= sizes[i].least)
			textbuf_add(out, "--%s-parallel-size %lld ", sizes[i].flag, (long long)sizes[i].size);
	if (a->expert)
		textbuf_add(out, "--enable-expert-parallel ");
	if (a->service && strstr(out->text, "\nVLLM_ADDITIONAL_ARGS=") != NULL)
		textbuf_add(out, "$VLLM_ADDITIONAL_ARGS ");
}

/* A command or an entry point of Docker Compose: a list, or a line as a shell has it. */
static void
put_line(struct textbuf *out, const json_t *words)
{
	if (json_is_string(words))
		textbuf_add(out, "%.*s ", (int)strcspn(json_string_value(words), "\n"), json_string_value(words));
	put_words(out, words);
}

/* The image of vLLM's server starts it on whatever does not (vllm docker/Dockerfile, ENTRYPOINT); flags alone are for one. */
static void
put_server(struct textbuf *out, const json_t *c, const char *line)
{
	const char *image = json_string_value(json_object_get(c, "image"));

	if (image != NULL && (strstr(image, "vllm-openai") != NULL || (strcasestr(image, "vllm") != NULL && line[0] == '-')) &&
	    strstr(line, "vllm serve") == NULL && strstr(line, "vllm.entrypoints") == NULL)
		textbuf_add(out, "vllm serve ");
}

/* A launch, or the pool that fills caches for it. */
static void
take_script(struct wrapped *w, struct textbuf script, const struct around *a)
{
	const bool fills = script.text != NULL && (a->fills || strcasestr(a->name, "prefill") != NULL || is_prefill(script.text));

	if (fills && w->prefill.text == NULL) {
		w->prefill = script;
		w->fillers = most_of(a->copies, 1);
		return;
	}
	if (script.text != NULL && (w->done || fills))
		import_ignore(w->im, a->name, "another container: one launch is planned");
	else if (script.text != NULL && (w->done = read_inside(w, script.text, script.used, a)))
		w->copies = most_of(a->copies, 1);
	free(script.text);
}

/* Where KServe puts the model its name stands. */
static void
put_model(struct textbuf *script, const char *model)
{
	static const char mount[] = "/mnt/models";
	struct textbuf out = { 0 };
	const char *at = script->text, *next;

	for (; at != NULL && (next = strstr(at, mount)) != NULL; at = next + strlen(mount)) {
		textbuf_bytes(&out, at, (size_t)(next - at));
		textbuf_bytes(&out, model, strcspn(model, " '\"\n$`\\"));
	}
	if (out.text == NULL)
		return;
	textbuf_bytes(&out, at, strlen(at));
	free(script->text);
	*script = out;
}

static void
take_container(struct wrapped *w, const json_t *c, struct around a)
{
	const json_t *command = json_object_get(c, "command"), *args = json_object_get(c, "args");
	const json_t *limits = json_object_get(json_object_get(c, "resources"), "limits");
	const char *text = shell_text(command, args);
	struct textbuf script = { 0 }, line = { 0 };

	a.gpus = count_at(limits, "nvidia.com/gpu") > 0 ? count_at(limits, "nvidia.com/gpu") :
	    count_at(limits, "amd.com/gpu") > 0 ? count_at(limits, "amd.com/gpu") : a.gpus;
	if (a.nodes > 0) /* LeaderWorkerSet tells its pods */
		textbuf_add(&script, "LWS_GROUP_SIZE=%lld\nLWS_WORKER_INDEX=0\n", (long long)a.nodes);
	textbuf_add(&script, "\n");
	put_environment(&script, json_object_get(c, "env"));
	put_chart(&script, c, &a);
	if (text != NULL) {
		textbuf_bytes(&script, text, strlen(text));
	} else {
		put_line(&line, json_object_get(c, "entrypoint"));
		put_line(&line, command);
		put_words(&line, args);
		put_server(&script, c, line.text != NULL ? line.text : "");
		textbuf_bytes(&script, line.text != NULL ? line.text : "", line.used);
		free(line.text);
	}
	textbuf_add(&script, "\n");
	if (a.service && a.model != NULL)
		put_model(&script, a.model);
	take_script(w, script, &a);
}

/* The first that is told. */
static void
take_gpu(struct wrapped *w, const char *name, const char *key)
{
	if (!w->has_gpu && !field_is_set(FIELD_GPU, w->im->plan))
		machines_gpu(w->im, name, key);
	w->has_gpu = true;
}

/* Settings in the place of a command. */
static bool
take_served(struct wrapped *w, const json_t *node, struct around a)
{
	struct served s = { 0 };
	struct textbuf script = { 0 };

	if (!served_command(&script, node, &s))
		return false;
	a.copies = s.copies > 0 ? s.copies : a.copies;
	if (s.gpu != NULL)
		take_gpu(w, s.gpu, "accelerator_type");
	take_script(w, script, &a);
	return true;
}

static bool
is_engine(const char *kind)
{
	return kind != NULL && text_index("vllm sglang trtllm", kind, strlen(kind)) >= 0;
}

/* All engines of the launch, and those that fill caches for them, as pools of one plan. */
static void
put_pools(struct wrapped *w)
{
	const struct import outer = *w->im;
	struct import *im = w->im;
	int64_t world = product_of(plan_world(im->plan), w->copies), gpus;
	const int64_t node = im->plan->cluster.gpus_per_node;
	char pool[48];

	if (!is_engine(w->kind) || im->errors->count > 0)
		return;
	if (w->copies > 1)
		import_set_int(im, FIELD_REPLICAS, w->copies, "replicas");
	if (w->prefill.text != NULL) {
		im->text = w->prefill.text;
		im->size = w->prefill.used;
		gpus = engine_pool_of_command(im, w->kind, w->fillers, pool, sizeof pool);
		im->text = outer.text;
		im->size = outer.size;
		if (gpus > 0 && import_set(im, FIELD_PREFILL_WORKERS, pool, "the pool that fills caches"))
			world += product_of(gpus, w->fillers);
	}
	if (im->world == 0 && world != plan_world(im->plan))
		import_machine(im, world, 0, world % node == 0 ? node : 0, "replicas");
}

/* What stands around all containers in this object. */
static void
look_around(struct around *a, const json_t *node)
{
	const json_t *limits = json_object_get(json_object_get(node, "resources"), "limits");
	const json_t *metadata = json_object_get(node, "metadata"), *sizes = json_object_get(node, "parallelism");
	const char *name = json_string_value(json_object_get(node, "name")), *own = json_string_value(json_object_get(metadata, "name"));
	const char *role = json_string_value(json_object_get(json_object_get(metadata, "labels"), "llm-d.ai/role"));
	const char *model = json_string_value(json_object_get(json_object_get(node, "modelArtifacts"), "name"));
	const json_t *served = json_object_get(node, "model");
	const char *uri = json_string_value(json_object_get(served, "uri"));
	int64_t nodes;

	uri = uri != NULL ? uri : json_string_value(json_object_get(served, "storageUri"));
	a->name = name != NULL && !text_equal(name, "main") ? name : a->name;
	if (role != NULL)
		a->fills = text_equal(role, "prefill");
	else if (name != NULL && (text_equal(name, "prefill") || text_equal(name, "decode")))
		a->fills = text_equal(name, "prefill");
	else if (own != NULL && strstr(own, "prefill") != NULL)
		a->fills = true;
	a->gpus = count_at(limits, "gpu") > 0 ? count_at(limits, "gpu") : a->gpus;
	a->slices = most_of(a->slices, count_at(node, "slices"));
	if (count_at(node, "replicas") > 0)
		a->copies = product_of(count_at(node, "replicas"), most_of(a->slices, 1));
	a->nodes = most_of(a->nodes, most_of(count_at(json_object_get(node, "multinode"), "nodeCount"),
	    count_at(json_object_get(node, "leaderWorkerTemplate"), "size")));
	a->model = model != NULL ? model : a->model;
	a->service = a->service || uri != NULL || json_object_get(served, "modelFormat") != NULL;
	if (uri != NULL)
		a->model = strncmp(uri, "hf://", 5) != 0 && json_object_get(served, "name") != NULL ? json_string_value(json_object_get(
		    served, "name")) : served_checkpoint(uri);
	if (a->service)
		a->copies = most_of(a->copies, most_of(count_at(node, "minReplicas"), count_at(json_object_get(node, "scaling"),
		    "minReplicas")));
	if (sizes == NULL)
		return;
	a->pipeline = count_at(sizes, "pipeline");
	a->expert = json_is_true(json_object_get(sizes, "expert"));
	a->tensor = count_at(sizes, "tensor");
	a->data = count_at(sizes, "data");
	a->gpus = product_of(most_of(a->tensor, 1), most_of(most_of(count_at(sizes, "dataLocal"), a->data / most_of(count_at(sizes,
	    "workers"), 1)), 1));
	nodes = most_of(count_at(sizes, "workers"), count_at(sizes, "dataLocal") > 0 ? a->data / count_at(sizes, "dataLocal") : 0);
	a->nodes = most_of(a->nodes, nodes > 1 ? nodes : 0);
}

/* A node's GPU, as labels of Kubernetes call it: in a selector, or as an expression of one. */
static void
take_label(struct wrapped *w, const char *key, const json_t *value)
{
	static const char labels[] = "nvidia.com/gpu.product|cloud.google.com/gke-accelerator|gpu.nvidia.com/class|gpu.nvidia.com/model|"
	    "karpenter.k8s.aws/instance-gpu-name|amd.com/gpu.product-name";

	if (json_is_array(value))
		value = json_array_get(value, 0);
	if (key != NULL && json_is_string(value) && text_choice_index(labels, key) >= 0)
		take_gpu(w, json_string_value(value), key);
}

/* With words of its own, or those that its service says. */
static bool
is_container(const json_t *node, const struct around *a)
{
	if (json_is_array(json_object_get(node, "command")) || json_is_array(json_object_get(node, "args")) ||
	    (json_is_string(json_object_get(node, "command")) && json_is_string(json_object_get(node, "image"))))
		return true;
	return a->service && (json_object_get(node, "modelFormat") != NULL || (json_object_get(node, "name") != NULL &&
	    (json_object_get(node, "resources") != NULL || json_object_get(node, "image") != NULL)));
}

static void read_document(struct wrapped *w, const char *text, size_t size, int depth);

static void
walk_node(struct wrapped *w, const json_t *node, struct around a, int depth)
{
	static const char beside[] = "router|worker|initContainers|transformer|explainer"; /* of a service, that is no engine */
	const json_t *child;
	const char *key;
	size_t i;

	if (depth > WALK_DEPTH)
		return;
	if (json_is_object(node)) {
		look_around(&a, node);
		take_label(w, json_string_value(json_object_get(node, "key")), json_object_get(node, "values"));
		json_object_foreach((json_t *)(uintptr_t)node, key, child)
			take_label(w, key, child);
		if (!a.taken && is_container(node, &a)) {
			take_container(w, node, a);
			return;
		}
		a.taken = a.taken || take_served(w, node, a);
		json_object_foreach((json_t *)(uintptr_t)node, key, child) {
			struct around in = a;

			in.name = text_equal(key, "services") || json_is_array(child) || strstr("spec template metadata extraPodSpec "
			    "mainContainer podTemplate leaderTemplate workerTemplate leaderWorkerTemplate", key) != NULL ? a.name : key;
			if (text_equal(key, "prefill") || text_equal(key, "decode"))
				in.fills = text_equal(key, "prefill");
			if (text_equal(key, "serveConfigV2") && json_is_string(child))
				read_document(w, json_string_value(child), json_string_length(child), depth + 1);
			else if (!a.service || text_choice_index(beside, key) < 0)
				walk_node(w, child, in, depth + 1);
		}
	}
	json_array_foreach(node, i, child)
		walk_node(w, child, a, depth + 1);
}

/* Comments and marks of documents alone. */
static bool
is_empty(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end && (*text == '#' || strchr(" \t\r\n-", *text) != NULL))
		text += *text == '#' ? strcspn(text, "\n") : 1;
	return text >= end;
}

static void
read_document(struct wrapped *w, const char *text, size_t size, int depth)
{
	struct jsonin j;
	char *copy = malloc(size + 1);

	if (copy == NULL)
		return;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (yamlin_parse(&j, copy, size, w->im->name, w->im->errors))
		walk_node(w, j.root, (struct around){ .name = "containers" }, depth);
	jsonin_free(&j);
	free(copy);
}

static void
ignore_unknown(void *to, const char *path, const char *why)
{
	if (strstr(path, "LLMConfig") != NULL)
		import_ignore(to, path, why);
}

/* What a script in Python calls is read as files say it. */
static void
read_calls(struct wrapped *w)
{
	const struct pyin_unknown unknown = { ignore_unknown, w->im };
	struct jsonin j;
	json_t *call;
	size_t i;

	if (pyin_script(&j, w->im->text, w->im->name, NULL, &unknown, w->im->errors))
		json_array_foreach(j.root, i, call)
			if (text_equal(pyin_last(json_string_value(json_object_get(call, PYIN_CALLEE))), "LLMConfig"))
				walk_node(w, call, (struct around){ .name = "LLMConfig" }, 0);
	jsonin_free(&j);
}

void
manifest_read(struct import *im)
{
	struct wrapped w = { .im = im };
	const bool python = notebook_is_python(im->text);
	char *applied = python ? NULL : applied_text(im->text);
	const char *at = python ? NULL : applied != NULL ? applied : im->text, *next;
	size_t size;

	if (python)
		read_calls(&w);
	for (int i = 0; at != NULL && *at != '\0' && i < DOCUMENTS_MAX && im->errors->count == 0; i++) {
		next = strstr(at, "\n---");
		size = next != NULL ? (size_t)(next + 1 - at) : strlen(at);

		if (!is_empty(at, size))
			read_document(&w, at, size, 0);
		at = next != NULL ? next + 4 : NULL;
	}
	put_pools(&w);
	free(w.prefill.text);
	free(applied);
	if (!w.done && im->errors->count == 0)
		import_error(im, "", "no container in it runs a launch that is known (fix: import the script that it runs)");
}

/* ---- SkyPilot ------------------------------------------------------------------------------- */

/* "H100:8", {H100: 8}, or a list of either: the first one. */
static int64_t
take_accelerators(struct import *im, const json_t *v)
{
	static const char key[] = "resources.accelerators";
	char name[PLAN_ID_SIZE] = "";
	int64_t gpus = 1;

	if (json_is_array(v) && json_array_size(v) > 1)
		import_ignore(im, key, "the first of them is taken");
	v = json_is_array(v) ? json_array_get(v, 0) : v;
	if (json_is_object(v)) {
		text_put(name, sizeof name, "%s", json_object_iter_key(json_object_iter((json_t *)(uintptr_t)v)));
		gpus = most_of(count_at(v, name), 1);
	} else if (json_is_string(v)) {
		const char *text = json_string_value(v);
		const size_t n = strcspn(text, ":");

		text_put(name, sizeof name, "%.*s", (int)n, text);
		if (text[n] == ':' && (!text_to_int(text + n + 1, &gpus) || gpus < 1 || gpus > PLAN_WORLD_MAX))
			gpus = 1;
	} else {
		return 0;
	}
	machines_gpu(im, name, key);
	return gpus;
}

static void
read_task(struct import *im, const json_t *root)
{
	const json_t *envs = json_object_get(root, "envs"), *value;
	const char *run = json_string_value(json_object_get(root, "run")), *key;
	const struct around a = { .name = "run", .nodes = most_of(count_at(root, "num_nodes"), 1), .copies = 1,
		.gpus = take_accelerators(im, json_object_get(json_object_get(root, "resources"), "accelerators")) };
	struct wrapped w = { .im = im };
	struct textbuf script = { 0 };

	json_object_foreach((json_t *)(uintptr_t)envs, key, value)
		if (json_is_string(value) && strpbrk(json_string_value(value), "'\n") == NULL)
			textbuf_add(&script, "%s='%s'\n", key, json_string_value(value));
	textbuf_add(&script, "SKYPILOT_NUM_NODES=%lld\nSKYPILOT_NUM_GPUS_PER_NODE=%lld\nSKYPILOT_NODE_RANK=0\n", (long long)a.nodes,
	    (long long)most_of(a.gpus, 1));
	if (run != NULL)
		textbuf_bytes(&script, run, strlen(run));
	textbuf_add(&script, "\n");
	if (script.text == NULL || !read_inside(&w, script.text, script.used, &a))
		import_error(im, "run", "is no launch that is known (fix: import the script that it runs)");
	free(script.text);
}

void
skypilot_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors))
		read_task(im, j.root);
	jsonin_free(&j);
}
