#include "file/source/words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "file/notation/shell.h"
#include "file/notation/yamlin.h"
#include "file/source/devices.h"
#include "file/source/named.h"
#include "file/source/program.h"
#include "file/source/sourced.h"

/* Takes the value over. Of a path whose directory alone only a run would tell the rest is known: "$HOME/models/Qwen3-8B". */
static void
put_word(struct jsonin *j, struct import *im, const char *path, json_t *value, bool unknown)
{
	const char *text = json_string_value(value);

	unknown = unknown && (text == NULL || text[strspn(text, "\"'")] != '$' || named_known(text)[0] == '\0' ||
	    strpbrk(named_known(text), " \t\n") != NULL);
	if (unknown)
		import_ignore(im, path, "only a run would tell its value");
	if (unknown)
		json_decref(value);
	else if (!jsonin_put(j->root, path, value))
		import_ignore(im, path, "another key stands in its way");
}

/* A text without the quotes that Hydra takes off, or what it means without. */
static json_t *
value_of(const char *text, size_t n)
{
	char plain[512];

	if (n >= 2 && (*text == '\'' || *text == '"') && text[n - 1] == *text)
		return json_stringn(text + 1, n - 2);
	if (n >= sizeof plain)
		return json_stringn(text, n);
	memcpy(plain, text, n);
	plain[n] = '\0';
	return yamlin_plain(plain);
}

/* [a,b]: plain values alone. */
static json_t *
list_of(const char *text)
{
	json_t *list = json_array();

	for (text++; *text != ']' && *text != '\0'; text += *text == ',') {
		const size_t n = strcspn(text, ",]");

		json_array_append_new(list, value_of(text, n));
		text += n;
	}
	return list;
}

/* A name, a point, more of them, and an equals sign; NULL for other words. */
static const char *
equals_of(const char *word)
{
	const size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
	const size_t all = name > 0 ? strcspn(word, "= \t\n") : 0;

	return all > 0 && word[all] == '=' && (word[name] == '.' || all == name) ? word + all : NULL;
}

/* Hydra's GROUP=OPTION chooses a file; GROUP.NAME=VALUE behind it sets what is in that. The option
 * goes to GROUP.@ then. */
static void
part_group(struct jsonin *j, char path[256])
{
	char group[64];
	json_t *there, *parted;

	text_put(group, sizeof group, "%.*s", (int)strcspn(path, "."), path);
	there = json_object_get(j->root, group);
	if (json_is_object(there) && text_equal(group, path)) {
		text_add(path, 256, ".@");
	} else if (json_is_string(there) && !text_equal(group, path) && (parted = json_object()) != NULL) {
		json_object_set(parted, "@", there);
		json_object_set_new(j->root, group, parted);
	}
}

static void
take_override(struct jsonin *j, struct import *im, const struct shell_word *w)
{
	const char *key = w->text + strspn(w->text, "+"), *equals = equals_of(key);
	char path[256];

	if (equals == NULL)
		return;
	im->line = w->line;
	text_put(path, sizeof path, "%.*s", (int)(equals - key), key);
	part_group(j, path);
	put_word(j, im, path, equals[1] == '[' ? list_of(equals + 1) : value_of(equals + 1,
	    strlen(equals + 1)), w->unknown);
}

