"""Second round: one set at a time."""
import argparse, array, csv, os, random, sys, time
from gpu import *
from experiments import ops_of

USABLE = {c: CONFIGS[c] * 8 - 56 for c in CONFIGS}
WAYS = {c: USABLE[c] // 4 for c in CONFIGS}
HASH = {}
L, S = GLOAD_LINE, GSTORE_LINE

def g(n): return L << 24 | n          # with shift 7: numbers are lines
def run(m, ops, config, **k): return m.run(array.array("I", ops), config, shift=7, **k)

def set_of(n):
    s, k = 0, 0
    while n:
        if n & 1: s ^= HASH.get(k, 0)
        n >>= 1; k += 1
    return s

def measured_set(m, y, config=100):
    c = USABLE[config]
    hits = []
    for x in range(4):
        ops = [g(n) for n in range(c) if n != x] + [g(y)]
        if sum(run(m, ops, config, passes=4, record_from=4).misses[1:]) == 0: hits.append(x)
    return hits

def hash_bits(m):
    yield "line", "same_as"
    base = 4096
    b = measured_set(m, base)
    yield base, b
    for k in range(23):
        y = base + (1 << k) if k < 12 else (1 << k)
        r = measured_set(m, y)
        yield y, r
        if k < 12: HASH[k] = r[0] ^ b[0] if r and b else 0
        else: HASH[k] = r[0] if r else 0
    yield "hash", [HASH[k] for k in range(23)]
    rng = random.Random(5)
    for _ in range(40):
        y = rng.randrange(2000, 1 << 23)
        r = measured_set(m, y)
        yield y, r, set_of(y)

SETLINES = []
def lines(n):
    """The first lines of set 0."""
    while len(SETLINES) < n:
        base = len(SETLINES) * 4
        SETLINES.append(next(x for x in range(base, base + 4) if set_of(x) == 0))
    return SETLINES[:n]

PAUSE = WAIT << 24 | 20000
def patterns(w):
    h = w // 2
    yield "none", list(range(w)), []
    for r in (1, 4, 8, 16, 24, 32, 43, 48, 64, 85, 106, 128, 150, 170, 200, 250):
        if r < w: yield f"again 0..{r}", list(range(w)), list(range(r))
    yield "all again", list(range(w)), list(range(w))
    yield "all again twice", list(range(w)), list(range(w)) * 2
    yield "half again twice", list(range(w)), list(range(h)) * 2
    for r in (16, 42, 64, 85, 128, w):
        yield f"again backwards {r}..0", list(range(w)), list(range(min(r, w) - 1, -1, -1))
    for r in (16, 42, 64, 85, 128):
        yield f"again last {r}", list(range(w)), list(range(w - min(r, w), w))
        yield f"again last {r} backwards", list(range(w)), list(range(w - 1, w - 1 - min(r, w), -1))
    yield "again second half then first", list(range(w)), list(range(h, w)) + list(range(h))
    yield "again even", list(range(w)), list(range(0, w, 2))
    yield "again odd of first half", list(range(w)), list(range(1, h, 2))
    yield "again shuffled", list(range(w)), random.Random(3).sample(range(w), w)
    yield "again shuffled half", list(range(w)), random.Random(3).sample(range(w), h)
    yield "each twice", [x for i in range(w) for x in (i, i)], []
    yield "each twice at once, first half", [x for i in range(w) for x in ((i, i) if i < h else (i,))], []
    yield "line 0 thirty times", list(range(w)), [0] * 30
    yield "line 0 300 times", list(range(w)), [0] * 300
    yield "line 0, 40, 80 by turns", list(range(w)), [0, 40, 80] * 100

def victims(m):
    yield "shared_kib", "pattern", "victims"
    for config in (228, 164, 100, 8):
        w = WAYS[config]
        pool = lines(w + 2000)
        for name, fill, again in patterns(w):
            for variant in ("", "pause", "slow", "shuffled"):
                if variant and not (name in ("none", "all again", "again 0..85", "again 0..150", "again 0..250", "again backwards 128..0", "again even") or name.startswith("again backwards %d" % w)): continue
                out = []
                for trial in range(160 if config != 8 else 120):
                    rng = random.Random(trial)
                    number = list(range(w))
                    if variant == "shuffled": rng.shuffle(number)
                    at = [pool[i] for i in number]
                    ops = [g(at[i]) for i in fill] + [g(at[i]) for i in again]
                    if variant == "slow": ops = [o for op in ops for o in (op, WAIT << 24 | 1000)]
                    if variant: ops.append(PAUSE)
                    ops.append(g(pool[w + rng.randrange(2000)]))
                    if variant: ops.append(PAUSE)
                    probes = rng.sample(range(w), w)
                    ops += [g(at[i]) for i in probes]
                    slow = run(m, ops, config).slow[-w:]
                    out.append(probes[slow.index(True)] if True in slow else -1)
                yield config, name + (", " + variant if variant else ""), " ".join(map(str, sorted(out)))

def survival(m):
    yield "shared_kib", "again", "added", "chunk", "probes", "there"
    for config in (228, 164, 100, 8):
        w = WAYS[config]
        pool = lines(6 * w)
        for what, again in (("none", []), ("half", list(range(w // 2))), ("all", list(range(w))), ("all twice", list(range(w)) * 2)):
            for k in (8, 16, 32, 48, 64, 80, 96, 104, 112, 120, 128, 136, 144, 160, 192, 224, 256, 298, 384, 512, 768, 1024):
                if k > 3 * w: continue
                count = {}
                for trial in range(80):
                    rng = random.Random(trial)
                    probes = rng.sample(range(w + k), 10)
                    ops = [g(pool[i]) for i in [*range(w), *again, *range(w, w + k), *probes]]
                    slow = run(m, ops, config).slow[-10:]
                    for p, s in zip(probes, slow):
                        c = count.setdefault(p // 8, [0, 0]); c[0] += 1; c[1] += not s
                for c, (a, b) in sorted(count.items()): yield config, what, k, c, a, b

def quota(m):
    yield "shared_kib", "variant", "protected", "group", "probes", "there"
    for config in (228, 164, 100, 8):
        w = WAYS[config]
        pool = lines(8 * w)
        for variant in ("once", "twice", "four times", "then as many others", "spread"):
            for p in sorted({8, 16, 24, 32, 36, 42, w // 4, w // 2, 64, w - 140, w - 136, w - 132, w - 128, w - 120, w - 96, w - 64, w - 32, w}):
                if not 0 < p <= w or (variant == "then as many others" and 2 * p > w): continue
                count = {}
                for trial in range(40):
                    rng = random.Random(trial)
                    a = list(range(p)) if variant != "spread" else rng.sample(range(w), p)
                    again = a * (2 if variant == "twice" else 4 if variant == "four times" else 1)
                    if variant == "then as many others": again += list(range(p, 2 * p))
                    probes = rng.sample(range(len(again)), min(10, len(again)))
                    ops = [g(pool[i]) for i in [*range(w), *again, *range(w, 5 * w), *(again[x] for x in probes)]]
                    slow = run(m, ops, config).slow[-len(probes):]
                    for x, s in zip(probes, slow):
                        q = x % p * 4 // p + (4 if x >= p and variant == "then as many others" else 0)
                        c = count.setdefault(q, [0, 0]); c[0] += 1; c[1] += not s
                for q, (x, y) in sorted(count.items()): yield config, variant, p, q, x, y

def cyclic_one(m):
    yield "shared_kib", "lines", "run", "misses", "last"
    for config in (228, 164, 100, 8):
        w = WAYS[config]
        pool = lines(4 * w)
        for n in sorted({w, w + 1, w + 2, w + 4, w + 8, w + 12, w + 14, w + 16, w + 24, w + 32, w + 40, w + 48, w + 64, w + 80, w + 96, w + 112, w + 128, w + 160, w + 192, int(1.5 * w), 2 * w, int(2.2 * w), 3 * w}):
            for k in range(3):
                p = 60
                r = run(m, [g(x) for x in pool[:n]], config, passes=p, record_from=p - 3)
                yield config, n, k, " ".join(map(str, r.misses)), "/".join("".join(str(int(b)) for b in r.slow[i * n:(i + 1) * n]) for i in range(3))

def flush(m, config):
    for _ in range(4):
        x = run(m, [g(n) for n in range(USABLE[config])], config, passes=60, record_from=60).misses[-1]
        if x == 0: return 0
    return x

def local_state(m):
    yield "what", "result"
    for config in (100, 164, 228):
        lo = lambda n: line(LLOAD_LINE, n)
        n = 32 if config == 228 else 64
        hot = array.array("I", [lo(i) for i in range(n)])
        probe = lambda: sum(m.run(hot, config).slow)
        yield f"{config} flush", flush(m, config)
        yield f"{config} probe after flush", probe()
        m.run(hot, config, passes=3); yield f"{config} again", probe()
        m.run(hot, config, passes=3); m.run([g(0)], 8); yield f"{config} after another division, larger", probe()
        m.run(hot, config, passes=3); m.run([g(0)], 228 if config != 228 else 196); yield f"{config} after division 228 (196)", probe()
        m.run(hot, config, passes=3); m.run([g(0)], config); yield f"{config} after a launch", probe()
        for times in (1, 2, 4, 8):
            m.run(hot, config, passes=3); run(m, [g(i) for i in range(times * USABLE[config])], config); yield f"{config} after {times} times the size of global lines once", probe()
        m.run(hot, config, passes=3); yield f"{config} flush 60", flush(m, config); yield f"{config} then", probe()
        c = USABLE[config]
        for n in (c - 64, c - 16, c - 8, c - 4, c - 2, c - 1, c, c + 1, c + 2, c + 4, c + 8):
            flush(m, config)
            yield f"{config} local {n} lines, misses", m.run(ops_of(LLOAD_LINE, range(n)), config, 12, record_from=12).misses
        flush(m, config)
    config, c = 100, USABLE[100]
    for y in [c + i for i in range(8)] + [1 << k for k in range(11, 12)] + [2048 + (1 << k) for k in range(0, 11)] + [3000, 3333, 4095]:
        text = ""
        for x in range(24 if y < 1200 else 4):
            flush(m, config)
            text += str(min(9, sum(m.run(ops_of(LLOAD_LINE, [i for i in range(c) if i != x] + [y]), config, 6, record_from=6).misses[2:])))
        yield f"local same set {y}", text
    k = 0
    for name, ops in {"store line": LSTORE_LINE, "store word": LSTORE_WORD, "store sector": LSTORE_SECTOR}.items():
        for first in ("", "line", "sector0"):
            for then in ("sector0 sector1", "sector1 sector0", "line"):
                flush(m, 100)
                kinds = {"line": LLOAD_LINE, "sector0": LLOAD_SECTOR0, "sector1": LLOAD_SECTOR1}
                k += 1
                ops_ = ([line(kinds[first], k)] if first else []) + [line(ops, k), PAUSE] + [line(kinds[t], k) for t in then.split()]
                yield f"local {first}; {name}; {then}", [int(b) for b in m.run(ops_, 100).slow]

ALL = [hash_bits, victims, survival, quota, cyclic_one, local_state]
if __name__ == "__main__":
    m = Gpu(sys.argv[1]); out = sys.argv[2]; os.makedirs(out, exist_ok=True)
    for f in ALL:
        t = time.time()
        with open(f"{out}/{f.__name__}.csv", "w") as file:
            w = csv.writer(file, lineterminator="\n")
            try:
                for row in f(m): w.writerow(row)
            except Exception as e:
                import traceback; traceback.print_exc()
        print(f.__name__, round(time.time() - t, 1), flush=True)
