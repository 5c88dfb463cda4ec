#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "core/base/text.h"

enum { LINE = 4096, NAME = 64, FOUND_MOST = 16, CELLS = 16, COLUMNS = 12, TERMS_MOST = 512 };

#define KIB 1024.0
#define GIB (1024 * 1024 * 1024.0)

/* ---- numbers as they are printed ---------------------------------------------------- */

/* A number of a text in the unit that JSON has, and half of its last digit. */
struct printed {
	double value, half;
};

static const struct {
	const char *text;
	double factor;
} unit_table[] = { { " KiB", KIB }, { " MiB", KIB * KIB }, { " GiB", GIB }, { " TiB", GIB * KIB },
	{ " PiB", GIB * KIB * KIB }, { " kB", 1e3 }, { " MB", 1e6 }, { " GB", 1e9 }, { " TB", 1e12 },
	{ " PB", 1e15 }, { " B", 1 }, { " ms", 1e-3 }, { " us", 1e-6 }, { " s", 1 }, { " %", .01 },
	{ " billion", 1e9 }, { " million", 1e6 }, { " Wh", 1e-6 }, { " kWh", 1e-3 }, { " MWh", 1 },
	{ " GWh", 1e3 }, { " TWh", 1e6 }, { " FLOP", 1 }, { " kFLOP", 1e3 }, { " MFLOP", 1e6 }, { " GFLOP", 1e9 },
	{ " TFLOP", 1e12 }, { " PFLOP", 1e15 }, { " EFLOP", 1e18 }, { " ZFLOP", 1e21 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 }, { "P", 1e15 } };

/* Its end, else NULL; an exponent is no number for people. */
static const char *
read_number(const char *at, struct printed *n)
{
	char digits[64];
	size_t used = 0;
	int places = 0;
	bool point = false;

	if (*at == '-')
		digits[used++] = *at++;
	if (!isdigit((unsigned char)*at))
		return NULL;
	for (; used + 1 < sizeof digits; at++) {
		if (*at == ',' && isdigit((unsigned char)at[1]))
			continue;
		if (*at == '.' && !point && isdigit((unsigned char)at[1]))
			point = true;
		else if (!isdigit((unsigned char)*at))
			break;
		else
			places += point;
		digits[used++] = *at;
	}
	digits[used] = '\0';
	n->value = strtod(digits, NULL);
	n->half = .5 * pow(10, -places);
	for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++) {
		const size_t length = strlen(unit_table[i].text);

		if (strncmp(at, unit_table[i].text, length) == 0 && !isalnum((unsigned char)at[length]) &&
		    at[length] != '/') {
			n->value *= unit_table[i].factor;
			n->half *= unit_table[i].factor;
			return at + length;
		}
	}
	return isalnum((unsigned char)*at) ? NULL : at;
}

static bool
is_printed(const struct printed *n, double v)
{
	return fabs(n->value - v) <= n->half * (1 + 1e-6) + 1e-9 * fabs(v);
}

/* ---- what JSON has ------------------------------------------------------------------ */

/* By its path below an object, "peak.total"; NULL where it is not there. */
static const json_t *
value_at(const json_t *from, const char *path)
{
	char key[NAME];

	for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1) {
		text_put(key, sizeof key, "%.*s", (int)(dot - path), path);
		from = json_object_get(from, key);
	}
	return json_object_get(from, path);
}

/* A path with a factor behind it, "run.goodput*100", or in parts of another number,
 * "step.seconds/step.compute_seconds"; '@' begins what is of the fullest stage, '?' what is 0 where it is
 * not there. */
static bool
number_at(const json_t *doc, const char *path, double *v)
{
	const size_t n = strcspn(path, "*/");
	const json_t *from = doc, *number;
	char name[NAME];
	double by;

	text_put(name, sizeof name, "%.*s", (int)n, path);
	if (name[0] == '@')
		from = json_array_get(json_object_get(doc, "stages"),
		    (size_t)json_integer_value(value_at(doc, "peak.stage")));
	number = value_at(from, name + (name[0] == '@' || name[0] == '?'));
	*v = json_number_value(number);
	if (path[n] == '*')
		*v *= strtod(path + n + 1, NULL);
	if (path[n] == '/' && number_at(doc, path + n + 1, &by))
		*v /= by;
	return json_is_number(number) || name[0] == '?';
}

