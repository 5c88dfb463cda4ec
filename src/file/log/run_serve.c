#include "file/log/run_rows.h"

const struct run_row run_serve_rows[] = {
	{ .words = NULL },
};
