#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/options.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/search/search.h"
#include "prefs/settings.h"

/* What getopt_long returns for an option: the row of a table, past all characters. */
enum { FIXED_BASE = 0x1000, FIELD_BASE = 0x2000, RESULT_BASE = 0x3000, OPERAND = 1, GPUS = 2 };

#define AT(member) .at = offsetof(struct options, member)

static bool take_setting(struct options *o, const struct option_row *row, const char *text);
static bool take_kind(struct options *o, const struct option_row *row, const char *name);
static bool take_format(struct options *o, const struct option_row *row, const char *name);
static bool take_zoom(struct options *o, const struct option_row *row, const char *name);
static bool take_color(struct options *o, const struct option_row *row, const char *name);
static bool take_palette(struct options *o, const struct option_row *row, const char *name);
static bool take_ask(struct options *o, const struct option_row *row, const char *text);
static bool take_field_ask(struct options *o, const struct option_row *row, const char *text);

const struct option_row option_table[] = {
	{ "set", "PATH=VALUE", "change a field of the plan (repeatable)", 0, TAKES_PLAN,
	    .take = take_setting },
	{ "kind", "KIND", "only groups of this kind (repeatable)", 0, TAKES_KIND,
	    .take = take_kind },
	{ "format", "FORMAT", "text; hash: one line a kind with a checksum; csv: a table of plans", 0,
	    TAKES_FORMAT, .take = take_format },
	{ "color-by", "KIND[,KIND...]",
	    "colour by groups, stage, layers, memory, relation or link:KIND, up to four", 0,
	    TAKES_COLOR_BY, AT(color_by) },
	{ "at", "RANK", "the GPU whose relations colour the map, else 0", 0, TAKES_COLOR_BY, AT(at),
	    .most = PLAN_WORLD_MAX },
	{ "zoom", "NAME", "auto, cards, labels, cells, halves, nodes or racks", 0, TAKES_ZOOM,
	    .take = take_zoom },
	{ "width", "COLUMNS", "how wide to print, else as wide as the terminal", 0, TAKES_WIDTH,
	    AT(width), .least = 20, .most = 4096 },
	{ "color", "WHEN", "auto, always or never", 0, TAKES_COLOR, .take = take_color },
	{ "palette", "NAME", "dark, light, safe, 16, 8, mono or auto", 0, TAKES_PALETTE,
	    AT(palette), .take = take_palette },
	{ "ascii", NULL, "draw with ASCII characters alone", 0, TAKES_ASCII, AT(ascii) },
	{ "linear", NULL, "ask and answer in plain lines, for screen readers and scripts", 0,
	    TAKES_LINEAR, AT(linear) },
	{ "strict", NULL, "warnings count as errors", 0, TAKES_STRICT, AT(strict) },
	{ "stage", "STAGE", "this pipeline stage alone", 0, TAKES_STAGE, AT(stage),
	    .most = INT32_MAX },
	{ "json", NULL, "print JSON, for scripts", 0, TAKES_JSON, AT(json) },
	{ "language", "NAME", "en or zh, else that of the locale", 0, TAKES_LANGUAGE, AT(language),
	    .names = "en|zh" },
	{ "free", "PATH[=VALUES]", "search all values of a field, or A,B or A..B (repeatable)", 0,
	    TAKES_SEARCH, .take = take_field_ask },
	{ "fix", "PATH", "hold a field at the plan's value (repeatable)", 0, TAKES_SEARCH,
	    .take = take_field_ask },
	{ "objective", "NAME[,NAME]", "time, memory, gpus, tokens, gpu-hours, cost, energy, or a path; the later break ties", 0,
	    TAKES_SEARCH, .take = take_ask },
	{ "pareto", NULL, "list the plans that no other beats in all objectives", 0, TAKES_SEARCH,
	    .take = take_ask },
	{ "where", "CONDITION", "such as 'peak.total<=70GiB' (repeatable)", 0, TAKES_SEARCH,
	    .take = take_ask },
	{ "around", "[=N]", "only plans so many changes away from this one, else 1", 0, TAKES_SEARCH,
	    AT(around), .least = 1, .most = SPACE_FIELDS_MAX },
	{ "top", "COUNT", "how many plans to list, else 10", 0, TAKES_SEARCH, AT(top), .least = 1,
	    .most = 1000 },
	{ "price", "GPU=MONEY[,...]", "what an hour of a GPU costs, for the objective cost", 0,
	    TAKES_SEARCH, AT(price) },
	{ "tight", NULL, "list plans too that may not fit", 0, TAKES_SEARCH, AT(tight) },
	{ "threads", "COUNT", "threads, else one for each core", 0, TAKES_SEARCH, AT(threads),
	    .least = 1, .most = SEARCH_THREADS_MAX },
	{ "from", "KIND", "what an imported file is, else its looks tell; the file of models", 0,
	    TAKES_FROM, AT(from) },
	{ "here", NULL, "import the machines that this runs on", 0, TAKES_IMPORT, AT(here) },
	{ "world", "GPUS", "GPUs of the launch, whatever the file says", 0, TAKES_IMPORT, AT(world),
	    .least = 1, .most = PLAN_WORLD_MAX },
	{ "part", "PART", "of several launches in a file the one to import", 0, TAKES_IMPORT, AT(part) },
	{ "root", "DIR", "files that a launch names may lie anywhere in it", 0, TAKES_IMPORT, AT(root) },
	{ "adopt", NULL, "write into the plan what the run says otherwise", 0, TAKES_ADOPT, AT(adopt) },
	{ "to", "TARGET", "what to write", 0, TAKES_EXPORT, AT(to) },
	{ "core", "VERSION", "release of Megatron core that reads it, 0.12 to 0.20", 0,
	    TAKES_EXPORT, AT(core) },
	{ "list", NULL, "list the targets", 0, TAKES_EXPORT, AT(list) },
	{ "output", "FILE", "write there instead of standard output", 'o', TAKES_OUTPUT,
	    AT(output) },
	{ "help", NULL, "print this help, or that of a command", 'h', 0, AT(help) },
	{ "version", NULL, "print the version", 'V', 0, AT(version) },
};
enum { SET, OPTIONS = sizeof option_table / sizeof *option_table }; /* fields count as --set */
const size_t option_count = OPTIONS;

