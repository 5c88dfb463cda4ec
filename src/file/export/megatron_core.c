#include "file/export/megatron_core.h"

#include <string.h>

#include "core/plan/field.h"
#include "file/export/back.h"

enum { CORE_LAST_TE = 17 };

/*
 * Arguments that not every release from CORE_OLDEST to CORE_NEWEST has. Source: Megatron-LM
 * megatron/training/arguments.py, core/transformer/transformer_config.py and
 * core/model_parallel_config.py at the tags core_v0.12.0, 0.13.1, 0.14.0, 0.15.3, 0.16.1,
 * 0.17.1, 0.18.2, 0.19.0 and at d98e8a64dd (0.20).
 */
static const struct {
	const char *flag, *value; /* NULL: with any value */
	int since, until;         /* 0: the oldest, the newest */
} spans[] = {
	{ "--pipeline-model-parallel-layout", NULL, 13, 0 },
	{ "--fp8-recipe", "blockwise", 13, 0 },
	{ "--exp-avg-dtype", "bf16", 13, 0 },
	{ "--exp-avg-sq-dtype", "bf16", 13, 0 },
	{ "--use-custom-fsdp", NULL, 0, 13 },
	{ "--use-megatron-fsdp", NULL, 14, 0 },
	{ "--recompute-modules", "shared_experts", 14, 0 },
	{ "--overlap-moe-expert-parallel-comm", NULL, 14, 0 },
	{ "--fp4-format", NULL, 15, 0 },
	{ "--softmax-type", NULL, 15, 0 },
	{ "--window-size", NULL, 15, 0 },
	{ "--moe-enable-deepep", NULL, 0, 15 }, /* deprecated from there on */
	{ "--moe-flex-dispatcher-backend", NULL, 16, 0 },
	{ "--attention-output-gate", NULL, 16, 0 },
	{ "--cpu-offloading-num-layers", NULL, 16, 0 },
	{ "--fine-grained-activation-offloading", NULL, 16, 0 },
	{ "--activation-offload-fraction", NULL, 19, 0 },
	{ "--moe-latent-size", NULL, 16, 0 },
	{ "--moe-shared-expert-gate", NULL, 16, 0 },
	{ "--optimizer", "muon", 16, 0 },
	{ "--cuda-graph-scope", NULL, 16, 17 }, /* of one word before */
	{ "--cross-entropy-fusion-impl", "te", 0, CORE_LAST_TE },
	{ "--hybrid-layer-pattern", NULL, 17, 0 },
	{ "--position-embedding-type", "yarn", 18, 0 },
	{ "--cuda-graph-modules", NULL, 18, 0 },
	{ "--cuda-graph-impl", "full_iteration", 18, 0 },
	{ "--recompute-modules", "gdn_norm_out", 19, 0 },
};

/* The releases that start a plan, and what keeps others from it. */
struct span {
	int since, until;
	char before[160], after[160];
};

int
megatron_core_parse(const char *text)
{
	int64_t n;

	return strncmp(text, "0.", 2) == 0 && text_to_int(text + 2, &n) && n >= CORE_OLDEST &&
	    n <= CORE_NEWEST ? (int)n : 0;
}

/* Whether a line of the script gives this flag, with this word among its values. */
static bool
has_argument(const char *text, const char *flag, const char *value)
{
	const size_t length = strlen(flag);

	for (const char *from = text; (text = strstr(text, flag)) != NULL; text += length) {
		const char *at = text + length;
		size_t n = strcspn(at, "\n");

		if (text == from || text[-1] != '\t' || (*at != ' ' && *at != '\n'))
			continue;
		if (value == NULL)
			return true;
		for (const char *end = at + n; at < end; at += n) {
			at += *at == ' ';
			n = strcspn(at, " \n");
			if (n == strlen(value) && strncmp(at, value, n) == 0)
				return true;
		}
	}
	return false;
}

/* Releases before `since` and after `until`, 0 none, do not start it. */
static void
narrow(struct span *s, int since, int until, const char *why)
{
	if (since > s->since) {
		s->since = since;
		text_put(s->before, sizeof s->before, "%s", why);
	}
	if (until > 0 && until < s->until) {
		s->until = until;
		text_put(s->after, sizeof s->after, "%s", why);
	}
}

