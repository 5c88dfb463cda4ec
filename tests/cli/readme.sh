#!/bin/sh
# The examples of README.md print what it says. After a change of the numbers,
# REGEN=README.md in the environment writes the page anew.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# From where the test was started.
case ${REGEN:-/} in /*) ;; *) REGEN=$OLDPWD/$REGEN ;; esac
PATH=$(dirname "$PROG"):$PATH LC_ALL=C.UTF-8
export PATH LC_ALL
cp "$TOP/tests/data/logs/megatron.log" train.log
printf 'cluster: { nodes = 2; };\nparallel: { tp = 2; pp = 4; };\n' >plan.cfg
printf 'cluster: { nodes = 2; };\nparallel: { tp = 4; pp = 4; };\n' >tp4.cfg

# Lines of a block that follow "$ COMMAND" are its output.
awk '
	/^```/ { inside = !inside; command = 0; next }
	inside && /^\$ / { n++; command = 1; print substr($0, 3) >("command." n); next }
	inside && command { print >("said." n) }
' "$TOP/README.md"
n=1
while [ -f "command.$n" ]; do
	about "$(cat "command.$n")"
	if grep -qxF "echo \$?" "command.$n"; then
		echo "$status" >"printed.$n"
	else
		sh "command.$n" >"printed.$n" 2>&1
		status=$?
	fi
	: >out
	diff "said.$n" "printed.$n" >out || fail 'README.md says (<) what the program does not (>)'
	n=$((n + 1))
done
about README.md
[ "$n" -gt 8 ] || fail 'has hardly any example'
: >out
grep -n '^\./configure' "$TOP/README.md" >out && fail 'a clone has no configure before autoreconf'

awk '
	/^```/ { inside = !inside; command = 0 }
	inside && command && !/^\$ / { next }
	{ print }
	inside && /^\$ / {
		n++
		command = 1
		while ((getline line <("printed." n)) > 0)
			print line
	}
' "$TOP/README.md" >page

[ -z "${REGEN:-}" ] || cp page "$REGEN"

finish
