#!/usr/bin/env python3
"""What the measurements say: how well the mechanism of model.py, and the usual policies, reproduce them.
usage: analyse.py FOLDER [PART...]            all parts: addresses rows exact single protection burst warps
       analyse.py --counters NCU.CSV CHECK.CSV   a profiler's counters beside this program's, as CSV"""

import collections
import csv
import heapq
import os
import random
import sys

import experiments
from gpu import CONFIGS, GLOAD_LINE, op
from model import MODELS, Lru, Machine, Nru, Pool, Random, RandomNominal, frame_line, place, usable

NAMES = {m: m.name for m in MODELS}
LARGEST_FRAME = 308                # of the kernels that ran before `stacks`


def table(folder, name):
    return list(csv.DictReader(open(os.path.join(folder, name + ".csv"), newline="")))


def first_row(folder):
    """Where the hand starts: bits of the address above those of a GB flip that."""
    first = next(r for r in table(folder, "order") if r["first_line"] == "512")
    return place(experiments.lines_of_set(128, 512)[int(first["order"].split()[0])])[1]


def counters(ncu, check):
    launches = collections.OrderedDict()
    lines = [line for line in open(ncu) if line.startswith('"')]
    for r in csv.DictReader(lines):
        launches.setdefault(int(r["ID"]), {"kernel": r["Kernel Name"]})[r["Metric Name"]] = float(r["Metric Value"].replace(",", ""))
    launches = list(launches.values())[1::2]          # every other launch empties the L1s
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("kernel", "shared_kib", "what", "hits_by_clock", "hits_by_profiler", "store_hits_by_profiler", "cycles"))
    for c, n in zip(csv.DictReader(open(check)), launches):
        assert n["kernel"] == c["kernel"] and n["launch__shared_mem_config_size"] == int(c["shared_kib"]) * 1024
        part = lambda kind: (lambda all_: n[f"l1tex__t_sectors_pipe_lsu_mem_{kind}_lookup_hit.sum"] / all_ if all_ else 0)(
            n[f"l1tex__t_sectors_pipe_lsu_mem_{kind}.sum"])
        clock = 1 - int(c["slow"]) / int(c["loads"]) if c["slow"] and int(c["loads"]) else None
        kind = "global_op_ld" if c["kernel"].startswith("flight") or "global" in c["what"] else "local_op_ld"
        out.writerow((c["kernel"], c["shared_kib"], c["what"], "" if clock is None else f"{clock:.4f}", f"{part(kind):.4f}",
                      f"{part('local_op_st'):.4f}", round(n["sm__cycles_active.avg"])))


def addresses(folder):
    fit = [(r["same_set_as"], str(place(int(r["line"]))[0])) for r in table(folder, "address_bits")]
    print(f"addresses: the set of {sum(a == b for a, b in fit)} of {len(fit)} lines of a GB is the predicted one")
    start = first_row(folder)
    for r in table(folder, "order"):
        lines = experiments.lines_of_set(128, int(r["first_line"]))
        order = [place(lines[int(i)])[1] ^ start for i in r["order"].split()]
        off = max(abs(row - sorted(order)[i]) for i, row in enumerate(order))
        print(f"  lines from {r['first_line']:>8}: {r['agree']} multiprocessors agree; {len(order)} lines go, of rows {min(order)} to {max(order)},"
              f" at most {off} rows out of order (those that go together are not listed in order)")
    places = collections.defaultdict(dict)
    for r in table(folder, "frames"):
        line = frame_line(int(r["multiprocessor"]), int(r["slot"]), int(r["frame"]), int(r["word"]))
        # What the bits above 2 MB flip is the same within 2 MB.
        places[r["frame"], line >> 14][r["slot"], r["word"]] = place(line & 0x3fff)[0] ^ int(r["set"])
    n = sum(map(len, places.values()))
    good = sum(max(collections.Counter(group.values()).values()) for group in places.values())
    print(f"  frames of local memory: sets of {good} of {n} lines as predicted")


