#!/bin/sh
# Exports through the parsers of the programs that read them (parsers.py), without GPUs and heavy libraries.
# NAME=DIRECTORY names a checkout: TORCHTITAN (v0.2.2), AXOLOTL, OPENRLHF, ACCELERATE, DEEPSPEED, NANOTRON, TRL.
# Of what is not named, the package is taken from PyPI without what it depends on, into an environment that is thrown
# away, with the light libraries that parsers are made of; where pip has no network that is said, and nothing asked.
# PYTHON names another interpreter. Megatron-LM has a script of its own, tests/cli/megatron_args.sh.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/lib.sh"

python=${PYTHON:-python3}
network=
if "$python" -m venv env >/dev/null 2>&1 &&
    env/bin/pip install -q --retries 0 --timeout 15 pyyaml pydantic tyro dacite packaging >pip.log 2>&1; then
	python=$PWD/env/bin/python network=yes
else
	echo 'pip has no network: programs are asked whose checkouts are named, by the libraries of this machine'
fi

# spoil TARGET: one more directory, with a setting that the program does not know
spoil() {
	target=$1
	rm -rf spoilt
	# shellcheck disable=SC2086
	set -- $directories
	cp -r "$1" spoilt
	case $target in
	torchtitan) printf '[nowhere]\nkey = 1\n' >>spoilt/torchtitan.toml ;;
	openrlhf) sed -i 's/^args=($/&\n\t--nowhere 1/' spoilt/openrlhf.sh ;;
	deepspeed) sed -i 's/"zero_optimization": {/&"nowhere": 1,/' spoilt/ds_config.json ;;
	nanotron) printf 'nowhere: { key: 1 }\n' >>spoilt/nanotron.yaml ;;
	*) echo 'nowhere: 1' >>"spoilt/$target.yaml" ;;
	esac
}

# export_to TARGET ARGUMENT...: one more directory for it, unless the export is refused
n=0 directories=
export_to() {
	target=$1
	shift
	n=$((n + 1))
	mkdir "$target-$n"
	if "$PROG" export --to="$target" -o "$target-$n" "$@" >out 2>err; then
		directories="$directories $target-$n"
		echo "$target-$n: $*" >>lines
	fi
}

# ask PROGRAM CHECKOUT PACKAGE: whether it takes what was exported since the last one
asked=0
ask() {
	program=$1 source=$2 package=$3
	about "$program"
	if [ -z "$source" ] && [ -n "$network" ]; then
		env/bin/pip install -q --retries 0 --no-deps --target "site-$program" "$package" >pip.log 2>&1 &&
		    source=$PWD/site-$program || echo "$program: pip does not install $package: $(tail -n 1 pip.log)"
	elif [ -z "$source" ]; then
		echo "$program: no checkout is named, nothing was asked"
	fi
	[ -d "$source/src/$program" ] && source=$source/src
	if [ -n "$source" ]; then
		# shellcheck disable=SC2086
		"$python" "$TOP/tests/torture/parsers.py" "$program" "$source" $directories >out 2>err
		status=$?
		if [ $status -ne 77 ]; then
			asked=$((asked + 1))
			spoil "$program"
			"$python" "$TOP/tests/torture/parsers.py" "$program" "$source" spoilt >control 2>&1
			grep -q '^spoilt: refused: ' control || fail 'takes whatever it is given'
		fi
		case $status in
		0 | 77) ;;
		*)
			fail "$(grep -c ': refused: ' out) are refused"
			sed -n 's/^\([^:]*\): refused: /\1 /p' out | sort -u -k 2 | while read -r name why; do
				grep "^$name: " lines
				echo "  $why"
			done
			;;
		esac
		tail -n 1 out
	fi
	directories=
}

for more in '' --precision=fp16 --set=parallel.dp_replicate=2 --cp=2 --tp=2 --pp=2 --recompute=selective --recompute=none \
    --set=training.torch_compile=true --zero-stage=2 --set=parallel.offload=optimizer+params --set=training.schedule=gpipe; do
	# shellcheck disable=SC2086
	export_to torchtitan --layout=torchtitan --model=llama-3.1-8b --nodes=2 --tp=1 --pp=1 --zero-stage=3 $more
	# shellcheck disable=SC2086
	export_to torchtitan --layout=torchtitan --model=deepseek-v3 --nodes=16 --tp=1 --pp=1 --ep=8 --zero-stage=3 $more
