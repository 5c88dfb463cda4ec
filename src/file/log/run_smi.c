/*
 * What GPUs do while a job runs, as their tools say it: sections of nvidia-smi -q, its table, rows
 * of its query form and of nvidia-smi dmon (NVIDIA nvidia-smi manual: clocks event reasons, query
 * and dmon options), of dcgmi dmon (NVIDIA DCGM documentation, field identifiers), and of amd-smi
 * static, metric and monitor (ROCm/amdsmi amdsmi_cli).
 *
 * An idle GPU runs slow clocks and a narrow link: only a busy one tells anything.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/log/run_rows.h"

/* Percent of the time: a GPU is busy, and is all the time; and what it then draws of its limit
 * where kernels wait for others. */
#define BUSY 50
#define BUSY_ALWAYS 95
#define LITTLE_POWER 0.4

/* Percent of the time that a violation holds clocks down (dmon). */
#define VIOLATED 5

/* ---- nvidia-smi -q --------------------------------------------------------------------------- */

/* "    Product Name                          : NVIDIA H100 80GB HBM3" */
TAKES(smi_name)
{
	const char *name = log_after(after, ": ");

	if (name != NULL)
		run_gpu_name(r, line, name);
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-..)" of nvidia-smi -L */
TAKES(smi_listed)
{
	const char *begin = log_after(line, ": "), *end = strstr(line, " (UUID");

	if (begin == NULL || end <= begin || strncmp(line + strspn(line, " "), "GPU ", 4) != 0)
		return;
	run_gpu_name(r, line, TEXT_OF(MEASURED_TEXT, "%.*s", (int)(end - begin), begin));
}

static void
say_limit(struct run_reader *r, const char *line, double limit, double usual)
{
	if (limit > 0 && usual > 0) /* the usual one a busy GPU reaches */
		run_say(r, limit < POWER_LIMITED * usual ? EVIDENCE_POWER_LIMIT : EVIDENCE_POWER_FREE, line, limit);
	if (limit > 0)
		run_fact_number(r, FIELD_GPU_POWER_WATTS, limit);
}

/* "        Current Power Limit               : 230.00 W", after it the default one. */
TAKES(smi_limit)
{
	r->smi.limit = log_number_after(after, ":");
}

TAKES(smi_default)
{
	say_limit(r, line, r->smi.limit, log_number_after(after, ":"));
	r->smi.limit = 0;
}

/* "            SW Power Cap              : Active", of any width. */
static double
is_active(const char *after)
{
	const char *value = strchr(after, ':');

	return value != NULL && strncmp(value + 1 + strspn(value + 1, " "), "Active", 6) == 0;
}

/* "PCIe Generation" and "Link Width" have lines "Max : 5" and "Current : 1" below them. */
static bool
smi_pcie_line(struct run_reader *r, const char *line)
{
	if (strstr(line, "Link Width") != NULL)
		r->smi.width = true;
	if (strstr(line, "Current") != NULL)
		r->smi.pcie[r->smi.width][0] = log_number_after(line, ":");
	else if (strstr(line, "Max ") != NULL)
		r->smi.pcie[r->smi.width][1] = log_number_after(line, ":");
	return strstr(line, "Bridge Chip") == NULL && strstr(line, "Utilization") == NULL;
}

TAKES(smi_pcie)
{
	memset(&r->smi.pcie, 0, sizeof r->smi.pcie);
	r->smi.width = false;
	r->next = smi_pcie_line;
}

/* "        Gpu                               : 98 %" */
TAKES(smi_use)
{
	const double use = log_number_after(after, ":");

	for (int i = 0; i < 2; i++)
		if (use > BUSY && r->smi.pcie[i][0] > 0 && r->smi.pcie[i][0] < r->smi.pcie[i][1])
			run_say(r, EVIDENCE_NARROW_PCIE, line, r->smi.pcie[i][0]);
}

/* ---- amd-smi ------------------------------------------------------------------------------------- */

