/* Lists of machines: Slurm's, host files, nvidia-smi's, and the allocation itself. */
#include "filetest.h"

#include "core/framework/resolve.h"
#include "file/import/here.h"
#include "file/import/import.h"
#include "file/machines/hosts.h"

static struct file_errors errors;
static struct plan plan;
static struct import im;

static enum import_status
read_world(const char *text, const char *kind, int64_t world)
{
	import_free(&im);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .name = "list", .text = text, .size = strlen(text), .world = world,
		.catalog = &test_catalog, .plan = &plan, .errors = &errors };
	return import_text(&im, kind);
}

/* Recognised, and this many nodes of so many of that GPU. */
static void
gives(const char *text, int64_t nodes, int64_t gpus, const char *gpu)
{
	if (read_world(text, NULL, 0) != IMPORT_DONE)
		fail_msg("%s: %s", text, errors.line[0]);
	if (plan.cluster.nodes != nodes || plan.cluster.gpus_per_node != gpus ||
	    strcmp(plan.cluster.gpu, gpu) != 0)
		fail_msg("%s: %d nodes of %d %s", text, (int)plan.cluster.nodes,
		    (int)plan.cluster.gpus_per_node, plan.cluster.gpu);
}

static void
refused(const char *text, const char *kind, const char *line)
{
	if (read_world(text, kind, 0) != IMPORT_FAILED)
		fail_msg("%s: taken", text);
	assert_string_equal(errors.line[0], line);
}

#define NODE(name, gres, state) "NodeName=" name " Arch=x86_64 CoresPerSocket=56 \n   CPUAlloc=0 " \
	"Gres=" gres "\n   NodeAddr=" name " OS=Linux 6.1.0 #1 SMP RealMemory=2051000\n   State=" state \
	" ThreadsPerCore=2 Reason=Gres=gpu:9 gone [root@2026]\n   CfgTRES=cpu=224\n\n"

TEST(test_scontrol)
{
	gives(NODE("a-001", "gpu:h100:8(S:0-1),nic:mlx5:4", "IDLE")
	    NODE("a-002", "gpu:h100:8(S:0-1),nic:mlx5:4", "ALLOCATED")
	    NODE("a-003", "gpu:h100:8(S:0-1),nic:mlx5:4", "UNKNOWN+DRAIN+NOT_RESPONDING")
	    NODE("login", "(null)", "IDLE"), 3, 8, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nics_per_node, 4);
	assert_true(notes_say(&im.assumed, "Slurm says h100"));
	assert_string_equal(plan.cluster.node_list, "a-[001-003]");
	assert_string_equal(plan.cluster.dead_nodes, "a-003");
	assert_true(notes_say(&im.taken, "cluster.dead_nodes = a-003"));
	assert_true(notes_say(&im.ignored, "1 nodes of 0 GPUs"));
	/* one line a node */
	gives("NodeName=x1 Gres=gpu:nvidia_a100-sxm4-80gb:4 State=IDLE\n"
	    "NodeName=x2 Gres=gpu:nvidia_a100-sxm4-80gb:4 State=IDLE\n", 2, 4, "a100-sxm4-80gb");
	assert_true(notes_say(&im.taken, "cluster.gpu = a100-sxm4-80gb"));
	/* the kind with most GPUs; a type that nobody knows; none at all */
	gives("NodeName=v1 Gres=gpu:v100:4\nNodeName=h1 Gres=gpu:b200:8\n", 1, 8, "b200-sxm-180gb");
	assert_true(notes_say(&im.ignored, "1 nodes of 4 GPUs v100"));
	gives("NodeName=y Gres=gpu:zorg9:2\n", 1, 2, "h100-sxm-80gb");
	assert_true(notes_say(&im.assumed, "no GPU of the catalogue is called zorg9"));
	gives("NodeName=y Gres=gpu:2\n", 1, 2, "h100-sxm-80gb");
	gives("NodeName=y Gres=gpu:h200\n", 1, 1, "h200-sxm-141gb");
	/* what stands for a count and is none */
	refused("NodeName=x Gres=gpu:2\nNodeName=y Gres=gpu:h200:-8\n", "slurm", "list:2: error: Gres: "
	    "gpu:h200:-8 has no count from 0 to 1024 (fix: as gpu:h100:8)");
	refused("p|up|inf|4|gpu:h200:99999999999999999999\n", "slurm", "list:1: error: Gres: "
	    "gpu:h200:99999999999999999999 has no count from 0 to 1024 (fix: as gpu:h100:8)");
}

