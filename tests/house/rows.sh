#!/bin/sh
# A framework, a serving engine and a pane are each a file and a line in a table. In a copy of the
# sources they are added, with nothing else changed: the program builds, knows them by name, holds
# the framework to every rule that holds for all, and the screen gives the pane its place.
top=$(cd "${TOP:-.}" && pwd) bld=$(cd "${BLD:-.}" && pwd)
cc=$(sed -n 's/^CC = //p' "$bld/Makefile" 2>/dev/null)
[ -r "$bld/config.h" ] && [ -n "$cc" ] || exit 77
! grep -q '^WARN = .*-fsanitize' "$bld/Makefile" || { echo 'the build without sanitizers says it'; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() {
	echo "$1"
	bad=1
}
cd "$tmp" || exit 99
(cd "$top/src" && find . -name '*.[ch]' -o -name '*.def' | tar cf - -T -) | tar xf - || exit 99

# house is seed, TensorRT-LLM, and a table of two lines.
sed 's/seed/house/g' core/framework/seed.c >core/framework/house.c
echo 'FRAMEWORK(HOUSE, house)' >>core/plan/frameworks.def
sed 's/trtllm/house/g' core/engine/engine_trtllm.c >core/engine/engine_house.c
echo 'ENGINE(HOUSE, house)' >>core/plan/engines.def
echo 'PANE(HOUSE, house_pane)' >>ui/state/panes.def
cat >ui/pane/house.c <<'C'
#include "ui/pane/panes.h"

static void
house_draw(const struct state *s, struct canvas *c, struct rect r)
{
	pane_nothing(c, r, pane_table[s->focus] == &house_pane, "it stands");
}

static int64_t
house_rows(const struct state *s)
{
	(void)s;
	return 2;
}

const struct pane_type house_pane = {
	.name = "house", .title = "house", .context = CONTEXT_MEMORY, .draw = house_draw,
	.rows = house_rows, .least = TABLE_LEAST, .scrolled = offsetof(struct state, flow),
};
C
cat >rules.c <<'C'
#include <stdio.h>

#include "core/framework/framework.h"
#include "core/rules/check.h"

int
main(void)
{
	const unsigned old = RULES_MEGATRON | RULES_DEEPSPEED | RULES_TORCHTITAN | RULES_NANOTRON |
	    RULES_VLLM | RULES_SEED;
	int all = 0;

	for (size_t i = 0; i < check_rule_count; i++) {
		if ((check_rules[i].sets & old) != old)
			continue;
		all++;
		if (!(check_rules[i].sets & RULES_HOUSE))
			printf("%s does not hold for a new framework\n", check_rules[i].reason);
	}
	return all < 40;
}
C

# How the program's own Makefile builds it, with these sources: of them what has a table in it, and what
# knows panes by number; an enumeration with a name more leaves the rest as the libraries have it.
words() { sed -n "s/^$1 = //p" "$bld/Makefile" | sed "s#.(top_srcdir)#$top#g; s#.(srcdir)#$top#g"; }
cat >flags <<F
-std=c11 -w -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(words DEFS) -I. -I$bld -I$top/tests
$(words NCURSES_CFLAGS) $(words CONFIG_CFLAGS) $(words JANSSON_CFLAGS)
$(words YAML_CFLAGS) $(words HARDEN_CFLAGS) $(words CFLAGS) -O0
F
cat >libs <<L
$bld/libcli.a $bld/libui.a $bld/libfile.a $bld/libout.a $bld/libprefs.a $bld/libcore.a
$(words CONFIG_LIBS) $(words JANSSON_LIBS) $(words YAML_LIBS) $(words ZLIB_LIBS)
$(words NCURSES_LIBS) $(words UTIL_LIBS) $(words LIBS) $(words CMOCKA_LIBS) -lpthread
$(words HARDEN_LDFLAGS) $(words LDFLAGS)
L
grep -rlE '"(ui/(app|list|map|pane|state)/.*\.h|.*(engines|frameworks|panes)\.def)"' --include='*.c' core ui cli >changed
{ cat changed; ls core/framework/house.c core/engine/engine_house.c cli/command/main.c; } | sort -u >sources
# shellcheck disable=SC2016
cc=$cc xargs -P "$(nproc)" -n 8 sh -c 'for f; do $cc @flags -c "$f" -o "${f%.c}.o" || exit 255; done' sh <sources ||
	{ echo "the copy does not build"; exit 1; }
sed 's/c$/o/; /\/main.o$/d' sources >objects
link() { $cc @flags -o "$@" @objects @libs; }
link shardplan cli/command/main.o && link rules rules.c && link pane "$top/tests/house/pane.c" || exit 1

SHARDPLAN_DATADIR=$top/share
export SHARDPLAN_DATADIR
./rules || fail "few rules hold for all frameworks"
run() { ./shardplan "$@" 2>&1; }
run fields | grep -q 'seed, house' || fail "fields: no house"
# What the copied rows say is what theirs say, but for the name.
same() {
	cmp -s old new || { diff old new | head -5; fail "$1 is not as what it is a copy of"; }
}
run groups --layout=seed --nodes=4 --tp=2 --pp=4 >old
run groups --layout=house --nodes=4 --tp=2 --pp=4 >new
same "the framework"
run check --layout=house --nodes=4 --tp=2 --pp=4 --global-batch-size=63 >new &&
	fail "a batch that does not divide is legal in a new framework"
grep -q 'global_batch_not_divisible' new || fail "the batch is refused for something else"
for engine in trtllm house; do
	run estimate --json --mode=serve --set "serving.engine=$engine" --model=llama-3.1-8b --nodes=1 |
		grep -vE '_(low|high)"|_error"' >"$engine"
done
mv trtllm old
mv house new
same "the engine"
grep -q kv_tokens new || fail "the engine serves nothing"

./pane >log 2>&1 || {
	grep -E 'ERROR|FAILED' log | head -5
	fail "the screen does not take one pane more"
}
exit $bad
