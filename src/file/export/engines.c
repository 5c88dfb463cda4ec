#include "core/base/number.h"
#include "core/framework/layout.h"
#include "core/plan/field.h"
#include "core/plan/pool.h"
#include "file/export/engines.h"
#include "file/export/writers.h"

/* Where the batch limits are not set the engine has defaults of its own: nothing is written. */

static int64_t
dp_of(const struct plan *p)
{
	struct layout l;

	return layout_init(&l, p, NULL) ? l.dp : 1;
}

/* All TP x DP ranks of an engine; SGLang and TensorRT-LLM call them TP with DP attention. */
static int64_t
whole_tp(const struct plan *p)
{
	return p->parallel.tp * dp_of(p);
}

/* Ranks that each hold the whole attention: with DP attention all are. */
static int64_t
attention_dp(const struct plan *p)
{
	return p->serving.dp_attention ? whole_tp(p) : dp_of(p);
}

#define VLLM "vLLM vllm/config/parallel.py"
#define SGLANG "SGLang python/sglang/srt/server_args.py"
#define TRTLLM "TensorRT-LLM tensorrt_llm/mapping.py"

/* The engine that the plan describes is the one that is started. */
static bool
is_engine(struct export *e, enum engine_id engine)
{
	struct plan of = *e->plan;

	if (of.serving.engine == (int64_t)engine)
		return true;
	of.serving.engine = (int64_t)engine;
	export_refuse(e, FIELD_ENGINE, "target_of_other_engine", "shardplan export",
	    "the plan is for %s: its memory and limits are not these (fix: --engine=%s)", FIELD_SHOWN(FIELD_ENGINE, e->plan),
	    FIELD_SHOWN(FIELD_ENGINE, &of));
	return false;
}

void
engines_tell_rest(struct export *e)
{
	static const enum field_id clients[] = { FIELD_CONCURRENCY, FIELD_PROMPT_TOKENS,
		FIELD_GENERATE_TOKENS, FIELD_LENGTH_SPREAD, FIELD_PREFIX_HIT, FIELD_ACCEPTED_TOKENS, FIELD_ACCEPTANCE,
		FIELD_IMAGES, FIELD_IMAGE_TOKENS,
		FIELD_RATE, FIELD_BURSTINESS, FIELD_RAMP_SECONDS, FIELD_REQUESTS, FIELD_MIX,
		FIELD_PROMPT_SPREAD, FIELD_GENERATE_SPREAD, FIELD_PERCENTILE, FIELD_TTFT_LIMIT,
		FIELD_TPOT_LIMIT, FIELD_ROUTING, FIELD_PREFIXES, FIELD_PREFIX_TOKENS };
	static const enum field_id others[] = { FIELD_WEIGHT_DTYPE, FIELD_NODES, FIELD_GPUS_PER_NODE,
		FIELD_REPLICAS, FIELD_PREFILL_WORKERS };

	export_missing(e, FIELD_WEIGHT_DTYPE, "MODEL names a checkpoint in this format");
	if (e->plan->serving.replicas > 1 && !field_set_has(&e->said, FIELD_REPLICAS))
		export_missing(e, FIELD_REPLICAS, "run it once for each, with nodes of its own");
	for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
		export_missing(e, clients[i], "what clients ask for, as --to=vllm-bench and sglang-bench do");
		field_set_add(&e->outside, clients[i]);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!field_set_has(&e->said, others[i])) /* manifests say how many */
			field_set_add(&e->outside, others[i]);
	export_by_checkpoint(e);
	EXPORT_SAY(e, FIELD_LAYOUT, FIELD_TP, FIELD_PP, FIELD_CP, FIELD_EP, FIELD_DCP, FIELD_DP_ATTENTION,
	    FIELD_ENGINE, FIELD_ENGINE_VERSION, FIELD_REPLICAS, FIELD_CONTEXT_LENGTH, FIELD_MAX_NUM_SEQS,
	    FIELD_MAX_BATCHED_TOKENS, FIELD_GPU_MEMORY_UTILIZATION, FIELD_BLOCK_SIZE, FIELD_KV_DTYPE);
	if (e->plan->serving.engine != ENGINE_VLLM)
		export_missing(e, FIELD_DCP, "there is no option for it");
	if (e->plan->serving.engine == ENGINE_TRTLLM) {
		export_missing(e, FIELD_EAGER, "cuda_graph_config: null in trtllm.yaml");
		export_missing(e, FIELD_REDUNDANT_EXPERTS, "moe_config.load_balancer with its slots, in trtllm.yaml");
		export_missing(e, FIELD_MAX_LORAS, "lora_config with its modules, in trtllm.yaml");
	}
	EXPORT_SAY(e, FIELD_EAGER, FIELD_TWO_BATCHES, FIELD_DENSE_WHOLE, FIELD_REDUNDANT_EXPERTS,
	    FIELD_MAX_LORAS, FIELD_MAX_LORA_RANK);
	field_set_add(&e->said, FIELD_FLASHINFER_SAMPLER); /* vLLM's */
	export_missing_rest(e, "there is no option for it");
}

