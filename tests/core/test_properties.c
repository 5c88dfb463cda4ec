/*
 * test_properties.c - what holds for every plan: sums of parts are totals, more ranks never
 * take more memory each but for terms that are named here, and what stages send is what stages
 * receive (of groups: test_link.c). That the quick estimate says the same: test_scope.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/estimate.h"
#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "explained.h"
#include "settings.h"
#include "share.h"
#include "../torture/random.h"

enum { TERMS = 4096 };

static struct estimate *whole;
static struct ledger_term terms[TERMS];
static struct ledger ledger;

/* ---- random plans ------------------------------------------------------------------- */

static struct dice dice;

/* The next random plan that is legal, estimated. */
static struct plan
next_legal(void)
{
	for (;;) {
		struct plan p = random_plan(&dice);

		estimate_run(whole, &p, NULL, NULL);
		if (whole->legal)
			return p;
	}
}

/* All terms of a plan. */
static void
note_all(const struct plan *p)
{
	ledger_init(&ledger, terms, TERMS);
	estimate_run(whole, p, NULL, &ledger);
	assert_true(ledger.count <= TERMS);
}

/* The terms of the memory of the plan last estimated. */
static void
note_memory(const struct plan *p)
{
	ledger_init(&ledger, terms, TERMS);
	for (int64_t s = 0; s < whole->stages; s++) {
		ledger.stage = (int32_t)s;
		memory_stage(p, &whole->layout, &whole->placement, whole->microbatches, s, &ledger);
	}
	assert_true(ledger.count <= TERMS);
}

static void
near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}

/* ---- sums --------------------------------------------------------------------------- */

static double
noted(enum quantity q, int64_t stage)
{
	double sum = 0;

	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == q && (stage < -1 || terms[i].stage == stage))
			sum += terms[i].value;
	return sum;
}

/* Terms add up to what they are terms of, and to what they explain; parts of the memory to the
 * whole of it. */
TEST(terms_are_sums)
{
	char why[256];

	dice.state = 2;
	for (int i = 0; i < share_of(1000); i++) {
		const struct plan p = next_legal();
		double bytes = 0, seconds = 0;

		note_all(&p);
		if (!explained_all(&p, whole, &ledger, why, sizeof why))
			fail_msg("%s", why);
		near(noted(QUANTITY_PARAMS_TOTAL, -1), whole->params.total);
		for (int64_t s = 0; s < whole->stages; s++) {
			const struct memory *m = &whole->stage[s].memory;

			near(noted(QUANTITY_PARAMS_GPU, s), whole->stage[s].params);
			near(noted(QUANTITY_PARAMETERS, s), m->parameters);
			near(noted(QUANTITY_GRADIENTS, s), m->gradients);
			near(noted(QUANTITY_OPTIMIZER, s), m->optimizer);
			near(noted(QUANTITY_ACTIVATIONS, s), m->activations);
			near(noted(QUANTITY_LOGITS, s) + noted(QUANTITY_BUFFERS, s),
			    m->logits + m->buffers);
			near(noted(QUANTITY_OVERHEAD, s), m->overhead);
			near(m->total, m->parameters + m->gradients + m->optimizer + m->activations +
			    m->logits + m->buffers + m->overhead);
			assert_true(m->overhead_low <= m->overhead && m->overhead <= m->overhead_high);
		}
		for (size_t r = 0; r < whole->traffic.count; r++) {
			bytes += whole->traffic.row[r].bytes;
			seconds += whole->traffic.row[r].seconds;
		}
		near(noted(QUANTITY_TRAFFIC, -2), bytes);
		near(noted(QUANTITY_TRAFFIC_SECONDS, -2), seconds);
		near(noted(QUANTITY_EXPOSED, -2), traffic_exposed(&whole->traffic));
		near(noted(QUANTITY_STEP, -2), whole->step.seconds);
		near((double)whole->microbatches * (noted(QUANTITY_FORWARD, -2) +
		    noted(QUANTITY_BACKWARD, -2)), whole->step.compute_seconds);
		near((double)whole->microbatches * noted(QUANTITY_RECOMPUTE, -2),
		    whole->step.recompute_seconds);
	}
}

/*
 * Without TP and EP the stages hold the model: layers, embedding and head once, but for the
 * copies of the embedding that a tied head and an MTP layer on another rank need. With
 * DualPipe everything twice. 32-bit weights and gradients take 4 bytes of each parameter.
 */
