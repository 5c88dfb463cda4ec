#!/bin/sh
# mutants.sh [COUNT [SEED] | FILE:LINE...] - change one operator of core at a time and say which
# changes no test of `make quick` sees, of core or that includes a header of the file's room; those that
# take less time are asked first. FILE is below
# src/core; a line alone: each operator on it. Works on a copy of the built tree, in which core is a shared
# library: a mutant is compiled and linked once. TESTS names other tests, as tests/core/test_rl. A survivor
# is either equivalent, which somebody has to see, or wants a test.
top=$(cd "${TOP:-.}" && pwd) && [ -x "$top/shardplan" ] || { echo "build first"; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
(cd "$top" && tar cf - --exclude=.git .) | (cd "$work" && tar xf -) && cd "$work" || exit 2

# Every operator of code in the files given: FILE LINE COLUMN OPERATOR OTHER.
candidates() {
	awk '
		BEGIN {
			n = split(" + ,-; - ,+; * ,/; / ,*; < ,<=; > ,>=; <= ,<; >= ,>; == ,!=; != ,==; && ,||; || ,&&",
			    pair, ";")
			for (i = 1; i <= n; i++) { split(pair[i], p, ","); op[i] = p[1]; other[i] = " " p[2] " " }
		}
		/^[ \t]*(\*|\/\*|#)/ || /"/ { next }
		{
			code = $0
			sub(/\/\*.*/, "", code)
			for (i = 1; i <= n; i++)
				for (at = 1; (k = index(substr(code, at), op[i])) > 0; at += k)
					printf "%s %d %d %s %s\n", FILENAME, FNR, at + k - 1, op[i], other[i]
		}' "$@"
}

case ${1:-20} in
*:*)
	for at; do
		candidates "src/core/${at%:*}" | awk -v line="${at#*:}" '$2 == line'
	done ;;
*)
	candidates src/core/*/*.c | awk -v seed="${2:-1}" 'BEGIN { srand(seed) } { print rand(), $0 }' |
	    sort -n | head -n "${1:-20}" | cut -d' ' -f2- ;;
esac >list

slow=$(sed -n '/^slow_tests/,/[^\\]$/p' Makefile | grep -o 'tests/[a-z]*/test_[a-z_]*')

# Those that include the room of a file, and all of core; what make quick leaves out never.
tests_of() {
	room=$(basename "$(dirname "$1")")
	if [ -n "$TESTS" ]; then
		printf '%s\n' $TESTS
	else
		{ grep -l "core/$room/" tests/*/test_*.c; ls tests/core/test_*.c; } | sed 's/\.c$//' | grep -vxF "$slow"
	fi | sort -u >tests_of
	if [ -f times ]; then
		awk 'FNR == NR { of[$1]; next } $2 in of { print $2 }' tests_of times
	else
		cat tests_of
	fi
}

compile() {
	make CFLAGS='-g -O1 -w -fPIC -fno-semantic-interposition' "$@" >log 2>&1
}

link_core() {
	gcc -shared -o libcore.so src/core/*/*.o -lm
}

rm -f src/core/*/*.o libcore.a
compile libcore.a && link_core && echo "INPUT($work/libcore.so)" >libcore.a || { cat log; exit 2; }

# A test that fails anyway kills everything.
now() { date +%s%N; }
for t in $(for f in $(cut -d' ' -f1 list | sort -u); do tests_of "$f"; done | tr ' ' '\n' | sort -u); do
	make "$t" >log 2>&1
	since=$(now)
	if TOP=$top BLD=$work PROG=$work/shardplan timeout 120 "$t" >log 2>&1; then
		echo "$(($(now) - since)) $t"
	else
		echo "$t fails without a mutant: left out" >&2
	fi
done | sort -n >times.new && mv times.new times

survivors=0
count=0
while read -r file line column operator other; do
	cp "$file" saved
	awk -v line="$line" -v column="$column" -v old="$operator" -v new="$other" '
		FNR == line { $0 = substr($0, 1, column) new substr($0, column + 1 + length(old)) }
		{ print }' saved >"$file"
	verdict=survives
	cp "${file%.c}.o" object
	if ! compile "${file%.c}.o" || ! link_core; then
		verdict="not compiled"
	else
		for t in $(tests_of "$file"); do
			TOP=$top BLD=$work PROG=$work/shardplan timeout 120 "$t" >log 2>&1 ||
			    { verdict="killed by $(basename "$t")"; break; }
		done
	fi
	printf '%-40s %2s -> %-2s  %s\n' "${file#src/core/}:$line" "$operator" "$other" "$verdict"
	[ "$verdict" = survives ] && survivors=$((survivors + 1))
	[ "$verdict" = "not compiled" ] || count=$((count + 1))
	cp saved "$file"
	cp object "${file%.c}.o"
done <list
echo "$survivors of $count survive"
