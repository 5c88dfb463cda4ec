#!/bin/sh
# Launches of others in the place of plans: each command takes what import does, and tells what was assumed.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

logs=$TOP/tests/data/launched
echo 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-model-len 32768' >serve.sh
cat >tune.yaml <<'YAML'
model_name_or_path: Qwen/Qwen3-8B
stage: sft
finetuning_type: lora
cutoff_len: 2048
per_device_train_batch_size: 1
YAML

about 'a launch is estimated as its import is'
run 0 import serve.sh -o plan.cfg
run 0 estimate plan.cfg --json
mv out imported
run 0 estimate serve.sh --json
cmp -s out imported || fail 'another estimate'
err_has '^assumed cluster\.gpu = h100-sxm-80gb: the file does not say'
err_has '^shardplan: serve\.sh is a launch: '
grep -q '^assumed parallel' err && fail 'defaults of a program are told as if guessed'

about 'the command line comes after it, and what it says is no longer assumed'
run 0 estimate serve.sh a100-sxm4-80gb --gpu=a100-sxm4-80gb --tp=1
out_has '^cluster .* of a100-sxm4-80gb'
grep -q '^assumed cluster\.gpu ' err && fail 'the GPU is assumed'
run 0 estimate serve.sh 2xa100
grep -q '^assumed cluster.gpu ' err && fail 'a GPU is assumed that words say'
sed '/^model_name/d' tune.yaml >none.yaml
run 2 estimate none.yaml
run 0 estimate none.yaml --model=qwen3-8b
run 0 estimate none.yaml qwen3-8b
out_has '^model +qwen3-8b$'

about 'each command that takes a plan takes one'
for c in check layers 'search --top=1' groups map; do
	# shellcheck disable=SC2086
	"$PROG" $c tune.yaml >out 2>err </dev/null
	err_has '^shardplan: tune\.yaml is a launch: '
done
run 0 explain tune.yaml step.seconds
run 0 diff serve.sh tune.yaml
run 0 export --to=trl tune.yaml -o trl.out
run 0 estimate serve.sh --set=serving.engine=sglang

about 'a checkpoint is its config.json, also by its directory'
mkdir -p Qwen3-8B none
cat >Qwen3-8B/config.json <<'JSON'
{"architectures": ["Qwen3ForCausalLM"], "attention_bias": false, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096,
 "intermediate_size": 12288, "max_position_embeddings": 40960, "model_type": "qwen3", "num_attention_heads": 32,
 "num_hidden_layers": 36, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 1000000,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 151936}
JSON
for at in Qwen3-8B/config.json Qwen3-8B/ ./Qwen3-8B; do
	run 0 estimate "$at" serve 1xh100
	out_has '^model +qwen3-8b$'
	err_has 'Qwen3-8B.* is a model: '
done
run 0 import Qwen3-8B
run 2 estimate none/
err_has '^none/: error: is a directory'

about 'what is none, and a plan with a mistake, are told as before'
echo 'parallel: { tp = 8;' >bad.cfg
run 2 estimate bad.cfg
err_has '^bad\.cfg:[0-9]+: error: '
echo 'some words' >words.txt
run 2 estimate words.txt
err_has '^words\.txt:1: error: '
echo 'vllm serve --tensor-parallel-size 2' >nameless.sh
run 2 estimate nameless.sh
err_has 'nameless\.sh.*--model'

about 'an engine repeats its launch in its log'
run 0 import "$logs/vllm-arguments.log"
for f in 'engine_version = "0\.7\.2"' 'preset = "qwen2\.5-72b"' 'weight_dtype = "int4"' 'tp = 4' 'context_length = 32768' \
    'gpu_memory_utilization = 0\.95' 'max_num_seqs = 20' 'max_loras = 0'; do
	out_has "^	$f;"
done
run 0 import "$logs/vllm-engine.log"
for f in 'engine_version = "0\.8\.1"' 'preset = "llama-3\.2-1b"' 'kv_dtype = "fp8"' 'eager = true' 'context_length = 131072'; do
	out_has "^	$f;"
done
run 0 import "$logs/sglang.log"
for f in 'engine = "sglang"' 'preset = "deepseek-v3"' 'tp = 8' 'max_loras = 0' 'kv_dtype = "bf16"' 'gpu_memory_utilization = 0\.79'; do
	out_has "^	$f;"
done
for cut in '(model_path=' "ServerArgs(model_path='deepseek-ai/DeepSeek-V3-0324'" 'tp_size=8, pp'; do
	sed "s|\(.*$cut\).*|\1|" "$logs/sglang.log" >cut.log
	"$PROG" import cut.log >out 2>err </dev/null
	[ $? -le 2 ] || fail "a line that ends behind $cut"
done

about 'and so does Megatron-LM, whose defaults of what a model has not say nothing'
run 0 import "$logs/megatron.log"
for f in 'preset = "llama-3-8b"' 'tp = 4' 'pp = 4' 'nodes = 8' 'recompute = "full"' 'global_batch_size = 128' 'zero_stage = 1'; do
	out_has "^	$f;"
done
grep -q '^ignored' err && fail 'each argument that no field has'
run 0 estimate "$logs/megatron.log"
run 0 import "$logs/megatron.log" --world=128
out_has '^	nodes = 16;'

sed 's/^0:   seq_length.*/0:   rollout_batch_size ... 128\n0:   n_samples_per_prompt ... 8\n0:   actor_num_nodes ... 8\n0:   actor_num_gpus_per_node ... 8/' \
    "$logs/megatron.log" >slime.log
run 0 import slime.log
out_has '^	prompts = 128;'

about 'and verl, with what Ray puts before each line and other processes between'
run 0 import "$logs/verl.log"
for f in 'preset = "qwen2\.5-7b"' 'cp = 2' 'nodes = 2' 'responses = 5' 'prompts = 1024' 'rollout_tp = 2' 'micro_batch_size = 2' \
    'offload = "optimizer\+params"'; do
	out_has "^	$f;"
done
grep -q '^ignored' err && fail 'each setting that no field has'
"$PROG" diagnose "$logs/verl.log" >out 2>err </dev/null
out_has '^plan         qwen2\.5-7b on 16 h100-sxm-80gb: '
out_has '^step of all phases '
sed '/pid=9/,$d' "$logs/verl.log" >cut.log
run 2 import cut.log
err_has 'cut\.log'

finish
