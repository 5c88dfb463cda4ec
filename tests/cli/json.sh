#!/bin/sh
# JSON: valid, with the names that scripts rely on, and sums that are equal to totals.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || exit 77

cat >check.py <<'PY'
import json, sys

doc = json.load(open("out"))
failed = False


def fail(text):
    global failed
    failed = True
    print("FAIL:", " ".join(sys.argv[1:]), text)


def has(where, keys, what):
    for key in keys.split():
        if key not in where:
            fail(f"{what} lacks {key}")


def near(a, b, what):
    if abs(a - b) > 1e-6 * max(abs(a), abs(b), 1):
        fail(f"{what}: {a} is not {b}")


def memory(m, what):
    parts = "parameters gradients optimizer activations logits kv_cache buffers"
    has(m, parts + " allocated overhead total", what)
    near(sum(m[k] for k in parts.split()), m["allocated"], what + " allocated")
    near(m["allocated"] + m["overhead"], m["total"], what + " total")


def whole(value, name):
    """Bytes are whole numbers, wherever they stand."""
    sizes = ("capacity", "parameters", "gradients", "optimizer", "activations", "logits",
             "kv_cache", "buffers", "allocated", "overhead", "overhead_low", "overhead_high",
             "reserved")
    if isinstance(value, dict):
        for key, v in value.items():
            whole(v, key)
        if value.get("name", "").split(".")[0] in ("memory", "capacity", "peak") or \
                ".bytes" in value.get("name", "") or "_bytes" in value.get("name", ""):
            for side in "ab":
                if isinstance(value.get(side), float):
                    fail(f"{value['name']} is {value[side]}")
    elif isinstance(value, list):
        for v in value:
            whole(v, name)
    elif isinstance(value, float) and (name in sizes or "bytes" in name):
        fail(f"{name} is {value}")


def estimate():
    has(doc, "plan mode legal fits capacity parallel params peak stages", "estimate")
    has(doc["parallel"], "world dp edp microbatches", "parallel")
    has(doc["params"], "total active per_gpu_max", "params")
    has(doc["peak"], "stage total", "peak")
    for s in doc["stages"]:
        has(s, "stage layers in_flight params memory", "stage")
        memory(s["memory"], f"stage {s['stage']}")
        m = s["memory"]
        if ("reserved" in m) != (doc["mode"] == "train") or \
                not m["allocated"] <= m.get("reserved", m["total"]) <= m["total"]:
            fail(f"stage {s['stage']}: reserved")
    if "--stage=2" in sys.argv:
        if [s["stage"] for s in doc["stages"]] != [2]:
            fail("other stages than 2")
    elif doc["stages"]:
        most = max(s["memory"]["total"] for s in doc["stages"])
        near(doc["peak"]["total"], most, "peak")
    if not doc["legal"] and (doc["stages"] or doc["fits"] is not None or "step" in doc or
                             "serving" in doc or doc["peak"]["total"] is not None):
        fail("figures of a plan that does not run")
    if ("--gpu=nope" in sys.argv) != (doc["capacity"] is None):
        fail("capacity")
    if ("--model=nope" in sys.argv) != (doc["params"]["total"] is None):
        fail("parameters")
    if doc["mode"] == "train" and doc["legal"]:
        has(doc, "communication step", "estimate")
        for row in doc["communication"]:
            has(row, "dim collective group_size span calls bytes seconds exposed_seconds", "row")
            if row["span"] not in ("nvlink", "network", "mixed"):
                fail("span " + row["span"])
            if row["exposed_seconds"] > row["seconds"] * (1 + 1e-9):
                fail(row["dim"] + ": more exposed than there is")
        s = doc["step"]
        has(s, "seconds compute_seconds recompute_seconds bubble_fraction "
            "exposed_comm_seconds host_seconds optimizer_seconds model_tflops_per_gpu mfu hfu "
            "tokens_per_second tokens_per_second_per_gpu", "step")
        near(s["tokens_per_second_per_gpu"] * doc["parallel"]["world"],
             s["tokens_per_second"], "tokens")
    if doc["mode"] == "serve":
        has(doc, "serving", "estimate")
        has(doc["serving"], "weight_bytes non_torch_bytes activation_bytes graph_bytes "
            "kv_pool_bytes kv_bytes_per_token kv_tokens kv_blocks max_concurrency "
            "ttft_seconds tpot_seconds tokens_per_second fits curve", "serving")
        load = doc["serving"]["curve"]
        # at a rate by events: what lies near each other may change places a little
        by, first, next_, slack = ("rate", "ttft_p50", "tpot_p50", 1.02) if "rate" in load[0] else \
            ("concurrency", "ttft_seconds", "tpot_seconds", 1)
        for was, now in zip(load, load[1:]):
            if not (was[by] < now[by] and was[next_] <= now[next_] * slack
                    and was[first] <= now[first] * slack):
                fail(f"serving.curve: {was}, {now}")
        if not any(c[by] > 0 and c[next_] == doc["serving"][next_] for c in load):
            fail("serving.curve: without the plan's own point")
        if "step" in doc or "communication" in doc:
            fail("a training step in serve mode")


