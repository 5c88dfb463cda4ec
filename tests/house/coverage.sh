#!/bin/sh
# coverage.sh [MAKE ARGUMENT...] - lines and branches of src that the tests run, by folder, and the
# files that lack most lines. It builds a copy of the tree without optimisation and runs `make check`
# there with the arguments, such as TESTS=tests/core/test_step; COVERAGE keeps the copy in that
# directory. The aim is 98 % of lines and 93 % of branches. Without arguments it fails where a function
# lacks more lines than uncovered.tsv says why of, or than $few, or where that list says more than it lacks.
set -e
top=$(cd "${TOP:-.}" && pwd)
command -v gcov >/dev/null || { echo 'no gcov'; exit 77; }
if [ -n "${COVERAGE-}" ]; then
	work=$COVERAGE
	mkdir -p "$work"
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 2' HUP INT TERM
fi
(cd "$top" && tar cf - --exclude=.git --exclude='*.o' .) | (cd "$work" && tar xf -)
cd "$work"
[ ! -f Makefile ] || make -s distclean >/dev/null
./configure -q CC=gcc CFLAGS='-O0 -g --coverage' >configure.out 2>&1
make -s >make.out 2>&1
make -s check "$@" >check.out 2>&1 || echo 'some tests fail: check.out' >&2
grep -E '^# (TOTAL|FAIL|SKIP)' check.out || :
# Of a file that several programs compile anew the run of the library counts.
find src -name '*.gcda' ! -name 'tests_*' -exec gcov -r -b {} + 2>/dev/null | awk '
	function add(name) {
		lines[name] += n; hit[name] += got; branches[name] += m; taken[name] += took
	}
	function end_file(folder) {
		if (file ~ /^src\/.*\.[ch]$/ && n > 0) {
			folder = file
			sub(/\/[^\/]*$/, "", folder)
			add(folder); add("all")
			lack[file] = n - got
		}
		file = ""; n = got = m = took = 0
	}
	/^File / { file = $2; gsub(/\047/, "", file) }
	/^$/ { end_file() } # what stands without a file sums up a call of gcov
	file == "" { next }
	/^Lines executed:/ { split($0, p, /[:% ]+/); n = $NF; got = n * p[3] / 100 }
	/^Taken at least once:/ { split($0, p, /[:% ]+/); m = $NF; took = m * p[5] / 100 }
	END {
		end_file()
		printf "%-28s %7s %7s %9s %7s\n", "folder", "lines", "%", "branches", "%"
		for (f in lines)
			if (f != "all")
				row(f)
		close("sort")
		print text("all")
		for (f in lack)
			if (lack[f] >= 1)
				printf "%6.0f lines  %s\n", lack[f], f | "sort -rn | head -n 20"
	}
	function text(f) {
		return sprintf("%-28s %7d %7.1f %9d %7.1f", f, lines[f], 100 * hit[f] / lines[f], branches[f],
		    branches[f] > 0 ? 100 * taken[f] / branches[f] : 100)
	}
	function row(f) { print text(f) | "sort" }'
[ $# = 0 ] || exit 0

# Functions that lack lines: FILE FUNCTION LINES.
few=5
find src -name '*.gcda' ! -name 'tests_*' | while read -r data; do
	gcov -r -n -f "$data" 2>/dev/null | awk -v file="${data%.gcda}.c" '
		BEGIN { while ((getline line <file) > 0) if (match(line, /^[a-z_0-9]+\(/)) own[substr(line, 1, RLENGTH - 1)] }
		/^Function / { name = $2; gsub(/\047/, "", name); if (!(name in own)) name = "" }
		/^File / { name = "" }
		/^Lines executed:/ && name != "" {
			split($0, p, /[:% ]+/)
			lacks = $NF - int($NF * p[3] / 100 + .5)
			if (lacks > 0)
				print file "\t" name "\t" lacks
		}'
done | sort >lacking
awk -F'\t' -v few="$few" '
	FNR == NR { if ($0 !~ /^#/) listed[$1 "\t" $2] = $3; next }
	{
		key = $1 "\t" $2
		lacks[key] = $3
		if ($3 > few && $3 > listed[key] + 0) {
			printf "%s: %s lacks %d lines: test it, or say why in uncovered.tsv\n", $1, $2, $3
			bad = 1
		}
	}
	END {
		for (key in listed)
			if (listed[key] > lacks[key] + 0 || lacks[key] <= few) {
				printf "uncovered.tsv: %s: %d lines lack now\n", key, lacks[key]
				bad = 1
			}
		exit bad
	}' "$top/tests/house/uncovered.tsv" lacking
