/*
 * Links: nccl-tests and rccl-tests src/common.cu (writeBenchmarkLinePreamble, printed columns),
 * NCCL_DEBUG=INFO of NVIDIA/nccl src/transport/net_ib.cc and net_socket.cc, src/transport/net.cc
 * ("via NET/IB/0/GDRDMA"), nvidia-smi topo -m.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* ---- nccl-tests --------------------------------------------------------------------------- */

/* "#  Rank  0 Group  0 Pid  1234 on  node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3" */
TAKES(bench_rank)
{
	const char *host = log_after(after, " on "), *name = log_after(after, "] ");
	char word[64];

	if (host == NULL)
		return;
	run_word(word, sizeof word, host);
	if (r->bench.ranks > 0 && !text_equal(word, r->bench.host))
		r->bench.nodes = true;
	text_put(r->bench.host, sizeof r->bench.host, "%s", word);
	r->bench.ranks++;
	r->bench.size = 0;
	if (name != NULL)
		run_gpu_name(r, line, name);
}

enum { BENCH_COLUMNS = 32, BENCH_LEAST = 8 };

/* A smaller message tells latency, not the rate of links. */
#define LARGE_MESSAGE (64.0 * 1024 * 1024)

/* Whether a word is a whole number, and what follows it. */
static bool
is_whole(const char **word)
{
	const size_t n = strspn(*word, "0123456789");

	*word += n;
	if (n == 0 || (**word != ' ' && **word != '\t'))
		return false;
	*word += strspn(*word, " \t");
	return true;
}

/* Where a row begins behind what a launcher puts before: two whole numbers and a type. */
static const char *
bench_start(const char *line)
{
	for (const char *c = line + strspn(line, " \t"); *c != '\0'; c += strspn(c, " \t")) {
		const char *rest = c;

		if (is_whole(&rest) && is_whole(&rest) && *rest >= 'a' && *rest <= 'z')
			return c;
		c += strcspn(c, " \t");
	}
	return NULL;
}

/* "  67108864  16777216  float  sum  -1  412.1  162.8  305.3  0  410.0  163.7  306.9  0": size and
 * GB/s of the bus, out of place and in place, as far from the end as their heads are: before 2.13 there
 * is no root, and some collectives leave an operation blank. */
static double
bus_of(const struct run_reader *r, const double column[BENCH_COLUMNS], int n, int which)
{
	const int back = r->bench.back[which];

	return back > 0 && back <= n ? column[n - back] : 0;
}

static bool
bench_row(struct run_reader *r, const char *line)
{
	double size, column[BENCH_COLUMNS] = { 0 }, bus;
	const char *start = bench_start(line);
	int n = 0;

	if (start == NULL)
		return true;
	for (const char *c = start; *c != '\0' && n < BENCH_COLUMNS; n++) {
		log_number(c, &column[n]);
		c += strcspn(c, " \t");
		c += strspn(c, " \t");
	}
	size = column[0];
	bus = larger(bus_of(r, column, n, 0), bus_of(r, column, n, 1));
	if (n < BENCH_LEAST || !(bus > 0))
		return true;
	r->bench.best = bus * 1e9 > r->bench.best ? bus * 1e9 : r->bench.best;
	if (!(size > r->bench.size))
		return true;
	r->bench.size = size;
	r->bench.rate = bus * 1e9;
	return true;
}

TAKES(bench_begin)
{
	const char *c = strchr(line, '#');
	int at[2] = { 0, 0 }, n = 0, found = 0;

	for (c = c != NULL ? c + 1 : line; *(c += strspn(c, " \t")) != '\0'; n++) {
		if (strncmp(c, "busbw", 5) == 0 && found < 2)
			at[found++] = n;
		c += strcspn(c, " \t");
	}
	for (int i = 0; i < 2; i++)
		r->bench.back[i] = i < found ? n - at[i] : 0;
	r->bench.size = r->bench.rate = r->bench.best = 0;
	r->next = bench_row;
}

/* "# Collective test starting: alltoall_perf", or the command: what these send crosses nodes in another
 * way than rings. */
TAKES(bench_other)
{
	r->bench.other = true;
}

/* Large messages that are so much slower than smaller ones lose packets. */
#define COLLAPSED 0.5

/* "# Avg bus bandwidth    : 33.3" is the mean over all sizes: the largest one tells. */
TAKES(bench_end)
{
	if (!r->bench.other && r->bench.size >= LARGE_MESSAGE)
		run_add(r, r->bench.nodes ? MEASURED_NETWORK_BUS : MEASURED_NVLINK_BUS, -1, r->bench.rate);
	if (r->bench.nodes && r->bench.rate > 0 && r->bench.rate < COLLAPSED * r->bench.best)
		run_say(r, EVIDENCE_COLLAPSE, TEXT_OF(MEASURED_TEXT,
		    "%.3g GB/s of the largest message, %.3g of a smaller one", r->bench.rate / 1e9,
		    r->bench.best / 1e9), r->bench.best / r->bench.rate);
	r->bench.ranks = r->bench.rate = r->bench.best = 0;
	r->bench.nodes = r->bench.other = false;
	r->next = NULL;
}

