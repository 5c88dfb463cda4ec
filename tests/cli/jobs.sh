#!/bin/sh
# Jobs of programs that train, on rollouts or not, and who starts their processes on nodes.
# shellcheck disable=SC1003,SC1091,SC2016
. "$(dirname "$0")/lib.sh"

if "$PROG" import /dev/null --from axolotl 2>&1 | grep -q 'without libyaml'; then exit 77; fi

# has FIELD...: lines of the plan.
has() {
	for line; do out_has "^	$line;"; done
}

about 'EasyR1: a file of settings, which overrides in a script win over; mini-batches count prompts'
mkdir -p examples
cat >examples/config.yaml <<'Y'
data: { max_prompt_length: 1024, max_response_length: 2048, rollout_batch_size: 512 }
algorithm: { adv_estimator: grpo, disable_kl: false }
worker:
  actor:
    global_batch_size: 128
    micro_batch_size_per_device_for_update: 1
    ulysses_size: 1
    model: { model_path: Qwen/Qwen2.5-7B-Instruct, enable_gradient_checkpointing: true, lora: { rank: 0 } }
    optim: { strategy: adamw }
    fsdp: { enable_full_shard: true }
    offload: { offload_params: true, offload_optimizer: true }
  rollout: { n: 5, gpu_memory_utilization: 0.6, tensor_parallel_size: 2 }
  ref: { fsdp: { enable_cpu_offload: true } }
trainer: { nnodes: 1, n_gpus_per_node: 8 }
Y
run 0 import examples/config.yaml
has 'preset = "qwen2.5-7b"' 'prompts = 512' 'responses = 5' 'global_batch_size = 640' 'micro_batch_size = 1' 'sequence_length = 3072' 'zero_stage = 3' \
    'gpus_per_node = 8' 'rollout_tp = 2' 'response_limit = 2048' 'reference = true' 'offload = "all"' 'placement = "colocated"' 'adapter_dtype = "fp32"'
cat >examples/run.sh <<'S'
MODEL=Qwen/Qwen3-8B
python3 -m verl.trainer.main config=examples/config.yaml data.rollout_batch_size=256 worker.actor.model.model_path=${MODEL} \
  worker.actor.fsdp.torch_dtype=bf16 worker.actor.optim.strategy=adamw_bf16 worker.actor.ulysses_size=2 worker.rollout.tensor_parallel_size=4 \
  algorithm.disable_kl=true trainer.nnodes=2
S
run 0 import examples/run.sh
err_has '^taken   config -> the settings of examples/config.yaml'
has 'preset = "qwen3-8b"' 'prompts = 256' 'global_batch_size = 640' 'cp = 2' 'nodes = 2' 'rollout_tp = 4' 'adapter_dtype = "bf16"' 'moments_dtype = "bf16"' \
    'reference = false'

about 'open-instruct: GRPO is no plain fine-tuning, and mason tells the nodes'
cat >grpo.sh <<'S'
python mason.py --num_nodes 8 --gpus 8 -- source setup.sh \&\& python open_instruct/grpo_fast.py --num_unique_prompts_rollout 256 \
    --num_samples_per_prompt_rollout 64 --max_prompt_token_length 2048 --response_length 6144 --pack_length 16384 --per_device_train_batch_size 1 \
    --model_name_or_path Qwen/Qwen2.5-32B --deepspeed_stage 3 --num_mini_batches 2 --num_learners_per_node 8 8 8 8 --vllm_tensor_parallel_size 1 \
    --vllm_num_engines 32 --gradient_checkpointing --async_steps 4
S
run 0 import grpo.sh
has 'preset = "qwen2.5-32b"' 'layout = "deepspeed"' 'nodes = 8' 'gpus_per_node = 8' 'zero_stage = 3' 'placement = "split"' 'rollout_gpus = 32' 'prompts = 256' \
    'responses = 64' 'global_batch_size = 8192' 'micro_batch_size = 2' 'sequence_length = 8192' 'staleness = 4' 'algorithm = "grpo"' 'recompute = "full"' \
    'reference = true'
sed 's/grpo_fast.py/grpo.py --fsdp_num_replicas 2 --single_gpu_mode --load_ref_policy False/' grpo.sh >core.sh
run 0 import core.sh
has 'layout = "torchtitan"' 'placement = "colocated"' 'reference = false' 'dp_replicate = 2'

