#!/bin/sh
# What bash offers, with the words of the program.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

command -v bash >/dev/null || { echo "bash is missing: skipped"; exit 77; }
PATH=$(dirname "$PROG"):$PATH
export PATH
: >plan.cfg

# offered WORD WORD...: what completes the last word; bash hands over --a=b as three words.
offered() {
	about "completion of $*"
	: >err
	bash -c '
		. "$1" && shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_shardplan
		printf "%s\n" "${COMPREPLY[@]}"' bash "$TOP/share/completions/shardplan" shardplan "$@" \
	    >out 2>err || fail "exit status $?"
}

offered ''
out_has '^groups$'
out_has '^plan\.cfg$'
offered gr
out_has '^groups$'
offered groups --k
out_has '^--kind=$'
offered --model = llama-3.1-7
out_has '^llama-3\.1-70b$'
offered estimate llama-3.1-7
out_has '^llama-3\.1-70b$'
offered explain plan.cfg params.t
out_has '^params\.total$'
offered --layout = to
out_has '^torchtitan$'
offered --set parallel.t
out_has '^parallel\.tp=$'
offered --set parallel.layout = me
out_has '^megatron$'
out_lacks plan
# several kinds, after each comma
offered map --color-by tp,p
out_has '^tp,pp$'
# a plan follows an option without a value, but is not the value of one
offered check --strict pl
out_has '^plan\.cfg$'
offered groups --tp pl
out_lacks plan

finish
