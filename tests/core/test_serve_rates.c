/*
 * test_serve_rates.c - what serving kernels reach by the GPU's generation, format and engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/serve/serve_rates.h"
#include "servecase.h"

/* Of the estimate's prefill. */
static double
noted_term(const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == QUANTITY_PREFILL && strcmp(terms[i].name, name) == 0)
			sum += terms[i].value;
	return sum;
}

static void
on_rtx(const char *memory, const char *hbm, const char *bf16, const char *fp8, const char *fp4,
    const char *pcie)
{
	gpus("1");
	set("generation", "blackwell-rtx");
	set("fabric", "pcie");
	set("memory_gib", memory);
	set("hbm_gbps", hbm);
	set("bf16_tflops", bf16);
	set("fp8_tflops", fp8);
	set("fp4_tflops", fp4);
	set("nvlink_gbps", "0");
	set("pcie_gbps", pcie);
}

/* RTX's Blackwell has rates of its own. vLLM turns weights in 4 bits into 16 there, as Marlin does; the
 * GB10, whose units for 16 bits have half the rate, comes nearer to their peak: gpt-oss-20b takes 0.75 s for
 * 4,215 tokens in vLLM 0.26 (djangodevreng/dgx-spark-benchmarks). */
static void
test_small_blackwell(void **state)
{
	struct serve_setup setup;
	double turned, share;

	(void)state;
	load("gpt-oss-20b");
	set("weight_dtype", "mxfp4");
	set("engine_version", "0.26");
	set("prompt_tokens", "4215");
	set("max_batched_tokens", "8192");
	on_rtx("95.59", "1792", "467.8", "935.6", "1871.2", "64");
	turned = estimate().prefill_seconds;
	setup = serve_setup_of(&p);
	share = serve_rates_of(&p, &setup).attention / 467.8e12;
	set("engine", "trtllm");
	assert_true(estimate().prefill_seconds < .6 * turned);
	set("engine", "vllm");
	on_rtx("111.73", "273", "62", "125", "500", "0");
	assert_true(near(estimate().prefill_seconds, .7, .1));
	setup = serve_setup_of(&p);
	assert_true(serve_rates_of(&p, &setup).attention / 62e12 > 1.2 * share);
}

/* NVML does not tell the GB10's memory, so vLLM takes its smallest batch. */
static void
test_unified_memory(void **state)
{
	(void)state;
	load("llama-3.1-8b");
	on_rtx("95.59", "1792", "467.8", "935.6", "1871.2", "64");
	assert_true(near(serve_setup_of(&p).tokens, 8192, 1e-9));
	on_rtx("111.73", "273", "62", "125", "500", "0");
	assert_true(near(serve_setup_of(&p).tokens, 2048, 1e-9) && near(serve_setup_of(&p).seqs, 256, 1e-9));
}

/* What goes into products of 8 bits is quantised first, which takes the memory's time: 32 layers read
 * 3*4096 + 14336 numbers of a token, and TP divides those between two products that it splits. */
static void
test_quantised_inputs(void **state)
{
	const char *const term = "inputs of linear layers quantised";
	const double each = 7 / 3350e9;

	(void)state;
	load("llama-3.1-8b");
	gpus("2");
	set("tp", "2");
	set("prompt_tokens", "2048");
	set("weight_dtype", "bf16");
	estimate();
	assert_true(noted_term(term) == 0);
	set("weight_dtype", "fp8");
	estimate();
	assert_true(near(noted_term(term),
	    2048 * 32.0 * (2 * 4096 + (4096 + 14336) / 2.0) * each, 1e-9));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_blackwell),
		cmocka_unit_test(test_unified_memory),
		cmocka_unit_test(test_quantised_inputs),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
