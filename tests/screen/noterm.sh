#!/bin/sh
# Without a terminal that can show a screen: a message that helps, status 2.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 80 24 tmux-256color "TERM=no-such-terminal '$PROG'"
expect 'try TERM='
expect 'shardplan map and shardplan estimate'
expect 'shardplan --linear'
expect 'rc=2'
restored
for term in TERM=dumb TERM=hardcopy TERM= '-u TERM'; do
	start 80 24 tmux-256color "env $term '$PROG'"
	expect 'shardplan --linear'
	expect 'rc=2'
	restored
done

"$PROG" </dev/null >"$D/out" 2>"$D/err"
status=$?
[ $status = 2 ] || { echo "FAIL: no tty: status $status"; exit 1; }
[ ! -s "$D/out" ] || { echo "FAIL: no tty: output"; exit 1; }
grep -q 'needs a terminal' "$D/err" || { echo "FAIL: no tty: message"; cat "$D/err"; exit 1; }