static void
compare(struct flaws *flaws, const json_t *doc, const char *path, const struct printed *n)
{
	double v;

	if (!number_at(doc, path, &v))
		flaws_add(flaws, path, "is in the text and not in the JSON");
	else if (!is_printed(n, v))
		flaws_add(flaws, path, "is another number in the text");
}

/* ---- lines by rules ----------------------------------------------------------------- */

/* Numbers of a line, and the rule's names of them. */
struct found {
	int count;
	struct {
		char path[NAME];
		struct printed n;
	} number[FOUND_MOST];
};

/* A rule is the line: {path} stands for that number of the JSON, {} for one that JSON has not, * for any
 * text, ~ for one without digits, a blank for any number of them, [..] for what may be left out. */
static bool
line_follows(const char *line, const char *rule, struct found *f)
{
	for (; *rule != '\0'; rule++) {
		const int count = f->count;
		size_t n;

		switch (*rule) {
		case '*':
		case '~':
			for (; !line_follows(line, rule + 1, f); line++, f->count = count)
				if (*line == '\0' || (*rule == '~' && isdigit((unsigned char)*line)))
					return false;
			return true;
		case '[':
			if (line_follows(line, rule + 1, f))
				return true;
			f->count = count;
			rule = strchr(rule, ']');
			break;
		case ']':
			break;
		case '{':
			n = strcspn(rule + 1, "}");
			text_put(f->number[count].path, NAME, "%.*s", (int)n, rule + 1);
			if ((line = read_number(line, &f->number[f->count++].n)) == NULL)
				return false;
			rule += n + 1;
			break;
		case ' ':
			if (*line != ' ')
				return false;
			line += strspn(line, " ");
			break;
		default:
			if (*line++ != *rule)
				return false;
		}
	}
	return *line == '\0';
}

