#include <stdlib.h>
#include <string.h>

#include "core/plan/pool.h"
#include "file/base/quote.h"
#include "file/export/engines.h"
#include "file/export/writers.h"

#define HOW "# envsubst puts in what is named here: MODEL=... VERSION=... envsubst <%s | kubectl apply -f -\n"

static bool
is_sglang(const struct export *e)
{
	return e->plan->serving.engine == ENGINE_SGLANG;
}

static const char *
engine_of(const struct export *e)
{
	return is_sglang(e) ? "sglang" : "vllm";
}

static const char *
name_of(enum role role)
{
	return role == ROLE_PREFILL ? "prefill" : role == ROLE_DECODE ? "decode" : "worker";
}

static void
put_arg(struct textbuf *out, const char *indent, const char *text)
{
	textbuf_add(out, "%s- ", indent);
	quote_double(out, text);
	textbuf_bytes(out, "\n", 1);
}

/* A value of a shell's line without its quotes, "${NAME:?why}" as "${NAME}". */
static void
put_value(struct textbuf *out, const char *indent, const char *from, size_t n)
{
	char value[256];

	if (n >= 2 && (*from == '\'' || *from == '"')) {
		from++;
		n -= 2;
	}
	if (strncmp(from, "${", 2) == 0)
		text_put(value, sizeof value, "%.*s}", (int)strcspn(from, ":"), from);
	else
		text_put(value, sizeof value, "%.*s", (int)n, from);
	put_arg(out, indent, value);
}

/* Options as a shell has them, a line each, as a list of YAML. */
static bool
put_options(struct export *e, struct textbuf *out, const char *indent, const struct engines *engines)
{
	struct textbuf shell = { 0 };
	const bool ok = engines_options(e, &shell, engines) && !shell.failed;

	if (is_sglang(e)) { /* else it listens to itself */
		put_arg(out, indent, "--host");
		put_arg(out, indent, "0.0.0.0");
	}

	for (const char *line = ok ? strchr(shell.text, '\t') : NULL; line != NULL; line = strchr(line, '\t')) {
		const size_t flag = strcspn(++line, " \n"), all = strcspn(line, "\n");
		const size_t end = all >= 2 && strncmp(line + all - 2, " \\", 2) == 0 ? all - 2 : all;

		put_value(out, indent, line, flag);
		if (end > flag)
			put_value(out, indent, line + flag + 1, end - flag - 1);
	}
	free(shell.text);
	return ok;
}

/* GPUs of a pod: all of an engine that a node has room for; else a node's, or as many as both are made of. */
static int64_t
pod_gpus(const struct plan *p)
{
	const int64_t engine = pool_rest(p) / p->serving.replicas;
	int64_t gpus = p->cluster.gpus_per_node, rest = engine;

	if (engine <= gpus)
		return engine;
	while (rest > 0) {
		const int64_t next = gpus % rest;

		gpus = rest;
		rest = next;
	}
	return gpus;
}

static int64_t
pods_of(const struct plan *p)
{
	return pool_rest(p) / p->serving.replicas / pod_gpus(p);
}

/* The network of an engine of several pods, and where a pod finds itself where caches go from pool to pool. */
static void
put_env(struct textbuf *out, const struct engines *engines, const char *indent, bool nixl)
{
	const char *network = export_network(&engines->plan, pods_of(&engines->plan));

	if (network == NULL && !nixl)
		return;
	textbuf_add(out, "%senv:\n", indent);
	if (network != NULL) /* docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html */
		textbuf_add(out, "%s  - name: %.*s\n%s    value: \"%s\"\n", indent, (int)strcspn(network, "="), network, indent,
		    strchr(network, '=') + 1);
	if (nixl)
		textbuf_add(out, "%s  - name: VLLM_NIXL_SIDE_CHANNEL_HOST\n%s    valueFrom:\n%s      fieldRef:\n"
		    "%s        fieldPath: status.podIP\n", indent, indent, indent, indent);
}

static void
begin_file(struct export *e, struct textbuf *out, const char *file)
{
	EXPORT_SAY(e, FIELD_DRAFT_TOKENS, FIELD_POLL_INTERVAL, FIELD_REPLICAS, FIELD_PREFILL_WORKERS);
	engines_tell_rest(e);
	export_head(e, out, "# ");
	textbuf_add(out, HOW, file);
	if (export_network(e->plan, 2) != NULL)
		textbuf_add(out, "# Beside NCCL's choice of a network, NCCL_SOCKET_IFNAME, NCCL_IB_HCA, NCCL_IB_TC and the like are the site's "
		    "to add to env:\n# docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html\n");
}

