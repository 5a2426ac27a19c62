// Microbenchmarks of the L1 data cache. `run` executes a list of memory operations with one warp and says of every load
// whether it was quick; `stacks`, `burst`, `flight` and `frames` use several warps. Driven by l1.py. Addresses never come from the
// cache that is measured: the list is in constant memory, results stay in shared memory until the end.
typedef unsigned u32;
typedef unsigned long long u64;

#define MAX_OPS 16384
#define LOCAL_WORDS 4096
#define BUCKETS 64        // of latency, 16 cycles each
#define MAX_PASSES 128
#define BITS_AT (16 + BUCKETS + MAX_PASSES)

extern "C" {
__constant__ u32 ops[MAX_OPS];
}
extern __shared__ u32 shared[];

// Kinds of operation: bits 25 to 31 of a word of the list; the rest is a sector (32 bytes); of local memory, a line is a word of the frame.
enum {
    GLOAD_SECTOR, GLOAD_LINE, GSTORE_LINE, GSTORE_WORD, LLOAD_LINE, LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR,
    LLOAD_SECTOR0, LLOAD_SECTOR1, WAIT, GSTORE_SECTOR, GLOAD_L2, GLOAD_CA, GLOAD_CONSTANT, GLOAD_NO_ALLOCATE, GLOAD_UNCHANGED, N_KINDS
};

// The value goes to shared memory, which waits for it; only then is the clock read again.
#define TIMED_LOAD(instruction, cycles, address, scratch, active)                                            \
    asm volatile("{\n\t.reg .u32 v, a, b;\n\t.reg .pred p;\n\tsetp.ne.u32 p, %3, 0;\n\tmov.u32 v, 0;\n\t"     \
                 "mov.u32 a, %%clock;\n\t@p " instruction " v, [%1];\n\tst.volatile.shared.u32 [%2], v;\n\t"   \
                 "mov.u32 b, %%clock;\n\tsub.u32 %0, b, a;\n\t}"                                              \
                 : "=r"(cycles) : "l"(address), "r"(scratch), "r"(u32(active)) : "memory")
#define STORE(instruction, address, value, active)                                                            \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t@p " instruction " [%0], %1;\n\t}"            \
                 :: "l"(address), "r"(value), "r"(u32(active)) : "memory")

__device__ __forceinline__ u32 clock_now() {
    u32 t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory");
    return t;
}

__device__ __forceinline__ void wait(u32 cycles) {
    u32 start = clock_now();
    while (clock_now() - start < cycles) {}
}

