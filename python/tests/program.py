"""The program ``warpstack`` to compare with: ``WARPSTACK_PROGRAM`` names it, or it is where cargo puts it."""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("WARPSTACK_PROGRAM", ROOT / "target/release/warpstack"))
PROGRAMS = ROOT / "fixtures/measured/programs/sextic.txt"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    if not PROGRAM.exists():
        raise unittest.SkipTest(f"{PROGRAM} is not there; cargo build --release makes it")
    command = [str(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def printed(*arguments: str) -> str:
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def refused(*arguments: str) -> str:
    """The one line that the program prints instead of a result."""
    done = run(*arguments)
    assert done.returncode == 2, done
    return done.stderr.removeprefix("error: ").rstrip("\n")
