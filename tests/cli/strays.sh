#!/bin/sh
# Files as they lie about: pages that fence commands, scripts with a slip, launches of programs that nobody reads.
# shellcheck disable=SC1091,SC2016
. "$(dirname "$0")/lib.sh"

if "$PROG" import /dev/null --from axolotl 2>&1 | grep -q 'without libyaml'; then exit 77; fi

about 'a script that is put in stays told when the text is read as the next kind'
echo 'NODES=4' >settings.sh
printf '%s\n' 'source settings.sh' '# as src/train.py does' 'torchrun --nnodes $NODES --nproc_per_node 8 my.py' >two.sh
run 0 import two.sh --model=qwen3-8b
err_has '^taken   source -> the settings of settings.sh'
out_has '^	nodes = 4;'
sed '$d' two.sh >none.sh
run 2 import none.sh
err_has '^taken   source -> the settings of settings.sh'
err_has 'no command of it runs one of llamafactory-cli train'

about 'of a page the commands count, however the prose is quoted, and lines keep their numbers'
cat >page.md <<'M'
# Don't panic: it's one command

```bash
pip install vllm
```
It'll say "ready (unless it isn't.

  ~~~~ console
  $ vllm serve Qwen/Qwen3-32B \
      --tensor-parallel-size 4
  ~~~~

```text
vllm serve said: can't
```
M
run 0 import page.md
out_has '	preset = "qwen3-32b";'
out_has '	tp = 4;'
sed 's/size 4/size "4/' page.md >open.md
run 2 import open.md
err_has '^open.md:10: error: a quotation mark is never closed'
cat >yaml.md <<'M'
Don't type this: `base_model: x`

```sh
ls
```
```json
{ "not": "this" }
```
```yaml
base_model: Qwen/Qwen3-8B
sequence_len: 2048
micro_batch_size: 2
```
M
run 0 import yaml.md --world=8
out_has '	preset = "qwen3-8b";'
out_has '	micro_batch_size = 2;'
echo 'Speaks of vllm serve, and fences nothing' >bare.md
run 2 import bare.md

about 'a command that its line ends too early is no launch'
printf '%s\n' 'vllm serve Qwen/Qwen3-8B --port 80 \ ' '  --tensor-parallel-size 4' >blank.sh
run 2 import blank.sh
err_has '^blank.sh:1: error: there are blanks behind the \\'
printf '%s\n' 'NAMES=(--port 80)' 'vllm serve Qwen/Qwen3-8B \' '  --max-num-seqs 8' '  "${NAMES[@]}" --tensor-parallel-size 4' >cut.sh
run 2 import cut.sh
err_has '^cut.sh:3: error: a command ends in this line, and the next begins with an option'
sed '3s/$/ \\/' cut.sh >whole.sh
run 0 import whole.sh
out_has '	tp = 4;'

about 'what a script of nobody trains is not known, and a script is no list of what its commands print'
printf '%s\n' '#!/bin/bash' 'torchrun --nnodes 2 --nproc_per_node 8 ./own_llama.py --layers=32' >own.sh
run 2 import own.sh
err_has '^own.sh: error: model: the file does not say, and own_llama.py is not read .*--model=NAME'
run 0 import own.sh --model=llama-2-7b
out_has '	nodes = 2;'
printf '%s\n' '#!/bin/bash' 'nvidia-smi -L' 'echo "GPU 0: not as it should be (UUID: GPU-1)"' >health.sh
run 2 import health.sh
err_has 'it is not clear what this is'
tail -n +3 health.sh | cut -d'"' -f2 >smi.txt
run 0 import smi.txt

about 'performance scripts of Megatron-Bridge, in a text that a variable holds, and before their recipes had one name'
cat >perf.sh <<'S'
sed -i 's/a/b/' scripts/performance/run_script.py
command=$(cat <<- EOM
  numactl --membind=\$((LOCAL_RANK/2)) python scripts/performance/run_script.py \
    --gpu gb200 --model_family_name qwen --model_recipe_name qwen3_235b_a22b --num_gpus 64 --compute_dtype fp8_mx \
    --global_batch_size 1024 -mb 2 --seq_length 4096 -tp 2 -pp 4 -vp None -ep 8 --recompute_modules moe_act,mlp \
    -et 1 logger.log_throughput=True train.global_batch_size=512
EOM
)
echo "$command" >worker.sh
torchrun --nproc-per-node="4" --nnodes="16" --no-python bash worker.sh
S
run 0 import perf.sh
for line in 'preset = "qwen3-235b-a22b"' 'gpu = "gb200"' 'nodes = 16' 'gpus_per_node = 4' 'precision = "mxfp8"' 'tp = 2' 'pp = 4' 'vpp = 1' \
    'ep = 8' 'etp = 1' 'sequence_parallel = true' 'micro_batch_size = 2' 'global_batch_size = 512' 'recompute = "selective"'; do
	out_has "^	$line;"
