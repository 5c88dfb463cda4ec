/*
 * measured.h - what the files of a run tell: numbers, facts of the run, and words.
 *
 * Plain data without pointers, filled by readers of files (file/log/) in one pass and read by
 * diagnose.h. Numbers are series, of which statistics stay; facts are values of fields as one
 * would type them; words are kinds of evidence, with the first line that said so.
 */
#ifndef CORE_MEASURED_H
#define CORE_MEASURED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/units.h"
#include "core/plan/field.h"

enum measured_id {
#define MEASURED(id, path, label, measure, error, result) MEASURED_##id,
#include "core/diagnose/measured.def"
	MEASURED_COUNT
};

enum evidence_id {
	EVIDENCE_NONE,
#define EVIDENCE(id, tells) EVIDENCE_##id,
#include "core/diagnose/evidence.def"
	EVIDENCE_COUNT
};

enum {
	SERIES_KEPT = 1024,   /* samples of a series, of which every n-th is kept */
	SERIES_PEAKS = 16,    /* largest ones, with their steps */
	MEASURED_FILES = 64,
	MEASURED_FACTS = 128,
	MEASURED_MEMORIES = 1024,
	MEASURED_TEXT = 120,
	MEASURED_PATH = 256,
	MEASURED_LAUNCH = 262144,
};

/* A power limit so much below the usual one is meant. */
#define POWER_LIMITED 0.97

/* A line of a file. */
struct place {
	int file;             /* -1: none */
	unsigned line;        /* from 1 */
};

/* Samples in the order in which they came. */
struct series {
	size_t count;         /* that came */
	size_t warm;          /* of them, first ones that are none of the steady state */
	size_t kept, stride;  /* every stride-th of the steady ones */
	double sample[SERIES_KEPT];
	double first;         /* the first one of all */
	int64_t first_step, last_step; /* -1: steps have no numbers */
	size_t peaks;
	struct series_peak {
		int64_t step;
		double value;
	} peak[SERIES_PEAKS]; /* the largest steady ones, in no order */
	struct place place;   /* of the first one */
};

/* Median and spread of a series. */
struct steady {
	size_t samples;       /* 0: nothing is known */
	bool first_alone;     /* there was only the first step, which is slower than others */
	double median, low, high; /* half of the samples lie from low to high */
};

/* Facts of the run which are no fields of a plan. */
enum fact_id {
	FACT_CAPACITY = FIELD_COUNT, /* bytes of one GPU */
	FACT_PEAK,                   /* peak FLOP/s that a program divides by */
	FACT_WORLD,                  /* GPUs */
	FACT_GPU_NAME,               /* as the driver says it */
	FACT_COUNT
};

/* A value that a line says; of a field as one would type it. */
struct fact {
	int id;               /* enum field_id or enum fact_id */
	double number;        /* where it is one, else 0 */
	char text[MEASURED_TEXT];
	struct place place;
};

struct evidence {
	size_t count;         /* lines that said so */
	double most;          /* the largest number that a reader took from them */
	struct place place;   /* the first of them, */
	char text[MEASURED_TEXT]; /* cut to this, as the file has it: foreign */
};

/* Peak memory of one process, in bytes; 0 what its program does not print. */
struct measured_memory {
	int64_t rank, stage;  /* -1 where the line does not say */
	int64_t iterations;   /* after how many it was printed, -1 unknown */
	double allocated;     /* PyTorch's max_memory_allocated */
	double reserved;      /* max_memory_reserved */
	double used;          /* of the device, by everybody */
};

/* The work of a job that failed, as the outermost calls of a traceback say. */
enum oom_phase { OOM_UNKNOWN, OOM_LOADING, OOM_FORWARD, OOM_BACKWARD, OOM_UPDATE };

/* An allocation that failed, in bytes: the last one that was told. */
struct measured_oom {
	size_t count;
	int64_t rank;         /* -1 where the line does not say */
	enum oom_phase phase;
	double asked, capacity, free, process, allocated, unallocated, pools, others;
	struct place place;
};

