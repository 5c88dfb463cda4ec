#!/bin/sh
# search: what it lists is what estimate says, whatever the threads; inverse questions; what it
# refuses, and what it says where nothing is found.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# Each result of the last search as a line of options, and its numbers as estimate has them.
cat >compare.py <<'PY'
import json, os, subprocess, sys

program, *plan = sys.argv[1:]
doc = json.load(open("out"))
assert doc["decided"] == doc["illegal"] + doc["over_memory"] + doc["evaluated"], doc
assert doc["space"] == doc["cut"] + doc["decided"] and doc["left"] == 0, doc
assert doc["results"], "nothing found"
tight = 0
for r in doc["results"]:
    options = ["--set=%s=%s" % (p, json.dumps(v).strip('"')) for p, v in r["set"].items()]
    run = subprocess.run([program, "estimate", "--json", *plan, *options], capture_output=True,
                         text=True)
    e = json.loads(run.stdout)
    assert e["legal"] and e["fits"] and r["tight"] == e["tight"], r
    tight += e["tight"]
    serves = e["mode"] == "serve"
    part = e["serving" if serves else "rl" if "rl" in e else "step"]
    mine = [r["seconds"], r["tokens_per_second_per_gpu"], r["gpus"], r["peak_bytes"], r["capacity"]]
    peak = part["peak_bytes"] if "rl" in e else e["peak"]["total"]
    time = "tpot_seconds" if serves else "step_seconds" if "rl" in e else "seconds"
    other = [part[time], part["tokens_per_second_per_gpu"], e["parallel"]["world"], peak,
             e["capacity"]]
    assert mine == other, (mine, other, options)
for a, b in zip(doc["results"], doc["results"][1:]):
    assert len(a["objective"]) > 1 or a["why"] != "", a
    assert "ahead" not in a or 0.5 < a["ahead"] < 1, a
assert (tight > 0) == (os.environ.get("TIGHT") is not None), tight
PY
compare() {
	python3 compare.py "$PROG" "$@" >why 2>&1 || { fail 'results are not those of estimate'; tail -n 3 why; }
}

# tells EXPRESSION: of d, the answer in JSON that was printed last.
tells() {
	python3 -c 'import json, sys; d = json.load(open("out")); assert eval(sys.argv[1]), d' "$1" >why 2>&1
}
# a space that is tried whole in no time
few='--fix=switches --fix=cp --fix=vpp --fix=pipeline_layout --fix=recompute --fix=zero_stage'
budget=--set=training.token_budget=1000

