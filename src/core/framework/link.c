#include "core/framework/link.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/hardware.h"

/* Share of a NIC's rate that large messages reach: 0.91 to 0.96 in the measurements of
 * stas00/ml-engineering network/README.md (H200 and B200 4 x 8) and NVIDIA's DGX slides. */
#define NETWORK_SHARE 0.92

/* Without NVLink: share of the PCIe rate that NCCL reaches among 4 or 8 GPUs (aiconfigurator
 * nccl tables of the RTX PRO 6000: 24 of 64 GB/s). */
#define PCIE_SHARE 0.37

/* Latency of NCCL's Simple protocol in seconds (NVIDIA/nccl src/graph/tuning.cc). */
#define NET_BASE 8.4e-6
#define RING_HOP 3.4e-6
#define TREE_HOP 4e-6
#define NET_HOP 14e-6
#define SOCKETS_HOP 60e-6 /* the kernel's TCP on both sides, as netperf TCP_RR has it */
#define SEND_LATENCY 10e-6

const char *
collective_name(enum collective c)
{
	static const char *const names[] = {
		"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send"
	};

	return names[c];
}

/* ---- inside a domain -------------------------------------------------------------- */

/* NCCL measured: latency, then bus bandwidth in GB/s at 16, 128 and 512 MiB. */
struct curve {
	double latency, rate[3];
};

enum { SIZES = 3, OPS = 4 };

/* For 2, 4 and 8 GPUs: all-reduce, all-gather, reduce-scatter, all-to-all.
 * ai-dynamo/aiconfigurator systems/data, NCCL 2.27.3 (public tables). */
struct measured {
	double link_gbps; /* NVLink rate of the GPU that was measured */
	struct curve curve[OPS][SIZES];
};

static const struct measured ampere = { 300, {
	{ { 10.0, { 131, 180, 193 } }, { 13.9, { 137, 201, 217 } }, { 21.3, { 136, 201, 222 } } },
	{ { 9.0, { 90, 135, 150 } }, { 10.8, { 106, 174, 192 } }, { 14.6, { 109, 178, 205 } } },
	{ { 8.9, { 102, 155, 167 } }, { 10.7, { 115, 187, 203 } }, { 14.5, { 119, 188, 213 } } },
	{ { 10.5, { 85, 151, 164 } }, { 12.4, { 121, 176, 195 } }, { 12.6, { 128, 183, 203 } } },
} };
static const struct measured hopper = { 450, {
	{ { 6.2, { 206, 288, 320 } }, { 9.7, { 253, 327, 349 } }, { 15.6, { 240, 405, 445 } } },
	{ { 5.4, { 149, 229, 258 } }, { 7.3, { 191, 285, 317 } }, { 10.4, { 216, 301, 336 } } },
	{ { 5.3, { 159, 214, 250 } }, { 7.3, { 212, 283, 310 } }, { 10.4, { 206, 308, 335 } } },
	{ { 6.2, { 150, 249, 278 } }, { 6.8, { 179, 300, 332 } }, { 7.3, { 202, 290, 317 } } },
} };
static const struct measured blackwell = { 900, {
	{ { 9.1, { 319, 499, 534 } }, { 14.4, { 263, 588, 634 } }, { 25.2, { 294, 591, 701 } } },
	{ { 7.8, { 224, 396, 438 } }, { 10.7, { 220, 516, 566 } }, { 15.8, { 144, 560, 617 } } },
	{ { 7.9, { 228, 364, 413 } }, { 10.5, { 234, 506, 554 } }, { 15.8, { 153, 560, 613 } } },
	{ { 8.5, { 170, 299, 332 } }, { 9.9, { 272, 445, 490 } }, { 10.4, { 293, 502, 563 } } },
} };

