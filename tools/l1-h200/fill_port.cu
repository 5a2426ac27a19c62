// Some warps load lines that the L1 holds as fast as it serves them, others stream lines from the L2: what does a filled line
// cost the hits?
// usage: fill_port > fill_port.csv
#include <cstdio>
typedef unsigned u32; typedef unsigned long long u64;
// `hitting` warps load 32 lines each again and again, the others `misses` lines in flight each from `stream`, until the hits are done.
template <int MISSES>
__global__ void mixed(const char *held, const char *stream, u32 hitting, u32 rounds, u32 mask, u64 *out, u32 *sink) {
    __shared__ volatile u32 left;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x == 0) left = hitting;
    __syncthreads();
    if (warp < hitting) {
        const char *mine = held + 4096 * warp + 16 * lane;
        u64 start = 0;
        // Other addresses in each round, which is not unrolled: the compiler makes loads of one address once.
#pragma unroll 1
        for (u32 round = 0; round < rounds + 4; ++round) {
            if (round == 4) start = clock64();
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                u32 a, b, c, d;
                asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(mine + 512 * ((k + round) & 7)) : "memory");
                sum += a ^ b ^ c ^ d;
            }
        }
        u64 end = clock64();
        if (lane == 0) { atomicSub((u32 *)&left, 1); out[2 * warp] = start; out[2 * warp + 1] = end; }
    } else {
        u32 at = 131 * warp, lines = 0;
        u64 start = clock64();
        while (left > 0) {
#pragma unroll
            for (int k = 0; k < MISSES; ++k) {
                u32 a, b, c, d;
                asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "l"(stream + 512ull * ((at + k) & mask) + 16 * lane) : "memory");
                sum += a ^ b ^ c ^ d;
            }
            at += MISSES + 977;
            lines += 4 * MISSES;
        }
        u64 end = clock64();
        if (lane == 0) { out[2 * warp] = end - start; out[2 * warp + 1] = lines; }
    }
    if (sum == 12345) *sink = sum;
}
int main() {
    char *held, *stream; u64 *out; u32 *sink;
    cudaMalloc(&held, 1 << 20); cudaMalloc(&stream, 1 << 24); cudaMallocManaged(&out, 8192); cudaMalloc(&sink, 4);
    cudaMemset(held, 0, 1 << 20); cudaMemset(stream, 0, 1 << 24);
    puts("hitting_warps,missing_warps,in_flight,hit_lines_per_cycle,missed_lines_per_cycle");
    for (u32 hitting : {4u, 8u, 16u}) for (u32 missing : {0u, 1u, 2u, 4u, 8u}) for (int flight : {1, 4}) for (int again = 0; again < 2; ++again) {
        u32 rounds = 4000;
        if (flight == 1) mixed<1><<<1, 32 * (hitting + missing)>>>(held, stream, hitting, rounds, (1 << 15) - 1, out, sink);
        else mixed<4><<<1, 32 * (hitting + missing)>>>(held, stream, hitting, rounds, (1 << 15) - 1, out, sink);
        cudaDeviceSynchronize();
        if (cudaGetLastError() != cudaSuccess) { fputs("failed\n", stderr); return 1; }
        if (!again) continue;
        u64 first = ~0ull, last = 0; double missed = 0;
        for (u32 w = 0; w < hitting; ++w) { first = out[2 * w] < first ? out[2 * w] : first; last = out[2 * w + 1] > last ? out[2 * w + 1] : last; }
        for (u32 w = hitting; w < hitting + missing; ++w) missed += double(out[2 * w + 1]) / out[2 * w];
        printf("%u,%u,%d,%.4f,%.4f\n", hitting, missing, flight, 32.0 * hitting * rounds / double(last - first), missed);
    }
}