# What is listed is what estimate says, and the same for any number of threads.
results() {
	good search --json
	compare
	good search --json --objective=memory,time --pareto
	compare
	good search --json --model=mixtral-8x7b --fix=etp --objective=tokens
	compare --model=mixtral-8x7b
	good search --fix=parallel.ep --fix=parallel.etp
	run 1 search --nodes=1 --model=qwen3-8b --sequence-length=131072 --set=training.recompute=full
	err_has 'no combination is legal: sequence length .* \(fix: model.max_position=131072\)$'
	# an uneven number of nodes: the nearest batch that all can share, and what it costs
	run 1 search --model=llama-3.1-8b --nodes=11 --gbs=64 --fix=pp --fix=cp
	err_has 'no combination is legal: global batch 64 is not a multiple .*(fix: training.global_batch_size=66)'
	err_has '^shardplan: hint: --global-batch-size=66, 3.12 % more tokens a step, is a batch that all nodes can share: [0-9]+ tokens a second on each GPU$'
	good search --model=llama-3.1-8b --nodes=11 --gbs=64 --fix=pp --fix=cp --global-batch-size=66
	printf 'cluster: { nodes = 7; };\nmodel: { preset = "llama-3.1-70b"; };\nparallel: { tp = 2; pp = 4; };\n' >seven.cfg
	run 0 search seven.cfg
	err_has '--global-batch-size=63, 1.56 % fewer tokens a step, .* [0-9]+ tokens a second on each GPU instead of [0-9]+$'
	# with phases the numbers are those of the whole step, none of the trainer's alone
	# shellcheck disable=SC2086
	good search --json --set=rl.algorithm=grpo --set=rl.offload=all $few
	compare --set=rl.algorithm=grpo --set=rl.offload=all
	# shellcheck disable=SC2086
	good search --set=rl.algorithm=grpo --set=rl.offload=all $few --top=1
	out_has '^rank .* RL step +rollouts +updates +per GPU +GPUs +memory +binds$'
	out_has ' rollout$'
	out_has '^From the plan: rl.step_seconds .* less train'
	good search --json "$TOP/share/plans/serve-deepseek-v3.cfg"
	compare "$TOP/share/plans/serve-deepseek-v3.cfg"
	good search --json --free=cluster.gpu=h100-sxm-80gb,h200-sxm-141gb,b200-sxm-180gb --top=3
	compare

	# what may not fit is listed only on demand, and marked
	large='--model=llama-3.1-70b --nodes=4 --sequence-length=8192'
	# shellcheck disable=SC2086
	{
		good search --json $large --fix=recompute --top=20
		compare $large
		good search --json --tight $large --fix=recompute --top=20
		TIGHT=1 compare $large
		good search --tight $large --fix=recompute --top=20
	}
	out_has ' of 79\.2 GiB, tight '
	out_has '^The plan itself does not qualify: it does not fit$'
	run 1 search "$TOP/share/plans/llama-3.1-405b-8k.cfg" --free=vpp=8 --fix=tp --fix=cp --fix=pp --fix=zero_stage --fix=micro_batch_size --fix=recompute
	err_has 'may fit: --tight lists them'

	# the same for any number of threads
	for n in 1 2 7; do
		good search --threads=$n --top=30
		sed '$d' out >threads.$n
	done

	about 'threads'
	cmp threads.1 threads.2 && cmp threads.1 threads.7 || fail 'the ranking depends on threads'

	# the best of all is as good as any other that is asked for by name
	about 'one thing is best'
	fastest=$("$PROG" search --json --top=1 | sed -n 's/.*"rank": 1,.*"seconds": \([0-9.]*\),.*/\1/p')
	named=$("$PROG" search --json --free=tp=1 --free=micro_batch_size=1 --fix=recompute --top=1 |
	    sed -n 's/.*"rank": 1,.*"seconds": \([0-9.]*\),.*/\1/p')
	[ -n "$fastest" ] && [ "$fastest" = "$named" ] || fail "$fastest is not $named"
	good search --top=5
	out_has '^Certainty: 1 is ahead of [2-5] in 5[0-9] %.* of measured pairs that were predicted to differ as much$'
}

