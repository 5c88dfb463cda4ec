/* What mends a plan, and what would make one better: every offer is made and held to its word. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "core/estimate/scope.h"
#include "core/search/advice.h"
#include "core/search/advice_hints.h"
#include "core/search/hint_rows.h"
#include "settings.h"

static struct estimate *work, *estimate;

/* An H100 and a model of Llama-70B's, of Mixtral's and of DeepSeek-V3's shape; without a
 * catalogue nothing is known of either. */
#define H100 "generation=hopper fabric=nvlink4 memory_gib=79.19 hbm_gbps=3350 bf16_tflops=989 " \
	"fp8_tflops=1979 nvlink_gbps=450 pcie_gbps=64 "
#define H200 "memory_gib=139.8 hbm_gbps=4800 "
#define M70B "layers=80 hidden_size=8192 ffn_hidden_size=28672 attention_heads=64 kv_heads=8 "
#define M8X7B "layers=32 hidden_size=4096 ffn_hidden_size=14336 attention_heads=32 kv_heads=8 " \
	"vocab_size=32000 experts=8 experts_per_token=2 moe_ffn_hidden_size=14336 "
#define M671B "layers=61 hidden_size=7168 ffn_hidden_size=18432 attention_heads=128 kv_heads=128 " \
	"attention=mla q_lora_rank=1536 kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 " \
	"v_head_dim=128 experts=256 experts_per_token=8 moe_ffn_hidden_size=2048 " \
	"shared_expert_ffn_hidden_size=2048 dense_layers=3 "
#define M405B "layers=126 hidden_size=16384 ffn_hidden_size=53248 attention_heads=128 kv_heads=8 "

/* In words: what is not known is not told. */
TEST(outlooks_in_words)
{
	char text[128];

	outlook_text(&(struct outlook){ .memory = 40 * GIB }, text, sizeof text);
	assert_string_equal(text, "40.0 GiB");
	outlook_text(&(struct outlook){ .memory = 40 * GIB, .capacity = 80 * GIB, .seconds = 2.5 }, text, sizeof text);
	assert_string_equal(text, "40.0 GiB of 80.0 GiB, 2.5 s a step");
	outlook_text(&(struct outlook){ .memory = 40 * GIB, .seconds = .0125, .ttft = 120, .serves = true,
	    .kv_tokens = 5000 }, text, sizeof text);
	assert_string_equal(text, "40.0 GiB, 12.5 ms a token, first after 120 s, 5000 tokens of KV cache");
}

/* What a changed plan comes to is what the estimate says of it, of all phases of a step. */
TEST(outlooks)
{
	static const char *const plans[] = {
		H100 "nodes=2 tp=2", H100 "nodes=2 tp=4 rl.algorithm=dpo",
		H100 "nodes=2 tp=4 rl.algorithm=grpo", H100 "mode=serve layout=vllm tp=2",
	};
	static struct scope scope;

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct outlook o;
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, plans[i]);
		scope_init(&scope, NULL);
		estimate_run(estimate, &p, NULL, NULL);
		assert_true(outlook_of(&o, &p, &scope, work));
		assert_true(o.memory == estimate_fullest(estimate) && o.fits == estimate->fits);
		assert_true(o.seconds == (estimate->served ? estimate->serve.tpot_seconds :
		    estimate->reinforced ? estimate->rl.step_seconds : estimate->step.seconds));
		assert_true(o.seconds > 0 && estimate->reinforced == (i == 1 || i == 2));
	}
}

/* ---- what is offered ----------------------------------------------------------------- */

static struct field_set
asked_of(const char *settings)
{
	struct field_set asked = { { 0 } };
	char list[512], *save = NULL;

	assert_true(strlen(settings) < sizeof list);
	strcpy(list, settings);
	for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		*strchr(w, '=') = '\0';
		field_set_add(&asked, field_find(w));
	}
	return asked;
}