/* "--name", and short ones of letters: "-m", "-tp", "-tp=2". */
static bool
is_flag(const char *word)
{
	const size_t n = word[0] == '-' ? strspn(word + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

	return shell_is_flag(word) || (n > 0 && (word[n + 1] == '\0' || word[n + 1] == '='));
}

/* Settings in settings are JSON there (huggingface/transformers src/transformers/training_args.py,
 * _VALID_DICT_FIELDS). */
static json_t *
flag_value(const char *text)
{
	json_t *object = *text == '{' && strlen(text) < 4096 ?
	    json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

	return object != NULL ? object : yamlin_plain(text);
}

/* A script behind a launcher's flag that has its value, or takes none, is what it launches. */
static bool
is_launched(const char *flag, size_t values, const char *word)
{
	return program_is_python(word) && (values > 0 || strncmp(flag, "--use_", 6) == 0);
}

/* argparse takes a name with hyphens for one with underscores, and a value behind '='. */
static void
take_flag(struct jsonin *j, struct import *im, const struct shell_word *w, size_t count)
{
	const char *equals = strchr(w->text, '='), *bare;
	bool unknown = w[0].unknown;
	size_t values = 0;
	json_t *value;
	char name[256];

	while (equals == NULL && values + 1 < count && strncmp(w[values + 1].text, "--", 2) != 0 &&
	    !is_flag(w[values + 1].text) && !is_launched(w->text, values, w[values + 1].text) &&
	    !(values > 0 && shell_adds(&w[values + 1])))
		unknown |= w[++values].unknown;
	im->line = w->line;
	if (equals == NULL && values > 0 && values + 1 < count && shell_adds(&w[values + 1]))
		import_ignore(im, w[values + 1].text, WORDS_ADDED);
	bare = w->text + strspn(w->text, "-");
	text_put(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '-' ? '_' : *c;
	if (values < 2) {
		value = equals != NULL ? flag_value(equals + 1) : values == 0 ? json_true() :
		    flag_value(w[1].text);
	} else {
		value = json_array();
		for (size_t i = 1; i <= values; i++)
			json_array_append_new(value, yamlin_plain(w[i].text));
	}
	put_word(j, im, name, value, unknown);
}

/* A word that belongs to no flag: behind one that has its value after '='. */
static bool
is_loose(const struct shell_word *w)
{
	return w->text[0] != '-' && !w->unknown && is_flag(w[-1].text) && strchr(w[-1].text, '=') != NULL;
}

/* The program's operand: right behind it, or else the first loose word. */
static void
take_operand(struct jsonin *j, struct import *im, const struct shell_list *command, size_t from)
{
	size_t at = from;

	while (at < command->count && !(at == from ? command->word[at].text[0] != '-' : is_loose(&command->word[at])))
		at++;
	if (at < command->count)
		put_word(j, im, WORDS_OPERAND, json_string(command->word[at].text), command->word[at].unknown);
}

static void
take_flags(struct jsonin *j, struct import *im, const struct shell_list *command, size_t from)
{
	take_operand(j, im, command, from);
	for (size_t i = program_is_contained(command) ? from : 0; i < command->count; i++)
		if (is_flag(command->word[i].text))
			take_flag(j, im, &command->word[i], command->count - i);
}

/* What composer and MaxText read before their overrides. */
static bool
is_settings(const char *word)
{
	const size_t n = strlen(word);

	return word[0] != '-' && strchr(word, '=') == NULL && n > 5 && (strcmp(word + n - 5, ".yaml") == 0 ||
	    strcmp(word + n - 4, ".yml") == 0);
}

/* Whether a script is told more than where DeepSpeed's settings are: what it trains, it may be. */
static bool
tells_script(const struct shell_word *w, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(w[i].text, "--deepspeed_config") == 0)
			i++;
		else if (strcmp(w[i].text, "--deepspeed") != 0 && strncmp(w[i].text, "--deepspeed_config=", 19) != 0)
			return true;
	return false;
}

/* A script that whoever starts it has to name: "${SCRIPT:?}", and no value of a flag. */
static bool
is_named_later(const struct shell_list *command, size_t k)
{
	const struct shell_word *w = &command->word[k];

	return k > 0 && w->unknown && strncmp(w->text, "${", 2) == 0 && strstr(w->text, ":?") != NULL &&
	    !(is_flag(command->word[k - 1].text) && strchr(command->word[k - 1].text, '=') == NULL);
}

/* Behind the launcher's name; who does not ask for them is not told of them. */
static void
take_script(struct jsonin *j, const struct shell_list *command, size_t k)
{
	while (k < command->count && !program_is_python(command->word[k].text) && !is_named_later(command, k))
		k++;
	if (k == command->count)
		return;
	jsonin_put(j->root, WORDS_SCRIPT, json_string(program_is_python(command->word[k].text) ? command->word[k].text : ""));
	if (k + 1 < command->count && is_settings(command->word[k + 1].text))
		jsonin_put(j->root, WORDS_SETTINGS, json_string(command->word[k + 1].text));
	if (tells_script(&command->word[k + 1], command->count - k - 1))
		jsonin_put(j->root, WORDS_TOLD, json_true());
	jsonin_has(j, WORDS_SCRIPT);
	jsonin_has(j, WORDS_SETTINGS);
	jsonin_has(j, WORDS_TOLD);
}

/* A number, or the most of "1:4" of torchrun; "gpu" and "auto" are for a run to tell. */
static void
put_launch(struct jsonin *j, struct import *im, const char *name, const struct shell_word *value)
{
	const char *colon = strchr(value->text, ':'), *most = colon != NULL ? colon + 1 : value->text;
	int64_t n;

	if (value->unknown)
		return;
	if (text_to_int(most, &n) && n > 0 && n <= PLAN_WORLD_MAX)
		jsonin_put(j->root, name, json_integer(n));
	else
		import_ignore(im, name, "only a run would tell its value");
}

/* What deepspeed itself is told before its script, and the GPUs that it, or another launcher of all that it sees,
 * is let see (deepspeed/launcher/runner.py). */
static void
take_devices(struct jsonin *j, struct import *im, const struct shell *s, size_t ran)
{
	static const char *const told[] = { "num_nodes", "num_gpus", "include", "exclude", "hostfile" };
	const bool deepspeed = strstr(im->text, "deepspeed ") != NULL;
	struct devices used = { .nodes = json_integer_value(json_object_get(j->root, "num_nodes")),
		.gpus = json_integer_value(json_object_get(j->root, "num_gpus")) };
	struct devices of_hosts;
	struct shell_word visible;

	if (jsonin_has(j, WORDS_PROCESSES))
		return;
	if (deepspeed && devices_used(im, j, &of_hosts))
		used = of_hosts;
	else if (deepspeed && (jsonin_has(j, "include") || jsonin_has(j, "exclude")))
		import_ignore(im, "include", "no host file beside the launch tells the GPUs of these hosts");
	if (used.gpus <= 0 && shell_setting(s, ran, "CUDA_VISIBLE_DEVICES", &visible) && !visible.unknown && (deepspeed ||
	    strstr(im->text, "llamafactory-cli train") != NULL || strstr(im->text, "accelerate launch") != NULL))
		used.gpus = devices_count(visible.text, visible.text + strlen(visible.text));
	if (used.gpus <= 0 || used.gpus > PLAN_WORLD_MAX)
		return;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		json_object_del(j->root, told[i]);
	jsonin_put(j->root, WORDS_PROCESSES, json_integer(used.gpus));
	if (!jsonin_has(j, WORDS_NODES))
		jsonin_put(j->root, WORDS_NODES, json_integer(used.nodes > 0 ? used.nodes : 1));
	if (used.each[0] != '\0')
		jsonin_put(j->root, WORDS_EACH, json_string(used.each));
}

/* What starts the program, or its launcher, on nodes: srun one process a task (srun(1)), open-instruct's mason as many as its
 * launcher does on each of them (allenai/open-instruct mason.py). */
static const struct outer {
	const char *program, *nodes, *each, *all, *gpus;
} outer_table[] = {
	{ "srun", "--nodes -N", "--ntasks-per-node", "--ntasks -n", "--gres --gpus-per-node" },
	{ "mason.py", "--num_nodes", "--gpus", NULL, "--gpus" },
};

/* The number behind the first of these flags among the words, 0: none that is known. "gpu:a100:8" counts 8. */
static int64_t
outer_number(const struct shell_list *list, size_t count, const char *flags)
{
	for (size_t i = 0; flags != NULL && i < count; i++) {
		const size_t n = strcspn(list->word[i].text, "=");
		const bool joined = list->word[i].text[n] == '=';
		const struct shell_word *w = &list->word[joined || i + 1 == count ? i : i + 1];
		const char *value = joined ? w->text + n + 1 : w->text, *colon = strrchr(value, ':');
		int64_t number;

		if (text_index(flags, list->word[i].text, n) >= 0)
			return !w->unknown && text_to_int(colon != NULL ? colon + 1 : value, &number) && number > 0 ? number : 0;
	}
	return 0;
}

/* Before the program, as far as its own launcher does not say it. */
static void
take_outer(struct jsonin *j, const struct shell_list *list, const struct outer *o)
{
	size_t end = program_end(list, o->program);
	int64_t nodes, each, all;

	while (end < list->count && !program_is_python(list->word[end].text) && strcmp(list->word[end].text, "--") != 0)
		end++;
	nodes = outer_number(list, end, o->nodes);
	each = outer_number(list, end, o->each);
	all = outer_number(list, end, o->all);
	if (each == 0 && all > 0)
		each = nodes > 0 ? all / nodes : outer_number(list, end, o->gpus);
	each = all > 0 && each > all ? all : each;
	nodes = nodes == 0 && each > 0 && all > 0 ? all / each : nodes;
	if (!jsonin_has(j, WORDS_PROCESSES) && each > 0 && nodes > 0)
		jsonin_put(j->root, WORDS_PROCESSES, json_integer(each));
	if (!jsonin_has(j, WORDS_NODES) && jsonin_has(j, WORDS_PROCESSES) && nodes > 0)
		jsonin_put(j->root, WORDS_NODES, json_integer(nodes));
}

static void
find_outer(struct jsonin *j, struct shell *s, size_t ran)
{
	struct shell_list list = { 0, 0, NULL };

	if (ran < s->commands && shell_flatten(s, &s->command[ran], &list))
		for (size_t i = 0; i < sizeof outer_table / sizeof *outer_table; i++)
			if (program_end(&list, outer_table[i].program) > 0)
				take_outer(j, &list, &outer_table[i]);
	free(list.word);
}

/* Flags of torchrun win over the environment of the command that runs the program. */
static void
take_launch(struct jsonin *j, struct import *im, const struct shell *s, size_t ran)
{
	static const struct {
		const char *name, *flags;
	} told[] = { { WORDS_NODES, "--nnodes" }, { WORDS_PROCESSES, "--nproc_per_node --nproc-per-node" } };

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		struct shell_word value;

		if (shell_setting(s, ran, told[i].name, &value))
			put_launch(j, im, told[i].name, &value);
		for (size_t c = 0; c < s->commands; c++)
			for (size_t k = 0; k < s->command[c].count; k++) {
				const struct shell_word *w = &s->command[c].word[k];
				const size_t n = strcspn(w->text, "=");
				const struct shell_word behind = { .text = w->text + n + 1, .unknown = w->unknown };

				if (w->text[n] == '=' && text_index(told[i].flags, w->text, n) >= 0)
					put_launch(j, im, told[i].name, &behind);
				else if (k + 1 < s->command[c].count &&
				    text_index(told[i].flags, w->text, strlen(w->text)) >= 0)
					put_launch(j, im, told[i].name, w + 1);
			}
	}
}

