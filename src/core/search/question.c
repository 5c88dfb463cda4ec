#include "core/search/question.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/model/flops.h"
#include "core/plan/field.h"
#include "core/plan/format.h"
#include "core/plan/nodes.h"
#include "core/plan/words.h"

enum {
	NODES_EACH = 64,     /* so many are tried one by one, more in steps of a sixteenth, */
	NODES_TIMES = 4,     /* up to so many times the least: an MFU of a quarter */
	REQUESTS_MOST = 1024,
	RECENT = 200,        /* months as 202411 counts them: two years */
};

static int
refuse_question(char *err, const char *reason)
{
	text_put(err, QUESTION_SIZE, "%s", reason);
	return -1;
}

/* A token budget that was said is freed to that one value. False with the reason where nobody says how
 * long the run is. */
static bool
put_budget(const struct plan *p, double said, double *tokens, char *options, char *err)
{
	if (said > 0)
		text_add(options, QUESTION_SIZE, " free=training.token_budget=%.10g", said / 1e9);
	*tokens = said > 0 ? said : p->training.token_budget * 1e9;
	if (*tokens > 0)
		return true;
	refuse_question(err, "how long is the run? Say its tokens, such as 15T");
	return false;
}

/* FLOP/s of a GPU that no plan of this format goes beyond; 0 where not known. */
static double
peak_rate(const struct plan *p)
{
	const struct cluster *c = &p->cluster;

	return 1e12 * (format_of(p).quantised ? larger(c->bf16_tflops, larger(c->fp8_tflops,
	    c->fp4_tflops)) : c->bf16_tflops);
}

/* Numbers of nodes up to the last one, each while there are few, then a part of a doubling apart. */
static void
put_apart(int64_t from, int64_t most, int64_t parts, char *options)
{
	int64_t step = 1;

	text_add(options, QUESTION_SIZE, " free=cluster.nodes=");
	for (int64_t n = from; n < most; n = (n / step + 1) * step) {
		while (n >= parts * step)
			step *= 2;
		text_add(options, QUESTION_SIZE, "%lld,", (long long)n);
	}
	text_add(options, QUESTION_SIZE, "%lld", (long long)most);
}

/* Nodes from one number to another: each, of many those a sixteenth apart, and the last. */
static void
put_nodes(int64_t from, int64_t most, char *options)
{
	if (most <= 2 * NODES_EACH)
		text_add(options, QUESTION_SIZE, " free=cluster.nodes=%lld..%lld", (long long)from, (long long)most);
	else
		put_apart(from, most, NODES_EACH / 2, options);
}

/* From `least` on, as far as anybody asks. */
static void
put_nodes_from(double least, char *options)
{
	const int64_t from = least > 1 ? (int64_t)ceil(least) : 1;

	put_nodes(from, NODES_TIMES * from > NODES_EACH ? NODES_TIMES * from : NODES_EACH, options);
}

/* Each takes what it needs of a plan p, the catalogue, the day and its words. */
#define ASK(name) static int ask_##name(MAYBE const struct plan *p, MAYBE const struct catalog *catalog, \
    MAYBE int64_t today, MAYBE const char *const *word, MAYBE int words, char *options, MAYBE char *err)

/* ---- the questions -------------------------------------------------------------------- */

/* No plan is faster than the products of the model at the GPU's peak. Time and tokens stand in either
 * order: tokens have no unit of time, and a number without one is days where no time was said. */
ASK(deadline)
{
	const double gpus = (double)p->cluster.gpus_per_node;
	double said = 0, tokens, days = 0, least;
	int i = 0, taken = 1;

	if (words < 1)
		return refuse_question(err, "until when? Such as 30d, friday or 15 January");
	for (; taken > 0; i += taken) {
		taken = days > 0 ? 0 : words_date(word + i, words - i, today, &days);
		if (taken == 0 && !(days > 0))
			taken = words_number(WORDS_DAYS, word + i, words - i, &days);
		if (taken == 0 && !(said > 0))
			taken = words_number(WORDS_AMOUNT, word + i, words - i, &said);
	}
	if (!(days > 0))
		return refuse_question(err, "the deadline is a number of hours, days, weeks or months, such as 30d, or a day to "
		    "come, such as friday or 15 January");
	text_put(options, QUESTION_SIZE, "objective=gpus where=run.days<=%.10gd", days);
	if (!put_budget(p, said, &tokens, options, err))
		return -1;
	least = tokens * flops_sum(flops_of_token(p, false)) / (days * 86400) /
	    larger(1, peak_rate(p) * gpus);
	put_nodes_from(peak_rate(p) > 0 ? least : 1, options);
	return i;
}

