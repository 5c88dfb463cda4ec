#!/bin/sh
# A new kind of layer is a block of rows in matrix.def: with one more there, and nothing else
# changed, parameters, adapters, FLOP, time and what is kept have it.
top=$(cd "${TOP:-.}" && pwd) bld=$(cd "${BLD:-.}" && pwd)
cc=$(sed -n 's/^CC = //p' "$bld/Makefile" 2>/dev/null)
[ -r "$bld/libcore.a" ] && [ -n "$cc" ] || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/core/model"
# Layers of Mamba get one more matrix of h x 3*h, before the first block that is no mixer.
awk '/^BLOCK\(INDEXER,/ {
	print "BLOCK(FOURIER, kinds->mamba)"
	print "MATRIX(true, \"Fourier\", \"mixing\", layers, h, 3*h, COLUMNS, APART, \"Fourier mixing\","
	print "    TARGET_NAMELESS, 0, \"a test\")"
} { print }' "$top/src/core/model/matrix.def" >"$tmp/core/model/matrix.def"
cd "$tmp" || exit 99
# The program's library may have been built with sanitizers.
sanitizers=$(sed -n 's/^WARN = //p' "$bld/Makefile" | tr ' ' '\n' | grep '^-fsanitize=' | tr '\n' ' ')
flags="-std=c11 -O0 -I$tmp -I$top/src -I$bld $sanitizers"
# What knows the blocks, compiled anew; the rest is the program's own.
for f in $(grep -lE '"core/(model/(matrix|adapters|modules|kept)|train/(job|compute[a-z_]*|finetune))\.h"' \
	"$top"/src/core/model/*.c "$top"/src/core/train/*.c); do
	# shellcheck disable=SC2086
	$cc $flags -c "$f" || exit 1
done
# shellcheck disable=SC2086
$cc $flags -o new "$top/tests/house/layer_kind.c" ./*.o "$bld/libcore.a" -lm &&
	$cc $flags -o old "$top/tests/house/layer_kind.c" "$bld/libcore.a" -lm || exit 1
./old >old.txt && ./new >new.txt || exit 1
awk 'NR == FNR { old[$1] = $2; next } {
	if ($2 - old[$1] < 0.999 * $3 || $2 - old[$1] > 1.001 * $3) {
		printf "%s: %.10g more with the block, not %.10g\n", $1, $2 - old[$1], $3
		bad = 1
	}
} END { exit bad }' old.txt new.txt
