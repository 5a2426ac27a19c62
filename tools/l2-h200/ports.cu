// Which multiprocessors share a port to the L2: all store whole lines, then all but one TPC. Those that store more then share its port.
// usage: nvcc -O3 -arch=sm_90 ports.cu -o ports && ./ports > ports.csv
#include <cstdio>
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 arrived;

__global__ void __launch_bounds__(1024) work(float* data, const u32* member, u32 expected, long long cycles, u64* bytes) {
  extern __shared__ char whole_multiprocessor[];
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (!member[sm]) return;
  // All start together.
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1);
    for (int i = 0; i < 10000000 && *(volatile u32*)&arrived < expected; i++) {}
  }
  __syncthreads();
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = sm * 7919 + warp * 104729 + 1;
  float* own = data + (u64(sm) * 32 + warp) * 64 * 32 + lane;
  u64 n = 0;
  long long end = clock64() + cycles;
  do {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      x += 0x9e3779b9;
      own[((x >> 12) & 63) * 32] = x;
    }
    n += 8;
  } while (clock64() < end);
  if (lane == 0) atomicAdd(bytes + sm, n * 128);
}

static int n_sm;
static float* data; static u32* member; static u64* bytes;

/// Bytes per cycle and multiprocessor while all but some store.
static std::vector<double> stores(const std::vector<u32>& m) {
  const long long cycles = 200000;
  u32 zero = 0;
  std::vector<u64> b(n_sm);
  cudaMemcpy(member, m.data(), 4 * n_sm, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(arrived, &zero, 4);
  cudaMemset(bytes, 0, 8 * n_sm);
  work<<<n_sm, 1024, 120 << 10>>>(data, member, std::accumulate(m.begin(), m.end(), 0u), cycles, bytes);
  cudaMemcpy(b.data(), bytes, 8 * n_sm, cudaMemcpyDeviceToHost);
  std::vector<double> r(n_sm);
  for (int s = 0; s < n_sm; s++) r[s] = double(b[s]) / cycles;
  return r;
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  n_sm = device.multiProcessorCount;
  cudaMalloc(&data, 1ull << 30); cudaMalloc(&member, 4 * n_sm); cudaMalloc(&bytes, 8 * n_sm);
  cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  std::vector<u32> all(n_sm, 1);
  // The card at its clock.
  for (int i = 0; i < 300; i++) stores(all);
  std::vector<std::vector<double>> rows(n_sm / 2 + 1, std::vector<double>(n_sm));
  const int rounds = 5;
  for (int round = 0; round < rounds; round++) {
    for (int idle = -1; idle < n_sm / 2; idle++) {
      std::vector<u32> m = all;
      if (idle >= 0) m[2 * idle] = m[2 * idle + 1] = 0;
      std::vector<double> r = stores(m);
      for (int s = 0; s < n_sm; s++) rows[idle + 1][s] += r[s] / rounds;
    }
  }
  auto of_tpc = [&](int idle, int tpc) { return rows[idle + 1][2 * tpc] + rows[idle + 1][2 * tpc + 1]; };
  puts("tpc,bytes_per_cycle,first,gain,second,gain,third,gain");
  for (int idle = 0; idle < n_sm / 2; idle++) {
    std::vector<std::pair<double, int>> gains;
    for (int t = 0; t < n_sm / 2; t++) if (t != idle) gains.push_back({of_tpc(idle, t) - of_tpc(-1, t), t});
    std::sort(gains.rbegin(), gains.rend());
    printf("%d,%.1f", idle, of_tpc(-1, idle));
    for (int k = 0; k < 3; k++) printf(",%d,%.1f", gains[k].second, gains[k].first);
    puts("");
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
