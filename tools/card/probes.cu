// The kernels of `warpstack characterize`. All have one signature; tools/regenerate-probes compiles them with the straight code and the
// handlers that it writes. Each warp or block stores clock readings to `out`; src/measure/card/ tells what is launched and what follows.
typedef unsigned u32;
typedef unsigned long long u64;

#define ARGUMENTS char *memory, const u32 *list, u64 *out, u32 a, u32 b, u32 c, u32 d
#define PROBE extern "C" __global__ void __launch_bounds__(1024)
#define EIGHT(X) X X X X X X X X

extern __shared__ u32 shared[];

__device__ __forceinline__ u64 ticks() { u64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ u64 nanoseconds() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ u32 multiprocessor() { u32 id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }

// Start and end of every warp.
__device__ __forceinline__ void tell(u64 *out, u64 start, u64 end) {
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0) { out[2 * warp] = start; out[2 * warp + 1] = end; }
}

// `a` rounds: a chain of 64 instructions, or 256 in eight chains side by side. R: PTX of an instruction on %0 with constants %1 and %2.
#define CHAIN(name, type, constraint, R)                                                            \
    PROBE chain_##name(ARGUMENTS) {                                                                 \
        type x = threadIdx.x + c, p = a | 1, q = b | 3;                                             \
        u64 start = 0;                                                                              \
        _Pragma("unroll 1") for (u32 r = 0; r <= a; ++r) {                                          \
            if (r == 1) start = ticks();                                                            \
            EIGHT(EIGHT(asm volatile(R : "+" constraint(x) : constraint(p), constraint(q));))       \
        }                                                                                           \
        tell(out, start, ticks());                                                                  \
        if (x == type(12345)) *(type *)memory = x;                                                  \
    }                                                                                               \
    PROBE wide_##name(ARGUMENTS) {                                                                  \
        type x[8], p = a | 1, q = b | 3;                                                            \
        for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;                                         \
        u64 start = 0;                                                                              \
        _Pragma("unroll 1") for (u32 r = 0; r <= a; ++r) {                                          \
            if (r == 1) start = ticks();                                                            \
            _Pragma("unroll") for (int k = 0; k < 256; ++k) asm volatile(R : "+" constraint(x[k % 8]) : constraint(p), constraint(q)); \
        }                                                                                           \
        tell(out, start, ticks());                                                                  \
        type sum = 0;                                                                               \
        for (int k = 0; k < 8; ++k) sum += x[k];                                                    \
        if (sum == type(12345)) *(type *)memory = sum;                                              \
    }

CHAIN(fp32, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
CHAIN(int_mul, u32, "r", "mad.lo.u32 %0, %0, %1, %2;")
CHAIN(logic, u32, "r", "lop3.b32 %0, %0, %1, %2, 0x1e;")
CHAIN(shift, u32, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
CHAIN(compare, u32, "r", "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %2, %1, p; }")
CHAIN(bitfield, u32, "r", "popc.b32 %0, %0;")
CHAIN(sfu, float, "f", "ex2.approx.ftz.f32 %0, %0;")
CHAIN(convert, u32, "r", "{ .reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f; }")

// Loops of `a` rounds of N dependent instructions: the branch back is all that they have beside them.
#define LOOP(N)                                                                                     \
    PROBE loop_##N(ARGUMENTS) {                                                                     \
        float x = threadIdx.x, p = b | 1;                                                           \
        u64 start = 0;                                                                              \
        for (int pass = 0; pass < 2; ++pass) {                                                      \
            start = ticks();                                                                        \
            _Pragma("unroll 1") for (u32 r = 0; r < a; ++r) {                                       \
                _Pragma("unroll") for (int k = 0; k < N; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(p)); \
            }                                                                                       \
        }                                                                                           \
        tell(out, start, ticks());                                                                  \
        if (x == 12345.f) *(float *)memory = x;                                                     \
    }
LOOP(4)
LOOP(8)
LOOP(12)
LOOP(16)
LOOP(32)
LOOP(64)

// `a` rounds of 64 barriers.
PROBE barrier(ARGUMENTS) {
    __syncthreads();
    u64 start = 0;
#pragma unroll 1
    for (u32 r = 0; r <= a; ++r) {
        if (r == 1) start = ticks();
        EIGHT(EIGHT(__syncthreads();))
    }
    tell(out, start, ticks());
}

// `a` dependent loads of shared memory.
PROBE chase_shared(ARGUMENTS) {
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) shared[i] = u32(__cvta_generic_to_shared(shared + (i + 1) % 256));
    __syncthreads();
    u32 at = u32(__cvta_generic_to_shared(shared));
    u64 start = 0;
#pragma unroll 1
    for (u32 r = 0; r <= a; ++r) {
        if (r == 1) start = ticks();
        EIGHT(EIGHT(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));))
    }
    tell(out, start, ticks());
    if (at == 12345) *(u32 *)memory = at;
}

