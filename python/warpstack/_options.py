"""Keywords as the options of the command line."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

File = str | os.PathLike[str]
Value = str | int | float
Values = Value | Iterable[Value]


def options(keywords: Mapping[str, Any]) -> list[str]:
    """``--stack-dim=2`` of ``stack_dim=2``, ``--inferred`` of ``inferred=True``; what is ``None`` or ``False`` is left out."""
    given = {name.replace("_", "-"): value for name, value in keywords.items() if value is not None and value is not False}
    return [f"--{name}" if value is True else f"--{name}={joined(value)}" for name, value in given.items()]


def joined(value: Any) -> str:
    """A value, or a list of values with commas."""
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return _text(value)
    return ",".join(_text(item) for item in value)


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def varied(vary: Mapping[str, Values] | None) -> list[str]:
    """``--vary=KEY=VALUES`` of every key."""
    return [f"--vary={key}={joined(values)}" for key, values in (vary or {}).items()]


@contextmanager
def as_files(keywords: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The keywords with programs and settings that are not in a file written to one, for as long as the call takes."""
    with tempfile.TemporaryDirectory(prefix="warpstack-") as folder:
        programs, settings = keywords.get("programs"), keywords.get("settings")
        changed = dict(keywords)
        if programs is not None and not isinstance(programs, (str, os.PathLike)):
            path = Path(folder, "programs.txt")
            path.write_text("".join(f"{program}\n" for program in programs), encoding="utf-8")
            changed["programs"] = path
        if isinstance(settings, Mapping):
            path = Path(folder, "settings.json")
            path.write_text(json.dumps(settings), encoding="utf-8")
            changed["settings"] = path
        yield changed