// out, for each block: multiprocessor, recorded loads, then buckets, misses of each pass, bits (1: slow) of the loads of the
// operations from number `record_op` on, in passes from `record_from` on.
template <int WORDS>
__device__ __forceinline__ void execute(char *base, u32 n_ops, u32 passes, u32 record_from, u32 record_op, u32 bit_words, u32 threshold,
                                        u32 *out) {
    u32 lane = threadIdx.x;
    char frame[WORDS ? WORDS * 4 : 1];
    u64 local = 0;
    if (WORDS) asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(frame) : "memory");
    u32 scratch = u32(__cvta_generic_to_shared(shared));
    for (u32 i = lane; i < BITS_AT + bit_words; i += 32) shared[i] = 0;
    __syncwarp();
    u32 *buckets = shared + 16, *misses = buckets + BUCKETS, *bits = misses + MAX_PASSES;
    u32 n_bits = 0, word = 0;
    // The first N_KINDS rounds of pass 0 execute every kind without an access, for the instruction cache.
    for (u32 pass = 0; pass < passes; ++pass) {
        u32 n_misses = 0;
        int first = pass == 0 ? -int(N_KINDS) : 0;
        for (int i = first; i < int(n_ops); ++i) {
            bool active = i >= 0;
            u32 op = active ? ops[i] : u32(i + int(N_KINDS)) << 25;
            u32 kind = op >> 25, at = op & 0x1ffffffu;
            char *global = base + (u64(at) << 5);
            char *mine = global + 4 * lane;
            u64 slot = local + at;
            u32 cycles = 0;
            bool load = true;
            switch (kind) {
            case GLOAD_SECTOR: TIMED_LOAD("ld.global.u32", cycles, global, scratch, active); break;
            case GLOAD_LINE: TIMED_LOAD("ld.global.u32", cycles, mine, scratch, active); break;
            case GLOAD_CA: TIMED_LOAD("ld.global.ca.u32", cycles, mine, scratch, active); break;
            case GLOAD_CONSTANT: TIMED_LOAD("ld.global.nc.u32", cycles, mine, scratch, active); break;
            case GLOAD_NO_ALLOCATE:
                TIMED_LOAD("ld.global.L1::no_allocate.u32", cycles, mine, scratch, active);
                break;
            case GLOAD_UNCHANGED: TIMED_LOAD("ld.global.L1::evict_unchanged.u32", cycles, mine, scratch, active); break;
            case GLOAD_L2: TIMED_LOAD("ld.global.cg.u32", cycles, global, scratch, active); break;
            case LLOAD_LINE: if (WORDS) TIMED_LOAD("ld.local.u32", cycles, slot, scratch, active); break;
            case LLOAD_SECTOR0: if (WORDS) TIMED_LOAD("ld.local.u32", cycles, slot, scratch, active && lane < 8); break;
            case LLOAD_SECTOR1:
                if (WORDS) TIMED_LOAD("ld.local.u32", cycles, slot, scratch, active && lane >= 8 && lane < 16);
                break;
            default:
                load = false;
                switch (kind) {
                case GSTORE_LINE: STORE("st.global.u32", mine, lane, active); break;
                case GSTORE_WORD: STORE("st.global.u32", mine, lane, active && lane == 0); break;
                case GSTORE_SECTOR: STORE("st.global.u32", mine, lane, active && lane < 8); break;
                case LSTORE_LINE: if (WORDS) STORE("st.local.u32", slot, lane, active); break;
                case LSTORE_WORD: if (WORDS) STORE("st.local.u32", slot, lane, active && lane == 0); break;
                case LSTORE_SECTOR: if (WORDS) STORE("st.local.u32", slot, lane, active && lane < 8); break;
                default: wait(active ? at : 0);
                }
            }
            if (load && active) {
                // Of a warp of which some lanes load, the slowest counts.
                cycles = __reduce_max_sync(~0u, cycles);
                u32 slow = cycles > threshold;
                n_misses += slow;
                if (pass >= record_from && u32(i) >= record_op) {
                    u32 bucket = cycles >> 4;
                    buckets[bucket < BUCKETS ? bucket : BUCKETS - 1] += 1;
                    word |= slow << (n_bits & 31);
                    if ((++n_bits & 31) == 0) {
                        if (n_bits / 32 <= bit_words) bits[n_bits / 32 - 1] = word;
                        word = 0;
                    }
                }
            }
        }
        if (pass < MAX_PASSES) misses[pass] = n_misses;
    }
    if ((n_bits & 31) != 0 && n_bits / 32 < bit_words) bits[n_bits / 32] = word;
    __syncwarp();
    u32 smid;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    out += blockIdx.x * (2 + BUCKETS + MAX_PASSES + bit_words);
    if (lane == 0) {
        out[0] = smid;
        out[1] = n_bits;
    }
    for (u32 i = lane; i < BUCKETS + MAX_PASSES + bit_words; i += 32) out[2 + i] = shared[16 + i];
}

#define RUN(name, words)                                                                                           \
    extern "C" __global__ void name(char *base, u32 n_ops, u32 passes, u32 record_from, u32 record_op, u32 bit_words, \
                                    u32 threshold, u32 *out) {                                                     \
        execute<words>(base, n_ops, passes, record_from, record_op, bit_words, threshold, out);                    \
    }
RUN(run, 0)
RUN(run_local, LOCAL_WORDS)

