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
# serving ENGINE SHARE: a plan of two GPUs
serving() {
	cat >"$1.cfg" <<-PLAN
	mode = "serve";
	cluster: { nodes = 1; gpus_per_node = 2; };
	parallel: { layout = "vllm"; tp = 2; };
	serving: { engine = "$1"; gpu_memory_utilization = $2; };
	PLAN
}
serving vllm 0.9
serving sglang 0.85
serving trtllm 0.9

good calibrate megatron.cfg "$logs/megatron.log"
out_has '^log +megatron\.log, written by Megatron-LM: median of 3 iterations, the first ones left out$'
out_has '^step +.* +2\.200 s '
out_has '^max allocated, stage 0 +[0-9.]+ GiB +20\.00 GiB '
out_has '^max allocated, stage 3 +[0-9.]+ GiB +18\.00 GiB '
out_has '^note +peaks of the first iteration'
out_has '^calibration +compute_efficiency = 0\.[0-9]+$'
out_has '^plan +saved megatron\.cfg; its comments are kept in megatron\.cfg~$'
grep -q '^# a comment' megatron.cfg~ || fail 'the comment is lost'
grep -q 'source = "megatron.log";' megatron.cfg || fail 'no source'
grep -q '^[^#]*etp = ' megatron.cfg && fail 'what follows TP is frozen'
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

# a log of another GPU, by the peak and the memory that its percentages tell
for i in 1 2 3 4 5; do
	echo "step: $i  loss: 1.0  memory: 47.61GiB(60.15%)  tps: 2,931  tflops: 169.77  mfu: 54.42%"
done >a100.log
run 2 calibrate torchtitan.cfg a100.log
err_has 'another run than torchtitan\.cfg: cluster\.gpu is a100-sxm4-80gb there, not h100-sxm-80gb'
# and of another size of job
printf '%s\n' 'using world size: 64, data-parallel size: 8, tensor-model-parallel size: 2' >world.log
cat "$logs/megatron.log" >>world.log
run 2 calibrate megatron.cfg world.log
err_has 'cluster\.nodes is 8 there, not 2'

# and of another batch
run 2 calibrate --set=training.global_batch_size=128 megatron.cfg "$logs/megatron.log"
err_has 'training\.global_batch_size is 64 there, not 128'

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

# of the memory that SGLang and TensorRT-LLM take a share of, the pool is a share too
good calibrate sglang.cfg "$logs/sglang.log"
out_has '^log +sglang\.log, written by SGLang$'
out_has '^weights +[0-9.]+ GiB +7\.55 GiB '
out_has '^KV pool +[0-9.]+ GiB +58\.42 GiB '
out_has '^tokens in the pool +[0-9,]+ +957,159 '
good estimate sglang.cfg
out_has '^  KV pool +58\.42 GiB$'

good calibrate trtllm.cfg "$logs/trtllm.log" --set serving.block_size=16
out_lacks '^blocks'
out_has "^note +the log's blocks are of 32 tokens, the plan's of 16$"
good calibrate trtllm.cfg "$logs/trtllm.log"
out_has '^KV pool +[0-9.]+ GiB +61\.50 GiB '
out_has '^blocks in the pool '
good estimate trtllm.cfg
out_has '^  KV pool +61\.50 GiB$'

# a benchmark is compared at its own requests, which the plan does not take over; what
# the start-up log told of memory stays
good calibrate sglang.cfg "$logs/sglang_bench.jsonl"
out_has '^log +sglang_bench\.jsonl, written by a serving benchmark: 640 requests, the last of 2'
out_has "^note +compared at the benchmark's 1024 \+ 256 tokens, 63 requests at once;$"
out_has '^time to first token .* 390 ms '
out_has '^time per output token .* 8\.57 ms '
out_has '^generated tokens a second .* 6300 '
out_has '^calibration +tpot_scale = [01]\.[0-9]+$'
out_has '^calibration +ttft_scale = [0-9.]+$'
out_lacks 'compute_efficiency'
grep -q 'memory_bias_gib' sglang.cfg || fail 'the memory bias is lost'
grep -q 'prompt_tokens = 4096;' sglang.cfg || fail "the plan took the benchmark's requests"
# at these the estimate is that of the benchmark now
good estimate --set=prompt_tokens=1024 --set=generate_tokens=256 --concurrency=63 sglang.cfg
out_has '^first token +390 ms '
out_has '^next tokens +8\.57 ms '
out_has '^calibrated +by sglang_bench\.jsonl$'
# what it prints tells the same, whoever wrote it
good calibrate sglang.cfg "$logs/sglang_bench.txt"
out_has '^log +sglang_bench\.txt, written by a serving benchmark: 640 requests$'
out_has '^time per output token .* 8\.57 ms '
good calibrate trtllm.cfg "$logs/trtllm_bench.txt"
grep '^calibration' out >expected
good calibrate trtllm.cfg "$logs/trtllm_report.json"
grep '^calibration' out | cmp -s - expected || fail 'the report says other than the table'
cp vllm.cfg before.cfg
good calibrate vllm.cfg "$logs/vllm_bench.json"
out_has '^generated tokens a second .* 3900 '
# at a given rate both scales are those with which the open loop has the measured means
python3 - <<'PY' >rate.json
import json
print(json.dumps({"completed": 400, "total_input_tokens": 400 * 1024, "total_output_tokens": 400 * 256,
    "request_throughput": 7.7, "output_throughput": 7.7 * 256, "mean_ttft_ms": 80.0, "mean_tpot_ms": 12.0,
    "mean_e2el_ms": 80 + 255 * 12.0, "request_rate": 8.0, "burstiness": 0.7}))