static void
tell_idle(struct import *im, const char *programs)
{
	char names[256] = "", name[64];

	for (int64_t i = 0; text_choice(programs, i, name, sizeof name); i++)
		text_add(names, sizeof names, "%s%s", i > 0 ? ", " : "", name);
	im->idle = im->errors->count == 0;
	import_error(im, "", "no command of it runs one of %s", names);
}

/* What is read of the commands. */
struct wanted {
	const char *programs;
	bool launch;
};

static void
take_overrides(struct jsonin *j, struct import *im, const struct shell_list *list, bool launch)
{
	for (size_t k = 0; k < list->count; k++)
		if (text_equal(list->word[k].text, "--config") && k + 1 < list->count)
			take_flag(j, im, &list->word[k], 2); /* tune run has this one flag before overrides */
		else if (launch && k > 0 && is_settings(list->word[k].text))
			put_word(j, im, WORDS_OPERAND, json_string(list->word[k].text), false); /* its directory may be unknown */
		else
			take_override(j, im, &list->word[k]);
}

/* How much of it is read; 0: it is no launch. */
static size_t
weigh_command(const struct shell_list *list, const struct wanted *w)
{
	size_t n = w->programs != NULL && program_end(list, w->programs) > 0;

	if (w->programs != NULL && n == 0)
		return 0;
	for (size_t k = 0; k < list->count; k++) {
		const char *word = list->word[k].text;

		n += w->programs != NULL ? is_flag(word) : equals_of(word + strspn(word, "+")) != NULL ||
		    text_equal(word, "--config") || (w->launch && k > 0 && is_settings(word));
	}
	return n;
}

