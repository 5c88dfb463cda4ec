#include <ctype.h>
#include <string.h>

#include "file/machines/lists.h"
#include "file/machines/machines.h"

/* What a line says; false unless it is one of a host file's. */
struct host {
	const char *name;
	size_t length;
	int64_t slots; /* 0: not said */
};

static bool
read_count(const char *text, size_t n, int64_t *count)
{
	return n > 0 && n < 8 && text_to_int(TEXT_OF(24, "%.*s", (int)n, text), count) && *count >= 1 &&
	    *count <= 1024;
}

static bool
is_name(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && strchr("-_.[],", text[i]) == NULL)
			return false;
	return n > 0;
}

/* An empty name: a blank line or a comment. */
static bool
read_host(const char *line, struct host *h)
{
	const char *rest;
	size_t n;

	*h = (struct host){ 0 };
	line += strspn(line, " \t");
	n = strcspn(line, " \t#");
	if (n == 0)
		return true;
	h->name = line;
	h->length = strcspn(line, " \t#:");
	if (!is_name(line, h->length) ||
	    (h->length < n && !read_count(line + h->length + 1, n - h->length - 1, &h->slots)))
		return false;
	for (rest = line + n; *(rest += strspn(rest, " \t")) != '\0' && *rest != '#'; rest += n) {
		n = strcspn(rest, " \t#");
		if (n > 6 && strncmp(rest, "slots=", 6) == 0) {
			if (!read_count(rest + 6, n - 6, &h->slots))
				return false;
		} else if (n <= 10 || (strncmp(rest, "max_slots=", 10) != 0 &&
		    strncmp(rest, "max-slots=", 10) != 0))
			return false;
	}
	return true;
}

/* Names alone could be anything: at least two lines of them. */
bool
hostfile_recognise(const char *text)
{
	struct import quiet = { .text = text };
	char line[MACHINES_LINE_SIZE];
	int hosts = 0, slots = 0;
	struct host h;

	while (machines_line(&quiet, &text, line, sizeof line)) {
		if (!read_host(line, &h))
			return false;
		hosts += h.length > 0;
		slots += h.slots > 0;
	}
	return slots > 0 || hosts > 1;
}

/* A host of which the file did not tell before; false after a complaint. */
static bool
add_host(struct import *im, struct machines *m, const struct host *h)
{
	struct machines_kind *k = machines_add(m, "", h->slots, 0);
	const int64_t had = k != NULL ? k->nodes : 0;

	if (k == NULL)
		import_error(im, "", "more than %d numbers of slots", (int)MACHINES_KINDS_MAX);
	else if (machines_listed(im, m, k, h->name, h->length, false) && k->nodes == had)
		import_error(im, "", "this host is there twice (fix: one line for each)");
	return im->errors->count == 0;
}

void
hostfile_read(struct import *im)
{
	struct machines m = { .in_order = true };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;
	struct host h;

	while (im->errors->count == 0 && machines_line(im, &at, line, sizeof line)) {
		if (!read_host(line, &h))
			import_error(im, "", "this is no line of a host file (fix: NAME slots=8)");
		else if (h.length > 0 && !add_host(im, &m, &h))
			break;
	}
	if (im->errors->count == 0)
		machines_put(im, &m, "the host file");
	machines_free(&m);
}
