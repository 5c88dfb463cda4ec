#include "core/framework/framework.h"

const struct framework *const framework_rows[] = {
	[LAYOUT_MEGATRON] = &framework_megatron, [LAYOUT_DEEPSPEED] = &framework_deepspeed,
	[LAYOUT_TORCHTITAN] = &framework_torchtitan, [LAYOUT_NANOTRON] = &framework_nanotron,
	[LAYOUT_VLLM] = &framework_vllm, [LAYOUT_SEED] = &framework_seed,
};
