// Cycles of a barrier by warps of a block. usage: barrier > barrier.csv
#include <cstdio>
template <int WORK> __global__ void barrier(long long* told, float* out) {
  float f = threadIdx.x;
  __syncthreads();
  long long start = clock64();
  for (int r = 0; r < 100; r++) {
#pragma unroll
    for (int k = 0; k < 16; k++) {
      for (int w = 0; w < WORK; w++) f = f * 1.0001f + 1.f;
      __syncthreads();
    }
  }
  long long cycles = clock64() - start;
  if (threadIdx.x == 0) told[blockIdx.x] = cycles;
  out[threadIdx.x] = f;
}
int main() {
  long long *told, t; float* out;
  cudaMalloc(&told, 8192); cudaMalloc(&out, 8192);
  puts("work,warps,cycles");
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    barrier<0><<<1, 32 * warps>>>(told, out); cudaMemcpy(&t, told, 8, cudaMemcpyDeviceToHost); printf("0,%d,%.2f\n", warps, t / 1600.0);
    barrier<4><<<1, 32 * warps>>>(told, out); cudaMemcpy(&t, told, 8, cudaMemcpyDeviceToHost); printf("4,%d,%.2f\n", warps, t / 1600.0);
    barrier<16><<<1, 32 * warps>>>(told, out); cudaMemcpy(&t, told, 8, cudaMemcpyDeviceToHost); printf("16,%d,%.2f\n", warps, t / 1600.0);
  }
}
