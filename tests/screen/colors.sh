#!/bin/sh
# Terminals with 8 colours, none, and without UTF-8.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 140 40 tmux-256color "TERM=linux '$PROG'"
expect ' tp 3 '
[ "$(look_of 'tp 0 ')" != "$(look_of 'tp 1 ')" ] || fail "8 colours: neighbours share a colour"
ansi | grep -q '48;5;\(1[6-9]\|[2-9][0-9]\)' && fail "8 colours: others are used"
ansi | grep -q "$ESC\\[[0-9;]*4[1-7]" || fail "8 colours: none is used"
keys q
expect 'rc=0'

start 140 40 tmux-256color "NO_COLOR=1 '$PROG'"
expect ' tp 3 '
ansi | grep -Eq "$ESC\\[([0-9;]*;)?[34][0-7]([;m])" && fail "NO_COLOR: colours"
ansi | grep -Eq '[34]8;5' && fail "NO_COLOR: colours of 256"
# Groups are told apart by their numbers and letters.
expect ' tp 0 .* tp 1 '
keys q
expect 'rc=0'

start 140 40 tmux-256color "NO_COLOR= '$PROG'"
expect ' tp 3 '
ansi | grep -Eq '48;5' || fail "an empty NO_COLOR turns nothing off"

start 140 40 tmux-256color "LC_ALL=C '$PROG'"
expect '^\+ plan --'
expect ' tp 3 '
text | LC_ALL=C grep -q '[^ -~]' && fail "characters beyond ASCII in the C locale"
keys q
expect 'rc=0'

# ASCII at run time, and back.
start 140 40 tmux-256color "'$PROG'"
expect '^┌ plan'
keys A
expect '^\+ plan --'
keys A
expect '^┌ plan'
keys q
expect 'rc=0'
restored

start 80 24 tmux-256color "TERM=vt100 '$PROG'"
expect '>\*TP'
keys q
expect 'rc=0'

# Direct colours: those of the palette, by red, green and blue.
if infocmp xterm-direct >/dev/null 2>&1; then
	start 140 40 tmux-256color "TERM=xterm-direct '$PROG'"
	expect ' tp 3 '
	ansi | grep -q '48;2;215;95;255' || fail "direct colours: not those of the palette"
	ansi | grep -q '48;5' && fail "direct colours: others"
	keys q
	expect 'rc=0'
	# a colour for each group, beyond those of the palette too
	start 200 60 tmux-256color "TERM=xterm-direct '$PROG' --nodes=128 --tp=8 --global-batch-size=4096"
	expect '>\*TP'
	keys ':color tp' Enter
	expect 'map by tp'
	sleep 0.3
	n=$(ansi | grep -o '48;2;[0-9;]*m' | sort -u | wc -l)
	[ "$n" -ge 128 ] || fail "direct colours: $n for 128 groups"
	keys q
	expect 'rc=0'
fi

# Palettes: by name, by the background, by a key; with fewer colours than there are.
start 140 40 tmux-256color "COLORFGBG='0;15' '$PROG'"
expect ' tp 3 '
light=$(look_of 'tp 3 ')
keys T
expect 'palette dark'
dark=$(look_of 'tp 3 ')
[ "$light" != "$dark" ] || fail "a white background changes nothing"
keys : p a l e t t e Space l i g h t Enter
expect 'palette light'
[ "$(look_of 'tp 3 ')" = "$light" ] || fail "auto is not light on white"
keys : p a l e t t e Space m o n o Enter
expect 'palette mono'
ansi | grep -Eq '[34]8;5|\[[0-9;]*4[0-7]m' && fail "mono: colours"
expect '\[ tp 3|tp 3'
keys q
expect 'rc=0'
# With fewer colours a map of two kinds has no half blocks; its title tells at once.
start 140 40 tmux-256color "'$PROG' --nodes=256 --tp=4 --pp=16"
expect '>\*TP'
keys : c o l o r Space m e m o r y , t p Enter : z o o m Space h a l v e s Enter
expect 'map: halves'
halves=$(text | sed -n 3p)
keys : p a l e t t e Space 8 Enter
expect 'palette 8'
[ "$(text | sed -n 3p)" != "$halves" ] || fail "the map's title is that of the picture before"
keys q
expect 'rc=0'
start 140 40 tmux-256color "'$PROG' --palette=8"
expect ' tp 3 '
ansi | grep -q '[34]8;5' && fail "palette 8: more colours"
ansi | grep -q "$ESC\\[[0-9;]*4[1-7]" || fail "palette 8: none"
keys q
expect 'rc=0'
