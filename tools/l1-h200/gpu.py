"""The GPU, through the CUDA driver's library alone: loads the kernels and runs lists of memory operations."""

import array
import ctypes
from collections import namedtuple

# Kinds of operation, as in kernels.cu.
(GLOAD_SECTOR, GLOAD_LINE, GSTORE_LINE, GSTORE_WORD, LLOAD_LINE, LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR,
 LLOAD_SECTOR0, LLOAD_SECTOR1, WAIT, GSTORE_SECTOR, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT,
 GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED) = range(17)
LOADS = {GLOAD_SECTOR, GLOAD_LINE, LLOAD_LINE, LLOAD_SECTOR0, LLOAD_SECTOR1, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT,
         GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED}
GLOBAL = {GLOAD_SECTOR, GLOAD_LINE, GSTORE_LINE, GSTORE_WORD, GSTORE_SECTOR, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT,
         GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED}
# Divisions of the 256 KB: shared memory -> L1.
CONFIGS = {8: 248, 16: 240, 32: 224, 64: 192, 100: 156, 132: 124, 164: 92, 196: 60, 228: 28}
THRESHOLD = 130
MAX_OPS, BUCKETS, MAX_PASSES = 16384, 64, 128
MAX_BIT_WORDS = 1200

# misses: of each pass; loads: of the recorded passes; buckets: of their cycles / 16; slow: one bool per recorded load.
Result = namedtuple("Result", "smid loads misses buckets slow")


def line(kind, number):
    """An operation on a line: global ones are counted in sectors."""
    return kind << 24 | (number * 4 if kind in GLOBAL else number)


class Gpu:
    name = "gpu"

    def __init__(self, cubin, library="libcuda.so.1"):
        self.cuda = ctypes.CDLL(library)
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)
        module = ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), open(cubin, "rb").read())
        self.module = module
        self.functions = {}
        self.ops = ctypes.c_uint64()
        size = ctypes.c_size_t()
        self.check("cuModuleGetGlobal_v2", ctypes.byref(self.ops), ctypes.byref(size), module, b"ops")
        self.base = self.allocate(1 << 30)
        self.out = self.allocate(1 << 20)
        self.sent = None

    def check(self, name, *args):
        error = getattr(self.cuda, name)(*args)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.check("cuMemsetD8_v2", pointer, 0, ctypes.c_size_t(size))
        return pointer

    def launch(self, name, grid, block, config, args, blocks_per_sm=1):
        """With the division of `config` KB of shared memory: the blocks take all of it."""
        function = self.functions.get(name)
        if function is None:
            function = self.functions[name] = ctypes.c_void_p()
            self.check("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
            self.check("cuFuncSetAttribute", function, 8, 227 * 1024)
        # A share of p percent holds as many blocks as fit without the kilobyte that is reserved for each.
        shared = (config * 1024 // blocks_per_sm - 1024) & ~127
        percent = 0 if blocks_per_sm == 1 else -(-100 * shared * blocks_per_sm // (228 * 1024))
        self.check("cuFuncSetAttribute", function, 9, percent)
        pointers = (ctypes.c_void_p * len(args))(*[ctypes.addressof(a) for a in args])
        self.check("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, shared, None, pointers, None)
        self.check("cuCtxSynchronize")

    def read(self, words):
        data = array.array("I", bytes(4 * words))
        address, _ = data.buffer_info()
        self.check("cuMemcpyDtoH_v2", ctypes.c_void_p(address), self.out, ctypes.c_size_t(4 * words))
        return data

    def run(self, ops, config, passes=1, record_from=0, record_op=0, shift=5, threshold=THRESHOLD, blocks=132):
        """`ops` once or several times on each of so many multiprocessors, whose L1 holds no global lines at first.
        A list of results, by multiprocessor; `slow` of the loads from operation `record_op` and pass `record_from` on."""
        data = ops if isinstance(ops, array.array) else array.array("I", ops)
        assert len(data) <= MAX_OPS
        if data is not self.sent:
            address, _ = data.buffer_info()
            self.check("cuMemcpyHtoD_v2", self.ops, ctypes.c_void_p(address), ctypes.c_size_t(4 * len(data)))
            self.sent = data
        # Shared memory holds them: at most 5 KB where the L1 is largest.
        loads = sum(op >> 24 in LOADS for op in data[record_op:]) * max(0, passes - record_from)
        bit_words = min(-(-loads // 32), MAX_BIT_WORDS)
        u = ctypes.c_uint32
        self.launch("run", blocks, 32, config, [self.base, u(len(data)), u(passes), u(record_from), u(record_op), u(bit_words),
                                                u(threshold), u(shift), self.out])
        size = 2 + BUCKETS + MAX_PASSES + bit_words
        words = self.read(size * blocks)
        results = []
        for i in range(0, size * blocks, size):
            one = words[i:i + size]
            bits = int.from_bytes(one[2 + BUCKETS + MAX_PASSES:].tobytes(), "little")
            n = min(one[1], 32 * bit_words)
            slow = [c == "1" for c in reversed(format(bits, f"0{n}b"))][:n] if n else []
            misses = list(one[2 + BUCKETS:2 + BUCKETS + min(passes, MAX_PASSES)])
            results.append(Result(one[0], one[1], misses, list(one[2:2 + BUCKETS]), slow))
        return sorted(results)

    def stacks(self, frame, blocks, warps, config, depth, steps, warm, pattern, threshold=150, seed=1, blocks_per_sm=1):
        """Loads, slow loads and stores of all warps; frames of `frame` words."""
        u = ctypes.c_uint32
        self.launch(f"stacks_{frame}", blocks, 32 * warps, config,
                    [u(depth), u(steps), u(warm), u(pattern), u(threshold), u(seed), self.out], blocks_per_sm)
        words = self.read(3 * warps * blocks)
        return [sum(words[i::3]) for i in range(3)]

    def burst(self, warps, config, hot, count, mode, start, stride):
        """Loads of hot lines after the burst, and how many of them were slow."""
        u = ctypes.c_uint32
        self.launch("burst", 1, 32 * warps, config,
                    [self.base, u(hot), u(count), u(mode), u(start), u(stride), u(THRESHOLD), self.out])
        return list(self.read(2))
