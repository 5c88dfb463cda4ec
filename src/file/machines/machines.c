#include "file/machines/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct machines_kind *
machines_add(struct machines *m, const char *gpu, int64_t gpus, int64_t nodes)
{
	struct machines_kind *k = m->kind;

	while (k < m->kind + m->kinds && (k->gpus != gpus || !text_equal(k->gpu, gpu)))
		k++;
	if (k == m->kind + MACHINES_KINDS_MAX)
		return NULL;
	if (k == m->kind + m->kinds) {
		m->kinds++;
		*k = (struct machines_kind){ .gpus = gpus };
		text_put(k->gpu, sizeof k->gpu, "%s", gpu);
	}
	k->nodes += nodes;
	return k;
}

bool
machines_names(struct import *im, struct machines *m, const char *list, size_t length,
    int64_t *added)
{
	switch (hosts_add(&m->seen, list, length, added)) {
	case HOSTS_ADDED:
	case HOSTS_KNOWN:
		return true;
	case HOSTS_WRONG:
		import_error(im, "", "this is no list of nodes (fix: as a-[01-16],b)");
		break;
	case HOSTS_TOO_MANY:
		import_error(im, "", "more than %d nodes", (int)HOSTS_MAX);
		break;
	}
	return false;
}

bool
machines_listed(struct import *im, struct machines *m, struct machines_kind *k, const char *list, size_t length,
    bool dead)
{
	int64_t added;
	bool read;

	m->seen.names = &k->names;
	m->seen.down = dead ? &k->down : NULL;
	read = machines_names(im, m, list, length, &added);
	m->seen.names = m->seen.down = NULL;
	k->nodes += added;
	k->dead += dead ? added : 0;
	return read;
}

void
machines_free(struct machines *m)
{
	hosts_free(&m->seen);
}

/* Bytes of an escape sequence: ESC [ ... letter, or ESC and one more. */
static size_t
escape_length(const char *s)
{
	size_t n = 2;

	if (s[1] != '[')
		return s[1] != '\0' ? 2 : 1;
	while (s[n] != '\0' && (s[n] < '@' || s[n] > '~') && s[n] != '\n')
		n++;
	return n + (s[n] != '\0' && s[n] != '\n');
}

bool
machines_line(struct import *im, const char **at, char *line, size_t size)
{
	size_t n = 0;

	if (**at == '\0')
		return false;
	im->line++;
	while (**at != '\0' && **at != '\n') {
		if (**at == '\x1b') {
			*at += escape_length(*at);
			continue;
		}
		if (n + 1 < size && ((unsigned char)**at >= ' ' || **at == '\t') && **at != '\x7f')
			line[n++] = **at;
		++*at;
	}
	line[n] = '\0';
	*at += **at == '\n';
	return true;
}

/* ---- fields -------------------------------------------------------------------------- */

void
machines_gpu(struct import *im, const char *name, const char *source)
{
	const struct catalog_entry *gpu;
	bool exact = false;
	char why[160];

	if (im->catalog == NULL || *name == '\0')
		return;
	gpu = catalog_of_driver(&im->catalog->gpus, name, &exact);
	if (gpu == NULL)
		gpu = catalog_find(&im->catalog->gpus, name);
	text_put(why, sizeof why, "%s says %s", source, name);
	if (gpu == NULL)
		notes_add(&im->assumed, "cluster.gpu stays: no GPU of the catalogue is called %s (fix: "
		    "--gpu, shardplan gpus lists them)", name);
	else if (exact)
		import_set(im, FIELD_GPU, gpu->id, name);
	else
		import_assume(im, FIELD_GPU, gpu->id, why);
}

/* What the report says, unless it is what such a card has: the catalogue knows better how much of
 * it a program sees. */
static void
put_memory(struct import *im, double mib)
{
	const struct catalog_entry *gpu = im->catalog != NULL ?
	    catalog_find(&im->catalog->gpus, im->plan->cluster.gpu) : NULL;
	const double gib = mib / 1024, known = gpu != NULL && field_is_set(FIELD_GPU, im->plan) ?
	    gpu->values.cluster.memory_gib : 0;

	if (mib <= 0 || fabs(gib - known) < .03 * known)
		return;
	import_set(im, FIELD_MEMORY_GIB, TEXT_OF(32, "%.2f", gib), "memory");
}

/* The kind with most GPUs, or nodes where none says how many. */
static const struct machines_kind *
largest(const struct machines *m)
{
	const struct machines_kind *best = &m->kind[0];

	for (size_t i = 1; i < m->kinds; i++) {
		const struct machines_kind *k = &m->kind[i];
		const int64_t more = k->nodes * k->gpus - best->nodes * best->gpus;

		if (more > 0 || (more == 0 && k->nodes > best->nodes))
			best = k;
	}
	return best;
}

