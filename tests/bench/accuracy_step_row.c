#include "accuracy_step_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"

/* ---- the table -------------------------------------------------------------------- */

const struct step_file step_files[] = {
	{ "published.tsv", false }, { "steps_more.tsv", false }, { "mlperf_described.tsv", false },
	{ "steps_2026.tsv", false }, { "heldout_steps.tsv", true }, { "steps_cards.tsv", true },
};
const size_t step_file_count = sizeof step_files / sizeof *step_files;

FILE *
table_open(struct table *t, const char *top, const char *file)
{
	char path[1024];
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/%s", top, file);
	in = fopen(path, "r");
	if (in != NULL && fgets(t->head.text, sizeof t->head.text, in) != NULL)
		t->columns = accuracy_cells(t->head.text, t->head.cell, COLUMNS_MAX);
	return in;
}

bool
table_next(struct table *t, FILE *in)
{
	if (fgets(t->row.text, sizeof t->row.text, in) == NULL)
		return false;
	memset(t->row.cell, 0, sizeof t->row.cell);
	accuracy_cells(t->row.text, t->row.cell, COLUMNS_MAX);
	return true;
}

const char *
row_cell(const struct table *t, const char *name)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->head.cell[i], name) == 0)
			return t->row.cell[i] != NULL ? t->row.cell[i] : "";
	return "";
}

double
row_number(const struct table *t, const char *name)
{
	return strtod(row_cell(t, name), NULL);
}

bool
row_has(const struct table *t, const char *name, const char *part)
{
	return strstr(row_cell(t, name), part) != NULL;
}

bool
row_starts(const struct table *t, const char *name, const char *part)
{
	return strncmp(row_cell(t, name), part, strlen(part)) == 0;
}

/* ---- from a row to a plan --------------------------------------------------------- */

struct setting {
	const char *key, *values; /* where a cell starts with key: PATH=VALUE, blanks between */
};

#define H100_RATES "cluster.generation=hopper cluster.fabric=nvlink4 " \
	"cluster.bf16_tflops=989 cluster.fp8_tflops=1979 cluster.nvlink_gbps=450 " \
	"cluster.pcie_gbps=64 cluster.nics_per_node=8 cluster.nic_gbps=400 "
#define A100_RATES "cluster.generation=ampere cluster.fabric=nvlink3 " \
	"cluster.bf16_tflops=312 cluster.nvlink_gbps=300 cluster.pcie_gbps=32 " \
	"cluster.nics_per_node=8 cluster.nic_gbps=200 "
#define B200_RATES "cluster.generation=blackwell cluster.fabric=nvlink5 " \
	"cluster.bf16_tflops=2250 cluster.fp8_tflops=4500 cluster.fp4_tflops=9000 cluster.hbm_gbps=7700 " \
	"cluster.nvlink_gbps=900 cluster.pcie_gbps=64 cluster.nics_per_node=8 " \
	"cluster.nic_gbps=400 "
#define GB200_RATES "cluster.generation=blackwell cluster.fabric=nvlink5 " \
	"cluster.bf16_tflops=2500 cluster.fp8_tflops=5000 cluster.fp4_tflops=10000 cluster.hbm_gbps=8000 " \
	"cluster.nvlink_gbps=900 cluster.host_gbps=225 cluster.nvlink_domain=72 " \
	"cluster.nics_per_node=4 "

