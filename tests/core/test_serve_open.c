/*
 * test_serve_open.c - serving at a rate: how load, times and limits follow from a plan. The loop
 * itself is in test_rate.c.
 */
#include "core/plan/field_source.h"
#include "core/plan/mix.h"
#include "core/serve/serve_curve.h"
#include "core/serve/serve_links.h"
#include "core/serve/serve_open.h"
#include "servecase.h"

static struct rate_room room;

static struct serve
estimate_at(const char *rate)
{
	struct serve s;

	set("traffic.rate", rate);
	s = estimate();
	assert_true(near(noted(QUANTITY_TTFT), s.ttft_seconds, 1e-9)); /* 0 of a rate that is not taken */
	assert_true(near(noted(QUANTITY_TPOT), s.tpot_seconds, 1e-9));
	assert_true(near(noted(QUANTITY_DECODE), s.step_seconds, 1e-9));
	serve_follow(&s, &p, FOLLOW_LIMITS, 0, &room, NULL);
	return s;
}

/* Only the part of a prompt that is computed goes through later stages, and none through those that only decode. */
TEST(test_stages_behind)
{
	struct serve one, four;

	load("llama-3.1-8b");
	gpus("4");
	set("pp", "4");
	set("serving.prompt_tokens", "8000");
	four = estimate_at("1");
	set("traffic.prefixes", "2");
	set("traffic.prefix_tokens", "7000");
	one = estimate_at("1");
	assert_true(one.rate.hit > .8 && one.ttft_seconds < .4 * four.ttft_seconds);
	set("traffic.prefixes", "0");
	set("max_batched_tokens", "1000"); /* parts of a prompt follow each other through the stages */
	one = estimate_at("1");
	assert_true(one.ttft_seconds < .8 * four.ttft_seconds);
	set("max_batched_tokens", "0");
	gpus("6");
	set("serving.prefill_workers", "2xtp1");
	four = estimate_at("1");
	gpus("3");
	set("pp", "1");
	one = estimate_at("1");
	assert_true(near(four.ttft_seconds, one.ttft_seconds, .05));
}

/* At a rate too it is said how many GPUs would prefill if both pools were used alike. */
TEST(test_balanced_at_rate)
{
	struct serve s;

	load("llama-3.1-8b");
	gpus("8");
	set("traffic.mix", "rag");
	set("serving.prefill_workers", "2xtp1");
	s = estimate_at("1");
	assert_true(s.prefill_gpus_balanced > .1 && s.prefill_gpus_balanced < 8);
	set("traffic.mix", "reasoning");
	assert_true(estimate_at("1").prefill_gpus_balanced < s.prefill_gpus_balanced);
}

/* Images are part of the prompt: no more of them than it has room for goes through the tower. */
TEST(test_images_in_prompt)
{
	double small;

	load("qwen2.5-vl-7b");
	gpus("1");
	set("serving.prompt_tokens", "300");
	set("model.vision_params", "676");
	set("model.vision_tokens", "16384");
	set("serving.images", "2");
	small = estimate_at("1").prefill_seconds;
	set("serving.image_tokens", "150");
	assert_true(near(estimate_at("1").prefill_seconds, small, 1e-9));
	set("serving.image_tokens", "50");
	assert_true(estimate_at("1").prefill_seconds < small);
}

/* What others share makes way for requests that run: it keeps none of them out, so what the engines take is no matter
 * of the rate that is asked; a host's memory behind it makes that more. */
TEST(test_most_with_prefixes)
{
	double few, many, host;

	load("llama-3.1-8b");
	gpus("1");
	set("serving.prompt_tokens", "7000");
	set("traffic.prefixes", "400");
	set("traffic.prefix_tokens", "6000");
	few = estimate_at("0.3").rate.saturation;
	many = estimate_at("1.5").rate.saturation;
	assert_true(few > 1.5 && near(few, many, .01));
	set("serving.kv_host_gib", "1000");
	host = estimate_at("0.3").rate.saturation;
	assert_true(host > 1.3 * few);
	assert_true(estimate_at("1000").rate.load > 1);
	set("serving.kv_host_gib", "0");
	set("traffic.prefixes", "0");
}

