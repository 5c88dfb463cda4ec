#!/bin/sh
# diagnose: the three questions, in text and JSON; what a run says is taken into the plan.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

cat >plan.cfg <<'PLAN'
# a comment
cluster: { nodes = 16; };
model: { preset = "llama-3.1-70b"; };
parallel: { tp = 8; pp = 8; };
training: { global_batch_size = 512; };
PLAN
# steps SECONDS [LINE]: a log of Megatron-LM with a line before
steps() {
	[ -z "$2" ] || echo "$2"
	for i in 1 2 3 4 5 6 7 8; do
		echo " iteration $i/ 100 | elapsed time per iteration (ms): ${1}000.0 | global batch size: 512 |"
	done
}

steps 17 >as.log
run 0 diagnose plan.cfg as.log
out_has '^files +as\.log: megatron, 8 lines$'
out_has '^step +16\.[0-9]+ s +17\.00 s .* as estimated \(\+-[0-9]+ %\)$'
out_has 'nothing is wrong with it$'
awk 'length($0) > 100' out | grep . && fail 'lines over 100 columns'

steps 24 >slow.log
run 1 diagnose plan.cfg slow.log
out_has '^step .* slower than the estimate'
out_has '^Causes, and what each explains of \+7\.[0-9]+ s$'
out_has '^  possible  '
out_has '^Look at +[a-z]'
out_has ' if so, [0-9.]+ .*by the$|by the plan\)$' # what each would show
out_has '^What the plan.s own settings cost$'
awk 'length($0) > 100' out | grep . && fail 'lines over 100 columns'

# a plan is one by what it says, whatever its name; a file that begins as none is read for what ran
cp out as.cfg
for first in '// a comment' 'name = "x";' ''; do
	{ printf '%s\n\n' "$first"; cat plan.cfg; } >plan.txt
	run 1 diagnose plan.txt slow.log
	cmp -s out as.cfg || fail 'another plan'
done
{ echo '12 is no setting'; cat plan.cfg; } >plan.txt
run 2 diagnose plan.txt slow.log
err_has '^plan\.txt: error: no line of a known program'

# how a run ended: what came first is told first, once a line, with what the plan takes of what ran out; words are a plan
{
	steps 24
	echo 'slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.'
	echo '[rank3]:[E ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)'
	echo 'E0602 torch.distributed.elastic.multiprocessing.api: failed (exitcode: -9) exitcode  : -9 local_rank: 5'
} >ended.log
run 0 diagnose plan.cfg ended.log --offload=optimizer --set training.precision_aware_optimizer=true
sed -n '/^How the run ended$/,/^The run was as fast/p' out >ended
sed -n '2p' ended | grep -q '^  a process was killed: .*: 2 lines$' || fail 'what came first is not told first'
grep -q '^    line     ended\.log:9 ".*oom_kill event' ended || fail 'no line of the end'
grep -q '^    plan     host memory [0-9.]* GiB of a GPU$' ended || fail 'nothing of the plan'
grep -q '^  a collective waited longer .*: 1 line$' ended || fail 'no timeout'
out_has '"\.\.\. \[Rank 3\] Watchdog caught collective' # quoted where it says so
run 1 diagnose llama-3.1-70b 16xh100 ended.log --json
out_has '^ *"id": "collective_timeout"'
out_has '^ *"lines": 2'
run 1 diagnose llama-3.1-70b 16xh100 as.log
out_has '^plan +llama-3\.1-70b on 16 h100'
run 2 diagnose llama-3.1-70b no.log
run 2 diagnose no.log as.log
err_has "'no\.log' is neither a file nor a word of a plan"
for words in 'Some modules are dispatched on the CPU or the disk.' 'CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***' \
	"{'loss': '0', 'grad_norm': 'nan'}" 'OSError: [Errno 28] No space left on device' \
	'CUDA error: an illegal memory access was encountered' 'CUDA runtime error in cudaMalloc: out of memory' \
	'STEP 7.0 CANCELLED DUE TO PREEMPTION' 'CANCELLED DUE TO NODE FAILURE, SEE SLURMCTLD LOG' \
	'NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.' 'NET/IB : Got completion from peer 10.0.0.1 with status=12' \
	'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.' \
	'(raylet) node_manager.cc:1: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed' \
	'RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.' 'traceback : Signal 9 (SIGKILL) received by PID 7' \
	'torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 1/2 clients joined.' \
	'RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error. It is possible that' \
	'ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).' \
	'AssertionError: world size (16) is not divisible by 32' 'RuntimeError: Engine core initialization failed. See root' \
	'RuntimeError: CUDA error: no kernel image is available for execution on the device' \
	'NCCLUtils.hpp:219, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.1' \
	'RuntimeError: CUDA error: device-side assert triggered' 'pair.cc:1] Connection closed by peer [10.0.0.1]:7' \
	'ValueError: Free memory on device (3.2/4.0 GiB) on startup is less than desired GPU memory utilization (0.9, 3.6 GiB)'; do
	echo "$words" >end.log
	run 1 diagnose plan.cfg end.log
	out_has '^How the run ended$'
	out_has '^    mend     '
	awk 'length($0) > 100' out | grep . && fail 'lines over 100 columns'