static const struct setting gpus[] = {
	{ "A100-40GB", "cluster.memory_gib=39.6 cluster.hbm_gbps=1555 " A100_RATES },
	{ "A100-80GB (400 Gb/s a node)", "cluster.memory_gib=79.15 cluster.hbm_gbps=2039 "
	    A100_RATES "cluster.nics_per_node=4 cluster.nic_gbps=100" },
	{ "A100-80GB (800 Gb/s a node)", "cluster.memory_gib=79.15 cluster.hbm_gbps=2039 "
	    A100_RATES "cluster.nic_gbps=100" },
	{ "A100", "cluster.memory_gib=79.15 cluster.hbm_gbps=2039 " A100_RATES },
	{ "A800", "cluster.memory_gib=79.1 cluster.hbm_gbps=2039 " A100_RATES
	    "cluster.nvlink_gbps=200" },
	{ "H100-80GB (800 Gb/s a node)", "cluster.memory_gib=79.19 cluster.hbm_gbps=3350 "
	    H100_RATES "cluster.nic_gbps=100" },
	{ "H200-141GB (4 a node", "cluster.memory_gib=139.8 cluster.hbm_gbps=4800 " H100_RATES
	    "cluster.nics_per_node=4 cluster.nvlink_domain=4 cluster.nvlink_direct=true" },
	{ "H200", "cluster.memory_gib=139.8 cluster.hbm_gbps=4800 " H100_RATES },
	{ "H800", "cluster.memory_gib=79.1 cluster.hbm_gbps=3350 " H100_RATES
	    "cluster.nvlink_gbps=200 cluster.nic_gbps=200" },
	/* Meta's own: limited to 500 W of 700 (torchtitan
	 * benchmarks/llama3_h100_202412_torchtitan.md) */
	{ "H100-96GB-HBM2e", "cluster.memory_gib=93 cluster.hbm_gbps=2400 "
	    "cluster.tdp_watts=700 cluster.gpu_power_watts=500 " H100_RATES },
	{ "H100", "cluster.memory_gib=79.19 cluster.hbm_gbps=3350 " H100_RATES },
	{ "B200", "cluster.memory_gib=178.4 cluster.bf16_scale=0.78 " B200_RATES },
	{ "B300", "cluster.memory_gib=268.6 " B200_RATES "cluster.nic_gbps=800 cluster.rate_scale=1.06" },
	{ "GB200", "cluster.memory_gib=185 " GB200_RATES "cluster.nic_gbps=400 cluster.rate_scale=0.96" },
	{ "GB300", "cluster.memory_gib=277.5 " GB200_RATES "cluster.nic_gbps=800 cluster.rate_scale=1.15" },
	{ "V100", "cluster.memory_gib=31.6 cluster.generation=volta cluster.fabric=nvlink2 cluster.hbm_gbps=900 cluster.bf16_tflops=125 "
	    "cluster.nvlink_gbps=150 cluster.nics_per_node=4 cluster.nic_gbps=100" },
};

/* What the columns do not hold: MLA and experts (Hugging Face config.json of each). */
#define MLA "model.attention=mla model.kv_lora_rank=512 model.q_lora_rank=1536 " \
	"model.qk_nope_head_dim=128 model.qk_rope_head_dim=64 model.v_head_dim=128 "
#define NEMOTRON_3 "model.attention_heads=32 model.kv_heads=2 model.head_dim=128 " \
	"model.vocab_size=131072 model.position=none model.mamba_head_dim=64 model.mamba_state=128 " \
	"model.mamba_groups=8 model.linear_conv_kernel=4 model.router_bias=true parallel.etp=1 "

static const struct setting models[] = {
	{ "Nemotron_3_Nano", NEMOTRON_3 "model.mamba_heads=64 model.hidden_size=2688 "
	    "model.ffn_hidden_size=1856 model.experts=128 model.experts_per_token=6 "
	    "model.moe_ffn_hidden_size=1856 model.shared_expert_ffn_hidden_size=3712 "
	    "model.layer_pattern=MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME" },
	/* its MTP layer runs twice (Megatron-Bridge, recipe nemotron_3_super: mtp_num_layers) */
	{ "Nemotron_3_Super", NEMOTRON_3 "model.mamba_heads=128 model.hidden_size=4096 "
	    "model.ffn_hidden_size=2688 model.experts=512 model.experts_per_token=22 "
	    "model.moe_ffn_hidden_size=2688 model.shared_expert_ffn_hidden_size=5376 "
	    "model.moe_latent_size=1024 model.layer_pattern=MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*"
	    "EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME/*E/*E" },
	{ "DeepSeekV3", MLA "model.moe_ffn_hidden_size=2048 model.ffn_hidden_size=18432 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=3 model.mtp_layers=1" },
	{ "deepseekv3", MLA "model.moe_ffn_hidden_size=2048 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=1" },
	{ "deepseekv2", MLA "model.moe_ffn_hidden_size=1536 "
	    "model.shared_expert_ffn_hidden_size=3072 model.dense_layers=1" },
	{ "Qwen3_235B", "model.moe_ffn_hidden_size=1536 model.qk_norm=true" },
	{ "Qwen3_30B", "model.moe_ffn_hidden_size=768 model.qk_norm=true" },
	{ "Qwen3-32B", "model.qk_norm=true" },
	{ "DeepSeek-V3 (no MTP)", MLA "model.moe_ffn_hidden_size=2048 model.ffn_hidden_size=18432 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=3" },
	{ "Kimi", MLA "model.moe_ffn_hidden_size=2048 model.ffn_hidden_size=18432 "
	    "model.shared_expert_ffn_hidden_size=2048 model.dense_layers=1" },
	{ "Mixtral-8x7B", "model.moe_ffn_hidden_size=14336" },
	{ "nanotron llama-1B", "model.tied_embeddings=true model.vocab_multiple=1" },
	{ "GPT OSS 20B", "model.moe_ffn_hidden_size=2880 model.sliding_window=128 "
	    "model.global_layer_every=2 model.expert_bias=true model.position=yarn" },
	{ "GPT OSS 120B", "model.moe_ffn_hidden_size=2880 model.sliding_window=128 "
	    "model.global_layer_every=2 model.expert_bias=true model.position=yarn" },
};