# Questions that have names.
questions() {
	about 'questions with names are searches that are written out'
	good search deadline 30d 1T --model=llama-3.1-8b --global-batch-size=512 --top=1
	head -n 1 out >first
	grep -q '^deadline 30d 1T: --objective=gpus ' first || fail 'the question is not written out'
	sed -n '/^rank/,/^$/p' out >answer
	sed 's/^[^:]*: *//' first | tr ' ' '\n' | tr -d "'" >words
	xargs "$PROG" search --model=llama-3.1-8b --global-batch-size=512 --top=1 <words | sed -n '/^rank/,/^$/p' >same
	cmp answer same || fail 'it is not the search that it prints'
	good search budget 1M 100B --model=llama-3.1-8b --nodes=8 --global-batch-size=512 --set=cluster.gpu_hour_price=2 --fix=tp --fix=pp --fix=cp --top=1
	out_has "^budget 1M 100B: .*--where='cost<=1000000' "
	run 2 search deadline 30d
	err_has 'how long is the run'
	run 2 search deadline 30d 1T nosuch.cfg
	err_has "nosuch\.cfg: error: can not be opened"
	run 2 search slo ttft=1s --mode=train
	err_has 'fix: --mode=serve'
	good search slo ttft 1s tpot=30ms --mode=serve --model=llama-3.1-70b --nodes=1 --top=1
	out_has '^slo ttft 1s tpot=30ms: --objective=tokens '
	run 2 search slo rate=20 --mode=serve
	err_has 'which limits'
	run 2 search slo ttft=1parsec --mode=serve
	err_has 'a limit is a time'
	run 2 search slo ttft=1s rate=none --mode=serve
	err_has 'rate=none: not a number'
	# at a rate the fewest GPUs; what is found keeps the limits, with fewer nodes nothing does
	cat >rate.cfg <<'PLAN'
mode = "serve";
model: { preset = "llama-3.1-70b"; };
serving: { weight_dtype = "fp8"; };
traffic: { mix = "rag"; };
PLAN
	good search slo ttft=1s tpot=30ms rate=20 --free=cluster.nodes=1..4 --top=1 rate.cfg
	out_has '^Workload: llama-3.1-70b, 20 requests a second, '
	sed -n 's/^Options of 1: //p' out >options
	fewest=$(sed 's/.*--nodes=\([0-9]*\).*/\1/' options)
	xargs "$PROG" estimate --json rate.cfg <options >found.json
	python3 - found.json <<'PY' || fail 'the limits are missed'
import json, sys
s = json.load(open(sys.argv[1]))["serving"]
sys.exit(not (s["ttft_within"] <= 1 and s["tpot_within"] <= .03 and s["rate_in_limits"] >= 20))
PY
	run 1 search slo ttft=1s tpot=30ms rate=20 --free=cluster.nodes=1..$((fewest - 1)) --top=1 rate.cfg
	# so does the question without nodes, or with nodes that are free; the plan has limits of its own
	for free in '' --free=cluster.nodes; do
		good search slo ttft=1s tpot=30ms rate=20 $free --top=1 rate.cfg
		out_has "^Options of 1: --nodes=$fewest "
	done
	good search slo --top=1 --set=traffic.rate=20 --set=traffic.ttft_limit=1 --set=traffic.tpot_limit=0.03 rate.cfg
	out_has "^Options of 1: --nodes=$fewest "
	# which it asks by itself; an objective is another question
	cp out asked
	good search --top=1 --set=traffic.rate=20 --set=traffic.ttft_limit=1 --set=traffic.tpot_limit=0.03 rate.cfg
	sed '$d' out >new
	sed '$d' asked | cmp - new || fail 'a service with limits asks for something else'
	good search --top=1 --set=traffic.rate=20 --set=traffic.ttft_limit=1 --objective=memory rate.cfg
	out_lacks '^slo'
	# of pools, which have a script each on nodes of their own, none is started as if it were all
	good search slo ttft=1s tpot=30ms rate=20 --free=cluster.nodes=4 --free=serving.prefill_workers=4xtp4 --top=1 rate.cfg
	out_has ' --to=vllm -o try1$'
	out_has 'export --to=vllm-bench'
	good search --top=1 --set=traffic.tpot_limit=0.03 --fix=pp rate.cfg
	out_has '^slo: --objective=tokens '
	good search slo ttft=2s rate=1 --free=cluster.nodes=1 --price=h100-sxm-80gb=2.5 --top=1 \
	    --objective=serving.cost_per_million_tokens rate.cfg
	out_has 'serving.cost_per_million_tokens'
	good search cheapest h100-sxm-80gb,h200-sxm-141gb --price=h100-sxm-80gb=2.5,h200-sxm-141gb=3.5 --top=1
	out_lacks 'nobody knows cost'
	run 2 search cheapest h100-sxm-80gb,h200-sxm-141gb
	err_has 'nobody knows cost: set cluster\.gpu_hour_price, or --price=GPU=MONEY'
	run 2 search cheapest h100-sxm-80gb --price=h100=2.5,nosuch=1
	err_has "--price 'nosuch': the catalogue has no such GPU"
	good search spare 1 --nodes=4 --top=1
	out_has '^Options of 1: --nodes=3 '
	good search spare --nodes=4 --set=cluster.dead_nodes=1-2 --top=1
	out_has '^Options of 1: --nodes=2 '
	run 2 search spare --nodes=4 --set=cluster.dead_nodes=1-2 --set=run.spare_nodes=2
	err_has 'how many nodes fewer'
	# a model of the last two years, not the largest that ever was
	good search largest model "$TOP/share/plans/lora-llama-3.1-8b-24gb.cfg" --top=1
	out_has '^ +1 +eurollm-9b '
	run 1 search largest model --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 --set=cluster.memory_gib=1
	err_has '--free=model.preset tries all'
	good search --json fewest --top=1
	tells 'd["question"] == "fewest" and d["asks"].startswith("objective=gpus")' || fail 'not in JSON'
}

