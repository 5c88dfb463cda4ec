#!/bin/sh
# What check offers: of plans that do not run the first offer mends nearly all, and of plans that
# a mend of a plan that is legal costs no more than twice what a search finds, and of plans that
# run but that a search beats by a tenth none is without that search, whatever hints it has. The plans are made by hand, one
# mechanism each. Each asks for a search or two: with sanitizers a third of a third of them is asked, another one for
# each $MONKEY_SEED.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/lib.sh"
[ -x /usr/bin/python3 ] || exit 77

cat >advice.py <<'PY'
import json, os, shlex, subprocess, sys
program, top, share, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def run(*args):
    text = subprocess.run([program, *args], capture_output=True, text=True, cwd=top).stdout
    return json.loads(text or "{}")
def runs(plan):
    return bool(plan.get("legal") and plan.get("fits") and not plan.get("tight"))
def seconds(plan):
    if plan.get("serving"):
        return plan.get("serving")["tpot_seconds"]
    return plan["rl"]["step_seconds"] if plan.get("rl") else plan["step"]["seconds"]
def plans(name):
    lines = open(os.path.join(top, "tests/data", name)).readlines()
    for line in lines[first % share::share]:
        plan, options = line.rstrip("\n").split("\t")
        yield plan, options.split()
def first_offer(check):
    """What the first line that mends says: a mend, a search, or the rule's own fix."""
    mends = [m for m in check["mends"] if m["fits"] and not m["tight"]]
    if mends and mends[0] is check["mends"][0]:
        return ["--set=%s=%s" % (k, json.dumps(v).strip('"')) for k, v in mends[0]["set"].items()]
    if check["search"]:
        return shlex.split(check["search"][0]["options"])
    fix = check["diagnostics"][0]["fix"]
    return ["--set=%s=%s" % (fix["path"], fix["value"])] if fix else None
def is_dear(check):
    """The first mend takes over twice as long as what a search finds, for the same work on these GPUs."""
    same = [s for s in check["search"] if s["room"] == "same_gpus" and "seconds" in s]
    return bool(check["legal"] and same and check["mends"] and "seconds" in check["mends"][0] and
                not any(k.startswith("cluster.") or "batch" in k or "length" in k for k in check["mends"][0]["set"]) and
                check["mends"][0]["seconds"] > 2.01 * same[0]["seconds"])
bad = mended = dear = 0
for plan, options in plans("bad_plans.tsv"):
    check = run("check", "--json", *options)
    assert not runs(check), plan + " runs"
    bad += 1
    if is_dear(check):
        dear += 1
        print("a dear mend:", plan)
    offer = first_offer(check)
    if offer is not None and runs(run("estimate", "--json", *options, *offer)):
        mended += 1
    else:
        print("not mended:", plan, offer)
good = silent = 0
for plan, options in plans("good_plans.tsv"):
    check = run("check", "--json", *options)
    assert runs(check), plan + " does not run"
    good += 1
    if check["search"]:
        continue
    now = seconds(run("estimate", "--json", *options))
    best = run("search", "--json", "--top=1", *options)["results"][0]["seconds"]
    if now > 1.1 * best:
        silent += 1
        print("no word about:", plan, now / best)
