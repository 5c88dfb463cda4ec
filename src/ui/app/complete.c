#include <stdlib.h>
#include <string.h>

#include "core/base/match.h"
#include "core/base/text.h"
#include "core/search/question.h"
#include "core/search/search_target.h"
#include "ui/app/command.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"
#include "ui/state/edit.h"

/* What is being typed: where its word begins, and what it can be. */
struct place {
	const char *word;
	enum source source;
	enum field_id field;   /* VALUE */
	size_t setting;        /* SETTING_VALUE */
	const struct command *command;
};

/* The words that go on from what is typed: those that answer it no worse than that. */
struct offers {
	struct words *to;
	const char *typed;
	enum match worst;
};

/* ---- what is typed ----------------------------------------------------------------- */

/* A field and its value, "parallel.tp 8", or the last of several: "tp=8 pp4 h100". */
static void
place_field(struct place *at, const char *text)
{
	const char *end = text;
	char name[96];
	size_t n;

	for (;;) {
		text = end + strspn(end, " \t");
		n = strcspn(text, " \t=");
		at->word = text;
		at->source = SOURCE_FIELD;
		at->field = FIELD_NONE;
		if (text[n] == '\0' || n >= sizeof name)
			return;
		text_put(name, sizeof name, "%.*s", (int)n, text);
		at->field = field_find(name);
		end = text + n;
		if (at->field == FIELD_NONE && *end != '=') /* a word of shorthand */
			continue;
		at->source = at->field != FIELD_NONE ? SOURCE_VALUE : SOURCE_NONE;
		at->word = end + strspn(end, " \t=");
		end = at->word + strcspn(at->word, " \t");
		if (*end == '\0' || text[n] != '=' || at->field == FIELD_NONE ||
		    field_table[at->field].type == FIELD_TEXT)
			return;
	}
}

/* A setting and its value. */
static void
place_setting(struct place *at, const char *text)
{
	const size_t n = strcspn(text, " \t");

	at->word = text;
	at->source = SOURCE_SETTING;
	if (text[n] == '\0')
		return;
	at->setting = settings_find(TEXT_OF(SETTINGS_TEXT_SIZE, "%.*s", (int)n, text));
	at->source = at->setting < settings_count ? SOURCE_SETTING_VALUE : SOURCE_NONE;
	at->word = text + n + strspn(text + n, " \t");
}

/* The last of several words "free=tp": a key, or a field or number of it. */
static void
place_search(struct place *at)
{
	const char *last;

	while ((last = strpbrk(at->word, " \t")) != NULL)
		at->word = last + 1;
	last = strrchr(at->word, '=');
	if (last == NULL)
		return;
	at->source = at->word[0] == 'f' ? SOURCE_SEARCHED : SOURCE_TARGET;
	at->word = strpbrk(last, ",") != NULL ? strrchr(last, ',') + 1 : last + 1;
}

/* A target and the file that it is written to. */
static void
place_target(struct place *at, const char *text)
{
	const size_t n = strcspn(text, " \t");

	at->word = text + n + strspn(text + n, " \t");
	at->source = SOURCE_PATH;
	if (text[n] == '\0') {
		at->word = text;
		at->source = SOURCE_EXPORT;
	}
}