/* Which of those that were measured a fabric is like; NULL: the nearest by its links' rate. */
static const struct measured *const measured_of[] = {
	[FABRIC_OTHER] = NULL, [FABRIC_NVLINK1] = &ampere, [FABRIC_NVLINK2] = &ampere,
	[FABRIC_NVLINK3] = &ampere, [FABRIC_NVLINK4] = &hopper, [FABRIC_NVLINK5] = &blackwell,
	[FABRIC_XGMI] = NULL, [FABRIC_ROCE] = NULL, [FABRIC_HCCS] = NULL, [FABRIC_PCIE] = NULL,
};

static const struct measured *
fabric_of(const struct plan *p)
{
	const struct measured *known = measured_of[p->cluster.fabric];

	if (known != NULL)
		return known;
	if (p->cluster.nvlink_gbps <= 300)
		return &ampere;
	return p->cluster.nvlink_gbps < 675 ? &hopper : &blackwell;
}

/* How the links of this plan compare with those that were measured. */
static double
fabric_scale(const struct plan *p, const struct measured *f)
{
	const double rate = p->cluster.nvlink_gbps > 0 ? p->cluster.nvlink_gbps :
	    p->cluster.pcie_gbps * PCIE_SHARE;
	const double measured = p->calibration.nvlink_efficiency;

	return (rate > 0 ? rate / f->link_gbps : 1) * (measured > 0 ? measured : 1);
}

static double
ring_factor(enum collective c, double n)
{
	if (c == COLLECTIVE_SEND)
		return 1;
	return (c == COLLECTIVE_ALL_REDUCE ? 2 : 1) * (n - 1) / n;
}

/* A piece of a curve: t seconds at x bytes, and `slope` seconds for each byte more. */
struct piece {
	double t, x, slope;
};

/* Time is close to linear in the size: straight lines between the measured sizes. */
static struct piece
curve_piece(const struct curve *c, double payload, double factor, double latency)
{
	static const double size[] = { 16777216, 134217728, 536870912 };
	struct piece l = { latency, 0, 0 };

	for (int i = 0; i < 3; i++) {
		const double next = fmax(l.t, size[i] * factor / (c->rate[i] * 1e9));

		l.slope = (next - l.t) / (size[i] - l.x);
		if (payload <= size[i])
			break;
		l.x = size[i];
		l.t = next;
	}
	return l;
}

static double
inside_seconds(const struct plan *p, enum collective c, double payload, int64_t n,
    struct link_note *note)
{
	const struct measured *f = fabric_of(p);
	const int op = c == COLLECTIVE_SEND ? COLLECTIVE_ALL_TO_ALL : (int)c;
	const int column = n <= 2 || c == COLLECTIVE_SEND ? 0 : n <= 4 ? 1 : 2;
	const struct curve *curve = &f->curve[op][column];
	const double width = n > 8 ? sqrt((double)n / 8) : 1; /* wider than what was measured */
	const double members = c == COLLECTIVE_SEND ? 2 : (double)n;
	const double scale = fabric_scale(p, f) * hardware_links_used(&p->cluster, members);
	const double scaled = payload / scale;
	const struct piece l = curve_piece(curve, scaled, ring_factor(c, (double)n),
	    curve->latency * 1e-6 * width);

	if (note != NULL) {
		text_put(note->symbols, sizeof note->symbols, "t0 + (S/links - S0)/rate");
		text_put(note->numbers, sizeof note->numbers, "%.8g + (%.10g/%.8g - %.10g)/%.8g", l.t,
		    payload, scale, l.x, 1 / l.slope);
		text_put(note->path, sizeof note->path, "links: those of the plan over %.0f GB/s, with "
		    "which NCCL was measured", f->link_gbps);
	}
	return l.t + (scaled - l.x) * l.slope;
}

/* ---- across domains --------------------------------------------------------------- */

double
collective_bytes(enum collective c, double payload, int64_t members)
{
	return members <= 1 ? 0 : payload * ring_factor(c, (double)members);
}

/* Within one node what leaves an NVLink domain goes over PCIe, never the network. */
static bool
within_node(const struct plan *p, const struct span *s)
{
	return s->nodes <= 1 && p->cluster.pcie_gbps > 0;
}

