#!/bin/sh
# What git knows is what a release holds: a file that Makefile.am forgets is missed here, not
# by whoever unpacks the archive.
cd "${TOP:-.}" || exit 99
known=$(git ls-files -- src man tests share 2>/dev/null) && [ -n "$known" ] || exit 77
box=$(mktemp -d) || exit 99
trap 'rm -rf "$box"' EXIT
MAKEFLAGS='' make -s -C "${BLD:-.}" distdir distdir="$box/dist" >"$box/log" 2>&1 || {
	cat "$box/log"
	exit 1
}
printf '%s\n' "$known" | while read -r f; do
	[ -e "$box/dist/$f" ] || [ ! -e "$f" ] || echo "no release would hold $f"
done >"$box/lost"
cat "$box/lost"
[ ! -s "$box/lost" ]
