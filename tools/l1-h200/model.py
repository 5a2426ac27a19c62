"""The replacement that was found (`Pool`) and usual policies, over the same sets; `Machine` runs lists of operations on one of them."""

import functools
import random

from gpu import CONFIGS, GLOAD_L2, GLOAD_NO_ALLOCATE, LOADS, LOCAL, WAIT, Result, parts, words

# What bit k of a line's number (its address / 128) flips: the set, and the row (its position under the hand).
SET_BITS = 1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3, 1, 3, 2, 3, 1
ROW_BITS = 0, 0, 97, 22, 108, 12, 50, 57, 111, 82, 122, 92, 75, 118, 104, 127, 112, 91, 78, 45, 10, 20, 57
SETS, ROWS, WAYS = 4, 128, 4
FIRST_LOCAL = 1 << 30                 # Machine: of lines of local memory


@functools.cache
def place(line):
    """Set and row of a line; bits above those of a GB are left out."""
    set_ = row = 0
    for s, r in zip(SET_BITS, ROW_BITS):
        if line & 1:
            set_ ^= s
            row ^= r
        line >>= 1
    return set_, row


def usable(config):
    """Lines that the L1 holds."""
    return CONFIGS[config] * 8 - 14 * SETS


def frame_line(multiprocessor, slot, frame, word, largest=0):
    """The line of a word of the frame (of `frame` words) of the warp in that slot, from the first stack on; `largest`: of the frames of
    the kernels launched before."""
    stack = max(256, frame, largest)
    return (multiprocessor * 64 + slot) * (stack + 144) + stack - frame + word


class Row:
    """At most four lines: the last two hits, oldest first (both may be of one line), and the others, in the order in which they go."""
    __slots__ = "hits", "others"

    def __init__(self):
        self.hits, self.others = [], []

    def lines(self):
        return len(self.others) + len(set(self.hits))

    def hit(self, line):
        if line in self.others:
            self.others.remove(line)
        self.hits.append(line)
        if len(self.hits) == 3:
            oldest = self.hits.pop(0)
            if oldest not in self.hits:
                self.others.append(oldest)

    def demote(self, line):
        """The next to go."""
        if line in self.others:
            self.others.remove(line)
        self.remove_hits(line)
        self.others.insert(0, line)

    def remove_hits(self, line):
        self.hits = [x for x in self.hits if x != line]

    def remove(self, line):
        if line in self.others:
            self.others.remove(line)
        self.remove_hits(line)

    def evict(self):
        if self.others:
            return self.others.pop(0)
        line = self.hits[0]
        self.remove_hits(line)
        return line


class Pool:
    """Rows of four lines that share the room of their set; a hand goes round the rows."""
    name = "rows+hand"

    def __init__(self, config, place=place, seed=1):
        self.place, self.capacity = place, usable(config) // SETS
        self.clear()

    def clear(self):
        """Another division of the memory drops all lines."""
        self.rows = [[Row() for _ in range(ROWS)] for _ in range(SETS)]
        self.used, self.hand, self.present = [0] * SETS, [0] * SETS, set()

    def has(self, line):
        return line in self.present

    def access(self, line):
        """Whether the line was there; it is, then."""
        s, r = self.place(line)
        row = self.rows[s][r]
        if line in self.present:
            row.hit(line)
            return True
        if row.lines() == WAYS:
            self.evict(s, row)
        while self.used[s] >= self.capacity:
            while not self.rows[s][self.hand[s]].lines():
                self.hand[s] = (self.hand[s] + 1) % ROWS
            self.evict(s, self.rows[s][self.hand[s]])
            self.hand[s] = (self.hand[s] + 1) % ROWS
        row.others.append(line)
        self.present.add(line)
        self.used[s] += 1
        return False

    def evict(self, s, row):
        self.present.remove(row.evict())
        self.used[s] -= 1

    def look(self, line):
        """A load that does not allocate: a line that is there is the next to go."""
        if line not in self.present:
            return False
        s, r = self.place(line)
        self.rows[s][r].demote(line)
        return True

    def drop(self, line):
        if line in self.present:
            s, r = self.place(line)
            self.rows[s][r].remove(line)
            self.present.remove(line)
            self.used[s] -= 1


