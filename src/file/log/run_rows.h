/*
 * run_rows.h - the rows of run.h: words of a line, whose they are, and what takes the line.
 */
#ifndef FILE_RUN_ROWS_H
#define FILE_RUN_ROWS_H
#include "core/base/text.h"
#include "core/diagnose/measured.h"
#include "file/log/log_bench.h"
#include "file/log/log_words.h"

/* Whose lines they are. */
enum writer {
	SOURCE_MEGATRON, SOURCE_BRIDGE, SOURCE_TORCHTITAN, SOURCE_NANOTRON, SOURCE_DEEPSPEED,
	SOURCE_AUTOMODEL, SOURCE_COMPOSER, SOURCE_MAXTEXT,
	SOURCE_HF, SOURCE_TUNER, SOURCE_PROGRESS, SOURCE_VERL, SOURCE_OPENRLHF, SOURCE_NEMO_RL,
	SOURCE_SLIME, SOURCE_VLLM, SOURCE_SGLANG, SOURCE_TRTLLM, SOURCE_BENCHMARK, SOURCE_NCCL_TESTS,
	SOURCE_DEEPEP, SOURCE_NCCL, SOURCE_SMI, SOURCE_TOPO, SOURCE_DCGM, SOURCE_AMD_SMI, SOURCE_OOM, SOURCE_TRACE, SOURCE_NSYS,
	SOURCE_WORDS, SOURCE_COUNT,
	SOURCE_ASIDE = SOURCE_COUNT /* lines that alone tell nothing */
};

/* Times of a step that count only where no line says one as such, best first; and times of a token,
 * of which only peaks and slope are looked at. */
enum fallback { FALLBACK_PARTS, FALLBACK_RATE, FALLBACK_BAR, FALLBACK_COUNT,
	FALLBACK_PACE = FALLBACK_COUNT, FALLBACK_SERIES };

/* What a column of a tool that watches GPUs tells: percent, watts, a mask of bits; "Active" is 1. */
enum smi_column {
	SMI_NONE, SMI_NAME, SMI_USE, SMI_DRAW, SMI_LIMIT, SMI_USUAL, SMI_REASONS, SMI_CAP, SMI_HEAT,
	SMI_POWER_VIOLATION, SMI_HEAT_VIOLATION, SMI_GENERATION, SMI_GENERATION_MOST, SMI_WIDTH,
	SMI_WIDTH_MOST, SMI_COLUMNS
};
enum { SMI_CELLS = 48 };

struct run_reader;

/* A line that rows asked for: the one after, until it returns false. */
typedef bool run_line(struct run_reader *r, const char *line);

struct run_reader {
	struct measured *m;
	struct place place;          /* of the line */
	size_t said[SOURCE_COUNT];   /* lines of each */
	run_line *next;              /* NULL: nobody waits for a line */
	struct series step[FALLBACK_SERIES];
	/* A progress bar: the one with most steps is the run's. */
	struct {
		double total, done, seconds;
	} bar;
	/* nccl-tests: the largest message of the table. */
	struct {
		double size, rate, best, ranks; /* of all sizes the best rate, too */
		int back[2];         /* how far from the end of a row its rates stand */
		char host[64];
		bool nodes, other;
	} bench;
	/* Megatron-LM's timers, rank by rank: of the ranks so far. */
	struct {
		char name[64];
		double least, most;
	} timer;
	bool rooted;                 /* DeepSpeed: an operation in which one rank alone sends */
	size_t prefills, decodes;    /* lines of SGLang beside running requests */
	size_t graphs_asked;         /* lines of arguments that ask for CUDA graphs */
	int64_t engines;             /* that say their rates one by one */
	/* nsys: seconds of kernels by class, those of attention, cells before the name. */
	struct {
		double seconds[16], fused, softmax;
		int before;
	} nsys;
	enum oom_phase phase;        /* of the traceback that is being read */
	bool grouped;                /* Megatron-LM: --group-query-attention, */
	bool launches;               /* and its arguments are those that are kept */
	char nic[32];                /* that NCCL named last as the only one, */
	bool nics;                   /* but others on other ranks */
	uint64_t topo_nics;          /* columns of topo -m that are NICs */
	/* nvidia-smi: what one GPU's section has said so far; what columns tell. */
	struct {
		double limit, pcie[2][2]; /* watts; generation and width, now and most */
		bool width, commas, amd; /* commas stand between columns; units follow numbers */
		int columns;
		enum smi_column column[SMI_CELLS];
	} smi;
	struct log_table table;      /* of a serving benchmark */
	/* SGLang's start, before it is put together: bytes, and tokens of its pools, listed and as the scheduler uses
	 * them. */
	struct {
		double free_before; /* the weights were loaded */
		double kv, windowed, states;
		double listed_tokens, running_tokens;
	} pools;
};

/* What a row tells by itself: a number behind the words, that the line was there, or what was being done. */
enum run_tells { TELLS_SAMPLE, TELLS_SECONDS, TELLS_FACT, TELLS_EVIDENCE, TELLS_PHASE };

struct run_row {
	const char *words;
	enum writer source;
	void (*read)(struct run_reader *r, const char *line, const char *after); /* NULL: it tells by itself */
	enum run_tells tells;
	int id;                              /* of what it tells */
	double (*number)(const char *after); /* NULL: run_number; evidence needs none, or one above 0 */
};
/* A function of a row: all of the line, and what follows the words. */
#define TAKES(name) static void name(MAYBE struct run_reader *r, MAYBE const char *line, MAYBE const char *after)
#define BY(function) function, TELLS_SAMPLE, 0, NULL
#define TELLS(what, of, number) NULL, TELLS_##what, of, number

/* Rows by what they are of; a row without words ends each. */
extern const struct run_row run_megatron_rows[], run_train_rows[],
    run_tune_rows[], run_rl_rows[], run_serve_rows[],
    run_link_rows[], run_host_rows[], run_smi_rows[], run_kernel_rows[], run_release_rows[];

/* Add a sample of this line; seconds of a step of a fallback. */
void run_add(struct run_reader *r, enum measured_id id, int64_t step, double value);
void run_fall_back(struct run_reader *r, enum fallback f, int64_t step, double seconds);

/* Say a fact of this line, as text or as a number. */
void run_fact(struct run_reader *r, int id, const char *text);
void run_fact_number(struct run_reader *r, int id, double number);

/* A GPU of the job is called so. */
void run_gpu_name(struct run_reader *r, const char *line, const char *name);

/* This line says so. */
void run_say(struct run_reader *r, enum evidence_id id, const char *line, double number);

/* The line tells all arguments of the program, or is one more of those that do: the first ones are kept. */
void run_launch(struct run_reader *r, const char *line, bool more);

/* What is known of a release of a program. */
void run_release(struct run_reader *r, const char *line, const char *program, const char *text);

/* Put together what lines of serving have told, at the end of a file. */
void run_serve_end(struct run_reader *r);
void run_serve_load(struct run_reader *r);

/* The number after a key as Python prints dicts: "74.0", "': '74.0'", "np.float64(74.0)"; line may be
 * NULL. 0 where there is none. */
double run_value(const char *line, const char *key);

/* The number at the beginning of text, behind marks and dots that lead to it. */
double run_number(const char *text);

/* The word at the beginning of text, which may be NULL, cut to fit; "" where there is none. */
void run_word(char *buf, size_t size, const char *text);
#endif
