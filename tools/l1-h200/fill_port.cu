// Some warps load from lines that the L1 holds as fast as it serves them, others stream from the L2: what does a filled line or sector
// cost the hits? A load is of four whole lines, or of a word from each of 32 lines.
// usage: fill_port > fill_port.csv; fill_port words > fill_words.csv
#include <cstdio>
typedef unsigned u32; typedef unsigned long long u64;
// One load of a warp: 512 bytes at `from`, or a word from each of 32 lines at `from`.
template <bool WORDS> __device__ u32 load(const char *from, u32 lane, u32 turn) {
    u32 a, b, c, d;
    if (WORDS) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(from + 128 * lane + 4 * ((lane + turn) & 31)) : "memory");
        return a;
    }
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(from + 16 * lane) : "memory");
    return a ^ b ^ c ^ d;
}
// `hitting` warps load 32 lines each again and again, the others have `MISSES` loads in flight each from `stream`, until the hits are done.
template <int MISSES, bool HELD_WORDS, bool STREAM_WORDS>
__global__ void mixed(const char *held, const char *stream, u32 hitting, u32 rounds, u32 mask, u64 *out, u32 *sink) {
    __shared__ volatile u32 left;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x == 0) left = hitting;
    __syncthreads();
    if (warp < hitting) {
        const char *mine = held + 4096 * warp;
        u64 start = 0;
        // Other addresses in each round, which is not unrolled: the compiler makes loads of one address once.
#pragma unroll 1
        for (u32 round = 0; round < rounds + 4; ++round) {
            if (round == 4) start = clock64();
#pragma unroll
            for (int k = 0; k < 8; ++k)
                sum += load<HELD_WORDS>(HELD_WORDS ? mine : mine + 512 * ((k + round) & 7), lane, k + round);
        }
        u64 end = clock64();
        if (lane == 0) { atomicSub((u32 *)&left, 1); out[2 * warp] = start; out[2 * warp + 1] = end; }
    } else {
        u32 at = 131 * warp, lines = 0;
        u64 start = clock64();
        while (left > 0) {
#pragma unroll
            for (int k = 0; k < MISSES; ++k)
                sum += load<STREAM_WORDS>(stream + (STREAM_WORDS ? 4096ull : 512ull) * ((at + k) & mask), lane, 0);
            at += MISSES + 977;
            lines += (STREAM_WORDS ? 32 : 4) * MISSES;
        }
        u64 end = clock64();
        if (lane == 0) { out[2 * warp] = end - start; out[2 * warp + 1] = lines; }
    }
    if (sum == 12345) *sink = sum;
}
typedef void (*Kernel)(const char *, const char *, u32, u32, u32, u64 *, u32 *);
template <bool HELD_WORDS, bool STREAM_WORDS>
int measure(const char *held, const char *stream, u64 *out, u32 *sink) {
    Kernel kernels[] = {mixed<1, HELD_WORDS, STREAM_WORDS>, mixed<4, HELD_WORDS, STREAM_WORDS>};
    const u32 rounds = 4000, mask = (STREAM_WORDS ? 1 << 12 : 1 << 15) - 1, lines = HELD_WORDS ? 256 : 32;
    for (u32 hitting : {4u, 8u, 16u}) for (u32 missing : {0u, 1u, 2u, 4u, 8u}) for (int flight : {1, 4}) {
        for (int again = 0; again < 2; ++again) {
            kernels[flight == 4]<<<1, 32 * (hitting + missing)>>>(held, stream, hitting, rounds, mask, out, sink);
            cudaDeviceSynchronize();
        }
        if (cudaGetLastError() != cudaSuccess) { fputs("failed\n", stderr); return 1; }
        u64 first = ~0ull, last = 0; double missed = 0;
        for (u32 w = 0; w < hitting; ++w) { first = out[2 * w] < first ? out[2 * w] : first; last = out[2 * w + 1] > last ? out[2 * w + 1] : last; }
        for (u32 w = hitting; w < hitting + missing; ++w) missed += double(out[2 * w + 1]) / out[2 * w];
        const char *names[] = {"lines", "words"};
        printf("%s,%s,%u,%u,%d,%.4f,%.4f\n", names[HELD_WORDS], names[STREAM_WORDS], hitting, missing, flight, double(lines) * hitting * rounds / double(last - first), missed);
    }
    return 0;
}
int main(int given, char **) {
    char *held, *stream; u64 *out; u32 *sink;
    cudaMalloc(&held, 1 << 20); cudaMalloc(&stream, 1 << 24); cudaMallocManaged(&out, 8192); cudaMalloc(&sink, 4);
    cudaMemset(held, 0, 1 << 20); cudaMemset(stream, 0, 1 << 24);
    puts("held,streamed,hitting_warps,missing_warps,in_flight,hit_lines_per_cycle,missed_lines_per_cycle");
    if (given == 1) return measure<false, false>(held, stream, out, sink);
    return measure<false, true>(held, stream, out, sink) || measure<true, true>(held, stream, out, sink) || measure<true, false>(held, stream, out, sink);
}
