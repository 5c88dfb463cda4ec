#!/bin/sh
# "Where is layer 37, expert 12?", from one GPU that holds it to the next, and one in full.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 100 30 xterm-256color "'$PROG' '$TOP/share/plans/deepseek-v3.cfg'"
expect '^┌ plan'
keys Tab g
expect '^go to:'
keys l a y e r Space 3 7 Space e Space 1 2 Enter
expect 'layer 37, expert 12: on [0-9]+ GPUs'
keys n
expect 'rank [0-9]+: node [0-9]+'
keys i
expect '^┌ rank [0-9]+ ─'
expect 'experts [0-9]+ to [0-9]+ of 256'
keys Right
expect '^┌ rank [0-9]+ ─'
keys / t o t a l Enter Enter
expect '^┌ why: memory of stage'
keys q
expect '^┌ rank [0-9]+  with "total"'
keys : g o Space l a y e r Space 6 1 Enter
expect 'layers go from 0 to 60'
keys : g o Space l a y e r Space 1 Space e x p e r t Space 3 Enter
expect 'layer 1 is dense'
keys : i n s p e c t Space n o d e Space 3 Enter
expect 'node 3, GPU 0 of 8'
keys q q
expect 'rc=0'
restored
