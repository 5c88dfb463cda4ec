#!/bin/sh
# Settings in Python, as far as they are literals: recipes of Megatron-Bridge and functions of torchtitan.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# has PATH VALUE: the plan on standard output
has() {
	grep -Eq "^	(# .*: )?$1 = \"?$2\"?;" out || fail "$1 is not $2"
}

cat >bridge.py <<'P'
"""Recipes.

def quoted(): is in a text.
"""
import torch
from megatron.bridge import AutoBridge, ConfigContainer

SEQUENCE = 4 * 1024


def _common(cfg, micro=1, *, layers=None):
    cfg.train.micro_batch_size = micro
    cfg.dataset.seq_length = SEQUENCE
    if layers:
        cfg.train.global_batch_size = 7
    return cfg


def llama3_70b_pretrain_32gpu_h100_bf16_config() -> ConfigContainer:
    """A recipe."""
    cfg = ConfigContainer(
        train=TrainingConfig(global_batch_size=64, train_iters=100000),  # and more
        ddp=DDP(use_distributed_optimizer=True, overlap_grad_reduce=True),
        mixed_precision="bf16_mixed",
    )
    cfg.model = AutoBridge.from_hf_pretrained("meta-llama/Meta-Llama-3-70B").get_model_config()
    _common(cfg, micro=2)
    cfg.model.tensor_model_parallel_size = 4
    cfg.model.pipeline_model_parallel_size = 2
    cfg.model.virtual_pipeline_model_parallel_size = None
    cfg.model.context_parallel_size = -(-2)
    cfg.model.sequence_parallel = True
    cfg.model.recompute_granularity = "selective"
    cfg.model.recompute_modules = ["core_attn", "mlp"]
    cfg.mixed_precision = bf16_with_mxfp8_mixed()
    cfg.train.global_batch_size = (16 + 16) * 8 // 2
    set_elsewhere(cfg.model)
    cfg.optimizer.lr = compute() if cfg else 3
    cfg.optimizer.use_precision_aware_optimizer = True
    cfg.optimizer.exp_avg_dtype = torch.bfloat16
    return cfg
P

about 'a recipe of Megatron-Bridge'
run 0 import bridge.py
for pair in 'preset llama-3.1-70b' 'nodes 4' 'tp 4' 'pp 2' 'sequence_parallel true' \
    'micro_batch_size 2' 'sequence_length 4096' 'precision mxfp8' 'zero_stage 1' 'recompute selective' \
    'recompute_modules core_attn,mlp' 'moments_dtype bf16' 'param_remainders false'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^ignored set_elsewhere: what it changes does not stand in the file$'
err_has '^ignored optimizer.lr: only a run tells its value$'
err_has '^ignored train.global_batch_size: set under a condition, which only a run tells$'
has global_batch_size 128 # the last word stands without a condition

# settings in a dictionary, some of which are no literals
about 'a dictionary'
sed 's/^    cfg.model.tensor_model_parallel_size = 4$/    apply(cfg)\n    cfg.model.overrides = {"a": 1, "b": [2, 3], c: 4, **more, "d": f(5), "e": {"f": None}, }\n    cfg.model.tensor_model_parallel_size = 4/' \
    bridge.py >dict.py
run 0 import dict.py
has tp 4 # what follows it is read
has pp 2
sed 's/"e": {"f": None}, }/"e": {"f": /' dict.py >never.py
"$PROG" import never.py >out 2>err </dev/null
[ $? -le 2 ] || fail 'one that does not end'

about 'a condition takes away what was known'
sed 's/^    return cfg$/    if big:\n        cfg.model.tensor_model_parallel_size = 8\n    return cfg/' bridge.py >maybe.py
run 0 import maybe.py
err_has '^assumed parallel.tp = 1: Megatron-Bridge.s default$'
err_has '^ignored model.tensor_model_parallel_size: set under a condition'

about 'several functions'
cat >titan.py <<'P'
from torchtitan.models.llama3 import model_registry


