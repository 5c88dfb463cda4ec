#include "file/log/run_rows.h"

const struct run_row run_rl_rows[] = {
	{ .words = NULL },
};