about 'ROLL: device_mapping tells who has which GPUs, and batches count what each rank takes'
cat >rlvr.yaml <<'Y'
num_gpus_per_node: 8
rollout_batch_size: 64
prompt_length: 2048
response_length: 4096
num_return_sequences_in_group: 8
adv_estimator: "grpo"
init_kl_coef: 0.0
pretrain: Qwen/Qwen3-30B-A3B
actor_train:
  model_args: { dtype: bf16, model_name_or_path: "${pretrain}" }
  training_args: { per_device_train_batch_size: 1, gradient_accumulation_steps: 32 }
  strategy_args:
    strategy_name: megatron_train
    strategy_config: { tensor_model_parallel_size: 1, pipeline_model_parallel_size: 2, expert_model_parallel_size: 4, context_parallel_size: 4,
      use_distributed_optimizer: true, moe_layer_recompute: true }
  device_mapping: list(range(0,32))
actor_infer:
  strategy_args: { strategy_name: vllm, strategy_config: { gpu_memory_utilization: 0.85, tensor_parallel_size: 2 } }
  device_mapping: list(range(0,32))
Y
run 0 import rlvr.yaml
has 'preset = "qwen3-30b-a3b"' 'nodes = 4' 'pp = 2' 'cp = 4' 'ep = 4' 'global_batch_size = 128' 'prompts = 64' 'responses = 8' 'sequence_length = 6144' \
    'recompute = "selective"' 'recompute_modules = "moe"' 'placement = "colocated"' 'rollout_tp = 2' 'reference = false' 'zero_stage = 1'
sed '$d; s/^rollout_batch_size: 64/&\nasync_generation_ratio: 1\nsequence_length: 8192\ntrain_env_manager: { group_size: 8 }/' rlvr.yaml >agents.yaml
echo '  device_mapping: [32, 33, 34, 35, 36, 37, 38, 39]' >>agents.yaml
run 0 import agents.yaml
has 'placement = "split"' 'rollout_gpus = 8' 'nodes = 5' 'prompts = 8' 'responses = 8' 'staleness = 1' 'sequence_length = 8192'
sed 's/moe_layer_recompute: true/recompute_granularity: selective, recompute_modules: "moe_act"/' rlvr.yaml >modules.yaml
run 0 import modules.yaml
has 'recompute = "selective"' 'recompute_modules = "moe_act"'
cat >sft.yaml <<'Y'
sequence_length: 2048
pretrain: Qwen/Qwen3-8B
sft_train:
  model_args: { ulysses_size: 2 }
  training_args: { per_device_train_batch_size: 2, gradient_accumulation_steps: 4 }
  strategy_args: { strategy_name: fsdp2_train, strategy_config: { fsdp_size: 4 } }
  device_mapping: list(range(0,4)) + list(range(8,12))
Y
run 0 import sft.yaml
has 'layout = "torchtitan"' 'cp = 2' 'global_batch_size = 32' 'gpus_per_node = 8' 'sequence_length = 2048' 'zero_stage = 3' 'dp_replicate = 2' 'method = "full"'
sed 's/^sft_train/chosen_key: chosen\nactor_train/' sft.yaml >dpo.yaml
run 0 import dpo.yaml
has 'algorithm = "dpo"'
sed 's/^sft_train/student_train/' sft.yaml >student.yaml
run 2 import student.yaml
err_has 'what a teacher says'
echo 'python examples/start_sft_pipeline.py --config_path x --config_name sft' >start.sh
run 0 import start.sh
has 'preset = "qwen3-8b"' 'global_batch_size = 32'
sed 's/name sft/name other/' start.sh >none.sh
run 2 import none.sh
err_has 'other.yaml is not read, which tells what is trained'

