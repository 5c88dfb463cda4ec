#include "file/export/megatron_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/batch.h"
#include "core/plan/field.h"
#include "core/plan/pattern.h"
#include "file/base/quote.h"
#include "file/export/megatron_core.h"
#include "file/export/parts.h"
#include "file/export/writers.h"
#include "file/launches/megatron_flags.h"
#include "file/launches/settings_keys.h"

/* ---- arguments -------------------------------------------------------------------------- */

static void
put_arg(struct textbuf *out, const char *flag, const char *value)
{
	textbuf_add(out, "\t%s", flag);
	if (value != NULL) {
		textbuf_bytes(out, " ", 1);
		quote_shell(out, value);
	}
	textbuf_bytes(out, "\n", 1);
}

static void
put_number(struct textbuf *out, const char *flag, int64_t n)
{
	put_arg(out, flag, TEXT_OF(24, "%lld", (long long)n));
}

/* Fields that mean nothing in this plan. */
static bool
is_idle(enum field_id f, const struct plan *p)
{
	switch (f) {
	case FIELD_RECOMPUTE_METHOD:
	case FIELD_RECOMPUTE_LAYERS:
		return p->training.recompute != RECOMPUTE_FULL;
	case FIELD_EXPERTS_PER_TOKEN:
	case FIELD_MOE_FFN_HIDDEN_SIZE:
	case FIELD_ETP:
	case FIELD_GROUPED_GEMM:
	case FIELD_PERMUTE_FUSION:
		return !plan_has_experts(p);
	case FIELD_OFFLOAD_LAYERS:
		return batch_offloads_modules(p);
	case FIELD_LAYERS:
		return p->model.layer_pattern[0] != '\0';
	case FIELD_MTP_LAYERS:
		return pattern_depths(p->model.layer_pattern) > 0;
	case FIELD_OVERLAP_PARAM_GATHER:
		return p->parallel.zero_stage == 0;
	default:
		return false;
	}
}

/* A row of the table, unless the launcher means the same without it. */
static void
put_row(struct textbuf *out, const struct megatron_flag *row, const struct plan *p)
{
	char value[PLAN_LAYOUT_SIZE], theirs[64];

	field_format(row->field, p, value, sizeof value);
	if (is_idle(row->field, p) || (row->absent != NULL && text_equal(value, row->absent)) ||
	    (field_table[row->field].origin == ORIGIN_OPTIONAL && value[0] == '\0'))
		return;
	if (row->kind == FLAG_SWITCH && text_equal(value, row->words))
		put_arg(out, row->flag, NULL);
	else if (row->kind == FLAG_VALUE)
		put_arg(out, row->flag, value);
	else if (row->kind == FLAG_WORD && settings_theirs(row->words, value, theirs, sizeof theirs))
		put_arg(out, row->flag, theirs);
}

/* Words of a list that a joint keeps apart, each its own argument. */
static void
put_list(struct textbuf *out, const char *flag, const char *list, const char *joints)
{
	textbuf_add(out, "\t%s", flag);
	for (list += strspn(list, joints); *list != '\0'; list += strspn(list, joints)) {
		const size_t n = strcspn(list, joints);

		textbuf_bytes(out, " ", 1);
		quote_shell(out, TEXT_OF(PLAN_LIST_SIZE, "%.*s", (int)n, list));
		list += n;
	}
	textbuf_bytes(out, "\n", 1);
}

/* Dispatchers with kernels of their own stand behind one type. */
static void
put_dispatcher(struct textbuf *out, const struct plan *p, int core)
{
	const int64_t dispatcher = p->parallel.moe_dispatcher;
	const bool flex = dispatcher >= DISPATCHER_DEEPEP;
	char name[32];

	field_format(FIELD_MOE_DISPATCHER, p, name, sizeof name);
	put_arg(out, "--moe-token-dispatcher-type", flex ? "flex" : name);
	if (dispatcher == DISPATCHER_DEEPEP && core < 16)
		put_arg(out, "--moe-enable-deepep", NULL);
	else if (flex)
		put_arg(out, "--moe-flex-dispatcher-backend", name);
}

