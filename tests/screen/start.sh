#!/bin/sh
# Start, sizes, help, quit.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 100 30 tmux-256color "'$PROG'"
expect '^┌ plan'
expect '>\*TP +2 ranks'
expect 'the built-in plan; o opens one'
keys o
expect 'No plan in this folder yet'
keys Escape
expect 'TP \(:tp\): tensor parallel size'
expect 'map by tp'
expect 'memory per GPU, by stage'
expect 'fits [0-9.]+ of [0-9.]+ GiB'
[ "$(get '#{cursor_y}')" = "$(($(text | grep -n '>\*TP' | cut -d: -f1) - 1))" ] ||
    fail "the cursor is not on the selected row"

keys Down
expect '>~sequence parallel'
keys k
expect '>\*TP'
keys Tab
expect 'rank 0: node 0'
keys l
expect 'rank 1: node 0, GPU 1'
keys '?'
expect 'keys and commands'
keys Escape
expect 'map by relation'

# Every size, at any moment.
for size in "40 12" "20 3" "1 1" "200 60" "72 20" "15 6" "100 30"; do
	# shellcheck disable=SC2086
	resize $size
done
keys BTab
expect '>\*TP +2 ranks'
resize 40 12
expect '\[plan\] map memory traffic step'
expect '>\*TP +2'
resize 20 3
expect '^>\*TP +2$'
resize 100 30
expect 'memory per GPU, by stage'

keys q
expect 'rc=0'
restored

# Starts small, and survives a storm of sizes.
start 1 1 tmux-256color "'$PROG'"
for size in "500 200" "2 1" "1 2" "40 12" "7 3" "300 4" "4 100" "100 30"; do
	# shellcheck disable=SC2086
	resize $size
done
expect '>\*TP +2 ranks'
keys q
expect 'rc=0'
restored

# Wide characters take two columns, and lines end where they should.
printf 'name = "\346\274\242\345\255\227\350\250\210\347\224\273";\n' >"$D/work/wide.cfg"
start 80 24 tmux-256color "'$PROG' wide.cfg"
expect '> TP'
# Two columns each: the frame's edge is where it is on the line below.
expect '^│.\*name {15}[^ ]{4} │'
expect '^│  mode {18}train │'
keys q
expect 'rc=0'

# Terminals that are little, or not quite this one.
for term in xterm screen screen-256color linux vt100 vt220 ansi rxvt xterm-16color; do
	infocmp "$term" >/dev/null 2>&1 || continue
	start 80 24 tmux-256color "TERM=$term '$PROG'"
	expect '>\*TP'
	keys C-Right S-Up # no digits, brackets and letters
	keys j
	expect '>~sequence parallel'
	keys q
	expect 'rc=0'
	restored
	# Where the picture stays, the shell's line is empty.
	text | grep -q 'q quit' && fail "$term: the last line is left to the shell"
done

# Cells may be lost without another size in the end.
start 80 24 tmux-256color "sh -c 'echo \$\$ >$D/pid; exec \"$PROG\"'"
expect '>\*TP'
printf '\033[5;5Hlost cells' >"$(get '#{pane_tty}')"
expect 'lost cells'
kill -s WINCH "$(cat "$D/pid")"
expect_not 'lost cells'
keys q
expect 'rc=0'

# The terminal's palette is the user's.
start 80 24 tmux-256color "read -r go; TERM=xterm-256color '$PROG'"
T pipe-pane -o -t s: "cat >'$D/bytes'"
keys Enter
expect '>\*TP'
keys q
expect 'rc=0'
LC_ALL=C grep -q ']104' "$D/bytes" && fail "the palette is reset"

# Ctrl-S does not freeze the screen.
start 80 24 tmux-256color "'$PROG'"
expect '>\*TP'
keys C-s j
expect '>~sequence parallel'
keys q
expect 'rc=0'
restored

# A terminal that whoever had it before left without waiting takes a picture of many pages whole.
if command -v python3 >/dev/null 2>&1; then
	cat >"$D/hasty.py" <<'END'
import os, sys
os.dup2(os.open(os.ttyname(1), os.O_WRONLY | os.O_NONBLOCK), 1)
os.execv(sys.argv[1], sys.argv[1:])
END
	start 200 60 tmux-256color "python3 '$D/hasty.py' '$PROG' --nodes=2048"
	expect '>\*TP'
	expect 'Tab pane' # the last line
	keys q
	expect 'rc=0'
fi

# The first picture needs two entries of the catalogue; the rest is there before any key, and
# what is wrong with it is told.
start 100 30 tmux-256color "'$PROG'"
expect '>\*TP'
keys : s e t Space m o d e l Space q w e n 3 - 8 b Enter
expect 'model +qwen3-8b'
keys q d
expect 'rc=0'

# A launch opens as a plan without a file, at the start and later.
echo 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2' >"$D/work/serve.sh"
printf '%s\n' 'model_name_or_path: Qwen/Qwen3-8B' 'stage: sft' 'finetuning_type: lora' 'cutoff_len: 2048' >"$D/work/tune.yaml"
start 120 30 tmux-256color "'$PROG' serve.sh"
expect 'serve\.sh is a launch: '
expect '\(new plan\) +serve +qwen3-32b'
keys : o p e n Space t u n e . y a m l Enter
expect 'tune\.yaml is a launch: '
expect '\(new plan\) +train +qwen3-8b'
keys s
expect 'save as: '
keys Escape
expect_not 'save as: '
keys q
expect 'rc=0'
mkdir -p "$D/data"
cp -R "$TOP/share/." "$D/data" && chmod -R u+w "$D/data"
sed 's/layers = 36;/layers = ;/' "$TOP/share/models.cfg" >"$D/data/models.cfg"
start 100 30 tmux-256color "env SHARDPLAN_DATADIR='$D/data' '$PROG'"
expect 'data/models.cfg:[0-9]+: error'
expect 'rc=2'
restored
