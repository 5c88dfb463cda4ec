#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "core/base/text.h"
#include "core/search/search.h"
#include "out/out.h"
#include "prefs/settings.h"

/* What getopt_long returns for an option: the row of a table, past all characters. */
enum { FIXED_BASE = 0x1000, FIELD_BASE = 0x2000, OPERAND = 1 };

enum fixed {
	FIXED_SET, FIXED_KIND, FIXED_FORMAT, FIXED_COLOR_BY, FIXED_ZOOM, FIXED_WIDTH, FIXED_COLOR,
	FIXED_PALETTE, FIXED_ASCII, FIXED_LINEAR, FIXED_STRICT, FIXED_STAGE, FIXED_JSON,
	FIXED_LANGUAGE, FIXED_FREE, FIXED_FIX, FIXED_OBJECTIVE, FIXED_WHERE, FIXED_AROUND, FIXED_TOP,
	FIXED_TIGHT, FIXED_THREADS, FIXED_FROM, FIXED_HERE, FIXED_WORLD, FIXED_TO, FIXED_CORE, FIXED_LIST,
	FIXED_OUTPUT, FIXED_HELP, FIXED_VERSION,
	FIXED_COUNT
};

const struct option_row option_table[] = {
	[FIXED_SET] = { "set", "PATH=VALUE", "change a field of the plan (repeatable)", 0,
	    TAKES_PLAN },
	[FIXED_KIND] = { "kind", "KIND", "only groups of this kind (repeatable)", 0,
	    TAKES_KIND },
	[FIXED_FORMAT] = { "format", "FORMAT",
	    "text; hash: one line a kind with a checksum; csv: a table of plans", 0,
	    TAKES_FORMAT },
	[FIXED_COLOR_BY] = { "color-by", "KIND[,KIND...]",
	    "colour by groups, stage, layers, memory or link:KIND, up to four", 0,
	    TAKES_COLOR_BY },
	[FIXED_ZOOM] = { "zoom", "NAME", "auto, cards, labels, cells, halves, nodes or racks", 0,
	    TAKES_ZOOM },
	[FIXED_WIDTH] = { "width", "COLUMNS",
	    "how wide to print, else as wide as the terminal", 0, TAKES_WIDTH },
	[FIXED_COLOR] = { "color", "WHEN", "auto, always or never", 0, TAKES_COLOR },
	[FIXED_PALETTE] = { "palette", "NAME", "dark, light, safe, 16, 8, mono or auto", 0,
	    TAKES_PALETTE },
	[FIXED_ASCII] = { "ascii", NULL, "draw with ASCII characters alone", 0, TAKES_ASCII },
	[FIXED_LINEAR] = { "linear", NULL,
	    "ask and answer in plain lines, for screen readers and scripts", 0, TAKES_LINEAR },
	[FIXED_STRICT] = { "strict", NULL, "warnings count as errors", 0, TAKES_STRICT },
	[FIXED_STAGE] = { "stage", "STAGE", "this pipeline stage alone", 0, TAKES_STAGE },
	[FIXED_JSON] = { "json", NULL, "print JSON, for scripts", 0, TAKES_JSON },
	[FIXED_LANGUAGE] = { "language", "NAME", "en or zh, else that of the locale", 0,
	    TAKES_LANGUAGE },
	[FIXED_FREE] = { "free", "PATH[=VALUES]",
	    "search all values of a field, or A,B or A..B (repeatable)", 0, TAKES_SEARCH },
	[FIXED_FIX] = { "fix", "PATH", "hold a field at the plan's value (repeatable)", 0,
	    TAKES_SEARCH },
	[FIXED_OBJECTIVE] = { "objective", "NAME[,NAME]",
	    "time, memory, gpus, tokens, gpu-hours, cost, or a path", 0, TAKES_SEARCH },
	[FIXED_WHERE] = { "where", "CONDITION",
	    "such as 'peak.total<=70GiB' (repeatable)", 0, TAKES_SEARCH },
	[FIXED_AROUND] = { "around", "[=N]",
	    "only plans so many changes away from this one, 1 or 2", 0, TAKES_SEARCH },
	[FIXED_TOP] = { "top", "COUNT", "how many plans to list, else 10", 0, TAKES_SEARCH },
	[FIXED_TIGHT] = { "tight", NULL, "list plans too that may not fit", 0, TAKES_SEARCH },
	[FIXED_THREADS] = { "threads", "COUNT", "threads, else one for each core", 0,
	    TAKES_SEARCH },
	[FIXED_FROM] = { "from", "KIND", "what an imported file is, else its looks tell; the file of models",
	    0, TAKES_FROM },
	[FIXED_HERE] = { "here", NULL, "import the machines that this runs on", 0, TAKES_IMPORT },
	[FIXED_WORLD] = { "world", "GPUS", "GPUs of the launch, whatever the file says", 0,
	    TAKES_IMPORT },
	[FIXED_TO] = { "to", "TARGET", "what to write", 0, TAKES_EXPORT },
	[FIXED_CORE] = { "core", "VERSION", "release of Megatron core that reads it, 0.12 to 0.20", 0,
	    TAKES_EXPORT },
	[FIXED_LIST] = { "list", NULL, "list the targets", 0, TAKES_EXPORT },
	[FIXED_OUTPUT] = { "output", "FILE", "write there instead of standard output", 'o',
	    TAKES_OUTPUT },
	[FIXED_HELP] = { "help", NULL, "print this help, or that of a command", 'h', 0 },
	[FIXED_VERSION] = { "version", NULL, "print the version", 'V', 0 },
};
const size_t option_count = FIXED_COUNT;