def groups():
    has(doc, "layout world kinds", "groups")
    for kind in doc["kinds"]:
        has(kind, "kind count min max", "kind")
        if "sfnv" in kind:
            continue
        if len(kind["groups"]) != kind["count"]:
            fail(kind["kind"] + ": count")
        if any(len(g) != kind["max"] for g in kind["groups"]):
            fail(kind["kind"] + ": size")
        if kind["kind"] == "tp" and sorted(sum(kind["groups"], [])) != list(range(doc["world"])):
            fail("tp does not cover all ranks")


def rank():
    has(doc, "rank world node local_rank coordinates memory groups layers", "rank")
    if "--layers=31" in sys.argv or "--gpu=nope" in sys.argv:
        if doc["memory"] is not None:
            fail("the memory of a stage that holds nothing known")
    else:
        memory(doc["memory"], "rank")
    for g in doc["groups"]:
        has(g, "kind group", "group")
        if g["group"] is not None and g["ranks"][g["position"]] != doc["rank"]:
            fail(g["kind"] + ": position")


def check():
    has(doc, "legal fits diagnostics dropped", "check")
    for d in doc["diagnostics"]:
        has(d, "severity path reason message source fix", "diagnostic")
        if d["fix"] is not None:
            has(d["fix"], "path value", "fix")


def layers():
    for s in doc["stages"]:
        has(s, "pp vp embed loss mtp count first", "chunk")


def fields():
    for f in doc["fields"]:
        has(f, "path type unit range default mode section option meaning", "field")


def diff():
    has(doc, "a b fields estimates", "diff")
    for f in doc["fields"]:
        has(f, "path a b", "field")
    for e in doc["estimates"]:
        has(e, "name a b", "estimate")


def catalog():
    for e in doc[sys.argv[1]]:
        has(e, "name title source", "entry")


kinds = dict(estimate=estimate, groups=groups, rank=rank, check=check, layers=layers,
             fields=fields, diff=diff)
kinds.get(sys.argv[1], catalog)()
whole(doc, "")
sys.exit(failed)
PY

# json STATUS ARGUMENT...: run with --json and hold the output against what its command has.
json() {
	want=$1
	shift
	run "$want" "$@" --json
	python3 check.py "$@" >why 2>&1 || { fail 'JSON'; head -n 5 why; }
}

