/* Scripts for sbatch: torchrun on each node, or a task for each GPU. */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/plan/nodes.h"
#include "file/base/quote.h"
#include "file/export/megatron_core.h"
#include "file/export/megatron_export.h"
#include "file/export/parts.h"
#include "file/export/writers.h"

static bool
is_plain(const char *list)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-,[]";

	return list[0] != '\0' && strspn(list, plain) == strlen(list);
}

/* The nodes that the job runs on in the order of ranks, as a list; NULL where that is none for Slurm: names that it
 * may have, of all of them. */
static const char *
orders_nodes(const struct plan *p, struct node_names *names)
{
	const int64_t listed = nodes_count(p->cluster.node_list);
	char name[NODE_NAME_SIZE];
	struct dead_nodes dead;

	*names = (struct node_names){ .cut = false };
	if (!is_plain(p->cluster.node_list) || !nodes_dead(&dead, p, name, sizeof name))
		return NULL;
	for (int64_t i = 0; i < p->cluster.nodes; i++) {
		const int64_t serving = nodes_serving(&dead, p, i);

		if (serving < 0 || serving >= listed)
			return NULL;
		nodes_name(p->cluster.node_list, serving, name, sizeof name);
		nodes_add_name(names, name);
	}
	return nodes_list(names);
}

/* Nodes of the list that are down, NULL without any. */
static const char *
dead_of(const struct plan *p, struct node_names *names)
{
	char name[NODE_NAME_SIZE];
	struct dead_nodes dead;

	*names = (struct node_names){ .cut = false };
	if (!is_plain(p->cluster.node_list) || !nodes_dead(&dead, p, name, sizeof name) || dead.count == 0)
		return NULL;
	for (int i = 0; i < dead.count; i++)
		for (int64_t node = dead.range[i].first; node <= dead.range[i].last; node++) {
			nodes_name(p->cluster.node_list, node, name, sizeof name);
			nodes_add_name(names, name);
		}
	return nodes_list(names);
}

/* Nodes of an NVLink domain are those of a block of Slurm (topology/block), of which a segment is one or a part
 * (sbatch(1), --segment); it has to divide the job. */
static void
put_segment(struct textbuf *out, const struct plan *p)
{
	const int64_t nodes = p->cluster.nodes, domain = p->cluster.nvlink_domain / most_of(1, p->cluster.gpus_per_node);

	if (domain < 2)
		return;
	if (nodes % least_of(domain, nodes) == 0)
		textbuf_add(out, "#SBATCH --segment=%lld\n", (long long)least_of(domain, nodes));
	else
		textbuf_add(out, "# NVLink domains of %lld nodes do not divide the job: no --segment keeps them together\n",
		    (long long)domain);
}

/* What sbatch reads stands before the first command: later lines are passed over. */
static void
put_directives(struct textbuf *out, const struct plan *p, const char *nodes, const char *dead, int64_t tasks)
{
	if (nodes != NULL)
		textbuf_add(out, "#SBATCH --nodelist=%s\n", nodes);
	if (dead != NULL)
		textbuf_add(out, "#SBATCH --exclude=%s\n", dead);
	textbuf_add(out, "#SBATCH --job-name=megatron\n#SBATCH --nodes=%lld\n"
	    "#SBATCH --ntasks-per-node=%lld\n#SBATCH --gpus-per-node=%lld\n",
	    (long long)p->cluster.nodes, (long long)tasks, (long long)p->cluster.gpus_per_node);
	put_segment(out, p);
	textbuf_add(out, "#SBATCH --output=%%x-%%j.out\n"
	    "# Fill in what your cluster asks for; some want --gres=gpu:%lld or --exclusive for GPUs.\n"
	    "##SBATCH --partition=\n##SBATCH --account=\n##SBATCH --time=\n",
	    (long long)p->cluster.gpus_per_node);
}

/* srun sorts nodes by name, unless a file has them in the order of ranks, one line a task (srun(1), --distribution=arbitrary,
 * SLURM_HOSTFILE). */
