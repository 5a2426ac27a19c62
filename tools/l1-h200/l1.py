#!/usr/bin/env python3
"""Runs the experiments of experiments.py on the GPU, or on a model of its L1. usage: l1.py --help"""

import argparse
import csv
import os
import sys
import time

import experiments
from gpu import Gpu
from model import Model, POLICIES


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cubin", default="kernels.cubin")
    parser.add_argument("--model", choices=POLICIES, help="a model instead of the GPU")
    parser.add_argument("--sets", type=int, default=4, help="of the model")
    parser.add_argument("--out", default=".", help="folder of the CSV files")
    parser.add_argument("experiments", nargs="*", help="all of them if none is named: " + ", ".join(experiments.ALL))
    args = parser.parse_args()
    machine = Model(args.model, args.sets) if args.model else Gpu(args.cubin)
    os.makedirs(args.out, exist_ok=True)
    for name in args.experiments or experiments.ALL:
        started, rows = time.time(), 0
        with open(os.path.join(args.out, name.replace("_", "-") + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            try:
                for row in experiments.ALL[name](machine):
                    out.writerow(row)
                    rows += 1
            except Exception as error:  # what there is stays; the other experiments run
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{name}: {rows} rows, {time.time() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