done

# GPUs that are no whole nodes, which no field says
steps 24 'using world size: 100, data-parallel size: 100' >odd.log
run 1 diagnose plan.cfg odd.log
out_has '^  parallel\.world +plan 128, run 100 +odd\.log:1$'
run 1 diagnose --json plan.cfg odd.log
out_has '"path": "parallel.world"'

# a line of the log states the cause
steps 40 'using torch.float32 for parameters ...' >float.log
run 1 diagnose plan.cfg float.log
out_has '^  certain   matrix products run in 32 bits'
out_has '^    line     float\.log:1 "using torch\.float32'
# and excludes another
steps 40 'n1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA' >rdma.log
run 1 diagnose plan.cfg rdma.log
out_has '^  excluded  NCCL sends between nodes over TCP sockets'

# lines name a cause, and no number says what it costs
echo 'n1:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>' >words.log
run 1 diagnose plan.cfg words.log
out_has '^Causes that lines name; no number tells what they cost$'
out_has '^  certain   NCCL sends between nodes over TCP sockets, not RDMA$'
grep -q '^ *plan +run' out && fail 'a table of no numbers'
echo 'torchrun --nnodes=2 train.py' >nothing.log
run 1 diagnose plan.cfg nothing.log
err_has '^shardplan: the files tell nothing that this plan estimates$'

# the plan is not the run's: told, and taken over when asked
sed 's/512/1024/' as.log >other.log
run 1 diagnose plan.cfg other.log
out_has '^The plan is not the run.s'
out_has '^  training\.global_batch_size +plan 512, run 1024   other\.log:1$'
run 1 diagnose --adopt plan.cfg other.log
grep -q 'global_batch_size = 1024;' plan.cfg || fail 'the batch is not adopted'
run 0 diagnose --set=global_batch_size=512 plan.cfg as.log

# a rate that no step reaches is not believed
for i in 1 2 3 4 5 6 7 8; do
	echo " iteration $i/ 100 | elapsed time per iteration (ms): 17000.0 | throughput per GPU (TFLOP/s/GPU): 1010.0 | global batch size: 512 |"
done >count.log
run 0 diagnose --set=global_batch_size=512 plan.cfg count.log
out_has '^Look at +an MFU of 102 % is not believed'

# seconds and TFLOP/s that make other FLOP than the plan's are of another job
for i in 1 2 3 4 5 6 7 8; do
	echo " iteration $i/ 100 | elapsed time per iteration (ms): 40000.0 | throughput per GPU (TFLOP/s/GPU): 410.0 | global batch size: 512 |"
