"""The experiments: each yields rows, the first of them the columns' names. Numbers are lines of 128 bytes, from the first address on."""

import array
import functools
import random

from gpu import (CONFIGS, GLOAD_CA, GLOAD_CONSTANT, GLOAD_L2, GLOAD_LINE, GLOAD_NO_ALLOCATE, GLOAD_SECTOR, GLOAD_UNCHANGED, GSTORE_LINE,
                 GSTORE_SECTOR, GSTORE_WORD, LLOAD_LINE, LLOAD_SECTOR0, LLOAD_SECTOR1, LSTORE_LINE, LSTORE_SECTOR, LSTORE_WORD, MAX_OPS, WAIT, op)
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
    assert order == "phases"
    return phases(rng, n, length)


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