# What is said beside the list.
words_about() {
	about 'the workload, and a batch that is too small for the GPUs'
	# shellcheck disable=SC2086
	"$PROG" search --model=qwen3-30b-a3b --nodes=8 --top=1 $few >out 2>err || fail 'exit status'
	out_has '^Workload: qwen3-30b-a3b, 64 sequences of 4,096 tokens a step, 262,144 tokens$'
	err_has 'hint: nobody chose the batch, and 64 sequences are few for 64 GPUs: --global-batch-size=256 has '
	# shellcheck disable=SC2086
	"$PROG" search --model=qwen3-30b-a3b --nodes=8 --top=1 $few --global-batch-size=64 >out 2>err || fail 'exit status'
	[ ! -s err ] || fail 'a batch that was chosen is left alone'

	good search --json --model=llama-3.1-8b --mode=serve --rate=4 --nodes=1 --free=tp --top=1
	tells 'd["workload"]["rate"] == 4 and "concurrency" not in d["workload"]' || fail 'another workload in JSON'

	about 'plans to try'
	cat >try.cfg <<'PLAN'
cluster: { nodes = 4; };
training: { cross_entropy = "native"; };
PLAN
	good search try.cfg --global-batch-size=96
	out_has '^Try these, of different kinds, for 20 steps:$'
	cp out tried
	sed -n 's/^ *\(shardplan export .*\) && bash .*/\1/p' tried >commands
	[ "$(wc -l <commands)" -ge 2 ] || fail 'hardly any is launched'
	PATH=$(dirname "$PROG"):$PATH sh -e commands 2>why || fail 'a command fails'
	# Sharding over one GPU is another word for the same run: nothing to measure.
	good search --gpu=rtx-4090 --nodes=1 --gpus-per-node=1 --model=qwen3-0.6b --free=parallel.zero_stage
	out_lacks 'no term differs'
	[ -s try1.sh ] && [ -s try2.sh ] || fail 'a command writes nothing'
	grep -q -e '--train-iters 20' try1.sh || fail 'not for 20 steps'
	grep -q -e '--log-interval 1 --log-throughput --timing-log-level 1' try1.sh || fail 'no step of them is logged'
	# the first one's command is the first plan
	sed -n 's/^Options of 1: *//p' tried | tr ' ' '\n' | while read -r option; do
		head -n 1 commands | grep -qF -e " $option " || fail "no $option in the first command"
	done
	# what launches the plan so that it fits, of its own framework; a step count of what is trained; else why none does
	good search --top=1 --set=parallel.layout=torchtitan --model=llama-3.1-8b --nodes=1 --threads=1
	out_has ' --to=torchtitan-python -o try1 '
	good search dpo llama-3.1-8b 8xa100 --threads=1
	out_has ' --to=nemo-rl .* dpo.max_num_steps=20$'
	good search --top=1 --set=finetune.method=qlora --model=llama-3.1-8b --gpu=rtx-4090 --nodes=1 --free=parallel.cp=4 --threads=1
	out_has '^      no target of export launches it: CP 4: TRL splits no sequence and no layer$'
	good search --json try.cfg --global-batch-size=96
	tells 'len(d["try"]) >= 2 and d["try"][0]["rank"] == 1 and all(t["why"] != "" and (t["options"] == "" or t["options"].startswith("--")) for t in d["try"])' ||
	    fail 'no try in JSON'

	about 'warnings of the first'
	two='--nodes=4 --model=llama-3.1-70b --zero-stage=3 --pp=1 --fix=pp --fix=cp --fix=vpp --fix=pipeline_layout --fix=zero_stage
	    --fix=recompute --fix=micro_batch_size --fix=switches --fix=dp_replicate --objective=memory'
	# shellcheck disable=SC2086
	good search $two --tp=8 --free=tp=8,16
	out_has '^check warns of 1: TP 16 crosses the network.*; 2 is the first without a warning$'
	# shellcheck disable=SC2086
	good search $two --tp=8 --free=tp=16
	out_has '^check warns of 1: .*; none that is listed is without a warning$'
	# shellcheck disable=SC2086
	good search $two --tp=8 --free=tp=8
	out_lacks 'check warns'
	about 'what the plan itself is warned of is no news'
	# shellcheck disable=SC2086
	good search $two --tp=16 --free=tp=8,16
	out_lacks 'check warns'
	about 'how certain the ranking is, by times alone'
	good search --json --top=9
	out_has '"ahead": 0\.[5-9]'
	good search --json --top=9 --objective=memory
	out_lacks '"ahead"'
	good search --json --top=9 --objective=gpus,memory --pareto --free=nodes=1..4
	about 'of several objectives the later break ties'
	# shellcheck disable=SC2086
	good search --json --top=20 --objective=gpus,memory --free=nodes=1..2 $few
	tells '(lambda r: r == sorted(r) and r[0][0] == 8)([[r["gpus"], r["peak_bytes"]] for r in d["results"]])' || fail 'not in that order'
}

