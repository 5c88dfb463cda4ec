#include "gianttext.h"

#include <string.h>

#include "core/base/text.h"

#define SHELL "torchrun pretrain_gpt.py --num-attention-heads 8 "
#define HF "{\"model_type\": \"llama\", \"num_hidden_layers\": 4, \"hidden_size\": 1024, " \
	"\"num_attention_heads\": 8, \"vocab_size\": 32000, "
#define YAML "base_model: m\nsequence_len: 8\n"
#define TOML "[parallelism]\ndata_parallel_shard_degree = 8\n"
#define PYTHON "from torchtitan import x\ndef f() -> Trainer.Config:\n"
#define PLAN "format = 1;\nmodel = { "

/* Those that an importer once took seconds or gigabytes for stand first of each kind. */
const struct giant giants[] = {
	/* Shorter ones of these do not show what they took. */
	{ "not not", "", "! ", NULL, SHELL },
	{ "keys", HF, "\"k@\": 1, ", NULL, "\"x\": 1}" },
	{ "arrays in arrays", "", "[", "]", "" },

	{ "one word", SHELL "--num-layers ", "a", NULL, "" },
	{ "expansions in one word", "A=" "1\n" SHELL "--num-layers=", "$A", NULL, "" },
	{ "a variable doubled within a word", "A=aaaaaaaaaaaaaaaa\n", "A=$A$A$A$A$A$A$A$A\n", NULL, SHELL },
	{ "a long variable in one word", "A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nA=$A$A$A$A$A$A$A"
	    "$A$A$A$A$A$A$A$A$A\nA=$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A\n" SHELL "--x=", "$A", NULL, "" },
	{ "sums in one word", SHELL "--num-layers=", "$((1))", NULL, "" },
	{ "parentheses in one word", SHELL "--num-layers=x", "(", NULL, "" },
	{ "an assignment of defaults", "A=", "${B:-x}", NULL, "\n" SHELL },
	{ "a default of many characters", "A=${B:-", "x", NULL, "}\n" SHELL },
	{ "a default of many words", SHELL "${B:-", "x ", NULL, "}\n" },
	{ "defaults in defaults", SHELL, "${A:-", "}", "" },
	{ "assignments", "", "A=1\n", NULL, SHELL },
	{ "variables", "", "A@=1\n", NULL, SHELL },
	{ "the last of many variables", "A0=1\nA1=1\nA2=1\n", "A@=$A@\n", NULL, SHELL },
	{ "words added to a list", "A=()\n", "A+=(x)\n", NULL, SHELL "${A[@]}" },
	{ "letters added to a variable", "A=a\n", "A+=a\n", NULL, SHELL "$A" },
	{ "a list doubled", "A=(a a a a a a a a)\n", "A=(${A[@]} ${A[@]})\n", NULL, SHELL "${A[@]}" },
	{ "a list of words", "A=(", "a ", NULL, ")\n" SHELL "${A[@]}" },
	{ "lists used often", "A=(a b c d e f g h i j k l m n o p)\n", "x ${A[@]}\n", NULL, SHELL },
	{ "words", SHELL, "a ", NULL, "" },
	{ "flags", SHELL, "--num-layers 4 ", NULL, "" },
	{ "flags that nobody knows", SHELL, "--x@ ", NULL, "" },
	{ "flags with a value", SHELL, "--x@=1 ", NULL, "" },
	{ "flags in one word", SHELL "'--x ", "--x@ ", NULL, "'" },
	{ "commands", "", "x\n", NULL, SHELL },
	{ "commands of a flag", "", "--num-layers 1\n", NULL, "" },
	{ "commands that run it", "", "torchrun --x 1\n", NULL, SHELL },
	{ "words of a keyword", "", "do ", NULL, SHELL },
	{ "ifs", "", "if true; then ", NULL, SHELL },
	{ "patterns of a long word", "A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nA=$A$A$A$A$A$A$A$A$A"
	    "\nA=$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A\ncase $A in\n", "*a*a*a*a*b|", NULL, ") x;; esac\n" SHELL },
	{ "quotes", SHELL, "''", NULL, "" }, { "backslashes", SHELL, "\\", NULL, "" },
	{ "backquotes", SHELL, "`", NULL, "" }, { "dollars", SHELL, "$", NULL, "" },
	{ "what opens and does not close", SHELL, "$(", NULL, "" },
	{ "overrides", "python x ", "actor_rollout_ref.a@=1 ", NULL, "" },
	{ "overrides with points", "python x actor_rollout_ref", ".a", NULL, "=1" },
	{ "a list in brackets", "python x actor_rollout_ref.a=[", "1,", NULL, "]" },
	{ "programs of flags", "", "python -m openrlhf.cli.train_sft --ds.a@ 1\n", NULL, "" },

	{ "statements of Python", PYTHON, "    x.a@ = 1\n", NULL, "    return x\n" },
	{ "calls of Python", PYTHON, "    x.a@ = g(b=1)\n", NULL, "    return x\n" },
	{ "functions of Python", PYTHON "    return g()\n", "def g@(x):\n    x.a = 1\n", NULL, "" },
	{ "a sum of Python", PYTHON "    return ", "1+", NULL, "1\n" },
	{ "brackets of Python", PYTHON "    return ", "[", "]", "\n" },
	{ "arguments of Python", PYTHON "    return g(", "a@=1,", NULL, ")\n" },

	{ "keys of pictures", HF, "\"vision@\": 1, ", NULL, "\"x\": 1}" },
	{ "a long key", HF "\"", "a", NULL, "\": 1}" },
	{ "what comes before the keys", "{\"x\": [", "\"a\",", NULL, "1], \"model_type\": \"llama\", "
	    "\"num_hidden_layers\": 4, \"hidden_size\": 1024, \"num_attention_heads\": 8, "
	    "\"vocab_size\": 32000, \"num_key_value_heads\": 2, \"intermediate_size\": 8, "
	    "\"hidden_act\": \"silu\", \"rms_norm_eps\": 1e-5, \"tie_word_embeddings\": false, "
	    "\"max_position_embeddings\": 8, \"head_dim\": 64, \"attention_bias\": false, "
	    "\"zero_optimization\": {\"stage\": 1}, \"train_batch_size\": 8}" },
	{ "layers by name", HF "\"layer_types\": [", "\"a\",", NULL, "\"a\"]}" },
	{ "layers with a window", HF "\"layer_types\": [", "\"full_attention\",\"sliding_attention\",", NULL,
	    "\"full_attention\"]}" },
	{ "heads of each layer", HF "\"num_key_value_heads\": [", "8,", NULL, "8]}" },
	{ "blocks", HF "\"block_configs\": [", "{},", NULL, "{}]}" },
	{ "objects", "[", "{},", NULL, "{}]" }, { "arrays", "[", "[],", NULL, "[]]" },
	{ "objects with a key", "[", "{\"a\":0},", NULL, "{}]" },
	{ "numbers", "[", "1,", NULL, "1]" }, { "texts", "[", "\"\",", NULL, "1]" },
	{ "objects in objects", "", "{\"a\":", "}", "" },
	{ "texts one after the other", "", "{}\n", NULL, "" },
	{ "numbers that are none", HF "\"a\": [", "NaN,", NULL, "1]}" },
	{ "escapes", HF "\"a\": \"", "\\u00e9", NULL, "\"}" },

	{ "keys of a mapping", YAML, "k@: 1\n", NULL, "" },
	{ "values of a flow", YAML "a: [", "1,", NULL, "1]\n" },
	{ "mappings of a flow", YAML "a: [", "{},", NULL, "{}]\n" },
	{ "lists of a flow", YAML "a: [", "[],", NULL, "[]]\n" },
	{ "flows in flows", YAML "a: ", "[", "]", "\n" },
	{ "mappings in mappings", YAML "a: ", "{a: ", "}", "\n" },
	{ "items", YAML "a:\n", "- 1\n", NULL, "" }, { "dashes", YAML "a:\n", "- ", NULL, "1\n" },
	{ "anchors", YAML, "a@: &a [*a,*a,*a,*a,*a,*a,*a,*a]\n", NULL, "" },
	{ "aliases", "a: &a [1,1,1,1]\n" YAML, "b@: *a\n", NULL, "" },
	{ "documents", YAML, "---\n", NULL, "" }, { "tags", YAML "a: ", "!a ", NULL, "\n" },
	{ "directives", "", "%TAG !a@! !b\n", NULL, "---\n" YAML },
	{ "a long scalar", YAML "a: ", "a", NULL, "\n" }, { "a folded scalar", YAML "a: >\n", " a\n", NULL, "" },
	{ "question marks", YAML, "? ", NULL, "\n" }, { "colons", YAML "a: ", ": ", NULL, "\n" },
	{ "blanks", YAML "a: ", " ", NULL, "1\n" }, { "tabs and comments", YAML, "# a\n", NULL, "" },
	{ "leaves of a deep mapping", YAML "aa: {bb: {cc: {dd: {ee: {ff: {gg: {hh: {ii: {jj: {kk: {ll: {",
	    "k@: 1, ", NULL, "x: 1}}}}}}}}}}}}\n" },

	{ "keys of a table", TOML, "k@ = 1\n", NULL, "" }, { "tables", TOML, "[t@]\n", NULL, "" },
	{ "tables of a list", TOML, "[[a]]\n", NULL, "" }, { "tables in tables", TOML "[a", ".a", NULL, "]\n" },
	{ "paths", TOML, "a.b.c.d.e.f.g@ = 1\n", NULL, "" },
	{ "values of a list", TOML "a = [", "1,", NULL, "]\n" },
	{ "tables in braces", TOML "a = [", "{},", NULL, "]\n" },
	{ "lists of a list", TOML "a = [", "[],", NULL, "]\n" },
	{ "lists in lists", TOML "a = ", "[", "]", "\n" }, { "texts of a list", TOML "a = [", "'',", NULL, "]\n" },
	{ "a text of lines", TOML "a = '''", "a\n", NULL, "'''\n" },
	{ "escaped letters", TOML "a = \"", "\\u00e9", NULL, "\"\n" }, { "quotes that open", TOML "a = ", "'", NULL, "" },

	{ "hosts", "", "w@ slots=8\n", NULL, "" }, { "hosts in brackets", "w[", "@,", NULL, "1] slots=8\n" },
	{ "brackets", "", "a[0-9]", NULL, "\n" }, { "ranges", "", "a[0-9][0-9][0-9][0-9],", NULL, "\n" },
	{ "numbers of slots", "", "w@ slots=@\n", NULL, "" },
	{ "nodes", "", "NodeName=n@ Gres=gpu:h100:8 State=IDLE\n", NULL, "" },
	{ "a node of many words", "NodeName=n Gres=gpu:h100:8 ", "Gres", NULL, " State=IDLE\n" },
	{ "nodes without an end", "", "NodeName=", NULL, "\n" },
	{ "parts of a Gres", "NodeName=n Gres=", "gpu:8,", NULL, "\n" },
	{ "partitions", "NODELIST|GRES\n", "n@|gpu:8\n", NULL, "" },
	{ "GPUs", "", "GPU 0: NVIDIA H200 (UUID: GPU-@)\n", NULL, "" },
	{ "GPUs of many names", "", "GPU 0: NVIDIA @ (UUID: GPU-0)\n", NULL, "" },
	{ "GPUs side by side", "\t", "GPU0\t", NULL, "CPU Affinity\n" },
	{ "a matrix of GPUs", "\tGPU0\tGPU1\tCPU\n", "GPU0\t X \tNV18\n", NULL, "" },
	{ "heads of a matrix", "", "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU\n", NULL, "" },
	{ "bars", "name, memory.total\n", "|", NULL, "\n" }, { "commas", "1, NVIDIA H200", ",", NULL, "\n" },
	{ "escape sequences", "", "\x1b[", NULL, "\n" }, { "lines", "", "\n", NULL, "" },

	{ "models of a catalogue", "models = ( ", "{ id = \"m@\"; layers = 4; },", NULL, "{ id = \"n\"; } );\n" },
	{ "aliases of a model", "models = ( { id = \"m\"; layers = 4; aliases = [ ", "\"a@\",", NULL, "\"b\" ]; } );\n" },
	{ "fields of a plan", PLAN, "layers = 4; ", NULL, "};\n" },
	{ "unknown fields", PLAN, "k@ = 4; ", NULL, "};\n" },
	{ "groups", "format = 1;\n", "a@ = {};\n", NULL, "" }, { "groups in groups", "format = 1;\n", "a = { ", "}; ", "" },
	{ "lists of a plan", PLAN "layers = (", "1,", NULL, "1); };\n" }, { "strings", "name = ", "\"a\" ", NULL, ";\n" },
	{ "lists in lists of a plan", PLAN "layers = ", "(", ")", "; };\n" },
	{ "iterations", "", " iteration @/ 9 | elapsed time per iteration (ms): 9.0 |\n", NULL, "" },
	{ "ranks", "", "[Rank @] (after 9 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | "
	    "reserved: 3.0 | max reserved: 4.0\n", NULL, "" },
	{ "a line of a log", " iteration 1/ 9 | ", "lm loss: 1.0 | ", NULL, "\n" },
};
const size_t giant_count = sizeof giants / sizeof giants[0];

/* A piece with its number; 0 where it does not fit. */
static size_t
put_piece(char *text, size_t room, const char *piece, unsigned long number)
{
	size_t n = 0;

	for (; *piece != '\0'; piece++) {
		char digits[24] = { *piece, '\0' };
		size_t length = 1;

		if (*piece == '@') {
			text_put(digits, sizeof digits, "%lu", number);
			length = strlen(digits);
		}
		if (n + length > room)
			return 0;
		memcpy(text + n, digits, length);
		n += length;
	}
	return n;
}

size_t
giant_write(const struct giant *g, char *text, size_t size)
{
	const size_t close = g->close != NULL ? strlen(g->close) : 0;
	size_t end = size - 1 - strlen(g->tail), n = strlen(g->head), length;
	unsigned long pieces = 0;

	memcpy(text, g->head, n);
	while ((length = put_piece(text + n, end - n, g->piece, pieces)) > 0 && n + length + close <= end) {
		n += length;
		end -= close;
		pieces++;
	}
	for (; close > 0 && pieces > 0; pieces--, n += close)
		memcpy(text + n, g->close, close);
	memcpy(text + n, g->tail, strlen(g->tail) + 1);
	return n + strlen(g->tail);
}
