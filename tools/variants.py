"""The kernel variants that fixtures/sass/ holds, and the compiler options of each."""
import dataclasses

ARCHES = ("sm_35", "sm_90")
SOURCES = {"rpn": "rpn.cu"}


@dataclasses.dataclass(frozen=True)
class Variant:
    kernel: str
    problem: str
    stack_dim: int
    shape: str = "unrolled"
    math: str = "accurate"
    dispatch: str = "float"
    arch: str = "sm_35"

    @property
    def source(self):
        return SOURCES[self.kernel]

    @property
    def stem(self):
        return f"{self.kernel}-{self.problem}-d{self.stack_dim}-{self.shape}-{self.math}-{self.dispatch}"

    @property
    def name(self):
        return f"{self.arch}/{self.stem}"

    @property
    def keeps_cubin(self):
        return self.arch == "sm_90"

    def fields(self):
        return dataclasses.asdict(self)

    def options(self):
        macro = {"PROBLEM": self.problem, "SHAPE": self.shape, "DISPATCH": self.dispatch}
        chosen = [f"-D{key}_{value.upper().replace('-', '_')}" for key, value in macro.items()]
        fast = ["--use_fast_math"] if self.math == "fast" else []
        return [*chosen, f"-DSTACKDIM={self.stack_dim}", *fast]


def all_variants():
    for dim in range(1, 7):
        for math in ("accurate", "fast"):
            for shape in ("unrolled", "rolled", "rolled-input"):
                yield Variant("rpn", "sextic", dim, shape, math)
            yield Variant("rpn", "sextic", dim, "unrolled", math, dispatch="int")
            yield Variant("rpn", "sextic", dim, "unrolled", math, arch="sm_90")
