/*
 * ledger.c - notes of the terms that make up an estimate.
 */
#include "core/ledger.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const struct quantity_info quantity_table[QUANTITY_COUNT] = {
	[QUANTITY_PARAMS_TOTAL] = { "params.total", "parameters",
	    "parameters of the whole model, without multi-token-prediction layers" },
	[QUANTITY_PARAMS_ACTIVE] = { "params.active", "parameters",
	    "parameters that one token meets" },
	[QUANTITY_PARAMS_GPU] = { "stages.params", "parameters",
	    "parameters on one GPU of a pipeline stage" },
	[QUANTITY_PARAMETERS] = { "memory.parameters", "B",
	    "weights on one GPU of a pipeline stage" },
	[QUANTITY_GRADIENTS] = { "memory.gradients", "B",
	    "gradients on one GPU of a pipeline stage" },
	[QUANTITY_OPTIMIZER] = { "memory.optimizer", "B",
	    "optimizer state on one GPU of a pipeline stage" },
	[QUANTITY_ACTIVATIONS] = { "memory.activations", "B",
	    "activations kept for backward on one GPU of a pipeline stage" },
	[QUANTITY_LOGITS] = { "memory.logits", "B",
	    "LM head and loss on one GPU of the last stage" },
	[QUANTITY_BUFFERS] = { "memory.buffers", "B",
	    "transients, workspaces and communication buffers on one GPU of a pipeline stage" },
	[QUANTITY_OVERHEAD] = { "memory.overhead", "B",
	    "what a GPU holds besides the allocator: CUDA context, NCCL, fragmentation" },
	[QUANTITY_TRAFFIC] = { "communication.bytes", "B",
	    "bytes that one GPU sends in one step" },
	[QUANTITY_STEP] = { "step.seconds", "s",
	    "time of one training step" },
	[QUANTITY_FLOPS] = { "step.model_flops", "FLOP",
	    "floating point operations of one step of the whole job, without recompute" },
	[QUANTITY_SERVE_MEMORY] = { "serving.memory_bytes", "B",
	    "what the memory of one serving GPU holds" },
	[QUANTITY_KV_TOKEN] = { "serving.kv_bytes_per_token", "B",
	    "KV cache of one token on one GPU" },
	[QUANTITY_TTFT] = { "serving.ttft_seconds", "s",
	    "time to the first token of a request" },
	[QUANTITY_TPOT] = { "serving.tpot_seconds", "s",
	    "time of each further token" },
	[QUANTITY_FORWARD] = { "step.forward", "s",
	    "forward pass of one micro-batch on the slowest stage, without traffic" },
	[QUANTITY_BACKWARD] = { "step.backward", "s",
	    "backward pass of one micro-batch on the slowest stage, without traffic and recompute" },
	[QUANTITY_RECOMPUTE] = { "step.recompute", "s",
	    "forward work of one micro-batch that the backward pass of the slowest stage repeats" },
	[QUANTITY_TRAFFIC_SECONDS] = { "communication.seconds", "s",
	    "time that the traffic of one GPU would take in one step if nothing else ran" },
	[QUANTITY_EXPOSED] = { "communication.exposed_seconds", "s",
	    "what of that time no compute hides" },
};

enum quantity
quantity_find(const char *name)
{
	int q;

	for (q = 0; q < QUANTITY_COUNT; q++) {
		const char *whole = quantity_table[q].name;
		const char *dot = strrchr(whole, '.');

		if (text_equal(name, whole) || (dot != NULL && text_equal(name, dot + 1)))
			break;
	}
	return (enum quantity)q;
}

void
ledger_init(struct ledger *l, struct ledger_term *term, size_t capacity)
{
	l->term = term;
	l->count = 0;
	l->capacity = capacity;
	l->stage = -1;
}

void
ledger_note(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *fmt, ...)
{
	struct ledger_term *t;
	va_list args;

	if (l->count++ >= l->capacity)
		return;
	t = &l->term[l->count - 1];
	t->quantity = q;
	t->stage = l->stage;
	t->value = value;
	t->name = name;
	t->source = source;
	va_start(args, fmt);
	text_vput(t->formula, sizeof t->formula, fmt, args);
	va_end(args);
}

/* Bytes of a name at the start of C code, members included ("c->tp"), 0 without one. */
static size_t
name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	for (;;) {
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (s[n] == '.')
			n++;
		else if (s[n] == '-' && s[n + 1] == '>')
			n += 2;
		else
			return n;
	}
}

/* What stands for a name; returns its length. */
static size_t
put_name(char *buf, size_t size, const char *name, size_t length,
    const struct ledger_symbol *symbols, bool numbers)
{
	const struct ledger_symbol *s = symbols;

	while (s->names != NULL && (strncmp(s->names, name, length) != 0 || s->names[length] != '='))
		s++;
	if (s->names == NULL && strncmp(name, "larger", length) == 0)
		return text_put(buf, size, "max");
	if (s->names == NULL && strncmp(name, "smaller", length) == 0)
		return text_put(buf, size, "min");
	if (s->names == NULL)
		return text_put(buf, size, "%.*s", (int)length, name);
	if (!numbers)
		return text_put(buf, size, "%s", s->names + length + 1);
	if (fabs(s->value) < 1e15 && s->value <= floor(s->value))
		return text_put(buf, size, "%.0f", s->value);
	return text_put(buf, size, "%.10g", s->value);
}

/* The expression with its names replaced, and no blanks round '*' and '/'; returns its
 * length. */
static size_t
put_expression(char *buf, size_t size, const char *code, const struct ledger_symbol *symbols,
    bool numbers)
{
	size_t used = 0, n;

	for (; *code != '\0'; code += n > 0 ? n : 1) {
		n = name_length(code);
		if (n > 0)
			used += put_name(buf + used, size - used, code, n, symbols, numbers);
		else if (used + 1 < size && (*code != ' ' || (code[1] != '*' && code[1] != '/' &&
		    code[-1] != '*' && code[-1] != '/')))
			buf[used++] = *code;
	}
	buf[used] = '\0';
	return used;
}

void
ledger_explain(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *expression, const struct ledger_symbol *symbols)
{
	char formula[sizeof l->term->formula];
	const size_t size = sizeof formula;
	size_t n = put_expression(formula, size, expression, symbols, false);

	n += text_put(formula + n, size - n, " = ");
	put_expression(formula + n, size - n, expression, symbols, true);
	ledger_note(l, q, value, name, source, "%s", formula);
}
