#!/bin/sh
# Pin a plan, change it, see by how much; two plans side by side; back by the history.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

# One file to open and one to compare with.
mkdir -p "$D/work"
printf 'cluster = { nodes = 2; };\nparallel = { tp = 2; pp = 4; };\n' >"$D/work/one.cfg"
printf 'cluster = { nodes = 2; };\nparallel = { tp = 4; pp = 2; };\n' >"$D/work/two.cfg"

start 160 40 tmux-256color "'$PROG' one.cfg"
expect 'one.cfg +train'
expect_not 'vs saved'
keys / T P Enter
expect '>.TP '
keys +
expect '\(was 2\) 4 ranks'
expect 'vs saved: +memory'
expect 'GiB  ?-[0-9.]+'
keys -
expect_not 'vs saved'

# Held against a plan of the user's choice.
keys + P
expect '\(pin\)'
expect_not '\(was '
keys -
expect '\(was 4\) 2 ranks'
expect 'vs pinned'
keys P
expect 'no pin'
expect_not 'vs '

# Two plans: what differs, and the other's value.
keys : c o m p a r e Space t w o . c f g Enter
expect 'compare: two.cfg and this plan'
expect '> parallel.tp +4 +2$|> parallel.tp +4 +2 '
expect 'memory of the fullest GPU .*GiB .*%'
keys Enter
expect 'from two.cfg: TP 4'
expect_not 'parallel.tp '
keys Escape
expect 'TP 4 PP 4'
# The open plan is the one it was.
expect 'one.cfg \*'

# All changes, and back over several of them.
keys U
expect '^│   .*0  the plan at the start'
expect '>  .*\* TP 4'
keys Home Enter
expect 'undone [0-9]+ changes'
expect 'one.cfg +train'
expect_not 'vs saved'
keys C-r
expect 'redone'
keys u q
expect 'rc=0'
restored
