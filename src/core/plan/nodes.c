#include "core/plan/nodes.h"

#include <ctype.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"

/* ---- lists ------------------------------------------------------------------------------ */

/* Bytes of the entry that a list begins with: to a comma outside of brackets. 0: its brackets do
 * not pair. */
static size_t
entry_length(const char *list)
{
	size_t n = 0;
	int depth = 0;

	for (; list[n] != '\0' && (depth > 0 || list[n] != ','); n++) {
		depth += (list[n] == '[') - (list[n] == ']');
		if (depth < 0 || depth > 1)
			return 0;
	}
	return depth == 0 ? n : 0;
}

/* A range in brackets, "001-064" or "7": its ends and the digits that each number has at least. */
static bool
take_range(const char *text, size_t length, int64_t *first, int64_t *last, int *digits)
{
	const char *dash = memchr(text, '-', length);
	const size_t head = dash != NULL ? (size_t)(dash - text) : length;
	char number[24];

	if (head == 0 || head >= sizeof number || strspn(text, "0123456789") < head)
		return false;
	text_part(number, sizeof number, text, head);
	if (!text_to_int(number, first))
		return false;
	*digits = (int)head;
	*last = *first;
	if (dash == NULL)
		return true;
	text_part(number, sizeof number, dash + 1, length - head - 1);
	return number[0] != '\0' && strspn(number, "0123456789") == strlen(number) &&
	    text_to_int(number, last) && *last >= *first && *last - *first < PLAN_WORLD_MAX;
}

/* Numbers of a set in brackets of so many bytes, and its i-th into buf; -1: it is none. */
static int64_t
walk_set(const char *set, size_t length, int64_t i, char *buf, size_t size)
{
	int64_t sum = 0, first, last;
	int digits;

	for (size_t at = 0; at < length;) {
		const char *comma = memchr(set + at, ',', length - at);
		const size_t n = comma != NULL ? (size_t)(comma - set) - at : length - at;

		if (!take_range(set + at, n, &first, &last, &digits))
			return -1;
		if (i >= sum && i <= sum + last - first)
			text_add(buf, size, "%0*lld", digits, (long long)(first + i - sum));
		sum += last - first + 1;
		at += n + 1;
	}
	return sum > 0 ? sum : -1;
}

/* Names of an entry, and its i-th into buf: the last brackets count fastest. */
static int64_t
walk_entry(const char *entry, size_t length, int64_t i, char *buf, size_t size)
{
	const char *open = memchr(entry, '[', length), *close;
	char rest[NODE_NAME_SIZE] = "", unused[NODE_NAME_SIZE] = "";
	int64_t inner, own;

	if (open == NULL) {
		text_add(buf, size, "%.*s", (int)length, entry);
		return length > 0 ? 1 : -1;
	}
	close = memchr(open, ']', length - (size_t)(open - entry));
	if (close == NULL)
		return -1;
	inner = close + 1 < entry + length ? walk_entry(close + 1, (size_t)(entry + length - close - 1),
	    0, unused, sizeof unused) : 1;
	own = inner > 0 ? walk_set(open + 1, (size_t)(close - open - 1), -1, unused, sizeof unused) : -1;
	if (own < 0 || product_of(own, inner) > PLAN_WORLD_MAX)
		return -1;
	text_add(buf, size, "%.*s", (int)(open - entry), entry);
	walk_set(open + 1, (size_t)(close - open - 1), i / inner % own, buf, size);
	if (close + 1 < entry + length)
		walk_entry(close + 1, (size_t)(entry + length - close - 1), i % inner, rest, sizeof rest);
	text_add(buf, size, "%s", rest);
	return own * inner;
}

int64_t
nodes_count(const char *list)
{
	char unused[NODE_NAME_SIZE];
	int64_t sum = 0;

	while (*list != '\0') {
		const size_t n = entry_length(list);
		int64_t names;

		unused[0] = '\0';
		names = n > 0 ? walk_entry(list, n, 0, unused, sizeof unused) : -1;
		if (names < 0)
			return -1;
		sum += names;
		list += n;
		list += *list == ',';
	}
	return sum;
}

void
nodes_name(const char *list, int64_t i, char *buf, size_t size)
{
	char name[NODE_NAME_SIZE];

	buf[0] = '\0';
	while (*list != '\0' && i >= 0) {
		const size_t n = entry_length(list);
		int64_t names;

		name[0] = '\0';
		names = n > 0 ? walk_entry(list, n, i, name, sizeof name) : -1;
		if (names < 0)
			return;
		if (i < names)
			text_put(buf, size, "%s", name);
		i -= names;
		list += n;
		list += *list == ',';
	}
}

