#!/bin/sh
# The manual and the program name the same commands, options, fields, quantities, reason
# codes and keys; and the pages are well formed.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

page1=$TOP/man/shardplan.1.in
page5=$TOP/man/shardplan-plan.5.in
page7=$TOP/man/shardplan-estimates.7.in
primer=shardplan-parallelism.7.in
awk -f "$TOP/man/parallelism.awk" "$TOP/share/topics/en.txt" >"$primer"

same() {
	about "$1"
	sort -u program >program.sorted
	sort -u manual >manual.sorted
	: >out
	: >err
	[ -s program ] || fail 'the program lists none'
	diff program.sorted manual.sorted >differ && return
	fail 'program (<) and manual (>) differ'
	grep '^[<>]' differ
}

has() {
	command -v "$1" >/dev/null
}

# Lines that can not be broken or filled are no fault unless they are too wide, which is looked at.
# rendered RENDERER [ARGUMENT]...: without a word, and no line wider than a terminal of 80 columns.
rendered() {
	"$@" "$name" >text 2>out || fail "exit status $? of $1"
	[ ! -s out ] || fail "$1 has warnings"
	sed 's/.\x08//g' text | expand | awk 'length($0) > 80' >out
	[ ! -s out ] || fail "lines over 80 columns by $1"
}

# What renders pages here: mandoc, groff, or the man of the system, which is one of them.
for page in "$page1" "$page5" "$page7" "$TOP/man/shardplan-tour.7.in" "$primer"; do
	name=$(basename "$page" .in)
	sed 's/@PACKAGE_VERSION@/0.0/g' "$page" >"$name"
	about "$name"
	grep '@[A-Z]' "$name" >out && fail 'a placeholder is left'
	if has mandoc; then
		mandoc -T lint -W warning "$name" >out 2>&1 || fail 'mandoc has warnings'
		rendered mandoc -T ascii -O width=78
	fi
	if has groff; then rendered groff -mandoc -ww -Wbreak -rLL=78n -Tascii -P-c; fi
	if man --version >out 2>&1 && grep -q man-db out; then
		MANWIDTH=80 rendered man --warnings -l
	fi
done

# The Chinese primer, which mandoc alone breaks into lines without help.
about 'the Chinese primer'
awk -f "$TOP/man/parallelism.awk" -v language=zh "$TOP/share/topics/zh.txt" >primer.zh
if has mandoc; then
	mandoc -T lint -W warning primer.zh >out 2>&1 || fail 'mandoc has warnings'
fi

"$PROG" --help >help || fail '--help'
about --help
awk 'length($0) > 79' help >out
[ ! -s out ] || fail 'lines over 79 columns'

# commands: listed in --help, and as "Ic NAME" items of COMMANDS
sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' help >program
sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Ic \([a-z]*\).*/\1/p' "$page1" >manual
same commands

# SYNOPSIS names them all
sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' help >program
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.Cm \([a-z| ]*\)$/\1/p' "$page1" | tr -s '| ' '\n' >manual
same 'commands of the synopsis'

# options: the long names
sed -n 's/^ .*--\([a-z-]*\).*/\1/p' help | grep -v '^$' >program
sed -n '/^\.Sh OPTIONS/,/^\.Sh PROCESS/p' "$page1" |
    sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' >manual
same options

# which command takes which
sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Ic \([a-z]* .*\)/\1/p' "$page1" |
    while read -r command rest; do
	"$PROG" help "$command" | sed -n "s/^ .*--\([a-z-]*\).*/$command \1/p" |
	    grep -vE ' (set|help|version)$' >&3
	echo "$rest" | grep -o 'Fl -[a-z-]*' | sed "s/Fl -/$command /"
    done >manual 3>program
same 'options of commands'

# completions: the values of options with a fixed list, and for fish, which asks for less at
# run time, every option
for option in 'groups --format' 'map --zoom' 'map --color' 'map --palette' 'topics --language'; do
	# shellcheck disable=SC2086
	"$PROG" $option=none-of-them 2>&1 | sed -n 's/.* is none of //p' | tr '|' ' ' >words
	[ -s words ] || fail "no values of $option"
	for shell in shardplan _shardplan shardplan.fish; do
		about "$shell: ${option#* }"
		: >out
		sed -n "/${option#* }[) ]/p; /-l ${option#*--} /p" "$TOP/share/completions/$shell" |
		    grep -qwF "$(cat words)" || fail "lacks $(cat words)"
	done
done
about shardplan.fish
sed -n '/^Options:/,/^$/s/^ .*--\([a-z-]*\).*/\1/p' help | while read -r option; do
	grep -q -- "-l $option " "$TOP/share/completions/shardplan.fish" || echo "$option"