static struct textbuf *
begin_script(struct export *e, const char *name)
{
	engines_tell_rest(e);
	return export_begin_script(e, name);
}

void
engines_put_number(struct textbuf *out, const char *flag, int64_t n)
{
	textbuf_add(out, " \\\n\t%s %lld", flag, (long long)n);
}

/* A size that is 1 or a limit that is 0 is not told. */
static void
put_above(struct textbuf *out, const char *flag, int64_t n, int64_t least)
{
	if (n > least)
		engines_put_number(out, flag, n);
}

/* Blocks that somebody chose, else 0: engines leave out kernels that can not take what is told
 * (vllm/v1/attention/selector.py, user_specified_block_size), such as all of DeepSeek-V3.2's but those with 64. */
static int64_t
block_chosen(const struct plan *p)
{
	return field_is_set(FIELD_BLOCK_SIZE, p) ? p->serving.block_size : 0;
}

static void
put_share(struct textbuf *out, const char *flag, double share)
{
	char number[32];

	text_real(number, sizeof number, share);
	if (share > 0)
		textbuf_add(out, " \\\n\t%s %s", flag, number);
}

/* 8-bit KV caches are asked for by name; 16-bit ones are what the model computes in. */
static bool
put_kv(struct export *e, struct textbuf *out, const char *const names[4])
{
	const char *name = names[e->plan->serving.kv_dtype];

	if (name == NULL)
		export_refuse(e, FIELD_KV_DTYPE, "target_lacks", "shardplan export",
		    "%s has no KV cache in this format", e->target);
	else if (name[0] != '\0')
		textbuf_add(out, " \\\n\t--kv-cache-dtype %s", name);
	return name != NULL;
}

/* Whether an engine takes the sizes; else it is refused with what it says. */
static bool
takes_field(struct export *e, bool does, enum field_id field, const char *source, const char *why)
{
	if (!does)
		export_refuse(e, field, "target_refuses", source, "%s", why);
	return does;
}

/* With a pool for prompts of one that decodes. */
int64_t
engines_nodes(const struct plan *p)
{
	const int64_t gpus = pool_rest(p) / p->serving.replicas;

	return holders_of(gpus, p->cluster.gpus_per_node);
}

/* ---- pools ---------------------------------------------------------------------------------- */

/* A worker of the prefill pool, as a plan of nothing else. */
struct engines
engines_prefill(const struct plan *p)
{
	struct pool pool;
	struct engines out = { .role = ROLE_PREFILL };

	pool_parse(&pool, p->serving.prefill_workers);
	if (pool.workers == 0)
		return out;
	out.plan = pool_plan(p, &pool);
	out.count = pool.workers;
	out.plan.cluster.gpus_per_node = least_of(pool.size, p->cluster.gpus_per_node);
	out.plan.cluster.nodes = pool.size / out.plan.cluster.gpus_per_node;
	out.plan.serving.replicas = 1;
	out.plan.serving.draft_tokens = 0; /* it makes one token of each prompt */
	return out;
}

