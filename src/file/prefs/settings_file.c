#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "file/plan/errors.h"
#include "file/plan/pathname.h"
#include "file/base/textbuf.h"
#include "file/plan/paths.h"
#include "file/plan/atomic.h"
#include "file/plan/cfg.h"
#include "file/plan/slurp.h"
#include "file/prefs/settings_file.h"

enum { TRIES = 4 }; /* other sessions may write at the same time */

/* ---- reading ----------------------------------------------------------------------- */

/* A text of a group, which may not be left out. */
static bool
member_text(const struct cfg_reader *r, const config_setting_t *group, const char *name,
    char *buf, size_t size)
{
	const config_setting_t *s = config_setting_get_member(group, name);
	char path[32];

	text_put(path, sizeof path, "keys.%s", name);
	if (s != NULL)
		return cfg_text(r, s, path, buf, size);
	cfg_error(r, group, path, "is missing (fix: { key = \"F9\"; run = \"zoom auto\"; })");
	return false;
}

static bool
read_key(const struct cfg_reader *r, const config_setting_t *group, struct settings *s)
{
	char key[SETTINGS_KEY_SIZE], command[SETTINGS_TEXT_SIZE];

	if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
		cfg_error(r, group, "keys", "each key is a group (fix: { key = \"F9\"; "
		    "run = \"zoom auto\"; })");
		return false;
	}
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
		const char *name = config_setting_name(member);

		if (strcmp(name, "key") != 0 && strcmp(name, "run") != 0) {
			cfg_error(r, member, "keys", "a key has key and run, nothing else");
			return false;
		}
	}
	if (!member_text(r, group, "key", key, sizeof key) ||
	    !member_text(r, group, "run", command, sizeof command))
		return false;
	if (settings_bind(s, key, command, config_setting_source_line(group)))
		return true;
	cfg_error(r, group, "keys", "more than %d keys", (int)SETTINGS_KEYS_MAX);
	return false;
}

static bool
read_keys(const struct cfg_reader *r, const config_setting_t *list, struct settings *s)
{
	bool ok = true;

	if (config_setting_type(list) != CONFIG_TYPE_LIST) {
		cfg_error(r, list, "keys", "needs a list (fix: keys = ( { key = \"F9\"; "
		    "run = \"zoom auto\"; } );)");
		return false;
	}
	for (int i = 0; i < config_setting_length(list); i++)
		ok = read_key(r, config_setting_get_elem(list, (unsigned)i), s) && ok;
	return ok;
}

static bool
read_value(const struct cfg_reader *r, const config_setting_t *s, size_t row,
    struct settings *settings)
{
	const struct settings_row *is = &settings_table[row];
	char value[SETTINGS_TEXT_SIZE], err[256];

	if (is->choices == NULL && config_setting_type(s) == CONFIG_TYPE_BOOL)
		text_put(value, sizeof value, config_setting_get_bool(s) ? "true" : "false");
	else if (is->choices == NULL) {
		cfg_error(r, s, is->name, "is true or false, without quotation marks");
		return false;
	} else if (!cfg_text(r, s, is->name, value, sizeof value))
		return false;
	if (settings_put(settings, row, value, err, sizeof err))
		return true;
	cfg_error(r, s, is->name, "%s", err);
	return false;
}

static void
complain_unknown(const struct cfg_reader *r, const config_setting_t *s)
{
	char name[64];
	const char *near;

	text_put(name, sizeof name, "%s", config_setting_name(s));
	near = text_nearer(name, settings_near(name), "keys");
	if (near != NULL)
		cfg_error(r, s, name, "unknown setting (fix: did you mean %s?)", near);
	else
		cfg_error(r, s, name, "unknown setting");
}

bool
settings_file_read_text(struct settings *s, const char *path, const char *text, size_t size,
    struct file_errors *errors)
{
	const struct cfg_reader r = { path, NULL, errors };
	struct cfg cfg;
	const config_setting_t *root;
	bool ok = cfg_parse(&cfg, &r, text, size);