static struct place
place_of(const struct state *s, const char *text)
{
	struct place at = { .word = text, .field = FIELD_NONE };
	const char *comma;
	char name[64];
	size_t n;

	if (s->prompt.kind == PROMPT_SAVE)
		at.source = SOURCE_PATH;
	if (s->prompt.kind == PROMPT_GO)
		at.source = SOURCE_WHERE;
	if (s->prompt.kind == PROMPT_FIELD) {
		at.source = SOURCE_VALUE;
		at.field = s->form.field;
	}
	if (s->prompt.kind != PROMPT_COMMAND)
		return at;
	text += strspn(text, " \t:");
	n = strcspn(text, " \t=");
	at.word = text;
	at.source = SOURCE_COMMAND;
	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
	at.command = command_find(name);
	if (text[n] == '\0')
		return at;
	if (at.command != NULL) {
		at.word = text + n + strspn(text + n, " \t");
		at.source = at.command->source;
	}
	if (at.command == NULL || at.source == SOURCE_FIELD)
		place_field(&at, at.word);
	if (at.source == SOURCE_SEARCH)
		place_search(&at);
	if (at.source == SOURCE_EXPORT)
		place_target(&at, at.word);
	if (at.source == SOURCE_SETTING)
		place_setting(&at, at.word);
	else if (at.source == SOURCE_SETTING_VALUE) /* called as their setting is */
		at.setting = settings_find(at.command->name);
	/* The last of several: "tp,pp", "layer 37, expert 12". */
	if (at.source == SOURCE_KINDS || at.source == SOURCE_WHERE)
		while ((comma = strpbrk(at.word, ",+")) != NULL)
			at.word = comma + 1 + strspn(comma + 1, " ");
	return at;
}

/* ---- what can follow --------------------------------------------------------------- */

/* Take a word that is called `name`, with what comes after it. */
static void
offer_name(struct offers *o, const char *name, const char *word)
{
	if (match_name(name, o->typed) <= o->worst)
		words_take(o->to, word);
}

static void
offer_names(struct offers *o, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		offer_name(o, names[i], names[i]);
}

static void
offer_commands(struct offers *o, bool spaced)
{
	for (size_t i = 0; i < command_count; i++)
		offer_name(o, command_table[i].name, TEXT_OF(96, "%s%s", command_table[i].name, spaced &&
		    command_table[i].argument[0] != '\0' ? " " : ""));
}

/* What plans can be ranked by. */
static void
offer_targets(const struct state *s, struct offers *o)
{
	static const char *const names[] = { "time", "memory", "gpus", "tokens", "gpu-hours", "cost", "energy" };
	struct search_target t;
	char err[256];

	offer_names(o, names, sizeof names / sizeof *names);
	for (enum result_id id = 0; id < RESULT_COUNT; id++)
		if (target_find(&t, result_table[id].path, &s->plan, err, sizeof err))
			offer_name(o, result_table[id].path, result_table[id].path);
}

/* Fields by their path, its last part or their short name, with what comes between name and
 * value. */
static void
offer_fields(const struct state *s, struct offers *o, char between)
{
	const enum field_id named = field_find(o->typed); /* first, whatever else begins so */
	char word[128];

	for (int i = -1; i < FIELD_COUNT; i++) {
		const enum field_id f = i < 0 ? named : (enum field_id)i;

		if (f == FIELD_NONE || !field_applies(f, &s->plan))
			continue;
		text_put(word, sizeof word, "%s%c", field_table[f].path, between);
		if (field_abbreviation(f) != NULL)
			offer_name(o, field_abbreviation(f), word);
		offer_name(o, field_key(f), word);
		offer_name(o, field_table[f].path, word);
	}
}

/* Fields as commands, by a name that no command has. */
static void
offer_short_fields(const struct state *s, struct offers *o)
{
	for (enum field_id f = 0; f < FIELD_COUNT && o->typed[0] != '\0'; f++) {
		const char *const names[] = { field_abbreviation(f), field_key(f) };

		for (size_t i = 0; i < 2 && field_applies(f, &s->plan); i++) {
			if (names[i] == NULL || field_find(names[i]) != f || command_find(names[i]) != NULL)
				continue;
			offer_name(o, names[i], TEXT_OF(128, "%s ", names[i]));
		}
	}
}

/* What an entry is called, by any of its names. */
static void
offer_entries(struct offers *o, const struct catalog_list *list)
{
	char name[PLAN_ID_SIZE];

	for (size_t i = 0; i < list->count; i++) {
		offer_name(o, list->entry[i].id, list->entry[i].id);
		for (int64_t k = 0; catalog_alias(&list->entry[i], k, name, sizeof name); k++)
			offer_name(o, name, name);
	}
}

/* Models and GPUs stand for themselves among settings. */
static void
offer_shorthand(const struct state *s, struct offers *o)
{
	if (o->typed[0] == '\0')
		return;
	offer_entries(o, &s->catalog->models);
	offer_entries(o, &s->catalog->gpus);
}