TEST(test_sinfo)
{
	/* sinfo -N: a node stands once for each of its partitions */
	gives("a-1|hopper*|224|2051000|gpu:h100:8,nic:mlx5:8|h100|idle|2|56|2\n"
	    "a-1|dev|224|2051000|gpu:h100:8,nic:mlx5:8|h100|idle|2|56|2\n"
	    "a-2|hopper*|224|2051000|gpu:h100:8,nic:mlx5:8|h100|down*|2|56|2\n", 2, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.dead_nodes, "a-2");
	/* by state: names of a kind are put together again */
	gives("NODELIST NODES STATE GRES\nh[1-3,8] 4 idle gpu:h100:8\nh4 1 drain* gpu:h100:8\nh[5-7] 3 down gpu:h100:8\n"
	    "old[1-2] 2 down gpu:v100:4\n", 8, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.node_list, "h[1-8]");
	assert_string_equal(plan.cluster.dead_nodes, "h[4-7]");
	/* by partition */
	gives("hopper|up|infinite|64|gpu:h200:8|224|2051000\n", 64, 8, "h200-sxm-141gb");
	/* with a head */
	gives("NODELIST   GRES\na-[01-16]  gpu:a100:4\n", 16, 4, "a100-sxm4-80gb");
	gives("GRES PARTITION NODES\ngpu:a100:4 gpu 16\n", 16, 4, "a100-sxm4-80gb");
	gives("Sun Nov 22 2026\nPARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
	    "hopper*      up   infinite      3   idle h[1-3]\nhopper*      up   infinite      1  alloc h4\n"
	    "dev          up      30:00      2   idle h[1-2]\n", 4, 8, "h100-sxm-80gb");
	assert_true(notes_say(&im.assumed, "cluster.gpus_per_node: Slurm does not say"));
	/* lists of nodes */
	gives("a-[001-064],gb200-r[1-2]-n[01-18],vm\n", 64 + 36 + 1, 8, "h100-sxm-80gb");
	assert_int_equal(read_world("n[1-4]", NULL, 16), IMPORT_DONE);
	assert_int_equal(plan.cluster.gpus_per_node, 4);
	refused("n[0-999999999]", "slurm", "list:1: error: more than 65536 nodes");
	refused("n[1-60000],m[1-60000]", "slurm", "list:1: error: more than 65536 nodes");
	refused("n[5-1]", "slurm", "list:1: error: this is no list of nodes (fix: as a-[01-16],b)");
	refused("n[1-", "slurm", "list:1: error: this is no list of nodes (fix: as a-[01-16],b)");
	refused("n[1]]", "slurm", "list:1: error: this is no list of nodes (fix: as a-[01-16],b)");
	refused("n[1][1][1][1][1][1][1]", "slurm", "list:1: error: this is no list of nodes (fix: as "
	    "a-[01-16],b)");
	refused("", "slurm", "list: error: no machine is named here");
}

TEST(test_topology)
{
	gives("SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=a-[01-16]\nSwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=a-[17-24]\n"
	    "SwitchName=spine Level=1 LinkSpeed=1 Nodes=a-[01-24] Switches=leaf[1-2]\n", 24, 8, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nodes_per_rack, 16);
	assert_string_equal(plan.cluster.levels, "8:450,128:50,256:50"); /* 24 nodes in leaves of 16: two of them */
	assert_string_equal(plan.cluster.node_list, "a-[01-16],a-[17-24]");
	assert_true(notes_say(&im.assumed, "cluster.gpus_per_node: Slurm does not say"));
	/* topology.conf: levels follow from who is below whom, in any order */
	gives("SwitchName=top Switches=s[0-1]\n# two leaves each\nSwitchName=s0 Switches=l[0-1]\nSwitchName=s1 Switches=l2,l3\n"
	    "SwitchName=l0 Nodes=n[00-03]\nSwitchName=l1 Nodes=n[04-07] LinkSpeed=1\nSwitchName=l2 Nodes=n[08-11]\n"
	    "SwitchName=l3 Nodes=n[12-15]\n", 16, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.levels, "8:450,32:50,64:50,128:50");
	assert_string_equal(plan.cluster.node_list, "n[00-03],n[04-07],n[08-11],n[12-15]");
	/* a circle has no levels, and no end either */
	gives("SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=l Nodes=n[1-4]\n", 4, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.levels, "8:450,32:50");
	gives("BlockName=b1 BlockIndex=0 Nodes=c-[01-18] BlockSize=18\n", 18, 8, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nodes_per_rack, 18);
	assert_true(notes_say(&im.assumed, "GPUs of a node times 18"));
	gives("BlockName=b0 BlockIndex=0 Nodes=10.1.7.1,10.1.8.5 BlockSize=2\nBlockName=b1 BlockIndex=1 Nodes=10.1.7.2,10.1.9.2 "
	    "BlockSize=2\nAggregatedBlock=b[0-1] BlockIndex=2 Nodes=10.1.7.1,10.1.7.2,10.1.8.5,10.1.9.2 BlockSize=4\n", 4, 8,
	    "h100-sxm-80gb");
	gives("RingName=r0 RingIndex=0 Nodes=n[1-16] RingSize=16\n", 16, 8, "h100-sxm-80gb");
	/* names of any case, comments behind, lines that go on */
	gives("switchname=leaf1 nodes=g-[01-16],\\\n  g-[33-48] # two shelves\nSWITCHNAME=leaf2 NODES=g-[17-32]#one\n"
	    "#SwitchName=old Nodes=x[1-9]\nSwitchName=top Switches=leaf1,leaf2\n", 48, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.levels, "8:450,256:50,512:50");
	assert_string_equal(plan.cluster.node_list, "g-[01-16],g-[33-48],g-[17-32]");
}

