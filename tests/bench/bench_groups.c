/*
 * bench_groups - the hash of every group kind over a million ranks, and what it costs.
 *
 * Prints one line a kind and the totals: time, and the resident memory at 16 and at
 * 1,048,576 ranks, which must not differ by what a rank would take.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"
#include "core/framework/layout.h"
#include "core/framework/resolve.h"

static long
resident_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Hash all kinds of the Megatron layout; returns the seconds it took. */
static double
hash_all(const char *nodes, bool print)
{
	struct plan p;
	struct layout l;
	double start = now();

	plan_defaults(&p);
	put(&p, FIELD_NODES, nodes);
	put(&p, FIELD_PRESET, "mixtral-8x7b");
	put(&p, FIELD_TP, "2");
	put(&p, FIELD_CP, "2");
	put(&p, FIELD_PP, "2");
	put(&p, FIELD_EP, "2");
	put(&p, FIELD_ETP, "1");
	put(&p, FIELD_DP_REPLICATE, "2");
	put(&p, FIELD_HIERARCHICAL_CP, "2x1");
	plan_resolve(&p, NULL);
	if (!layout_init(&l, &p, NULL)) {
		fprintf(stderr, "bench_groups: the layout refuses\n");
		exit(1);
	}
	for (int k = 0; k < l.kinds; k++) {
		const double begin = now();
		const uint64_t hash = layout_hash(&l, k);

		if (print)
			printf("%-12s %9" PRId64 " groups of %7" PRId64 "  %016" PRIx64 "  %7.1f ms\n",
			    l.kind[k].name, layout_group_count(&l, k), layout_group_size(&l, k), hash,
			    (now() - begin) * 1e3);
	}
	return now() - start;
}

int
main(void)
{
	long small, large;
	double seconds;

	hash_all("2", false);
	small = resident_kib();
	seconds = hash_all("131072", true);
	large = resident_kib();
	printf("all kinds of 1048576 ranks: %.2f s; resident %ld KiB with 16 ranks, %ld KiB with 1048576\n",
	    seconds, small, large);
	return 0;
}
