"""The GPU, through the CUDA driver's library alone: loads the kernels and runs lists of memory operations."""

import array
import ctypes
from collections import namedtuple

# Kinds of operation, as in kernels.cu.
(GLOAD_SECTOR, GLOAD_LINE, GSTORE_LINE, GSTORE_WORD, LLOAD_LINE, LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR,
 LLOAD_SECTOR0, LLOAD_SECTOR1, WAIT, GSTORE_SECTOR, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT,
 GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED) = range(17)
GLOBAL_LOADS = {GLOAD_SECTOR, GLOAD_LINE, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT, GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED}
LOCAL_LOADS = {LLOAD_LINE, LLOAD_SECTOR0, LLOAD_SECTOR1}
LOADS = GLOBAL_LOADS | LOCAL_LOADS
LOCAL = LOCAL_LOADS | {LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR}
# Divisions of the 256 KB: shared memory -> L1.
CONFIGS = {8: 248, 16: 240, 32: 224, 64: 192, 100: 156, 132: 124, 164: 92, 196: 60, 228: 28}
THRESHOLD = 130
MAX_OPS, BUCKETS, MAX_PASSES = 16384, 64, 128
MAX_BIT_WORDS = 1200

# misses: of each pass; loads: of the recorded passes; buckets: of their cycles / 16; slow: one bool per recorded load.
Result = namedtuple("Result", "smid loads misses buckets slow")


def op(kind, line, sector=0):
    """An operation on a line of 128 bytes, from the first address on (local memory: on a word of the warp's frame). `sector`: of GLOAD_SECTOR
    and GLOAD_L2, which load its first word. WAIT: so many times four cycles."""
    return kind << 25 | line << 2 | sector


def parts(operation):
    return operation >> 25, operation >> 2 & 0x7fffff, operation & 3


def words(kind, sector):
    """The words of the line that the operation reads or writes, as bits."""
    if kind == GLOAD_SECTOR:
        return 1 << 8 * sector
    if kind in (GSTORE_WORD, LSTORE_WORD):
        return 1
    if kind in (GSTORE_SECTOR, LSTORE_SECTOR, LLOAD_SECTOR0):
        return 0xff
    return 0xff00 if kind == LLOAD_SECTOR1 else 0xffffffff


