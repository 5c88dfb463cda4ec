#include "core/framework/layout.h"
#include "core/plan/field.h"
#include "file/export/parts.h"
#include "file/export/quote.h"
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
	char name[32];

	if (e->plan->serving.engine == (int64_t)engine)
		return true;
	field_format(FIELD_ENGINE, e->plan, name, sizeof name);
	export_refuse(e, FIELD_ENGINE, "target_of_other_engine", "shardplan export",
	    "the plan is for %s: its memory and limits are not these", name);
	return false;
}

static void
note_rest(struct export *e)
{
	static const enum field_id clients[] = { FIELD_CONCURRENCY, FIELD_PROMPT_TOKENS,
		FIELD_GENERATE_TOKENS, FIELD_LENGTH_SPREAD };

	export_missing(e, FIELD_WEIGHT_DTYPE, "MODEL names a checkpoint in this format");
	if (e->plan->serving.replicas > 1)
		export_missing(e, FIELD_REPLICAS, "run it once for each, with nodes of its own");
	for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
		export_missing(e, clients[i], "what clients ask for");
	export_by_checkpoint(e);
	EXPORT_SAY(e, FIELD_LAYOUT, FIELD_TP, FIELD_PP, FIELD_CP, FIELD_EP, FIELD_DCP, FIELD_DP_ATTENTION,
	    FIELD_ENGINE, FIELD_ENGINE_VERSION, FIELD_REPLICAS, FIELD_CONTEXT_LENGTH, FIELD_MAX_NUM_SEQS,
	    FIELD_MAX_BATCHED_TOKENS, FIELD_GPU_MEMORY_UTILIZATION, FIELD_BLOCK_SIZE, FIELD_KV_DTYPE);
	if (e->plan->serving.engine != ENGINE_VLLM)
		export_missing(e, FIELD_DCP, "there is no option for it");
	if (e->plan->serving.engine == ENGINE_TRTLLM)
		export_missing(e, FIELD_EAGER, "cuda_graph_config: null in trtllm.yaml");
	field_set_add(&e->said, FIELD_EAGER);
	field_set_add(&e->said, FIELD_FLASHINFER_SAMPLER); /* vLLM's */
	export_missing_rest(e, "there is no option for it");
}

static struct textbuf *
begin_script(struct export *e, const char *name)
{
	note_rest(e);
	return export_begin_script(e, name);
}

static void
put_number(struct textbuf *out, const char *flag, int64_t n)
{
	textbuf_add(out, " \\\n\t%s %lld", flag, (long long)n);
}