/* A field by what a user may call it; with a message and FIELD_COUNT when there is none. */
static enum field_id
find_field(const char *option, const char *name)
{
	enum field_id f = field_find(name);
	const char *near;

	if (f != FIELD_COUNT)
		return f;
	near = field_near(name);
	if (result_find(name) != RESULT_COUNT)
		usage_error("--%s '%s': not a field but a result: %s", option, name,
		    result_table[result_find(name)].help);
	else if (near != NULL)
		usage_error("--%s '%s': unknown field (did you mean %s?)", option, name, near);
	else
		usage_error("--%s '%s': unknown field ('shardplan fields' lists them)", option, name);
	return f;
}

/* "parallel.tp=8". */
static bool
take_setting(struct options *o, const struct option_row *row, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[128];
	enum field_id f;

	if (equals == NULL || equals == text) {
		usage_error("--%s '%s': write PATH=VALUE", row->name, text);
		return false;
	}
	text_put(name, sizeof name, "%.*s", (int)(equals - text), text);
	if ((f = find_field(row->name, name)) == FIELD_COUNT)
		return false;
	o->setting[o->settings++] = (struct setting){ f, equals + 1 };
	return true;
}

/* One of `names`, which joins them by '|', as its index. */
static bool
parse_name(const char *option, const char *names, const char *text, int *index)
{
	char name[32];

	for (*index = 0; text_choice(names, *index, name, sizeof name); ++*index)
		if (text_equal(name, text))
			return true;
	usage_error("--%s: '%s' is none of %s", option, text, names);
	return false;
}

static bool
parse_number(const char *option, const char *text, int64_t least, int64_t most, int64_t *out)
{
	if (text_to_int(text, out) && *out >= least && *out <= most)
		return true;
	usage_error("--%s: '%s' is not a whole number from %lld to %lld", option, text,
	    (long long)least, (long long)most);
	return false;
}