static void
put_size(struct import *im, const struct machines *m, const struct machines_kind *k,
    const char *source)
{
	if (m->one_node && im->world == 0) {
		import_set_int(im, FIELD_GPUS_PER_NODE, k->gpus, source);
		import_assume(im, FIELD_NODES, "1", "the list is of one node (fix: --nodes)");
	} else if (m->one_node) {
		import_machine(im, im->world, 0, k->gpus, source);
	} else if (k->gpus > 0) {
		import_machine(im, k->nodes * k->gpus, k->nodes, k->gpus, source);
	} else if (im->world > 0) {
		import_machine(im, im->world, k->nodes, 0, source);
	} else {
		import_set_int(im, FIELD_NODES, k->nodes, source);
		notes_add(&im->assumed, "cluster.gpus_per_node: %s does not say, so the usual number (fix: "
		    "--gpus-per-node)", source);
	}
}

static int
compare_names(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* In the order in which Slurm starts ranks; sinfo has them by their state. NULL where there are too many. */
static const char *
sorted(struct node_names *names)
{
	const char *list = nodes_list(names);
	const int64_t count = list != NULL ? nodes_count(list) : 0;
	char (*name)[NODE_NAME_SIZE] = count > 0 ? malloc((size_t)count * sizeof *name) : NULL;

	if (name == NULL)
		return NULL;
	for (int64_t i = 0; i < count; i++)
		nodes_name(list, i, name[i], sizeof name[i]);
	qsort(name, (size_t)count, sizeof *name, compare_names);
	*names = (struct node_names){ .cut = false };
	for (int64_t i = 0; i < count; i++)
		nodes_add_name(names, name[i]);
	free(name);
	return nodes_list(names);
}

/* Nodes that are down by their names, or how many there are. */
static void
put_dead(struct import *im, const struct machines_kind *k)
{
	struct node_names names = k->names, down = k->down;
	const char *list, *dead;

	if (k->dead == 0)
		return;
	list = sorted(&names);
	dead = sorted(&down);
	if (list == NULL || dead == NULL || strlen(dead) >= PLAN_DEAD_SIZE || nodes_count(list) < im->plan->cluster.nodes) {
		notes_add(&im->assumed, "%lld nodes that are down, drained or do not answer count (fix: "
		    "--nodes)", (long long)k->dead);
		return;
	}
	import_set(im, FIELD_NODE_LIST, list, "nodes by their names");
	import_set(im, FIELD_DEAD_NODES, dead, "nodes that are down, drained or do not answer");
}

/* Names of the job's own nodes, where there is room for them. */
static void
put_names(struct import *im, const struct machines_kind *k)
{
	struct node_names names = k->names;
	const char *list = nodes_list(&names);

	if (list != NULL && nodes_count(list) >= im->plan->cluster.nodes)
		import_set(im, FIELD_NODE_LIST, list, "nodes by their names, in the order of ranks");
}

/* All GPUs of the node are in one domain, which of such GPUs has more nodes: what is seen from one tells no more. */
static bool
goes_beyond(const struct import *im, int64_t domain, const struct machines_kind *k)
{
	const struct catalog_entry *gpu = im->catalog != NULL && field_is_set(FIELD_GPU, im->plan) ?
	    catalog_find(&im->catalog->gpus, im->plan->cluster.gpu) : NULL;

	return gpu != NULL && domain == k->gpus && gpu->values.cluster.nvlink_domain > domain;
}

void
machines_put(struct import *im, const struct machines *m, const char *source)
{
	const struct machines_kind *best = largest(m);

	im->line = 0;
	if (m->kinds == 0) {
		import_error(im, "", "no machine is named here");
		return;
	}
	machines_gpu(im, best->gpu, source);
	put_size(im, m, best, source);
	put_memory(im, m->memory_mib);
	if (m->domain > 0 && !goes_beyond(im, m->domain, best))
		import_set_int(im, FIELD_NVLINK_DOMAIN, m->domain, source);
	if (m->nics > 0)
		import_set_int(im, FIELD_NICS_PER_NODE, m->nics, source);
	for (size_t i = 0; i < m->kinds; i++)
		if (&m->kind[i] != best && m->kind[i].nodes > 0)
			notes_add(&im->ignored, "%lld nodes of %lld GPUs%s%s: a plan has one kind of node",
			    (long long)m->kind[i].nodes, (long long)m->kind[i].gpus,
			    m->kind[i].gpu[0] != '\0' ? " " : "", m->kind[i].gpu);
	if (m->in_order)
		put_names(im, best);
	put_dead(im, best);
}