/* When the software that ran was released. */
static const struct setting releases[] = {
	{ "llmfoundry", "parallel.release=202310" }, { "nemo24.07", "parallel.release=202407" },
	{ "mcore", "parallel.release=202407" }, { "nemo25", "parallel.release=202504" },
	{ "nemo-longctx", "parallel.release=202501" }, { "simumax", "parallel.release=202506" },
	{ "narayanan21", "parallel.release=202104" }, { "bridge-25.09", "parallel.release=202509" },
	{ "llama3-405b", "parallel.release=202404" }, { "kempner", "parallel.release=202509 training.attention_kernel=cudnn" },
	{ "fms-fsdp", "parallel.release=202403" }, { "atorch", "parallel.release=202309" },
	{ "flagperf", "parallel.release=202309" }, { "nanotron", "parallel.release=202502" },
	{ "torchtitan-qwen3-32b", "parallel.release=202509" },
	{ "torchtitan-pithtrain", "parallel.release=202604" },
	{ "torchtitan", "parallel.release=202506" }, /* at the latest: 202412 to 202506 */
};

/* Megatron-LM of 2019 to 2022. */
#define GPT3 "training.flash_attention=false training.overlap_grad_reduce=false " \
	"model.norm=layernorm model.position=learned"

static const struct setting groups[] = {
	/* Megatron-Bridge's performance recipes set grad_reduce_in_fp32 to false, and
	 * training/mixed_precision.py fp8_param_gather in FP8 but for blocks. NeMo's launcher sets
	 * grad_sync_dtype to bf16; its fp8_params is taken with FP8, without which Nemotron-340B
	 * has no room on 128 GPUs */
	{ "bridge", "training.grad_dtype=bf16" },
	{ "mlperf", "training.grad_dtype=bf16" }, /* as mlperf_described.tsv has them */
	{ "nemo24.07", "training.grad_dtype=bf16" }, { "nemo25", "training.grad_dtype=bf16" },
	{ "simumax", "training.overlap_grad_reduce=false training.overlap_param_gather=false "
	    "training.moe_capacity_factor=1 parallel.cp_comm=a2a" },
	/* Composer's FSDPConfig: backward_prefetch is BACKWARD_POST */
	{ "llmfoundry", "parallel.layout=torchtitan training.grad_dtype=bf16 "
	    "model.norm=layernorm model.position=learned model.tied_embeddings=true "
	    "training.overlap_param_gather=false" },
	/* its loss is in chunks */
	{ "torchtitan-pithtrain", "parallel.layout=torchtitan parallel.cp_comm=allgather "
	    "training.cross_entropy=chunked" },
	{ "torchtitan", "parallel.layout=torchtitan parallel.cp_comm=allgather "
	    "training.cross_entropy=torch" },
	{ "kempner", "parallel.layout=torchtitan training.cross_entropy=hf-16 parallel.tp_apart=true "
	    "training.gathered_logits=true" },
	{ "fms-fsdp", "parallel.layout=torchtitan training.grad_dtype=bf16 "
	    "training.cross_entropy=torch" },
	{ "atorch-fsdp", "parallel.layout=torchtitan training.grad_dtype=bf16" },
	{ "atorch-ds3d", "parallel.layout=deepspeed training.overlap_grad_reduce=false "
	    "training.overlap_param_gather=false" },
	/* adapters are of the type of the weights (nemo_automodel/components/_peft/lora.py) */
	{ "automodel-lora", "finetune.adapter_dtype=bf16" },
	/* models are loaded in bf16, and the moments of PyTorch's Adam are like its parameters
	 * (nemo_automodel/_transformers/auto_model.py, torch_dtype) */
	{ "automodel", "parallel.zero_stage=3 training.precision_aware_optimizer=true "
	    "training.moments_dtype=bf16" },
	/* no option of its scripts fuses the loss (FlagOpen/FlagPerf training/benchmarks) */
	{ "flagperf", "training.overlap_grad_reduce=false training.overlap_param_gather=false "
	    "training.cross_entropy=unfused" },
	/* interleaved, a chunk one layer: the first and last lose theirs (arXiv 2407.21783, 3.3.2) */
	{ "llama3-405b", "parallel.layout=torchtitan parallel.vpp=8" },
	{ "nanotron", "parallel.layout=nanotron training.overlap_param_gather=false "
	    "training.cross_entropy=unfused" },
	/* in fp16 gradients are fp16: --accumulate-allreduce-grads-in-fp32 is of 2021 and set for bf16 alone
	 * (Megatron-LM v2.5, megatron/arguments.py) */
	{ "narayanan21-t1", "training.grad_dtype=fp16 " GPT3 }, { "megatron20", "training.grad_dtype=fp16 " GPT3 },
	{ "narayanan21", GPT3 }, { "korthikanti22", GPT3 }, { "mtnlg", GPT3 },
};