static bool
take_kind(struct options *o, const struct option_row *row, const char *name)
{
	if (o->kinds == LAYOUT_KINDS_MAX) {
		usage_error("--%s: more than %d kinds", row->name, LAYOUT_KINDS_MAX);
		return false;
	}
	o->kind[o->kinds++] = name;
	return true;
}

static bool
take_format(struct options *o, const struct option_row *row, const char *name)
{
	int i;

	if (!parse_name(row->name, "text|hash|csv", name, &i))
		return false;
	o->hash = i == 1;
	o->csv = i == 2;
	return true;
}

static bool
take_zoom(struct options *o, const struct option_row *row, const char *name)
{
	char names[128] = "";
	int i;

	for (i = 0; i < MAP_ZOOM_COUNT; i++)
		text_add(names, sizeof names, "%s%s", i > 0 ? "|" : "",
		    map_zoom_name((enum map_zoom)i));
	if (!parse_name(row->name, names, name, &i))
		return false;
	o->zoom = (enum map_zoom)i;
	return true;
}

static bool
take_color(struct options *o, const struct option_row *row, const char *name)
{
	int i;

	if (!parse_name(row->name, "auto|always|never", name, &i))
		return false;
	o->color = (enum color_when)i;
	return true;
}

static bool
take_palette(struct options *o, const struct option_row *row, const char *name)
{
	int i;

	o->palette = name;
	return parse_name(row->name, settings_table[settings_find("palette")].choices, name, &i);
}

static bool
is_empty(const struct option_row *row, const char *value)
{
	if (*value != '\0')
		return false;
	usage_error("--%s: the value is empty (fix: --%s=%s)", row->name, row->name, row->argument);
	return true;
}

static bool
take_ask(struct options *o, const struct option_row *row, const char *text)
{
	if (text != NULL && is_empty(row, text))
		return false;
	o->ask[o->asks++] = (struct search_word){ row->name, text != NULL ? text : "" };
	return true;
}

/* "parallel.tp", the name of a group; of --free "parallel.tp=1,2" too. */
static bool
take_field_ask(struct options *o, const struct option_row *row, const char *text)
{
	const size_t n = text_equal(row->name, "free") ? strcspn(text, "=") : strlen(text);

	return (wishes_group_find(text) != WISH_GROUPS ||
	    find_field(row->name, TEXT_OF(128, "%.*s", (int)n, text)) != FIELD_COUNT) && take_ask(o, row, text);
}

static bool
take_fixed(struct options *o, const struct option_row *row, const char *value)
{
	void *at = (char *)o + row->at;
	int i;

	o->given |= row->takes;
	o->fixed |= UINT64_C(1) << (row - option_table);
	if (row->take != NULL)
		return row->take(o, row, value);
	if (row->most > 0)
		return parse_number(row->name, value != NULL ? value : "1", row->least, row->most, at);
	if (row->argument == NULL)
		return *(bool *)at = true;
	*(const char **)at = value;
	return !is_empty(row, value) && (row->names == NULL || parse_name(row->name, row->names, value, &i));
}

/* An option that is none, or the beginning of several. */
static void
complain_unknown(const char *arg, const struct option *known)
{
	const size_t n = strcspn(arg + 2, "=");
	char name[64], alike[160] = "";
	const char *near = NULL;
	size_t least = n / 2 + 1;
	int count = 0;

	text_put(name, sizeof name, "%.*s", (int)n, arg + 2);
	for (; known->name != NULL; known++) {
		const size_t d = text_distance(name, known->name);
		const bool begun = strncmp(name, known->name, strlen(known->name)) == 0;

		if (strncmp(known->name, name, n) == 0)
			text_add(alike, sizeof alike, "%s--%s", count++ > 0 ? ", " : "", known->name);
		if (d < 3 && (d < least || (d == least && begun))) {
			least = d;
			near = known->name;
		}
	}
	if (count > 1)
		usage_error("option '%s' may be any of %s", arg, alike);
	else if (near != NULL)
		usage_error("unknown option '%s' (did you mean --%s?)", arg, near);
	else
		usage_error("unknown option '%s'", arg);
}