static double
nics_of(const struct plan *p)
{
	return p->cluster.nics_per_node > 0 ? (double)p->cluster.nics_per_node : 1;
}

static double
nic_gbps(const struct plan *p)
{
	return p->cluster.nic_gbps > 0 ? p->cluster.nic_gbps : 1;
}

/* TCP of a node, whatever its cards: 1.9 GB/s of 100 Gb/s (deepspeedai/DeepSpeed issue 5770), 1 to
 * 3.5 GB/s as NCCL's socket threads come. */
#define SOCKETS_GBPS 28.0

/* What is left of a card's rate where its GPU reads it across sockets (NVIDIA/nccl-tests issue 347),
 * and by way of host memory: 33.3 of 93 GB/s (NVIDIA/nccl issue 1412). */
static const double nic_share[] = {
	[NIC_NEAR] = 1, [NIC_OTHER_SOCKET] = 0.5, [NIC_BY_HOST] = 0.36 };

static double
carried(const struct plan *p, double gbps)
{
	return p->cluster.transport == TRANSPORT_SOCKETS ? smaller(gbps, SOCKETS_GBPS) :
	    gbps * nic_share[p->cluster.nic_path];
}

double
link_node_gbps(const struct plan *p)
{
	return carried(p, (double)p->cluster.nics_per_node * p->cluster.nic_gbps);
}

double
link_lag(const struct plan *p)
{
	if (p->cluster.latency_us > 0)
		return p->cluster.latency_us * 1e-6 - NET_HOP;
	return p->cluster.transport == TRANSPORT_SOCKETS ? SOCKETS_HOP - NET_HOP : 0;
}

double
link_hop(const struct plan *p)
{
	return NET_HOP + link_lag(p);
}

/* Gb/s of a node; where a plan does not know its cards one of 1 Gb/s. */
static double
node_gbps(const struct plan *p)
{
	return carried(p, nics_of(p) * nic_gbps(p));
}

double
link_card(const struct plan *p)
{
	return node_gbps(p) / 8 / at_least_one(p->cluster.gpus_per_node);
}

/* Bytes a second that one GPU sends out of its domain. */
static double
outside_rate(const struct plan *p, const struct span *s)
{
	const bool node = within_node(p, s);
	const double measured = node ? p->calibration.nvlink_efficiency :
	    p->calibration.network_efficiency;
	const double rate = node ? p->cluster.pcie_gbps * 1e9 * PCIE_SHARE :
	    node_gbps(p) * 1e9 / 8 / at_least_one(p->cluster.gpus_per_node) * NETWORK_SHARE;

	return rate * (measured > 0 ? measured : 1);
}

static double
outside_hop(const struct plan *p, const struct span *s)
{
	return within_node(p, s) ? RING_HOP : link_hop(p);
}

/* Note the rate of `gpus` GPUs out of their domain, and which links it is of. */
static void
note_outside(struct link_note *note, const struct plan *p, const struct span *s, double gpus)
{
	const double nics = nics_of(p), nic = nic_gbps(p) * 1e9 / 8, pcie = p->cluster.pcie_gbps * 1e9;
	const double node = at_least_one(p->cluster.gpus_per_node), rate = outside_rate(p, s);

	if (within_node(p, s)) {
		text_add(note->numbers, sizeof note->numbers, "(%.8g*%.10g*%.0f)", rate / pcie, pcie, gpus);
		text_put(note->path, sizeof note->path, "rate: share*PCIe*GPUs that send");
		return;
	}
	text_add(note->numbers, sizeof note->numbers, "(%.8g*%.0f*%.10g/%.0f*%.10g)",
	    rate * node / (nics * nic), nics, nic, node, gpus);
	text_put(note->path, sizeof note->path, "rate: share*NICs*NIC/GPUs of a node*GPUs that send%s",
	    s->level.ring > 0 || s->level.each > 0 ? ", by what levels leave them" : "");
}

