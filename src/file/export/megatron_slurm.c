/* Scripts for sbatch: torchrun on each node, or a task for each GPU. */
#include <stdlib.h>
#include <string.h>

#include "core/plan/field.h"
#include "core/plan/nodes.h"
#include "file/export/megatron_core.h"
#include "file/export/megatron_export.h"
#include "file/export/parts.h"
#include "file/export/quote.h"
#include "file/export/writers.h"

/* The order of the plan's nodes is one for Slurm: names that it may have, as many as there are nodes. */
static bool
orders_nodes(const struct plan *p)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-,[]";
	const char *list = p->cluster.node_list;

	return list[0] != '\0' && strspn(list, plain) == strlen(list) && nodes_count(list) == p->cluster.nodes;
}

/* What sbatch reads stands before the first command: later lines are passed over. */
static void
put_directives(struct textbuf *out, const struct plan *p, int64_t tasks)
{
	if (orders_nodes(p))
		textbuf_add(out, "#SBATCH --nodelist=%s\n", p->cluster.node_list);
	textbuf_add(out, "#SBATCH --job-name=megatron\n#SBATCH --nodes=%lld\n"
	    "#SBATCH --ntasks-per-node=%lld\n#SBATCH --gpus-per-node=%lld\n",
	    (long long)p->cluster.nodes, (long long)tasks, (long long)p->cluster.gpus_per_node);
	textbuf_add(out, "#SBATCH --output=%%x-%%j.out\n"
	    "# Fill in what your cluster asks for; some want --gres=gpu:%lld or --exclusive for GPUs.\n"
	    "##SBATCH --partition=\n##SBATCH --account=\n##SBATCH --time=\n",
	    (long long)p->cluster.gpus_per_node);
}

/* srun sorts nodes by name, unless a file has them in the order of ranks, one line a task (srun(1), --distribution=arbitrary,
 * SLURM_HOSTFILE). */
static void
put_hosts(struct textbuf *out, const struct plan *p, int64_t tasks)
{
	textbuf_add(out, "# ranks stand in the order of the plan's nodes\n"
	    "SLURM_HOSTFILE=$PWD/hosts.$SLURM_JOB_ID\n"
	    "scontrol show hostnames ");
	quote_shell(out, p->cluster.node_list);
	if (tasks > 1)
		textbuf_add(out, " |\n\twhile read -r host; do for _ in $(seq %lld); do echo \"$host\"; done; done", (long long)tasks);
	textbuf_add(out, " >\"$SLURM_HOSTFILE\"\n"
	    "export SLURM_HOSTFILE SLURM_DISTRIBUTION=arbitrary\n"
	    "MASTER_ADDR=$(head -n 1 \"$SLURM_HOSTFILE\")\n");
}

/* A plan on another number of nodes would fail after minutes; here it does at once. */
static void
put_job(struct textbuf *out, struct export *e, int64_t tasks)
{
	const struct plan *p = e->plan;

	textbuf_add(out, "set -eu\n"
	    "if [ \"$SLURM_NNODES\" -ne %lld ]; then\n"
	    "\techo \"the plan is for %lld nodes, not $SLURM_NNODES\" >&2\n\texit 2\nfi\n",
	    (long long)p->cluster.nodes, (long long)p->cluster.nodes);
	if (orders_nodes(p))
		put_hosts(out, p, tasks);
	else
		textbuf_add(out, "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n");
	if (p->cluster.node_list[0] != '\0' && !orders_nodes(p))
		export_missing(e, FIELD_NODE_LIST, "Slurm takes the names of as many nodes as the plan has, and plain ones");
	else
		EXPORT_SAY(e, FIELD_NODE_LIST);
	textbuf_add(out, "MASTER_PORT=${MASTER_PORT:-29500}\nexport MASTER_ADDR MASTER_PORT\n");
	export_put_network(out, p, p->cluster.nodes);
	megatron_put_connections(out, p);
	megatron_put_own_args(out, e);
	megatron_put_data(out);
}

static void
write_sbatch(struct export *e, const char *name, int64_t tasks, const char *launch)
{
	struct textbuf body = { 0 }, options = { 0 };

	if (!megatron_can_run(e))
		return;
	megatron_core_suit(e);
	put_job(&body, e, tasks);
	textbuf_bytes(&body, launch, strlen(launch));
	put_directives(&options, e->plan, tasks);
	megatron_script(e, name, options.failed ? "" : options.text, &body);
	free(options.text);
}

void
megatron_sbatch_torchrun(struct export *e)
{
	/* They are of the node, or of its one task, only inside srun. */
	const char *rank = orders_nodes(e->plan) ? "SLURM_PROCID" : "SLURM_NODEID";
	char launch[640];

	text_put(launch, sizeof launch, "# shellcheck disable=SC2016\n"
	    "exec srun --kill-on-bad-exit=1 --wait=60 bash -c '\n"
	    "\texec \"${TORCHRUN:-torchrun}\" --nnodes %lld --nproc-per-node %lld \\\n"
	    "\t\t--node-rank \"$%s\" --master-addr \"$MASTER_ADDR\" \\\n"
	    "\t\t--master-port \"$MASTER_PORT\" \"$@\"\n"
	    "' - \"${PRETRAIN:-pretrain_gpt.py}\" \"${args[@]}\" \"$@\"\n",
	    (long long)e->plan->cluster.nodes, (long long)e->plan->cluster.gpus_per_node, rank);
	write_sbatch(e, "megatron.sbatch", 1, launch);
}

void
megatron_sbatch_srun(struct export *e)
{
	/* Megatron-LM arguments.py reads RANK and WORLD_SIZE, torch.distributed LOCAL_RANK too. */
	write_sbatch(e, "megatron.sbatch", e->plan->cluster.gpus_per_node,
	    "# shellcheck disable=SC2016\n"
	    "exec srun --kill-on-bad-exit=1 --wait=60 bash -c '\n"
	    "\texport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\n"
	    "\texec \"${PYTHON:-python3}\" \"$@\"\n"
	    "' - \"${PRETRAIN:-pretrain_gpt.py}\" \"${args[@]}\" \"$@\"\n");
}