/* "tp=4 micro_batch_size=1": the changes of a mend by the last part of their paths. */
static void
changes_text(const struct mend *m, char *buf, size_t size)
{
	buf[0] = '\0';
	for (int i = 0; i < m->changes; i++)
		text_add(buf, size, "%s%s=%s", i > 0 ? " " : "", field_key(m->change[i].field),
		    m->change[i].value);
}

static bool
offers(const struct advice *a, const char *changes)
{
	char text[128];

	for (size_t i = 0; i < a->count; i++) {
		changes_text(&a->mend[i], text, sizeof text);
		if (strcmp(text, changes) == 0)
			return true;
	}
	return false;
}

/* The mended plan is legal, and is what was said of it. */
static void
holds(const struct mend *m, const struct plan *p, const struct field_set *asked)
{
	struct plan next;
	char text[128];

	changes_text(m, text, sizeof text);
	assert_true(advice_apply(m, p, NULL, &next));
	estimate_run(estimate, &next, NULL, NULL);
	if (!estimate->legal || estimate->fits != m->outlook.fits ||
	    estimate->tight != m->outlook.tight)
		fail_msg("%s: not as it says", text);
	assert_true(m->outlook.memory == estimate->peak_total);
	assert_true(m->outlook.seconds == (estimate->served ? estimate->serve.tpot_seconds :
	    estimate->step.seconds));
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_set_has(asked, f) && m->loss != LOSS_ASKED &&
		    m->loss != LOSS_ABOUT && !field_same(f, p, &next))
			fail_msg("%s takes back %s", text, field_table[f].path);
}

static int
room(const struct mend *m)
{
	return m->outlook.fits ? 2 - m->outlook.tight : 0;
}

/* How often the work is halved. */
static double
halvings(const struct mend *m)
{
	return fmax(0, -floor(log2(m->kept) + 0.5));
}

/* What loses less comes first; what fits before all else, and then what is tight. Then what is
 * cheaper, but for what lies within the step of the ranking; of a plan that is not legal, and for
 * what was asked, what is nearer. */
static void
ranked(const struct advice *a, bool legal)
{
	for (size_t i = 1; i < a->count; i++) {
		const struct mend *m = &a->mend[i - 1], *n = &a->mend[i];

		if (!legal && (m->loss == LOSS_ASKED) != (n->loss == LOSS_ASKED)) {
			assert_int_equal(n->loss, LOSS_ASKED);
			continue;
		}
		assert_true(room(m) >= room(n));
		if (room(m) > room(n))
			continue;
		assert_true(m->loss <= n->loss);
		if (m->loss != n->loss || m->warns != n->warns)
			continue;
		assert_true(halvings(m) <= halvings(n));
		if (halvings(m) < halvings(n))
			continue;
		assert_true(m->gpus <= n->gpus);
		if (m->gpus < n->gpus)
			continue;
		if (legal && m->outlook.fits && m->loss != LOSS_ASKED && m->loss != LOSS_ABOUT)
			assert_true(m->outlook.cost < n->outlook.cost * 1.002);
		else
			assert_true(m->distance <= n->distance);
	}
}

/* Each error names the first mend as its fix, whatever it named before. */
static void
fixes_are_first(const struct advice *a, const struct plan *p, const struct field_set *asked)
{
	struct diag_list diags;

	diag_clear(&diags);
	plan_check(p, NULL, &diags);
	check_fixes(p, NULL, asked, &diags);
	advice_note(a, 0, &diags);
	for (size_t i = 0; i < diags.count; i++) {
		const struct diag *d = &diags.item[i];
		const struct mend *m = &a->mend[0];

		if (d->severity != SEVERITY_ERROR)
			continue;
		assert_int_equal(d->fix_field, m->change[0].field);
		assert_string_equal(d->fix_value, m->change[0].value);
		assert_int_equal(d->also_field, m->changes > 1 ? m->change[1].field : FIELD_NONE);
	}
}