for plan in "$TOP"/share/plans/*.cfg; do
	about "shardplan estimate $plan --json"
	"$PROG" estimate --json "$plan" >out 2>/dev/null
	python3 check.py estimate "$plan" >why 2>&1 || { fail 'JSON'; head -n 5 why; }
done
json 0 estimate
json 0 estimate --stage=2
json 1 estimate --tp=3
json 1 estimate --layers=31 --pp=4
json 1 estimate --gpu=nope
json 1 estimate --model=nope
json 0 rank 5 --gpu=nope
json 0 estimate --mode=serve --layout=vllm --nodes=1 --pp=1
json 0 estimate --ep=2 --model=mixtral-8x7b
json 0 groups
json 0 groups --kind=tp --kind=pp
json 0 groups --format=hash
json 0 groups --layout=deepspeed
json 0 layers --layers=8 --pp=2 --vpp=2
json 0 rank 5
json 0 rank 5 --layers=31 --pp=4
json 0 check
json 1 check --tp=3
json 0 fields
json 0 models
json 0 models llama-3.1-70b
json 0 gpus
json 0 clusters
: >empty.cfg
printf 'name = "caf\303\251 \\"x\\" \\\\ \001";\nparallel: { tp = 4; };\n' >b.cfg
json 0 diff empty.cfg b.cfg
json 0 estimate b.cfg

# explain adds up to the number that it explains
cat >sums.py <<'PY'
import json, re, subprocess, sys

program, *plan = sys.argv[1:]


def run(*args):
    return subprocess.run([program, *args], capture_output=True, text=True).stdout


doc = json.loads(run("estimate", "--json", *plan))
failed = False


def same(quantity, value, *options):
    global failed
    line = run("explain", *options, *plan, quantity).split("\n")[0]
    found = re.search(r"= ([0-9,.]+) (?:B|parameters|(.?)FLOP)\b", line)
    told = float(found[1].replace(",", "")) * 1000 ** " kMGTPEZ".index(found[2] or " ") if found else None
    if told is None or abs(told - value) > 1e-5 * abs(value) + 1:
        failed = True
        print("FAIL:", *plan, quantity, *options, ":", line, "is not", value)


same("params.total", doc["params"]["total"])
same("params.active", doc["params"]["active"])
for s in doc["stages"]:
    option = f"--stage={s['stage']}"
    same("stages.params", s["params"], option)
    for part in "parameters gradients optimizer activations logits buffers overhead".split():
        # an engine's memory is explained as serving.memory
        if doc["mode"] == "train" and any(t["memory"][part] > 0 for t in doc["stages"]):
            same("memory." + part, s["memory"][part], option)
if "communication" in doc and doc["communication"]:
    same("communication.bytes", sum(r["bytes"] for r in doc["communication"]))
if "step" in doc:
    tokens = doc["step"]["tokens_per_second"] * doc["step"]["seconds"]
    world = doc["parallel"]["world"]
    flops = doc["step"]["model_tflops_per_gpu"] * 1e12 * world * doc["step"]["seconds"]
    if tokens > 0:
        same("step.model_flops", flops)
if "serving" in doc:
    same("serving.kv_bytes_per_token", doc["serving"]["kv_bytes_per_token"])
sys.exit(failed)
PY
for plan in '' --tp=4 '--pp=2 --vpp=2 --layers=8' '--recompute=full --precision=fp8' \
    '--model=mixtral-8x7b --ep=2' '--layout=torchtitan --zero-stage=3 --pp=1' \
    "$TOP/share/plans/serve-llama-3.1-70b.cfg" "$TOP/share/plans/deepseek-v3.cfg"; do
	about "the sums of $plan"
	# shellcheck disable=SC2086
	python3 sums.py "$PROG" $plan >out 2>err || fail 'explain and estimate differ'
done

# a published plan takes what was published: 14.8 T tokens in 2.664 million GPU hours on 2,048
# GPUs, 15,360 sequences of 4,096 tokens a step
"$PROG" estimate --json "$TOP/share/plans/deepseek-v3.cfg" >out 2>err
python3 - <<'PY' || fail "DeepSeek-V3's own plan"
import json
step = json.load(open("out"))["step"]["seconds"]
tokens = 15360 * 4096
published = 2.664e6 * 3600 / 2048 * tokens / 14.8e12
if abs(step / published - 1) > 0.05:
    raise SystemExit(f"{step} s a step, not {published}")
PY

# and does so in JSON, with the terms of a sum
good explain --json memory.optimizer
out_has '"of": "memory\.optimizer", "stage": 0, "name": "master weights", "value": [0-9]+, "formula": "parameters\*bytes/ranks = '
for quantity in memory.optimizer memory.logits params.total communication.tp.bytes step.seconds; do
	good explain --json "$quantity"
	python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["quantity"], abs(sum(t["value"] for t in d["terms"]) / d["value"] - 1) < 1e-6)' <out >sum
	grep -q "^$quantity True$" sum || fail "terms do not add up: $(cat sum)"
done
# of the fullest stage, as in the text, though what an engine holds is told of another
set -- --set=mode=serve --tp=2 --pp=4 '--set=model.layer_pattern=MEM*EMEM*EGE/*E' --set=model.linear_attention=true \
    --set=model.linear_key_heads=16 --set=model.linear_value_heads=32 --set=model.linear_key_head_dim=128 \
    --set=model.linear_value_head_dim=128 --set=model.experts=8 --set=model.experts_per_token=2 \
    --set=model.moe_ffn_hidden_size=2048 --set=model.mamba_heads=64 --set=model.mamba_head_dim=64 \
    --set=model.mamba_state=128 --set=model.mamba_groups=8 --set=model.hidden_size=1048575
good explain memory.buffers "$@"
out_has '^memory\.buffers of stage 3 = 859,654,051 B '
good explain --json memory.buffers "$@"
out_has '"stage": 3,$'
out_has '"value": 859654051,$'
run 1 explain --json serving.ttft_seconds
err_has 'has no terms in this plan'

# every name of the estimate is one that explain takes, in the type of its row, and the other
# way round: what explain lists is printed for a training or a serving plan. With sanitizers a third is explained
# (lib.sh)
cat >names.py <<'PY'
import json, re, subprocess, sys

program, served, share, asked = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
plans = [["--set=training.token_budget=100", "--pp=2", "--vpp=2", "--recompute=full"],
         ["--set=parallel.layout=deepspeed", "--set=parallel.offload=optimizer"],
         ["--set=parallel.layout=deepspeed", "--tp=1", "--pp=1", "--zero-stage=3",
          "--set=parallel.offload=optimizer", "--set=parallel.offload_to=nvme"],
         ["--set=training.token_budget=100", "--set=run.dataset_tokens=10", "--set=run.spare_nodes=1",
          "--set=run.consumed_samples=10000000", "--set=cluster.storage_gbps=10",
          "--set=cluster.storage_read_gbps=20", "--nodes=2", "--set=cluster.slow_nodes=1*0.8", "--set=cluster.levels=8:450,16:50",
          "--set=cluster.kwh_price=0.2", "--set=cluster.kwh_co2_kg=0.4",
          "--set=cluster.gpu_hour_price=2"],
         ["--model=mixtral-8x7b", "--ep=2", "--pp=2"], [served], ["--tp=3"],
         ["--nodes=2", "--set=rl.algorithm=ppo", "--set=rl.offload=all",
          "--set=rl.reward_preset=llama-3.1-8b"],
         [served, "--nodes=2", "--set=serving.prefill_workers=2xtp4"],
         ["--mode=serve", "--model=qwen3-30b-a3b", "--tp=1", "--set=serving.ffn_gpus=2"],
         [served, "--set=serving.draft_tokens=2", "--set=serving.acceptance=0.001"],
         [served, "--set=traffic.rate=1", "--set=traffic.mix=chat", "--set=traffic.tpot_limit=0.1",
          "--set=cluster.gpu_hour_price=2", "--set=traffic.prefixes=4", "--set=traffic.prefix_tokens=512"]]
failed = False


def run(*args):
    return subprocess.run([program, *args], capture_output=True, text=True)


def wrong(*what):
    global failed
    failed = True
    print("FAIL:", *what)


def leaves(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, path + [key])
    elif isinstance(value, list):
        yield ".".join(path), len(value)
        for inner in value:
            yield from leaves(inner, path)
    else:
        yield ".".join(path), value


def kind(path, value):
    last = path.rsplit(".", 1)[-1]
    if last in ("legal", "fits", "tight"):
        return isinstance(value, bool)
    if last in ("dim", "collective", "span"):
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    if re.search(r"seconds|fraction|mfu|hfu|tflops|_per_second|error|max_concurrency"
                 r"|prefill_(rate|utilisation|gpus_balanced)|draft_(gain|batch)|_(p\d\d|within|share|rate|limits|per_token)$"
                 r"|^load$", last) and last != "kv_bytes_per_token":
        return isinstance(value, float)
    if (path.startswith("run.") or last.startswith("cost")) and re.search(
            r"days|goodput|interruptions|gpu_hours|cost|mwh|gbps|tonnes|epochs|joules", last):
        return isinstance(value, float)
    return isinstance(value, int) or last in ("in_flight", "calls", "kv_tokens", "kv_blocks")


listed = set(re.findall(r"^  ([a-z0-9._]+) +\S", run("explain").stderr, re.M))
printed = set()
for plan in plans:
    doc = json.loads(run("estimate", "--json", *plan).stdout)
    for flow in doc.get("communication", []):
        printed.add(f"communication.{flow['dim']}.bytes")
    values = {}
    for path, value in leaves(doc, []):
        values.setdefault(path, []).append(value)
    # what a row is of, and what is told nowhere but in a list
    rows = {"serving.curve.concurrency", "serving.curve.rate", "rl.phases.phase", "rl.phases.pool"}
    empty = {"communication", "serving.curve", "rl.phases"}
    for path in sorted(values.keys() - rows - empty - {"plan", "mode"}):
        asked += 1
        if path.startswith(("serving.curve.", "rl.phases.")):
            if asked % share != 0:
                continue
            found = run("explain", *plan, path)
            if found.returncode != 0:
                wrong(*plan, path, "is not explained:", found.stderr)
            continue
        name = path if path in listed else path.removeprefix("stages.")
        if name not in listed:
            wrong(path, "is no quantity")
        printed.add(name)
        told = [v for v in values[path] if v is not None]
        for value in told:
            if not kind(path, value):
                wrong(*plan, path, "is", value)
        if asked % share != 0:
            continue
        found = run("explain", *plan, path)
        # what there is none of has no terms
        if doc["legal"] and any(told) and found.returncode != 0:
            wrong(*plan, path, "is not explained:", found.stderr)
        if doc["legal"] and found.returncode not in (0, 1):
            wrong(*plan, path, "makes explain fail:", found.stderr)
        if found.stdout and not found.stdout.startswith(name):
            wrong(*plan, path, "is explained as", found.stdout.split("\n")[0])
# of the ledger alone, and dimensions that no plan here has
unprinted = {"step.model_flops", "step.forward", "step.backward", "step.recompute"}
unprinted |= {"serving.memory_bytes", "rl.phase_seconds"}
unprinted |= {f"communication.{dim}.bytes" for dim in ("cp", "embd")}
for name in sorted(listed - printed - unprinted):
    wrong(name, "is not printed")
for quantity in sorted(unprinted & printed):
    wrong(quantity, "is printed after all")
sys.exit(failed)
PY
about 'names of the estimate and of explain'
# shellcheck disable=SC2154
python3 names.py "$PROG" "$TOP/share/plans/serve-llama-3.1-70b.cfg" "$share" "${MONKEY_SEED:-0}" >out 2>err ||
    fail 'they differ, or one is not explained'
[ ! -s err ] || fail 'messages'

# a million ranks: streamed
about 'groups of 1,048,576 ranks as JSON'
(
	# shellcheck disable=SC3045
	limit() { ulimit -v 200000; }
	if (limit && "$PROG" --version) >/dev/null 2>&1; then limit; fi
	timeout 60 "$PROG" groups --json --nodes=131072 --tp=8 --pp=16 --kind=tp
) 2>err | grep -c '^        \[' >count
[ "$(cat count)" -eq 131072 ] || fail "$(cat count) groups, not 131072"

finish
