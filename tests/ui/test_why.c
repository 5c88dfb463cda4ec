/*
 * test_why.c - the why view of every number: its terms add up to what the screen shows, each
 * with a formula in figures and a source.
 */
#include "support.h"

#include <math.h>

#include "core/base/units.h"
#include "core/model/kv.h"
#include "ui/list/list.h"
#include "ui/list/rows.h"
#include "ui/pane/figures.h"

#define GPU "generation=hopper fabric=nvlink4 bf16_tflops=989 fp8_tflops=1979 hbm_gbps=3350 nvlink_gbps=450 nodes=8 "
#define MOE "experts=64 experts_per_token=6 moe_ffn_hidden_size=1408 "
#define MLA "attention=mla q_lora_rank=1536 kv_lora_rank=512 qk_nope_head_dim=128 " \
	"qk_rope_head_dim=64 v_head_dim=128 "
#define SERVE "mode=serve layout=vllm pp=1 nodes=1 "

static const char *const trained[] = {
	"pp=4 vpp=2", "tp=8 pp=1 sequence_parallel=false optimizer=muon",
	"tp=1 pp=1 zero_stage=3", "layout=torchtitan tp=2 pp=1 zero_stage=3 dp_replicate=2",
	"layout=nanotron tp=2 pp=2", "cp=4 cp_comm=allgather recompute=full",
	"cp=8 pp=2 cp_comm=a2a+p2p hierarchical_cp=2x4", "pp=4 vpp=2 schedule=zb-v",
	"pp=4 dp_replicate=2 precision=fp8 recompute=selective",
	MOE "tp=2 pp=4 ep=8 etp=1 vpp=4", MOE MLA "tp=2 pp=2 cp=2 ep=4 etp=1 schedule=zb-1p",
	"pp=8 schedule=dualpipe global_batch_size=256", "tp=2 pp=4 tied_embeddings=true",
};

static const char *const served[] = {
	SERVE "tp=8", SERVE "engine=sglang tp=4", SERVE "engine=trtllm tp=4 replicas=2",
	SERVE "nodes=2 tp=8 pp=2 weight_dtype=fp8 " MOE MLA,
	SERVE "engine=sglang nodes=2 tp=8 weight_dtype=fp8 dp_attention=true " MOE MLA,
};

static struct session *
session_of(void **test, const char *settings)
{
	struct session *s = session_new(test, 120, 40);
	char text[512], line[160];

	snprintf(text, sizeof text, GPU "%s", settings);
	for (char *w = strtok(text, " "); w != NULL; w = strtok(NULL, " ")) {
		snprintf(line, sizeof line, "set %s", w);
		line[4 + strcspn(w, "=")] = ' ';
		app_command(&s->state, line);
	}
	if (!s->state.estimate->legal || !(s->state.estimate->timed || s->state.estimate->served))
		fail_msg("%s: not legal", settings);
	return s;
}

static double
sum_of(const struct state *s, enum quantity q)
{
	double sum = 0;

	for (size_t i = 0; i < s->why.terms; i++)
		sum += s->why.term[i].quantity == q ? s->why.term[i].value : 0;
	return sum;
}

static void
same(const char *settings, const char *what, double have, double want)
{
	if (!(fabs(have - want) <= 1e-6 * fabs(want) + 1e-9))
		fail_msg("%s: %s is %.9g, its terms %.9g", settings, what, want, have);
}

/* The first line of the list that begins so. */
static const char *
line_of(const struct rows *rows, const char *begin)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strncmp(rows->row[i].text, begin, strlen(begin)) == 0)
			return rows->row[i].text + strlen(begin);
	return NULL;
}

/* Every term says what it is made of, in figures, and where that is from. */
static void
check_terms(const struct state *s)
{
	assert_true(s->why.terms < STATE_TERMS);
	for (size_t i = 0; i < s->why.terms; i++) {
		const struct ledger_term *t = &s->why.term[i];

		assert_true(isfinite(t->value) && t->name[0] != '\0' && t->source[0] != '\0');
		if (strpbrk(t->formula, "0123456789") == NULL ||
		    strlen(t->formula) >= sizeof t->formula - 1)
			fail_msg("%s: %s", t->name, t->formula);
	}
}

static void
check_memory(struct session *session, const char *settings)
{
	struct state *s = &session->state;

	for (s->stage.at = 0; s->stage.at < s->estimate->stages; s->stage.at++) {
		const struct memory *m = &s->estimate->stage[s->stage.at].memory;

		type(session, ":why\r");
		assert_int_equal(s->list.kind, LIST_WHY);
		check_terms(s);
		same(settings, "parameters", sum_of(s, QUANTITY_PARAMETERS), m->parameters);
		if (s->estimate->timed) {
			same(settings, "gradients", sum_of(s, QUANTITY_GRADIENTS), m->gradients);
			same(settings, "optimizer", sum_of(s, QUANTITY_OPTIMIZER), m->optimizer);
			same(settings, "activations", sum_of(s, QUANTITY_ACTIVATIONS), m->activations);
			same(settings, "logits", sum_of(s, QUANTITY_LOGITS), m->logits);
			same(settings, "buffers", sum_of(s, QUANTITY_BUFFERS), m->buffers);
			same(settings, "overhead", sum_of(s, QUANTITY_OVERHEAD), m->overhead);
		}
		key(session, INPUT_ESCAPE);
	}
	s->stage.at = 0;
}