/* Launches of a script, in their order. */
struct launches {
	struct {
		size_t command, weight;
		unsigned line;
	} *launch;
	size_t count, most; /* weight of the heaviest */
};

static bool
find_launches(struct launches *l, struct shell *s, const struct wanted *w)
{
	struct shell_list list = { 0, 0, NULL };
	bool ok = (l->launch = calloc(s->commands + 1, sizeof *l->launch)) != NULL;

	for (size_t i = 0; i < s->commands && ok; i++) {
		size_t n;

		list.count = 0;
		ok = shell_flatten(s, &s->command[i], &list);
		if ((n = weigh_command(&list, w)) == 0)
			continue;
		l->most = n > l->most ? n : l->most;
		l->launch[l->count].command = i;
		l->launch[l->count].weight = n;
		l->launch[l->count++].line = s->command[i].word[0].line;
	}
	free(list.word);
	return ok;
}

/* Of several the one that the user wants by its number, or else the first that says half as much as any; the others
 * are told. Its place, SIZE_MAX without one. */
static size_t
choose_launch(struct import *im, const struct launches *l)
{
	size_t chosen = 0, number = 0;
	int64_t part = 0;
	char name[32];

	while (chosen < l->count && 2 * l->launch[chosen].weight < l->most)
		chosen++;
	if (im->part != NULL && l->count > 1) {
		if (!text_to_int(im->part, &part) || part < 1 || part > (int64_t)l->count) {
			import_error(im, "--part", "'%s' is no number of one of %zu launches", im->part, l->count);
			return SIZE_MAX;
		}
		chosen = (size_t)part - 1;
	}
	for (size_t i = 0; i < l->count; i++) {
		number += 2 * l->launch[i].weight >= l->most;
		if (i == chosen || 2 * l->launch[i].weight < l->most || number > 8)
			continue;
		im->line = 0;
		text_put(name, sizeof name, "line %u", sourced_line(im, l->launch[i].line));
		notes_add(&im->ignored, "%s: another launch (fix: --part=%zu)", name, i + 1);
	}
	return chosen < l->count ? chosen : SIZE_MAX;
}

