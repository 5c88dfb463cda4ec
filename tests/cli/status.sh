#!/bin/sh
# Exit statuses, and what goes to standard output and what to standard error.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

cat >plan.cfg <<'PLAN'
format = 1;
name = "small";
cluster: { nodes = 1; gpus_per_node = 4; };
parallel: { tp = 2; };
PLAN
cat >illegal.cfg <<'PLAN'
format = 1;
parallel: { tp = 3; };
PLAN
cat >wrong.cfg <<'PLAN'
format = 1;
parallel: { tpp = 3;
	tp = "x"; };
PLAN
printf 'parallel: { tp = ;\n' >syntax.cfg
printf 'parallel: {\n\ttp = 2;\n' >open.cfg

# every command on the built-in plan, on a file, and on standard input
for command in groups layers map estimate; do
	good "$command"
	good "$command" plan.cfg
	"$PROG" "$command" - <plan.cfg >piped 2>err || fail "$command -: exit status $?"
	cmp -s out piped || fail "$command -: differs from $command plan.cfg"
	run 2 "$command" missing.cfg
	no_out
	err_has '^missing\.cfg'
	run 2 "$command" wrong.cfg
	no_out
	err_has '^wrong\.cfg:2: error: .*parallel\.tp'
	err_has '^wrong\.cfg:3: error: '
	run 2 "$command" syntax.cfg
	no_out
	err_has '^syntax\.cfg:1: error: '
done
good rank 5
good rank plan.cfg 3
good explain memory.optimizer
good explain plan.cfg optimizer
good explain params.total
run 1 explain serving.ttft_seconds
err_has 'has no terms in this plan'
good diff plan.cfg plan.cfg
for command in fields models gpus clusters help; do
	good "$command"
done
run 0 help export
out_has '^  -o, --output=FILE  *write there '
for command in --help -h --version -V 'groups --help' 'help groups' 'help keys'; do
	# shellcheck disable=SC2086
	good $command
done

# the answer is no: the reason on standard error, except from check
for command in groups layers map estimate; do
	[ "$command" = layers ] && continue
	run 1 "$command" illegal.cfg
	err_has '^shardplan: error parallel\.tp world_not_divisible: '
done
run 1 rank illegal.cfg 0
no_out
run 1 layers --layers=31 --pp=2
no_out
err_has '^shardplan: error [a-z_.]+ layers_not_divisible_by_pp: '
run 1 check illegal.cfg
no_err
out_has '^error parallel\.tp world_not_divisible: .* \(fix: parallel\.tp=[0-9]+\)$'
run 0 check plan.cfg
no_err
out_lacks '^error'
run 1 check --strict --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 --model=llama-3.1-70b
no_err
out_has '^error '
run 0 check --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 --model=llama-3.1-70b
out_has '^warning '
out_lacks '^error'

# what the model or the memory dislikes does not stop these, and is told
for command in groups layers map; do
	run 0 $command --tp=3 --pp=1 --nodes=1 --gpus-per-node=6
	[ -s out ] || fail 'nothing printed'
	err_has '^shardplan: warning parallel\.tp heads_not_divisible: .* \(fix: parallel\.tp=2 training\.global_batch_size=63\)$'
	run 0 $command --model=llama-3.1-70b --pp=1
	[ -s out ] || fail 'nothing printed'
	err_has '^shardplan: warning plan does_not_fit: '
	good $command --global-batch-size=7
done

# a group that is not closed: the last line, and none behind it
run 2 check open.cfg
err_has '^open\.cfg:2: error: '

# what is not refused is not silent about a model or GPU that nobody knows
for command in groups layers map pipeline 'map --color-by=layers'; do
	# shellcheck disable=SC2086
	run 0 $command --model=llama-3.1-9b
	err_has '^shardplan: warning model\.preset unknown_model: .* \(fix: model\.preset=llama'
done

# what nobody knows is not made up
for unknown in --gpu=h100-sxm-81 --model=llama-3.1-9b --global-batch-size=65; do
	run 1 estimate $unknown
	err_has '^shardplan: error '
	out_lacks 'GiB|[0-9] B|fits|MFU|^stage '
	run 0 rank 0 $unknown
	err_has '^shardplan: error '
	out_lacks 'GiB|[0-9] B|^memory '
	run 1 map --color-by=memory $unknown
	err_has '^shardplan: error '
	no_out
	for quantity in memory.overhead memory.parameters step.seconds; do
		run 1 explain $unknown $quantity
		no_out
	done
	run 0 diff $unknown plan.cfg plan.cfg
	out_has '^fits +- +-$|^legal +no +no'
	out_lacks '^its memory|^step|^pipeline stages'
done
run 1 estimate --model=llama-3.1-9b
out_has '^parameters   -$'
out_lacks 'billion'
run 0 rank 0 --model=llama-3.1-9b
out_lacks '^stage '
run 0 diff --model=llama-3.1-9b plan.cfg plan.cfg
out_lacks 'billion'
run 1 explain --model=llama-3.1-9b params.total
no_out
run 1 estimate --global-batch-size=65
out_has '^parameters   8\.03 billion'
run 0 estimate --set=cluster.memory_gib=0 --set=cluster.reserved_gib=0.5
out_has '^peak .* of -$'
# all of it reserved: none is left, and that is known
run 0 estimate --set=cluster.memory_gib=0.5 --set=cluster.reserved_gib=0.5
out_has '^peak .* of 0 B: does not fit$'
run 0 estimate --json --set=cluster.reserved_gib=65535
out_has '^  "fits": false,$'
out_has '^  "capacity": 0,$'
# a GPU whose rates nobody knows
run 0 estimate --set=cluster.hbm_gbps=0
out_has '^step         -   no memory speed of this GPU: '
out_lacks '^tokens |MFU'
run 0 estimate --json --set=cluster.hbm_gbps=0
out_has '^    "seconds": null,$'
out_has '^    "tokens_per_second_per_gpu": null,$'
# more bytes than an integer of JSON readers holds
run 0 estimate "$TOP/share/plans/long-context-llama-3.1-8b.cfg" --json --set=training.global_batch_size=1073741824
out_has '"bytes": 1\.0[0-9]*e\+19, '
no_err