static void
add_part(struct node_names *n, char *buf, const char *part)
{
	n->cut = n->cut || strlen(buf) + strlen(part) + 1 > PLAN_NODES_SIZE;
	if (!n->cut)
		strcat(buf, part);
}

/* The range that has been open until now. */
static void
end_range(struct node_names *n)
{
	char number[64];

	if (n->digits == 0)
		return;
	text_put(number, sizeof number, "%s%0*lld", n->inside[0] != '\0' ? "," : "", n->digits, (long long)n->first);
	if (n->last > n->first)
		text_add(number, sizeof number, "-%0*lld", n->digits, (long long)n->last);
	add_part(n, n->inside, number);
}

static void
end_prefix(struct node_names *n)
{
	bool several;

	if (!n->begun)
		return;
	end_range(n);
	several = strpbrk(n->inside, ",-") != NULL;
	if (n->text[0] != '\0')
		add_part(n, n->text, ",");
	add_part(n, n->text, n->prefix);
	add_part(n, n->text, several ? "[" : "");
	add_part(n, n->text, n->inside);
	add_part(n, n->text, several ? "]" : "");
	n->inside[0] = '\0';
}

void
nodes_add_name(struct node_names *n, const char *name)
{
	const size_t length = strlen(name);
	int digits = 0;
	int64_t number = 0;
	bool same;

	while (digits < 18 && (size_t)digits < length && isdigit((unsigned char)name[length - 1 - (size_t)digits]))
		digits++;
	if (digits > 0)
		text_to_int(name + length - digits, &number);
	same = n->begun && digits > 0 && digits == n->digits && strlen(n->prefix) == length - (size_t)digits &&
	    strncmp(n->prefix, name, length - (size_t)digits) == 0;
	if (same && number == n->last + 1) {
		n->last = number;
		return;
	}
	if (same)
		end_range(n);
	else
		end_prefix(n);
	text_part(n->prefix, sizeof n->prefix, name, length - (size_t)digits);
	n->cut = n->cut || length >= sizeof n->prefix;
	n->first = n->last = number;
	n->digits = digits;
	n->begun = true;
}

const char *
nodes_list(struct node_names *n)
{
	end_prefix(n);
	n->begun = false;
	return n->cut ? NULL : n->text;
}

/* ---- nodes of a plan -------------------------------------------------------------------- */

/* The number at the end of a name, -1 without one. */
static int64_t
number_of(const char *name, size_t length)
{
	char number[24];
	size_t n = 0;
	int64_t v;

	while (n < length && isdigit((unsigned char)name[length - 1 - n]))
		n++;
	text_part(number, sizeof number, name + length - n, n);
	return n > 0 && n < sizeof number && text_to_int(number, &v) ? v : -1;
}

/* Among the first so many that are known. */
static int64_t
find_node(const struct plan *p, int64_t nodes, const char *name, size_t length)
{
	char known[NODE_NAME_SIZE];
	int64_t number;

	if (p->cluster.node_list[0] == '\0') {
		number = number_of(name, length);
		return number < nodes ? number : -1;
	}
	for (int64_t i = 0; i < nodes; i++) {
		nodes_name(p->cluster.node_list, i, known, sizeof known);
		if (known[0] == '\0')
			return -1;
		if (strlen(known) == length && strncmp(known, name, length) == 0)
			return i;
	}
	return -1;
}

/* "n40-n43": a range at the first dash that has a node on both sides, else one name; of the first so many. */
static bool
take_nodes(const struct plan *p, int64_t nodes, const char *text, size_t length, int64_t *first,
    int64_t *last)
{
	for (size_t i = 1; i + 1 < length; i++)
		if (text[i] == '-' && isdigit((unsigned char)text[i - 1])) {
			*first = find_node(p, nodes, text, i);
			*last = find_node(p, nodes, text + i + 1, length - i - 1);
			if (*first >= 0 && *last >= *first)
				return true;
		}
	*first = *last = find_node(p, nodes, text, length);
	return *first >= 0;
}

/* ---- slow ones -------------------------------------------------------------------------- */