/* A row's heading has the amount of the row. */
static void
check_flows(struct session *session, const char *settings)
{
	struct state *s = &session->state;
	char want[UNITS_SIZE];

	app_command(s, "next-pane traffic");
	for (size_t i = 0; i < s->estimate->traffic.count; i++) {
		const struct traffic_row *row = &s->estimate->traffic.row[i];
		struct rows rows;
		const char *heading;

		s->flow.at = (int)i;
		type(session, "\r");
		check_terms(s);
		list_rows(&rows, s, 200);
		heading = line_of(&rows, "communication.bytes: ");
		units_short(want, sizeof want, MEASURE_WIRE, row->bytes);
		if (heading == NULL || strncmp(heading, want, strlen(want)) != 0 ||
		    strstr(heading, " of all") != NULL)
			fail_msg("%s: %s %s is %s, not %s", settings, traffic_dim_name(row->dim), row->collective, want,
			    heading != NULL ? heading : "explained");
		rows_free(&rows);
		key(session, INPUT_ESCAPE);
	}
}

/* A figure is the sum of its terms, or a formula tells how it follows. */
static void
check_figure(const struct state *s, enum result_id id, const char *settings)
{
	const struct made_of *made = result_table[id].made;
	char want[UNITS_SIZE], formula[160];
	const char *heading;
	struct rows rows;

	figures_format(id, s->estimate, want, sizeof want);
	result_formula(id, &s->plan, s->estimate, 0, formula, sizeof formula);
	list_rows(&rows, s, 200);
	if (formula[0] != '\0') {
		assert_non_null(line_of(&rows, "= "));
	} else if (strncmp(want, "0 ", 2) != 0) { /* what there is none of has no terms */
		assert_true(made->quantity != QUANTITY_COUNT);
		heading = line_of(&rows, result_table[result_of_quantity(made->quantity)].path);
		heading = heading != NULL ? strstr(heading, ": ") : NULL;
		if (heading == NULL || strncmp(heading + 2, want, strlen(want)) != 0)
			fail_msg("%s: %s is %s, not %s", settings, result_table[id].path, want,
			    heading != NULL ? heading : "explained");
	}
	rows_free(&rows);
}

static void
check_figures(struct session *session, const char *settings)
{
	struct state *s = &session->state;

	app_command(s, "next-pane step");
	for (s->figure.at = 0; figures_at(s->estimate, (int)s->figure.at) != RESULT_COUNT;
	    s->figure.at++) {
		const enum result_id id = figures_at(s->estimate, (int)s->figure.at);

		type(session, "\r");
		check_terms(s);
		check_figure(s, id, settings);
		key(session, INPUT_ESCAPE);
	}
}

/* Ratios follow from the amounts that their formulas name. */
static void
check_ratios(struct session *session, const char *settings)
{
	const struct estimate *e = session->state.estimate;
	const struct steptime *t = &e->step;
	const double could = t->seconds * (double)e->world * machine_of(&session->state.plan).peak;

	session->state.figure.at = 0;
	while (figures_at(e, (int)session->state.figure.at) != RESULT_MFU)
		session->state.figure.at++;
	type(session, "\r");
	same(settings, "FLOP of the model", sum_of(&session->state, QUANTITY_FLOPS), t->model_flops);
	key(session, INPUT_ESCAPE);
	same(settings, "MFU", t->model_flops / could, t->mfu);
	same(settings, "MFU full", t->full_flops / could, t->mfu_full);
	same(settings, "HFU", t->hardware_flops / could, t->hfu);
	assert_true(t->model_flops <= t->hardware_flops && t->model_flops <= t->full_flops);
	same(settings, "bubble", t->bubble_seconds / t->seconds, t->bubble_fraction);
}

SESSION_TEST(test_training)
{
	for (size_t i = 0; i < COUNT(trained); i++) {
		struct session *s = session_of(test, trained[i]);

		check_memory(s, trained[i]);
		check_flows(s, trained[i]);
		check_figures(s, trained[i]);
		check_ratios(s, trained[i]);
	}
}

/* The stage that is tightest holds what the engine's figures say. */
static void
check_pool(const struct session *s, const char *settings)
{
	const struct estimate *e = s->state.estimate;
	const struct plan *p = &s->state.plan;
	const struct serve *f = &e->serve;
	const double generated = (double)p->serving.generate_tokens;

	same(settings, "memory of the fullest stage", f->weight_bytes + f->non_torch_bytes +
	    f->activation_bytes + f->graph_bytes + f->kv_pool_bytes, e->peak_total);
	same(settings, "tokens a second", f->running * generated / (f->ttft_seconds +
	    generated * f->tpot_seconds), f->tokens_per_second);
	same(settings, "transfer", (double)p->serving.prompt_tokens * kv_model_bytes(p) /
	    f->transfer_rate, f->transfer_seconds);
}

SESSION_TEST(test_serving)
{
	for (size_t i = 0; i < COUNT(served); i++) {
		struct session *s = session_of(test, served[i]);

		check_memory(s, served[i]);
		check_figures(s, served[i]);
		check_pool(s, served[i]);
	}
}

/* What activations are multiplied by; and what a stage of an engine holds. */
SESSION_TEST(test_stage)
{
	struct session *s = session_of(test, "pp=4");

	type(s, ":why\r");
	assert_true(shows(s, "micro-batches in flight: 4 = least(m, PP - r)"));
	s = session_of(test, SERVE "nodes=2 tp=8 pp=2");
	type(s, ":why\r");
	assert_true(shows(s, "= parameters ") && shows(s, " + KV cache "));
	assert_true(shows(s, "serving.memory_bytes of stage "));
}

/* Where phases have the traffic's place, traffic that one goes to is explained all the same. */
SESSION_TEST(test_traffic_beside_phases)
{
	struct session *s = session_of(test, "pp=4 rl.algorithm=grpo");

	assert_true(s->state.estimate->reinforced);
	type(s, ":inspect 0\r/tp all-gather\r\r");
	assert_true(shows(s, "why: traffic of tp all-gather"));
	assert_true(shows(s, "communication.bytes: "));
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
