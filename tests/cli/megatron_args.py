"""Hold exported arguments against Megatron-LM's own parser and rules, without a GPU or PyTorch.

megatron_args.py CHECKOUT FILE...: each file holds, a line each, the GPUs, CUDA_DEVICE_MAX_CONNECTIONS,
NVTE_CPU_OFFLOAD_V1, and the words of one command line.
Modules that are not there are stand-ins (standins.py). Prints
what Megatron-LM says of those that it refuses; the exit status is 1 then, 77 where the checkout does
not run with stand-ins.
"""
import contextlib, io, os, sys

import standins

root, *files = sys.argv[1:]
sys.path.insert(0, root)

standins.install(lambda name: name.startswith("megatron") and
    not name.startswith(("megatron.legacy", "megatron.rl", "megatron.post_training")))

os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1")
try:
    from megatron.training import arguments
except Exception as why: # pylint: disable=broad-except
    print(f"{root} does not run with stand-ins: {why!r}", file=sys.stderr)
    sys.exit(77)

refused = 0
for file in files:
    with open(file, encoding="utf-8") as f:
        world, *values = f.read().split("\n")[:-1]
    os.environ["WORLD_SIZE"] = world
    for name in "CUDA_DEVICE_MAX_CONNECTIONS", "NVTE_CPU_OFFLOAD_V1":
        os.environ.pop(name, None)
        if value := values.pop(0):
            os.environ[name] = value
    words = values
    sys.argv = ["pretrain_gpt.py", *words]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            args = arguments.parse_args()
            arguments.validate_args(args)
            arguments.core_transformer_config_from_args(args)
    except (Exception, SystemExit) as why: # pylint: disable=broad-except
        print(f"{file}: {why!r} {said.getvalue()[-200:] if isinstance(why, SystemExit) else ''}")
        refused += 1
print(f"{len(files) - refused} of {len(files)} command lines taken")
sys.exit(refused > 0)
