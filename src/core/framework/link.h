/*
 * link.h - which links a process group crosses, and what a collective over it costs.
 *
 * Inside an NVLink domain times follow NCCL runs on A100, H100 and B200 (public tables of
 * ai-dynamo/aiconfigurator, systems/data, each system's nccl/ folder), scaled with the
 * plan's NVLink rate. Across domains they follow NCCL's own model (NVIDIA/nccl
 * src/graph/tuning.cc) at 92 % of the NICs that a group has to itself, the share that
 * 4 x 8 B200 and DGX H100 reach with large messages (stas00/ml-engineering network/README.md);
 * between the domains of one node over PCIe.
 */
#ifndef CORE_LINK_H
#define CORE_LINK_H
#include <stdbool.h>
#include <stdint.h>

#include "core/framework/layout.h"
#include "core/framework/levels.h"
#include "core/plan/plan.h"

/* Inside a domain, one GPU a domain, both. */
enum span_kind { SPAN_NVLINK, SPAN_NETWORK, SPAN_MIXED };
const char *span_name(enum span_kind kind); /* "nvlink", "network", "mixed" */

/* The link that a group which spans so waits for: "nvlink", "network". */
const char *span_path_name(enum span_kind kind);

struct span {
	enum span_kind kind;
	int64_t size;      /* members of the group */
	int64_t inside;    /* members in one NVLink domain */
	int64_t domains;   /* NVLink domains that the group touches */
	int64_t nodes;     /* nodes that the group touches */
	double nic_share;  /* NICs of a node that one such group has to itself */
	struct level_share level; /* what levels of the network leave of them */
};

/* Of the first group of a kind; all groups of a kind span alike when sizes are regular.
 * Takes time in the number of axes, not of ranks. kind -1: a group of one. */
struct span link_span(const struct plan *p, const struct layout *l, int kind);

/* A group leaves its NVLink domain, which has room for it. */
bool link_strays(const struct plan *p, const struct span *s);

/* A group of `size` ranks that lie `stride` apart. */
struct span link_stride(const struct plan *p, int64_t size, int64_t stride);

/* The links between the members of one group; LINK_NODE is PCIe inside a node. */
enum link_path { LINK_ITSELF, LINK_NVLINK, LINK_NODE, LINK_NETWORK };
enum link_path link_path(const struct plan *p, const struct layout *l, int kind,
    int64_t group);

/* The unit of the network that it stays in, as level_between. */
int link_level(const struct levels *levels, const struct plan *p, const struct layout *l, int kind,
    int64_t group);

/* Its name for people: "NVLink", "node", "network", "itself"; of a group by name, where the plan has levels,
 * that of the unit in place of "network". */
const char *link_path_name(enum link_path path);
const char *link_name(const struct plan *p, const struct layout *l, int kind, int64_t group);

/* Gb/s of all cards of a node, 0 without; and seconds that a small message from one node to the
 * next takes beyond those of NCCL over InfiniBand: those of the plan, or of its transport. */
double link_node_gbps(const struct plan *p);
double link_lag(const struct plan *p);

/* Seconds of a hop over the network. */
double link_hop(const struct plan *p);

/* GB/s that one GPU sends to the network over its node's cards. */
double link_card(const struct plan *p);

enum collective { COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_GATHER, COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_TO_ALL, COLLECTIVE_SEND };
const char *collective_name(enum collective c);

/* Bytes that one member sends for a full payload of S bytes (ring-equivalent). */
double collective_bytes(enum collective c, double payload, int64_t members);

/* How a time adds up, for those who ask: in symbols, in numbers, and over which links. */
struct link_note {
	char symbols[96], numbers[224], path[96];
};

/* Seconds for one collective of a full payload over a group that spans `span`; note may be
 * NULL. */
double collective_seconds(const struct plan *p, enum collective c, double payload,
    const struct span *span, struct link_note *note);

/* NVLink domains, or ranks of one, that a token of `copies` meets, of k. Routing limited to some groups
 * of experts (DeepSeek-V3 report, section 2.1.2, at most four nodes) meets those groups' domains. */
double link_places_met(const struct model *m, double k, double copies);

/*
 * Expert parallel dispatch or combine of tokens that visit `copies` ranks each, `token` bytes a
 * token, by parallel.moe_dispatcher. NCCL's all-to-all sends every copy. With DeepEP and HybridEP
 * a token travels across domains once to each domain that it visits (deepseek-ai/DeepEP README),
 * routing assumed uniform over the groups of experts that it may come to
 * (model.router_group_topk).
 */
double link_dispatch_seconds(const struct plan *p, double tokens, double token, double copies,
    const struct span *span, struct link_note *note);
#endif
