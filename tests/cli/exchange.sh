#!/bin/sh
# import and export: what a user types, what is refused, and scripts that shells, shellcheck
# and a launcher read as they are meant.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

cat >args.sh <<'ARGS'
#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
TP=${TP:-2}
ARGS=(--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096)
torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py "${ARGS[@]}" --bf16 \
	--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 \
	--tensor-model-parallel-size $TP --log-interval 10
ARGS

about 'a script becomes a plan'
run 0 import args.sh
out_has 'tp = 2;'
out_has 'nodes = 2;'
err_has '^taken +--num-layers -> model.layers = 32$'
err_has '^ignored --log-interval: '
err_has '^assumed model.norm = layernorm: '

about 'from standard input, with a field of the command line'
"$PROG" import - --from=megatron --tp=4 <args.sh >out 2>err || fail "status $?"
out_has 'tp = 4;'

about 'into a file, which is not replaced'
run 0 import args.sh -o plan.cfg
[ -s plan.cfg ] || fail "nothing was written"
run 0 check plan.cfg
cp plan.cfg before.cfg
run 2 import args.sh --tp=8 --output=plan.cfg
cmp -s plan.cfg before.cfg || fail 'the file was replaced'

about 'what a launcher refuses is an answer of no, with its line'
{ cat args.sh; echo 'echo done'; } | sed 's/--bf16/--bf16 --fp16/' >both.sh
run 1 import both.sh
err_has '^both.sh:5: error: --fp16: '
[ ! -s out ] || fail 'there is a plan all the same'

about 'what can not be read'
for file in none.sh . /dev/null; do
	run 2 import "$file"
done
run 2 import args.sh --from=nothing
printf 'A=\0' >nul
run 2 import nul --from=megatron
run 0 import args.sh --world=32
out_has 'nodes = 4;'

about 'targets'
run 0 export --list
targets=$(sed -n '2,$s/ .*//p' out)
for target in $targets; do grep -q "^$target  *\(train\|serve\|both\) " out || fail "$target"; done
run 2 export --to=nothing
run 1 export --to=megatron --tp=3
run 1 export --to=megatron --layout=torchtitan
run 1 export --to=megatron --schedule=zb-1p
run 1 export --to=megatron --mode=serve --layout=vllm --pp=1

about 'releases of Megatron core'
run 0 export --to=megatron --model=mixtral-8x7b --nodes=2 --pp=2 --ep=4 --tp=1 --set training.offload_layers=8 \
    --set training.recompute=selective -o away.sh
grep -q '^export NVTE_CPU_OFFLOAD_V1=1' away.sh || fail 'weights go to the host too'
grep -q -- '--offload-modules attn_norm qkv_linear mlp_norm expert_fc1 moe_act$' away.sh || fail 'other modules'
if grep -q -- '--cpu-offloading-num-layers' away.sh; then fail 'whole layers with a pipeline'; fi
run 0 import away.sh
out_has '^	offload_layers = 8;'
run 0 export --to=megatron --set training.cross_entropy=native
out_has '^# Megatron-LM pretrain_gpt.py, core 0.12 to 0.20, from the built-in plan'
run 0 export --to=megatron # as the newest takes it, where nobody said otherwise
out_has '^# Megatron-LM pretrain_gpt.py, core 0.12 to 0.20, '
out_has '^	--cross-entropy-fusion-impl native$'
err_has 'not said: training.cross_entropy = te: nobody chose it, and core 0.18 and newer refuse it'
err_has 'as it runs it takes .* a step, not '
run 0 export --to=megatron --core=0.20
out_has '^	--cross-entropy-fusion-impl native$'
run 0 export --to=megatron --core=0.17
out_has '^	--cross-entropy-fusion-impl te$'
run 0 export --to=megatron --set training.cross_entropy=te
out_has '^# Megatron-LM pretrain_gpt.py, core 0.12 to 0.17, '
err_has 'core 0.18 and newer refuse --cross-entropy-fusion-impl te'
run 0 export --to=megatron --set training.cross_entropy=te --set training.cuda_graph=layer # as the releases spell it that take te
out_has '^# Megatron-LM pretrain_gpt.py, core 0.16 to 0.17, '
out_has '^	--cuda-graph-scope attn mlp$'
# Experts that pad to a capacity lie in a layer's graph; what does not is told.
padded='--model=qwen3-30b-a3b --tp=1 --pp=1 --ep=8 --set training.moe_capacity_factor=1 --set training.cuda_graph=layer'
# shellcheck disable=SC2086
run 0 export --to=megatron $padded
out_has '^	--moe-pad-expert-input-to-capacity$'
out_has '^	--cuda-graph-modules attn moe$'
grep -v -e --moe-pad-expert out | sed 's/attn moe$/attn moe_router moe_preprocess/' >padless.sh
run 0 import padless.sh
err_has '^ignored --moe-expert-capacity-factor: experts of a plan pad'
err_has '^ignored --cuda-graph-impl: with a capacity a plan.s graph of a layer holds experts'
run 1 export --to=megatron --core=0.19 --set training.cross_entropy=te
err_has 'core_too_new: core 0.19 does not start --cross-entropy-fusion-impl te; core 0.17 did .fix: --core=0.17 or training.cross_entropy=native'
run 0 export --to=megatron-sbatch --core=0.13 --zero-stage=2 --pp=1 --set training.gradient_accumulation_fusion=false
out_has '^	--use-custom-fsdp$'
out_lacks fsdp_dtensor
run 2 export --to=megatron --core=0.11
run 0 export --to=megatron-sbatch --model=mixtral-8x7b --ep=4 --set training.offload_layers=2
grep -q '^	--fine-grained-activation-offloading' out && ! grep -qx 'export NVTE_CPU_OFFLOAD_V1=1' out && fail 'weights are sent too'
run 1 export --to=markdown --core=0.12

