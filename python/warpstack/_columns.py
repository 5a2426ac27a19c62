"""JSON as columns: lists of equal length, by name.

A field of a nested object becomes ``object.field``, as ``pandas.json_normalize`` names it. A list of objects becomes one
column for each field of each object, which its first field names: ``cpi_stack.lg_throttle.cycles``. A list of names becomes a
text with commas.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

Columns = dict[str, list[Any]]


def of_rows(text: str) -> Columns:
    """The columns of a list of rows that have the same fields."""
    columns: Columns = {}
    for row in json.loads(text):
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns


def of_object(text: str) -> Columns:
    """The columns of one row."""
    return {name: [value] for name, value in _flat("", json.loads(text))}


def _flat(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        for field, inner in value.items():
            yield from _flat(f"{name}.{field}" if name else field, inner)
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        for item in value:
            (_, key), *fields = item.items()
            yield from _flat(f"{name}.{key}", dict(fields))
    elif isinstance(value, list):
        yield name, ", ".join(str(item) for item in value)
    else:
        yield name, value


def cpi_stack(prediction: Mapping[str, list[Any]]) -> Columns:
    """Where the cycles of a prediction's schedulers go: a row for each cause, as ``warpstack predict`` lists them.

    Columns: ``cause``, ``nsight_name`` (the warp state of Nsight Compute), ``cycles``, ``percent`` of all scheduler cycles.
    """
    start, end = "cpi_stack.", ".cycles"
    causes = [
        name.removeprefix(start).removesuffix(end)
        for name in prediction
        if name.startswith(start) and name.endswith(end)
    ]
    cycles = [prediction[f"{start}{cause}{end}"][0] for cause in causes]
    return {
        "cause": causes,
        "nsight_name": [prediction[f"{start}{cause}.nsight_name"][0] for cause in causes],
        "cycles": cycles,
        "percent": [100.0 * one / sum(cycles) for one in cycles],
    }
