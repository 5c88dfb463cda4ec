#!/bin/sh
# Three commands each: the largest model that somebody with these GPUs can fine-tune, the fastest
# plan for it, and what launches that. As the manual has them; with sanitizers one of the three (lib.sh).
# shellcheck disable=SC1091,SC2086,SC2154
. "$(dirname "$0")/lib.sh"

# best: the options of the first plan that a search has printed, as a shell reads them
best() {
	sed -n 's/^Options of 1: //p' out | sed 's/^none, .*//'
}

# tour SCRIPT ARGUMENT...: all three
tour() {
	script=$1
	shift
	tours=$((tours + 1))
	in_share $tours || return 0
	good search "$@" --free=preset --fix=vpp --objective=params.total --top=1
	out_has '^Options of 1: .*--model='
	options=$(best)
	model=$(best | tr ' ' '\n' | grep '^--model=')
	largest=$(eval '"$PROG" estimate --json "$@"' "$options" | sed -n 's/.*"total": \([0-9]*\).*/\1/p' | head -n 1)
	eval 'run 0 check "$@"' "$options"
	run 0 search "$@" $model --top=3
	out_has '^ +1 '
	fastest=$(best)
	eval 'run 0 check "$@" $model' "$fastest"
	eval 'run 0 estimate "$@" $model' "$fastest"
	out_has '^peak .*: fits'
	rm -rf t
	mkdir t
	eval 'run 0 export "$@" $model' "$fastest" -o t
	[ -s "t/$script" ] || fail "no $script: $(ls t)"
	about "the model after $model"
	[ -n "$largest" ] || fail 'no size'
}

tours=0
cp "$TOP/share/plans/lora-llama-3.1-8b-24gb.cfg" lora.cfg
tour trl.sh lora.cfg --set finetune.method=qlora
small=$largest
tour bridge.sh --nodes=1 --set finetune.method=lora
node=$largest
tour bridge.sh --nodes=8 --set finetune.method=lora
about 'more GPUs, larger models'
[ "$share" -gt 1 ] || { [ "$small" -lt "$node" ] && [ "$node" -lt "$largest" ]; } || fail "$small, $node, $largest"

# no larger one fits on the card
run 1 check --strict lora.cfg --set finetune.method=qlora --model=llama-3.1-70b
finish