static struct span
span_of(const struct plan *p, const char *text)
{
	struct span s = { CORE_OLDEST, CORE_NEWEST, "", "" };

	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		const char *value = spans[i].value;

		if (has_argument(text, spans[i].flag, value))
			narrow(&s, spans[i].since, spans[i].until, TEXT_OF(160, "%s%s%s", spans[i].flag,
			    value != NULL ? " " : "", value != NULL ? value : ""));
	}
	if (has_argument(text, "--multi-latent-attention", NULL) &&
	    !has_argument(text, "--no-rope-fusion", NULL))
		narrow(&s, 13, 0, "multi-latent attention without --no-rope-fusion");
	if (p->model.kv_heads % p->parallel.tp != 0 && p->model.attention != ATTENTION_MLA)
		narrow(&s, 16, 0, "--num-query-groups that is no multiple of TP");
	if (p->parallel.ep > 1 && p->parallel.tp > 1 && !p->parallel.sequence_parallel)
		narrow(&s, 16, 0, "EP with TP and without --sequence-parallel");
	if (p->training.optimizer == OPTIMIZER_MUON && p->training.overlap_grad_reduce)
		narrow(&s, 18, 0, "--optimizer muon with --overlap-grad-reduce");
	if (has_argument(text, "--moe-grouped-gemm", NULL) && !has_argument(text, "--bf16", NULL))
		narrow(&s, 16, 0, "--moe-grouped-gemm without --bf16");
	if (p->training.cuda_graph == GRAPH_FULL && p->parallel.ep > 1)
		narrow(&s, 18, 0, "CUDA graphs of the whole step with EP"); /* they wanted padded experts */
	if (p->parallel.tp > 1 && p->cluster.generation >= GENERATION_BLACKWELL && p->parallel.zero_stage < 2)
		narrow(&s, 13, 0, "TP on Blackwell without CUDA_DEVICE_MAX_CONNECTIONS=1");
	if (has_argument(text, "--use-custom-fsdp", NULL) && p->training.gradient_accumulation_fusion)
		narrow(&s, 14, 0, "custom FSDP with gradient accumulation fusion");
	return s;
}

bool
megatron_core_starts(const struct plan *p, const char *arguments, int core)
{
	const struct span s = span_of(p, arguments);

	return core >= s.since && core <= s.until;
}

/* Fused cross entropy of Transformer Engine: up to core 0.17 (spans). */
void
megatron_core_suit(struct export *e)
{
	const int core = e->core > 0 ? e->core : CORE_NEWEST;
	struct plan native = *e->plan;

	field_store_int(FIELD_CROSS_ENTROPY, &native, CE_NATIVE);
	if (e->plan->training.cross_entropy != CE_TE || core <= CORE_LAST_TE ||
	    field_is_chosen(FIELD_CROSS_ENTROPY, e->plan) ||
	    (e->core == 0 && export_fits(e, e->plan) && !export_fits(e, &native)))
		return;
	notes_add(&e->missing, "not said: %s = te: nobody chose it, and core 0.%d and newer refuse it, so it "
	    "runs with native (--core=0.%d takes te)", field_table[FIELD_CROSS_ENTROPY].path,
	    CORE_LAST_TE + 1, CORE_LAST_TE);
	e->theirs = native;
	e->plan = &e->theirs;
}

bool
megatron_core_check(struct export *e, const char *arguments)
{
	static const char source[] = "Megatron-LM megatron/training/arguments.py";
	const struct span s = span_of(e->plan, arguments);
	const int asked = e->core;

	if (asked > 0 && asked < s.since) {
		export_refuse(e, FIELD_NONE, "core_too_old", source,
		    "core 0.%d does not start %s; core 0.%d does (fix: --core=0.%d)", asked, s.before, s.since,
		    s.since);
	} else if (asked > s.until) {
		export_refuse(e, FIELD_NONE, "core_too_new", source,
		    "core 0.%d does not start %s; core 0.%d did (fix: --core=0.%d%s)", asked, s.after, s.until,
		    s.until, s.until == CORE_LAST_TE && e->plan->training.cross_entropy == CE_TE ? " or training.cross_entropy=native" : "");
	} else if (s.since > s.until) {
		export_refuse(e, FIELD_NONE, "no_core", source, "%s needs core 0.%d, %s ended with 0.%d",
		    s.before, s.since, s.after, s.until);
	} else if (asked > 0) {
		text_put(e->release, sizeof e->release, "%s, core 0.%d", e->target, asked);
		e->target = e->release;
	} else {
		text_put(e->release, sizeof e->release, "%s, core 0.%d to 0.%d", e->target, s.since,
		    s.until);
		e->target = e->release;
		if (s.until < CORE_NEWEST)
			notes_add(&e->missing, "core 0.%d and newer refuse %s", s.until + 1, s.after);
	}
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}
