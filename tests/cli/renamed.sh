#!/bin/sh
# A GPU or a model under another name gives the same numbers: what is known of it are fields of
# the catalogue. Copies without aliases, checkpoint and title stand in the user's own catalogue.
# With sanitizers a third of them is looked at (lib.sh).
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

mkdir -p config/shardplan
for list in gpus models; do
	sed -e 's/^\( *{* *id = "\)/\1zz-/' -e 's/aliases = \[[^]]*\];//; s/checkpoint = "[^"]*";//' \
	    -e 's/title = "[^"]*";/title = "ZZ";/' "$SHARDPLAN_DATADIR/$list.cfg" >config/shardplan/$list.cfg
done

# same OPTION...: the estimate of a plan with ONE as its name and with zz-ONE.
same() {
	option=$1 one=$2
	shift 2
	looked=$((looked + 1))
	in_share $looked || return
	"$PROG" estimate --json "$@" "$option=$one" 2>/dev/null | sed "s/$one/NAME/g" >a
	"$PROG" estimate --json "$@" "$option=zz-$one" 2>/dev/null | sed "s/zz-$one/NAME/g" >b
	grep -q . a || fail "no estimate"
	sed '/"name":/d; /"title":/d; /Try /d' a >a1
	sed '/"name":/d; /"title":/d; /Try /d' b >b1
	cmp -s a1 b1 || { fail "differs"; diff a1 b1 | head -n 6; }
}

looked=0
for gpu in $("$PROG" gpus | sed 1,3d | awk '!/^zz-/ { print $1 }'); do
	about "$gpu"
	same --gpu "$gpu" --nodes=4 --tp=8 --pp=2 --set=training.precision=fp8
	same --gpu "$gpu" --mode=serve --tp=8 --pp=1 --nodes=1
done
for model in $("$PROG" models | sed 1,3d | awk '!/^zz-/ { print $1 }'); do
	about "$model"
	same --model "$model" --nodes=8 --tp=1 --pp=1
	same --model "$model" --mode=serve --tp=8 --pp=1 --nodes=2
done
about "the catalogue"
[ "$looked" -gt 200 ] || fail "only $looked were looked at"
finish