/* What a search asks: nothing changes above what is enough, whatever was kept, and below it nothing passes for more. */
static void
hold_inside(struct rate_kept *kept)
{
	struct serve s = estimate();
	double inside;

	serve_follow(&s, &p, FOLLOW_LIMITS, 0, &room, NULL);
	inside = s.rate.inside;
	assert_true(inside > 0 && inside < s.rate.saturation);
	for (int i = 0; i < 2; i++) {
		serve_follow(&s, &p, FOLLOW_LIMITS, 1.01 * inside, &room, kept);
		assert_true(s.rate.inside < 1.01 * inside);
	}
	for (int i = 0; i < 2; i++) {
		serve_follow(&s, &p, FOLLOW_LIMITS, .99 * inside, &room, kept);
		assert_true(near(s.rate.inside, inside, 1e-12) && s.rate.followed);
	}
}

TEST(test_inside_of_search)
{
	static struct rate_kept kept;

	load("llama-3.1-8b");
	gpus("8");
	set("traffic.mix", "chat");
	set("traffic.rate", "12");
	set("traffic.ttft_limit", "0.5");
	set("traffic.tpot_limit", "0.02");
	hold_inside(&kept);
	set("serving.prefill_workers", "2xtp1");
	hold_inside(&kept);
	set("traffic.tpot_limit", "0.016"); /* what was kept is of other limits */
	hold_inside(&kept);
}

/* The more requests arrive, the longer they take; what the engine does not take has no times. */
TEST(test_rates)
{
	struct serve few, many, beyond;

	load("llama-3.1-8b");
	gpus("1");
	set("tdp_watts", "700");
	set("traffic.mix", "chat");
	set("traffic.tpot_limit", "0.02");
	few = estimate_at("1");
	many = estimate_at("15");
	assert_true(few.rate.known && few.rate.followed && few.rate.limited);
	assert_true(few.rate.load < many.rate.load && many.rate.load < 1);
	assert_true(few.ttft_seconds < many.ttft_seconds && few.tpot_seconds < many.tpot_seconds);
	assert_true(few.rate.ttft.p50 < many.rate.ttft.p50 && few.rate.tpot.p99 < many.rate.tpot.p99);
	assert_true(few.rate.ttft.p50 < few.rate.ttft.p99 && few.rate.life.p50 < few.rate.life.p99);
	assert_true(few.rate.inside > 1 && few.rate.inside < few.rate.saturation);
	assert_true(near(few.rate.saturation, many.rate.saturation, 1e-9));
	assert_true(few.rate.joules > many.rate.joules); /* an idle GPU takes power too */
	beyond = estimate_at("1000");
	assert_true(beyond.rate.load > 1 && !beyond.rate.followed);
	assert_true(beyond.ttft_seconds == 0 && beyond.tpot_seconds == 0);
	assert_true(near(beyond.tokens_per_second, beyond.rate.saturation * 220, 1e-9));
	set("traffic.rate", "0");
	assert_true(!estimate().rate.known && estimate().tpot_seconds > 0);
}

/* Lengths follow the mix, and nothing else does. */
TEST(test_sources_of_lengths)
{
	load("llama-3.1-8b");
	for (int mixed = 0; mixed <= 1; mixed++) {
		int n = 0;

		if (mixed)
			set("traffic.mix", "chat");
		plan_resolve(&p, NULL);
		for (int f = 0; f < FIELD_COUNT; f++)
			n += field_source((enum field_id)f, &p).follows[0] == FIELD_MIX &&
			    field_table[f].follows[0] != FIELD_MIX;
		assert_int_equal(n, mixed ? 3 : 0);
	}
}

/* A context has room for prompts and answers of three deviations above their means. */
TEST(test_context_of_mix)
{
	assert_int_equal(mix_context(&(struct mix){ .prompt = 8000, .generate = 8000 }), 16384);
	assert_int_equal(mix_context(&(struct mix){ .prompt = 8000, .generate = 8000, .prompt_spread = .1 }), 32768);
	assert_int_equal(mix_context(&(struct mix){ .prompt = 8000, .generate = 8000, .generate_spread = .1 }), 32768);
	assert_int_equal(mix_context(&(struct mix){ .prompt = 16384, .generate = 16384, .prompt_spread = 1 }), 131072);
}

/* A benchmark of so many requests ends, however many of them a second are asked for, and its energy is
 * of its whole time: it said that a queue grows without end. */
