#!/bin/sh
# f on bad plans, illegal and too large: the best way out is legal, fits and leaves alone what
# was asked for; u takes it back.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

# mends KEPT OPTION...: KEPT is in the header before and after.
mends() {
	kept=$1
	shift
	start 120 30 tmux-256color "'$PROG' $*"
	expect "$kept"
	expect '1 error|[0-9] errors|over: '
	keys f
	expect 'what would mend the plan'
	expect '> .* GiB of .* GiB, [0-9.]+ m?s a (step|token)'
	keys Enter
	expect 'fixed: '
	expect 'fits [0-9.]+ of'
	expect "$kept"
	expect_not '[0-9] errors?'
	keys u
	expect 'undone'
	expect '1 error|[0-9] errors|over: '
	keys q
	expect 'leave|rc='
	text | grep -q 'rc=' || keys n
	expect 'rc=0'
}

mends 'TP 8' --nodes=1 --tp=8 --pp=4
mends 'PP 4' --nodes=8 --pp=4 --model=llama-3.1-70b --tp=8 --micro-batch-size=4 --sequence-length=8192
mends 'TP 8 PP 8' --nodes=128 --model=llama-3.1-405b --tp=8 --pp=8
mends 'TP 8' --nodes=16 --model=llama-3.1-405b --tp=8 --pp=2
mends 'PP 1 ' --nodes=8 --model=llama-3.1-70b --layout=torchtitan --tp=1 --pp=1
mends 'TP 1 PP 1' --nodes=4 --model=llama-3.1-70b --layout=deepspeed --tp=1 --pp=1
mends 'TP 2 .*PP 4' --global-batch-size=65
mends 'PP 2' --nodes=2 --model=mixtral-8x7b --tp=1 --pp=2 --micro-batch-size=8
mends 'TP 1' --mode=serve --layout=vllm --model=llama-3.1-70b --nodes=1 --tp=1 --pp=1
mends 'TP 4' --mode=serve --layout=vllm --model=llama-3.1-70b --nodes=1 --tp=4 --pp=1 --concurrency=512

# The built-in plan's sizes are nobody's: they make room for a change, and say so.
start 120 30 tmux-256color "'$PROG'"
expect 'TP 2 PP 4'
keys : s e t Space t p Space 8 Enter
expect 'PP steps back from 4 to 2 \(u goes back\)'
expect 'TP 8 PP 2'
expect_not '[0-9] error'
keys u
expect 'TP 2 PP 4'
keys : s e t Space l a y e r s Space 1 8 Enter
expect 'PP steps back from 4 to 2'
keys u : s e t Space p p Space 8 Enter : s e t Space t p Space 8 Enter
expect 'TP 8 PP 8'
expect '1 error'
keys : q ! Enter
expect 'rc=0'

# A GPU without rates: why only its memory is told.
start 120 30 tmux-256color "'$PROG' --set=cluster.bf16_tflops=0"
expect 'fits [0-9.]+ of .* no times: GPU rates unknown'
keys : q ! Enter
expect 'rc=0'

# hint REASON OPTION...: a plan that runs, but poorly, has a hint for that reason; Enter takes its change.
hint() {
	reason=$1
	shift
	start 120 30 tmux-256color "'$PROG' $*"
	expect 'no warnings'
	keys '!'
	expect 'hint: '
	expect "$reason"
	expect '[0-9] -> [0-9]|[0-9] m?s -> [0-9]'
	keys Enter
	expect 'fixed: '
	expect 'no warnings'
	keys u
	expect 'undone'
	keys q
	expect 'leave|rc='
	text | grep -q 'rc=' || keys n
	expect 'rc=0'
}

hint tp_more_than_needed --nodes=1 --tp=8 --pp=1
hint pipeline_bubble --nodes=4 --tp=2 --pp=8 --global-batch-size=16
hint tp_of_engine --mode=serve --nodes=1 --tp=1 --pp=1 --concurrency=8
hint latent_copied "'$TOP/share/plans/serve-deepseek-v3.cfg'"