/* A benchmark of a serving engine: means over the completed requests, 0 where nothing is said. */
struct measured_load {
	size_t results;       /* in the file; this is the last one */
	int64_t completed;
	double prompt_tokens, generate_tokens; /* of a request */
	double concurrency;   /* requests at once */
	bool rate_limited;    /* they came at a given rate, not as others ended: */
	double rate, burstiness; /* a second; gamma shape of the gaps, 0: not said */
	bool tpot_halved;     /* the program said half of it: that of the whole time stands here */
	double ttft_seconds, tpot_seconds;
	double tokens_per_second; /* generated */
	double requests_per_second;
};

/* Amounts that an engine tells when it starts: of the fullest worker; the pool with the states of linear
 * attention. 0 where nothing is said. */
struct measured_engine {
	double weight_bytes, kv_pool_bytes, kv_tokens, kv_blocks;
	double max_concurrency;
	double context_length; /* the request that max_concurrency is about */
};

struct measured_file {
	char path[MEASURED_PATH];
	char kind[MEASURED_TEXT]; /* "megatron nccl": sources, that with most lines first */
	size_t lines, steps, skipped; /* skipped: lines that were too long, in part */
};

struct measured {
	size_t files;
	struct measured_file file[MEASURED_FILES];
	struct series series[MEASURED_COUNT];
	size_t facts;
	struct fact fact[MEASURED_FACTS];
	struct evidence evidence[EVIDENCE_COUNT];
	size_t memories;
	struct measured_memory memory[MEASURED_MEMORIES];
	struct measured_oom oom;
	struct measured_load load;
	struct measured_engine engine;
	char launch[MEASURED_LAUNCH]; /* the first lines that have all arguments of the program; "" */
	/* Seconds of kernels that compute, where those by class are of a whole profile and not of a step. */
	double profiled;
};

/* Add a sample of a step, -1 where the line tells none; values that are not above 0 are none. */
void series_add(struct series *s, int64_t step, double value, struct place place);
/* Make all samples so many times as large. */
void series_scale(struct series *s, double by);
void measured_add(struct measured *m, enum measured_id id, int64_t step, double value,
    struct place place);

/* Say a fact. The first one of a kind stays, but for those that the program itself says later. */
void measured_fact(struct measured *m, int id, const char *text, double number,
    struct place place);

/* A line said so; number: what a reader took from it, or 0. */
void measured_say(struct measured *m, enum evidence_id id, const char *text, double number,
    struct place place);

/* The peak over the run of a rank, or of a stage where the line names no rank. */
void measured_memory(struct measured *m, const struct measured_memory *peak);

/* The fact, or NULL. */
const struct fact *measured_find(const struct measured *m, int id);

/* The steady state of a series: without the first steps, as far as others remain. */
struct steady measured_steady(const struct measured *m, enum measured_id id);

/* Median and spread of any series, as of a run's. */
struct steady series_steady(const struct series *s);

/* The number of steps from one peak above 1.5 medians to the next, where they are equal; 0. *mean: what
 * these take. */
int64_t series_period(const struct series *s, double *mean);

/* The growth of the last quarter's median over the first one's, 1 where there are too few. */
double series_drift(const struct series *s);

/* Whether lines said so. */
static inline bool
measured_says(const struct measured *m, enum evidence_id id)
{
	return m->evidence[id].count > 0;
}

/* "step.seconds"; "the network is slower". */
const char *measured_path(enum measured_id id);
const char *measured_label(enum measured_id id);
enum measure measured_measure(enum measured_id id);
const char *evidence_tells(enum evidence_id id);

/* Words of lines that say something. */
struct evidence_words {
	enum evidence_id id;
	const char *words;
};
extern const struct evidence_words evidence_words[];
extern const size_t evidence_words_count;
#endif
