/*
 * bench_search - how long searches of large jobs take: the whole answer, and the same where no
 * bound cuts and every plan that is legal and fits is estimated in full; how many combinations
 * are decided one by one, and how many legal ones, in a second of one core; memory. In spaces
 * too large for that, such as those with switches, bounds cut.
 *
 * With an argument: on so many threads, else one for each core. Seconds are those of the
 * clock; rates count the processor's, so that they say the same on a busy machine.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "core/framework/resolve.h"
#include "core/search/question.h"
#include "core/search/search.h"
#include "core/search/search_make.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/paths.h"

enum { TOP = 11 };
#define LEAST_SECONDS 0.2
#define EACH_MOST 1000000000 /* combinations */

static const struct {
	const char *name, *settings, *nodes;
	bool switches;
} jobs[] = {
	{ "Llama 3.1 405B, 16,384 H100",
	  "cluster.nodes=2048 model.preset=llama-3.1-405b training.sequence_length=8192 "
	  "training.global_batch_size=2048 parallel.account_for_embedding=true "
	  "parallel.account_for_loss=true", NULL, false },
	{ "DeepSeek-V3, 2,048 H800",
	  "cluster.gpu=h800-sxm-80gb cluster.nodes=256 model.preset=deepseek-v3 "
	  "training.global_batch_size=15360", NULL, false },
	{ "GPT-3 175B, 1,024 to 4,096 A100",
	  "cluster.gpu=a100-sxm4-80gb model.preset=gpt3-175b training.sequence_length=2048 "
	  "training.global_batch_size=1536", "128..512:2", false },
	{ "MT-NLG 530B, 2,240 A100",
	  "cluster.gpu=a100-sxm4-80gb cluster.nodes=280 model.preset=mt-nlg-530b "
	  "training.sequence_length=2048 training.global_batch_size=1920", NULL, false },
	{ "405B, 16,384 H100, switches",
	  "cluster.nodes=2048 model.preset=llama-3.1-405b training.sequence_length=8192 "
	  "training.global_batch_size=2048", NULL, true },
	{ "DeepSeek-V3, 2,048 H100, switches",
	  "cluster.nodes=256 model.preset=deepseek-v3 training.global_batch_size=15360", NULL, true },
	{ "DeepSeek-V3, 64 H100, switches",
	  "cluster.nodes=8 model.preset=deepseek-v3 training.global_batch_size=64", NULL, true },
	{ "Kimi K2, 256 H100, switches",
	  "cluster.nodes=32 model.preset=kimi-k2 training.global_batch_size=128", NULL, true },
	{ "serving DeepSeek-V3, 64 H200",
	  "mode=serve parallel.layout=vllm cluster.gpu=h200-sxm-141gb cluster.nodes=8 "
	  "model.preset=deepseek-v3 serving.weight_dtype=fp8 serving.concurrency=512", NULL, false },
};

static struct search_worker *worker;
static struct search_space *space;

