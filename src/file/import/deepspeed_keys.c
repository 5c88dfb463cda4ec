#include "file/import/deepspeed_keys.h"

const struct deepspeed_key deepspeed_keys[] = {
	{ "zero_optimization.stage", FIELD_ZERO_STAGE, NULL, "0" },
	{ "tensor_parallel.autotp_size", FIELD_TP, NULL, NULL },
	{ "sequence_parallel_size", FIELD_CP, NULL, NULL },
	{ "train_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, NULL },
	{ "train_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, NULL },
	{ "optimizer.type", FIELD_OPTIMIZER, "AdamW=adam|Adam=adam|SGD=sgd|Muon=muon", NULL },
	{ "data_types.grad_accum_dtype", FIELD_GRAD_DTYPE, "fp32=fp32|bf16=bf16|fp16=fp16", NULL },
};
const size_t deepspeed_key_count = sizeof deepspeed_keys / sizeof deepspeed_keys[0];
