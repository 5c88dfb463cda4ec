#!/bin/sh
# head.sh - one line of what was measured and on what: before the tables of `make bench` and `make
# accuracy`, so that one that is kept can be laid beside another (compare.sh).
top=${TOP:-.}
revision=$(git -C "$top" describe --always --dirty 2>/dev/null || echo 'no revision')
compiler=$(sed -n 's/^CC = //p' "${BLD:-.}/Makefile" | head -n 1)
flags=$(sed -n 's/^CFLAGS = //p' "${BLD:-.}/Makefile" | head -n 1)
# shellcheck disable=SC2086 # the compiler may have words
version=$($compiler -dumpfullversion 2>/dev/null || echo '?')
cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
echo "# $revision, $compiler $version $flags, ${cpu:-$(uname -m)}, $(getconf _NPROCESSORS_ONLN) cores, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)"
