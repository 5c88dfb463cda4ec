#include "file/import/here.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "file/machines/machines.h"
#include "file/notation/sbatch.h"

#define DRIVER "/proc/driver/nvidia/gpus"

/* A count that the environment has; 0 when it is not there or none. */
static int64_t
count_of(const char *text)
{
	int64_t n;

	return text != NULL && text_to_int(text, &n) && n > 0 && n <= PLAN_WORLD_MAX ? n : 0;
}

/* "Model: \t NVIDIA H200" of one GPU. */
static void
read_model(const char *path, char *name, size_t size)
{
	char line[256];
	FILE *f = fopen(path, "r");

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, "Model:", 6) == 0) {
			const char *model = line + 6 + strspn(line + 6, " \t");

			text_put(name, size, "%.*s", (int)strcspn(model, "\r\n"), model);
		}
	if (f != NULL)
		fclose(f);
}

/* How many GPUs the driver has, and what it calls the last of them. */
static int64_t
driver_gpus(const char *root, char *name, size_t size)
{
	const struct dirent *e;
	int64_t gpus = 0;
	DIR *d = opendir(root);

	*name = '\0';
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		gpus++;
		read_model(TEXT_OF(PLANFILE_PATH_SIZE, "%s/%s/information", root, e->d_name), name, size);
	}
	if (d != NULL)
		closedir(d);
	return gpus;
}

/* SLURM_GPUS_PER_NODE is as it was typed. */
static int64_t
job_gpus(char *name, size_t size)
{
	const char *typed = getenv("SLURM_GPUS_PER_NODE");
	const int64_t granted = count_of(getenv("SLURM_GPUS_ON_NODE"));
	int64_t gpus = 0;

	*name = '\0';
	if (typed != NULL)
		gpus = slurm_gpus(typed, name, size);
	return granted > 0 ? granted : gpus;
}

/* Nodes and GPUs of each, as far as anything tells; where from. */
static const char *
find_size(int64_t *nodes, int64_t *gpus, char *name, size_t size)
{
	const int64_t world = count_of(getenv("WORLD_SIZE"));
	const int64_t local = count_of(getenv("LOCAL_WORLD_SIZE"));

	*nodes = count_of(getenv("SLURM_NNODES"));
	if (*nodes == 0)
		*nodes = count_of(getenv("SLURM_JOB_NUM_NODES"));
	*gpus = job_gpus(name, size);
	if (*nodes > 0)
		return "the Slurm job";
	if (world > 0 && local > 0 && world % local == 0) {
		*nodes = world / local;
		*gpus = local;
		return "torchrun";
	}
	return DRIVER;
}

enum import_status
import_here(struct import *im)
{
	struct machines m = { 0 };
	char driver[PLAN_ID_SIZE], typed[PLAN_ID_SIZE];
	const int64_t there = driver_gpus(DRIVER, driver, sizeof driver);
	int64_t nodes, gpus;
	const char *source = find_size(&nodes, &gpus, typed, sizeof typed);

	im->name = "--here";
	plan_defaults(im->plan);
	if (nodes == 0 && there == 0) {
		import_error(im, "", "neither a Slurm job nor a GPU of NVIDIA's driver is here (fix: "
		    "import a file, see shardplan(1))");
		return IMPORT_FAILED;
	}
	m.one_node = nodes == 0;
	machines_add(&m, driver[0] != '\0' ? driver : typed, gpus > 0 ? gpus : there,
	    nodes > 0 ? nodes : 1);
	machines_put(im, &m, source);
	machines_free(&m);
	if (im->errors->count > 0)
		return IMPORT_FAILED;
	plan_resolve(im->plan, im->catalog);
	return IMPORT_DONE;
}