/* topology.yaml: the topology of the cluster, or the first with units; the others are told. */
TEST(test_topology_yaml)
{
	gives("---\n\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n      - switch: root\n"
	    "        children: leaf-0, leaf-1\n      - switch: leaf-0\n        nodes: c-[1-2]\n      - switch: leaf-1\n"
	    "        nodes: c-[3-4]\n- topology: block\n  cluster_default: false\n  block:\n    block_sizes: [18]\n    blocks:\n"
	    "      - block: cb-001\n        nodes: us-1-[1-18]\n", 4, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.levels, "8:450,16:50,32:50");
	assert_true(notes_say(&im.ignored, "topology block"));
	gives("- topology: default\n  cluster_default: true\n  flat: true\n- topology: b\n  block:\n    block_sizes: [18, 36]\n"
	    "    blocks:\n    - {block: us1, nodes: 'us1-[0-17]'}\n    - {block: us2, nodes: 'us2-[0-17]'}\n", 36, 8,
	    "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nodes_per_rack, 18);
	refused("- topology: x\n  tree:\n    switches: 3\n  note: {switch: a, nodes: b}\n", "slurm",
	    "list: error: no topology with switches or blocks stands here");
}

/* slurm.conf: what all nodes have, a line for what they have of their own, and partitions behind them. */
TEST(test_slurm_conf)
{
	gives("ClusterName=gpu\n#NodeName=old[1-99] Gres=gpu:v100:4\nNodeName=DEFAULT CPUs=224 Gres=gpu:h100:8 State=UNKNOWN\n"
	    "nodename=hgx[001-016] NodeAddr=10.0.0.[1-16]\nNodeName=login Gres=\n"
	    "PartitionName=gpu Nodes=hgx[001-016] Default=YES State=DOWN\n", 16, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.dead_nodes, "");
}

TEST(test_hosts)
{
	struct hosts h = { 0 };
	int64_t n;

	assert_int_equal(hosts_add(&h, "a[01-03],a2", 11, &n), HOSTS_ADDED);
	assert_int_equal(n, 4); /* a2 is not a02 */
	assert_int_equal(hosts_add(&h, "a02,a[1-2]", 10, &n), HOSTS_ADDED);
	assert_int_equal(n, 1);
	assert_int_equal(hosts_add(&h, "a03,,a03,", 9, &n), HOSTS_KNOWN);
	for (int i = 0; i < HOSTS_READ_MAX / HOSTS_MAX - 1; i++)
		assert_true(hosts_add(&h, "b[1-65000]", 10, &n) < HOSTS_WRONG);
	assert_int_equal(h.count, 65005);
	assert_true(hosts_add(&h, "b[1-65000],b[1-65000]", 21, &n) == HOSTS_TOO_MANY);
	hosts_free(&h);
}

TEST(test_hostfile)
{
	gives("# two\nworker-0 slots=8\n\nworker-1 slots=8 max-slots=8 # last\n", 2, 8,
	    "h100-sxm-80gb");
	assert_string_equal(plan.cluster.node_list, "worker-[0-1]");
	gives("10.0.0.1:4\n10.0.0.2:4\n10.0.0.3:4\n", 3, 4, "h100-sxm-80gb");
	/* In the order of the file, which is that of ranks; of the kind that the plan has. */
	gives("n7 slots=8\nn2 slots=8\nn3 slots=8\n", 3, 8, "h100-sxm-80gb");
	assert_string_equal(plan.cluster.node_list, "n[7,2-3]");
	gives("a slots=8\nb slots=8\nc slots=4\n", 2, 8, "h100-sxm-80gb");
	assert_true(notes_say(&im.ignored, "1 nodes of 4 GPUs"));
	assert_string_equal(plan.cluster.node_list, "a,b");
	assert_int_equal(read_world("a\nb\n", NULL, 8), IMPORT_DONE);
	assert_int_equal(plan.cluster.gpus_per_node, 4);
	refused("a slots=8\na slots=8\n", NULL, "list:2: error: this host is there twice (fix: one line "
	    "for each)");
	refused("a slots=8\nb slots=x\n", "hostfile", "list:2: error: this is no line of a host file "
	    "(fix: NAME slots=8)");
	refused("a slots=99999999999\n", "hostfile", "list:1: error: this is no line of a host file "
	    "(fix: NAME slots=8)");
	refused("# none\n", "hostfile", "list: error: no machine is named here");
}

#define H200(i) "GPU " i ": NVIDIA H200 (UUID: GPU-0000000" i ")\n"
#define ROW(i, name) "|   " i "  " name "          On  |   00000000:1" i ":00.0 Off |                    0 |\n" \
	"| N/A   34C    P0             72W /  700W |       1MiB /  143771MiB |      0%      Default |\n"

TEST(test_nvidia_smi)
{
	gives(H200("0") H200("1") H200("2") H200("3"), 1, 4, "h200-sxm-141gb");
	assert_true(notes_say(&im.taken, "NVIDIA H200 -> cluster.gpu"));
	assert_true(notes_say(&im.assumed, "the list is of one node"));
	assert_int_equal(read_world(H200("0") H200("1"), NULL, 16), IMPORT_DONE);
	assert_int_equal(plan.cluster.nodes, 8);
	gives(H200("0") "  MIG 3g.40gb     Device  0: (UUID: MIG-1)\n", 1, 1, "h200-sxm-141gb");
	assert_true(notes_say(&im.assumed, "MIG is on"));
	gives("| NVIDIA-SMI 590.1     Driver Version: 590.1    CUDA Version: 13.0 |\n"
	    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
	    ROW("0", "NVIDIA H200") ROW("1", "NVIDIA H200") "| Processes:      |\n"
	    "|    0   N/A  N/A      1234      C   python      500MiB |\n", 1, 2, "h200-sxm-141gb");
	/* a card with less memory than the catalogue's of that name */
	gives("0, NVIDIA H100 80GB HBM3, 65536\n1, NVIDIA H100 80GB HBM3, 65536\n", 1, 2,
	    "h100-sxm-80gb");
	assert_true(plan.cluster.memory_gib > 63.9 && plan.cluster.memory_gib < 64.1);
	gives("index, uuid, memory.total [MiB], name\n0, GPU-1, 81559 MiB, NVIDIA H100 PCIe\n", 1, 1,
	    "h100-pcie-80gb");
	assert_false(field_is_set(FIELD_MEMORY_GIB, &plan));
	gives("0, NVIDIA H100 80GB HBM3 Super, [N/A]\n", 1, 1, "h100-sxm-80gb");
	assert_true(notes_say(&im.assumed, "nvidia-smi says NVIDIA H100 80GB HBM3 Super"));
	refused("Field \"x\" is not a valid field to query.\n", "nvidia-smi", "list:1: error: the query "
	    "failed (fix: nvidia-smi --query-gpu=index,name,memory.total --format=csv)");
	refused("nothing\n", "nvidia-smi", "list: error: no machine is named here");
}

TEST(test_others)
{
	gives("==============NVSMI LOG==============\n\nAttached GPUs                             : 2\n"
	    "GPU 00000000:18:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n"
	    "    FB Memory Usage\n        Total                             : 65536 MiB\n"
	    "    BAR1 Memory Usage\n        Total                             : 131072 MiB\n"
	    "GPU 00000000:2A:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n", 1, 2,
	    "h100-sxm-80gb");
	assert_true(plan.cluster.memory_gib > 63.9 && plan.cluster.memory_gib < 64.1);
	gives("GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI350X\n    BUS:\n        BDF: 0000:05:00.0\n"
	    "    VRAM:\n        TYPE: HBM3\n        SIZE: 294896 MB\nGPU: 1\n    ASIC:\n"
	    "        MARKET_NAME: AMD Instinct MI350X\n", 1, 2, "mi350x");
	gives("GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X\nGPU[1]\t\t: Card Series: \t\tAMD Instinct MI300X\n"
	    "GPU[0]\t\t: VRAM Total Memory (B): 103079215104\n", 1, 2, "mi300x");
	assert_true(plan.cluster.memory_gib > 95.9 && plan.cluster.memory_gib < 96.1);
	gives("device,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series,Card Model\n"
	    "card0,0,206141652992,1,AMD Instinct MI300X,0x74a1\ncard1,0,206141652992,1,AMD Instinct MI300X,0x74a1\n", 1, 2,
	    "mi300x");
	gives("index, uuid, name, memory.total [MiB]\n0, 01P0-1, HL-325L, 131072 MiB\n1, 01P0-2, HL-325L, 131072 MiB\n", 1, 2,
	    "gaudi3");
	gives("| HL-SMI Version:                              hl-1.18.0-fw-52.0.0.0          |\n"
	    "| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
	    "|   0  HL-225              N/A  | 0000:19:00.0     N/A |                   0  |\n"
	    "| N/A   42C   N/A   285W / 600W |    768MiB / 98304MiB |    78%           N/A |\n"
	    "|-------------------------------+----------------------+----------------------+\n"
	    "|   1  HL-225              N/A  | 0000:1a:00.0     N/A |                   0  |\n"
	    "| N/A   45C   N/A   310W / 600W |   1024MiB / 98304MiB |    82%           N/A |\n", 1, 2, "gaudi2");
	gives("| npu-smi 25.2.0                   Version: 25.2.0                  |\n"
	    "| NPU   Name                | Health        | Power(W)    Temp(C)  Hugepages-Usage(page)|\n"
	    "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)   |\n"
	    "| 0     910B2               | OK            | 91.3        33                0    / 0        |\n"
	    "| 0                         | 0000:C1:00.0  | 0           0    / 0          3197 / 65536    |\n"
	    "| 1     910B2               | OK            | 91.3        33                0    / 0        |\n"
	    "| 0                         | 0000:C2:00.0  | 0           0    / 0          3197/ 65536     |\n"
	    "| NPU     Chip              | Process id    | Process name     | Process memory(MB)      |\n"
	    "| 0       0                 | 692318        | python3          | 12417                   |\n", 1, 2, "ascend-910b2");
}

#define KUBE(product, gpus, ready) "{\"kind\": \"Node\", \"metadata\": {\"labels\": {\"nvidia.com/gpu.product\": \"" \
	product "\", \"nvidia.com/gpu.memory\": \"81559\"}}, \"spec\": {}, \"status\": {\"capacity\": {\"cpu\": \"224\", " \
	"\"nvidia.com/gpu\": \"" gpus "\"}, \"conditions\": [{\"type\": \"Ready\", \"status\": \"" ready "\"}]}}"

TEST(test_kube)
{
	gives("{\"apiVersion\": \"v1\", \"items\": [" KUBE("NVIDIA-H100-80GB-HBM3", "8", "True") ", "
	    KUBE("NVIDIA-H100-80GB-HBM3", "8", "False") ", " KUBE("NVIDIA-H100-80GB-HBM3-SHARED", "8", "True") ", "
	    "{\"kind\": \"Node\", \"status\": {\"capacity\": {\"cpu\": \"8\"}}}]}", 3, 8, "h100-sxm-80gb");
	assert_true(notes_say(&im.assumed, "1 nodes that are down"));
	assert_true(notes_say(&im.ignored, "1 nodes without a GPU"));
	refused("{\"items\": [{\"kind\": \"Node\", \"status\": {\"capacity\": {}}}]}", "kubectl",
	    "list: error: no machine is named here");
}

#define RANK(n, host) "#  Rank  " n " Group  0 Pid   1234 on " host " device  0 [0000:18:00] NVIDIA H100 80GB HBM3\n"
#define RATES(bus) "#       size         count      type   redop    root     time   algbw   busbw  wrong     time   algbw" \
	"   busbw  wrong\n   134217728      33554432     float     sum      -1    600.0    1.0   " bus "    0   610.0   1.0   1.0    0\n" \
	"  1073741824     268435456     float     sum      -1    600.0    1.0   " bus "    0   610.0   1.0   1.0    0\n"

/* Half the rate is half the share, but for the time that no link takes. */
TEST(test_nccl_tests)
{
	double whole;

	gives(RANK("0", "a") RANK("1", "a") RATES("360.0"), 1, 2, "h100-sxm-80gb");
	whole = plan.calibration.nvlink_efficiency;
	assert_true(whole > .5 && whole < 1.5 && !field_is_set(FIELD_NETWORK_EFFICIENCY, &plan));
	assert_true(notes_say(&im.taken, "360.0 GB/s on the bus at 1024 MiB"));
	gives(RANK("0", "a") RANK("1", "a") RATES("180.0"), 1, 2, "h100-sxm-80gb");
	assert_true(plan.calibration.nvlink_efficiency > .48 * whole && plan.calibration.nvlink_efficiency < .52 * whole);
	gives(RANK("0", "a") RANK("1", "a") RANK("2", "b") RANK("3", "b") RATES("40.0"), 2, 2, "h100-sxm-80gb");
	assert_true(field_is_set(FIELD_NETWORK_EFFICIENCY, &plan) && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	refused(RANK("0", "a") RANK("1", "a") RANK("2", "b") RATES("40.0"), "nccl-tests", "list: error: Rank: 3 of them on 2 "
	    "hosts: a plan has one kind of node");
}

#define DEVICE(n, gpu) "Device: " n ", " gpu ", pciBusID: 1" n ", pciDeviceID: 0, pciDomainID:0\n"
#define MATRIX(title, there, back) title " Matrix (GB/s)\n   D\\D     0      1 \n     0 2474.76 " there " \n     1 " \
	back " 2512.44 \n"
#define COPIES(gpu, access, there, back) "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n" DEVICE("0", gpu) \
	DEVICE("1", gpu) "Device=0 " access " Access Peer Device=1\n\nP2P Connectivity Matrix\n     D\\D     0     1\n" \
	"     0\t     1     1\n     1\t     1     1\n" MATRIX("Unidirectional P2P=Disabled Bandwidth", "37.19", "36.36") \
	MATRIX("Unidirectional P2P=Enabled Bandwidth (P2P Writes)", there, back) \
	MATRIX("Unidirectional P2P=Enabled Bandwidth (P2P Reads)", "99.00", "99.00") \
	MATRIX("Bidirectional P2P=Enabled Bandwidth", "740.00", "741.00") \
	"P2P=Disabled Latency Matrix (us)\n   GPU     0      1 \n     0   1.44   9.00 \n"

/* Links without fault are a share of one; those of half the rate of a half; what no rate of NVLink tells is said. */
TEST(test_p2p)
{
	gives(COPIES("NVIDIA H100 80GB HBM3", "CAN", "376.60", "376.70"), 1, 2, "h100-sxm-80gb");
	assert_float_equal(plan.calibration.nvlink_efficiency, 1, .002);
	assert_true(notes_say(&im.taken, "376.7 GB/s one way in the median of 2 pairs"));
	gives(COPIES("NVIDIA H100 80GB HBM3", "CAN", "188.30", "188.30"), 1, 2, "h100-sxm-80gb");
	assert_float_equal(plan.calibration.nvlink_efficiency, .5, .002);
	gives(COPIES("NVIDIA A100-SXM4-80GB", "CAN", "274.50", "274.50"), 1, 2, "a100-sxm4-80gb");
	assert_float_equal(plan.calibration.nvlink_efficiency, 1, .002);
	gives(COPIES("NVIDIA H100 80GB HBM3", "CAN", "376.60", "21.60"), 1, 2, "h100-sxm-80gb");
	assert_true(notes_say(&im.ignored, "21.6 to 376.6 GB/s") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	gives(COPIES("NVIDIA H100 80GB HBM3", "CANNOT", "36.60", "36.60"), 1, 2, "h100-sxm-80gb");
	assert_true(notes_say(&im.ignored, "can not reach the memory") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	gives(COPIES("NVIDIA H100 80GB HBM3", "CAN", "760.00", "760.00"), 1, 2, "h100-sxm-80gb");
	assert_true(notes_say(&im.ignored, "is no share") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	gives(DEVICE("0", "NVIDIA H100 80GB HBM3") "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
	    "   D\\D     0 \n     0 2494.76 \n", 1, 1, "h100-sxm-80gb");
	assert_true(notes_say(&im.ignored, "has no rate between two GPUs"));
	/* cards that no bridge joins */
	gives(COPIES("NVIDIA A100 80GB PCIe", "CAN", "21.60", "21.60"), 1, 2, "a100-pcie-80gb");
	assert_true(notes_say(&im.ignored, "over PCIe") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	gives(COPIES("NVIDIA A100 80GB PCIe", "CAN", "260.00", "260.00") DEVICE("2", "NVIDIA A100 80GB PCIe")
	    DEVICE("3", "NVIDIA A100 80GB PCIe"), 1, 4, "a100-pcie-80gb");
	assert_true(notes_say(&im.ignored, "over PCIe") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
	gives(COPIES("NVIDIA GeForce RTX 4090", "CAN", "27.07", "26.90"), 1, 2, "rtx-4090");
	assert_true(notes_say(&im.ignored, "is not known") && !field_is_set(FIELD_NVLINK_EFFICIENCY, &plan));
}

TEST(test_topo)
{
	/* as the tool writes it, escapes and all; two rails, one card for storage */
	gives("\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tNIC2\tCPU Affinity\tNUMA Affinity\t\tGPU NUMA ID\x1b[0m\n"
	    "GPU0\t X \tNV18\tPIX\tNODE\tSYS\t0-55,112-167\t0\t\tN/A\n"
	    "GPU1\tNV18\t X \tNODE\tPXB\tSYS\t0-55,112-167\t0\t\tN/A\n"
	    "NIC0\tPIX\tNODE\t X \tNODE\tSYS\t\t\t\t\nNIC1\tNODE\tPXB\tNODE\t X \tSYS\n"
	    "NIC2\tSYS\tSYS\tSYS\tSYS\t X\n\nNIC Legend:\n\n  NIC0: mlx5_0\n", 1, 2, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nvlink_domain, 2);
	assert_int_equal(plan.cluster.nics_per_node, 2);
	/* bridged pairs are no domain of four, and pasted text has blanks */
	gives("        GPU0    GPU1    GPU2    GPU3    CPU Affinity\nGPU0     X      NV4     SYS     SYS   0-7\n"
	    "GPU1    NV4      X      SYS     SYS\nGPU2    SYS     SYS      X      NV4\n"
	    "GPU3    SYS     SYS     NV4      X\n", 1, 4, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nvlink_domain, 2);
	/* a pair of GPUs shares two cards; the legend holds no machine */
	gives("\tGPU0\tGPU1\tNIC0\tNIC1\tNIC2\nGPU0\t X \tNV12\tPXB\tPXB\tSYS\nGPU1\tNV12\t X \tPXB\tPXB\tSYS\n\nLegend:\n\n"
	    "  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., "
	    "QPI/UPI)\n  NV#  = Connection traversing a bonded set of # NVLinks\n", 1, 2, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nics_per_node, 2);
	assert_false(notes_say(&im.assumed, "cluster.gpu stays"));
	/* a tray of a rack sees four of 72 */
	gives("GPU 0: NVIDIA GB200 (UUID: GPU-1)\nGPU 1: NVIDIA GB200 (UUID: GPU-2)\n\tGPU0\tGPU1\nGPU0\t X \tNV18\n"
	    "GPU1\tNV18\t X \n", 1, 2, "gb200");
	assert_false(field_is_set(FIELD_NVLINK_DOMAIN, &plan));
	gives("\tGPU0\tNIC0\tNIC1\tNIC2\tNIC3\nGPU0\t X \tPXB\tPXB\tPXB\tPXB\n", 1, 1, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nics_per_node, 1);
	gives("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n", 1, 2, "h100-sxm-80gb");
	assert_int_equal(plan.cluster.nvlink_domain, 1);
}

/* ---- --here -------------------------------------------------------------------------- */

static const char *const variables[] = { "SLURM_NNODES", "SLURM_JOB_NUM_NODES",
	"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE", "WORLD_SIZE", "LOCAL_WORLD_SIZE" };

static enum import_status
here(const char *const set[][2])
{
	import_free(&im);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	for (size_t i = 0; set[i][0] != NULL; i++)
		setenv(set[i][0], set[i][1], 1);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .catalog = &test_catalog, .plan = &plan, .errors = &errors };
	return import_here(&im);
}

TEST(test_here)
{
	static const char *const slurm[][2] = { { "SLURM_NNODES", "4" }, { "SLURM_GPUS_ON_NODE", "8" },
		{ "SLURM_GPUS_PER_NODE", "a100:8" }, { "WORLD_SIZE", "7" }, { NULL, NULL } };
	static const char *const torchrun[][2] = { { "WORLD_SIZE", "32" }, { "LOCAL_WORLD_SIZE", "4" },
		{ NULL, NULL } };
	static const char *const wrong[][2] = { { "SLURM_NNODES", "-4" }, { "WORLD_SIZE", "9" },
		{ "LOCAL_WORLD_SIZE", "2" }, { NULL, NULL } };
	const bool driver = access("/proc/driver/nvidia/gpus", F_OK) == 0;

	assert_int_equal(here(slurm), IMPORT_DONE);
	assert_int_equal(plan.cluster.nodes, 4);
	assert_int_equal(plan.cluster.gpus_per_node, 8);
	if (!driver)
		assert_string_equal(plan.cluster.gpu, "a100-sxm4-80gb");
	assert_int_equal(here(torchrun), IMPORT_DONE);
	assert_int_equal(plan.cluster.nodes, 8);
	assert_int_equal(plan.cluster.gpus_per_node, 4);
	if (driver)
		return;
	assert_int_equal(here(wrong), IMPORT_FAILED);
	assert_string_equal(errors.line[0], "--here: error: neither a Slurm job nor a GPU of NVIDIA's "
	    "driver is here (fix: import a file, see shardplan(1))");
}

/* Into a plan that is there: machines leave the model and the split, a model the machines. */
TEST(test_into)
{
	struct plan own;
	char err[256];

	plan_builtin(&own);
	assert_true(field_parse(FIELD_PRESET, &own, "mixtral-8x7b", err, sizeof err));
	assert_true(field_parse(FIELD_LAYERS, &own, "16", err, sizeof err));
	assert_true(field_parse(FIELD_TP, &own, "4", err, sizeof err));
	assert_true(field_parse(FIELD_MEMORY_GIB, &own, "70", err, sizeof err));
	assert_true(field_parse(FIELD_GPU_HOUR_PRICE, &own, "2", err, sizeof err));
	gives("NodeName=x[1-4] Gres=gpu:b200:8 State=IDLE\n", 4, 8, "b200-sxm-180gb");
	import_into(&im, &own);
	plan_resolve(&own, &test_catalog);
	assert_string_equal(own.cluster.gpu, "b200-sxm-180gb");
	assert_int_equal(own.cluster.nodes, 4);
	assert_false(field_is_set(FIELD_MEMORY_GIB, &own)); /* which was the other GPU's */
	assert_string_equal(own.model.preset, "mixtral-8x7b");
	assert_int_equal(own.model.layers, 16);
	assert_int_equal(own.parallel.tp, 4);
	/* hosts alone: the GPU stays */
	gives("a slots=4\nb slots=4\n", 2, 4, "h100-sxm-80gb");
	import_into(&im, &own);
	plan_resolve(&own, &test_catalog);
	assert_string_equal(own.cluster.gpu, "b200-sxm-180gb");
	assert_int_equal(own.cluster.gpus_per_node, 4);
	assert_int_equal(read_world("{ \"model_type\": \"llama\", \"hidden_size\": 1024, "
	    "\"num_hidden_layers\": 4, \"num_attention_heads\": 8, \"intermediate_size\": 2048, "
	    "\"vocab_size\": 32000 }", NULL, 0), IMPORT_DONE);
	import_into(&im, &own);
	plan_resolve(&own, &test_catalog);
	assert_int_equal(own.model.layers, 4);
	assert_int_equal(own.model.experts, 0);
	assert_int_equal(own.parallel.tp, 4);
	assert_int_equal(own.cluster.nodes, 2);
	/* a launch is the whole */
	assert_int_equal(read_world("--num-layers 4 --hidden-size 1024 --num-attention-heads 8 --seq-length "
	    "64 --max-position-embeddings 64 --micro-batch-size 1", "megatron", 8), IMPORT_DONE);
	import_into(&im, &own);
	assert_int_equal(own.parallel.tp, 1);
	assert_int_equal(own.cluster.nodes, 1);
}

static int
close_notes(void **state)
{
	import_free(&im);
	return free_catalog(state);
}

int
main(void)
{
	return unit_run(load_catalog, close_notes);
}