/* Of two amounts the larger one is tokens: a thousand of them cost far less than one of any money. */
ASK(budget)
{
	double money, said = 0, tokens;
	int taken = words_number(WORDS_AMOUNT, word, words, &money);

	if (taken == 0)
		return refuse_question(err, "how much? A number, such as 2e6 or 2M, of the money that --price or "
		    "cluster.gpu_hour_price is in");
	taken += words_number(WORDS_AMOUNT, word + taken, words - taken, &said);
	text_put(options, QUESTION_SIZE, "objective=run.days where=cost<=%.10g",
	    said > 0 ? smaller(money, said) : money);
	put_nodes(1, p->cluster.nodes, options);
	return put_budget(p, said > 0 ? larger(money, said) : 0, &tokens, options, err) ? taken : -1;
}

enum { LIMIT_TTFT, LIMIT_TPOT, LIMIT_RATE, LIMIT_SPEED };

/* One time without a name is TPOT up to here and TTFT from there on; between nobody can tell: services ask for 100 to
 * 200 ms a token, and for 125 ms to 15 s to the first one (Zhong et al. 2024, DistServe, arXiv 2401.09670, table 1). */
static const double tpot_most = 0.1, ttft_least = 0.4;

/* Limits of a service as they are said, 0 where they are not; so many of the times were said without a name. */
struct service {
	double seconds[LIMIT_RATE], rate, percentile;
	int bare;
};

/* Below 0 for a word that names none. */
static int
limit_named(const char *word)
{
	static const struct {
		const char *name;
		int limit;
	} rows[] = {
		{ "ttft", LIMIT_TTFT }, { "tpot", LIMIT_TPOT }, { "itl", LIMIT_TPOT }, { "tbt", LIMIT_TPOT },
		{ "rate", LIMIT_RATE }, { "rps", LIMIT_RATE }, { "qps", LIMIT_RATE },
		{ "tps", LIMIT_SPEED }, { "speed", LIMIT_SPEED },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcasecmp(rows[i].name, word) == 0)
			return rows[i].limit;
	return -1;
}

/* A time goes by its place where no name does, the first token's before that of the next ones; a speed is one over
 * such a time, and a number of requests a second the rate. */
static int
take_bare(const char *const *word, int words, struct service *of)
{
	const int limit = of->seconds[LIMIT_TTFT] > 0 ? LIMIT_TPOT : LIMIT_TTFT;
	double speed;
	int taken = words_number(WORDS_RATE, word, words, &of->rate);

	if (taken > 0)
		return taken;
	taken = words_number(WORDS_SPEED, word, words, &speed);
	if (taken > 0) {
		of->seconds[LIMIT_TPOT] = 1 / speed;
	} else if (!(of->seconds[limit] > 0)) {
		taken = words_number(WORDS_SECONDS, word, words, &of->seconds[limit]);
		of->bare += taken > 0;
	}
	return taken;
}

/* Tokens a second of a user, whose unit is said already. */
static int
take_speed(const char *const *word, int words, struct service *of)
{
	double speed;
	int taken = words_number(WORDS_SPEED, word, words, &speed);

	if (taken == 0)
		taken = words_number(WORDS_AMOUNT, word, words, &speed);
	if (taken > 0)
		of->seconds[LIMIT_TPOT] = 1 / speed;
	return taken;
}

/* One of them: "ttft 1s", "1 s", "20 rps", "p99"; how many words it takes, 0 for another one, -1 with
 * the reason where what follows its name is none. */
static int
take_limit(const char *const *word, int words, struct service *of, char *err)
{
	const int small = words > 0 && limit_named(word[0]) < 0 ? words_small(word, words) : 0;
	const int limit = small < words ? limit_named(word[small]) : -1;
	const char *const *value = word + small + 1;
	const int left = words - small - 1;
	double percentile;
	int taken;

	if (left < 0)
		return 0;
	if (limit < 0 && tolower((unsigned char)word[small][0]) == 'p' && text_to_real(word[small] + 1, &percentile)) {
		if (of->percentile > 0 && percentile != of->percentile)
			return refuse_question(err, "one percentile holds for both limits");
		of->percentile = percentile;
		return small + 1;
	}
	if (limit < 0)
		return take_bare(word, words, of);
	if (limit < LIMIT_RATE)
		taken = words_number(WORDS_SECONDS, value, left, &of->seconds[limit]);
	else if (limit == LIMIT_SPEED)
		taken = take_speed(value, left, of);
	else if ((taken = words_number(WORDS_RATE, value, left, &of->rate)) == 0)
		taken = words_number(WORDS_AMOUNT, value, left, &of->rate);
	if (taken > 0)
		return small + 1 + taken;
	if (limit == LIMIT_SPEED)
		return refuse_question(err, "a speed is a number of tokens a second of one user, such as tps=30");
	return refuse_question(err, limit < LIMIT_RATE ? "a limit is a time with its unit, such as ttft=1s or tpot=30ms" :
	    "the rate is a number of requests a second, such as rate=20");
}

