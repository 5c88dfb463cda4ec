#include "core/framework/resolve.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/framework/framework.h"
#include "core/plan/acceptance.h"
#include "core/plan/batch.h"
#include "core/plan/catalog.h"
#include "core/plan/field_source.h"
#include "core/plan/mix.h"
#include "core/plan/nodes.h"
#include "core/plan/pattern.h"

/* A request whose lengths nobody says. */
enum { USUAL_PROMPT = 4096, USUAL_GENERATED = 512 };

/* Put the default in, without marking the field as chosen. */
static void
put_default(enum field_id f, struct plan *p)
{
	char err[128];

	if (field_table[f].type == FIELD_TEXT)
		field_put_text(f, p, field_table[f].default_text, err, sizeof err);
	else
		field_parse(f, p, field_table[f].default_text, err, sizeof err);
	field_mark(f, p, false);
}

/* Every default, and nothing that follows. */
static void
put_defaults(struct plan *p)
{
	memset(p, 0, sizeof *p);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		put_default(f, p);
}

static int64_t
usual_gradients(const struct plan *p)
{
	if (!framework_of(p)->gradients_in_precision || p->training.precision == PRECISION_FP32)
		return GRAD_FP32;
	return p->training.precision == PRECISION_FP16 ? GRAD_FP16 : GRAD_BF16;
}

/* PEFT keeps adapters in fp32 unless told otherwise (src/peft/mapping.py,
 * autocast_adapter_dtype); DeepSpeed casts everything (runtime/engine.py). */
static int64_t
usual_adapter_dtype(const struct plan *p)
{
	const int64_t kernels = p->finetune.kernels;

	return kernels == KERNELS_TE || kernels == KERNELS_TORCHTUNE ||
	    framework_of(p)->gradients_in_precision ? ADAPTER_BF16 : ADAPTER_FP32;
}

static int64_t
usual_cross_entropy(const struct plan *p)
{
	static const int64_t of_kernels[] = {
		[KERNELS_TE] = CE_TE, [KERNELS_EAGER] = CE_HF, [KERNELS_LIGER] = CE_LIGER,
		[KERNELS_UNSLOTH] = CE_LIGER, [KERNELS_TORCHTUNE] = CE_CHUNKED
	};

	/* Megatron's trainers of rollouts and pairs make log-probs of whole logits in fp32 (NVIDIA-NeMo/RL
	 * nemo_rl/distributed/model_utils.py, DistributedLogprob; verl verl/utils/megatron/tensor_parallel.py). */
	if (plan_has_rl(p) && framework_of(p)->transformer_engine)
		return CE_UNFUSED;
	if (p->finetune.method != FINETUNE_NONE)
		return of_kernels[p->finetune.kernels];
	return framework_of(p)->loss;
}

/* A router that was trained on everything chooses a few experts for the data of one purpose, and nothing balances it
 * within a micro-batch; published runs of pre-training force it to be even (Megatron-Bridge
 * moe_router_force_load_balancing). */
static double
usual_imbalance(const struct plan *p)
{
	const bool pretrained = p->finetune.method != FINETUNE_NONE || plan_has_rl(p);

	return pretrained ? batch_busiest((double)p->model.experts, (double)p->parallel.ep) : 1;
}

/* A request fits in the context: what is generated first has its usual length, or half. */
static int64_t
usual_generated(const struct plan *p)
{
	const struct serving *s = &p->serving;
	const struct mix *mix = mix_of(p);
	const int64_t usual = mix != NULL ? mix->generate : USUAL_GENERATED;
	const int64_t left = s->context_length - s->prompt_tokens;

	if (field_is_set(FIELD_PROMPT_TOKENS, p))
		return least_of(usual, left > 1 ? left : 1);
	return least_of(usual, (s->context_length + 1) / 2);
}

/* Checkpoints in four bits have the experts' weights so and the others in 16 bits; those of DeepSeek-V4 these in FP8
 * (deepseek-ai/DeepSeek-V4-Flash README, "FP4 + FP8 Mixed"; vllm model_executor/models/deepseek_v4.py). */
static int64_t
usual_dense_dtype(const struct plan *p)
{
	const int64_t others = p->model.attention == ATTENTION_CSA ? WEIGHT_FP8 : WEIGHT_BF16;

	switch (p->serving.weight_dtype) {
	case WEIGHT_INT4:
	case WEIGHT_MXFP4:
	case WEIGHT_NVFP4:
		return plan_has_experts(p) ? others : p->serving.weight_dtype;
	default:
		return p->serving.weight_dtype;
	}
}