print(bad, "bad plans,", mended, "mended;", good, "good ones,", silent, "silent")
sys.exit(not (bad >= 64 // share and dear == 0 and bad - mended <= max(1, bad // 20) and good >= 51 // share and silent == 0))
PY
about 'first offers, and words about plans that a search beats'
/usr/bin/python3 advice.py "$PROG" "$TOP" $((share * share)) "${MONKEY_SEED:-0}" >out 2>&1 || { fail 'too few'; tail -n 5 out; }

about 'adapters, and how many nodes it takes'
run 0 check --model=llama-3.1-8b --gpu=rtx-4090 --nodes=1 --gpus-per-node=1 --tp=1 --pp=1
out_has '^nothing on these GPUs fits; adapters do: --set=finetune\.method=q*lora '
out_has '^needs at least [0-9]* nodes of these: --nodes='
run 0 check --model=llama-3.1-70b --gpu=h100-sxm-80gb --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 --layout=torchtitan \
	--micro-batch-size=2 --set=finetune.method=lora
out_has '^nothing on these GPUs fits; adapters do: --set=finetune\.method=qlora '
run 0 check --model=qwen3-235b-a22b --gpu=a100-sxm4-40gb --nodes=2 --tp=4 --pp=1 --ep=2 --set=parallel.etp=1 \
	--global-batch-size=64 --micro-batch-size=16 --sequence-length=8192
out_has '^needs at least 8 nodes of these: --set=cluster.nodes=8 '
about 'how many nodes training on rollouts takes, and that a change on the GPUs that are there goes before'
run 0 check "$TOP/share/plans/grpo-qwen2.5-32b.cfg" --nodes=1 --gpus-per-node=2 --set=parallel.layout=megatron
out_has '^needs at least 4 nodes of these: --set=cluster.nodes=4 '
run 0 check "$TOP/share/plans/grpo-qwen2.5-32b.cfg" --nodes=1 --gpus-per-node=2
out_has 'would_mend: offload optimizer.params: '
out_lacks '^needs at least'
about 'a sequence that the model takes'
run 0 check --model=llama-3.1-8b --nodes=1 --gpus-per-node=2 --global-batch-size=8 --set=finetune.method=lora \
	--set=model.max_position=1000000 --sequence-length=1000000
out_has '^a shorter sequence fits: --set=training.sequence_length=125000 '
about 'nobody is sent for GPUs where those that are there do, nor for more than it takes'
run 0 check --model=mixtral-8x22b --nodes=4 --tp=2 --pp=1 --ep=8 --micro-batch-size=4 --global-batch-size=256
out_lacks 'cluster.nodes='
out_has '^search on these GPUs: --'
run 1 check --model=llama-3.1-70b --nodes=3 --tp=8 --pp=4 --global-batch-size=96
out_lacks 'would_mend: nodes'
run 0 check --model=llama-3.1-8b --gpu=a100-sxm4-40gb --nodes=1 --gpus-per-node=4 --tp=1 --pp=1 --set=rl.algorithm=dpo \
	--global-batch-size=64
out_lacks 'nodes 16'
about 'a sequence is not cut to a sliver, nor a context where fewer requests at once do, and six GPUs take TP 2 and PP 3'
run 0 check --model=llama-3.1-8b --gpu=rtx-4090 --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 --set=finetune.method=lora \
	--sequence-length=32768 --global-batch-size=8
head -n 1 out | grep -q 'fix: training.recompute=full training.sequence_length=8192' || fail 'not the longest sequence'
run 0 check --mode=serve --model=qwen3-32b --nodes=1 --gpus-per-node=2 --tp=2 --pp=1 --concurrency=4096
head -n 1 out | grep -q 'fix: serving.concurrency=' || fail 'not fewer requests'
run 1 check --mode=serve --model=llama-3.1-70b --nodes=1 --gpus-per-node=6 --tp=6 --pp=1
head -n 1 out | grep -q 'fix: parallel.tp=2 parallel.pp=3' || fail 'not TP 2 and PP 3'
about 'a trainer is no engine'
run 1 check --layout=megatron --model=llama-3.1-8b --nodes=1 --gpus-per-node=1 --global-batch-size=8 --set=finetune.method=qlora
out_lacks 'layout vllm'
about 'a mend that takes fifty times as long as what a search finds is none'
run 0 check deepseek-v3 2048xh800
out_lacks 'TP 128'
out_has '^search on these GPUs: --'
about 'the last line is what a search would do'
run 1 check --model=llama-3.1-8b --nodes=2 --cp=3 --tp=1 --pp=1
tail -n 1 out | grep -q '^search on these GPUs: --' || fail 'no search in the last line'

finish
