// How many bytes a multiprocessor stores to, or loads from, the L2 in a cycle, alone and with others at work.
// Every multiprocessor of a set works for the same time on lines of its own that the L2 holds; the others are idle.
// usage: nvcc -O3 -arch=sm_90 bandwidth.cu -o bandwidth && ./bandwidth > bandwidth.csv
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;
enum { STORE, LOAD, BOTH, LOCAL };

__device__ u32 arrived;

template <int KIND>
__global__ void __launch_bounds__(1024) work(float4* data, const u32* member, u32 expected, u32 lines, long long cycles, int think, u64* bytes, float* out) {
  extern __shared__ char big[];
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (!member[sm]) return;
  // All of the set start together.
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1);
    for (int i = 0; i < 10000000 && *(volatile u32*)&arrived < expected; i++) {}
  }
  __syncthreads();
  u32 warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  float* own = (float*)data + (u64(sm) * warps + warp) * lines * 32 + lane;
  u32 x = sm * 7919 + warp * 104729 + 1;
  float sum = lane, a = lane;
  u64 n = 0;
  float stack[64];
  float v[8] = {};
  long long end = clock64() + cycles;
  do {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      x += 0x9e3779b9;
      u32 line = (x >> 12) & (lines - 1);
      if (KIND == STORE) own[line * 32] = sum;
      if (KIND == LOAD) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[k]) : "l"(own + line * 32));
      if (KIND == BOTH) {
        if (k & 1) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[k]) : "l"(own + line * 32));
        else own[line * 32] = lane;
      }
      if (KIND == LOCAL) { stack[line] = a; if ((x & 0xfff00000) == 0) sum += stack[x % 64]; }
      for (int t = 0; t < think; t++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
    }
    if (KIND == LOAD || KIND == BOTH) for (int k = 0; k < 8; k++) sum += v[k];
    n += 8;
  } while (clock64() < end);
  out[(sm * warps + warp) * 32 + lane] = sum + a + big[lane % 4];
  if (lane == 0) atomicAdd(bytes + sm, n * 128);
}

static int n_sm;
static float4* data; static u32* member; static u64* bytes; static float* out;

template <int KIND>
static void measure(const char* kind, const char* set, const std::vector<int>& sms, int threads, u32 lines, int think, bool each) {
  std::vector<u32> m(n_sm);
  for (int s : sms) m[s] = 1;
  cudaMemcpy(member, m.data(), 4 * n_sm, cudaMemcpyHostToDevice);
  const long long cycles = 300000;
  u32 zero = 0;
  std::vector<u64> b(n_sm);
  for (int round = 0; round < 2; round++) {
    cudaMemcpyToSymbol(arrived, &zero, 4);
    cudaMemset(bytes, 0, 8 * n_sm);
    cudaFuncSetAttribute(work<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
    work<KIND><<<n_sm, threads, 120 << 10>>>(data, member, sms.size(), lines, cycles, think, bytes, out);
    cudaMemcpy(b.data(), bytes, 8 * n_sm, cudaMemcpyDeviceToHost);
  }
  std::vector<double> r;
  for (int s : sms) r.push_back(double(b[s]) / cycles);
  double sum = 0;
  for (double v : r) sum += v;
  printf("%s,%s,%zu,%d,%u,%d,%.2f,%.2f,%.2f\n", kind, set, sms.size(), threads / 32, lines, think, sum / r.size(), *std::min_element(r.begin(), r.end()), *std::max_element(r.begin(), r.end()));
  if (each) for (size_t i = 0; i < sms.size(); i++) printf("%s,%s/sm%d,%zu,%d,%u,%d,%.2f,,\n", kind, set, sms[i], sms.size(), threads / 32, lines, think, r[i]);
}

template <int KIND>
static void sets(const char* kind, int threads, u32 lines, int think) {
  auto range = [](int from, int n, int step) { std::vector<int> v; for (int i = 0; i < n; i++) v.push_back(from + i * step); return v; };
  measure<KIND>(kind, "one", range(0, 1, 1), threads, lines, think, false);
  measure<KIND>(kind, "a TPC", range(0, 2, 1), threads, lines, think, false);
  for (int n : {2, 4, 8, 16, 33, 66}) measure<KIND>(kind, "one of each TPC", range(0, n, 2), threads, lines, think, false);
    for (int n : {8, 16, 33, 66, 80, 99, 115}) measure<KIND>(kind, "first", range(0, n, 1), threads, lines, think, false);
  measure<KIND>(kind, "all", range(0, n_sm, 1), threads, lines, think, think == 0 && lines == 64);
  srand(1);
  for (int n : {8, 16, 33, 66, 99}) {
    std::vector<int> v = range(0, n_sm, 1);
    for (int i = n_sm - 1; i > 0; i--) std::swap(v[i], v[rand() % (i + 1)]);
    v.resize(n);
    measure<KIND>(kind, "random", v, threads, lines, think, false);
  }
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  n_sm = device.multiProcessorCount;
  cudaMalloc(&data, 1ull << 30); cudaMalloc(&member, 4 * n_sm); cudaMalloc(&bytes, 8 * n_sm); cudaMalloc(&out, 1 << 24);
  cudaMemset(data, 0, 1ull << 30);
  puts("kind,set,multiprocessors,warps,lines_per_warp,operations_between,bytes_per_cycle,least,most");
  // The card at its clock.
  for (int i = 0; i < 200; i++) { u32 zero = 0; cudaMemcpyToSymbol(arrived, &zero, 4); std::vector<u32> m(n_sm, 1); cudaMemcpy(member, m.data(), 4 * n_sm, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(work<STORE>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
    work<STORE><<<n_sm, 1024, 120 << 10>>>(data, member, n_sm, 64, 3000000, 0, bytes, out); cudaDeviceSynchronize(); }
  for (u32 lines : {64u, 8u}) {
    sets<STORE>("store", 1024, lines, 0);
    sets<LOAD>("load", 1024, lines, 0);
    sets<BOTH>("both", 1024, lines, 0);
  }
  for (u32 lines : {64u, 16u, 4u}) sets<LOCAL>("local", 1024, lines, 0);
  sets<LOCAL>("local", 512, 64, 0);
  sets<LOCAL>("local", 256, 64, 0);
  for (int think : {2, 4, 8}) sets<LOCAL>("local", 1024, 64, think);
  for (int think : {4, 8, 16}) sets<STORE>("store", 1024, 64, think);
  sets<STORE>("store", 256, 64, 0);
  sets<LOAD>("load", 256, 64, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