static bool
put(struct plan *p, const char *path, const char *value)
{
	char err[256];
	const enum field_id f = field_by_path(path, strlen(path));

	if (f < FIELD_COUNT && field_parse(f, p, value, err, sizeof err))
		return true;
	fprintf(stderr, "accuracy_step: %s=%s: %s\n", path, value, err);
	return false;
}

static void
put_number(struct plan *p, const char *path, double value)
{
	char text[32];

	snprintf(text, sizeof text, "%.0f", value);
	put(p, path, text);
}

/* PATH=VALUE, blanks between. */
static void
put_list(struct plan *p, const char *values)
{
	char list[1024], *save = NULL;

	snprintf(list, sizeof list, "%s", values);
	for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(w, '=');

		*equals = '\0';
		put(p, w, equals + 1);
	}
}

static bool
put_matching(struct plan *p, const struct setting *s, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strncmp(name, s[i].key, strlen(s[i].key)) != 0)
			continue;
		put_list(p, s[i].values);
		return true;
	}
	return false;
}

static void
put_shape(struct plan *p, const struct table *t)
{
	static const struct {
		const char *column, *path;
	} shape[] = {
		{ "layers", "model.layers" }, { "hidden", "model.hidden_size" },
		{ "ffn", "model.ffn_hidden_size" }, { "heads", "model.attention_heads" },
		{ "kv_heads", "model.kv_heads" }, { "head_dim", "model.head_dim" },
		{ "vocab", "model.vocab_size" }, { "glu", "model.gated_mlp" },
		{ "tp", "parallel.tp" }, { "pp", "parallel.pp" }, { "cp", "parallel.cp" },
		{ "ep", "parallel.ep" }, { "seq", "training.sequence_length" },
		{ "gbs", "training.global_batch_size" },
	};

	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
		if (row_number(t, shape[i].column) > 0)
			put_number(p, shape[i].path, row_number(t, shape[i].column));
	if (row_number(t, "experts") > 0) {
		put_number(p, "model.experts", row_number(t, "experts"));
		put_number(p, "model.experts_per_token", row_number(t, "topk"));
		put(p, "parallel.etp", "1");
	}
	if (row_has(t, "notes", "ETP=TP"))
		put_number(p, "parallel.etp", row_number(t, "tp"));
	put(p, "model.gated_mlp", row_number(t, "glu") > 0 ? "true" : "false");
	put_matching(p, models, sizeof models / sizeof *models, row_cell(t, "model"));
}

