#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/output.h"
#include "cli/base/run.h"
#include "cli/command/help.h"
#include "core/base/text.h"
#include "core/plan/field.h"
#include "core/search/question.h"
#include "out/out.h"

enum { HELP_WIDTH = 79, HELP_COLUMN = 30, COMMAND_COLUMN = 28 };

/* "  --kind=K" and its meaning from a fixed column on. */
static void
print_option(int letter, const char *name, const char *argument, const char *help)
{
	char text[64] = "     ";
	int column;

	if (letter != 0)
		text_put(text, sizeof text, "  -%c,", letter);
	text_add(text, sizeof text, " --%s%s%s", name,
	    argument != NULL && *argument != '[' ? "=" : "", argument != NULL ? argument : "");
	column = (int)strlen(text);
	out_part(stdout, "%s", text);
	if (column >= HELP_COLUMN) {
		out_end(stdout);
		column = 0;
	}
	out_part(stdout, "%*s", HELP_COLUMN - column, "");
	print_wrapped(help, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH);
}

static void
print_fixed(unsigned takes)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_table[i].takes == 0 || (option_table[i].takes & takes) != 0)
			print_option(option_table[i].letter, option_table[i].name, option_table[i].argument,
			    option_table[i].help);
}

/* What to write for a value: the names of a choice, else its type. */
static const char *
value_name(const struct field *f)
{
	switch (f->type) {
	case FIELD_INT:
		return "N";
	case FIELD_REAL:
		return "X";
	case FIELD_BOOL:
		return "BOOL";
	case FIELD_CHOICE:
		return "NAME";
	case FIELD_TEXT:
		break;
	}
	return "TEXT";
}

static void
print_field_options(void)
{
	char help[512];

	for (int i = 0; i < FIELD_COUNT; i++) {
		const struct field *f = &field_table[i];

		if (f->flag == NULL)
			continue;
		text_put(help, sizeof help, "%s", f->help);
		if (f->type == FIELD_CHOICE && strstr(f->help, " or ") == NULL) {
			char range[256];

			field_range((enum field_id)i, range, sizeof range);
			text_add(help, sizeof help, "; %s", range);
		}
		if (field_abbreviation((enum field_id)i) != NULL)
			text_add(help, sizeof help, " (%s for short)", field_abbreviation((enum field_id)i));
		print_option(0, f->flag, value_name(f), help);
	}
}

static void
print_usage(const char *lead, const struct subcommand *command)
{
	out_line(stdout, "%s shardplan%s%s%s%s%s", lead, *command->name != '\0' ? " " : "",
	    command->name, command->takes != 0 ? " [OPTION]..." : "",
	    *command->arguments != '\0' ? " " : "", command->arguments);
}

void
help_print(const struct subcommand *commands)
{
	out_text(stdout, "Usage: shardplan [OPTION]... [PLAN]\n"
	    "       shardplan COMMAND [OPTION]... [ARGUMENT]...\n\n");
	print_wrapped("Plan how a large language model is split over GPUs. Without a command this "
	    "opens the planner on a plan file, or on a built-in plan. PLAN may be - for standard "
	    "input, or a launch that import reads, such as run.sh; a file that is called like a command is opened as ./NAME. Words say values of it, or "
	    "stand in its place: shardplan estimate llama-3.1-70b 64xh100 tp8 pp4.", 0, 0, HELP_WIDTH);
	out_text(stdout, "\nCommands:\n");
	for (const struct subcommand *c = commands + 1; c->name != NULL; c++) {
		char text[64];
		const int column = (int)text_put(text, sizeof text, "  %s %s", c->name, c->arguments);

		out_part(stdout, "%s%*s", text,
		    column < COMMAND_COLUMN ? COMMAND_COLUMN - column : 1, "");
		print_wrapped(c->help, COMMAND_COLUMN, COMMAND_COLUMN, HELP_WIDTH);
	}
	out_text(stdout, "\nOptions:\n");
	print_fixed(~0U);
	out_text(stdout, "\nOptions that set a field of the plan; 'shardplan fields' lists all "
	    "fields:\n");
	print_field_options();
	out_text(stdout,
	    "\nExit status: 0 done, 1 the answer is no, 2 bad usage or an unusable file.\n"
	    "Manual: shardplan(1), plan files: shardplan-plan(5).\n");
}

static void
print_questions(void)
{
	out_text(stdout, "\n\nQuestions, each a search that is printed with its answer:\n");
	for (size_t i = 0; i < question_count; i++) {
		char text[64];
		const int column = (int)text_put(text, sizeof text, "  %s %s", question_table[i].name,
		    question_table[i].arguments);

		out_part(stdout, "%s%*s", text,
		    column < COMMAND_COLUMN ? COMMAND_COLUMN - column : 1, "");
		print_wrapped(question_table[i].help, COMMAND_COLUMN, COMMAND_COLUMN, HELP_WIDTH);
	}
}

void
help_command(const struct subcommand *command)
{
	char text[128];

	print_usage("Usage:", command);
	text_put(text, sizeof text, "%s.", command->help);
	if (text[0] >= 'a' && text[0] <= 'z')
		text[0] = (char)(text[0] - 'a' + 'A');
	out_part(stdout, "%s", text);
	if ((command->takes & TAKES_SEARCH) != 0)
		print_questions();
	out_text(stdout, (command->takes & TAKES_SEARCH) != 0 ? "\nOptions:\n" : "\n\nOptions:\n");
	print_fixed(command->takes);
	if ((command->takes & TAKES_PLAN) != 0)
		out_line(stdout, "and those that set a field of the plan, such as --tp=N "
		    "('shardplan --help').");
}

void
version_print(void)
{
	out_text(stdout, "shardplan " PACKAGE_VERSION "\n"
	    "License MIT <https://opensource.org/licenses/MIT>.\n"
	    "This is free software: you are free to change and redistribute it.\n"
	    "There is NO WARRANTY, to the extent permitted by law.\n");
}

int
help_run(const struct options *o)
{
	const char *name = o->operands > 0 ? o->operand[0] : NULL;
	const struct subcommand *command;
	const char *near;

	if (name == NULL) {
		help_print(o->commands);
		return STATUS_OK;
	}
	if (text_equal(name, "keys"))
		return help_keys();
	if ((command = subcommand_find(o->commands, name)) != NULL) {
		help_command(command);
		return STATUS_OK;
	}
	near = subcommand_near(o->commands, name);
	if (near != NULL)
		return usage_error("there is no command '%s' (did you mean %s?)", name, near);
	return usage_error("there is no command '%s'", name);
}
