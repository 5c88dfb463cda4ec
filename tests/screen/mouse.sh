#!/bin/sh
# The mouse: on at first, off and on by a key; what a click does; nothing left behind.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

# press BUTTON TEXT: at the first place where a text stands. Buttons: 0 the left one, 64 and
# 65 the wheel up and down.
press() {
	at=$(text | grep -Fn -- "$2" | sed -n 1p)
	[ -n "$at" ] || fail "nothing to click: $2"
	row=${at%%:*} before=${at#*:}
	before=${before%%"$2"*}
	column=$(($(printf %s "$before" | wc -m) + 1))
	if [ "$(get '#{mouse_sgr_flag}')" = 1 ]; then
		keys -l "${ESC}[<$1;$column;${row}M${ESC}[<$1;$column;${row}m"
	else
		# Three bytes, each 32 more than what it says.
		# shellcheck disable=SC2059
		keys -l "${ESC}[M$(printf "\\$(printf %o $(($1 + 32)))\\$(printf %o $((column + 32)))\\$(
		    printf %o $((row + 32)))")"
	fi
}

start 80 24 tmux-256color "TERM=xterm-256color '$PROG'"
expect '>\*TP'
[ "$(get '#{mouse_any_flag}')" = 1 ] || fail "the mouse is off"
press 0 'hidden size'
expect '>~hidden size'
press 0 'hidden size'
expect 'hidden size .*: 4096'
keys Escape
press 0 'traffic step'
expect 'memory \[traffic\] step'
press 0 'map by tp'
expect 'rank 0: node 0'
expect '0@  '
press 65 'node 1'
expect_not '1T'
press 64 'node 0'
expect '1T'
press 0 '? help'
expect 'keys and commands'
press 0 'Esc close'
expect_not 'keys and commands'
keys M
expect 'mouse (off|false)'
[ "$(get '#{mouse_any_flag}')" = 0 ] || fail "the mouse is still on"

# However it ends.
keys M
expect 'mouse (on|true)'
keys q
expect 'rc=0'
restored
for end in "TERM 143" "SEGV 139"; do
	start 80 24 tmux-256color "TERM=xterm-256color sh -c \
	    'ulimit -c 0; echo \$\$ >$D/pid; exec \"$PROG\"'"
	expect '>\*TP'
	[ "$(get '#{mouse_any_flag}')" = 1 ] || fail "the mouse is off"
	kill -s "${end% *}" "$(cat "$D/pid")"
	expect "rc=${end#* }"
	restored
done
