#!/bin/sh
# lint.sh [TOOL...] - what tools that only read the sources say of them: analyzer (gcc -fanalyzer),
# tidy (clang-tidy), cppcheck, shellcheck, mandoc, codespell; all that are there unless some are
# named. lint.tsv lists what they say without cause: tool, file, what, how often, why. What it does
# not list is an error, and so is a line that says more than a tool does. REGEN=1 writes the list
# anew, with the reasons that it has.
set -u
top=$(cd "${TOP:-.}" && pwd)
known=$top/tests/house/lint.tsv
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$top" || exit 2
[ -f config.h ] || { echo 'configure first, in the source directory'; exit 2; }
jobs=$(nproc 2>/dev/null || echo 1)
flags='-std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHAVE_CONFIG_H -DDATADIR=__FILE__ -I. -Isrc'

# Each prints "FILE WHAT", a line for each thing it says.
of_c() { find src -name '*.c' | sort; }
say_analyzer() {
	of_c | xargs -P "$jobs" -n 1 gcc $flags -O1 -fanalyzer -fdiagnostics-color=never -c -o /dev/null 2>&1 |
	    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: warning: .*\[-W\(analyzer-[a-z-]*\)\]$/\1 \2/p'
}
# Checks that stand for a habit of this code are off: sizes next to one another, conversions that
# the compilers' own warnings look at.
say_tidy() {
	of_c | xargs -P "$jobs" -n 8 sh -c 'clang-tidy --quiet --checks="-*,bugprone-*,cert-err34-c,\
-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,\
-bugprone-implicit-widening-of-multiplication-result,-bugprone-reserved-identifier,\
-bugprone-macro-parentheses" "$@" -- '"$flags" tidy 2>/dev/null |
	    sed -n "s|^$top/\([^: ]*\):[0-9]*:[0-9]*: warning: .*\[\([a-zA-Z0-9.,-]*\)\]\$|\1 \2|p"
}
say_cppcheck() {
	cppcheck --quiet --std=c11 --inline-suppr --enable=warning,performance,portability \
	    --suppress=missingIncludeSystem -j "$jobs" --template='{file} {id}' \
	    -I. -Isrc src 2>&1 | grep '^src/'
}
say_shellcheck() {
	find tests .ci -name '*.sh' -o -path '.ci/*' -type f | sort |
	    xargs shellcheck -x -S warning -f gcc | sed -n 's/^\([^:]*\):.*\[\(SC[0-9]*\)\]$/\1 \2/p'
}
say_mandoc() {
	for page in man/*.in; do
		mandoc -T lint -W warning "$page" 2>&1 |
		    sed -n "s|^mandoc: [^ ]* \([A-Z]*: [^:]*\).*|$page \1|p" | sed 's/: /-/; s/ /-/2g'
	done
}
say_codespell() {
	find src man share README.md -type f ! -name '*.png' ! -name '*.o' ! -name zh.txt ! -name '*.[157]' |
	    sort | xargs codespell --quiet-level=3 -L te,activ,nd,fo 2>&1 |
	    sed -n 's/^\(.*\):[0-9]*: \([^ ]*\) ==>.*/\1 \2/p'
}

has() {
	case $1 in
	analyzer) gcc -fanalyzer -fsyntax-only -x c /dev/null 2>/dev/null ;;
	tidy) command -v clang-tidy >/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

: >"$work/said"
: >"$work/asked"
[ $# -gt 0 ] || set -- analyzer tidy cppcheck shellcheck mandoc codespell
for tool in "$@"; do
	has "$tool" || { echo "no $tool: left out"; continue; }
	echo "$tool" >>"$work/asked"
	"say_$tool" >"$work/$tool"
	sort "$work/$tool" | uniq -c | awk -v tool="$tool" '{ print tool "\t" $2 "\t" $3 "\t" $1 }' >>"$work/said"
done

awk -F '\t' -v regen="${REGEN-}" '
	FILENAME ~ /asked$/ { asked[$1] = 1; next }
	FILENAME ~ /lint.tsv$/ {
		if ($0 ~ /^#/ || NF < 4) { head = head $0 "\n"; next }
		key = $1 "\t" $2 "\t" $3
		listed[key] = $4; why[key] = $5; tool[key] = $1
		next
	}
	{ key = $1 "\t" $2 "\t" $3; said[key] = $4; tool[key] = $1 }
	END {
		for (key in tool) {
			if (!(tool[key] in asked)) {
				if (regen != "") print key "\t" listed[key] "\t" why[key]
				continue
			}
			if (regen != "") {
				if (said[key] > 0) print key "\t" said[key] "\t" why[key]
			} else if (said[key] + 0 > listed[key] + 0) {
				print key ": said " said[key] + 0 " times, " listed[key] + 0 " are known"
			} else if (said[key] + 0 < listed[key] + 0) {
				print key ": said " said[key] + 0 " times: the list has " listed[key] " (fix: REGEN=1)"
			}
		}
	}' "$work/asked" "$known" "$work/said" | sort >"$work/differs"
if [ -n "${REGEN-}" ]; then
	{ grep '^#' "$known"; cat "$work/differs"; } >"$work/new" && cat "$work/new" >"$known"
	exit 0
fi
cat "$work/differs"
[ ! -s "$work/differs" ]