PY
cp before.cfg vllm.cfg
good calibrate vllm.cfg rate.json
out_has '^note +compared at the benchmark.s 1024 \+ 256 tokens, 8 requests a second$'
good estimate --json vllm.cfg --set=traffic.rate=8 --set=traffic.burstiness=0.7 --set=traffic.requests=400 \
    --set=serving.prompt_tokens=1024 --set=serving.generate_tokens=256
python3 - out <<'PY' || fail 'the scales do not make the benchmark come true'
import json, sys
s = json.load(open(sys.argv[1]))["serving"]
sys.exit(not (abs(s["tpot_p50"] / .012 - 1) < .06 and abs(s["ttft_p50"] / .08 - 1) < .15))
PY
# inference-perf told half of the time per token
sed 's/"mean_tpot_ms": 12.0/"mean_tpot_ms": 6.0/' rate.json >halved.json
cp vllm.cfg whole.cfg
cp before.cfg vllm.cfg
good calibrate vllm.cfg halved.json
out_has '^note +the time per token is that of the whole answer'
grep tpot_scale vllm.cfg >scale
grep -qxF "$(cat scale)" whole.cfg || fail 'half of the time per token was taken'
# more than the engines take tells nothing of their times
sed 's/"request_rate": 8.0/"request_rate": 9000.0/' rate.json >flood.json
cp before.cfg vllm.cfg
run 1 calibrate vllm.cfg flood.json
out_has '^note +requests came at a rate that the plan.s engines do not take'
err_has 'nothing of the log can be fitted; vllm\.cfg is as it was$'
cmp -s vllm.cfg before.cfg || fail 'the plan changed'
# tokens a second alone set both times
printf '{"completed": 9, "output_throughput": 500}' >tokens.json
good calibrate vllm.cfg tokens.json
[ "$(sed -n 's/^calibration .*_scale = //p' out | sort -u | wc -l)" = 1 ] || fail 'two scales'
good estimate --concurrency=9 vllm.cfg # all at once
out_has '^tokens +500 generated a second'

# what the command line sets is compared with, and stays out of the file
cp old.cfg plan.cfg
good calibrate --set training.global_batch_size=64 --pp=2 plan.cfg "$logs/megatron.log"
mv out with
run 0 calibrate plan.cfg "$logs/megatron.log"
grep '^step' with | cmp -s - out && fail 'the options had no effect'
good diff old.cfg plan.cfg
out_lacks '^(training|parallel)\.'
printf 'cluster: { nodes = 2; gpus_per_node = 8; };\nparallel: { tp = 2; pp = 2; };\ntraining: { global_batch_size = 64; };\n' >whole.cfg
good calibrate whole.cfg "$logs/megatron.log"
grep '^calibration' out >expected
grep '^calibration' with | cmp -s - expected || fail 'not the calibration of that plan'

# a bias that no estimate is off by: refused, and asked for at a terminal
cp old.cfg plan.cfg
run 1 calibrate --set model.preset=llama-3.2-1b plan.cfg "$logs/megatron.log"
err_has 'calibration\.memory_bias_gib would be [0-9.]+ GiB, more than the 10 GiB .*h100-sxm-80gb.*--set'
err_has 'plan\.cfg is as it was$'
out_lacks '^calibration'
cmp -s plan.cfg old.cfg || fail 'the plan changed'
if command -v script >/dev/null; then
	for answer in n y; do
		about "a strange bias, answer $answer"
		cp old.cfg plan.cfg
		echo $answer | script -qec "$PROG calibrate --set model.preset=llama-3.2-1b plan.cfg $logs/megatron.log" /dev/null >out 2>&1
		out_has 'write it into plan\.cfg all the same\? \[y/N\]'
		grep -q 'memory_bias_gib = 1' plan.cfg
		[ $? -eq "$([ $answer = y ]; echo $?)" ] || fail 'the answer does not count'
	done
fi

# from standard input
cp old.cfg plan.cfg
"$PROG" calibrate plan.cfg - <"$logs/megatron.log" >out 2>err || fail "exit status $?"
grep -q 'source = "standard input";' plan.cfg || fail 'source of standard input'

# what can not be: the plan stays as it was
cp old.cfg plan.cfg
run 2 calibrate plan.cfg missing.log
no_out
err_has '^missing\.log: error: can not be opened'
echo 'nothing that is known' >other.log
run 2 calibrate plan.cfg other.log
no_out
err_has "^other\.log: error: .*'elapsed time per iteration.* \(fix: "
: >empty.log
run 2 calibrate plan.cfg empty.log
err_has '^empty\.log: error: is empty$'
run 2 calibrate plan.cfg plan.cfg
err_has '^plan\.cfg: error: no line of a known program'
printf '{"a": 1}' >other.json
run 2 calibrate plan.cfg other.json
err_has '^other\.json: error: is JSON, but no result of a serving benchmark'
printf '{\n"a": 1,}' >wrong.json
run 2 calibrate plan.cfg wrong.json
err_has '^wrong\.json:2:8: error: '
{ printf '{"completed": 1, "itls": [0'; yes ',0.01' | head -n 300000; echo ']}'; } >big.json
run 2 calibrate vllm.cfg big.json
err_has '^big\.json: error: is JSON of more than 1 MiB'
err_has "\(fix: jq -c 'del\(\.\[\] \| arrays\)' big\.json \| "
run 2 calibrate plan.cfg "$logs/vllm.log"
no_out
err_has 'vllm\.log is the log of vLLM, a run of the other mode than plan\.cfg \(fix: mode = "serve";'
run 2 calibrate vllm.cfg "$logs/sglang.log"
no_out
err_has 'another engine than that of vllm\.cfg \(fix: serving: \{ engine = "sglang"; \};'
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