static const char *const estimate_rules[] = {
	"", "Pipeline stages, one GPU of each", "Memory of one GPU, GiB and percent of its capacity",
	"Sent by one GPU in one step", "Time of one ~", "Phases of one step, ~", "The whole run", "Under load: ~",
	"Memory of the engine with weights in *, on one GPU of the fullest stage",
	"plan *", "mode *", "down *", "model *", "overlap ~",
	"cluster {} node[s] x * GPU[s] of * = {parallel.world} GPU[s]",
	"parallel * layout: TP {}, CP {}, PP {}, VPP {}, EP {}, ETP {}[; DP {parallel.dp}, EDP {parallel.edp}]",
	"batch {} sequences of {} tokens a step: {parallel.microbatches} micro-batch[es] of {} on each data parallel rank",
	"parameters -",
	"parameters {params.total} in all ({params.total}), {params.active} active for a token"
	"[, {params.trainable} trained][, up to {params.per_gpu_max} on one GPU]",
	"peak stage {peak.stage}: {peak.total} of {capacity}: *", "peak stage {peak.stage}: {peak.total} of -",
	"peak stage {peak.stage}: {peak.total}, of the trainer alone",
	"overhead CUDA context, NCCL and fragmentation: between {@memory.overhead_low} and {@memory.overhead_high}",
	"drives {} on the NVMe drives of a node", "range a run may take between {peak.low} and {peak.high}",
	/* a step */
	"nothing: no group has more than one GPU", "step -*", "update -*",
	"step {step.seconds}[ +- {step.error}, not calibrated][, calibrated by *]",
	"update {step.seconds}[ +- {step.error}, not calibrated][, calibrated by *]",
	" compute {step.compute_seconds} {step.compute_seconds/step.seconds}",
	" recompute {step.recompute_seconds} {step.recompute_seconds/step.seconds}",
	" exposed communication {step.exposed_comm_seconds} {step.exposed_comm_seconds/step.seconds}",
	" pipeline bubble {} {step.bubble_fraction}",
	" waiting for the host {step.host_seconds} {step.host_seconds/step.seconds}",
	" waiting for slow nodes {step.slow_seconds} {step.slow_seconds/step.seconds}",
	" optimizer step {step.optimizer_seconds} {step.optimizer_seconds/step.seconds}",
	"tokens {step.tokens_per_second} a second, {step.tokens_per_second_per_gpu} on each GPU",
	"compute {step.model_tflops_per_gpu} TFLOP/s of the model on each GPU",
	"MFU {step.mfu} of the dense * peak, causal attention counted by half; {step.mfu_full} with all",
	"HFU {step.hfu}, recomputation counted",
	/* rollouts and updates */
	"pools {} GPUs train, {} generate", "pools {} GPUs train and generate in turn",
	"engines {rl.engines} of {rl.engine_gpus} GPU[s] each", "batch {} sequences a step, {} update[s] of the weights",
	"fullest *: {rl.peak_bytes}[ of {capacity}: *]", "weight sync {rl.sync_bytes} to each GPU of an engine",
	"whole step {rl.step_seconds}, {rl.tokens_per_second} tokens a second, {rl.tokens_per_second_per_gpu} on each GPU",
	"whole step -*", "host {} in the memory of a node",
	/* the run */
	"sequence batch billion tokens steps of", "[ ]{} {} {} {} {}",
	"budget {} tokens in {} steps[; {} tokens a parameter (20: Chinchilla)]",
	"data {run.epochs} epochs of {} tokens",
	"goes on at step {run.step}[, which is epoch {?run.epoch}, step {?run.epoch_step} of it]",
	"days {run.days}, between {run.days_low} and {run.days_high}; of steps alone {run.net_days}",
	"goodput {run.goodput} of the time, between {run.goodput_low*100} and {run.goodput_high*100}; saves take {} days, "
	"interruptions {}",
	"stops {run.interruptions} times[ at least], every {} h; {} failures in 1,000 node-days, {} min each",
	"spares {run.spares} node[s], of which one is left for 99 % of the time; the plan has {}",
	"checkpoint {run.checkpoint_bytes} in format *: weights {}, optimizer {}; up to {run.checkpoint_bytes_per_rank} by "
	"each of {} rank[s]",
	"saves every {run.checkpoint_interval_seconds} of steps, each blocks them for {run.checkpoint_blocking_seconds}"
	"[, written in {run.checkpoint_seconds}]",
	"saves none is best: nothing fails[, written in {run.checkpoint_seconds}]",
	"storage {run.checkpoint_gbps_needed} GB/s keep saves below 1 % of the time*; {run.storage_bytes} held",
	"host {run.checkpoint_host_bytes} of a save in the memory of a node", "load {run.load_seconds}",
	"takes {run.gpu_hours} GPU hours[, {run.cost} in money]",
	"design power {}, as model cards count: GPU hours x {} W",
	"energy {run.mwh} +- {} with {} W a GPU, {} W a host, PUE {}; {run.joules_per_token} J a token",
	"energy - *", "CO2 {run.co2_tonnes} t",
	/* an engine */
	" weights {serving.weight_bytes}", " outside the allocator {serving.non_torch_bytes}",
	" activations {serving.activation_bytes}", " CUDA graphs {serving.graph_bytes}", " KV pool {serving.kv_pool_bytes}",
	"KV cache {serving.kv_bytes_per_token} a token on one GPU[, {serving.state_bytes_per_request} of state a request]",
	"pool {serving.kv_tokens} tokens of one engine in {serving.kv_blocks} blocks",
	"pool without limit: tokens take no memory",
	"requests {serving.max_concurrency} of {} tokens at once on one engine",
	"plan {} at once, of {} + {} tokens: *",
	"rate {} requests a second of {} + {} tokens: {serving.load} of the {serving.saturation_rate} that the engines take",
	"rate {} requests a second of {} + {} tokens: the engines have no room for one",
	"inside {} of {} requests a second, {} of them within the limits",
	" as many as {serving.rate_in_limits} a second would be", "first token the queue grows without end",
	"first token -*", " near that the queue is as long as chance has it: times are the least",
	"first tokens [from ]{serving.ttft_p50} half, [from ]{serving.ttft_p90} 90 %, [from ]{serving.ttft_p95} 95 %, "
	"[from ]{serving.ttft_p99} 99 % of the requests[ (limit {})]",
	"next tokens {serving.tpot_p50} half, {serving.tpot_p90} 90 %, {serving.tpot_p95} 95 %, {serving.tpot_p99} 99 % of "
	"the requests[ (limit {})]",
	"whole answer [from ]{serving.e2e_p50} half, [from ]{serving.e2e_p90} 90 %, [from ]{serving.e2e_p95} 95 %, "
	"[from ]{serving.e2e_p99} 99 % of the requests",
	"in flight {serving.in_flight} requests on average, {serving.itl_p99} between tokens at most in 99 % of cases",
	"put back {serving.preempted_share} of the requests, for want of KV cache",
	"cached {serving.prefix_hit_share} of the prompts' tokens", "energy {serving.joules_per_token} J a generated token",
	"drafts {} drafted, none accepted as long as serving.acceptance does not say how many",
	"drafts {} drafted, {} accepted: {serving.draft_gain} times the tokens, less than without from {serving.draft_batch} "
	"requests on",
	"drafts {} drafted, {} accepted: {serving.draft_gain} times the tokens, * at any batch",
	"first token {serving.ttft_seconds}[ +- {serving.ttft_error}] after a prompt of {} tokens (TTFT)",
	" {serving.prefill_seconds} prefill, {serving.queue_seconds} of other prompts before it",
	"next tokens {serving.tpot_seconds}[ +- {serving.tpot_error}] each (TPOT), {serving.tokens_per_second_per_user} a "
	"second for a request",
	" {serving.step_seconds} decode step, {serving.prompts_share_seconds} of other prompts",
	"tokens {serving.tokens_per_second} generated a second by all engines, {serving.tokens_per_second_per_gpu} on each GPU",
	"cost {serving.cost_per_million_tokens} for a million of them",
	"transfer {serving.transfer_seconds} for the KV cache of a prompt*",
	"prefill pool *: {serving.prefill_rate} prompts a second, {serving.prefill_utilisation} used, "
	"{serving.prefill_gpu_bytes} of {}",
	" {serving.prefill_gpus_balanced} of {} GPUs would balance prefill and decode",
	"FFN GPUs {} of each engine: {serving.ffn_gpu_bytes} of {}, they compute in {serving.ffn_share} of a decode step",
	"calibrated by *", " ~", NULL };

