#!/bin/sh
# What a launch says comes in right, or it is said what is not known: models by their names, sums
# of a shell, settings of other programs.
# shellcheck disable=SC1091,SC2016
. "$(dirname "$0")/lib.sh"

if "$PROG" import /dev/null --from axolotl 2>&1 | grep -q 'without libyaml'; then exit 77; fi

# named NAME ENTRY [FORMAT]: that a checkpoint's name means
named() {
	echo "base_model: $1" >named.yaml
	run 0 import --from=axolotl named.yaml
	out_has "^	preset = \"$2\";"
	[ $# = 2 ] || out_has "checkpoint_dtype = \"$3\";"
}
named mistralai/Mixtral-8x7B-v0.1 mixtral-8x7b
named mistralai/Mistral-7B-Instruct-v0.1 mistral-7b-v0.1
named EleutherAI/pythia-12b-deduped pythia-12b
named TinyLlama/TinyLlama-1.1B-Chat-v1.0 tinyllama-1.1b
named Qwen/Qwen3-4B-Instruct-2507/ qwen3-4b
named /data/models/meta-llama/Llama-3.3-70B-Instruct llama-3.1-70b
named nvidia/Qwen3-Next-80B-A3B-Instruct-NVFP4 qwen3-next-80b-a3b nvfp4
named unsloth/Qwen3-14B-unsloth-bnb-4bit qwen3-14b int4
named RedHatAI/Llama-3.1-8B-Instruct-FP8-dynamic llama-3.1-8b fp8
named unsloth/DeepSeek-V3-bf16 deepseek-v3 bf16
named llama3_1_8b llama-3.1-8b
named Qwen/Qwen2.5-Math-7B qwen2.5-7b
named Qwen/Qwen3-VL-30B-A3B-Instruct qwen3-30b-a3b
err_has '^ignored base_model: .* in another kind: what sees, hears'

about 'a model that is not known is an error, which says what else would do'
for name in acme/Wonder-9B Qwen/Qwen3-5B starcoder2-3.5b deepseek-ai/DeepSeek-V9 meta-llama/Llama-3.1-8B-Pruned; do
	echo "base_model: $name" >named.yaml
	run 2 import --from=axolotl named.yaml
	err_has "^named.yaml:1: error: base_model: the catalogue has no model '$name'.*--model.*config\.json.*--set"
	[ ! -s out ] || fail 'there is a plan all the same'
done
run 0 import --from=axolotl named.yaml --model=qwen3-8b
out_has 'preset = "qwen3-8b";'
run 0 import --from=axolotl named.yaml --set model.layers=12

about 'sums'
# batch EXPRESSION GLOBAL
batch() {
	printf 'n=4\nNPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-8B --per_device_train_batch_size 1 \\\n' >sum.sh
	printf '  --gradient_accumulation_steps %s\n' "$1" >>sum.sh
	run 0 import sum.sh
	out_has "global_batch_size = $2;"
}
batch '$(expr 32 / $n)' 32
batch '$(expr 2 \* $n)' 32
batch '`expr 32 / $n`' 32
batch '$((32 / ${m:-4}))' 32
batch '$((32 / $(expr $n + $n)))' 16
batch '$(echo "32 / $n" | bc)' 32
batch '$(expr 32 / $(nproc))' 4
err_has '^ignored gradient_accumulation_steps: only a run would tell its value$'
if grep -q '^taken   gradient_acc' err; then fail 'it is taken as well'; fi

about 'accelerate with DeepSpeed'
printf 'distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n  %s\n' \
    'offload_param_device: cpu' >ds.yaml
run 0 import ds.yaml
out_has 'layout = "deepspeed";'
out_has 'zero_stage = 3;'
out_has 'offload = "optimizer\+params";'

about 'what a recipe takes over from others'
mkdir -p tree/recipes/llm tree/group out.d
cat >tree/base.yaml <<'END'
grpo: { num_prompts_per_step: 32, num_generations_per_prompt: 16 }
policy:
  model_name: Qwen/Qwen3-8B
  train_global_batch_size: 512
  train_micro_batch_size: 4
  max_total_sequence_length: 4096
  generation: { backend: vllm, vllm_cfg: { max_model_len: "${policy.max_total_sequence_length}" } }
  dtensor_cfg: { enabled: true, tensor_parallel_size: 2, context_parallel_size: 1 }
END
echo 'num_nodes: 2' >tree/group/two.yaml
printf 'defaults: [../../base.yaml, { ../../group: nothing }]\npolicy: { train_micro_batch_size: 2 }\n' >tree/recipes/llm/mid.yaml
printf 'defaults: ./mid.yaml\ncluster: { gpus_per_node: 4 }\n' >tree/recipes/llm/top.yaml
run 0 import tree/recipes/llm/top.yaml
for line in 'preset = "qwen3-8b"' 'micro_batch_size = 2' 'global_batch_size = 512' 'prompts = 32' 'tp = 2' \
    'gpus_per_node = 4' 'context_length = 4096'; do
	out_has "$line;"
done
err_has '^taken   defaults -> the settings of \./mid\.yaml$'
err_has '^taken   defaults -> the settings of \.\./\.\./base\.yaml$'
err_has '^ignored defaults: \.\./\.\./group/nothing\.yaml is not there'
# without an end, from elsewhere, by a link to elsewhere, from standard input
echo 'defaults: loop.yaml' >loop.yaml
echo 'policy: { model_name: Qwen/Qwen3-8B }' >>loop.yaml
run 0 import loop.yaml
cp tree/base.yaml out.d/base.yaml
ln -s /etc/hostname link.yaml
for name in "$PWD/out.d/base.yaml" /etc/hostname link.yaml ../../../../../../../../etc/hostname '~/x.yaml'; do
	printf 'defaults: %s\npolicy: { model_name: Qwen/Qwen3-8B }\n' "$name" >far.yaml
	run 0 import far.yaml
	err_has '^ignored defaults: .* is not (read|there)'
done
"$PROG" import - <tree/recipes/llm/top.yaml >out 2>err
err_has '^ignored defaults: ./mid.yaml is not read: the launch came from no file'
# where others can write, nothing is taken from above
chmod o+w tree
run 0 import tree/recipes/llm/top.yaml
err_has '^ignored defaults: \.\./\.\./base\.yaml is not there, or not in'
chmod o-w tree
echo 'policy: [' >tree/base.yaml
run 2 import tree/recipes/llm/top.yaml
err_has 'base\.yaml:2: error: '

about 'a script with a file of settings: flags win'
mkdir -p conf
printf 'model_name_or_path: Qwen/Qwen3-8B\ncutoff_len: 4096\nper_device_train_batch_size: 2\n' >conf/sft.yaml
printf 'NPROC_PER_NODE=4 llamafactory-cli train conf/sft.yaml --per_device_train_batch_size 1\n' >lf.sh
run 0 import lf.sh
out_has 'preset = "qwen3-8b"'
out_has 'sequence_length = 4096;'
out_has 'micro_batch_size = 1;'
err_has '^taken   argument -> the settings of conf/sft\.yaml$'
rm conf/sft.yaml
run 0 import lf.sh
err_has '^ignored argument: conf/sft\.yaml is not there, or not in .*: what it sets is not known'

# plan LINE...: what a launch of launch.sh comes to
plan() {
	run 0 import launch.sh
	for line; do out_has "^	(# .*: )?$line;"; done
}
about 'engines'
echo 'vllm serve meta-llama/Llama-3.1-405B-Instruct-FP8 -tp 8 -pp 2 --max-model-len 32k -dcp 2 --enforce-eager' >launch.sh
plan 'preset = "llama-3.1-405b"' 'tp = 8' 'pp = 2' 'dcp = 2' 'context_length = 32000' 'eager = true' 'nodes = 2'
out_has '^mode = "serve";'
out_has 'checkpoint_dtype = "fp8";'
echo 'vllm serve deepseek-ai/DeepSeek-V3 --data-parallel-size=8 --enable-expert-parallel --max-model-len 16K' >launch.sh
plan 'tp = 1' 'ep = 8' 'gpus_per_node = 8' 'context_length = 16384'
printf 'tensor-parallel-size: 2\nmax_num_seqs: 64\n' >conf/serve.yaml
echo 'vllm serve Qwen/Qwen3-32B --config conf/serve.yaml --max-num-seqs 32' >launch.sh
plan 'max_num_seqs = 32' 'tp = 2' 'context_length = 40960'
echo 'python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 16 --dp-size 16 --enable-dp-attention \
    --nnodes 2 --kv-cache-dtype fp8_e5m2 --chunked-prefill-size 4096' >launch.sh
plan 'engine = "sglang"' 'tp = 16' 'dp_attention = true' 'nodes = 2' 'kv_dtype = "fp8"' 'max_batched_tokens = 4096'
printf 'enable_attention_dp: false\nkv_cache_config: { free_gpu_memory_fraction: 0.8 }\n' >conf/extra.yaml
echo 'trtllm-serve Qwen/Qwen3-30B-A3B --tp_size 4 --ep_size 2 --max_batch_size 128 --extra_llm_api_options conf/extra.yaml' \
    >launch.sh
plan 'engine = "trtllm"' 'tp = 4' 'ep = 2' 'max_num_seqs = 128' 'gpu_memory_utilization = 0.8'
echo 'vllm serve acme/Wonder-9B' >launch.sh
run 2 import launch.sh

about 'Megatron-SWIFT and verl on texts'
printf 'NNODES=2 NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --tuner_type lora --lora_rank 16 \\\n' >launch.sh
printf ' --tensor_model_parallel_size 2 --expert_model_parallel_size 8 --micro_batch_size 2 --max_length 2048\n' >>launch.sh
plan 'layout = "megatron"' 'tp = 2' 'ep = 8' 'micro_batch_size = 2' 'global_batch_size = 16' 'rank = 16' 'nodes = 2' \
    'sequence_length = 2048' 'method = "lora"'
printf 'torchrun --nproc_per_node=8 --nnodes=4 -m verl.trainer.sft_trainer engine=megatron model.path=Qwen/Qwen2.5-7B \\\n' >launch.sh
printf ' engine.tensor_model_parallel_size=4 data.train_batch_size=64 data.max_length=2048\n' >>launch.sh
plan 'layout = "megatron"' 'tp = 4' 'global_batch_size = 64' 'nodes = 4' 'gpus_per_node = 8' 'sequence_length = 2048'

about "files of DeepSpeed and Accelerate that settings name"
cat >conf/zero.json <<'END'
{ "zero_optimization": { "stage": 3, "offload_optimizer": { "device": "cpu" } }, "bf16": { "enabled": "auto" } }
END
printf 'model_name_or_path: Qwen/Qwen3-8B\ncutoff_len: 2048\ndeepspeed: conf/zero.json\n' >sft.yaml
run 0 import sft.yaml
out_has '	zero_stage = 3;'
out_has 'offload = "optimizer";'
err_has '^taken   deepspeed -> the settings of conf/zero\.json$'
printf 'distributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\nfsdp_config: { fsdp_reshard_after_forward: false }\n' \
    >conf/fsdp.yaml
echo 'trl sft --model_name_or_path Qwen/Qwen3-8B --accelerate_config conf/fsdp.yaml' >launch.sh
plan 'zero_stage = 2' 'nodes = 2' 'gpus_per_node = 8'
printf 'distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config: { zero_stage: 3, offload_param_device: cpu }\n' \
    >conf/ds.yaml
echo 'trl sft --model_name_or_path Qwen/Qwen3-8B --accelerate_config conf/ds.yaml' >launch.sh
plan 'zero_stage = 3' 'gpus_per_node = 4' 'offload = "optimizer\+params"' 'layout = "deepspeed"'

about 'recipes that train nothing'
printf 'model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nmax_new_tokens: 300\n' >generate.yaml
run 2 import generate.yaml
err_has '^generate.yaml:3: error: max_new_tokens: is of a recipe that trains nothing'

about 'anchors, aliases and merge keys'
cat >alias.yaml <<'END'
base_model: &name Qwen/Qwen3-8B
common: &common { sequence_len: 2048, micro_batch_size: 4 }
<<: *common
micro_batch_size: 2
tokenizer: *name
END
run 0 import alias.yaml
out_has 'preset = "qwen3-8b"'
out_has '	sequence_length = 2048;'
out_has '	micro_batch_size = 2;'
printf 'base_model: *nobody\n' >bad.yaml
run 2 import bad.yaml
err_has '^bad.yaml:1: error: an alias of nothing'
printf 'base_model: &a { b: *a }\n' >bad.yaml
run 2 import bad.yaml
printf 'base_model: a\nmicro_batch_size: 1\nmicro_batch_size: 2\n' >bad.yaml
run 2 import bad.yaml
err_has '^bad.yaml:3: error: the key micro_batch_size stands here twice'
{ # a billion laughs
	echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
	for i in 1 2 3 4 5 6 7 8 9; do
		p='*a'$((i - 1))
		echo "a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p, $p]"
	done
	echo 'base_model: Qwen/Qwen3-8B'
} >bad.yaml
run 2 import bad.yaml
err_has 'of too much for a settings file'

about 'a config.json beside the launch is the model'
mkdir -p acme/Wonder-9B
cat >acme/Wonder-9B/config.json <<'END'
{ "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 11, "num_attention_heads": 16,
  "num_key_value_heads": 4, "intermediate_size": 8192, "vocab_size": 32000 }
END
echo 'base_model: acme/Wonder-9B' >named.yaml
run 0 import --from=axolotl named.yaml
out_has '	layers = 11;'
err_has '^taken   base_model -> the model of acme/Wonder-9B/config\.json$'
mv acme/Wonder-9B/config.json .
run 0 import --from=axolotl named.yaml
out_has '	layers = 11;'
echo '{ "model_type": "llama", ' >config.json
run 2 import --from=axolotl named.yaml
err_has '^config\.json'
rm config.json

about 'layers that are counted by their list, and those that no plan has'
cat >config.json <<'END'
{ "model_type": "nemotron_h", "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 128,
  "intermediate_size": 8192, "vocab_size": 32000, "mamba_num_heads": 32, "mamba_head_dim": 64, "ssm_state_size": 128,
  "n_groups": 8, "conv_kernel": 4, "layers_block_type": ["mamba", "mlp", "attention", "mlp"] }
END
run 0 import config.json
out_has '	(# .*: )?layers = 4;'
cat >config.json <<'END'
{ "model_type": "nemotron-nas", "hidden_size": 8192, "num_hidden_layers": 2, "num_attention_heads": 64, "vocab_size": 128256,
  "block_configs": [{ "attention": { "n_heads_in_group": 8 }, "ffn": { "ffn_mult": 2.625 } },
    { "attention": { "no_op": true }, "ffn": { "ffn_mult": 5.25 } }] }
END
run 2 import config.json
err_has '^config\.json:2: error: block_configs: its layers have shapes of their own'

finish