def rows(folder):
    model = {r["list"]: r for r in csv_of(experiments.rows(Machine(Pool)))}
    kinds = collections.Counter()
    for r in table(folder, "rows"):
        same = all(r[column] == model[r["list"]][column] for column in ("slow", "there_afterwards"))
        kinds[r["what"], same] += 1
    for what in dict.fromkeys(k for k, _ in kinds):
        print(f"rows: {what}: {kinds[what, True]} of {kinds[what, True] + kinds[what, False]} lists as the model")


def csv_of(rows_):
    rows_ = iter(rows_)
    head = next(rows_)
    return [dict(zip(head, map(str, row))) for row in rows_]


def exact(folder):
    """Whole sequences, access by access. The hand starts at the first row; which that is, the order of one set says."""
    start = first_row(folder)
    for r in table(folder, "traces"):
        config, n = int(r["shared_kib"]), int(r["lines"])
        measured = format(int(r["slow"], 16), f"0{4 * len(r['slow'])}b")
        text = []
        for model in (Pool, Random, Lru):
            cache = model(config, place=lambda line: (place(line)[0], place(line)[1] ^ start))
            misses = "".join("01"[not cache.access(line)] for line in experiments.sequence(r["order"], n))
            same = sum(a == b for a, b in zip(misses, measured))
            far = next((i for i, (a, b) in enumerate(zip(misses, measured)) if a != b), len(misses))
            text.append(f"{NAMES[model]} {100 * same / len(misses):.1f} % as measured, the first {far} all")
        print(f"exact: L1 {CONFIGS[config]} KB, {r['order']}, {n} lines: " + "; ".join(text))


def single(folder):
    """Misses of one warp, in points."""
    errors = {m: collections.defaultdict(list) for m in MODELS}
    for r in table(folder, "patterns"):
        if r["kind"] == "global":
            config, n = int(r["shared_kib"]), int(r["lines"])
            chance = r["order"].endswith("MB")
            where = random.Random(9).sample(range(1 << 14), n) if chance else range(n)
            lines = [where[i] for i in experiments.sequence("uniform" if chance else r["order"], n)]
            for model in MODELS:
                cache = model(config)
                misses = [not cache.access(line) for line in lines][8000:]
                errors[model][r["order"]].append(100 * (sum(misses) / len(misses) - float(r["slow"])))
    for r in table(folder, "cyclic"):
        config, n = int(r["shared_kib"]), int(r["lines"])
        if r["kind"] == "global" and config in experiments.FEW:
            for model in MODELS:
                misses = Machine(model).run([op(GLOAD_LINE, i) for i in range(n)], config, 16, record_from=16)[0].misses
                errors[model]["cyclic"].append(100 * (sum(misses[8:]) / 8 - float(r["steady"])) / n)
    kinds = list(errors[Pool])
    print("single: misses, mean absolute difference in points (mean difference)")
    print(f"  {'':26}" + "".join(f"{k[:20]:>22}" for k in kinds))
    for model in MODELS:
        cells = (f"{sum(map(abs, e)) / len(e):.2f} ({sum(e) / len(e):+.2f})" for e in (errors[model][k] for k in kinds))
        print(f"  {NAMES[model]:26}" + "".join(f"{c:>22}" for c in cells))


def protection(folder):
    results = {m: csv_of(experiments.protection(Machine(m))) for m in MODELS}
    print("protection: lines left of those loaded again, after four times the set's lines")
    print(f"  {'L1 (KB), ways, again':24}{'measured':>10}" + "".join(f"{NAMES[m][:14]:>16}" for m in MODELS))
    for i, r in enumerate(table(folder, "protection")):
        print(f"  {CONFIGS[int(r['shared_kib'])]:>6}{r['ways']:>9}{r['again']:>9}{r['left_in_all']:>10}"
              + "".join(f"{results[m][i]['left_in_all']:>16}" for m in MODELS))


def burst(folder):
    """Hot lines that are left after others were loaded: one after the other as the model says, together as if those stayed that are
    under way."""
    print("burst: share of the hot lines left; loaded one after the other: measured, model; together: measured, if those under way stay")
    table_ = {(r["shared_kib"], r["added"], r["mode"]): int(r["there"]) / int(r["probes"]) for r in table(folder, "burst")}
    for r in table(folder, "burst"):
        if r["mode"] == "0":
            config, hot, added = int(r["shared_kib"]), int(r["hot"]), int(r["added"])
            cache = Pool(config)
            for line in [*range(hot), *range(1 << 17, (1 << 17) + added)]:
                cache.access(line)
            left = sum(cache.has(line) for line in range(hot)) / hot
            stay = min(1, max(0, usable(config) - added) / hot)
            print(f"  L1 {CONFIGS[config]:3} KB, {hot} hot, {added} others: {table_[r['shared_kib'], r['added'], '0']:.3f} {left:.3f};"
                  f" {table_[r['shared_kib'], r['added'], '1']:.3f} {stay:.3f}")