/* Data parallel ranks of a model without experts know nothing of each other (vLLM
 * docs/serving/data_parallel_deployment.md): those that fill no whole nodes are engines of their own. */
struct engines
engines_other(const struct plan *p)
{
	struct engines out = { .role = p->serving.prefill_workers[0] != '\0' ? ROLE_DECODE : ROLE_WHOLE, .plan = *p };
	const int64_t gpus = pool_rest(p) / most_of(1, p->serving.replicas), node = p->cluster.gpus_per_node;

	if (!plan_has_experts(p) && gpus > node && gpus % node != 0)
		out.plan.serving.replicas *= attention_dp(p);
	out.count = out.plan.serving.replicas;
	return out;
}

/* The side of an engine that has MLPs and experts alone. */
static struct engines
engines_ffn(const struct plan *p)
{
	return (struct engines){ .role = ROLE_FFN, .plan = pool_ffn_plan(p), .count = p->serving.replicas };
}

/* Whether the draft is the model's own layers for several tokens (MTP); else the user names one, but for
 * n-grams. */
static bool
drafts_itself(const struct plan *p)
{
	return p->serving.draft == DRAFT_LAYER && p->model.mtp_layers > 0;
}

static bool
has_draft_model(const struct plan *p)
{
	return p->serving.draft != DRAFT_NGRAM && !drafts_itself(p);
}

static bool
are_whole_nodes(struct export *e)
{
	struct pool pool;

	pool_parse(&pool, e->plan->serving.prefill_workers);
	return takes_field(e, pool.size <= e->plan->cluster.gpus_per_node ||
	    pool.size % e->plan->cluster.gpus_per_node == 0, FIELD_PREFILL_WORKERS, "shardplan export",
	    "a prefill worker of several nodes takes whole ones");
}

/* ---- vLLM ------------------------------------------------------------------------------------ */

/* KV caches go from pool to pool by NIXL (docs/features/nixl_connector_usage.md). */
static void
vllm_pool(struct textbuf *out, enum role role)
{
	if (role == ROLE_PREFILL || role == ROLE_DECODE)
		textbuf_add(out, " \\\n\t--kv-transfer-config "
		    "'{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"%s\"}'",
		    role == ROLE_PREFILL ? "kv_producer" : "kv_consumer");
}

/* docs/features/speculative_decoding. */
static void
vllm_drafts(struct textbuf *out, const struct plan *p)
{
	const int64_t n = p->serving.draft_tokens;

	if (n == 0)
		return;
	textbuf_add(out, " \\\n\t--speculative-config.method %s", p->serving.draft == DRAFT_NGRAM ?
	    "ngram" : drafts_itself(p) ? "mtp" : "eagle3");
	if (has_draft_model(p))
		textbuf_add(out, " \\\n\t--speculative-config.model \"${DRAFT:?name of the draft}\"");
	engines_put_number(out, "--speculative-config.num_speculative_tokens", n);
}

static bool
is_vllm_rank(int64_t rank)
{
	static const int64_t ranks[] = { 1, 8, 16, 32, 64, 128, 256, 320, 512 };

	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		if (ranks[i] == rank)
			return true;
	return false;
}

/* docs/features/lora; SGLang docs/advanced_features/lora. */
static void
adapter_options(struct textbuf *out, const struct plan *p, const char *slots)
{
	if (p->serving.max_loras == 0)
		return;
	textbuf_add(out, " \\\n\t--enable-lora");
	engines_put_number(out, slots, p->serving.max_loras);
	engines_put_number(out, "--max-lora-rank", p->serving.max_lora_rank);
}

/* The plugin's roles, where MLPs have GPUs of their own; experts are parallel on both sides
 * (vllm-project/afd-plugin README.md). */