static int64_t
usual_prompt(const struct plan *p)
{
	const struct serving *s = &p->serving;
	const int64_t generated = field_is_set(FIELD_GENERATE_TOKENS, p) ? s->generate_tokens :
	    usual_generated(p), left = s->context_length - generated;
	const struct mix *mix = mix_of(p);

	return least_of(mix != NULL ? mix->prompt : USUAL_PROMPT, left > 0 ? left : 0);
}

/* Megatron keeps no frozen weights in 4 bits; scripts of Hugging Face and DeepSpeed do (QLoRA, arXiv:2305.14314). */
static int64_t
usual_layout(const struct plan *p)
{
	if (p->mode == MODE_TRAIN && p->finetune.method == FINETUNE_QLORA)
		return LAYOUT_DEEPSPEED;
	return (int64_t)framework_usual(p->mode);
}

/* The rules of fields that follow others. */
static void
derive(enum field_id f, struct plan *p)
{
	struct parallel *par = &p->parallel;

	if (f == FIELD_NVLINK_DOMAIN)
		p->cluster.nvlink_domain = p->cluster.gpus_per_node;
	else if (f == FIELD_LAYOUT)
		par->layout = usual_layout(p);
	else if (f == FIELD_SEQUENCE_PARALLEL)
		par->sequence_parallel = par->tp > 1;
	else if (f == FIELD_ETP)
		par->etp = framework_of(p)->etp_follows_tp ? par->tp : 1;
	else if (f == FIELD_GRAD_DTYPE)
		p->training.grad_dtype = usual_gradients(p);
	else if (f == FIELD_EXPERT_ADAPTERS)
		p->finetune.expert_adapters = framework_of(p)->transformer_engine ?
		    ADAPTERS_SHARED : ADAPTERS_SEPARATE;
	else if (f == FIELD_QUANTIZATION)
		p->finetune.quantization = p->finetune.method == FINETUNE_QLORA ? QUANT_NF4_DQ :
		    QUANT_NONE;
	else if (f == FIELD_KERNELS)
		p->finetune.kernels = framework_of(p)->transformer_engine ? KERNELS_TE :
		    KERNELS_EAGER;
	else if (f == FIELD_ADAPTER_DTYPE)
		p->finetune.adapter_dtype = usual_adapter_dtype(p);
	else if (f == FIELD_MOE_IMBALANCE)
		p->training.moe_imbalance = usual_imbalance(p);
	else if (f == FIELD_CROSS_ENTROPY)
		p->training.cross_entropy = usual_cross_entropy(p);
	else if (f == FIELD_WEIGHT_DTYPE) /* rollouts have the weights that are trained */
		p->serving.weight_dtype = p->mode == MODE_SERVE ? p->model.checkpoint_dtype :
		    WEIGHT_BF16;
	else if (f == FIELD_DENSE_DTYPE)
		p->serving.dense_dtype = usual_dense_dtype(p);
	else if (f == FIELD_WEIGHT_GROUP)
		p->serving.weight_group = p->serving.weight_dtype == WEIGHT_INT4 ? p->model.checkpoint_group : 0;
	else if (f == FIELD_PROMPT_TOKENS)
		p->serving.prompt_tokens = usual_prompt(p);
	else if (f == FIELD_GENERATE_TOKENS)
		p->serving.generate_tokens = usual_generated(p);
	else if (f == FIELD_ACCEPTED_TOKENS)
		p->serving.accepted_tokens = fmax(0, acceptance_tokens(p->serving.acceptance,
		    p->serving.draft_tokens));
	else if (f == FIELD_PREFIX_HIT)
		p->serving.prefix_hit = mix_row(p)->prefix_hit;
	else if (f == FIELD_PROMPT_SPREAD)
		p->traffic.prompt_spread = mix_row(p)->prompt_spread;
	else if (f == FIELD_GENERATE_SPREAD)
		p->traffic.generate_spread = mix_row(p)->generate_spread;
	else if (f == FIELD_BLOCK_SIZE)
		p->serving.block_size = engine_of(p)->block;
	else if (f == FIELD_ENGINE_VERSION && engine_of(p)->default_version)
		put_default(f, p);
	else if (f == FIELD_ENGINE_VERSION)
		p->serving.engine_version[0] = '\0';
}

