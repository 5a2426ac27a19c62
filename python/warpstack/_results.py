"""JSON as objects, and as columns: lists of equal length, by name."""

import json
from typing import Any

Columns = dict[str, list[Any]]


class Result(dict[str, Any]):
    """An object of a command's JSON. Its fields are attributes, too: ``prediction.memory.l1_load_hit_percent``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"field: given {name}; allowed: {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


def result(text: str) -> Result:
    """One object."""
    found = json.loads(text, object_hook=Result)
    assert isinstance(found, Result)
    return found


def results(text: str) -> list[Result]:
    """The rows of a document as objects."""
    return list(result(text).rows)


def columns(text: str) -> Columns:
    """The columns of a document's rows, which have the same fields; what the document says of all rows is in each."""
    document = result(text)
    rows = [{**row, **document.provenance} for row in document.rows]
    return {name: [_cell(row[name]) for row in rows] for name in (rows[0] if rows else ())}


def _cell(value: Any) -> Any:
    """A list of names becomes a text with commas."""
    return ", ".join(value) if isinstance(value, list) else value


def generations(text: str) -> Columns:
    """A row for each generation of each run of a record."""
    rows = [
        {
            "run": number,
            "seed": run.seed,
            "generation": generation,
            "best_error": best_error,
            "mean_nodes": mean_nodes,
            "longest_nodes": longest[0],
            "longest_terminals": longest[1],
            "run_solved": run.solved,
        }
        for number, run in enumerate(result(text).runs)
        for generation, (best_error, mean_nodes, longest) in enumerate(zip(run.best_error, run.mean_nodes, run.longest))
    ]
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