done >work.log
run 1 diagnose --set=global_batch_size=512 plan.cfg work.log
out_has '^Look at +by its own time and TFLOP/s the run computes 2\.[0-9] times the plan.s FLOP a step'

# a difference between plan and run that makes the run faster is no cause of its being slower
sed 's/batch size: 512/batch size: 256/' slow.log >half.log
run 1 diagnose --set=global_batch_size=512 plan.cfg half.log
out_has '^  training\.global_batch_size +plan 512, run 256 '
grep -q 'the run is another one than the plan' out && fail 'half a batch explains no longer step'

# NCCL looks for NICs on one node too
{
	echo 'n1:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>'
	steps 400
} >alone.log
run 1 diagnose --nodes=1 --tp=8 --pp=1 --set=global_batch_size=512 --set=training.precision=fp8 --model=llama-3.1-8b alone.log
grep -q 'over TCP sockets' out && fail 'nothing crosses nodes'

# a certain cause that explains the difference leaves nothing to look at, and a release that slows other plans is
# not told
{
	echo 'n1:1:9 [0] NCCL INFO NCCL version 2.27.6+cuda13.0'
	echo 'n1:1:9 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>'
	steps 52
} >settled.log
run 1 diagnose --set=global_batch_size=512 plan.cfg settled.log
out_has '^  certain   NCCL sends between nodes over TCP sockets'
grep -qE '^Look at|release' out && fail 'all is settled'

# a power limit, with a plan and without
{
	echo 'index, power.draw [W], power.limit [W]'
	echo '0, 349.10 W, 350.00 W'
	steps 22
} >limit.log
run 1 diagnose --set=global_batch_size=512 plan.cfg limit.log
out_has '^  cluster\.gpu_power_watts +plan 0, run 350 +limit\.log:2$'
out_has '^  certain   a power limit holds the clocks down: '
run 1 diagnose --model=llama-3.1-70b --nodes=16 --tp=8 --pp=8 --global-batch-size=512 limit.log
out_has '^  certain   a power limit holds the clocks down: '

# what a busy GPU draws of its design power is no cause
{
	echo 'index, power.draw [W], clocks_event_reasons.active'
	echo '0, 695.10 W, 0x0000000000000004'
	steps 24
} >design.log
run 1 diagnose --set=global_batch_size=512 plan.cfg design.log
grep -q '^  certain' out && fail 'the design power is no certain cause'
sed 's/695/350/' design.log >capped.log
run 1 diagnose --set=global_batch_size=512 plan.cfg capped.log
out_has '^  certain   a power limit holds the clocks down'

# memory that ran out: what the run held, beside what the plan holds
cat >oom.log <<'LOG'
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.19 GiB of which 104.75 MiB is free. Including non-PyTorch memory, this process has 79.00 GiB memory in use. Of the allocated memory 66.00 GiB is allocated by PyTorch, and 9.87 GiB is reserved by PyTorch but unallocated.
LOG
run 1 diagnose plan.cfg oom.log
out_has '^  run    asked 2\.00 GiB  free 105 MiB  allocated 66\.0 GiB  reserved besides 9\.87 GiB$'
out_has '^  plan   parameters '
out_has '^  certain   memory is in pieces: reserved, and not allocated: 9\.87 GiB$'
out_has '^Out of memory: 1 time, last oom.log:1, rank 3: stage 0$'
out_has '^  first  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'
# of another GPU than the plan's, by its memory alone; graphs hold what the line says
sed 's/79.19 GiB/183.36 GiB/; s/by PyTorch, and/by PyTorch, with 20.50 GiB allocated in private pools (e.g., CUDA Graphs), and/' oom.log >big.log
run 1 diagnose plan.cfg big.log
out_has '^  cluster\.memory_gib +plan 79\.19, run 183\.4 '
out_has '^  certain   CUDA graphs hold memory of their own: 20\.50 GiB$'
# by phase, as the outermost call says it, and by stage: what gives room at least cost
sed 's/rank3/rank70/; s/9.87 GiB is reserved/100 MiB is reserved/' oom.log >late.log
{
	echo '[rank70]: Traceback (most recent call last):'
	echo '[rank70]:     loss.backward()'
	echo '[rank70]:     return self.forward(x)'
	cat late.log
} >phase.log
run 1 diagnose plan.cfg phase.log
out_has '^Out of memory: 1 time, last phase.log:4, in the backward pass, rank 70: stage 4$'
out_has '^  first  [a-z_.]+=[a-z0-9]+: [0-9.]+ GiB less, [+-][0-9.]+ m?s a step$'
run 2 diagnose plan.cfg /dev/null
echo 'Traceback (most recent call last):' >trace.log
run 2 diagnose plan.cfg trace.log