about 'prime-rl: batches count responses, engines have GPUs of their own, and by default what can wait waits on the host'
cat >rl.toml <<'T'
seq_len = 32768
[model]
name = "Qwen/Qwen3-30B-A3B"
[deployment]
type = "multi_node"
num_train_nodes = 2
num_infer_nodes = 1
[trainer.model]
cp = 2
[trainer.optim]
type = "muon"
[orchestrator]
batch_size = 512
group_size = 16
[inference.vllm]
tensor_parallel_size = 4
gpu_memory_utilization = 0.85
T
run 0 import rl.toml
has 'preset = "qwen3-30b-a3b"' 'nodes = 3' 'gpus_per_node = 8' 'rollout_gpus = 8' 'rollout_tp = 4' 'prompts = 32' 'responses = 16' 'global_batch_size = 512' \
    'sequence_length = 32768' 'response_limit = 32256' 'cp = 2' 'ep = 8' 'zero_stage = 3' 'optimizer = "muon"' 'offload = "optimizer"' 'offload_layers = 48' \
    'staleness = 8' 'recompute = "full"'
sed 's/^cp = 2/ep = 4\noptim_cpu_offload = false\nac = "None"\n[trainer.model.lora]\nrank = 8/; s/^num_infer_nodes = 1/num_infer_replicas = 2/
    s/^.inference.vllm./[inference.deployment]\nprefill_nodes_per_replica = 2\n&/' rl.toml >pools.toml
run 0 import pools.toml
has 'nodes = 8' 'rollout_gpus = 48' 'ep = 4' 'offload = "none"' 'recompute = "none"' 'method = "lora"' 'rank = 8'
printf '%s\n' '[model]' 'name = "Qwen/Qwen3-8B"' '[data]' 'seq_len = 4096' 'batch_size = 32' '[optim]' 'lr = 1e-5' '[deployment]' 'num_train_gpus = 4' >sft.toml
run 0 import sft.toml
has 'preset = "qwen3-8b"' 'gpus_per_node = 4' 'sequence_length = 4096' 'global_batch_size = 32' 'micro_batch_size = 1' 'method = "full"' 'ep = 1'

about "what is exported for DeepSpeed comes back by its script, whose program the user names, as its machines"
rm -rf t
run 0 export --to=deepspeed -o t llama-3.1-8b 16xh100 --layout=deepspeed --tp=1 --pp=1 --zero-stage=3
run 0 import t/deepspeed.sh
has 'layout = "deepspeed"' 'nodes = 2' 'gpus_per_node = 8' 'zero_stage = 3'
sed 's/:?the[^}]*}"/}" --model_name x/' t/deepspeed.sh >t/told.sh
run 2 import t/told.sh

about 'nodes and processes that mason and srun start, and settings of DeepSpeed whatever their file is called'
echo '{ "zero_optimization": { "stage": 3 }, "train_micro_batch_size_per_gpu": "auto" }' >stage3.conf
cat >tune.sh <<'S'
uv run python mason.py --num_nodes 4 --gpus 8 -- accelerate launch --mixed_precision bf16 --num_processes 8 --use_deepspeed \
    --deepspeed_config_file stage3.conf open_instruct/finetune.py --model_name_or_path meta-llama/Llama-3.1-8B --max_seq_length 4096 \
    --per_device_train_batch_size 1 --gradient_accumulation_steps 2
S
run 0 import tune.sh
has 'nodes = 4' 'gpus_per_node = 8' 'zero_stage = 3' 'global_batch_size = 64'
sed 's,open_instruct/finetune.py,scripts/dpo_tune.py,' tune.sh >dpo.sh
run 0 import dpo.sh
has 'algorithm = "dpo"' 'reference = true' 'zero_stage = 3'
cat >srun.sh <<'S'
GPUS=${GPUS:-32}
BATCH=128
srun -p x --gres=gpu:8 --nodes=$((GPUS / 8)) --ntasks=${GPUS} --ntasks-per-node=8 python -u train.py --model_name_or_path Qwen/Qwen2.5-7B --bf16 True \
    --per_device_train_batch_size 1 --gradient_accumulation_steps $((BATCH / GPUS)) --max_seq_length 4096
S
run 0 import srun.sh
has 'nodes = 4' 'gpus_per_node = 8' 'global_batch_size = 128'
for options in '--ntasks=16 --gres=gpu:a100:8' '-N 2 -n 16' '-N 2 --ntasks-per-node 8'; do
	sed "s/-p x.*per-node=8/$options/" srun.sh >other.sh
	run 0 import other.sh
	has 'nodes = 2' 'gpus_per_node = 8'
done