static void
put_hosts(struct textbuf *out, const char *nodes, int64_t tasks)
{
	textbuf_add(out, "# ranks stand in the order of the plan's nodes\n"
	    "SLURM_HOSTFILE=$PWD/hosts.$SLURM_JOB_ID\n"
	    "scontrol show hostnames ");
	quote_shell(out, nodes);
	if (tasks > 1)
		textbuf_add(out, " |\n\twhile read -r host; do for _ in $(seq %lld); do echo \"$host\"; done; done", (long long)tasks);
	textbuf_add(out, " >\"$SLURM_HOSTFILE\"\n"
	    "export SLURM_HOSTFILE SLURM_DISTRIBUTION=arbitrary\n"
	    "MASTER_ADDR=$(head -n 1 \"$SLURM_HOSTFILE\")\n");
}

/* A plan on another number of nodes would fail after minutes; here it does at once. */
static void
put_job(struct textbuf *out, struct export *e, const char *nodes, int64_t tasks)
{
	const struct plan *p = e->plan;

	textbuf_add(out, "set -eu\n"
	    "if [ \"$SLURM_NNODES\" -ne %lld ]; then\n"
	    "\techo \"the plan is for %lld nodes, not $SLURM_NNODES\" >&2\n\texit 2\nfi\n",
	    (long long)p->cluster.nodes, (long long)p->cluster.nodes);
	if (nodes != NULL)
		put_hosts(out, nodes, tasks);
	else
		textbuf_add(out, "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n");
	if (p->cluster.node_list[0] != '\0' && nodes == NULL)
		export_missing(e, FIELD_NODE_LIST, "Slurm takes the names of as many nodes as the plan has that are up, and plain ones");
	else
		EXPORT_SAY(e, FIELD_NODE_LIST);
	if (p->cluster.node_list[0] == '\0')
		export_missing(e, FIELD_DEAD_NODES, "Slurm knows nodes by their names, and the plan's have none");
	else
		EXPORT_SAY(e, FIELD_DEAD_NODES);
	EXPORT_SAY(e, FIELD_NVLINK_DOMAIN);
	textbuf_add(out, "MASTER_PORT=${MASTER_PORT:-29500}\nexport MASTER_ADDR MASTER_PORT\n");
	export_put_network(out, p, p->cluster.nodes);
	megatron_put_connections(out, p);
	megatron_put_own_args(out, e);
	megatron_put_data(out);
}

static void
write_sbatch(struct export *e, int64_t tasks, const char *launch)
{
	struct textbuf body = { 0 }, options = { 0 };
	struct node_names serving, down;
	const char *nodes = orders_nodes(e->plan, &serving);

	if (!megatron_can_run(e))
		return;
	megatron_core_suit(e);
	put_job(&body, e, nodes, tasks);
	textbuf_bytes(&body, launch, strlen(launch));
	put_directives(&options, e->plan, nodes, dead_of(e->plan, &down), tasks);
	megatron_script(e, "megatron.sbatch", options.failed ? "" : options.text, &body);
	free(options.text);
}

void
megatron_sbatch_torchrun(struct export *e)
{
	struct node_names serving;
	/* They are of the node, or of its one task, only inside srun. */
	const char *rank = orders_nodes(e->plan, &serving) != NULL ? "SLURM_PROCID" : "SLURM_NODEID";
	char launch[640];

	text_put(launch, sizeof launch, "# shellcheck disable=SC2016\n"
	    "exec srun --kill-on-bad-exit=1 --wait=60 bash -c '\n"
	    "\texec \"${TORCHRUN:-torchrun}\" --nnodes %lld --nproc-per-node %lld \\\n"
	    "\t\t--node-rank \"$%s\" --master-addr \"$MASTER_ADDR\" \\\n"
	    "\t\t--master-port \"$MASTER_PORT\" \"$@\"\n"
	    "' - \"${PRETRAIN:-pretrain_gpt.py}\" \"${args[@]}\" \"$@\"\n",
	    (long long)e->plan->cluster.nodes, (long long)e->plan->cluster.gpus_per_node, rank);
	write_sbatch(e, 1, launch);
}

void
megatron_sbatch_srun(struct export *e)
{
	/* Megatron-LM arguments.py reads RANK and WORLD_SIZE, torch.distributed LOCAL_RANK too. */
	write_sbatch(e, e->plan->cluster.gpus_per_node,
	    "# shellcheck disable=SC2016\n"
	    "exec srun --kill-on-bad-exit=1 --wait=60 bash -c '\n"
	    "\texport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\n"
	    "\texec \"${PYTHON:-python3}\" \"$@\"\n"
	    "' - \"${PRETRAIN:-pretrain_gpt.py}\" \"${args[@]}\" \"$@\"\n");
}