static void print_message(const char *fmt, va_list args) TEXT_FORMAT(1, 0);

static void
print_message(const char *fmt, va_list args)
{
	out_part(stderr, "shardplan: ");
	out_vpart(stderr, fmt, args);
	out_end(stderr);
}

void
complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
}

int
usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
	out_line(stderr, "Try 'shardplan --help' for more information.");
	return STATUS_ERROR;
}

/* A field by what a user may call it; with a message and FIELD_COUNT when there is none. */
static enum field_id
find_field(const char *option, const char *name)
{
	enum field_id f = field_find(name);
	const char *near;

	if (f != FIELD_COUNT)
		return f;
	near = field_near(name);
	if (near != NULL)
		usage_error("--%s '%s': unknown field (did you mean %s?)", option, name, near);
	else
		usage_error("--%s '%s': unknown field ('shardplan fields' lists them)", option, name);
	return f;
}

/* "parallel.tp=8" from --set. */
static bool
add_assignment(struct options *o, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[128];
	enum field_id f;

	if (equals == NULL || equals == text) {
		usage_error("--set '%s': write PATH=VALUE", text);
		return false;
	}
	text_put(name, sizeof name, "%.*s", (int)(equals - text), text);
	if ((f = find_field("set", name)) == FIELD_COUNT)
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
parse_count(const char *option, const char *text, int most, int *out)
{
	int64_t n;

	if (!parse_number(option, text, 1, most, &n))
		return false;
	*out = (int)n;
	return true;
}

static bool
add_kind(struct options *o, const char *name)
{
	if (o->kinds == LAYOUT_KINDS_MAX) {
		usage_error("--kind: more than %d kinds", LAYOUT_KINDS_MAX);
		return false;
	}
	o->kind[o->kinds++] = name;
	return true;
}

/* "parallel.tp" or "parallel.tp=1,2" of --free; of --fix without values. */
static bool
add_ask(struct options *o, enum ask_what what, const char *text)
{
	const char *equals = what == ASK_FREE ? strchr(text, '=') : NULL;
	struct ask ask = { what, FIELD_COUNT, text };
	char name[128];

	if (what != ASK_WHERE) {
		text_put(name, sizeof name, "%.*s", (int)(equals != NULL ? equals - text : 127), text);
		ask.field = find_field(what == ASK_FREE ? "free" : "fix", name);
		ask.text = equals != NULL ? equals + 1 : NULL;
		if (ask.field == FIELD_COUNT)
			return false;
	}
	o->ask[o->asks++] = ask;
	return true;
}

static bool
parse_zoom(const char *text, enum map_zoom *zoom)
{
	char names[128] = "";
	int i;

	for (i = 0; i < MAP_ZOOM_COUNT; i++)
		text_add(names, sizeof names, "%s%s", i > 0 ? "|" : "",
		    map_zoom_name((enum map_zoom)i));
	if (!parse_name("zoom", names, text, &i))
		return false;
	*zoom = (enum map_zoom)i;
	return true;
}

static bool
add_fixed(struct options *o, enum fixed option, const char *value)
{
	int64_t n;
	int i;

	o->given |= option_table[option].takes;
	switch (option) {
	case FIXED_SET:
		return add_assignment(o, value);
	case FIXED_KIND:
		return add_kind(o, value);
	case FIXED_FORMAT:
		if (!parse_name("format", "text|hash|csv", value, &i))
			return false;
		o->hash = i == 1;
		o->csv = i == 2;
		return true;
	case FIXED_COLOR_BY:
		o->color_by = value;
		return true;
	case FIXED_ZOOM:
		return parse_zoom(value, &o->zoom);
	case FIXED_WIDTH:
		if (!parse_number("width", value, 20, 4096, &n))
			return false;
		o->width = (int)n;
		return true;
	case FIXED_COLOR:
		if (!parse_name("color", "auto|always|never", value, &i))
			return false;
		o->color = (enum color_when)i;
		return true;
	case FIXED_PALETTE:
		o->palette = value;
		return parse_name("palette", settings_table[settings_find("palette")].choices, value,
		    &i);
	case FIXED_ASCII:
		return o->ascii = true;
	case FIXED_LINEAR:
		return o->linear = true;
	case FIXED_STRICT:
		return o->strict = true;
	case FIXED_STAGE:
		return parse_number("stage", value, 0, INT32_MAX, &o->stage);
	case FIXED_JSON:
		return o->json = true;
	case FIXED_LANGUAGE:
		o->language = value;
		return parse_name("language", "en|zh", value, &i);
	case FIXED_FREE:
		return add_ask(o, ASK_FREE, value);
	case FIXED_FIX:
		return add_ask(o, ASK_FIX, value);
	case FIXED_WHERE:
		return add_ask(o, ASK_WHERE, value);
	case FIXED_OBJECTIVE:
		o->objective = value;
		return true;
	case FIXED_AROUND:
		return parse_count("around", value != NULL ? value : "1", 2, &o->around);
	case FIXED_TOP:
		return parse_count("top", value, 1000, &o->top);
	case FIXED_TIGHT:
		return o->tight = true;
	case FIXED_THREADS:
		return parse_count("threads", value, SEARCH_THREADS_MAX, &o->threads);
	case FIXED_FROM:
		o->from = value;
		return true;
	case FIXED_HERE:
		return o->here = true;
	case FIXED_WORLD:
		return parse_number("world", value, 1, PLAN_WORLD_MAX, &o->world);
	case FIXED_TO:
		o->to = value;
		return true;
	case FIXED_CORE:
		o->core = value;
		return true;
	case FIXED_LIST:
		return o->list = true;
	case FIXED_OUTPUT:
		o->output = value;
		return true;
	case FIXED_HELP:
		return o->help = true;
	case FIXED_VERSION:
		return o->version = true;
	case FIXED_COUNT:
		break;
	}
	return false;
}

/* Say what is wrong with an option that getopt_long did not take. */
static void
complain_option(const char *arg, bool lacks_value)
{
	char name[64];
	enum field_id f;

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
	/* --kv-heads: a field without an option of its own */
	for (char *c = name; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	if ((f = field_find(name)) != FIELD_COUNT && field_table[f].flag != NULL)
		usage_error("unknown option '%s' (did you mean --%s?)", arg, field_table[f].flag);
	else if (f != FIELD_COUNT)
		usage_error("unknown option '%s' (write --set %s=VALUE)", arg, field_table[f].path);
	else
		usage_error("unknown or ambiguous option '%s'", arg);
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

	for (int i = 0; i < FIXED_COUNT; i++)
		out[n++] = (struct option){ option_table[i].name, takes_argument(&option_table[i]), NULL,
			FIXED_BASE + i };
	for (int f = 0; f < FIELD_COUNT; f++) {
		const char *const names[] = { field_table[f].flag, field_abbreviation((enum field_id)f) };

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (names[i] != NULL)
				out[n++] = (struct option){ names[i], required_argument, NULL, FIELD_BASE + f };
	}
	out[n] = (struct option){ NULL, 0, NULL, 0 };
}

/* One option or operand as getopt_long returned it. */
static bool
take(struct options *o, int c, const char *arg)
{
	switch (c) {
	case OPERAND:
		o->operand[o->operands++] = optarg;
		return true;
	case 'h':
		return add_fixed(o, FIXED_HELP, NULL);
	case 'V':
		return add_fixed(o, FIXED_VERSION, NULL);
	case 'o':
		return add_fixed(o, FIXED_OUTPUT, optarg);
	case '?':
	case ':':
		complain_option(arg, c == ':');
		return false;
	default:
		break;
	}
	if (c < FIELD_BASE)
		return add_fixed(o, (enum fixed)(c - FIXED_BASE), optarg);
	o->given |= TAKES_PLAN;
	o->setting[o->settings++] = (struct setting){ (enum field_id)(c - FIELD_BASE), optarg };
	return true;
}

/* The first word is a command's name, unless -- came before it. */
static bool
find_command(struct options *o, int words)
{
	const struct subcommand *found = words > 0 ? subcommand_find(o->operand[0]) : NULL;
	const char *near;

	o->command = found != NULL ? found : &subcommand_table[0];
	o->word = found == NULL && words == 1;
	if (found != NULL) {
		o->operands--;
		memmove(o->operand, o->operand + 1, (size_t)o->operands * sizeof *o->operand);
	} else if (o->operands > 1 && words > 0 && strpbrk(o->operand[0], "./") == NULL) {
		near = subcommand_near(o->operand[0]);
		if (near != NULL)
			usage_error("unknown command '%s' (did you mean %s?)", o->operand[0], near);
		else
			usage_error("unknown command '%s'", o->operand[0]);
		return false;
	}
	return true;
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
			if ((option_table[i].takes & wrong) != 0) {
				usage_error("%s takes no option '--%s'%s", name, option_table[i].name,
				    option_table[i].takes == TAKES_PLAN ? " and no fields of a plan" : "");
				return false;
			}
	}
	if (o->operands < command->least) {
		usage_error("%s needs %s", name, command->arguments);
		return false;
	}
	if (o->operands > command->most && *command->name == '\0' &&
	    subcommand_find(o->operand[command->most]) != NULL) {
		usage_error("the command comes first: shardplan %s %s", o->operand[command->most],
		    o->operand[0]);
		return false;
	}
	if (o->operands > command->most) {
		usage_error("%s: unexpected argument '%s'", name, o->operand[command->most]);
		return false;
	}
	return true;
}

bool
options_parse(struct options *o, int argc, char **argv)
{
	struct option long_options[(size_t)FIXED_COUNT + 2 * FIELD_COUNT + 1];
	size_t most = (size_t)argc + 1;
	int c, words, at = 1;

	*o = (struct options){ .stage = -1, .command = &subcommand_table[0] };
	o->operand = calloc(most, sizeof *o->operand);
	o->setting = calloc(most, sizeof *o->setting);
	o->ask = calloc(most, sizeof *o->ask);
	if (o->operand == NULL || o->setting == NULL || o->ask == NULL) {
		complain("out of memory");
		return false;
	}
	fill_long_options(long_options);
	opterr = 0;
	/* '-': operands come in their order, so that one before -- can be told from one after. */
	while ((c = getopt_long(argc, argv, "-:hVo:", long_options, NULL)) != -1) {
		if (!take(o, c, argv[at]))
			return false;
		at = optind;
	}
	words = o->operands;
	while (optind < argc)
		o->operand[o->operands++] = argv[optind++];
	if (!find_command(o, words))
		return false;
	return o->help || o->version || check_command(o);
}

struct field_set
options_asked(const struct options *o)
{
	struct field_set asked = { { 0 } };

	for (size_t i = 0; i < o->settings; i++)
		field_set_add(&asked, o->setting[i].field);
	return asked;
}

void
options_free(struct options *o)
{
	free(o->operand);
	free(o->setting);
	free(o->ask);
}