about 'an empty name'
run 2 export --to=megatron -o ''
err_has '^shardplan: --output: the value is empty \(fix: --output=FILE\)$'
run 2 import args.sh --output=

about 'files are not replaced'
mkdir dir
run 0 export --to=megatron -o dir
[ -s dir/megatron.sh ] || fail "nothing was written"
run 0 export --to=megatron -o dir
cp dir/megatron.sh was
run 2 export --to=megatron --tp=4 -o dir/megatron.sh
cmp -s was dir/megatron.sh || fail 'the file was replaced'

about 'scripts are read by shells as they are meant'
set -- --model=deepseek-v3 --nodes=128 --ep=64 --pp=16 --tp=1 --set first_stage_layers=3 \
    --set last_stage_layers=2 --global-batch-size=8192
for target in $(echo "$targets" | grep megatron); do
	"$PROG" export --to="$target" "$@" >big.sh 2>err || fail "$target: status $?"
	"$PROG" export --to="$target" --pp=4 --tp=2 --set 'pipeline_layout=Et*8|t*8|t*8|t*8,L' \
	    >layout.sh 2>err || fail "$target: status $?"
	for script in big.sh layout.sh; do
		if command -v bash >/dev/null; then
			bash -n "$script" 2>out || fail "$target: bash"
		fi
		if command -v shellcheck >/dev/null; then
			shellcheck "$script" >out 2>&1 || fail "$target: shellcheck"
		fi
	done
done

# A launcher that prints its arguments, one a line, in a directory with a file that the layout
# would match; and a Slurm that runs the job on the spot.
if command -v bash >/dev/null; then
	mkdir -p bin 'Et8|t8|t8|t8,L'
	cat >bin/torchrun <<'FAKE'