/* All that is said of a service; how many words that is. */
static int
read_service(const char *const *word, int words, struct service *of, char *err)
{
	int i = 0, taken;

	while ((taken = take_limit(word + i, words - i, of, err)) > 0)
		i += taken;
	if (taken == 0 && of->bare == 1 && !(of->seconds[LIMIT_TPOT] > 0) && of->seconds[LIMIT_TTFT] < ttft_least) {
		if (of->seconds[LIMIT_TTFT] > tpot_most)
			return refuse_question(err, "which limit is that time? Such as ttft=1s or tpot=30ms; of two times the "
			    "longer one is TTFT");
		of->seconds[LIMIT_TPOT] = of->seconds[LIMIT_TTFT];
		of->seconds[LIMIT_TTFT] = 0;
	}
	if (of->bare == 2 && of->seconds[LIMIT_TTFT] < of->seconds[LIMIT_TPOT]) {
		const double ttft = of->seconds[LIMIT_TPOT];

		of->seconds[LIMIT_TPOT] = of->seconds[LIMIT_TTFT];
		of->seconds[LIMIT_TTFT] = ttft;
	}
	return taken < 0 ? -1 : i;
}

/* A limit as a condition; of percentiles it becomes the plan's own, which its results are told by. */
static void
put_limit(const char *name, double limit, double own, bool rate, char *options)
{
	text_add(options, QUESTION_SIZE, limit < 1 ? " where=serving.%s_%s<=%.10gms" : " where=serving.%s_%s<=%.10gs", name,
	    rate ? "within" : "seconds", limit < 1 ? 1e3 * limit : limit);
	if (rate && limit != own)
		text_add(options, QUESTION_SIZE, " free=traffic.%s_limit=%.10g", name, limit);
}

/* At a rate the fewest GPUs whose percentiles keep the limits, with pools of their own for prefill;
 * else the most tokens that requests at once get of each, within these means. Limits that are not said
 * are the plan's. */
ASK(slo)
{
	static const char *const names[] = { "ttft", "tpot" };
	const double own[] = { p->traffic.ttft_limit, p->traffic.tpot_limit };
	struct service of = { .rate = 0 };
	bool rate;
	int taken;

	if (p->mode != MODE_SERVE)
		return refuse_question(err, "of serving plans alone (fix: --mode=serve)");
	taken = read_service(word, words, &of, err);
	if (taken < 0)
		return -1;
	rate = of.rate > 0 || p->traffic.rate > 0;
	if (of.percentile > 0 && !rate)
		return refuse_question(err, "a percentile is of requests that arrive: say the rate, too, such as rate=20");
	for (int k = 0; k < 2; k++)
		if (!(of.seconds[k] > 0))
			of.seconds[k] = own[k];
	if (!(of.seconds[LIMIT_TTFT] + of.seconds[LIMIT_TPOT] > 0))
		return refuse_question(err, "which limits? Such as ttft=1s tpot=30ms, and rate=20 requests a second");
	text_put(options, QUESTION_SIZE, rate ? "objective=gpus,serving.tpot_within" :
	    "objective=tokens free=serving.concurrency=1..%d", REQUESTS_MOST);
	if (of.rate > 0 && of.rate != p->traffic.rate)
		text_add(options, QUESTION_SIZE, " free=traffic.rate=%.10g", of.rate);
	if (of.percentile > 0 && of.percentile != p->traffic.percentile)
		text_add(options, QUESTION_SIZE, " free=traffic.percentile=%.10g", of.percentile);
	for (int k = 0; k < 2; k++)
		if (of.seconds[k] > 0)
			put_limit(names[k], of.seconds[k], own[k], rate, options);
	if (rate) {
		/* so many engines, and pools beside them, are tried on each */
		put_apart(1, most_of(2 * p->cluster.nodes, NODES_EACH), 8, options);
		text_add(options, QUESTION_SIZE, " free=serving.prefill_workers");
	}
	return taken;
}