static void
offer_value(const struct state *s, struct offers *o, enum field_id f)
{
	static const char *const truth[] = { "true", "false" };
	char name[96];

	if (f == FIELD_PRESET || f == FIELD_GPU)
		offer_entries(o, f == FIELD_PRESET ? &s->catalog->models : &s->catalog->gpus);
	else if (field_table[f].type == FIELD_BOOL)
		offer_names(o, truth, 2);
	else if (field_table[f].type == FIELD_CHOICE)
		for (int64_t i = 0; field_choice(f, i, name, sizeof name); i++)
			offer_name(o, name, name);
}

static void
offer_settings(struct offers *o)
{
	for (size_t i = 0; i < settings_count; i++)
		offer_name(o, settings_table[i].name, TEXT_OF(SETTINGS_TEXT_SIZE + 1, "%s ", settings_table[i].name));
}

static void
offer_setting_values(struct offers *o, size_t row)
{
	char word[SETTINGS_TEXT_SIZE];

	for (size_t i = 0; row < settings_count && settings_choice(row, i, word, sizeof word); i++)
		offer_name(o, word, word);
}

static void
offer_kinds(const struct state *s, struct offers *o)
{
	const struct layout *l = &s->estimate->layout;
	char name[MAP_COLOR_NAME_SIZE];

	for (int i = 0; s->estimate->laid_out && i < map_color_count(l); i++) {
		map_color_name(map_color_at(l, i), l, name, sizeof name);
		offer_name(o, name, name);
	}
}

/* Pages have the same names in all languages. */
static void
offer_topics(const struct state *s, struct offers *o)
{
	const struct topic *page;
	char name[32];

	for (size_t i = 0; s->files->topic != NULL &&
	    (page = s->files->topic(s->files->context, "en", i)) != NULL; i++) {
		topic_name(page, name, sizeof name);
		offer_name(o, name, name);
	}
}

static void
offer_exports(const struct state *s, struct offers *o)
{
	const char *name;

	for (size_t i = 0; s->files->target != NULL &&
	    (name = s->files->target(s->files->context, i)) != NULL; i++)
		offer_name(o, name, name);
}

static void
offer_paths(const struct state *s, struct offers *o)
{
	char path[LINE_SIZE];

	for (size_t i = 0; s->files->complete(s->files->context, o->typed, i, path, sizeof path); i++)
		words_take(o->to, path);
}

static void
offer_all(const struct state *s, struct offers *o, const struct place *at)
{
	static const char *const places[] = { "rank ", "node ", "stage ", "layer ", "expert " };
	static const char *const keys[] = { "free=", "fix=", "where=", "objective=", "around=" };

	const bool sets = at->command == NULL || at->command->run == edit_set;

	switch (at->source) {
	case SOURCE_COMMAND:
		offer_commands(o, true);
		offer_short_fields(s, o);
		offer_shorthand(s, o);
		break;
	case SOURCE_HELP:
		offer_commands(o, false);
		offer_short_fields(s, o);
		break;
	case SOURCE_FIELD:
		offer_fields(s, o, sets ? '=' : ' ');
		if (sets)
			offer_shorthand(s, o);
		break;
	case SOURCE_VALUE:
		offer_value(s, o, at->field);
		break;
	case SOURCE_KINDS:
		offer_kinds(s, o);
		break;
	case SOURCE_YANK:
		for (int i = 0; yank_name(i) != NULL; i++)
			offer_name(o, yank_name(i), yank_name(i));
		break;
	case SOURCE_ZOOM:
		for (int i = MAP_ZOOM_AUTO; i < MAP_ZOOM_COUNT; i++)
			offer_name(o, map_zoom_name((enum map_zoom)i), map_zoom_name((enum map_zoom)i));
		break;
	case SOURCE_PANE:
		for (int i = 0; i < PANE_COUNT; i++)
			offer_name(o, pane_type(s, (enum pane)i)->name, pane_type(s, (enum pane)i)->name);
		break;
	case SOURCE_SETTING:
		offer_settings(o);
		break;
	case SOURCE_SETTING_VALUE:
		offer_setting_values(o, at->setting);
		break;
	case SOURCE_WHERE:
		offer_names(o, places, sizeof places / sizeof *places);
		break;
	case SOURCE_PATH:
		offer_paths(s, o);
		break;
	case SOURCE_SEARCH:
		offer_names(o, keys, sizeof keys / sizeof *keys);
		for (size_t i = 0; i < question_count; i++)
			offer_name(o, question_table[i].name, question_table[i].name);
		break;
	case SOURCE_SEARCHED:
		offer_fields(s, o, false);
		break;
	case SOURCE_TARGET:
		offer_targets(s, o);
		break;
	case SOURCE_TOPIC:
		offer_topics(s, o);
		break;
	case SOURCE_EXPORT:
		offer_exports(s, o);
		break;
	case SOURCE_NONE:
		break;
	}
}

