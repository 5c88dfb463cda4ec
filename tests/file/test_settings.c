/* The file of settings: read, and written one value at a time. */
#include "filetest.h"

#include "file/prefs/settings_file.h"
#include "prefs/settings.h"

static struct file_errors errors;

static bool
read_settings(struct settings *s)
{
	memset(&errors, 0, sizeof errors);
	settings_default(s);
	return settings_file_read(s, in_dir("settings.cfg"), &errors);
}

static void
complains(const char *text, const char *message)
{
	struct settings s;

	put_file("settings.cfg", text);
	assert_false(read_settings(&s));
	if (strstr(errors.line[0], message) == NULL)
		fail_msg("'%s' lacks '%s'", errors.line[0], message);
}

/* Write one row, or all with settings_count. */
static bool
write_settings(const struct settings *s, const char *name, char *note)
{
	return settings_file_write(s, settings_find(name), in_dir("settings.cfg"), note, 1024);
}

TEST(test_table)
{
	struct settings s;
	char value[SETTINGS_TEXT_SIZE], err[256];

	settings_default(&s);
	for (size_t row = 0; row < settings_count; row++) {
		size_t n = 0;

		/* The default is one of the values, and each can be chosen. */
		bool found = false;
		char first[SETTINGS_TEXT_SIZE];

		strcpy(first, settings_value(&s, row));
		for (; settings_choice(row, n, value, sizeof value); n++) {
			found = found || strcmp(first, value) == 0;
			assert_true(settings_put(&s, row, value, err, sizeof err));
			assert_string_equal(settings_value(&s, row), value);
		}
		assert_true(n > 1);
		assert_true(found);
		assert_false(settings_put(&s, row, "nonsense", err, sizeof err));
		assert_non_null(strstr(err, first));
		assert_int_equal(settings_find(settings_table[row].name), row);
	}
	assert_int_equal(settings_find("nonsense"), settings_count);
	assert_string_equal(settings_near("palete"), "palette");
	assert_null(settings_near("nonsense"));
	assert_true(settings_put(&s, settings_find("mouse"), "on", err, sizeof err));
	assert_true(s.mouse);
}

DIR_TEST(test_read)
{
	struct settings s;

	assert_true(read_settings(&s)); /* no file */
	assert_string_equal(s.palette, "auto");
	put_file("settings.cfg", "");
	assert_true(read_settings(&s));
	put_file("settings.cfg", "# mine\npalette = \"safe\"; mouse = true;\n"
	    "keys = ( { key = \"F6\"; run = \": zoom auto\"; },\n"
	    "  { key = \"g\"; run = \":go 3\"; },  { key = \"x\"; run = \"\"; }, { key = \"F6\"; run = \"tp 8\"; } );\n");
	assert_true(read_settings(&s));
	assert_string_equal(s.palette, "safe");
	assert_true(s.mouse);
	assert_false(s.ascii);
	assert_int_equal(s.keys, 3);
	assert_string_equal(s.key[0].key, "F6"); /* the last word counts */
	assert_string_equal(s.key[0].command, "tp 8");
	assert_int_equal(s.key[0].line, 4);
	assert_string_equal(s.key[1].command, "go 3");
	assert_string_equal(s.key[2].command, "");
}

DIR_TEST(test_complaints)
{
	struct settings s;

	complains("mouse = true;\npalete = \"safe\";\n",
	    "settings.cfg:2: error: palete: unknown setting (fix: did you mean palette?)");
	complains("palette = \"pink\";\n", "settings.cfg:1: error: palette: is one of auto, dark");
	complains("palette = 3;\n", "settings.cfg:1: error: palette: needs text");
	complains("mouse = \"true\";\n", "settings.cfg:1: error: mouse: is true or false");
	complains("keys = { F6 = \"zoom\"; };\n", "settings.cfg:1: error: keys: needs a list");
	complains("keys = ( \"F6\" );\n", "each key is a group");
	complains("keys = ( { key = \"F6\"; } );\n", "settings.cfg:1: error: keys.run: is missing");
	complains("keys = ( { key = \"F6\"; run = \"zoom\"; in = \"map\"; } );\n",
	    "a key has key and run");
	complains("mouse = ;\n", "settings.cfg:1: error: syntax error");
	complains("@include \"/etc/passwd\"\n", "settings.cfg:1: error: ");
	/* What is right counts all the same. */
	put_file("settings.cfg", "ascii = true;\npalete = \"safe\";\npalette = \"light\";\n");
	assert_false(read_settings(&s));
	assert_true(s.ascii);
	assert_string_equal(s.palette, "light");
	assert_int_equal(errors.count, 1);
	assert_int_equal(mkdir(in_dir("d"), 0700), 0);
	memset(&errors, 0, sizeof errors);
	assert_false(settings_file_read(&s, in_dir("d"), &errors));
}