done
ask torchtitan "$TORCHTITAN" torchtitan==0.2.2

# trainers TARGET: each method of tuning
trainers() {
	for layout in torchtitan deepspeed; do
		for more in --set=finetune.method=lora --set=finetune.method=dora --set=finetune.method=qlora \
		    --set=finetune.quantization=int8 --set=finetune.kernels=liger --set=finetune.target=qv \
		    --set=finetune.adapter_dtype=bf16 --recompute=full --zero-stage=2 --set=parallel.offload=optimizer \
		    --set=parallel.offload=optimizer+params --precision=fp16 --set=training.optimizer=adam8bit \
		    --set=training.offload_layers=32 --set=parallel.dp_replicate=2 --tp=2 --cp=2 --set=rl.algorithm=dpo \
		    --set=rl.algorithm=rm --set=rl.algorithm=grpo --set=rl.algorithm=dapo; do
			for method in full lora; do
				export_to "$1" --layout=$layout --model=llama-3.1-8b --nodes=2 --tp=1 --pp=1 --zero-stage=3 \
				    --micro-batch-size=1 --sequence-length=16384 --set=finetune.kernels=eager --set=finetune.method=$method \
				    --set=cluster.memory_gib=4096 "$more"
			done
		done
	done
	export_to "$1" --layout=torchtitan --model=llama-3.1-8b --nodes=2 --tp=1 --pp=1 --zero-stage=3 --sequence-length=16384 \
	    --set=finetune.kernels=eager --set=finetune.method=full --set=cluster.memory_gib=4096 --set=rl.algorithm=grpo \
	    --set=rl.placement=split --set=rl.rollout_gpus=8 --set=rl.staleness=1
}
for target in axolotl trl accelerate; do
	trainers $target
	case $target in
	axolotl) ask axolotl "$AXOLOTL" axolotl ;;
	trl) ask trl "$TRL" trl ;;
	accelerate) ask accelerate "$ACCELERATE" accelerate ;;
	esac
done
for algorithm in grpo dapo ppo dpo rm; do
	for more in '' --set=finetune.method=lora --set=finetune.method=qlora --zero-stage=2 --cp=2 --set=rl.staleness=1 \
	    --set=parallel.offload=optimizer --set=rl.offload=all; do
		# shellcheck disable=SC2086
		export_to openrlhf --layout=deepspeed --model=llama-3.1-8b --nodes=2 --tp=1 --pp=1 --zero-stage=3 \
		    --sequence-length=16384 --set=cluster.memory_gib=4096 --set=rl.algorithm=$algorithm $more
		[ "$more" != --set=rl.staleness=1 ] || export_to openrlhf --layout=deepspeed --model=llama-3.1-8b --nodes=2 \
		    --tp=1 --pp=1 --zero-stage=3 --sequence-length=16384 --set=cluster.memory_gib=4096 \
		    --set=rl.algorithm=$algorithm $more --set=rl.placement=split --set=rl.rollout_gpus=8
	done
done
ask openrlhf "$OPENRLHF" openrlhf
for zero in 0 1 2 3; do
	for more in '' --precision=fp16 --set=parallel.offload=optimizer --set=parallel.offload=optimizer+params \
	    --set=parallel.offload_to=nvme --pp=2 --set=training.offload_layers=32; do
		# shellcheck disable=SC2086
		export_to deepspeed --layout=deepspeed --model=llama-3.1-8b --nodes=2 --tp=1 --pp=1 --zero-stage=$zero $more
	done
done
ask deepspeed "$DEEPSPEED" deepspeed
for more in '' --pp=2 --zero-stage=0 --recompute=full --set=training.schedule=gpipe --cp=2 --model=llama-3.1-8b --ep=2; do
	# shellcheck disable=SC2086
	export_to nanotron --layout=nanotron --model=llama-2-7b --nodes=2 --tp=2 --pp=1 --zero-stage=1 $more
done
ask nanotron "$NANOTRON" nanotron
[ "$asked" -gt 0 ] || exit 77
finish