TEST(test_benchmark_beyond)
{
	struct serve few, all, capped;

	load("llama-3.1-8b");
	gpus("1");
	set("tdp_watts", "700");
	set("traffic.mix", "chat");
	set("traffic.requests", "200");
	few = estimate_at("5");
	assert_true(few.rate.reached < 5 && few.rate.reached > 4);
	all = estimate_at("1000");
	assert_true(all.rate.load > 1 && all.rate.followed && all.ttft_seconds == 0);
	assert_true(all.rate.reached < all.rate.saturation && all.rate.ttft.p99 > few.rate.ttft.p99);
	assert_true(all.rate.joules < few.rate.joules);
	set("max_num_seqs", "8");
	capped = estimate_at("1000");
	assert_true(capped.rate.reached < .5 * all.rate.reached);
	set("max_num_seqs", "1");
	assert_true(estimate_at("1000").rate.joules > capped.rate.joules);
	set("serving.gpu_memory_utilization", "0.2"); /* no room for one */
	assert_true(!estimate_at("5").rate.followed);
	set("traffic.requests", "0");
	assert_true(!estimate_at("5").rate.followed);
}

/* Two replicas take twice as much; the limits of a burst are missed earlier. */
TEST(test_rates_of_replicas)
{
	struct serve one, two, bursty;

	load("llama-3.1-8b");
	gpus("1");
	set("traffic.mix", "rag");
	set("serving.prefix_hit", "0");
	set("traffic.ttft_limit", "0.5");
	one = estimate_at("2");
	set("traffic.burstiness", "0.2");
	bursty = estimate_at("2");
	assert_true(bursty.rate.ttft.p99 > one.rate.ttft.p99 && bursty.rate.inside < one.rate.inside);
	set("traffic.burstiness", "1");
	gpus("2");
	set("replicas", "2");
	two = estimate_at("4");
	assert_true(near(two.rate.saturation, 2 * one.rate.saturation, 1e-9));
	assert_true(two.rate.engines == 2 && two.rate.inside > 1.9 * one.rate.inside);
	set("traffic.routing", "random");
	assert_true(estimate_at("4").rate.ttft.p99 > two.rate.ttft.p99);
}

/* Prompts that come within a step share a pass, its weights and launches, as far as it has room beside the
 * batch. */
TEST(test_prompts_share_passes)
{
	struct serve s;

	load("llama-3.1-8b");
	gpus("1");
	set("engine", "trtllm");
	set("engine_version", "0.20");
	set("prompt_tokens", "256");
	set("generate_tokens", "64");
	set("max_batched_tokens", "8192");
	set("max_num_seqs", "2048");
	s = estimate_at("20");
	set("max_batched_tokens", "2048"); /* less room than the batch */
	assert_true(estimate_at("20").rate.saturation < s.rate.saturation);
}

/* Of shared beginnings the cache has what finds room beside the requests; the host's memory adds to
 * it, and takes time. */
TEST(test_prefixes)
{
	struct serve none, some, all, host, spread, wordy;

	load("llama-3.1-8b");
	gpus("1");
	set("traffic.mix", "rag");
	set("serving.prefix_hit", "0");
	none = estimate_at("1");
	set("serving.prefix_hit", "");
	set("traffic.prefix_tokens", "3000");
	set("traffic.prefixes", "10");
	all = estimate_at("1");
	assert_true(near(all.rate.hit, .75, 1e-3));
	assert_true(all.ttft_seconds < none.ttft_seconds && all.rate.saturation > none.rate.saturation);
	set("traffic.prefixes", "1000");
	some = estimate_at("1");
	assert_true(some.rate.hit > 0 && some.rate.hit < .5);
	set("generate_tokens", "2000"); /* answers push beginnings out */
	wordy = estimate_at("0.2");
	set("generate_tokens", "");
	assert_true(wordy.rate.hit < .8 * some.rate.hit);
	set("serving.kv_host_gib", "4000");
	host = estimate_at("1");
	assert_true(near(host.rate.hit, .75, .02));
	assert_true(near(host.rate.engine.fetch, (host.rate.hit - some.rate.hit) * host.rate.load_of_one.prompt.mean *
	    host.kv_bytes_per_token / serve_fetch_rate(&p), .1));
	set("serving.kv_host_gib", "0");
	gpus("4");
	set("replicas", "4");
	spread = estimate_at("4");
	assert_true(near(spread.rate.hit, some.rate.hit, .05));
	set("traffic.routing", "prefix");
	assert_true(estimate_at("4").rate.hit > 2 * spread.rate.hit);
}

/* A benchmark asks for each beginning a first time: one in twenty is computed, and the tail is of those. */
TEST(test_first_prefixes)
{
	struct serve warm, cold;

	load("llama-3.1-8b");
	gpus("1");
	set("traffic.mix", "rag");
	set("prompt_spread", "0");
	set("traffic.prefix_tokens", "3900");
	set("traffic.prefixes", "20");
	warm = estimate_at("1");
	set("traffic.requests", "400");
	cold = estimate_at("1");
	assert_true(near(cold.rate.hit, .95 * warm.rate.hit, .001));
	assert_true(cold.rate.ttft.p99 > 2 * warm.rate.ttft.p99 && near(cold.rate.ttft.p50, warm.rate.ttft.p50, .2));
}

