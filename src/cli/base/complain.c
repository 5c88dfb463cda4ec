#include "cli/base/complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "out/out.h"

static void print_message(const char *fmt, va_list args) TEXT_FORMAT(1, 0);

static void
print_message(const char *fmt, va_list args)
{
	out_part(stderr, "shardplan: ");
	out_vpart(stderr, fmt, args);
	out_end(stderr);
}

void
complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
}

int
out_of_memory(void)
{
	complain("out of memory");
	return STATUS_ERROR;
}

int
usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
	out_line(stderr, "Try 'shardplan --help' for more information.");
	return STATUS_ERROR;
}
