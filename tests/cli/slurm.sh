#!/bin/sh
# Exported sbatch scripts as Slurm itself reads them: sbatch --test-only asks a controller of our
# own, which knows nodes of 8 GPUs and has none of them running. Skipped where Slurm is not
# installed or does not start.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
for tool in slurmctld sbatch sinfo; do
	command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done

controller=
trap '[ -z "$controller" ] || kill "$controller"; wait; rm -rf "$dir"' EXIT

# start PORT: a controller on the loopback there, with a directory, keys and users of its own.
# Nodes of a cloud are started when they are wanted: a job may be planned on them.
start() {
	rm -rf slurm
	mkdir -p slurm/state slurm/spool
	cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$1
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$dir/slurm/state
SlurmdSpoolDir=$dir/slurm/spool
SlurmctldPidFile=$dir/slurm/pid
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=60
NodeName=n-[0001-0256] NodeAddr=127.0.0.1 Port=[20001-20256] CPUs=224 RealMemory=2000000 Gres=gpu:8 State=CLOUD
PartitionName=gpus Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
	SLURM_CONF=$dir/slurm.conf
	export SLURM_CONF
	slurmctld -D >controller.log 2>&1 &
	controller=$!
	for _ in $(seq 120); do
		if grep -q 'Running as primary controller' controller.log; then
			timeout 30 sinfo -h >/dev/null 2>&1 && return 0
		fi
		kill -0 "$controller" 2>/dev/null || break
		sleep 0.25
	done
	kill "$controller" 2>/dev/null
	wait "$controller"
	controller=
	return 1
}

# Another process may have the port.
port=$((10000 + $$ % 20000))
start $port || start $((port + 1)) || start $((port + 2)) || {
	echo 'slurmctld does not start here:'
	tail -n 5 controller.log
	exit 77
}

# plans SCRIPT NODES PROCESSORS: Slurm would start it on so many, which the script alone tells.
plans() {
	timeout 60 sbatch --test-only "$1" >out 2>&1 || fail "sbatch: exit status $?"
	out_has "to start at .* using $3 processors on nodes n-.* in partition gpus"
	[ "$2" -eq 1 ] || out_has "on nodes n-\[0001-$(printf %04d "$2")\]"
}

for target in megatron-sbatch megatron-srun; do
	for nodes in 1 2 128; do
		run 0 export --to=$target --nodes=$nodes --gpus-per-node=8 --tp=8 --pp=1 --model=llama-3.1-8b \
		    --global-batch-size=1024 -o "$target-$nodes"
		case $target in *srun) tasks=$((8 * nodes)) ;; *) tasks=$nodes ;; esac
		about "$target on $nodes nodes"
		plans $target-$nodes "$nodes" $tasks
	done
	# a layout with what a shell would read, in a job of another name
	run 0 export --to=$target --nodes=2 --pp=4 --tp=2 --set 'pipeline_layout=Et*8|t*8|t*8|t*8,L' -o $target-layout
	about "$target with a layout"
	timeout 60 sbatch --test-only $target-layout >out 2>&1 || fail "sbatch: exit status $?"
	out_has 'on nodes n-\[0001-0002\]'
	run 0 export --to=$target --nodes=2 --tp=8 --pp=1 --set 'cluster.node_list=n-[0002,0001]' -o $target-order
	about "$target with nodes in an order"
	timeout 60 sbatch --test-only $target-order >out 2>&1 || fail "sbatch: exit status $?"
	out_has 'on nodes n-\[0001-0002\]'
	# what it asks for is read: nodes of 16 GPUs are not there, nor are 257 nodes
	for ask in '--gpus-per-node=16 --nodes=2' '--gpus-per-node=8 --nodes=512'; do
		rm -f big
		# shellcheck disable=SC2086
		run 0 export --to=$target $ask --tp=8 --pp=1 --model=llama-3.1-8b --global-batch-size=4096 -o big
		about "$target $ask"
		timeout 60 sbatch --test-only big >out 2>&1 && fail 'Slurm would start it'
		out_has 'Requested node configuration is not available|More processors requested|invalid'
	done
done

finish
