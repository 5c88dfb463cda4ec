#!/bin/sh
# Recipes for packages, as far as other parsers than Spack's and conda's read them: syntax, the
# version, options that configure has, and the commands with which conda tries the program.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' "$TOP/configure.ac")
recipes=$TOP/share/packaging
python3 -c 'import yaml' 2>/dev/null || { echo 'no python3 with yaml'; exit 77; }

about 'Spack'
cat >spack.py <<'PY'
import sys, types

class Package:
    def enable_or_disable(self, name, variant):
        assert variant in variants, variant
        return ["--enable-" + name, "--disable-" + name]

variants, found = [], {"depends_on": [], "version": [], "license": []}
stub = types.ModuleType("spack.package")
stub.AutotoolsPackage = Package
stub.variant = lambda name, **more: variants.append(name)
for name in found:
    setattr(stub, name, lambda text, _list=found[name], **more: _list.append(text))
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), stub
space = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), space)
assert found["version"] == [sys.argv[2]] and sys.argv[2] in space["Shardplan"].url
help = open(sys.argv[3]).read()
for option in space["Shardplan"]().configure_args():
    assert option in help or option.replace("disable", "enable") in help, option
print(*found["depends_on"])
PY
sh "$TOP/configure" --help >help 2>&1
python3 spack.py "$recipes/spack/package.py" "$version" help >out 2>err || fail 'the recipe is wrong'
mv out spack

about 'conda'
cat >conda.py <<'PY'
import re, sys, yaml
recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "template", open(sys.argv[1]).read()))
assert str(recipe["package"]["version"]) == sys.argv[2] and sys.argv[2] in recipe["source"]["url"]
needs = recipe["requirements"]
assert set(needs["run"]) <= set(needs["host"])
spack = {re.split("[+@]", name)[0].removeprefix("lib") for name in open("spack").read().split()}
assert {name.removeprefix("lib") for name in needs["host"]} <= spack, spack
print("\n".join(recipe["test"]["commands"]))
PY
python3 conda.py "$recipes/conda/meta.yaml" "$version" >out 2>err || fail 'the recipe is wrong'
mv out commands
mkdir bin
ln -s "$PROG" bin/shardplan
while read -r command; do
	about "$command"
	PATH=$PWD/bin:$PATH sh -c "$command" >out 2>err </dev/null || fail 'it does not run'
done <commands
[ -s commands ] || fail 'no command tries it'

about 'Debian'
if command -v dpkg-parsechangelog >/dev/null; then
	dpkg-parsechangelog -l "$recipes/debian/changelog" -S Version >out 2>err || fail 'no changelog'
	out_has "^$version(-[0-9]+)?\$"
fi

finish