bool
nodes_slow(struct slow_nodes *out, const struct plan *p, char *err, size_t size)
{
	const char *s = p->cluster.slow_nodes;

	for (out->count = 0; *s != '\0'; out->count++) {
		const size_t length = strcspn(s, ","), name = strcspn(s, "*,");
		struct slow_range *range = &out->range[out->count];
		char factor[24] = "";

		if (name < length)
			text_part(factor, sizeof factor, s + name + 1, length - name - 1);
		if (out->count == SLOW_MAX || name == length || length - name > sizeof factor ||
		    !text_to_real(factor, &range->factor) || !(range->factor > 0) || range->factor > 1 ||
		    !take_nodes(p, p->cluster.nodes, s, name, &range->first, &range->last)) {
			text_put(err, size, "'%.*s' is no slow node: write NODE*SPEED or FIRST-LAST*SPEED, a speed "
			    "above 0 and at most 1, of nodes that the plan has, at most %d of them",
			    (int)least_of((int64_t)length, 40), s, (int)SLOW_MAX);
			return false;
		}
		s += length;
		s += *s == ',';
	}
	return true;
}

double
nodes_speed(const struct plan *p, int64_t first, int64_t last)
{
	struct slow_nodes slow;
	double speed = 1;
	char err[256];

	if (p->cluster.slow_nodes[0] == '\0' || !nodes_slow(&slow, p, err, sizeof err))
		return 1;
	for (int i = 0; i < slow.count; i++)
		if (slow.range[i].first <= last && slow.range[i].last >= first)
			speed = smaller(speed, slow.range[i].factor);
	return speed;
}

/* ---- dead ones -------------------------------------------------------------------------- */

static bool
is_dead(const struct dead_nodes *dead, int64_t node)
{
	for (int i = 0; i < dead->count; i++)
		if (node >= dead->range[i].first && node <= dead->range[i].last)
			return true;
	return false;
}

/* Nodes in a row that are not among them yet; what follows the last range makes it longer. */
static bool
add_dead(struct dead_nodes *out, int64_t first, int64_t last)
{
	for (int i = 0; i < out->count; i++)
		if (first <= out->range[i].last && last >= out->range[i].first)
			return false;
	if (out->count > 0 && out->range[out->count - 1].last + 1 == first) {
		out->range[out->count - 1].last = last;
		return true;
	}
	if (out->count == DEAD_MAX)
		return false;
	out->range[out->count++] = (struct dead_range){ first, last };
	return true;
}

/* The node of a name, which most often is the one after the last. */
static int64_t
find_next(const struct plan *p, int64_t nodes, const char *name, int64_t last)
{
	char known[NODE_NAME_SIZE] = "";

	if (p->cluster.node_list[0] != '\0')
		nodes_name(p->cluster.node_list, last + 1, known, sizeof known);
	return known[0] != '\0' && text_equal(known, name) ? last + 1 : find_node(p, nodes, name, strlen(name));
}

/* The nodes of an entry: a range as of slow ones, or names with brackets. Without a list the plan does not know all
 * that there are. */
static bool
take_dead(struct dead_nodes *out, const struct plan *p, const char *text, size_t length)
{
	const int64_t most = p->cluster.node_list[0] != '\0' ? out->known : PLAN_WORLD_MAX;
	char entry[PLAN_DEAD_SIZE], name[NODE_NAME_SIZE];
	int64_t first, last = -1, names;

	if (memchr(text, '[', length) == NULL)
		return length > 0 && take_nodes(p, most, text, length, &first, &last) &&
		    add_dead(out, first, last);
	text_part(entry, sizeof entry, text, length);
	names = nodes_count(entry);
	for (int64_t i = 0; i < names && names <= DEAD_NAMED_MAX; i++) {
		nodes_name(entry, i, name, sizeof name);
		last = find_next(p, most, name, last);
		if (last < 0 || !add_dead(out, last, last))
			return false;
	}
	return names > 0 && names <= DEAD_NAMED_MAX;
}

bool
nodes_dead(struct dead_nodes *out, const struct plan *p, char *err, size_t size)
{
	const char *s = p->cluster.dead_nodes;

	out->count = 0;
	out->known = most_of(nodes_count(p->cluster.node_list), p->cluster.nodes + p->run.spare_nodes);
	while (*s != '\0') {
		const size_t bare = strcspn(s, ","), n = entry_length(s), length = n > 0 ? n : bare;

		if (!take_dead(out, p, s, length)) {
			text_put(err, size, "'%.*s' is no dead node: write NODE, FIRST-LAST or as Slurm n[1,7-9], each node "
			    "once, of those that the list has, at most %d runs of them",
			    (int)least_of((int64_t)length, 40), s, (int)DEAD_MAX);
			return false;
		}
		s += length;
		s += *s == ',';
	}
	return true;
}