# What a search finds beside the fastest plan.
inverse() {
	# inverse questions: fewest GPUs for a deadline, longest sequence, cheapest GPU
	good search $budget --free=cluster.nodes=1..16 --objective=gpus --where='step.training_seconds<=30d' --top=1
	out_has '^1 before 2: '
	out_lacks '^1 before 2: .* GPUs instead' # of another plan of as many
	good search $budget --objective=gpus --free=cluster.nodes=8,16 --fix=tp --fix=cp --fix=pp --fix=vpp --fix=pipeline_layout --fix=zero_stage --fix=micro_batch_size --fix=recompute --fix=switches --fix=dp_replicate
	out_has '^1 before 2: 64 GPUs instead of 128$'
	good search --free=training.sequence_length=8k,16k --objective=training.sequence_length --fix=tp --fix=cp --fix=pp --fix=vpp --fix=pipeline_layout --fix=zero_stage --fix=micro_batch_size --free=recompute=full --fix=switches --fix=dp_replicate
	out_has '^1 before 2: sequence length 16384 instead of 8192$'
	good search $budget --free=cluster.nodes=1..16 --objective=gpus --where='step.training_seconds<=30d' --top=1
	out_lacks '^Certainty' # GPUs are counted, not estimated
	out_has '^Options of 1: --nodes=6 ' # no power of two
	run 1 search $budget --nodes=4 --where='step.training_seconds<=30d'
	err_has 'of those that fit do not have step\.training_seconds<=30d'
	err_has 'nearest:.*step\.training_seconds'
	good search --free=training.sequence_length --objective=training.sequence_length --top=1
	out_has ' --sequence-length=131072'
	run 2 search --objective=cost
	err_has 'search: nobody knows cost: set cluster\.gpu_hour_price'
	run 2 search --where='run.days<=3'
	err_has 'search: nobody knows run\.days: set training\.token_budget'
	# shellcheck disable=SC2086
	good search --objective=cost --set=cluster.gpu_hour_price=2.5 $few --free=gpu=h100-sxm-80gb,h200-sxm-141gb --top=1
	out_has '^Not ranked: of [0-9]* nobody knows cost: set cluster\.gpu_hour_price, of several GPU types'
	good search --objective=cost --set=cluster.gpu_hour_price=2.5 --top=1
	out_lacks '^Not ranked'
	out_has '^rank .* cost .*'

	# one change away
	good search --around
	out_has '^From the plan: step\.seconds [0-9.]* s -> '
	out_lacks '^Options of 1: --.* --'
	good search --around=2
	out_has '^Options of 1: --[^ ]* --[^ ]*$'

	# fine-tuning, as the examples of the manual: the largest model on one card, on a node, and the
	# fastest plan on one and on eight
	cp "$TOP/share/plans/lora-llama-3.1-8b-24gb.cfg" lora.cfg
	good search lora.cfg --free=preset --objective=params.total --top=1
	out_has '^ +1 +gemma-2-9b '
	good search lora.cfg --free=preset --objective=params.total --top=1 --set=finetune.method=qlora
	out_has '^ +1 +opt-30b '
	good estimate lora.cfg --model=gemma-2-9b
	out_has '^peak .*: fits$'
	good search --nodes=1 --set=finetune.method=lora --free=preset --fix=vpp --objective=params.total --top=1
	out_has '^Options of 1: --model='
	for nodes in 1 8; do
		good search --nodes=$nodes --model=llama-3.1-70b --set=finetune.method=lora --top=1
		out_has '^Options of 1: --'
	done

	# pools that prefill and decode, by their ratio; none of the first is one of the values
	pools=$TOP/share/plans/serve-deepseek-v3.cfg
	good search --json "$pools" --nodes=4 --free=serving.prefill_workers=,1xtp8,2xtp8 --top=99
	for pool in '' 1xtp8 2xtp8; do
		out_has "\"serving.prefill_workers\": \"$pool\""
	done
	compare "$pools" --nodes=4

	# which nobody has to list: as many as the work takes, wider than a node where that has no room for the experts
	good search --json slo ttft=1s tpot=30ms rate=20 --mode=serve --model=llama-3.1-405b --gpu=b200-sxm-180gb --nodes=32 --top=1
	out_has '"serving.prefill_workers": "1[0-9]xtp8"'
	# what the question sets is no column
	good search slo ttft=1s tpot=30ms rate=20 --mode=serve --model=llama-3.1-8b --nodes=2 --top=2
	out_has '^rank .* GPUs '
	out_lacks 'rate  TTFT limit|TPOT limit'
	good search slo ttft=1s tpot=30ms rate=20 --mode=serve --model=kimi-k2 --gpu=gb200 --nodes=8 --top=1
	out_has ' --set=serving\.prefill_workers=[0-9]+x[td]p(8|16|32) '
	# one GPU has no room for them, and DP attention in vLLM is TP 1: no name of it stands beside that
	good search slo ttft=1s tpot=30ms rate=20 --mode=serve --model=deepseek-v3 --gpu=h200-sxm-141gb --nodes=8 --top=20
	out_lacks 'xtp[14] |DP attention'
}

