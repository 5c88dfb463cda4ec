#!/bin/sh
# What the commands print, on plans small enough to be counted by hand.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

expect() {
	cat >expected
	cmp -s out expected || { fail "not as expected"; diff expected out | head -n 10; }
}

# 2 nodes x 8 GPUs, TP 2, PP 4: the groups of the paper's example
good groups --kind=tp --kind=pp --kind=dp
expect <<'OUT'
tp 0 1
tp 2 3
tp 4 5
tp 6 7
tp 8 9
tp 10 11
tp 12 13
tp 14 15
pp 0 4 8 12
pp 1 5 9 13
pp 2 6 10 14
pp 3 7 11 15
dp 0 2
dp 1 3
dp 4 6
dp 5 7
dp 8 10
dp 9 11
dp 12 14
dp 13 15
OUT
# kinds come in the order of the layout, however they are asked for
cp out first
good groups --kind=dp --kind=pp --kind=tp --kind=dp
cmp -s out first || fail 'another order of --kind, another output'

# the hash is that of the sorted text
good groups --kind=tp --format=hash
out_has '^tp count=8 min=2 max=2 sfnv=2cb5e52df2dafd23$'
good groups --kind=embd
expect <<'OUT'
embd 0 12
embd 1 13
embd 2 14
embd 3 15
OUT

# a million ranks take seconds and no memory to speak of
about 'groups of 1,048,576 ranks'
(
	# no more than 200 MB, where the shell can say so and the program runs with it
	# shellcheck disable=SC3045
	limit() { ulimit -v 200000; }
	if (limit && "$PROG" --version) >/dev/null 2>&1; then limit; fi
	timeout 60 "$PROG" groups --nodes=131072 --tp=8 --pp=16 --kind=tp --kind=pp --kind=dp
) 2>err | awk '{ lines++; ranks += NF - 1 } END { print lines, ranks }' >out
expect <<'OUT'
196736 3145728
OUT

good layers --layers=8 --pp=2 --vpp=2
expect <<'OUT'
stage pp=0 vp=0 embed=1 loss=0 mtp=0 count=2 first=0
stage pp=0 vp=1 embed=0 loss=0 mtp=0 count=2 first=4
stage pp=1 vp=0 embed=0 loss=0 mtp=0 count=2 first=2
stage pp=1 vp=1 embed=0 loss=1 mtp=0 count=2 first=6
OUT

good rank 13
out_has '^node +1$'
out_has '^local rank +5$'
out_has '^coordinates +tp=1 cp=0 dp=0 pp=3 '
out_has '^pp +1 +4 +3 +network +1 5 9 13$'
out_has '^tp +6 +2 +1 +NVLink +12 13$'
out_has '^stage pp=3 vp=0 embed=0 loss=1 mtp=0 count=8 first=24$'
good rank 3 --set training.schedule=dualpipe
out_has '^stage pp=0 .*embed=1'
out_has '^stage pp=3 .*loss=1'

# the map: every rank once, no escape codes into a file, and always when asked
good map --width=80
for rank in 0 7 8 15; do
	out_has "(^|[^0-9])$rank([^0-9]|\$)"
done
LC_ALL=C grep -q "$(printf '\033')" out && fail 'escape codes in a file'
LC_ALL=C tr -d '\012\040-\176' <out >beyond
[ ! -s beyond ] || fail 'characters beyond ASCII in the C locale'
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ] || fail 'too wide'
good map --color=always
grep -q "$(printf '\033')" out || fail 'no colours with --color=always'
NO_COLOR=1 good map --color=always
grep -q "$(printf '\033')" out || fail '--color=always is stronger than NO_COLOR'
good map --color-by=tp,pp --width=120
good map --layout=deepspeed
good map --zoom=cells
out_has '^.AABBCCDD.EEFFGGHH.$'
out_has '^tp: 8 groups of 2 A B C D E F G H$'
good map --zoom=nodes
out_has '^node 0 AE$'
good map --nodes=4096 --gbs=4096

# estimate and explain agree, and units stand beside numbers
good estimate
out_has '^parameters +8\.03 billion in all \(8,030,261,248\)'
out_has '^peak +stage [0-9]+: [0-9.]+ GiB of [0-9.]+ GiB: fits$'
out_has '^stage +params +grads +optim +activ +logits +buffers +allocated +overhead +total +%$'
out_has '^dimension +collective +group +link +calls +sent +time +exposed$'
out_has '^step +[0-9.]+ m?s'
out_has '^MFU +[0-9.]+ % of the dense bf16 peak, causal attention counted by half'
# what is no sum of its terms is itself, not that sum
for quantity in kv_blocks kv_tokens max_concurrency; do
	good explain --mode=serve --tp=2 --pp=1 --model=gemma-2-9b serving.$quantity
	out_has "^serving\.$quantity = [0-9.,k]+$"
	out_has '^KV pool = .* B '
