#!/bin/sh
# What a user comes for, task by task, with the keys that it takes: counted, told, and held to
# a bound each.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

screen() {
	start "$1" "$2" tmux-256color "'$PROG' $3"
}

screen 120 40
expect '^┌ plan'
type_text o64x
expect '> llama-3.1-70b-64xh100.cfg .* 64 x h100'
press Enter
expect 'an example: s saves it'
expect 'fits '
expect 'TP 8 PP 4 DP 2'
task 5 '70B on 64 H100 as the example has it: TP 8, PP 4, sequences of 8k, a batch of 512'

screen 120 40
expect '^┌ plan'
type_text o64x
expect '> llama-3.1-70b-64xh100.cfg .* 64 x h100'
press Enter
expect 'an example: s saves it'
type_text ':tp=4 pp=8 gbs=256 seq=4k'
press Enter
expect 'llama-3.1-70b'
expect 'fits '
expect 'TP 4 PP 8 DP 2'
expect 'sequence length .* 4096'
expect 'global batch .* 256'
press u
expect 'TP 8 PP 4 DP 2'
task 32 'set up 70B on 64 H100 in sizes of my own, and take them back at once'

screen 120 40
expect '^┌ plan'
type_text ':3.1-70b 8x8 tp8 gbs512 seq8k'
press Enter
expect '8 x 8 h100.* = 64'
expect 'fits '
expect 'TP 8 PP 4 DP 2'
task 30 'the same from nothing, in one line'

type_text ':mbs=16'
press Enter
expect 'over: '
press Tab Tab W
expect 'why: memory of stage 0'
press Escape f
expect 'what would mend the plan'
press Enter
expect 'fixed: '
expect 'fits [0-9.]+ of'
task 15 'make it not fit, learn why, mend it'

type_text ':color link'
press Enter
expect 'map coloured by link'
expect 'NVLink.*network'
task 12 'see the links'

type_text '/tp'
press Enter P
expect '\(pin\)'
press +
expect 'vs pinned'
press D
expect 'pinned plan and this plan'
expect 'parallel.tp '
press Escape u
expect 'undone: TP'
press P
expect 'no pin'
task 10 'compare, undo, pin'

type_text smine
press Enter
expect 'saved mine.cfg'
press +
expect 'mine.cfg \*'
kept=$XDG_STATE_HOME
i=$PATIENCE
until find "$kept" -name '[!.]*.cfg' | grep -q . || [ $i -eq 0 ]; do
	sleep 0.05
	i=$((i - 1))
done
start 120 40 tmux-256color "env XDG_STATE_HOME='$kept' '$PROG'"
expect '^┌ plan'
type_text omine
press Enter
expect 'Unsaved work of .*: r recover, d discard, Esc later'
expect '^r recover +d discard +Esc later'
press r
expect 'recovered'
expect 'mine.cfg \*'
press s
expect 'saved mine.cfg'
task 15 'save, open, recover'

screen 120 40
expect '^┌ plan'
type_text o405b-8
expect '> llama-3.1-405b-8k.cfg .* 16384 x'
press Enter
expect '2048 x 8 h100.* = 16384'
task 8 '405B on 16,384 GPUs'

press c
expect 'map coloured by'
press Tab
type_text g137
press Enter
expect 'rank 137'
task 7 'colour the map, find rank 137'

screen 120 40 "'$TOP/share/plans/deepseek-v3.cfg'"
expect '^┌ plan'
press Tab
type_text 'glayer 37 expert 12'
press Enter n
expect 'rank [0-9]+: node [0-9]+'
press i
expect 'experts [0-9]+ to [0-9]+ of 256'
task 23 'expert 12 of layer 37'

screen 120 40 "'$TOP/share/plans/llama-3.1-70b-64xh100.cfg'"
expect '^┌ plan'
type_text ':mode=serve pp1 conc32k'
press Enter
expect 'layout vllm, was '
press e
expect '32768 requests of 4096 \+ 512 tokens at once are more than'
press Escape f
expect 'what would mend the plan'
press Escape
task 28 'serve 32k requests'

press t Enter
expect 'L language'
press L Escape Escape
expect '^┌ 方案'
press L
expect '^┌ plan'
task 6 'the primer and the screen in the other language, and back'

# m: the pane in focus alone, and back.
press Tab m
expect '^┌ plan \[map\]'
expect 'm all panes'
press m
expect '^┌ plan .*map'
task 3 'one pane over the whole screen, and back'

start 80 24 vt100 "'$PROG' --palette=light"
expect 'plan'
press A T + q d
expect 'rc=0'
restored
task 5 'vt100, ASCII, another palette'

screen 40 12
expect 'TP 2'
press +
expect 'TP .*4'
press Tab Tab q
expect 'Unsaved|unsaved'
expect 's save +d discard +Esc stay'
press d
expect 'rc=0'
task 5 '40 columns, 12 lines'