# What an interrupted search found; on a terminal a line says how far it is.
interrupted() {
	about 'an interrupted search'
	python3 - "$PROG" >out 2>&1 <<-'END' || fail 'does not tell what it found'
		import json, os, pty, signal, subprocess, sys
		def interrupted(told, *words):
		    """What a search says that is interrupted once the terminal was told that, and its status."""
		    terminal, other = pty.openpty()
		    p = subprocess.Popen([sys.argv[1], "search", "--gpu=h100-sxm-80gb", "--nodes=256", "--model=deepseek-v3",
		        "--global-batch-size=15360", *words], stdout=subprocess.PIPE, stderr=other)
		    os.close(other)
		    line = b""
		    while not all(part in line for part in told):
		        line += os.read(terminal, 4096)
		    p.send_signal(signal.SIGINT)
		    return p.stdout.read(), p.wait()
		text, status = interrupted([b"best step.seconds", b" left", b" of "], "--json")
		found = json.loads(text)
		assert status == 130 and found["complete"] is False and found["results"], found
		assert found["left"] > 0 and found["space"] == found["left"] + found["cut"] + found["decided"], found
		text, status = interrupted([b"best step.seconds"])
		assert status == 130 and b" not come to, " in text, text
	END
}

# Each takes long: with sanitizers one of three, another one for each $MONKEY_SEED (lib.sh).
if in_share 0; then results; fi
if in_share 0; then questions; fi
if in_share 1; then words_about; fi
if in_share 1; then inverse; fi
if in_share 2; then interrupted; fi