/* "        MARKET_NAME: AMD Instinct MI300X" of amd-smi static */
TAKES(amd_name)
{
	const char *name = after + strspn(after, " ");

	if (*name != '\0' && strcmp(name, "N/A") != 0)
		run_gpu_name(r, line, name);
}

/* "        MAX_POWER: 750 W", after it "        SOCKET_POWER: 500 W", which is then the limit; alone that
 * is what is drawn (amd-smi metric). */
TAKES(amd_most)
{
	r->smi.limit = log_number_after(after, "");
}

TAKES(amd_limit)
{
	say_limit(r, line, r->smi.limit > 0 ? log_number_after(after, "") : 0, r->smi.limit);
	r->smi.limit = 0;
}

/* "        PPT_VIOLATION_STATUS: ACTIVE" of amd-smi metric: the limit of the package's power. */
static double
amd_active(const char *after)
{
	return strncmp(after + strspn(after, " "), "ACTIVE", 6) == 0;
}

/* ---- rows of columns ----------------------------------------------------------------------------- */

enum { REASON_POWER = 0x4, REASON_HEAT = 0x8 | 0x20 | 0x40 | 0x80 };

/* What columns tell, by the end of their names: those of the query form have a unit after it. */
static const struct {
	const char *name;
	enum smi_column column;
} smi_names[] = {
	{ "name", SMI_NAME }, { "utilization.gpu", SMI_USE }, { "power.draw", SMI_DRAW },
	{ "power.limit", SMI_LIMIT }, { "power.default_limit", SMI_USUAL },
	{ "_reasons.active", SMI_REASONS }, { "_reasons.sw_power_cap", SMI_CAP },
	{ "_reasons.hw_slowdown", SMI_HEAT }, { "_reasons.hw_thermal_slowdown", SMI_HEAT },
	{ "_reasons.sw_thermal_slowdown", SMI_HEAT },
	{ "_reasons.hw_power_brake_slowdown", SMI_HEAT },
	{ "link.gen.current", SMI_GENERATION }, { "link.gen.gpucurrent", SMI_GENERATION },
	{ "link.gen.max", SMI_GENERATION_MOST }, { "link.gen.gpumax", SMI_GENERATION_MOST },
	{ "link.width.current", SMI_WIDTH }, { "link.width.max", SMI_WIDTH_MOST },
	{ "pwr", SMI_DRAW }, { "sm", SMI_USE }, { "pviol", SMI_POWER_VIOLATION },
	{ "tviol", SMI_HEAT_VIOLATION }, { "POWER", SMI_DRAW }, { "GPUTL", SMI_USE },
	{ "GFX%", SMI_USE }, { "GFX_UTIL", SMI_USE }, { "PWR_CAP", SMI_LIMIT },
	{ "PVIOL", SMI_POWER_VIOLATION }, { "TVIOL", SMI_HEAT_VIOLATION },
};

/* amd-smi monitor: "  0  745 W  60 C  1200 MHz  100 %". */
static bool
is_unit(const char *cell)
{
	static const char *const units[] = { "W", "C", "\u00b0C", "MHz", "%", "GB", "MB", "Mb/s" };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(cell, units[i]) == 0)
			return true;
	return false;
}

/* The next cell, without blanks around it; at the end false. Cells of dmon have blanks between
 * them. */
static bool
next_cell(const char **line, bool commas, char *cell, size_t size)
{
	size_t n, length;

	*line += strspn(*line, " \t");
	if (**line == '\0')
		return false;
	n = length = strcspn(*line, commas ? "," : " \t");
	while (length > 0 && ((*line)[length - 1] == ' ' || (*line)[length - 1] == '\t'))
		length--;
	text_put(cell, size, "%.*s", length < size ? (int)length : (int)size - 1, *line);
	*line += n + (commas && (*line)[n] == ',');
	return true;
}

static enum smi_column
column_named(char *cell)
{
	size_t n;

	cell[strcspn(cell, " [")] = '\0'; /* "power.draw [W]" */
	n = strlen(cell);
	for (size_t i = 0; i < sizeof smi_names / sizeof *smi_names; i++) {
		const size_t k = strlen(smi_names[i].name);

		if (k == n ? text_equal(cell, smi_names[i].name) : k < n &&
		    (smi_names[i].name[0] == '_' || smi_names[i].name[0] == 'l') &&
		    text_equal(cell + n - k, smi_names[i].name))
			return smi_names[i].column;
	}
	return SMI_NONE;
}