/* A pattern says the layers, and how many; what is no Mamba needs none of its sizes. */
static void
put_pattern(struct textbuf *out, const struct model *m)
{
	put_arg(out, "--hybrid-layer-pattern", m->layer_pattern);
	put_list(out, "--spec", "megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec",
	    " ");
	if (strchr(m->layer_pattern, 'M') == NULL)
		return;
	put_number(out, "--mamba-num-heads", m->mamba_heads);
	put_number(out, "--mamba-head-dim", m->mamba_head_dim);
	put_number(out, "--mamba-state-dim", m->mamba_state);
	put_number(out, "--mamba-num-groups", m->mamba_groups);
}

static void
put_expert_layers(struct textbuf *out, const struct model *m)
{
	char text[96];

	if (m->layer_pattern[0] != '\0')
		return; /* it says which layers have experts */
	if (m->dense_layers > 0 && m->moe_layer_every == 1) {
		text_put(text, sizeof text, "([0]*%lld+[1]*%lld)", (long long)m->dense_layers,
		    (long long)(m->layers - m->dense_layers));
		put_arg(out, "--moe-layer-freq", text);
	} else if (m->dense_layers > 0) {
		struct textbuf layers = { 0 };

		for (int64_t i = 0; i < m->layers; i++)
			textbuf_add(&layers, "%s%d", i > 0 ? "," : "[", i >= m->dense_layers &&
			    (i - m->dense_layers) % m->moe_layer_every == 0);
		textbuf_add(&layers, "]");
		put_arg(out, "--moe-layer-freq", layers.text != NULL ? layers.text : "");
		free(layers.text);
	} else if (m->moe_layer_every > 1) {
		put_number(out, "--moe-layer-freq", m->moe_layer_every);
	}
}

static void
put_model(struct textbuf *out, const struct plan *p, int core)
{
	const struct model *m = &p->model;
	char text[96];

	if (m->attention == ATTENTION_MLA) {
		if (m->q_lora_rank > 0)
			put_number(out, "--q-lora-rank", m->q_lora_rank);
		put_number(out, "--kv-lora-rank", m->kv_lora_rank);
		put_number(out, "--qk-head-dim", m->qk_nope_head_dim);
		put_number(out, "--qk-pos-emb-head-dim", m->qk_rope_head_dim);
		put_number(out, "--v-head-dim", m->v_head_dim);
		if (core == 12 && p->training.rope_fusion)
			put_arg(out, "--no-rope-fusion", NULL);
	} else if (m->kv_heads != m->attention_heads) {
		put_arg(out, "--group-query-attention", NULL);
		put_number(out, "--num-query-groups", m->kv_heads);
	}
	if (m->sliding_window > 0) {
		text_put(text, sizeof text, "%lld,0", (long long)m->sliding_window - 1);
		put_arg(out, "--window-size", text);
		if (m->global_layer_every > 0)
			put_number(out, "--window-attn-skip-freq", m->global_layer_every);
	}
	if (m->layer_pattern[0] != '\0')
		put_pattern(out, m);
	if (!plan_has_experts(p))
		return;
	put_expert_layers(out, m);
	if (m->router_bias) /* it goes with scores of each expert for itself */
		put_arg(out, "--moe-router-score-function", "sigmoid");
	if (m->experts_per_token == 1 && !m->router_bias)
		put_arg(out, "--moe-router-pre-softmax", NULL);
	if (plan_pads_experts(p))
		put_arg(out, "--moe-pad-expert-input-to-capacity", NULL);
	put_dispatcher(out, p, core);
}

