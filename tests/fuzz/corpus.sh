#!/bin/sh
# The targets of fuzzing on files that are well formed: every plan and catalogue as a plan, and
# what export writes as a file to import, whole and cut in half.
. "$TOP/tests/cli/lib.sh"

about plans
n=0
for f in "$TOP"/share/*.cfg "$TOP"/share/*/*.cfg; do
	n=$((n + 1))
	head -c $(($(wc -c <"$f") / 2)) "$f" >"half-$n"
	set -- "$@" "$f" "half-$n"
done
"$BLD/tests/fuzz/fuzz_planfile" "$@" 2>err || fail "fuzz_planfile: exit $?"

about imports
set --
for to in $("$PROG" export --list | awk '{ print $1 }'); do
	for plan in "$TOP"/share/plans/*.cfg; do
		# The first byte, 255, stands for no kind: the target tells from the text.
		{ printf '\377'; "$PROG" export --to "$to" "$plan" 2>/dev/null; } >"whole-$to-${plan##*/}"
		f=whole-$to-${plan##*/}
		[ "$(wc -c <"$f")" -gt 1 ] || continue
		head -c $(($(wc -c <"$f") / 2)) "$f" >"half-$to-${plan##*/}"
		set -- "$@" "$f" "half-$to-${plan##*/}"
	done
done
# What was once read past its end, as TOML (7) and as what it looks like. Long ones that took
# seconds or gigabytes are in tests/torture/gianttext.c.
printf "\007'" >quote
printf "\007a='" >value
printf "\377[parallelism]\n'" >key
set -- "$@" quote value key
[ $# -gt 20 ] || fail "only $# files"
"$BLD/tests/fuzz/fuzz_import" "$@" 2>err || fail "fuzz_import: exit $?"

about runs
set --
for f in "$TOP"/tests/data/logs/* "$TOP"/tests/data/diagnose_cases.tsv; do
	head -c $(($(wc -c <"$f") / 2)) "$f" >"half-${f##*/}"
	set -- "$@" "$f" "half-${f##*/}"
done
"$BLD/tests/fuzz/fuzz_run" "$@" 2>err || fail "fuzz_run: exit $?"

finish