static void
vllm_apart(struct textbuf *out, const struct plan *p, const struct engines *engines)
{
	if (p->serving.ffn_gpus == 0 || engines->role == ROLE_PREFILL)
		return;
	if (engines->plan.parallel.ep <= 1)
		textbuf_add(out, " \\\n\t--enable-expert-parallel");
	if (!p->serving.eager)
		textbuf_add(out, " \\\n\t--compilation-config '{\"cudagraph_mode\":\"FULL_DECODE_ONLY\"}'");
	textbuf_add(out, " \\\n\t--additional-config '{\"afd\":{\"role\":\"%s\",\"connector\":\"P2pNcclAFDConnector\","
	    "\"host\":\"'\"$AFD_HOST\"'\",\"port\":1239,\"num_attention_ranks\":%lld,\"num_ffn_ranks\":%lld}}'",
	    engines->role == ROLE_FFN ? "ffn" : "attention",
	    (long long)(pool_rest(p) / most_of(1, p->serving.replicas)), (long long)p->serving.ffn_gpus);
}

/* Options of `vllm serve` and of what runs vLLM with them. False, and refused, where it has none. */
static bool
vllm_options(struct export *e, struct textbuf *out, const struct engines *engines)
{
	static const char *const kv[] = { "", "", "fp8", NULL };
	const struct plan *p = &engines->plan;
	const struct serving *s = &p->serving;
	const int64_t dp = attention_dp(p), tp = whole_tp(p) / dp;

	engines_put_number(out, "--tensor-parallel-size", tp);
	put_above(out, "--pipeline-parallel-size", p->parallel.pp, 1);
	put_above(out, "--prefill-context-parallel-size", p->parallel.cp, 1);
	put_above(out, "--decode-context-parallel-size", s->dcp, 1);
	put_above(out, "--data-parallel-size", dp, 1);
	if (plan_has_experts(p) && p->parallel.ep > 1)
		textbuf_add(out, " \\\n\t--enable-expert-parallel");
	if (s->redundant_experts > 0)
		textbuf_add(out, " \\\n\t--enable-eplb \\\n\t--eplb-config.num_redundant_experts %lld",
		    (long long)s->redundant_experts);
	if (s->two_batch_overlap) /* docs/design/dbo.md */
		textbuf_add(out, "%s \\\n\t--enable-dbo", e->plan->serving.ffn_gpus > 0 ? "" :
		    " \\\n\t--all2all-backend deepep_low_latency");
	vllm_apart(out, e->plan, engines);
	engines_put_number(out, "--max-model-len", s->context_length);
	put_above(out, "--max-num-seqs", s->max_num_seqs, 0);
	put_above(out, "--max-num-batched-tokens", s->max_batched_tokens, 0);
	put_share(out, "--gpu-memory-utilization", s->gpu_memory_utilization);
	put_above(out, "--block-size", block_chosen(p), 0);
	if (s->eager)
		textbuf_add(out, " \\\n\t--enforce-eager");
	vllm_drafts(out, p);
	adapter_options(out, p, "--max-loras");
	vllm_pool(out, engines->role);
	return put_kv(e, out, kv);
}