static void
look_at_line(const char *line, const char *const rules[], const json_t *doc, struct flaws *flaws)
{
	struct found f = { 0 };

	while (*rules != NULL && !line_follows(line, *rules, &f)) {
		f.count = 0;
		rules++;
	}
	if (*rules == NULL)
		flaws_add(flaws, TEXT_OF(NAME, "'%.12s'", line), "has no rule, or a number as nobody writes it");
	for (int i = 0; *rules != NULL && i < f.count; i++)
		if (f.number[i].path[0] != '\0')
			compare(flaws, doc, f.number[i].path, &f.number[i].n);
}

/* ---- tables ------------------------------------------------------------------------- */

/* By what its head begins with: the list that has a row's numbers, and the number under each title. */
struct table_rule {
	const char *head, *list;
	struct {
		const char *title, *path;
	} column[COLUMNS];
};

#define IN_GIB "*9.31322574615478515625e-10"

static const struct table_rule table_rules[] = {
	{ "stage layers*", "stages", { { "stage", "stage" }, { "layers", "layers" }, { "parameters", "params*1e-6" },
	    { "in flight", "in_flight" } } },
	{ "stage params*", "stages", { { "stage", "stage" }, { "params", "memory.parameters" IN_GIB },
	    { "grads", "memory.gradients" IN_GIB }, { "optim", "memory.optimizer" IN_GIB },
	    { "activ", "memory.activations" IN_GIB }, { "logits", "memory.logits" IN_GIB },
	    { "KV cache", "memory.kv_cache" IN_GIB }, { "buffers", "memory.buffers" IN_GIB },
	    { "allocated", "memory.allocated" IN_GIB }, { "overhead", "memory.overhead" IN_GIB },
	    { "total", "memory.total" IN_GIB } } },
	{ "dimension*", "communication", { { "group", "group_size" }, { "calls", "calls" }, { "sent", "bytes" },
	    { "time", "seconds" }, { "exposed", "exposed_seconds" } } },
	{ "phase *", "rl.phases", { { "time", "seconds" }, { "GiB in all", "memory" IN_GIB } } },
	{ "requests TTFT*", "serving.curve", { { "requests", "concurrency" }, { "TTFT", "ttft_seconds" },
	    { "TPOT", "tpot_seconds" }, { "of a request", "tokens_per_second_per_user" },
	    { "of a GPU", "tokens_per_second_per_gpu" } } },
	{ "rate load*", "serving.curve", { { "rate", "rate" }, { "load", "load" }, { "TTFT p50", "ttft_p50" },
	    { "TTFT p", "ttft_within" }, { "TPOT p50", "tpot_p50" }, { "TPOT p", "tpot_within" },
	    { "in flight", "in_flight" } } },
};

static const struct table_rule *
table_of(const char *line)
{
	struct found f = { 0 };

	line += strspn(line, " ");
	for (size_t i = 0; i < sizeof table_rules / sizeof *table_rules; i++)
		if (line_follows(line, table_rules[i].head, &f))
			return &table_rules[i];
	return NULL;
}