/* A busy GPU's row, numbers by what they are; -1 of what has no column. */
static void
say_row(struct run_reader *r, const char *line, const double v[SMI_COLUMNS])
{
	const double said = v[SMI_REASONS]; /* bits: all that are known lie in 32 */
	const unsigned reasons = said > 0 && said <= UINT32_MAX ? (unsigned)said : 0;

	say_limit(r, line, v[SMI_LIMIT], v[SMI_USUAL]);
	if (v[SMI_USE] >= 0 && v[SMI_USE] < BUSY)
		return;
	if ((reasons & REASON_POWER) != 0 || v[SMI_CAP] > 0 || v[SMI_POWER_VIOLATION] > VIOLATED)
		run_say(r, EVIDENCE_POWER_CAP, line, v[SMI_DRAW]);
	if ((reasons & REASON_HEAT) != 0 || v[SMI_HEAT] > 0 || v[SMI_HEAT_VIOLATION] > 0)
		run_say(r, EVIDENCE_THERMAL, line, 0);
	if (v[SMI_USE] >= BUSY_ALWAYS && v[SMI_DRAW] > 0 && v[SMI_DRAW] < LITTLE_POWER * v[SMI_LIMIT])
		run_say(r, EVIDENCE_LOW_POWER, line, v[SMI_DRAW]);
	if ((v[SMI_GENERATION] > 0 && v[SMI_GENERATION] < v[SMI_GENERATION_MOST]) ||
	    (v[SMI_WIDTH] > 0 && v[SMI_WIDTH] < v[SMI_WIDTH_MOST]))
		run_say(r, EVIDENCE_NARROW_PCIE, line, v[SMI_GENERATION]);
}

/* "0, 98 %, 0x0000000000000004", "    0    690     65      -    100", "GPU 0   68.0   32". */
static bool
column_row(struct run_reader *r, const char *line)
{
	const char *rest = line, *name = NULL;
	double v[SMI_COLUMNS];
	char cell[96], named[96];
	int i = 0;

	if (*line == '#') /* dmon says its heads again */
		return true;
	for (int c = 0; c < SMI_COLUMNS; c++)
		v[c] = -1;
	if (strncmp(rest + strspn(rest, " "), "GPU ", 4) == 0 && !r->smi.commas)
		rest += strspn(rest, " ") + 4;
	for (; i < r->smi.columns && next_cell(&rest, r->smi.commas, cell, sizeof cell); i++) {
		const enum smi_column c = r->smi.column[i];

		if (r->smi.amd && is_unit(cell))
			i--;
		else if (c == SMI_NAME)
			name = (text_copy(named, sizeof named, cell), named);
		else if (strncmp(cell, "0x", 2) == 0)
			v[c] = (double)strtoul(cell, NULL, 16);
		else if (strcmp(cell, "Active") == 0)
			v[c] = 1;
		else if (*cell >= '0' && *cell <= '9')
			v[c] = strtod(cell, NULL);
		else if (i == 0 && !r->smi.commas)
			return false;
	}
	if (i < r->smi.columns || (*rest != '\0' && !r->smi.amd)) /* the table is over */
		return false;
	if (name != NULL)
		run_gpu_name(r, line, name);
	say_row(r, line, v);
	return true;
}

/* Names of columns stand in a line of their own. */
TAKES(column_heads)
{
	const char *rest = line + strspn(line, "# ");
	char cell[96];

	r->smi.commas = strchr(line, ',') != NULL;
	r->smi.amd = strstr(line, "GFX") != NULL || strstr(line, " XCP ") != NULL;
	for (r->smi.columns = 0; r->smi.columns < SMI_CELLS &&
	    next_cell(&rest, r->smi.commas, cell, sizeof cell); r->smi.columns++)
		r->smi.column[r->smi.columns] = r->smi.amd || strstr(cell, "VIOL") == NULL ?
		    column_named(cell) : SMI_NONE; /* dcgmi's are sums of nanoseconds */
	r->next = column_row;
}