TEST(stages_are_the_model)
{
	int doubled = 0;

	dice.state = 3;
	for (int i = 0; i < share_of(1000);) {
		struct plan p = next_legal();
		const double copies = p.training.schedule == SCHEDULE_DUALPIPE && p.parallel.pp > 1 ? 2 : 1;
		double params = 0, extra = 0, bytes = 0, gradients = 0;
		int64_t layers = 0;

		if (p.parallel.tp > 1 || p.parallel.ep > 1 || p.parallel.layout == LAYOUT_TORCHTITAN)
			continue;
		p.model.vocab_multiple = 1;
		p.training.precision = PRECISION_FP32;
		p.training.grad_dtype = GRAD_FP32;
		p.parallel.zero_stage = 0;
		p.parallel.dp_replicate = 1;
		p.parallel.offload = OFFLOAD_NONE;
		p.training.fp8_param_gather = 0;
		estimate_run(whole, &p, NULL, NULL);
		for (int64_t s = 0; s < whole->stages; s++) {
			const struct rank_layers r = params_rank(&p, &whole->placement, s);

			layers += whole->stage[s].layers;
			params += whole->stage[s].params;
			bytes += whole->stage[s].memory.parameters;
			gradients += whole->stage[s].memory.gradients;
			if (p.model.tied_embeddings && r.loss && !r.embedding)
				extra += whole->params.embedding;
			if (r.mtp > 0 && r.pipelined && !r.embedding)
				extra += whole->params.embedding;
		}
		assert_int_equal(layers, p.model.layers);
		near(params, copies * (whole->params.total + (framework_mtp_layers(&p) > 0 ? whole->params.mtp : 0)) + extra);
		near(bytes, 4 * params);
		near(gradients, 4 * params);
		doubled += copies > 1;
		i++;
	}
	assert_true(doubled > share_of(20));
}

/* ---- more ranks, less memory -------------------------------------------------------- */

/*
 * Terms that may grow with TP: a communicator more; the head's input gathered by sequence
 * parallelism; shapes of weights that were alike and no longer are; an expert's share of the
 * tokens, which ETP sends to twice the ranks, with what goes round it. KV heads that do not
 * divide are repeated, which adds up to what they were.
 */
static const char *const tp_grows[] = { "NCCL", "gradient of the head's input",
	"dummy weight gradients", NULL };

/* With PP: a communicator, and what the first stage keeps of each micro-batch in flight. */
static const char *const pp_grows[] = { "NCCL", "token ids and embedding dropout", NULL };

/* With the ZeRO stage: what it gathers or keeps until it is reduced. */
static const char *const zero_grows[] = { "gathered weights",
	"gathered weights of routed experts", "gathered weights of layers",
	"gathered weights of the head", "gathered embedding and head",
	"blocks of layers that were gathered", "gradients of layers before they are reduced",
	"gradient bucket", NULL };

/* With DP: the first communicator. */
static const char *const dp_grows[] = { "NCCL", NULL };

/* With recompute: what a layer fills again, where so few are in flight that it is most of them. */
static const char *const again_grows[] = { "layers filled again by recompute",
	"layer inputs on their way to the host", NULL };

