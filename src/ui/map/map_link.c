#include "ui/map/map_link.h"

#include "core/base/text.h"
#include "core/framework/link.h"

/* Links, or in place of the network its units, and one more: a dimension that talks in every layer is
 * on the network, though one NVLink domain has room for its group. */
enum { LINK_PATHS = LINK_NETWORK + 2, LEVEL_PATHS = LINK_NETWORK + LEVEL_UNITS + 1 };

/* One of the kinds that talk in every layer, in groups that leave a domain with room for
 * them. */
static bool
strays(const struct plan *p, const struct layout *l, int kind)
{
	const struct span span = link_span(p, l, kind);

	return l->kind[kind].each_layer && link_strays(p, &span);
}

void
map_link_init(struct map_paint *m)
{
	char err[160];

	if (!levels_of(&m->levels, m->plan, err, sizeof err) || level_between(&m->levels, m->plan, 0, 0) < 0)
		m->levels.count = 0;
	m->values = m->levels.count > 0 ? LEVEL_PATHS : LINK_PATHS;
	m->strays = strays(m->plan, &m->estimate->layout, m->color.kind);
}

static struct hue
hue_of(const struct map_paint *m, int64_t path)
{
	return (struct hue){ .value = path, .color = path < 0 ? 0 : (int)path,
		.letter = path < 0 ? '.' : (m->levels.count > 0 ? "svp123!" : "svpn!")[path] };
}

struct hue
map_link_hue(const struct map_paint *m, int64_t group)
{
	const struct layout *l = &m->estimate->layout;
	int64_t path = -1;

	if (group >= 0)
		path = link_path(m->plan, l, m->color.kind, group);
	if (m->strays && path >= LINK_NODE)
		path = m->values - 1;
	else if (path == LINK_NETWORK && m->levels.count > 0)
		path += link_level(&m->levels, m->plan, l, m->color.kind, group);
	return hue_of(m, path);
}

bool
map_link_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size)
{
	if (i >= m->values)
		return false;
	*hue = hue_of(m, i);
	text_put(buf, size, "%s", i == m->values - 1 ? "off NVLink" :
	    m->levels.count > 0 && i >= LINK_NETWORK ? level_name((int)i - LINK_NETWORK) :
	    link_path_name((enum link_path)i));
	return true;
}
