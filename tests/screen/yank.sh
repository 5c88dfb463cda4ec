#!/bin/sh
# y and Y hand text to the terminal's clipboard, through tmux and where there is none to a file.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

copied() { # text that the clipboard has to have
	i=0
	while [ "$(T show-buffer 2>/dev/null)" != "$1" ]; do
		i=$((i + 1))
		[ "$i" -lt "$PATIENCE" ] || fail "copied \"$(T show-buffer)\", not \"$1\""
		sleep 0.05
	done
}

start 100 30 tmux-256color "'$PROG' --model=llama-3.1-8b --nodes=2"
T set -s set-clipboard on
expect '>\*?TP'
keys y
expect 'copied number: 2'
copied 2
keys Y
expect 'what is set, as options'
keys command Enter
expect 'copied command: shardplan estimate'
# What was copied is a command line that estimates this plan.
T show-buffer | sed "s|^shardplan|'$PROG'|" >"$D/run"
sh "$D/run" >"$D/out" 2>&1
grep -q '^peak .*GiB' "$D/out" || fail "the command that was copied estimates nothing: $(cat "$D/out")"
keys Tab Right Right y
copied 2
# A table whole; the address in a line of a topic.
keys Tab Y t a b l e Enter
expect 'copied: '
T show-buffer | grep -q 'stage 1 .*GiB' || fail "no table: $(T show-buffer)"
keys t / t e n s o r Enter Enter
expect 'Tensor'
keys G Y a d d r e s s Enter
expect 'copied address: http'
keys Y t a b l e Enter
expect 'copied: '
T show-buffer | grep -q '^- Tensor parallelism explained (in Chinese)' || fail "no page: $(T show-buffer)"
keys Escape Escape q
expect 'rc=0'

# A file's name is a word of the command, whatever it is.
printf 'format = 1;\n' >"$D/work/a'b;id.cfg"
start 100 30 tmux-256color "'$PROG' \"a'b;id.cfg\" --pp=1"
T set -s set-clipboard on
expect '>\*?TP|PP'
keys Y command Enter
copied "shardplan estimate 'a'\\''b;id.cfg'"
keys q d
expect 'rc=0'

# A terminal that takes none: the text is in a file, for nobody else.
start 80 24 vt100 "TERM=vt100 '$PROG'"
expect 'TP'
keys Y o p t i o n s Enter
expect 'this terminal takes no copies: the text is in'
grep -q '^--' "$XDG_STATE_HOME/shardplan/copied" || fail "nothing in the file"
[ "$(stat -c %a "$XDG_STATE_HOME/shardplan/copied")" = 600 ] || fail "others may read the file"
keys q
expect 'rc=0'
exit 0