static void
put_all(struct plan *p, const char *settings)
{
	char list[512], *save = NULL;

	strcpy(list, settings);
	for (char *w = strtok_r(list, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(w, '=');

		*equals = '\0';
		put(p, field_find(w), equals + 1);
	}
}

static double
processor_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Again and again while they are short: what one takes. */
static void
run_search(const char *name, const struct search *s, int threads)
{
	const struct search_counts *n = &worker[0].counts;
	const double begun = now(), used = processor_seconds();
	double wall, busy;
	int runs = 0;

	do {
		struct search_control control = { .next = 0 };

		search_run(s, worker, threads, &control);
		runs++;
	} while (now() - begun < LEAST_SECONDS);
	wall = (now() - begun) / runs;
	busy = (processor_seconds() - used) / runs;
	printf("%-33s %7.3f %7.3f %12" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9.0f %9.0f\n",
	    name, wall, busy, space->size, n->decided, n->illegal, n->evaluated,
	    (double)n->decided / busy, (double)(n->over_memory + n->evaluated) / busy);
	if (worker[0].kept == 0)
		exit(1);
}

static void
measure(size_t job, const struct catalog *catalog, int threads)
{
	struct search s = { .space = space, .objectives = 1 };
	struct wishes wishes;
	struct plan p;
	char err[256];

	plan_defaults(&p);
	put_all(&p, jobs[job].settings);
	plan_resolve(&p, catalog);
	wishes_usual(&wishes, &p);
	if (jobs[job].nodes != NULL)
		wishes_free(&wishes, FIELD_NODES, jobs[job].nodes);
	if (!jobs[job].switches) {
		wishes_fix_group(&wishes, WISH_SWITCHES, &p);
		wishes_fix(&wishes, FIELD_DP_REPLICATE);
	}
	if (!space_make(space, &p, catalog, &wishes, err, sizeof err) ||
	    !target_find(&s.objective[0], "time", &p, err, sizeof err)) {
		fprintf(stderr, "bench_search: %s\n", err);
		exit(1);
	}
	run_search(jobs[job].name, &s, threads);
	if (space->size > EACH_MOST)
		return;
	s.explains = UINT64_MAX;
	run_search("  each that is legal", &s, threads);
}

/* Of 64 GPUs the fewest inside the limits of a service with pools for prompts, or the most requests a second of
 * each number of them. */
static void
measure_service(const char *name, const char *rates, const struct catalog *catalog, int threads)
{
	static const char *const limits[] = { "serving.ttft_within<=1s", "serving.tpot_within<=50ms" };
	const char *slo = "slo", *pools;
	struct search s = { .space = space, .objectives = 2, .front = rates != NULL };
	char options[QUESTION_SIZE], err[QUESTION_SIZE] = "";
	struct wishes wishes;
	struct plan p;
	bool known = true;

	plan_defaults(&p);
	put_all(&p, "mode=serve parallel.layout=vllm cluster.gpu=h100-sxm-80gb cluster.nodes=8 "
	    "model.preset=llama-3.1-70b serving.weight_dtype=fp8 traffic.rate=12 traffic.mix=rag "
	    "traffic.ttft_limit=1 traffic.tpot_limit=0.05");
	plan_resolve(&p, catalog);
	question_ask(&p, catalog, 0, &slo, 1, options, err);
	pools = strstr(options, "prefill_workers=");
	wishes_usual(&wishes, &p);
	wishes_free(&wishes, FIELD_NODES, "1..8");
	wishes_free(&wishes, FIELD_PREFILL_WORKERS, pools != NULL ? pools + strlen("prefill_workers=") : "");
	if (rates != NULL)
		wishes_free(&wishes, FIELD_RATE, rates);
	known = space_make(space, &p, catalog, &wishes, err, sizeof err) &&
	    target_find(&s.objective[0], "gpus", &p, err, sizeof err) &&
	    target_find(&s.objective[1], rates != NULL ? "traffic.rate" : "serving.tpot_within", &p, err, sizeof err);
	for (int i = 0; known && i < 2; i++)
		known = condition_parse(&s.condition[s.conditions++], limits[i], &p, err, sizeof err);
	if (!known) {
		fprintf(stderr, "bench_search: %s\n", err);
		exit(1);
	}
	run_search(name, &s, threads);
}

int
main(int argc, char **argv)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const int threads = argc > 1 ? atoi(argv[1]) : cores < SEARCH_THREADS_MAX ? (int)cores :
	    SEARCH_THREADS_MAX;
	struct file_errors errors = { 0 };
	struct catalog catalog;
	struct rusage u;

	paths_init(argv[0]);
	if (threads < 1 || threads > SEARCH_THREADS_MAX || !catalog_load(&catalog, &errors)) {
		fprintf(stderr, "bench_search: no such number of threads, or no catalogue\n");
		return 1;
	}
	space = malloc(sizeof *space);
	worker = calloc((size_t)threads, sizeof *worker);
	for (int i = 0; worker != NULL && i < threads; i++) {
		worker[i].key = calloc(TOP, sizeof *worker[i].key);
		worker[i].room = TOP;
		if (worker[i].key == NULL)
			return 1;
	}
	if (space == NULL || worker == NULL)
		return 1;
	printf("%-33s %7s %7s %12s %9s %9s %9s %9s %9s\n", "", "seconds", "cpu s", "combinations",
	    "decided", "illegal", "fit", "decided/s", "legal/s");
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
		measure(i, &catalog, threads);
	measure_service("70B at 12/s, pools, 64 H100", NULL, &catalog, threads);
	measure_service("  a front of GPUs and rates", "4,8,12,16,24,32,48,64", &catalog, threads);
	getrusage(RUSAGE_SELF, &u);
	printf("%d thread%s, %.1f MiB at most\n", threads, threads == 1 ? "" : "s",
	    (double)u.ru_maxrss / 1024);
	for (int i = 0; i < threads; i++)
		free(worker[i].key);
	free(worker);
	free(space);
	catalog_free(&catalog);
	return 0;
}
