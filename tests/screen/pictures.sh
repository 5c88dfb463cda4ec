# shellcheck shell=sh
# The pictures of README are what its own commands show today. `REGEN=1 make check
# TESTS=tests/screen/pictures.sh` makes them anew, with PIL and the font DejaVu Sans Mono.
. "${TOP:?}/tests/screen/lib.sh"
command -v python3 >/dev/null 2>&1 || { echo "python3 is missing: skipped"; exit 77; }
: "${PROG:?}"

picture() {
	python3 "$TOP/tests/screen/picture.py" "$1" "$file"
}

old=
for name in $(sed -n 's|^!\[.*](share/pictures/\(.*\)\.png)$|\1|p' "$TOP/README.md"); do
	file=$TOP/share/pictures/$name.png
	# "(`p`, on `shardplan ...`)" below it: keys, and the command that they are typed to.
	said=$(sed -n "/(share\/pictures\/$name\.png)\$/,/^(\`/s/^(\`\(.*\)\`)\$/\1/p" "$TOP/README.md")
	[ -n "$said" ] || fail "README does not say what shows $name.png"
	options=${said##*shardplan}
	start 140 42 xterm-256color "$PROG$options"
	expect 'fits .* GiB'
	case $said in *'`, on `shardplan'*)
		keys "${said%%\`, on*}" ;;
	esac
	expect 'q.* quit' # and nothing more comes
	ansi >"$D/now"
	if [ -n "${REGEN-}" ]; then
		picture write <"$D/now" || exit 1
	fi
	picture differs <"$D/now" >"$D/rows" || {
		echo "share/pictures/$name.png is old: REGEN=1 make check TESTS=tests/screen/pictures.sh"
		head -n 20 "$D/rows"
		old=1
	}
done
[ -z "$old" ]