def llama3_8b() -> Trainer.Config:
    return Trainer.Config(
        model_spec=model_registry("8B"),
        training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=2 * 8192, max_context_length=8192),
        activation_checkpoint=FullAC.Config(),
        parallelism=ParallelismConfig(tensor_parallel_degree=2),
    )


def llama3_8b_plain() -> Trainer.Config:
    config = llama3_8b()
    config.activation_checkpoint = None
    config.parallelism.context_parallel_degree = 2
    config.training.num_tokens_per_train_step = 64 * 8192
    return config
P
run 2 import titan.py
err_has 'several functions return settings .fix: --part with one of llama3_8b, llama3_8b_plain.'
run 2 import titan.py --part=other
err_has 'there is no such function'
run 2 import titan.py --part=llama3_8b
err_has 'the number of GPUs is not known .fix: --world.'
run 0 import titan.py --part=llama3_8b --world=16
for pair in 'preset llama-3.1-8b' 'tp 2' 'recompute full' 'micro_batch_size 2' 'global_batch_size 16' 'zero_stage 3'; do
	# shellcheck disable=SC2086
	has $pair
done
run 0 import titan.py --part=llama3_8b_plain --world=16
for pair in 'cp 2' 'recompute none' 'global_batch_size 64' 'tp 2'; do
	# shellcheck disable=SC2086
	has $pair
done

about 'what a function hands on is its own'
sed 's/context_parallel_degree = 2/tensor_parallel_degree = 8/' titan.py >own.py
run 0 import own.py --part=llama3_8b --world=16
has tp 2

