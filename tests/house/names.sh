#!/bin/sh
# Files and tables that src/README.md and the table in README.md name are there. NAME stands for
# a name to choose, and has to stand in a folder that has files of the kind. And a function that a
# file has for itself says its noun: a verb alone is the name of one at most. And
# a comment of a declaration says what, not "the same"; and no file is longer than 600 lines.
cd "${TOP:-.}" || exit 99
[ -r src/README.md ] || exit 77
bad=0
tick='`'
# named FILE: what stands between backquotes outside of code.
named() {
	awk '/^```/ { code = !code; next } !code' "$1" | tr '\n' ' ' | grep -oE "$tick[^$tick]+$tick" |
		tr -d "$tick" | sort -u
}
# missing FILE NAME
missing() {
	echo "$1: there is no $2"
	bad=1
}
check() { # FILE NAME
	case $2 in
	*/*)
		set -- "$1" "$2" "$(printf '%s\n' "$2" | sed 's/NAME/*/')"
		for at in "$3" "src/$3"; do
			# shellcheck disable=SC2086
			for f in $at; do
				[ ! -e "$f" ] || return 0
			done
		done
		missing "$1" "$2"
		;;
	*)
		[ -n "$(find src share tests man -name "$2" -print | head -n 1)" ] || missing "$1" "$2"
		;;
	esac
}
box=$(mktemp -d) || exit 99
trap 'rm -rf "$box"' EXIT
mkdir "$box/src"
cp src/README.md "$box/src"
awk '/^\| to add \| touch \|/ { table = 1 } !/^\|/ { table = 0 } table' README.md >"$box/README.md"
for text in src/README.md README.md; do
	named "$box/$text" >"$box/names"
	[ -s "$box/names" ] || missing "$text" "name in it"
	while read -r name; do
		name=${name#../}
		case $name in
		*' '*) ;;
		*.c | *.h | *.def | *.sh | *.txt | *.cfg | *.md) check "$text" "$name" ;;
		src/*/* | share/*) [ -e "$name" ] || missing "$text" "$name" ;;
		*'[]') grep -rqF --include='*.c' "${name%]}" src || missing "$text" "$name" ;;
		[a-z]*_[a-z]*) grep -rqw --include='*.[ch]' "$name" src || missing "$text" "$name" ;;
		esac
	done <"$box/names"
done
find src -name '*.c' -exec awk 'FNR == 1 { of = "" } of ~ /^static/ && match($0, /^[a-z]+\(/) {
	print substr($0, 1, RLENGTH - 1)
} { of = $0 }' {} + | sort | uniq -d >"$box/verbs"
while read -r verb; do
	echo "$verb() is a function of several files: say what each does it to"
	bad=1
done <"$box/verbs"
# A comment stands for itself: it needs no line before it to be read.
if grep -rnE --include='*.[ch]' '^/\* (The same|Those|These|And those) ' src; then
	echo "say what: a comment that begins so needs another one"
	bad=1
fi
# A file is read in one sitting.
find src -name '*.[ch]' -exec wc -l {} + | awk '$1 > 600 && $2 != "total" { print $2 ": " $1 " lines, of 600 at most"; bad = 1 }
	END { exit bad }' || bad=1
exit $bad