/* The entry that a field names; the field then has its very name, no alias. NULL without. */
static const struct catalog_entry *
take_entry(enum field_id f, struct plan *p, const struct catalog_list *list)
{
	const struct catalog_entry *entry = catalog_find(list, field_text(f, p));
	const bool set = field_is_set(f, p);
	char err[128];

	if (entry != NULL && !text_equal(entry->id, field_text(f, p))) {
		field_put_text(f, p, entry->id, err, sizeof err);
		field_mark(f, p, set);
	}
	return entry;
}

/* A row that is not said, or is as it is where nobody says it and too short: one that is said and holds them stays, that
 * of a plan that was saved before it had responses goes on following these. */
static bool
is_open_row(const struct plan *p, int64_t longest)
{
	return !field_is_set(FIELD_SEQUENCE_LENGTH, p) || (!field_is_chosen(FIELD_SEQUENCE_LENGTH, p) &&
	    p->training.sequence_length < longest);
}

/* A row holds the longest response with its prompt, in parts that CP and TP can share; and so
 * does the engine. */
static void
fit_responses(struct plan *p)
{
	const int64_t longest = p->rl.prompt_tokens + p->rl.response_limit;
	const int64_t cp = p->parallel.cp, tp = p->parallel.tp;
	const int64_t unit = cp >= 1 && cp <= 1024 && tp >= 1 && tp <= 1024 ? 2 * cp * tp : 1;

	if (plan_has_rl(p) && is_open_row(p, longest)) {
		field_mark(FIELD_SEQUENCE_LENGTH, p, false);
		p->training.sequence_length = (longest + unit - 1) / unit * unit;
	}
	if (plan_has_rollouts(p) && !field_is_chosen(FIELD_CONTEXT_LENGTH, p)) {
		field_mark(FIELD_CONTEXT_LENGTH, p, false);
		p->serving.context_length = longest;
	}
}

/* A context whose length nobody set has room for the long requests of a mix, as far as the model
 * goes. */
static void
fit_mix(struct plan *p)
{
	const struct mix *mix = mix_of(p);

	if (mix == NULL || field_is_set(FIELD_CONTEXT_LENGTH, p))
		return;
	p->serving.context_length = mix_context(mix);
	if (p->model.max_position > 0)
		p->serving.context_length = least_of(p->serving.context_length, p->model.max_position);
}

/* A sequence whose length nobody set is no longer than what the model can tell places of. */
static void
fit_sequence(struct plan *p)
{
	if (field_source_context(p) && p->training.sequence_length > p->model.max_position)
		p->training.sequence_length = p->model.max_position;
}

/* The fields that `from` has set, of those that the entry of `named` may give a value, or all. */
static void
copy_set(struct plan *p, const struct plan *from, enum field_id named)
{
	for (int w = 0; w < PLAN_SET_WORDS; w++) {
		enum field_id f = (enum field_id)(64 * w);

		for (uint64_t bits = from->set[w]; bits != 0; bits >>= 1, f++)
			if ((bits & 1) != 0 && (named == FIELD_NONE || field_entry(f) == named))
				field_copy(f, p, from);
	}
}

/* The clusters that GPUs of other types see: what the catalogue says of their own, the rest is shared. A
 * name that it does not know ends the list: no rule lets that pass. */
static void
resolve_others(struct plan *p, const struct catalog *catalog)
{
	struct other_nodes others;
	struct plan q = *p;
	char err[256];

	p->others = 0;
	if (catalog == NULL || !nodes_other(&others, p, err, sizeof err))
		return;
	for (int i = 0; i < others.types; i++) {
		const struct catalog_entry *entry = catalog_find(&catalog->gpus, others.type[i]);

		if (entry == NULL)
			return;
		for (enum field_id f = 0; f < FIELD_COUNT; f++)
			if (field_entry(f) == FIELD_GPU)
				put_default(f, &q);
		copy_set(&q, &entry->values, FIELD_GPU);
		text_put(q.cluster.gpu, sizeof q.cluster.gpu, "%s", entry->id);
		q.cluster.nvlink_domain = p->cluster.nvlink_domain;
		p->other[p->others++] = q.cluster;
	}
}

/* Searches resolve thousands of plans: defaults all over, and upon them the few fields that have
 * another value. */
