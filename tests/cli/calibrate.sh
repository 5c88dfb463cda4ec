#!/bin/sh
# calibrate: what it reads from logs, that the plan then agrees with its log, and that
# nothing else of the plan changes.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

logs=$TOP/tests/data/logs

cat >megatron.cfg <<'PLAN'
# a comment
name = "mine";
cluster: { nodes = 2; gpus_per_node = 8; };
parallel: { tp = 2; pp = 4; };
PLAN
cat >torchtitan.cfg <<'PLAN'
cluster: { nodes = 1; };
parallel: { layout = "torchtitan"; };
training: { global_batch_size = 16; sequence_length = 8192; };
PLAN
cat >nanotron.cfg <<'PLAN'
cluster: { nodes = 1; };
model: { preset = "llama-3.2-1b"; };
parallel: { layout = "nanotron"; pp = 2; };
PLAN
cat >vllm.cfg <<'PLAN'
mode = "serve";
cluster: { nodes = 1; gpus_per_node = 2; };
parallel: { layout = "vllm"; tp = 2; };
PLAN

good calibrate megatron.cfg "$logs/megatron.log"
out_has '^log +megatron\.log, written by Megatron-LM: median of 5 iterations, the first left out$'
out_has '^step +.* +2\.200 s '
out_has '^max allocated, stage 0 +[0-9.]+ GiB +20\.00 GiB '
out_has '^max allocated, stage 3 +[0-9.]+ GiB +18\.00 GiB '
out_has '^note +peaks of the first iteration'
out_has '^calibration +compute_efficiency = 0\.[0-9]+$'
out_has '^plan +saved megatron\.cfg; its comments are kept in megatron\.cfg~$'
grep -q '^# a comment' megatron.cfg~ || fail 'the comment is lost'
grep -q 'source = "megatron.log";' megatron.cfg || fail 'no source'
cp out first

# the estimates are those of the log now
good estimate megatron.cfg
out_has '^step +2\.200 s, calibrated by megatron\.log$'
out_has '^ +0 .* 20\.00 '
# and nothing else changed
printf '# a comment\nname = "mine";\ncluster: { nodes = 2; gpus_per_node = 8; };\nparallel: { tp = 2; pp = 4; };\n' >old.cfg
good diff old.cfg megatron.cfg
[ "$(sed -n '/^field/,/^$/p' out | grep -c '^[a-z]*\.')" -eq 3 ] || fail 'other fields differ'
out_has '^calibration\.compute_efficiency '
# a second time it comes to the same
good calibrate megatron.cfg "$logs/megatron.log"
grep '^calibration' first >expected
grep '^calibration' out | cmp -s - expected || fail 'a second calibration is another'

# torchtitan prints tokens of a GPU: 16*8192 / (5762*8) s
good calibrate torchtitan.cfg "$logs/torchtitan.log"
out_has 'written by torchtitan: median of 3 '
out_has '^step +.* +2\.84[34] s '
out_has '^max reserved, stage 0 +[0-9.]+ GiB +64\.21 GiB '
out_has '^note +reserved memory'

good calibrate nanotron.cfg "$logs/nanotron.log"
out_has 'written by nanotron: median of 2 '
out_has '^step +.* +1\.290 s '
out_has '^max allocated, stage 1 +[0-9.]+ GiB +11\.50 GiB '

good calibrate vllm.cfg "$logs/vllm.log"
out_has '^weights +[0-9.]+ GiB +7\.52 GiB '
out_has '^KV pool +[0-9.]+ GiB +59\.84 GiB '
out_has '^tokens in the pool +[0-9,]+ +980,416 '
out_lacks 'compute_efficiency'
good estimate vllm.cfg
out_has '^  KV pool +59\.8[34] GiB$'

# from standard input
cp old.cfg plan.cfg
"$PROG" calibrate plan.cfg - <"$logs/megatron.log" >out 2>err || fail "exit status $?"
grep -q 'source = "standard input";' plan.cfg || fail 'source of standard input'

# what can not be: the plan stays as it was
cp old.cfg plan.cfg
run 2 calibrate plan.cfg missing.log
no_out
err_has '^shardplan: missing\.log: can not be opened'
echo 'nothing that is known' >empty.log
run 2 calibrate plan.cfg empty.log
no_out
err_has "^shardplan: empty\.log: .*'elapsed time per iteration"
run 2 calibrate plan.cfg "$logs/vllm.log"
err_has 'the other mode'
run 2 calibrate missing.cfg "$logs/megatron.log"
err_has '^missing\.cfg'
printf 'parallel: { tp = 3; };\n' >illegal.cfg
run 1 calibrate illegal.cfg "$logs/megatron.log"
no_out
err_has 'world_not_divisible'
echo ' iteration 1/ 2 | elapsed time per iteration (ms): 0.001 |' >fast.log
run 1 calibrate plan.cfg fast.log
err_has 'no compute efficiency from 0\.01 to 10'
cmp -s plan.cfg old.cfg || fail 'the plan changed'

finish