static void
put_split(struct textbuf *out, const struct plan *p, int core)
{
	static const char *const strategies[] = { "no_shard", "optim", "optim_grads",
		"optim_grads_params" };
	const struct parallel *par = &p->parallel;
	char comm[32];

	if (par->cp > 1 || par->cp_comm != CP_COMM_P2P) {
		field_format(FIELD_CP_COMM, p, comm, sizeof comm);
		/* Transformer Engine compares with this spelling. */
		put_arg(out, "--cp-comm-type", text_equal(comm, "allgather") ? "all_gather" : comm);
	}
	if (par->hierarchical_cp[0] != '\0')
		put_list(out, "--hierarchical-context-parallel-sizes", par->hierarchical_cp, "x");
	if (text_equal(par->order, "tp-cp-ep-pp-dp"))
		put_arg(out, "--use-tp-pp-dp-mapping", NULL);
	if (par->zero_stage >= 2) {
		put_arg(out, core < 14 ? "--use-custom-fsdp" : "--use-megatron-fsdp", NULL);
		put_arg(out, "--data-parallel-sharding-strategy", strategies[par->zero_stage]);
		if (core >= 14)
			put_arg(out, "--ckpt-format", "fsdp_dtensor");
	}
	if (par->zero_stage >= 1)
		put_arg(out, "--use-distributed-optimizer", NULL);
	if (par->zero_stage >= 1 && p->training.overlap_param_gather)
		put_arg(out, "--overlap-param-gather", NULL);
}

/* The recipe by the name of the precision, where it has one of its own. */
static void
put_precision(struct textbuf *out, const struct plan *p)
{
	const int64_t grads = p->training.grad_dtype;
	char name[32];
	bool half;

	field_format(FIELD_PRECISION, p, name, sizeof name);
	half = text_equal(name, "fp16");
	if (text_equal(name, "fp32"))
		return;
	put_arg(out, half ? "--fp16" : "--bf16", NULL);
	if (half && grads == GRAD_FP32)
		put_arg(out, "--accumulate-allreduce-grads-in-fp32", NULL);
	if (!half && grads == GRAD_BF16)
		put_arg(out, "--grad-reduce-in-bf16", NULL);
	if (strncmp(name, "fp8", 3) == 0 || text_equal(name, "mxfp8"))
		put_arg(out, "--fp8-format", text_equal(name, "fp8") ? "hybrid" : "e4m3");
	if (text_equal(name, "fp8-block") || text_equal(name, "mxfp8"))
		put_arg(out, "--fp8-recipe", text_equal(name, "mxfp8") ? name : "blockwise");
	if (text_equal(name, "nvfp4"))
		put_arg(out, "--fp4-format", "e2m1");
}

/* Experts lie in a layer's graph where they pad to a capacity (Megatron-LM
 * megatron/core/transformer/cuda_graph_config.py, validate_moe_cuda_graph_support). */
static const char *
graph_modules(const struct plan *p)
{
	if (p->training.cuda_graph == GRAPH_ROUTER)
		return "moe_router moe_preprocess";
	if (!plan_has_experts(p))
		return "attn mlp";
	return plan_pads_experts(p) ? "attn moe" : "attn moe_router moe_preprocess";
}

/* A scope named the modules, and the whole iteration, up to core 0.17. */
static void
put_graphs(struct textbuf *out, const struct plan *p, int core)
{
	const char *modules = core < 18 ? "--cuda-graph-scope" : "--cuda-graph-modules";

	switch (p->training.cuda_graph) {
	case GRAPH_FULL:
		put_arg(out, "--cuda-graph-impl", core < 18 ? "local" : "full_iteration");
		if (core < 18)
			put_arg(out, modules, "full_iteration");
		put_arg(out, "--no-check-for-nan-in-loss-and-grad", NULL);
		break;
	case GRAPH_ROUTER:
	case GRAPH_LAYER:
		put_arg(out, "--cuda-graph-impl", "transformer_engine");
		put_list(out, modules, graph_modules(p), " ");
		break;
	default:
		break;
	}
}

