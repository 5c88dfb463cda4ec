#!/bin/sh
# Commands that write, with each call to the system failing in turn: EIO, ENOSPC, EDQUOT, EINTR,
# ESTALE, a short write, or SIGINT in the middle. What stands at the end is the old file or the new one, whole; a status of
# 0 says that it is the new one, or of a session that its work is kept as a draft; nobody crashes, and
# a failure is told. With too little memory they end with an error too. With sanitizers each call fails in a third
# of the ways (lib.sh).
# shellcheck disable=SC1091,SC2154,SC3045
. "$(dirname "$0")/lib.sh"

${CC:-cc} -shared -fPIC -o strike.so "$TOP/tests/torture/strike.c" 2>err || { echo 'no shared objects'; exit 77; }
# A program that brings its own copies of these calls, static or sanitized, is not struck.
STRIKE_COUNT=$dir/count LD_PRELOAD=$dir/strike.so "$PROG" check >out 2>err </dev/null
{ [ -s count ] && [ "$(cat count)" -gt 3 ]; } || { echo 'its calls can not be made to fail'; exit 77; }

# strike AT ERRNO COMMAND...
strike() {
	at=$1 errno=$2
	shift 2
	STRIKE_COUNT=$dir/count STRIKE_AT=$at STRIKE_ERRNO=$errno LD_PRELOAD=$dir/strike.so "$@"
}

# each NAME FILE: in a fresh directory, `prepare` and `work`, which writes FILE, with each call struck.
each() {
	name=$1 file=$2
	about "$name"
	mkdir new && cd new || exit 99
	prepare
	[ ! -f "$file" ] || cp "$file" ../old.file
	strike 0 0 work >../out 2>../err || fail 'fails without a fault'
	[ -s "$file" ] || fail "no $file"
	cp "$file" ../new.file
	total=$(cat ../count)
	cd .. && rm -rf new
	[ "$total" -gt 10 ] || fail "only $total calls"
	way=0
	for errno in 5 28 122 4 116 0 -2; do
		at=0 way=$((way + 1))
		while [ "$at" -lt "$total" ]; do
			at=$((at + 1))
			in_share $((at + way)) || continue
			about "$name, call $at of $total, errno $errno"
			mkdir new && cd new || exit 99
			prepare
			strike "$at" "$errno" work >../out 2>../err
			status=$?
			if [ "$errno" -eq -2 ] && [ "$status" -eq 130 ]; then
				: # what SIGINT ends says nothing
			elif [ "$status" -gt 2 ]; then
				fail "status $status"
			elif [ "$status" -ne 0 ] && [ ! -s ../err ]; then
				fail "status $status without a word"
			fi
			if [ -f "$file" ] && cmp -s "$file" ../new.file; then
				:
			elif [ "$status" -eq 0 ] && grep -rqs 'tp = 4' state; then
				: # a draft
			elif [ "$status" -eq 0 ]; then
				fail "status 0, but not what was to be written"
			elif [ -f ../old.file ]; then
				cmp -s "$file" ../old.file || fail 'neither the old file nor the new one'
			else
				[ ! -e "$file" ] || fail 'a part of a file'
			fi
			struck=$((struck + 1))
			cd .. && rm -rf new
		done
	done
	rm -f old.file
}

struck=0
prepare() { cp "$TOP/share/plans/seed-64.cfg" plan.cfg; }
work() { "$PROG" export --to=megatron plan.cfg -o run.sh </dev/null; }
each 'export' run.sh

