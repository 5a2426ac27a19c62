#!/usr/bin/env python3
"""Runs the experiments of experiments.py on the GPU, or on a model of its L1. usage: l1.py --help"""

import argparse
import csv
import os
import sys
import time

import experiments
from gpu import Gpu
from model import MODELS, Machine


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cubin", default="kernels.cubin")
    parser.add_argument("--model", choices=[m.__name__ for m in MODELS], help="a model instead of the GPU")
    parser.add_argument("--out", default=".", help="folder of the CSV files")
    parser.add_argument("experiments", nargs="*", help="all of them if none is named: " + ", ".join(experiments.ALL) + "; and check, for a profiler")
    args = parser.parse_args()
    machine = Machine(next(m for m in MODELS if m.__name__ == args.model)) if args.model else Gpu(args.cubin)
    os.makedirs(args.out, exist_ok=True)
    for name in args.experiments or experiments.ALL:
        started, rows = time.time(), 0
        with open(os.path.join(args.out, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            try:
                for row in experiments.NAMED[name](machine):
                    out.writerow(row)
                    rows += 1
            except Exception as error:  # what there is stays; the other experiments run
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{name}: {rows} rows, {time.time() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