/* What is computed again is not there to be sent. */
void
megatron_offload_modules(char buf[MEGATRON_MODULES_SIZE], const struct plan *p)
{
	const unsigned again = batch_again(p);
	const bool experts = plan_has_experts(p) && !(again & AGAIN_MOE);

	text_put(buf, MEGATRON_MODULES_SIZE, "attn_norm qkv_linear%s mlp_norm%s%s",
	    again & AGAIN_CORE_ATTN ? "" : " core_attn attn_proj", experts ? " expert_fc1" : "",
	    experts && !(again & AGAIN_MOE_ACT) ? " moe_act" : "");
}

double
megatron_offload_share(const struct plan *p)
{
	return fmin(1, (double)p->training.offload_layers / (double)batch_chunk_layers(p));
}

static void
put_offload(struct textbuf *out, const struct plan *p)
{
	char modules[MEGATRON_MODULES_SIZE], share[32];

	if (!batch_offloads_modules(p))
		return;
	megatron_offload_modules(modules, p);
	put_arg(out, "--fine-grained-activation-offloading", NULL);
	put_list(out, "--offload-modules", modules, " ");
	text_real(share, sizeof share, megatron_offload_share(p));
	if (p->training.offload_layers < p->model.layers)
		put_arg(out, "--activation-offload-fraction", share);
}

static void
put_training(struct textbuf *out, const struct plan *p, int core)
{
	const struct training *t = &p->training;

	put_precision(out, p);
	if (t->recompute == RECOMPUTE_SELECTIVE)
		put_list(out, "--recompute-modules", t->recompute_modules, ", ");
	if (t->cross_entropy == CE_NATIVE || t->cross_entropy == CE_TE) {
		put_arg(out, "--cross-entropy-loss-fusion", NULL);
		put_arg(out, "--cross-entropy-fusion-impl", t->cross_entropy == CE_TE ? "te" : "native");
	}
	if (!t->flash_attention || t->attention_kernel == KERNEL_UNFUSED)
		put_arg(out, "--attention-backend", "unfused");
	else if (t->attention_kernel != KERNEL_AUTO)
		put_arg(out, "--attention-backend", t->attention_kernel == KERNEL_CUDNN ? "fused" : "flash");
	put_graphs(out, p, core);
	put_offload(out, p);
}

static void
put_all(struct textbuf *out, const struct plan *p, int core)
{
	for (size_t i = 0; i < megatron_flag_count; i++)
		put_row(out, &megatron_flags[i], p);
	put_model(out, p, core);
	put_split(out, p, core);
	put_training(out, p, core);
}

/* The release that was asked for, else the newest that starts the plan as it spells it. */
static int
choose_core(const struct export *e)
{
	bool starts = e->core > 0;
	int core = starts ? e->core : CORE_NEWEST + 1;

	while (!starts && core > CORE_OLDEST) {
		struct textbuf out = { 0 };

		put_all(&out, e->plan, --core);
		starts = !out.failed && megatron_core_starts(e->plan, out.text, core);
		free(out.text);
	}
	return starts ? core : CORE_NEWEST;
}

void
megatron_put_args(struct textbuf *out, const char *name, const struct plan *p, int core)
{
	textbuf_add(out, "%s=(\n", name);
	put_all(out, p, core);
	textbuf_add(out, ")\n");
}

void
megatron_put_own_args(struct textbuf *out, const struct export *e)
{
	const struct plan *p = e->plan;

	megatron_put_args(out, "args", p, choose_core(e));
	if (p->model.layer_pattern[0] != '\0')
		textbuf_add(out, ": \"${PRETRAIN:=pretrain_hybrid.py}\"\n");
}

/* ---- scripts ------------------------------------------------------------------------------ */

/* HybridEP is told which GPUs NVLink joins (Megatron-Bridge src/megatron/bridge/recipes/glm/gb200/glm5.py,
 * moonlight/h100/moonlight_16b.py). NCCL finds NVLink domains by itself, of networks export_put_network tells. */
static void
put_domains(struct textbuf *out, const struct plan *p)
{
	const int64_t domain = p->cluster.nvlink_domain, ep = p->parallel.ep;

	if (!plan_has_experts(p) || p->parallel.moe_dispatcher != DISPATCHER_HYBRIDEP)
		return;
	textbuf_add(out, "export NVLINK_DOMAIN_SIZE=%lld USE_MNNVL=%d\n", (long long)domain,
	    domain > p->cluster.gpus_per_node);
	textbuf_add(out, "export NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=%lld\n", (long long)(ep < domain ? ep : domain));
}

