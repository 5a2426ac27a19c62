"""Turns the tree of compares that nvrtc 11.8 makes of a kernel's dispatch into one indirect branch.

nvrtc lowers every switch to a tree of compares, six deep for the accumulator's handlers; PTX has `brx.idx`, which ptxas turns
into a jump table and one BRX. The value that the kernel dispatches on is marked with a comment by `dispatched` (rows.cuh).
Every number of a handler is followed through the tree to its label; nothing else of the PTX changes.
"""
import re

MARK = "// dispatch"
CONDITIONS = {
    "gt": lambda value, bound: value > bound,
    "lt": lambda value, bound: value < bound,
    "ge": lambda value, bound: value >= bound,
    "le": lambda value, bound: value <= bound,
    "eq": lambda value, bound: value == bound,
    "ne": lambda value, bound: value != bound,
}
COMPARE = r"setp\.(\w+)\.[su]32\s+(%p\d+), {register}, (-?\d+);"


class Tree:
    def __init__(self, lines):
        self.lines = [line.strip() for line in lines]
        self.labels = {line[:-1]: at for at, line in enumerate(self.lines) if re.fullmatch(r"\$?[\w$]+:", line)}
        mark = next(at for at, line in enumerate(self.lines) if MARK in line)
        self.register = re.match(r"mov\.u32 (%r\d+),", self.lines[mark])[1]
        self.compare = re.compile(COMPARE.format(register=self.register))
        self.root = next(at for at in range(mark, len(lines)) if self.compare.match(self.lines[at]))

    def is_empty(self, at):
        line = self.lines[at]
        return not line or line.startswith(("//", ".loc")) or line.endswith(":")

    def next_instruction(self, at):
        while self.is_empty(at):
            at += 1
        return at

    def target(self, value):
        """The line where the handler of `value` begins."""
        predicates, at, compared_at = {}, self.root, None
        while True:
            at = self.next_instruction(at)
            line = self.lines[at]
            compare = self.compare.match(line)
            branch = re.match(r"@(!?)(%p\d+)\s+bra\s+(\S+);", line)
            jump = re.match(r"bra(?:\.uni)?\s+(\S+);", line)
            if compare:
                condition, predicate, bound = compare.groups()
                predicates[predicate] = CONDITIONS[condition](value, int(bound))
                compared_at, at = at, at + 1
            elif branch and branch[2] in predicates:
                taken = predicates[branch[2]] != (branch[1] == "!")
                compared_at, at = None, self.labels[branch[3]] if taken else at + 1
            elif jump and self.compare.match(self.lines[self.next_instruction(self.labels[jump[1]])]):
                at = self.labels[jump[1]]
            else:
                return at if compared_at is None else compared_at

    def handlers(self):
        return 1 + max(int(found[3]) for found in map(self.compare.match, self.lines) if found)


def with_jump_table(ptx):
    """The PTX with `brx.idx` in place of the tree's root; unchanged if nothing is marked."""
    if MARK not in ptx:
        return ptx
    lines = ptx.splitlines()
    tree = Tree(lines)
    targets = [tree.target(value) for value in range(tree.handlers())]
    table = ", ".join(f"HANDLER_{at}" for at in targets)
    begins = set(targets)
    written = []
    for at, line in enumerate(lines):
        if at in begins:
            written.append(f"HANDLER_{at}:")
        if at == tree.root:
            written += [f"HANDLERS: .branchtargets {table};", f"\tbrx.idx {tree.register}, HANDLERS;", "COMPARES:"]
        written.append(line)
    return "\n".join(written) + "\n"
