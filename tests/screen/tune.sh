#!/bin/sh
# Tune TP and PP: the map's colours follow; an illegal plan and its fix; undo.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 140 40 tmux-256color "'$PROG'"
expect '^┌ plan'
expect ' tp 3 '
# Groups 0 and 1 are neighbours: not the same colour.
zero=$(look_of 'tp 0 ') one=$(look_of 'tp 1 ')
case $zero in *48*5*) ;; *) fail "tp 0 has no colour: $zero" ;; esac
[ "$zero" != "$one" ] || fail "tp 0 and tp 1 share a colour"

keys +
expect '>\*TP +\(was 2\) 4 ranks'
expect 'TP 4 PP 4 DP 1'
expect_not ' tp 4 '
keys -
expect 'TP 2 PP 4 DP 2'
keys / p p Enter
expect '>\*PP'
keys : 's' e t Space p p Space 2 Enter
expect 'TP 2 PP 2 DP 4'
[ "$(text | grep -c 'stage [01]  ')" = 2 ] || fail "two stages"

# 32 layers do not divide by 3; typed on purpose.
keys 3
expect 'PP: 3'
keys Enter
expect '^! '
expect '\(f: '
expect 'error'
keys f
expect 'what would mend the plan'
expect 'GiB of 79.2 GiB, .* a step'
keys Enter
expect 'fixed: '
expect_not '[0-9] error'
keys u
expect 'undone'
expect '[0-9] error'
keys C-r
expect 'redone'
expect 'fits'
# The fix led back to the plan it began with: nothing to ask about.
keys q
expect 'rc=0'
restored