static const struct bad {
	const char *name, *plan, *asked;
	const char *first, *also[3]; /* the best mend, NULL: any; and some that are offered too */
} bad[] = {
	{ "70B that does not fit, all of it asked for", H100 M70B "zero_stage=1",
	  "nodes=8 tp=8 pp=4 micro_batch_size=4 sequence_length=8192 global_batch_size=64", "cp=2",
	  { "recompute=full", "micro_batch_size=2" } },
	{ "the same from a file", H100 M70B "nodes=8 tp=8 pp=4 micro_batch_size=4 sequence_length=8192",
	  "", NULL, { "recompute=full", "cp=2", "micro_batch_size=2" } },
	{ "fewer nodes, more TP", H100 "nodes=2 tp=2 pp=4", "nodes=1 tp=8", "pp=1", { NULL } },
	{ "one GPU, which takes neither TP 2 nor PP 4", H100 "tp=2 pp=4", "nodes=1 gpus_per_node=1",
	  "tp=1 pp=1", { NULL } },
	{ "a PP that divides neither GPUs nor layers", H100 "nodes=2 tp=2 pp=4", "pp=3", "pp=4",
	  { NULL } },
	{ "126 layers on 8 stages", H100 M405B "nodes=128", "tp=8 pp=8", "last_stage_layers=14",
	  { "first_stage_layers=14" } },
	{ "61 layers on 16 stages", H100 M671B "nodes=256 global_batch_size=15360 recompute=full etp=1",
	  "tp=1 pp=16 ep=64", "last_stage_layers=1", { NULL } },
	{ "126 layers on 8 stages of 8 chunks", H100 M405B "nodes=128 vpp=8 global_batch_size=1024",
	  "tp=8 pp=8",
	  "account_for_embedding=true account_for_loss=true", { NULL } },
	{ "a TP near 4, from a file", H100 "nodes=1 tp=3 pp=1", "", "tp=4", { "tp=2" } },
	{ "a TP near 8, from a file", H100 "nodes=4 tp=6 pp=1", "", "tp=8", { "tp=4" } },
	{ "two wrong sizes at once", H100 "nodes=2", "tp=3 pp=7", NULL, { NULL } },
	{ "torchtitan, unsharded parameters", H100 M70B "nodes=8 layout=torchtitan zero_stage=1", "tp=1",
	  NULL, { NULL } },
	{ "deepspeed, ZeRO 3 with a pipeline", H100 "nodes=2 layout=deepspeed tp=2 pp=4", "zero_stage=3",
	  "pp=1", { "zero_stage=1" } },
	{ "a batch that no rank count divides", H100 "nodes=3 tp=2 pp=4", "global_batch_size=100",
	  NULL, { NULL } },
	{ "32 layers on 48 GPUs, in stages nearly alike", H100 "nodes=12 gpus_per_node=4", "",
	  "pp=3 account_for_loss=true", { "global_batch_size=48" } },
	{ "experts that EP does not divide", H100 M8X7B "nodes=4 tp=2 pp=2 etp=1", "ep=16", NULL, { NULL } },
	{ "experts that do not fit", H100 M8X7B "nodes=2 tp=1 pp=2 ep=2 etp=1", "micro_batch_size=4",
	  NULL, { NULL } },
	{ "671B on 2,048 GPUs, no recompute", H100 M671B "nodes=256 pp=16 ep=64 etp=1 "
	  "global_batch_size=2048 pipeline_layout=Et*4|(t*4|)*14t*1,L", "sequence_length=8192", NULL,
	  { "recompute=full" } },
	{ "a memory that is tight", H100 M405B "nodes=2048 pp=16 vpp=8 account_for_embedding=true "
	  "account_for_loss=true global_batch_size=2048 sequence_length=8192", "tp=8",
	  "cp=2", { "recompute=full" } },
	{ "a service whose weights do not fit", H100 M70B "mode=serve layout=vllm nodes=1 tp=1 pp=1", "",
	  NULL, { "tp=4" } },
	{ "a service with too little cache", H100 M70B "mode=serve layout=vllm nodes=1 tp=4 pp=1",
	  "concurrency=256", NULL, { NULL } },
	{ "experts of a service that do not fit", H100 M671B "mode=serve layout=vllm nodes=2 tp=8 pp=1",
	  "context_length=16384", NULL, { NULL } },
};