done >out
[ ! -s out ] || fail 'options that it lacks'

# and those of fields with names to choose from, or on and off
sed -nE 's/^ *--([a-z-]*)=(NAME|BOOL)( .*)?$/\1/p' help |
    while read -r option; do
	for shell in shardplan _shardplan; do
		grep -qE -- "--$option( \\||\||\))" "$TOP/share/completions/$shell" ||
		    echo "$shell: $option"
	done
	grep -qE -- "^for name in( .*)? $option( |\$)|-l $option .*-a " \
	    "$TOP/share/completions/shardplan.fish" || echo "shardplan.fish: $option"
    done >out
about 'values of fields in completions'
[ ! -s out ] || fail 'lacking'

# fields: path and range by path, in the section on settings
"$PROG" fields >fields.txt || fail fields
sed -n '2,$s/^\([a-z0-9_.]*\) .*/\1/p' fields.txt >program
sed -n '/^\.Sh SETTINGS/,/^\.Sh EXAMPLES/s/^\.It Cm \([a-z0-9_.]*\)$/\1/p' "$page5" |
    grep -vx -e format -e base >manual
same fields

# what the page says of each is what the table of the program says, and may say more
cat >fields.awk <<'AWK'
function flush(    usual) {
	gsub(/\\\(dq/, "\"", text)
	if (match(text, /; default [^ ]+( catalogue\.)? /)) {
		usual = substr(text, RSTART + 10, RLENGTH - 11)
		sub(/(, catalogue)?\.$/, "", usual)
		if (usual != "derived" && usual != value[path])
			print path ": default " usual ", not " value[path]
	}
	sub(/; (no default\.|default [^ ]+( catalogue\.)?) /, "; ", text)
	if (path in told && index(tolower(text), tolower(told[path])) != 1)
		print path ": " text ", not " told[path]
	path = text = ""
}
NR == 1 { next }
FNR == NR {
	split($0, cell, "  +")
	sub(/^up to /, "at most ", cell[4])
	sub(/ of text$|^one of /, "", cell[4])
	range = cell[2] == "boolean" ? "" : (cell[2] == "name" ? ": " : ", ") \
	    (cell[3] == "-" ? "" : cell[3] ", ") cell[4]
	told[cell[1]] = cell[2] range "; " (cell[6] == "both" ? "" : "Mode " cell[6] ". ") cell[7]
	value[cell[1]] = cell[5] == "-" ? "\"\"" : cell[5]
	next
}
/^\.(Sh|Ss|Bl|El|It)/ { flush() }
/^\.It Cm / { path = $3; next }
path != "" {
	if (sub(/^\.Pq Ql /, "("))
		sub(/ .$/, ")" substr($0, length($0)))
	else if (sub(/^\.[A-Z][a-z] /, ""))
		sub(/ [.,;]$/, substr($0, length($0)))
	text = text (text == "" ? "" : " ") $0
}
AWK
about 'what shardplan-plan(5) says of fields'
awk -f fields.awk fields.txt "$page5" >out
[ ! -s out ] || fail 'the page and the table of fields differ'

# the option of a field is described with the path that it sets
"$PROG" fields --json | awk -F'"' '$2 == "path" { path = $4 }
	$2 == "option" && $4 != "" { print path, $4 }' >program
sed -n '/^These set one field/,/^\.El/p' "$page1" |
    sed -n '/^\.It Fl -/{s/^\.It Fl -\([a-z-]*\).*/\1/;N;s/\(.*\)\n\.Cm \(.*\)/\2 \1/p;}' >manual
same 'options of fields'
"$PROG" fields --json | awk -F'"' '$2 == "option" { option = $4 }
	$2 == "short" && $4 != "" { print $4, option }' >program
sed -n '/^These set one field/,/^\.Bl/p' "$page1" |
    sed -n '/^\.Fl -/{N;N;s/^\.Fl -\([a-z-]*\)\nfor\n\.Fl -\([a-z-]*\).*/\1 \2/p;}' >manual
same 'short names of options'

# the examples of the manual are plans: legal, and the second builds on the first
awk '
	/^\.Bd -literal/ { n++; inside = 1; next }
	/^\.Ed/ { inside = 0 }
	inside { print >("example" n ".cfg") }
' "$page5"
mv example1.cfg llama.cfg
run 0 check llama.cfg
no_err
run 0 check example2.cfg
no_err
good diff llama.cfg example2.cfg
out_has '^cluster\.nodes +8 +4$'

# quantities
"$PROG" explain 2>list
sed -n 's/^  \([a-z0-9._]*\) .*/\1/p' list >program
sed -n '/^\.It Ic explain/,/^\.It Ic diff/s/^\.Cm \([a-z0-9._]*\).*/\1/p' "$page1" >manual
same quantities
sed -n '/^\.Sh QUANTITIES/,/^\.Sh CALIBRATION/s/^\.It Cm \([a-z_]*\.[a-z0-9._]*\)$/\1/p' "$page7" |
    sort -u >manual
about 'quantities of shardplan-estimates(7)'
[ -s manual ] || fail 'none'
sort -u program | comm -13 - manual >out
[ ! -s out ] || fail 'the program lacks some'

# names of the JSON: the keys of each report stand under its command, and no others
cat >serve.cfg <<'PLAN'
mode = "serve";
parallel: { layout = "vllm"; };
PLAN
keys() {
	"$PROG" "$@" --json 2>/dev/null | tr ',{' '[\n*]' |
	    sed -n 's/^ *"\([a-z][a-z0-9_]*\)": *.*/\1/p'
}
# the names of a command in its item of the manual
names() {
	sed -n '/^\.Sh JSON/,/^\.Sh PROCESS/p' "$page1" | awk -v name="$1" '
		/^\.It Ic / { inside = index($0 " ", " " name " "); next }
		inside && /^\.(Cm|Pq Cm) /' | tr ' ,' '[\n*]' | grep '^[a-z]'
}
"$PROG" fields | sed -n 's/^\(cluster\|model\)\.\([a-z0-9_]*\) .*/\2/p' >values
cat >run.cfg <<'PLAN'
training: { token_budget = 1000.0; };
cluster: { storage_gbps = 10.0; storage_read_gbps = 10.0; gpu_hour_price = 2.0; kwh_co2_kg = 0.4; slow_nodes = "0*0.9"; levels = "8:450,16:50"; };
run: { dataset_tokens = 10.0; consumed_samples = 10000001; };
PLAN
{ keys estimate run.cfg; keys estimate serve.cfg
    keys estimate --set=parallel.layout=deepspeed --set=parallel.offload=optimizer
    keys estimate serve.cfg --nodes=2 --set=prefill_workers=1xtp1
    keys estimate --mode=serve --model=qwen3-30b-a3b --tp=1 --set=ffn_gpus=2
    keys estimate serve.cfg --set=draft_tokens=2 --set=serving.acceptance=0.001
    keys estimate serve.cfg --set=traffic.rate=1 --set=ttft_limit=1 \
        --set=gpu_hour_price=2 --set=traffic.mix=rag
    keys estimate --set=rl.algorithm=ppo --set=reward_preset=llama-3.1-8b; } >program
names estimate | grep -v '^[a-z]*\.' >manual
same 'JSON of estimate'
{ keys groups; keys groups --format=hash; } >program
names groups >manual
same 'JSON of groups'
# of what mends a plan in either mode, and by two fields
{
	keys check --tp=3 --pp=7
	keys check serve.cfg --model=llama-3.1-70b
} >program
names check >manual
same 'JSON of check'
for command in layers 'diff serve.cfg llama.cfg' fields; do
	# shellcheck disable=SC2086
	keys $command >program
	names "${command%% *}" | grep -vx -e memory -e communication >manual
	same "JSON of ${command%% *}"
done
{
	keys search fewest
	keys search serve.cfg --nodes=1 --concurrency=1
	keys search serve.cfg --nodes=1 --rate=1 --free=tp
	keys search "$TOP/share/plans/grpo-qwen2.5-7b.cfg" --around
} | grep -v '^time$' >program
names search >manual
same 'JSON of search'
# rank has memory as estimate has it, and axes of the layout
keys rank 0 | sort -u >all
"$PROG" rank 0 | sed -n 's/^coordinates *//p' | sed 's/=[0-9]*//g' | tr ' ' '\n' >axes
{ names estimate; names layers; } | grep -vxFf axes | sort -u >elsewhere
{ names rank; grep -xFf elsewhere all; } >manual
grep -vxFf axes all >program
same 'JSON of rank'
for command in models gpus clusters; do
	keys "$command" | grep -vx -e "$command"
done | grep -vxFf values >program
names models >manual
same 'JSON of the catalogue'

# keys: every row of `help keys`, word for word
"$PROG" help keys >keys.txt || fail 'help keys'
sed -n '2,$p' keys.txt | sed 's/   */|/g' >program
awk '
	/^\.Sh / { inside = $2 == "KEYS" }
	!inside { next }
	/^\.It Cm / { keys = substr($0, 8); gsub(/\\&/, "", keys); next }
	/^\.Pq Ic / { name = substr($0, 8); sub(/ Ar /, " ", name); next }
	keys != "" && !/^\./ {
		sub(/\.$/, "")
		where = $0
		sub(/:.*/, "", where)
		print keys "|" name "|" where "|" substr($0, length(where) + 3)
		keys = ""
	}' "$page1" >manual
same keys

# kinds of group that stand under their layout, whatever else stands there
about 'kinds of group'
for layout in megatron deepspeed torchtitan nanotron vllm seed; do
	sed -n '/^\.Sh PROCESS/,/^\.Sh SCREEN/p' "$page1" |
	    awk -v name="$layout" '/^\.It Cm / { inside = $3 == name } inside' | tr ' ' '\n' >there
	for options in '' '--ep=2 --model=mixtral-8x7b' '--cp=2 --pp=1' '--dp-replicate=2'; do
		# shellcheck disable=SC2086
		"$PROG" groups --layout=$layout $options --format=hash 2>/dev/null |
		    sed 's/ .*//' | grep -vxFf there | sed "s/^/$layout: /"
	done
done >out
[ ! -s out ] || fail 'the manual lacks some'

# reason codes of the sources, where these are at hand; names of kinds stand there too
core=$TOP/src/core
if [ -d "$core" ]; then
	code='"[a-z][a-z0-9]*(_[a-z0-9]+)+"'
	{
		sed -n 's/^RULE(\("[a-z0-9_]*"\), [A-Z]*,.*/\1/p' "$(find "$core" -name check_rules.def)"
		find "$core" \( -path '*/framework/*.c' -o -name 'stage*.c' -o -name 'layout*.c' \
		    -o -name check.c -o -name 'estimate*.c' -o -name 'advice*.c' -o -name 'hints_*.c' \) -exec grep -hoE "$code" {} +
	} | tr -d '"' | sort -u >codes
	sed -n '/^\.Sh DIAGNOSTICS/,/^\.Sh SEE/p' "$page1" | grep '^\.It Cm' |
	    tr ' ' '\n' | tr -d , | grep _ | sort -u >manual
	about 'reason codes'
	comm -13 codes manual >out
	[ ! -s out ] || fail 'the manual has codes that the program lacks'
	sed -n '/^\.Sh PROCESS/,/^\.Sh KEYS/p' "$page1" | tr -s ' .,' '\n' | grep _ |
	    sort -u - manual >known
	comm -23 codes known | grep -vx -e 'hcp_l[0-9]' -e 'edp_[lh][io]' -e gtp_remat >out
	[ ! -s out ] || fail 'the manual lacks codes'
fi

# what is installed beside the program
(cd "$TOP/share" && ls -p) | grep -vx -e completions/ -e packaging/ -e pictures/ >program
sed -n '/^\.Sh FILES/,/^\.It Pa \$/s/^\.It Pa \([a-z].*\)/\1/p' "$page1" | tr -d , | tr ' ' '\n' |
    grep . >manual
same 'files of the data directory'

# the environment that the sources look at, bounds of what is read, and what certainty was measured
if [ -d "$core" ]; then
	sed -n 's/^LIMIT([A-Z_]*, \([0-9 *]*\), "\([a-z]*\)", "\(.*\)")$/\2|\1|\3/p' "$TOP/src/file/base/limits.def" |
	    while IFS='|' read -r unit most what; do
		most=$(awk "BEGIN { print $most }")
		case $unit in
		'') most=$(echo "$most" | sed -e :a -e 's/\(.*[0-9]\)\([0-9]\{3\}\)/\1,\2/;ta') ;;
		*) [ $((most % 1048576)) -eq 0 ] && most="$((most / 1048576)) MiB" || most="$((most / 1024)) KiB" ;;
		esac
		echo "$most Ta $what"
	done >program
	sed -n '/^\.Sh LIMITS/,/^\.El/s/^\.It \([^S].*\)/\1/p' "$page1" >manual
	same 'limits'
	tr -d '(),' <"$core/search/ahead.def" | awk '/^AHEADMODE_/ { print $3, $4 }' | sort >program
	sed -n 's/^\.It \(more\|up to 2\|[0-9]* to [0-9]*\) Ta \([0-9]*\) Ta \([0-9]*\) Ta \([0-9]*\) Ta \([0-9]*\)$/\2 \3\n\4 \5/p' \
	    "$TOP/man/shardplan-estimates.7.in" | sort >manual
	same 'certainty of a ranking'
	find "$TOP/src" -name '*.c' -exec cat {} + | grep -oE '"(XDG_[A-Z_]*|SHARDPLAN_[A-Z]*)"|getenv\("[A-Z_]*' |
	    tr -cs 'A-Z_\n' '\n' | grep . >program
	sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh FILES/s/^\.It Ev //p' "$page1" | tr -d , | tr ' ' '\n' |
	    grep . |
	    grep -v -e ^LC_ -e ^LANG >manual
	same 'environment'
fi

finish
