#!/usr/bin/env python3
"""Writes handlers behind a jump table, and the program that times random visits to them by 1 to all multiprocessors, and builds it.
usage: shared.py FOLDER && FOLDER/shared > shared.csv    (nvcc for compute capability 9.0)
       ncu --csv --metrics gcc__cache_requests_type_instruction.sum,gcc__cache_requests_type_instruction_lookup_miss.sum FOLDER/shared > ncu.csv"""

import os
import sys

from fetch import build, handlers

# Instructions of a handler, and how many handlers there are: 64 KB of code, and 40 KB.
HANDLERS = [(7, 512), (23, 170), (55, 73), (119, 34), (23, 106), (55, 45)]
# Visits between the starts of two blocks: 0, all do the same at the same time.
APART = [0, 61]
ROUNDS = 4096

MAIN = """
#include <cstdio>
#include <random>
#include <vector>
typedef void (*Kernel)(const unsigned short*, int, long long*, float*);
%%s
static unsigned short* list; static long long* cycles; static float* out;
static void run(Kernel kernel, int instructions, int handlers, int apart) {
  std::mt19937 random(7);
  std::vector<unsigned short> order(8192);
  for (auto& op : order) op = random() %%%% handlers;
  cudaMemcpy(list, order.data(), 16384, cudaMemcpyHostToDevice);
  for (int blocks : {1, 2, 16, 66, 132}) for (int warps : {1, 4, 8, 16, 32}) {
    kernel<<<blocks, 32 * warps>>>(list, %d, cycles, out);
    std::vector<long long> told(64);
    cudaMemcpy(told.data(), cycles, 512, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int w = 0; w < warps; w++) sum += told[32 + w] - told[w];
    if (cudaGetLastError() != cudaSuccess) { fputs("failed\\n", stderr); return; }
    printf("%%%%d,%%%%d,%%%%d,%%%%d,%%%%d,%%%%.3f\\n", instructions, handlers, apart, blocks, warps, sum / warps / %d);
  }
}
int main() {
  cudaMalloc(&list, 16384); cudaMalloc(&cycles, 8192); cudaMalloc(&out, 8192);
  puts("instructions,handlers,apart,blocks,warps,cycles");
%%s}
""" % (ROUNDS, ROUNDS)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    variants = [(m, h, apart) for m, h in HANDLERS for apart in APART]
    kernels = [handlers(*variant) for variant in variants]
    runs = [f"run({name}, {m}, {h}, {apart});" for (name, _), (m, h, apart) in zip(kernels, variants)]
    build(folder, "shared", kernels, MAIN, runs)


main(sys.argv[1])
