#!/bin/sh
# Random keys, resizes and signals: the program lives, the terminal and the plan file stay whole.
# MONKEY_KEYS says how many, or an argument how many seconds; SEED, else MONKEY_SEED, which: the
# same ones every time without it, but with an argument.
: "${TOP:?}" "${PROG:?}" "${BLD:?}"
[ -x "$BLD/tests/screen/monkey" ] || { echo "monkey is not built: skipped"; exit 77; }
D=$(mktemp -d "${TMPDIR:-/tmp}/monkey.XXXXXX") || exit 99
trap 'rm -rf "$D"' 0
trap 'exit 99' 1 2 15
mkdir "$D/work" && cd "$D/work" || exit 99
HOME=$D XDG_CONFIG_HOME=$D/config XDG_STATE_HOME=$D/state TERM=xterm-256color LC_ALL=C.UTF-8
ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer hangs when its terminal is gone
: "${SHARDPLAN_DATADIR:=$TOP/share}"
export HOME XDG_CONFIG_HOME XDG_STATE_HOME TERM LC_ALL ASAN_OPTIONS SHARDPLAN_DATADIR
cp -R "$TOP/share/clusters" "$D/clusters" && chmod -R u+w "$D/clusters" || exit 99
cp "$TOP/share/plans/llama-3.1-70b-64xh100.cfg" plan.cfg && chmod u+w plan.cfg || exit 99
seed=${SEED:-$MONKEY_SEED}
if [ $# -gt 0 ]; then
	: "${seed:=$(date +%s)}"
	MONKEY_KEYS=${1}s
fi
"$BLD/tests/screen/monkey" "$PROG" plan.cfg "${MONKEY_KEYS:-20000}" "${seed:-1}"
