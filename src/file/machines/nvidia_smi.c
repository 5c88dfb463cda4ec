#include <ctype.h>
#include <string.h>

#include "file/machines/lists.h"
#include "file/machines/machines.h"
#include "file/machines/topo.h"

/* What is read of it. The plain table and -L may both be there: the larger count is it. */
struct listing {
	struct import *im;
	struct machines m;
	struct topo topo;
	int64_t listed, tabled, queried; /* GPUs by -L, by the table, by --query-gpu */
	int name, memory;                /* columns of the csv, -1: not known */
	bool mig, buffer;                /* in the section on the frame buffer of -q */
	char gpu[PLAN_ID_SIZE];
};

static void
take_name(struct listing *l, const char *name, size_t length)
{
	char text[PLAN_ID_SIZE];

	while (length > 0 && isspace((unsigned char)name[length - 1]))
		length--;
	text_put(text, sizeof text, "%.*s", (int)length, name);
	if (l->gpu[0] == '\0')
		text_put(l->gpu, sizeof l->gpu, "%s", text);
	else if (!text_equal(l->gpu, text) && strstr(text, "...") == NULL)
		import_ignore(l->im, text, "another GPU in the same node");
}

static void
take_memory(struct listing *l, const char *text)
{
	int64_t mib;

	if (text_to_int(TEXT_OF(24, "%.*s", (int)strspn(text, "0123456789"), text), &mib) && mib > 0 &&
	    mib < INT64_C(1) << 26)
		l->m.memory_mib = (double)mib;
}

/* "GPU 0: NVIDIA H200 (UUID: GPU-...)" */
static bool
read_list(struct listing *l, const char *line)
{
	const char *name, *end;

	if (strncmp(line, "GPU ", 4) != 0 || !isdigit((unsigned char)line[4]) ||
	    (name = strstr(line, ": ")) == NULL)
		return false;
	name += 2;
	end = strstr(name, " (UUID");
	l->listed++;
	take_name(l, name, end != NULL ? (size_t)(end - name) : strlen(name));
	return true;
}

/* -q: "Product Name : NVIDIA H200" and, in "FB Memory Usage", "Total : 143771 MiB". */
static bool
read_long(struct listing *l, const char *line)
{
	const char *key = line + strspn(line, " \t"), *value = strstr(key, " : ");

	if (value == NULL) {
		l->buffer = strncmp(key, "FB Memory Usage", 15) == 0;
		return l->buffer;
	}
	value += 3;
	if (strncmp(key, "Product Name ", 13) == 0) {
		l->listed++;
		take_name(l, value, strlen(value));
	} else if (l->buffer && strncmp(key, "Total ", 6) == 0) {
		take_memory(l, value);
	}
	return true;
}

/* "|   0  NVIDIA H200             On  |" and "| N/A ... |  1MiB / 143771MiB |" */
static bool
read_table(struct listing *l, const char *line)
{
	const char *name, *end, *memory;

	if (line[0] != '|')
		return false;
	name = line + 1 + strspn(line + 1, " ");
	if ((memory = strstr(name, "MiB / ")) != NULL) {
		take_memory(l, memory + 6 + strspn(memory + 6, " "));
		return true;
	}
	if (!isdigit((unsigned char)*name) || strstr(name, " | ") == NULL ||
	    strchr(name, ':') == NULL) /* the address on the bus */
		return true;
	name += strspn(name, "0123456789");
	name += strspn(name, " ");
	if (!isalpha((unsigned char)*name) || (end = strstr(name, "  ")) == NULL)
		return true;
	l->tabled++;
	take_name(l, name, (size_t)(end - name));
	return true;
}

/* The next field of a csv line. */
static const char *
next_field(const char **at, size_t *length)
{
	const char *field = *at + strspn(*at, " ");

	*length = strcspn(field, ",");
	*at = field + *length + (field[*length] == ',');
	return field;
}

/* "index, name, memory.total [MiB]", or no head: a name has letters, a memory none. */
static bool
read_csv(struct listing *l, const char *line)
{
	const bool head = strstr(line, "memory.total") != NULL ||
	    strncmp(line, "name,", 5) == 0 || strncmp(line, "index,", 6) == 0;
	const char *at = line, *name = NULL, *memory = NULL;
	size_t n, length = 0;

	if (strchr(line, ',') == NULL)
		return false;
	if (head)
		l->name = l->memory = -1;
	for (int i = 0; *at != '\0'; i++) {
		const char *field = next_field(&at, &n);

		if (head && n == 4 && strncmp(field, "name", n) == 0)
			l->name = i;
		else if (head && n >= 12 && strncmp(field, "memory.total", 12) == 0)
			l->memory = i;
		else if (!head && (l->name >= 0 ? i == l->name : name == NULL &&
		    isalpha((unsigned char)*field) && strncmp(field, "GPU-", 4) != 0)) {
			name = field;
			length = n;
		} else if (!head && memory == NULL && (l->memory >= 0 ? i == l->memory : name != NULL &&
		    isdigit((unsigned char)*field)))
			memory = field;
	}
	if (head || name == NULL)
		return head;
	l->queried++;
	take_name(l, name, length);
	if (memory != NULL)
		take_memory(l, memory);
	return true;
}

static void
put_listing(struct listing *l)
{
	struct import *im = l->im;
	int64_t gpus = l->listed > l->tabled ? l->listed : l->tabled;

	gpus = gpus > l->queried ? gpus : l->queried;
	gpus = gpus > l->topo.gpus ? gpus : l->topo.gpus;
	if (l->mig)
		notes_add(&im->assumed, "MIG is on: its parts are not planned, the whole GPUs are");
	if (gpus > 0 && !machines_add(&l->m, l->gpu, gpus, 1))
		return;
	l->m.one_node = true;
	l->m.domain = topo_domain(&l->topo);
	if (l->topo.nics > 0 && topo_rails(&l->topo) > 0) {
		l->m.nics = topo_rails(&l->topo);
		notes_add(&im->assumed, "cluster.nics_per_node: those of %lld cards that stand nearest to a "
		    "GPU", (long long)l->topo.nics);
	}
	machines_put(im, &l->m, "nvidia-smi");
}

bool
nvidia_smi_recognise(const char *text)
{
	return strstr(text, "(UUID: GPU-") != NULL || strstr(text, "NVIDIA-SMI") != NULL ||
	    strstr(text, "HL-SMI") != NULL ||
	    strstr(text, "NVSMI LOG") != NULL ||
	    strstr(text, "memory.total") != NULL || topo_is_one(text) ||
	    (strstr(text, "NVIDIA ") != NULL && strchr(text, ',') != NULL &&
	    isdigit((unsigned char)text[strspn(text, " ")]));
}

void
nvidia_smi_read(struct import *im)
{
	struct listing l = { .im = im, .name = -1, .memory = -1 };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;

	while (machines_line(im, &at, line, sizeof line)) {
		l.mig = l.mig || strstr(line, "UUID: MIG-") != NULL;
		if (strstr(line, "is not a valid field to query") != NULL)
			import_error(im, "", "the query failed (fix: nvidia-smi "
			    "--query-gpu=index,name,memory.total --format=csv)");
		else if (!topo_line(&l.topo, line) && !read_list(&l, line) && !read_table(&l, line) &&
		    !read_long(&l, line))
			read_csv(&l, line);
	}
	if (im->errors->count == 0)
		put_listing(&l);
	machines_free(&l.m);
}