/* ---- Dynamo: examples/backends/{vllm,sglang}/deploy/v1beta1/disagg.yaml ----------------------- */

static void
put_component(struct export *e, struct textbuf *out, const struct engines *engines)
{
	static const char indent[] = "          ";
	const int64_t nodes = pods_of(&engines->plan);
	const char *name = name_of(engines->role);

	textbuf_add(out, "  - name: %s\n    type: %s\n    replicas: %lld\n", name, name, (long long)engines->count);
	if (nodes > 1)
		textbuf_add(out, "    multinode:\n      nodeCount: %lld\n", (long long)nodes);
	textbuf_add(out, "    podTemplate:\n      spec:\n        containers:\n        - name: main\n"
	    "          image: nvcr.io/nvidia/ai-dynamo/%s-runtime:${VERSION}\n", engine_of(e));
	textbuf_add(out, "          command: [python3, -m, dynamo.%s]\n          args:\n", engine_of(e));
	put_arg(out, indent, is_sglang(e) ? "--model-path" : "--model");
	put_arg(out, indent, "${MODEL}");
	put_options(e, out, indent, engines);
	if (!is_sglang(e) && engines->role != ROLE_WHOLE) {
		put_arg(out, indent, "--disaggregation-mode");
		put_arg(out, indent, name);
	}
	put_env(out, engines, "          ", false);
	textbuf_add(out, "          resources:\n            limits:\n              nvidia.com/gpu: \"%lld\"\n",
	    (long long)pod_gpus(&engines->plan));
}

void
dynamo_write(struct export *e)
{
	const struct engines prefill = engines_prefill(e->plan), rest = engines_other(e->plan);
	struct textbuf *out;

	if (!engines_take(e))
		return;
	out = export_begin(e, "dynamo.yaml");
	begin_file(e, out, "dynamo.yaml");
	textbuf_add(out, "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  name: %s\n"
	    "spec:\n  backendFramework: %s\n  components:\n", engine_of(e), engine_of(e));
	textbuf_add(out, "  - name: Frontend\n    type: frontend\n    replicas: 1\n    podTemplate:\n      spec:\n"
	    "        containers:\n        - name: main\n"
	    "          image: nvcr.io/nvidia/ai-dynamo/%s-runtime:${VERSION}\n", engine_of(e));
	if (prefill.count > 0)
		put_component(e, out, &prefill);
	put_component(e, out, &rest);
}

/* ---- LeaderWorkerSet: kubernetes-sigs/lws docs/examples, api/leaderworkerset/v1 ---------------- */

/* What llm-d's router finds pods by, and the one before a decoder that asks for the prompt's caches
 * (llm-d/llm-d guides/pd-disaggregation/modelserver/gpu/{vllm,sglang}/base/disaggregatedset.yaml). */
static void
put_llmd(struct export *e, struct textbuf *out, const struct engines *engines, bool headless)
{
	textbuf_add(out, "      metadata:\n        labels:\n          llm-d.ai/inference-serving: \"true\"\n"
	    "          llm-d.ai/engine-type: %s\n          llm-d.ai/role: %s\n", engine_of(e),
	    engines->role == ROLE_WHOLE ? "both" : name_of(engines->role));
	textbuf_add(out, "      spec:\n");
	if (engines->role == ROLE_DECODE && !headless)
		textbuf_add(out, "        initContainers:\n          - name: routing-proxy\n"
		    "            image: ghcr.io/llm-d/llm-d-routing-sidecar:${PROXY}\n            restartPolicy: Always\n"
		    "            args: [--port=8000, --kv-connector=%s, --%s=false]\n", is_sglang(e) ? "sglang" : "nixlv2",
		    is_sglang(e) ? "secure-serving" : "secure-proxy");
}

