#!/bin/sh
# Every way to end: the terminal comes back, the status says how, unsaved work is kept.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

begin() {
	start 80 24 tmux-256color "sh -c 'ulimit -c 0; echo \$\$ >$D/pid; exec \"$PROG\"'"
	expect '>\*TP'
}

for end in "TERM 143" "HUP 129" "INT 130" "QUIT 131" "USR1 138" "USR2 140" "ALRM 142" \
    "XCPU 152"; do
	sig=${end% *} status=${end#* }
	begin
	kill -s "$sig" "$(cat "$D/pid")"
	expect "rc=$status"
	restored
done

# With unsaved work: a draft is kept, and said.
begin
keys +
expect '\(new plan\) \*'
kill -s USR1 "$(cat "$D/pid")"
expect 'rc=138'
restored
[ -n "$(find "$XDG_STATE_HOME" -type f 2>/dev/null)" ] || fail "no draft was kept"

begin
keys C-c
expect 'rc=130'
restored

for end in "SEGV 139" "ABRT 134" "BUS 135" "FPE 136" "ILL 132"; do
	sig=${end% *} status=${end#* }
	begin
	kill -s "$sig" "$(cat "$D/pid")"
	expect "rc=$status"
	text | grep -q 'shardplan crashed' || fail "no message after $sig"
	restored
done

# Where the picture stays, the message is not mixed with it.
start 80 24 tmux-256color \
    "sh -c 'ulimit -c 0; echo \$\$ >$D/pid; TERM=linux exec \"$PROG\"'"
expect '>\*TP'
kill -s SEGV "$(cat "$D/pid")"
expect 'rc=139'
text | sed -n '/shardplan crashed/,$p' | grep -q '│' && fail "a message inside the picture"
restored