class Sets:
    """Four sets of ways; a policy says which way goes when all hold lines."""

    def __init__(self, config, place=place, seed=1):
        self.place, self.ways, self.rng = place, self.lines(config) // SETS, random.Random(seed)
        self.clear()

    @staticmethod
    def lines(config):
        return usable(config)

    def clear(self):
        self.where = [{} for _ in range(SETS)]
        self.line = [[None] * self.ways for _ in range(SETS)]
        self.free = [list(range(self.ways - 1, -1, -1)) for _ in range(SETS)]
        self.state = [self.start() for _ in range(SETS)]

    def start(self):
        return None

    def hit(self, state, way):
        pass

    def fill(self, state, way):
        pass

    def has(self, line):
        return line in self.where[self.place(line)[0]]

    look = has

    def access(self, line):
        s = self.place(line)[0]
        where, state = self.where[s], self.state[s]
        way = where.get(line)
        if way is not None:
            self.hit(state, way)
            return True
        if self.free[s]:
            way = self.free[s].pop()
        else:
            way = self.victim(state)
            del where[self.line[s][way]]
        where[line], self.line[s][way] = way, line
        self.fill(state, way)
        return False

    def drop(self, line):
        s = self.place(line)[0]
        if line in self.where[s]:
            self.free[s].append(self.where[s].pop(line))


class Random(Sets):
    name = "random, usable size"

    def victim(self, state):
        return self.rng.randrange(self.ways)


class RandomNominal(Random):
    name = "random, nominal size"

    @staticmethod
    def lines(config):
        return CONFIGS[config] * 8


class Fifo(Sets):
    name = "FIFO"

    def start(self):
        return dict.fromkeys(range(self.ways))

    def fill(self, state, way):
        del state[way]
        state[way] = None

    def victim(self, state):
        return next(iter(state))


class Lru(Fifo):
    name = "LRU"
    hit = Fifo.fill


class Clock(Sets):
    """Second chance: a hit sets a bit; the hand clears those that it passes."""
    name = "clock"

    def start(self):
        return [0, [False] * self.ways]

    def hit(self, state, way):
        state[1][way] = True

    def victim(self, state):
        way, used = state
        while used[way]:
            used[way] = False
            way = (way + 1) % self.ways
        state[0] = (way + 1) % self.ways
        return way


class Plru(Sets):
    """A tree of bits over the next power of two of ways; a way that does not exist is never pointed at."""
    name = "tree-PLRU"

    def start(self):
        self.size = 1 << (self.ways - 1).bit_length()
        return [0] * self.size

    def hit(self, state, way):
        node = self.size + way
        while node > 1:
            state[node >> 1] = 1 - (node & 1)
            node >>= 1

    fill = hit

    def victim(self, state):
        node, low, span = 1, 0, self.size
        while node < self.size:
            span >>= 1
            right = state[node] and low + span < self.ways
            node = 2 * node + right
            low += span * right
        return low


class Nru(Sets):
    """A bit of each way, set by hits and fills; when all are set, all but that one are cleared. One of the clear ones goes, by chance."""
    name = "random, not recently used"

    def start(self):
        return [False] * self.ways

    def hit(self, state, way):
        state[way] = True
        if all(state):
            state[:] = [False] * self.ways
            state[way] = True

    fill = hit

    def victim(self, state):
        while True:
            way = self.rng.randrange(self.ways)
            if not state[way]:
                return way


MODELS = Pool, RandomNominal, Random, Nru, Plru, Lru, Clock, Fifo


class Machine:
    """One multiprocessor with a model as its L1, empty at the start of each list."""

    def __init__(self, model):
        self.model, self.name = model, model.name

    def run(self, ops, config, passes=1, record_from=0, record_op=0, blocks=1):
        cache, valid = self.model(config), {}
        slow, misses = [], []
        for p in range(passes):
            n = 0
            for i, operation in enumerate(ops):
                kind, line, sector = parts(operation)
                if kind == WAIT:
                    continue
                line += FIRST_LOCAL if kind in LOCAL else 0
                loads, of = kind in LOADS, words(kind, sector)
                if kind == GLOAD_L2:
                    cache.drop(line)
                    miss = True
                elif kind == GLOAD_NO_ALLOCATE:
                    miss = not cache.look(line) or valid[line] & of != of
                else:
                    before = valid.get(line, 0) if cache.access(line) else 0
                    miss = before & of != of
                    # A load that misses brings the sectors of which it wants something.
                    valid[line] = before | (sum(0xff << 8 * s for s in range(4) if of >> 8 * s & 0xff) if loads and miss else of)
                if loads:
                    n += miss
                    if p >= record_from and i >= record_op:
                        slow.append(miss)
            misses.append(n)
        return [Result(0, len(slow), misses, None, slow)]