/* ---- DeepEP -------------------------------------------------------------------------------- */

/* "[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 16: 43.24 GB/s (RDMA), 141.14 GB/s
 * (NVL)", since 2025-06 with microseconds before the rate (deepseek-ai/DeepEP tests/test_internode.py). */
TAKES(experts_best)
{
	const char *at = strstr(after, " GB/s (RDMA)");

	while (at != NULL && at > after && strchr("0123456789.", at[-1]) != NULL)
		at--;
	run_add(r, MEASURED_EXPERTS_BUS, -1, at != NULL ? log_number_after(at, "") * 1e9 : 0);
}

/* ---- NCCL's own words ------------------------------------------------------------------------ */

/* "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA", "via NET/AWS Libfabric/0"; without the last word
 * it goes through the host. */
TAKES(channel)
{
	if (strncmp(after, "Socket", 6) != 0 && strstr(after, "GDRDMA") == NULL)
		run_say(r, EVIDENCE_NO_GDR, line, 0);
}

/* "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>" */
TAKES(devices)
{
	const char *first = log_after(after, "[0]");
	char name[sizeof r->nic];

	if (first == NULL)
		return;
	run_word(name, sizeof name, first);
	r->nics = r->nics || strstr(after, "[1]") != NULL || (*r->nic != '\0' && !text_equal(name, r->nic));
	text_put(r->nic, sizeof r->nic, "%s", name);
	if (r->nics) { /* or each rank has one of its own */
		r->m->evidence[EVIDENCE_ONE_NIC] = (struct evidence){ 0 };
		run_say(r, EVIDENCE_NICS, line, 0);
	} else
		run_say(r, EVIDENCE_ONE_NIC, line, 0);
}

/* ---- topo -m ------------------------------------------------------------------------------------ */

/* "GPU0  X  NV18 ... SYS": a row of the table whose head said which columns are NICs. Each GPU
 * should have one nearer than the other socket. */
static bool
topo_row(struct run_reader *r, const char *line)
{
	const char *c = line + strspn(line, " \t");
	bool near = false, far = false;

	if (strncmp(c, "GPU", 3) != 0)
		return false;
	for (int i = -1; *c != '\0' && i < 64; i++) {
		const size_t n = strcspn(c, " \t");

		if (i >= 0 && (r->topo_nics >> i & 1) != 0) {
			far = far || strncmp(c, "SYS", n) == 0;
			near = near || strncmp(c, "SYS", n) != 0;
		}
		c += n;
		c += strspn(c, " \t");
	}
	if (far && !near)
		run_say(r, EVIDENCE_CROSS_SOCKET, line, 0);
	return true;
}

TAKES(topo_head)
{
	int column = 0;

	r->topo_nics = 0;
	for (const char *c = line + strspn(line, " \t"); *c != '\0' && column < 64; column++) {
		if (strncmp(c, "NIC", 3) == 0 || strncmp(c, "mlx", 3) == 0)
			r->topo_nics |= UINT64_C(1) << column;
		c += strcspn(c, " \t");
		c += strspn(c, " \t");
	}
	r->next = topo_row;
}

/* Nodes beside the first one. */
static double
other_nodes(const char *after)
{
	return run_number(after) - 1;
}

const struct run_row run_link_rows[] = {
	{ "#  Rank ", SOURCE_NCCL_TESTS, BY(bench_rank) },
	{ "#   Rank ", SOURCE_NCCL_TESTS, BY(bench_rank) }, /* before 2.13 */
	{ "algbw   busbw", SOURCE_NCCL_TESTS, BY(bench_begin) },
	{ "alltoall_perf", SOURCE_ASIDE, BY(bench_other) },
	{ "sendrecv_perf", SOURCE_ASIDE, BY(bench_other) },
	{ "# Avg bus bandwidth", SOURCE_NCCL_TESTS, BY(bench_end) },
	{ "[tuning] Best dispatch", SOURCE_DEEPEP, BY(experts_best) },
	{ "[tuning] Best combine", SOURCE_DEEPEP, BY(experts_best) },
	{ " via NET/", SOURCE_NCCL, BY(channel) },
	{ "NET/IB : Using", SOURCE_NCCL, BY(devices) },
	{ " GPU Direct RDMA Disabled for ", SOURCE_NCCL, TELLS(EVIDENCE, EVIDENCE_NO_GDR, NULL) },
	{ "nnodes=", SOURCE_WORDS, TELLS(EVIDENCE, EVIDENCE_ALL_NODES, other_nodes) },
	{ "CPU Affinity", SOURCE_TOPO, BY(topo_head) },
	{ .words = NULL },
};
