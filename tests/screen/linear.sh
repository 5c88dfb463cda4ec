#!/bin/sh
# The planner in lines: in a pipe, on a terminal that can do nothing, told to end.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

wrong() {
	echo "FAIL: $*"
	cat "$D/out" "$D/err"
	exit 1
}

# run STATUS LINE...: the answers to these lines.
run() {
	want=$1
	shift
	printf '%s\n' "$@" | (cd "$D/work" && TERM=dumb "$PROG" --linear) >"$D/out" 2>"$D/err"
	got=$?
	[ $got = "$want" ] || wrong "status $got, not $want"
	LC_ALL=C grep -q '[^ -~]' "$D/out" && wrong "more than plain text"
}

mkdir -p "$D/work"
HOME=$D/home XDG_STATE_HOME=$D/home/state XDG_CONFIG_HOME=$D/home/config
export HOME XDG_STATE_HOME XDG_CONFIG_HOME
run 0 'tp 4' 'set parallel.tp 3' fix 1 'save my.cfg' '' q
grep -q '^1\. TP 4: memory .* -> .* GiB, step ' "$D/out" || wrong "no change is told"
grep -q 'error: 16 GPUs are not divisible.*; fix: tp 4' "$D/out" || wrong "no error with its fix"
grep -q '^1\. my\.cfg, model' "$D/out" || wrong "no summary"
grep -q 'tp = 4' "$D/work/my.cfg" || wrong "nothing saved"
[ ! -s "$D/err" ] || wrong "something on standard error"

# Lists are heard ten entries at once, plans by their labels, the map in words.
run 0 'go 5' map 'search objective=time' more q
grep -q '^2\. tp 2 NVLink .* a step, ranks 4 5$' "$D/out" || wrong "the map is not told"
grep -Eq '^1\. TP 1.*: step [0-9.]+ m?s, memory ' "$D/out" || wrong "no plan by its labels"
grep -q '^190 more entries: more$' "$D/out" || wrong "not ten at once"
grep -q '^11\. TP 1' "$D/out" || wrong "no more of them"

# A plan that names more models than its own finds them as well.
printf 'rl: { algorithm = "ppo"; critic_preset = "qwen2.5-0.5b"; };\n' >"$D/work/ppo.cfg"
printf 'errors\nq\n' | TERM=dumb "$PROG" --linear "$D/work/ppo.cfg" >"$D/out" 2>"$D/err"
grep -q 'qwen2.5-0.5b' "$D/out" && wrong "the critic is not found"

# The end of the input is the end of the session; unsaved work is kept.
run 0 'tp 8'
grep -q kept "$D/err" || wrong "no draft"
[ -n "$(find "$XDG_STATE_HOME" -type f -name '*.cfg')" ] || wrong "no draft on disk"
# Offered by the next session, which goes on without an answer.
run 0 'pp 2' 'save left.cfg' q
grep -q 'r recover, d discard' "$D/out" || wrong "the draft is not offered"
grep -q 'pp = 2' "$D/work/left.cfg" || wrong "a question swallows commands"
rm -rf "$XDG_STATE_HOME"
run 0 'tp 8' q d
[ ! -s "$D/err" ] || wrong "discarded, but something is kept"

# Every answer is there before the next question.
start 80 24 dumb "TERM=dumb '$PROG' --linear"
expect '^1\. \(new plan\), model'
keys 'tp 4' Enter
expect '^1\. TP 4: memory'
keys q Enter
expect 'unsaved changes: s save'
keys d Enter
expect 'rc=0'
restored

# Told to end.
start 80 24 tmux-256color "sh -c 'echo \$\$ >$D/pid; exec \"$PROG\" --linear'"
expect '^1\. \(new plan\)'
keys 'pp 2' Enter
expect '^1\. PP 2'
kill -s TERM "$(cat "$D/pid")"
expect 'kept'
expect 'rc=143'
restored