about 'Primus: settings over a file of a model that is not there are no whole model; layers with a window, one by one'
cat >primus.yaml <<'Y'
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: ${MODEL:gpt_oss_20B}.yaml
    overrides:
      num_layers: 24
      hidden_size: 2880
      window_size: [128, 0]
      window_attn_skip_freq: [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]
      micro_batch_size: 2
      global_batch_size: 16
      seq_length: 8192
      expert_model_parallel_size: 8
Y
run 0 import primus.yaml
has 'preset = "gpt-oss-20b"' 'ep = 8' 'sequence_length = 8192' 'global_batch_size = 16'
sed 's/num_layers: 24/num_layers: 12/' primus.yaml >proxy.yaml
run 0 import proxy.yaml
has 'preset = "gpt-oss-20b"' 'layers = 12'
cat >windows.sh <<'S'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 4096 \
    --micro-batch-size 1 --global-batch-size 8 --bf16 --window-size 127 0 --window-attn-skip-freq '[1]*3+[0]+[1]*3+[0]'
S
run 0 import windows.sh
has 'sliding_window = 128' 'global_layer_every = 4'
sed "s/'.1..3.*/'[1,0,0,0,1,1,1,1]'/" windows.sh >uneven.sh
run 2 import uneven.sh
err_has 'window-attn-skip-freq: a plan has a layer without a window in every so many'

for hybrid in '--is-hybrid-model' '--hybrid-attention-ratio 0.08' '--spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec'; do
	sed "s/--bf16.*/--bf16 $hybrid/" windows.sh >mamba.sh
	run 2 import mamba.sh
	err_has "${hybrid%% *}: layers of Mamba, and no pattern says which"
done
sed 's/--bf16.*/--bf16 --is-hybrid-model --hybrid-override-pattern M-M*M-M-/' windows.sh >pattern.sh
run 0 import pattern.sh
has 'layer_pattern = "M-M\*M-M-"'

about 'encoders of NeMo are no GPT'
cat >bert.yaml <<'Y'
trainer: { num_nodes: 2, devices: 8, precision: bf16 }
model:
  micro_batch_size: 8
  global_batch_size: 256
  tensor_model_parallel_size: 1
  encoder_seq_length: 512
  max_position_embeddings: 512
  num_layers: 12
  hidden_size: 768
  num_attention_heads: 12
Y
run 0 import bert.yaml
for key in 'bert_binary_head: false' 'patch_dim: 16'; do
	{ cat bert.yaml; echo "  $key"; } >other.yaml
	run 2 import other.yaml
	err_has "model.${key%%:*}: trains a model that is no decoder"
done

about "Search-R1: agents are responses, which mini-batches do not count; and templates are told as such"
cat >search.sh <<'S'
python3 -m verl.trainer.main_ppo data.train_batch_size=512 data.max_prompt_length=4096 data.max_response_length=500 algorithm.adv_estimator=grpo \
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B actor_rollout_ref.actor.ppo_mini_batch_size=256 actor_rollout_ref.rollout.n_agent=5 trainer.nnodes=1
S
run 0 import search.sh
has 'responses = 5' 'global_batch_size = 256' 'prompts = 512'
printf '%s\n' 'apiVersion: v1' 'kind: Deployment' 'spec: { replicas: {{ .Values.n }} }' 'containers: [ { image: x, command: [ vllm, serve ] } ]' >helm.yaml
run 2 import helm.yaml
err_has 'a key is no text, as in a template'

about 'a length that a job says is its own where it is that of a plan which says nothing'
sed 's/length=4096/length=2048/; s/length=500/length=2048/' search.sh >same.sh
run 0 import same.sh
has 'sequence_length = 4096'

about 'FlagScale: sections are no part of the names; the file alone, or the task that takes it over'
mkdir -p conf/train
cat >conf/train/8b.yaml <<'Y'
system:
  tensor_model_parallel_size: 4
  pipeline_model_parallel_size: 2
  use_distributed_optimizer: true
  precision: { bf16: true }
model:
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 14336
  num_attention_heads: 32
  group_query_attention: true
  num_query_groups: 8
  seq_length: 4096
  max_position_embeddings: 8192
  swiglu: true
  normalization: RMSNorm
  position_embedding_type: rope
  untie_embeddings_and_output_weights: true
  disable_bias_linear: true
  micro_batch_size: 1
  global_batch_size: 2048
  optimizer: { lr_scheduler: { lr: 1.0e-5 } }
