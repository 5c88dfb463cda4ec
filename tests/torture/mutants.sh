#!/bin/bash
# mutants.sh [COUNT [SEED] | FILE:LINE...] - change one operator of core at a time and say which changes no test of
# `make quick` sees, of core or that includes a header of the file's room. FILE is below src/core; a line alone: each
# operator on it. Works on a copy of the tree, in which core is a shared library: a mutant is compiled and linked
# once. A mutant is shown to tests that run its line alone, which gcov tells: those first that killed one of the same
# file, then those that take less time. MUTANTS keeps the copy, what tests run and whom they killed in that directory.
# TESTS names other tests, as tests/core/test_rl. A survivor is either equivalent, which somebody has to see, or a
# condition that nobody needs, or wants a test.
top=$(cd "${TOP:-.}" && pwd) || exit 2
if [ -n "${MUTANTS-}" ]; then
	mkdir -p "$MUTANTS" && work=$(cd "$MUTANTS" && pwd) || exit 2
else
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
fi
trap 'exit 2' HUP INT TERM
(cd "$top" && tar cf - --exclude=.git --exclude='*.o' --exclude='*.a' .) | (cd "$work" && tar xf - --keep-newer-files 2>/dev/null)
cd "$work" || exit 2
[ -f Makefile ] || ./configure -q >log 2>&1 || { cat log; exit 2; }

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
	if [ -n "$TESTS" ]; then
		printf '%s\n' $TESTS
	else
		{ grep -l "core/$(basename "$(dirname "$1")")/" tests/*/test_*.c; ls tests/core/test_*.c; } |
		    sed 's/\.c$//' | grep -vxF "$slow"
	fi | sort -u
}

flags='-g -O1 -w -fPIC -fno-semantic-interposition'

# Core as a library of that name, of all objects.
library() {
	gcc -shared $how -o "$1" src/core/*/*.o -lm
}

build() {
	how=$1
	rm -f src/core/*/*.o
	for f in src/core/*/*.c; do echo "${f%.c}.o"; done | xargs make CFLAGS="$flags $how" >log 2>&1 && library "$2" ||
	    { cat log; exit 2; }
}

# TEST SECONDS: its status within as many of the processor.
run() {
	(
		ulimit -t "$2"
		TOP=$top BLD=$work PROG=$work/shardplan timeout 900 "$1" >log 2>&1
		status=$?
		times >cpu
		exit $status
	)
}

# What each test runs of each file: ran/TEST, with the lines as core was then.
if [ ! -e lined.so ] || [ -n "$(find src/core \( -name '*.[ch]' -o -name '*.def' \) -newer lined.so)" ]; then
	rm -rf ran times
	build --coverage lined.so
	(cd src/core && tar cf - ./*/*.gcno) | (mkdir -p notes && cd notes && tar xf -)
fi

if [ ! -e plain.so ] || [ lined.so -nt plain.so ]; then
	build '' plain.so
	echo "INPUT($work/libcore.so)" >libcore.a
fi
how=
deep=$(echo "$work" | tr -cd / | wc -c)
cp lined.so libcore.so
touch times
# A test that fails anyway kills everything.
tests=$(for f in $(cut -d' ' -f1 list | sort -u); do tests_of "$f"; done | sort -u)
make $tests >log 2>&1 || { cat log; exit 2; }
for t in $tests; do
	[ "ran/$t" -nt "$t.c" ] && continue
	sed -i "\\| $t\$|d" times
	rm -rf "ran/$t" && mkdir -p "ran/$t"
	if GCOV_PREFIX=$work/ran/$t GCOV_PREFIX_STRIP=$deep run "$t" 600; then
		awk -v t="$t" 'NR == 2 { split($1, of, /[ms]/); printf "%.2f %s\n", 60 * of[1] + of[2], t }' cpu >>"$work/times"
	else
		echo "$t fails without a mutant: left out" >&2
	fi
done
cp plain.so libcore.so

# FILE LINE: the tests that run it; what comes before it tells of a line inside a statement.
running() {
	for t in $(tests_of "$1"); do
		data=ran/$t/${1%.c}.gcda
		[ -e "$data" ] && grep -q " $t\$" times || continue
		notes=${1#src/core/}
		ln -sf "$work/notes/${notes%.c}.gcno" "${data%da}no"
		gcov -t "$data" 2>/dev/null | awk -v line="$2" -F: '
			$2 + 0 > line { exit }
			$2 + 0 > 0 && $1 !~ /-/ { count = $1 }
			END { exit !(count + 0 > 0) }' && grep " $t\$" times
	done | awk -v file="$1" '
		BEGIN { while ((getline <"kills") > 0) if ($1 == file) killed[$2]++ }
		{ print killed[$2] + 0, $0 }' | sort -k1,1nr -k2,2n | cut -d' ' -f2-
}

survivors=0
count=0
touch kills
while read -r file line column operator other; do
	cp -p "$file" saved
	awk -v line="$line" -v column="$column" -v old="$operator" -v new="$other" '
		FNR == line { $0 = substr($0, 1, column) new substr($0, column + 1 + length(old)) }
		{ print }' saved >"$file"
	cp -p "${file%.c}.o" object
	if ! make CFLAGS="$flags" "${file%.c}.o" >log 2>&1 || ! library libcore.so; then
		verdict="not compiled"
	else
		running "$file" "$line" >asked
		verdict="survives $(wc -l <asked) tests"
		while read -r seconds t; do
			run "$t" "$(echo "$seconds" | awk '{ printf "%d", 5 * $1 + 2 }')" </dev/null && continue
			verdict="killed by $(basename "$t")"
			echo "$file $t" >>kills
			break
		done <asked
	fi
	printf '%-40s %2s -> %-2s  %s\n' "${file#src/core/}:$line" "$operator" "$other" "$verdict"
	case $verdict in survives*) survivors=$((survivors + 1)) ;; esac
	[ "$verdict" = "not compiled" ] || count=$((count + 1))
	cp -p saved "$file"
	cp -p object "${file%.c}.o"
done <list
echo "$survivors of $count survive"