/* "| 30%   65C    P2             230W /  230W |  20000MiB /  24576MiB |     99%      Default |" */
TAKES(table_row)
{
	const char *limit = strstr(line, "W / "), *use = strchr(after, '|');
	double v[SMI_COLUMNS];

	if (*line != '|' || limit == NULL || limit > after || use == NULL)
		return;
	for (int i = 0; i < SMI_COLUMNS; i++)
		v[i] = -1;
	v[SMI_LIMIT] = strtod(limit + 4, NULL);
	while (limit > line && limit[-1] >= '0' && limit[-1] <= '9')
		limit--;
	v[SMI_DRAW] = strtod(limit, NULL);
	v[SMI_USE] = strtod(use + 1, NULL);
	r->said[SOURCE_SMI]++;
	say_row(r, line, v);
}

const struct run_row run_smi_rows[] = {
	{ "Product Name     ", SOURCE_SMI, BY(smi_name) },
	{ " (UUID: GPU-", SOURCE_SMI, BY(smi_listed) },
	{ "Current Power Limit", SOURCE_SMI, BY(smi_limit) },
	{ "Default Power Limit", SOURCE_SMI, BY(smi_default) },
	{ "SW Power Cap", SOURCE_SMI, TELLS(EVIDENCE, EVIDENCE_POWER_CAP, is_active) },
	{ "SW Thermal Slowdown", SOURCE_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, is_active) },
	{ "HW Thermal Slowdown", SOURCE_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, is_active) },
	{ "HW Power Brake Slowdown", SOURCE_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, is_active) },
	{ "HW Slowdown", SOURCE_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, is_active) },
	{ "GPU Link Info", SOURCE_SMI, BY(smi_pcie) },
	{ "        Gpu          ", SOURCE_SMI, BY(smi_use) },
	{ "        GPU          ", SOURCE_SMI, BY(smi_use) },
	{ "clocks_event_reasons.", SOURCE_SMI, BY(column_heads) },
	{ "clocks_throttle_reasons.", SOURCE_SMI, BY(column_heads) },
	{ ", power.draw", SOURCE_SMI, BY(column_heads) },
	{ ", utilization.gpu", SOURCE_SMI, BY(column_heads) },
	{ ", power.limit", SOURCE_SMI, BY(column_heads) },
	{ "# gpu ", SOURCE_SMI, BY(column_heads) },
	{ "#Entity ", SOURCE_DCGM, BY(column_heads) },
	{ "GFX%", SOURCE_AMD_SMI, BY(column_heads) },
	{ "GFX_UTIL", SOURCE_AMD_SMI, BY(column_heads) }, /* before ROCm 6.4 */
	{ "GPU  XCP  POWER  PWR_CAP", SOURCE_AMD_SMI, BY(column_heads) },
	{ " MARKET_NAME:", SOURCE_AMD_SMI, BY(amd_name) },
	{ " MAX_POWER:", SOURCE_AMD_SMI, BY(amd_most) },
	{ " SOCKET_POWER:", SOURCE_AMD_SMI, BY(amd_limit) },
	{ " MAX_POWER_LIMIT:", SOURCE_AMD_SMI, BY(amd_most) }, /* below PPT0 since ROCm 7 */
	{ " SOCKET_POWER_LIMIT:", SOURCE_AMD_SMI, BY(amd_limit) },
	{ " PPT_VIOLATION_STATUS:", SOURCE_AMD_SMI, TELLS(EVIDENCE, EVIDENCE_POWER_CAP, amd_active) },
	{ "THERMAL_VIOLATION_STATUS:", SOURCE_AMD_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, amd_active) },
	{ " PROCHOT_VIOLATION_STATUS:", SOURCE_AMD_SMI, TELLS(EVIDENCE, EVIDENCE_THERMAL, amd_active) },
	{ "MiB |", SOURCE_ASIDE, BY(table_row) },
	{ .words = NULL },
};
