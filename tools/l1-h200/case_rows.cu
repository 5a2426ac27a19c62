// Loads rows of lines that lie a stride apart again and again, as an interpreter loads rows of fitness cases, and counts
// loads that miss the L1 by the clock.
// usage: case_rows > case_rows.csv
#include <cstdio>
#include <cstdint>
typedef unsigned u32; typedef unsigned long long u64;
// Each warp visits rows in order or in an order of its own; of a row its own `lines` lines, by 128-bit loads (four lines each).
__global__ void rows(const char *base, u32 n_rows, u64 stride, u32 lines, u32 random_order, u32 visits, u32 warm, u32 threshold, u32 *out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const char *mine = base + 128ull * lines * warp + 16 * lane;
    u32 random = 12345 + 2654435761u * (warp + 1), slow = 0, loads = 0, sum = 0;
    for (u32 visit = 0; visit < visits; ++visit) {
        random = random * 1664525u + 1013904223u;
        u32 row = random_order ? ((random >> 8) * (u64)n_rows) >> 24 : visit % n_rows;
        for (u32 part = 0; part < lines / 4; ++part) {
            const char *at = mine + stride * row + 512 * part;
            u32 a, b, c, d; u64 t0, t1;
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(t0) :: "memory");
            asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at) : "memory");
            sum += a + b + c + d;
            asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(4 * threadIdx.x), "r"(sum) : "memory");
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(t1) :: "memory");
            if (visit >= warm) { ++loads; slow += t1 - t0 > threshold; }
        }
    }
    if (lane == 0) { out[2 * warp] = loads; out[2 * warp + 1] = slow; }
}
int main() {
    char *base; u32 *out;
    cudaMalloc(&base, 1ull << 30); cudaMallocManaged(&out, 8192);
    cudaMemset(base, 0, 1ull << 30);
    cudaFuncSetAttribute(rows, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
    fprintf(stderr, "base %p\n", base);
    puts("warps,rows,stride_lines,offset_lines,lines_per_warp,random_order,loads,slow");
    for (u32 warps : {1u, 8u})
    for (u32 random_order : {0u, 1u})
    for (u32 stride : {1024u, 1031u, 1856u, 1824u})
    for (u32 offset : {0u, 0x400u, 0x1400u, 0x4000u, 0x8000u, 0x100000u})
    for (u32 n : {8u, 12u, 16u, 20u, 21u, 24u}) {
        u32 lines = 64 / warps;
        u32 visits = warps == 1 ? 40 * n : 60 * n, warm = 10 * n;
        rows<<<1, 32 * warps, 4096>>>(base + 128ull * offset, n, 128ull * stride, lines, random_order, visits, warm, warps == 1 ? 140 : 220, out);
        cudaDeviceSynchronize();
        if (cudaGetLastError() != cudaSuccess) { fputs("failed\n", stderr); return 1; }
        u64 loads = 0, slow = 0;
        for (u32 w = 0; w < warps; ++w) { loads += out[2 * w]; slow += out[2 * w + 1]; }
        printf("%u,%u,%u,%u,%u,%u,%llu,%llu\n", warps, n, stride, offset, lines, random_order, loads, slow);
    }
}
