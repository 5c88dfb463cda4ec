#!/bin/sh
# The examples of README.md and of shardplan-tour(7) print what stands there. After a change
# of the numbers, REGEN=1 in the environment writes the pages anew.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

PATH=$(dirname "$PROG"):$PATH LC_ALL=C.UTF-8
export PATH LC_ALL
cp "$TOP/tests/data/logs/megatron.log" train.log
printf 'cluster: { nodes = 2; };\nparallel: { tp = 2; pp = 4; };\n' >plan.cfg
printf 'cluster: { nodes = 2; };\nparallel: { tp = 4; pp = 4; };\n' >tp4.cfg
{
	echo 'node1:815:1021 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.11<0>'
	for i in 1 2 3 4 5 6 7 8 9; do
		echo " iteration $i/ 1000 | elapsed time per iteration (ms): 524$i""0.0 | global batch size: 512 |"
	done
} >slow.log
cat >70b.cfg <<'PLAN'
cluster:  { nodes = 8; };
model:    { preset = "llama-3.1-70b"; };
parallel: { tp = 8; pp = 4; };
training: { global_batch_size = 512; };
PLAN

# In a block, what follows "$ COMMAND" is its output.
cat >run.awk <<'AWK'
/^```/ { inside = !inside; output = 0 }
/^\.Bd -literal/ { inside = 1 }
/^\.Ed/ { inside = output = 0 }
!output || /^\$ / { print }
inside && /^\$ / {
	output = 1
	command = "exec 2>&1; " substr($0, 3)
	while ((command | getline line) > 0)
		print line
	close(command)
}
AWK
for page in README.md man/shardplan-tour.7.in; do
	about "$page"
	: >out
	[ "$(grep -c '^\$ ' "$TOP/$page")" -ge 3 ] || fail 'has hardly any example'
	awk -f run.awk "$TOP/$page" >page
	[ -z "${REGEN:-}" ] || cp page "$TOP/$page"
	diff "$TOP/$page" page >out || fail 'says (<) what the program does not (>)'
done

about README.md
grep -n '^\./configure' "$TOP/README.md" >out && fail 'a clone has no configure before autoreconf'

# Those of shardplan(1): each command has one, and each does as it is told.
page=$TOP/man/shardplan.1.in
about 'EXAMPLES of shardplan(1)'
sed -n '/^\.Sh EXAMPLES/,/^\.Sh DIAG/{ /^\.Dl \$/{ :more
/\\e$/{ N; s/ *\\e\n\.Dl " */ /; s/"$//; b more
}
s/^\.Dl \$ //p; }; }' "$page" >commands
"$PROG" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help |
    while read -r command; do
	grep -q "shardplan $command\( \|$\)" commands || echo "$command"
    done >out
[ ! -s out ] || fail 'commands without an example'
cat >run.sh <<-'END'
	torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 32 \
	    --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 \
	    --global-batch-size 64 --max-position-embeddings 4096 --vocab-size 32000 --bf16 \
	    --use-distributed-optimizer --mock-data --train-iters 10
END
cat >config.json <<-'END'
	{ "model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 8, "num_attention_heads": 16,
	  "num_key_value_heads": 4, "intermediate_size": 4096, "vocab_size": 32000 }
END
cp "$TOP/share/plans/lora-llama-3.1-8b-24gb.cfg" lora.cfg
mkdir -p bin "$HOME/.config/shardplan"
printf '#!/bin/sh\ncat >/dev/null\n' >bin/jq
printf '#!/bin/sh\n' >bin/sbatch
chmod +x bin/jq bin/sbatch
PATH=$PWD/bin:$PATH
while read -r line; do
	case $line in 'shardplan plan.cfg') continue ;; esac # the screen
	about "$line"
	sh -c "$line" </dev/null >out 2>err || fail "exit status $?"
done <commands
finish