TEST(bad_plans)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct bad *b = &bad[i];
		const struct field_set asked = asked_of(b->asked);
		struct plan p = settings_plan(b->plan, b->asked);
		struct advice a, again;
		char text[128];

		estimate_run(estimate, &p, NULL, NULL);
		if (estimate_has_room(estimate))
			fail_msg("%s: nothing is wrong with it", b->name);
		advice_run(&a, &p, NULL, &asked, work);
		if (a.count == 0)
			fail_msg("%s: nothing is offered", b->name);
		changes_text(&a.mend[0], text, sizeof text);
		if (b->first != NULL && strcmp(text, b->first) != 0)
			fail_msg("%s: %s is first, not %s", b->name, text, b->first);
		for (size_t j = 0; j < 3 && b->also[j] != NULL; j++)
			if (!offers(&a, b->also[j]))
				fail_msg("%s: %s is not offered", b->name, b->also[j]);
		ranked(&a, estimate->legal);
		fixes_are_first(&a, &p, &asked);
		for (size_t m = 0; m < a.count; m++)
			holds(&a.mend[m], &p, &asked);
		assert_true(a.tried < 15000);
		memset(&again, 1, sizeof again);
		advice_run(&again, &p, NULL, &asked, work);
		assert_int_equal(again.count, a.count);
		for (size_t m = 0; m < a.count; m++)
			assert_memory_equal(again.mend[m].change, a.mend[m].change,
			    sizeof a.mend[m].change);
	}
}

/* Where the plan is well, or no change of two fields helps, nothing is offered. */
TEST(nothing_to_offer)
{
	struct plan p = settings_plan(H100, "nodes=2 tp=2 pp=4");
	struct advice a;

	advice_run(&a, &p, NULL, NULL, work);
	assert_int_equal(a.count, 0);
	p = settings_plan(H100 M405B, "nodes=1 gpus_per_node=1 hidden_size=262144 layers=4096");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && !estimate->fits);
	advice_run(&a, &p, NULL, NULL, work);
	assert_int_equal(a.count, 0);
	assert_true(a.tried > 1000);
	/* A GPU whose memory is not known holds whatever it is given. */
	p = settings_plan(M70B, "nodes=8 tp=8 pp=4");
	advice_run(&a, &p, NULL, NULL, work);
	assert_int_equal(a.count, 0);
}

/* ---- as diagnostics ------------------------------------------------------------------ */

static const struct diag *
diag_of(const struct diag_list *diags, const char *reason)
{
	for (size_t i = 0; i < diags->count; i++)
		if (strcmp(diags->item[i].reason, reason) == 0)
			return &diags->item[i];
	return NULL;
}

/* What does not fit says what takes most of the memory, and what mends it. */
TEST(noted)
{
	struct plan p = settings_plan(H100 M70B, "nodes=8 tp=8 pp=4 micro_batch_size=4 "
	    "sequence_length=8192");
	const struct field_set asked = asked_of("micro_batch_size=4 pp=4");
	const struct diag *d;
	struct advice a;
	char line[512];

	estimate_run(estimate, &p, NULL, NULL);
	advice_run(&a, &p, NULL, &asked, work);
	advice_note(&a, 2, &estimate->diags);
	d = diag_of(&estimate->diags, "does_not_fit");
	assert_non_null(d);
	diag_format(d, line, sizeof line);
	assert_non_null(strstr(line, ": activations 83.8 of "));
	assert_non_null(strstr(line, " GiB (fix: parallel."));
	d = diag_of(&estimate->diags, "would_mend");
	assert_non_null(d);
	assert_int_equal(d->severity, SEVERITY_HINT);
	assert_non_null(strstr(d->message, " s a step"));
	assert_int_equal(diag_count(&estimate->diags, SEVERITY_HINT), 2);

	p = settings_plan(H100 M405B, "nodes=128 tp=8 pp=8");
	estimate_run(estimate, &p, NULL, NULL);
	advice_run(&a, &p, NULL, NULL, work);
	advice_note(&a, ADVICE_MAX, &estimate->diags);
	for (size_t i = 0; i < a.count; i++)
		if (a.mend[i].changes == 2)
			return;
	diag_clear(&estimate->diags);
	a.mend[0] = (struct mend){ .changes = 2, .change = { { FIELD_TP, "2" }, { FIELD_PP, "1" } } };
	a.count = 1;
	advice_note(&a, 1, &estimate->diags);
	diag_format(&estimate->diags.item[0], line, sizeof line);
	assert_non_null(strstr(line, "(fix: parallel.tp=2 parallel.pp=1)"));
}

