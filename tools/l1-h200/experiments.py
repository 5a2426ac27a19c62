"""The experiments: each yields rows, the first of them the columns' names. Numbers are lines of 128 bytes, from the first address on."""

import array
import collections
import functools
import random

from gpu import (CONFIGS, GLOAD_CA, GLOAD_CONSTANT, GLOAD_L2, GLOAD_LINE, GLOAD_NO_ALLOCATE, GLOAD_SECTOR, GLOAD_UNCHANGED, GSTORE_LINE,
                 GSTORE_SECTOR, GSTORE_WORD, LLOAD_LINE, LLOAD_SECTOR0, LLOAD_SECTOR1, LSTORE_LINE, LSTORE_SECTOR, LSTORE_WORD, WAIT, op)
from model import place, usable

KINDS = {"global": (GLOAD_LINE, GSTORE_LINE), "local": (LLOAD_LINE, LSTORE_LINE)}
FEW = (228, 164, 100, 8)
LOCAL_LINES = 4096


def nominal(config):
    return CONFIGS[config] * 8


def ops_of(kind, numbers):
    return array.array("I", [op(kind, n) for n in numbers])


def mean(values):
    values = list(values)
    return round(sum(values) / len(values), 3)


@functools.cache
def lines_of_set(n, first=0):
    """So many lines of one set."""
    lines, at = [], first
    while len(lines) < n:
        if place(at)[0] == 0:
            lines.append(at)
        at += 1
    return lines


@functools.cache
def lines_of_row(n):
    """So many lines of one row of one set."""
    lines, at = [], 0
    while len(lines) < n:
        if place(at) == (0, 0):
            lines.append(at)
        at += 1
    return lines


