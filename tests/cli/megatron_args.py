"""Hold exported arguments against Megatron-LM's own parser and rules, without a GPU or PyTorch.

megatron_args.py CHECKOUT FILE...: each file holds, a line each, the GPUs, CUDA_DEVICE_MAX_CONNECTIONS,
NVTE_CPU_OFFLOAD_V1, and the words of one command line.
Modules that are not there (torch, Transformer Engine) are stand-ins that take part in nothing. Prints
what Megatron-LM says of those that it refuses; the exit status is 1 then, 77 where the checkout does
not run with stand-ins.
"""
import abc, contextlib, importlib.abc, importlib.machinery, io, os, sys, types, typing

root, *files = sys.argv[1:]
sys.path.insert(0, root)

FACTS = {"__version__": "2.9.0", "__file__": "/nowhere/__init__.py"}

class Fake(abc.ABCMeta):
    """A name of a module that is not there: a class, a function, a number, whatever is asked of it."""
    def __getattr__(cls, name):
        if name in FACTS:
            return FACTS[name]
        if name.startswith("__"):
            raise AttributeError(name)
        return make(name)
    def __call__(cls, *args, **kwargs):
        # decorators give back what they decorate
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Fake):
            return args[0]
        return cls
    def __getitem__(cls, key): return cls
    def __iter__(cls): return iter(())
    def __or__(cls, other): return cls
    def __ror__(cls, other): return cls
    def __ge__(cls, other): return True
    def __gt__(cls, other): return True
    def __le__(cls, other): return False
    def __lt__(cls, other): return False
    def __bool__(cls): return False
    def __int__(cls): return 0
    def __index__(cls): return 0
    def __add__(cls, other): return cls
    def __radd__(cls, other): return cls
    def __sub__(cls, other): return cls
    def __enter__(cls): return cls
    def __exit__(cls, *a): return None
    def __mro_entries__(cls, bases): return ()

def make(name):
    return Fake(name, (), {"__module__": "fake"})

class Module(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name in FACTS:
            return FACTS[name]
        if name.startswith("__"):
            raise AttributeError(name)
        value = make(name)
        setattr(self, name, value)
        return value

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or (top == "megatron" and not name.startswith(("megatron.legacy", "megatron.rl", "megatron.post_training"))):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return Module(spec.name)
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Finder())
if not hasattr(typing, "override"): # Python 3.12
    typing.override = lambda f: f

import torch, torch.nn, torch.autograd
torch.nn.Module = type("Module", (), {})
torch.autograd.Function = type("Function", (), {})

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
