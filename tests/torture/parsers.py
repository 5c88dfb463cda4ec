"""Hold exported files against the parsers of the programs that read them, without GPUs and heavy libraries.

parsers.py PROGRAM SOURCE DIRECTORY...: each directory holds the files of one export. SOURCE is on the path
before anything else; modules that are nowhere are stand-ins (tests/cli/standins.py). Prints what was parsed, or
what the program says of a file that it refuses, and exits with 1 then, 77 where its parser does not run.
"""
import ast, contextlib, dataclasses, importlib.metadata, io, os, shlex, sys, types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import standins

# What is read of a program: its package but for some modules, and libraries that parsers are made of.
LIGHT = "pydantic pydantic_core annotated_types typing_extensions typing_inspection yaml tyro typeguard docstring_parser rich " \
    "dacite transformers".split()
OWN = {"deepspeed": ["deepspeed.runtime", "deepspeed.runtime.config_utils", "deepspeed.runtime.zero", "deepspeed.runtime.zero.config",
    "deepspeed.runtime.zero.offload_config", "deepspeed.runtime.zero.leaf_module_config"]}
HEAVY = ["nanotron.distributed"]

def is_there(name):
    """Of the program, of this machine, or nowhere."""
    top = name.split(".")[0]
    if name in HEAVY or top not in [program, *LIGHT] or (top in OWN and name not in OWN[top]):
        return False
    for finder in sys.meta_path:
        if not isinstance(finder, standins.Finder):
            parent = sys.modules.get(name.rpartition(".")[0])
            if finder.find_spec(name, getattr(parent, "__path__", None)):
                return True
    return False

def words_of(directory, script):
    """Of a script's array of arguments."""
    with open(os.path.join(directory, script), encoding="utf-8") as f:
        text = f.read()
    return shlex.split(text[text.index("args=(") + len("args=("):text.index("\n)\n")])

def load_yaml(directory, name):
    import yaml
    with open(os.path.join(directory, name), encoding="utf-8") as f:
        return yaml.safe_load(f)

class Refused(Exception):
    pass

def need(*names):
    """Without these a parser takes whatever it is given."""
    for name in names:
        if not is_there(name):
            raise ImportError(f"no {name} here")

# torchtitan/config/manager.py of v0.2.2: TOML becomes dataclasses; a key that they lack is an error
def torchtitan(_):
    from torchtitan.config.manager import ConfigManager
    def parse(directory):
        manager = ConfigManager()
        file = os.path.join(directory, "torchtitan.toml")
        if is_there("tyro"):
            config = manager.parse_args(["--job.config_file", file])
        else:
            config = manager._dict_to_dataclass(manager.config_cls, manager._maybe_load_toml(["--job.config_file", file]))
        return sum(len(dataclasses.fields(getattr(config, f.name))) for f in dataclasses.fields(config)
            if dataclasses.is_dataclass(getattr(config, f.name)))
    return parse

# src/axolotl/utils/config: validate_config; a plugin has arguments of its own
def axolotl(_):
    need("pydantic", "yaml")
    from axolotl.utils.schemas.config import AxolotlInputConfig
    from axolotl.integrations.liger.args import LigerArgs
    from axolotl.integrations.cut_cross_entropy.args import CutCrossEntropyArgs
    class Config(LigerArgs, CutCrossEntropyArgs, AxolotlInputConfig):
        pass
    def parse(directory):
        given = load_yaml(directory, "axolotl.yaml")
        config = Config(**given, base_model="a/model", datasets=[{"path": "data", "type": "alpaca"}],
            learning_rate=1e-5)
        for at, model in (given, config), (given.get("trl", {}), config.trl), (given.get("vllm", {}), config.vllm), \
                (given.get("fsdp_config", {}), config.fsdp_config):
            unknown = set(at) - set(type(model).model_fields) - {f.alias for f in type(model).model_fields.values()} if at else None
            if unknown:
                raise Refused(f"unknown: {sorted(map(str, unknown))}")
        return len(given)
    return parse

# openrlhf/cli/train_*.py: the parser and its checks stand at the end of the program itself
def openrlhf(source):
    def parse(directory):
        with open(os.path.join(directory, "openrlhf.sh"), encoding="utf-8") as f:
            module = f.read().partition("openrlhf.cli.")[2].split()[0]
        file = os.path.join(source, "openrlhf", "cli", module + ".py")
        with open(file, encoding="utf-8") as f:
            tree = ast.parse(f.read(), file)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "train":
                node.body = ast.parse("pass").body
        sys.argv = [module, *words_of(directory, "openrlhf.sh"), "--actor.model_name_or_path" if "ppo" in module else
            "--model.model_name_or_path", "a/model"]
        if module == "train_ppo_ray":
            sys.argv += ["--reward.remote_url", "rewards.py"]
        space = {"__name__": "__main__", "__file__": file}
        exec(compile(tree, file, "exec"), space) # pylint: disable=exec-used
        return len(vars(space["args"]))
    return parse