def sequence(order, n, length=16000):
    """Accesses to n lines."""
    rng = random.Random(7)
    if order == "uniform":
        return [rng.randrange(n) for _ in range(length)]
    if order == "skewed":
        return [int(n * rng.random() ** 3) for _ in range(length)]
    if order == "walk":
        at, numbers = 0, []
        for _ in range(length):
            at = min(n - 1, max(0, at + rng.choice((-1, 1)) * rng.randint(1, n // 10)))
            numbers.append(at)
        return numbers
    assert order == "phases"          # three fifths of the lines in use, others every 4000 accesses
    return [(i // 4000 * (n // 5) + rng.randrange(n * 3 // 5)) % n for i in range(length)]


def latency(machine):
    """Cycles of one multiprocessor's loads."""
    yield "shared_kib", "kind", "what", "cycles_from", "loads"
    for config in (228, 8):
        for name, kind in (("global", GLOAD_LINE), ("ca", GLOAD_CA), ("constant", GLOAD_CONSTANT), ("local", LLOAD_LINE), ("l2", GLOAD_L2)):
            far = 3 * usable(config) if name != "local" else min(3 * usable(config), LOCAL_LINES)
            for what, n, passes in (("64 lines again", 64, 6), ("three times the size", far, 3)):
                buckets = machine.run(ops_of(kind, range(n)), config, passes, record_from=1)[0].buckets
                for bucket, loads in enumerate(buckets or ()):
                    if loads:
                        yield config, name, what, 16 * bucket, loads


def sectors(machine):
    """Short lists in an empty L1; the share of multiprocessors on which each load is slow."""
    yield "list", "slow"
    pause = op(WAIT, 1000)
    s = [op(GLOAD_SECTOR, 0, i) for i in range(4)]
    line = op(GLOAD_LINE, 0)
    lists = {
        "load sectors 0, 1, 2, 3, 0": [*s, s[0]],
        "load line; sectors 0, 1, 2, 3": [line, *s],
        "load line; by L2; line": [line, op(GLOAD_L2, 0), line],
        "load as constant; line": [op(GLOAD_CONSTANT, 0), line],
    }
    for name, load, part0, part1, kinds in (
            ("global", line, s[0], s[1], (GSTORE_LINE, GSTORE_WORD, GSTORE_SECTOR)),
            ("local", op(LLOAD_LINE, 0), op(LLOAD_SECTOR0, 0), op(LLOAD_SECTOR1, 0), (LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR))):
        for what, kind in zip(("line", "word", "sector"), kinds):
            store = [op(kind, 0), pause]
            lists[f"{name}: store {what}; sectors 0, 1"] = [*store, part0, part1]
            lists[f"{name}: store {what}; sectors 1, 0"] = [*store, part1, part0]
            lists[f"{name}: store {what}; line"] = [*store, load]
            lists[f"{name}: load line; store {what}; sectors 0, 1"] = [load, *store, part0, part1]
            lists[f"{name}: load sector 0; store {what}; sectors 0, 1"] = [part0, *store, part0, part1]
    for name, ops in lists.items():
        yield name, " ".join(str(float(mean(bits))) for bits in zip(*(r.slow for r in machine.run(array.array("I", ops), 100))))


def fits(machine, numbers, config):
    """Whether the lines stay, once loaded."""
    return sum(machine.run(ops_of(GLOAD_LINE, numbers), config, passes=4, record_from=4, blocks=1)[0].misses[1:]) == 0


def capacity(machine):
    """How many lines stay when loaded again."""
    yield "shared_kib", "nominal_lines", "lines", "start_distance_or_seed", "fit"
    for config in CONFIGS:
        n = nominal(config) * 9 // 8
        lists = [("neighbours", start, range(start, start + n)) for start in (0, 1, 5, 64, 777, 1500)]
        lists.append(("downwards", n, range(n, 0, -1)))
        lists += [("distance", 1 << k, range(0, n << k, 1 << k)) for k in range(1, 14)]
        lists += [("chance", seed, random.Random(seed).sample(range(1 << 14), n)) for seed in range(6)]
        for what, number, numbers in lists:
            numbers = [x for x in numbers if x < 1 << 23]
            low, high = 0, len(numbers)
            while low < high:
                middle = (low + high + 1) // 2
                if fits(machine, numbers[:middle], config):
                    low = middle
                else:
                    high = middle - 1
            yield config, nominal(config), what, number, low


def same_set(machine):
    """An L1 full of neighbours: of which of the first 16 another line can take the place."""
    yield "other_line", "fits_without"
    n = usable(100)
    for other in [4096] + [4096 + (1 << k) for k in range(12)] + [12288, 3000, 5001, 7777, 12345]:
        yield other, " ".join(str(x) for x in range(16) if fits(machine, [*(i for i in range(n) if i != x), other], 100))


def address_bits(machine):
    """Which of the lines 0 to 3 is in the same set."""
    yield "line", "same_set_as"
    rng, n = random.Random(1), usable(100)
    for other in [1 << k for k in range(11, 23)] + [rng.randrange(4096, 1 << 23) for _ in range(60)]:
        yield other, " ".join(str(x) for x in range(4) if fits(machine, [*(i for i in range(n) if i != x), other], 100))


def order(machine):
    """In which order 128 lines of a set go while others of the set are loaded, one by one."""
    yield "first_line", "agree", "order"
    n = usable(164) // 4
    for first in [0] + [1 << k for k in range(9, 23)]:
        lines = lines_of_set(128, first)
        # Others fill the set before, and go on from another address.
        others = [x for x in lines_of_set(n + 400, 1 << 22 if first < 1 << 21 else 0) if x not in set(lines)]
        gone = []
        for more in range(0, 72):
            ops = ops_of(GLOAD_LINE, [*lines, *others[:n - 128 + more]])
            start = len(ops)
            ops += ops_of(GLOAD_NO_ALLOCATE, lines)
            gone.append([tuple(i for i in range(128) if r.slow[i]) for r in machine.run(ops, 164, record_op=start)])
        sequences = collections.Counter()
        for of in zip(*gone):
            seen = dict.fromkeys(i for step in of for i in step)
            sequences[tuple(seen)] += 1
        most, agree = sequences.most_common(1)[0]
        yield first, f"{agree} of {sum(sequences.values())}", " ".join(map(str, most))


def rows(machine):
    """Accesses to lines of one row of an empty L1: loads that were slow, and what of the lines is there afterwards."""
    yield "what", "list", "slow", "there_afterwards"
    kinds = {"l": GLOAD_LINE, "s": GSTORE_LINE, "w": GSTORE_WORD, "c": GLOAD_CONSTANT, "n": GLOAD_NO_ALLOCATE, "u": GLOAD_UNCHANGED}
    letters = "ABCDEFGH"
    four = "lAlBlClD"
    hits = [""] + list("ABCD") + [a + b for a in "ABCD" for b in "ABCD"]
    hits += ["ABC", "CBA", "BCD", "ABCD", "DCBA", "BDAC", "ABB", "AAB", "CDD"]
    lists = [("hits, then new lines", four + "".join("l" + x for x in h) + "lElFlG"[:n]) for h in hits for n in (2, 4, 6)]
    lists += [("early hits", x) for x in ("lAlAlBlClDlElF", "lAlBlAlClDlElF", "lAlBlClAlDlElF", "lAlAlBlBlClDlElF", "lAlAlBlBlClClDlDlElF")]
    for k in "swnuc":
        lists += [("hits by " + k, four + "".join(k + x for x in h) + "lElF") for h in ("A", "B", "AB", "BA")]
        lists.append(("filled by " + k, f"{k}A{k}B{k}C{k}DlElF"))
    rng = random.Random(4)
    for of, n in (("l", 150), ("ls", 60), ("lw", 60)):
        for _ in range(n):
            some = letters[:rng.choice((5, 6, 8))]
            lists.append(("by chance", "".join(rng.choice(of) + rng.choice(some) for _ in range(24))))
    lines = lines_of_row(8)
    for what, text in lists:
        ops = []
        for i in range(0, len(text), 2):
            ops.append(op(kinds[text[i]], lines[letters.index(text[i + 1])]))
            if text[i] in "sw":
                ops.append(op(WAIT, 1000))
        ops += [op(GLOAD_NO_ALLOCATE, line) for line in lines]
        slow = agreed(machine.run(array.array("I", ops), 100))
        yield what, text, " ".join(map(str, slow[:-8])), " ".join(str(1 - b) for b in slow[-8:])


def agreed(results):
    """What most multiprocessors say, load by load."""
    return [int(2 * sum(bits) > len(bits)) for bits in zip(*(r.slow for r in results))]


def protection(machine):
    """As many lines of a set as fit, some of them loaded again, then four times as many others."""
    yield ("shared_kib", "ways", "again", "left_of_first_quarter", "of_second", "of_third", "of_last", "left_in_all")
    for config in FEW:
        ways = usable(config) // 4
        lines = lines_of_set(5 * ways)
        for again in (8, ways // 4, ways // 2, ways * 3 // 4, ways):
            ops = [op(GLOAD_LINE, lines[i]) for i in [*range(ways), *range(again), *range(ways, 5 * ways)]]
            start = len(ops)
            ops += [op(GLOAD_NO_ALLOCATE, lines[i]) for i in range(again)]
            there = [1 - b for b in agreed(machine.run(array.array("I", ops), config, record_op=start))]
            quarters = [there[again * q // 4:again * (q + 1) // 4] for q in range(4)]
            yield (config, ways, again, *map(mean, quarters), float(sum(there)))


def cyclic(machine):
    """The same lines again and again: misses of a pass, the mean of all multiprocessors."""
    yield "shared_kib", "kind", "lines", "pass2", "steady"
    for config in CONFIGS:
        u, c = usable(config), nominal(config)
        sizes = [u - 16] + [u + d for d in (0, 1, 2, 4, 8, 16, 32)]
        sizes += [int(c * f) for f in (.75, 1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5)]
        for name in KINDS:
            for n in sorted(set(sizes)):
                if n <= LOCAL_LINES:
                    results = machine.run(ops_of(KINDS[name][0], range(n)), config, 16, record_from=16)
                    yield config, name, n, mean(r.misses[1] for r in results), mean(sum(r.misses[8:]) / 8 for r in results)


def patterns(machine):
    """Slow loads of the second half of a sequence: the mean of all multiprocessors, least and most."""
    yield "shared_kib", "kind", "order", "lines", "slow", "least", "most"
    for config in CONFIGS:
        u = usable(config)
        lists = [(name, of, n, sequence(of, n)) for name in KINDS for of in ("uniform", "skewed", "walk", "phases")
                 for n in (int(u * f) for f in (1.05, 1.25, 1.6, 2.5)) if n <= LOCAL_LINES]
        for n in (int(u * f) for f in (.5, .75, .95, 1.25, 1.6)):
            where = random.Random(9).sample(range(1 << 14), n)
            lists.append(("global", "uniform, lines by chance of 2 MB", n, [where[i] for i in sequence("uniform", n)]))
        for name, of, n, numbers in lists:
            slow = [sum(r.slow) / len(r.slow) for r in machine.run(ops_of(KINDS[name][0], numbers), config, record_op=8000)]
            yield config, name, of, n, mean(slow), round(min(slow), 3), round(max(slow), 3)


def stores(machine):
    """Lines stored to and loaded, again and again: slow loads of a pass."""
    yield "shared_kib", "kind", "order", "lines", "pass1", "steady"
    for config in FEW:
        for name, (load, store) in KINDS.items():
            for n in (int(usable(config) * f) for f in (.5, .75, 1, 1.02, 1.1, 1.25, 1.5, 2)):
                up = range(n)
                for of, ops in (("all stored, all loaded", [*ops_of(store, up), *ops_of(load, up)]),
                                ("all stored, all loaded backwards", [*ops_of(store, up), *ops_of(load, reversed(up))]),
                                ("each stored and loaded", [op(k, i) for i in up for k in (store, load)])):
                    results = machine.run(array.array("I", ops), config, 12, record_from=12)
                    yield config, name, of, n, mean(r.misses[0] for r in results), mean(sum(r.misses[6:]) / 6 for r in results)


def traces(machine):
    """Every access of a sequence: 1 where it was slow, in hexadecimal digits."""
    yield "shared_kib", "order", "lines", "same_on", "slow"
    for config in (164, 100, 8):
        n = int(usable(config) * 1.25)
        for of in ("uniform", "walk", "skewed"):
            results = machine.run(ops_of(GLOAD_LINE, sequence(of, n)), config)
            slow, same = collections.Counter(tuple(r.slow) for r in results).most_common(1)[0]
            bits = "".join(str(int(b)) for b in slow)
            yield config, of, n, f"{same} of {len(results)}", format(int(bits, 2), f"0{len(bits) // 4}x")


def burst(machine):
    """Hot lines, then others one after the other or many together: which of the hot lines are still there."""
    yield "shared_kib", "hot", "mode", "added", "probes", "there"
    if not hasattr(machine, "burst"):
        return
    for config in FEW:
        u = usable(config)
        for mode in range(5):
            for added in (u // 8, u // 4, u // 2, u):
                loads, slow = machine.burst(32, config, u - 8, added & ~7, mode)
                yield config, u - 8, mode, added & ~7, loads, loads - slow


def frames(machine):
    """The set of a line of local memory: lines of which set drive it out, and how many of them. (Rewritten; finds a quarter of the lines in no set
    and others in another than the frames.csv of the fixtures: not to be relied on until that is understood.)"""
    yield "frame", "word", "multiprocessor", "slot", "set", "lines"
    if not hasattr(machine, "frames"):
        return
    of_set = [[n for n in range(1 << 12) if place(n)[0] == s][:320] for s in range(4)]
    for frame in (108, 308):
        for word in (0, 16, 64):
            found = {}
            for n in range(161, 300, 5):
                for s in range(4):
                    for multiprocessor, slow in machine.frames(frame, word, of_set[s][:n], 164).items():
                        for slot, gone in enumerate(slow):
                            if gone:
                                found.setdefault((multiprocessor, slot), (s, n))
            for multiprocessor in (0, 3, 60, 131):
                for slot in range(32):
                    yield (frame, word, multiprocessor, slot, *found.get((multiprocessor, slot), ("", "")))


def stacks(machine):
    """Warps with stacks of their own on every multiprocessor; frames of so many words."""
    yield "shared_kib", "frame", "warps", "pattern", "depth", "loads", "slow", "stores"
    if not hasattr(machine, "stacks"):
        return
    for frame in (108, 308):
        for config in CONFIGS:
            for n in (32, 8):
                for factor in (.5, .75, 1, 1.25, 1.5, 2):
                    depth = round(nominal(config) * factor / n)
                    if depth < frame:
                        for pattern in range(5):
                            steps, warm = (24 * depth, 4 * depth) if pattern < 2 else (3600, 600)
                            yield (config, frame, n, pattern, depth, *machine.stacks(frame, n, config, depth, steps, warm, pattern))


def check(machine):
    """Few launches, to be compared with a profiler's counters: our counts, in order of launch."""
    yield "kernel", "shared_kib", "what", "loads", "slow"
    for config in (228, 100, 8):
        n = nominal(config) * 6 // 5
        for name in KINDS:
            results = machine.run(ops_of(KINDS[name][0], range(n)), config, 10, record_from=10)
            yield "run", config, f"{name} cyclic {n} x 10", 10 * n * len(results), sum(sum(r.misses) for r in results)
        for pattern in range(6):
            for factor in (1, 1.25):
                depth = round(nominal(config) * factor / 32) // (4 if pattern == 5 else 1)
                loads, slow, _ = machine.stacks(308, 32, config, depth, 8000, 0, pattern)
                yield "stacks_308", config, f"pattern {pattern} depth {depth}", loads, slow
    for config in (228, 196, 164, 8):
        for each in (2, 8, 16):
            for n in (1, 8, 16, 32):
                yield f"flight_{each}", config, f"{n} warps", machine.flight(each, n, config), ""


# `frames` and `stacks` before a kernel with a larger frame runs; `check` is for the profiler.
ALL = {f.__name__: f for f in (frames, stacks, burst, sectors, latency, capacity, same_set, address_bits, order, rows, protection, cyclic, patterns,
                               stores, traces)}
NAMED = ALL | {"check": check}
