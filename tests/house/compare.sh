#!/bin/sh
# tests/bench/compare.sh names what got slower than its noise or less accurate, and that alone.
box=$(mktemp -d) || exit 99
trap 'rm -rf "$box"' EXIT
cd "$box" || exit 99
failures=0

# compared STATUS WORDS: old against new ends so, and names these rows.
compared() {
	sh "${TOP:?}/tests/bench/compare.sh" old new >out
	status=$?
	named=$(sed -n 's/^\([^ ].*\)  *[0-9.]* -> .*/\1/p' out | sed 's/ *$//' | tr '\n' '|')
	[ "$status" -eq "$1" ] && [ "$named" = "$2" ] && return
	echo "FAIL: $status '$named', not $1 '$2'"
	failures=$((failures + 1))
}

cat >run <<'RUN'
# a1b2c3d, gcc
dense, 4 stages
  plan_resolve                                   0.46 us
  4,096 random: are they legal, do they fit   1748485 a second; 682 are and do
                                  seconds   cpu s combinations   decided   illegal       fit decided/s   legal/s
Llama 3.1 405B, 16,384 H100         0.784   0.140    149688000     30436         0      9111    217025    217025
  each that is legal               16.642   3.851    149688000    898080         0    476773    233208    233208
tp              524288 groups of       2  88b4dc4859868343    202.5 ms
start, 80x24: program 4900 bytes 29.53 ms, ncdu 2186 bytes 8.21 ms
keys of a session, by what the plan is of
  train            80x24   median   260 bytes a key, 90 %   1695
80x24, 16 GPUs          program          floor        ratio
  start             5110    3.50      5200    3.00    0.98  1.16

Step time, error in %
group                      rows   median     90 %    worst     bias
all                          69      2.7      6.6     17.7     +0.8 described in full
all                          89      5.8     16.6     31.5     -1.1 partly described

memory, runs of 2026
complete                                          12     0.64     2.09     2.31    -0.90
RUN
cp run old
sed 's/0\.46/0.50/; s/202\.5/201/; s/88b4/0000/; s/+0\.8/+0.9/' run >new
compared 0 ''
sed 's/0\.46/0.60/' run >new
compared 1 'dense, 4 stages: plan_resolve, us|'
sed 's/3\.851/5.851/' run >new
compared 1 'Llama 3.1 405B, 16,384 H100: each that is legal, CPU s|'
sed 's/5110/7110/; s/3\.50/9.50/' run >new
compared 1 '80x24, 16 GPUs: start, bytes|80x24, 16 GPUs: start, ms|'
sed 's/ 16\.6 / 16.7 /' run >new
compared 1 'Step time, error in %: all, 90th percentile of errors % #2|'
sed 's/ 1748485 / 1048485 /' run >new
compared 1 'dense, 4 stages: 4,096 random: are they legal, do they fit, us|'
sed 's/ 29\.53 / 49.53 /; s/ 260 / 360 /' run >new
compared 1 'start, 80x24: ms|keys of a session, by what the plan is of: train 80x24, bytes a key|'
# A table that is new between others moves none of them.
{ sed '/^Step time/,$d' run; printf 'RL, error in %%\ngroup   rows   median     90 %%\nall       3      9.0      9.9\n\n'
    sed -n '/^Step time/,$p' run; } >new
compared 0 ''
sed 's/^complete .*/complete 12 0.70 2.09 2.31 -0.90/' run >new
compared 1 'memory, runs of 2026: complete, median error %|'
# Two runs that lie apart say how much noise there is.
{ cat run; sed 's/0\.46/0.80/' run; } >old
sed 's/0\.46/0.70/' run >new
compared 0 ''
sed 's/0\.46/0.90/' run >new
compared 1 'dense, 4 stages: plan_resolve, us|'
echo nothing >new
compared 2 ''
[ "$failures" -eq 0 ]