/* Note base + hops + max(bytes/rate, local), whose hops and bytes are told in numbers. */
static void
note_slower(struct link_note *note, const struct plan *p, const struct span *s, double gpus,
    const char *symbols, const char *hops, const char *bytes)
{
	char local[96] = "0";

	if (s->inside > 1)
		text_put(local, sizeof local, "%s", note->numbers);
	text_put(note->symbols, sizeof note->symbols, "base + hops + max(%s/rate, NVLink)", symbols);
	text_put(note->numbers, sizeof note->numbers, "%.8g + %s + max(%s/", NET_BASE, hops, bytes);
	note_outside(note, p, s, gpus);
	text_add(note->numbers, sizeof note->numbers, ", %s)", local);
}

/* Seconds of a ring's or a tree's hops, in numbers. */
struct hops {
	double ring, tree; /* tree: 0 where it is none */
};

static struct hops
hops_of(const struct plan *p, enum collective c, const struct span *s)
{
	const double n = (double)s->size, k = (double)s->domains, hop = outside_hop(p, s);
	const double rounds = c == COLLECTIVE_ALL_REDUCE ? 2 : 1;
	struct hops h = { rounds * ((n - k) * RING_HOP + (k - 1) * hop), 0 };
	double tree;

	h.ring = (c == COLLECTIVE_ALL_REDUCE ? 1.4 : 1) * h.ring + rounds * s->level.ring_lag;
	if (c != COLLECTIVE_ALL_REDUCE)
		return h;
	tree = 2 * (((double)s->inside - 1) * TREE_HOP + log2(k) * hop + s->level.tree_lag);
	if (k > 8 && tree < h.ring)
		h.tree = tree;
	return h;
}

static void
note_ring(struct link_note *note, const struct plan *p, enum collective c, double payload,
    const struct span *s, const struct hops *h)
{
	const double n = (double)s->size, k = (double)s->domains, hop = outside_hop(p, s);
	const bool reduce = c == COLLECTIVE_ALL_REDUCE;
	char hops[112], bytes[80];

	if (h->tree > 0)
		text_put(hops, sizeof hops, "2*(%.0f*%.8g + %.8g*%.8g)", (double)s->inside - 1,
		    TREE_HOP, log2(k), hop);
	else
		text_put(hops, sizeof hops, "%s(%.0f*%.8g + %.0f*%.8g)", reduce ? "2*1.4*" : "", n - k,
		    RING_HOP, k - 1, hop);
	if (s->level.lag > 0)
		text_add(hops, sizeof hops, " + %d*%.8g", reduce ? 2 : 1, h->tree > 0 ? s->level.tree_lag :
		    s->level.ring_lag);
	text_put(bytes, sizeof bytes, "%s(%.0f-1)/%.0f*%.10g", reduce ? "2*" : "", n, n, payload);
	note_slower(note, p, s, (double)s->inside * (1 - s->level.ring), reduce ? "2*(n-1)/n*S" : "(n-1)/n*S", hops, bytes);
}

/*
 * A ring passes every byte over each link between domains, and uses the NICs of all its
 * members in a domain; inside it is as fast as NVLink allows. The time inside for the same
 * bytes bounds it from below. Latency: ring steps, those between domains the dearer ones;
 * an all-reduce over many domains takes NCCL's tree when that is quicker.
 */
static double
ring_seconds(const struct plan *p, enum collective c, double payload, const struct span *s,
    struct link_note *note)
{
	const double wire = payload * ring_factor(c, (double)s->size);
	const double rate = outside_rate(p, s) * (1 - s->level.ring) * (double)s->inside;
	const double local = s->inside > 1 ? inside_seconds(p, c, payload, s->inside, note) : 0;
	const struct hops h = hops_of(p, c, s);

	if (note != NULL)
		note_ring(note, p, c, payload, s, &h);
	return NET_BASE + (h.tree > 0 ? h.tree : h.ring) + fmax(wire / rate, local);
}

/* Each member sends an equal part to every other: those inside go over NVLink at the same
 * time as the others go over the member's own NIC. */