# another process holds the memory: that is told first, whatever the rest may be
cat >others.log <<'LOG'
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.19 GiB of which 104.75 MiB is free. Process 1234 has 30.00 GiB memory in use. Including non-PyTorch memory, this process has 47.00 GiB memory in use. Of the allocated memory 45.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.
LOG
run 1 diagnose plan.cfg others.log
grep -A 1 '^Causes' out | grep -q '^  certain   another process uses the GPU' || fail 'not the first cause'

# without a plan the built-in one, with what options set
run 0 diagnose --model=llama-3.1-70b --nodes=16 --tp=8 --pp=8 --global-batch-size=512 as.log

# or what the run tells of itself
{
	echo '------------------------ arguments ------------------------'
	for a in world_size=128 num_layers=80 hidden_size=8192 ffn_hidden_size=28672 \
	    num_attention_heads=64 group_query_attention=True num_query_groups=8 kv_channels=128 padded_vocab_size=128256 \
	    swiglu=True untie_embeddings_and_output_weights=True seq_length=4096 micro_batch_size=1 \
	    global_batch_size=512 tensor_model_parallel_size=8 pipeline_model_parallel_size=8 \
	    sequence_parallel=True use_distributed_optimizer=True; do
		echo "  ${a%=*} ....................... ${a#*=}"
	done
	echo '-------------------- end of arguments ---------------------'
	cat as.log
} >whole.log
run 0 diagnose whole.log
out_has '^plan .* 128 h100-sxm-80gb: TP 8, PP 8, DP 2$'
out_has '^step +16\.'
run 1 diagnose --tp=4 whole.log
out_has '^  parallel\.tp +plan 4, run 8 '

# an engine that finds no room says so in its own words
echo 'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.' >room.log
run 1 diagnose --mode=serve room.log
out_has '^  certain   weights and activations leave too little memory for the KV cache$'

# without a plan, and where nothing says the model, numbers stand beside none of a plan that nobody chose
run 1 diagnose room.log
out_has '^plan         none: '
out_has '^  certain   weights and activations leave too little memory for the KV cache$'
grep -q 'settings cost' out && fail 'what the settings of no plan cost'
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 388.00 MiB. GPU 0 has a total capacity of 9.68 GiB of which 95.75 MiB is free. Including non-PyTorch memory, this process has 9.54 GiB memory in use. Of the allocated memory 6.61 GiB is allocated by PyTorch, and 2.57 GiB is reserved by PyTorch but unallocated.' >alone.log
run 1 diagnose alone.log
out_has '^  allocated +6\.61 GiB$'
out_has '^  first  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'
grep -q 'than the estimate' out && fail 'an estimate of no plan'
run 1 diagnose --json alone.log
out_has '"planned": false'

echo "[rank6]:[E429 13:55:49.384372190 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 6] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives." >stuck.log
run 1 diagnose stuck.log
out_has "^  a rank's watchdog made no progress"

