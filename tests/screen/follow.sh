#!/bin/sh
# What follows other fields goes on following after saving and reopening; what is set stays.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

mkdir -p "$D/work"
cat >"$D/work/moe.cfg" <<'PLAN'
cluster: { nodes = 8; };
model: { preset = "mixtral-8x7b"; };
parallel: { tp = 4; ep = 2; pp = 4; };
PLAN
memory() {
	text | sed -n 's/.* fits \([0-9.]*\) of.*/\1/p'
}

# without saving
start 140 50 tmux-256color "'$PROG' moe.cfg"
expect '>\*TP +4 ranks'
expect ' ~ETP +4 ranks'
four=$(memory)
keys -
expect '>\*TP +\(was 4\) 2 ranks'
expect ' ~ETP +\(was 4\) 2 ranks'
unsaved=$(memory)
[ -n "$unsaved" ] && [ "$unsaved" != "$four" ] || fail "memory does not tell TP 2 from TP 4"
# back, and saved
keys u s
expect 'saved moe.cfg'
grep -q '# follows layout and TP: etp = 4;' "$D/work/moe.cfg" || fail "no comment tells of ETP"
keys q
expect 'rc=0'

start 140 50 tmux-256color "'$PROG' moe.cfg"
expect '>\*TP +4 ranks'
expect ' ~ETP +4 ranks'
keys -
expect ' ~ETP +\(was 4\) 2 ranks'
[ "$(memory)" = "$unsaved" ] || fail "saved, it takes $(memory) GiB instead of $unsaved"
# set it stays, through a file too; x makes it follow again
keys + : e t p Space 1 Enter
expect ' \*?>?\*ETP +\(was 4\) 1 rank |>\*ETP +\(was 4\) 1 rank '
keys s
expect 'saved moe.cfg'
keys q
expect 'rc=0'
start 140 50 tmux-256color "'$PROG' moe.cfg"
expect ' \*ETP +1 rank '
keys -
expect ' \*ETP +1 rank '
keys : e t p Enter
expect '>\*ETP'
keys Escape x
expect '>~ETP +\(was 1\) 2 ranks'
expect 'back to ETP 2, follows layout and TP'
keys u
expect '>\*ETP +1 rank '
# another GPU says what it drops of the old one
keys : m e m o r y _ g i b Space 7 0 Enter
expect '\*GPU memory +\(was .*\) +70'
keys / g p u Enter
expect '>.GPU '
keys +
expect '1 override of the old one dropped: GPU memory 70 GiB'
keys u
expect '\*GPU memory +\(was .*\) +70'
keys q d
expect 'rc=0'
restored