/* Where what a launcher runs is looked for: behind its name, unless that is the script's own. */
static size_t
launched_from(const struct shell_list *list, const char *programs)
{
	const size_t n = program_end(list, programs);

	return n > 0 && !program_is_python(list->word[n - 1].text) ? n : 0;
}

/* Which command it is, SIZE_MAX: none. */
static size_t
take_chosen(struct jsonin *j, struct import *im, struct shell *s, const struct wanted *w)
{
	struct launches l = { NULL, 0, 0 };
	struct shell_list list = { 0, 0, NULL };
	size_t at = SIZE_MAX;

	if (find_launches(&l, s, w) && (at = choose_launch(im, &l)) != SIZE_MAX) {
		at = l.launch[at].command;
		if (shell_flatten(s, &s->command[at], &list) && w->programs != NULL)
			take_flags(j, im, &list, program_end(&list, w->programs));
		else
			take_overrides(j, im, &list, w->launch);
	}
	if (w->launch && w->programs != NULL)
		take_script(j, &list, launched_from(&list, w->programs));
	free(l.launch);
	free(list.word);
	return at;
}

/* What the script writes itself a launch may name. */
static void
keep_files(struct import *im, const struct shell *s)
{
	for (size_t i = 0; i < s->files && im->writes < IMPORT_WRITTEN_MAX; i++) {
		char *name = strdup(s->file[i].name), *text = strdup(s->file[i].text);

		if (name != NULL && text != NULL) {
			im->written[im->writes++] = (struct import_text){ name, text, strlen(text) };
			continue;
		}
		free(name);
		free(text);
	}
}

bool
words_read(struct jsonin *j, struct import *im, const char *programs, bool launch)
{
	const struct wanted wanted = { programs, launch };
	struct shell s = { 0 };
	size_t ran = SIZE_MAX;

	*j = (struct jsonin){ .root = json_object(), .texts = 1, .file = im->name, .text = im->text,
		.errors = im->errors };
	jsonin_watch(j);
	if (shell_read(&s, im->text, im->size))
		ran = take_chosen(j, im, &s, &wanted);
	keep_files(im, &s);
	if (s.loop_line > 0)
		notes_add(&im->assumed, WORDS_LOOP, sourced_line(im, s.loop_line));
	if (s.error == NULL && launch && programs != NULL && ran == SIZE_MAX && im->errors->count == 0)
		tell_idle(im, programs);
	if (launch) {
		take_launch(j, im, &s, ran);
		find_outer(j, &s, ran);
		take_devices(j, im, &s, ran);
	}
	im->line = s.error != NULL ? s.error_line : 0;
	if (s.error != NULL)
		import_error(im, "", "%s", s.error);
	shell_free(&s);
	return im->errors->count == 0;
}