/* --kv-heads=8, a field without an option of its own; or with its key, where that has another name. */
static bool
take_field(struct options *o, const char *arg)
{
	const char *equals = strchr(arg, '=');
	char name[64];
	enum field_id f;

	if (strncmp(arg, "--", 2) != 0 || equals == NULL)
		return false;
	text_put(name, sizeof name, "%.*s", (int)(equals - arg - 2), arg + 2);
	for (char *c = name; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	if ((f = field_find(name)) == FIELD_COUNT)
		return false;
	o->setting[o->settings++] = (struct setting){ f, equals + 1 };
	o->given |= TAKES_PLAN;
	return true;
}

/* Say what is wrong with an option that getopt_long did not take. */
static void
complain_option(const char *arg, bool lacks_value, const struct option *known)
{
	char name[64];

	if (strncmp(arg, "--", 2) != 0) {
		usage_error("invalid option '-%c'", lacks_value ? arg[1] : optopt);
		return;
	}
	text_put(name, sizeof name, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	if (lacks_value) {
		usage_error("option '--%s' needs a value", name);
		return;
	}
	if (optopt != 0) {
		usage_error("option '--%s' takes no value", name);
		return;
	}
	complain_unknown(arg, known);
}

static int
takes_argument(const struct option_row *row)
{
	if (row->argument == NULL)
		return no_argument;
	return *row->argument == '[' ? optional_argument : required_argument;
}

/* The options of both tables, for getopt_long. */
static void
fill_long_options(struct option *out)
{
	size_t n = 0;

	for (int i = 0; i < OPTIONS; i++)
		out[n++] = (struct option){ option_table[i].name, takes_argument(&option_table[i]), NULL,
			FIXED_BASE + i };
	for (int f = 0; f < FIELD_COUNT; f++) {
		const char *const names[] = { field_table[f].flag, field_abbreviation((enum field_id)f) };

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (names[i] != NULL)
				out[n++] = (struct option){ names[i], required_argument, NULL, FIELD_BASE + f };
	}
	out[n++] = (struct option){ "gpus", required_argument, NULL, GPUS };
	/* So that --dp is no short form of --dp-replicate. */
	out[n++] = (struct option){ "dp", optional_argument, NULL, RESULT_BASE + RESULT_DP };
	out[n++] = (struct option){ "edp", optional_argument, NULL, RESULT_BASE + RESULT_EDP };
	out[n] = (struct option){ NULL, 0, NULL, 0 };
}

/* One option or operand as getopt_long returned it. */
static bool
take_option(struct options *o, int c, const char *arg, const struct option *known)
{
	if (c == OPERAND) {
		o->operand[o->operands++] = optarg;
		return true;
	}
	if (c == GPUS) {
		text_put(o->gpus, sizeof o->gpus, "gpus=%s", optarg);
		o->word[o->words++] = o->gpus;
		o->given |= TAKES_PLAN;
		return true;
	}
	if (c == '?' && take_field(o, arg))
		return true;
	if (c == '?' || c == ':') {
		complain_option(arg, c == ':', known);
		return false;
	}
	for (int i = 0; i < OPTIONS; i++)
		if (c == FIXED_BASE + i || c == option_table[i].letter)
			return take_fixed(o, &option_table[i], optarg);
	if (c >= RESULT_BASE) {
		usage_error("option '%s': not a field but a result: %s", arg,
		    result_table[c - RESULT_BASE].help);
		return false;
	}
	o->given |= TAKES_PLAN;
	o->setting[o->settings++] = (struct setting){ (enum field_id)(c - FIELD_BASE), optarg };
	return true;
}

/* The first word is a command's name, unless -- came before it. */
static bool
find_command(struct options *o, int words)
{
	const struct subcommand *found = words > 0 ? subcommand_find(o->commands, o->operand[0]) : NULL;
	const char *near;

	for (int i = 1; found == NULL && i < words; i++)
		if (subcommand_find(o->commands, o->operand[i]) != NULL) {
			usage_error("the command comes first: shardplan %s %s", o->operand[i], o->operand[0]);
			return false;
		}

	o->command = found != NULL ? found : o->commands;
	o->word_first = found == NULL && words > 0;
	if (found != NULL) {
		o->operands--;
		memmove(o->operand, o->operand + 1, (size_t)o->operands * sizeof *o->operand);
	} else if (o->operands > 1 && words > 0 && (near = subcommand_near(o->commands, o->operand[0])) != NULL) {
		usage_error("unknown command '%s' (did you mean %s?)", o->operand[0], near);
		return false;
	}
	return true;
}

/* A path that nobody would write for a word, or a file that is there: a directory is one where its name ends as such. */
static bool
is_file(const char *operand)
{
	const size_t n = strlen(operand), end = sizeof ".cfg" - 1;
	struct stat st;

	return *operand == '\0' || text_equal(operand, "-") || *operand == '/' || *operand == '.' ||
	    operand[n - 1] == '/' || (n > end && text_equal(operand + n - end, ".cfg")) || (stat(operand, &st) == 0 && !S_ISDIR(st.st_mode));
}

/* Words of a command that takes them, among the operands before the last one where it takes several. */
static void
part_words(struct options *o)
{
	const int most = o->operands - (o->command->most > 1);
	int kept = 0;

	if ((o->command->takes & TAKES_WORDS) == 0)
		return;
	for (int i = 0; i < o->operands; i++)
		if (i < most && !is_file(o->operand[i]))
			o->word[o->words++] = o->operand[i];
		else
			o->operand[kept++] = o->operand[i];
	o->operands = kept;
}

/* Options and operands against what the command takes. */
static bool
check_command(const struct options *o)
{
	const struct subcommand *command = o->command;
	const char *name = *command->name != '\0' ? command->name : "the screen";
	unsigned wrong = o->given & ~command->takes;

	if (wrong != 0) {
		for (size_t i = 0; i < option_count; i++)
			if ((option_table[i].takes & wrong) != 0 && (i == SET || (o->fixed >> i & 1) != 0)) {
				usage_error("%s takes no option '--%s'%s", name, option_table[i].name,
				    option_table[i].takes == TAKES_PLAN ? " and no fields of a plan" : "");
				return false;
			}
	}
	if (o->operands < command->least) {
		usage_error("%s needs %s", name, command->arguments);
		return false;
	}
	if (o->operands > command->most) {
		usage_error("%s: unexpected argument '%s'", name, o->operand[command->most]);
		return false;
	}
	return true;
}

/* Names of options are looked up for who writes one: there are hundreds. */
static bool
has_options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-')
			return true;
	return false;
}

bool
options_parse(struct options *o, const struct subcommand *commands, int argc, char **argv)
{
	struct option long_options[OPTIONS + 2 * FIELD_COUNT + 4];
	size_t most = (size_t)argc + 1;
	int c, words, at = 1;

	*o = (struct options){ .stage = -1, .commands = commands, .command = commands };
	o->operand = calloc(most, sizeof *o->operand);
	o->word = calloc(most, sizeof *o->word);
	o->setting = calloc(most, sizeof *o->setting);
	o->ask = calloc(most, sizeof *o->ask);
	if (o->operand == NULL || o->word == NULL || o->setting == NULL || o->ask == NULL) {
		out_of_memory();
		return false;
	}
	if (has_options(argc, argv))
		fill_long_options(long_options);
	else
		long_options[0] = (struct option){ NULL, 0, NULL, 0 };
	opterr = 0;
	/* '-': operands come in their order, so that one before -- can be told from one after. */
	while ((c = getopt_long(argc, argv, "-:hVo:", long_options, NULL)) != -1) {
		if (!take_option(o, c, argv[at], long_options))
			return false;
		at = optind;
	}
	words = o->operands;
	while (optind < argc)
		o->operand[o->operands++] = argv[optind++];
	if (!find_command(o, words))
		return false;
	part_words(o);
	return o->help || o->version || check_command(o);
}

void
options_free(struct options *o)
{
	free(o->operand);
	free(o->word);
	free(o->setting);
	free(o->ask);
}
