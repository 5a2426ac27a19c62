// How many memory instructions a scheduler takes before it holds warps: every warp issues loads one after the other and reads the
// clock before each. Once the queue is full, clocks are as far apart as loads are served.
// usage: nvcc -arch=sm_90 queues.cu -o queues && ./queues > queues.csv
#include <cstdio>
#include <vector>
typedef unsigned u32;
const int LOADS = 40;

#define CLOCK(to) asm volatile("mov.u32 %0, %%clock;" : "=r"(to) :: "memory")

template <int KIND>
__global__ void __launch_bounds__(1024) queue(u32* data, u32* clocks, u32* out) {
  extern __shared__ u32 shared[];
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) shared[i] = i;
  u32 at = u32(__cvta_generic_to_shared(shared)) + 4 * (KIND == 0 ? 32 * lane : lane);
  u32* global = data + (KIND == 2 ? 32 * lane : lane);
  u32 times[LOADS], values[LOADS];
#pragma unroll 1
  for (int round = 0; round < 3; round++) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      CLOCK(times[k]);
      if (KIND < 2) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(values[k]) : "r"(at) : "memory");
      else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(values[k]) : "l"(global) : "memory");
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) sum += values[k];
  }
  if (lane == 0)
    for (int k = 0; k < LOADS; k++) clocks[warp * LOADS + k] = times[k];
  out[threadIdx.x] = sum;
}

template <int KIND>
static void run(const char* kind, u32* data, u32* clocks, u32* out) {
  for (int warps : {1, 4, 8, 16, 32}) {
    queue<KIND><<<1, 32 * warps, 4096>>>(data, clocks, out);
    std::vector<u32> told(warps * LOADS);
    cudaMemcpy(told.data(), clocks, 4 * told.size(), cudaMemcpyDeviceToHost);
    u32 start = told[0];
    for (int w = 0; w < warps; w++) if (int(told[w * LOADS] - start) < 0) start = told[w * LOADS];
    for (int w = 0; w < warps; w++)
      for (int k = 0; k < LOADS; k++) printf("%s,%d,%d,%d,%u\n", kind, warps, w, k, told[w * LOADS + k] - start);
  }
}

int main() {
  u32 *data, *clocks, *out;
  cudaMalloc(&data, 1 << 20); cudaMalloc(&clocks, 1 << 20); cudaMalloc(&out, 1 << 20);
  cudaMemset(data, 0, 1 << 20);
  puts("kind,warps,warp,load,cycles");
  run<0>("shared, one bank", data, clocks, out);
  run<1>("shared", data, clocks, out);
  run<2>("global, 32 lines", data, clocks, out);
  run<3>("global, one line", data, clocks, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
