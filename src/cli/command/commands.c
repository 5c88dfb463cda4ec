#include "cli/command/commands.h"

#include "cli/base/run.h"
#include "cli/session/session.h"

const struct subcommand subcommand_table[] = {
	{ "", "[PLAN]", "open the planner on a plan",
	    TAKES_PLAN | TAKES_WORDS | TAKES_COLOR | TAKES_PALETTE | TAKES_ASCII | TAKES_LINEAR | TAKES_LANGUAGE, 0, 1,
	    screen_run, NULL },
	{ "groups", "[PLAN]", "print the process groups, one a line",
	    TAKES_PLAN | TAKES_WORDS | TAKES_KIND | TAKES_FORMAT | TAKES_JSON, 0, 1, groups_run, NULL },
	{ "layers", "[PLAN]", "print which layers sit on each pipeline stage",
	    TAKES_PLAN | TAKES_WORDS | TAKES_JSON, 0, 1, NULL, layers_work },
	{ "rank", "[PLAN] N", "print one rank: its place, groups, layers and memory",
	    TAKES_PLAN | TAKES_WORDS | TAKES_JSON, 1, 2, NULL, rank_work },
	{ "map", "[PLAN]", "print the map of nodes and GPUs, coloured by group",
	    TAKES_PLAN | TAKES_WORDS | TAKES_COLOR_BY | TAKES_ZOOM | TAKES_WIDTH | TAKES_COLOR | TAKES_PALETTE |
	    TAKES_ASCII, 0, 1, NULL, map_work },
	{ "pipeline", "[PLAN]", "print the pipeline schedule: who works on what, when",
	    TAKES_PLAN | TAKES_WORDS | TAKES_WIDTH | TAKES_COLOR | TAKES_PALETTE | TAKES_ASCII, 0, 1,
	    NULL, pipeline_work },
	{ "check", "[PLAN]", "print what is wrong with a plan and how to mend it",
	    TAKES_PLAN | TAKES_WORDS | TAKES_STRICT | TAKES_JSON, 0, 1, NULL, check_work },
	{ "estimate", "[PLAN]", "print memory, traffic and step time, or a serving report",
	    TAKES_PLAN | TAKES_WORDS | TAKES_STAGE | TAKES_JSON, 0, 1, NULL, estimate_work },
	{ "explain", "[PLAN] NAME", "print how one number comes about, or what a field is set to",
	    TAKES_PLAN | TAKES_WORDS | TAKES_STAGE | TAKES_JSON, 0, 2, explain_run, NULL },
	{ "diff", "A B", "print where two plans and their estimates differ",
	    TAKES_PLAN | TAKES_JSON, 2, 2, diff_run, NULL },
	{ "search", "[QUESTION] [PLAN]", "print the best plans among all values of free fields",
	    TAKES_PLAN | TAKES_WORDS | TAKES_SEARCH | TAKES_FORMAT | TAKES_JSON, 0, 1, search_command, NULL },
	{ "import", "FILE|--here", "make a plan of what somebody launches, or of a list of machines",
	    TAKES_PLAN | TAKES_FROM | TAKES_IMPORT | TAKES_OUTPUT, 0, 1, import_run, NULL },
	{ "export", "[PLAN]", "write what a framework takes to launch the plan",
	    TAKES_PLAN | TAKES_WORDS | TAKES_EXPORT | TAKES_OUTPUT | TAKES_COLOR_BY | TAKES_ZOOM | TAKES_WIDTH |
	    TAKES_PALETTE | TAKES_ASCII, 0, 1, export_run, NULL },
	{ "diagnose", "[PLAN] FILE...", "tell why a run is slower or fuller than its plan, from its logs",
	    TAKES_PLAN | TAKES_WORDS | TAKES_ADOPT | TAKES_OUTPUT | TAKES_JSON, 1, 64, diagnose_command, NULL },
	{ "calibrate", "PLAN LOG...", "fit a plan's estimates to the log of its run",
	    TAKES_PLAN, 2, 64, calibrate_run, NULL },
	{ "fields", "[NAME]", "list everything that a plan can set, or tell of one field",
	    TAKES_JSON, 0, 1, fields_run, NULL },
	{ "models", "[NAME]", "list the models, or print one as a section of a plan",
	    TAKES_JSON | TAKES_FROM, 0, 1, models_run, NULL },
	{ "gpus", "[NAME]", "list the GPUs, or print one as a section of a plan",
	    TAKES_JSON, 0, 1, gpus_run, NULL },
	{ "clusters", "[NAME]", "list the clusters, or print one as a section of a plan",
	    TAKES_JSON, 0, 1, clusters_run, NULL },
	{ "topics", "[NAME]", "list the pages of the primer on parallelism, or print one",
	    TAKES_LANGUAGE, 0, 1, topics_run, NULL },
	{ "help", "[COMMAND|keys]", "explain one command, or list the keys of the screen",
	    0, 0, 1, help_run, NULL },
	{ .name = NULL },
};

int
subcommand_run(const struct options *o)
{
	return o->command->run != NULL ? o->command->run(o) : session_with(o, o->command->work);
}