/* Two blanks part cells. */
static int
cut_cells(const char *line, char cell[CELLS][NAME])
{
	int n = 0;

	for (line += strspn(line, " "); *line != '\0' && n < CELLS; n++) {
		const char *end = strstr(line, "  ");
		const size_t length = end != NULL ? (size_t)(end - line) : strlen(line);

		text_put(cell[n], NAME, "%.*s", (int)length, line);
		line += length + strspn(line + length, " ");
	}
	return n;
}

/* The same title twice is the first rule's and then the next one's. */
static const char *
path_under(const struct table_rule *t, const char *title)
{
	for (int i = 0; i < COLUMNS && t->column[i].title != NULL; i++) {
		const size_t n = strlen(t->column[i].title);

		if (strcmp(title, t->column[i].title) == 0 ||
		    (t->column[i].title[n - 1] == 'p' && strncmp(title, t->column[i].title, n) == 0))
			return t->column[i].path;
	}
	return NULL;
}

static void
look_at_row(const struct table_rule *t, char title[CELLS][NAME], int titles, const char *line, const json_t *row,
    struct flaws *flaws)
{
	char cell[CELLS][NAME];
	const int cells = cut_cells(line, cell);
	struct printed n;
	double v;

	for (int i = 0; i < cells && i < titles; i++) {
		const char *path = path_under(t, title[i]), *end;
		const bool from = strncmp(cell[i], "from ", 5) == 0;

		if (path == NULL)
			continue;
		if (strcmp(cell[i], "-") == 0) {
			if (number_at(row, path, &v) && v > 0)
				flaws_add(flaws, TEXT_OF(NAME, "%s %s", t->list, path), "is in the JSON and not in the text");
		} else if ((end = read_number(cell[i] + 5 * from, &n)) == NULL || *end != '\0') {
			flaws_add(flaws, TEXT_OF(NAME, "%s %s", t->list, path), "is no number in the text");
		} else {
			compare(flaws, row, path, &n);
		}
	}
}

/* ---- reports ------------------------------------------------------------------------ */

/* The next line of a text; false at its end. */
static bool
next_line(const char **at, char line[LINE])
{
	const size_t n = strcspn(*at, "\n");

	if (**at == '\0')
		return false;
	text_put(line, LINE, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == '\n');
	return true;
}

/* A table ends at an empty line or with the text, and has a row for each of the list. */
static void
end_table(const struct table_rule *t, size_t rows, const json_t *doc, struct flaws *flaws)
{
	if (t != NULL && rows != json_array_size(value_at(doc, t->list)))
		flaws_add(flaws, t->list, "has another number of rows in the text");
}

void
alike_estimate(const char *text, const json_t *doc, struct flaws *flaws)
{
	const struct table_rule *table = NULL, *begins;
	char line[LINE], title[CELLS][NAME];
	int titles = 0;
	size_t row = 0;

	while (next_line(&text, line)) {
		if (line[0] == '\0') {
			end_table(table, row, doc, flaws);
			table = NULL;
		} else if (table == NULL && (begins = table_of(line)) != NULL) {
			table = begins;
			titles = cut_cells(line, title);
			row = 0;
		} else if (table == NULL) {
			look_at_line(line, estimate_rules, doc, flaws);
		} else if (strpbrk(line, "0123456789") != NULL) { /* else units */
			look_at_row(table, title, titles, line, json_array_get(value_at(doc, table->list), row++), flaws);
		}
	}
	end_table(table, row, doc, flaws);
}

/* What stands behind " = " or ": ", the last of them, as a name may have one of its own. */
static bool
value_behind(const char *line, const char *mark, struct printed *n)
{
	const char *at = NULL;

	for (const char *next = line; (next = strstr(next, mark)) != NULL; next++)
		at = next + strlen(mark);
	return at != NULL && read_number(at, n) != NULL;
}

/* The sum of terms of a result ("of") or a dimension ("dim"), and of a stage where it is not -1. */
static double
sum_of(const json_t *terms, const char *key, const char *value, int64_t stage)
{
	double sum = 0;
	const json_t *t;
	size_t i;

	json_array_foreach(terms, i, t) {
		const char *own = json_string_value(json_object_get(t, key));
		const json_t *at = json_object_get(t, "stage");

		if (own != NULL && strcmp(own, value) == 0 && (stage < 0 || at == NULL || json_integer_value(at) == stage))
			sum += json_number_value(json_object_get(t, "value"));
	}
	return sum;
}

