#include "file/source/program.h"

#include <string.h>

#include "core/base/text.h"

/* A word without the directories that it has more of than the n bytes. */
static const char *
without_directory(const char *word, const char *name, size_t n)
{
	const char *at = word + strlen(word);
	int more = 1;

	for (size_t i = 0; i < n; i++)
		more += name[i] == '/';
	while (at > word && (at[-1] != '/' || --more > 0))
		at--;
	return at;
}

/* Words that follow one another are those of a program's name, the last one as it begins. */
static bool
is_program(const struct shell_word *w, size_t count, const char *name)
{
	for (; count > 0; w++, count--) {
		const size_t n = strcspn(name, " ");
		const char *word = without_directory(w->text, name, n);

		if (strncmp(word, name, n) != 0 || (name[n] != '\0' && word[n] != '\0'))
			return false;
		if (name[n] == '\0')
			return true;
		name += n + 1;
	}
	return false;
}

size_t
program_end(const struct shell_list *command, const char *programs)
{
	char name[64];

	for (int64_t k = 0; text_choice(programs, k, name, sizeof name); k++)
		for (size_t i = 0; i < command->count; i++)
			if (is_program(&command->word[i], command->count - i, name))
				return i + 1 + (strchr(name, ' ') != NULL);
	return 0;
}

bool
program_is_contained(const struct shell_list *command)
{
	for (size_t i = 0; i < command->count && i < 4; i++)
		if (text_index("docker podman nerdctl", command->word[i].text, strlen(command->word[i].text)) >= 0)
			return true;
	return false;
}

bool
program_is_python(const char *word)
{
	const size_t n = strlen(word);

	return n > 3 && text_equal(word + n - 3, ".py");
}
