#!/bin/sh
# The program finds its data where it was built, where it was installed, and where that was
# moved to; it names no directory of its build; and uninstalling leaves nothing.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

[ -n "${BLD:-}" ] || exit 77
unset SHARDPLAN_DATADIR MAKEFLAGS MFLAGS DESTDIR
TOP=$(cd "$TOP" && pwd)

# lists PROGRAM MODEL: the catalogue that PROGRAM finds has MODEL.
lists() {
	about "models of $1"
	"$1" models >out 2>err </dev/null || fail "exit status $?"
	out_has "^$2 "
}

# do_make ARGUMENT...: in the directory of the build
do_make() {
	about "make $*"
	make -C "$BLD" "$@" >out 2>err </dev/null || fail "exit status $?"
}

# its own build, under another name too
lists "$BLD/shardplan" llama-3.1-8b
ln -s "$BLD/shardplan" linked
lists ./linked llama-3.1-8b

# installed, and moved as a whole
do_make install DESTDIR="$dir/root"
program=$(cd root && find . -path '*/bin/shardplan')
models=$(cd root && find . -name models.cfg)
cp -R root moved
sed 's/"llama-3\.1-8b"/"moved"/' "root/$models" >"moved/$models"
lists "root/$program" llama-3.1-8b
lists "moved/$program" moved
ln -s "moved/$program" moved-link
lists ./moved-link moved

# the user's word comes first
SHARDPLAN_DATADIR=$(dirname "moved/$models")
export SHARDPLAN_DATADIR
lists "root/$program" moved
unset SHARDPLAN_DATADIR

# what configure was told is the last resort, and new when configure is run again
about 'directories in the program'
data=$(dirname "${models#.}")
grep -qF "$data" "root/$program" || fail 'its data directory is not there'
: >out # a compiler without -ffile-prefix-map leaves some, and so do the sanitizers
grep -q '^PREFIX_MAP = .' "$BLD/Makefile" && ! grep -q -e -fsanitize "$BLD/Makefile" && tr '\0' '\n' <"root/$program" |
    awk -v build="$BLD/" -v top="$TOP/" -v data="$data" '
	$0 != data && (index($0 "/", build) == 1 || index($0 "/", top) == 1)' >out
[ ! -s out ] || fail 'directories of the build are there'
do_make -n -W Makefile shardplan
out_has 'file/plan/paths\.c'

do_make uninstall DESTDIR="$dir/root"
find root ! -type d -o -name shardplan >out
[ ! -s out ] || fail 'something is left'

finish