static void
vllm_script(struct export *e, const char *name, const struct engines *engines)
{
	const int64_t nodes = engines_nodes(&engines->plan);
	struct textbuf *out = export_begin_script(e, name);

	export_put_network(out, &engines->plan, nodes);
	if (engines->role == ROLE_PREFILL || engines->role == ROLE_DECODE)
		textbuf_add(out, "export VLLM_NIXL_SIDE_CHANNEL_HOST=\"${VLLM_NIXL_SIDE_CHANNEL_HOST:-$(hostname -i)}\"\n");
	if (nodes > 1) /* the first node alone answers clients */
		textbuf_add(out, "[ \"${NODE_RANK:-0}\" -eq 0 ] || set -- --headless \"$@\"\n");
	if (e->plan->serving.flashinfer_sampler)
		textbuf_add(out, "export VLLM_USE_FLASHINFER_SAMPLER=1\n");
	if (e->plan->serving.ffn_gpus > 0 && engines->role != ROLE_PREFILL)
		textbuf_add(out, "AFD_HOST=${AFD_HOST:-127.0.0.1} # first node of vllm-ffn.sh\nexport VLLM_USE_V2_MODEL_RUNNER=0\n");
	textbuf_add(out, "exec vllm serve \"$MODEL\"");
	if (vllm_options(e, out, engines) && nodes > 1)
		textbuf_add(out, " \\\n\t--nnodes %lld --node-rank \"${NODE_RANK:-0}\" --master-addr "
		    "\"${MASTER_ADDR:?first node}\"", (long long)nodes);
	textbuf_add(out, " \\\n\t\"$@\"\n");
}

static bool
vllm_takes(struct export *e)
{
	const struct plan *p = e->plan;
	const int64_t dp = attention_dp(p);

	return is_engine(e, ENGINE_VLLM) && are_whole_nodes(e) &&
	    takes_field(e, dp == 1 || p->parallel.cp == 1, FIELD_CP, VLLM,
	    "prefill context parallel does not work with data parallel ranks") &&
	    takes_field(e, p->serving.max_loras == 0 || is_vllm_rank(p->serving.max_lora_rank),
	    FIELD_MAX_LORA_RANK, "vLLM vllm/config/lora.py", "ranks are 1, 8, 16, 32, 64, 128, 256, 320 or 512");
}

/* Scripts of both pools, or of all engines; more of each are started as often as the plan has them. */
static void
write_pools(struct export *e, const char *engine,
    void (*script)(struct export *e, const char *name, const struct engines *engines),
    const char *router)
{
	const struct engines prefill = engines_prefill(e->plan), rest = engines_other(e->plan);

	EXPORT_SAY(e, FIELD_DRAFT_TOKENS, FIELD_DRAFT);
	if (rest.role == ROLE_DECODE)
		notes_add(&e->missing, "not said: serving.prefill_workers = %s: run %s-prefill.sh %lld time%s and "
		    "%s.sh %lld time%s, and before them a router: %s", e->plan->serving.prefill_workers, engine,
		    (long long)prefill.count, TEXT_S(prefill.count), engine, (long long)rest.count,
		    TEXT_S(rest.count), router);
	engines_tell_rest(e);
	script(e, TEXT_OF(EXPORT_NAME_SIZE, "%s.sh", engine), &rest);
	if (rest.role != ROLE_DECODE)
		return;
	script(e, TEXT_OF(EXPORT_NAME_SIZE, "%s-prefill.sh", engine), &prefill);
}

static void
write_ffn(struct export *e)
{
	const struct engines ffn = engines_ffn(e->plan);

	notes_add(&e->missing, "not said: run vllm-ffn.sh beside each vllm.sh, both with AFD_HOST and vllm-afd-plugin "
	    "installed (github.com/vllm-project/afd-plugin, vLLM 0.30); clients ask vllm.sh");
	vllm_script(e, "vllm-ffn.sh", &ffn);
}

void
vllm_write(struct export *e)
{
	if (!vllm_takes(e))
		return;
	field_set_add(&e->said, FIELD_FFN_GPUS);
	write_pools(e, "vllm", vllm_script,
	    "vLLM tests/v1/kv_connector/nixl_integration/toy_proxy_server.py is one");
	if (e->plan->serving.ffn_gpus > 0)
		write_ffn(e);
}

/* ---- SGLang ---------------------------------------------------------------------------------- */