static bool
is_named(const char *name, const char *const names[])
{
	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Bytes of the fullest stage of the plan last estimated without these terms, and without
 * fragmentation, which is a share of the others. */
static double
peak_without(const char *const names[])
{
	double most = 0;

	for (int64_t s = 0; s < whole->stages; s++) {
		double sum = 0;

		for (size_t i = 0; i < ledger.count; i++) {
			const struct ledger_term *t = &terms[i];

			if (t->stage == s && t->quantity >= QUANTITY_PARAMETERS &&
			    t->quantity <= QUANTITY_OVERHEAD && strcmp(t->name, "fragmentation") != 0 &&
			    !is_named(t->name, names))
				sum += t->value;
		}
		most = fmax(most, sum);
	}
	return most;
}

static const char *const nothing[] = { NULL };

/* Plan q has more ranks than p for the same work: its peak less the named terms is no
 * larger. True when q is legal. */
static bool
no_larger(const struct plan *p, struct plan *q, const char *const names[])
{
	double before, after;

	note_memory(p);
	before = peak_without(nothing);
	plan_resolve(q, defaults_catalog());
	estimate_run(whole, q, NULL, NULL);
	if (!whole->legal)
		return false;
	note_memory(q);
	after = peak_without(names);
	if (after > before * (1 + 1e-12))
		fail_msg("%.10g grows to %.10g: layout %d tp %d pp %d zero %d schedule %d vpp %d "
		    "kernels %d recompute %d method %d tuned %d offload %d/%d",
		    before, after, (int)p->parallel.layout, (int)p->parallel.tp, (int)p->parallel.pp,
		    (int)p->parallel.zero_stage, (int)p->training.schedule, (int)p->parallel.vpp,
		    (int)p->finetune.kernels, (int)p->training.recompute, (int)p->training.recompute_method,
		    (int)p->finetune.method, (int)p->parallel.offload, (int)p->training.offload_layers);
	return true;
}

/* DP stays: there are twice the GPUs. */
TEST(tp_takes_no_more)
{
	int tried = 0;

	dice.state = 4;
	for (int i = 0; i < share_of(2000); i++) {
		struct plan p = next_legal(), q = p;

		settings_int(&q, FIELD_TP, 2 * p.parallel.tp);
		settings_int(&q, FIELD_NODES, 2 * p.cluster.nodes);
		tried += no_larger(&p, &q, tp_grows);
	}
	print_message("%d pairs\n", tried);
	assert_true(tried > share_of(1000));
}

/*
 * DP stays. Schedules that hold more micro-batches the longer the pipeline is are left out:
 * interleaving, whose warm-up is (VPP - 1)*PP chunks longer; from one stage to two all but
 * 1F1B; layers that do not divide, of which the first stages get more; torchtitan and
 * nanotron, which count embedding and head, or their cost, as layers; layers that differ
 * (dense before MoE, windows), of which a later stage may hold more of the larger kind;
 * MTP layers of a last stage that holds PP micro-batches, as in zero bubble schedules.
 */
TEST(pp_takes_no_more)
{
	int tried = 0;

	dice.state = 5;
	for (int i = 0; i < share_of(2700); i++) {
		struct plan p = next_legal(), q = p;
		const struct layer_kinds k = params_kinds(&p.model, 0, p.model.layers);

		if ((k.moe > 0 && k.dense > 0) || (k.local > 0 && k.global > 0) ||
		    p.model.layer_pattern[0] != '\0' ||
		    p.parallel.layout == LAYOUT_TORCHTITAN ||
		    p.parallel.layout == LAYOUT_NANOTRON || p.parallel.vpp > 1 ||
		    p.model.layers % (2 * p.parallel.pp) != 0 ||
		    ((p.parallel.pp == 1 || p.model.mtp_layers > 0) &&
		    p.training.schedule != SCHEDULE_1F1B) ||
		    p.parallel.first_stage_layers > 0 || p.parallel.last_stage_layers > 0)
			continue;
		settings_int(&q, FIELD_PP, 2 * p.parallel.pp);
		settings_int(&q, FIELD_NODES, 2 * p.cluster.nodes);
		tried += no_larger(&p, &q, pp_grows);
	}
	print_message("%d pairs\n", tried);
	assert_true(tried > share_of(500));
}

TEST(zero_takes_no_more)
{
	int tried = 0;

	dice.state = 6;
	for (int i = 0; i < share_of(2000); i++) {
		struct plan p = next_legal(), q = p;

		if (p.parallel.zero_stage == 3)
			continue;
		settings_int(&q, FIELD_ZERO_STAGE, p.parallel.zero_stage + 1);
		tried += no_larger(&p, &q, zero_grows);
	}
	print_message("%d pairs\n", tried);
	assert_true(tried > share_of(1000));
}

/* ---- more of what saves memory ------------------------------------------------------ */

/* The next legal one, every other fine-tuned, where that is legal, and some with layers whose
 * activations are on the host. */
static struct plan
next_tuned(void)
{
	struct plan p = next_legal(), q = p;

	if (dice_rarely(&dice, 2))
		random_tuning(&dice, &q);
	if (dice_rarely(&dice, 2))
		settings_int(&q, FIELD_OFFLOAD_LAYERS, dice_below(&dice, p.model.layers + 2));
	plan_resolve(&q, defaults_catalog());
	estimate_run(whole, &q, NULL, NULL);
	return whole->legal ? q : next_tuned();
}

/* Takes no more with the field one step up, less the terms that say how much comes and goes. */
static void
more_takes_no_more(enum field_id f, int64_t most, int64_t step, const char *const names[])
{
	int tried = 0;

	for (int i = 0; i < share_of(2000); i++) {
		struct plan p = next_tuned(), q = p;

		/* by blocks full recompute is of fewer layers than selective */
		if (field_int(f, &p) >= most || (f == FIELD_RECOMPUTE &&
		    p.training.recompute_method == RECOMPUTE_BLOCK))
			continue;
		settings_int(&q, f, field_int(f, &p) + step);
		tried += no_larger(&p, &q, names);
	}
	print_message("%s: %d pairs\n", field_table[f].path, tried);
	assert_true(tried > share_of(200));
}

/* Twice the ranks that share a state, each with as many micro-batches. */
TEST(dp_takes_no_more)
{
	int tried = 0;

	dice.state = 11;
	for (int i = 0; i < share_of(2000); i++) {
		struct plan p = next_tuned(), q = p;

		settings_int(&q, FIELD_NODES, 2 * p.cluster.nodes);
		settings_int(&q, FIELD_GLOBAL_BATCH_SIZE, 2 * p.training.global_batch_size);
		tried += no_larger(&p, &q, dp_grows);
	}
	print_message("%d pairs\n", tried);
	assert_true(tried > share_of(1000));
}

TEST(savings_save)
{
	dice.state = 10;
	more_takes_no_more(FIELD_OFFLOAD_LAYERS, 4096, 1, nothing);
	more_takes_no_more(FIELD_OFFLOAD_LAYERS, 4096, 7, nothing);
	more_takes_no_more(FIELD_OFFLOAD, OFFLOAD_OPTIMIZER_PARAMS, 1, nothing);
	more_takes_no_more(FIELD_RECOMPUTE, RECOMPUTE_FULL, 1, again_grows);
	more_takes_no_more(FIELD_ZERO_STAGE, 3, 1, zero_grows);
}

/* ---- one stage ---------------------------------------------------------------------- */

/* Without a pipeline there is nothing to schedule. */
TEST(one_stage_has_no_schedule)
{
	int tried = 0;

	dice.state = 9;
	for (int i = 0; i < share_of(1000); i++) {
		struct plan p = next_legal();

		if (p.parallel.pp > 1)
			continue;
		for (int64_t s = SCHEDULE_GPIPE; s <= SCHEDULE_DUALPIPEV; s++) {
			const double seconds = whole->step.seconds, peak = whole->peak_total;

			settings_int(&p, FIELD_SCHEDULE, s);
			estimate_run(whole, &p, NULL, NULL);
			assert_true(whole->legal);
			near(whole->step.seconds, seconds);
			near(whole->peak_total, peak);
			tried++;
		}
	}
	assert_true(tried > share_of(1000));
}

/* ---- what is sent is received ------------------------------------------------------- */

/* A stage of many sends each micro-batch on and its gradient back, and receives as many:
 * those that its neighbours send. Of two stages each sends half of what there is. Where the
 * chunks fold back, the last rank keeps what goes from its first one to its second. */
TEST(pipeline_is_closed)
{
	int tried = 0;

	dice.state = 7;
	for (int i = 0; i < share_of(1000); i++) {
		struct plan p = next_legal();
		const double n = (double)p.parallel.pp, v = (double)whole->placement.vpp;
		const int folds = placement_chunk(&whole->placement, 0, whole->placement.vpp - 1)->loss;
		const double boundaries = 2 * (n * v - 1 - folds) * (double)whole->microbatches;
		double calls = 0;

		if (p.parallel.pp < 2 || whole->microbatches < 1)
			continue;
		for (size_t r = 0; r < whole->traffic.count; r++)
			if (whole->traffic.row[r].dim == TRAFFIC_PP)
				calls += whole->traffic.row[r].calls;
		if (n > 2) /* the first and the last stage have one boundary less each */
			near(n * calls - 2 * (1 + folds) * (double)whole->microbatches, boundaries);
		else
			near(n * calls, boundaries);
		tried++;
	}
	assert_true(tried > share_of(500));
}

/* ---- names of terms ------------------------------------------------------------------- */

/* Terms of traffic begin with their dimension, so that a list of them can be read alone. */
TEST(traffic_is_named)
{
	dice.state = 8;
	for (int i = 0; i < share_of(2000); i++) {
		const struct plan p = next_legal();

		note_all(&p);
		for (size_t k = 0; k < ledger.count; k++) {
			const struct ledger_term *t = &terms[k];
			size_t n = strspn(t->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

			if (t->quantity != QUANTITY_TRAFFIC)
				continue;
			if (n < 2 || t->name[n] != ' ')
				fail_msg("\"%s\" does not begin with a dimension", t->name);
			for (size_t c = 0; c < n; c++)
				assert_int_equal(t->name[c] - 'A' + 'a', t->formula[c]);
		}
	}
}

static int
allocate(void **state)
{
	(void)state;
	whole = calloc(1, sizeof *whole);
	return whole == NULL ? -1 : 0;
}

static int
release(void **state)
{
	(void)state;
	free(whole);
	return 0;
}

int
main(void)
{
	return unit_run(allocate, release);
}
