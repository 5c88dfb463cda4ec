#!/bin/sh
# What the documents ask that this program grew from, item by item (tests/data/items.tsv): a drawing of
# process groups, notes on ranks and launches, on choosing sizes, on long sequences and experts. Of each the command, the
# lines typed in the linear mode (| ends one) or the page that shows it, and what only a right answer has.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

LC_ALL=C.UTF-8 PLANS=$TOP/share/plans
export LC_ALL PLANS
if "$PROG" import /dev/null --from axolotl 2>&1 | grep -q 'without libyaml'; then exit 77; fi
echo 'torchrun --nproc_per_node=2 ddp.py' >torchrun.sh
echo 'torchrun --nnodes=4 --node_rank=0 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=h:29400 ddp.py' \
    >torchrun-nodes.sh
echo 'accelerate launch --mixed_precision bf16 train.py' >accelerate.sh
cat >accelerate.yaml <<'END'
distributed_type: FSDP
mixed_precision: bf16
num_machines: 2
num_processes: 16
fsdp_config:
  fsdp_version: 2
  fsdp_reshard_after_forward: true
END
echo 'deepspeed --num_gpus=8 train.py' >deepspeed.sh
echo 'deepspeed --hostfile=hostfile --master_port 8000 --include="node1:1,2@node2:0,1,2" run.py --deepspeed' \
    >deepspeed-nodes.sh
cat >part.sh <<'END'
START_RANK=2
END_RANK=4
if [[ ${TRAINER_ID} -lt $START_RANK ]]; then exit; fi
export WORLD_SIZE=$(($END_RANK - $START_RANK))
export RANK=$(($TRAINER_ID - ${START_RANK}))
torchrun --nnodes $WORLD_SIZE --node_rank $RANK --nproc_per_node 8 tests/test_internode.py
END
cat >p2p.txt <<'END'
[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
Device: 0, NVIDIA H100 80GB HBM3, pciBusID: 10, pciDeviceID: 0, pciDomainID:0
Device: 1, NVIDIA H100 80GB HBM3, pciBusID: 11, pciDeviceID: 0, pciDomainID:0
Device=0 CAN Access Peer Device=1

Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\D     0      1 
     0 2474.76 376.60 
     1 376.70 2512.44 
END

shows() {
	grep -Eq -- "$2" out || fail "$1 lacks '$2'"
}

count=0
tab=$(printf '\t')
while IFS=$tab read -r document item kind input fact other; do
	[ "$document" != document ] || continue
	about "$document, $item: $input"
	count=$((count + 1))
	case $kind in
	run)
		eval "\"\$PROG\" $input" >out 2>&1 </dev/null
		shows answer "$fact" ;;
	keys)
		printf '%s|q|d\n' "$input" | tr '|' '\n' | TERM=dumb "$PROG" --linear >out 2>&1
		shows answer "$fact" ;;
	page)
		"$PROG" topics "$input" >out 2>&1
		shows page "$fact"
		"$PROG" topics --language=zh "$input" >out 2>&1
		shows 'Chinese page' "$other" ;;
	*)
		fail "no such kind: $kind" ;;
	esac
done <"$TOP/tests/data/items.tsv"
about tests/data/items.tsv
[ "$count" -ge 101 ] || fail "only $count items"
finish
