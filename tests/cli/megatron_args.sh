#!/bin/sh
# Exports through Megatron-LM's own parser and validation, of a checkout named in $MEGATRON, without
# PyTorch and GPUs (megatron_args.py). Any release from core 0.12 on: its exports are asked for.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

if [ -z "$MEGATRON" ]; then
	echo 'MEGATRON names no checkout of Megatron-LM: nothing was held against it'
	exit 77
fi
minor=$(sed -n 's/^MINOR = //p' "$MEGATRON/megatron/core/package_info.py")

mkdir bin
cat >bin/torchrun <<'S'
#!/bin/sh
world=$2 # --nnodes N --nproc-per-node N
printf '%s\n%s\n%s\n' "$((world * $4))" "$CUDA_DEVICE_MAX_CONNECTIONS" "$NVTE_CPU_OFFLOAD_V1"
while [ "$1" != pretrain_gpt.py ] && [ "$1" != pretrain_hybrid.py ]; do shift; done
shift
printf '%s\n' "$@"
S
chmod +x bin/torchrun

# line ARGUMENT...: one more command line, unless the export is refused
n=0
line() {
	if "$PROG" export --to=megatron --core="0.$minor" "$@" >script 2>err; then
		PATH=$PWD/bin:$PATH CUDA_DEVICE_MAX_CONNECTIONS='' bash script >"line-$n" 2>>err || fail "$*: does not run"
		echo "line-$n: $*" >>lines
		n=$((n + 1))
	fi
}
line
for model in llama-3.1-70b mixtral-8x7b deepseek-v3 qwen2.5-7b qwen3-30b-a3b gpt3-175b gpt-oss-20b nemotron-h-8b; do
	line --model=$model --nodes=16 --tp=4 --pp=2 --global-batch-size=256
	line --model=$model --nodes=16 --tp=1 --pp=1 --zero-stage=3 --global-batch-size=256
	line --model=$model --nodes=16 --tp=2 --cp=2 --pp=2 --vpp=2 --global-batch-size=256 --recompute=full
done
for set in precision=fp8 precision=mxfp8 precision=nvfp4 precision=fp16 precision=fp32 recompute=selective \
    cross_entropy=unfused cross_entropy=native cuda_graph=layer cuda_graph=full optimizer=muon optimizer=sgd \
    attention_kernel=cudnn attention_kernel=flash3 grad_dtype=bf16 tp_overlap=true offload_layers=2 \
    precision_aware_optimizer=true moments_dtype=bf16 overlap_grad_reduce=false flash_attention=false; do
	line --gpu=b200-sxm-180gb --set "training.$set"
	line --gpu=b200-sxm-180gb --model=mixtral-8x7b --ep=4 --tp=2 --set "training.$set"
done
for set in moe_dispatcher=allgather moe_dispatcher=deepep moe_dispatcher=hybridep offload=optimizer zero_stage=2 \
    zero_stage=0 dp_replicate=2 cp_comm=a2a etp=1; do
	line --model=mixtral-8x7b --ep=4 --tp=2 --cp=2 --pp=1 --nodes=4 --set "parallel.$set"
done
line --set parallel.pipeline_layout='Et*8|t*8|t*8|t*8,L'
line --first_stage_layers=7 --set parallel.last_stage_layers=9
[ "$n" -gt 10 ] || fail "only $n exports"
python3 "$TOP/tests/cli/megatron_args.py" "$MEGATRON" line-* >out 2>err
case $? in
77) cat err; exit 77 ;;
0) cat out ;;
*)
	while IFS=: read -r name words; do
		grep "^$name: " out | sed "s/^line/$words: line/"
	done <lines
	fail "core 0.$minor refuses exports"
	;;
esac
finish