// Every warp has a stack of `depth` words in a frame of its own and walks over it, `steps` times; loads are timed after the
// first `warm` steps. Patterns: 0 words in order, loads; 1 all words up with stores, then down with loads; 2 a random walk, up with
// a store, down with a load; 3 random words, loads; 4 random words, loads and stores; 5 as 2, but each level has four lines,
// written and read together (not timed). out: for each warp loads, slow loads, stores.
template <int WORDS>
__device__ __forceinline__ void walk(u32 depth, u32 steps, u32 warm, u32 pattern, u32 threshold, u32 seed, u32 *out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    char frame[WORDS * 4];
    u64 local;
    asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(frame) : "memory");
    u32 scratch = u32(__cvta_generic_to_shared(shared)) + 4 * warp;
    u32 random = seed + 2654435761u * (1 + warp + 64 * blockIdx.x);
    u32 loads = 0, slow = 0, stores = 0, top = 0;
    u32 lines = pattern == 5 ? 4 * depth : depth;
    if (pattern != 2 && pattern != 5)
        for (u32 i = 0; i < lines; ++i) STORE("st.local.u32", local + 4 * i, lane, 1);
    for (u32 step = 0; step < steps; ++step) {
        random = random * 1664525u + 1013904223u;
        u32 draw = random >> 8;
        u32 at;
        bool store = false;
        if (pattern == 0) {
            at = step % depth;
        } else if (pattern == 1) {
            u32 phase = step % (2 * depth);
            store = phase < depth;
            at = store ? phase : 2 * depth - 1 - phase;
        } else if (pattern == 2 || pattern == 5) {
            // The next step goes up from the bottom and down from the top, else by chance.
            store = top == 0 || (top < depth && (draw & 1));
            at = store ? top++ : --top;
        } else {
            at = u32((u64(draw) * depth) >> 24);
            store = pattern == 4 && (random & (1u << 7));
        }
        if (pattern == 5) {
            u64 slot = local + 16 * at;
            if (store) {
                for (u32 i = 0; i < 4; ++i) STORE("st.local.u32", slot + 4 * i, lane, 1);
            } else {
                u32 sum;
                asm volatile("{\n\t.reg .u32 a, b, c, d;\n\tld.local.u32 a, [%1];\n\tld.local.u32 b, [%1+4];\n\t"
                             "ld.local.u32 c, [%1+8];\n\tld.local.u32 d, [%1+12];\n\tadd.u32 a, a, b;\n\t"
                             "add.u32 c, c, d;\n\tadd.u32 %0, a, c;\n\t}" : "=r"(sum) : "l"(slot) : "memory");
                shared[warp] = sum;
            }
        } else if (store) {
            STORE("st.local.u32", local + 4 * at, lane, 1);
        } else {
            u32 cycles;
            TIMED_LOAD("ld.local.u32", cycles, local + 4 * at, scratch, 1);
            if (step >= warm) {
                loads += 1;
                slow += cycles > threshold;
            }
        }
        if (step >= warm) stores += store;
    }
    if (lane == 0) {
        u32 *mine = out + 3 * (warp + blockDim.x / 32 * blockIdx.x);
        mine[0] = loads;
        mine[1] = slow;
        mine[2] = stores;
    }
}

#define STACKS(words)                                                                                              \
    extern "C" __global__ void __launch_bounds__(1024) stacks_##words(u32 depth, u32 steps, u32 warm, u32 pattern, \
                                                                         u32 threshold, u32 seed, u32 *out) {      \
        walk<words>(depth, steps, warm, pattern, threshold, seed, out);                                            \
    }
STACKS(108)
STACKS(308)

// Each of 32 warps loads a word of its frame, warp 0 lines of global memory, then each warp in turn that word again.
// out, for each block: multiprocessor, then of each warp whether that was slow.
template <int WORDS>
__device__ __forceinline__ void where(char *base, u32 word, u32 n_ops, u32 threshold, u32 *out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    char frame[WORDS * 4];
    u64 local;
    asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(frame) : "memory");
    u32 scratch = u32(__cvta_generic_to_shared(shared)) + 4 * warp, cycles;
    out += 33 * blockIdx.x;
    // Round 0 is the first load; it also brings the instructions.
#pragma unroll 1
    for (u32 round = 0; round < 2; ++round) {
#pragma unroll 1
        for (u32 turn = 0; turn < 32; ++turn) {
            if (turn == warp) {
                TIMED_LOAD("ld.local.u32", cycles, local + 4 * word, scratch, 1);
                if (round == 1) shared[64 + warp] = cycles > threshold;
            }
            __syncthreads();
        }
        if (round == 0 && warp == 0)
            for (u32 i = 0; i < n_ops; ++i)
                TIMED_LOAD("ld.global.u32", cycles, base + (u64(ops[i] & 0x1ffffffu) << 5) + 4 * lane, scratch, 1);
        __syncthreads();
    }
    if (lane == 0) out[1 + warp] = shared[64 + warp];
    if (threadIdx.x == 0) {
        u32 smid;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
        out[0] = smid;
    }
}

