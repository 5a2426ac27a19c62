"""The subcommands as functions.

Keywords are options; ``None`` stands for the subcommand's own default, which ``warpstack SUBCOMMAND --help`` names.
"""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _warpstack
from ._options import File, Values, as_files, options, varied
from ._results import Columns, Result, columns, generations, result, results

Programs = File | Iterable[str]
Inferred = bool | File


def predict(
    *,
    threads: int | None = None,
    device: File | None = None,
    kernel: str | None = None,
    problem: str | None = None,
    stack_dim: int | None = None,
    stack_registers: int | None = None,
    case_blocks: int | None = None,
    l1: int | None = None,
    cases: int | None = None,
    threads_per_program: int | None = None,
    engine: str | None = None,
    scope: str | None = None,
    corpus: File | None = None,
    programs: Programs | None = None,
    population: int | None = None,
    weights: str | None = None,
    inferred: Inferred | None = None,
    program_seed: int | None = None,
    arch: str | None = None,
    shape: str | None = None,
    math: str | None = None,
    token_type: str | None = None,
) -> Result:
    """How fast one launch is, and where its cycles go, as ``warpstack predict --format json`` has it.

    ``threads`` per block, ``l1`` in KiB. ``programs`` are a file, or a list of texts, in postfix order or as GP libraries print
    them: ``["X1 X1 *", "mul(X1, X1)"]``.
    ``engine`` is ``"simulator"`` or ``"analytical"``. ``inferred`` is ``True`` for what the program has inferred of the paper's programs, or a
    file. ``pandas.DataFrame(prediction.cpi_stack)`` is a table of where the cycles go.
    """
    return result(_json("predict", locals()))


def explain(
    against: str | Iterable[str] | None = None,
    *,
    per_instruction: bool = False,
    threads: int | None = None,
    device: File | None = None,
    kernel: str | None = None,
    problem: str | None = None,
    stack_dim: int | None = None,
    stack_registers: int | None = None,
    case_blocks: int | None = None,
    l1: int | None = None,
    cases: int | None = None,
    threads_per_program: int | None = None,
    engine: str | None = None,
    scope: str | None = None,
    corpus: File | None = None,
    programs: Programs | None = None,
    population: int | None = None,
    weights: str | None = None,
    inferred: Inferred | None = None,
    program_seed: int | None = None,
    arch: str | None = None,
    shape: str | None = None,
    math: str | None = None,
    token_type: str | None = None,
) -> Result | list[Result]:
    """Which part of the machine costs a launch most: ``bottleneck`` in a sentence, ``gains`` without each part, ``cycles`` by cause.

    ``against`` are changes that make other launches to compare with, ``"threads=128,l1=16"``; the result is then a list. With
    ``per_instruction`` it is the machine code with issues and waits, ``lines``.
    """
    given = locals()
    changes = [against] if isinstance(against, str) else list(given.pop("against", None) or [])
    given.pop("against", None)
    text = _json("explain", given, [f"--against={change}" for change in changes])
    if per_instruction:
        return result(text)
    found = results(text)
    return found if changes else found[0]


def advise(
    *,
    problem: str | None = None,
    device: File | None = None,
    kernel: str | None = None,
    confirm: int | None = None,
    engine: str | None = None,
    scope: str | None = None,
    corpus: File | None = None,
    programs: Programs | None = None,
    population: int | None = None,
    weights: str | None = None,
    inferred: Inferred | None = None,
    program_seed: int | None = None,
    arch: str | None = None,
) -> Result:
    """The fastest launch of each kernel, ``launches``, the best first; why it is not faster, and ``gains`` from a better machine."""
    return result(_json("advise", locals()))


def occupancy(
    *,
    registers: int | Iterable[int] | None = None,
    threads: int | None = None,
    shared: int | None = None,
    device: File | None = None,
    kernel: str | None = None,
    problem: str | None = None,
    stack_dim: int | None = None,
    stack_registers: int | None = None,
    l1: int | None = None,
) -> Columns:
    """Resident blocks and warps of a multiprocessor: a row for each number of registers or threads, as ``warpstack occupancy`` has it."""
    return columns(_json("occupancy", locals()))


