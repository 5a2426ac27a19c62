"""The experiments: each yields rows, the first of them the columns' names. Numbers are lines of 128 bytes."""

import array
import random

from gpu import (CONFIGS, GLOAD_CA, GLOAD_CONSTANT, GLOAD_L2, GLOAD_LINE, GLOAD_SECTOR, GSTORE_LINE, GSTORE_SECTOR,
                 GSTORE_WORD, LLOAD_LINE, LLOAD_SECTOR0, LLOAD_SECTOR1, LSTORE_LINE, LSTORE_SECTOR, LSTORE_WORD, WAIT,
                 line)

KINDS = {"global": (GLOAD_LINE, GSTORE_LINE), "local": (LLOAD_LINE, LSTORE_LINE)}
FEW = (228, 164, 100, 8)
LOCAL_LINES = 4096


def nominal(config):
    return CONFIGS[config] * 8


def ops_of(kind, numbers):
    return array.array("I", [line(kind, n) for n in numbers])


def fits(machine, ops, config, shift=5):
    """Whether the lines stay, once loaded."""
    return sum(machine.run(ops, config, passes=4, record_from=4, shift=shift).misses[1:]) == 0


def largest(machine, config, numbers, kind=GLOAD_LINE, shift=5):
    """How many of `numbers`, from the first on, fit."""
    make = (lambda n: array.array("I", [kind << 24 | x for x in numbers[:n]])) if shift == 7 else (
        lambda n: ops_of(kind, numbers[:n]))
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(machine, make(middle), config, shift):
            low = middle
        else:
            high = middle - 1
    return low


CAPACITY = {}