#define FRAMES(words)                                                                                              \
    extern "C" __global__ void __launch_bounds__(1024) frames_##words(char *base, u32 word, u32 n_ops, u32 threshold, u32 *out) { \
        where<words>(base, word, n_ops, threshold, out);                                                           \
    }
FRAMES(108)
FRAMES(308)

// Every warp loads lines that nobody else does, and at once the same again: 2 * LINES loads are under way.
template <int LINES>
__device__ __forceinline__ void twice(char *base, u32 rounds, u32 *out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u32 sum = 0;
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round) {
        // Within the GB.
        char *mine = base + 128 * u64(LINES * (warp + warps * (round + rounds * blockIdx.x)) & 0x7fffff) + 4 * lane;
        u32 first[LINES], second[LINES];
#pragma unroll
        for (u32 k = 0; k < LINES; ++k) asm volatile("ld.global.u32 %0, [%1];" : "=r"(first[k]) : "l"(mine + 128 * k) : "memory");
#pragma unroll
        for (u32 k = 0; k < LINES; ++k) asm volatile("ld.global.u32 %0, [%1];" : "=r"(second[k]) : "l"(mine + 128 * k) : "memory");
#pragma unroll
        for (u32 k = 0; k < LINES; ++k) sum += first[k] + second[k];
        // The next round waits for these.
        asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(u32(__cvta_generic_to_shared(shared)) + 4 * warp), "r"(sum) : "memory");
        __syncwarp();
    }
    if (sum == 1 && lane == 0) out[0] = sum;
}

#define FLIGHT(lines) \
    extern "C" __global__ void __launch_bounds__(1024) flight_##lines(char *base, u32 rounds, u32 *out) { twice<lines>(base, rounds, out); }
FLIGHT(2)
FLIGHT(8)
FLIGHT(16)

// Warp 0 loads `hot` lines; then `count` further lines are accessed, by warp 0 one after the other or by all warps, eight
// under way in each; then warp 0 loads the hot lines. Modes: 0 loads one after the other, 1 loads together,
// 2 stores together, 3 stores together, all to one line of each warp, 4 stores one after the other.
// out: loads of hot lines, slow ones.
extern "C" __global__ void burst(char *base, u32 hot, u32 count, u32 mode, u32 threshold, u32 *out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u32 scratch = u32(__cvta_generic_to_shared(shared)) + 4 * warp;
    char *mine = base + 4 * lane, *others = mine + (16 << 20);
    u32 cycles;
    // Once without an access, for the instruction cache.
    TIMED_LOAD("ld.global.u32", cycles, mine, scratch, 0);
    if (warp == 0)
        for (u32 i = 0; i < hot; ++i) TIMED_LOAD("ld.global.u32", cycles, mine + 128 * i, scratch, 1);
    __syncthreads();
    if (mode == 0) {
        if (warp == 0)
            for (u32 i = 0; i < count; ++i) TIMED_LOAD("ld.global.u32", cycles, others + 128 * i, scratch, 1);
    } else if (mode == 1) {
        u32 sum = 0;
        for (u32 i = 8 * warp; i < count; i += 8 * warps) {
            u32 value[8];
#pragma unroll
            for (u32 k = 0; k < 8; ++k)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(value[k]) : "l"(others + 128 * (i + k)) : "memory");
#pragma unroll
            for (u32 k = 0; k < 8; ++k) sum += value[k];
        }
        shared[64 + threadIdx.x % 32] = sum;
    } else if (mode == 4) {
        if (warp == 0)
            for (u32 i = 0; i < count; ++i) {
                STORE("st.global.u32", others + 128 * i, lane, 1);
                wait(500);
            }
    } else {
        for (u32 i = 8 * warp; i < count; i += 8 * warps)
            for (u32 k = 0; k < 8; ++k) STORE("st.global.u32", others + 128 * (mode == 2 ? i + k : warp), lane, 1);
    }
    __syncthreads();
    if (warp == 0) {
        wait(20000);
        u32 loads = 0, slow = 0;
        for (u32 i = 0; i < hot; ++i) {
            TIMED_LOAD("ld.global.L1::no_allocate.u32", cycles, mine + 128 * i, scratch, 1);
            loads += 1;
            slow += cycles > threshold;
        }
        if (lane == 0) {
            out[0] = loads;
            out[1] = slow;
        }
    }
}
