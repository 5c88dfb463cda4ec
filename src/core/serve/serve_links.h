/*
 * serve_links.h - links that the GPUs of serving engines send over.
 */
#ifndef CORE_SERVE_LINKS_H
#define CORE_SERVE_LINKS_H
#include <stdbool.h>

#include "core/plan/plan.h"

/* Of NVLink's rate that all-gathers and reduce-scatters of NCCL reach: .48 to .69. */
#define SERVE_EXCHANGE_SHARE .6

/* True where NVLink joins a group of so many. */
bool serve_is_linked(const struct cluster *c, double members);

/* Bytes a second, one way, that a GPU sends to others of a group of so many; *least: seconds that a
 * message takes at least. */
double serve_link(const struct plan *p, double members, double *least);

/* Bytes a second that a GPU's part of its node's network cards sends. */
double serve_network_rate(const struct plan *p);

/* Bytes a second of cached blocks that come from a GPU's host; 0: not known. */
double serve_fetch_rate(const struct plan *p);
#endif
