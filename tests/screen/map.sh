#!/bin/sh
# The map at every scale, coloured by everything, up to 131,072 GPUs.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

command_line() {
	keys :
	expect '^:'
	T send-keys -t s: -l "$1"
	keys Enter
}

start 160 45 tmux-256color "'$PROG' --nodes 16 --tp 4 --pp 4 --global-batch-size 512"
expect '^┌ plan'
expect 'map by tp'
command_line 'zoom cards'
expect 'gpu 0'
command_line 'zoom labels'
expect '\[ *1A\]'
command_line 'zoom cells'
expect 'AAAABBBB'
command_line 'zoom halves'
expect '▀'
command_line 'zoom nodes'
expect "by each node's first GPU"
command_line 'zoom racks'
expect "by each rack's first GPU"
command_line 'zoom nothing'
expect 'one of'
command_line 'zoom labels'
expect 'rack 0'

# Every source of colour has its legend.
command_line 'color stage'
expect 'map by stage'
expect 'stage: 4'
command_line 'color layers'
expect 'layers: '
command_line 'color memory'
expect 'memory, GiB of 79'
command_line 'color link:dp'
expect 'network'
command_line 'color tp,pp,dp,ep'
expect 'map by tp\+pp\+dp\+ep'
command_line 'color nonsense'
expect 'no groups nonsense'
keys d
expect '^┌ colour the map by'
keys Escape
expect 'map by tp\+pp\+dp\+ep'
command_line 'color tp'

# What is looked for stands out, and n goes from one to the next.
command_line 'go stage 2'
expect 'stage 2: on [0-9]+ GPUs'
expect '< 65Q>'
first=$(text | grep -o 'rank [0-9]*:' | head -n 1)
keys n
expect 'rank [0-9]+:'
i=$PATIENCE
while [ "$(text | grep -o 'rank [0-9]*:' | head -n 1)" = "$first" ] && [ $i -gt 0 ]; do
	i=$((i - 1)) && sleep 0.02
done
[ $i -gt 0 ] || fail "n stays where it is"
keys q
expect 'rc=0'
restored

# An NVLink domain larger than a node has a frame of its own.
start 160 45 tmux-256color "'$PROG' '$TOP/share/clusters/gb200-nvl72.cfg'"
expect '^┌ plan'
command_line 'zoom cells'
expect 'NVLink domain 0|domain 0'
keys q
expect 'rc=0'

# 131,072 GPUs pan and zoom.
start 200 60 tmux-256color "'$PROG' --nodes 16384 --global-batch-size 524288"
expect '= 131072'
keys Tab G
expect 'rank 131071: node 16383, GPU 7'
keys z z
keys Home
expect 'rank 0: node 0'
keys PPage NPage l j
expect 'rank [1-9]'
keys q
expect 'rc=0'
restored
