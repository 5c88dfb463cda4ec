/* The one table of lists over the panes; each is in the file that fills it. */
#include "ui/app/actions.h"
#include "ui/list/views.h"

static const struct list_type none = { .title = "" };

const struct list_type *const list_table[LIST_COUNT] = {
	[LIST_NONE] = &none, [LIST_HELP] = &help_list, [LIST_DIAGS] = &diags_list,
	[LIST_MENDS] = &mends_list, [LIST_WHY] = &why_list, [LIST_CATALOG] = &catalog_list,
	[LIST_FIELDS] = &fields_list, [LIST_KINDS] = &kinds_list, [LIST_INSPECT] = &inspect_list,
	[LIST_COMPARE] = &compare_list, [LIST_HISTORY] = &history_list,
	[LIST_TOPICS] = &topics_list, [LIST_TOPIC] = &topic_list, [LIST_OPTIONS] = &options_list,
	[LIST_PLANS] = &plans_list, [LIST_SEARCH] = &search_list, [LIST_STEPS] = &steps_list,
	[LIST_DIAGNOSE] = &diagnose_list,
	[LIST_YANK] = &yank_list, [LIST_RUN] = &whole_list,
};