static double
exchange_seconds(const struct plan *p, double payload, const struct span *s,
    struct link_note *note)
{
	const double n = (double)s->size, g = (double)s->inside, hop = outside_hop(p, s) + s->level.lag;
	const double outside = payload * (1 - g / n) / (outside_rate(p, s) * (1 - s->level.each));
	const double local = g > 1 ? inside_seconds(p, COLLECTIVE_ALL_TO_ALL, payload * g / n,
	    s->inside, note) : 0;
	char hops[32], bytes[80];

	if (note != NULL) {
		text_put(hops, sizeof hops, "%.8g", hop);
		text_put(bytes, sizeof bytes, "%.10g*(1 - %.0f/%.0f)", payload, g, n);
		note_slower(note, p, s, 1 - s->level.each, "S*(1 - inside/n)", hops, bytes);
	}
	return NET_BASE + hop + fmax(outside, local);
}

static double
send_seconds(const struct plan *p, double payload, const struct span *s, struct link_note *note)
{
	const double latency = SEND_LATENCY + s->level.lag;

	if (note != NULL) {
		text_put(note->symbols, sizeof note->symbols, "t0 + S/rate");
		text_put(note->numbers, sizeof note->numbers, "%.8g + %.10g/", latency, payload);
		note_outside(note, p, s, 1 - s->level.ring);
	}
	return latency + payload / (outside_rate(p, s) * (1 - s->level.ring));
}

double
collective_seconds(const struct plan *p, enum collective c, double payload,
    const struct span *span, struct link_note *note)
{
	if (span->size <= 1 || payload <= 0)
		return 0;
	if (span->kind == SPAN_NVLINK)
		return inside_seconds(p, c, payload, span->size, note);
	if (c == COLLECTIVE_SEND)
		return send_seconds(p, payload, span, note);
	if (c == COLLECTIVE_ALL_TO_ALL)
		return exchange_seconds(p, payload, span, note);
	return ring_seconds(p, c, payload, span, note);
}

/* Of k things, how many `draws` of any of them are expected to meet. */
static double
met(double k, double draws)
{
	return k > 1 ? k * (1 - pow(1 - 1 / k, draws)) : k;
}

/* Each group lies in one of them, or over several. */
double
link_places_met(const struct model *m, double k, double copies)
{
	const double groups = (double)m->router_groups, most = (double)m->router_group_topk;
	double chosen;

	if (groups <= 1 || most < 1 || most >= groups)
		return met(k, copies);
	chosen = met(most, copies);
	if (k <= groups)
		return met(k, chosen);
	return chosen * met(k / groups, copies / chosen);
}

/*
 * DeepEP and HybridEP inside an NVLink domain: a token goes once to each rank that has experts
 * for it. 0.7 of the domain's rate over 8 GPUs, 0.4 % less for each one more, and half of it
 * for tokens of 1,200 bytes: a launch's work for each (deepseek-ai/DeepEP branch hybrid-ep
 * README: 536 GB/s on B200 over 8, 546 to 479 on GB200 over 8 to 36, all of h 7168;
 * ai-dynamo/aiconfigurator systems/data: 267, 322 and 330 GB/s on H100 over 8 for h 2048, 4096
 * and 7168, both ways).
 */
#define DISPATCH_LATENCY 20e-6
#define DISPATCH_SHARE 0.7
#define DISPATCH_LOSS 0.004
#define DISPATCH_HALF 1200.0

static double
domain_seconds(const struct plan *p, double payload, double token, int64_t n,
    struct link_note *note)
{
	const double share = DISPATCH_SHARE * token / (token + DISPATCH_HALF) *
	    fmax(0.1, 1 - DISPATCH_LOSS * fmax(0, (double)n - 8)) *
	    hardware_links_used(&p->cluster, (double)n);
	const double rate = p->cluster.nvlink_gbps * 1e9 * share;

