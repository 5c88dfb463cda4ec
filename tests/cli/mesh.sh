#!/bin/sh
# Composer, litgpt, LightningCLI and MaxText: what their own files say comes in. Facts of mosaicml/llm-foundry
# scripts/train/yamls, Lightning-AI/litgpt config_hub, AI-Hypercomputer/maxtext src/maxtext/configs (2026-08).
. "$TOP/tests/cli/lib.sh"

if "$PROG" import /dev/null --from accelerate 2>&1 | grep -q 'without libyaml'; then
	exit 77
fi
plan() { # LINE...: lines of the plan that came out
	for line; do out_has "^	(# .*: )?$line;"; done
}

about 'Composer: MPT of its sizes, lengths by reference, batches as tokens of the run'
cat >mpt.yaml <<'END'
variables: { max_seq_len: 2048 }
max_seq_len: ${variables.max_seq_len}
model: { name: mpt_causal_lm, d_model: 4096, n_heads: 32, n_layers: 32, expansion_ratio: 4, max_seq_len: "${variables.max_seq_len}",
  vocab_size: 50368, attn_config: { attn_impl: flash } }
optimizer: { name: decoupled_adamw, lr: 1.2e-4 }
max_duration: 63900ba
global_train_batch_size: 1024
device_train_microbatch_size: 8
precision: amp_bf16
fsdp_config: { sharding_strategy: FULL_SHARD, mixed_precision: PURE, activation_checkpointing: true, activation_cpu_offload: false }
END
run 0 import mpt.yaml --world 64
plan 'sequence_length = 2048' 'micro_batch_size = 8' 'global_batch_size = 1024' 'zero_stage = 3' 'recompute = "full"' 'nodes = 8' \
    'token_budget = 134.0080128' 'precision = "bf16"'
cp out mpt.cfg
run 0 estimate mpt.cfg
out_has '^parameters +6\.657 billion'
sed 's/FULL_SHARD/HYBRID_SHARD/; s/63900ba/2ep/' mpt.yaml >hybrid.yaml
run 0 import hybrid.yaml --world 64
plan 'dp_replicate = 8' 'token_budget = 0.0'
err_has '^ignored max_duration: how many tokens that is the data tell'
cat >dbrx.yaml <<'END'
max_seq_len: 4096
model: { name: hf_causal_lm, pretrained: true, pretrained_model_name_or_path: databricks/dbrx-instruct,
  peft_config: { r: 64, peft_type: LORA, lora_dropout: 0.05, target_modules: [Wqkv] } }
optimizer: { name: decoupled_lionw }
global_train_batch_size: 16
device_train_microbatch_size: auto
fsdp_config: { sharding_strategy: FULL_SHARD, activation_checkpointing: true }
END
run 0 import dbrx.yaml
plan 'preset = "dbrx"' 'method = "lora"' 'rank = 64' 'target = "qkv"' 'gpus_per_node = 8' 'micro_batch_size = 1'
err_has '^ignored optimizer.name: its value is none that a plan has'
echo 'composer train/train.py mpt.yaml global_train_batch_size=512 save_folder=out' >composer.sh
run 0 import composer.sh --world 16
plan 'global_batch_size = 512' 'sequence_length = 2048'
sed 's/n_layers: 32/n_layers: 32, ffn_config: { moe_num_experts: 4 }/' mpt.yaml >moe.yaml
run 2 import moe.yaml

about 'litgpt: adapters on a GPU, all weights on several, a node a copy where it pre-trains'
cat >lora.yaml <<'END'
checkpoint_dir: checkpoints/meta-llama/Meta-Llama-3-8B
precision: bf16-true
devices: 1
num_nodes: 1
lora_r: 32
lora_query: true
lora_key: false
lora_value: true
train: { global_batch_size: 8, micro_batch_size: 1, epochs: 2, max_seq_length: 512 }
optimizer: { class_path: torch.optim.AdamW, init_args: { lr: 0.0002 } }
END
run 0 import lora.yaml
plan 'preset = "llama-3-8b"' 'method = "lora"' 'rank = 32' 'target = "qv"' 'adapter_dtype = "bf16"' 'global_batch_size = 8' \
    'sequence_length = 512' 'zero_stage = 0' 'recompute = "none"' 'gpus_per_node = 1'
sed 's/^devices: 1/devices: 4/; s/^lora_key: false/lora_key: true/' lora.yaml >four.yaml
run 0 import four.yaml
plan 'zero_stage = 3' 'recompute = "full"' 'gpus_per_node = 4' 'target = "q.k.v"'
echo 'quantize: bnb.nf4' >>four.yaml
run 1 import four.yaml
err_has 'litgpt quantises on one GPU alone'
echo 'quantize: bnb.nf4' >>lora.yaml
run 0 import lora.yaml
plan 'method = "qlora"' 'quantization = "nf4"'
cat >pretrain.yaml <<'END'
model_name: tiny-llama-1.1b
precision: bf16-mixed
train: { global_batch_size: 512, micro_batch_size: 4, max_tokens: 3000000000000, max_seq_length: 2048 }
devices: auto
num_nodes: 2
END
run 0 import pretrain.yaml
plan 'preset = "tinyllama-1.1b"' 'token_budget = 3000.0' 'zero_stage = 3' 'dp_replicate = 2' 'nodes = 2' 'gpus_per_node = 8'
echo 'litgpt finetune_lora meta-llama/Llama-3.2-1B --devices 2 --train.micro_batch_size 4 --train.global_batch_size 16 --precision bf16-true' >lit.sh
run 0 import lit.sh
plan 'preset = "llama-3.2-1b"' 'method = "lora"' 'micro_batch_size = 4' 'gpus_per_node = 2'
err_has '^ignored train.max_seq_length: not set'