	root = ok ? config_root_setting(&cfg.config) : NULL;
	for (int i = 0; root != NULL && i < config_setting_length(root); i++) {
		const config_setting_t *one = config_setting_get_elem(root, (unsigned)i);
		size_t row = settings_find(config_setting_name(one));

		if (row < settings_count)
			ok = read_value(&r, one, row, s) && ok;
		else if (strcmp(config_setting_name(one), "keys") == 0)
			ok = read_keys(&r, one, s) && ok;
		else {
			complain_unknown(&r, one);
			ok = false;
		}
	}
	cfg_close(&cfg);
	return ok;
}

/* Whoever may write commands of the shell runs them as the user: such keys of a file that others may write have no
 * meaning. */
static bool
refuse_commands(struct settings *s, const char *path, struct file_errors *errors)
{
	bool none = true;

	for (size_t i = 0; i < s->keys; i++)
		if (s->key[i].command[0] == '!') {
			errors_add(errors, path, s->key[i].line, "keys", "%s runs a command, and others than you own this file or "
			    "may write it (fix: chmod go-w)", s->key[i].key);
			s->key[i].command[0] = '\0';
			none = false;
		}
	return none;
}

bool
settings_file_read(struct settings *s, const char *path, struct file_errors *errors)
{
	struct slurp in;
	char why[256];
	bool ok;

	if (!slurp_file(&in, path, why, sizeof why)) {
		if (in.error == ENOENT || in.error == ENOTDIR)
			return true;
		errors_add(errors, path, 0, "", "%s", why);
		return false;
	}
	ok = settings_file_read_text(s, pathname_last(path), in.text, in.size, errors);
	ok = (in.ours || refuse_commands(s, pathname_last(path), errors)) && ok;
	free(in.text);
	return ok;
}

/* ---- writing ----------------------------------------------------------------------- */

/* Past blanks, ends of lines and comments. */
static const char *
skip_blanks(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\r\n\f");
		if (*p == '#' || (p[0] == '/' && p[1] == '/'))
			p += strcspn(p, "\n");
		else if (p[0] == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (p == NULL)
				return "";
			p += 2;
		} else
			return p;
	}
}

/* Past a text in quotation marks, a word, or a single character. */
static const char *
skip_token(const char *p)
{
	size_t n = 0;

	if (*p == '"') {
		for (p++; *p != '\0' && *p != '"'; p++)
			p += *p == '\\' && p[1] != '\0';
		return *p == '"' ? p + 1 : p;
	}
	while (isalnum((unsigned char)p[n]) || (p[n] != '\0' && strchr("_-*.+", p[n]) != NULL))
		n++;
	return p + (n > 0 ? n : 1);
}

/* Where the file gives the value of a setting; false when it does not. The text was
 * parsed before, so it is well-formed. */
static bool
find_value(const char *text, const char *name, const char **from, const char **to)
{
	const size_t n = strlen(name);
	int depth = 0;

	for (const char *p = skip_blanks(text); *p != '\0';) {
		const char *end = skip_token(p), *next = skip_blanks(end);

		depth += strchr("({[", *p) != NULL ? 1 : strchr(")}]", *p) != NULL ? -1 : 0;
		if (depth == 0 && (size_t)(end - p) == n && strncmp(p, name, n) == 0 &&
		    (*next == '=' || *next == ':')) {
			*from = skip_blanks(next + 1);
			*to = skip_token(*from);
			return true;
		}
		p = next;
	}
	return false;
}

static void
add_value(struct textbuf *out, const struct settings *s, size_t row)
{
	const char *mark = settings_table[row].choices != NULL ? "\"" : "";

	textbuf_add(out, "%s%s%s", mark, settings_value(s, row), mark);
}