static void
put_training(struct plan *p, const struct table *t)
{
	const char *precision = row_cell(t, "precision");
	bool fp8 = strstr(precision, "fp8") != NULL || strstr(precision, "FP8") != NULL ||
	    strstr(precision, "float8") != NULL;
	const bool bf16 = !fp8 || strstr(precision, "rowwise") != NULL;

	/* Rowwise scaling of small layers made torchtitan no faster than bf16 (its issue 1207). */
	fp8 = fp8 && strstr(precision, "rowwise") == NULL;
	put(p, "training.precision", strstr(precision, "NVFP4") != NULL ? "nvfp4" :
	    strstr(precision, "MXFP8") != NULL ? "mxfp8" : !bf16 ? "fp8" : strstr(precision, "fp16") == precision ?
	    "fp16" : strncmp(precision, "fp32", 4) == 0 ? "fp32" : "bf16");
	if (row_starts(t, "recompute", "full"))
		put(p, "training.recompute", "full");
	else if (row_starts(t, "recompute", "selective AC") && (row_has(t, "recompute", "op") ||
	    strcmp(row_cell(t, "group"), "torchtitan") == 0)) {
		/* as torchtitan's llama3_8b.toml has it */
		put(p, "training.recompute", "selective");
	} else if (row_starts(t, "recompute", "selective AC")) {
		/* every second layer */
		put(p, "training.recompute", "full");
		put(p, "training.recompute_method", "block");
		put_number(p, "training.recompute_layers",
		    ceil(row_number(t, "layers") / row_number(t, "pp") / 2));
	} else if (row_starts(t, "recompute", "selective"))
		put(p, "training.recompute", "selective");
	else if (row_has(t, "recompute", "norm")) {
		put(p, "training.recompute", "selective");
		put(p, "training.recompute_modules", row_has(t, "recompute", "moe") ?
		    "layernorm,moe" : "layernorm,moe_act");
	}
	if (row_has(t, "precision", "compile"))
		put(p, "training.torch_compile", "true");
	if (row_has(t, "precision", "AsyncTP") || row_has(t, "notes", "AsyncTP") ||
	    row_has(t, "notes", "async TP")) {
		put(p, "training.tp_overlap", "true");
		put(p, "training.torch_compile", "true"); /* torchtitan does not begin without */
	}
	if (row_starts(t, "group", "nemo") || row_starts(t, "group", "mcore"))
		put(p, "training.tp_overlap", "true");
	if (row_has(t, "notes", "DeepEP"))
		put(p, "parallel.moe_dispatcher", "deepep");
	if (row_has(t, "notes", "HybridEP"))
		put(p, "parallel.moe_dispatcher", "hybridep");
	if (row_has(t, "notes", "a2a overlap"))
		put(p, "training.moe_overlap", "true");
}

/* As many layers on every chunk as the first, the rest with MTP and loss on the last one
 * (Megatron-Bridge and NeMo, recipes of DeepSeek-V3). */
static void
put_deepseek_layout(struct plan *p, const struct table *t)
{
	const int chunks = (int)(row_number(t, "pp") * fmax(1, row_number(t, "vp")));
	const int layers = (int)row_number(t, "layers"), each = (layers + chunks - 1) / chunks;
	const int rest = layers - each * (chunks - 1);
	char text[64];

	if (chunks <= 2 || rest <= 0)
		return;
	snprintf(text, sizeof text, "Et*%d|(t*%d|)*%d,t*%dmL", each, each, chunks - 2, rest);
	put(p, "parallel.pipeline_layout", text);
	put(p, "parallel.vpp", "1"); /* the layout says it */
	if (row_starts(t, "gpu", "B200")) { /* scripts/performance/configs/deepseek, FP8_MX_V2 */
		put(p, "training.moe_overlap", "true");
		put(p, "training.recompute", "selective");
		put(p, "training.recompute_modules", "mla_up_proj,mlp");
	}
}

static void
put_parallel(struct plan *p, const struct table *t)
{
	const char *zero = row_cell(t, "zero"), *mbs = row_cell(t, "mbs");
	int batch;

	put_number(p, "cluster.gpus_per_node", row_number(t, "gpus_per_node"));
	if (row_number(t, "n_gpus") >= row_number(t, "gpus_per_node"))
		put_number(p, "cluster.nodes", row_number(t, "n_gpus") / row_number(t, "gpus_per_node"));
	else
		put_number(p, "cluster.gpus_per_node", row_number(t, "n_gpus"));
	if (row_number(t, "vp") > 1)
		put_number(p, "parallel.vpp", row_number(t, "vp"));
	if (strcmp(row_cell(t, "sp"), "n/s") != 0)
		put(p, "parallel.sequence_parallel", row_number(t, "sp") > 0 &&
		    row_number(t, "tp") > 1 ? "true" : "false");
	if (strncmp(zero, "3", 1) == 0 || strncmp(zero, "FSDP", 4) == 0)
		put(p, "parallel.zero_stage", "3");
	else if (strcmp(zero, "0") == 0)
		put(p, "parallel.zero_stage", "0");
	if (strstr(zero, "HSDP") != NULL)
		put_number(p, "parallel.dp_replicate",
		    row_number(t, "n_gpus") / row_number(t, "gpus_per_node"));
	if (row_number(t, "mbs") > 0)
		put_number(p, "training.micro_batch_size", strtod(mbs, NULL));
	else if (sscanf(mbs, "local batch %d", &batch) == 1)
		/* cut into as many micro-batches as there are ranks (torchtitan of 2024,
		 * torchtitan/parallelisms/pipelining_utils.py) */
		put_number(p, "training.micro_batch_size", fmax(1, batch / row_number(t, "pp")));
	if (row_has(t, "notes", "Interleaved") && row_number(t, "vp") <= 0)
		put(p, "parallel.vpp", "2");
	if (row_starts(t, "model", "DeepSeekV3")) {
		put_deepseek_layout(p, t);
	} else if (fmod(row_number(t, "layers"),
	    row_number(t, "pp") * fmax(1, row_number(t, "vp"))) > 0 &&
	    !row_starts(t, "group", "torchtitan") && !row_starts(t, "group", "automodel")) {
		/* 126 and 94 layers: embedding and loss count as one each (NeMo recipes) */
		put(p, "parallel.account_for_embedding", "true");
		put(p, "parallel.account_for_loss", "true");
	}
}

