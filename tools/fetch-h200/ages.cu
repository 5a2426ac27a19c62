// Who is served first: an older block or a younger one? Every multiprocessor has two places; the first block of each runs ten times as
// long as all others, which follow one another in the second place. Instructions never wait, so the one that is preferred gets all slots.
// usage: nvcc -arch=sm_90 ages.cu -o ages && ./ages > ages.csv
#include <cstdio>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;

template <int KIND>
__global__ void __launch_bounds__(1024) run(u32* sm, u64* from, u64* to, float* out, int n_long, int rounds) {
  __shared__ int chain[32];
  if (threadIdx.x < 32) chain[threadIdx.x] = threadIdx.x * 5 & 31;
  int at = threadIdx.x & 31;
  __syncthreads();
  u64 start = clock64();
  float a[8];
  for (int i = 0; i < 8; i++) a[i] = i;
  int n = rounds * (int(blockIdx.x) < n_long ? 10 : 1);
  for (int r = 0; r < n; r++) {
    if (KIND == 0) {
#pragma unroll
      for (int k = 0; k < 256; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a[k % 8]));
    } else {
#pragma unroll
      for (int k = 0; k < 16; k++) at = chain[at];
    }
  }
  u64 end = clock64();
  float sum = at;
  for (int i = 0; i < 8; i++) sum += a[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[warp]));
    from[warp] = start; to[warp] = end;
  }
}

template <int KIND>
static void measure(const char* kind, int n_sm, int threads, u32* sm, u64* from, u64* to, float* out, int rounds) {
  int resident = 2048 / threads, blocks = n_sm * (resident + 10), warps = blocks * threads / 32;
  run<KIND><<<blocks, threads>>>(sm, from, to, out, n_sm, rounds);
  std::vector<u32> s(warps); std::vector<u64> f(warps), t(warps);
  cudaMemcpy(s.data(), sm, 4 * warps, cudaMemcpyDeviceToHost);
  cudaMemcpy(f.data(), from, 8 * warps, cudaMemcpyDeviceToHost);
  cudaMemcpy(t.data(), to, 8 * warps, cudaMemcpyDeviceToHost);
  // One multiprocessor: the one of the first block.
  u64 first = ~0ull;
  for (int w = 0; w < warps; w++) if (s[w] == s[0] && f[w] < first) first = f[w];
  for (int w = 0; w < warps; w++)
    if (s[w] == s[0]) printf("%s,%d,%d,%d,%llu,%llu\n", kind, threads, w * 32 / threads, w % (threads / 32), f[w] - first, t[w] - first);
}

int main() {
  u32* sm; u64 *from, *to; float* out;
  cudaMalloc(&sm, 1 << 22); cudaMalloc(&from, 1 << 22); cudaMalloc(&to, 1 << 22); cudaMalloc(&out, 1 << 24);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  puts("kind,threads,block,warp,start,end");
  for (int threads : {1024, 256}) {
    measure<0>("independent", device.multiProcessorCount, threads, sm, from, to, out, 100);
    measure<1>("shared", device.multiProcessorCount, threads, sm, from, to, out, 100);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