done
good explain params.total
out_has '^params\.total = 8,030,261,248 parameters$'
out_has '^    source: '
# the letters of formulas of memory, those that are there, each of one or two with its meaning
good explain memory.activations
out_has '^letters of these formulas$'
out_has '^    Ts     T/TP with sequence parallelism, else T$'
out_lacks "^    (ql|lk|routed) "
for model in llama-3.1-8b deepseek-v3 qwen3-next-80b-a3b nemotron-h-8b; do
	good explain --model=$model --nodes=8 --tp=4 --pp=1 memory.activations
	sed -n 's/^    \(.*\) = .*/\1/p' out | grep -v source | grep -oE '[A-Za-z0-9_ -]+' | sed 's/^ *//; s/ *$//' |
	    grep -xE '[a-zA-Z]|T[a-z]|[a-z][a-z]' | grep -vxE 'TP|EP|CP' | sort -u >letters
	while read -r letter; do
		grep -q "^    $letter  " out || fail "$model: no word of $letter"
	done <letters
done
good estimate --stage=2
[ "$(grep -Ec '^ +[0-9]+ +[0-9]' out)" -eq 2 ] || fail '--stage prints one stage of two tables'
good estimate --mode=serve --layout=vllm --nodes=1 --tp=8 --pp=1
out_has '^Memory of the engine with weights in bf16, '
out_has '^KV cache +[0-9.]+ KiB a token on one GPU$'
out_has '^first token +.* \(TTFT\)$'
out_lacks '^dimension '

: >empty.cfg
good diff empty.cfg empty.cfg --nodes=2
out_has '^none differs'
printf 'parallel: { tp = 2; };\n' >a.cfg
printf 'parallel: { tp = 4; };\n' >b.cfg
good diff a.cfg b.cfg
out_has '^parallel\.tp +2 +4$'
out_has '^dp +4 +2 +-2'

# lists
good fields
out_has '^parallel\.tp +integer +ranks +1 to 16777216 +1 +both +tensor parallel size$'
good models
out_has '^llama-3\.1-70b +70\.55 +80 '
good gpus
out_has '^h100-sxm-80gb '
good models llama-3.1-70b
out_has '^model: *'
out_has 'layers = 80;'
cp out section.cfg
run 0 estimate section.cfg
err_has ' does_not_fit: stage 0 takes .*: [a-z]+ [0-9.]+ of [0-9.]+ GiB$'
out_has '^parameters +70\.55 billion'

# what would mend a plan, and what was asked for is kept
run 0 check "$TOP/share/plans/llama-3.1-405b-8k.cfg"
out_has '^warning plan tight: stage 1 takes [0-9.]+ GiB of 79\.2 GiB on one [^ ]*, a run between [0-9.]+ and [0-9.]+ GiB: it may not fit \(fix: [^ ]+=.*\)$'
run 1 check --strict "$TOP/share/plans/llama-3.1-405b-8k.cfg"
good check --json "$TOP/share/plans/llama-3.1-405b-8k.cfg"
out_has '^  "fits": true, *$'
out_has '^  "tight": true, *$'
run 0 estimate "$TOP/share/plans/llama-3.1-405b-8k.cfg"
out_has '^peak .* of 79\.19 GiB: tight$'
out_has '^range +a run may take between '
printf 'cluster: { nodes = 7; };\nmodel: { preset = "llama-3.1-70b"; };\nparallel: { tp = 2; pp = 4; };\n' >seven.cfg
run 1 check seven.cfg
out_has 'global_batch_not_divisible: .*training.global_batch_size=63\)$'
out_has 'would_mend: ZeRO stage 3, global batch 63 \(1.56 % fewer tokens a step\): [0-9.]+ GiB of 79.2 GiB, '
# mends are plans that are estimated whole, and the context mends to what the model takes
run 1 check --set=rl.algorithm=grpo --nodes=3 --model=qwen2.5-7b
out_lacks 'DCP'
run 0 check --mode=serve --pp=1 --model=qwen3-8b --context-length=131072
out_has 'context_too_long: .*\(fix: serving.context_length=40960\)$'
# a dash says which rate is missing, and how to set it
run 0 estimate --set cluster.bf16_tflops=0
out_has '^step +- +no BF16 rate of this GPU: --set cluster.bf16_tflops=TFLOP/s$'
run 0 estimate --mode=serve --pp=1 --set cluster.hbm_gbps=0
out_has '^first token +- +no memory speed of this GPU: --set cluster.hbm_gbps=GB/s$'
out_lacks ' 0\.000 s'
good check --set cluster.hbm_gbps=0
out_has '^hint cluster.hbm_gbps rate_not_known: '
# shellcheck disable=SC3045
(ulimit -t 10 && "$PROG" check --set cluster.hbm_gbps=0 --model=llama-3.1-70b >out 2>err) ||
	fail 'looks long for a fastest plan where no time is known'