/* ---- hints --------------------------------------------------------------------------- */

/* The number of a plan that a hint is about, less is better. */
enum about { TIME, MEMORY, FIRST, ROOM, TOKENS };

static double
number_of(const struct plan *p, const struct estimate *e, enum about about)
{
	const struct serve *s = &e->serve;
	const double request = s->ttft_seconds + s->tpot_seconds * (double)p->serving.generate_tokens;

	switch (about) {
	case TIME:
		return e->served ? request : 1 / e->step.tokens_per_second_per_gpu;
	case MEMORY:
		return e->peak_total;
	case FIRST:
		return s->ttft_seconds;
	case ROOM:
		return -s->max_concurrency * (double)p->serving.replicas;
	default:
		return -s->tokens_per_second_per_gpu;
	}
}

/* The hint is given, and its change, made, gains what it takes to be given. */
static void
gains(const char *settings, const char *reason, const char *path, enum about about, double least)
{
	struct plan p = settings_plan(H100, settings);
	struct diag_list diags = { 0 };
	const struct diag *d;
	char err[256];
	double was, time, noise;

	estimate_run(estimate, &p, NULL, NULL);
	advice_hints(&p, NULL, estimate, work, &diags);
	assert_true(diags.count <= HINTS_MOST);
	d = diag_of(&diags, reason);
	if (d == NULL)
		fail_msg("%s: no hint %s", settings, reason);
	if (strcmp(field_table[d->fix_field].path, path) != 0)
		fail_msg("%s: %s is mended by %s", settings, reason, field_table[d->fix_field].path);
	assert_true(strlen(d->source) > 0);
	noise = estimate->served ? HINT_SERVE_LEAST : HINT_GAIN_LEAST;
	was = about == MEMORY ? estimate->capacity : fabs(number_of(&p, estimate, about));
	least = number_of(&p, estimate, about) - least * was;
	time = number_of(&p, estimate, TIME) * (about == TIME ? 1 : 1 + noise);
	assert_true(field_parse(d->fix_field, &p, d->fix_value, err, sizeof err));
	if (d->also_field != FIELD_NONE)
		assert_true(field_parse(d->also_field, &p, d->also_value, err, sizeof err));
	plan_resolve(&p, NULL);
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && estimate->fits);
	assert_true(number_of(&p, estimate, about) < least);
	assert_true(number_of(&p, estimate, TIME) < time);
}

static void
hinted(const char *settings, const char *reason, const char *path)
{
	gains(settings, reason, path, TIME, HINT_GAIN_LEAST);
}

TEST(hints)
{
	hinted("nodes=1 tp=8", "tp_more_than_needed", "parallel.tp");
	hinted("nodes=1 tp=8", "micro_batch_small", "training.micro_batch_size");
	hinted("nodes=1 tp=8 recompute=full", "recompute_not_needed", "training.recompute");
	hinted("nodes=4 tp=2 pp=8 global_batch_size=16", "pipeline_bubble", "parallel.pp");
	/* One micro-batch on each rank: fewer ranks of DP have more of them. */
	hinted(M70B "nodes=64 tp=2 pp=4 global_batch_size=64", "pipeline_bubble", "parallel.cp");
	hinted("nodes=8 tp=8 order=dp-cp-ep-tp-pp", "tp_over_network", "parallel.tp");
	gains("nodes=2 tp=4 zero_stage=0", "zero_off", "parallel.zero_stage", MEMORY, HINT_MEMORY_LEAST);
	gains("nodes=8 tp=8 sequence_length=65536 global_batch_size=64", "sequence_whole", "parallel.cp",
	    MEMORY, HINT_MEMORY_LEAST);
	hinted("nodes=16 tp=1 global_batch_size=128 overlap_grad_reduce=false overlap_param_gather=false",
	    "gradient_traffic", "training.overlap_grad_reduce");
	hinted(M8X7B "nodes=8 ep=8 etp=1 zero_stage=2 order=dp-cp-tp-ep-pp moe_ffn_hidden_size=2048",
	    "ep_over_network", "parallel.order");
	hinted("nodes=8 gpus_per_node=8 tp=4 cp=16 sequence_length=32768 global_batch_size=64",
	    "cp_over_network", "parallel.cp");
}