	if (p->cluster.nvlink_gbps <= 0)
		return inside_seconds(p, COLLECTIVE_ALL_TO_ALL, payload, n, note);
	if (note != NULL) {
		text_put(note->symbols, sizeof note->symbols, "t0 + S/(share*NVLink)");
		text_put(note->numbers, sizeof note->numbers, "%.8g + %.10g/(%.6g*%.10g)",
		    DISPATCH_LATENCY, payload, share, p->cluster.nvlink_gbps * 1e9);
		text_put(note->path, sizeof note->path, "over NVLink");
	}
	return DISPATCH_LATENCY + payload / rate;
}

double
link_dispatch_seconds(const struct plan *p, double tokens, double token, double copies,
    const struct span *span, struct link_note *note)
{
	const double k = (double)span->domains, hop = outside_hop(p, span) + span->level.lag;
	const double ranks = tokens * token * link_places_met(&p->model, (double)span->size, copies);
	double visited, away, local;
	char hops[32], bytes[96];

	if (p->parallel.moe_dispatcher == DISPATCHER_ALLTOALL || span->size <= 1)
		return collective_seconds(p, COLLECTIVE_ALL_TO_ALL, tokens * copies * token, span, note);
	if (span->kind == SPAN_NVLINK)
		return domain_seconds(p, ranks, token, span->size, note);
	/* All but its own are on the network; from where it arrives it goes on over NVLink. */
	visited = link_places_met(&p->model, k, copies);
	away = tokens * token * visited * (k - 1) / k /
	    (outside_rate(p, span) * (1 - span->level.each));
	local = span->inside > 1 ? domain_seconds(p, ranks, token, span->inside, note) : 0;
	if (note != NULL) {
		text_put(hops, sizeof hops, "%.8g", hop);
		text_put(bytes, sizeof bytes, "%.10g*%.0f*%.8g*(%.0f-1)/%.0f", tokens, token, visited, k,
		    k);
		note_slower(note, p, span, 1 - span->level.each, "tokens*bytes*domains met*(k-1)/k", hops, bytes);
	}
	return NET_BASE + hop + fmax(away, local);
}

bool
link_strays(const struct plan *p, const struct span *s)
{
	return s->kind != SPAN_NVLINK && s->size <= p->cluster.nvlink_domain &&
	    p->cluster.nvlink_gbps > 0;
}

/* Places of the first and the last member: those of the lowest and the highest rank, or, on a ring, of
 * the only two. */
static void
find_ends(const struct plan *p, const struct layout *l, int kind, int64_t group, int64_t *a, int64_t *b)
{
	*a = plan_slot(p, layout_member(l, kind, group, 0));
	*b = plan_slot(p, layout_member(l, kind, group, layout_group_size(l, kind) - 1));
}

enum link_path
link_path(const struct plan *p, const struct layout *l, int kind, int64_t group)
{
	const int64_t per_node = p->cluster.gpus_per_node, domain = p->cluster.nvlink_domain;
	int64_t a, b;

	find_ends(p, l, kind, group, &a, &b);
	if (layout_group_size(l, kind) == 1)
		return LINK_ITSELF;
	if (a / domain == b / domain && domain > 1 && p->cluster.nvlink_gbps > 0)
		return LINK_NVLINK;
	return a / per_node == b / per_node ? LINK_NODE : LINK_NETWORK;
}

int
link_level(const struct levels *levels, const struct plan *p, const struct layout *l, int kind,
    int64_t group)
{
	int64_t a, b;

	find_ends(p, l, kind, group, &a, &b);
	return level_between(levels, p, a, b);
}

const char *
link_path_name(enum link_path path)
{
	static const char *const names[] = { "itself", "NVLink", "node", "network" };

	return names[path];
}

const char *
link_name(const struct plan *p, const struct layout *l, int kind, int64_t group)
{
	const enum link_path path = link_path(p, l, kind, group);
	struct levels levels;
	char err[160];
	const int level = path == LINK_NETWORK && levels_of(&levels, p, err, sizeof err) ?
	    link_level(&levels, p, l, kind, group) : -1;

	return level < 0 ? link_path_name(path) : level_name(level);
}
