#!/bin/sh
# Text of others stays text: whatever a plan, a catalogue, a log, a file name, an argument or
# the environment says, no control character and nothing invisible reaches the terminal.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

escape=$(printf '\033')
csi=$(printf '\302\233')      # U+009B, an escape to some terminals
turn=$(printf '\342\200\256') # U+202E, right to left from here on
line=$(printf '\342\200\250') # U+2028, a line separator
evil="e$escape[31m$csi$turn$line"
cfg='\x1b[31m\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\ninjected = 1;\x7f'

# harmless: what the last command printed holds nothing of these.
harmless() {
	for stream in out err; do
		n=$(tr -d '\11\12\40-\176\200-\377' <"$stream" | wc -c)
		[ "$n" -eq 0 ] || fail "$n control characters on $stream"
		for bytes in "$csi" "$turn" "$line"; do
			grep -qF "$bytes" "$stream" && fail "a foreign character on $stream"
		done
		grep -q '^injected' "$stream" && fail "a line of somebody else's on $stream"
	done
}

# shows TEXT ARGUMENT...: harmless, and TEXT is among what is printed.
shows() {
	text=$1
	shift
	about "shardplan $(printf '%s ' "$@" | tr -cd '\40-\176')"
	"$PROG" "$@" >out 2>err </dev/null
	harmless
	cat out err | grep -qF -- "$text" || fail "lacks $text"
}

echo "format = 1;" >other.cfg
cat >plan.cfg <<PLAN
name = "n$cfg";
notes = "o$cfg";
cluster: { gpu = "h100-sxm-80gb"; };
parallel: { tp = 2; };
calibration: { compute_efficiency = 0.9; source = "s$cfg"; };
PLAN
cat >unknown.cfg <<PLAN
cluster: { gpu = "g$cfg"; };
model: { preset = "m$cfg"; };
PLAN
cat >texts.cfg <<PLAN
parallel: { order = "o$cfg"; hierarchical_cp = "h$cfg"; pipeline_layout = "p$cfg"; };
training: { recompute = "selective"; recompute_modules = "r$cfg"; };
PLAN
seen='\x1b[31m\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\x0ainjected'

# plans
shows "n$seen" estimate plan.cfg
shows "calibrated by s$seen" estimate plan.cfg
shows "s$seen" diff plan.cfg other.cfg
shows "g\\x1b" check unknown.cfg
for command in check estimate; do
	shows 'no GPU e\x1b' "$command" "--gpu=$evil"
	shows 'no model e\x1b' "$command" "--model=$evil"
done
shows "o\\x1b" check texts.cfg
for command in groups layers 'rank 0' map pipeline estimate 'explain params.total' check \
    'diff other.cfg'; do
	for plan in plan.cfg unknown.cfg texts.cfg; do
		# shellcheck disable=SC2086
		set -- $command
		name=$1
		shift
		case $name in rank | explain) set -- "$plan" "$@" ;; *) set -- "$@" "$plan" ;; esac
		about "$name $*"
		"$PROG" "$name" "$@" >out 2>err
		harmless
	done
done

# the same value in JSON, escaped there
if command -v python3 >/dev/null; then
	for command in 'estimate plan.cfg' 'diff other.cfg plan.cfg' "check --gpu=$evil"; do
		about "$command --json"
		# shellcheck disable=SC2086
		"$PROG" $command --json >out 2>err
		harmless
		grep -qF '\u001b[31m\u009b\u202e\u2028' out || fail 'escapes are missing'
		python3 -c 'import json; assert "\\u202e" in str(json.load(open("out")))' || fail 'not the value'
	done
fi

# the catalogue: a section of it can be pasted into a plan
mkdir -p config/shardplan/clusters
cat >config/shardplan/gpus.cfg <<PLAN
gpus = ( { id = "own"; title = "t$cfg"; source = "w$cfg"; memory_gib = 40.0;
	bf16_tflops = 100.0; hbm_gbps = 1000.0; } );
PLAN
cat >config/shardplan/models.cfg <<PLAN
models = ( { id = "mine"; title = "t$cfg"; source = "w$cfg"; layers = 4; hidden_size = 256;
	ffn_hidden_size = 512; attention_heads = 4; kv_heads = 4; vocab_size = 1000; } );
PLAN
cat >config/shardplan/clusters/ours.cfg <<PLAN
name = "t$cfg";
notes = "w$cfg";
cluster: { gpu = "own"; nodes = 2; };
PLAN
for command in models gpus clusters; do
	shows "t$seen" "$command"
done
for command in 'models mine' 'gpus own' 'clusters ours'; do
	# shellcheck disable=SC2086
	shows "# source: w$seen" $command
	# shellcheck disable=SC2086
	run 0 $command
	mv out section.cfg
	run 0 check section.cfg
done
rm -r config

# arguments and file names
shows "'e\\x1b[31m" "$evil" plan.cfg
shows "'e\\x1b[31m" groups plan.cfg "$evil"
shows "--set 'e\\x1b" check "--set=$evil"
shows "parallel.tp=e\\x1b" check "--tp=$evil"
shows "e\\x1b" check "--$evil"
shows "e\\x1b" groups "--kind=$evil"
shows "e\\x1b" map "--color-by=$evil"
shows "e\\x1b" map "--zoom=$evil"
shows "e\\x1b" rank "$evil"
shows "e\\x1b" explain "$evil"
shows "e\\x1b" topics "$evil"
shows "e\\x1b" help "$evil"
shows "e\\x1b" models "$evil"
shows "e\\x1b" check "$evil.cfg"
shows "e\\x1b" diff plan.cfg "$evil.cfg"
shows "e\\x1b" calibrate "$evil.cfg" "$evil.log"
cp plan.cfg "$evil.cfg"
shows "A = e\\x1b" diff "$evil.cfg" plan.cfg
shows 'e\x1b' --linear "$evil.cfg"
printf '[info] elapsed time per iteration (ms): 1\n%s iteration 1/2 | elapsed time per iteration (ms): 900 | %s\n' \
    "$evil" "$evil" >"$evil.log"
shows 'e\x1b' calibrate "$evil.cfg" "$evil.log"
# and what is saved is as harmless, with the same value
cp "$evil.cfg" out
harmless
grep -q '^calibration:' out || fail 'the plan was not saved'
shows "n$seen" estimate "$evil.cfg"
printf 'show all\nset name %s\nsave %s.cfg\ntp %s\n%s\n' "$evil" "$evil" "$evil" "$evil" >lines
about 'lines typed into --linear'
"$PROG" --linear plan.cfg <lines >out 2>err
harmless

# the environment
if command -v script >/dev/null; then
	about 'TERM'
	# ncurses keeps what newterm began with when that fails: no leak of ours.
	ASAN_OPTIONS=detect_leaks=0 TERM="x$evil" script -qec "$PROG plan.cfg" /dev/null </dev/null 2>&1 |
	    tr -d '\r' >out
	: >err
	harmless
	out_has 'terminal type .x'
fi
about 'XDG_CONFIG_HOME'
mkdir "$evil"
mkdir "$evil/shardplan"
echo 'gpus = 1;' >"$evil/shardplan/gpus.cfg"
XDG_CONFIG_HOME=$PWD/$evil "$PROG" gpus >out 2>err
harmless
err_has 'e\\x1b.*gpus\.cfg:1: error'

finish