# nothing found
run 1 search --model=llama-3.1-405b --nodes=1
no_out
err_has 'no plan found: of [0-9]* legal combinations looked at [0-9]* do not fit in memory'
err_has 'nearest: .* of 79\.2 GiB\)'
# a word that says nothing of either is told, not left out: "by 32 January" was 32 days
run 2 search by 32 January 1T llama-3.1-8b
err_has "^shardplan: search by: 'January' is neither a word of this question nor of a plan"
run 2 search deadline 30d foo 1T llama-3.1-8b
err_has "^shardplan: search deadline: 'foo' is neither "
# sentences
good search can i train llama-3.1-70b on 8xh100 --top=1
out_has '^Workload: llama-3.1-70b, '
run 1 search does llama-3.1-70b fit on 2xa100
err_has '^shardplan: nothing on these GPUs fits; adapters do: '
good search how long does it take to train llama-3.1-8b 256xh100 15T gbs1024 --top=1
out_has '^how long.*: --objective=run\.days$'
run 2 search how long llama-3.1-8b 256xh100
err_has 'nobody knows run\.days: set training\.token_budget'
good search lowest latency qwen3-32b 8xh100 --top=1
out_has ' TPOT .* TTFT '
good search p95 ttft under 1s at 5 rps llama-3.1-8b 1xh100 --top=1
out_has '^p95 ttft .*--free=traffic\.percentile=95 '
# what fits instead is told as check tells it
run 1 search finetune qwen3-8b on one 4090
err_has '^shardplan: nothing on these GPUs fits; adapters do: --set=finetune\.method=lora .* GiB of 23\.5 GiB, '
err_has '^shardplan: needs at least [0-9]+ nodes of these: --nodes='
run 1 search --model=llama-3.1-8b --where='step.seconds<=1ms' --nodes=2
err_has '^shardplan: that is of llama-3.1-8b, 64 sequences of 4,096 tokens a step, 262,144 tokens: nobody said how many'
run 1 search --global-batch-size=7 --fix=tp --fix=cp --fix=pp --free=micro_batch_size=2
err_has 'no combination is legal: global batch 7 is not a multiple of '
run 1 search --layout=megatron --nodes=1 --gpus=2 --gpu=rtx-4090 --set=finetune.method=qlora
err_has 'no combination is legal: Megatron and nanotron have no linear layer that keeps'

# a condition may have blanks
good search --where='peak.total <= 70 GiB' --top=1
# shellcheck disable=SC2086
run 1 search --where='peak.total <= 1 GiB' $few

# a limit on the other side of 0 than the value
# shellcheck disable=SC2086
run 1 search --where='peak.total<=-1GiB' $few
no_out
# shellcheck disable=SC2086
good search --json --free=calibration.memory_bias_gib=-1,1 --where='calibration.memory_bias_gib>=0.5' $few
out_lacks '"calibration\.memory_bias_gib": -1'

# refused
bad_usage "--free 'nope': unknown field" search --free=nope
grep -q 'did you mean' err && fail 'half of the letters wrong is no slip'
bad_usage "--free 'parallel\.tq': unknown field \(did you mean parallel\.tp\?\)" search --free=parallel.tq
bad_usage "--free 'bf15': unknown name: one of fp32" search --free=training.precision=bf15
bad_usage 'catalogue has no GPU \(did you mean h100-sxm-80gb' search --free=gpu=h100-sxm-80g
bad_usage '--fix training\.precision: it is not free' search --fix=training.precision
bad_usage 'say which values of this text, parallel\.order=A,B' search --free=parallel.order
good search --json --free=parallel.order=tp-cp-ep-dp-pp,tp-cp-ep-pp-dp --fix=recompute --top=99
out_has '"parallel.order": "tp-cp-ep-dp-pp"'
out_has '"parallel.order": "tp-cp-ep-pp-dp"'
compare
good search --json --fix=pp --fix=vpp --free='parallel.pipeline_layout=Et*7|(t*8|)*2t*9L,Et*8|(t*8|)*3L'
compare
bad_usage "unknown|pipeline_layout|'x'" search --free='parallel.cp_comm=x'
bad_usage "'step\.second' is no objective, result or field \(did you mean step\.seconds" search --objective=step.second
bad_usage "'fewst' is no question, no file and no word of a plan .did you mean fewest" search fewst
bad_usage "'nicest' is no question, no file and no word of a plan .'shardplan help search'" search nicest
bad_usage "'cots' is no objective, result or field \(did you mean cost" search --objective=cots
# an empty value is named, wherever it stands
bad_usage '--objective: the value is empty \(fix: --objective=NAME' search --objective=
for objective in time, ,time; do
	bad_usage "--objective: '' is no objective, result or field" search --objective="$objective"