/* The objective that is meant by "least energy", "highest throughput"; how many words say it, 0 for none. Energy is that
 * of a run, or of a billion tokens. */
static int
take_objective(const struct plan *p, bool more, const char *const *word, int words, char *options)
{
	static const struct {
		const char *words, *objective;
		bool more;
	} rows[] = {
		{ "energy|electricity|power|joules|kwh|mwh", "energy", false }, { "memory|vram", "memory", false },
		{ "cost|money|price", "cost", false }, { "gpu-hours", "gpu-hours", false }, { "time|latency", "time", false },
		{ "tokens|throughput|tok/s", "tokens", true }, { "mfu|MFU", "step.mfu", true },
	};
	const int at = words > 0 && text_equal(word[0], "the");

	for (size_t i = 0; at < words && i < sizeof rows / sizeof *rows; i++)
		if (rows[i].more == more && text_choice_index(rows[i].words, word[at]) >= 0) {
			text_put(options, QUESTION_SIZE, "objective=%s", rows[i].objective);
			if (text_equal(rows[i].objective, "energy") && p->mode == MODE_TRAIN && !plan_has_run(p))
				text_add(options, QUESTION_SIZE, " free=training.token_budget=1");
			return at + 1;
		}
	return 0;
}

/* Above this share of what the engines take, times say nothing: a queue grows at the least error of a step. */
#define LOAD_MOST ".9"

/* A service keeps up with the rate that is said of it, within its limits. */
static void
put_kept(const struct plan *p, double rate, char *options)
{
	const struct arrivals *t = &p->traffic;

	if (p->mode != MODE_SERVE || !(rate > 0))
		return;
	if (rate != t->rate)
		text_add(options, QUESTION_SIZE, " free=traffic.rate=%.10g", rate);
	text_add(options, QUESTION_SIZE, " where=serving.load<=" LOAD_MOST);
	if (t->ttft_limit > 0)
		put_limit("ttft", t->ttft_limit, t->ttft_limit, true, options);
	if (t->tpot_limit > 0)
		put_limit("tpot", t->tpot_limit, t->tpot_limit, true, options);
}

/* Parts of a node where there is one: nobody takes three GPUs of each of five. "How many GPUs" asks for them, too, and
 * within limits "slo" does. */
ASK(fewest)
{
	const int taken = take_objective(p, false, word, words, options);
	const int many = words > 0 && text_choice_index("many|few", word[0]) >= 0;
	const bool waits = p->mode == MODE_TRAIN && taken > 0 && text_equal(word[taken - 1], "latency");
	struct service of = { .rate = 0 };
	const int said = taken > 0 ? 0 : read_service(word + many, words - many, &of, err);

	if (waits)
		return refuse_question(err, "of serving plans alone (fix: --mode=serve)");
	if (words > 0 && text_equal(word[0], "long")) { /* "how long" */
		text_put(options, QUESTION_SIZE, "objective=run.days");
		return 1;
	}
	if (taken > 0)
		return taken;
	if (said < 0 || (said > 0 && p->mode != MODE_SERVE) || of.seconds[LIMIT_TTFT] + of.seconds[LIMIT_TPOT] > 0) {
		const int all = ask_slo(p, catalog, today, word + many, words - many, options, err);

		return all < 0 ? -1 : many + all;
	}
	text_put(options, QUESTION_SIZE, "objective=gpus");
	if (p->cluster.nodes == 1 && p->cluster.gpus_per_node > 1)
		text_add(options, QUESTION_SIZE, " free=cluster.gpus_per_node=1..%lld",
		    (long long)p->cluster.gpus_per_node);
	put_nodes_from(1, options);
	put_kept(p, of.rate > 0 ? of.rate : p->traffic.rate, options);
	return many + said;
}

/* "for 8 GPUs", "on 2 nodes": others than the plan's. How many words that takes, -1 for no such number. */
static int
take_size(const struct plan *p, const char *const *word, int words, char *options, char *err)
{
	double n;
	const int taken = words_number(WORDS_AMOUNT, word, words, &n);
	const char *of = taken > 0 && taken < words ? word[taken] : "";
	const bool nodes = text_choice_index("node|nodes", of) >= 0;
	const double node = nodes ? 1 : (double)p->cluster.gpus_per_node;

	if (!nodes && text_choice_index("gpu|gpus|GPU|GPUs|card|cards", of) < 0)
		return 0;
	if (n > 1e6 || fmod(n, smaller(n, node)) > 0)
		return refuse_question(err, "so many GPUs are no whole number of nodes (cluster.gpus_per_node)");
	text_add(options, QUESTION_SIZE, " free=cluster.nodes=%.10g", larger(1, n / node));
	if (n < node)
		text_add(options, QUESTION_SIZE, " free=cluster.gpus_per_node=%.10g", n);
	return taken + 1;
}