# an engine's log repeats its launch, release and all: that is the plan
cat >launch.log <<'LOG'
INFO 09-03 16:28:10 [api_server.py:1882] vLLM API server version 0.11.0
INFO 09-03 16:28:10 [utils.py:328] non-default args: {'model_tag': 'Qwen/Qwen3-32B', 'model': 'Qwen/Qwen3-32B', 'max_model_len': 32768, 'tensor_parallel_size': 2, 'gpu_memory_utilization': 0.92}
INFO 09-03 16:29:01 [gpu_model_runner.py:2653] Model loading took 30.59 GiB and 12.2 seconds
LOG
run 0 diagnose launch.log
out_has '^plan         qwen3-32b on 2 h100-sxm-80gb: TP 2, '
out_has '^weights +30\.59 GiB +30\.59 GiB '
err_has '^assumed cluster\.gpu = h100-sxm-80gb: the file does not say'
run 0 diagnose --gpu=h200-sxm-141gb launch.log
grep -q '^assumed cluster.gpu ' err && fail 'a GPU that was said is assumed'

# and the launch itself may stand in the place of the plan, whose release the log tells
echo 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-model-len 32768' >serve.sh
run 0 diagnose serve.sh launch.log
grep -q engine_version out && fail 'a release that nobody planned is held against the run'
run 1 diagnose --set=serving.engine_version=0.19 serve.sh launch.log
out_has '^  serving\.engine_version +plan 0\.19, run 0\.11\.0 +launch\.log:1$'
run 2 diagnose serve.sh
run 2 calibrate serve.sh launch.log
err_has 'fix: shardplan import LAUNCH -o PLAN\.cfg'

# steps that stand out at equal distances, and a run that gets slower, are told with what they cost
for i in $(seq 1 200); do
	ms=16700
	[ $((i % 20)) = 0 ] && ms=50100
	echo " iteration $i/ 200 | elapsed time per iteration (ms): $ms.0 | global batch size: 512 |"
done >spikes.log
run 0 diagnose --set=global_batch_size=512 plan.cfg spikes.log
out_has '"every 20 steps one takes 3 times as long: 10 % of the time"$'
for i in $(seq 1 200); do
	echo " iteration $i/ 200 | elapsed time per iteration (ms): $((14000 + 30 * i)).0 | global batch size: 512 |"
done >drift.log
run 0 diagnose --set=global_batch_size=512 plan.cfg drift.log
out_has '^Also seen +steps get slower over the run$'
run 0 diagnose --json --set=global_batch_size=512 plan.cfg drift.log
out_has '"tells": "steps get slower over the run"'

# what is of the machines goes into a file of its own, on which plans build
{
	echo '#  Rank  0 Group  0 Pid 1 on node0 device  0 [0000:04:00] NVIDIA H100 80GB HBM3'
	echo '#  Rank  1 Group  0 Pid 2 on node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3'
	echo '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong'
	echo '  1073741824     268435456     float     sum      -1   5500.1   95.00   178.00      0   5490.2   95.00   178.00      0'
	echo '# Avg bus bandwidth    : 100.0'
} >links.txt
run 1 diagnose -o machines.cfg --set=global_batch_size=512 plan.cfg slow.log links.txt
out_has '^Machines +calibration\.network_efficiency=0\.5$'
err_has '^shardplan: wrote machines\.cfg$'
grep -q 'network_efficiency = 0.5;' machines.cfg || fail 'the rate of the network is not in it'
grep -q '^[[:blank:]]nodes = ' machines.cfg && fail 'how many nodes there are is of the job'
printf 'base = "machines.cfg";\ncluster: { nodes = 2; };\n' >other.cfg
good estimate other.cfg
run 2 diagnose -o machines.cfg --set=global_batch_size=512 plan.cfg slow.log links.txt
err_has 'machines\.cfg: is there already'