done
for values in '' 1, ,2 .. 1.. ..8; do
	bad_usage "--free parallel\.tp: a value is missing, write parallel\.tp=A,B" search \
	    --free=parallel.tp="$values"
done
bad_usage '--free cluster\.gpu: a value is missing' search --free=gpu=h100-sxm-80gb,
bad_usage "--free '': unknown field" search --free=
bad_usage "--fix '': unknown field" search --fix=
bad_usage '--where: the value is empty \(fix: --where=CONDITION' search --where=
bad_usage "--where 'peak\.total<=': '' is no number" search --where='peak.total<='
bad_usage '--to: the value is empty \(fix: --to=TARGET' export --to=
bad_usage '--core: the value is empty \(fix: --core=VERSION' export --core=
bad_usage "--set '': write PATH=VALUE" check --set=
bad_usage 'serving\.ttft_seconds is a result of serve mode' search --where='serving.ttft_seconds<=2'
bad_usage 'neither more nor less of parallel\.dp is better' search --objective=parallel.dp
bad_usage 'write PATH<=VALUE' search --where=peak.total
bad_usage "peak\.total takes no unit 'h'" search --where='peak.total<=70h'
bad_usage "'7 0GiB' is no number" search --where='peak.total<=7 0GiB'
bad_usage "--around: '33' is not a whole number from 1 to 32" search --around=33
bad_usage "--top: '0' is not" search --top=0
# a table for spreadsheets says what JSON says
run 0 search --nodes 2 --free parallel.tp=1,2 --top 3 --json
mv out search.json
run 0 search --nodes 2 --free parallel.tp=1,2 --top 3 --format=csv
mv out search.csv
: >out
python3 - >out 2>&1 <<-'END' || fail 'csv and json differ'
	import csv, json
	rows = list(csv.DictReader(open("search.csv")))
	found = json.load(open("search.json"))["results"]
	assert len(rows) == len(found) == 3
	for r, f in zip(rows, found):
	    assert int(r["rank"]) == f["rank"] and float(r["step.seconds"]) == f["seconds"]
	    for path, value in f["set"].items():
	        assert r[path] == (str(value).lower() if isinstance(value, bool) else str(value)), path
END
# a pool of rollouts that nobody uses makes no other plan
run 0 search "$TOP/share/plans/grpo-qwen2.5-7b.cfg" --free rl.placement --free rl.rollout_gpus=0,4,8 \
    --fix vpp --fix zero-stage --top=500 --format=csv
grep -q '^[0-9]*,colocated,0,' out && grep -q '^[0-9]*,split,4,' out || fail 'a placement is missing'
if grep '^[0-9]*,colocated,[1-9]' out; then fail 'one plan twice'; fi
# no two columns are called alike
run 0 search --set finetune.method=lora --free finetune.rank=8,32 --nodes=1
out_has '^rank +LoRA rank '
bad_usage 'groups prints text or hash' groups --format=csv
bad_usage 'search prints text or csv' search --format=hash
# Groups of fields by name.
good search $budget --free=switches --top=3
out_has '^Options of 1:.* --set=training.tp_overlap=true'
out_lacks ' --tp=\| --micro-batch-size='
good search $budget --free=sizes --top=3
out_has '^Options of 1:.* --tp='
out_lacks 'tp_overlap'
good search $budget --free=recompute=none,full --free=switches --fix=switches --top=3
out_lacks 'tp_overlap'
bad_usage 'sorts' search --free=sorts
about 'sizes that a search tries'
run 0 search --nodes=1 --tp=8
if grep -q 'steps back' err; then fail 'they step back before it'; fi

finish