static void
put_longest(const struct plan *p, char *options)
{
	const enum field_id f = p->mode == MODE_SERVE ? FIELD_CONTEXT_LENGTH : FIELD_SEQUENCE_LENGTH;
	const int64_t most = p->model.max_position > 0 ? p->model.max_position : 131072;

	text_put(options, QUESTION_SIZE, "objective=%s free=%s=1024..%lld", field_table[f].path,
	    field_table[f].path, (long long)most);
}

ASK(longest)
{
	put_longest(p, options);
	return take_size(p, word, words, options, err);
}

/* The month of the newest model of the catalogue, two years before. */
static int64_t
recent_since(const struct catalog *catalog)
{
	int64_t newest = 0;

	for (size_t i = 0; catalog != NULL && i < catalog->models.count; i++)
		if (catalog->models.entry[i].published > newest)
			newest = catalog->models.entry[i].published;
	return newest - RECENT;
}

ASK(largest)
{
	const int at = words > 1 && text_choice_index("the|micro", word[0]) >= 0;
	const char *what = words > 0 ? word[at] : "";
	const bool batch = text_choice_index(p->mode == MODE_SERVE ? "batch|concurrency|requests" :
	    "batch|micro-batch|microbatch", what) >= 0;
	int taken = take_objective(p, true, word, words, options);

	if (taken > 0)
		return taken;
	if (text_choice_index("context|ctx|sequence|seq|length", what) >= 0) {
		put_longest(p, options);
	} else if (batch && p->mode == MODE_SERVE) {
		text_put(options, QUESTION_SIZE, "objective=serving.concurrency "
		    "free=serving.concurrency=1..%d", REQUESTS_MOST);
	} else if (batch) {
		text_put(options, QUESTION_SIZE, "objective=training.micro_batch_size "
		    "free=training.micro_batch_size");
	} else if (text_equal(what, "model")) {
		text_put(options, QUESTION_SIZE, "objective=params.total free=model.preset");
		if (recent_since(catalog) > 0)
			text_add(options, QUESTION_SIZE, "=%lld..", (long long)recent_since(catalog));
		/* One that has room for a request fits, where nobody says how many come at once. */
		if (p->mode == MODE_SERVE && !field_is_set(FIELD_CONCURRENCY, p))
			text_add(options, QUESTION_SIZE, " free=serving.concurrency=1");
	} else {
		return refuse_question(err, "largest what? model, batch, context or sequence");
	}
	taken = take_size(p, word + at + 1, words - at - 1, options, err);
	return taken < 0 ? -1 : at + 1 + taken;
}

/* A name of a GPU, or several with commas between them. */
static bool
names_gpu(const struct catalog *catalog, const char *word)
{
	return catalog != NULL && catalog_find(&catalog->gpus, TEXT_OF(PLAN_ID_SIZE, "%.*s", (int)strcspn(word, ","),
	    word)) != NULL;
}

/* GPUs that a price was said of. */
static int
put_priced(const struct catalog *catalog, char *options)
{
	int count = 0;

	for (size_t i = 0; catalog != NULL && i < catalog->gpus.count; i++)
		if (catalog->gpus.entry[i].values.cluster.gpu_hour_price > 0)
			text_add(options, QUESTION_SIZE, "%s%s", count++ > 0 ? "," : "", catalog->gpus.entry[i].id);
	return count;
}

ASK(cheapest)
{
	int taken = 0, small = words_small(word, words);

	text_put(options, QUESTION_SIZE, "objective=cost free=cluster.gpu=");
	while (taken + small < words && (names_gpu(catalog, word[taken + small]) ||
	    (taken == 0 && strchr(word[small], ',') != NULL))) {
		const char *name = word[taken + small];
		const size_t n = strlen(name);

		text_add(options, QUESTION_SIZE, "%s%.*s", taken > 0 ? "," : "", (int)(n - (name[n - 1] == ',')), name);
		taken += small + 1;
		small = words_small(word + taken, words - taken);
	}
	if (taken == 0 && put_priced(catalog, options) == 0 && p->cluster.gpu_hour_price > 0)
		text_put(options, QUESTION_SIZE, "objective=cost");
	else if (options[strlen(options) - 1] == '=')
		return refuse_question(err, "of which GPUs? Their names with commas between them, and --price");
	put_nodes(1, p->cluster.nodes, options);
	put_kept(p, p->traffic.rate, options);
	return taken;
}

