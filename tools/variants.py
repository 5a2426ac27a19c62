"""The kernel variants that fixtures/sass/ holds, and the compiler options of each."""
import dataclasses

ARCHES = ("sm_35", "sm_90")
# Cards that many have. Their kernels are a chosen few: nobody of the project has measured them.
OTHER_ARCHES = ("sm_75", "sm_80", "sm_86", "sm_89")
PAPER_HEADERS = ("functions.cuh", "operands.cuh", "vectors.cuh")
# The compiled function sets, each a block of functions.cuh, with their second dimensions on those cards.
PROBLEMS = {"sextic": (1, 2, 3), "shuttle": (1,), "kddcup": (1,), "mux20": (1, 2, 3)}
# On words: these know no mathematics to be fast at.
BOOLEAN = ("mux20",)
# Those of the accumulator, whose handlers know no other Boolean functions than mux20's.
FAST = ("sextic", "shuttle", "kddcup", "mux20")


@dataclasses.dataclass(frozen=True)
class Variant:
    kernel: str
    problem: str
    stack_dim: int
    stack_registers: int = 0
    shape: str = "unrolled"
    math: str = "accurate"
    dispatch: str = "float"
    arch: str = "sm_35"

    @property
    def source(self):
        return f"{self.kernel}.cu"

    @property
    def headers(self):
        """The headers that the source includes, in the order in which they are hashed."""
        return ("functions.cuh", "rows.cuh") if self.kernel == "accumulator" else PAPER_HEADERS

    @property
    def max_registers(self):
        """At most 63 on Kepler (the limit of CC 3.0); 64 on later ones, so that 1024 threads always fit. The accumulator's two
        levels leave room for more warps."""
        if self.kernel == "accumulator" and self.stack_registers == 2:
            return 56
        return 63 if self.arch == "sm_35" else 64

    @property
    def folder(self):
        return self.arch

    @property
    def is_indexed(self):
        return True

    @property
    def stem(self):
        registers = f"-r{self.stack_registers}" if self.stack_registers else ""
        stack = f"d{self.stack_dim}{registers}"
        return f"{self.kernel}-{self.problem}-{stack}-{self.shape}-{self.math}-{self.dispatch}"

    @property
    def name(self):
        return f"{self.arch}/{self.stem}"

    @property
    def keeps_cubin(self):
        return self.arch != "sm_35"

    def fields(self):
        return dataclasses.asdict(self)

    def options(self):
        named = {"PROBLEM": self.problem, "SHAPE": self.shape, "DISPATCH": self.dispatch}
        chosen = [f"-D{key}_{value.upper().replace('-', '_')}" for key, value in named.items()]
        chosen += [f"-DSTACKDIM={self.stack_dim}"]
        if self.stack_registers:
            chosen += [f"-DSTACK_REGISTERS={self.stack_registers}"]
        if self.kernel == "accumulator" and self.math == "fast":
            chosen += ["-DMATH_FAST"]
        return chosen + (["--use_fast_math"] if self.math == "fast" else [])


class OtherPaper:
    """What the other papers' kernels have in common. Not in the index: all that is asked of them stands in their code."""
    headers = ()
    max_registers = 63
    is_indexed = False

    @property
    def name(self):
        return f"{self.folder}/{self.stem}"

    @property
    def keeps_cubin(self):
        return self.arch == "sm_90"


@dataclasses.dataclass(frozen=True)
class Submachine(OtherPaper):
    """Langdon's interpreter, whose blocks hold several programs, or run one program from constant memory."""
    threads_per_program: int
    arch: str
    place: str = "global"
    source = "submachine.cu"
    folder = "submachine"

    @property
    def stem(self):
        return f"{self.arch}-p{self.threads_per_program}" + ("-constant" if self.place == "constant" else "")

    def options(self):
        chosen = [f"-DPARALLEL={self.threads_per_program}"]
        return chosen + (["-DPROGRAM_IN_CONSTANT"] if self.place == "constant" else [])