def whatif(
    vary: Mapping[str, Values] | None = None,
    *,
    study: File | None = None,
    device: File | None = None,
    problem: str | None = None,
    kernel: str | None = None,
    threads: int | None = None,
    stack_dim: int | None = None,
    stack_registers: int | None = None,
    l1: int | None = None,
    cases: int | None = None,
    threads_per_program: int | None = None,
    why: bool = False,
    engine: str | None = None,
    scope: str | None = None,
    corpus: File | None = None,
    programs: Programs | None = None,
    population: int | None = None,
    weights: str | None = None,
    inferred: Inferred | None = None,
    program_seed: int | None = None,
    arch: str | None = None,
    shape: str | None = None,
    math: str | None = None,
    token_type: str | None = None,
) -> Columns:
    """Speeds over anything that a preset or a launch says, in every combination: a row each, as ``warpstack whatif`` has it.

    ``vary`` has the values of each key, ``l1`` in KiB: ``{"l1": "4..256", "threads": [64, 128]}``.
    ``why`` adds ``gains_most``, the part of the machine whose removal gains most, and ``gain_percent``.
    A combination that cannot run has the reason in column ``impossible``, and ``None`` for its speed.
    An interrupt ends the study.
    """
    given = locals()
    return columns(_json("whatif", given, varied(given.pop("vary"))))


def evolve(
    problem: str,
    *,
    run_seed: int | None = None,
    runs: int | None = None,
    per_generation: int | None = None,
    cases: int | None = None,
    data: File | None = None,
    settings: File | Mapping[str, Any] | None = None,
    out: File | None = None,
    record: File | None = None,
) -> Columns:
    """Genetic programming on a problem: a row for each generation of each run, as the record of ``warpstack evolve`` has it.

    ``out`` is a file for a sample of the programs, which ``predict(corpus=...)`` takes. ``settings`` are a JSON file, or what
    such a file holds. An interrupt ends the runs.
    """
    given = locals()
    with tempfile.TemporaryDirectory(prefix="warpstack-") as folder, as_files(given) as keywords:
        written = Path(record or Path(folder, "record.json"))
        _warpstack.run(["evolve", *options({**keywords, "record": written})])
        return generations(written.read_text(encoding="utf-8"))


def measure_cpu(
    problem: str,
    programs: Programs,
    *,
    interpreter: str | Iterable[str] = ("lgp-2d", "reference"),
    threads: int | Iterable[int] | None = None,
    block_cases: int | Iterable[int] | None = None,
    population: int | None = None,
    repeats: int | None = 3,
    warm_ups: int | None = 1,
    check: int | None = None,
    case_seed: int | None = None,
    data: File | None = None,
) -> Columns:
    """Times the interpreters of the CPU on this machine: a row each, as ``warpstack measure cpu`` has it.

    The reference interpreter takes some seconds for each 100 programs of usual length.
    """
    return columns(_json("measure cpu", locals()))


def measure_gpu(
    problem: str,
    programs: Programs,
    *,
    kernel: str | Iterable[str] | None = None,
    cuda: File | None = None,
    encoding: str | None = None,
    threads: int | Iterable[int] | None = None,
    stack_dim: int | Iterable[int] | None = None,
    carveout: int | Iterable[int] | None = None,
    population: int | None = None,
    case_seed: int | None = None,
    cases: int | None = None,
    limit: int | None = None,
    data: File | None = None,
) -> Columns:
    """Times kernels on the GPU of this machine: a row for each launch, as ``warpstack measure gpu`` has it. Needs the driver alone."""
    return columns(_json("measure gpu", locals()))


def _json(command: str, keywords: dict[str, Any], more: Iterable[str] = ()) -> str:
    """The JSON that a command prints with these keywords as options."""
    with as_files(keywords) as given:
        return _warpstack.run([*command.split(), *more, *options(given), "--format=json"])