# sizes of the built-in plan that nobody set step back, and it is said; those of a command line or
# a file do not
run 0 check --nodes=1 --tp=8
err_has '^shardplan: the built-in plan: PP steps back from 4 to 1: nobody set it$'
run 0 estimate --mode=serve --tp=8
err_has ': PP steps back from 4 to 1: nobody set it$'
# an engine as large as its weights want, by the GPUs that are named alone: it was TP 2 and PP 4, and 95 GiB of weights
run 0 check llama-3.1-405b 16xh100 serve
err_has ': TP steps up from 2 to 8, PP steps back from 4 to 2: nobody set them$'
run 0 estimate deepseek-v3 72xgb200 serve
out_has 'TP 8, CP 1, PP 1, VPP 1, EP 1, ETP 1; DP 1'
run 0 check --nodes=1 --gpus-per-node=1 --model=qwen3-0.6b
err_has ': TP steps back from 2 to 1, PP steps back from 4 to 1: nobody set them$'
run 0 check --model=gpt2
err_has ': sequence length steps back from 4096 to 1024: nobody set it$'
run 1 check --pp=4 --tp=2 --nodes=1 --gpus-per-node=1 --model=qwen3-0.6b
out_has 'world_not_divisible'
echo 'cluster: { nodes = 2; }; parallel: { tp = 2; pp = 4; };' >own.cfg
run 1 check own.cfg --nodes=1 --tp=8
out_has ' world_not_divisible: .* \(fix: parallel\.pp=1\)$'
out_has '^hint parallel\.pp would_mend: PP 1: [0-9.]+ GiB of 79\.2 GiB, [0-9.]+ s a step \(fix: parallel\.pp=1\)$'
out_lacks 'fix: parallel\.tp'
good check --model=llama-3.1-70b --nodes=8 --tp=8 --pp=4 --micro-batch-size=4 --sequence-length=8192
out_has '^warning plan does_not_fit: .*: activations [0-9.]+ of [0-9.]+ GiB \(fix: parallel\.cp=2\)$'
out_has '^hint parallel\.cp would_mend: CP 2: '
out_lacks 'fix: training\.micro_batch_size'
good check --json --model=llama-3.1-70b --nodes=8 --tp=8 --pp=4 --micro-batch-size=4 --sequence-length=8192
out_has '"set": \{"training.micro_batch_size": 2\}, "asked": true, "fits": true, "tight": false, "peak_bytes": [0-9]+'
run 1 estimate --model=llama-3.1-405b --nodes=128 --tp=8 --pp=8
err_has ' \(fix: parallel\.last_stage_layers=14\)$'
run 1 estimate --model=llama-3.1-405b --nodes=128 --tp=8 --pp=8 --vpp=8 --global-batch-size=1024
err_has ' \(fix: parallel\.account_for_embedding=true parallel\.account_for_loss=true\)$'
good check --nodes=1 --tp=8 --pp=1
out_has '^hint parallel\.tp tp_more_than_needed: TP 2: step [0-9.]+ -> [0-9.]+ s \(-[0-9.]+ %\), memory [0-9.]+ -> [0-9.]+ GiB; .*fix: parallel\.tp=2\)$'


# an engine that starts, and does not hold all requests at once, has room for itself
run 0 estimate --mode=serve --model=gpt-oss-120b --gpu=h100 --nodes=1 --gpus-per-node=1 --tp=1
out_has '^peak +stage 0: 7[0-9.]+ GiB of 79\.19 GiB: does not hold the requests$'