void
plan_resolve(struct plan *p, const struct catalog *catalog)
{
	static const enum field_id names[] = { FIELD_GPU, FIELD_PRESET };
	const struct catalog_entry *entry;
	struct plan asked = *p;

	if (catalog != NULL && catalog->has_defaults)
		*p = catalog->defaults;
	else
		put_defaults(p);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!field_is_set(names[i], &asked))
			put_default(names[i], &asked);
		if (catalog != NULL && (entry = take_entry(names[i], &asked,
		    names[i] == FIELD_GPU ? &catalog->gpus : &catalog->models)) != NULL)
			copy_set(p, &entry->values, names[i]);
		field_copy(names[i], p, &asked);
	}
	copy_set(p, &asked, FIELD_NONE);
	fit_mix(p);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_table[f].origin == ORIGIN_DERIVED && !field_is_set(f, p))
			derive(f, p);
	memcpy(p->set, asked.set, sizeof p->set);
	memcpy(p->offered, asked.offered, sizeof p->offered);
	pattern_settle(&p->model);
	fit_responses(p);
	fit_sequence(p);
	if (p->cluster.other_gpus[0] != '\0')
		resolve_others(p, catalog);
}

void
plan_defaults(struct plan *p)
{
	memset(p, 0, sizeof *p);
	plan_resolve(p, NULL);
}

void
plan_begin(struct plan *p)
{
	char err[128];

	memset(p, 0, sizeof *p);
	field_put_int(FIELD_NODES, p, 2, err, sizeof err);
	field_put_int(FIELD_TP, p, 2, err, sizeof err);
	field_put_int(FIELD_PP, p, 4, err, sizeof err);
	field_put_int(FIELD_GLOBAL_BATCH_SIZE, p, 64, err, sizeof err);
	field_offer(FIELD_TP, p);
	field_offer(FIELD_PP, p);
	field_offer(FIELD_GLOBAL_BATCH_SIZE, p);
}

void
plan_builtin(struct plan *p)
{
	plan_begin(p);
	plan_resolve(p, NULL);
}

static const enum field_id followers[] = {
	FIELD_SEQUENCE_PARALLEL, FIELD_ETP, FIELD_GRAD_DTYPE, FIELD_EXPERT_ADAPTERS,
	FIELD_QUANTIZATION, FIELD_KERNELS, FIELD_ADAPTER_DTYPE, FIELD_CROSS_ENTROPY, FIELD_MOE_IMBALANCE,
	FIELD_ENGINE_VERSION, FIELD_PROMPT_TOKENS, FIELD_GENERATE_TOKENS, FIELD_BLOCK_SIZE,
	FIELD_PREFIX_HIT, FIELD_PROMPT_SPREAD, FIELD_GENERATE_SPREAD, FIELD_ACCEPTED_TOKENS,
	FIELD_DENSE_DTYPE, FIELD_WEIGHT_GROUP
};
enum { FOLLOWERS = sizeof followers / sizeof *followers };

void
plan_follow(struct plan *p)
{
	for (size_t i = 0; i < FOLLOWERS; i++)
		if (!field_is_set(followers[i], p))
			derive(followers[i], p);
	fit_responses(p);
}

/* By way of so many others at most: prompt and generated tokens follow each other. */
static bool
follows_through(enum field_id f, enum field_id followed, int others)
{
	/* A set value that is taken back follows again. */
	if (f == FIELD_SEQUENCE_LENGTH && followed == FIELD_MAX_POSITION) /* fit_sequence */
		return true;
	if (followed == FIELD_MIX && mix_fills(f))
		return true;
	if (f == FIELD_SEQUENCE_LENGTH || f == FIELD_CONTEXT_LENGTH) /* fit_responses */
		return followed == f || followed == FIELD_TP || followed == FIELD_CP;
	for (size_t i = 0; i < FOLLOWERS; i++)
		for (size_t k = 0; f == followers[i] && k < FIELD_FOLLOWS_MAX; k++) {
			const enum field_id next = field_table[f].follows[k];

			if (followed == f || followed == next ||
			    (others > 0 && follows_through(next, followed, others - 1)))
				return true;
		}
	return false;
}

bool
plan_follows(enum field_id f, enum field_id followed)
{
	return follows_through(f, followed, 2);
}

void
plan_resolve_field(struct plan *p, enum field_id f, const struct catalog *catalog)
{
	const bool follows = field_same_section(f, FIELD_TP) ||
	    field_same_section(f, FIELD_MICRO_BATCH_SIZE) || field_same_section(f, FIELD_CONTEXT_LENGTH);

	if (follows && field_is_set(f, p))
		plan_follow(p);
	else
		plan_resolve(p, catalog);
}

bool
plan_is_followed(enum field_id f)
{
	for (enum field_id follower = 0; follower < FIELD_COUNT; follower++)
		if (plan_follows(follower, f))
			return true;
	return false;
}
