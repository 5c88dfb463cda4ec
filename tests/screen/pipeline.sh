#!/bin/sh
# The pipeline's timeline: p shows it in place of the map, changes redraw it, keys move it.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 120 40 tmux-256color "'$PROG'"
expect 'memory per GPU, by stage'
keys p
expect 'pipeline: 1f1b, bubble [0-9.]+ %, 4 stages, [0-9]+ micro-batches'
expect 'cool-down'
expect 'F3 forward of micro-batch 3'
keys Tab
expect '> 0 .*F0F1'
keys Down Down
expect '> 2 '
# Colours for forward and backward.
ansi | grep -q "${ESC}\[[0-9;]*48;5;[0-9]*m" || fail 'no colours'
# Another VPP, another picture; a split schedule has weight gradients.
keys : s e t Space v p p Space 2 Enter
expect '4 stages of 2 chunks'
expect 'f3 the second chunk'
keys u
expect_not 'of 2 chunks'
keys : s e t Space s c h e d u l e Space z b - 1 p Enter
expect 'pipeline: zb-1p'
expect 'W3 weight'
# Larger, to the end of the step and back, and smaller again.
keys z z z End
expect 'cool-down'
expect_not '> 2 .*F0 '
keys Home
expect '> 2 .*F0 '
keys Z Z Z
expect 'micro-batches [0-9]+-[0-9]+ are left out'
expect 'cool-down'
# Small screens, without colours, in ASCII.
resize 40 12
expect '> 2 '
resize 120 40
keys : s e t Space m o d e Space s e r v e Enter
expect 'it has no schedule'
keys p
expect_not 'it has no schedule'
keys : q ! Enter
expect 'rc=0'
restored

start 100 30 tmux-256color "'$PROG' pipeline --ascii --width=90"
expect 'pipeline: 1f1b, bubble [0-9.]+ %, 4 stages'
expect 'F0'
expect 'F3 forward of micro-batch 3  B3 backward  \. idle'
expect 'rc=0'