/* A size that is 1 or a limit that is 0 is not told. */
static void
put_above(struct textbuf *out, const char *flag, int64_t n, int64_t least)
{
	if (n > least)
		put_number(out, flag, n);
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
takes(struct export *e, bool does, enum field_id field, const char *source, const char *why)
{
	if (!does)
		export_refuse(e, field, "target_refuses", source, "%s", why);
	return does;
}

/* Nodes that one engine takes. */
static int64_t
nodes_of(const struct plan *p)
{
	const int64_t gpus = plan_world(p) / p->serving.replicas;

	return (gpus + p->cluster.gpus_per_node - 1) / p->cluster.gpus_per_node;
}

void
vllm_write(struct export *e)
{
	static const char *const kv[] = { "", "", "fp8", NULL };
	const struct plan *p = e->plan;
	const struct serving *s = &p->serving;
	const int64_t dp = attention_dp(p), nodes = nodes_of(p), tp = whole_tp(p) / dp;
	struct textbuf *out;

	if (!is_engine(e, ENGINE_VLLM) || !takes(e, !plan_has_experts(p) || p->parallel.ep == 1 ||
	    p->parallel.ep == tp * p->parallel.cp * dp, FIELD_EP, VLLM,
	    "experts are spread over all TP x DP ranks of an engine, or over none") ||
	    !takes(e, dp == 1 || p->parallel.cp == 1, FIELD_CP, VLLM,
	    "prefill context parallel does not work with data parallel ranks"))
		return;
	out = begin_script(e, "vllm.sh");
	if (nodes > 1) /* the first node alone answers clients */
		textbuf_add(out, "[ \"${NODE_RANK:-0}\" -eq 0 ] || set -- --headless \"$@\"\n");
	if (s->flashinfer_sampler)
		textbuf_add(out, "export VLLM_USE_FLASHINFER_SAMPLER=1\n");
	textbuf_add(out, "exec vllm serve \"$MODEL\"");
	put_number(out, "--tensor-parallel-size", tp);
	put_above(out, "--pipeline-parallel-size", p->parallel.pp, 1);
	put_above(out, "--prefill-context-parallel-size", p->parallel.cp, 1);
	put_above(out, "--decode-context-parallel-size", s->dcp, 1);
	put_above(out, "--data-parallel-size", dp, 1);
	if (plan_has_experts(p) && p->parallel.ep > 1)
		textbuf_add(out, " \\\n\t--enable-expert-parallel");
	put_number(out, "--max-model-len", s->context_length);
	put_above(out, "--max-num-seqs", s->max_num_seqs, 0);
	put_above(out, "--max-num-batched-tokens", s->max_batched_tokens, 0);
	put_share(out, "--gpu-memory-utilization", s->gpu_memory_utilization);
	put_number(out, "--block-size", s->block_size);
	if (s->eager)
		textbuf_add(out, " \\\n\t--enforce-eager");
	if (put_kv(e, out, kv) && nodes > 1)
		textbuf_add(out, " \\\n\t--nnodes %lld --node-rank \"${NODE_RANK:-0}\" --master-addr "
		    "\"${MASTER_ADDR:?first node}\"", (long long)nodes);
	textbuf_add(out, " \\\n\t\"$@\"\n");
}

void
sglang_write(struct export *e)
{
	static const char *const kv[] = { "", "", "fp8_e4m3", NULL };
	const struct plan *p = e->plan;
	const struct serving *s = &p->serving;
	const int64_t dp = attention_dp(p), nodes = nodes_of(p);
	const int64_t tp = s->dp_attention ? whole_tp(p) : p->parallel.tp;
	struct textbuf *out;

	if (!is_engine(e, ENGINE_SGLANG) || !takes(e, nodes == 1 || dp == 1 || s->dp_attention,
	    FIELD_DP_ATTENTION, SGLANG, "multi-node data parallel is not supported unless dp attention: "
	    "more replicas do without"))
		return;
	out = begin_script(e, "sglang.sh");
	textbuf_add(out, "exec python3 -m sglang.launch_server --model-path \"$MODEL\"");
	put_number(out, "--tp-size", tp * p->parallel.cp); /* CP is a part of it */
	put_above(out, "--pp-size", p->parallel.pp, 1);
	put_above(out, "--attention-context-parallel-size", p->parallel.cp, 1);
	put_above(out, "--dp-size", dp, 1);
	if (s->dp_attention)
		textbuf_add(out, " \\\n\t--enable-dp-attention");
	put_above(out, "--ep-size", plan_has_experts(p) ? p->parallel.ep : 1, 1);
	put_number(out, "--context-length", s->context_length);
	put_above(out, "--max-running-requests", s->max_num_seqs, 0);
	put_above(out, "--chunked-prefill-size", s->max_batched_tokens, 0);
	put_share(out, "--mem-fraction-static", s->gpu_memory_utilization);
	put_number(out, "--page-size", s->block_size);
	if (s->eager)
		textbuf_add(out, " \\\n\t--disable-cuda-graph");
	if (put_kv(e, out, kv) && nodes > 1)
		textbuf_add(out, " \\\n\t--nnodes %lld --node-rank \"${NODE_RANK:-0}\" --dist-init-addr "
		    "\"${MASTER_ADDR:?first node}:${MASTER_PORT:-29500}\"", (long long)nodes);
	textbuf_add(out, " \\\n\t\"$@\"\n");
}

static void
trtllm_tree(struct tree *t, const struct plan *p)
{
	static const struct settings_key rows[] = {
		{ "pipeline_parallel_size", FIELD_PP, NULL, NULL },
		{ "context_parallel_size", FIELD_CP, NULL, "1" },
		{ "enable_attention_dp", FIELD_DP_ATTENTION, NULL, NULL },
		{ "max_seq_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
		{ "kv_cache_config.free_gpu_memory_fraction", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
		{ "kv_cache_config.tokens_per_block", FIELD_BLOCK_SIZE, NULL, NULL },
		{ "kv_cache_config.dtype", FIELD_KV_DTYPE, "auto=bf16|auto=fp16|fp8=fp8|nvfp4=nvfp4", NULL },
		{ "max_batch_size", FIELD_MAX_NUM_SEQS, NULL, "0" },
		{ "max_num_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, "0" },
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
	const int64_t ranks = plan_world(p) / p->serving.replicas, dp = dp_of(p);
	struct tree t = { 0 };
	struct textbuf *out;

	if (!is_engine(e, ENGINE_TRTLLM) ||
	    !takes(e, dp == 1 || p->serving.dp_attention, FIELD_DP_ATTENTION, TRTLLM,
	    "an engine has TP x PP x CP ranks: data parallel copies without attention DP are replicas") ||
	    !takes(e, !plan_has_experts(p) || (p->parallel.ep > 0 &&
	    whole_tp(p) * p->parallel.cp % p->parallel.ep == 0), FIELD_EP, TRTLLM,
	    "moe_tp_size x moe_ep_size must be the TP size"))
		return;
	out = begin_script(e, "trtllm.sh");
	if (nodes_of(p) > 1)
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