/* ---- Tab --------------------------------------------------------------------------- */

static bool
find_offers(struct state *s)
{
	static const enum match worst[] = { MATCH_BEGINS, MATCH_PART, MATCH_SLIP, MATCH_LETTERS };
	struct words *c = &s->prompt.words;
	char typed[LINE_SIZE];
	struct place at;
	struct offers o = { .to = c };

	/* A text that typing would replace is no beginning. */
	text_put(typed, sizeof typed, "%.*s", s->prompt.line.fresh ? 0 : (int)s->prompt.line.cursor,
	    s->prompt.line.text);
	at = place_of(s, typed);
	o.typed = at.word;
	for (size_t i = 0; i < sizeof worst / sizeof *worst && c->count == 0; i++) {
		o.worst = worst[i];
		offer_all(s, &o, &at);
	}
	if (c->count == 0)
		return false;
	text_put(c->before, sizeof c->before, "%.*s", (int)(at.word - typed), typed);
	text_put(c->after, sizeof c->after, "%s", s->prompt.line.text + s->prompt.line.cursor);
	return true;
}

bool
complete_is_choice(const struct state *s)
{
	struct words any = { 0 };
	struct offers o = { .to = &any, .typed = "", .worst = MATCH_BEGINS };
	char typed[LINE_SIZE];
	struct place at;
	bool is;

	text_put(typed, sizeof typed, "%.*s", (int)s->prompt.line.cursor, s->prompt.line.text);
	at = place_of(s, typed);
	offer_all(s, &o, &at);
	is = any.count > 0;
	words_stop(&any);
	return is;
}

bool
complete_step(struct state *s, int way)
{
	struct words *c = &s->prompt.words;

	if (c->count > 0)
		c->at = way > 0 ? (c->at + 1) % c->count : (c->at + c->count - 1) % c->count;
	else if (find_offers(s))
		c->at = way > 0 ? 0 : c->count - 1;
	else
		return false;
	words_put(c, &s->prompt.line);
	if (c->count == 1)
		words_stop(c); /* there is but one way: the next Tab goes on after it */
	return true;
}

void
complete_about(const struct state *s, char *buf, size_t size)
{
	char range[160];
	struct place at;

	buf[0] = '\0';
	if (s->prompt.kind != PROMPT_COMMAND)
		return;
	at = place_of(s, TEXT_OF(LINE_SIZE, "%.*s", (int)s->prompt.line.cursor, s->prompt.line.text));
	if (at.field != FIELD_NONE) {
		field_range(at.field, range, sizeof range);
		text_put(buf, size, "%s%s%s%s%s", range, range[0] != '\0' ? " " : "",
		    field_table[at.field].unit, range[0] != '\0' ? ": " : "",
		    field_table[at.field].help);
	} else if (at.source == SOURCE_SETTING_VALUE)
		text_put(buf, size, "%s", settings_table[at.setting].help);
	else if (at.command != NULL)
		text_put(buf, size, "%s%s%s", at.command->argument,
		    at.command->argument[0] != '\0' ? ": " : "", at.command->help);
}