// `a` rounds of 64 dependent loads of constant memory, each the offset of the next.
__constant__ u32 offsets[16] = {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 0};
PROBE chase_constant(ARGUMENTS) {
    u32 at = c;
    u64 start = 0;
#pragma unroll 1
    for (u32 r = 0; r <= a; ++r) {
        if (r == 1) start = ticks();
#pragma unroll
        for (int k = 0; k < 64; ++k) at = *(const u32 *)((const char *)offsets + at);
    }
    tell(out, start, ticks());
    if (at == 12345) *(u32 *)memory = at;
}

// A ring of `a` pointers, `b` bytes apart; `a` is a power of two, `c` odd: from each to the one `c` further on.
PROBE ring(ARGUMENTS) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a; i += gridDim.x * blockDim.x)
        *(char **)(memory + u64(i) * b) = memory + u64((i + c) & (a - 1)) * b;
}

// `a` rounds of 64 dependent loads, after `b` rounds before the clock is read.
#define CHASE(name, LOAD)                                                                           \
    PROBE chase_##name(ARGUMENTS) {                                                                 \
        u64 at = u64(memory), start = 0;                                                            \
        _Pragma("unroll 1") for (u32 r = 0; r < a + b; ++r) {                                       \
            if (r == b) start = ticks();                                                            \
            EIGHT(EIGHT(asm volatile(LOAD " %0, [%0];" : "+l"(at) :: "memory");))                   \
        }                                                                                           \
        tell(out, start, ticks());                                                                  \
        if (at == 12345) *memory = 1;                                                               \
    }
CHASE(l1, "ld.global.ca.u64")
CHASE(l2, "ld.global.cg.u64")

__device__ __forceinline__ u32 next(u32 x) { return x * 1664525u + 1013904223u; }

// Times a load of each lane at `at`, and counts it if it takes longer than `c` cycles.
#define TIMED(LOAD)                                                                                 \
    u64 start = ticks();                                                                            \
    asm volatile(LOAD " %0, [%1];" : "=r"(value) : "l"(at) : "memory");                             \
    shared[lane] = value;                                                                           \
    __syncwarp();                                                                                   \
    got += shared[lane ^ 1];                                                                        \
    u64 took = ticks() - start;                                                                     \
    slow += took > c;                                                                               \
    cycles += took;

// One warp loads `a` lines, `b` times: how many loads of the last pass take longer than `c` cycles, and the cycles of all of it.
// d: 0 in order, 1 at random, 2 the last pass after stores to all lines, by the L2 in the first passes.
PROBE lines(ARGUMENTS) {
    u32 lane = threadIdx.x, slow = 0, x = 1, value, got = 0;
    u64 cycles = 0;
#pragma unroll 1
    for (u32 pass = 0; pass < b; ++pass) {
        bool last = pass + 1 == b;
        slow = 0;
        cycles = 0;
#pragma unroll 1
        for (u32 i = 0; i < a; ++i) {
            x = next(x);
            u32 line = d == 1 ? u32(u64(x) * a >> 32) : i;
            char *at = memory + u64(line) * 128 + 4 * lane;
            if (d == 2 && !last) { asm volatile("st.global.u32 [%0], %1;" :: "l"(at), "r"(lane) : "memory"); continue; }
            TIMED("ld.global.ca.u32")
        }
        if (d == 2 && !last) { u64 from = ticks(); while (ticks() - from < 20000) {} }
    }
    if (lane == 0) { out[2 * blockIdx.x] = slow; out[2 * blockIdx.x + 1] = cycles; }
    if (got == 12345) *(u32 *)memory = got;
}

// All multiprocessors of a set work `a` cycles on lines of their own, the others are idle. list[multiprocessor]: whether it is of the set;
// `b`: how many are; `c`: lines of a warp, a power of two. out[multiprocessor]: bytes; out[4095] counts those that have arrived.
__device__ __forceinline__ bool together(const u32 *list, u64 *out, u32 expected) {
    u32 id = multiprocessor();
    if (!list[id]) return false;
    if (threadIdx.x == 0) {
        u32 *arrived = (u32 *)(out + 4095);
        atomicAdd(arrived, 1);
        for (int i = 0; i < 1000000 && *(volatile u32 *)arrived < expected; ++i) {}
    }
    __syncthreads();
    return true;
}

enum { STORE, LOAD, BOTH, LOCAL, PART };

template <int KIND>
__device__ __forceinline__ void traffic(ARGUMENTS) {
    if (!together(list, out, b)) return;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = multiprocessor();
    float *own = (float *)memory + (u64(id) * 32 + warp) * c * 32 + lane;
    u32 x = id * 7919 + warp * 104729 + 1;
    float sum = lane, stack[64], v[8] = {};
    bool active = KIND != PART || lane % 8 < 4;
    u64 n = 0, end = ticks() + a;
    do {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x += 0x9e3779b9;
            u32 line = x >> 12 & (c - 1);
            if (KIND == STORE) own[line * 32] = sum;
            if (KIND == LOAD || KIND == BOTH && (k & 1)) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[k]) : "l"(own + line * 32));
            if (KIND == BOTH && !(k & 1)) own[line * 32] = lane;
            if (KIND == LOCAL) { stack[line] = sum; if ((x & 0xfff00000) == 0) sum += stack[x % 64]; }
            if (KIND == PART && active) own[line * 32] = sum;
        }
        if (KIND == LOAD || KIND == BOTH) for (int k = 0; k < 8; ++k) sum += v[k];
        n += 8;
    } while (ticks() < end);
    if (sum == 12345.f) *(float *)memory = sum;
    if (lane == 0) atomicAdd(out + id, n * 128);
}
PROBE traffic_store(ARGUMENTS) { traffic<STORE>(memory, list, out, a, b, c, d); }
PROBE traffic_load(ARGUMENTS) { traffic<LOAD>(memory, list, out, a, b, c, d); }
PROBE traffic_both(ARGUMENTS) { traffic<BOTH>(memory, list, out, a, b, c, d); }
PROBE traffic_local(ARGUMENTS) { traffic<LOCAL>(memory, list, out, a, b, c, d); }
PROBE traffic_part(ARGUMENTS) { traffic<PART>(memory, list, out, a, b, c, d); }