prepare() { printf 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 8 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1\n' >run.sh; }
work() { "$PROG" import run.sh -o plan.cfg </dev/null; }
each 'import' plan.cfg

prepare() { printf 'format = 1;\nparallel: { tp = 2; };\n' >plan.cfg; }
work() { printf 'tp 4\nsave\n' | XDG_STATE_HOME=$PWD/state "$PROG" --linear plan.cfg; }
each 'linear mode' plan.cfg

# What is printed goes where its reader looks: whole with a status of 0, else told.
about 'what a search prints'
found() { strike "$@" "$PROG" search --model=llama-3.1-8b --nodes=1 --free=parallel.tp --fix=switches --format=csv </dev/null; }
found 0 0 >whole 2>err || fail 'fails without a fault'
total=$(cat count) way=0
for errno in 5 28 122 4 0; do
	at=0 way=$((way + 1))
	while [ "$at" -lt "$total" ]; do
		at=$((at + 1))
		in_share $((at + way)) || continue
		about "what a search prints, call $at of $total, errno $errno"
		found "$at" "$errno" >out 2>err
		status=$?
		[ "$status" -le 2 ] || fail "status $status"
		[ "$status" -ne 0 ] || cmp -s out whole || fail 'status 0, but not all of it'
		[ "$status" -eq 0 ] || [ -s err ] || fail "status $status without a word"
		struck=$((struck + 1))
	done
done

# Clocks that jump by a day and more, a server that keeps what is removed: the same files.
prepare() { cp "$TOP/share/plans/seed-64.cfg" plan.cfg; }
for odd in STRIKE_CLOCK=100000 STRIKE_CLOCK=4000000000 STRIKE_SILLY=1; do
	about "$odd"
	mkdir new && cd new || exit 99
	prepare
	for words in 'tp 4' 'pp 2' 'tp 8'; do
		printf '%s\nsave\n' "$words" | env XDG_STATE_HOME="$PWD/state" "$odd" LD_PRELOAD="$dir/strike.so" \
		    "$PROG" --linear plan.cfg >../out 2>../err || fail "$words: status $?"
		grep -q "^	${words% *} = ${words#* };" plan.cfg || fail "$words is not saved"
	done
	env "$odd" LD_PRELOAD="$dir/strike.so" "$PROG" export --to=megatron plan.cfg -o run.sh 2>../err || fail 'no export'
	cp run.sh first
	env "$odd" LD_PRELOAD="$dir/strike.so" "$PROG" export --to=megatron plan.cfg -o run.sh 2>../err || fail 'none over it'
	cmp -s run.sh first || fail 'another export'
	cd .. && rm -rf new
done

# A long session does not grow: three times the commands in the same memory, with the same descriptors and
# files, once there is as much to undo as is kept. A command takes 0.2 ms and what the disk does for its
# draft: a million are TMPDIR=/dev/shm COMMANDS=333334.
session() {
	rm -rf state
	awk -v n="$1" 'BEGIN {
		m = split("tp 4,tp 2,pp 2,tp 8,pp 4,nosuch,undo", command, ",")
		for (i = 0; i < n; i++)
			print command[i % m + 1]
	}' | XDG_STATE_HOME=$dir/state STRIKE_PEAK=$dir/peak STRIKE_OPEN=$dir/open LD_PRELOAD=$dir/strike.so \
	    "$PROG" --linear >out 2>err
	cat peak
	echo "descriptor $(cat open) is free, $(find state -type f | wc -l) file" >"held.$1"
}

# With less and less memory: an error or an answer, or the loader's 127. A target whose writer ran
# out of it left a plan of zeros for the next one. A sanitizer wants more than there is.
if (ulimit -v 60000 && "$PROG" --version >/dev/null) 2>err; then
	limited() { "$PROG" "$@" >../out 2>../err </dev/null; }
	mkdir new && cd new || exit 99
	kib=9000
	while [ "$kib" -lt 45000 ]; do
		for words in 'search --model=llama-3.1-70b --nodes=8 --fix=switches --fix=recompute' 'export --tp=4' 'import run.sh' \
		    'estimate --json' 'check --tp=3' 'map' 'models'; do
			about "ulimit -v $kib, $words"
			printf 'torchrun pretrain_gpt.py --num-layers 4' >run.sh
			# shellcheck disable=SC2086
			(ulimit -v "$kib"; limited $words)
			status=$?
			[ "$status" -le 2 ] || [ "$status" -eq 127 ] || fail "status $status"
		done
		kib=$((kib + 1500))
	done
	cd .. && rm -rf new

	about 'a long session'
	COMMANDS=${COMMANDS:-2500}
	few=$(session "$COMMANDS") many=$(session $((COMMANDS * 3)))
	[ "$many" -lt $((few + few / 20)) ] || fail "$few KiB become $many"
	for held in held.*; do
		[ "$(cat "$held")" = 'descriptor 3 is free, 1 file' ] || fail "$held: $(cat "$held")"
	done
fi

about 'all'
[ "$struck" -gt $((300 / share)) ] || fail "only $struck calls were struck"
finish