void
megatron_put_connections(struct textbuf *out, const struct plan *p)
{
	if (p->parallel.zero_stage >= 2)
		textbuf_add(out, "unset CUDA_DEVICE_MAX_CONNECTIONS\n");
	else if ((p->parallel.tp > 1 || p->parallel.cp > 1) &&
	    p->cluster.generation < GENERATION_BLACKWELL)
		textbuf_add(out, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n");
	if (batch_offloads_modules(p)) /* else TE 2.10 and newer would send weights too */
		textbuf_add(out, "export NVTE_CPU_OFFLOAD_V1=1\n");
	put_domains(out, p);
}

void
megatron_put_data(struct textbuf *out)
{
	textbuf_add(out, "# a rehearsal; give your own data, schedule, --rotary-base and the like as arguments\n"
	    "[ $# -gt 0 ] ||\n"
	    "\tset -- --mock-data --tokenizer-type NullTokenizer --train-iters " EXPORT_REHEARSAL
	    " --lr 1e-4 \\\n"
	    "\t\t--eval-iters 0 --log-interval 1 --log-throughput --timing-log-level 1\n");
}

static void
put_launch(struct textbuf *out, const struct plan *p)
{
	textbuf_add(out, "exec \"${TORCHRUN:-torchrun}\" --nnodes %lld --nproc-per-node %lld \\\n",
	    (long long)p->cluster.nodes, (long long)p->cluster.gpus_per_node);
	textbuf_add(out, "\t--node-rank \"${NODE_RANK:-0}\" \\\n"
	    "\t--master-addr \"${MASTER_ADDR:-localhost}\" \\\n"
	    "\t--master-port \"${MASTER_PORT:-29500}\" \\\n"
	    "\t\"${PRETRAIN:-pretrain_gpt.py}\" \"${args[@]}\" \"$@\"\n");
}

void
megatron_script(struct export *e, const char *name, const char *options, struct textbuf *body)
{
	struct textbuf *out;

	if (body->failed) {
		export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
	} else if (megatron_core_check(e, body->text)) {
		out = export_begin(e, name);
		textbuf_add(out, "#!/bin/bash\n");
		textbuf_bytes(out, options, strlen(options));
		export_head(e, out, "# ");
		textbuf_bytes(out, body->text, body->used);
	}
	free(body->text);
}

void
megatron_finish(struct export *e, const char *name, struct textbuf *body)
{
	megatron_put_data(body);
	put_launch(body, e->plan);
	megatron_script(e, name, "", body);
}

bool
megatron_can_run(struct export *e)
{
	const struct plan *p = e->plan;

	if (plan_schedule(p) != SCHEDULE_1F1B)
		export_refuse(e, FIELD_SCHEDULE, "target_lacks_schedule",
		    "Megatron-LM megatron/core/pipeline_parallel/schedules.py",
		    "Megatron-LM runs 1F1B, interleaved when VPP is above 1");
	else if (!text_equal(p->parallel.order, "tp-cp-ep-dp-pp") &&
	    !text_equal(p->parallel.order, "tp-cp-ep-pp-dp"))
		export_refuse(e, FIELD_ORDER, "target_lacks_order",
		    "Megatron-LM megatron/training/arguments.py",
		    "no argument gives this order: tp-cp-ep-dp-pp and tp-cp-ep-pp-dp alone");
	else
		return true;
	return false;
}

void
megatron_write(struct export *e)
{
	struct textbuf body = { 0 };

	if (!megatron_can_run(e))
		return;
	megatron_core_suit(e);
	export_put_network(&body, e->plan, e->plan->cluster.nodes);
	megatron_put_connections(&body, e->plan);
	megatron_put_own_args(&body, e);
	megatron_finish(e, "megatron.sh", &body);
}
