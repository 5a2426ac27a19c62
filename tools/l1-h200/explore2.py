import array, csv, json, os, random, sys, time
from gpu import *
USABLE = {c: CONFIGS[c] * 8 - 56 for c in CONFIGS}
WAYS = {c: USABLE[c] // 4 for c in CONFIGS}
BITS = [1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1]   # set of line 1 << k
def set_of(n):
    s = 0
    for k, b in enumerate(BITS):
        if n >> k & 1: s ^= b
    return s
SET0 = [n for n in range(1 << 14) if set_of(n) == 0]
def g(i, kind=GLOAD_LINE): return kind << 24 | SET0[i]
def na(i): return g(i, GLOAD_NO_ALLOCATE)
def lo(n, kind=LLOAD_LINE): return kind << 24 | n
PAUSE = WAIT << 24 | 20000
def mean(xs): xs = list(xs); return round(sum(xs) / len(xs), 3)

def hints(m):
    yield "shared_kib", "what", "value"
    for config in (228, 164, 100, 8):
        w = WAYS[config]
        ops = [g(i) for i in range(w + 64)]
        start = len(ops)
        ops += [na(i) for i in range(w)] * 2 + [g(i) for i in range(w)] + [na(w + 500), na(w + 500)]
        r = m.run(ops, config, shift=7, record_op=start)
        yield config, "smids", " ".join(str(x.smid) for x in r[:20])
        a = [x.slow for x in r]
        yield config, "missing of W after 64: first, second, normal", [mean(sum(x[k * w:(k + 1) * w]) for x in a) for k in range(3)]
        yield config, "differ first second", mean(sum(p != q for p, q in zip(x[:w], x[w:2 * w])) for x in a)
        yield config, "no_allocate twice", [mean(x[3 * w] for x in a), mean(x[3 * w + 1] for x in a)]
        for again in (16, min(64, w)):
            for name, kind in (("none", None), ("normal", GLOAD_LINE), ("no_allocate", GLOAD_NO_ALLOCATE), ("unchanged", GLOAD_UNCHANGED), ("ca", GLOAD_CA), ("constant", GLOAD_CONSTANT), ("L2", GLOAD_L2), ("store", GSTORE_LINE), ("store word", GSTORE_WORD)):
                for added in (w // 2, w, 3 * w):
                    ops = [g(i) for i in range(w)] + ([g(i, kind) for i in range(again)] if kind is not None else []) + [PAUSE]
                    ops += [g(i) for i in range(w, w + added)]
                    start = len(ops)
                    ops += [na(i) for i in range(w)]
                    r = m.run(ops, config, shift=7, record_op=start)
                    yield config, f"{again} again by {name}, {added} added: there of again, of rest", [mean(again - sum(x.slow[:again]) for x in r), mean(w - again - sum(x.slow[again:]) for x in r)]

def victim_first(m):
    """Victim of one line added, by multiprocessor; several launches and lines."""
    yield "shared_kib", "other", "launch", "victims by smid"
    for config in (228, 164, 100):
        w = WAYS[config]
        for other in (w, w + 1, w + 2, w + 10, w + 100):
            for launch in range(3):
                ops = [g(i) for i in range(w)] + [g(other)]
                start = len(ops)
                r = m.run(ops + [na(i) for i in range(w)], config, shift=7, record_op=start)
                yield config, other, launch, " ".join("+".join(str(i) for i, s in enumerate(x.slow) if s) or "-" for x in r)

def traces(m, out):
    file = open(out, "w")
    def trace(config, name, fill, again, k0, few=24):
        w = WAYS[config]
        ops = [g(i) for i in fill] + [g(i) for i in again] + [g(w + k) for k in range(k0)]
        start, n = len(ops), w + k0
        probes = []
        while len(ops) + n + 2 < MAX_OPS - 10 and len(probes) < 140:
            ops.append(g(n)); n += 1
            ops += [na(i) for i in range(n)]
            probes.append(n)
        r = m.run(ops, config, shift=7, record_op=start)
        sms = []
        for x in r[:few]:
            at, present = 0, []
            rows = []
            for n in probes:
                at += 1
                rows.append([i for i in range(n) if x.slow[at + i]])
                at += n
            # What vanished at each step.
            gone, steps = set(rows[0]), [sorted(rows[0])]
            for row in rows[1:]:
                steps.append(sorted(set(row) - gone)); gone = set(row)
            sms.append((x.smid, steps))
        file.write(json.dumps(dict(config=config, name=name, k0=k0, ways=w, sms=sms)) + "\n")
        return len(probes)
    for config in (228, 164, 100):
        w = WAYS[config]
        order = list(range(w))
        h = w // 2
        shuffled = random.Random(1).sample(order, w)
        for name, fill, again in (("none", order, []), ("all", order, order), ("half", order, list(range(h))), ("backwards", order, order[::-1]),
                                  ("shuffled fill", shuffled, []), ("first 8", order, list(range(8))), ("line 5", order, [5]), ("lines 3 40 thrice", order, [3, 40] * 3),
                                  ("last 8", order, list(range(w - 8, w))), ("second half", order, list(range(h, w))), ("even", order, order[::2]), ("all twice", order, order * 2),
                                  ("all shuffled", order, shuffled)):
            for k0 in ((0,) if config == 228 else (0, 40, 80, 120, 200, 400) if name in ("none", "all", "half", "backwards") else (0, 100)):
                t = trace(config, name, fill, again, k0)
                yield config, name, k0, t

def flush(m, config):
    ops = [GLOAD_LINE << 24 | n for n in range(USABLE[config])]
    for _ in range(4):
        x = max(r.misses[-1] for r in m.run(ops, config, passes=60, record_from=60, shift=7))
        if x == 0: break
    return x

def local(m):
    yield "what", "result"
    for config in (100, 164, 228, 8):
        n = 32 if config == 228 else 64
        hot = [lo(i) for i in range(n)]
        probe = lambda: mean(sum(x.slow) for x in m.run(hot, config))
        def fresh(): m.run(hot, config, passes=3)
        yield f"{config} probe", probe()
        yield f"{config} probe again", probe()
        yield f"{config} flush", flush(m, config)
        yield f"{config} probe after flush", probe()
        fresh(); m.run([g(0)], 8); yield f"{config} after division 8", probe()
        fresh(); m.run([g(0)], 228); yield f"{config} after division 228", probe()
        for times in (1, 2, 4, 8):
            fresh(); m.run([GLOAD_LINE << 24 | i for i in range(times * USABLE[config])][:MAX_OPS], config, shift=7); yield f"{config} after {times} times the size of global lines once", probe()
        c = USABLE[config]
        for n in (c // 2, c - 64, c - 16, c - 4, c - 1, c, c + 1, c + 4, c + 16):
            flush(m, config)
            r = m.run([lo(i) for i in range(n)], config, 12, record_from=12)
            yield f"{config} local {n} lines, misses by pass", [mean(x.misses[p] for x in r) for p in range(12)]
    config, c = 100, USABLE[100]
    for y in [c + i for i in range(4)] + [2048] + [2048 + (1 << k) for k in range(0, 11)] + [1 << 11]:
        same = []
        for x in range(4):
            flush(m, config)
            r = m.run([lo(i) for i in range(c) if i != x] + [lo(y)], config, 8, record_from=8)
            same.append([sum(q.misses[4:]) == 0 for q in r])
        yield f"local same set as line 0..3: {y}", " ".join("".join(str(x) for x in range(4) if same[x][s]) or "-" for s in range(len(same[0])))
    k = 0
    for what, st in (("line", LSTORE_LINE), ("word", LSTORE_WORD), ("sector", LSTORE_SECTOR)):
        for first in ("", "line", "sector0"):
            for then in ("sector0 sector1", "sector1 sector0", "line"):
                flush(m, 100)
                kinds = {"line": LLOAD_LINE, "sector0": LLOAD_SECTOR0, "sector1": LLOAD_SECTOR1}
                k += 1
                ops = ([lo(k, kinds[first])] if first else []) + [lo(k, st), PAUSE] + [lo(k, kinds[t]) for t in then.split()]
                r = m.run(ops, 100)
                yield f"local {first}; store {what}; {then}", [mean(x.slow[i] for x in r) for i in range(len(r[0].slow))]

if __name__ == "__main__":
    m = Gpu(sys.argv[1]); out = sys.argv[2]
    for name, f in (("hints", hints), ("victim_first", victim_first), ("traces", lambda m: traces(m, f"{out}/traces.json")), ("local", local)):
        t = time.time()
        with open(f"{out}/{name}.csv", "w") as file:
            w = csv.writer(file, lineterminator="\n")
            try:
                for row in f(m): w.writerow(row)
            except Exception:
                import traceback; traceback.print_exc()
        print(name, round(time.time() - t, 1), flush=True)