class Gpu:
    name = "gpu"

    def __init__(self, cubin, library="libcuda.so.1"):
        self.cuda = ctypes.CDLL(library)
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)
        self.module = ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(self.module), open(cubin, "rb").read())
        self.functions = {}
        self.ops = ctypes.c_uint64()
        size = ctypes.c_size_t()
        self.check("cuModuleGetGlobal_v2", ctypes.byref(self.ops), ctypes.byref(size), self.module, b"ops")
        # From a multiple of a GB on, so that the bits of a line's number are those of its address.
        gb = 1 << 30
        self.base = ctypes.c_uint64((self.allocate(2 * gb).value + gb - 1) // gb * gb)
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

    def launch(self, name, grid, block, config, args):
        """With the division of `config` KB of shared memory: each block takes all of it."""
        function = self.functions.get(name)
        if function is None:
            function = self.functions[name] = ctypes.c_void_p()
            self.check("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
            self.check("cuFuncSetAttribute", function, 8, 227 * 1024)
            self.check("cuFuncSetAttribute", function, 9, 0)
        # A kilobyte is reserved for each block.
        shared = (config - 1) * 1024
        pointers = (ctypes.c_void_p * len(args))(*[ctypes.addressof(a) for a in args])
        self.check("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, shared, None, pointers, None)
        self.check("cuCtxSynchronize")

    def send(self, ops):
        data = ops if isinstance(ops, array.array) else array.array("I", ops)
        assert len(data) <= MAX_OPS
        if self.sent is None or data != self.sent:
            address, _ = data.buffer_info()
            self.check("cuMemcpyHtoD_v2", self.ops, ctypes.c_void_p(address), ctypes.c_size_t(4 * len(data)))
            self.sent = data[:]
        return data

    def read(self, n):
        data = array.array("I", bytes(4 * n))
        address, _ = data.buffer_info()
        self.check("cuMemcpyDtoH_v2", ctypes.c_void_p(address), self.out, ctypes.c_size_t(4 * n))
        return data

    def clear(self, config):
        """Empties the L1s and puts the hands back: another division does."""
        self.execute("run", [op(GLOAD_LINE, 0)], 228 if config == 8 else 8)

    def execute(self, kernel, ops, config, passes=1, record_from=0, record_op=0, threshold=THRESHOLD, blocks=132):
        data = self.send(ops)
        # Shared memory holds them: at most 5 KB where the L1 is largest.
        loads = sum(o >> 25 in LOADS for o in data[record_op:]) * max(0, passes - record_from)
        bit_words = min(-(-loads // 32), MAX_BIT_WORDS)
        u = ctypes.c_uint32
        self.launch(kernel, blocks, 32, config, [self.base, u(len(data)), u(passes), u(record_from), u(record_op), u(bit_words),
                                                 u(threshold), self.out])
        return bit_words

    def run(self, ops, config, passes=1, record_from=0, record_op=0, blocks=132):
        """`ops` once or several times on each of so many multiprocessors, whose L1 is empty at first.
        A list of results, by multiprocessor; `slow` of the loads from operation `record_op` and pass `record_from` on."""
        self.clear(config)
        # The kernel with a large frame moves all frames apart, so that it runs only where it must.
        kernel = "run_local" if any(o >> 25 in LOCAL for o in ops) else "run"
        bit_words = self.execute(kernel, ops, config, passes, record_from, record_op, blocks=blocks)
        size = 2 + BUCKETS + MAX_PASSES + bit_words
        words_ = self.read(size * blocks)
        results = []
        for i in range(0, size * blocks, size):
            one = words_[i:i + size]
            n = min(one[1], 32 * bit_words)
            bits = int.from_bytes(one[2 + BUCKETS + MAX_PASSES:].tobytes(), "little") & (1 << n) - 1
            slow = [int(c) for c in reversed(format(bits, f"0{n}b"))] if n else []
            misses = list(one[2 + BUCKETS:2 + BUCKETS + min(passes, MAX_PASSES)])
            results.append(Result(one[0], one[1], misses, list(one[2:2 + BUCKETS]), slow))
        return sorted(results)

    def frames(self, frame, word, lines, config, blocks=132):
        """Of each multiprocessor: whether each of 32 warps finds the word of its frame no more, after `lines` were loaded."""
        self.clear(config)
        self.send(ops_of_lines(lines))
        u = ctypes.c_uint32
        self.launch(f"frames_{frame}", blocks, 1024, config, [self.base, u(word), u(len(lines)), u(THRESHOLD), self.out])
        words_ = self.read(33 * blocks)
        return {words_[33 * i]: list(words_[33 * i + 1:33 * i + 33]) for i in range(blocks)}

    def stacks(self, frame, warps, config, depth, steps, warm, pattern, threshold=150, seed=1, blocks=132):
        """Loads, slow loads and stores of all warps; frames of `frame` words."""
        self.clear(config)
        u = ctypes.c_uint32
        self.launch(f"stacks_{frame}", blocks, 32 * warps, config,
                    [u(depth), u(steps), u(warm), u(pattern), u(threshold), u(seed), self.out])
        words_ = self.read(3 * warps * blocks)
        return [sum(words_[i::3]) for i in range(3)]

    def flight(self, each, warps, config, blocks=132):
        """Loads of all warps: each loads so many lines, then the same again, before the first have come."""
        self.clear(config)
        u = ctypes.c_uint32
        self.launch(f"flight_{each}", blocks, 32 * warps, config, [self.base, u(200), self.out])
        return 2 * each * 200 * warps * blocks

    def burst(self, warps, config, hot, count, mode):
        """Loads of hot lines after the burst, and how many of them were slow."""
        self.clear(config)
        u = ctypes.c_uint32
        self.launch("burst", 1, 32 * warps, config, [self.base, u(hot), u(count), u(mode), u(THRESHOLD), self.out])
        return list(self.read(2))


def ops_of_lines(lines):
    return array.array("I", [op(GLOAD_LINE, n) for n in lines])