def walk(model, config, frame, warps, pattern, depth, hit=400, miss=650, multiprocessor=0):
    """`stacks` of kernels.cu on one multiprocessor, with so many cycles from one access of a warp to its next."""
    cache = model(config)
    first = [frame_line(multiprocessor, w, frame, 0, LARGEST_FRAME) for w in range(warps)]
    steps = 24 * depth if pattern in (0, 1) else 2500 if pattern == 2 else max(500, 14 * depth)
    draws = [(1 + 2654435761 * (1 + w + 64 * multiprocessor)) & 0xffffffff for w in range(warps)]
    top, done = [0] * warps, [0] * warps
    if pattern != 2:
        for i in range(depth):
            for w in range(warps):
                cache.access(first[w] + i)
    queue = [(7 * w, w) for w in range(warps)]
    loads = hits = 0
    while queue:
        now, w = heapq.heappop(queue)
        step = done[w]
        if step == steps:
            continue
        draws[w] = (draws[w] * 1664525 + 1013904223) & 0xffffffff
        draw, store = draws[w] >> 8, False
        if pattern == 0:
            at = step % depth
        elif pattern == 1:
            phase = step % (2 * depth)
            store = phase < depth
            at = phase if store else 2 * depth - 1 - phase
        elif pattern == 2:
            store = top[w] == 0 or (top[w] < depth and draw & 1)
            at = top[w] if store else top[w] - 1
            top[w] += 1 if store else -1
        else:
            at, store = draw * depth >> 24, pattern == 4 and draws[w] & 128
        there = cache.access(first[w] + at)
        if step >= steps * 2 // 3 and not store:
            loads, hits = loads + 1, hits + there
        done[w] += 1
        heapq.heappush(queue, (now + (hit if there or store else miss) + (13 * w + step) % 7, w))
    return hits / loads


def warps(folder):
    """32 warps with stacks of their own: hits, in points."""
    patterns = {1: "up, then down", 2: "a walk", 3: "random words", 4: "and stores"}
    errors = collections.defaultdict(list)
    for r in table(folder, "stacks"):
        config, frame, n, pattern, depth = (int(r[c]) for c in ("shared_kib", "frame", "warps", "pattern", "depth"))
        size = depth * n / (CONFIGS[config] * 8)
        if n != 32 or pattern not in patterns or size > 1.6 or frame != 108:
            continue
        measured = 1 - int(r["slow"]) / int(r["loads"])
        text = []
        for model in (Pool, RandomNominal, Nru, Lru):
            e = 100 * (walk(model, config, frame, n, pattern, depth) - measured)
            errors[model, pattern, CONFIGS[config]].append(e)
            text.append(f"{e:+.1f}")
        print(f"  L1 {CONFIGS[config]:3} KB, {patterns[pattern]}, {size:.2f} times the size: measured {100 * measured:.1f}, off " + " ".join(text), flush=True)
    print("warps: hits of loads, mean difference in points (mean absolute)")
    for model in (Pool, RandomNominal, Nru, Lru):
        for pattern, name in patterns.items():
            cells = []
            for size in CONFIGS.values():
                e = errors[model, pattern, size]
                cells.append(f"{size}: {sum(e) / len(e):+.1f} ({sum(map(abs, e)) / len(e):.1f})" if e else "")
            print(f"  {NAMES[model]:26}{name:16}" + "  ".join(cells))


PARTS = {f.__name__: f for f in (addresses, rows, exact, single, protection, burst, warps)}


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    if sys.argv[1] == "--counters":
        counters(*sys.argv[2:4])
    else:
        for name in sys.argv[2:] or PARTS:
            PARTS[name](sys.argv[1])


if __name__ == "__main__":
    main()
