# shellcheck shell=sh
# Shared by the scripts here; each sources it first. PROG is the program, TOP the source
# directory, the place of this file where they are not given.

: "${TOP:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PROG:=$TOP/shardplan}"
case $PROG in */*) PROG=$(cd "$(dirname "$PROG")" && pwd)/$(basename "$PROG") ;; esac
[ -x "$PROG" ] || { echo "no program: $PROG"; exit 99; }
: "${SHARDPLAN_DATADIR:=$TOP/share}"
export SHARDPLAN_DATADIR

dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM

# Nothing of the user's own setup may change a result.
# Nor do wrappers of the system's own programs, which some machines put before them, take time.
PATH=/usr/bin:/bin:$PATH
HOME=$dir XDG_CONFIG_HOME=$dir/config XDG_STATE_HOME=$dir/state
LC_ALL=C
export PATH HOME XDG_CONFIG_HOME XDG_STATE_HOME LC_ALL
unset COLUMNS NO_COLOR COLORTERM COLORFGBG || :
cd "$dir" || exit 99

failures=0
what=

# in_share N: whether this one of many cases that are alike is tried. With sanitizers a third is, another
# third for each $MONKEY_SEED.
share=1
! grep -qs '^WARN = .*-fsanitize' "${BLD:-.}/Makefile" || share=3
in_share() {
	[ $((($1 + ${MONKEY_SEED:-0}) % share)) -eq 0 ]
}

# What a failure that follows is about.
about() {
	what=$*
}

fail() {
	echo "FAIL: $what: $*"
	sed 's/^/  out: /' out 2>/dev/null | head -n 5
	sed 's/^/  err: /' err 2>/dev/null | head -n 5
	failures=$((failures + 1))
}

# run STATUS ARGUMENT...: run the program and hold its exit status against STATUS.
run() {
	want=$1
	shift
	what="shardplan $*"
	"$PROG" "$@" >out 2>err </dev/null
	got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got, not $want"
}

out_has() {
	grep -Eq -- "$1" out || fail "standard output lacks '$1'"
}

out_lacks() {
	if grep -Eq -- "$1" out; then fail "standard output has '$1'"; fi
}

err_has() {
	grep -Eq -- "$1" err || fail "standard error lacks '$1'"
}

no_out() {
	[ ! -s out ] || fail "standard output is not empty"
}

no_err() {
	[ ! -s err ] || fail "standard error is not empty"
}

# good ARGUMENT...: done, with data and without a complaint.
good() {
	run 0 "$@"
	[ -s out ] || fail "nothing printed"
	no_err
}

# bad_usage PATTERN ARGUMENT...: refused with a line that matches PATTERN.
bad_usage() {
	pattern=$1
	shift
	run 2 "$@"
	no_out
	err_has "$pattern"
}

# knows_options TARGET: its programs know the options of what was exported into the directory t.
knows_options() {
	python3 -c 'import tomllib, yaml' 2>/dev/null || return 0
	about "options of $1"
	python3 "$TOP/tests/cli/options.py" "$TOP/tests/data/options.tsv" "$1" t >out 2>err || fail 'unknown'
}

finish() {
	[ "$failures" -eq 0 ] || exit 1
	exit 0
}