#define SERVE "mode=serve layout=vllm "

TEST(hints_of_serving)
{
	gains(SERVE "nodes=1 tp=1 concurrency=8", "tp_of_engine", "parallel.tp", TIME, HINT_SERVE_LEAST);
	gains(SERVE "nodes=1 tp=1 concurrency=8", "kv_cache_idle", "serving.concurrency", TOKENS,
	    HINT_TOKENS_LEAST);
	gains(SERVE "nodes=1 tp=1 replicas=8", "tp_of_engine", "parallel.tp", TIME, HINT_SERVE_LEAST);
	gains(SERVE M70B "nodes=2 tp=16", "tp_over_network", "parallel.tp", TIME, HINT_SERVE_LEAST);
	gains(SERVE M70B "nodes=1 tp=2 pp=4 concurrency=4", "stages_in_turn", "parallel.pp", TIME,
	    HINT_SERVE_LEAST);
	gains(SERVE M70B "nodes=1 tp=2 weight_dtype=nvfp4", "format_emulated", "serving.weight_dtype", TIME,
	    HINT_SERVE_LEAST);
	gains(SERVE "nodes=1 gpus_per_node=1 max_num_seqs=16 concurrency=64", "slots_short",
	    "serving.max_num_seqs", TIME, HINT_SERVE_LEAST);
	gains(SERVE M671B H200 "nodes=8 tp=8 dp_attention=true nic_gbps=50 weight_dtype=fp8 concurrency=512",
	    "ep_over_network", "serving.replicas", TIME, HINT_SERVE_LEAST);
	gains(SERVE M671B H200 "nodes=1 tp=8 weight_dtype=fp8", "latent_copied", "serving.dp_attention", TIME,
	    HINT_SERVE_LEAST);
	gains(SERVE M405B "nodes=2 tp=16 nvlink_domain=16", "kv_heads_copied",
	    "serving.dcp", ROOM, HINT_SERVE_LEAST);
}

/* What engines hold together against what all of them are asked for. */
TEST(room_of_replicas)
{
	static struct estimate e;
	size_t count;
	const struct hint_row *row = hint_rows_serve(&count);
	char text[128];

	while (count > 0 && !(strcmp(row->reason, "kv_heads_copied") == 0 && row->gain == HINT_ROOM))
		row++, count--;
	assert_true(count > 0);
	for (int replicas = 1; replicas <= 4; replicas *= 2) {
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, SERVE "tp=8 kv_heads=4 concurrency=64");
		p.serving.replicas = replicas;
		e.serve.max_concurrency = 1.9 * 64 / replicas; /* of an engine; below two times what is asked it is scarce */
		assert_true(row->poor(&p, &e, text, sizeof text));
		assert_string_equal(text, "TP 8 keeps 2 copies of each of 4 KV heads");
		e.serve.max_concurrency = 2.1 * 64 / replicas;
		assert_false(row->poor(&p, &e, text, sizeof text));
	}
}

/* Of 16 engines so many prefill. */
static void
put_pools(char settings[512], int prefill)
{
	text_put(settings, 512, SERVE M70B "nodes=8 tp=4 weight_dtype=fp8 concurrency=256 "
	    "prompt_tokens=4096 generate_tokens=512 context_length=8192 prefill_workers=%dxtp4 "
	    "replicas=%d", prefill, 16 - prefill);
}