/* "memory.total of stage 0 = 23.5 GiB", at the top that of the question. */
static void
look_at_sum(const char *line, bool top, const json_t *doc, struct flaws *flaws)
{
	const json_t *value = json_object_get(doc, "value");
	const char *stage = strstr(line, " of stage ");
	struct printed n;
	char name[NAME];

	if (!value_behind(line, " = ", &n)) {
		if (top && json_is_number(value))
			flaws_add(flaws, "value", "is in the JSON and not in the text");
		return;
	}
	text_put(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
	if (top && !is_printed(&n, json_number_value(value)))
		flaws_add(flaws, "value", "is another number in the text");
	else if (!top && !is_printed(&n, sum_of(json_object_get(doc, "terms"), "of", name,
	    stage != NULL ? strtoll(stage + 10, NULL, 10) : 0)))
		flaws_add(flaws, name, "is not the sum of its terms in the JSON");
}

static void
look_at_dimension(const char *line, const json_t *doc, struct flaws *flaws)
{
	const size_t length = strcspn(line, ":");
	struct printed n;
	char dim[NAME];

	if (length > 4 || !value_behind(line, ": ", &n))
		return;
	for (size_t i = 0; i <= length; i++)
		dim[i] = (char)(i < length ? tolower((unsigned char)line[i]) : '\0');
	if (!is_printed(&n, sum_of(json_object_get(doc, "terms"), "dim", dim, -1)))
		flaws_add(flaws, dim, "is not the sum of its terms in the JSON");
}

/* "NAME = VALUE" over its formula: such a term is in the JSON. */
static void
look_at_term(const char *line, const char *formula, const json_t *doc, size_t *terms, struct flaws *flaws)
{
	const json_t *list = json_object_get(doc, "terms"), *t;
	struct printed n;
	size_t i;

	++*terms;
	if (value_behind(line, " = ", &n))
		json_array_foreach(list, i, t) {
			const char *name = json_string_value(json_object_get(t, "name"));

			if (strncmp(line, name, strlen(name)) == 0 && is_printed(&n, json_number_value(json_object_get(t, "value"))) &&
			    strcmp(formula, json_string_value(json_object_get(t, "formula"))) == 0)
				return;
		}
	flaws_add(flaws, TEXT_OF(NAME, "%.*s", (int)strcspn(line, "="), line), "is a term of the text and not of the JSON");
}

void
alike_explain(const char *text, const json_t *doc, struct flaws *flaws)
{
	char line[LINE], next[LINE];
	size_t terms = 0;
	bool top = true, last;

	if (!next_line(&text, line))
		return;
	do {
		last = !next_line(&text, next);
		if (!last && strncmp(next, "    ", 4) == 0 && strncmp(line, "    ", 4) != 0 && strstr(line, " = ") != NULL)
			look_at_term(line, next + 4, doc, &terms, flaws);
		else if (top || (islower((unsigned char)line[0]) && line[strcspn(line, " .")] == '.' && strstr(line, " = ") != NULL))
			look_at_sum(line, top, doc, flaws);
		else if (isupper((unsigned char)line[0]))
			look_at_dimension(line, doc, flaws);
		top = false;
		memcpy(line, next, sizeof line);
	} while (!last);
	if (terms != json_array_size(json_object_get(doc, "terms")))
		flaws_add(flaws, "terms", "are more or fewer in the text");
}

void
alike_check(const char *text, const json_t *doc, struct flaws *flaws)
{
	static const char *const rules[] = { "*: {peak_bytes}[ of {}][, {seconds} a step][, {tpot_seconds} a token]"
	    "[, first after {}][, {} tokens of KV cache]", NULL };
	const json_t *row;
	char line[LINE];
	size_t i;

	json_array_foreach(json_object_get(doc, "diagnostics"), i, row)
		if (!next_line(&text, line) || strstr(line, json_string_value(json_object_get(row, "message"))) == NULL)
			flaws_add(flaws, json_string_value(json_object_get(row, "reason")), "has another message in the text");
	json_array_foreach(json_object_get(doc, "search"), i, row)
		if (!next_line(&text, line) || strstr(line, json_string_value(json_object_get(row, "options"))) == NULL)
			flaws_add(flaws, "search", "has another plan in the text");
		else
			look_at_line(line, rules, row, flaws);
	if (*text != '\0')
		flaws_add(flaws, "check", "says more in the text");
}
