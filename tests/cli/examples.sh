#!/bin/sh
# The examples of README.md and of shardplan-tour(7) print what stands there. After a change
# of the numbers, REGEN=1 in the environment writes the pages anew.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

PATH=$(dirname "$PROG"):$PATH LC_ALL=C.UTF-8
export PATH LC_ALL
cp "$TOP/tests/data/logs/megatron.log" train.log
printf 'cluster: { nodes = 2; };\nparallel: { tp = 2; pp = 4; };\n' >plan.cfg
printf 'cluster: { nodes = 2; };\nparallel: { tp = 4; pp = 4; };\n' >tp4.cfg
cat >70b.cfg <<'PLAN'
cluster:  { nodes = 8; };
model:    { preset = "llama-3.1-70b"; };
parallel: { tp = 8; pp = 4; };
training: { global_batch_size = 512; };
PLAN

# In a block, what follows "$ COMMAND" is its output.
cat >run.awk <<'AWK'
/^```/ { inside = !inside; output = 0 }
/^\.Bd -literal/ { inside = 1 }
/^\.Ed/ { inside = output = 0 }
!output || /^\$ / { print }
inside && /^\$ / {
	output = 1
	command = "exec 2>&1; " substr($0, 3)
	while ((command | getline line) > 0)
		print line
	close(command)
}
AWK
for page in README.md man/shardplan-tour.7.in; do
	about "$page"
	: >out
	[ "$(grep -c '^\$ ' "$TOP/$page")" -ge 3 ] || fail 'has hardly any example'
	awk -f run.awk "$TOP/$page" >page
	[ -z "${REGEN:-}" ] || cp page "$TOP/$page"
	diff "$TOP/$page" page >out || fail 'says (<) what the program does not (>)'
done

about README.md
grep -n '^\./configure' "$TOP/README.md" >out && fail 'a clone has no configure before autoreconf'

finish
