"""The same programs on the same number of cases, evaluated by warpstack and by its peers, one after the other, round after round.

Counts: nodes of all programs times cases, divided by the shortest time of the rounds: other work on the machine only ever adds. Operon divides without protection and its
logarithm is that of the positive; the trees are the same. NumPy evaluates blocks of cases, an array per node.
"""

import argparse
import csv
import io
import random
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyoperon as operon

SETS = {"full": ["+", "-", "*", "/", "sin", "cos", "log", "exp"], "arithmetic": ["+", "-", "*", "/"]}
NODE = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "sin": "Sin", "cos": "Cos", "log": "Log", "exp": "Exp"}
UNARY = {"sin": np.sin, "cos": np.cos, "log": np.log, "exp": np.exp}
BINARY = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
NUMPY_BLOCK = 4096


def program(functions, n_nodes, dice):
    """A random postfix program: a terminal, any of which becomes a function of terminals until there are enough nodes."""
    tokens = ["X1"]
    while len(tokens) < n_nodes:
        place = dice.randrange(len(tokens))
        if tokens[place] == "X1":
            function = dice.choice(functions)
            tokens[place : place + 1] = ["X1"] * (1 if function in UNARY else 2) + [function]
    return tokens


def operon_tree(tokens, variable):
    """Operon's postfix order has the operands of a function in reverse."""
    stack = []
    for token in tokens:
        if token == "X1":
            node = operon.Node.Variable(1.0)
            node.HashValue = node.CalculatedHashValue = variable.Hash
            stack.append([node])
        else:
            n = 1 if token in UNARY else 2
            operands = [stack.pop() for _ in range(n)]
            stack.append([node for one in operands for node in one] + [getattr(operon.Node, NODE[token])()])
    return operon.Tree(stack.pop()).UpdateNodes()


def with_numpy(programs, x):
    for start in range(0, len(x), NUMPY_BLOCK):
        block = x[start : start + NUMPY_BLOCK]
        for tokens in programs:
            stack = []
            for token in tokens:
                if token == "X1":
                    stack.append(block)
                elif token in UNARY:
                    stack.append(UNARY[token](stack.pop()))
                else:
                    b, a = stack.pop(), stack.pop()
                    stack.append(BINARY[token](a, b))


def numpy_value(tokens, x):
    stack = []
    for token in tokens:
        if token == "X1":
            stack.append(x)
        elif token in UNARY:
            stack.append(UNARY[token](stack.pop()))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(BINARY[token](a, b))
    return stack.pop()


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def warpstack(binary, file, functions, interpreter, cases):
    command = [binary, "measure", "cpu", "--problem", "sextic", "--programs", file, "--cases", cases, "--case-seed", 1]
    command += ["--threads", 1, "--interpreter", interpreter, "--warm-ups", 1, "--repeats", 3, "--check", 0, "--format", "csv"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    rows = csv.DictReader(line for line in io.StringIO(done.stdout) if not line.startswith("#"))
    return float(next(rows)["min_wall_ms"]) / 1e3


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--warpstack", required=True, help="the program")
    options.add_argument("--programs", type=int, default=200)
    options.add_argument("--nodes", type=int, default=50)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=7)
    args = options.parse_args()
    np.seterr(all="ignore")
    x = np.random.default_rng(1).uniform(-1, 1, args.cases).astype(np.float32)
    # Operon keeps no copy of the array.
    columns = np.asfortranarray(np.column_stack([x, x]))
    data = operon.Dataset(columns)
    variable = data.Variables[0]
    everything = operon.Range(0, args.cases)
    result = np.zeros((args.programs * args.cases,), dtype=np.float32)
    print(f"{args.programs} programs of {args.nodes} nodes, {args.cases} float cases, one thread, best of {args.rounds} rounds; {operon.Version().splitlines()[0]}")
    print("functions,evaluator,gpops_billion,times_operon")
    for name, functions in SETS.items():
        dice = random.Random(1)
        programs = [program(functions, args.nodes, dice) for _ in range(args.programs)]
        nodes = sum(map(len, programs))
        trees = [operon_tree(tokens, variable) for tokens in programs]
        # The same trees: where both are finite, the values are close.
        for tokens, tree in zip(programs[:20], trees):
            ours, theirs = numpy_value(tokens, x[:100]), operon.Evaluate(tree, data, operon.Range(0, 100))
            finite = np.isfinite(ours) & np.isfinite(theirs) & (abs(ours) < 1e3)
            apart = abs(ours - theirs)[finite]
            assert np.median(apart, axis=None) < 1e-3 if apart.size else True, (" ".join(tokens), ours[:4], theirs[:4])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "programs.txt")
            file.write_text("\n".join(" ".join(tokens) for tokens in programs))
            evaluators = {
                "Operon": lambda: seconds(lambda: operon.EvaluateTrees(trees, data, everything, result, 1)),
                "Operon, tree by tree": lambda: seconds(lambda: [operon.Evaluate(tree, data, everything) for tree in trees]),
                f"NumPy, blocks of {NUMPY_BLOCK}": lambda: seconds(lambda: with_numpy(programs, x)),
            }
            for interpreter in ["rpn-2d", "lgp-2d", "accumulator"]:
                evaluators[f"warpstack {interpreter}"] = lambda one=interpreter: warpstack(args.warpstack, file, name, one, args.cases)
            times = {evaluator: [] for evaluator in evaluators}
            for _ in range(args.rounds):
                for evaluator, run in evaluators.items():
                    times[evaluator].append(run())
        speed = {evaluator: nodes * args.cases / min(of) / 1e9 for evaluator, of in times.items()}
        operon_best = max(speed["Operon"], speed["Operon, tree by tree"])
        for evaluator, gpops in speed.items():
            print(f'{name},"{evaluator}",{gpops:.2f},{gpops / operon_best:.2f}')


main()