run 1 diagnose --json --set=global_batch_size=512 plan.cfg float.log
if command -v jq >/dev/null; then
	jq -e '.files[0].kind == "megatron" and .within_error == false and
	    (.terms[] | select(.quantity == "step.seconds") | .measured == 40 and .verdict == "slower")
	    and (.causes[] | select(.id == "products_32bit") | .certainty == "certain" and
	    .set == {"training.precision": "fp32"} and .evidence[0].line == 1) and
	    (.settings | type == "array") and (.measure | length > 0)' out >/dev/null ||
	    fail 'JSON'
fi

# a table that begins with a line of its own, and one of which there is a part
printf '%s\n' '============ Serving Benchmark Result ============' 'Successful requests:      10' \
	'Mean TPOT (ms):           58.80' >table.txt
run 1 diagnose --mode=serve --model=llama-3.1-70b --nodes=1 --tp=8 table.txt
out_has '^time per output token +[0-9.]+ ms +58\.8 ms '
echo 'Mean TPOT (ms):           58.80' >part.txt
run 1 diagnose --mode=serve --model=llama-3.1-70b --nodes=1 --tp=8 part.txt

# what gzip packed is read as it stands, longer than a piece, in several members or cut off
awk 'BEGIN { srand(1); for (i = 0; i < 2500; i++) { s = ""; for (k = 0; k < 12; k++)
    s = s sprintf("%05x", int(rand() * 1048576)); print s } }' >noise
cat slow.log noise slow.log >long.log
run 1 diagnose --set=global_batch_size=512 plan.cfg long.log
sed 's/long\.log/packed.gz/' out >wants
gzip -c long.log >packed.gz
[ "$(wc -c <packed.gz)" -gt 65536 ] || fail 'it is not long'
"$PROG" diagnose --set=global_batch_size=512 plan.cfg packed.gz >out 2>err </dev/null
if ! grep -q 'is compressed (fix: pipe it through zcat)' err; then # built without zlib
	run 1 diagnose --set=global_batch_size=512 plan.cfg packed.gz
	cmp -s out wants || fail 'another diagnosis'
	{ gzip -c slow.log; cat noise slow.log | gzip -c; } >packed.gz
	run 1 diagnose --set=global_batch_size=512 plan.cfg packed.gz
	cmp -s out wants || fail 'another diagnosis of two members'
	gzip -c long.log | head -c 66000 >packed.gz
	run 1 diagnose --set=global_batch_size=512 plan.cfg packed.gz
	out_has '^files +packed\.gz: megatron, [0-9]+ lines$'
	{ gzip -c long.log; echo 'what a disk left behind'; } >packed.gz # gzip ignores that too
	run 1 diagnose --set=global_batch_size=512 plan.cfg packed.gz
	cmp -s out wants || fail 'another diagnosis with bytes behind it'
	[ "$(cat err)" = 'packed.gz: warning: what follows the part that gzip packed is ignored' ] || fail 'no note'
	{ gzip -c long.log | head -c -8; printf '\0\0\0\0\0\0\0\0'; } >packed.gz # sums that are not its own
	run 2 diagnose --set=global_batch_size=512 plan.cfg packed.gz
	err_has '^packed\.gz: error: can not be read: is not as gzip packs'
fi

# nothing to adopt, and nowhere to
run 0 diagnose --adopt --set=global_batch_size=512 plan.cfg as.log
out_has "^plan +is the run's as far as the files tell\$"
run 2 diagnose --adopt --nodes=16 --model=llama-3.1-70b --tp=8 --pp=8 --global-batch-size=1024 as.log
err_has '--adopt: the plan has no file'

# lines of Windows are counted as such
sed 's/$/\r/' slow.log >crlf.log
run 1 diagnose --set=global_batch_size=512 plan.cfg crlf.log
out_has '^files +crlf\.log: megatron, 8 lines$'
run 2 diagnose plan.cfg
err_has 'after the plan$'
run 2 diagnose -o - plan.cfg slow.log

echo hello >none.log
run 2 diagnose plan.cfg none.log
run 2 diagnose plan.cfg missing.log
run 2 diagnose
finish
