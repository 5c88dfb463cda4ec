/* What p2pBandwidthLatencyTest prints of one node: its GPUs, and how fast one copies to another
 * (NVIDIA/cuda-samples Samples/5_Domain_Specific/p2pBandwidthLatencyTest). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "file/machines/lists.h"
#include "file/machines/machines.h"

enum { PAIRS_MAX = 64 * 63 };

struct copies {
	struct machines m;
	int64_t gpus;
	char gpu[PLAN_ID_SIZE];
	bool here, blocked;     /* in the matrix that counts; a GPU can not reach another's memory */
	size_t pairs;
	double rate[PAIRS_MAX]; /* GB/s from one GPU to another, one way */
};

/* Share of the links' nominal rate that its copies reach where nothing is wrong: an A100 node, 274.5 of
 * 300 GB/s (stas00/ml-engineering network/README.md); HGX H100, 376.6 of 450 (NVIDIA/nccl issue
 * 1264). 0: not known. */
static const double healthy_share[] = {
	[FABRIC_OTHER] = 0, [FABRIC_NVLINK1] = 0, [FABRIC_NVLINK2] = 0, [FABRIC_NVLINK3] = .915,
	[FABRIC_NVLINK4] = .837, [FABRIC_NVLINK5] = 0, [FABRIC_XGMI] = 0, [FABRIC_ROCE] = 0,
	[FABRIC_HCCS] = 0, [FABRIC_PCIE] = 0,
};

/* "Device: 0, NVIDIA H100 80GB HBM3, pciBusID: 18, pciDeviceID: 0, pciDomainID:0" */
static bool
take_device(struct import *im, struct copies *c, const char *line)
{
	const char *name = strstr(line, ", "), *end = strstr(line, ", pciBusID");
	char text[PLAN_ID_SIZE];

	if (strncmp(line, "Device: ", 8) != 0 || name == NULL || end == NULL || end < name + 2)
		return false;
	text_put(text, sizeof text, "%.*s", (int)(end - name - 2), name + 2);
	c->gpus++;
	if (c->gpu[0] == '\0')
		text_put(c->gpu, sizeof c->gpu, "%s", text);
	else if (!text_equal(c->gpu, text))
		import_ignore(im, text, "another GPU in the same node");
	return true;
}

/* The matrix that counts is the first of copies one way from GPU to GPU: that of writes. */
static bool
take_title(struct copies *c, const char *line)
{
	if (strstr(line, "Matrix") == NULL)
		return false;
	c->here = c->pairs == 0 && strncmp(line, "Unidirectional P2P=Enabled Bandwidth", 36) == 0;
	return true;
}

/* "     0 2494.76 371.02 376.65": which GPU writes, then the rate to each; to itself is its memory's. */
static void
take_row(struct copies *c, const char *line)
{
	char *at;
	long from, to = 0;

	line += strspn(line, " \t");
	if (!c->here || !isdigit((unsigned char)*line))
		return;
	from = strtol(line, &at, 10);
	for (const char *next = at; c->pairs < PAIRS_MAX; next = at, to++) {
		const double rate = strtod(next, &at);

		if (at == next || !(rate > 0 && rate < 1e6))
			return;
		if (to != from)
			c->rate[c->pairs++] = rate;
	}
}

/* Why the rates of the pairs are not those of the links; NULL: they are. */
static const char *
doubt_of_copies(const struct copies *c, const struct plan *p)
{
	const double median = c->rate[c->pairs / 2];

	if (c->blocked)
		return "some GPUs can not reach the memory of others";
	if (c->rate[c->pairs - 1] > 2 * c->rate[0])
		return "pairs of GPUs differ by more than twice: one rate is not that of all";
	if (!field_is_set(FIELD_GPU, p) || healthy_share[p->cluster.fabric] <= 0)
		return "how near copies come to the rate of such links is not known";
	if (p->cluster.nvlink_domain < c->gpus || median <= p->cluster.pcie_gbps)
		return "copies go over PCIe, not NVLink";
	if (median > p->cluster.nvlink_gbps)
		return "is no share of the links' rate";
	return NULL;
}

/* Of sorted rates: the median over what such copies reach where nothing is wrong. */
static void
put_share(struct import *im, const struct copies *c)
{
	const struct plan *p = im->plan;
	const double median = c->rate[c->pairs / 2];
	const char *why_not = doubt_of_copies(c, p);
	char value[24], why[96];

	if (why_not != NULL) {
		import_ignore(im, TEXT_OF(64, "%.1f to %.1f GB/s", c->rate[0], c->rate[c->pairs - 1]), why_not);
		return;
	}
	text_put(value, sizeof value, "%.3f",
	    median / (healthy_share[p->cluster.fabric] * p->cluster.nvlink_gbps));
	text_put(why, sizeof why, "%.1f GB/s one way in the median of %zu pairs", median, c->pairs);
	import_set(im, FIELD_NVLINK_EFFICIENCY, value, why);
}

bool
p2p_recognise(const char *text)
{
	return strstr(text, "Unidirectional P2P=Enabled Bandwidth") != NULL &&
	    strstr(text, "Device: 0, ") != NULL;
}

void
p2p_read(struct import *im)
{
	struct copies c = { .m = { .one_node = true } };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;

	while (machines_line(im, &at, line, sizeof line)) {
		c.blocked = c.blocked || strstr(line, " CANNOT Access Peer") != NULL;
		if (!take_device(im, &c, line) && !take_title(&c, line))
			take_row(&c, line);
	}
	if (c.gpus > 0)
		machines_add(&c.m, c.gpu, c.gpus, 1);
	machines_put(im, &c.m, "p2pBandwidthLatencyTest");
	if (im->errors->count == 0 && c.pairs > 0) {
		plan_resolve(im->plan, im->catalog);
		qsort(c.rate, c.pairs, sizeof *c.rate, ascending);
		put_share(im, &c);
	} else if (im->errors->count == 0) {
		import_ignore(im, "the matrix of writes", "has no rate between two GPUs");
	}
	machines_free(&c.m);
}
