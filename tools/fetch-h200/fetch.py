#!/usr/bin/env python3
"""Writes kernels of straight code, of handlers behind a jump table and of branches, and the program that times them, and builds it.
usage: fetch.py FOLDER && FOLDER/fetch > fetch.csv       (nvcc for compute capability 9.0; kernels are compiled in parallel)"""

import os
import subprocess
import sys

STRAIGHT = [64, 128, 256, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 9216, 12288, 16384]
# Instructions of a handler, and how many handlers there are.
HANDLERS = [(m, kib * 64 // (m + 1)) for m in (7, 23, 55, 119) for kib in (1, 2, 3, 4, 6, 8, 12, 16, 24, 28, 32, 40, 48, 64, 96, 128, 160, 256) if kib * 64 // (m + 1) >= 2]
SHARING = ["independent", "chain", "shared"]
REGISTERS = 8


def instruction(i, n):
    """One of a kind: equal handlers would be merged."""
    a = i % REGISTERS
    return f'"fma.rn.f32 %{a}, %{a}, 0f3F80{n:04X}, %{a};\\n"'


def block(count, first):
    lines = " ".join(instruction(i, first + i) for i in range(count))
    outs = ", ".join(f'"+f"(a{i})' for i in range(REGISTERS))
    return f"asm volatile({lines} : {outs});"


DECLARE = "".join(f"float a{i} = {i};" for i in range(REGISTERS))
TOTAL = " + ".join(f"a{i}" for i in range(REGISTERS))
ARGUMENTS = "(const unsigned short* list, int rounds, long long* cycles, float* out)"
END = (f" if (threadIdx.x % 32 == 0 && blockIdx.x == 0) cycles[threadIdx.x / 32] = start, cycles[32 + threadIdx.x / 32] = clock64();"
       f" out[threadIdx.x] = {TOTAL}; }}")


def straight(n):
    return f"straight_{n}", (f"{DECLARE} long long start = 0; for (int r = -1; r < rounds; r++) {{ if (r == 0) start = clock64(); {block(n, 0)} }}" + END)


def handlers(m, h, apart=0):
    """All in one statement, behind an indirect branch; each ends with a branch to the loop. Blocks begin `apart` visits apart."""
    body = "".join(f'"L{i}_%=:\\n" ' + " ".join(instruction(k, i * m + k) for k in range(m)) + ' "bra.uni DONE_%=;\\n" ' for i in range(h))
    targets = ", ".join(f"L{i}_%=" for i in range(h))
    outs = ", ".join(f'"+f"(a{i})' for i in range(REGISTERS))
    return f"handlers_{m}_{h}_{apart}", (
        f"{DECLARE} __shared__ unsigned short ops[8192]; for (int i = threadIdx.x; i < 8192; i += blockDim.x) ops[i] = list[i]; __syncthreads();"
        f" long long start = 0; unsigned at = threadIdx.x / 32 * 997 + blockIdx.x * {apart};"
        f" for (int r = -4096; r < rounds; r++) {{ if (r == 0) start = clock64(); unsigned op = ops[at++ & 8191];"
        f' asm volatile("{{ T_%=: .branchtargets {targets};\\n brx.idx.uni %{REGISTERS}, T_%=;\\n" {body} "DONE_%=: }}" : {outs} : "r"(op)); }}' + END)


def sharing(kind):
    """Warps that start together and do the same: when does which end?"""
    step = {"independent": block(256, 0),
            "chain": "asm volatile(" + " ".join('"fma.rn.f32 %0, %0, 0f3F800001, %0;\\n"' for _ in range(64)) + ' : "+f"(a0));',
            "shared": "for (int k = 0; k < 16; k++) at = chain[at];"}[kind]
    return f"sharing_{kind}", (
        f"{DECLARE} __shared__ int chain[32]; if (threadIdx.x < 32) chain[threadIdx.x] = threadIdx.x * 5 & 31; int at = threadIdx.x & 31; __syncthreads();"
        f" long long start = clock64(); for (int r = 0; r < rounds; r++) {{ {step} }}"
        f" if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = start, cycles[32 + threadIdx.x / 32] = clock64(); out[threadIdx.x] = {TOTAL} + at; }}")


MAIN = """
#include <cstdio>
#include <random>
#include <vector>
typedef void (*Kernel)(const unsigned short*, int, long long*, float*);
%s
static unsigned short* list; static long long* cycles; static float* out;
static void share(const char* kind, Kernel kernel, int rounds) {
  for (int warps : {8, 16, 32}) {
    kernel<<<1, 32 * warps>>>(list, rounds, cycles, out);
    std::vector<long long> told(64);
    cudaMemcpy(told.data(), cycles, 512, cudaMemcpyDeviceToHost);
    for (int warp = 0; warp < warps; warp++) printf("%%s,%%d,,%%d,%%lld,\\n", kind, warp, warps, told[32 + warp] - told[warp]);
  }
}
static void run(const char* kind, Kernel kernel, int instructions, int handlers, int rounds) {
  std::mt19937 random(7);
  std::vector<unsigned short> order(8192);
  for (auto& op : order) op = handlers > 1 ? random() %% handlers : 0;
  cudaMemcpy(list, order.data(), 16384, cudaMemcpyHostToDevice);
  for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
    // 64: two blocks of 32 on every multiprocessor, of which the first is told.
    int n = warps == 64 ? 32 : warps;
    kernel<<<warps == 64 ? 264 : 1, 32 * n>>>(list, rounds, cycles, out);
    std::vector<long long> told(64);
    cudaMemcpy(told.data(), cycles, 512, cudaMemcpyDeviceToHost);
    double sum = 0; long long first = told[0], last = told[32];
    for (int w = 0; w < n; w++) {
      sum += told[32 + w] - told[w];
      if (told[w] < first) first = told[w];
      if (told[32 + w] > last) last = told[32 + w];
    }
    if (cudaGetLastError() != cudaSuccess) { fprintf(stderr, "%%s failed\\n", kind); return; }
    printf("%%s,%%d,%%d,%%d,%%.3f,%%.3f\\n", kind, instructions, handlers, warps, sum / n / rounds, double(last - first) / rounds);
  }
}
int main() {
  cudaMalloc(&list, 16384); cudaMalloc(&cycles, 8192); cudaMalloc(&out, 8192);
  puts("kind,instructions,handlers,warps,cycles,span");
%s}
"""


def main(folder):
    os.makedirs(folder, exist_ok=True)
    kernels, runs = [], []
    for n in STRAIGHT:
        kernels.append(straight(n))
        runs.append(f'run("straight", {kernels[-1][0]}, {n}, 0, {max(20, 200000 // n)});')
    for m, h in HANDLERS:
        kernels.append(handlers(m, h))
        runs.append(f'run("handlers", {kernels[-1][0]}, {m}, {h}, 8192);')
    for kind in SHARING:
        kernels.append(sharing(kind))
        runs.append(f'share("sharing {kind}", {kernels[-1][0]}, 1000);')
    build(folder, "fetch", kernels, MAIN, runs)


def build(folder, program, kernels, main, runs):
    """Compiles kernels in parallel, and the program that times them."""
    names = []
    for name, body in kernels:
        names.append(name)
        open(f"{folder}/{name}.cu", "w").write(f"__global__ void __launch_bounds__(1024) {name}{ARGUMENTS} {{ {body}\n")
    names.append("main")
    declared = "".join(f"__global__ void {name}{ARGUMENTS};\n" for name, _ in kernels)
    open(f"{folder}/main.cu", "w").write(main % (declared, "".join(f"  {run}\n" for run in runs)))
    # The largest first.
    names.sort(key=lambda name: -os.path.getsize(f"{folder}/{name}.cu"))
    waiting, running = names[:], []
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 4):
            name = waiting.pop(0)
            running.append(subprocess.Popen(["nvcc", "-arch=sm_90", "-O1", "-c", f"{folder}/{name}.cu", "-o", f"{folder}/{name}.o"]))
        if running.pop(0).wait():
            sys.exit("nvcc failed")
    subprocess.run(["nvcc", "-arch=sm_90", "-o", f"{folder}/{program}"] + [f"{folder}/{name}.o" for name in names], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
