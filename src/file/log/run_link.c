#include "file/log/run_rows.h"

const struct run_row run_link_rows[] = {
	{ .words = NULL },
};