def capacity(machine, config, kind="global"):
    """Lines of neighbouring addresses that fit, from the first address on."""
    key = machine.name, config, kind
    if key not in CAPACITY:
        CAPACITY[key] = largest(machine, config, range(nominal(config) * 5 // 4), KINDS[kind][0])
    return CAPACITY[key]


def latency(machine):
    yield "shared_kib", "kind", "what", "cycles_from", "loads"
    for config in (228, 8):
        for name, kind in (("global_sector", GLOAD_SECTOR), ("global", GLOAD_LINE), ("ca", GLOAD_CA),
                           ("constant", GLOAD_CONSTANT), ("local", LLOAD_LINE), ("l2", GLOAD_L2)):
            near, far = ops_of(kind, range(64)), ops_of(kind, range(2 * nominal(config)))
            for what, ops, passes in (("64 lines again", near, 6), ("twice the size", far, 4)):
                result = machine.run(ops, config, passes, record_from=1)
                for bucket, n in enumerate(result.buckets):
                    if n:
                        yield config, name, what, 16 * bucket, n


def sectors(machine):
    """Short lists in an empty L1; what is slow of their loads."""
    yield "list", "slow"
    s = lambda n: GLOAD_SECTOR << 24 | n
    pause = WAIT << 24 | 4000
    lists = {
        "load sector 0, 1, 2, 3, 0": [s(0), s(1), s(2), s(3), s(0)],
        "load sector 3, 2, 1, 0": [s(3), s(2), s(1), s(0)],
        "load line; sectors 0, 1, 2, 3": [line(GLOAD_LINE, 0), s(0), s(1), s(2), s(3)],
        "load sector 0; line; sector 1": [s(0), line(GLOAD_LINE, 0), s(1)],
        "load line; next line": [line(GLOAD_LINE, 0), line(GLOAD_LINE, 1)],
        "load line by L2; line": [s(0) | GLOAD_L2 << 24, line(GLOAD_LINE, 0)],
        "load line; by L2; line": [line(GLOAD_LINE, 0), GLOAD_L2 << 24, line(GLOAD_LINE, 0)],
        "load line as constant; line": [line(GLOAD_CONSTANT, 0), line(GLOAD_LINE, 0)],
        "load line ca; line": [line(GLOAD_CA, 0), line(GLOAD_LINE, 0)],
    }
    for name, load, sector, store, word, part in (
            ("global", GLOAD_LINE, None, GSTORE_LINE, GSTORE_WORD, GSTORE_SECTOR),
            ("local", LLOAD_LINE, (LLOAD_SECTOR0, LLOAD_SECTOR1), LSTORE_LINE, LSTORE_WORD, LSTORE_SECTOR)):
        sector0, sector1 = (s(0), s(1)) if sector is None else (sector[0] << 24, sector[1] << 24)
        l = line(load, 0)
        for what, kind in (("line", store), ("word", word), ("sector", part)):
            st = line(kind, 0)
            lists[f"{name}: store {what}; sector 0, 1"] = [st, pause, sector0, sector1]
            lists[f"{name}: store {what}; sector 1, 0"] = [st, pause, sector1, sector0]
            lists[f"{name}: store {what}; line"] = [st, pause, l]
            lists[f"{name}: load line; store {what}; sector 0, 1"] = [l, st, pause, sector0, sector1]
            lists[f"{name}: load line; store {what}; line, at once"] = [l, st, l]
            lists[f"{name}: load sector 0; store {what}; sector 0, 1"] = [sector0, st, pause, sector0, sector1]
    for name, ops in lists.items():
        yield name, " ".join(str(int(b)) for b in machine.run(ops, 100).slow)


def sizes(c):
    near = [c + d for d in (-32, -16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32)]
    far = [int(c * f) for f in (.5, .75, .9, .95, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3)]
    return sorted(set(near + far))


def cyclic(machine):
    """The same lines again and again, in order of address or in a shuffled order."""
    yield "shared_kib", "kind", "order", "lines", "pass1", "pass2", "pass3", "pass4", "steady", "least", "most"
    for config in CONFIGS:
        for name, kind, order in (("global", GLOAD_LINE, "up"), ("global", GLOAD_LINE, "shuffled"),
                                  ("sector", GLOAD_SECTOR, "up"), ("local", LLOAD_LINE, "up"),
                                  ("local", LLOAD_LINE, "shuffled")):
            for n in sizes(nominal(config)):
                if n > LOCAL_LINES:
                    continue
                numbers = list(range(n))
                if order == "shuffled":
                    random.Random(n).shuffle(numbers)
                m = machine.run(ops_of(kind, numbers), config, 24, record_from=24).misses
                yield (config, name, order, n, *m[1:5], round(sum(m[12:]) / 12, 2), min(m[12:]), max(m[12:]))


def uniform(machine):
    """Lines by chance, each as likely as any other."""
    yield "shared_kib", "kind", "lines", "loads", "slow"
    for config in CONFIGS:
        for name in KINDS:
            for factor in (.9, 1, 1.05, 1.1, 1.25, 1.5, 2, 3):
                n = int(nominal(config) * factor)
                if n > LOCAL_LINES:
                    continue
                for seed in range(2):
                    rng = random.Random(1000 * seed + n)
                    ops = ops_of(KINDS[name][0], rng.choices(range(n), k=16000))
                    slow = machine.run(ops, config).slow[8000:]
                    yield config, name, n, len(slow), sum(slow)


def strides(machine):
    """How many lines fit that are 2^k lines apart."""
    yield "shared_kib", "stride_lines", "fit"
    for config in FEW:
        for k in range(14):
            n = min(nominal(config) * 5 // 4, 2 ** 23 >> k)
            yield config, 1 << k, largest(machine, config, [i << k for i in range(n)], shift=7)


def capacities(machine):
    """How many neighbouring lines fit from other addresses on, and how many lines by chance."""
    yield "shared_kib", "lines", "start_or_seed", "fit"
    for config in CONFIGS:
        n = nominal(config) * 5 // 4
        for kind in KINDS:
            for start in (0, 1, 2, 3, 5, 8, 64, 100, 777, 1024, 1500):
                yield config, kind, start, largest(machine, config, range(start, start + n), KINDS[kind][0])
        yield config, "down", 0, largest(machine, config, range(n, 0, -1))
        for seed in range(12):
            numbers = random.Random(seed).sample(range(1 << 18), n)
            yield config, "random", seed, largest(machine, config, numbers)
            numbers = random.Random(seed).sample(range(2 * n), n)
            yield config, "random near", seed, largest(machine, config, numbers)
            if 2 * n <= LOCAL_LINES:
                yield config, "random near local", seed, largest(machine, config, numbers, LLOAD_LINE)


def same_set(machine):
    """A full L1 of neighbouring lines, of which one is replaced by another: misses afterwards (at most 9), by the line left out."""
    yield "shared_kib", "other_line", "from", "misses"
    for config, left_out, others in ((228, None, list(range(24)) + [1 << k for k in range(5, 19)]),
                                     (100, 48, [0, 1, 2, 3, 4, 5, 6, 7, 16, 64, 256])):
        c = capacity(machine, config)
        for other in others:
            text = ""
            for x in range(left_out or c):
                ops = ops_of(GLOAD_LINE, [n for n in range(c) if n != x] + [c + other])
                text += str(min(9, sum(machine.run(ops, config, 3, record_from=3).misses[1:])))
            yield config, c + other, c, text


def victim(machine):
    """A full L1, some lines loaded again, one more line: the first line that is missing, and its place in the order of filling."""
    yield "shared_kib", "kind", "again", "probed", "other", "missing_place", "probes", "slow"
    for config in FEW:
        for kind in KINDS:
            c = capacity(machine, config, kind)
            load = KINDS[kind][0]
            for again in ("none", "first half", "all, backwards", "all twice"):
                touched = {"none": [], "first half": range(c // 2), "all, backwards": range(c - 1, -1, -1),
                           "all twice": [*range(c), *range(c)]}[again]
                for probed in ("up", "down", "shuffled"):
                    for trial in range(60 if config != 8 else 24):
                        rng = random.Random(trial)
                        other = c + rng.randrange(min(1000, LOCAL_LINES - c))
                        probes = list(range(c))
                        if probed == "down":
                            probes.reverse()
                        elif probed == "shuffled":
                            rng.shuffle(probes)
                        ops = ops_of(load, [*range(c), *touched, other, *probes])
                        slow = machine.run(ops, config).slow[-c:]
                        at = slow.index(True) if True in slow else -1
                        yield config, kind, again, probed, other, probes[at] if at >= 0 else -1, at, sum(slow)


def repeat(machine):
    """The same list again: how many different outcomes."""
    yield "shared_kib", "list", "runs", "outcomes", "least_slow", "most_slow"
    for config in FEW:
        c = nominal(config)
        for name, ops, passes in (
                ("cyclic, 1.2 times the size", ops_of(GLOAD_LINE, range(c * 6 // 5)), 6),
                ("cyclic, shuffled", ops_of(GLOAD_LINE, random.Random(1).sample(range(c * 6 // 5), c * 6 // 5)), 6),
                ("local", ops_of(LLOAD_LINE, range(c * 6 // 5)), 6)):
            runs = [machine.run(ops, config, passes).slow for _ in range(20)]
            yield (config, name, len(runs), len({tuple(r) for r in runs}), min(map(sum, runs)), max(map(sum, runs)))


def survival(machine):
    """A full L1, then `added` further lines: which of the first lines are still there, by their place in the order of filling
    (eighths) and by group (1: loaded again, or written)."""
    yield "shared_kib", "kind", "variant", "added", "group", "eighth", "probes", "there"
    for config in FEW:
        for kind in KINDS:
            c = capacity(machine, config, kind)
            load, store = KINDS[kind]
            for variant in ("loads", "first half again", "random half again", "odd lines written", "adds stores",
                            "odd lines stored to again", "all stores"):
                for part in (1 / 8, 1 / 4, 1 / 2, 1, 1.9):
                    added = int(c * part)
                    if kind == "local" and c + added > LOCAL_LINES:
                        continue
                    counts = {}
                    for trial in range(48 if config != 8 else 16):
                        rng = random.Random(trial)
                        again = []
                        if variant == "first half again":
                            again = list(range(c // 2))
                        elif variant == "random half again":
                            again = sorted(rng.sample(range(c), c // 2))
                        odd = variant in ("odd lines written", "odd lines stored to again")
                        ops = [line(store if variant == "all stores" or variant == "odd lines written" and n & 1 else load, n)
                               for n in range(c)]
                        ops += [line(load, n) for n in again]
                        if variant == "odd lines stored to again":
                            ops += [line(store, n) for n in range(1, c, 2)]
                        ops.append(WAIT << 24 | 20000)
                        adds = store if variant in ("adds stores", "all stores") else load
                        ops += [line(adds, n) for n in range(c, c + added)]
                        ops.append(WAIT << 24 | 20000)
                        probes = rng.sample(range(c), c // 8)
                        ops += [line(load, n) for n in probes]
                        slow = machine.run(array.array("I", ops), config).slow[-len(probes):]
                        group = set(again)
                        for n, s in zip(probes, slow):
                            key = int(n & 1) if odd else int(n in group), n * 8 // c
                            count = counts.setdefault(key, [0, 0])
                            count[0] += 1
                            count[1] += not s
                    for (group, eighth), (n, there) in sorted(counts.items()):
                        yield config, kind, variant, added, group, eighth, n, there


def stores(machine):
    """Lines stored to and loaded, again and again: slow loads of a pass."""
    yield "shared_kib", "kind", "pattern", "lines", "pass1", "steady"
    for config in FEW:
        for kind in KINDS:
            load, store = KINDS[kind]
            for n in sizes(nominal(config)):
                if n > LOCAL_LINES:
                    continue
                up = range(n)
                for pattern in ("store up, load up", "store up, load down", "store and load each", "load and store each"):
                    if pattern == "store up, load up":
                        ops = [*ops_of(store, up), *ops_of(load, up)]
                    elif pattern == "store up, load down":
                        ops = [*ops_of(store, up), *ops_of(load, reversed(up))]
                    else:
                        pair = (store, load) if pattern.startswith("store") else (load, store)
                        ops = [line(k, i) for i in up for k in pair]
                    m = machine.run(array.array("I", ops), config, 12, record_from=12).misses
                    yield config, kind, pattern, n, m[0], round(sum(m[6:]) / 6, 2)


def stacks(machine):
    """Warps with stacks of their own; frames of so many words."""
    yield "shared_kib", "frame", "blocks", "warps", "pattern", "depth", "loads", "slow", "stores"
    if not hasattr(machine, "stacks"):
        return
    for config in CONFIGS:
        for frame, blocks, warps, patterns in ((308, 1, 32, (0, 1, 2, 3, 4)), (64, 1, 32, (0, 2, 3)), (256, 1, 32, (0, 3)),
                                               (108, 264, 32, (2, 3)), (308, 1, 8, (0, 1, 2, 3, 4)), (308, 1, 1, (0, 1, 3))):
            if blocks == 264 and config == 8:
                continue
            resident = warps * (2 if blocks == 264 else 1)
            for factor in (.5, .75, .9, 1, 1.1, 1.25, 1.5, 2, 3):
                depth = round(nominal(config) * factor / resident)
                if not 1 < depth <= frame:
                    continue
                for pattern in patterns:
                    steps = 40 * depth if pattern in (0, 1) else 3000
                    loads = machine.stacks(frame, blocks, warps, config, depth, steps, steps // 3, pattern,
                                           blocks_per_sm=2 if blocks == 264 else 1)
                    yield (config, frame, blocks, warps, pattern, depth, *loads)


def burst(machine):
    """Hot lines, then others one after the other or many together: which hot lines are still there."""
    yield "shared_kib", "hot", "mode", "added", "probes", "there"
    if not hasattr(machine, "burst"):
        return
    for config in FEW:
        c = capacity(machine, config) & ~7
        for hot in (c * 7 // 8, c):
            for mode in range(5):
                for added in (c // 8, c // 4, c // 2, c, 2 * c):
                    probes = slow = 0
                    for start in range(16):
                        a, b = machine.burst(32, config, hot, added & ~7, mode, start, 16)
                        probes, slow = probes + a, slow + b
                    yield config, hot, mode, added & ~7, probes, probes - slow


def check(machine):
    """Few launches, to be compared with a profiler's counters: our counts, in order of launch."""
    yield "launch", "kernel", "shared_kib", "what", "loads", "slow"
    launch = 0
    for config in (228, 100, 8):
        for kind in KINDS:
            n = nominal(config) * 6 // 5
            r = machine.run(ops_of(KINDS[kind][0], range(n)), config, 10)
            yield launch, "run", config, f"{kind} cyclic {n} x 10", 10 * n, sum(r.misses)
            launch += 1
        for pattern in range(6):
            for warps, depths in ((8, (nominal(config) * 5 // 4 // 8,)), (32, (nominal(config) // 32, nominal(config) * 5 // 4 // 32))):
                for depth in depths:
                    depth = min(depth // 4 if pattern == 5 else depth, 308)
                    loads = machine.stacks(308, 1, warps, config, depth, 20000, 0, pattern)
                    yield launch, "stacks_308", config, f"pattern {pattern}, {warps} warps, depth {depth}, stores {loads[2]}", loads[0], loads[1]
                    launch += 1


ALL = {f.__name__: f for f in (latency, sectors, capacities, cyclic, uniform, strides, same_set, victim, repeat, survival,
                               stores, stacks, burst, check)}
