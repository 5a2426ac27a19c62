"""Caches with candidate replacement policies that run the same lists of operations as the GPU."""

import random

from gpu import (CONFIGS, GLOBAL, GLOAD_L2, GLOAD_SECTOR, LLOAD_SECTOR0, LLOAD_SECTOR1, LOADS, WAIT, BUCKETS, Result)


class Policy:
    """Of one set: told of hits and fills by way, asked for a victim when all ways hold lines."""

    def __init__(self, ways, rng):
        self.ways, self.rng = ways, rng

    def hit(self, way):
        pass

    def fill(self, way):
        pass


class Random(Policy):
    def victim(self):
        return self.rng.randrange(self.ways)


class Fifo(Policy):
    def __init__(self, ways, rng):
        super().__init__(ways, rng)
        self.next = 0

    def victim(self):
        way = self.next
        self.next = (way + 1) % self.ways
        return way


class Lru(Policy):
    def __init__(self, ways, rng):
        super().__init__(ways, rng)
        self.order = dict.fromkeys(range(ways))

    def hit(self, way):
        del self.order[way]
        self.order[way] = None

    fill = hit

    def victim(self):
        return next(iter(self.order))


class Plru(Policy):
    """A tree of bits over the next power of two of ways; a way that does not exist is never pointed at."""

    def __init__(self, ways, rng):
        super().__init__(ways, rng)
        self.size = 1 << (ways - 1).bit_length()
        self.bits = [0] * self.size

    def hit(self, way):
        node = self.size + way
        while node > 1:
            self.bits[node >> 1] = 1 - (node & 1)
            node >>= 1

    fill = hit

    def victim(self):
        node, low, span = 1, 0, self.size
        while node < self.size:
            span >>= 1
            right = self.bits[node] and low + span < self.ways
            node = 2 * node + right
            low += span * right
        return low


class Nru(Policy):
    """A bit per way, set by hits and fills; when all are set, all but that one are cleared. `choice`: which of the clear ones."""
    choice = "first"

    def __init__(self, ways, rng):
        super().__init__(ways, rng)
        self.used = [False] * ways
        self.n_used = 0
        self.hand = 0

    def hit(self, way):
        if not self.used[way]:
            self.used[way] = True
            self.n_used += 1
            if self.n_used == self.ways:
                self.used = [False] * self.ways
                self.used[way] = True
                self.n_used = 1

    fill = hit

    def victim(self):
        if self.choice == "random":
            while True:
                way = self.rng.randrange(self.ways)
                if not self.used[way]:
                    return way
        way = self.hand if self.choice == "clock" else 0
        while self.used[way]:
            way = (way + 1) % self.ways
        self.hand = (way + 1) % self.ways
        return way


class NruRandom(Nru):
    choice = "random"


class NruRotating(Nru):
    choice = "clock"


class Clock(Policy):
    """Second chance: the hand clears the bits that it passes."""

    def __init__(self, ways, rng):
        super().__init__(ways, rng)
        self.used = [False] * ways
        self.hand = 0

    def hit(self, way):
        self.used[way] = True

    def victim(self):
        while self.used[self.hand]:
            self.used[self.hand] = False
            self.hand = (self.hand + 1) % self.ways
        way = self.hand
        self.hand = (way + 1) % self.ways
        return way


POLICIES = {"random": Random, "fifo": Fifo, "lru": Lru, "plru": Plru, "nru": Nru, "nru-random": NruRandom,
            "nru-rotating": NruRotating, "clock": Clock}


class Model:
    """`sets` of lines / sets ways; the set of a line is its number, folded, modulo the sets."""

    def __init__(self, policy, sets=4, lines=None, seed=1):
        self.name, self.sets, self.lines = policy, sets, lines
        self.policy = POLICIES[policy]
        self.rng = random.Random(seed)

    def run(self, ops, config, passes=1, record_from=0, shift=5, threshold=None):
        lines = self.lines or CONFIGS[config] * 8
        ways = lines // self.sets
        sets = [{} for _ in range(self.sets)]      # tag -> way
        tags = [[None] * ways for _ in range(self.sets)]
        policies = [self.policy(ways, self.rng) for _ in range(self.sets)]
        sectors = {}
        slow, misses = [], []
        for p in range(passes):
            n = 0
            for op in ops:
                kind, at = op >> 24, op & 0xffffff
                if kind == WAIT or kind == GLOAD_L2:
                    if kind == GLOAD_L2:
                        n += 1
                        if p >= record_from:
                            slow.append(True)
                    continue
                if kind in GLOBAL:
                    address = at << shift
                    tag = address >> 7
                    want = 1 << (address >> 5 & 3) if kind == GLOAD_SECTOR else 15
                else:
                    tag = at + (1 << 40)
                    want = {LLOAD_SECTOR0: 1, LLOAD_SECTOR1: 2}.get(kind, 15)
                s = tag % self.sets
                way = sets[s].get(tag)
                if way is None:
                    here = sets[s]
                    if len(here) < ways:
                        way = len(here)
                    else:
                        way = policies[s].victim()
                        del here[tags[s][way]]
                    here[tag] = way
                    tags[s][way] = tag
                    sectors[tag] = want
                    policies[s].fill(way)
                    miss = True
                else:
                    miss = sectors[tag] & want != want
                    sectors[tag] |= want
                    policies[s].hit(way)
                if kind in LOADS:
                    n += miss
                    if p >= record_from:
                        slow.append(miss)
            misses.append(n)
        return Result(0, len(slow), misses, [0] * BUCKETS, slow)
