#!/bin/sh
# Services that say an engine's settings where others have its command: KServe, Ray Serve, vLLM's production stack.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# has PATH VALUE ...: of the plan on standard output
has() {
	while [ $# -gt 0 ]; do
		grep -Eq "^	(# .*: )?$1 = \"?$2\"?;" out || fail "$1 is not $2"
		shift 2
	done
}
"$PROG" import /dev/null --from manifest 2>&1 | grep -q 'without libyaml' && exit 77

about 'values of the production stack'
cat >values.yaml <<'Y'
servingEngineSpec:
  modelSpec:
  - name: "llama3"
    repository: "vllm/vllm-openai"
    modelURL: "meta-llama/Llama-3.1-8B-Instruct"
    replicaCount: 3
    requestGPU: 2
    vllmConfig:
      tensorParallelSize: 2
      maxModelLen: 4096
      maxNumSeqs: 32
      gpuMemoryUtilization: 0.8
      enablePrefixCaching: false
      extraArgs: ["--enforce-eager", "--served-model-name", "it's", "--kv-cache-dtype", "fp8"]
    nodeSelectorTerms:
      - matchExpressions:
          - { key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-A100-SXM4-80GB"] }
Y
run 0 import values.yaml
has preset llama-3.1-8b tp 2 max_num_seqs 32 gpu_memory_utilization 0.8 eager true kv_dtype fp8 context_length 4096 replicas 3 \
    nodes 3 gpus_per_node 2 gpu a100-sxm4-80gb
cat >pools.yaml <<'Y'
servingEngineSpec:
  modelSpec:
    - { name: a, modelURL: "meta-llama/Llama-3.1-8B-Instruct", replicaCount: 2, vllmConfig: { maxModelLen: 32000 },
        lmcacheConfig: { kvRole: "kv_producer", enablePD: true } }
    - { name: b, modelURL: "meta-llama/Llama-3.1-8B-Instruct", replicaCount: 1, vllmConfig: { maxModelLen: 32000, tensorParallelSize: 2 },
        lmcacheConfig: { kvRole: "kv_consumer", enablePD: true } }
Y
run 0 import pools.yaml
has prefill_workers 2xtp1 tp 2 context_length 32000 nodes 2 gpus_per_node 2
cat >runtime.yaml <<'Y'
apiVersion: production-stack.vllm.ai/v1alpha1
kind: VLLMRuntime
spec:
  model: { modelURL: "meta-llama/Llama-3.1-8B-Instruct", maxModelLen: 4096, maxNumSeqs: 32 }
  vllmConfig: { tensorParallelSize: 4, gpuMemoryUtilization: "0.8", env: [{ name: HF_HOME, value: "/data" }] }
  deploymentConfig: { replicas: 2, image: { name: "lmcache/vllm-openai" } }
Y
run 0 import runtime.yaml
has preset llama-3.1-8b tp 4 max_num_seqs 32 gpu_memory_utilization 0.8 context_length 4096 replicas 2

about 'Ray Serve'
cat >ray.yaml <<'Y'
apiVersion: ray.io/v1
kind: RayService
spec:
  serveConfigV2: |
    applications:
    - import_path: ray.serve.llm:build_openai_app
      args:
        llm_configs:
        - model_loading_config: { model_id: mine, model_source: meta-llama/Llama-3.3-70B-Instruct }
          accelerator_type: L40S
          engine_kwargs:
            max_model_len: 8192
            gpu_memory_utilization: 0.95
            tensor_parallel_size: 4
            pipeline_parallel_size: 3
            enforce_eager: false
            speculative_config: { method: eagle3, num_speculative_tokens: 3, model: x }
          deployment_config: { autoscaling_config: { min_replicas: 2, max_replicas: 4 } }
  rayClusterConfig:
    headGroupSpec: { template: { spec: { containers: [{ name: ray-head, image: rayproject/ray-llm }] } } }
Y
run 0 import ray.yaml
has preset llama-3.1-70b gpu l40s tp 4 pp 3 context_length 8192 gpu_memory_utilization 0.95 eager false draft eagle3 draft_tokens 3 \
    replicas 2
cat >apart.yaml <<'Y'
applications:
- import_path: ray.serve.llm:build_pd_openai_app
  args:
    prefill_config:
      model_loading_config: { model_id: meta-llama/Llama-3.1-8B-Instruct }
      deployment_config: { num_replicas: 2 }
    decode_config:
      model_loading_config: { model_id: meta-llama/Llama-3.1-8B-Instruct }
      engine_kwargs: { tensor_parallel_size: 2 }
      deployment_config: { num_replicas: 3 }
Y
run 0 import apart.yaml
has prefill_workers 2xtp1 replicas 3 tp 2 nodes 4 gpus_per_node 2
cat >ray.py <<'Y'
from ray import serve
from ray.serve.llm import LLMConfig, build_openai_app
MODEL = "Qwen/Qwen2.5-7B-Instruct"
llm_config = LLMConfig(
    model_loading_config=dict(model_id="qwen-7b", model_source=MODEL),
    deployment_config=dict(autoscaling_config=dict(min_replicas=1, max_replicas=2)),
    accelerator_type="A10G",
    engine_kwargs=dict(tensor_parallel_size=2, max_model_len=16384),
)
app = build_openai_app({"llm_configs": [llm_config]})
serve.run(app)
Y
run 0 import ray.py
has preset qwen2.5-7b gpu a10g tp 2 context_length 16384 gpus_per_node 2
if grep -q 'another container' err; then fail 'one configuration is taken for several'; fi

about 'KServe'
cat >large.yaml <<'Y'
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
spec:
  replicas: 2
  model: { uri: "hf://deepseek-ai/DeepSeek-R1-0528", name: deepseek-ai/DeepSeek-R1-0528 }
  parallelism: { data: 16, dataLocal: 8, expert: true, tensor: 1 }
  router: { scheduler: { template: { containers: [{ name: main, image: x, args: ["--pool-name", "y"] }] } } }
  template:
    nodeSelector: { nvidia.com/gpu.product: NVIDIA-H200 }
    containers:
      - name: main
        env: [{ name: VLLM_ADDITIONAL_ARGS, value: "--max-model-len 8192 --kv-transfer-config '{\"kv_role\":\"kv_both\"}' --gpu-memory-utilization=0.95" }]
        resources: { limits: { nvidia.com/gpu: "8" } }
  worker: { containers: [{ name: main, resources: { limits: { nvidia.com/gpu: "8" } } }] }
  prefill:
    replicas: 1
    parallelism: { data: 16, dataLocal: 8, expert: true, tensor: 1 }
    template: { containers: [{ name: main, resources: { limits: { nvidia.com/gpu: "8" } } }] }
Y
run 0 import large.yaml
has preset deepseek-v3 gpu h200-sxm-141gb tp 1 ep 16 context_length 8192 gpu_memory_utilization 0.95 replicas 2 prefill_workers 1xdp16 \
    nodes 6 gpus_per_node 8
sed 's/^        env.*/        command: ["vllm", "serve", "\/mnt\/models", "--max-model-len", "8192", "--tensor-parallel-size", "8"]/
    s/^  parallelism.*//; /^  worker/,$d; s/uri: "[^"]*"/uri: "oci:\/\/here\/modelcar:1"/' large.yaml >told.yaml
run 0 import told.yaml
has preset deepseek-v3 tp 8 context_length 8192
cat >small.yaml <<'Y'
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
spec:
  predictor:
    minReplicas: 2
    model:
      modelFormat: { name: huggingface }
      args: [--model_name=llama3, --model_id=meta-llama/Llama-3.1-70B-Instruct, --tensor-parallel-size=4, --max-model-len=8192]
      resources: { limits: { cpu: "6", nvidia.com/gpu: "4" } }
Y
run 0 import small.yaml
has preset llama-3.1-70b tp 4 context_length 8192 replicas 2 nodes 2 gpus_per_node 4
sed 's/args:.*/storageUri: "hf:\/\/Qwen\/Qwen2.5-7B-Instruct"/; s/minReplicas.*/minReplicas: 1/' small.yaml >stored.yaml
run 0 import stored.yaml
has preset qwen2.5-7b tp 1

about 'the kind of GPU by the labels of nodes'
cat >pod.yaml <<'Y'
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      - { name: a, image: "vllm/vllm-openai:v0.11", resources: { limits: { nvidia.com/gpu: "8" } },
          args: ["--model", "meta-llama/Llama-3.3-70B-Instruct", "--tensor-parallel-size", "8"] }
      nodeSelector: { cloud.google.com/gke-accelerator: LABEL }
Y
for pair in nvidia-h100-80gb=h100-sxm-80gb nvidia-h100-mega-80gb=h100-sxm-80gb nvidia-h200-141gb=h200-sxm-141gb \
    nvidia-a100-80gb=a100-sxm4-80gb nvidia-l4=l4 H100_NVLINK_80GB=h100-sxm-80gb NVIDIA-H100-80GB-HBM3=h100-sxm-80gb; do
	sed "s/LABEL/${pair%=*}/" pod.yaml >labelled.yaml
	run 0 import labelled.yaml
	has gpu "${pair#*=}"
done

sed 's/vllm.vllm-openai:v0.11/${VLLM_IMAGE}/; s/LABEL/nvidia-l4/' pod.yaml >image.yaml
run 0 import image.yaml
has tp 8 preset llama-3.1-70b

about 'Dockerfiles'
cat >Dockerfile <<'D'
FROM vllm/vllm-openai:v0.11.0
# ENTRYPOINT ["sleep"]
ENV HF_HOME=/data TP=4
ENV SIZE 32768
ENTRYPOINT ["python3", "-m", "vllm.entrypoints.openai.api_server"]
CMD ["--model", "Qwen/Qwen3-32B", \
     "--tensor-parallel-size", "4", "--max-model-len", "32768"]
D
run 0 import Dockerfile
has preset qwen3-32b tp 4 context_length 32768
sed '/^ENTRYPOINT/d' Dockerfile >bare
run 0 import bare
has preset qwen3-32b tp 4
printf '%s\n' 'FROM x' 'ENV TP=8' 'CMD python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp $TP' >line
run 0 import line
has engine sglang tp 8
printf '%s\n' 'FROM x' 'CMD ["sleep"' >idle
run 2 import idle
err_has 'its image runs no launch that is known'

about 'a command of a command, a flag of one hyphen with its value'
printf '%s\n' 'model: Qwen/Qwen3-8B' 'max-model-len: 16k' >serve.yaml
echo 'vllm serve --config serve.yaml -tp=2' >short.sh
run 0 import short.sh
has preset qwen3-8b tp 2 context_length 16000
echo 'mpirun -n 8 trtllm-llmapi-launch trtllm-serve serve Qwen/Qwen3-8B --tp_size 8' >mpi.sh
run 0 import mpi.sh
has preset qwen3-8b tp 8

about 'texts within texts, and words that a shell would run'
deep='a: 1'
i=0
while [ $i -lt 30 ]; do
	deep="serveConfigV2: |
$(printf '%s\n' "$deep" | sed 's/^/ /')"
	i=$((i + 1))
done
{ echo 'kind: LLMInferenceService'; printf '%s\n' "$deep"; } >deep.yaml
run 2 import deep.yaml
err_has 'no container in it'
sed "s/llama3/x/; s/Llama-3.1-8B-Instruct/x'; touch made; '/" values.yaml >hostile.yaml
run 2 import hostile.yaml
[ ! -e made ] || fail 'a word was run'

finish