/* The text with one value changed, or added at its end; NULL without memory. */
static char *
with_value(const char *text, const struct settings *s, size_t row)
{
	struct textbuf out = { 0 };
	const size_t n = strlen(text);
	const char *from, *to;

	if (find_value(text, settings_table[row].name, &from, &to)) {
		textbuf_bytes(&out, text, (size_t)(from - text));
		add_value(&out, s, row);
		textbuf_bytes(&out, to, strlen(to));
		return textbuf_take(&out);
	}
	if (n == 0)
		textbuf_add(&out, "# shardplan settings; shardplan(1) explains them\n");
	textbuf_bytes(&out, text, n);
	if (n > 0 && text[n - 1] != '\n')
		textbuf_bytes(&out, "\n", 1);
	textbuf_add(&out, "%s = ", settings_table[row].name);
	add_value(&out, s, row);
	textbuf_bytes(&out, ";\n", 2);
	return textbuf_take(&out);
}

/* The text that says what *s does, in the row alone or in all; NULL with the reason. */
static char *
new_text(const char *text, size_t bytes, const struct settings *s, size_t row, const char *path,
    char *why, size_t size)
{
	struct file_errors errors = { 0 };
	struct settings has, now;
	char *out = NULL, *next;

	settings_default(&has);
	if (!settings_file_read_text(&has, path, text, bytes, &errors)) {
		text_put(why, size, "mend the file first: %s",
		    errors.count > 0 ? errors.line[0] : "it can not be read");
		return NULL;
	}
	for (size_t i = 0; i < settings_count; i++) {
		if ((row < settings_count && row != i) ||
		    text_equal(settings_value(&has, i), settings_value(s, i)))
			continue;
		next = with_value(out != NULL ? out : text, s, i);
		free(out);
		if ((out = next) == NULL) {
			text_put(why, size, "out of memory");
			return NULL;
		}
	}
	if (out == NULL)
		out = strdup(text);
	/* What was written must read as it was meant, however the file spells things. */
	settings_default(&now);
	if (out != NULL && settings_file_read_text(&now, path, out, strlen(out), &errors) &&
	    now.keys == has.keys) {
		bool same = true;

		for (size_t i = 0; i < settings_count; i++)
			same = same && text_equal(settings_value(&now, i), settings_value(
			    row < settings_count && row != i ? &has : s, i));
		if (same)
			return out;
	}
	text_put(why, size, "change it by hand");
	free(out);
	return NULL;
}

static enum atomic_result
write_once(const struct settings *s, size_t row, const char *path, char *why, size_t size)
{
	struct slurp in;
	struct file_stamp stamp = { .exists = false };
	enum atomic_result result = ATOMIC_DONE;
	bool is = slurp_file(&in, path, why, size);
	char *text;

	if (!is && in.error != ENOENT)
		return ATOMIC_FAILED;
	if (is && access(path, W_OK) != 0) {
		text_put(why, size, "it can not be written: %s", strerror(errno));
		free(in.text);
		return ATOMIC_FAILED;
	}
	if (is)
		stamp = in.stamp;
	text = new_text(is ? in.text : "", is ? in.size : 0, s, row, pathname_last(path), why, size);
	if (text == NULL)
		result = ATOMIC_FAILED;
	else if (!is || strcmp(text, in.text) != 0)
		result = atomic_write(path, text, strlen(text), NULL, &stamp, NULL, why, size);
	free(text);
	free(in.text);
	return result;
}

bool
settings_file_write(const struct settings *s, size_t row, const char *path, char *note,
    size_t size)
{
	enum atomic_result result = ATOMIC_CHANGED;
	char why[700] = "it changes all the time", shown[200];

	show_path(shown, sizeof shown, path);
	if (!paths_make(path)) {
		text_put(note, size, "not remembered: no directory for %s: %s", shown, strerror(errno));
		return false;
	}
	for (int i = 0; i < TRIES && result == ATOMIC_CHANGED; i++)
		result = write_once(s, row, path, why, sizeof why);
	if (result == ATOMIC_DONE)
		text_put(note, size, "remembered in %s", shown);
	else
		text_put(note, size, "not remembered: %s; the file is %s", why, shown);
	return result == ATOMIC_DONE;
}