# src/accelerate/commands/config/config_args.py: a key that the class lacks is an error
def accelerate(_):
    need("yaml")
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.commands.launch import launch_command_parser, _validate_launch_command
    def parse(directory):
        file = os.path.join(directory, "accelerate.yaml")
        config = load_config_from_file(file)
        args = launch_command_parser().parse_args(["--config_file", file, "train.py"])
        _validate_launch_command(args)
        return len(config.to_dict())
    return parse

# src/nanotron/config/config.py: get_config_from_file; dacite is strict
def nanotron(_):
    need("dacite", "yaml")
    from nanotron.config.config import get_config_from_dict, Config
    yours = { # what the export leaves to the user, and what has no default
        "general": {"project": "p"}, "model": {"init_method": {"std": 0.02}}, "tokens": {"train_steps": 1},
        "optimizer": {"weight_decay": 0.0, "clip_grad": 1.0, "learning_rate_scheduler": {"learning_rate": 1e-4,
            "lr_warmup_style": "linear", "lr_decay_style": "linear", "min_decay_lr": 1e-5}, "optimizer_factory": {
            "name": "adamW", "adam_eps": 1e-8, "adam_beta1": 0.9, "adam_beta2": 0.95, "torch_adam_is_fused": True}}}
    def parse(directory):
        given = load_yaml(directory, "nanotron.yaml")
        count = sum(len(section) for section in given.values())
        get_config_from_dict({k: {**yours.get(k, {}), **given.get(k, {})} for k in {**yours, **given}}, config_class=Config)
        return count
    return parse

# deepspeed/runtime/zero/config.py, of pydantic; the rest of ds_config.json is read beside PyTorch
def deepspeed(source):
    need("pydantic")
    for name in "deepspeed", "deepspeed.runtime", "deepspeed.runtime.zero": # without what they start
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [os.path.join(source, *name.split("."))]
    from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
    import json
    def parse(directory):
        with open(os.path.join(directory, "ds_config.json"), encoding="utf-8") as f:
            given = json.load(f)
        return len(DeepSpeedZeroConfig(**given["zero_optimization"]).model_fields_set)
    return parse

# transformers.HfArgumentParser over the classes of trl/scripts, asked for words: objects of them need PyTorch
def trl(_):
    need("transformers", "yaml")
    from transformers import HfArgumentParser
    from trl.trainer.model_config import ModelConfig
    from trl import trainer
    def parse(directory):
        with open(os.path.join(directory, "trl.sh"), encoding="utf-8") as f:
            kind = f.read().partition("exec trl ")[2].split()[0]
        name = {"reward": "Reward"}.get(kind, kind.upper()) + "Config"
        parser = HfArgumentParser([getattr(trainer, name), ModelConfig])
        given = load_yaml(directory, "trl.yaml")
        words = [w for k, v in given.items() for w in ["--" + k, *(map(str, v) if isinstance(v, list) else [str(v)])]]
        parser.parse_args(words + ["--output_dir", "o"])
        return len(given)
    return parse

program, source, *directories = sys.argv[1:]
sys.path.insert(0, source)
standins.install(is_there)
standins.NAMES["__get_pydantic_core_schema__"] = classmethod(lambda *_: {"type": "any"})
found_version = importlib.metadata.version
importlib.metadata.version = lambda name: found_version(name) if is_there(name) else standins.FACTS["__version__"]
import torch
torch.dtype = type("dtype", (), {})
for name in "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 int64 int32 int16 int8 uint8 bool".split():
    setattr(torch, name, torch.dtype())
os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1")
said = io.StringIO()
try:
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        parse_one = globals()[program](source)
except Exception as why: # pylint: disable=broad-except
    if os.environ.get("TRACE"):
        raise
    print(f"{program}: its parser does not run with stand-ins: {why!r}")
    sys.exit(77)
refused = 0
for d in directories:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            count = parse_one(d)
        print(f"{d}: taken, {count} settings")
    except (Exception, SystemExit) as why: # pylint: disable=broad-except
        if os.environ.get("TRACE"):
            raise
        print(f"{d}: refused:", " ".join(f"{why!r} {said.getvalue()[-300:]}".split()))
        refused += 1
print(f"{program}: {len(directories) - refused} of {len(directories)} exports taken")
sys.exit(refused > 0)