// All blocks read `a` MiB once.
PROBE stream(ARGUMENTS) {
    u32 sum = 0;
    u64 n = u64(a) << 16;
    for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8ull * gridDim.x * blockDim.x) {
        uint4 v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            u64 at = i + u64(k) * gridDim.x * blockDim.x;
            v[k] = at < n ? ((const uint4 *)memory)[at] : uint4{};
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (sum == 12345) *(u32 *)memory = sum;
}

// One warp loads `b` lines of `a` MiB at random, by the L2: out has those slower than `c` cycles, and all cycles.
PROBE sample_l2(ARGUMENTS) {
    u32 lane = threadIdx.x, x = 99, slow = 0, value, got = 0;
    u64 cycles = 0, n = u64(a) << 13;
#pragma unroll 1
    for (u32 i = 0; i < b; ++i) {
        x = next(x);
        const char *at = memory + (u64(x) * n >> 32) * 128 + 4 * lane;
        TIMED("ld.global.cg.u32")
    }
    if (lane == 0) { out[0] = slow; out[1] = cycles; }
    if (got == 12345) *(u32 *)memory = got;
}

// `a` warps load lines that the L1 holds, `b` rounds; the others stream lines from the L2, 1 or 4 loads in flight, until those are done.
template <int FLIGHT>
__device__ __forceinline__ void fill(ARGUMENTS) {
    __shared__ volatile u32 left;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    const char *stream = memory + (1 << 20);
    if (threadIdx.x == 0) left = a;
    __syncthreads();
#define QUAD(at) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(p), "=r"(q), "=r"(r), "=r"(s) : "l"(at) : "memory")
    u32 p, q, r, s;
    if (warp < a) {
        const char *mine = memory + 4096 * warp + 16 * lane;
        u64 start = 0;
#pragma unroll 1
        for (u32 round = 0; round < b + 4; ++round) {
            if (round == 4) start = ticks();
#pragma unroll
            for (int k = 0; k < 8; ++k) { QUAD(mine + 512 * ((k + round) & 7)); sum += p ^ q ^ r ^ s; }
        }
        u64 end = ticks();
        if (lane == 0) { atomicSub((u32 *)&left, 1); out[2 * warp] = start; out[2 * warp + 1] = end; }
    } else {
        u32 at = 131 * warp, lines = 0;
        u64 start = ticks();
        while (left > 0) {
#pragma unroll
            for (int k = 0; k < FLIGHT; ++k) { QUAD(stream + 512ull * ((at + k) & 0x7fff) + 16 * lane); sum += p ^ q ^ r ^ s; }
            at += FLIGHT + 977;
            lines += 4 * FLIGHT;
        }
        u64 end = ticks();
        if (lane == 0) { out[2 * warp] = end - start; out[2 * warp + 1] = lines; }
    }
    if (sum == 12345) *(u32 *)memory = sum;
}
PROBE fill_1(ARGUMENTS) { fill<1>(memory, list, out, a, b, c, d); }
PROBE fill_4(ARGUMENTS) { fill<4>(memory, list, out, a, b, c, d); }

PROBE empty(ARGUMENTS) {}

// Every block waits `a` cycles. out: of each, multiprocessor, slot of its first warp, start and end. All but the last store comes early,
// so that a block ends with its end.
PROBE blocks(ARGUMENTS) {
    u64 start = ticks(), end = start;
    u64 *mine = out + 4 * u64(blockIdx.x);
    bool first = threadIdx.x == 0;
    if (first) {
        u32 slot;
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
        mine[0] = multiprocessor(); mine[1] = slot; mine[2] = start;
    }
    while (end - start < a) end = ticks();
    if (first) mine[3] = end;
}

// `a` rounds of arithmetic on every multiprocessor. out: cycles and nanoseconds.
PROBE load(ARGUMENTS) {
    float x[8];
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    u64 from = nanoseconds(), start = ticks();
#pragma unroll 1
    for (u32 r = 0; r < a; ++r)
#pragma unroll
        for (int k = 0; k < 64; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[k % 8]));
    u64 end = ticks(), to = nanoseconds();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 12345.f) *(float *)memory = sum;
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = end - start; out[2 * blockIdx.x + 1] = to - from; }
}
