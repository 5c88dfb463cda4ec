#!/bin/sh
# Ctrl-Z gives the terminal back, fg takes it again, whatever size it has by then.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"
command -v bash >/dev/null 2>&1 || { echo "bash is missing: skipped"; exit 77; }

start 80 24 tmux-256color "PS1='ready> ' bash --norc --noprofile -i"
expect 'ready>'
keys "'$PROG'" Enter
expect '>\*TP'
keys C-z
expect 'Stopped'
[ "$(get '#{alternate_on}#{cursor_flag}')" = 01 ] || fail "stopped, but the screen is not given back"
keys 'echo still"-"here' Enter
expect 'still-here'
resize 100 30
keys fg Enter
expect 'memory per GPU, by stage'
expect '>\*TP +2 ranks'
keys Down
expect '>~sequence parallel'
# The same by name.
keys : s u s p e n d Enter
expect 'Stopped.*'
keys fg Enter
expect '>~sequence parallel'
# Where the picture stays, the shell's line is empty.
keys q
expect_not 'memory per GPU, by stage'
keys "clear; TERM=linux '$PROG'" Enter
expect 'q quit'
keys C-z
expect 'Stopped'
text | grep -q 'q quit' && fail "the last line is left to the shell"
keys fg Enter
expect 'q quit'
keys q Enter
expect_not 'q quit'
keys "clear; '$PROG'" Enter
expect '>\*TP'
keys Down
expect '>~sequence parallel'
# The mouse is the shell's meanwhile.
[ "$(get '#{mouse_any_flag}')" = 1 ] || fail "the mouse is off"
keys C-z
expect 'Stopped.*'
[ "$(get '#{mouse_any_flag}')" = 0 ] || fail "stopped, but the mouse is not given back"
keys fg Enter
expect '>~sequence parallel'
[ "$(get '#{mouse_any_flag}')" = 1 ] || fail "the mouse does not come back"
keys q
expect_not 'memory per GPU, by stage'
keys 'echo "status=$?"' Enter
expect 'status=0'