/* How many there are from one node to before another. */
static int64_t
dead_between(const struct dead_nodes *dead, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (int i = 0; i < dead->count; i++)
		sum += most_of(0, least_of(dead->range[i].last + 1, to) - most_of(dead->range[i].first, from));
	return sum;
}

int64_t
nodes_serving(const struct dead_nodes *dead, const struct plan *p, int64_t node)
{
	const int64_t nodes = p->cluster.nodes;
	int64_t before;

	if (!is_dead(dead, node))
		return node;
	before = dead_between(dead, 0, node);
	if (before >= dead->known - nodes - dead_between(dead, nodes, dead->known))
		return -1;
	for (int64_t i = nodes;; i++)
		if (!is_dead(dead, i) && before-- == 0)
			return i;
}

int64_t
nodes_missing(const struct plan *p)
{
	const int64_t nodes = p->cluster.nodes;
	struct dead_nodes dead;
	char err[256];

	if (p->cluster.dead_nodes[0] == '\0' || !nodes_dead(&dead, p, err, sizeof err))
		return 0;
	return most_of(0, dead_between(&dead, 0, nodes) - (dead.known - nodes -
	    dead_between(&dead, nodes, dead.known)));
}

void
nodes_call(const struct plan *p, int64_t node, char *buf, size_t size)
{
	struct dead_nodes dead;
	char err[256];

	if (p->cluster.dead_nodes[0] != '\0' && nodes_dead(&dead, p, err, sizeof err) &&
	    nodes_serving(&dead, p, node) >= 0)
		node = nodes_serving(&dead, p, node);
	nodes_name(p->cluster.node_list, node, buf, size);
	if (buf[0] == '\0')
		text_put(buf, size, "%lld", (long long)node);
}

/* ---- other GPUs ------------------------------------------------------------------------- */

/* The number of that type among those named so far, a new one with room; -1 without. */
static int
type_of(struct other_nodes *out, const char *name)
{
	for (int i = 0; i < out->types; i++)
		if (text_equal(out->type[i], name))
			return i;
	if (name[0] == '\0' || out->types == PLAN_OTHERS_MAX)
		return -1;
	text_put(out->type[out->types], sizeof out->type[0], "%s", name);
	return out->types++;
}

static bool
is_named(const struct other_nodes *o, int64_t first, int64_t last)
{
	for (int i = 0; i < o->count; i++)
		if (o->range[i].first <= last && o->range[i].last >= first)
			return true;
	return false;
}

bool
nodes_other(struct other_nodes *out, const struct plan *p, char *err, size_t size)
{
	const char *s = p->cluster.other_gpus;

	for (out->count = out->types = 0; *s != '\0'; out->count++) {
		const size_t length = strcspn(s, ","), name = strcspn(s, "=,");
		struct other_range range = { .type = -1 };
		char gpu[PLAN_ID_SIZE] = "";

		if (name < length)
			text_part(gpu, sizeof gpu, s + name + 1, length - name - 1);
		if (out->count == SLOW_MAX || !take_nodes(p, p->cluster.nodes, s, name, &range.first, &range.last) ||
		    is_named(out, range.first, range.last) || (range.type = type_of(out, gpu)) < 0) {
			text_put(err, size, "'%.*s' names no other GPUs: write NODE=GPU or FIRST-LAST=GPU, each node of "
			    "the plan once, at most %d of these and %d types", (int)least_of((int64_t)length, 40), s,
			    (int)SLOW_MAX, (int)PLAN_OTHERS_MAX);
			return false;
		}
		out->range[out->count] = range;
		s += length;
		s += *s == ',';
	}
	return true;
}

const char *
nodes_gpu(const struct plan *p, int64_t node)
{
	struct other_nodes others;
	char err[256];

	if (p->others == 0 || !nodes_other(&others, p, err, sizeof err))
		return p->cluster.gpu;
	for (int i = 0; i < others.count; i++)
		if (node >= others.range[i].first && node <= others.range[i].last)
			return p->other[others.range[i].type].gpu;
	return p->cluster.gpu;
}