# faster than the GPU is: the field that says so is named
run 0 check --set calibration.compute_efficiency=5 --set training.cuda_graph=full
out_has '^warning calibration\.compute_efficiency faster_than_peak: .*\(MFU 1[0-9]* %, .*\(fix: calibration\.compute_efficiency=\)$'
run 0 check --set training.cuda_graph=full --set calibration.compute_efficiency=5 --set calibration.compute_efficiency=
out_lacks 'faster_than_peak'
run 0 check --precision=fp8 --set cluster.fp8_tflops=90 --set training.sequence_length=131072
out_has '^warning cluster\.fp8_tflops faster_than_peak: '

# bad usage
bad_usage "'grops' is neither a command nor a file .did you mean groups\?." grops
bad_usage "unknown command 'grops' .did you mean groups\?." grops plan.cfg
bad_usage "'b' is neither a file nor a word of a plan" check plan.cfg b
bad_usage "'b' is neither a file nor a word of a plan, .* nor a command" plan.cfg b
bad_usage "unexpected argument 'b.cfg'" check plan.cfg b.cfg
bad_usage 'the command comes first: shardplan check plan.cfg' plan.cfg check
bad_usage "unknown option '--frobnicate'$" groups --frobnicate
bad_usage "option '--c=3' may be any of --color-by, --color, --core, --cp, " groups --c=3
bad_usage "unknown option '--tpp=8' .did you mean --tp\?." groups --tpp=8
bad_usage "unknown option '--strct' .did you mean --strict\?." check --strct
bad_usage "groups takes no option '--world'" groups --world=64
bad_usage "estimate takes no option '--objective'" estimate --objective=time
bad_usage "invalid option '-x'" groups -x
bad_usage "'--strict'" groups --strict
bad_usage 'no fields of a plan' fields --tp=2
bad_usage "option '--tp' needs a value" groups --tp
bad_usage "option '--strict' takes no value" check --strict=yes
bad_usage "'json' is none of" groups --format=json
bad_usage "no groups 'xp'; it has tp cp" groups --kind=xp
bad_usage "no groups 'xp'; it has tp cp" map --color-by=tp,xp
bad_usage 'more than 4 kinds' map --color-by=tp,pp,dp,cp,ep
bad_usage 'not a whole number' map --width=0
bad_usage "'huge' is none of auto|cards" map --zoom=huge
bad_usage "takes no option '--zoom'" groups --zoom=cells
bad_usage 'none of auto|always|never' map --color=maybe
bad_usage 'stages go from 0 to 3' estimate --stage=4
bad_usage 'stages go from 0 to 3' explain --stage=4 memory.optimizer
bad_usage 'rank needs' rank
bad_usage "'x' is not a rank number" rank x
bad_usage 'ranks go from 0 to 15' rank 16
bad_usage 'diff needs A B' diff plan.cfg
bad_usage 'only one of the plans' diff - -
bad_usage 'memory\.optimizer' explain
bad_usage "no quantity or field 'speed'" explain speed
bad_usage "no quantity or field 'step.second' .did you mean step\.seconds\?.$" explain step.second
bad_usage 'did you mean serving\.ttft_seconds\?' explain ttft
bad_usage 'peak\.total of 70 bytes: write 70GiB or 70GB' search --where='peak.total<=70'
run 2 import --from=foo plan.cfg
err_has "'foo' is none of .*megatron"
bad_usage "no model 'llama-3.1-7b' .did you mean llama-3.1-8b" models llama-3.1-7b
bad_usage "no GPU 'nothing-like-it'" gpus nothing-like-it
# near is what one slip of the fingers makes of it, not another model
bad_usage "no model 'zephyr-40b' .'shardplan models' lists them" models zephyr-40b
bad_usage "no model 'gpt4' .'shardplan models' lists them" models gpt4
bad_usage "no GPU 'b400' .'shardplan gpus' lists them" gpus b400
bad_usage "no GPU 'rtx-50900' .did you mean rtx-5090" gpus rtx-50900
run 1 check --model=zephyr-40b
out_has 'no model zephyr-40b; what it has, list: shardplan models$'
run 2 estimate ''
err_has "^'': error: can not be opened"
bad_usage "no command 'chek' .did you mean check" help chek
bad_usage 'import needs FILE' import
bad_usage 'no target starts such a plan' export --layout=seed
bad_usage "'--json'" map --json
bad_usage "calibrate needs PLAN LOG" calibrate plan.cfg
bad_usage "needs a file, not '-'" calibrate - train.log

# a file that is called like a command
cp plan.cfg check
good groups ./check
run 0 groups -- check
run 2 -- check extra

# no terminal: the screen refuses, nothing else asks for one
TERM=dumb run 2 plan.cfg
no_out

finish