/* docs/advanced_features/speculative_decoding: a chain of drafts, no tree. */
static void
sglang_drafts(struct textbuf *out, const struct plan *p)
{
	const int64_t n = p->serving.draft_tokens;

	if (n == 0)
		return;
	textbuf_add(out, " \\\n\t--speculative-algorithm %s", p->serving.draft == DRAFT_NGRAM ?
	    "NGRAM" : drafts_itself(p) ? "EAGLE" : "EAGLE3");
	if (has_draft_model(p))
		textbuf_add(out, " \\\n\t--speculative-draft-model-path \"${DRAFT:?name of the draft}\"");
	engines_put_number(out, "--speculative-num-steps", n);
	if (p->serving.draft != DRAFT_NGRAM)
		engines_put_number(out, "--speculative-eagle-topk", 1);
	engines_put_number(out, "--speculative-num-draft-tokens", n + 1);
}

static bool
sglang_options(struct export *e, struct textbuf *out, const struct engines *engines)
{
	static const char *const kv[] = { "", "", "fp8_e4m3", NULL };
	const struct plan *p = &engines->plan;
	const struct serving *s = &p->serving;
	const int64_t tp = s->dp_attention ? whole_tp(p) : p->parallel.tp;

	engines_put_number(out, "--tp-size", tp * p->parallel.cp); /* CP is a part of it */
	put_above(out, "--pp-size", p->parallel.pp, 1);
	put_above(out, "--attention-context-parallel-size", p->parallel.cp, 1);
	put_above(out, "--dp-size", attention_dp(p), 1);
	if (s->dp_attention)
		textbuf_add(out, " \\\n\t--enable-dp-attention");
	if (s->dp_attention && s->dense_whole)
		textbuf_add(out, " \\\n\t--moe-dense-tp-size 1 \\\n\t--enable-dp-lm-head");
	put_above(out, "--ep-size", plan_has_experts(p) ? p->parallel.ep : 1, 1);
	if (s->redundant_experts > 0)
		textbuf_add(out, " \\\n\t--enable-eplb \\\n\t--ep-num-redundant-experts %lld",
		    (long long)s->redundant_experts);
	if (s->two_batch_overlap)
		textbuf_add(out, " \\\n\t--moe-a2a-backend deepep \\\n\t--enable-two-batch-overlap");
	engines_put_number(out, "--context-length", s->context_length);
	put_above(out, "--max-running-requests", s->max_num_seqs, 0);
	put_above(out, "--chunked-prefill-size", s->max_batched_tokens, 0);
	put_share(out, "--mem-fraction-static", s->gpu_memory_utilization);
	put_above(out, "--page-size", block_chosen(p), 0);
	put_above(out, "--scheduler-recv-interval", s->poll_interval, 1);
	if (s->eager)
		textbuf_add(out, " \\\n\t--disable-cuda-graph");
	sglang_drafts(out, p);
	adapter_options(out, p, "--max-loras-per-batch");
	if (p->serving.max_loras > 0)
		textbuf_add(out, " \\\n\t--lora-target-modules all");
	if (engines->role != ROLE_WHOLE) /* docs/advanced_features/pd_disaggregation.md */
		textbuf_add(out, " \\\n\t--disaggregation-mode %s \\\n\t--disaggregation-transfer-backend nixl",
		    engines->role == ROLE_PREFILL ? "prefill" : "decode");
	return put_kv(e, out, kv);
}

static void
sglang_script(struct export *e, const char *name, const struct engines *engines)
{
	const int64_t nodes = engines_nodes(&engines->plan);
	struct textbuf *out = export_begin_script(e, name);

	export_put_network(out, &engines->plan, nodes);
	textbuf_add(out, "exec python3 -m sglang.launch_server --model-path \"$MODEL\"");
	if (sglang_options(e, out, engines) && nodes > 1)
		textbuf_add(out, " \\\n\t--nnodes %lld --node-rank \"${NODE_RANK:-0}\" --dist-init-addr "
		    "\"${MASTER_ADDR:?first node}:${MASTER_PORT:-29500}\"", (long long)nodes);
	textbuf_add(out, " \\\n\t\"$@\"\n");
}