/* No other number of workers serves a request sooner than the one that the hint finds. */
TEST(hint_of_pools)
{
	static const int own[] = { 1, 4, 14 };
	double seconds[16], best = INFINITY;
	int best_at = 0;

	for (int n = 1; n < 16; n++) {
		char settings[512];
		struct plan p;

		put_pools(settings, n);
		p = settings_plan(H100, settings);
		estimate_run(estimate, &p, NULL, NULL);
		seconds[n] = number_of(&p, estimate, TIME);
		if (seconds[n] < best) {
			best = seconds[n];
			best_at = n;
		}
	}
	assert_true(best_at > 4 && best_at < 14);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		struct diag_list diags = { 0 };
		const struct diag *d;
		char settings[512];
		struct plan p;

		put_pools(settings, own[i]);
		gains(settings, "pools_unbalanced", "serving.prefill_workers", TIME, HINT_SERVE_LEAST);
		p = settings_plan(H100, settings);
		estimate_run(estimate, &p, NULL, NULL);
		advice_hints(&p, NULL, estimate, work, &diags);
		d = diag_of(&diags, "pools_unbalanced");
		assert_true(seconds[atoi(d->fix_value)] < best * 1.01);
		if (d->also_value[0] != '\0') /* else it follows */
			assert_int_equal(atoi(d->also_value), 16 - atoi(d->fix_value));
		assert_non_null(strstr(d->message, i < 2 ? "100 % used" : "is only "));
	}
}

/* A pair keeps the GPUs of an engine, or all of them. */
TEST(hint_of_two)
{
	const struct plan p = settings_plan(H100 SERVE "nodes=1 tp=1 replicas=8", "");
	struct diag_list diags = { 0 };
	const struct diag *d;

	estimate_run(estimate, &p, NULL, NULL);
	advice_hints(&p, NULL, estimate, work, &diags);
	d = diag_of(&diags, "tp_of_engine");
	assert_non_null(d);
	assert_int_equal(d->also_field, FIELD_REPLICAS);
	assert_int_equal(atoi(d->fix_value) * atoi(d->also_value), 8);
}

/* Mixed precision keeps copies in 32 bits: with few activations fp32 takes less, with many more. */
TEST(mixed)
{
	static const struct {
		const char *settings;
		bool told;
	} cases[] = {
		{ "layout=deepspeed zero_stage=0 nodes=1 layers=8 sequence_length=128", true },
		{ "layout=deepspeed zero_stage=0 nodes=1 layers=8 sequence_length=8192", false },
		{ "layout=deepspeed zero_stage=0 nodes=1 layers=8 sequence_length=128 precision=fp32", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct plan p = settings_plan(H100, cases[i].settings);
		struct diag_list diags = { 0 };

		estimate_run(estimate, &p, NULL, NULL);
		assert_true(estimate->fits);
		advice_hints(&p, NULL, estimate, work, &diags);
		if ((diag_of(&diags, "mixed_saves_nothing") != NULL) != cases[i].told)
			fail_msg("%s", cases[i].settings);
	}
}

/* A plan that is well done has none; nor has one that does not run, or whose GPU's rates are
 * not known. */
TEST(no_hints)
{
	static const char *const settings[] = {
		H100 "nodes=1 tp=1 pp=1", H100 "nodes=2 tp=3", H100 M70B "nodes=1", "nodes=1 tp=8",
		H100 SERVE M70B "nodes=1 tp=8", SERVE "nodes=1 tp=8",
		H100 SERVE M70B "nodes=1 tp=1",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct plan p = settings_plan(settings[i], "");
		struct diag_list diags = { 0 };

		estimate_run(estimate, &p, NULL, NULL);
		advice_hints(&p, NULL, estimate, work, &diags);
		if (diags.count > 0)
			fail_msg("%s: %s", settings[i], diags.item[0].message);
	}
}

int
main(void)
{
	int failed;

	work = malloc(sizeof *work);
	estimate = malloc(sizeof *estimate);
	if (work == NULL || estimate == NULL)
		return 99;
	failed = unit_run(NULL, NULL);
	free(work);
	free(estimate);
	return failed;
}