DIR_TEST(test_write)
{
	struct settings s;
	char note[1024];

	settings_default(&s);
	/* Nothing differs from the defaults: nothing is written. */
	assert_true(settings_file_write(&s, settings_count, in_dir("new/dir/settings.cfg"), note,
	    sizeof note));
	strcpy(s.palette, "safe");
	s.mouse = false;
	assert_true(settings_file_write(&s, settings_find("palette"), in_dir("new/dir/settings.cfg"),
	    note, sizeof note));
	assert_non_null(strstr(note, "remembered in "));
	assert_int_equal(rename(in_dir("new/dir/settings.cfg"), in_dir("settings.cfg")), 0);
	assert_content("settings.cfg", "# shardplan settings; shardplan(1) explains them\n"
	    "palette = \"safe\";\n");
	strcpy(s.palette, "light");
	assert_true(write_settings(&s, "all", note));
	assert_content("settings.cfg", "# shardplan settings; shardplan(1) explains them\n"
	    "palette = \"light\";\nmouse = false;\n");
}

/* All but the value itself is as the user wrote it. */
DIR_TEST(test_write_keeps)
{
	static const char before[] = "/* palette = \"mono\"; */ keys = ( { key = \"palette\";"
	    " run = \"palette = 8\"; } );\n"
	    "  palette : /* why */ \"da\\x72k\" , // mine\n# mouse = true\nascii=false";
	static const char after[] = "/* palette = \"mono\"; */ keys = ( { key = \"palette\";"
	    " run = \"palette = 8\"; } );\n"
	    "  palette : /* why */ \"safe\" , // mine\n# mouse = true\nascii=true\nmouse = false;\n";
	struct settings s;
	char note[1024], target[64];

	put_file("real.cfg", before);
	assert_int_equal(chmod(in_dir("real.cfg"), 0640), 0);
	assert_int_equal(symlink("real.cfg", in_dir("settings.cfg")), 0);
	assert_true(read_settings(&s));
	strcpy(s.palette, "safe");
	s.ascii = true;
	s.mouse = false;
	assert_true(write_settings(&s, "all", note));
	assert_content("settings.cfg", after);
	assert_int_equal(readlink(in_dir("settings.cfg"), target, sizeof target), 8);
	assert_mode("real.cfg", 0640);
	assert_int_equal(count_files(), 2);
}

DIR_TEST(test_write_refuses)
{
	static const char wrong[] = "palete = \"safe\";\n";
	static const char split[] = "palette = \"da\" \"rk\";\n";
	struct settings s;
	char note[1024];

	settings_default(&s);
	strcpy(s.palette, "light");
	put_file("settings.cfg", wrong);
	assert_false(write_settings(&s, "palette", note));
	assert_non_null(strstr(note, "mend the file first: settings.cfg:1: error: palete"));
	assert_content("settings.cfg", wrong);
	put_file("settings.cfg", split);
	assert_false(write_settings(&s, "palette", note));
	assert_non_null(strstr(note, "change it by hand"));
	assert_content("settings.cfg", split);
}

/* Write the palette as somebody who is not root, and look for a word in the note. */
static void
refused_to_others(const char *word)
{
	struct settings s;
	char note[1024];
	pid_t child = fork_other();

	if (child == 0) {
		settings_default(&s);
		strcpy(s.palette, "light");
		if (write_settings(&s, "palette", note))
			_exit(1);
		_exit(strstr(note, word) != NULL ? 0 : 2);
	}
	assert_answer(child, 0);
}

DIR_TEST(test_read_only)
{
	put_file("settings.cfg", "");
	assert_int_equal(chmod(in_dir("settings.cfg"), 0444), 0);
	assert_int_equal(chmod(test_dir, 0755), 0);
	refused_to_others("it can not be written: Permission denied");
	assert_int_equal(remove(in_dir("settings.cfg")), 0);
	assert_int_equal(chmod(test_dir, 0555), 0);
	refused_to_others("not remembered: no file can be made");
	assert_int_equal(chmod(test_dir, 0755), 0);
	assert_int_equal(count_files(), 0);
}

TEST(test_keys)
{
	struct settings s;
	char key[SETTINGS_KEY_SIZE + 1];

	settings_default(&s);
	memset(key, 'k', sizeof key);
	key[SETTINGS_KEY_SIZE] = '\0';
	assert_false(settings_bind(&s, key, "zoom", 1));
	for (int i = 0; i < SETTINGS_KEYS_MAX; i++) {
		snprintf(key, sizeof key, "k%d", i);
		assert_true(settings_bind(&s, key, "zoom", 1));
	}
	assert_false(settings_bind(&s, "more", "zoom", 1));
	assert_true(settings_bind(&s, "k3", "undo", 2));
	assert_int_equal(s.keys, SETTINGS_KEYS_MAX);
	assert_string_equal(s.key[3].command, "undo");
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
