/* The one table of lists over the panes. */
#include "ui/app/actions.h"
#include "ui/list/list.h"
#include "ui/list/views.h"

const struct list_type list_table[LIST_COUNT] = {
	[LIST_HELP] = { .title = "keys and commands", .rows = help_rows, .over = true },
	[LIST_DIAGS] = { .title = "errors, warnings and hints", .rows = diags_rows,
	    .accept = diags_accept },
	[LIST_MENDS] = { .title = "what would mend the plan", .rows = mends_rows,
	    .accept = mends_accept, .over = true },
	[LIST_WHY] = { .title = "why: ", .add_title = why_title, .rows = why_rows,
	    .renew = why_renew, .over = true },
	[LIST_CATALOG] = { .title = "", .add_title = catalog_title, .rows = catalog_rows,
	    .begin = catalog_begin, .accept = catalog_accept, .types = true },
	[LIST_FIELDS] = { .title = "fields", .rows = fields_rows, .accept = fields_accept,
	    .types = true },
	[LIST_KINDS] = { .title = "colour the map by", .rows = kinds_rows, .begin = kinds_begin,
	    .accept = kinds_accept, .more = kinds_switch, .preview = kinds_show },
	[LIST_INSPECT] = { .title = "", .add_title = inspect_title, .rows = inspect_rows,
	    .accept = inspect_accept, .aside = inspect_aside },
	[LIST_COMPARE] = { .title = "compare: ", .add_title = compare_title,
	    .rows = compare_rows, .accept = compare_accept, .over = true },
	[LIST_HISTORY] = { .title = "changes of this session", .rows = history_rows,
	    .begin = history_begin, .accept = history_accept },
	[LIST_TOPICS] = { .title = "topics", .rows = topics_rows, .begin = topics_begin,
	    .accept = topics_accept },
	[LIST_TOPIC] = { .title = "topics", .add_title = topic_title, .rows = topic_rows,
	    .accept = topic_accept, .aside = topic_aside, .close = topic_close },
	[LIST_PLANS] = { .title = "", .add_title = plans_title, .rows = plans_rows,
	    .accept = file_take_found, .types = true },
	[LIST_OPTIONS] = { .title = "settings", .rows = options_rows,
	    .accept = options_accept, .aside = options_aside },
	[LIST_STEPS] = { .title = "one step away", .rows = steps_rows, .begin = steps_begin,
	    .accept = steps_accept, .renew = steps_renew },
	[LIST_SEARCH] = { .title = "search: ", .add_title = lookup_title, .rows = lookup_rows,
	    .accept = lookup_accept, .aside = lookup_aside, .close = lookup_close,
	    .part = lookup_part, .draw = lookup_draw, .selected = lookup_selected },
};