ASK(spare)
{
	double said = 0;
	const int taken = words_number(WORDS_AMOUNT, word, words, &said);
	const int64_t fewer = taken > 0 ? (int64_t)said : nodes_missing(p);

	if ((double)fewer < said || fewer < 1 || fewer >= p->cluster.nodes)
		return refuse_question(err, "how many nodes fewer? Less than the plan has, or those of cluster.dead_nodes");
	/* All that are left, or rounder numbers of them, the others idle. */
	text_put(options, QUESTION_SIZE, "objective=time free=cluster.nodes=%lld",
	    (long long)(p->cluster.nodes - fewer));
	for (int64_t unit = 2, n = p->cluster.nodes - fewer; unit <= n; unit *= 2)
		if (n / unit * unit < (n / (unit / 2)) * (unit / 2) || (unit == 2 && n % 2 != 0))
			text_add(options, QUESTION_SIZE, ",%lld", (long long)(n / unit * unit));
	return taken;
}

ASK(fastest)
{
	text_put(options, QUESTION_SIZE, "objective=time");
	return 0;
}

/* ---- the table ------------------------------------------------------------------------ */

const struct question question_table[] = {
	{ "deadline", "until|before|by", "TIME|DAY [TOKENS]", "the fewest GPUs that train so many tokens in time: 30d 15T",
	    ask_deadline },
	{ "budget", "", "MONEY [TOKENS]", "the fastest run that costs no more, on these nodes or fewer",
	    ask_budget },
	{ "slo", "sla|limits|ttft|tpot|itl|tbt|tps|p50|p90|p95|p99", "[ttft=TIME] [tpot=TIME] [rate=N]",
	    "most tokens of a GPU within these times; at N requests a second the fewest GPUs", ask_slo },
	{ "fewest", "min|minimum|smallest|least|lowest|how", "[OBJECTIVE]",
	    "the fewest GPUs that it fits on, or the least energy, memory, cost or time; how long a run takes", ask_fewest },
	{ "longest", "", "", "the longest sequence or context that fits", ask_longest },
	{ "largest", "max|maximum|biggest|most|highest", "model|batch|context|throughput",
	    "the largest one that fits; models of the last two years", ask_largest },
	{ "cheapest", "", "GPU,GPU", "which of these GPUs does it for the least money", ask_cheapest },
	{ "spare", "fallback|without", "[N]",
	    "what to run with so many nodes fewer, or without those of cluster.dead_nodes", ask_spare },
	{ "fastest", "best|quickest|shortest", "", "the fastest plan, as without a question", ask_fastest },
};
const size_t question_count = sizeof question_table / sizeof *question_table;

const struct question *
question_find(const char *name)
{
	char first[32];

	text_put(first, sizeof first, "%.*s", (int)strcspn(name, "=:<"), name);
	for (size_t i = 0; i < question_count; i++)
		if (text_equal(question_table[i].name, first) || text_choice_index(question_table[i].also, first) >= 0)
			return &question_table[i];
	return NULL;
}

const char *
question_usual(const struct plan *p)
{
	const struct arrivals *t = &p->traffic;

	return p->mode == MODE_SERVE && (t->ttft_limit > 0 || t->tpot_limit > 0) ? "slo" : NULL;
}

int
question_ask(const struct plan *p, const struct catalog *catalog, int64_t today, const char *const *word,
    int words, char *options, char *err)
{
	const struct question *q = words > 0 ? question_find(word[0]) : NULL;
	struct pieces of;
	int taken, name;

	options[0] = err[0] = '\0';
	if (q == NULL)
		return 0;
	words_apart(&of, word, words);
	/* A limit or its percentile is said with the question that it is of, or without. */
	name = limit_named(of.word[0]) < 0 && !(of.word[0][0] == 'p' && isdigit((unsigned char)of.word[0][1]));
	taken = q->ask(p, catalog, today, of.word + name, of.count - name, options, err);
	if (taken < 0)
		return -1;
	taken += name + words_small(of.word + name + taken, of.count - name - taken);
	return of.from[taken];
}