done
about 'their splits of layers that no stages divide'
# split MODEL LAYERS_OF_A_LAYOUT TP PP VPP [FLAGS]
split() {
	echo "python run_script.py --gpu h100 --model_recipe_name $1 --num_gpus 1024 --compute_dtype bf16 -tp $3 -pp $4 -vp $5 -ep ${6:-1} -et 1 \
	    --global_batch_size 1024 -mb 1 --seq_length 4096 $7" >split.sh
	run 0 import split.sh -o split.cfg
	run 0 estimate split.cfg # legal, without a search as check would make
	run 0 import split.sh
	out_has "$2"
	rm split.cfg
}
split llama31_405b '	account_for_embedding = true;' 8 16 8
split qwen3_235b_a22b '	account_for_loss = true;' 4 8 4 8
split deepseek_v3 '	pipeline_layout = "Et\*4|(t\*4|)\*14t\*1mL";' 1 4 4 64
split deepseek_v3 '	pipeline_layout = "Et\*8|(t\*8|)\*6t\*5mL";' 1 8 1 64
split deepseek_v3 '	vpp = 1;' 1 4 2 64 "--pipeline_model_parallel_layout 'Et*8|(t*8|)*6t*5mL'"
sed 's/--num_gpus 64/--num_gpus $WORLD/' perf.sh >world.sh
run 2 import world.sh
err_has '^world.sh:.*error: --num_gpus: only a run would tell its value .fix: --world'
run 0 import world.sh --world=128
out_has '^	nodes = 32;'
printf '%s\n' 'python run_script.py --model_name llama31 --model_size 405b -ng 128 --gpu h100 --compute_dtype bf16 -tp 8 -pp 8 \' \
    '  --use_megatron_fsdp true --recompute_num_layers 3 --max_steps 50' >older.sh
sed -i 's/ -ng / --num_gpus /' older.sh
run 0 import older.sh
for line in 'preset = "llama-3.1-405b"' 'nodes = 16' 'precision = "bf16"' 'zero_stage = 3' 'recompute = "full"' 'recompute_method = "block"' \
    'recompute_layers = 3'; do
	out_has "^	$line;"
done

about 'GPT-NeoX: JSON with comments, or YAML with hyphens; splits and a model beside the settings of DeepSpeed'
cat >neox.yml <<'Y'
{
  # as it is
  "pipe_parallel_size": 4, "model_parallel_size": 2,
  "num_layers": 44, "hidden_size": 6144, "num_attention_heads": 64, "seq_length": 2048, "max_position_embeddings": 2048,
  "pos_emb": "rotary", "no_weight_tying": true, "gpt_j_residual": true, "attention_config": [[["flash"], 44]],
  "optimizer": { "type": "Adam", "params": { "lr": 0.97e-4 } },
  "zero_optimization": { "stage": 1, "reduce_bucket_size": 1260000000 },
  "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 32, "checkpoint_activations": true, "checkpoint_num_layers": 1,
  "fp16": { "enabled": true }, "train_iters": 150000
}
Y
run 0 import neox.yml --world=96
for line in 'preset = "gpt-neox-20b"' 'layout = "deepspeed"' 'tp = 2' 'pp = 4' 'zero_stage = 1' 'micro_batch_size = 4' 'global_batch_size = 1536' \
    'nodes = 12' 'precision = "fp16"' 'recompute = "full"' 'attention_kernel = "flash2"' 'sequence_length = 2048'; do
	out_has "^	$line;"
done
run 2 import neox.yml
err_has 'train_batch_size: is not there.*--world'
printf '%s\n' 'pipe-parallel-size: 0' 'model-parallel-size: 2' 'num-layers: 32' 'hidden-size: 4096' 'num-attention-heads: 32' 'norm: rmsnorm' \
    'intermediate-size: 11008' 'seq-length: 2048' 'max-position-embeddings: 2048' 'activation: swiglu' 'no-weight-tying: true' 'precision: bfloat16' \
    'train-micro-batch-size-per-gpu: 2' >hyphens.yml