about 'LightningCLI: the Trainer, and a model that its code or somebody else says'
cat >cli.yaml <<'END'
trainer: { accelerator: gpu, devices: [0, 1, 2, 3], num_nodes: 2, precision: bf16-mixed, accumulate_grad_batches: 4, max_steps: 1000,
  strategy: { class_path: lightning.pytorch.strategies.FSDPStrategy, init_args: { sharding_strategy: SHARD_GRAD_OP, cpu_offload: true } } }
model: { class_path: my.Module, init_args: { model_name_or_path: Qwen/Qwen3-8B } }
data: { class_path: my.Data, init_args: { batch_size: 2, max_length: 4096 } }
END
run 0 import cli.yaml
plan 'preset = "qwen3-8b"' 'nodes = 2' 'gpus_per_node = 4' 'zero_stage = 2' 'offload = "optimizer.params"' 'micro_batch_size = 2' \
    'global_batch_size = 64' 'sequence_length = 4096' 'precision = "bf16"'
sed 's/^  strategy:.*/  strategy: deepspeed_stage_3_offload }/; s/, init_args: { model_name.*/ }/' cli.yaml >ds.yaml
run 2 import ds.yaml
err_has "model: the file does not say, and the module's code is not read"
run 0 import ds.yaml --model=llama-3.1-8b
plan 'layout = "deepspeed"' 'zero_stage = 3' 'offload = "optimizer.params"'

about 'MaxText: axes between hosts and within one; batches of a device'
cat >mt.sh <<'END'
python3 -m MaxText.train src/MaxText/configs/base.yml run_name=$RUN hardware=gpu steps=1000 model_name=llama3.1-405b \
    remat_policy=full per_device_batch_size=1.0 max_target_length=8192 dcn_fsdp_parallelism=128 ici_fsdp_parallelism=8
END
run 0 import mt.sh
plan 'preset = "llama-3.1-405b"' 'nodes = 128' 'gpus_per_node = 8' 'zero_stage = 3' 'dp_replicate = 1' 'sequence_length = 8192' \
    'micro_batch_size = 1' 'global_batch_size = 1024' 'recompute = "full"' 'token_budget = 8.388608'
if grep -q 'TPU' err; then fail 'GPUs are no TPUs'; fi
# half a sample a device, two devices a sample; the rest of a host shards, and hosts have copies
cat >mt.yaml <<'END'
base_config: base.yml
hardware: gpu
model_name: llama2-7b
per_device_batch_size: 0.5
gradient_accumulation_steps: 4
ici_tensor_parallelism: 2
ici_fsdp_parallelism: -1
dcn_data_parallelism: -1
quantization: fp8
remat_policy: minimal_with_context
END
run 0 import mt.yaml --world 32
plan 'tp = 2' 'micro_batch_size = 1' 'global_batch_size = 64' 'nodes = 4' 'dp_replicate = 4' 'precision = "fp8"' 'sequence_length = 2048'
err_has '^ignored remat_policy: between none and full'
sed 's/_size: 0.5/_size: 0.25/' mt.yaml >less.yaml
run 2 import less.yaml --world 8
err_has 'per_device_batch_size: 0.25 on each of 8 GPUs are no whole samples of its 4 replicas'
sed 's/dcn_data_parallelism: -1/dcn_data_parallelism: 3/' mt.yaml >three.yaml
run 2 import three.yaml --world 32
err_has 'the axes are of 24 devices, and 32 are told'
# on TPUs, and of sizes alone
printf 'base_emb_dim: 4096\nbase_num_query_heads: 32\nbase_num_kv_heads: 8\nbase_mlp_dim: 14336\nbase_num_decoder_layers: 32\nhead_dim: 128\nvocab_size: 128256\nper_device_batch_size: 2\ncompile_topology: v5e-256\n' >tpu.yaml
run 0 import tpu.yaml
err_has '^ignored hardware: MaxText.s default is TPUs, of which no chip'
plan 'preset = "llama-3.*-8b"' 'global_batch_size = 512'
sed 's/^base_emb/num_experts: 8\nbase_emb/' tpu.yaml >experts.yaml
run 2 import experts.yaml
echo 'python3 -m maxtext.trainers.pre_train.train $HERE/models/gpu/llama2_7b.yml ici_fsdp_parallelism=8' >away.sh
run 2 import away.sh
err_has 'llama2_7b.yml is not read, the nearest is llama-2-7b'
finish
