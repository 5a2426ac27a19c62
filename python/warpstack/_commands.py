"""The subcommands as functions.

Keywords are options; ``None`` stands for the subcommand's own default, which ``warpstack SUBCOMMAND --help`` names.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from . import _columns, _warpstack
from ._columns import Columns
from ._options import File, Values, as_files, options, varied

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
) -> Columns:
    """How fast one launch is, and where its cycles go: one row, as ``warpstack predict --format json`` has it.

    ``threads`` per block, ``l1`` in KiB. ``programs`` are a file, or a list of texts, in postfix order or as GP libraries print
    them: ``["X1 X1 *", "mul(X1, X1)"]``.
    ``engine`` is ``"simulator"`` or ``"analytical"``. ``inferred`` is ``True`` for what the program has inferred of the paper's programs, or a
    file. :func:`cpi_stack` makes a table of where the cycles go.
    """
    with as_files(locals()) as keywords:
        return _columns.of_object(_warpstack.predict(options(keywords)))


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
    varying = varied(given.pop("vary"))
    with as_files(given) as keywords:
        return _columns.of_rows(_warpstack.whatif(varying + options(keywords)))


def sweep(
    *,
    threads: int | None = None,
    ways: int | Iterable[int] | None = None,
    line_bytes: int | Iterable[int] | None = None,
    times: int | None = None,
    device: File | None = None,
    kernel: str | None = None,
    problem: str | None = None,
    stack_dim: int | None = None,
    stack_registers: int | None = None,
    case_blocks: int | None = None,
    l1: int | None = None,
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
    """Hit rates of every L1 from one simulation of a launch: a row for each size, as ``warpstack whatif --metric hit-rate`` has it."""
    with as_files(locals()) as keywords:
        return _columns.of_rows(_warpstack.sweep(["--metric=hit-rate", *options(keywords)]))


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
    checkpoint: File | None = None,
) -> Columns:
    """Genetic programming on a problem: a row for each generation of each run, as the record of ``warpstack evolve`` has it.

    ``out`` is a file for a sample of the programs, which ``predict(corpus=...)`` takes. ``settings`` are a JSON file, or what
    such a file holds. An interrupt ends the runs; with a ``checkpoint`` the same call resumes them.
    """
    with as_files(locals()) as keywords:
        return _columns.of_rows(_warpstack.evolve(options(keywords)))


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
    with as_files(locals()) as keywords:
        return _columns.of_rows(_warpstack.measure_cpu(options(keywords)))
