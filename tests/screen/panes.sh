#!/bin/sh
# Memory, traffic, step: Tab reaches them, Enter says why, small screens show one at a time.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 100 30 tmux-256color "'$PROG'"
expect 'memory per GPU, by stage'
expect '^.*[├┌] traffic per step, one GPU'
expect '├ step '
expect '^┌ plan ─+ 1-24 of [0-9]+ ─┐'
keys Tab Tab
expect '>stage 0'
keys Down
expect '>stage 1'
keys Enter
expect 'why: memory of stage 1'
expect 'memory\.parameters: '
expect 'source: '
keys Escape
expect '>stage 1'
keys Tab Tab
expect '>step '
keys Down Down Down
expect '>MFU '
keys Enter
expect 'why: MFU'
expect 'causal attention counted by'
keys Escape Tab
expect '^TP .:tp.: '

# A change says what it did.
keys +
expect 'TP 4: memory -[0-9.]+ GiB, step [+-]'
keys u
expect 'undone: TP 4; memory '

# The panes below the map take turns, and the last one used stays.
resize 80 24
expect '\[memory\] traffic step|memory traffic \[step\]'
keys Tab Tab Tab
expect 'memory \[traffic\] step'
keys BTab
expect '\[memory\] traffic step'
keys BTab BTab
expect '>\*TP'
expect '\[memory\] traffic step'
# One at a time.
resize 40 12
expect '\[plan\] map memory traffic step'
keys Tab Tab Tab
expect 'plan map memory \[traffic\] step'
keys Tab
expect 'plan map memory traffic \[step\]'
expect '>MFU '
resize 20 3
expect '^>MFU '
keys Tab
expect '^>\*TP'
# Serving has no traffic of a step.
resize 100 30
keys : s e t Space m o d e Space s e r v e Enter
expect '├ serving '
expect_not 'traffic per step'
keys : 'q' '!' Enter
expect 'rc=0'
restored

# A change of another unit than the amount has all of its own, in the same room.
start 80 24 tmux-256color "'$PROG'"
expect '> ?\*?TP'
keys : 4 0 9 0 Enter
expect ' GiB!? ? -[0-9.]+MiB│'
keys q d
expect 'rc=0'