/* Workers that prefill keep prompts out of steps; too few of them hold everything up. */
TEST(test_rates_of_pools)
{
	struct serve mixed, split, starved;

	load("llama-3.1-8b");
	gpus("4");
	set("replicas", "4");
	set("traffic.mix", "rag");
	set("serving.prefix_hit", "0");
	mixed = estimate_at("8");
	set("replicas", "2");
	set("prefill_workers", "2xtp1");
	split = estimate_at("8");
	assert_true(split.rate.split && split.rate.followed);
	assert_true(split.rate.gap < mixed.rate.gap / 2);
	assert_true(split.rate.tpot.p99 < mixed.rate.tpot.p99);
	assert_true(split.rate.ttft.p50 < split.rate.ttft.p99);
	set("generate_spread", "0"); /* whole answers differ by their first tokens then */
	split = estimate_at("8");
	assert_true(near(split.rate.life.p99 - split.rate.life.p50, split.rate.ttft.p99 - split.rate.ttft.p50, 1e-6));
	set("generate_spread", "");
	set("replicas", "3");
	set("prefill_workers", "1xtp1");
	starved = estimate_at("8");
	assert_true(starved.rate.saturation < split.rate.saturation);
	assert_true(near(starved.rate.saturation, starved.prefill_rate, 1e-9));
}

/* Times of a curve rise with the rate, those of the plan's own are the estimate's, and those of the one inside the
 * limits keep them; behind its last point nothing is written. */
TEST(test_curve_rises)
{
	static const char *const shapes[] = { "0.3", "1", "10000" }, *const rates[] = { "2", "11", "23", "31", "200" },
	    *const routes[] = { "least_loaded", "random", "round_robin" };
	struct serve_point point[SERVE_CURVE_MAX], untouched;

	memset(&untouched, 0xa5, sizeof untouched);
	load("llama-3.1-8b");
	gpus("4");
	set("replicas", "4");
	set("traffic.mix", "rag");
	set("traffic.ttft_limit", "0.7");
	set("traffic.tpot_limit", "0.03");
	for (int i = 0; i < 3 * 5 * 3; i++) {
		struct serve s;
		size_t n;

		set("burstiness", shapes[i % 3]);
		set("traffic.routing", routes[i / 3 % 3]);
		s = estimate_at(rates[i / 9]);
		memset(point, 0xa5, sizeof point);
		n = serve_curve(point, &p, &layout, &placement, &s, &room);
		assert_true(n > 9);
		for (size_t k = n; k < SERVE_CURVE_MAX; k++)
			assert_memory_equal(&point[k], &untouched, sizeof untouched);
		for (size_t k = 0; k < n && point[k].load < 1; k++) {
			const struct serve_point *a = &point[k > 0 ? k - 1 : 0], *b = &point[k];

			assert_true(b->ttft_within > 0 && a->ttft_within <= b->ttft_within && a->tpot_within <= b->tpot_within);
			assert_true(a->ttft_seconds <= b->ttft_seconds && a->tpot_seconds <= b->tpot_seconds);
			if (b->is_plan)
				assert_true(near(b->ttft_within, s.rate.ttft.asked, 1e-9) && near(b->tpot_within, s.rate.tpot.asked, 1e-9));
			if (b->is_inside && !b->is_plan)
				assert_true(b->ttft_within <= .7 && b->tpot_within <= .03);
		}
	}
}

/* Ranks of data parallel attention step together: what is in flight is that of all, a step is of a rank's
 * share, and answers come by steps whether prompts are prefilled elsewhere or not. */
TEST(test_rates_of_ranks)
{
	struct serve s;

	load("qwen3-30b-a3b");
	set("tp", "4");
	gpus("4");
	set("dp_attention", "true");
	set("prompt_tokens", "1024");
	set("generate_tokens", "512");
	s = estimate_at("20");
	assert_true(near(s.step_seconds, s.tpot_seconds - s.prompts_share_seconds, .05) && s.running > 40);
	gpus("8");
	set("prefill_workers", "1xtp4");
	s = estimate_at("20");
	assert_true(near(s.step_seconds, s.tpot_seconds, .05) && s.running > 40);
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
