"""Every English line that the screen can say has one in share/texts: the tables that it shows, and
what its sources and those of rules, hints and questions write. Prints what lacks one."""
import glob
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*'
ROOMS = ["ui/app/*.c", "ui/list/*.c", "ui/pane/*.c", "ui/map/*.c", "ui/state/*.[ch]",
         "core/rules/rules_*.c", "core/rules/check.c", "core/rules/settle.c", "core/rules/values.c",
         "core/search/hints_*.c", "core/search/advice*.c", "core/search/question.c",
         "core/search/search_target.c", "core/search/search_values.c", "core/estimate/estimate*.c",
         "core/framework/*.c", "core/plan/field*.c", "cli/session/files.c", "cli/session/drafts.c",
         "cli/session/preferences.c", "core/diagnose/diagnose.c", "prefs/settings.c"]
TABLES = {"core/plan/fields.def": r"(?:INT|REAL|AMOUNT|BOOL|CHOICE|TEXT)\(",
          "core/estimate/result.def": r"RESULT\(", "core/diagnose/causes.def": r"CAUSE\("}
# Sources, formulas and what is typed are the same in every language; so is what a program says
# that has no screen.
SAME = re.compile(r"\.(py|cc?|cpp|md|h|rst)\b|arXiv|et al\.|docs?[/,]|[a-z]\*|\w=%|objective=|"
                  r"^shardplan|^[\w.-]+=\w|manual|data sheet|github|https?:|pull request|chronicles|^# |%7.1fB")


def text_of(literals):
    parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals)
    return "".join(parts).replace('\\"', '"').replace("\\n", "\n").strip()


def code_of(path):
    with open(path, encoding="utf-8") as f:
        code = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    return re.sub(r"^\s*#\s*include.*$", "", code, flags=re.M)


def said(path):
    lines = open(path, encoding="utf-8").read().split("\n")
    english = [line for line in lines if line and line[0] not in "#\t"]
    return set(english), "\n".join(english)


def wanted():
    """Each English line, and where it is from."""
    for path, row in TABLES.items():
        for line in code_of(path).split("\n"):
            if re.match(row, line):
                yield text_of(re.findall(LITERAL, line)[-1]), path
    for label in re.findall(r'^[A-Z]+\(\w+, [\w.]+, (?:NULL|"[^"]*"), "([^"]*)"',
                            code_of("core/plan/fields.def"), flags=re.M):
        if re.search("[a-z]{2}", label):
            yield label, "core/plan/fields.def"
    for hint in re.findall(r'"[^"|\s]+\|([^"]+)"', code_of("ui/app/command.c")):
        yield hint, "ui/app/command.c"
    for path in sorted(p for room in ROOMS for p in glob.glob(room)):
        for literal in re.findall(LITERAL, code_of(path)):
            text = text_of(literal)
            if re.search(r"[A-Za-z]{2,}[,:;)]? [a-z]{2,}", text) and "|" not in text[:2]:
                yield text, path


def is_there(text, whole, all_lines):
    """Whole, a part of a line, or by its clauses."""
    text = re.sub(r"^(%[-*\d]*[sd]\s*)+", "", text.strip(" ;,:()"))
    return text in whole or text in all_lines or (
        re.search("[;,:] ", text) is not None and all(
            not re.search("[a-z]{2}", part) or part.strip() in all_lines
            for part in re.split("[;,:] ", text)))


lacks = set()
for name in sys.argv[1:]:
    whole, all_lines = said(name)
    for text, path in wanted():
        if not SAME.search(text) and not is_there(text, whole, all_lines):
            lacks.add(f"{name}: {path}: {text!r}")
print("\n".join(sorted(lacks)))
sys.exit(1 if lacks else 0)