# a step of phases has one time, one rate and one verdict: the trainer's own are called so
run 0 estimate --set=rl.algorithm=grpo --set=training.token_budget=1
out_has '^peak +stage 0: [0-9.]+ GiB, of the trainer alone$'
out_has '^Time of one update with rows of the full length, the trainer alone$'
out_lacks '^step  '
out_has '^fullest +rollout: [0-9.]+ GiB of [0-9.]+ GiB: does not fit$'
out_has '^whole step +[0-9.]+ s, [0-9,]+ tokens a second, [0-9,]+ on each GPU$'
run 0 estimate --json --set=rl.algorithm=grpo --set=training.token_budget=1
awk '/"tokens_per_second":/ { gsub(/.*"tokens_per_second": |,.*/, ""); rate = $0 }
	/"training_seconds":/ { s = $0; gsub(/.*"training_seconds": |,.*/, "", s) }
	END { exit !(s * rate > 0.999e9 && s * rate < 1.001e9) }' out || fail 'the run is not at the rate of the whole step'

# what looks at one plan reads no more of the catalogue than the plan and the command line name;
# what is wrong elsewhere in it is told where a name asks for all of it, and two plans name more
good diff "$TOP/share/plans/seed-64.cfg" "$TOP/share/plans/deepseek-v3.cfg"
mkdir data
cp -R "$TOP/share/." data
sed 's/{ id = "mistral-7b-v0\.1"; /&wrong = 1; /' "$TOP/share/models.cfg" >data/models.cfg
SHARDPLAN_DATADIR=$dir/data
for command in check estimate groups map pipeline 'export --to=megatron'; do
	# shellcheck disable=SC2086
	run 0 $command "$dir/data/plans/seed-64.cfg"
done
run 0 rank "$dir/data/plans/seed-64.cfg" 1
run 0 explain "$dir/data/plans/seed-64.cfg" fits
run 2 check --model=mistral-7b-v0.1
err_has 'model\.wrong: unknown key'
run 2 check --model=llama-3.1-8bb
err_has 'model\.wrong: unknown key'
run 2 models
SHARDPLAN_DATADIR=$TOP/share
run 1 check --model=llama-3.1-8bb
out_has 'llama-3\.1-8b)'

# one field: what it is, what a plan makes of it, and since when there is one of that name
good fields tp
out_has '^parallel\.tp, by default 1$'
out_has '^    since 0\.1$'
good fields run.spare_nodes
out_has '^    since 0\.2$'
run 2 fields paralel.tp
err_has 'no field .paralel\.tp. \(did you mean parallel\.tp\?\)'
good explain "$TOP/share/plans/seed-64.cfg" tp
out_has '^parallel\.tp = [0-9]+ \(set\)$'
good explain --json "$TOP/share/plans/seed-64.cfg" tp
out_has '"value": 8,$'
out_has '"from": "set",$'
out_has '"since": "0\.1"$'
good explain --mode=serve --tp=1 --pp=1 serving.prompt_tokens
out_has '^serving\.prompt_tokens = [0-9]+ \((the default|follows .*)\)$'
good explain run.days --set=training.token_budget=100
out_has ' \(since 0\.2\)$'

# nodes that are down, who stands in, and how many of them are told
run 0 estimate --nodes=8 --pp=1 --set=cluster.dead_nodes=3,5 --set=run.spare_nodes=1
out_has '^down +3: 8 stands in; 5$'
run 1 estimate --nodes=64 --pp=1 --gbs=64 --set=cluster.dead_nodes=0-39
out_has '^down +0; 1; 2; .*; and more$'
good estimate --nodes=8 --pp=1
out_lacks '^down '

# the primer's pages, each with a name that `topics NAME` takes
good topics
out_has '^tp +Tensor parallel'
cut -d' ' -f1 out >names
[ "$(wc -l <names)" -gt 15 ] || fail 'few pages'
while read -r name; do good topics "$name"; done <names
run 2 topics nosuch


# where drafts pay: of good guesses always, of eight that seldom hold not in large batches, of none that holds never
drafts='estimate --mode=serve --model=llama-3.1-70b --nodes=1 --tp=8 --pp=1 --set=serving.concurrency=64'
good $drafts --set=serving.draft_tokens=1 --set=serving.accepted_tokens=0.7
out_has '^drafts +1 drafted, 0\.7 accepted: 1\.[0-9]+ times the tokens, more at any batch$'
good $drafts --set=serving.draft_tokens=8 --set=serving.accepted_tokens=0.5
out_has '^drafts +8 drafted, 0\.5 accepted: [01]\.[0-9]+ times the tokens, less than without from [0-9]+ requests on$'
good $drafts --set=serving.draft_tokens=8 --set=serving.accepted_tokens=0
out_has '^drafts +8 drafted, 0 accepted: 0\.[0-9]+ times the tokens, less than without at any batch$'
good $drafts --set=serving.draft_tokens=8
out_has '^drafts +8 drafted, none accepted as long as serving.acceptance does not say how many$'
finish