@dataclasses.dataclass(frozen=True)
class Gpocl(OtherPaper):
    """GPOCL's strategies."""
    strategy: str
    domain: str
    outputs: str
    arch: str
    source = "gpocl.cu"
    folder = "gpocl"

    @property
    def stem(self):
        return f"{self.arch}-{self.strategy}-{self.domain}-{self.outputs}"

    def options(self):
        chosen = [f"-DSTRATEGY_{self.strategy.upper()}", f"-DDOMAIN_{self.domain.upper()}"]
        return chosen + (["-DOUTPUTS_IN_CONSTANT"] if self.outputs == "constant" else [])


@dataclasses.dataclass(frozen=True)
class Robilliard(OtherPaper):
    """The population-parallel interpreters of 2008."""
    # blockgp, threadgp; blockgp-shared: the program in shared memory.
    scheme: str
    problem: str
    arch: str
    source = "robilliard.cu"
    folder = "robilliard"

    @property
    def max_registers(self):
        return {"sm_35": 63, "sm_90": 64}[self.arch]

    @property
    def stem(self):
        return f"{self.arch}-{self.scheme}-{self.problem}"

    def options(self):
        scheme, _, place = self.scheme.partition("-")
        chosen = [f"-DSCHEME_{scheme.upper()}", f"-DPROBLEM_{self.problem.upper()}"]
        return chosen + (["-DPROGRAM_SHARED"] if place else [])


def interpreters():
    """Kernel, second dimension and stack registers of every interpreter of the paper."""
    for kernel in ("rpn", "lgp"):
        for dim in range(1, 7):
            yield kernel, dim, 0
    for dim in (2, 3, 4):
        yield "lgp-vector", dim, 0
    for registers in (1, 2, 3, 4):
        yield "lgp-registers", 4, registers


def all_variants():
    for arch in ARCHES:
        for problem in PROBLEMS:
            for kernel, dim, registers in interpreters():
                base = Variant(kernel, problem, dim, registers, arch=arch)
                yield base
                if problem not in BOOLEAN:
                    yield dataclasses.replace(base, math="fast")
    for arch in OTHER_ARCHES:
        for problem in PROBLEMS:
            for kernel in ("rpn", "lgp"):
                for dim in PROBLEMS[problem]:
                    yield Variant(kernel, problem, dim, arch=arch)
    # What CUDA 5.0 made of Listing 1 is not known: the alternatives, for one problem.
    for dim in range(1, 7):
        for math in ("accurate", "fast"):
            base = Variant("rpn", "sextic", dim, math=math)
            for shape in ("rolled", "rolled-input"):
                yield dataclasses.replace(base, shape=shape)
            yield dataclasses.replace(base, dispatch="int")
    # The shape that postfix tables are predicted with. A linear kernel's rolled loop would index its operands by a variable
    # and so move them to local memory, out of the registers that Listing 2 gathers them into.
    for problem in list(PROBLEMS)[1:]:
        math = "accurate" if problem in BOOLEAN else "fast"
        for dim in range(1, 7):
            yield Variant("rpn", problem, dim, shape="rolled-input", math=math)
    # The fast interpreter, which no paper has: eight cases per thread, two or three stack levels in registers.
    for problem in FAST:
        for math in ("accurate",) if problem in BOOLEAN else ("accurate", "fast"):
            for registers in (2, 3):
                yield Variant("accumulator", problem, 8, registers, math=math, dispatch="int", arch="sm_90")
    for arch in ARCHES:
        for threads in (1, 2, 4, 8, 16, 32, 64):
            yield Submachine(threads, arch)
        yield Submachine(64, arch, "constant")
        for strategy in ("fp", "pppe", "ppcu"):
            for domain in ("regression", "classification"):
                for outputs in ("global", "constant"):
                    yield Gpocl(strategy, domain, outputs, arch)
        for scheme in ("blockgp", "blockgp-shared", "threadgp"):
            for problem in ("regression", "multiplexer", "spirals"):
                yield Robilliard(scheme, problem, arch)