/* The command of all pods of a group but that workers of vLLM answer nobody. */
static void
put_pod(struct export *e, struct textbuf *out, const struct engines *engines, const char *template,
    bool headless, bool llmd)
{
	static const char indent[] = "            ";
	const int64_t nodes = pods_of(&engines->plan);

	textbuf_add(out, "    %s:\n", template);
	if (llmd)
		put_llmd(e, out, engines, headless);
	else
		textbuf_add(out, "      spec:\n");
	textbuf_add(out, "        containers:\n          - name: %s\n            image: %s\n"
	    "            command:\n", engine_of(e), is_sglang(e) ? "lmsysorg/sglang:${VERSION}" :
	    "vllm/vllm-openai:${VERSION}");
	if (is_sglang(e))
		textbuf_add(out, "%s- python3\n%s- -m\n%s- sglang.launch_server\n%s- --model-path\n", indent, indent,
		    indent, indent);
	else
		textbuf_add(out, "%s- vllm\n%s- serve\n", indent, indent);
	put_arg(out, indent, "${MODEL}");
	put_options(e, out, indent, engines);
	if (llmd && !headless)
		textbuf_add(out, "%s- --port\n%s- \"%d\"\n", indent, indent, engines->role == ROLE_DECODE ? 8200 : 8000);
	if (headless && !is_sglang(e))
		put_arg(out, indent, "--headless");
	if (nodes > 1)
		textbuf_add(out, "%s- --nnodes\n%s- $(LWS_GROUP_SIZE)\n%s- --node-rank\n%s- $(LWS_WORKER_INDEX)\n"
		    "%s- %s\n%s- $(LWS_LEADER_ADDRESS)%s\n", indent, indent, indent, indent, indent,
		    is_sglang(e) ? "--dist-init-addr" : "--master-addr", indent, is_sglang(e) ? ":20000" : "");
	put_env(out, engines, "            ", !is_sglang(e) && engines->role != ROLE_WHOLE);
	textbuf_add(out, "            resources:\n              limits:\n                nvidia.com/gpu: \"%lld\"\n"
	    "            volumeMounts:\n              - mountPath: /dev/shm\n                name: dshm\n"
	    "        volumes:\n          - name: dshm\n            emptyDir:\n              medium: Memory\n",
	    (long long)pod_gpus(&engines->plan));
}

/* Below spec: of a LeaderWorkerSet. */
static void
put_groups(struct export *e, struct textbuf *out, const struct engines *engines, bool llmd)
{
	const int64_t nodes = pods_of(&engines->plan);

	textbuf_add(out, "  replicas: %lld\n  leaderWorkerTemplate:\n    size: %lld\n"
	    "    restartPolicy: RecreateGroupOnPodRestart\n", (long long)engines->count, (long long)nodes);
	if (nodes > 1 && (!is_sglang(e) || (llmd && engines->role == ROLE_DECODE)))
		put_pod(e, out, engines, "leaderTemplate", false, llmd);
	put_pod(e, out, engines, "workerTemplate", nodes > 1 && (!is_sglang(e) || (llmd && engines->role == ROLE_DECODE)), llmd);
}

static void
put_group(struct export *e, struct textbuf *out, const struct engines *engines, bool llmd)
{
	textbuf_add(out, "---\napiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n"
	    "  name: %s-%s\nspec:\n", engine_of(e), name_of(engines->role));
	put_groups(e, out, engines, llmd);
}

void
lws_write(struct export *e)
{
	const struct engines prefill = engines_prefill(e->plan), rest = engines_other(e->plan);
	struct textbuf *out;

	if (!engines_take(e))
		return;
	if (prefill.count > 0)
		notes_add(&e->missing, "a router of prompts and the rest, as that of llm-d, goes before the groups");
	out = export_begin(e, "lws.yaml");
	begin_file(e, out, "lws.yaml");
	if (prefill.count > 0)
		put_group(e, out, &prefill, false);
	put_group(e, out, &rest, false);
}

/* ---- llm-d: pools that roll out together are one DisaggregatedSet (kubernetes-sigs/lws) ----------- */

static void
put_role(struct export *e, struct textbuf *out, const struct engines *engines)
{
	struct textbuf spec = { 0 };

	put_groups(e, &spec, engines, true);
	textbuf_add(out, "    - name: %s\n      spec:\n", name_of(engines->role));
	for (const char *line = spec.failed ? NULL : spec.text, *end; line != NULL && *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		textbuf_add(out, "      ");
		textbuf_bytes(out, line, (size_t)(end - line));
	}
	free(spec.text);
}

void
llmd_write(struct export *e)
{
	const struct engines prefill = engines_prefill(e->plan), rest = engines_other(e->plan);
	struct textbuf *out;

	if (!engines_take(e))
		return;
	notes_add(&e->missing, "llm-d's router goes before it, a chart of its own: llm-d/llm-d guides/%s/router",
	    prefill.count > 0 ? "pd-disaggregation" : "optimized-baseline");
	out = export_begin(e, "llm-d.yaml");
	begin_file(e, out, "llm-d.yaml");
	if (prefill.count == 0) {
		put_group(e, out, &rest, true);
		return;
	}
	textbuf_add(out, "# PROXY is the version of the proxy in pods that decode.\n"
	    "apiVersion: disaggregatedset.x-k8s.io/v1\nkind: DisaggregatedSet\nmetadata:\n  name: %s\nspec:\n  slices: 1\n"
	    "  roles:\n", engine_of(e));
	put_role(e, out, &prefill);
	put_role(e, out, &rest);
}