run 0 import hyphens.yml --world=16
for line in 'preset = "llama-7b"' 'pp = 1' 'tp = 2' 'precision = "bf16"' 'global_batch_size = 16'; do
	out_has "$line;"
done
sed 's/"flash"/"mamba"/' neox.yml >mamba.yml
run 2 import mamba.yml --world=96
err_has 'no shapes that are known'

about 'SkyRL: engines on the GPUs of its trainer, or on others; names of 2025'
cat >skyrl.sh <<'S'
: "${NUM_GPUS:=8}"
uv run --isolated -m skyrl.train.entrypoints.main_base trainer.policy.model.path="Qwen/Qwen3-8B" trainer.placement.colocate_all=true \
  trainer.strategy=fsdp2 trainer.placement.policy_num_gpus_per_node=$NUM_GPUS trainer.placement.policy_num_nodes=2 \
  generator.inference_engine.num_engines=4 generator.inference_engine.tensor_parallel_size=4 generator.n_samples_per_prompt=8 \
  trainer.train_batch_size=128 trainer.policy_mini_batch_size=64 trainer.micro_train_batch_size_per_gpu=2 trainer.max_prompt_length=2048 \
  generator.sampling_params.max_generate_length=6144 generator.inference_engine.backend=vllm trainer.algorithm.use_kl_loss=false
S
run 0 import skyrl.sh
for line in 'preset = "qwen3-8b"' 'nodes = 2' 'gpus_per_node = 8' 'zero_stage = 3' 'rollout_tp = 4' 'prompts = 128' 'responses = 8' 'placement = "colocated"' \
    'global_batch_size = 512' 'micro_batch_size = 2' 'sequence_length = 8192' 'response_limit = 6144' 'algorithm = "grpo"' 'reference = false'; do
	out_has "	$line;"
done
sed 's/fsdp2/megatron trainer.policy.megatron_config.tensor_model_parallel_size=4/; s/all=true/all=false/; s/inference_engine.num_engines/num_inference_engines/
    s/inference_engine.tensor_parallel_size/inference_engine_tensor_parallel_size/; s/use_kl_loss=false/advantage_estimator=gae/' skyrl.sh >older.sh
run 0 import older.sh
for line in 'layout = "megatron"' 'tp = 4' 'sequence_parallel = true' 'placement = "split"' 'rollout_gpus = 16' 'rollout_tp = 4' 'nodes = 4' \
    'algorithm = "ppo"' 'reference = true'; do
	out_has "	$line;"
done

about 'Oumi: sections of settings that TRL has under other names'
cat >oumi.yaml <<'Y'
model: { model_name: "meta-llama/Llama-3.3-70B-Instruct", model_max_length: 2048, torch_dtype_str: "bfloat16", attn_implementation: "sdpa" }
data: { train: { pack: true, datasets: [ { dataset_name: "x/y" } ] } }
training:
  trainer_type: "TRL_SFT"
  use_peft: True
  per_device_train_batch_size: 2
  gradient_accumulation_steps: 4
  enable_gradient_checkpointing: True
  optimizer: "adamw_torch_fused"
peft: { q_lora: True, lora_alpha: 16, lora_target_modules: [ "q_proj", "v_proj" ] }
fsdp: { enable_fsdp: True, sharding_strategy: HYBRID_SHARD, cpu_offload: True, transformer_layer_cls: "LlamaDecoderLayer" }
Y
run 0 import oumi.yaml --world=16
for line in 'preset = "llama-3.1-70b"' 'sequence_length = 2048' 'micro_batch_size = 2' 'global_batch_size = 128' 'recompute = "full"' 'zero_stage = 3' \
    'dp_replicate = 2' 'offload = "optimizer.params"' 'method = "qlora"' 'rank = 8' 'packing = true'; do
	out_has "	$line;"
done
sed '/fsdp:/d; /peft/d; s/enable_gradient_checkpointing: True/max_steps: 5/; s/TRL_SFT/TRL_DPO/; s/pack: true/seed: 1/' oumi.yaml >pairs.yaml
echo 'deepspeed: { enable_deepspeed: True, zero_stage: "ZERO_2" }' >>pairs.yaml
run 0 import pairs.yaml --world=8
for line in 'layout = "deepspeed"' 'zero_stage = 2' 'algorithm = "dpo"' 'recompute = "none"' 'packing = false'; do
	out_has "	$line;"
done
sed 's/TRL_SFT/VERL_GRPO/' oumi.yaml >verl.yaml
run 2 import verl.yaml
err_has 'training.trainer_type: VERL_GRPO is verl within Oumi'

finish