static bool
sglang_takes(struct export *e)
{
	const struct plan *p = e->plan;

	return is_engine(e, ENGINE_SGLANG) && are_whole_nodes(e) && takes_field(e, engines_nodes(p) == 1 ||
	    attention_dp(p) == 1 || p->serving.dp_attention, FIELD_DP_ATTENTION, SGLANG,
	    "multi-node data parallel is not supported unless dp attention: more replicas do without");
}

void
sglang_write(struct export *e)
{
	EXPORT_SAY(e, FIELD_POLL_INTERVAL);
	if (sglang_takes(e))
		write_pools(e, "sglang", sglang_script, "python3 -m sglang_router.launch_router --pd-disaggregation "
		    "--prefill URL --decode URL");
}

bool
engines_take(struct export *e)
{
	return e->plan->serving.engine == ENGINE_SGLANG ? sglang_takes(e) : vllm_takes(e);
}

bool
engines_options(struct export *e, struct textbuf *out, const struct engines *engines)
{
	return e->plan->serving.engine == ENGINE_SGLANG ? sglang_options(e, out, engines) :
	    vllm_options(e, out, engines);
}

/* ---- TensorRT-LLM ---------------------------------------------------------------------------- */

static void
trtllm_tree(struct tree *t, const struct plan *p)
{
	static const struct settings_key rows[] = {
		{ "pipeline_parallel_size", FIELD_PP, NULL, NULL },
		{ "context_parallel_size", FIELD_CP, NULL, "1" },
		{ "enable_attention_dp", FIELD_DP_ATTENTION, NULL, NULL },
		{ "max_seq_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
		{ "kv_cache_config.free_gpu_memory_fraction", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
		{ "kv_cache_config.tokens_per_block", FIELD_BLOCK_SIZE, NULL, "32" },
		{ "kv_cache_config.dtype", FIELD_KV_DTYPE, "auto=bf16|auto=fp16|fp8=fp8|nvfp4=nvfp4", NULL },
		{ "max_batch_size", FIELD_MAX_NUM_SEQS, NULL, "0" },
		{ "max_num_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, "0" },
		{ "batch_wait_timeout_iters", FIELD_BATCH_WAIT_STEPS, NULL, "0" },
		{ "batch_wait_max_tokens_ratio", FIELD_BATCH_WAIT_SHARE, NULL, "0" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	const int64_t tp = whole_tp(p); /* DP is 1 without DP attention: trtllm_write */

	tree_int(t, "tensor_parallel_size", tp);
	if (plan_has_experts(p)) {
		tree_int(t, "moe_expert_parallel_size", p->parallel.ep);
		tree_int(t, "moe_tensor_parallel_size", tp * p->parallel.cp / p->parallel.ep);
	}
	tree_fields(t, rows, p);
}

void
trtllm_write(struct export *e)
{
	const struct plan *p = e->plan;
	const int64_t ranks = pool_rest(p) / p->serving.replicas, dp = dp_of(p);
	struct tree t = { 0 };
	struct textbuf *out;

	if (!is_engine(e, ENGINE_TRTLLM) ||
	    !takes_field(e, dp == 1 || p->serving.dp_attention, FIELD_DP_ATTENTION, TRTLLM,
	    "an engine has TP x PP x CP ranks: data parallel copies without attention DP are replicas"))
		return;
	out = begin_script(e, "trtllm.sh");
	export_put_network(out, p, engines_nodes(p));
	if (engines_nodes(p) > 1)
		textbuf_add(out, "exec srun --mpi=pmix -n %lld trtllm-llmapi-launch", (long long)ranks);
	else
		textbuf_add(out, "exec");
	textbuf_add(out, " trtllm-serve \"$MODEL\" --config trtllm.yaml \"$@\"\n");
	trtllm_tree(&t, p);
	out = export_begin(e, "trtllm.yaml");
	export_head(e, out, "# ");
	tree_yaml(&t, out);
	tree_end(&t);
}
