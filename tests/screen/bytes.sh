#!/bin/sh
# What a key costs on a slow line, and what waiting costs: nothing.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 120 40 tmux-256color "'$PROG'"
expect '>\*TP'
T pipe-pane -o -t s: "cat >'$D/bytes'"
size() {
	wc -c <"$D/bytes" | tr -d ' '
}
# The size once something came through the pipe and no more comes; what it was before is $1.
settled() {
	i=$PATIENCE before=$1
	while [ $i -gt 0 ]; do
		now=$(size)
		[ "$now" -gt "$1" ] && [ "$now" = "$before" ] && break
		before=$now
		sleep 0.1
		i=$((i - 1))
	done
	echo "$now"
}

: >"$D/bytes"
keys Down
expect '>~sequence parallel'
first=$(settled 0)
for _ in 1 2 3 4; do
	keys Down
done
expect '> EP'
keys Up Up Up Up
expect '>~sequence parallel'
last=$(settled "$first")
each=$(((last - first) / 8))
echo "bytes for each key: $each"
{ [ "$each" -gt 0 ] && [ "$each" -lt 200 ]; } || fail "a key sends $each bytes"

sleep 1 # the measurement itself: nothing may happen meanwhile
[ "$(size)" = "$last" ] || fail "idle, but $(($(size) - last)) bytes were sent"

# On the map, where a move tells of other groups.
keys Tab
expect 'map by relation'
first=$(settled "$last")
last=$first
for key in Down Down Right Right Up Up Left Left; do
	keys $key
	last=$(settled "$last")
done
each=$(((last - first) / 8))
echo "bytes for each key on the map: $each"
{ [ "$each" -gt 0 ] && [ "$each" -lt 560 ]; } || fail "a key on the map sends $each bytes"
keys q
expect 'rc=0'

# A picture of 16,384 GPUs, all of it, by what has a colour for each node beside another.
start 200 60 tmux-256color "'$PROG' --nodes=2048 --model=llama-3.1-405b --tp=8 --pp=16 --gbs=128 --order=tp-cp-ep-pp-dp"
expect '126 layers are not divisible'
# What a picture by those kinds sends is below the bytes that follow.
repaint() {
	keys ":color $1" Enter
	expect "map by $2"
	before=$(settled 0)
	keys C-l
	now=$(($(settled "$before") - before))
	echo "bytes of a picture by $2: $now"
	[ "$now" -lt "$3" ] || fail "a picture of 16,384 GPUs by $2 sends $now bytes"
}
T pipe-pane -o -t s: "cat >'$D/bytes'"
for by in stage dp pp; do
	repaint $by $by 25000
done
keys q
expect 'rc=0'

# Two kinds, each in lines of its own that go on from node to node; one of them may be another at each node.
start 200 60 tmux-256color "'$PROG' --nodes=2048 --model=deepseek-v3 --gbs=64 --tp=1 --pp=16 --ep=64"
expect '2 errors'
T pipe-pane -o -t s: "cat >'$D/bytes'"
repaint ep,dp 'ep.dp' 15000
repaint ep,pp 'ep.pp' 25000
repaint pp,dp 'pp.dp' 25000
repaint ep,edp 'ep.edp' 25000
repaint ep,pp,dp 'ep.pp.dp' 25000
keys q
expect 'rc=0'

start 200 60 tmux-256color "'$PROG' --nodes=2048 --model=deepseek-v3 --gbs=4096 --tp=1 --cp=4 --pp=16 --ep=64"
expect '61 layers are not divisible'
T pipe-pane -o -t s: "cat >'$D/bytes'"
repaint cp,pp 'cp.pp' 25000
repaint cp,ep,pp 'cp.ep.pp' 25000
keys q
expect 'rc=0'