data:
  tokenizer: { vocab_size: 128256 }
Y
run 0 import conf/train/8b.yaml
has 'preset = "llama-3-8b"' 'tp = 4' 'pp = 2' 'zero_stage = 1' 'global_batch_size = 2048' 'precision = "bf16"'
cat >conf/train.yaml <<'Y'
defaults: [ { train: 8b }, _self_ ]
experiment:
  task: { type: train, backend: megatron, entrypoint: ./flagscale/train/train_gpt.py }
  runner: { nnodes: 4, nproc_per_node: 8 }
Y
run 0 import conf/train.yaml
has 'nodes = 4' 'gpus_per_node = 8' 'tp = 4'
sed 's/train_gpt/train_rwkv/' conf/train.yaml >conf/rwkv.yaml
run 2 import conf/rwkv.yaml
err_has 'train_rwkv.py: trains a model that is no decoder'
sed 's/train: 8b/train: none/; s/type: train/type: serve/' conf/train.yaml >conf/serve.yaml
run 2 import conf/serve.yaml
err_has 'trains nothing that is read'

about 'mcli: settings that the command finds in a file, or the command itself'
cat >mcli.yaml <<'Y'
name: tune
image: mosaicml/llm-foundry:latest
compute: { gpus: 16 }
command: |
  composer train/train.py /mnt/config/parameters.yaml
parameters:
  variables: { max_seq_len: 4096 }
  max_seq_len: ${variables.max_seq_len}
  model: { name: hf_causal_lm, pretrained_model_name_or_path: meta-llama/Llama-3.1-70B-Instruct }
  global_train_batch_size: 16
  device_train_microbatch_size: 1
  fsdp_config: { sharding_strategy: FULL_SHARD, activation_checkpointing: true }
Y
run 0 import mcli.yaml
err_has 'parameters -> a launch as of composer'
has 'preset = "llama-3.1-70b"' 'nodes = 2' 'gpus_per_node = 8' 'sequence_length = 4096' 'global_batch_size = 16' 'zero_stage = 3' 'recompute = "full"'
sed '/^parameters/,$d; s,composer.*,torchrun --nproc_per_node 8 train.py,' mcli.yaml >command.yaml
run 0 import command.yaml --model=qwen3-8b
has 'gpus_per_node = 8'
sed '/^parameters/,$d; s,composer.*,python3 convert.py,' mcli.yaml >other.yaml
run 2 import other.yaml
err_has 'command: is no launch that is known'

about 'recipes of vLLM: the model that they are of, whatever their guide has as well'
cat >recipe.yaml <<'Y'
model:
  model_id: "Qwen/Qwen3-32B"
  base_args: [ "--max-model-len", 32768 ]
variants:
  default: { precision: bf16, vram_minimum_gb: 76 }
  fp8: { model_id: "Qwen/Qwen3-32B-FP8", precision: fp8, vram_minimum_gb: 38, extra_args: [ "--kv-cache-dtype", "fp8" ] }
  large: { precision: bf16, vram_minimum_gb: 200 }
guide: |
  It's served with
  vllm serve Qwen/Qwen3-8B --tensor-parallel-size 1
Y
run 0 import recipe.yaml
has 'preset = "qwen3-32b"' 'tp = 1' 'context_length = 32768'
run 0 import recipe.yaml --part=fp8
has 'preset = "qwen3-32b"' 'kv_dtype = "fp8"'
out_has 'weight_dtype = "fp8"'
run 0 import recipe.yaml --part=large
has 'tp = 4'
err_has '^assumed TP 4: vram_minimum_gb'
run 0 import recipe.yaml --world=2
has 'tp = 2'
run 2 import recipe.yaml --part=none
err_has 'is none of the variants'
sed 's/^guide:/strategy_overrides: { single_node_tp: { tp: 8 } }\n&/' recipe.yaml >told.yaml
run 0 import told.yaml
has 'tp = 8'

