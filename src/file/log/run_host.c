#include "file/log/run_rows.h"

const struct run_row run_host_rows[] = {
	{ .words = NULL },
};
