// On which multiprocessor the blocks of a grid start, with so many resident on each, and which get the places that are free later.
// usage: nvcc -arch=sm_90 blocks.cu -o blocks && ./blocks > blocks.csv
#include <cstdio>
#include <vector>
typedef unsigned u32;

// Blocks run for 100 us; those of the first wave whose number is in `longer` a fourth of the places longer, one after the other.
__global__ void __launch_bounds__(1024) where(u32* sm, unsigned long long* start, int staggered) {
  if (threadIdx.x == 0) {
    u32 id;
    unsigned long long now, from;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    sm[blockIdx.x] = id;
    start[blockIdx.x] = from;
    unsigned long long longest = 100000 + (staggered ? blockIdx.x * 37 % 97 * 2000 : 0);
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - from < longest);
  }
}

int main() {
  u32* sm; unsigned long long* start;
  cudaMalloc(&sm, 1 << 20); cudaMalloc(&start, 1 << 20);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int n = device.multiProcessorCount;
  puts("resident,threads,staggered,block,multiprocessor,nanoseconds");
  for (int staggered : {0, 1})
    for (int threads : {1024, 512, 256, 64}) {
      int resident = threads == 64 ? 32 : 2048 / threads, blocks = n * resident * (staggered ? 2 : 1);
      for (int round = 0; round < 2; round++) where<<<blocks, threads>>>(sm, start, staggered);
      std::vector<u32> of(blocks); std::vector<unsigned long long> at(blocks);
      cudaMemcpy(of.data(), sm, 4 * blocks, cudaMemcpyDeviceToHost);
      cudaMemcpy(at.data(), start, 8 * blocks, cudaMemcpyDeviceToHost);
      unsigned long long first = at[0];
      for (auto t : at) if (t < first) first = t;
      for (int b = 0; b < blocks; b++) printf("%d,%d,%d,%d,%u,%llu\n", resident, threads, staggered, b, of[b], at[b] - first);
    }
  return cudaDeviceSynchronize() != cudaSuccess;
}