about 'manifests that a script or a page hands to kubectl'
cat >apply.sh <<'S'
#!/bin/bash
export NAMESPACE=llm
cat <<EOF | kubectl apply -f -
apiVersion: v1
kind: Secret
metadata: { name: token }
EOF
kubectl apply -n "$NAMESPACE" -f - <<'EOF'
apiVersion: apps/v1
kind: Deployment
metadata: { name: qwen }
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:latest
        command: ["vllm", "serve", "Qwen/Qwen3-32B", "--tensor-parallel-size", "4", "--max-model-len", "32768"]
        resources: { limits: { nvidia.com/gpu: "4" } }
EOF
echo done
S
run 0 import apply.sh
has 'preset = "qwen3-32b"' 'tp = 4' 'replicas = 2' 'context_length = 32768' 'engine = "vllm"'
{ echo '# Serve it'; echo '```bash'; sed 's/kubectl apply -n .*/cat >serve.yaml <<EOF/' apply.sh; echo '```'; } >apply.md
run 0 import apply.md
has 'preset = "qwen3-32b"' 'tp = 4'

about 'a script that another one runs, with what it is called with'
cat >pretrain.sh <<'S'
MODEL_SIZE=$1
if [ $MODEL_SIZE = 8B ]; then LAYERS=32; HIDDEN=4096; else LAYERS=2; HIDDEN=128; fi
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers $LAYERS --hidden-size $HIDDEN --num-attention-heads 32 --max-position-embeddings 4096 \
    --seq-length $3 --micro-batch-size $2 --global-batch-size ${10} --tensor-model-parallel-size ${11} --train-iters 300_000 --bf16
S
run 1 import pretrain.sh
err_has 'only a run would tell'
printf '%s\n' 'cd there' 'bash pretrain.sh \' '8B 2 2048 \' '4 5 6 7 8 9 64 4 | tee log' >call.sh
run 0 import call.sh
err_has '^taken   the command -> the script pretrain.sh'
has 'preset = "opt-6.7b"' 'micro_batch_size = 2' 'sequence_length = 2048' 'global_batch_size = 64' 'tp = 4'
printf '%s\n' '# How to' '```bash' 'accelerate launch -m lm_eval --tasks x' '```' 'then' '```bash' 'sh pretrain.sh 8B 2 2048 4 5 6 7 8 9 32 8' '```' >page.md
run 0 import page.md
has 'global_batch_size = 32' 'tp = 8'
sed 's/^MODEL_SIZE=.*/set -- 8B 2 2048 4 5 6 7 8 9 16 2\n&/' pretrain.sh >own.sh
run 0 import own.sh
has 'global_batch_size = 16' 'tp = 2' 'preset = "opt-6.7b"'
sed 's/^MODEL_SIZE=.*/[ $# -gt 0 ] ||\n  set -- 8B 2 2048 4 5 6 7 8 9 16 2\n&/' pretrain.sh >want.sh
run 1 import want.sh
err_has 'only a run would tell'

about 'Megatron-DeepSpeed: ZeRO of the settings that the script writes, layers again by their older name, ALiBi, and numbers as Python has them'
cat >bloom.slurm <<'S'
#!/bin/bash
config=./ds.$SLURM_JOB_ID.json
cat <<T > $config
{ "train_micro_batch_size_per_gpu": 2, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } }, "fp16": { "enabled": true } }
T
srun bash -c "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 \
    --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 512 --fp16 --position-embedding-type alibi --train-samples 220_000_000 \
    --checkpoint-activations --deepspeed --deepspeed_config $config --zero-stage 1"
S
run 0 import bloom.slurm
err_has '^taken   --position-embedding-type -> model.position = none'
has 'recompute = "full"' 'recompute_method = "uniform"' 'recompute_layers = 1' 'zero_stage = 2' 'offload = "optimizer"' 'token_budget = 450.559[0-9]*'
sed 's/fp16 --/bf16 --/; s/"stage": 2/"stage": 0/' bloom.slurm >bf16.slurm
run 0 import bf16.slurm
has 'zero_stage = 1'
sed 's/ --deepspeed --.*/"/' bloom.slurm >newer.slurm
run 1 import newer.slurm
err_has 'checkpoint-activations: argument is no longer valid'
for other in pretrain_bert.py:decoder tasks/main.py:nothing checkpoint/convert.py:nothing; do
	sed "s,pretrain_gpt.py,${other%:*}," bloom.slurm >other.slurm
	run 2 import other.slurm
	err_has "error: ${other%:*}: trains.*${other#*:}"
done

finish