#!/bin/sh
for word; do printf '%s\n' "$word"; done
FAKE
	cp bin/torchrun bin/python3.fake
	printf '#!/bin/sh\necho node0\n' >bin/scontrol
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n' >bin/srun
	chmod +x bin/*
	for target in megatron megatron-sbatch megatron-srun; do
		about "$target: arguments arrive whole"
		"$PROG" export --to="$target" --nodes=2 --pp=4 --tp=2 \
		    --set 'pipeline_layout=Et*8|t*8|t*8|t*8,L' >layout.sh 2>err || fail "status $?"
		PATH=$PWD/bin:$PATH PYTHON=python3.fake SLURM_NNODES=2 SLURM_JOB_NODELIST=n \
		    SLURM_NODEID=0 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=16 \
		    bash layout.sh >out 2>err || fail "status $?"
		grep -qxF 'Et*8|t*8|t*8|t*8,L' out || fail 'the layout is not one word'
		grep -qx -- --tensor-model-parallel-size out || fail 'TP is not there'
		grep -qx -- --mock-data out || fail 'there is no rehearsal'
	done
	about 'a job on other nodes than the plan ends at once'
	PATH=$PWD/bin:$PATH SLURM_NNODES=3 SLURM_JOB_NODELIST=n bash layout.sh >out 2>err
	[ $? = 2 ] || fail 'it goes on'
fi

about 'what is exported comes back'
"$PROG" export --to=megatron "$@" >big.sh 2>err || fail "status $?"
run 0 import big.sh -o back.cfg
"$PROG" export --to=megatron back.cfg >again.sh 2>err || fail "status $?"
grep -v '^# ' big.sh >a
grep -v '^# ' again.sh >b
cmp -s a b || fail 'and differs when exported again'

about 'Slurm starts ranks in the order of the nodes that the plan names'
for target in megatron-sbatch megatron-srun; do
	run 0 export --to=$target --nodes=4 --tp=8 --pp=1 --set 'cluster.node_list=n[5,3,1-2]'
	out_has '^#SBATCH --nodelist=n\[5,3,1-2\]$'
	out_has "^scontrol show hostnames 'n\[5,3,1-2\]' "
	out_has '^export SLURM_HOSTFILE SLURM_DISTRIBUTION=arbitrary$'
	out_has 'SLURM_PROCID'
	# run as Slurm would: names in this order, each as often as it has tasks
	sed -n '/^SLURM_HOSTFILE=/,/^export SLURM_HOSTFILE/p' out >hosts.sh
	cat >hosts-test.sh <<'SH'
scontrol() { printf 'n5\nn3\nn1\nn2\n'; }
SLURM_JOB_ID=7
. ./hosts.sh
SH
	bash hosts-test.sh || fail 'hosts'
	[ "$(uniq hosts.7 | tr '\n' ' ')" = 'n5 n3 n1 n2 ' ] || fail "order: $(cat hosts.7)"
	case $target in *srun) each=8 ;; *) each=1 ;; esac
	[ "$(wc -l <hosts.7)" -eq $((4 * each)) ] || fail 'tasks'
	run 0 export --to=$target --nodes=2 --tp=8 --pp=1 --set 'cluster.node_list=n[1-3]'
	out_has '^#SBATCH --nodelist=n\[1-2\]$'
	run 0 export --to=$target --nodes=2 --tp=8 --pp=1 --set 'cluster.node_list=n[1-4]' --set cluster.dead_nodes=n2,n4
	out_has '^#SBATCH --nodelist=n\[1,3\]$'
	out_has '^#SBATCH --exclude=n\[2,4\]$'
	run 0 export --to=$target --nodes=2 --tp=8 --pp=1 --set 'cluster.node_list=n[1-2]' --set cluster.dead_nodes=n2
	grep -q SLURM_HOSTFILE out && fail 'a node that is down'
	out_has '^#SBATCH --exclude=n2$'
	err_has 'cluster.node_list'
	run 0 export --to=$target --gpu=gb200 --gpus-per-node=4 --nodes=32 --tp=4 --pp=1 --set cluster.nvlink_domain=64
	out_has '^#SBATCH --segment=16$'
	run 0 export --to=$target --gpu=gb200 --gpus-per-node=4 --nodes=32 --tp=4 --pp=1
	out_has 'domains of 18 nodes do not divide the job'
	run 0 export --to=$target --nodes=2 --tp=8 --pp=1 --set cluster.dead_nodes=1 --set run.spare_nodes=1
	grep -q segment out && fail 'a node is a domain'
	grep -q exclude out && fail 'a node without a name'
	err_has 'cluster.dead_nodes'
done

# experts in each other layer after the first two, and in each other of all
for first in 2 0; do
	run 0 export --to=megatron --model=mixtral-8x7b --nodes=2 --ep=8 --pp=1 --tp=1 --set=model.dense_layers=$first \
	    --set=model.moe_layer_every=2
	cp out megatron.sh
	run 0 import megatron.sh
	out_has '^	moe_layer_every = 2;$'
	[ "$(sed -n 's/^	dense_layers = \(.*\);/\1/p' out)" = "${first#0}" ] || fail "not $first dense layers"
done

# With PP Bridge sends what modules keep of layers to the host: 4 of the 16 that a stage has.
run 0 export --to=megatron-bridge --model=mixtral-8x7b --nodes=2 --tp=2 --pp=2 --ep=4 --set=training.offload_layers=4
out_has '^	model\.fine_grained_activation_offloading=true$'
out_has '^	model\.activation_offload_fraction=0\.25$'
out_has 'model\.offload_modules=\[[a-z1-9,_]+\]'
finish