about 'texts that are no Python'
for text in 'def f(' 'def f():' 'def f():
    return ((((' 'def f():
    return f()' 'def f():
    x.a = """' 'def f():
    return 9223372036854775807 * 2'; do
	printf '%s\n' "$text" >bad.py
	run 2 import --from=torchtitan-python bad.py
done
about 'functions that call themselves end'
printf 'def _f(x):\n    x.a = 1\n    _f(x)\n    _f(x)\ndef g():\n    _f(c)\n    return c\n' >loop.py
run 2 import --from=torchtitan-python loop.py

about 'converters of a model'
cat >converters.py <<'P'
def run():
    config = Trainer.Config()
    config.model_spec = model_registry("8B", converters=[NAMED.Config(), LoRAConverter.Config(rank=16)])
    config.parallelism = ParallelismConfig(tensor_parallel_degree=2)
    return config
P
for pair in 'Float8LinearConverter fp8' 'MXFP8Converter mxfp8' 'NVFP4LinearConverter nvfp4' 'OtherConverter bf16'; do
	sed "s/NAMED/${pair% *}/" converters.py >made.py
	run 0 import --from=torchtitan-python made.py --world=8
	has precision "${pair#* }"
	has method lora
	has rank 16
done

about 'an export to Python'
run 0 export --to=torchtitan-python --layout=torchtitan --zero-stage=3 --nodes=2 --pp=2 --recompute=full \
    --model=llama-3.1-405b -o t
grep -q '^    config.model_spec = model_registry("405B")$' t/torchtitan_plan.py || fail 'converters of the function stay'
grep -q '^    config.compile.enable = False$' t/torchtitan_plan.py || fail 'what is off is not said'
command -v python3 >/dev/null && { python3 -m py_compile t/torchtitan_plan.py 2>out || fail 'it is no Python'; }
run 0 import t/torchtitan_plan.py --world=16
has preset llama-3.1-405b
has pp 2

about 'a launch of Megatron-Bridge'
cat >bridge.sh <<'S'
./scripts/training/train.sh --nodes 2 --gpus-per-node 8 --recipe llama32_1b_sft_1gpu_h100_bf16_config \
    model.tensor_model_parallel_size=2 train.global_batch_size=32 model.recompute_modules=[core_attn,mlp]
S
run 0 import bridge.sh
for pair in 'preset llama-3.2-1b' 'method full' 'nodes 2' 'tp 2' 'global_batch_size 32' 'recompute_modules core_attn,mlp'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^assumed what no override says is a plan.s own'

about 'a script of torchtitan with its job file'
rm -rf t
run 0 export --to=torchtitan --layout=torchtitan --zero-stage=3 --nodes=2 --pp=2 --tp=2 --cp=1 -o t
run 0 import t/torchtitan.sh
sed 's/torchtitan.toml/& --training.dtype=bfloat16/' t/torchtitan.sh >t/half.sh
run 0 import t/half.sh
out_has '^	weights_16bit = true;'
for pair in 'nodes 2' 'pp 2' 'tp 2' 'zero_stage 3' 'preset llama-3.1-8b'; do
	# shellcheck disable=SC2086
	has $pair
done
sed 's/torchtitan.toml/& --parallelism.tensor_parallel_degree=4/' t/torchtitan.sh >t/four.sh
run 0 import t/four.sh
has tp 4
{ echo '# ./run_train.sh --job.config_file this'; cat t/torchtitan.toml; } >commented.toml
run 0 import commented.toml --world=16
has tp 2

about 'a script that trains with TRL'
cat >sft.py <<'P'
import os
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

BASE = "mistralai/Mistral-Small-Instruct-2409"
RUNS = {"a": dict(lr=2e-4, r=64), "b": dict(lr=1e-4, r=32)}
run = RUNS["b"]


def main() -> None:
    """Of a text: SFTConfig(max_length=7)."""
    quant = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True)
    tokenizer = AutoTokenizer.from_pretrained("another/one")
    if tokenizer.pad_token is None:
        args = SFTConfig(max_length=9)
    model = AutoModelForCausalLM.from_pretrained(BASE, quantization_config=quant, torch_dtype=torch.bfloat16)
    lora = LoraConfig(r=run["r"], lora_dropout=0.05, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
    args = SFTConfig(output_dir=f"x-{run}", per_device_train_batch_size=int(os.environ.get("BATCH", "3")),
                     gradient_accumulation_steps=2 * 4, bf16=not False, max_seq_length=2048, report_to=who())
    args.packing = True
    SFTTrainer(model=model, args=args, peft_config=lora).train()


if __name__ == "__main__":
    main()
P
run 0 import sft.py --world=4
for pair in 'preset mistral-small-2409' 'method qlora' 'quantization nf4-dq' 'rank 32' 'dropout 0.05' 'target attention' \
    'micro_batch_size 3' 'global_batch_size 96' 'sequence_length 2048' 'packing true' 'recompute full' 'precision bf16'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^ignored SFTConfig.report_to: only a run tells its value'

about 'a notebook of Unsloth'
cat >un.ipynb <<'P'
{ "cells": [ { "cell_type": "markdown", "source": ["import SFTConfig(max_length=3)"] },
  { "cell_type": "code", "source": ["%%capture\n", "!pip install unsloth\n", "from unsloth import FastLanguageModel\n",
    "model, tokenizer = FastLanguageModel.from_pretrained(model_name=\"unsloth/gpt-oss-20b\", max_seq_length=1024)\n",
    "model = FastLanguageModel.get_peft_model(model, r=8)"] },
  { "cell_type": "code", "source": "from trl import SFTConfig, SFTTrainer\nSFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=1, optim='adamw_8bit'))" } ],
  "nbformat": 4, "nbformat_minor": 5 }
P
run 0 import un.ipynb
for pair in 'preset gpt-oss-20b' 'method qlora' 'quantization nf4-dq' 'rank 8' 'target all-linear' 'kernels unsloth' \
    'sequence_length 1024' 'micro_batch_size 1' 'optimizer adam8bit'; do
	# shellcheck disable=SC2086
	has $pair
done

about 'adapters of another kind'
sed 's/LoraConfig(r=run.*"o_proj"\])/VeraConfig(r=64)/' sft.py >vera.py
run 0 import vera.py
has tuner vera
has rank 64

about 'a launch with the script that it names'
cat >train.py <<'P'
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from peft import LoraConfig, get_peft_model


def train(args):
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(args.model), LoraConfig(target_modules="all-linear"))
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.batch_size, bf16=True,
            gradient_accumulation_steps=args.rounds, deepspeed={"zero_optimization": {"stage": 2}}))


def cut(examples):
    return tokenizer(examples["text"], truncation=True, max_length=512)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="Qwen/Qwen2.5-7B")
    parser.add_argument("-b", "--batch-size", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    train(parser.parse_args())
P
echo 'accelerate launch --num_processes 4 train.py --model meta-llama/Llama-3.1-8B --batch-size 1' >launch.sh
run 0 import launch.sh
for pair in 'preset llama-3.1-8b' 'method lora' 'rank 8' 'zero_stage 2' 'micro_batch_size 1' 'global_batch_size 8' \
    'sequence_length 512' 'recompute none' 'layout deepspeed'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^taken   script -> the settings of train.py'
run 0 import train.py
has preset qwen2.5-7b
has micro_batch_size 4

about 'a launch with the settings that its script reads'
printf 'deepspeed_config: { zero_stage: 3 }\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 4\n' >zero3.yaml
printf 'model_name_or_path: mistralai/Mistral-7B-v0.1\nuse_peft: true\nlora_r: 24\nmax_seq_length: 1536\nper_device_train_batch_size: 2\n' >lora.yaml
for words in '--config lora.yaml' 'lora.yaml --lora_dropout=0'; do
	echo "accelerate launch --config_file zero3.yaml ../scripts/run_sft.py $words" >recipe.sh
	run 0 import recipe.sh
	for pair in 'preset mistral-7b-v0.1' 'zero_stage 3' 'rank 24' 'sequence_length 1536' 'recompute full' 'global_batch_size 8'; do
		# shellcheck disable=SC2086
		has $pair
	done
done
printf 'CONFIG=lora.yaml\nSCRIPT=../scripts/run_sft.py # see other.yaml\naccelerate launch --config_file zero3.yaml $SCRIPT --config $CONFIG\n' >named.sh
run 0 import named.sh
has rank 24
mv lora.yaml gone.yaml
run 2 import recipe.sh
err_has 'the file does not say, and config: lora.yaml is not read'

about 'a launch of a script that nobody knows, with its model'
for words in '-m RL2.trainer.ppo actor.model_name=Qwen/Qwen3-8B' 'other.py --model_path=Qwen/Qwen3-8B' 'other.py --model Qwen/Qwen3-8B' 'other.py --model $M'; do
	printf 'M=Qwen/Qwen3-8B\ntorchrun --nproc_per_node=8 %s\n' "$words" >other.sh
	run 0 import other.sh
	has preset qwen3-8b
done

about 'engines in a script'
printf 'from vllm import LLM\nllm = LLM(model="Qwen/Qwen3-30B-A3B", tensor_parallel_size=2, max_model_len=16 * 1024,\n  enable_expert_parallel=True)\n' >vllm.py
run 0 import vllm.py
for pair in 'engine vllm' 'preset qwen3-30b-a3b' 'tp 2' 'ep 2' 'context_length 16384'; do
	# shellcheck disable=SC2086
	has $pair
done
printf 'import sglang as sgl\ndef f():\n    return sgl.Engine(model_path="meta-llama/Llama-3.1-70B", tp_size=4)\n' >sgl.py
run 0 import sgl.py
has engine sglang
has tp 4
printf 'from tensorrt_llm import LLM\nkv = KvCacheConfig(free_gpu_memory_fraction=0.7)\nLLM("meta-llama/Llama-3.1-8B", kv_cache_config=kv)\n' >trt.py
run 0 import trt.py
has engine trtllm
has gpu_memory_utilization 0.7

about 'signs and negations without end'
for word in '- ' 'not '; do
	awk -v w="$word" 'BEGIN { print "import trl"; printf "x = "; for (i = 0; i < 100000; i++) printf "%s", w; print "1\nSFTTrainer(x)" }' >deep.py
	run 2 import deep.py
done

about 'a script whose trainer has what no plan has'
for text in 'x = (' 'SFTTrainer(' 'a["b"]["c"][0] = SFTTrainer(x[' 'SFTConfig(**kw, *a, f"{x}", x for x in y)' 'def f(a=[1,{"b": (2)}]):'; do
	printf 'import trl\n%s\nSFTTrainer(\n' "$text" >bad.py
	run 2 import bad.py
done

finish