/* Rows whose cells do not say everything: assumed as the heading tells. */
bool
row_is_full(const struct table *t)
{
	static const char *const columns[] = { "recompute", "mbs", "zero", "sp", "vp" };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const bool open = row_starts(t, columns[i], "n/s");

		if (strcmp(columns[i], "sp") == 0 && row_number(t, "tp") <= 1)
			continue;
		if (strcmp(columns[i], "vp") == 0 && row_number(t, "pp") <= 1)
			continue;
		if (open && !row_has(t, columns[i], "distopt"))
			return false;
	}
	return true;
}

/* Why no plan can express a row, or NULL. */
const char *
row_refusal(const struct table *t)
{
	if (row_has(t, "gpu", "network not stated") &&
	    row_number(t, "n_gpus") > row_number(t, "gpus_per_node"))
		return "network between nodes not stated";
	if (row_starts(t, "group", "megascale"))
		return "changed optimizer and attention (LAMB, parallel block)";
	if (row_number(t, "gbs") <= 0 || row_number(t, "seq") <= 0)
		return "batch not stated";
	if (row_starts(t, "group", "nemo-longctx") && row_number(t, "tp") * row_number(t, "pp") *
	    row_number(t, "cp") * row_number(t, "dp") < row_number(t, "n_gpus") - 0.5)
		return "sizes do not multiply to the GPUs";
	return NULL;
}

void
row_plan(struct plan *p, const struct table *t)
{
	plan_defaults(p);
	put_matching(p, gpus, sizeof gpus / sizeof *gpus, row_cell(t, "gpu"));
	put_shape(p, t);
	put_parallel(p, t);
	put_training(p, t);
	put_matching(p, groups, sizeof groups / sizeof *groups, row_cell(t, "group"));
	if (row_has(t, "notes", "linear biases")) {
		put(p, "model.linear_bias", "true");
		put(p, "model.tied_embeddings", "true");
		put(p, "model.position", "learned"); /* what scripts that say nothing have */
	}
	if (p->model.position == POSITION_LEARNED)
		put_number(p, "model.max_position", row_number(t, "seq"));
	/* torchtitan docs/float8.md: --float8.enable_fsdp_float8_all_gather */
	if ((p->training.precision == PRECISION_FP8 || p->training.precision == PRECISION_MXFP8) &&
	    (row_starts(t, "group", "bridge") || row_starts(t, "group", "nemo") ||
	    row_starts(t, "group", "torchtitan")))
		put(p, "training.fp8_param_gather", "true");
	if (p->training.precision == PRECISION_FP32) /* FlashAttention takes 16 bits only */
		put(p, "training.flash_attention", "false");
	if (row_starts(t, "group", "automodel") && row_number(t, "layers") == 61) {
		put(p, "parallel.pipeline_layout", "Et|(tt|)*29,t|tL");
		put(p, "parallel.vpp", "1");
	}
	if (row_starts(t, "group", "narayanan21-t2") && row_starts(t, "zero", "3"))
		put(p, "parallel.layout", "deepspeed");
	put_matching(p, releases, sizeof releases / sizeof *releases, row_cell(t, "group"));
	put_list(p, row_cell(t, "settings"));
	if (p->parallel.tp <= 1) /* the scripts set it for all */
		put(p, "training.tp_overlap", "false");
	plan_resolve(p, NULL);
}
