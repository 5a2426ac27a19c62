// What does a branch at which lanes diverge cost a warp, beside the instructions of both paths?
// usage: nvcc -arch=sm_90 divergence.cu -o divergence && ./divergence > divergence.csv
#include <cstdio>
typedef unsigned u32;
typedef unsigned long long u64;
// `WAYS` paths of K dependent multiply-adds each; a lane takes the path that its key names.
template <int K> __device__ __forceinline__ void chain(float &a) {
#pragma unroll
  for (int k = 0; k < K; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
}
template <int WAYS, int K>
__global__ void run(const u32 *keys, int rounds, u64 *cycles, float *out) {
  u32 key = keys[threadIdx.x];
  float a = threadIdx.x;
  u64 start = 0;
#pragma unroll 1
  for (int r = 0; r < rounds + 16; r++) {
    if (r == 16) start = clock64();
    asm volatile("" : "+r"(key));
    if (key == 0) { chain<K>(a); asm volatile("mov.b32 %0, %0; // 0" : "+f"(a)); }
    else if (WAYS > 2 && key == 1) { chain<K>(a); asm volatile("mov.b32 %0, %0; // 1" : "+f"(a)); }
    else if (WAYS > 2 && key == 2) { chain<K>(a); asm volatile("mov.b32 %0, %0; // 2" : "+f"(a)); }
    else { chain<K + 1>(a); }
    __syncwarp();
  }
  u64 end = clock64();
  if (threadIdx.x == 0) *cycles = end - start;
  out[threadIdx.x] = a;
}
template <int WAYS, int K> void measure(u32 *keys, u64 *cycles, float *out) {
  const int rounds = 20000;
  for (int split = 0; split <= WAYS; split++) {
    // All lanes take path `split`; the last time the lanes take all paths in turn.
    for (int i = 0; i < 32; i++) keys[i] = split < WAYS ? (split == WAYS - 1 ? 9 : split) : (i % WAYS == WAYS - 1 ? 9 : i % WAYS);
    for (int again = 0; again < 2; again++) { run<WAYS, K><<<1, 32>>>(keys, rounds, cycles, out); cudaDeviceSynchronize(); }
    printf("%d,%d,%d,%.2f\n", WAYS, K, split < WAYS ? split : -1, double(*cycles) / rounds);
  }
}
int main() {
  u32 *keys; u64 *cycles; float *out;
  cudaMallocManaged(&keys, 128); cudaMallocManaged(&cycles, 8); cudaMalloc(&out, 128);
  puts("ways,instructions,path,cycles_per_round");
  measure<2, 8>(keys, cycles, out); measure<2, 16>(keys, cycles, out); measure<2, 32>(keys, cycles, out);
  measure<4, 8>(keys, cycles, out); measure<4, 16>(keys, cycles, out); measure<4, 32>(keys, cycles, out);
}
