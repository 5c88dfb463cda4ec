#!/bin/sh
# A GPU or a model under another name gives the same numbers: what is known of it are fields of
# the catalogue. Copies without aliases, checkpoint and title stand in the user's own catalogue.
# With sanitizers a third of them is looked at (lib.sh).
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

[ -x "$BLD/tests/torture/inside" ] || exit 77

# Each copy stands in a catalogue of its own, one/zz-NAME: to read all of them takes ten times as long as
# an estimate.
for list in gpus models; do
	sed -e 's/^\( *{* *id = "\)/\1zz-/' -e 's/aliases = \[[^]]*\];//; s/checkpoint = "[^"]*";//' \
	    -e 's/title = "[^"]*";/title = "ZZ";/' "$SHARDPLAN_DATADIR/$list.cfg" |
		awk -F '"' -v list=$list '
		/^ *{ id = "/ {
			where = "one/" $2 "/shardplan"
			system("mkdir -p " where)
			where = where "/" list ".cfg"
			print list " = (" >where
		}
		where != "" {
			last = sub(/},?$/, "} );")
			print >where
			if (last) {
				close(where)
				where = ""
			}
		}'
done

# same NAME ARGUMENT...: two estimates, for tests/torture/inside, of a plan with NAME and with zz-NAME.
tab=$(printf '\t')
same() {
	one=$1 looked=$((looked + 1))
	in_share $looked || return
	shift
	words=$(printf '\testimate\t--json' && printf '\t%s' "$@")
	echo "a.$looked${tab}XDG_CONFIG_HOME=$dir/config$words=$one" >>lines
	echo "b.$looked${tab}XDG_CONFIG_HOME=$dir/one/zz-$one$words=zz-$one" >>lines
	echo "$looked $one $*" >>asked
}

looked=0
for gpu in $("$PROG" gpus | sed 1,3d | awk '{ print $1 }'); do
	same "$gpu" --nodes=4 --tp=8 --pp=2 --set=training.precision=fp8 --gpu
	same "$gpu" --mode=serve --tp=8 --pp=1 --nodes=1 --gpu
done
for model in $("$PROG" models | sed 1,3d | awk '{ print $1 }'); do
	same "$model" --nodes=8 --tp=1 --pp=1 --model
	same "$model" --mode=serve --tp=8 --pp=1 --nodes=2 --model
done
about "the catalogue"
[ "$looked" -gt 200 ] || fail "only $looked were looked at"
"$BLD/tests/torture/inside" <lines 2>err || fail "inside: status $?"
awk '
	# What a file says but for the name.
	function said(file, name,	all, line) {
		all = ""
		while ((getline line <file) > 0)
			if (line !~ /"name":|"title":|Try /) {
				gsub(name, "NAME", line)
				all = all line "\n"
			}
		close(file)
		return all
	}
	{
		a = said("a." $1, $2)
		b = said("b." $1, "zz-" $2)
		if (a == "" || a != b)
			print (a == "" ? "no estimate: " : "differs: ") $0
	}' asked >out
[ ! -s out ] || fail 'under another name'
finish
