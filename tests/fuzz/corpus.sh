#!/bin/sh
# The targets of fuzzing as programs that read files: on what is well formed, whole and cut in
# half, and on every input that ever failed (kept.tsv). Given a directory, it leaves the inputs
# there, one folder for each target, to begin fuzzing with.
. "$TOP/tests/cli/lib.sh"
into=${1:-$PWD}

# room TARGET; put TARGET NAME: standard input becomes an input.
room() { [ -d "$into/$1" ] || mkdir -p "$into/$1"; }
put() { room "$1" && cat >"$into/$1/$2"; }
# both TARGET NAME [BYTES]: the same with escaped BYTES before it; and, at the end, half of it.
both() {
	room "$1"
	{ printf '%b' "$3"; cat; } >"$into/$1/$2"
	printf '%s\n%s\n%s\n' "$into/$1/$2" "$into/$1/half-$2" "$3" >>halves
}
command -v perl >/dev/null || { echo "no perl"; exit 77; }
cut_halves() {
	perl -e 'while (defined(my $whole = <STDIN>)) {
		chomp(my ($half, $before) = (scalar <STDIN>, scalar <STDIN>));
		chomp $whole;
		open(my $in, "<:raw", $whole) or die; local $/; my $text = <$in>; $/ = "\n";
		$before =~ s/\\(n|0?[0-7]{1,3})/x/g;
		my $rest = length($text) - length($before);
		if ($rest <= 0) { unlink $whole; next }
		open(my $out, ">:raw", $half) or die;
		print $out substr($text, 0, length($before) + int($rest / 2));
	}' <halves
}
: >halves

# Well formed. Plans as such, and to every target; what is exported, to be recognised (0377).
for f in "$TOP"/share/*.cfg "$TOP"/share/*/*.cfg; do
	both planfile "${f##*/}" <"$f"
done
targets=$("$PROG" export --list | awk '{ print $1 }')
for to in $targets; do
	for plan in "$TOP"/share/plans/*.cfg; do
		printf '%s\texport\t--to\t%s\t%s\n' "$to-${plan##*/}" "$to" "$plan"
	done
done | "$BLD/tests/torture/inside" 2>err || fail "inside: status $?"
n=0
for to in $targets; do
	byte=$(printf '%03o' "$n")
	for plan in "$TOP"/share/plans/*.cfg; do
		launch=$to-${plan##*/}
		[ -s "$launch" ] || continue
		both import "$launch" '\0377' <"$launch"
		both export "$launch" "\\0$byte" <"$plan"
	done
	n=$((n + 1))
done
[ "$n" -gt 20 ] || fail "only $n targets of export"
for f in "$TOP"/tests/data/logs/* "$TOP"/tests/data/diagnose_cases.tsv; do
	both run "${f##*/}" <"$f"
	for words in calibrate 'diagnose --json'; do
		both command "${words%% *}-${f##*/}" "$words plans/seed-64.cfg in\n" <"$f"
	done
done
for f in "$TOP"/tests/data/launched/*; do
	both import "log-${f##*/}" '\0377' <"$f"
	both run "launched-${f##*/}" <"$f"
done
plan=$TOP/share/plans/seed-64.cfg
while read -r name words; do
	both command "$name" "$words\n" <"$plan"
done <<'WORDS'
estimate estimate --json in
check check in --tp 3
explain explain step.seconds in
map map --width 100 in
pipeline pipeline in
rank rank 0 in
groups groups --json in
layers layers in
diff diff plans/seed-128.cfg in
export export --to megatron in
import import in
write calibrate --write in in
unknown estimate --nosuch=1 in
WORDS
printf 'palette = "dark";\nmouse = true;\nkeys = { F6 = "zoom auto"; };\n' | put settings 1
printf 'language = "zh";\nascii = false;\nkeys: { x = ""; "Ctrl-R" = ":q"; };' | put settings 2
printf 'mouse = 2; nosuch = 1; keys = ( 1 );' | put settings 3
printf '' | put settings 4
# The first byte says how many bytes come at a time.
printf '\002\033[200~abc\tdef\033[201~\033[200~never ends' | put keys 1
printf '\005\033]11;rgb:00/00/00\033\\x\033[<0;10;10M\033Pnever ends' | put keys 2
printf '\000\033[M !!\303\244\033OA\303' | put keys 3
{ printf '\377\033['; head -c 600 /dev/zero | tr '\0' ';'; } | put keys 4
# The first two say the size and how many.
while read -r name bytes; do
	printf '%b' "$bytes" | put screen "$name"
done <<'KEYS'
fields \0120\0020jjjj+++++uuuRR\t\tjj
lines \0310\0003:set parallel.tp 8\r:set pp 2\r:explain step.seconds\r
panes \0050\0377\t\t\t\tP]]]\r\rFmzZ?\0033/tp\r\033
mouse \0144\0007\0033[<0;10;10M\0033[<0;10;10Mjj\0033[<64;30;10M
lists \0200\0004:search\r\0033:models\rj\r:set model.preset llama-3.1-70b\ru
KEYS

# What failed: TARGET, a name, the bytes as printf's %b has them. Long ones that took seconds or
# gigabytes are in tests/torture/gianttext.c.
tab=$(printf '\t')
while IFS=$tab read -r target name bytes; do
	printf '%b' "$bytes" | put "$target" "kept-$name"
done <"$TOP/tests/fuzz/kept.tsv"

cut_halves || fail 'no halves'
[ $# -eq 0 ] || exit 0
for target in command export import keys planfile run screen settings; do
	about "$target"
	"$BLD/tests/fuzz/fuzz_$target" "$into/$target"/* </dev/null 2>err || fail "fuzz_$target: exit $?"
done
finish
