#!/bin/sh
# Standard input and output that do not play along: full, closed, a pipe nobody reads.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

status_of() {
	want=$1
	got=$2
	[ "$got" -eq "$want" ] || fail "exit status $got, not $want"
}

: >out
if [ -w /dev/full ]; then
	for command in groups layers map check estimate fields models help --help --version \
	    'rank 0' 'explain params.total' 'groups --format=hash' 'estimate --json' \
	    'groups --json' 'fields --json'; do
		about "shardplan $command >/dev/full"
		# shellcheck disable=SC2086
		set -- $command
		[ "$command" = check ] && set -- check --tp=3
		"$PROG" "$@" >/dev/full 2>err
		status_of 2 $?
		err_has '^shardplan: standard output: '
	done
	# stops soon instead of counting to a million
	about 'a million ranks >/dev/full'
	timeout 20 "$PROG" groups --nodes=131072 --gbs=131072 --tp=8 >/dev/full 2>err
	status_of 2 $?
	timeout 20 "$PROG" groups --json --nodes=131072 --gbs=131072 --tp=8 >/dev/full 2>err
	status_of 2 $?
fi

about 'closed standard output'
"$PROG" groups >&- 2>err
status_of 2 $?
err_has '^shardplan: standard output: '
"$PROG" check >&- 2>err
about 'closed standard error'
"$PROG" groups --tp=3 >out 2>&-
status_of 1 $?
no_out
about 'closed standard input'
"$PROG" groups - <&- >out 2>err
status_of 2 $?
no_out
for input in /dev/null . ''; do # the end of what there is; what can not be read
	about "--linear, input '${input:-closed}'"
	if [ -n "$input" ]; then "$PROG" --linear <"$input"; else "$PROG" --linear <&-; fi >out 2>err
	status=$?
	if [ "$input" = /dev/null ]; then
		[ "$status" -eq 0 ] || fail "exit status $status"
	else
		status_of 2 "$status"
		err_has '^shardplan: standard input: '
	fi
done

# a reader that has seen enough: quiet on both sides
about 'shardplan groups | head -n 1'
{ "$PROG" groups --nodes=131072 --gbs=131072 --tp=8 2>err; } | head -n 1 >out
out_has '^tp 0 1 2 3 4 5 6 7$'
no_err
about 'the same with SIGPIPE ignored'
(
	trap '' PIPE
	"$PROG" groups --nodes=131072 --gbs=131072 --tp=8 2>err
	echo $? >status
) | head -n 1 >out
status_of 2 "$(cat status)"
no_err

# a plan from standard input, in every place where one can stand
printf 'parallel: { tp = 2; };\n' >plan.cfg
about 'plans from standard input'
"$PROG" rank - 1 <plan.cfg >out 2>err || fail "exit status $?"
"$PROG" explain - params.total <plan.cfg >out 2>err || fail "exit status $?"
cp plan.cfg other.cfg
"$PROG" diff other.cfg - <plan.cfg >out 2>err || fail "exit status $?"
printf 'parallel: { tp = 2\n' | "$PROG" check - >out 2>err
status_of 2 $?
no_out
err_has ':[0-9]+: error: '

# a directory is no plan
mkdir folder
run 2 check folder
no_out
[ -s err ] || fail 'no complaint'

# escapes in a plan of somebody else's stay away from the terminal
printf 'name = "\\x1b[2Jn"; parallel: { order = "\\x1b[2Jo"; };\n' >escape.cfg
escape=$(printf '\033')
for command in 'estimate escape.cfg' 'check escape.cfg' 'diff plan.cfg escape.cfg'; do
	about "$command"
	# shellcheck disable=SC2086
	"$PROG" $command >out 2>err
	cat out err | grep -q "$escape" && fail 'an escape of the plan is printed'
	cat out err | grep -qF '\x1b[2J' || fail 'the text of the plan is missing'
done

# the primer speaks the language of the locale, where its characters can be shown
if localedef -i zh_CN -f UTF-8 ./zh_CN.UTF-8 >other 2>&1 &&
    localedef -i zh_CN -f GB2312 ./zh_CN.GB2312 >other 2>&1; then
	LOCPATH=$PWD
	export LOCPATH
	about 'Chinese for this session'
	LC_ALL=zh_CN.UTF-8 "$PROG" topics tp >out 2>err
	out_has '张量并行'
	echo 'topics tp' | LC_ALL=zh_CN.UTF-8 "$PROG" --linear >out 2>err
	out_has '张量并行'
	about 'topics in Chinese without UTF-8'
	LC_ALL=zh_CN.GB2312 "$PROG" topics tp >out 2>err
	out_has '^Tensor parallelism'
	echo 'topics tp' | LC_ALL=zh_CN.GB2312 "$PROG" --linear >out 2>err
	out_has 'Tensor parallelism'
fi

# a locale that the machine lacks, as ssh forwards it: its characters and language all the same
if LC_ALL=C.UTF-8 locale charmap 2>/dev/null | grep -qx UTF-8; then
	for name in xx_YY.UTF-8 xx_YY.utf8 xx_YY UTF-8; do
		about "the locale $name"
		LC_ALL='' LC_CTYPE='' LANG=$name "$PROG" map >out 2>err
		out_has '│'
	done
	about 'a locale without UTF-8'
	LC_ALL=xx_YY.GB18030 "$PROG" map >out 2>err
	out_lacks '│'
	about 'topics in the language of a locale that is not there'
	LC_ALL='' LC_MESSAGES='' LANG=zh_XX.UTF-8 "$PROG" topics tp >out 2>err
	out_has '张量并行'
fi

finish
